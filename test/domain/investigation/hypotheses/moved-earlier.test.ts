import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import { movedEarlier } from '#shared/domain/investigation/hypotheses/moved-earlier.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import {
  another,
  counted,
  firm,
  fused,
  LINKS,
  mechanism,
  NO_BLAME,
  named,
  OBSERVED,
  PLAIN,
  STOCK,
  shown,
} from '../verdict-by-hand.ts'

const took = (minutes: number): Pick<RankedChange, 'effective_at'> => ({
  effective_at: { from: at(ONSET - minutes), to: at(ONSET - minutes), known: true },
})
const moved = (minutes: number, more: Partial<RankedChange> = {}): RankedChange => ({
  ...PLAIN,
  ...{ spent: LINKS.spent, reaches: 'edge', place: 0.85, score: 0.5 },
  ...took(minutes),
  ...more,
})

describe('what moved where a change arrived', () => {
  it('moved too long before from more than five minutes on', () => {
    expect(movedEarlier(moved(5.1), at(ONSET))).toBe(true)
    expect(movedEarlier(moved(5), at(ONSET))).toBe(false)
    expect(movedEarlier(moved(-1), at(ONSET))).toBe(false)
  })

  it('is not known to have moved too long before where nothing moved, or nobody knows since when users are hurt', () => {
    expect(movedEarlier(moved(30, { spent: null }), at(ONSET))).toBe(false)
    expect(movedEarlier(moved(30), undefined)).toBe(false)
  })

  it('does not count against a change that what fails names', () => {
    expect(movedEarlier(moved(30, { quoted: LINKS.quoted }), at(ONSET))).toBe(false)
    // To hold a word of it is not to be named.
    expect(movedEarlier(moved(30, { quoted: { ...LINKS.quoted, how: 'touches' } }), at(ONSET))).toBe(true)
  })
})

describe('a change elsewhere after which something moved', () => {
  const flows = new Map([
    ['stock', counted(90)],
    ['web', { ...counted(0), entity: 'web' }],
  ])
  // The measurements do not point to a place clearly, so that nothing is elsewhere than there.
  const unclear: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.4 } }
  const observed: Observed = { ...OBSERVED, shifts: [], flows, suspects: [unclear] }
  const order = (ranked: readonly RankedChange[], operational = [] as ReturnType<typeof firm>[]) =>
    named(fused({ ranked, operational, observed }))
  const beside = another('c2', { score: 0.3, reaches: 'mail', place: 0.85, ...took(1) })

  it('stands behind all else that happened where it lies long before users were hurt', () => {
    expect(order([moved(30), beside])[0]).toBe('c2')
    expect(order([moved(3), beside])[0]).toBe('c1')
    const seen = firm({ kind: 'node', score: 0.3, entity: 'batch-1', signs: [shown('batch-1')] })
    expect(order([moved(30)], [seen])[0]).toBe('node')
    expect(order([moved(3)], [seen])[0]).toBe('c1')
  })

  it('keeps its place where it arrived at what fails, or so close before that it is hardly chance', () => {
    expect(order([moved(30, { reaches: 'stock' }), beside])[0]).toBe('c1')
    expect(order([moved(30, { hardly_chance: true }), beside])[0]).toBe('c1')
  })
})

describe('a change elsewhere that a cause which was seen is put down to', () => {
  const flows = new Map([['stock', counted(90)]])
  const unclear: FailingService = { ...STOCK, blame: { ...NO_BLAME, strength: 0.4 } }
  const observed: Observed = { ...OBSERVED, shifts: [], flows, suspects: [unclear] }
  const cache = firm({
    ...{
      kind: 'infra',
      entity: 'edge',
      score: 0.5,
      signs: [shown('edge'), shown('mail')],
      yields_to_changes: true,
    },
  })
  const first = (more: Partial<RankedChange>) => {
    const may = { ...PLAIN, ...took(4), score: 0.6, reaches: 'edge', place: 0.85, closeness: 0.25, ...more }
    const there = { ...PLAIN, change: { ...PLAIN.change, id: 'c2' }, score: 0.35, words_score: 0.5 }
    return named(fused({ ranked: [may, { ...there, ...took(1) }], operational: [cache], observed }))[0]
  }

  it('is not beside the point where it can do such harm', () => {
    expect(first({ mechanism: mechanism(0.6) })).toBe('c1')
    expect(first({ mechanism: mechanism(0.19), words_score: 0.5 })).not.toBe('c1')
    // Of another place nothing that was seen is put down to it.
    expect(first({ mechanism: mechanism(0.6), reaches: 'mail' })).not.toBe('c1')
  })
})
