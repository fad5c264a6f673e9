import { describe, expect, it } from 'vitest'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { isThePlace } from './truth.ts'
import { TWELFTH_CHANGED } from './twelfth-changed-faults.ts'
import { ASSETS, FLAGS, PIPELINE } from './twelfth-surroundings.ts'
import { TWELFTH_UNCHANGED } from './twelfth-unchanged-faults.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const TWELFTH = held.generationOf(TWELFTH_CHANGED, TWELFTH_UNCHANGED, 21_000_000)
const { incidentsOf, known } = TWELFTH

held.describeBlindGeneration(TWELFTH, {
  called: 'twelfth',
  same_seed: 'fetched-mailbox',
  scored: [
    ['required-column', 20_000_000, '1f02d123539c4c55'],
    ['unpushed-assets', 20_000_001, '4298254d3c97e580'],
    ['tag-for-all', 20_000_002, '57850b6f0916048f'],
    ['slow-reload', 20_000_007, 'ada46b883ca75a2a'],
    ['defaults-and-keys', 20_000_009, '0d27684da8318b63'],
  ],
  measured: [
    'db_constraint_errors_per_second',
    'cdn_not_found_per_second',
    'script_errors_per_second',
    'release_steps_refused_per_minute',
    'mailbox_messages_fetched_per_second',
    'host_cpu_steal_ratio',
    'db_ids_left',
    'dataset_loaded_ratio',
    'db_pool_requests_waiting',
    'db_deadlocks_per_minute',
    'feature_flag_sign_age_seconds',
    'feature_flag_defaults_per_second',
    'idempotency_conflicts_per_second',
  ],
  delays: {
    'required-column': 4,
    'unpushed-assets': 0,
    'tag-for-all': 0,
    'stopped-release': 4,
    'fetched-mailbox': 1,
  },
  blind: { incidents: 30, farthest: 0, latest_deploy: 0, latest_change: 4 },
  shapes: {
    'another column': ({ diff }) => /ADD COLUMN \w+ bigint/.test(diff ?? ''),
    'machines replaced': ({ title }) => title?.endsWith('machines replaced, every six weeks') === true,
    'a tag': ({ title }) => /^Tag \d+ of seat/.test(title ?? ''),
    'an identity': ({ files }) => files?.some((file) => file.endsWith('/deploy/release.yaml')) === true,
    'a mailbox': ({ files }) => files?.some((file) => file.endsWith('/mail.yaml')) === true,
    'known keys': ({ files }) => files?.some((file) => file.endsWith('/once.go')) === true,
  },
  beside: { asked: PARTNER_RULES, but: 'defaults-and-keys' },
  said: /its processor was elsewhere|2147483647|SIGSEGV|records read$|PoolTimeout|40P01|keeping what is known|defaults are used/,
})

describe('the changes of the twelfth generation', () => {
  it('a column: who shares the table fails from the step on, though nothing is shipped to it, and the owner is well', () => {
    for (const one of incidentsOf('required-column')) {
      const refused = named(one, 'db_constraint_errors_per_second').filter(
        (series) => valueAt(series, one, 2) > 10 * valueAt(series, one, -60),
      )
      expect(refused.some(({ entity }) => isThePlace(one.truth, entity))).toBe(true)
      expect(causeOf(one)?.diff).toContain('NOT NULL')
    }
    for (const one of known('required-column')) {
      const hit = ({ callee }: held.Called): boolean =>
        callee !== one.truth.entity && isThePlace(one.truth, callee)
      expect(failing(one, (edge) => hit(edge) && !edge.callee.endsWith('-db'), 2, 14)).toBeGreaterThan(0.25)
      expect(failing(one, ({ callee }) => callee.endsWith('-db'), 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('machines: some of those begun since the record fail, and what hands out files is asked for one that is not there', () => {
    for (const one of incidentsOf('unpushed-assets')) {
      const absent = named(one, 'cdn_not_found_per_second').find(
        ({ entity, labels }) => entity === ASSETS && labels.site === one.truth.entity,
      )
      expect(valueAt(absent as NonNullable<typeof absent>, one, 6)).toBeGreaterThan(1)
      expect(causeOf(one)?.title).toContain(one.truth.entity)
      expect(causeOf(one)?.kind).toBe('infra')
    }
    for (const one of known('unpushed-assets')) {
      const share = failing(one, ({ callee }) => callee === one.truth.entity, 8, 16)
      expect(share).toBeGreaterThan(0.25)
      expect(share).toBeLessThan(0.8)
      expect(failing(one, ({ caller }) => caller === one.truth.entity, 8, 16)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a tag: all who ask its service fail and it answers them as ever', () => {
    for (const one of incidentsOf('tag-for-all')) {
      const tag = causeOf(one)?.title?.match(/\d+/)?.[0]
      expect(causeOf(one)?.after).toBe('platform')
      if (one.snapshot.logs.length > 0)
        expect(
          one.snapshot.logs.some(({ message }) => message.includes(`(tag ${tag}, from ${one.truth.entity})`)),
        ).toBe(true)
    }
    for (const one of known('tag-for-all')) {
      const callers = partners(one, ({ callee }) => callee === one.truth.entity, 'caller')
      for (const caller of callers)
        expect(valueAt(gauge(one, 'script_errors_per_second', caller), one, 3)).toBeGreaterThan(1)
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 3, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a release: its service answers nothing within minutes of its deploy, and who may not start it stands in the diff', () => {
    for (const one of incidentsOf('stopped-release')) {
      const refused = named(one, 'release_steps_refused_per_minute').find(
        ({ entity, labels }) => entity === PIPELINE && labels.service === one.truth.entity,
      )
      expect(valueAt(refused as NonNullable<typeof refused>, one, 4)).toBeGreaterThan(2)
      const identity = causeOf(one)?.diff?.match(/\+ {2}identity: (\S+)/)?.[1]
      if (one.snapshot.logs.length > 0)
        expect(
          one.snapshot.logs.some(({ message }) => message.startsWith(`403: ${identity} has no right`)),
        ).toBe(true)
    }
    for (const one of known('stopped-release'))
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 5, 16)).toBeGreaterThan(0.9)
  }, 120_000)

  it('a mailbox: its service alone fetches mails without end, is slow and fails', () => {
    for (const one of incidentsOf('fetched-mailbox')) {
      const fetched = gauge(one, 'mailbox_messages_fetched_per_second', one.truth.entity)
      expect(valueAt(fetched, one, 3)).toBeGreaterThan(50)
      expect(causeOf(one)?.diff).toContain('+  fetch: always')
    }
    for (const one of known('fetched-mailbox')) {
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 3, 14)).toBeGreaterThan(0.35)
      expect(failing(one, ({ caller }) => caller === one.truth.entity, 3, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})

describe('what happens by itself in the twelfth generation', () => {
  it('stolen time: one store is slow for all its callers, as long as its host gives its time to others, and is asked no more', () => {
    for (const one of incidentsOf('stolen-time')) {
      const stolen = gauge(one, 'host_cpu_steal_ratio', one.truth.entity)
      expect(valueAt(stolen, one, -20)).toBeLessThan(0.1)
      expect(valueAt(stolen, one, 6)).toBeGreaterThan(0.7)
    }
    for (const one of known('stolen-time')) {
      const { entity } = one.truth
      expect(took(one, entity, 6, 14) / took(one, entity, -30, -5)).toBeGreaterThan(20)
      expect(grew(one, ({ callee }) => callee === entity, 6, 14)).toBeLessThan(2.5)
    }
  }, 120_000)

  it('ids: no number is left for a row of one table from the first failure on, and only who writes there fails', () => {
    for (const one of incidentsOf('used-up-ids')) {
      const left = named(one, 'db_ids_left').filter(({ entity }) => entity === one.truth.entity)
      const [none, ...others] = left.filter((series) => valueAt(series, one, 1) === 0)
      expect(others).toEqual([])
      expect(valueAt(none as NonNullable<typeof none>, one, -10)).toBeGreaterThan(1_000)
    }
    for (const one of known('used-up-ids')) {
      const [writer = ''] = partners(
        one,
        ({ callee }) => callee !== one.truth.entity && isThePlace(one.truth, callee),
        'callee',
      )
      expect(failing(one, ({ callee }) => callee === writer, 1, 14)).toBeGreaterThan(0.3)
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 1, 14)).toBeLessThan(0.05)
    }
  }, 120_000)

  it('a reload: a process ends once, its service is gone for half a minute and fails less and less for long', () => {
    for (const one of incidentsOf('slow-reload')) {
      const loaded = gauge(one, 'dataset_loaded_ratio', one.truth.entity)
      expect(valueAt(loaded, one, -10)).toBeGreaterThan(0.97)
      expect(valueAt(loaded, one, 2)).toBeLessThan(0.15)
      expect(valueAt(loaded, one, 10)).toBeGreaterThan(valueAt(loaded, one, 4) + 0.1)
    }
    for (const one of known('slow-reload')) {
      const of = ({ callee }: held.Called): boolean => callee === one.truth.entity
      expect(failing(one, of, 1, 4)).toBeGreaterThan(0.6)
      expect(failing(one, of, 11, 14)).toBeLessThan(failing(one, of, 1, 4) - 0.2)
    }
  }, 120_000)

  it('a pool: requests wait in one pod of a service alone, a part of its requests fails, and its store is quick', () => {
    for (const one of incidentsOf('one-full-pool')) {
      const waiting = named(one, 'db_pool_requests_waiting').filter(
        ({ entity }) => entity === one.truth.entity,
      )
      expect(waiting.length).toBeGreaterThan(1)
      expect(waiting.filter((series) => valueAt(series, one, 4) > 20)).toHaveLength(1)
    }
    for (const one of known('one-full-pool')) {
      const share = failing(one, ({ callee }) => callee === one.truth.entity, 5, 14)
      expect(share).toBeGreaterThan(0.15)
      expect(share).toBeLessThan(0.75)
      for (const callee of partners(one, ({ caller }) => caller === one.truth.entity, 'callee'))
        expect(took(one, callee, 5, 14) / took(one, callee, -30, -5)).toBeLessThan(2)
    }
  }, 120_000)

  it('the pair: all hear nothing of flags, pods begun since then lose calls, the partners’ release takes requests for others', () => {
    for (const one of incidentsOf('defaults-and-keys')) {
      expect(one.truth.entity).toBe(FLAGS)
      const silent = named(one, 'feature_flag_sign_age_seconds').filter(
        (series) => valueAt(series, one, 3) > 120,
      )
      expect(silent.length).toBeGreaterThan(4)
      const defaults = named(one, 'feature_flag_defaults_per_second').filter(({ entity }) =>
        isThePlace(one.truth, entity),
      )
      expect(defaults.map((series) => valueAt(series, one, 8) > 5)).toEqual([true])
      expect(one.snapshot.changes.some(({ files }) => files?.includes('partner-rules/src/once.go'))).toBe(
        true,
      )
      expect(valueAt(gauge(one, 'idempotency_conflicts_per_second', PARTNER_RULES), one, 9)).toBeGreaterThan(
        5,
      )
    }
    for (const one of known('defaults-and-keys'))
      expect(
        failing(one, ({ caller, callee }) => isThePlace(one.truth, caller) && !callee.endsWith('-db'), 6, 14),
      ).toBeGreaterThan(0.15)
  }, 120_000)
})
