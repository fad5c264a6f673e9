/**
 * Families of the seventh generation whose cause is a change, each as a published report of one organisation has it: a
 * device before the stores that was replaced, data that were half moved, nameservers that were seen to by hand, an index
 * that was dropped where its replacement was not there yet, images that were built anew, a migration that locks a table.
 * They were written without knowledge of the engine; docs/simulator/seventh.md names the reports and the rule by which
 * they were chosen.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  amongSeventhSurroundings,
  byHand,
  cachedBuild,
  NAME_SERVERS,
  SESSIONS,
  STORE_FIREWALL,
  schemaStep,
} from './seventh-surroundings.ts'

/** Connections of a store that are busy while nothing is wrong, as everyday readings have them. */
const BUSY = 22

/** Connections of a store that are busy once those who wait are among them. */
const busyFrom = (entity: string, most: number, growing_s: number): Gauge => ({
  ...{ entity, name: 'db_connections_active', unit: '1' },
  level: (since_s) => BUSY + most * progress(since_s, growing_s),
})

/** Statements of a store that end with an error, from when the effect begins. */
const failedStatements = (entity: string, most: number): Gauge => ({
  ...{ entity, name: 'db_statement_errors_per_second', unit: '/s' },
  level: (since_s) => (since_s < 0 ? 0.3 : most),
})

/**
 * The device that passes on connections to a store is replaced because its hardware warns. The spare knows none of the
 * connections that are open: what is sent on them is dropped and never answered, and whoever has them keeps them.
 */
const replacedFirewall: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, store.name)
  // Each pod notices when it next uses one of its connections.
  const noticed_s = new Map(
    callers.map(({ name, pods }) => [name, Array.from({ length: pods }, () => chance.whole(3, 45))]),
  )
  const delay_s = Math.min(...[...noticed_s.values()].flat())
  const share = chance.between(0.85, 0.97)
  const wait_ms = chance.whole(400, 900)
  const returning_s = chance.whole(2_400, 4_800)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config'], entity: STORE_FIREWALL, places: [store.name] },
    ...{ topology, delay_s },
    culprits: [
      byHand(
        `${STORE_FIREWALL}: replaced by its spare, hardware warnings`,
        0,
        chance.is(0.6) ? STORE_FIREWALL : undefined,
      ),
    ],
    // Who is shipped begins with connections of its own, and is well.
    undisturbed: callers.map(({ name }) => name),
    lines: callers.flatMap(({ name }) => [
      {
        ...{ part: name, per_minute: 8 },
        message: `Error: no answer of ${store.name} within ${Math.round(wait_ms)} ms`,
      },
      { part: name, message: 'timeout exceeded when trying to connect', per_minute: 8, after_s: 20 },
    ]),
    gauges: [
      {
        ...{ entity: STORE_FIREWALL, name: 'firewall_sessions', unit: '1', decides: true },
        level: (since_s) =>
          since_s < -delay_s ? SESSIONS : SESSIONS * (0.03 + 0.4 * progress(since_s + delay_s, returning_s)),
      },
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => (since_s < 0 ? BUSY : BUSY * (1 - share)),
      },
      ...callers.map(({ name }) => ({
        ...{ entity: name, name: 'tcp_retransmits_per_second', unit: '/s', decides: true },
        level: (since_s: number) => 0.5 + 34 * progress(since_s, 40),
      })),
    ],
    working: (part, pod, since_s) => {
      const own_ms = callers.find(({ name }) => name === part)?.own_ms
      if (own_ms === undefined || since_s < (noticed_s.get(part)?.[pod] ?? delay_s)) return {}
      return { cut_off: { to: store.name, share }, own_factor: 1 + (share * wait_ms) / own_ms }
    },
  }
}

/**
 * A part of the data is moved from one store to another in two steps. The first takes it away from everybody for a
 * moment and says nothing when it is done, so nobody begins the second: one service still asks for it where it was.
 */
const halfMovedData: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const asking = chance.pick(callers)
  const what = chance.pick(['project', 'account', 'folder'])
  const table = `${what}s_p0${chance.whole(1, 8)}`
  const share = chance.between(0.15, 0.35)
  const briefly = chance.between(0.25, 0.5)
  const briefly_s = chance.whole(60, 150)
  const delay_s = chance.whole(240, 720)
  const message = `error: ${what} could not be loaded (55000)`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'config'], entity: store.name, places: [`${store.name}-2`] },
    ...{ topology, delay_s },
    culprits: [
      byHand(
        `${store.name}: move ${table} to ${store.name}-2, step 1 of 2`,
        0,
        chance.is(0.6) ? store.name : undefined,
      ),
    ],
    lines: callers.map(({ name }) =>
      name === asking.name
        ? { part: name, message, per_minute: 15 }
        : { part: name, message, per_minute: 10, until_s: briefly_s },
    ),
    gauges: [
      {
        ...{ entity: store.name, name: 'db_partitions_offline', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 0 : 1),
      },
      failedStatements(store.name, 6),
    ],
    working: (part, _pod, since_s) => {
      const on_s = since_s - delay_s
      if (on_s < 0 || !callers.some(({ name }) => name === part)) return {}
      if (part === asking.name) return { refused: { to: store.name, share } }
      return on_s < briefly_s ? { refused: { to: store.name, share: briefly } } : {}
    },
  }
}

/** Seconds between the first nameserver that is seen to and the last one. */
const BY_HAND_S = 2_280

/**
 * Nameservers get a change by hand, one after the other. What is put on them is not quite what was agreed on; each goes
 * through its zones some time later and answers for none of them from then on, while caches know the names for a while.
 */
const handDeployedZone: ProductionFamily = (topology, chance): ProductionFault | null => {
  const services = topology.parts.filter(({ kind, calls }) => kind === 'service' && calls.length > 0)
  const steps_s = NAME_SERVERS.map(
    (_, index) =>
      (index * BY_HAND_S) / (NAME_SERVERS.length - 1) + (index === 1 ? chance.whole(-200, 200) : 0),
  )
  const delay_s = BY_HAND_S + chance.whole(780, 1_000)
  const most = chance.between(0.55, 0.9)
  const ending_s = chance.whole(240, 600)
  const known_s = new Map(
    services.map(({ name, pods }) => [name, Array.from({ length: pods }, () => chance.whole(0, 60))]),
  )
  const title = (server: string): string => `${server}: settings of zone transfers, applied by hand`
  const isNamed = chance.is(0.6)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['dns', 'config', 'network'], entity: 'nameservers', topology, delay_s },
    places: [...NAME_SERVERS],
    culprits: NAME_SERVERS.map((server, index) =>
      byHand(title(server), Math.round(steps_s[index] ?? 0), isNamed ? server : undefined),
    ),
    tipping: NAME_SERVERS.length - 1,
    lines: services.flatMap(({ name, calls }) =>
      calls.map(({ to }) => ({
        part: name,
        message: `${to}.prod.example: 503 no healthy upstream`,
        per_minute: 6,
      })),
    ),
    gauges: NAME_SERVERS.map((server) => ({
      ...{ entity: server, name: 'dns_responses_servfail_per_second', unit: '/s', decides: true },
      level: (since_s: number) => 0.1 + 60 * progress(since_s + 20, ending_s),
    })),
    working: (part, pod, since_s) => {
      const calls = services.find(({ name }) => name === part)?.calls
      const share = most * progress(since_s - delay_s - (known_s.get(part)?.[pod] ?? 0), ending_s)
      return calls === undefined || share === 0 ? {} : { cut_off: { to: calls.map(({ to }) => to), share } }
    },
  }
}

/**
 * An index of a store is built anew under another name, then the old one is dropped. Its standby only begins to build
 * when the primary is done, and drops at once: it reads whole tables and falls behind, and who writes waits until a
 * standby has what was written, which none has any more. Minutes later the primary is full of those who wait.
 */
const unacknowledgedWrite: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, store.name)
  const built_to_dropped_s = chance.whole(840, 1_080)
  const delay_s = built_to_dropped_s + chance.whole(3, 15)
  const [table, from, to] = chance.pick([
    ['players', 'players_by_level', 'players_by_level_and_name'],
    ['baskets', 'baskets_by_owner', 'baskets_by_owner_and_day'],
    ['seats', 'seats_by_room', 'seats_by_room_and_row'],
  ] as const)
  const writes = chance.between(0.3, 0.5)
  const wait_ms = chance.whole(700, 1_500)
  const full_after_s = chance.whole(150, 420)
  const standby = `${store.name}-standby`
  const isNamed = chance.is(0.6)
  const record = (title: string, after_s: number) => byHand(title, after_s, isNamed ? store.name : undefined)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'config', 'capacity'], entity: store.name, places: [standby] },
    ...{ topology, delay_s, tipping: 1 },
    culprits: [
      record(`${store.name}: index ${to} built`, 0),
      record(`${store.name}: index ${from} dropped`, built_to_dropped_s),
    ],
    lines: callers.map(({ name }) => ({
      ...{ part: name, per_minute: 9, after_s: 5 },
      message: `MongoServerError: operation exceeded time limit: update ${table}`,
    })),
    gauges: [
      {
        ...{ entity: standby, name: 'replication_lag_seconds', unit: 's', decides: true },
        level: (since_s) => 0.3 + Math.max(0, since_s),
      },
      {
        ...{ entity: standby, name: 'db_rows_read_per_second', unit: '/s', decides: true },
        level: (since_s) => (since_s < 0 ? 900 : 410_000),
      },
      {
        ...{ entity: store.name, name: 'db_sessions_waiting_for_sync', unit: '1', decides: true },
        level: (since_s) => 0.1 + 58 * progress(since_s, full_after_s),
      },
      busyFrom(store.name, 58, full_after_s),
      failedStatements(store.name, 8),
    ],
    working: (part, _pod, since_s) => {
      const on_s = since_s - delay_s
      if (part !== store.name || on_s < 0) return {}
      const waiting = writes * progress(on_s, 20)
      const isFull = on_s >= full_after_s
      return {
        own_factor: 1 + ((isFull ? 0.9 : waiting) * wait_ms) / store.own_ms,
        own_errors: isFull ? 0.9 : waiting * 0.9,
      }
    },
  }
}

/** What a package says that is newer than whoever uses it, and who asked for it in the first place. */
const NEWER = [
  "TypeError: decode() missing 1 required argument: 'algorithms' (site-packages/jwt/api_jwt.py)",
  "ImportError: cannot import name 'soft_unicode' (site-packages/markupsafe/__init__.py)",
  "AttributeError: module 'collections' has no attribute 'Mapping' (site-packages/promise/schema.py)",
] as const

/**
 * Images are built in another way, so that nothing that was kept of earlier builds is used. Packages that nobody wrote
 * down a version of are fetched anew, and one service cannot work with what one of them has become.
 */
const unpinnedRebuild: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const others = inner(topology)
    .filter((part) => part.name !== name)
    .slice(0, chance.whole(1, 3))
  if (others.length === 0) return null
  const own_after_s = chance.whole(60, 480)
  const share = chance.between(0.9, 0.98)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['dependency', 'config'], entity: name, topology, delay_s: own_after_s },
    culprits: [{ kind: 'commit', after_s: 0, ...cachedBuild(chance) }],
    shipped: [
      { part: name, after_s: own_after_s },
      ...others.map((part, index) => ({
        part: part.name,
        after_s: index === 0 ? 0 : chance.whole(20, 900),
      })),
    ],
    lines: [{ part: name, message: chance.pick(NEWER), per_minute: 16 }],
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/**
 * A migration of a service's tables runs as a maintenance. Some minutes in, it holds a lock that nobody else may share,
 * for an hour and a half: whoever needs the table waits until its time is up, and what is to be done piles up.
 */
const lockedTable: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const owner = chance.pick(callers)
  const delay_s = chance.whole(420, 540)
  const table = chance.pick(['checks', 'deliveries', 'bookings'])
  const step = `0${chance.whole(140, 188)}_${table}`
  const share = chance.between(0.25, 0.5)
  const wait_ms = chance.pick([1_000, 1_500, 2_000])
  const growing_s = chance.whole(30, 90)
  const queue = `${owner.name}-outbox`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'capacity', 'config', 'code'], entity: store.name },
    ...{ places: [owner.name], topology, delay_s, tipping: 1 },
    culprits: [
      schemaStep(owner.name, {
        ...{ title: chance.pick(['Quicker lists', `Larger numbers for ${table}`]), step },
        sql: [
          `ALTER TABLE ${table} ALTER COLUMN id TYPE bigint;`,
          `CREATE INDEX ${table}_by_due ON ${table} (due_at);`,
        ],
      }),
      byHand(`${owner.name}: migration ${step} on ${store.name}`, 0, chance.is(0.6) ? owner.name : undefined),
    ],
    lines: callers.map(({ name }) => ({
      ...{ part: name, per_minute: 8, after_s: 5 },
      message: `error: canceling statement due to statement timeout: select ${table}`,
    })),
    gauges: [
      {
        ...{ entity: store.name, name: 'db_sessions_waiting_for_lock', unit: '1', decides: true },
        level: (since_s) => 0.1 + 44 * progress(since_s, growing_s),
      },
      {
        ...{ entity: store.name, name: 'db_oldest_transaction_age_seconds', unit: 's', decides: true },
        level: (since_s) => 3 + Math.max(0, since_s + delay_s),
      },
      busyFrom(store.name, 44, growing_s),
      failedStatements(store.name, 5),
      {
        ...{ entity: queue, name: 'queue_messages_ready', unit: '1' },
        level: (since_s) => 6 + 4 * Math.max(0, since_s - 60),
      },
      {
        ...{ entity: queue, name: 'queue_oldest_message_age_seconds', unit: 's' },
        level: (since_s) => 2 + Math.max(0, since_s - 60),
      },
    ],
    k8s: [
      {
        ...{ after_s: -delay_s, kind: 'Job', name: `${owner.name}-migrate`, reason: 'SuccessfulCreate' },
        ...{ message: `Created pod: ${owner.name}-migrate-${chance.whole(1_000, 9_999)}`, decides: true },
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== store.name || since_s < delay_s) return {}
      const waiting = share * progress(since_s - delay_s, growing_s)
      return { own_factor: 1 + (waiting * wait_ms) / store.own_ms, own_errors: waiting * 0.9 }
    },
  }
}

/** The families of the seventh generation whose cause is a change. */
export const SEVENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'replaced-firewall': amongSeventhSurroundings(replacedFirewall),
  'half-moved-data': amongSeventhSurroundings(halfMovedData),
  'hand-deployed-zone': amongSeventhSurroundings(handDeployedZone),
  'unacknowledged-write': amongSeventhSurroundings(unacknowledgedWrite),
  'unpinned-rebuild': amongSeventhSurroundings(unpinnedRebuild),
  'locked-table': amongSeventhSurroundings(lockedTable),
}
