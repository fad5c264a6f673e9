/**
 * Families of the twenty-fifth generation that no change of one's own caused, each as a published report of one organisation
 * has it: a rented machine that begins anew without its application, pools of applications that are begun anew until nothing
 * begins them any more, a store of jobs that is looked through for each of them, a source that nobody could switch away from,
 * and a database that has become too small for what it is asked. They were written without knowledge of the engine;
 * docs/simulator/twenty-fifth.md names the reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  type Gauge,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import { CPU_USED } from './seventeenth-surroundings.ts'
import { CONNECTIONS } from './twentieth-surroundings.ts'
import {
  APP_UNIT,
  amongTwentyFifthSurroundings,
  begunAnew,
  DISK_QUEUE,
  FAILED_LOOKUPS,
  harmlessSessions,
  JOB_STORE,
  PANEL_CACHE,
  PUT_OUT,
  RECYCLES,
  SCANNING,
  SCANS,
  SCHEDULE,
  SCHEDULED,
  SILENT_S,
  SITE_HOST,
  UPLINK_SWITCH,
} from './twenty-fifth-surroundings.ts'
import { CORE, PORT_DOWN, PORT_UP, portTo } from './twenty-fourth-surroundings.ts'

/**
 * Who rents out a machine begins it anew, as it had told. All that ran there is back after a minute or two but the application,
 * which nothing begins; the web server before it answers whoever looks whether the machine is well.
 */
const disabledUnit: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const away_s = chance.whole(45, 120)
  const isThere = (since_s: number): number => (since_s < 0 || since_s >= away_s ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'provider', 'config'], entity: SITE_HOST, topology },
    ...{ places: [name], isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), [SITE_HOST], [name]),
    elsewhere: [{ ...harmlessSessions(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: [name, ...callers],
    lines: [
      {
        ...{ part: SITE_HOST, per_minute: 30, after_s: away_s, until_s: away_s + 12, severity: 'INFO' },
        ...{ decides: true, message: 'systemd[1]: Reached target Multi-User System.' },
      },
      {
        ...{ part: SITE_HOST, per_minute: 9, after_s: away_s + 3, decides: true },
        message:
          'nginx: connect() failed (111: Connection refused) while connecting to upstream, upstream: "http://127.0.0.1:6543/"',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: away_s + 3, decides: true },
        message: `https://${name}.rented.example answered 502 Bad Gateway, server: nginx/1.10.3`,
      })),
    ],
    gauges: [
      {
        ...{ entity: SITE_HOST, name: 'node_uptime_seconds', unit: 's', labels: { node: SITE_HOST } },
        ...{ decides: true, level: begunAnew(0, away_s) },
      },
      {
        ...{ entity: SITE_HOST, name: 'node_systemd_unit_state', unit: '1', labels: APP_UNIT },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 1 : 0) },
      },
      { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: isThere,
      },
      {
        ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
        level: (since_s) => pods * isThere(since_s),
      },
    ],
    events: [
      {
        ...{ after_s: 4, kind: 'notification', reason: 'state', name: SITE_HOST, decides: true },
        message: `${SITE_HOST}: restarted by its host, maintenance`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      return since_s < away_s ? { is_away: true } : { own_errors: 1, own_factor: 0.1 }
    },
  }
}

/**
 * What is put out of a cache has applications begin anew. They are put out of it so often that the machine gives up on one pool
 * of applications after the other, and nothing begins them again.
 */
const recycledPools: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology)
  const first = chance.pick(candidates)
  const hit = candidates.filter(({ name }) => name === first.name || chance.is(0.4))
  const names = hit.map(({ name }) => name)
  const every_s = chance.whole(20, 50)
  const apart_s = chance.whole(15, 60)
  const before_s = chance.whole(60, 240)
  const out = chance.between(60, 180)
  /** Pods of a service that have been given up, of all services one after the other. */
  const givenUp = (part: string, since_s: number): number => {
    const at = names.indexOf(part)
    const pods = hit[at]?.pods ?? 0
    const own_s = since_s - at * apart_s
    return own_s < 0 ? 0 : Math.min(pods, 1 + Math.floor(own_s / every_s))
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['infra', 'config', 'dependency', 'capacity'], entity: PANEL_CACHE, topology },
    places: names,
    undisturbed: names,
    lines: hit.flatMap(({ name }, at) => [
      {
        ...{ part: name, per_minute: 9, after_s: at * apart_s - 8, severity: 'WARN', decides: true },
        message: `WAS 5186: a worker process serving application pool '${name}' was shut down, it will be restarted when needed`,
      },
      {
        ...{ part: name, per_minute: 7, after_s: at * apart_s + 3, decides: true },
        message: `WAS 5002: Application pool '${name}' is being automatically disabled due to a series of failures in the process(es) serving that application pool`,
      },
      ...callersOf(topology, name)
        .filter((caller) => !names.includes(caller.name))
        .map((caller) => ({
          ...{ part: caller.name, per_minute: 5, after_s: at * apart_s + 6, decides: true },
          message: `${name} answered 503: Service Unavailable (AppOffline)`,
        })),
    ]),
    gauges: [
      {
        ...{ entity: PANEL_CACHE, name: 'cache_items_evicted_per_second', unit: '/s', decides: true },
        level: (since_s) => PUT_OUT + out * progress(since_s + before_s, before_s),
      },
      ...hit.flatMap(({ name, pods }): readonly Gauge[] => [
        {
          ...{ entity: name, name: 'windows_iis_application_pool_recycles_total:increase10m', unit: '1' },
          ...{ decides: true },
          level: (since_s) => RECYCLES + 5 * pods * progress(since_s + before_s, before_s),
        },
        {
          ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
          level: (since_s) => pods - givenUp(name, since_s),
        },
        {
          ...{ entity: name, name: 'up', unit: '1', decides: true },
          level: (since_s) => (givenUp(name, since_s) < pods ? 1 : 0),
        },
      ]),
    ],
    working: (part, pod, since_s) => (givenUp(part, since_s) > pod ? { is_away: true } : {}),
  }
}

/**
 * Far more is asked from outside than ever, and a job is put away for each request. Whether there is the same job already is
 * looked up by going through all of them: the store of jobs has room, and answers nobody in time.
 */
const scannedSchedule: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.45))
  const rising_s = chance.whole(60, 180)
  const growing_s = chance.whole(90, 240)
  const factor = chance.between(2.2, 4)
  const share = chance.between(0.6, 0.9)
  const slower = chance.between(8, 25)
  const jobs = chance.between(40, 110)
  const grown = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['traffic', 'code', 'data', 'dependency'], entity: JOB_STORE, topology },
    isDemand: true,
    undisturbed: hit,
    demand: (since_s) => 1 + (factor - 1) * progress(since_s, rising_s),
    lines: hit.map((part) => ({
      ...{ part, per_minute: 9, after_s: 8, decides: true },
      message: `Redis::TimeoutError: Connection timed out (${JOB_STORE}), job is not put away`,
    })),
    gauges: [
      {
        ...{ entity: JOB_STORE, name: 'redis_key_size', unit: '1', labels: SCHEDULE, decides: true },
        level: (since_s) => SCHEDULED + jobs * Math.max(0, since_s),
      },
      {
        ...{ entity: JOB_STORE, name: 'redis_commands_duration_seconds_total:rate1m', unit: '1' },
        ...{ labels: SCANS, decides: true, level: (since_s) => SCANNING + 0.97 * grown(since_s) },
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0
        ? { own_errors: share * grown(since_s), own_factor: 1 + (slower - 1) * grown(since_s) }
        : {},
  }
}

/**
 * A switch of others is updated and is away for some minutes, and with it who knows all names. Who was to be switched back to
 * what it always plays just then could not be, and stays with nothing when all names are there again.
 */
const silentSource: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const name = chance.pick(candidates)
  const others = candidates.filter((each) => each !== name && chance.is(0.5))
  const away_s = chance.whole(200, 300)
  const share = chance.between(0.85, 0.96)
  const few = chance.between(0.06, 0.18)
  const isAway = (since_s: number): boolean => since_s >= 0 && since_s < away_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'dependency', 'provider', 'code'], entity: UPLINK_SWITCH },
    ...{ places: [name], topology },
    undisturbed: [name, ...others],
    lines: [
      {
        ...{ part: CORE, per_minute: 30, until_s: 12, decides: true },
        message: `%LINEPROTO-5-UPDOWN: Line protocol on Interface TenGigabitEthernet1/2 (${UPLINK_SWITCH}), changed state to down`,
      },
      {
        ...{ part: name, per_minute: 12, after_s: 2, until_s: away_s, decides: true },
        message: 'switch to jukebox: getaddrinfo EAI_AGAIN selector.campus.example',
      },
      {
        ...{ part: name, per_minute: 6, after_s: 20, severity: 'WARN', decides: true },
        message: 'source 0 is on air and silent, next switch is at the hour',
      },
      ...others.map((part) => ({
        ...{ part, per_minute: 4, after_s: 4, until_s: away_s, decides: true },
        message: 'getaddrinfo EAI_AGAIN accounts.campus.example',
      })),
    ],
    gauges: [
      {
        ...{ entity: UPLINK_SWITCH, name: 'sysUpTime', unit: 's', decides: true },
        level: begunAnew(0, away_s),
      },
      {
        ...{ entity: CORE, name: 'ifOperStatus', unit: '1', labels: portTo(UPLINK_SWITCH), decides: true },
        level: (since_s) => (isAway(since_s) ? PORT_DOWN : PORT_UP),
      },
      ...[name, ...others].map((part) => ({
        ...{ entity: part, name: 'name_lookups_failed_per_second', unit: '/s', decides: true },
        level: (since_s: number) => FAILED_LOOKUPS + (isAway(since_s) ? (part === name ? 3 : 1.5) : 0),
      })),
      {
        ...{ entity: name, name: 'source_silence_seconds', unit: 's', decides: true },
        level: (since_s) => SILENT_S + Math.max(0, since_s),
      },
    ],
    events: [
      {
        ...{ after_s: 5, kind: 'notification', reason: 'state', name: UPLINK_SWITCH, decides: true },
        message: `${UPLINK_SWITCH}: update begins`,
      },
      {
        ...{ after_s: away_s + 4, kind: 'notification', reason: 'state', name: UPLINK_SWITCH, decides: true },
        message: `${UPLINK_SWITCH}: update is over`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (part === name) return { own_errors: share }
      return others.includes(part) && isAway(since_s) ? { own_errors: few } : {}
    },
  }
}

/** A database is asked for what it always is, and a little more each day: now it has not enough of anything any more. */
const outgrownPrimary: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name, own_ms } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const filling_s = chance.whole(400, 900)
  const growing_s = chance.whole(120, 300)
  const slow_ms = chance.between(500, 1_300)
  const ended = chance.between(0.05, 0.15)
  const full = (since_s: number): number => progress(since_s + filling_s, filling_s)
  const grown = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'infra', 'traffic'], entity: name, topology },
    elsewhere: [{ ...harmlessSessions(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 7, after_s: 10, decides: true },
      message: `could not obtain a connection from the pool within 5.000 seconds (waited 5.003 seconds), primary of ${name}`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => CPU_USED + (86 - CPU_USED) * full(since_s) + 12 * grown(since_s),
      },
      {
        ...{ entity: name, name: 'aws_rds_disk_queue_depth_average', unit: '1', decides: true },
        level: (since_s) => DISK_QUEUE + 9 * full(since_s) + 110 * grown(since_s),
      },
      {
        ...{ entity: name, name: 'aws_rds_database_connections_average', unit: '1', decides: true },
        level: (since_s) => CONNECTIONS * (1 + 0.3 * full(since_s) + 0.9 * grown(since_s)),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? {
            own_factor: 1 + (slow_ms / own_ms - 1) * grown(since_s),
            own_errors: ended * grown(since_s),
          }
        : {},
  }
}

/** The families of the twenty-fifth generation that no change of one's own caused. */
export const TWENTY_FIFTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'disabled-unit': unmeasuredWhileGone(amongTwentyFifthSurroundings(disabledUnit)),
  'recycled-pools': unmeasuredWhileGone(amongTwentyFifthSurroundings(recycledPools)),
  'scanned-schedule': amongTwentyFifthSurroundings(scannedSchedule),
  'silent-source': amongTwentyFifthSurroundings(silentSource),
  'outgrown-primary': amongTwentyFifthSurroundings(outgrownPrimary),
}
