/**
 * What moved evenly: a straight line through a series, and one that never left a normal level told from where it began to where
 * it is.
 */

import type { Series } from '../records/snapshot.ts'
import { measuredOf, median, quantile } from '../statistics.ts'
import { readMetricName } from './metric-meaning.ts'
import { lowerBound, type SeriesShift } from './series-shift.ts'

/** Samples whose median is the level at either end. */
export const LEVEL_SAMPLES = 5

/**
 * The growth of a series as a shift from its first samples to its last before an instant.
 *
 * @param until - milliseconds since 1970, within the series
 */
export function trendOf(series: Series, until: number): SeriesShift {
  const to = lowerBound(series.times, until)
  const values = measuredOf(series.values.subarray(0, to))
  const from = series.times[0] as number
  const latest = values.at(-1) as number
  return {
    ...{ series, meaning: readMetricName(series.name), direction: 'up', is_bad: true, latest },
    before: median(values.subarray(0, LEVEL_SAMPLES)),
    during: median(values.subarray(-LEVEL_SAMPLES)),
    extreme: quantile(values, 1),
    z: 0,
    onset: { at: from, earliest: from, latest: series.times[1] as number },
    ended_at: null,
    normal_count: 0,
  }
}

/** Least time that shows a trend, ms, and least samples. */
const LEAST_MS = 30 * 60_000
const LEAST_SAMPLES = 20
/** Share of the variance that the line must explain. */
export const STRAIGHT = 0.9
/** Share of its first level that a series must have moved by: a day's work moves a memory by a few hundredths. */
const LEAST_GROWTH = 0.05
/** Share of the growth that the first third must have seen: a half of what an even one sees. */
const EARLY = 1 / 6

/** A straight line through the finite samples before an instant; null where they are too few or too short. */
export interface Line {
  /** Levels on the line at the first and at the last of them. */
  readonly first: number
  readonly last: number
  /** Share of the variance that it explains. */
  readonly explained: number
}

/** The straight line (least squares) through what was measured before an instant, milliseconds since 1970. */
export function lineThrough({ times, values }: Series, onset: number): Line | null {
  const to = lowerBound(times, onset)
  if (to < LEAST_SAMPLES) return null
  const from = times[0] as number
  if ((times[to - 1] as number) - from < LEAST_MS) return null
  let count = 0
  let [sumX, sumY, sumXX, sumXY, sumYY] = [0, 0, 0, 0, 0]
  for (let index = 0; index < to; index++) {
    const x = ((times[index] as number) - from) / LEAST_MS
    const y = values[index] as number
    if (!Number.isFinite(y)) continue
    count++
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  if (count < LEAST_SAMPLES) return null
  const xx = sumXX - (sumX * sumX) / count
  const xy = sumXY - (sumX * sumY) / count
  const yy = sumYY - (sumY * sumY) / count
  if (xx <= 0 || yy <= 0) return null
  const slope = xy / xx
  const length = ((times[to - 1] as number) - from) / LEAST_MS
  const first = (sumY - slope * sumX) / count
  return { first, last: first + slope * length, explained: (xy * xy) / (xx * yy) }
}

/**
 * Which way a series moved evenly for as long as it was measured before the onset, in whatever unit, and was on its way
 * by the end of the first third: what began to move later, something in between brought. Null where it did not.
 */
export function movedEvenly(series: Series, onset: number): 'up' | 'down' | null {
  const line = lineThrough(series, onset)
  if (line === null || !(line.first > 0) || line.explained < STRAIGHT) return null
  const moved = line.last - line.first
  if (Math.abs(moved) < LEAST_GROWTH * line.first) return null
  const { times, values } = series
  const to = lowerBound(times, onset)
  const third = measuredOf(values.subarray(0, Math.ceil(to / 3)))
  if (third.length < 2 * LEVEL_SAMPLES) return null
  const early = median(third.subarray(-LEVEL_SAMPLES)) - median(third.subarray(0, LEVEL_SAMPLES))
  if (early / moved < EARLY) return null
  return moved > 0 ? 'up' : 'down'
}

/** Whether it grew so. */
export const grewEvenly = (series: Series, onset: number): boolean => movedEvenly(series, onset) === 'up'
