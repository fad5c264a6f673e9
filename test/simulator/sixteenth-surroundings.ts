/**
 * What is measured, complained of and changed in every system of the sixteenth generation, whatever happens to it: all that
 * the fifteenth has, and what shows one of the sixteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { amongFifteenthSurroundings } from './fifteenth-surroundings.ts'
import { edited } from './fifth-changed-faults.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { byHand } from './seventh-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'

/** Seconds that the longest transaction of a store has run; processes of its machine that wait for the kernel. */
export const LONGEST_S = 1.4
export const WAITING_PROCESSES = 2
export const ACTIVE = { state: 'active' } as const
export const WAITING = { groupname: 'postgres', state: 'Waiting' } as const

/** Connections to the endpoint of a store that writes go to, and to the one that may only be read. */
export const WRITERS = 64
export const READERS = 18
export const ofDatabase = (store: string): Readonly<Record<string, string>> => ({ datname: store })

/** Queues that services put results into, messages that wait there, and messages that are put in each period. */
export const RESULTS = 'results-queues'
export const VISIBLE = 3
export const SENT = 900
export const resultsOf = (service: string): Readonly<Record<string, string>> => ({
  dimension_QueueName: `${service}-results`,
})
export const canaryResultsOf = (service: string): Readonly<Record<string, string>> => ({
  dimension_QueueName: `${service}-results-canary`,
})

/** What ships services. */
export const PIPELINE = 'deploy-pipeline'

/** Requests a second that a service ends with an exception of its own. */
export const EXCEPTIONS = 0.03
export const EXCEPTION_LABELS = { exception: 'NotFound', status: '500', uri: '/v1/messages' } as const

/** What joins networks, and another of the offices; packets without a way in each period, and bytes that come in. */
export const GATEWAY = 'tgw-shared'
const OFFICE_GATEWAY = 'tgw-office'
export const NO_ROUTE = 3
export const BYTES_IN = 840_000_000
/** Where the interface is asked for from outside. */
export const INTERFACE = 'api-edge'
export const ASKED_OUTSIDE = { target: 'https://api.kiosk.example/v1/ping' } as const

/** The first and the second router between two data centres, and one of the offices; what each sends, bytes a second. */
export const CORE_ROUTERS = ['cr1-dc1', 'cr2-dc1'] as const
const OFFICE_CORE = 'cr1-office'
export const PEER = { bgpPeerRemoteAddr: '10.52.0.2' } as const
/** As BGP4-MIB counts states of a peer. */
export const ESTABLISHED = 6
export const IDLE = 1
export const SENDING = 61_000_000
export const SPARE_SENDING = 2_100
export const CORE_PORT = { ifDescr: 'TenGigE0/0/0/1' } as const
/** The two data centres. */
export const CENTRES = ['dc-1', 'dc-2'] as const
export const centreProbe = (centre: string): Readonly<Record<string, string>> => ({ target: centre })

/** Bytes that a service's old generation may have, share of them in use, and seconds a second that it collects. */
export const OLD_BYTES = 4_294_967_296
export const OLD_USED = 0.58
export const COLLECTING = 0.004
export const OLD_GENERATION = { area: 'heap', id: 'G1 Old Gen' } as const

/** The cluster that documents lie in, and that of backups; its daemons, and milliseconds that each takes to commit. */
export const CLUSTER = 'ceph-docs'
const BACKUP_CLUSTER = 'ceph-backups'
export const DAEMONS = ['osd.0', 'osd.1', 'osd.2', 'osd.3', 'osd.4', 'osd.5'] as const
export const COMMIT_MS = 6
export const HEALTH_WARN = 1
export const HEALTH_ERR = 2

/** What keeps answers before the services; answers a second of each with 5xx, and seconds a second that a disk is busy. */
export const ANSWER_CACHES = ['api-cache-1', 'api-cache-2', 'api-cache-3'] as const
export const CACHE_ERRORS = 0.04
export const CACHE_DISK = { device: 'sdb' } as const
export const CACHE_DRIVE = { disk: '/dev/sdb', type: 'sat' } as const
export const CACHE_CODES = { code: '5xx', host: 'api' } as const
export const DISK_BUSY = 0.06

/** An account at an outside host, another there, machines of each, and the host's own interface. */
export const ACCOUNT = 'hosting-donated'
const OTHER_ACCOUNT = 'hosting-lab'
export const HOST = 'hosting.example'
export const INSTANCES = 14
export const HTTP_OK = 200
export const IDENTITY = { target: 'https://identity.hosting.example/v3/auth/tokens' } as const
/** What sees to it that machines are there. */
export const KEEPER = 'machine-keeper'

/** A store gets another version, which takes long. */
export const storeUpgrade = (store: string, what: string, entity: string | undefined): CulpritRecord =>
  byHand(`${store}: upgrade of the server, ${what}`, 0, entity)

/** A store is begun anew for its own good. */
export const storeRestart = (store: string, what: string, entity: string | undefined): CulpritRecord =>
  byHand(`${store}: preventive maintenance, ${what}`, 0, entity)

/** Another way to ship services. */
export function pipelineStep(gone: readonly string[], come: readonly string[], title: string): CulpritRecord {
  const path = `${PIPELINE}/src/release.ts`
  return release(PIPELINE, title, {
    [path]: edited(path, 37, [
      ['export function environmentOf({ service, region, flags }: Release): Environment {'],
      gone,
      come,
      ['  return environment', '}'],
    ]),
  })
}

/** What a service does with errors of those that it asks. */
export function caughtErrors(
  service: string,
  client: string,
  [before, after]: readonly [before: string, after: string],
  title: string,
): CulpritRecord {
  const path = `${service}/src/main/java/${client}/${client}Lookup.java`
  return release(service, title, {
    [path]: edited(path, 44, [
      ['    try {', `      return Optional.of(${client}.find(id));`],
      [`    } catch (${before} e) {`],
      [`    } catch (${after} e) {`],
      ['      return Optional.empty();', '    }'],
    ]),
  })
}

/** Other routes between networks. */
export function routesOf(
  gateway: string,
  [before, after]: readonly [before: string, after: string],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `networks/${gateway}/routes.tf`
  return {
    ...{ kind: 'infra', after_s: 0, applied_after_s: chance.whole(20, 120), files: [path] },
    title,
    diff: edited(path, 61, [
      ['resource "aws_ec2_transit_gateway_route" "this" {', '  destination_cidr_block         = each.value'],
      [`  transit_gateway_attachment_id  = ${before}`],
      [`  transit_gateway_attachment_id  = ${after}`],
      ['}'],
    ]),
    ...(chance.is(0.6) ? { entity: gateway } : {}),
  }
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const named = (name: string): string | undefined => (chance.is(0.6) ? name : undefined)
  const shape = chance.whole(0, 4)
  if (shape === 0) return storeUpgrade('reports-db', 'nightly copy first', named('reports-db'))
  if (shape === 1)
    return storeRestart('reports-db', 'machine by machine in the quiet hour', named('reports-db'))
  if (shape === 2)
    return pipelineStep(
      ['  environment.REGION = region'],
      ['  environment.REGION = region.toLowerCase()'],
      chance.pick(['Regions in small letters', 'One spelling for regions']),
    )
  if (shape === 3)
    return caughtErrors(
      chance.pick(services),
      'Hints',
      [
        'FeignException.NotFound | FeignException.Gone',
        'FeignException.NotFound | FeignException.Gone | RetryableException',
      ],
      chance.pick(['Hints are optional', 'Go on without hints']),
    )
  return routesOf(
    OFFICE_GATEWAY,
    ['local.printers_attachment', 'local.office_attachment'],
    chance.pick(['Routes of the offices', 'Printers have moved']),
    chance,
  )
}

function sixteenthGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const restarted_s = chance.whole(-4_500, 600)
  return [
    ...services.flatMap((name) => {
      const used = OLD_USED * chance.between(0.6, 1.3)
      return [
        ...gauge(
          RESULTS,
          'aws_sqs_approximate_number_of_messages_visible_average',
          '1',
          once(VISIBLE, chance.whole(20, 240)),
          resultsOf(name),
        ),
        ...gauge(
          RESULTS,
          'aws_sqs_approximate_number_of_messages_visible_average',
          '1',
          once(0, chance.whole(2, 40)),
          canaryResultsOf(name),
        ),
        ...gauge(
          RESULTS,
          'aws_sqs_number_of_messages_sent_average',
          '1',
          once(SENT, SENT * chance.between(0.7, 1.5)),
          resultsOf(name),
        ),
        ...gauge(
          name,
          'http_server_requests_seconds_count:rate1m',
          '/s',
          once(EXCEPTIONS, chance.between(0.2, 1.1)),
          EXCEPTION_LABELS,
        ),
        ...gauge(
          name,
          'jvm_memory_used_bytes',
          'By',
          once(OLD_BYTES * used, OLD_BYTES * used * chance.between(1.05, 1.2)),
          OLD_GENERATION,
        ),
        ...gauge(name, 'jvm_gc_pause_seconds_sum:rate1m', '1', once(COLLECTING, chance.between(0.01, 0.09))),
      ]
    }),
    ...[...stores, 'reports-db'].flatMap((name) => [
      ...gauge(
        name,
        'pg_stat_activity_max_tx_duration',
        's',
        once(LONGEST_S, name === 'reports-db' ? chance.whole(300, 1_900) : chance.whole(20, 200)),
        ACTIVE,
      ),
      ...gauge(
        `${name}-host`,
        'namedprocess_namegroup_states',
        '1',
        once(WAITING_PROCESSES, chance.whole(5, 24)),
        WAITING,
      ),
      ...gauge(name, 'aws_rds_engine_uptime_average', 's', (since_s) =>
        name === 'reports-db' && since_s >= restarted_s ? since_s - restarted_s : RUNNING_S + since_s,
      ),
      ...gauge(
        `${name}-writer`,
        'pg_stat_database_numbackends',
        '1',
        once(WRITERS, WRITERS * chance.between(0.8, 1.3)),
        ofDatabase(name),
      ),
      ...gauge(
        `${name}-reader`,
        'pg_stat_database_numbackends',
        '1',
        once(READERS, READERS * chance.between(0.8, 1.6)),
        ofDatabase(name),
      ),
    ]),
    ...[GATEWAY, OFFICE_GATEWAY].flatMap((name) => [
      ...gauge(
        name,
        'aws_transitgateway_packet_drop_count_no_route_sum',
        '1',
        once(NO_ROUTE, name === GATEWAY ? chance.whole(8, 60) : chance.whole(90, 900)),
      ),
      ...gauge(
        name,
        'aws_transitgateway_bytes_in_sum',
        'By',
        once(BYTES_IN, BYTES_IN * chance.between(0.7, 1.4)),
      ),
    ]),
    ...gauge(INTERFACE, 'probe_success', '1', () => 1, ASKED_OUTSIDE),
    ...[...CORE_ROUTERS, OFFICE_CORE].flatMap((name) => {
      const usual = name === CORE_ROUTERS[1] ? SPARE_SENDING : SENDING
      return [
        ...gauge(
          name,
          'bgpPeerState',
          '1',
          name === OFFICE_CORE ? once(ESTABLISHED, IDLE) : () => ESTABLISHED,
          PEER,
        ),
        ...gauge(
          name,
          'ifHCOutOctets:rate1m',
          'By/s',
          once(usual, usual * chance.between(0.6, 1.6)),
          CORE_PORT,
        ),
      ]
    }),
    ...CENTRES.flatMap((name) => gauge(name, 'probe_success', '1', () => 1, centreProbe(name))),
    ...[CLUSTER, BACKUP_CLUSTER].flatMap((name) => [
      ...gauge(name, 'ceph_health_status', '1', once(0, HEALTH_WARN)),
      ...gauge(name, 'ceph_healthcheck_slow_ops', '1', once(0, chance.whole(1, name === CLUSTER ? 6 : 70))),
      ...DAEMONS.flatMap((ceph_daemon) =>
        gauge(
          name,
          'ceph_osd_commit_latency_ms',
          'ms',
          once(COMMIT_MS, chance.whole(12, name === CLUSTER ? 60 : 400)),
          { ceph_daemon },
        ),
      ),
    ]),
    ...[...ANSWER_CACHES, 'thumbnail-cache-1'].flatMap((name) => [
      ...gauge(
        name,
        'nginx_vts_server_requests_total:rate1m',
        '/s',
        once(CACHE_ERRORS, chance.between(0.2, 1.2)),
        CACHE_CODES,
      ),
      ...gauge(
        name,
        'node_disk_io_time_seconds_total:rate1m',
        '1',
        once(DISK_BUSY, chance.between(0.12, 0.5)),
        CACHE_DISK,
      ),
      ...gauge(
        name,
        'smartmon_device_smart_healthy',
        '1',
        name === 'thumbnail-cache-1' ? once(1, 0) : () => 1,
        CACHE_DRIVE,
      ),
    ]),
    ...[ACCOUNT, OTHER_ACCOUNT].flatMap((name) => [
      ...gauge(
        name,
        'openstack_nova_limits_instances_used',
        '1',
        name === ACCOUNT ? once(INSTANCES, INSTANCES + 1) : once(5, chance.whole(1, 3)),
        { tenant: name },
      ),
    ]),
    ...gauge(HOST, 'probe_http_status_code', '1', () => HTTP_OK, IDENTITY),
    ...gauge('status.hosting.example', 'probe_http_status_code', '1', once(HTTP_OK, 503), {
      target: 'https://status.hosting.example/',
    }),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the sixteenth generation. */
function sixteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) server closed the connection unexpectedly',
    'error: cannot execute REFRESH MATERIALIZED VIEW in a read-only transaction',
    'TimeoutError: no hint for run 118 within 500 ms',
    'feign.RetryableException: Read timed out executing GET http://hints/v1/hints/7',
    'upstream prematurely closed connection while reading response header from upstream',
    '[gc] GC(811) Pause Young (Normal) (G1 Evacuation Pause) 2204M->1811M(4096M) 41.207ms',
    'could not read preview: java.io.FileNotFoundException: /mnt/docs/previews/11/3.png',
    'keystoneauth1.exceptions.connection.ConnectTimeout: Request to https://identity.hosting.example/v3/auth/tokens timed out',
  ]
  return [
    {
      ...{ part: OFFICE_CORE, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: '%BGP-5-ADJCHANGE: neighbor 10.60.0.2 Up',
    },
    {
      ...{ part: BACKUP_CLUSTER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message: `Health check update: ${chance.whole(2, 9)} slow ops, oldest one blocked for 31 sec, osd.11 has slow ops (SLOW_OPS)`,
    },
    {
      ...{ part: ANSWER_CACHES[0], per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message:
        'an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/4/00/0000000004',
    },
    {
      ...{ part: KEEPER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `${INSTANCES} of ${INSTANCES} machines are ACTIVE (${ACCOUNT})`,
      ...(fault.entity === ACCOUNT ? { until_s: 0 } : {}),
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const sixteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'badge-printer-0', reason: 'Unhealthy' },
    message: 'Liveness probe failed: HTTP probe failed with statuscode: 500',
  },
]

/** What control planes write down now and then: others' routers are seen to, others' stores are begun anew. */
const sixteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [
      OFFICE_CORE,
      `CHG00${chance.whole(10_000, 39_999)}: maintenance of ${OFFICE_CORE} has begun (data centre)`,
    ],
    ['reports-db', 'DB instance restarted'],
    [OTHER_ACCOUNT, `${OTHER_ACCOUNT}: invoice of February is settled`],
    ['thumbnail-cache-1', 'thumbnail-cache-1: a drive is to be replaced on Thursday'],
  ])

/** A family in a system that is measured, and changed, like every other of the sixteenth generation. */
export const amongSixteenthSurroundings = surroundedBy(amongFifteenthSurroundings, {
  gauges: sixteenthGauges,
  lines: sixteenthLines,
  k8s: sixteenthRecords,
  events: sixteenthEvents,
  harmless: harmlessChange,
})
