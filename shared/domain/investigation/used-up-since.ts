/**
 * Since when something was used up that ran out when users felt it.
 *
 * What fails when it has run out was spent or filled from an earlier moment on: credits of a processor, a pool of
 * connections, a heap. That moment dates the cause better than the harm does, since it lies close behind what began it
 * (the fault comes before the error and that before the failure: Avizienis et al., Basic Concepts and Taxonomy of
 * Dependable and Secure Computing, 2004). So a change is held against both instants.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-credits-baseline-concepts.html
 */
import type { Observed } from './failing-services.ts'
import type { SeriesShift } from './series-shift.ts'

/** Share of its normal level at which what was free counts as used up, and share at which a use counts as full. */
const USED_UP = 0.1
const FULL = 0.9
/** By what factor a use without a known end must have grown to have been used up. */
const MULTIPLE = 3
/** How long before users felt it the spending must have begun to date anything by itself, ms: less is the same moment. */
const LEAD_MS = 2 * 60_000
/** How long after its beginning a slow change leaves the noise, ms. */
const SEEN_AFTER_MS = 5 * 60_000
/** Clocks of two tools differ by this much at most, ms. */
const CLOCK_TOLERANCE_MS = 60_000

function hasRunOut({ meaning, series, before, extreme }: SeriesShift): boolean {
  if (meaning.bad === 'down') return before > 0 && extreme <= USED_UP * before
  const whole = series.unit === '%' ? 100 : series.unit === '1' ? 1 : Number.NaN
  return Number.isFinite(whole) ? extreme >= FULL * whole : before > 0 && extreme >= MULTIPLE * before
}

/** A processor shares out a rate, of which nothing is left over for later; what it may spend beyond that is a stock. */
const isStock = ({ meaning }: SeriesShift): boolean => meaning.resource !== 'cpu' || meaning.bad === 'down'

/** What ran out, and began to be used up well before users felt it. */
export function usedUpBefore({ shifts, onset }: Observed): readonly SeriesShift[] {
  if (onset === null) return []
  return shifts.filter(
    (shift) =>
      shift.is_bad &&
      shift.meaning.meaning === 'saturation' &&
      isStock(shift) &&
      shift.onset.at <= onset.at - LEAD_MS &&
      (shift.ended_at === null || shift.ended_at > onset.at) &&
      hasRunOut(shift),
  )
}

/** What began to be used up there just after an instant; null where nothing did. */
export const usedUpAfter = (
  spent: readonly SeriesShift[],
  entity: string | null,
  at: number,
): SeriesShift | null =>
  spent.find(
    ({ series, onset }) =>
      series.entity === entity &&
      at <= onset.latest + CLOCK_TOLERANCE_MS &&
      at >= onset.earliest - SEEN_AFTER_MS,
  ) ?? null
