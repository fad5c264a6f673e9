/**
 * What is measured, complained of and changed in every system of the seventh generation, whatever happens to it: all that
 * the sixth has, and what shows one of the seventh's faults besides. It moves now and then in all of them and harms nobody,
 * and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce, untouchedServices } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import type {
  CulpritRecord,
  Gauge,
  ProductionFamily,
  ProductionFault,
  ToldLine,
  ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import { amongSixthSurroundings } from './sixth-surroundings.ts'

/** What passes on connections to the stores, and what passes on those from outside. */
export const STORE_FIREWALL = 'fw-data-1'
const EDGE_FIREWALL = 'fw-edge-1'
/** Connections that one of them keeps account of. */
export const SESSIONS = 420

/** Who answers for the names of the system. */
export const NAME_SERVERS = ['ns-1', 'ns-2', 'ns-3'] as const

/** What spreads requests over the pods of services. */
export const BALANCER = 'internal-lb'

/** Messages a second that one worker of a service passes on. */
export const SENT_EACH = 5

/** A store that nobody here asks. */
const REPORTS = 'reports-db'

/** Something that somebody did to a machine or a store by hand, as the record of maintenances has it: without a diff. */
export const byHand = (title: string, after_s: number, entity: string | undefined): CulpritRecord => ({
  ...{ kind: 'infra', title, after_s },
  ...(entity === undefined ? {} : { entity }),
})

/** How images are built: packages are kept between builds. */
export function cachedBuild(chance: Chance): Pick<CulpritRecord, 'files' | 'diff' | 'title'> {
  const path = 'build/service.Dockerfile'
  return {
    title: chance.pick(['Faster builds', 'Keep packages between builds', 'One syntax for all images']),
    files: [path],
    diff: [
      edited(path, 1, [
        [],
        ['# syntax=docker/dockerfile:1'],
        ['# syntax=docker/dockerfile:experimental'],
        ['ARG BASE'],
      ]),
      edited(path, 14, [
        ['COPY requirements.txt ./'],
        ['RUN pip install -r requirements.txt'],
        ['RUN --mount=type=cache,target=/root/.cache pip install -r requirements.txt'],
        ['COPY . .'],
      ]),
    ].join('\n'),
  }
}

/** A step of the schema of a store, in the repository of the service that it belongs to. */
export const schemaStep = (
  service: string,
  { title, step, sql }: { readonly title: string; readonly step: string; readonly sql: readonly string[] },
): CulpritRecord => {
  const path = `${service}/migrations/${step}.sql`
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, title, files: [path] },
    diff: edited(path, 1, [['SET search_path TO app;'], [], sql, []]),
  }
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): readonly CulpritRecord[] {
  const service = chance.pick(services)
  const shape = chance.whole(0, 5)
  const named = (entity: string): string | undefined => (chance.is(0.6) ? entity : undefined)
  if (shape === 0) {
    const device = chance.pick([EDGE_FIREWALL, 'fw-office-2'])
    return [byHand(`${device}: replaced by its spare, hardware warnings`, 0, named(device))]
  }
  if (shape === 1) {
    const table = chance.pick(['visits_p02', 'exports_p07'])
    const step = chance.whole(1, 2)
    return [byHand(`${REPORTS}: move ${table} to ${REPORTS}-2, step ${step} of 2`, 0, named(REPORTS))]
  }
  if (shape === 2) {
    const server = chance.pick(['ns-office-1', 'ns-office-2'])
    return [byHand(`${server}: settings of zone transfers, applied by hand`, 0, named(server))]
  }
  if (shape === 3) {
    const index = chance.pick(['visits_by_day', 'exports_by_owner'])
    const did = chance.pick(['built', 'dropped'])
    return [byHand(`${REPORTS}: index ${index} ${did}`, 0, named(REPORTS))]
  }
  if (shape === 4) return [{ kind: 'commit', after_s: 0, entity: service, ...cachedBuild(chance) }]
  const step = `0${chance.whole(101, 139)}_notes`
  return [
    schemaStep(service, {
      ...{ title: 'Room for notes', step },
      sql: ['ALTER TABLE exports ADD COLUMN notes text;'],
    }),
    byHand(`${service}: migration ${step} on ${REPORTS}`, 0, named(service)),
  ]
}

function seventhGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const gauge = gaugesBeside(gauges, 'the same labels')
  /** A level that is another once for a while, more or less than usual. */
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const restarted = chance.pick(stores).name
  return [
    ...[STORE_FIREWALL, EDGE_FIREWALL].flatMap((name) =>
      gauge(name, 'firewall_sessions', '1', once(SESSIONS, SESSIONS * chance.between(0.6, 0.9))),
    ),
    ...NAME_SERVERS.flatMap((name) =>
      gauge(name, 'dns_responses_servfail_per_second', '/s', once(0.1, chance.between(0.4, 3))),
    ),
    ...stores.flatMap(({ name }) => [
      ...gauge(name, 'db_up', '1', () => 1),
      ...gauge(`${name}-standby`, 'db_up', '1', name === restarted ? once(1, 0) : () => 1),
      ...gauge(name, 'db_sessions_waiting_for_sync', '1', once(0.1, chance.whole(1, 5))),
      ...gauge(name, 'db_statement_errors_per_second', '/s', once(0.3, chance.between(0.8, 4))),
      ...gauge(name, 'db_partitions_offline', '1', () => 0),
    ]),
    ...gauge(REPORTS, 'db_partitions_offline', '1', once(0, chance.whole(1, 2))),
    ...services.flatMap(({ name, pods }) => [
      ...gauge(name, 'tcp_retransmits_per_second', '/s', once(0.5, chance.between(1, 6))),
      ...gauge(BALANCER, 'balancer_list_age_seconds', 's', once(8, chance.whole(40, 240)), { backend: name }),
      ...gauge(BALANCER, 'balancer_servers_up', '1', once(pods, Math.max(1, pods - 1)), {
        backend: name,
      }),
      ...Array.from({ length: pods }, (_, worker) => [
        ...gauge(
          name,
          'worker_messages_sent_per_second',
          '/s',
          once(SENT_EACH, SENT_EACH * chance.between(0.5, 1.6)),
          {
            worker: String(worker),
          },
        ),
        ...gauge(name, 'worker_requests_waiting', '1', once(2, chance.whole(4, 40)), {
          worker: String(worker),
        }),
      ]).flat(),
    ]),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the seventh generation. */
function seventhLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const messages = [
    `connect ETIMEDOUT ${REPORTS}:5432`,
    'error: export could not be loaded (55000)',
    'visitors.example: 503 no healthy upstream',
    'MongoServerError: operation exceeded time limit: count exports',
    'timeout exceeded when trying to connect',
    'TypeError: weekday() got an unexpected keyword argument (telemetry.py)',
    'error: canceling statement due to statement timeout: select exports',
    'dispatcher: 40 requests wait to be sent',
    'skipped a page of 0 bytes while the archive was read',
  ]
  const said = { after_s: ALWAYS_S, severity: 'INFO' }
  return [
    ...services.map(({ name, pods }) => ({
      ...{ ...said, part: BALANCER, per_minute: chance.between(0.05, 0.3) },
      message: `backend ${name}: ${pods} of 8 slots in use, 0 added, 0 removed`,
    })),
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** What the orchestrator writes down every day: services have fewer pods at quiet times, and jobs run. */
function seventhRecords({ topology }: ProductionFault, chance: Chance): readonly ToldRecord[] {
  const { name, pods } = chance.pick(topology.parts.filter(({ kind }) => kind === 'service'))
  const at = (): number => chance.whole(-4_500, 900)
  return [
    {
      ...{ after_s: at(), kind: 'HorizontalPodAutoscaler', name, reason: 'SuccessfulRescale' },
      message: `New size: ${pods}; reason: All metrics below target`,
    },
    {
      ...{ after_s: at(), kind: 'Job', name: 'reports-migrate', reason: 'SuccessfulCreate' },
      message: `Created pod: reports-migrate-${chance.whole(1_000, 9_999)}`,
    },
  ]
}

/** A family in a system that is measured, and changed, like every other of the seventh generation. */
export const amongSeventhSurroundings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongSixthSurroundings(family)(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    const harmless = Array.from({ length: chance.whole(2, 4) }, () => harmlessChange(names, chance)).flat()
    return {
      ...fault,
      gauges: [...fault.gauges, ...seventhGauges(fault, chance)],
      lines: [...fault.lines, ...seventhLines(fault, chance)],
      k8s: [...fault.k8s, ...seventhRecords(fault, chance)],
      harmless: [...(fault.harmless ?? []), ...harmless],
    }
  }
