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
import { firstInstant, type Pair, pairsOf } from '../records/calls-by-pair.ts'
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Edge, Series, Snapshot } from '../records/snapshot.ts'
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
  { caller, callee, edges }: Pair,
  demandIn: (edge: Edge) => number,
  normal: NormalTime,
  onsetAt: number,
): MadeDemand | null {
  const counted = edges.filter(({ calls }) => calls !== undefined)
  const [first] = counted
  if (first === undefined) return null
  const { source } = first
  const usual: number[] = []
  const demands: number[] = []
  const later: { edge: Edge; demand: number }[] = []
  for (const edge of counted) {
    const demand = demandIn(edge)
    if (!(demand >= LEAST_CALLS)) continue
    if (isNormalTime(normal, edge.t0)) {
      usual.push((edge.calls as number) / demand)
      demands.push(demand)
    } else if (edge.t0 >= onsetAt - LEAD_MS && edge.t0 < normal.incident.to) later.push({ edge, demand })
  }
  const ratio = median(usual)
  const usualDemand = median(demands)
  if (usual.length < LEAST_NORMAL || !(ratio > 0)) return null
  let [intervals, excess, factor, since] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for (const { edge, demand } of later) {
    const answered = (edge.calls as number) - (edge.failed ?? 0)
    // Who fails may count fewer of those who ask: what it is asked is then not less than usual.
    const expected = ratio * Math.max(demand, usualDemand)
    const times = answered / expected
    if (answered < LEAST_CALLS || times < CLEARLY_MORE) continue
    intervals += 1
    excess += answered - expected
    factor = Math.max(factor, times)
    since = Math.min(since, edge.t0)
  }
  // What grew only after users were hurt is a consequence.
  if (since > onsetAt + SAME_TIME_MS) return null
  return intervals < LEAST_INTERVALS ? null : { caller, callee, factor, excess, since, source }
}

/**
 * What an entity was asked for in the interval of an edge: the calls to it, or its own count where nobody is known to call it
 * or it counts more, since somebody whom nobody counts asks it as well. Its calls are added up once.
 */
function demandReader({ edges, series }: Snapshot): (entity: string) => (edge: Edge) => number {
  const own = new Map<string, Series>()
  for (const one of seriesNamed(series, countsDemand))
    if (Object.keys(one.labels).length === 0) own.set(one.entity, one)
  const known = new Map<string, (edge: Edge) => number>()
  const first = firstInstant(edges)
  const calledBy = Map.groupBy(pairsOf(edges), ({ callee }) => callee)
  return (entity) => {
    const before = known.get(entity)
    if (before !== undefined) return before
    const asked = new Map<number, number>()
    for (const pair of calledBy.get(entity) ?? [])
      for (const { t0, calls } of pair.edges)
        if (calls !== undefined) asked.set(t0 - first, (asked.get(t0 - first) ?? 0) + calls)
    const rate = own.get(entity)
    const demandIn = ({ t0, interval_s }: Edge): number => {
      const value = rate?.values[lowerBound(rate.times, t0)]
      const counted = (value ?? Number.NaN) * interval_s
      if (asked.size === 0) return counted
      const called = asked.get(t0 - first) ?? Number.NaN
      return counted > called ? counted : called
    }
    known.set(entity, demandIn)
    return demandIn
  }
}
