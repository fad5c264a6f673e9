import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDeviation, medianInterval } from '#shared/domain/investigation/change-point.ts'

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index * 60_000)

describe('finding where a series leaves its normal level', () => {
  it('finds the first sample of a lasting step, with an interval around it', () => {
    const found = findDeviation(
      times(60),
      times(60).map((_, index) => (index >= 40 ? 9 : 0)),
    )
    expect(found).toMatchObject({ direction: 'up', first: 40, last: 59, ended_at: null })
    expect(found?.onset).toEqual({ at: 40 * 60_000, earliest: 39 * 60_000, latest: 41 * 60_000 })
  })

  it('says when it came back to normal', () => {
    const found = findDeviation(
      times(60),
      times(60).map((_, index) => (index >= 20 && index < 30 ? -7 : 0)),
    )
    expect(found).toMatchObject({ direction: 'down', first: 20, last: 29, ended_at: 30 * 60_000 })
  })

  it('dates a ramp from where it leaves the noise', () => {
    const found = findDeviation(
      times(60),
      times(60).map((_, index) => Math.max(0, (index - 30) * 2)),
    )
    expect(found?.first).toBeGreaterThanOrEqual(31)
    expect(found?.first).toBeLessThanOrEqual(33)
  })

  it('ignores a single spike, gaps and noise', () => {
    expect(
      findDeviation(
        times(60),
        times(60).map((_, index) => (index === 30 ? 1_000 : 0)),
      ),
    ).toBeNull()
    expect(
      findDeviation(
        times(60),
        times(60).map(() => Number.NaN),
      ),
    ).toBeNull()
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -2.9, max: 2.9, noNaN: true }), { minLength: 1, maxLength: 80 }),
        (noise) => {
          expect(findDeviation(times(noise.length), noise)).toBeNull()
        },
      ),
    )
  })

  it('finds a step wherever it lies, through any noise below the threshold', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 70 }),
        fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 80, maxLength: 80 }),
        (step, noise) => {
          const found = findDeviation(
            times(80),
            noise.map((value, index) => value + (index >= step ? 12 : 0)),
          )
          expect(found?.first).toBe(step)
        },
      ),
    )
  })

  it('knows the sampling interval', () => {
    expect(medianInterval([0, 10, 20, 30, 1_000])).toBe(10)
    expect(medianInterval([5])).toBe(0)
  })
})
