import { describe, expect, it } from 'vitest'
import { incidentCharts } from '#shared/domain/investigation/incident-charts.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, EMPTY, ONSET, SCENARIOS, series } from './incident-scenarios.ts'

describe('the charts of an incident', () => {
  it('mark the change that is named and what carried it, and when each service began to fail', () => {
    for (const { snapshot } of SCENARIOS) {
      const findings = investigate(snapshot)
      const charts = incidentCharts(snapshot, findings)
      expect(charts.changes.some(({ part }) => part === 'cause')).toBe(
        snapshot.changes.some(({ id }) => id === findings.cause.change),
      )
      expect(charts.onset === null).toBe(findings.onset === null)
      for (const { from, to } of charts.failing) expect(from).toBeLessThanOrEqual(to)
      for (const [caller, callee] of charts.calls) {
        expect(charts.nodes[caller]).toBeDefined()
        expect(charts.nodes[callee]).toBeDefined()
      }
      const places = charts.nodes.map(({ depth, row }) => `${depth} ${row}`)
      expect(new Set(places).size).toBe(places.length)
      expect(JSON.stringify(incidentCharts(snapshot, findings))).toBe(JSON.stringify(charts))
    }
  })

  it('draw at most 480 points of a series, a hole where nothing was measured, and a cycle of calls', () => {
    const base = series('a', 'http_errors_ratio', 0.001, 0.5)
    const many = 5_000
    const times = Float64Array.from({ length: many }, (_, index) => at(0) + index * 1_400)
    const values = Float64Array.from({ length: many }, (_, index) =>
      index === 0 ? Number.NaN : index > many * 0.8 ? 0.5 : 0.001,
    )
    const edge = { source: 'none', t0: at(ONSET), interval_s: 60, calls: 100, failed: 1 }
    const snapshot: Snapshot = {
      ...EMPTY,
      alerts: [alert('a', 'errors')],
      series: [{ ...base, times, values }],
      edges: [
        { ...edge, caller: 'a', callee: 'b' },
        { ...edge, caller: 'b', callee: 'a' },
      ],
    }
    const charts = incidentCharts(snapshot, investigate(snapshot))
    expect(charts.series[0]?.points.length).toBeLessThanOrEqual(480)
    expect(charts.series[0]?.points[0]?.[1]).toBeNull()
    expect(charts.nodes.map(({ name }) => name).sort()).toEqual(['a', 'b'])
    expect(charts.calls).toHaveLength(2)
  })
})
