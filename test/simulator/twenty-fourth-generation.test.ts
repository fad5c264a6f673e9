import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_FOURTH_CHANGED } from './twenty-fourth-changed-faults.ts'
import {
  BACK_OFFICE_CONNECTIONS,
  BLOCKS_HIT,
  BLOCKS_READ,
  CORE,
  EVENTS_READ,
  LIST_HOST,
  LOTTERY,
  MOST_CONNECTIONS,
  PAGES_KEPT,
  PARK_HOSTS,
  PARK_SUPPLY,
  PARK_SWITCH,
  PARK_VOLTS,
  PIPELINE,
  PLOTS,
  PORT_DOWN,
  QUEUED,
  RECORDS_BEHIND,
  RECORDS_READ,
  ROW_TASKS,
  RUNNERS,
  TASKS_WAITING,
  UNSHOWN_SESSIONS,
} from './twenty-fourth-surroundings.ts'
import { TWENTY_FOURTH_UNCHANGED } from './twenty-fourth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_FOURTH = held.generationOf(TWENTY_FOURTH_CHANGED, TWENTY_FOURTH_UNCHANGED, 45_000_000)
const { incidentsOf, known } = TWENTY_FOURTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** Services whose series by some name is above a level, some minutes after the beginning. */
const above = (one: Incident, name: string, level: number, minutes: number): readonly string[] =>
  named(one, name)
    .filter((series) => valueAt(series, one, minutes) > level)
    .map((series) => series.entity)

/** The place of an incident that is called, where it is told as another. */
const calledAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

held.describeBlindGeneration(TWENTY_FOURTH, {
  called: 'twenty-fourth',
  same_seed: 'clamped-pages',
  scored: [
    ['narrowed-permissions', 44_000_000, '09b4e8f262a8702d'],
    ['crashing-server', 44_000_001, '20b78bb1845cc09a'],
    ['summed-balance', 44_000_003, '437ca6777d50fd83'],
    ['deleted-rows', 44_000_006, '70b4ba16c1f27405'],
    ['struck-park', 44_000_008, '7d7504b02bfb4dcb'],
  ],
  measured: [
    'namedprocess_namegroup_num_procs',
    'mailman_queue_files',
    'pg_stat_activity_count',
    'pg_settings_max_connections',
    'mysql_global_status_slow_queries:rate1m',
    'mysql_global_status_innodb_row_lock_current_waits',
    'pg_stat_database_blks_read:rate1m',
    'pg_stat_database_blks_hit:rate1m',
    'session_pages_archived_total:rate1m',
    'sessions_played_total:rate1m',
    'lottery_results_drawn',
    'lottery_results_received',
    'airport_events_fetched_total:rate1m',
    'stackdriver_pubsub_subscription_num_undelivered_messages',
    'rows_deleted_total:rate1m',
    'kafka_consumergroup_lag',
    'pipeline_records_total:rate1m',
    'sysUpTime',
    'ifOperStatus',
    'network_ups_tools_input_voltage',
    'aws_rds_cpuutilization_average',
    'aws_rds_engine_uptime_average',
    'db_deadlocks_per_minute',
    'kube_pod_container_status_restarts_total:increase10m',
  ],
  delays: {
    'narrowed-permissions': 0.6,
    'crashing-server': 4,
    'reindexed-customers': 7,
    'summed-balance': 8,
    'clamped-pages': 5,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'modes of files': ({ title }) => title?.endsWith(' set anew, applied by hand') === true,
    'how a server begins': ({ files }) => files?.some((file) => file.endsWith('/serve.py')) === true,
    'how indexes are seen to': ({ files }) => files?.some((file) => file.endsWith('/indexes.ts')) === true,
    'how a balance is told': ({ files }) => files?.some((file) => file.endsWith('/balance.rb')) === true,
    'how pages are taken': ({ files }) => files?.some((file) => file.endsWith('/pages.go')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /is over: \d+ plots|number that won is 0|ER_LOCK_DEADLOCK|SerializationException: Error|database system is|receipt_archive|LINEPROTO-5-UPDOWN|EHOSTUNREACH .*\.park\.example|answered 403: Access Denied/,
})

describe('the changes of the twenty-fourth generation', () => {
  it('modes of files: processes for mails are gone, mails wait, and the pages of lists answer with an error', () => {
    for (const one of incidentsOf('narrowed-permissions')) {
      expect(one.truth.entity).toBe(LIST_HOST)
      const running = gauge(one, 'namedprocess_namegroup_num_procs', LIST_HOST)
      expect(valueAt(running, one, -20)).toBeGreaterThan(0.9 * RUNNERS)
      expect(valueAt(running, one, 1)).toBe(0)
      expect(valueAt(gauge(one, 'mailman_queue_files', LIST_HOST), one, 8)).toBeGreaterThan(50 * QUEUED)
      expect(causeOf(one)?.title).toContain(`${LIST_HOST}: owners and modes below`)
      expect(one.snapshot.logs.some(({ service }) => service === LIST_HOST)).toBe(
        one.snapshot.logs.length > 0,
      )
    }
    for (const one of known('narrowed-permissions')) {
      const to = ({ callee }: held.Called): boolean => callee === calledAmong(one)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.8)
    }
  }, 120_000)

  it('a server that does not get up: one pod after the other is gone, and each is begun anew now and then', () => {
    for (const one of incidentsOf('crashing-server')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'up', entity), one, -5)).toBeGreaterThan(0.9)
      expect(valueAt(gauge(one, 'up', entity), one, 5)).toBe(0)
      const again = gauge(one, 'kube_pod_container_status_restarts_total:increase10m', entity)
      if (again !== undefined) expect(valueAt(again, one, -5)).toBeLessThan(3)
      expect(causeOf(one)?.diff).toContain('+    servers = start_servers(config.server_host')
    }
    for (const one of known('crashing-server')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -2)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('indexes for all at once: connections are taken until there are none, one who asks gets none, others nearly all', () => {
    for (const one of incidentsOf('reindexed-customers')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      const busy = labelled(one, 'pg_stat_activity_count', store, 'usename', 'backoffice')
      expect(valueAt(busy, one, -15)).toBeLessThan(5 * BACK_OFFICE_CONNECTIONS)
      expect(valueAt(busy, one, 1)).toBeGreaterThan(30 * BACK_OFFICE_CONNECTIONS)
      const all = gauge(one, 'aws_rds_database_connections_average', store)
      expect(valueAt(all, one, 1)).toBeGreaterThan(0.95 * MOST_CONNECTIONS)
      expect(causeOf(one)?.diff).toContain("+    const client = new Client({ user: 'backoffice' })")
    }
    for (const one of known('reindexed-customers')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      const shares = callersOf(one, store).map((asking) =>
        failing(one, ({ caller, callee }) => caller === asking && callee === store, 5, 14),
      )
      expect(failing(one, ({ callee }) => callee === store, -20, -1)).toBeLessThan(0.05)
      expect(Math.max(...shares)).toBeGreaterThan(0.8)
      expect(shares.filter((share) => share > 0.2)).toHaveLength(1)
      const own = ({ caller, callee }: held.Called): boolean =>
        caller === one.truth.entity && callee === store
      expect(failing(one, own, 0, 14)).toBeLessThan(0.02)
    }
  }, 120_000)

  it('a sum in the database: its processor is busy before anybody is hurt, and all who ask it wait', () => {
    for (const one of incidentsOf('summed-balance')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      const used = gauge(one, 'aws_rds_cpuutilization_average', store)
      expect(valueAt(used, one, -15)).toBeLessThan(60)
      expect(valueAt(used, one, 8)).toBeGreaterThan(88)
      expect(causeOf(one)?.diff).toContain('+    Ledger::Line.joins(:entry)')
    }
    for (const one of known('summed-balance')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      expect(took(one, store, 7, 12)).toBeGreaterThan(30 * took(one, store, -30, -12))
      expect(failing(one, ({ callee }) => callee === store, -12, -1)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('times of pages that are set back: who is changed answers as ever, and some sessions cannot be shown', () => {
    for (const one of incidentsOf('clamped-pages')) {
      const { entity } = one.truth
      const kept = labelled(one, 'session_pages_archived_total:rate1m', entity, 'outcome', 'kept')
      expect(valueAt(kept, one, 8)).toBeLessThan(0.9 * PAGES_KEPT)
      expect(valueAt(kept, one, 8)).toBeGreaterThan(0.6 * PAGES_KEPT)
      expect(above(one, 'sessions_played_total:rate1m', 30 * UNSHOWN_SESSIONS, 8).length).toBeGreaterThan(0)
      expect(causeOf(one)?.diff).toContain('+\tif now := s.clock.Now(); page.Start.After(now) {')
    }
    for (const one of known('clamped-pages')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 0, 14)).toBeLessThan(0.05)
      expect(grew(one, to, 5, 14)).toBeGreaterThan(0.85)
      for (const asking of callersOf(one, entity)) {
        const asked = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, asked, -20, -2) === 0) continue
        expect(failing(one, asked, 5, 14)).toBeGreaterThan(0.12)
        expect(failing(one, asked, 5, 14)).toBeLessThan(0.4)
      }
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-fourth generation', () => {
  it('a draw: winners are there for all plots, and who shows them gets a part, and turns the others away', () => {
    for (const one of incidentsOf('undelivered-draw')) {
      expect(one.truth.entity).toBe(LOTTERY)
      const shown = named(one, 'lottery_results_received').filter(({ entity }) =>
        one.truth.also?.entities.includes(entity),
      )
      const [received] = shown as [Series]
      expect(valueAt(received, one, -2)).toBe(0)
      expect(valueAt(received, one, 5)).toBeLessThan(0.7 * PLOTS)
      const drawn = labelled(one, 'lottery_results_drawn', LOTTERY, 'world', received.entity)
      expect(valueAt(drawn, one, 5)).toBeGreaterThan(0.95 * PLOTS)
    }
    for (const one of known('undelivered-draw')) {
      const to = ({ callee }: held.Called): boolean => callee === calledAmong(one)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 3, 14)).toBeGreaterThan(0.3)
      expect(failing(one, to, 3, 14)).toBeLessThan(0.75)
    }
  }, 120_000)

  it('rows that are deleted: statements wait for locks, a pipeline stands still, and calls are slow and seldom fail', () => {
    for (const one of incidentsOf('deleted-rows')) {
      const tasks = gauge(one, 'stackdriver_pubsub_subscription_num_undelivered_messages', ROW_TASKS)
      expect(valueAt(tasks, one, 8)).toBeGreaterThan(20 * TASKS_WAITING)
      const lag = gauge(one, 'kafka_consumergroup_lag', PIPELINE)
      expect(valueAt(lag, one, 8)).toBeGreaterThan(100 * RECORDS_BEHIND)
      const read = gauge(one, 'pipeline_records_total:rate1m', PIPELINE)
      expect(valueAt(read, one, -10)).toBeGreaterThan(0.6 * RECORDS_READ)
      expect(valueAt(read, one, 4)).toBe(0)
    }
    for (const one of known('deleted-rows')) {
      const { entity } = one.truth
      expect(took(one, entity, 5, 14)).toBeGreaterThan(20 * took(one, entity, -30, -10))
      expect(failing(one, ({ callee }) => callee === entity, 5, 14)).toBeLessThan(0.04)
    }
  }, 120_000)

  it('a database that begins anew: it is back at once, reads all from its volume, and is too slow for who asks it', () => {
    for (const one of incidentsOf('cleared-results')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'aws_rds_engine_uptime_average', entity), one, 5)).toBeLessThan(400)
      const read = gauge(one, 'pg_stat_database_blks_read:rate1m', entity)
      expect(valueAt(read, one, 5)).toBeGreaterThan(20 * BLOCKS_READ)
      expect(valueAt(gauge(one, 'pg_stat_database_blks_hit:rate1m', entity), one, 5)).toBeLessThan(
        0.3 * BLOCKS_HIT,
      )
      expect(valueAt(gauge(one, 'db_up', entity), one, 2)).toBeGreaterThan(0.9)
    }
    for (const one of known('cleared-results')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, -1)).toBeLessThan(0.05)
      expect(took(one, entity, 2, 14)).toBeGreaterThan(80 * took(one, entity, -30, -10))
    }
  }, 120_000)

  it('a park that is struck: its machines are out of reach, and stay so when the mains is back', () => {
    for (const one of incidentsOf('struck-park')) {
      expect(one.truth.entity).toBe(PARK_SWITCH)
      const port = labelled(one, 'ifOperStatus', CORE, 'ifAlias', PARK_SWITCH)
      expect(valueAt(port, one, -1)).toBeLessThan(1.1)
      expect(valueAt(port, one, 16)).toBeGreaterThan(0.95 * PORT_DOWN)
      const volts = gauge(one, 'network_ups_tools_input_voltage', PARK_SUPPLY)
      expect(valueAt(volts, one, -2)).toBeGreaterThan(0.95 * PARK_VOLTS)
      expect(valueAt(volts, one, 1)).toBeNaN()
      for (const host of PARK_HOSTS) {
        expect(one.truth.also?.entities).toContain(host)
        expect(valueAt(gauge(one, 'node_uptime_seconds', host), one, 1)).toBeNaN()
      }
    }
    for (const one of known('struck-park')) {
      const gone = above(one, 'up', -1, 2).filter(
        (name) => valueAt(gauge(one, 'up', name), one, 2) === 0 && !name.startsWith('thumbnail'),
      )
      expect(gone.length).toBeGreaterThan(0)
      for (const name of gone) {
        const to = ({ callee }: held.Called): boolean => callee === name
        if (perMinute(one, to, -20, -1) === 0) continue
        expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
        if (perMinute(one, to, 1, 14) > 0) expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
      }
    }
  }, 120_000)

  it('a source that lets nobody in: whoever asks it is refused, and nobody else is', () => {
    for (const one of incidentsOf('forbidden-source')) {
      const { entity } = one.truth
      expect(entity.endsWith('-api')).toBe(true)
      const refused = named(one, 'airport_events_fetched_total:rate1m').filter(
        (series) => series.labels.outcome === 'forbidden' && valueAt(series, one, 5) > 0.8 * EVENTS_READ,
      )
      expect(refused.length).toBeGreaterThan(0)
    }
    for (const one of known('forbidden-source')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 1, 14)).toBeGreaterThan(0.9)
    }
  }, 120_000)
})
