import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginningOf, cutText } from '#shared/domain/investigation/cut-text.ts'

describe('a text that is cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a😀bc', 3, 'a…'],
    ['a😀bc', 4, 'a😀…'],
    ['😀😀', 2, '…'],
    ['the order failed', 12, 'the order…'],
    ['the order failed', 10, 'the order…'],
    ['[order][food]', 10, '[order][…'],
    ['a hash 0123456789abcdef0123456789abcdef', 34, 'a hash 0123456789abcdef0123456789…'],
  ])('%s, at %i, is %s', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut)
  })

  it('is whole characters, and no longer than it may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 30 }), (text, most) => {
        for (const cut of [cutText(text, most), beginningOf(text, most)]) {
          expect(cut.isWellFormed()).toBe(true)
          expect(cut.length).toBeLessThanOrEqual(most)
        }
      }),
    )
  })
})
