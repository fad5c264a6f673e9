import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isSkeleton,
  lettersDropped,
  nearestUndropped,
} from '#shared/domain/investigation/questions/dropped-vowels.ts'

const word = fc.stringMatching(/^[a-z]{2,12}$/)
/** A word with some of its vowels left away behind its first letter, and how many those are. */
const dropped = fc
  .tuple(word, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }))
  .map(([meant, leaves]) => {
    const isKept = (letter: string, at: number): boolean =>
      at === 0 || !'aeiou'.includes(letter) || leaves[at] !== true
    const typed = [...meant].filter(isKept).join('')
    return { meant, typed, count: meant.length - typed.length }
  })

describe('letters that somebody left away', () => {
  it('are counted, whichever vowels they are', () => {
    fc.assert(
      fc.property(dropped, ({ meant, typed, count }) => {
        expect(lettersDropped(typed, meant)).toBe(count)
      }),
    )
  })

  it('are none of a word itself, and of no word that is as long and another', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(lettersDropped(one, one)).toBe(0)
        if (one.length === other.length && one !== other) expect(lettersDropped(one, other)).toBeNull()
      }),
    )
  })

  it.each([
    ['pymnts', 'payments', 2],
    ['agn', 'again', 2],
    ['hapnd', 'happened', 3],
    ['catlog', 'catalog', 1],
    ['gatekepr', 'gatekeeper', 2],
  ])('make “%s” of %s', (typed, meant, count) => {
    expect(lettersDropped(typed, meant)).toBe(count)
  })

  it.each([
    ['stock', 'stocks'],
    ['tock', 'stock'],
    ['stk', 'stocks'],
    ['orders', 'order'],
    ['bskt', 'biscuit'],
  ])('do not make “%s” of %s', (typed, meant) => {
    expect(lettersDropped(typed, meant)).toBeNull()
  })
})

describe('the word that is meant', () => {
  it('is the one that most is left of, and none where two are as near', () => {
    expect(nearestUndropped('chng', ['changes', 'change', 'charge'])).toBe('change')
    expect(nearestUndropped('tm', ['time', 'team', 'tome'])).toBeNull()
    expect(nearestUndropped('xyz', ['time'])).toBeNull()
    expect(nearestUndropped('agn', ['again', 'again'])).toBe('again')
  })

  it('is looked for where no vowel stands behind the first letter', () => {
    expect(['agn', 'tdy', 'opn'].every(isSkeleton)).toBe(true)
    expect(['again', 'today', 'catlog'].some(isSkeleton)).toBe(false)
  })
})
