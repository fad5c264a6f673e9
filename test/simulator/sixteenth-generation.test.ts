import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { SIXTEENTH_CHANGED } from './sixteenth-changed-faults.ts'
import {
  ACCOUNT,
  ANSWER_CACHES,
  CLUSTER,
  CORE_ROUTERS,
  GATEWAY,
  HEALTH_ERR,
  HOST,
  IDLE,
  INTERFACE,
  OLD_BYTES,
  PIPELINE,
  READERS,
  SPARE_SENDING,
  WRITERS,
} from './sixteenth-surroundings.ts'
import { SIXTEENTH_UNCHANGED } from './sixteenth-unchanged-faults.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, named, partners, took, valueAt } = held
const SIXTEENTH = held.generationOf(SIXTEENTH_CHANGED, SIXTEENTH_UNCHANGED, 29_000_000)
const { incidentsOf, known } = SIXTEENTH

type Incident = Parameters<typeof named>[0]

const isBeside = (name: string): boolean => name.startsWith('partner-')

/** Share of the calls between two parts that failed, in some minutes around the beginning. */
const between = (one: Incident, caller: string, callee: string, from_min: number, to_min: number): number =>
  failing(one, (edge) => edge.caller === caller && edge.callee === callee, from_min, to_min)

/** Who calls whom, of the system itself. */
const pairs = (one: Incident): readonly (readonly [caller: string, callee: string])[] =>
  partners(one, ({ caller }) => !isBeside(caller), 'caller').flatMap((caller) =>
    partners(one, (edge) => edge.caller === caller, 'callee').map((callee) => [caller, callee] as const),
  )

held.describeBlindGeneration(SIXTEENTH, {
  called: 'sixteenth',
  same_seed: 'internal-routes',
  scored: [
    ['hung-upgrade', 28_000_000, '19f0244dc792afad'],
    ['unasked-canary', 28_000_002, '79520ed8788e211c'],
    ['internal-routes', 28_000_004, 'c151832e720fad9f'],
    ['leaking-heap', 28_000_006, '57c4b1cc2244204a'],
    ['suspended-account', 28_000_009, '159856368381eec5'],
  ],
  measured: [
    'pg_stat_activity_max_tx_duration',
    'pg_up',
    'namedprocess_namegroup_states',
    'aws_rds_engine_uptime_average',
    'pg_stat_database_numbackends',
    'aws_sqs_approximate_number_of_messages_visible_average',
    'aws_sqs_number_of_messages_sent_average',
    'http_server_requests_seconds_count:rate1m',
    'aws_transitgateway_packet_drop_count_no_route_sum',
    'aws_transitgateway_bytes_in_sum',
    'probe_success',
    'bgpPeerState',
    'ifHCOutOctets:rate1m',
    'jvm_memory_used_bytes',
    'jvm_gc_pause_seconds_sum:rate1m',
    'ceph_health_status',
    'ceph_healthcheck_slow_ops',
    'ceph_osd_commit_latency_ms',
    'nginx_vts_server_requests_total:rate1m',
    'node_disk_io_time_seconds_total:rate1m',
    'smartmon_device_smart_healthy',
    'openstack_nova_limits_instances_used',
    'probe_http_status_code',
  ],
  delays: {
    'hung-upgrade': 24,
    'read-only-endpoint': 0,
    'unasked-canary': 5,
    'narrowed-catch': 4,
    'internal-routes': 0,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 2 },
  shapes: {
    'an upgrade of a store': ({ title }) => title?.includes(': upgrade of the server') === true,
    'a store that is begun anew': ({ title }) => title?.includes(': preventive maintenance') === true,
    'a way to ship': ({ files }) => files?.some((file) => file.startsWith(`${PIPELINE}/`)) === true,
    'errors that are seen to': ({ files }) => files?.some((file) => file.endsWith('Lookup.java')) === true,
    'routes between networks': ({ files }) => files?.some((file) => file.startsWith('networks/')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /NoRouteToHostException|Down BGP Notification|hold time expired|Pause Full|GC overhead limit|blocked for 64 sec|get_health_metrics|libceph|blk_update_request|failed \(5: Input|172\.21\.4\.\d+:8443|Project is disabled/,
})

describe('the changes of the sixteenth generation', () => {
  it('an upgrade: a transaction runs on for long, then the store is not there and none of its callers is answered', () => {
    for (const one of incidentsOf('hung-upgrade')) {
      const { entity } = one.truth
      const longest = gauge(one, 'pg_stat_activity_max_tx_duration', entity)
      expect(valueAt(longest, one, -5)).toBeGreaterThan(1_100)
      expect(longest.times.every((time) => time <= one.truth.began_ms)).toBe(true)
      expect(valueAt(gauge(one, 'pg_up', entity), one, 3)).toBe(0)
      expect(valueAt(gauge(one, 'namedprocess_namegroup_states', `${entity}-host`), one, 5)).toBeGreaterThan(
        60,
      )
    }
    for (const one of known('hung-upgrade')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, 0)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 3, 14)).toBeGreaterThan(0.9)
      expect(took(one, entity, 3, 14)).toBeGreaterThan(20 * took(one, entity, -30, -5))
    }
  }, 120_000)

  it('a restart: one of the callers of a store is led to where it may only read, the others write as ever', () => {
    for (const one of incidentsOf('read-only-endpoint')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'aws_rds_engine_uptime_average', entity), one, 2)).toBeLessThan(300)
      const at = (which: string): number =>
        valueAt(gauge(one, 'pg_stat_database_numbackends', `${entity}-${which}`), one, 4)
      expect(at('writer')).toBeLessThan(0.75 * WRITERS)
      expect(at('reader')).toBeGreaterThan(1.8 * READERS)
    }
    for (const one of known('read-only-endpoint')) {
      const { entity } = one.truth
      const callers = partners(one, ({ callee }) => callee === entity, 'caller')
      const refused = callers.filter((caller) => between(one, caller, entity, 3, 14) > 0.3)
      expect(refused).toHaveLength(1)
      expect(isThePlace(one.truth, refused[0] ?? null)).toBe(true)
      for (const caller of callers)
        if (caller !== refused[0]) expect(between(one, caller, entity, 3, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a way to ship: results of one service go elsewhere, it is well, and who calls it fails by itself', () => {
    for (const one of incidentsOf('unasked-canary')) {
      const { entity } = one.truth
      const [sent, visible] = [
        'aws_sqs_number_of_messages_sent_average',
        'aws_sqs_approximate_number_of_messages_visible_average',
      ].map((name) => named(one, name)) as [readonly Series[], readonly Series[]]
      const queue = (all: readonly Series[], called: string): Series =>
        all.find(({ labels }) => labels.dimension_QueueName === called) as Series
      expect(valueAt(queue(sent, `${entity}-results`), one, 8)).toBeLessThan(60)
      const astray = queue(visible, `${entity}-results-canary`)
      expect(valueAt(astray, one, 8)).toBeGreaterThan(2 * valueAt(astray, one, 1))
      const carrying = one.snapshot.changes.filter(({ carries }) => carries?.includes(one.truth.change ?? ''))
      expect(carrying.map(({ kind }) => kind)).toEqual(['deploy'])
      expect(isThePlace(one.truth, carrying[0]?.entity ?? null)).toBe(true)
    }
    for (const one of known('unasked-canary')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeLessThan(0.05)
      expect(one.snapshot.edges.some(({ caller }) => caller === entity)).toBe(true)
    }
  }, 120_000)

  it('an error: a service ends part of its requests with an exception, for what it has always been answered', () => {
    for (const one of incidentsOf('narrowed-catch')) {
      const thrown = gauge(one, 'http_server_requests_seconds_count:rate1m', one.truth.entity)
      expect(valueAt(thrown, one, 5)).toBeGreaterThan(20 * valueAt(thrown, one, -1))
      expect(causeOf(one)?.diff).toContain('+    } catch (FeignException.Gone e) {')
    }
    for (const one of known('narrowed-catch')) {
      const { entity } = one.truth
      const share = failing(one, ({ callee }) => callee === entity, 4, 14)
      expect(share).toBeGreaterThan(0.15)
      expect(share).toBeLessThan(0.5)
      expect(failing(one, ({ caller }) => caller === entity, 4, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('routes: packets have no way, calls of the first service come and go, and those behind it are well', () => {
    for (const one of incidentsOf('internal-routes')) {
      const lost = gauge(one, 'aws_transitgateway_packet_drop_count_no_route_sum', GATEWAY)
      const seen = Array.from({ length: 20 }, (_, half) => valueAt(lost, one, 1 + half / 2))
      expect(Math.max(...seen)).toBeGreaterThan(150)
      const probe = gauge(one, 'probe_success', INTERFACE)
      const there = Array.from({ length: 24 }, (_, half) => Math.round(valueAt(probe, one, 1 + half / 2)))
      expect(new Set(there)).toEqual(new Set([0, 1]))
    }
    for (const one of known('internal-routes')) {
      const callers = partners(one, ({ caller }) => !isBeside(caller), 'caller')
      const cut = callers.filter((caller) => failing(one, (edge) => edge.caller === caller, 3, 14) > 0.4)
      expect(cut).toHaveLength(1)
      for (const caller of callers)
        if (caller !== cut[0])
          expect(failing(one, (edge) => edge.caller === caller, 3, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})

describe('what happens by itself in the sixteenth generation', () => {
  it('a router: its peer is gone, the second carries no more than ever, and calls fail across or not at all', () => {
    const [first, second] = CORE_ROUTERS
    for (const one of incidentsOf('core-router')) {
      expect(one.truth.entity).toBe(first)
      expect(valueAt(gauge(one, 'bgpPeerState', first), one, 3)).toBeCloseTo(IDLE, 1)
      expect(valueAt(gauge(one, 'ifHCOutOctets:rate1m', first), one, 3)).toBeLessThan(100)
      expect(valueAt(gauge(one, 'ifHCOutOctets:rate1m', second), one, 3)).toBeLessThan(2 * SPARE_SENDING)
    }
    for (const one of known('core-router')) {
      const shares = pairs(one)
        .filter(([, callee]) => !callee.endsWith('-api'))
        .map(([caller, callee]) => between(one, caller, callee, 2, 14))
      expect(shares.filter((share) => share > 0.9).length).toBeGreaterThan(1)
      expect(shares.some((share) => share < 0.9)).toBe(true)
    }
  }, 120_000)

  it('memory: it fills within minutes before a service answers nobody, and is never given back', () => {
    for (const one of incidentsOf('leaking-heap')) {
      const { entity } = one.truth
      const used = gauge(one, 'jvm_memory_used_bytes', entity)
      expect(valueAt(used, one, -20)).toBeLessThan(0.82 * OLD_BYTES)
      for (const minutes of [1, 5, 10]) expect(valueAt(used, one, minutes)).toBeGreaterThan(0.95 * OLD_BYTES)
      expect(valueAt(gauge(one, 'jvm_gc_pause_seconds_sum:rate1m', entity), one, 5)).toBeGreaterThan(0.8)
    }
    for (const one of known('leaking-heap')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -15, 0)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('a cluster: all its daemons are slow, and one service that no call joins to it takes longer and longer', () => {
    for (const one of incidentsOf('slow-cluster')) {
      const daemons = named(one, 'ceph_osd_commit_latency_ms').filter(({ entity }) => entity === CLUSTER)
      expect(daemons).toHaveLength(6)
      for (const series of daemons) expect(valueAt(series, one, 8)).toBeGreaterThan(600)
      expect(valueAt(gauge(one, 'ceph_health_status', CLUSTER), one, 8)).toBeCloseTo(HEALTH_ERR, 1)
    }
    for (const one of known('slow-cluster')) {
      const [service] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(took(one, service as string, 1, 3)).toBeGreaterThan(1.5 * took(one, service as string, -30, -5))
      expect(failing(one, ({ callee }) => callee === service, 8, 14)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('a disk: one of three caches answers with errors, and a third of the calls to one or two services fail', () => {
    for (const one of incidentsOf('cache-disk')) {
      const answers = ANSWER_CACHES.map((name) => gauge(one, 'nginx_vts_server_requests_total:rate1m', name))
      const failed = answers.filter((series) => valueAt(series, one, 5) > 4)
      expect(failed.map(({ entity }) => entity)).toEqual([one.truth.entity])
      expect(valueAt(gauge(one, 'smartmon_device_smart_healthy', one.truth.entity), one, 5)).toBe(0)
    }
    for (const one of known('cache-disk')) {
      const shares = pairs(one).map(([caller, callee]) => between(one, caller, callee, 3, 14))
      expect(shares.some((share) => share > 0.2 && share < 0.6)).toBe(true)
      expect(shares.some((share) => share < 0.05)).toBe(true)
    }
  }, 120_000)

  it('an account: its machines are gone and not measured any more, two services among them', () => {
    for (const one of incidentsOf('suspended-account')) {
      expect(valueAt(gauge(one, 'openstack_nova_limits_instances_used', ACCOUNT), one, 2)).toBe(0)
      expect(valueAt(gauge(one, 'probe_http_status_code', HOST), one, 2)).toBeGreaterThan(350)
      const gone = named(one, 'up').filter((series) => valueAt(series, one, 2) === 0)
      expect(gone.filter(({ entity }) => !entity.includes('batch'))).toHaveLength(2)
    }
    for (const one of known('suspended-account')) {
      const callees = partners(one, ({ callee }) => !isBeside(callee), 'callee')
      const dead = callees.filter((name) => failing(one, ({ callee }) => callee === name, 2, 14) > 0.95)
      expect(dead.length).toBeGreaterThan(1)
    }
  }, 120_000)
})
