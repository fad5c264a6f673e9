/**
 * Where a series leaves its normal level, and where it comes back.
 *
 * Method: an epidemic change point. Every sample becomes a clipped robust z-score, and the stretch whose
 * summed excess over a threshold is the largest is the deviation (the maximal scoring segment, found in one
 * pass: Kadane; Ruzzo and Tompa, ISMB 1999; for change points Levin and Kline, 1985). Clipping keeps one
 * spike from outweighing a lasting shift and lets a slow ramp count from where it first leaves the noise.
 */

import { type LevelBounds, upperMedian } from '../statistics.ts'

/** A sample further than this from normal says no more than this: 2 such samples already make a deviation. */
const CLIP = 8
/** Standard deviations that noise is allowed; 3 is the usual control-chart limit. */
const THRESHOLD = 3
/** Summed excess below which a stretch is noise: two samples at the clip, or ten at one above the threshold. */
const LEAST_TOTAL = 10

/** An instant with its uncertainty, all in milliseconds since the epoch. */
export interface Onset {
  readonly at: number
  readonly earliest: number
  readonly latest: number
}

/** A lasting departure from the normal level. Indices point into the series that was given. */
export interface Deviation {
  readonly direction: 'up' | 'down'
  readonly first: number
  /** Last index that still deviates. */
  readonly last: number
  readonly onset: Onset
  /** When the first normal sample after the deviation was taken; null when it lasts to the end. */
  readonly ended_at: number | null
  readonly total: number
}

/**
 * Finds the strongest lasting deviation of one direction or the other.
 * The onset lies between the last sample before it and one sampling interval after its first sample,
 * because a sample may sum up the interval that it opens.
 *
 * @param times - ascending instants in milliseconds
 * @param zScores - distance from normal in standard deviations; `NaN` where not measured
 * @param from - index of the instant of the first distance
 * @param count - how many distances there are
 * @param lasting - what ended before, epoch milliseconds, is none that matters
 * @returns null when nothing departs for long enough
 */
export function findDeviation(
  times: ArrayLike<number>,
  zScores: ArrayLike<number>,
  from = 0,
  count: number = zScores.length,
  lasting: number = Number.NEGATIVE_INFINITY,
): Deviation | null {
  const best = strongestStretch(zScores, count)
  if (best.total < LEAST_TOTAL) return null
  const ended = best.last < count - 1 ? (times[from + best.last + 1] as number) : null
  if (ended !== null && ended < lasting) return null
  const at = times[from + best.first] as number
  const interval = medianInterval(times, from, from + count)
  return {
    direction: best.sign > 0 ? 'up' : 'down',
    first: best.first,
    last: best.last,
    onset: {
      at,
      earliest: best.first > 0 ? Math.max(times[from + best.first - 1] as number, at - 2 * interval) : at,
      latest: at + interval,
    },
    ended_at: ended,
    total: best.total,
  }
}

/** What bounds of a level cannot tell for rounding, as a share of what a deviation sums up to. */
const BEYOND_DOUBT = 0.99

/**
 * Whether nothing of a stretch can depart from a level of which bounds are known: whichever way it goes, not even the worst
 * stretch of what is beyond noise at the worst sums up to a deviation. Where it may, `findDeviation` tells.
 */
export function isSurelyCalm(
  values: ArrayLike<number>,
  from: number,
  to: number,
  { low, high, spread }: LevelBounds,
): boolean {
  const limit = THRESHOLD * spread
  let total = 0
  for (let index = from; index < to; index++) {
    const value = values[index] as number
    const away = value - low > high - value ? value - low : high - value
    if (!(away > limit)) {
      // What was not measured ends no stretch.
      if (total > 0 && away <= limit) total = Math.max(0, total + away / spread - THRESHOLD)
      continue
    }
    total += Math.min(CLIP, away / spread) - THRESHOLD
    if (total >= BEYOND_DOUBT * LEAST_TOTAL) return false
  }
  return true
}

/**
 * Whether every sample of a stretch is surely within what noise is allowed of a level of which bounds are known: no deviation ends
 * in it, for the last sample of one is beyond noise.
 */
export function isSurelyNoise(
  values: ArrayLike<number>,
  from: number,
  to: number,
  { low, high, spread }: LevelBounds,
): boolean {
  const limit = BEYOND_DOUBT * THRESHOLD * spread
  for (let index = from; index < to; index++) {
    const value = values[index] as number
    if (value - low > limit || high - value > limit) return false
  }
  return true
}

interface Stretch {
  readonly sign: 1 | -1
  readonly first: number
  readonly last: number
  readonly total: number
}

/** The strongest stretch of both directions, found in one pass; upwards where both are the same. */
function strongestStretch(zScores: ArrayLike<number>, count: number): Stretch {
  let up = 0
  let upFrom = 0
  let upBest = 0
  let upFirst = 0
  let upLast = 0
  let down = 0
  let downFrom = 0
  let downBest = 0
  let downFirst = 0
  let downLast = 0
  for (let index = 0; index < count; index++) {
    const z = zScores[index] as number
    // Within what noise is allowed nothing begins, and no sum is there that it could end: most samples by far.
    if (up <= 0 && down <= 0 && Math.abs(z) <= THRESHOLD) continue
    if (!Number.isFinite(z)) continue
    const clipped = z > CLIP ? CLIP : z < -CLIP ? -CLIP : z
    if (up <= 0) {
      up = 0
      upFrom = index
    }
    up += clipped - THRESHOLD
    if (up > upBest) {
      upBest = up
      upFirst = upFrom
      upLast = index
    }
    if (down <= 0) {
      down = 0
      downFrom = index
    }
    down += -clipped - THRESHOLD
    if (down > downBest) {
      downBest = down
      downFirst = downFrom
      downLast = index
    }
  }
  return upBest >= downBest
    ? { sign: 1, first: upFirst, last: upLast, total: upBest }
    : { sign: -1, first: downFirst, last: downLast, total: downBest }
}

/** A sample of the gaps is enough: so many of them fix the median of a regular series. */
const ENOUGH_GAPS = 64
/** Kept between series, which need theirs only while they are looked at: a step leaves fewer than twice as many. */
const gaps = new Float64Array(2 * ENOUGH_GAPS)

/** The usual distance between samples of a stretch in milliseconds; 0 for fewer than two. */
export function medianInterval(times: ArrayLike<number>, from = 0, to: number = times.length): number {
  const length = to - from
  if (length < 2) return 0
  const step = Math.max(1, Math.floor((length - 1) / ENOUGH_GAPS))
  const first = (times[from + step] as number) - (times[from + step - 1] as number)
  let index = from + step
  while (index < to && (times[index] as number) - (times[index - 1] as number) === first) index += step
  if (index >= to) return first
  const count = Math.floor((length - 1) / step)
  for (let gap = 0; gap < count; gap++) {
    index = from + (gap + 1) * step
    gaps[gap] = (times[index] as number) - (times[index - 1] as number)
  }
  return upperMedian(gaps, count)
}
