/**
 * Families of the twelfth generation that no change caused, each as a published report of one organisation has it: a store
 * that is there and hardly gets on, a table that has no number left for another row, a service that ends once and reads its
 * data for long, a pod that has no connection left while the others have (plain), and a provider of feature flags that is
 * lost while a release of the partners takes requests for others. They were written without knowledge of the engine;
 * docs/simulator/twelfth.md names the reports and the rule by which they were chosen.
 */
import { PARTNER_GATEWAY, PARTNER_RULES } from './eighth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { STEP_S } from './run-system.ts'
import {
  amongTwelfthSurroundings,
  FLAG_SIGN_EVERY_S,
  FLAGS,
  KNOWN_KEYS,
  knownKeys,
  RINGS,
  STOLEN,
  WAITING,
} from './twelfth-surroundings.ts'

/**
 * The host of a store's machine gives its time to others. The store is there, takes connections and says that it is well,
 * so nobody goes without it, and works at a fraction of its pace.
 */
const stolenTime: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const growing_s = chance.whole(60, 240)
  const slower = chance.between(120, 260)
  const stolen = chance.between(0.78, 0.93)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['capacity', 'node', 'provider'],
      entity: name,
      undisturbed: [name],
      topology,
    },
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 7 },
        message: `error: canceling statement due to statement timeout (57014), ${name}`,
      })),
      {
        ...{ part: name, per_minute: 5, severity: 'WARN', decides: true },
        message: `checkpoint took ${chance.whole(190, 420)} s, ${chance.whole(6, 14)} s were planned, its processor was elsewhere`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'host_cpu_steal_ratio', unit: '1', decides: true },
        level: (since_s) => STOLEN + (stolen - STOLEN) * progress(since_s, growing_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { own_factor: 1 + slower * progress(since_s, growing_s) } : {},
  }
}

/** A table's rows have numbers up to 2,147,483,647, and the last is given out: nothing new is written there any more. */
const usedUpIds: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const share = chance.between(0.35, 0.6)
  const a_second = chance.between(2, 7)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'code', 'config'], entity: store, places: [name], topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 11, decides: true },
        message: 'error: nextval: reached maximum value of sequence "events_id_seq" (2147483647) (2200H)',
      },
      { part: name, per_minute: 5, message: '500 POST /v2/comments' },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'db_ids_left', unit: '1', labels: { table: 'events' } },
        level: (since_s) => Math.max(0, -since_s * a_second),
        decides: true,
      },
    ],
    working: (part) => (part === name ? { own_errors: share } : {}),
  }
}

/**
 * The one process of a service ends by itself, in what reads from the network. Another is begun within half a minute, and
 * answers what it has read of its data so far: most is refused, then ever less.
 */
const slowReload: ProductionFamily = (topology, chance): ProductionFault | null => {
  const picked = chance.pick(inner(topology))
  const { name } = picked
  const away_s = chance.whole(5, 7) * STEP_S
  const reading_s = chance.whole(900, 1_500)
  const refused = chance.between(0.85, 0.97)
  const records = chance.whole(60, 140) * 100_000
  /** How much of its data it has. */
  const loaded = (since_s: number): number => (since_s < 0 ? 1 : progress(since_s - away_s, reading_s))
  const readLine = (after_s: number, until_s: number) => ({
    ...{ part: name, per_minute: 10, severity: 'INFO', decides: true, after_s, until_s },
    message: `dataset: ${Math.round((records / 100_000) * loaded((after_s + until_s) / 2))}00000 of ${records} records read`,
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'data', 'infra'], entity: name, undisturbed: [name] },
    topology: withParts(topology, { [name]: { pods: 1, workers: picked.workers * picked.pods } }),
    lines: [
      {
        ...{ part: name, per_minute: 60, until_s: 6, severity: 'FATAL', decides: true },
        message: 'signal 11 (SIGSEGV) in net::Stream::on_readable (stream.cpp:388)',
      },
      ...[0, 1, 2, 3].map((quarter) =>
        readLine(away_s + (quarter * reading_s) / 4, away_s + ((quarter + 1) * reading_s) / 4),
      ),
      {
        ...{ part: name, per_minute: 6, after_s: away_s, until_s: away_s + reading_s },
        message: '503: not read yet, try again',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'dataset_loaded_ratio', unit: '1', decides: true },
        level: (since_s) => (since_s >= 0 && since_s < away_s ? Number.NaN : loaded(since_s)),
      },
    ],
    k8s: [
      {
        ...{ after_s: 2, kind: 'Pod', name: `${name}-0`, reason: 'Error', decides: true },
        message: `Container ${name} ended with exit code 139`,
      },
      {
        ...{ after_s: away_s - 3, kind: 'Pod', name: `${name}-0`, reason: 'Started', decides: true },
        message: `Started container ${name}`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < 0) return {}
      if (since_s < STEP_S) return { memory_limit_mb: 0, own_errors: 0.99 }
      if (since_s < away_s) return { is_away: true }
      const left = 1 - loaded(since_s)
      return { own_errors: refused * left, own_factor: 1 + 2 * left, cpu_factor: 1 + 3 * left }
    },
  }
}

/**
 * Plain: in one pod of a service statements wait for each other in a ring, and each keeps its connection to the store. That
 * pod has none left; it says that it is well, gets as many requests as the others, and hardly any of them ends.
 */
const oneFullPool: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name, pods, own_ms } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const full = chance.whole(0, pods - 1)
  const growing_s = chance.whole(20, 90)
  const share = chance.between(0.8, 0.95)
  const wait_ms = chance.whole(400, 800)
  const most = chance.whole(60, 240)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['data', 'code'], entity: name, places: [store], topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 12, pod: full, decides: true },
        message: 'PoolTimeout: no connection in 500 ms, 20 of 20 in use, 0 idle',
      },
      {
        part: name,
        per_minute: 5,
        pod: full,
        severity: 'WARN',
        message: 'request waited for a connection and was given up',
      },
      {
        ...{ part: store, per_minute: 3, until_s: 200, decides: true },
        message: `ERROR:  deadlock detected (40P01), process ${chance.whole(3_000, 30_000)} waits for ShareLock on transaction`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_pool_requests_waiting', unit: '1', labels: { pod: String(full) } },
        level: (since_s) => WAITING + most * progress(since_s, growing_s),
        decides: true,
      },
      {
        ...{ entity: store, name: 'db_deadlocks_per_minute', unit: '1', decides: true },
        level: (since_s) => (since_s >= 0 && since_s < 240 ? 5 : RINGS),
      },
    ],
    working: (part, pod, since_s) => {
      if (part !== name || pod !== full || since_s < 0) return {}
      const so_far = progress(since_s, growing_s)
      return { own_errors: share * so_far, own_factor: 1 + (wait_ms * so_far) / own_ms, cpu_factor: 0.2 }
    },
  }
}

/** Seconds before the effect from when on everything of the pair is told. */
const BEFORE_S = 600

/**
 * Two that have nothing to do with each other. The provider of feature flags is not reached any more; who runs keeps what
 * it knows. Pods of a service that are begun anew later, as their machines are emptied, know nothing and do as nobody does
 * any more: they call others by an old way, which is slow and loses much. Some minutes before or after, a release of the
 * partners' rules takes requests for others that it was sent before. The alert is of the first.
 */
const defaultsAndKeys: ProductionFamily = (topology, chance): ProductionFault | null => {
  const callees = (calls: (typeof topology.parts)[number]['calls']): readonly string[] =>
    calls.map(({ to }) => to).filter((to) => kindOf(topology, to) === 'service')
  const candidates = inner(topology).filter(({ calls }) => callees(calls).length > 0)
  if (candidates.length === 0) return null
  const { name, calls, pods } = chance.pick(candidates)
  const to = callees(calls)
  const share = chance.between(0.45, 0.7)
  const late_ms = chance.whole(250, 700)
  const lost_s = -chance.whole(150, 500)
  const other_s = chance.is(0.5) ? -chance.whole(120, 420) : chance.whole(100, 400)
  const others = chance.between(0.65, 0.9)
  const services = topology.parts.filter(({ kind }) => kind === 'service').map((part) => part.name)
  const usual = arrivalsOf(topology).get(name) ?? 0
  const partners = [PARTNER_GATEWAY, PARTNER_RULES]
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'provider',
      kinds: ['dependency', 'flag', 'network'],
      entity: FLAGS,
      places: [name],
      topology,
    },
    ...{ delay_s: BEFORE_S, undisturbed: [PARTNER_RULES, name] },
    renewed: [{ part: name, after_s: BEFORE_S - 5 }],
    elsewhere: [{ ...knownKeys(PARTNER_RULES, chance), after_s: other_s }],
    lines: [
      ...services.map((part) => ({
        ...{ part, per_minute: 1.5, severity: 'WARN', decides: true },
        message: `flags: ${FLAGS}:443 does not answer, keeping what is known`,
      })),
      {
        ...{ part: name, per_minute: 8, decides: true },
        message: `flags: nothing from ${FLAGS}:443 in 5000 ms since this process began, defaults are used`,
      },
      { part: name, per_minute: 8, message: `POST http://${to[0]}:8080/internal/v1: connection reset` },
      {
        part: PARTNER_RULES,
        per_minute: 14,
        after_s: other_s,
        message: '409: key was used before, no answer is kept',
      },
    ],
    gauges: [
      ...[...services, ...partners].map((entity) => ({
        ...{ entity, name: 'feature_flag_sign_age_seconds', unit: 's', decides: true },
        level: (since_s: number): number => {
          const since_lost = since_s - lost_s
          return since_lost > 0
            ? FLAG_SIGN_EVERY_S + since_lost
            : ((since_lost % 30) + 30) % FLAG_SIGN_EVERY_S
        },
      })),
      {
        ...{ entity: name, name: 'feature_flag_defaults_per_second', unit: '/s', decides: true },
        level: (since_s) => 0.02 + usual * progress(since_s, 110 * pods),
      },
      {
        ...{ entity: PARTNER_RULES, name: 'idempotency_conflicts_per_second', unit: '/s' },
        level: (since_s) => (since_s < other_s ? KNOWN_KEYS : 18 * others),
      },
    ],
    k8s: Array.from({ length: pods }, (_, pod) => ({
      ...{ after_s: 100 * pod - 12, kind: 'Pod', name: `${name}-${pod}`, reason: 'Evicted' },
      message: 'The node is emptied for its update',
    })),
    working: (part) => (part === name ? { cut_off: { to, share }, on_way: { to, ms: late_ms } } : {}),
    beyond: (part, pod, told_s) =>
      part === PARTNER_RULES && told_s - BEFORE_S >= other_s + pod * 40 ? { own_errors: others } : {},
  }
}

/** The families of the twelfth generation that no change caused. */
export const TWELFTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'stolen-time': amongTwelfthSurroundings(stolenTime),
  'used-up-ids': amongTwelfthSurroundings(usedUpIds),
  'slow-reload': amongTwelfthSurroundings(slowReload),
  'one-full-pool': amongTwelfthSurroundings(oneFullPool),
  'defaults-and-keys': amongTwelfthSurroundings(defaultsAndKeys),
}
