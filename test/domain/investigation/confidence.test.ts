import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP, confidenceOf } from '#shared/domain/investigation/confidence.ts'

const input = { best: 0.9, runner_up: 0.2, kinds: 3, coverage: 0.8, caps: [] }
const share = fc.double({ min: 0, max: 1, noNaN: true })
const inputs = fc.record({
  best: share,
  runner_up: share,
  kinds: fc.integer({ min: 0, max: 8 }),
  coverage: share,
  caps: fc.array(share, { maxLength: 3 }),
})

describe('confidence', () => {
  it('stands near .9 for a clear winner with three kinds of evidence, near .3 for a lone weak sign', () => {
    expect(confidenceOf({ best: 1, runner_up: 0.2, kinds: 3, coverage: 0.8, caps: [] })).toBe(0.91)
    expect(confidenceOf({ best: 0.5, runner_up: 0.2, kinds: 1, coverage: 0.6, caps: [] })).toBe(0.27)
  })

  it('is none where the best does not stand out', () => {
    expect(confidenceOf({ ...input, runner_up: input.best })).toBe(0)
    expect(confidenceOf({ ...input, runner_up: 1 })).toBe(0)
  })

  it('grows with the margin, with kinds up to the fourth, and with what was there', () => {
    const weak = { best: 0.5, runner_up: 0.2, kinds: 1, coverage: 0.5, caps: [] }
    const base = confidenceOf(weak)
    expect(confidenceOf({ ...weak, best: 0.6 })).toBeGreaterThan(base)
    expect(confidenceOf({ ...weak, runner_up: 0.1 })).toBeGreaterThan(base)
    expect(confidenceOf({ ...weak, coverage: 0.9 })).toBeGreaterThan(base)
    const byKinds = [1, 2, 3, 4, 5].map((kinds) => confidenceOf({ ...weak, kinds }))
    expect(byKinds).toEqual([0.25, 0.43, 0.62, 0.79, 0.79])
  })

  it('is a number of two digits from 0 to its cap, and no greater than the least other cap', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const confidence = confidenceOf(given)
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(confidence).toBeLessThanOrEqual(CONFIDENCE_CAP)
        expect(Math.round(confidence * 100) / 100).toBe(confidence)
        for (const cap of given.caps) expect(confidence).toBeLessThanOrEqual(Math.round(cap * 100) / 100)
      }),
    )
    expect(confidenceOf({ best: 1, runner_up: 0, kinds: 4, coverage: 1, caps: [] })).toBe(CONFIDENCE_CAP)
    expect(confidenceOf({ ...input, caps: [0.6, 0.35] })).toBe(0.35)
  })
})
