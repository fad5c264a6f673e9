import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { compareFailing, type FailingService } from '#shared/domain/investigation/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/failing-services.ts'
import { FAILURE_WORDS } from '#shared/domain/investigation/failure-words.ts'
import { earliest } from '#shared/domain/investigation/incident-onset.ts'
import { compareShifts } from '#shared/domain/investigation/incident-shifts.ts'
import type { Alert, Edge, Series, Snapshot, Span } from '#shared/domain/investigation/snapshot.ts'
import {
  alert,
  at,
  calls,
  EMPTY,
  LENGTH,
  lines,
  MINUTE,
  ONSET,
  pattern,
  series,
} from './incident-scenarios.ts'

const about = (more: Partial<Snapshot>): Snapshot => ({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  ...more,
})
const seen = (more: Partial<Snapshot>, focus: string | null = null): Observed => {
  const snapshot = about(more)
  return observe(snapshot, entityNames(snapshot), focus)
}
const failingIn = ({ failing }: Observed, entity: string): FailingService | undefined =>
  failing.find((service) => service.entity === entity)
const names = (list: readonly { readonly entity: string }[]): readonly string[] =>
  list.map(({ entity }) => entity)
const errors = (entity: string, from = ONSET, to = LENGTH): Series =>
  series(entity, 'http_5xx_ratio', 0.003, 0.4, from, to)
const well = (entity: string): Series => series(entity, 'http_5xx_ratio', 0.003, 0.003)
const span = (id: string, parent: string | null, service: string, more: Partial<Span> = {}): Span => ({
  ...{ source: 'traces', trace_id: 't1', span_id: id, parent_id: parent, service, name: `GET /${service}` },
  ...{ start: at(ONSET + 1), duration_us: 1_000, status: 'ERROR', ...more },
})

describe('words of failure', () => {
  it.each([
    'request failed',
    'a failure',
    'it fails',
    'timed out',
    'time-out while reading',
    'timeout',
    'connection refused',
    'pool exhausted',
    'service unavailable',
    'token expired',
    'throttling',
    'panicked at line 7',
    'no space left',
    'aborted',
    'key not found',
    'dropping the message',
    'rejected by the peer',
    'OOM',
    'crashed',
    'limit exceeded',
    'unauthorised',
    'unauthorized',
    'broken pipe',
    'getaddrinfo ENOTFOUND',
    "can't connect",
    "couldn't connect",
    'could not connect',
    'disk full',
    'answered 503',
    'java.lang.IllegalStateException: x',
    'TypeError: x',
  ])('are read from “%s”', (text) => {
    expect(FAILURE_WORDS.test(text)).toBe(true)
  })

  it.each([
    '',
    'posted entry 17 in 12 ms',
    'answered 200',
    'took 5000 ms',
    'order 1503 was sent',
    'the failover group is in sync',
    'a carefully kept list',
    'slowly growing',
  ])('are not read from “%s”', (text) => {
    expect(FAILURE_WORDS.test(text)).toBe(false)
  })
})

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

  it('is told by spans where a trace began to fail, in their order, and never by those of normal time', () => {
    const found = seen({
      spans: [
        span('1', null, 'a'),
        span('8', null, 'a', { trace_id: 't2' }),
        span('9', '8', 'd', { trace_id: 't2', start: at(ONSET + 2) }),
        span('10', null, 'd', { status: 'no failure' }),
        span('2', '1', 'b', { start: at(ONSET + 3) }),
        span('3', null, 'b', { status: 'Failed precondition' }),
        span('4', null, 'b', { status: 'OK' }),
        span('5', null, 'c', { start: at(5) }),
        span('6', null, 'c', { start: at(6) }),
        span('7', null, 'b', { start: at(ONSET + 3), duration_us: 9_000 }),
        span('0', null, 'b', { start: at(ONSET + 3) }),
      ],
    })
    expect(names(found.failing)).toEqual(['b'])
    expect(failingIn(found, 'b')?.error_spans.map(({ span_id }) => span_id)).toEqual(['3', '7', '0', '2'])
    expect(failingIn(found, 'b')?.signs).toEqual(['traces'])
    expect(failingIn(found, 'b')?.onset).toEqual({
      at: at(ONSET + 1),
      earliest: at(ONSET + 1),
      latest: at(ONSET + 1),
    })
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

describe('since when a service fails', () => {
  it('is when users began to feel it, though its processor was busy before', () => {
    const found = seen({
      alerts: [alert('a', 'http_5xx_ratio')],
      series: [errors('a'), series('a', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 15)],
    })
    expect(failingIn(found, 'a')?.onset.at).toBe(at(ONSET))
    expect(found.onset?.at).toBe(at(ONSET))
  })

  it('is not when something was tried again on the way, whoever it was that tried', () => {
    const retries = series('b', 'grpc_client_retries_per_second', 0.1, 4, ONSET - 6, ONSET - 3)
    const packets = series('a', 'interface_packets_dropped_per_second', 0, 9, ONSET - 8, ONSET - 2)
    const resent = series('a', 'tcp_segment_retransmits_per_second', 1, 30, ONSET - 7, ONSET - 1)
    const found = seen({
      alerts: [alert('a', 'http_5xx_ratio')],
      series: [errors('a'), retries, packets, resent],
    })
    expect(found.onset?.at).toBe(at(ONSET))
    expect(found.first?.entity).toBe('a')
    expect(failingIn(found, 'a')?.onset.at).toBe(at(ONSET))
    // Where nobody felt anything, it is what tells the most.
    expect(failingIn(seen({ series: [resent] }), 'a')?.onset.at).toBe(at(ONSET - 7))
  })

  it('is when a resource filled only where nobody felt anything, and a busy processor only without anything else', () => {
    const cpu = series('a', 'cpu_utilization_ratio', 0.2, 0.9, ONSET - 15)
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 5)
    expect(failingIn(seen({ series: [cpu, memory] }), 'a')?.onset.at).toBe(at(ONSET - 5))
    expect(failingIn(seen({ series: [cpu] }), 'a')?.onset.at).toBe(at(ONSET - 15))
  })

  it('is told by lost availability as by errors, and by no traffic that went away', () => {
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 5)
    const lost = series('a', 'availability_ratio', 0.999, 0.6)
    expect(failingIn(seen({ series: [memory, lost] }), 'a')?.onset.at).toBe(at(ONSET))
    const fewer = series('a', 'messages_processed_per_second', 50, 10, ONSET - 15)
    expect(failingIn(seen({ series: [memory, fewer] }), 'a')?.onset.at).toBe(at(ONSET - 5))
  })

  it('is for the whole when the alerted service or the first to fail was felt to fail, whichever was earlier', () => {
    const onset = (more: Partial<Snapshot>): number | undefined =>
      seen({
        alerts: [alert('web', 'http_5xx_ratio')],
        edges: [{ source: 'edges', caller: 'web', callee: 'stock', t0: at(0), interval_s: 60 }],
        ...more,
      }).onset?.at
    expect(onset({ series: [errors('web', ONSET + 2), errors('stock')] })).toBe(at(ONSET))
    expect(onset({ series: [errors('web', ONSET - 1), errors('stock')] })).toBe(at(ONSET - 1))
    // What smoulders below began when it hurt somebody; of strangers nothing counts.
    const smoulders = series('stock', 'memory_used_bytes', 2e8, 9e8, ONSET - 10)
    expect(onset({ series: [errors('web'), smoulders] })).toBe(at(ONSET))
    expect(onset({ series: [errors('web'), errors('stranger', ONSET - 2)] })).toBe(at(ONSET))
  })

  it('is when its log began to tell of errors before it is when a resource filled; warnings do not count', () => {
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET - 15)
    const said = (severity: string): number | undefined =>
      failingIn(
        seen({ series: [memory], logs: lines('a', severity, 'the ledger refused an entry', ONSET) }),
        'a',
      )?.onset.at
    expect(said('ERROR')).toBe(at(ONSET) + 7_000)
    expect(said('WARN')).toBe(at(ONSET - 15))
  })

  it('is narrowed by the first error line between two samples, and by none outside of them', () => {
    const known = (minute: number): FailingService | undefined =>
      failingIn(
        seen({ series: [errors('a')], logs: lines('a', 'ERROR', 'the ledger refused an entry', minute) }),
        'a',
      )
    expect(known(ONSET)?.onset).toEqual({ at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET) + 7_000 })
    for (const minute of [ONSET - 3, ONSET + 5])
      expect(known(minute)?.onset).toEqual({ at: at(ONSET), earliest: at(ONSET - 1), latest: at(ONSET + 1) })
  })

  it('is the first alert where nothing that was counted has a time', () => {
    const found = seen({
      alerts: [{ ...alert('a', 'errors'), for_s: 120 }],
      patterns: [pattern('a', 'request failed', 9, 0)],
    })
    const time = at(ONSET + 4)
    expect(failingIn(found, 'a')?.onset).toEqual({ at: time, earliest: time, latest: time })
    expect(found.onset?.at).toBe(time)
  })

  it('is told by the first alert where nothing fails at all', () => {
    expect(seen({ alerts: [alert('a', 'errors')] }).onset?.at).toBe(at(ONSET + 6))
  })

  it('is over when everything that hurts is over, and not before', () => {
    const over = errors('a', ONSET, 105)
    const later = series('a', 'http_server_duration_p99_ms', 90, 2_600, ONSET, 110)
    const lasting = series('a', 'http_server_duration_p95_ms', 80, 2_000)
    expect(failingIn(seen({ series: [over, later] }), 'a')?.ended_at).toBe(at(110))
    expect(failingIn(seen({ series: [over, lasting] }), 'a')?.ended_at).toBeNull()
    const fewer = series('a', 'messages_processed_per_second', 50, 10)
    expect(failingIn(seen({ series: [over, fewer] }), 'a')?.ended_at).toBe(at(105))
    expect(failingIn(seen({ logs: lines('a', 'ERROR', 'refused', ONSET) }), 'a')?.ended_at).toBeNull()
  })

  it('begins with what lasts when the alert fires, not with what was over by then, there or elsewhere', () => {
    const noise = (entity: string, from: number, to: number) =>
      series(entity, 'http_4xx_ratio', 0.003, 0.1, from, to)
    const fires = [alert('web', 'http_5xx_ratio', ONSET + 3)]
    const { onset, shifts } = seen({
      alerts: fires,
      series: [errors('web'), noise('web', ONSET - 25, ONSET - 20), noise('stock', ONSET - 20, ONSET - 12)],
    })
    expect(onset?.at).toBe(at(ONSET))
    expect(shifts.map(({ series: { entity, name } }) => [entity, name])).toEqual([['web', 'http_5xx_ratio']])
    // Of the alerted service itself, nothing that was over a moment before.
    const close = seen({ alerts: fires, series: [errors('web'), noise('web', ONSET - 8, ONSET - 3)] })
    expect(close.onset?.at).toBe(at(ONSET))
    expect(close.shifts).toHaveLength(1)
    // Where nothing lasts until then, what was felt before is what it fired for.
    const over = seen({
      alerts: [alert('web', 'http_5xx_ratio', ONSET + 12)],
      series: [errors('web', ONSET - 9, ONSET + 2), noise('web', ONSET - 25, ONSET - 20)],
    })
    expect(over.onset?.at).toBe(at(ONSET - 25))
    // An alert of another service tells nothing of this one.
    const other = seen(
      { alerts: [alert('shop', 'http_5xx_ratio', ONSET + 3)], series: [errors('web'), noise('web', 70, 74)] },
      'web',
    )
    expect(other.onset?.at).toBe(at(70))
  })

  it('leaves out what was over five minutes before the alerted service began to fail', () => {
    const earlier = (to: number): readonly string[] =>
      names(
        seen({
          alerts: [alert('a', 'http_5xx_ratio')],
          series: [errors('a'), errors('b', 70, to)],
        }).failing,
      )
    // Samples of a minute leave the onset open by one.
    expect(earlier(ONSET - 6)).toEqual(expect.arrayContaining(['a', 'b']))
    expect(earlier(ONSET - 7)).toEqual(['a'])
  })
})

describe('the service that an alert names', () => {
  const at60 = (name: string, service: string | undefined, more: Partial<Alert> = {}): Alert => ({
    ...{ source: 'alerts', name, fired_at: at(60), severity: 'critical' },
    ...(service === undefined ? {} : { service }),
    ...more,
  })
  const named = (alerts: readonly Alert[], focus: string | null = null): string | null =>
    seen({ alerts }, focus).symptom_service

  it('is that of the first to fire, by name and by service where two fired at once', () => {
    expect(named([at60('x', 'b'), at60('y', 'a', { fired_at: at(59) })])).toBe('a')
    expect(named([at60('y', 'a'), at60('x', 'b')])).toBe('b')
    expect(named([at60('x', 'b'), at60('x', 'a')])).toBe('a')
  })

  it('is none of what nobody is called for, as long as somebody is called', () => {
    const informing = at60('x', 'b', { severity: 'info', fired_at: at(1) })
    expect(named([informing, at60('y', 'a')])).toBe('a')
    expect(named([informing])).toBe('b')
  })

  it('is that of the next alert where one names none, and null where none does', () => {
    expect(named([at60('x', undefined, { fired_at: at(1) }), at60('y', 'a')])).toBe('a')
    expect(named([at60('x', undefined)])).toBeNull()
  })

  it('is the one that was asked about where one was', () => {
    expect(named([at60('x', 'a')], 'b')).toBe('b')
  })

  it('goes by the name that all records have in common', () => {
    const entities = [
      { name: 'ledger', kind: 'service' as const, aliases: [{ alias: 'ledger-prod', learnt_from: 'k8s' }] },
    ]
    expect(seen({ alerts: [at60('x', 'ledger-prod')], entities }).symptom_service).toBe('ledger')
  })
})

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

describe('the order of what fails', () => {
  const shift = fc.record({
    name: fc.constantFrom('http_5xx_ratio', 'cpu_utilization_ratio', 'requests_per_second'),
    ...{ entity: fc.constantFrom('a', 'b'), label: fc.constantFrom('x', 'y'), from: fc.constantFrom(80, 90) },
    during: fc.constantFrom(0.4, 0.9),
  })
  /** Some made from real series, so that every field is as it would be. */
  const shiftsOf = (drawn: readonly (typeof shift extends fc.Arbitrary<infer T> ? T : never)[]) =>
    drawn.flatMap(
      ({ name, entity, label, from, during }) =>
        seen({ series: [{ ...series(entity, name, 0.01, during, from), labels: { label } }] }).shifts,
    )

  it('of shifts is the same however they came', () => {
    fc.assert(
      fc.property(fc.array(shift, { maxLength: 8 }), (drawn) => {
        const list = shiftsOf(drawn)
        const sorted = list.toSorted(compareShifts)
        const again = list.toReversed().toSorted(compareShifts)
        const said = (all: typeof list) =>
          all.map(({ series: of, onset, during }) => [of.name, of.entity, of.labels, onset, during])
        expect(said(again)).toEqual(said(sorted))
        for (const one of list)
          for (const other of list)
            expect(Math.sign(compareShifts(one, other))).toBe(-Math.sign(compareShifts(other, one)) + 0)
      }),
      { numRuns: 30 },
    )
  })

  it('of shifts begins with what hurts most', () => {
    const found = seen({
      series: [
        series('a', 'requests_per_second', 10, 2),
        series('a', 'cpu_utilization_ratio', 0.2, 0.95),
        errors('a'),
        series('a', 'cache_hit_ratio', 0.4, 0.9),
      ],
    })
    expect(found.shifts.map(({ series: { name } }) => name)).toEqual([
      'http_5xx_ratio',
      'cpu_utilization_ratio',
      'requests_per_second',
      'cache_hit_ratio',
    ])
  })

  it('of services goes by score, then by time, by the number of their shifts and of their lines, last by name', () => {
    const one = failingIn(seen({ series: [errors('b')] }), 'b') as FailingService
    const [only] = one.shifts
    const inOrder: readonly FailingService[] = [
      { ...one, score: 0.9 },
      { ...one, score: 0.8, onset: { ...one.onset, at: one.onset.at - 1 } },
      { ...one, score: 0.8, shifts: only === undefined ? [] : [only, only] },
      { ...one, score: 0.8, templates: seen({ logs: lines('b', 'ERROR', 'refused', ONSET) }).templates },
      { ...one, score: 0.8, entity: 'a' },
      { ...one, score: 0.8 },
      { ...one, score: 0.8, onset: { ...one.onset, at: one.onset.at + 1 } },
    ]
    expect(inOrder.toReversed().toSorted(compareFailing)).toEqual(inOrder)
    expect(compareFailing(one, one)).toBe(0)
  })

  it('of onsets: the earliest is the one that comes first, the surer of two at once', () => {
    const onset = (time: number, latest: number) => ({ at: time, earliest: time, latest })
    expect(earliest([])).toBeNull()
    expect(earliest([onset(5, 9), onset(3, 9), onset(3, 4), onset(7, 7)])).toEqual(onset(3, 4))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1 }), (pairs) => {
        const list = pairs.map(([from, open]) => onset(from, from + open))
        const best = earliest(list)
        expect(list).toContainEqual(best)
        expect(earliest(list.toReversed())).toEqual(best)
        for (const { at: time } of list) expect(best?.at).toBeLessThanOrEqual(time)
      }),
    )
  })
})

describe('what is observed', () => {
  it('does not depend on the order of the records', () => {
    const snapshot = about({
      alerts: [alert('web', 'http_5xx_ratio'), alert('stock', 'http_5xx_ratio', ONSET + 6)],
      series: [errors('web'), errors('stock'), series('stock', 'cpu_utilization_ratio', 0.2, 0.9), well('c')],
      edges: [...calls('web', 'stock', 0.4), ...calls('web', 'c')],
      logs: [
        ...lines('stock', 'ERROR', 'the ledger refused an entry', ONSET),
        ...lines('web', 'ERROR', 'stock answered 500', ONSET),
      ],
      patterns: [pattern('stock', 'a failed', 5, 0), pattern('stock', 'b failed', 5, 0)],
      spans: [span('1', null, 'web'), span('2', '1', 'stock'), span('3', null, 'stock')],
    })
    const told = (given: Snapshot) => {
      const found = observe(given, entityNames(given), null)
      return [
        found.failing,
        found.first,
        found.unexplained,
        found.suspects,
        found.onset,
        found.symptom_service,
        found.blast_radius,
      ]
    }
    const asGiven = told(snapshot)
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const turned = <T>(list: readonly T[]): T[] => {
          const by = Math.abs(seed) % Math.max(1, list.length)
          const turn = [...list.slice(by), ...list.slice(0, by)]
          return seed < 0 ? turn.toReversed() : turn
        }
        const { alerts, series: all, edges, logs, patterns, spans } = snapshot
        const mixed = {
          ...snapshot,
          ...{ alerts: turned(alerts), series: turned(all), edges: turned(edges) },
          ...{ logs: turned(logs), patterns: turned(patterns), spans: turned(spans) },
        }
        expect(told(mixed)).toEqual(asGiven)
      }),
      { numRuns: 10 },
    )
  })

  it('is compared with the time up to the onset where no normal time was declared', () => {
    const { normal, first } = seen({
      baselines: [],
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [errors('web')],
    })
    expect(normal).toMatchObject({ origin: 'derived', baselines: [{ from: at(0), to: at(ONSET - 1) }] })
    expect(first).toMatchObject({ entity: 'web', onset: { at: at(ONSET) } })
    expect(first?.shifts[0]?.normal_count).toBe((at(ONSET - 1) - at(0)) / MINUTE)
  })

  it('is compared with the normal time that was declared, whatever the onset', () => {
    const declared = [{ name: 'b1', from: at(0), to: at(60) }]
    expect(seen({ alerts: [alert('web', 'x')], series: [errors('web')] }).normal.baselines).toEqual(declared)
  })

  it('is compared with the time before the alerted service was felt to fail, not before others or causes did', () => {
    const normalOf = (...others: readonly Series[]) =>
      seen({ baselines: [], alerts: [alert('web', 'http_5xx_ratio')], series: [errors('web'), ...others] })
        .normal.baselines
    const own = normalOf()
    expect(normalOf(errors('other', ONSET - 20))).toEqual(own)
    expect(normalOf(series('web', 'memory_used_bytes', 2e8, 9e8, ONSET - 20))).toEqual(own)
    expect(normalOf(series('web', 'messages_processed_per_second', 50, 10, ONSET - 20))).toEqual(own)
    // Where the alerted service shows nothing, others tell.
    const silent = seen({
      baselines: [],
      alerts: [alert('web', 'x')],
      series: [well('web'), errors('other', ONSET - 20)],
    })
    expect(silent.normal.baselines[0]?.to).toBe(at(ONSET - 21))
  })
})
