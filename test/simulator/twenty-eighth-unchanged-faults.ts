/**
 * Families of the twenty-eighth generation that no change of one's own caused, each as a published report of one organisation
 * has it: a member of a cluster whose machine a provider begins anew, a disk that a job fills, books that a store cannot read
 * any more, servers that are taken for faulty, and a copy that is not brought up to date. They were written without knowledge
 * of the engine; docs/simulator/twenty-eighth.md names the reports and the rule of choice.
 */
import { probeOf } from './fifteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { balancerOf } from './nineteenth-surroundings.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import type { Topology } from './topology.ts'
import {
  amongTwentyEighthSurroundings,
  BOOKED,
  BUILDS,
  DATA_LEFT,
  DATA_MOUNT,
  dataHostOf,
  everyTenMinutes,
  groupOf,
  harmlessLimits,
  healthOf,
  MEMBER_HOSTS,
  PAGES_HOST,
  PUSHES,
  TILES_JOB,
  TILES_WRITTEN,
} from './twenty-eighth-surroundings.ts'
import { backendOf, memberOf, panelOf, STYLE_BALANCER } from './twenty-sixth-surroundings.ts'

/** A store that somebody asks, and who asks it. */
function askedStore(
  topology: Topology,
  chance: Chance,
): { readonly name: string; readonly callers: readonly string[] } | null {
  const stores = topology.parts.filter(
    ({ kind, name }) => kind === 'datastore' && callersOf(topology, name).length > 0,
  )
  if (stores.length === 0) return null
  const { name } = chance.pick(stores)
  return { name, callers: callersOf(topology, name).map((caller) => caller.name) }
}

/** What says from outside whether a store is there. */
const thereOrNot = (store: string, isDown: (since_s: number) => boolean): readonly Gauge[] =>
  ['db_up', 'pg_up'].map((name) => ({
    ...{ entity: store, name, unit: '1', decides: true },
    level: (since_s: number) => (isDown(since_s) ? 0 : 1),
  }))

/** How long a store has run, as each of those says that ask it. */
const runsFor = (store: string, level: (since_s: number) => number): readonly Gauge[] =>
  ['mysql_global_status_uptime', 'aws_rds_engine_uptime_average'].map((name) => ({
    ...{ entity: store, name, unit: 's', decides: true, level },
  }))

/**
 * A provider begins a machine anew on which a member of a cluster runs. It comes back without its volume, so the member does
 * not; who asks the cluster looks for it before each request. Then it is the turn of the machine of the first member, and when
 * that is back, who asks does not find it.
 */
const rebootedSecondary: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asked = askedStore(topology, chance)
  if (asked === null) return null
  const { name, callers } = asked
  const rebooting_s = chance.whole(70, 150)
  const next_s = chance.whole(300, 540)
  const primary_s = chance.whole(80, 160)
  const share = chance.between(0.75, 0.97)
  const wait_ms = chance.between(380, 420)
  const [first, second, third] = [memberOf(name, 1), memberOf(name, 2), memberOf(name, 3)]
  const isFirstAway = (since_s: number): boolean => since_s >= next_s && since_s < next_s + primary_s
  /** How long something has run that was begun anew at a time. */
  const since =
    (from_s: number, away_s: number): ((since_s: number) => number) =>
    (since_s) => {
      if (since_s < from_s) return RUNNING_S + since_s
      return since_s < from_s + away_s ? Number.NaN : since_s - from_s - away_s
    }
  return {
    ...UNREMARKABLE,
    ...{
      kind: 'infra',
      kinds: ['provider', 'node', 'code', 'dependency', 'config'],
      entity: name,
      topology,
    },
    places: [first, second, MEMBER_HOSTS[0], MEMBER_HOSTS[1]],
    undisturbed: callers,
    lines: [
      {
        ...{ part: MEMBER_HOSTS[1], per_minute: 2, after_s: rebooting_s, until_s: rebooting_s + 240 },
        ...{ decides: true, message: `mount: /srv/${second}: special device /dev/xvdf does not exist.` },
      },
      {
        ...{ part: MEMBER_HOSTS[1], per_minute: 1, after_s: rebooting_s + 5, decides: true },
        message: `systemd[1]: Dependency failed for mongod of ${second}.`,
      },
      ...callers.flatMap((part) => [
        {
          ...{ part, per_minute: 7, after_s: 3, severity: 'WARN', decides: true },
          message: `MOPED: ${second}:27017 is down, trying to connect again (${wait_ms.toFixed(0)} ms)`,
        },
        {
          ...{ part, per_minute: 9, after_s: next_s + 2, decides: true },
          message: `Moped::Errors::ConnectionFailure: Could not connect to a primary node for replica set (${name})`,
        },
      ]),
    ],
    gauges: [
      ...thereOrNot(name, isFirstAway),
      ...runsFor(name, since(next_s, primary_s)),
      {
        ...{
          entity: third,
          name: 'mongodb_mongod_replset_member_health',
          unit: '1',
          labels: healthOf(second),
        },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 1 : 0) },
      },
      {
        ...{
          entity: third,
          name: 'mongodb_mongod_replset_member_health',
          unit: '1',
          labels: healthOf(first),
        },
        ...{ decides: true, level: (since_s) => (isFirstAway(since_s) ? 0 : 1) },
      },
      {
        ...{ entity: second, name: 'mongodb_instance_uptime_seconds', unit: 's', decides: true },
        level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
      },
      {
        ...{ entity: first, name: 'mongodb_instance_uptime_seconds', unit: 's', decides: true },
        level: since(next_s, primary_s),
      },
      {
        ...{ entity: MEMBER_HOSTS[1], name: 'node_uptime_seconds', unit: 's' },
        ...{ labels: { node: MEMBER_HOSTS[1] }, decides: true, level: since(0, rebooting_s) },
      },
      {
        ...{ entity: MEMBER_HOSTS[0], name: 'node_uptime_seconds', unit: 's' },
        ...{ labels: { node: MEMBER_HOSTS[0] }, decides: true, level: since(next_s, primary_s - 20) },
      },
    ],
    events: [0, next_s].map((after_s, place) => {
      const host = MEMBER_HOSTS[1 - place] as string
      return {
        ...{ after_s, kind: 'notification', reason: 'state', name: host, decides: true },
        message: `${host}: system-reboot of the provider has begun`,
      }
    }),
    working: (part, _pod, since_s) => {
      if (since_s < 0) return {}
      if (part === name) return isFirstAway(since_s) ? { is_away: true } : {}
      if (!callers.includes(part)) return {}
      return since_s < next_s
        ? { on_way: { to: [name], ms: wait_ms } }
        : { cut_off: { to: name, share }, on_way: { to: [name], ms: wait_ms } }
    },
  }
}

/**
 * A job makes files on the machine of a store until no room is left on its disk. The store ends as it cannot write, is begun
 * anew with what was temporary gone, and ends again as the job goes on; the copy for the night has no room either.
 */
const fillingScript: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asked = askedStore(topology, chance)
  if (asked === null) return null
  const { name, callers } = asked
  const machine = dataHostOf(name)
  const filling_s = chance.whole(2_400, 4_200)
  const first_s = chance.whole(100, 240)
  const between_s = chance.whole(60, 150)
  const freed = chance.between(0.004, 0.01)
  const rate = DATA_LEFT / filling_s
  const isBetween = (since_s: number): boolean => since_s >= first_s && since_s < first_s + between_s
  const isDown = (since_s: number): boolean => since_s >= 0 && !isBetween(since_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'capacity', kinds: ['infra', 'node', 'data', 'code'], entity: name, topology },
    places: [machine],
    undisturbed: callers,
    lines: [
      ...[{ after_s: 0, until_s: first_s }, { after_s: first_s + between_s }].flatMap((while_down) => [
        {
          ...{ part: machine, per_minute: 7, ...while_down, decides: true },
          message:
            'postgres: PANIC:  could not write to file "pg_wal/xlogtemp.2817": No space left on device',
        },
        ...callers.map((part) => ({
          ...{ part, per_minute: 8, ...while_down, decides: true },
          message: `psycopg2.OperationalError: FATAL:  the database system is in recovery mode (${name})`,
        })),
      ]),
      {
        ...{ part: machine, per_minute: 2, after_s: 30, decides: true },
        message:
          'pg_basebackup: error: could not write to file "/data/copies/base.tar": No space left on device',
      },
    ],
    gauges: [
      ...thereOrNot(name, isDown),
      ...runsFor(name, (since_s) => (since_s < 0 ? RUNNING_S + since_s : since_s - first_s)),
      {
        ...{ entity: machine, name: 'node_filesystem_avail_bytes', unit: 'By', labels: DATA_MOUNT },
        decides: true,
        level: (since_s) => {
          if (since_s < 0) return DATA_LEFT * (1 - progress(since_s + filling_s, filling_s))
          return isBetween(since_s) ? DATA_LEFT * freed * (1 - progress(since_s - first_s, between_s)) : 0
        },
      },
      {
        ...{ entity: machine, name: 'namedprocess_namegroup_write_bytes_total:rate1m', unit: 'By/s' },
        ...{ labels: TILES_JOB, decides: true },
        level: (since_s) => {
          if (since_s < -filling_s) return TILES_WRITTEN
          if (since_s < 0) return rate
          return isBetween(since_s) ? (DATA_LEFT * freed) / between_s : 0
        },
      },
    ],
    working: (part, _pod, since_s) => (part === name && isDown(since_s) ? { is_away: true } : {}),
  }
}

/**
 * A page of the books of a store is not what it was written as. The store ends when it meets it, puts itself in order as it is
 * made to, begins anew and meets it again; nobody can book in between for more than a moment.
 */
const corruptLedger: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asked = askedStore(topology, chance)
  if (asked === null) return null
  const { name, callers } = asked
  const machine = dataHostOf(name)
  const recovering_s = chance.whole(50, 110)
  const round_s = recovering_s + chance.whole(15, 40)
  const page = chance.whole(3_000, 60_000)
  const isDown = (since_s: number): boolean => since_s >= 0 && since_s % round_s < recovering_s
  return {
    ...UNREMARKABLE,
    ...{ kind: 'data', kinds: ['infra', 'node', 'dependency'], entity: name, topology },
    places: [machine],
    undisturbed: callers,
    lines: [
      {
        ...{ part: machine, per_minute: 6, after_s: 0, decides: true },
        message: `mysqld: [ERROR] InnoDB: Database page corruption on disk or a failed file read of page [page id: space=47, page number=${page}]. You may have to recover from a backup.`,
      },
      {
        ...{ part: machine, per_minute: 3, after_s: 4, severity: 'INFO', decides: true },
        message: 'mysqld: [Note] InnoDB: Starting crash recovery from checkpoint LSN=811790462',
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 2, decides: true },
        message: `booking is not done: (2013) Lost connection to MySQL server during query (${name})`,
      })),
    ],
    gauges: [
      ...thereOrNot(name, isDown),
      ...runsFor(name, (since_s) => (since_s < 0 ? RUNNING_S + since_s : (since_s % round_s) - recovering_s)),
      ...callers.map((part) => ({
        ...{ entity: part, name: 'transactions_booked_total:rate1m', unit: '/s' },
        level: (since_s: number) => (isDown(since_s) ? 0 : BOOKED),
      })),
    ],
    working: (part, _pod, since_s) => (part === name && isDown(since_s) ? { is_away: true } : {}),
  }
}

/**
 * What replaces faulty servers takes those that are well for faulty, one after the other, and takes them out. It does not get
 * others, as the snapshot that they are made of is not there.
 */
const mistakenRecovery: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods } = chance.pick(inner(topology))
  const callers = callersOf(topology, name).map((caller) => caller.name)
  const apart_s = chance.whole(50, 130)
  const group = groupOf(name)
  const balancer = balancerOf(name)
  const snapshot = `snap-0${chance.whole(0x1000_0000, 0xffff_ffff).toString(16)}`
  /** How many are left. */
  const left = (since_s: number): number =>
    since_s < 0 ? pods : Math.max(0, pods - 1 - Math.floor(since_s / apart_s))
  const instances = Array.from(
    { length: pods },
    () => `i-0${chance.whole(0x1000_0000, 0xffff_ffff).toString(16)}`,
  )
  const counted = (
    entity: string,
    counter: string,
    labels: Readonly<Record<string, string>> | undefined,
  ): Gauge => ({
    ...{ entity, name: counter, unit: '1', decides: true, level: left },
    ...(labels === undefined ? {} : { labels }),
  })
  const anyLeft = (since_s: number): number => (left(since_s) > 0 ? 1 : 0)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['config', 'capacity', 'node', 'data'], entity: group, topology },
    places: [name, balancer],
    elsewhere: [{ ...harmlessLimits(chance.pick(callers), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: [name, ...callers],
    lines: callers.map((part) => ({
      ...{ part, per_minute: 8, after_s: (pods - 1) * apart_s + 3, decides: true },
      message: `GET https://${name}.internal/ answered 503 Service Temporarily Unavailable (awselb/2.0)`,
    })),
    gauges: [
      counted(group, 'aws_autoscaling_group_in_service_instances_average', undefined),
      counted(balancer, 'aws_applicationelb_healthy_host_count_average', undefined),
      counted(name, 'load_balancer_healthy_hosts', undefined),
      counted(name, 'kube_deployment_status_replicas_available', { deployment: name }),
      counted(STYLE_BALANCER, 'haproxy_backend_active_servers', backendOf(name)),
      {
        ...{ entity: balancer, name: 'aws_applicationelb_httpcode_elb_5_xx_count_sum', unit: '1' },
        ...{ decides: true, level: (since_s) => (anyLeft(since_s) === 1 ? 0.2 : 900) },
      },
      { ...{ entity: name, name: 'up', unit: '1', decides: true }, level: anyLeft },
      {
        ...{ entity: name, name: 'probe_success', unit: '1', labels: probeOf(name), decides: true },
        level: anyLeft,
      },
    ],
    events: [
      ...instances.map((instance, place) => ({
        ...{ after_s: 1 + place * apart_s, kind: 'notification', reason: 'state', name: group },
        ...{ service: 'autoscaling', decides: true },
        message: `Terminating EC2 instance: ${instance}: an instance was taken out of service in response to an ELB system health check failure.`,
      })),
      ...[40, 400].map((after_s) => ({
        ...{ after_s, kind: 'notification', reason: 'state', name: group },
        ...{ service: 'autoscaling', decides: true },
        message: `Launching a new EC2 instance. Status Reason: The snapshot '${snapshot}' does not exist. Launching EC2 instance failed.`,
      })),
    ],
    working: (part, pod, since_s) => (part === name && since_s >= pod * apart_s ? { is_away: true } : {}),
  }
}

/**
 * Who shows to everybody what was pushed to it takes what is pushed as ever and does not build from it any more: what is shown
 * stays as it was. Who is asked for what is new finds nothing of it there, and more is asked for it from minute to minute.
 */
const unpublishedCopy: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = inner(topology).map(({ name }) => name)
  const first = chance.pick(candidates)
  const hit = candidates.filter((name) => name === first || chance.is(0.4))
  const stalled_s = chance.whole(500, 1_100)
  const growing_s = chance.whole(200, 500)
  const share = chance.between(0.5, 0.85)
  const told_s = chance.whole(800, 1_300)
  const missing = (since_s: number): number => share * progress(since_s, growing_s)
  const isStalled = (since_s: number): boolean => since_s >= -stalled_s
  /** How old what is shown was when it was built for the last time. */
  const at_end_s = everyTenMinutes(-stalled_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'provider', kinds: ['dependency', 'infra', 'data'], entity: PAGES_HOST, topology },
    elsewhere: [{ ...harmlessLimits(chance.pick(hit), chance), after_s: -chance.whole(60, 480) }],
    undisturbed: hit,
    lines: hit.flatMap((part) => [
      {
        ...{ part, per_minute: 7, after_s: 5, decides: true },
        message: `feed ${chance.whole(100, 900)} has no entry of today, its newest is of yesterday (feeds.${PAGES_HOST}.example)`,
      },
      {
        ...{ part, per_minute: 1.5, after_s: 20, severity: 'WARN', decides: true },
        message: `GET https://api.${PAGES_HOST}.example/builds answered 502 Bad Gateway, asking again`,
      },
    ]),
    gauges: [
      {
        ...{ entity: PAGES_HOST, name: 'published_copy_age_seconds', unit: 's', decides: true },
        level: (since_s) => (isStalled(since_s) ? at_end_s + since_s + stalled_s : everyTenMinutes(since_s)),
      },
      {
        ...{ entity: PAGES_HOST, name: 'pages_builds_finished_total:increase10m', unit: '1', decides: true },
        level: (since_s) => (since_s < 630 - stalled_s - at_end_s ? BUILDS : 0),
      },
      {
        ...{ entity: PAGES_HOST, name: 'repository_pushes_total:increase10m', unit: '1', decides: true },
        level: () => PUSHES,
      },
      {
        ...{
          entity: PAGES_HOST,
          name: 'probe_success',
          unit: '1',
          labels: panelOf(PAGES_HOST),
          decides: true,
        },
        level: (since_s) => (isStalled(since_s) && Math.floor((since_s + stalled_s) / 60) % 4 === 1 ? 0 : 1),
      },
    ],
    events: [
      {
        ...{ after_s: told_s, kind: 'notification', reason: 'state', name: PAGES_HOST, decides: true },
        message: `${PAGES_HOST}: builds are late and some requests fail, investigating`,
      },
    ],
    working: (part, _pod, since_s) =>
      hit.includes(part) && since_s >= 0 ? { own_errors: missing(since_s) } : {},
  }
}

/** The families of the twenty-eighth generation that no change of one's own caused. */
export const TWENTY_EIGHTH_UNCHANGED: Readonly<Record<string, ProductionFamily>> = {
  'rebooted-secondary': unmeasuredWhileGone(amongTwentyEighthSurroundings(rebootedSecondary)),
  'filling-script': unmeasuredWhileGone(amongTwentyEighthSurroundings(fillingScript)),
  'corrupt-ledger': unmeasuredWhileGone(amongTwentyEighthSurroundings(corruptLedger)),
  'mistaken-recovery': unmeasuredWhileGone(amongTwentyEighthSurroundings(mistakenRecovery)),
  'unpublished-copy': amongTwentyEighthSurroundings(unpublishedCopy),
}
