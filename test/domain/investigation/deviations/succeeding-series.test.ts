import { describe, expect, it } from 'vitest'
import { findShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { withSuccessors } from '#shared/domain/investigation/deviations/succeeding-series.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

/** Samples of some minutes of a series, under labels of their own. */
function part(one: Series, from: number, to: number, labels: Record<string, string>): Series {
  return { ...one, labels, times: one.times.slice(from, to), values: one.values.slice(from, to) }
}
const errors = series('stock', 'http_5xx_ratio', 0.003, 0.4)
const replaced = (label: string): Series[] => [
  part(errors, 0, ONSET, { [label]: 'a', region: 'north' }),
  part(errors, ONSET, LENGTH, { [label]: 'b', region: 'north' }),
]
const joinedOf = (list: readonly Series[]): readonly Series[] =>
  withSuccessors({ ...EMPTY, series: list }).series.slice(list.length)
const normal = normalTime({ ...EMPTY, baselines: [{ name: 'b1', from: at(0), to: at(60) }] })

describe('what is measured by version or by copy', () => {
  it.each(['version', 'app.kubernetes.io/version', 'pod', 'instance'])(
    'goes on over a rollout that replaces the %s, so that its failing has a normal time',
    (label) => {
      const [, fresh] = replaced(label) as [Series, Series]
      expect(findShift(fresh, normal)).toBeNull()
      const [joined, ...others] = joinedOf(replaced(label)) as [Series]
      expect(others).toEqual([])
      expect(joined).toMatchObject({ entity: 'stock', name: 'http_5xx_ratio', labels: { region: 'north' } })
      expect(Array.from(joined.times)).toEqual(Array.from(errors.times))
      expect(Array.from(joined.values)).toEqual(Array.from(errors.values))
      expect(findShift(joined, normal)).toMatchObject({ is_bad: true, direction: 'up' })
    },
  )

  it('stays as it is where nothing was replaced, or other labels tell the series apart', () => {
    const both = [part(errors, 0, LENGTH, { pod: 'a' }), part(errors, 4, LENGTH, { pod: 'b' })]
    const snapshot = { ...EMPTY, series: both }
    expect(withSuccessors(snapshot)).toBe(snapshot)
    expect(
      joinedOf([part(errors, 0, ONSET, { route: 'a' }), part(errors, ONSET, LENGTH, { route: 'b' })]),
    ).toEqual([])
    expect(
      joinedOf([part(errors, 0, LENGTH, { pod: 'a' }), part(errors, 5, LENGTH, { pod: 'b' })]),
    ).toHaveLength(1)
  })

  it('is the same in whichever order the copies come, also where one of several was not measured in an instant', () => {
    const old = part(errors, 0, ONSET, { pod: 'a' })
    const copies = [Number.NaN, 0.4, 0.1].map((value, index) => ({
      ...part(errors, ONSET, LENGTH, { pod: `b${index}` }),
      values: new Float64Array(LENGTH - ONSET).fill(value),
    }))
    const [first, second, third] = copies as [Series, Series, Series]
    const orders = [
      [first, second, third],
      [second, first, third],
      [third, second, first],
      [second, third, first],
    ].map((order) => Array.from(joinedOf([old, ...order])[0]?.values ?? []))
    expect(orders[0]?.slice(ONSET, ONSET + 3)).toEqual([0.1, 0.4, Number.NaN])
    for (const order of orders) expect(order).toEqual(orders[0])
  })

  it('is in the order of time whatever the copies have in common, and where one tells an instant twice or too late', () => {
    const copy = (pod: string, minutes: readonly number[], values: readonly number[]): Series => ({
      ...{ ...errors, labels: { pod } },
      times: Float64Array.from(minutes, at),
      values: Float64Array.from(values),
    })
    const told = (list: readonly Series[]) => {
      const [one] = joinedOf(list) as [Series]
      return Array.from(one.times, (time, index) => [(time - at(0)) / 60_000, one.values[index]])
    }
    const [a, b, c] = [copy('a', [0, 2, 9], [5, 6, 7]), copy('b', [1, 2, 20], [1, 2, 3]), copy('c', [9], [7])]
    const inOrder = [...[0, 5], ...[1, 1], ...[2, 2], ...[2, 6], ...[9, 7], ...[9, 7], ...[20, 3]]
    expect(told([a, b, c]).flat()).toEqual(inOrder)
    expect(told([c, b, a]).flat()).toEqual(inOrder)
    expect(told([copy('a', [0, 0, 2], [4, 3, 1]), copy('b', [9, 8], [1, 2])]).flat()).toEqual([
      ...[...[0, 3], ...[0, 4], ...[2, 1]],
      ...[...[8, 2], ...[9, 1]],
    ])
  })

  it('is joined only of what users feel, and never of buckets', () => {
    const as = (name: string, type: Series['type'] = 'gauge') =>
      joinedOf(replaced('pod').map((one) => ({ ...one, name, type })))
    expect(as('http_p95_ms')).toHaveLength(1)
    for (const name of ['cpu_usage_percent', 'http_requests_per_second', 'client_errors_total', 'pods_ready'])
      expect(as(name), name).toEqual([])
    expect(as('http_errors', 'histogram')).toEqual([])
    expect(joinedOf([{ ...errors, times: new Float64Array(), values: new Float64Array() }])).toEqual([])
  })

  it('is one of each entity, name, type, unit, statistic and window, of the first source', () => {
    const [old, fresh] = replaced('pod') as [Series, Series]
    for (const other of [
      { ...fresh, entity: 'cart' },
      { ...fresh, name: 'http_p95_ms' },
      { ...fresh, unit: '%' },
      { ...fresh, agg: 'p95' },
      { ...fresh, window_of: 'b1' },
      { ...fresh, type: 'rate' as const },
    ])
      expect(joinedOf([old, other])).toEqual([])
    expect(
      joinedOf([
        { ...old, source: 'z' },
        { ...fresh, source: 'b' },
      ])[0]?.source,
    ).toBe('b')
    expect(
      joinedOf([
        { ...old, source: 'b' },
        { ...fresh, source: 'z' },
      ])[0]?.source,
    ).toBe('b')
  })

  it('counts a counter as the rate of each copy, in the order of time', () => {
    const counter = (from: number, to: number, step: number, pod: string): Series => ({
      ...part(errors, from, to, { pod }),
      ...{ name: 'http_errors_total', type: 'counter' },
      values: Float64Array.from({ length: to - from }, (_, index) => index * step),
    })
    const [joined] = joinedOf([counter(10, 20, 600, 'b'), counter(0, 12, 60, 'a')]) as [Series]
    expect(joined.type).toBe('rate')
    expect(Array.from(joined.times)).toEqual([...joined.times].toSorted((a, b) => a - b))
    expect(new Set(joined.values)).toEqual(new Set([1, 10]))
    // Of two at one instant the smaller is first, whoever is named first.
    expect(Array.from(joined.values.slice(9, 13))).toEqual([1, 1, 10, 10])
  })
})
