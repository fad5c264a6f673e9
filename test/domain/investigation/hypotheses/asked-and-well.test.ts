import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_UNEXPLAINED } from '#shared/domain/investigation/confidence.ts'
import { askedAndWell, isOfOthers } from '#shared/domain/investigation/hypotheses/asked-and-well.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { observedIn } from '../verdict-by-hand.ts'

const lasting = (edges: readonly Edge[], ms: number): Edge[] =>
  edges.map((edge) => ({ ...edge, latency_count: edge.calls ?? 0, latency_sum_ms: ms * (edge.calls ?? 0) }))

/** `web` fails because `stock` does, since a release of it; `shop` asks both `web` and `shelf`, which answers as ever. */
const incidentOf = (asked: string, more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert(asked, 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  edges: [
    ...lasting(calls('shop', 'web', 0.4), 40),
    ...lasting(calls('web', 'stock', 0.4), 30),
    ...lasting(calls('shop', 'shelf', 0), 5),
    ...lasting(calls('shelf', 'paper', 0), 5),
  ],
  logs: lines('stock', 'ERROR', 'page() takes 2 arguments but 1 was given: count', ONSET),
  changes: [
    commit(
      'c1',
      80,
      'Name a size',
      ['stock/page.ts'],
      '@@ page.ts @@\n-  page(items, count)\n+  page(items)',
    ),
    deploy('d1', ONSET - 2, 'stock', 'v2', ['c1']),
  ],
  ...more,
})
const SAYS = 'shelf itself answers as ever, so this is the cause of what fails elsewhere'

describe('who was asked about and is well', () => {
  it('is answered as ever by the count of all who call it, and nothing of it is worse', () => {
    expect(askedAndWell(observedIn(incidentOf('shelf')))).toBe('shelf')
    expect(askedAndWell(observedIn(incidentOf('web')))).toBeNull()
    const busy = series('shelf', 'cpu_utilization_ratio', 0.2, 0.97)
    expect(
      askedAndWell(observedIn(incidentOf('shelf', { series: [...incidentOf('shelf').series, busy] }))),
    ).toBeNull()
  })

  it('is not known of whom nobody is counted to call, nor where nobody was asked about', () => {
    expect(askedAndWell(observedIn(incidentOf('shop')))).toBeNull()
    expect(askedAndWell(observedIn(incidentOf('shelf', { alerts: [] })))).toBeNull()
  })
})

describe('a hypothesis of others', () => {
  const observed = observedIn(incidentOf('shelf'))
  const [stock] = observed.failing
  const placed = (entity: string) =>
    ({ of: 'service', service: { ...stock, entity }, score: 1 }) as Parameters<typeof isOfOthers>[0]
  const telling = (...entities: readonly (string | null)[]) =>
    ({
      ...{ of: 'operational', score: 1, kinds: 1 },
      found: {
        ...{ kind: 'infra', entity: null, score: 1, what: 'x', action: 'escalate' },
        signs: entities.map((entity) => ({ fact: { of: 'text', entity, text: 'x', at: 0 }, strength: 1 })),
      },
    }) as unknown as Parameters<typeof isOfOthers>[0]

  it('speaks of parts alone that calls are known of and that are neither who was asked about nor behind it', () => {
    expect(isOfOthers(placed('stock'), observed)).toBe(true)
    expect(isOfOthers(placed('shelf'), observed)).toBe(false)
    expect(isOfOthers(placed('paper'), observed)).toBe(false)
    expect(isOfOthers(placed('rack-4'), observed)).toBe(false)
  })

  it('speaks of none that is not: one of several is enough to reach who was asked about', () => {
    expect(isOfOthers(telling('stock', 'web'), observed)).toBe(true)
    expect(isOfOthers(telling('stock', 'paper'), observed)).toBe(false)
    expect(isOfOthers(telling('stock', 'rack-4'), observed)).toBe(false)
    expect(isOfOthers(telling(null), observed)).toBe(false)
  })

  it('is of no others where who was asked about is not well', () => {
    expect(isOfOthers(placed('stock'), observedIn(incidentOf('web')))).toBe(false)
  })
})

describe('the cause of what fails elsewhere', () => {
  it('is no likely cause of the alert of a part that is well and asks none of those who fail', () => {
    const told = investigate(incidentOf('shelf'))
    expect(told.cause.entity).toBe('stock')
    expect(told.confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_UNEXPLAINED)
    expect(told.outcome).not.toBe('identified')
    expect(told.confidence_basis).toContain(SAYS)
    expect(told.summary).toContain('shelf itself answers as ever')
  })

  it('is likely where the part asked about fails, or asks one that does through others', () => {
    for (const asked of ['web', 'shop']) {
      const told = investigate(incidentOf(asked))
      expect(told.cause.entity).toBe('stock')
      expect(told.confidence).toBeGreaterThan(CONFIDENCE_CAP_UNEXPLAINED)
      expect(told.confidence_basis).not.toContain('answers as ever')
    }
    const asking = [...incidentOf('shelf').edges, ...lasting(calls('paper', 'stock', 0), 30)]
    expect(investigate(incidentOf('shelf', { edges: asking })).confidence_basis).not.toContain(SAYS)
  })

  it('is not said to be elsewhere where it is at a part of which nobody counts calls', () => {
    const told = investigate(
      incidentOf('shelf', {
        changes: [],
        edges: incidentOf('shelf').edges.filter(({ callee }) => callee !== 'stock'),
      }),
    )
    expect(told.cause.entity).toBe('stock')
    expect(told.confidence_basis).not.toContain(SAYS)
  })
})

describe('of whom no tool says anything', () => {
  const { alerts: _, ...quiet } = incidentOf('web')
  const snapshot = { ...quiet, alerts: [] }

  it('what else fails is no likely cause, and it is said first that nothing names it', () => {
    const known = investigate(snapshot, { service: 'web' })
    const unknown = investigate(snapshot, { service: 'ledger' })
    expect(known.confidence).toBeGreaterThan(CONFIDENCE_CAP_UNEXPLAINED)
    expect(known.summary).not.toContain('No connected tool')
    expect(unknown.cause).toEqual(known.cause)
    expect(unknown.confidence).toBe(CONFIDENCE_CAP_UNEXPLAINED)
    expect(unknown.outcome).toBe('best_effort')
    expect(unknown.summary).toMatch(/^No connected tool names ledger\. stock /)
    expect(unknown.confidence_basis).toContain(
      'no tool names ledger, so this is the cause of what else fails',
    )
  })

  it('that nothing left its normal level is said of what is known', () => {
    const calm = investigate(
      { ...EMPTY, series: [series('stock', 'http_5xx_ratio', 0, 0)] },
      { service: 'ledger' },
    )
    expect(calm.summary).toMatch(
      /^No connected tool names ledger\. Nothing that was measured left its normal level\./,
    )
  })
})
