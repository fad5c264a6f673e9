/**
 * Containers that stop and begin anew time after time since a version of theirs was rolled out.
 *
 * Method: two versions of one thing (Hill, The environment and disease: association or causation?, 1965: temporality,
 * specificity). Restarts of a service's containers are counted, hardly any were there before, and they begin again and again
 * within a quarter of an hour after another version of that very service came, and while users are hurt. What runs there is
 * what was rolled out last, so that is likelier than that old and new begin to stop of themselves in these minutes. Left
 * out is a service whose memory was filling before, as that ends whatever runs.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
 */
import { countsRestarts, type SeriesShift } from '../deviations/series-shift.ts'
import { movedEvenly } from '../deviations/trend-of-series.ts'
import type { Observed } from '../place/failing-services.ts'
import { LEAD_MS, outlasts } from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Arrival } from './closeness.ts'
import { isRollout } from './place-of-changes.ts'

/** Fewer are a chance one. */
const LEAST_RESTARTS = 2
/** Restarts in normal time, as a share of those since, above which they are nothing new. */
const USUAL = 0.1

const isMemory = ({ meaning, direction }: SeriesShift): boolean =>
  meaning.resource === 'memory' && meaning.meaning === 'saturation' && direction === 'up'

/** Whether memory of a part that begins anew had been filling, and before a rollout. */
const filledBefore = ({ shifts }: Observed, { series, onset }: SeriesShift, instant: number): boolean =>
  shifts.some(
    (shift) =>
      shift.series.entity === series.entity &&
      isMemory(shift) &&
      shift.onset.at <= onset.at &&
      (shift.onset.at < instant || movedEvenly(shift.series, onset.at) !== null),
  )

/** What counts restarts that go on since users are hurt, where there were next to none. */
const restartsOf = (observed: Observed): readonly SeriesShift[] =>
  observed.shifts.filter(
    (shift) =>
      countsRestarts(shift.series.name) &&
      shift.series.type !== 'counter' &&
      shift.direction === 'up' &&
      shift.during - shift.before >= LEAST_RESTARTS &&
      shift.before <= USUAL * shift.during &&
      outlasts(observed, shift),
  )

/** Since when a rollout of that very part is in effect; null for anything else. */
function rolledOutAt(
  { change, rollout, effective, place, trivial }: Arrival,
  part: string,
  names: EntityNames,
): number | null {
  const brought = rollout ?? (isRollout(change) ? change : null)
  const isOwn = brought?.entity !== undefined && names.canonical(brought.entity) === part
  return isOwn && place.reaches === part && trivial === null && effective.known ? effective.from : null
}

/** The same arrivals; the last rollout of containers that begin anew again and again since then has that to show. */
export function withRestarted(
  arrivals: readonly Arrival[],
  observed: Observed,
  names: EntityNames,
): readonly Arrival[] {
  const restarts = restartsOf(observed)
  if (restarts.length === 0) return arrivals
  const lastBefore = (part: string, at: number): number =>
    Math.max(
      ...arrivals.flatMap((arrival) => {
        const time = rolledOutAt(arrival, part, names)
        return time === null || time > at ? [] : [time]
      }),
    )
  return arrivals.map((arrival) => {
    if (arrival.seen !== undefined || arrival.stopped !== undefined) return arrival
    const seen = restarts.find((shift) => {
      const { series, onset } = shift
      const time = rolledOutAt(arrival, series.entity, names)
      return (
        time !== null &&
        time <= onset.earliest &&
        time >= onset.earliest - LEAD_MS &&
        time === lastBefore(series.entity, onset.earliest) &&
        !filledBefore(observed, shift, time)
      )
    })
    return seen === undefined ? arrival : { ...arrival, seen }
  })
}
