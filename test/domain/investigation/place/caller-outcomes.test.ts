import { describe, expect, it } from 'vitest'
import { outcomesByCaller } from '#shared/domain/investigation/place/caller-outcomes.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, LENGTH, ONSET } from '../incident-scenarios.ts'

const since = (edges: readonly Edge[]) => outcomesByCaller(edges, 'mail-api', at(ONSET), at(LENGTH))

describe('what each caller of one entity met', () => {
  it('tells those who fail there from those who are served as ever', () => {
    const edges = [
      ...calls('letters', 'mail-api', 0.5),
      ...calls('alarms', 'mail-api'),
      ...calls('orders', 'mail-api', 0.1),
      ...calls('news', 'mail-api', 0.02),
      ...calls('polls', 'mail-api', 0.05),
    ]
    expect(since(edges)).toEqual({ fail: ['letters', 'orders'], served: ['alarms', 'news'] })
  })

  it('counts calls of the time that is asked about, of that entity, by others', () => {
    const early = calls('letters', 'mail-api', 0.5).map((edge) => ({ ...edge, t0: edge.t0 - at(ONSET) }))
    for (const edges of [early, calls('letters', 'other-api', 0.5), calls('mail-api', 'mail-api', 0.5)])
      expect(since(edges)).toEqual({ fail: [], served: [] })
  })

  it('says nothing of who calls seldom, or of whom calls were not counted', () => {
    const [one] = calls('letters', 'mail-api').filter(({ t0 }) => t0 >= at(ONSET)) as [Edge]
    expect(since([{ ...one, calls: 29, failed: 29 }])).toEqual({ fail: [], served: [] })
    expect(since([{ ...one, calls: 30, failed: 30 }])).toEqual({ fail: ['letters'], served: [] })
    const { calls: _, ...uncounted } = one
    expect(since([uncounted])).toEqual({ fail: [], served: [] })
  })
})
