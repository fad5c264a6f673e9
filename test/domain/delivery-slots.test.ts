import { describe, expect, it } from 'vitest'
import { deliverySlots } from '#shared/domain/delivery-slots.ts'
import { latenessNotes } from '#shared/domain/queue-lateness.ts'

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

describe('the lateness of the queue', () => {
  it('is noted every 20 s at most, the greatest since the last note', async () => {
    let now = 0
    const notes: [number, number][] = []
    const late = latenessNotes({ noteLateness: async (at, ms) => void notes.push([at, ms]) }, () => now)
    for (const [at, ms] of [
      [0, 5],
      [10_000, 900],
      [19_999, 10],
      [20_000, 1],
      [40_000, -50],
    ] as const) {
      now = at
      await late(ms)
    }
    expect(notes).toEqual([
      [0, 5],
      [20_000, 900],
      [40_000, 0],
    ])
  })
})
