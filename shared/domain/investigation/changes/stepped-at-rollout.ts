/**
 * What a service measures of itself and stepped when a change arrived there, before anybody was hurt.
 *
 * Method: three instants of which chance seldom lets two meet (Hill, The environment and disease: association or causation?,
 * 1965: temporality, specificity). A level of the very part that a change reached left normal in the minutes in which it
 * took effect, is off for as long as users are hurt, and was off before they were, so that no harm can be why: how often a
 * cache is asked in vain, how many connections are open, how long a statement runs. What it is need not be known. Left out is what
 * steps for other reasons all day: demand, which comes with those who ask; a processor, which is busy with any job; what moved
 * evenly, which has no such moment (`trend-of-series.ts`).
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { isBusy, isFelt } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { movedEvenly } from '../deviations/trend-of-series.ts'
import type { Observed } from '../place/failing-services.ts'
import { outlasts } from '../place/told-lines.ts'
import type { Edge } from '../records/snapshot.ts'
import { asksOtherwise } from './asks-otherwise.ts'
import type { Arrival } from './closeness.ts'

/** How soon after it arrived a level shows what it does, ms: two samples of a minute. */
export const SHOWS_WITHIN_MS = 2 * 60_000

/** What stepped by itself before users were hurt, and stays, at places that changes reached. */
export function stepsBefore(
  arrivals: readonly Arrival[],
  observed: Observed,
  edges: readonly Edge[],
): readonly SeriesShift[] {
  const { shifts, onset } = observed
  if (onset === null) return []
  const reached = new Set(
    arrivals.flatMap(({ place: { reaches }, trivial }) =>
      trivial === null && reaches !== null ? [reaches] : [],
    ),
  )
  return [...shifts, ...asksOtherwise(edges, reached, observed)].filter(
    (shift) =>
      !isFelt(shift) &&
      !isBusy(shift) &&
      !shift.meaning.is_demand &&
      (shift.is_bad || shift.meaning.meaning === 'other') &&
      shift.onset.latest < onset.earliest - CLOCK_TOLERANCE_MS &&
      outlasts(observed, shift) &&
      movedEvenly(shift.series, onset.at) === null,
  )
}

/** The step with which a change arrived; null where nothing stepped there then. */
export const steppedWith = (
  steps: readonly SeriesShift[],
  { place, effective, trivial }: Arrival,
): SeriesShift | null =>
  trivial !== null || !effective.known
    ? null
    : (steps.find(
        ({ series, onset }) =>
          series.entity === place.reaches &&
          onset.latest >= effective.from - CLOCK_TOLERANCE_MS &&
          onset.earliest <= effective.from + SHOWS_WITHIN_MS,
      ) ?? null)
