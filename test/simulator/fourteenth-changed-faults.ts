/**
 * Families of the fourteenth generation whose cause is a change, each as a published report of one organisation has it: an
 * answer with a number where a text was, a collection of blobs that are still used, requests that are looked into because
 * they are slow, a maintenance of switches that a router does not bear, and a repair of a store by day. They were written
 * without knowledge of the engine; docs/simulator/fourteenth.md names the reports and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import {
  amongFourteenthSurroundings,
  answeredAs,
  collection,
  DELETED,
  DIAGNOSED,
  diagnosis,
  FORWARDED,
  LONGEST_STATEMENT_S,
  NOT_THERE,
  OBJECTS,
  STORE_ROUTERS,
  STORE_SWITCHES,
  SWITCH_PORTS,
  storeActivity,
  switchMaintenance,
  UNREADABLE_ANSWERS,
  WAITING_SESSIONS,
} from './fourteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { hex } from './simulate-incident.ts'

/**
 * A service answers with a number where a text was, as it was agreed. What callers have kept is well; as it expires, more
 * and more of what they read they cannot read. Who was changed answers as ever.
 */
const numberForText: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name)
  const [thing, field, column] = chance.pick([
    ['station', 'stationID', 'station_id'],
    ['route', 'routeCode', 'route_code'],
    ['ticket', 'zone', 'zone_no'],
  ] as const)
  const delay_s = chance.whole(240, 540)
  const expiring_s = chance.whole(300, 700)
  const share = chance.between(0.6, 0.9)
  const unreadable = (since_s: number): number => share * progress(since_s, expiring_s)
  const type = `${thing[0]?.toUpperCase()}${thing.slice(1)}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config', 'dependency'], entity: name, topology, delay_s },
    culprits: [
      answeredAs(
        name,
        thing,
        [`${field}: String(row.${column}),`, `${field}: row.${column},`],
        chance.pick(['Feed for Australia', 'Rows of the second feed', 'One query for both feeds']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: callers.map((caller) => ({
      ...{ part: caller.name, per_minute: 9, after_s: 20 },
      message: `json: cannot unmarshal number into Go struct field ${type}.${field} of type string`,
    })),
    gauges: callers.map((caller) => ({
      ...{ entity: caller.name, name: 'http_client_unreadable_answers_per_second', unit: '/s' },
      level: (since_s: number) =>
        UNREADABLE_ANSWERS + (arrivalsOf(topology).get(caller.name) ?? 0) * unreadable(since_s),
      decides: true,
    })),
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      callers.some((caller) => caller.name === part) ? { own_errors: unreadable(since_s - delay_s) } : {},
  }
}

/**
 * Blobs that nothing refers to are taken out of the store of objects, by a run that does not know of two kinds of reference.
 * Services that read from there find less and less of what they ask for.
 */
const collectedObjects: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const first = chance.pick(called).name
  const reading = [first, chance.pick(called.filter(({ name }) => name !== first)).name]
  const delay_s = chance.whole(60, 300)
  const running_s = chance.whole(420, 900)
  const share = chance.between(0.5, 0.8)
  const a_minute = chance.whole(900, 4_000)
  const [blob, bundle] = [0, 1].map(() => `sha256:${hex(chance)}${hex(chance).slice(0, 24)}`)
  const gone = (since_s: number): number => share * progress(since_s, running_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'data',
      kinds: ['infra', 'config', 'code'],
      entity: OBJECTS,
      places: reading,
      topology,
      delay_s,
    },
    culprits: [collection(OBJECTS, chance.is(0.6) ? OBJECTS : undefined)],
    undisturbed: reading,
    lines: [
      ...reading.flatMap((part) => [
        {
          ...{ part, per_minute: 8, after_s: 10 },
          message: `level=error msg="response completed with error" err.code="blob unknown" err.detail=${blob} err.message="blob unknown to registry" http.response.status=404`,
        },
        {
          ...{ part, per_minute: 5, after_s: 40 },
          message: `level=error msg="response completed with error" err.code="manifest unknown" err.detail="unknown manifest name=bundle revision=${bundle}" http.response.status=404`,
        },
      ]),
      {
        ...{ part: OBJECTS, per_minute: 4, after_s: -delay_s, until_s: running_s, severity: 'INFO' },
        message: `blob eligible for deletion: ${blob}`,
      },
    ],
    gauges: [
      {
        ...{ entity: OBJECTS, name: 'objects_deleted_per_minute', unit: '1', decides: true },
        level: (since_s) => DELETED + (since_s >= -delay_s && since_s < running_s ? a_minute : 0),
      },
      ...reading.map((part) => ({
        ...{ entity: part, name: 'object_store_not_found_per_second', unit: '/s', decides: true },
        level: (since_s: number) => NOT_THERE + (arrivalsOf(topology).get(part) ?? 0) * gone(since_s),
      })),
    ],
    working: (part, _pod, since_s) =>
      reading.includes(part) && since_s >= delay_s ? { own_errors: gone(since_s - delay_s) } : {},
  }
}

/**
 * A service looks into every request that took long, by asking its store once more how it came to its answer. That takes
 * the store's time, so more requests take long, and are looked into.
 */
const diagnosedRequests: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const slow_ms = chance.pick([200, 250, 400])
  const delay_s = chance.whole(30, 120)
  const growing_s = chance.whole(240, 480)
  const headroom = chance.between(2.2, 3.2)
  const arriving = arrivalsOf(topology).get(name) ?? 0
  const usual = arriving * (calls.find(({ to }) => to === store)?.per_request ?? 1)
  /** In the end the store is asked for more than it can do, by this service alone. */
  const wanted = headroom * chance.between(1.2, 1.6) - 1
  const most = (wanted * (arrivalsOf(topology).get(store) ?? 0)) / usual
  const statement_ms = chance.whole(2_100, 9_400)
  const looked = (since_s: number): number => progress(since_s, growing_s) ** 2
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'traffic', 'config'], entity: name, places: [store], delay_s },
    topology: sized(topology, store, headroom),
    culprits: [
      diagnosis(
        name,
        `took_ms > ${slow_ms}`,
        chance.pick(['Find out why requests take long', 'Diagnosis of requests that take long']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 7, severity: 'INFO' },
        message: `request explained: took more than ${slow_ms} ms`,
      },
      {
        ...{ part: store, per_minute: 6, after_s: 60, severity: 'INFO' },
        message: `LOG:  duration: ${statement_ms}.204 ms  statement: EXPLAIN (ANALYZE, BUFFERS) SELECT p.* FROM photos p JOIN contacts c ON c.owner_id = p.owner_id WHERE c.viewer_id = $1 ORDER BY p.taken_at DESC LIMIT 40`,
      },
      ...callersOf(topology, store).map((caller) => ({
        ...{ part: caller.name, per_minute: 4, after_s: 120 },
        message: 'error: canceling statement due to statement timeout: select contacts',
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'diagnosed_requests_per_minute', unit: '1', decides: true },
        level: (since_s) => DIAGNOSED + 60 * arriving * looked(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { fan_out: { to: store, factor: 1 + most * looked(since_s - delay_s) } } : {},
  }
}

/**
 * One of two switches before the stores is taken out for its maintenance, as ever. The router that is to send everything
 * over the other closes that port as well, and nobody gets to the stores any more.
 */
const routineSwitches: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const asking = services.filter(({ calls }) => calls.some(({ to }) => stores.includes(to)))
  const own = new Set(services.map(({ name }) => name))
  const [out, other] = chance.is(0.5) ? STORE_SWITCHES : STORE_SWITCHES.toReversed()
  const router = chance.pick(STORE_ROUTERS)
  const port = chance.whole(1, 8)
  const delay_s = chance.whole(10, 60)
  const share = chance.between(0.95, 0.99)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config', 'node'], entity: out as string, topology, delay_s },
    places: [other as string, ...STORE_ROUTERS, 'sw-stores'],
    culprits: [switchMaintenance('sw-stores', chance.is(0.6) ? out : undefined)],
    lines: [
      ...asking.map(({ name }) => ({
        ...{ part: name, per_minute: 9, after_s: 5 },
        message: `connect EHOSTUNREACH 10.48.2.${chance.whole(4, 60)}:5432`,
      })),
      {
        ...{ part: out as string, per_minute: 4, after_s: -delay_s, until_s: 60, severity: 'INFO' },
        message: `%LINEPROTO-5-UPDOWN: Line protocol on Interface TenGigabitEthernet1/0/${port}, changed state to down`,
      },
      {
        ...{ part: router, per_minute: 4, until_s: 240, severity: 'WARN' },
        message: `%PM-4-ERR_DISABLE: loopback error detected on Te1/0/${port}, putting Te1/0/${port} in err-disable state`,
      },
    ],
    gauges: [
      {
        ...{ entity: out as string, name: 'switch_ports_up', unit: '1', decides: true },
        level: (since_s) => (since_s < -delay_s ? SWITCH_PORTS : 0),
      },
      {
        ...{ entity: router, name: 'router_ports_disabled', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 0 : 1),
      },
      ...STORE_ROUTERS.map((entity) => ({
        ...{ entity, name: 'router_packets_forwarded_per_second', unit: '/s', decides: true },
        level: (since_s: number) => (since_s < 0 ? FORWARDED : FORWARDED * 0.02),
      })),
    ],
    working: (part, _pod, since_s) =>
      own.has(part) && since_s >= delay_s ? { cut_off: { to: stores, share } } : {},
  }
}

/**
 * The rest of a maintenance that had not come to its end is done by day. It holds what everybody reads, and a store that
 * several services ask answers slowly or not at all.
 */
const activityOnStore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name)
  const delay_s = chance.whole(20, 90)
  const slower = chance.between(60, 160)
  const relation = chance.whole(16_400, 19_800)
  const [workers, share] = [chance.whole(6, 14), chance.between(0.05, 0.2)]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'config', 'capacity'], entity: name, topology, delay_s },
    culprits: [storeActivity(name, chance.is(0.6) ? name : undefined)],
    lines: [
      {
        ...{ part: name, per_minute: 8, severity: 'INFO', after_s: 5 },
        message: `LOG:  process ${chance.whole(9_000, 31_000)} still waiting for AccessShareLock on relation ${relation} of database 16389 after 1000.173 ms`,
      },
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 7, after_s: 30 },
        message: `error: canceling statement due to statement timeout: relation ${relation}`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_longest_statement_seconds', unit: 's', decides: true },
        level: (since_s) => Math.max(LONGEST_STATEMENT_S, since_s + delay_s),
      },
      {
        ...{ entity: name, name: 'db_sessions_waiting', unit: '1', decides: true },
        level: (since_s) => WAITING_SESSIONS + 64 * progress(since_s, 90),
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      const so_far = progress(since_s - delay_s, 90)
      return {
        own_factor: 1 + slower * so_far,
        own_errors: share * so_far,
        ...(so_far < 1 ? {} : { workers }),
      }
    },
  }
}

/** The families of the fourteenth generation whose cause is a change. */
export const FOURTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'number-for-text': amongFourteenthSurroundings(numberForText),
  'collected-objects': amongFourteenthSurroundings(collectedObjects),
  'diagnosed-requests': amongFourteenthSurroundings(diagnosedRequests),
  'routine-switches': amongFourteenthSurroundings(routineSwitches),
  'activity-on-store': amongFourteenthSurroundings(activityOnStore),
}
