import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeInstant } from '#shared/domain/instant.ts'
import { pushSignals } from '#shared/domain/push-signals.ts'
import type { KeptBatch } from '#shared/domain/signals.ts'
import { countsOf, endsInTime, pointsProblem, spanOf } from '#shared/domain/signals.ts'

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
