/**
 * What a family of the third generation and later says of a fault: how parts work while it lasts, and which records the real
 * thing leaves. Records may precede the effect, come in several steps, or name nothing.
 */
import type { Change } from '#shared/domain/investigation/records/snapshot.ts'
import { callersOf } from './late-faults.ts'
import type { Chance } from './random.ts'
import type { Working } from './run-system.ts'
import type { Part, Topology } from './topology.ts'

/** A record of the change that is the cause, as the tool that knows it writes it down. */
export interface CulpritRecord {
  readonly kind: Change['kind']
  readonly title: string
  /** Seconds since the change began; a change in steps leaves one record for each. */
  readonly after_s: number
  readonly entity?: string
  readonly files?: readonly string[]
  readonly diff?: string
  readonly before?: string
  readonly after?: string
  /** Seconds from the record to its effect: a merge waits for who applies it. */
  readonly applied_after_s?: number
}

/** Whatever is marked so tells the cause apart, and is missing where what decides is taken away. */
interface Deciding {
  readonly decides?: boolean
}

export interface ToldLine extends Deciding {
  readonly part: string
  readonly message: string
  readonly severity?: string
  readonly per_minute: number
  /** Seconds since the effect began. */
  readonly after_s?: number
  /** Seconds since the effect began, from when on nobody says it any more. */
  readonly until_s?: number
  /** The pod that says it, by its place among the part's pods. */
  readonly pod?: number
}

export interface Gauge extends Deciding {
  readonly entity: string
  readonly name: string
  readonly unit: string
  readonly labels?: Readonly<Record<string, string>>
  /** Its level, so many seconds after the effect began (negative before); not a number where nothing is measured. */
  level(since_s: number): number
}

export interface ToldRecord extends Deciding {
  /** Seconds since the effect began (negative before). */
  readonly after_s: number
  readonly kind: string
  readonly name: string
  readonly reason: string
  readonly message: string
}

/** A part that a change gets to, pod after pod. */
export interface Reached {
  readonly part: string
  readonly after_s: number
  /** Share of its pods that get it, below 1 where a few are to show first whether it is well; all unless given. */
  readonly share?: number
}

export interface ProductionFault {
  readonly kind: string
  readonly entity: string
  /** Further places, and further kinds, that are as right. */
  readonly places: readonly string[]
  readonly kinds: readonly string[]
  /** The system as it is while nothing is wrong. */
  readonly topology: Topology
  /** Records of the change; none where no change is the cause. */
  readonly culprits: readonly CulpritRecord[]
  /** Which of them brought the effect about. */
  readonly tipping: number
  /** Parts that get the change with a rollout of their own, so many seconds after the first. */
  readonly shipped: readonly Reached[]
  /** Parts whose pods are made anew by the change, at the version that they had. */
  readonly renewed: readonly Reached[]
  /** Parts that nobody ships anything to. */
  readonly undisturbed?: readonly string[]
  /** Seconds between the change and its effect. */
  readonly delay_s: number
  /** Where every pod runs, given where the fault depends on it. */
  readonly hosting?: Hosted
  readonly lines: readonly ToldLine[]
  readonly gauges: readonly Gauge[]
  /** Of the orchestrator. */
  readonly k8s: readonly ToldRecord[]
  /** Of the control planes of clouds and databases; `name` is the resource. */
  readonly events: readonly (ToldRecord & { readonly service?: string })[]
  /** Changes beside the cause that harm nobody, at any time of the day; a commit is shipped to its entity. */
  readonly harmless?: readonly CulpritRecord[]
  /** Changes that cause something else than what users feel here, at their seconds since the effect began. */
  readonly elsewhere?: readonly CulpritRecord[]
  /** True where counting requests tells the cause. */
  readonly isDemand?: boolean
  /** True where it is machines that are gone: where pods run tells the cause. */
  readonly isHosting?: boolean
  /** Factor on what comes from outside, seconds since the effect began. */
  demand?(since_s: number): number
  /** Requests a second that a part gets from outside beside those of its callers, seconds since the effect began. */
  arriving?(part: string, since_s: number): number
  /** Requests a second that a part always gets from outside, whatever happens. */
  standing?(part: string): number
  /**
   * How a pod works.
   * @param since_s seconds since the change reached it (since the change, where no part is shipped or renewed)
   * @param changed_for_s seconds since the change began, whenever it reached the pod
   */
  working(part: string, pod: number, since_s: number, changed_for_s: number): Working
  /** How pods of a part that the change gets to work as long as it did not get to them, seconds since the change began. */
  ahead?(part: string, pod: number, since_s: number): Working
  /** How parts work that the change does not get to while others get it, seconds since the change began. */
  beyond?(part: string, pod: number, since_s: number): Working
}

/** Which node a pod runs on, by its place among the part's pods. */
export type Hosting = (part: string, pod: number) => string

/** Makes a fault of a system; null where it has no place for one. */
export type ProductionFamily = (topology: Topology, chance: Chance) => ProductionFault | null

/** What most faults leave out. */
export const UNREMARKABLE = {
  ...{ places: [], kinds: [], culprits: [], tipping: 0, shipped: [], renewed: [], delay_s: 0 },
  ...{ lines: [], gauges: [], k8s: [], events: [] },
} as const satisfies Partial<ProductionFault>

/** Requests a second that reach every part while nothing is wrong. */
export function arrivalsOf({ parts, demand }: Topology): ReadonlyMap<string, number> {
  const [root] = parts
  const arrivals = new Map(root === undefined ? [] : [[root.name, demand]])
  for (const { name, calls, cache_hits } of parts)
    for (const { to, per_request } of calls)
      arrivals.set(to, (arrivals.get(to) ?? 0) + (arrivals.get(name) ?? 0) * (1 - cache_hits) * per_request)
  return arrivals
}

/** How far something got that begins at 0 and ends at 1. */
export const progress = (since_s: number, length_s: number): number =>
  Math.min(1, Math.max(0, since_s / length_s))

/** Datastores that several services ask. */
export const sharedStores = (topology: Topology): readonly Part[] =>
  topology.parts.filter(({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length >= 2)

export const kindOf = ({ parts }: Topology, name: string): Part['kind'] | undefined =>
  parts.find((part) => part.name === name)?.kind

/** A system with some parts otherwise. */
export const withParts = (
  topology: Topology,
  otherwise: Readonly<Record<string, Partial<Part>>>,
): Topology => ({
  ...topology,
  parts: topology.parts.map((part) => ({ ...part, ...otherwise[part.name] })),
})

/** Milliseconds that a part holds a worker for one request while nothing is wrong. */
export function holdOf({ parts, demand }: Topology, name: string): number {
  const part = parts.find((each) => each.name === name)
  if (part === undefined) return 0
  const below = part.calls.map(({ to, per_request }) => per_request * holdOf({ parts, demand }, to))
  return part.own_ms + (1 - part.cache_hits) * below.reduce((sum, each) => sum + each, 0)
}

/** Fewest workers of a part that was made for its demand: fewer would make every single request matter. */
const FEWEST_WORKERS = 3

/** A part that can do just so many times what is usually asked of it. */
export function sized(topology: Topology, name: string, headroom: number): Topology {
  const part = topology.parts.find((each) => each.name === name)
  if (part === undefined) return topology
  const wanted = ((arrivalsOf(topology).get(name) ?? 0) / part.pods) * headroom
  const hold = holdOf(topology, name)
  const workers = Math.max(FEWEST_WORKERS, Math.ceil((wanted * hold) / 1_000))
  // Workers are whole; what they are too many is made up for by longer work.
  return withParts(topology, {
    [name]: { workers, own_ms: part.own_ms + (workers * 1_000) / wanted - hold },
  })
}

/** Nodes, and which of them every pod runs on. */
export interface Hosted {
  readonly nodes: readonly string[]
  readonly on: Hosting
}

/** What runs on nodes, with some parts on others that are theirs alone. */
export const hostedApart = (
  { nodes, on }: Hosted,
  own: readonly string[],
  parts: readonly string[],
): Hosted => ({
  nodes: [...nodes, ...own],
  on: (part, pod) => (parts.includes(part) ? (own[pod % own.length] as string) : on(part, pod)),
})

/** What runs on nodes, with who stands beside the system on none but those that are spared. */
export function hostedSparing({ nodes, on }: Hosted, { parts }: Topology, spared: readonly string[]): Hosted {
  const isOwn = new Set(parts.map(({ name }) => name))
  return {
    nodes,
    on: (part, pod) => (isOwn.has(part) ? on(part, pod) : (spared[pod % spared.length] as string)),
  }
}

/** What the orchestrator writes down of a node that it has not heard of for a while. */
export const notReady = (node: string, after_s: number): ToldRecord => ({
  ...{ after_s, kind: 'Node', name: node, reason: 'NodeNotReady', decides: true },
  message: `Node ${node} status is now: NodeNotReady`,
})

/** Every pod on one of some nodes, as a scheduler spreads them: never two pods of a part on one, where it can. */
export function hostingOf(topology: Topology, chance: Chance): Hosted {
  const nodes = Array.from(
    { length: chance.whole(4, 6) },
    () => `ip-10-40-${chance.whole(0, 7)}-${chance.whole(2, 250)}`,
  )
  const offsets = new Map(topology.parts.map(({ name }) => [name, chance.whole(0, nodes.length - 1)]))
  return {
    nodes,
    on: (part, pod) => nodes[((offsets.get(part) ?? 0) + pod) % nodes.length] as string,
  }
}
