import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeInstant } from '#shared/domain/instant.ts'
import { pushSignals } from '#shared/domain/push-signals.ts'
import type { KeptBatch, SignalBatch } from '#shared/domain/signals.ts'
import { aheadIn, countsOf, endsInTime, pointsProblem, spanOf } from '#shared/domain/signals.ts'

const NOON = Date.UTC(2026, 0, 31, 12)
const T = (minutes: number) => writeInstant(NOON + minutes * 60_000)
const window = (from: number, to: number) => ({ from: NOON + from * 60_000, to: NOON + to * 60_000 })

describe('the time that a batch tells of', () => {
  it.each([
    ['a change when it was recorded', { changes: [{ recorded_at: T(1) }] }, window(1, 1)],
    [
      'a change when it took effect, before or after',
      { changes: [{ recorded_at: T(5), effective_at: { from: T(2), to: T(9) } }] },
      window(2, 9),
    ],
    ['a log line', { logs: [{ timestamp: T(3) }, { timestamp: T(1) }] }, window(1, 3)],
    ['a span with its duration', { spans: [{ start: T(1), duration_us: 120_000_000 }] }, window(1, 3)],
    ['calls with their interval', { edges: [{ t0: T(1), interval_s: 60 }] }, window(1, 2)],
    ['an event', { events: [{ timestamp: T(4) }] }, window(4, 4)],
    ['values at intervals', { series: [{ t0: T(1), interval_s: 60, values: [1, null, 3] }] }, window(1, 3)],
    [
      'points',
      {
        series: [
          {
            points: [
              [T(2), 1],
              [T(7), null],
            ] as const,
          },
        ],
      },
      window(2, 7),
    ],
    [
      'nothing, of empty series',
      { series: [{ t0: T(1), interval_s: 60, values: [] }, { points: [] }] },
      null,
    ],
    ['nothing, of nothing', {}, null],
  ])('is that of %s', (_name, batch, span) => {
    expect(spanOf(batch)).toEqual(span)
  })

  it('is that of the points of a series, first to last, unless its values say all of when they were', () => {
    const points = [
      [T(2), 1],
      [T(4), 1],
      [T(7), 1],
    ] as const
    expect(spanOf({ series: [{ points }] })).toEqual(window(2, 7))
    for (const part of [
      { t0: T(0), interval_s: 60 },
      { t0: T(0), values: [1, 2] },
      { interval_s: 60, values: [1, 2] },
    ])
      expect(spanOf({ series: [{ ...part, points }] })).toEqual(window(2, 7))
    expect(spanOf({ series: [{}] })).toBeNull()
    expect(spanOf({ series: [{ t0: T(0), interval_s: 60, values: [1, 2], points }] })).toEqual(window(0, 1))
  })

  it('is no wider and no narrower than its records, whatever their kind', () => {
    const minutes = fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(minutes, (all) => {
        const batch = {
          logs: all.filter((_, index) => index % 3 === 0).map((minute) => ({ timestamp: T(minute) })),
          events: all.filter((_, index) => index % 3 === 1).map((minute) => ({ timestamp: T(minute) })),
          changes: all.filter((_, index) => index % 3 === 2).map((minute) => ({ recorded_at: T(minute) })),
        }
        expect(spanOf(batch)).toEqual(window(Math.min(...all), Math.max(...all)))
        const { logs, events, changes } = countsOf(batch)
        expect(logs + events + changes).toBe(all.length)
      }),
    )
  })
})

describe('a series', () => {
  it('has points that go forward in time', () => {
    expect(pointsProblem([])).toBeNull()
    expect(
      pointsProblem([
        [T(1), 1],
        [T(2), null],
      ]),
    ).toBeNull()
    expect(
      pointsProblem([
        [T(1), 1],
        [T(3), 1],
        [T(3), 1],
      ]),
    ).toEqual({ at: 2, reason: 'must be later than the one before it' })
    expect(
      pointsProblem([
        [T(1), 1],
        [T(0), 1],
      ]),
    ).toMatchObject({ at: 1 })
  })

  it('ends in a year of four digits', () => {
    expect(endsInTime('9999-12-31T23:59:00Z', 60, 1)).toBe(true)
    expect(endsInTime('9999-12-31T23:59:00Z', 60, 2)).toBe(false)
    expect(endsInTime('9999-12-31T23:59:00Z', 60, 0)).toBe(true)
    expect(endsInTime('9999-12-31T23:59:59.999Z', 60, 1)).toBe(true)
  })
})

describe('pushing', () => {
  it('keeps the batch with the time it tells of, and counts every kind; what tells of no time is counted only', async () => {
    const kept: [KeptBatch, number][] = []
    const acts = {
      signals: {
        keep: async (batch: KeptBatch, now: number) => {
          kept.push([batch, now])
        },
      },
      clock: () => NOON,
    }
    const records = { logs: [{ timestamp: T(1) }], events: [{ timestamp: T(2) }, { timestamp: T(3) }] }
    const none = { changes: 0, series: 0, logs: 0, spans: 0, edges: 0, events: 0 }
    expect(await pushSignals(acts, records)).toEqual({ ...none, logs: 1, events: 2 })
    expect(await pushSignals(acts, { series: [{ points: [] }] })).toEqual({ ...none, series: 1 })
    expect(kept).toEqual([[{ records, span: window(1, 3) }, NOON]])
  })
})

describe('records of a time that is still to come', () => {
  const DAY_MS = 86_400_000
  const ahead = (ms: number): string => writeInstant(NOON + ms)
  const fields = (batch: SignalBatch) => aheadIn(batch, NOON).map(({ field }) => field)
  const [late, soon] = [ahead(300_001), ahead(300_000)]

  it('are named, each with its place, beyond what clocks differ by', () => {
    const batch = (at: string): SignalBatch => ({
      changes: [{ recorded_at: T(1) }, { recorded_at: at }],
      logs: [{ timestamp: at }],
      spans: [{ start: at, duration_us: 1 }],
      edges: [{ t0: at, interval_s: 60 }],
      events: [{ timestamp: at }],
    })
    expect(aheadIn(batch(soon), NOON)).toEqual([])
    expect(fields(batch(late))).toEqual([
      'changes[1].recorded_at',
      'logs[0].timestamp',
      'spans[0].start',
      'edges[0].t0',
      'events[0].timestamp',
    ])
    expect(new Set(aheadIn(batch(late), NOON).map(({ reason }) => reason))).toEqual(
      new Set(['must not lie in the future']),
    )
  })

  it('are series that begin or end there', () => {
    const regular = (t0: string, values: readonly number[]) => ({ t0, interval_s: 300, values })
    expect(
      fields({
        series: [
          regular(ahead(0), [1, 2]),
          regular(ahead(1), [1, 2]),
          regular(late, []),
          regular(late, [1]),
          { points: [[T(1), 1]] },
          {
            points: [
              [T(1), 1],
              [late, null],
            ],
          },
        ],
      }),
    ).toEqual(['series[1].values', 'series[2].t0', 'series[3].t0', 'series[5].points[1][0]'])
  })

  it('may be of a change that is planned, for as long as its batch is kept', () => {
    const planned = (from: number, to: number) => ({
      changes: [{ recorded_at: T(0), effective_at: { from: ahead(from), to: ahead(to) } }],
    })
    expect(fields(planned(DAY_MS, 30 * DAY_MS))).toEqual([])
    expect(aheadIn(planned(DAY_MS, 30 * DAY_MS + 1), NOON)).toEqual([
      {
        field: 'changes[0].effective_at.to',
        reason: 'must lie at most 30 days ahead: records are kept no longer',
      },
    ])
    expect(fields(planned(31 * DAY_MS, 32 * DAY_MS))).toEqual([
      'changes[0].effective_at.from',
      'changes[0].effective_at.to',
    ])
  })
})
