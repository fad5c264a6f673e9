import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { SEVENTEENTH_CHANGED } from './seventeenth-changed-faults.ts'
import {
  CHECKER,
  CORE_POOL,
  CORES,
  HELD_OPEN,
  LIVE_ROWS,
  RACK_SUPPLY,
  RACK_SWITCH,
  ROWS,
  UPPER_SWITCH,
} from './seventeenth-surroundings.ts'
import { SEVENTEENTH_UNCHANGED } from './seventeenth-unchanged-faults.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const SEVENTEENTH = held.generationOf(SEVENTEENTH_CHANGED, SEVENTEENTH_UNCHANGED, 31_000_000)
const { incidentsOf, known } = SEVENTEENTH

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

/** The series of a part that has some label, of several by one name. */
const labelled = (one: Incident, name: string, entity: string, label: string, is: string): Series =>
  named(one, name).find((series) => series.entity === entity && series.labels[label] === is) as Series

/** What a series showed each half minute of some minutes around the beginning. */
const seen = (series: Series, one: Incident, from_min: number, to_min: number): readonly number[] =>
  Array.from({ length: 2 * (to_min - from_min) }, (_, half) => valueAt(series, one, from_min + half / 2))

held.describeBlindGeneration(SEVENTEENTH, {
  called: 'seventeenth',
  same_seed: 'unlisted-range',
  scored: [
    ['unlisted-range', 30_000_000, '2538effa6e8e9ca6'],
    ['rebooted-machines', 30_000_001, 'f7def3f50ebba4d1'],
    ['held-rows', 30_000_004, '7a6e332e1fa1aa84'],
    ['devices-fall-back', 30_000_006, 'e97d6c4ac50faf17'],
    ['failed-array', 30_000_009, '7e3398905cda6e4c'],
  ],
  measured: [
    'iptables_default_packets_total:rate1m',
    'node_uptime_seconds',
    'kube_node_spec_unschedulable',
    'rdsosmetrics_General_numVCPUs',
    'rdsosmetrics_loadAverageMinute_one',
    'aws_rds_cpuutilization_average',
    'pg_stat_database_tup_returned:rate1m',
    'tomcat_threads_busy_threads',
    'pg_stat_user_tables_n_live_tup',
    'pg_stat_user_tables_n_tup_del:rate1m',
    'network_ups_tools_ups_status',
    'network_ups_tools_output_voltage',
    'sysUpTime',
    'ifOperStatus',
    'up',
    'load_balancer_healthy_hosts',
    'probe_success',
    'haproxy_frontend_current_sessions',
    'haproxy_frontend_connections_total:rate1m',
    'haproxy_backend_current_queue',
    'http_server_requests_seconds_count:rate1m',
    'envoy_listener_downstream_cx_total:rate1m',
    'bridge_logged_in',
    'bridge_connected',
    'node_md_disks',
    'node_filesystem_readonly',
    'pg_up',
  ],
  delays: {
    'unlisted-range': 0,
    'rebooted-machines': 0,
    'smaller-machine': 0,
    'listed-messages': 4,
    'held-rows': 4,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 0 },
  shapes: {
    'who may get into machines': ({ files }) =>
      files?.some((file) => file.endsWith('iptables.rules')) === true,
    'an upgrade of machines': ({ title }) => title?.includes(': scheduled upgrade') === true,
    'an update of a store': ({ title }) => title?.endsWith(': managed update') === true,
    'what a list asks for': ({ files }) => files?.some((file) => file.endsWith('conversations.sql')) === true,
    'a check of data': ({ files }) => files?.some((file) => file.startsWith(`${CHECKER}/`)) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /no route to host|Ethernet1\/12 is down|transfer to battery|the one before was closed|settings asked for over HTTP|i\/o timeout, asking another|too many handshakes|device removed stream error|contain a device JID|Disk failure on|op 0x1:\(WRITE\)|Detected aborted journal|pg_filenode/,
})

describe('the changes of the seventeenth generation', () => {
  it('a rule: packets of a service are not let in, and fewer and fewer of the calls to it get there', () => {
    for (const one of incidentsOf('unlisted-range')) {
      const dropped = gauge(one, 'iptables_default_packets_total:rate1m', one.truth.entity)
      expect(valueAt(dropped, one, 6)).toBeGreaterThan(10 * valueAt(dropped, one, -1))
      expect(causeOf(one)?.diff).toContain('+-A INPUT -s 10.44.0.0/21 -p tcp --dport 8080 -j ACCEPT')
    }
    for (const one of known('unlisted-range')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, -15, 0)).toBeLessThan(0.05)
      expect(failing(one, to, 0, 2)).toBeLessThan(failing(one, to, 6, 14))
      expect(failing(one, to, 6, 14)).toBeGreaterThan(0.9)
      expect(failing(one, ({ caller }) => caller === entity, 6, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('an upgrade: machines are gone one after the other, and calls fail at times, never all of them throughout', () => {
    for (const one of incidentsOf('rebooted-machines')) {
      expect(one.truth.entity).toBe(CORE_POOL)
      const machines = named(one, 'node_uptime_seconds').filter(
        ({ entity }) => isThePlace(one.truth, entity) && entity.startsWith('core-'),
      )
      expect(machines.length).toBeGreaterThan(2)
      const began = machines.filter((series) => seen(series, one, 3, 14).some((value) => value < 900))
      expect(began.length).toBeGreaterThan(1)
      expect(causeOf(one)?.before).toBeDefined()
    }
    for (const one of known('rebooted-machines')) {
      const shares = pairs(one).map(([caller, callee]) => between(one, caller, callee, 0, 14))
      expect(shares.filter((share) => share > 0.1).length).toBeGreaterThan(1)
      expect(Math.max(...shares)).toBeLessThan(0.95)
    }
  }, 120_000)

  it('an update: a store has fewer cores, all of them busy, and its callers do not get their answers in time', () => {
    for (const one of incidentsOf('smaller-machine')) {
      const { entity } = one.truth
      const cores = gauge(one, 'rdsosmetrics_General_numVCPUs', entity)
      expect(valueAt(cores, one, -5)).toBeCloseTo(CORES, 0)
      expect(valueAt(cores, one, 3)).toBeLessThan(5)
      expect(valueAt(gauge(one, 'aws_rds_cpuutilization_average', entity), one, 4)).toBeGreaterThan(90)
      expect(valueAt(gauge(one, 'rdsosmetrics_loadAverageMinute_one', entity), one, 4)).toBeGreaterThan(40)
    }
    for (const one of known('smaller-machine')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeGreaterThan(0.5)
      expect(took(one, entity, 4, 14)).toBeGreaterThan(20 * took(one, entity, -30, -5))
    }
  }, 120_000)

  it('a release: the store reads many times as many rows and answers, the service comes to be too late for all', () => {
    for (const one of incidentsOf('listed-messages')) {
      const { entity } = one.truth
      const read = named(one, 'pg_stat_database_tup_returned:rate1m').map((series) => valueAt(series, one, 5))
      expect(Math.max(...read)).toBeGreaterThan(8 * ROWS)
      const busy = gauge(one, 'tomcat_threads_busy_threads', entity)
      expect(valueAt(busy, one, 6)).toBeGreaterThan(8 * valueAt(busy, one, -30))
      expect(causeOf(one)?.diff).toContain('json_agg(m ORDER BY m.sent_at)')
    }
    for (const one of known('listed-messages')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 6, 14)).toBeGreaterThan(0.9)
      expect(failing(one, ({ caller }) => caller === entity, 6, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a check: rows go from one table to another, the store is well, and who reads it fails by itself', () => {
    for (const one of incidentsOf('held-rows')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      const rows = (table: string, minutes: number): number =>
        valueAt(labelled(one, 'pg_stat_user_tables_n_live_tup', store, 'relname', table), one, minutes)
      expect(rows('measurements', 10)).toBeLessThan(0.85 * LIVE_ROWS)
      expect(rows('measurements_held', 10)).toBeGreaterThan(0.15 * LIVE_ROWS)
      const carrying = one.snapshot.changes.filter(({ carries }) => carries?.includes(one.truth.change ?? ''))
      expect(carrying.map(({ kind, entity }) => [kind, entity])).toEqual([['deploy', CHECKER]])
    }
    for (const one of known('held-rows')) {
      const store = one.truth.also?.entities.find((place) => place.endsWith('-db')) as string
      expect(failing(one, ({ callee }) => callee === store, 4, 14)).toBeLessThan(0.05)
      const readers = partners(one, ({ callee }) => callee === store, 'caller')
      const hit = readers.filter((name) => failing(one, ({ callee }) => callee === name, 8, 14) > 0.3)
      expect(hit.length).toBeGreaterThan(0)
      expect(pairs(one).some(([caller]) => caller === CHECKER)).toBe(false)
    }
  }, 120_000)
})

describe('what happens by itself in the seventeenth generation', () => {
  it('a switch: it is without power for minutes, the machines behind it have run on, and all of it comes back', () => {
    for (const one of incidentsOf('unpowered-switch')) {
      expect(valueAt(gauge(one, 'network_ups_tools_output_voltage', RACK_SUPPLY), one, 2)).toBe(0)
      const port = labelled(one, 'ifOperStatus', UPPER_SWITCH, 'ifAlias', RACK_SWITCH)
      expect(valueAt(port, one, 3)).toBeCloseTo(2, 1)
      expect(valueAt(port, one, 13)).toBeCloseTo(1, 1)
      const ran = named(one, 'node_uptime_seconds').filter(({ entity }) => entity.startsWith('rack-2b-'))
      expect(ran).toHaveLength(2)
      for (const series of ran) expect(valueAt(series, one, 14)).toBeGreaterThan(1_000_000)
      expect(valueAt(gauge(one, 'sysUpTime', RACK_SWITCH), one, 14)).toBeLessThan(100_000)
    }
    for (const one of known('unpowered-switch')) {
      const shares = pairs(one).map(([caller, callee]) => [
        between(one, caller, callee, 1, 6),
        between(one, caller, callee, 13, 17),
      ])
      expect(shares.some(([gone = 0, back = 1]) => gone > 0.9 && back < 0.1)).toBe(true)
    }
  }, 120_000)

  it('devices: one service is asked again and again, then another many times as often by the way for emergencies', () => {
    for (const one of incidentsOf('devices-fall-back')) {
      const { entity } = one.truth
      const open = gauge(one, 'haproxy_frontend_current_sessions', entity)
      expect(valueAt(open, one, -0.5)).toBeGreaterThan(1.3 * HELD_OPEN)
      expect(valueAt(open, one, -0.5)).toBeGreaterThan(1.3 * valueAt(open, one, -24))
      const other = one.truth.also?.entities.find((place) =>
        named(one, 'http_server_requests_seconds_count:rate1m').some(
          (series) =>
            series.entity === place &&
            series.labels.uri === '/v1/devices/settings' &&
            valueAt(series, one, 9) > 15,
        ),
      )
      expect(other).toBeDefined()
      expect(other).not.toBe(entity)
    }
    for (const one of known('devices-fall-back')) {
      const { entity } = one.truth
      const to = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, to, 5, 14)).toBeGreaterThan(0.5)
      // Who calls it asks no more than before: what comes besides comes from outside.
      expect(grew(one, to, 5, 14)).toBeLessThan(2.2)
    }
  }, 120_000)

  it('a member: it is cut off, its clients go to the other two, and these answer nobody one after the other', () => {
    for (const one of incidentsOf('lost-member')) {
      const { entity } = one.truth
      const probe = (member: number, minutes: number): number =>
        valueAt(
          labelled(one, 'probe_success', entity, 'target', `tcp://${entity}-${member}.members.internal:443`),
          one,
          minutes,
        )
      expect(probe(0, 1)).toBe(0)
      expect(probe(1, 0.5)).toBeCloseTo(1, 1)
      expect(probe(1, 5)).toBe(0)
      expect(probe(2, 2)).toBeCloseTo(1, 1)
      expect(probe(2, 9)).toBe(0)
    }
    for (const one of known('lost-member')) {
      const to = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, to, 0, 1)).toBeLessThan(0.6)
      expect(failing(one, to, 9, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)

  it('a session: one of those who ask an outside messenger is refused, and nobody else is', () => {
    for (const one of incidentsOf('ended-session')) {
      expect(valueAt(gauge(one, 'bridge_logged_in', one.truth.entity), one, 2)).toBe(0)
      const others = named(one, 'bridge_logged_in').filter(
        ({ entity }) => entity !== one.truth.entity && entity !== 'office-concierge',
      )
      expect(others.every((series) => valueAt(series, one, 2) > 0.9)).toBe(true)
    }
    for (const one of known('ended-session')) {
      const asking = pairs(one).filter(([, callee]) => callee.endsWith('-api'))
      const refused = asking.filter(([caller, callee]) => between(one, caller, callee, 2, 14) > 0.9)
      expect(refused.map(([caller]) => caller)).toEqual([one.truth.entity])
      for (const [caller, callee] of asking)
        if (caller !== one.truth.entity) expect(between(one, caller, callee, 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('an array: a second and a third of its disks fail after one that had long, and the store ends for good', () => {
    for (const one of incidentsOf('failed-array')) {
      const { entity } = one.truth
      const failed = labelled(one, 'node_md_disks', `${entity}-host`, 'state', 'failed')
      expect(valueAt(failed, one, -20)).toBeCloseTo(1, 1)
      expect(valueAt(failed, one, 2)).toBeCloseTo(3, 1)
      for (const minutes of [2, 8, 14]) expect(valueAt(gauge(one, 'pg_up', entity), one, minutes)).toBe(0)
    }
    for (const one of known('failed-array')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 2, 14)).toBeGreaterThan(0.95)
    }
  }, 120_000)
})
