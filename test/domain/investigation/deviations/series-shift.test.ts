import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LINES } from '#shared/domain/investigation/deviations/counted-lines.ts'
import {
  asRate,
  findShift,
  lowerBound,
  trendOfShift,
} from '#shared/domain/investigation/deviations/series-shift.ts'
import { type NormalTime, normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series, wobble } from '../incident-scenarios.ts'

const declared = { ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }] }

describe('the trend of a shift that is not over', () => {
  it.each([
    [12.1, 'worsening'],
    [12, 'ongoing'],
    [5, 'ongoing'],
    [4.9, 'recovering'],
    [-1, 'recovering'],
  ] as const)('from 0 to 10 and now at %s is %s', (latest, trend) => {
    expect(trendOfShift({ before: 0, during: 10, latest })).toBe(trend)
    expect(trendOfShift({ before: 0, during: -10, latest: -latest })).toBe(trend)
  })

  it('is none where it went nowhere', () => {
    expect(trendOfShift({ before: 3, during: 3, latest: 9 })).toBe('ongoing')
  })
})

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

/** A sample a minute, each exactly as told. */
const exactly = (name: string, value: (minute: number) => number, more: Partial<Series> = {}): Series => {
  const one = series('a', name, 0, 0)
  return { ...one, values: one.times.map((_, minute) => value(minute)), ...more }
}
const from = (minute: number, before: number, during: number) => (now: number) =>
  now < minute ? before : during

describe('the least that a move must be', () => {
  it.each([
    ['requests', LINES, 0, 1],
    ['requests', LINES, 8, 3],
    ['requests', LINES, -4, 1],
    ['duration', 'ms', 0, 0.5],
    ['duration_ms', '', 0, 0.5],
    ['durationMillis', '', 0, 0.5],
    ['duration_ms', '', 100, 2],
    ['busy', '%', 0, 0.002],
    ['busy', '%', 1, 0.02],
    ['busy', '%', 2, 0.3],
    ['busyPercent', '', 2, 0.3],
    ['busy_pct', '', 2, 0.3],
    ['busy', '1', 0, 0.002],
    ['hit_ratio', '', 0, 0.002],
    ['hit_rate', '', 0, 0.002],
    ['Availability', '', 0, 0.002],
    ['busy_fraction', '', 0, 0.002],
    ['hit_rate_limited', '', 0, 1e-6],
    ['bytes', '', 0, 1e-6],
    ['bytes', 'By', 100, 2],
  ])('goes by what is measured: %s in %j at %d is told in steps of %d', (name, unit, middle, spread) => {
    const shift = (z: number) =>
      findShift(exactly(name, from(ONSET, middle, middle + z * spread), { unit }), normalTime(declared))
    expect(shift(10)?.z).toBeCloseTo(10, 6)
    expect(shift(-10)?.z).toBeCloseTo(10, 6)
    expect(shift(3)).toBeNull()
  })

  it('is told as a million deviations at most', () => {
    expect(findShift(exactly('bytes', from(ONSET, 0, 1e9)), normalTime(declared))?.z).toBe(1e6)
  })
})

describe('what is told of a shift', () => {
  it('is its level, the furthest value, the latest of the window, and whether it hurts', () => {
    const values = (minute: number) => (minute < ONSET ? 10 : 40 + minute - ONSET)
    expect(findShift(exactly('duration_ms', values), normalTime(declared))).toMatchObject({
      ...{ direction: 'up', is_bad: true, before: 10, during: 54.5, extreme: 69, latest: 69, z: 89 },
      ...{ onset: { at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) }, ended_at: null },
    })
    const down = exactly('duration_ms', (minute) => (minute < ONSET ? 100 : 40 - minute + ONSET))
    expect(findShift(down, normalTime(declared))).toMatchObject({
      ...{ direction: 'down', is_bad: false, before: 100, during: 25.5, extreme: 11, latest: 11 },
    })
    const short = normalTime({ ...declared, window: { from: at(0), to: at(LENGTH - 5) } })
    expect(findShift(exactly('duration_ms', values), short)).toMatchObject({ extreme: 64, latest: 64 })
    const early = exactly('duration_ms', (minute) => (minute === 0 ? 7 : Number.NaN))
    expect(findShift(early, normalTime(declared))).toBeNull()
  })

  it('rests on five measured values of normal time at least', () => {
    const short = (samples: number, value = from(ONSET, 0, 9)) =>
      findShift(
        exactly('duration_ms', value),
        normalTime({ ...declared, baselines: [{ name: 'b', from: at(0), to: at(samples) }] }),
      )
    expect(short(5)).toMatchObject({ normal_count: 5 })
    expect(short(4)).toBeNull()
    const holes = (minute: number) => (minute === 2 ? Number.NaN : minute < ONSET ? 0 : 9)
    expect(short(5, holes)).toBeNull()
    expect(short(6, holes)).toMatchObject({ normal_count: 5 })
  })

  it('is compared with the level that explains it best, in whichever order they come', () => {
    const levels = (minute: number) =>
      minute < 20 ? 10 : minute < 50 ? 20 : minute < 60 ? Number.NaN : minute < ONSET ? 20 : 100
    const low = (minute: number) => (levels(minute) === 100 ? 1 : levels(minute))
    const baselines = [
      { name: 'b1', from: at(0), to: at(20) },
      { name: 'b2', from: at(20), to: at(50) },
    ]
    for (const list of [baselines, baselines.toReversed()]) {
      const normal: NormalTime = { baselines: list, origin: 'declared', incident: EMPTY.window }
      expect(findShift(exactly('duration_ms', levels), normal)).toMatchObject({
        before: 20,
        normal_count: 30,
        z: 160,
      })
      expect(findShift(exactly('duration_ms', low), normal)).toMatchObject({
        before: 10,
        normal_count: 20,
        z: 18,
      })
      // Neither level is a deviation from both.
      expect(
        findShift(
          exactly('duration_ms', (minute) => Math.min(20, levels(minute))),
          normal,
        ),
      ).toBeNull()
    }
  })

  it('is the same of a long series as of a short one, one after the other', () => {
    const times = Float64Array.from({ length: 3_000 }, (_, minute) => at(minute))
    const long = {
      ...exactly('duration_ms', () => 0),
      times,
      values: times.map((_, minute) => (minute < 2_900 ? 0 : 50)),
    }
    const normal: NormalTime = { ...normalTime(declared), incident: { from: at(0), to: at(3_000) } }
    const short = exactly('duration_ms', from(ONSET, 0, 50))
    for (let again = 0; again < 2; again++) {
      expect(findShift(long, normal)).toMatchObject({ z: 100, onset: { at: at(2_900) } })
      expect(findShift(short, normal)).toMatchObject({ z: 100, onset: { at: at(ONSET) } })
      expect(findShift(short, { ...normal, baselines: [] })).toBeNull()
      expect(findShift(short, { ...normal, incident: { from: at(4_000), to: at(5_000) } })).toBeNull()
    }
  })
})

describe('restarts', () => {
  /** How often an instance was started anew up to each minute. */
  const total = (minutes: readonly number[], name = 'container_restarts_total', more: Partial<Series> = {}) =>
    exactly(name, (now) => minutes.filter((minute) => minute <= now).length, more)
  const restarted = (...given: Parameters<typeof total>) => findShift(total(...given), normalTime(declared))

  it.each(['restarts', 'restart', 'Restart_count', 'pod_restarts', 'container_restarts_total'])(
    'are a total that stands above its level for ever: one of %s is none',
    (name) => {
      expect(restarted([95], name)).toBeNull()
    },
  )

  it.each(['restarts_per_minute', 'restart_rate', 'rate_restarts', 'per_restart', 'restarted', 'unrestarts'])(
    'are read as any other series where they are no total: %s',
    (name) => {
      expect(restarted([95], name)).toMatchObject({ direction: 'up', before: 0, during: 1 })
    },
  )

  it('are no total where the tool says that they are a rate', () => {
    expect(restarted([95], 'restarts', { type: 'rate' })).toMatchObject({ during: 1 })
    expect(restarted([95], 'restarts_experienced')).toBeNull()
  })

  it.each([
    'restarts_total:increase10m',
    'pod_restarts:rate5m',
    'job:restarts_total:irate1m',
    'restarts:delta1h',
  ])('are no total where a rule records how many there were in a while: %s', (name) => {
    expect(restarted([95], name)).toMatchObject({ direction: 'up', before: 0, during: 1 })
    expect(restarted([95], 'cluster:pod_restarts_total')).toBeNull()
  })

  it('are told since when they lie closer together than they used to', () => {
    expect(restarted([20, 65, 91, 93, 95, 97, 99, 103, 107])).toMatchObject({
      ...{ direction: 'up', is_bad: true, before: 2, during: 8, extreme: 9, latest: 9, ended_at: null },
      ...{ onset: { at: at(91), earliest: at(90), latest: at(92) }, normal_count: 60 },
    })
    expect(restarted([20, 100, 105])).toBeNull()
    expect(restarted([20, 100, 105, 110, 115])?.z).toBeCloseTo(2.4, 1)
    expect(restarted([20, 100, 100, 100, 100])?.onset.at).toBe(at(100))
  })

  it('are counted within the window, of which ten at once say as much as more', () => {
    const many = (times: number) => restarted([20, ...Array.from({ length: times }, () => 100)])?.z
    expect(many(11)).toBe(many(30))
    expect(many(9)).toBeLessThan(many(10) as number)
  })
})

describe('a rate of a counter', () => {
  const counter = (values: readonly number[]): Series => ({
    ...series('a', 'errors_total', 0, 0),
    ...{ type: 'counter', times: Float64Array.from(values, (_, second) => second * 1_000) },
    values: Float64Array.from(values),
  })

  it('is reckoned once for each counter, and is the series itself where that is a level', () => {
    const counted = counter([1, 2, 4])
    expect(asRate(counted)).toBe(asRate(counted))
    const level: Series = { ...counted, type: 'gauge' }
    expect(asRate(level)).toBe(level)
  })

  it('is none where nothing is added, and a single sample is left as it is', () => {
    expect([...asRate(counter([10, 10, 10])).values]).toEqual([0, 0])
    expect([...asRate(counter([10])).values]).toEqual([10])
    expect([...asRate(counter([])).values]).toEqual([])
  })

  it('adds up to what was counted, whatever was added when', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 50 }), (added) => {
        let sum = 0
        const { times, values } = asRate(counter([0, ...added.map((more) => (sum += more))]))
        expect([...values]).toEqual(added)
        expect(times).toHaveLength(added.length)
      }),
    )
  })
})

describe('the first sample that is not before an instant', () => {
  it('has all before it earlier, and none from there on', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 120, size: 'max' }),
        fc.integer({ min: -1, max: 51 }),
        (list, instant) => {
          const times = list.toSorted((one, other) => one - other)
          const index = lowerBound(times, instant)
          expect(times.slice(0, index).every((time) => time < instant)).toBe(true)
          expect(times.slice(index).every((time) => time >= instant)).toBe(true)
        },
      ),
    )
  })
})
