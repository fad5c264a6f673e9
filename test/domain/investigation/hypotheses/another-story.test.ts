import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { isAnotherStory } from '#shared/domain/investigation/hypotheses/another-story.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import {
  counted,
  firm,
  fused,
  NO_BLAME,
  nodeFlow,
  OBSERVED,
  PARTS,
  STOCK,
  shifted,
  WEB,
} from '../verdict-by-hand.ts'

const off = (
  entity: string,
  from: number,
  to: number | null,
  more: Partial<SeriesShift> = {},
): SeriesShift => ({
  ...shifted(entity, 'probe_failures_ratio'),
  ...{ is_bad: true, ended_at: to === null ? null : at(to) },
  onset: { at: at(from), earliest: at(from - 0.5), latest: at(from + 0.5) },
  ...more,
})
const spike: FailingService = {
  ...WEB,
  entity: 'edge',
  blame: { ...NO_BLAME, entity: 'edge', score: 8 },
  flow: null,
}
const seeing = (...shifts: SeriesShift[]): Observed => ({
  ...OBSERVED,
  ...{ first: STOCK, shifts: [...OBSERVED.shifts, ...shifts] },
  onset: { at: at(ONSET), earliest: at(ONSET - 0.5), latest: at(ONSET + 0.5) },
})
const isOne = (of: FailingService, ...shifts: SeriesShift[]): boolean => isAnotherStory(of, seeing(...shifts))

describe('what was off at another time than what users feel', () => {
  it('is another story once it is well again while they are hurt', () => {
    expect(isOne(spike, off('edge', ONSET, null))).toBe(false)
    expect(isOne(spike, off('edge', ONSET, ONSET + 5))).toBe(true)
    // One of its series that lasts is enough.
    expect(isOne(spike, off('edge', ONSET, ONSET + 5), off('edge', ONSET, null))).toBe(false)
    expect(isOne(spike, off('edge', ONSET, null, { is_bad: false }))).toBe(true)
    expect(isOne(spike, off('other', ONSET, null))).toBe(true)
  })

  it('is another story where it began well after they were hurt', () => {
    expect(isOne(spike, off('edge', ONSET + 6, null))).toBe(false)
    expect(isOne(spike, off('edge', ONSET + 6.1, null))).toBe(true)
  })

  it('is none where it failed first or was asked about, nor where no onset is known', () => {
    const over = off('edge', ONSET, ONSET + 5)
    expect(isAnotherStory(spike, { ...seeing(over), first: spike })).toBe(false)
    expect(isAnotherStory(spike, { ...seeing(over), symptom_service: 'edge' })).toBe(false)
    expect(isAnotherStory(spike, { ...seeing(over), onset: null })).toBe(false)
    expect(isAnotherStory(spike, { ...seeing(over), first: null })).toBe(false)
  })

  it('is none where calls, time on the way or lines that stayed away tell of it, or nothing blames it', () => {
    const over = off('edge', ONSET, ONSET + 5)
    const blamed = (more: Partial<NonNullable<FailingService['blame']>>) => ({
      ...spike,
      blame: { ...NO_BLAME, entity: 'edge', ...more },
    })
    expect(isOne(blamed({}), over)).toBe(true)
    expect(isOne(blamed({ flow: nodeFlow() }), over)).toBe(false)
    expect(isOne(blamed({ gap: PARTS.gap }), over)).toBe(false)
    expect(isOne(blamed({ broken: PARTS.broken as never }), over)).toBe(false)
    expect(isOne({ ...spike, flow: counted(9) }, over)).toBe(false)
    expect(isOne({ ...spike, blame: null }, over)).toBe(false)
  })

  it('makes nothing less sure of a used-up resource, nor of a place', () => {
    const stock = { ...STOCK, blame: { ...NO_BLAME, entity: 'stock', score: 8, strength: 0.9 } }
    const stated = (shift: SeriesShift, operational: readonly ReturnType<typeof firm>[]) =>
      fused({
        operational,
        observed: { ...seeing(shift), first: stock, suspects: [stock, spike], unexplained: [stock, spike] },
      }).stated
    const full = firm({ kind: 'capacity', what: 'a pool that is used up' })
    const [over, lasts] = [off('edge', ONSET, ONSET + 5), off('edge', ONSET, null)]
    expect(stated(lasts, [full])?.margin).toBe(0)
    expect(stated(over, [full])?.margin).toBe(1)
    expect(stated(lasts, [])?.margin).toBe(0)
    expect(stated(over, [])?.margin).toBeGreaterThan(0.5)
  })
})
