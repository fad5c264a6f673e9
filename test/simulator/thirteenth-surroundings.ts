/**
 * What is measured, complained of and changed in every system of the thirteenth generation, whatever happens to it: all that
 * the twelfth has, and what shows one of the thirteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { BROKER, MAIL_BROKER } from './eleventh-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { EDGE_CACHE, SITE } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { PAGES } from './sixth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongTwelfthSurroundings } from './twelfth-surroundings.ts'

/** Members of the broker, and how many connections each has and how much of its memory each uses. */
export const MEMBERS = ['mq-1', 'mq-2', 'mq-3'] as const
export const MEMBER_CONNECTIONS = 180
export const MEMBER_MEMORY = 0.21
/** Zones that the provider runs machines in. */
export const ZONES = ['eu-1a', 'eu-1b', 'eu-1c'] as const
/** Milliseconds that the provider's own interface takes, the slowest in a hundred. */
export const ZONE_ANSWER_MS = 140
/** Calls a second whose time is up, and that are answered with 400. */
export const TIMEOUTS = 0.05
export const BAD_REQUESTS = 0.08
/** Connections to the broker that end, and messages that are put aside, a minute. */
export const BROKER_CLOSES = 0.1
export const PUT_ASIDE = 0.05
/** Objects a minute that are taken out of the provider's cache, and files that a service has open. */
export const PURGED = 2
export const OPEN_FILES = 260
/** Threads that wait for a lock, and clients a second that connect again. */
export const BLOCKED = 0.3
export const RECONNECTS = 0.5
/** How much of the disk that its system is on a store's machine uses. */
export const ROOT_USED = 0.46

/** What a service stands on is brought to another state, in stages. */
export const infrastructureUpgrade = (service: string, entity: string | undefined): CulpritRecord =>
  byHand(`${service}: infrastructure upgrade, stage 2 of 2`, 0, entity)

/** The hosts of a service get another version of their system. */
export const systemUpgrade = (service: string, entity: string | undefined): CulpritRecord =>
  byHand(`${service}: hosts from Debian 11 to Debian 12`, 0, entity)

/** Another setting of the machines of a set, as the tool applies it that knows what they shall be. */
export function machineSetting(
  set: string,
  [before, after]: readonly [before: string, after: string],
  chance: Chance,
): CulpritRecord {
  const path = `machines/${set}/main.tf`
  return {
    ...{ kind: 'infra', after_s: 0, applied_after_s: chance.whole(20, 90), files: [path] },
    title: chance.pick([`${set}: terraform apply`, `Machines of ${set}`, `${set}: as planned`]),
    diff: edited(path, 22, [
      ['resource "azurerm_linux_virtual_machine" "this" {', '  for_each = local.machines'],
      [`  ${before}`],
      [`  ${after}`],
      ['  size     = "Standard_E8bds_v5"', '}'],
    ]),
    ...(chance.is(0.6) ? { entity: set } : {}),
  }
}

/** A release that sends another field of a form along. */
export function sentAlong(service: string, form: string, field: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/${form}/request.ts`
  return release(
    service,
    chance.pick([`Send ${field} with every ${form}`, `${field} for our ${form} metrics`]),
    {
      [path]: edited(path, 31, [
        ['  return {', '    slot: chosen.slot,'],
        [],
        [`    ${field}: chosen.${field},`],
        ['    note: chosen.note,', '  }'],
      ]),
    },
  )
}

/** A change to how the pages are built and given out. */
export function builtPages(gone: readonly string[], come: readonly string[], title: string): CulpritRecord {
  const path = `${PAGES}/scripts/build.sh`
  return release(PAGES, title, {
    [path]: edited(path, 8, [
      ['npm run build -- --out "$OUT"'],
      gone,
      come,
      ['log "built $(date -u +%FT%TZ)"'],
    ]),
  })
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 4)
  const named = chance.is(0.6) ? service : undefined
  if (shape === 0) return infrastructureUpgrade(service, named)
  if (shape === 1) return systemUpgrade(service, named)
  if (shape === 2)
    return machineSetting(
      `reports-set-${chance.whole(1, 4)}`,
      ['priority = "Low"', 'priority = "Regular"'],
      chance,
    )
  if (shape === 3) return sentAlong(service, 'feedback', 'colour', chance)
  return builtPages(
    ['npm run lint'],
    ['npm run lint -- --quiet'],
    chance.pick(['Quiet lint', 'Less to read in builds']),
  )
}

function thirteenthGauges({ topology, gauges, hosting }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const filled_s = chance.whole(-4_500, 600)
  return [
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'load_balancer_healthy_hosts', '1', once(pods, pods - 1)),
      ...gauge(name, 'http_client_timeouts_per_second', '/s', once(TIMEOUTS, chance.between(0.2, 1))),
      ...gauge(
        name,
        'http_client_bad_requests_per_second',
        '/s',
        once(BAD_REQUESTS, chance.between(0.2, 1.2)),
      ),
      ...gauge(name, 'amqp_connections_closed_per_minute', '1', once(BROKER_CLOSES, chance.whole(1, 4))),
      ...gauge(name, 'queue_messages_dead_lettered_per_minute', '1', once(PUT_ASIDE, chance.whole(1, 8))),
      ...gauge(name, 'process_open_files', '1', once(OPEN_FILES, OPEN_FILES * chance.between(1.1, 2))),
      ...gauge(name, 'threads_blocked', '1', once(BLOCKED, chance.whole(2, 7))),
      ...gauge(name, 'client_reconnects_per_second', '/s', once(RECONNECTS, chance.between(1.5, 6))),
    ]),
    ...stores.flatMap(({ name }) => {
      const used = chance.between(0.8, 1.4) * ROOT_USED
      return gauge(name, 'volume_used_ratio', '1', (since_s) => used + since_s / 900_000, { volume: 'root' })
    }),
    ...gauge('reports-db', 'volume_used_ratio', '1', (since_s) => (since_s < filled_s ? 0.93 : 0.31), {
      volume: 'root',
    }),
    ...gauge(BROKER, 'broker_members_running', '1', () => MEMBERS.length),
    ...gauge(MAIL_BROKER, 'broker_members_running', '1', once(2, 1)),
    ...MEMBERS.flatMap((member) => [
      ...gauge(
        BROKER,
        'broker_connections',
        '1',
        once(MEMBER_CONNECTIONS, MEMBER_CONNECTIONS * chance.between(1.1, 1.4)),
        { member },
      ),
      ...gauge(BROKER, 'broker_memory_used_ratio', '1', once(MEMBER_MEMORY, chance.between(0.24, 0.33)), {
        member,
      }),
    ]),
    ...gauge(MAIL_BROKER, 'broker_connections', '1', once(12, 30), { member: 'mail-1' }),
    ...gauge(MAIL_BROKER, 'broker_memory_used_ratio', '1', once(0.2, 0.36), { member: 'mail-1' }),
    ...gauge('reports-set-1', 'machine_set_running', '1', once(4, 2)),
    ...gauge('batch-set-2', 'machine_set_running', '1', () => 8),
    ...gauge(EDGE_CACHE, 'cdn_purged_objects_per_minute', '1', once(PURGED, chance.whole(20, 400)), {
      site: SITE,
    }),
    ...gauge(EDGE_CACHE, 'cdn_purged_objects_per_minute', '1', once(1, chance.whole(2_000, 9_000)), {
      site: 'docs',
    }),
    ...ZONES.flatMap((zone) =>
      gauge(zone, 'zone_api_duration_p99_ms', 'ms', once(ZONE_ANSWER_MS, chance.whole(200, 600))),
    ),
    ...[...(hosting?.nodes ?? []), 'batch-1-7'].flatMap((node) => [
      ...gauge(node, 'node_ready', '1', node === 'batch-1-7' ? once(1, 0) : () => 1, { node }),
      ...gauge(node, 'node_memory_corrected_errors_per_minute', '1', once(0, chance.whole(1, 3)), { node }),
    ]),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the thirteenth generation. */
function thirteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'java.util.concurrent.TimeoutException: No response received after 250 (http://hints.internal/)',
    'pika.exceptions.ConnectionClosedByBroker: (320, "CONNECTION_FORCED - broker is closing")',
    "400 POST /v1/feedback: Field error in object 'feedback' on field 'colour': default message [must not be blank]",
    'message 40117 was read a second time',
    'Redis::TimeoutError (Connection timed out)',
    'could not pull hints, keeping those of yesterday',
    'thread waited 240 ms for a lock (HintCache)',
    'client of version 3.1 connected again',
  ]
  return [
    {
      ...{ part: BROKER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `accepting AMQP connection <0.${chance.whole(2_000, 9_000)}.0> (10.40.3.17:50214 -> 10.40.9.4:5672)`,
    },
    {
      ...{ part: EDGE_CACHE, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `purge of site ${SITE}: 2 files (/feed.xml, /index.json)`,
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const thirteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Node', name: 'batch-1-7', reason: 'NodeNotReady' },
    message: 'Node batch-1-7 status is now: NodeNotReady',
  },
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'badge-printer-0', reason: 'Failed' },
    message:
      'Failed to pull image "registry.internal/badge-printer:v31": rpc error: code = NotFound desc = failed to pull and unpack image',
  },
]

/** What control planes write down now and then: machines of others are stopped, and zones elsewhere have their troubles. */
const thirteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['reports-set-1', 'Microsoft.Compute/virtualMachines/deallocate/action on reports-set-1-2: Succeeded'],
    ['us-2c', 'AWS_EC2_OPERATIONAL_ISSUE: increased launch errors in a single Availability Zone (us-2c)'],
    ['mail-1', `${MAIL_BROKER}: mail@mail-1 is down, started again`],
  ])

/** A family in a system that is measured, and changed, like every other of the thirteenth generation. */
export const amongThirteenthSurroundings = surroundedBy(amongTwelfthSurroundings, {
  gauges: thirteenthGauges,
  lines: thirteenthLines,
  k8s: thirteenthRecords,
  events: thirteenthEvents,
  harmless: harmlessChange,
})
