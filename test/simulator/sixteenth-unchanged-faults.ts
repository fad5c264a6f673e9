/**
 * Families of the sixteenth generation that no change of one's own caused, each as a published report of one organisation has
 * it: a router between two data centres that is taken out while the second does not take over, memory that is held and
 * never given back, a storage cluster of which all members are slow, the disk of one of three caches, and an account at an
 * outside host that is suspended. They were written without knowledge of the engine; docs/simulator/sixteenth.md names the
 * reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import {
  ACCOUNT,
  ANSWER_CACHES,
  amongSixteenthSurroundings,
  CACHE_CODES,
  CACHE_DISK,
  CACHE_DRIVE,
  CACHE_ERRORS,
  CENTRES,
  CLUSTER,
  COLLECTING,
  COMMIT_MS,
  CORE_PORT,
  CORE_ROUTERS,
  centreProbe,
  DAEMONS,
  DISK_BUSY,
  ESTABLISHED,
  HEALTH_ERR,
  HEALTH_WARN,
  HOST,
  HTTP_OK,
  IDENTITY,
  IDLE,
  INSTANCES,
  KEEPER,
  OLD_BYTES,
  OLD_GENERATION,
  OLD_USED,
  PEER,
  SENDING,
} from './sixteenth-surroundings.ts'

/** Milliseconds after which nobody waits for an answer any more. */
const NEVER_MS = 6_000

/**
 * The data centre takes a router out, to see to it. The second one says that it is there, and carries nothing: of a system
 * that is half moved from one data centre to the other, no half gets to the other.
 */
const coreRouter: ProductionFamily = (topology, chance): ProductionFault | null => {
  const [root] = topology.parts
  if (root === undefined) return null
  const base = hostingOf(topology, chance)
  const moved = topology.parts
    .filter(({ kind, name }) => kind !== 'external' && name !== root.name && chance.is(0.5))
    .map(({ name }) => name)
  const isOut = (name: string): boolean =>
    topology.parts.some((part) => part.name === name && part.kind === 'external')
  const across = new Map(
    topology.parts.map(({ name, calls }) => [
      name,
      calls.map(({ to }) => to).filter((to) => !isOut(to) && moved.includes(name) !== moved.includes(to)),
    ]),
  )
  const calls = topology.parts.flatMap((part) => part.calls.filter(({ to }) => !isOut(to)))
  const cut = [...across.values()].flat().length
  if (cut < 2 || cut === calls.length) return null
  const [first, second] = CORE_ROUTERS
  const there = Array.from({ length: 3 }, () => `ip-10-52-${chance.whole(0, 7)}-${chance.whole(2, 250)}`)
  const growing_s = chance.whole(5, 25)
  const noted_s = chance.whole(5, 90)
  const change = chance.whole(40_000, 49_999)
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'network',
      kinds: ['infra', 'provider', 'node', 'config'],
      entity: first,
      isHosting: true,
      topology,
    },
    places: [second, ...CENTRES],
    hosting: hostedApart(base, there, moved),
    lines: [
      ...[...across].flatMap(([part, to]) =>
        to.length === 0
          ? []
          : [
              {
                ...{ part, per_minute: 9, after_s: 10, decides: true },
                message: 'java.net.NoRouteToHostException: No route to host (Host unreachable)',
              },
            ],
      ),
      {
        ...{ part: first, per_minute: 4, severity: 'WARN', until_s: 150, decides: true },
        message: '%BGP-5-ADJCHANGE: neighbor 10.52.0.2 Down BGP Notification sent',
      },
      {
        ...{ part: first, per_minute: 2, until_s: 200, decides: true },
        message: '%BGP-3-NOTIFICATION: sent to neighbor 10.52.0.2 4/0 (hold time expired) 0 bytes',
      },
    ],
    gauges: [
      {
        ...{ entity: first, name: 'bgpPeerState', unit: '1', labels: PEER, decides: true },
        level: (since_s) => (since_s < 0 ? ESTABLISHED : IDLE),
      },
      {
        ...{ entity: first, name: 'ifHCOutOctets:rate1m', unit: 'By/s', labels: CORE_PORT, decides: true },
        level: (since_s) => SENDING * (1 - progress(since_s, growing_s)) + 40,
      },
      {
        ...{ entity: CENTRES[1], name: 'probe_success', unit: '1', labels: centreProbe(CENTRES[1]) },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 1 : 0) },
      },
    ],
    events: [
      {
        ...{ after_s: -noted_s, kind: 'notification', reason: 'state', name: first, decides: true },
        message: `CHG00${change}: maintenance of ${first} has begun (data centre)`,
      },
    ],
    working: (part, _pod, since_s) => {
      const to = across.get(part) ?? []
      return to.length === 0 || since_s < 0
        ? {}
        : { cut_off: { to, share: 0.98 * progress(since_s, growing_s) } }
    },
  }
}

/**
 * A service has held on to more and more memory for weeks, and has some weeks left. Within minutes it needs all of it; from
 * then on it does nothing but collect, and answers nobody in time.
 */
const leakingHeap: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const spike_s = chance.whole(240, 720)
  const stopping_s = chance.whole(40, 120)
  const before = OLD_USED * chance.between(1.1, 1.35)
  const [most_mb, pause] = [4_096, chance.whole(3_100, 6_900)]
  const held_mb = most_mb - chance.whole(14, 40)
  const collection = chance.whole(2_000, 9_000)
  const used = (since_s: number): number =>
    since_s < -spike_s
      ? before + since_s / 600_000
      : before + (0.985 - before) * progress(since_s + spike_s, spike_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['code'], entity: name, topology },
    undisturbed: [name],
    lines: [
      {
        ...{ part: name, per_minute: 5, severity: 'WARN', decides: true },
        message: `[gc] GC(${collection}) Pause Full (G1 Compaction Pause) ${held_mb + 6}M->${held_mb}M(${most_mb}M) ${pause}.118ms`,
      },
      {
        ...{ part: name, per_minute: 4, after_s: 80, decides: true },
        message:
          'Exception in thread "tracking-dispatch-3" java.lang.OutOfMemoryError: GC overhead limit exceeded',
      },
    ],
    gauges: [
      {
        ...{ entity: name, name: 'jvm_memory_used_bytes', unit: 'By', labels: OLD_GENERATION },
        ...{ decides: true, level: (since_s) => OLD_BYTES * used(since_s) },
      },
      {
        ...{ entity: name, name: 'jvm_gc_pause_seconds_sum:rate1m', unit: '1', decides: true },
        level: (since_s) =>
          COLLECTING + 0.06 * progress(since_s + spike_s, spike_s) + 0.86 * progress(since_s, stopping_s),
      },
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? { own_factor: 1 + (NEVER_MS / own_ms) * progress(since_s, stopping_s), cpu_factor: 4 }
        : {},
  }
}

/**
 * All members of a storage cluster are slow at once. One service keeps its documents there: it takes longer and longer, and
 * in the end answers nobody. No call shows the cluster.
 */
const slowCluster: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, own_ms } = chance.pick(inner(topology))
  const growing_s = chance.whole(120, 420)
  const slowest_ms = chance.whole(900, 4_800)
  const slow_ops = chance.whole(50, 420)
  const map = chance.whole(180, 900)
  const client = chance.whole(4_000, 90_000)
  const grown = (since_s: number): number => progress(since_s + 20, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'dependency', 'capacity', 'provider'], entity: CLUSTER, topology },
    places: [name],
    undisturbed: [name],
    lines: [
      {
        ...{ part: CLUSTER, per_minute: 4, severity: 'WARN', after_s: 10, decides: true },
        message: `Health check failed: ${slow_ops} slow ops, oldest one blocked for 64 sec, daemons [osd.0,osd.1,osd.2,osd.3,osd.4,osd.5] have slow ops. (SLOW_OPS)`,
      },
      {
        ...{ part: CLUSTER, per_minute: 6, severity: 'WARN', after_s: 20, decides: true },
        message: `osd.${chance.whole(0, 5)} ${map} get_health_metrics reporting ${Math.round(slow_ops / 6)} slow ops, oldest is osd_op(client.${client}.0:88 4.1f [write 0~4194304])`,
      },
      {
        ...{ part: name, per_minute: 6, after_s: growing_s / 2, decides: true },
        message: `libceph: osd${chance.whole(0, 5)} (1)10.48.5.1${chance.whole(1, 6)}:6801 socket error on read`,
      },
    ],
    gauges: [
      {
        ...{ entity: CLUSTER, name: 'ceph_health_status', unit: '1', decides: true },
        level: (since_s) => (since_s < 0 ? 0 : since_s < growing_s ? HEALTH_WARN : HEALTH_ERR),
      },
      {
        ...{ entity: CLUSTER, name: 'ceph_healthcheck_slow_ops', unit: '1', decides: true },
        level: (since_s) => slow_ops * grown(since_s),
      },
      ...DAEMONS.map((ceph_daemon, index) => ({
        ...{ entity: CLUSTER, name: 'ceph_osd_commit_latency_ms', unit: 'ms', labels: { ceph_daemon } },
        ...{
          decides: true,
          level: (since_s: number) => COMMIT_MS + slowest_ms * (1 - 0.06 * index) * grown(since_s),
        },
      })),
    ],
    working: (part, _pod, since_s) =>
      part === name && since_s >= 0
        ? { own_factor: 1 + (NEVER_MS / own_ms) * progress(since_s, growing_s) ** 2 }
        : {},
  }
}

/**
 * The disk of one of three caches fails. What it is asked for it answers with an error in place of what it has kept, and
 * whoever is led to it sees that: a third of the calls to two services, which are well and whose caches count as well.
 */
const cacheDisk: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  const [one, other] = [chance.pick(called).name, chance.pick(called).name]
  const behind = [...new Set([one, other])]
  const cache = chance.pick(ANSWER_CACHES)
  const growing_s = chance.whole(15, 70)
  const share = chance.between(0.29, 0.36)
  const sector = chance.whole(1_000_000, 90_000_000)
  const kept = `${chance.whole(0, 9)}/${chance.whole(10, 99)}`
  const asked = behind.reduce((sum, name) => sum + (arrivalsOf(topology).get(name) ?? 0), 0)
  const away = (since_s: number): number => share * progress(since_s, growing_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'data', 'capacity'], entity: cache, topology },
    undisturbed: behind,
    lines: [
      {
        ...{ part: cache, per_minute: 6, after_s: 2, decides: true },
        message: `blk_update_request: I/O error, dev sdb, sector ${sector} op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 0`,
      },
      {
        ...{ part: cache, per_minute: 9, after_s: 8, decides: true },
        message: `[crit] 31#31: *4471290 pread() "/var/cache/nginx/api/${kept}/c1d0" failed (5: Input/output error) while sending response to client`,
      },
    ],
    gauges: [
      {
        ...{ entity: cache, name: 'nginx_vts_server_requests_total:rate1m', unit: '/s', labels: CACHE_CODES },
        ...{ decides: true, level: (since_s) => CACHE_ERRORS + asked * away(since_s) },
      },
      {
        ...{ entity: cache, name: 'node_disk_io_time_seconds_total:rate1m', unit: '1', labels: CACHE_DISK },
        ...{ decides: true, level: (since_s) => DISK_BUSY + 0.92 * progress(since_s + 30, 60) },
      },
      {
        ...{ entity: cache, name: 'smartmon_device_smart_healthy', unit: '1', labels: CACHE_DRIVE },
        ...{ decides: true, level: (since_s) => (since_s < 60 ? 1 : 0) },
      },
    ],
    working: (part, _pod, since_s) => {
      const to = topology.parts
        .find((each) => each.name === part)
        ?.calls.map((call) => call.to)
        .filter((each) => behind.includes(each))
      return to === undefined || to.length === 0 || since_s < 0
        ? {}
        : { cut_off: { to, share: away(since_s) } }
    },
  }
}

/**
 * An outside host suspends an account. All that runs there is gone at once, two services among it; what runs elsewhere is
 * well. The host answers nobody who asks in the account's name, and says why only minutes later.
 */
const suspendedAccount: ProductionFamily = (topology, chance): ProductionFault | null => {
  const called = inner(topology)
  const first = chance.pick(called)
  const apart = called.filter(
    ({ name, calls }) =>
      name !== first.name &&
      !calls.some(({ to }) => to === first.name) &&
      !first.calls.some(({ to }) => to === name),
  )
  if (apart.length === 0) return null
  const members = [first, chance.pick(apart)]
  const names = members.map(({ name }) => name)
  const nodes = Array.from({ length: 2 }, (_, index) => `os-${index + 1}-${chance.whole(100, 999)}`)
  const callers = [...new Set(names.flatMap((name) => callersOf(topology, name)))]
  const noticed_s = chance.whole(300, 840)
  const address = chance.whole(4, 90)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['infra', 'node', 'config'], entity: ACCOUNT, isHosting: true, topology },
    places: [HOST, ...nodes],
    hosting: hostedApart(hostingOf(topology, chance), nodes, names),
    undisturbed: names,
    lines: [
      ...callers.map(({ name }) => ({
        ...{ part: name, per_minute: 9, after_s: 5, decides: true },
        message: `dial tcp 172.21.4.${address}:8443: connect: connection timed out`,
      })),
      {
        ...{ part: KEEPER, per_minute: 2, after_s: 10, decides: true },
        message: `keystoneauth1.exceptions.http.Forbidden: Project is disabled: ${ACCOUNT} (HTTP 403)`,
      },
    ],
    gauges: [
      {
        ...{ entity: ACCOUNT, name: 'openstack_nova_limits_instances_used', unit: '1' },
        ...{ labels: { tenant: ACCOUNT }, decides: true },
        level: (since_s) => (since_s < 0 ? INSTANCES : 0),
      },
      {
        ...{ entity: HOST, name: 'probe_http_status_code', unit: '1', labels: IDENTITY, decides: true },
        level: (since_s) => (since_s < 0 ? HTTP_OK : 403),
      },
      ...members.flatMap(({ name, pods }): readonly Gauge[] => [
        {
          ...{ entity: name, name: 'up', unit: '1', decides: true },
          level: (since_s) => (since_s < 0 ? 1 : 0),
        },
        {
          ...{ entity: name, name: 'load_balancer_healthy_hosts', unit: '1', decides: true },
          level: (since_s) => (since_s < 0 ? pods : 0),
        },
        {
          ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
          level: (since_s) => (since_s < 0 ? 1 : 0),
        },
      ]),
      ...nodes.map((node) => ({
        ...{ entity: node, name: 'node_uptime_seconds', unit: 's', labels: { node }, decides: true },
        level: (since_s: number) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      })),
    ],
    events: [
      {
        ...{ after_s: noticed_s, kind: 'notification', reason: 'state', name: ACCOUNT, decides: true },
        message: `${ACCOUNT}: the account is suspended, billing could not be completed (${HOST})`,
      },
    ],
    working: (part, _pod, since_s) => (names.includes(part) && since_s >= 0 ? { is_away: true } : {}),
  }
}

/** The families of the sixteenth generation that no change of one's own caused. */
export const SIXTEENTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'core-router': amongSixteenthSurroundings(coreRouter),
  'leaking-heap': amongSixteenthSurroundings(leakingHeap),
  'slow-cluster': amongSixteenthSurroundings(slowCluster),
  'cache-disk': amongSixteenthSurroundings(cacheDisk),
  'suspended-account': unmeasuredWhileGone(amongSixteenthSurroundings(suspendedAccount)),
}
