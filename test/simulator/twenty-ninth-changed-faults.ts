/**
 * Families of the twenty-ninth generation whose cause is a change, each as a published report of one organisation has it:
 * upkeep that a store does not live through, updates that a resize breaks off, clusters that are made smaller, mailboxes that
 * are moved to new machines, and a registry that is moved to a disk that fails. They were written without knowledge of the
 * engine; docs/simulator/twenty-ninth.md names the reports and the rule of choice.
 */
import { STORE_UNITS } from './eighteenth-surroundings.ts'
import { storeOf, storing } from './fifth-changed-faults.ts'
import { LONGEST_STATEMENT_S } from './fourteenth-surroundings.ts'
import { callersOf, inner } from './late-faults.ts'
import { RUNNING_S, unmeasuredWhileGone } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type Gauge,
  hostedApart,
  hostingOf,
  notReady,
  type ProductionFamily,
  type ProductionFault,
  progress,
  UNREMARKABLE,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { release } from './surrounded.ts'
import type { Topology } from './topology.ts'
import { dataHostOf, FAILED_STATEMENTS } from './twenty-eighth-surroundings.ts'
import {
  APP_HOST,
  amongTwentyNinthSurroundings,
  clusterSizes,
  FIRST_MAILBOXES,
  GIVEN_UP,
  LINKS_REFUSED,
  linkOf,
  MAIL_LOAD,
  MAIL_NODES,
  MAIL_RELAY,
  MAILBOXES,
  MAJOR_FAULTS,
  MEMORY_BYTES,
  mailboxesMoved,
  NEW_MAIL_NODES,
  packagesOf,
  queueOf,
  READ_BYTES,
  READ_FROM,
  REGISTRY_DISK,
  REGISTRY_HOSTS,
  REGISTRY_MOUNT,
  resizedTo,
  SECTORS,
  spanOf,
  storeMoved,
  tableUpkeep,
  UNITS_USED,
  UPDATES_OF,
  UPDATES_WAITING,
  UPKEEP,
  UPKEEP_COMMANDS,
  WAITING_MAIL,
} from './twenty-ninth-surroundings.ts'
import { presenceOf } from './twenty-seventh-surroundings.ts'

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

/** What says of a store that it is not there any more, and how long it has run until then. */
const goneForGood = (store: string): readonly Gauge[] => [
  ...['db_up', 'pg_up'].map((name) => ({
    ...{ entity: store, name, unit: '1', decides: true },
    level: (since_s: number) => (since_s < 0 ? 1 : 0),
  })),
  ...['mysql_global_status_uptime', 'aws_rds_engine_uptime_average'].map((name) => ({
    ...{ entity: store, name, unit: 's', decides: true },
    level: (since_s: number) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
  })),
]

/**
 * Somebody puts the tables of a store in order as every month, and this time the store ends over it. It reads through all that
 * it has before it is there again, which takes hours. One of those who ask it is made to do with less of it meanwhile.
 */
const crashedUpkeep: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asked = askedStore(topology, chance)
  if (asked === null) return null
  const { name, callers } = asked
  const delay_s = chance.whole(60, 300)
  const spared = chance.pick(callers)
  const spared_s = chance.whole(540, 840)
  const reads = READ_BYTES * chance.between(18, 30)
  const table = chance.pick(['pictures', 'owners', 'albums'])
  const path = `${spared}/src/pictures/serve.ts`
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['data', 'dependency', 'config', 'node'], entity: name, topology, delay_s },
    places: [dataHostOf(name)],
    culprits: [tableUpkeep(name)],
    elsewhere: [
      {
        ...release(spared, 'Serve pictures from their address alone', {
          [path]: [
            ...[`--- a/${path}`, `+++ b/${path}`, '@@ -12,3 +12,3 @@'],
            '   const address = addressOf(request)',
            '-  const picture = await records.of(address)',
            '+  const picture = await files.of(address)',
            '   return stream(picture)',
          ].join('\n'),
        }),
        after_s: spared_s,
      },
    ],
    undisturbed: callers,
    lines: [
      {
        ...{ part: dataHostOf(name), per_minute: 3, after_s: 0, until_s: 40 },
        message:
          'mysqld: [ERROR] [FATAL] InnoDB: Semaphore wait has lasted > 600 seconds. mysqld got signal 6 ;',
      },
      {
        ...{ part: dataHostOf(name), per_minute: 1.5, after_s: 25, severity: 'INFO' },
        message: `mysqld: [Note] InnoDB: Doing recovery: scanned up to log sequence number, table ${table} is checked`,
      },
      ...callers.map((part) => ({
        ...{ part, per_minute: 8, after_s: 2 },
        message: `SQLSTATE[HY000] [2002] Connection refused (${name})`,
      })),
    ],
    gauges: [
      ...goneForGood(name),
      {
        ...{ entity: name, name: 'mysql_global_status_commands_total:rate1m', unit: '/s', labels: UPKEEP },
        ...{ decides: true, level: (since_s) => UPKEEP_COMMANDS + (since_s < -delay_s ? 0 : 0.6) },
      },
      {
        ...{ entity: dataHostOf(name), name: 'node_disk_read_bytes_total:rate1m', unit: 'By/s' },
        ...{ labels: READ_FROM, decides: true },
        level: (since_s) => {
          if (since_s < -delay_s) return READ_BYTES
          return since_s < 30 ? READ_BYTES * 5 : reads
        },
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < delay_s) return {}
      if (part === name) return { is_away: true }
      return part === spared && since_s >= delay_s + spared_s + 60 ? { cache_hits: 0.75 } : {}
    },
  }
}

/**
 * What is installed on the machine of a service is brought up to date, and while that goes on the machine is given another size,
 * which ends it half way. The machine is not there for a while; when it is, all that is asked of it takes long.
 */
const interruptedUpdates: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name, pods, own_ms } = chance.pick(inner(topology))
  const delay_s = chance.whole(150, 400)
  const away_s = chance.whole(240, 480)
  const slow_ms = chance.between(600, 1_300)
  const left = chance.whole(9, 24)
  const isAway = (since_s: number): boolean => since_s >= 0 && since_s < away_s
  const told = { entity: APP_HOST, decides: true } as const
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'config', 'code', 'capacity'], entity: APP_HOST, topology, delay_s },
    ...{ places: [name], tipping: 1, isHosting: true },
    hosting: hostedApart(hostingOf(topology, chance), [APP_HOST], [name]),
    culprits: [
      packagesOf(APP_HOST, UPDATES_WAITING, APP_HOST),
      resizedTo(APP_HOST, '16 GB', delay_s - 5, APP_HOST),
    ],
    undisturbed: [name],
    lines: [
      {
        ...{ part: APP_HOST, per_minute: 3, after_s: 50 },
        message:
          "E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem.",
      },
      {
        ...{ part: APP_HOST, per_minute: 2, after_s: 40, until_s: away_s },
        message: 'systemd[1]: Failed to start Docker Application Container Engine.',
      },
      ...callersOf(topology, name).flatMap((caller) => [
        {
          ...{ part: caller.name, per_minute: 8, after_s: 3, until_s: away_s },
          message: `connect EHOSTUNREACH ${name}.${APP_HOST}.internal:3000`,
        },
        {
          ...{ part: caller.name, per_minute: 5, after_s: away_s + 20, severity: 'WARN' },
          message: `${name} took ${(slow_ms * 1.6).toFixed(0)} ms for a timeline`,
        },
      ]),
    ],
    gauges: [
      ...presenceOf(name, pods, (since_s) => (isAway(since_s) ? 0 : pods)),
      {
        ...{ ...told, name: 'node_uptime_seconds', unit: 's', labels: { node: APP_HOST } },
        level: (since_s) => {
          if (since_s < 0) return RUNNING_S + since_s
          return isAway(since_s) ? Number.NaN : since_s - away_s
        },
      },
      {
        ...{ ...told, name: 'node_conntrack_used_ratio', unit: '1', labels: { node: APP_HOST } },
        level: (since_s) => (isAway(since_s) ? Number.NaN : 0.31),
      },
      {
        ...{ ...told, name: 'node_ready', unit: '1', labels: { node: APP_HOST } },
        level: (since_s) => (isAway(since_s) ? 0 : 1),
      },
      {
        ...{ ...told, name: 'apt_upgrades_pending', unit: '1', labels: UPDATES_OF },
        level: (since_s) =>
          UPDATES_WAITING - Math.floor((UPDATES_WAITING - left) * progress(since_s + delay_s, delay_s)),
      },
      {
        ...{ ...told, name: 'node_memory_MemTotal_bytes', unit: 'By' },
        level: (since_s) => (since_s < 0 ? MEMORY_BYTES : 2 * MEMORY_BYTES),
      },
      {
        ...{ ...told, name: 'node_vmstat_pgmajfault:rate1m', unit: '/s' },
        level: (since_s) => (since_s < 0 ? MAJOR_FAULTS : 320 * MAJOR_FAULTS),
      },
    ],
    k8s: [notReady(APP_HOST, 40)],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      return isAway(since_s - delay_s) ? { is_away: true } : { own_factor: slow_ms / own_ms }
    },
  }
}

/**
 * Clusters of databases are made one size. One of them is asked for more than that now and then: questions over a long span
 * are given up, and all others take longer beside them.
 */
const consolidatedClusters: ProductionFamily = (topology, chance): ProductionFault | null => {
  const candidates = storing(topology)
  if (candidates.length === 0) return null
  const { name } = chance.pick(candidates)
  const store = storeOf(topology, name)
  if (store === undefined) return null
  const callers = callersOf(topology, store).map((caller) => caller.name)
  const asked = arrivalsOf(topology).get(name) ?? 0
  const delay_s = chance.whole(90, 300)
  const filling_s = chance.whole(60, 180)
  const share = chance.between(0.4, 0.7)
  const slower = chance.between(9, 18)
  const capped = chance.pick([1, 2])
  const full = (since_s: number): number => progress(since_s, filling_s)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'config', kinds: ['capacity', 'infra', 'data'], entity: store, topology, delay_s },
    places: [name],
    culprits: [
      clusterSizes(
        [store, 'reports-db'],
        32,
        capped,
        chance.pick(['One size for all clusters', 'Clusters of one size', 'Fewer sizes of clusters']),
        chance,
      ),
    ],
    undisturbed: callers,
    lines: [
      {
        ...{ part: store, per_minute: 6, after_s: 10 },
        message: 'ERROR:  canceling statement due to statement timeout: SELECT date_trunc, count FROM visits',
      },
      {
        ...{ part: name, per_minute: 8, after_s: 12 },
        message: 'report over a year: QueryFailedError: canceling statement due to statement timeout',
      },
    ],
    gauges: [
      {
        ...{ entity: store, name: 'aws_rds_serverless_database_capacity_average', unit: '1', decides: true },
        level: (since_s) => (since_s < -delay_s ? STORE_UNITS : capped),
      },
      {
        ...{ entity: store, name: 'aws_rds_acuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => {
          if (since_s < -delay_s) return UNITS_USED
          return since_s < 0 ? 84 : 84 + 15.5 * full(since_s)
        },
      },
      {
        ...{ entity: store, name: 'aws_rds_cpuutilization_average', unit: 'percent', decides: true },
        level: (since_s) => (since_s < -delay_s ? 24 : 58 + 40 * full(since_s)),
      },
      {
        ...{ entity: store, name: 'db_longest_statement_seconds', unit: 's', decides: true },
        level: (since_s) => LONGEST_STATEMENT_S + 28 * full(since_s),
      },
      {
        ...{ entity: store, name: 'db_statement_errors_per_second', unit: '/s', decides: true },
        level: (since_s) => FAILED_STATEMENTS + asked * share * full(since_s),
      },
      {
        ...{
          entity: name,
          name: 'report_queries_timed_out_total:rate1m',
          unit: '/s',
          labels: spanOf('year'),
        },
        ...{ decides: true, level: (since_s) => GIVEN_UP + asked * share * full(since_s) },
      },
    ],
    working: (part, _pod, since_s) => {
      if (since_s < delay_s) return {}
      const now = full(since_s - delay_s)
      if (part === store) return { own_factor: 1 + slower * now }
      return part === name ? { refused: { to: store, share: share * now } } : {}
    },
  }
}

/**
 * There are more machines for mailboxes, and users are spread over them. What moves them leaves much to do for the machines
 * that it moves them to: who was moved meets errors and lists that are not whole, and mail comes late to everybody.
 */
const movedMailboxes: ProductionFamily = (topology, chance): ProductionFault | null => {
  const { name } = chance.pick(inner(topology))
  const delay_s = chance.whole(90, 300)
  const moving_s = chance.whole(400, 900)
  const most = chance.between(0.4, 0.6)
  const failing = chance.between(0.7, 0.95)
  const slower = chance.between(4, 9)
  const load = chance.between(50, 110)
  const waiting = chance.whole(4_000, 12_000)
  const user = chance.whole(1_000, 9_000)
  /** Which share of all users was moved, so long after the first of them felt it. */
  const moved = (since_s: number): number => most * progress(since_s + delay_s, moving_s + delay_s)
  const felt = (since_s: number): number => (since_s < 0 ? 0 : moved(since_s))
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['code', 'capacity', 'config', 'data'], entity: name, topology, delay_s },
    places: [...NEW_MAIL_NODES],
    culprits: [
      mailboxesMoved(
        `${name}: mailboxes of users`,
        NEW_MAIL_NODES.join(' and '),
        chance.is(0.5) ? name : NEW_MAIL_NODES[0],
      ),
    ],
    undisturbed: [name],
    lines: [
      ...NEW_MAIL_NODES.map((part) => ({
        ...{ part, per_minute: 5, after_s: 5 },
        message: `imap(u${user}): Error: Timeout (180s) while waiting for lock for transaction log file /srv/mail/u${user}/dovecot.index.log`,
      })),
      {
        ...{ part: name, per_minute: 7, after_s: 5 },
        message: `INBOX of u${user}: 214 of 1877 messages are listed, NO [SERVERBUG] Internal error occurred`,
      },
      {
        ...{ part: MAIL_RELAY, per_minute: 3, after_s: 60, severity: 'WARN' },
        message:
          'postfix/lmtp: status=deferred (host mail-node-3 said: 451 4.3.0 Temporary internal error (in reply to end of DATA command))',
      },
    ],
    gauges: [
      ...MAIL_NODES.map((entity) => ({
        ...{ entity, name: 'mailboxes_kept', unit: '1', decides: true },
        level: (since_s: number) => MAILBOXES * (1 - moved(since_s)),
      })),
      ...NEW_MAIL_NODES.flatMap((entity) => [
        {
          ...{ entity, name: 'mailboxes_kept', unit: '1', decides: true },
          level: (since_s: number) => FIRST_MAILBOXES + MAILBOXES * moved(since_s),
        },
        {
          ...{ entity, name: 'node_load5', unit: '1', decides: true },
          level: (since_s: number) => MAIL_LOAD + (load * moved(since_s)) / most,
        },
      ]),
      ...(['active', 'deferred'] as const).map((queue) => ({
        ...{ entity: MAIL_RELAY, name: 'postfix_showq_message_size_bytes_count', unit: '1' },
        ...{ labels: queueOf(queue), decides: true },
        level: (since_s: number) =>
          WAITING_MAIL + (queue === 'deferred' ? waiting : waiting / 3) * progress(since_s - 60, 1_200),
      })),
    ],
    working: (part, _pod, since_s) => {
      if (part !== name || since_s < delay_s) return {}
      const now = felt(since_s - delay_s)
      return { own_errors: failing * now, own_factor: 1 + (slower * now) / most }
    },
  }
}

/**
 * The store in which names are registered is moved to another machine, whose disk fails soon after. Those who need it are to
 * fall back to another link of theirs, which nobody takes from them.
 */
const movedRegistry: ProductionFamily = (topology, chance): ProductionFault | null => {
  const asked = askedStore(topology, chance)
  if (asked === null) return null
  const { name, callers } = asked
  const [from, to] = REGISTRY_HOSTS
  const delay_s = chance.whole(90, 300)
  const sectors = chance.whole(600, 2_400)
  const sector = chance.whole(1_000_000, 900_000_000)
  return {
    ...UNREMARKABLE,
    ...{ kind: 'infra', kinds: ['node', 'config', 'data', 'dependency'], entity: name, topology, delay_s },
    places: [to],
    culprits: [storeMoved(name, from, to)],
    undisturbed: callers,
    lines: [
      {
        ...{ part: to, per_minute: 6, after_s: -30 },
        message: `kernel: blk_update_request: I/O error, dev sdb, sector ${sector} op 0x0:(READ) flags 0x0`,
      },
      {
        ...{ part: to, per_minute: 1, after_s: 2 },
        message: 'kernel: EXT4-fs error (device sdb1): ext4_find_entry: reading directory lblock 0',
      },
      ...callers.flatMap((part) => [
        {
          ...{ part, per_minute: 5, after_s: 3 },
          message: `lost link to registry ${name}: Read error: Connection reset by peer`,
        },
        {
          ...{ part, per_minute: 6, after_s: 15 },
          message: `link to ${from} as fallback is refused: no matching link block for this address (${name})`,
        },
      ]),
    ],
    gauges: [
      ...goneForGood(name),
      {
        ...{ entity: to, name: 'smartmon_reallocated_sector_ct_raw_value', unit: '1', labels: REGISTRY_DISK },
        ...{ decides: true, level: (since_s) => SECTORS + Math.floor(sectors * progress(since_s + 60, 600)) },
      },
      {
        ...{ entity: to, name: 'node_filesystem_device_error', unit: '1', labels: REGISTRY_MOUNT },
        ...{ decides: true, level: (since_s) => (since_s < 0 ? 0 : 1) },
      },
      ...callers.flatMap((entity) => [
        {
          ...{ entity, name: 'registry_links_up', unit: '1', labels: linkOf('primary'), decides: true },
          level: (since_s: number) => (since_s < 0 ? 1 : 0),
        },
        {
          ...{ entity, name: 'registry_links_up', unit: '1', labels: linkOf('fallback'), decides: true },
          level: () => 0,
        },
        {
          ...{ entity, name: 'registry_links_refused_total:rate1m', unit: '/s', decides: true },
          level: (since_s: number) => LINKS_REFUSED + (since_s < 10 ? 0 : 1.8),
        },
      ]),
    ],
    working: (part, _pod, since_s) => (part === name && since_s >= delay_s ? { is_away: true } : {}),
  }
}

/** The families of the twenty-ninth generation whose cause is a change. */
export const TWENTY_NINTH_CHANGED: Readonly<Record<string, ProductionFamily>> = {
  'crashed-upkeep': unmeasuredWhileGone(amongTwentyNinthSurroundings(crashedUpkeep)),
  'interrupted-updates': unmeasuredWhileGone(amongTwentyNinthSurroundings(interruptedUpdates)),
  'consolidated-clusters': amongTwentyNinthSurroundings(consolidatedClusters),
  'moved-mailboxes': amongTwentyNinthSurroundings(movedMailboxes),
  'moved-registry': unmeasuredWhileGone(amongTwentyNinthSurroundings(movedRegistry)),
}
