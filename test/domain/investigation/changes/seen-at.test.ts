import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import {
  effectSeen,
  hasFallen,
  hasMoved,
  seenAt,
  sinceOf,
} from '#shared/domain/investigation/changes/seen-at.ts'
import { CLOCK_TOLERANCE_MS } from '#shared/domain/investigation/clock-tolerance.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'

const FROM = 1_000_000
const level = (earliest: number, latest: number): SeriesShift =>
  ({ series: { entity: 'shelf' }, onset: { at: earliest, earliest, latest } }) as SeriesShift
const arrival = (known: boolean, score = 0.4): Arrival =>
  ({
    change: { recorded_at: FROM },
    effective: { from: FROM + 60_000, to: FROM + 90_000, known },
    place: { score, reaches: 'web', owners: new Set(['shelf']) },
  }) as unknown as Arrival

describe('what a change is seen to have done', () => {
  it('counts since it took effect, or since its record where nobody recorded when', () => {
    expect(sinceOf(arrival(true))).toBe(FROM + 60_000)
    expect(sinceOf(arrival(false))).toBe(FROM)
  })

  it('is a level that moved from then until it may be seen, as far as clocks and samples tell', () => {
    const to = FROM + 600_000
    expect(hasMoved(level(FROM, FROM), FROM, to)).toBe(true)
    expect(hasMoved(level(0, FROM - CLOCK_TOLERANCE_MS), FROM, to)).toBe(true)
    expect(hasMoved(level(0, FROM - CLOCK_TOLERANCE_MS - 1), FROM, to)).toBe(false)
    expect(hasMoved(level(to, to + 1), FROM, to)).toBe(true)
    expect(hasMoved(level(to + 1, to + 1), FROM, to)).toBe(false)
  })

  it('is a level that fell to a share of what it was with the harm, and stays there', () => {
    const fell = (more: Partial<SeriesShift>): boolean =>
      hasFallen(
        { ...level(FROM, FROM), direction: 'down', ended_at: null, before: 10, during: 8, ...more },
        FROM,
        0.8,
      )
    expect(fell({})).toBe(true)
    expect(fell({ during: 8.1 })).toBe(false)
    expect(fell({ direction: 'up' })).toBe(false)
    expect(fell({ ended_at: FROM + 1 })).toBe(false)
    expect(fell({ before: 0, during: 0 })).toBe(false)
    expect(fell({ onset: { at: 0, earliest: 0, latest: 0 } })).toBe(false)
  })

  it('says when it took effect only where nobody recorded it', () => {
    expect(effectSeen(arrival(true), level(1, 2))).toEqual({
      from: FROM + 60_000,
      to: FROM + 90_000,
      known: true,
    })
    expect(effectSeen(arrival(false), level(1, 2))).toEqual({ from: 1, to: 2, known: true })
  })

  it('places it where the level is, no further from there than it was', () => {
    const seen = seenAt(arrival(false), level(1, 2))
    expect(seen.place.reaches).toBe('shelf')
    expect(seen.place.score).toBeGreaterThan(0.4)
    expect(seen.effective).toEqual({ from: 1, to: 2, known: true })
    expect(seenAt(arrival(false, 1), level(1, 2)).place.score).toBe(1)
  })
})
