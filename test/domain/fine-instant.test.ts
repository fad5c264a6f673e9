import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatInstant, parseInstant } from '#shared/domain/instant.ts'

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

test('an instant that is a hair below a whole millisecond is written as that millisecond', () => {
  expect(formatInstant(1_772_366_400_000 - 2 ** -12)).toBe('2026-03-01T12:00:00.000Z')
  expect(formatInstant(1_772_366_400_000)).toBe('2026-03-01T12:00:00.000Z')
  expect(formatInstant(1_772_366_400_000.25)).toBe('2026-03-01T12:00:00.000250Z')
})
