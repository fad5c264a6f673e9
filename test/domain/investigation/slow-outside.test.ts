import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import {
  alert,
  at,
  calls,
  commit,
  deploy,
  EMPTY,
  lines,
  MINUTE,
  ONSET,
  series,
} from './incident-scenarios.ts'

/** Calls that take so many times as long within `from` to `to`. */
const waits = (caller: string, callee: string, factor: number, from = ONSET, to = 120): readonly Edge[] =>
  calls(caller, callee).map((edge) =>
    edge.t0 >= at(from) && edge.t0 < at(to) ? { ...edge, latency_sum_ms: 30_000 * factor } : edge,
  )

/** A booking site that asks an outside service for tariffs. */
function find(outside: readonly Edge[], more: Partial<Snapshot> = {}): Findings {
  return investigate({
    ...EMPTY,
    alerts: [alert('site', 'http_p95_ms')],
    series: [series('site', 'http_p95_ms', 90, 1_600), series('booking', 'http_p95_ms', 60, 1_500)],
    changes: [
      commit('aa11', 20, 'Say how to run the tests', ['site/README.md'], null),
      deploy('d1', 30, 'site', 'v2', ['aa11']),
    ],
    edges: [...waits('site', 'booking', 20), ...calls('booking', 'booking-db'), ...outside],
    ...more,
  })
}
const places = ({ hypotheses }: Findings): readonly string[] =>
  hypotheses.map(({ cause }) => `${cause.kind} ${cause.entity}`)

describe('what is outside and answers slowly', () => {
  it('is named where one caller waits for it and for nothing else', () => {
    const found = find(waits('booking', 'tariffs', 25))
    expect(found.cause).toMatchObject({ kind: 'provider', entity: 'tariffs', change: null })
    expect(found.confidence).toBeLessThan(0.5)
    expect(found.evidence.map(({ content }) => content).join('\n')).toMatch(
      /calls to tariffs .* waited [\d.]+ ms/,
    )
  })

  it('is likely where a second caller waits as well, or the caller says so by name', () => {
    const two = find([...waits('booking', 'tariffs', 25), ...waits('invoices', 'tariffs', 25)])
    expect(two.cause).toMatchObject({ kind: 'provider', entity: 'tariffs' })
    expect(two.confidence).toBeGreaterThan(0.5)
    const named = find(waits('booking', 'tariffs', 25), {
      logs: lines('booking', 'WARN', 'slow call: tariffs took 1250 ms', ONSET),
    })
    expect(named.confidence).toBeGreaterThan(0.5)
  })

  it('is none where its caller waits for everything that it calls', () => {
    const found = find([...waits('booking', 'tariffs', 25), ...waits('booking', 'mailer', 25)])
    expect(places(found)).not.toContain('provider tariffs')
  })

  it('is none that was slow before, was slow for a moment, or is a little slower', () => {
    for (const outside of [
      waits('booking', 'tariffs', 25, 0),
      waits('booking', 'tariffs', 25, ONSET, ONSET + 5),
      waits('booking', 'tariffs', 1.5),
      calls('booking', 'tariffs').map(({ latency_sum_ms: _, ...edge }) => edge),
    ])
      expect(places(find(outside))).not.toContain('provider tariffs')
  })

  it('is none that is measured itself, or is a store of its own', () => {
    const outside = waits('booking', 'tariffs', 25)
    const measured = [series('tariffs', 'cpu_utilization_ratio', 0.2, 0.2)]
    expect(
      places(find(outside, { series: [...measured, series('site', 'http_p95_ms', 90, 1_600)] })),
    ).not.toContain('provider tariffs')
    const entities: Snapshot['entities'] = [{ name: 'tariffs', kind: 'datastore', aliases: [] }]
    expect(places(find(outside, { entities }))).not.toContain('provider tariffs')
  })

  it('is none that accounts for little of what is waited for', () => {
    const seldom = calls('booking', 'tariffs').map((edge) => ({
      ...edge,
      ...{ calls: 6, latency_count: 6, latency_sum_ms: edge.t0 < at(0) + ONSET * MINUTE ? 300 : 7_500 },
    }))
    expect(places(find(seldom))).not.toContain('provider tariffs')
  })
})
