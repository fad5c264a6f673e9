import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { found, risen, SINCE } from '../scene-by-hand.ts'

describe('an instance that was away', () => {
  const gone = (name: string, more: Partial<SeriesShift> = {}, entity = 'stock') =>
    risen(entity, name, {
      ...{ direction: 'down', is_bad: false, before: 100, during: 4, extreme: 5, ended_at: at(ONSET + 9) },
      ...more,
    })
  const of = (...shifts: readonly SeriesShift[]) => found('infra', { shifts })

  it('is told by several of its activities that stop at once and come back', () => {
    expect(of(gone('reads'), gone('writes'))).toMatchObject({
      ...{ entity: 'stock', score: 0.51, action: 'escalate', yields_to_changes: true },
      what: 'an instance that was away for a while, as in a restart or a failover',
    })
    expect(of(gone('reads'), gone('writes'), gone('sent'), gone('received'))?.signs).toHaveLength(3)
    expect(of(gone('reads'), gone('reads'))).toBeUndefined()
    expect(of(gone('reads'))).toBeUndefined()
    for (const more of [
      { direction: 'up' as const },
      { ended_at: null },
      { before: 0, extreme: 0 },
      { extreme: 5.1 },
      { onset: { ...SINCE, at: at(ONSET + 6) } },
    ])
      expect(of(gone('reads'), gone('writes', more))).toBeUndefined()
    expect(of(gone('reads'), gone('writes', { onset: { ...SINCE, at: at(ONSET + 5) } }))).toBeDefined()
    expect(of(gone('reads'), gone('writes', {}, 'web'))).toBeUndefined()
  })

  it('is the one that was asked about', () => {
    const away = (symptom_service: string) =>
      found('infra', { shifts: [gone('reads'), gone('writes')], observed: { symptom_service } })
    expect(away('stock')).toBeDefined()
    expect(away('web')).toBeUndefined()
  })
})
