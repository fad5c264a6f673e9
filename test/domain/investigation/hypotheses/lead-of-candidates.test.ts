import { describe, expect, it } from 'vitest'
import type { OperationalCause } from '#shared/domain/investigation/causes/operational-cause.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { calls, series } from '../incident-scenarios.ts'
import { find } from '../scene-by-hand.ts'
import {
  counted,
  firm,
  fused,
  NO_BLAME,
  nodeFlow,
  OBSERVED,
  STOCK,
  shown,
  told,
  WEB,
} from '../verdict-by-hand.ts'

describe('causes that are no change', () => {
  it('whoever calls a place that fails is no rival of it, however far it left its own normal level', () => {
    const { cause, confidence } = find([], {
      series: [
        series('stock-db', 'query_errors_ratio', 0.03, 0.6),
        series('web', 'http_5xx_ratio', 0.0001, 0.6),
      ],
      edges: [...calls('web', 'stock-api', 0.6), ...calls('stock-api', 'stock-db', 0.6)],
    })
    expect(cause).toMatchObject({ level: 'service', entity: 'stock-db' })
    expect(confidence).toBeGreaterThan(0.5)
  })
})

describe('of two things that happened', () => {
  it('the one that leaves most of what fails open is no rival of the one that explains it, however sure it is', () => {
    const flows = new Map([
      ['stock', counted(90)],
      ['web', { ...counted(0), entity: 'web' }],
    ])
    const observed = { ...OBSERVED, shifts: [], flows }
    const marginOf = (...operational: readonly OperationalCause[]) =>
      fused({ operational, observed }).stated?.margin
    const gone = firm({ score: 0.8, entity: 'stock' })
    const beside = firm({ score: 0.8, entity: 'printer', signs: [] })
    expect(marginOf(gone)).toBe(1)
    expect(marginOf(gone, beside)).toBe(1)
    expect(marginOf(gone, firm({ score: 0.4, entity: 'stock', kind: 'capacity' }))).toBeLessThan(1)
  })
})

describe('how far a place stands out', () => {
  const place = (of: FailingService, score: number, more: Partial<FailingService> = {}): FailingService => ({
    ...of,
    blame: { ...NO_BLAME, entity: of.entity, score, strength: 0.9 },
    ...more,
  })
  const statedOf = (
    places: readonly FailingService[],
    operational: readonly OperationalCause[] = [],
    unexplained = places,
  ) =>
    fused({
      operational,
      observed: { ...OBSERVED, first: places[0] ?? null, suspects: places, unexplained },
    }).stated

  it('is told by what blames it, as a share of the most', () => {
    expect(statedOf([place(STOCK, 8), place(WEB, 2)])).toMatchObject({ kinds: 0.8 })
    expect(statedOf([place(STOCK, 8), place(WEB, 2)])?.margin).toBeCloseTo(0.75 * 0.8)
    // Where nothing blames it, by how much it fails; a flow accounts for all of it.
    const [silent, other] = [
      { ...STOCK, blame: null, score: 0.8 },
      { ...WEB, blame: null, score: 0.4 },
    ]
    expect(statedOf([silent, other])).toMatchObject({ kinds: 0.8, margin: 0.4 })
    const flowing = place(STOCK, 8, { blame: { ...NO_BLAME, score: 8, strength: 0.6, flow: nodeFlow() } })
    expect(statedOf([flowing])).toMatchObject({ kinds: 0.6, margin: 0.6 })
  })

  it('bounds how far a used-up resource there stands out, and no other cause', () => {
    const full = firm({ kind: 'capacity', what: 'a pool that is used up' })
    const margin = (cause: Partial<OperationalCause>, ...more: readonly OperationalCause[]) =>
      statedOf([place(STOCK, 8), place(WEB, 4)], [{ ...full, ...cause }, ...more])?.margin
    expect(margin({})).toBeCloseTo(0.5)
    expect(margin({ entity: 'web' })).toBe(0)
    expect(margin({ entity: 'elsewhere' })).toBe(1)
    expect(margin({ kind: 'dns' })).toBe(1)
    expect(margin({ is_whole: true })).toBe(1)
    // A volume that was measured at its node stands at a place of its own.
    expect(margin({ signs: [told('no space left'), shown('node-7')] })).toBe(1)
    expect(margin({ signs: [told('no space left'), shown('stock')] })).toBeCloseTo(0.5)
    expect(margin({}, firm({ score: 0.54 }))).toBeLessThan(0.2)
    expect(statedOf([place(STOCK, 8)], [full])?.margin).toBe(1)
  })

  it('adds to what speaks for a used-up resource there', () => {
    const full = firm({ kind: 'capacity', score: 0.4, what: 'a pool that is used up', signs: [told('full')] })
    expect(statedOf([place(STOCK, 8)], [full])?.kinds).toBeCloseTo(0.8)
    expect(statedOf([place(STOCK, 2)], [full])?.kinds).toBeCloseTo(0.4)
    expect(statedOf([place(STOCK, 8)], [{ ...full, kind: 'dns' }])?.kinds).toBeCloseTo(0.4)
    expect(statedOf([place(STOCK, 8)], [firm({ kind: 'dns', score: 0.4 })])?.kinds).toBeCloseTo(0.8)
  })

  it('is not lessened by those whose failing its counted calls explain, or that hardly fail themselves', () => {
    const full = firm({ kind: 'capacity', what: 'a pool that is used up' })
    const margin = (flow: Flow | null, other: Flow | null, isExplained = false) => {
      const [stock, web] = [place(STOCK, 8, { flow }), place(WEB, 4, { flow: other })]
      return statedOf([stock, web], [full], isExplained ? [stock] : [stock, web])?.margin
    }
    expect(margin(counted(1_000), null)).toBeCloseTo(0.5)
    expect(margin(counted(1_000), null, true)).toBe(1)
    expect(margin(null, null, true)).toBeCloseTo(0.5)
    expect(margin(null, counted(0))).toBeCloseTo(0.5)
    expect(margin(counted(1_000), counted(9))).toBe(1)
    expect(margin(counted(1_000), counted(10))).toBeCloseTo(0.5)
    expect(margin(counted(1), counted(0))).toBe(1)
    expect(margin(counted(0.9), counted(0))).toBeCloseTo(0.5)
  })
})
