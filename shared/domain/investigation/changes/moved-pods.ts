/**
 * What a change of machines moved: the services whose pods were on the machines of the pool that it names.
 *
 * Method: a pool's name stands before the number of its machines (Google Kubernetes Engine, Amazon EKS and Azure all name
 * nodes so), and Kubernetes writes an event for a node that is cordoned or drained and for each pod that has to leave it
 * (kubernetes.io/docs/tasks/administer-cluster/safely-drain-node, kubernetes.io/docs/concepts/scheduling-eviction).
 */
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, KubernetesRecord, Snapshot } from '../records/snapshot.ts'
import { holdsName } from '../records/whole-name.ts'

/** A service that a pod of had to move, and when the first did. */
export interface Moved {
  readonly entity: string
  readonly at: number
}

/** A pod leaves its node, or is started on another. */
const LEAVES = /evict|taint|drain|preempt|killing|nodelost|scheduled|deletion/i
/** How long after its record a change of machines still goes on: pools are renewed node by node. */
const GOES_ON_MS = 2 * 3_600_000
/** Parts of a name of which one alone tells no pool from another. */
const SHORTEST = 4

const textOf = ({ name, message = '' }: KubernetesRecord): string => `${name} ${message}`

/** The service of a pod: its name up to the parts that tell one pod from another. */
function serviceOf({ name }: KubernetesRecord, names: EntityNames): string | null {
  const known = new Set(names.all)
  for (let base = name.replace(/^.*\//, ''); base !== ''; base = base.replace(/-?[^-]*$/, '')) {
    const service = names.canonical(base)
    if (known.has(service)) return service
  }
  return null
}

/** The name of a pool of machines: what the record is about, or a word of its title that nodes begin with. */
function poolsOf({ entity, title = '' }: Change): readonly string[] {
  const words = title.match(/[A-Za-z\d][\w.-]*[\w]/g) ?? []
  return [...(entity === undefined ? [] : [entity]), ...words].filter((word) => word.length >= SHORTEST)
}

/** What each change of machines moved before an instant; nothing for changes of another kind. */
export function movesOf(
  { k8s }: Snapshot,
  names: EntityNames,
  latest: number | null,
): (change: Change) => readonly Moved[] {
  const nodes = new Set(k8s.filter(({ kind }) => /^node$/i.test(kind)).map(({ name }) => name))
  const leaving = k8s.filter(({ kind, reason = '' }) => /^pod$/i.test(kind) && LEAVES.test(reason))
  return (change) => {
    if (change.kind !== 'infra' || nodes.size === 0) return []
    const pools = poolsOf(change)
    const own = [...nodes].filter((node) =>
      pools.some((pool) => node === pool || node.startsWith(`${pool}-`)),
    )
    const found = new Map<string, number>()
    for (const record of leaving) {
      const { timestamp } = record
      if (timestamp < change.recorded_at || timestamp > change.recorded_at + GOES_ON_MS) continue
      if (latest !== null && timestamp > latest) continue
      if (!own.some((node) => holdsName(textOf(record), node))) continue
      const entity = serviceOf(record, names)
      if (entity !== null) found.set(entity, Math.min(timestamp, found.get(entity) ?? timestamp))
    }
    return [...found].map(([entity, at]) => ({ entity, at }))
  }
}
