/**
 * Families of the fifteenth generation whose cause is a change, each as a published report of one organisation has it: a way
 * to load credentials that stops at what is kept, a policy of queues that makes deliveries slow, files that nobody else may
 * read, a setting of a store that services keep connections across, and a server that is closed to those outside. They were
 * written without knowledge of the engine; docs/simulator/fifteenth.md names the reports and the rule of choice.
 */
import { BROKER } from './eleventh-surroundings.ts'
import {
  accessRule,
  amongFifteenthSurroundings,
  CACHE_DB,
  CREDENTIALS_CACHE,
  DECLINED,
  FIREWALL,
  FORBIDDEN,
  FORBIDDEN_LABELS,
  KEYS,
  loading,
  MEDIA,
  MISSES,
  PAGED_OUT,
  probeOf,
  queueOf,
  queuePolicy,
  READY,
  ROLLBACKS,
  storeSetting,
  writtenAtOnce,
} from './fifteenth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'

/**
 * A release loads credentials from what is kept of them, and no longer from the store where nothing is kept. Those that are
 * new are said not to exist; as what is kept expires, others are as well. Nobody else is changed, and the store has less to do.
 */
const credentialsByCache: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const delay_s = chance.whole(20, 90)
  const expiring_s = chance.whole(700, 1_300)
  const [first, last] = [chance.between(0.09, 0.15), chance.between(0.35, 0.6)]
  const asked = chance.between(0.3, 0.6)
  const unknown = (since_s: number): number => first + (last - first) * progress(since_s, expiring_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data', 'config'], entity: name, topology, delay_s },
    culprits: [
      loading(
        name,
        'credentials',
        [
          [
            '  const kept = await cache.get(owner)',
            '  if (kept !== null) return kept',
            '  const read = await store.get(owner)',
            '  if (read !== null) await cache.set(owner, read, KEPT_S)',
            '  return read',
          ],
          [
            '  const loaders = [cache, store].filter((each) => each.isReady)',
            '  return (await loaders[0]?.get(owner)) ?? null',
          ],
        ],
        chance.pick(['Load credentials in one place', 'Loaders for credentials', 'Tidy up loading']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 8, severity: 'WARN', after_s: 5 },
        message: chance.pick([
          "InvalidCredentials: Unable to retrieve the FCM server key for the recipient's app. Make sure you have provided a server key as directed by the Expo FCM documentation.",
          'InvalidCredentials: Could not find APNs credentials for com.example.courier (@example/courier). You may need to generate or upload new push credentials.',
        ]),
      },
    ],
    gauges: [
      {
        ...{ entity: CREDENTIALS_CACHE, name: 'redis_db_keys', unit: '1', labels: CACHE_DB, decides: true },
        level: (since_s) => KEYS * (1 - 0.6 * progress(since_s + delay_s, 2_000)),
      },
      {
        ...{ entity: CREDENTIALS_CACHE, name: 'redis_keyspace_misses:rate1m', unit: '/s', decides: true },
        level: (since_s) =>
          MISSES + (since_s < 0 ? 0 : (arrivalsOf(topology).get(name) ?? 0) * unknown(since_s)),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { own_errors: unknown(since_s - delay_s), fan_out: { to: store, factor: asked } } : {},
  }
}

/**
 * The queues of one service get a policy by which messages lie on the broker's disk alone. What is delivered through them
 * takes long, and who waits for it gives up; queues of others are as they were.
 */
const lazyQueue: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const delay_s = chance.whole(20, 120)
  const growing_s = chance.whole(120, 360)
  const slower = chance.between(400, 1_300) / own_ms
  const waiting = chance.whole(4_000, 22_000)
  const share = chance.between(0.04, 0.15)
  const id = `${chance.whole(0x10000000, 0x7fffffff).toString(16)}-5d1c-0050-${chance.whole(0x1000, 0xefff).toString(16)}-08dbd1e2f0c4`
  const slow = (since_s: number): number => progress(since_s, growing_s)
  const limit = `"max-length": ${chance.pick([100, 250, 500])}000`
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'config',
      kinds: ['infra', 'capacity', 'dependency'],
      entity: BROKER,
      places: [name],
      topology,
    },
    delay_s,
    culprits: [
      queuePolicy(
        BROKER,
        name,
        [limit, `${limit}, "queue-mode": "lazy"`],
        chance.pick(['Policies of the queues', 'Queues as the guide has them', `${BROKER}: policies`]),
        chance,
      ),
    ],
    undisturbed: [name],
    lines: [
      {
        ...{ part: BROKER, per_minute: 4, after_s: -delay_s, until_s: 40 - delay_s, severity: 'INFO' },
        message: `Importing sequentially ${chance.whole(6, 11)} policies...`,
      },
      {
        ...{ part: name, per_minute: 8, after_s: 45 },
        message: `MassTransit.RequestTimeoutException: Timeout waiting for response, RequestId: ${id}`,
      },
    ],
    gauges: [
      {
        ...{ entity: BROKER, name: 'rabbitmq_queue_messages_ready', unit: '1', labels: queueOf(name) },
        ...{ decides: true, level: (since_s) => READY + waiting * progress(since_s, 1_300) },
      },
      {
        ...{ entity: BROKER, name: 'rabbitmq_queue_messages_paged_out', unit: '1', labels: queueOf(name) },
        ...{
          decides: true,
          level: (since_s) =>
            since_s < -delay_s ? PAGED_OUT : READY + 0.98 * waiting * progress(since_s, 1_300),
        },
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? { own_factor: 1 + slower * slow(since_s - delay_s), own_errors: share * slow(since_s - delay_s) }
        : {},
  }
}

/**
 * A release writes files beside where they belong and then puts them there. They keep the rights of what is for its writer
 * alone, so the service that hands them out is refused more and more of them. Who was changed is well.
 */
const privateFiles: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const { name } = chance.pick(called)
  const reader = chance.pick(called.filter((part) => part.name !== name)).name
  const delay_s = chance.whole(120, 420)
  const writing_s = chance.whole(300, 800)
  const share = chance.between(0.5, 0.85)
  const arriving = arrivalsOf(topology).get(reader) ?? 0
  const [folder, file] = chance.pick([
    ['covers', 'cover.webp'],
    ['episodes', 'audio.mp3'],
    ['transcripts', 'en.vtt'],
  ] as const)
  const refused = (since_s: number): number => share * progress(since_s, writing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'data'], entity: name, topology, delay_s },
    culprits: [
      writtenAtOnce(
        name,
        MEDIA,
        [],
        chance.pick(['Write artifacts at once', 'Artifacts are whole or not there', 'No half-written files']),
      ),
    ],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: reader, per_minute: 10, after_s: 10 },
        message: `{"level":"error","logger":"http.log.error","msg":"open ${MEDIA}/${folder}/${chance.whole(11_000, 98_000)}/${file}: permission denied","request":{"method":"GET"},"status":403,"err_trace":"fileserver.(*FileServer).ServeHTTP (staticfiles.go:236)"}`,
      },
    ],
    gauges: [
      {
        ...{ entity: reader, name: 'caddy_http_request_duration_seconds_count:rate1m', unit: '/s' },
        ...{ labels: FORBIDDEN_LABELS, decides: true },
        level: (since_s) => FORBIDDEN + arriving * refused(since_s),
      },
    ],
    working: () => ({}),
    beyond: (part, _pod, since_s) => (part === reader ? { own_errors: refused(since_s - delay_s) } : {}),
  }
}

/**
 * A setting of a store takes effect as its two machines change places. Some who ask it keep the connections that they had,
 * to the machine that may only be read now; others connect again and are well.
 */
const keptConnections: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const well = chance.pick(callers)
  const hit = callers.filter((caller) => caller !== well)
  const delay_s = chance.whole(40, 110)
  const share = chance.between(0.45, 0.75)
  const growing_s = chance.whole(20, 60)
  const [before, after] = chance.pick([
    [400, 900],
    [250, 500],
  ] as const)
  const arrivals = arrivalsOf(topology)
  const writing = hit.reduce((sum, caller) => sum + (arrivals.get(caller) ?? 0), 0)
  const told = { kind: 'notification', reason: 'state', name, decides: true } as const
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'data', 'dependency'], entity: name, topology, delay_s },
    places: [`${name}-1`, `${name}-2`, ...hit],
    culprits: [storeSetting(name, 'max_connections', [before, after], chance)],
    undisturbed: hit,
    lines: hit.map((part, index) => ({
      ...{ part, per_minute: 9, after_s: 5 },
      message: `error: cannot execute ${index % 2 === 0 ? 'UPDATE' : 'INSERT'} in a read-only transaction`,
    })),
    gauges: [
      {
        ...{ entity: `${name}-1`, name: 'pg_replication_is_replica', unit: '1', decides: true },
        level: (since_s) => (since_s < -8 ? 0 : 1),
      },
      {
        ...{ entity: `${name}-2`, name: 'pg_replication_is_replica', unit: '1', decides: true },
        level: (since_s) => (since_s < -8 ? 1 : 0),
      },
      {
        ...{ entity: `${name}-1`, name: 'pg_stat_database_xact_rollback:rate1m', unit: '/s', decides: true },
        level: (since_s) => ROLLBACKS + writing * share * progress(since_s, growing_s),
      },
    ],
    events: [
      { ...told, after_s: -28, message: `Started cross AZ failover to DB instance: ${name}-2` },
      { ...told, after_s: -6, message: `Completed failover to DB instance: ${name}-2` },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= delay_s
        ? { refused: { to: name, share: share * progress(since_s - delay_s, growing_s) } }
        : {},
  }
}

/**
 * A firewall no longer lets anybody outside into a range of addresses, with the server of data that is in it. Connections
 * that are open last for a while; new ones get no answer. The server itself is well.
 */
const deniedZone: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name)
  const delay_s = chance.whole(15, 60)
  const lasting_s = chance.whole(80, 260)
  const wait_ms = chance.whole(300, 900)
  const declined = chance.between(90, 400)
  const host = chance.whole(4, 60)
  const away = (since_s: number): number => 0.97 * progress(since_s, lasting_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['network', 'infra'], entity: FIREWALL, places: [name], topology, delay_s },
    culprits: [
      accessRule(
        FIREWALL,
        '10.48.7.0',
        chance.pick(['Findings of the scan', 'Servers as the review has them', `${FIREWALL}: rules`]),
        chance,
      ),
    ],
    undisturbed: [name],
    lines: callers.map((caller) => ({
      ...{ part: caller.name, per_minute: 10, after_s: 8 },
      message: `Error: connect ETIMEDOUT 10.48.7.${host}:443`,
    })),
    gauges: [
      {
        ...{ entity: FIREWALL, name: 'cufwConnGlobalNumPolicyDeclined:rate1m', unit: '/s', decides: true },
        level: (since_s) => DECLINED + declined * progress(since_s + 5, lasting_s),
      },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', decides: true },
        ...{ labels: probeOf(name), level: (since_s) => (since_s < 0 ? 1 : 0) },
      },
    ],
    working: (part, _pod, since_s) => {
      const caller = callers.find((each) => each.name === part)
      const share = away(since_s - delay_s)
      if (caller === undefined || share === 0) return {}
      return { cut_off: { to: name, share }, own_factor: 1 + (share * wait_ms) / caller.own_ms }
    },
  }
}

/** The families of the fifteenth generation whose cause is a change. */
export const FIFTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'credentials-by-cache': amongFifteenthSurroundings(credentialsByCache),
  'lazy-queue': amongFifteenthSurroundings(lazyQueue),
  'private-files': amongFifteenthSurroundings(privateFiles),
  'kept-connections': amongFifteenthSurroundings(keptConnections),
  'denied-zone': amongFifteenthSurroundings(deniedZone),
}
