/**
 * What is measured, complained of and changed in every system of the twelfth generation, whatever happens to it: all that
 * the eleventh has, and what shows one of the twelfth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { readEvery } from './eighth-surroundings.ts'
import { amongEleventhSurroundings } from './eleventh-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { setting } from './tenth-surroundings.ts'

/** What gives out the files that pages are made of, and another that does so for the offices. */
export const ASSETS = 'asset-cdn'
/** What makes releases, and where tags that go into pages are set. */
export const PIPELINE = 'release-pipeline'
export const TAGS = 'tag-console'
/** The provider of feature flags, outside, and seconds between two of its signs of life. */
export const FLAGS = 'flags.example'
export const FLAG_SIGN_EVERY_S = 30

/** Rows a second that a store refuses for what it demands of each. */
export const REFUSED_ROWS = 0.02
/** Files a second that are asked for and not there. */
export const ABSENT_FILES = 0.05
/** Answers a second in which a script ends. */
export const SCRIPT_ERRORS = 0.03
/** Steps of releases that may not be done, a minute. */
export const REFUSED_STEPS = 0.01
/** Mails a second that a service takes out of a mailbox. */
export const MAILS = 0.3
/** Share of its time that the machine of a store does not get from its host. */
export const STOLEN = 0.004
/** Requests that wait for a connection to a store, in one pod; statements that wait for each other in a ring, a minute. */
export const WAITING = 0.1
export const RINGS = 0.02
/** Requests a second that come with a key which was used before. */
export const KNOWN_KEYS = 0.06

/**
 * A release that gives a table another column, with a step that does so before its pods begin.
 * @param rule what the store demands of the column
 */
export function anotherColumn(
  service: string,
  table: string,
  column: string,
  rule: string,
  chance: Chance,
): CulpritRecord {
  const step = `${service}/migrations/0${chance.whole(241, 290)}_${column}.sql`
  const source = `${service}/src/${table}.ts`
  return release(service, chance.pick([`${column} of ${table}`, `${table} know their ${column}`]), {
    [step]: edited(step, 1, [[], [], [`ALTER TABLE ${table} ADD COLUMN ${column} bigint ${rule};`], []]),
    [source]: edited(source, 17, [
      ['  await db.query('],
      [`    'INSERT INTO ${table} (id, body) VALUES ($1, $2)', [id, body],`],
      [`    'INSERT INTO ${table} (id, body, ${column}) VALUES ($1, $2, $3)', [id, body, ${column}],`],
      ['  )'],
    ]),
  })
}

/** The machines of a service are replaced by others, as is done every few weeks. */
export const replacedMachines = (service: string, entity: string | undefined): CulpritRecord =>
  byHand(`${service}: machines replaced, every six weeks`, 0, entity)

/** For whom a tag goes into what services hand out, as the console has it where tags are set. */
export const tagScope = (
  tag: number,
  seat: string,
  [before, after]: readonly [before: string, after: string],
): CulpritRecord => ({
  ...{ kind: 'config', after_s: 0, entity: TAGS, title: `Tag ${tag} of seat ${seat}`, before, after },
})

/** A release in whose file it also stands by whom it is made. */
export function madeBy(
  service: string,
  [before, after]: readonly [before: string, after: string],
  chance: Chance,
): CulpritRecord {
  const [file, source] = [`${service}/deploy/release.yaml`, `${service}/src/version.ts`]
  const number = chance.whole(38, 61)
  return release(service, chance.pick([`${service}: sprint ${number}`, `Sprint ${number} of ${service}`]), {
    [file]: edited(file, 3, [
      ['release:', '  stopBefore: true'],
      [`  identity: ${before}`],
      [`  identity: ${after}`],
      ['  startAfter: true'],
    ]),
    [source]: edited(source, 1, [
      [],
      [`export const sprint = ${number - 1}`],
      [`export const sprint = ${number}`],
      [],
    ]),
  })
}

/** Where a service finds mails, and what it does with them. */
export function mailSetting(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  chance: Chance,
): CulpritRecord {
  const path = `prod/${service}/mail.yaml`
  const diff = edited(path, 6, [['mail:', '  account: service'], gone, come, ['  tls: required']])
  const title = chance.pick([`Mail of ${service}, connected again`, 'Another host for mails', 'mail.yaml'])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** A release that tells otherwise whether a request was answered before. */
export function knownKeys(service: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/once.go`
  return release(service, chance.pick(['Once: one read less', 'Keys are kept before the answer']), {
    [path]: edited(path, 33, [
      ['func (o *Once) Do(key string, ask func() Answer) Answer {'],
      ['\tif known, ok := o.answers[key]; ok {', '\t\treturn known'],
      ['\tif o.keys.Add(key) == false {', '\t\treturn Conflict(key)'],
      ['\t}', '\treturn o.keep(key, ask())', '}'],
    ]),
  })
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 5)
  const named = (entity: string): string | undefined => (chance.is(0.6) ? entity : undefined)
  if (shape === 0) return anotherColumn(service, 'hints', 'seen_at', 'DEFAULT 0', chance)
  if (shape === 1) return replacedMachines(service, named(service))
  if (shape === 2) return tagScope(chance.whole(4_000, 4_400), 'harbour-shoes', ['preview', 'seat'])
  if (shape === 3) return madeBy(service, ['release-all', 'release-2'], chance)
  if (shape === 4)
    return mailSetting(service, ['  host: relay-1.internal'], ['  host: relay-2.internal'], chance)
  return knownKeys(service, chance)
}

function twelfthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  /** Numbers for rows are given out over years. */
  const left = (most: number): ((since_s: number) => number) => {
    const a_second = chance.between(0.2, 4)
    return (since_s) => most - a_second * since_s
  }
  const cut_s = chance.whole(-4_500, 600)
  const read_s = chance.whole(-4_500, 600)
  const sign = readEvery(FLAG_SIGN_EVERY_S, chance.whole(0, FLAG_SIGN_EVERY_S))
  return [
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'db_constraint_errors_per_second', '/s', once(REFUSED_ROWS, chance.between(0.1, 0.8))),
      ...gauge(ASSETS, 'cdn_not_found_per_second', '/s', once(ABSENT_FILES, chance.between(0.2, 1.5)), {
        site: name,
      }),
      ...gauge(name, 'script_errors_per_second', '/s', once(SCRIPT_ERRORS, chance.between(0.1, 0.9))),
      ...gauge(PIPELINE, 'release_steps_refused_per_minute', '1', once(REFUSED_STEPS, 1), { service: name }),
      ...gauge(name, 'mailbox_messages_fetched_per_second', '/s', once(MAILS, chance.between(0.6, 5))),
      ...gauge(name, 'dataset_loaded_ratio', '1', () => 1),
      ...Array.from({ length: pods }, (_, pod) =>
        gauge(name, 'db_pool_requests_waiting', '1', once(WAITING, chance.between(0.5, 4)), {
          pod: String(pod),
        }),
      ).flat(),
      ...gauge(name, 'feature_flag_sign_age_seconds', 's', sign),
      ...gauge(name, 'idempotency_conflicts_per_second', '/s', once(KNOWN_KEYS, chance.between(0.2, 1))),
    ]),
    ...stores.flatMap(({ name }) => [
      ...gauge(name, 'host_cpu_steal_ratio', '1', once(STOLEN, chance.between(0.01, 0.06))),
      ...gauge(name, 'db_deadlocks_per_minute', '1', once(RINGS, chance.between(0.2, 1))),
      ...['events', 'accounts'].flatMap((table) =>
        gauge(name, 'db_ids_left', '1', left(chance.whole(900_000_000, 2_100_000_000)), { table }),
      ),
    ]),
    ...gauge('reports-db', 'db_ids_left', '1', once(8_000, chance.whole(12_000, 60_000)), {
      table: 'imports',
    }),
    ...gauge('reports-db', 'host_cpu_steal_ratio', '1', once(0.02, chance.between(0.15, 0.5))),
    ...gauge('badge-printer', 'feature_flag_sign_age_seconds', 's', (since_s) =>
      since_s >= cut_s && since_s < cut_s + 400 ? since_s - cut_s + 30 : sign(since_s),
    ),
    ...gauge('reports-search', 'dataset_loaded_ratio', '1', (since_s) =>
      since_s < read_s ? 1 : Math.min(1, (since_s - read_s) / 500),
    ),
    ...gauge('office-assets', 'cdn_not_found_per_second', '/s', once(0.4, chance.between(2, 9)), {
      site: 'intranet',
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twelfth generation. */
function twelfthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = fault.topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'error: null value in column "nickname" of relation "drafts" violates not-null constraint (23502)',
    '404 /assets/old-logo.svg',
    'SyntaxError: Unexpected end of JSON input (tag 3990)',
    'mail import: 2 messages, 0 tickets closed',
    'statement took 1240 ms, asked for by a report',
    'id 100000000 of table imports was given out',
    'dataset hints: 40 records read again',
    'waited 310 ms for a connection',
    'flag "wide-cards" is not known, using its default',
    '409: key 17 was used before',
  ]
  return [
    {
      ...{ part: PIPELINE, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `${services.length} services may be released, 0 wait`,
    },
    {
      ...{ part: ASSETS, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: '404 /assets/favicon-2019.ico',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
function twelfthRecords(chance: Chance): readonly ToldRecord[] {
  const at = (): number => chance.whole(-4_500, 600)
  return [
    {
      ...{ after_s: at(), kind: 'Pod', name: `reports-search-${chance.whole(0, 2)}`, reason: 'Error' },
      message: 'Container reports-search ended with exit code 139',
    },
    {
      ...{ after_s: at(), kind: 'ReplicaSet', name: 'badge-printer', reason: 'FailedCreate' },
      message: 'pods is forbidden: User "release-office" cannot create resource "pods"',
    },
  ]
}

/** What control planes write down now and then: hosts are shared, and machines of others are moved to another. */
const twelfthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['reports-db', 'reports-db: its host is shared by more machines than yesterday'],
    ['badge-printer', `badge-printer: connection to ${FLAGS} closed`],
  ])

/** A family in a system that is measured, and changed, like every other of the twelfth generation. */
export const amongTwelfthSurroundings = surroundedBy(amongEleventhSurroundings, {
  gauges: twelfthGauges,
  lines: twelfthLines,
  k8s: twelfthRecords,
  events: twelfthEvents,
  harmless: harmlessChange,
})
