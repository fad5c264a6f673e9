/**
 * What is measured, complained of and changed in every system of the seventeenth generation, whatever happens to it: all that
 * the sixteenth has, and what shows one of the seventeenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S, runningSince } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { amongSixteenthSurroundings } from './sixteenth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'

/** Packets a second that the machines of a service let in by no rule. */
export const NOT_LET_IN = 0.4
export const DROPPED = { chain: 'INPUT', policy: 'DROP', table: 'filter' } as const

/** Machines that what others lean on runs on, each alone; 1 where nothing new is put on a machine. */
export const CORE_POOL = 'core-machines'
const BATCH_MACHINES = ['batch-2-1', 'batch-2-2', 'batch-2-3'] as const

/** Cores of the machine of a store, what waits for them, and share of them in use in per cent. */
export const CORES = 16
export const LOAD_AVERAGE = 3.2
export const CPU_USED = 24

/** Rows a second that a store reads for what it answers; threads of a service that are busy, and all that it has. */
export const ROWS = 42_000
export const THREADS = 9
export const MOST_THREADS = 200
export const CONNECTOR = { name: 'http-nio-8080' } as const
export const statedIn = (store: string): Readonly<Record<string, string>> => ({ datname: store })

/** What looks at data every few minutes, whether they can be so; rows of the tables that it reads and puts aside into. */
export const CHECKER = 'data-checks'
export const LIVE_ROWS = 3_600_000
export const ASIDE_ROWS = 1_900
export const DELETED_ROWS = 0.8
export const MEASUREMENTS = { relname: 'measurements', schemaname: 'public' } as const
export const PUT_ASIDE = { relname: 'measurements_held', schemaname: 'public' } as const

/** What feeds a rack when the mains fail, the one beside it, and that of the offices; what comes out of each. */
export const RACK_SUPPLY = 'ups-rack-2b'
const OTHER_SUPPLIES = ['ups-rack-2a', 'ups-office-1'] as const
export const ON_LINE = { flag: 'OL', ups: 'rack' } as const
export const VOLTS = 230
/** The switch of that rack, what it hangs on and by which port. */
export const RACK_SWITCH = 'sw-rack-2b'
const OTHER_SWITCH = 'sw-office-3'
export const UPPER_SWITCH = 'sw-agg-2'
export const RACK_PORT = { ifAlias: RACK_SWITCH, ifDescr: 'Ethernet1/12' } as const
const OFFICE_PORT = { ifAlias: OTHER_SWITCH, ifDescr: 'Ethernet1/31' } as const
/** As SNMP counts time. */
export const TICKS_A_SECOND = 100

/** Connections that devices hold open, new ones a second, and requests that wait for a place. */
export const HELD_OPEN = 6_200
export const NEWLY_OPEN = 3
export const WAITING_REQUESTS = 0.4
export const devicesOf = (service: string): Readonly<Record<string, string>> => ({
  proxy: `${service}-devices`,
})
/** Settings a second that devices ask for by the other way. */
export const ASKED_OTHERWISE = 0.3

/** What clients of a service connect to, member by member; connections that each takes a second. */
export const MEMBERS = [0, 1, 2] as const
export const TAKEN_EACH = 5
export const memberOf = (service: string, member: number): Readonly<Record<string, string>> => ({
  target: `tcp://${service}-${member}.members.internal:443`,
})
/** Where one's machines stand at a host. */
export const COLOCATION = 'colo.example'

/** Whether what speaks to a messenger for a service is logged in there. */
export const MESSENGER = { bridge: 'messenger' } as const
export const LOGGED_IN = 'bridge_logged_in'

/** Disks of an array that work, and that do not. */
export const ARRAY_DISKS = 8
export const ACTIVE_DISKS = { device: 'md2', state: 'active' } as const
export const FAILED_DISKS = { device: 'md2', state: 'failed' } as const

/** Which machines may get into those of a service. */
export function hostRule(
  service: string,
  [before, after]: readonly [before: string, after: string],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `hosts/${service}/iptables.rules`
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(20, 120), files: [path] },
    title,
    diff: edited(path, 14, [
      ['-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT'],
      [`-A INPUT -s ${before} -p tcp --dport 8080 -j ACCEPT`],
      [`-A INPUT -s ${after} -p tcp --dport 8080 -j ACCEPT`],
      ['-A INPUT -p icmp -j ACCEPT'],
    ]),
    ...(chance.is(0.6) ? { entity: service } : {}),
  }
}

/** Machines get another release of what runs on them, one after the other. */
export const machineUpgrade = (
  pool: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => ({
  ...byHand(`${pool}: scheduled upgrade of the operating system`, 0, entity),
  ...{ before, after },
})

/** A store gets another version, by who runs it. */
export const managedUpdate = (
  store: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => ({ ...byHand(`${store}: managed update`, 0, entity), ...{ before, after } })

/** What a service asks its store for a list. */
export function listQuery(service: string, come: readonly string[], title: string): CulpritRecord {
  const [sql, handler] = [`${service}/src/queries/conversations.sql`, `${service}/src/api/conversations.java`]
  return release(service, title, {
    [sql]: edited(sql, 3, [
      ['SELECT c.id, c.subject, c.updated_at'],
      [],
      come,
      ['FROM conversations c', 'WHERE c.account_id = :account'],
    ]),
    [handler]: edited(handler, 58, [
      ['    return rows.stream().map(row -> new Conversation('],
      ['        row.id(), row.subject(), row.updatedAt()))'],
      ['        row.id(), row.subject(), row.updatedAt(), row.extra()))'],
      ['        .toList();'],
    ]),
  })
}

/** Which data can be so. */
export function checkedData(gone: readonly string[], come: readonly string[], title: string): CulpritRecord {
  const path = `${CHECKER}/src/rules/plausible.py`
  return release(CHECKER, title, {
    [path]: edited(path, 27, [
      ['def is_plausible(row: Measurement) -> bool:'],
      gone,
      come,
      ['    return row.taken_at <= now() + SKEW'],
    ]),
  })
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const named = (name: string): string | undefined => (chance.is(0.6) ? name : undefined)
  const shape = chance.whole(0, 4)
  if (shape === 0)
    return hostRule(
      chance.pick(services),
      ['10.40.0.0/21', '10.40.0.0/20'],
      chance.pick(['Room for more machines', 'One range for all machines']),
      chance,
    )
  if (shape === 1) return machineUpgrade('batch-machines', ['9.3', '9.4'], named('batch-machines'))
  if (shape === 2) return managedUpdate('reports-db', ['14.9', '14.11'], named('reports-db'))
  if (shape === 3)
    return listQuery(
      chance.pick(services),
      ["  , coalesce(c.language, 'en') AS extra"],
      chance.pick(['The language of conversations', 'Conversations in their language']),
    )
  return checkedData(
    ['    if row.unit not in UNITS:', '        return False'],
    ['    if row.unit.strip() not in UNITS:', '        return False'],
    chance.pick(['Units with blanks', 'Blanks around units']),
  )
}

function seventeenthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const restarted_s = chance.whole(-4_500, 600)
  return [
    ...services.flatMap((name) => {
      const open = HELD_OPEN * chance.between(0.5, 1.2)
      return [
        ...gauge(
          name,
          'iptables_default_packets_total:rate1m',
          '/s',
          once(NOT_LET_IN, chance.between(2, 9)),
          DROPPED,
        ),
        ...gauge(name, 'tomcat_threads_busy_threads', '1', once(THREADS, chance.whole(14, 22)), CONNECTOR),
        ...gauge(
          name,
          'haproxy_frontend_current_sessions',
          '1',
          once(open, open * chance.between(1.05, 1.25)),
          devicesOf(name),
        ),
        ...gauge(
          name,
          'haproxy_frontend_connections_total:rate1m',
          '/s',
          once(NEWLY_OPEN, chance.between(6, 14)),
          devicesOf(name),
        ),
        ...gauge(
          name,
          'haproxy_backend_current_queue',
          '1',
          once(WAITING_REQUESTS, chance.between(2, 12)),
          devicesOf(name),
        ),
        ...gauge(
          name,
          'http_server_requests_seconds_count:rate1m',
          '/s',
          once(ASKED_OTHERWISE, chance.between(0.6, 2.4)),
          { uri: '/v1/devices/settings' },
        ),
        ...MEMBERS.flatMap((member) => [
          ...gauge(name, 'probe_success', '1', () => 1, memberOf(name, member)),
          ...gauge(
            name,
            'envoy_listener_downstream_cx_total:rate1m',
            '/s',
            once(TAKEN_EACH, TAKEN_EACH * chance.between(0.7, 1.8)),
            { member: String(member) },
          ),
        ]),
        ...gauge(name, 'bridge_connected', '1', () => 1, MESSENGER),
        ...gauge(name, LOGGED_IN, '1', () => 1, MESSENGER),
      ]
    }),
    ...gauge('office-concierge', LOGGED_IN, '1', once(1, 0), MESSENGER),
    ...gauge('office-concierge', 'bridge_connected', '1', once(1, 0), MESSENGER),
    ...BATCH_MACHINES.flatMap((node) =>
      gauge(node, 'kube_node_spec_unschedulable', '1', once(0, 1), { node }),
    ),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'rdsosmetrics_General_numVCPUs',
          '1',
          isReports ? once(CORES / 2, CORES) : () => CORES,
        ),
        ...gauge(
          name,
          'rdsosmetrics_loadAverageMinute_one',
          '1',
          once(LOAD_AVERAGE, chance.between(4.5, isReports ? 24 : 9)),
        ),
        ...gauge(
          name,
          'aws_rds_cpuutilization_average',
          'percent',
          once(CPU_USED, chance.between(30, isReports ? 97 : 52)),
        ),
        ...gauge(
          name,
          'pg_stat_database_tup_returned:rate1m',
          '/s',
          once(ROWS, ROWS * chance.between(1.4, isReports ? 30 : 3)),
          statedIn(name),
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_live_tup',
          '1',
          once(LIVE_ROWS, LIVE_ROWS * chance.between(0.97, 1.01)),
          MEASUREMENTS,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_live_tup',
          '1',
          once(ASIDE_ROWS, ASIDE_ROWS * chance.between(1.1, 1.8)),
          PUT_ASIDE,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_tup_del:rate1m',
          '/s',
          once(DELETED_ROWS, chance.between(4, isReports ? 900 : 30)),
          MEASUREMENTS,
        ),
        ...gauge(`${name}-host`, 'node_md_disks', '1', () => ARRAY_DISKS, ACTIVE_DISKS),
        ...gauge(`${name}-host`, 'node_md_disks', '1', isReports ? once(0, 1) : () => 0, FAILED_DISKS),
      ]
    }),
    ...[RACK_SUPPLY, ...OTHER_SUPPLIES].flatMap((name) => [
      ...gauge(
        name,
        'network_ups_tools_ups_status',
        '1',
        name === 'ups-office-1' ? once(1, 0) : () => 1,
        ON_LINE,
      ),
      ...gauge(
        name,
        'network_ups_tools_output_voltage',
        'V',
        // What feeds the offices is switched off and on again by hand.
        once(VOLTS, name === 'ups-office-1' ? 0 : VOLTS * chance.between(0.96, 1.04)),
      ),
    ]),
    ...gauge(RACK_SWITCH, 'sysUpTime', '1', (since_s) => TICKS_A_SECOND * (RUNNING_S + since_s)),
    ...gauge(
      OTHER_SWITCH,
      'sysUpTime',
      '1',
      (since_s) => TICKS_A_SECOND * runningSince(RUNNING_S, restarted_s)(since_s),
    ),
    ...gauge(UPPER_SWITCH, 'ifOperStatus', '1', () => 1, RACK_PORT),
    ...gauge(UPPER_SWITCH, 'ifOperStatus', '1', once(1, 2), OFFICE_PORT),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the seventeenth generation. */
function seventeenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    "requests.exceptions.ReadTimeout: HTTPConnectionPool(host='hints', port=8080): Read timed out. (read timeout=0.5)",
    'FATAL: remaining connection slots are reserved for non-replication superuser connections (reports-db)',
    'canceling statement due to statement timeout (nightly summary)',
    'no measurement for sample 11-204, shown without it',
    'read udp 10.40.2.14:41220->10.40.0.2:53: i/o timeout',
    'device 4410 reconnected after 1 try',
    'could not send to the messenger: rate limited, again in 2 s',
    'client of member 2 came back after 3 s',
  ]
  return [
    {
      ...{ part: UPPER_SWITCH, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: '%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/31 is down (Link failure)',
    },
    {
      ...{ part: 'ups-office-1', per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'upsmon: UPS office-1@localhost on battery',
    },
    {
      ...{ part: 'reports-db-host', per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'smartd: Device: /dev/sdh [SAT], 8 Currently unreadable (pending) sectors',
    },
    {
      ...{ part: CHECKER, per_minute: 0.6, after_s: ALWAYS_S, severity: 'INFO' },
      message: `looked at ${chance.whole(3, 9) * 1_000} rows`,
    },
    {
      ...{ part: 'office-concierge', per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'whatsmeow: Websocket closed unexpectedly, reconnecting',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const seventeenthRecords = (chance: Chance): readonly ToldRecord[] => {
  const node = chance.pick(BATCH_MACHINES)
  return [
    {
      ...{ after_s: chance.whole(-4_500, 600), kind: 'Node', name: node, reason: 'Rebooted' },
      message: `Node ${node} has been rebooted, boot id: 5b0f21c4-7a5e-4c1f-9d0e-3f8a2b6c1d77`,
    },
  ]
}

/** What control planes write down now and then: others' stores are updated, others' links are seen to. */
const seventeenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['reports-db', 'Database instance patched'],
    [OTHER_SWITCH, `${OTHER_SWITCH}: firmware is to be replaced on Thursday`],
    [COLOCATION, `${COLOCATION}: works on the cooling of hall 4 are completed`],
    ['ups-office-1', 'ups-office-1: self test passed'],
  ])

/** A family in a system that is measured, and changed, like every other of the seventeenth generation. */
export const amongSeventeenthSurroundings = surroundedBy(amongSixteenthSurroundings, {
  gauges: seventeenthGauges,
  lines: seventeenthLines,
  k8s: seventeenthRecords,
  events: seventeenthEvents,
  harmless: harmlessChange,
})
