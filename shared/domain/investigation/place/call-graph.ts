/**
 * Who calls whom, and how much of a caller's failing and waiting arises inside it.
 *
 * Sources in this order: edges that a tool counted, parent and child spans, and error lines in which one
 * entity names another (a guess, used only where it is not mutual). Attribution uses conservation: what a
 * caller fails or waits beyond normal, less what its callees do, is its own (PetShop's traversal, Hardt et
 * al., CLeaR 2024, refined by subtraction of flows).
 */

import type { SpanTree } from '../deviations/span-tree.ts'
import {
  type CallCounts,
  intervalsOf,
  sumOfCalls,
  usualAndSince,
  usualShare,
  usualWait,
} from '../records/calls-by-interval.ts'
import { type Pair, pairsOf, sourceOf } from '../records/calls-by-pair.ts'
import type { NormalTime } from '../records/normal-time.ts'
import type { Edge, Snapshot } from '../records/snapshot.ts'

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
  for (const pair of pairsOf(snapshot.edges)) {
    const counted = countedOf(pair, normal, onsetAt)
    if (counted === null) continue
    const { caller, callee } = pair
    const { failed, wait } = counted
    const givenUp = isWell(callee) ? failed : 0
    const alone = givenUp === 0 && isAlone(caller, callee) ? failed : 0
    addExcess(excess, callee, counted, givenUp, alone)
    const given = handed.get(caller) ?? { failed: 0, wait: 0 }
    given.failed += failed - givenUp - alone
    given.wait += wait
    handed.set(caller, given)
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

/** What one caller met since the onset. */
interface Counted {
  /** Failed calls and milliseconds of waiting beyond what is usual. */
  readonly failed: number
  readonly wait: number
  readonly sum: CallCounts
  /** Id of the request that brought it, the least of several. */
  readonly source: string
}

/** What the calls of a pair came to since the onset; null where none were counted. */
function countedOf(pair: Pair, normal: NormalTime, onsetAt: number): Counted | null {
  const { usual, since } = usualAndSince(intervalsOf(pair), normal, onsetAt)
  if (since.length === 0) return null
  const sum = sumOfCalls(since)
  const share = usualShare(usual)
  const wait = usualWait(usual)
  return {
    failed: Math.max(0, sum.failed - (Number.isNaN(share) ? 0 : share) * sum.calls),
    wait: Number.isNaN(wait) ? 0 : Math.max(0, sum.wait - wait * sum.waits),
    ...{ sum, source: sourceOf(pair) },
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
  callee: string,
  { failed, wait, sum: { calls, failed: all }, source }: Counted,
  givenUp: number,
  alone: number,
): void {
  const own = excess.get(callee)
  if (own === undefined) {
    excess.set(callee, { failed, given_up: givenUp, alone, wait, calls, all, source })
    return
  }
  own.failed += failed
  own.given_up += givenUp
  own.alone += alone
  own.wait += wait
  own.calls += calls
  own.all += all
  if (source < own.source) own.source = source
}
