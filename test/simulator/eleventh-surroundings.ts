/**
 * What is measured, complained of and changed in every system of the eleventh generation, whatever happens to it: all that
 * the tenth has, and what shows one of the eleventh's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { INNER_BALANCERS } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { STORE_FIREWALL } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTenthSurroundings, setting } from './tenth-surroundings.ts'

/** What takes messages and says when it has them, and another that takes mails. */
export const BROKER = 'message-broker'
export const MAIL_BROKER = 'mail-broker'
/** Seconds until a message is confirmed, and messages that are not yet. */
export const CONFIRMED_S = 0.02
export const UNCONFIRMED = 3

/** Cores of the firewall before the stores, how busy each is, and packets a second that are for many at once. */
export const CORES = ['0', '1', '2', '3'] as const
export const CORE_USED = 0.23
export const MULTICAST = 12
/** A machine that sends pictures to many at once. */
const LOBBY = 'lobby-screen-1'

/** Connections to a service's stores that it keeps. */
export const POOLED = 12

/** Statements a second that name what a store does not have; settings a minute that nobody can read. */
export const UNKNOWN_NAMES = 0.02
export const UNREAD_SETTINGS = 0.01

/** Answers a second that are of another session; guests a second who are not let into an event. */
export const MISMATCHES = 0.01
export const NOT_LET_IN = 0.03

/** Tokens that a service issues, and that it does not accept, a second. */
export const ISSUED = 4
export const NOT_ACCEPTED = 0.05

/** Exports that a service works at, share of its heap that is in use, and requests a second that a limiter sends back. */
export const EXPORTS = 0.4
export const SENT_BACK = 0.04

/** Connections that one client has to a balancer. */
export const CONNECTIONS = 36

/** A variable of the environment that a service reads. */
export function environmentSetting(
  service: string,
  name: string,
  [before, after]: readonly [before: string, after: string],
  chance: Chance,
): CulpritRecord {
  const path = `prod/${service}/env.yaml`
  const diff = edited(path, 9, [
    ['env:', '  REGION: eu-1'],
    [`  ${name}: '${before}'`],
    [`  ${name}: '${after}'`],
    ['  WORKERS: auto'],
  ])
  const title = chance.pick([`${name} of ${service}`, `Another ${name}`, `${name}: one more entry`])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/**
 * A release that puts a table into another schema, with a step that does so before its pods begin.
 * @param reads whether the service asks for the table
 */
export function movedTable(
  service: string,
  table: string,
  schema: string,
  reads: boolean,
  chance: Chance,
): CulpritRecord {
  const step = `${service}/migrations/0${chance.whole(190, 240)}_${schema}.sql`
  const source = `${service}/src/${table}.ts`
  return release(service, chance.pick([`${table} into ${schema}`, `A schema for ${table}`]), {
    [step]: edited(step, 1, [
      [],
      [],
      [`CREATE SCHEMA IF NOT EXISTS ${schema};`, `ALTER TABLE public.${table} SET SCHEMA ${schema};`],
      [],
    ]),
    ...(reads
      ? {
          [source]: edited(source, 11, [
            ['const found = await db.query('],
            [`  'SELECT id, body FROM ${table} WHERE owner = $1', [owner],`],
            [`  'SELECT id, body FROM ${schema}.${table} WHERE owner = $1', [owner],`],
            [')'],
          ]),
        }
      : {}),
  })
}

/** A release with another version of a library. */
export function anotherLibrary(
  service: string,
  library: string,
  [before, after]: readonly [before: string, after: string],
  chance: Chance,
): CulpritRecord {
  const path = `${service}/package.json`
  const line = (version: string): string => `    "${library}": "${version}",`
  return release(service, chance.pick([`${library} ${after}`, `Bump ${library} to ${after}`]), {
    [path]: edited(path, 14, [
      ['  "dependencies": {'],
      [line(before)],
      [line(after)],
      ['    "zod": "3.24.1"', '  }'],
    ]),
  })
}

/** A release that asks another question before somebody is let in. */
export function askedAtTheDoor(service: string, file: string, asked: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/${file}.ts`
  return release(service, chance.pick(['Moderators see who waits', 'Show who waits at the door']), {
    [path]: edited(path, 46, [
      ['export async function letIn(guest: Guest, event: Event) {', '  const chat = await chatOf(event)'],
      [],
      [`  const waiting = ${asked}`, '  await tell(event, { waiting })'],
      ['  return open(event, guest)', '}'],
    ]),
  })
}

/** A release that issues something in another form. */
export function issuedForm(service: string, what: string, from: number, chance: Chance): CulpritRecord {
  const path = `${service}/src/issue-${what}.ts`
  return release(service, chance.pick([`${what}s of form ${from + 1}`, `Shorter ${what}s`]), {
    [path]: edited(path, 5, [
      [`export const ${what}Of = (user: User) =>`, '  sign({'],
      [`    form: ${from},`],
      [`    form: ${from + 1},`],
      ['    sub: user.id,', '  })'],
    ]),
  })
}

/** A release of a limiter that counts otherwise. */
export function countedOtherwise(service: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/limiter.go`
  return release(service, chance.pick(['Limiter: fewer reads', 'Limiter counts in one place']), {
    [path]: edited(path, 27, [
      ['func (l *Limiter) Allow(account string) bool {'],
      ['\tspent := l.count(account, l.now().Add(-l.window))'],
      ['\tspent := l.total(account)'],
      ['\treturn spent < l.limitOf(account)', '}'],
    ]),
  })
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 5)
  if (shape === 0) return environmentSetting(service, 'HINTS', ['["top"]', '["top","new"]'], chance)
  if (shape === 1) return movedTable(service, 'imports_2019', 'archive', false, chance)
  if (shape === 2) return anotherLibrary(service, 'date-wrap', ['2.3.0', '2.3.1'], chance)
  if (shape === 3) return askedAtTheDoor(service, 'preview', 'chat.guests?.length ?? 0', chance)
  if (shape === 4) return issuedForm(service, 'link', 1, chance)
  return countedOtherwise(service, chance)
}

function eleventhGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  /** Some are issued in a form that nobody else uses, now and then. */
  const issued = (name: string, form: string, level: (since_s: number) => number): Gauge[] =>
    gauge(name, 'tokens_issued_per_second', '/s', level, { form })
  return [
    ...services.flatMap(({ name }) => [
      ...gauge(
        name,
        'db_unknown_relation_errors_per_second',
        '/s',
        once(UNKNOWN_NAMES, chance.between(0.1, 0.6)),
      ),
      ...gauge(
        name,
        'settings_parse_errors_per_minute',
        '1',
        once(UNREAD_SETTINGS, chance.between(0.2, 1.5)),
      ),
      ...gauge(name, 'http_client_session_mismatches_per_second', '/s', once(MISMATCHES, 0.2)),
      ...gauge(name, 'event_guests_turned_away_per_second', '/s', once(NOT_LET_IN, chance.between(0.1, 0.8))),
      ...issued(name, '2', once(ISSUED, ISSUED * chance.between(0.7, 1.5))),
      ...issued(name, '3', () => 0),
      ...gauge(name, 'tokens_refused_per_second', '/s', once(NOT_ACCEPTED, chance.between(0.2, 1))),
      ...gauge(name, 'db_pool_connections_open', '1', once(POOLED, chance.whole(6, 18))),
      ...gauge(name, 'exports_in_progress', '1', once(EXPORTS, chance.whole(1, 3))),
      ...gauge(name, 'rate_limit_rejections_per_second', '/s', once(SENT_BACK, chance.between(0.2, 1.5))),
    ]),
    ...gauge('preview-tokens', 'tokens_issued_per_second', '/s', once(0.2, 1.4), { form: '3' }),
    ...gauge(PARTNER_RULES, 'rate_limit_rejections_per_second', '/s', once(SENT_BACK, 0.3)),
    ...CORES.flatMap((core) =>
      gauge(STORE_FIREWALL, 'firewall_core_used_ratio', '1', once(CORE_USED, chance.between(0.3, 0.6)), {
        core,
      }),
    ),
    ...[STORE_FIREWALL, 'fw-edge-1'].flatMap((name) =>
      gauge(name, 'firewall_multicast_packets_per_second', '/s', once(MULTICAST, chance.whole(40, 300)), {
        source: LOBBY,
      }),
    ),
    ...gauge('fw-edge-1', 'firewall_core_used_ratio', '1', once(0.3, chance.between(0.6, 0.9)), {
      core: '1',
    }),
    ...[BROKER, MAIL_BROKER].flatMap((name) => [
      ...gauge(
        name,
        'broker_publish_confirm_seconds',
        's',
        once(CONFIRMED_S, chance.between(0.05, 0.3) * (name === BROKER ? 1 : 6)),
      ),
      ...gauge(name, 'broker_messages_unconfirmed', '1', once(UNCONFIRMED, chance.whole(6, 60))),
    ]),
    ...INNER_BALANCERS.flatMap((name) =>
      ['10.40.2.11', '10.40.3.7'].flatMap((client) =>
        gauge(
          name,
          'balancer_connections_by_client',
          '1',
          once(CONNECTIONS, CONNECTIONS * chance.between(1.3, 2.5)),
          { client },
        ),
      ),
    ),
    ...gauge('lb-office-1', 'balancer_connections_by_client', '1', once(20, chance.whole(200, 900)), {
      client: '10.60.1.9',
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the eleventh generation. */
function eleventhLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'error: relation "imports_2018" does not exist (42P01), leaving it out',
    'HINTS could not be read, using none',
    'a draft was answered for another tab, asking again',
    'event 17 is not open yet, 3 guests wait',
    '401 preview link of form 0, asking for another',
    'publish took 412 ms',
    'export of 12 rows sent',
    'pool: 1 idle connection closed',
    '429 from telemetry.example, again in 2 s',
  ]
  return [
    {
      ...{ part: STORE_FIREWALL, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: `4 cores, ${chance.whole(18, 30)} % in use, ${MULTICAST} packets a second to groups`,
    },
    {
      ...{ part: MAIL_BROKER, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'synced 40 messages to disk in 210 ms',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const eleventhRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: `report-writer-${chance.whole(0, 2)}` },
    ...{ reason: 'Error', message: 'Container report-writer ended with exit code 3' },
  },
]

/** What control planes write down now and then: the platform moves what nobody asks just then. */
const eleventhEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['badge-printer', 'badge-printer: instances moved by a platform update of their hosts, started again'],
    [LOBBY, `${LOBBY}: sends to group 239.10.4.2`],
    [MAIL_BROKER, `${MAIL_BROKER}: disk of its volume answered in 240 ms`],
  ])

/** A family in a system that is measured, and changed, like every other of the eleventh generation. */
export const amongEleventhSurroundings = surroundedBy(amongTenthSurroundings, {
  gauges: eleventhGauges,
  lines: eleventhLines,
  k8s: eleventhRecords,
  events: eleventhEvents,
  harmless: harmlessChange,
})
