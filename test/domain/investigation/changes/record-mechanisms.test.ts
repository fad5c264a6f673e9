import { describe, expect, it } from 'vitest'
import { mechanismOfRecord } from '#shared/domain/investigation/changes/fitting-mechanism.ts'
import { MECHANISMS } from '#shared/domain/investigation/changes/mechanisms.ts'
import { LESS, RECORD_MECHANISMS, TAKEN_OFF } from '#shared/domain/investigation/changes/record-mechanisms.ts'
import { RECORD_PAGES } from '#shared/domain/investigation/changes/row-pages.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

/** What a record may be titled, what is then observed, and a title that sounds alike. */
const EXAMPLES: Readonly<Record<string, readonly [title: string, symptom: string, other: string]>> = {
  'record-secret': [
    'PutSecretValue live/reader',
    'WRONGPASS invalid username-password pair',
    'Secretary of the day',
  ],
  'record-permission': [
    'Role report-reader: policy detached',
    'AccessDenied: not authorized',
    'Policing the queue',
  ],
  'record-network-rule': [
    'Security group sg-1: rule revoked',
    'connect ETIMEDOUT 10.0.0.9:6379',
    'Groups of users',
  ],
  'record-name': ['Record set mail.internal changed', 'getaddrinfo ENOTFOUND mail.internal', 'Zonal report'],
  'record-certificate': [
    'CA bundle of the mesh replaced',
    'x509: unknown authority',
    'Certification of staff',
  ],
  'record-parameter': [
    'max_connections 400 to 90',
    'FATAL: sorry, too many clients already',
    'Parametric tests',
  ],
  'record-size': ['Instance class large to small', 'ReadThrottleEvents', 'Instances of a word'],
  'record-quota': ['Usage plan of partners', '429 Too Many Requests', 'Quoted prices'],
  'record-balancing': ['Health check path of the target group', 'no healthy upstream', 'Balance of the day'],
  'record-queue': ['Visibility timeout of jobs 300 to 3', 'message redelivered 14 times', 'Topical news'],
  'record-cache': ['FLUSHALL by an operator', 'cache hit ratio', 'Cached in hand'],
  'record-removal': ['artifacts: clean-up of old tags', 'NoSuchKey', 'Removers hired'],
  'record-engine': [
    'Engine upgraded 15 to 16',
    'terminating connection due to administrator command',
    'Engineers met',
  ],
  'record-platform': [
    'EKS cluster upgraded to 1.27',
    'no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',
    'Clustered columns',
  ],
  'record-system': ['Hosts on Ubuntu 24.04', 'read: connection lost', 'A miner at work'],
}

interface Spellings {
  readonly titles: readonly string[]
  readonly symptoms: readonly string[]
  /** What many other things look like as well. */
  readonly general?: readonly string[]
}
const NO_TIME = ['timeout', 'time-out', 'time out', 'timed out', 'timed-out']
const STARVED: Omit<Spellings, 'titles'> = {
  symptoms: [
    ...[
      'write throttled',
      'OOM',
      'throughput exceeded',
      'ThroughputExceeded',
      'iops',
      'queue_depth',
      'queue depth',
    ],
    ...[
      'queuedepth',
      'unschedulable',
      'cpu',
      'cpu_usage',
      'host_cpu',
      'connections_active',
      'connection_in_use',
    ],
  ],
  general: ['latency', 'queue', ...NO_TIME],
}
/** What the same is called by different tools and people: one and several, in one word, two, and with a dash. */
const SPELLINGS: Readonly<Record<string, Spellings>> = {
  'record-secret': {
    titles: [
      ...[
        'secret a',
        'Secrets of a',
        'password of a',
        'passwords',
        'credential a',
        'credentials',
        'token a',
        'tokens',
      ],
      ...['api key', 'API-Keys', 'apikey', 'access key', 'signing-keys', 'rotate it', 'rotated', 'rotation'],
    ],
    symptoms: [
      ...['invalid credential', 'invalid credentials', 'wrongpass', 'wrong pass', 'NOAUTH', 'unauthorised'],
      ...['unauthorized', '401', 'signature does not match', 'signature mismatch'],
    ],
  },
  'record-permission': {
    titles: [
      ...[
        'IAM',
        'role a',
        'roles',
        'policy a',
        'policies',
        'permission a',
        'permissions',
        'grant a',
        'grants',
      ],
      ...['acl a', 'acls', 'access control'],
    ],
    symptoms: [
      'access denied',
      'AccessDenied',
      'not authorised',
      'not authorized',
      '403',
      'insufficient scope',
    ],
  },
  'record-network-rule': {
    titles: [
      ...[
        'security group a',
        'security-groups',
        'securitygroup',
        'firewall a',
        'firewalls',
        'network policy',
      ],
      ...['network-policies', 'networkpolicy', 'network acl', 'network acls', 'route table', 'route-tables'],
      ...['routetable', 'route a', 'routes', 'peering a', 'peerings', 'subnet a', 'subnets', 'ingress rule'],
      ...['ingress rules', 'NAT', 'waf', 'vpn', 'egress'],
    ],
    symptoms: [
      ...NO_TIME.flatMap((words) => [`connection to a ${words}`, `connect ${words}`]),
      ...['i/o timeout', 'no route to a', 'unreachable', 'connection refused', 'could not connect'],
    ],
    general: [...NO_TIME, 'deadline', 'connect'],
  },
  'record-name': {
    titles: [
      ...[
        'DNS',
        'zone a',
        'zones',
        'record set',
        'record sets',
        'recordset',
        'cname',
        'a record',
        'a records',
      ],
      ...['name server', 'nameservers', 'name servers', 'resolver a', 'resolvers', 'coredns'],
    ],
    symptoms: [
      ...[
        "couldn't resolve",
        'couldn’t resolve',
        'could n’t resolve',
        'no such host',
        'EAI_AGAIN',
        'NXDOMAIN',
      ],
      ...['name or service not known', 'name resolution failed', 'unknown host'],
    ],
    general: [
      ...NO_TIME,
      'connection refused',
      'certificate not valid for a',
      'certificate is not valid for a',
    ],
  },
  'record-certificate': {
    titles: [
      ...[
        'certificate a',
        'certificates',
        'cert a',
        'certs',
        'ca bundle',
        'ca-bundles',
        'trust store',
        'truststore',
      ],
      ...['trust stores', 'key store', 'keystore', 'keystores', 'tls', 'ssl', 'mTLS'],
    ],
    symptoms: ['x509', 'handshake', 'unknown ca', 'unknown authority', 'tls', 'ssl', 'PKIX', 'self-signed'],
  },
  'record-parameter': {
    titles: [
      ...['parameter group', 'parameter-groups', 'parametergroup', 'parameter a', 'parameters', 'work_mem'],
      ...['innodb_buffer_pool_size', 'max_memory', 'maxmemory', 'eviction policy', 'eviction-policy'],
      ...['evictionpolicy', 'statement_timeout', 'shared_buffers', 'max_connections'],
    ],
    symptoms: [
      ...[
        'too many connections',
        'out of memory',
        'out of shared memory',
        'slow query',
        'slow_queries',
        'slow log',
      ],
      ...['connection_active', 'connections_used', 'lock wait', 'oom', 'evicted'],
    ],
    general: ['memory', 'query', 'latency', 'cpu'],
  },
  'record-size': {
    titles: [
      ...[
        'right-size it',
        'rightsizing',
        'instance class',
        'instance type',
        'resized',
        'resizing',
        'down-size it',
      ],
      ...[
        'downsizing',
        'scale down',
        'scaled in',
        'scaling in',
        'storage class',
        'iops',
        'shard a',
        'shards',
      ],
      ...['max replicas', 'provisioned', 'capacity', 'throughput'],
    ],
    ...STARVED,
  },
  'record-quota': {
    titles: [
      ...[
        'quota a',
        'quotas',
        'rate limit',
        'rate-limits',
        'ratelimit',
        'usage plan',
        'usage plans',
        'throttling',
      ],
      ...['throttled', 'concurrency', 'burst'],
    ],
    symptoms: [
      ...['429', 'rate limit', 'ratelimit', 'rate exceeded', 'resource_exhausted', 'resourceexhausted'],
      ...['concurrent limit', 'concurrency limit'],
    ],
  },
  'record-balancing': {
    titles: [
      ...['load balancer', 'load-balancing', 'loadbalancers', 'target group', 'target-groups', 'targetgroup'],
      ...['listener a', 'listeners', 'health check', 'health-checks', 'healthcheck', 'virtual service'],
      ...[
        'virtualservices',
        'distribution a',
        'distributions',
        'gateway a',
        'gateways',
        'backend a',
        'backends',
      ],
    ],
    symptoms: [
      'no healthy upstream',
      'no live upstreams',
      'no available endpoints',
      'unhealthy',
      'bad gateway',
    ],
    general: ['502', '503', '504', '404', 'upstream'],
  },
  'record-queue': {
    titles: [
      ...['queue a', 'queues', 'topic a', 'topics', 'subscription a', 'subscriptions', 'consumer group'],
      ...[
        'consumer-groups',
        'consumergroup',
        'visibility',
        'dead letter',
        'dead-letter',
        'deadletter',
        'redrive',
      ],
      ...['partition a', 'partitions', 'retention'],
    ],
    symptoms: [
      ...[
        'lag',
        'oldest message',
        'oldest_message',
        'unknown topic',
        'unknown_topic',
        'dead letter',
        'dead-letter',
      ],
      ...['deadletter', 'receive count'],
    ],
    general: ['consumer', 'queue', 'messages'],
  },
  'record-cache': {
    titles: [
      ...[
        'flush',
        'flushall',
        'flushed',
        'purge',
        'purged',
        'invalidate',
        'invalidation',
        'cache',
        'caches',
        'TTL',
      ],
    ],
    symptoms: ['hit ratio', 'hit_rate', 'misses', 'miss count', 'misses_count', 'hit', 'stampede'],
    general: ['database', 'load'],
  },
  'record-removal': {
    titles: [
      ...[
        'garbage collection',
        'garbage-collected',
        'GC',
        'pruned',
        'prune',
        'cleanup',
        'clean up',
        'cleaned up',
      ],
      ...['expiry', 'expired', 'expiration', 'deleted', 'Delete Objects', 'removal', 'orphaned', 'sweep'],
    ],
    symptoms: [
      ...['manifest unknown', 'BLOB_UNKNOWN', 'object not found', 'files are missing', 'image is gone'],
      ...['no such file', 'NoSuchVersion', 'unknown layer', 'store_not_found_per_second'],
    ],
    general: ['not found', 'missing', 'does not exist', '404', '410'],
  },
  'record-engine': {
    titles: [
      ...['engine', 'upgrade', 'upgraded', 'patch', 'patched', 'patching', 'reboot', 'rebooted', 'restart'],
      ...['restarted', 'failover', 'maintenance'],
    ],
    symptoms: [
      'read-only transaction',
      'readonly replica',
      'connection reset',
      'connection closed',
      'unknown command',
    ],
    general: ['connect', 'refused'],
  },
  'record-platform': {
    titles: [
      ...['Kubernetes 1.24 to 1.27', 'k8s upgrade', 'EKS version 1.27', 'GKE upgraded', 'AKS: v1.29'],
      ...['OpenShift version 4.14', 'Update Cluster Version', 'control plane upgraded', 'Platform upgrade'],
      ...['Upgraded all clusters', 'Upgrade of the control plane'],
    ],
    symptoms: [
      'the server could not find the requested resource',
      'unable to recognize "job.yaml"',
      'no kind "CronJob" is registered for version "batch/v1beta1"',
      'ensure CRDs are installed first',
    ],
    general: ['Readiness probe failed', 'no healthy upstream', 'back-off', 'unschedulable', 'evicted'],
  },
  'record-system': {
    titles: [
      ...[
        'Debian',
        'RHEL',
        'Red Hat',
        'CentOS',
        'AlmaLinux',
        'Rocky Linux',
        'Amazon Linux',
        'AL2023',
        'SUSE',
      ],
      ...['SLES', 'Windows Server', 'Bottlerocket', 'Flatcar', 'kernel', 'operating system', 'OS image'],
      ...['OS patching', 'OS upgrade', 'dist-upgrade', 'AMI', 'base image', 'node images', 'golden-image'],
    ],
    symptoms: [
      ...['connection reset', 'ConnectionResetError', 'connection aborted', 'StreamLostError', 'handshake'],
      ...['SSL error', 'GLIBC_2.38', 'shared object', 'symbol not found', 'exec format error', 'cgroup v2'],
      ...['SELinux', 'unit stock.service failed', 'illegal instruction'],
    ],
    general: ['connect', 'refused', 'permission denied', 'no such file', 'latency', ...NO_TIME],
  },
}

const symptom = (plain: string): Symptom => ({ plain, weight: 1 }) as Symptom

describe('what an infrastructure’s own record can break', () => {
  it('has an example for each row, and each row its vendor’s page', () => {
    expect(Object.keys(EXAMPLES)).toEqual(RECORD_MECHANISMS.map(({ id }) => id))
    expect(Object.keys(RECORD_PAGES)).toEqual(RECORD_MECHANISMS.map(({ id }) => id))
    for (const page of Object.values(RECORD_PAGES))
      expect(page).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/.+\.html$/)
  })

  it.each(RECORD_MECHANISMS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const [title, observed, other] = EXAMPLES[id] as (typeof EXAMPLES)[string]
    expect(row.symptom.test(observed)).toBe(true)
    expect(mechanismOfRecord(title, [symptom(observed)])).toMatchObject({ mechanism: { id }, score: 0.7 })
    expect(mechanismOfRecord(other, [symptom(observed)])).toBeNull()
  })

  it('counts where its title and the symptoms fit, and not for either alone', () => {
    const [title, observed] = EXAMPLES['record-network-rule'] as (typeof EXAMPLES)[string]
    expect(mechanismOfRecord(title, [symptom(observed)])).toMatchObject({
      mechanism: { id: 'record-network-rule' },
      score: 0.7,
    })
    expect(mechanismOfRecord(title, [symptom('null pointer')])).toBeNull()
    expect(mechanismOfRecord('A name for it', [symptom(observed)])).toBeNull()
  })

  it('takes a 404 of who says what he does not know for less than one that says nothing', () => {
    const off = (plain: string): boolean => TAKEN_OFF.symptom.test(plain)
    expect([off('GET /v2/page 404'), off('code="image unknown" status=404')]).toEqual([true, false])
    expect(TAKEN_OFF.general?.test('code="image unknown" status=404')).toBe(true)
    const address = MECHANISMS.find(({ id }) => id === 'address')
    expect(address?.symptom.test('POST /orders 404')).toBe(true)
    expect(address?.symptom.test('unknown entry, status 404')).toBe(false)
    expect(address?.general?.test('unknown entry, status 404')).toBe(true)
  })

  it.each([
    'replaced by its spare',
    'swapped for another',
    'replacement of a board',
    'failed over',
    'spare in use',
  ])('loses what was connected where something is %s', (title) => {
    for (const observed of ['no answer of shelf', 'no reply from shelf', 'tcp_retransmits_per_second'])
      expect(mechanismOfRecord(title, [symptom(observed)])).toMatchObject({
        ...{ mechanism: { id: 'record-engine' }, score: 0.7 },
      })
    expect(mechanismOfRecord(title, [symptom('no answer')])).toBeNull()
  })

  it('is told by values that say that there is less, whatever the title is, and surer than by a title', () => {
    const busy = [symptom('cpu credit balance')]
    const of = (before: string, after: string) => mechanismOfRecord('A review', busy, { before, after })
    expect(of('db.r6g.2xlarge', 'db.r6g.large')).toMatchObject({
      mechanism: { id: 'record-less', kind: 'infra' },
      score: 0.9,
    })
    expect(of('db.r6g.large', 'db.r6g.2xlarge')).toBeNull()
    expect(mechanismOfRecord('Right-size the store', busy, { before: 'm5.large' })).toMatchObject({
      mechanism: { id: 'record-size' },
      score: 0.7,
    })
    expect(mechanismOfRecord('A review', [symptom('null pointer')], { before: '8', after: '4' })).toBeNull()
  })

  it('has spellings for each row', () => {
    expect(Object.keys(SPELLINGS)).toEqual(RECORD_MECHANISMS.map(({ id }) => id))
  })

  it.each(RECORD_MECHANISMS.map((row) => [row.id, row] as const))(
    '%s is known in every spelling',
    (id, row) => {
      const { titles, symptoms, general = [] } = SPELLINGS[id] as Spellings
      expect(titles.filter((title) => !row.in_title.test(title))).toEqual([])
      expect(symptoms.filter((text) => !row.symptom.test(text))).toEqual([])
      expect(general.filter((text) => row.general?.test(text) !== true)).toEqual([])
      expect(row.kind).toMatch(/^(?:config|infra|dns|certificate)$/)
      expect(row.does).toMatch(/^[a-z].{10,}[^.]$/)
    },
  )

  it('knows what has less than it needs by the same words, whether title or values say so', () => {
    expect(STARVED.symptoms.filter((text) => !LESS.symptom.test(text))).toEqual([])
    expect(STARVED.general?.filter((text) => LESS.general?.test(text) !== true)).toEqual([])
  })
})

describe('a flag that is taken off', () => {
  it('is a flag’s doing, told in words as the values that say that there is less are', () => {
    expect(TAKEN_OFF).toMatchObject({ id: 'flag-taken-off', kind: 'flag' })
    for (const { does } of [TAKEN_OFF, LESS]) expect(does).toMatch(/^[a-z].{10,}[^.]$/)
  })

  it.each([
    ...[
      "doesn't exist",
      'doesn’t exist',
      'does n’t exist',
      'does not exist',
      'no such table',
      'unknown column',
    ],
    ...['invalid object name', '404', '410', 'no longer served', 'deprecated', 'flag banner: default'],
    ...[
      'flags of the cart served their default',
      'feature x is at its default',
      'features served by default',
    ],
    ...['default value', 'default variant', 'fallback', 'fall back', 'falling back'],
  ])('leads back to a way whose end is seen: %j', (text) => {
    expect(TAKEN_OFF.symptom.test(text)).toBe(true)
  })

  it.each(['not found', 'cannot GET /cart', 'missing', 'unsupported'])(
    'may be seen in general words: %j',
    (text) => {
      expect(TAKEN_OFF.general?.test(text)).toBe(true)
    },
  )

  it.each(['the default', '4040 rows', 'a flag', 'cannot GET cart'])('is not told by %j', (text) => {
    expect(TAKEN_OFF.symptom.test(text) || TAKEN_OFF.general?.test(text)).toBe(false)
  })
})
