/**
 * Families of the sixteenth generation whose cause is a change, each as a published report of one organisation has it: a
 * store that hangs as its upgrade comes to its end, a restart of a store after which one service writes where it may only
 * read, a way to ship services that makes all of them canaries, errors that are no longer seen to, and routes between
 * networks of one's own. They were written without knowledge of the engine; docs/simulator/sixteenth.md names the reports and
 * the rule of choice.
 */
import { storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ACTIVE,
  ASKED_OUTSIDE,
  amongSixteenthSurroundings,
  BYTES_IN,
  canaryResultsOf,
  caughtErrors,
  EXCEPTION_LABELS,
  EXCEPTIONS,
  GATEWAY,
  INTERFACE,
  LONGEST_S,
  NO_ROUTE,
  ofDatabase,
  PIPELINE,
  pipelineStep,
  READERS,
  RESULTS,
  resultsOf,
  routesOf,
  SENT,
  storeRestart,
  storeUpgrade,
  WAITING,
  WAITING_PROCESSES,
  WRITERS,
} from './sixteenth-surroundings.ts'

/** Milliseconds after which nobody waits for an answer any more. */
const NEVER_MS = 6_000

/** Seconds that a store is not there while it is begun anew. */
const RESTARTING_S = 10

/**
 * An upgrade of a store runs for the better part of an hour, and all is well meanwhile. As it comes to its end the store
 * hangs: it takes what it is asked and answers nothing, and whoever asks it has soon no worker left.
 */
const hungUpgrade: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const delay_s = chance.whole(1_500, 3_400)
  const hanging_s = chance.whole(5, 25)
  const waiting = chance.whole(70, 190)
  const process_id = chance.whole(2_000, 29_000)
  const host = `${name}-host`
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['data', 'config', 'dependency', 'capacity'],
      entity: name,
      topology,
      delay_s,
    },
    places: [host],
    culprits: [
      storeUpgrade(
        name,
        chance.pick(['third attempt', 'so that a second copy can be added', 'next step to a second copy']),
        chance.is(0.6) ? name : undefined,
      ),
    ],
    undisturbed: callers,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, after_s: 15 },
        message:
          'sqlalchemy.exc.TimeoutError: QueuePool limit of size 20 overflow 10 reached, connection timed out, timeout 3.00',
      })),
      {
        ...{ part: host, per_minute: 3, after_s: 125 },
        message: `INFO: task postgres:${process_id} blocked for more than 120 seconds.`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'pg_stat_activity_max_tx_duration', unit: 's', labels: ACTIVE },
        ...{
          decides: true,
          // Who measures asks the store as well, and gets no answer once it hangs.
          level: (since_s) => (since_s > 0 ? Number.NaN : Math.max(LONGEST_S, since_s + delay_s)),
        },
      },
      {
        ...{ entity: name, name: 'pg_up', unit: '1', decides: true },
        level: (since_s) => (since_s < 15 ? 1 : 0),
      },
      {
        ...{ entity: host, name: 'namedprocess_namegroup_states', unit: '1', labels: WAITING, decides: true },
        level: (since_s) => WAITING_PROCESSES + waiting * progress(since_s, 60),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name
        ? { own_factor: 1.15 + (NEVER_MS / own_ms) * progress(since_s - delay_s, hanging_s) }
        : {},
  }
}

/**
 * A store is begun anew, as a precaution. Of those who ask it all but one connect again as they were; the connections of
 * that one are led to the endpoint that may only be read, and what it has to write is refused.
 */
const readOnlyEndpoint: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const hit = chance.pick(callersOf(topology, name)).name
  const delay_s = chance.whole(30, 100)
  const growing_s = chance.whole(15, 60)
  const share = chance.between(0.4, 0.75)
  const led = chance.whole(20, 44)
  const over = (since_s: number): number => led * progress(since_s + 10, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'data', 'dependency'], entity: name, topology, delay_s },
    places: [`${name}-reader`, `${name}-writer`, hit],
    culprits: [
      storeRestart(
        name,
        chance.pick(['its instances begin anew', 'restart', 'restart before the busy weeks']),
        chance.is(0.6) ? name : undefined,
      ),
    ],
    undisturbed: [hit],
    lines: [
      {
        ...{ part: hit, per_minute: 10, after_s: 5 },
        message: 'org.postgresql.util.PSQLException: ERROR: cannot execute INSERT in a read-only transaction',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'aws_rds_engine_uptime_average', unit: 's', decides: true },
        level: (since_s) => (since_s < -delay_s ? RUNNING_S + since_s : since_s + delay_s),
      },
      {
        ...{ entity: `${name}-writer`, name: 'pg_stat_database_numbackends', unit: '1', decides: true },
        ...{ labels: ofDatabase(name), level: (since_s) => WRITERS - over(since_s) },
      },
      {
        ...{ entity: `${name}-reader`, name: 'pg_stat_database_numbackends', unit: '1', decides: true },
        ...{ labels: ofDatabase(name), level: (since_s) => READERS + over(since_s) },
      },
    ],
    events: [
      {
        ...{ after_s: RESTARTING_S - delay_s, kind: 'notification', reason: 'state', name, decides: true },
        message: 'DB instance restarted',
      },
    ],
    working: (part, _pod, since_s) => {
      if (part === name && since_s < RESTARTING_S) return { is_away: true }
      return part === hit && since_s >= delay_s
        ? { refused: { to: name, share: share * progress(since_s - delay_s, growing_s) } }
        : {}
    },
  }
}

/**
 * The way in which services are shipped says for each release whether it is a canary, and says so of all of them. The first
 * service that is shipped so puts its results where nobody takes them; it is well, and who waits for them gets none.
 */
const unaskedCanary: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const waiting = chance.pick(callersOf(topology, name)).name
  const delay_s = chance.whole(60, 180)
  const shipping_s = chance.whole(90, 200)
  const share = chance.between(0.35, 0.7)
  const arriving = arrivalsOf(topology).get(name) ?? 0
  const astray = (since_s: number): number => share * progress(since_s, shipping_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'config',
      kinds: ['code', 'infra', 'data'],
      entity: name,
      places: [PIPELINE],
      topology,
      delay_s,
    },
    culprits: [
      pipelineStep(
        ["  if (flags.canary) environment.CANARY = '1'"],
        ['  environment.CANARY = String(flags.canary === true)'],
        chance.pick([
          'Say of every release whether it is a canary',
          'No canary that nobody asked for',
          'Canaries by their flag alone',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name, waiting],
    lines: [
      {
        ...{ part: waiting, per_minute: 10, after_s: 10 },
        message: `TimeoutError: no result of run ${chance.whole(40_000, 900_000)} within 30000 ms`,
      },
    ],
    gauges: [
      {
        ...{ entity: RESULTS, name: 'aws_sqs_approximate_number_of_messages_visible_average', unit: '1' },
        ...{ labels: canaryResultsOf(name), decides: true },
        level: (since_s) => (since_s < -delay_s ? 0 : arriving * share * (since_s + delay_s) * 0.5),
      },
      {
        ...{ entity: RESULTS, name: 'aws_sqs_number_of_messages_sent_average', unit: '1' },
        ...{ labels: resultsOf(name), decides: true },
        level: (since_s) => SENT * (1 - 0.98 * progress(since_s + delay_s, delay_s + shipping_s)),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) => (part === waiting ? { own_errors: astray(since_s - delay_s) } : {}),
  }
}

/**
 * A release no longer sees to one of the errors that a service has always got for some of what it asks. Requests that meet
 * it fail, the others do not, and those who made them try again.
 */
const narrowedCatch: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asking = inner(topology).filter(({ calls }) => calls.length > 0)
  if (asking.length === 0) return null
  const { name } = chance.pick(asking)
  const delay_s = chance.whole(5, 25)
  const shipping_s = chance.whole(60, 150)
  const share = chance.between(0.2, 0.42)
  const arriving = arrivalsOf(topology).get(name) ?? 0
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s },
    culprits: [
      caughtErrors(
        name,
        'Telematics',
        ['FeignException.NotFound | FeignException.Gone', 'FeignException.Gone'],
        chance.pick([
          'Errors of telematics say what they are',
          'Fewer errors in one place',
          'Clients of one shape',
        ]),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9, after_s: 5 },
        message: `feign.FeignException$NotFound: [404 Not Found] during [GET] to [http://telematics/v1/drivers/${chance.whole(10_000, 99_000)}] [Telematics#find(long)]: [{"error":"not_configured"}]`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s' },
        ...{ labels: EXCEPTION_LABELS, decides: true },
        level: (since_s) => EXCEPTIONS + arriving * share * progress(since_s + delay_s, shipping_s),
      },
    ],
    demand: (since_s) => 1 + 0.4 * share * progress(since_s, shipping_s),
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/**
 * Networks that nobody outside uses get other routes, and share with the others what joins them. As long as that is being
 * done, the way from the first service to those behind it comes and goes, and fewer get in at all.
 */
const internalRoutes: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const to = root.calls.map((call) => call.to)
  const delay_s = chance.whole(10, 50)
  const growing_s = chance.whole(10, 40)
  const every_s = chance.whole(40, 110)
  const lost = chance.whole(300, 2_600)
  const fewer = chance.between(0.25, 0.55)
  const ports = chance.whole(40_000, 59_000)
  const gone = (since_s: number): number =>
    progress(since_s, growing_s) * (0.68 + 0.27 * Math.sin((2 * Math.PI * since_s) / every_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config'], entity: GATEWAY, topology, delay_s },
    culprits: [
      routesOf(
        GATEWAY,
        ['local.internal_attachment', 'aws_ec2_transit_gateway_vpc_attachment.internal_v2.id'],
        chance.pick([
          'Internal resources: next generation',
          'Internal networks as planned',
          'Move what is internal',
        ]),
        chance,
      ),
    ],
    undisturbed: [root.name],
    lines: [
      {
        ...{ part: root.name, per_minute: 10, after_s: 8 },
        message:
          'upstream connect error or disconnect/reset before headers. reset reason: connection timeout',
      },
      {
        ...{ part: root.name, per_minute: 3, after_s: 20, severity: 'WARN' },
        message: `read tcp 10.44.1.9:${ports}->10.44.6.20:443: read: connection reset by peer`,
      },
    ],
    gauges: [
      {
        ...{ entity: GATEWAY, name: 'aws_transitgateway_packet_drop_count_no_route_sum', unit: '1' },
        ...{ decides: true, level: (since_s) => NO_ROUTE + (since_s < 0 ? 0 : lost * gone(since_s)) },
      },
      {
        ...{ entity: GATEWAY, name: 'aws_transitgateway_bytes_in_sum', unit: 'By', decides: true },
        level: (since_s) => BYTES_IN * (1 - 0.8 * (since_s < 0 ? 0 : gone(since_s))),
      },
      {
        ...{ entity: INTERFACE, name: 'probe_success', unit: '1', labels: ASKED_OUTSIDE, decides: true },
        level: (since_s) => (since_s < 0 || gone(since_s) < 0.6 ? 1 : 0),
      },
    ],
    demand: (since_s) => 1 - fewer * progress(since_s, growing_s),
    working: (part, _pod, since_s) =>
      part === root.name && since_s >= delay_s ? { cut_off: { to, share: gone(since_s - delay_s) } } : {},
  }
}

/** The families of the sixteenth generation whose cause is a change. */
export const SIXTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'hung-upgrade': amongSixteenthSurroundings(hungUpgrade),
  'read-only-endpoint': amongSixteenthSurroundings(readOnlyEndpoint),
  'unasked-canary': amongSixteenthSurroundings(unaskedCanary),
  'narrowed-catch': amongSixteenthSurroundings(narrowedCatch),
  'internal-routes': amongSixteenthSurroundings(internalRoutes),
}
