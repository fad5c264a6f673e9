import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { risenRate } from '#shared/domain/investigation/deviations/risen-rate.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

/** Normal for an hour, then an hour that is looked at. */
const NORMAL = normalTime({
  ...EMPTY,
  window: { from: at(60), to: at(120) },
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
})
const every = (minutes: number, from: number, to: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / minutes) }, (_, index) => at(from + index * minutes))

describe('something that happens now and then', () => {
  it('has risen since it comes closer together, not since it was last seen', () => {
    const risen = risenRate([...every(15, 0, 100), ...every(1, 100, 120)], NORMAL)
    expect(risen?.at).toBe(at(100))
    expect(risen?.z).toBeGreaterThan(5)
  })

  it('has not risen where it goes on as ever, was seen once, or normal time is not known', () => {
    expect(risenRate(every(2, 0, 120), NORMAL)?.z ?? 0).toBeLessThan(2)
    expect(risenRate([at(80)], NORMAL)).toBeNull()
    expect(risenRate(every(1, 100, 120), { ...NORMAL, baselines: [] })).toBeNull()
  })

  it('never rises before the time that is looked at, and never by less for more of it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 119 }), { maxLength: 60 }), (minutes) => {
        const times = minutes.sort((a, b) => a - b).map(at)
        const risen = risenRate(times, NORMAL)
        const more = risenRate([...times, at(119), at(119)], NORMAL)
        expect(risen?.at ?? at(60)).toBeGreaterThanOrEqual(at(60))
        expect(more?.z ?? 0).toBeGreaterThanOrEqual(risen?.z ?? 0)
      }),
    )
  })
})
