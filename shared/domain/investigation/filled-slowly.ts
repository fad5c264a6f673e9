/**
 * A store that filled by itself: its use grew evenly for as long as it was measured and came to its end at the onset.
 *
 * Method: a straight line through the time before the onset (least squares), as `predict_linear` of Prometheus draws it. What
 * the line explains nearly wholly, from the first hour on, and leads to the end when the symptoms began, no change of the
 * last hour brought. What is said of memory stands in `filled-memory.ts`: what leaks is code that some change brought, however
 * long ago, so it takes more than a trend.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/functions/#predict_linear
 */
import { shareOf } from './at-its-end.ts'
import { readMetricName } from './metric-meaning.ts'
import type { OperationalCause } from './operational-cause.ts'
import { sign } from './operational-cause.ts'
import { lowerBound } from './series-shift.ts'
import type { Series } from './snapshot.ts'
import { median } from './statistics.ts'
import { isSaidAtOnset, matching, placeToldOf, type Line as Said, type Scene } from './told-lines.ts'
import { LEVEL_SAMPLES, trendOf } from './trend-of-series.ts'

/** Least time that shows a trend, ms, and least samples. */
const LEAST_MS = 30 * 60_000
const LEAST_SAMPLES = 20
/** Share of the variance that the line must explain. */
const STRAIGHT = 0.9
/** Use at which a store is full. */
const FULL = 0.97
/** Share of its capacity that it must have grown by: noise is less. */
const GROWN = 0.01
/** The same of its first level where the capacity is not known: a day's work moves a memory by a few hundredths. */
const LEAST_GROWTH = 0.05
/** Share of the growth that the first third must have seen: a half of what an even one sees. */
const EARLY = 1 / 6

/** A straight line through the finite samples before an instant; null where they are too few or too short. */
interface Line {
  /** Levels on the line at the first and at the last of them. */
  readonly first: number
  readonly last: number
  /** Share of the variance that it explains. */
  readonly explained: number
}

function lineThrough({ times, values }: Series, onset: number): Line | null {
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

/** Whether a series of a used share grew evenly up to its end at the onset. */
export function filledSlowly(series: Series, onset: number): boolean {
  const line = lineThrough(series, onset)
  return (
    line !== null &&
    shareOf(series, line.last - line.first) >= GROWN &&
    line.explained >= STRAIGHT &&
    shareOf(series, line.last) >= FULL
  )
}

/**
 * Whether a series grew evenly for as long as it was measured before the onset, in whatever unit, and was on its way by the
 * end of the first third: what began to grow later, something in between brought.
 */
export function grewEvenly(series: Series, onset: number): boolean {
  const line = lineThrough(series, onset)
  if (line === null || !(line.first > 0) || line.explained < STRAIGHT) return false
  if (line.last - line.first < LEAST_GROWTH * line.first) return false
  const { times, values } = series
  const to = lowerBound(times, onset)
  const third = values.subarray(0, Math.ceil(to / 3)).filter(Number.isFinite)
  if (third.length < 2 * LEVEL_SAMPLES) return false
  const grown = median(third.subarray(-LEVEL_SAMPLES)) - median(third.subarray(0, LEVEL_SAMPLES))
  return grown >= (line.last - line.first) * EARLY
}

/** How a text says that a disk is full. */
const DISK_FULL = /no space left|disk (is )?full|enospc/i
const sayingSo = (scene: Scene): readonly Said[] =>
  matching(scene, DISK_FULL).filter(({ origin }) => origin !== 'alert')

/** Whether somebody says that a disk is full: a volume is measured where it is mounted, which is a node. */
export const isDiskFull = (scene: Scene): boolean => sayingSo(scene).length > 0

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
  const said = sayingSo(scene)
  if (onset === null || !isSaidAtOnset(scene, said)) return null
  const place = placeToldOf(scene, said)
  const isOf = ({ entity }: Series): boolean =>
    entity === place || said.some((line) => line.entity === entity)
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
