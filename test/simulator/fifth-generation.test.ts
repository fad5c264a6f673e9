import { describe, expect, it } from 'vitest'
import {
  around,
  type Called,
  describeDelays,
  describeGeneration,
  describeScored,
  describeWords,
  failing,
  gauge,
  generationOf,
  grew,
  perMinute,
  sum,
  took,
  valueAt,
} from '#test/bench/generation-guarantees.ts'
import { FIFTH_CHANGED } from './fifth-changed-faults.ts'
import { FIFTH_UNCHANGED } from './fifth-unchanged-faults.ts'
import type { Simulated } from './simulate-incident.ts'
import { isThePlace } from './truth.ts'

const FIFTH = generationOf(FIFTH_CHANGED, FIFTH_UNCHANGED, 1)
const { incidentsOf, known } = FIFTH

describeGeneration('incidents of the fifth generation', FIFTH, { same_seed: 'long-leak', most_falls: 12 })

describeScored('what is to be scored of the fifth generation', FIFTH, [
  ['narrowed-policy', 4_000_000, '9adc9cd1b168d815'],
  ['late-limit', 4_000_004, '87440eb03e096f74'],
  ['long-leak', 4_000_005, 'cda794cb950428ba'],
  ['lossy-link', 4_000_011, 'a4f69b50382687df'],
])

describeWords('the words of the fifth generation', FIFTH, [
  'queue_messages_ready',
  'replication_lag_seconds',
  'db_connections_active',
  'db_rows_read_per_second',
  'instance_cpu_credit_balance',
  'link_packet_loss_ratio',
  'heap_used_after_gc_ratio',
  'http_client_retries_per_second',
  'network_policy_dropped_packets_per_second',
  'credential_remaining_seconds',
])

describeDelays('the effects of the fifth generation', FIFTH, {
  'narrowed-policy': 1.5,
  'counted-as-one': 1.5,
  'bumped-driver': 5,
  'burstable-store': 13,
  'late-limit': 5,
})

/** Services that say something like it. */
const whoSays = ({ snapshot }: Simulated, what: RegExp): readonly string[] => [
  ...new Set(snapshot.logs.filter(({ message }) => what.test(message)).map(({ service }) => service)),
]

const diffOf = ({ snapshot, truth }: Simulated): string =>
  snapshot.changes.find(({ id }) => id === truth.change)?.diff ?? ''

describe('the changes of the fifth generation', () => {
  it('a policy: the caller that is not on the list gets no answer more and more, the others do, the callee is well', () => {
    for (const one of known('narrowed-policy')) {
      const { entity } = one.truth
      const own =
        diffOf(one)
          .slice(diffOf(one).indexOf(`policies/prod/${entity}.yaml`))
          .split('---')[0] ?? ''
      const callers = new Set(
        around(one, -30, -5)
          .filter(({ callee }) => callee === entity)
          .map((edge) => edge.caller),
      )
      const unlisted = [...callers].filter((caller) => !own.includes(`app: ${caller}}`))
      expect(unlisted).toHaveLength(1)
      const mine = ({ caller, callee }: Called) => callee === entity && caller === unlisted[0]
      expect(failing(one, mine, 9, 20)).toBeGreaterThan(0.8)
      expect(failing(one, mine, -10, 0)).toBeLessThan(0.02)
      expect(failing(one, (edge) => edge.callee === entity && !mine(edge), 9, 20)).toBeLessThan(0.05)
      for (const service of whoSays(one, /ETIMEDOUT 10\.40.*:(8080|5432)/))
        expect(isThePlace(one.truth, service)).toBe(true)
    }
  }, 120_000)

  it('a limit that counts all as one: what it refuses never gets to anybody, what gets there is well', () => {
    for (const one of known('counted-as-one')) {
      const isFirst = ({ caller }: Called) => caller === one.truth.entity
      expect(perMinute(one, isFirst, 6, 14) / perMinute(one, isFirst, -14, -6)).toBeLessThan(0.93)
      expect(failing(one, isFirst, 6, 14)).toBeLessThan(0.02)
      const addresses = one.snapshot.logs.flatMap(({ message }) => /client: (\S+),/.exec(message)?.[1] ?? [])
      expect(new Set(addresses).size).toBeLessThanOrEqual(1)
    }
  }, 120_000)

  it('a bumped dependency: one service asks the store a multiple, minutes after it was shipped, the others do not', () => {
    for (const one of known('bumped-driver')) {
      const stores = new Set(
        around(one, -30, -10).flatMap(({ caller, callee }) =>
          caller === one.truth.entity && callee.endsWith('-db') ? [callee] : [],
        ),
      )
      const multiple = (is: (edge: Called) => boolean, from: number, to: number): number =>
        perMinute(one, is, from, to) / Math.max(1, perMinute(one, is, -30, -10))
      const mine = [...stores].map(
        (store) => (edge: Called) => edge.caller === one.truth.entity && edge.callee === store,
      )
      const more = Math.max(...mine.map((is) => multiple(is, 2, 6)))
      expect(more).toBeGreaterThan(2)
      expect(Math.max(...mine.map((is) => multiple(is, -6, -2)))).toBeLessThan(1.6)
      // Who fails there tries again, and asks no more than that.
      const others = ({ caller, callee }: Called) => callee.endsWith('-db') && caller !== one.truth.entity
      if (around(one, -30, -10).some(others)) expect(more / multiple(others, 2, 6)).toBeGreaterThan(1.3)
      expect(diffOf(one)).toContain('sql-pool')
    }
  }, 120_000)

  it('a smaller machine: the store is as quick as before until what was saved up is used up', () => {
    for (const one of known('burstable-store')) {
      const { entity } = one.truth
      const usual = took(one, entity, -70, -50)
      expect(took(one, entity, -8, -1) / usual).toBeLessThan(1.3)
      expect(took(one, entity, 2, 12) / usual).toBeGreaterThan(2.5)
      const balance = gauge(one, 'instance_cpu_credit_balance', entity)
      expect(valueAt(balance, one, -5)).toBeGreaterThan(5)
      expect(valueAt(balance, one, 1)).toBe(0)
      expect(one.snapshot.changes.find(({ id }) => id === one.truth.change)?.diff).toBeUndefined()
    }
  }, 120_000)

  it('a page that is cut too late: the store takes longer for as many questions, and pods of who asks are killed', () => {
    for (const one of known('late-limit')) {
      const { entity } = one.truth
      const stores = [
        ...new Set(
          around(one, -30, -10).flatMap(({ caller, callee }) =>
            caller === entity && callee.endsWith('-db') ? [callee] : [],
          ),
        ),
      ]
      const slower = stores.map((store) => took(one, store, 6, 14) / took(one, store, -30, -10))
      expect(Math.max(...slower)).toBeGreaterThan(1.8)
      const perRequest = (from: number, to: number): number =>
        perMinute(one, ({ caller, callee }) => caller === entity && stores.includes(callee), from, to) /
        perMinute(one, ({ callee }) => callee === entity, from, to)
      // Once more at most, where it tries again.
      expect(perRequest(6, 14) / perRequest(-30, -10)).toBeLessThan(2.05)
    }
    // A service without metrics has none, and one that is shipped again meanwhile begins anew.
    const restarts = incidentsOf('late-limit').flatMap(({ snapshot, truth }) =>
      snapshot.series
        .filter(({ name, entity }) => name === 'container_restarts_total' && entity === truth.entity)
        .flatMap(({ values }) => [...values]),
    )
    expect(Math.max(...restarts)).toBeGreaterThan(0)
  }, 120_000)
})

describe('what happens by itself in the fifth generation', () => {
  it('memory: nobody ships the service, it is nearly full from the start, its pods die in turn and are well then', () => {
    for (const one of incidentsOf('long-leak')) {
      const { snapshot, truth } = one
      const shipped = snapshot.changes.filter(
        ({ kind, entity }) => kind === 'deploy' && isThePlace(truth, entity ?? null),
      )
      expect(shipped).toEqual([])
      const heap = gauge(one, 'heap_used_after_gc_ratio', truth.entity)
      expect(valueAt(heap, one, -60)).toBeGreaterThan(0.85)
      expect(valueAt(heap, one, -60)).toBeLessThan(valueAt(heap, one, 1))
      const memory = snapshot.series.filter(
        ({ name, entity, labels }) =>
          name === 'container_memory_usage_mb' && entity === truth.entity && Object.keys(labels).length === 0,
      )
      for (const series of memory) {
        const gained = valueAt(series, one, -1) - valueAt(series, one, -70)
        expect(gained).toBeGreaterThan(0)
        expect(series.values.at(-1)).toBeLessThan(0.8 * valueAt(series, one, 0))
      }
      expect(snapshot.k8s.length === 0 || snapshot.k8s.some(({ reason }) => reason === 'OOMKilling')).toBe(
        true,
      )
    }
  }, 120_000)

  it('a credential: pod after pod of one caller is refused, whoever else asks the provider is not', () => {
    for (const one of known('ended-credential')) {
      const provider = (edge: Called) => edge.callee.endsWith('-api')
      const mine = (edge: Called) => provider(edge) && edge.caller === one.truth.entity
      expect(failing(one, mine, 11, 20)).toBeGreaterThan(0.9)
      expect(failing(one, mine, 0, 2)).toBeGreaterThan(0.15)
      expect(failing(one, (edge) => provider(edge) && !mine(edge), 0, 20)).toBeLessThan(0.02)
      expect(
        one.snapshot.status.flatMap(({ events }) => events).every(({ status }) => /maint|resol/.test(status)),
      ).toBe(true)
    }
  }, 120_000)

  it('a link: calls from one site to the other wait and fail, to several callees, and those within a site do not', () => {
    for (const one of known('lossy-link')) {
      const lost = gauge(one, 'link_packet_loss_ratio', one.truth.entity)
      expect(valueAt(lost, one, -5)).toBeLessThan(0.001)
      expect(valueAt(lost, one, 5)).toBeGreaterThan(0.04)
      const calls = new Set(around(one, 5, 15).map(({ caller, callee }) => `${caller} ${callee}`))
      const failed = [...calls].map((call) => {
        const is = ({ caller, callee }: Called) => call === `${caller} ${callee}`
        return { callee: call.split(' ')[1], share: failing(one, is, 5, 15) }
      })
      expect(
        new Set(failed.filter(({ share }) => share > 0.04).map(({ callee }) => callee)).size,
      ).toBeGreaterThan(1)
      expect(failed.some(({ share }) => share < 0.01)).toBe(true)
      // Both ends of what is read say so: nothing that is said comes from one place alone.
      if (one.snapshot.logs.length > 0)
        expect(whoSays(one, /->10\.(40|80)\..*connection timed out/).length).toBeGreaterThan(1)
    }
  }, 120_000)

  it('repeated requests: a multiple goes on and fails when the pods are long back and work for nobody', () => {
    for (const one of known('lasting-storm')) {
      const { entity } = one.truth
      expect(grew(one, ({ callee }) => callee === entity, 4, 15)).toBeGreaterThan(1.8)
      expect(failing(one, ({ callee }) => callee === entity, 4, 15)).toBeGreaterThan(0.4)
      const isOwn = ({ caller }: Called) => caller === entity
      if (around(one, -20, -5).some(isOwn)) expect(grew(one, isOwn, 4, 15)).toBeGreaterThan(1.2)
    }
  }, 120_000)

  it('a failover: over in a minute for all but one, who reads there and cannot write', () => {
    for (const one of known('old-primary')) {
      const { entity } = one.truth
      const store = (edge: Called) => edge.callee === entity
      const callers = new Set(
        around(one, -30, -5)
          .filter(store)
          .map(({ caller }) => caller),
      )
      const stuck = [...callers].filter(
        (caller) => failing(one, (edge) => store(edge) && edge.caller === caller, 3, 15) > 0.25,
      )
      expect(stuck).toHaveLength(1)
      expect(isThePlace(one.truth, stuck[0] ?? null)).toBe(true)
      expect(failing(one, (edge) => store(edge) && edge.caller !== stuck[0], 3, 15)).toBeLessThan(0.02)
      const failed = around(one, 0, 1).filter(store)
      expect(sum(failed, 'failed') / sum(failed, 'calls')).toBeGreaterThan(0.15)
    }
  }, 120_000)
})
