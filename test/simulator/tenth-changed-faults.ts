/**
 * Families of the tenth generation whose cause is a change, each as a published report of one organisation has it: a
 * field that is no longer issued, a group of servers that a limiter does not know, a release that reads a file which is
 * not built in (plain), a release of the sandbox that sets production (plain), and a rule for crawlers that takes the
 * bodies of writes. They were written without knowledge of the engine; docs/simulator/tenth.md names the reports and the
 * rule by which they were chosen.
 */
import { storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  type ToldRecord,
  UNREMARKABLE,
} from './production-fault.ts'
import { BALANCER } from './seventh-surroundings.ts'
import {
  ALLOWED,
  amongTenthSurroundings,
  crawlerRule,
  EMPTY_WRITES,
  issuedField,
  movedTarget,
  NOT_FOUND,
  readAtStart,
  START_FAILURES,
  sandboxRelease,
} from './tenth-surroundings.ts'

/** What the orchestrator writes down of pods that end again and again while they start. */
const backingOff = (part: string, from_s: number): readonly ToldRecord[] =>
  [0, 1, 0, 1].map((pod, index) => ({
    ...{ after_s: from_s + 45 * index, kind: 'Pod', name: `${part}-${pod}`, reason: 'BackOff' },
    ...{ message: `Back-off restarting failed container ${part}`, decides: true },
  }))

/**
 * A service no longer writes an address into what it issues; nobody notices. Another is begun anew by a job, as every day,
 * reads that address while it starts, finds none and ends, again and again.
 */
const leftOutField: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ calls }) =>
    calls.some(({ to }) => kindOf(topology, to) === 'service'),
  )
  if (candidates.length === 0) return null
  const { name, calls } = chance.pick(candidates)
  const issuer = chance.pick(calls.filter(({ to }) => kindOf(topology, to) === 'service')).to
  const field = chance.pick(['statusUrl', 'revocationUrl'])
  const delay_s = chance.whole(900, 2_400)
  const share = chance.between(0.93, 0.99)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['code', 'data', 'dependency'], entity: issuer, topology, delay_s },
    places: [name, 'fleet-config'],
    culprits: [issuedField(issuer, field, `https://status.${issuer}.internal`, chance)],
    renewed: [{ part: name, after_s: delay_s }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 12, after_s: 5 },
        message: `TypeError: Invalid URL: undefined (${field}, start.ts:31)`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'container_start_failures_per_minute', unit: '1', decides: true },
        level: (since_s) => START_FAILURES + 4 * progress(since_s, 90),
      },
    ],
    k8s: [
      {
        ...{ after_s: -6, kind: 'Job', name: `${name}-daily-renewal`, reason: 'SuccessfulCreate' },
        message: `Created pod: ${name}-daily-renewal-${chance.whole(1_000, 9_999)}`,
      },
      ...backingOff(name, 40),
    ],
    working: (part) => (part === name ? { own_errors: share, cpu_factor: 0.2 } : {}),
  }
}

/**
 * The servers of a service move to another group of the balancer, and it is seen that all is well. Every half hour limits
 * are worked out from what is asked for; what works them out looks at the old group, and callers send nearly nothing more.
 */
const keptTarget: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).filter(({ name }) => callersOf(topology, name).length > 0)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const usual = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(600, 1_700)
  const share = chance.between(0.5, 0.8)
  const asked = (of: 1 | 2) => ({
    ...{ entity: BALANCER, name: 'balancer_target_requests_per_second', unit: '/s', decides: true },
    labels: { target: `${name}-${of}` },
    level: (since_s: number): number => {
      if (since_s < -delay_s) return of === 1 ? usual : 0
      return of === 1 ? 0 : usual * (since_s < 0 ? 1 : 1 - share)
    },
  })
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'network'], entity: BALANCER, topology, delay_s },
    places: [name, 'request-limiter'],
    culprits: [movedTarget(name, chance.is(0.6) ? BALANCER : undefined)],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 10 },
      message: `circuit to ${name} is open, not sent`,
    })),
    gauges: [
      asked(1),
      asked(2),
      {
        ...{ entity: name, name: 'request_limit_per_second', unit: '/s', decides: true },
        level: (since_s) => (since_s < 0 ? ALLOWED * usual : 1),
      },
      {
        ...{ entity: name, name: 'client_circuits_open', unit: '1', decides: true },
        level: (since_s) => callers.length * 3 * progress(since_s, 30),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= delay_s ? { cut_off: { to: name, share } } : {},
  }
}

/** Plain: a release reads a file while it starts, which is in its repository and not in its image. */
const missingFile: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const share = chance.between(0.93, 0.99)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['config'], entity: name, topology, delay_s: 5 },
    culprits: [readAtStart(name, `${name}/config/delivery-rules.json`, ['COPY dist ./dist'], chance)],
    shipped: [{ part: name, after_s: 0 }],
    lines: [
      {
        ...{ part: name, per_minute: 12, after_s: 5 },
        message: "Error: ENOENT: no such file or directory, open '/app/config/delivery-rules.json'",
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'container_start_failures_per_minute', unit: '1', decides: true },
        level: (since_s) => START_FAILURES + 5 * progress(since_s, 90),
      },
    ],
    k8s: backingOff(name, 30),
    working: (part) => (part === name ? { own_errors: share, cpu_factor: 0.2 } : {}),
  }
}

/**
 * Plain: a release of the environment to try things out sets production as well. A service asks for its content there, and
 * finds hardly any of it.
 */
const sandboxRoute: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const delay_s = chance.whole(10, 60)
  const share = chance.between(0.7, 0.92)
  const usual = arrivalsOf(topology).get(name) ?? 0
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'config',
      kinds: ['infra', 'code'],
      entity: name,
      places: ['fleet-config'],
      topology,
      delay_s,
    },
    culprits: [sandboxRelease(name, ['sandbox', 'prod'], chance)],
    lines: [chance.whole(10_000, 49_999), chance.whole(50_000, 99_999)].map((entry) => ({
      ...{ part: name, per_minute: 7 },
      message: `404 GET /v3/entries/${entry}`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'http_server_responses_404_per_second', unit: '/s', decides: true },
        level: (since_s) => NOT_FOUND + usual * share * progress(since_s, 30),
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= delay_s ? { own_errors: share } : {}),
  }
}

/**
 * A rule against crawlers is made to look into what they send, and does so for everybody: writes get to the first service
 * without what they are to write.
 */
const emptiedWrites: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const delay_s = chance.whole(15, 90)
  const reloads_s = chance.whole(20, 90)
  const share = chance.between(0.16, 0.34)
  const come = [
    '  networks: [203.0.113.0/24, 198.51.100.0/22]',
    '  methods: [GET, POST, PUT]',
    '  inspect: body',
  ]
  const emptied = (since_s: number): number => share * progress(since_s, reloads_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['infra', 'network'], entity: 'ingress-nginx', topology, delay_s },
    places: [root.name, 'edge-config'],
    culprits: [crawlerRule(come, 0, chance)],
    lines: ['POST /v1/notices', 'PUT /v1/notices/31'].map((route) => ({
      ...{ part: root.name, per_minute: 7 },
      message: `400 ${route}: the body is empty`,
    })),
    gauges: [
      {
        ...{ entity: root.name, name: 'http_server_empty_writes_per_second', unit: '/s', decides: true },
        level: (since_s) => EMPTY_WRITES + topology.demand * emptied(since_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === root.name && since_s >= delay_s
        ? { own_errors: emptied(since_s - delay_s), own_factor: 1.4 }
        : {},
  }
}

/** The families of the tenth generation whose cause is a change. */
export const TENTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'left-out-field': amongTenthSurroundings(leftOutField),
  'kept-target': amongTenthSurroundings(keptTarget),
  'missing-file': amongTenthSurroundings(missingFile),
  'sandbox-route': amongTenthSurroundings(sandboxRoute),
  'emptied-writes': amongTenthSurroundings(emptiedWrites),
}
