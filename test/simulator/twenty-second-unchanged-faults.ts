/**
 * Families of the twenty-second generation that no change of one's own caused, each as a published report of one
 * organisation has it: a certificate that was not renewed, what says who a machine is crashes and does not get up, the volume
 * of a balancer is full, far more people sign up than ever, and an outside host of data that gives nothing after works of its
 * own. They were written without knowledge of the engine; docs/simulator/twenty-second.md names the reports and the rule of
 * choice.
 */
import { callersOf, inner } from './late-faults.ts'
import {
  arrivalsOf,
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  sized,
  UNREMARKABLE,
} from './production-fault.ts'
import { publicProbe } from './twenty-first-surroundings.ts'
import {
  AGENT_RESTARTS,
  AUTH_AGENT,
  AUTH_HOST,
  AUTH_SERVICE,
  AUTH_UNIT,
  amongTwentySecondSurroundings,
  BALANCER,
  CONNECTIONS,
  FREE_BLOCKS,
  harmlessLinks,
  harmlessObjects,
  NOT_GIVEN,
  QUESTIONS,
  RECEIPTS_WAITING,
  RUNNING_THREADS,
  SERVER_FAULT,
  SHARED_VOLUME,
  SIGN_UPS,
  UNAUTHORIZED,
  virtualOf,
} from './twenty-second-surroundings.ts'

/**
 * What renews certificates has missed one. It ends, and nobody who looks at it speaks with that service any more; the
 * service is well, and is hardly asked.
 */
const unrenewedCertificate: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const closing_s = chance.whole(15, 90)
  const share = chance.between(0.93, 0.99)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'certificate', kinds: ['config', 'dependency'], entity: name, topology },
    undisturbed: [name],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 9, after_s: 1, decides: true },
      message: `requests.exceptions.SSLError: HTTPSConnectionPool(host='${name}.example', port=443): Max retries exceeded (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1007)')))`,
    })),
    gauges: [
      {
        ...{ entity: name, name: 'probe_ssl_earliest_cert_expiry:remaining', unit: 's', decides: true },
        level: (since_s) => -since_s,
      },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: publicProbe(name), decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
    ],
    // Connections that are open last until they are closed.
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= 0
        ? { cut_off: { to: name, share: share * progress(since_s, closing_s) } }
        : {},
  }
}

/**
 * What says who a machine is, which others have made, crashes. It is begun anew by itself as it should be, crashes again,
 * and is given up; who sends receipts cannot say who it is, and keeps them.
 */
const crashedAgent: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.25))
  const share = chance.between(0.4, 0.75)
  const slower = chance.between(3, 8)
  const growing_s = chance.whole(20, 60)
  const arrivals = arrivalsOf(topology)
  const ended = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'dependency', kinds: ['code', 'infra'], entity: AUTH_AGENT, places: [AUTH_HOST], topology },
    undisturbed: hit,
    lines: [
      {
        ...{ part: AUTH_HOST, per_minute: 10, until_s: 60, decides: true },
        message: 'systemd[1]: auth-agent.service: Main process exited, code=dumped, status=11/SEGV',
      },
      {
        ...{ part: AUTH_HOST, per_minute: 3, after_s: 40, decides: true },
        message: 'systemd[1]: auth-agent.service: Start request repeated too quickly.',
      },
      ...hit.map((part) => ({
        ...{ part, per_minute: 8, after_s: 3, decides: true },
        message: 'connect ECONNREFUSED 10.40.3.9:8443 (auth-agent), the receipt is kept for later',
      })),
    ],
    gauges: [
      {
        ...{ entity: AUTH_AGENT, name: 'up', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: AUTH_HOST, name: 'node_systemd_unit_state', unit: '1', labels: AUTH_UNIT },
        ...{ decides: true, level: (since_s) => (since_s < 40 ? 0 : 1) },
      },
      {
        ...{ entity: AUTH_HOST, name: 'node_systemd_service_restart_total', unit: '1', labels: AUTH_SERVICE },
        ...{ decides: true, level: (since_s) => AGENT_RESTARTS + 5 * progress(since_s, 40) },
      },
      ...hit.map((part) => ({
        ...{ entity: part, name: 'receipts_waiting', unit: '1', decides: true },
        level: (since_s: number) =>
          RECEIPTS_WAITING + 0.3 * (arrivals.get(part) ?? 0) * share * Math.max(0, since_s),
      })),
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0
        ? { own_errors: share * ended(since_s), own_factor: 1 + (slower - 1) * ended(since_s) }
        : {},
  }
}

/**
 * The backup of a balancer is no longer made smaller, and fills its volume. Time and again it breaks off what goes through it
 * to a service; who asks that service and the service itself are well.
 */
const fullBalancer: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const growing_s = chance.whole(60, 180)
  const filling_s = chance.whole(700, 1_800)
  const round_s = chance.whole(50, 90)
  const share = chance.between(0.45, 0.75)
  const broken = (since_s: number): number => share * progress(since_s + 30, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'network', 'data'], entity: BALANCER, topology },
    elsewhere: [{ ...harmlessLinks(name, chance), after_s: -chance.whole(70, 480) }],
    undisturbed: [name],
    lines: [
      {
        ...{ part: BALANCER, per_minute: 4, after_s: 2, severity: 'WARN', decides: true },
        message: 'err diskmonitor[7120]: 011d0004:3: Disk partition /shared (slot 1) has only 0% free',
      },
      {
        ...{ part: BALANCER, per_minute: 5, after_s: 10, decides: true },
        message: 'err mcpd[6980]: write to /shared/tmp failed: No space left on device (nightly.ucs)',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 7, after_s: 5, decides: true },
        message: `read ECONNRESET (virtual ${name} of ${BALANCER})`,
      })),
    ],
    gauges: [
      {
        ...{ entity: BALANCER, name: 'sysHostDiskFreeBlocks', unit: '1', labels: SHARED_VOLUME },
        ...{
          decides: true,
          level: (since_s) => FREE_BLOCKS * (1 - progress(since_s + filling_s, filling_s)),
        },
      },
      {
        ...{ entity: BALANCER, name: 'ltmVirtualServStatClientTotConns:rate1m', unit: '/s' },
        ...{ labels: virtualOf(name), decides: true },
        level: (since_s) => CONNECTIONS * (1 - (since_s < 0 ? 0 : 0.7 * broken(since_s))),
      },
    ],
    working: (part, _pod, since_s) =>
      callers.includes(part) && since_s >= 0 && since_s % round_s < 0.7 * round_s
        ? { cut_off: { to: name, share: broken(since_s) } }
        : {},
  }
}

/**
 * Far more people come than ever, and thousands sign up within the hour. The store that they are written to cannot bear it,
 * and whoever asks it waits.
 */
const manySignUps: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const made = sized(topology, name, chance.between(1.3, 1.6))
  const callers = callersOf(made, name).map((caller) => caller.name)
  const more = chance.between(1.2, 2.4)
  const growing_s = chance.whole(150, 400)
  const grown = (since_s: number): number => progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'traffic', kinds: ['capacity'], entity: root.name, places: [name] },
    ...{ topology: made, isDemand: true },
    undisturbed: [root.name, ...callers],
    demand: (since_s) => 1 + more * grown(since_s),
    lines: [
      {
        ...{ part: root.name, per_minute: 6, after_s: growing_s / 2, severity: 'WARN', decides: true },
        message: `sign-up of a provider took ${chance.between(6, 14).toFixed(1)} s, the browser has left`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 7, after_s: growing_s / 2, decides: true },
        message: `Error: Too many connections (ER_CON_COUNT_ERROR, ${name})`,
      })),
    ],
    gauges: [
      {
        ...{ entity: root.name, name: 'users_signed_up_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => SIGN_UPS + 0.6 * grown(since_s),
      },
      {
        ...{ entity: name, name: 'mysql_global_status_threads_running', unit: '1', decides: true },
        level: (since_s) => RUNNING_THREADS + 110 * progress(since_s - growing_s / 3, growing_s),
      },
      {
        ...{ entity: name, name: 'mysql_global_status_questions:rate1m', unit: '/s', decides: true },
        level: (since_s) => QUESTIONS * (1 + Math.min(0.5, more) * grown(since_s)),
      },
    ],
    working: () => ({}),
  }
}

/**
 * An outside host of data is brought to another version of what it runs on, by itself. Whoever asks it for anything is told
 * that he has no right to it, or that something is wrong there.
 */
const withheldObjects: ProductionFamily = (topology, chance): ProductionFault | null => {
  const provider = topology.parts.find(({ kind }) => kind === 'external')
  if (provider === undefined) return null
  const names = callersOf(topology, provider.name).map((caller) => caller.name)
  if (names.length === 0) return null
  const share = chance.between(0.92, 0.99)
  const unauthorized = chance.between(0.4, 0.75)
  const growing_s = chance.whole(10, 60)
  const arrivals = arrivalsOf(topology)
  const decoy = chance.pick(names)
  const failing = (since_s: number): number => share * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency'], entity: provider.name, topology },
    elsewhere: [{ ...harmlessObjects(decoy, chance), after_s: -chance.whole(60, 450) }],
    undisturbed: names,
    lines: names.flatMap((part) => [
      {
        ...{ part, per_minute: 8 * unauthorized + 1, after_s: 1, decides: true },
        message: `GET https://${provider.name}.example/v1/objects/films answered 401 Unauthorized`,
      },
      {
        ...{ part, per_minute: 9 * (1 - unauthorized) + 1, after_s: 1, decides: true },
        message: `GET https://${provider.name}.example/v1/objects/films answered 500 ServerFault`,
      },
    ]),
    gauges: names.flatMap((entity): readonly Gauge[] => {
      const asked = arrivals.get(entity) ?? 0
      const common = { entity, name: 'http_client_requests_seconds_count:rate1m', unit: '/s', decides: true }
      return [
        {
          ...{ ...common, labels: UNAUTHORIZED },
          level: (since_s) => NOT_GIVEN + 0.7 * asked * unauthorized * failing(since_s),
        },
        {
          ...{ ...common, labels: SERVER_FAULT },
          level: (since_s) => NOT_GIVEN + 0.7 * asked * (1 - unauthorized) * failing(since_s),
        },
      ]
    }),
    working: (part, _pod, since_s) =>
      part === provider.name && since_s >= 0 ? { own_errors: failing(since_s) } : {},
  }
}

/** The families of the twenty-second generation that no change of one's own caused. */
export const TWENTY_SECOND_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'unrenewed-certificate': amongTwentySecondSurroundings(unrenewedCertificate),
  'crashed-agent': amongTwentySecondSurroundings(crashedAgent),
  'full-balancer': amongTwentySecondSurroundings(fullBalancer),
  'many-sign-ups': amongTwentySecondSurroundings(manySignUps),
  'withheld-objects': amongTwentySecondSurroundings(withheldObjects),
}
