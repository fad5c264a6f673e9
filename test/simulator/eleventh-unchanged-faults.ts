/**
 * Families of the eleventh generation that no change caused, each as a published report of one organisation has it: a
 * service that its platform begins anew and that gets no connections, exports that are held in memory until it is full
 * (plain), packets for many that keep one core of a firewall busy, a broker that is slow to confirm, and a machine that
 * takes all connections of a balancer while a limiter of the partners sends back their clients. They were written without
 * knowledge of the engine; docs/simulator/eleventh.md names the reports and the rule by which they were chosen.
 */
import { PARTNER_RULES } from './eighth-surroundings.ts'
import {
  amongEleventhSurroundings,
  BROKER,
  CONFIRMED_S,
  CONNECTIONS,
  CORE_USED,
  CORES,
  countedOtherwise,
  EXPORTS,
  MULTICAST,
  POOLED,
  SENT_BACK,
  UNCONFIRMED,
} from './eleventh-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { INNER_BALANCERS } from './ninth-surroundings.ts'
import { type ProductionFamily, type ProductionFault, progress, UNREMARKABLE } from './production-fault.ts'
import { STEP_S } from './run-system.ts'
import { STORE_FIREWALL } from './seventh-surroundings.ts'

/**
 * The platform updates the hosts of a service and begins its instances anew. They get no connection to their store while
 * they start, do not try again and take requests all the same.
 */
const unconnectedRestart: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const share = chance.between(0.9, 0.98)
  const gone_s = chance.whole(90, 240)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['provider', 'code', 'node', 'dependency'], entity: name, topology },
    places: ['compute-platform'],
    renewed: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      { part: name, per_minute: 6, message: '500 POST /v1/forms' },
      {
        ...{ part: name, per_minute: 10, decides: true },
        message: `Error: no pool, ${store}:5432 did not answer in 5000 ms when this process began`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_pool_connections_open', unit: '1', decides: true },
        level: (since_s) => POOLED * (1 - progress(since_s, gone_s)),
      },
    ],
    events: [
      {
        ...{ after_s: -8, kind: 'maintenance', reason: 'state', name, decides: true },
        message: `${name}: instances moved by a platform update of their hosts, started again`,
      },
    ],
    working: (part) => (part === name ? { own_errors: share, cpu_factor: 0.3 } : {}),
  }
}

/**
 * Plain: there is more to do than usual, and large exports among it, each of which is held in memory until it is sent.
 * The heap of pod after pod is full; the process ends, begins anew and is full again.
 */
const heldInMemory: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods, own_ms } = chance.pick(inner(topology))
  const filling_s = chance.whole(24, 36) * STEP_S
  const away_s = chance.whole(7, 10) * STEP_S
  const turn_s = filling_s + away_s
  const pausing_ms = chance.between(300, 900)
  const more = chance.between(1.1, 1.25)
  /** Seconds since a pod began anew or since it ended, whichever was last: pods are not full at the same time. */
  const inTurn = (pod: number, since_s: number): number =>
    (since_s + filling_s / 3 + (pod * turn_s) / pods) % turn_s
  const full = (pod: number, since_s: number): number => progress(inTurn(pod, since_s), filling_s)
  const ended = Array.from({ length: pods }, (_, pod) => {
    const first_s = filling_s - inTurn(pod, 0)
    return [0, 1, 2]
      .map((turn) => ({ pod, at_s: first_s + turn * turn_s + 2 }))
      .filter(({ at_s }) => at_s > 0)
  }).flat()
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['traffic', 'code'], entity: name, undisturbed: [name], topology },
    lines: [
      {
        ...{ part: name, per_minute: 7, decides: true },
        message: 'java.lang.OutOfMemoryError: Java heap space (ExportRows.collect)',
      },
      {
        ...{ part: name, per_minute: 5, severity: 'INFO', decides: true },
        message: `export of organisation ${chance.whole(3_000, 9_000)}: ${chance.whole(14, 29)}00000 rows read, none sent yet`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'exports_in_progress', unit: '1', decides: true },
        level: (since_s) => EXPORTS + 5.5 * progress(since_s, 60),
      },
      {
        ...{ entity: name, name: 'heap_used_after_gc_ratio', unit: '1', decides: true },
        level: (since_s) =>
          since_s < 0
            ? 0.46
            : 0.46 + 0.53 * Math.max(...Array.from({ length: pods }, (_, pod) => full(pod, since_s))),
      },
    ],
    k8s: ended.map(({ pod, at_s }) => ({
      ...{ after_s: at_s, kind: 'Pod', name: `${name}-${pod}`, reason: 'Error', decides: true },
      message: `Container ${name} ended with exit code 3 (OutOfMemoryError)`,
    })),
    demand: (since_s) => (since_s < 0 ? 1 : more),
    working: (part, pod, since_s) => {
      if (part !== name) return {}
      const in_s = inTurn(pod, since_s)
      // A pod whose process ends is one that holds more than nothing and may hold nothing.
      if (in_s >= filling_s)
        return { own_errors: 0.95, ...(in_s < filling_s + STEP_S ? { memory_limit_mb: 0 } : {}) }
      return { own_factor: 1 + (pausing_ms * full(pod, since_s) ** 2) / own_ms, cpu_factor: 1.5 }
    },
  }
}

/**
 * A machine sends to a group without end, in a way that a firewall works off on one of its cores alone. What goes to the
 * stores by that core is late or lost.
 */
const floodedCore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const asking = topology.parts.filter(({ calls }) => calls.some(({ to }) => stores.includes(to)))
  if (asking.length < 2) return null
  const source = chance.pick(['recording-host-2', 'screen-wall-1'])
  const busy = chance.pick(CORES)
  const growing_s = chance.whole(40, 150)
  const share = chance.between(0.2, 0.4)
  const late_ms = chance.whole(250, 700)
  const group = `239.10.${chance.whole(1, 9)}.${chance.whole(1, 200)}`
  const packets = chance.whole(40_000, 120_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['traffic', 'capacity', 'infra', 'node'], entity: STORE_FIREWALL, topology },
    places: [source],
    lines: [
      ...asking.map(({ name, calls }) => ({
        ...{ part: name, per_minute: 7 },
        message: `read ECONNRESET ${calls.find(({ to }) => stores.includes(to))?.to ?? ''}:5432`,
      })),
      {
        ...{ part: STORE_FIREWALL, per_minute: 6, severity: 'WARN', decides: true },
        message: `core ${busy}: 100 % in use, queue is full, packets of ${source} to ${group}`,
      },
    ],
    gauges: [
      {
        ...{ entity: STORE_FIREWALL, name: 'firewall_core_used_ratio', unit: '1', labels: { core: busy } },
        level: (since_s) => CORE_USED + (1 - CORE_USED) * progress(since_s, growing_s),
        decides: true,
      },
      {
        ...{ entity: STORE_FIREWALL, name: 'firewall_multicast_packets_per_second', unit: '/s' },
        labels: { source },
        level: (since_s) => MULTICAST + packets * progress(since_s, growing_s),
        decides: true,
      },
    ],
    events: [
      {
        ...{ after_s: -10, kind: 'notification', reason: 'state', name: source, decides: true },
        message: `${source}: sends to group ${group}`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (!asking.some(({ name }) => name === part) || since_s < 0) return {}
      const so_far = progress(since_s, growing_s)
      return { on_way: { to: stores, ms: late_ms * so_far }, cut_off: { to: stores, share: share * so_far } }
    },
  }
}

/**
 * A broker takes long to confirm what it was given. A service answers once it is confirmed, which its callers do not wait
 * for: they ask again until one of their requests is answered in time.
 */
const slowConfirms: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length > 0)
  if (candidates.length === 0) return null
  const { name, own_ms } = chance.pick(candidates)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const growing_s = chance.whole(60, 240)
  const most_s = chance.between(3.2, 5.6)
  const confirmed = (since_s: number): number => CONFIRMED_S + most_s * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['capacity', 'dependency', 'node', 'code'], entity: BROKER, places: [name] },
    topology,
    undisturbed: [name],
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 7, severity: 'WARN' },
        message: `${name}: no answer in time, asking again`,
      })),
      {
        ...{ part: name, per_minute: 9, severity: 'WARN', decides: true },
        message: `publish to ${BROKER} was confirmed after ${Math.round(most_s * 930)} ms, answered in 11 ms before`,
      },
      {
        ...{ part: BROKER, per_minute: 4, severity: 'INFO', decides: true },
        message: `synced ${chance.whole(3, 9)} messages to disk in ${Math.round(most_s * 900)} ms`,
      },
    ],
    gauges: [
      {
        ...{ entity: BROKER, name: 'broker_publish_confirm_seconds', unit: 's', decides: true },
        level: confirmed,
      },
      {
        ...{ entity: BROKER, name: 'broker_messages_unconfirmed', unit: '1', decides: true },
        level: (since_s) => UNCONFIRMED + 160 * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (callers.includes(part)) return { retries: 2 }
      return part === name ? { own_factor: 1 + (1_000 * confirmed(since_s)) / own_ms, cpu_factor: 0.7 } : {}
    },
  }
}

/** Seconds before the effect from when on everything of the pair is told. */
const BEFORE_S = 600

/**
 * Two that have nothing to do with each other. A machine where things are tried out asks by a balancer as fast as it can
 * and has nearly all connections that the balancer may have. Some minutes before or after, a release of the partners'
 * rules has their limiter send back most of their clients. The alert is of the first.
 */
const takenConnections: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const balancer = chance.pick(INNER_BALANCERS)
  const first = chance.pick(called).name
  const behind = [first, chance.pick(called.filter(({ name }) => name !== first)).name]
  const callers = topology.parts.filter(({ calls }) => calls.some(({ to }) => behind.includes(to)))
  const client = `10.60.${chance.whole(2, 9)}.${chance.whole(10, 240)}`
  const host = chance.pick(['try-out-3', 'build-proxy-1'])
  const growing_s = chance.whole(20, 90)
  const share = chance.between(0.4, 0.65)
  const late_ms = chance.whole(150, 500)
  const other_s = chance.is(0.5) ? -chance.whole(180, 480) : chance.whole(100, 400)
  const others = chance.between(0.65, 0.9)
  const most = 4_096
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', kinds: ['capacity', 'network', 'infra'], entity: balancer, places: [host, client] },
    ...{ topology, delay_s: BEFORE_S, undisturbed: [PARTNER_RULES] },
    elsewhere: [{ ...countedOtherwise(PARTNER_RULES, chance), after_s: other_s }],
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 9 },
        message: `connect ECONNREFUSED ${balancer}:8080`,
      })),
      {
        ...{ part: balancer, per_minute: 8, severity: 'WARN', decides: true },
        message: `all ${most} connections are in use, ${most - chance.whole(160, 420)} of them by ${client} (${host})`,
      },
      {
        ...{ part: PARTNER_RULES, per_minute: 14, after_s: other_s },
        message: '429 RATE_LIMIT_REACHED: 40 of 40 spent',
      },
    ],
    gauges: [
      {
        ...{ entity: balancer, name: 'balancer_connections_by_client', unit: '1', labels: { client } },
        level: (since_s) => CONNECTIONS / 9 + (most - 300) * progress(since_s, growing_s),
        decides: true,
      },
      {
        ...{ entity: PARTNER_RULES, name: 'rate_limit_rejections_per_second', unit: '/s' },
        level: (since_s) => (since_s < other_s ? SENT_BACK : 18 * others),
      },
    ],
    working: (part, pod, told_s) => {
      const since_s = told_s - BEFORE_S
      if (part === PARTNER_RULES) return since_s >= other_s + pod * 40 ? { own_errors: others } : {}
      const caller = callers.find(({ name }) => name === part)
      if (caller === undefined || since_s < 0) return {}
      const to = caller.calls.map((call) => call.to).filter((callee) => behind.includes(callee))
      const so_far = progress(since_s, growing_s)
      return { cut_off: { to, share: share * so_far }, on_way: { to, ms: late_ms * so_far } }
    },
  }
}

/** The families of the eleventh generation that no change caused. */
export const ELEVENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unconnected-restart': amongEleventhSurroundings(unconnectedRestart),
  'held-in-memory': amongEleventhSurroundings(heldInMemory),
  'flooded-core': amongEleventhSurroundings(floodedCore),
  'slow-confirms': amongEleventhSurroundings(slowConfirms),
  'taken-connections': amongEleventhSurroundings(takenConnections),
}
