/**
 * What tools counted of error lines, as series: fetched lines are a sample, a count is whole.
 *
 * Method: counts of one service side by side, with 0 where the tool was asked and names no line. How far a count lies
 * from normal is judged by its own chance (the root of what is expected, Poisson), which `series-shift.ts` knows by the
 * unit. Tools that give such a series themselves are left alone.
 */
import { compareText, severityOf } from '../records/log-templates.ts'
import { questionOf } from '../records/question-of.ts'
import type { LogCount, Series, Snapshot, SourceAsked } from '../records/snapshot.ts'

/** UCUM's annotation for things that are counted one by one. */
export const LINES = '{line}'
/** Intervals that one service's counts can fill; a day of minutes is a tenth of it. */
const MOST_INTERVALS = 14_400
/** How a tool names the series that it made of its own counts. */
const OWN_SERIES = /^log_error_lines/

/** Whether a series only counts error lines, which says no more than the lines. */
export const countsLines = ({ name }: Series): boolean => OWN_SERIES.test(name)

/** The snapshot with series of counted error lines; itself where nothing was counted. */
export function withCountedLines(snapshot: Snapshot): Snapshot {
  const counts = snapshot.log_counts.filter(
    ({ severity, interval_s }) =>
      severity !== undefined && severityOf(severity) === 'error' && interval_s > 0,
  )
  if (counts.length === 0) return snapshot
  const measured = new Set(snapshot.series.filter(countsLines).map(({ entity }) => entity))
  const errors = counts.filter(({ service }) => !measured.has(service))
  if (errors.length === 0) return snapshot
  const alike = Map.groupBy(snapshot.sources, questionOf)
  const sources = new Map(snapshot.sources.map((source) => [source.id, alike.get(questionOf(source)) ?? []]))
  const counted = [...Map.groupBy(errors, ({ service, interval_s }) => `${interval_s} ${service}`)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, counts]) => seriesOf(counts, sources))
  return { ...snapshot, series: [...snapshot.series, ...counted] }
}

/** @param sources - by the id of a question those that asked the same, of it or of another time */
function seriesOf(counts: readonly LogCount[], sources: ReadonlyMap<string, readonly SourceAsked[]>): Series {
  const { service, interval_s } = counts[0] as LogCount
  const byTime = new Map<number, number>()
  for (const { t0, count } of counts) byTime.set(t0, (byTime.get(t0) ?? 0) + count)
  const ids = [...new Set(counts.map(({ source }) => source))].sort(compareText)
  const first = counts.reduce((least, { t0 }) => Math.min(least, t0), Number.POSITIVE_INFINITY)
  // Who asked the same of another time and was told nothing of a service was told that there was nothing.
  for (const asked of new Set(ids.flatMap((id) => sources.get(id) ?? [])))
    fillWithNone(byTime, asked, first, interval_s * 1_000)
  const times = [...byTime.keys()].sort((a, b) => a - b)
  return {
    ...{ source: ids[0] as string, entity: service, name: 'log_error_lines', labels: {}, type: 'gauge' },
    ...{ unit: LINES, interval_s },
    times: Float64Array.from(times),
    values: Float64Array.from(times, (at) => byTime.get(at) as number),
  }
}

/** Where a tool answered in whole and names no line, there was none. */
function fillWithNone(
  byTime: Map<number, number>,
  asked: SourceAsked,
  first: number,
  intervalMs: number,
): void {
  if (asked.window === undefined || !(asked.outcome === 'answered' || asked.outcome === 'empty')) return
  const { from, to } = asked.window
  if ((to - from) / intervalMs > MOST_INTERVALS) return
  const begin = first + Math.ceil((from - first) / intervalMs) * intervalMs
  for (let at = begin; at + intervalMs <= to; at += intervalMs) if (!byTime.has(at)) byTime.set(at, 0)
}
