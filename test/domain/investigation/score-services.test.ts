import { describe, expect, it } from 'vitest'
import type { FailingService } from '#shared/domain/investigation/failing-service.ts'
import type { Edge, Series } from '#shared/domain/investigation/snapshot.ts'
import { at, calls, LENGTH, lines, ONSET, pattern, series } from './incident-scenarios.ts'
import { errors, failingIn, names, seen, well } from './observed-by-hand.ts'

describe('what fails', () => {
  it('is nothing where nothing was measured, and nothing where everything is as always', () => {
    for (const more of [{}, { series: [well('a'), well('b')], logs: lines('a', 'INFO', 'served', 0) }])
      expect(seen(more)).toMatchObject({
        ...{ shifts: [], failing: [], first: null, suspects: [], unexplained: [] },
        ...{ blast_radius: [], onset: null, symptom_service: null, made: null },
      })
  })

  it('is what left its normal level, most failing first, each with the kinds of telemetry that agree', () => {
    const found = seen({
      series: [errors('a'), errors('b'), well('c')],
      logs: [...lines('b', 'ERROR', 'the ledger refused an entry', ONSET), ...lines('c', 'INFO', 'ok', 0)],
    })
    expect(names(found.failing)).toEqual(['b', 'a'])
    expect(found.failing.map(({ signs }) => signs)).toEqual([['metrics', 'logs'], ['metrics']])
    const [b, a] = found.failing
    expect(b?.score).toBeGreaterThan(a?.score ?? 1)
    for (const { score } of found.failing) expect(score).toBeLessThanOrEqual(1)
    expect(a?.shifts.map(({ series: { name } }) => name)).toEqual(['http_5xx_ratio'])
    expect(b?.templates.map(({ example }) => example)).toEqual(['the ledger refused an entry'])
    expect(a?.templates).toEqual([])
  })

  it('is told by the lines of a log alone, errors before warnings, and by nothing that only informs', () => {
    const said = (severity: string): FailingService | undefined =>
      failingIn(seen({ logs: lines('a', severity, 'the ledger refused an entry', ONSET) }), 'a')
    const [error, warning] = [said('ERROR'), said('WARN')]
    expect(error?.signs).toEqual(['logs'])
    expect(error?.score).toBeGreaterThan(warning?.score ?? 0)
    expect(warning?.score).toBeGreaterThan(0)
    expect(said('INFO')).toBeUndefined()
  })

  it('is not told by lines that were always written', () => {
    expect(seen({ logs: lines('a', 'ERROR', 'the ledger refused an entry', 0) }).failing).toEqual([])
  })

  it('is told the more of, up to five lines', () => {
    const score = (count: number): number =>
      failingIn(seen({ logs: lines('a', 'ERROR', 'the ledger refused an entry', ONSET, ONSET + count) }), 'a')
        ?.score ?? 0
    expect(score(1)).toBe(0)
    expect(score(3)).toBeGreaterThan(0)
    expect(score(4)).toBeGreaterThan(score(3))
    expect(score(5)).toBeGreaterThan(score(4))
    expect(score(20)).toBe(score(5))
  })

  it('lists the lines of a service errors first, then the most frequent', () => {
    const found = seen({
      logs: [
        ...lines('a', 'WARN', 'a cache entry is stale again', ONSET),
        ...lines('a', 'ERROR', 'the ledger refused an entry', ONSET, LENGTH, 2),
        ...lines('a', 'ERROR', 'journal unreachable at port', ONSET, LENGTH, 3),
      ],
    })
    expect(failingIn(found, 'a')?.templates.map(({ example }) => example)).toEqual([
      'the ledger refused an entry',
      'journal unreachable at port',
      'a cache entry is stale again',
    ])
  })

  it('is told by patterns that a log tool counted, from twice as many and one more than before', () => {
    const told = (count: number, before: number, text = 'request failed'): FailingService | undefined =>
      failingIn(seen({ patterns: [pattern('a', text, count, before)] }), 'a')
    expect(told(41, 20)?.signs).toEqual(['logs'])
    expect(told(40, 20)).toBeUndefined()
    expect(told(5, 0)?.patterns).toHaveLength(1)
    expect(told(0, 0)).toBeUndefined()
    expect(told(41, 20, 'request served')).toBeUndefined()
    const { baseline_count: _, ...unknown } = pattern('a', 'request failed', 5, 0)
    expect(failingIn(seen({ patterns: [unknown] }), 'a')?.patterns).toEqual([unknown])
    expect(seen({ patterns: [{ ...unknown, count: 0 }] }).failing).toEqual([])
    expect(told(20, 0)?.score).toBe(told(5, 0)?.score)
    expect(told(5, 0)?.score ?? 0).toBeGreaterThan(told(4, 0)?.score ?? 0)
  })

  it('is told by lines that came more often than before, as far as they lie within the window', () => {
    const rare = lines('a', 'ERROR', 'the ledger refused an entry', 0, ONSET, 15)
    const grown = seen({ logs: [...rare, ...lines('a', 'ERROR', 'the ledger refused an entry', ONSET)] })
    expect(failingIn(grown, 'a')?.templates.map(({ change }) => change)).toEqual(['grown'])
    const outside = [-9, -8, -7, -6, -5, LENGTH, LENGTH + 1, LENGTH + 2, LENGTH + 3, LENGTH + 4]
    const line = { source: 'logs', service: 'a', severity: 'ERROR', message: 'refused' }
    expect(seen({ logs: outside.map((minute) => ({ ...line, timestamp: at(minute) })) }).failing).toEqual([])
  })

  it('lists patterns by how often they were seen, then by their text, under whatever name of the service', () => {
    const found = seen({
      entities: [{ name: 'a', kind: 'service', aliases: [{ alias: 'a-prod', learnt_from: 'k8s' }] }],
      patterns: [
        pattern('a', 'z failed', 5, 0),
        pattern('a-prod', 'b failed', 5, 0),
        pattern('a', 'c failed', 9, 0),
      ],
    })
    expect(failingIn(found, 'a')?.patterns.map(({ signature }) => signature)).toEqual([
      'c failed',
      'b failed',
      'z failed',
    ])
    expect(names(found.failing)).toEqual(['a'])
  })

  it('is told by counted calls alone, where none of the callees fails', () => {
    const found = seen({ edges: [...calls('web', 'a', 0.4), ...calls('a', 'b')] })
    expect(found.failing.map(({ entity, signs }) => [entity, signs])).toEqual([['a', ['edges']]])
    expect(failingIn(found, 'a')?.flow).toMatchObject({ entity: 'a', own_failed: 240 * 30 })
    expect(found.flows.get('b')?.excess_failed).toBe(0)
  })

  it('is told by waiting that its counted calls do not pass on', () => {
    const slow = calls('web', 'a').map((edge) =>
      edge.t0 < at(ONSET) ? edge : { ...edge, latency_sum_ms: 30_000 * 20 },
    )
    expect(names(seen({ edges: [...slow, ...calls('a', 'b')] }).failing)).toEqual(['a'])
    const handed: Edge[] = slow.map((edge) => ({ ...edge, caller: 'a', callee: 'b' }))
    expect(names(seen({ edges: [...slow, ...handed] }).failing)).toEqual(['b'])
  })

  it('counts the calls that fail at a callee which answers as ever to those who make them', () => {
    const own = [series('b', 'http_5xx_ratio', 0.003, 0.003), series('b', 'http_requests_per_second', 10, 10)]
    const edges = [...calls('web', 'a', 0.4), ...calls('a', 'b', 0.4)]
    expect(seen({ edges, series: own }).flows.get('b')?.given_up).toBe(240 * 30)
    expect(names(seen({ edges, series: own }).failing)).toEqual(['a'])
    // Not measured, failing by its own count, reached by fewer, or only by what its log counts: it may be the callee.
    // Whether its processor is busy says nothing of its answers.
    const busy = [...own, series('b', 'cpu_utilization_ratio', 0.2, 0.9)]
    expect(seen({ edges, series: busy }).flows.get('b')?.given_up).toBe(240 * 30)
    const lost = [own[0] as Series, series('b', 'http_requests_per_second', 10, 5)]
    for (const measured of [[], [errors('b')], lost, [series('b', 'log_error_lines', 2, 2)]])
      expect(seen({ edges, series: measured }).flows.get('b')?.given_up).toBe(0)
  })

  it('is no processor that is busy and no instance that was replaced while everybody is answered as always', () => {
    const busy = series('a', 'cpu_utilization_ratio', 0.2, 0.95)
    const rolled = series('a', 'pod_restarts_per_minute', 0, 3, ONSET, ONSET + 8)
    for (const shift of [busy, rolled]) {
      expect(failingIn(seen({ series: [shift, well('a')] }), 'a')).toBeUndefined()
      expect(failingIn(seen({ series: [shift] }), 'a')?.score).toBeGreaterThan(0.3)
      expect(failingIn(seen({ series: [shift, errors('a')] }), 'a')?.shifts).toHaveLength(2)
    }
    const available = series('a', 'availability_ratio', 0.999, 0.999)
    expect(failingIn(seen({ series: [busy, available] }), 'a')).toBeUndefined()
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8)
    const over = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET, 110)
    const restarting = series('a', 'pod_restarts_per_minute', 0, 3)
    for (const shift of [memory, over, restarting])
      expect(failingIn(seen({ series: [shift, well('a')] }), 'a')).toBeDefined()
  })

  it('is suspected though it does not fail, where only how it works has left normal', () => {
    const found = seen({ series: [series('a', 'cache_items', 10, 90)] })
    expect(found.failing).toEqual([])
    expect(found.suspects).toMatchObject([
      {
        entity: 'a',
        signs: ['metrics'],
        onset: { at: at(ONSET) },
        ended_at: null,
        templates: [],
        patterns: [],
      },
    ])
    expect(found.suspects[0]?.shifts.map(({ series: { name } }) => name)).toEqual(['cache_items'])
    expect(found.first).toBe(found.suspects[0])
  })

  it('is no series that moved the way that hurts nobody', () => {
    expect(seen({ series: [series('a', 'http_5xx_ratio', 0.4, 0.003)] }).failing).toEqual([])
  })
})
