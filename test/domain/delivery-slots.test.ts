import { describe, expect, it } from 'vitest'
import { deliverySlots } from '#shared/domain/delivery-slots.ts'

describe('slots', () => {
  it('bound a subscription and a host, and leave everybody else their own', () => {
    const slots = deliverySlots(2, 3)
    const first = slots.take('wh_1', 'one.test')
    expect(slots.take('wh_1', 'one.test')).toBeDefined()
    expect(slots.take('wh_1', 'one.test')).toBeUndefined()
    expect(slots.take('wh_2', 'one.test')).toBeDefined()
    expect(slots.take('wh_2', 'one.test')).toBeUndefined()
    expect(slots.take('wh_2', 'two.test')).toBeDefined()
    first?.()
    first?.()
    expect(slots.take('wh_1', 'one.test')).toBeDefined()
    expect(slots.take('wh_1', 'one.test')).toBeUndefined()
  })
})
