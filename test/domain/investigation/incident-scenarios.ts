/** Small made-up incidents for the engine's tests; each says what should be found. */
import type {
  Alert,
  Change,
  Edge,
  LogLine,
  LogPattern,
  Series,
  Snapshot,
} from '#shared/domain/investigation/records/snapshot.ts'

export const START = Date.parse('2026-03-02T08:00:00Z')
export const MINUTE = 60_000
/** Minute of the window in which every scenario's fault begins. */
export const ONSET = 90
export const LENGTH = 120

export const at = (minute: number): number => START + minute * MINUTE

export const EMPTY: Snapshot = {
  format: 'incident-bundle/1',
  window: { from: at(0), to: at(LENGTH) },
  baselines: [],
  sources: [
    'metrics',
    'logs',
    'traces',
    'commits',
    'deploys',
    'flags',
    'alerts',
    'patterns',
    'status',
    'k8s',
    'events',
    'edges',
  ].map((id) => ({
    id,
    integration_id: `int_${id}`,
    tool: 'bundle',
    query: `${id} of the window`,
    window: { from: at(0), to: at(LENGTH) },
    link: `https://tool.example/${id}`,
    outcome: 'answered',
    records: 1,
    digest: id.padEnd(64, '0'),
  })),
  entities: [],
  alerts: [],
  series: [],
  edges: [],
  spans: [],
  logs: [],
  log_counts: [],
  changes: [],
  k8s: [],
  events: [],
  statements: [],
  patterns: [],
  status: [],
  gaps: [],
}

/** A wave instead of noise: it looks irregular and is the same every time. */
export const wobble = (index: number): number =>
  Math.sin(index * 12.9898) * 0.6 + Math.sin(index * 4.1414) * 0.4

/** One sample a minute: normal up to the onset, then the other level. */
export function series(
  entity: string,
  name: string,
  before: number,
  during: number,
  from = ONSET,
  to = LENGTH,
): Series {
  const times = new Float64Array(LENGTH)
  const values = new Float64Array(LENGTH)
  for (let minute = 0; minute < LENGTH; minute++) {
    times[minute] = at(minute)
    const level = minute >= from && minute < to ? during : before
    values[minute] = level + Math.abs(level) * 0.03 * wobble(minute + name.length)
  }
  return {
    source: 'metrics',
    entity,
    name,
    labels: {},
    type: 'gauge',
    times,
    values,
    query: `${name}{service="${entity}"}`,
  }
}

/** Calls of a caller, of which a share fails from the onset on. */
export const calls = (caller: string, callee: string, failing = 0): Edge[] =>
  Array.from({ length: LENGTH }, (_, minute) => ({
    ...{ source: 'edges', caller, callee, t0: at(minute), interval_s: 60, calls: 600 },
    failed: minute < ONSET ? 0 : Math.round(600 * failing),
    ...{ latency_sum_ms: 30_000, latency_count: 600 },
  }))

/** A line every `every` minutes within `from` to `to`. */
export function lines(
  service: string,
  severity: string,
  message: string,
  from: number,
  to = LENGTH,
  every = 1,
): LogLine[] {
  const list: LogLine[] = []
  for (let minute = from; minute < to; minute += every)
    list.push({ source: 'logs', timestamp: at(minute) + 7_000, service, severity, message })
  return list
}

export const commit = (
  id: string,
  minute: number,
  title: string,
  files: readonly string[],
  diff: string | null,
): Change => ({
  source: 'commits',
  id,
  recorded_at: at(minute),
  kind: 'commit',
  title,
  actor: 'dana',
  files,
  diff,
})

export const deploy = (
  id: string,
  minute: number,
  entity: string,
  version: string,
  carries: readonly string[],
): Change => ({
  source: 'deploys',
  id,
  recorded_at: at(minute),
  effective_at: { from: at(minute), to: at(minute) },
  kind: 'deploy',
  entity,
  after: version,
  carries,
})

export const alert = (service: string, metric: string, minute = ONSET + 6): Alert => ({
  source: 'alerts',
  name: `${metric} too high`,
  service,
  metric,
  threshold: 0.05,
  observed: 0.4,
  fired_at: at(minute),
  severity: 'critical',
})

export const pattern = (service: string, signature: string, count: number, baseline: number): LogPattern => ({
  source: 'patterns',
  service,
  signature,
  count,
  baseline_count: baseline,
})

const sha = (letter: string): string => letter.repeat(8) + '0123456789abcdef'.repeat(2)

/** Harmless changes that every scenario holds, two of them rolled out to the failing service. */
function decoys(service: string): Change[] {
  return [
    commit(
      sha('1'),
      20,
      'docs: explain the release',
      ['docs/release.md'],
      '@@ docs/release.md @@\n-old words\n+new words',
    ),
    commit(
      sha('2'),
      80,
      'refactor: extract a helper',
      [`services/${service}/view.go`],
      '@@ services/view.go @@\n-\tx := build(a, b)\n-\treturn render(x)\n+\treturn draw(a, b)\n+}\n+\n+func draw(a, b int) string {\n+\tx := build(a, b)\n+\treturn render(x)',
    ),
    deploy('d-2', 84, service, 'v2', [sha('2')]),
    commit(
      sha('3'),
      85,
      'chore: bump a library',
      ['go.mod', 'go.sum'],
      '@@ go.mod @@\n-\tgolang.org/x/text v0.14.0\n+\tgolang.org/x/text v0.14.1',
    ),
    commit(
      sha('4'),
      ONSET + 8,
      'fix: show the right total',
      [`services/${service}/total.go`],
      '@@ total.go @@\n-\treturn net\n+\treturn net + tax',
    ),
    deploy('d-4', ONSET + 10, service, 'v4', [sha('4')]),
  ]
}

export interface Scenario {
  readonly name: string
  readonly snapshot: Snapshot
  /** Id of the change that did it, null where none did. */
  readonly change: string | null
  readonly kind: string
  readonly first: string | null
}

const failing = (service: string, caller: string): readonly Series[] => [
  series(service, 'http_5xx_ratio', 0.004, 0.41),
  series(service, 'http_server_duration_p99_ms', 90, 2600),
  series(caller, 'http_5xx_ratio', 0.003, 0.2, ONSET + 1),
  series('catalogue', 'http_5xx_ratio', 0.002, 0.002),
]

function codeCase(
  name: string,
  kind: string,
  culprit: { title: string; files: readonly string[]; diff: string },
  messages: readonly string[],
  more: Partial<Snapshot> = {},
): Scenario {
  const service = 'ledger-service'
  return {
    name,
    change: sha('c'),
    kind,
    first: service,
    snapshot: {
      ...EMPTY,
      ...more,
      alerts: [alert(service, 'http_5xx_ratio')],
      series: [...failing(service, 'portal'), ...(more.series ?? [])],
      logs: [
        ...lines(service, 'INFO', 'posted entry 17 in 12ms', 0, ONSET),
        ...messages.flatMap((message) => lines(service, 'ERROR', message, ONSET)),
        ...lines('portal', 'ERROR', 'upstream ledger-service returned 500', ONSET + 1),
      ],
      changes: [
        ...decoys(service),
        commit(sha('c'), 82, culprit.title, culprit.files, culprit.diff),
        deploy('d-c', ONSET - 2, service, 'v3', [sha('c')]),
      ],
    },
  }
}

const operationalCase = (
  name: string,
  kind: string,
  messages: readonly string[],
  more: Partial<Snapshot>,
): Scenario => {
  const service = 'ledger-service'
  return {
    name,
    change: null,
    kind,
    first: service,
    snapshot: {
      ...EMPTY,
      ...more,
      alerts: [alert(service, 'http_5xx_ratio')],
      series: [...failing(service, 'portal'), ...(more.series ?? [])],
      logs: [
        ...lines(service, 'INFO', 'posted entry 17 in 12ms', 0, ONSET),
        ...messages.flatMap((message) => lines(service, 'ERROR', message, ONSET)),
        ...lines('portal', 'ERROR', 'upstream ledger-service returned 500', ONSET + 1),
        ...(more.logs ?? []),
      ],
      changes: decoys(service),
    },
  }
}

export const SCENARIOS: readonly Scenario[] = [
  codeCase(
    'a timeout is cut to a tenth',
    'config',
    {
      title: 'tune client settings',
      files: ['services/ledger/config/client.yaml'],
      diff: '@@ services/ledger/config/client.yaml @@\n client:\n-  request_timeout: 3s\n+  request_timeout: 300ms\n   retries: 2',
    },
    ['request to journal exceeded timeout of 300ms', 'context deadline exceeded while posting'],
  ),
  codeCase(
    'a null check is taken away',
    'code',
    {
      title: 'simplify address handling',
      files: ['services/ledger/address.ts'],
      diff: '@@ services/ledger/address.ts @@\n-  if (account.address === undefined) return EMPTY\n-  return account.address.street\n+  return account.address.street',
    },
    ["TypeError: Cannot read properties of undefined (reading 'street')"],
  ),
  codeCase(
    'an index is dropped',
    'code',
    {
      title: 'clean up the schema',
      files: ['services/ledger/migrations/0042.sql'],
      diff: '@@ 0042.sql @@\n+DROP INDEX entries_by_account;',
    },
    ['slow query: select * from entries where account = 7 took 2400ms (seq scan)'],
    { series: [series('ledger-service', 'db_query_duration_ms', 8, 900)] },
  ),
  codeCase(
    'a token audience is renamed',
    'code',
    {
      title: 'align names in the verifier',
      files: ['services/ledger/auth/verify.py'],
      diff: '@@ services/ledger/auth/verify.py @@\n-    claims = jwt.decode(token, key, audience="ledger")\n+    claims = jwt.decode(token, key, audience="bookkeeping")',
    },
    ['401 unauthorized: invalid audience in token', 'authentication failed: invalid audience'],
  ),
  codeCase(
    'a buffer is no longer bounded',
    'code',
    {
      title: 'keep recent entries in memory',
      files: ['services/ledger/recent.js'],
      diff: '@@ services/ledger/recent.js @@\n-const recent = new LRU({ maxEntries: 500 })\n-  recent.evict(now)\n+const recent = new Map()\n+  recent.set(entry.id, entry)',
    },
    ['JavaScript heap out of memory', 'worker exited: recent entries hold 3 GB heap'],
    { series: [series('ledger-service', 'process_heap_used_bytes', 4e8, 3e9)] },
  ),
  operationalCase(
    'an outside provider fails',
    'provider',
    ['POST https://api.paylane.com/v2/capture returned 503'],
    {
      logs: lines('refunds', 'ERROR', 'call to api.paylane.com failed: 503 unavailable', ONSET),
      status: [
        {
          source: 'status',
          provider: 'paylane',
          component: 'capture',
          events: [{ timestamp: at(ONSET + 2), status: 'partial_outage', detail: 'elevated errors' }],
        },
      ],
    },
  ),
  operationalCase(
    'a certificate expires',
    'certificate',
    ['dial journal.internal:8443: x509: certificate has expired or is not yet valid'],
    {
      series: [
        {
          ...series('journal', 'tls_certificate_seconds_until_expiry', 0, 0),
          values: Float64Array.from({ length: LENGTH }, (_, minute) => (ONSET - minute) * 60),
        },
      ],
    },
  ),
  operationalCase(
    'names no longer resolve',
    'dns',
    ['dial tcp: lookup journal.core.svc.cluster.local: no such host'],
    { logs: lines('refunds', 'ERROR', 'getaddrinfo ENOTFOUND vault.core.svc.cluster.local', ONSET) },
  ),
  operationalCase('a node is exhausted by a stranger', 'node', ['request took 2600ms'], {
    entities: [{ name: 'node-7', kind: 'node', aliases: [] }],
    series: [
      series('node-7', 'node_cpu_utilization_ratio', 0.3, 0.98),
      series('node-7', 'node_memory_utilization_ratio', 0.4, 0.95),
    ],
    k8s: [
      {
        source: 'k8s',
        timestamp: at(ONSET),
        kind: 'Node',
        name: 'node-7',
        reason: 'MemoryPressure',
        message: 'node has memory pressure from pod batch/export-1',
      },
    ],
  }),
  operationalCase(
    'traffic doubles and more',
    'traffic',
    ['request queue saturated, shedding load', 'timeout waiting for a worker'],
    { series: [series('ledger-service', 'http_requests_per_second', 100, 420, ONSET - 1)] },
  ),
]
