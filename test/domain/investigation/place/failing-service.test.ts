import { describe, expect, it } from 'vitest'
import { compareFailing, type FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { lines, ONSET } from '../incident-scenarios.ts'
import { errors, failingIn, seen } from '../observed-by-hand.ts'

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
