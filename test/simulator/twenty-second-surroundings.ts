/**
 * What is measured, complained of and changed in every system of the twenty-second generation, whatever happens to it: all
 * that the twenty-first has, and what shows one of the twenty-second's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { BROKER, MAIL_BROKER } from './eleventh-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { setting } from './tenth-surroundings.ts'
import { amongTwentyFirstSurroundings } from './twenty-first-surroundings.ts'

/** Changes a second that the system of an outside party refuses, and what it tells by itself a second. */
export const REFUSED_CHANGES = 0.04
export const REFUSED = { result: 'refused' } as const
const TOLD_BY_ITSELF = 5

/** Mails a second that an exchange gets, that it has no queue for, that are sent on, and that somebody waits for in vain. */
export const MAILS = 14
export const MAIL_EXCHANGE = { exchange: 'mails' } as const
const OTHER_EXCHANGE = { exchange: 'reports' } as const
export const UNROUTABLE = 0.01
export const MAIL_SENDER = 'mail-sender'
export const TRIGGERED = { kind: 'triggered' } as const
const NEWSLETTERS = { kind: 'newsletter' } as const
export const MISSING_MAILS = 0.02
export const MISSING = { result: 'missing' } as const

/** Containers of a service that began anew within ten minutes, and what it is to send and is stuck. */
export const RESTARTS = 0.02
export const STALLED = 3

/** Machines that are nobody's cloud, and one for trials; connections that such a one may follow, and follows. */
export const METAL_HOSTS = ['metal-1', 'metal-2', 'metal-3', 'metal-4'] as const
const LAB_HOST = 'metal-lab-1'
export const HOST_CONFIG = 'host-config'
export const FOLLOWED_LIMIT = 262_144
export const FOLLOWED = 61_000

/** What parts find each other by, its members, and a member of another for trials. */
export const ENSEMBLE = 'zk-coordination'
export const ENSEMBLE_MEMBERS = ['zk-1', 'zk-2', 'zk-3'] as const
const LAB_MEMBER = 'zk-lab-1'
export const QUORUM = 3
export const SESSIONS = 120
export const OUTSTANDING = 2

/** Seconds that a certificate lasts: two months and a half. */
export const CERTIFIED_S = 6_480_000
const STATUS_SITE = 'status-site'

/** What says who a machine is, where it runs, and another for trials; how often it began anew, and receipts that wait. */
export const AUTH_AGENT = 'auth-agent'
export const AUTH_HOST = 'auth-host-1'
const LAB_AUTH_HOST = 'auth-lab-1'
export const AUTH_UNIT = { name: 'auth-agent.service', state: 'failed' } as const
export const AUTH_SERVICE = { name: 'auth-agent.service' } as const
export const AGENT_RESTARTS = 2
export const RECEIPTS_WAITING = 5

/** Balancers of a site, of the other site and of trials; free blocks of a volume, and connections a second to a service. */
export const BALANCER = 'ltm-1'
const OTHER_BALANCERS = ['ltm-2', 'ltm-lab-1'] as const
export const SHARED_VOLUME = { sysHostDiskPartition: '/shared' } as const
export const FREE_BLOCKS = 7_800_000
export const CONNECTIONS = 45
export const virtualOf = (service: string): Readonly<Record<string, string>> => ({
  ltmVirtualServStatName: `/Common/${service}`,
})

/** People that sign up a second, and threads of a store that work, with what it is asked a second. */
export const SIGN_UPS = 0.11
export const RUNNING_THREADS = 6
export const QUESTIONS = 900

/** Objects a second that an outside host of data does not give: for want of a right, and by an error of its own. */
export const UNAUTHORIZED = { status: '401', uri: '/v1/objects' } as const
export const SERVER_FAULT = { status: '500', uri: '/v1/objects' } as const
export const NOT_GIVEN = 0.02

/** How a service speaks with the system of an outside party, in the repository of settings. */
export function interfaceOf(
  service: string,
  [gone, come]: readonly [gone: readonly string[], come: readonly string[]],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `prod/${service}/pms-interface.yaml`
  const diff = edited(path, 4, [['interface:', '  name: KIOSK2'], gone, come, ['  keepAliveSeconds: 30']])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** How a service hands on mails, and which frameworks it is built with. */
export function mailQueue(
  service: string,
  [from, to]: readonly [from: string, to: string],
  [gone, come]: readonly [gone: readonly string[], come: readonly string[]],
  title: string,
): CulpritRecord {
  const build = `${service}/build.gradle.kts`
  const path = `${service}/src/main/java/example/MailQueue.java`
  const plugin = (version: string): string => `  id("org.springframework.boot") version "${version}"`
  return release(service, title, {
    [build]: edited(build, 2, [['plugins {'], [plugin(from)], [plugin(to)], ['}']]),
    [path]: edited(path, 31, [['  void hand(Mail mail) {'], gone, come, ['  }']]),
  })
}

/** How a service counts who follows a link of a mail. */
export function linkTracking(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/Sending/LinkTracking.cs`
  return release(service, title, {
    [path]: edited(path, 44, [['    foreach (var link in message.Links)', '    {'], gone, come, ['    }']]),
  })
}

/** What a tool writes on machines, by the role that they have. */
export function hostSettings(
  role: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `roles/${role}/templates/90-network.conf.j2`
  const diff = edited(path, 6, [
    ['net.core.somaxconn = 4096'],
    gone,
    come,
    ['net.ipv4.tcp_keepalive_time = 600'],
  ])
  return setting({ title, files: [path], diff }, chance, [HOST_CONFIG])
}

/** Somebody brings what parts find each other by to another version, member by member. */
export const ensembleUpgrade = (
  ensemble: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => ({ ...byHand(`${ensemble}: planned upgrade of its members`, 0, entity), before, after })

/** How a service reads objects from an outside host. */
export function objectReader(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/object-reader.ts`
  return release(service, title, {
    [path]: edited(path, 12, [
      ['export async function readObject(key: string) {'],
      gone,
      come,
      ['  return parse(found)'],
    ]),
  })
}

/** Names of objects are logged shorter. */
export const harmlessObjects = (service: string, chance: Chance): CulpritRecord =>
  objectReader(
    service,
    ["  log.debug('read', { key })"],
    ["  log.debug('read', { key: key.slice(0, 12) })"],
    chance.pick(['Shorter names of objects in logs', 'Less to log of objects']),
  )

/** A link's own text is kept beside its address. */
export const harmlessLinks = (service: string, chance: Chance): CulpritRecord =>
  linkTracking(
    service,
    ['        counted.Add(link.Href);'],
    ['        counted.Add(link.Href, link.Text);'],
    chance.pick(['Texts of links beside their addresses', 'Count links by text as well']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 5)
  if (shape === 0)
    return interfaceOf(
      chance.pick(services),
      [['  logMessages: true'], ['  logMessages: false']],
      chance.pick(['Less to read of the interface', 'Messages of the interface are not logged']),
      chance,
    )
  if (shape === 1)
    return mailQueue(
      chance.pick(services),
      ['3.4.4', '3.4.5'],
      [['    log.info("handed on {}", mail);'], ['    log.info("handed on {}", mail.id());']],
      chance.pick(['Spring Boot 3.4.5', 'Names of mails in logs']),
    )
  if (shape === 2) return harmlessLinks(chance.pick(services), chance)
  if (shape === 3)
    return hostSettings(
      chance.pick(['lab', 'backup']),
      ['net.ipv4.tcp_fin_timeout = 60'],
      ['net.ipv4.tcp_fin_timeout = 30'],
      chance.pick(['Closed connections are gone sooner', 'Half a minute for closed connections']),
      chance,
    )
  if (shape === 4) {
    const ensemble = chance.pick(['zk-lab', 'zk-analytics'])
    return ensembleUpgrade(ensemble, ['3.6.3', '3.9.2'], chance.is(0.6) ? ensemble : undefined)
  }
  return harmlessObjects(chance.pick(services), chance)
}

function twentySecondGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const renewed_s = chance.whole(-4_500, 600)
  const failed_s = chance.whole(-4_500, 600)
  return [
    ...services.flatMap((name) => [
      ...gauge(
        name,
        'pms_changes_total:rate1m',
        '/s',
        once(REFUSED_CHANGES, chance.between(0.1, 0.9)),
        REFUSED,
      ),
      ...gauge(
        name,
        'pms_events_received_total:rate1m',
        '/s',
        once(TOLD_BY_ITSELF, TOLD_BY_ITSELF * chance.between(0.7, 1.6)),
      ),
      ...gauge(
        name,
        'mails_awaited_total:rate1m',
        '/s',
        once(MISSING_MAILS, chance.between(0.08, 0.6)),
        MISSING,
      ),
      ...gauge(
        name,
        'kube_pod_container_status_restarts_total:increase10m',
        '1',
        once(RESTARTS, chance.whole(1, 2)),
      ),
      ...gauge(name, 'sends_stalled', '1', once(STALLED, chance.whole(8, 60))),
      ...gauge(name, 'probe_ssl_earliest_cert_expiry:remaining', 's', (since_s) => CERTIFIED_S - since_s),
      ...gauge(name, 'receipts_waiting', '1', once(RECEIPTS_WAITING, chance.whole(10, 70))),
      ...gauge(
        BALANCER,
        'ltmVirtualServStatClientTotConns:rate1m',
        '/s',
        once(CONNECTIONS, CONNECTIONS * chance.between(0.85, 1.3)),
        virtualOf(name),
      ),
      ...gauge(
        name,
        'users_signed_up_total:rate1m',
        '/s',
        once(SIGN_UPS, SIGN_UPS * chance.between(0.6, 1.8)),
      ),
      ...[UNAUTHORIZED, SERVER_FAULT].flatMap((labels) =>
        gauge(
          name,
          'http_client_requests_seconds_count:rate1m',
          '/s',
          once(NOT_GIVEN, chance.between(0.08, 0.6)),
          labels,
        ),
      ),
    ]),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'mysql_global_status_threads_running',
          '1',
          once(RUNNING_THREADS, chance.whole(9, isReports ? 140 : 16)),
        ),
        ...gauge(
          name,
          'mysql_global_status_questions:rate1m',
          '/s',
          once(QUESTIONS, QUESTIONS * chance.between(1.1, isReports ? 4 : 1.4)),
        ),
      ]
    }),
    ...(
      [
        [MAIL_BROKER, MAIL_EXCHANGE],
        [BROKER, OTHER_EXCHANGE],
      ] as const
    ).flatMap(([name, exchange]) => {
      const isOther = name === BROKER
      return [
        ...gauge(
          name,
          'rabbitmq_channel_messages_published_total:rate1m',
          '/s',
          once(MAILS, MAILS * chance.between(0.8, isOther ? 3 : 1.4)),
          exchange,
        ),
        ...gauge(
          name,
          'rabbitmq_channel_messages_unroutable_dropped_total:rate1m',
          '/s',
          once(UNROUTABLE, chance.between(0.05, isOther ? 9 : 0.6)),
          exchange,
        ),
      ]
    }),
    ...[TRIGGERED, NEWSLETTERS].flatMap((kind) => {
      const isNewsletter = kind === NEWSLETTERS
      return gauge(
        MAIL_SENDER,
        'mails_sent_total:rate1m',
        '/s',
        once(MAILS, MAILS * chance.between(isNewsletter ? 0 : 0.8, isNewsletter ? 12 : 1.3)),
        kind,
      )
    }),
    ...[...METAL_HOSTS, LAB_HOST].flatMap((name) => {
      const isLab = name === LAB_HOST
      return [
        ...gauge(
          name,
          'node_nf_conntrack_entries_limit',
          '1',
          isLab ? once(FOLLOWED_LIMIT, FOLLOWED_LIMIT / 4) : () => FOLLOWED_LIMIT,
        ),
        ...gauge(
          name,
          'node_nf_conntrack_entries',
          '1',
          once(FOLLOWED, FOLLOWED * chance.between(isLab ? 0.02 : 0.85, 1.4)),
        ),
      ]
    }),
    ...[...ENSEMBLE_MEMBERS, LAB_MEMBER].flatMap((name) => {
      const isLab = name === LAB_MEMBER
      return [
        ...gauge(name, 'quorum_size', '1', isLab ? once(QUORUM, QUORUM - 1) : () => QUORUM),
        ...gauge(
          name,
          'num_alive_connections',
          '1',
          once(SESSIONS, SESSIONS * chance.between(isLab ? 0.05 : 0.85, 1.3)),
        ),
        ...gauge(name, 'outstanding_requests', '1', once(OUTSTANDING, chance.whole(4, isLab ? 700 : 20))),
      ]
    }),
    ...gauge(
      STATUS_SITE,
      'probe_ssl_earliest_cert_expiry:remaining',
      's',
      // Renewed by itself a month before it ends, as all of them are.
      (since_s) => (since_s < renewed_s ? CERTIFIED_S / 3 - since_s : CERTIFIED_S - since_s),
    ),
    ...gauge(AUTH_AGENT, 'up', '1', () => 1),
    ...[AUTH_HOST, LAB_AUTH_HOST].flatMap((name) => {
      const isLab = name === LAB_AUTH_HOST
      const isFailed = (since_s: number): boolean => isLab && since_s >= failed_s && since_s < failed_s + 400
      return [
        ...gauge(name, 'node_systemd_unit_state', '1', (since_s) => (isFailed(since_s) ? 1 : 0), AUTH_UNIT),
        ...gauge(
          name,
          'node_systemd_service_restart_total',
          '1',
          (since_s) => AGENT_RESTARTS + (isLab && since_s >= failed_s ? 5 : 0),
          AUTH_SERVICE,
        ),
      ]
    }),
    ...[BALANCER, ...OTHER_BALANCERS].flatMap((name) => {
      const isLab = name === 'ltm-lab-1'
      return gauge(
        name,
        'sysHostDiskFreeBlocks',
        '1',
        once(FREE_BLOCKS, FREE_BLOCKS * chance.between(isLab ? 0.01 : 0.75, isLab ? 0.3 : 0.95)),
        SHARED_VOLUME,
      )
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-second generation. */
function twentySecondLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'PUT /rsv/v1/profiles/31 answered 403: interface BACKUP1 is not active for updates',
    'mail a01c was confirmed after 38 s',
    'SendWorker stopped, 1 send is taken over',
    'dropped connection of a client that followed too many',
    'KeeperErrorCode = SessionExpired for /locks/nightly-export',
    'certificate of reports.example ends in 29 days',
    'connect ECONNREFUSED 10.40.3.11:8443 (auth-lab)',
    'read ECONNRESET (virtual exports of ltm-lab-1)',
    'sign-up by a list took 4.1 s',
    'GET https://objects-sandbox.example/v1/list answered 401 Unauthorized',
  ]
  return [
    {
      ...{ part: MAIL_SENDER, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'handed 64 mails to the next place',
    },
    {
      ...{ part: chance.pick(ENSEMBLE_MEMBERS), per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'Processed session termination for sessionid: 0x10004b7f2a10017',
    },
    {
      ...{ part: BALANCER, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message:
        'notice mcpd[6980]: 01070638:5: Pool /Common/exports member /Common/10.40.2.9:8080 monitor status up.',
    },
    {
      ...{ part: AUTH_HOST, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'systemd[1]: logrotate.service: Deactivated successfully.',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentySecondRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: `${STATUS_SITE}-0` },
    ...{ reason: 'BackOff', message: `Back-off restarting failed container ${STATUS_SITE}` },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentySecondEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [LAB_HOST, `${LAB_HOST}: tool has written its settings`],
    [LAB_MEMBER, `${LAB_MEMBER}: member has joined again`],
    ['ltm-lab-1', 'ltm-lab-1: backup is kept elsewhere'],
    [LAB_AUTH_HOST, `${LAB_AUTH_HOST}: core dump is kept`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-second generation. */
export const amongTwentySecondSurroundings = surroundedBy(amongTwentyFirstSurroundings, {
  gauges: twentySecondGauges,
  lines: twentySecondLines,
  k8s: twentySecondRecords,
  events: twentySecondEvents,
  harmless: harmlessChange,
})
