/**
 * What is measured, complained of and changed in every system of the tenth generation, whatever happens to it: all that
 * the ninth has, and what shows one of the tenth's faults besides. It moves now and then in all of them and harms nobody,
 * and changes of the same shapes as the causes are made to others.
 */
import { PARTNER_RULES, readEvery } from './eighth-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce, untouchedServices } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { amongNinthSurroundings, RUNNING_S, runningSince } from './ninth-surroundings.ts'
import {
  arrivalsOf,
  type CulpritRecord,
  type Gauge,
  type ProductionFamily,
  type ProductionFault,
  type ToldLine,
  type ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { BALANCER, byHand } from './seventh-surroundings.ts'

/** What says how many requests a service may get before its callers send it no more, and how often it says so anew. */
export const LIMITER = 'request-limiter'
export const LIMITED_EVERY_S = 1_800
/** How many times what a service usually gets it may get. */
export const ALLOWED = 3

/** The lines to the internet, one in use and one in reserve, and one that serves the offices. */
export const UPLINKS = ['uplink-1', 'uplink-2'] as const
const OFFICE_UPLINK = 'uplink-office-1'
/** Bytes a second that go through the line that is in use. */
export const UPLINK_BYTES = 31_000_000

/** The job that works out the state of all accounts once a day, the machines that it runs on, and a job of every hour. */
export const DAY_JOB = 'start-of-day'
export const JOB_POOL = 'jobs-1'
export const DAY_S = 86_400
const HOURLY_JOB = 'ledger-export'

/** Connections that the pods of a service keep to the small store beside it. */
export const CACHE_CLIENTS = 12

/** Processes of a service that end while they start, a minute; its answers 404, and writes that come empty, a second. */
export const START_FAILURES = 0.01
export const NOT_FOUND = 0.3
export const EMPTY_WRITES = 0.04

/** Share of its memory that a store uses, and statements a second that it answers with an error. */
export const STORE_MEMORY = 0.72
export const STATEMENT_ERRORS = 0.3

/** Seconds that a list of what is no longer valid is good for, and how often another is made. */
export const LIST_LASTS_S = 5_400
export const LISTED_EVERY_S = 1_200

/** The small store that stands beside the pods of a service. */
export const cacheOf = (service: string): string => `${service}-redis`

/** A setting, applied in the repository of settings. */
export const setting = (
  record: Pick<CulpritRecord, 'title' | 'files' | 'diff'>,
  chance: Chance,
  entities: readonly string[],
): CulpritRecord => ({
  ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(60, 300), ...record },
  ...(chance.is(0.6) ? { entity: chance.pick(entities) } : {}),
})

/** What stands in whatever a service issues. */
export function issuedField(service: string, field: string, from: string, chance: Chance): CulpritRecord {
  const path = `prod/${service}/issuing.yaml`
  const diff = edited(path, 4, [
    ['issue:', '  lifetimeDays: 7'],
    [`  ${field}: ${from}`],
    [`  ${field}: none`],
    ['  signedBy: issuing-2'],
  ])
  const title = chance.pick([
    `Issue without ${field}`,
    `${field} is no longer needed`,
    'Tidy up issuing.yaml',
  ])
  return setting({ title, files: [path], diff }, chance, ['fleet-config', service])
}

/** A release of the environment that is there to try things out, with what it sets. */
export function sandboxRelease(
  service: string,
  environments: readonly string[],
  chance: Chance,
): CulpritRecord {
  const files = environments.map((environment) => `${environment}/${service}/content.yaml`)
  const diff = environments
    .map((environment, index) => {
      const [sandbox, own] = ['sandbox', environment].map((each) => `  host: content.${each}.internal`)
      const isOwn = sandbox === own
      return edited(files[index] as string, 2, [
        ['content:', ...(isOwn ? [own as string] : [])],
        [...(isOwn ? [] : [own as string]), '  version: v2'],
        [...(isOwn ? [] : [sandbox as string]), '  version: v3'],
        ['  timeoutMs: 1500'],
      ])
    })
    .join('\n')
  const title = `Sandbox release 2.${chance.whole(11, 48)}`
  return setting({ title, files, diff }, chance, ['fleet-config', service])
}

/** Who is taken for a crawler where requests come in, and what is done with those. */
export function crawlerRule(come: readonly string[], after_s: number, chance: Chance): CulpritRecord {
  const path = 'edge/prod/crawlers.yaml'
  const diff = edited(path, 7, [
    ['crawlers:', '  action: reject'],
    ['  networks: [203.0.113.0/24]', '  methods: [GET]'],
    come,
    ['  log: sampled'],
  ])
  const title = chance.pick(['Crawlers of last week', 'Fewer crawlers', 'Rules for crawlers'])
  return { ...setting({ title, files: [path], diff }, chance, ['edge-config', 'ingress-nginx']), after_s }
}

/** The balancer's servers of a service are those of another group from now on. */
export const movedTarget = (service: string, entity: string | undefined): CulpritRecord =>
  byHand(`${BALANCER}: ${service} moved to target group ${service}-2, checked`, 0, entity)

/**
 * A release that reads a file when it starts.
 * @param built what of the repository gets into the image
 */
export function readAtStart(
  service: string,
  file: string,
  built: readonly string[],
  chance: Chance,
): CulpritRecord {
  const [start, image] = [`${service}/src/start.ts`, `${service}/Dockerfile`]
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [start, file, image] },
    title: chance.pick(['Rules of delivery in a file', 'Read the rules once', 'One file of rules']),
    diff: [
      edited(start, 3, [
        ["import { readFileSync } from 'node:fs'"],
        ["import { rules } from './rules.ts'"],
        [`const rules = JSON.parse(readFileSync('/app/${file.slice(service.length + 1)}', 'utf8'))`],
        ['serve({ port: 8080, rules })'],
      ]),
      edited(file, 1, [[], [], ['{ "retries": 3, "quietHours": [22, 7] }'], []]),
      edited(image, 5, [
        ['WORKDIR /app', ...built],
        ['LABEL rules=1'],
        ['LABEL rules=2'],
        ['CMD ["node", "dist/start.js"]'],
      ]),
    ].join('\n'),
  }
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 4)
  if (shape === 0) return issuedField('badge-printer', chance.pick(['fax', 'nickname']), 'optional', chance)
  if (shape === 1) return sandboxRelease(service, ['sandbox'], chance)
  if (shape === 2)
    return crawlerRule(
      [`  networks: [203.0.113.0/24, 192.0.2.${chance.whole(1, 15) * 16}/28]`, '  methods: [GET]'],
      0,
      chance,
    )
  if (shape === 3)
    return movedTarget(chance.pick(['reports-web', 'exports-web']), chance.is(0.6) ? BALANCER : undefined)
  return readAtStart(
    service,
    `${service}/config/hints.json`,
    ['COPY dist ./dist', 'COPY config ./config'],
    chance,
  )
}

function tenthGauges(
  { topology, gauges }: ProductionFault,
  restarted_s: number,
  chance: Chance,
): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const arrivals = arrivalsOf(topology)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const limited_s = chance.whole(0, LIMITED_EVERY_S)
  /** A limit follows what was asked for, each time that it is worked out. */
  const limitOf = (usual: number) => {
    const by = chance.between(0.05, 0.3)
    return (since_s: number): number =>
      usual * ALLOWED * (Math.floor((since_s + limited_s) / LIMITED_EVERY_S) % 2 === 0 ? 1 : 1 + by)
  }
  const target = (name: string, level: (since_s: number) => number): Gauge[] =>
    gauge(BALANCER, 'balancer_target_requests_per_second', '/s', level, { target: name })
  const ready_s = chance.whole(-4_800, -1_500)
  return [
    ...services.flatMap(({ name }) => {
      const usual = arrivals.get(name) ?? 0
      const cache = cacheOf(name)
      return [
        ...gauge(
          name,
          'container_start_failures_per_minute',
          '1',
          once(START_FAILURES, chance.between(0.2, 1.5)),
        ),
        ...gauge(name, 'http_server_responses_404_per_second', '/s', once(NOT_FOUND, chance.between(0.6, 3))),
        ...gauge(
          name,
          'http_server_empty_writes_per_second',
          '/s',
          once(EMPTY_WRITES, chance.between(0.1, 0.9)),
        ),
        ...gauge(name, 'request_limit_per_second', '/s', limitOf(usual)),
        ...gauge(name, 'client_circuits_open', '1', once(0, 1)),
        ...target(`${name}-1`, () => usual),
        ...gauge(
          cache,
          'redis_connected_clients',
          '1',
          once(CACHE_CLIENTS, CACHE_CLIENTS + chance.whole(1, 4)),
        ),
        ...gauge(cache, 'process_uptime_seconds', 's', (since_s) => RUNNING_S / 2 + since_s),
      ]
    }),
    ...gauge('reports-redis', 'process_uptime_seconds', 's', runningSince(RUNNING_S / 4, restarted_s)),
    ...gauge('reports-redis', 'redis_connected_clients', '1', (since_s) =>
      since_s >= restarted_s && since_s < restarted_s + 60 ? 0 : 4,
    ),
    ...target('reports-web-1', once(2, chance.between(0.5, 5))),
    ...stores.flatMap(({ name }) =>
      ['a', 'b'].flatMap((member) =>
        gauge(name, 'db_memory_used_ratio', '1', once(STORE_MEMORY, chance.between(0.78, 0.88)), { member }),
      ),
    ),
    ...UPLINKS.flatMap((line, index) => [
      ...gauge(line, 'uplink_up', '1', () => 1),
      ...gauge(line, 'uplink_bytes_per_second', 'By/s', index === 0 ? () => UPLINK_BYTES : once(900, 60_000)),
    ]),
    ...gauge(OFFICE_UPLINK, 'uplink_up', '1', once(1, 0)),
    ...gauge(
      OFFICE_UPLINK,
      'uplink_bytes_per_second',
      'By/s',
      once(700_000, chance.between(100_000, 3_000_000)),
    ),
    ...gauge(DAY_JOB, 'job_last_success_age_seconds', 's', readEvery(DAY_S, ready_s)),
    ...gauge(DAY_JOB, 'workload_pods_pending', '1', () => 0),
    ...gauge(HOURLY_JOB, 'job_last_success_age_seconds', 's', readEvery(3_600, chance.whole(0, 3_600))),
    ...gauge(JOB_POOL, 'node_pool_memory_requested_ratio', '1', () => 0.66),
    ...gauge('batch-1', 'node_pool_memory_requested_ratio', '1', once(0.6, chance.between(0.9, 0.99))),
    ...[PARTNER_RULES, 'office-login'].flatMap((name) => {
      const age = readEvery(LISTED_EVERY_S, chance.whole(0, LISTED_EVERY_S))
      return gauge(name, 'revocation_list_remaining_seconds', 's', (since_s) => LIST_LASTS_S - age(since_s))
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the tenth generation. */
function tenthLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    'TypeError: Cannot read properties of undefined (reading "nickname")',
    'circuit to reports-web is open, not sent',
    "Error: ENOENT: no such file or directory, open '/app/cache/hints.json'",
    '404 GET /v3/previews/17',
    '400 PUT /v1/drafts: the body is empty',
    'balance of account 30117 is of yesterday, asking again',
    'connect ENETUNREACH 198.51.100.7:443',
    'reports-redis: connection closed, connecting again',
    'error: report could not be prepared (58030), again',
    'list of revoked certificates is 19 minutes old',
  ]
  return [
    {
      ...{ part: LIMITER, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: `limits of ${services.length} services worked out`,
    },
    {
      ...{ part: HOURLY_JOB, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'waiting for a machine with 6 GB of memory',
    },
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
function tenthRecords(chance: Chance): readonly ToldRecord[] {
  const at = (): number => chance.whole(-4_500, 600)
  return [
    {
      ...{
        after_s: at(),
        kind: 'Pod',
        name: `${HOURLY_JOB}-${chance.whole(100, 900)}`,
        reason: 'FailedScheduling',
      },
      message: '0/4 nodes are available: 4 Insufficient memory.',
    },
    {
      ...{ after_s: at(), kind: 'Pod', name: `badge-printer-${chance.whole(0, 2)}`, reason: 'BackOff' },
      message: 'Back-off restarting failed container badge-printer',
    },
  ]
}

/** What control planes write down now and then: small stores get packages, the offices' line comes and goes. */
function tenthEvents(restarted_s: number, chance: Chance): ProductionFault['events'] {
  const event = (after_s: number, name: string, message: string): ProductionFault['events'][number] => ({
    ...{ after_s, kind: 'notification', reason: 'state', name, message },
  })
  const lost_s = chance.whole(-4_500, 600)
  return [
    event(
      restarted_s,
      'reports-redis',
      `reports-redis: 7.2.${chance.whole(1, 4)} to 7.2.5 by unattended updates, started again`,
    ),
    event(lost_s, OFFICE_UPLINK, `${OFFICE_UPLINK}: no light`),
    event(lost_s + chance.whole(60, 300), OFFICE_UPLINK, `${OFFICE_UPLINK}: light again`),
    event(chance.whole(-4_500, 600), 'reports-db', 'reports-db: its volume did not answer for 3 s'),
    event(chance.whole(-4_500, 600), 'reports-db', 'reports-db: memory used is above 80 %'),
  ]
}

/** A family in a system that is measured, and changed, like every other of the tenth generation. */
export const amongTenthSurroundings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongNinthSurroundings(family)(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    const restarted_s = chance.whole(-4_500, 600)
    const harmless = Array.from({ length: chance.whole(2, 4) }, () => harmlessChange(names, chance))
    return {
      ...fault,
      gauges: [...fault.gauges, ...tenthGauges(fault, restarted_s, chance)],
      lines: [...fault.lines, ...tenthLines(fault, chance)],
      k8s: [...fault.k8s, ...tenthRecords(chance)],
      events: [...fault.events, ...tenthEvents(restarted_s, chance)],
      harmless: [...(fault.harmless ?? []), ...harmless],
    }
  }
