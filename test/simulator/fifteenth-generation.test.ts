import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { BROKER } from './eleventh-surroundings.ts'
import { FIFTEENTH_CHANGED } from './fifteenth-changed-faults.ts'
import {
  ACCESS_PORTS,
  ACCESS_ROUTER,
  BUCKET,
  CREDENTIALS_CACHE,
  FIREWALL,
  FREE_BYTES,
  PORT_DOWN,
  PORT_UP,
} from './fifteenth-surroundings.ts'
import { FIFTEENTH_UNCHANGED } from './fifteenth-unchanged-faults.ts'
import { ZONES } from './thirteenth-surroundings.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const FIFTEENTH = held.generationOf(FIFTEENTH_CHANGED, FIFTEENTH_UNCHANGED, 27_000_000)
const { incidentsOf, known } = FIFTEENTH

type Incident = Parameters<typeof named>[0]

const ofStore = ({ callee }: held.Called): boolean => callee.endsWith('-db') && !callee.startsWith('partner-')

/** The series of a name with a label. */
const labelled = (one: Incident, name: string, label: string, value: string): Series =>
  named(one, name).find(({ labels }) => labels[label] === value) as Series

held.describeBlindGeneration(FIFTEENTH, {
  called: 'fifteenth',
  same_seed: 'denied-zone',
  scored: [
    ['credentials-by-cache', 26_000_000, '6cc24b8b5d00fa04'],
    ['private-files', 26_000_002, '72d26f67a5105bf3'],
    ['denied-zone', 26_000_004, 'f9118be756d150b1'],
    ['two-zones', 26_000_006, '450de3331255d33c'],
    ['filled-spool', 26_000_009, 'ff9d81b3e36e331c'],
  ],
  measured: [
    'redis_db_keys',
    'redis_keyspace_misses:rate1m',
    'rabbitmq_queue_messages_ready',
    'rabbitmq_queue_messages_paged_out',
    'caddy_http_request_duration_seconds_count:rate1m',
    'pg_replication_is_replica',
    'pg_stat_database_xact_rollback:rate1m',
    'pg_up',
    'probe_success',
    'up',
    'cufwConnGlobalNumPolicyDeclined:rate1m',
    'ifOperStatus',
    'ifInErrors:rate1m',
    'probe_icmp_duration_seconds',
    'node_netstat_Tcp_RetransSegs:rate1m',
    'node_disk_io_now',
    'node_filesystem_readonly',
    'aws_ec2_status_check_failed_system_maximum',
    'kubelet_volume_stats_available_bytes',
    'spool_segments_pending',
    'aws_s3_first_byte_latency_average',
  ],
  delays: {
    'credentials-by-cache': 4,
    'lazy-queue': 0,
    'private-files': 6,
    'kept-connections': 1,
    'denied-zone': 0,
  },
  blind: { incidents: 30, farthest: 1, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'a way to load': ({ files }) => files?.some((file) => file.endsWith('/load.ts')) === true,
    'a policy of queues': ({ files }) => files?.some((file) => file.startsWith('brokers/')) === true,
    'files that are written at once': ({ files }) =>
      files?.some((file) => file.endsWith('/store/write.py')) === true,
    'a setting of a store': ({ files }) => files?.some((file) => file.startsWith('databases/')) === true,
    'a rule of a firewall': ({ files }) => files?.some((file) => file.startsWith('firewalls/')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /no route to host|read: connection timed out|Down Interface flap|DBUSINTERR|i\/o timeout|\(Client\.Timeout|hv_storvsc|lost sync page write|Remounting filesystem|could not fdatasync|ECONNREFUSED 10\.48|No connection established|on device, write '/,
})

describe('the changes of the fifteenth generation', () => {
  it('credentials: a service knows fewer and fewer of them, and asks its store for less', () => {
    for (const one of incidentsOf('credentials-by-cache')) {
      const misses = gauge(one, 'redis_keyspace_misses:rate1m', CREDENTIALS_CACHE)
      expect(valueAt(misses, one, 14)).toBeGreaterThan(1.4 * valueAt(misses, one, 1))
      const keys = gauge(one, 'redis_db_keys', CREDENTIALS_CACHE)
      expect(valueAt(keys, one, 14)).toBeLessThan(0.85 * valueAt(keys, one, -10))
      expect(causeOf(one)?.diff).toContain('-  const read = await store.get(owner)')
    }
    for (const one of known('credentials-by-cache')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 10, 14)).toBeGreaterThan(
        1.5 * failing(one, ({ callee }) => callee === entity, 2, 4),
      )
      expect(grew(one, (edge) => edge.caller === entity && ofStore(edge), 6, 14)).toBeLessThan(0.9)
    }
  }, 120_000)

  it('a policy: messages of one service wait on the disk of the broker, and it takes long', () => {
    for (const one of incidentsOf('lazy-queue')) {
      const service = causeOf(one)?.diff?.match(/"name": "(\w+)"/)?.[1] as string
      expect(isThePlace(one.truth, service) && isThePlace(one.truth, BROKER)).toBe(true)
      for (const name of ['rabbitmq_queue_messages_ready', 'rabbitmq_queue_messages_paged_out'])
        for (const series of named(one, name).filter(({ labels }) => labels.queue !== 'thumbnail.web'))
          if (series.labels.queue === `${service}.web`) expect(valueAt(series, one, 10)).toBeGreaterThan(900)
          else expect(valueAt(series, one, 10)).toBeLessThan(1_000)
    }
    for (const one of known('lazy-queue')) {
      const [service] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(took(one, service as string, 8, 14)).toBeGreaterThan(4 * took(one, service as string, -30, -5))
    }
  }, 120_000)

  it('files: another service is refused more and more of them, and who was changed is well', () => {
    for (const one of incidentsOf('private-files')) {
      const refused = named(one, 'caddy_http_request_duration_seconds_count:rate1m').filter(
        (series) => valueAt(series, one, 10) > 40 * valueAt(series, one, -0.5),
      )
      expect(refused).toHaveLength(1)
      expect(isThePlace(one.truth, refused[0]?.entity ?? null)).toBe(false)
      expect(causeOf(one)?.diff).not.toContain('chmod')
    }
    for (const one of known('private-files')) {
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 6, 14)).toBeLessThan(0.05)
      expect(failing(one, (edge) => !ofStore(edge), 8, 14)).toBeGreaterThan(0.03)
    }
  }, 120_000)

  it('a setting: two machines of a store change places, and all but one of its callers write to the old one', () => {
    for (const one of incidentsOf('kept-connections')) {
      const { entity } = one.truth
      const [first, second] = [1, 2].map((of) => gauge(one, 'pg_replication_is_replica', `${entity}-${of}`))
      expect([valueAt(first as Series, one, -5), valueAt(second as Series, one, 5)]).toEqual([0, 0])
      expect(valueAt(first as Series, one, 5)).toBeCloseTo(1, 1)
      expect(
        valueAt(gauge(one, 'pg_stat_database_xact_rollback:rate1m', `${entity}-1`), one, 4),
      ).toBeGreaterThan(3)
    }
    for (const one of known('kept-connections')) {
      const callers = partners(one, ({ callee }) => callee === one.truth.entity, 'caller')
      const failed = callers.filter(
        (caller) =>
          failing(one, (edge) => edge.caller === caller && edge.callee === one.truth.entity, 3, 14) > 0.3,
      )
      expect(failed).toHaveLength(callers.length - 1)
    }
  }, 120_000)

  it('a rule: a firewall declines a multiple, and hardly anybody gets to one service, which is well', () => {
    for (const one of incidentsOf('denied-zone')) {
      const declined = gauge(one, 'cufwConnGlobalNumPolicyDeclined:rate1m', FIREWALL)
      expect(valueAt(declined, one, 6)).toBeGreaterThan(2 * valueAt(declined, one, -5))
      const probed = named(one, 'probe_success').filter((series) => valueAt(series, one, 5) === 0)
      expect(probed.some(({ entity }) => isThePlace(one.truth, entity))).toBe(true)
      expect(causeOf(one)?.diff).toContain('+access-list outside_in extended deny ip any 10.48.7.0')
    }
    for (const one of known('denied-zone')) {
      const called = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(called).toHaveLength(1)
      expect(failing(one, ({ callee }) => callee === called[0], 6, 14)).toBeGreaterThan(0.9)
      expect(failing(one, ({ caller }) => caller === called[0], 6, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})

describe('what happens by itself in the fifteenth generation', () => {
  it('a router: one port comes and goes, the other goes, and two services are hit', () => {
    for (const one of incidentsOf('bouncing-router')) {
      const ports = named(one, 'ifOperStatus').filter(({ entity }) => entity === ACCESS_ROUTER)
      const [last, first] = ACCESS_PORTS.map(
        (of) => ports.find(({ labels }) => labels.ifDescr === of) as Series,
      )
      expect(valueAt(last as Series, one, -5)).toBeCloseTo(PORT_UP, 1)
      expect(valueAt(last as Series, one, 6)).toBeCloseTo(PORT_DOWN, 1)
      const seen = Array.from({ length: 20 }, (_, half) =>
        Math.round(valueAt(first as Series, one, 1 + half / 2)),
      )
      expect(new Set(seen)).toEqual(new Set([PORT_UP, PORT_DOWN]))
    }
    for (const one of known('bouncing-router')) {
      const callees = partners(one, ({ callee }) => !callee.startsWith('partner-'), 'callee')
      expect(callees.some((name) => failing(one, ({ callee }) => callee === name, 6, 14) > 0.9)).toBe(true)
      const callers = partners(one, ({ caller }) => !caller.startsWith('partner-'), 'caller')
      const share = (name: string): number => failing(one, ({ caller }) => caller === name, 6, 14)
      expect(callers.some((name) => share(name) > 0.3 && share(name) < 0.75)).toBe(true)
    }
  }, 120_000)

  it('zones: echoes from two of three take long, machines send again, and every call is slow or lost in part', () => {
    for (const one of incidentsOf('two-zones')) {
      const slow = ZONES.filter((zone) => {
        const echo = gauge(one, 'probe_icmp_duration_seconds', zone)
        return valueAt(echo, one, 5) > 50 * valueAt(echo, one, -20)
      })
      expect(slow).toHaveLength(2)
      expect(slow.every((zone) => isThePlace(one.truth, zone))).toBe(true)
      const resending = named(one, 'node_netstat_Tcp_RetransSegs:rate1m').filter(
        (series) => valueAt(series, one, 5) > 25,
      )
      expect(resending.length).toBeGreaterThan(1)
      expect(resending.every(({ entity }) => isThePlace(one.truth, entity))).toBe(true)
    }
    for (const one of known('two-zones'))
      for (const callee of partners(one, (edge) => !edge.callee.startsWith('partner-'), 'callee')) {
        expect(
          failing(one, (edge) => edge.callee === callee, 3, 14),
          callee,
        ).toBeGreaterThan(0.08)
        expect(took(one, callee, 3, 14), callee).toBeGreaterThan(took(one, callee, -30, -5) + 80)
      }
  }, 120_000)

  it('storage: a disk is busy, its store ends and is not measured any more, and all its callers fail', () => {
    for (const one of incidentsOf('lost-storage')) {
      const store = named(one, 'pg_up').find(({ entity }) => isThePlace(one.truth, entity)) as Series
      expect(Math.round(valueAt(store, one, -5))).toBe(1)
      expect(valueAt(store, one, 6)).toBe(0)
      const busy = gauge(one, 'node_disk_io_now', `${store.entity}-host`)
      expect(valueAt(busy, one, 6)).toBeGreaterThan(60)
      expect(valueAt(gauge(one, 'node_disk_io_now', 'reports-host-2'), one, 6)).toBeGreaterThan(60)
    }
    for (const one of known('lost-storage')) {
      const [store] = partners(one, (edge) => isThePlace(one.truth, edge.callee), 'callee')
      expect(failing(one, ({ callee }) => callee === store, 5, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('a machine: it is not ready, the one pod of a service was on it, and nothing is told of either', () => {
    for (const one of incidentsOf('single-host')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'node_ready', entity), one, 3)).toBe(0)
      expect(
        valueAt(gauge(one, 'aws_ec2_status_check_failed_system_maximum', entity), one, 3),
      ).toBeGreaterThan(0.9)
      const up = named(one, 'up').filter((series) => isThePlace(one.truth, series.entity))
      expect(up.map((series) => valueAt(series, one, 3))).toEqual([0])
    }
    for (const one of known('single-host')) {
      const [service] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === service, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('a spool: it fills for the better part of an hour while an outside store is slow, and then a service fails', () => {
    for (const one of incidentsOf('filled-spool')) {
      const { entity } = one.truth
      const free = labelled(
        one,
        'kubelet_volume_stats_available_bytes',
        'persistentvolumeclaim',
        `${entity}-spool`,
      )
      const [before, at_last] = [-20, 1].map((minutes) => valueAt(free, one, minutes)) as [number, number]
      expect(before).toBeLessThan(0.6 * FREE_BYTES)
      expect(before).toBeGreaterThan(0.2 * FREE_BYTES)
      expect(at_last).toBeLessThan(0.001 * FREE_BYTES)
      expect(valueAt(gauge(one, 'aws_s3_first_byte_latency_average', BUCKET), one, -10)).toBeGreaterThan(300)
    }
    for (const one of known('filled-spool')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -10, 0)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 2, 14)).toBeGreaterThan(0.5)
    }
  }, 120_000)
})
