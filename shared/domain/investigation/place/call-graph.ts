/**
 * Who calls whom, and how much of a caller's failing and waiting arises inside it.
 *
 * Sources in this order: edges that a tool counted, parent and child spans, and error lines in which one
 * entity names another (a guess, used only where it is not mutual). Attribution uses conservation: what a
 * caller fails or waits beyond normal, less what its callees do, is its own (PetShop's traversal, Hardt et
 * al., CLeaR 2024, refined by subtraction of flows).
 */

import type { SpanTree } from '../deviations/span-tree.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import type { Edge, Snapshot } from '../records/snapshot.ts'
import { median } from '../statistics.ts'

export interface CallGraph {
  readonly callees: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether the first names the second in its failure lines more often than the other way round. */
  blames(from: string, to: string): boolean
  reachableFrom(entity: string): ReadonlySet<string>
}

/** Who calls an entity. */
export const callersOf = ({ callees }: Pick<CallGraph, 'callees'>, entity: string): readonly string[] =>
  [...callees].flatMap(([caller, called]) => (called.has(entity) ? [caller] : []))

/** Who calls or is called. */
export const onCalls = ({ callees }: Pick<CallGraph, 'callees'>): readonly string[] =>
  [...callees].flatMap(([caller, called]) => [caller, ...called])

/** How often one names another where it fails. */
const countOf = (
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
  from: string,
  to: string,
): number => counts.get(from)?.get(to) ?? 0

/** Words in which one entity says that it failed because of another, or could not reach it. */
export interface Mention {
  readonly from: string
  readonly to: string
  readonly count: number
}

export function callGraph(edges: readonly Edge[], tree: SpanTree, mentions: readonly Mention[]): CallGraph {
  const callees = new Map<string, Set<string>>()
  const add = (caller: string, callee: string): void => {
    if (caller === callee) return
    const set = callees.get(caller)
    if (set === undefined) callees.set(caller, new Set([callee]))
    else set.add(callee)
  }
  for (const { caller, callee } of pairsOf(edges)) add(caller, callee)
  for (const { span, parent } of tree.nodes) if (parent !== null) add(parent.span.service, span.service)
  for (const [caller, callee] of callsAcrossTraces(tree)) add(caller, callee)
  const counts = new Map<string, Map<string, number>>()
  for (const { from, to, count } of mentions) {
    const named = counts.get(from) ?? new Map<string, number>()
    counts.set(from, named.set(to, (named.get(to) ?? 0) + count))
  }
  const blames = (from: string, to: string): boolean => countOf(counts, from, to) > countOf(counts, to, from)
  // Who counts the calls of both would have counted one between them: then a name is a word, as "basket" may be.
  const counted = new Set(onCalls({ callees }))
  for (const { from, to } of mentions)
    if (!(counted.has(from) && counted.has(to)) && blames(from, to)) add(from, to)
  const reachable = new Map<string, ReadonlySet<string>>()
  return {
    callees,
    blames,
    reachableFrom(entity) {
      const known = reachable.get(entity)
      if (known !== undefined) return known
      const seen = new Set<string>()
      const queue = [entity]
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        for (const callee of callees.get(next) ?? [])
          if (!seen.has(callee)) {
            seen.add(callee)
            queue.push(callee)
          }
      reachable.set(entity, seen)
      return seen
    },
  }
}

/** Services of spans whose parent is in another trace, with the parent's: one trace may be named in two ways. */
function callsAcrossTraces({ nodes }: SpanTree): readonly (readonly [caller: string, callee: string])[] {
  const orphans = nodes.filter(({ span, parent }) => parent === null && span.parent_id !== null)
  const wanted = new Set(orphans.map(({ span }) => span.parent_id))
  const serviceOf = new Map<string | null, string>()
  if (wanted.size > 0)
    for (const { span } of nodes) if (wanted.has(span.span_id)) serviceOf.set(span.span_id, span.service)
  return orphans.flatMap(({ span }) => {
    const caller = serviceOf.get(span.parent_id)
    return caller === undefined ? [] : [[caller, span.service] as const]
  })
}

/** What one entity fails and waits beyond normal during the incident, and how much of it is its own. */
export interface Flow {
  readonly entity: string
  readonly excess_failed: number
  readonly own_failed: number
  /** Failed calls beyond normal that only the callers counted, while the entity was asked and answered as ever. */
  readonly given_up: number
  /** Failed calls beyond normal that one caller alone met, while the entity served the others; absent where there are none. */
  readonly met_alone?: number
  /** Milliseconds of waiting beyond normal, summed over calls. */
  readonly excess_wait_ms: number
  readonly own_wait_ms: number
  readonly calls: number
  readonly failed: number
  /** Id of the request that brought the first of its edges. */
  readonly source: string
}

/** Failed calls beyond normal that arise inside an entity, or between it and the one caller that alone meets them. */
export const failedAt = ({ own_failed, met_alone = 0 }: Flow): number => own_failed + met_alone

/** Fewer calls than this in the incident attribute nothing. */
const LEAST_CALLS = 30

/**
 * Attributes failures and waiting over counted edges; empty without edges.
 *
 * @param isWell - whether an entity was measured to be asked and to answer as ever: what its callers then count as
 * failed calls arises at them (they give up too early, or cannot use the answer), not inside it
 * @param isAlone - whether a caller alone fails at a callee that serves the others: that arises at the caller, too
 */
export function attributeFlow(
  snapshot: Snapshot,
  normal: NormalTime,
  onsetAt: number,
  isWell: (entity: string) => boolean = () => false,
  isAlone: (caller: string, callee: string) => boolean = () => false,
): readonly Flow[] {
  const excess = new Map<string, Excess>()
  const handed = new Map<string, { failed: number; wait: number }>()
  for (const pair of pairsCountedSince(snapshot, normal, onsetAt)) {
    const { failed, wait } = beyondUsual(pair)
    const givenUp = isWell(pair.callee) ? failed : 0
    const alone = givenUp === 0 && isAlone(pair.caller, pair.callee) ? failed : 0
    addExcess(excess, pair, failed, givenUp, alone, wait)
    const given = handed.get(pair.caller) ?? { failed: 0, wait: 0 }
    given.failed += failed - givenUp - alone
    given.wait += wait
    handed.set(pair.caller, given)
  }
  const flows: Flow[] = []
  for (const [entity, sum] of excess) {
    if (sum.calls < LEAST_CALLS) continue
    const given = handed.get(entity) ?? { failed: 0, wait: 0 }
    flows.push({
      entity,
      excess_failed: sum.failed,
      own_failed: Math.max(0, sum.failed - sum.given_up - sum.alone - given.failed),
      given_up: sum.given_up,
      ...(sum.alone > 0 ? { met_alone: sum.alone } : {}),
      excess_wait_ms: sum.wait,
      own_wait_ms: Math.max(0, sum.wait - given.wait),
      calls: sum.calls,
      failed: sum.all,
      source: sum.source,
    })
  }
  return flows
}

/** The pairs of entities between which calls were counted since the onset, each with what is usual of it. */
function pairsCountedSince({ edges }: Snapshot, normal: NormalTime, onsetAt: number): ReadonlySet<Counted> {
  // By caller, then by callee: one joined key would have to be built again for every edge.
  const pairs = new Map<string, Map<string, Counted>>()
  const during = new Set<Counted>()
  for (let index = 0; index < edges.length; index++) {
    const edge = edges[index] as Edge
    if (edge.calls === undefined) continue
    const pair = pairOf(pairs, edge)
    if (edge.source < pair.source) pair.source = edge.source
    // Not finite where one of both is not told, or nothing was counted.
    const mean = (edge.latency_sum_ms ?? Number.NaN) / (edge.latency_count ?? 0)
    if (isNormalTime(normal, edge.t0)) {
      if (edge.calls > 0 && edge.failed !== undefined) pair.ratios.push(edge.failed / edge.calls)
      if (Number.isFinite(mean)) pair.means.push(mean)
    } else if (edge.t0 >= onsetAt && edge.t0 < normal.incident.to) {
      pair.calls += edge.calls
      pair.failed += edge.failed ?? 0
      pair.wait += edge.latency_sum_ms ?? 0
      pair.waits += edge.latency_count ?? 0
      during.add(pair)
    }
  }
  return during
}

/** Failed calls and milliseconds of waiting of a pair beyond what is usual of it. */
function beyondUsual({ ratios, means, calls, failed, wait, waits }: Counted): {
  readonly failed: number
  readonly wait: number
} {
  const usualRatio = ratios.length > 0 ? median(ratios) : 0
  const usualWait = means.length > 0 ? median(means) : waits > 0 ? wait / waits : 0
  return {
    failed: Math.max(0, failed - usualRatio * calls),
    wait: Math.max(0, wait - usualWait * waits),
  }
}

/** What all who call one entity met beyond normal. */
interface Excess {
  failed: number
  given_up: number
  alone: number
  wait: number
  calls: number
  all: number
  source: string
}

/** Adds what one caller met to what all met of the one that they call. */
function addExcess(
  excess: Map<string, Excess>,
  pair: Counted,
  failed: number,
  givenUp: number,
  alone: number,
  wait: number,
): void {
  const own = excess.get(pair.callee)
  if (own === undefined) {
    const { calls, failed: all, source } = pair
    excess.set(pair.callee, { failed, given_up: givenUp, alone, wait, calls, all, source })
    return
  }
  own.failed += failed
  own.given_up += givenUp
  own.alone += alone
  own.wait += wait
  own.calls += pair.calls
  own.all += pair.failed
  if (pair.source < own.source) own.source = pair.source
}

/** What was counted of the calls of one entity to another. */
interface Counted {
  readonly caller: string
  readonly callee: string
  /** Id of the request that brought it, the least of several. */
  source: string
  /** Of each interval of normal time: the share that failed, and how long an answer took, ms. */
  readonly ratios: number[]
  readonly means: number[]
  /** Sums since the onset; the wait in ms, of so many answers. */
  calls: number
  failed: number
  wait: number
  waits: number
}

function pairOf(pairs: Map<string, Map<string, Counted>>, { caller, callee, source }: Edge): Counted {
  let called = pairs.get(caller)
  if (called === undefined) {
    called = new Map()
    pairs.set(caller, called)
  }
  let pair = called.get(callee)
  if (pair === undefined) {
    pair = { caller, callee, source, ratios: [], means: [], calls: 0, failed: 0, wait: 0, waits: 0 }
    called.set(callee, pair)
  }
  return pair
}
