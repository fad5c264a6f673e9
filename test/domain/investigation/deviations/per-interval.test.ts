import { describe, expect, it } from 'vitest'
import {
  addedUp,
  isPerTime,
  isTotal,
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
    ['by its name', { name: 'requests_per_second' }, 60],
    ['by the minute', { unit: '/min' }, 1],
    ['by the minute in its name', { name: 'requests_per_min', type: 'rate' as const }, 1],
  ])('is made of a rate, told %s', (_, more, factor) => {
    const rate = sampled(
      [
        [0, 2],
        [1, 3],
      ],
      more,
    )
    expect(isPerTime(rate)).toBe(true)
    expect(pointsOf(perInterval(rate))).toEqual([
      [0, 2 * factor],
      [1, 3 * factor],
    ])
  })

  it('is left as it is where it is told for its interval already', () => {
    const counts = sampled([[0, 2]], { agg: 'sum', unit: '1' })
    expect(perInterval(counts)).toBe(counts)
    expect([isPerTime(counts), isTotal(counts)]).toEqual([false, false])
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

  it('are none where there is none, and the one where there is one', () => {
    expect(addedUp([])).toBeNull()
    const [one] = [part('a', [[0, 1]])]
    expect(addedUp([one])).toBe(one)
  })
})
