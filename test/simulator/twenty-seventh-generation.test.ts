import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_SEVENTH_CHANGED } from './twenty-seventh-changed-faults.ts'
import {
  ARRAY,
  BORDER,
  CACHE_MISSES,
  CALENDAR_REQUESTS,
  EXCHANGE,
  EXCHANGE_PEERS,
  FEED_HOSTS,
  FILER_OPS,
  FILERS,
  FLAG_PROVIDER,
  groupOf,
  LIMITS_AGE_S,
  LIMITS_DB,
  LIMITS_SYNC,
  MEETINGS_KEPT,
  MEETINGS_REFUSED,
  MISMATCHES,
  machineOf,
  PEERING_BYTES,
  READ_LATENCY,
  RECENT_FAILED,
  REGION,
  ROUTE_CACHE,
  ROWS_DELETED,
  SENT_AGAIN,
  TABLE_ERRORS,
  TRANSIT,
  VOLUMES_MAPPED,
} from './twenty-seventh-surroundings.ts'
import { TWENTY_SEVENTH_UNCHANGED } from './twenty-seventh-unchanged-faults.ts'

const { causeOf, failing, gauge, named, perMinute, took, valueAt } = held
const TWENTY_SEVENTH = held.generationOf(TWENTY_SEVENTH_CHANGED, TWENTY_SEVENTH_UNCHANGED, 57_000_000)
const { incidentsOf, known } = TWENTY_SEVENTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

/** The store among the places of an incident. */
const storeAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => place.endsWith('-db')) as string

held.describeBlindGeneration(TWENTY_SEVENTH, {
  called: 'twenty-seventh',
  same_seed: 'refused-meetings',
  scored: [
    ['refused-meetings', 56_000_003, 'e0055deccfb4bbf9'],
    ['unsynced-limits', 56_000_002, 'e5522923f07b9fb1'],
    ['unstarted-code', 56_000_004, '2659a427d0bda25c'],
    ['looped-exchange', 56_000_006, 'd075fc035bde77b1'],
    ['taken-over-filer', 56_000_008, '14b40780f119cf7a'],
  ],
  measured: [
    'calendar_meetings_written_total:rate1m',
    'sidekiq_retry_jobs',
    'calendar_api_requests_total:rate1m',
    'calendar_meetings_kept',
    'mysql_global_status_innodb_row_ops_total:rate1m',
    'siteverify_responses_total:rate1m',
    'sync_age_seconds',
    'db_up',
    'array_volumes_mapped',
    'node_filesystem_device_error',
    'node_uptime_seconds',
    'node_systemd_unit_state',
    'account_invoices_overdue',
    'http_server_requests_seconds_count:rate1m',
    'bgpPeerState',
    'ifHCInOctets:rate1m',
    'probe_success',
    'aws_autoscaling_group_in_service_instances_average',
    'aws_applicationelb_healthy_host_count_average',
    'node_cpu_busy',
    'node_total_ops',
    'volume_read_latency',
    'node_nfs_rpc_retransmissions_total:rate1m',
    'aws_dynamodb_system_errors_sum',
    'redis_keyspace_hits_total:rate1m',
    'redis_keyspace_misses_total:rate1m',
  ],
  delays: {
    'refused-meetings': 1,
    'emptied-calendars': 4.5,
    'unsynced-limits': 1,
    'unstarted-code': 20,
  },
  blind: { incidents: 30, farthest: 1, latest_deploy: 0, latest_change: 1 },
  shapes: {
    'meetings for others': ({ files }) =>
      files?.some((file) => file.endsWith('/meetings/to-remote.ts')) === true,
    'what is asked for of calendars': ({ files }) =>
      files?.some((file) => file.endsWith('/sync/calendar.ts')) === true,
    'checks of visitors': ({ files }) =>
      files?.some((file) => file.endsWith('/siteverify/check.go')) === true,
    'commands at arrays': ({ title }) => title?.includes(': admin ran "') === true,
    'readers of feeds': ({ files }) => files?.some((file) => file.endsWith('/feeds/alerts.py')) === true,
    'revisions on machines': ({ files }) => files?.some((file) => file.endsWith('/revision.yaml')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /undefined method `full_name'|User Load: question|bird: ix_west|by 203\.0\.113\.61 timed out|\(awselb\/2\.0\)|nfs: server filer-a2|cloud-east-2|fill of routes is not answered|stream\.feature-switches\.example is closed/,
})

describe('the changes of the twenty-seventh generation', () => {
  it('meetings that are refused: some are, all others are taken, and more and more are to be tried again', () => {
    for (const one of incidentsOf('refused-meetings')) {
      const { entity } = one.truth
      const written = 'calendar_meetings_written_total:rate1m'
      const refused = labelled(one, written, entity, 'result', 'refused')
      expect(valueAt(refused, one, -25)).toBeLessThan(2)
      expect(valueAt(refused, one, 8)).toBeGreaterThan(40 * MEETINGS_REFUSED)
      const taken = labelled(one, written, entity, 'result', 'created')
      expect(valueAt(taken, one, 8) / valueAt(taken, one, -25)).toBeGreaterThan(0.35)
      const again = gauge(one, 'sidekiq_retry_jobs', entity)
      expect(valueAt(again, one, 8)).toBeGreaterThan(3 * valueAt(again, one, 2))
      expect(causeOf(one)?.diff).toContain('onlineMeetingProvider: meeting.joining')
    }
    for (const one of known('refused-meetings')) {
      const from = ({ caller, callee }: held.Called): boolean =>
        caller === one.truth.entity && callee.endsWith('-api')
      expect(failing(one, from, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, from, 5, 14)).toBeGreaterThan(0.25)
      expect(failing(one, from, 5, 14)).toBeLessThan(0.7)
    }
  }, 120_000)

  it('calendars that are emptied: who is changed is well and asks for less, and who shows them has nothing', () => {
    for (const one of incidentsOf('emptied-calendars')) {
      const { entity } = one.truth
      const asked = gauge(one, 'calendar_api_requests_total:rate1m', entity)
      expect(valueAt(asked, one, 5)).toBeLessThan(0.55 * CALENDAR_REQUESTS)
      const emptied = named(one, 'calendar_meetings_kept').filter(
        (series) => valueAt(series, one, 12) < 0.65 * MEETINGS_KEPT && !series.entity.includes('archive'),
      )
      expect(emptied).toHaveLength(1)
      const store = emptied[0]?.entity as string
      const deleted = labelled(
        one,
        'mysql_global_status_innodb_row_ops_total:rate1m',
        store,
        'operation',
        'deleted',
      )
      expect(valueAt(deleted, one, 2)).toBeGreaterThan(4 * ROWS_DELETED)
      expect(causeOf(one)?.diff).toContain('syncToken: token')
    }
    for (const one of known('emptied-calendars')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, 14)).toBeLessThan(0.05)
      const showing = one.snapshot.edges
        .map(({ callee }) => callee)
        .filter((callee) => perMinute(one, (edge) => edge.callee === callee, -20, -2) > 0)
        .filter((callee) => failing(one, (edge) => edge.callee === callee, 8, 14) > 0.3)
      expect(showing.length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('limits that are not there: what brings them does not get to their store, and pods that begin anew refuse', () => {
    for (const one of incidentsOf('unsynced-limits')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'siteverify_responses_total:rate1m', entity), one, 6)).toBeGreaterThan(
        20 * MISMATCHES,
      )
      const age = gauge(one, 'sync_age_seconds', LIMITS_SYNC)
      expect(valueAt(age, one, 10)).toBeGreaterThan(20 * LIMITS_AGE_S)
      const database = gauge(one, 'db_up', LIMITS_DB)
      expect(valueAt(database, one, -10)).toBeGreaterThan(0.9)
      expect(valueAt(database, one, -0.5)).toBe(0)
      expect(causeOf(one)?.diff).toContain('+\tif !c.limits.Of(r.Secret).Allow(r.SiteKey) {')
    }
    for (const one of known('unsynced-limits')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 13)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('a volume that is taken away: its file system has errors, and its database is not there', () => {
    for (const one of incidentsOf('unmapped-volume')) {
      expect(one.truth.entity).toBe(ARRAY)
      const store = storeAmong(one)
      const mapped = gauge(one, 'array_volumes_mapped', ARRAY)
      expect(valueAt(mapped, one, -5)).toBeGreaterThan(0.95 * VOLUMES_MAPPED)
      expect(valueAt(mapped, one, 5)).toBeLessThan(0.9 * VOLUMES_MAPPED)
      expect(valueAt(gauge(one, 'node_filesystem_device_error', machineOf(store)), one, 5)).toBeGreaterThan(
        0.9,
      )
      for (const measure of ['db_up', 'pg_up']) {
        expect(valueAt(gauge(one, measure, store), one, -5)).toBeGreaterThan(0.9)
        expect(valueAt(gauge(one, measure, store), one, 5)).toBe(0)
      }
      const { volume } = /unmap (?<volume>vol-\d+)"$/u.exec(causeOf(one)?.title ?? '')?.groups ?? {}
      const lines = one.snapshot.logs.filter(({ message }) => message.startsWith('multipathd'))
      for (const { message } of lines) expect(message).toContain(`${volume}: remaining active paths: 0`)
    }
    for (const one of known('unmapped-volume')) {
      const to = ({ callee }: held.Called): boolean => callee === storeAmong(one)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('a program that does not begin: its machines are stopped and begun anew, and it is not there afterwards', () => {
    for (const one of incidentsOf('unstarted-code')) {
      const { entity } = one.truth
      for (const host of FEED_HOSTS) {
        const uptime = gauge(one, 'node_uptime_seconds', host)
        expect(valueAt(uptime, one, -5)).toBeGreaterThan(3_600)
        expect(uptime.values.at(-1)).toBeLessThan(1_500)
        expect(valueAt(gauge(one, 'node_systemd_unit_state', host), one, 8)).toBeGreaterThan(0.9)
      }
      expect(valueAt(gauge(one, 'load_balancer_healthy_hosts', entity), one, 8)).toBe(0)
      const revision = one.snapshot.changes.filter(
        ({ id, kind }) => one.truth.also?.changes?.includes(id) === true && kind === 'config',
      )
      expect(revision).toHaveLength(1)
      expect(causeOf(one)?.diff).toContain('+from feeds.http import fetch')
    }
    for (const one of known('unstarted-code')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -50, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-seventh generation', () => {
  it('a question whose author is no more: the list that it stands in fails, and the rest is well', () => {
    for (const one of incidentsOf('orphaned-question')) {
      const { entity } = one.truth
      const of = 'http_server_requests_seconds_count:rate1m'
      const lists = named(one, of).filter(
        (series) => series.entity === entity && series.labels.uri === '/questions/recent',
      )
      const shown = lists.find(({ labels }) => labels.status === '200') as Series
      const failed = lists.find(({ labels }) => labels.status === '500') as Series
      expect(valueAt(shown, one, 4)).toBeLessThan(0.05 * valueAt(shown, one, -25))
      expect(valueAt(failed, one, 4)).toBeGreaterThan(50 * RECENT_FAILED)
    }
    for (const one of known('orphaned-question')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 2, 14)).toBeGreaterThan(0.35)
      expect(failing(one, to, 2, 14)).toBeLessThan(0.8)
    }
  }, 120_000)

  it('an exchange that is full of its own traffic: all who are met there are not heard of, the other way out is', () => {
    for (const one of incidentsOf('looped-exchange')) {
      expect(one.truth.entity).toBe(EXCHANGE)
      for (const address of EXCHANGE_PEERS) {
        const peer = labelled(one, 'bgpPeerState', BORDER, 'bgpPeerRemoteAddr', address)
        expect(valueAt(peer, one, -5)).toBeGreaterThan(5.5)
        expect(valueAt(peer, one, 5)).toBeLessThan(1.5)
      }
      const transit = labelled(one, 'bgpPeerState', BORDER, 'bgpPeerRemoteAddr', TRANSIT)
      expect(Math.min(...transit.values)).toBeGreaterThan(5.5)
      const bytes = labelled(one, 'ifHCInOctets:rate1m', BORDER, 'ifAlias', 'peering')
      expect(valueAt(bytes, one, 5)).toBeLessThan(0.1 * PEERING_BYTES)
      expect(bytes.values.at(-1)).toBeGreaterThan(0.5 * PEERING_BYTES)
    }
    for (const one of known('looped-exchange')) {
      const to = ({ callee }: held.Called): boolean =>
        callee.endsWith('-api') && !callee.startsWith('partner-')
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 2, 8)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('machines that are not replaced: one after the other is put away, and none is made', () => {
    for (const one of incidentsOf('unreplaced-servers')) {
      const { entity } = one.truth
      const serving = gauge(one, 'aws_autoscaling_group_in_service_instances_average', groupOf(entity))
      expect(valueAt(serving, one, -5)).toBeGreaterThan(1.5)
      expect(valueAt(serving, one, 5)).toBe(0)
      const wanted = gauge(one, 'aws_autoscaling_group_desired_capacity_average', groupOf(entity))
      expect(valueAt(wanted, one, 5)).toBeGreaterThan(1.5)
    }
    for (const one of known('unreplaced-servers')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('files that one machine keeps for two: it is busy and slow, and who needs them waits', () => {
    for (const one of incidentsOf('taken-over-filer')) {
      const [gone, left] = FILERS
      expect(one.truth.entity).toBe(left)
      expect(valueAt(gauge(one, 'node_cpu_busy', left), one, 5)).toBeGreaterThan(90)
      expect(valueAt(gauge(one, 'node_total_ops', left), one, 5)).toBeGreaterThan(1.3 * FILER_OPS)
      expect(valueAt(gauge(one, 'volume_read_latency', left), one, 5)).toBeGreaterThan(100 * READ_LATENCY)
      expect(valueAt(gauge(one, 'node_cpu_busy', gone), one, 1)).toBeNaN()
      const waiting = named(one, 'node_nfs_rpc_retransmissions_total:rate1m').filter(
        (series) => valueAt(series, one, 5) > 100 * SENT_AGAIN,
      )
      expect(waiting.length).toBeGreaterThan(0)
    }
    for (const one of known('taken-over-filer')) {
      const slow = one.snapshot.edges
        .map(({ callee }) => callee)
        .filter((callee) => took(one, callee, 4, 14) > 8 * took(one, callee, -30, -5))
      expect(slow.length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('a region that fails in part: some of all requests fail, what is kept of it knows less, and others are gone later', () => {
    for (const one of incidentsOf('lost-region')) {
      expect(one.truth.entity).toBe(REGION)
      const errors = gauge(one, 'aws_dynamodb_system_errors_sum', REGION)
      expect(valueAt(errors, one, -25)).toBeLessThan(20 * TABLE_ERRORS)
      expect(valueAt(errors, one, 5)).toBeGreaterThan(50 * TABLE_ERRORS)
      expect(valueAt(gauge(one, 'redis_keyspace_misses_total:rate1m', ROUTE_CACHE), one, 5)).toBeGreaterThan(
        4 * CACHE_MISSES,
      )
      expect(valueAt(gauge(one, 'probe_success', FLAG_PROVIDER), one, 11)).toBe(0)
    }
    for (const one of known('lost-region')) {
      // Edges of the root are left out where nobody calls it.
      const to = ({ callee }: held.Called): boolean =>
        failing(one, (edge) => edge.callee === callee, 5, 14) > 0.15
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(perMinute(one, to, 6, 14)).toBeGreaterThan(0)
      expect(failing(one, to, 5, 14)).toBeLessThan(0.75)
    }
  }, 120_000)
})
