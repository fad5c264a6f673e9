import { describe, expect, it } from 'vitest'
import * as held from '#test/bench/generation-guarantees.ts'
import type { Simulated } from '#test/simulator/simulate-incident.ts'
import { PARTNER_RULES, PARTNER_STORE } from './eighth-surroundings.ts'
import { NINTH_CHANGED } from './ninth-changed-faults.ts'
import { CHANNELS, EDGE_CACHE, INNER_BALANCERS, MACHINE_ACCOUNT, SWITCHES } from './ninth-surroundings.ts'
import { NINTH_UNCHANGED } from './ninth-unchanged-faults.ts'
import { isTheChange, isThePlace } from './truth.ts'

const { around, failing, gauge, grew, MINUTE_MS, named, partners, perMinute, took, valueAt } = held
const NINTH = held.generationOf(NINTH_CHANGED, NINTH_UNCHANGED, 13_000_000)
const { known } = NINTH

held.describeBlindGeneration(NINTH, {
  called: 'ninth',
  same_seed: 'full-log-disk',
  scored: [
    ['updated-switches', 12_000_000, 'f4e5a80f0d928e92'],
    ['restless-release', 12_000_004, '81a5f812160aa724'],
    ['passed-on', 12_000_006, 'c65f81146c8a07f5'],
    ['unclean-stop', 12_000_008, '02c39a497efe4cf7'],
  ],
  measured: [
    'cdn_cache_hit_ratio',
    'cdn_origin_requests_per_second',
    'switch_ports_up',
    'worker_messages_sent_per_second',
    'worker_requests_waiting',
    'account_instances_running',
    'node_uptime_seconds',
    'content_cache_hit_ratio',
    'channel_products_listed',
    'process_loop_lag_seconds',
    'volume_used_ratio',
    'storage_unreadable_reads_per_second',
    'form_validation_failures_per_second',
    'balancer_addresses_assigned',
    'db_table_rows',
    'db_up',
  ],
  delays: {
    'updated-switches': 0.3,
    'silent-sender': 0.6,
    'withdrawn-account': 0.1,
    'kept-halfway': 8,
    'restless-release': 4,
    'unrelated-pair': 4,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 4 },
  shapes: {
    'an update of switches': ({ title }) => /: software update of the switches, \d of 2$/.test(title ?? ''),
    'an update of packages': ({ title }) =>
      title?.endsWith('packages of the operating system updated') === true,
    'an account': ({ title }) => title?.endsWith('roles of the service account changed') === true,
    'content that is kept': ({ diff }) => diff?.includes('return kept.take(id') === true,
    groundwork: ({ title }) => /^Groundwork for|first step$/.test(title ?? ''),
    'a field': ({ files }) => files?.some((file) => file.endsWith('/src/form.tsx')) === true,
    'a table that is exchanged': ({ title }) =>
      title?.endsWith('gets a column, its copy takes its place') === true,
  },
  beside: {
    asked: PARTNER_RULES,
    but: 'unrelated-pair',
  },
  said: /(9[7-9]|100) of 100 requests passed|origin answered|no space left on device, write \(\w+\.log|is empty|0 addresses/,
})

/** The parts whose calls fail in some minutes, while what they call answers. */
const failingByThemselves = (one: Simulated, from_min: number, to_min: number): readonly string[] =>
  partners(one, () => true, 'callee').filter(
    (name) =>
      failing(one, ({ callee }) => callee === name, from_min, to_min) > 0.25 &&
      failing(one, ({ caller }) => caller === name, from_min, to_min) < 0.05,
  )

describe('the changes of the ninth generation', () => {
  it('switches: nothing gets into the site, out of it or through it from seconds after the record on', () => {
    for (const one of known('updated-switches')) {
      for (const entity of SWITCHES.far) {
        const ports = gauge(one, 'switch_ports_up', entity)
        expect([-5, 2].map((at) => Math.round(valueAt(ports, one, at) / 44))).toEqual([1, 0])
      }
      const pairs = [...new Set(around(one, -30, -1).map(({ caller, callee }) => `${caller} ${callee}`))]
      const lost = pairs.filter(
        (pair) => failing(one, ({ caller, callee }) => `${caller} ${callee}` === pair, 4, 14) > 0.85,
      )
      expect(lost.length).toBeGreaterThan(2)
      expect(lost.length).toBeLessThan(pairs.length)
    }
  }, 120_000)

  it('a sender: it sends nothing from its update on, has nothing to do, and what it calls is asked no more', () => {
    for (const one of known('silent-sender')) {
      const [service = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === service, 4, 14)).toBeGreaterThan(0.8)
      expect(perMinute(one, ({ caller }) => caller === service, 4, 14)).toBeLessThan(
        0.05 * perMinute(one, ({ caller }) => caller === service, -20, -5),
      )
      const workers = named(one, 'worker_messages_sent_per_second').filter(({ entity }) => entity === service)
      for (const worker of workers) expect(valueAt(worker, one, 5)).toBeLessThan(0.1)
      expect(
        one.snapshot.logs.filter(
          ({ service: by, timestamp, severity, message }) =>
            by.includes(service) &&
            timestamp > one.truth.began_ms + MINUTE_MS &&
            severity === 'ERROR' &&
            /send|sent/.test(message),
        ),
      ).toEqual([])
    }
  }, 120_000)

  it('an account: its machines are gone within half a minute of its record, databases among them', () => {
    for (const one of known('withdrawn-account')) {
      const running = gauge(one, 'account_instances_running', MACHINE_ACCOUNT)
      expect(valueAt(running, one, -5)).toBeGreaterThan(12)
      expect(valueAt(running, one, 2)).toBe(0)
      const record = one.snapshot.changes.find(({ id }) => id === one.truth.change)
      expect(one.truth.began_ms - (record?.recorded_at ?? 0)).toBeLessThan(0.6 * MINUTE_MS)
      const stores = named(one, 'db_up').filter(({ entity }) => isThePlace(one.truth, entity))
      expect(stores.length).toBeGreaterThan(0)
      for (const store of stores) expect(valueAt(store, one, 2)).toBe(0)
      const up = named(one, 'node_uptime_seconds').filter(({ entity }) => isThePlace(one.truth, entity))
      expect(up.length).toBeGreaterThan(0)
      for (const { times } of up) expect(times.at(-1)).toBeLessThan(one.truth.began_ms + MINUTE_MS)
    }
  }, 120_000)

  it('content that is kept: who keeps it asks its store less at once, and fails some minutes later, channel by channel', () => {
    for (const one of known('kept-halfway')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -4, -1)).toBeLessThan(0.03)
      expect(failing(one, ({ callee }) => callee === entity, 9, 16)).toBeGreaterThan(0.15)
      expect(grew(one, ({ caller }) => caller === entity, 4, 14)).toBeLessThan(0.6)
      const listed = CHANNELS.map((channel) =>
        named(one, 'channel_products_listed').find(
          (each) => each.entity === entity && each.labels.channel === String(channel),
        ),
      )
      for (const channel of listed) {
        expect(valueAt(channel as never, one, -3)).toBeGreaterThan(30)
        expect(valueAt(channel as never, one, 14)).toBeLessThan(8)
      }
    }
  }, 120_000)

  it('a release that never rests: its own service is slow and fails from its deploy on, all processor time is used', () => {
    for (const one of known('restless-release')) {
      const { snapshot, truth } = one
      expect(failingByThemselves(one, 5, 14)).toEqual([truth.entity])
      expect(took(one, truth.entity, 4, 14) / took(one, truth.entity, -30, -5)).toBeGreaterThan(5)
      const [deploy] = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(Math.abs((deploy?.recorded_at ?? 0) - truth.began_ms)).toBeLessThan(0.5 * MINUTE_MS)
      expect(snapshot.changes.find(({ id }) => id === truth.change)?.diff).toContain('setImmediate(again)')
    }
  }, 120_000)

  it('the pair: the service of the alert fails by its release, the partners by a table that was exchanged', () => {
    for (const one of known('unrelated-pair')) {
      const { snapshot, truth } = one
      expect(failing(one, ({ callee }) => callee === truth.entity, 5, 16)).toBeGreaterThan(0.25)
      const other = snapshot.changes.find(({ title }) => title?.startsWith(`${PARTNER_STORE}: accounts`))
      expect(other).toBeDefined()
      expect(isTheChange(truth, other?.id ?? null)).toBe(false)
      const rows = named(one, 'db_table_rows').find(({ entity }) => entity === PARTNER_STORE)
      expect(valueAt(rows as never, one, -12)).toBeGreaterThan(40_000)
      expect(valueAt(rows as never, one, 9)).toBeLessThan(10)
    }
  }, 120_000)
})

describe('what happens by itself in the ninth generation', () => {
  it('a cache that keeps nothing: what comes in is a multiple of what came, and nobody inside brings it about', () => {
    for (const one of known('passed-on')) {
      const hits = named(one, 'cdn_cache_hit_ratio').find(({ labels }) => labels.site === 'www')
      expect(hits?.entity).toBe(EDGE_CACHE)
      expect([-5, 3].map((at) => Math.round(valueAt(hits as never, one, at)))).toEqual([1, 0])
      const [root = ''] = partners(one, ({ caller }) => isThePlace(one.truth, caller), 'caller')
      expect(grew(one, ({ caller }) => caller === root, 3, 12)).toBeGreaterThan(5)
      expect(failing(one, ({ caller }) => caller === root, 3, 12)).toBeLessThan(0.1)
    }
  }, 120_000)

  it('a full disk: a service fails until its file is cut short, is well for minutes, and fails again', () => {
    for (const one of known('full-log-disk')) {
      const { entity } = one.truth
      const used = named(one, 'volume_used_ratio').find((each) => each.entity === entity) as never
      const asked = ({ callee }: held.Called): boolean => callee === entity
      expect(valueAt(used, one, 3)).toBeGreaterThan(0.97)
      expect(failing(one, asked, 2, 6)).toBeGreaterThan(0.5)
      expect(failing(one, asked, 11.2, 11.9)).toBeLessThan(0.2)
      expect(failing(one, asked, 16.5, 18)).toBeGreaterThan(0.5)
      expect(failing(one, ({ caller }) => caller === entity, 2, 16)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a machine that ends: its store is away for minutes, then there and quick, and part of what is read fails', () => {
    for (const one of known('unclean-stop')) {
      const { entity } = one.truth
      const [store = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      const asked = ({ callee }: held.Called): boolean => callee === store
      expect(failing(one, asked, 1, 4)).toBeGreaterThan(0.9)
      const later = failing(one, asked, 9, 16)
      expect(later).toBeGreaterThan(0.08)
      expect(later).toBeLessThan(0.3)
      expect(took(one, store, 9, 14) / took(one, store, -30, -5)).toBeLessThan(1.5)
      const running = gauge(one, 'node_uptime_seconds', entity)
      expect(valueAt(running, one, -5)).toBeGreaterThan(1_000_000)
      expect(valueAt(running, one, 10)).toBeLessThan(1_000)
    }
  }, 120_000)

  it('a balancer without addresses: two services are not reached by anybody, do little and are well', () => {
    for (const one of known('addressless-balancer')) {
      const [balancer] = INNER_BALANCERS.filter((name) => name === one.truth.entity)
      const addresses = gauge(one, 'balancer_addresses_assigned', balancer as string)
      expect([-5, 3].map((at) => Math.round(valueAt(addresses, one, at)))).toEqual([2, 0])
      const lost = partners(one, () => true, 'callee').filter(
        (name) => failing(one, ({ callee }) => callee === name, 3, 14) > 0.85,
      )
      expect(lost).toHaveLength(2)
      expect(lost.some((name) => isThePlace(one.truth, name))).toBe(false)
    }
  }, 120_000)
})
