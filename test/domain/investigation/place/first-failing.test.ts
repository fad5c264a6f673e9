import { describe, expect, it } from 'vitest'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { countedBelow } from '#shared/domain/investigation/place/first-failing.ts'
import type { Edge, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, lines, ONSET, pattern, series } from '../incident-scenarios.ts'
import { errors, names, seen, well } from '../observed-by-hand.ts'

describe('which service failed first', () => {
  const chain = (callee: Series): Observed =>
    asked({ series: [errors('web'), callee], edges: uncounted('web', 'stock') })
  const asked = (more: Partial<Snapshot>): Observed =>
    seen({ alerts: [alert('web', 'http_5xx_ratio')], ...more })
  /** Known to call each other, not how often. */
  const uncounted = (caller: string, callee: string): Edge[] => [
    { source: 'edges', caller, callee, t0: at(0), interval_s: 60 },
  ]

  it('is the callee that fails no later than its caller', () => {
    const found = chain(errors('stock'))
    expect(names(found.unexplained)).toEqual(['stock'])
    expect(found.blast_radius).toEqual(['web'])
    expect(names(chain(errors('stock', ONSET - 10)).unexplained)).toEqual(['stock'])
  })

  it('is the callee still where clocks may differ by that much, and no callee that fails long after', () => {
    expect(names(chain(errors('stock', ONSET + 4)).unexplained)).toEqual(['stock'])
    expect(names(chain(errors('stock', ONSET + 5)).unexplained)).toContain('web')
  })

  it('is no callee that was well again before', () => {
    expect(names(chain(errors('stock', ONSET - 10, ONSET - 6)).unexplained)).toContain('web')
    expect(names(chain(errors('stock', ONSET - 10, ONSET + 2)).unexplained)).toEqual(['stock'])
  })

  it('is of several the one inside which most calls fail, and not the one that shows most of itself', () => {
    const edges = [
      ...calls('client', 'web', 0.5),
      ...calls('web', 'press', 0.4),
      ...calls('web', 'stock', 0.1),
    ]
    const first = (list: readonly Edge[]) =>
      asked({ series: [errors('web'), errors('stock')], edges: list }).first?.entity
    expect(first(edges)).toBe('press')
    expect(first(edges.filter(({ callee }) => callee !== 'press'))).not.toBe('press')
  })

  it('is told neither by a cycle of calls nor between strangers', () => {
    const both = [errors('web'), errors('stock')]
    const cycle = [...uncounted('web', 'stock'), ...uncounted('stock', 'web')]
    expect(names(asked({ series: both, edges: cycle }).unexplained).toSorted()).toEqual(['stock', 'web'])
    expect(names(asked({ series: both }).unexplained).toSorted()).toEqual(['stock', 'web'])
  })

  it('is who is blamed in words, even by its own callee', () => {
    const said = (from: string, to: string): string | undefined =>
      asked({
        series: [errors('web'), errors('stock')],
        edges: uncounted('web', 'stock'),
        logs: lines(from, 'ERROR', `answer from ${to} was refused`, ONSET),
      }).unexplained[0]?.entity
    expect(said('stock', 'web')).toBe('web')
    expect(said('web', 'stock')).toBe('stock')
  })

  it('is blamed by growing patterns too, and not by lines that only inform', () => {
    const both = { series: [errors('web'), errors('stock')], edges: uncounted('web', 'stock') }
    const first = (more: Partial<Snapshot>): string | undefined =>
      asked({ ...both, ...more }).unexplained[0]?.entity
    expect(first({ patterns: [pattern('stock', 'answer from web was refused', 20, 0)] })).toBe('web')
    expect(first({ patterns: [pattern('stock', 'answer from web was refused', 20, 20)] })).toBe('stock')
    expect(first({ logs: lines('stock', 'INFO', 'an answer for web', ONSET) })).toBe('stock')
  })

  it('is the caller where counted calls show that most of the failing arises in it', () => {
    const both = [errors('web'), errors('stock')]
    const inside = [...calls('client', 'web', 0.5), ...calls('web', 'stock', 0.1)]
    expect(names(asked({ series: both, edges: inside }).unexplained)).toContain('web')
    for (const share of [0.45, 0.25]) {
      const handed = [...calls('client', 'web', 0.5), ...calls('web', 'stock', share)]
      expect(names(asked({ series: both, edges: handed }).unexplained)).toEqual(['stock'])
    }
  })

  it('is the caller where counted calls show that most of the waiting arises in it', () => {
    const slow = (caller: string, callee: string, wait: number): Edge[] =>
      calls(caller, callee).map((edge) =>
        edge.t0 < at(ONSET) ? edge : { ...edge, latency_sum_ms: 30_000 * wait },
      )
    const both = ['web', 'stock'].map((name) => series(name, 'http_server_duration_p99_ms', 90, 2_600))
    const first = (wait: number) =>
      asked({ series: both, edges: [...slow('client', 'web', 21), ...slow('web', 'stock', wait)] }).first
        ?.entity
    expect(first(5)).toBe('web')
    expect(first(20)).toBe('stock')
  })

  it('is who makes more calls than its own demand lets expect, though it does not fail itself', () => {
    const more = (edges: readonly Edge[]): Edge[] =>
      edges.map((edge) =>
        edge.t0 < at(ONSET - 3) ? edge : { ...edge, calls: 2_400, failed: edge.t0 < at(ONSET) ? 0 : 800 },
      )
    const found = asked({
      series: [errors('web'), errors('stock')],
      edges: [...calls('web', 'cart', 0.4), ...more(calls('cart', 'stock'))],
    })
    expect(found.made).toMatchObject({ caller: 'cart', callee: 'stock' })
    expect(found.first?.entity).toBe('cart')
    expect(found.unexplained[0]).toBe(found.first)
    // Those who call something else do not bear it.
    const apart = asked({
      series: [errors('web'), errors('stock')],
      edges: [...calls('client', 'web', 0.4), ...calls('job', 'mail'), ...more(calls('job', 'post'))],
    })
    expect(apart.made).toBeNull()
    expect(apart.first?.entity).not.toBe('job')
  })

  it('is the alerted service itself where nothing explains it, else what it reaches, else what fails most', () => {
    const loud = {
      series: [errors('web'), errors('other')],
      logs: lines('other', 'ERROR', 'the ledger refused it', ONSET),
    }
    expect(asked(loud).first?.entity).toBe('web')
    const below = {
      ...loud,
      series: [well('web'), errors('stock'), errors('other')],
      edges: uncounted('web', 'stock'),
    }
    expect(asked(below).first?.entity).toBe('stock')
    expect(asked({ ...loud, series: [well('web'), errors('other'), errors('stock')] }).first?.entity).toBe(
      'other',
    )
  })

  it('is of those that the alerted service reaches, however strongly others fail', () => {
    const found = asked({
      series: [errors('web'), errors('stock'), errors('other'), errors('another', ONSET + 1)],
      logs: lines('other', 'ERROR', 'the ledger refused an entry', ONSET),
      edges: uncounted('web', 'stock'),
    })
    expect(found.unexplained[0]).toBe(found.first)
    expect(found.failing[0]?.entity).toBe('other')
    expect(found.blast_radius).not.toContain(found.first?.entity)
    expect([...found.blast_radius, found.first?.entity].toSorted()).toEqual(names(found.failing).toSorted())
  })

  it('is the one that the measurements point to where no service was asked about', () => {
    const found = seen({
      series: [errors('web'), errors('stock'), series('stock', 'http_server_duration_p99_ms', 90, 9_000)],
      edges: uncounted('web', 'stock'),
    })
    expect(found.first).toBe(found.suspects[0])
    expect(found.unexplained[0]).toBe(found.first)
    // Even where a callee would explain it.
    const above = seen({
      series: [
        errors('web'),
        series('web', 'http_server_duration_p99_ms', 90, 90_000),
        series('stock', 'timeouts', 1, 3),
      ],
      edges: uncounted('web', 'stock'),
    })
    expect(above.first?.entity).toBe('web')
  })
})

describe('the place where counted calls fail, below who looks as if it failed itself', () => {
  const flowOf = (entity: string, own_failed: number, excess_failed = own_failed): Flow =>
    ({ entity, own_failed, excess_failed, excess_wait_ms: 0, own_wait_ms: 0 }) as Flow
  const failing = (entity: string, flow: Flow | null = null, kind: string | null = null): FailingService =>
    ({ entity, flow, blame: kind === null ? null : { flow: { kind } } }) as unknown as FailingService
  const graph = { reachableFrom: (from: string) => new Set(from === 'web' ? ['stock', 'stock-db'] : []) }
  const web = failing('web', null, 'failing')
  const below = (suspect: FailingService, own: number, rest = 100): string | undefined => {
    const flow = flowOf('stock-db', own)
    const flows = new Map([
      ['stock-db', flow],
      ['stock', flowOf('stock', rest, 900)],
    ])
    return countedBelow(suspect, [suspect, failing('stock-db', flow)], flows, graph as never)?.entity
  }

  it('is where most of them do', () => {
    expect(below(web, 400)).toBe('stock-db')
    expect(below(web, 100)).toBe('stock-db')
    expect(below(web, 99)).toBeUndefined()
  })

  it('counts those whom one caller alone cannot use among all that fail', () => {
    const flow = flowOf('stock-db', 100)
    const met = { ...flowOf('stock', 0, 0), met_alone: 101 }
    const flows = new Map([
      ['stock-db', flow],
      ['stock', met],
    ])
    expect(countedBelow(web, [failing('stock-db', flow)], flows, graph as never)).toBeNull()
  })

  it('is nowhere where nothing was counted to fail, or only what explains nothing itself', () => {
    expect(below(web, 0, 0)).toBeUndefined()
    expect(countedBelow(web, [web], new Map([['stock', flowOf('stock', 50)]]), graph as never)).toBeNull()
  })

  it('is none that is not reached from there', () => {
    expect(below(failing('mail', null, 'failing'), 400)).toBeUndefined()
  })

  it('is not asked for where it waits, or is told by something else, or was counted to fail itself', () => {
    expect(below(failing('web', null, 'waiting'), 400)).toBeUndefined()
    expect(below(failing('web'), 400)).toBeUndefined()
    expect(below(failing('web', flowOf('web', 60, 100), 'failing'), 400)).toBeUndefined()
    expect(below(failing('web', flowOf('web', 10, 100), 'failing'), 400)).toBe('stock-db')
  })

  it('stands before who was alerted', () => {
    const edges = [...calls('web', 'stock', 0.5), ...calls('stock', 'stock-db', 0.5)]
    const found = seen({
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [errors('web'), errors('stock-db')],
      edges,
    })
    expect(found.first?.entity).toBe('stock-db')
  })
})
