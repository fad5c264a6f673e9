import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
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
