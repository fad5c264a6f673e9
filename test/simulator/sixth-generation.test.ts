import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { SIXTH_CHANGED } from './sixth-changed-faults.ts'
import { PAGES } from './sixth-surroundings.ts'
import { SIXTH_UNCHANGED } from './sixth-unchanged-faults.ts'
import { isTheChange, isThePlace } from './truth.ts'

const { failing, gauge, grew, MINUTE_MS, named, partners, took, valueAt } = held
const SIXTH = held.generationOf(SIXTH_CHANGED, SIXTH_UNCHANGED, 7_000_000)
const { incidentsOf, known } = SIXTH

held.describeBlindGeneration(SIXTH, {
  called: 'sixth',
  same_seed: 'reclaimed-machines',
  scored: [
    ['looping-page', 6_000_000, '43125caae5503564'],
    ['strict-probe', 6_000_004, '08bcdded5e4f5759'],
    ['reclaimed-machines', 6_000_007, '511220b003866acd'],
    ['delivered-at-once', 6_000_011, '28151a6dcdc646a0'],
  ],
  measured: [
    'db_oldest_transaction_age_seconds',
    'db_sessions_waiting_for_lock',
    'db_connections_open',
    'db_connections_active',
    'db_pool_connections_open',
    'db_rows_read_per_second',
    'feature_flag_defaults_per_second',
    'tls_handshake_errors_per_second',
    'prober_probe_failures_per_second',
    'http_client_responses_4xx_per_second',
    'http_server_requests_by_route_per_second',
    'workload_pods_pending',
    'node_pool_nodes_ready',
  ],
  delays: {
    'looping-page': 5,
    'larger-pool': 3.5,
    'archived-flag': 0.4,
    'newer-image': 5,
    'strict-probe': 4,
  },
  blind: { incidents: 30, farthest: 4, latest_deploy: 1, latest_change: 6 },
  shapes: {
    'a page': ({ files }) => files?.some((file) => file.startsWith(`${PAGES}/`)) === true,
    'a pool': ({ files }) => files?.some((file) => file.endsWith('/database.yaml')) === true,
    'a feature': ({ after }) => after === 'archived',
    'an image': ({ files }) => files?.some((file) => file.endsWith('/Dockerfile')) === true,
    'a probe': ({ files }) => files?.some((file) => file.endsWith('/probes.yaml')) === true,
  },
})

describe('the changes of the sixth generation', () => {
  it('a page: one service gets a multiple of what it had, whoever else is called there gets what they had', () => {
    for (const one of known('looping-page')) {
      const { snapshot, truth } = one
      const root = snapshot.alerts[0]?.service as string
      expect(isThePlace(truth, root)).toBe(true)
      const growths = partners(one, ({ caller }) => caller === root, 'callee').map((callee) =>
        grew(one, (edge) => edge.caller === root && edge.callee === callee, 8, 16),
      )
      const [most = 0, ...others] = growths.toSorted((a, b) => b - a)
      expect(most).toBeGreaterThan(2)
      for (const other of others) expect(other).toBeLessThan(1.35)
      expect(snapshot.series.some(({ entity }) => entity === PAGES)).toBe(false)
      const ships = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(ships.map(({ entity }) => entity)).toEqual([PAGES])
    }
  }, 120_000)

  it('a larger pool: who has it is served, who shares the store waits and fails, and the store is as quick as before', () => {
    for (const one of known('larger-pool')) {
      const { entity } = one.truth
      const stores = partners(one, ({ caller }) => caller === entity, 'callee').filter((callee) =>
        isThePlace(one.truth, callee),
      )
      expect(stores).toHaveLength(1)
      const asks = ({ callee }: held.Called) => callee === stores[0]
      expect(failing(one, (edge) => asks(edge) && edge.caller === entity, 6, 15)).toBeLessThan(0.02)
      expect(failing(one, (edge) => asks(edge) && edge.caller !== entity, 9, 17)).toBeGreaterThan(0.2)
      expect(took(one, stores[0] as string, 6, 15) / took(one, stores[0] as string, -30, -10)).toBeLessThan(
        1.3,
      )
      const open = gauge(one, 'db_pool_connections_open', entity)
      expect(valueAt(open, one, 6) / valueAt(open, one, -20)).toBeGreaterThan(2)
    }
  }, 120_000)

  it('a feature that is archived: what one service asks of one callee gets there and is refused, others are served', () => {
    for (const one of known('archived-flag')) {
      const { entity } = one.truth
      const shares = partners(one, ({ caller }) => caller === entity, 'callee').map((callee) => {
        const mine = (edge: held.Called) => edge.caller === entity && edge.callee === callee
        const theirs = (edge: held.Called) => edge.caller !== entity && edge.callee === callee
        return { mine: failing(one, mine, 6, 16), theirs: failing(one, theirs, 6, 16) }
      })
      const refused = shares.filter(({ mine }) => mine > 0.25)
      expect(refused).toHaveLength(1)
      expect(refused[0]?.theirs).toBeLessThan(0.05)
    }
  }, 120_000)

  it('an image: several services get it, the one that calls an old peer is refused there, whoever else calls it is not', () => {
    for (const one of known('newer-image')) {
      const { snapshot, truth } = one
      const mine = partners(one, ({ caller }) => caller === truth.entity, 'callee').filter(
        (callee) =>
          failing(one, (edge) => edge.caller === truth.entity && edge.callee === callee, 6, 16) > 0.8,
      )
      expect(mine).toHaveLength(1)
      const theirs = (edge: held.Called) => edge.caller !== truth.entity && edge.callee === mine[0]
      expect(failing(one, theirs, 0, 16)).toBeLessThan(0.05)
      const ships = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(ships.length).toBeGreaterThan(1)
    }
  }, 120_000)

  it('a probe: pods of the service that it was set for are ended again and again, and each record is of a pod', () => {
    const restarts = incidentsOf('strict-probe').flatMap(({ snapshot, truth }) =>
      snapshot.series
        .filter(({ name, entity }) => name === 'container_restarts_total' && entity === truth.entity)
        .flatMap(({ values }) => [...values]),
    )
    expect(Math.max(...restarts)).toBeGreaterThan(1)
    for (const { snapshot, truth, undecided } of incidentsOf('strict-probe')) {
      const ended = snapshot.k8s.filter(({ message }) => /failed liveness probe/.test(message ?? ''))
      expect(snapshot.k8s.length === 0 || ended.length > 1).toBe(true)
      for (const { name, timestamp } of ended) {
        expect(isThePlace(truth, (name ?? '').replace(/-\d+$/, ''))).toBe(true)
        expect(timestamp).toBeGreaterThan(truth.began_ms - 1_000)
      }
      expect(undecided.k8s.some(({ message }) => /failed liveness probe/.test(message ?? ''))).toBe(false)
    }
  }, 120_000)
})

describe('what happens by itself in the sixth generation', () => {
  it('an open transaction: the store takes many times as long while it grows older, asked as often as before', () => {
    for (const one of known('stuck-transaction')) {
      const { entity } = one.truth
      expect(took(one, entity, 4, 14) / took(one, entity, -30, -10)).toBeGreaterThan(4)
      const age = gauge(one, 'db_oldest_transaction_age_seconds', entity)
      expect(valueAt(age, one, 10) - valueAt(age, one, 5)).toBeGreaterThan(250)
      expect(grew(one, ({ callee }) => callee === entity, 0, 1)).toBeLessThan(1.5)
      if (one.snapshot.logs.length > 0)
        expect(one.snapshot.logs.some(({ message }) => /idle in transaction/.test(message))).toBe(true)
    }
  }, 120_000)

  it('another plan: the store reads a multiple of the rows for each question, from when it counted them', () => {
    for (const one of known('flipped-plan')) {
      const { snapshot, truth } = one
      expect(took(one, truth.entity, 4, 14) / took(one, truth.entity, -30, -10)).toBeGreaterThan(2.5)
      const rows = gauge(one, 'db_rows_read_per_second', truth.entity)
      // Who is not answered in time asks again; that is a small part of it.
      const asked = grew(one, ({ callee }) => callee === truth.entity, 1, 6)
      expect(valueAt(rows, one, 3) / valueAt(rows, one, -5) / asked).toBeGreaterThan(20)
      const counted = snapshot.logs.filter(({ message }) => /automatic analyze .* elapsed/.test(message))
      expect(counted.length).toBeLessThanOrEqual(1)
      for (const { timestamp } of counted)
        expect(Math.abs(timestamp - truth.began_ms)).toBeLessThan(0.3 * MINUTE_MS)
    }
  }, 120_000)

  it('machines that are taken back: their pods are measured no longer, and those that are left are asked more', () => {
    for (const one of incidentsOf('reclaimed-machines')) {
      const { snapshot, truth, undecided } = one
      const nodes = snapshot.series.filter(
        ({ name, entity }) => name === 'node_conntrack_used_ratio' && isThePlace(truth, entity),
      )
      expect(nodes.length).toBeGreaterThan(0)
      for (const { times } of nodes) expect(times.at(-1)).toBeLessThan(truth.began_ms)
      expect(
        undecided.series.some(({ name, entity }) =>
          nodes.some((node) => node.name === name && node.entity === entity),
        ),
      ).toBe(false)
      const lost = new Set(nodes.map(({ entity }) => entity))
      const byPod = snapshot.series.filter(({ labels }) => lost.has(labels.node ?? ''))
      for (const { times } of byPod) expect(times.at(-1) ?? 0).toBeLessThan(truth.began_ms + 0.2 * MINUTE_MS)
      for (const { timestamp, node } of snapshot.logs)
        if (lost.has(node ?? '')) expect(timestamp).toBeLessThan(truth.began_ms + 0.2 * MINUTE_MS)
      expect(valueAt(gauge(one, 'node_pool_nodes_ready', truth.entity), one, 1)).toBeLessThan(
        valueAt(gauge(one, 'node_pool_nodes_ready', truth.entity), one, -5),
      )
    }
  }, 120_000)

  it('deliveries at once: a service gets a multiple, while those who call it ask what they asked', () => {
    let measured = 0
    for (const one of known('delivered-at-once')) {
      const { entity } = one.truth
      // In the first minute: then who is not answered in time asks again.
      expect(grew(one, ({ callee }) => callee === entity, 0, 1)).toBeLessThan(1.5)
      const routes = named(one, 'http_server_requests_by_route_per_second').filter(
        (series) => series.entity === entity,
      )
      expect(routes).toHaveLength(1)
      expect(valueAt(routes[0] as Series, one, 5)).toBeGreaterThan(10)
      for (const series of named(one, 'http_server_requests_per_second'))
        if (series.entity === entity && Object.keys(series.labels).length === 0) {
          measured += 1
          expect(valueAt(series, one, 5) / valueAt(series, one, -5)).toBeGreaterThan(1.8)
        }
    }
    expect(measured).toBeGreaterThan(0)
  }, 120_000)

  it('a version that has ended: one caller of the provider is told so, whoever else asks it is served', () => {
    for (const one of known('retired-version')) {
      const { entity } = one.truth
      const asks = ({ callee }: held.Called) => callee === entity
      const told = partners(one, asks, 'caller').filter(
        (caller) => failing(one, (edge) => asks(edge) && edge.caller === caller, 7, 16) > 0.7,
      )
      expect(told).toHaveLength(1)
      expect(isThePlace(one.truth, told[0] ?? null)).toBe(true)
      expect(failing(one, (edge) => asks(edge) && edge.caller !== told[0], 0, 16)).toBeLessThan(0.02)
      expect(took(one, entity, 2, 14) / took(one, entity, -30, -10)).toBeLessThan(1.3)
    }
  }, 120_000)
})
