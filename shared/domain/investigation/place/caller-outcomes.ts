/**
 * What each caller of one entity met, as counted: where some fail and others are served as ever, it is not down, and what
 * fails lies between it and them (their credentials, their way to it).
 */
import { beginningWithin, intervalsOf, sumOfCalls } from '../records/calls-by-interval.ts'
import { pairsOfOthersTo } from '../records/calls-by-pair.ts'
import type { Edge } from '../records/snapshot.ts'

/** Calls since the onset below which a caller tells nothing. */
const LEAST_CALLS = 30
/** Share of its calls from which a caller fails there, and up to which it is served as ever. */
const FAILS = 0.1
const IS_SERVED = 0.02

export interface CallerOutcomes {
  /** Callers that fail there, and those that do not. */
  readonly fail: readonly string[]
  readonly served: readonly string[]
}

/**
 * @param from - milliseconds since 1970; calls of intervals that begin before it do not count, nor do those from `to` on
 */
export function outcomesByCaller(
  edges: readonly Edge[],
  entity: string,
  from: number,
  to: number,
): CallerOutcomes {
  const known = pairsOfOthersTo(edges, entity)
    .map((pair) => ({ caller: pair.caller, ...sumOfCalls(beginningWithin(intervalsOf(pair), from, to)) }))
    .filter(({ calls }) => calls >= LEAST_CALLS)
  const callersWith = (isIt: (share: number) => boolean): readonly string[] =>
    known.flatMap(({ caller, calls, failed }) => (isIt(failed / calls) ? [caller] : [])).sort()
  return {
    fail: callersWith((share) => share >= FAILS),
    served: callersWith((share) => share <= IS_SERVED),
  }
}
