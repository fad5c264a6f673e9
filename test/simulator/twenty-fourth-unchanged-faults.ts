/**
 * Families of the twenty-fourth generation that no change of one's own caused, each as a published report of one organisation
 * has it: results of a draw that do not get to who is to show them, rows of customers that are deleted while a pipeline
 * stands still, a database that has lost what it kept in memory, a park that is struck by lightning, and a source outside
 * that lets nobody in any more. They were written without knowledge of the engine; docs/simulator/twenty-fourth.md names the
 * reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import { RINGS } from './twelfth-surroundings.ts'
import {
  amongTwentyFourthSurroundings,
  BLOCKS_HIT,
  BLOCKS_READ,
  CORE,
  consumerOf,
  drawnFor,
  EVENTS_READ,
  EVENTS_REFUSED,
  FORBIDDEN,
  harmlessIndexes,
  harmlessPages,
  LOCK_WAITS,
  LOTTERY,
  PARK_HOSTS,
  PARK_MODEM,
  PARK_SUPPLY,
  PARK_SWITCH,
  PARK_VOLTS,
  PIPELINE,
  PLOTS,
  PORT_DOWN,
  PORT_UP,
  portTo,
  READ,
  RECORDS_BEHIND,
  RECORDS_READ,
  ROW_TASKS,
  ROWS_DELETED,
  TASKS_WAITING,
} from './twenty-fourth-surroundings.ts'

/** Client errors a second that a service gets of a peer. */
const CLIENT_ERRORS = 0.4

/**
 * Winners are drawn for all plots at once. Of many plots the result does not get to the service that is to show it: it
 * shows 0 as the number that won, and whoever won is turned away there.
 */
const undeliveredDraw: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const share = chance.between(0.35, 0.7)
  const opening_s = chance.whole(30, 120)
  const drawn_s = chance.whole(20, 60)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'dependency', 'infra'], entity: LOTTERY, places: [name], topology },
    elsewhere: [{ ...harmlessPages(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: [name, ...callers],
    lines: [
      {
        ...{ part: LOTTERY, per_minute: 12, until_s: 60, severity: 'INFO', decides: true },
        message: `draw ${chance.whole(100, 900)} is over: ${PLOTS} plots, a winner for each`,
      },
      {
        ...{ part: name, per_minute: 9, after_s: 3, severity: 'WARN', decides: true },
        message: `plot ${chance.whole(2, 24)}-${chance.whole(1, 60)}: number that won is 0, no participants, claim is refused`,
      },
    ],
    gauges: [
      {
        ...{ entity: LOTTERY, name: 'lottery_results_drawn', unit: '1', labels: drawnFor(name) },
        ...{ decides: true, level: (since_s) => (since_s < -drawn_s ? 0 : PLOTS) },
      },
      {
        ...{ entity: name, name: 'lottery_results_received', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 0 : PLOTS * (1 - share)),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_errors: share * progress(since_s, opening_s) } : {},
  }
}

/**
 * Customers delete many rows, and what sees to that has more to do than it can. Its statements wait for each other's locks in
 * the store, and a record that cannot be read stops the pipeline of all data: everybody is slower, hardly anybody fails.
 */
const deletedRows: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name, own_ms } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const begun_s = chance.whole(60, 240)
  const growing_s = chance.whole(60, 180)
  const stopped_s = chance.whole(0, 150)
  const slow_ms = chance.between(180, 360)
  const ended = chance.between(0.005, 0.015)
  const more = chance.between(15, 40)
  const offset = chance.whole(1_000_000, 9_000_000)
  const begun = (since_s: number): number => progress(since_s + begun_s, begun_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['capacity', 'code', 'traffic', 'infra'], entity: name, topology },
    places: [ROW_TASKS, PIPELINE],
    undisturbed: callers,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 4, after_s: 10, decides: true },
        message: 'ER_LOCK_DEADLOCK: Deadlock found when trying to get lock; try restarting transaction',
      })),
      {
        ...{ part: ROW_TASKS, per_minute: 9, decides: true },
        message: `reconcile of ${chance.whole(20, 90)}000 deleted rows: ER_LOCK_DEADLOCK, message goes back to the queue`,
      },
      {
        ...{ part: PIPELINE, per_minute: 6, after_s: stopped_s, decides: true },
        message: `SerializationException: Error deserializing key/value for partition ${PIPELINE}-rows-3 at offset ${offset}. If needed, please seek past the record to continue consumption.`,
      },
    ],
    gauges: [
      {
        ...{ entity: ROW_TASKS, name: 'rows_deleted_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => ROWS_DELETED * (1 + more * begun(since_s)),
      },
      {
        ...{ entity: ROW_TASKS, name: 'stackdriver_pubsub_subscription_num_undelivered_messages', unit: '1' },
        ...{ decides: true, level: (since_s) => TASKS_WAITING + 6 * Math.max(0, since_s + begun_s) },
      },
      {
        ...{ entity: PIPELINE, name: 'kafka_consumergroup_lag', unit: '1', labels: consumerOf(PIPELINE) },
        ...{
          decides: true,
          level: (since_s) => RECORDS_BEHIND + RECORDS_READ * Math.max(0, since_s - stopped_s),
        },
      },
      {
        ...{ entity: PIPELINE, name: 'pipeline_records_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => (since_s < stopped_s ? RECORDS_READ : 0),
      },
      {
        ...{ entity: name, name: 'mysql_global_status_innodb_row_lock_current_waits', unit: '1' },
        ...{ decides: true, level: (since_s) => LOCK_WAITS + 45 * progress(since_s, growing_s) },
      },
      {
        ...{ entity: name, name: 'db_deadlocks_per_minute', unit: '1', decides: true },
        level: (since_s) => RINGS + 24 * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? {
            own_factor: 1 + (slow_ms / own_ms - 1) * progress(since_s, growing_s),
            own_errors: ended * progress(since_s, growing_s),
          }
        : {},
  }
}

/**
 * A database begins anew while more is asked of it than ever, and has nothing in memory. Its indexes are not what they were
 * either: it reads all from its volume, and answers so late that what it should keep never gets together.
 */
const clearedResults: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  if (callers.length === 0) return null
  const away_s = chance.whole(10, 30)
  const slow_ms = chance.between(900, 2_400)
  const reads = chance.between(30, 70)
  const isBack = (since_s: number): boolean => since_s >= away_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'infra', 'dependency', 'node'], entity: name, topology },
    elsewhere: [{ ...harmlessIndexes(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: callers,
    lines: [
      {
        ...{ part: name, per_minute: 24, after_s: away_s, until_s: away_s + 20, severity: 'INFO' },
        ...{ decides: true, message: 'database system is ready to accept connections' },
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 20, until_s: away_s, decides: true },
        message: 'FATAL: the database system is starting up',
      })),
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: away_s + 15, decides: true },
        message: 'ERROR: canceling statement due to statement timeout (receipt_archive)',
      })),
    ],
    gauges: [
      ...['db_up', 'pg_up'].map((measure) => ({
        ...{ entity: name, name: measure, unit: '1', decides: true },
        level: (since_s: number) => (since_s < 0 || isBack(since_s) ? 1 : 0),
      })),
      {
        ...{ entity: name, name: 'aws_rds_engine_uptime_average', unit: 's', decides: true },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : since_s),
      },
      {
        ...{ entity: name, name: 'pg_stat_database_blks_read:rate1m', unit: '/s', decides: true },
        level: (since_s) => BLOCKS_READ * (isBack(since_s) ? reads : 1),
      },
      {
        ...{ entity: name, name: 'pg_stat_database_blks_hit:rate1m', unit: '/s', decides: true },
        level: (since_s) => BLOCKS_HIT * (isBack(since_s) ? 0.15 : 1),
      },
    ],
    events: [
      {
        ...{ after_s: 8, kind: 'notification', reason: 'RDS-EVENT-0006', name, service: name, decides: true },
        message: `${name}: DB instance restarted`,
      },
    ],
    working: (part, _pod, since_s) =>
      part !== name || since_s < 0
        ? {}
        : isBack(since_s)
          ? { own_factor: (slow_ms / own_ms) * (1 - 0.25 * progress(since_s, 1_800)) }
          : { is_away: true },
  }
}

/** 1 until it is gone, as what others say of something has it. */
const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)

/** What others measure of a service whose pods are all gone. */
const goneService = (name: string, pods: number): readonly Gauge[] => [
  { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
  {
    ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
    level: (since_s) => pods * isThere(since_s),
  },
  {
    ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
    level: isThere,
  },
  {
    ...{ entity: name, name: 'kube_deployment_status_replicas_available', unit: '1' },
    ...{ labels: { deployment: name }, decides: true, level: (since_s) => pods * isThere(since_s) },
  },
]

/**
 * Lightning strikes a park, and its mains is lost. When the mains is back some minutes later, what joined its machines to all
 * others is burnt, and nobody gets to what runs there.
 */
const struckPark: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology)
  const first = chance.pick(candidates)
  const hit = candidates.filter(({ name }) => name === first.name || chance.is(0.3))
  const names = hit.map(({ name }) => name)
  const restored_s = chance.whole(300, 900)
  const untilGone =
    (level: (since_s: number) => number): ((since_s: number) => number) =>
    (since_s) =>
      since_s < 0 ? level(since_s) : Number.NaN
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'node', 'provider'], entity: PARK_SWITCH, topology },
    ...{ places: [PARK_SUPPLY, ...PARK_HOSTS], isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), PARK_HOSTS, names),
    undisturbed: names,
    lines: [
      {
        ...{ part: CORE, per_minute: 30, until_s: 12, decides: true },
        message: `%LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet0/7 (${PARK_SWITCH}), changed state to down`,
      },
      ...hit.flatMap(({ name }) =>
        callersOf(topology, name)
          .filter((caller) => !names.includes(caller.name))
          .map((caller) => ({
            ...{ part: caller.name, per_minute: 6, after_s: 4, decides: true },
            message: `connect EHOSTUNREACH ${name}.park.example:8443`,
          })),
      ),
    ],
    gauges: [
      {
        ...{ entity: CORE, name: 'ifOperStatus', unit: '1', labels: portTo(PARK_SWITCH), decides: true },
        level: (since_s) => (since_s < 0 ? PORT_UP : PORT_DOWN),
      },
      {
        ...{ entity: PARK_SWITCH, name: 'sysUpTime', unit: 's', decides: true },
        level: untilGone((since_s) => RUNNING_S + since_s),
      },
      {
        ...{ entity: PARK_SUPPLY, name: 'network_ups_tools_input_voltage', unit: 'V', decides: true },
        level: untilGone(() => PARK_VOLTS),
      },
      ...PARK_HOSTS.map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: untilGone((since_s) => RUNNING_S + since_s),
      })),
      ...hit.flatMap(({ name, pods }) => goneService(name, pods)),
    ],
    events: [
      {
        ...{ after_s: 6, kind: 'notification', reason: 'state', name: PARK_MODEM, decides: true },
        message: `${PARK_MODEM}: mains is lost`,
      },
      {
        ...{ after_s: restored_s, kind: 'notification', reason: 'state', name: PARK_MODEM, decides: true },
        message: `${PARK_MODEM}: mains is back`,
      },
    ],
    k8s: PARK_HOSTS.map((node, index) => notReady(node, 41 + 3 * index)),
    working: (part, _pod, since_s) => (names.includes(part) && since_s >= 0 ? { is_away: true } : {}),
  }
}

/** A source outside that anybody could ask does not permit it any more, and whoever shows what it says has nothing to show. */
const forbiddenSource: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name).map((caller) => caller.name)
  if (callers.length === 0) return null
  const share = chance.between(0.95, 0.99)
  const arrivals = arrivalsOf(topology)
  const refused = (since_s: number): number => (since_s < 0 ? 0 : share)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'config'], entity: provider.name, topology },
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 2, decides: true },
      message: `GET https://${provider.name}.example/api/airport-events answered 403: Access Denied. You don't have permission to access "/api/airport-events" on this server.`,
    })),
    gauges: callers.flatMap((part): readonly Gauge[] => [
      {
        ...{ entity: part, name: 'airport_events_fetched_total:rate1m', unit: '/s', labels: READ },
        ...{ decides: true, level: (since_s) => EVENTS_READ * (1 - refused(since_s)) },
      },
      {
        ...{ entity: part, name: 'airport_events_fetched_total:rate1m', unit: '/s', labels: FORBIDDEN },
        ...{ decides: true, level: (since_s) => EVENTS_REFUSED + EVENTS_READ * refused(since_s) },
      },
      {
        ...{ entity: part, name: 'http_client_responses_4xx_per_second', unit: '/s' },
        ...{ labels: { peer: provider.name }, decides: true },
        level: (since_s) => CLIENT_ERRORS + 0.5 * (arrivals.get(part) ?? 0) * refused(since_s),
      },
    ]),
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= 0
        ? { refused: { to: provider.name, share: refused(since_s) } }
        : {},
  }
}

/** The families of the twenty-fourth generation that no change of one's own caused. */
export const TWENTY_FOURTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'undelivered-draw': amongTwentyFourthSurroundings(undeliveredDraw),
  'deleted-rows': amongTwentyFourthSurroundings(deletedRows),
  'cleared-results': amongTwentyFourthSurroundings(clearedResults),
  'struck-park': unmeasuredWhileGone(amongTwentyFourthSurroundings(struckPark)),
  'forbidden-source': amongTwentyFourthSurroundings(forbiddenSource),
}
