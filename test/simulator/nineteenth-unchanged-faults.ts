/**
 * Families of the nineteenth generation that no change of one's own caused, each as a published report of one organisation
 * has it: what keeps lines has no room left, both of a pair of firewalls are gone, machines begin anew and do not reach each
 * other any more, what works in the background keeps others out for minutes, and an app that asks again at once for what is
 * locked. They were written without knowledge of the engine; docs/simulator/nineteenth.md names the reports and the rule of
 * choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  amongNineteenthSurroundings,
  BACKLOG,
  BOOKS_IN_WORK,
  BOOKS_WAITING,
  BORDER_SWITCH,
  BUSY_THREADS,
  DRIVER_APP,
  ENDED_SYNCS,
  ENQUEUED,
  FAILED_PUSHES,
  FIREWALLS,
  HELD,
  HELD_STEPS,
  IDLE_OPEN,
  IDLE_OPEN_S,
  LOCK_WAITERS,
  LOG_SPACE,
  LOG_STORE,
  logClaim,
  ON_LOCK,
  PAGE_PROCESSOR,
  PORT_DOWN,
  PORT_UP,
  PRIVATE_BYTES,
  PRIVATE_PING,
  PRIVATE_PORT,
  PROCESSING,
  PUSHES,
  portTo,
  RENTED_MACHINES,
  SITE_PROBE,
  SYNCS,
  syncsOf,
  TRIED_SYNCS,
} from './nineteenth-surroundings.ts'
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
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { TICKS_A_SECOND } from './seventeenth-surroundings.ts'

/**
 * Nothing is ever deleted from where lines are kept, and there is no room left. A service that may take no step which it
 * cannot write down takes none; all others say what they say to nobody, and are well.
 */
const fullLogVolume: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.55, 0.9)
  const stopping_s = chance.whole(40, 200)
  const filled_per_s = chance.between(0.00002, 0.00008)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const stopped = (since_s: number): number => progress(since_s, stopping_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'config', 'data', 'dependency'], entity: LOG_STORE },
    ...{ places: [name], topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: LOG_STORE, per_minute: 8, after_s: 2, decides: true },
        message:
          'level=error caller=flush.go msg="failed to flush user" err="write /data/loki/chunks/ZmFrZS: no space left on device"',
      },
      {
        ...{ part: name, per_minute: 8, after_s: 10, decides: true },
        message:
          'step is not taken, its audit line was not kept: POST /loki/api/v1/push answered 500 Internal Server Error',
      },
    ],
    gauges: [
      {
        ...{ entity: LOG_STORE, name: 'kubelet_volume_stats_available_bytes', unit: 'By', decides: true },
        ...{
          labels: logClaim(LOG_STORE),
          level: (since_s) => LOG_SPACE * filled_per_s * Math.max(0, -since_s),
        },
      },
      {
        ...{ entity: LOG_STORE, name: 'loki_ingester_wal_disk_full_failures_total:rate1m', unit: '/s' },
        ...{ decides: true, level: (since_s) => 14 * progress(since_s, 60) },
      },
      {
        ...{ entity: LOG_STORE, name: 'loki_request_duration_seconds_count:rate1m', unit: '/s' },
        ...{ labels: PUSHES, decides: true, level: (since_s) => FAILED_PUSHES + 31 * stopped(since_s) },
      },
      {
        ...{ entity: name, name: 'audit_steps_total:rate1m', unit: '/s', labels: HELD, decides: true },
        level: (since_s) => HELD_STEPS + asked * share * stopped(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_errors: share * stopped(since_s) } : {},
  }
}

/**
 * The first of two firewalls before a data centre fails, and the second has not worked for days, which nobody has seen to.
 * Services in that data centre are out of everybody's reach; those that run elsewhere are well but for asking them.
 */
const failedFirewalls: ProductionFamily = (topology, chance): ProductionFault | null => {
  const first = chance.pick(inner(topology))
  const members = inner(topology).filter(({ name }) => name === first.name || chance.is(0.3))
  if (members.length === inner(topology).length) return null
  const names = members.map(({ name }) => name)
  const machines = Array.from({ length: 2 }, () => `dc-app-${chance.whole(10, 99)}`)
  if (new Set(machines).size < 2) return null
  const callers = [...new Set(names.flatMap((name) => callersOf(topology, name)))].filter(
    ({ name }) => !names.includes(name),
  )
  const address = chance.whole(4, 90)
  const isThere = (since_s: number): number => (since_s < 0 ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'node'], entity: FIREWALLS[0], isHosting: true, topology },
    places: [FIREWALLS[1], BORDER_SWITCH, ...machines],
    hosting: hostedApart(hostingOf(topology, chance), machines, names),
    undisturbed: names,
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 9, after_s: 6, decides: true },
        message: `connect ETIMEDOUT 10.61.4.${address}:8443`,
      })),
      {
        ...{ part: BORDER_SWITCH, per_minute: 6, until_s: 60, severity: 'WARN', decides: true },
        message: '%LINK-3-UPDOWN: Interface GigabitEthernet1/0/3, changed state to down',
      },
    ],
    gauges: [
      {
        ...{ entity: FIREWALLS[0], name: 'sysUpTime', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? TICKS_A_SECOND * (RUNNING_S + since_s) : Number.NaN),
      },
      {
        ...{ entity: FIREWALLS[0], name: 'probe_success', unit: '1', labels: SITE_PROBE, decides: true },
        level: isThere,
      },
      {
        ...{ entity: BORDER_SWITCH, name: 'ifOperStatus', unit: '1', labels: portTo(FIREWALLS[0]) },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? PORT_UP : PORT_DOWN) },
      },
      ...members.flatMap(({ name, pods }): readonly Gauge[] => [
        { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
        {
          ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
          level: (since_s) => pods * isThere(since_s),
        },
        {
          ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
          level: isThere,
        },
      ]),
      ...machines.map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s: number) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      })),
    ],
    k8s: machines.map((node, index) => notReady(node, 42 + 2 * index)),
    working: (part, _pod, since_s) => (names.includes(part) && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * Machines of another provider go off and on again within a minute or two. The service on them is there and is asked for its
 * measures by their public addresses; what goes over the network between machines gets to nobody, in either direction.
 */
const unjoinedMachines: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, calls, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const callees = calls.map(({ to }) => to)
  const away_s = chance.whole(50, 110)
  const share = chance.between(0.95, 0.99)
  const [here, there] = [chance.whole(4, 90), chance.whole(91, 180)]
  const isGone = (since_s: number): boolean => since_s >= 0 && since_s < away_s
  const isThere = (since_s: number): number => (isGone(since_s) ? 0 : 1)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['node', 'infra', 'provider'], entity: RENTED_MACHINES[0] },
    ...{ places: [RENTED_MACHINES[1], name], isHosting: true, topology },
    hosting: hostedApart(hostingOf(topology, chance), RENTED_MACHINES, [name]),
    undisturbed: [name],
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, after_s: 5, decides: true },
        message: `connect EHOSTUNREACH 10.20.0.${here}:8080`,
      })),
      {
        ...{ part: name, per_minute: 5, after_s: away_s + 10, decides: true },
        message: `dial tcp 10.20.0.${there}:443: connect: no route to host (asked for at start)`,
      },
      ...RENTED_MACHINES.map((part) => ({
        ...{ part, per_minute: 4, after_s: away_s, severity: 'WARN', decides: true },
        message: 'systemd-networkd-wait-online: ens4: timed out, going on without it',
      })),
    ],
    gauges: [
      { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: isThere },
      {
        ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
        level: (since_s) => pods * isThere(since_s),
      },
      ...RENTED_MACHINES.flatMap((node): readonly Gauge[] => [
        {
          ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
          level: (since_s) =>
            since_s < 0 ? RUNNING_S + since_s : isGone(since_s) ? Number.NaN : since_s - away_s + 20,
        },
        {
          ...{ entity: node, name: 'node_network_receive_bytes_total:rate1m', unit: 'By/s' },
          ...{ labels: PRIVATE_PORT, decides: true, level: (since_s) => (since_s < 0 ? PRIVATE_BYTES : 40) },
        },
        {
          ...{ entity: node, name: 'openstack_neutron_agent_state', unit: '1', decides: true },
          level: (since_s) => (since_s < 0 ? 1 : 0),
        },
        {
          ...{ entity: node, name: 'probe_success', unit: '1', labels: PRIVATE_PING, decides: true },
          level: (since_s) => (since_s < 0 ? 1 : 0),
        },
      ]),
    ],
    k8s: RENTED_MACHINES.flatMap((node, index) => [
      notReady(node, 42 + index),
      {
        ...{ after_s: away_s + 25 + index, kind: 'Node', name: node, reason: 'NodeReady', decides: true },
        message: `Node ${node} status is now: NodeReady`,
      },
    ]),
    events: RENTED_MACHINES.map((node, index) => ({
      ...{ after_s: away_s + 5 + index, kind: 'notification', reason: 'state', name: node, decides: true },
      message: `${node}: power state changed from running to shutdown, then to running`,
    })),
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (part === name) return isGone(since_s) ? { is_away: true } : { cut_off: { to: callees, share } }
      return callers.includes(part) ? { cut_off: { to: name, share } } : {}
    },
  }
}

/**
 * What works through new books keeps its transactions open for minutes, with locks on what all others read. While one is
 * open, whoever asks that store waits; when it ends all is well, until the next.
 */
const longLocks: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name, own_ms } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const wait_ms = chance.between(1_300, 2_600)
  const waiting = chance.whole(50, 160)
  const opened: (readonly [from_s: number, to_s: number])[] = []
  for (let from_s = 0; from_s < 3_600; ) {
    // The first is seen by whoever watches; later ones are of a minute to seven.
    const to_s = from_s + (opened.length === 0 ? chance.whole(200, 420) : chance.whole(60, 420))
    opened.push([from_s, to_s])
    from_s = to_s + chance.whole(40, 160)
  }
  /** Seconds that one has been open, 0 where none is. */
  const openFor = (since_s: number): number => {
    const one = opened.find(([from_s, to_s]) => since_s >= from_s && since_s < to_s)
    return one === undefined ? 0 : since_s - one[0] + 1
  }
  const [book, pages] = [chance.whole(10_000, 90_000), chance.whole(120, 480)]
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'capacity', 'dependency'], entity: name, places: [PAGE_PROCESSOR] },
    topology,
    undisturbed: callers,
    lines: [
      {
        ...{ part: PAGE_PROCESSOR, per_minute: 2, severity: 'INFO', after_s: 10, decides: true },
        message: `book ${book}: page ${chance.whole(20, 110)} of ${pages} is written, all of them in one transaction`,
      },
      {
        ...{ part: name, per_minute: 4, severity: 'WARN', after_s: 10, decides: true },
        message: `LOG:  process ${chance.whole(9_000, 30_000)} still waiting for ShareLock on transaction ${chance.whole(80_000_000, 99_000_000)} after 1000.112 ms`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 6, after_s: 20, decides: true },
        message:
          'Npgsql.PostgresException (0x80004005): 57014: canceling statement due to user request, waited for a lock (books)',
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'pg_stat_activity_count', unit: '1', labels: ON_LOCK, decides: true },
        level: (since_s) => LOCK_WAITERS + waiting * progress(openFor(since_s), 60),
      },
      {
        ...{ entity: name, name: 'pg_stat_activity_max_tx_duration', unit: 's', labels: IDLE_OPEN },
        ...{ decides: true, level: (since_s) => IDLE_OPEN_S + openFor(since_s) },
      },
      {
        ...{ entity: PAGE_PROCESSOR, name: 'hangfire_job_count', unit: '1', labels: ENQUEUED },
        ...{ decides: true, level: (since_s) => BOOKS_WAITING + 0.11 * Math.max(0, since_s) },
      },
      {
        ...{ entity: PAGE_PROCESSOR, name: 'hangfire_job_count', unit: '1', labels: PROCESSING },
        ...{ decides: true, level: (since_s) => (openFor(since_s) > 0 ? 8 : BOOKS_IN_WORK) },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && openFor(since_s) > 0 ? { own_factor: 1 + wait_ms / own_ms } : {},
  }
}

/**
 * What drivers have in their hands sends what it has kept, of which one at a time is worked on and the others wait for a
 * lock. Whatever has waited for half a minute is ended, and the app sends it again at once, and again, beside the next.
 */
const lockedSyncs: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const made = sized(topology, name, chance.between(1.4, 1.8))
  const usual = arrivalsOf(made).get(name) ?? 0
  const again = chance.between(1, 1.9)
  const growing_s = chance.whole(100, 280)
  const held = chance.between(1.2, 1.6)
  const grown = (since_s: number): number => progress(since_s, growing_s)
  const asking = (since_s: number): number => usual * again * grown(since_s)
  const ride = chance.whole(10_000, 90_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', kinds: ['capacity', 'code', 'data'], entity: name, places: [DRIVER_APP] },
    ...{ topology: made, isDemand: true },
    undisturbed: [name],
    arriving: (part, since_s) => (part === name ? asking(since_s) : 0),
    lines: [
      {
        ...{ part: name, per_minute: 8, severity: 'WARN', decides: true },
        message: `sync of ride ${ride} waits for its lock (held for ${chance.whole(24, 29)} s by another sync of the same device)`,
      },
      {
        ...{ part: name, per_minute: 7, after_s: 30, decides: true },
        message:
          'Rack::Timeout::RequestTimeoutException: Request ran for longer than 30000ms (POST /v1/sync)',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'puma_backlog', unit: '1', decides: true },
        level: (since_s) => BACKLOG + 120 * grown(since_s) ** 2,
      },
      {
        ...{ entity: name, name: 'puma_busy_threads', unit: '1', decides: true },
        level: (since_s) => BUSY_THREADS + 21 * progress(since_s, growing_s / 2),
      },
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s', labels: SYNCS },
        ...{ decides: true, level: (since_s) => ENDED_SYNCS + 0.6 * asking(since_s - 30) },
      },
      {
        ...{ entity: DRIVER_APP, name: 'app_syncs_total:rate1m', unit: '/s', labels: syncsOf(name) },
        ...{ decides: true, level: (since_s) => TRIED_SYNCS + asking(since_s) },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0 ? { own_factor: 1 + (held - 1) * grown(since_s) } : {},
  }
}

/** The families of the nineteenth generation that no change of one's own caused. */
export const NINETEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'full-log-volume': amongNineteenthSurroundings(fullLogVolume),
  'failed-firewalls': unmeasuredWhileGone(amongNineteenthSurroundings(failedFirewalls)),
  'unjoined-machines': unmeasuredWhileGone(amongNineteenthSurroundings(unjoinedMachines)),
  'long-locks': amongNineteenthSurroundings(longLocks),
  'locked-syncs': amongNineteenthSurroundings(lockedSyncs),
}
