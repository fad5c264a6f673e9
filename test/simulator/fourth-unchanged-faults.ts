/**
 * Families of the fourth generation that no change caused: a resolver that drops questions, a provider that takes its
 * time, a message that nobody can read, a cache that begins empty, a replica that falls behind. They were written from
 * accounts of real incidents, without knowledge of the engine; docs/simulator/fourth.md says what was looked at.
 */
import { amongEverydayReadings } from './everyday-readings.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type Gauge,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { STEP_S } from './run-system.ts'
import type { Topology } from './topology.ts'

/** How long a resolver's client waits before it asks again (resolv.conf: timeout 5). */
const ASKS_AGAIN_MS = 5_000

const servicesOf = ({ parts }: Topology) => parts.filter(({ kind }) => kind === 'service')

/** The cluster's resolver drops a part of the questions: whoever opens connections waits five seconds now and then. */
const slowResolver: ProductionFamily = (topology, chance): ProductionFault | null => {
  // Who keeps connections open hardly asks.
  const asking = servicesOf(topology).filter(() => chance.is(0.7))
  if (asking.length < 3) return null
  const dropped = chance.between(0.03, 0.09)
  const growing_s = chance.whole(30, 240)
  const resolver = `coredns-5d78c9869d-${chance.pick(['xk2lp', 'h7q9d', 'm4wzt'])}`
  const from = (): string =>
    `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}:${chance.whole(33_000, 60_000)}`
  const unanswered = (name: string): string =>
    chance.is(0.5)
      ? `dial tcp: lookup ${name} on 10.96.0.10:53: read udp ${from()}->10.96.0.10:53: i/o timeout`
      : `Error: getaddrinfo EAI_AGAIN ${name}`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'dns', kinds: ['network'], entity: 'coredns', topology },
    places: ['kube-dns', resolver],
    lines: asking.flatMap(({ name, calls }) =>
      calls
        .slice(0, 2)
        .map(({ to }) => ({ part: name, message: unanswered(to), per_minute: 5, decides: true })),
    ),
    gauges: [
      {
        ...{ entity: 'coredns', name: 'dns_request_duration_p99_ms', unit: 'ms', decides: true },
        level: (since_s) => 9 + 2_400 * progress(since_s, growing_s),
      },
    ],
    k8s: chance.is(0.5)
      ? [
          {
            ...{ after_s: chance.whole(20, 200), kind: 'Pod', name: resolver, reason: 'Unhealthy' },
            message: 'Readiness probe failed: Get "http://10.40.3.9:8181/ready": context deadline exceeded',
            decides: true,
          },
        ]
      : [],
    working: (part, _pod, since_s) => {
      const one = asking.find(({ name }) => name === part)
      if (one === undefined) return {}
      const share = dropped * progress(since_s, growing_s)
      return { own_factor: 1 + (share * ASKS_AGAIN_MS) / one.own_ms, own_errors: share * 0.4 }
    },
  }
}

/** A provider that answers everything, seconds later than usual, in waves; its status page knows of nothing. */
const slowProvider: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  const slow_ms = chance.whole(1_600, 4_500)
  const growing_s = chance.whole(40, 300)
  const wave_s = chance.whole(150, 400)
  const level_ms = (since_s: number): number => {
    const wave = 0.8 + 0.2 * Math.sin((2 * Math.PI * since_s) / wave_s)
    return provider.own_ms + slow_ms * wave * progress(since_s, growing_s)
  }
  const message = chance.pick([
    `Post "https://${provider.name}.example/v1/lookup": net/http: request canceled (Client.Timeout exceeded while awaiting headers)`,
    `SocketTimeoutException: Read timed out (${provider.name}.example:443)`,
  ])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', entity: provider.name, topology },
    lines: callers.map(({ name }) => ({ part: name, message, per_minute: 9, after_s: 40, decides: true })),
    gauges: callers.flatMap(({ name, calls }) =>
      calls.map(
        ({ to }): Gauge => ({
          ...{ entity: name, name: 'http_client_duration_p50_ms', unit: 'ms', labels: { peer: to } },
          ...{ decides: to === provider.name },
          level: (since_s) => (to === provider.name ? level_ms(since_s) : 21),
        }),
      ),
    ),
    working: (part, _pod, since_s) =>
      part === provider.name ? { own_factor: level_ms(since_s) / provider.own_ms } : {},
  }
}

/** What a consumer says of a message that it cannot take, as different runtimes put it. */
const UNREADABLE = [
  'panic: runtime error: slice bounds out of range [:14] with length 9',
  'Uncaught RangeError: Maximum call stack size exceeded',
  'thread "consumer-1" died: java.lang.NumberFormatException: For input string: "٣"',
] as const

/** A message that kills whoever takes it; it is given to the next pod, and those that wait behind it grow old. */
const undeadMessage: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const queue = `${name}-${chance.pick(['events', 'inbox', 'orders', 'updates'])}`
  const turn_s = chance.whole(6, 11) * STEP_S
  const away_s = chance.whole(30, 55)
  const waiting = chance.between(8, 40)
  const id = chance.whole(0x10000000, 0x7fffffff).toString(16)
  /** Seconds since a pod was given the message last; more than any where it never was. */
  const givenFor = (pod: number, since_s: number): number => {
    const turn = Math.floor(since_s / turn_s)
    const last = turn - ((((turn - pod) % pods) + pods) % pods)
    return last < 0 ? Number.POSITIVE_INFINITY : since_s - last * turn_s
  }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', entity: name, places: [queue], topology },
    lines: [
      { part: name, message: chance.pick(UNREADABLE), per_minute: 6, decides: true },
      {
        ...{ part: name, per_minute: 5, severity: 'WARN', decides: true },
        message: `message ${id} of ${queue} was delivered before and not acknowledged`,
      },
    ],
    gauges: [
      {
        ...{ entity: queue, name: 'queue_messages_ready', unit: '1', decides: true },
        level: (since_s) => 12 + waiting * Math.max(0, since_s),
      },
      {
        ...{ entity: queue, name: 'queue_oldest_message_age_seconds', unit: 's', decides: true },
        level: (since_s) => 2 + Math.max(0, since_s),
      },
    ],
    k8s: [1, 2, 3].map((time) => ({
      ...{ after_s: time * 3 * turn_s, kind: 'Pod', name: `${name}-${time % pods}`, reason: 'BackOff' },
      message: 'Back-off restarting failed container',
    })),
    working: (part, pod, since_s) => {
      if (part !== name) return {}
      const given_s = givenFor(pod, since_s)
      if (given_s >= away_s) return {}
      // A pod that dies is what one is that holds more than nothing and may hold nothing.
      return { own_errors: 0.95, ...(given_s < STEP_S ? { memory_limit_mb: 0 } : {}) }
    },
  }
}

/** Shares of requests that a cache answers, and a system that was made for them; null where a store would not notice. */
function cachedSystem(topology: Topology, chance: Chance) {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const users = inner(topology)
    .filter(({ calls }) => calls.some(({ to }) => to === store.name))
    .slice(0, chance.whole(1, 2))
  const [first] = users
  if (first === undefined) return null
  const hits = chance.between(0.82, 0.92)
  const all = (cache_hits: number) =>
    withParts(topology, Object.fromEntries(users.map(({ name }) => [name, { cache_hits }])))
  const asked = (cache_hits: number): number => arrivalsOf(all(cache_hits)).get(store.name) ?? 0
  const headroom = chance.between(1.4, 1.9)
  if (asked(0.2) < asked(hits) * headroom * 1.3) return null
  return { store, users, first, hits, topology: sized(all(hits), store.name, headroom) }
}

/** A node of a cache is replaced and begins empty; everybody asks the store at once, which is too slow to fill it again. */
const emptyCache: ProductionFamily = (topology, chance): ProductionFault | null => {
  const system = cachedSystem(topology, chance)
  if (system === null) return null
  const { store, users, first, hits } = system
  const cache = `${first.name}-cache`
  const entries = chance.whole(200_000, 4_000_000)
  const warm = (since_s: number): number => 0.03 + 0.25 * (1 - Math.exp(-Math.max(0, since_s) / 900))
  const told = { kind: 'cache', reason: 'recovery', name: cache, service: cache, decides: true }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['capacity', 'node'], entity: cache, topology: system.topology },
    places: users.map(({ name }) => name),
    lines: [
      ...users.map(({ name }) => ({
        ...{ part: name, per_minute: 4, decides: true },
        message: `MaxRetriesPerRequestError: Reached the max retries per request limit (which is 1), ${cache}:6379`,
      })),
      ...callersOf(topology, store.name).map(({ name }) => ({
        ...{ part: name, per_minute: 7, after_s: 30 },
        message: 'FATAL: sorry, too many clients already',
      })),
    ],
    gauges: [
      {
        ...{ entity: cache, name: 'cache_items', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? entries : entries * warm(since_s)),
      },
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 78 * progress(since_s, 60),
      },
    ],
    events: [
      { ...told, after_s: -chance.whole(5, 50), message: 'Recovering cache nodes 0001' },
      { ...told, after_s: chance.whole(20, 90), message: 'Finished recovery for cache nodes 0001' },
    ],
    working: (part, _pod, since_s) =>
      users.some(({ name }) => name === part) ? { cache_hits: hits * warm(since_s) } : {},
  }
}

/** A replica stops to apply what its primary writes, held up by a long report; who reads there misses what was just written. */
const laggingReplica: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const store = chance.pick(stores)
  const readers = callersOf(topology, store.name)
    .filter(({ name }) => kindOf(topology, name) === 'service')
    .slice(0, chance.whole(1, 2))
  const replica = `${store.name}-replica-${chance.whole(1, 2)}`
  const other = replica.endsWith('1') ? `${store.name}-replica-2` : `${store.name}-replica-1`
  const held_s = chance.whole(60, 400)
  const share = chance.between(0.2, 0.5)
  const what = chance.pick(['booking', 'basket', 'transfer', 'upload'])
  const lag = (entity: string, level: (since_s: number) => number, decides: boolean): Gauge => ({
    ...{ entity, name: 'replication_lag_seconds', unit: 's', level, decides },
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['capacity', 'infra'], entity: replica, places: [store.name], topology },
    lines: [
      ...readers.map(({ name }) => ({
        ...{ part: name, per_minute: 13, decides: true },
        message: `NotFoundError: no ${what} with this id, asked twice`,
      })),
      {
        ...{ part: replica, per_minute: 5, severity: 'INFO', decides: true },
        message:
          'LOG:  recovery still waiting after 1000.441 ms: recovery conflict on snapshot; CONTEXT: WAL redo for Heap2/PRUNE',
      },
    ],
    gauges: [
      lag(replica, (since_s) => 0.4 + Math.max(0, since_s + held_s), true),
      lag(other, () => 0.4, false),
    ],
    working: (part, _pod, since_s) =>
      readers.some(({ name }) => name === part)
        ? // They ask once more, and at the primary.
          { own_errors: share * progress(since_s, 200), fan_out: { to: store.name, factor: 1.4 } }
        : {},
  }
}

/** The families of the fourth generation that no change caused. */
export const FOURTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'slow-resolver': amongEverydayReadings(slowResolver),
  'slow-provider': amongEverydayReadings(slowProvider),
  'undead-message': amongEverydayReadings(undeadMessage),
  'empty-cache': amongEverydayReadings(emptyCache),
  'lagging-replica': amongEverydayReadings(laggingReplica),
}
