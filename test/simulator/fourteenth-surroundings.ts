/**
 * What is measured, complained of and changed in every system of the fourteenth generation, whatever happens to it: all that
 * the thirteenth has, and what shows one of the fourteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { amongThirteenthSurroundings } from './thirteenth-surroundings.ts'

/** What keeps images and files as blobs, and another that keeps those of reports. */
export const OBJECTS = 'object-store'
const OTHER_OBJECTS = 'reports-objects'
/** Blobs a minute that are deleted there, and requests a second of a service for one that is not there. */
export const DELETED = 3
export const NOT_THERE = 0.04

/** The cluster that services search in, its members and its parts; another that keeps logs. */
export const SEARCH = 'search-cluster'
export const SEARCH_MEMBERS = ['search-1', 'search-2', 'search-3'] as const
export const SHARDS = 240
const LOG_SEARCH = 'logs-cluster'
const LOG_SHARDS = 900

/** Switches and routers before the stores, and one router of the offices; packets a second that each forwards. */
export const STORE_SWITCHES = ['sw-stores-1', 'sw-stores-2'] as const
export const STORE_ROUTERS = ['dr-stores-1', 'dr-stores-2'] as const
const OFFICE_ROUTER = 'dr-office-1'
export const FORWARDED = 41_000
/** Ports of such a switch that are in use. */
export const SWITCH_PORTS = 24

/** What the hosting provider resolves names with; lookups a second, and those that wait for another's answer. */
export const RESOLVER = 'hosting-resolver'
export const LOOKUPS = 900
export const WAITING_LOOKUPS = 12
/** Lookups a second of a service that fail. */
export const FAILED_LOOKUPS = 0.03

/** The domain that the services are known under outside, and one of the offices. */
export const DOMAIN = 'kiosk.example'
const OTHER_DOMAIN = 'intranet.example'
/** Handshakes a second that a service gives up for the name in a certificate. */
export const REFUSED_NAMES = 0.01

/** Answers a second that a service cannot read, and requests a minute that it looks into by itself. */
export const UNREADABLE_ANSWERS = 0.02
export const DIAGNOSED = 0.4

/** Seconds that the longest statement of a store has run, and sessions that wait for a lock of another. */
export const LONGEST_STATEMENT_S = 2
export const WAITING_SESSIONS = 0.2

/** The registry outside that images come from, milliseconds that a pull takes, and pulls a minute that fail. */
export const REGISTRY = 'registry.example'
export const PULL_MS = 640
export const FAILED_PULLS = 0.02

/** Another form of what a service answers. */
export function answeredAs(
  service: string,
  thing: string,
  [before, after]: readonly [before: string, after: string],
  title: string,
): CulpritRecord {
  const path = `${service}/src/${thing}/answer.ts`
  return release(service, title, {
    [path]: edited(path, 14, [
      [`export const ${thing}Of = (row: Row): ${thing[0]?.toUpperCase()}${thing.slice(1)} => ({`],
      [`  ${before}`],
      [`  ${after}`],
      ['  from: row.starts_at.toISOString(),', '})'],
    ]),
  })
}

/** Blobs that nothing refers to are taken out of a store of objects. */
export const collection = (store: string, entity: string | undefined): CulpritRecord =>
  byHand(`${store}: garbage collection of blobs that nothing refers to`, 0, entity)

/** A service looks into some of its own requests. */
export function diagnosis(service: string, which: string, title: string): CulpritRecord {
  const path = `${service}/src/diagnosis.ts`
  return release(service, title, {
    [path]: edited(path, 5, [
      ['export async function after(request: Request, took_ms: number) {'],
      [],
      [`  if (${which}) await explain(request)`],
      ['  count(request.route, took_ms)', '}'],
    ]),
  })
}

/** Switches are seen to, one after the other. */
export const switchMaintenance = (pair: string, entity: string | undefined): CulpritRecord =>
  byHand(`${pair}: routine maintenance, switch 1 of 2`, 0, entity)

/** Somebody ends what a maintenance of a store left over. */
export const storeActivity = (store: string, entity: string | undefined): CulpritRecord =>
  byHand(`${store}: rest of Sunday's maintenance, so that the copy for analytics is refreshed`, 0, entity)

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const named = (name: string): string | undefined => (chance.is(0.6) ? name : undefined)
  const shape = chance.whole(0, 4)
  if (shape === 0)
    return answeredAs(
      service,
      'notice',
      ["label: row.label ?? '',", 'label: row.label,'],
      chance.pick(['Labels as they are stored', 'No default for labels']),
    )
  if (shape === 1) return collection(OTHER_OBJECTS, named(OTHER_OBJECTS))
  if (shape === 2)
    return diagnosis(
      service,
      'request.headers.has("x-explain")',
      chance.pick(['Explain requests of support', 'Look into requests on demand']),
    )
  if (shape === 3) {
    const pair = chance.pick(['sw-office', 'sw-lab'])
    return switchMaintenance(pair, named(`${pair}-1`))
  }
  return storeActivity('reports-db', named('reports-db'))
}

function fourteenthGauges({ topology, gauges, hosting }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const registry = { registry: REGISTRY }
  return [
    ...services.flatMap(({ name }) => [
      ...gauge(
        name,
        'http_client_unreadable_answers_per_second',
        '/s',
        once(UNREADABLE_ANSWERS, chance.between(0.1, 0.8)),
      ),
      ...gauge(name, 'object_store_not_found_per_second', '/s', once(NOT_THERE, chance.between(0.2, 1.2))),
      ...gauge(name, 'diagnosed_requests_per_minute', '1', once(DIAGNOSED, chance.whole(2, 12))),
      ...gauge(name, 'name_lookups_failed_per_second', '/s', once(FAILED_LOOKUPS, chance.between(0.2, 1.1))),
      ...gauge(name, 'tls_names_refused_per_second', '/s', once(REFUSED_NAMES, chance.between(0.05, 0.4))),
      ...gauge(
        name,
        'image_pull_duration_p99_ms',
        'ms',
        once(PULL_MS, PULL_MS * chance.between(1.5, 4)),
        registry,
      ),
      ...gauge(name, 'image_pulls_failed_per_minute', '1', once(FAILED_PULLS, chance.whole(1, 3)), registry),
    ]),
    ...[...stores.map(({ name }) => name), 'reports-db'].flatMap((name) => [
      ...gauge(name, 'db_longest_statement_seconds', 's', once(LONGEST_STATEMENT_S, chance.whole(30, 240))),
      ...gauge(name, 'db_sessions_waiting', '1', once(WAITING_SESSIONS, chance.whole(2, 9))),
    ]),
    ...gauge(OBJECTS, 'objects_deleted_per_minute', '1', once(DELETED, chance.whole(30, 120))),
    ...gauge(OTHER_OBJECTS, 'objects_deleted_per_minute', '1', once(0, chance.whole(200, 4_000))),
    ...gauge(SEARCH, 'elasticsearch_cluster_health_number_of_nodes', '1', () => SEARCH_MEMBERS.length),
    ...gauge(SEARCH, 'elasticsearch_cluster_health_active_shards', '1', once(SHARDS, SHARDS - 4)),
    ...gauge(SEARCH, 'elasticsearch_elections_per_minute', '1', once(0, 1)),
    ...gauge(LOG_SEARCH, 'elasticsearch_cluster_health_number_of_nodes', '1', once(5, 4)),
    ...gauge(
      LOG_SEARCH,
      'elasticsearch_cluster_health_active_shards',
      '1',
      once(LOG_SHARDS, LOG_SHARDS - chance.whole(160, 220)),
    ),
    ...gauge(LOG_SEARCH, 'elasticsearch_elections_per_minute', '1', once(0, chance.whole(1, 3))),
    ...STORE_SWITCHES.flatMap((name) =>
      gauge(name, 'switch_ports_up', '1', once(SWITCH_PORTS, SWITCH_PORTS - chance.whole(0, 1))),
    ),
    ...[...STORE_ROUTERS, OFFICE_ROUTER].flatMap((name) => [
      ...gauge(
        name,
        'router_packets_forwarded_per_second',
        '/s',
        once(FORWARDED, FORWARDED * chance.between(1.1, 2.2)),
      ),
      ...gauge(
        name,
        'router_ports_disabled',
        '1',
        name === OFFICE_ROUTER ? once(0, chance.whole(1, 2)) : () => 0,
      ),
    ]),
    ...gauge(
      RESOLVER,
      'resolver_lookups_per_second',
      '/s',
      once(LOOKUPS, LOOKUPS * chance.between(1.3, 2.5)),
    ),
    ...gauge(RESOLVER, 'resolver_recursive_clients', '1', once(WAITING_LOOKUPS, chance.whole(20, 90))),
    ...gauge('office-resolver', 'resolver_lookups_per_second', '/s', once(70, chance.whole(90, 400))),
    ...gauge('office-resolver', 'resolver_recursive_clients', '1', once(2, chance.whole(4, 60))),
    ...[DOMAIN, OTHER_DOMAIN].flatMap((domain) =>
      gauge(domain, 'probe_success_ratio', '1', once(1, chance.between(0.6, 0.9)), {
        target: `https://www.${domain}/`,
      }),
    ),
    ...[...(hosting?.nodes ?? []), 'batch-1-7', 'reports-host-2'].flatMap((node) =>
      gauge(node, 'disk_errors_per_minute', '1', once(0, chance.whole(1, 3)), { node }),
    ),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the fourteenth generation. */
function fourteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'json: cannot unmarshal number into Go struct field Notice.label of type string',
    'level=error msg="response completed with error" err.code="name unknown" err.detail="map[name:drafts]" err.message="repository name not known to registry"',
    'request explained on demand (took 912 ms)',
    'getaddrinfo ENOTFOUND telemetry.example',
    'x509: certificate is valid for old.intranet.example, not www.intranet.example',
    '[es/search] failed: [search_phase_execution_exception] all shards failed',
    'Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
    'error: could not obtain lock on row in relation "drafts"',
  ]
  return [
    {
      ...{ part: OBJECTS, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `upload purge: ${chance.whole(2, 40)} uploads older than a week removed`,
    },
    {
      ...{ part: LOG_SEARCH, per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message: '[gc][young] overhead, spent [412ms] collecting in the last [1s]',
    },
    {
      ...{ part: LOG_SEARCH, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: '[backups:logs-2026.03.01] failed to delete snapshot',
    },
    {
      ...{ part: RESOLVER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `client 10.40.3.${chance.whole(4, 90)}#40122: query (cache) 'wpad.internal/A/IN' denied`,
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const fourteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'thumbnail-batch-4', reason: 'BackOff' },
    message: `Back-off pulling image "${REGISTRY}/thumbnail-batch:v12"`,
  },
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'logs-cluster-3', reason: 'Killing' },
    message: 'Stopping container elasticsearch',
  },
]

/** What control planes write down now and then: members of others begin anew, domains are renewed, machines are moved. */
const fourteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['logs-cluster-3', 'logs-cluster-3: elasticsearch was started again by hand (ana)'],
    [OTHER_DOMAIN, `${OTHER_DOMAIN}: renewed until 2027 (registrar)`],
    ['reports-host-2', 'reports-host-2: a disk of the array is being rebuilt'],
    ['sw-lab-1', 'sw-lab-1: port 14 is up again after 40 s'],
  ])

/** A family in a system that is measured, and changed, like every other of the fourteenth generation. */
export const amongFourteenthSurroundings = surroundedBy(amongThirteenthSurroundings, {
  gauges: fourteenthGauges,
  lines: fourteenthLines,
  k8s: fourteenthRecords,
  events: fourteenthEvents,
  harmless: harmlessChange,
})
