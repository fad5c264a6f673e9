import { describe, expect, it } from 'vitest'
import { ratesOfItsOwn } from '#shared/domain/investigation/changes/rates-of-its-own.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const normal = { ...SEEN.normal, baselines: [{ name: 'calm', from: at(0), to: at(60) }] }
/** A rate of `stock-api` that went from one level to another. */
const rate = (before: number, during: number, minute = ONSET): SeriesShift => ({
  ...shifted('stock-api', 'supplier_requests_per_second'),
  ...{ before, during },
  onset: { at: at(minute), earliest: at(minute), latest: at(minute) },
})
/** Its calls, so many times as many since the onset. */
const asked = (factor: number, callee = 'stock-api'): readonly Edge[] =>
  calls('web', callee).map((edge) =>
    edge.t0 < at(ONSET) ? edge : { ...edge, calls: (edge.calls ?? 0) * factor },
  )
const isOfItsOwn = (shift: SeriesShift, edges: readonly Edge[]) => ratesOfItsOwn(edges, { normal })(shift)

describe('a rate of a service', () => {
  it('is its own doing where it stepped and as many ask as ever', () => {
    expect(isOfItsOwn(rate(10, 4), asked(1))).toBe(true)
    expect(isOfItsOwn(rate(10, 16), asked(1))).toBe(true)
    expect(isOfItsOwn(rate(10, 15), asked(1))).toBe(true)
    expect(isOfItsOwn(rate(15, 10), asked(1))).toBe(true)
    expect(isOfItsOwn(rate(10, 14), asked(1))).toBe(false)
    expect(isOfItsOwn(rate(10, 7), asked(1))).toBe(false)
    expect(isOfItsOwn(rate(0, 7), asked(1))).toBe(false)
  })

  it('came with those who ask where they became more or fewer', () => {
    expect(isOfItsOwn(rate(10, 4), asked(0.9))).toBe(true)
    expect(isOfItsOwn(rate(10, 4), asked(0.8))).toBe(false)
    expect(isOfItsOwn(rate(10, 16), asked(1.1))).toBe(true)
    expect(isOfItsOwn(rate(10, 16), asked(1.2))).toBe(false)
    expect(isOfItsOwn(rate(10, 16), asked(1.3))).toBe(false)
  })

  it('is held against those who ask since it stepped', () => {
    const quiet = asked(1).map((edge) =>
      edge.t0 >= at(60) && edge.t0 < at(ONSET) ? { ...edge, calls: 1 } : edge,
    )
    expect(isOfItsOwn(rate(10, 4, ONSET), quiet)).toBe(true)
    expect(isOfItsOwn(rate(10, 4, 60), quiet)).toBe(false)
  })

  it('is nothing where nobody counts who asks', () => {
    expect(isOfItsOwn(rate(10, 4), [])).toBe(false)
    expect(isOfItsOwn(rate(10, 4), asked(1, 'other'))).toBe(false)
    expect(isOfItsOwn(rate(10, 4, 10_000), asked(1))).toBe(false)
  })
})
