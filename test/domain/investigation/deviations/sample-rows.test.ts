import { describe, expect, it } from 'vitest'
import {
  calmBefore,
  inRows,
  intervalOf,
  overRows,
  rowsOf,
} from '#shared/domain/investigation/deviations/sample-rows.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'

const sampled = (points: readonly (readonly [number, number])[], more: Partial<Series> = {}): Series => ({
  source: 's',
  entity: 'store',
  name: 'requests',
  labels: {},
  type: 'gauge',
  times: Float64Array.from(points, ([at]) => at),
  values: Float64Array.from(points, ([, value]) => value),
  ...more,
})
/** Milliseconds of a row. */
const ROW = 60_000

describe('a level in rows', () => {
  it('is told of each by the instant that opens it', () => {
    expect(overRows([0, 60_000], (at) => at / 60_000)).toEqual({
      times: new Float64Array([0, 60_000]),
      values: new Float64Array([0, 1]),
    })
    expect(overRows([], () => 1).values).toHaveLength(0)
  })
})

describe('the interval of a series', () => {
  it('is what the tool says, else what lies between samples, else a minute', () => {
    const every = sampled([
      [0, 1],
      [15_000, 1],
      [30_000, 1],
    ])
    expect(intervalOf({ ...every, interval_s: 300 })).toBe(300_000)
    expect(intervalOf(every)).toBe(15_000)
    expect(intervalOf(sampled([[0, 1]]))).toBe(60_000)
  })
})

describe('rows', () => {
  it('begin with the instants in their order, and of two within half a row with the earlier', () => {
    expect(rowsOf([[120_000, 0, 60_000]], ROW)).toEqual([0, 60_000, 120_000])
    expect(rowsOf([[0, 29_999, 60_000, 90_000]], ROW)).toEqual([0, 60_000, 90_000])
    expect(rowsOf([], ROW)).toEqual([])
    const since = Date.UTC(2026, 2, 2)
    expect(rowsOf([[since, since + 20_000, since + 60_000]], ROW)).toEqual([since, since + 60_000])
  })

  it('are of all series together, whether they are sampled at the same times or not', () => {
    const together = [
      [0, 60_000],
      [0, 60_000],
    ]
    expect(rowsOf(together, ROW)).toEqual([0, 60_000])
    expect(rowsOf([...together, [120_000, 180_000]], ROW)).toEqual([0, 60_000, 120_000, 180_000])
    expect(rowsOf([[30_000], ...together], ROW)).toEqual([0, 30_000, 60_000])
    const three = [
      [180_000, 60_000],
      [0, 240_000],
      [120_000, 300_000],
    ]
    expect(rowsOf(three, ROW)).toEqual([0, 60_000, 120_000, 180_000, 240_000, 300_000])
  })

  it('are read alike in whatever order', () => {
    const times = Array.from({ length: 50 }, (_, index): [number, number] => [index * ROW, index])
    const valueAt = inRows(sampled(times), ROW)
    const forward = times.map(([at]) => valueAt(at))
    expect(forward).toEqual(times.map(([, value]) => value))
    expect(times.toReversed().map(([at]) => valueAt(at))).toEqual(forward.toReversed())
    expect([40, 3, 4, 30, 0].map((index) => valueAt(index * ROW))).toEqual([40, 3, 4, 30, 0])
  })

  it('hold the sample nearest to their instant, from half a row before to less than half after it', () => {
    const one = (at: number, more: Partial<Series> = {}) =>
      inRows(sampled([[at, 7]], { interval_s: 60, ...more }), ROW)(ROW)
    expect([30_000, 60_000, 89_999].map((at) => one(at))).toEqual([7, 7, 7])
    expect([29_999, 90_000].map((at) => one(at))).toEqual([Number.NaN, Number.NaN])
    const near = (...points: [number, number][]) => inRows(sampled(points, { interval_s: 60 }), ROW)(ROW)
    expect(near([40_000, 1], [70_000, 2])).toBe(2)
    expect(near([50_000, 1], [80_000, 2])).toBe(1)
    expect(near([58_000, 1], [62_000, 2])).toBe(1)
    expect(near([50_000, 1], [60_000, Number.NaN], [80_000, 2])).toBe(1)
    expect(near([60_000, Number.NaN])).toBeNaN()
    // Of several copies at one instant it is their mean.
    expect(near([50_000, 9], [60_000, 1], [60_000, 3], [60_000, Number.NaN], [70_000, 9])).toBe(2)
  })

  it('hold the mean of what was sampled finer, and the sum of what was added up per sample', () => {
    const points = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => [15_000 * index, index] as const)
    const read = (more: Partial<Series>) => inRows(sampled(points, { interval_s: 15, ...more }), ROW)(ROW)
    expect([read({}), read({ agg: 'avg' }), read({ agg: 'Sum' }), read({ agg: 'count' })]).toEqual([
      ...[5.5, 5.5, 22, 22],
    ])
    expect([read({ agg: 'SampleCount' }), read({ agg: 'account' }), read({ agg: 'summary' })]).toEqual([
      ...[22, 5.5, 5.5],
    ])
    expect(read({ values: Float64Array.from([0, 1, 2, 3, 4, Number.NaN, 6, 8]) })).toBe(6)
    expect(inRows(sampled(points, { interval_s: 15 }), ROW)(10 * ROW)).toBeNaN()
  })

  it('of nearly the same length are the same: scrapes that come a little early are no finer samples', () => {
    const points = [[0, 1], [45_000, 2], [90_000, 4]] as const // biome-ignore format: one line reads best
    const read = (interval_s: number) => inRows(sampled(points, { interval_s, agg: 'sum' }), ROW)(ROW)
    expect([read(45), read(44.9)]).toEqual([2, (4 * 60) / 44.9])
  })
})

describe('rows before an alert', () => {
  const calm = (values: readonly number[], before: number) => calmBefore(values, before, 0.02, 0.5)

  it('are calm as long as they are as they were', () => {
    expect(calm([10, 10, 10, 50, 50], 3)).toBe(3)
    expect(calm([10, 11, 9, 10, 10], 3)).toBe(3)
    expect(calm([10, 10], 2)).toBe(2)
    expect(calm([50, 50], 0)).toBe(0)
  })

  it('are not from where they are as bad as those after it', () => {
    expect(calm([10, 10, 50, 55, 52], 3)).toBe(2)
    expect(calm([10, 50, 50, 52], 3)).toBe(1)
    expect(calm([10, 10, 10, 50, 50, 50, 50, 50, 50, 50], 9)).toBe(3)
    expect(calm([10, Number.NaN, 10, 50, Number.NaN, 50], 5)).toBe(3)
  })

  it('are calm where what rose is less than half of what came, or within three deviations', () => {
    expect(calm([10, 10, 10, 10, 29, 29, 50, 50], 6)).toBe(6)
    expect(calm([10, 10, 10, 10, 31, 31, 50, 50], 6)).toBe(4)
    expect(calm([10, 10, 10, 11.4, 11.4, 11.4], 5)).toBe(5)
    expect(calm([10, 10, 10, 11.6, 11.6, 11.6], 5)).toBe(3)
  })

  it('are looked at for as many as conditions hold as a rule, on both sides', () => {
    const many = (count: number, value: number) => Array.from({ length: count }, () => value)
    expect(calm([...many(200, 10), ...many(119, 50), ...many(20, 50)], 319)).toBe(200)
    expect(calm([...many(200, 10), ...many(120, 50), ...many(20, 50)], 320)).toBe(320)
    expect(calm([...many(9, 10), 50, ...many(120, 50), ...many(900, 10)], 10)).toBe(9)
  })

  it('are calm where they were better than those after it, and where none was measured before', () => {
    expect(calm([50, 50, 10, 10, 10], 4)).toBe(4)
    expect(calm([Number.NaN, Number.NaN, 50], 2)).toBe(2)
    expect(calm([10, 50, 50], 3)).toBe(3)
  })
})
