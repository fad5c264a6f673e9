/**
 * What is measured, complained of and changed in every system of the twenty-eighth generation, whatever happens to it: all
 * that the twenty-sixth has, and what shows one of the twenty-eighth's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { begunAnew } from './twenty-fifth-surroundings.ts'
import {
  amongTwentySixthSurroundings,
  MEMBER_PLACES,
  memberOf,
  panelOf,
} from './twenty-sixth-surroundings.ts'

/** Records of sites that a service has at hand, and tokens a second that it refuses as their site is over its limit. */
export const SITE_RECORDS = 18_200
export const OVER_LIMIT = 0.1
/** What brings records from the store to those who need them at hand, seconds since it last did, and another of the kind. */
export const RECORD_SYNC = 'record-sync'
const BADGE_SYNC = 'badge-sync'
export const SYNCED_S = 15

/** Passcodes a second that are not valid, of one mode of asking. */
export const INVALID_PASSCODES = 0.08
export const modeOf = (mode: 'checkbox' | 'silent'): Readonly<Record<string, string>> => ({ mode })

/** Works a second that are handed in, and entries a second that a workflow gets for them. */
export const DEPOSITED = 1.2

/** Rows of a table of a store, and statements a second that fail; nearly always no step to its next version is left to take. */
export const CONNECTION_ROWS = 412_000
export const CONNECTIONS = { relname: 'workflow_step_connection', schemaname: 'public' } as const
export const FAILED_STATEMENTS = 0.3

/** What runs in the browsers of many, another of the kind, and how many use a version of it. */
export const EXTENSION = 'deals-extension'
const NOTES_EXTENSION = 'notes-extension'
export const CLIENTS = 310_000
export const OLDER = '4.7.2'
export const NEWER = '4.7.3'
export const versionOf = (version: string): Readonly<Record<string, string>> => ({ version })
export const DEMOS_OPENED = 0.3
export const UNINSTALLS = 1.1

/** Machines that members of clusters run on, one that serves tests, and whether members are well. */
export const MEMBER_HOSTS = ['mongo-host-1', 'mongo-host-2', 'mongo-host-3'] as const
const LAB_HOST = 'mongo-host-lab'
export const healthOf = (member: string): Readonly<Record<string, string>> => ({ name: `${member}:27017` })

/** The machine that a store and jobs over its data run on, what is left of its disk, and what a job writes a second. */
export const dataHostOf = (store: string): string => `${store}-vm`
export const DATA_LEFT = 96_000_000_000
export const DATA_MOUNT = { mountpoint: '/data' } as const
export const TILES_JOB = { groupname: 'chart_tiles.py' } as const
export const TILES_WRITTEN = 900_000

/** Transactions a second that a service books. */
export const BOOKED = 330

/** Servers that are replaced by themselves where they are taken for faulty. */
export const groupOf = (service: string): string => `asg-${service}`

/** Who shows to everybody what was pushed to it, and another of the kind; builds, and pushes, within ten minutes. */
export const PAGES_HOST = 'pages-host'
const MANUAL_HOST = 'pages-manual'
export const BUILDS = 1
export const PUSHES = 1
/** What was pushed last is shown soon: how old it is goes up for ten minutes, again and again. */
export const everyTenMinutes = (since_s: number): number => 30 + (((since_s % 600) + 600) % 600)

/** What a service asks of the limits of a site. */
export function limitsOfSites(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/verify/limits.ts`
  return release(service, title, {
    [path]: edited(path, 18, [
      ['  const record = records.get(token.sitekey)'],
      gone,
      come,
      ['  return accept(token)', '}'],
    ]),
  })
}

/** What a service holds a passcode against. */
export function passcodes(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/passcode/check.ts`
  return release(service, title, {
    [path]: edited(path, 31, [
      ['  const mode = flags.modeOf(request.sitekey)'],
      gone,
      come,
      ['  return digest(given, salt) === request.passcode', '}'],
    ]),
  })
}

/** Somebody who is with us no more loses their account, at an application or at a machine. */
export const accountRemoved = (where: string, what: string, entity: string | undefined): CulpritRecord =>
  byHand(`${where}: ${what} of a former colleague removed`, 0, entity)

/** A step by which the tables of a service's store get to their next version. */
export function tableStep(
  service: string,
  step: number,
  lines: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/lib/model/migrate/versions/0${step}_${title.toLowerCase().replaceAll(' ', '_')}.py`
  return release(service, title, {
    [path]: edited(path, 27, [
      ['def upgrade(migrate_engine):', '    metadata.bind = migrate_engine'],
      [],
      lines,
      ['    metadata.reflect()'],
    ]),
  })
}

/** What an extension does as soon as its background page runs. */
export function backgroundPage(
  extension: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${extension}/src/background.js`
  return release(extension, title, {
    [path]: edited(path, 5, [
      ['const settings = await load()'],
      gone,
      come,
      ['chrome.runtime.onMessage.addListener(answer)'],
    ]),
  })
}

/** Something is written down of limits of sites. */
export const harmlessLimits = (service: string, chance: Chance): CulpritRecord =>
  limitsOfSites(
    service,
    ['  log.debug("limit", record)'],
    ['  log.debug("limit", record?.spent, record?.most)'],
    chance.pick(['Say what a site has spent', 'Limits of sites in the log']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const shape = chance.whole(0, 4)
  const service = chance.pick(services)
  if (shape === 0) return harmlessLimits(service, chance)
  if (shape === 1)
    return passcodes(
      service,
      ['  const given = request.answer ?? ""'],
      ["  const given = request.answer ?? ''"],
      chance.pick(['One kind of quotes', 'Quotes as everywhere']),
    )
  if (shape === 2)
    return accountRemoved(
      chance.pick([service, 'app-host-2', 'metal-3']),
      chance.pick(['reviewer account', 'shell account', 'guest account']),
      chance.is(0.6) ? service : undefined,
    )
  if (shape === 3)
    return tableStep(
      service,
      chance.whole(120, 138),
      ["    Column('note', TEXT).create(tables['workflow'])"],
      chance.pick(['Notes for workflows', 'Room for a note']),
    )
  return backgroundPage(
    NOTES_EXTENSION,
    ['setTimeout(refresh, 60000)'],
    ['setTimeout(refresh, 90000)'],
    chance.pick(['Ask for notes less often', 'Fewer questions from the background']),
  )
}

function twentyEighthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const restarted_s = chance.whole(-4_500, 600)
  const away_s = chance.whole(60, 240)
  return [
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'site_records_loaded', '1', once(SITE_RECORDS, SITE_RECORDS * chance.between(0.8, 1.1))),
      ...gauge(name, 'site_limit_refusals_total:rate1m', '/s', once(OVER_LIMIT, chance.between(0.2, 1.5))),
      ...(['checkbox', 'silent'] as const).flatMap((mode) =>
        gauge(
          name,
          'passcodes_invalid_total:rate1m',
          '/s',
          once(INVALID_PASSCODES, chance.between(0.2, 1.2)),
          modeOf(mode),
        ),
      ),
      ...gauge(
        name,
        'works_deposited_total:rate1m',
        '/s',
        once(DEPOSITED, DEPOSITED * chance.between(1.2, 2)),
      ),
      ...gauge(
        name,
        'workflow_entries_created_total:rate1m',
        '/s',
        once(DEPOSITED, DEPOSITED * chance.between(0.7, 2)),
      ),
      ...gauge(
        name,
        'transactions_booked_total:rate1m',
        '/s',
        once(BOOKED, BOOKED * chance.between(0.7, 1.5)),
      ),
      ...gauge(groupOf(name), 'aws_autoscaling_group_in_service_instances_average', '1', () => pods),
      ...gauge(groupOf(name), 'aws_autoscaling_group_desired_capacity_average', '1', () => pods),
    ]),
    ...['asg-wiki', 'asg-lab'].flatMap((name) => [
      ...gauge(
        name,
        'aws_autoscaling_group_in_service_instances_average',
        '1',
        once(3, chance.whole(1, name === 'asg-lab' ? 2 : 4)),
      ),
      ...gauge(
        name,
        'aws_autoscaling_group_desired_capacity_average',
        '1',
        name === 'asg-lab' ? once(3, chance.whole(5, 8)) : () => 3,
      ),
    ]),
    ...[RECORD_SYNC, BADGE_SYNC].flatMap((name) =>
      gauge(
        name,
        'sync_last_success_age_seconds',
        's',
        once(SYNCED_S, SYNCED_S * chance.between(2, name === BADGE_SYNC ? 40 : 5)),
      ),
    ),
    ...[...stores, 'reports-db'].flatMap((name) => {
      const isReports = name === 'reports-db'
      const left = DATA_LEFT * chance.between(0.7, 1.6)
      return [
        ...gauge(name, 'db_schema_steps_pending', '1', once(0, isReports ? chance.whole(2, 4) : 1)),
        ...gauge(
          name,
          'pg_stat_user_tables_n_live_tup',
          '1',
          once(CONNECTION_ROWS, CONNECTION_ROWS * (isReports ? chance.between(0.2, 0.7) : 1.02)),
          CONNECTIONS,
        ),
        ...MEMBER_PLACES.flatMap((place) => {
          const member = memberOf(name, place)
          return gauge(
            memberOf(name, 3),
            'mongodb_mongod_replset_member_health',
            '1',
            isReports && place === 2 ? once(1, 0) : () => 1,
            healthOf(member),
          )
        }),
        ...gauge(
          name,
          'mysql_global_status_uptime',
          's',
          isReports ? begunAnew(restarted_s, away_s) : (since_s) => RUNNING_S + since_s,
        ),
        ...gauge(
          dataHostOf(name),
          'node_filesystem_avail_bytes',
          'By',
          isReports ? once(left, left * chance.between(0.02, 0.4)) : (since_s) => left - since_s * 300_000,
          DATA_MOUNT,
        ),
        ...gauge(
          dataHostOf(name),
          'namedprocess_namegroup_write_bytes_total:rate1m',
          'By/s',
          once(TILES_WRITTEN, TILES_WRITTEN * chance.between(2, isReports ? 60 : 8)),
          TILES_JOB,
        ),
      ]
    }),
    ...[...MEMBER_HOSTS, LAB_HOST].flatMap((node) =>
      gauge(
        node,
        'node_uptime_seconds',
        's',
        node === LAB_HOST ? begunAnew(restarted_s, away_s) : (since_s) => RUNNING_S + since_s,
        { node },
      ),
    ),
    ...[EXTENSION, NOTES_EXTENSION].flatMap((name) => {
      const isNotes = name === NOTES_EXTENSION
      const trying = CLIENTS * 0.01
      const more = CLIENTS * chance.between(0.02, isNotes ? 0.9 : 0.1)
      const newer = once(trying, more)
      return [
        ...gauge(
          name,
          'extension_active_clients',
          '1',
          (since_s) => CLIENTS - newer(since_s),
          versionOf(OLDER),
        ),
        ...gauge(name, 'extension_active_clients', '1', newer, versionOf(NEWER)),
        ...gauge(
          name,
          'demo_pages_opened_total:rate1m',
          '/s',
          once(DEMOS_OPENED, DEMOS_OPENED * chance.between(1.5, isNotes ? 30 : 4)),
        ),
        ...gauge(
          name,
          'extension_uninstalls_total:increase10m',
          '1',
          once(UNINSTALLS, UNINSTALLS * chance.between(1.3, isNotes ? 12 : 3)),
        ),
      ]
    }),
    ...[PAGES_HOST, MANUAL_HOST].flatMap((name) => {
      const isManual = name === MANUAL_HOST
      const late = once(0, isManual ? chance.whole(900, 3_000) : 240)
      return [
        ...gauge(
          name,
          'published_copy_age_seconds',
          's',
          (since_s) => everyTenMinutes(since_s) + late(since_s),
        ),
        ...gauge(name, 'pages_builds_finished_total:increase10m', '1', once(BUILDS, isManual ? 0 : 2)),
        ...gauge(name, 'repository_pushes_total:increase10m', '1', once(PUSHES, chance.whole(2, 5))),
        ...gauge(name, 'probe_success', '1', isManual ? once(1, 0) : () => 1, panelOf(name)),
      ]
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-eighth generation. */
function twentyEighthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'token of site 40c1 is refused: over its limit',
    'passcode is not valid: mode silent',
    'work 8812 waits for a reviewer',
    'routes: 171 of 2140 have no schedule yet, to be tried tomorrow',
    'sqlalchemy.exc.OperationalError: connection was closed, once more (reports-db)',
    'demo page 3 was opened twice by one client',
    'No server is available to handle reads by secondary, asking the primary (reports-db)',
    'could not write temporary file, 2 % of the disk are left (reports-db-vm)',
    'booking 99120 was sent twice, one is kept',
    'feed 77 is of yesterday, its source has nothing newer',
  ]
  return [
    {
      ...{ part: RECORD_SYNC, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'records are brought, 18200 of 18200',
    },
    {
      ...{ part: EXTENSION, per_minute: 0.15, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'form at removal: "I do not need it any more"',
    },
    {
      ...{ part: 'mongo-host-lab', per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'systemd[1]: Started Daily apt download activities.',
    },
    {
      ...{ part: 'reports-db-vm', per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'pg_basebackup: base backup completed',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What control planes write down now and then of what nobody is hurt by. */
const twentyEighthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [LAB_HOST, `${LAB_HOST}: system-reboot is scheduled by the provider`],
    [
      'asg-wiki',
      'Terminating EC2 instance: i-04c7e: an instance was taken out of service in response to a scale-in policy.',
    ],
    ['asg-lab', 'Launching a new EC2 instance: i-0b19d. Status: Successful'],
    [MANUAL_HOST, `${MANUAL_HOST}: builds are late, resolved`],
    [NOTES_EXTENSION, `${NOTES_EXTENSION}: review of a version is complete`],
    [BADGE_SYNC, `${BADGE_SYNC}: moved to another schedule`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-eighth generation. */
export const amongTwentyEighthSurroundings = surroundedBy(amongTwentySixthSurroundings, {
  gauges: twentyEighthGauges,
  lines: twentyEighthLines,
  k8s: () => [],
  events: twentyEighthEvents,
  harmless: harmlessChange,
})
