/**
 * When a resource has come to its end: what was free is used up, or what is used is next to the whole.
 *
 * Which level tells depends on what is asked: what fails others still must be at its end for as long as it left normal
 * (`during`), while what ran out for a moment did run out (`extreme`).
 */

import type { Series } from '../records/snapshot.ts'
import type { SeriesShift } from './series-shift.ts'

/** Share of its normal level at which what was free counts as used up, and share at which a use counts as full. */
const USED_UP = 0.1
export const FULL = 0.9

/**
 * More than that of a whole is a count: "1" is the unit of whatever has none, of shares and of numbers of things alike.
 * @see https://ucum.org/ucum#section-Dimensionless-Units
 */
const MOST_SHARE = 1.5

/** A level of a series as a share of the whole; NaN where its unit does not tell the whole, or it is a count of things. */
export const shareOf = ({ unit }: Pick<Series, 'unit'>, level: number): number =>
  unit === '%' ? level / 100 : unit === '1' && level <= MOST_SHARE ? level : Number.NaN

/** Whether a resource came to its end, by one level of its shift; false where its unit does not tell the whole. */
export const isAtItsEnd = (shift: SeriesShift, level: 'during' | 'extreme'): boolean =>
  shift.meaning.bad === 'down'
    ? shift.before > 0 && shift.extreme <= USED_UP * shift.before
    : shareOf(shift.series, shift[level]) >= FULL
