/**
 * Who makes more calls of the same demand: a feature that asks more often, a cache that forgets, a query in a loop.
 *
 * Method: conservation of calls. A service passes on its own demand at a usual ratio of calls per request; what it calls
 * beyond that it makes itself. A call that is tried again follows one that failed, so there are at most as many of these
 * as calls that fail: only what remains after taking off every failed call is made by something else than trying again
 * (the work that retries add is bounded by failures: Bronson et al., Metastable Failures in Distributed Systems, HotOS
 * 2021). Needs counted calls; who was never called before has no usual ratio.
 */

import { keptByName } from '../deviations/metric-words.ts'
import { lowerBound } from '../deviations/series-shift.ts'
import {
  type CallsOfInterval,
  callsAt,
  callsByInterval,
  intervalsOf,
  usualAndSince,
} from '../records/calls-by-interval.ts'
import { type Pair, pairsOf, pairsTo, sourceOf } from '../records/calls-by-pair.ts'
import type { NormalTime } from '../records/normal-time.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { median } from '../statistics.ts'

/** By what factor calls per request grow before it tells something: more than a share of users or of pages does by day. */
const CLEARLY_MORE = 1.3
/** Intervals that must show it, of which one may be chance and two a burst. */
const LEAST_INTERVALS = 3
/** Intervals of normal time that give a usual ratio. */
const LEAST_NORMAL = 5
/** How long before users felt it what uses something up may have begun, ms. */
const LEAD_MS = 15 * 60_000
/** An interval of counting, ms: what begins within one began at the same time. */
const SAME_TIME_MS = 60_000
/** Whether a name is of what is asked in all, per second. */
const countsDemand = keptByName((name) => /(^|_)(requests?|calls)_per_(second|sec|s)$/i.test(name))
/** Calls in an interval below which a ratio is chance. */
const LEAST_CALLS = 30

export interface MadeDemand {
  readonly caller: string
  readonly callee: string
  /** Calls per request against the usual, at their most, without those that failed. */
  readonly factor: number
  /** Calls beyond the usual that no failed call explains. */
  readonly excess: number
  readonly since: number
  readonly source: string
}

/** Every pair whose calls grew beyond their demand, most calls first. */
export function demandMadeInside(
  snapshot: Snapshot,
  normal: NormalTime,
  onsetAt: number,
): readonly MadeDemand[] {
  const demandOf = demandReader(snapshot)
  return pairsOf(snapshot.edges)
    .flatMap((pair) => madeOf(pair, demandOf(pair.caller), normal, onsetAt) ?? [])
    .sort((a, b) => b.excess - a.excess || b.factor - a.factor || a.since - b.since)
}

function madeOf(
  pair: Pair,
  demandIn: (interval: CallsOfInterval) => number,
  normal: NormalTime,
  onsetAt: number,
): MadeDemand | null {
  const { usual, since: later } = usualAndSince(intervalsOf(pair), normal, onsetAt - LEAD_MS)
  const ratios: number[] = []
  const demands: number[] = []
  for (const one of usual) {
    const demand = demandIn(one)
    if (!(demand >= LEAST_CALLS)) continue
    ratios.push(one.calls / demand)
    demands.push(demand)
  }
  const ratio = median(ratios)
  const usualDemand = median(demands)
  if (ratios.length < LEAST_NORMAL || !(ratio > 0)) return null
  let [intervals, excess, factor, since] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for (const one of later) {
    const demand = demandIn(one)
    if (!(demand >= LEAST_CALLS)) continue
    const answered = one.calls - one.failed
    // Who fails may count fewer of those who ask: what it is asked is then not less than usual.
    const expected = ratio * Math.max(demand, usualDemand)
    const times = answered / expected
    if (answered < LEAST_CALLS || times < CLEARLY_MORE) continue
    intervals += 1
    excess += answered - expected
    factor = Math.max(factor, times)
    since = Math.min(since, one.t0)
  }
  // What grew only after users were hurt is a consequence.
  if (since > onsetAt + SAME_TIME_MS) return null
  if (intervals < LEAST_INTERVALS) return null
  return { caller: pair.caller, callee: pair.callee, factor, excess, since, source: sourceOf(pair) }
}

/**
 * What an entity was asked for in an interval of calls: the calls to it, or its own count where nobody is known to call it
 * or it counts more, since somebody whom nobody counts asks it as well.
 */
function demandReader({
  edges,
  series,
}: Snapshot): (entity: string) => (interval: CallsOfInterval) => number {
  const own = new Map<string, Series>()
  for (const one of seriesNamed(series, countsDemand))
    if (Object.keys(one.labels).length === 0) own.set(one.entity, one)
  return (entity) => {
    const asked = callsByInterval(pairsTo(edges, entity))
    const rate = own.get(entity)
    return ({ t0, interval_s }) => {
      const value = rate?.values[lowerBound(rate.times, t0)]
      const counted = (value ?? Number.NaN) * interval_s
      if (asked.length === 0) return counted
      const called = callsAt(asked, t0)
      return counted > called ? counted : called
    }
  }
}
