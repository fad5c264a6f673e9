/**
 * What a service does of itself more or less often, while it is asked as ever.
 *
 * Method: a rate of work comes with those who ask, so that it moved says nothing of what runs there (conservation of flows,
 * `call-graph.ts`). Where the calls that a service answers are counted, and are as many as they were, its rate did not come with
 * them: it asks an outside interface less, polls more often, writes what it had left out. What moved so is as telling as any other level.
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import {
  type CallsOfInterval,
  callsByInterval,
  sumOfCalls,
  usualAndSince,
} from '../records/calls-by-interval.ts'
import { pairsTo } from '../records/calls-by-pair.ts'
import type { Edge } from '../records/snapshot.ts'

/** By what factor a rate steps at least: minutes of less make less. */
const STEPS = 1.5
/** Within what factor a service is asked as ever. */
const AS_EVER = 1.2

const isWithin = (factor: number, most: number): boolean => factor < most && factor > 1 / most

const meanOf = (intervals: readonly CallsOfInterval[]): number =>
  sumOfCalls(intervals).calls / intervals.length

/** Tells whether a rate stepped at a service whose counted calls are as many since as they were in normal time. */
export const ratesOfItsOwn =
  (edges: readonly Edge[], { normal }: Pick<Observed, 'normal'>) =>
  ({ series, before, during, onset }: SeriesShift): boolean => {
    if (before <= 0 || isWithin(during / before, STEPS)) return false
    const calls = callsByInterval(pairsTo(edges, series.entity))
    const { usual, since } = usualAndSince(calls, normal, onset.at)
    // Of no calls at all the factor is not a number, and neither within nor beyond anything.
    return isWithin(meanOf(since) / meanOf(usual), AS_EVER)
  }
