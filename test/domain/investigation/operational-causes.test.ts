import { describe, expect, it } from 'vitest'
import type { Flow } from '#shared/domain/investigation/call-graph.ts'
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import type { FailingService } from '#shared/domain/investigation/failing-service.ts'
import { type Observed, observe } from '#shared/domain/investigation/failing-services.ts'
import type { CauseKind, Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Template } from '#shared/domain/investigation/log-templates.ts'
import { readMetricName } from '#shared/domain/investigation/metric-meaning.ts'
import { normalTime } from '#shared/domain/investigation/normal-time.ts'
import type { OperationalCause } from '#shared/domain/investigation/operational-cause.ts'
import { operationalCauses } from '#shared/domain/investigation/operational-causes.ts'
import type { SeriesShift } from '#shared/domain/investigation/series-shift.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import type { Symptom } from '#shared/domain/investigation/symptoms.ts'
import {
  alert,
  at,
  calls,
  commit,
  EMPTY,
  LENGTH,
  lines,
  ONSET,
  pattern,
  series,
} from './incident-scenarios.ts'

function find(messages: readonly string[], more: Partial<Snapshot> = {}): Findings {
  return investigate({
    ...EMPTY,
    alerts: [alert('stock-api', 'http_5xx_ratio')],
    ...more,
    series: [series('stock-api', 'http_5xx_ratio', 0.003, 0.4), ...(more.series ?? [])],
    logs: [
      ...messages.flatMap((message) => lines('stock-api', 'ERROR', message, ONSET)),
      ...(more.logs ?? []),
    ],
  })
}
const status = (detail: string, part: object = {}): Snapshot['status'] => [
  {
    source: 'status',
    provider: 'nimbus',
    component: 'compute',
    events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail, ...part }],
  },
]

describe('causes that are no change', () => {
  it('a provider that says its trouble was over before anybody failed is none, nor one that failed all day', () => {
    const quoted = ['GET https://api.paylane.com/x returned 503']
    const entry = (resolved: number): Snapshot['status'] => [
      {
        ...{ source: 'status', provider: 'paylane' },
        events: [
          { timestamp: at(ONSET - 25), status: 'degraded', detail: 'paylane api is slow' },
          { timestamp: at(resolved), status: 'resolved', detail: 'paylane api is well' },
        ],
      },
    ]
    const over = find(quoted, { status: entry(ONSET - 12) })
    const still = find(quoted, { status: entry(ONSET + 12) })
    expect(still.cause.kind).toBe('provider')
    expect(over.confidence).toBeLessThan(still.confidence)
    const old = lines(
      'stock-api',
      'ERROR',
      'GET https://api.paylane.com/x returned 503',
      ONSET - 50,
      ONSET - 40,
    )
    expect(find([], { logs: old, status: entry(ONSET + 12) }).cause.kind).not.toBe('provider')
  })

  it('a name that somebody else could not resolve long before is another story', () => {
    const logs = lines('reports', 'ERROR', 'getaddrinfo EAI_AGAIN metrics.internal', ONSET - 50, ONSET - 40)
    const late = series('resolver', 'dns_request_duration_ms', 5, 400, ONSET + 12, ONSET + 20)
    const found = find(['getaddrinfo EAI_AGAIN db.internal'], { series: [late] })
    expect(find([], { logs, series: [late] }).cause.kind).not.toBe('dns')
    expect(found.cause.entity).not.toBe('resolver')
  })

  it('a certificate is named only where its expiry matches the onset', () => {
    const expired = 'tls: x509: certificate has expired'
    const dated = (time: string): Findings => find([expired, `peer check: notAfter=${time}`])
    expect(dated(new Date(at(ONSET)).toISOString().replace('.000', '')).cause.kind).toBe('certificate')
    const sure = dated(new Date(at(ONSET)).toISOString().replace('.000', '')).confidence
    expect(dated('2027-01-01T00:00:00Z').confidence).toBeLessThan(sure)
    expect(find([expired]).confidence).toBeLessThan(sure)
  })

  it('a credential is named whose remaining time ran out with the onset at who fails, or at who calls it', () => {
    const left = (entity: string, end = ONSET): Snapshot['series'][number] => {
      const one = series(entity, 'credential_remaining_seconds', 0, 0)
      return { ...one, values: one.values.map((_, minute) => 60 * (end - minute)) }
    }
    const edges = [...calls('stock-api', 'paylane', 0.4)]
    const own = find([], { series: [left('stock-api')], edges })
    expect(own.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api', change: null })
    expect(own.hypotheses[0]?.statement).toContain('credential that has expired')
    for (const other of [left('letters'), left('stock-api', ONSET + 12), left('stock-api', ONSET - 12)])
      expect(find([], { series: [other], edges }).cause.kind).not.toBe('certificate')
  })

  it('what a service complains of since long before is no event of a datastore', () => {
    const complaint = 'cannot execute INSERT: not the primary any more'
    expect(find([complaint]).hypotheses.map(({ cause }) => cause.kind)).toContain('infra')
    const old = lines('reports', 'ERROR', complaint, ONSET - 40, LENGTH)
    expect(find([], { logs: old }).hypotheses.map(({ cause }) => cause.kind)).not.toContain('infra')
  })

  it('a certificate is told by who checks it, again and again from the onset on', () => {
    const expired = 'x509: certificate has expired or is not yet valid'
    const told = find([expired])
    expect(told.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api' })
    // A word of long before is another story.
    const before = find([], { logs: lines('stock-api', 'ERROR', expired, ONSET - 40, ONSET - 30) })
    expect(before.cause.kind).not.toBe('certificate')
  })

  it('an event that a resource is at its end finds the series that show it, wherever they are', () => {
    const found = find([], {
      series: [series('stock-db', 'cpu_utilization_ratio', 0.3, 1)],
      events: [
        {
          ...{ source: 'events', timestamp: at(ONSET), resource: 'stock-db', service: 'stock-db' },
          ...{ kind: 'storage', message: 'burst balance exhausted, limited to the baseline' },
        },
      ],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock-db' })
    expect(found.evidence.map(({ content }) => content).join('\n')).toContain('cpu_utilization_ratio')
  })

  it('an event of a resource places it there, though who waits for it is busy as well', () => {
    const found = find([], {
      series: [
        series('stock-db', 'cpu_utilization_ratio', 0.3, 1),
        series('stock-api', 'cpu_utilization_ratio', 0.3, 0.8),
      ],
      events: [
        {
          ...{ source: 'events', timestamp: at(ONSET), resource: 'stock-db', service: 'stock-db' },
          ...{ kind: 'storage', message: 'burst balance exhausted, limited to the baseline' },
        },
      ],
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'stock-db' })
  })

  it('a provider needs a failing edge and a second sign: alone it stays possible', () => {
    const alone = find(['GET https://api.paylane.com/x exceeded deadline'])
    const called = find(['GET https://api.paylane.com/x returned 503'], {
      logs: lines('refunds', 'ERROR', 'api.paylane.com returned 502', ONSET),
    })
    expect(called.cause).toMatchObject({ kind: 'provider', entity: 'api.paylane.com' })
    expect(called.confidence).toBeGreaterThan(alone.confidence)
    expect(called.remediation.action).toBe('failover')
    expect(find(['GET http://stock.internal.io/x returned 503']).cause.kind).not.toBe('provider')
  })

  describe('of somebody outside, whom one service calls and no tool measures', () => {
    const answering = (message: string): Findings =>
      find([message], { edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)] })

    it('its own word that it fails tells an outage of it', () => {
      const { cause } = answering('POST /charge at paylane answered 503 Service Unavailable')
      expect(cause).toMatchObject({ kind: 'provider', entity: 'paylane', change: null })
    })

    it('which one caller alone says is possible, not likely', () => {
      const found = answering('POST /charge at paylane answered 503 Service Unavailable')
      expect(found.confidence).toBeLessThan(0.5)
      const confirmed = find(['POST /charge at paylane answered 503 Service Unavailable'], {
        edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)],
        status: [
          {
            ...{ source: 'status', provider: 'paylane' },
            events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail: 'charges fail' }],
          },
        ],
      })
      expect(confirmed.confidence).toBeGreaterThan(0.6)
      const second = find(['POST /charge at paylane answered 503 Service Unavailable'], {
        edges: [
          ...calls('web', 'stock-api', 0.4),
          ...calls('stock-api', 'paylane', 0.4),
          ...calls('refunds', 'paylane', 0.4),
        ],
      })
      expect(second.confidence).toBeGreaterThan(0.6)
    })

    it('is up where it serves others as ever, or says that it does not accept a credential', () => {
      const edges = [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'paylane', 0.4)]
      const answered = 'POST /charge at paylane answered 503 Service Unavailable'
      const isBlamed = (found: Findings): boolean =>
        found.hypotheses.some(({ cause }) => cause.kind === 'provider')
      expect(isBlamed(find([answered], { edges }))).toBe(true)
      expect(isBlamed(find([answered], { edges: [...edges, ...calls('refunds', 'paylane')] }))).toBe(false)
      const ended = 'paylane answered 401: ExpiredTokenException'
      const found = find([answered, ended], { edges })
      expect(isBlamed(found)).toBe(false)
      expect(found.cause).toMatchObject({ kind: 'certificate', entity: 'stock-api', change: null })
      expect(found.confidence).toBeGreaterThan(0.6)
      // Its own status page outweighs either.
      const status = [
        {
          ...{ source: 'status', provider: 'paylane' },
          events: [{ timestamp: at(ONSET + 1), status: 'degraded', detail: 'charges fail' }],
        },
      ]
      const told = find([answered], { edges: [...edges, ...calls('refunds', 'paylane')], status })
      expect(told.cause).toMatchObject({ kind: 'provider', entity: 'paylane' })
    })

    it('a caller that waits in vain tells nothing', () => {
      expect(answering('POST /charge at paylane timed out').cause.kind).toBe('unknown')
    })

    it('its host is known by the name that its callers count it under', () => {
      const { cause } = answering('POST https://api.paylane.com/charge returned 502 Bad Gateway')
      expect(cause).toMatchObject({ kind: 'provider', entity: 'paylane' })
    })
  })

  it('a quiet or unrelated status entry says nothing', () => {
    const message = 'GET https://api.nimbus.co.uk/x returned 503'
    const told = find([message], { status: status('elevated errors') })
    expect(told.cause.kind).toBe('provider')
    expect(
      find([message], { status: status('all well', { status: 'operational' }) }).confidence,
    ).toBeLessThan(told.confidence)
    expect(
      find([message], { status: status('old trouble', { timestamp: at(-300) }) }).confidence,
    ).toBeLessThan(told.confidence)
  })

  it('a status page counts where the failing texts name it, without a host too', () => {
    const findings = find(['nimbus compute: instance unavailable'], {
      status: status('instances unavailable'),
    })
    expect(findings.cause).toMatchObject({ kind: 'provider', entity: 'nimbus' })
  })

  it('name resolution is likely by several names or services, or the resolver’s own telemetry; by one name possible', () => {
    const several = find(['lookup a.core.svc: no such host', 'lookup b.core.svc: no such host'])
    expect(several.cause.kind).toBe('dns')
    const resolver = find(['lookup a.core.svc: no such host'], {
      series: [series('resolver', 'dns_servfail_ratio', 0.001, 0.7)],
      status: status('dns resolution degraded'),
    })
    expect(resolver.cause).toMatchObject({ kind: 'dns', entity: 'resolver' })
    const alone = find(['lookup a.core.svc: no such host'])
    expect(alone.confidence).toBeLessThanOrEqual(0.6)
    const inPassing = lines('stock-api', 'ERROR', 'lookup a.core.svc: no such host', ONSET, ONSET + 2)
    expect(find([], { logs: inPassing }).cause.kind).not.toBe('dns')
  })

  it('a network needs several services, or its own telemetry', () => {
    const several = find(['read: connection reset by peer'], {
      logs: [
        ...lines('refunds', 'ERROR', 'no route to host', ONSET),
        ...lines('web', 'ERROR', 'i/o timeout', ONSET),
      ],
    })
    expect(several.cause.kind).toBe('network')
    const measured = find(['read: connection reset by peer'], {
      series: [
        series('stock-api', 'network_packets_dropped', 1, 900),
        series('web', 'tcp_retransmits', 2, 700),
      ],
      status: status('packet loss in one zone'),
    })
    expect(measured.cause.kind).toBe('network')
    expect(find(['read: connection reset by peer']).cause.kind).not.toBe('network')
  })

  it('an event of a datastore counts when it is in time', () => {
    const event = (minute: number): Partial<Snapshot> => ({
      events: [
        {
          source: 'events',
          timestamp: at(minute),
          resource: 'stock-db',
          kind: 'failover',
          message: 'failover completed, primary changed',
        },
      ],
    })
    const message = 'cannot execute INSERT in a read-only transaction'
    expect(find([message], event(ONSET - 1)).cause).toMatchObject({ kind: 'infra', entity: 'stock-db' })
    expect(find([message], event(ONSET - 1)).confidence).toBeGreaterThan(
      find([message], event(ONSET + 20)).confidence,
    )
  })

  it('who quotes a datastore tells of the place that the measurements blame', () => {
    const message = 'cannot execute INSERT in a read-only transaction'
    const { cause } = find([message], {
      series: [series('stock-db', 'query_errors_ratio', 0.001, 0.6)],
      edges: [...calls('web', 'stock-api', 0.4), ...calls('stock-api', 'stock-db', 0.6)],
    })
    expect(cause).toMatchObject({ kind: 'infra', entity: 'stock-db' })
  })

  it('who quotes a datastore in passing, beside records of changes, tells half of it', () => {
    const changes = [commit('a'.repeat(40), 20, 'x', ['apart/a.go'], '-a(b)\n+c(d)')]
    const of = (count: number, since: number) =>
      find([], {
        changes,
        logs: Array.from({ length: count }, (_, index) => ({
          ...{
            source: 'logs',
            service: 'stock-api',
            severity: 'ERROR',
            timestamp: at(since) + index * 1_000,
          },
          message: 'cannot execute INSERT in a read-only transaction',
        })),
      })
    const [passing, again] = [of(2, ONSET + 1), of(9, ONSET)]
    expect(again.cause).toMatchObject({ kind: 'infra', level: 'kind' })
    expect(again.confidence).toBeGreaterThan(0.49)
    expect(passing.confidence).toBeLessThanOrEqual(0.49)
  })

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

  it('a platform that records trouble of the node of the failing workload tells why', () => {
    const told = (service: string, minute: number): string =>
      find(['request took too long'], {
        events: [
          {
            ...{ source: 'events', timestamp: at(minute), resource: 'node-7', service, kind: 'node' },
            message: 'node-7: processor contended by a neighbour, steal 38 %',
          },
        ],
      }).cause.kind
    expect(told('stock-api', ONSET)).toBe('node')
    expect(told('stock-api', ONSET + 20)).toBe('unknown')
    expect(told('mailer', ONSET)).toBe('unknown')
  })

  it('a node needs its own telemetry or an event of its own', () => {
    const findings = find(['request took too long'], {
      series: [
        series('host-3', 'node_cpu_utilization_ratio', 0.3, 0.99),
        series('stock-api', 'container_cpu_cfs_throttled_seconds', 0.01, 8),
      ],
      logs: lines('kubelet', 'WARN', 'node under pressure from pod batch/export', ONSET),
    })
    expect(findings.cause.kind).toBe('node')
    expect(findings.remediation.action).toBe('reschedule')
    const logged = find([], {
      logs: lines('stock-api', 'WARN', 'cpu contended on this node', ONSET).map((line) => ({
        ...line,
        node: 'peg-1',
        attributes: { 'k8s.node': 'peg-1' },
      })),
    })
    expect(logged.cause.kind).not.toBe('certificate')
  })

  it('traffic needs demand that rose before, and is no likelier without symptoms of overload', () => {
    const rise = { series: [series('stock-api', 'http_requests_per_second', 100, 500, ONSET - 1)] }
    const overloaded = find(['queue saturated, shedding load'], rise)
    expect(overloaded.cause.kind).toBe('traffic')
    expect(overloaded.remediation.action).toBe('scale')
    expect(find(['nil pointer dereference'], rise).confidence).toBeLessThanOrEqual(overloaded.confidence)
    const without = find(['queue saturated, shedding load']).hypotheses.map(({ cause }) => cause.kind)
    expect(without).not.toContain('traffic')
  })

  it('demand does not explain a processor that works far more for each request than before', () => {
    const rise = series('stock-api', 'http_requests_per_second', 100, 210, ONSET - 1)
    const burning = find(['request queue saturated'], {
      series: [rise, series('stock-api', 'cpu_usage_percent', 1.2, 99)],
    })
    expect(burning.cause.kind).not.toBe('traffic')
    const busy = find(['request queue saturated'], {
      series: [rise, series('stock-api', 'cpu_usage_percent', 40, 88)],
    })
    expect(busy.cause.kind).toBe('traffic')
  })

  it('unreadable data and a used-up resource that was only spoken of stay below “likely”', () => {
    const message = 'write failed: no space left on device'
    const told = find([message]).hypotheses.find(({ cause }) => cause.kind === 'capacity')
    expect(told?.confidence ?? 0).toBeLessThanOrEqual(0.6)
    const full = find([message], { series: [series('stock-api', 'disk_used_percent', 40, 100)] })
    expect(full.cause.kind).toBe('capacity')
    expect(full.confidence).toBeGreaterThan(0.6)
    const poison = find(
      ['malformed payload in message 7', 'corrupt record skipped', 'duplicate key in batch'],
      { logs: lines('refunds', 'ERROR', 'invalid utf-8 in message', ONSET) },
    )
    expect(poison.cause.kind).toBe('data')
    expect(poison.confidence).toBeLessThanOrEqual(0.6)
  })

  it('a full volume of a node is what the service that cannot write to it has used up, and no trouble of the node', () => {
    const volume = (during: number) => ({
      ...series('node-7', 'node_disk_usage_ratio', 0.4, during),
      labels: { mountpoint: '/var/lib/stock' },
      unit: '1',
    })
    const message = 'ENOSPC: no space left on device, write'
    const entities = [{ name: 'node-7', kind: 'node' as const, aliases: [] }]
    const full = find([message], { entities, series: [volume(1)] })
    expect(full.cause).toMatchObject({ kind: 'capacity', entity: 'stock-api' })
    expect(full.confidence).toBeGreaterThan(0.5)
    const half = find([message], { entities, series: [volume(0.7)] })
    // The kernel's answer stands, but no series shows it.
    expect(half.confidence).toBeLessThan(full.confidence)
    expect(find(['nil pointer'], { entities, series: [volume(1)] }).cause.kind).not.toBe('capacity')
  })

  it('patterns that a log tool counted serve as lines do', () => {
    const findings = investigate({
      ...EMPTY,
      alerts: [
        {
          ...alert('stock-api', 'errors'),
          summary: 'stock-api cannot resolve names',
          detail: 'see dashboard',
        },
      ],
      series: [series('stock-api', 'http_5xx_ratio', 0.003, 0.4)],
      patterns: [
        pattern('stock-api', 'lookup <host>: no such host a.core.svc', 300, 0),
        pattern('web', 'getaddrinfo ENOTFOUND b.core.svc', 200, 0),
        pattern('web', 'served', 90, 1_000),
      ],
    })
    expect(findings.cause.kind).toBe('dns')
    expect(findings.evidence.some((item) => item.content.startsWith('The log tool counted 300 lines'))).toBe(
      true,
    )
  })

  it('tells whether it goes on, worsens, recovers or is over', () => {
    const state = (during: number, to = 120, last = during): string => {
      const one = series('stock-api', 'http_5xx_ratio', 0.003, during, ONSET, to)
      for (let minute = 115; minute < 120 && to === 120; minute++) one.values[minute] = last
      return investigate({ ...EMPTY, alerts: [alert('stock-api', 'e')], series: [one] }).state
    }
    expect(state(0.4)).toBe('ongoing')
    expect(state(0.4, 120, 0.8)).toBe('worsening')
    expect(state(0.4, 120, 0.1)).toBe('recovering')
    expect(state(0.4, 100)).toBe('recovered')
  })
})

/** A scene made by hand, so that one detector sees just what the sentence says. */
interface Seen {
  readonly templates?: readonly Template[]
  readonly shifts?: readonly SeriesShift[]
  readonly symptoms?: readonly string[]
  readonly snapshot?: Partial<Snapshot>
  readonly observed?: Partial<Observed>
}
const BARE = observe(EMPTY, entityNames(EMPTY), null)
const PLACES: Snapshot['entities'] = ['stock', 'web', 'vault', 'node-7'].map((name) => ({
  ...{ name, kind: name === 'node-7' ? ('node' as const) : ('service' as const), aliases: [] },
}))
const SINCE = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }
const said = (text: string, service = 'stock', more: Partial<Template> = {}): Template => ({
  ...{ service, text, example: text, variants: [], severity: 'error', before: 0, during: 10, change: 'new' },
  ...{ first_seen: at(ONSET), risen_at: at(ONSET), last_seen: at(LENGTH), source: 'logs' },
  ...more,
})
const risen = (
  entity: string,
  name: string,
  more: Partial<SeriesShift> = {},
  of: Partial<Series> = {},
): SeriesShift => ({
  ...{ series: { ...series(entity, name, 1, 2), ...of }, meaning: readMetricName(name), direction: 'up' },
  ...{ is_bad: true, before: 1, during: 2, extreme: 2, latest: 2, z: 9, onset: SINCE, ended_at: null },
  normal_count: 60,
  ...more,
})
const place = (entity: string, more: Partial<FailingService> = {}): FailingService => ({
  ...{ entity, score: 1, onset: SINCE, ended_at: null, shifts: [], templates: [], patterns: [] },
  ...{ error_spans: [], flow: null, blame: null, signs: [] },
  ...more,
})
const counted = (entity: string, own_failed: number): Flow => ({
  ...{ entity, calls: 900, failed: own_failed, own_failed, excess_failed: own_failed, given_up: 0 },
  ...{ own_wait_ms: 0, excess_wait_ms: 0, source: 'edges' },
})
const graphOf = (callees: Readonly<Record<string, readonly string[]>>): Observed['graph'] => {
  const reachable = (from: string): readonly string[] =>
    (callees[from] ?? []).flatMap((to) => [to, ...reachable(to)])
  return {
    callees: new Map(Object.entries(callees).map(([from, to]) => [from, new Set(to)])),
    blames: () => false,
    reachableFrom: (from) => new Set(reachable(from)),
  }
}
const event = (message: string, service: string | undefined = 'stock', minute = ONSET, kind = 'notice') => ({
  ...{ source: 'events', timestamp: at(minute), resource: 'resource-1', kind, message },
  ...(service === undefined ? {} : { service }),
})
const causes = ({ templates = [], shifts = [], symptoms = [], snapshot = {}, observed = {} }: Seen) => {
  const all: Snapshot = { ...EMPTY, entities: PLACES, ...snapshot }
  const list = symptoms.map(
    (text): Symptom => ({
      ...{ text, plain: text, entity: 'stock', weight: 1, at: null, count: 1, origin: 'log', source: 'logs' },
    }),
  )
  const seen: Observed = { ...BARE, onset: SINCE, templates, shifts, ...observed }
  return operationalCauses(all, seen, list, entityNames(all))
}
const found = (kind: CauseKind, seen: Seen) => causes(seen).find((cause) => cause.kind === kind)
/** What no symptom confirms keeps this share. */
const UNEXPLAINED = 0.34
const score = (kind: CauseKind, seen: Seen): number | undefined => found(kind, seen)?.score
const facts = (cause: OperationalCause | undefined) =>
  cause?.signs.map(({ strength, fact }) => [
    strength,
    fact.of === 'text' ? fact.text : fact.of === 'shift' ? fact.shift.series.name : fact.of,
  ])

describe('an expired certificate', () => {
  const noted = (minute: number, form = (time: string) => `peer check: notAfter=${time}`) =>
    form(new Date(at(minute)).toISOString().replace('.000', ''))

  it('is told by a date that lies at the onset, however it is written', () => {
    const cause = found('certificate', { templates: [said(noted(ONSET))] })
    expect(cause).toEqual({
      ...{ kind: 'certificate', entity: 'stock', score: round6(0.5 * UNEXPLAINED) },
      ...{ what: 'a credential that has expired', action: 'rotate', yields_to_changes: false },
      signs: [
        {
          strength: 0.5,
          fact: {
            ...{ of: 'expiry', entity: 'stock', at: at(ONSET), text: noted(ONSET), source: 'logs' },
            origin: 'log',
          },
        },
      ],
    })
    for (const form of [
      (time: string) => `checked, not after: ${time.replace('T', ' ')}`,
      (time: string) => `not_after is ${time.replace('Z', '')}`,
      (time: string) => `notafter="${time}" of the peer`,
    ])
      expect(score('certificate', { templates: [said(noted(ONSET, form))] })).toBe(round6(0.5 * UNEXPLAINED))
  })

  it('is none where the date lies more than five minutes away, or nothing began', () => {
    const near = (minute: number) => found('certificate', { templates: [said(noted(minute))] })
    expect([near(ONSET + 5), near(ONSET - 5)].map((cause) => cause?.signs.length)).toEqual([1, 1])
    expect([near(ONSET + 6), near(ONSET - 6)]).toEqual([undefined, undefined])
    const templates = [said(noted(ONSET))]
    expect(found('certificate', { templates, observed: { onset: null } })).toBeUndefined()
  })

  it('is told by a series of the time left that reached nothing at the onset', () => {
    const left = (name: string, end = ONSET, entity = 'vault'): Series => {
      const one = series(entity, name, 0, 0)
      return { ...one, values: one.values.map((_, minute) => end - minute) }
    }
    const cause = found('certificate', {
      snapshot: { series: [series('web', 'http_5xx_ratio', 0, 0), left('tls_cert_days_remaining')] },
      templates: [said(noted(ONSET))],
    })
    expect(cause).toMatchObject({ entity: 'vault', what: 'an expired certificate' })
    expect(cause?.signs[0]).toEqual({
      strength: 0.6,
      fact: {
        ...{ of: 'expiry', entity: 'vault', at: at(ONSET), text: 'tls_cert_days_remaining' },
        ...{ source: 'metrics', origin: 'metric' },
      },
    })
    const of = (one: Series, observed: Partial<Observed> = {}) =>
      found('certificate', { snapshot: { series: [one] }, observed })
    expect(of(left('token_ttl_seconds', ONSET + 5))).toBeDefined()
    for (const end of [ONSET + 6, ONSET - 6, LENGTH + 9])
      expect(of(left('token_ttl_seconds', end))).toBeUndefined()
    expect(of(left('token_ttl_seconds'), { onset: null })).toBeUndefined()
    // Of who fails, or of who calls it, nothing else has to be said.
    const own = { first: place('vault') }
    expect(of(left('token_ttl_seconds'))?.score).toBe(round6(0.5 * UNEXPLAINED))
    expect(of(left('token_ttl_seconds'), own)?.score).toBe(0.5)
    const caller = { first: place('stock'), graph: graphOf({ vault: ['stock'] }) }
    expect(of(left('token_ttl_seconds'), caller)?.score).toBe(0.5)
    const called = { first: place('stock'), graph: graphOf({ stock: ['vault'] }) }
    expect(of(left('token_ttl_seconds'), called)?.score).toBe(round6(0.5 * UNEXPLAINED))
  })

  it('is sure by a date and by words together, likely by words again and again, and else a word in passing', () => {
    const word = 'certificate has expired'
    const symptoms = [word]
    expect(score('certificate', { templates: [said(word), said(noted(ONSET))], symptoms })).toBe(0.95)
    expect(score('certificate', { templates: [said(word)], symptoms })).toBe(0.6)
    expect(score('certificate', { templates: [said(word, 'stock', { during: 4 })], symptoms })).toBe(0.3)
    expect(score('certificate', { templates: [said(word)] })).toBe(round6(0.6 * UNEXPLAINED))
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part}: ${word}`))
    expect(facts(found('certificate', { templates: many }))?.map(([strength]) => strength)).toEqual([
      0.2, 0.2, 0.2,
    ])
    const dated = [1, 2, 3].map((part) => said(`${part} ${noted(ONSET)}`))
    expect(found('certificate', { templates: dated })?.signs).toHaveLength(2)
  })

  it('lies at who is named with the date or the word, or at the place that the measurements blame', () => {
    expect(found('certificate', { templates: [said(`stock asks vault: ${noted(ONSET)}`)] })?.entity).toBe(
      'vault',
    )
    const word = 'vault: certificate has expired'
    expect(found('certificate', { templates: [said(word)] })?.entity).toBe('vault')
    expect(found('certificate', { templates: [said('certificate has expired')] })?.entity).toBeNull()
    expect(
      found('certificate', { templates: [said(word)], observed: { first: place('stock') } })?.entity,
    ).toBe('stock')
    const shows = said('remote error: tls: expired certificate', 'web')
    expect(found('certificate', { templates: [said(word), shows] })?.entity).toBe('web')
  })

  it('is told by an alert as by a line', () => {
    const alerts = [
      { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary: noted(ONSET) },
    ]
    expect(found('certificate', { snapshot: { alerts } })?.signs[0]?.fact).toMatchObject({ origin: 'alert' })
  })
})

describe('failing name resolution', () => {
  const unknown = (host: string) => `getaddrinfo ENOTFOUND ${host}`

  it('is weak by one name at one service, which a change may have written wrong', () => {
    expect(
      found('dns', { templates: [said(unknown('a.core.svc'))], observed: { first: place('stock') } }),
    ).toEqual({
      ...{ kind: 'dns', entity: 'stock', score: round6(0.15 * UNEXPLAINED), action: 'escalate' },
      ...{ what: 'failing name resolution', yields_to_changes: true },
      signs: [expect.objectContaining({ strength: 0.15 })],
    })
    expect(score('dns', { templates: [said(unknown('a.core.svc'))], symptoms: [unknown('x')] })).toBe(0.15)
  })

  it('is told by several services or several names, whoever is blamed', () => {
    const observed = { first: place('stock') }
    const services = [said(unknown('a.core.svc')), said(unknown('a.core.svc'), 'web')]
    expect(found('dns', { templates: services, observed })).toMatchObject({
      ...{ entity: null, score: round6(0.64 * UNEXPLAINED), yields_to_changes: false },
    })
    const both = said(unknown('a.core.svc'), 'stock', { variants: [unknown('b.core.svc')] })
    expect(found('dns', { templates: [both], observed })).toMatchObject({
      ...{ entity: null, score: round6(0.4 * UNEXPLAINED), yields_to_changes: false },
    })
    const same = said(unknown('a.core.svc'), 'stock', { variants: [unknown('A.CORE.svc')] })
    expect(found('dns', { templates: [same] })?.yields_to_changes).toBe(true)
    const short = said(unknown('a'), 'stock', { variants: [unknown('b')] })
    expect(found('dns', { templates: [short] })?.yields_to_changes).toBe(true)
    const deep = said(unknown('a.b.example'), 'stock', { variants: [unknown('c.b.example')] })
    expect(found('dns', { templates: [deep] })?.yields_to_changes).toBe(false)
  })

  it('is told in time, by four lines at most', () => {
    const early = { risen_at: at(ONSET - 16) }
    expect(found('dns', { templates: [said(unknown('a.core.svc'), 'stock', early)] })).toBeUndefined()
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => said(unknown(`${name}.core.svc`)))
    expect(found('dns', { templates: many })?.signs).toHaveLength(4)
  })

  it('is told by what the resolver measures, which is the place', () => {
    const templates = [said(unknown('a.core.svc'))]
    const resolver = (more: Partial<SeriesShift>, name = 'dns_servfail_ratio') =>
      found('dns', { templates, shifts: [risen('web', 'http_5xx_ratio'), risen('resolver', name, more)] })
    expect(resolver({})).toMatchObject({ entity: 'resolver' })
    expect(facts(resolver({}))).toEqual([
      [0.5, 'dns_servfail_ratio'],
      [0.15, unknown('a.core.svc')],
    ])
    expect(resolver({ is_bad: false })?.signs).toHaveLength(1)
    expect(resolver({ ended_at: at(ONSET - 1) })).toMatchObject({ entity: null })
    expect(resolver({}, 'nxdomain_total')?.signs).toHaveLength(2)
    const forwarded = [said(unknown('a.core.svc')), said('SERVFAIL: no such host', 'web', { during: 3 })]
    expect(found('dns', { templates: forwarded })?.entity).toBe('web')
  })

  it('is told by a status page of it, and surer than ninety-seven of a hundred by nothing', () => {
    const page = (detail: string) => status(detail, { timestamp: at(ONSET) })
    const templates = [said(unknown('a.core.svc'))]
    expect(facts(found('dns', { templates, snapshot: { status: page('DNS is slow') } }))?.[0]).toEqual([
      0.6,
      'status',
    ])
    expect(found('dns', { templates, snapshot: { status: page('disks are slow') } })?.signs).toHaveLength(1)
    const shifts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => risen(one, 'dns_errors_total'))
    expect(found('dns', { templates, shifts, symptoms: [unknown('x')] })).toMatchObject({ score: 0.97 })
    expect(found('dns', { templates, shifts })?.signs).toHaveLength(6)
  })
})

describe('an outside provider', () => {
  const host = 'api.paylane.com'
  const failing = (name = host) => `GET https://${name}/x returned 503`

  it('is told by its own failing answers, half as much by those that never came', () => {
    const cause = found('provider', { templates: [said(failing())] })
    expect(cause).toMatchObject({
      ...{ entity: host, score: round6(0.25 * UNEXPLAINED), action: 'failover', yields_to_changes: false },
      what: 'an outage of the outside provider api.paylane.com',
    })
    expect(score('provider', { templates: [said(failing())], symptoms: [failing()] })).toBe(0.25)
    for (const text of ['exceeded deadline', 'time out after 503ms', 'timed out after 1503 ms'])
      expect(score('provider', { templates: [said(`GET https://${host}/x ${text}`)] })).toBe(
        round6(0.1 * UNEXPLAINED),
      )
    expect(score('provider', { templates: [said(`GET https://${host}/x returned 404`)] })).toBeUndefined()
  })

  it('is told the more by a second caller, and by what is measured of those outside', () => {
    const templates = [said(failing()), said(failing(), 'web')]
    expect(facts(found('provider', { templates }))?.map(([strength]) => strength)).toEqual([
      0.45, 0.45, 0.25, 0.25,
    ])
    const shifts = ['vendor_errors', 'partner_latency_ms', 'third_party_errors'].map((name) =>
      risen('stock', name),
    )
    const outside = found('provider', {
      templates: [said(failing())],
      shifts: [risen('stock', 'errors'), ...shifts],
    })
    expect(facts(outside)?.slice(0, 2)).toEqual([
      [0.3, 'vendor_errors'],
      [0.3, 'partner_latency_ms'],
    ])
    expect(outside?.signs).toHaveLength(3)
    const well = found('provider', {
      templates: [said(failing())],
      shifts: [risen('stock', 'vendor_errors', { is_bad: false })],
    })
    expect(well?.signs).toHaveLength(1)
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part} ${failing()}`))
    expect(found('provider', { templates: many })?.signs).toHaveLength(3)
    const callers = ['stock', 'web', 'vault', 'till'].map((name) => said(failing(), name))
    expect(
      found('provider', { templates: callers })?.signs.filter(({ strength }) => strength === 0.45),
    ).toHaveLength(3)
  })

  it('is one for each domain, by the first of its hosts', () => {
    const hosts = (...names: readonly string[]) =>
      causes({ templates: names.map((name) => said(failing(name))) })
        .filter(({ kind }) => kind === 'provider')
        .map(({ entity }) => entity)
    expect(hosts('files.paylane.com', 'api.paylane.com', 'web2.paylane.com')).toEqual(['api.paylane.com'])
    expect(hosts('a.one.co.uk', 'a.two.co.uk').toSorted()).toEqual(['a.one.co.uk', 'a.two.co.uk'])
    expect(hosts('a.one.co.uk', 'b.one.co.uk')).toEqual(['a.one.co.uk'])
    expect(hosts('a.disco.uk', 'b.disco.uk')).toEqual(['a.disco.uk'])
    expect(hosts('a.cob.uk', 'b.cob.uk')).toEqual(['a.cob.uk'])
    expect(hosts('a.co.tech', 'b.co.tech')).toEqual(['a.co.tech'])
    const twice = said(`${failing()} and ${failing('files.paylane.com')}`)
    expect(found('provider', { templates: [twice] })?.signs).toHaveLength(1)
    expect(found('provider', { templates: [said(failing('db.internal.io'))] })).toBeUndefined()
    expect(found('provider', { templates: [said(failing('stock.example.com'))] })).toBeUndefined()
    // Who is asked there may be known by a name of its own.
    const entities = [...PLACES, { name: 'paylane', kind: 'external' as const, aliases: [] }]
    expect(found('provider', { templates: [said(failing())], snapshot: { entities } })?.entity).toBe(
      'paylane',
    )
  })

  it('is none where nobody fails, an alert alone says so, it is long ago, or its name or certificate is what fails', () => {
    const none = (template: Template) => found('provider', { templates: [template] })
    expect(none(said(failing(), 'stock', { severity: 'information' }))).toBeUndefined()
    expect(none(said(failing(), 'stock', { risen_at: at(ONSET - 16) }))).toBeUndefined()
    expect(none(said(`${failing()}: getaddrinfo ENOTFOUND`))).toBeUndefined()
    expect(none(said(`${failing()}: certificate has expired`))).toBeUndefined()
    const alerts = [
      { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary: failing() },
    ]
    expect(found('provider', { snapshot: { alerts } })).toBeUndefined()
  })

  it('is told by a status page that names it, not one that names what everybody is called', () => {
    const page = (provider: string): Snapshot['status'] => [
      { source: 'status', provider, events: [{ timestamp: at(ONSET), status: 'degraded', detail: 'Slow' }] },
    ]
    const signs = (provider: string, name = host) =>
      found('provider', { templates: [said(failing(name))], snapshot: { status: page(provider) } })?.signs
        .length
    expect(signs('PayLane')).toBe(2)
    expect(signs('cloud', 'x.cloud.com')).toBe(1)
    expect(signs('abc', 'x.abc.com')).toBe(1)
    expect(signs('abcd', 'x.abcd.com')).toBe(2)
    expect(signs('webapi', 'x.webapi.com')).toBe(2)
    expect(signs('apis', 'x.apis.com')).toBe(2)
    expect(signs('other')).toBe(1)
  })

  it('is told by a status page alone that the failing texts name', () => {
    const page = (provider: string, component?: string): Snapshot['status'] => [
      {
        ...{ source: 'status', provider, events: [{ timestamp: at(ONSET), status: 'outage' }] },
        ...(component === undefined ? {} : { component }),
      },
    ]
    const lost = 'Nimbus computing: instance unavailable'
    const of = (pages: Snapshot['status'], symptoms = [lost], templates: readonly Template[] = []) =>
      found('provider', { snapshot: { status: pages }, symptoms, templates })
    expect(of(page('Nimbus'))).toMatchObject({
      ...{ entity: 'Nimbus', score: 0.6, action: 'failover', yields_to_changes: false },
      what: 'an outage of the outside provider Nimbus',
    })
    expect(of(page('Nimbus'), [lost, 'nil pointer', 'nil pointer', 'nil pointer'])?.score).toBe(
      round6(0.6 * (0.34 + 0.66 * (0.25 / 0.3))),
    )
    expect(of(page('x', 'Nimbus'))?.entity).toBe('x')
    expect(of(page('x.Nimbus-y'))?.entity).toBe('x.Nimbus-y')
    for (const pages of [page('Cirrus'), page('in'), page('x')]) expect(of(pages)).toBeUndefined()
    const words = [said(lost), said(`b ${lost}`), said(`c ${lost}`), said('disk unavailable')]
    expect(facts(of(page('Nimbus'), [lost], words))?.map(([strength]) => strength)).toEqual([0.6, 0.2, 0.2])
    expect(facts(of(page('Nimbus'), [lost], [said('disk unavailable')]))).toHaveLength(1)
    expect(of(page('Nimbus'), [lost], words)?.score).toBe(round6(1 - 0.4 * 0.8 * 0.8))
    // The cluster's own name resolution is no provider.
    const resolved = [said('getaddrinfo ENOTFOUND a.core.svc')]
    expect(of(page('dns'), ['dns is unavailable'], resolved)).toBeUndefined()
    expect(of(page('nimbus', 'resolver'), [lost], resolved)).toBeUndefined()
    expect(of(page('dns'), ['dns is unavailable'])).toBeDefined()
    expect(of(page('Nimbus'), [lost], resolved)).toBeDefined()
  })

  it('is told by entries of half an hour before the onset on that say trouble, the first two of them', () => {
    const entry = (minute: number, say = 'outage') => ({
      timestamp: at(minute),
      status: say,
      detail: 'paylane',
    })
    const entries = (...events: Snapshot['status'][number]['events']) =>
      found('provider', {
        templates: [said(failing())],
        snapshot: { status: [{ source: 'status', provider: 'p', events }] },
      })
        ?.signs.map(({ fact }) => (fact.of === 'status' ? `${fact.status} ${fact.at}` : ''))
        .filter((text) => text !== '')
    expect(entries(entry(ONSET + 9), entry(ONSET, 'worse'), entry(ONSET), entry(ONSET + 2))).toEqual([
      `outage ${at(ONSET)}`,
      `worse ${at(ONSET)}`,
    ])
    expect(entries(entry(ONSET - 30))).toHaveLength(1)
    expect(entries(entry(ONSET - 31))).toHaveLength(0)
    expect(entries(entry(LENGTH))).toHaveLength(0)
    expect(entries(entry(ONSET, 'Operational'), entry(ONSET, 'up'))).toHaveLength(0)
    expect(entries(entry(ONSET, 'not operational'), entry(ONSET, 'up and down'))).toHaveLength(2)
    // What was over five minutes before anybody failed had no part in it.
    expect(entries(entry(ONSET - 20), entry(ONSET - 5, 'resolved'))).toHaveLength(0)
    expect(entries(entry(ONSET - 20), entry(ONSET - 4, 'resolved'))).toHaveLength(1)
    expect(entries(entry(ONSET - 25, 'resolved'), entry(ONSET - 20))).toHaveLength(1)
  })
})

describe('somebody outside whom no tool measures', () => {
  const callees = { stock: ['paylane'], web: ['paylane'] }
  const entities = [...PLACES, { name: 'paylane', kind: 'external' as const, aliases: [] }]
  const of = (more: Seen & { failed?: number; pairs?: Readonly<Record<string, readonly string[]>> } = {}) =>
    found('provider', {
      ...more,
      snapshot: { entities, ...more.snapshot },
      observed: {
        failing: [place('web'), place('paylane', { flow: counted('paylane', more.failed ?? 1) })],
        graph: graphOf(more.pairs ?? callees),
      },
    })

  it('is told by two callers whose calls fail there, and yields to changes', () => {
    expect(of()).toMatchObject({
      ...{ entity: 'paylane', score: 0.45, action: 'failover', yields_to_changes: true },
      ...{ what: 'an outage of the outside provider paylane', signs: [{ strength: 0.45 }] },
    })
    expect(of()?.signs[0]?.fact.of).toBe('calls')
    expect(of({ failed: 0.9 })).toBeUndefined()
    expect(of({ pairs: { stock: ['paylane'] } })).toBeUndefined()
    expect(of({ pairs: { ...callees, paylane: ['bank'] } })).toBeUndefined()
  })

  it('is none of those that tell of themselves', () => {
    expect(of({ snapshot: { entities, series: [series('paylane', 'cpu_usage', 1, 1)] } })).toBeUndefined()
    expect(of({ snapshot: { entities, logs: lines('paylane', 'INFO', 'fine', 0) } })).toBeUndefined()
    const span = { source: 'traces', trace_id: 't', span_id: 's', parent_id: null, service: 'paylane' }
    const spans = [{ ...span, name: 'GET /', start: at(1), duration_us: 1, status: 'OK' }]
    expect(of({ snapshot: { entities, spans } })).toBeUndefined()
  })

  it('is told by a status page of it, or by what callers quote of its own failing', () => {
    const events = [{ timestamp: at(ONSET), status: 'outage' }]
    const page = (provider: string) => ({ entities, status: [{ source: 'status', provider, events }] })
    const one = { stock: ['paylane'] }
    expect(of({ snapshot: page('paylane'), pairs: one })).toMatchObject({
      ...{ score: 0.78, yields_to_changes: false },
    })
    expect(of({ snapshot: page('nimbus'), pairs: one })).toBeUndefined()
    const answer = 'POST at paylane answered 502'
    expect(of({ templates: [said(answer)] })?.signs).toHaveLength(2)
    expect(of({ templates: [said(answer), said(`again ${answer}`)] })?.signs).toHaveLength(2)
    for (const template of [
      said(answer, 'vault'),
      said('POST at bank answered 502'),
      said('POST at paylane answered 404'),
      said(answer, 'stock', { during: 4 }),
      said(answer, 'stock', { risen_at: at(ONSET + 6) }),
    ])
      expect(of({ templates: [template] })?.signs).toHaveLength(1)
  })
})

const record = (name: string, reason: string, message: string, minute = ONSET) => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Node', name, reason, message },
})
const warned = (summary: string) => [
  { source: 'alerts', name: 'a', service: 'stock', fired_at: at(ONSET), summary },
]

describe('a machine that fails what runs on it', () => {
  const baselines = [{ name: 'b1', from: at(0), to: at(60) }]
  const shares = (service: string, ...failing: readonly number[]): Series[] =>
    failing.map((share, index) => ({
      ...series(service, 'http_errors_ratio', 0.002, share),
      labels: { node: `metal-${index + 1}`, pod: `${service}-${index}` },
    }))
  /** Services that fail on `metal-2`, and as many as are given that do not. */
  const failing = (services: readonly string[], more: Seen = {}, well: readonly string[] = []) => {
    const snapshot: Partial<Snapshot> = {
      ...{ baselines, ...more.snapshot },
      series: [
        ...services.flatMap((service) => shares(service, 0.01, 0.5, 0.1)),
        ...well.flatMap((service) => shares(service, 0.01, 0.01, 0.01)),
      ],
    }
    const normal = normalTime({ ...EMPTY, ...snapshot })
    return found('node', { ...more, snapshot, observed: { normal } })
  }
  const both = ['cart', 'stock']
  const there = (service: string, node = 'metal-2', name = 'http_errors_ratio') =>
    risen(service, name, {}, { labels: { node } })

  it('is shown by the series of its instances there, or else by a line that they log', () => {
    const templates = [
      ...[said('it is fine', 'stock', { severity: 'information', during: 40 }), said('it broke', 'web')],
      ...[said('no answer in time'), said('no answer at all')],
    ]
    const cause = failing(both, {
      templates,
      snapshot: { events: [event('it was paused')] },
      shifts: [there('web'), there('cart', 'metal-1', 'b_errors'), there('cart', 'metal-2', 'c_errors')],
    })
    expect(cause).toMatchObject({
      ...{ kind: 'node', entity: 'metal-2', score: 0.75, action: 'reschedule', yields_to_changes: false },
      ...{ at_most: CONFIDENCE_CAP_UNMAPPED },
      what: 'a machine on which instances of several services fail, while those elsewhere do not',
    })
    expect(facts(cause)?.[0]).toEqual([0.5, 'c_errors'])
    expect(facts(cause)?.[1]).toEqual([0.5, 'no answer at all'])
    expect(cause?.signs).toHaveLength(2)
    expect(failing(both, { shifts: [there('cart')] })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
  })

  it('is sure by three services, or by what is measured or said of the machine itself', () => {
    const shifts = both.map((service) => there(service))
    const own = ['cpu_usage', 'memory_usage', 'disk_usage'].map((name) => risen('metal-2', name))
    expect(failing(both, { shifts })?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(failing([...both, 'web'], { shifts: [...shifts, there('web')] })?.at_most).toBeUndefined()
    const measured = failing(both, { shifts: [...own, ...shifts] })
    expect(measured?.at_most).toBeUndefined()
    expect(facts(measured)?.map(([strength]) => strength)).toEqual([0.45, 0.45, 0.5, 0.5])
    expect(measured?.score).toBe(round6(1 - 0.55 ** 2 * 0.25))
    const well = risen('metal-2', 'cpu_usage', { is_bad: false })
    expect(failing(both, { shifts: [well, ...shifts] })?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    const words = ['node metal-2 under pressure', 'node metal-2 unreachable', 'node metal-2 lost']
    const spoken = failing(both, { shifts, templates: words.map((text) => said(text, 'kubelet')) })
    expect(spoken?.at_most).toBeUndefined()
    expect(spoken?.signs).toHaveLength(4)
    for (const text of ['node metal-1 under pressure', 'node metal-2 cordoned'])
      expect(failing(both, { shifts, templates: [said(text, 'kubelet')] })?.signs).toHaveLength(2)
    expect(failing(both, { shifts, snapshot: { alerts: warned(words[0] ?? '') } })?.signs).toHaveLength(2)
  })

  it('is the less likely the fewer of those agree that can be compared, half of them sure', () => {
    const shifts = both.map((service) => there(service))
    const own = [risen('metal-2', 'cpu_usage'), ...shifts]
    const full = round6(1 - 0.55 * 0.25)
    expect(failing(both, { shifts: own }, ['a', 'b'])).toMatchObject({ score: full })
    expect(failing(both, { shifts: own }, ['a', 'b'])?.at_most).toBeUndefined()
    expect(failing(both, { shifts: own }, ['a', 'b', 'c'])).toMatchObject({
      ...{ score: round6((1 - 0.55 * 0.25) * 0.8), at_most: CONFIDENCE_CAP_UNMAPPED },
    })
    const many = ['a', 'b', 'c', 'd', 'e']
    expect(failing(many, { shifts: many.map((service) => there(service)) })?.signs).toHaveLength(4)
    expect(failing(many, { shifts: [...own.slice(0, 1), ...many.map((one) => there(one))] })?.score).toBe(
      0.95,
    )
  })
})

describe('a resource that has room again', () => {
  it('is none while what failed first fails still, and is one where both ended together', () => {
    const of = (ended: number | null, first: Partial<FailingService>) =>
      found('capacity', {
        shifts: [risen('stock', 'db_connections_active', { ended_at: ended === null ? null : at(ended) })],
        observed: { first: place('stock', first) },
      })
    expect(of(null, {})).toBeDefined()
    expect(of(ONSET + 4, {})).toBeUndefined()
    expect(of(ONSET + 4, { ended_at: at(ONSET + 20) })).toBeUndefined()
    expect(of(ONSET + 15, { ended_at: at(ONSET + 20) })).toBeDefined()
    expect(of(ONSET + 14, { ended_at: at(ONSET + 20) })).toBeUndefined()
  })
})

describe('a node', () => {
  const pressed = 'node is under pressure'

  it('is told by its own telemetry, by words, and best by both', () => {
    const shifts = [risen('node-7', 'cpu_usage')]
    expect(found('node', { shifts })).toMatchObject({
      ...{ entity: 'node-7', score: round6(0.45 * 0.6), action: 'reschedule', yields_to_changes: false },
      what: 'a node that cannot give its workloads what they need',
    })
    expect(found('node', { shifts })?.at_most).toBeUndefined()
    expect(found('node', { templates: [said(pressed)] })).toMatchObject({
      ...{ entity: null, score: round6(0.3 * 0.6), at_most: CONFIDENCE_CAP_UNLINKED },
    })
    expect(found('node', { shifts, templates: [said(pressed)] })?.score).toBe(round6(1 - 0.55 * 0.7))
    const k8s = [record('node-9', 'MemoryPressure', 'of it')]
    expect(found('node', { snapshot: { k8s } })?.score).toBe(round6(0.4 * 0.8))
    expect(found('node', { snapshot: { k8s }, templates: [said(pressed)] })?.score).toBe(
      round6((1 - 0.6 * 0.7) * 0.8),
    )
    expect(found('node', { snapshot: { alerts: warned(pressed) } })).toBeUndefined()
    expect(found('node', {})).toBeUndefined()
  })

  it('is where a platform records its trouble of the workload that fails, in time', () => {
    const of = (minute: number, name = 'stock', onset: Observed['onset'] = SINCE) =>
      found('node', {
        snapshot: { k8s: [record(name, 'MemoryPressure', 'of its node', minute)] },
        observed: { first: place('stock'), onset },
      })
    expect(of(ONSET)).toMatchObject({ entity: 'stock', score: 0.6 })
    expect(of(ONSET + 5)?.score).toBe(0.6)
    expect(of(ONSET + 6)?.score).toBe(round6(0.4 * 0.8))
    expect(of(ONSET + 6, 'stock', null)?.score).toBe(0.6)
    expect(of(ONSET, 'web')?.score).toBe(round6(0.4 * 0.8))
    const told = found('node', {
      snapshot: { events: [event('the node is under pressure')] },
      observed: { first: place('stock') },
    })
    expect(told).toMatchObject({ entity: 'stock', score: 0.6 })
    const logged = found('node', { templates: [said(pressed)], observed: { first: place('stock') } })
    expect(logged).toMatchObject({ entity: null, score: round6(0.3 * 0.6) })
  })

  it('is known by its kind, by the lines that were logged on it, or by the name of what is measured', () => {
    const line = { ...lines('stock', 'INFO', 'fine', 0, 1)[0] } as Snapshot['logs'][number]
    const named = (more: Partial<Snapshot['logs'][number]>) =>
      found('node', {
        snapshot: { logs: [line, { ...line, ...more }] },
        templates: [said(pressed), said('node peg-1 is under pressure')],
      })?.entity
    expect(named({ node: 'peg-1' })).toBe('peg-1')
    for (const key of ['k8s.node', 'k8s.node.name', 'host.name'])
      expect(named({ attributes: { [key]: 'peg-1' } })).toBe('peg-1')
    expect(named({ attributes: { 'k8s.node': 7 } })).toBeNull()
    expect(named({ node: 'peg-2' })).toBeNull()
    const entity = (name: string, of: string) => found('node', { shifts: [risen(of, name)] })?.entity
    for (const name of ['node_cpu_usage', 'vm_memory_usage', 'cpu_steal_percent'])
      expect(entity(name, 'x')).toBe('x')
    expect(entity('my_node_cpu_usage', 'x')).toBeUndefined()
    expect(entity('cpu_usage', 'stock')).toBeUndefined()
    const entities = [{ name: 'box', kind: 'host' as const, aliases: [] }]
    expect(found('node', { snapshot: { entities }, shifts: [risen('box', 'cpu_usage')] })?.entity).toBe('box')
  })

  it('is worth little where what fails first was seen to run on others, and all where that is not known', () => {
    const line = { ...lines('stock', 'INFO', 'fine', 0, 1)[0] } as Snapshot['logs'][number]
    const on = (node: string, first = 'stock', labels: Series['labels'] = {}) =>
      found('node', {
        shifts: [risen('node-7', 'cpu_usage')],
        snapshot: { logs: [{ ...line, node }], series: [{ ...series('stock', 'up', 1, 1), labels }] },
        observed: { first: place(first) },
      })?.score
    const whole = round6(0.45 * 0.6)
    expect(on('node-7')).toBe(whole)
    expect(on('node-8')).toBe(round6(whole * 0.3))
    expect(on('node-8', 'stock', { node: 'node-7' })).toBe(whole)
    expect(on('node-8', 'web')).toBe(whole)
  })

  it('is told by a resource that left normal in time, and not by a volume that others filled', () => {
    const of = (name: string, more: Partial<SeriesShift> = {}, seen: Seen = {}) =>
      found('node', { ...seen, shifts: [risen('node-7', name, more)] })
    expect(of('node_foo')).toBeUndefined()
    expect(of('cpu_usage', { is_bad: false })).toBeUndefined()
    const from = (minute: number) => ({ onset: { ...SINCE, earliest: at(minute) } })
    expect(of('cpu_usage', from(ONSET + 5))).toBeDefined()
    expect(of('cpu_usage', from(ONSET + 6))).toBeUndefined()
    expect(of('cpu_usage', from(ONSET + 6), { observed: { onset: null } })).toBeDefined()
    const full = { templates: [said('write: no space left on device')] }
    expect(of('disk_usage')).toBeDefined()
    expect(of('disk_usage', {}, full)).toBeUndefined()
    expect(of('cpu_usage', {}, full)).toBeDefined()
    expect(of('disk_usage', {}, { snapshot: { alerts: warned('disk full') } })).toBeDefined()
  })

  it('is none where it is emptied on purpose, unless it is unwell as well', () => {
    expect(found('node', { templates: [said('node x cordoned')] })).toBeUndefined()
    expect(found('node', { templates: [said('node x drained, not ready')] })).toBeDefined()
  })

  it('is told by three series and four lines at most', () => {
    const shifts = ['cpu_usage', 'memory_usage', 'disk_usage', 'network_usage'].map((name) =>
      risen('node-7', name),
    )
    expect(found('node', { shifts })?.signs).toHaveLength(3)
    const templates = ['a', 'b', 'c', 'd', 'e'].map((part) => said(`${part} ${pressed}`))
    expect(found('node', { templates })?.signs).toHaveLength(4)
    expect(found('node', { shifts, templates })?.signs).toHaveLength(6)
  })

  it('is told the more by a throttled processor where no more is asked of it', () => {
    const throttled = (more: Partial<SeriesShift> = {}, name = 'container_cpu_throttled_seconds') =>
      risen('stock', name, more)
    const count = (...shifts: readonly SeriesShift[]) =>
      found('node', { shifts: [risen('node-7', 'memory_usage'), ...shifts] })?.signs.length
    expect(count(throttled())).toBe(2)
    expect(count(throttled({ is_bad: false }))).toBe(1)
    expect(count(throttled({}, 'disk_throttled'))).toBe(1)
    expect(count(risen('stock', 'cpu_usage'))).toBe(1)
    expect(count(throttled(), risen('stock', 'http_requests_per_second'))).toBe(1)
    expect(count(throttled(), risen('stock', 'http_requests_per_second', { direction: 'down' }))).toBe(2)
    expect(found('node', { shifts: [throttled()] })).toBeUndefined()
    expect(found('node', { shifts: [throttled()], templates: [said(pressed)] })?.signs).toHaveLength(2)
  })
})

describe('a broken network', () => {
  const reset = 'read: connection reset by peer'

  it('is told by several services, each once, and by three whatever changed', () => {
    const by = (...services: readonly string[]) =>
      found('network', { templates: services.map((service, index) => said(`${index} ${reset}`, service)) })
    expect(by('stock')).toBeUndefined()
    expect(by('stock', 'web', 'web')).toMatchObject({
      ...{ entity: null, action: 'failover', what: 'a broken network between services' },
      ...{ score: round6((1 - 0.75 ** 2) * UNEXPLAINED), yields_to_changes: true },
    })
    expect(by('a', 'b', 'c')?.yields_to_changes).toBe(false)
    expect(by('a', 'b', 'c', 'd')?.signs).toHaveLength(3)
    const templates = [said(reset), said(reset, 'web')]
    expect(score('network', { templates, symptoms: [reset] })).toBe(round6(1 - 0.75 ** 2))
  })

  it('is none where names do not resolve, or it was long ago', () => {
    const with2 = (text: string, more: Partial<Template> = {}) =>
      found('network', { templates: [said(reset), said(text, 'web', more)] })
    expect(with2('lookup a.core.svc: i/o timeout')).toBeUndefined()
    expect(with2(reset, { risen_at: at(ONSET - 16) })).toBeUndefined()
    expect(with2(reset, { risen_at: at(ONSET - 15) })).toBeDefined()
  })

  it('is told by its own telemetry and by a status page of it', () => {
    const names = ['network_packets_dropped', 'tcp_retransmits', 'network_errors']
    const shifts = names.map((name) => risen('stock', name))
    expect(facts(found('network', { shifts }))).toEqual([
      [0.3, 'network_packets_dropped'],
      [0.3, 'tcp_retransmits'],
    ])
    for (const more of [{ is_bad: false }, { ended_at: at(ONSET - 1) }])
      expect(found('network', { shifts: [risen('stock', 'tcp_retransmits', more)] })).toBeUndefined()
    expect(found('network', { shifts: [risen('stock', 'cpu_usage')] })).toBeUndefined()
    const seen = (detail: string) =>
      found('network', { shifts, snapshot: { status: status(detail) } })?.signs.length
    expect(seen('packets are lost')).toBe(3)
    expect(seen('disks are slow')).toBe(2)
    const most = found('network', {
      ...{ shifts, symptoms: [reset], templates: ['a', 'b', 'c'].map((one) => said(reset, one)) },
      snapshot: { status: status('packets are lost') },
    })
    expect(most?.score).toBe(0.9)
  })
})

describe('a used-up resource', () => {
  const spoken = 'connection pool exhausted'
  const full = (name = 'cpu_usage', during = 90, unit = '%', entity = 'stock') =>
    risen(entity, name, { during }, { unit })
  const first = { first: place('stock') }

  it('is told by words alone weakly, by an event better', () => {
    expect(found('capacity', { templates: [said(spoken)] })).toMatchObject({
      ...{ entity: 'stock', score: round6(0.2 * UNEXPLAINED), action: 'scale', yields_to_changes: true },
      what: 'a resource that is used up',
    })
    const many = ['a', 'b', 'c', 'd'].map((part) => said(`${part} ${spoken}`))
    expect(score('capacity', { templates: many, symptoms: [spoken] })).toBe(round6(1 - 0.8 ** 3))
    expect(found('capacity', { templates: many })?.signs).toHaveLength(3)
    expect(score('capacity', { snapshot: { events: [event(spoken)] } })).toBe(round6(0.35 * 0.8))
    expect(found('capacity', { snapshot: { alerts: warned(spoken) } })).toBeUndefined()
    expect(found('capacity', {})).toBeUndefined()
    expect(found('capacity', { shifts: [full()] })).toBeUndefined()
  })

  it.each([
    ['a share in percent', 'cpu_usage', '%', { during: 90 }, { during: 89 }],
    ['a share', 'cpu_usage', '1', { during: 0.9 }, { during: 0.89 }],
    ['what is free', 'memory_free_bytes', 'By', { before: 100, extreme: 10 }, { before: 100, extreme: 11 }],
    ['collections that free nothing', 'gc_seconds', 's', { during: 10 }, { during: 9 }],
  ] as const)('is at its end by %s', (_, name, unit, end, before) => {
    const of = (more: Partial<SeriesShift>, called: string = name) =>
      found('capacity', { shifts: [risen('stock', called, more, { unit })], observed: first })
    expect(of(end)).toMatchObject({ score: round6(0.45 * 0.8), entity: 'stock' })
    expect(of(before)).toMatchObject({ score: round6(0.3 * UNEXPLAINED) })
  })

  it('is not at its end where what was free was nothing before, or a number has no unit', () => {
    const of = (name: string, more: Partial<SeriesShift>, unit: string) =>
      score('capacity', { shifts: [risen('stock', name, more, { unit })], observed: first })
    expect(of('memory_free_bytes', { before: 0, extreme: 0 }, 'By')).toBe(round6(0.3 * UNEXPLAINED))
    expect(of('cpu_usage', { during: 99 }, 's')).toBe(round6(0.3 * UNEXPLAINED))
    expect(of('jvm_gc', { during: 10 }, 's')).toBe(round6(0.45 * 0.8))
    expect(of('garbage_seconds', { during: 10 }, 's')).toBe(round6(0.45 * 0.8))
    expect(of('gcp_cpu_usage', { during: 10 }, 's')).toBe(round6(0.3 * UNEXPLAINED))
  })

  it('is measured at the place, where an event tells of it, or at a full volume wherever it is', () => {
    const shifts = [full('cpu_usage', 90, '%', 'vault')]
    expect(found('capacity', { shifts, observed: first })).toBeUndefined()
    const events = [event(spoken, 'vault')]
    expect(found('capacity', { shifts, observed: first, snapshot: { events } })).toMatchObject({
      ...{ entity: 'vault', score: round6((1 - 0.55 * 0.65) * 0.8) },
    })
    const elsewhere = [event(spoken, 'web')]
    expect(
      found('capacity', { shifts, observed: first, snapshot: { events: elsewhere } })?.signs,
    ).toHaveLength(1)
    const templates = [said('write: no space left on device')]
    const volume = (name: string, during: number) =>
      found('capacity', { shifts: [full(name, during, '%', 'node-7')], templates })?.signs.length
    expect([volume('disk_usage', 90), volume('disk_usage', 89), volume('cpu_usage', 99)]).toEqual([2, 1, 1])
    expect(
      found('capacity', { shifts: [risen('stock', 'http_5xx_ratio', {}, { unit: '%' })], observed: first }),
    ).toBeUndefined()
    const well = risen('stock', 'cpu_usage', { is_bad: false, during: 95 }, { unit: '%' })
    expect(found('capacity', { shifts: [well], observed: first })).toBeUndefined()
    const four = ['cpu', 'memory', 'disk', 'network'].map((name) => full(`${name}_usage`))
    expect(found('capacity', { shifts: four, observed: first })).toMatchObject({ score: round6(0.75 * 0.8) })
    expect(found('capacity', { shifts: four, observed: first })?.signs).toHaveLength(3)
    const half = ['cpu', 'memory', 'disk'].map((name) => full(`${name}_usage`, 50))
    expect(score('capacity', { shifts: half, observed: first, symptoms: [spoken] })).toBe(0.55)
    const [one] = half
    expect(score('capacity', { shifts: [one as SeriesShift, full('memory_usage')], observed: first })).toBe(
      round6((1 - 0.7 * 0.55) * 0.8),
    )
  })

  it('is told by a statement that is stuck, and by one that holds the load beside another sign', () => {
    const statement = (name: string, load: number, calls_per_s = 5) => ({
      ...{ source: 'statements', start: at(ONSET), end: at(LENGTH), statement: name, load, calls_per_s },
    })
    const of = (statements: Snapshot['statements'], seen: Seen = {}) =>
      found('capacity', { ...seen, snapshot: { statements } })
    expect(of([statement('select 1', 5)])).toBeUndefined()
    expect(of([statement('select 1', 5)], { templates: [said(spoken)] })).toMatchObject({
      score: round6((1 - 0.7 * 0.8) * UNEXPLAINED),
    })
    expect(
      of([statement('select 1', 5)], { shifts: [full('cpu_usage', 50)], observed: first })?.signs,
    ).toHaveLength(2)
    expect(of([statement('select 1', 5, 0)])).toMatchObject({ score: round6(0.45 * 0.8), entity: null })
    const both = [statement('select 1', 50), statement('select 2', 2, 0)]
    expect(facts(of(both))).toEqual([
      [0.45, 'statement'],
      [0.3, 'statement'],
    ])
    const stuck = ['a', 'b', 'c'].map((name) => statement(name, 5, 0))
    expect(of(stuck)?.signs).toHaveLength(2)
    expect(of([statement('select 1', 5, 0)], { observed: { symptom_service: 'web' } })?.entity).toBe('web')
  })
})

describe('an instance that was away', () => {
  const gone = (name: string, more: Partial<SeriesShift> = {}, entity = 'stock') =>
    risen(entity, name, {
      ...{ direction: 'down', is_bad: false, before: 100, during: 4, extreme: 5, ended_at: at(ONSET + 9) },
      ...more,
    })
  const of = (...shifts: readonly SeriesShift[]) => found('infra', { shifts })

  it('is told by several of its activities that stop at once and come back', () => {
    expect(of(gone('reads'), gone('writes'))).toMatchObject({
      ...{ entity: 'stock', score: 0.51, action: 'escalate', yields_to_changes: true },
      what: 'an instance that was away for a while, as in a restart or a failover',
    })
    expect(of(gone('reads'), gone('writes'), gone('sent'), gone('received'))?.signs).toHaveLength(3)
    expect(of(gone('reads'), gone('reads'))).toBeUndefined()
    expect(of(gone('reads'))).toBeUndefined()
    for (const more of [
      { direction: 'up' as const },
      { ended_at: null },
      { before: 0, extreme: 0 },
      { extreme: 5.1 },
      { onset: { ...SINCE, at: at(ONSET + 6) } },
    ])
      expect(of(gone('reads'), gone('writes', more))).toBeUndefined()
    expect(of(gone('reads'), gone('writes', { onset: { ...SINCE, at: at(ONSET + 5) } }))).toBeDefined()
    expect(of(gone('reads'), gone('writes', {}, 'web'))).toBeUndefined()
  })

  it('is the one that was asked about', () => {
    const away = (symptom_service: string) =>
      found('infra', { shifts: [gone('reads'), gone('writes')], observed: { symptom_service } })
    expect(away('stock')).toBeDefined()
    expect(away('web')).toBeUndefined()
  })
})

describe('an instance that is unsteady', () => {
  const restarts = risen('stock', 'container_restarts', { before: 0, extreme: 3 })
  /** Fails for eight minutes, time after time, and is well for as long. */
  const pulse = series('stock', 'http_5xx_ratio', 0.01, 0.01)
  const values = pulse.values.map((value, minute) => (minute >= ONSET - 30 && minute % 16 < 8 ? 0.5 : value))
  const pulses = risen('stock', 'http_5xx_ratio', { before: 0.01, during: 0.5 }, { ...pulse, values })
  const of = (shifts: readonly SeriesShift[], seen: Seen = {}) =>
    found('infra', { ...seen, observed: { first: place('stock', { shifts }) } })

  it('is told by restarts, or by failing that comes and goes', () => {
    expect(of([restarts])).toMatchObject({
      ...{ entity: 'stock', score: 0.5, action: 'failover', yields_to_changes: true },
      what: 'an instance that restarts again and again',
    })
    expect(of([restarts])?.at_most).toBeUndefined()
    expect(of([pulses])).toMatchObject({
      ...{ score: 0.5, what: 'an instance that fails and is well again by itself, time after time' },
    })
    expect(of([pulses, restarts])).toMatchObject({
      score: 0.75,
      what: 'an instance that restarts again and again',
    })
    expect(facts(of([pulses, restarts]))).toEqual([
      [0.5, 'http_5xx_ratio'],
      [0.5, 'container_restarts'],
    ])
    expect(of([])).toBeUndefined()
  })

  it('is half of an answer where records were read, and none where it died of its own code', () => {
    const changes = [{ source: 'commits', id: 'c1', recorded_at: at(1), kind: 'commit' as const }]
    expect(of([restarts], { snapshot: { changes } })?.at_most).toBe(CONFIDENCE_CAP_UNLINKED)
    expect(of([restarts], { templates: [said('panic: boom')] })).toBeUndefined()
    expect(of([restarts], { templates: [said('panic: boom', 'web')] })).toBeDefined()
    expect(of([restarts], { snapshot: { events: [event('panic: boom')] } })).toBeDefined()
  })
})

describe('more traffic than usual', () => {
  const asked = (entity = 'stock', during = 200, more: Partial<SeriesShift> = {}, labels = {}) =>
    risen(entity, 'http_requests_per_second', { before: 100, during, is_bad: false, ...more }, { labels })
  const symptoms = ['queue saturated']
  const of = (shifts: readonly SeriesShift[], seen: Seen = {}) =>
    found('traffic', { symptoms, ...seen, shifts })

  it('is told by demand that rose by half and more, the more the more it rose', () => {
    expect(of([asked()])).toMatchObject({
      ...{ entity: 'stock', score: 0.5, action: 'scale', yields_to_changes: true },
      ...{ what: 'more traffic than usual', signs: [{ strength: 0.4 }] },
    })
    expect(of([asked()], { symptoms: [] })?.score).toBe(round6(0.5 * UNEXPLAINED))
    expect(of([asked('stock', 1_600)])?.score).toBe(0.7)
    expect(of([asked('stock', 150)])).toBeDefined()
    expect(of([asked('stock', 149)])).toBeUndefined()
    expect(of(['a', 'b', 'c', 'd'].map((one) => asked(one)))?.signs).toHaveLength(3)
  })

  it('is none where it fell, rose after the symptoms, was none before, or counts one outcome', () => {
    for (const shift of [
      asked('stock', 200, { direction: 'down' }),
      asked('stock', 200, { before: 0 }),
      asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET) + 1 } }),
      asked('stock', 200, {}, { code: '500' }),
      asked('stock', 200, { meaning: { ...readMetricName('http_requests_per_second'), meaning: 'errors' } }),
      risen('stock', 'bytes_sent', { before: 100, during: 200 }),
    ])
      expect(of([shift])).toBeUndefined()
    expect(of([asked('stock', 200, {}, { pod: 'a' })])).toBeDefined()
    expect(of([asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET) } })])).toBeDefined()
    const late = asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET + 9) } })
    expect(of([late], { observed: { onset: null } })).toBeDefined()
  })

  it('is none where it is over while what failed first fails still', () => {
    const over = (ended: number, first: Partial<FailingService> | null) =>
      of([asked('stock', 200, { ended_at: at(ended) })], {
        observed: { first: first === null ? null : place('stock', first) },
      })
    expect(over(ONSET + 4, {})).toBeUndefined()
    expect(over(ONSET + 4, { ended_at: at(ONSET + 20) })).toBeUndefined()
    expect(over(ONSET + 15, { ended_at: at(ONSET + 20) })).toBeDefined()
    expect(over(ONSET + 4, null)).toBeDefined()
  })

  it('is none where it is made inside, there or above', () => {
    const made = { caller: 'web', callee: 'vault', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const by = (entity: string) =>
      of([asked(entity)], { observed: { made, graph: graphOf({ web: ['vault'], vault: ['stock'] }) } })
    expect([by('vault'), by('stock')]).toEqual([undefined, undefined])
    expect(by('web')).toBeDefined()
  })

  it('is none where those who call, or those who serve, were measured and not asked for more', () => {
    const usual = series('web', 'http_requests_per_second', 100, 100)
    const below = { graph: graphOf({ web: ['stock'] }) }
    expect(of([asked()], { observed: below, snapshot: { series: [usual] } })).toBeUndefined()
    expect(of([asked()], { observed: below })).toBeDefined()
    expect(of([asked(), asked('web')], { observed: below, snapshot: { series: [usual] } })?.entity).toBe(
      'web',
    )
    const served = { symptom_service: 'web' }
    expect(of([asked()], { observed: served, snapshot: { series: [usual] } })).toBeUndefined()
    // Less than half of what rises below was tried again on the way.
    const passing = (during: number) =>
      of([asked(), asked('web', during)], {
        observed: served,
        snapshot: { series: [series('web', 'http_requests_per_second', 100, during)] },
      })
    expect(passing(130)).toBeUndefined()
    expect(passing(170)?.entity).toBe('web')
    expect(of([asked()], { observed: served })).toBeDefined()
    for (const other of [series('web', 'cpu_usage', 1, 1), series('vault', 'http_requests_per_second', 1, 1)])
      expect(of([asked()], { observed: served, snapshot: { series: [other] } })).toBeDefined()
    const edges = calls('web', 'stock')
    expect(of([asked()], { observed: served, snapshot: { series: [usual], edges } })).toBeDefined()
  })

  it('is named where it comes in: where users are served, where fewest call, where it rose most and first', () => {
    const first = (shifts: readonly SeriesShift[], seen: Seen = {}) => [
      of(shifts, seen)?.entity,
      of(shifts.toReversed(), seen)?.entity,
    ]
    const both = [asked('stock', 300), asked('web', 200)]
    expect(first(both)).toEqual(['stock', 'stock'])
    expect(first(both, { observed: { symptom_service: 'web' } })).toEqual(['web', 'web'])
    const edges = calls('x', 'y')
    expect(first(both, { observed: { symptom_service: 'web' }, snapshot: { edges } })).toEqual([
      'stock',
      'stock',
    ])
    const measured = { series: [series('web', 'http_requests_per_second', 1, 2)] }
    const called = { graph: graphOf({ web: ['stock'] }) }
    expect(first(both, { observed: called, snapshot: measured })).toEqual(['web', 'web'])
    const early = { onset: { ...SINCE, at: at(ONSET - 1) } }
    expect(first([asked('stock'), asked('web', 200, early)])).toEqual(['web', 'web'])
    expect(first([asked('stock'), asked('vault')])).toEqual(['stock', 'stock'])
    const little = asked('vault', 30, { before: 10 })
    expect(first([little, asked('web', 200)])).toEqual(['vault', 'vault'])
  })

  it('explains of a processor or a memory that grew twice as much only its share', () => {
    const grown = (name: string, during: number, more: Partial<SeriesShift> = {}, entity = 'stock') =>
      of([asked(), risen(entity, name, { before: 1, during, ...more })], {
        observed: { first: place('stock') },
      })?.score
    expect(grown('cpu_usage', 4)).toBe(0.5)
    expect(grown('cpu_usage', 8)).toBe(0.25)
    expect(grown('memory_usage', 8)).toBe(0.25)
    expect(grown('disk_usage', 8)).toBe(0.5)
    expect(grown('cpu_usage', 8, { is_bad: false })).toBe(0.5)
    expect(grown('cpu_usage', 8, { before: 0 })).toBe(0.5)
    expect(grown('cpu_usage', 8, {}, 'web')).toBe(0.5)
    expect(grown('cpu_errors', 8)).toBe(0.5)
    // Where the place's own demand was not measured, the most that rose is taken for it.
    const cpu = risen('vault', 'cpu_usage', { before: 1, during: 16 })
    const other = { observed: { first: place('vault') } }
    expect(of([asked('stock', 400), cpu], other)?.score).toBe(round6(0.65 * 0.5))
    const own = [asked('stock', 400), asked('vault', 200), cpu]
    expect(of(own, other)?.score).toBe(round6(0.65 * 0.25))
  })
})

describe('data that cannot be processed', () => {
  it('is weak, whoever says so, and no alert', () => {
    const templates = ['a', 'b', 'c', 'd'].map((part) => said(`${part} malformed payload`))
    expect(found('data', { templates: templates.slice(0, 1) })).toMatchObject({
      ...{ entity: 'stock', score: round6(0.2 * UNEXPLAINED), action: 'clean_data', yields_to_changes: true },
      what: 'data that cannot be processed',
    })
    expect(found('data', { templates, symptoms: ['malformed payload'] })).toMatchObject({ score: 0.45 })
    expect(found('data', { templates })?.signs).toHaveLength(3)
    expect(found('data', { snapshot: { alerts: warned('malformed payload') } })).toBeUndefined()
  })
})

describe('an event of the platform or a datastore', () => {
  const of = (seen: Seen) => found('infra', seen)
  const noted = (message: string, service?: string, minute = ONSET) =>
    of({ snapshot: { events: [event(message, service, minute)] } })

  it('is told by the platform, or by who meets it, and whether it says so or hints at it', () => {
    expect(noted('failover started')).toMatchObject({
      ...{ entity: 'stock', score: round6(0.4 * UNEXPLAINED), action: 'escalate', yields_to_changes: false },
      what: 'an event of the platform or a datastore',
    })
    expect(of({ templates: [said('no leader')] })?.score).toBe(round6(0.28 * UNEXPLAINED))
    expect(noted('compaction started')).toMatchObject({
      ...{ score: round6(0.25 * UNEXPLAINED), yields_to_changes: true },
    })
    expect(of({ templates: [said('compaction started')] })?.score).toBe(round6(0.1 * UNEXPLAINED))
    const k8s = [record('vault', 'Failover', 'primary changed')]
    expect(of({ snapshot: { k8s } })?.score).toBe(round6(0.4 * UNEXPLAINED))
    expect(of({ snapshot: { alerts: warned('primary changed') } })).toBeUndefined()
    expect(of({ templates: [said('no leader')], symptoms: ['primary lost'] })?.score).toBe(0.28)
  })

  it('counts four that say so and two that hint, up to eight tenths', () => {
    const clear = ['a', 'b', 'c', 'd', 'e'].map((part) => event(`${part} failover started`))
    const hints = ['a', 'b', 'c'].map((part) => event(`${part} compaction started`))
    expect(of({ snapshot: { events: clear } })?.signs).toHaveLength(4)
    expect(of({ snapshot: { events: hints } })?.signs).toHaveLength(2)
    const both = of({ snapshot: { events: [...clear, ...hints] }, symptoms: ['primary lost'] })
    expect(both).toMatchObject({ score: 0.8, yields_to_changes: false })
    expect(both?.signs).toHaveLength(6)
    // What says so is no hint of it, too.
    expect(noted('failover, reboot')?.signs).toHaveLength(1)
  })

  it('is none that came after, of services that complained long before, or that is routine, to come or over', () => {
    expect(noted('failover started', 'stock', ONSET + 5)).toBeDefined()
    expect(noted('failover started', 'stock', ONSET + 6)).toBeUndefined()
    expect(noted('failover started', 'stock', ONSET - 29)).toBeDefined()
    const logged = (minute: number) =>
      of({ templates: [said('no leader', 'stock', { risen_at: at(minute) })] })
    expect(logged(ONSET - 15)).toBeDefined()
    expect(logged(ONSET - 16)).toBeUndefined()
    expect(noted('backup completed successfully')).toBeUndefined()
    expect(noted('maintenance scheduled for tomorrow')).toBeUndefined()
    expect(noted('backup finished', 'stock', ONSET - 6)).toBeUndefined()
    expect(noted('backup finished', 'stock', ONSET - 5)).toBeDefined()
    expect(noted('backup started', 'stock', ONSET - 6)).toBeDefined()
    const late = {
      snapshot: { events: [event('backup finished', 'stock', ONSET - 6)] },
      observed: { onset: null },
    }
    expect(of(late)).toBeDefined()
    const untimed = { service: 'stock', source: 'patterns', signature: 'backup finished: error', count: 9 }
    expect(of({ snapshot: { patterns: [{ ...untimed, baseline_count: 0 }] } })).toBeDefined()
  })

  it('that only hints counts where something fails', () => {
    const at2 = (service: string, failing: readonly string[]) =>
      of({
        snapshot: { events: [event('compaction started', service)] },
        observed: { failing: failing.map((entity) => place(entity)) },
      })
    expect(at2('vault', ['stock'])).toBeUndefined()
    expect(at2('vault', ['vault'])).toBeDefined()
    expect(at2('vault', [])).toBeDefined()
    const logged = {
      templates: [said('compaction started', 'vault')],
      observed: { failing: [place('stock')] },
    }
    expect(of(logged)).toBeDefined()
    const clear = { snapshot: { events: [event('failover started', 'vault')] }, observed: logged.observed }
    expect(of(clear)).toBeDefined()
  })

  it('lies where the platform records it, and for who tells of it at the place that is blamed', () => {
    const observed = { first: place('stock'), graph: graphOf({ web: ['stock'] }) }
    const events = [event('failover started', 'vault')]
    const templates = [said('no leader', 'web', { during: 99 })]
    expect(of({ snapshot: { events }, templates, observed })?.entity).toBe('vault')
    expect(of({ templates, observed })?.entity).toBe('stock')
    expect(of({ templates })?.entity).toBe('web')
    expect(
      of({ templates: [said('compaction started', 'vault'), said('no leader', 'web', { during: 1 })] })
        ?.entity,
    ).toBe('web')
  })
})

describe('what several detectors tell of one cause', () => {
  const gone = (name: string, entity = 'stock') =>
    risen(entity, name, {
      ...{ direction: 'down', is_bad: false, before: 100, during: 4, extreme: 5, ended_at: at(ONSET + 9) },
    })
  const away = [gone('reads'), gone('writes')]
  const infra = (seen: Seen) => causes(seen).filter(({ kind }) => kind === 'infra')

  it('adds up at one place, or where one does not know the place, and not at two', () => {
    const of = (service: string) =>
      infra({ shifts: away, snapshot: { events: [event('failover started', service)] } })
    expect(of('stock')).toHaveLength(1)
    expect(of('stock')[0]).toMatchObject({
      ...{ entity: 'stock', yields_to_changes: false, score: round6(1 - 0.49 * (1 - 0.4 * UNEXPLAINED)) },
      what: 'an instance that was away for a while, as in a restart or a failover',
    })
    expect(of('stock')[0]?.signs.map(({ strength }) => strength)).toEqual([0.4, 0.3, 0.3])
    expect(of('vault').map(({ entity }) => entity)).toEqual(['stock', 'vault'])
    const clear = ['a', 'b', 'c', 'd'].map((part) => event(`${part} failover started`))
    expect(infra({ shifts: away, snapshot: { events: clear }, symptoms: ['primary lost'] })[0]?.score).toBe(
      0.85,
    )
  })

  it('counts words that both found once', () => {
    const kept = risen('cache', 'cache_items', { direction: 'down', before: 100, during: 10, extreme: 10 })
    const found2 = infra({ shifts: [kept], snapshot: { events: [event('restarted', 'cache')] } })
    expect(found2).toHaveLength(1)
    expect(found2[0]).toMatchObject({ entity: 'cache', score: round6(1 - 0.55 ** 2) })
    expect(found2[0]?.signs).toHaveLength(2)
  })

  it('is less of a load that a cache in trouble leaves to others, where two signs tell of the trouble', () => {
    const kept = risen('cache', 'cache_items', { direction: 'down', before: 100, during: 10, extreme: 10 })
    const events = [event('restarted', 'cache')]
    const pool = (service: string) => ({ shifts: [kept], templates: [said('pool exhausted', service)] })
    const left = 1 - 0.75 * (1 - 0.55 ** 2)
    const alone = 0.2 * UNEXPLAINED
    expect(score('capacity', { ...pool('stock'), snapshot: { events } })).toBe(round6(round6(alone) * left))
    expect(score('capacity', pool('stock'))).toBe(round6(alone))
    expect(score('capacity', { ...pool('cache'), snapshot: { events } })).toBe(round6(alone))
    const poison = { shifts: [kept], templates: [said('malformed payload')], snapshot: { events } }
    expect(score('data', poison)).toBe(round6(alone))
    const asked = risen('stock', 'http_requests_per_second', { before: 100, during: 200 })
    const more = { shifts: [kept, asked], symptoms: ['queue saturated'], snapshot: { events } }
    expect(score('traffic', more)).toBe(round6(0.5 * left))
  })

  it('comes surest first, then by how many signs, by kind and by place', () => {
    const templates = [
      ...[
        said('GET https://api.paylane.com/x exceeded deadline'),
        said('GET https://api.nimbus.com/x exceeded deadline'),
      ],
      ...[said('malformed payload'), said('connection pool exhausted', 'web')],
    ]
    expect(causes({ templates }).map(({ kind, entity }) => `${kind} ${entity}`)).toEqual([
      ...['capacity web', 'data stock', 'provider api.nimbus.com', 'provider api.paylane.com'],
    ])
    const reversed = causes({ templates: templates.toReversed() })
    expect(reversed.map(({ kind }) => kind)).toEqual(['capacity', 'data', 'provider', 'provider'])
  })
})
