/**
 * What is measured, complained of and changed in every system of the twenty-third generation, whatever happens to it: all
 * that the twenty-second has, and what shows one of the twenty-third's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTwentySecondSurroundings } from './twenty-second-surroundings.ts'

/** A cluster, the control plane of its mesh, and those of another for trials; proxies that listen to such a control plane. */
export const CLUSTER = 'k8s-prod'
export const MESH = 'istiod'
const LAB_CLUSTER = 'k8s-lab'
const LAB_MESH = 'istiod-lab'
export const PROXIES = 164
export const MESH_PODS = 2
export const meshOf = (mesh: string): Readonly<Record<string, string>> => ({ deployment: mesh })

/** Renditions a second that a service makes, and recordings a second that are shown without one. */
export const RENDITIONS = 26
export const UNSHOWN = 0.03
export const IN_MODERATION = { state: 'moderation' } as const

/** Seconds that a report takes until it is complete, how many transactions it has, and reports a second without any. */
export const REPORT_S = 21
export const REPORT_LENGTH = 140
export const EMPTY_REPORTS = 0.03
export const EMPTY = { content: 'empty' } as const

/** What lets calls through to services, calls a second by how it answers, and calls a second that ask for news. */
export const GATEWAY = 'kong-inner'
const OFFICE_GATEWAY = 'kong-office'
export const PASSED = 40
export const LIMITED = 0.02
export const answeredBy = (service: string, code: '200' | '429'): Readonly<Record<string, string>> => ({
  ...{ service, code },
})
export const POLLS = 6

/** Connections of a service's pool that are in use, how many it has at most, and who waits for one. */
export const POOL = 20
export const IN_USE = 3
export const WAITING = 0.1
export const USED = { pool_name: 'users', state: 'used' } as const
export const OF_POOL = { pool_name: 'users' } as const

/** Reads and writes a second of a volume of a store. */
export const READS = 310
export const WRITES = 140

/** A machine for mails with an array, and another for archives; errors that its discs have counted. */
export const MAIL_HOST = 'mail-host-1'
const ARCHIVE_HOST = 'mail-host-archive'
export const DISC_ERRORS = 4
export const CONTROLLER = { controller: '0' } as const
export const SLOTS = ['2', '5'] as const
export const discIn = (slot: string): Readonly<Record<string, string>> => ({
  ...{ controller: '0', enclosure: '32', slot },
})

/** Clocks of two sites and one for trials, satellites that such a one hears, and machines that follow the first or the second. */
export const CLOCK = 'ntp-gps-1'
export const OTHER_CLOCK = 'ntp-gps-2'
const LAB_CLOCK = 'ntp-gps-lab'
export const SATELLITES = 9
export const DRIFT_S = 0.002
export const FOLLOWERS = ['win-app-1', 'win-app-2'] as const
export const OTHER_FOLLOWERS = ['win-app-3', 'win-app-4'] as const
const LAB_FOLLOWER = 'win-lab-1'
/** 1,024 weeks, after which a receiver counts weeks from the beginning again. */
export const ROLLOVER_S = -619_315_200
export const TICKETS_REFUSED = 0.02
export const SKEWED = { error: 'KRB_AP_ERR_SKEW' } as const

/** What leads requests to instances of a platform, errors a second that it notes, and milliseconds until it is connected. */
export const ROUTER = 'router-eu'
const OTHER_ROUTER = 'router-us'
export const ROUTER_ERRORS = 0.02
export const routed = (service: string, code: 'H10' | 'H19'): Readonly<Record<string, string>> => ({
  ...{ app: service, code },
})
export const CONNECT_MS = 1.2

/** What feeds a hall when there is no power, its machines, and what feeds another hall and an office; seconds that it lasts. */
export const HALL_SUPPLY = 'ups-hall-1'
export const HALL_HOSTS = ['hall-1', 'hall-2', 'hall-3'] as const
const OTHER_HALL_SUPPLY = 'ups-hall-2'
const LOBBY_SUPPLY = 'ups-lobby'
export const RUNTIME_S = 3_600
export const INPUT_VOLTS = 230
export const ON_BATTERY = { flag: 'OB', ups: 'hall' } as const

/** Somebody brings a cluster, and what it consists of, to another version. */
export const clusterUpgrade = (
  cluster: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => ({ ...byHand(`${cluster}: platform upgrade`, 0, entity), before, after })

/** How a service makes renditions of a recording. */
export function transcoding(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/transcode/renditions.ts`
  return release(service, title, {
    [path]: edited(path, 27, [['  const probe = await ffprobe(source)'], gone, come, ['  return made']]),
  })
}

/** When a service says that a report is complete. */
export function reportCompletion(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/main/java/example/ReportCompletion.java`
  return release(service, title, {
    [path]: edited(path, 48, [['  void refreshed(Credentials credentials) {'], gone, come, ['  }']]),
  })
}

/** How a service asks for what is new in channels. */
export function channelList(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/messaging/use-channels.ts`
  return release(service, title, {
    [path]: edited(path, 9, [['export function useChannels(channels: Channel[]) {'], gone, come, ['}']]),
  })
}

/** How a service looks up who signs in. */
export function signIn(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/authentication.ts`
  return release(service, title, {
    [path]: edited(path, 33, [
      ['export async function signIn({ email, password }: Credentials) {'],
      gone,
      come,
      ['  return session(user)'],
    ]),
  })
}

/** Recordings are told of by the name of their preset. */
const harmlessTranscoding = (service: string, chance: Chance): CulpritRecord =>
  transcoding(
    service,
    ["  log.info('made', { id: source.id })"],
    ["  log.info('made', { id: source.id, preset: preset.name })"],
    chance.pick(['Presets in logs of renditions', 'Name the preset of a rendition']),
  )

/** Reports are told of without their accounts. */
export const harmlessReports = (service: string, chance: Chance): CulpritRecord =>
  reportCompletion(
    service,
    ['    log.info("refreshed {}", credentials);'],
    ['    log.info("refreshed {}", credentials.id());'],
    chance.pick(['Names of credentials in logs', 'Less of credentials in logs']),
  )

/** Who signs in is greeted by name. */
export const harmlessSignIn = (service: string, chance: Chance): CulpritRecord =>
  signIn(
    service,
    ['  log.info({ user: user.id })'],
    ['  log.info({ user: user.id, locale: user.locale })'],
    chance.pick(['Language of who signs in', 'Locale in logs of sessions']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0) {
    const cluster = chance.pick([LAB_CLUSTER, 'k8s-builds'])
    return clusterUpgrade(cluster, ['1.28', '1.29'], chance.is(0.6) ? cluster : undefined)
  }
  if (shape === 1) return harmlessTranscoding(chance.pick(services), chance)
  if (shape === 2) return harmlessReports(chance.pick(services), chance)
  if (shape === 3)
    return channelList(
      chance.pick(services),
      ['  const sorted = channels.toSorted(byName)'],
      ['  const sorted = channels.toSorted(byLastMessage)'],
      chance.pick(['Newest channels first', 'Order channels by their last message']),
    )
  return harmlessSignIn(chance.pick(services), chance)
}

function twentyThirdGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const failed_s = chance.whole(-4_500, 600)
  return [
    ...[MESH, LAB_MESH].flatMap((name) => {
      const isLab = name === LAB_MESH
      return [
        ...gauge(name, 'pilot_xds', '1', once(PROXIES, PROXIES * chance.between(isLab ? 0.1 : 0.85, 1.15))),
        ...gauge(
          name,
          'kube_deployment_status_replicas_available',
          '1',
          isLab ? once(MESH_PODS, 0) : () => MESH_PODS,
          meshOf(name),
        ),
      ]
    }),
    ...services.flatMap((name) => [
      ...gauge(
        name,
        'renditions_made_total:rate1m',
        '/s',
        once(RENDITIONS, RENDITIONS * chance.between(0.7, 1.5)),
      ),
      ...gauge(
        name,
        'recordings_shown_total:rate1m',
        '/s',
        once(UNSHOWN, chance.between(0.1, 0.9)),
        IN_MODERATION,
      ),
      ...gauge(name, 'report_completion_seconds', 's', once(REPORT_S, REPORT_S * chance.between(0.5, 1.9))),
      ...gauge(
        name,
        'report_transactions',
        '1',
        once(REPORT_LENGTH, REPORT_LENGTH * chance.between(0.6, 1.6)),
      ),
      ...gauge(
        name,
        'reports_received_total:rate1m',
        '/s',
        once(EMPTY_REPORTS, chance.between(0.1, 0.9)),
        EMPTY,
      ),
      ...gauge(
        GATEWAY,
        'kong_http_requests_total:rate1m',
        '/s',
        once(PASSED, PASSED * chance.between(0.8, 1.35)),
        answeredBy(name, '200'),
      ),
      ...gauge(
        GATEWAY,
        'kong_http_requests_total:rate1m',
        '/s',
        once(LIMITED, chance.between(0.1, 1.4)),
        answeredBy(name, '429'),
      ),
      ...gauge(name, 'channel_polls_total:rate1m', '/s', once(POLLS, POLLS * chance.between(0.6, 2.2))),
      ...gauge(name, 'db_client_connections_usage', '1', once(IN_USE, chance.whole(5, 14)), USED),
      ...gauge(
        name,
        'db_client_connections_pending_requests',
        '1',
        once(WAITING, chance.between(0.4, 3)),
        OF_POOL,
      ),
      ...gauge(
        name,
        'kerberos_tickets_refused_total:rate1m',
        '/s',
        once(TICKETS_REFUSED, chance.between(0.08, 0.6)),
        SKEWED,
      ),
      ...(['H10', 'H19'] as const).flatMap((code) =>
        gauge(
          ROUTER,
          'router_errors_total:rate1m',
          '/s',
          once(ROUTER_ERRORS, chance.between(0.08, 0.7)),
          routed(name, code),
        ),
      ),
    ]),
    ...gauge(
      OFFICE_GATEWAY,
      'kong_http_requests_total:rate1m',
      '/s',
      once(LIMITED, chance.between(4, 30)),
      answeredBy('wiki', '429'),
    ),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'aws_rds_read_iops_average',
          '/s',
          once(READS, READS * chance.between(isReports ? 0 : 0.8, isReports ? 9 : 1.6)),
        ),
        ...gauge(
          name,
          'aws_rds_write_iops_average',
          '/s',
          once(WRITES, WRITES * chance.between(isReports ? 0 : 0.8, isReports ? 6 : 1.6)),
        ),
      ]
    }),
    ...[MAIL_HOST, ARCHIVE_HOST].flatMap((name) => {
      const isArchive = name === ARCHIVE_HOST
      const isFailed = (since_s: number): boolean => isArchive && since_s >= failed_s
      return [
        ...SLOTS.flatMap((slot, index) =>
          gauge(
            name,
            'megaraid_pd_media_errors',
            '1',
            (since_s) => DISC_ERRORS + (index === 0 && isFailed(since_s) ? 60 : 0),
            discIn(slot),
          ),
        ),
        // One disc of an archive is gone: its array is as good as ever without it.
        ...gauge(
          name,
          'megaraid_degraded',
          '1',
          (since_s) => (isFailed(since_s) && since_s < failed_s + 900 ? 1 : 0),
          CONTROLLER,
        ),
        ...gauge(name, 'megaraid_failed', '1', () => 0, CONTROLLER),
      ]
    }),
    ...[CLOCK, OTHER_CLOCK, LAB_CLOCK].flatMap((name) => {
      const isLab = name === LAB_CLOCK
      return [
        ...gauge(name, 'gpsd_uSat', '1', once(SATELLITES, isLab ? 0 : SATELLITES + chance.whole(-2, 3))),
        ...gauge(
          name,
          'ntp_drift_seconds',
          's',
          // A clock for trials is put off by some seconds on purpose.
          once(DRIFT_S, isLab ? chance.between(0.5, 40) : DRIFT_S * chance.between(1.5, 6)),
        ),
      ]
    }),
    ...[...FOLLOWERS, ...OTHER_FOLLOWERS, LAB_FOLLOWER].flatMap((name) =>
      gauge(
        name,
        'windows_time_current_timestamp_seconds:offset',
        's',
        once(DRIFT_S, name === LAB_FOLLOWER ? chance.between(0.5, 40) : DRIFT_S * chance.between(1.5, 8)),
      ),
    ),
    ...[ROUTER, OTHER_ROUTER].flatMap((name) =>
      gauge(name, 'router_connect_ms', 'ms', once(CONNECT_MS, chance.between(2, name === ROUTER ? 8 : 400))),
    ),
    ...[HALL_SUPPLY, OTHER_HALL_SUPPLY, LOBBY_SUPPLY].flatMap((name) => {
      const isLobby = name === LOBBY_SUPPLY
      const tested = (usual: number, other: number): ((since_s: number) => number) =>
        isLobby ? (since_s) => (since_s >= failed_s && since_s < failed_s + 300 ? other : usual) : () => usual
      return [
        ...gauge(name, 'network_ups_tools_ups_status', '1', tested(0, 1), ON_BATTERY),
        ...gauge(name, 'network_ups_tools_input_voltage', 'V', tested(INPUT_VOLTS, 0)),
        ...gauge(
          name,
          'network_ups_tools_battery_runtime',
          's',
          isLobby ? tested(RUNTIME_S, RUNTIME_S / 6) : once(RUNTIME_S, RUNTIME_S * chance.between(0.75, 1.1)),
        ),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-third generation. */
function twentyThirdLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'Envoy proxy of job nightly-export was ready after 11 s',
    'recording 07be is under moderation by a person',
    'report of an account without transactions is empty',
    'GET /channels/archive answered 429: {"message":"API rate limit exceeded"}',
    'connection of the pool was asked for 900 ms',
    'Communications link failure, statement is sent again (reports-db)',
    'mailbox of the archive took 4 s to open',
    'ticket is not yet valid, asking for another',
    'at=warning code=H27 desc="Client Request Interrupted"',
    'host hall-lab-1 did not answer a ping',
  ]
  return [
    {
      ...{ part: MESH, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'ads\tPush debounce stable[214] 1 for config ServiceEntry: 100.3ms since last change',
    },
    {
      ...{ part: MAIL_HOST, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'MR_MONITOR[2114]: <MRMON044> Controller ID: 0 Time established since power on',
    },
    {
      ...{ part: chance.pick(OTHER_FOLLOWERS), per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: `W32Time: The time service is now synchronizing the system time with the time source ${OTHER_CLOCK} (ntp.m|0x0|0.0.0.0:123).`,
    },
    {
      ...{ part: ROUTER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'at=info method=GET path="/v1/ping" connect=1ms service=3ms status=200',
    },
    {
      ...{ part: LOBBY_SUPPLY, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'upsd[604]: Connected to UPS [lobby]: usbhid-ups-lobby',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentyThirdRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: `${LAB_MESH}-0` },
    ...{ reason: 'Unhealthy', message: 'Readiness probe failed: HTTP probe failed with statuscode: 503' },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentyThirdEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [LAB_CLUSTER, `${LAB_CLUSTER}: node is drained`],
    ['reports-db', 'reports-db: storage is being optimized'],
    [ARCHIVE_HOST, `${ARCHIVE_HOST}: disc of slot 2 is to be replaced`],
    [LAB_CLOCK, `${LAB_CLOCK}: antenna is disconnected`],
    [OTHER_ROUTER, `${OTHER_ROUTER}: traffic is led over another site for works`],
    [LOBBY_SUPPLY, `${LOBBY_SUPPLY}: input power is lost, running on battery`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-third generation. */
export const amongTwentyThirdSurroundings = surroundedBy(amongTwentySecondSurroundings, {
  gauges: twentyThirdGauges,
  lines: twentyThirdLines,
  k8s: twentyThirdRecords,
  events: twentyThirdEvents,
  harmless: harmlessChange,
})
