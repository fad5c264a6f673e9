/**
 * Families of the fifth generation that no change caused: memory that filled for days, a credential that ended, a link
 * between two sites that loses packets, a load of repeated requests that outlives its reason, connections that stayed
 * with the old primary. They were written from accounts of real incidents, without knowledge of the engine;
 * docs/simulator/fifth.md says what was looked at.
 */
import { amongFurtherReadings } from './everyday-readings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  type Gauge,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { STEP_S } from './run-system.ts'
import { FAULT_MIN } from './simulate-incident.ts'
import type { Topology } from './topology.ts'

/** The longest time from the start to an effect: what began so long before was always so. */
const ALWAYS_S = FAULT_MIN[1] * 60

/**
 * A service that nobody ships has kept a little of every request for days. When its heap is nearly full, each collection
 * takes longer and frees less; then pod after pod is killed and begins anew, well again.
 */
const longLeak: ProductionFamily = (topology, chance): ProductionFault | null => {
  const hit = chance.pick(inner(topology))
  const { name, pods, memory_mb, own_ms } = hit
  const limit_mb = Math.round(memory_mb * chance.between(2.6, 3.6))
  // What is gained in the minutes before the effect; a collection never frees the last hundredth.
  const gained_mb = limit_mb * 0.09
  const leak_mb = gained_mb / (ALWAYS_S / 60)
  const pausing_ms = chance.between(180, 700)
  const first_s = chance.whole(360, 720)
  const every_s = chance.whole(90, 300)
  const away_s = chance.whole(30, 60)
  const killed = (pod: number): number => first_s + pod * every_s
  const used = (since_s: number): number => 0.97 + (0.09 * since_s) / ALWAYS_S
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['code'], entity: name, undisturbed: [name], delay_s: ALWAYS_S },
    topology: withParts(topology, { [name]: { aged_mb: limit_mb * 0.895 } }),
    lines: [
      {
        ...{ part: name, per_minute: 7, severity: 'WARN', decides: true },
        message: `Mark-Compact ${limit_mb - 9}.4 (${limit_mb + 31}.2) -> ${limit_mb - 11}.8 (${limit_mb + 31}.2) MB, ${Math.round(pausing_ms * 3)} ms, last resort`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'heap_used_after_gc_ratio', unit: '1', decides: true },
        level: (since_s) =>
          since_s < first_s ? Math.min(0.995, used(since_s)) : since_s < killed(pods - 1) ? 0.7 : 0.3,
      },
    ],
    k8s: Array.from({ length: pods }, (_, pod) => ({
      ...{ after_s: killed(pod) + 2, kind: 'Pod', name: `${name}-${pod}`, reason: 'OOMKilling' },
      message: `Memory cgroup out of memory: Killed process ${chance.whole(2_000, 9_000)} (node) anon-rss:${limit_mb * 1_018}kB`,
      decides: true,
    })),
    working: (part, pod, since_s) => {
      if (part !== name) return {}
      const on_s = since_s - ALWAYS_S
      const killed_s = killed(pod)
      if (on_s >= killed_s + away_s) return { leak_mb }
      // A pod that dies is one that holds more than nothing and may hold nothing.
      if (on_s >= killed_s)
        return { own_errors: 0.95, ...(on_s < killed_s + STEP_S ? { memory_limit_mb: 0 } : {}) }
      if (on_s < 0) return { leak_mb }
      const full = 0.35 + 0.65 * progress(on_s, first_s)
      return { leak_mb, own_factor: 1 + (pausing_ms * full) / own_ms, cpu_factor: 1 + 4 * full }
    },
  }
}

/**
 * A service asks a provider with a credential that was made a year ago, and it has ended. What was lent on it lasts some
 * minutes, in each pod for another while; then every call is refused. The provider is well, and so is who else asks it.
 */
const endedCredential: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  if (callers.length === 0) return null
  const hit = chance.pick(callers)
  const lent_s = Array.from({ length: hit.pods }, (_, pod) => (pod === 0 ? 0 : chance.whole(30, 600)))
  const host = `${provider.name}.example`
  const [refused, renewed] = chance.pick([
    [
      `401 Unauthorized: GET https://${host}/v1/items`,
      `POST https://${host}/oauth/token answered 400: {"error":"invalid_grant","error_description":"refresh token has expired"}`,
    ],
    [
      `${host}: 403 {"code":"AccessDenied","message":"Signed with a key that is not active"}`,
      `could not renew the session of ${host}: InvalidClientTokenId: The security token included in the request is expired`,
    ],
  ] as const)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'certificate', kinds: ['config'], entity: hit.name, places: [provider.name], topology },
    lines: [
      { part: hit.name, message: refused, per_minute: 15, decides: true },
      { part: hit.name, message: renewed, per_minute: 5, decides: true },
    ],
    gauges: chance.is(0.4)
      ? [
          {
            ...{ entity: hit.name, name: 'credential_remaining_seconds', unit: 's', decides: true },
            ...{ labels: { credential: provider.name }, level: (since_s) => -since_s },
          },
        ]
      : [],
    working: (part, pod, since_s) =>
      part === hit.name && since_s >= (lent_s[pod] ?? 0)
        ? { cut_off: { to: provider.name, share: 0.98 } }
        : {},
  }
}

/** Which parts stand at another site than the first, and the calls between the two; null where a link would not show. */
export function twoSites(topology: Topology, chance: Chance) {
  const far = new Set(
    topology.parts
      .filter(({ kind }, index) => index > 0 && kind !== 'external' && chance.is(0.45))
      .map(({ name }) => name),
  )
  const calls = topology.parts.flatMap(({ name, calls: own }) =>
    own
      .filter(({ to }) => kindOf(topology, to) !== 'external')
      .map(({ to }) => ({ from: name, to, isAcross: far.has(name) !== far.has(to) })),
  )
  const across = calls.filter(({ isAcross }) => isAcross)
  const [callers, callees] = [new Set(across.map(({ from }) => from)), new Set(across.map(({ to }) => to))]
  if (callers.size < 2 || callees.size < 2 || calls.length - across.length < 2) return null
  return { far, callers: [...callers], farFrom: (part: string) => farFrom(across, part) }
}

const farFrom = (
  across: readonly { readonly from: string; readonly to: string }[],
  part: string,
): readonly string[] => across.filter(({ from }) => from === part).map(({ to }) => to)

/** The link between two sites loses packets: calls from one to the other wait and fail, those within a site do not. */
const lossyLink: ProductionFamily = (topology, chance): ProductionFault | null => {
  const sites = twoSites(topology, chance)
  if (sites === null) return null
  const link = `interconnect-${chance.whole(1, 2)}`
  const lost = chance.between(0.07, 0.2)
  const again_ms = chance.whole(250, 700)
  const growing_s = chance.whole(20, 180)
  const wave_s = chance.whole(120, 300)
  const level = (since_s: number): number =>
    progress(since_s, growing_s) * (0.85 + 0.15 * Math.sin((2 * Math.PI * since_s) / wave_s))
  const address = (site: number): string => `10.${site}.${chance.whole(0, 7)}.${chance.whole(2, 250)}`
  const sideOf = (part: string): readonly [number, number] => (sites.far.has(part) ? [80, 40] : [40, 80])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['infra', 'provider'], entity: link, topology },
    lines: sites.callers.map((part) => {
      const [here, there] = sideOf(part)
      return {
        ...{ part, per_minute: 7, decides: true },
        message: `read tcp ${address(here)}:${chance.whole(33_000, 60_000)}->${address(there)}:8080: read: connection timed out`,
      }
    }),
    gauges: [
      {
        ...{ entity: link, name: 'link_packet_loss_ratio', unit: '1', decides: true },
        level: (since_s) => 0.0003 + lost * level(since_s),
      },
    ],
    events: chance.is(0.5)
      ? [
          {
            ...{ after_s: chance.whole(60, 400), kind: 'notification', reason: 'link', name: link },
            ...{ message: `${link}: optical receive power is below its alarm threshold`, decides: true },
          },
        ]
      : [],
    working: (part, _pod, since_s) => {
      const to = sites.farFrom(part)
      const share = level(since_s)
      if (to.length === 0 || share === 0) return {}
      return { cut_off: { to, share: lost * share }, on_way: { to, ms: again_ms * share } }
    },
  }
}

/**
 * All pods of a service are away for a minute. Who calls it tries again, three times and at once, and there is no room
 * for that: long after its pods are back it answers nobody in time, and everybody tries again.
 */
const lastingStorm: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods, own_ms } = chance.pick(inner(topology))
  const callers = callersOf(topology, name)
  const retries = chance.whole(3, 4)
  const away_s = chance.whole(45, 100)
  const slowed = withParts(topology, {
    [name]: { own_ms: own_ms + chance.whole(110, 180), timeout_ms: 1_000 },
    ...Object.fromEntries(callers.map((caller) => [caller.name, { retries, timeout_ms: 1_000 }])),
  })
  const tried = chance.between(20, 90)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['traffic', 'config'], entity: name },
    places: callers.map((caller) => caller.name),
    topology: sized(slowed, name, chance.between(1.25, 1.5)),
    lines: [
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 12, severity: 'WARN', decides: true },
        message: `retrying request to ${name}, attempt ${retries} of ${retries}`,
      })),
      {
        ...{ part: name, per_minute: 9, severity: 'WARN', after_s: away_s, decides: true },
        message: 'request was given up by its caller before it was answered',
      },
    ],
    gauges: callers.map(
      (caller): Gauge => ({
        ...{ entity: caller.name, name: 'http_client_retries_per_second', unit: '/s', decides: true },
        level: (since_s) => 0.05 + tried * progress(since_s, 40),
      }),
    ),
    k8s: Array.from({ length: pods }, (_, pod) => ({
      ...{ after_s: 3 + pod, kind: 'Pod', name: `${name}-${pod}`, reason: 'Unhealthy', decides: true },
      message: 'Liveness probe failed: dial tcp: connect: connection refused',
    })),
    working: (each, _pod, since_s) => {
      if (each !== name || since_s >= away_s) return {}
      return { own_errors: 0.95, ...(since_s < STEP_S ? { memory_limit_mb: 0 } : {}) }
    },
  }
}

/**
 * A store fails over to its standby, in less than a minute and as it is made to. One service keeps its connections as
 * long as they work, and they do: to what was the primary, and can only be read now.
 */
const oldPrimary: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const hit = chance.pick(callersOf(topology, store.name))
  const away_s = chance.whole(15, 50)
  const writes = chance.between(0.35, 0.7)
  const verb = chance.pick(['INSERT', 'UPDATE'])
  const told = { kind: 'failover', reason: 'failover', name: store.name, service: store.name, decides: true }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['dns', 'network'], entity: store.name, places: [hit.name], topology },
    lines: [
      {
        ...{ part: hit.name, per_minute: 15, after_s: away_s, decides: true },
        message: `error: cannot execute ${verb} in a read-only transaction`,
      },
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => (since_s >= 0 && since_s < away_s ? 1 : since_s >= away_s ? 15 : 22),
      },
    ],
    events: [
      {
        ...{ ...told, after_s: -chance.whole(1, 8) },
        message: `Multi-AZ instance failover of ${store.name} started`,
      },
      {
        ...{ ...told, after_s: away_s + 4 },
        message: `Multi-AZ instance failover of ${store.name} completed`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < away_s) return part === store.name ? { own_errors: 0.95 } : {}
      return part === hit.name ? { cut_off: { to: store.name, share: writes } } : {}
    },
  }
}

/** The families of the fifth generation that no change caused. */
export const FIFTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'long-leak': amongFurtherReadings(longLeak),
  'ended-credential': amongFurtherReadings(endedCredential),
  'lossy-link': amongFurtherReadings(lossyLink),
  'lasting-storm': amongFurtherReadings(lastingStorm),
  'old-primary': amongFurtherReadings(oldPrimary),
}
