import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { legible, legibleLine } from '#shared/domain/investigation/legible-text.ts'

/** What steers a terminal or turns an order around, but for line breaks and tabs. */
const STEERS = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u
/** Anything, with what is looked for more often than chance has it. */
const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom(
      '\u001b[31m',
      '\u001b]0;title\u0007',
      '\u009b2J',
      '\u202e',
      '\u2066',
      '\u200b',
      '\u200d',
      '\r\n',
      '\0',
    ),
    fc.constantFrom('a', 'ب', 'क', '👩', '\ud83d', '[', 'm', '\u200c', '\u{e0067}', '\u{1f3f4}'),
  ),
  { maxLength: 12 },
)

describe('a legible text', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['a\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007', 'alink'],
    ['\u009b2Jx', 'x'],
    ['a\rb', 'a b'],
    ['a\r\nb', 'a\nb'],
    ['\u202edlrow\u2066', 'dlrow'],
    ['pay\u200bments\u2060\ufeff', 'payments'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['a\u007f\0\u0007b', 'a   b'],
    ['one\u2028two', 'one two'],
    ['a\u200db', 'ab'],
    ['\u200cb', 'b'],
    ['hidden\u{e0061}\u{e0062}', 'hidden'],
  ])('is without what steers, reorders or hides: %j', (text, shown) => {
    expect(legible(text)).toBe(shown)
  })

  it.each([
    ['lines and tabs', 'Zürich\n\t“東京” https://a.example/?b=c'],
    ['letters written from right to left', 'שלום עולם, مرحبا بالعالم'],
    ['a joiner that Persian is spelt with', 'می\u200cخواهم'],
    ['a joiner that Hindi is spelt with', 'क्\u200dष'],
    ['a family of one sign', '👩\u200d👩\u200d👧\u200d👦'],
    ['a person of a colour at work', '👩🏽\u200d🚀'],
    ['a heart on fire', '❤️\u200d🔥'],
    ['the flag of England', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
  ])('keeps %s', (_, text) => {
    expect(legible(text)).toBe(text)
  })

  it('is one line where it is a name: breaks and tabs with the blanks around them are one blank', () => {
    expect(legibleLine('stock \n\t api\tone\r\ntwo  three')).toBe('stock api one two  three')
    expect(legibleLine('stock')).toBe('stock')
  })

  it('writes a letter and its marks as one, so that a name is the same however it was typed', () => {
    const name = 'caf\u00e9-b\u00fchne'
    expect(legible(name.normalize('NFD'))).toBe(name)
    expect(legibleLine(name.normalize('NFD'))).toBe(name)
    expect(legible(name)).toBe(name)
    // What only looks alike stays what it is.
    expect(legible('\u2126 \ufb01le')).toBe('\u03a9 \ufb01le')
  })

  it('never holds what steers, whatever came, and stays as it is from then on', () => {
    fc.assert(
      fc.property(hostile, (pieces) => {
        const shown = legible(pieces.join(''))
        expect(shown).not.toMatch(STEERS)
        expect(legible(shown)).toBe(shown)
        expect(legibleLine(pieces.join(''))).not.toMatch(/[\n\t]/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is any text of letters, marks, numbers, signs and emoji as it was, in the form of Unicode that is composed', () => {
    const letters = fc.stringMatching(/^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]{0,40}$/u)
    fc.assert(
      fc.property(letters, (text) => {
        expect(legible(text)).toBe(text.normalize('NFC'))
      }),
      { numRuns: 1_000 },
    )
  })
})
