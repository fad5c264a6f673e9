/**
 * Families of the seventh generation that no change caused, each as a published report of one organisation has it: a
 * database process that ended, a list of addresses that was no longer kept up to date, a worker that takes requests and
 * sends nothing, a table that was damaged. They were written without knowledge of the engine; docs/simulator/seventh.md
 * names the reports and the rule by which they were chosen.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  type ProductionFamily,
  type ProductionFault,
  sharedStores,
  sized,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import { amongSeventhSurroundings, BALANCER, SENT_EACH } from './seventh-surroundings.ts'
import type { Topology } from './topology.ts'

/** Milliseconds that it takes until nobody waits for a connection any more; who calls gives up sooner. */
const NEVER_CONNECTED_MS = 180_000

/**
 * The process of a database ends by itself and nothing starts it again. Who wants to connect gets no answer at all and
 * waits; requests gather in its callers, and whoever asks those waits too, for whatever it is.
 */
const absentStore: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const store = chance.pick(stores)
  const callers = callersOf(topology, store.name)
  const code = chance.pick([137, 139, 134])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'dependency'], entity: store.name, topology },
    lines: callers.map(({ name }) => ({
      ...{ part: name, message: `connect ETIMEDOUT ${store.name}:5432, no answer`, per_minute: 12 },
      ...{ after_s: 2, decides: true },
    })),
    gauges: [
      {
        ...{ entity: store.name, name: 'db_up', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      ...callers.map(({ name }) => ({
        ...{ entity: name, name: 'tcp_retransmits_per_second', unit: '/s' },
        level: (since_s: number) => (since_s < 0 ? 0.5 : 18),
      })),
    ],
    events: [
      {
        ...{ after_s: 4, kind: 'notification', reason: 'process', name: store.name, decides: true },
        message: `${store.name}: the database process ended with code ${code} and was not started again`,
      },
    ],
    working: (part) => {
      if (part === store.name) return { is_away: true }
      if (!callers.some(({ name }) => name === part)) return {}
      return { on_way: { to: [store.name], ms: NEVER_CONNECTED_MS } }
    },
  }
}

/** A family in which nothing is told of its place by itself any more, but whether it is there. */
const unmeasuredFromThen =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = family(topology, chance)
    if (fault === null) return null
    const gauges = fault.gauges.map((gauge) =>
      gauge.entity === fault.entity && gauge.name.startsWith('db_') && gauge.name !== 'db_up'
        ? { ...gauge, level: (since_s: number) => (since_s < 0 ? gauge.level(since_s) : Number.NaN) }
        : gauge,
    )
    return { ...fault, gauges }
  }

/** Seconds that a family's state is as it is: from before anything is measured. */
const FROM_BEFORE_S = 20_000

/** Seconds until a balancer that gets no answer of a pod sends it nothing more. */
const NOTICED_S = 20

/**
 * What spreads requests over the pods of a service has as many places as it has addresses, so no new pod has been added
 * since there were more, and none that is gone removed. It sends to the old pods alone, which is enough, until the
 * orchestrator ends the oldest because there is little to do.
 */
const keptList: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const known = 3
  const unknown = chance.whole(2, 3)
  const sizes = sized(withParts(topology, { [name]: { pods: known } }), name, chance.between(1.5, 1.8))
  const ended_s = [0, chance.whole(60, 150)]
  const hours_s = chance.whole(6, 9) * 3_600
  const calling = new Set(callersOf(topology, name).map((caller) => caller.name))
  const goneAt = (pod: number): number => ended_s[pod] ?? Number.POSITIVE_INFINITY
  const gone = (since_s: number): number => ended_s.filter((at_s) => since_s >= at_s + NOTICED_S).length
  const address = `10.40.${chance.whole(0, 7)}.${chance.whole(2, 250)}`
  const backend = { backend: name }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'network', 'capacity'], entity: BALANCER, places: [name] },
    ...{ topology: withParts(sizes, { [name]: { pods: known + unknown } }), delay_s: FROM_BEFORE_S },
    undisturbed: [name],
    lines: [
      {
        ...{ part: BALANCER, per_minute: 4, severity: 'WARN', decides: true },
        message: `backend ${name}: ${known} of ${known} slots in use, no slot for ${address}, 0 added, 0 removed`,
      },
      {
        ...{ part: BALANCER, per_minute: 3, after_s: NOTICED_S, severity: 'WARN', decides: true },
        message: `backend ${name}: server is down, ${known - ended_s.length} of ${known} left at most`,
      },
    ],
    gauges: [
      {
        ...{ entity: BALANCER, name: 'balancer_list_age_seconds', unit: 's', labels: backend, decides: true },
        level: (since_s) => hours_s + since_s,
      },
      {
        ...{ entity: BALANCER, name: 'balancer_servers_up', unit: '1', labels: backend, decides: true },
        level: (since_s) => known - gone(since_s),
      },
      // What gets no request has nothing to pass on, and of what is gone nothing is measured.
      ...Array.from({ length: known + unknown }, (_, pod) => ({
        ...{ entity: name, name: 'worker_messages_sent_per_second', unit: '/s', decides: true },
        labels: { worker: String(pod) },
        level: (since_s: number) => (since_s >= goneAt(pod) ? Number.NaN : pod < known ? SENT_EACH : 0.01),
      })),
      ...Array.from({ length: known + unknown }, (_, pod) => ({
        ...{ entity: name, name: 'worker_requests_waiting', unit: '1' },
        labels: { worker: String(pod) },
        level: (since_s: number) => (since_s >= goneAt(pod) ? Number.NaN : 2),
      })),
    ],
    k8s: [
      {
        ...{
          after_s: -30,
          kind: 'HorizontalPodAutoscaler',
          name,
          reason: 'SuccessfulRescale',
          decides: true,
        },
        message: `New size: ${known + unknown - ended_s.length}; reason: All metrics below target`,
      },
      ...ended_s.map((after_s, pod) => ({
        ...{ after_s, kind: 'Pod', name: `${name}-${pod}`, reason: 'Killing', decides: true },
        message: `Stopping container ${name}`,
      })),
    ],
    working: (part, pod, since_s) => {
      const on_s = since_s - FROM_BEFORE_S
      if (part === name) {
        if (on_s >= goneAt(pod)) return { is_away: true }
        return pod < known ? {} : { weight: 0 }
      }
      if (!calling.has(part)) return {}
      const until = ended_s.filter((at_s) => on_s >= at_s && on_s < at_s + NOTICED_S).length
      return until === 0 ? {} : { cut_off: { to: name, share: until / (known - gone(on_s)) } }
    },
  }
}

/** The name of a pod that nobody has made anew, by its place among the part's pods. */
function firstNameOf({ parts }: Topology, part: string, pod: number): string {
  const before = parts
    .slice(
      0,
      parts.findIndex(({ name }) => name === part),
    )
    .reduce((sum, { pods }) => sum + pods, pod)
  return `${part}-${before.toString(36).padStart(3, '0')}`
}

/** Pods of the service of which one sends nothing: a quarter of all requests. */
const WORKERS = 4

/** Milliseconds after which nobody waits for its answer any longer, so that the others' callers see a quarter of it. */
const GIVEN_UP_MS = 2_000

/**
 * One of four pods takes requests and answers its probe, but passes nothing on: what it is asked waits in it until
 * whoever asked gives up. It has next to nothing to do, and the others have what they had.
 */
const silentWorker: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const sizes = withParts(topology, { [name]: { pods: WORKERS } })
  const silent = chance.whole(0, WORKERS - 1)
  const piled = chance.between(2, 6)
  const workers = Array.from({ length: WORKERS }, (_, worker) => ({
    labels: { worker: String(worker) },
    isSilent: worker === silent,
  }))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node'], entity: name, topology: sizes },
    places: [firstNameOf(sizes, name, silent)],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, pod: silent, per_minute: 5, after_s: 60, severity: 'WARN', decides: true },
        message: 'dispatcher: more than 200 requests wait to be sent',
      },
    ],
    gauges: workers.flatMap(({ labels, isSilent }) => [
      {
        ...{ entity: name, name: 'worker_messages_sent_per_second', unit: '/s', labels, decides: true },
        level: (since_s: number) => (isSilent && since_s >= 0 ? 0.01 : SENT_EACH),
      },
      {
        ...{ entity: name, name: 'worker_requests_waiting', unit: '1', labels, decides: true },
        level: (since_s: number) => (isSilent && since_s >= 0 ? 2 + piled * since_s : 2),
      },
    ]),
    working: (part, pod) =>
      part === name && pod === silent
        ? { own_errors: 0.97, own_factor: GIVEN_UP_MS / own_ms, workers: 20_000, cpu_factor: 0.05 }
        : {},
  }
}

/**
 * A table of a store is damaged, nobody knows by what. What is new cannot be written to it and waits, what is in it
 * already is still worked through; the store and whoever else asks it are well.
 */
const damagedTable: ProductionFamily = (topology, chance): ProductionFault | null => {
  const store = chance.pick(topology.parts.filter(({ kind }) => kind === 'datastore'))
  const writing = chance.pick(callersOf(topology, store.name))
  const share = chance.between(0.45, 0.8)
  const block = chance.whole(10_000, 90_000)
  const relation = `base/16401/${chance.whole(20_000, 29_999)}`
  const queue = `${writing.name}-outbox`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['infra', 'node'], entity: store.name, topology },
    lines: [
      {
        ...{ part: writing.name, per_minute: 14, decides: true },
        message: `error: invalid page in block ${block} of relation ${relation}`,
      },
      {
        ...{ part: store.name, per_minute: 8, decides: true },
        message: `ERROR:  invalid page in block ${block} of relation ${relation}`,
      },
      {
        ...{ part: store.name, per_minute: 8, severity: 'WARN', decides: true },
        message: `WARNING:  page verification failed, calculated checksum ${chance.whole(10_000, 60_000)} but expected ${chance.whole(10_000, 60_000)}`,
      },
    ],
    gauges: [
      {
        ...{ entity: store.name, name: 'db_statement_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => (since_s < 0 ? 0.3 : 9),
      },
      {
        ...{ entity: queue, name: 'queue_messages_ready', unit: '1' },
        level: (since_s) => 6 + 5 * Math.max(0, since_s),
      },
      {
        ...{ entity: queue, name: 'queue_oldest_message_age_seconds', unit: 's' },
        level: (since_s) => 2 + Math.max(0, since_s),
      },
    ],
    working: (part) => (part === writing.name ? { refused: { to: store.name, share } } : {}),
  }
}

/** The families of the seventh generation that no change caused. */
export const SEVENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'absent-store': unmeasuredFromThen(amongSeventhSurroundings(absentStore)),
  'kept-list': amongSeventhSurroundings(keptList),
  'silent-worker': amongSeventhSurroundings(silentWorker),
  'damaged-table': amongSeventhSurroundings(damagedTable),
}
