import { describe, expect, it } from 'vitest'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import {
  around,
  describeDelays,
  describeGeneration,
  describeScored,
  describeWords,
  failing,
  gauge,
  generationOf,
  perMinute,
  took,
  valueAt,
} from '#test/bench/generation-guarantees.ts'
import { FOURTH_CHANGED } from './fourth-changed-faults.ts'
import { FOURTH_UNCHANGED } from './fourth-unchanged-faults.ts'
import { isThePlace } from './truth.ts'

const FOURTH = generationOf(FOURTH_CHANGED, FOURTH_UNCHANGED, 1)
const { incidentsOf, withEdges } = FOURTH

describeGeneration('incidents of the fourth generation', FOURTH, {
  ...{ same_seed: 'undead-message', most_falls: 20 },
})

describeScored('what was scored of the fourth generation', FOURTH, [
  ['dropped-index', 3_000_002, 'e7e3b3e1afad9e45'],
  ['rotated-password', 3_000_005, 'da965ec0be66279b'],
  ['undead-message', 3_000_009, '261a7d75ef489132'],
  ['lagging-replica', 3_000_012, 'c7ea91753f158e71'],
])

describeWords('the words of the fourth generation', FOURTH, [
  'queue_messages_ready',
  'replication_lag_seconds',
  'cache_items',
  'db_connections_active',
])

describeDelays('the effects of the fourth generation', FOURTH, {
  'dropped-index': 0.9,
  'widened-answer': 0.9,
  'tight-limits': 0.9,
  'rotated-password': 0.9,
  'scheduled-job': 20,
})

describe('the mechanisms of the fourth generation', () => {
  it('an index that goes: calls of the store take a multiple, for its other callers too', () => {
    const all = withEdges('dropped-index')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const { truth, snapshot } = one
      expect(took(one, truth.entity, 3, 12) / took(one, truth.entity, -30, -10)).toBeGreaterThan(3)
      const owner = snapshot.changes.find(({ id }) => id === truth.change)?.entity
      const callers = new Set(
        snapshot.edges.filter(({ callee }) => callee === truth.entity).map(({ caller }) => caller),
      )
      expect(isThePlace(truth, owner ?? null)).toBe(true)
      expect([...callers].filter((caller) => !isThePlace(truth, caller)).length).toBeGreaterThan(0)
    }
  }, 120_000)

  it('an answer that says more: who writes it is asked as before and fails nobody, one who reads it fails', () => {
    const all = withEdges('widened-answer')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 2, 15)).toBeLessThan(0.02)
      const answers = one.snapshot.logs.filter(({ message }) =>
        /unmarshal|deserialize|ZodError/.test(message),
      )
      const readers = new Set(answers.map(({ service }) => service))
      expect(readers.size).toBeLessThanOrEqual(1)
      for (const reader of readers) expect(isThePlace(one.truth, reader)).toBe(true)
    }
  }, 120_000)

  it('limits: a pod fills what it may have, is killed, begins anew at what it had, again and again', () => {
    for (const one of incidentsOf('tight-limits')) {
      const { snapshot, truth } = one
      const diff = snapshot.changes.find(({ id }) => id === truth.change)?.diff ?? ''
      const own = diff.slice(diff.indexOf(`apps/${truth.entity}/`))
      const limit = Number(/\+ {2}memory: (\d+)Mi/.exec(own)?.[1])
      expect(limit).toBeGreaterThan(0)
      const restarts = snapshot.series.filter(
        ({ name, entity }) => name === 'container_restarts_total' && entity === truth.entity,
      )
      const memory = snapshot.series.filter(
        ({ name, entity }) => name === 'container_memory_usage_mb' && entity === truth.entity,
      )
      // A service without metrics has neither.
      for (const { values } of memory) expect(Math.max(...values)).toBeLessThanOrEqual(limit * 1.001)
      if (restarts.length > 0)
        expect(Math.max(...restarts.flatMap(({ values }) => [...values]))).toBeGreaterThan(1)
    }
  }, 120_000)

  it('a password: one caller is refused more and more, the others who were told go on', () => {
    const all = withEdges('rotated-password')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const isTheirs = ({ callee }: { readonly callee: string }) =>
        callee.endsWith('-db') && isThePlace(one.truth, callee)
      const mine = (edge: { readonly caller: string; readonly callee: string }) =>
        isTheirs(edge) && edge.caller === one.truth.entity
      expect(failing(one, mine, 9, 20)).toBeGreaterThan(0.8)
      expect(failing(one, mine, 0, 2)).toBeLessThan(0.7)
      expect(failing(one, (edge) => isTheirs(edge) && !mine(edge), 9, 20)).toBeLessThan(0.02)
      expect(one.snapshot.changes.find(({ id }) => id === one.truth.change)?.diff).toBeUndefined()
    }
  }, 120_000)

  it('a job: its store is slow from its first hour on, not since it was added', () => {
    const all = withEdges('scheduled-job')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const usual = took(one, one.truth.entity, -60, -30)
      expect(took(one, one.truth.entity, -15, 0) / usual).toBeLessThan(1.3)
      expect(took(one, one.truth.entity, 1, 7) / usual).toBeGreaterThan(2)
    }
  }, 120_000)

  it('a resolver: several services wait and ask for several names, no callee fails for all of them', () => {
    for (const { snapshot } of incidentsOf('slow-resolver')) {
      if (snapshot.logs.length === 0) continue
      const lines = snapshot.logs.filter(({ message }) => /lookup|EAI_AGAIN/.test(message))
      expect(new Set(lines.map(({ service }) => service)).size).toBeGreaterThanOrEqual(3)
      expect(
        new Set(lines.map(({ message }) => /lookup (\S+)|AGAIN (\S+)/.exec(message)?.[0])).size,
      ).toBeGreaterThan(2)
    }
  }, 120_000)

  it('a provider: it answers, many times slower than usual, and its status page knows nothing', () => {
    const all = withEdges('slow-provider')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const { entity } = one.truth
      expect(took(one, entity, 6, 15) / took(one, entity, -30, -5)).toBeGreaterThan(8)
      expect(
        one.snapshot.status.flatMap(({ events }) => events).every(({ status }) => /maint|resol/.test(status)),
      ).toBe(true)
    }
  }, 120_000)

  it('a message: the same one again and again, pods die in turn, what waits grows old', () => {
    for (const one of incidentsOf('undead-message')) {
      const { snapshot, truth } = one
      const again = snapshot.logs.filter(({ message }) => message.includes('not acknowledged'))
      expect(new Set(again.map(({ message }) => message)).size).toBeLessThanOrEqual(1)
      const age = snapshot.series.find(
        ({ name, entity }) => name === 'queue_oldest_message_age_seconds' && isThePlace(truth, entity),
      ) as Series
      expect(valueAt(age, one, -5)).toBeLessThan(3)
      expect(valueAt(age, one, 8) - valueAt(age, one, 4)).toBeGreaterThan(200)
      const pods = snapshot.series.filter(
        ({ name, entity, labels }) =>
          name === 'container_restarts_total' && entity === truth.entity && 'pod' in labels,
      )
      const killed = pods.filter(({ values }) => (values.at(-1) as number) > 2)
      if (pods.length > 0) expect(killed.length).toBeGreaterThan(1)
    }
  }, 120_000)

  it('a cache: it is empty at once, its store is asked a multiple at once, and it does not fill in time', () => {
    const all = withEdges('empty-cache')
    expect(all.length).toBeGreaterThan(0)
    for (const one of all) {
      const items = gauge(one, 'cache_items', one.truth.entity)
      expect(valueAt(items, one, 1) / valueAt(items, one, -1)).toBeLessThan(0.1)
      expect((items.values.at(-1) as number) / valueAt(items, one, -1)).toBeLessThan(0.5)
      const stores = new Set(
        around(one, -10, 10)
          .filter(({ caller, callee }) => isThePlace(one.truth, caller) && callee.endsWith('-db'))
          .map(({ callee }) => callee),
      )
      const grew = [...stores].map((store) => {
        const is = ({ callee }: { readonly callee: string }) => callee === store
        return perMinute(one, is, 1, 3) / perMinute(one, is, -20, -5)
      })
      expect(Math.max(...grew)).toBeGreaterThan(1.7)
    }
  }, 120_000)

  it('a replica: it was behind before anybody noticed, its primary and the other replica are well', () => {
    for (const one of incidentsOf('lagging-replica')) {
      const { entity } = one.truth
      const other = entity.endsWith('1') ? entity.replace(/1$/, '2') : entity.replace(/2$/, '1')
      const behind = gauge(one, 'replication_lag_seconds', entity)
      expect(valueAt(behind, one, -30)).toBeLessThan(1)
      expect(valueAt(behind, one, 0)).toBeGreaterThan(45)
      expect(Math.max(...gauge(one, 'replication_lag_seconds', other).values)).toBeLessThan(1)
      const store = entity.replace(/-replica-\d$/, '')
      if (one.snapshot.edges.length === 0) continue
      expect(failing(one, ({ callee }) => callee === store, 2, 12)).toBeLessThan(0.02)
      expect(took(one, store, 2, 12) / took(one, store, -30, -5)).toBeLessThan(1.5)
    }
  }, 120_000)
})
