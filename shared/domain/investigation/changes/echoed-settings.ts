/**
 * A level that moved exactly as a setting in the diff did.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Arrival } from './closeness.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, quantityOf } from './read-diff.ts'

/** A level follows its setting when the change arrives, or as soon as a rollout is through, ms. */
const FOLLOWS_MS = 15 * 60_000

/** Whether a series moved where the change arrived and, where that is known, when it did: numbers meet by chance. */
export const isEchoOf =
  ({ place, effective }: Arrival) =>
  ({ series, onset }: SeriesShift): boolean =>
    (place.reaches === null || series.entity === place.reaches) &&
    (!effective.known ||
      (onset.latest >= effective.from - CLOCK_TOLERANCE_MS && onset.earliest <= effective.to + FOLLOWS_MS))

/**
 * A setting in the diff and a series that moved between the same two values.
 * @param mayEcho - whether a series is of the place and time of the change
 */
export function findEcho(
  diff: DiffReading,
  all: readonly SeriesShift[],
  mayEcho: (shift: SeriesShift) => boolean,
): RankedChange['echo'] {
  for (const setting of diff.settings) {
    const before = quantityOf(setting.before)
    const after = quantityOf(setting.after)
    // Most settings are no numbers, or such as occur everywhere, and need not be held against what moved.
    if (before === null || after === null || !isTelling(before, after)) continue
    for (const shift of all)
      if ((hasMoved(shift, 1, before, after) || hasMoved(shift, 1_000, before, after)) && mayEcho(shift))
        return { setting, shift }
  }
  return null
}

/** Whether a series moved from one value to another, told in so many of its unit. */
const hasMoved = (shift: SeriesShift, scale: number, from: number, to: number): boolean =>
  isNear(shift.before * scale, from) && isNear(shift.during * scale, to)
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 0.01 * Math.abs(b) + 1e-9
/** 0 and 1 occur everywhere; a pair of them proves nothing. */
export const isTelling = (a: number, b: number): boolean => a > 1 || b > 1
