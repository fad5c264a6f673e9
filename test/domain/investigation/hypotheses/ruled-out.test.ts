import { describe, expect, it } from 'vitest'
import type { RankedChange } from '#shared/domain/investigation/changes/ranked-change.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { at, deploy, ONSET } from '../incident-scenarios.ts'
import { able, another, fused, mechanism, OBSERVED, PLAIN, STOCK, shifted } from '../verdict-by-hand.ts'

describe('what is ruled out', () => {
  const late = (id: string, place = 1, known = true): RankedChange =>
    another(id, { place, effective_at: { from: at(ONSET + 9), to: at(ONSET + 9), known } })

  it('are changes that came too late, at most three, those that reached the place first', () => {
    const { ruled_out, said } = fused({
      late: [late('l1', 0.2), late('l2', 1, false), late('l3', 0.9), late('l4')],
    })
    expect(ruled_out.map(({ statement }) => statement)).toEqual([
      'Commit l4 “Name a size” is not the cause.',
      'Commit l3 “Name a size” is not the cause.',
      'Commit l1 “Name a size” is not the cause.',
    ])
    expect(ruled_out[0]?.reason).toBe('It took effect at 2026-03-02 09:39:00 UTC, after the symptoms began.')
    expect(said(ruled_out[0]?.evidence)[1]).toMatch(/^http_5xx_ratio of stock/)
  })

  it('is told by its title and whose it is, so that nobody must look up an id', () => {
    const own = late('l1')
    const [of] = fused({ late: [{ ...own, change: { ...own.change, entity: 'web' } }] }).ruled_out
    expect(of?.statement).toBe('Commit l1 “Name a size” of web is not the cause.')
  })

  it('is told with the symptom that began before, where there is one', () => {
    const shift = shifted('stock', 'failed_ratio')
    const evidence = (first: FailingService | null) => {
      const { items, ruled_out } = fused({
        late: [late('l1')],
        observed: { ...OBSERVED, first, failing: [] },
      })
      return ruled_out[0]?.evidence.map((id) => {
        const item = items.find((one) => one.id === id)
        return [item?.source, item?.type, item?.query]
      })
    }
    const change = ['commits', 'change', 'commits of the window']
    expect(evidence({ ...STOCK, shifts: [shift] })).toEqual([
      change,
      ['metrics', 'anomaly', 'the failed_ratio'],
    ])
    expect(evidence({ ...STOCK, shifts: [] })).toEqual([change])
    expect(evidence(null)).toEqual([change])
  })

  it('is told by when its rollout took effect, or that it was recorded so late', () => {
    const reason = (entry: RankedChange) => fused({ late: [entry] }).ruled_out[0]?.reason
    expect(reason({ ...late('l1'), carried_by: deploy('d9', ONSET + 5, 'stock', 'v9', ['l1']) })).toBe(
      'It took effect at 2026-03-02 09:35:00 UTC, after the symptoms began.',
    )
    const { effective_at: _, ...recorded } = deploy('d9', ONSET + 5, 'stock', 'v9', ['l1'])
    expect(reason({ ...late('l1'), carried_by: recorded })).toMatch(/took effect at 2026-03-02 09:35:00 UTC/)
    expect(reason(late('l1', 1, false))).toBe(
      'It was recorded at 2026-03-02 09:39:00 UTC, after the symptoms began.',
    )
  })

  it('are changes that arrived in time and are harmless, or can do no such harm', () => {
    const out = (more: Partial<RankedChange>) =>
      fused({ ranked: [{ ...PLAIN, score: 0.1, ...more }] }).ruled_out.map(({ reason }) => reason)
    expect(out({ trivial: 'it only touches documentation' })).toEqual([
      'It reached stock in time, but it only touches documentation.',
    ])
    expect(out({})).toEqual(['It reached stock in time, but nothing in its diff can cause what is observed.'])
    expect(out({ reaches: null })[0]).toMatch(/^It reached the failing service in time/)
    expect(out({ place: 0.85 })).toHaveLength(1)
    expect(fused({ ranked: [{ ...PLAIN, score: 0.1 }] }).ruled_out[0]?.statement).toBe(
      'Commit c1 “Name a size” is an unlikely cause.',
    )
    for (const more of [
      { diff: { ...PLAIN.diff, size: 0 } },
      { mechanism: mechanism(0.2) },
      { place: 0.84 },
      { effective_at: { from: 0, to: 0, known: false } },
    ])
      expect(out(more)).toEqual([])
  })

  it('is nothing that is named, and no more than five', () => {
    expect(fused({ ranked: [able({ trivial: 'it only touches documentation' })] }).ruled_out).toEqual([])
    const many = Array.from({ length: 9 }, (_, index) => ({
      ...another(`c${index}`, { score: 0.1 }),
      mechanism: null,
    }))
    expect(fused({ ranked: many, late: [late('l1')] }).ruled_out).toHaveLength(5)
    // What comes after the five that are shown is not named, so it may be ruled out.
    const shown = [1, 2, 3, 4, 5].map((index) => another(`c${index}`, { score: 0.9 - index / 100 }))
    const sixth = another('c6', { score: 0.4, trivial: 'it only touches documentation' })
    expect(fused({ ranked: [...shown, sixth] }).ruled_out.map(({ statement }) => statement)).toEqual([
      'Commit c6 “Name a size” is an unlikely cause.',
    ])
  })
})
