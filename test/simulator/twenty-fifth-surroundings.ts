/**
 * What is measured, complained of and changed in every system of the twenty-fifth generation, whatever happens to it: all
 * that the twenty-fourth has, and what shows one of the twenty-fifth's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { setting } from './tenth-surroundings.ts'
import {
  amongTwentyFourthSurroundings,
  CORE,
  PORT_DOWN,
  PORT_UP,
  portTo,
} from './twenty-fourth-surroundings.ts'

/** What sends updates to subscribers, and what sends digests of the week; mails a second, and how many are written down. */
export const UPDATE_MAILER = 'listing-updates'
const DIGEST_MAILER = 'weekly-digest'
export const UPDATES_SENT = 6
export const UPDATES = { kind: 'update' } as const
export const SENDINGS_KEPT = 6

/** What joins a site to the others, what watches over it, and another site's; what passes, and what is denied a second. */
export const SITE_ROUTER = 'rt-site-1'
const ANNEX_ROUTER = 'rt-annex-1'
export const SITE_FIREWALL = 'fw-site-1'
const ANNEX_FIREWALL = 'fw-annex-1'
export const OCTETS_IN = 9_000_000
export const DENIED = 3

/** Records that a store holds, and members of its cluster. */
export const RECORDS = 4_200_000
export const MEMBERS = 5

/** What follows links, the machine on which it and a store run, and another one; its processes, and what waits to run there. */
export const CRAWLER = 'link-crawler'
export const CRAWL_HOST = 'metal-crawl-1'
const OTHER_CRAWL_HOST = 'metal-crawl-2'
export const CRAWLERS = 8
export const CRAWLING = { groupname: 'crawler' } as const
export const LOAD = 3

/** Answers a second of web servers that send whoever asks elsewhere. */
export const SENT_ELSEWHERE = 0.3
export const MOVED = { code: '301' } as const

/** A rented machine for a site, and one of the laboratory; what runs there. */
export const SITE_HOST = 'vm-site-1'
const LAB_HOST = 'vm-lab-1'
export const APP_UNIT = { name: 'app.service', state: 'active' } as const

/** What keeps parts of pages for all, and what keeps parts of reports; what is put out of them a second. */
export const PANEL_CACHE = 'panel-cache'
const REPORT_CACHE = 'report-cache'
export const PUT_OUT = 0.5
/** Times in ten minutes that a pool of a service is begun anew. */
export const RECYCLES = 0.1

/** What keeps jobs until it is their time, and what keeps mails; jobs there, what looking through them takes, its memory. */
export const JOB_STORE = 'redis-jobs'
const MAIL_STORE = 'redis-mails'
export const SCHEDULED = 900
export const SCHEDULE = { db: 'db0', key: 'schedule' } as const
export const SCANNING = 0.004
export const SCANS = { cmd: 'zscan' } as const
const JOB_MEMORY = 310_000_000

/** What joins some machines to who knows all names, and another one. */
export const UPLINK_SWITCH = 'sw-uplink-4'
const OTHER_UPLINK = 'sw-uplink-5'
/** Lookups a second that fail, and seconds since something was last heard of a source. */
export const FAILED_LOOKUPS = 0.03
export const SILENT_S = 0.4

/** What waits for the volume of a store. */
export const DISK_QUEUE = 0.8

/** How long something has run that begins anew once, in seconds; it says nothing while it is away. */
export const begunAnew =
  (from_s: number, away_s: number): ((since_s: number) => number) =>
  (since_s) => {
    if (since_s < from_s) return RUNNING_S + since_s
    return since_s < from_s + away_s ? Number.NaN : since_s - from_s - away_s
  }

/** How a service gives others its store. */
export function storeSessions(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/main/java/example/store/Sessions.java`
  return release(service, title, {
    [path]: edited(path, 48, [
      ['  Session open() {', '    Session session = factory.openSession();'],
      gone,
      come,
      ['    return session;', '  }'],
    ]),
  })
}

/** Somebody brings a router to another version. */
export const routerFirmware = (
  router: string,
  [before, after]: readonly [before: string, after: string],
  entity: string | undefined,
): CulpritRecord => byHand(`${router}: firmware ${before} to ${after}, restarted in its window`, 0, entity)

/** What clusters consist of, in the repository of settings. */
export function clusterMembers(
  store: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `prod/${store}/cluster.yaml`
  const diff = edited(path, 6, [['cluster:', '  shards: 4'], gone, come, ['  journal: true']])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', store])
}

/** How many processes run on a machine. */
export function processesOn(
  host: string,
  group: string,
  [before, after]: readonly [before: number, after: number],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `hosts/${host}/supervisor.yaml`
  const diff = edited(path, 11, [
    [`${group}:`],
    [`  processes: ${before}`],
    [`  processes: ${after}`],
    ['  autorestart: true'],
  ])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', host])
}

/** What a web server does with addresses before it answers. */
export function addressRules(
  service: string,
  come: readonly string[],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `sites/${service}/site.conf`
  const diff = edited(path, 17, [['RewriteEngine on'], [], come, ['</VirtualHost>']])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** Sessions of a store are told of by what they are for. */
export const harmlessSessions = (service: string, chance: Chance): CulpritRecord =>
  storeSessions(
    service,
    ['    log.debug("session");'],
    ['    log.debug("session for {}", purpose);'],
    chance.pick(['Say what sessions are for', 'Purpose of sessions in logs']),
  )

/** Something of a web server is answered at another address. */
const harmlessRules = (service: string, chance: Chance): CulpritRecord =>
  addressRules(
    service,
    ['RewriteRule ^/help-old/(.*)$ /help/$1 [R=301,L]'],
    chance.pick([`${service}: old addresses of help`, `${service}: help has moved`]),
    chance,
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  if (shape === 0) return harmlessSessions(chance.pick(services), chance)
  if (shape === 1)
    return routerFirmware(ANNEX_ROUTER, ['17.3.5', '17.3.8'], chance.is(0.6) ? ANNEX_ROUTER : undefined)
  if (shape === 2)
    return clusterMembers(
      'reports-db',
      ['  backupHour: 3'],
      ['  backupHour: 4'],
      chance.pick(['Later backups of reports', 'Backups after the night jobs']),
      chance,
    )
  if (shape === 3)
    return processesOn(
      OTHER_CRAWL_HOST,
      chance.pick(['thumbnailer', 'feed-reader']),
      [2, 3],
      chance.pick(['One more process', 'Room for the evening']),
      chance,
    )
  return harmlessRules(chance.pick(services), chance)
}

function twentyFifthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const renewed_s = chance.whole(-4_500, 600)
  const away_s = chance.whole(60, 240)
  /** What is begun anew somewhere else, once, and has been there for long everywhere else. */
  const uptime = (isOther: boolean): ((since_s: number) => number) =>
    isOther ? begunAnew(renewed_s, away_s) : (since_s) => RUNNING_S + since_s
  return [
    ...[UPDATE_MAILER, DIGEST_MAILER].flatMap((name) =>
      gauge(
        name,
        'mails_sent_total:rate1m',
        '/s',
        once(UPDATES_SENT, UPDATES_SENT * chance.between(1.4, name === DIGEST_MAILER ? 25 : 3)),
        UPDATES,
      ),
    ),
    ...services.flatMap((name) => [
      ...gauge(
        name,
        'sendings_kept_total:rate1m',
        '/s',
        once(SENDINGS_KEPT, SENDINGS_KEPT * chance.between(0.6, 1.5)),
      ),
      ...gauge(
        name,
        'apache_responses_total:rate1m',
        '/s',
        once(SENT_ELSEWHERE, chance.between(0.6, 4)),
        MOVED,
      ),
      ...gauge(
        name,
        'windows_iis_application_pool_recycles_total:increase10m',
        '1',
        once(RECYCLES, chance.whole(1, 2)),
      ),
      ...gauge(name, 'name_lookups_failed_per_second', '/s', once(FAILED_LOOKUPS, chance.between(0.1, 1))),
      ...gauge(name, 'source_silence_seconds', 's', once(SILENT_S, chance.between(2, 20))),
    ]),
    ...[SITE_ROUTER, ANNEX_ROUTER].flatMap((name) => [
      ...gauge(name, 'sysUpTime', 's', uptime(name === ANNEX_ROUTER)),
      ...gauge(
        name,
        'ifHCInOctets:rate1m',
        '/s',
        once(OCTETS_IN, OCTETS_IN * chance.between(name === ANNEX_ROUTER ? 0.05 : 0.7, 1.5)),
      ),
    ]),
    ...[SITE_FIREWALL, ANNEX_FIREWALL].flatMap((name) =>
      gauge(
        name,
        'firewall_connections_denied_per_second',
        '/s',
        once(DENIED, DENIED * chance.between(1.5, name === ANNEX_FIREWALL ? 40 : 4)),
      ),
    ),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      return [
        ...gauge(
          name,
          'mongodb_dbstats_objects',
          '1',
          once(RECORDS, RECORDS * chance.between(isReports ? 0.3 : 0.92, 1.1)),
        ),
        ...gauge(
          name,
          'mongodb_mongod_replset_number_of_members',
          '1',
          isReports ? once(MEMBERS, MEMBERS - 2) : () => MEMBERS,
        ),
        ...gauge(
          name,
          'aws_rds_disk_queue_depth_average',
          '1',
          once(DISK_QUEUE, chance.between(2, isReports ? 70 : 9)),
        ),
      ]
    }),
    ...[CRAWL_HOST, OTHER_CRAWL_HOST].flatMap((name) => {
      const isOther = name === OTHER_CRAWL_HOST
      return [
        ...gauge(
          name,
          'namedprocess_namegroup_num_procs',
          '1',
          isOther ? once(CRAWLERS, 2 * CRAWLERS) : () => CRAWLERS,
          CRAWLING,
        ),
        ...gauge(name, 'node_load5', '1', once(LOAD, LOAD * chance.between(1.4, isOther ? 9 : 2))),
      ]
    }),
    ...[SITE_HOST, LAB_HOST].flatMap((name) => {
      const isLab = name === LAB_HOST
      return [
        ...gauge(name, 'node_uptime_seconds', 's', uptime(isLab), { node: name }),
        ...gauge(name, 'node_systemd_unit_state', '1', isLab ? once(1, 0) : () => 1, APP_UNIT),
      ]
    }),
    ...[PANEL_CACHE, REPORT_CACHE].flatMap((name) =>
      gauge(
        name,
        'cache_items_evicted_per_second',
        '/s',
        once(PUT_OUT, chance.between(2, name === REPORT_CACHE ? 150 : 8)),
      ),
    ),
    ...[JOB_STORE, MAIL_STORE].flatMap((name) => {
      const isMails = name === MAIL_STORE
      return [
        ...gauge(
          name,
          'redis_key_size',
          '1',
          once(SCHEDULED, SCHEDULED * chance.between(1.3, isMails ? 200 : 4)),
          SCHEDULE,
        ),
        ...gauge(
          name,
          'redis_commands_duration_seconds_total:rate1m',
          '1',
          once(SCANNING, chance.between(0.01, isMails ? 0.6 : 0.05)),
          SCANS,
        ),
        ...gauge(
          name,
          'redis_memory_used_bytes',
          'By',
          once(JOB_MEMORY, JOB_MEMORY * chance.between(1.05, 1.5)),
        ),
      ]
    }),
    ...[UPLINK_SWITCH, OTHER_UPLINK].flatMap((name) => {
      const isOther = name === OTHER_UPLINK
      return [
        ...gauge(name, 'sysUpTime', 's', uptime(isOther)),
        ...gauge(
          CORE,
          'ifOperStatus',
          '1',
          (since_s) =>
            isOther && since_s >= renewed_s && since_s < renewed_s + away_s ? PORT_DOWN : PORT_UP,
          portTo(name),
        ),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-fifth generation. */
function twentyFifthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'update for subscriber 20418 was sent a moment ago, not again',
    'connect ETIMEDOUT printer.annex.example:631',
    'MongoServerError: operation exceeded time limit (reports-db)',
    'robots.txt of example.net was not read, trying later',
    'followed 3 redirects to /help/',
    '502 from thumbnails-lab, asking another',
    'part of page 881 was not in cache, made anew',
    'Redis::TimeoutError: Connection timed out (redis-mails)',
    'nothing was heard of source studio-b for 9 s',
    'statement took 2100 ms, its plan is not cached',
  ]
  return [
    {
      ...{ part: UPDATE_MAILER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'run is over, next one in two minutes',
    },
    {
      ...{ part: SITE_FIREWALL, per_minute: 0.4, after_s: ALWAYS_S, severity: 'WARN' },
      message:
        '%ASA-4-106023: Deny tcp src outside:198.51.100.7/50114 dst inside:10.72.4.9/23 by access-group',
    },
    {
      ...{ part: CRAWL_HOST, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'supervisord: crawler-3 entered RUNNING state',
    },
    {
      ...{ part: SITE_HOST, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'systemd[1]: Finished Daily apt download activities.',
    },
    {
      ...{ part: JOB_STORE, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: '10000 changes in 60 seconds. Saving...',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const twentyFifthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'thumbnails-lab-1' },
    ...{ reason: 'Unhealthy', message: 'Readiness probe failed: HTTP probe failed with statuscode: 301' },
  },
]

/** What control planes write down now and then of what nobody is hurt by. */
const twentyFifthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [ANNEX_ROUTER, `${ANNEX_ROUTER}: warm start`],
    [LAB_HOST, `${LAB_HOST}: restarted by its host`],
    [SITE_HOST, `${SITE_HOST}: snapshot is taken`],
    [OTHER_UPLINK, `${OTHER_UPLINK}: update is over`],
    [OTHER_CRAWL_HOST, `${OTHER_CRAWL_HOST}: disk 3 is replaced`],
    [REPORT_CACHE, `${REPORT_CACHE}: maintenance is over`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-fifth generation. */
export const amongTwentyFifthSurroundings = surroundedBy(amongTwentyFourthSurroundings, {
  gauges: twentyFifthGauges,
  lines: twentyFifthLines,
  k8s: twentyFifthRecords,
  events: twentyFifthEvents,
  harmless: harmlessChange,
})
