/**
 * A store that filled by itself: its use grew evenly for as long as it was measured and came to its end at the onset.
 *
 * Method: a straight line through the time before the onset (least squares), as `predict_linear` of Prometheus draws it. What
 * the line explains nearly wholly, from the first hour on, and leads to the end when the symptoms began, no change of the
 * last hour brought. What is said of memory stands in `filled-memory.ts`: what leaks is code that some change brought, however
 * long ago, so it takes more than a trend.
 * Source: https://prometheus.io/docs/prometheus/latest/querying/functions/#predict_linear
 */
import { shareOf } from '../deviations/at-its-end.ts'
import { readMetricName } from '../deviations/metric-meaning.ts'
import { lineThrough, STRAIGHT, trendOf } from '../deviations/trend-of-series.ts'
import { isSaidAtOnset, matching, placeToldOf, type Line as Said, type Scene } from '../place/told-lines.ts'
import type { Series } from '../records/snapshot.ts'
import type { OperationalCause } from './operational-cause.ts'
import { shown, sign } from './operational-cause.ts'

/** Use at which a store is full. */
const FULL = 0.97
/** Share of its capacity that it must have grown by: noise is less. */
const GROWN = 0.01

/**
 * Use from which there is no room for a step, so that noise may hide most of a line: no change of the hour took what was taken before.
 */
const NEXT_TO_FULL = 0.95
/** Share of the spread that a line must explain there: less is noise alone. */
const SEEN = 0.4

/** Whether a series of a used share grew evenly up to its end at the onset. */
export function filledSlowly(series: Series, onset: number): boolean {
  const line = lineThrough(series, onset)
  return (
    line !== null &&
    shareOf(series, line.last - line.first) >= GROWN &&
    line.explained >= (shareOf(series, line.first) >= NEXT_TO_FULL ? SEEN : STRAIGHT) &&
    shareOf(series, line.last) >= FULL
  )
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
    signs: [...shown(shift, TREND), ...said.slice(0, 2).map((line) => sign(line, SAID))],
    action: 'scale',
    yields_to_changes: false,
    is_whole: true,
  }
}
