import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_FIRST_CHANGED } from './twenty-first-changed-faults.ts'
import {
  ACCEPTED_RECEIPTS,
  APP_HOSTS,
  BYTES_IN,
  DENIED,
  FORM_LICENCE,
  hostOf,
  INGEST_QUEUES,
  INGESTOR,
  KEYS_ROOM,
  LICENSED_S,
  NEW_FILTERS,
  PUT_OFF,
  REJECTED_ORDERS,
  SEARCH_INDEX,
  SORTER,
  TAKEN_IN,
  TEMPLATES,
  UNROUTED_CARTONS,
} from './twenty-first-surroundings.ts'
import { TWENTY_FIRST_UNCHANGED } from './twenty-first-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_FIRST = held.generationOf(TWENTY_FIRST_CHANGED, TWENTY_FIRST_UNCHANGED, 39_000_000)
const { incidentsOf, known } = TWENTY_FIRST

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

held.describeBlindGeneration(TWENTY_FIRST, {
  called: 'twenty-first',
  same_seed: 'settings-without-rows',
  scored: [
    ['cascading-cleanup', 38_000_001, '76ac793b327d58cf'],
    ['reassigned-address', 38_000_003, '1a48b889528b500d'],
    ['stuck-ingestor', 38_000_005, 'de309a5346a27b79'],
    ['failing-disk', 38_000_006, '16b85f1fa03240bc'],
    ['unusable-receipts', 38_000_009, 'c677a14b1cfc7ace'],
  ],
  measured: [
    'order_imports_total:rate1m',
    'sorter_cartons_total:rate1m',
    'pg_stat_user_tables_n_live_tup',
    'pg_stat_user_tables_n_tup_del:rate1m',
    'messages_composed_total:rate1m',
    'spring_security_authorizations_seconds_count:rate1m',
    'aws_ec2_network_in_average',
    'aws_ec2_cpuutilization_average',
    'probe_success',
    'postfix_smtp_status_deferred:rate1m',
    'postfix_smtp_connection_timed_out_total:rate1m',
    'logstash_stats_pipeline_events_out:rate1m',
    'elasticsearch_indices_indexing_index_total:rate1m',
    'redis_key_size',
    'log_searches_total:rate1m',
    'node_disk_io_time_seconds_total:rate1m',
    'smartctl_device_attribute',
    'license_remaining_seconds',
    'documents_rendered_total:rate1m',
    'windows_logical_disk_free_bytes',
    'windows_mssql_databases_data_files_size_bytes',
    'http_client_requests_seconds_count:rate1m',
    'receipts_posted_total:rate1m',
  ],
  delays: {
    'settings-without-rows': 1,
    'cascading-cleanup': 4,
    'gated-visitors': 4,
    'reassigned-address': 0.3,
    'added-filters': 1,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'what is sorted by': ({ files }) => files?.some((file) => file.endsWith('/sorting.yaml')) === true,
    'a clearing-out': ({ files }) => files?.some((file) => file.endsWith('_clear_out.rb')) === true,
    'rules of access': ({ files }) => files?.some((file) => file.endsWith('/AccessRules.java')) === true,
    'another address': ({ title }) => title?.endsWith(': Elastic IP associated') === true,
    'members of a pool': ({ files }) => files?.some((file) => file.endsWith('/members.yaml')) === true,
    'what forms look like': ({ files }) => files?.some((file) => file.endsWith('/letter.xml')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /no line of space|longer than 40000|critical medium error|ata2\.00|could not read block|has expired, form-renderer|Error: 1105|Autogrow of file|INSERT IdempotencyKeys|-api\.example\/verifyReceipt|JSON::ParserError/,
})

describe('the changes of the twenty-first generation', () => {
  it('settings whose rows are not there: one service begins anew and takes in few orders, its store is well', () => {
    for (const one of incidentsOf('settings-without-rows')) {
      const { entity } = one.truth
      const rejected = labelled(one, 'order_imports_total:rate1m', entity, 'result', 'rejected')
      expect(valueAt(rejected, one, 6)).toBeGreaterThan(20 * REJECTED_ORDERS)
      const cartons = gauge(one, 'sorter_cartons_total:rate1m', SORTER)
      expect(valueAt(cartons, one, 6)).toBeGreaterThan(50 * UNROUTED_CARTONS)
      expect(causeOf(one)?.diff).toContain('+  by: workCategory')
    }
    for (const one of known('settings-without-rows')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, -20, -3)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.45)
      expect(failing(one, ({ callee }) => callee === storeAmong(one), 8, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a clearing-out that takes more with it: rows are gone, and others who ask that store find nothing', () => {
    for (const one of incidentsOf('cascading-cleanup')) {
      const rows = labelled(
        one,
        'pg_stat_user_tables_n_live_tup',
        storeAmong(one),
        'relname',
        'message_templates',
      )
      expect(valueAt(rows, one, -20)).toBeGreaterThan(0.97 * TEMPLATES)
      expect(valueAt(rows, one, 4)).toBeLessThan(0.65 * TEMPLATES)
      expect(causeOf(one)?.diff).toMatch(/\+ {4}execute "DELETE FROM (programs|care_paths|campaigns) WHERE/)
    }
    for (const one of known('cascading-cleanup')) {
      const { entity } = one.truth
      const store = storeAmong(one)
      expect(failing(one, ({ callee }) => callee === store, 4, 14)).toBeLessThan(0.05)
      const others = callersOf(one, store).filter((caller) => caller !== entity)
      for (const asking of others.length === 0 ? [entity] : others) {
        const to = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, to, -20, -1) > 0) expect(failing(one, to, 6, 14)).toBeGreaterThan(0.3)
      }
    }
  }, 120_000)

  it('rules of access that let nobody in: one service refuses by itself, and asks others for less', () => {
    for (const one of incidentsOf('gated-visitors')) {
      const { entity } = one.truth
      const denied = gauge(one, 'spring_security_authorizations_seconds_count:rate1m', entity)
      expect(valueAt(denied, one, 6)).toBeGreaterThan(20 * DENIED)
      expect(causeOf(one)?.diff).toContain('.access(allOf(')
    }
    for (const one of known('gated-visitors')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, -20, -2)).toBeLessThan(0.05)
      expect(failing(one, to, 6, 14)).toBeGreaterThan(0.75)
      const by = ({ caller }: held.Called): boolean => caller === entity
      if (perMinute(one, by, -20, -2) > 0) expect(grew(one, by, 6, 14)).toBeLessThan(0.5)
    }
  }, 120_000)

  it('another address for a machine: hardly anybody gets to its service, which goes on as ever', () => {
    for (const one of incidentsOf('reassigned-address')) {
      const { entity } = one.truth
      const host = APP_HOSTS.find((each) => one.truth.also?.entities.includes(each)) as string
      const bytes = gauge(one, 'aws_ec2_network_in_average', host)
      expect(valueAt(bytes, one, -20)).toBeGreaterThan(0.6 * BYTES_IN)
      expect(valueAt(bytes, one, 4)).toBeLessThan(0.1 * BYTES_IN)
      const seen = labelled(one, 'probe_success', entity, 'job', 'blackbox-https')
      expect(valueAt(seen, one, 3)).toBeLessThan(0.5)
      expect(valueAt(gauge(one, 'up', entity), one, 3)).toBeGreaterThan(0.9)
      expect(causeOf(one)?.title).toBe(`${host}: Elastic IP associated`)
    }
    for (const one of known('reassigned-address')) {
      const { entity } = one.truth
      for (const asking of callersOf(one, entity)) {
        expect(between(one, asking, entity, -20, -2)).toBeLessThan(0.05)
        expect(between(one, asking, entity, 3, 14)).toBeGreaterThan(0.85)
      }
    }
  }, 120_000)

  it('machines that hand nothing on: a part of the calls between two services fails, and both of these are well', () => {
    for (const one of incidentsOf('added-filters')) {
      for (const filter of NEW_FILTERS) {
        const deferred = gauge(one, 'postfix_smtp_status_deferred:rate1m', filter)
        expect(deferred.times[0]).toBeGreaterThan(one.truth.began_ms - 3 * held.MINUTE_MS)
        expect(valueAt(deferred, one, 6)).toBeGreaterThan(4 * PUT_OFF)
      }
      expect(causeOf(one)?.diff).toContain('+  - name: filter-3')
    }
    for (const one of known('added-filters')) {
      const sending = one.truth.also?.entities.find(
        (place) => ![...NEW_FILTERS, 'filter-pool', 'fleet-config'].includes(place),
      ) as string
      const worst = Math.max(...calleesOf(one, sending).map((callee) => between(one, sending, callee, 4, 14)))
      expect(worst).toBeGreaterThan(0.1)
      expect(worst).toBeLessThan(0.4)
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-first generation', () => {
  it('what takes lines in stands still: it is there and takes nothing, and lines wait before it', () => {
    for (const one of incidentsOf('stuck-ingestor')) {
      expect(one.truth.entity).toBe(INGESTOR)
      expect(valueAt(gauge(one, 'up', INGESTOR), one, 5)).toBeGreaterThan(0.9)
      for (const [name, of] of [
        ['logstash_stats_pipeline_events_out:rate1m', INGESTOR],
        ['elasticsearch_indices_indexing_index_total:rate1m', SEARCH_INDEX],
      ] as const) {
        expect(valueAt(gauge(one, name, of), one, -20)).toBeGreaterThan(0.7 * TAKEN_IN)
        expect(valueAt(gauge(one, name, of), one, 2)).toBe(0)
      }
      const waiting = labelled(one, 'redis_key_size', INGEST_QUEUES, 'key', 'logs')
      expect(valueAt(waiting, one, 5)).toBeGreaterThan(200_000)
    }
    for (const one of known('stuck-ingestor')) {
      const searched = one.truth.also?.entities.find((place) => place !== INGEST_QUEUES && place !== INGESTOR)
      const to = ({ callee }: held.Called): boolean => callee === searched
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 7, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('a drive that fails in part: a store takes far longer, and answers more and more with an error', () => {
    for (const one of incidentsOf('failing-disk')) {
      const host = hostOf(one.truth.entity)
      const busy = gauge(one, 'node_disk_io_time_seconds_total:rate1m', host)
      expect(valueAt(busy, one, 3)).toBeGreaterThan(0.9)
      const pending = gauge(one, 'smartctl_device_attribute', host)
      expect(valueAt(pending, one, 8)).toBeGreaterThan(100)
    }
    for (const one of known('failing-disk')) {
      const { entity } = one.truth
      expect(took(one, entity, 2, 14)).toBeGreaterThan(8 * took(one, entity, -30, -5))
      expect(failing(one, ({ callee }) => callee === entity, 7, 14)).toBeGreaterThan(0.2)
    }
  }, 120_000)

  it('a licence that ends: one service fails at once by itself, and what it asks others is answered', () => {
    for (const one of incidentsOf('lapsed-licence')) {
      const { entity } = one.truth
      const left = named(one, 'license_remaining_seconds').filter((series) => series.entity !== entity)
      expect(left.filter((series) => valueAt(series, one, 3) > 0.9 * LICENSED_S).length).toBeGreaterThan(2)
      const own = labelled(one, 'license_remaining_seconds', entity, 'component', FORM_LICENCE.component)
      expect(valueAt(own, one, -10)).toBeLessThan(700)
      expect(valueAt(own, one, 1)).toBe(0)
    }
    for (const one of known('lapsed-licence')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.4)
      expect(failing(one, ({ caller }) => caller === entity, 1, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a volume without room: what is to be written to a store fails for all who ask it', () => {
    for (const one of incidentsOf('filled-volume')) {
      const free = gauge(one, 'windows_logical_disk_free_bytes', one.truth.entity)
      expect(valueAt(free, one, -20)).toBeGreaterThan(0.03 * KEYS_ROOM)
      expect(valueAt(free, one, 1)).toBe(0)
    }
    for (const one of known('filled-volume')) {
      const { entity } = one.truth
      for (const asking of callersOf(one, entity))
        expect(between(one, asking, entity, 2, 14)).toBeGreaterThan(0.3)
      expect(took(one, entity, 2, 14)).toBeGreaterThan(3 * took(one, entity, -30, -5))
    }
  }, 120_000)

  it('answers that nobody can read: an outside party fails for some minutes, then answers, and who asks it fails', () => {
    for (const one of incidentsOf('unusable-receipts')) {
      const { entity } = one.truth
      const asking = new Set(
        named(one, 'receipts_posted_total:rate1m')
          .filter(({ labels }) => labels.result === 'accepted')
          .filter((series) => valueAt(series, one, 10) < 0.3 * ACCEPTED_RECEIPTS)
          .map((series) => series.entity),
      )
      expect(asking.size).toBeGreaterThan(0)
      expect(entity.endsWith('-api')).toBe(true)
    }
    for (const one of known('unusable-receipts')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 0.5, 3)).toBeGreaterThan(0.3)
      expect(failing(one, to, 8, 14)).toBeLessThan(0.05)
      for (const asking of callersOf(one, entity)) {
        const by = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, by, -20, -1) > 0) expect(failing(one, by, 8, 14)).toBeGreaterThan(0.3)
      }
    }
  }, 120_000)
})
