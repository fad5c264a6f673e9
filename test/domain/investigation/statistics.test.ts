import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyOf,
  ENOUGH,
  extremeWithin,
  type LevelBounds,
  levelUnless,
  median,
  medianAbsoluteDeviation,
  medianWithin,
  normalLevel,
  quantile,
  round6,
} from '#shared/domain/investigation/statistics.ts'

const numbers = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 })

/** No smallest spread. */
const none = (): number => 0

const floors = { relative: 0, at: none }

/** The level of a stretch, of which no bounds are enough. */
function orderedLevel(values: readonly number[], from = 0, to = values.length) {
  const level = levelUnless(values, floors, from, to, () => false)
  return level === ENOUGH ? null : level
}

/** The bounds of the level of a stretch, where there are any. */
function boundsOf(
  values: readonly number[],
  from = 0,
  to = values.length,
  relative = 0,
): LevelBounds | undefined {
  const told: LevelBounds[] = []
  const level = levelUnless(values, { ...floors, relative }, from, to, (bounds) => told.push(bounds) > 0)
  expect(level === ENOUGH).toBe(told.length > 0)
  return told[0]
}

describe('robust statistics', () => {
  it('give the textbook values', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(quantile([0, 10], 0.25)).toBe(2.5)
    expect(medianAbsoluteDeviation([1, 1, 2, 2, 4, 6, 9])).toBe(1)
  })

  it('take the median of the distances by hand as by rank', () => {
    const byHand = (values: readonly number[]) => {
      const middle = median(values)
      return median(values.map((value) => Math.abs(value - middle)))
    }
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 30 }), (values) => {
        expect(medianAbsoluteDeviation(values)).toBeCloseTo(byHand(values), 9)
      }),
    )
    expect(medianAbsoluteDeviation([1, 2, 3, 10])).toBe(1)
    expect(medianAbsoluteDeviation([7])).toBe(0)
    expect(medianAbsoluteDeviation([])).toBeNaN()
  })

  it('take of a long series every n-th value, about 256 of them', () => {
    const counted = (count: number) =>
      normalLevel(
        Array.from({ length: count }, (_, index) => index),
        0,
        none,
      )
    expect(counted(511)?.count).toBe(511)
    expect(counted(512)?.count).toBe(256)
    expect(counted(513)).toMatchObject({ count: 257, middle: 256 })
    expect(counted(768)).toMatchObject({ count: 256, middle: 382.5 })
  })

  it('select by parts and partition what a sort would put there', () => {
    const shares = fc.constantFrom(0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
    // Few distinct values and many alike are what partitions go wrong on.
    const lists = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 200 }),
      numbers,
      // Enough of them to be put roughly in order first: evenly spread, nearly all in one part of their range, of ranges
      // that are so wide or so narrow that numbers do not divide them.
      fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 48, maxLength: 400 }),
      fc.array(fc.double({ min: -1e300, max: 1e300, noNaN: true }), { minLength: 48, maxLength: 100 }),
      fc.array(fc.double({ min: 0, max: 1e-320, noNaN: true }), { minLength: 48, maxLength: 100 }),
      fc
        .array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 48, maxLength: 400 })
        .map((powers) => powers.map((power) => 10 ** power)),
    )
    fc.assert(
      fc.property(lists, shares, (values, share) => {
        const sorted = [...values].sort((a, b) => a - b)
        const position = (values.length - 1) * share
        const low = sorted[Math.floor(position)] as number
        const high = sorted[Math.ceil(position)] as number
        // A zero below zero is zero: nothing was measured there that a sort would tell apart.
        expect(quantile(values, share) + 0).toBe(low + (high - low) * (position - Math.floor(position)) + 0)
      }),
    )
  })

  it('give the quantiles of a level as one by one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 200 }), (values) => {
        const outer = (quantile(values, 0.95) - quantile(values, 0.05)) / 3.29
        expect(normalLevel(values, 0, none)).toEqual({
          middle: median(values),
          spread: Math.max(medianAbsoluteDeviation(values) * 1.4826, outer),
          count: values.length,
        })
      }),
    )
  })

  it('give the level of hundreds of values as a sort would, also of nearly constant ones and beside wild ones', () => {
    const values = fc.array(
      fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.double({ min: -1, max: 1e9, noNaN: true })),
      { minLength: 48, maxLength: 255 },
    )
    fc.assert(
      fc.property(values, (list) => {
        const at = (sorted: readonly number[], share: number): number => {
          const position = (sorted.length - 1) * share
          const below = Math.floor(position)
          const low = sorted[below] as number
          return low + ((sorted[below + 1] ?? low) - low) * (position - below)
        }
        const ordered = (of: readonly number[]) => [...of].sort((a, b) => a - b)
        const sorted = ordered(list)
        const middle = at(sorted, 0.5)
        const deviation = at(ordered(list.map((value) => Math.abs(value - middle))), 0.5)
        const range = at(sorted, 0.95) - at(sorted, 0.05)
        const level = orderedLevel([-1, ...list, -1], 1, list.length + 1)
        expect(level?.middle).toBe(middle)
        expect(level?.spread).toBe(Math.max(deviation * 1.4826, range / 3.29))
      }),
    )
  })

  it('give the level of values that scatter less than a floor as an order of them would', () => {
    const length = { minLength: 16, maxLength: 250 }
    const scattered = fc.oneof(
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), length),
      // Most of them as far from the middle as any.
      fc.array(fc.constantFrom(-1, -0.98, 0.99, 1), length),
    )
    const by = fc.constantFrom(-900, -40, -3, 0, 5, 30, 2_000)
    const wild = fc.constantFrom([], [70], [-500, 80])
    const floor = fc.constantFrom(0, 0.4, 20)
    fc.assert(
      fc.property(
        scattered,
        by,
        wild,
        floor,
        fc.constantFrom(0, 0.02, 0.3),
        (list, middle, far, at, relative) => {
          const values = [...list.map((one) => middle + one), ...far]
          const level = levelUnless(values, { relative, at: () => at }, 0, values.length, () => false)
          const sorted = [...values].sort((a, b) => a - b)
          const share = (of: readonly number[], rank: number): number => {
            const position = (of.length - 1) * rank
            const low = of[Math.floor(position)] as number
            const high = of[Math.min(of.length - 1, Math.floor(position) + 1)] as number
            return low + (high - low) * (position % 1)
          }
          const half = share(sorted, 0.5)
          const away = sorted.map((one) => Math.abs(one - half)).sort((a, b) => a - b)
          expect(level).toEqual({
            middle: half,
            spread: Math.max(
              share(away, 0.5) * 1.4826,
              (share(sorted, 0.95) - share(sorted, 0.05)) / 3.29,
              Math.abs(half) * relative,
              at,
            ),
            count: values.length,
          })
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('look at a stretch as at a list of its own', () => {
    const list = [9, Number.NaN, 4, 8, 1, 7, 0]
    expect(medianWithin(list, 1, 6)).toBe(median(list.slice(1, 6)))
    expect(extremeWithin(list, 1, 1, 6)).toBe(8)
    expect(extremeWithin(list, 0, 1, 6)).toBe(1)
    expect(medianWithin(list, 1, 2)).toBeNaN()
  })

  it('take the largest of the three spreads of a normal level', () => {
    // Half the values lie 1 away from the middle: the deviation decides.
    expect(normalLevel([9, 9, 10, 11, 11], 0, none)?.spread).toBeCloseTo(1.4826, 9)
    // Two outer values of many, none of which the median sees: the quantiles decide.
    const bimodal = [...Array.from({ length: 16 }, () => 10), 20, 20, 20, 20]
    expect(normalLevel(bimodal, 0, none)?.spread).toBeCloseTo(10 / 3.29, 9)
    expect(normalLevel([-100, -100], 0.02, () => 1)).toEqual({ middle: -100, spread: 2, count: 2 })
    expect(normalLevel([0, 0], 0.02, () => 1)).toEqual({ middle: 0, spread: 1, count: 2 })
  })

  it('skip what was not measured and are NaN when nothing was', () => {
    expect(median([Number.NaN, 5, Number.NaN])).toBe(5)
    expect(median([])).toBeNaN()
    expect(normalLevel([Number.NaN], 0.02, none)).toBeNull()
  })

  it('do not depend on order, lie within the range and grow with the share', () => {
    fc.assert(
      fc.property(
        numbers,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, a, b) => {
          const [low, high] = a < b ? [a, b] : [b, a]
          expect(quantile([...values].reverse(), low)).toBe(quantile(values, low))
          expect(quantile(values, low)).toBeLessThanOrEqual(quantile(values, high) + 1e-6)
          expect(quantile(values, low)).toBeGreaterThanOrEqual(Math.min(...values) - 1e-6)
        },
      ),
    )
  })

  it('measure the deviation as its definition says', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const middle = median(values)
        expect(medianAbsoluteDeviation(values)).toBeCloseTo(
          median(values.map((value) => Math.abs(value - middle))),
          6,
        )
      }),
    )
    expect(medianAbsoluteDeviation([])).toBeNaN()
  })

  it('tell the level of a long series from part of it', () => {
    const long = Array.from({ length: 5_000 }, (_, index) => 100 + (index % 7))
    expect(normalLevel(long, 0.02, none)?.middle).toBeCloseTo(103, 0)
  })

  it('are not moved by one wild value', () => {
    const calm = Array.from({ length: 21 }, (_, index) => 100 + (index % 3))
    expect(median([...calm, 1e9])).toBeCloseTo(median(calm), 0)
  })

  it('keep a spread above its floors', () => {
    expect(normalLevel([50, 50, 50], 0.02, () => 0.1)).toEqual({ middle: 50, spread: 1, count: 3 })
    expect(normalLevel([0, 0, 0], 0.02, () => 0.1)?.spread).toBe(0.1)
  })

  it('join chances without ever leaving 0 to 1', () => {
    expect(round6(anyOf(0.5, 0.5))).toBe(0.75)
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 2, noNaN: true })), (chances) => {
        expect(anyOf(...chances)).toBeGreaterThanOrEqual(0)
        expect(anyOf(...chances)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('bounds of a level', () => {
  const noise = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 16, maxLength: 700 })

  it('hold the level that an order of the values gives', () => {
    const lists = fc.oneof(
      noise,
      fc
        .tuple(noise, fc.double({ min: -1e9, max: 1e9, noNaN: true }))
        .map(([list, by]) => list.map((one) => one + by)),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 16, maxLength: 300 }),
      fc.array(fc.double(), { minLength: 16, maxLength: 100 }),
    )
    fc.assert(
      fc.property(lists, (values) => {
        const bounds = boundsOf(values)
        const level = normalLevel(values, 0, none)
        expect(orderedLevel(values)).toEqual(level)
        if (bounds === undefined || level === null) return
        expect(level.middle).toBeGreaterThanOrEqual(bounds.low)
        expect(level.middle).toBeLessThanOrEqual(bounds.high)
        expect(level.spread).toBeGreaterThanOrEqual(bounds.spread)
        expect(bounds.spread).toBeGreaterThan(0)
      }),
    )
  })

  it('count a spread that is a share of the level where the values themselves hardly scatter', () => {
    const steady = [...Array.from({ length: 199 }, () => 100), 101]
    expect(boundsOf(steady)).toBeUndefined()
    const bounds = boundsOf(steady, 0, 200, 0.02)
    expect(bounds?.spread).toBeGreaterThan(1.9)
    expect(bounds?.spread).toBeLessThanOrEqual(normalLevel(steady, 0.02, none)?.spread ?? 0)
    expect(
      boundsOf(
        steady.map(() => -7),
        0,
        200,
        0.02,
      ),
    ).toEqual({ low: -7, high: -7, spread: 0.14 })
  })

  it('are the range of values that scatter less than a floor, of which nothing else is looked at', () => {
    const close = Array.from({ length: 200 }, (_, index) => 1_000 + (index % 10))
    const bounds = boundsOf(close, 0, 200, 0.02)
    expect(bounds?.low).toBe(1_000)
    expect(bounds?.high).toBe(1_009)
    expect(bounds?.spread).toBeLessThanOrEqual(normalLevel(close, 0.02, none)?.spread ?? 0)
  })

  it('are narrow where values scatter, and none of few values or of values that hardly differ', () => {
    const even = Array.from({ length: 200 }, (_, index) => index)
    const bounds = boundsOf([999, ...even, 999], 1, 201)
    expect(bounds?.low).toBeGreaterThan(90)
    expect(bounds?.high).toBeLessThan(110)
    expect(bounds?.spread).toBeGreaterThan(0.9 * (normalLevel(even, 0, none)?.spread ?? 0) * (170 / 244))
    expect(boundsOf(even, 0, 15)).toBeUndefined()
    expect(boundsOf(even.map(() => 7))).toBeUndefined()
    expect(boundsOf([...even.map(() => 7), 8])).toBeUndefined()
    expect(boundsOf(even.map(() => Number.NaN))).toBeUndefined()
  })
})
