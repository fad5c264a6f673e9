/**
 * Families of the twenty-seventh generation that no change of one's own caused, each as a published report of one organisation
 * has it: a question whose author is no more, a place where networks meet and that is full of its own traffic, machines that are
 * taken away and cannot be made anew, files that one machine keeps for two, and a region of a cloud that fails in part. They
 * were written without knowledge of the engine; docs/simulator/twenty-seventh.md names the reports and the rule of choice.
 */
import { storeOf, storing } from './fifth-changed-faults.ts'
import { callersOf, inner } from './late-faults.ts'
import { balancerOf } from './nineteenth-surroundings.ts'
import { unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import { ESTABLISHED, IDLE } from './sixteenth-surroundings.ts'
import {
  amongTwentySeventhSurroundings,
  BORDER,
  CACHE_HITS,
  CACHE_MISSES,
  EXCHANGE,
  EXCHANGE_PEERS,
  EXCHANGE_PORT,
  FILER_BUSY,
  FILER_OPS,
  FILERS,
  FILES_VOLUME,
  FLAG_PROVIDER,
  FLAG_STREAM,
  glassOf,
  groupOf,
  harmlessMeeting,
  PEERING_BYTES,
  peerOf,
  presenceOf,
  READ_LATENCY,
  RECENT,
  RECENT_ERRORS,
  RECENT_FAILED,
  REGION,
  ROUTE_CACHE,
  ROUTE_TABLE,
  SENT_AGAIN,
  stsOf,
  TABLE_ERRORS,
  TRANSIT_BYTES,
  TRANSIT_PORT,
} from './twenty-seventh-surroundings.ts'

/**
 * Somebody who has asked a question is removed, and the question is not. It stands among the newest, where every name of an
 * author is shown: the list of them fails as a whole for everybody, and no other page does.
 */
const orphanedQuestion: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const asked = arrivalsOf(topology).get(name) ?? 0
  const expiring_s = chance.whole(15, 60)
  const share = chance.between(0.4, 0.75)
  const user = chance.whole(20_000, 90_000)
  const question = chance.whole(2_000, 9_000)
  const failing = (since_s: number): number => share * progress(since_s, expiring_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['code'], entity: name, topology, places: [store] },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 30, after_s: -4, until_s: 3, severity: 'INFO', decides: true },
        message: `user ${user} is removed at their own wish`,
      },
      {
        ...{ part: name, per_minute: 9, after_s: 3, decides: true },
        message:
          "ActionView::Template::Error (undefined method `full_name' for nil:NilClass): app/views/questions/_question.html.haml:6",
      },
      {
        ...{ part: name, per_minute: 4, after_s: 3, severity: 'WARN', decides: true },
        message: `User Load: question ${question}, id ${user}: 0 rows`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s' },
        ...{ labels: RECENT_ERRORS, decides: true },
        level: (since_s) => RECENT_FAILED + asked * failing(since_s),
      },
      {
        ...{ entity: name, name: 'http_server_requests_seconds_count:rate1m', unit: '/s' },
        ...{ labels: RECENT, decides: true },
        level: (since_s) => asked * share * (1 - progress(since_s, expiring_s)),
      },
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= 0 ? { own_errors: failing(since_s) } : {}),
  }
}

/**
 * Somebody of the place where networks meet joins two of its ports while a machine is being tried out there. All of it is
 * busy with what goes round, and who meets there hears no more of the others: who is asked over it is out of reach, for some
 * ten minutes, while it is well.
 */
const loopedExchange: ProductionFamily = (topology, chance): ProductionFault | null => {
  const outside = topology.parts.filter(
    ({ kind, name }) => kind === 'external' && callersOf(topology, name).length > 0,
  )
  if (outside.length === 0) return null
  const to = chance.pick(outside).name
  const asking = callersOf(topology, to)
  const callers = asking.map(({ name }) => name)
  const lasting_s = chance.whole(540, 720)
  const returning_s = chance.whole(60, 200)
  const fewer = chance.between(0.12, 0.3)
  const told_s = chance.whole(420, 900)
  const lost = (since_s: number): number =>
    progress(since_s, 20) * (1 - progress(since_s - lasting_s, returning_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'network', kinds: ['provider', 'infra', 'dependency'], entity: EXCHANGE, topology },
    places: [BORDER],
    undisturbed: callers,
    lines: [
      ...EXCHANGE_PEERS.map((address, index) => ({
        ...{ part: BORDER, per_minute: 4, after_s: 2 + 7 * index, until_s: lasting_s, severity: 'WARN' },
        ...{ message: `bird: ix_west_${address}: Error: Hold timer expired`, decides: true },
      })),
      ...asking.map(({ name, timeout_ms }) => ({
        ...{ part: name, per_minute: 8, after_s: 3, until_s: lasting_s + returning_s, decides: true },
        message: `connect to ${to}.example:443 by 203.0.113.61 timed out after ${timeout_ms} ms`,
      })),
    ],
    gauges: [
      ...EXCHANGE_PEERS.map((address, index) => ({
        ...{ entity: BORDER, name: 'bgpPeerState', unit: '1', labels: peerOf(address), decides: true },
        level: (since_s: number) =>
          since_s >= 5 * index && since_s < lasting_s + 15 * index ? IDLE : ESTABLISHED,
      })),
      {
        ...{ entity: BORDER, name: 'ifHCInOctets:rate1m', unit: 'By/s', labels: EXCHANGE_PORT },
        ...{ decides: true, level: (since_s) => PEERING_BYTES * (1 - 0.96 * lost(since_s)) },
      },
      {
        ...{ entity: BORDER, name: 'ifHCInOctets:rate1m', unit: 'By/s', labels: TRANSIT_PORT },
        ...{ decides: true, level: (since_s) => TRANSIT_BYTES * (1 + 0.3 * lost(since_s)) },
      },
      {
        ...{ entity: EXCHANGE, name: 'probe_success', unit: '1', labels: glassOf(EXCHANGE) },
        ...{ decides: true, level: (since_s) => (since_s >= 0 && since_s < lasting_s ? 0 : 1) },
      },
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: EXCHANGE, decides: true },
        message: `${EXCHANGE}: platform is unstable, work at one location, opened`,
      },
    ],
    demand: (since_s) => 1 - fewer * lost(since_s),
    working: (part, _pod, since_s) => {
      const caller = asking.find(({ name }) => name === part)
      if (caller === undefined || since_s < 0) return {}
      return { on_way: { to: [to], ms: 1.7 * caller.timeout_ms * lost(since_s) } }
    },
  }
}

/**
 * What looks after machines takes those of a service for sick, one after the other, and they are not. It puts them away and
 * would make others, from a copy of a disk that has been tidied away: none of them is made, and nobody is left.
 */
const unreplacedServers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const group = groupOf(name)
  const apart_s = chance.whole(20, 50)
  const again_s = chance.whole(70, 130)
  const idOf = (): string => chance.whole(0x10_00_00_00, 0x7f_ff_ff_ff).toString(16)
  const copy = `snap-0${idOf()}`
  const tidied_s = chance.whole(-4_200, -900)
  const here = (since_s: number): number =>
    since_s < 0 ? pods : Math.max(0, pods - 1 - Math.floor(since_s / apart_s))
  const told = { kind: 'notification', reason: 'state', name: group, decides: true } as const
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'config', 'data', 'capacity'], entity: name, topology },
    places: [group, balancerOf(name)],
    undisturbed: [name],
    lines: callersOf(topology, name).map((caller) => ({
      ...{ part: caller.name, per_minute: 7, after_s: pods * apart_s, decides: true },
      message: `POST http://${balancerOf(name)}.internal/ answered 503 Service Temporarily Unavailable (awselb/2.0)`,
    })),
    gauges: presenceOf(name, pods, here),
    events: [
      {
        ...{ after_s: tidied_s, kind: 'notification', reason: 'state', name: 'snapshot-policy' },
        ...{ message: `policy weekly: 4 snapshots are removed, among them ${copy}`, decides: true },
      },
      ...Array.from({ length: pods }, (_, pod) => ({
        ...{ ...told, after_s: apart_s * pod + 1 },
        message: `Terminating EC2 instance: i-0${idOf()}: an instance was taken out of service in response to an ELB system health check failure.`,
      })),
      ...Array.from({ length: 12 }, (_, time) => ({
        ...{ ...told, after_s: 25 + again_s * time },
        message: `Launching a new EC2 instance. Status Reason: The snapshot '${copy}' does not exist. Launching EC2 instance failed.`,
      })),
    ],
    working: (part, pod, since_s) => (part === name && since_s >= apart_s * pod ? { is_away: true } : {}),
  }
}

/**
 * Of two machines that keep files, each for the other, one is gone when most is asked. The other takes over what it kept, and
 * is overloaded by it: whoever needs files waits, and some of them for good.
 */
const takenOverFiler: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.5))
  const [gone, left] = FILERS
  const filling_s = chance.whole(40, 150)
  const slower = chance.between(25, 70)
  const share = chance.between(0.15, 0.4)
  const loaded = (since_s: number): number => progress(since_s, filling_s)
  const untilGone = (level: number) => (since_s: number) => (since_s < 0 ? level : Number.NaN)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'node', 'config', 'dependency'], entity: left, topology },
    places: [gone],
    elsewhere: [{ ...harmlessMeeting(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: hit.map((part) => ({
      ...{ part, per_minute: 7, after_s: 12, severity: 'WARN', decides: true },
      message: `kernel: nfs: server ${left} not responding, still trying`,
    })),
    gauges: [
      {
        ...{ entity: left, name: 'node_cpu_busy', unit: '%', decides: true },
        level: (since_s) => FILER_BUSY + (98 - FILER_BUSY) * loaded(since_s),
      },
      {
        ...{ entity: left, name: 'node_total_ops', unit: '/s', decides: true },
        level: (since_s) => FILER_OPS * (1 + 0.45 * loaded(since_s)),
      },
      {
        ...{ entity: left, name: 'volume_read_latency', unit: 'us', labels: FILES_VOLUME, decides: true },
        level: (since_s) => READ_LATENCY * (1 + 140 * loaded(since_s)),
      },
      ...[['node_cpu_busy', '%', FILER_BUSY] as const, ['node_total_ops', '/s', FILER_OPS] as const].map(
        ([name, unit, level]) => ({
          ...{ entity: gone, name, unit, decides: true, level: untilGone(level) },
        }),
      ),
      {
        ...{ entity: gone, name: 'volume_read_latency', unit: 'us', labels: FILES_VOLUME, decides: true },
        level: untilGone(READ_LATENCY),
      },
      ...hit.map(
        (entity): Gauge => ({
          ...{ entity, name: 'node_nfs_rpc_retransmissions_total:rate1m', unit: '/s', decides: true },
          level: (since_s) => SENT_AGAIN + 14 * loaded(since_s),
        }),
      ),
    ],
    events: [
      {
        ...{ after_s: 2, kind: 'notification', reason: 'state', name: left, decides: true },
        message: `cf.fsm.takeover.noHeartbeat: Failover monitor: takeover initiated after no heartbeat was detected from partner ${gone}.`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0
        ? { own_factor: 1 + slower * loaded(since_s), own_errors: share * loaded(since_s) }
        : {},
  }
}

/**
 * A region of a cloud answers in part: a table that all routes stand in, who gives out tokens, and some others. What is kept
 * of the table is filled from there, and knows less and less; who tells which features are on stands in the region as well,
 * and is gone a while later.
 */
const lostRegion: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.5))
  const asked = arrivalsOf(topology)
  const growing_s = chance.whole(60, 200)
  const easing_s = chance.whole(1_500, 2_600)
  const share = chance.between(0.22, 0.36)
  const flags_s = chance.whole(200, 600)
  const told_s = chance.whole(600, 1_100)
  const failing = (since_s: number): number =>
    share * progress(since_s, growing_s) * (1 - 0.5 * progress(since_s - growing_s, easing_s))
  const missed = hit.reduce((sum, name) => sum + (asked.get(name) ?? 0), 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'dependency', 'network'], entity: REGION, topology },
    elsewhere: [{ ...harmlessMeeting(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: [
      ...hit.flatMap((part) => [
        {
          ...{ part, per_minute: 6, after_s: 6, decides: true },
          message: `InternalServerError: dynamodb.${REGION}.example answered 500 (table routes, attempt 3 of 3)`,
        },
        {
          ...{ part, per_minute: 3, after_s: 10, decides: true },
          message: `ServiceUnavailable: sts.${REGION}.example: no token within 5000 ms`,
        },
        {
          ...{ part, per_minute: 2, after_s: flags_s, severity: 'WARN', decides: true },
          message: 'feature switches: stream.feature-switches.example is closed, values are those of before',
        },
      ]),
      {
        ...{ part: ROUTE_CACHE, per_minute: 4, after_s: 12, severity: 'WARN', decides: true },
        message: 'fill of routes is not answered, 3 of 4 keys stay empty',
      },
    ],
    gauges: [
      {
        ...{ entity: REGION, name: 'aws_dynamodb_system_errors_sum', unit: '1', labels: ROUTE_TABLE },
        ...{ decides: true, level: (since_s) => TABLE_ERRORS + 20 * missed * failing(since_s) },
      },
      {
        ...{ entity: REGION, name: 'probe_success', unit: '1', labels: stsOf(REGION), decides: true },
        level: (since_s) => (since_s < 0 ? 1 : 0),
      },
      {
        ...{ entity: ROUTE_CACHE, name: 'redis_keyspace_hits_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => CACHE_HITS * (1 - 1.4 * failing(since_s)),
      },
      {
        ...{ entity: ROUTE_CACHE, name: 'redis_keyspace_misses_total:rate1m', unit: '/s', decides: true },
        level: (since_s) => CACHE_MISSES + CACHE_HITS * 1.4 * failing(since_s),
      },
      {
        ...{ entity: FLAG_PROVIDER, name: 'probe_success', unit: '1', labels: FLAG_STREAM, decides: true },
        level: (since_s) => (since_s < flags_s ? 1 : 0),
      },
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: REGION, decides: true },
        message: `${REGION}: increased error rates of several services, investigating`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0 ? { own_errors: failing(since_s) } : {},
  }
}

/** The families of the twenty-seventh generation that no change of one's own caused. */
export const TWENTY_SEVENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'orphaned-question': amongTwentySeventhSurroundings(orphanedQuestion),
  'looped-exchange': amongTwentySeventhSurroundings(loopedExchange),
  'unreplaced-servers': unmeasuredWhileGone(amongTwentySeventhSurroundings(unreplacedServers)),
  'taken-over-filer': amongTwentySeventhSurroundings(takenOverFiler),
  'lost-region': amongTwentySeventhSurroundings(lostRegion),
}
