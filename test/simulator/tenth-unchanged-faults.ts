/**
 * Families of the tenth generation that no change caused, each as a published report of one organisation has it: a job of
 * the morning that has no room, lines to the internet that are cut, a small store that updates itself, a store that is
 * there and answers with errors, and a store that runs out of memory while a list of the partners ends. They were written
 * without knowledge of the engine; docs/simulator/tenth.md names the reports and the rule by which they were chosen.
 */
import { PARTNER_DEMAND, PARTNER_GATEWAY, PARTNER_RULES, readEvery } from './eighth-surroundings.ts'
import { storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, runningSince, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  amongTenthSurroundings,
  CACHE_CLIENTS,
  cacheOf,
  DAY_JOB,
  DAY_S,
  JOB_POOL,
  LIST_LASTS_S,
  LISTED_EVERY_S,
  STATEMENT_ERRORS,
  STORE_MEMORY,
  UPLINK_BYTES,
  UPLINKS,
} from './tenth-surroundings.ts'

/** A notification of a control plane that tells the cause. */
const notified = (after_s: number, name: string, message: string): ProductionFault['events'][number] => ({
  ...{ after_s, kind: 'notification', reason: 'state', name, message, decides: true },
})

/**
 * The job that works out the state of all accounts in the morning finds no room on its machines and waits. From the hour
 * on at which the state of yesterday counts no more, what needs it is refused.
 */
const waitingJob: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const share = chance.between(0.3, 0.55)
  const growing_s = chance.whole(60, 200)
  const due_s = -chance.whole(1_200, 2_400)
  const pods = chance.whole(2, 4)
  const run = chance.whole(29_540_000, 29_549_999)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'capacity',
      kinds: ['infra', 'node', 'data'],
      entity: DAY_JOB,
      places: [JOB_POOL, name],
      topology,
    },
    lines: [
      {
        ...{ part: name, per_minute: 12, decides: true },
        message: `transfer refused: balance of account ${chance.whole(31_000, 60_000)} is of yesterday`,
      },
      {
        ...{ part: DAY_JOB, per_minute: 2, severity: 'INFO', decides: true },
        message: `run ${run}: 0 of ${pods} workers are there, waiting`,
      },
    ],
    gauges: [
      {
        ...{ entity: DAY_JOB, name: 'job_last_success_age_seconds', unit: 's', decides: true },
        level: (since_s) => DAY_S + since_s - due_s,
      },
      {
        ...{ entity: DAY_JOB, name: 'workload_pods_pending', unit: '1', decides: true },
        level: (since_s) => (since_s < due_s ? 0 : pods),
      },
      {
        ...{ entity: JOB_POOL, name: 'node_pool_memory_requested_ratio', unit: '1', decides: true },
        level: (since_s) => (since_s < due_s - 300 ? 0.66 : 0.985),
      },
    ],
    k8s: [0, 310, 640, 960, 1_250].map((later_s, index) => ({
      ...{ after_s: due_s + later_s, kind: 'Pod', reason: 'FailedScheduling', decides: true },
      ...{
        name: `${DAY_JOB}-${run}-${index % pods}`,
        message: '0/6 nodes are available: 6 Insufficient memory.',
      },
    })),
    working: (part, _pod, since_s) =>
      part === name ? { own_errors: share * progress(since_s, growing_s) } : {},
  }
}

/**
 * The fibres of the line to the internet are cut at its provider. The line in reserve is up, and what is sent to it gets
 * nowhere: hardly anybody gets in, and nobody inside reaches anybody outside.
 */
const cutUplink: ProductionFamily = (topology, chance): ProductionFault | null => {
  const outside = topology.parts.filter(({ kind }) => kind === 'external').map(({ name }) => name)
  const asking = topology.parts.filter(({ calls }) => calls.some(({ to }) => outside.includes(to)))
  if (asking.length === 0) return null
  const [used, spare] = UPLINKS
  const left = chance.between(0.12, 0.3)
  const share = chance.between(0.94, 0.99)
  const wait_ms = chance.whole(100, 500)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['network', 'infra'], entity: used, places: [spare], topology },
    isDemand: true,
    // That nobody outside is reached tells neither which line nor whether it is one.
    lines: asking
      .map(({ name, calls }) => ({ name, to: calls.find(({ to }) => outside.includes(to))?.to ?? '' }))
      .flatMap(({ name, to }) =>
        [to, 'telemetry.example'].map((peer, index) => ({
          ...{ part: name, per_minute: index === 0 ? 10 : 2 },
          message: `connect ENETUNREACH ${peer}:443`,
        })),
      ),
    gauges: [
      {
        ...{ entity: used, name: 'uplink_up', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: used, name: 'uplink_bytes_per_second', unit: 'By/s', decides: true },
        level: (since_s) => (since_s < 0 ? UPLINK_BYTES : 0),
      },
      {
        ...{ entity: spare, name: 'uplink_bytes_per_second', unit: 'By/s', decides: true },
        level: (since_s) => (since_s < 40 ? 900 : UPLINK_BYTES * 0.004),
      },
    ],
    events: [
      notified(3, used, `${used}: no light`),
      notified(35, spare, `${spare}: takes the place of ${used}`),
      notified(chance.whole(240, 480), used, `${used}: its provider tells of fibres that were cut`),
    ],
    demand: (since_s) => (since_s < 0 ? 1 : left),
    // The partners' clients come by the same line.
    arriving: (part) => (part === PARTNER_GATEWAY ? -PARTNER_DEMAND * (1 - left) : 0),
    working: (part) => {
      const caller = asking.find(({ name }) => name === part)
      if (caller === undefined) return {}
      const to = caller.calls.map((call) => call.to).filter((callee) => outside.includes(callee))
      return { cut_off: { to, share }, own_factor: 1 + wait_ms / caller.own_ms }
    },
  }
}

/**
 * The small store beside a service gets another version by itself, as its machine is set to do, and begins anew. The
 * service loses its connections, gets none again and takes no requests any more.
 */
const unattendedRestart: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const cache = cacheOf(name)
  const share = chance.between(0.93, 0.99)
  const restarted_s = -chance.whole(3, 12)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['dependency', 'config', 'code', 'node'],
      entity: cache,
      places: [name],
      topology,
    },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 10, decides: true },
        message: `Error: connection to ${cache} is closed, ${chance.whole(120, 900)} commands wait for it`,
      },
      {
        ...{ part: cache, per_minute: 12, until_s: 30, severity: 'INFO', decides: true },
        message: `Redis is starting, version=7.2.5, ready to accept connections`,
      },
    ],
    gauges: [
      {
        ...{ entity: cache, name: 'redis_connected_clients', unit: '1', decides: true },
        level: (since_s) => (since_s < restarted_s ? CACHE_CLIENTS : 0),
      },
      {
        ...{ entity: cache, name: 'process_uptime_seconds', unit: 's', decides: true },
        level: runningSince(RUNNING_S / 2, restarted_s),
      },
    ],
    events: [
      notified(
        restarted_s,
        cache,
        `${cache}: 7.2.${chance.whole(1, 4)} to 7.2.5 by unattended updates, started again`,
      ),
    ],
    working: (part) => (part === name ? { own_errors: share, cpu_factor: 0.2 } : {}),
  }
}

/**
 * What a store lies on does not answer for a moment, at its provider. From then on the store is there, takes connections
 * and answers at once, whatever it is asked, with an error.
 */
const alwaysAnError: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name)
  const share = chance.between(0.96, 0.995)
  const code = chance.pick(['58030', 'XX000'])
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['provider', 'data', 'node'], entity: name, topology },
    lines: [
      ...callers.map((caller) => ({
        ...{ part: caller.name, per_minute: 10, decides: true },
        message: `error: ${name} could not read its catalogue (${code})`,
      })),
      {
        ...{ part: name, per_minute: 12, decides: true },
        message: `ERROR:  ${code}: catalogue is not readable, state 3 since the volume came back`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_statement_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => STATEMENT_ERRORS + 40 * progress(since_s, 20),
      },
    ],
    events: [notified(-5, name, `${name}: its volume did not answer for ${chance.whole(3, 6)} s`)],
    working: (part) =>
      callers.some((caller) => caller.name === part) ? { refused: { to: name, share } } : {},
  }
}

/** Seconds before the effect from when on everything of the pair is told. */
const BEFORE_S = 600

/**
 * Two that have nothing to do with each other. The first member of a store runs out of memory and ends; the second takes
 * its place at once and works off for minutes what waits. Some minutes before or after, the partners' list of what is no
 * longer valid ends, as what signs it lost its connection an hour before. The alert is of the first.
 */
const memoryAndList: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const away_s = chance.whole(25, 55)
  const working_off_s = chance.whole(300, 480)
  const slow = chance.between(120, 220)
  const growing_s = chance.whole(1_200, 3_000)
  const ended_s = chance.is(0.5) ? -chance.whole(150, 420) : chance.whole(100, 400)
  const waiting = chance.whole(2_000, 9_000)
  const others = chance.between(0.7, 0.95)
  const signedLast_s = ended_s - LIST_LASTS_S
  /** Until then another list was made again and again. */
  const listed_s = readEvery(LISTED_EVERY_S, signedLast_s)
  const memory = { entity: name, name: 'db_memory_used_ratio', unit: '1', decides: true }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'node'], entity: name, topology, delay_s: BEFORE_S },
    undisturbed: [PARTNER_RULES],
    lines: [
      {
        ...{ part: name, per_minute: 10, after_s: away_s, until_s: away_s + 90, decides: true },
        message: `member b: elected, ${waiting} operations wait`,
      },
      {
        ...{ part: PARTNER_RULES, per_minute: 14, after_s: ended_s },
        message: 'client certificate refused: the list of revoked certificates has ended',
      },
    ],
    gauges: [
      {
        ...{ ...memory, labels: { member: 'a' } },
        level: (since_s) =>
          since_s < 0 ? STORE_MEMORY + (1 - STORE_MEMORY) * progress(since_s + growing_s, growing_s) : 0.05,
      },
      {
        ...{ ...memory, labels: { member: 'b' } },
        level: (since_s) => (since_s < away_s ? 0.41 : 0.41 + 0.2 * progress(since_s - away_s, 600)),
      },
      {
        ...{ entity: name, name: 'db_up', unit: '1', decides: true },
        level: (since_s) => (since_s >= 0 && since_s < away_s ? 0 : 1),
      },
      {
        ...{ entity: PARTNER_RULES, name: 'revocation_list_remaining_seconds', unit: 's' },
        level: (since_s) =>
          since_s >= signedLast_s ? Math.max(0, ended_s - since_s) : LIST_LASTS_S - listed_s(since_s),
      },
    ],
    events: [
      notified(2, name, `${name}: member a ended, out of memory`),
      notified(away_s, name, `${name}: member b is the first now`),
      notified(away_s + 600, name, `${name}: member a has more memory, gets all data anew`),
      {
        ...{
          after_s: -chance.whole(4_200, 4_500),
          kind: 'maintenance',
          reason: 'state',
          name: 'signing-module',
        },
        message: 'signing-module: maintenance by its provider is over',
      },
    ],
    working: (part, _pod, told_s) => {
      const since_s = told_s - BEFORE_S
      if (part === PARTNER_RULES) return since_s >= ended_s ? { own_errors: others } : {}
      if (part !== name || since_s < 0) return {}
      if (since_s < away_s) return { is_away: true }
      return { own_factor: 1 + slow * (1 - progress(since_s - away_s, working_off_s)) }
    },
  }
}

/** The families of the tenth generation that no change caused. */
export const TENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'waiting-job': amongTenthSurroundings(waitingJob),
  'cut-uplink': amongTenthSurroundings(cutUplink),
  'unattended-restart': amongTenthSurroundings(unattendedRestart),
  'always-an-error': amongTenthSurroundings(alwaysAnError),
  'memory-and-list': unmeasuredWhileGone(amongTenthSurroundings(memoryAndList)),
}
