/**
 * Series of different entities in the same rows, so that what one exceeds can be taken off what another does.
 *
 * Tools and machines sample at times of their own: scrapes are spread over the interval, clocks differ by seconds, one
 * service is sampled five times as often as another. A row is the interval that a sample of one entity opens.
 * @see https://prometheus.io/docs/prometheus/latest/querying/basics/#staleness (the nearest sample stands for an instant)
 */

import type { Series } from '../records/snapshot.ts'
import { median, medianWithin, normalLevel } from '../statistics.ts'
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

/**
 * The instants that open rows of a length in milliseconds, ascending; of two closer than half of it the earlier.
 * @param lists - the instants of each series
 */
export function rowsOf(lists: readonly ArrayLike<number>[], rowMs: number): readonly number[] {
  const rows: number[] = []
  const all = allInstants(lists)
  for (let index = 0; index < all.length; index++) {
    const at = all[index] as number
    const last = rows[rows.length - 1]
    if (last === undefined || at - last >= rowMs / 2) rows.push(at)
  }
  return rows
}

/** The instants of several series, ascending. Series that a tool samples together tell the same, and count once. */
function allInstants(lists: readonly ArrayLike<number>[]): ArrayLike<number> {
  let left = lists.filter((list, index) => index === 0 || !isSame(list, lists[index - 1] ?? [])).map(inOrder)
  // Two by two, so that of many none is gone over again and again.
  while (left.length > 1) {
    const merged: ArrayLike<number>[] = []
    for (let index = 0; index < left.length; index += 2)
      merged.push(mergedOf(left[index] as ArrayLike<number>, left[index + 1] ?? []))
    left = merged
  }
  return left[0] ?? []
}

/** Instants ascending, as they lie in nearly every series. */
function inOrder(list: ArrayLike<number>): ArrayLike<number> {
  for (let index = 1; index < list.length; index++)
    if ((list[index] as number) < (list[index - 1] as number)) return Float64Array.from(list).sort()
  return list
}

/** Two ascending lists as one. */
function mergedOf(one: ArrayLike<number>, other: ArrayLike<number>): Float64Array {
  const merged = new Float64Array(one.length + other.length)
  let [own, others] = [0, 0]
  for (let index = 0; index < merged.length; index++) {
    const isOwn =
      others >= other.length || (own < one.length && (one[own] as number) <= (other[others] as number))
    merged[index] = (isOwn ? one[own++] : other[others++]) as number
  }
  return merged
}

function isSame(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false
  return true
}

/**
 * Reads a series in rows of a length in milliseconds: the sample nearest to the instant that opens the row, less than half a
 * row away (or before it by half), of several copies at one instant their mean; of one sampled finer the mean of what lies in
 * the row, and what was added up per sample is added up per row.
 * @returns the value in the row that an instant opens; `NaN` where nothing was measured
 */
export function inRows(series: Series, rowMs: number): (at: number) => number {
  const reading = rowReading(series, rowMs)
  return (at) => valueInRow(reading, at)
}

/** What {@link inRows} reads, for those who read many rows of many series by `valueInRow`. */
export function rowReading(series: Series, rowMs: number): RowReading {
  const { times, values } = series
  const ownMs = intervalOf(series)
  const isFiner = ownMs < FINER * rowMs
  const perRow = isFiner && NAMED_SUM.test(series.agg ?? '') ? rowMs / ownMs : 1
  return { times, values, rowMs, isFiner, perRow, begin: 0 }
}

/** A series that is read in rows. */
export interface RowReading extends Pick<Series, 'times' | 'values'> {
  readonly rowMs: number
  readonly isFiner: boolean
  readonly perRow: number
  /** Rows are read one after the other as a rule: each begins near where the one before did. */
  begin: number
}

/** What {@link inRows} tells of the row that an instant opens. It is no function of each series, which would be compiled anew. */
export function valueInRow(reading: RowReading, at: number): number {
  const { times, values, rowMs, isFiner, perRow } = reading
  const from = isFiner ? at : at - rowMs / 2
  const to = isFiner ? at + rowMs : at + rowMs / 2
  reading.begin = boundFrom(times, from, reading.begin)
  let sum = 0
  let count = 0
  let nearest = Number.POSITIVE_INFINITY
  let nearestAt = Number.NaN
  for (let index = reading.begin; index < times.length; index++) {
    const time = times[index] as number
    if (time >= to) break
    const value = values[index] as number
    if (!Number.isFinite(value)) continue
    const away = Math.abs(time - at)
    if (isFiner || time === nearestAt) {
      sum += value
      count += 1
    } else if (away < nearest) {
      nearest = away
      nearestAt = time
      sum = value
      count = 1
    }
  }
  return count === 0 ? Number.NaN : (perRow * sum) / count
}

/** A level in each row, by the instant that opens it. */
export function overRows(
  rows: readonly number[],
  valueIn: (at: number) => number,
): { readonly times: Float64Array; readonly values: Float64Array } {
  const times = new Float64Array(rows)
  const values = new Float64Array(times.length)
  for (let index = 0; index < times.length; index++) values[index] = valueIn(times[index] as number)
  return { times, values }
}

/** Samples that are looked at before an instant is searched for among all. */
const NEAR = 8

/** What `lowerBound` gives, looked for behind an index that is likely to be near. */
function boundFrom(times: Float64Array, at: number, near: number): number {
  if (near > 0 && !((times[near - 1] as number) < at)) return lowerBound(times, at)
  for (let index = near; index < near + NEAR; index++)
    if (index >= times.length || !((times[index] as number) < at)) return index
  return lowerBound(times, at)
}

/** Standard deviations from which rows before an alert are no longer calm: the control-chart limit. */
const SIGNIFICANT = 3
/** Share of the later rise that such rows show: what only begins, or was there before and grew, is not the incident itself. */
const RISEN = 0.5
/** Rows on each side of an alert that are looked at: two hours of minutes, longer than conditions have to hold as a rule. */
const MOST_ROWS = 120

/**
 * The sum of distances from the medians of two parts.
 * @param most - a split that costs as much before all of it is added up is none
 */
function apart(values: Float64Array, split: number, most: number): number {
  let sum = 0
  for (let half = 0; half < 2; half++) {
    const from = half === 0 ? 0 : split
    const to = half === 0 ? split : values.length
    const middle = medianWithin(values, from, to)
    for (let index = from; index < to; index++) {
      const value = values[index] as number
      if (Number.isFinite(value)) sum += Math.abs(value - middle)
    }
    if (sum >= most) return sum
  }
  return sum
}

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
  const values = Float64Array.from(all.slice(from, before + MOST_ROWS))
  const alerted = before - from
  let calm = alerted
  let least = apart(values, alerted, Number.POSITIVE_INFINITY)
  for (let split = alerted - 1; split >= 1; split--) {
    const cost = apart(values, split, least)
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
