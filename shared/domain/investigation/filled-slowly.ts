/**
 * A store that filled by itself: its use grew evenly for as long as it was measured and came to its end at the onset.
 *
 * Method: a straight line through the time before the onset (least squares), as `predict_linear` of Prometheus draws it. What
 * the line explains nearly wholly, from the first hour on, and leads to the end when the symptoms began, no change of the
 * last hour brought. Memory is left out: what leaks is code that some change brought, however long ago.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/functions/#predict_linear
 */
import { readMetricName } from './metric-meaning.ts'
import type { OperationalCause } from './operational-causes.ts'
import { lowerBound, type SeriesShift } from './series-shift.ts'
import type { Series } from './snapshot.ts'
import { median, quantile } from './statistics.ts'
import { isSaidAtOnset, type Line, matching, placeToldOf, type Scene, sign } from './told-lines.ts'

/** Least time that shows a trend, ms, and least samples. */
const LEAST_MS = 30 * 60_000
const LEAST_SAMPLES = 20
/** Share of the variance that the line must explain. */
const STRAIGHT = 0.9
/** Use at which a store is full. */
const FULL = 0.97
/** Share of its capacity that it must have grown by: noise is less. */
const GROWN = 0.01

/** Whether a series of a used share grew evenly up to its end at the onset. */
export function filledSlowly({ times, values, unit }: Series, onset: number): boolean {
  const whole = unit === '%' ? 100 : unit === '1' ? 1 : Number.NaN
  const to = lowerBound(times, onset)
  if (!Number.isFinite(whole) || to < LEAST_SAMPLES) return false
  const from = times[0] as number
  if ((times[to - 1] as number) - from < LEAST_MS) return false
  let count = 0
  let [sumX, sumY, sumXX, sumXY, sumYY] = [0, 0, 0, 0, 0]
  for (let index = 0; index < to; index++) {
    const x = ((times[index] as number) - from) / LEAST_MS
    const y = (values[index] as number) / whole
    if (!Number.isFinite(y)) continue
    count++
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  if (count < LEAST_SAMPLES) return false
  const xx = sumXX - (sumX * sumX) / count
  const xy = sumXY - (sumX * sumY) / count
  const yy = sumYY - (sumY * sumY) / count
  if (xx <= 0 || yy <= 0) return false
  const slope = xy / xx
  const length = ((times[to - 1] as number) - from) / LEAST_MS
  const atOnset = sumY / count + slope * (length - sumX / count)
  return slope * length >= GROWN && (xy * xy) / (xx * yy) >= STRAIGHT && atOnset >= FULL
}

/** How a text says that a disk is full. */
export const DISK_FULL = /no space left|disk (is )?full|enospc/i
/** What the trend is worth beside those who say that the disk is full, and what they are. */
const TREND = 0.6
const SAID = 0.6
const SURE = 0.9

/**
 * The store that filled by itself, where somebody says from the onset on that it is full. A used-up resource is half of an
 * answer because something used it up; here that is known: what is written every day.
 */
export function filledStore(scene: Scene): OperationalCause | null {
  const { onset, observed, snapshot } = scene
  const said = matching(scene, DISK_FULL).filter(({ origin }) => origin !== 'alert')
  if (onset === null || !isSaidAtOnset(scene, said)) return null
  const place = placeToldOf(scene, said)
  const isOf = ({ entity }: Series): boolean =>
    entity === place || said.some((line: Line) => line.entity === entity)
  const series = snapshot.series.find(
    (one) => readMetricName(one.name).resource === 'disk' && isOf(one) && filledSlowly(one, onset),
  )
  if (series === undefined) return null
  const shift =
    observed.shifts.find((one) => one.series === series) ?? trendOf(series, observed.normal.incident.to)
  return {
    ...{ kind: 'capacity', entity: series.entity, what: 'a disk that filled by itself', score: SURE },
    signs: [
      { strength: TREND, fact: { of: 'shift', shift } },
      ...said.slice(0, 2).map((line) => sign(line, SAID)),
    ],
    action: 'scale',
    yields_to_changes: false,
    is_whole: true,
  }
}

/** Samples whose median is the level at either end. */
const LEVEL_SAMPLES = 5

/** What grew evenly all the time never left a normal level: it is told from where it began to where it is. */
function trendOf(series: Series, until: number): SeriesShift {
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
