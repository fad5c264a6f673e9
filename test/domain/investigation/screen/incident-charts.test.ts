import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { type ChartedFindings, incidentCharts } from '#shared/domain/investigation/screen/incident-charts.ts'
import { alert, at, commit, deploy, EMPTY, LENGTH, ONSET, SCENARIOS, series } from '../incident-scenarios.ts'

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

const FOUND: ChartedFindings = {
  cause: {
    ...{ kind: 'code', level: 'change', entity: 'stock', change: 'c1', trigger: null, contributing: [] },
    since: null,
  },
  ...{ confidence: 0.7, hypotheses: [], blast_radius: [], first_failing_service: 'stock', onset: null },
}
const named = (entity: string | null, confidence: number): ChartedFindings['hypotheses'][number] => ({
  ...{
    cause: { ...FOUND.cause, entity },
    statement: 'it',
    confidence,
    supported_by: [],
    contradicted_by: [],
  },
})
const charts = (more: Partial<Snapshot>, findings: Partial<ChartedFindings> = {}) =>
  incidentCharts({ ...EMPTY, ...more }, { ...FOUND, ...findings })

describe('the timeline', () => {
  it('shows alerts, changes and events in the order of their time, each in a few words', () => {
    const { effective_at: _, ...recorded } = deploy('d0', 50, 'stock', 'v0', [])
    const found = charts({
      alerts: [
        { source: 'alerts', name: 'slow', fired_at: at(97) },
        { source: 'alerts', name: 'errors', service: 'stock', fired_at: at(96) },
      ],
      changes: [
        deploy('d1', 88, 'stock', 'v2', ['c1']),
        commit('c1', 80, 'Name a size', [], null),
        commit('c0', 80, 'Another', [], null),
        recorded,
      ],
      events: [
        { source: 'events', timestamp: at(91), resource: 'db-1', kind: 'notice', message: 'restarted' },
      ],
      k8s: [
        { source: 'k8s', timestamp: at(92), kind: 'Pod', name: 'stock-1', reason: 'Killed' },
        { source: 'k8s', timestamp: at(90), kind: 'Pod', name: 'stock-2' },
      ],
    })
    expect(found.alerts).toEqual([
      { at: at(96), text: 'errors (stock)' },
      { at: at(97), text: 'slow' },
    ])
    expect(found.changes).toEqual([
      { at: at(50), text: 'deploy d0', part: 'other' },
      { at: at(80), text: 'commit c0 “Another”', part: 'other' },
      { at: at(80), text: 'commit c1 “Name a size”', part: 'cause' },
      { at: at(88), text: 'deploy d1', part: 'rollout' },
    ])
    expect(found.events).toEqual([
      { at: at(90), text: 'Pod stock-2' },
      { at: at(91), text: 'db-1: restarted' },
      { at: at(92), text: 'Pod stock-1: Killed' },
    ])
  })

  it('marks no change where none is named', () => {
    const changes = [commit('c1', 80, 'Name a size', [], null)]
    const none = { cause: { ...FOUND.cause, change: null } }
    expect(charts({ changes }, none).changes.map(({ part }) => part)).toEqual(['other'])
    const { effective_at: __, carries: ___, ...plain } = deploy('d1', 80, 'stock', 'v1', [])
    expect(charts({ changes: [plain] }).changes.map(({ part }) => part)).toEqual(['other'])
  })

  it('reaches back by the length of the window, and holds the latest two hundred marks of a sort', () => {
    const alertsAt = (...minutes: readonly number[]) =>
      charts({
        alerts: minutes.map((minute) => ({ source: 'alerts', name: `${minute}`, fired_at: at(minute) })),
      }).alerts.map(({ text }) => text)
    expect(alertsAt(-LENGTH - 1, -LENGTH, LENGTH, LENGTH + 1)).toEqual([`${-LENGTH}`, `${LENGTH}`])
    const many = alertsAt(...Array.from({ length: 201 }, (_, index) => index - 100))
    expect([many.length, many[0], many.at(-1)]).toEqual([200, '-99', '100'])
  })

  it('tells the onset, the window and since when each service fails', () => {
    const onset = { at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) }
    const iso = (time: number): string => new Date(time).toISOString()
    const found = charts(
      {
        alerts: [alert('stock', 'http_5xx_ratio')],
        series: [
          series('stock', 'http_5xx_ratio', 0.003, 0.4),
          series('web', 'http_5xx_ratio', 0.003, 0.4, ONSET, ONSET + 15),
        ],
      },
      { onset: { at: iso(onset.at), earliest: iso(onset.earliest), latest: iso(onset.latest) } },
    )
    expect(found.onset).toEqual(onset)
    expect(charts({}).onset).toBeNull()
    expect(found.window.to).toBe(at(LENGTH))
    expect(found.window.from).toBeLessThanOrEqual(at(ONSET))
    expect(found.failing.toSorted((a, b) => (a.entity < b.entity ? -1 : 1))).toEqual([
      { entity: 'stock', from: at(ONSET), to: at(LENGTH) },
      { entity: 'web', from: at(ONSET), to: at(ONSET + 15) },
    ])
  })
})

describe('the drawn series', () => {
  const drawn = (...list: readonly Series[]) =>
    charts({ alerts: [alert('stock', 'http_5xx_ratio')], series: list }).series

  it('are what hurts first, then what left its level the furthest, twelve at most', () => {
    const list = [
      series('stock', 'http_5xx_ratio', 0.003, 0.1),
      series('stock', 'grpc_errors_ratio', 0.003, 0.9),
      series('stock', 'max_connections', 10, 1_000_000),
      series('stock', 'http_4xx_ratio', 0.003, 0.4),
    ]
    expect(drawn(...list).map(({ name }) => name)).toEqual([
      'grpc_errors_ratio',
      'http_4xx_ratio',
      'http_5xx_ratio',
      'max_connections',
    ])
    // A processor means less to users than errors do, which decides elsewhere.
    const further = [series('stock', 'http_5xx_ratio', 0.1, 0.2), series('stock', 'cpu_usage', 0.1, 0.9)]
    expect(drawn(...further).map(({ name }) => name)).toEqual(['cpu_usage', 'http_5xx_ratio'])
    const many = Array.from({ length: 13 }, (_, index) => series(`s${index}`, 'http_5xx_ratio', 0.003, 0.4))
    expect(drawn(...many)).toHaveLength(12)
    // What moved alike and at once comes by its name.
    const alike = ['b', 'c', 'a'].map((entity) => series(entity, 'http_5xx_ratio', 0.003, 0.4))
    expect(drawn(...alike).map(({ entity }) => entity)).toEqual(['a', 'b', 'c'])
  })

  it('are told with their labels, unit, normal level, onset and every sample', () => {
    const flat = series('stock', 'http_5xx_ratio', 0, 0)
    const values = flat.values.map((_, minute) => (minute < ONSET ? 0.25 : 0.75))
    const [one] = drawn({ ...flat, values, labels: { pod: 'p1', zone: 'b' }, unit: '1' })
    expect(one).toMatchObject({
      ...{ entity: 'stock', name: 'http_5xx_ratio (pod=p1, zone=b)', unit: '1', before: 0.25 },
      onset: at(ONSET),
    })
    expect(one?.points).toHaveLength(LENGTH)
    expect(one?.points[0]).toEqual([at(0), 0.25])
    expect(one?.points.at(-1)).toEqual([at(LENGTH - 1), 0.75])
    expect(drawn({ ...flat, values })[0]).toMatchObject({ name: 'http_5xx_ratio', unit: '' })
  })

  it('are rates where they were counters', () => {
    const flat = series('stock', 'http_errors_total', 0, 0)
    let total = 0
    const values = flat.values.map((_, minute) => {
      total += minute < ONSET ? 60 : 6_000
      return total
    })
    const counter: Series = { ...flat, type: 'counter', values }
    expect(drawn(counter)[0]).toMatchObject({ unit: '1/s', before: 1 })
    expect(drawn(counter)[0]?.points.at(-1)).toEqual([at(LENGTH - 1), 100])
    expect(drawn({ ...counter, unit: 'By' })[0]?.unit).toBe('By/s')
  })
})

describe('the drawn graph', () => {
  const pairs = (...list: readonly (readonly [string, string])[]) =>
    list.map(([caller, callee]) => ({ source: 'edges', caller, callee, t0: at(0), interval_s: 60 }))
  const edges = pairs(['client', 'web'], ['web', 'stock'], ['web', 'mail'], ['stock', 'db'])

  it('tells the part that each plays, how many calls it is below the outermost callers, and who calls whom', () => {
    const { nodes, calls: called } = charts(
      { edges, series: [series('mail', 'http_5xx_ratio', 0.003, 0.4)] },
      {
        hypotheses: [named('stock', 0.7), named('web', 0.1), named('web', 0.2), named(null, 0.1)],
        blast_radius: ['client', 'far'],
      },
    )
    expect(nodes).toEqual([
      { name: 'stock', role: 'cause', blame: 0.7, depth: 2, row: 0 },
      { name: 'web', role: 'suspect', blame: 0.2, depth: 1, row: 0 },
      { name: 'mail', role: 'failing', blame: 0, depth: 2, row: 1 },
      { name: 'client', role: 'affected', blame: 0, depth: 0, row: 0 },
      { name: 'far', role: 'affected', blame: 0, depth: 0, row: 1 },
      { name: 'db', role: 'calm', blame: 0, depth: 3, row: 0 },
    ])
    const pairsOf = called.map(([from, to]) => `${nodes[from]?.name} ${nodes[to]?.name}`)
    expect(pairsOf.toSorted()).toEqual(['client web', 'stock db', 'web mail', 'web stock'])
  })

  it('names no cause where nothing is sure', () => {
    const { nodes } = charts({ edges }, { confidence: 0, hypotheses: [named('stock', 0)] })
    expect(nodes.find(({ name }) => name === 'stock')?.role).toBe('suspect')
  })

  it('puts a cycle where it was entered, and one that nobody enters at its first name', () => {
    const depths = (...list: readonly (readonly [string, string])[]) =>
      Object.fromEntries(charts({ edges: pairs(...list) }).nodes.map(({ name, depth }) => [name, depth]))
    expect(depths(['a', 'b'], ['b', 'c'], ['c', 'b'])).toEqual({ a: 0, b: 1, c: 2 })
    expect(depths(['b', 'c'], ['c', 'b'])).toEqual({ b: 0, c: 1 })
    expect(depths(['a', 'b'], ['x', 'y'], ['y', 'x'])).toEqual({ a: 0, b: 1, x: 0, y: 0 })
  })

  it('holds forty at most, and no call to one that is not drawn', () => {
    const { nodes, calls: called } = charts({
      edges: pairs(...Array.from({ length: 45 }, (_, index) => ['web', `s${100 + index}`] as const)),
    })
    expect(nodes).toHaveLength(40)
    expect(nodes.map(({ name }) => name)).not.toContain('web')
    expect(called).toEqual([])
  })
})
