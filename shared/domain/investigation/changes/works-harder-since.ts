/**
 * A store that works harder since a service that asks it has it put together more for each answer.
 *
 * Method: the utilisation law (Denning and Buzen, The Operational Analysis of Queueing Network Models, 1978): how busy a store is
 * is how often it is asked times what each answer takes. A release of who asks it, whose diff adds joins, groups or sums that the
 * store has to reckon, makes each answer take more; that it became busy minutes after, and while users are hurt, is what that
 * release is seen to do, though the release was made elsewhere and the store serves others as well. It says so of no release that
 * only asks as ever: then one who asks is as likely as another.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { storeWorkOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { putsTogether } from './mechanisms.ts'
import { WRITES } from './place-of-changes.ts'

/** By what factor a store is busier than it was: a busy hour makes less. */
const BUSIER = 2

/** How long after the release it may become busy at the latest, ms: instances are replaced one by one, and users come back. */
const WITHIN_MS = 15 * 60_000

/** What a store measures of its own work: what it uses of its machine, and what it reads. */
const isOwnWork = ({ series, meaning }: SeriesShift): boolean =>
  (meaning.meaning === 'saturation' && meaning.resource === 'cpu') || storeWorkOf(series.name) === 'works'

/** What tells that stores work harder while users are hurt. */
const harderWork = (observed: Observed, stores: ReadonlySet<string>): readonly SeriesShift[] =>
  observed.shifts.filter(
    (shift) =>
      shift.direction === 'up' &&
      shift.during >= BUSIER * shift.before &&
      stores.has(shift.series.entity) &&
      isOwnWork(shift) &&
      outlasts(observed, shift) &&
      observed.onset !== null &&
      shift.onset.at <= observed.onset.at + NEAR_MS,
  )

/** The same arrivals; what has a store put together more is seen by that it works harder since, and is next to that store. */
export function withHarderWork(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Pick<Snapshot, 'entities' | 'series'>,
): readonly Arrival[] {
  const asking = new Set(
    arrivals.filter(
      ({ diff, effective, trivial, seen, stopped }) =>
        trivial === null &&
        seen === undefined &&
        stopped === undefined &&
        effective.known &&
        putsTogether(diff) > 0,
    ),
  )
  if (asking.size === 0) return arrivals
  const harder = harderWork(observed, storesAndQueues(snapshot))
  return arrivals.map((arrival) => {
    const { effective, place } = arrival
    const asked = asking.has(arrival) ? observed.graph.callees.get(place.reaches ?? '') : undefined
    const seen = harder.find(
      ({ series, onset }) =>
        asked?.has(series.entity) === true &&
        onset.latest >= effective.from - CLOCK_TOLERANCE_MS &&
        onset.at <= effective.from + WITHIN_MS,
    )
    return seen === undefined
      ? arrival
      : { ...arrival, seen, place: { ...place, score: Math.max(place.score, WRITES) } }
  })
}
