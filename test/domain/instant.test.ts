import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatInstant, parseInstant, readInstant, writeInstant } from '#shared/domain/instant.ts'

describe('reading an instant', () => {
  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T12:60:00Z',
    '2026-01-01T12:00:60Z',
    '2026-01-01',
    '1',
    '01/02/2026',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00z',
    '2026-01-01 00:00:00Z',
    '+002026-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00Z',
    '',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '2025-02-29T00:00:00Z',
    '2026-01-01T00:00:00.1234567890Z',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(readInstant(text)).toBeNull())
  }

  it('takes a leap day and cuts fractions to milliseconds', () => {
    expect(readInstant('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29))
    expect(readInstant('2026-01-01T00:00:00.123999Z')).toBe(Date.UTC(2026, 0, 1, 0, 0, 0, 123))
    expect(readInstant('2026-01-01T00:00:00.5Z')).toBe(Date.UTC(2026, 0, 1, 0, 0, 0, 500))
  })

  it('takes all from the beginning of 1970 on', () => {
    expect(readInstant('1970-01-01T00:00:00Z')).toBe(0)
  })

  it('gives back every instant that was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (at) => {
        expect(readInstant(writeInstant(at))).toBe(at)
      }),
    )
  })
})

test('an instant is read with any fraction and refused unless it stands in the calendar and ends in Z', () => {
  expect(parseInstant('2026-03-01T12:00:00Z')).toBe(Date.UTC(2026, 2, 1, 12))
  expect(parseInstant('2026-03-01T12:00:00.5Z')).toBe(Date.UTC(2026, 2, 1, 12) + 500)
  expect(parseInstant('2026-03-01T12:00:00.000250999Z')).toBe(Date.UTC(2026, 2, 1, 12) + 0.25)
  expect(parseInstant('2028-02-29T00:00:00Z')).toBe(Date.UTC(2028, 1, 29))
  for (const refused of [
    '',
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:60Z',
    '0099-03-01T12:00:00Z',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00+00:00',
    '2026-03-01 12:00:00Z',
    '2026-03-01T12:00Z',
    '2026-03-01T12:00:00.Z',
    '2026-03-01T12:00:00Z\n',
    '1772366400000',
  ])
    expect(parseInstant(refused), refused).toBeUndefined()
})

test('what is written is read back exactly, to the microsecond, in this century', () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2000), max: Date.UTC(2100) }), fc.nat(999), (whole, micro) => {
      const at = whole + micro / 1000
      // The fraction of a double this size is itself rounded: what counts is the microsecond it stands for.
      const read = parseInstant(formatInstant(at))
      expect(read).toBe(whole + micro / 1000)
    }),
  )
})

test('an instant that is a hair from a whole millisecond is written as that millisecond', () => {
  expect(formatInstant(1_772_366_400_000 - 2 ** -12)).toBe('2026-03-01T12:00:00.000Z')
  expect(formatInstant(1_772_366_400_000 + 2 ** -12)).toBe('2026-03-01T12:00:00.000Z')
  expect(formatInstant(1_772_366_400_000)).toBe('2026-03-01T12:00:00.000Z')
  expect(formatInstant(1_772_366_400_000.25)).toBe('2026-03-01T12:00:00.000250Z')
})
