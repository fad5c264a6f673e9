/**
 * Families of the eighth generation that no change caused, each as a published report of one organisation has it: a
 * tunnel to another site that went down, one community that is larger than others, a peer that one customer's logins
 * wait for while they hold a connection, handshakes that are never finished. They were written without knowledge of the
 * engine; docs/simulator/eighth.md names the reports and the rule by which they were chosen.
 */
import {
  amongEighthSurroundings,
  COMMUNITY_PAGES,
  COMMUNITY_ROUTE,
  DIRECTORIES,
  IDLING,
  IN_FLIGHT,
  SHAKING,
  SPARE_TUNNEL,
  TUNNELLED,
} from './eighth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import { KEPT } from './sixth-surroundings.ts'

/**
 * The tunnel to the site that is kept for disasters goes down at its supplier. What is uploaded is copied there before
 * it counts as looked through, and whoever copies stops at the first file that cannot be: all that is new stays pending.
 */
const downedTunnel: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const most = chance.between(0.25, 0.5)
  const growing_s = chance.whole(90, 240)
  const each_s = chance.between(1.5, 4)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['provider', 'infra', 'dependency'], entity: SPARE_TUNNEL, topology },
    places: [name, 'dr-assets-1'],
    lines: [
      {
        ...{ part: name, per_minute: 6, after_s: 10, severity: 'WARN', decides: true },
        message: 'rsync: connection to dr-assets-1 timed out (255), stopping at the first file',
      },
      {
        ...{ part: name, per_minute: 10, after_s: 30, decides: true },
        message: 'attachment is pending for more than 60 s, not looked through yet',
      },
    ],
    gauges: [
      {
        ...{ entity: SPARE_TUNNEL, name: 'vpn_tunnel_up', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: SPARE_TUNNEL, name: 'vpn_tunnel_bytes_per_second', unit: 'By/s', decides: true },
        level: (since_s) => (since_s < 0 ? TUNNELLED : 0),
      },
      {
        ...{ entity: 'attachments', name: 'queue_messages_ready', unit: '1', decides: true },
        level: (since_s) => 4 + each_s * Math.max(0, since_s),
      },
      {
        ...{ entity: 'attachments', name: 'queue_oldest_message_age_seconds', unit: 's', decides: true },
        level: (since_s) => 3 + Math.max(0, since_s),
      },
    ],
    events: [
      {
        ...{ after_s: 15, kind: 'notification', reason: 'state', name: SPARE_TUNNEL, decides: true },
        message: `${SPARE_TUNNEL}: tunnel is down, no answer of its peer at the supplier`,
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { own_errors: most * progress(since_s, growing_s) } : {},
  }
}

/**
 * The members of one community, which is far larger than others, open its page. Each time the store reads and sorts all
 * of them: it has no time left for anybody, though hardly more is asked of it.
 */
const largeCommunity: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = new Set(sharedStores(topology).map(({ name }) => name))
  const candidates = storing(topology).filter(({ name }) => stores.has(storeOf(topology, name) as string))
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const slower = chance.between(60, 120)
  const growing_s = chance.whole(60, 180)
  const community = chance.whole(1_000, 9_999)
  const busy = (since_s: number): number => progress(since_s, growing_s)
  const said = { part: store, severity: 'INFO', decides: true }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'code', 'traffic'], entity: store, places: [name], topology },
    lines: [
      ...[8_412, 11_907].map((took_ms) => ({
        ...{ ...said, per_minute: 5, after_s: 10 },
        message: `LOG:  duration: ${took_ms}.077 ms  statement: SELECT * FROM community_members WHERE community_id = ${community} ORDER BY last_seen_at DESC`,
      })),
      {
        ...{ part: name, per_minute: 8, after_s: 30, severity: 'WARN', decides: true },
        message: `GET ${COMMUNITY_ROUTE}?id=${community} took 9604 ms`,
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'db_rows_read_per_second', unit: '/s', decides: true },
        level: (since_s) => 1_800 + 640_000 * busy(since_s),
      },
      {
        ...{ entity: name, name: 'http_server_requests_by_route_per_second', unit: '/s', decides: true },
        ...{ labels: { route: COMMUNITY_ROUTE }, level: (since_s) => COMMUNITY_PAGES + 3.2 * busy(since_s) },
      },
      {
        ...{ entity: store, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 55 * busy(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === store
        ? { own_factor: 1 + slower * busy(since_s), own_errors: 0.2 * busy(since_s), cpu_factor: 12 }
        : {},
  }
}

/** Connections that a store lends at most. */
const MOST_CONNECTIONS = 100

/**
 * The directory of one customer answers nothing any more. Who logs in there is looked up in it, with a connection to the
 * store in hand, and each look-up is tried again and again: in minutes all connections of the store are held so.
 */
const heldWhileAsking: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = new Set(sharedStores(topology).map(({ name }) => name))
  const candidates = storing(topology).filter(({ name }) => stores.has(storeOf(topology, name) as string))
  if (candidates.length === 0) return null
  const { name, pods, own_ms } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const callers = callersOf(topology, store)
  const peer = chance.pick(DIRECTORIES)
  const growing_s = chance.whole(120, 300)
  const refused = chance.between(0.4, 0.7)
  const wait_ms = chance.whole(500, 1_100)
  const held = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['dependency', 'provider', 'code'], entity: name, topology },
    places: [store, peer],
    lines: [
      {
        ...{ part: name, per_minute: 9, severity: 'WARN', decides: true },
        message: `metadata of ${peer}: no answer in 10000 ms, attempt 4`,
      },
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 7, after_s: growing_s / 2, decides: true },
        message: 'FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute',
      })),
    ],
    gauges: [
      {
        ...{
          entity: name,
          name: 'http_client_requests_in_flight',
          unit: '1',
          labels: { peer },
          decides: true,
        },
        level: (since_s) => IN_FLIGHT + 66 * held(since_s),
      },
      {
        ...{ entity: store, name: 'db_sessions_idle_in_transaction', unit: '1', decides: true },
        ...{ labels: { client: name }, level: (since_s) => IDLING + 66 * held(since_s) },
      },
      {
        ...{ entity: name, name: 'db_pool_connections_open', unit: '1', decides: true },
        level: (since_s) => KEPT * pods + (70 - KEPT * pods) * held(since_s),
      },
      {
        ...{ entity: store, name: 'db_connections_open', unit: '1', decides: true },
        level: (since_s) => 46 + (MOST_CONNECTIONS - 46) * held(since_s),
      },
    ],
    working: (part, _pod, since_s) => {
      if (!callers.some((caller) => caller.name === part)) return {}
      const late = progress(since_s - growing_s / 2, growing_s / 2)
      const cut_off = { to: store, share: refused * late }
      return part === name ? { cut_off, own_factor: 1 + (wait_ms * held(since_s)) / own_ms } : { cut_off }
    },
  }
}

/** Handshakes that a service has room for. */
const MOST_HANDSHAKES = 512

/** Seconds until a service that hangs has room for no more handshakes, and for how long a new one is well. */
const HANGING_S = 140
const WELL_S = 240

/**
 * A service finishes no handshakes of encrypted connections any more and keeps all that were begun; when there is room
 * for no more, it answers nobody. Somebody has its pods begin anew: they are well for some minutes, and hang again.
 */
const hungHandshakes: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, workers } = chance.pick(inner(topology))
  const restarted_s = chance.whole(420, 600)
  const again_s = restarted_s + WELL_S
  const failing = chance.between(0.7, 0.92)
  /** How far it hangs, from 0 to 1. */
  const hung = (since_s: number): number => {
    if (since_s < restarted_s) return progress(since_s, HANGING_S)
    return progress(since_s - again_s, HANGING_S)
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['code', 'network', 'infra'], entity: name, topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 7, after_s: 90, until_s: restarted_s, decides: true },
        message: `tls transport: ${MOST_HANDSHAKES} handshakes unfinished, accepting no more`,
      },
      {
        ...{ part: name, per_minute: 7, after_s: again_s + 90, decides: true },
        message: `tls transport: ${MOST_HANDSHAKES} handshakes unfinished, accepting no more`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'tls_handshakes_in_progress', unit: '1', decides: true },
        level: (since_s) => SHAKING + (MOST_HANDSHAKES - SHAKING) * hung(since_s),
      },
      {
        ...{ entity: name, name: 'tls_handshake_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => 0.03 + 5 * hung(since_s),
      },
    ],
    k8s: [0, 1].map((pod) => ({
      ...{ after_s: restarted_s + pod * 15, kind: 'Pod', name: `${name}-${pod}`, reason: 'Killing' },
      message: `Stopping container ${name}`,
    })),
    working: (part, pod, since_s) => {
      if (part !== name) return {}
      const own_s = restarted_s + pod * 15
      if (since_s >= own_s && since_s < own_s + 20) return { is_away: true }
      const far = hung(since_s)
      return {
        ...{ workers: Math.max(2, Math.round(workers * (1 - far))), own_factor: 1 + 20 * far },
        own_errors: failing * far ** 2,
      }
    },
  }
}

/** The families of the eighth generation that no change caused. */
export const EIGHTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'downed-tunnel': amongEighthSurroundings(downedTunnel),
  'large-community': amongEighthSurroundings(largeCommunity),
  'held-while-asking': amongEighthSurroundings(heldWhileAsking),
  'hung-handshakes': amongEighthSurroundings(hungHandshakes),
}
