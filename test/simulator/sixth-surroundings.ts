/**
 * What is measured, complained of and changed in every system of the sixth generation, whatever happens to it: what shows
 * one of its faults moves now and then in all of them and harms nobody, and changes of the same shapes as the causes are
 * made to others.
 */
import {
  ALWAYS_S,
  amongFurtherReadings,
  gaugesBeside,
  risingOnce,
  untouchedServices,
} from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { callersOf } from './late-faults.ts'
import {
  type CulpritRecord,
  type Gauge,
  kindOf,
  type ProductionFamily,
  type ProductionFault,
  type ToldLine,
  type ToldRecord,
} from './production-fault.ts'
import type { Chance } from './random.ts'
import type { Part } from './topology.ts'

/** The pages that browsers load, shipped like a service and measured by nobody. */
export const PAGES = 'web-pages'

const PARCELS = 'parcel-tracking'

/** Connections to its datastore that a pod keeps open. */
export const KEPT = 6

/** Connections that some services keep open, all pods together. */
export const keptBy = (services: readonly Part[]): number =>
  services.reduce((sum, { pods }) => sum + KEPT * pods, 0)

/** Connections that a service may keep to its datastore, in the repository of settings. */
export function poolSetting(service: string, from: number, to: number, chance: Chance): CulpritRecord {
  const path = `prod/${service}/database.yaml`
  const entity = chance.pick(['fleet-config', service, undefined])
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 500), files: [path] },
    title: chance.pick([
      'Fewer waits for connections',
      'Connections for the busy season',
      'Tidy up database.yaml',
    ]),
    diff: edited(path, 3, [
      ['database:'],
      [`  poolMax: ${from}`],
      [`  poolMax: ${to}`],
      ['  idleSeconds: 600', '  maxLifetimeSeconds: 1800'],
    ]),
    ...(entity === undefined ? {} : { entity }),
  }
}

interface Probe {
  readonly path: string
  readonly timeout: number
  readonly failures: number
}

/** How the orchestrator asks whether a service is alive, in the repository of manifests. */
export function probeSetting(service: string, from: Probe, to: Probe, chance: Chance): CulpritRecord {
  const path = `apps/${service}/probes.yaml`
  const lines = (probe: Probe): string[] => [
    `    path: ${probe.path}`,
    `  timeoutSeconds: ${probe.timeout}`,
    `  failureThreshold: ${probe.failures}`,
  ]
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(100, 500), files: [path] },
    title: chance.pick([
      'Notice hung processes sooner',
      'Probes as the handbook has them',
      'Tidy up probes.yaml',
    ]),
    diff: edited(path, 6, [
      ['livenessProbe:', '  httpGet:'],
      lines(from),
      lines(to),
      ['  periodSeconds: 10'],
    ]),
    ...(chance.is(0.5) ? { entity: 'fleet-manifests' } : {}),
  }
}

/** A feature that everybody has had for months is taken off the list of those that can be turned off. */
export const archivedFeature = (
  title: string,
  entity: string | undefined,
  after_s: number,
): CulpritRecord => ({
  ...{ kind: 'flag', title, after_s, before: '100 %', after: 'archived' },
  ...(entity === undefined ? {} : { entity }),
})

/** The lines of files that say which image services are built on. */
export const imagesOf = (services: readonly string[], from: string, to: string): string =>
  services
    .map((service) =>
      edited(`${service}/Dockerfile`, 1, [
        [],
        [`FROM node:${from}-slim`],
        [`FROM node:${to}-slim`],
        ['WORKDIR /app', 'COPY package*.json ./'],
      ]),
    )
    .join('\n')

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 4)
  if (shape === 0) {
    const feature = chance.pick(['old-header', 'summer-banner', 'wide-margins', 'round-avatars'])
    return archivedFeature(feature, chance.is(0.6) ? service : undefined, 0)
  }
  if (shape === 1) return poolSetting(service, 8, chance.whole(9, 12), chance)
  if (shape === 2) {
    const usual = { path: '/live', timeout: 5, failures: 6 }
    return probeSetting(service, usual, { ...usual, timeout: 4, failures: chance.pick([5, 8]) }, chance)
  }
  if (shape === 3) {
    const path = `${PAGES}/src/${chance.pick(['menu', 'footer', 'account'])}/style.css`
    return {
      ...{ kind: 'commit', after_s: 0, entity: PAGES, title: 'Larger type on small screens', files: [path] },
      diff: edited(path, 12, [
        ['.label {'],
        ['  font-size: 0.9rem;'],
        ['  font-size: 1rem;'],
        ['  margin: 0;'],
      ]),
    }
  }
  const minor = chance.whole(1, 9)
  return {
    ...{ kind: 'commit', after_s: 0, entity: service, files: [`${service}/Dockerfile`] },
    title: chance.pick(['Latest patches of the image', 'Supported images only']),
    diff: imagesOf([service], `22.${minor}-bookworm`, `22.${minor + 1}-bookworm`),
  }
}

/** Seconds that the oldest transaction is open: a report takes its time once. */
function reportingOnce(chance: Chance): (since_s: number) => number {
  const from_s = chance.whole(-4_500, 900)
  const length_s = chance.whole(240, 900)
  return (since_s) => (since_s >= from_s && since_s < from_s + length_s ? 3 + since_s - from_s : 3)
}

function sixthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const [root] = services
  const gauge = gaugesBeside(gauges, 'any labels')
  const once = (usual: number, most: number): ((since_s: number) => number) => risingOnce(chance, usual, most)
  const routes = (entity: string, all: Readonly<Record<string, number>>): Gauge[] =>
    Object.entries(all).flatMap(([route, usual]) =>
      gauge(
        entity,
        'http_server_requests_by_route_per_second',
        '/s',
        once(usual, usual * chance.between(1.3, 3)),
        { route },
      ),
    )
  const pending = chance.pick(services).name
  return [
    ...stores.flatMap(({ name }) => [
      ...gauge(name, 'db_oldest_transaction_age_seconds', 's', reportingOnce(chance)),
      ...gauge(name, 'db_sessions_waiting_for_lock', '1', once(0.1, chance.whole(1, 6))),
      ...gauge(
        name,
        'db_connections_open',
        '1',
        once(keptBy(callersOf(topology, name)), keptBy(callersOf(topology, name)) * chance.between(1.1, 1.5)),
      ),
    ]),
    ...services.flatMap(({ name, pods, calls }) => {
      const peer = calls.find(({ to }) => kindOf(topology, to) === 'external')?.to ?? PARCELS
      const isStoring = calls.some(({ to }) => kindOf(topology, to) === 'datastore')
      return [
        ...(isStoring
          ? gauge(
              name,
              'db_pool_connections_open',
              '1',
              once(KEPT * pods, chance.whole(KEPT * pods, 8 * pods)),
            )
          : []),
        ...gauge(name, 'feature_flag_defaults_per_second', '/s', once(0.02, chance.between(0.3, 4))),
        ...gauge(name, 'tls_handshake_errors_per_second', '/s', once(0.03, chance.between(0.2, 1.5))),
        ...gauge(name, 'prober_probe_failures_per_second', '/s', once(0.004, chance.between(0.03, 0.2))),
        ...gauge(name, 'http_client_responses_4xx_per_second', '/s', once(0.4, chance.between(0.7, 3)), {
          peer,
        }),
        ...gauge(name, 'workload_pods_pending', '1', name === pending ? once(0, 1) : () => 0),
      ]
    }),
    ...gauge('nightly-export', 'workload_pods_pending', '1', once(0, chance.whole(3, 20))),
    ...gauge('general-1', 'node_pool_nodes_ready', '1', () => 6),
    ...gauge('batch-1', 'node_pool_nodes_ready', '1', once(3, chance.whole(5, 12))),
    ...gauge('spot-1', 'node_pool_nodes_ready', '1', once(4, 3)),
    ...(root === undefined
      ? []
      : routes(root.name, { '/v1/settings': 6, '/v1/search': 14, '/v1/account': 9 })),
    ...routes(chance.pick(services.slice(1)).name, { [`/hooks/${PARCELS}`]: 1.2 }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the sixth generation. */
function sixthLines({ topology }: ProductionFault, chance: Chance): readonly ToldLine[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore')
  const messages = [
    'write EPROTO 80AB2F6C:error:0A000126:SSL routines:ssl3_read_n:unexpected eof while reading',
    `GET https://${PARCELS}.example/v1/parcels answered 404: {"error":"parcel_archived"}`,
    'flag stream closed, asking every 30 s',
    `webhook parcel.updated of ${PARCELS} made 41 s ago, delivery attempt 2`,
    'waited 312 ms for a connection of the pool',
    'worker 3 of 8: SIGTERM received, another takes its place',
    `${PARCELS} announces: Sunset: Thu, 01 Oct 2026 00:00:00 GMT`,
  ]
  const page = chance.pick(['settings', 'search', 'account'])
  const said = { after_s: ALWAYS_S, severity: 'INFO' }
  return [
    {
      ...{ ...said, part: 'ingress-nginx', per_minute: chance.between(1, 4) },
      message: `"GET /v1/${page} HTTP/2" 200 rt=0.0${chance.whole(11, 98)} referer="https://www.example/${page}"`,
    },
    ...stores.flatMap(({ name }) => [
      {
        ...{ ...said, part: name, per_minute: chance.between(0.05, 0.3) },
        message: `LOG:  automatic ${chance.pick(['vacuum', 'analyze'])} of table "app.public.${chance.pick(['devices', 'sessions', 'outbox'])}"`,
      },
      {
        ...{ ...said, part: name, per_minute: chance.between(0.05, 0.3) },
        message: `LOG:  duration: ${chance.whole(1_100, 4_800)}.480 ms  execute <unnamed>: SELECT count(*) FROM archived_devices`,
      },
    ]),
    ...Array.from({ length: chance.whole(1, 3) }, () => ({
      ...{ part: chance.pick(services).name, message: chance.pick(messages), after_s: ALWAYS_S },
      ...{ per_minute: chance.between(0.1, 0.5), severity: 'WARN' },
    })),
  ]
}

/** What the orchestrator writes down every day, of others than those whom it harms. */
function sixthRecords({ topology }: ProductionFault, chance: Chance): readonly ToldRecord[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const at = (): number => chance.whole(-4_500, 900)
  const batch = `nightly-export-${chance.whole(29_540_000, 29_549_999)}`
  return [
    {
      ...{ after_s: at(), kind: 'Pod', name: `${chance.pick(services).name}-0`, reason: 'Unhealthy' },
      message: 'Liveness probe failed: Get "http://10.40.2.17:8080/live": context deadline exceeded',
    },
    {
      ...{ after_s: at(), kind: 'Pod', name: batch, reason: 'FailedScheduling' },
      message: '0/13 nodes are available: 13 Insufficient memory.',
    },
    ...(chance.is(0.6)
      ? [
          {
            ...{ after_s: at(), kind: 'Node', name: 'batch-1-7', reason: 'SpotInterrupted' },
            message: 'Spot interruption warning was triggered',
          },
        ]
      : []),
  ]
}

/** A family whose stores have more connections in use now and then. */
const withBusyConnections =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = family(topology, chance)
    if (fault === null) return null
    const stores = fault.topology.parts.filter(({ kind }) => kind === 'datastore')
    const isTold = (store: string): boolean =>
      fault.gauges.some(({ name, entity }) => name === 'db_connections_active' && entity === store)
    const busy = stores.flatMap(({ name: entity }): Gauge[] =>
      isTold(entity)
        ? []
        : [
            {
              ...{ entity, name: 'db_connections_active', unit: '1' },
              level: risingOnce(chance, 22, chance.whole(26, 48)),
            },
          ],
    )
    return { ...fault, gauges: [...fault.gauges, ...busy] }
  }

/** A family in a system that is measured, and changed, like every other of the sixth generation. */
export const amongSixthSurroundings =
  (family: ProductionFamily): ProductionFamily =>
  (topology, chance) => {
    const fault = amongFurtherReadings(withBusyConnections(family))(topology, chance)
    if (fault === null) return null
    const names = untouchedServices(fault)
    return {
      ...fault,
      gauges: [...fault.gauges, ...sixthGauges(fault, chance)],
      lines: [...fault.lines, ...sixthLines(fault, chance)],
      k8s: [...fault.k8s, ...sixthRecords(fault, chance)],
      harmless: Array.from({ length: chance.whole(2, 4) }, () => harmlessChange(names, chance)),
    }
  }
