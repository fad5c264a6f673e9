import { describe, expect, it } from 'vitest'
import { ANSWER_PAGES } from '#shared/domain/investigation/causes/answer-pages.ts'
import { answeredCauses } from '#shared/domain/investigation/causes/answered-causes.ts'
import { SYSTEM_ANSWERS } from '#shared/domain/investigation/causes/system-answers.ts'
import {
  CONFIDENCE_CAP_TIMED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
} from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import { type Line, NEAR_MS, type Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, facts, graphOf, place, risen, SINCE } from '../scene-by-hand.ts'

/** As their own systems write them; none was taken from a benchmark. */
const QUOTED: Readonly<Record<string, string>> = {
  'resolver-codes': 'stock-db could not be resolved (5: Operation refused)',
  'tls-revoked': 'handshake with stock-db: sslv3 alert certificate revoked',
  'ended-in-words': 'stock-db: Ticket expired',
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
  'tls-stranger': 'x509: certificate is valid for parked.example.org, not ledger.example.net',
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
  'postgresql-io': 'FATAL: could not open file "global/pg_filenode.map": Input/output error',
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
  'postgresql-denied': 'ERROR:  permission denied for table orders',
  'aws-signature':
    'SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided.',
  'oauth-client-refused': '{"error":"invalid_client","error_description":"Client authentication failed"}',
  'api-key-wrong': 'Incorrect API key provided: sk-1***',
  'signing-keys': "SigningKeyNotFoundError: Unable to find a signing key that matches '7f'",
  'rabbitmq-declared': "PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'orders'",
  'kafka-topic': 'UNKNOWN_TOPIC_OR_PARTITION',
  'key-revoked': 'InvalidClientTokenId: The security token included in the request is invalid',
  calendar: 'ValueError: day is out of range for month',
  'postgresql-read-only': 'ERROR: cannot execute INSERT in a read-only transaction',
  'postgresql-damaged': 'ERROR: invalid page in block 7 of relation base/16384/24576',
  'mysql-galera': 'ERROR 1047 (08S01): WSREP has not yet prepared node for application use',
  'mongodb-selection': 'MongoServerSelectionError: connection <monitor> to 10.0.3.7:27017 closed',
  'redis-replicas': 'NOREPLICAS Not enough good replicas to write.',
  'kafka-storage': 'KAFKA_STORAGE_ERROR',
  'kafka-coordinator': 'NOT_COORDINATOR',
  'kafka-large': 'org.apache.kafka.common.errors.RecordTooLargeException: The message is 1404032 bytes',
  'rabbitmq-split':
    'Mnesia(rabbit@a): ** ERROR ** mnesia_event got {inconsistent_database, running_partitioned_network, rabbit@b}',
  'vault-sealed': 'Error making API request. Code: 503. Errors: * Vault is sealed',
  'coredns-errors':
    '[ERROR] plugin/errors: 2 stock.shop.svc. A: read udp 10.0.0.3:41->10.0.0.2:53: i/o timeout',
  'envoy-unhealthy': '503 no healthy upstream',
  'envoy-overflow': 'upstream connect error or disconnect/reset before headers. reset reason: overflow',
  'envoy-route': '404 NR route_not_found',
  'nginx-upstreams': 'no live upstreams while connecting to upstream',
  'nginx-limits': 'limiting requests, excess: 80.4 by zone "perip", client: 203.0.113.7',
  'haproxy-servers': "backend 'stock' has no server available!",
  'kernel-nfs': 'nfs: server filer-1 not responding, still trying',
  'kernel-link': 'bond0: link is down',
  'clock-chrony': 'System clock wrong by 331.205 seconds',
  'oidc-keys': "Unable to find a signing key that matches: 'k7'",
  'tls-peer': 'tlsv1 alert unknown ca',
  'tls-versions': 'sslv3 alert handshake failure',
  'aws-denied':
    'AccessDeniedException: User: arn:aws:sts::1:assumed-role/a is not authorized to perform: sqs:SendMessage',
  'aws-addresses': 'InsufficientFreeAddressesInSubnet',
  'google-denied': "Permission 'storage.objects.get' denied on resource",
  'google-no-capacity': 'ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS',
  'azure-denied': 'AuthorizationFailed',
  'azure-no-capacity': 'AllocationFailed',
  'sqlserver-full': "The transaction log for database 'stock' is full due to 'LOG_BACKUP'.",
  'oracle-full': 'ORA-00257: Archiver error. Connect AS SYSDBA only until resolved.',
  'oracle-sessions': 'ORA-00018: maximum number of sessions exceeded',
  'oracle-not-ready': 'ORA-01033: ORACLE initialization or shutdown in progress',
  'twilio-suspended': 'Account suspended',
  'keystone-disabled': 'Project is disabled: 1f4c (HTTP 401)',
  'google-suspended': 'reason: CONSUMER_SUSPENDED',
  'openai-quota': 'insufficient_quota',
  'github-limit': 'API rate limit exceeded for installation ID 7',
  'docker-limit': 'toomanyrequests: You have reached your pull rate limit.',
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
        lines(by, 'ERROR', 'stock: FATAL: the database system is starting up', ONSET),
      )
      const [one, both] = [logs.slice(0, logs.length / 2), logs].map((some) =>
        find('FATAL: the database system is starting up', { edges, logs: some }),
      )
      expect(both?.cause.kind).toBe('infra')
      expect(both?.confidence).toBeGreaterThan(one?.confidence ?? 1)
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
      expect(confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_TIMED)
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

/** `web` asks `stock`, which asks `ledger`; `stock` is blamed. */
interface Told {
  readonly entities?: Snapshot['entities']
  readonly lines: readonly Line[]
  readonly flows?: readonly Flow[]
  readonly shifts?: Readonly<Record<string, readonly SeriesShift[]>>
  readonly symptoms?: readonly string[]
  readonly onset?: number | null
  readonly graph?: Scene['observed']['graph']
  readonly names?: Scene['names']
}
const quote = (text: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'stock', count: 9, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const told = ({
  lines: spoken,
  flows = [counted('stock', 90)],
  shifts = {},
  symptoms = [],
  ...more
}: Told) => {
  const byEntity = new Map(flows.map((flow) => [flow.entity, flow]))
  const failing = ['stock', 'ledger', 'web'].map((name) =>
    place(name, { flow: byEntity.get(name) ?? null, shifts: shifts[name] ?? [] }),
  )
  const { graph = graphOf({ web: ['stock'], stock: ['ledger'] }) } = more
  const heard = symptoms.map((text) => ({
    ...{ text, plain: text, entity: 'stock', weight: 1, at: null, count: 1 },
    ...{ origin: 'log' as const, source: 'logs' },
  }))
  const scene: Scene = {
    ...{
      snapshot: { ...EMPTY, entities: more.entities ?? [] },
      names: more.names ?? entityNames(EMPTY),
      symptoms: heard,
      lines: spoken,
    },
    observed: { ...BARE, failing, first: failing[0] as Scene['observed']['first'], flows: byEntity, graph },
    onset: more.onset === undefined ? at(ONSET) : more.onset,
  }
  return answeredCauses(scene)
}
/** What a documented answer is worth that explains nothing of what else is heard. */
const POSSIBLE = 0.204
const REFUSED = 'connect ECONNREFUSED 10.0.3.7:5432'
const EXPIRED = 'certificate has expired'

describe('a documented answer as a cause', () => {
  it('is worth six tenths of what it explains, and is cited with two quotations and the failing calls', () => {
    const lines_ = [quote(REFUSED), quote(`${REFUSED} again`), quote(`${REFUSED} and again`)]
    const [cause] = told({ lines: lines_ })
    expect(cause).toMatchObject({
      ...{ kind: 'infra', entity: 'stock', score: POSSIBLE, action: 'escalate' },
      ...{ what: 'an instance on which nothing listens', yields_to_changes: true },
    })
    expect(cause?.signs.slice(0, 2).map(({ strength, fact }) => [strength, fact.of])).toEqual([
      [0.3, 'text'],
      [0.3, 'text'],
    ])
    expect(cause?.signs[2]).toEqual({ strength: 0.3, fact: { of: 'calls', flow: counted('stock', 90) } })
    expect(cause).not.toHaveProperty('at_most')
    expect(told({ lines: lines_, symptoms: [REFUSED] })[0]?.score).toBe(0.6)
  })

  it('is possible where who is answered cannot tell the way from an end that is gone', () => {
    const unreached = (entity: string) => quote('connect EHOSTUNREACH 10.0.3.7:5432', { entity })
    const [cause] = told({ lines: [unreached('stock'), unreached('web')] })
    expect(cause).toMatchObject({ kind: 'network', at_most: CONFIDENCE_CAP_UNLINKED })
    // A client of ZooKeeper that lost its connection or its session cannot tell an ensemble that is gone from a way that is.
    const lost = (entity: string) =>
      quote('KeeperException$ConnectionLossException: KeeperErrorCode = ConnectionLoss', { entity })
    expect(told({ lines: [lost('stock'), lost('web')] })[0]).toMatchObject({
      ...{ kind: 'infra', at_most: CONFIDENCE_CAP_UNLINKED },
    })
  })

  it('is the one of its kind that explains most, of two alike the first of the table', () => {
    const [getaddrinfo, code] = ['getaddrinfo ENOTFOUND ledger', 'answered NXDOMAIN']
    const heard = (symptoms: readonly string[]) =>
      told({ lines: [quote(getaddrinfo), quote(code)], symptoms }).map((cause) => facts(cause)?.[0]?.[1])
    expect(heard([getaddrinfo])).toEqual([getaddrinfo])
    expect(heard([code])).toEqual([code])
    expect(heard([])).toEqual([getaddrinfo])
    expect(told({ lines: [quote(getaddrinfo), quote(REFUSED)] }).map(({ kind }) => kind)).toEqual([
      'dns',
      'infra',
    ])
  })

  it('is likelier where another answer of its kind is given of the same place, and not where one text holds both', () => {
    const [own, passed] = ['ERROR 1114 (HY000): The table is full', 'MISCONF Redis is configured to save']
    const score = (...texts: readonly string[]) => told({ lines: texts.map((text) => quote(text)) })[0]?.score
    expect(score(own)).toBe(POSSIBLE)
    expect(score(own, passed)).toBe(round6(1 - (1 - POSSIBLE) ** 2))
    expect(score(`${own}; ${passed}`)).toBe(POSSIBLE)
  })

  it('is quoted by who writes logs, never by an alert', () => {
    const page = quote(REFUSED, { origin: 'alert', count: 99 })
    expect(told({ lines: [page] })).toEqual([])
    expect(told({ lines: [page, quote(REFUSED)] })[0]?.signs).toHaveLength(2)
    expect(told({ lines: [quote(REFUSED)], onset: null })).toEqual([])
  })

  it('is of whom was called, or of who quotes it where what is local ran out there', () => {
    const flows = [counted('stock', 90), counted('web', 90)]
    const entity = (text: string, by: string | null) =>
      told({ lines: [quote(text, { entity: by })], flows })[0]?.entity
    expect(entity(REFUSED, 'web')).toBe('stock')
    expect(entity('Clock skew too great', 'web')).toBe('web')
    expect(entity('Clock skew too great', null)).toBeUndefined()
    expect(entity(REFUSED, 'mailer')).toBeUndefined()
  })

  it('is of who says so himself and is called by all others who say so, or by who fails first', () => {
    const full = 'reached maximum value of sequence "orders_id_seq"'
    const graph = graphOf({ web: ['stock', 'cart'], stock: ['ledger'], cart: ['ledger'] })
    const flows = [counted('stock', 90), counted('cart', 90), { ...counted('ledger', 180), own_failed: 0 }]
    const entity = (by: readonly string[], all: readonly Flow[] = flows) =>
      told({ lines: by.map((one) => quote(full, { entity: one })), flows: all, graph })[0]?.entity
    expect(entity(['stock', 'cart', 'ledger'])).toBe('ledger')
    expect(entity(['ledger'])).toBe('ledger')
    expect(entity(['stock', 'cart'])).toBe('stock')
    expect(entity(['stock', 'web', 'ledger'])).toBe('stock')
    expect(entity(['stock', 'ledger'], [counted('stock', 90), counted('ledger', 0.9)])).toBe('stock')
  })

  it('is of the one store that all of several who quote it call', () => {
    const entities = ['ledger-db', 'ledger'].map((name) => ({
      name,
      kind: name === 'ledger' ? ('service' as const) : ('datastore' as const),
      aliases: [],
    }))
    const graph = graphOf({ stock: ['ledger-db', 'ledger'], cart: ['ledger-db', 'ledger'], web: [] })
    const entity = (...by: readonly string[]) =>
      told({
        lines: by.map((one) => quote('ERROR 1114: The table is full', { entity: one })),
        flows: [counted('stock', 90), counted('ledger-db', 90)],
        graph,
        entities,
      })[0]?.entity
    expect(entity('stock', 'cart')).toBe('ledger-db')
    expect(entity('stock', 'web')).toBe('stock')
  })

  it('is of the store that all who quote it call, where more calls fail there than at one of them that the others call', () => {
    const entities = [{ name: 'ledger-db', kind: 'datastore' as const, aliases: [] }]
    const graph = graphOf({ stock: ['ledger-db'], web: ['stock', 'ledger-db'] })
    const entity = (store: number) =>
      told({
        lines: ['stock', 'web'].map((one) => quote('ERROR 1114: The table is full', { entity: one })),
        flows: [counted('stock', 90), counted('ledger-db', store)],
        ...{ graph, entities },
      })[0]?.entity
    expect(entity(91)).toBe('ledger-db')
    expect(entity(90)).toBe('stock')
  })

  it('is of the one other that all who quote it name in it, whoever else is blamed', () => {
    const names = entityNames({
      ...EMPTY,
      entities: ['stock', 'ledger', 'gate-2'].map((name) => ({ name, kind: 'service', aliases: [] })),
    })
    const of = (texts: readonly (readonly [by: string, text: string])[], flows = [counted('stock', 90)]) =>
      told({ lines: texts.map(([entity, text]) => quote(text, { entity })), names, flows })[0]
    const both = of([
      ['web', 'connect ECONNREFUSED gate-2:8080'],
      ['stock', 'connect ECONNREFUSED gate-2:8080'],
    ])
    // Nobody counts the calls to it, so that it is what fails is concluded.
    expect(both).toMatchObject({ entity: 'gate-2', at_most: CONFIDENCE_CAP_UNLINKED })
    expect(of([['web', 'connect ECONNREFUSED stock:80']])).not.toHaveProperty(
      'at_most',
      CONFIDENCE_CAP_UNLINKED,
    )
    expect(
      of([
        ['web', 'connect ECONNREFUSED gate-2:8080'],
        ['stock', 'connect ECONNREFUSED ledger:80'],
      ])?.entity,
    ).toBe('stock')
    expect(of([['web', 'connect ECONNREFUSED gate-2:8080, asked by ledger']])?.entity).toBe('stock')
    // Of a host and its domain it is the one that calls fail at, and so is what was measured.
    const host = 'x509: certificate is valid for parked.example.org, not ledger.gate-2'
    const two = [counted('stock', 8), counted('ledger', 90)]
    expect(of([['web', host]], two)).toMatchObject({ kind: 'certificate', entity: 'ledger', score: 0.6 })
    expect(of([['web', host]], two)?.signs.at(-1)?.fact).toEqual({ of: 'calls', flow: counted('ledger', 90) })
    expect(of([['web', host]])?.entity).toBe('stock')
    const counting = [counted('stock', 90), counted('ledger', 5)]
    expect(of([['stock', 'connect ECONNREFUSED ledger:80']], counting)).not.toHaveProperty(
      'at_most',
      CONFIDENCE_CAP_UNLINKED,
    )
  })

  it("is of the part beside the calls that all who quote it name, also where it is of one's own system: a folder of a file server", () => {
    const names = entityNames({
      ...EMPTY,
      entities: ['stock', 'files-1'].map((name) => ({ name, kind: 'service', aliases: [] })),
    })
    const of = (text: string, flows = [counted('stock', 90)]) =>
      told({
        ...{ names, flows, graph: graphOf({ web: ['stock'], stock: ['files-1'] }) },
        lines: ['web', 'stock'].map((entity) => quote(text, { entity })),
      })[0]?.entity
    expect(of('stat(/mnt/a/b): Input/output error')).toBe('web')
    expect(of('stat(/mnt/files-1/b): Input/output error')).toBe('files-1')
    expect(
      of('stat(/mnt/files-1/b): Input/output error', [counted('stock', 90), counted('files-1', 9)]),
    ).toBe('web')
  })

  it('is whole where only time uses it up, so that no change of the hour is asked for', () => {
    const whole = (text: string) => told({ lines: [quote(text)] })[0]?.is_whole
    expect(whole('reached maximum value of sequence "orders_id_seq"')).toBe(true)
    expect(whole('database must be vacuumed within 177009986 transactions')).toBe(true)
    expect(whole('No space left on device')).toBeUndefined()
  })

  it('needs one call beyond normal that failed where it was met, or where that calls', () => {
    const by = (...flows: readonly Flow[]) => told({ lines: [quote(REFUSED)], flows }).length
    expect(by(counted('stock', 1))).toBe(1)
    expect(by(counted('stock', 0.9))).toBe(0)
    expect(by(counted('ledger', 1))).toBe(1)
    expect(by(counted('web', 90))).toBe(0)
    expect(by({ ...counted('stock', 0), met_alone: 1 })).toBe(1)
  })

  it('is all of it where a credential ended, or a name leads elsewhere, and half of what fails arises there', () => {
    const score = (stock: number, ledger: number, text = EXPIRED) =>
      told({ lines: [quote(text)], flows: [counted('stock', stock), counted('ledger', ledger)] })[0]?.score
    expect(score(90, 0)).toBe(0.6)
    expect(score(45, 90)).toBe(0.6)
    expect(score(44, 90)).toBe(POSSIBLE)
    expect(score(90, 0, REFUSED)).toBe(POSSIBLE)
    expect(score(45, 90, QUOTED['tls-stranger'])).toBe(0.6)
    expect(score(44, 90, QUOTED['tls-stranger'])).toBe(POSSIBLE)
  })
})

describe('a documented answer where no tool counts calls', () => {
  const shift = (name = 'http_5xx_ratio', more: Partial<SeriesShift> = {}) => risen('stock', name, more)
  const one = (shifts: Told['shifts'], lines_ = [quote(REFUSED)]) =>
    told({ lines: lines_, flows: [], shifts: shifts ?? {} })
  const since = (when: number) => ({ onset: { ...SINCE, at: when } })

  it('is possible by the errors of who fails or quotes it, and likelier by a second one', () => {
    const own = shift()
    const [cause] = one({ stock: [own] })
    expect(cause?.at_most).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(cause?.signs.at(-1)).toEqual({ strength: 0.3, fact: { of: 'shift', shift: own } })
    const [two] = one({ stock: [own] }, [quote(REFUSED), quote(`stock: ${REFUSED}`, { entity: 'web' })])
    expect(two).not.toHaveProperty('at_most')
    // Who quotes it may be another one than fails.
    const byWeb = [quote(REFUSED, { entity: 'web' })]
    expect(one({ web: [shift()] }, byWeb)).toHaveLength(1)
    expect(one({ stock: [shift()] }, byWeb)).toHaveLength(1)
    expect(one({ ledger: [shift()] }, byWeb)).toEqual([])
    // An alleged certificate cannot be all of it where nothing was counted.
    expect(one({ stock: [own] }, [quote(EXPIRED)])[0]?.score).toBe(POSSIBLE)
  })

  it('is told by errors or lost availability that got worse within five minutes of the onset', () => {
    const onset = at(ONSET)
    const by = (moved: SeriesShift) => one({ stock: [moved] }).length
    expect(by(shift('availability_ratio'))).toBe(1)
    expect(by(shift('cpu_utilization'))).toBe(0)
    expect(by(shift('http_5xx_ratio', { is_bad: false }))).toBe(0)
    for (const when of [onset - NEAR_MS, onset + NEAR_MS])
      expect(by(shift('http_5xx_ratio', since(when)))).toBe(1)
    for (const when of [onset - NEAR_MS - 1, onset + NEAR_MS + 1])
      expect(by(shift('http_5xx_ratio', since(when)))).toBe(0)
  })
})
