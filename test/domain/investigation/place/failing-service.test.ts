import { describe, expect, it } from 'vitest'
import {
  compareFailing,
  type FailingService,
  tellingShift,
  trendOf,
} from '#shared/domain/investigation/place/failing-service.ts'
import { lines, ONSET } from '../incident-scenarios.ts'
import { errors, failingIn, seen } from '../observed-by-hand.ts'
import { place, risen } from '../scene-by-hand.ts'

const MEMORY = 'memory_used_bytes'
const ERRORS = 'http_5xx_ratio'
const WAITS = 'http_server_duration_p95_ms'
/** A series that went from 1 to 2 and is back. */
const over = (name: string) => risen('stock', name, { ended_at: 5, latest: 1 })

describe('what tells where a service is going', () => {
  const told = (...names: readonly (string | ReturnType<typeof risen>)[]) =>
    tellingShift(
      place('stock', { shifts: names.map((one) => (typeof one === 'string' ? risen('stock', one) : one)) }),
    )?.series.name

  it('is what users feel and is still away, however much more something moved that is back', () => {
    expect(told(over(ERRORS), WAITS)).toBe(WAITS)
    expect(told(ERRORS, WAITS)).toBe(ERRORS)
    expect(told(over(ERRORS), over(WAITS))).toBe(ERRORS)
    expect(told(risen('stock', ERRORS, { ended_at: 5, latest: 1.5 }), WAITS)).toBe(ERRORS)
  })

  it('is what hurts by its name only where users felt nothing', () => {
    expect(told(MEMORY, over(ERRORS))).toBe(ERRORS)
    expect(told('http_requests_per_second', MEMORY)).toBe(MEMORY)
    expect(told('http_requests_per_second')).toBeUndefined()
  })
})

describe('where a service is going', () => {
  it('is over where it ended, and else goes the way of what tells it', () => {
    const at = (latest: number) => trendOf(place('stock', { shifts: [risen('stock', ERRORS, { latest })] }))
    expect([at(2.3), at(2), at(1.4)]).toEqual(['worsening', 'ongoing', 'recovering'])
    expect(trendOf(place('stock', { ended_at: 5, shifts: [over(ERRORS)] }))).toBe('recovered')
  })

  it('is not known of whom nothing was measured, and of nobody', () => {
    expect(trendOf(place('stock'))).toBe('unknown')
    expect(trendOf(null)).toBe('unknown')
  })

  it('is going on where its callers still count that it fails, whatever it says of itself', () => {
    const counted = (shifts: FailingService['shifts']) =>
      trendOf(place('stock', { still_counted: true, shifts }))
    expect(counted([])).toBe('ongoing')
    expect(counted([over(ERRORS)])).toBe('ongoing')
    expect(counted([risen('stock', ERRORS, { latest: 2.3 })])).toBe('worsening')
  })
})

describe('the order of what fails', () => {
  it('of services goes by score, then by time, by the number of their shifts and of their lines, last by name', () => {
    const one = failingIn(seen({ series: [errors('b')] }), 'b') as FailingService
    const [only] = one.shifts
    const inOrder: readonly FailingService[] = [
      { ...one, score: 0.9 },
      { ...one, score: 0.8, onset: { ...one.onset, at: one.onset.at - 1 } },
      { ...one, score: 0.8, shifts: only === undefined ? [] : [only, only] },
      { ...one, score: 0.8, templates: seen({ logs: lines('b', 'ERROR', 'refused', ONSET) }).templates },
      { ...one, score: 0.8, entity: 'a' },
      { ...one, score: 0.8 },
      { ...one, score: 0.8, onset: { ...one.onset, at: one.onset.at + 1 } },
    ]
    expect(inOrder.toReversed().toSorted(compareFailing)).toEqual(inOrder)
    expect(compareFailing(one, one)).toBe(0)
  })
})
