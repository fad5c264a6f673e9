/**
 * The same incident as somebody sees it whose tools tell less: a tool that is not connected, samples further apart, logs that were
 * kept for less time, clocks that differ, a look before anything is over. What happened is the same, so an answer that is sure then
 * has to be right as often.
 */
import type { Change, Edge, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

const MINUTE = 60_000
/** How far apart samples are that a cloud takes without being paid for more, ms. */
const FAR_APART_MS = 5 * MINUTE
/** Logs of the hour: what is left of them before the alert, ms. */
const LOGS_KEPT_MS = 30 * MINUTE
/** So many lines stand for one where logs are sampled. */
const SAMPLED = 10

export interface Lessened {
  readonly title: string
  readonly lessen: (snapshot: Snapshot) => Snapshot
}

/** When somebody was called: the alert that is about the incident is the first of the list. */
const calledAt = ({ alerts, window }: Snapshot): number => alerts[0]?.fired_at ?? window.to

/** What is left of a series between two instants, `to` excluded. */
function samplesWithin(series: Series, from: number, to: number): Series {
  const first = series.times.findIndex((at) => at >= from)
  const end = series.times.findIndex((at) => at >= to)
  const [begin, until] = [first < 0 ? series.times.length : first, end < 0 ? series.times.length : end]
  return { ...series, times: series.times.slice(begin, until), values: series.values.slice(begin, until) }
}

/** Means of what was sampled in each of so many milliseconds; of a counter its last value. */
function samplesApart(series: Series, apart: number): Series {
  const times: number[] = []
  const values: number[] = []
  let [sum, count] = [0, 0]
  for (const [index, at] of series.times.entries()) {
    const begin = Math.floor(at / apart) * apart
    const value = series.values[index] as number
    if (times.at(-1) !== begin) {
      times.push(begin)
      values.push(Number.NaN)
      ;[sum, count] = [0, 0]
    }
    if (Number.isNaN(value)) continue
    sum += value
    count++
    values[values.length - 1] = series.type === 'counter' ? value : sum / count
  }
  return {
    ...series,
    interval_s: apart / 1_000,
    times: Float64Array.from(times),
    values: Float64Array.from(values),
  }
}

/** Calls of longer intervals; what was not counted in one of them stays unknown in all. */
function callsApart(edges: readonly Edge[], apart: number): readonly Edge[] {
  const begun = (edge: Edge): Edge => ({
    ...edge,
    t0: Math.floor(edge.t0 / apart) * apart,
    interval_s: apart / 1_000,
  })
  const groups = Map.groupBy(edges.map(begun), ({ caller, callee, t0, source }) =>
    JSON.stringify([caller, callee, t0, source]),
  )
  return [...groups.values()].map(sumOfCalls)
}

function sumOfCalls([first, ...others]: readonly Edge[]): Edge {
  let all = first as Edge
  for (const { calls, failed, latency_sum_ms: sum, latency_count: count } of others)
    all = {
      ...all,
      ...defined('calls', plus(all.calls, calls)),
      ...defined('failed', plus(all.failed, failed)),
      ...defined('latency_sum_ms', plus(all.latency_sum_ms, sum)),
      ...defined('latency_count', plus(all.latency_count, count)),
    }
  return all
}

const plus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

const defined = (name: string, value: number | undefined): Readonly<Record<string, number>> =>
  value === undefined ? {} : { [name]: value }

/** Everything that was known at an instant. */
function knownAt(snapshot: Snapshot, to: number): Snapshot {
  const isBefore = ({ timestamp }: { readonly timestamp: number }): boolean => timestamp < to
  const isCounted = ({ t0, interval_s }: { readonly t0: number; readonly interval_s: number }): boolean =>
    t0 + interval_s * 1_000 <= to
  return {
    ...snapshot,
    window: { ...snapshot.window, to },
    baselines: snapshot.baselines.filter((baseline) => baseline.to <= to),
    alerts: snapshot.alerts
      .filter(({ fired_at }) => fired_at < to)
      .map(({ resolved_at, ...alert }) =>
        resolved_at !== undefined && resolved_at < to ? { ...alert, resolved_at } : alert,
      ),
    series: snapshot.series.map((series) => samplesWithin(series, Number.NEGATIVE_INFINITY, to)),
    edges: snapshot.edges.filter(isCounted),
    spans: snapshot.spans.filter(({ start }) => start < to),
    logs: snapshot.logs.filter(isBefore),
    log_counts: snapshot.log_counts.filter(isCounted),
    changes: snapshot.changes.filter(({ recorded_at }) => recorded_at < to),
    k8s: snapshot.k8s.filter(isBefore),
    events: snapshot.events.filter(isBefore),
    statements: snapshot.statements.filter(({ end }) => end <= to),
    status: snapshot.status.map((page) => ({ ...page, events: page.events.filter(isBefore) })),
  }
}

/** Changes as a tool records them whose clock differs by so many milliseconds. */
const changesLater = (snapshot: Snapshot, by: number): Snapshot => ({
  ...snapshot,
  changes: snapshot.changes.map(
    (change): Change => ({
      ...change,
      recorded_at: change.recorded_at + by,
      ...(change.effective_at === undefined
        ? {}
        : { effective_at: { from: change.effective_at.from + by, to: change.effective_at.to + by } }),
    }),
  ),
})

const withoutTraces = (snapshot: Snapshot): Snapshot => ({ ...snapshot, edges: [], spans: [] })

const withoutLogs = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  logs: [],
  log_counts: [],
  patterns: [],
})

/** As a cloud samples that is not paid for more. */
const sampledApart = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  series: snapshot.series.map((series) => samplesApart(series, FAR_APART_MS)),
  edges: callsApart(snapshot.edges, FAR_APART_MS),
})

/** What tools may tell less, first all that they tell. */
export const LESSENED: readonly Lessened[] = [
  { title: 'all', lessen: (snapshot) => snapshot },
  { title: 'a minute after the alert', lessen: (snapshot) => knownAt(snapshot, calledAt(snapshot) + MINUTE) },
  {
    title: 'five minutes after the alert',
    lessen: (snapshot) => knownAt(snapshot, calledAt(snapshot) + 5 * MINUTE),
  },
  { title: 'samples five minutes apart', lessen: (snapshot) => sampledApart(snapshot) },
  {
    title: 'samples five minutes apart, no traces',
    lessen: (snapshot) => sampledApart(withoutTraces(snapshot)),
  },
  {
    title: 'logs from half an hour before the alert',
    lessen: (snapshot) => {
      const from = calledAt(snapshot) - LOGS_KEPT_MS
      return {
        ...snapshot,
        logs: snapshot.logs.filter(({ timestamp }) => timestamp >= from),
        log_counts: snapshot.log_counts.filter(({ t0 }) => t0 >= from),
      }
    },
  },
  {
    title: 'one line of ten',
    lessen: (snapshot) => ({
      ...snapshot,
      logs: snapshot.logs.filter((_, index) => index % SAMPLED === 0),
    }),
  },
  { title: 'changes 90 s late', lessen: (snapshot) => changesLater(snapshot, 90_000) },
  { title: 'changes 90 s early', lessen: (snapshot) => changesLater(snapshot, -90_000) },
  { title: 'changes an hour late', lessen: (snapshot) => changesLater(snapshot, 60 * MINUTE) },
  { title: 'changes an hour early', lessen: (snapshot) => changesLater(snapshot, -60 * MINUTE) },
  { title: 'no traces', lessen: withoutTraces },
  { title: 'no logs', lessen: withoutLogs },
  { title: 'no traces, no logs', lessen: (snapshot) => withoutTraces(withoutLogs(snapshot)) },
  { title: 'no records of platforms', lessen: (snapshot) => ({ ...snapshot, k8s: [], events: [] }) },
  { title: 'no measurements', lessen: (snapshot) => ({ ...snapshot, series: [] }) },
  { title: 'no records of changes', lessen: (snapshot) => ({ ...snapshot, changes: [] }) },
  {
    title: 'logs and changes alone',
    lessen: (snapshot) => ({
      ...snapshot,
      ...{ series: [], edges: [], spans: [], k8s: [], events: [], statements: [] },
    }),
  },
  { title: 'no alerts', lessen: (snapshot) => ({ ...snapshot, alerts: [] }) },
]
