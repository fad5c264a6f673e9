/**
 * Families of the ninth generation whose cause is a change, each as a published report of one organisation has it: an
 * update of switches that stops all of them, an update of a machine after which nothing is sent, an account that machines
 * run under, content that is kept while it is changed, a release that never rests (plain), and a release that asks for a
 * field which the page does not show, while somebody else's table is exchanged. They were written without knowledge of
 * the engine; docs/simulator/ninth.md names the reports and the rule by which they were chosen.
 */
import { PARTNER_RULES, PARTNER_STORE } from './eighth-surroundings.ts'
import { storing } from './fifth-changed-faults.ts'
import { twoSites } from './fifth-unchanged-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  ACCOUNTS,
  accountChange,
  amongNinthSurroundings,
  CHANNELS,
  groundwork,
  INCOMPLETE,
  keptContent,
  LISTED,
  LOOP_LAG_S,
  MACHINE_ACCOUNT,
  MACHINES,
  PORTS,
  packageUpdate,
  RUNNING_S,
  requiredField,
  SWITCHES,
  swappedTable,
  switchUpdate,
  unmeasuredWhileGone,
} from './ninth-surroundings.ts'
import {
  hostedApart,
  hostedSparing,
  hostingOf,
  kindOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import { SENT_EACH } from './seventh-surroundings.ts'

/**
 * The two switches of a site get another version, one half after the other so that nobody notices. The first half stops
 * both: nothing gets into that site, out of it or through it any more.
 */
const updatedSwitches: ProductionFamily = (topology, chance): ProductionFault | null => {
  const sites = twoSites(topology, chance)
  if (sites === null) return null
  const base = hostingOf(topology, chance)
  const farNodes = [0, 1].map((each) => `ip-10-80-${each}-${chance.whole(2, 250)}`)
  const delay_s = chance.whole(20, 150)
  const share = chance.between(0.93, 0.99)
  const wait_ms = chance.whole(300, 800)
  const calls = new Map(
    topology.parts.map((part) => [
      part.name,
      sites.far.has(part.name) ? part.calls.map(({ to }) => to) : sites.farFrom(part.name),
    ]),
  )
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['network', 'config'], entity: SWITCHES.far[0], places: [SWITCHES.far[1]] },
    ...{ topology, delay_s },
    hosting: {
      nodes: [...base.nodes, ...farNodes],
      on: (part, pod) =>
        sites.far.has(part) ? (farNodes[pod % farNodes.length] as string) : base.on(part, pod),
    },
    culprits: [switchUpdate('sw-west', 1, chance.is(0.6) ? SWITCHES.far[0] : undefined)],
    lines: sites.callers.map((part) => {
      const to = chance.pick(sites.farFrom(part))
      return {
        ...{ part, per_minute: 9 },
        message: `connect EHOSTUNREACH ${to}:${kindOf(topology, to) === 'datastore' ? 5_432 : 8_080}`,
      }
    }),
    gauges: SWITCHES.far.map((entity) => ({
      ...{ entity, name: 'switch_ports_up', unit: '1', decides: true },
      level: (since_s: number) => (since_s < 0 ? PORTS : 0),
    })),
    events: SWITCHES.far.map((name, index) => ({
      ...{ after_s: 25 + 5 * index, kind: 'notification', reason: 'state', name, decides: true },
      message: `${name}: no answer`,
    })),
    k8s: farNodes.map((name, index) => notReady(name, 45 + 3 * index)),
    working: (part, _pod, since_s) => {
      const to = calls.get(part) ?? []
      if (to.length === 0 || since_s < delay_s) return {}
      const own_ms = topology.parts.find(({ name }) => name === part)?.own_ms ?? 1
      return { cut_off: { to, share }, own_factor: 1 + wait_ms / own_ms }
    },
  }
}

/** Milliseconds after which nobody waits any longer until a message is sent. */
const GIVEN_UP_MS = 2_000

/**
 * The packages of a machine are brought up to date, and the service on it begins anew. It takes what is to be sent, sends
 * nothing of it and says nothing: whoever asked waits until the time is up.
 */
const silentSender: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ calls }) => calls.length > 0)
  if (candidates.length === 0) return null
  const { name, pods, own_ms } = chance.pick(candidates)
  const base = hostingOf(topology, chance)
  const host = `ip-10-40-9-${chance.whole(2, 250)}`
  const delay_s = chance.whole(40, 180)
  const share = chance.between(0.9, 0.97)
  const piled = chance.between(2, 5)
  const workers = Array.from({ length: pods }, (_, worker) => ({ worker: String(worker) }))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['code', 'dependency', 'config', 'node'], entity: host, places: [name] },
    ...{ topology, delay_s },
    hosting: hostedApart(base, [host], [name]),
    culprits: [packageUpdate(host, chance.is(0.6) ? host : undefined)],
    undisturbed: [name],
    gauges: workers.flatMap((labels) => [
      {
        ...{ entity: name, name: 'worker_messages_sent_per_second', unit: '/s', labels, decides: true },
        level: (since_s: number) => (since_s < 0 ? SENT_EACH : 0.01),
      },
      {
        ...{ entity: name, name: 'worker_requests_waiting', unit: '1', labels, decides: true },
        level: (since_s: number) => 2 + piled * Math.max(0, since_s),
      },
    ]),
    k8s: workers.map(({ worker }) => ({
      ...{ after_s: -8 + 2 * Number(worker), kind: 'Pod', name: `${name}-${worker}`, reason: 'Killing' },
      message: `Stopping container ${name}`,
    })),
    events: [
      {
        ...{ after_s: -12, kind: 'notification', reason: 'state', name: host, decides: true },
        message: `${host}: ${chance.whole(9, 31)} packages updated, 3 services started again`,
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= delay_s
        ? {
            ...{ own_factor: GIVEN_UP_MS / own_ms, own_errors: share, workers: 20_000 },
            ...{ cpu_factor: 0.05, cache_hits: 1 },
          }
        : {},
  }
}

/**
 * Somebody changes what the account may do that most machines run under. Within half a minute these machines stop, those
 * of the databases among them, and nobody can start them again for a while.
 */
const withdrawnAccount: ProductionFamily = (topology, chance): ProductionFault | null => {
  const base = hostingOf(topology, chance)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const holding = new Set(stores.map(({ name }) => base.on(name, 0)))
  const others = base.nodes.filter((node) => !holding.has(node))
  const stopped = [...holding, ...others.slice(0, 1)]
  if (stopped.length === base.nodes.length) return null
  const spared = base.nodes.filter((node) => !stopped.includes(node))
  // Who stands beside runs on machines of another account.
  const hosting = hostedSparing(base, topology, spared)
  const { on } = hosting
  const delay_s = chance.whole(8, 30)
  const stops_s = new Map(stopped.map((node, index) => [node, index === 0 ? 0 : chance.whole(2, 25)]))
  const asking = topology.parts.filter(({ calls }) =>
    calls.some(({ to }) => stores.some(({ name }) => name === to)),
  )
  const isStopped = (node: string, since_s: number): boolean =>
    since_s >= (stops_s.get(node) ?? Number.POSITIVE_INFINITY)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['config', 'node', 'certificate'],
      entity: MACHINE_ACCOUNT,
      topology,
      delay_s,
    },
    places: [...stopped, ...stores.map(({ name }) => name)],
    ...{ hosting, isHosting: true },
    culprits: [accountChange(MACHINE_ACCOUNT, chance.is(0.6) ? MACHINE_ACCOUNT : undefined)],
    lines: asking.map(({ name, calls }) => {
      const store = calls.find(({ to }) => stores.some((each) => each.name === to))?.to ?? ''
      return { part: name, message: `connect EHOSTUNREACH ${store}:5432`, per_minute: 9, after_s: 20 }
    }),
    gauges: [
      {
        ...{ entity: MACHINE_ACCOUNT, name: 'account_instances_running', unit: '1', decides: true },
        level: (since_s) => MACHINES * (1 - progress(since_s, 25)),
      },
      ...stores.flatMap(({ name }) => {
        const node = on(name, 0)
        return [
          {
            ...{ entity: name, name: 'db_up', unit: '1', decides: true },
            level: (since_s: number) => (isStopped(node, since_s) ? 0 : 1),
          },
          {
            ...{ entity: name, name: 'volume_used_ratio', unit: '1', labels: { volume: 'data' } },
            level: () => 0.55,
          },
        ]
      }),
      ...stopped.flatMap((node) => [
        {
          ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
          level: (since_s: number) => (isStopped(node, since_s) ? Number.NaN : RUNNING_S + since_s),
        },
        {
          ...{ entity: node, name: 'node_conntrack_used_ratio', unit: '1', labels: { node } },
          level: () => 0.31,
        },
      ]),
    ],
    events: stopped.map((name) => ({
      ...{ after_s: (stops_s.get(name) ?? 0) + 4, kind: 'notification', reason: 'state', name },
      ...{ message: `instance stopped, ${MACHINE_ACCOUNT}: permission denied`, decides: true },
    })),
    k8s: stopped.map((name) => notReady(name, (stops_s.get(name) ?? 0) + 42)),
    working: (part, pod, since_s) => (isStopped(on(part, pod), since_s - delay_s) ? { is_away: true } : {}),
  }
}

/**
 * A release keeps what a channel of sales holds. While somebody approves changes to a channel it holds less for a moment;
 * who asks in that moment has the service keep it so, and from then on that channel lacks products or has none.
 */
const keptHalfway: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const quiet_s = chance.whole(240, 600)
  const growing_s = chance.whole(300, 700)
  const most = chance.between(0.35, 0.65)
  const hits = chance.between(0.75, 0.9)
  const edited_s = CHANNELS.map((_, index) => (index * growing_s) / CHANNELS.length + chance.whole(0, 40))
  const left = CHANNELS.map(() => chance.whole(0, 6))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['data'], entity: name, topology, delay_s: quiet_s },
    culprits: [keptContent(name, 'channels', chance)],
    shipped: [{ part: name, after_s: 0 }],
    // Who begins anew keeps nothing yet; nobody ships it meanwhile.
    undisturbed: [name],
    lines: CHANNELS.map((channel, index) => ({
      ...{ part: name, per_minute: 6, after_s: edited_s[index] ?? 0 },
      message: `no price of channel ${channel}: ${left[index]} of ${LISTED} products listed`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'content_cache_hit_ratio', unit: '1', decides: true },
        level: (since_s) => 0.05 + hits * progress(since_s + quiet_s, 120),
      },
      ...CHANNELS.map((channel, index) => ({
        ...{ entity: name, name: 'channel_products_listed', unit: '1', decides: true },
        labels: { channel: String(channel) },
        level: (since_s: number) => (since_s < (edited_s[index] ?? 0) ? LISTED : (left[index] ?? 0)),
      })),
    ],
    working: (part, _pod, since_s) =>
      part === name
        ? {
            cache_hits: hits * progress(since_s, 120),
            own_errors: most * progress(since_s - quiet_s, growing_s),
          }
        : {},
  }
}

/** Plain: a release lays the ground for a feature, and its processes never rest from then on. */
const restlessRelease: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const busy_ms = chance.between(500, 1_100)
  const lag_s = chance.between(3, 9)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity'], entity: name, topology, delay_s: 5 },
    culprits: [groundwork(name, 'rooms', 'setImmediate(again)', chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 8, after_s: 15, severity: 'WARN' },
        message: `heartbeat of the rooms stream is ${lag_s.toFixed(1)} s late`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'process_loop_lag_seconds', unit: 's', decides: true },
        level: (since_s) => LOOP_LAG_S + lag_s * progress(since_s, 60),
      },
    ],
    k8s: [80, 150, 220].map((after_s, pod) => ({
      ...{ after_s, kind: 'Pod', name: `${name}-${pod % 2}`, reason: 'Unhealthy' },
      message: 'Readiness probe failed: Get "http://10.40.3.22:8080/ready": context deadline exceeded',
    })),
    working: (part) =>
      part === name ? { own_factor: 1 + busy_ms / own_ms, workers: 3, cpu_factor: 400 } : {},
  }
}

/** Seconds before the effect from when on everything of the pair of incidents is told. */
const BEFORE_S = 600

/**
 * Two that have nothing to do with each other. A release asks for a field that a page shows to nobody yet: nothing can be
 * saved any more. Some minutes before or after, the copy of a table that takes the place of the partners' accounts holds
 * none of them. The alert is of the first.
 */
const unrelatedPair: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length > 0)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const share = chance.between(0.35, 0.6)
  const others = chance.between(0.6, 0.9)
  const other_s = chance.is(0.5) ? -chance.whole(180, 480) : chance.whole(100, 420)
  const field = chance.pick(['statusReason', 'closedBy'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['flag', 'config', 'data'], entity: name, topology, delay_s: BEFORE_S },
    culprits: [requiredField(name, field, 'text()', chance)],
    shipped: [{ part: name, after_s: BEFORE_S }],
    undisturbed: [PARTNER_RULES],
    elsewhere: [swappedTable(PARTNER_STORE, 'accounts', other_s, chance.is(0.6) ? PARTNER_STORE : undefined)],
    lines: [
      { part: name, message: `ValidationError: ${field} is required (PUT /v1/entries)`, per_minute: 14 },
      {
        ...{ part: PARTNER_RULES, per_minute: 14, after_s: other_s },
        message: `account ${chance.whole(20_000, 45_000)} was not found`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'form_validation_failures_per_second', unit: '/s', decides: true },
        level: (since_s) => INCOMPLETE + 6 * progress(since_s, 60),
      },
      {
        ...{ entity: PARTNER_STORE, name: 'db_table_rows', unit: '1', labels: { table: 'accounts' } },
        level: (since_s) => (since_s < other_s ? ACCOUNTS + since_s / 60 : 3),
      },
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
    beyond: (part, _pod, since_s) =>
      part === PARTNER_RULES && since_s >= BEFORE_S + other_s ? { own_errors: others } : {},
  }
}

/** The families of the ninth generation whose cause is a change. */
export const NINTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'updated-switches': amongNinthSurroundings(updatedSwitches),
  'silent-sender': amongNinthSurroundings(silentSender),
  'withdrawn-account': unmeasuredWhileGone(amongNinthSurroundings(withdrawnAccount)),
  'kept-halfway': amongNinthSurroundings(keptHalfway),
  'restless-release': amongNinthSurroundings(restlessRelease),
  'unrelated-pair': amongNinthSurroundings(unrelatedPair),
}
