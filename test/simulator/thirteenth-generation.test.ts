import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { BROKER } from './eleventh-surroundings.ts'
import { EDGE_CACHE, SITE } from './ninth-surroundings.ts'
import { PAGES } from './sixth-surroundings.ts'
import { THIRTEENTH_CHANGED } from './thirteenth-changed-faults.ts'
import { MEMBERS, ZONES } from './thirteenth-surroundings.ts'
import { THIRTEENTH_UNCHANGED } from './thirteenth-unchanged-faults.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, named, partners, perMinute, took, valueAt } = held
const THIRTEENTH = held.generationOf(THIRTEENTH_CHANGED, THIRTEENTH_UNCHANGED, 23_000_000)
const { incidentsOf, known } = THIRTEENTH

held.describeBlindGeneration(THIRTEENTH, {
  called: 'thirteenth',
  same_seed: 'filled-field',
  scored: [
    ['unsteady-upgrade', 22_000_000, 'c5cfc582397fcee0'],
    ['stopped-set', 22_000_002, 'd062d32ac1ac470c'],
    ['emptied-cache', 22_000_004, '52d1f90aa1e1bea2'],
    ['remaining-members', 22_000_005, 'd6faa1c208e74664'],
    ['unreachable-zone', 22_000_008, 'c7c6227032bad38e'],
  ],
  measured: [
    'load_balancer_healthy_hosts',
    'http_client_timeouts_per_second',
    'http_client_bad_requests_per_second',
    'amqp_connections_closed_per_minute',
    'queue_messages_dead_lettered_per_minute',
    'machine_set_running',
    'cdn_purged_objects_per_minute',
    'process_open_files',
    'broker_members_running',
    'broker_connections',
    'broker_memory_used_ratio',
    'node_ready',
    'node_memory_corrected_errors_per_minute',
    'zone_api_duration_p99_ms',
    'threads_blocked',
    'client_reconnects_per_second',
  ],
  delays: {
    'unsteady-upgrade': 0,
    'system-of-hosts': 0,
    'stopped-set': 0,
    'filled-field': 4,
    'emptied-cache': 5,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 3 },
  shapes: {
    'an infrastructure': ({ title }) => title?.endsWith(': infrastructure upgrade, stage 2 of 2') === true,
    'a system of hosts': ({ title }) => title?.endsWith(': hosts from Debian 11 to Debian 12') === true,
    'a set of machines': ({ files }) => files?.some((file) => file.endsWith('/main.tf')) === true,
    'a field': ({ files }) => files?.some((file) => file.endsWith('/request.ts')) === true,
    'a build of pages': ({ files }) => files?.some((file) => file === `${PAGES}/scripts/build.sh`) === true,
  },
  beside: { asked: PARTNER_RULES },
  said: /rabbit@mq|message-broker:5672|AlreadyClosedException|MISCONF|could not extend file|failed archive command|EHOSTUNREACH 10\.40\.11\.4|launching instance in|waiting to lock|subscriptions to restore/,
})

describe('the changes of the thirteenth generation', () => {
  it('an upgrade: its service fails for a while and is nearly well for a while, again and again', () => {
    for (const one of incidentsOf('unsteady-upgrade')) {
      const { times, values } = gauge(one, 'load_balancer_healthy_hosts', one.truth.entity)
      const after = [...values].filter((_, index) => (times[index] ?? 0) > one.truth.began_ms)
      const turns = after.filter((value, index) => index > 0 && value > (after[index - 1] as number) + 0.8)
      expect(turns.length).toBeGreaterThan(2)
      expect(causeOf(one)?.title?.startsWith(one.truth.entity)).toBe(true)
      expect(causeOf(one)?.kind).toBe('infra')
    }
    for (const one of known('unsteady-upgrade')) {
      const of = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, of, 2, 14)).toBeGreaterThan(0.15)
      expect(failing(one, ({ caller }) => caller === one.truth.entity, 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a system: connections to the broker end again and again, messages are put aside, and callers ask more often', () => {
    for (const one of incidentsOf('system-of-hosts')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'amqp_connections_closed_per_minute', entity), one, 5)).toBeGreaterThan(20)
      expect(valueAt(gauge(one, 'queue_messages_dead_lettered_per_minute', entity), one, 8)).toBeGreaterThan(
        20,
      )
      expect(causeOf(one)?.title).toContain('Debian 12')
    }
    for (const one of known('system-of-hosts')) {
      const of = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, of, 8, 16)).toBeGreaterThan(0.25)
      expect(grew(one, of, 8, 14)).toBeGreaterThan(1.2)
    }
  }, 120_000)

  it('a set: its machines are stopped within a minute of the record and are told why they cannot start', () => {
    for (const one of incidentsOf('stopped-set')) {
      const running = gauge(one, 'machine_set_running', one.truth.entity)
      expect(valueAt(running, one, -5)).toBeGreaterThan(1)
      expect(valueAt(running, one, 2)).toBe(0)
      expect(causeOf(one)?.diff).toContain('+  disk_controller_type = "NVMe"')
      if (one.snapshot.events.length > 0)
        expect(one.snapshot.events.some(({ message }) => message.includes('disk controller types'))).toBe(
          true,
        )
    }
    for (const one of known('stopped-set'))
      expect(
        failing(one, ({ callee }) => isThePlace(one.truth, callee) && !callee.endsWith('-db'), 2, 14),
      ).toBeGreaterThan(0.95)
  }, 120_000)

  it('a field: who was released is refused by the one it asks, which serves everybody else', () => {
    for (const one of incidentsOf('filled-field')) {
      const refused = gauge(one, 'http_client_bad_requests_per_second', one.truth.entity)
      expect(valueAt(refused, one, 5)).toBeGreaterThan(4 * valueAt(refused, one, -60))
      const field = causeOf(one)?.diff?.match(/\+ {4}(\w+): chosen/)?.[1]
      if (one.snapshot.logs.length > 0)
        expect(one.snapshot.logs.some(({ message }) => message.includes(`${field} must be null`))).toBe(true)
    }
    for (const one of known('filled-field')) {
      const isCallee = ({ callee }: held.Called): boolean =>
        callee !== one.truth.entity && isThePlace(one.truth, callee)
      expect(
        failing(one, (edge) => isCallee(edge) && edge.caller === one.truth.entity, 4, 14),
      ).toBeGreaterThan(0.3)
      expect(failing(one, (edge) => isCallee(edge) && edge.caller !== one.truth.entity, 4, 14)).toBeLessThan(
        0.05,
      )
    }
  }, 120_000)

  it('pages: each build empties the cache, a multiple is passed on, and the first service says files are not there', () => {
    for (const one of incidentsOf('emptied-cache')) {
      const ofSite = (name: string) =>
        named(one, name).find(({ entity, labels }) => entity === EDGE_CACHE && labels.site === SITE) as Series
      expect(one.truth.entity).toBe(PAGES)
      expect(valueAt(ofSite('cdn_cache_hit_ratio'), one, -5)).toBeGreaterThan(0.8)
      expect(valueAt(ofSite('cdn_cache_hit_ratio'), one, 1)).toBeLessThan(0.5)
      expect(valueAt(ofSite('cdn_cache_hit_ratio'), one, 4.2)).toBeGreaterThan(0.7)
      expect(valueAt(ofSite('cdn_cache_hit_ratio'), one, 5.6)).toBeLessThan(0.4)
      expect(valueAt(ofSite('cdn_purged_objects_per_minute'), one, 5.1)).toBeGreaterThan(10_000)
      expect(causeOf(one)?.diff).toContain('purge_everything')
    }
    for (const one of known('emptied-cache')) {
      const root = one.snapshot.alerts[0]?.service
      expect(perMinute(one, ({ caller }) => caller === root, 0.5, 9)).toBeGreaterThan(
        1.4 * perMinute(one, ({ caller }) => caller === root, -20, -5),
      )
    }
  }, 120_000)
})

describe('what happens by itself in the thirteenth generation', () => {
  it('members: one is gone at once and some requests fail, the others follow minutes later and nearly all do', () => {
    for (const one of incidentsOf('remaining-members')) {
      const running = gauge(one, 'broker_members_running', BROKER)
      expect(valueAt(running, one, -5)).toBeCloseTo(MEMBERS.length, 0)
      expect(valueAt(running, one, 3)).toBeCloseTo(MEMBERS.length - 1, 0)
      expect(valueAt(running, one, 13)).toBe(0)
    }
    for (const one of known('remaining-members')) {
      const callees = partners(one, ({ callee }) => !callee.endsWith('-db'), 'callee')
      const worst = (from: number, to: number): number =>
        Math.max(...callees.map((name) => failing(one, ({ callee }) => callee === name, from, to)))
      expect(worst(1, 6)).toBeLessThan(0.6)
      expect(worst(13, 16)).toBeGreaterThan(0.8)
    }
  }, 120_000)

  it('an archive: the system disk of one store is full from then on, it refuses much and is slow', () => {
    for (const one of incidentsOf('full-archive')) {
      const used = named(one, 'volume_used_ratio').find(
        ({ entity, labels }) => entity === one.truth.entity && labels.volume === 'root',
      ) as Series
      expect(valueAt(used, one, 2)).toBeGreaterThan(0.97)
    }
    for (const one of known('full-archive')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 14)).toBeGreaterThan(0.4)
      expect(took(one, entity, 4, 14) / took(one, entity, -30, -5)).toBeGreaterThan(5)
    }
  }, 120_000)

  it('hardware: two services are gone with their machine, of which nothing is measured but that it is not ready', () => {
    for (const one of incidentsOf('failed-hardware')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'node_uptime_seconds', entity), one, 2)).toBeNaN()
      expect(valueAt(gauge(one, 'node_ready', entity), one, 2)).toBe(0)
      if (one.snapshot.events.length > 0)
        expect(one.snapshot.events.some(({ message }) => message.includes('no answer to ping'))).toBe(true)
    }
    for (const one of known('failed-hardware'))
      expect(failing(one, ({ callee }) => isThePlace(one.truth, callee), 1, 14)).toBeGreaterThan(0.95)
  }, 120_000)

  it('a zone: two of its machines come and go, the interface of the provider is slow there, and part of the calls fail', () => {
    for (const one of incidentsOf('unreachable-zone')) {
      const { snapshot, truth } = one
      expect(ZONES).toContain(truth.entity)
      expect(valueAt(gauge(one, 'zone_api_duration_p99_ms', truth.entity), one, 4)).toBeGreaterThan(2_000)
      const unready = named(one, 'node_ready').filter(
        ({ entity, values, times }) =>
          entity !== 'batch-1-7' &&
          [...values].some((value, index) => value === 0 && (times[index] ?? 0) > truth.began_ms),
      )
      expect(unready.map(({ entity }) => isThePlace(truth, entity))).toEqual([true, true])
      expect(snapshot.changes.some(({ id }) => id === truth.change)).toBe(false)
    }
    for (const one of known('unreachable-zone')) {
      const share = failing(one, () => true, 2, 14)
      expect(share).toBeGreaterThan(0.05)
      expect(share).toBeLessThan(0.7)
      expect(failing(one, ({ callee }) => callee.endsWith('-db'), 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('reconnects: threads of one service wait for a lock since its clients connected again, and nearly nothing is answered', () => {
    for (const one of incidentsOf('locked-reconnects')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'client_reconnects_per_second', entity), one, 0.5)).toBeGreaterThan(10)
      expect(valueAt(gauge(one, 'threads_blocked', entity), one, 4)).toBeGreaterThan(30)
    }
    for (const one of known('locked-reconnects')) {
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 3, 14)).toBeGreaterThan(0.85)
      expect(failing(one, ({ caller }) => caller === one.truth.entity, 3, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})
