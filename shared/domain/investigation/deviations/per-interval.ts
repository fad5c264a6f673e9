/**
 * What is counted, as how many in each interval: totals since a process began, numbers per second or minute, and what is
 * counted per interval already.
 *
 * A sample stands for the interval that it opens. Of a total, that is the one from its sample to the next.
 */
import { compareText, sortedBy } from '../records/log-templates.ts'
import type { Series } from '../records/snapshot.ts'
import { medianInterval } from './change-point.ts'
import { intervalOf, overRows, type RowReading, rowReading, rowsOf, valueInRow } from './sample-rows.ts'
import { isOfCopy } from './version-contrast.ts'

/** How two totals next to each other lie apart at most, in intervals; more than that, samples between them are missing. */
const NEXT = 1.5
/** Samples closer than this share of an interval were taken together. */
const SAME = 0.5
/** Intervals between two totals that are filled at most; a longer time was not measured at all. */
const MOST_FILLED = 10

const PER_SECOND = /(^|_|\.)(per_?sec(ond)?|rps|qps|tps|ps)$/i
const PER_MINUTE = /(^|_|\.)per_?min(ute)?$/i

/** Seconds that a number is told for; null where it is told for the interval of its sample. */
function secondsOf({ type, unit = '', name }: Series): number | null {
  if (/\/(min|minute)$/i.test(unit)) return 60
  if (/\/(s|sec|second)$/i.test(unit)) return 1
  if (PER_MINUTE.test(name)) return 60
  return type === 'rate' || PER_SECOND.test(name) ? 1 : null
}

/** Whether a series is told per second or minute. */
export const isPerTime = (series: Series): boolean => secondsOf(series) !== null

/**
 * A series of counts as counts in each interval, `agg` `sum`; itself where that is what it tells.
 *
 * @param since - when the same was counted first of others, ms: a total that appears later was zero until then, as Prometheus'
 * clients have it for a label that nothing had yet
 */
export function perInterval(series: Series, since: number = Number.POSITIVE_INFINITY): Series {
  const { unit: _, ...rest } = series
  if (isTotal(series)) return { ...rest, ...increases(series, since), type: 'gauge', agg: 'sum' }
  const seconds = secondsOf(series)
  if (seconds === null) return series
  const interval = series.interval_s ?? medianInterval(series.times) / 1_000
  return {
    ...{ ...rest, type: 'gauge', agg: 'sum' },
    values: timesInterval(series.values, interval, seconds),
  }
}

/** What is told for so many seconds, for an interval. */
function timesInterval(values: Float64Array, interval: number, seconds: number): Float64Array {
  const counts = new Float64Array(values.length)
  for (let index = 0; index < values.length; index++)
    counts[index] = ((values[index] as number) * interval) / seconds
  return counts
}

/** Totals since a process began. */
export const isTotal = ({ type, name }: Series): boolean =>
  type === 'counter' || ((type === 'histogram' || type === 'summary') && /_(sum|count)$/i.test(name))

function increases(series: Series, since: number): Pick<Series, 'times' | 'values'> {
  const interval = series.interval_s === undefined ? medianInterval(series.times) : 1_000 * series.interval_s
  const times: number[] = []
  const values: number[] = []
  let from = Number.NaN
  let earlier = Number.NaN
  for (let index = 0; index < series.times.length; index++) {
    const to = series.times[index] as number
    const now = series.values[index] as number
    if (!Number.isFinite(now)) continue
    // A total that appears had grown from zero in the interval before.
    if (Number.isNaN(earlier) && to - since > SAME * interval) {
      from = to - interval
      earlier = 0
    }
    if (!Number.isNaN(earlier)) {
      // A reset counts from zero: Prometheus' rule.
      const grown = now >= earlier ? now - earlier : now
      const missed = to - from > NEXT * interval ? Math.round((to - from) / interval) : 1
      const parts = missed > MOST_FILLED ? 1 : missed
      for (let part = 0; part < parts; part++) {
        times.push(from + part * ((to - from) / parts))
        values.push(missed > MOST_FILLED ? Number.NaN : grown / parts)
      }
    }
    from = to
    earlier = now
  }
  return { times: Float64Array.from(times), values: Float64Array.from(values) }
}

/** By their labels, then by who told them. */
const inFixedOrder = (parts: readonly Series[]): readonly Series[] =>
  parts.length < 2
    ? parts
    : sortedBy(
        sortedBy(parts, ({ source }) => source),
        ({ labels }) => JSON.stringify(labels),
      )

/**
 * Several counts of the same entity as one; null of none. What one of them did not measure in an interval is left out of the
 * sum: copies come and go, and a status that nothing ended with has no count.
 */
export function addedUp(parts: readonly Series[]): Series | null {
  const [first, ...others] = sortedBy(inFixedOrder(parts), ({ name }) => name)
  if (first === undefined || others.length === 0) return first ?? null
  const rowMs = Math.max(...parts.map(intervalOf))
  const rows = rowsOf(
    parts.map(({ times }) => times),
    rowMs,
  )
  const read = [first, ...others].map((one) => rowReading(one, rowMs))
  const { interval_s: _, ...rest } = first
  return {
    ...{ ...rest, labels: {}, interval_s: rowMs / 1_000 },
    ...overRows(rows, (at) => sumAt(read, at)),
  }
}

/** What several tell of an instant, added up; `NaN` where none of them does. */
function sumAt(read: readonly RowReading[], at: number): number {
  let sum = 0
  let count = 0
  for (const reading of read) {
    const value = valueInRow(reading, at)
    if (!Number.isFinite(value)) continue
    sum += value
    count += 1
  }
  return count === 0 ? Number.NaN : sum
}

/** Rows in which a copy that was not measured counts as in the last before: that long a scrape may fail, and no copy is gone. */
const KEPT_ROWS = 2

/** How several levels of one entity are made one: the mean of them, or the highest or lowest where that is what they are. */
export type Joining = 'mean' | 'highest' | 'lowest'

/** A level, and how often it was called where that counts. */
interface Weighted {
  readonly level: RowReading
  readonly calls: RowReading | null
}

/** What was measured in a row, or in one of the last before. */
function keptAt(reading: RowReading, at: number): number {
  for (let back = 0; back <= KEPT_ROWS; back++) {
    const value = valueInRow(reading, at - back * reading.rowMs)
    if (Number.isFinite(value)) return value
  }
  return Number.NaN
}

/** What several levels are in a row as one; `NaN` where none was measured. */
function joinedAt(read: readonly Weighted[], joining: Joining, at: number): number {
  let count = 0
  let sum = 0
  let weights = 0
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const { level, calls } of read) {
    const value = keptAt(level, at)
    if (!Number.isFinite(value)) continue
    const weight = calls === null ? 1 : keptAt(calls, at)
    if (!(weight > 0)) continue
    count += 1
    weights += weight
    sum += value * weight
    lowest = Math.min(lowest, value)
    highest = Math.max(highest, value)
  }
  if (count === 0) return Number.NaN
  return joining === 'highest' ? highest : joining === 'lowest' ? lowest : sum / weights
}

/**
 * Levels of an entity's copies or parts as one; null of none. A mean counts each by how often it was called in the interval,
 * where `callsOf` knows it of all, else all alike; what one of them did not measure for longer than a failed scrape is left out
 * of it.
 * @see https://prometheus.io/docs/prometheus/latest/querying/basics/#staleness
 */
export function joined(
  parts: readonly Series[],
  joining: Joining,
  callsOf: (part: Series) => Series | undefined,
): Series | null {
  const [first, ...others] = inFixedOrder(parts)
  if (first === undefined || others.length === 0) return first ?? null
  const all = [first, ...others]
  const rowMs = Math.max(...all.map(intervalOf))
  const rows = rowsOf(
    all.map(({ times }) => times),
    rowMs,
  )
  const calls = all.flatMap((one) => callsOf(one) ?? [])
  const isCounted = joining === 'mean' && calls.length === all.length
  const read = all.map((one, index) => ({
    level: rowReading(one, rowMs),
    calls: isCounted ? rowReading(calls[index] as Series, rowMs) : null,
  }))
  const { labels } = first
  const shared = Object.entries(labels).filter(([name, value]) =>
    all.every((one) => one.labels[name] === value),
  )
  return {
    ...{ ...first, labels: Object.fromEntries(shared), interval_s: rowMs / 1_000 },
    ...overRows(rows, (at) => joinedAt(read, joining, at)),
  }
}

/** Labels that tell where a copy runs, so that copies in several places are copies all the same. */
const PLACE_LABEL = /^(region|aws_region|cloud_region|zone|az|availability_?zone|cluster|datacenter|dc)$/i

/**
 * Of series of one entity and form those that are levels of the same: copies of the one that tells it most plainly, or all
 * parts of it, where calls were counted of each.
 */
export function partsOf(
  list: readonly Series[],
  callsOf: (part: Series) => Series | undefined,
): readonly Series[] {
  const [first] = list
  if (first === undefined || list.length === 1) return list
  if (list.every((one) => callsOf(one) !== undefined)) return list
  const rest = ({ labels }: Series): string =>
    JSON.stringify(
      Object.entries(labels)
        .filter(([name]) => !isOfCopy(name) && !PLACE_LABEL.test(name))
        .sort(([a], [b]) => compareText(a, b)),
    )
  return list.filter((one) => rest(one) === rest(first))
}
