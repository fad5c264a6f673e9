import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { balancerOf } from './nineteenth-surroundings.ts'
import { TWENTY_EIGHTH_CHANGED } from './twenty-eighth-changed-faults.ts'
import {
  BOOKED,
  CLIENTS,
  CONNECTION_ROWS,
  DATA_LEFT,
  DEMOS_OPENED,
  DEPOSITED,
  dataHostOf,
  EXTENSION,
  FAILED_STATEMENTS,
  INVALID_PASSCODES,
  MEMBER_HOSTS,
  NEWER,
  OVER_LIMIT,
  PAGES_HOST,
  RECORD_SYNC,
  SITE_RECORDS,
  TILES_WRITTEN,
  UNINSTALLS,
} from './twenty-eighth-surroundings.ts'
import { TWENTY_EIGHTH_UNCHANGED } from './twenty-eighth-unchanged-faults.ts'
import { memberOf } from './twenty-sixth-surroundings.ts'

const { causeOf, failing, gauge, named, partners, perMinute, took, valueAt } = held
const TWENTY_EIGHTH = held.generationOf(TWENTY_EIGHTH_CHANGED, TWENTY_EIGHTH_UNCHANGED, 57_000_000)
const { incidentsOf, known } = TWENTY_EIGHTH

type Incident = Parameters<typeof named>[0]

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

const callersOf = (one: Incident, callee: string): readonly string[] =>
  partners(one, (edge) => edge.callee === callee, 'caller')

/** The place of an incident that is called, where it is told as another. */
const calledAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

/** All values of a series in some minutes around the beginning. */
const within = ({ times, values }: Series, { truth }: Incident, from_min: number, to_min: number): number[] =>
  Array.from(values).filter((_, index) => {
    const minutes = ((times[index] as number) - truth.began_ms) / held.MINUTE_MS
    return minutes >= from_min && minutes < to_min
  })

held.describeBlindGeneration(TWENTY_EIGHTH, {
  called: 'twenty-eighth',
  same_seed: 'mixed-flags',
  scored: [
    ['required-record', 56_000_000, '502333da612fb9a6'],
    ['deleted-owner', 56_000_002, '1735855765080b44'],
    ['opened-demo', 56_000_004, '623d15cd88d65e6a'],
    ['filling-script', 56_000_006, 'b47f851fde4798cd'],
    ['mistaken-recovery', 56_000_008, '6606c77fb0c8ee22'],
  ],
  measured: [
    'site_records_loaded',
    'site_limit_refusals_total:rate1m',
    'sync_last_success_age_seconds',
    'passcodes_invalid_total:rate1m',
    'works_deposited_total:rate1m',
    'workflow_entries_created_total:rate1m',
    'db_schema_steps_pending',
    'pg_stat_user_tables_n_live_tup',
    'db_statement_errors_per_second',
    'extension_active_clients',
    'demo_pages_opened_total:rate1m',
    'extension_uninstalls_total:increase10m',
    'db_up',
    'pg_up',
    'mongodb_mongod_replset_member_health',
    'mongodb_instance_uptime_seconds',
    'node_uptime_seconds',
    'node_filesystem_avail_bytes',
    'namedprocess_namegroup_write_bytes_total:rate1m',
    'mysql_global_status_uptime',
    'aws_rds_engine_uptime_average',
    'transactions_booked_total:rate1m',
    'aws_autoscaling_group_in_service_instances_average',
    'aws_autoscaling_group_desired_capacity_average',
    'aws_applicationelb_healthy_host_count_average',
    'aws_applicationelb_httpcode_elb_5_xx_count_sum',
    'load_balancer_healthy_hosts',
    'kube_deployment_status_replicas_available',
    'haproxy_backend_active_servers',
    'up',
    'probe_success',
    'published_copy_age_seconds',
    'pages_builds_finished_total:increase10m',
    'repository_pushes_total:increase10m',
  ],
  delays: {
    'required-record': 1,
    'mixed-flags': 1,
    'deleted-owner': 0.9,
    'torn-migration': 1.4,
    'opened-demo': 1,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 2 },
  shapes: {
    'limits of sites': ({ files }) => files?.some((file) => file.endsWith('/verify/limits.ts')) === true,
    'what a passcode is held against': ({ files }) =>
      files?.some((file) => file.endsWith('/passcode/check.ts')) === true,
    'accounts that are removed': ({ title }) => /account of a former colleague removed$/u.test(title ?? ''),
    'tables of another version': ({ files }) =>
      files?.some((file) => /\/migrate\/versions\/0\d+_\w+\.py$/u.test(file)) === true,
    'background pages': ({ files }) => files?.some((file) => file.endsWith('/src/background.js')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /MOPED: |ConnectionFailure: Could not connect to a primary|special device|Dependency failed for mongod|xlogtemp|data\/copies\/base\.tar|in recovery mode|page corruption|Starting crash recovery|booking is not done|awselb|has no entry of today|pages-host\.example\/builds/,
})

describe('the changes of the twenty-eighth generation', () => {
  it('records that a check cannot do without: pods that begin anew have few of them, and refuse what they do not know', () => {
    for (const one of incidentsOf('required-record')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'site_records_loaded', entity), one, 6)).toBeLessThan(0.68 * SITE_RECORDS)
      expect(valueAt(gauge(one, 'site_limit_refusals_total:rate1m', entity), one, 6)).toBeGreaterThan(
        20 * OVER_LIMIT,
      )
      const age = gauge(one, 'sync_last_success_age_seconds', RECORD_SYNC)
      expect(valueAt(age, one, -15)).toBeLessThan(90)
      expect(valueAt(age, one, 5)).toBeGreaterThan(300)
      expect(causeOf(one)?.diff).toContain('+  if (record === undefined || record.spent > record.most)')
    }
    for (const one of known('required-record')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('a passcode that is held against what was not asked for: of one mode more is not valid, and few of all fail', () => {
    for (const one of incidentsOf('mixed-flags')) {
      const { entity } = one.truth
      const checkbox = labelled(one, 'passcodes_invalid_total:rate1m', entity, 'mode', 'checkbox')
      const silent = labelled(one, 'passcodes_invalid_total:rate1m', entity, 'mode', 'silent')
      expect(valueAt(checkbox, one, 6)).toBeGreaterThan(10 * INVALID_PASSCODES)
      expect(valueAt(checkbox, one, 12)).toBeGreaterThan(10 * INVALID_PASSCODES)
      expect(Math.max(...silent.values)).toBeLessThan(1.4)
      expect(causeOf(one)?.diff).toContain("flags.has('short-motion')")
    }
    for (const one of known('mixed-flags')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.1)
      expect(failing(one, to, 5, 14)).toBeLessThan(0.4)
    }
  }, 120_000)

  it('an account that a workflow still needs: works are taken in, some twice, and none gets an entry', () => {
    for (const one of incidentsOf('deleted-owner')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'workflow_entries_created_total:rate1m', entity), one, 6)).toBeLessThan(
        0.1 * DEPOSITED,
      )
      expect(valueAt(gauge(one, 'works_deposited_total:rate1m', entity), one, 8)).toBeGreaterThan(
        1.3 * DEPOSITED,
      )
      expect(causeOf(one)?.title).toContain('administrator account')
    }
    for (const one of known('deleted-owner')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 4, 14)).toBeGreaterThan(0.25)
    }
  }, 120_000)

  it('tables that are half of the next version: rows are missing, who runs on fails in part, and who begins anew altogether', () => {
    for (const one of incidentsOf('torn-migration')) {
      const waiting = named(one, 'db_schema_steps_pending').filter(
        (series) => valueAt(series, one, 5) > 2.5 && valueAt(series, one, 12) > 2.5,
      )
      expect(waiting).toHaveLength(1)
      const store = waiting[0]?.entity as string
      const rows = labelled(
        one,
        'pg_stat_user_tables_n_live_tup',
        store,
        'relname',
        'workflow_step_connection',
      )
      expect(valueAt(rows, one, -8)).toBeGreaterThan(0.9 * CONNECTION_ROWS)
      expect(valueAt(rows, one, 1)).toBeLessThan(0.65 * CONNECTION_ROWS)
      const errors = within(gauge(one, 'db_statement_errors_per_second', store), one, 0, 3)
      expect(Math.max(...errors)).toBeGreaterThan(5 * FAILED_STATEMENTS)
      expect(causeOf(one)?.diff).toContain("+    rename_table('workflow_step_connection'")
    }
    for (const one of known('torn-migration')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 0, 1.5)).toBeGreaterThan(0.35)
      expect(failing(one, to, 6, 14)).toBeGreaterThan(0.85)
    }
  }, 120_000)

  it('a page that is opened each time: browsers get the version, its page is asked for more and more, and some remove it', () => {
    for (const one of incidentsOf('opened-demo')) {
      expect(one.truth.entity).toBe(EXTENSION)
      const newer = labelled(one, 'extension_active_clients', EXTENSION, 'version', NEWER)
      expect(valueAt(newer, one, -5)).toBeLessThan(0.15 * CLIENTS)
      expect(valueAt(newer, one, 11)).toBeGreaterThan(0.8 * CLIENTS)
      expect(valueAt(gauge(one, 'demo_pages_opened_total:rate1m', EXTENSION), one, 11)).toBeGreaterThan(
        20 * DEMOS_OPENED,
      )
      expect(
        valueAt(gauge(one, 'extension_uninstalls_total:increase10m', EXTENSION), one, 11),
      ).toBeGreaterThan(10 * UNINSTALLS)
      expect(causeOf(one)?.diff).toContain('+chrome.tabs.create({ url: DEMO_PAGE })')
    }
    for (const one of known('opened-demo')) {
      const name = calledAmong(one)
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(took(one, name, 10, 14)).toBeGreaterThan(3 * took(one, name, -20, -5))
      expect(failing(one, to, 11, 14)).toBeGreaterThan(0.1)
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-eighth generation', () => {
  it('a machine that begins anew without its volume: who asks the cluster waits for it, and later does not find the first', () => {
    for (const one of incidentsOf('rebooted-secondary')) {
      const { entity } = one.truth
      const second = memberOf(entity, 2)
      const health = labelled(
        one,
        'mongodb_mongod_replset_member_health',
        memberOf(entity, 3),
        'name',
        `${second}:27017`,
      )
      expect(valueAt(health, one, -5)).toBeCloseTo(1, 1)
      expect(valueAt(health, one, 12)).toBe(0)
      expect(valueAt(gauge(one, 'mongodb_instance_uptime_seconds', second), one, 12)).toBeNaN()
      for (const host of [MEMBER_HOSTS[0], MEMBER_HOSTS[1]])
        expect(valueAt(gauge(one, 'node_uptime_seconds', host), one, 13)).toBeLessThan(900)
    }
    for (const one of known('rebooted-secondary')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 4)).toBeLessThan(0.1)
      expect(took(one, one.truth.entity, 1, 4)).toBeGreaterThan(300)
    }
  }, 120_000)

  it('a disk that a job fills: the store ends, is there for a moment, and ends again', () => {
    for (const one of incidentsOf('filling-script')) {
      const { entity } = one.truth
      const left = gauge(one, 'node_filesystem_avail_bytes', dataHostOf(entity))
      expect(valueAt(left, one, -10)).toBeGreaterThan(0.05 * DATA_LEFT)
      expect(valueAt(left, one, 0.5)).toBe(0)
      expect(valueAt(left, one, 10)).toBe(0)
      const written = gauge(one, 'namedprocess_namegroup_write_bytes_total:rate1m', dataHostOf(entity))
      expect(valueAt(written, one, -5)).toBeGreaterThan(10 * TILES_WRITTEN)
      const up = within(gauge(one, 'db_up', entity), one, 0.2, 9)
      expect(up).toContain(0)
      expect(Math.max(...up)).toBeGreaterThan(0.9)
    }
    for (const one of known('filling-script')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('books that a store cannot read: it ends again and again, and nobody books while it is not there', () => {
    for (const one of incidentsOf('corrupt-ledger')) {
      const { entity } = one.truth
      const uptime = within(gauge(one, 'mysql_global_status_uptime', entity), one, 1, 14)
      // Nothing is told of how long it has run while it is not there.
      expect(uptime.length).toBeLessThan(within(gauge(one, 'db_up', entity), one, 1, 14).length)
      for (const value of uptime) expect(value).toBeLessThan(45)
      const stopped = named(one, 'transactions_booked_total:rate1m').filter((series) =>
        within(series, one, 1, 14).includes(0),
      )
      expect(stopped.length).toBeGreaterThan(0)
      for (const series of stopped) expect(valueAt(series, one, -25)).toBeGreaterThan(0.6 * BOOKED)
    }
    for (const one of known('corrupt-ledger')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 14)).toBeGreaterThan(0.5)
    }
  }, 120_000)

  it('servers that are taken for faulty: one after the other is taken out, as many are wanted as before, and none comes', () => {
    for (const one of incidentsOf('mistaken-recovery')) {
      const group = one.truth.entity
      const serving = gauge(one, 'aws_autoscaling_group_in_service_instances_average', group)
      const wanted = gauge(one, 'aws_autoscaling_group_desired_capacity_average', group)
      expect(valueAt(serving, one, -5)).toBeCloseTo(valueAt(wanted, one, 12), 0)
      expect(valueAt(serving, one, 12)).toBe(0)
      const balancer = balancerOf(group.replace('asg-', ''))
      expect(valueAt(gauge(one, 'aws_applicationelb_healthy_host_count_average', balancer), one, 12)).toBe(0)
    }
    for (const one of known('mistaken-recovery')) {
      const name = one.truth.entity.replace('asg-', '')
      const to = ({ callee }: held.Called): boolean => callee === name
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 8, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('a copy that is not brought up to date: pushes go on, builds do not, and who needs what is new does not have it', () => {
    for (const one of incidentsOf('unpublished-copy')) {
      expect(one.truth.entity).toBe(PAGES_HOST)
      const age = gauge(one, 'published_copy_age_seconds', PAGES_HOST)
      expect(valueAt(age, one, -25)).toBeLessThan(900)
      expect(valueAt(age, one, 12)).toBeGreaterThan(1_200)
      expect(valueAt(gauge(one, 'pages_builds_finished_total:increase10m', PAGES_HOST), one, 5)).toBe(0)
      expect(valueAt(gauge(one, 'repository_pushes_total:increase10m', PAGES_HOST), one, 5)).toBeGreaterThan(
        0,
      )
    }
    for (const one of known('unpublished-copy')) {
      const to = ({ callee }: held.Called): boolean =>
        failing(one, (edge) => edge.callee === callee, 9, 14) > 0.4
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(perMinute(one, to, 6, 14)).toBeGreaterThan(0)
    }
  }, 120_000)
})
