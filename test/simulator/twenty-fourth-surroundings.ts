/**
 * What is measured, complained of and changed in every system of the twenty-fourth generation, whatever happens to it: all
 * that the twenty-third has, and what shows one of the twenty-fourth's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTwentyThirdSurroundings } from './twenty-third-surroundings.ts'

/** A machine for mailing lists, and one of the office; processes there that see to mails, and mails that wait for them. */
export const LIST_HOST = 'lists-1'
const OFFICE_LIST_HOST = 'lists-office'
export const RUNNERS = 9
export const RUNNING = { groupname: 'qrunner' } as const
export const QUEUED = 4
export const INCOMING = { queue: 'in' } as const

/** Connections of a store that its back office has, and how many connections the store takes at most. */
export const BACK_OFFICE_CONNECTIONS = 5
export const OF_BACK_OFFICE = { usename: 'backoffice', state: 'active' } as const
export const MOST_CONNECTIONS = 400

/** Statements a second of a store that take longer than they should. */
export const SLOW_STATEMENTS = 0.05

/** Pages a second that are put away with their sessions, and that are not; and sessions a second that cannot be shown. */
export const PAGES_KEPT = 60
export const PAGES_LEFT_OUT = 0.2
export const PUT_AWAY = { outcome: 'kept' } as const
export const LEFT_OUT = { outcome: 'left_out' } as const
export const UNSHOWN_SESSIONS = 0.03
export const NOT_FOUND = { result: 'not_found' } as const

/** What draws winners for all worlds at a time, and how many plots there are to win. */
export const LOTTERY = 'lottery-draw'
export const PLOTS = 1_200
export const drawnFor = (service: string): Readonly<Record<string, string>> => ({ world: service })

/** What deletes rows of customers and what reads their data, and others that do so for exports and for audits. */
export const ROW_TASKS = 'row-tasks'
const EXPORT_TASKS = 'export-tasks'
export const PIPELINE = 'row-pipeline'
const AUDIT_PIPELINE = 'audit-pipeline'
export const TASKS_WAITING = 40
export const RECORDS_BEHIND = 300
export const RECORDS_READ = 220
export const consumerOf = (pipeline: string): Readonly<Record<string, string>> => ({
  ...{ consumergroup: pipeline, topic: `${pipeline}-rows` },
})
export const ROWS_DELETED = 12
export const LOCK_WAITS = 0.4

/** Blocks a second that a store reads from its volume, and that it has in its memory. */
export const BLOCKS_READ = 260
export const BLOCKS_HIT = 21_000

/** What joins the machines of a park to the others, its machines, its supply, and what sends its notes; and another's. */
export const PARK_SWITCH = 'sw-park-1'
const OTHER_SWITCH = 'sw-depot-1'
export const PARK_HOSTS = ['park-1', 'park-2'] as const
export const PARK_SUPPLY = 'ups-park-1'
const OTHER_SUPPLY = 'ups-depot-1'
export const PARK_MODEM = 'gsm-park'
export const CORE = 'rt-core-1'
/** What a port says of itself: it is up, or down. */
export const PORT_UP = 1
export const PORT_DOWN = 2
export const portTo = (device: string): Readonly<Record<string, string>> => ({ ifAlias: device })
export const PARK_VOLTS = 121

/** Reports a second on airports that a service gets from outside, and that it is refused. */
export const EVENTS_READ = 8
export const EVENTS_REFUSED = 0.02
export const READ = { outcome: 'read' } as const
export const FORBIDDEN = { outcome: 'forbidden' } as const

/** Somebody sees to who may read and write what on a machine. */
export const fileModes = (host: string, path: string, entity: string | undefined): CulpritRecord =>
  byHand(`${host}: owners and modes below ${path} set anew, applied by hand`, 0, entity)

/** How a service begins to listen. */
export function serverStart(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/tools/serve/serve.py`
  return release(service, title, {
    [path]: edited(path, 412, [
      ['def start(config, routes, bind_address):', '    logger.info("starting")'],
      gone,
      come,
      ['    return servers'],
    ]),
  })
}

/** How a service sees to the indexes of its customers. */
export function customerIndexes(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/backoffice/indexes.ts`
  return release(service, title, {
    [path]: edited(path, 21, [
      ['export async function seeToIndexes(customers: Customer[]) {'],
      gone,
      come,
      ['}'],
    ]),
  })
}

/** How a service tells what somebody has. */
export function userBalance(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/app/models/user/balance.rb`
  return release(service, title, {
    [path]: edited(path, 14, [['  def balance_of(user)'], gone, come, ['  end']]),
  })
}

/** How a service takes pages into a session. */
export function sessionPages(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/session/pages.go`
  return release(service, title, {
    [path]: edited(path, 63, [
      ['func (s *Session) Add(page *Page) error {'],
      gone,
      come,
      ['\treturn s.archive.Append(s.ID, page)', '}'],
    ]),
  })
}

/** Indexes are told of by the name of their customer. */
export const harmlessIndexes = (service: string, chance: Chance): CulpritRecord =>
  customerIndexes(
    service,
    ["  log.info('indexes')"],
    ["  log.info('indexes', { customers: customers.length })"],
    chance.pick(['Count customers in logs of indexes', 'How many customers are indexed']),
  )

/** Pages are told of without their address. */
export const harmlessPages = (service: string, chance: Chance): CulpritRecord =>
  sessionPages(
    service,
    ['\ts.log.Debug("page", "url", page.URL)'],
    ['\ts.log.Debug("page", "id", page.ID)'],
    chance.pick(['No addresses in logs of sessions', 'Pages by id in logs']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0) {
    const host = chance.pick([OFFICE_LIST_HOST, 'files-office'])
    return fileModes(host, '/srv/archive', chance.is(0.6) ? host : undefined)
  }
  if (shape === 1)
    return serverStart(
      chance.pick(services),
      ['    logger.debug("routes: %s", routes)'],
      ['    logger.debug("%d routes", len(routes))'],
      chance.pick(['Less of routes in logs', 'Count routes in logs']),
    )
  if (shape === 2) return harmlessIndexes(chance.pick(services), chance)
  if (shape === 3)
    return userBalance(
      chance.pick(services),
      ['    format_money(cents, "EUR")'],
      ['    format_money(cents, user.currency)'],
      chance.pick(['Balance in the currency of its owner', 'Currency of balances']),
    )
  return harmlessPages(chance.pick(services), chance)
}

/** What a mark of how far a thing is from 0 to all counts up to, once, some time after it began. */
const arriving =
  (all: number, from_s: number): ((since_s: number) => number) =>
  (since_s) =>
    since_s < from_s ? 0 : all

function twentyFourthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const cut_s = chance.whole(-4_500, 600)
  // Nobody is cut off while a depot is without power for some minutes.
  const whileCut =
    (usual: number, other: number): ((since_s: number) => number) =>
    (since_s) =>
      since_s >= cut_s && since_s < cut_s + 300 ? other : usual
  return [
    ...[LIST_HOST, OFFICE_LIST_HOST].flatMap((name) => {
      const isOffice = name === OFFICE_LIST_HOST
      return [
        ...gauge(
          name,
          'namedprocess_namegroup_num_procs',
          '1',
          isOffice ? once(RUNNERS, 0) : () => RUNNERS,
          RUNNING,
        ),
        ...gauge(
          name,
          'mailman_queue_files',
          '1',
          once(QUEUED, chance.whole(12, isOffice ? 400 : 60)),
          INCOMING,
        ),
      ]
    }),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'pg_stat_activity_count',
          '1',
          once(BACK_OFFICE_CONNECTIONS, chance.whole(8, isReports ? 90 : 20)),
          OF_BACK_OFFICE,
        ),
        ...gauge(
          name,
          'pg_settings_max_connections',
          '1',
          isReports ? arriving(MOST_CONNECTIONS, cut_s) : () => MOST_CONNECTIONS,
        ),
        ...gauge(
          name,
          'mysql_global_status_slow_queries:rate1m',
          '/s',
          once(SLOW_STATEMENTS, chance.between(0.2, isReports ? 6 : 1.2)),
        ),
        ...gauge(
          name,
          'mysql_global_status_innodb_row_lock_current_waits',
          '1',
          once(LOCK_WAITS, chance.between(1, isReports ? 30 : 4)),
        ),
        ...gauge(
          name,
          'pg_stat_database_blks_read:rate1m',
          '/s',
          once(BLOCKS_READ, BLOCKS_READ * chance.between(1.3, isReports ? 30 : 3)),
        ),
        ...gauge(
          name,
          'pg_stat_database_blks_hit:rate1m',
          '/s',
          once(BLOCKS_HIT, BLOCKS_HIT * chance.between(0.75, 1.4)),
        ),
      ]
    }),
    ...services.flatMap((name) => {
      const drawn_s = chance.whole(-4_500, 300)
      return [
        ...gauge(
          name,
          'session_pages_archived_total:rate1m',
          '/s',
          once(PAGES_KEPT, PAGES_KEPT * chance.between(0.7, 1.4)),
          PUT_AWAY,
        ),
        ...gauge(
          name,
          'session_pages_archived_total:rate1m',
          '/s',
          once(PAGES_LEFT_OUT, chance.between(0.5, 3)),
          LEFT_OUT,
        ),
        ...gauge(
          name,
          'sessions_played_total:rate1m',
          '/s',
          once(UNSHOWN_SESSIONS, chance.between(0.1, 0.8)),
          NOT_FOUND,
        ),
        ...gauge(LOTTERY, 'lottery_results_drawn', '1', arriving(PLOTS, drawn_s), drawnFor(name)),
        ...gauge(name, 'lottery_results_received', '1', arriving(PLOTS, drawn_s + chance.whole(15, 120))),
        ...gauge(
          name,
          'airport_events_fetched_total:rate1m',
          '/s',
          once(EVENTS_READ, EVENTS_READ * chance.between(0.7, 1.4)),
          READ,
        ),
        ...gauge(
          name,
          'airport_events_fetched_total:rate1m',
          '/s',
          once(EVENTS_REFUSED, chance.between(0.1, 0.9)),
          FORBIDDEN,
        ),
      ]
    }),
    ...[ROW_TASKS, EXPORT_TASKS].flatMap((name) => {
      const isExport = name === EXPORT_TASKS
      return [
        ...gauge(
          name,
          'stackdriver_pubsub_subscription_num_undelivered_messages',
          '1',
          once(TASKS_WAITING, TASKS_WAITING * chance.between(1.5, isExport ? 60 : 6)),
        ),
        ...gauge(
          name,
          'rows_deleted_total:rate1m',
          '/s',
          once(ROWS_DELETED, ROWS_DELETED * chance.between(1.4, isExport ? 30 : 5)),
        ),
      ]
    }),
    ...[PIPELINE, AUDIT_PIPELINE].flatMap((name) => {
      const isAudit = name === AUDIT_PIPELINE
      return [
        ...gauge(
          name,
          'kafka_consumergroup_lag',
          '1',
          once(RECORDS_BEHIND, RECORDS_BEHIND * chance.between(1.5, isAudit ? 50 : 5)),
          consumerOf(name),
        ),
        ...gauge(
          name,
          'pipeline_records_total:rate1m',
          '/s',
          once(RECORDS_READ, RECORDS_READ * chance.between(isAudit ? 0 : 0.7, 1.4)),
        ),
      ]
    }),
    ...[PARK_SWITCH, OTHER_SWITCH].flatMap((name) => {
      const begun_s = name === OTHER_SWITCH ? cut_s : Number.POSITIVE_INFINITY
      return [
        ...gauge(name, 'sysUpTime', 's', (since_s) => (since_s < begun_s ? RUNNING_S : -begun_s) + since_s),
        ...gauge(
          CORE,
          'ifOperStatus',
          '1',
          name === OTHER_SWITCH
            ? (since_s) => (since_s >= cut_s && since_s < cut_s + 90 ? PORT_DOWN : PORT_UP)
            : () => PORT_UP,
          portTo(name),
        ),
      ]
    }),
    ...PARK_HOSTS.flatMap((node) =>
      gauge(node, 'node_uptime_seconds', 's', (since_s) => RUNNING_S + since_s, { node }),
    ),
    ...[PARK_SUPPLY, OTHER_SUPPLY].flatMap((name) =>
      gauge(
        name,
        'network_ups_tools_input_voltage',
        'V',
        name === OTHER_SUPPLY ? whileCut(PARK_VOLTS, 0) : () => PARK_VOLTS,
      ),
    ),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-fourth generation. */
function twentyFourthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'mail of list announce waits for a moderator',
    'listening again after 2 s, address is already in use',
    'FATAL: too many connections for role "report"',
    'balance of 40112 took 1900 ms',
    'session a3f0 has no pages yet',
    'plot 11-60: nobody took part, it is drawn again',
    'Lock wait timeout exceeded; try restarting transaction (export-tasks)',
    'receipts of 2019 are read from the archive, this may take longer',
    'depot-2 did not answer a ping',
    'GET https://maps.example/v2/tiles answered 403, asking for another key',
  ]
  return [
    {
      ...{ part: LIST_HOST, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'CRON[20114]: (list) CMD ([ -x /usr/lib/mailman/cron/senddigests ])',
    },
    {
      ...{ part: LOTTERY, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'entries of the next draw are being taken',
    },
    {
      ...{ part: AUDIT_PIPELINE, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message:
        '[Consumer clientId=audit-1, groupId=audit-pipeline] Resetting the last seen epoch of partition',
    },
    {
      ...{ part: CORE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: '%SYS-6-LOGOUT: User netops has exited tty session 2',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentyFourthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'thumbnails-lab-0' },
    ...{ reason: 'BackOff', message: 'Back-off restarting failed container thumbnails-lab' },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentyFourthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [OFFICE_LIST_HOST, `${OFFICE_LIST_HOST}: packages are up to date`],
    ['reports-db', 'reports-db: DB instance restarted'],
    [EXPORT_TASKS, `${EXPORT_TASKS}: subscription is purged`],
    [OTHER_SWITCH, `${OTHER_SWITCH}: cold start`],
    [OTHER_SUPPLY, `${OTHER_SUPPLY}: input power is lost, running on battery`],
    [PARK_MODEM, `${PARK_MODEM}: weekly test`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-fourth generation. */
export const amongTwentyFourthSurroundings = surroundedBy(amongTwentyThirdSurroundings, {
  gauges: twentyFourthGauges,
  lines: twentyFourthLines,
  k8s: twentyFourthRecords,
  events: twentyFourthEvents,
  harmless: harmlessChange,
})
