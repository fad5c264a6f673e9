import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestName, slipsBetween } from '#shared/domain/investigation/records/near-names.ts'

const word = fc.string({ maxLength: 12 })

describe('slips between two words', () => {
  it.each([
    ['checkout', 'chekout', 1],
    ['checkout', 'checkuot', 1],
    ['checkout', 'cheeckout', 1],
    ['checkout', 'chackout', 1],
    ['pricing', 'mailer', 6],
    ['', 'abc', 3],
  ])('are counted: %s, %s: %d', (one, other, slips) => {
    expect(slipsBetween(one, other)).toBe(slips)
  })

  it('are none for the same word, as many in both directions, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        const slips = slipsBetween(one, other)
        expect(slips === 0).toBe(one === other)
        expect(slipsBetween(other, one)).toBe(slips)
        expect(slips).toBeLessThanOrEqual(Math.max([...one].length, [...other].length))
      }),
    )
  })
})

describe('the nearest name', () => {
  const names = ['checkout', 'orders', 'orders-db', 'mail', 'main']

  it('is one that is a slip away, two in a long word, whatever the case', () => {
    expect(nearestName('Chekcout', names)).toBe('checkout')
    expect(nearestName('chckot', names)).toBeNull()
    expect(nearestName('chekcuot', names)).toBe('checkout')
    expect(nearestName('order', names)).toBe('orders')
  })

  it('is none where two are as near, where the word is short, or where nothing is near', () => {
    expect(nearestName('mait', names)).toBeNull()
    expect(nearestName('mai', names)).toBeNull()
    expect(nearestName('payments', names)).toBeNull()
  })
})
