/**
 * What is measured, complained of and changed in every system of the twenty-seventh generation, whatever happens to it: all
 * that the twenty-sixth has, and what shows one of the twenty-seventh's faults besides. It moves now and then in all of them
 * and harms nobody, and changes of the same shapes as the causes are made to others.
 */
import { ALWAYS_S, gaugesBeside, risingOnce } from './everyday-readings.ts'
import { DATA_MOUNT, probeOf } from './fifteenth-surroundings.ts'
import { edited } from './fifth-changed-faults.ts'
import { balancerOf } from './nineteenth-surroundings.ts'
import { RUNNING_S } from './ninth-surroundings.ts'
import type { CulpritRecord, Gauge, Hosted, ProductionFault, ToldLine } from './production-fault.ts'
import type { Chance } from './random.ts'
import { BALANCER } from './seventh-surroundings.ts'
import { ESTABLISHED, IDLE } from './sixteenth-surroundings.ts'
import { complaints, release, statesNoted, surroundedBy } from './surrounded.ts'
import { begunAnew } from './twenty-fifth-surroundings.ts'
import {
  amongTwentySixthSurroundings,
  backendOf,
  memberOf,
  STYLE_BALANCER,
} from './twenty-sixth-surroundings.ts'

/** Meetings a second that who keeps calendars takes from a service, and that it refuses; what is to be tried again. */
const MEETINGS_TAKEN = 11
export const MEETINGS_REFUSED = 0.05
export const TAKEN = { provider: 'graph', result: 'created' } as const
export const REFUSED = { provider: 'graph', result: 'refused' } as const
export const TRIED_AGAIN = 6

/** Requests a second by which a service asks for what is new in calendars; what a store keeps of them, and puts away. */
export const CALENDAR_REQUESTS = 24
export const MEETINGS_KEPT = 52_000
export const ROWS_DELETED = 8
export const DELETED = { operation: 'deleted' } as const
/** What keeps calendars of years that are over. */
const OLD_CALENDARS = 'calendar-archive'

/** Answers a second that a secret does not belong to a site. */
export const MISMATCHES = 0.06
export const MISMATCH = { error: 'sitekey-secret-mismatch' } as const
/** What brings limits from their store to who asks for them, and what brings quotas; how old they are. */
export const LIMITS_SYNC = 'limits-sync'
export const LIMITS_DB = 'limits-db'
const QUOTA_SYNC = 'quota-sync'
const QUOTA_DB = 'quota-db'
export const LIMITS_AGE_S = 20

/** What gives disks to machines, and another; how many it gives, and the machine of a store. */
export const ARRAY = 'san-1'
const LAB_ARRAY = 'san-lab'
export const VOLUMES_MAPPED = 6
export const machineOf = (store: string): string => `${store}-host`

/** Rented machines for one program, who rents them out, and others; the unit that is the program. */
export const FEED_HOSTS = ['vps-feeds-1', 'vps-feeds-2'] as const
const LAB_FEED_HOST = 'vps-feeds-lab'
export const FEED_ACCOUNT = 'account-feeds'
const LAB_ACCOUNT = 'account-lab'
export const FAILED_UNIT = { name: 'backend.service', state: 'failed' } as const

/** Answers a second with the newest questions, and errors in their place. */
const RECENT_SHOWN = 16
export const RECENT_FAILED = 0.02
export const RECENT = { status: '200', uri: '/questions/recent' } as const
export const RECENT_ERRORS = { status: '500', uri: '/questions/recent' } as const

/** Where networks meet, and another such place; what joins this one to the first, its peers there and its other way out. */
export const EXCHANGE = 'ix-west'
const OTHER_EXCHANGE = 'ix-north'
export const BORDER = 'border-1'
const OTHER_BORDER = 'border-lab'
export const EXCHANGE_PEERS = ['203.0.113.1', '203.0.113.2', '203.0.113.61'] as const
export const TRANSIT = '198.51.100.129'
export const peerOf = (address: string): Readonly<Record<string, string>> => ({ bgpPeerRemoteAddr: address })
export const EXCHANGE_PORT = { ifAlias: 'peering', ifDescr: 'et-0/0/1' } as const
export const TRANSIT_PORT = { ifAlias: 'transit', ifDescr: 'et-0/0/5' } as const
export const PEERING_BYTES = 310_000_000
export const TRANSIT_BYTES = 90_000_000
export const glassOf = (exchange: string): Readonly<Record<string, string>> => ({
  target: `https://lg.${exchange}.example/`,
})

/** What keeps as many machines of a service as there are to be. */
export const groupOf = (service: string): string => `asg-${service}`
const BATCH_GROUP = 'asg-batch'

/** Two machines that keep files, each for the other, and two of the laboratory; how busy, how slow, and how much is asked. */
export const FILERS = ['filer-a1', 'filer-a2'] as const
const LAB_FILERS = ['filer-lab-1', 'filer-lab-2'] as const
export const FILER_BUSY = 46
export const FILER_OPS = 21_000
export const READ_LATENCY = 900
export const FILES_VOLUME = { volume: 'vol_teams' } as const
export const SENT_AGAIN = 0.02

/** A region of a cloud, another, what is asked there, what is kept of it, and who tells which features are on. */
export const REGION = 'cloud-east-2'
const LAB_REGION = 'cloud-south-1'
export const ROUTE_TABLE = { table_name: 'routes' } as const
export const TABLE_ERRORS = 0.3
export const stsOf = (region: string): Readonly<Record<string, string>> => ({
  target: `https://sts.${region}.example/`,
})
export const ROUTE_CACHE = 'routes-redis'
const PRICE_CACHE = 'prices-redis'
export const CACHE_HITS = 900
export const CACHE_MISSES = 30
export const FLAG_PROVIDER = 'feature-switches'
export const FLAG_STREAM = { target: 'https://stream.feature-switches.example/' } as const

/** What a service gives who keeps calendars, for a meeting that is to be joined from afar. */
export function remoteMeeting(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/meetings/to-remote.ts`
  return release(service, title, {
    [path]: edited(path, 41, [
      ['  const body = plain(meeting)'],
      gone,
      come,
      ['  return { ...body, ...joining }', '}'],
    ]),
  })
}

/** What a service asks for of a calendar, and hands on to be kept. */
export function calendarSync(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/src/sync/calendar.ts`
  return release(service, title, {
    [path]: edited(path, 18, [
      ['  const { token } = await known(calendar)'],
      gone,
      come,
      ['  await keep(calendar, meetings)', '}'],
    ]),
  })
}

/** What a service looks at before it says that somebody is no program. */
export function verification(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/internal/siteverify/check.go`
  return release(service, title, {
    [path]: edited(path, 63, [
      ['func (c *Checker) Check(r Request) Answer {'],
      gone,
      come,
      ['\treturn c.token(r)', '}'],
    ]),
  })
}

/** What somebody has told an array to do, as it writes it down. */
export const storageCommand = (array: string, words: string): CulpritRecord => ({
  ...{ kind: 'infra', after_s: 0, entity: array, title: `${array}: admin ran "${words}"` },
})

/** Where a service takes what others tell of trains. */
export function feedReader(
  service: string,
  gone: readonly string[],
  come: readonly string[],
  title: string,
): CulpritRecord {
  const path = `${service}/feeds/alerts.py`
  return release(service, title, {
    [path]: edited(path, 2, [['import time', ''], gone, come, ['', 'TIMEOUT_S = 10']]),
  })
}

/** Which revision of a program lies on its machines. */
export function revisionOnHosts(service: string, chance: Chance): CulpritRecord {
  const path = `hosts/${service}/revision.yaml`
  const revision = (): string => chance.whole(0x10_00_00_00, 0x7f_ff_ff_ff).toString(16)
  return {
    ...{ kind: 'config', after_s: 0, applied_after_s: chance.whole(20, 120), files: [path] },
    title: `Revision of ${service} on its machines`,
    diff: edited(path, 1, [
      ['backend:'],
      [`  revision: ${revision()}`],
      [`  revision: ${revision()}`],
      ['  path: /srv/backend'],
    ]),
    entity: service,
  }
}

/** Something is written down of meetings that are to be joined from afar. */
export const harmlessMeeting = (service: string, chance: Chance): CulpritRecord =>
  remoteMeeting(
    service,
    ['  log.debug("remote", meeting)'],
    ['  log.debug("remote", meeting.id, meeting.joining)'],
    chance.pick(['How a meeting is joined, in logs', 'Ids of meetings in logs']),
  )

/** A change of the shape of one of the causes, made to somebody whom it does not harm. */
function harmlessChange(services: readonly string[], chance: Chance): CulpritRecord {
  const service = chance.pick(services)
  const shape = chance.whole(0, 17) % 6
  if (shape === 0) return harmlessMeeting(service, chance)
  if (shape === 1)
    return calendarSync(
      service,
      ['  const meetings = await list(calendar, { pages: 4 })'],
      ['  const meetings = await list(calendar, { pages: PAGES })'],
      chance.pick(['Pages of a calendar in one place', 'A name for how many pages']),
    )
  if (shape === 2)
    return verification(
      service,
      ['\tc.seen.Add(1)'],
      ['\tc.seen.Inc()'],
      chance.pick(['Count checks in one way', 'Counters of checks']),
    )
  // Of what is used nothing is taken away: a snapshot there, anything at the array of the laboratory.
  if (shape === 3)
    return chance.is(0.5)
      ? storageCommand(ARRAY, `snapshot remove vol-${chance.whole(10, 99)} weekly.${chance.whole(1, 4)}`)
      : storageCommand(
          LAB_ARRAY,
          chance.pick([
            `volume map vol-${chance.whole(60, 99)} lab-${chance.whole(1, 9)}`,
            `volume unmap vol-${chance.whole(60, 99)}`,
          ]),
        )
  if (shape === 4)
    return feedReader(
      service,
      ['from feeds.client import fetch, Feed'],
      ['from feeds.client import Feed, fetch'],
      chance.pick(['Imports in one order', 'Sort imports']),
    )
  return revisionOnHosts(service, chance)
}

/** Whether pods of a service are there, as all who look for them tell it. */
export function presenceOf(name: string, pods: number, here: (since_s: number) => number): readonly Gauge[] {
  const any = (since_s: number): number => Math.min(1, here(since_s))
  const counted = { unit: '1', decides: true, level: here } as const
  const asked = { unit: '1', decides: true } as const
  return [
    { ...{ entity: name, name: 'up', level: any }, ...asked },
    { ...{ entity: name, name: 'probe_success', labels: probeOf(name), level: any }, ...asked },
    {
      ...{ entity: name, name: 'probe_success', level: any, ...asked },
      labels: { job: 'blackbox-https', target: `https://${name}.example/healthz` },
    },
    ...Array.from({ length: pods }, (_, pod) => ({
      ...{ entity: name, name: 'probe_success', ...asked },
      labels: { target: `tcp://${name}-${pod}.members.internal:443` },
      level: (since_s: number) => (pods - here(since_s) > pod ? 0 : 1),
    })),
    { ...{ entity: name, name: 'load_balancer_healthy_hosts' }, ...counted },
    {
      ...{ entity: name, name: 'kube_deployment_status_replicas_available' },
      ...{ ...counted, labels: { deployment: name } },
    },
    { ...{ entity: balancerOf(name), name: 'aws_applicationelb_healthy_host_count_average' }, ...counted },
    {
      ...{ entity: BALANCER, name: 'balancer_servers_up' },
      ...{ ...counted, labels: { backend: name } },
    },
    {
      ...{ entity: STYLE_BALANCER, name: 'haproxy_backend_active_servers' },
      ...{ ...counted, labels: backendOf(name) },
    },
    { ...{ entity: groupOf(name), name: 'aws_autoscaling_group_in_service_instances_average' }, ...counted },
  ]
}

/** What tells of a database on the machine of a store that it is there, where it is not any more. */
export function lostDatabase(store: string): readonly Gauge[] {
  const gone = { unit: '1', decides: true } as const
  const until = (level: number) => (since_s: number) => (since_s < 0 ? level : Number.NaN)
  return [
    ...['db_up', 'pg_up'].map((name) => ({
      ...{ entity: store, name, ...gone },
      level: (since_s: number) => (since_s < 0 ? 1 : 0),
    })),
    {
      ...{
        entity: store,
        name: 'volume_used_ratio',
        labels: { volume: 'data' },
        ...gone,
        level: until(0.52),
      },
    },
    { ...{ entity: `${store}-1`, name: 'pg_replication_is_replica', ...gone, level: until(0) } },
    {
      ...{ entity: `${store}-1`, name: 'pg_stat_database_xact_rollback:rate1m', decides: true, unit: '/s' },
      level: until(0.3),
    },
    {
      ...{ entity: `${store}-writer`, name: 'pg_stat_database_numbackends', ...gone },
      ...{ labels: { datname: store }, level: until(64) },
    },
    {
      ...{ entity: memberOf(store, 1), name: 'mongodb_instance_uptime_seconds', decides: true, unit: 's' },
      level: (since_s) => (since_s < 0 ? RUNNING_S + since_s : Number.NaN),
    },
  ]
}

/** How many tracked connections the machines of feeds have, as long as they run. */
export const trackedOn = (
  { nodes }: Hosted,
  own: readonly string[],
  runs: (since_s: number) => boolean,
): readonly Gauge[] =>
  nodes
    .filter((node) => own.includes(node))
    .map((node) => ({
      ...{ entity: node, name: 'node_conntrack_used_ratio', unit: '1', labels: { node }, decides: true },
      level: (since_s) => (runs(since_s) ? 0.31 : Number.NaN),
    }))

/** A level that is away once for a while. */
const awayOnce = (chance: Chance): ((since_s: number) => number) => risingOnce(chance, 1, 0)

function twentySeventhGauges({ topology, gauges }: ProductionFault, chance: Chance): readonly Gauge[] {
  const services = topology.parts.filter(({ kind }) => kind === 'service')
  const stores = topology.parts.filter(({ kind }) => kind === 'datastore').map(({ name }) => name)
  const gauge = gaugesBeside(gauges, 'the same labels')
  const once = (usual: number, other: number): ((since_s: number) => number) =>
    risingOnce(chance, usual, other)
  const renewed_s = chance.whole(-4_500, 600)
  const away_s = chance.whole(60, 240)
  return [
    ...services.flatMap(({ name, pods }) => [
      ...gauge(
        name,
        'calendar_meetings_written_total:rate1m',
        '/s',
        once(MEETINGS_TAKEN, MEETINGS_TAKEN * chance.between(0.7, 1.4)),
        TAKEN,
      ),
      ...gauge(
        name,
        'calendar_meetings_written_total:rate1m',
        '/s',
        once(MEETINGS_REFUSED, chance.between(0.2, 1.4)),
        REFUSED,
      ),
      ...gauge(name, 'sidekiq_retry_jobs', '1', once(TRIED_AGAIN, chance.whole(12, 130))),
      ...gauge(
        name,
        'calendar_api_requests_total:rate1m',
        '/s',
        once(CALENDAR_REQUESTS, CALENDAR_REQUESTS * chance.between(0.5, 1.6)),
      ),
      ...gauge(
        name,
        'siteverify_responses_total:rate1m',
        '/s',
        once(MISMATCHES, chance.between(0.2, 1.6)),
        MISMATCH,
      ),
      ...gauge(
        name,
        'http_server_requests_seconds_count:rate1m',
        '/s',
        once(RECENT_SHOWN, RECENT_SHOWN * chance.between(0.7, 1.4)),
        RECENT,
      ),
      ...gauge(
        name,
        'http_server_requests_seconds_count:rate1m',
        '/s',
        once(RECENT_FAILED, chance.between(0.1, 0.9)),
        RECENT_ERRORS,
      ),
      ...gauge(groupOf(name), 'aws_autoscaling_group_desired_capacity_average', '1', () => pods),
      ...gauge(
        groupOf(name),
        'aws_autoscaling_group_in_service_instances_average',
        '1',
        once(pods, Math.max(1, pods - 1)),
      ),
      ...gauge(
        name,
        'node_nfs_rpc_retransmissions_total:rate1m',
        '/s',
        once(SENT_AGAIN, chance.between(0.1, 1)),
      ),
    ]),
    ...gauge(BATCH_GROUP, 'aws_autoscaling_group_desired_capacity_average', '1', () => 9),
    ...gauge(
      BATCH_GROUP,
      'aws_autoscaling_group_in_service_instances_average',
      '1',
      once(9, chance.whole(3, 7)),
    ),
    ...[...stores, OLD_CALENDARS].flatMap((name) => {
      const isOld = name === OLD_CALENDARS
      return [
        ...gauge(
          name,
          'calendar_meetings_kept',
          '1',
          once(MEETINGS_KEPT, MEETINGS_KEPT * chance.between(isOld ? 0.2 : 0.93, 1.04)),
        ),
        ...gauge(
          name,
          'mysql_global_status_innodb_row_ops_total:rate1m',
          '/s',
          once(ROWS_DELETED, ROWS_DELETED * chance.between(1.5, isOld ? 30 : 6)),
          DELETED,
        ),
      ]
    }),
    ...[LIMITS_SYNC, QUOTA_SYNC].flatMap((name) =>
      gauge(
        name,
        'sync_age_seconds',
        's',
        once(LIMITS_AGE_S, chance.whole(35, name === QUOTA_SYNC ? 600 : 70)),
      ),
    ),
    ...gauge(LIMITS_DB, 'db_up', '1', () => 1),
    ...gauge(QUOTA_DB, 'db_up', '1', awayOnce(chance)),
    ...gauge(ARRAY, 'array_volumes_mapped', '1', () => VOLUMES_MAPPED),
    ...gauge(LAB_ARRAY, 'array_volumes_mapped', '1', once(22, chance.whole(14, 18))),
    ...stores.flatMap((name) =>
      gauge(machineOf(name), 'node_filesystem_device_error', '1', () => 0, DATA_MOUNT),
    ),
    ...gauge(LAB_FEED_HOST, 'node_filesystem_device_error', '1', once(0, 1), DATA_MOUNT),
    ...[...FEED_HOSTS, LAB_FEED_HOST].flatMap((node) => {
      const isLab = node === LAB_FEED_HOST
      return [
        ...gauge(
          node,
          'node_uptime_seconds',
          's',
          isLab ? begunAnew(renewed_s, away_s) : (since_s: number) => RUNNING_S + since_s,
          { node },
        ),
        ...gauge(node, 'node_systemd_unit_state', '1', isLab ? once(0, 1) : () => 0, FAILED_UNIT),
      ]
    }),
    ...gauge(FEED_ACCOUNT, 'account_invoices_overdue', '1', once(0, 1)),
    ...gauge(LAB_ACCOUNT, 'account_invoices_overdue', '1', once(1, 2)),
    ...(
      [
        [BORDER, EXCHANGE],
        [OTHER_BORDER, OTHER_EXCHANGE],
      ] as const
    ).flatMap(([router, exchange]) => {
      const isOther = router === OTHER_BORDER
      return [
        ...EXCHANGE_PEERS.flatMap((address) =>
          gauge(
            router,
            'bgpPeerState',
            '1',
            isOther ? once(ESTABLISHED, IDLE) : () => ESTABLISHED,
            peerOf(address),
          ),
        ),
        ...gauge(router, 'bgpPeerState', '1', () => ESTABLISHED, peerOf(TRANSIT)),
        ...gauge(
          router,
          'ifHCInOctets:rate1m',
          'By/s',
          once(PEERING_BYTES, PEERING_BYTES * chance.between(isOther ? 0.1 : 0.85, 1.3)),
          EXCHANGE_PORT,
        ),
        ...gauge(
          router,
          'ifHCInOctets:rate1m',
          'By/s',
          once(TRANSIT_BYTES, TRANSIT_BYTES * chance.between(0.8, 1.4)),
          TRANSIT_PORT,
        ),
        ...gauge(exchange, 'probe_success', '1', isOther ? awayOnce(chance) : () => 1, glassOf(exchange)),
      ]
    }),
    ...[...FILERS, ...LAB_FILERS].flatMap((name) => {
      const isLab = name.includes('lab')
      return [
        ...gauge(name, 'node_cpu_busy', '%', once(FILER_BUSY, chance.between(52, isLab ? 97 : 66))),
        ...gauge(
          name,
          'node_total_ops',
          '/s',
          once(FILER_OPS, FILER_OPS * chance.between(0.7, isLab ? 1.9 : 1.25)),
        ),
        ...gauge(
          name,
          'volume_read_latency',
          'us',
          once(READ_LATENCY, READ_LATENCY * chance.between(1.3, isLab ? 50 : 3)),
          FILES_VOLUME,
        ),
      ]
    }),
    ...[REGION, LAB_REGION].flatMap((name) => {
      const isLab = name === LAB_REGION
      return [
        ...gauge(
          name,
          'aws_dynamodb_system_errors_sum',
          '1',
          once(TABLE_ERRORS, chance.between(1, isLab ? 90 : 4)),
          ROUTE_TABLE,
        ),
        ...gauge(name, 'probe_success', '1', isLab ? awayOnce(chance) : () => 1, stsOf(name)),
      ]
    }),
    ...[ROUTE_CACHE, PRICE_CACHE].flatMap((name) => {
      const isPrice = name === PRICE_CACHE
      return [
        ...gauge(
          name,
          'redis_keyspace_hits_total:rate1m',
          '/s',
          once(CACHE_HITS, CACHE_HITS * chance.between(isPrice ? 0.3 : 0.85, 1.2)),
        ),
        ...gauge(
          name,
          'redis_keyspace_misses_total:rate1m',
          '/s',
          once(CACHE_MISSES, CACHE_MISSES * chance.between(1.3, isPrice ? 14 : 2.5)),
        ),
      ]
    }),
    ...gauge(FLAG_PROVIDER, 'probe_success', '1', awayOnce(chance), FLAG_STREAM),
  ]
}

/** Complaints that come once in some minutes, of what goes wrong in other incidents of the twenty-seventh generation. */
function twentySeventhLines(fault: ProductionFault, chance: Chance): readonly ToldLine[] {
  const messages = [
    'graph answered 429 to a meeting of room 311, asking again in 30 s',
    'device 7120: calendar lab-4 has no events today',
    'siteverify: token of sitekey 41c9 was seen before, answering invalid-or-already-seen-response',
    'feed 21 answered nothing new for 90 s',
    'question 5120 has no answers yet, not shown among the best',
    'connect ETIMEDOUT lg.ix-north.example:443',
    'kernel: nfs: server filer-lab-2 not responding, still trying',
    'ThrottlingException: dynamodb.cloud-south-1.example, attempt 2 of 3',
    'feature switches: stream was closed, opened anew',
  ]
  return [
    {
      ...{ part: BORDER, per_minute: 0.3, after_s: ALWAYS_S, severity: 'WARN' },
      message: 'bird: peer_as64511: Error: Hold timer expired',
    },
    {
      ...{ part: LIMITS_SYNC, per_minute: 0.4, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'limits of 2 sites are new, told 14 of 14 edges',
    },
    {
      ...{ part: QUOTA_SYNC, per_minute: 0.2, after_s: ALWAYS_S, severity: 'WARN' },
      message:
        'psycopg2.OperationalError: connection to server at "quota-db", port 5432 failed: timeout expired',
    },
    {
      ...{ part: FEED_HOSTS[0], per_minute: 0.2, after_s: ALWAYS_S, severity: 'INFO' },
      message: 'systemd[1]: logrotate.service: Deactivated successfully.',
    },
    ...complaints(fault, messages, chance),
    {
      ...{ part: chance.pick(fault.topology.parts.filter(({ kind }) => kind === 'service')).name },
      ...{ per_minute: 0.3, after_s: ALWAYS_S, severity: 'INFO' },
      message: `user ${chance.whole(10_000, 19_999)} is removed at their own wish`,
    },
  ]
}

/** What control planes write down now and then of what nobody is hurt by. */
const twentySeventhEvents = (chance: Chance): ProductionFault['events'] =>
  statesNoted(chance, [
    [BATCH_GROUP, 'Terminating EC2 instance: i-0b51: an instance was taken out of service for its price'],
    ['snapshot-policy', 'policy nightly: 3 snapshots are removed, 9 are kept'],
    [OTHER_EXCHANGE, `${OTHER_EXCHANGE}: maintenance of one location, done`],
    [LAB_FILERS[0], 'cf.fsm.takeover.ok: Failover monitor: takeover by hand, giveback is done'],
    [LAB_REGION, `${LAB_REGION}: increased latencies of one service, resolved`],
    [LAB_ACCOUNT, `${LAB_ACCOUNT}: an invoice is overdue, one reminder is sent`],
  ])

/** A family in a system that is measured, and changed, like every other of the twenty-seventh generation. */
export const amongTwentySeventhSurroundings = surroundedBy(amongTwentySixthSurroundings, {
  gauges: twentySeventhGauges,
  lines: twentySeventhLines,
  k8s: () => [],
  events: twentySeventhEvents,
  harmless: harmlessChange,
})
