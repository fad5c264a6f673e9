/**
 * What is measured, complained of and changed in every system of the nineteenth generation, whatever happens to it: all that
 * the eighteenth has, and what shows one of the nineteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { amongEighteenthSurroundings } from './eighteenth-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S, runningSince } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { TICKS_A_SECOND } from './seventeenth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'

/** Rows a second that statements read of a table without an index, and that they find by one. */
export const READ_ALL = 400
export const FOUND_BY_INDEX = 5_200
export const TRIPS = { relname: 'trips', schemaname: 'public' } as const

/** Sessions that wait for a lock, locks that keep writers out, and seconds that the longest idle transaction is open. */
export const LOCK_WAITERS = 1
export const ON_LOCK = { state: 'active', wait_event_type: 'Lock' } as const
export const SHARE_LOCKS = 0
export const locksOf = (store: string): Readonly<Record<string, string>> => ({
  ...{ datname: store, mode: 'sharelock' },
})
export const IDLE_OPEN_S = 0.4
export const IDLE_OPEN = { state: 'idle in transaction' } as const

/** Rows of the table of sources, and rows a second that a task puts into a store. */
export const SOURCES = 41_300
export const SOURCE_TABLE = { relname: 'sources', schemaname: 'public' } as const
export const REFRESH_TASK = 'sources-refresh'
const OTHER_TASKS = ['reports-refresh', 'archive-refresh'] as const

/** Orders a second that are refused for what is owed, and entries a second of what is owed. */
export const REFUSED_ORDERS = 0.06
export const ORDERS = { status: '402', uri: '/v1/orders' } as const
export const OWED = 0.05
export const OWED_ENTRIES = { kind: 'owed' } as const

/** What stands before a service and gives its requests to its pods. */
export const balancerOf = (service: string): string => `lb-${service}`
const OTHER_BALANCER = 'lb-wiki'
export const BALANCER_ERRORS = 0.2

/** Where lines are kept, and where those of tests are; bytes that are free there. */
export const LOG_STORE = 'loki-0'
const OTHER_LOG_STORE = 'loki-dev-0'
export const LOG_SPACE = 10_000_000_000
export const logClaim = (store: string): Readonly<Record<string, string>> => ({
  ...{ namespace: 'monitoring', persistentvolumeclaim: `storage-${store}` },
})
export const PUSHES = { route: 'loki_api_v1_push', status_code: '500' } as const
export const FAILED_PUSHES = 0.02
/** Steps a second that a service does not take since it could not write down that it does. */
export const HELD_STEPS = 0.03
export const HELD = { result: 'held' } as const

/** The pair before the data centre, and the pair before the offices; the second of the former has not worked for days. */
export const FIREWALLS = ['fw-dc-1', 'fw-dc-2'] as const
const OFFICE_FIREWALLS = ['fw-office-1', 'fw-office-2'] as const
export const BORDER_SWITCH = 'sw-border-1'
export const portTo = (firewall: string): Readonly<Record<string, string>> => ({
  ...{ ifAlias: firewall, ifDescr: `GigabitEthernet1/0/${firewall.endsWith('1') ? 3 : 4}` },
})
export const PORT_UP = 1
export const PORT_DOWN = 2
export const SITE_PROBE = { job: 'blackbox-icmp', target: 'dc.example' } as const

/** Machines of another provider, one for other things, and what goes over the network between them alone. */
export const RENTED_MACHINES = ['vm-tx-1', 'vm-tx-2'] as const
const OTHER_RENTED = 'vm-tx-9'
export const PRIVATE_BYTES = 7_400_000
export const PRIVATE_PORT = { device: 'ens4' } as const
export const PRIVATE_PING = { job: 'blackbox-icmp', target: '10.20.0.1' } as const

/** What works through new books, and what works through pictures; what waits there and is in work. */
export const PAGE_PROCESSOR = 'page-processor'
const OTHER_PROCESSOR = 'cover-processor'
export const BOOKS_WAITING = 3
export const BOOKS_IN_WORK = 2
export const ENQUEUED = { state: 'enqueued' } as const
export const PROCESSING = { state: 'processing' } as const

/** What drivers have in their hands; its syncs that are tried again, and requests that wait for a thread. */
export const DRIVER_APP = 'driver-app'
export const TRIED_SYNCS = 0.3
export const syncsOf = (service: string): Readonly<Record<string, string>> => ({
  ...{ attempt: 'again', service },
})
export const BACKLOG = 0.3
export const BUSY_THREADS = 11
export const ENDED_SYNCS = 0.01
export const SYNCS = { status: '503', uri: '/v1/sync' } as const

/** A migration of the tables of a service that is written in Ruby. */
export function rubyMigration(
  service: string,
  name: string,
  lines: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/db/migrate/20260214101500_${name}.rb`
  return release(service, title, {
    [path]: edited(path, 1, [['class Migration < ActiveRecord::Migration[7.1]'], [], lines, ['end']]),
  })
}

/** A migration of the tables of a service that is written in TypeScript. */
export function tableMigration(
  service: string,
  name: string,
  lines: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/migrations/20260214-${name}.ts`
  return release(service, title, {
    [path]: edited(path, 3, [['export async function up(knex: Knex): Promise<void> {'], [], lines, ['}']]),
  })
}

/** A task that moves tables from one store to another, begun by hand. */
export const tableTask = (
  task: string,
  [from, to]: readonly [from: string, to: string],
  chance: Chance,
): CulpritRecord => ({
  ...{ kind: 'infra', after_s: 0, applied_after_s: chance.whole(20, 110) },
  title: `StartReplicationTask: ${task} (start-replication, full load)`,
  ...{ before: from, after: to },
  ...(chance.is(0.6) ? { entity: task } : {}),
})

/** How a service that is written in Java keeps its books. */
export function ledgerRule(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/main/java/ledger/Charges.java`
  return release(service, title, {
    [path]: edited(path, 64, [['  void settle(Charge charge) {'], gone, come, ['  }']]),
  })
}

/** A balancer that somebody takes away by hand. */
export const balancerGone = (balancer: string, named: string | undefined): CulpritRecord => ({
  ...{ kind: 'infra', after_s: 0, title: `DeleteLoadBalancer: ${balancer}` },
  ...(named === undefined ? {} : { entity: named }),
})

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0)
    return rubyMigration(
      chance.pick(services),
      'index_notes_by_author',
      [
        '  disable_ddl_transaction!',
        '  def change',
        '    add_index :notes, :author_id, algorithm: :concurrently',
        '  end',
      ],
      chance.pick(['An index for notes', 'Notes by their authors']),
    )
  if (shape === 1)
    return tableMigration(
      chance.pick(services),
      'badges',
      [
        "  await knex.schema.createTable('badges', (table) => {",
        "    table.bigIncrements('id')",
        "    table.bigInteger('owner_id').index()",
        '  })',
      ],
      chance.pick(['A table for badges', 'Badges have a place of their own']),
    )
  if (shape === 2) return tableTask(chance.pick(OTHER_TASKS), ['archive-db', 'reports-db'], chance)
  if (shape === 3)
    return ledgerRule(
      chance.pick(services),
      ['    if (charge.isSettled() == true) {', '      ledger.close(charge);', '    }'],
      ['    if (charge.isSettled()) {', '      ledger.close(charge);', '    }'],
      chance.pick(['Conditions are read as they are', 'Shorter conditions in the ledger']),
    )
  const balancer = chance.pick(['lb-images-old', 'lb-sandbox-2', 'lb-wiki-blue'])
  return balancerGone(balancer, chance.is(0.6) ? balancer : undefined)
}

function nineteenthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const sinceBegun = runningSince(RUNNING_S, chance.whole(-4_500, 600))
  const filled = chance.between(0.00001, 0.00004)
  return [
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'pg_stat_user_tables_seq_tup_read:rate1m',
          '/s',
          once(READ_ALL, READ_ALL * chance.between(2, isReports ? 700 : 9)),
          TRIPS,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_idx_scan:rate1m',
          '/s',
          once(FOUND_BY_INDEX, FOUND_BY_INDEX * chance.between(isReports ? 0.05 : 0.7, 1.5)),
          TRIPS,
        ),
        ...gauge(
          name,
          'pg_stat_activity_count',
          '1',
          once(LOCK_WAITERS, chance.whole(3, isReports ? 50 : 8)),
          ON_LOCK,
        ),
        ...gauge(name, 'pg_locks_count', '1', once(SHARE_LOCKS, isReports ? 3 : 1), locksOf(name)),
        ...gauge(
          name,
          'pg_stat_activity_max_tx_duration',
          's',
          once(IDLE_OPEN_S, chance.between(2, isReports ? 500 : 14)),
          IDLE_OPEN,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_live_tup',
          '1',
          once(SOURCES, SOURCES * (isReports ? chance.between(0.1, 0.8) : chance.between(1, 1.03))),
          SOURCE_TABLE,
        ),
      ]
    }),
    ...[REFRESH_TASK, ...OTHER_TASKS].flatMap((name) =>
      gauge(
        name,
        'aws_dms_full_load_throughput_rows_target_average',
        '/s',
        name === REFRESH_TASK ? () => 0 : once(0, chance.whole(300, 5_000)),
      ),
    ),
    ...services.flatMap(({ name, pods }) => [
      ...gauge(
        name,
        'http_server_requests_seconds_count:rate1m',
        '/s',
        once(REFUSED_ORDERS, chance.between(0.2, 1.3)),
        ORDERS,
      ),
      ...gauge(name, 'ledger_entries_total:rate1m', '/s', once(OWED, chance.between(0.2, 1.1)), OWED_ENTRIES),
      ...gauge(balancerOf(name), 'aws_applicationelb_healthy_host_count_average', '1', () => pods),
      ...gauge(
        balancerOf(name),
        'aws_applicationelb_request_count_sum',
        '1',
        once(900, 900 * chance.between(0.8, 1.3)),
      ),
      ...gauge(
        balancerOf(name),
        'aws_applicationelb_httpcode_elb_5_xx_count_sum',
        '1',
        once(BALANCER_ERRORS, chance.between(0.5, 5)),
      ),
      ...gauge(name, 'audit_steps_total:rate1m', '/s', once(HELD_STEPS, chance.between(0.1, 0.8)), HELD),
      ...gauge(name, 'puma_backlog', '1', once(BACKLOG, chance.between(1, 9))),
      ...gauge(name, 'puma_busy_threads', '1', once(BUSY_THREADS, chance.between(12, 22))),
      ...gauge(
        name,
        'http_server_requests_seconds_count:rate1m',
        '/s',
        once(ENDED_SYNCS, chance.between(0.05, 0.5)),
        SYNCS,
      ),
      ...gauge(
        DRIVER_APP,
        'app_syncs_total:rate1m',
        '/s',
        once(TRIED_SYNCS, chance.between(0.6, 3)),
        syncsOf(name),
      ),
    ]),
    ...gauge(OTHER_BALANCER, 'aws_applicationelb_healthy_host_count_average', '1', once(2, 1)),
    ...gauge(OTHER_BALANCER, 'aws_applicationelb_request_count_sum', '1', once(40, chance.whole(90, 400))),
    ...gauge(
      OTHER_BALANCER,
      'aws_applicationelb_httpcode_elb_5_xx_count_sum',
      '1',
      once(BALANCER_ERRORS, chance.whole(4, 60)),
    ),
    ...[LOG_STORE, OTHER_LOG_STORE].flatMap((name) => {
      const isTests = name === OTHER_LOG_STORE
      return [
        ...gauge(
          name,
          'kubelet_volume_stats_available_bytes',
          'By',
          isTests
            ? once(LOG_SPACE * 0.12, LOG_SPACE * chance.between(0, 0.05))
            : (since_s) => LOG_SPACE * (0.4 - filled * since_s),
          logClaim(name),
        ),
        ...gauge(
          name,
          'loki_ingester_wal_disk_full_failures_total:rate1m',
          '/s',
          isTests ? once(0, chance.between(0.3, 4)) : () => 0,
        ),
        ...gauge(
          name,
          'loki_request_duration_seconds_count:rate1m',
          '/s',
          once(FAILED_PUSHES, chance.between(0.1, isTests ? 6 : 0.6)),
          PUSHES,
        ),
      ]
    }),
    ...gauge(FIREWALLS[0], 'sysUpTime', '1', (since_s) => TICKS_A_SECOND * (RUNNING_S + since_s)),
    ...gauge(OFFICE_FIREWALLS[1], 'sysUpTime', '1', (since_s) => TICKS_A_SECOND * sinceBegun(since_s)),
    ...gauge(BORDER_SWITCH, 'ifOperStatus', '1', () => PORT_UP, portTo(FIREWALLS[0])),
    ...gauge(BORDER_SWITCH, 'ifOperStatus', '1', () => PORT_DOWN, portTo(FIREWALLS[1])),
    ...gauge(BORDER_SWITCH, 'ifOperStatus', '1', once(PORT_UP, PORT_DOWN), portTo(OFFICE_FIREWALLS[1])),
    ...gauge(FIREWALLS[0], 'probe_success', '1', () => 1, SITE_PROBE),
    ...gauge(OFFICE_FIREWALLS[1], 'probe_success', '1', once(1, 0), SITE_PROBE),
    ...[...RENTED_MACHINES, OTHER_RENTED].flatMap((node) => {
      const isOther = node === OTHER_RENTED
      return [
        ...gauge(
          node,
          'node_uptime_seconds',
          's',
          isOther ? sinceBegun : (since_s: number) => RUNNING_S + since_s,
          { node },
        ),
        ...gauge(
          node,
          'node_network_receive_bytes_total:rate1m',
          'By/s',
          once(PRIVATE_BYTES, PRIVATE_BYTES * chance.between(isOther ? 0.01 : 0.7, 1.4)),
          PRIVATE_PORT,
        ),
        ...gauge(node, 'openstack_neutron_agent_state', '1', isOther ? once(1, 0) : () => 1),
        ...gauge(node, 'probe_success', '1', isOther ? once(1, 0) : () => 1, PRIVATE_PING),
      ]
    }),
    ...[PAGE_PROCESSOR, OTHER_PROCESSOR].flatMap((name) => [
      ...gauge(
        name,
        'hangfire_job_count',
        '1',
        once(BOOKS_WAITING, chance.whole(8, name === PAGE_PROCESSOR ? 30 : 400)),
        ENQUEUED,
      ),
      ...gauge(name, 'hangfire_job_count', '1', once(BOOKS_IN_WORK, chance.whole(3, 8)), PROCESSING),
    ]),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the nineteenth generation. */
function nineteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'ActiveRecord::QueryCanceled: PG::QueryCanceled: ERROR:  canceling statement due to statement timeout (monthly report)',
    'KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full (exports)',
    'source sandbox-7 is not known, answered with 404',
    'order refused: 3.10 EUR are owed since last week',
    'getaddrinfo ENOTFOUND lb-images-old.elb.internal',
    'promtail: error sending batch, will retry: server returned HTTP status 429 Too Many Requests',
    'connect ETIMEDOUT 10.61.9.14:443 (office printers)',
    'Npgsql.PostgresException (0x80004005): 55P03: canceling statement due to lock timeout (covers)',
    'sync of ride 80114 waited for its lock (held for 2 s)',
  ]
  return [
    {
      ...{ part: 'site-monitor', per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: `${FIREWALLS[1]} has not answered for 6 days, nobody has acknowledged it`,
    },
    {
      ...{ part: LOG_STORE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'level=warn caller=compactor.go msg="retention is not enabled, nothing is deleted"',
    },
    {
      ...{ part: OTHER_LOG_STORE, per_minute: 0.3, after_s: ALWAYS_S, severity: 'ERROR' },
      message:
        'level=error caller=flush.go msg="failed to flush" err="write /data/loki/chunks: no space left on device"',
    },
    {
      ...{ part: PAGE_PROCESSOR, per_minute: 0.5, after_s: ALWAYS_S, severity: 'INFO' },
      message: `book ${chance.whole(10_000, 90_000)}: ${chance.whole(12, 90)} pages written in ${chance.whole(2, 9)} s`,
    },
    {
      ...{ part: OTHER_RENTED, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'systemd-networkd: ens4: DHCPv4 address 10.20.0.19/24 via 10.20.0.1',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const nineteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{
      after_s: chance.whole(-4_500, 600),
      kind: 'PersistentVolumeClaim',
      reason: 'FileSystemResizeSuccessful',
    },
    ...{ name: `storage-${OTHER_LOG_STORE}`, message: 'MountVolume.NodeExpandVolume succeeded for volume' },
  },
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Node', name: OTHER_RENTED, reason: 'NodeReady' },
    message: `Node ${OTHER_RENTED} status is now: NodeReady`,
  },
]

/** What control planes write down now and then: others' tasks end, others' machines begin anew. */
const nineteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [OTHER_TASKS[0], `${OTHER_TASKS[0]}: full load is done, the task has stopped`],
    [OTHER_BALANCER, `${OTHER_BALANCER}: its listener has another certificate`],
    [OTHER_RENTED, `${OTHER_RENTED}: power state changed from running to shutdown, then to running`],
    [
      OFFICE_FIREWALLS[1],
      `${OFFICE_FIREWALLS[1]}: configuration is the same as that of ${OFFICE_FIREWALLS[0]}`,
    ],
  ])

/** A family in a system that is measured, and changed, like every other of the nineteenth generation. */
export const amongNineteenthSurroundings = surroundedBy(amongEighteenthSurroundings, {
  gauges: nineteenthGauges,
  lines: nineteenthLines,
  k8s: nineteenthRecords,
  events: nineteenthEvents,
  harmless: harmlessChange,
})
