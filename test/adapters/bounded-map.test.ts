import { expect, test } from 'vitest'
import { BoundedMap } from '#shared/adapters/bounded-map.ts'

test('past its bound it forgets what was put in longest ago, counting a value put again as new', () => {
  const map = new BoundedMap<number>(3)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  map.set('a', 4)
  map.set('d', 5)
  expect(['a', 'b', 'c', 'd'].map((name) => map.get(name))).toEqual([4, undefined, 3, 5])
  map.delete('c')
  map.set('e', 6)
  expect(['a', 'c', 'd', 'e'].map((name) => map.get(name))).toEqual([4, undefined, 5, 6])
})
