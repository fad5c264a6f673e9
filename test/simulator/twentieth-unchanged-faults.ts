/**
 * Families of the twentieth generation that no change of one's own caused, each as a published report of one organisation
 * has it: the way out of a place is gone while all in it runs on, workers are made until a store has no memory for their
 * connections, a burst of requests that what keeps answers does not bear, owners of pages who let nobody in any more, and
 * one of the servers of a store out of reach. They were written without knowledge of the engine; docs/simulator/twentieth.md
 * names the reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'
import { ESTABLISHED } from './sixteenth-surroundings.ts'
import {
  ADDRESS_POOL,
  ADDRESSES_IN,
  ANSWER_CACHE,
  ASKING,
  amongTwentiethSurroundings,
  CACHE_CONNECTIONS,
  CACHE_CPU,
  CONNECTIONS,
  fromOutside,
  HIT_RATE,
  harmlessColumn,
  harmlessReader,
  PAGES_READ,
  PAGES_REFUSED,
  pingOf,
  READ,
  SERVERS,
  SITE_ROUTER,
  STORE_MEMORY,
  SWAPPED,
  TASKS,
  TO_WRITE,
  TOO_MANY,
  TRANSIT,
  TRANSIT_BYTES,
  TRANSIT_PEER,
  TRANSIT_PORT,
  WORKERS,
  WRITE_QUEUES,
  writesTo,
} from './twentieth-surroundings.ts'

/**
 * What a seller of ways has in a data centre fails. Whatever runs there runs on, and its cable has light; it reaches nobody
 * outside, and nobody outside reaches it. It is still measured, by a line of its own.
 */
const darkUplink: ProductionFamily = (topology, chance): ProductionFault | null => {
  const first = chance.pick(inner(topology))
  const members = inner(topology).filter(({ name }) => name === first.name || chance.is(0.3))
  if (members.length === inner(topology).length) return null
  const names = members.map(({ name }) => name)
  const machines = Array.from({ length: 2 }, () => `ams-app-${chance.whole(10, 99)}`)
  if (new Set(machines).size < 2) return null
  const share = chance.between(0.95, 0.99)
  const callers = topology.parts
    .filter(({ name, calls }) => !names.includes(name) && calls.some(({ to }) => names.includes(to)))
    .map(({ name }) => name)
  const beyond = new Set(members.flatMap(({ calls }) => calls.map(({ to }) => to)))
  const outside = [...beyond].filter((to) => !names.includes(to))
  const [here, there] = [chance.whole(4, 90), chance.whole(91, 180)]
  const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['provider', 'infra', 'dependency'], entity: TRANSIT, isHosting: true },
    ...{ places: [SITE_ROUTER, ...machines], topology },
    hosting: hostedApart(hostingOf(topology, chance), machines, names),
    undisturbed: names,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, after_s: 4, decides: true },
        message: `connect ETIMEDOUT 203.0.113.${here}:443`,
      })),
      ...names.map((part) => ({
        ...{ part, per_minute: 7, after_s: 4, decides: true },
        message: `dial tcp 192.0.2.${there}:443: i/o timeout`,
      })),
      {
        ...{ part: SITE_ROUTER, per_minute: 4, after_s: 40, until_s: 120, severity: 'WARN', decides: true },
        message:
          'rpd[2106]: bgp_hold_timeout: NOTIFICATION sent to 198.51.100.1 (External AS 64500): code 4 (Hold Timer Expired Error)',
      },
    ],
    gauges: [
      {
        ...{ entity: SITE_ROUTER, name: 'bgpPeerState', unit: '1', labels: TRANSIT_PEER, decides: true },
        level: (since_s) => (since_s < 45 ? ESTABLISHED : ASKING),
      },
      {
        ...{ entity: SITE_ROUTER, name: 'ifHCInOctets:rate1m', unit: 'By/s', labels: TRANSIT_PORT },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? TRANSIT_BYTES : 60) },
      },
      {
        ...{ entity: TRANSIT, name: 'probe_success', unit: '1', labels: fromOutside(TRANSIT) },
        ...{ decides: true, level: isThere },
      },
      ...names.map((name) => ({
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: isThere,
      })),
    ],
    events: [
      {
        ...{ after_s: 420, kind: 'notification', reason: 'state', name: TRANSIT, decides: true },
        message: `${TRANSIT}: its seller looks into it, somebody is on the way to the data centre`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (names.includes(part)) return { cut_off: { to: outside, share } }
      return callers.includes(part) ? { cut_off: { to: names, share } } : {}
    },
  }
}

/**
 * What makes workers expects far more to do than there is, and makes ten times as many, each with connections of its own.
 * The store has no memory left, is slow while it puts some aside, is ended and begins anew; and the workers connect again.
 */
const scaledConnections: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const decoy = chance.pick(callers)
  const scaling_s = chance.whole(200, 420)
  const slow_s = chance.whole(80, 130)
  const away_s = chance.whole(80, 130)
  const filling_s = chance.whole(120, 260)
  const slower = chance.between(80, 200)
  const most = chance.whole(1_010, 1_340)
  const tasks = chance.whole(110, 160)
  const period_s = slow_s + away_s + filling_s
  /** Seconds into a turn: it is slow, then away, then fills again. */
  const turn = (since_s: number): number => (since_s < 0 ? since_s : since_s % period_s)
  const isAway = (since_s: number): boolean =>
    since_s >= 0 && turn(since_s) >= slow_s && turn(since_s) < slow_s + away_s
  /** How full its memory is: it fills as the workers are made, and again after each turn. */
  const filled = (since_s: number): number => {
    if (since_s < 0) return progress(since_s + scaling_s, scaling_s)
    return turn(since_s) < slow_s ? 1 : progress(turn(since_s) - slow_s - away_s, filling_s)
  }
  const slowness = (since_s: number): number =>
    since_s >= 0 && turn(since_s) < slow_s ? progress(turn(since_s), slow_s / 2) : 0
  /** Seconds that it has run, as long ago as weeks before its first end. */
  const ran_s = (since_s: number): number => {
    const ends = Math.floor((since_s - slow_s - away_s) / period_s)
    return ends < 0 ? RUNNING_S + since_s : since_s - slow_s - away_s - ends * period_s
  }
  const ended = [0, 1, 2, 3].flatMap((index) => {
    const at_s = slow_s + index * period_s
    return [
      [at_s + 4, 'Recovery of the DB instance has started. Recovery time will vary with the amount of data.'],
      [at_s + away_s, 'DB instance restarted'],
    ] as const
  })
  const ofStore = (metric: string, unit: string, level: (since_s: number) => number): Gauge => ({
    ...{ entity: name, name: metric, unit, decides: true, level },
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'config', 'data'], entity: name, places: [WORKERS], topology },
    elsewhere: [{ ...harmlessColumn(decoy, chance), after_s: -chance.whole(80, 500) }],
    undisturbed: callers,
    lines: [
      {
        ...{ part: WORKERS, per_minute: 4, severity: 'INFO', after_s: -9, decides: true },
        message: `expected usage is ${chance.between(8, 11).toFixed(2)} times that of last week, ${tasks} tasks are wanted`,
      },
      {
        ...{ part: name, per_minute: 9, after_s: slow_s, until_s: slow_s + 30, decides: true },
        message: `LOG:  server process (PID ${chance.whole(9_000, 30_000)}) was terminated by signal 9: Killed`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: slow_s, decides: true },
        message: 'PG::ConnectionBad: FATAL:  the database system is in recovery mode',
      })),
    ],
    gauges: [
      ofStore('db_up', '1', (since_s) => (isAway(since_s) ? 0 : 1)),
      ofStore('pg_up', '1', (since_s) => (isAway(since_s) ? 0 : 1)),
      ofStore(
        'aws_rds_database_connections_average',
        '1',
        (since_s) => CONNECTIONS + (most - CONNECTIONS) * filled(since_s),
      ),
      ofStore(
        'aws_rds_freeable_memory_average',
        'By',
        (since_s) => STORE_MEMORY * (1 - 0.985 * filled(since_s)),
      ),
      ofStore('aws_rds_swap_usage_average', 'By', (since_s) => SWAPPED * (1 + 60 * filled(since_s) ** 4)),
      ofStore('aws_rds_engine_uptime_average', 's', ran_s),
      {
        ...{ entity: WORKERS, name: 'aws_ecs_containerinsights_running_task_count_average', unit: '1' },
        ...{
          decides: true,
          level: (since_s) => TASKS + (tasks - TASKS) * progress(since_s + scaling_s, scaling_s * 0.8),
        },
      },
    ],
    events: ended.map(([after_s, message]) => ({
      ...{ after_s, kind: 'notification', reason: 'state', name, message, decides: true },
    })),
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      return isAway(since_s) ? { is_away: true } : { own_factor: 1 + (slower - 1) * slowness(since_s) }
    },
  }
}

/**
 * Very many ask just after midnight. What keeps answers has more to do than it can, so nearly every request is one of the
 * store's as well, which is at its end soon; and clients that have waited long enough ask again at once.
 */
const midnightBurst: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const kept = chance.between(0.68, 0.8)
  const made = sized(withParts(topology, { [name]: { cache_hits: kept } }), store, chance.between(1.3, 1.6))
  const usual = arrivalsOf(made).get(name) ?? 0
  const most = usual * chance.between(0.9, 1.4)
  const again = usual * chance.between(0.3, 0.8)
  const growing_s = chance.whole(50, 150)
  const lost = (since_s: number): number => progress(since_s - growing_s / 3, growing_s)
  const asking = (since_s: number): number =>
    most * progress(since_s, growing_s) + again * progress(since_s - growing_s, 200)
  const ofCache = (metric: string, unit: string, level: (since_s: number) => number): Gauge => ({
    ...{ entity: ANSWER_CACHE, name: metric, unit, decides: true, level },
  })
  const day = chance.whole(10, 28)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', kinds: ['capacity', 'infra', 'dependency'], entity: name, places: [ANSWER_CACHE] },
    ...{ topology: made, isDemand: true },
    undisturbed: [name],
    arriving: (part, since_s) => (part === name ? asking(since_s) : 0),
    lines: [
      {
        ...{ part: name, per_minute: 8, severity: 'WARN', after_s: growing_s / 2, decides: true },
        message: `ioredis: Command timed out (GET rates:2026-02-${day}), asking the database`,
      },
      {
        ...{ part: name, per_minute: 6, after_s: growing_s, decides: true },
        message:
          'KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
      },
    ],
    gauges: [
      ofCache(
        'aws_elasticache_cache_hit_rate_average',
        'percent',
        (since_s) => HIT_RATE - (HIT_RATE - 6) * lost(since_s),
      ),
      ofCache(
        'aws_elasticache_engine_cpuutilization_average',
        'percent',
        (since_s) => CACHE_CPU + (99 - CACHE_CPU) * progress(since_s, growing_s),
      ),
      ofCache(
        'aws_elasticache_curr_connections_average',
        '1',
        (since_s) => CACHE_CONNECTIONS * (1 + 11 * progress(since_s, growing_s)),
      ),
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (98 - CPU_USED) * lost(since_s),
      },
      {
        ...{ entity: store, name: 'aws_rds_database_connections_average', unit: '1', decides: true },
        level: (since_s) => CONNECTIONS * (1 + 2.1 * lost(since_s)),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { cache_hits: kept * (1 - 0.95 * lost(since_s)) } : {},
  }
}

/**
 * The owners of pages let the addresses by which they are asked in no more so often, and soon hardly at all. Whoever reads
 * those pages has nothing to give, and says so with an error; it was shipped shortly before with what does no harm.
 */
const limitedScrapers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name).map((caller) => caller.name)
  if (callers.length === 0) return null
  const decoy = chance.pick(callers)
  const growing_s = chance.whole(90, 260)
  const most = chance.between(0.93, 0.99)
  const limited = (since_s: number): number => most * progress(since_s, growing_s)
  const profile = chance.whole(10_000, 99_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'capacity', 'traffic'], entity: provider.name },
    ...{ places: [ADDRESS_POOL], topology },
    elsewhere: [{ ...harmlessReader(decoy, chance), after_s: -chance.whole(60, 400) }],
    undisturbed: callers,
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 5, decides: true },
        message: `Gave up retrying <GET https://${provider.name}.example/in/${profile}> (failed 3 times): 429 Unknown Status`,
      })),
      {
        ...{ part: ADDRESS_POOL, per_minute: 3, severity: 'WARN', after_s: 20, decides: true },
        message: `${provider.name}.example: address is set aside for 900 s (Retry-After), few are left`,
      },
    ],
    gauges: [
      ...callers.flatMap((part): readonly Gauge[] => [
        {
          ...{ entity: part, name: 'scrapy_response_status_count:rate1m', unit: '/s', labels: TOO_MANY },
          ...{ decides: true, level: (since_s) => PAGES_REFUSED + 3 * PAGES_READ * limited(since_s) },
        },
        {
          ...{ entity: part, name: 'scrapy_response_status_count:rate1m', unit: '/s', labels: READ },
          ...{ decides: true, level: (since_s) => PAGES_READ * (1 - limited(since_s)) },
        },
      ]),
      {
        ...{ entity: ADDRESS_POOL, name: 'proxy_addresses_available', unit: '1', decides: true },
        level: (since_s) => ADDRESSES_IN * (1 - 0.98 * progress(since_s, growing_s)),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= 0
        ? { refused: { to: provider.name, share: limited(since_s) } }
        : {},
  }
}

/**
 * A store's parts lie on three servers, and the network of the one's part of the data centre is gone. Whoever asks for what
 * lies there gets no answer, about a third of all; the others are well, and what is to be written there waits in a queue.
 */
const partedStore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const server = chance.pick(SERVERS)
  const decoy = chance.pick(callers)
  const share = chance.between(0.28, 0.38)
  const written = (arrivalsOf(topology).get(name) ?? 0) * share
  const address = chance.whole(4, 90)
  const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'node', 'provider'], entity: server, places: [name], topology },
    elsewhere: [{ ...harmlessColumn(decoy, chance), after_s: -chance.whole(80, 500) }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 4, decides: true },
      message: `feed ${chance.whole(10_000, 99_000)} could not be read: connect ETIMEDOUT 10.83.2.${address}:3310`,
    })),
    gauges: [
      { ...{ entity: server, name: 'up', unit: '1', decides: true }, level: isThere },
      {
        ...{ entity: server, name: 'probe_success', unit: '1', labels: pingOf(server), decides: true },
        level: isThere,
      },
      {
        ...{ entity: server, name: 'node_uptime_seconds', unit: 's', labels: { node: server } },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN) },
      },
      {
        ...{ entity: WRITE_QUEUES, name: 'redis_key_size', unit: '1', labels: writesTo(server) },
        ...{ decides: true, level: (since_s) => TO_WRITE + written * Math.max(0, since_s) },
      },
    ],
    events: [
      {
        ...{ after_s: 300, kind: 'notification', reason: 'state', name: server, decides: true },
        message: `${server}: the hosting company has trouble with the network in a part of the data centre`,
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= 0 ? { cut_off: { to: name, share } } : {},
  }
}

/** The families of the twentieth generation that no change of one's own caused. */
export const TWENTIETH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'dark-uplink': amongTwentiethSurroundings(darkUplink),
  'scaled-connections': unmeasuredWhileGone(amongTwentiethSurroundings(scaledConnections)),
  'midnight-burst': amongTwentiethSurroundings(midnightBurst),
  'limited-scrapers': amongTwentiethSurroundings(limitedScrapers),
  'parted-store': unmeasuredWhileGone(amongTwentiethSurroundings(partedStore)),
}
