import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pushedEvidence, signalWindows } from '#shared/domain/investigation/records/pushed-evidence.ts'
import type { Change, Edge, LogLine, Series, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { NOTHING_PULLED } from '#shared/domain/investigation/records/snapshot.ts'
import { baselinesOf } from '#shared/domain/investigation/records/windows.ts'
import type { FoundSignals, PushedRecords } from '#shared/domain/ports.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = 20 * DAY
const WINDOW = { from: START, to: START + HOUR }
const BASELINES = [{ name: 'b1', from: START - 2 * HOUR, to: START - HOUR }]
const NONE: PushedRecords = { changes: [], series: [], logs: [], spans: [], edges: [], events: [] }

const found = (
  batches: readonly Partial<PushedRecords>[],
  more: Partial<FoundSignals> = {},
): FoundSignals => ({
  batches: batches.map((batch) => ({ ...NONE, ...batch })),
  digest: 'd'.repeat(64),
  cut: false,
  unread: 0,
  ...more,
})
const evidence = (...batches: readonly Partial<PushedRecords>[]) =>
  pushedEvidence(found(batches), WINDOW, BASELINES)

const line = (timestamp: number, message = 'no'): Omit<LogLine, 'source'> => ({
  timestamp,
  service: 'checkout',
  severity: 'error',
  message,
})
const series = (
  points: readonly (readonly [number, number])[],
  change: Partial<Series> = {},
): Omit<Series, 'source'> => ({
  entity: 'checkout',
  name: 'errors',
  labels: { pod: 'a' },
  type: 'gauge',
  ...change,
  times: Float64Array.from(points, ([at]) => at),
  values: Float64Array.from(points, ([, value]) => value),
})
const pointsOf = ({ times, values }: Pick<Series, 'times' | 'values'>) =>
  Array.from(times, (at, index) => [at, values[index]])

describe('the time that is looked at', () => {
  it('is the window with a day before it and every baseline, joined where they meet', () => {
    expect(signalWindows(WINDOW, baselinesOf(WINDOW))).toEqual([
      { from: START - 7 * DAY, to: START - 7 * DAY + HOUR },
      { from: START - DAY, to: START + HOUR },
    ])
    const long = { from: START, to: START + 8 * DAY }
    expect(signalWindows(long, baselinesOf(long))).toEqual([{ from: START - 7 * DAY, to: long.to }])
  })

  it('holds every instant of its parts, and its stretches lie apart in order', () => {
    const anyWindow = fc
      .tuple(fc.nat(1_000), fc.integer({ min: 1, max: 100 }))
      .map(([from, length]) => ({ name: 'b', from: from * DAY, to: (from + length) * DAY }))
    fc.assert(
      fc.property(anyWindow, fc.array(anyWindow, { maxLength: 4 }), (window, baselines) => {
        const joined = signalWindows(window, baselines)
        for (const { from, to } of [window, ...baselines])
          expect(joined.filter((each) => each.from <= from && each.to >= to)).toHaveLength(1)
        for (const [index, { from }] of joined.entries())
          expect(from).toBeGreaterThan(joined[index - 1]?.to ?? Number.NEGATIVE_INFINITY)
      }),
    )
  })

  it('leaves out what lies outside of it', () => {
    const at = [START - 2 * HOUR, START - HOUR, START, START + HOUR - 1, START + HOUR]
    const inside = [START - 2 * HOUR, START, START + HOUR - 1]
    const got = evidence({
      logs: at.map((each) => line(each)),
      series: [series(at.map((each) => [each, 1]))],
    })
    expect(got.logs.map(({ timestamp }) => timestamp)).toEqual(inside)
    expect(Array.from(got.series[0]?.times ?? [])).toEqual(inside)
    expect(evidence({ series: [series([[START - DAY, 1]])] }).series).toEqual([])
  })

  it('has part of what lasts, of changes from a day before on, by when they took effect too', () => {
    const span = (start: number, duration_us: number): Omit<Span, 'source'> => ({
      trace_id: 't',
      span_id: String(start),
      parent_id: null,
      service: 'a',
      name: 'x',
      start,
      duration_us,
      status: 'ok',
    })
    const edge = (t0: number, interval_s: number): Omit<Edge, 'source'> => ({
      caller: 'a',
      callee: 'b',
      t0,
      interval_s,
    })
    const change = (id: string, recorded_at: number, effect?: number): Omit<Change, 'source'> => ({
      id,
      kind: 'deploy',
      recorded_at,
      ...(effect === undefined ? {} : { effective_at: { from: effect, to: effect } }),
    })
    const got = evidence({
      spans: [span(START - MINUTE, 2 * MINUTE * 1_000), span(START - MINUTE, 1_000)],
      edges: [edge(START - MINUTE, 120), edge(START - MINUTE, 1)],
      changes: [
        change('old', START - DAY - 1),
        change('a day before', START - DAY),
        change('recorded long ago', START - 9 * DAY, START),
        change('to come', START + HOUR),
      ],
      events: [
        { timestamp: START - DAY, resource: 'db', kind: 'k', message: 'a day before' },
        { timestamp: START - DAY - 1, resource: 'db', kind: 'k', message: 'old' },
      ],
    })
    expect([got.spans.length, got.edges.length]).toEqual([1, 1])
    expect(got.changes.map(({ id }) => id)).toEqual(['a day before', 'recorded long ago'])
    expect(got.events.map(({ message }) => message)).toEqual(['a day before'])
  })
})

describe('batches that overlap', () => {
  it('give each record once, and what one batch says twice stays said twice', () => {
    const twice = [line(START, 'a'), line(START, 'a')]
    const got = evidence({ logs: twice }, { logs: [line(START, 'a'), line(START, 'b')] }, { logs: twice })
    expect(got.logs.map(({ message }) => message)).toEqual(['a', 'a', 'b'])
  })

  it('pushed again in any number and order give the same records', () => {
    const anyBatch = fc
      .array(fc.integer({ min: 0, max: 5 }), { maxLength: 6 })
      .map((minutes) => ({ logs: minutes.map((minute) => line(START + minute * MINUTE)) }))
    const times = (got: ReturnType<typeof evidence>) => got.logs.map(({ timestamp }) => timestamp).sort()
    fc.assert(
      fc.property(fc.array(anyBatch, { maxLength: 4 }), (batches) => {
        const once = times(evidence(...batches))
        expect(times(evidence(...batches, ...batches.toReversed()))).toEqual(once)
      }),
    )
  })
})

describe('a series in pieces', () => {
  it('is one series in the order of time; of two values for an instant the later pushed one holds', () => {
    const got = evidence(
      {
        series: [
          series(
            [
              [START + MINUTE, 2],
              [START + 2 * MINUTE, 3],
            ],
            { interval_s: 60 },
          ),
        ],
      },
      {
        series: [
          series(
            [
              [START, 1],
              [START + MINUTE, 9],
            ],
            { interval_s: 60 },
          ),
        ],
      },
    )
    expect(got.series).toHaveLength(1)
    expect(got.series.map(pointsOf)).toEqual([
      [
        [START, 1],
        [START + MINUTE, 9],
        [START + 2 * MINUTE, 3],
      ],
    ])
    expect(got.series[0]).toMatchObject({ source: 'signals', interval_s: 60, labels: { pod: 'a' } })
  })

  it('keeps what was measured where a later piece measured nothing', () => {
    const got = evidence(
      { series: [series([[START, 1]])] },
      {
        series: [
          series([
            [START, Number.NaN],
            [START + MINUTE, Number.NaN],
          ]),
        ],
      },
    )
    expect(got.series.map(pointsOf)).toEqual([
      [
        [START, 1],
        [START + MINUTE, Number.NaN],
      ],
    ])
  })

  it('has no interval where its pieces have different ones', () => {
    const got = evidence(
      { series: [series([[START, 1]], { interval_s: 60 })] },
      { series: [series([[START + 1, 1]], { interval_s: 30 })] },
    )
    expect(got.series[0]).not.toHaveProperty('interval_s')
  })

  it.each<[string, Partial<Series>]>([
    ['entity', { entity: 'pricing' }],
    ['name', { name: 'latency' }],
    ['labels', { labels: { pod: 'b' } }],
    ['type', { type: 'counter' }],
    ['unit', { unit: 'ms' }],
    ['aggregation', { agg: 'p95' }],
    ['query', { query: 'up' }],
  ])('is another series where its %s is another', (_name, change) => {
    const got = evidence({ series: [series([[START, 1]])] }, { series: [series([[START, 1]], change)] })
    expect(got.series).toHaveLength(2)
  })

  it('is the same series whatever the order of its labels, and however it is cut', () => {
    const anyValues = fc.array(fc.double({ noNaN: true }), { minLength: 2, maxLength: 30 })
    fc.assert(
      fc.property(anyValues, fc.nat(29), (values, cut) => {
        const points = values.map((value, index) => [START + index * MINUTE, value] as const)
        const at = cut % points.length
        const labels = [{ labels: { a: '1', b: '2' } }, { labels: { b: '2', a: '1' } }] as const
        const [whole] = evidence({ series: [series(points, labels[0])] }).series
        const got = evidence(
          { series: [series(points.slice(at), labels[1])] },
          { series: [series(points.slice(0, at), labels[0])] },
        ).series
        expect(got).toHaveLength(1)
        expect(got[0] && pointsOf(got[0])).toEqual(whole && pointsOf(whole))
      }),
    )
  })
})

describe('the source', () => {
  it('says what was read, of when, and how many', () => {
    expect(evidence({ logs: [line(START)] }).sources).toEqual([
      {
        id: 'signals',
        tool: 'signals',
        query: 'everything pushed by POST /signals for this time',
        window: { from: START - DAY, to: START + HOUR },
        outcome: 'answered',
        records: 1,
        digest: 'd'.repeat(64),
      },
    ])
  })

  it('is none where nothing was pushed for the time, so that nobody is told of a tool that nobody uses', () => {
    expect(evidence()).toEqual(NOTHING_PULLED)
    expect(evidence({ logs: [line(START - 3 * DAY)] })).toEqual(NOTHING_PULLED)
  })

  it('says that it was cut, also when nothing of the time is left', () => {
    const cut = (batches: readonly Partial<PushedRecords>[]) =>
      pushedEvidence(found(batches, { cut: true }), WINDOW, BASELINES).sources
    expect(cut([{ logs: [line(START)] }])).toMatchObject([{ outcome: 'cut', records: 1 }])
    expect(cut([])).toMatchObject([{ outcome: 'cut', records: 0 }])
    expect(cut([])[0]).not.toHaveProperty('digest')
  })

  it('names what could not be read as a gap', () => {
    expect(pushedEvidence(found([], { unread: 2 }), WINDOW, BASELINES).gaps).toEqual([
      { what: 'pushed signals', why: '2 kept records could not be read' },
    ])
  })
})
