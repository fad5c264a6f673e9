import { describe, expect, it } from 'vitest'
import { seriesByEntity, seriesOf } from '#shared/domain/investigation/records/series-by-entity.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'

const series = (entity: string, name: string): Series => ({
  ...{ source: 'metrics', entity, name, labels: {}, type: 'gauge' },
  times: new Float64Array(0),
  values: new Float64Array(0),
})

describe('the series of an entity', () => {
  const list = [series('web', 'a'), series('cart', 'b'), series('web', 'c')]

  it('are told in their order, and entities in the order of their first series', () => {
    expect([...seriesByEntity(list).keys()]).toEqual(['web', 'cart'])
    expect(seriesOf(list, 'web')).toEqual([list[0], list[2]])
  })

  it('are none of what is not measured, and of nothing', () => {
    expect(seriesOf(list, 'stock')).toEqual([])
    expect(seriesOf(list, null)).toEqual([])
    expect(seriesOf(list, undefined)).toEqual([])
    expect(seriesOf([series('', 'a')], null)).toEqual([])
  })

  it('are those of the list that is asked about, whichever was asked about before', () => {
    const other = [series('web', 'd')]
    expect([list, other, list].map((one) => seriesOf(one, 'web').length)).toEqual([2, 1, 2])
  })
})
