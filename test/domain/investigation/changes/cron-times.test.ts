import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timesOf } from '#shared/domain/investigation/changes/cron-times.ts'

/** A Monday. */
const DAY = Date.parse('2026-03-02T00:00:00Z')
const HOUR = 3_600_000
const told = (schedule: string, from = 0, to = 24 * HOUR): readonly string[] =>
  timesOf(schedule, DAY + from, DAY + to - 1).map((at) => new Date(at).toISOString().slice(11, 16))

describe('the times of a schedule', () => {
  it.each([
    ['15,45 6 * * *', ['06:15', '06:45']],
    ['*/20 6 * * *', ['06:00', '06:20', '06:40']],
    ['10-30/10 6-7 * * *', ['06:10', '06:20', '06:30', '07:10', '07:20', '07:30']],
    ['50/5 6 * * 1', ['06:50', '06:55']],
    ['0 6 3 * *', []],
    ['0 6 3 * 1', ['06:00']],
    ['0 6 2 4 *', []],
    ['0 6 * * 7', []],
    ['@daily', ['00:00']],
  ])('%s', (schedule, times) => {
    expect(told(schedule)).toEqual(times)
  })

  it('count Sunday as 0 and as 7', () => {
    for (const day of ['0', '7']) expect(told(`0 1 * * ${day}`, -24 * HOUR, 0)).toEqual(['01:00'])
  })

  it.each(['', 'soon', '* * * *', '61 * * * *', '*/0 * * * *', 'MON * * * *', '@reboot', '0 5-99 * * *'])(
    'are none where it cannot be read: %j',
    (schedule) => {
      expect(told(schedule)).toEqual([])
    },
  )

  it('lie within the span that is asked about, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59 }), fc.nat(HOUR * 72), fc.nat(HOUR * 72), (minute, a, b) => {
        const [from, to] = [DAY + Math.min(a, b), DAY + Math.max(a, b)]
        for (const at of timesOf(`${minute} * * * *`, from, to)) {
          expect(at).toBeGreaterThanOrEqual(from)
          expect(at).toBeLessThanOrEqual(to)
          expect(new Date(at).getUTCMinutes()).toBe(minute)
        }
      }),
    )
  })
})
