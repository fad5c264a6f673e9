import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idMaker } from '#shared/adapters/new-id.ts'
import { isId, timeOf } from '#shared/domain/ids.ts'

test('an id tells the instant that it was made for, also when the clock was set back', () => {
  const newId = idMaker()
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Date.UTC(9999, 11, 31) }), (at) => {
      const id = newId('inc', at)
      expect(isId(id, 'inc')).toBe(true)
      expect(timeOf(id)).toBe(at)
    }),
  )
})

test('ids of one instant are in the order of their making, and no two are the same', () => {
  const newId = idMaker()
  const ids = Array.from({ length: 1_000 }, () => newId('tl', 5))
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(1_000)
  expect(newId('tl', 4) < (ids[0] ?? '')).toBe(true)
})
