import { describe, expect, it } from 'vitest'
import { normalTime } from '#shared/domain/investigation/normal-time.ts'
import { asRate, findShift } from '#shared/domain/investigation/series-shift.ts'
import type { Series } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series, wobble } from './incident-scenarios.ts'

const declared = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }] }

describe('shifted series', () => {
  it('come with level before and during, onset and direction', () => {
    const shift = findShift(series('a', 'http_5xx_ratio', 0.01, 0.5), normalTime(declared))
    expect(shift).toMatchObject({ direction: 'up', is_bad: true, ended_at: null, normal_count: 60 })
    expect(shift?.onset.at).toBe(at(ONSET))
    expect(shift?.before).toBeCloseTo(0.01, 2)
    expect(shift?.during).toBeCloseTo(0.5, 1)
  })

  it('say when they recovered', () => {
    const shift = findShift(series('a', 'http_5xx_ratio', 0.01, 0.5, ONSET, ONSET + 10), normalTime(declared))
    expect(shift?.ended_at).toBe(at(ONSET + 10))
  })

  it('are none where the move is small against the level, or too little was measured', () => {
    expect(findShift(series('a', 'memory_used_bytes', 100, 101), normalTime(declared))).toBeNull()
    expect(
      findShift(
        { ...series('a', 'x', 1, 9), times: new Float64Array([1]), values: new Float64Array([1]) },
        normalTime(declared),
      ),
    ).toBeNull()
    expect(
      findShift(series('a', 'x', 1, 9), normalTime({ ...EMPTY, window: { from: at(0), to: at(5) } })),
    ).toBeNull()
    expect(
      findShift(series('a', 'x', 1, 9), {
        baselines: [{ name: 'b', from: at(0), to: at(60) }],
        origin: 'declared',
        incident: { from: at(500), to: at(600) },
      }),
    ).toBeNull()
  })

  it('count only where no baseline explains them: a daily peak is none', () => {
    const peak = series('a', 'http_requests_per_second', 100, 300, 60)
    const both = {
      ...EMPTY,
      window: { from: at(70), to: at(LENGTH) },
      baselines: [
        { name: 'b1', from: at(0), to: at(50) },
        { name: 'b2', from: at(60), to: at(70) },
      ],
    }
    expect(findShift(peak, normalTime({ ...both, baselines: both.baselines.slice(0, 1) }))?.direction).toBe(
      'up',
    )
    expect(findShift(peak, normalTime(both))).toBeNull()
  })

  it('are none of single buckets, which only grow, nor of restarts that always were', () => {
    const growing = series('a', 'latency_seconds_bucket', 1, 900)
    expect(findShift({ ...growing, type: 'histogram' }, normalTime(declared))).toBeNull()
    const total = (minutes: readonly number[]): Series => {
      const one = series('a', 'container_restarts_total', 0, 0)
      return {
        ...one,
        values: one.times.map((time) => minutes.filter((minute) => at(minute) <= time).length),
      }
    }
    expect(findShift(total([20, 45, 70, 95]), normalTime(declared))).toBeNull()
    const crashing = findShift(total([20, 65, 91, 93, 95, 97, 99, 103, 107]), normalTime(declared))
    expect(crashing).toMatchObject({ is_bad: true, direction: 'up', before: 2, extreme: 9 })
    expect(crashing?.onset.at).toBe(at(91))
  })

  it('turn counters into rates, a reset counting from zero', () => {
    const counter = {
      ...series('a', 'errors_total', 0, 0),
      type: 'counter' as const,
      times: Float64Array.from([0, 1_000, 2_000, 3_000]),
      values: Float64Array.from([10, 20, 5, 8]),
    }
    expect([...asRate(counter).values]).toEqual([10, 5, 3])
    expect(
      asRate({ ...counter, times: Float64Array.from([5, 5]), values: Float64Array.from([1, 2]) }).values[0],
    ).toBeNaN()
    const steady = {
      ...counter,
      times: Float64Array.from({ length: LENGTH }, (_, minute) => at(minute)),
      values: Float64Array.from(
        { length: LENGTH },
        (_, minute) => minute * 60 + Math.max(0, minute - ONSET) * 600,
      ),
    }
    expect(findShift(steady, normalTime(declared))?.before).toBeCloseTo(1, 5)
  })

  it('know floors by unit and skip gaps', () => {
    for (const [name, unit] of [
      ['latency', 'ms'],
      ['cpu_percent', '%'],
      ['share', '1'],
    ] as const) {
      const one = {
        ...series('a', name, 0, 0),
        unit,
        values: Float64Array.from({ length: LENGTH }, (_, minute) => 0.0001 * wobble(minute)),
      }
      expect(findShift(one, normalTime(declared))).toBeNull()
    }
    const gappy = series('a', 'http_5xx_ratio', 0.01, 0.5)
    gappy.values[LENGTH - 1] = Number.NaN
    expect(findShift(gappy, normalTime(declared))?.latest).toBeGreaterThan(0.4)
    const percent = { ...series('a', 'search_error_rate_pct', 0.4, 60) }
    expect(findShift(percent, normalTime(declared))?.direction).toBe('up')
  })
})

describe('normal time', () => {
  it('is what was declared, else the calm time before the alert, else the start of the window', () => {
    expect(normalTime(declared).origin).toBe('declared')
    const alerted = normalTime({ ...EMPTY, alerts: [{ ...alert('a', 'b', 60), for_s: 300 }] })
    expect(alerted).toMatchObject({ origin: 'derived', baselines: [{ from: at(0), to: at(25) }] })
    // Too little lies before the alert for a guard of a quarter of an hour: its first third serves.
    expect(normalTime({ ...EMPTY, alerts: [alert('a', 'b', 20)] }).baselines[0]?.to).toBeCloseTo(at(20 / 3))
    expect(normalTime(EMPTY).baselines[0]?.to).toBe(at(LENGTH / 3))
    expect(normalTime(EMPTY, at(50)).baselines[0]?.to).toBe(at(49))
    expect(normalTime({ ...EMPTY, alerts: [alert('a', 'b', 6)] }).origin).toBe('none')
  })

  it('widens a window of no length to its samples', () => {
    const window = { from: at(0), to: at(0) }
    const { incident } = normalTime({
      ...EMPTY,
      window,
      series: [series('a', 'b', 1, 1)],
      logs: [{ source: 'logs', timestamp: at(500), service: 'a', severity: 'INFO', message: 'x' }],
    })
    expect(incident.to).toBe(at(500) + 1)
  })
})
