/**
 * A change that is seen to have done something: a level of the very place moved after it, and what is known of the change with that.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { stepsWith } from '../place/told-lines.ts'
import type { Arrival } from './closeness.ts'
import { WRITES } from './place-of-changes.ts'

/** From when on a change may have done something: since it took effect, or where nobody recorded when, since its record. */
export const sinceOf = ({ change, effective }: Arrival): number =>
  effective.known ? effective.from : change.recorded_at

/** Whether a level moved between two instants in milliseconds, as far as clocks and samples tell. */
export const hasMoved = ({ onset }: SeriesShift, from: number, to: number): boolean =>
  onset.latest >= from - CLOCK_TOLERANCE_MS && onset.earliest <= to

/** Whether a level fell to a share of what it was, or to less, with the harm, and has stayed there. */
export const hasFallen = (shift: SeriesShift, onsetAt: number, share: number): boolean =>
  shift.direction === 'down' &&
  shift.ended_at === null &&
  shift.before > 0 &&
  shift.during <= share * shift.before &&
  stepsWith(shift, onsetAt)

/** When a change took effect: where nobody recorded it, as the level moved. */
export const effectSeen = (
  { effective }: Arrival,
  { onset: { earliest: from, latest: to } }: Pick<SeriesShift, 'onset'>,
): Arrival['effective'] => (effective.known ? effective : { from, to, known: true })

/** The same arrival at the very place where a level moved with it, in effect since then where nobody recorded when. */
export const seenAt = (arrival: Arrival, level: SeriesShift): Arrival => ({
  ...arrival,
  effective: effectSeen(arrival, level),
  place: {
    ...arrival.place,
    score: Math.max(arrival.place.score, WRITES),
    reaches: level.series.entity,
  },
})
