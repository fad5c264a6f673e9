/**
 * Series of different entities in the same rows, so that what one exceeds can be taken off what another does.
 *
 * Tools and machines sample at times of their own: scrapes are spread over the interval, clocks differ by seconds, one
 * service is sampled five times as often as another. A row is the interval that a sample of one entity opens.
 * @see https://prometheus.io/docs/prometheus/latest/querying/basics/#staleness (the nearest sample stands for an instant)
 */

import type { Series } from '../records/snapshot.ts'
import { median, normalLevel } from '../statistics.ts'
import { medianInterval } from './change-point.ts'
import { lowerBound } from './series-shift.ts'

/** Milliseconds of an interval that neither the tool nor a second sample tells: what most tools scrape at. */
const USUAL_INTERVAL_MS = 60_000
/** Sampled at less than this share of a row's length, several samples make up a row; more is jitter of the same interval. */
const FINER = 0.75
const NAMED_SUM = /^(sum|count|samplecount)$/i

/** Milliseconds from one sample to the next: as the tool says, else as they lie. */
export const intervalOf = ({ interval_s, times }: Series): number =>
  interval_s === undefined ? medianInterval(times) || USUAL_INTERVAL_MS : interval_s * 1000

/** The instants that open rows of a length in milliseconds, ascending; of two closer than half of it the earlier. */
export function rowsOf(instants: readonly number[], rowMs: number): readonly number[] {
  const rows: number[] = []
  for (const at of [...instants].sort((a, b) => a - b))
    if (rows.length === 0 || at - (rows.at(-1) as number) >= rowMs / 2) rows.push(at)
  return rows
}

/**
 * Reads a series in rows of a length in milliseconds: the sample nearest to the instant that opens the row, less than half a
 * row away (or before it by half), of several copies at one instant their mean; of one sampled finer the mean of what lies in
 * the row, and what was added up per sample is added up per row.
 * @returns the value in the row that an instant opens; `NaN` where nothing was measured
 */
export function inRows(series: Series, rowMs: number): (at: number) => number {
  const { times, values } = series
  const ownMs = intervalOf(series)
  const isFiner = ownMs < FINER * rowMs
  const perRow = isFiner && NAMED_SUM.test(series.agg ?? '') ? rowMs / ownMs : 1
  return (at) => {
    const [from, to] = isFiner ? [at, at + rowMs] : [at - rowMs / 2, at + rowMs / 2]
    let sum = 0
    let count = 0
    let nearest = Number.POSITIVE_INFINITY
    let nearestAt = Number.NaN
    for (let index = lowerBound(times, from); index < times.length; index++) {
      const away = Math.abs((times[index] as number) - at)
      const value = values[index] as number
      if ((times[index] as number) >= to) break
      if (!Number.isFinite(value)) continue
      if (isFiner || (times[index] as number) === nearestAt) {
        sum += value
        count += 1
      } else if (away < nearest) {
        nearest = away
        nearestAt = times[index] as number
        sum = value
        count = 1
      }
    }
    return count === 0 ? Number.NaN : (perRow * sum) / count
  }
}

/** Standard deviations from which rows before an alert are no longer calm: the control-chart limit. */
const SIGNIFICANT = 3
/** Share of the later rise that such rows show: what only begins, or was there before and grew, is not the incident itself. */
const RISEN = 0.5
/** Rows on each side of an alert that are looked at: two hours of minutes, longer than conditions have to hold as a rule. */
const MOST_ROWS = 120

/**
 * How many of the rows before an alert were calm. A condition has to hold for minutes before an alert fires, and who is told
 * adds his own, so that rows before it may be as bad as those after it.
 *
 * Method: the split of all rows into two levels with the least sum of distances from their medians (Bai, Estimation of a
 * change-point by least absolute deviations, Econometric Theory 1995), at or before the alert.
 * @param all - of the rows in their order, worse upwards; `NaN` where not measured
 * @param before - how many of them had ended when the alert's condition began to hold
 * @param share - spread below which the level is called constant, as a share of it
 * @param floor - the same in units of the value
 */
export function calmBefore(all: readonly number[], before: number, share: number, floor: number): number {
  const from = Math.max(0, before - MOST_ROWS)
  const values = all.slice(from, before + MOST_ROWS)
  const alerted = before - from
  const apart = (split: number): number =>
    [values.slice(0, split), values.slice(split)].reduce((sum, part) => {
      const middle = median(part)
      return part.reduce(
        (total, value) => total + (Number.isFinite(value) ? Math.abs(value - middle) : 0),
        sum,
      )
    }, 0)
  let calm = alerted
  let least = apart(alerted)
  for (let split = alerted - 1; split >= 1; split--) {
    const cost = apart(split)
    if (cost >= least) continue
    calm = split
    least = cost
  }
  const level = normalLevel(values.slice(0, calm), share, () => floor)
  if (level === null) return before
  const rise = median(values.slice(calm, alerted)) - level.middle
  const later = median(values.slice(alerted)) - level.middle
  return rise >= SIGNIFICANT * level.spread && rise >= RISEN * later ? from + calm : before
}
