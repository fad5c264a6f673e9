import { describe, expect, it } from 'vitest'
import { Allowance } from '#shared/edge/allowance.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 0, 30)
const RESET = Date.UTC(2026, 0, 31, 12, 1) / 1_000

describe('the allowance of callers without a key', () => {
  it('is 100 a minute for each address, and begins anew with the minute', () => {
    const allowance = new Allowance()
    for (let count = 1; count <= 100; count += 1) {
      const { allowed, rate } = allowance.take('192.0.2.1', NOW)
      expect(allowed).toBe(true)
      expect(rate).toEqual({ limit: 100, remaining: 100 - count, reset: RESET })
    }
    expect(allowance.take('192.0.2.1', NOW)).toEqual({
      allowed: false,
      rate: { limit: 100, remaining: 0, reset: RESET },
    })
    expect(allowance.take('192.0.2.2', NOW).allowed).toBe(true)
    expect(allowance.take('192.0.2.1', NOW + 60_000).rate.remaining).toBe(99)
  })

  it('is looked at without being used', () => {
    const allowance = new Allowance()
    allowance.take('192.0.2.1', NOW)
    for (let count = 0; count < 3; count += 1) expect(allowance.state('192.0.2.1', NOW).remaining).toBe(99)
    expect(allowance.state('192.0.2.9', NOW).remaining).toBe(100)
  })

  it('remembers 10,000 addresses and forgets the one that came first beyond them', () => {
    const allowance = new Allowance()
    for (let index = 0; index < 10_000; index += 1) allowance.take(`address-${index}`, NOW)
    expect(allowance.state('address-0', NOW).remaining).toBe(99)
    // One that is known takes nobody's place.
    allowance.take('address-9999', NOW)
    expect(allowance.state('address-0', NOW).remaining).toBe(99)
    allowance.take('one more', NOW)
    expect(allowance.state('address-0', NOW).remaining).toBe(100)
    expect(allowance.state('address-1', NOW).remaining).toBe(99)
    expect(allowance.state('one more', NOW).remaining).toBe(99)
  })
})
