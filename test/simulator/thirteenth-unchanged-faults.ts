/**
 * Families of the thirteenth generation that no change caused, each as a published report of one organisation has it: a
 * broker that loses a member and then the others, a store whose system disk is full of what it archives, a machine whose
 * hardware fails, a zone of the provider that is not reached, and clients that connect again and lock a service up. They
 * were written without knowledge of the engine; docs/simulator/thirteenth.md names the reports and the rule of choice.
 */
import { BROKER } from './eleventh-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  hostedApart,
  hostedSparing,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  sharedStores,
  UNREMARKABLE,
  withParts,
} from './production-fault.ts'
import {
  amongThirteenthSurroundings,
  BLOCKED,
  MEMBER_CONNECTIONS,
  MEMBER_MEMORY,
  MEMBERS,
  RECONNECTS,
  ROOT_USED,
  ZONE_ANSWER_MS,
  ZONES,
} from './thirteenth-surroundings.ts'

/**
 * One of three members of a broker is gone, and some of those who publish do not get through. The other two take over what
 * it did, in the busiest hour, until they have no memory left; then nobody gets through.
 */
const remainingMembers: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 2) return null
  const first = chance.pick(called).name
  const publishing = [first, chance.pick(called.filter(({ name }) => name !== first)).name]
  const lost = chance.pick(MEMBERS)
  const left = MEMBERS.filter((member) => member !== lost)
  const all_s = chance.whole(420, 720)
  const some = chance.between(0.14, 0.24)
  const most = chance.between(0.9, 0.97)
  const filled = (since_s: number): number => progress(since_s, all_s)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['capacity', 'node', 'dependency'],
      entity: BROKER,
      places: [...MEMBERS],
      topology,
    },
    undisturbed: publishing,
    lines: [
      ...publishing.flatMap((part) => [
        {
          ...{ part, per_minute: 6, until_s: all_s, decides: true },
          message:
            'com.rabbitmq.client.AlreadyClosedException: connection is already closed due to connection error; cause: java.net.SocketException: Connection reset',
        },
        {
          ...{ part, per_minute: 10, after_s: all_s, decides: true },
          message: `org.springframework.amqp.AmqpConnectException: java.net.ConnectException: Connection refused (${BROKER}:5672)`,
        },
      ]),
      {
        ...{ part: BROKER, per_minute: 4, until_s: 60, severity: 'INFO', decides: true },
        message: `rabbit on node 'rabbit@${lost}' down`,
      },
      ...left.map((member) => ({
        ...{ part: BROKER, per_minute: 4, after_s: all_s - 90, until_s: all_s + 20, severity: 'WARN' },
        ...{ message: `memory resource limit alarm set on node 'rabbit@${member}'.`, decides: true },
      })),
    ],
    gauges: [
      {
        ...{ entity: BROKER, name: 'broker_members_running', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? MEMBERS.length : since_s < all_s ? left.length : 0),
      },
      ...MEMBERS.flatMap((member) => {
        const isGone = (since_s: number): boolean => since_s >= (member === lost ? 0 : all_s)
        const told = { entity: BROKER, unit: '1', labels: { member }, decides: true }
        return [
          {
            ...{ ...told, name: 'broker_connections' },
            level: (since_s: number) =>
              isGone(since_s) ? 0 : MEMBER_CONNECTIONS * (since_s < 0 ? 1 : 1.5 - 0.2 * filled(since_s)),
          },
          {
            ...{ ...told, name: 'broker_memory_used_ratio' },
            level: (since_s: number) =>
              isGone(since_s) ? Number.NaN : MEMBER_MEMORY + (0.41 - MEMBER_MEMORY) * filled(since_s),
          },
        ]
      }),
    ],
    events: [
      {
        ...{ after_s: 10, kind: 'notification', reason: 'state', name: lost, decides: true },
        message: `${BROKER}: ${lost} does not answer its probe`,
      },
    ],
    working: (part, _pod, since_s) => {
      if (!publishing.includes(part) || since_s < 0) return {}
      return since_s < all_s
        ? { own_errors: some * (1 + filled(since_s)) }
        : { own_errors: most, cpu_factor: 0.4 }
    },
  }
}

/**
 * A store keeps what it has written, for years, on the disk that its system is on, and that disk is full. What wants to be
 * written is refused, by the store and by the small one that shares its machine, and what is read takes long.
 */
const fullArchive: ProductionFamily = (topology, chance): ProductionFault | null => {
  const stores = sharedStores(topology)
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const growing_s = chance.whole(60, 180)
  const share = chance.between(0.5, 0.8)
  const slower = chance.between(20, 60)
  const a_second = (1 - ROOT_USED) / chance.whole(90_000, 200_000)
  const segment = chance.whole(0x10, 0xff).toString(16).toUpperCase()
  const relation = chance.whole(16_400, 19_800)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'config', 'node'], entity: name, topology },
    places: [`${name}-root`],
    lines: [
      ...callers.map((part) => ({
        ...{ part, per_minute: 9, decides: true },
        message:
          "Redis::CommandError (MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.)",
      })),
      {
        ...{ part: name, per_minute: 6, decides: true },
        message: `ERROR:  could not extend file "base/16389/${relation}": No space left on device`,
      },
      {
        ...{ part: name, per_minute: 4, severity: 'INFO', decides: true },
        message: `DETAIL:  The failed archive command was: cp pg_wal/0000000100000A${segment}000000C4 /var/lib/postgres/archive/0000000100000A${segment}000000C4`,
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'volume_used_ratio', unit: '1', labels: { volume: 'root' }, decides: true },
        level: (since_s) => Math.min(1, 1 + since_s * a_second),
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      const so_far = progress(since_s, growing_s)
      if (part === name) return { own_factor: 1 + slower * so_far }
      return callers.includes(part) ? { refused: { to: name, share: share * so_far } } : {}
    },
  }
}

/**
 * The hardware of a machine fails. Two services of one process each run there and are gone with it; their data are on that
 * machine, so no other takes them over, and starting it again by remote control does not bring it back.
 */
const failedHardware: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  if (called.length < 3) return null
  const first = chance.pick(called)
  const second = chance.pick(called.filter(({ name }) => name !== first.name))
  const there = [first, second].map(({ name }) => name)
  const base = hostingOf(topology, chance)
  const host = `ip-10-40-11-${chance.whole(2, 250)}`
  const reset_s = chance.whole(480, 780)
  const callers = topology.parts.filter(({ calls }) => calls.some(({ to }) => there.includes(to)))
  const labels = { node: host }
  /** For a week it has corrected errors of its memory, some minutes more than others. */
  const corrected = chance.whole(4, 12)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'node', kinds: ['infra', 'provider'], entity: host, places: there, undisturbed: there },
    topology: withParts(
      topology,
      Object.fromEntries(
        [first, second].map(({ name, workers, pods }) => [name, { pods: 1, workers: workers * pods }]),
      ),
    ),
    hosting: hostedApart(base, [host], there),
    lines: callers.flatMap(({ name, calls }) =>
      calls
        .filter(({ to }) => there.includes(to))
        .map(({ to }) => ({
          ...{ part: name, per_minute: 7, after_s: 5, decides: true },
          message: `connect EHOSTUNREACH 10.40.11.4:8080 (${to})`,
        })),
    ),
    gauges: [
      {
        ...{ entity: host, name: 'node_uptime_seconds', unit: 's', labels, decides: true },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      },
      {
        ...{
          entity: host,
          name: 'node_memory_corrected_errors_per_minute',
          unit: '1',
          labels,
          decides: true,
        },
        level: (since_s) => (Math.floor(since_s / 210) % 3 === 0 ? corrected : 1),
      },
      {
        ...{ entity: host, name: 'node_ready', unit: '1', labels, decides: true },
        level: (since_s) => (since_s < 40 ? 1 : 0),
      },
      { ...{ entity: host, name: 'node_conntrack_used_ratio', unit: '1', labels, level: () => 0.24 } },
    ],
    k8s: [
      notReady(host, 42),
      ...there.map((name) => ({
        ...{ after_s: 345, kind: 'Pod', name: `${name}-0`, reason: 'FailedScheduling', decides: true },
        message: `0/${base.nodes.length + 1} nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, ${base.nodes.length} node(s) had volume node affinity conflict.`,
      })),
    ],
    events: [
      ['hardware reset executed, no answer to ping since', reset_s],
      ['hardware reset into the rescue system executed, no answer to ping since', reset_s + 300],
    ].map(([message, after_s]) => ({
      ...{ after_s: after_s as number, kind: 'notification', reason: 'state', name: host, decides: true },
      message: `${host}: ${message}`,
    })),
    working: (part) => (there.includes(part) ? { is_away: true } : {}),
  }
}

/**
 * The network of one of the provider's zones is unsteady. The machines there are reached for moments only, so pods on them
 * come and go; no machine can be begun there. Everybody in the other zones is well.
 */
const unreachableZone: ProductionFamily = (topology, chance): ProductionFault | null => {
  const base = hostingOf(topology, chance)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const holding = new Set(stores.map(({ name }) => base.on(name, 0)))
  const there = base.nodes.filter((node) => !holding.has(node)).slice(0, 2)
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const spared = base.nodes.filter((node) => !there.includes(node))
  const hosting = hostedSparing(base, topology, spared)
  const away_s = chance.whole(90, 160)
  const turn_s = away_s + chance.whole(20, 45)
  const share = chance.between(0.8, 0.95)
  const zone = chance.pick(ZONES)
  const noticed_s = chance.whole(420, 780)
  const isAway = (since_s: number): boolean => since_s >= 0 && since_s % turn_s < away_s
  const hit = services.flatMap(({ name, pods }) =>
    Array.from({ length: pods }, (_, pod) => ({ name, pod })).filter(({ pod }) =>
      there.includes(hosting.on(name, pod)),
    ),
  )
  if (there.length < 2 || hit.length < 3) return null
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['network', 'infra', 'node'], entity: zone, places: there, topology },
    ...{ hosting, isHosting: true },
    lines: [
      ...services
        .filter(({ calls }) => calls.some(({ to }) => hit.some(({ name }) => name === to)))
        .map(({ name, calls }) => ({
          ...{ part: name, per_minute: 5 },
          message: `Post "http://${calls.find(({ to }) => hit.some((one) => one.name === to))?.to}:8080/": dial tcp 10.40.7.21:8080: i/o timeout`,
        })),
      {
        ...{ part: 'karpenter', per_minute: 3, after_s: 60, decides: true },
        message: `launching instance in ${zone}: InternalError: An internal error has occurred`,
      },
    ],
    gauges: [
      ...there.map((node) => ({
        ...{ entity: node, name: 'node_ready', unit: '1', labels: { node }, decides: true },
        level: (since_s: number) => (isAway(since_s - 30) ? 0 : 1),
      })),
      {
        ...{ entity: zone, name: 'zone_api_duration_p99_ms', unit: 'ms', decides: true },
        level: (since_s) => (since_s < 0 ? ZONE_ANSWER_MS : 3_800 + 900 * Math.sin(since_s / 90)),
      },
    ],
    k8s: [
      ...there.map((node, index) => notReady(node, 40 + 3 * index)),
      ...hit.slice(0, 3).map(({ name, pod }, index) => ({
        ...{
          after_s: 200 + 110 * index,
          kind: 'Pod',
          name: `${name}-${pod}`,
          reason: 'Failed',
          decides: true,
        },
        message: `Failed to pull image "registry.internal/${name}": rpc error: code = DeadlineExceeded desc = failed to pull and unpack image: context deadline exceeded`,
      })),
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: zone, decides: true },
        message: `AWS_EC2_OPERATIONAL_ISSUE: increased API error rates and network connectivity issues for some instances in a single Availability Zone (${zone})`,
      },
    ],
    working: (part, pod, since_s) =>
      hit.some((one) => one.name === part && one.pod === pod) && isAway(since_s)
        ? { own_errors: share, own_factor: 6, cpu_factor: 0.3 }
        : {},
  }
}

/**
 * Very many clients of a service connect again within a minute. Two threads wait for each other's lock, every further
 * connection waits behind them, pod after pod, and clients that are not answered connect again.
 */
const lockedReconnects: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods, workers } = chance.pick(inner(topology))
  const every_s = chance.whole(10, 35)
  const share = chance.between(0.92, 0.98)
  const burst = (arrivalsOf(topology).get(name) ?? 0) * chance.between(1.5, 3)
  const burst_s = chance.whole(45, 90)
  const object = chance.whole(0x100000, 0xffffff).toString(16)
  const isLocked = (pod: number, since_s: number): boolean => since_s >= 10 + pod * every_s
  const locked = (since_s: number): number =>
    Array.from({ length: pods }, (_, pod) => isLocked(pod, since_s)).filter(Boolean).length
  const again = (since_s: number): number => (since_s < 0 ? 0 : since_s < burst_s ? burst : burst / 4)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'code', kinds: ['capacity', 'traffic'], entity: name, undisturbed: [name], topology },
    lines: [
      {
        ...{ part: name, per_minute: 9, severity: 'WARN', after_s: 15, decides: true },
        message: `"messaging-io-7" BLOCKED (on object monitor) - waiting to lock <0x00000006c1${object}> (a com.messaging.Subscriptions), which is held by "messaging-io-2"`,
      },
      {
        ...{ part: name, per_minute: 8, severity: 'INFO', until_s: burst_s, decides: true },
        message: `client ${object.slice(0, 4)} connected again, 4 subscriptions to restore`,
      },
      {
        ...{ part: name, per_minute: 7, after_s: 30 },
        message: 'subscribe: no answer within 5000 ms, connection closed',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'client_reconnects_per_second', unit: '/s', decides: true },
        level: (since_s) => RECONNECTS + again(since_s),
      },
      {
        ...{ entity: name, name: 'threads_blocked', unit: '1', decides: true },
        level: (since_s) => BLOCKED + (workers - 2) * locked(since_s),
      },
    ],
    arriving: (part, since_s) => (part === name ? again(since_s) : 0),
    working: (part, pod, since_s) =>
      part === name && isLocked(pod, since_s) ? { own_errors: share, cpu_factor: 0.1 } : {},
  }
}

/** The families of the thirteenth generation that no change caused. */
export const THIRTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'remaining-members': amongThirteenthSurroundings(remainingMembers),
  'full-archive': amongThirteenthSurroundings(fullArchive),
  'failed-hardware': unmeasuredWhileGone(amongThirteenthSurroundings(failedHardware)),
  'unreachable-zone': amongThirteenthSurroundings(unreachableZone),
  'locked-reconnects': amongThirteenthSurroundings(lockedReconnects),
}
