import { describe, expect, it } from 'vitest'
import { isAtItsEnd, shareOf } from '#shared/domain/investigation/deviations/at-its-end.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { risen } from '../scene-by-hand.ts'

describe('a resource at its end', () => {
  const used = (during: number, extreme: number, unit?: string): SeriesShift =>
    risen('stock', 'memory_usage', { during, extreme }, unit === undefined ? {} : { unit })

  it('is full by the level that is asked for: the one that it kept, or the furthest', () => {
    const once = used(0.5, 0.95, '1')
    expect(isAtItsEnd(once, 'extreme')).toBe(true)
    expect(isAtItsEnd(once, 'during')).toBe(false)
    expect(isAtItsEnd(used(0.9, 0.95, '1'), 'during')).toBe(true)
    expect(isAtItsEnd(used(90, 95, '%'), 'during')).toBe(true)
    expect(isAtItsEnd(used(89, 95, '%'), 'during')).toBe(false)
  })

  it('is none where its unit does not tell the whole', () => {
    expect(isAtItsEnd(used(99, 99), 'extreme')).toBe(false)
    expect(isAtItsEnd(used(99, 99, 'By'), 'extreme')).toBe(false)
    expect(shareOf({ unit: 'By' }, 99)).toBeNaN()
  })

  it('is none where what has no unit is a count of things', () => {
    expect(isAtItsEnd(used(1.2, 1.4, '1'), 'extreme')).toBe(true)
    expect(isAtItsEnd(used(3, 40, '1'), 'extreme')).toBe(false)
    expect(shareOf({ unit: '1' }, 1.5)).toBe(1.5)
    expect(shareOf({ unit: '1' }, 1.6)).toBeNaN()
  })

  it('left at most a tenth of what was free, where anything was', () => {
    const free = (before: number, extreme: number): boolean =>
      isAtItsEnd(risen('stock', 'memory_free_bytes', { before, extreme, direction: 'down' }), 'during')
    expect(free(100, 10)).toBe(true)
    expect(free(100, 11)).toBe(false)
    expect(free(0, 0)).toBe(false)
  })
})
