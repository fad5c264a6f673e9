import { describe, expect, it } from 'vitest'
import { seriesNamed } from '#shared/domain/investigation/records/series-by-name.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'

const series = (entity: string, name: string): Series => ({
  ...{ source: 'metrics', entity, name, labels: {}, type: 'gauge' },
  times: new Float64Array(0),
  values: new Float64Array(0),
})

describe('series of names that fit', () => {
  const list = [series('web', 'b'), series('cart', 'a'), series('web', 'c'), series('till', 'a')]

  it('are told in their order, whatever order their names come in', () => {
    expect(seriesNamed(list, (name) => name !== 'c')).toEqual([list[0], list[1], list[3]])
    expect(seriesNamed(list, () => false)).toEqual([])
    expect(seriesNamed([], () => true)).toEqual([])
  })

  it('are looked for once for each list, and each name is asked for once', () => {
    const asked: string[] = []
    const isA = (name: string): boolean => asked.push(name) > 0 && name === 'a'
    const found = seriesNamed(list, isA)
    expect(seriesNamed(list, isA)).toBe(found)
    expect(asked).toEqual(['b', 'a', 'c'])
    expect(seriesNamed([...list, series('web', 'a')], isA)).toHaveLength(3)
  })
})
