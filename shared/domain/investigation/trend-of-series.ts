/** A series that never left a normal level, since it moved evenly all the time, told from where it began to where it is. */
import { readMetricName } from './metric-meaning.ts'
import { lowerBound, type SeriesShift } from './series-shift.ts'
import type { Series } from './snapshot.ts'
import { median, quantile } from './statistics.ts'

/** Samples whose median is the level at either end. */
export const LEVEL_SAMPLES = 5

/**
 * The growth of a series as a shift from its first samples to its last before an instant.
 *
 * @param until - milliseconds since 1970, within the series
 */
export function trendOf(series: Series, until: number): SeriesShift {
  const to = lowerBound(series.times, until)
  const values = series.values.subarray(0, to).filter(Number.isFinite)
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
