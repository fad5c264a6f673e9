/**
 * Families of the ninth generation that no change caused, each as a published report of one organisation has it: a cache
 * of a provider that keeps nothing any more, a disk that logs fill (plain), a machine that ended in the middle of what it
 * wrote, a balancer that came back without its addresses. They were written without knowledge of the engine;
 * docs/simulator/ninth.md names the reports and the rule by which they were chosen.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  ADDRESSES,
  amongNinthSurroundings,
  EDGE_CACHE,
  EDGE_HITS,
  INNER_BALANCERS,
  RUNNING_S,
  SITE,
  UNREADABLE,
  unmeasuredWhileGone,
} from './ninth-surroundings.ts'
import {
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

/**
 * The cache that a provider keeps before everything holds nothing any more, by an accident of the provider's: all requests
 * are passed on instead of one in eight, and there is not room for so many.
 */
const passedOn: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const times = 1 / (1 - EDGE_HITS)
  const growing_s = chance.whole(10, 60)
  const passed = (since_s: number): number => progress(since_s, growing_s)
  const sizes = sized(topology, root.name, chance.between(1.8, 2.6))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['traffic', 'capacity', 'dependency'], entity: EDGE_CACHE },
    ...{ places: [root.name], topology: sizes, isDemand: true },
    lines: [
      {
        ...{ part: EDGE_CACHE, per_minute: 6, severity: 'INFO', decides: true },
        message: `site ${SITE}: ${chance.whole(97, 100)} of 100 requests passed on (MISS)`,
      },
      {
        ...{ part: EDGE_CACHE, per_minute: 4, after_s: growing_s, severity: 'WARN', decides: true },
        message: `site ${SITE}: origin answered ${chance.whole(80, 92)} of 100 requests with 503`,
      },
    ],
    gauges: [
      {
        ...{ entity: EDGE_CACHE, name: 'cdn_cache_hit_ratio', unit: '1', labels: { site: SITE } },
        ...{ decides: true, level: (since_s) => EDGE_HITS * (1 - passed(since_s)) },
      },
      {
        ...{ entity: EDGE_CACHE, name: 'cdn_origin_requests_per_second', unit: '/s', labels: { site: SITE } },
        ...{ decides: true, level: (since_s) => topology.demand * (1 + (times - 1) * passed(since_s)) },
      },
    ],
    demand: (since_s) => 1 + (times - 1) * passed(since_s),
    working: () => ({}),
  }
}

/** Seconds that a service is well again, once a file of logs was cut short. */
const WELL_S = 300

/**
 * Plain: the disk that a service writes its logs to is full. Somebody cuts a file short; the service is well for minutes,
 * then the disk is full again.
 */
const fullLogDisk: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.7, 0.95)
  const cut_s = chance.whole(420, 600)
  const again_s = cut_s + WELL_S
  const filling = chance.between(0.15, 0.35) / 5_000
  const full_s = Array.from({ length: 8 }, (_, pod) => (pod === 0 ? 0 : chance.whole(0, 50)))
  const isFull = (since_s: number): boolean => (since_s >= 0 && since_s < cut_s) || since_s >= again_s
  const volume = { volume: 'logs' }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'config', 'node'], entity: name, topology },
    places: [`${name}-logs`],
    undisturbed: [name],
    lines: [
      { part: name, after_s: 2, until_s: cut_s },
      { part: name, after_s: again_s },
    ].map((when) => ({
      ...{ ...when, per_minute: 12, decides: true },
      message: `Error: ENOSPC: no space left on device, write (${name}.log)`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'volume_used_ratio', unit: '1', labels: volume, decides: true },
        level: (since_s) => {
          if (isFull(since_s)) return 1
          return since_s < 0 ? 1 + filling * since_s : 0.8 + (0.2 * (since_s - cut_s)) / WELL_S
        },
      },
    ],
    events: [
      {
        ...{ after_s: -chance.whole(200, 900), kind: 'notification', reason: 'state', name: `${name}-logs` },
        ...{ message: `${name}-logs: 95 % of the volume are in use`, decides: true },
      },
    ],
    working: (part, pod, since_s) =>
      part === name && isFull(since_s - (full_s[pod % full_s.length] ?? 0)) ? { own_errors: share } : {},
  }
}

/**
 * The machine of a store ends by an error of its host, in the middle of what it writes, and is started again minutes
 * later. The store is there and quick; of what was written last some cannot be read.
 */
const uncleanStop: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name)
  const base = hostingOf(topology, chance)
  const host = `ip-10-40-9-${chance.whole(2, 250)}`
  const away_s = chance.whole(240, 420)
  const share = chance.between(0.12, 0.25)
  const object = chance.whole(0x100000, 0xffffff).toString(16)
  const isAway = (since_s: number): boolean => since_s >= 0 && since_s < away_s
  const labels = { node: host }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data', 'provider'], entity: host, places: [name], topology },
    hosting: hostedApart(base, [host], [name]),
    lines: [
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 9, after_s: 5, until_s: away_s, decides: true },
        message: `connect EHOSTUNREACH ${name}:5432, no route`,
      })),
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 9, after_s: away_s + 10, decides: true },
        message: `error: object ${object} is empty (XX001)`,
      })),
      {
        ...{ part: name, per_minute: 6, after_s: away_s + 10, decides: true },
        message: `ERROR:  object ${object} is empty, reference to it kept`,
      },
      {
        ...{ part: name, per_minute: 10, after_s: away_s, until_s: away_s + 40, severity: 'INFO' },
        ...{ message: 'LOG:  was interrupted, reading what was written last', decides: true },
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_up', unit: '1', decides: true },
        level: (since_s) => (isAway(since_s) ? 0 : 1),
      },
      {
        ...{ entity: host, name: 'node_uptime_seconds', unit: 's', labels, decides: true },
        level: (since_s) =>
          since_s < 0 ? RUNNING_S + since_s : isAway(since_s) ? Number.NaN : since_s - away_s + 30,
      },
      { entity: host, name: 'node_conntrack_used_ratio', unit: '1', labels, level: () => 0.27 },
      {
        ...{ entity: name, name: 'storage_unreadable_reads_per_second', unit: '/s', decides: true },
        level: (since_s) => (since_s < away_s ? UNREADABLE : 4),
      },
      {
        ...{ entity: name, name: 'volume_used_ratio', unit: '1', labels: { volume: 'data' } },
        level: () => 0.48,
      },
    ],
    events: [
      {
        ...{ after_s: 6, kind: 'notification', reason: 'state', name: host, decides: true },
        message: `${host}: instance ended by an error of its host`,
      },
      {
        ...{ after_s: away_s - 20, kind: 'notification', reason: 'state', name: host, decides: true },
        message: `${host}: instance started again on another host`,
      },
    ],
    k8s: [notReady(host, 45)],
    working: (part, _pod, since_s) => {
      if (part === name) return isAway(since_s) ? { is_away: true } : {}
      const isCaller = callers.some((caller) => caller.name === part)
      return isCaller && since_s >= away_s ? { refused: { to: name, share } } : {}
    },
  }
}

/**
 * The people of the data centre start some machines again. One of them is the balancer before two services, and comes back
 * without its addresses: nobody gets through to these two, which are well and have nothing to do.
 */
const addresslessBalancer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const [balancer, other] = chance.is(0.5) ? INNER_BALANCERS : [...INNER_BALANCERS].reverse()
  if (balancer === undefined || other === undefined) return null
  const first = chance.pick(called)
  const second = chance.pick(called.filter(({ name }) => name !== first.name))
  const behind = [first.name, second.name]
  const share = chance.between(0.93, 0.99)
  const wait_ms = chance.whole(300, 900)
  const address = `10.40.9.${chance.whole(10, 60)}`
  const callers = topology.parts.filter(({ calls }) => calls.some(({ to }) => behind.includes(to)))
  const uptime = { name: 'node_uptime_seconds', unit: 's' }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'provider', 'config', 'node'], entity: balancer, topology },
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 10, decides: true },
        message: `connect EHOSTUNREACH ${address}:8080`,
      })),
      {
        ...{ part: balancer, per_minute: 3, after_s: 40, severity: 'INFO', decides: true },
        message: `0 addresses, 0 connections, ${behind.length} backends up`,
      },
    ],
    gauges: [
      {
        ...{ entity: balancer, name: 'balancer_addresses_assigned', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? ADDRESSES : 0),
      },
      {
        ...{ ...uptime, entity: balancer, decides: true },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : since_s < 40 ? Number.NaN : since_s - 30),
      },
    ],
    events: [
      ...[balancer, 'batch-1-3', 'export-host-1'].map((name, index) => ({
        ...{ after_s: 8 + 12 * index, kind: 'notification', reason: 'state', name, decides: true },
        message: `${name}: machine started again by the data centre`,
      })),
    ],
    working: (part, _pod, since_s) => {
      const caller = callers.find(({ name }) => name === part)
      if (caller === undefined || since_s < 0) return {}
      const to = caller.calls.map((call) => call.to).filter((callee) => behind.includes(callee))
      return { cut_off: { to, share }, own_factor: 1 + wait_ms / caller.own_ms }
    },
  }
}

/** The families of the ninth generation that no change caused. */
export const NINTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'passed-on': amongNinthSurroundings(passedOn),
  'full-log-disk': amongNinthSurroundings(fullLogDisk),
  'unclean-stop': unmeasuredWhileGone(amongNinthSurroundings(uncleanStop)),
  'addressless-balancer': amongNinthSurroundings(addresslessBalancer),
}
