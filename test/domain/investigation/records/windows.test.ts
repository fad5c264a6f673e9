import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baselinesOf,
  incidentWindow,
  overlaps,
  readLengths,
  USUAL_LENGTHS,
} from '#shared/domain/investigation/records/windows.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOON = Date.UTC(2026, 0, 31, 12)

describe('the window of an incident', () => {
  it('reaches from an hour before its start to now while it is open', () => {
    expect(incidentWindow(NOON, NOON + 20 * MINUTE, null)).toEqual({
      from: NOON - HOUR,
      to: NOON + 20 * MINUTE,
    })
  })

  it('ends a quarter of an hour after it was resolved, and not after now', () => {
    const resolved = NOON + 30 * MINUTE
    expect(incidentWindow(NOON, NOON + 3 * HOUR, resolved).to).toBe(resolved + 15 * MINUTE)
    expect(incidentWindow(NOON, resolved + MINUTE, resolved).to).toBe(resolved + MINUTE)
  })

  it('holds at least the minute after the start, also when that lies ahead', () => {
    expect(incidentWindow(NOON, NOON - HOUR, null).to).toBe(NOON + MINUTE)
    expect(incidentWindow(NOON, NOON + 5 * HOUR, NOON - 2 * HOUR).to).toBe(NOON + MINUTE)
  })

  it('is at most six hours, counted from its beginning', () => {
    expect(incidentWindow(NOON, NOON + 5 * HOUR, null).to).toBe(NOON + 5 * HOUR)
    expect(incidentWindow(NOON, NOON + 5 * HOUR + 1, null).to).toBe(NOON + 5 * HOUR)
  })
})

describe('what counts as normal', () => {
  it('is the hour that ends a quarter of an hour before, and the same time a day and a week earlier', () => {
    const window = { from: NOON, to: NOON + 2 * HOUR }
    expect(baselinesOf(window)).toEqual([
      { name: 'b1', from: NOON - 75 * MINUTE, to: NOON - 15 * MINUTE },
      { name: 'b2', from: NOON - DAY, to: NOON + 2 * HOUR - DAY },
      { name: 'b3', from: NOON - 7 * DAY, to: NOON + 2 * HOUR - 7 * DAY },
    ])
  })

  it('never overlaps the window, whatever that is', () => {
    const instants = fc.integer({ min: NOON - DAY, max: NOON + DAY })
    fc.assert(
      fc.property(instants, instants, fc.option(instants), (started, now, resolved) => {
        const window = incidentWindow(started, now, resolved)
        expect(window.to).toBeGreaterThan(window.from)
        for (const { from, to } of baselinesOf(window)) {
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThan(window.from)
        }
      }),
    )
  })
})

describe('lengths that are set', () => {
  it('are three numbers of seconds, which windows and baselines then have', () => {
    const lengths = readLengths('45,15,90')
    const window = incidentWindow(NOON, NOON + MINUTE, null, lengths)
    expect(window).toEqual({ from: NOON - 45_000, to: NOON + MINUTE })
    expect(baselinesOf(window, lengths)[0]).toEqual({ name: 'b1', from: NOON - 150_000, to: NOON - MINUTE })
  })

  it('are the usual ones where nothing is set', () => {
    expect(readLengths(undefined)).toBe(USUAL_LENGTHS)
    expect(readLengths('')).toBe(USUAL_LENGTHS)
  })

  it.each(['1,2', '1,2,3,4', '0,15,90', '45,0,90', '45,15,0', 'a,b,c', '-1,2,3', '1.5,2,3', '45, 15, 90'])(
    'are refused: %s',
    (text) => {
      expect(() => readLengths(text)).toThrow('three numbers of seconds')
    },
  )
})

describe('two stretches of time', () => {
  const stretch = fc
    .tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 10 }))
    .map(([from, length]) => ({ from, to: from + length }))

  it('overlap exactly where some instant is in both, whichever is named first', () => {
    fc.assert(
      fc.property(stretch, stretch, (one, other) => {
        const isIn = (at: number, { from, to }: typeof one): boolean => at >= from && at < to
        const shared = Array.from({ length: 41 }, (_, at) => at).some(
          (at) => isIn(at, one) && isIn(at, other),
        )
        expect(overlaps(one, other)).toBe(shared)
        expect(overlaps(other, one)).toBe(shared)
      }),
    )
  })
})
