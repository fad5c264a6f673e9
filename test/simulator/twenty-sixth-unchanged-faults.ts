/**
 * Families of the twenty-sixth generation that no change of one's own caused, each as a published report of one organisation
 * has it: a cluster whose members all fall over the same document, jobs that are too large for who gives them out, a provider
 * of machines of which nothing is left, files that are not carried any more as somebody else's rule came to them, and a
 * database whose hoster is away. They were written without knowledge of the engine; docs/simulator/twenty-sixth.md names the
 * reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  type Gauge,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  amongTwentySixthSurroundings,
  BROKEN,
  CARRIED,
  CLOUD,
  CLOUD_HOSTS,
  COPY_HOST,
  DATABASE_HOSTER,
  FILE_CDN,
  FINE,
  harmlessLaunches,
  JOB_SCHEDULER,
  LATER,
  MEMBER_PLACES,
  memberOf,
  NIGHT_DATABASE,
  NOT_CARRIED,
  panelOf,
  QUEUE_MEMORY,
  QUEUE_STORE,
  SCHEDULER_MEMORY,
  WAITING_JOBS,
} from './twenty-sixth-surroundings.ts'

/**
 * What is kept has become deeper than the store bears. Who is first in its cluster falls over it; the next one is first then,
 * and falls over it as well, until none is left. All of them are begun anew, and somebody asks for the same again.
 */
const fallingPrimaries: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(
    ({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0,
  )
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const down_s = chance.whole(60, 120)
  const round_s = down_s + chance.whole(35, 75)
  const apart_s = chance.whole(10, 18)
  const ofRound = (since_s: number): number => since_s % round_s
  const isDown = (since_s: number): boolean => since_s >= 0 && ofRound(since_s) < down_s
  /** How long a member has run: it falls after those before it, and all are begun anew at the end of a round. */
  const runsFor =
    (place: number): ((since_s: number) => number) =>
    (since_s) => {
      const falls_s = (place - 1) * apart_s
      if (since_s < falls_s) return RUNNING_S + since_s
      if (ofRound(since_s) < falls_s) return round_s - down_s + ofRound(since_s)
      return ofRound(since_s) < down_s ? Number.NaN : ofRound(since_s) - down_s
    }
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code', 'config', 'infra', 'dependency'], entity: name, topology },
    places: MEMBER_PLACES.map((place) => memberOf(name, place)),
    undisturbed: callers,
    lines: [
      ...MEMBER_PLACES.flatMap((place) => [
        {
          ...{ part: memberOf(name, place), per_minute: 6, after_s: (place - 1) * apart_s, decides: true },
          message:
            '{"s":"F","c":"CONTROL","msg":"Writing fatal message","attr":{"message":"Got signal: 11 (Segmentation fault)."}}',
        },
        {
          ...{ part: memberOf(name, place), per_minute: 3, after_s: (place - 1) * apart_s, decides: true },
          message: '{"s":"E","c":"QUERY","msg":"BSONObj exceeds maximum nested object depth: 250"}',
        },
      ]),
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 3, decides: true },
        message: `PrimaryUnavailableException: MongoError['No primary node is available! (Supervisor-1/Connection-2)'] (${name})`,
      })),
    ],
    gauges: [
      {
        ...{ entity: name, name: 'db_up', unit: '1', decides: true },
        level: (since_s) => (isDown(since_s) ? 0 : 1),
      },
      ...MEMBER_PLACES.map((place) => ({
        ...{ entity: memberOf(name, place), name: 'mongodb_instance_uptime_seconds', unit: 's' },
        ...{ decides: true, level: runsFor(place) },
      })),
    ],
    working: (part, _pod, since_s) => (part === name && isDown(since_s) ? { is_away: true } : {}),
  }
}

/**
 * Jobs take all that they are about with them, and this time they are many and what they are about is large. What gives jobs
 * out reads all of them to see which is due, has no room for it and is killed, as often as it is begun anew.
 */
const ladenJobs: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.4))
  const filling_s = chance.whole(40, 160)
  const late_s = chance.whole(60, 200)
  const again_s = chance.whole(60, 110)
  const share = chance.between(0.5, 0.85)
  const jobs = chance.whole(260, 700)
  const each_bytes = chance.between(3_500_000, 5_500_000)
  const limit = SCHEDULER_MEMORY * chance.between(4.6, 5.2)
  const filled = (since_s: number): number => progress(since_s + filling_s, filling_s)
  const late = (since_s: number): number => share * progress(since_s, late_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'capacity',
      kinds: ['data', 'code', 'traffic', 'dependency'],
      entity: JOB_SCHEDULER,
      topology,
    },
    places: [QUEUE_STORE],
    undisturbed: hit,
    lines: [
      {
        ...{ part: JOB_SCHEDULER, per_minute: 4, after_s: 5, severity: 'INFO', decides: true },
        message: 'Registering birth',
      },
      ...hit.map((part) => ({
        ...{ part, per_minute: 8, after_s: 12, decides: true },
        message: `mail job ${chance.whole(0x10_00, 0xff_ff).toString(16)} is still scheduled after 60 s, nobody has taken it`,
      })),
    ],
    gauges: [
      {
        ...{ entity: QUEUE_STORE, name: 'rq_jobs', unit: '1', labels: LATER, decides: true },
        level: (since_s) => WAITING_JOBS + jobs * filled(since_s) + Math.max(0, since_s) * 0.6,
      },
      {
        ...{ entity: QUEUE_STORE, name: 'redis_memory_used_bytes', unit: 'By', decides: true },
        level: (since_s) => QUEUE_MEMORY + jobs * each_bytes * filled(since_s),
      },
      {
        ...{ entity: JOB_SCHEDULER, name: 'container_memory_working_set_bytes', unit: 'By', decides: true },
        level: (since_s) => {
          if (since_s < 0) return SCHEDULER_MEMORY + (limit - SCHEDULER_MEMORY) * 0.9 * filled(since_s)
          return SCHEDULER_MEMORY + (limit - SCHEDULER_MEMORY) * ((since_s % again_s) / again_s)
        },
      },
      {
        ...{ entity: JOB_SCHEDULER, name: 'kube_pod_container_status_restarts_total:increase10m', unit: '1' },
        ...{ decides: true },
        level: (since_s) => (since_s < 0 ? 0 : 1 + Math.floor(Math.min(since_s, 600) / again_s)),
      },
    ],
    k8s: [
      {
        ...{ after_s: 1, kind: 'Node', name: 'pool-jobs-2', reason: 'OOMKilling', decides: true },
        message: 'Memory cgroup out of memory: Killed process 28114 (rqscheduler)',
      },
      {
        ...{
          after_s: again_s + 4,
          kind: 'Pod',
          name: `${JOB_SCHEDULER}-0`,
          reason: 'BackOff',
          decides: true,
        },
        message: `Back-off restarting failed container scheduler in pod ${JOB_SCHEDULER}-0`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0 ? { own_errors: late(since_s) } : {},
  }
}

/** One until something is gone for good. */
const untilGone = (since_s: number): number => (since_s < 0 ? 1 : 0)

/**
 * All that stands with one provider is gone at once, its own panel and the machine for copies included. Why it is gone nobody
 * says, and nothing of it is back within the hour.
 */
const vanishedCloud: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology)
  const first = chance.pick(candidates)
  const hit = candidates.filter(({ name }) => name === first.name || chance.is(0.6))
  const names = hit.map(({ name }) => name)
  const running = (since_s: number): number => (since_s < 0 ? RUNNING_S + since_s : Number.NaN)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'network', 'node'], entity: CLOUD, topology },
    ...{ places: [...CLOUD_HOSTS, COPY_HOST], isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), CLOUD_HOSTS, names),
    undisturbed: names,
    lines: hit.flatMap(({ name }) =>
      callersOf(topology, name)
        .filter((caller) => !names.includes(caller.name))
        .map((caller) => ({
          ...{ part: caller.name, per_minute: 7, after_s: 3, decides: true },
          message: `connect ETIMEDOUT ${name}.${CLOUD}.example:443`,
        })),
    ),
    gauges: [
      {
        ...{ entity: CLOUD, name: 'probe_success', unit: '1', labels: panelOf(CLOUD), decides: true },
        level: untilGone,
      },
      ...[...CLOUD_HOSTS, COPY_HOST].map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: running,
      })),
      ...hit.flatMap(({ name, pods }): readonly Gauge[] => [
        { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: untilGone },
        {
          ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
          level: untilGone,
        },
        {
          ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
          level: (since_s) => pods * untilGone(since_s),
        },
        {
          ...{ entity: name, name: 'kube_deployment_status_replicas_available', unit: '1' },
          ...{ labels: { deployment: name }, decides: true },
          level: (since_s) => pods * untilGone(since_s),
        },
      ]),
    ],
    k8s: CLOUD_HOSTS.map((node, index) => notReady(node, 40 + 2 * index)),
    working: (part, _pod, since_s) => (names.includes(part) && since_s >= 0 ? { is_away: true } : {}),
  }
}

/**
 * Who carries files to everybody brings a rule that is meant for one of its customers to many of them, place after place. More
 * and more of what is asked there is answered at once, with an error.
 */
const straySetting: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.45))
  const spreading_s = chance.whole(300, 700)
  const share = chance.between(0.6, 0.9)
  const told_s = chance.whole(900, 1_300)
  const spread = (since_s: number): number => share * progress(since_s, spreading_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['config', 'dependency', 'network', 'infra'], entity: FILE_CDN, topology },
    elsewhere: [{ ...harmlessLaunches(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: hit.map((part) => ({
      ...{ part, per_minute: 8, after_s: 15, decides: true },
      message:
        'GET https://files.cdn.example/k/7f2.woff2 answered 503: Fastly error: unknown domain: files.cdn.example',
    })),
    gauges: [
      {
        ...{ entity: FILE_CDN, name: 'fastly_rt_status_group_total:rate1m', unit: '/s', labels: BROKEN },
        ...{ decides: true, level: (since_s) => NOT_CARRIED + CARRIED * spread(since_s) },
      },
      {
        ...{ entity: FILE_CDN, name: 'fastly_rt_status_group_total:rate1m', unit: '/s', labels: FINE },
        ...{ decides: true, level: (since_s) => CARRIED * (1 - spread(since_s)) },
      },
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: FILE_CDN, decides: true },
        message: `${FILE_CDN}: increased errors, identified, a setting is being taken back`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0 ? { own_errors: spread(since_s) } : {},
  }
}

/** Who runs a database for others is away in one region, with its panel: nobody gets to it, nor to what would move it. */
const lostHoster: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = topology.parts.filter(
    ({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0,
  )
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const panel_s = chance.whole(420, 1_000)
  const told_s = chance.whole(300, 600)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'dependency', 'network'], entity: name, topology },
    places: [DATABASE_HOSTER],
    elsewhere: [{ ...harmlessLaunches(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: callers,
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: 2, decides: true },
      message: `MongoServerSelectionError: connect ECONNREFUSED 198.51.100.40:16601 (${name}.${DATABASE_HOSTER}.example)`,
    })),
    gauges: [
      { ...{ entity: name, name: 'db_up', unit: '1', decides: true }, level: untilGone },
      { ...{ entity: NIGHT_DATABASE, name: 'db_up', unit: '1', decides: true }, level: untilGone },
      {
        ...{ entity: DATABASE_HOSTER, name: 'probe_success', unit: '1', labels: panelOf(DATABASE_HOSTER) },
        ...{ decides: true, level: (since_s) => (since_s >= 0 && since_s < panel_s ? 0 : 1) },
      },
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: DATABASE_HOSTER, decides: true },
        message: `${DATABASE_HOSTER}: deployments of the region do not answer, investigating`,
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { is_away: true } : {}),
  }
}

/** The families of the twenty-sixth generation that no change of one's own caused. */
export const TWENTY_SIXTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'falling-primaries': unmeasuredWhileGone(amongTwentySixthSurroundings(fallingPrimaries)),
  'laden-jobs': amongTwentySixthSurroundings(ladenJobs),
  'vanished-cloud': unmeasuredWhileGone(amongTwentySixthSurroundings(vanishedCloud)),
  'stray-setting': amongTwentySixthSurroundings(straySetting),
  'lost-hoster': unmeasuredWhileGone(amongTwentySixthSurroundings(lostHoster)),
}
