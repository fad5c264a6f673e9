import { describe, expect, it } from 'vitest'
import { beganToGrow, usedUpAfter, usedUpBefore } from '#shared/domain/investigation/changes/used-up-since.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { type Observed, observe } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, deploy, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { BARE, place, risen, SINCE } from '../scene-by-hand.ts'

/** Even until a minute, from then on straight to the other level at the onset, where it stays. */
const ramp = (entity: string, name: string, from: number, before: number, after: number): Series => {
  const steady = series(entity, name, before, before)
  const values = steady.values.map((value, minute) =>
    minute < from ? value : before + (after - before) * Math.min(1, (minute - from) / (ONSET - from)),
  )
  return { ...steady, values }
}

const BEGAN = 60
const CREDITS = ramp('stock-db', 'burst_credits_remaining', BEGAN, 400, 2)
const scene = (list: readonly Series[], changes: readonly Change[] = []): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'calm', from: at(10), to: at(50) }],
  alerts: [alert('stock-db', 'query_errors_ratio')],
  series: [series('stock-db', 'query_errors_ratio', 0.003, 0.6), ...list],
  changes,
})
const spentIn = (list: readonly Series[]) =>
  usedUpBefore(observe(scene(list), entityNames(scene(list)), null)).map(({ series: { name } }) => name)

describe('since when something was used up', () => {
  it('is told of what was free and is gone, of a share that is full, and of a use that is a multiple', () => {
    expect(spentIn([CREDITS])).toEqual(['burst_credits_remaining'])
    expect(spentIn([{ ...ramp('stock-db', 'heap_used_ratio', BEGAN, 0.4, 0.99), unit: '1' }])).toHaveLength(1)
    expect(spentIn([ramp('stock-db', 'pool_connections_in_use', BEGAN, 4, 20)])).toHaveLength(1)
  })

  it('is not told of what is left over, what may hold more, or what began with the harm', () => {
    expect(spentIn([ramp('stock-db', 'burst_credits_remaining', BEGAN, 400, 200)])).toEqual([])
    expect(spentIn([{ ...ramp('stock-db', 'heap_used_ratio', BEGAN, 0.4, 0.7), unit: '1' }])).toEqual([])
    expect(spentIn([ramp('stock-db', 'pool_connections_in_use', BEGAN, 4, 9)])).toEqual([])
    expect(spentIn([series('stock-db', 'pool_connections_in_use', 4, 20)])).toEqual([])
  })

  it('is not told of what moved evenly from the first sample on: no change of that time began it', () => {
    expect(spentIn([ramp('stock-db', 'quota_requests_remaining', 0, 400, 2)])).toEqual([])
    expect(spentIn([ramp('stock-db', 'quota_requests_remaining', 50, 400, 2)])).toHaveLength(1)
  })

  it('is not told of a processor, which keeps nothing for later, nor of what was well again before', () => {
    expect(spentIn([series('stock-db', 'cpu_utilization_cores', 1, 8, BEGAN)])).toEqual([])
    const over = series('stock-db', 'pool_connections_in_use', 4, 20, BEGAN, ONSET - 3)
    expect(spentIn([over])).toEqual([])
  })

  it('is not told of what had room again while users were hurt still', () => {
    const until = (minute: number) =>
      spentIn([series('stock-db', 'pool_connections_in_use', 4, 20, BEGAN, minute)])
    expect(until(ONSET + 8)).toEqual([])
    expect(until(LENGTH)).toHaveLength(1)
  })

  it('lies just behind what began it, at the same place', () => {
    const snapshot = scene([CREDITS])
    const spent = usedUpBefore(observe(snapshot, entityNames(snapshot), null))
    expect(usedUpAfter(spent, 'stock-db', at(BEGAN))?.series.name).toBe('burst_credits_remaining')
    expect(usedUpAfter(spent, 'stock-db', at(BEGAN - 12))).toBeNull()
    expect(usedUpAfter(spent, 'stock-db', at(BEGAN + 12))).toBeNull()
    expect(usedUpAfter(spent, 'web', at(BEGAN))).toBeNull()
    expect(usedUpAfter(spent, null, at(BEGAN))).toBeNull()
  })

  it('began where its way out of normal begins, though what is looked at as the incident begins later', () => {
    const [pool] = usedUpBefore(
      observe(
        scene([ramp('stock-db', 'pool_connections_in_use', BEGAN, 4, 40)]),
        entityNames(scene([])),
        null,
      ),
    )
    if (pool === undefined) throw new Error('nothing was used up')
    const late = { ...pool, onset: { at: at(80), earliest: at(80), latest: at(81) } }
    // A minute after its beginning it has gone a thirtieth of its way, after two minutes a fifteenth.
    expect(beganToGrow(late)).toBe(at(BEGAN + 2))
    expect(usedUpAfter([late], 'stock-db', at(BEGAN))).toBe(late)
    expect(usedUpAfter([late], 'stock-db', at(BEGAN - 4))).toBeNull()
    const step = { ...late, series: series('stock-db', 'pool_connections_in_use', 4, 40, 80) }
    expect(beganToGrow(step)).toBe(at(80))
  })

  it('had begun before whatever came after the first of all that ran out there', () => {
    const pool = ramp('stock-db', 'pool_connections_in_use', BEGAN - 6, 4, 40)
    const spentOf = (list: readonly Series[]) =>
      usedUpBefore(observe(scene(list), entityNames(scene(list)), null))
    const spent = spentOf([CREDITS, pool])
    expect(spent).toHaveLength(2)
    expect(usedUpAfter(spent, 'stock-db', at(BEGAN))).toBeNull()
    expect(usedUpAfter(spent, 'stock-db', at(BEGAN - 6))?.series.name).toBe('pool_connections_in_use')
    // What ran out elsewhere says nothing of this place.
    const other = spentOf([CREDITS, { ...pool, entity: 'web' }])
    expect(usedUpAfter(other, 'stock-db', at(BEGAN))?.series.name).toBe('burst_credits_remaining')
  })
})

describe('a change after which something began to be used up', () => {
  const early = commit('a'.repeat(40), BEGAN - 5, 'Tidy', ['stock-db/tidy.conf'], '-  a: one\n+  a: two')
  const late = commit('b'.repeat(40), ONSET - 6, 'Polish', ['stock-db/polish.conf'], '-  b: one\n+  b: two')
  const rollouts = [
    deploy('d1', BEGAN, 'stock-db', 'v2', [early.id]),
    deploy('d2', ONSET - 3, 'stock-db', 'v3', [late.id]),
  ]
  const found = investigate(scene([CREDITS], [early, late, ...rollouts]))

  it('is named before one that came nearer to the harm, and the evidence says since when', () => {
    expect(found.cause).toMatchObject({ level: 'change', change: early.id })
    const [best] = found.hypotheses
    const cited = found.evidence.filter(({ id }) => best?.supported_by.includes(id))
    expect(cited.map(({ content }) => content).join('\n')).toMatch(
      /burst_credits_remaining of stock-db began to leave 400 at 2026-03-02 09:0\d:\d\d UTC, soon after .* took effect there, and reached/,
    )
  })

  it('is not preferred where nothing ran out, or where it did nothing that runs', () => {
    expect(investigate(scene([], [early, late, ...rollouts])).cause.change).not.toBe(early.id)
    const idle = { ...early, files: ['docs/tidy.md'] }
    expect(investigate(scene([CREDITS], [idle, late, ...rollouts])).cause.change).not.toBe(idle.id)
  })

  it('is not blamed for what was used up before it', () => {
    const after = deploy('d1', BEGAN + 15, 'stock-db', 'v2', [early.id])
    const { evidence } = investigate(scene([CREDITS], [early, after]))
    expect(evidence.some(({ content }) => content.includes('began to leave'))).toBe(false)
  })
})

describe('what was used up', () => {
  const began = (minute: number) => ({ at: at(minute), earliest: at(minute), latest: at(minute) })
  /** Connections in use that trebled from ten minutes before users felt it. */
  const used = (more: Partial<SeriesShift> = {}, name = 'pool_connections_in_use') =>
    risen('stock', name, { before: 4, during: 12, extreme: 12, onset: began(ONSET - 10), ...more })
  const isSpent = (shift: SeriesShift, more: Partial<Observed> = {}): boolean =>
    usedUpBefore({ ...BARE, shifts: [shift], onset: SINCE, first: place('stock'), ...more }).length > 0

  it('is three times what it was, of something that was there', () => {
    expect(isSpent(used())).toBe(true)
    expect(isSpent(used({ extreme: 11.9 }))).toBe(false)
    expect(isSpent(used({ before: 0 }))).toBe(false)
  })

  it('hurts, and is a stock: no error, no rate of a processor, but the credits of one', () => {
    expect(isSpent(used({ is_bad: false }))).toBe(false)
    expect(isSpent(used({}, 'http_5xx_count'))).toBe(false)
    expect(isSpent(used({}, 'cpu_usage_cores'))).toBe(false)
    expect(
      isSpent(used({ direction: 'down', before: 400, during: 0, extreme: 0 }, 'cpu_credits_remaining')),
    ).toBe(true)
  })

  it('began two minutes before users felt it at the latest, and lasted until then', () => {
    expect(isSpent(used({ onset: began(ONSET - 2) }))).toBe(true)
    expect(isSpent(used({ onset: began(ONSET - 1) }))).toBe(false)
    expect(isSpent(used({ ended_at: at(ONSET) }), { first: null })).toBe(false)
    expect(isSpent(used({ ended_at: at(ONSET) + 1 }), { first: null })).toBe(true)
    expect(isSpent(used({ ended_at: at(ONSET + 5) }))).toBe(false)
    expect(isSpent(used(), { onset: null })).toBe(false)
  })

  it('is found by its place and by an instant: from five minutes before it was seen to a minute after', () => {
    const shift = used({ onset: { at: at(60), earliest: at(59), latest: at(61) } })
    const found = (minute: number, entity: string | null = 'stock') =>
      usedUpAfter([shift], entity, at(minute)) !== null
    expect([53, 54, 60, 62, 63].map((minute) => found(minute))).toEqual([false, true, true, true, false])
    expect([found(60, 'web'), found(60, null)]).toEqual([false, false])
  })
})
