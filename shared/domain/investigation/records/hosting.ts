/**
 * On which machines each thing runs, as the labels of its series and the fields of its lines say.
 *
 * Method: what tools write beside a measurement (Kubernetes' `node`, OpenTelemetry's `k8s.node.name`) is read as it stands; what
 * writes none is on machines that are not known, and nothing is concluded of it.
 * @see https://opentelemetry.io/docs/specs/semconv/resource/k8s/
 */
import type { EntityNames } from './entity-names.ts'
import type { LogLine, Series, Snapshot } from './snapshot.ts'
import { linesByService } from './speaking-services.ts'

/** Labels that tools give a machine's name in. */
const NODE_LABELS = ['node', 'k8s_node_name', 'k8s.node.name', 'kubernetes_node', 'nodename']

type Labels = Readonly<Record<string, string>>

/** The first of some labels that is there. */
export const firstOf = (names: readonly string[]): ((labels: Labels) => string | undefined) => {
  const sought: ReadonlySet<string> = new Set(names)
  const isOfLength: readonly boolean[] = Array.from(
    { length: Math.max(...names.map(({ length }) => length)) + 1 },
    (_, length) => names.some((name) => name.length === length),
  )
  return (labels) => {
    // Most labels are others, and to ask for one that is not there takes as long as to go over those that are.
    for (const label in labels)
      if (isOfLength[label.length] === true && sought.has(label))
        for (const name of names) if (labels[name] !== undefined) return labels[name]
    return undefined
  }
}

/** The machine that labels name. */
export const nodeOf = firstOf(NODE_LABELS)

/** What a line says in a field of text. */
export const textAt = ({ attributes }: LogLine, name: string): string | undefined => {
  if (attributes === undefined) return undefined
  const value = attributes[name]
  return typeof value === 'string' ? value : undefined
}

/** The node on which a line was logged, where it says. */
export const nodeOfLine = (line: LogLine): string | undefined =>
  line.node ?? textAt(line, 'k8s.node.name') ?? textAt(line, 'k8s.node')

/** Lines of each service by where they were logged, undefined where they do not say; both in the order of their first lines. */
export type LinesByPlace = ReadonlyMap<string, ReadonlyMap<string | undefined, readonly LogLine[]>>

/** Lines by service and by what a reading of them tells of where they were logged. */
export const linesByPlace = (
  logs: readonly LogLine[],
  placeOf: (line: LogLine) => string | undefined,
): LinesByPlace => {
  const byPlace = new Map<string, ReadonlyMap<string | undefined, readonly LogLine[]>>()
  for (const [service, lines] of linesByService(logs)) byPlace.set(service, Map.groupBy(lines, placeOf))
  return byPlace
}

/** What was grouped before of a list of lines, as long as it is kept. */
const groupedBefore = new WeakMap<readonly LogLine[], LinesByPlace>()

/** Lines by service and node; grouped once for each list, since several steps ask and most lines say it in a bag of attributes. */
export function linesByNode(logs: readonly LogLine[]): LinesByPlace {
  const before = groupedBefore.get(logs)
  if (before !== undefined) return before
  const grouped = linesByPlace(logs, nodeOfLine)
  groupedBefore.set(logs, grouped)
  return grouped
}

/** Kinds of what runs in instances of its own name. */
const IN_INSTANCES: ReadonlySet<string> = new Set(['service', 'workload', 'datastore', 'queue'])

/**
 * Whether a record's name is a workload's, or an instance's of it: a pod carries it before the parts that Kubernetes adds.
 * Of two whose names begin alike (`cart`, `cart-db`) the longer one has the instance.
 */
export const isOfWorkload = (
  entity: string | null,
  workload: string,
  entities: Snapshot['entities'],
): boolean =>
  entity === workload ||
  (entity !== null &&
    entity.charAt(workload.length) === '-' &&
    entity.startsWith(workload) &&
    !entities.some(
      ({ kind, name }) =>
        IN_INSTANCES.has(kind) &&
        name.startsWith(`${workload}-`) &&
        (name === entity || entity.startsWith(`${name}-`)),
    ))

type Machines = ReadonlyMap<string, ReadonlySet<string>>
type Records = Pick<Snapshot, 'series' | 'logs'>

/** What was read before of the records that names were read from, as long as these are kept: several steps ask. */
const readBefore = new WeakMap<EntityNames, Records & { readonly machines: Machines }>()

/**
 * Machines by what runs on them: of each thing the machines on which it was measured or spoke; read once for the same records
 * and names. A machine is not on itself.
 */
export function machinesOf({ series, logs }: Records, names: EntityNames): Machines {
  const before = readBefore.get(names)
  if (before !== undefined && before.series === series && before.logs === logs) return before.machines
  const machines = new Map<string, Set<string>>()
  const add = (entity: string, machine: string | undefined): void => {
    if (machine === undefined || machine === entity) return
    const known = machines.get(entity)
    if (known === undefined) machines.set(entity, new Set([machine]))
    else known.add(machine)
  }
  for (let index = 0; index < series.length; index++) {
    const { entity, labels } = series[index] as Series
    add(entity, nodeOf(labels))
  }
  for (const [service, nodes] of linesByNode(logs))
    for (const node of nodes.keys()) add(names.canonical(service), node)
  readBefore.set(names, { series, logs, machines })
  return machines
}
