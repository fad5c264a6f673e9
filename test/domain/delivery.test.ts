import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ATTEMPT_DEADLINE_MS,
  type Attempt,
  afterAttempt,
  attemptError,
  BREAKER_FAILURES,
  breakerEnds,
  breakerState,
  type Delivery,
  DISABLE_AFTER_MS,
  EARLY_MS,
  failedTooLong,
  HEALTHY,
  isGone,
  LEASE_MARGIN_MS,
  LEAST_REMAINING_MS,
  MOST_ATTEMPTS,
  newDelivery,
  opensUntil,
  type PostResult,
  readRetryAfter,
  WAITS,
  waitAfter,
} from '#shared/domain/delivery.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const HOUR = 3_600_000
const answered = (status: number, retryAfter: string | null = null): PostResult => ({
  kind: 'answered',
  status,
  retryAfter,
  response: '',
})
const failed = (error: Exclude<Attempt['error'], null | 'status' | 'redirect'>): PostResult => ({
  kind: 'failed',
  error,
})
const about = { event_id: 'evt_1', event_kind: 'incident.created', incident_id: 'inc_1' } as const
const delivery: Delivery = newDelivery('dlv_1', 'wh_1', about, NOW)

const failure = () =>
  fc.oneof(
    fc.integer({ min: 300, max: 599 }).map((status) => answered(status)),
    fc
      .tuple(fc.constantFrom(429, 500, 503), fc.oneof(fc.nat().map(String), fc.string()))
      .map(([status, text]) => answered(status, text)),
    fc
      .constantFrom(
        'timeout',
        'timeout_body',
        'refused_address',
        'no_address',
        'connection',
        'tls',
        'protocol',
      )
      .map((error) => failed(error as never)),
  )
const random = () => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('the schedule', () => {
  it('makes ten attempts over 75.6 h, the first at once', () => {
    expect(MOST_ATTEMPTS).toBe(10)
    expect(WAITS.map((wait) => wait / 1_000)).toEqual([
      5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ])
    expect(WAITS.reduce((sum, wait) => sum + wait, 0) / HOUR).toBeCloseTo(75.58, 1)
    expect(delivery.next_attempt_at).toBe(NOW)
  })

  it('jitters each wait by at most 20 %, both ways', () => {
    for (const [index, base] of WAITS.entries()) {
      expect(waitAfter(index + 1, answered(500), NOW, 0)).toBe(Math.round(base * 0.8))
      expect(waitAfter(index + 1, answered(500), NOW, 0.5)).toBe(base)
      expect(waitAfter(index + 1, answered(500), NOW, 0.999_999)).toBeLessThanOrEqual(base * 1.2)
    }
  })

  it('never waits shorter than 80 % of its step, nor longer than any bound allows, whatever came back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), failure(), random(), (attempts, result, chance) => {
        const base = WAITS[attempts - 1] ?? 0
        const wait = waitAfter(attempts, result, NOW, chance) ?? Number.NaN
        expect(wait).toBeGreaterThanOrEqual(Math.round(base * 0.8))
        expect(wait).toBeLessThanOrEqual(Math.max(base * 1.2, 2 * base, HOUR))
      }),
    )
  })

  it('ends after ten attempts whatever happens, and every round ends in exactly one way', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(failure(), random()), { minLength: 12, maxLength: 12 }), (results) => {
        let now = NOW
        let state = delivery
        let made = 0
        for (const [result, chance] of results) {
          if (state.status !== 'pending') break
          now = Math.max(now, state.next_attempt_at)
          state = afterAttempt(state, result, now, chance)
          made += 1
          expect(state.lease_until).toBe(0)
          expect(state.attempts).toBe(made)
          if (state.status === 'pending') expect(state.next_attempt_at).toBeGreaterThan(now)
        }
        expect(state.status).toBe('failed')
        expect(made).toBeLessThanOrEqual(MOST_ATTEMPTS)
        expect(['exhausted', 'gone']).toContain(state.reason)
      }),
    )
  })
})

describe('what came back', () => {
  it('counts as accepted for every 2xx and for nothing else', () => {
    for (let status = 100; status < 600; status += 1)
      expect(attemptError(answered(status)) === null, String(status)).toBe(status >= 200 && status < 300)
  })

  it('counts a redirect as a failure of its own', () => {
    for (const status of [301, 302, 303, 307, 308]) expect(attemptError(answered(status))).toBe('redirect')
  })

  it('ends a delivery at once for 410', () => {
    expect(isGone(answered(410))).toBe(true)
    expect(afterAttempt(delivery, answered(410), NOW, 0.5)).toMatchObject({
      status: 'failed',
      reason: 'gone',
    })
    expect(isGone(answered(404))).toBe(false)
    expect(isGone(failed('timeout'))).toBe(false)
  })

  it('leaves a receiver that is overloaded or late alone for a minute, a refused address for five', () => {
    for (const status of [429, 502, 504]) expect(waitAfter(1, answered(status), NOW, 0.5)).toBe(60_000)
    expect(waitAfter(1, failed('timeout'), NOW, 0.5)).toBe(60_000)
    expect(waitAfter(1, failed('timeout_body'), NOW, 0.5)).toBe(60_000)
    expect(waitAfter(1, failed('refused_address'), NOW, 0.5)).toBe(300_000)
    expect(waitAfter(1, answered(500), NOW, 0.5)).toBe(5_000)
    expect(waitAfter(1, failed('connection'), NOW, 0.5)).toBe(5_000)
  })
})

describe('Retry-After', () => {
  it('is read as seconds and as an HTTP date', () => {
    expect(readRetryAfter('120', NOW)).toBe(120_000)
    expect(readRetryAfter(' 0 ', NOW)).toBe(0)
    expect(readRetryAfter('Sat, 31 Jan 2026 12:02:00 GMT', NOW)).toBe(120_000)
    expect(readRetryAfter('Sat, 31 Jan 2026 11:00:00 GMT', NOW)).toBe(0)
  })

  it.each([
    null,
    '',
    '-5',
    '1.5',
    '1e9',
    'soon',
    'Sat, 31 Foo 2026 12:02:00 GMT',
    '2026-01-31T12:02:00Z',
    '9'.repeat(13),
  ])('says nothing as %j', (text) => {
    expect(readRetryAfter(text, NOW)).toBeNull()
  })

  it('lengthens a wait within bounds and never shortens it', () => {
    expect(waitAfter(1, answered(503, '600'), NOW, 0.5)).toBe(600_000)
    expect(waitAfter(1, answered(503, '999999999'), NOW, 0.5)).toBe(HOUR)
    expect(waitAfter(9, answered(503, '999999999'), NOW, 0.5)).toBe(48 * HOUR)
    expect(waitAfter(9, answered(503, '1'), NOW, 0.5)).toBe(24 * HOUR)
  })
})

describe('the breaker', () => {
  const failing = (failures: number, more = {}) => ({ ...HEALTHY, failures, failing_since: NOW, ...more })

  it('is closed until five failures in a row, then open, then lets one through', () => {
    expect(breakerState(HEALTHY, NOW)).toBe('closed')
    expect(opensUntil(failing(BREAKER_FAILURES - 1), NOW, 0.5)).toBeNull()
    const until = opensUntil(failing(BREAKER_FAILURES), NOW, 0.5)
    expect(until).toBe(NOW + 30_000)
    const open = failing(5, { open_until: until, openings: 1 })
    expect(breakerState(open, NOW + 29_999)).toBe('open')
    expect(breakerState(open, NOW + 30_000)).toBe('half_open')
    expect(breakerState({ ...open, probe_until: NOW + 60_000 }, NOW + 30_000)).toBe('open')
    expect(breakerEnds({ ...open, probe_until: NOW + 60_000 })).toBe(NOW + 60_000)
  })

  it('stays open twice as long each time, up to half an hour', () => {
    const lengths = Array.from(
      { length: 9 },
      (_, openings) => Number(opensUntil(failing(9, { openings }), NOW, 0.5)) - NOW,
    )
    expect(lengths.map((length) => length / 1_000)).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800])
  })

  it('does not open again while it is open', () => {
    expect(opensUntil(failing(7, { open_until: NOW + 1, openings: 1 }), NOW, 0.5)).toBeNull()
  })
})

describe('disabling', () => {
  it('comes after five days of nothing but failure, not a moment earlier', () => {
    const health = { ...HEALTHY, failures: 3, failing_since: NOW }
    expect(failedTooLong(health, NOW + DISABLE_AFTER_MS - 1)).toBe(false)
    expect(failedTooLong(health, NOW + DISABLE_AFTER_MS)).toBe(true)
    expect(failedTooLong(HEALTHY, NOW)).toBe(false)
  })
})

describe('an attempt, by its result', () => {
  it('failed as it failed, was sent elsewhere from 300 to 399, and is refused by any other status', () => {
    expect(attemptError(failed('tls'))).toBe('tls')
    expect(attemptError(failed('connection'))).toBe('connection')
    expect([299, 300, 399, 400].map((status) => attemptError(answered(status)))).toEqual([
      null,
      'redirect',
      'redirect',
      'status',
    ])
    expect(attemptError(answered(199))).toBe('status')
  })

  it('ends the delivery, or makes it due again', () => {
    const held = { ...delivery, lease_until: NOW + 1, attempts: 3 }
    const ended = { attempts: 4, lease_until: 0, updated_at: NOW }
    expect(afterAttempt(held, answered(200), NOW, 0.5)).toEqual({
      ...held,
      ...ended,
      status: 'delivered',
      reason: null,
    })
    expect(afterAttempt(held, answered(500), NOW, 0.5)).toEqual({
      ...held,
      ...ended,
      next_attempt_at: NOW + 2 * HOUR,
    })
    const last = { ...held, attempts: MOST_ATTEMPTS - 1 }
    expect(afterAttempt(last, answered(500), NOW, 0.5)).toMatchObject({
      status: 'failed',
      reason: 'exhausted',
      attempts: MOST_ATTEMPTS,
    })
  })
})

describe('the date of a Retry-After', () => {
  it.each(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'])(
    'may lie in any month: %s',
    (month) => {
      expect(readRetryAfter(`Sun, 01 ${month} 2026 00:00:00 GMT`, 0)).toBe(
        Date.parse(`01 ${month} 2026 00:00:00 GMT`),
      )
    },
  )

  it('is the whole of it', () => {
    for (const text of ['x Sat, 31 Jan 2026 12:02:00 GMT', 'Sat, 31 Jan 2026 12:02:00 GMT x'])
      expect(readRetryAfter(text, NOW)).toBeNull()
  })
})

describe('the instants at which something turns', () => {
  it('belong to what begins', () => {
    const probed = { ...HEALTHY, failures: 5, open_until: NOW - 1, probe_until: NOW }
    expect(breakerState(probed, NOW - 1)).toBe('open')
    expect(breakerState(probed, NOW)).toBe('half_open')
    expect(opensUntil({ ...HEALTHY, failures: 5, open_until: NOW }, NOW, 0.5)).toBe(NOW + 30_000)
  })

  it('are spread by a fifth either way', () => {
    const ends = (random: number) => Number(opensUntil({ ...HEALTHY, failures: 5 }, NOW, random)) - NOW
    expect([ends(0), ends(0.25), ends(0.5), ends(1)]).toEqual([24_000, 27_000, 30_000, 36_000])
  })
})

it('an attempt has 15 s, begins with 17 s left, and its lease outlives it by 5 s; doorbells may be 2 s early', () => {
  expect([ATTEMPT_DEADLINE_MS, LEAST_REMAINING_MS, LEASE_MARGIN_MS, EARLY_MS]).toEqual([
    15_000, 17_000, 5_000, 2_000,
  ])
})

it('a new delivery is due at once, for the event', () => {
  const about = { event_id: 'evt_1', event_kind: 'incident.created', incident_id: 'inc_1' } as const
  expect(newDelivery('dlv_1', 'wh_1', about, NOW)).toEqual({
    id: 'dlv_1',
    webhook_id: 'wh_1',
    ...about,
    status: 'pending',
    reason: null,
    trigger: 'event',
    attempts: 0,
    next_attempt_at: NOW,
    lease_until: 0,
    fence: 0,
    created_at: NOW,
    updated_at: NOW,
  })
})
