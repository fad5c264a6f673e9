import { describe, expect, it } from 'vitest'
import { begunAnew, CLOCK } from '#shared/domain/investigation/place/begun-anew.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET, series } from '../incident-scenarios.ts'

/** A clock that has run for a day when it begins anew at the onset, in units of which so many make a second. */
const clock = (name: string, per_s: number, unit?: string): Series => {
  const one = series('switch-1', name, 0, 0)
  const since = (time: number): number =>
    time < at(ONSET) ? time - at(ONSET) + 86_400_000 : time - at(ONSET)
  return {
    ...one,
    ...(unit === undefined ? {} : { unit }),
    values: one.times.map((time) => (since(time) / 1_000) * per_s),
  }
}

describe('a clock that says how long something has run', () => {
  it.each([
    ['node_uptime_seconds', 1, 's'],
    ['process_uptime_ms', 1_000, 'ms'],
    ['sysUpTime', 100, '1'],
    ['hrSystemUptime', 100, undefined],
    ['sysUpTime', 1, 's'],
  ])('is read by its name and in its unit: %s, %d a second', (name, per_s, unit) => {
    expect(CLOCK.test(name)).toBe(true)
    const found = begunAnew(clock(name, per_s, unit), at(ONSET - 5))
    expect(found?.began).toBeCloseTo(at(ONSET), -3)
    expect(found?.stopped).toBeLessThan(at(ONSET))
  })
})
