/**
 * A limit that nobody names: what a part uses grew evenly, and from the onset on it stands still at its highest.
 *
 * Method: what grows by itself goes on until something bounds it. A straight line through all that was measured before the
 * onset (least squares, `trend-of-series.ts`), and none after it: a count of handles, connections, threads, rows or sessions
 * that had room before and has none now, whatever its limit is. Users are hurt from the same minute on, so the limit is why
 * (the USE method: Gregg, Thinking Methodically about Performance, ACM Queue 2012: what is used to its whole takes no more work).
 * What grew for as long as it was measured no change of that time brought. A share of a known whole is told elsewhere.
 */

import { CONFIDENCE_CAP_CONSEQUENCE, CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { shareOf } from '../deviations/at-its-end.ts'
import { readMetricName } from '../deviations/metric-meaning.ts'
import { lowerBound } from '../deviations/series-shift.ts'
import { grewEvenly, trendOf } from '../deviations/trend-of-series.ts'
import { isSaidAtOnset, type Scene } from '../place/told-lines.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series } from '../records/snapshot.ts'
import { measuredOf, median, quantile, round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign } from './operational-cause.ts'

/** Samples since the onset that show a standstill. */
const LEAST_SAMPLES = 8
/** Share of what it grew by in as long before the onset that it may still move by: noise. */
const STILL = 0.2
/** Share of its highest that it must keep to: noise is less. */
const AT_TOP = 0.95
/** What each sign is worth: that it stands still at the onset is no chance, that the place complains anew shows that it matters. */
const REACHED = 0.5
const SAID = 0.35

/** What the first failing place used up without anybody saying how much there is, if anything. */
export function reachedLimit(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  const place = observed.first?.entity
  if (place === undefined || onset === null) return null
  const until = observed.normal.incident.to
  const series = seriesOf(snapshot.series, place).find(
    (one) => isStock(one) && grewEvenly(one, onset) && standsStill(one, onset, until),
  )
  if (series === undefined) return null
  const said = scene.lines.filter(
    ({ origin, entity, failing }) => origin === 'log' && entity === place && failing,
  )
  const isSaid = isSaidAtOnset(scene, said)
  const signs: readonly Sign[] = [
    ...shown(trendOf(series, until), REACHED),
    ...(isSaid ? said.slice(0, 1).map((line) => sign(line, SAID)) : []),
  ]
  return {
    ...{ kind: 'capacity', entity: place, signs, action: 'scale', is_placed: true },
    what: 'a limit that was reached by what grew by itself',
    score: round6(chanceOf(signs)),
    yields_to_changes: false,
    // How much there is nobody says, so it is likely at most.
    at_most: isSaid ? CONFIDENCE_CAP_CONSEQUENCE : CONFIDENCE_CAP_UNLINKED,
  }
}

/** A level of something that is kept, whose whole is not known. */
function isStock(series: Series): boolean {
  const { meaning, resource } = readMetricName(series.name)
  // A memory has its own signs: `filled-memory.ts`.
  const isKept = (meaning === 'saturation' || meaning === 'other') && resource !== 'memory'
  if (series.type !== 'gauge' || !isKept) return false
  const { values } = series
  let highest = 0
  for (let index = 0; index < values.length; index++) highest = Math.max(highest, values[index] as number)
  return Number.isNaN(shareOf(series, highest))
}

/** Whether it moved by next to nothing since the onset, beside what it did in as long before. */
function standsStill({ times, values }: Series, onset: number, until: number): boolean {
  const from = lowerBound(times, onset)
  const since = measuredOf(values.subarray(from, lowerBound(times, until)))
  const before = measuredOf(values.subarray(Math.max(0, from - since.length), from))
  if (since.length < LEAST_SAMPLES) return false
  // Whoever starts anew gives back what it used: that is no standstill.
  const level = median(since)
  return (
    Math.abs(growthOf(since)) <= STILL * growthOf(before) &&
    quantile(since, 0) >= AT_TOP * level &&
    level >= AT_TOP * quantile(before, 1)
  )
}

/** How far the later half lies above the earlier one. */
function growthOf(values: Float64Array): number {
  const middle = values.length >> 1
  return median(values.subarray(middle)) - median(values.subarray(0, middle))
}
