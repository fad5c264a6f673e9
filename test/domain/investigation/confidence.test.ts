import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP,
  CONFIDENCE_CAP_UNMAPPED,
  type ConfidenceInput,
  confidenceOf,
} from '#shared/domain/investigation/confidence.ts'
import { COEFFICIENTS } from '#shared/domain/investigation/confidence-coefficients.ts'

const input = (part: Partial<ConfidenceInput>): ConfidenceInput => ({
  margin: 0.5,
  kinds: 1,
  coverage: 0.5,
  caps: [],
  ...part,
})
const inputs = fc.record({
  margin: fc.double({ min: 0, max: 1, noNaN: true }),
  kinds: fc.double({ min: 0, max: 5, noNaN: true }),
  coverage: fc.double({ min: 0, max: 1, noNaN: true }),
  caps: fc.constant<readonly number[]>([]),
})

describe('the confidence', () => {
  it('never falls where the margin, the kinds of evidence or the coverage grow', () => {
    fc.assert(
      fc.property(
        inputs,
        fc.constantFrom('margin' as const, 'kinds' as const, 'coverage' as const),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (one, which, more) => {
          expect(confidenceOf({ ...one, [which]: one[which] + more })).toBeGreaterThanOrEqual(
            confidenceOf(one),
          )
        },
      ),
    )
  })

  it('has coefficients of the sign that was fixed before the fit', () => {
    for (const sign of [COEFFICIENTS.per_margin, COEFFICIENTS.per_kind, COEFFICIENTS.per_coverage])
      expect(sign).toBeGreaterThanOrEqual(0)
  })

  it('is 0 where two hypotheses fit equally well', () => {
    expect(confidenceOf(input({ margin: 0, kinds: 4 }))).toBe(0)
  })

  it('is never above .95, above a cap, or above .6 where less was looked at than the fit has seen', () => {
    fc.assert(
      fc.property(inputs, fc.double({ min: 0, max: 1, noNaN: true }), (one, cap) => {
        const confidence = confidenceOf(one)
        expect(confidence).toBeGreaterThanOrEqual(0)
        expect(confidence).toBeLessThanOrEqual(CONFIDENCE_CAP)
        expect(Math.round(confidence * 100) / 100).toBe(confidence)
        expect(confidenceOf({ ...one, caps: [cap] })).toBeLessThanOrEqual(cap + 0.005)
      }),
    )
    expect(confidenceOf(input({ margin: 1, kinds: 2, coverage: 0 }))).toBeLessThanOrEqual(
      CONFIDENCE_CAP_UNMAPPED,
    )
  })
})
