/**
 * Since when something was used up that ran out when users felt it.
 *
 * What fails when it has run out was spent or filled from an earlier moment on: credits of a processor, a pool of
 * connections, a heap. That moment dates the cause better than the harm does, since it lies close behind what began it
 * (the fault comes before the error and that before the failure: Avizienis et al., Basic Concepts and Taxonomy of
 * Dependable and Secure Computing, 2004). So a change is held against both instants. What moved evenly from the first sample on (`trend-of-series.ts`) has
 * no such moment in sight: when it left its noise says how wide the noise is, and no change of that time began it.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-credits-baseline-concepts.html
 */

import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { isAtItsEnd, shareOf } from '../deviations/at-its-end.ts'
import { asRate, lowerBound, type SeriesShift } from '../deviations/series-shift.ts'
import { movedEvenly } from '../deviations/trend-of-series.ts'
import type { Observed } from '../place/failing-services.ts'
import { holdsOn } from '../place/told-lines.ts'

/** By what factor a use without a known end must have grown to have been used up. */
const MULTIPLE = 3
/** How long before users felt it the spending must have begun to date anything by itself, ms: less is the same moment. */
const LEAD_MS = 2 * 60_000
/** How long after its beginning a slow change leaves the noise, ms. */
const SEEN_AFTER_MS = 5 * 60_000
/**
 * Share of the way from what was normal to what is, above which a sample has left normal. What ran out has grown to threefold at
 * least, so that a twentieth of its way is a tenth of normal: more than a level wavers by.
 */
const LEFT_NORMAL = 0.05

const isUnbounded = ({ meaning, series, extreme }: SeriesShift): boolean =>
  meaning.bad === 'up' && Number.isNaN(shareOf(series, extreme))

const hasRunOut = (shift: SeriesShift): boolean =>
  isUnbounded(shift)
    ? shift.before > 0 && shift.extreme >= MULTIPLE * shift.before
    : isAtItsEnd(shift, 'extreme')

/** A processor shares out a rate, of which nothing is left over for later; what it may spend beyond that is a stock. */
const isStock = ({ meaning }: SeriesShift): boolean => meaning.resource !== 'cpu' || meaning.bad === 'down'

/** What ran out, began to be used up well before users felt it, and was used up for as long as they did. */
export function usedUpBefore({ shifts, onset, first }: Observed): readonly SeriesShift[] {
  if (onset === null) return []
  return shifts.filter(
    (shift) =>
      shift.is_bad &&
      shift.meaning.meaning === 'saturation' &&
      isStock(shift) &&
      shift.onset.at <= onset.at - LEAD_MS &&
      (shift.ended_at === null || shift.ended_at > onset.at) &&
      holdsOn({ first }, shift) &&
      hasRunOut(shift) &&
      movedEvenly(shift.series, onset.at) === null,
  )
}

/**
 * What began to be used up there just after an instant; null where nothing did, and where something else of that place was being
 * used up already: what runs out there had begun by then.
 */
export function usedUpAfter(
  spent: readonly SeriesShift[],
  entity: string | null,
  at: number,
): SeriesShift | null {
  const there = spent.filter(({ series }) => series.entity === entity)
  const isBegun = there.some(({ onset }) => at > onset.latest + CLOCK_TOLERANCE_MS)
  return isBegun ? null : (there.find((shift) => at >= beganToGrow(shift) - SEEN_AFTER_MS) ?? null)
}

/**
 * When what was used up began to be so. A deviation is looked for in the time of the incident, so what left normal before is found
 * at the beginning of that time: back from there, the first of the samples that all have left normal. In milliseconds.
 */
export function beganToGrow({ series, before, during, onset }: SeriesShift): number {
  const { times, values } = asRate(series)
  let began = onset.earliest
  for (let index = lowerBound(times, onset.earliest) - 1; index >= 0; index -= 1) {
    const way = ((values[index] as number) - before) / (during - before)
    if (!(way > LEFT_NORMAL)) break
    began = times[index] as number
  }
  return began
}
