import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findDeviation,
  isSurelyCalm,
  medianInterval,
} from '#shared/domain/investigation/deviations/change-point.ts'

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

describe('what makes a deviation', () => {
  const of = (...z: readonly number[]) => findDeviation(times(z.length), z)
  const calm = [0, 0, 0]

  it('is two samples as far away as counts, or more of them nearer', () => {
    expect(of(...calm, 8, 8)).toMatchObject({ direction: 'up', first: 3, last: 4, total: 10 })
    expect(of(...calm, 8, 7.9)).toBeNull()
    expect(of(...calm, -1_000, -1_000)).toMatchObject({ direction: 'down', first: 3, total: 10 })
    expect([of(...calm, 1_000), of(...calm, -1_000)]).toEqual([null, null])
  })

  it('begins with the first sample beyond the noise, and holds on over what was not measured', () => {
    expect(of(3, 8, 8)?.first).toBe(1)
    expect(of(-3, -8, -8)?.first).toBe(1)
    expect(of(0, 8, Number.NaN, 8)).toMatchObject({ first: 1, last: 3 })
    expect(of(Number.NaN, -8, -8)).toMatchObject({ first: 1, last: 2 })
    expect(of(8, 8, Number.NaN)).toMatchObject({ last: 1 })
  })

  it('is the first of two that are as strong, and the one upwards of two ways', () => {
    expect(of(8, 8, -8, -8, 0, 8, 8)).toMatchObject({ direction: 'up', first: 0, last: 1 })
    expect(of(-8, -8, 8, 7, 0, -8, -8)).toMatchObject({ direction: 'down', first: 0, last: 1 })
    expect(of(-8, -8, 8, 8)).toMatchObject({ direction: 'up', first: 2 })
  })

  it('came two intervals before its first sample at the earliest, and at it where there is none before', () => {
    const gap = [0, 1, 2, 3, 20, 21, 22].map((minute) => minute * 60_000)
    expect(findDeviation(gap, [0, 0, 0, 0, 8, 8, 8])?.onset).toEqual({
      ...{ at: 20 * 60_000, earliest: 18 * 60_000, latest: 21 * 60_000 },
    })
    expect(of(8, 8, 8)?.onset).toEqual({ at: 0, earliest: 0, latest: 60_000 })
  })

  it('is the mirror image of what it is upside down', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -12, max: 12, noNaN: true }), { minLength: 1, maxLength: 60 }),
        (z) => {
          const [one, other] = [of(...z), of(...z.map((value) => -value))]
          expect(one === null).toBe(other === null)
          if (one === null || other === null || one.total !== other.total) return
          expect([other.first, other.last, other.ended_at]).toEqual([one.first, one.last, one.ended_at])
          expect(one.total).toBeGreaterThanOrEqual(10)
        },
      ),
    )
  })
})

describe('the usual distance between samples', () => {
  it('is the middle one of all, wherever the gaps lie', () => {
    expect(medianInterval([0, 10, 110, 120])).toBe(10)
    expect(medianInterval([0, 100, 110, 120])).toBe(10)
    expect(medianInterval([0, 7])).toBe(7)
    // What one series told is nothing of the next, which has fewer samples.
    medianInterval(Array.from({ length: 200 }, (_, index) => index * 90 + (index % 2)))
    expect(medianInterval([0, 10, 21, 33])).toBe(11)
    expect(medianInterval([])).toBe(0)
    expect(medianInterval(Array.from({ length: 1_000 }, (_, index) => index * 5))).toBe(5)
  })
})

describe('what surely departs from nothing', () => {
  const bounds = { low: 9, high: 11, spread: 2 }
  const calm = (values: readonly number[]): boolean => isSurelyCalm(values, 0, values.length, bounds)

  it('has no deviation at any level and spread within the bounds', () => {
    const values = fc.array(fc.oneof(fc.double({ min: 0, max: 20 }), fc.double()), { maxLength: 30 })
    const middles = fc.double({ min: 9, max: 11, noNaN: true })
    const spreads = fc.double({ min: 2, max: 9, noNaN: true })
    fc.assert(
      fc.property(values, middles, spreads, (list, middle, spread) => {
        if (!calm(list)) return
        const distances = list.map((value) =>
          Number.isFinite(value) ? (value - middle) / spread : Number.NaN,
        )
        expect(findDeviation(times(list.length), distances)).toBeNull()
      }),
    )
  })

  it('may pass the noise once, and not twice', () => {
    expect(calm([10, 16.9, 3.1, Number.NaN])).toBe(true)
    expect(calm([10, 99, 10])).toBe(true)
    expect(calm([10, 99, 99])).toBe(false)
    expect(calm([10, -99, -99])).toBe(false)
    expect(isSurelyCalm([99, 99, 10, 99, 99], 2, 3, bounds)).toBe(true)
  })

  it('may pass the noise again after as long within it as makes up for it, measured', () => {
    expect(calm([99, 10, 10, 10, 99])).toBe(true)
    expect(calm([99, 10, 99, 99])).toBe(false)
    expect(calm([99, Number.NaN, Number.NaN, Number.NaN, 99])).toBe(false)
  })
})
