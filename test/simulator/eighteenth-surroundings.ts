/**
 * What is measured, complained of and changed in every system of the eighteenth generation, whatever happens to it: all that
 * the seventeenth has, and what shows one of the eighteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { amongSeventeenthSurroundings } from './seventeenth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'

/** What keeps what services ask their stores for, by its servers; items of each, and what each finds and does not, a second. */
export const CONTENT_CACHE = 'content-cache'
export const FIRST_SERVERS = ['content-cache-1', 'content-cache-2', 'content-cache-3'] as const
export const LATER_SERVERS = ['content-cache-4', 'content-cache-5'] as const
const OTHER_SERVER = 'menu-cache-2'
export const ITEMS = 1_240_000
export const FOUND = 340
export const NOT_FOUND = 11
export const HIT = { command: 'get', status: 'hit' } as const
export const MISS = { command: 'get', status: 'miss' } as const

/** Messages a second that go to clients that hold a connection, and that are asked for; messages that wait for the former. */
export const DELIVERED = 21
export const ASKED_FOR = 34
export const TO_DELIVER = 6
export const deliveriesOf = (service: string): Readonly<Record<string, string>> => ({
  ...{ queue: `${service}-deliver-sm`, vhost: '/' },
})

/** Requests a second for what is paid for that are refused, and lookups of what is paid for that find nothing. */
export const FORBIDDEN = 0.08
export const PREMIUM = { status: '403', uri: '/v1/premium' } as const
export const NO_SUBSCRIPTION = { result: 'none' } as const

/** What stands between services, and what stands before the pages of the offices; answers a second with 502. */
export const INNER_PROXY = 'inner-proxy'
const OFFICE_PROXY = 'office-proxy'
export const BAD_GATEWAYS = 0.03
export const badGatewaysOf = (service: string): Readonly<Record<string, string>> => ({
  ...{ exported_service: service, status: '502' },
})

/** Exceptions a second that a service does not expect. */
export const UNEXPECTED = 0.02
export const NO_REFERENCE = { error_type: 'System.NullReferenceException' } as const

/** What puts messages to very many people into stores; jobs that wait there and are tried again, and how long they wait. */
export const SENDER = 'campaign-sender'
const OTHER_SENDER = 'digest-sender'
export const TO_SEND = 40
export const TRIED_AGAIN = 3
export const WAIT_S = 2
export const MESSAGES = { name: 'messages' } as const
/** Units that a store has, which follow what is asked of it. */
export const STORE_UNITS = 8

/** What keeps voices near the machines that use them; blocks a second that it has and has not, and seconds that a read takes. */
export const VOICE_CACHE = 'voice-cache'
const OTHER_CACHE = 'export-cache'
export const BLOCKS_KEPT = 2_400
export const BLOCKS_FETCHED = 30
export const READ_S = 0.0021
export const READS = { method: 'read' } as const

/** Machines that send what services give them, one service to each; memory that each has left, and a run of what sets it up. */
export const SENDING_MACHINE = 'smtp-out-1'
const OTHER_MACHINE = 'smtp-out-2'
export const MEMORY_LEFT = 610_000_000
export const RUN_S = 24

/** What works through all accounts in the background; rows a second that statements read without an index. */
export const RENEWALS = 'renewals-worker'
export const READ_THROUGH = 900
export const ALLOCATIONS = { relname: 'allocations', schemaname: 'public' } as const
/** Seconds a second that one statement runs. */
export const STATEMENT_S = 0.06
export const STATEMENT = { queryid: '6180724430711937512' } as const

/** Pods that what scales a service wants, and that are there. */
export const scalerOf = (service: string): Readonly<Record<string, string>> => ({
  horizontalpodautoscaler: service,
})
const NIGHTLY = 'nightly-render'

/** Servers of a cache. */
export function cacheServers(
  cache: string,
  [before, after]: readonly [before: number, after: number],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `caches/${cache}/servers.tf`
  return {
    ...{ kind: 'infra', after_s: 0, applied_after_s: chance.whole(30, 140), files: [path] },
    title,
    diff: edited(path, 8, [
      ['module "servers" {', '  source = "../../modules/memcached"'],
      [`  servers = ${before}`],
      [`  servers = ${after}`],
      ['}'],
    ]),
    ...(chance.is(0.6) ? { entity: cache } : {}),
  }
}

/** To whom messages are given. */
export function bindCheck(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/smpp/deliver.go`
  return release(service, title, {
    [path]: edited(path, 71, [
      ['func (d *Deliverer) sessionFor(account Account) *Session {'],
      gone,
      come,
      ['\treturn nil', '}'],
    ]),
  })
}

/** Who has paid for what. */
export function paidFor(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/premium/entitlements.ts`
  return release(service, title, {
    [path]: edited(path, 33, [
      ['export function isEntitled(receipt: Receipt, now: Date): boolean {'],
      gone,
      come,
      ['}'],
    ]),
  })
}

/** How a proxy holds answers. */
export function proxyBuffers(
  proxy: string,
  [before, after]: readonly [before: string, after: string],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `proxies/${proxy}/nginx.conf`
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(20, 120), files: [path] },
    title,
    diff: edited(path, 27, [
      ['    proxy_http_version 1.1;', '    proxy_buffering on;'],
      [`    proxy_buffer_size ${before};`, `    proxy_buffers 8 ${before};`],
      [`    proxy_buffer_size ${after};`, `    proxy_buffers 8 ${after};`],
      ['    proxy_read_timeout 60s;'],
    ]),
    ...(chance.is(0.6) ? { entity: proxy } : {}),
  }
}

/** What a service answers with. */
export function recognized(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/Recognition/ResultWriter.cs`
  return release(service, title, {
    [path]: edited(path, 52, [
      ['    public RecognitionResult Write(Utterance utterance, Match? match)', '    {'],
      gone,
      come,
      ['    }'],
    ]),
  })
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0)
    return cacheServers(
      'menu-cache',
      [1, 2],
      chance.pick(['A second server for menus', 'Room for menus']),
      chance,
    )
  if (shape === 1)
    return bindCheck(
      chance.pick(services),
      ['\tif d.sessions == nil {', '\t\treturn nil', '\t}'],
      ['\tif len(d.sessions) == 0 {', '\t\treturn nil', '\t}'],
      chance.pick(['No sessions, no search', 'Return early without sessions']),
    )
  if (shape === 2)
    return paidFor(
      chance.pick(services),
      ['  return receipt.paidUntil.getTime() > now.getTime()'],
      ['  return receipt.paidUntil > now'],
      chance.pick(['Dates are compared as they are', 'Shorter comparisons of dates']),
    )
  if (shape === 3)
    return proxyBuffers(
      OFFICE_PROXY,
      ['8k', '16k'],
      chance.pick(['Room for long pages of the intranet', 'Buffers of the intranet']),
      chance,
    )
  return recognized(
    chance.pick(services),
    ['        var result = new RecognitionResult(utterance.Text);'],
    ['        var result = new RecognitionResult(utterance.Text.Trim());'],
    chance.pick(['No blanks around what was heard', 'Trim what was heard']),
  )
}

function eighteenthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const added_s = chance.whole(-4_000, 300)
  return [
    ...[...FIRST_SERVERS, ...LATER_SERVERS, OTHER_SERVER].flatMap((name) => {
      const items = ITEMS * chance.between(0.8, 1.1)
      const isThere = (since_s: number): boolean => name !== OTHER_SERVER || since_s >= added_s
      const there = (level: (since_s: number) => number) => (since_s: number) =>
        isThere(since_s) ? level(since_s) : Number.NaN
      const filled = name === OTHER_SERVER ? 900 : 1
      return [
        ...gauge(
          name,
          'memcached_current_items',
          '1',
          there((since_s) =>
            name === OTHER_SERVER ? Math.min(1, (since_s - added_s) / filled) * items : items,
          ),
        ),
        ...gauge(
          name,
          'memcached_commands_total:rate1m',
          '/s',
          there(once(FOUND, FOUND * chance.between(0.8, 1.3))),
          HIT,
        ),
        ...gauge(
          name,
          'memcached_commands_total:rate1m',
          '/s',
          there(once(NOT_FOUND, chance.between(18, name === OTHER_SERVER ? 120 : 40))),
          MISS,
        ),
      ]
    }),
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'smpps_deliver_sm_count:rate1m', '/s', once(DELIVERED, chance.between(14, 31))),
      ...gauge(name, 'httpapi_success_count:rate1m', '/s', once(ASKED_FOR, chance.between(24, 48))),
      ...gauge(
        'mo-queues',
        'rabbitmq_queue_messages_ready',
        '1',
        once(TO_DELIVER, chance.whole(30, 260)),
        deliveriesOf(name),
      ),
      ...gauge(
        name,
        'http_server_requests_seconds_count:rate1m',
        '/s',
        once(FORBIDDEN, chance.between(0.3, 1.6)),
        PREMIUM,
      ),
      ...gauge(
        name,
        'entitlement_lookups_total:rate1m',
        '/s',
        once(FORBIDDEN, chance.between(0.3, 2.1)),
        NO_SUBSCRIPTION,
      ),
      ...gauge(
        INNER_PROXY,
        'nginx_ingress_controller_requests:rate1m',
        '/s',
        once(BAD_GATEWAYS, chance.between(0.2, 0.9)),
        badGatewaysOf(name),
      ),
      ...gauge(
        name,
        'dotnet_exceptions_total:rate1m',
        '/s',
        once(UNEXPECTED, chance.between(0.1, 0.6)),
        NO_REFERENCE,
      ),
      ...gauge(name, 'kube_horizontalpodautoscaler_status_desired_replicas', '1', () => pods, scalerOf(name)),
      ...gauge(name, 'kube_deployment_status_replicas_available', '1', () => pods, { deployment: name }),
    ]),
    ...gauge(
      OFFICE_PROXY,
      'nginx_ingress_controller_requests:rate1m',
      '/s',
      once(BAD_GATEWAYS, chance.between(1, 6)),
      badGatewaysOf('intranet'),
    ),
    ...gauge(
      NIGHTLY,
      'kube_horizontalpodautoscaler_status_desired_replicas',
      '1',
      once(2, chance.whole(5, 12)),
      scalerOf(NIGHTLY),
    ),
    ...gauge(NIGHTLY, 'kube_deployment_status_replicas_available', '1', once(2, chance.whole(4, 9)), {
      deployment: NIGHTLY,
    }),
    ...[SENDER, OTHER_SENDER].flatMap((name) => [
      ...gauge(
        name,
        'sidekiq_queue_enqueued_jobs',
        '1',
        once(TO_SEND, chance.whole(90, name === SENDER ? 700 : 14_000)),
        MESSAGES,
      ),
      ...gauge(
        name,
        'sidekiq_queue_latency_seconds',
        's',
        once(WAIT_S, chance.whole(5, name === SENDER ? 25 : 300)),
        MESSAGES,
      ),
      ...gauge(name, 'sidekiq_retry_jobs', '1', once(TRIED_AGAIN, chance.whole(8, 60))),
    ]),
    ...[VOICE_CACHE, OTHER_CACHE].flatMap((name) => [
      ...gauge(
        name,
        'juicefs_blockcache_hits:rate1m',
        '/s',
        once(BLOCKS_KEPT, BLOCKS_KEPT * chance.between(0.7, 1.4)),
      ),
      ...gauge(
        name,
        'juicefs_blockcache_miss:rate1m',
        '/s',
        once(BLOCKS_FETCHED, chance.whole(50, name === VOICE_CACHE ? 190 : 900)),
      ),
      ...gauge(
        name,
        'juicefs_fuse_ops_durations_histogram_seconds:p95',
        's',
        once(READ_S, chance.between(0.004, name === VOICE_CACHE ? 0.02 : 0.4)),
        READS,
      ),
    ]),
    ...[SENDING_MACHINE, OTHER_MACHINE].flatMap((node) => [
      ...gauge(node, 'node_uptime_seconds', 's', (since_s) => RUNNING_S + since_s, { node }),
      ...gauge(
        node,
        'node_memory_MemAvailable_bytes',
        'By',
        once(MEMORY_LEFT, MEMORY_LEFT * chance.between(0.12, 0.6)),
      ),
      ...gauge(node, 'puppet_last_run_duration_seconds', 's', once(RUN_S, chance.whole(40, 180))),
    ]),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'aws_rds_serverless_database_capacity_average',
          '1',
          once(STORE_UNITS, isReports ? STORE_UNITS * 4 : STORE_UNITS + 2),
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_seq_tup_read:rate1m',
          '/s',
          once(READ_THROUGH, READ_THROUGH * chance.between(2, isReports ? 900 : 9)),
          ALLOCATIONS,
        ),
        ...gauge(
          name,
          'pg_stat_statements_seconds_total:rate1m',
          '1',
          once(STATEMENT_S, chance.between(0.1, isReports ? 3.5 : 0.5)),
          STATEMENT,
        ),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the eighteenth generation. */
function eighteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'Memcached: SERVER HAS FAILED AND IS DISABLED UNTIL TIMED RETRY (menu-cache-1), asking the next',
    'enquire_link of system_id 20771 answered after 3 s',
    'receipt of customer 90211 has no renewal date, read as not paid',
    'upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/4/18 while reading upstream',
    'System.NullReferenceException: Object reference not set to an instance of an object. at Labels.OfLocale(Locale locale)',
    'voice 4410 read from the origin, not kept here',
    "com.sun.mail.util.MailConnectException: Couldn't connect to host, port: smtp-out-2, 25; timeout 5000",
    'taking no more pages for a moment: 9 in work',
  ]
  return [
    {
      ...{ part: OTHER_MACHINE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: `puppet-agent: Applied catalog in ${chance.whole(18, 60)}.14 seconds`,
    },
    {
      ...{ part: SENDING_MACHINE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'dhclient: bound to 10.47.3.21 -- renewal in 2803 seconds.',
    },
    {
      ...{ part: RENEWALS, per_minute: 0.6, after_s: ALWAYS_S, severity: 'INFO' },
      message: `renewals: group of ${chance.whole(2, 40)} subscriptions worked through`,
    },
    {
      ...{ part: OTHER_SENDER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'Sidekiq: fail: 30.014 sec (DigestMail), again in 41 s',
    },
    {
      ...{ part: OTHER_CACHE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'juicefs: slow operation: read (8814,131072,0): OK (131072) <1.204112>',
    },
    {
      ...{ part: OFFICE_PROXY, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'nginx: [warn] the "http2" parameter is deprecated, use the "http2" directive instead',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const eighteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'HorizontalPodAutoscaler', name: NIGHTLY },
    ...{ reason: 'SuccessfulRescale', message: 'New size: 2; reason: All metrics below target' },
  },
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Deployment', name: NIGHTLY, reason: 'ScalingReplicaSet' },
    message: `Scaled down replica set ${NIGHTLY}-7c9d5f to 2 from ${chance.whole(5, 12)}`,
  },
]

/** What control planes write down now and then: others' stores change their size, others' caches get servers. */
const eighteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [
      'reports-db',
      'Scaling DB cluster from 8 capacity units to 32 capacity units for this reason: Autoscaling.',
    ],
    [OTHER_SERVER, `${OTHER_SERVER}: server added`],
    [OTHER_MACHINE, `${OTHER_MACHINE}: maintenance of its host is planned for Saturday`],
    [OTHER_CACHE, `${OTHER_CACHE}: another version is there, to be taken by hand`],
  ])

/** A family in a system that is measured, and changed, like every other of the eighteenth generation. */
export const amongEighteenthSurroundings = surroundedBy(amongSeventeenthSurroundings, {
  gauges: eighteenthGauges,
  lines: eighteenthLines,
  k8s: eighteenthRecords,
  events: eighteenthEvents,
  harmless: harmlessChange,
})
