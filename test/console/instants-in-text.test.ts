import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type TextPiece, textPieces } from '#functions/console/instants-in-text.ts'

const instants = (text: string) => textPieces(text).flatMap((piece) => ('at' in piece ? [piece.at] : []))

describe('a sentence of the service', () => {
  it('gives its instants and incidents, whichever way they are written', () => {
    const id = `inc_${'0'.repeat(26)}`
    expect(textPieces(`${id} began at 2026-11-27 23:33:00 UTC, or 2026-11-27T23:33:01.5Z.`)).toEqual([
      ...[{ text: '' }, { incident: id }, { text: ' began at ' }],
      ...[{ at: '2026-11-27T23:33:00Z', isExact: false }, { text: ', or ' }],
      ...[{ at: '2026-11-27T23:33:01.5Z', isExact: false }, { text: '.' }],
    ])
  })

  it.each([
    ['23:32:00', '23:33:40', '2026-11-27T23:32:00.000Z', '2026-11-27T23:33:40.000Z'],
    ['23:32:00', '00:02:10', '2026-11-27T23:32:00.000Z', '2026-11-28T00:02:10.000Z'],
  ])(
    'gives the clock times between which it began as instants of that day: %s to %s',
    (from, to, first, last) => {
      const text = `since 2026-11-27 23:33:00 UTC (between ${from} and ${to}), ongoing`
      expect(instants(text)).toEqual(['2026-11-27T23:33:00Z', first, last])
    },
  )

  it('gives those beside midnight their own day', () => {
    expect(instants('since 2026-11-28 00:01:00 UTC (between 23:59:00 and 00:02:00)')).toEqual([
      ...['2026-11-28T00:01:00Z', '2026-11-27T23:59:00.000Z', '2026-11-28T00:02:00.000Z'],
    ])
  })

  it('leaves clock times alone that somebody else wrote, of whose zone nothing is known', () => {
    expect(instants('pricing logged “done at 12:00:01” (between 10:00:00 and 11:00:00)')).toEqual([])
  })

  it('loses no word of it', () => {
    const told = (piece: TextPiece): string =>
      'text' in piece ? piece.text : 'at' in piece ? piece.at : piece.incident
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(textPieces(text).map(told).join('')).toBe(text)
      }),
    )
    const impossible = 'at 2026-99-99 23:33:00 UTC (between 23:32:00 and 23:33:40).'
    expect(textPieces(impossible).at(-2)).toEqual({ text: ' (between 23:32:00 and 23:33:40)' })
  })
})
