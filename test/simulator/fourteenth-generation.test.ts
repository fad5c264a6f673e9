import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { FOURTEENTH_CHANGED } from './fourteenth-changed-faults.ts'
import { DOMAIN, OBJECTS, RESOLVER, SEARCH, SHARDS } from './fourteenth-surroundings.ts'
import { FOURTEENTH_UNCHANGED } from './fourteenth-unchanged-faults.ts'
import { ZONES } from './thirteenth-surroundings.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const FOURTEENTH = held.generationOf(FOURTEENTH_CHANGED, FOURTEENTH_UNCHANGED, 25_000_000)
const { incidentsOf, known } = FOURTEENTH

const ofStore = ({ callee }: held.Called): boolean => callee.endsWith('-db') && !callee.startsWith('partner-')

/** The highest value of a series of any entity that is not among the parts beside, some minutes after the beginning. */
const highest = (one: Parameters<typeof named>[0], name: string, minutes: number): number =>
  Math.max(...named(one, name).map((series) => valueAt(series, one, minutes)))

held.describeBlindGeneration(FOURTEENTH, {
  called: 'fourteenth',
  same_seed: 'diagnosed-requests',
  scored: [
    ['number-for-text', 24_000_000, 'b8aa91c32cce9e76'],
    ['diagnosed-requests', 24_000_002, '389d1edec62f7a3b'],
    ['activity-on-store', 24_000_004, '92f3a13fcea69194'],
    ['election-loop', 24_000_006, '0de7aa65c9ab7ece'],
    ['unreplaced-zone', 24_000_009, '964f13f07ca4abf7'],
  ],
  measured: [
    'http_client_unreadable_answers_per_second',
    'object_store_not_found_per_second',
    'objects_deleted_per_minute',
    'diagnosed_requests_per_minute',
    'switch_ports_up',
    'router_packets_forwarded_per_second',
    'router_ports_disabled',
    'db_longest_statement_seconds',
    'db_sessions_waiting',
    'probe_success_ratio',
    'tls_names_refused_per_second',
    'elasticsearch_cluster_health_number_of_nodes',
    'elasticsearch_cluster_health_active_shards',
    'elasticsearch_elections_per_minute',
    'resolver_lookups_per_second',
    'resolver_recursive_clients',
    'name_lookups_failed_per_second',
    'disk_errors_per_minute',
    'image_pull_duration_p99_ms',
    'image_pulls_failed_per_minute',
  ],
  delays: {
    'number-for-text': 8,
    'collected-objects': 1,
    'diagnosed-requests': 4,
    'routine-switches': 0,
    'activity-on-store': 0,
  },
  blind: { incidents: 30, farthest: 1, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'a form of answers': ({ files }) => files?.some((file) => file.endsWith('/answer.ts')) === true,
    'a collection': ({ title }) =>
      title?.endsWith(': garbage collection of blobs that nothing refers to') === true,
    'a diagnosis': ({ files }) => files?.some((file) => file.endsWith('/src/diagnosis.ts')) === true,
    'a maintenance of switches': ({ title }) =>
      title?.endsWith(': routine maintenance, switch 1 of 2') === true,
    'an activity on a store': ({ title }) => title?.includes(": rest of Sunday's maintenance") === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /example\.cn|master_not_discovered|an election requires|failed to join|EAI_AGAIN (?!telemetry)|no more recursive clients|blk_update_request|Client\.Timeout exceeded|upstream connect error or disconnect/,
})

describe('the changes of the fourteenth generation', () => {
  it('a form: callers cannot read more and more of what they are answered, and who was changed answers all', () => {
    for (const one of incidentsOf('number-for-text')) {
      const readers = named(one, 'http_client_unreadable_answers_per_second')
      const grown = readers.filter((series) => valueAt(series, one, 14) > 20 * valueAt(series, one, -30))
      expect(grown.length).toBeGreaterThan(0)
      expect(grown.some(({ entity }) => isThePlace(one.truth, entity))).toBe(false)
      for (const series of grown)
        expect(valueAt(series, one, 14)).toBeGreaterThan(1.5 * valueAt(series, one, 2))
      const field = causeOf(one)?.diff?.match(/\n\+ {2}(\w+): row\.\w+,/)?.[1]
      if (one.snapshot.logs.length > 0)
        expect(
          one.snapshot.logs.some(({ message }) => message.endsWith(`.${field} of type string`)),
          field,
        ).toBe(true)
    }
    for (const one of known('number-for-text'))
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 2, 14)).toBeLessThan(0.05)
  }, 120_000)

  it('a collection: blobs are deleted from minutes before on, and two services find less and less', () => {
    for (const one of incidentsOf('collected-objects')) {
      const deleted = gauge(one, 'objects_deleted_per_minute', OBJECTS)
      expect(valueAt(deleted, one, -0.5)).toBeGreaterThan(500)
      const missed = named(one, 'object_store_not_found_per_second').filter(
        (series) => valueAt(series, one, 8) > 8 * valueAt(series, one, -60),
      )
      expect(missed.filter(({ entity }) => isThePlace(one.truth, entity))).toHaveLength(2)
      expect(causeOf(one)?.title).toContain(OBJECTS)
    }
    for (const one of known('collected-objects')) {
      const readers = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      for (const callee of readers)
        expect(failing(one, (edge) => edge.callee === callee, 6, 14)).toBeGreaterThan(0.2)
    }
  }, 120_000)

  it('a diagnosis: a service asks its store more and more often, and the store takes longer', () => {
    for (const one of incidentsOf('diagnosed-requests')) {
      const looked = gauge(one, 'diagnosed_requests_per_minute', one.truth.entity)
      expect(valueAt(looked, one, 2)).toBeLessThan(0.6 * valueAt(looked, one, 6))
      expect(causeOf(one)?.diff).toMatch(/\+ {2}if \(took_ms > \d+\) await explain\(request\)/)
    }
    for (const one of known('diagnosed-requests')) {
      const isIts = (edge: held.Called): boolean => edge.caller === one.truth.entity && ofStore(edge)
      const [store] = partners(one, (edge) => isIts(edge) && isThePlace(one.truth, edge.callee), 'callee')
      expect(grew(one, (edge) => isIts(edge) && edge.callee === store, 8, 14)).toBeGreaterThan(2)
      expect(took(one, store as string, 8, 14)).toBeGreaterThan(2 * took(one, store as string, -30, -5))
    }
  }, 120_000)

  it('switches: one is taken out, a router closes a port, and nearly nobody gets to any store', () => {
    for (const one of incidentsOf('routine-switches')) {
      expect(valueAt(gauge(one, 'switch_ports_up', one.truth.entity), one, 2)).toBe(0)
      expect(highest(one, 'router_ports_disabled', 2)).toBeGreaterThan(0.9)
      expect(causeOf(one)?.title).toBe('sw-stores: routine maintenance, switch 1 of 2')
    }
    for (const one of known('routine-switches')) expect(failing(one, ofStore, 1, 14)).toBeGreaterThan(0.9)
  }, 120_000)

  it('an activity: one statement runs on and on, sessions wait, and a store that several ask is slow', () => {
    for (const one of incidentsOf('activity-on-store')) {
      const { entity } = one.truth
      const longest = gauge(one, 'db_longest_statement_seconds', entity)
      expect(valueAt(longest, one, 10) - valueAt(longest, one, 5)).toBeGreaterThan(250)
      expect(valueAt(gauge(one, 'db_sessions_waiting', entity), one, 4)).toBeGreaterThan(40)
      expect(causeOf(one)?.title?.startsWith(entity)).toBe(true)
    }
    for (const one of known('activity-on-store')) {
      const { entity } = one.truth
      expect(took(one, entity, 4, 14)).toBeGreaterThan(20 * took(one, entity, -30, -5))
    }
  }, 120_000)
})

describe('what happens by itself in the fourteenth generation', () => {
  it('a domain: its probe fails more and more often, and callers of one service refuse the name in a certificate', () => {
    for (const one of incidentsOf('reassigned-domain')) {
      const probe = gauge(one, 'probe_success_ratio', DOMAIN)
      expect(valueAt(probe, one, -10)).toBeGreaterThan(0.5)
      expect(valueAt(probe, one, 15.5)).toBeLessThan(0.25)
      expect(highest(one, 'tls_names_refused_per_second', 15.5)).toBeGreaterThan(2)
    }
    for (const one of known('reassigned-domain')) {
      const called = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(called).toHaveLength(1)
      const share = (from: number, to: number): number =>
        failing(one, ({ callee }) => callee === called[0], from, to)
      expect(share(0, 2)).toBeLessThan(share(8, 14))
      const root = one.snapshot.alerts[0]?.service
      const outside = ({ caller }: held.Called): boolean => caller === root
      expect(grew(one, outside, 10, 16)).toBeLessThan(0.9)
      expect(share(8, 14)).toBeGreaterThan(0.4)
    }
  }, 120_000)

  it('a cluster: a member is gone and back, a master is elected again and again, and two services find nothing', () => {
    for (const one of incidentsOf('election-loop')) {
      const members = gauge(one, 'elasticsearch_cluster_health_number_of_nodes', SEARCH)
      expect(valueAt(members, one, 0.4)).toBeCloseTo(2, 0)
      expect(valueAt(members, one, 4)).toBeCloseTo(3, 0)
      const shards = gauge(one, 'elasticsearch_cluster_health_active_shards', SEARCH)
      expect(valueAt(shards, one, 4)).toBeLessThan(SHARDS / 5)
      expect(valueAt(gauge(one, 'elasticsearch_elections_per_minute', SEARCH), one, 4)).toBeGreaterThan(2)
    }
    for (const one of known('election-loop')) {
      const callees = partners(one, ({ callee }) => !callee.endsWith('-db'), 'callee')
      const failed = callees.filter((name) => failing(one, ({ callee }) => callee === name, 2, 14) > 0.4)
      expect(failed.length).toBeGreaterThanOrEqual(2)
      expect(failing(one, ofStore, 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a resolver: it is asked a multiple, has no room for more, and a like share of all calls fails', () => {
    for (const one of incidentsOf('flooded-resolver')) {
      const lookups = gauge(one, 'resolver_lookups_per_second', RESOLVER)
      expect(valueAt(lookups, one, 6)).toBeGreaterThan(8 * valueAt(lookups, one, -5))
      expect(valueAt(gauge(one, 'resolver_recursive_clients', RESOLVER), one, 6)).toBeGreaterThan(900)
    }
    for (const one of known('flooded-resolver')) {
      const callees = partners(one, ({ callee }) => !callee.startsWith('partner-'), 'callee')
      for (const callee of callees)
        expect(
          failing(one, (edge) => edge.callee === callee, 6, 14),
          callee,
        ).toBeGreaterThan(0.25)
    }
  }, 120_000)

  it('pulls: what comes from outside takes many times as long, and hardly any of it fails at once', () => {
    for (const one of incidentsOf('slow-pulls')) {
      expect(highest(one, 'image_pull_duration_p99_ms', 9)).toBeGreaterThan(5_000)
      expect(one.snapshot.status.some(({ provider }) => provider === 'registry.example')).toBe(false)
    }
    for (const one of known('slow-pulls'))
      expect(took(one, one.truth.entity, 8, 14)).toBeGreaterThan(5 * took(one, one.truth.entity, -30, -5))
  }, 120_000)

  it('a zone: machines of one service alone are not ready, no image comes for others, and one pod takes everything', () => {
    for (const one of incidentsOf('unreplaced-zone')) {
      expect(ZONES).toContain(one.truth.entity)
      expect(valueAt(gauge(one, 'zone_api_duration_p99_ms', one.truth.entity), one, 4)).toBeGreaterThan(2_000)
      const unready = named(one, 'node_ready').filter(
        (series: Series) => valueAt(series, one, 4) === 0 && series.entity !== 'batch-1-7',
      )
      expect(unready.length).toBeGreaterThan(1)
      expect(unready.every(({ entity }) => isThePlace(one.truth, entity))).toBe(true)
      if (one.snapshot.k8s.length > 0)
        expect(one.snapshot.k8s.some(({ message }) => message?.includes('502 Bad Gateway'))).toBe(true)
    }
    for (const one of known('unreplaced-zone')) {
      const [service] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === service, 3, 14)).toBeGreaterThan(0.25)
      expect(
        failing(one, ({ callee }) => callee !== service && ofStore({ caller: '', callee }), 3, 14),
      ).toBeLessThan(0.05)
    }
  }, 120_000)
})
