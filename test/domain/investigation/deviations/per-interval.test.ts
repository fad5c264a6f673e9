import { describe, expect, it } from 'vitest'
import {
  addedUp,
  isPerTime,
  isTotal,
  type Joining,
  joined,
  partsOf,
  perInterval,
} from '#shared/domain/investigation/deviations/per-interval.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'

const MINUTE = 60_000
const sampled = (
  points: readonly (readonly [minute: number, value: number])[],
  more: Partial<Series> = {},
): Series => ({
  ...{ source: 's', entity: 'shop', name: 'requests', labels: {}, type: 'gauge' },
  times: Float64Array.from(points, ([minute]) => minute * MINUTE),
  values: Float64Array.from(points, ([, value]) => value),
  ...more,
})
const pointsOf = ({ times, values }: Series) =>
  Array.from(times, (at, index) => [at / MINUTE, values[index] as number])

describe('what is counted', () => {
  it('is told for the interval that a sample opens: of a total, up to the next', () => {
    const total = sampled(
      [
        [0, 100],
        [1, 130],
        [2, 130],
      ],
      { type: 'counter' },
    )
    expect(pointsOf(perInterval(total))).toEqual([
      [0, 30],
      [1, 0],
    ])
    expect(perInterval(total)).toMatchObject({ type: 'gauge', agg: 'sum' })
    expect(isTotal(total)).toBe(true)
  })

  it('counts from zero after a reset', () => {
    const total = sampled(
      [
        [0, 100],
        [1, 7],
      ],
      { type: 'counter' },
    )
    expect(pointsOf(perInterval(total))).toEqual([[0, 7]])
  })

  it('is spread over samples that are missing, up to ten of them; a longer time was not measured', () => {
    const apart = (minutes: number) =>
      pointsOf(
        perInterval(
          sampled(
            [
              [0, 0],
              [1, 5],
              [2, 10],
              [2 + minutes, 10 + minutes],
            ],
            { type: 'counter' },
          ),
        ),
      ).slice(2)
    expect(apart(1)).toEqual([[2, 1]])
    expect(apart(3)).toEqual([
      [2, 1],
      [3, 1],
      [4, 1],
    ])
    expect(apart(10)).toHaveLength(10)
    expect(apart(11)).toEqual([[2, Number.NaN]])
  })

  it('was zero before it appears where the same was counted of others by then, and not where it begins with them', () => {
    const late = sampled(
      [
        [5, 3],
        [6, 4],
      ],
      { type: 'counter' },
    )
    expect(pointsOf(perInterval(late, 0))).toEqual([
      [4, 3],
      [5, 1],
    ])
    for (const since of [5 * MINUTE, 4.6 * MINUTE, undefined])
      expect(pointsOf(perInterval(late, since))).toEqual([[5, 1]])
  })

  it.each([
    ['by its type', { type: 'rate' as const }, 60],
    ['by its unit', { unit: '/s' }, 60],
    ['by another spelling of it', { unit: '1/s' }, 60],
    ['by a longer one', { unit: 'calls/second' }, 60],
    ['by its name', { name: 'requests_per_second' }, 60],
    ['by a shorter one', { name: 'http.persec' }, 60],
    ['by a word of its own', { name: 'rps' }, 60],
    ['by the minute', { unit: '/min' }, 1],
    ['by the minute, longer', { unit: 'calls/minute' }, 1],
    ['by the minute in its name', { name: 'requests_per_min', type: 'rate' as const }, 1],
    ['by the minute in all of its name', { name: 'permin' }, 1],
    ['of the interval that the tool names', { name: 'qps', interval_s: 30 }, 30],
  ])('is made of a rate, told %s', (_, more, factor) => {
    const rate = sampled(
      [
        [0, 2],
        [1, 3],
      ],
      more,
    )
    expect(isPerTime(rate)).toBe(true)
    expect(perInterval(rate)).toMatchObject({ type: 'gauge', agg: 'sum' })
    expect(perInterval(rate)).not.toHaveProperty('unit')
    expect(pointsOf(perInterval(rate))).toEqual([
      [0, 2 * factor],
      [1, 3 * factor],
    ])
  })

  it('is left as it is where it is told for its interval already', () => {
    for (const more of [
      { agg: 'sum', unit: '1' },
      { name: 'rps_limit' },
      { name: 'caps' },
      { name: 'per_minute_limit' },
      { name: 'paper_min' },
      { unit: '/session' },
      { unit: '/minus' },
    ]) {
      const counts = sampled([[0, 2]], more)
      expect(perInterval(counts), JSON.stringify(more)).toBe(counts)
      expect([isPerTime(counts), isTotal(counts)]).toEqual([false, false])
    }
  })

  it('is a total where it is a counter, or the sum or the count of a histogram or a summary', () => {
    const total = (type: Series['type'], name: string) => isTotal(sampled([[0, 1]], { type, name }))
    for (const type of ['histogram', 'summary'] as const) {
      expect([total(type, 'seconds_sum'), total(type, 'seconds_count')]).toEqual([true, true])
      expect([total(type, 'seconds_bucket'), total(type, 'seconds_sum_max')]).toEqual([false, false])
    }
    expect([total('counter', 'calls'), total('gauge', 'seconds_sum')]).toEqual([true, false])
  })

  it('of a total is what lies between two measured samples, however far they are apart by the tool’s interval', () => {
    const total = sampled(
      [
        [0, 0],
        [1, Number.NaN],
        [2, 8],
        [3, 9],
      ],
      { type: 'counter' },
    )
    expect(pointsOf(perInterval(total))).toEqual([
      [0, 4],
      [1, 4],
      [2, 1],
    ])
    const late = sampled(
      [
        [100, 3],
        [102, 7],
      ],
      { type: 'counter', interval_s: 60 },
    )
    expect(pointsOf(perInterval(late))).toEqual([
      [100, 2],
      [101, 2],
    ])
    // Up to one and a half intervals apart none is missing.
    const slow = sampled(
      [
        [100, 3],
        [101.5, 7],
      ],
      { type: 'counter', interval_s: 60 },
    )
    expect(pointsOf(perInterval(slow))).toEqual([[100, 4]])
    expect(pointsOf(perInterval(sampled([], { type: 'counter' }), 0))).toEqual([])
  })
})

describe('several counts of one entity', () => {
  const part = (pod: string, points: readonly (readonly [number, number])[]) =>
    sampled(points, { labels: { pod }, agg: 'sum', interval_s: 60 })
  it('are one without labels, in whichever order they come', () => {
    const parts = [
      part('a', [
        [0, 1],
        [1, 2],
      ]),
      part('b', [
        [0, 10],
        [1, 20],
      ]),
    ]
    for (const list of [parts, parts.toReversed()]) {
      const all = addedUp(list) as Series
      expect(pointsOf(all)).toEqual([
        [0, 11],
        [1, 22],
      ])
      expect(all.labels).toEqual({})
    }
  })

  it('are added up although they were sampled some seconds apart, and where one of them was not measured', () => {
    const apart = [
      part('a', [
        [0, 1],
        [1, 2],
        [2, Number.NaN],
      ]),
      part('b', [
        [0.2, 10],
        [1.2, Number.NaN],
        [2.2, Number.NaN],
      ]),
    ]
    expect(pointsOf(addedUp(apart) as Series)).toEqual([
      [0, 11],
      [1, 2],
      [2, Number.NaN],
    ])
  })

  it('are told by the first of them by name, labels and source, in the longest of their intervals', () => {
    const third = (more: Partial<Series>) =>
      sampled(
        [
          [0, 1],
          [1 / 3, 2],
        ],
        { agg: 'sum', interval_s: 20, ...more },
      )
    const whole = (more: Partial<Series>) => sampled([[0, 10]], { agg: 'sum', interval_s: 60, ...more })
    for (const [first, second] of [
      [third({ name: 'a', source: 'z', labels: { pod: 'z' } }), whole({ name: 'b' })],
      [third({ labels: { pod: 'a' }, source: 'z' }), whole({ labels: { pod: 'b' } })],
      [third({ source: 'r' }), whole({})],
    ] as const)
      for (const list of [
        [first, second],
        [second, first],
      ]) {
        const { name, source } = first
        expect(addedUp(list)).toMatchObject({ name, source, interval_s: 60 })
        expect(pointsOf(addedUp(list) as Series)).toEqual([[0, 3 * 1.5 + 10]])
      }
  })

  it('are none where there is none, and the one where there is one', () => {
    expect(addedUp([])).toBeNull()
    const [one] = [part('a', [[0, 1]])]
    expect(addedUp([one])).toBe(one)
  })
})

describe('several levels of one entity', () => {
  const level = (pod: string, values: readonly number[], more: Partial<Series> = {}) =>
    sampled(
      values.map((value, minute) => [minute, value] as const),
      { name: 'wait_ms', labels: { pod, zone: 'z' }, interval_s: 60, ...more },
    )
  const none = () => undefined
  const [a, b] = [level('a', [10, 20]), level('b', [30, 60])]
  const valuesOf = (
    joining: Joining,
    list: readonly Series[],
    callsOf: Parameters<typeof joined>[2] = none,
  ) => [...(joined(list, joining, callsOf)?.values ?? [])]
  /** How often each copy was called, by its pod. */
  const called = (calls: Readonly<Record<string, readonly number[]>>) => (part: Series) => {
    const values = calls[part.labels.pod as string]
    return values === undefined ? undefined : level('x', values, { name: 'calls', agg: 'sum' })
  }

  it('are one, in whichever order they come: their mean, or the highest or lowest of them', () => {
    for (const list of [
      [a, b],
      [b, a],
    ]) {
      expect(valuesOf('mean', list)).toEqual([20, 40])
      expect(valuesOf('highest', list)).toEqual([30, 60])
      expect(valuesOf('lowest', list)).toEqual([10, 20])
    }
  })

  it('count by how often each was called, where that is known of all', () => {
    expect(valuesOf('mean', [a, b], called({ a: [3, 1], b: [1, 0] }))).toEqual([15, 20])
    expect(valuesOf('mean', [a, b], called({ a: [3, 1] }))).toEqual([20, 40])
    expect(valuesOf('highest', [a, b], called({ a: [3, 1], b: [1, 0] }))).toEqual([30, 60])
    expect(valuesOf('mean', [a, b], called({ a: [0, 0], b: [0, 0] }))).toEqual([Number.NaN, Number.NaN])
  })

  it('keep what a copy last measured for two intervals that were not, and leave it out after that', () => {
    const lost = level('a', [10, Number.NaN, Number.NaN, Number.NaN])
    expect(valuesOf('mean', [lost, level('b', [30, 30, 30, 30])])).toEqual([20, 20, 20, 30])
    const gone = level('b', [30, Number.NaN, Number.NaN, Number.NaN])
    for (const [joining, kept] of [
      ['mean', 20],
      ['highest', 30],
      ['lowest', 10],
    ] as const)
      expect(valuesOf(joining, [lost, gone])).toEqual([kept, kept, kept, Number.NaN])
  })

  it('have the labels that all of them have, and the longest of their intervals', () => {
    const coarse = level('b', [30], { interval_s: 180 })
    const fine = sampled(
      [
        [0, 10],
        [1, 20],
      ],
      { name: 'wait_ms', labels: { pod: 'a', zone: 'z', only: 'x' }, interval_s: 60 },
    )
    const one = joined([coarse, fine], 'mean', none)
    expect(one).toMatchObject({ labels: { zone: 'z' }, interval_s: 180, name: 'wait_ms' })
    expect(one?.labels).toEqual({ zone: 'z' })
    expect([...(one?.values ?? [])]).toEqual([22.5])
    const alike = [level('a', [1], { source: 'b' }), level('a', [1], { source: 'a' })]
    expect(joined(alike, 'mean', none)?.source).toBe('a')
  })

  it('are none where there is none, and the one where there is one', () => {
    expect(joined([], 'mean', none)).toBeNull()
    expect(joined([a], 'mean', none)).toBe(a)
  })

  it('are levels of the same where they are of copies, wherever those run, or where calls were counted of each', () => {
    const route = (name: string, pod: string, region = 'r1') =>
      level(pod, [1], { labels: { route: name, pod, region } })
    const [first, copy, other] = [route('/a', 'a'), route('/a', 'b', 'r2'), route('/b', 'a')]
    expect(partsOf([first, copy, other], none)).toEqual([first, copy])
    expect(partsOf([other, first, copy], none)).toEqual([other])
    expect(partsOf([first, copy, other], () => a)).toEqual([first, copy, other])
    expect(partsOf([first, other], (part) => (part === first ? a : undefined))).toEqual([first])
    const turned = level('b', [1], { labels: { region: 'r1', pod: 'b', lane: 'l', route: '/a' } })
    const straight = level('a', [1], { labels: { route: '/a', lane: 'l' } })
    expect(partsOf([straight, turned], none)).toEqual([straight, turned])
    expect(partsOf([], none)).toEqual([])
  })

  it.each(['region', 'aws_region', 'cloud_region', 'zone', 'az', 'availability_zone', 'availabilityzone'])(
    'are of copies where they differ in the %s alone',
    (label) => {
      const list = ['x', 'y'].map((place) => level('a', [1], { labels: { [label]: place } }))
      expect(partsOf(list, none)).toEqual(list)
      for (const longer of [`own_${label}`, `${label}_rank`]) {
        const parts = ['x', 'y'].map((place) => level('a', [1], { labels: { [longer]: place } }))
        expect(partsOf(parts, none), longer).toEqual(parts.slice(0, 1))
      }
    },
  )
})
