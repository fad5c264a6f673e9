import { describe, expect, it } from 'vitest'
import { HARDLY_CHANCE, oddsOfArrival } from '#shared/domain/investigation/changes/chance-arrivals.ts'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'

const FROM = ONSET - 60

const arrival = (id: string, minute: number, more: Partial<Arrival> = {}): Arrival =>
  ({
    change: { id },
    rollout: null,
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 1, reaches: 'stock-api', owners: new Set(), is_named: false },
    trivial: null,
    ...more,
  }) as Arrival

const placed = (score: number): Partial<Arrival> => ({
  place: { score, reaches: 'stock-api', owners: new Set(), is_named: false },
})

const judged = (of: Arrival, ...others: readonly Arrival[]) =>
  oddsOfArrival([of, ...others], SEEN, { from: at(FROM), to: at(120) })(of)

/** Odds of the first of several changes; the window begins an hour before the onset, which may be a minute later. */
const odds = (of: Arrival, ...others: readonly Arrival[]): number => judged(of, ...others).odds

describe('the odds that a change brought the incident and was not there by chance', () => {
  it('are the ratio of how soon harm shows to how often something is changed, times what holds of all incidents', () => {
    // One change in 61 minutes; half of the harm shows with a half-life of 3 minutes, half with one of 30.
    const at0 = (0.7 / 0.3) * ((Math.LN2 / 3 + Math.LN2 / 30) / 2) * 61
    expect(odds(arrival('a', ONSET))).toBeCloseTo(at0, 6)
    const at3 = (0.7 / 0.3) * ((Math.LN2 / 6 + (Math.LN2 / 30) * 2 ** -0.1) / 2) * 61
    expect(odds(arrival('a', ONSET - 3))).toBeCloseTo(at3, 6)
  })

  it('are halved where twice as much is changed at that place or nearer, and not by what is changed further off', () => {
    const alone = odds(arrival('a', ONSET - 1))
    expect(odds(arrival('a', ONSET - 1), arrival('b', ONSET - 50))).toBeCloseTo(alone / 2, 6)
    expect(odds(arrival('a', ONSET - 1), arrival('b', ONSET - 50, placed(0.85)))).toBeCloseTo(alone, 6)
    const further = odds(arrival('a', ONSET - 1, placed(0.7)), arrival('b', ONSET - 50))
    expect(further).toBeCloseTo(alone / 2, 6)
  })

  it('count changes that one rollout carried once', () => {
    const rollout = { id: 'd1' } as Arrival['rollout']
    const [one, other] = [arrival('a', ONSET - 1, { rollout }), arrival('b', ONSET - 1, { rollout })]
    expect(odds(one, other)).toBeCloseTo(odds(arrival('a', ONSET - 1)), 6)
  })

  it('are those of chance from some minutes on, the sooner the more is changed', () => {
    expect(odds(arrival('a', ONSET - 5))).toBeGreaterThan(HARDLY_CHANCE)
    expect(judged(arrival('a', ONSET - 5)).is_hardly_chance).toBe(true)
    expect(odds(arrival('a', ONSET - 9))).toBeLessThan(HARDLY_CHANCE)
    expect(judged(arrival('a', ONSET - 9)).is_hardly_chance).toBe(false)
    const busy = [20, 25, 30, 35, 40, 45, 50].map((minute) => arrival(`b${minute}`, ONSET - minute))
    expect(judged(arrival('a', ONSET), ...busy.slice(4)).is_hardly_chance).toBe(true)
    expect(judged(arrival('a', ONSET), ...busy).is_hardly_chance).toBe(false)
    expect(judged(arrival('a', ONSET - 5), ...busy.slice(4)).is_hardly_chance).toBe(false)
  })

  it('single out none of several that came as soon, though none of them is chance, but one rollout as one', () => {
    const others = (minute: number) => arrival('b', ONSET - minute)
    expect(odds(arrival('a', ONSET - 1), others(1))).toBeGreaterThan(HARDLY_CHANCE)
    expect(judged(arrival('a', ONSET - 1), others(1)).is_hardly_chance).toBe(false)
    expect(judged(arrival('a', ONSET - 1), others(2)).is_hardly_chance).toBe(true)
    expect(judged(arrival('a', ONSET - 2), others(1)).is_hardly_chance).toBe(false)
    expect(judged(arrival('a', ONSET - 1), { ...others(1), ...placed(0.85) }).is_hardly_chance).toBe(true)
    const rollout = { id: 'd1' } as Arrival['rollout']
    const twins = [arrival('a', ONSET - 1, { rollout }), arrival('b', ONSET - 1, { rollout })] as const
    expect(judged(...twins).is_hardly_chance).toBe(true)
  })

  it('are none for what came later, before the window, at a time that nobody saw, or can do no harm', () => {
    expect(odds(arrival('a', ONSET + 1))).toBeGreaterThan(0)
    expect(odds(arrival('a', ONSET + 1.1))).toBe(0)
    expect(odds(arrival('a', FROM))).toBeGreaterThan(0)
    expect(odds(arrival('a', FROM - 1))).toBe(0)
    const guessed = { from: at(ONSET), to: at(ONSET), known: false }
    expect(odds(arrival('a', ONSET, { effective: guessed }))).toBe(0)
    expect(odds(arrival('a', ONSET, { trivial: { reason: 'x', factor: 0.1 } }))).toBe(0)
    const innocent = arrival('b', ONSET - 20, { trivial: { reason: 'x', factor: 0.1 } })
    expect(odds(arrival('a', ONSET), innocent)).toBeCloseTo(odds(arrival('a', ONSET)), 6)
  })

  it('are none where no onset is known, and take half an hour at least for how often something is changed', () => {
    const one = arrival('a', ONSET)
    const window = { from: at(ONSET), to: at(120) }
    expect(oddsOfArrival([one], { ...SEEN, onset: null }, window)(one)).toEqual({
      odds: 0,
      is_hardly_chance: false,
    })
    const short = oddsOfArrival([one], SEEN, window)(one).odds
    expect(short).toBeCloseTo((odds(one) * 30) / 61, 6)
  })
})
