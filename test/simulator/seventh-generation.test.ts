import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import * as held from '#test/bench/generation-guarantees.ts'
import { chance } from './random.ts'
import { runSystem } from './run-system.ts'
import { SEVENTH_CHANGED } from './seventh-changed-faults.ts'
import { BALANCER, NAME_SERVERS, STORE_FIREWALL } from './seventh-surroundings.ts'
import { SEVENTH_UNCHANGED } from './seventh-unchanged-faults.ts'
import type { Part } from './topology.ts'
import { isTheChange, isThePlace } from './truth.ts'

const { failing, gauge, grew, MINUTE_MS, named, partners, took, valueAt } = held
const SEVENTH = held.generationOf(SEVENTH_CHANGED, SEVENTH_UNCHANGED, 9_000_000)
const { known } = SEVENTH

held.describeBlindGeneration(SEVENTH, {
  called: 'seventh',
  same_seed: 'kept-list',
  scored: [
    ['replaced-firewall', 8_000_000, 'd53fb0f031e1d75d'],
    ['unpinned-rebuild', 8_000_004, 'ed0a7886b906d1dc'],
    ['kept-list', 8_000_007, '5b635cabe1476082'],
    ['silent-worker', 8_000_008, '5ac0cf189f3b51d7'],
  ],
  measured: [
    'firewall_sessions',
    'tcp_retransmits_per_second',
    'db_partitions_offline',
    'dns_responses_servfail_per_second',
    'db_sessions_waiting_for_sync',
    'replication_lag_seconds',
    'db_sessions_waiting_for_lock',
    'db_oldest_transaction_age_seconds',
    'db_statement_errors_per_second',
    'db_rows_read_per_second',
    'db_up',
    'balancer_list_age_seconds',
    'balancer_servers_up',
    'worker_messages_sent_per_second',
    'worker_requests_waiting',
    'queue_messages_ready',
  ],
  delays: {
    'replaced-firewall': 0,
    'half-moved-data': 3.5,
    'hand-deployed-zone': 50,
    'unacknowledged-write': 13,
    'unpinned-rebuild': 4,
    'locked-table': 6,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 6 },
  shapes: {
    'a device': ({ title }) => title?.endsWith('replaced by its spare, hardware warnings') === true,
    'data that are moved': ({ title }) => /: move \w+ to .* step \d of 2$/.test(title ?? ''),
    'a server that is seen to by hand': ({ title }) => title?.endsWith('applied by hand') === true,
    'an index': ({ title }) => /: index \w+ (?:built|dropped)$/.test(title ?? ''),
    'how images are built': ({ files }) => files?.includes('build/service.Dockerfile') === true,
    'a migration': ({ files }) => files?.some((file) => file.endsWith('.sql')) === true,
  },
  said: /ETIMEDOUT .*, no answer|no slot for|200 requests wait|invalid page/,
})

describe('the changes of the seventh generation', () => {
  it('a device before a store: all who ask it fail from one minute on, the store has little to do and is as quick', () => {
    for (const one of known('replaced-firewall')) {
      const [store] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === store, 2, 15)).toBeGreaterThan(0.75)
      expect(failing(one, ({ callee }) => callee === store, -20, -1)).toBeLessThan(0.02)
      expect(took(one, store as string, 2, 15) / took(one, store as string, -30, -5)).toBeLessThan(1.2)
      const sessions = gauge(one, 'firewall_sessions', STORE_FIREWALL)
      expect(valueAt(sessions, one, 1) / valueAt(sessions, one, -10)).toBeLessThan(0.2)
    }
  }, 120_000)

  it('data that are half moved: everybody is refused for a moment, one service part of the time from then on', () => {
    for (const one of known('half-moved-data')) {
      const { entity } = one.truth
      const callers = partners(one, ({ callee }) => callee === entity, 'caller')
      const shares = callers.map((caller) => {
        const mine = (edge: held.Called) => edge.caller === caller && edge.callee === entity
        return { at_first: failing(one, mine, 0, 1), later: failing(one, mine, 4, 16) }
      })
      expect(shares.every(({ at_first }) => at_first > 0.1)).toBe(true)
      const lasting = shares.filter(({ later }) => later > 0.1)
      expect(lasting).toHaveLength(1)
      expect(lasting[0]?.later).toBeLessThan(0.4)
    }
  }, 120_000)

  it('nameservers seen to by hand: calls from everybody to everybody get lost more and more, for as long as is remembered', () => {
    for (const one of known('hand-deployed-zone')) {
      expect(failing(one, () => true, -20, 0)).toBeLessThan(0.02)
      expect(failing(one, () => true, 3, 8)).toBeGreaterThan(failing(one, () => true, 0, 2))
      expect(failing(one, () => true, 11, 16)).toBeGreaterThan(0.45)
      for (const server of NAME_SERVERS)
        expect(valueAt(gauge(one, 'dns_responses_servfail_per_second', server), one, 12)).toBeGreaterThan(30)
      const records = one.snapshot.changes.filter(({ id }) => isTheChange(one.truth, id))
      expect(records).toHaveLength(NAME_SERVERS.length)
      const first = records[0]?.recorded_at ?? 0
      expect((records.at(-1)?.recorded_at ?? 0) - first).toBeGreaterThan(35 * MINUTE_MS)
    }
  }, 120_000)

  it('an index that is dropped: its standby falls behind at once, who writes waits, minutes later nearly all do', () => {
    for (const one of known('unacknowledged-write')) {
      const { entity } = one.truth
      const asked = ({ callee }: held.Called) => callee === entity
      expect(failing(one, asked, 0.5, 2)).toBeGreaterThan(0.1)
      expect(failing(one, asked, 8, 16)).toBeGreaterThan(0.75)
      const behind = gauge(one, 'replication_lag_seconds', `${entity}-standby`)
      expect(valueAt(behind, one, -2)).toBeLessThan(15)
      expect(valueAt(behind, one, 5)).toBeGreaterThan(250)
    }
  }, 120_000)

  it('images that are built anew: several services get them, one fails by itself and what it calls is well', () => {
    for (const one of known('unpinned-rebuild')) {
      const { snapshot, truth } = one
      expect(failing(one, ({ callee }) => callee === truth.entity, 6, 16)).toBeGreaterThan(0.7)
      expect(failing(one, ({ caller }) => caller === truth.entity, 6, 16)).toBeLessThan(0.05)
      const ships = snapshot.changes.filter(({ carries }) => carries?.some((id) => isTheChange(truth, id)))
      expect(ships.length).toBeGreaterThan(1)
      const diff = snapshot.changes.find(({ id }) => id === truth.change)?.diff ?? ''
      expect(diff).not.toMatch(/jwt|markupsafe|promise/)
    }
  }, 120_000)

  it('a locked table: minutes after the migration began the store takes a multiple, and what is to be done piles up', () => {
    for (const one of known('locked-table')) {
      const { entity } = one.truth
      expect(took(one, entity, 4, 14) / took(one, entity, -30, -10)).toBeGreaterThan(4)
      expect(took(one, entity, -6, -1) / took(one, entity, -30, -10)).toBeLessThan(1.3)
      const waiting = gauge(one, 'db_sessions_waiting_for_lock', entity)
      expect(valueAt(waiting, one, 5)).toBeGreaterThan(35)
      const queues = named(one, 'queue_messages_ready').filter((series) => valueAt(series, one, 15) > 2_000)
      expect(queues.map(({ entity: queue }) => queue.replace(/-outbox$/, ''))).toSatisfy(
        (owners: readonly string[]) => owners.some((owner) => isThePlace(one.truth, owner)),
      )
    }
  }, 120_000)
})

describe('what happens by itself in the seventh generation', () => {
  it('a database that is gone: nothing is measured of it, its callers wait for it and fail', () => {
    for (const one of known('absent-store')) {
      const { snapshot, truth } = one
      const { entity } = truth
      const asks = partners(one, ({ callee }) => callee === entity, 'caller')
      expect(asks.length).toBeGreaterThan(1)
      expect(failing(one, ({ callee }) => callee === entity, 1, 16)).toBeGreaterThan(0.9)
      expect(took(one, entity, 1, 14) / took(one, entity, -30, -10)).toBeGreaterThan(50)
      for (const { name, times } of snapshot.series.filter((series) => series.entity === entity))
        if (/^(?:db_(?!up)|http_)/.test(name))
          expect(times.at(-1) ?? 0, name).toBeLessThan(truth.began_ms + 0.6 * MINUTE_MS)
      expect(valueAt(gauge(one, 'db_up', entity), one, 1)).toBe(0)
      expect(one.undecided.series.some((each) => each.entity === entity && each.name === 'db_up')).toBe(false)
    }
  }, 120_000)

  it('a list that is kept: its age tells it for hours, one of three pods is left of those that anything is sent to', () => {
    for (const one of known('kept-list')) {
      const kept = named(one, 'balancer_list_age_seconds').filter(({ values }) => (values[0] ?? 0) > 10_000)
      expect(kept.map(({ entity }) => entity)).toEqual([BALANCER])
      const service = kept[0]?.labels.backend ?? ''
      expect(isThePlace(one.truth, service)).toBe(true)
      const up = named(one, 'balancer_servers_up').find(({ labels }) => labels.backend === service) as Series
      expect([-5, 8].map((minutes) => Math.round(valueAt(up, one, minutes)))).toEqual([3, 1])
      const asked = ({ callee }: held.Called) => callee === service
      expect(failing(one, asked, -20, -1)).toBeLessThan(0.02)
      expect(failing(one, asked, 4, 16)).toBeGreaterThan(0.3)
      expect(failing(one, ({ caller }) => caller === service, 4, 16)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('pods that nobody knows of get nothing, and those that are known get all there is', () => {
    const front: Part = {
      ...{ name: 'front', kind: 'service', pods: 4, workers: 16, own_ms: 10, cpu_ms: 5, memory_mb: 300 },
      ...{ timeout_ms: 1_000, retries: 0, cache_hits: 0, calls: [] },
    }
    const steps = [
      ...runSystem(
        {
          ...{ topology: { parts: [front], demand: 60 }, length_s: 600, rollouts: [], demand: () => 1 },
          working: (_part, _version, pod) => (pod < 2 ? {} : { weight: 0 }),
        },
        chance(1),
      ),
    ]
    const counted = (steps.at(-1)?.pods.get('front') ?? []).map(({ counters }) => counters.requests / 600)
    for (const pod of [0, 1]) expect(Math.abs((counted[pod] ?? 0) - 30)).toBeLessThan(1)
    for (const pod of [2, 3]) expect(counted[pod]).toBe(0)
  })

  it('a worker that sends nothing: one pod of four fails and is idle, a quarter of what the service is asked fails', () => {
    let byPod = 0
    for (const one of known('silent-worker')) {
      const { entity } = one.truth
      const share = failing(one, ({ callee }) => callee === entity, 2, 16)
      expect(share).toBeGreaterThan(0.18)
      expect(share).toBeLessThan(0.32)
      const pods = one.snapshot.series.filter(({ labels }) => isThePlace(one.truth, labels.pod ?? null))
      const cpu = pods.find(({ name }) => name.startsWith('container_cpu'))
      if (cpu !== undefined) byPod += 1
      for (const series of pods) expect(series.entity).toBe(entity)
      const sent = named(one, 'worker_messages_sent_per_second').filter((each) => each.entity === entity)
      expect(sent.filter((each) => valueAt(each, one, 5) < 0.1)).toHaveLength(1)
    }
    expect(byPod).toBeGreaterThan(0)
  }, 120_000)

  it('a damaged table: one caller of the store is refused what it writes, the others and the store are well', () => {
    for (const one of known('damaged-table')) {
      const { entity } = one.truth
      const callers = partners(one, ({ callee }) => callee === entity, 'caller')
      const shares = callers.map((caller) =>
        failing(one, (edge) => edge.caller === caller && edge.callee === entity, 1, 16),
      )
      expect(shares.filter((share) => share > 0.4)).toHaveLength(1)
      expect(shares.filter((share) => share < 0.02)).toHaveLength(callers.length - 1)
      expect(took(one, entity, 2, 14) / took(one, entity, -30, -10)).toBeLessThan(1.3)
      expect(grew(one, ({ callee }) => callee === entity, 0, 1)).toBeLessThan(1.8)
    }
  }, 120_000)
})
