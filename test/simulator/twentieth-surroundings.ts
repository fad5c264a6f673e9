/**
 * What is measured, complained of and changed in every system of the twentieth generation, whatever happens to it: all that
 * the nineteenth has, and what shows one of the twentieth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { amongNineteenthSurroundings } from './nineteenth-surroundings.ts'
import { RUNNING_S, runningSince } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { ESTABLISHED, IDLE } from './sixteenth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { setting } from './tenth-surroundings.ts'

/** Share of a store's new events that are set aside at once, and events a second that a service finds set aside. */
export const ASIDE_SHARE = 0.002
export const NEW_EVENTS = { table: 'events' } as const
export const FOUND_ASIDE = 0.04
export const ASIDE = { outcome: 'archived' } as const

/** The number that the orchestrator gave a secret when it was last written, months ago and now, and where it lies. */
export const WRITTEN_BEFORE = 52_000_000
export const WRITTEN_NOW = 97_000_000
export const secretOf = (service: string): Readonly<Record<string, string>> => ({
  ...{ namespace: 'prod', secret: `${service}-login` },
})
/** Requests a second for a token that are refused. */
export const REFUSED_TOKENS = 0.03
export const TOKENS = { status: '401', uri: '/oauth2/token' } as const

/** Exceptions a second that browsers tell of. */
export const BROWSER_EXCEPTIONS = 0.2
export const BROWSERS = { exception_type: 'TypeError' } as const

/** The queue of what is to be worked through after a service has answered. */
export const eventsOf = (service: string): string => `${service}-events`
export const EVENTS_WAITING = 4
export const OLDEST_S = 2
/** Events that were worked through within a minute. */
export const EVENTS_DONE = 620

/** Looked-up pieces a second that are not found, and flows that begin. */
export const PIECES_MISSING = 0.02
export const MISSING = { result: 'not_found' } as const
export const FLOWS_BEGUN = 9

/** Where some services run, what joins that place to all others, and another place; who sells the way between them. */
export const SITE_ROUTER = 'edge-ams-1'
const OTHER_ROUTER = 'edge-dub-1'
export const TRANSIT = 'transit-ams'
const OTHER_TRANSIT = 'transit-dub'
export const TRANSIT_PEER = { bgpPeerRemoteAddr: '198.51.100.1' } as const
/** As the standard numbers the states of a peer: it is asked to connect, and does not answer. */
export const ASKING = 3
export const TRANSIT_PORT = { ifAlias: 'transit', ifDescr: 'ge-0/2/0' } as const
export const TRANSIT_BYTES = 38_000_000
export const fromOutside = (line: string): Readonly<Record<string, string>> => ({
  ...{ job: 'blackbox-icmp', target: `${line}.example` },
})

/** What works in the background, and what does for reports; how many tasks there are. */
export const WORKERS = 'background-workers'
const REPORT_WORKERS = 'report-workers'
export const TASKS = 14
/** Connections of a store, and bytes of memory that it has left and has put aside. */
export const CONNECTIONS = 170
export const STORE_MEMORY = 5_800_000_000
export const SWAPPED = 40_000_000

/** What keeps answers, and what keeps those of the office. */
export const ANSWER_CACHE = 'answers-redis'
const OFFICE_CACHE = 'wiki-redis'
export const HIT_RATE = 97
export const CACHE_CPU = 17
export const CACHE_CONNECTIONS = 160

/** What pages are asked for by, how many of its addresses are let in, and what the pages' owners answer. */
export const ADDRESS_POOL = 'address-pool'
const OTHER_POOL = 'address-pool-dev'
export const ADDRESSES_IN = 480
export const TOO_MANY = { status: '429' } as const
export const PAGES_REFUSED = 0.3
export const PAGES_READ = 22
export const READ = { status: '200' } as const

/** Servers that hold the parts of a store, one for other things, and the queues of what is to be written to each. */
export const SERVERS = ['storage-1', 'storage-2', 'storage-3'] as const
const OTHER_SERVER = 'storage-archive'
export const WRITE_QUEUES = 'writes-redis'
export const TO_WRITE = 12
export const writesTo = (server: string): Readonly<Record<string, string>> => ({
  ...{ db: 'db0', key: `writes:${server}` },
})
export const pingOf = (server: string): Readonly<Record<string, string>> => ({
  ...{ job: 'blackbox-icmp', target: server },
})

/** A migration of the tables of a service, in SQL. */
export function sqlMigration(
  service: string,
  name: string,
  lines: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/migrations/20260218_${name}.sql`
  return release(service, title, { [path]: edited(path, 1, [['BEGIN;'], [], lines, ['COMMIT;']]) })
}

/** What is set for many services at once in the repository of settings, and given to all of them. */
export function valuesOfAll(
  services: readonly string[],
  [gone, come]: readonly [gone: string, come: string],
  title: string,
  chance: Chance,
): CulpritRecord {
  const files = services.map((service) => `prod/${service}/values.yaml`)
  const diff = files.map((path) => edited(path, 6, [['resources:'], [gone], [come], ['login:']])).join('\n')
  return setting({ title, files, diff }, chance, ['fleet-config'])
}

/** How pages of a service ask for what they show. */
export function pageQueries(
  service: string,
  pages: readonly string[],
  [gone, come]: readonly [gone: readonly string[], come: readonly string[]],
  title: string,
): CulpritRecord {
  const files = pages.map((page) => {
    const path = `${service}/src/pages/${page}.tsx`
    return [path, edited(path, 12, [['  const { id } = useParams()'], gone, come, ['  return (']])] as const
  })
  return release(service, title, Object.fromEntries(files))
}

/** What a service reads of a queue, in the repository of settings. */
export function consumerOf(
  service: string,
  gone: string,
  come: string,
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `prod/${service}/consumer.yaml`
  const diff = edited(path, 2, [['consumer:'], [gone], [come], ['  visibilitySeconds: 60']])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** A migration of what flows are made of. */
export function flowMigration(service: string, lines: readonly string[], title: string): CulpritRecord {
  const path = `${service}/src/migration/1771408800000-flow-steps.ts`
  return release(service, title, {
    [path]: edited(path, 4, [
      ['  public async up(runner: QueryRunner): Promise<void> {'],
      [],
      lines,
      ['  }'],
    ]),
  })
}

/** How a service reads a page that it has asked others for. */
export function pageReader(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/scrapers/profile.py`
  return release(service, title, {
    [path]: edited(path, 31, [['    def parse(self, response):'], gone, come, ['        yield item']]),
  })
}

/** A service's page is read as before, with less to write. */
export const harmlessReader = (service: string, chance: Chance): CulpritRecord =>
  pageReader(
    service,
    ["        item['headline'] = response.css('h2::text').get()"],
    ["        item['headline'] = response.css('h2::text').get(default='')"],
    chance.pick(['Headlines that are empty', 'A headline is always text']),
  )

/** A column that nobody reads yet. */
export const harmlessColumn = (service: string, chance: Chance): CulpritRecord =>
  sqlMigration(
    service,
    'notes_locale',
    ["ALTER TABLE notes ADD COLUMN locale text NOT NULL DEFAULT 'en';"],
    chance.pick(['Notes have a language', 'A column for the language of notes']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 5)
  if (shape === 0) return harmlessColumn(chance.pick(services), chance)
  if (shape === 1)
    return valuesOfAll(
      services,
      ['  cpu: 200m', '  cpu: 250m'],
      chance.pick(['A little more for everybody', 'Requests as they are used']),
      chance,
    )
  if (shape === 2)
    return pageQueries(
      chance.pick(services),
      ['about', 'help'],
      [['  const text = useText(id)'], ['  const text = useText(id) ?? EMPTY_TEXT']],
      chance.pick(['Texts while they are loaded', 'Empty texts']),
    )
  if (shape === 3)
    return consumerOf(
      chance.pick(services),
      '  waitSeconds: 10',
      '  waitSeconds: 20',
      chance.pick(['Longer polls', 'Poll less often']),
      chance,
    )
  if (shape === 4)
    return flowMigration(
      chance.pick(services),
      [
        '    await runner.query(',
        "      `UPDATE flow SET title = trim(title) WHERE title LIKE ' %'`,",
        '    )',
      ],
      chance.pick(['Titles of flows without blanks', 'Trim titles']),
    )
  return harmlessReader(chance.pick(services), chance)
}

function twentiethGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const sinceBegun = runningSince(RUNNING_S, chance.whole(-4_500, 600))
  const rewritten = chance.pick(services).name
  return [
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'sql_recent_events_archived_ratio',
          '1',
          once(ASIDE_SHARE, chance.between(0.006, isReports ? 0.9 : 0.03)),
          NEW_EVENTS,
        ),
        ...gauge(
          name,
          'aws_rds_database_connections_average',
          '1',
          once(CONNECTIONS, CONNECTIONS * chance.between(1.1, isReports ? 4 : 1.5)),
        ),
        ...gauge(
          name,
          'aws_rds_freeable_memory_average',
          'By',
          once(STORE_MEMORY, STORE_MEMORY * chance.between(isReports ? 0.05 : 0.6, 0.8)),
        ),
        ...gauge(
          name,
          'aws_rds_swap_usage_average',
          'By',
          once(SWAPPED, SWAPPED * chance.between(1.2, isReports ? 20 : 2)),
        ),
      ]
    }),
    ...services.flatMap(({ name }) => {
      const written_s = chance.whole(-4_500, 600)
      return [
        ...gauge(
          name,
          'webhook_events_total:rate1m',
          '/s',
          once(FOUND_ASIDE, chance.between(0.1, 0.8)),
          ASIDE,
        ),
        ...gauge(
          name,
          'kube_secret_metadata_resource_version',
          '1',
          name === rewritten
            ? (since_s) => (since_s < written_s ? WRITTEN_BEFORE : WRITTEN_NOW)
            : () => WRITTEN_BEFORE,
          secretOf(name),
        ),
        ...gauge(
          name,
          'http_client_requests_seconds_count:rate1m',
          '/s',
          once(REFUSED_TOKENS, chance.between(0.1, 0.7)),
          TOKENS,
        ),
        ...gauge(
          name,
          'faro_receiver_exceptions_total:rate1m',
          '/s',
          once(BROWSER_EXCEPTIONS, chance.between(0.6, 2.5)),
          BROWSERS,
        ),
        ...gauge(
          eventsOf(name),
          'aws_sqs_approximate_number_of_messages_visible_average',
          '1',
          once(EVENTS_WAITING, chance.whole(20, 260)),
        ),
        ...gauge(
          eventsOf(name),
          'aws_sqs_approximate_age_of_oldest_message_maximum',
          's',
          once(OLDEST_S, chance.whole(8, 50)),
        ),
        ...gauge(
          eventsOf(name),
          'aws_sqs_number_of_messages_deleted_sum',
          '1',
          once(EVENTS_DONE, EVENTS_DONE * chance.between(0.7, 1.6)),
        ),
        ...gauge(
          name,
          'piece_lookups_total:rate1m',
          '/s',
          once(PIECES_MISSING, chance.between(0.1, 0.6)),
          MISSING,
        ),
        ...gauge(
          name,
          'flow_runs_started_total:rate1m',
          '/s',
          once(FLOWS_BEGUN, FLOWS_BEGUN * chance.between(0.7, 1.5)),
        ),
        ...gauge(
          name,
          'scrapy_response_status_count:rate1m',
          '/s',
          once(PAGES_REFUSED, chance.between(0.6, 3)),
          TOO_MANY,
        ),
        ...gauge(
          name,
          'scrapy_response_status_count:rate1m',
          '/s',
          once(PAGES_READ, PAGES_READ * chance.between(0.8, 1.4)),
          READ,
        ),
      ]
    }),
    ...(
      [
        [SITE_ROUTER, TRANSIT],
        [OTHER_ROUTER, OTHER_TRANSIT],
      ] as const
    ).flatMap(([router, line]) => {
      const isOther = router === OTHER_ROUTER
      return [
        ...gauge(router, 'bgpPeerState', '1', isOther ? once(ESTABLISHED, IDLE) : () => ESTABLISHED, {
          ...TRANSIT_PEER,
        }),
        ...gauge(
          router,
          'ifHCInOctets:rate1m',
          'By/s',
          once(TRANSIT_BYTES, TRANSIT_BYTES * chance.between(isOther ? 0.01 : 0.7, 1.4)),
          TRANSIT_PORT,
        ),
        ...gauge(router, 'ifOperStatus', '1', () => 1, TRANSIT_PORT),
        ...gauge(line, 'probe_success', '1', isOther ? once(1, 0) : () => 1, fromOutside(line)),
      ]
    }),
    ...[WORKERS, REPORT_WORKERS].flatMap((name) =>
      gauge(
        name,
        'aws_ecs_containerinsights_running_task_count_average',
        '1',
        once(TASKS, chance.whole(18, name === WORKERS ? 26 : 130)),
      ),
    ),
    ...[ANSWER_CACHE, OFFICE_CACHE].flatMap((name) => {
      const isOffice = name === OFFICE_CACHE
      return [
        ...gauge(
          name,
          'aws_elasticache_cache_hit_rate_average',
          'percent',
          once(HIT_RATE, chance.between(isOffice ? 4 : 80, 92)),
        ),
        ...gauge(
          name,
          'aws_elasticache_engine_cpuutilization_average',
          'percent',
          once(CACHE_CPU, chance.between(24, isOffice ? 99 : 45)),
        ),
        ...gauge(
          name,
          'aws_elasticache_curr_connections_average',
          '1',
          once(CACHE_CONNECTIONS, chance.whole(200, isOffice ? 1_900 : 290)),
        ),
      ]
    }),
    ...[ADDRESS_POOL, OTHER_POOL].flatMap((name) =>
      gauge(
        name,
        'proxy_addresses_available',
        '1',
        once(ADDRESSES_IN, ADDRESSES_IN * chance.between(name === OTHER_POOL ? 0.02 : 0.75, 0.9)),
      ),
    ),
    ...[...SERVERS, OTHER_SERVER].flatMap((name) => {
      const isOther = name === OTHER_SERVER
      return [
        ...gauge(name, 'up', '1', isOther ? once(1, 0) : () => 1),
        ...gauge(
          name,
          'node_uptime_seconds',
          's',
          isOther ? sinceBegun : (since_s: number) => RUNNING_S + since_s,
          { node: name },
        ),
        ...gauge(name, 'probe_success', '1', isOther ? once(1, 0) : () => 1, pingOf(name)),
        ...gauge(
          WRITE_QUEUES,
          'redis_key_size',
          '1',
          once(TO_WRITE, chance.whole(40, isOther ? 40_000 : 500)),
          writesTo(name),
        ),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twentieth generation. */
function twentiethLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'event evt_0b71 is not delivered: archived, past its retention of 30 days',
    'oauth2: POST /oauth2/token answered 401 invalid_grant, the refresh token has ended (sandbox)',
    "TypeError: Cannot read properties of undefined (reading 'locale')",
    'upload 5f1c: its event came after 21 s',
    'EntityNotFoundError: Could not find any entity of type "PieceMetadata" matching: {"name":"rss","version":"0.0.9"}',
    'dial tcp 203.0.113.80:443: i/o timeout (telemetry)',
    'FATAL:  sorry, too many clients already (reports)',
    'ioredis: Command timed out (GET wiki:index)',
    'Retrying <GET https://maps.example/tiles> (failed 1 times): 429 Unknown Status',
    'writing to storage-archive later: connect ETIMEDOUT 10.83.9.20:3310',
  ]
  return [
    {
      ...{ part: WORKERS, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `expected usage is ${chance.between(0.8, 1.3).toFixed(2)} times that of last week, ${TASKS} tasks are kept`,
    },
    {
      ...{ part: OTHER_ROUTER, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message:
        'rpd[2106]: RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.9 changed state (event RecvKeepAlive)',
    },
    {
      ...{ part: WRITE_QUEUES, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `1 changes in 900 seconds. Saving...`,
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentiethRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Deployment', name: REPORT_WORKERS },
    ...{ reason: 'ScalingReplicaSet', message: `Scaled up replica set ${REPORT_WORKERS}-6f9c to 40` },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentiethEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['reports-db', 'DB instance restarted'],
    [OFFICE_CACHE, 'Finished failover of the replication group to another node'],
    [OTHER_SERVER, `${OTHER_SERVER}: the hosting company has moved it to another rack`],
    [OTHER_TRANSIT, `${OTHER_TRANSIT}: maintenance by its seller is finished`],
  ])

/** A family in a system that is measured, and changed, like every other of the twentieth generation. */
export const amongTwentiethSurroundings = surroundedBy(amongNineteenthSurroundings, {
  gauges: twentiethGauges,
  lines: twentiethLines,
  k8s: twentiethRecords,
  events: twentiethEvents,
  harmless: harmlessChange,
})
