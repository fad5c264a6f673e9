/** How long the engine takes over many long series, beside what reading the same data takes. */
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

const STEP_MS = 15_000
const FROM = Date.parse('2026-01-05T00:00:00Z')
const NAMES = [
  'http_requests_per_second',
  'http_errors_ratio',
  'latency_p95_ms',
  'cpu_usage_percent',
] as const
const ROUNDS = 15

/** So many series of so many points with noise; one in ten leaves its level in the last quarter. */
export function largeSnapshot(count: number, points: number): Snapshot {
  let state = 1
  const noise = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const times = Float64Array.from({ length: points }, (_, index) => FROM + index * STEP_MS)
  const series = Array.from(
    { length: count },
    (_, of): Series => ({
      source: 'metrics',
      entity: `entity-${of % 50}`,
      name: NAMES[of % NAMES.length] as string,
      labels: { pod: String(of) },
      type: 'gauge',
      times,
      values: times.map((_, index) => 10 + noise() + (of % 10 === 0 && index > points * 0.75 ? 8 : 0)),
    }),
  )
  const to = FROM + points * STEP_MS
  return {
    format: 'incident-bundle/1',
    window: { from: FROM, to },
    baselines: [],
    sources: [],
    entities: [],
    alerts: [
      { source: 'alerts', name: 'slow', service: 'entity-0', fired_at: FROM + points * 0.8 * STEP_MS },
    ],
    series,
    edges: [],
    spans: [],
    logs: [],
    log_counts: [],
    changes: [],
    k8s: [],
    events: [],
    statements: [],
    patterns: [],
    status: [],
    gaps: [],
  }
}

const timeOf = (work: () => unknown): number => {
  const started = performance.now()
  work()
  return performance.now() - started
}

/** Least of several runs each, by turns in one process: what else the machine does hits both alike, and least of all the least. */
export function againstParsing(): { readonly investigate_ms: number; readonly parse_ms: number } {
  const snapshot = largeSnapshot(500, 960)
  const text = JSON.stringify(
    snapshot.series.map(({ entity, name, labels, times, values }) => ({
      entity,
      name,
      labels,
      points: [...times].map((at, index) => [new Date(at).toISOString(), values[index]]),
    })),
  )
  let [investigate_ms, parse_ms] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS; round++) {
    investigate_ms = Math.min(
      investigate_ms,
      timeOf(() => investigate(snapshot)),
    )
    parse_ms = Math.min(
      parse_ms,
      timeOf(() => JSON.parse(text)),
    )
  }
  return { investigate_ms, parse_ms }
}
