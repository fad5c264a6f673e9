import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { demandMadeInside } from '#shared/domain/investigation/place/demand-made-inside.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'

/** Calls of which there are more from a minute on, and of which some fail. */
const grown = (caller: string, callee: string, factor: number, failing = 0, from = ONSET): Edge[] =>
  calls(caller, callee).map((edge) => {
    const isMore = edge.t0 >= at(from)
    const all = Math.round((edge.calls ?? 0) * (isMore ? factor : 1))
    return { ...edge, calls: all, failed: isMore ? Math.round(all * failing) : 0 }
  })
const about = (edges: readonly Edge[], more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  edges,
  ...more,
})
const found = (edges: readonly Edge[], more: Partial<Snapshot> = {}) => {
  const snapshot = about(edges, more)
  return demandMadeInside(snapshot, normalTime(snapshot), at(ONSET))
}

describe('demand that is made inside', () => {
  it('is what a service calls beyond its usual calls per request', () => {
    const [made] = found([...calls('web', 'cart'), ...grown('cart', 'stock', 3, 0, ONSET - 5)])
    expect(made).toMatchObject({ caller: 'cart', callee: 'stock', factor: 3, since: at(ONSET - 5) })
    expect(made?.excess).toBe(35 * 1_200)
  })

  it('is none where it is passed on, tried again after failing, a little more, a burst, or without a usual ratio', () => {
    const web = calls('web', 'cart')
    for (const edges of [
      [...grown('web', 'cart', 3), ...grown('cart', 'stock', 3)],
      [...web, ...grown('cart', 'stock', 3, 0.67)],
      [...web, ...grown('cart', 'stock', 1.2)],
      [...web, ...grown('cart', 'stock', 3, 0, 118)],
      [...web, ...grown('cart', 'stock', 3, 0, ONSET + 5)],
      [...grown('web', 'cart', 0.3), ...calls('cart', 'stock')],
      [...web, ...grown('cart', 'stock', 3).filter(({ t0 }) => t0 >= at(60))],
      grown('cart', 'stock', 3),
      [...web, ...grown('cart', 'stock', 3).map(({ calls: _, ...edge }) => edge)],
    ])
      expect(found(edges)).toEqual([])
  })

  it('is measured against the own count of requests where nobody is known to call', () => {
    const asked = (during: number) => [series('web', 'http_requests_per_second', 10, during)]
    expect(found(grown('web', 'stock', 3), { series: asked(10) })[0]?.caller).toBe('web')
    expect(found(grown('web', 'stock', 3), { series: asked(30) })).toEqual([])
  })

  it('is none where the service counts more requests than those who are known to call it make', () => {
    const edges = [...calls('web', 'cart'), ...grown('cart', 'stock', 3)]
    const own = (before: number, during: number) => [
      series('cart', 'http_requests_per_second', before, during),
    ]
    expect(found(edges, { series: own(10, 30) })).toEqual([])
    expect(found(edges, { series: own(10, 10) })[0]?.caller).toBe('cart')
    // Who measures only a part of what it is asked does not take from what its callers count.
    expect(found(edges, { series: own(1, 3) })[0]?.caller).toBe('cart')
  })

  it('is the place of what has to bear it, and no traffic from outside', () => {
    const edges = [...calls('web', 'cart', 0.4), ...grown('cart', 'stock', 4, 0.3, ONSET - 3)]
    const snapshot = about(edges, {
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [
        series('web', 'http_5xx_ratio', 0.003, 0.4),
        series('stock', 'http_5xx_ratio', 0.003, 0.3),
        series('stock', 'http_requests_per_second', 10, 40, ONSET - 3),
      ],
    })
    const made = investigate(snapshot)
    expect(made.first_failing_service).toBe('cart')
    expect(made.hypotheses.map(({ cause }) => cause.kind)).not.toContain('traffic')
    expect(made.hypotheses[0]?.statement).toBe(
      'cart calls stock more often than its own load explains; what changed there is not known.',
    )
    expect(made.evidence.map(({ content }) => content)).toContain(
      'cart calls stock up to 2.8 times as often per request as usual since 2026-03-02 09:27:00 UTC; calls that failed and were tried again are not counted.',
    )
    const passed = investigate({
      ...snapshot,
      edges: [...calls('web', 'cart', 0.4), ...calls('cart', 'stock', 0.3)],
    })
    expect(passed.first_failing_service).toBe('stock')
  })
})
