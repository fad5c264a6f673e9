import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { ESTABLISHED } from './sixteenth-surroundings.ts'
import { TWENTIETH_CHANGED } from './twentieth-changed-faults.ts'
import {
  ADDRESS_POOL,
  ADDRESSES_IN,
  ANSWER_CACHE,
  ASKING,
  BROWSER_EXCEPTIONS,
  CONNECTIONS,
  EVENTS_DONE,
  eventsOf,
  FLOWS_BEGUN,
  PAGES_READ,
  SERVERS,
  SITE_ROUTER,
  STORE_MEMORY,
  TASKS,
  TRANSIT,
  TRANSIT_BYTES,
  WORKERS,
  WRITE_QUEUES,
  WRITTEN_NOW,
} from './twentieth-surroundings.ts'
import { TWENTIETH_UNCHANGED } from './twentieth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTIETH = held.generationOf(TWENTIETH_CHANGED, TWENTIETH_UNCHANGED, 37_000_000)
const { incidentsOf, known } = TWENTIETH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

const calleesOf = (one: Incident, caller: string): readonly string[] =>
  partners(one, (edge) => edge.caller === caller, 'callee')

/** Share of the calls between two parts that failed, in some minutes around the beginning. */
const between = (one: Incident, caller: string, callee: string, from_min: number, to_min: number): number =>
  failing(one, (edge) => edge.caller === caller && edge.callee === callee, from_min, to_min)

/** The store among the places of a truth. */
const storeAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => place.endsWith('-db')) as string

/** What was measured of something from the beginning on. */
const sinceBegun = ({ times, values }: Series, { truth }: Incident): readonly number[] =>
  Array.from(values).filter((_, index) => (times[index] as number) > truth.began_ms)

held.describeBlindGeneration(TWENTIETH, {
  called: 'twentieth',
  same_seed: 'relative-version',
  scored: [
    ['defaulted-columns', 36_000_000, 'b231fec1f0e677c6'],
    ['unread-events', 36_000_003, 'd89021bfc040d6fb'],
    ['dark-uplink', 36_000_005, 'c89f2287b2caf6f1'],
    ['scaled-connections', 36_000_006, '3e72a9b9dbe6acdc'],
    ['parted-store', 36_000_009, '0e4c4ade0b45c667'],
  ],
  measured: [
    'sql_recent_events_archived_ratio',
    'webhook_events_total:rate1m',
    'kube_secret_metadata_resource_version',
    'http_client_requests_seconds_count:rate1m',
    'faro_receiver_exceptions_total:rate1m',
    'aws_sqs_approximate_number_of_messages_visible_average',
    'aws_sqs_approximate_age_of_oldest_message_maximum',
    'aws_sqs_number_of_messages_deleted_sum',
    'piece_lookups_total:rate1m',
    'flow_runs_started_total:rate1m',
    'bgpPeerState',
    'ifHCInOctets:rate1m',
    'probe_success',
    'db_up',
    'pg_up',
    'aws_rds_database_connections_average',
    'aws_rds_freeable_memory_average',
    'aws_rds_swap_usage_average',
    'aws_rds_engine_uptime_average',
    'aws_rds_cpuutilization_average',
    'aws_ecs_containerinsights_running_task_count_average',
    'aws_elasticache_cache_hit_rate_average',
    'aws_elasticache_engine_cpuutilization_average',
    'aws_elasticache_curr_connections_average',
    'scrapy_response_status_count:rate1m',
    'proxy_addresses_available',
    'up',
    'node_uptime_seconds',
    'redis_key_size',
  ],
  delays: {
    'defaulted-columns': 4,
    'overwritten-secret': 1,
    'refactored-pages': 4,
    'unread-events': 1,
    'relative-version': 4,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 1 },
  shapes: {
    'a migration in SQL': ({ files }) => files?.some((file) => file.includes('/migrations/')) === true,
    'what is set for all': ({ files }) => files?.some((file) => file.endsWith('/values.yaml')) === true,
    'how pages ask': ({ files }) => files?.some((file) => file.includes('/src/pages/')) === true,
    'what is read of a queue': ({ files }) => files?.some((file) => file.endsWith('/consumer.yaml')) === true,
    'a migration of flows': ({ files }) => files?.some((file) => file.includes('/src/migration/')) === true,
    'how pages of others are read': ({ files }) =>
      files?.some((file) => file.endsWith('/profile.py')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /ETIMEDOUT 203\.0\.113\.|192\.0\.2\.\d+:443: i\/o timeout|bgp_hold_timeout|tasks are wanted|terminated by signal 9|in recovery mode|rates:2026-02|missing a \.transacting|failed 3 times|\(Retry-After\)|could not be read: connect ETIMEDOUT/,
})

describe('the changes of the twentieth generation', () => {
  it('a default where there was none: a store answers as ever, and all who ask it find what is new set aside', () => {
    for (const one of incidentsOf('defaulted-columns')) {
      const store = storeAmong(one)
      const ratio = gauge(one, 'sql_recent_events_archived_ratio', store)
      expect(valueAt(ratio, one, -20)).toBeLessThan(0.05)
      expect(valueAt(ratio, one, 2)).toBeGreaterThan(0.9)
      expect(causeOf(one)?.diff).toMatch(
        /\+ALTER TABLE events ALTER COLUMN (archived|expired|discarded)_at SET/,
      )
    }
    for (const one of known('defaulted-columns')) {
      const store = storeAmong(one)
      expect(failing(one, ({ callee }) => callee === store, 4, 14)).toBeLessThan(0.05)
      for (const asking of callersOf(one, store)) {
        const to = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, to, -20, -1) > 0) expect(failing(one, to, 5, 14)).toBeGreaterThan(0.5)
      }
    }
  }, 120_000)

  it('a secret that is written over: an outside party refuses one service and no other', () => {
    for (const one of incidentsOf('overwritten-secret')) {
      const { entity } = one.truth
      const secret = gauge(one, 'kube_secret_metadata_resource_version', entity)
      expect(valueAt(secret, one, -20)).toBeLessThan(0.85 * WRITTEN_NOW)
      expect(valueAt(secret, one, 2)).toBeGreaterThan(0.95 * WRITTEN_NOW)
      const refused = gauge(one, 'http_client_requests_seconds_count:rate1m', entity)
      expect(valueAt(refused, one, 5)).toBeGreaterThan(10 * valueAt(refused, one, -20))
      expect(causeOf(one)?.files).toContain(`prod/${entity}/values.yaml`)
    }
    for (const one of known('overwritten-secret')) {
      const { entity } = one.truth
      const [provider = ''] = calleesOf(one, entity).filter((callee) => callee.endsWith('-api'))
      expect(between(one, entity, provider, -20, -3)).toBeLessThan(0.05)
      expect(between(one, entity, provider, 8, 14)).toBeGreaterThan(0.85)
      for (const other of callersOf(one, provider))
        if (other !== entity) expect(between(one, other, provider, 8, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('pages that ask in another way: the first service fails by itself, and asks the others for less', () => {
    for (const one of incidentsOf('refactored-pages')) {
      const { entity } = one.truth
      const exceptions = gauge(one, 'faro_receiver_exceptions_total:rate1m', entity)
      expect(valueAt(exceptions, one, 8)).toBeGreaterThan(15 * BROWSER_EXCEPTIONS)
      expect(one.snapshot.alerts[0]?.service).toBe(entity)
      expect(causeOf(one)?.diff).toContain('+  const { data: shown } = useQuery(')
    }
    for (const one of known('refactored-pages')) {
      const { entity } = one.truth
      const by = ({ caller }: held.Called): boolean => caller === entity
      expect(failing(one, by, 8, 14)).toBeLessThan(0.05)
      expect(grew(one, by, 8, 14)).toBeLessThan(0.9)
    }
  }, 120_000)

  it('a queue that is not read: who is changed answers as ever, and whoever asks it fails by itself', () => {
    for (const one of incidentsOf('unread-events')) {
      const { entity } = one.truth
      const queue = eventsOf(entity)
      const done = gauge(one, 'aws_sqs_number_of_messages_deleted_sum', queue)
      expect(valueAt(done, one, -20)).toBeGreaterThan(0.5 * EVENTS_DONE)
      expect(valueAt(done, one, 2)).toBe(0)
      const oldest = gauge(one, 'aws_sqs_approximate_age_of_oldest_message_maximum', queue)
      expect(valueAt(oldest, one, 10)).toBeGreaterThan(550)
      expect(causeOf(one)?.diff).toContain(`-  queue: ${queue}`)
    }
    for (const one of known('unread-events')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeLessThan(0.05)
      for (const asking of callersOf(one, entity)) {
        const to = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, to, -20, -1) > 0) expect(failing(one, to, 4, 14)).toBeGreaterThan(0.35)
      }
    }
  }, 120_000)

  it('a version that is one of many: one service begins nothing any more, and its pods of before do not either', () => {
    for (const one of incidentsOf('relative-version')) {
      const { entity } = one.truth
      const begun = gauge(one, 'flow_runs_started_total:rate1m', entity)
      expect(valueAt(begun, one, 5)).toBeLessThan(0.6 * FLOWS_BEGUN)
      expect(causeOf(one)?.diff).toContain("'{settings,pieceVersion}', '\"~")
    }
    for (const one of known('relative-version')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, -20, -2)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.5)
      expect(failing(one, ({ callee }) => callee === storeAmong(one), 5, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})

describe('what happens by itself in the twentieth generation', () => {
  it('a way out that is gone: nothing crosses it, and whatever is on either side is well', () => {
    for (const one of incidentsOf('dark-uplink')) {
      expect(one.truth.entity).toBe(TRANSIT)
      const peer = labelled(one, 'bgpPeerState', SITE_ROUTER, 'bgpPeerRemoteAddr', '198.51.100.1')
      expect(valueAt(peer, one, -20)).toBeCloseTo(ESTABLISHED, 0)
      expect(valueAt(peer, one, 3)).toBeCloseTo(ASKING, 0)
      const bytes = gauge(one, 'ifHCInOctets:rate1m', SITE_ROUTER)
      expect(valueAt(bytes, one, 3)).toBeLessThan(0.001 * TRANSIT_BYTES)
      const port = named(one, 'ifOperStatus').filter((each) => each.entity === SITE_ROUTER)
      for (const each of port) expect(valueAt(each, one, 3)).toBeCloseTo(1, 0)
    }
    for (const one of known('dark-uplink')) {
      const gone = named(one, 'probe_success').filter(
        (series) => series.labels.target?.endsWith('/healthz') && valueAt(series, one, 2) < 0.5,
      )
      const names = gone.map(({ entity }) => entity)
      expect(names.length).toBeGreaterThan(0)
      const isWithin = ({ caller, callee }: held.Called): boolean =>
        names.includes(caller) === names.includes(callee)
      const across = (edge: held.Called): boolean =>
        !isWithin(edge) && (names.includes(edge.caller) || names.includes(edge.callee))
      expect(failing(one, across, -15, -1)).toBeLessThan(0.05)
      expect(failing(one, across, 2, 14)).toBeGreaterThan(0.85)
      for (const name of names) expect(valueAt(gauge(one, 'up', name), one, 4)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('workers without end: a store is slow, is not there for a while, and begins anew more than once', () => {
    for (const one of incidentsOf('scaled-connections')) {
      const { entity } = one.truth
      const connections = gauge(one, 'aws_rds_database_connections_average', entity)
      expect(valueAt(connections, one, -20)).toBeLessThan(2 * CONNECTIONS)
      expect(valueAt(connections, one, 0.2)).toBeGreaterThan(5 * CONNECTIONS)
      const free = gauge(one, 'aws_rds_freeable_memory_average', entity)
      expect(valueAt(free, one, 0.2)).toBeLessThan(0.1 * STORE_MEMORY)
      const tasks = gauge(one, 'aws_ecs_containerinsights_running_task_count_average', WORKERS)
      expect(valueAt(tasks, one, 0.2)).toBeGreaterThan(5 * TASKS)
      const there = sinceBegun(gauge(one, 'db_up', entity), one)
      const ends = there.filter((value, index) => index > 0 && value < 0.5 && (there[index - 1] ?? 0) > 0.5)
      expect(ends.length).toBeGreaterThan(1)
    }
    for (const one of known('scaled-connections')) {
      const { entity } = one.truth
      expect(took(one, entity, 0, 1.5)).toBeGreaterThan(10 * took(one, entity, -30, -10))
      expect(failing(one, ({ callee }) => callee === entity, 1, 4)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('a burst that is not kept from a store: one service is asked more, and asks its store far more', () => {
    for (const one of incidentsOf('midnight-burst')) {
      const rate = gauge(one, 'aws_elasticache_cache_hit_rate_average', ANSWER_CACHE)
      expect(valueAt(rate, one, -10)).toBeGreaterThan(75)
      expect(valueAt(rate, one, 5)).toBeLessThan(12)
    }
    for (const one of known('midnight-burst')) {
      const { entity } = one.truth
      const store = calleesOf(one, entity).filter((callee) => callee.endsWith('-db'))
      const to = ({ caller, callee }: held.Called): boolean => caller === entity && store.includes(callee)
      expect(grew(one, to, 5, 14)).toBeGreaterThan(3)
      const slower = store.map((asked) => took(one, asked, 5, 14) / took(one, asked, -30, -5))
      expect(Math.max(...slower)).toBeGreaterThan(5)
    }
  }, 120_000)

  it('pages that are not given any more: an outside party refuses all who ask it, more from minute to minute', () => {
    for (const one of incidentsOf('limited-scrapers')) {
      const left = gauge(one, 'proxy_addresses_available', ADDRESS_POOL)
      expect(valueAt(left, one, -10)).toBeGreaterThan(0.7 * ADDRESSES_IN)
      expect(valueAt(left, one, 6)).toBeLessThan(0.05 * ADDRESSES_IN)
    }
    for (const one of known('limited-scrapers')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -15, -1)).toBeLessThan(0.05)
      for (const asking of callersOf(one, entity)) {
        expect(between(one, asking, entity, 6, 14)).toBeGreaterThan(0.85)
        const read = labelled(one, 'scrapy_response_status_count:rate1m', asking, 'status', '200')
        expect(valueAt(read, one, 6)).toBeLessThan(0.15 * PAGES_READ)
      }
    }
  }, 120_000)

  it('a server of a store out of reach: a third of all fails, and what is to be written there waits', () => {
    for (const one of incidentsOf('parted-store')) {
      const { entity } = one.truth
      const there = (server: string): number => valueAt(gauge(one, 'up', server), one, 3)
      for (const server of SERVERS)
        if (server === entity) expect(there(server)).toBeLessThan(0.5)
        else expect(there(server)).toBeGreaterThan(0.5)
      const waiting = labelled(one, 'redis_key_size', WRITE_QUEUES, 'key', `writes:${entity}`)
      expect(valueAt(waiting, one, 10)).toBeGreaterThan(2_000)
    }
    for (const one of known('parted-store')) {
      const store = storeAmong(one)
      const share = failing(one, ({ callee }) => callee === store, 1, 14)
      expect(share).toBeGreaterThan(0.25)
      expect(share).toBeLessThan(0.42)
      expect(failing(one, ({ callee }) => callee === store, -15, -1)).toBeLessThan(0.05)
    }
  }, 120_000)
})
