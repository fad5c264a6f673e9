import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { TWENTY_THIRD_CHANGED } from './twenty-third-changed-faults.ts'
import {
  CLOCK,
  CLUSTER,
  DISC_ERRORS,
  EMPTY_REPORTS,
  FOLLOWERS,
  GATEWAY,
  HALL_HOSTS,
  HALL_SUPPLY,
  MAIL_HOST,
  MESH,
  MESH_PODS,
  OTHER_CLOCK,
  OTHER_FOLLOWERS,
  PASSED,
  POLLS,
  POOL,
  PROXIES,
  RENDITIONS,
  REPORT_LENGTH,
  REPORT_S,
  ROLLOVER_S,
  ROUTER,
  RUNTIME_S,
  TICKETS_REFUSED,
  UNSHOWN,
  WAITING,
} from './twenty-third-surroundings.ts'
import { TWENTY_THIRD_UNCHANGED } from './twenty-third-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const TWENTY_THIRD = held.generationOf(TWENTY_THIRD_CHANGED, TWENTY_THIRD_UNCHANGED, 43_000_000)
const { incidentsOf, known } = TWENTY_THIRD

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

/** Services whose series by some name is above a level, some minutes after the beginning. */
const above = (one: Incident, name: string, level: number, minutes: number): readonly string[] =>
  named(one, name)
    .filter((series) => valueAt(series, one, minutes) > level)
    .map((series) => series.entity)

/** The place of an incident that has calls of its own, where it is told as another. */
const serviceAmong = (one: Incident): string =>
  one.truth.also?.entities.find((place) => callersOf(one, place).length > 0) as string

held.describeBlindGeneration(TWENTY_THIRD, {
  called: 'twenty-third',
  same_seed: 'unplayable-recordings',
  scored: [
    ['upgraded-platform', 42_000_000, 'b4ba6add6c27d2ba'],
    ['early-reports', 42_000_002, 'ca7bc9af2a5f21e4'],
    ['kept-transactions', 42_000_004, 'f8ba017656986bd0'],
    ['dying-discs', 42_000_006, 'd8815f544cd7c7d3'],
    ['spent-batteries', 42_000_009, '93dfaf433d6e76bc'],
  ],
  measured: [
    'pilot_xds',
    'renditions_made_total:rate1m',
    'recordings_shown_total:rate1m',
    'report_completion_seconds',
    'report_transactions',
    'reports_received_total:rate1m',
    'kong_http_requests_total:rate1m',
    'channel_polls_total:rate1m',
    'db_client_connections_usage',
    'db_client_connections_pending_requests',
    'aws_rds_read_iops_average',
    'aws_rds_write_iops_average',
    'megaraid_pd_media_errors',
    'megaraid_degraded',
    'gpsd_uSat',
    'ntp_drift_seconds',
    'windows_time_current_timestamp_seconds:offset',
    'kerberos_tickets_refused_total:rate1m',
    'router_connect_ms',
    'router_errors_total:rate1m',
    'network_ups_tools_ups_status',
    'network_ups_tools_input_voltage',
    'network_ups_tools_battery_runtime',
  ],
  delays: {
    'upgraded-platform': 1.5,
    'unplayable-recordings': 5,
    'early-reports': 4,
    'chatty-feature': 6,
    'kept-transactions': 18,
  },
  blind: { incidents: 30, farthest: 1, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'an upgrade of a cluster': ({ title }) => title?.endsWith(': platform upgrade') === true,
    'how renditions are made': ({ files }) => files?.some((file) => file.endsWith('/renditions.ts')) === true,
    'when reports are complete': ({ files }) =>
      files?.some((file) => file.endsWith('/ReportCompletion.java')) === true,
    'how channels are asked for': ({ files }) =>
      files?.some((file) => file.endsWith('/use-channels.ts')) === true,
    'how somebody signs in': ({ files }) =>
      files?.some((file) => file.endsWith('/authentication.ts')) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /SQLSTATE\[HY000\]|State change on PD|controller error on|VD is now OFFLINE|STOREDRV|ANTSTATUS=OPEN|KRB_AP_ERR_SKEW \(0x25\)|set the time with offset|code=H10|code=H19|Error R10|power-fail shutdown|EHOSTUNREACH .*\.hall\.example/,
})

describe('the changes of the twenty-third generation', () => {
  it('an upgrade of a cluster: the mesh has no control plane, and services lose one pod after the other', () => {
    for (const one of incidentsOf('upgraded-platform')) {
      expect(one.truth.entity).toBe(CLUSTER)
      expect(valueAt(gauge(one, 'pilot_xds', MESH), one, -30)).toBeGreaterThan(0.7 * PROXIES)
      expect(valueAt(gauge(one, 'pilot_xds', MESH), one, 1)).toBe(0)
      const available = 'kube_deployment_status_replicas_available'
      expect(valueAt(gauge(one, available, MESH), one, -30)).toBeGreaterThan(0.9 * MESH_PODS)
      expect(valueAt(gauge(one, available, MESH), one, 1)).toBe(0)
      const gone = named(one, available).filter(
        (series) => valueAt(series, one, -30) > 0.9 && valueAt(series, one, 9) === 0,
      )
      expect(gone.length).toBeGreaterThan(1)
      expect(causeOf(one)?.title).toBe(`${CLUSTER}: platform upgrade`)
    }
    for (const one of known('upgraded-platform')) {
      const all = ({ callee }: held.Called): boolean => !callee.startsWith('partner-')
      expect(failing(one, all, -20, -2)).toBeLessThan(0.05)
      expect(failing(one, all, 5, 14)).toBeGreaterThan(0.3)
    }
  }, 120_000)

  it('recordings without a rendition: who is changed answers as ever, and who asks it fails in the end, now and then', () => {
    for (const one of incidentsOf('unplayable-recordings')) {
      const made = gauge(one, 'renditions_made_total:rate1m', one.truth.entity)
      expect(valueAt(made, one, 8)).toBeLessThan(0.85 * RENDITIONS)
      expect(valueAt(made, one, 8)).toBeGreaterThan(0.5 * RENDITIONS)
      expect(above(one, 'recordings_shown_total:rate1m', 20 * UNSHOWN, 8).length).toBeGreaterThan(0)
      expect(causeOf(one)?.diff).toContain('+  const parts = split(presets, Number(probe.format.duration))')
    }
    for (const one of known('unplayable-recordings')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 0, 14)).toBeLessThan(0.05)
      expect(grew(one, to, 5, 14)).toBeGreaterThan(0.85)
      for (const asking of callersOf(one, entity)) {
        const asked = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, asked, -20, -2) === 0) continue
        expect(failing(one, asked, 5, 14)).toBeGreaterThan(0.15)
        expect(failing(one, asked, 5, 14)).toBeLessThan(0.5)
      }
    }
  }, 120_000)

  it('reports that are complete too soon: they come quicker and are shorter, and who gets none fails', () => {
    for (const one of incidentsOf('early-reports')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'report_completion_seconds', entity), one, 8)).toBeLessThan(0.3 * REPORT_S)
      expect(valueAt(gauge(one, 'report_transactions', entity), one, 8)).toBeLessThan(0.7 * REPORT_LENGTH)
      expect(above(one, 'reports_received_total:rate1m', 50 * EMPTY_REPORTS, 8).length).toBeGreaterThan(0)
      expect(causeOf(one)?.diff).toContain('+    if (credentials.session().isAuthenticated())')
    }
    for (const one of known('early-reports')) {
      const { entity } = one.truth
      const provider = calleesOf(one, entity).find((callee) => callee.endsWith('-api')) as string
      expect(between(one, entity, provider, 0, 14)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 0, 14)).toBeLessThan(0.05)
      for (const asking of callersOf(one, entity)) {
        const asked = ({ callee }: held.Called): boolean => callee === asking
        if (perMinute(one, asked, -20, -2) > 0) expect(failing(one, asked, 5, 14)).toBeGreaterThan(0.25)
      }
    }
  }, 120_000)

  it('a feature that asks much: it asks ever more, and a gateway lets through no more than it is set to', () => {
    for (const one of incidentsOf('chatty-feature')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'channel_polls_total:rate1m', entity), one, 5)).toBeGreaterThan(4 * POLLS)
      const limited = named(one, 'kong_http_requests_total:rate1m').filter(
        (series) => series.entity === GATEWAY && series.labels.code === '429',
      )
      const hit = limited.filter((series) => valueAt(series, one, 12) > 0.2 * PASSED)
      expect(hit.length).toBeGreaterThan(0)
      for (const { labels } of hit) {
        const passed = named(one, 'kong_http_requests_total:rate1m').find(
          (series) => series.labels.service === labels.service && series.labels.code === '200',
        ) as Series
        expect(valueAt(passed, one, 5) / valueAt(passed, one, 12)).toBeCloseTo(1, 1)
      }
      expect(causeOf(one)?.diff).toContain('refetchInterval: 5_000')
    }
    for (const one of known('chatty-feature')) {
      const { entity } = one.truth
      const asked = calleesOf(one, entity).filter((callee) => !/-(db|api)$/.test(callee))
      for (const callee of asked) {
        expect(between(one, entity, callee, -20, -1)).toBeLessThan(0.05)
        expect(between(one, entity, callee, 10, 14)).toBeGreaterThan(0.1)
        expect(grew(one, (edge) => edge.caller === entity && edge.callee === callee, 10, 14)).toBeGreaterThan(
          1.3,
        )
      }
    }
  }, 120_000)

  it('sign-in that keeps connections: it is well until the pool is used up, then slower and slower, and fails', () => {
    for (const one of incidentsOf('kept-transactions')) {
      const { entity } = one.truth
      const used = gauge(one, 'db_client_connections_usage', entity)
      expect(valueAt(used, one, -12)).toBeLessThan(0.8 * POOL)
      expect(valueAt(used, one, 1)).toBeGreaterThan(0.95 * POOL)
      const waiting = gauge(one, 'db_client_connections_pending_requests', entity)
      expect(valueAt(waiting, one, 8)).toBeGreaterThan(50 * WAITING)
      expect(causeOf(one)?.diff).toContain('+  const trx = await knex.transaction()')
    }
    for (const one of known('kept-transactions')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      // Well for all the time between the release and the last connection of the pool.
      expect(failing(one, to, -14, -0.5)).toBeLessThan(0.05)
      expect(failing(one, to, 6, 12)).toBeGreaterThan(0.2)
      expect(took(one, entity, 4, 8)).toBeGreaterThan(2 * took(one, entity, -30, -20))
    }
  }, 120_000)
})

describe('what happens by itself in the twenty-third generation', () => {
  it('a database that fails: nobody who asks it gets anything, and nothing is measured of it any more', () => {
    for (const one of incidentsOf('failed-database')) {
      const { entity } = one.truth
      expect(entity.endsWith('-db')).toBe(true)
      expect(valueAt(gauge(one, 'db_up', entity), one, -5)).toBeGreaterThan(0.9)
      expect(valueAt(gauge(one, 'db_up', entity), one, 2)).toBe(0)
      expect(valueAt(gauge(one, 'aws_rds_read_iops_average', entity), one, -5)).toBeGreaterThan(100)
      expect(valueAt(gauge(one, 'aws_rds_read_iops_average', entity), one, 2)).toBeNaN()
    }
    for (const one of known('failed-database')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 2, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('discs that die: a service on one machine fails in part, and some minutes later wholly', () => {
    for (const one of incidentsOf('dying-discs')) {
      expect(one.truth.entity).toBe(MAIL_HOST)
      const errors = gauge(one, 'megaraid_pd_media_errors', MAIL_HOST)
      expect(valueAt(errors, one, 1)).toBeGreaterThan(10 * DISC_ERRORS)
      const failed = gauge(one, 'megaraid_failed', MAIL_HOST)
      expect(valueAt(failed, one, 6)).toBe(0)
      expect(valueAt(failed, one, 12)).toBeGreaterThan(0.9)
    }
    for (const one of known('dying-discs')) {
      const to = ({ callee }: held.Called): boolean => callee === serviceAmong(one)
      expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, to, 1, 7)).toBeGreaterThan(0.3)
      expect(failing(one, to, 1, 7)).toBeLessThan(0.6)
      expect(failing(one, to, 12, 14)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('a clock that goes back: machines that follow it believe it, and those that follow another are well', () => {
    for (const one of incidentsOf('old-date')) {
      expect(one.truth.entity).toBe(CLOCK)
      expect(valueAt(gauge(one, 'gpsd_uSat', CLOCK), one, -1)).toBe(0)
      expect(valueAt(gauge(one, 'ntp_drift_seconds', CLOCK), one, 2)).toBeLessThan(0.9 * ROLLOVER_S)
      expect(Math.abs(valueAt(gauge(one, 'ntp_drift_seconds', OTHER_CLOCK), one, 2))).toBeLessThan(1)
      const offset = 'windows_time_current_timestamp_seconds:offset'
      for (const host of FOLLOWERS)
        expect(valueAt(gauge(one, offset, host), one, 4)).toBeLessThan(0.9 * ROLLOVER_S)
      for (const host of OTHER_FOLLOWERS)
        expect(Math.abs(valueAt(gauge(one, offset, host), one, 4))).toBeLessThan(1)
      const refused = above(one, 'kerberos_tickets_refused_total:rate1m', 30 * TICKETS_REFUSED, 6)
      expect(refused.length).toBeGreaterThan(1)
    }
    for (const one of known('old-date'))
      for (const name of above(one, 'kerberos_tickets_refused_total:rate1m', 30 * TICKETS_REFUSED, 6)) {
        const to = ({ callee }: held.Called): boolean => callee === name
        if (perMinute(one, to, -20, -1) === 0) continue
        expect(failing(one, to, -20, -1)).toBeLessThan(0.05)
        expect(failing(one, to, 3, 14)).toBeGreaterThan(0.3)
      }
  }, 120_000)

  it('a service that does not get up: it is gone, and calls to all others take longer on their way', () => {
    for (const one of incidentsOf('unrestored-service')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'up', entity), one, 2)).toBe(0)
      expect(valueAt(gauge(one, 'router_connect_ms', ROUTER), one, 2)).toBeGreaterThan(100)
      const gone = named(one, 'router_errors_total:rate1m').find(
        ({ labels }) => labels.app === entity && labels.code === 'H10',
      ) as Series
      expect(valueAt(gone, one, 2)).toBeGreaterThan(3)
    }
    for (const one of known('unrestored-service')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === entity, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('batteries that are spent: power was lost long before, and all machines of a hall are off at once', () => {
    for (const one of incidentsOf('spent-batteries')) {
      expect(one.truth.entity).toBe(HALL_SUPPLY)
      const battery = labelled(one, 'network_ups_tools_ups_status', HALL_SUPPLY, 'flag', 'OB')
      expect(valueAt(battery, one, -50)).toBe(0)
      expect(valueAt(battery, one, -15)).toBeGreaterThan(0.9)
      const left = gauge(one, 'network_ups_tools_battery_runtime', HALL_SUPPLY)
      expect(valueAt(left, one, -1)).toBeLessThan(0.1 * RUNTIME_S)
      for (const host of HALL_HOSTS) expect(one.truth.also?.entities).toContain(host)
      expect(named(one, 'db_up').filter((series) => valueAt(series, one, 2) === 0).length).toBeGreaterThan(0)
    }
    for (const one of known('spent-batteries')) {
      const [root] = partners(one, ({ caller }) => caller === one.snapshot.alerts[0]?.service, 'caller')
      const by = ({ caller }: held.Called): boolean => caller === root
      expect(failing(one, by, -20, -1)).toBeLessThan(0.05)
      expect(failing(one, by, 1, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)
})
