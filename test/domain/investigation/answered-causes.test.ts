import { describe, expect, it } from 'vitest'
import { ANSWER_PAGES } from '#shared/domain/investigation/answer-pages.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { SYSTEM_ANSWERS } from '#shared/domain/investigation/system-answers.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

/** As their own systems write them; none was taken from a benchmark. */
const QUOTED: Readonly<Record<string, string>> = {
  'resolver-codes': 'stock-db could not be resolved (5: Operation refused)',
  'tls-revoked': 'handshake with stock-db: sslv3 alert certificate revoked',
  'ended-in-words': 'stock-db: the ticket of this session has lapsed',
  'kernel-hung-task': 'INFO: task jbd2/sda1-8:311 blocked for more than 120 seconds.',
  'kernel-stuck': 'watchdog: BUG: soft lockup - CPU#2 stuck for 23s!',
  'kernel-tables': 'neighbour: arp_cache: neighbor table overflow!',
  'nginx-connections': '1024 worker_connections are not enough while connecting to upstream',
  'rabbitmq-alarm': 'stock-db: memory resource limit alarm set on node rabbit@a',
  'elasticsearch-shards': 'stock-db: unavailable_shards_exception',
  'cassandra-replicas': 'stock-db: Not enough replicas available for query at consistency QUORUM',
  'kafka-replicas': 'stock-db: NOT_ENOUGH_REPLICAS',
  'kms-key': 'stock-db: KMSInvalidStateException',
  getaddrinfo: 'getaddrinfo ENOTFOUND ledger.example.net',
  'go-resolver': 'dial tcp: lookup ledger.example.net on 10.0.0.10:53: no such host',
  'java-resolver': 'java.net.UnknownHostException: ledger.example.net',
  'dns-response-code': 'query for ledger.example.net answered NXDOMAIN',
  'openssl-expired': 'Error: certificate has expired (CERT_HAS_EXPIRED)',
  'nobody-listens': 'connect ECONNREFUSED 10.0.3.7:5432',
  'postgresql-not-ready': 'FATAL: the database system is starting up',
  'mysql-not-ready': 'ERROR 2013: Lost connection to MySQL server during query',
  'redis-not-ready': 'CLUSTERDOWN The cluster is down',
  'mongodb-no-primary': 'MongoServerError: NotWritablePrimary',
  'kafka-no-leader': 'metadata error: LEADER_NOT_AVAILABLE',
  unreachable: 'connect EHOSTUNREACH 10.0.3.7:5432',
  'postgresql-slots': 'FATAL: sorry, too many clients already',
  'mysql-connections': 'ERROR 1040 (HY000): Too many connections',
  'grpc-exhausted': 'rpc error: code = ResourceExhausted desc = quota',
  'aws-throttled': 'ThrottlingException: Rate exceeded',
  'curl-resolver': 'curl: (6) Could not resolve host: ledger.example.net',
  'java-expired': 'java.security.cert.CertPathValidatorException: validity check failed',
  'tls-alert': 'remote error: tls: alert certificate expired',
  'openssl-untrusted': 'x509: certificate signed by unknown authority',
  'oauth-grant-ended': 'POST /oauth/token answered 400: {"error":"invalid_grant"}',
  'password-expired': 'ORA-28001: the password has expired',
  'tls-name': 'x509: certificate is valid for old.example.net, not ledger.example.net',
  'threads-used-up':
    'java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory or process/resource limits reached',
  'conntrack-full': 'kernel: nf_conntrack: nf_conntrack: table full, dropping packet',
  'elasticsearch-disk':
    'cluster_block_exception: index [orders] blocked by: [TOO_MANY_REQUESTS/12/index read-only / allow delete (api)]; read_only_allow_delete',
  'elasticsearch-load': '429 es_rejected_execution_exception: rejected execution of primary operation',
  'redis-clients': 'ERR max number of clients reached',
  'redis-cannot-save':
    'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk',
  'mysql-read-only':
    'ERROR 1290 (HY000): The MySQL server is running with the --read-only option so it cannot execute this statement',
  'etcd-space': 'etcdserver: mvcc: database space exceeded',
  'aws-no-capacity': 'InsufficientInstanceCapacity: There is no Spot capacity available',
  'aws-expired-token': 'ExpiredTokenException: The security token included in the request is expired',
  'bearer-expired': 'error="invalid_token", error_description="The access token expired"',
  'postgresql-refuses-login': 'FATAL: password authentication failed for user "stock"',
  'mysql-refuses-login': "Access denied for user 'stock'@'10.0.3.7' (using password: YES)",
  'redis-refuses-login': 'WRONGPASS invalid username-password pair or user is disabled.',
  'postgresql-disk-full': 'could not extend file "base/16384/24576": No space left on device',
  'mysql-table-full': "ERROR 1114 (HY000): The table 'orders' is full",
  'kernel-used-up': 'open /var/lib/stock/index: too many open files',
  'redis-memory': "OOM command not allowed when used memory > 'maxmemory'.",
  'google-quota': "Quota exceeded for quota metric 'Read requests'",
  'postgresql-data': 'ERROR: invalid byte sequence for encoding "UTF8": 0xe9',
  'mysql-data': "Data too long for column 'note' at row 1",
  'json-parse': 'SyntaxError: Unexpected token < in JSON at position 0',
  'kafka-deserialize': 'org.apache.kafka.common.errors.RecordDeserializationException: offset 81',
  'ports-used-up': 'connect EADDRNOTAVAIL 10.0.0.7:443 - Local (0.0.0.0:0)',
  'aws-slow-down': 'SlowDown: Please reduce your request rate.',
  'postgresql-numbers': 'ERROR: nextval: reached maximum value of sequence "orders_id_seq" (2147483647)',
  'postgresql-wraparound':
    'ERROR: database is not accepting commands that assign new XIDs to avoid wraparound data loss in database "main"',
  'kernel-read-only': 'open /var/lib/stock/queue: read-only file system',
  'redis-read-only': "READONLY You can't write against a read only replica.",
  'consul-no-leader': 'Unexpected response code: 500 (No cluster leader)',
  'etcd-no-leader': 'etcdserver: no leader',
  'zookeeper-session': 'org.apache.zookeeper.KeeperException$ConnectionLossException',
  'clock-aws':
    'RequestTimeTooSkewed: The difference between the request time and the current time is too large.',
  'clock-tokens': 'NotBeforeError: jwt not active',
  'clock-kerberos': 'KRB_AP_ERR_SKEW: Clock skew too great',
  'licence-expired': 'security_exception: current license is non-compliant for [search]',
  'key-revoked': 'InvalidClientTokenId: The security token included in the request is invalid',
  calendar: 'ValueError: day is out of range for month',
}

/** `stock` cannot use what it calls, which its callers notice. */
const scene = (message: string, more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  alerts: [alert('stock', 'http_5xx_ratio')],
  series: [series('stock', 'http_5xx_ratio', 0.003, 0.4)],
  edges: [...calls('web', 'stock', 0.4), ...calls('stock', 'ledger', 0.4)],
  logs: lines('stock', 'ERROR', message, ONSET),
  ...more,
})
const find = (message: string, more: Partial<Snapshot> = {}): Findings => investigate(scene(message, more))
const kindsOf = (findings: Findings): readonly string[] => findings.hypotheses.map(({ cause }) => cause.kind)

describe('answers of systems', () => {
  it.each(SYSTEM_ANSWERS.map((answer) => [answer.id, answer] as const))(
    '%s is documented by its vendor, and names its kind where it is quoted',
    (id, { kind, pattern }) => {
      expect(ANSWER_PAGES[id]).toMatch(/^https:\/\/\S+$/)
      const quoted = QUOTED[id]
      expect(quoted).toMatch(pattern)
      const findings = find(quoted as string)
      expect(findings.cause).toMatchObject({ kind, change: null })
      expect(findings.evidence.map(({ content }) => content).join('\n')).toMatch(/Of \d+ calls to/)
    },
  )

  it('each stand in the table once', () => {
    expect(new Set(SYSTEM_ANSWERS.map(({ id }) => id)).size).toBe(SYSTEM_ANSWERS.length)
    expect(Object.keys(QUOTED).sort()).toEqual(SYSTEM_ANSWERS.map(({ id }) => id).sort())
  })

  const refused = 'connect ECONNREFUSED 10.0.3.7:5432'

  it('count only where calls were measured to fail', () => {
    const fine = [...calls('web', 'stock'), ...calls('stock', 'ledger')]
    expect(kindsOf(find(refused, { edges: fine }))).not.toContain('infra')
  })

  describe('where no tool counts calls', () => {
    const edges: Snapshot['edges'] = []

    it('are possible where the errors of who quotes them began with them', () => {
      const { cause, confidence } = find(refused, { edges })
      expect(cause).toMatchObject({ kind: 'infra', entity: 'stock' })
      expect(confidence).toBeLessThanOrEqual(0.6)
    })

    it('say nothing where its errors were there long before, or none were measured', () => {
      for (const measured of [
        [series('stock', 'http_5xx_ratio', 0.003, 0.4, ONSET - 30)],
        [series('stock', 'cpu_utilization_ratio', 0.2, 0.9)],
      ])
        expect(kindsOf(find(refused, { edges, series: measured }))).not.toContain('infra')
    })

    it('are likelier where a second one quotes them', () => {
      const logs = ['stock', 'refunds'].flatMap((by) =>
        lines(by, 'ERROR', `stock: getaddrinfo ENOTFOUND ledger.example.net`, ONSET),
      )
      expect(find(refused, { edges, logs }).cause.kind).toBe('dns')
      expect(find(refused, { edges, logs }).confidence).toBeGreaterThan(0.6)
    })
  })

  it('are found where the name of an entity is a part of them', () => {
    const message = 'dial tcp: lookup ledger on 10.0.0.10:53: server misbehaving'
    expect(find(message).cause).toMatchObject({ kind: 'dns' })
  })

  it('that credentials are refused ask for new ones, and claim no expiry that nobody spoke of', () => {
    const refusedLogin = find('FATAL: password authentication failed for user "stock"')
    expect(refusedLogin.cause).toMatchObject({ kind: 'config', change: null })
    expect(refusedLogin.remediation.action).toBe('rotate')
  })

  it('count only where they are given again and again, from the onset on', () => {
    for (const logs of [
      lines('stock', 'ERROR', refused, ONSET, ONSET + 2),
      lines('stock', 'ERROR', refused, ONSET - 40, ONSET - 20),
      lines('stock', 'ERROR', refused, ONSET + 15),
    ])
      expect(kindsOf(find(refused, { logs }))).not.toContain('infra')
  })

  it('count only where they come from the place that fails, or name it', () => {
    const said = (by: string, message: string): readonly string[] =>
      kindsOf(
        find(message, {
          alerts: [alert('web', 'http_5xx_ratio')],
          series: [series('web', 'http_5xx_ratio', 0.003, 0.4)],
          edges: calls('web', 'stock', 0.4),
          logs: lines(by, 'ERROR', message, ONSET),
        }),
      )
    expect(said('mailer', refused)).not.toContain('infra')
    expect(said('web', `stock: ${refused}`)).toContain('infra')
  })

  it('yield to a change that can have brought them about', () => {
    const id = 'a'.repeat(40)
    const moved =
      '@@ values.yaml @@\n ledger:\n-  host: ledger.example.net\n+  host: ledger-2.example.net\n   port: 443'
    const changes: Change[] = [
      {
        ...commit(id, ONSET - 1, 'Move the ledger', ['stock/values.yaml'], moved),
        ...{ kind: 'config', entity: 'stock', certainty: 'recorded' },
        effective_at: { from: at(ONSET - 1), to: at(ONSET - 1) },
      },
    ]
    const message = 'getaddrinfo ENOTFOUND ledger-2.example.net'
    expect(find(message, { changes }).cause).toMatchObject({ level: 'change', change: id })
    expect(find(message).cause).toMatchObject({ level: 'kind', kind: 'dns' })
  })

  describe('of the kinds that changes bring as a rule', () => {
    const id = 'b'.repeat(40)
    const listen = '@@ stock/listen.ts @@\n-  server.listen(8080)\n+  server.listen(given)\n+  ready(given)'
    const shipped = (entity: string, minute: number): Change[] => [
      commit(id, minute - 20, 'Listen where it is told to', [`${entity}/listen.ts`], listen),
      deploy('d-1', minute, entity, 'v2', [id]),
    ]
    const told = (message: string, changes: Change[]): Findings =>
      find(message, { changes, edges: calls('web', 'stock', 0.4) })

    it('yield to the one change that reached the very place just before, though nothing in it says how', () => {
      const { cause, confidence } = told(refused, shipped('stock', ONSET - 1))
      expect(cause).toMatchObject({ level: 'change', change: id })
      expect(confidence).toBeLessThan(0.5)
    })

    it('yield to none of long before, and to none of another place', () => {
      expect(told(refused, shipped('stock', ONSET - 60)).cause).toMatchObject({ kind: 'infra', change: null })
      expect(told(refused, shipped('web', ONSET - 1)).cause).toMatchObject({ kind: 'infra', change: null })
    })

    it('are others than what ends by itself', () => {
      const expired = told('Error: certificate has expired (CERT_HAS_EXPIRED)', shipped('stock', ONSET - 1))
      expect(expired.cause).toMatchObject({ kind: 'certificate', change: null })
    })

    it('that data cannot be read is half of an answer where records of changes were read', () => {
      const message = 'SyntaxError: Unexpected token < in JSON at position 0'
      const { cause, confidence } = told(message, shipped('web', ONSET - 200))
      expect(cause).toMatchObject({ kind: 'data', change: null })
      expect(confidence).toBeLessThan(0.5)
    })
  })
})
