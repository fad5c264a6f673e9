/**
 * What is measured, complained of and changed in every system of the twenty-sixth generation, whatever happens to it: all
 * that the twenty-fifth has, and what shows one of the twenty-sixth's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type CulpritRecord,
  type Gauge,
  type ProductionFault,
  type ToldLine,
  type ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTwentyFifthSurroundings, begunAnew } from './twenty-fifth-surroundings.ts'

/** Launches a second that a service begins from nothing, as those who asked for them met an error. */
export const LAUNCHES_RESET = 0.05

/** Reports that anybody may see; rows a second that a store writes anew. */
export const REPORTS_SHOWN = 18_400
/** What shows reports of years that are over. */
const ARCHIVE = 'report-archive'
export const ROWS_UPDATED = 45
export const UPDATED = { operation: 'updated' } as const

/** Times a second that somebody is shown another locale than theirs, and orders a second that come to an end in one. */
export const FALLBACKS = 0.04
export const ORDERS = 5
export const BRITISH = { locale: 'en-GB' } as const

/** What keeps style sheets by their addresses, and what keeps pages of help. */
export const STYLE_EDGE = 'style-edge'
const HELP_EDGE = 'help-edge'
export const STYLES = { service_name: 'styles' } as const
/** Answers a second from what is kept, and beside it. */
export const EDGE_HITS = 240
export const EDGE_MISSES = 28
/** What spreads requests over the pods of services. */
export const STYLE_BALANCER = 'haproxy-styles-1'
export const backendOf = (service: string): Readonly<Record<string, string>> => ({ proxy: service })

/** Classifications a second that a service hands on, and rows a second that a store takes for them. */
export const POSTED = 7
export const ROWS_INSERTED = 60
export const CLASSIFICATIONS = { relname: 'classifications' } as const

/** Members of the clusters of stores. */
export const MEMBER_PLACES = [1, 2, 3] as const
export const memberOf = (store: string, place: number): string => `${store}-rs-${place}`

/** What gives jobs to workers when it is their time, what keeps them until then, and others of the kind. */
export const JOB_SCHEDULER = 'rq-scheduler'
export const QUEUE_STORE = 'redis-queue'
const EXPORT_SCHEDULER = 'export-scheduler'
const EXPORT_STORE = 'redis-exports'
export const WAITING_JOBS = 60
export const LATER = { queue: 'mails', status: 'scheduled' } as const
export const QUEUE_MEMORY = 280_000_000
export const SCHEDULER_MEMORY = 210_000_000

/** Who rents out machines, the machines rented of them, one for copies, and another provider of machines. */
export const CLOUD = 'cloud-west'
export const CLOUD_HOSTS = ['vps-west-1', 'vps-west-2', 'vps-west-3'] as const
export const COPY_HOST = 'vps-copies-1'
const LAB_CLOUD = 'cloud-lab'
const LAB_HOST = 'vps-lab-7'
export const panelOf = (provider: string): Readonly<Record<string, string>> => ({
  target: `https://panel.${provider}.example/`,
})

/** Who carries files to everybody, and who carries the files of the manual; answers a second. */
export const FILE_CDN = 'cdn-files'
const MANUAL_CDN = 'cdn-manual'
export const CARRIED = 310
export const NOT_CARRIED = 0.4
export const FINE = { status_group: '2xx' } as const
export const BROKEN = { status_group: '5xx' } as const

/** Who runs databases for others, and a database there that is asked at night. */
export const DATABASE_HOSTER = 'db-east'
export const NIGHT_DATABASE = 'night-archive-db'
const LAB_HOSTER = 'db-lab'

/** What a service does when who asked for a launch met an error. */
export function launchErrors(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/launch/on-error.ts`
  return release(service, title, {
    [path]: edited(path, 22, [['  const { phase } = error'], gone, come, ['  show(error)', '}']]),
  })
}

/** A step by which the rows of a service's store are brought to another version. */
export function upgradeStep(
  service: string,
  step: number,
  lines: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/sql/upgrade${step}-${step + 1}.sql`
  return release(service, title, {
    [path]: edited(path, 3, [[`-- ${title}`], [], lines, [`UPDATE settings SET db_version = ${step + 1};`]]),
  })
}

/** Which locale a service shows to whom. */
export function localesByRegion(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/locale/regions.ts`
  return release(service, title, {
    [path]: edited(path, 9, [["  FR: 'fr-FR',"], gone, come, ["  US: 'en-US',", '}']]),
  })
}

/** At which address a service offers a style sheet. */
export function styleAddress(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/lib/style_address.rb`
  return release(service, title, {
    [path]: edited(path, 14, [
      ['  def address(kit)'],
      gone,
      come,
      [`    "/c/#{kit.id}/#{names.join(':')}.css"`, '  end'],
    ]),
  })
}

/** What a service does with what somebody has classified. */
export function classified(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/app/classify/save.ts`
  return release(service, title, {
    [path]: edited(path, 37, [
      ['  const done = draft.freeze()'],
      gone,
      come,
      ['  return next(subject)', '}'],
    ]),
  })
}

/** Something is written down of the errors of launches. */
export const harmlessLaunches = (service: string, chance: Chance): CulpritRecord =>
  launchErrors(
    service,
    ['  log.debug("launch", error)'],
    ['  log.debug("launch", error.code, phase)'],
    chance.pick(['Say in which phase a launch failed', 'Codes of errors of launches']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  const service = chance.pick(services)
  if (shape === 0) return harmlessLaunches(service, chance)
  if (shape === 1)
    return upgradeStep(
      service,
      chance.whole(70, 89),
      ["ALTER TABLE report ADD COLUMN note VARCHAR(255) DEFAULT '';"],
      chance.pick(['Notes for reports', 'Room for a note']),
    )
  if (shape === 2)
    return localesByRegion(
      service,
      [],
      [chance.pick(["  IE: 'en-IE',", "  NL: 'nl-NL',"])],
      chance.pick(['One region more', 'Locales of the next region']),
    )
  if (shape === 3)
    return styleAddress(
      service,
      ['    names = kit.families.map { |family| family.slug }'],
      ['    names = kit.families.map(&:slug)'],
      chance.pick(['Shorter blocks', 'One way to write blocks']),
    )
  return classified(
    service,
    ['  queue.add(done.id, done.toJSON())'],
    ['  queue.add(done.id, { ...done.toJSON(), sent_at: Date.now() })'],
    chance.pick(['When a classification was sent', 'Times of classifications']),
  )
}

/** A level that is away once for a while. */
const awayOnce = (chance: Chance): ((since_s: number) => number) => risingOnce(chance, 1, 0)

function twentySixthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const renewed_s = chance.whole(-4_500, 600)
  const away_s = chance.whole(60, 240)
  const arrivals = arrivalsOf(topology)
  return [
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'launches_reset_total:rate1m', '/s', once(LAUNCHES_RESET, chance.between(0.2, 1.5))),
      ...gauge(name, 'reports_shown', '1', once(REPORTS_SHOWN, REPORTS_SHOWN * chance.between(0.9, 1.05))),
      ...gauge(name, 'locale_fallbacks_total:rate1m', '/s', once(FALLBACKS, chance.between(0.1, 0.9))),
      ...gauge(
        name,
        'orders_completed_total:rate1m',
        '/s',
        once(ORDERS, ORDERS * chance.between(0.75, 1.4)),
        BRITISH,
      ),
      ...gauge(
        name,
        'classifications_posted_total:rate1m',
        '/s',
        once(POSTED, POSTED * chance.between(0.6, 1.8)),
      ),
      ...gauge(
        STYLE_BALANCER,
        'haproxy_backend_active_servers',
        '1',
        once(pods, Math.max(1, pods - 1)),
        backendOf(name),
      ),
      ...gauge(
        STYLE_BALANCER,
        'haproxy_backend_http_requests_total:rate1m',
        '/s',
        once(arrivals.get(name) ?? 0, (arrivals.get(name) ?? 0) * chance.between(1.05, 1.3)),
        backendOf(name),
      ),
    ]),
    ...gauge(ARCHIVE, 'reports_shown', '1', once(REPORTS_SHOWN, REPORTS_SHOWN * chance.between(0.3, 0.7))),
    ...[STYLE_EDGE, HELP_EDGE].flatMap((name) => {
      const isHelp = name === HELP_EDGE
      return [
        ...gauge(
          name,
          'fastly_rt_hits_total:rate1m',
          '/s',
          once(EDGE_HITS, EDGE_HITS * chance.between(isHelp ? 0.1 : 0.85, 1.2)),
          STYLES,
        ),
        ...gauge(
          name,
          'fastly_rt_miss_total:rate1m',
          '/s',
          once(EDGE_MISSES, EDGE_MISSES * chance.between(1.2, isHelp ? 9 : 2)),
          STYLES,
        ),
      ]
    }),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'mysql_global_status_innodb_row_ops_total:rate1m',
          '/s',
          once(ROWS_UPDATED, ROWS_UPDATED * chance.between(2, isReports ? 120 : 8)),
          UPDATED,
        ),
        ...gauge(
          name,
          'pg_stat_user_tables_n_tup_ins:rate1m',
          '/s',
          once(ROWS_INSERTED, ROWS_INSERTED * chance.between(isReports ? 0.1 : 0.7, 1.6)),
          CLASSIFICATIONS,
        ),
        ...MEMBER_PLACES.flatMap((place) =>
          gauge(
            memberOf(name, place),
            'mongodb_instance_uptime_seconds',
            's',
            isReports && place === 2
              ? begunAnew(renewed_s, away_s)
              : (since_s: number) => RUNNING_S + since_s,
          ),
        ),
      ]
    }),
    ...[JOB_SCHEDULER, EXPORT_SCHEDULER].flatMap((name) => {
      const isExport = name === EXPORT_SCHEDULER
      return [
        ...gauge(
          name,
          'container_memory_working_set_bytes',
          'By',
          once(SCHEDULER_MEMORY, SCHEDULER_MEMORY * chance.between(1.2, isExport ? 4 : 1.7)),
        ),
        ...gauge(
          name,
          'kube_pod_container_status_restarts_total:increase10m',
          '1',
          isExport ? once(0, chance.whole(1, 2)) : () => 0,
        ),
      ]
    }),
    ...[QUEUE_STORE, EXPORT_STORE].flatMap((name) => {
      const isExport = name === EXPORT_STORE
      return [
        ...gauge(
          name,
          'rq_jobs',
          '1',
          once(WAITING_JOBS, WAITING_JOBS * chance.between(1.5, isExport ? 40 : 4)),
          LATER,
        ),
        ...gauge(
          name,
          'redis_memory_used_bytes',
          'By',
          once(QUEUE_MEMORY, QUEUE_MEMORY * chance.between(1.1, isExport ? 4 : 1.5)),
        ),
      ]
    }),
    ...[...CLOUD_HOSTS, COPY_HOST, LAB_HOST].flatMap((node) =>
      gauge(
        node,
        'node_uptime_seconds',
        's',
        node === LAB_HOST ? begunAnew(renewed_s, away_s) : (since_s) => RUNNING_S + since_s,
        { node },
      ),
    ),
    ...gauge(CLOUD, 'probe_success', '1', () => 1, panelOf(CLOUD)),
    ...gauge(LAB_CLOUD, 'probe_success', '1', awayOnce(chance), panelOf(LAB_CLOUD)),
    ...[FILE_CDN, MANUAL_CDN].flatMap((name) => {
      const isManual = name === MANUAL_CDN
      return [
        ...gauge(
          name,
          'fastly_rt_status_group_total:rate1m',
          '/s',
          once(CARRIED, CARRIED * chance.between(isManual ? 0.4 : 0.85, 1.3)),
          FINE,
        ),
        ...gauge(
          name,
          'fastly_rt_status_group_total:rate1m',
          '/s',
          once(NOT_CARRIED, chance.between(1, isManual ? 60 : 4)),
          BROKEN,
        ),
      ]
    }),
    ...gauge(DATABASE_HOSTER, 'probe_success', '1', () => 1, panelOf(DATABASE_HOSTER)),
    ...gauge(LAB_HOSTER, 'probe_success', '1', awayOnce(chance), panelOf(LAB_HOSTER)),
    ...gauge(NIGHT_DATABASE, 'db_up', '1', () => 1),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-sixth generation. */
function twentySixthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'session is over, launch 4417 begins from nothing',
    'report 2093 waits for approval',
    'locale pt-AO is not known, showing pt-PT',
    'style sheet of kit 7710 was not kept, made anew',
    'classification of subject 51200 was sent twice, one is kept',
    'MongoServerError: operation was interrupted because of a replica set election (reports-db)',
    'job e81f is still scheduled after 40 s (export-scheduler)',
    'connect ETIMEDOUT panel.cloud-lab.example:443',
    'GET https://manual.cdn.example/img/14.png answered 503, asking again',
    'MongoNetworkTimeoutError: connection 9 to 203.0.113.77:16610 timed out (db-lab)',
  ]
  return [
    {
      ...{ part: STYLE_BALANCER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message:
        'Server help/help-2 is DOWN, reason: Layer7 timeout, check duration: 2001ms. 1 active and 0 backup servers left.',
    },
    {
      ...{ part: JOB_SCHEDULER, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'Entering run loop, 12 jobs are due',
    },
    {
      ...{ part: COPY_HOST, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'borg: archive of night is complete',
    },
    {
      ...{ part: FILE_CDN, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'version 118 is active at 41 of 41 places',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentySixthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'export-scheduler-0', reason: 'BackOff' },
    message: 'Back-off restarting failed container scheduler in pod export-scheduler-0',
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentySixthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [LAB_HOST, `${LAB_HOST}: restarted by its host`],
    [LAB_CLOUD, `${LAB_CLOUD}: panel is in maintenance`],
    [MANUAL_CDN, `${MANUAL_CDN}: increased errors at two places, resolved`],
    [LAB_HOSTER, `${LAB_HOSTER}: clusters are being updated`],
    [HELP_EDGE, `${HELP_EDGE}: cache is emptied`],
    [EXPORT_STORE, `${EXPORT_STORE}: snapshot is taken`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-sixth generation. */
export const amongTwentySixthSurroundings = surroundedBy(amongTwentyFifthSurroundings, {
  gauges: twentySixthGauges,
  lines: twentySixthLines,
  k8s: twentySixthRecords,
  events: twentySixthEvents,
  harmless: harmlessChange,
})
