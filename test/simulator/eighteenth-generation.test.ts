import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { EIGHTEENTH_CHANGED } from './eighteenth-changed-faults.ts'
import {
  BLOCKS_KEPT,
  FIRST_SERVERS,
  INNER_PROXY,
  ITEMS,
  LATER_SERVERS,
  MEMORY_LEFT,
  READ_THROUGH,
  SENDER,
  SENDING_MACHINE,
  STORE_UNITS,
  VOICE_CACHE,
} from './eighteenth-surroundings.ts'
import { EIGHTEENTH_UNCHANGED } from './eighteenth-unchanged-faults.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const EIGHTEENTH = held.generationOf(EIGHTEENTH_CHANGED, EIGHTEENTH_UNCHANGED, 33_000_000)
const { incidentsOf, known } = EIGHTEENTH

type Incident = Parameters<typeof named>[0]

const MINUTE_MS = held.MINUTE_MS

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

/** Share of the calls between two parts that failed, in some minutes around the beginning. */
const between = (one: Incident, caller: string, callee: string, from_min: number, to_min: number): number =>
  failing(one, (edge) => edge.caller === caller && edge.callee === callee, from_min, to_min)

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

const asksOthers = (one: Incident, caller: string): boolean =>
  partners(one, (edge) => edge.caller === caller, 'callee').length > 0

/** The service among the places of a truth whose own name others know it by. */
const serviceAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) =>
    one.snapshot.edges.some(({ callee }) => callee === place && !place.endsWith('-db')),
  ) as string

held.describeBlindGeneration(EIGHTEENTH, {
  called: 'eighteenth',
  same_seed: 'small-buffers',
  scored: [
    ['unwarmed-cache', 32_000_000, 'aaf663b68e801528'],
    ['small-buffers', 32_000_003, 'a1acf6f4fc2e6c06'],
    ['left-out-list', 32_000_004, 'ce10468a8bcfd052'],
    ['lost-address', 32_000_007, '3d2acf916622f02e'],
    ['few-left', 32_000_009, '64ca7e4d43f4f7a1'],
  ],
  measured: [
    'memcached_current_items',
    'memcached_commands_total:rate1m',
    'smpps_deliver_sm_count:rate1m',
    'httpapi_success_count:rate1m',
    'rabbitmq_queue_messages_ready',
    'http_server_requests_seconds_count:rate1m',
    'entitlement_lookups_total:rate1m',
    'nginx_ingress_controller_requests:rate1m',
    'dotnet_exceptions_total:rate1m',
    'kube_horizontalpodautoscaler_status_desired_replicas',
    'kube_deployment_status_replicas_available',
    'sidekiq_queue_enqueued_jobs',
    'sidekiq_queue_latency_seconds',
    'sidekiq_retry_jobs',
    'juicefs_blockcache_hits:rate1m',
    'juicefs_blockcache_miss:rate1m',
    'juicefs_fuse_ops_durations_histogram_seconds:p95',
    'node_uptime_seconds',
    'node_memory_MemAvailable_bytes',
    'puppet_last_run_duration_seconds',
    'aws_rds_serverless_database_capacity_average',
    'aws_rds_cpuutilization_average',
    'pg_stat_user_tables_seq_tup_read:rate1m',
    'pg_stat_statements_seconds_total:rate1m',
    'pg_stat_activity_max_tx_duration',
    'up',
    'load_balancer_healthy_hosts',
    'probe_success',
  ],
  delays: {
    'unwarmed-cache': 15,
    'stopped-deliveries': 4,
    'unknown-receipts': 4,
    'small-buffers': 0,
    'left-out-list': 4,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 1, latest_change: 3 },
  shapes: {
    'servers of a cache': ({ files }) => files?.some((file) => file.endsWith('/servers.tf')) === true,
    'to whom messages are given': ({ files }) => files?.some((file) => file.endsWith('deliver.go')) === true,
    'who has paid': ({ files }) => files?.some((file) => file.endsWith('entitlements.ts')) === true,
    'how a proxy holds answers': ({ files }) => files?.some((file) => file.endsWith('nginx.conf')) === true,
    'what a service answers with': ({ files }) =>
      files?.some((file) => file.endsWith('ResultWriter.cs')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /\(SendMessages\)|within 5\.000 seconds|read \(\d+,4194304,0\)|40 ms are usual|port: 10\.47\.3|dhclient-script|Withdrawing address record|looking up what is allocated|execute <unnamed>: SELECT \* FROM allocations|PG::QueryCanceled|not ready until there are fewer/,
})

describe('the changes of the eighteenth generation', () => {
  it('servers of a cache: they are empty for a quarter of an hour and more, and are missed when many come', () => {
    for (const one of incidentsOf('unwarmed-cache')) {
      for (const server of LATER_SERVERS) {
        expect(valueAt(gauge(one, 'memcached_current_items', server), one, -1)).toBeLessThan(0.01 * ITEMS)
        const missed = labelled(one, 'memcached_commands_total:rate1m', server, 'status', 'miss')
        expect(valueAt(missed, one, 4)).toBeGreaterThan(2 * valueAt(missed, one, -2))
      }
      for (const server of FIRST_SERVERS)
        expect(valueAt(gauge(one, 'memcached_current_items', server), one, 4)).toBeGreaterThan(0.5 * ITEMS)
      expect(causeOf(one)?.diff).toContain('+  servers = 5')
    }
    for (const one of known('unwarmed-cache')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      const to = ({ callee }: held.Called): boolean => callee === store
      expect(failing(one, to, -14, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeGreaterThan(0.15)
      // Far more of the calls get to the store than more people have come.
      expect(grew(one, to, 4, 14)).toBeGreaterThan(1.8)
    }
  }, 120_000)

  it('a release: one of those who ask is refused nearly all, the others nothing, and messages wait', () => {
    for (const one of incidentsOf('stopped-deliveries')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'smpps_deliver_sm_count:rate1m', entity), one, 5)).toBeLessThan(0.5)
      expect(valueAt(gauge(one, 'httpapi_success_count:rate1m', entity), one, 5)).toBeGreaterThan(30)
      expect(causeOf(one)?.diff).toContain('s.Bound == smpp.BoundTransceiver')
    }
    for (const one of known('stopped-deliveries')) {
      const { entity } = one.truth
      const shares = callersOf(one, entity).map((caller) => between(one, caller, entity, 5, 14))
      expect(shares.filter((share) => share > 0.85)).toHaveLength(1)
      expect(shares.filter((share) => share < 0.05)).toHaveLength(shares.length - 1)
    }
  }, 120_000)

  it('a release: who was released fails by itself and asks the others less', () => {
    for (const one of incidentsOf('unknown-receipts')) {
      const { entity } = one.truth
      const refused = labelled(one, 'http_server_requests_seconds_count:rate1m', entity, 'uri', '/v1/premium')
      expect(valueAt(refused, one, 6)).toBeGreaterThan(20 * valueAt(refused, one, -20))
      expect(causeOf(one)?.diff).toContain('+  if (offer === undefined) return false')
    }
    for (const one of known('unknown-receipts')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 6, 14)).toBeGreaterThan(0.3)
      expect(failing(one, ({ caller }) => caller === entity, 6, 14)).toBeLessThan(0.05)
    }
    const asking = known('unknown-receipts').filter((one) => asksOthers(one, one.truth.entity))
    expect(asking.length).toBeGreaterThan(0)
    for (const one of asking)
      expect(grew(one, ({ caller }) => caller === one.truth.entity, 6, 14)).toBeLessThan(0.85)
  }, 120_000)

  it('a setting: whoever asks one service is refused, while that service asks the others as ever', () => {
    for (const one of incidentsOf('small-buffers')) {
      expect(one.truth.entity).toBe(INNER_PROXY)
      const refused = named(one, 'nginx_ingress_controller_requests:rate1m').filter(
        (series) => series.entity === INNER_PROXY && valueAt(series, one, 4) > 2,
      )
      expect(refused).toHaveLength(1)
      expect(causeOf(one)?.diff).toContain('+    proxy_buffer_size 2k;')
    }
    for (const one of known('small-buffers')) {
      const name = serviceAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -15, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 3, 14)).toBeGreaterThan(0.45)
      for (const caller of callersOf(one, name))
        expect(between(one, caller, name, 3, 14)).toBeGreaterThan(0.45)
      expect(failing(one, ({ caller }) => caller === name, 3, 14)).toBeLessThan(0.05)
    }
    const asking = known('small-buffers').filter((one) => asksOthers(one, serviceAmong(one)))
    expect(asking.length).toBeGreaterThan(0)
    for (const one of asking)
      expect(grew(one, ({ caller }) => caller === serviceAmong(one), 3, 14)).toBeGreaterThan(0.8)
  }, 120_000)

  it('a release: who was released answers as ever, and one or two that ask it fail by themselves', () => {
    for (const one of incidentsOf('left-out-list')) {
      const failing_parts = named(one, 'dotnet_exceptions_total:rate1m').filter(
        (series) => valueAt(series, one, 6) > 3,
      )
      expect(failing_parts.length).toBeGreaterThan(0)
      expect(failing_parts.map(({ entity }) => entity)).not.toContain(one.truth.entity)
      expect(causeOf(one)?.diff).toContain('+            return new RecognitionResult(utterance.Text);')
    }
    for (const one of known('left-out-list')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeLessThan(0.05)
      const hit = named(one, 'dotnet_exceptions_total:rate1m')
        .filter((series) => valueAt(series, one, 6) > 3)
        .map((series) => series.entity)
      for (const reader of hit) expect(callersOf(one, entity)).toContain(reader)
    }
  }, 120_000)
})

describe('what happens by itself in the eighteenth generation', () => {
  it('a store: more and more is put into it that no caller asks for, it is as large as it was, and all wait', () => {
    for (const one of incidentsOf('unscaled-store')) {
      const { entity } = one.truth
      const units = gauge(one, 'aws_rds_serverless_database_capacity_average', entity)
      expect(valueAt(units, one, 8)).toBeCloseTo(STORE_UNITS, 0)
      expect(valueAt(gauge(one, 'sidekiq_queue_enqueued_jobs', SENDER), one, 6)).toBeGreaterThan(5_000)
    }
    for (const one of known('unscaled-store')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, 6, 14)).toBeGreaterThan(0.2)
      expect(grew(one, to, 6, 14)).toBeLessThan(2)
    }
  }, 120_000)

  it('files kept near: reads take longer from minute to minute, and the service was shipped after that began', () => {
    for (const one of incidentsOf('slow-voices')) {
      const kept = gauge(one, 'juicefs_blockcache_hits:rate1m', VOICE_CACHE)
      expect(valueAt(kept, one, 10)).toBeLessThan(0.6 * BLOCKS_KEPT)
      const service = one.truth.also?.entities.slice(1) ?? []
      const shipped = one.snapshot.changes.filter(
        ({ kind, entity, recorded_at }) =>
          kind === 'deploy' &&
          service.includes(entity ?? '') &&
          recorded_at > one.truth.began_ms &&
          recorded_at < (one.snapshot.alerts[0]?.fired_at ?? 0),
      )
      expect(shipped.length).toBeGreaterThan(0)
    }
    for (const one of known('slow-voices')) {
      const name = serviceAmong(one)
      expect(took(one, name, 9, 14)).toBeGreaterThan(4 * took(one, name, -30, -2))
      expect(failing(one, ({ caller }) => caller === name, 6, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a machine: it has hardly any memory left for minutes, and then nobody reaches what runs on it', () => {
    for (const one of incidentsOf('lost-address')) {
      expect(one.truth.entity).toBe(SENDING_MACHINE)
      const left = gauge(one, 'node_memory_MemAvailable_bytes', SENDING_MACHINE)
      expect(valueAt(left, one, -0.5)).toBeLessThan(0.4 * MEMORY_LEFT)
      const last = left.times.at(-1) ?? Number.POSITIVE_INFINITY
      expect(last).toBeLessThan(one.truth.began_ms + MINUTE_MS)
    }
    for (const one of known('lost-address')) {
      const to = ({ callee }: held.Called): boolean => callee === serviceAmong(one)
      expect(failing(one, to, -15, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('work in the background: a store reads a table through, again and again, and is slow for all who ask it', () => {
    for (const one of incidentsOf('unindexed-case')) {
      const { entity } = one.truth
      const read = gauge(one, 'pg_stat_user_tables_seq_tup_read:rate1m', entity)
      expect(valueAt(read, one, 5)).toBeGreaterThan(300 * READ_THROUGH)
      expect(valueAt(gauge(one, 'pg_stat_activity_max_tx_duration', entity), one, 8)).toBeGreaterThan(400)
    }
    for (const one of known('unindexed-case')) {
      const { entity } = one.truth
      expect(took(one, entity, 5, 14)).toBeGreaterThan(3 * took(one, entity, -30, -2))
      expect(failing(one, ({ callee }) => callee === entity, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('few requests: most pods of a service are taken away, as many come as before, and no pod is made', () => {
    for (const one of incidentsOf('few-left')) {
      const { entity } = one.truth
      const pods = gauge(one, 'kube_horizontalpodautoscaler_status_desired_replicas', entity)
      expect(valueAt(pods, one, -2)).toBeGreaterThan(5)
      for (const minutes of [3, 8, 14]) expect(valueAt(pods, one, minutes)).toBeLessThan(2.2)
    }
    for (const one of known('few-left')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(perMinute(one, to, 0, 2)).toBeLessThan(0.6 * perMinute(one, to, -20, -1))
      expect(failing(one, to, 0, 2)).toBeLessThan(0.05)
      expect(failing(one, to, 7, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)
})
