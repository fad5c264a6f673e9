/**
 * What is measured, complained of and changed in every system of the twenty-first generation, whatever happens to it: all
 * that the twentieth has, and what shows one of the twenty-first's faults besides. It moves now and then in all of them and
 * harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S, runningSince } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { setting } from './tenth-surroundings.ts'
import { amongTwentiethSurroundings } from './twentieth-surroundings.ts'

/** What leads cartons to their lanes, and what does for what is sent back; cartons a second that no lane is known for. */
export const SORTER = 'ship-sorter'
const RETURNS_SORTER = 'returns-sorter'
export const UNROUTED_CARTONS = 0.02
export const JACKPOT = { lane: 'jackpot' } as const
/** Orders a second that are not taken in. */
export const REJECTED_ORDERS = 0.05
export const REJECTED = { result: 'rejected' } as const

/** Templates that a store holds, rows of them that are deleted a second, and messages a second that find none. */
export const TEMPLATES = 46_000
export const TEMPLATE_TABLE = { relname: 'message_templates', schemaname: 'public' } as const
export const DELETED_TEMPLATES = 0.02
export const WITHOUT_TEMPLATE = 0.04
export const NO_TEMPLATE = { result: 'no_template' } as const

/** Requests a second that a service's own rules of access let in no further. */
export const DENIED = 0.12
export const DENIAL = { spring_security_authorization_decision: 'false' } as const

/** Machines that have an address of their own on the internet, and one that works at night; what comes in to them. */
export const APP_HOSTS = ['app-host-1', 'app-host-2', 'app-host-3'] as const
const NIGHT_HOST = 'batch-host-2'
export const BYTES_IN = 9_400_000
/** Share of a machine's processor that is used, percent. */
export const HOST_CPU = 31
/** How a service is asked from outside, by its name on the internet. */
export const publicProbe = (service: string): Readonly<Record<string, string>> => ({
  ...{ job: 'blackbox-https', target: `https://${service}.example/healthz` },
})

/** Machines that filter what is sent before they hand it on, two that are new, and who hands on for the office. */
export const FILTERS = ['filter-1', 'filter-2'] as const
export const NEW_FILTERS = ['filter-3', 'filter-4'] as const
const OFFICE_FILTER = 'filter-office-1'
export const FILTER_POOL = 'filter-pool'
/** Messages a second that a filter puts off, and connections a second that get no answer. */
export const PUT_OFF = 0.06
export const UNANSWERED = 0.02

/** What takes lines in, and what takes in those of audits; the queue before it, and where what it takes in is found. */
export const INGESTOR = 'logs-ingestor'
const AUDIT_INGESTOR = 'audit-ingestor'
export const INGEST_QUEUES = 'ingest-redis'
export const SEARCH_INDEX = 'logs-index'
const AUDIT_INDEX = 'audit-index'
export const TAKEN_IN = 810
export const LINES_WAITING = 40
export const queueOf = (ingestor: string): Readonly<Record<string, string>> => ({
  ...{ db: 'db0', key: ingestor.replace('-ingestor', '') },
})
/** Searches a second that find nothing new. */
export const STALE_SEARCHES = 0.05
export const STALE = { result: 'stale' } as const

/** The machine of a store, its drive, and sectors that the drive could not read and has not replaced yet. */
export const hostOf = (store: string): string => `${store}-host`
export const DRIVE = { device: 'sdb' } as const
export const DRIVE_BUSY = 0.11
export const PENDING = {
  attribute_name: 'Current_Pending_Sector',
  attribute_value_type: 'raw',
  device: 'sdb',
}
export const PENDING_SECTORS = 1

/** What fills in forms, and what draws reports for the office; how long its licence lasts, documents that fail a second. */
export const FORM_LICENCE = { component: 'form-renderer' } as const
const REPORT_DESIGNER = 'report-designer'
/** Seconds that a licence has left: four months. */
export const LICENSED_S = 10_400_000
export const FAILED_DOCUMENTS = 0.03
export const FAILED = { result: 'failed' } as const

/** Room on the volume that a store keeps its keys of requests on, and the bytes of them. */
export const KEYS_VOLUME = { volume: 'E:' } as const
export const KEYS_ROOM = 210_000_000_000
export const KEYS_FILES = { database: 'requests', mssql_instance: 'MSSQLSERVER' } as const
export const KEYS_BYTES = 88_000_000_000

/** Receipts a second that an outside party answers with an error, that are accepted, and whose answer cannot be read. */
export const RECEIPTS = { status: '503', uri: '/verifyReceipt' } as const
export const UNANSWERED_RECEIPTS = 0.03
export const ACCEPTED_RECEIPTS = 12
export const ACCEPTED = { result: 'accepted' } as const
export const UNREADABLE_RECEIPTS = 0.02
export const UNREADABLE = { result: 'unreadable' } as const

/** What a service's orders are sorted by, in the repository of settings. */
export function sortingOf(
  service: string,
  [gone, come]: readonly [gone: readonly string[], come: readonly string[]],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `prod/${service}/sorting.yaml`
  const diff = edited(path, 3, [['sorting:'], gone, come, ['  defaultLane: 1']])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** A migration that clears out what is no longer wanted. */
export function clearing(service: string, lines: readonly string[], title: string): CulpritRecord {
  const path = `${service}/db/migrate/20260219080000_clear_out.rb`
  return release(service, title, { [path]: edited(path, 2, [['  def up'], [], lines, ['  end']]) })
}

/** Who is let in where, in a service's own rules. */
export function accessRules(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/main/java/example/AccessRules.java`
  return release(service, title, {
    [path]: edited(path, 27, [
      ['    http.authorizeHttpRequests(rules -> rules'],
      gone,
      come,
      ['        .anyRequest().authenticated());'],
    ]),
  })
}

/** Somebody gives a machine another address on the internet. */
export const addressGiven = (
  host: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => ({ ...byHand(`${host}: Elastic IP associated`, 0, entity), before, after })

/** Who belongs to a pool of machines that hand on what they get, in the repository of settings. */
export function membersOf(
  pool: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `prod/${pool}/members.yaml`
  const diff = edited(path, 5, [
    ['  - name: filter-2', '    nextHop: 10.40.8.20:10025'],
    gone,
    come,
    ['maxProcesses: 100'],
  ])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', pool])
}

/** What a service's forms look like. */
export function formLayout(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/forms/letter.xml`
  return release(service, title, {
    [path]: edited(path, 9, [['  <page size="A4">'], gone, come, ['  </page>']]),
  })
}

/** A form with a little more room at its top. */
export const harmlessForm = (service: string, chance: Chance): CulpritRecord =>
  formLayout(
    service,
    ['    <header height="22mm"/>'],
    ['    <header height="24mm"/>'],
    chance.pick(['Room for the letterhead', 'The header is a little higher']),
  )

/** Drafts that nobody has opened for years are cleared out. */
export const harmlessClearing = (service: string, chance: Chance): CulpritRecord =>
  clearing(
    service,
    ['    execute "DELETE FROM drafts WHERE opened_at < \'2019-01-01\'"'],
    chance.pick(['Clear out old drafts', 'Drafts of before 2019']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 5)
  if (shape === 0)
    return sortingOf(
      chance.pick(services),
      [['  maxWeightGrams: 22000'], ['  maxWeightGrams: 23000']],
      chance.pick(['A kilogram more for a carton', 'Weights as the scales have them']),
      chance,
    )
  if (shape === 1) return harmlessClearing(chance.pick(services), chance)
  if (shape === 2)
    return accessRules(
      chance.pick(services),
      ['        .requestMatchers("/docs").authenticated()'],
      ['        .requestMatchers("/docs").permitAll()'],
      chance.pick(['Documents of the interface for all', 'Open documents']),
    )
  if (shape === 3) {
    const host = chance.pick([NIGHT_HOST, 'export-host-2'])
    const [before, after] = [chance.whole(4, 90), chance.whole(91, 200)]
    return addressGiven(
      host,
      [`198.51.100.${before}`, `198.51.100.${after}`],
      chance.is(0.6) ? host : undefined,
    )
  }
  if (shape === 4)
    return membersOf(
      'office-filters',
      [],
      ['  - name: filter-office-2', '    nextHop: 10.40.8.20:10025'],
      chance.pick(['One more filter for the office', 'Two filters for the office']),
      chance,
    )
  return harmlessForm(chance.pick(services), chance)
}

function twentyFirstGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const night = runningSince(RUNNING_S, chance.whole(-4_500, 600))
  const ending_s = chance.whole(-4_500, 600)
  const joined_s = chance.whole(-4_500, 600)
  return [
    ...[SORTER, RETURNS_SORTER].flatMap((name) =>
      gauge(
        name,
        'sorter_cartons_total:rate1m',
        '/s',
        once(UNROUTED_CARTONS, chance.between(0.1, name === SORTER ? 0.3 : 4)),
        JACKPOT,
      ),
    ),
    ...services.flatMap((name) => [
      ...gauge(
        name,
        'order_imports_total:rate1m',
        '/s',
        once(REJECTED_ORDERS, chance.between(0.2, 1)),
        REJECTED,
      ),
      ...gauge(
        name,
        'messages_composed_total:rate1m',
        '/s',
        once(WITHOUT_TEMPLATE, chance.between(0.1, 0.8)),
        NO_TEMPLATE,
      ),
      ...gauge(
        name,
        'spring_security_authorizations_seconds_count:rate1m',
        '/s',
        once(DENIED, chance.between(0.4, 2)),
        DENIAL,
      ),
      ...gauge(name, 'probe_success', '1', () => 1, publicProbe(name)),
      ...gauge(
        name,
        'log_searches_total:rate1m',
        '/s',
        once(STALE_SEARCHES, chance.between(0.2, 0.9)),
        STALE,
      ),
      ...gauge(name, 'license_remaining_seconds', 's', (since_s) => LICENSED_S - since_s, FORM_LICENCE),
      ...gauge(
        name,
        'documents_rendered_total:rate1m',
        '/s',
        once(FAILED_DOCUMENTS, chance.between(0.1, 0.7)),
        FAILED,
      ),
      ...gauge(
        name,
        'http_client_requests_seconds_count:rate1m',
        '/s',
        once(UNANSWERED_RECEIPTS, chance.between(0.1, 0.8)),
        RECEIPTS,
      ),
      ...gauge(
        name,
        'receipts_posted_total:rate1m',
        '/s',
        once(ACCEPTED_RECEIPTS, ACCEPTED_RECEIPTS * chance.between(0.8, 1.4)),
        ACCEPTED,
      ),
      ...gauge(
        name,
        'receipts_posted_total:rate1m',
        '/s',
        once(UNREADABLE_RECEIPTS, chance.between(0.06, 0.4)),
        UNREADABLE,
      ),
    ]),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'pg_stat_user_tables_n_live_tup',
          '1',
          once(TEMPLATES, TEMPLATES * (isReports ? chance.between(0.1, 0.8) : chance.between(1.001, 1.03))),
          TEMPLATE_TABLE,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_tup_del:rate1m',
          '/s',
          once(DELETED_TEMPLATES, chance.between(0.1, isReports ? 700 : 2)),
          TEMPLATE_TABLE,
        ),
        ...gauge(
          hostOf(name),
          'node_disk_io_time_seconds_total:rate1m',
          '1',
          once(DRIVE_BUSY, chance.between(0.2, isReports ? 0.99 : 0.5)),
          DRIVE,
        ),
        ...gauge(
          hostOf(name),
          'smartctl_device_attribute',
          '1',
          once(PENDING_SECTORS, isReports ? chance.whole(8, 300) : 2),
          PENDING,
        ),
        ...gauge(
          name,
          'windows_logical_disk_free_bytes',
          'By',
          once(KEYS_ROOM, KEYS_ROOM * chance.between(isReports ? 0.01 : 0.7, 0.9)),
          KEYS_VOLUME,
        ),
        ...gauge(
          name,
          'windows_mssql_databases_data_files_size_bytes',
          'By',
          once(KEYS_BYTES, KEYS_BYTES * chance.between(1.02, isReports ? 3 : 1.3)),
          KEYS_FILES,
        ),
      ]
    }),
    ...[...APP_HOSTS, NIGHT_HOST].flatMap((name) => {
      const isNight = name === NIGHT_HOST
      return [
        ...gauge(
          name,
          'aws_ec2_network_in_average',
          'By',
          once(BYTES_IN, BYTES_IN * chance.between(isNight ? 0.001 : 0.7, isNight ? 0.2 : 1.5)),
        ),
        ...gauge(
          name,
          'aws_ec2_cpuutilization_average',
          'percent',
          once(HOST_CPU, chance.between(isNight ? 1 : 24, 46)),
        ),
        ...gauge(name, 'node_uptime_seconds', 's', isNight ? night : (since_s) => RUNNING_S + since_s, {
          node: name,
        }),
      ]
    }),
    ...[...FILTERS, ...NEW_FILTERS, OFFICE_FILTER].flatMap((name) => {
      const isOffice = name === OFFICE_FILTER
      const isNew = NEW_FILTERS.some((each) => each === name)
      /** What is new is measured from its first minute on. */
      const measured = (level: (since_s: number) => number) => (since_s: number) =>
        isNew && since_s < joined_s ? Number.NaN : level(since_s)
      return [
        ...gauge(
          name,
          'postfix_smtp_status_deferred:rate1m',
          '/s',
          measured(once(PUT_OFF, chance.between(0.2, isOffice ? 6 : 0.9))),
        ),
        ...gauge(
          name,
          'postfix_smtp_connection_timed_out_total:rate1m',
          '/s',
          measured(once(UNANSWERED, chance.between(0.1, isOffice ? 4 : 0.4))),
        ),
      ]
    }),
    ...(
      [
        [INGESTOR, SEARCH_INDEX],
        [AUDIT_INGESTOR, AUDIT_INDEX],
      ] as const
    ).flatMap(([name, index]) => {
      const isAudit = name === AUDIT_INGESTOR
      const slow = chance.between(isAudit ? 0.01 : 0.75, 1.3)
      return [
        ...gauge(name, 'up', '1', () => 1),
        ...gauge(name, 'logstash_stats_pipeline_events_out:rate1m', '/s', once(TAKEN_IN, TAKEN_IN * slow)),
        ...gauge(
          index,
          'elasticsearch_indices_indexing_index_total:rate1m',
          '/s',
          once(TAKEN_IN, TAKEN_IN * slow),
        ),
        ...gauge(
          INGEST_QUEUES,
          'redis_key_size',
          '1',
          once(LINES_WAITING, chance.whole(200, isAudit ? 60_000 : 900)),
          queueOf(name),
        ),
      ]
    }),
    ...gauge(
      REPORT_DESIGNER,
      'license_remaining_seconds',
      's',
      (since_s) => (since_s < ending_s ? ending_s - since_s : LICENSED_S - since_s),
      { component: 'designer' },
    ),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-first generation. */
function twentyFirstLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'order 20417 is not taken in: no work category SAMPLE in work_categories',
    "ActiveRecord::RecordNotFound: Couldn't find MessageTemplate with 'id'=77",
    'AuthorizationDeniedException: Access Denied (GET /admin/metrics)',
    'connect ETIMEDOUT 198.51.100.7:443 (telemetry)',
    '451 4.4.1 deferred by filter-office-1, trying again in 300 s',
    'search of the last 5 min found no line of client-4 (it has said nothing)',
    'could not read backup of yesterday: Input/output error, trying the copy',
    'LicenseException: the trial of report-designer ends in 2 days',
    'Execution Timeout Expired. The timeout period elapsed prior to completion of the operation (reports)',
    'POST https://receipts-sandbox.example/verifyReceipt answered 503 Service Unavailable',
  ]
  return [
    {
      ...{ part: SORTER, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'carton read by scanner 3, all lanes are open',
    },
    {
      ...{ part: chance.pick(FILTERS), per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'postfix/qmgr[812]: 4R0qL: removed',
    },
    {
      ...{ part: SEARCH_INDEX, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message:
        '[o.e.m.j.JvmGcMonitorService] [gc][482113] overhead, spent [264ms] collecting in the last [1s]',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentyFirstRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Deployment', name: REPORT_DESIGNER },
    ...{ reason: 'ScalingReplicaSet', message: `Scaled up replica set ${REPORT_DESIGNER}-7d41 to 2` },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentyFirstEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [NIGHT_HOST, `${NIGHT_HOST}: instance started again on another host`],
    [OFFICE_FILTER, `${OFFICE_FILTER}: queue is empty again`],
    [AUDIT_INDEX, `${AUDIT_INDEX}: shards are moved to another node`],
    ['reports-db-host', 'reports-db-host: drive sdb is replaced'],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-first generation. */
export const amongTwentyFirstSurroundings = surroundedBy(amongTwentiethSurroundings, {
  gauges: twentyFirstGauges,
  lines: twentyFirstLines,
  k8s: twentyFirstRecords,
  events: twentyFirstEvents,
  harmless: harmlessChange,
})
