/**
 * Whether calls are lost between everybody and everybody, and what all of them go through that fails with it.
 *
 * Method: agreement (Mill, A System of Logic, 1843, book III, chapter 8). Where much is lost inside many places at once, none
 * of them has most of it, and two of these call nobody that is known, no one of them is why: the two ends do not know each
 * other. What they have in common is what all calls go through, as names that are resolved, a mesh, a network, what hands
 * out credentials. Of such a part no call is counted; but it may be measured, and where it left normal with the onset and has
 * not come back while users are hurt, it failed first and what is lost between the others is what that does to them.
 */

import { stillHurtsUsers } from '../deviations/felt-symptoms.ts'
import { queueStateOf, storeStateOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { isCounted, pairsOf } from '../records/calls-by-pair.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { type CallGraph, type Flow, failedAt } from './call-graph.ts'
import type { FailingService } from './failing-service.ts'
import { storesAndQueues } from './stores-and-queues.ts'

/** Share of the calls to a place from which much is lost inside it. */
const MUCH = 0.1
/** Fewer places than this are a few that have trouble. */
const MANY = 3
/** Share of all that is lost from which one place has most of it. */
const MOST = 0.5
/** So many of them call nobody. */
const ENDS = 2
/** What all go through is asked again only when what was kept of it ends: caches of names keep them minutes, ms. */
const KEPT_MS = 5 * 60_000
/** Clocks and sampling of two parts differ by this much, ms. */
const SAME_TIME_MS = 120_000

/** Whether much is lost inside many places of which none explains the others. */
export function isLostEverywhere(
  flows: ReadonlyMap<string, Flow>,
  { callees }: Pick<CallGraph, 'callees'>,
): boolean {
  const all = [...flows.values()]
  const lost = all.reduce((sum, flow) => sum + failedAt(flow), 0)
  const places = all.filter((flow) => failedAt(flow) >= MUCH * flow.calls)
  const ends = places.filter(({ entity }) => (callees.get(entity)?.size ?? 0) === 0)
  return places.length >= MANY && ends.length >= ENDS && places.every((flow) => failedAt(flow) < MOST * lost)
}

/** The share of all that is lost which is lost inside one place, 0 to 1. */
export function shareOfLost(entity: string, flows: ReadonlyMap<string, Flow>): number {
  const flow = flows.get(entity)
  const lost = [...flows.values()].reduce((sum, one) => sum + failedAt(one), 0)
  return flow === undefined || lost <= 0 ? 0 : failedAt(flow) / lost
}

/** What is measured of a part whose users feel it, since the onset and still. */
const isLasting =
  (onsetAt: number) =>
  (shift: SeriesShift): boolean =>
    stillHurtsUsers(shift) &&
    shift.onset.earliest <= onsetAt + SAME_TIME_MS &&
    shift.onset.latest >= onsetAt - KEPT_MS

/** Whether something is kept there, or waits: what is stored or queued passes nothing on. */
const keeps = ({ series: { name } }: SeriesShift): boolean =>
  storeStateOf(name) !== null || queueStateOf(name) !== null

/**
 * The failing parts of which no call is counted while calls are, that fail from an onset on for as long as users are hurt.
 * @param onsetAt - milliseconds since 1970
 */
export function failingBesideCalls(
  failing: readonly FailingService[],
  snapshot: Pick<Snapshot, 'edges' | 'entities' | 'series'>,
  onsetAt: number,
): readonly FailingService[] {
  const counted = new Set(
    pairsOf(snapshot.edges)
      .filter(isCounted)
      .flatMap(({ caller, callee }) => [caller, callee]),
  )
  const kept = storesAndQueues(snapshot)
  return counted.size === 0
    ? []
    : failing.filter(
        ({ entity, shifts }) =>
          !counted.has(entity) && !kept.has(entity) && !shifts.some(keeps) && shifts.some(isLasting(onsetAt)),
      )
}
