/**
 * Families of the sixth generation that no change caused: a transaction that stays open, a query that a store answers in
 * another way since it counted its rows, machines that their owner takes back, what a provider sends when it catches up,
 * a version of a provider's interface that has ended. They were written from accounts of real incidents, without
 * knowledge of the engine; docs/simulator/sixth.md says what was looked at.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { STEP_S } from './run-system.ts'
import { amongSixthSurroundings } from './sixth-surroundings.ts'

/**
 * One session of a service has changed rows that many need, and waits for something else with its transaction open. Who
 * wants to change them waits for it until its time is up; the store itself has little to do.
 */
const stuckTransaction: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const holder = chance.pick(callers)
  const open_s = chance.whole(10, 45)
  const writes = chance.between(0.14, 0.36)
  const wait_ms = chance.pick([1_000, 1_500, 2_000])
  const growing_s = chance.whole(30, 150)
  const pid = chance.whole(700, 9_000)
  const table = chance.pick(['accounts', 'balances', 'seats', 'counters'])
  const waiters = [pid + 31, pid + 44, pid + 52].join(', ')
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['capacity', 'code'], entity: store.name, places: [holder.name], topology },
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 7, after_s: 10, decides: true },
        message: `error: canceling statement due to lock timeout: update ${table}`,
      })),
      {
        ...{ part: store.name, per_minute: 8, severity: 'INFO', decides: true },
        message: `LOG:  process ${pid + 31} still waiting for ShareLock on transaction ${chance.whole(1e6, 9e6)} after 1000.207 ms; DETAIL: Process holding the lock: ${pid}. Wait queue: ${waiters}.`,
      },
      {
        ...{ part: store.name, per_minute: 2, after_s: 25, severity: 'WARN', decides: true },
        message: `blocking session pid=${pid} app=${holder.name} state="idle in transaction" wait_event=ClientRead last="UPDATE ${table} SET held = held + $1 WHERE id = $2"`,
      },
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_oldest_transaction_age_seconds', unit: 's', decides: true },
        level: (since_s) => 3 + Math.max(0, since_s + open_s),
      },
      {
        ...{ entity: store.name, name: 'db_sessions_waiting_for_lock', unit: '1', decides: true },
        level: (since_s) => 0.1 + 38 * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== store.name) return {}
      const share = writes * progress(since_s, growing_s)
      return { own_factor: 1 + (share * wait_ms) / store.own_ms, own_errors: share * 0.9 }
    },
  }
}

/**
 * A store counts its rows by itself, as it does every few hours, and thinks from then on that reading the whole table is
 * cheaper for one query. It is asked as often as before, and everybody waits.
 */
const flippedPlan: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const callers = callersOf(topology, store.name)
  const asking = chance.pick(callers)
  const slower = chance.between(4, 8)
  const counted_s = chance.whole(15, 50)
  const [table, by] = chance.pick([
    ['subscriptions', 'owner_id'],
    ['tickets', 'event_id'],
    ['parcels', 'depot_id'],
    ['readings', 'meter_id'],
  ] as const)
  const query = `SELECT * FROM ${table} WHERE ${by} = $1 AND closed_at IS NULL ORDER BY id LIMIT 50`
  const rows = chance.whole(300_000, 900_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['capacity', 'infra'], entity: store.name, places: [asking.name] },
    topology: sized(topology, store.name, 2.2),
    lines: [
      {
        ...{ part: store.name, per_minute: 10, severity: 'INFO', decides: true },
        message: `LOG:  duration: ${chance.whole(2_000, 9_000)}.551 ms  execute <unnamed>: ${query}`,
      },
      {
        ...{
          part: store.name,
          per_minute: 60 / STEP_S,
          until_s: 2 * STEP_S,
          severity: 'INFO',
          decides: true,
        },
        message: `LOG:  automatic analyze of table "app.public.${table}" system usage: CPU: user: 2.14 s, elapsed: ${counted_s}.02 s`,
      },
      {
        ...{ part: store.name, per_minute: 2, after_s: 60, severity: 'INFO', decides: true },
        message: `LOG:  duration: ${chance.whole(2_000, 9_000)}.804 ms  plan: Query Text: ${query} Limit -> Sort -> Seq Scan on ${table} (rows=${rows}) Filter: (closed_at IS NULL) AND (${by} = $1)`,
      },
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 5, after_s: 30 },
        message: 'error: canceling statement due to statement timeout',
      })),
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_rows_read_per_second', unit: '/s', decides: true },
        level: (since_s) => (since_s < 0 ? 1_700 : rows * 1.3),
      },
      {
        ...{ entity: store.name, name: 'db_connections_active', unit: '1' },
        level: (since_s) => 22 + 66 * progress(since_s, 150),
      },
    ],
    working: (part) => (part === store.name ? { own_factor: slower, cpu_factor: slower } : {}),
  }
}

/**
 * A service runs on machines that are cheap because their owner may take them back. Half of them are taken at once, and
 * there are no others of the kind: its pods wait for a machine, and those that are left have too much to do.
 */
const reclaimedMachines: ProductionFamily = (topology, chance): ProductionFault | null => {
  const hit = chance.pick(inner(topology))
  const { name, pods } = hit
  const usual = hostingOf(topology, chance)
  const pool = `spot-${chance.whole(2, 4)}`
  const own = Array.from({ length: pods }, () => `ip-10-48-${chance.whole(0, 7)}-${chance.whole(2, 250)}`)
  const taken = Math.ceil(pods / 2)
  const isTaken = (pod: number): boolean => pod < taken
  const lost = own.filter((_, pod) => isTaken(pod))
  const told = { decides: true } as const
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['capacity', 'node', 'provider'], entity: pool, places: [name, ...lost] },
    topology: sized(topology, name, chance.between(1.35, 1.6)),
    hosting: hostedApart(usual, own, [name]),
    lines: [
      {
        ...{ part: 'karpenter', per_minute: 3, after_s: 10, ...told },
        message: `failed launching nodeclaim for ${pool}: InsufficientInstanceCapacity: We currently do not have sufficient capacity of this instance type in the Availability Zone you requested`,
      },
    ],
    gauges: [
      {
        ...{ entity: pool, name: 'node_pool_nodes_ready', unit: '1', ...told },
        level: (since_s) => (since_s < 0 ? pods : pods - taken),
      },
      {
        ...{ entity: name, name: 'workload_pods_pending', unit: '1', ...told },
        level: (since_s) => (since_s < 0 ? 0 : taken),
      },
      ...own.map((node, pod) => ({
        ...{ entity: node, name: 'node_conntrack_used_ratio', unit: '1', labels: { node }, ...told },
        level: (since_s: number) => (isTaken(pod) && since_s >= 0 ? Number.NaN : 0.27),
      })),
    ],
    k8s: [
      ...lost.flatMap((node, index) => [
        {
          ...{ after_s: index - 118, kind: 'Node', name: node, reason: 'SpotInterrupted', ...told },
          message: 'Spot interruption warning was triggered',
        },
        {
          ...{ after_s: index + 3, kind: 'Node', name: node, reason: 'RemovingNode', ...told },
          message: `Node ${node} event: Removing Node ${node} from Controller`,
        },
      ]),
      ...[20, 140, 440].map((after_s, index) => ({
        ...{ after_s, kind: 'Pod', name: `${name}-${index % taken}`, reason: 'FailedScheduling', ...told },
        message: `0/${usual.nodes.length + pods - taken} nodes are available: ${pods - taken} Insufficient cpu, ${usual.nodes.length} node(s) didn't match Pod's node affinity/selector.`,
      })),
    ],
    events: chance.is(0.5)
      ? [
          {
            ...{ after_s: -119, kind: 'notification', reason: 'spot', name: pool, ...told },
            message: `EC2 Spot Instance Interruption Warning: ${taken} instances of ${pool}`,
          },
        ]
      : [],
    working: (part, pod) => (part === name && isTaken(pod) ? { is_away: true } : {}),
  }
}

/**
 * A provider could not deliver for some hours and delivers all of it when it is well again. One service takes its
 * deliveries; nobody inside asks it more than before, and it is sent a multiple of what it can take.
 */
const deliveredAtOnce: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const { name } = chance.pick(inner(topology))
  const usual = arrivalsOf(topology).get(name) ?? 0
  const most = usual * chance.between(1.3, 2.8)
  const growing_s = chance.whole(20, 150)
  const wave_s = chance.whole(200, 500)
  const sent = (since_s: number): number =>
    most * progress(since_s, growing_s) * (0.9 + 0.1 * Math.sin((2 * Math.PI * since_s) / wave_s))
  const what = chance.pick(['payment.settled', 'parcel.scanned', 'message.read', 'invoice.paid'])
  const hours = chance.whole(2, 9)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', kinds: ['provider', 'capacity'], entity: name, places: [provider.name] },
    ...{ topology: sized(topology, name, 1.5), isDemand: true },
    arriving: (part, since_s) => (part === name ? sent(since_s) : 0),
    lines: [
      {
        ...{ part: name, per_minute: 14, severity: 'WARN', decides: true },
        message: `webhook ${what} of ${provider.name} made ${hours} h ago, delivery attempt ${hours + 3}`,
      },
      {
        ...{ part: name, per_minute: 4, severity: 'INFO', after_s: 60, decides: true },
        message: `${provider.name} closed the request before its webhook was taken`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_server_requests_by_route_per_second', unit: '/s', decides: true },
        labels: { route: `/hooks/${provider.name}` },
        level: (since_s) => 0.4 + sent(since_s),
      },
    ],
    working: () => ({}),
  }
}

/**
 * A provider has ended an old version of its interface, on the day that it had announced. Who asks by the old version is
 * told so; who asks by the new one is served, and the provider is well.
 */
const retiredVersion: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const callers = callersOf(topology, provider.name)
  if (callers.length === 0) return null
  const hit = chance.pick(callers)
  const share = chance.between(0.85, 0.98)
  // The provider's places take it over one after the other.
  const growing_s = chance.whole(30, 300)
  const [old, now] = chance.pick([
    ['v1', 'v3'],
    ['2023-10-16', '2025-03-31'],
    ['v2', 'v2026'],
  ] as const)
  const message = chance.pick([
    `POST https://${provider.name}.example/${old}/lookups answered 410: {"error":"version_retired","detail":"${old} is no longer served, use ${now}"}`,
    `${provider.name}: 400 {"code":"UnsupportedApiVersion","message":"${old} was retired, supported: ${now}"}`,
  ])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'code'], entity: provider.name, places: [hit.name] },
    topology,
    lines: [{ part: hit.name, message, per_minute: 15, decides: true }],
    gauges: [
      {
        ...{ entity: hit.name, name: 'http_client_responses_4xx_per_second', unit: '/s', decides: true },
        labels: { peer: provider.name },
        level: (since_s) => 0.4 + 22 * share * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === hit.name
        ? { refused: { to: provider.name, share: share * progress(since_s, growing_s) } }
        : {},
  }
}

/** The families of the sixth generation that no change caused. */
export const SIXTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'stuck-transaction': amongSixthSurroundings(stuckTransaction),
  'flipped-plan': amongSixthSurroundings(flippedPlan),
  'reclaimed-machines': amongSixthSurroundings(reclaimedMachines),
  'delivered-at-once': amongSixthSurroundings(deliveredAtOnce),
  'retired-version': amongSixthSurroundings(retiredVersion),
}
