import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { NINETEENTH_CHANGED } from './nineteenth-changed-faults.ts'
import {
  BORDER_SWITCH,
  balancerOf,
  DRIVER_APP,
  FIREWALLS,
  FOUND_BY_INDEX,
  LOG_SPACE,
  LOG_STORE,
  PAGE_PROCESSOR,
  PORT_DOWN,
  PORT_UP,
  PRIVATE_BYTES,
  READ_ALL,
  REFRESH_TASK,
  RENTED_MACHINES,
  SOURCES,
} from './nineteenth-surroundings.ts'
import { NINETEENTH_UNCHANGED } from './nineteenth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const NINETEENTH = held.generationOf(NINETEENTH_CHANGED, NINETEENTH_UNCHANGED, 35_000_000)
const { incidentsOf, known } = NINETEENTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

/** Share of the calls between two parts that failed, in some minutes around the beginning. */
const between = (one: Incident, caller: string, callee: string, from_min: number, to_min: number): number =>
  failing(one, (edge) => edge.caller === caller && edge.callee === callee, from_min, to_min)

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** The last instant at which something was measured. */
const endOf = ({ times }: Series): number => times.at(-1) ?? Number.POSITIVE_INFINITY

/** The store among the places of a truth. */
const storeAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => place.endsWith('-db')) as string

/** The services among the places of a truth, by the name by which they are called. */
const servicesAmong = (one: Incident): readonly string[] =>
  (one.truth.also?.entities ?? []).filter((place) => callersOf(one, place).length > 0)

held.describeBlindGeneration(NINETEENTH, {
  called: 'nineteenth',
  same_seed: 'locking-index',
  scored: [
    ['replaced-index', 34_000_000, 'aafcb65f5105853c'],
    ['paid-as-owed', 34_000_003, '52956c324ba354a9'],
    ['deleted-balancer', 34_000_004, '11419bfa9d6c258a'],
    ['unjoined-machines', 34_000_007, '9d8c8455c6195c3c'],
    ['locked-syncs', 34_000_009, '13f0a85f0e34db6e'],
  ],
  measured: [
    'pg_stat_user_tables_seq_tup_read:rate1m',
    'pg_stat_user_tables_idx_scan:rate1m',
    'pg_stat_user_tables_n_live_tup',
    'pg_stat_activity_count',
    'pg_stat_activity_max_tx_duration',
    'pg_locks_count',
    'aws_rds_cpuutilization_average',
    'aws_dms_full_load_throughput_rows_target_average',
    'http_server_requests_seconds_count:rate1m',
    'ledger_entries_total:rate1m',
    'aws_applicationelb_healthy_host_count_average',
    'aws_applicationelb_request_count_sum',
    'aws_applicationelb_httpcode_elb_5_xx_count_sum',
    'kubelet_volume_stats_available_bytes',
    'loki_ingester_wal_disk_full_failures_total:rate1m',
    'loki_request_duration_seconds_count:rate1m',
    'audit_steps_total:rate1m',
    'sysUpTime',
    'ifOperStatus',
    'node_uptime_seconds',
    'node_network_receive_bytes_total:rate1m',
    'openstack_neutron_agent_state',
    'hangfire_job_count',
    'puma_backlog',
    'puma_busy_threads',
    'app_syncs_total:rate1m',
    'up',
    'load_balancer_healthy_hosts',
    'probe_success',
  ],
  delays: {
    'replaced-index': 4,
    'locking-index': 10,
    'overwritten-tables': 0,
    'paid-as-owed': 5,
    'deleted-balancer': 0,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'a migration that makes an index concurrently': ({ diff }) =>
      diff?.includes('algorithm: :concurrently') === true,
    'a migration of tables': ({ files }) => files?.some((file) => file.includes('/src/migrations/')) === true,
    'tables that are moved': ({ title }) => title?.startsWith('StartReplicationTask: ') === true,
    'how books are kept': ({ files }) => files?.some((file) => file.endsWith('Charges.java')) === true,
    'a balancer that is taken away': ({ title }) => title?.startsWith('DeleteLoadBalancer: ') === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /ZmFrZS: no space|its audit line was not kept|ETIMEDOUT 10\.61\.4\.|GigabitEthernet1\/0\/3, changed state|EHOSTUNREACH 10\.20\.0\.|asked for at start|ens4: timed out|all of them in one transaction|still waiting for ShareLock|waited for a lock \(books\)|by another sync of the same device|longer than 30000ms/,
})

describe('the changes of the nineteenth generation', () => {
  it('an index that is dropped to be made anew: a store reads a table through and is slow for all who ask it', () => {
    for (const one of incidentsOf('replaced-index')) {
      const store = storeAmong(one)
      const read = labelled(one, 'pg_stat_user_tables_seq_tup_read:rate1m', store, 'relname', 'trips')
      expect(valueAt(read, one, 5)).toBeGreaterThan(500 * READ_ALL)
      const found = gauge(one, 'pg_stat_user_tables_idx_scan:rate1m', store)
      expect(valueAt(found, one, 5)).toBeLessThan(0.1 * FOUND_BY_INDEX)
      expect(valueAt(gauge(one, 'aws_rds_cpuutilization_average', store), one, 5)).toBeGreaterThan(90)
      expect(causeOf(one)?.diff).toContain('+    remove_index :trips')
    }
    for (const one of known('replaced-index')) {
      const store = storeAmong(one)
      expect(took(one, store, 5, 14)).toBeGreaterThan(3 * took(one, store, -30, -4))
      expect(failing(one, ({ callee }) => callee === store, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('an index that is made while nobody may write: all wait for a store that has little to do, until it is made', () => {
    for (const one of incidentsOf('locking-index')) {
      const store = storeAmong(one)
      expect(valueAt(gauge(one, 'pg_locks_count', store), one, 3)).toBeGreaterThan(0.9)
      expect(valueAt(gauge(one, 'pg_stat_activity_count', store), one, 3)).toBeGreaterThan(40)
      expect(valueAt(gauge(one, 'aws_rds_cpuutilization_average', store), one, 3)).toBeLessThan(25)
      expect(causeOf(one)?.diff).toContain('+    table.index([')
    }
    for (const one of known('locking-index')) {
      const store = storeAmong(one)
      const usual = took(one, store, -30, -1)
      expect(took(one, store, 2, 6)).toBeGreaterThan(20 * usual)
      expect(took(one, store, 14, 17)).toBeLessThan(4 * usual)
    }
  }, 120_000)

  it('tables that are moved over those in use: a store answers as ever, and all who ask it fail by themselves', () => {
    for (const one of incidentsOf('overwritten-tables')) {
      const { entity } = one.truth
      const rows = labelled(one, 'pg_stat_user_tables_n_live_tup', entity, 'relname', 'sources')
      expect(valueAt(rows, one, -20)).toBeGreaterThan(0.9 * SOURCES)
      expect(valueAt(rows, one, 2)).toBeLessThan(100)
      expect(causeOf(one)?.title).toContain(REFRESH_TASK)
      expect(causeOf(one)?.after).toBe(entity)
    }
    for (const one of known('overwritten-tables')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeLessThan(0.05)
      for (const asking of callersOf(one, entity)) {
        const to = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, to, -20, -1) > 0) expect(failing(one, to, 5, 14)).toBeGreaterThan(0.6)
      }
    }
  }, 120_000)

  it('a release: more and more are refused from minute to minute, and what is owed was written down before', () => {
    for (const one of incidentsOf('paid-as-owed')) {
      const { entity } = one.truth
      const refused = labelled(one, 'http_server_requests_seconds_count:rate1m', entity, 'status', '402')
      expect(valueAt(refused, one, 6)).toBeGreaterThan(2 * valueAt(refused, one, 2))
      const owed = gauge(one, 'ledger_entries_total:rate1m', entity)
      expect(valueAt(owed, one, 0.5)).toBeGreaterThan(5 * valueAt(owed, one, -20))
      expect(causeOf(one)?.diff).toContain('isReversed());')
    }
    for (const one of known('paid-as-owed')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, 0)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.2)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(1.5 * failing(one, to, 1, 4))
    }
  }, 120_000)

  it('a balancer that is taken away: who stands behind it is asked nothing and is well, and its callers find nobody', () => {
    for (const one of incidentsOf('deleted-balancer')) {
      const name = servicesAmong(one)[0]
      const hosts = gauge(one, 'aws_applicationelb_healthy_host_count_average', one.truth.entity)
      expect(endOf(hosts)).toBeLessThan(one.truth.began_ms)
      expect(causeOf(one)?.title).toBe(`DeleteLoadBalancer: ${one.truth.entity}`)
      const titles = one.snapshot.changes.map(({ title }) => title)
      expect(titles).toContain('DeleteLoadBalancer: lb-images-blue')
      if (name !== undefined) expect(one.truth.entity).toBe(balancerOf(name))
    }
    for (const one of known('deleted-balancer')) {
      const [name = ''] = servicesAmong(one)
      for (const caller of callersOf(one, name))
        expect(between(one, caller, name, 3, 14)).toBeGreaterThan(0.85)
      expect(failing(one, ({ caller }) => caller === name, 3, 14)).toBeLessThan(0.05)
      const asks = partners(one, ({ caller }) => caller === name, 'callee').length > 0
      if (asks) expect(grew(one, ({ caller }) => caller === name, 3, 14)).toBeLessThan(0.2)
    }
  }, 120_000)
})

describe('what happens by itself in the nineteenth generation', () => {
  it('where lines are kept has no room: one service takes no steps, and asks the others less', () => {
    for (const one of incidentsOf('full-log-volume')) {
      expect(one.truth.entity).toBe(LOG_STORE)
      const free = gauge(one, 'kubelet_volume_stats_available_bytes', LOG_STORE)
      expect(valueAt(free, one, -20)).toBeGreaterThan(0.02 * LOG_SPACE)
      expect(valueAt(free, one, 1)).toBe(0)
      const failed = gauge(one, 'loki_ingester_wal_disk_full_failures_total:rate1m', LOG_STORE)
      expect(valueAt(failed, one, 4)).toBeGreaterThan(10)
    }
    for (const one of known('full-log-volume')) {
      const [name = ''] = servicesAmong(one)
      expect(failing(one, ({ callee }) => callee === name, 5, 14)).toBeGreaterThan(0.45)
      expect(failing(one, ({ caller }) => caller === name, 5, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('firewalls: the second was gone for long, the first goes, and nobody reaches what is behind them', () => {
    for (const one of incidentsOf('failed-firewalls')) {
      const [first, second] = FIREWALLS.map((name) =>
        labelled(one, 'ifOperStatus', BORDER_SWITCH, 'ifAlias', name),
      ) as [Series, Series]
      expect(valueAt(first, one, -20)).toBeCloseTo(PORT_UP, 0)
      expect(valueAt(first, one, 1)).toBeCloseTo(PORT_DOWN, 0)
      for (const minutes of [-20, 1]) expect(valueAt(second, one, minutes)).toBeCloseTo(PORT_DOWN, 0)
      expect(endOf(gauge(one, 'sysUpTime', FIREWALLS[0]))).toBeLessThan(one.truth.began_ms)
      const gone = named(one, 'up').filter((series) => valueAt(series, one, 2) < 0.5)
      expect(gone.length).toBeGreaterThan(0)
    }
    for (const one of known('failed-firewalls')) {
      const gone = named(one, 'up').filter((series) => valueAt(series, one, 2) < 0.5)
      for (const { entity } of gone) {
        const to = ({ caller, callee }: held.Called): boolean =>
          callee === entity && gone.every((other) => other.entity !== caller)
        expect(failing(one, to, -15, -1)).toBeLessThan(0.05)
        if (perMinute(one, to, -15, -1) > 0) expect(failing(one, to, 1, 14)).toBeGreaterThan(0.95)
      }
    }
  }, 120_000)

  it('machines that begin anew: they are there within two minutes, and neither they nor others reach one another', () => {
    for (const one of incidentsOf('unjoined-machines')) {
      for (const machine of RENTED_MACHINES) {
        expect(valueAt(gauge(one, 'node_uptime_seconds', machine), one, 4)).toBeLessThan(600)
        const bytes = gauge(one, 'node_network_receive_bytes_total:rate1m', machine)
        expect(valueAt(bytes, one, 4)).toBeLessThan(0.001 * PRIVATE_BYTES)
        expect(valueAt(gauge(one, 'openstack_neutron_agent_state', machine), one, 4)).toBeLessThan(0.5)
      }
      const [name] = servicesAmong(one)
      if (name !== undefined) expect(valueAt(gauge(one, 'up', name), one, 4)).toBeGreaterThan(0.9)
    }
    for (const one of known('unjoined-machines')) {
      const [name = ''] = servicesAmong(one)
      expect(failing(one, ({ callee }) => callee === name, -15, -1)).toBeLessThan(0.05)
      for (const caller of callersOf(one, name))
        expect(between(one, caller, name, 3, 14)).toBeGreaterThan(0.85)
    }
  }, 120_000)

  it('work in the background: all wait for a store while a transaction is open, and do not until the next', () => {
    for (const one of incidentsOf('long-locks')) {
      const { entity } = one.truth
      const open = labelled(one, 'pg_stat_activity_max_tx_duration', entity, 'state', 'idle in transaction')
      const after = Array.from(open.values).filter(
        (_, index) => (open.times[index] as number) > one.truth.began_ms,
      )
      expect(Math.max(...after)).toBeGreaterThan(120)
      // It ends and begins anew.
      const falls = after.filter((value, index) => index > 0 && value < 0.5 * (after[index - 1] as number))
      expect(falls.length).toBeGreaterThan(0)
      const waiting = labelled(one, 'hangfire_job_count', PAGE_PROCESSOR, 'state', 'enqueued')
      expect(valueAt(waiting, one, 8)).toBeGreaterThan(40)
    }
    for (const one of known('long-locks')) {
      const { entity } = one.truth
      expect(took(one, entity, 1, 3)).toBeGreaterThan(20 * took(one, entity, -30, -1))
    }
  }, 120_000)

  it('an app that asks again at once: a service has far more to do than its callers ask of it, and they wait', () => {
    for (const one of incidentsOf('locked-syncs')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'puma_backlog', entity), one, 7)).toBeGreaterThan(80)
      const again = labelled(one, 'app_syncs_total:rate1m', DRIVER_APP, 'service', entity)
      expect(valueAt(again, one, 7)).toBeGreaterThan(20 * valueAt(again, one, -20))
    }
    for (const one of known('locked-syncs')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, 7, 14)).toBeGreaterThan(0.2)
      // Callers try again, and so do theirs; what the app sends is no call of theirs.
      expect(grew(one, to, 7, 14)).toBeLessThan(4.4)
    }
  }, 120_000)
})
