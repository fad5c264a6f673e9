import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  PLAN_LIMITS,
  rateHeaders,
  rateState,
  retryAfter,
  WINDOW_MS,
  windowOf,
} from '#shared/domain/rate-limit.ts'

const instants = fc.integer({ min: 0, max: 4_102_444_800_000 })

it('a plan allows what the specification says', () => {
  expect(PLAN_LIMITS).toEqual({ standard: 100, enterprise: 1_000 })
})

describe('the rate window', () => {
  it('ends in the future, at most a minute away, on a full minute', () => {
    fc.assert(
      fc.property(instants, (now) => {
        const { reset } = rateState(100, 1, now)
        expect(reset * 1_000).toBeGreaterThan(now)
        expect(reset * 1_000 - now).toBeLessThanOrEqual(WINDOW_MS)
        expect(reset % 60).toBe(0)
        expect(windowOf(reset * 1_000)).toBe(windowOf(now) + 1)
      }),
    )
  })

  it('never leaves less than nothing', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(5_000), instants, (limit, used, now) => {
        expect(rateState(limit, used, now).remaining).toBe(Math.max(0, limit - used))
      }),
    )
  })

  it('asks to wait at least a second and never beyond its end', () => {
    fc.assert(
      fc.property(instants, (now) => {
        const state = rateState(100, 101, now)
        const seconds = retryAfter(state, now)
        expect(seconds).toBeGreaterThanOrEqual(1)
        expect(seconds).toBeLessThanOrEqual(60)
        expect(now + seconds * 1_000).toBeGreaterThanOrEqual(state.reset * 1_000)
      }),
    )
  })

  it('is told in whole numbers', () => {
    expect(rateHeaders(rateState(100, 1, 30_500))).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '99',
      'X-RateLimit-Reset': '60',
    })
  })
})
