import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shuffled, spreadOf } from './spread.ts'

test('the median lies in the middle and the quartiles around it', () => {
  expect(spreadOf([5, 1, 3])).toEqual({ median: 3, lower: 2, upper: 4 })
  expect(spreadOf([1, 2, 3, 4]).median).toBe(2.5)
  expect(spreadOf([]).median).toBeNaN()
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const { median, lower, upper } = spreadOf(values)
      expect(lower).toBeLessThanOrEqual(median)
      expect(median).toBeLessThanOrEqual(upper)
      expect(values.filter((value) => value < median).length).toBeLessThanOrEqual(values.length / 2)
    }),
  )
})

test('an order of chance holds the same items', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (items) => {
      expect(shuffled(items).sort()).toEqual([...items].sort())
    }),
  )
  expect(shuffled([1, 2, 3, 4], () => 0)).not.toEqual([1, 2, 3, 4])
})
