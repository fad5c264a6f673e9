import { describe, expect, it } from 'vitest'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_GATEWAY, PARTNER_RULES } from './eighth-surroundings.ts'
import { BALANCER } from './seventh-surroundings.ts'
import { TENTH_CHANGED } from './tenth-changed-faults.ts'
import { DAY_JOB, DAY_S, JOB_POOL, UPLINKS } from './tenth-surroundings.ts'
import { TENTH_UNCHANGED } from './tenth-unchanged-faults.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, MINUTE_MS, named, partners, took, valueAt } = held
const TENTH = held.generationOf(TENTH_CHANGED, TENTH_UNCHANGED, 17_000_000)
const { incidentsOf, known } = TENTH

held.describeBlindGeneration(TENTH, {
  called: 'tenth',
  same_seed: 'missing-file',
  scored: [
    ['left-out-field', 16_000_000, 'fdbec80abbdfda45'],
    ['emptied-writes', 16_000_004, 'f3935d6263875fde'],
    ['cut-uplink', 16_000_010, '8faf36e0410ad6d1'],
    ['memory-and-list', 16_000_009, 'afd04c3df9ef346c'],
  ],
  measured: [
    'container_start_failures_per_minute',
    'balancer_target_requests_per_second',
    'request_limit_per_second',
    'client_circuits_open',
    'http_server_responses_404_per_second',
    'http_server_empty_writes_per_second',
    'job_last_success_age_seconds',
    'workload_pods_pending',
    'node_pool_memory_requested_ratio',
    'uplink_up',
    'uplink_bytes_per_second',
    'redis_connected_clients',
    'process_uptime_seconds',
    'db_statement_errors_per_second',
    'db_memory_used_ratio',
    'db_up',
    'revocation_list_remaining_seconds',
  ],
  delays: {
    'left-out-field': 15,
    'kept-target': 9.9,
    'missing-file': 4,
    'sandbox-route': 1,
    'emptied-writes': 1,
  },
  blind: { incidents: 30, farthest: 2, latest_deploy: 0, latest_change: 2 },
  shapes: {
    'a field that is issued': ({ files }) => files?.some((file) => file.endsWith('/issuing.yaml')) === true,
    'another group': ({ title }) => /moved to target group \S+-2, checked$/.test(title ?? ''),
    'a file that is read at the start': ({ diff }) =>
      diff?.includes("JSON.parse(readFileSync('/app/") === true,
    'a release of the sandbox': ({ title }) => /^Sandbox release \d/.test(title ?? ''),
    'a rule for crawlers': ({ files }) => files?.some((file) => file.endsWith('/crawlers.yaml')) === true,
  },
  beside: {
    asked: PARTNER_RULES,
    but: 'memory-and-list',
  },
  said: /transfer refused|0 of \d workers|commands wait for it|not readable|catalogue|elected/,
  told: ['title', 'diff'],
})

describe('the changes of the tenth generation', () => {
  it('a field: who reads it fails when it is begun anew and not before; who issues it answers all others', () => {
    for (const one of known('left-out-field')) {
      const { entity } = one.truth
      const [reader = ''] = named(one, 'container_start_failures_per_minute')
        .filter((each) => each.entity !== entity && isThePlace(one.truth, each.entity))
        .map((each) => each.entity)
      expect(failing(one, ({ callee }) => callee === reader, -14, -1)).toBeLessThan(0.03)
      expect(failing(one, ({ callee }) => callee === reader, 8, 15)).toBeGreaterThan(0.5)
      expect(failing(one, ({ callee }) => callee === entity, 2, 15)).toBeLessThan(0.05)
      expect(causeOf(one)?.diff).toMatch(/\+ {2}\w+Url: none/)
    }
  }, 120_000)

  it('a limit: the old group gets nothing from the record on, all is well until limits are worked out, and callers send little then', () => {
    for (const one of known('kept-target')) {
      const [service = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      const groups = [1, 2].map(
        (of) =>
          named(one, 'balancer_target_requests_per_second').find(
            ({ entity, labels }) => entity === BALANCER && labels.target === `${service}-${of}`,
          ) as never,
      )
      expect(groups.map((group) => valueAt(group, one, -2) > 1)).toEqual([false, true])
      expect(failing(one, ({ callee }) => callee === service, -9, -1)).toBeLessThan(0.03)
      expect(failing(one, ({ callee }) => callee === service, 2, 14)).toBeGreaterThan(0.4)
      expect(valueAt(gauge(one, 'request_limit_per_second', service), one, 3)).toBeLessThan(2)
      expect(took(one, service, 3, 14) / took(one, service, -30, -5)).toBeLessThan(1.5)
    }
  }, 120_000)

  it('a file: a service fails from its deploy on, pod after pod, and its image has not what its diff reads', () => {
    for (const one of known('missing-file')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 4, 15)).toBeGreaterThan(0.7)
      expect(failing(one, ({ caller }) => caller === entity, 4, 15)).toBeLessThan(0.05)
      const diff = causeOf(one)?.diff
      expect(diff).toContain('/app/config/delivery-rules.json')
      expect(diff).not.toContain('COPY config')
    }
  }, 120_000)

  it('a sandbox: production is set with it, and what is not found fails within two minutes of the setting', () => {
    for (const one of known('sandbox-route')) {
      const { entity } = one.truth
      expect(causeOf(one)?.files?.some((file) => file.startsWith('prod/'))).toBe(true)
      expect(failing(one, ({ callee }) => callee === entity, 2, 14)).toBeGreaterThan(0.6)
      expect(grew(one, ({ caller }) => caller === entity, 2, 14)).toBeLessThan(0.5)
    }
  }, 120_000)

  it('a rule: the first service alone refuses, as often as writes come empty, and what it calls is well', () => {
    for (const one of known('emptied-writes')) {
      const [root = ''] = partners(one, ({ caller }) => isThePlace(one.truth, caller), 'caller')
      const empty = gauge(one, 'http_server_empty_writes_per_second', root)
      expect(valueAt(empty, one, 4)).toBeGreaterThan(20 * valueAt(empty, one, -60))
      expect(failing(one, ({ caller }) => caller === root, 2, 14)).toBeLessThan(0.03)
      expect(grew(one, ({ caller }) => caller === root, 3, 14)).toBeLessThan(0.95)
    }
  }, 120_000)
})

describe('what happens by itself in the tenth generation', () => {
  it('a job: it waits for room before anybody is refused, and its last success is longer ago than a day', () => {
    for (const one of known('waiting-job')) {
      const age = gauge(one, 'job_last_success_age_seconds', DAY_JOB)
      expect(valueAt(age, one, 0)).toBeGreaterThan(DAY_S)
      expect(valueAt(gauge(one, 'workload_pods_pending', DAY_JOB), one, -15)).toBeGreaterThan(1)
      expect(valueAt(gauge(one, 'node_pool_memory_requested_ratio', JOB_POOL), one, -15)).toBeGreaterThan(
        0.95,
      )
      const [service = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === service, -15, -1)).toBeLessThan(0.03)
      expect(failing(one, ({ callee }) => callee === service, 5, 15)).toBeGreaterThan(0.25)
    }
  }, 120_000)

  it('a line: nobody outside is reached, few get in, and who is inside answers', () => {
    for (const one of known('cut-uplink')) {
      const outside = ({ callee }: held.Called): boolean => callee.endsWith('-api')
      expect(failing(one, outside, 2, 12)).toBeGreaterThan(0.9)
      const [used, spare] = UPLINKS
      expect(Math.round(valueAt(gauge(one, 'uplink_up', used), one, 3))).toBe(0)
      expect(Math.round(valueAt(gauge(one, 'uplink_up', spare), one, 3))).toBe(1)
      const stores = ({ callee }: held.Called): boolean => callee.endsWith('-db') && callee !== 'partner-db'
      expect(failing(one, stores, 2, 12)).toBeLessThan(0.05)
      expect(grew(one, stores, 2, 12)).toBeLessThan(0.5)
      expect(grew(one, ({ caller }) => caller === PARTNER_GATEWAY, 2, 12)).toBeLessThan(0.5)
    }
  }, 120_000)

  it('a small store: it has run for seconds when its service begins to fail, and nobody is connected again', () => {
    for (const one of incidentsOf('unattended-restart')) {
      const { entity } = one.truth
      expect(valueAt(gauge(one, 'process_uptime_seconds', entity), one, 1)).toBeLessThan(150)
      expect(valueAt(gauge(one, 'redis_connected_clients', entity), one, 10)).toBe(0)
    }
    for (const one of known('unattended-restart')) {
      const [service = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(failing(one, ({ callee }) => callee === service, 2, 15)).toBeGreaterThan(0.8)
      expect(failing(one, ({ caller }) => caller === service, 2, 15)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a store: it is there and quick, and answers everybody with an error', () => {
    for (const one of known('always-an-error')) {
      const { entity } = one.truth
      for (const caller of partners(one, ({ callee }) => callee === entity, 'caller'))
        expect(
          failing(one, (edge) => edge.callee === entity && edge.caller === caller, 2, 14),
        ).toBeGreaterThan(0.9)
      expect(took(one, entity, 2, 14) / took(one, entity, -30, -5)).toBeLessThan(1.5)
      expect(valueAt(gauge(one, 'db_up', entity), one, 5)).toBeGreaterThan(0.9)
    }
  }, 120_000)

  it('the pair: a store is away for less than a minute and slow for minutes, the partners are refused by a list that ended', () => {
    for (const one of known('memory-and-list')) {
      const { entity, began_ms } = one.truth
      const used = named(one, 'db_memory_used_ratio').find(
        (each) => each.entity === entity && each.labels.member === 'a',
      ) as never
      expect(valueAt(used, one, -1)).toBeGreaterThan(0.95)
      expect(took(one, entity, 2, 4) / took(one, entity, -30, -5)).toBeGreaterThan(20)
      expect(took(one, entity, 10, 15) / took(one, entity, -30, -5)).toBeLessThan(3)
      const list = gauge(one, 'revocation_list_remaining_seconds', PARTNER_RULES)
      expect(valueAt(list, one, 9)).toBe(0)
      expect(one.snapshot.alerts[0]?.fired_at).toBeGreaterThan(began_ms + MINUTE_MS)
    }
  }, 120_000)
})
