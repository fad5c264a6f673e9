/**
 * What is measured, complained of and changed in every system of the fifteenth generation, whatever happens to it: all that
 * the fourteenth has, and what shows one of the fifteenth's faults besides. It moves now and then in all of them and harms
 * nobody, and changes of the same shapes as the causes are made to others.
 */
import { BROKER, MAIL_BROKER } from './eleventh-surroundings.ts'
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { edited } from './fifth-changed-faults.ts'
import { amongFourteenthSurroundings } from './fourteenth-surroundings.ts'
import type { CulpritRecord, Gauge, ProductionFault, ToldLine, ToldRecord } from './production-fault.ts'
import type { Chance } from './random.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { ZONES } from './thirteenth-surroundings.ts'

/** What keeps credentials for a while, how many keys it has, and lookups a second that find nothing in it. */
export const CREDENTIALS_CACHE = 'credentials-cache'
export const KEYS = 84_000
export const MISSES = 3
export const CACHE_DB = { db: 'db0' } as const

/** Messages that wait in a queue of the broker, and those of them that are on its disk alone. */
export const READY = 14
export const PAGED_OUT = 0.2
export const queueOf = (service: string): Readonly<Record<string, string>> => ({
  queue: `${service}.web`,
  vhost: '/',
})

/** Where files lie that one service writes and another hands out; answers a second with 403. */
export const MEDIA = '/srv/media'
export const FORBIDDEN = 0.05
export const FORBIDDEN_LABELS = { server: 'srv0', code: '403' } as const

/** Transactions a second of a store that are rolled back. */
export const ROLLBACKS = 0.3

/** What lets connections into the zones of data, another of the laboratories; packets a second that each declines. */
export const FIREWALL = 'fw-campus-1'
const LAB_FIREWALL = 'fw-lab-1'
export const DECLINED = 6

/** Where the prober asks a service whether it is there. */
export const probeOf = (service: string): Readonly<Record<string, string>> => ({
  target: `https://${service}.internal/healthz`,
})

/** Routers before some services, and one of the offices; their ports, and packets a second with errors. */
export const ACCESS_ROUTER = 'ar-west-1'
const OTHER_ROUTERS = ['ar-east-1', 'ar-office-1'] as const
export const ACCESS_PORTS = ['GigabitEthernet2/0/0', 'GigabitEthernet2/1/0'] as const
export const PORT_ERRORS = 0.02
/** As IF-MIB counts states of a port. */
export const PORT_UP = 1
export const PORT_DOWN = 2

/** Seconds that an echo from a zone takes, and segments a second that a machine sends once more. */
export const ECHO_S = 0.0009
export const RESENT = 2

/** The provider's storage that disks of stores lie on; reads and writes that a disk is busy with. */
export const STORAGE = 'storage-westeurope'
export const BUSY_WITH = 1.2
const OTHER_HOST = 'reports-host-2'
export const DISK = { device: 'sdc' } as const
export const DATA_MOUNT = { mountpoint: '/var/lib/postgresql' } as const

/** What a service brings away to outside, bytes left for what waits, parts that wait, and milliseconds to a first byte. */
export const BUCKET = 'archive-bucket'
export const FREE_BYTES = 42_000_000_000
export const SEGMENTS = 4
export const FIRST_BYTE_MS = 70
export const spoolOf = (service: string): Readonly<Record<string, string>> => ({
  persistentvolumeclaim: `${service}-spool`,
})

/** How a service gets at something that it keeps for a while. */
export function loading(
  service: string,
  thing: string,
  [gone, come]: readonly [gone: readonly string[], come: readonly string[]],
  title: string,
): CulpritRecord {
  const path = `${service}/src/${thing}/load.ts`
  return release(service, title, {
    [path]: edited(path, 9, [
      [`export async function ${thing}Of(owner: string, { cache, store }: From) {`],
      gone,
      come,
      ['}'],
    ]),
  })
}

/** Another policy for the queues of a service. */
export function queuePolicy(
  broker: string,
  service: string,
  [gone, come]: readonly [gone: string, come: string],
  title: string,
  chance: Chance,
): CulpritRecord {
  const path = `brokers/prod/${broker}.json`
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(30, 200), files: [path] },
    title,
    diff: edited(path, 18, [
      ['  "policies": [', `    {"vhost": "/", "name": "${service}", "pattern": "^${service}\\\\.",`],
      [`     "apply-to": "queues", "definition": {${gone}}}`],
      [`     "apply-to": "queues", "definition": {${come}}}`],
      ['  ],'],
    ]),
    ...(chance.is(0.6) ? { entity: broker } : {}),
  }
}

/** Files are written beside where they belong, and then put there at once. */
export function writtenAtOnce(
  service: string,
  folder: string,
  before: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/store/write.py`
  return release(service, title, {
    [path]: edited(path, 11, [
      [`ROOT = Path("${folder}")`, '', 'def write_artifact(path: Path, data: bytes) -> None:'],
      ['    path.write_bytes(data)'],
      [
        '    fd, tmp = tempfile.mkstemp(dir=path.parent)',
        '    with os.fdopen(fd, "wb") as out:',
        '        out.write(data)',
        ...before,
        '    os.replace(tmp, path)',
      ],
      ['    log.debug("written %s", path)'],
    ]),
  })
}

/** Another setting of a store, as the tool applies it that knows what it shall be. */
export function storeSetting(
  store: string,
  parameter: string,
  [before, after]: readonly [before: number, after: number],
  chance: Chance,
): CulpritRecord {
  const path = `databases/prod/${store}.tf`
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(60, 300), files: [path] },
    title: chance.pick([`${store}: ready for next week's release`, `${parameter} of ${store}`]),
    diff: edited(path, 27, [
      ['resource "aws_rds_cluster_parameter_group" "this" {', `    name         = "${parameter}"`],
      [`    value        = "${before}"`],
      [`    value        = "${after}"`],
      ['    apply_method = "pending-reboot"', '}'],
    ]),
    ...(chance.is(0.6) ? { entity: store } : {}),
  }
}

/** What a firewall lets through to a range of addresses. */
export function accessRule(firewall: string, range: string, title: string, chance: Chance): CulpritRecord {
  const path = `firewalls/${firewall}.cfg`
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(20, 150), files: [path] },
    title,
    diff: edited(path, 212, [
      [`access-list outside_in remark range ${range}`],
      [`access-list outside_in extended permit tcp any ${range} 255.255.255.0 eq 443`],
      [`access-list outside_in extended deny ip any ${range} 255.255.255.0`],
      ['access-list outside_in remark mail'],
    ]),
    ...(chance.is(0.6) ? { entity: firewall } : {}),
  }
}

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 4)
  if (shape === 0)
    return loading(
      service,
      'preferences',
      [
        ['  const kept = await cache.get(owner)', '  return kept ?? (await store.get(owner))'],
        ['  return (await cache.get(owner)) ?? (await store.get(owner))'],
      ],
      chance.pick(['One line to load preferences', 'Tidy up how preferences are loaded']),
    )
  if (shape === 1)
    return chance.is(0.5)
      ? queuePolicy(
          MAIL_BROKER,
          'digest',
          ['"queue-mode": "lazy"', '"queue-mode": "default"'],
          chance.pick(['Queues of the mails', `${MAIL_BROKER}: policies of digests`]),
          chance,
        )
      : queuePolicy(
          BROKER,
          'thumbnail',
          ['"max-length": 200000', '"max-length": 400000'],
          chance.pick(['Room for thumbnails', `${BROKER}: policies of thumbnails`]),
          chance,
        )
  if (shape === 2)
    return writtenAtOnce(
      service,
      '/srv/exports',
      ['    os.chmod(tmp, 0o644)'],
      chance.pick(['Exports are whole or not there', 'Write exports at once']),
    )
  if (shape === 3) return storeSetting('reports-db', 'work_mem', [16_384, 32_768], chance)
  return accessRule(
    chance.pick([FIREWALL, LAB_FIREWALL]),
    chance.pick(['10.48.9.0', '10.48.11.0']),
    chance.pick(['Laboratories that have moved', 'Ranges that nobody has now']),
    chance,
  )
}

function fifteenthGauges({ topology, gauges, hosting }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service').map(({ name }) => name)
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const reportsMoved = once(0, 1)
  return [
    ...services.flatMap((name) => [
      ...gauge(
        BROKER,
        'rabbitmq_queue_messages_ready',
        '1',
        once(READY, chance.whole(60, 900)),
        queueOf(name),
      ),
      ...gauge(BROKER, 'rabbitmq_queue_messages_paged_out', '1', () => PAGED_OUT, queueOf(name)),
      ...gauge(
        name,
        'caddy_http_request_duration_seconds_count:rate1m',
        '/s',
        once(FORBIDDEN, chance.between(0.2, 1.4)),
        FORBIDDEN_LABELS,
      ),
      ...gauge(name, 'probe_success', '1', () => 1, probeOf(name)),
      ...gauge(name, 'up', '1', () => 1),
      ...gauge(
        name,
        'kubelet_volume_stats_available_bytes',
        'By',
        once(FREE_BYTES, FREE_BYTES * chance.between(0.3, 0.7)),
        spoolOf(name),
      ),
      ...gauge(name, 'spool_segments_pending', '1', once(SEGMENTS, chance.whole(20, 160))),
    ]),
    ...gauge(BROKER, 'rabbitmq_queue_messages_paged_out', '1', once(0, chance.whole(800, 4_000)), {
      ...queueOf('thumbnail'),
    }),
    ...gauge('lab-data', 'probe_success', '1', once(1, 0), { target: 'https://lab-data.example/healthz' }),
    ...gauge('thumbnail-batch-4', 'up', '1', once(1, 0)),
    ...[CREDENTIALS_CACHE, 'sessions-cache'].flatMap((name) => [
      ...gauge(name, 'redis_db_keys', '1', once(KEYS, KEYS * chance.between(0.6, 1.3)), CACHE_DB),
      ...gauge(name, 'redis_keyspace_misses:rate1m', '/s', once(MISSES, chance.between(5, 20))),
    ]),
    ...[...stores, 'reports-db'].flatMap((name) => [
      ...gauge(`${name}-1`, 'pg_replication_is_replica', '1', name === 'reports-db' ? reportsMoved : () => 0),
      ...gauge(`${name}-2`, 'pg_replication_is_replica', '1', (since_s) =>
        name === 'reports-db' ? 1 - reportsMoved(since_s) : 1,
      ),
      ...gauge(
        `${name}-1`,
        'pg_stat_database_xact_rollback:rate1m',
        '/s',
        once(ROLLBACKS, chance.between(0.6, 3)),
      ),
      ...gauge(name, 'pg_up', '1', name === 'reports-db' ? once(1, 0) : () => 1),
    ]),
    ...[...stores.map((name) => `${name}-host`), OTHER_HOST].flatMap((name) => [
      ...gauge(name, 'node_disk_io_now', '1', once(BUSY_WITH, chance.between(6, 30)), DISK),
      ...gauge(name, 'node_filesystem_readonly', '1', () => 0, DATA_MOUNT),
    ]),
    ...gauge('batch-1-7', 'node_filesystem_readonly', '1', once(0, 1), { mountpoint: '/mnt/scratch' }),
    ...gauge(FIREWALL, 'cufwConnGlobalNumPolicyDeclined:rate1m', '/s', once(DECLINED, chance.between(9, 40))),
    ...gauge(
      LAB_FIREWALL,
      'cufwConnGlobalNumPolicyDeclined:rate1m',
      '/s',
      once(DECLINED, chance.between(20, 140)),
    ),
    ...[ACCESS_ROUTER, ...OTHER_ROUTERS].flatMap((name) =>
      ACCESS_PORTS.flatMap((ifDescr) => [
        ...gauge(
          name,
          'ifOperStatus',
          '1',
          name === 'ar-office-1' ? once(PORT_UP, PORT_DOWN) : () => PORT_UP,
          { ifDescr },
        ),
        ...gauge(name, 'ifInErrors:rate1m', '/s', once(PORT_ERRORS, chance.between(0.5, 6)), { ifDescr }),
      ]),
    ),
    ...ZONES.flatMap((name) => [
      ...gauge(name, 'probe_icmp_duration_seconds', 's', once(ECHO_S, chance.between(0.0014, 0.006)), {
        phase: 'rtt',
      }),
      ...gauge(name, 'probe_success', '1', () => 1, { target: name }),
    ]),
    ...[...(hosting?.nodes ?? []), 'batch-1-7'].flatMap((node) => [
      ...gauge(node, 'node_netstat_Tcp_RetransSegs:rate1m', '/s', once(RESENT, chance.between(4, 16)), {
        node,
      }),
      ...gauge(
        node,
        'aws_ec2_status_check_failed_system_maximum',
        '1',
        node === 'batch-1-7' ? once(0, 1) : () => 0,
        { node },
      ),
    ]),
    ...gauge(BUCKET, 'aws_s3_first_byte_latency_average', 'ms', once(FIRST_BYTE_MS, chance.whole(110, 320))),
    ...gauge('reports-bucket', 'aws_s3_first_byte_latency_average', 'ms', once(90, chance.whole(300, 1_400))),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the fifteenth generation. */
function fifteenthLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'DeviceNotRegistered: "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]" is not a registered push notification recipient',
    'MassTransit.ConnectionException: Connection is stopping and cannot be used: rabbitmq://mail-broker/',
    'open /srv/exports/2026-02.csv: no such file or directory',
    'error: cannot execute CREATE TABLE in a read-only transaction',
    'Error: connect ETIMEDOUT 10.48.9.7:443',
    'dial tcp 10.40.9.9:9102: connect: connection refused',
    'SlowDown: Please reduce your request rate.',
    '14 UNAVAILABLE: Connection dropped',
  ]
  return [
    {
      ...{ part: MAIL_BROKER, per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: `Importing sequentially ${chance.whole(2, 5)} policies...`,
    },
    {
      ...{ part: LAB_FIREWALL, per_minute: 0.4, after_s: ALWAYS_S, severity: 'WARN' },
      message: `%ASA-4-106023: Deny tcp src outside:198.51.100.${chance.whole(4, 250)}/51514 dst lab:10.48.9.7/443 by access-group "outside_in" [0x0, 0x0]`,
    },
    {
      ...{ part: 'ar-office-1', per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: '%LINK-3-UPDOWN: Interface GigabitEthernet2/1/0, changed state to down',
    },
    {
      ...{ part: OTHER_HOST, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'EXT4-fs (sdd1): warning: mounting unchecked fs, running e2fsck is recommended',
    },
    ...complaints(fault, messages, chance),
  ]
}

/** What the orchestrator writes down now and then, of what does no harm. */
const fifteenthRecords = (chance: Chance): readonly ToldRecord[] => [
  {
    ...{ after_s: chance.whole(-4_500, 600), kind: 'Pod', name: 'thumbnail-batch-2' },
    ...{ reason: 'TaintManagerEviction', message: 'Marking for deletion Pod batch/thumbnail-batch-2' },
  },
]

/** What control planes write down now and then: others' stores change places, others' machines are to be moved. */
const fifteenthEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    ['reports-db', 'Completed failover to DB instance: reports-db-2'],
    [
      'batch-1-7',
      'EC2 has detected degradation of the underlying hardware hosting your Amazon EC2 instance (instance-ID: i-0c41d07be2) associated with your AWS account',
    ],
    ['storage-northeurope', 'Planned maintenance of Storage in North Europe is completed'],
  ])

/** A family in a system that is measured, and changed, like every other of the fifteenth generation. */
export const amongFifteenthSurroundings = surroundedBy(amongFourteenthSurroundings, {
  gauges: fifteenthGauges,
  lines: fifteenthLines,
  k8s: fifteenthRecords,
  events: fifteenthEvents,
  harmless: harmlessChange,
})
