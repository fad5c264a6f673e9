import { describe, expect, it } from 'vitest'
import { withWholeSeries } from '#shared/domain/investigation/records/join-windows.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const part = (
  window_of: string,
  from: number,
  values: readonly number[],
  more: Partial<Series> = {},
): Series => ({
  ...{
    source: `asked for ${window_of}`,
    entity: 'shop',
    name: 'Latency',
    labels: {},
    type: 'gauge',
    agg: 'avg',
  },
  ...{ interval_s: 60, window_of },
  times: Float64Array.from(values, (_, index) => at(from + index)),
  values: Float64Array.from(values),
  ...more,
})
const joined = (...series: readonly Series[]): readonly Series[] =>
  withWholeSeries({ ...EMPTY, series } satisfies Snapshot).series

describe('what a tool is asked for window by window', () => {
  it('is one series under the record of the incident’s own window, in the order of time', () => {
    for (const list of [
      [part('b1', 0, [1, 2]), part('incident', 60, [9])],
      [part('incident', 60, [9]), part('b1', 0, [1, 2])],
    ]) {
      const [one, ...others] = joined(...list)
      expect(others).toEqual([])
      expect(one).toMatchObject({ source: 'asked for incident', name: 'Latency' })
      expect(one).not.toHaveProperty('window_of')
      expect([...(one as Series).times]).toEqual([at(0), at(1), at(60)])
      expect([...(one as Series).values]).toEqual([1, 2, 9])
    }
  })

  it('counts an instant once that two windows share, as the incident’s own tells it', () => {
    const [one] = joined(part('b1', 0, [1, 2]), part('incident', 1, [7]))
    expect([...(one as Series).values]).toEqual([1, 7])
  })

  it('tells what was added up over longer intervals for those of the incident, and leaves levels', () => {
    const values = (agg: string) => {
      const [one] = joined(part('incident', 60, [4], { agg }), part('b1', 0, [10], { agg, interval_s: 300 }))
      return [...(one as Series).values]
    }
    expect(values('Sum')).toEqual([2, 4])
    expect(values('Average')).toEqual([10, 4])
  })

  it.each([
    ['entity', { entity: 'other' }],
    ['name', { name: 'Duration' }],
    ['statistic', { agg: 'p95' }],
    ['unit', { unit: 's' }],
    ['label', { labels: { pod: 'a' } }],
    ['question', { query: 'another one' }],
  ] as [string, Partial<Series>][])('keeps apart what differs in its %s', (_, more) => {
    expect(joined(part('incident', 60, [9]), part('b1', 0, [1], more))).toHaveLength(2)
  })

  it('leaves what spans several windows already', () => {
    const { window_of: _, ...whole } = part('incident', 0, [1, 2])
    const snapshot: Snapshot = { ...EMPTY, series: [whole] }
    expect(withWholeSeries(snapshot)).toBe(snapshot)
    expect(joined(whole, part('incident', 60, [9], { entity: 'other' }))[0]).toBe(whole)
  })
})
