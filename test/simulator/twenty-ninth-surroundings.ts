/**
 * What is measured, complained of and changed in every system of the twenty-ninth generation, whatever happens to it: all
 * that the twenty-eighth has, and what shows one of the twenty-ninth's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTwentyEighthSurroundings, dataHostOf } from './twenty-eighth-surroundings.ts'
import { begunAnew } from './twenty-fifth-surroundings.ts'
import { panelOf } from './twenty-sixth-surroundings.ts'

/** Commands a second by which a store puts tables in order, and bytes a second that its machine reads from its disk. */
export const UPKEEP_COMMANDS = 0.02
export const UPKEEP = { command: 'optimize' } as const
export const READ_BYTES = 6_000_000
export const READ_FROM = { device: 'nvme1n1' } as const

/** The machine that a service runs on, and one of the laboratory; what is to be updated there, its memory, and its faults. */
export const APP_HOST = 'app-vm-1'
const LAB_APP_HOST = 'app-vm-lab'
export const UPDATES_WAITING = 41
export const UPDATES_OF = { origin: 'Ubuntu:22.04/jammy-updates', arch: 'amd64' } as const
export const MEMORY_BYTES = 8_340_000_000
export const MAJOR_FAULTS = 3

/** Of how much it may grow to a store has in use, in percent; questions over a span that were given up, a second. */
export const UNITS_USED = 31
export const GIVEN_UP = 0.03
export const spanOf = (span: 'week' | 'year'): Readonly<Record<string, string>> => ({ span })

/** Machines that keep mailboxes, two that are new, and one for testers; how many each keeps, and how busy it is. */
export const MAIL_NODES = ['mail-node-1', 'mail-node-2'] as const
export const NEW_MAIL_NODES = ['mail-node-3', 'mail-node-4'] as const
const LAB_MAIL_NODE = 'mail-node-lab'
export const MAILBOXES = 61_000
export const FIRST_MAILBOXES = 300
export const MAIL_LOAD = 5
/** What takes mail and hands it to mailboxes, and that of the office; what waits there. */
export const MAIL_RELAY = 'mx-relay-1'
const OFFICE_RELAY = 'mx-relay-office'
export const WAITING_MAIL = 60
export const queueOf = (queue: 'active' | 'deferred'): Readonly<Record<string, string>> => ({ queue })

/** Machines that the store of registrations may stand on; sectors of their disks that were put elsewhere. */
export const REGISTRY_HOSTS = ['registry-host-1', 'registry-host-2'] as const
const LAB_REGISTRY_HOST = 'registry-host-lab'
export const REGISTRY_DISK = { disk: '/dev/sdb', type: 'sat' } as const
export const SECTORS = 8
export const REGISTRY_MOUNT = { device: '/dev/sdb1', mountpoint: '/srv/registry' } as const
/** Links of a service to where names are registered, and attempts a second that are refused. */
export const linkOf = (link: 'primary' | 'fallback'): Readonly<Record<string, string>> => ({ link })
export const LINKS_REFUSED = 0.02

/** Units that keep what mailboxes hold, and one of the laboratory; questions a second that one of them left unanswered. */
export const STORAGE_UNITS = ['mail-store-1', 'mail-store-2', 'mail-store-3', 'mail-store-4'] as const
const LAB_UNIT = 'mail-store-lab'
export const VOLUMES_ONLINE = 12
export const unitProbe = (unit: string): Readonly<Record<string, string>> => ({
  target: `tcp://${unit}:2049`,
})
export const exportOf = (unit: string): Readonly<Record<string, string>> => ({ export: `${unit}:/accounts` })
export const NFS_TIMEOUTS = 0.01

/** Machines that hold connections to the networks of others, one of the laboratory, and by whom they are reached. */
export const DIALERS = Array.from({ length: 8 }, (_, place) => `conn-out-${place + 1}`)
const LAB_DIALER = 'conn-out-lab'
export const ISP = 'isp-north'
const LAB_ISP = 'isp-lab'
export const HELD_EACH = 12_000
export const DROPPED = 0.6
export const dialerProbe = (machine: string): Readonly<Record<string, string>> => ({
  ...{ job: 'blackbox-icmp', target: machine },
})

/** A rented machine, who rents it out, under which account, and others of the kind. */
export const RENTED_HOST = 'rented-bot-1'
const TRIAL_HOST = 'rented-trial-1'
export const HOSTER = 'hoster-east'
const TRIAL_HOSTER = 'hoster-trial'
export const HOSTING_ACCOUNT = 'account-bots'
const TRIAL_ACCOUNT = 'account-trial'
export const SERVERS_RUNNING = 3

/** What sends mails of a forum, and what makes exports; mails, pages and bytes a second that services see of it. */
export const MAIL_WORKER = 'forum-mailer'
const EXPORT_WORKER = 'forum-exports'
export const PROCESSES_RUNNING = 2
export const FORUM_MAILS = 9
export const MAILS_BESIDE = 0.05
export const PAGES_CREATED = 1.4
export const UPLOADED = 2_100_000

/** A link, the router that it ends at, who else sends over it, and others of the kind; packets a second that come in. */
export const LINK = 'link-atl-2'
const LAB_LINK = 'link-lab'
export const LINK_ROUTER = 'atl-rt-1'
const LAB_ROUTER = 'lab-rt-1'
export const TRUNK_VENDOR = 'trunk-vendor'
export const LINK_PORT = { ifAlias: 'link-atl-2', ifDescr: 'et-0/0/3' } as const
export const PACKETS_IN = 42_000
export const DISCARDED = 0.3
export const LOST = 0.0004
export const VOICE_LOST = 0.001

/** How large clusters of databases may become, in units, in the file that each of them has. */
export function clusterSizes(
  stores: readonly string[],
  gone: number,
  come: number,
  title: string,
  chance: Chance,
): CulpritRecord {
  const pathOf = (store: string): string => `databases/${store}/cluster.tf`
  const [first] = stores
  return {
    ...{ kind: 'config', title, after_s: 0, applied_after_s: chance.whole(30, 150) },
    files: stores.map(pathOf),
    diff: stores
      .map((store) =>
        edited(pathOf(store), 14, [
          ['  serverlessv2_scaling_configuration {', '    min_capacity = 0.5'],
          [`    max_capacity = ${gone}`],
          [`    max_capacity = ${come}`],
          ['  }'],
        ]),
      )
      .join('\n'),
    ...(first === undefined ? {} : { entity: first }),
  }
}

/** Somebody puts the tables of a store in order, as is done every month. */
export const tableUpkeep = (store: string): CulpritRecord =>
  byHand(`${store}: monthly upkeep of tables`, 0, store)

/** Packages of a machine are brought up to date. */
export const packagesOf = (host: string, count: number, entity: string | undefined): CulpritRecord =>
  byHand(`${host}: ${count} packages are being updated`, 0, entity)

/** A machine gets another size. */
export const resizedTo = (host: string, size: string, after_s: number, entity: string | undefined) =>
  byHand(`${host}: resized to ${size}`, after_s, entity)

/** Users are spread over more machines. */
export const mailboxesMoved = (what: string, to: string, entity: string | undefined): CulpritRecord =>
  byHand(`${what} are being moved to ${to}`, 0, entity)

/** A store is moved to another machine. */
export const storeMoved = (store: string, from: string, to: string): CulpritRecord =>
  byHand(`${store}: moved from ${from} to ${to}`, 0, store)

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0) return tableUpkeep(chance.pick(['reports-db', 'exports-db', 'archive-db']))
  if (shape === 1) {
    const host = chance.pick([LAB_APP_HOST, 'reports-host-2', chance.pick(services)])
    const entity = chance.is(0.6) ? host : undefined
    return chance.is(0.5)
      ? packagesOf(host, chance.whole(3, 60), entity)
      : resizedTo(LAB_APP_HOST, chance.pick(['4 GB', '8 GB']), 0, entity)
  }
  if (shape === 2)
    return clusterSizes(
      chance.pick([['reports-db'], ['reports-db', 'exports-db'], ['archive-db']]),
      chance.pick([16, 32, 64]),
      chance.pick([24, 48]),
      chance.pick(['Sizes of quiet clusters', 'Clusters that are asked at night']),
      chance,
    )
  if (shape === 3)
    return mailboxesMoved(
      chance.pick(['mailboxes of testers', 'mailboxes of the office']),
      LAB_MAIL_NODE,
      chance.is(0.6) ? LAB_MAIL_NODE : undefined,
    )
  return storeMoved(
    chance.pick(['exports-db', 'archive-db']),
    'reports-host-2',
    chance.pick([LAB_REGISTRY_HOST, 'reports-host-3']),
  )
}

function twentyNinthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const restarted_s = chance.whole(-4_500, 600)
  const away_s = chance.whole(60, 240)
  const uptime = (isLab: boolean): ((since_s: number) => number) =>
    isLab ? begunAnew(restarted_s, away_s) : (since_s) => RUNNING_S + since_s
  return [
    ...services.flatMap((name) => {
      // Where the first link is away, the other one stands in for it.
      const isFirst = once(1, 0)
      return [
        ...(['week', 'year'] as const).flatMap((span) =>
          gauge(
            name,
            'report_queries_timed_out_total:rate1m',
            '/s',
            once(GIVEN_UP, chance.between(0.1, 0.8)),
            spanOf(span),
          ),
        ),
        ...gauge(name, 'registry_links_up', '1', isFirst, linkOf('primary')),
        ...gauge(name, 'registry_links_up', '1', (since_s) => 1 - isFirst(since_s), linkOf('fallback')),
        ...gauge(
          name,
          'registry_links_refused_total:rate1m',
          '/s',
          once(LINKS_REFUSED, chance.between(0.1, 0.6)),
        ),
        ...STORAGE_UNITS.flatMap((unit) =>
          gauge(
            name,
            'node_mountstats_nfs_operations_major_timeouts_total:rate1m',
            '/s',
            once(NFS_TIMEOUTS, chance.between(0.03, 0.3)),
            exportOf(unit),
          ),
        ),
        ...gauge(name, 'outbound_disconnects_total:rate1m', '/s', once(DROPPED, chance.between(1, 6))),
        ...gauge(
          name,
          'notification_mails_sent_total:rate1m',
          '/s',
          once(MAILS_BESIDE, chance.between(0.1, 0.6)),
        ),
        ...gauge(name, 'pages_created_total:rate1m', '/s', once(PAGES_CREATED, chance.between(2, 5))),
        ...gauge(
          name,
          'upload_bytes_total:rate1m',
          'By/s',
          once(UPLOADED, UPLOADED * chance.between(1.3, 5)),
        ),
        ...gauge(name, 'rtp_packets_lost_ratio', '1', once(VOICE_LOST, chance.between(0.002, 0.009))),
      ]
    }),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'mysql_global_status_commands_total:rate1m',
          '/s',
          once(UPKEEP_COMMANDS, chance.between(0.05, isReports ? 0.9 : 0.2)),
          UPKEEP,
        ),
        ...gauge(
          dataHostOf(name),
          'node_disk_read_bytes_total:rate1m',
          'By/s',
          once(READ_BYTES, READ_BYTES * chance.between(1.5, isReports ? 40 : 8)),
          READ_FROM,
        ),
        ...gauge(
          name,
          'aws_rds_acuutilization_average',
          'percent',
          once(UNITS_USED, chance.between(38, isReports ? 100 : 62)),
        ),
      ]
    }),
    ...[APP_HOST, LAB_APP_HOST].flatMap((node) => {
      const isLab = node === LAB_APP_HOST
      return [
        ...gauge(node, 'node_uptime_seconds', 's', uptime(isLab), { node }),
        ...gauge(
          node,
          'apt_upgrades_pending',
          '1',
          once(UPDATES_WAITING, isLab ? chance.whole(0, 20) : UPDATES_WAITING + 2),
          UPDATES_OF,
        ),
        ...gauge(
          node,
          'node_memory_MemTotal_bytes',
          'By',
          isLab ? once(MEMORY_BYTES, MEMORY_BYTES / 2) : () => MEMORY_BYTES,
        ),
        ...gauge(
          node,
          'node_vmstat_pgmajfault:rate1m',
          '/s',
          once(MAJOR_FAULTS, MAJOR_FAULTS * chance.between(2, isLab ? 120 : 12)),
        ),
      ]
    }),
    ...[...MAIL_NODES, ...NEW_MAIL_NODES, LAB_MAIL_NODE].flatMap((node) => {
      const isLab = node === LAB_MAIL_NODE
      const kept = MAIL_NODES.some((old) => old === node) ? MAILBOXES : FIRST_MAILBOXES
      return [
        ...gauge(
          node,
          'mailboxes_kept',
          '1',
          once(kept, kept * (isLab ? chance.between(2, 9) : chance.between(1.001, 1.01))),
        ),
        ...gauge(node, 'node_load5', '1', once(MAIL_LOAD, MAIL_LOAD * chance.between(1.3, isLab ? 11 : 2.2))),
      ]
    }),
    ...[MAIL_RELAY, OFFICE_RELAY].flatMap((name) =>
      (['active', 'deferred'] as const).flatMap((queue) =>
        gauge(
          name,
          'postfix_showq_message_size_bytes_count',
          '1',
          once(WAITING_MAIL, WAITING_MAIL * chance.between(1.5, name === OFFICE_RELAY ? 30 : 4)),
          queueOf(queue),
        ),
      ),
    ),
    ...[...REGISTRY_HOSTS, LAB_REGISTRY_HOST].flatMap((name) => {
      const isLab = name === LAB_REGISTRY_HOST
      return [
        ...gauge(
          name,
          'smartmon_reallocated_sector_ct_raw_value',
          '1',
          once(SECTORS, isLab ? chance.whole(40, 900) : SECTORS + 2),
          REGISTRY_DISK,
        ),
        ...gauge(name, 'node_filesystem_device_error', '1', isLab ? once(0, 1) : () => 0, REGISTRY_MOUNT),
      ]
    }),
    ...[...STORAGE_UNITS, LAB_UNIT].flatMap((name) => {
      const isLab = name === LAB_UNIT
      return [
        ...gauge(name, 'probe_success', '1', isLab ? once(1, 0) : () => 1, unitProbe(name)),
        ...gauge(name, 'storage_volumes_online', '1', isLab ? once(VOLUMES_ONLINE, 7) : () => VOLUMES_ONLINE),
      ]
    }),
    ...[...DIALERS, LAB_DIALER].flatMap((name) => {
      const isLab = name === LAB_DIALER
      const held = HELD_EACH * chance.between(0.9, 1.1)
      return [
        ...gauge(name, 'probe_success', '1', isLab ? once(1, 0) : () => 1, dialerProbe(name)),
        ...gauge(
          name,
          'outbound_connections_open',
          '1',
          once(held, held * chance.between(isLab ? 0.1 : 0.93, 1.05)),
        ),
        ...gauge(name, 'node_uptime_seconds', 's', uptime(isLab), { node: name }),
      ]
    }),
    ...[ISP, LAB_ISP, HOSTER, TRIAL_HOSTER].flatMap((name) =>
      gauge(
        name,
        'probe_success',
        '1',
        name === LAB_ISP || name === TRIAL_HOSTER ? once(1, 0) : () => 1,
        panelOf(name),
      ),
    ),
    ...[RENTED_HOST, TRIAL_HOST].flatMap((node) =>
      gauge(node, 'node_uptime_seconds', 's', uptime(node === TRIAL_HOST), { node }),
    ),
    ...[HOSTING_ACCOUNT, TRIAL_ACCOUNT].flatMap((name) => {
      const isTrial = name === TRIAL_ACCOUNT
      return [
        ...gauge(name, 'account_invoices_overdue', '1', isTrial ? once(1, 2) : once(0, 1)),
        ...gauge(
          name,
          'account_servers_running',
          '1',
          isTrial ? once(SERVERS_RUNNING, 1) : () => SERVERS_RUNNING,
        ),
      ]
    }),
    ...[MAIL_WORKER, EXPORT_WORKER].flatMap((name) => {
      const isExport = name === EXPORT_WORKER
      return [
        ...gauge(
          name,
          'worker_processes_running',
          '1',
          isExport ? once(PROCESSES_RUNNING, 0) : () => PROCESSES_RUNNING,
        ),
        ...gauge(
          name,
          'notification_mails_sent_total:rate1m',
          '/s',
          once(FORUM_MAILS, FORUM_MAILS * chance.between(isExport ? 0 : 0.7, 1.6)),
        ),
      ]
    }),
    ...(
      [
        [LINK, LINK_ROUTER],
        [LAB_LINK, LAB_ROUTER],
      ] as const
    ).flatMap(([link, router]) => {
      const isLab = link === LAB_LINK
      return [
        ...gauge(link, 'link_packet_loss_ratio', '1', once(LOST, chance.between(0.001, isLab ? 0.2 : 0.006))),
        ...gauge(
          router,
          'ifHCInUcastPkts:rate1m',
          '/s',
          once(PACKETS_IN, PACKETS_IN * chance.between(1.2, isLab ? 14 : 2)),
          LINK_PORT,
        ),
        ...gauge(
          router,
          'ifInDiscards:rate1m',
          '/s',
          once(DISCARDED, chance.between(1, isLab ? 4_000 : 12)),
          LINK_PORT,
        ),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-ninth generation. */
function twentyNinthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'picture 77120 has no thumbnail yet, it is made now',
    'report over a year took 9 s, it is kept for an hour',
    'imap(u9107): Warning: Maildir: Scanning INBOX took 81 seconds',
    'link to the registry was idle, it is opened again',
    'nfs: server mail-store-lab not responding, timed out',
    'connection to network 118 was closed: Ping timeout: 240 seconds',
    'POST https://api.hoster-trial.example/v1/servers answered 402 Payment Required',
    'upload 5512 of 48 MB was given up by its sender',
    'RTP: jitter of 61 ms on call 40117',
    'registration of a name has to wait for its owner',
  ]
  return [
    {
      ...{ part: MAIL_RELAY, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'postfix/qmgr: 7 messages are in the active queue',
    },
    {
      ...{ part: LAB_APP_HOST, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'apt.systemd.daily: All upgrades installed',
    },
    {
      ...{ part: LAB_ROUTER, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'fpc0: et-0/0/3: input queue was full for 2 ms',
    },
    {
      ...{ part: LAB_REGISTRY_HOST, per_minute: 0.15, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'smartd: Device: /dev/sdb [SAT], 2 Currently unreadable (pending) sectors',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What control planes write down now and then of what nobody is hurt by. */
const twentyNinthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [TRIAL_HOST, `${TRIAL_HOST}: server is suspended, invoice of the trial is open`],
    [TRIAL_HOSTER, `${TRIAL_HOSTER}: prices of servers change next month`],
    [LAB_ISP, `${LAB_ISP}: work on a line card is done`],
    [EXPORT_WORKER, `${EXPORT_WORKER}: formation is 2`],
    [LAB_UNIT, `${LAB_UNIT}: controller B has taken over from controller A`],
    [LAB_LINK, `${LAB_LINK}: light levels are within limits`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-ninth generation. */
export const amongTwentyNinthSurroundings = surroundedBy(amongTwentyEighthSurroundings, {
  gauges: twentyNinthGauges,
  lines: twentyNinthLines,
  k8s: () => [],
  events: twentyNinthEvents,
  harmless: harmlessChange,
})
