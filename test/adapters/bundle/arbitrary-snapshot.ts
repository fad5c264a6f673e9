import fc from 'fast-check'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

/** An instant as the format holds it: whole milliseconds, or microseconds as their fraction. */
const instant = fc
  .tuple(fc.integer({ min: Date.UTC(2000), max: Date.UTC(2100) }), fc.oneof(fc.constant(0), fc.nat(999)))
  .map(([whole, micro]) => whole + micro / 1000)
const wholeInstant = fc.integer({ min: Date.UTC(2000), max: Date.UTC(2100) })
const text = fc.string({ minLength: 1, unit: 'binary', maxLength: 12 })
const anyText = fc.string({ unit: 'grapheme', maxLength: 20 })
// JSON has no negative zero.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
const count = fc.nat(1e6)
const key = text.filter((name) => name !== '__proto__')
const labels = fc.dictionary(key, anyText, { maxKeys: 3, noNullPrototype: true })
const scalar = fc.oneof(anyText, number, fc.boolean(), fc.constant(null))
const attributes = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
  maxKeys: 3,
  noNullPrototype: true,
})
const span = (from: fc.Arbitrary<number>) =>
  fc
    .tuple(from, fc.integer({ min: 1, max: 1e8 }))
    .map(([start, length]) => ({ from: start, to: start + length }))
const SOURCES = ['series', 'logs', 's 3']
const source = fc.constantFrom(...SOURCES)

function record<Of extends object, Rest extends object>(
  required: { [Key in keyof Of]: fc.Arbitrary<Of[Key]> },
  optional: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> },
): fc.Arbitrary<Of & Partial<Rest>> {
  return fc.record({ ...required, ...optional } as never, {
    requiredKeys: Object.keys(required) as never[],
  }) as unknown as fc.Arbitrary<Of & Partial<Rest>>
}

const times = fc.oneof(
  fc
    .tuple(wholeInstant, fc.constantFrom(1, 15, 60), fc.nat(11))
    .map(([t0, step, length]) => Array.from({ length }, (_, index) => t0 + index * step * 1000)),
  fc.uniqueArray(instant, { maxLength: 8 }).map((list) => list.sort((a, b) => a - b)),
)
const series = fc
  .tuple(
    record(
      {
        source,
        entity: text,
        name: text,
        labels,
        type: fc.constantFrom<Series['type'][]>('gauge', 'counter', 'rate', 'histogram', 'summary'),
      },
      {
        type_guessed: fc.boolean(),
        unit: anyText,
        agg: anyText,
        interval_s: fc.constantFrom(1, 15, 60),
        query: anyText,
        window_of: text,
      },
    ),
    times,
    fc.array(fc.oneof(number, fc.constant(Number.NaN)), { minLength: 12, maxLength: 12 }),
  )
  .map(
    ([rest, at, values]): Series => ({
      ...rest,
      times: Float64Array.from(at),
      values: Float64Array.from(values.slice(0, at.length)),
    }),
  )

const list = <Of>(of: fc.Arbitrary<Of>) => fc.array(of, { maxLength: 4 })

/** Any snapshot that the format can hold. */
export const anySnapshot: fc.Arbitrary<Snapshot> = fc.record({
  format: fc.constant('incident-bundle/1' as const),
  window: span(instant.map(Math.floor)),
  baselines: fc
    .uniqueArray(
      text.filter((name) => name !== 'incident'),
      { maxLength: 3 },
    )
    .chain((names) =>
      fc.tuple(...names.map((name) => span(wholeInstant).map((window) => ({ name, ...window })))),
    ),
  sources: fc.tuple(
    ...SOURCES.map((id) =>
      record(
        {
          id: fc.constant(id),
          tool: text,
          query: anyText,
          outcome: fc.constantFrom('answered' as const, 'empty' as const, 'cut' as const, 'failed' as const),
          records: count,
        },
        { integration_id: text, window: span(wholeInstant), link: anyText, digest: anyText, detail: anyText },
      ),
    ),
  ),
  entities: fc.uniqueArray(
    record(
      {
        name: text,
        kind: fc.constantFrom('service' as const, 'pod' as const, 'external' as const),
        aliases: fc.uniqueArray(fc.record({ alias: text, learnt_from: anyText }), {
          maxLength: 2,
          selector: (alias) => JSON.stringify(alias),
        }),
      },
      { namespace: anyText, environment: anyText },
    ),
    { maxLength: 3, selector: (entity) => entity.name },
  ),
  alerts: list(
    record(
      { source, name: text, fired_at: instant },
      {
        service: anyText,
        metric: anyText,
        threshold: number,
        observed: number,
        resolved_at: instant,
        for_s: count,
        severity: anyText,
        summary: anyText,
        labels,
      },
    ),
  ),
  series: list(series),
  edges: list(
    record(
      { source, caller: text, callee: text, t0: instant, interval_s: fc.constantFrom(10, 60), calls: count },
      { failed: count, latency_sum_ms: count, latency_count: count },
    ),
  ),
  spans: list(
    record(
      {
        source,
        trace_id: text,
        span_id: text,
        parent_id: fc.option(text),
        service: text,
        name: anyText,
        start: instant,
        duration_us: count,
        status: anyText,
      },
      { instance: anyText, attributes },
    ),
  ),
  logs: list(
    record(
      { source, timestamp: instant, service: text, severity: anyText, message: anyText },
      { trace_id: anyText, span_id: anyText, instance: anyText, node: anyText, attributes },
    ),
  ),
  log_counts: list(
    record(
      { source, service: text, t0: instant, interval_s: fc.constantFrom(10, 60), count },
      { severity: anyText },
    ),
  ),
  changes: list(
    record(
      { source, id: text, recorded_at: instant, kind: fc.constantFrom('commit' as const, 'flag' as const) },
      {
        effective_at: span(wholeInstant),
        entity: text,
        title: anyText,
        before: anyText,
        after: anyText,
        actor: anyText,
        certainty: fc.constantFrom('recorded' as const, 'guessed' as const),
        carries: list(text),
        files: list(anyText),
        diff: fc.option(anyText),
      },
    ),
  ),
  k8s: list(
    record(
      { source, timestamp: instant, kind: text, name: text },
      { namespace: anyText, reason: anyText, message: anyText, count, attributes },
    ),
  ),
  events: list(
    record(
      { source, timestamp: instant, resource: text, kind: anyText, message: anyText },
      { service: anyText },
    ),
  ),
  statements: list(
    record(
      { source, start: instant, end: instant, statement: anyText, load: count },
      { waits: fc.dictionary(key, number, { maxKeys: 2, noNullPrototype: true }), calls_per_s: count },
    ).map((one) => ({ ...one, start: Math.min(one.start, one.end), end: Math.max(one.start, one.end) })),
  ),
  patterns: list(record({ source, signature: anyText, service: text, count }, { baseline_count: count })),
  status: list(
    record(
      {
        source,
        provider: text,
        events: list(record({ timestamp: instant, status: anyText }, { detail: anyText })),
      },
      { component: anyText },
    ),
  ),
  gaps: list(record({ what: anyText, why: anyText }, { source })),
}) as unknown as fc.Arbitrary<Snapshot>
