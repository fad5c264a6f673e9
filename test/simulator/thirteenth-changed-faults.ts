/**
 * Families of the thirteenth generation whose cause is a change, each as a published report of one organisation has it: an
 * upgrade of what a service stands on, another version of the system of its hosts, a setting that machines cannot start
 * with, a field that the other side does not want, and pages whose every build empties the provider's cache. They were
 * written without knowledge of the engine; docs/simulator/thirteenth.md names the reports and the rule of choice.
 */
import { BROKER } from './eleventh-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { EDGE_CACHE, EDGE_HITS, SITE } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  hostedApart,
  hostingOf,
  kindOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { PAGES } from './sixth-surroundings.ts'
import {
  amongThirteenthSurroundings,
  BAD_REQUESTS,
  BROKER_CLOSES,
  builtPages,
  infrastructureUpgrade,
  machineSetting,
  OPEN_FILES,
  PURGED,
  PUT_ASIDE,
  sentAlong,
  systemUpgrade,
  TIMEOUTS,
} from './thirteenth-surroundings.ts'

/**
 * What a service stands on is upgraded, and it is unsteady from then on: for a minute or two much of what it is asked is
 * slow or fails, then it is nearly well for a while, again and again.
 */
const unsteadyUpgrade: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name)
  const delay_s = chance.whole(20, 60)
  const bad_s = chance.whole(80, 170)
  const turn_s = bad_s + chance.whole(30, 70)
  const share = chance.between(0.3, 0.55)
  const slower = chance.between(8, 20)
  const isBad = (since_s: number): boolean => since_s >= 0 && since_s % turn_s < bad_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'code', 'capacity'], entity: name, topology, delay_s },
    culprits: [infrastructureUpgrade(name, chance.is(0.6) ? name : undefined)],
    undisturbed: [name],
    lines: callers.map((caller) => ({
      ...{ part: caller.name, per_minute: 8 },
      message: `java.util.concurrent.TimeoutException: No response received after ${caller.timeout_ms} (http://${name}.internal/)`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
        level: (since_s) => (isBad(since_s) ? Math.ceil(pods / 3) : pods),
      },
      ...callers.map((caller) => ({
        ...{ entity: caller.name, name: 'http_client_timeouts_per_second', unit: '/s', decides: true },
        level: (since_s: number) => TIMEOUTS + (isBad(since_s) ? 4 : 0),
      })),
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      return isBad(since_s - delay_s)
        ? { own_errors: share, own_factor: 1 + slower }
        : { own_errors: 0.03, own_factor: 1.6 }
    },
  }
}

/**
 * The hosts of a service get another version of their system, one after the other. Its connections to the broker do not
 * last any more and a statement takes long; callers ask again, which makes more of both, and messages are put aside.
 */
const systemOfHosts: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name) as string
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const share = chance.between(0.3, 0.5)
  const slower = chance.between(4, 9)
  const statement_ms = chance.whole(6_200, 9_800)
  const grown = (since_s: number): number => progress(since_s, 240)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['code', 'config', 'dependency', 'capacity'], entity: name, topology },
    ...{ places: [BROKER], delay_s: 20 },
    culprits: [systemUpgrade(name, chance.is(0.6) ? name : undefined)],
    renewed: [{ part: name, after_s: 15 }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 9 },
        message:
          "pika.exceptions.StreamLostError: Stream connection lost: ConnectionResetError(104, 'Connection reset by peer')",
      },
      {
        ...{ part: name, per_minute: 5, after_s: 90, severity: 'WARN' },
        message: `attempt 5 of 5 was not confirmed, message put into ${name}-backup`,
      },
      {
        ...{ part: BROKER, per_minute: 5, after_s: 60 },
        message: `closing AMQP connection <0.${chance.whole(1_200, 9_900)}.1> (10.40.3.${chance.whole(4, 90)}:50772 -> 10.40.9.4:5672): missed heartbeats from client, timeout: 60s`,
      },
      {
        ...{ part: store, per_minute: 3, severity: 'INFO' },
        message: `LOG:  duration: ${statement_ms}.418 ms  statement: SELECT n.* FROM notices n JOIN recipients r ON r.notice_id = n.id WHERE n.sent_at IS NULL`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'amqp_connections_closed_per_minute', unit: '1', decides: true },
        level: (since_s) => BROKER_CLOSES + 34 * grown(since_s),
      },
      {
        ...{ entity: name, name: 'queue_messages_dead_lettered_per_minute', unit: '1', decides: true },
        level: (since_s) => PUT_ASIDE + 60 * grown(since_s - 90),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name ? { own_errors: share, own_factor: 1 + slower * progress(since_s, 60) } : {},
    beyond: (part) => (callers.includes(part) ? { retries: 2 } : {}),
  }
}

/**
 * The setting of the machines of a set is changed to a controller of disks that their image cannot start with. The tool
 * stops each machine to change it, the change is refused, and the machine stays stopped.
 */
const stoppedSet: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const usual = hostingOf(topology, chance)
  const set = `app-set-${chance.whole(5, 9)}`
  const own = Array.from({ length: pods }, (_, pod) => `${set}-${pod + 1}`)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const stops_s = own.map((_, pod) => (pod === 0 ? 0 : chance.whole(2, 25)))
  const delay_s = chance.whole(15, 50)
  const stopped = (since_s: number): number => stops_s.filter((at_s) => since_s >= at_s).length
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'node'], entity: set, places: [name, ...own], topology, delay_s },
    hosting: hostedApart(usual, own, [name]),
    culprits: [
      machineSetting(set, ['disk_controller_type = "SCSI"', 'disk_controller_type = "NVMe"'], chance),
    ],
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 15 },
      message: `503 no healthy upstream (outbound|8080||${name}.prod.svc.cluster.local)`,
    })),
    gauges: [
      {
        ...{ entity: set, name: 'machine_set_running', unit: '1', decides: true },
        level: (since_s) => pods - stopped(since_s),
      },
      ...own.map((node, pod) => ({
        ...{ entity: node, name: 'node_ready', unit: '1', labels: { node }, decides: true },
        level: (since_s: number) => (since_s < (stops_s[pod] ?? 0) + 40 ? 1 : 0),
      })),
    ],
    events: own.flatMap((machine, pod) => [
      {
        ...{ after_s: (stops_s[pod] ?? 0) + 3, kind: 'notification', reason: 'state', name: machine },
        message: `Microsoft.Compute/virtualMachines/deallocate/action on ${machine}: Succeeded (terraform)`,
        decides: true,
      },
      {
        ...{ after_s: (stops_s[pod] ?? 0) + 30, kind: 'notification', reason: 'state', name: machine },
        message: `Microsoft.Compute/virtualMachines/write on ${machine}: Failed. InvalidParameter: The VM size 'Standard_E8bds_v5' cannot boot with OS image or disk. Please check that disk controller types supported by the OS image or disk is one of the supported disk controller types for the VM size`,
        decides: true,
      },
    ]),
    k8s: own.map((node, pod) => notReady(node, (stops_s[pod] ?? 0) + 42)),
    working: (part, pod, since_s) =>
      part === name && since_s >= delay_s + (stops_s[pod] ?? 0) ? { is_away: true } : {},
  }
}

/**
 * A service sends another field along, for its metrics. Whom it asks wants that field empty in most of what it is sent and
 * refuses it.
 */
const filledField: ProductionFamily = (topology, chance): ProductionFault | null => {
  const calling = topology.parts.filter(
    ({ kind, calls }) => kind === 'service' && calls.some(({ to }) => kindOf(topology, to) === 'service'),
  )
  if (calling.length === 0) return null
  const { name, calls } = chance.pick(calling)
  const asked = chance.pick(calls.filter(({ to }) => kindOf(topology, to) === 'service'))
  const { to } = asked
  const [form, field, value] = chance.pick([
    ['booking', 'serviceType', 'primaryCare'],
    ['transfer', 'purpose', 'savings'],
    ['shipment', 'window', 'morning'],
  ] as const)
  const share = chance.between(0.4, 0.7)
  const refusals = (arrivalsOf(topology).get(name) ?? 0) * asked.per_request * share
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'dependency'], entity: name, places: [to], topology, delay_s: 5 },
    culprits: [sentAlong(name, form, field, chance)],
    shipped: [{ part: name, after_s: 0 }],
    undisturbed: [to],
    lines: [
      {
        ...{ part: name, per_minute: 9 },
        message: `BackendServiceException: 400 ${to} {"detail":"${field} must be null","source":"${form}"}`,
      },
      {
        ...{ part: to, per_minute: 8, severity: 'WARN' },
        message: `400 POST /v1/${form}s: Field error in object '${form}' on field '${field}': rejected value [${value}]; default message [must be null]`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_client_bad_requests_per_second', unit: '/s', decides: true },
        level: (since_s) => BAD_REQUESTS + refusals * progress(since_s, 100),
      },
    ],
    working: (part) => (part === name ? { refused: { to, share } } : {}),
  }
}

/** Seconds between two builds of the pages. */
const BUILD_EVERY_S = 300

/**
 * The pages are built in another way, every few minutes, and each build empties the provider's cache whether anything is
 * new or not. Where requests come in, a multiple comes from each build on until the cache is full again; it has no room to
 * open more files, and what it cannot open it says is not there.
 */
const emptiedCache: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const filling_s = chance.whole(200, 280)
  const most = chance.between(0.55, 0.8)
  const hits = (since_s: number): number =>
    since_s < 0 ? EDGE_HITS : EDGE_HITS * progress(since_s % BUILD_EVERY_S, filling_s)
  const times = (since_s: number): number => (1 - hits(since_s)) / (1 - EDGE_HITS)
  const empty = (since_s: number): number => 1 - hits(since_s) / EDGE_HITS
  const delay_s = chance.whole(60, 240)
  const objects = chance.whole(20_000, 60_000)
  const guarded = ['if ! diff -rq "$OUT" "$LIVE" > /dev/null; then', '  publish && purge_changed', 'fi']
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config', 'traffic', 'capacity'], entity: PAGES, delay_s },
    ...{ places: [EDGE_CACHE, root.name], topology: sized(topology, root.name, chance.between(3, 4.5)) },
    culprits: [
      builtPages(
        guarded,
        ['publish && purge_everything'],
        chance.pick(['Pages on Next.js', 'Build with Next.js']),
      ),
    ],
    shipped: [{ part: PAGES, after_s: 0 }],
    lines: [
      {
        ...{ part: EDGE_CACHE, per_minute: 2, severity: 'INFO' },
        message: `purge of site ${SITE}: everything ({"purge_everything":true}, token of ${PAGES})`,
      },
      {
        ...{ part: EDGE_CACHE, per_minute: 5, severity: 'WARN' },
        message: `site ${SITE}: 404 of the origin is kept for 14400 s (/dist/index.json)`,
      },
      {
        ...{ part: root.name, per_minute: 9 },
        message: `open() "/srv/dist/v18.15.0/download.tar.gz" failed (24: Too many open files), request: "GET /dist/v18.15.0/download.tar.gz HTTP/1.1"`,
      },
    ],
    gauges: [
      {
        ...{
          entity: EDGE_CACHE,
          name: 'cdn_cache_hit_ratio',
          unit: '1',
          labels: { site: SITE },
          level: hits,
        },
        decides: true,
      },
      {
        ...{ entity: EDGE_CACHE, name: 'cdn_origin_requests_per_second', unit: '/s', labels: { site: SITE } },
        ...{ level: (since_s) => topology.demand * times(since_s), decides: true },
      },
      {
        ...{ entity: EDGE_CACHE, name: 'cdn_purged_objects_per_minute', unit: '1', labels: { site: SITE } },
        level: (since_s) => (since_s >= 0 && since_s % BUILD_EVERY_S < 60 ? objects : PURGED),
        decides: true,
      },
      {
        ...{ entity: root.name, name: 'process_open_files', unit: '1', decides: true },
        level: (since_s) => OPEN_FILES + (since_s < 0 ? 0 : 764 * Math.min(1, 1.5 * empty(since_s))),
      },
    ],
    demand: times,
    working: () => ({}),
    beyond: (part, _pod, since_s) =>
      part === root.name && since_s >= delay_s ? { own_errors: most * empty(since_s - delay_s) } : {},
  }
}

/** The families of the thirteenth generation whose cause is a change. */
export const THIRTEENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unsteady-upgrade': amongThirteenthSurroundings(unsteadyUpgrade),
  'system-of-hosts': amongThirteenthSurroundings(systemOfHosts),
  'stopped-set': amongThirteenthSurroundings(stoppedSet),
  'filled-field': amongThirteenthSurroundings(filledField),
  'emptied-cache': amongThirteenthSurroundings(emptiedCache),
}
