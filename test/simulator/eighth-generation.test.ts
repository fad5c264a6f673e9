import { describe, expect, it } from 'vitest'
import * as held from '#test/bench/generation-guarantees.ts'
import { EIGHTH_CHANGED } from './eighth-changed-faults.ts'
import { PARTNER_RULES, ROUTERS, SPARE_TUNNEL, SUPPORT } from './eighth-surroundings.ts'
import { EIGHTH_UNCHANGED } from './eighth-unchanged-faults.ts'
import { isTheChange, isThePlace } from './truth.ts'

const { around, failing, gauge, grew, MINUTE_MS, named, partners, took, valueAt } = held
const EIGHTH = held.generationOf(EIGHTH_CHANGED, EIGHTH_UNCHANGED, 11_000_000)
const { known } = EIGHTH

held.describeBlindGeneration(EIGHTH, {
  called: 'eighth',
  same_seed: 'hung-handshakes',
  scored: [
    ['bulk-file-operation', 10_000_000, 'e09cd20252d7c221'],
    ['unhealthy-release', 10_000_003, 'eef1f1e7f700e85f'],
    ['two-at-once', 10_000_005, 'e3e21430a76369f8'],
    ['held-while-asking', 10_000_008, '375fa653870bbc95'],
  ],
  measured: [
    'node_memory_available_ratio',
    'node_load_average',
    'path_table_age_seconds',
    'router_packets_dropped_per_second',
    'vpn_tunnel_up',
    'vpn_tunnel_bytes_per_second',
    'queue_messages_ready',
    'queue_oldest_message_age_seconds',
    'volume_used_ratio',
    'http_server_requests_by_route_per_second',
    'http_client_requests_in_flight',
    'tls_handshakes_in_progress',
    'tls_handshake_errors_per_second',
    'db_rows_read_per_second',
    'db_connections_active',
    'db_connections_open',
    'db_pool_connections_open',
    'db_sessions_idle_in_transaction',
    'db_statement_errors_per_second',
  ],
  delays: {
    'bulk-file-operation': 0.9,
    'removed-extension': 4,
    'same-path-twice': 33,
    'unhealthy-release': 4,
    'router-settings': 0.4,
    'two-at-once': 13,
  },
  blind: { incidents: 30, farthest: 3, latest_deploy: 0, latest_change: 5 },
  shapes: {
    'a tool over files': ({ title }) => title?.endsWith('renamed in bulk with the archive tool') === true,
    'an extension': ({ files }) => files?.includes('build/extensions.yaml') === true,
    'what is made in a store': ({ title }) =>
      title?.endsWith('created in the database for the customer') === true,
    'another source': ({ diff }) => diff?.includes('await registry.load(of.region)') === true,
    'a router': ({ title }) => title?.endsWith('flows over all links') === true,
    'a migration': ({ files }) => files?.some((file) => file.endsWith('.sql')) === true,
    "the partners' rules": ({ files }) => files?.some((file) => file.startsWith(PARTNER_RULES)) === true,
  },
  beside: { asked: PARTNER_RULES, but: 'two-at-once' },
  said: /stopping at the first file|not looked through|community_members|attempt 4|slots are reserved|accepting no more/,
})

describe('the changes of the eighth generation', () => {
  it('a tool over files: the memory of one machine is gone from its record on, whoever runs there is slow', () => {
    for (const one of known('bulk-file-operation')) {
      const { entity } = one.truth
      const free = gauge(one, 'node_memory_available_ratio', entity)
      expect(valueAt(free, one, -10)).toBeGreaterThan(0.3)
      expect(valueAt(free, one, 5)).toBeLessThan(0.05)
      const [service] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(took(one, service as string, 4, 14) / took(one, service as string, -30, -5)).toBeGreaterThan(5)
      expect(failing(one, ({ caller }) => caller === service, 4, 14)).toBeLessThan(0.05)
      expect(
        one.snapshot.entities.length === 0 || one.snapshot.entities.some(({ name }) => name === entity),
      ).toBe(true)
    }
  }, 120_000)

  it('an extension that is taken out: several services are built without it, one of them fails', () => {
    for (const one of known('removed-extension')) {
      const { snapshot, truth } = one
      expect(failing(one, ({ callee }) => callee === truth.entity, 5, 16)).toBeGreaterThan(0.7)
      expect(failing(one, ({ caller }) => caller === truth.entity, 5, 16)).toBeLessThan(0.05)
      const ships = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(ships.length).toBeGreaterThan(1)
      expect(snapshot.changes.find(({ id }) => id === truth.change)?.diff).toContain(`-  - name: ${SUPPORT}`)
    }
  }, 120_000)

  it('pages that are made twice: half an hour and more after the record one service fails, its store is as it was', () => {
    for (const one of known('same-path-twice')) {
      const { snapshot, truth } = one
      const [service = ''] = (truth.also?.entities ?? []).filter(
        (name) => partners(one, () => true, 'callee').includes(name) && name !== truth.entity,
      )
      expect(failing(one, ({ callee }) => callee === service, 2, 16)).toBeGreaterThan(0.75)
      expect(failing(one, ({ callee }) => callee === truth.entity, 2, 16)).toBeLessThan(0.02)
      expect(valueAt(gauge(one, 'path_table_age_seconds', service), one, 10)).toBeGreaterThan(1_400)
      expect(valueAt(gauge(one, 'path_table_age_seconds', service), one, -5)).toBeLessThan(910)
      const { title = '' } = snapshot.changes.find(({ id }) => id === truth.change) ?? {}
      const site = /site (\d+)/.exec(title)?.[1]
      if (snapshot.logs.length > 0)
        expect(snapshot.logs.some(({ message }) => message.includes(`ended at site ${site}`))).toBe(true)
    }
  }, 120_000)

  it('a release that fails: its own service fails within minutes of its deploy, what it calls is well', () => {
    for (const one of known('unhealthy-release')) {
      const { snapshot, truth } = one
      expect(failing(one, ({ callee }) => callee === truth.entity, -15, -1)).toBeLessThan(0.05)
      expect(failing(one, ({ callee }) => callee === truth.entity, 5, 16)).toBeGreaterThan(0.5)
      expect(failing(one, ({ caller }) => caller === truth.entity, 5, 16)).toBeLessThan(0.05)
      const [deploy] = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(Math.abs((deploy?.recorded_at ?? 0) - truth.began_ms)).toBeLessThan(0.5 * MINUTE_MS)
    }
  }, 120_000)

  it('routers: calls between the sites are lost from the first record on, more from the second, six minutes later', () => {
    for (const one of known('router-settings')) {
      const [first, second] = ROUTERS.map((router) => gauge(one, 'router_packets_dropped_per_second', router))
      expect([1, 8].map((at) => valueAt(first as never, one, at) > 100)).toEqual([true, true])
      expect([1, 8].map((at) => valueAt(second as never, one, at) > 100)).toEqual([false, true])
      const pairs = [...new Set(around(one, -30, -1).map(({ caller, callee }) => `${caller} ${callee}`))]
      const shares = pairs.map((pair) => {
        const is = (edge: held.Called): boolean => `${edge.caller} ${edge.callee}` === pair
        return { early: failing(one, is, 1, 5), late: failing(one, is, 8, 16) }
      })
      expect(shares.filter(({ early }) => early > 0.25).length).toBeGreaterThan(0)
      expect(shares.filter(({ early, late }) => early < 0.25 && late > 0.7).length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('two at once: the service of the alert and the rules of the partners fail by releases minutes apart', () => {
    for (const one of known('two-at-once')) {
      const { snapshot, truth } = one
      expect(failing(one, ({ callee }) => callee === truth.entity, 3, 16)).toBeGreaterThan(0.6)
      const other = snapshot.changes.find(({ title }) => /^Sector /.test(title ?? ''))
      expect(isTheChange(truth, other?.id ?? null)).toBe(false)
      const deploy = snapshot.changes.find(({ carries }) => carries?.includes(other?.id ?? ''))
      const apart = Math.abs((deploy?.recorded_at ?? 0) - truth.began_ms) / MINUTE_MS
      expect(apart).toBeGreaterThan(1)
      expect(apart).toBeLessThan(9)
      expect(snapshot.changes.filter(({ id }) => isTheChange(truth, id))).toHaveLength(2)
    }
  }, 120_000)
})

describe('what happens by itself in the eighth generation', () => {
  it('a tunnel that is down: nothing goes through it, what is uploaded gathers, one service fails in part', () => {
    for (const one of known('downed-tunnel')) {
      expect(
        [-5, 3].map((at) => Math.round(valueAt(gauge(one, 'vpn_tunnel_up', SPARE_TUNNEL), one, at))),
      ).toEqual([1, 0])
      const queue = gauge(one, 'queue_messages_ready', 'attachments')
      expect(valueAt(queue, one, 12)).toBeGreaterThan(800)
      const shares = partners(one, () => true, 'callee').map((callee) => ({
        callee,
        own: failing(one, (edge) => edge.callee === callee, 6, 16),
        below: failing(one, (edge) => edge.caller === callee, 6, 16),
      }))
      const where = shares.filter(({ own, below }) => own > 0.15 && below < 0.05)
      expect(where.map(({ callee }) => isThePlace(one.truth, callee))).toEqual([true])
    }
  }, 120_000)

  it('a large community: the store takes many times as long for everybody, and is asked more by who tries again alone', () => {
    for (const one of known('large-community')) {
      const { entity } = one.truth
      expect(took(one, entity, 4, 14) / took(one, entity, -30, -5)).toBeGreaterThan(20)
      expect(grew(one, ({ callee }) => callee === entity, 4, 14)).toBeLessThan(2.2)
      const rows = gauge(one, 'db_rows_read_per_second', entity)
      expect(valueAt(rows, one, 6) / valueAt(rows, one, -20)).toBeGreaterThan(30)
    }
  }, 120_000)

  it('a directory that does not answer: sessions of one service are held and idle, all who ask the store are refused', () => {
    for (const one of known('held-while-asking')) {
      const { entity } = one.truth
      const idle = named(one, 'db_sessions_idle_in_transaction').filter((each) => valueAt(each, one, 8) > 40)
      expect(idle.map(({ labels }) => labels.client)).toEqual([entity])
      const store = idle[0]?.entity as string
      const callers = partners(one, ({ callee }) => callee === store, 'caller')
      expect(callers.length).toBeGreaterThan(1)
      for (const caller of callers)
        expect(
          failing(one, (edge) => edge.caller === caller && edge.callee === store, 7, 16),
        ).toBeGreaterThan(0.25)
      expect(took(one, store, 7, 14) / took(one, store, -30, -5)).toBeLessThan(1.3)
    }
  }, 120_000)

  it('handshakes that hang: a service answers nobody, is well for minutes after it began anew, and hangs again', () => {
    for (const one of known('hung-handshakes')) {
      const { entity } = one.truth
      const asked = ({ callee }: held.Called): boolean => callee === entity
      expect(failing(one, asked, 3, 6)).toBeGreaterThan(0.6)
      const [restart] = one.snapshot.k8s.filter(
        ({ reason, name, timestamp }) =>
          reason === 'Killing' && name === `${entity}-0` && timestamp > one.truth.began_ms,
      )
      if (restart !== undefined) {
        const after = (restart.timestamp - one.truth.began_ms) / MINUTE_MS
        expect(failing(one, asked, after + 1, after + 3.5)).toBeLessThan(0.2)
        expect(failing(one, asked, after + 6.5, after + 9)).toBeGreaterThan(0.5)
      }
    }
  }, 120_000)
})
