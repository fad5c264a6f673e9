import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readInstant, writeInstant } from '#shared/domain/instant.ts'

describe('reading an instant', () => {
  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
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

  it('gives back every instant that was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (at) => {
        expect(readInstant(writeInstant(at))).toBe(at)
      }),
    )
  })
})
