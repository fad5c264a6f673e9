import { describe, expect, it } from 'vitest'
import * as held from '#test/bench/generation-guarantees.ts'
import { PARTNER_RULES } from './eighth-surroundings.ts'
import { ELEVENTH_CHANGED } from './eleventh-changed-faults.ts'
import { BROKER, POOLED } from './eleventh-surroundings.ts'
import { ELEVENTH_UNCHANGED } from './eleventh-unchanged-faults.ts'
import { STORE_FIREWALL } from './seventh-surroundings.ts'
import { isThePlace } from './truth.ts'

const { causeOf, failing, gauge, grew, named, partners, took, valueAt } = held
const ELEVENTH = held.generationOf(ELEVENTH_CHANGED, ELEVENTH_UNCHANGED, 19_000_000)
const { incidentsOf, known } = ELEVENTH

held.describeBlindGeneration(ELEVENTH, {
  called: 'eleventh',
  same_seed: 'malformed-variable',
  scored: [
    ['moved-table', 18_000_000, '42a3615fc2f4cbee'],
    ['unknown-form', 18_000_004, 'b3b521104baaed48'],
    ['held-in-memory', 18_000_010, '2454c923c02e1cd4'],
    ['taken-connections', 18_000_009, '3de09e10a29f5495'],
  ],
  measured: [
    'db_unknown_relation_errors_per_second',
    'settings_parse_errors_per_minute',
    'http_client_session_mismatches_per_second',
    'event_guests_turned_away_per_second',
    'tokens_issued_per_second',
    'tokens_refused_per_second',
    'db_pool_connections_open',
    'exports_in_progress',
    'heap_used_after_gc_ratio',
    'firewall_core_used_ratio',
    'firewall_multicast_packets_per_second',
    'broker_publish_confirm_seconds',
    'broker_messages_unconfirmed',
    'balancer_connections_by_client',
    'rate_limit_rejections_per_second',
  ],
  delays: {
    'moved-table': 4,
    'malformed-variable': 1,
    'mixed-sessions': 4,
    'private-events': 11,
    'unknown-form': 5,
  },
  blind: { incidents: 30, farthest: 3, latest_deploy: 0, latest_change: 3 },
  shapes: {
    'a table in another schema': ({ diff }) => /SET SCHEMA \w+;/.test(diff ?? ''),
    'a variable': ({ files }) => files?.some((file) => file.endsWith('/env.yaml')) === true,
    'another library': ({ diff }) => /\+ {4}"\w+-wrap"/.test(diff ?? ''),
    'a question at the door': ({ diff }) => diff?.includes('const waiting = ') === true,
    'another form': ({ diff }) => /\+ {4}form: \d/.test(diff ?? ''),
    'a limiter': ({ files }) => files?.some((file) => file.endsWith('/limiter.go')) === true,
  },
  beside: { asked: PARTNER_RULES, but: 'taken-connections' },
  said: /no pool|OutOfMemoryError|none sent yet|queue is full|was confirmed after|connections are in use/,
})

describe('the changes of the eleventh generation', () => {
  it('a table: the pods that have the release are well, those before it fail from its minute on', () => {
    for (const one of incidentsOf('moved-table')) {
      const { entity } = one.truth
      const unknown = gauge(one, 'db_unknown_relation_errors_per_second', entity)
      expect(valueAt(unknown, one, 2)).toBeGreaterThan(10 * valueAt(unknown, one, -60))
      const saying = one.snapshot.logs.filter(({ message }) => message.includes('(42P01)'))
      const deploy = one.snapshot.changes.find(
        ({ kind, carries }) => kind === 'deploy' && carries?.some((id) => id === one.truth.change),
      )
      expect(deploy?.recorded_at).toBeGreaterThan(one.truth.began_ms - held.MINUTE_MS)
      if (saying.length > 0) expect(saying.some(({ timestamp }) => timestamp > one.truth.began_ms)).toBe(true)
    }
    for (const one of known('moved-table'))
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 3, 15)).toBeGreaterThan(0.3)
  }, 120_000)

  it('a variable: its service alone fails within two minutes, and the diff shows why it cannot be read', () => {
    for (const one of known('malformed-variable')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, 2, 14)).toBeGreaterThan(0.6)
      expect(failing(one, ({ caller }) => caller === entity, 2, 14)).toBeLessThan(0.05)
      expect(causeOf(one)?.diff).toContain('"b1]')
    }
  }, 120_000)

  it('a library: who has it is refused by one whom it asks, as often as sessions differ, and nobody else is', () => {
    for (const one of known('mixed-sessions')) {
      const { entity } = one.truth
      const asked = partners(one, ({ caller }) => caller === entity, 'callee')
      const refusing = asked.filter(
        (callee) => failing(one, (edge) => edge.caller === entity && edge.callee === callee, 5, 14) > 0.2,
      )
      expect(refusing).toHaveLength(1)
      expect(
        failing(one, (edge) => edge.caller !== entity && refusing.includes(edge.callee), 5, 14),
      ).toBeLessThan(0.05)
      expect(causeOf(one)?.diff).toContain('web-wrap')
    }
  }, 120_000)

  it('a question: its service is well for minutes after its deploy, and turns some away when the next event opens', () => {
    for (const one of known('private-events')) {
      const { entity } = one.truth
      expect(failing(one, ({ callee }) => callee === entity, -7, -1)).toBeLessThan(0.03)
      expect(failing(one, ({ callee }) => callee === entity, 3, 14)).toBeGreaterThan(0.2)
      expect(failing(one, ({ callee }) => callee === entity, 3, 14)).toBeLessThan(0.6)
    }
  }, 120_000)

  it('a form: the old part refuses ever more of all who ask it, and the issuer is well', () => {
    for (const one of known('unknown-form')) {
      const [old = ''] = partners(
        one,
        ({ callee }) => callee !== one.truth.entity && isThePlace(one.truth, callee),
        'callee',
      )
      const early = failing(one, ({ callee }) => callee === old, 1, 4)
      expect(failing(one, ({ callee }) => callee === old, 10, 15)).toBeGreaterThan(early + 0.15)
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 2, 14)).toBeLessThan(0.05)
    }
  }, 120_000)
})

describe('what happens by itself in the eleventh generation', () => {
  it('a restart: its platform tells of it, no connections are left, and nobody was shipped anything', () => {
    for (const one of incidentsOf('unconnected-restart')) {
      const pooled = gauge(one, 'db_pool_connections_open', one.truth.entity)
      expect(valueAt(pooled, one, -10)).toBeGreaterThan(POOLED / 2)
      expect(valueAt(pooled, one, 6)).toBeLessThan(1)
    }
    for (const one of known('unconnected-restart')) {
      expect(failing(one, ({ callee }) => callee === one.truth.entity, 8, 15)).toBeGreaterThan(0.7)
      expect(grew(one, ({ caller }) => caller === one.truth.entity, 8, 15)).toBeLessThan(0.4)
    }
  }, 120_000)

  it('exports: the heap is full again and again, pods end in turn, and what they call is well', () => {
    for (const one of incidentsOf('held-in-memory')) {
      const { values } = gauge(one, 'heap_used_after_gc_ratio', one.truth.entity)
      expect(Math.max(...values)).toBeGreaterThan(0.9)
      const running = gauge(one, 'exports_in_progress', one.truth.entity)
      expect(valueAt(running, one, 3)).toBeGreaterThan(4)
    }
    for (const one of known('held-in-memory'))
      expect(failing(one, ({ caller }) => caller === one.truth.entity, 2, 14)).toBeLessThan(0.05)
  }, 120_000)

  it('a core: all who ask a store lose calls and wait, whichever store, and one core alone is full', () => {
    for (const one of known('flooded-core')) {
      const store = ({ callee }: held.Called): boolean => callee.endsWith('-db') && callee !== 'partner-db'
      for (const callee of partners(one, store, 'callee'))
        expect(failing(one, (edge) => edge.callee === callee, 4, 14)).toBeGreaterThan(0.12)
      expect(failing(one, (edge) => !store(edge), -20, -2)).toBeLessThan(0.03)
      const cores = named(one, 'firewall_core_used_ratio').filter(({ entity }) => entity === STORE_FIREWALL)
      expect(cores.filter((core) => valueAt(core, one, 5) > 0.95)).toHaveLength(1)
    }
  }, 120_000)

  it('a broker: who publishes is slow and what it calls is not', () => {
    for (const one of known('slow-confirms')) {
      const [service = ''] = partners(one, ({ callee }) => isThePlace(one.truth, callee), 'callee')
      expect(took(one, service, 5, 14) / took(one, service, -30, -5)).toBeGreaterThan(5)
      expect(valueAt(gauge(one, 'broker_publish_confirm_seconds', BROKER), one, 6)).toBeGreaterThan(2)
      for (const callee of partners(one, ({ caller }) => caller === service, 'callee'))
        expect(took(one, callee, 5, 14) / took(one, callee, -30, -5)).toBeLessThan(2)
    }
  }, 120_000)

  it('the pair: calls by one balancer fail, its connections are one machine’s, the partners are sent back by a limiter', () => {
    for (const one of incidentsOf('taken-connections')) {
      const by = named(one, 'balancer_connections_by_client').filter(
        ({ entity, labels }) => entity === one.truth.entity && isThePlace(one.truth, labels.client ?? ''),
      )
      expect(by.map((each) => valueAt(each, one, 5) > 3_000)).toEqual([true])
      expect(one.snapshot.changes.some(({ files }) => files?.includes('partner-rules/src/limiter.go'))).toBe(
        true,
      )
      const sentBack = gauge(one, 'rate_limit_rejections_per_second', PARTNER_RULES)
      expect(valueAt(sentBack, one, 9)).toBeGreaterThan(5)
      expect(one.snapshot.alerts[0]?.fired_at).toBeGreaterThan(one.truth.began_ms)
    }
  }, 120_000)
})
