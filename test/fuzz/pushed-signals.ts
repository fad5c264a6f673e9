import fc from 'fast-check'
import type { Meanings } from './schema-arbitraries.ts'

/** The longest interval that is taken, seconds. */
const MOST_SECONDS = 2_678_400

/** Nothing is taken of a time that is still to come; this is in 2023. */
const PAST_MS = 1.7e12

const past = fc.integer({ min: 0, max: PAST_MS }).map((at) => new Date(at).toISOString())
const instantsInOrder = fc
  .uniqueArray(fc.integer({ min: 0, max: PAST_MS }), { maxLength: 6 })
  .map((all) => all.toSorted((a, b) => a - b).map((at) => new Date(at).toISOString()))
const measured = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0))
/** A series has its values in one of two forms, which the document cannot say. */
const pushedSeries = fc
  .tuple(
    fc.record(
      {
        entity: fc.constantFrom('checkout', 'pricing', 'Ü 漢'),
        name: fc.constantFrom('http_server_errors_ratio', 'latency_p95_ms', '🔥'),
        type: fc.constantFrom('gauge', 'counter', 'rate', 'histogram', 'summary'),
        labels: fc.dictionary(fc.constantFrom('pod', 'a b', ''), fc.string()),
        unit: fc.constantFrom('ms', '1', ''),
        agg: fc.string(),
        query: fc.string(),
      },
      { requiredKeys: ['entity', 'name', 'type'], noNullPrototype: true },
    ),
    fc.oneof(
      fc.record({
        t0: past,
        interval_s: fc.double({ min: 0, minExcluded: true, max: MOST_SECONDS, noNaN: true }),
        values: fc.array(measured, { maxLength: 20 }),
      }),
      instantsInOrder.chain((all) =>
        fc
          .array(measured, { minLength: all.length, maxLength: all.length })
          .map((values) => ({ points: all.map((at, index) => [at, values[index] ?? null]) })),
      ),
    ),
  )
  .map(([series, values]) => ({ ...series, ...values }))

/** What can be counted within one interval. */
const counted = fc.double({ min: 0, max: 1e15, noNaN: true })
/** Of calls no more can fail than are made, nor can any take time of which none was timed. */
const pushedEdge = fc
  .record(
    {
      caller: fc.constantFrom('web', 'checkout'),
      callee: fc.constantFrom('checkout', 'Ü 漢'),
      t0: past,
      interval_s: fc.double({ min: 0, minExcluded: true, max: MOST_SECONDS, noNaN: true }),
      calls: counted,
      failed: counted,
      latency_sum_ms: counted,
      latency_count: counted,
    },
    { requiredKeys: ['caller', 'callee', 't0', 'interval_s'], noNullPrototype: true },
  )
  .map(({ failed, latency_sum_ms: sum, ...edge }) => ({
    ...edge,
    ...(failed === undefined ? {} : { failed: Math.min(failed, edge.calls ?? failed) }),
    ...(sum === undefined ? {} : { latency_sum_ms: edge.latency_count === 0 ? 0 : sum }),
  }))

/** What the document cannot say of pushed records. */
export const pushedMeanings: Meanings = {
  'changes[].recorded_at': past,
  'logs[].timestamp': past,
  'spans[].start': past,
  'events[].timestamp': past,
  'series[]': pushedSeries,
  'edges[]': pushedEdge,
  'changes[].effective_at': instantsInOrder.map(([from = '1970-01-01T00:00:00Z', to = from]) => ({
    from,
    to,
  })),
}
