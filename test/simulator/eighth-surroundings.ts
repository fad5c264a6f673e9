/**
 * What is measured, complained of and changed in every system of the eighth generation, whatever happens to it: all that
 * the seventh has, and what shows one of the eighth's faults besides. It moves now and then in all of them and harms
 * nobody, changes of the same shapes as the causes are made to others, and each system has partners beside it: services
 * with clients of their own that nobody of the others calls, and that call nobody of them.
 */
import { ALWAYS_S, gaugesBeside, risingOnce, untouchedServices } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import {
  type CulpritRecord,
  type Gauge,
  hostingOf,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  type ToldLine,
  type ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { amongSeventhSurroundings, byHand, schemaStep } from './seventh-surroundings.ts'
import type { Part } from './topology.ts'

/** Services that stand beside the others, with clients and a store of their own. */
export const PARTNER_GATEWAY = 'partner-gateway'
export const PARTNER_RULES = 'partner-rules'
export const PARTNER_STORE = 'partner-db'

/** Requests a second of the partners' clients. */
export const PARTNER_DEMAND = 22

/** What passes on packets between the sites, and one that serves the offices. */
export const ROUTERS = ['cr-west-1', 'cr-east-1'] as const
const OFFICE_ROUTER = 'cr-office-1'

/** The tunnel to the site that is kept for disasters, and one that serves the offices. */
export const SPARE_TUNNEL = 'vpn-dr-1'
const OFFICE_TUNNEL = 'vpn-office-1'

/** Bytes a second that go through a tunnel. */
export const TUNNELLED = 240_000

/** Share of a machine's memory that is free, and how many of its processes want to run. */
export const FREE = 0.42
export const LOAD = 2.6

/** Handshakes that a service is in the middle of. */
export const SHAKING = 3

/** Sessions of a service that have a transaction open and do nothing. */
export const IDLING = 1.5

/** Requests to a peer that a service waits for. */
export const IN_FLIGHT = 2

/** Directories of customers, which some logins are looked up in. */
export const DIRECTORIES = [
  'login.northern-trust.example',
  'login.city-clinic.example',
  'login.harbour-office.example',
] as const

/** Pages of communities, and how many of them are asked for each second. */
export const COMMUNITY_ROUTE = '/v1/community'
export const COMMUNITY_PAGES = 0.4

/** Seconds after which a service reads its table of paths again. */
export const PATHS_READ_EVERY_S = 900

/** The extension that others stand on, and the file that says which are built in. */
export const SUPPORT = 'embed-support'

/** Extensions are taken out of what services are built with. */
export function removedExtension(
  gone: string,
  version: string,
  chance: Chance,
): Pick<CulpritRecord, 'files' | 'diff' | 'title'> {
  const path = 'build/extensions.yaml'
  return {
    title: chance.pick([
      `${gone}: its repository is archived`,
      `Builds without ${gone}`,
      `Tidy up extensions: ${gone}`,
    ]),
    files: [path],
    diff: edited(path, 21, [
      ['  - name: date-picker', '    version: 3.0.1'],
      [`  - name: ${gone}`, `    version: ${version}`, `    source: git@git.example:extensions/${gone}.git`],
      [],
      ['  - name: wide-player', '    version: 2.4.0'],
    ]),
  }
}

/** Pages or rows that somebody makes for a customer in the database itself, as the record of maintenances has it. */
export const madeInStore = (
  store: string,
  what: 'pages of site' | 'rows of account',
  number: number,
  entity: string | undefined,
): CulpritRecord => byHand(`${store}: ${what} ${number} created in the database for the customer`, 0, entity)

/** Somebody runs a tool over the files of a machine. */
export const fileOperation = (host: string, entity: string | undefined): CulpritRecord =>
  byHand(`${host}: download files renamed in bulk with the archive tool`, 0, entity)

/** What a router does with packets that may go more than one way, in the repository of settings. */
export function routerSetting(
  router: string,
  after_s: number,
  chance: Chance,
  entity: string | undefined,
): CulpritRecord {
  const path = `network/${router}.conf`
  return {
    ...{ kind: 'config', after_s, applied_after_s: chance.whole(30, 200), files: [path] },
    title: `${router}: flows over all links`,
    diff: edited(path, 88, [
      ['routing-options {', '    forwarding-table {'],
      ['        export none;'],
      ['        export per-flow;', '        ecmp-fast-reroute;'],
      ['    }'],
    ]),
    ...(entity === undefined ? {} : { entity }),
  }
}

/** A release that reads something from where it is to be read from now on. */
export function anotherSource(service: string, what: string, chance: Chance): CulpritRecord {
  const path = `${service}/src/${what}.ts`
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [path] },
    title: chance.pick([`One place for ${what}`, `Read ${what} by merchant`, `${what}: second step`]),
    diff: edited(path, 31, [
      [`export async function ${what}(of: Merchant) {`],
      [`  return table.rows(of.id)`],
      ['  const all = await registry.load(of.region)', '  return all.filter((one) => one.accepts(of))'],
      ['}'],
    ]),
  }
}

/** Sectors that the partners' rules know. */
export const moreSectors = (after_s: number, sector: string): CulpritRecord => {
  const path = `${PARTNER_RULES}/src/sectors.go`
  return {
    ...{ kind: 'commit', after_s, entity: PARTNER_RULES, title: `Sector ${sector}`, files: [path] },
    diff: edited(path, 40, [
      ['func (r *Router) Load(all []Sector) {', '\tfor _, sector := range all {'],
      ['\t\tr.add(sector)'],
      ['\t\tgo r.add(sector)'],
      ['\t}', '}'],
    ]),
  }
}

/** The partners' own parts, callers before what they call. */
function partners(chance: Chance): readonly Part[] {
  const service = (name: string, to: string): Part => ({
    ...{ name, kind: 'service', pods: chance.whole(2, 3), workers: 24, own_ms: chance.between(6, 20) },
    ...{ cpu_ms: chance.between(4, 12), memory_mb: chance.between(200, 600), timeout_ms: 2_000, retries: 0 },
    ...{ cache_hits: 0, calls: [{ to, per_request: chance.between(0.7, 1) }] },
  })
  return [
    service(PARTNER_GATEWAY, PARTNER_RULES),
    service(PARTNER_RULES, PARTNER_STORE),
    {
      ...{ name: PARTNER_STORE, kind: 'datastore', pods: 1, workers: 80, own_ms: chance.between(2, 6) },
      ...{ cpu_ms: 1.5, memory_mb: 2_000, timeout_ms: 5_000, retries: 0, cache_hits: 0, calls: [] },
    },
  ]
}

/** A family in a system that has partners beside it; what happens does not get to them. */
const besidePartners =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = family(topology, chance)
    if (fault === null) return null
    const { hosting = hostingOf(fault.topology, chance) } = fault
    return {
      ...{ ...fault, hosting },
      topology: { ...fault.topology, parts: [...fault.topology.parts, ...partners(chance)] },
      standing: (part) => (part === PARTNER_GATEWAY ? PARTNER_DEMAND : 0),
    }
  }

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): readonly CulpritRecord[] {
  const service = chance.pick(services)
  const shape = chance.whole(0, 6)
  const named = (entity: string): string | undefined => (chance.is(0.6) ? entity : undefined)
  if (shape === 0) {
    const host = chance.pick(['batch-1-2', 'export-host-1'])
    return [fileOperation(host, named(host))]
  }
  if (shape === 1) {
    const gone = chance.pick(['old-skin', 'guest-book'])
    return [{ kind: 'commit', after_s: 0, entity: service, ...removedExtension(gone, '1.0.3', chance) }]
  }
  if (shape === 2)
    return [madeInStore('reports-db', 'rows of account', chance.whole(100, 900), named('reports-db'))]
  if (shape === 3) return [anotherSource(service, chance.pick(['badges', 'regions']), chance)]
  if (shape === 4) return [routerSetting(OFFICE_ROUTER, 0, chance, named(OFFICE_ROUTER))]
  if (shape === 5)
    return [
      schemaStep(service, {
        ...{ title: 'Notes have a language', step: `0${chance.whole(101, 139)}_languages` },
        sql: ['ALTER TABLE exports ADD COLUMN language text;'],
      }),
    ]
  const path = `${PARTNER_RULES}/src/names.go`
  return [
    {
      ...{ kind: 'commit', after_s: 0, entity: PARTNER_RULES, title: 'Names of sectors', files: [path] },
      diff: edited(path, 12, [['var names = map[string]string{'], [], ['\t"toys": "Toys",'], ['}']]),
    },
  ]
}

/** A level that is counted up from zero and begins anew every so many seconds. */
export const readEvery =
  (every_s: number, from_s: number) =>
  (since_s: number): number =>
    (((since_s - from_s) % every_s) + every_s) % every_s

function eighthGauges(
  { topology, gauges, hosting }: ProductionFault,
  expanded_s: number,
  chance: Chance,
): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  return [
    ...(hosting?.nodes ?? []).flatMap((node) => [
      ...gauge(node, 'node_memory_available_ratio', '1', once(FREE, chance.between(0.15, 0.35)), { node }),
      ...gauge(node, 'node_load_average', '1', once(LOAD, chance.between(4, 12)), { node }),
    ]),
    ...[...ROUTERS, OFFICE_ROUTER].flatMap((router) =>
      gauge(router, 'router_packets_dropped_per_second', '/s', once(0.4, chance.between(1, 30))),
    ),
    ...gauge(SPARE_TUNNEL, 'vpn_tunnel_up', '1', () => 1),
    ...gauge(OFFICE_TUNNEL, 'vpn_tunnel_up', '1', once(1, 0)),
    ...[SPARE_TUNNEL, OFFICE_TUNNEL].flatMap((tunnel) =>
      gauge(
        tunnel,
        'vpn_tunnel_bytes_per_second',
        'By/s',
        once(TUNNELLED, TUNNELLED * chance.between(0.2, 2)),
      ),
    ),
    ...services.flatMap(({ name, calls }) => {
      const peer = calls.find(({ to }) => kindOf(topology, to) === 'external')?.to ?? chance.pick(DIRECTORIES)
      const paths = readEvery(PATHS_READ_EVERY_S, chance.whole(0, PATHS_READ_EVERY_S))
      return [
        ...gauge(name, 'path_table_age_seconds', 's', paths),
        ...gauge(name, 'tls_handshakes_in_progress', '1', once(SHAKING, chance.whole(5, 40))),
        ...gauge(name, 'http_client_requests_in_flight', '1', once(IN_FLIGHT, chance.whole(3, 15)), { peer }),
        ...calls
          .filter(({ to }) => kindOf(topology, to) === 'datastore')
          .flatMap(({ to }) =>
            gauge(to, 'db_sessions_idle_in_transaction', '1', once(IDLING, chance.whole(3, 8)), {
              client: name,
            }),
          ),
      ]
    }),
    ...gauge('attachments', 'queue_messages_ready', '1', once(4, chance.whole(20, 200))),
    ...gauge('attachments', 'queue_oldest_message_age_seconds', 's', once(3, chance.whole(20, 120))),
    ...gauge('assets', 'volume_used_ratio', '1', (since_s) => 0.62 + since_s / 400_000, { volume: 'assets' }),
    ...gauge(
      'exports',
      'volume_used_ratio',
      '1',
      (since_s) => (since_s < expanded_s ? 0.94 + (since_s - expanded_s) / 90_000 : 0.47),
      { volume: 'exports' },
    ),
    ...gauge(
      chance.pick(services).name,
      'http_server_requests_by_route_per_second',
      '/s',
      once(COMMUNITY_PAGES, chance.between(0.6, 1.5)),
      { route: COMMUNITY_ROUTE },
    ),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the eighth generation. */
function eighthLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'rsync: connection to dr-reports-1 timed out (255), again in 60 s',
    'metadata of login.harbour-office.example: no answer in 10000 ms, attempt 1',
    'tls transport: 14 handshakes unfinished',
    'path table: read, 8 entries fewer',
    'extension wide-player is not loaded, leaving it out',
    'DatabaseError (40001), again',
    'event loop was busy for 1204 ms',
    'badges of a merchant could not be read, showing none',
    'fatal error: concurrent map read and map write',
  ]
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  return [
    ...stores.map(({ name }) => ({
      ...{ part: name, after_s: ALWAYS_S, severity: 'INFO', per_minute: chance.between(0.05, 0.3) },
      message: `LOG:  duration: ${chance.whole(1_050, 2_900)}.214 ms  statement: SELECT name FROM members WHERE community_id = ${chance.whole(100, 900)} ORDER BY seen_at`,
    })),
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** What the orchestrator writes down now and then, of others than those whom it harms. */
function eighthRecords({ hosting, entity, places }: ProductionFault, chance: Chance): readonly ToldRecord[] {
  const at = (): number => chance.whole(-4_500, 900)
  const others = (hosting?.nodes ?? []).filter((node) => node !== entity && !places.includes(node))
  return [
    {
      ...{ after_s: at(), kind: 'Job', name: 'reports-migrate', reason: 'BackoffLimitExceeded' },
      message: 'Job has reached the specified backoff limit',
    },
    {
      ...{ after_s: at(), kind: 'Node', name: chance.pick(others), reason: 'SystemOOM' },
      message: `System OOM encountered, victim process: report-writer, pid: ${chance.whole(4_000, 30_000)}`,
    },
  ]
}

/** What control planes write down now and then: the offices' tunnel comes and goes, volumes grow. */
function eighthEvents(expanded_s: number, chance: Chance): ProductionFault['events'] {
  const down_s = chance.whole(-4_500, 600)
  const event = (after_s: number, name: string, message: string): ProductionFault['events'][number] => ({
    ...{ after_s, kind: 'notification', reason: 'state', name, message },
  })
  return [
    event(down_s, OFFICE_TUNNEL, `${OFFICE_TUNNEL}: tunnel is down, no answer of its peer`),
    event(down_s + chance.whole(60, 300), OFFICE_TUNNEL, `${OFFICE_TUNNEL}: tunnel is up`),
    event(expanded_s, 'exports', 'exports: volume expanded to 400 GB'),
  ]
}

/** A family in a system that is measured, and changed, like every other of the eighth generation. */
export const amongEighthSurroundings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongSeventhSurroundings(besidePartners(family))(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    const harmless = Array.from({ length: chance.whole(2, 4) }, () => harmlessChange(names, chance)).flat()
    const expanded_s = chance.whole(-4_500, 600)
    return {
      ...fault,
      gauges: [...fault.gauges, ...eighthGauges(fault, expanded_s, chance)],
      lines: [...fault.lines, ...eighthLines(fault, chance)],
      k8s: [...fault.k8s, ...eighthRecords(fault, chance)],
      events: [...fault.events, ...eighthEvents(expanded_s, chance)],
      harmless: [...(fault.harmless ?? []), ...harmless],
    }
  }
