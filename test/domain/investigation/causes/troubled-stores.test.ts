import { describe, expect, it } from 'vitest'
import { troubledStores } from '#shared/domain/investigation/causes/troubled-stores.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { ControlPlaneEvent, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { BARE, place, risen } from '../scene-by-hand.ts'

/** A shop whose catalogue database cannot bear what reaches it. */
function find(more: Partial<Snapshot> = {}): Findings {
  return investigate({
    ...EMPTY,
    alerts: [alert('shop', 'http_5xx_ratio')],
    edges: [...calls('shop', 'catalog', 0.4), ...calls('catalog', 'catalog-db', 0.4)],
    changes: [
      commit('aa11', 20, 'Say how to run the tests', ['shop/README.md'], null),
      deploy('d1', 30, 'shop', 'v2', ['aa11']),
    ],
    ...more,
    series: [
      series('shop', 'http_5xx_ratio', 0.003, 0.4),
      series('catalog-db', 'http_5xx_ratio', 0.003, 0.4),
      series('catalog-db', 'db_connections_active', 20, 100),
      ...(more.series ?? []),
    ],
    logs: [
      ...lines('catalog', 'ERROR', 'FATAL: sorry, too many clients already', ONSET),
      ...(more.logs ?? []),
    ],
  })
}
const event = (resource: string, minute: number, message: string): ControlPlaneEvent => ({
  ...{ source: 'events', timestamp: at(minute), resource, service: resource, kind: 'notification', message },
})
const named = lines('catalog', 'ERROR', 'memcached: connect timeout to prices-memcached:11211', ONSET)

describe('a store that others lean on', () => {
  it('is named where it lost what it kept, not the database that bears its load from then on', () => {
    const found = find({
      series: [series('prices-memcached', 'memcached_current_items', 80_000, 900)],
      events: [event('prices-memcached', ONSET - 2, 'Cache node 0002 restarted')],
    })
    expect(found.cause).toMatchObject({ kind: 'infra', entity: 'prices-memcached', change: null })
    expect(found.confidence).toBeGreaterThan(0.6)
    expect(found.evidence.map(({ content }) => content).join('\n')).toContain('memcached_current_items')
    expect(find().cause.entity).not.toBe('prices-memcached')
  })

  it('is possible where its own state is all that says so', () => {
    const alone = find({ series: [series('prices-memcached', 'memcached_current_items', 80_000, 900)] })
    expect(alone.confidence).toBeLessThan(0.5)
    const both = find({
      series: [series('prices-memcached', 'memcached_current_items', 80_000, 900)],
      logs: named,
    })
    expect(both.cause.entity).toBe('prices-memcached')
    expect(both.confidence).toBeGreaterThan(alone.confidence)
  })

  it('that pushes out what is asked for lacks room', () => {
    const found = find({
      series: [
        series('prices-memcached', 'evictions_per_second', 2, 900),
        series('prices-memcached', 'cache_hit_ratio', 0.97, 0.5),
      ],
      logs: named,
    })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'prices-memcached' })
    expect(found.remediation.action).toBe('scale')
  })

  it('that is asked for what it does not hold is told by its hit ratio or by its misses', () => {
    for (const one of [
      series('prices-memcached', 'cache_hit_ratio', 0.97, 0.5),
      series('prices-memcached', 'keyspace_misses_per_second', 4, 400),
    ])
      expect(find({ series: [one], logs: named }).cause).toMatchObject({
        ...{ kind: 'infra', entity: 'prices-memcached' },
      })
  })

  it('that finds less and has its processor at its end has more to do than it can', () => {
    const finds = series('prices-redis', 'cache_hit_ratio', 0.97, 0.06)
    const busy = series('prices-redis', 'engine_cpuutilization_average', 17, 99)
    const percent = { ...busy, unit: '%' }
    expect(find({ series: [finds, percent] }).cause).toMatchObject({
      kind: 'capacity',
      entity: 'prices-redis',
    })
    expect(find({ series: [finds, percent] }).hypotheses[0]?.statement).toContain('more to do than it can')
    // Busy as ever, or of another, or later, it is not why.
    const half = { ...series('prices-redis', 'engine_cpuutilization_average', 17, 60), unit: '%' }
    const others = { ...series('mail-redis', 'engine_cpuutilization_average', 17, 99), unit: '%' }
    const late = { ...series('prices-redis', 'engine_cpuutilization_average', 17, 99, ONSET + 8), unit: '%' }
    for (const one of [half, others, late])
      expect(JSON.stringify(find({ series: [finds, one] }).hypotheses)).not.toContain(
        'more to do than it can',
      )
    // What is kept in vain says nothing of why by itself.
    expect(JSON.stringify(find({ series: [percent] }).hypotheses)).not.toContain('more to do than it can')
  })

  it('may be a replica that is behind', () => {
    const found = find({
      series: [series('catalog-db-replica-2', 'replica_lag_seconds', 0.2, 95, ONSET - 3)],
      logs: lines('catalog', 'ERROR', 'price 4 not found on catalog-db-replica-2 after write', ONSET),
    })
    expect(found.cause).toMatchObject({ kind: 'infra', entity: 'catalog-db-replica-2' })
  })

  it('is no replica that caught up while users are hurt as before', () => {
    const lag = (to: number) => series('catalog-db-replica-2', 'replica_lag_seconds', 0.2, 95, ONSET - 3, to)
    const isNamed = (to: number): boolean =>
      find({ series: [lag(to)] }).hypotheses.some(
        ({ cause }) => cause.kind === 'infra' && cause.entity === 'catalog-db-replica-2',
      )
    expect(isNamed(ONSET + 10)).toBe(false)
    expect(isNamed(ONSET + 27)).toBe(true)
    // A cache that is filled again may leave what it brought about behind it.
    const items = series('prices-memcached', 'memcached_current_items', 80_000, 900, ONSET, ONSET + 10)
    expect(find({ series: [items] }).hypotheses.map(({ cause }) => cause.entity)).toContain(
      'prices-memcached',
    )
  })

  it('is told by its platform and by who calls it, though it measures nothing', () => {
    const logs = lines('catalog', 'ERROR', 'produce to events-broker-3 failed: timed out', ONSET)
    const found = find({ events: [event('events-broker-3', ONSET - 1, 'Broker is rebooting')], logs })
    expect(found.cause).toMatchObject({ kind: 'infra', entity: 'events-broker-3' })
    const others = [
      event('events-broker-3', ONSET - 1, 'Snapshot of the broker started, then terminated'),
      event('events-broker-3', ONSET - 1, 'A restart is planned for Sunday'),
      event('events-broker-3', ONSET - 1, 'Rolling restart finished'),
      event('events-broker-3', ONSET - 60, 'Broker is rebooting'),
    ]
    for (const other of others)
      expect(find({ events: [other], logs }).cause.entity).not.toBe('events-broker-3')
  })

  it('is none that nobody names and that shows nothing of its own', () => {
    expect(find({ events: [event('wiki-cache', ONSET - 1, 'Node restarted')] }).cause.entity).not.toBe(
      'wiki-cache',
    )
  })

  it('is none whose state left normal after everybody else, came back before, or moved a little', () => {
    const states = [
      series('wiki-cache', 'cache_items', 5_000, 100, ONSET + 10),
      series('wiki-cache', 'cache_items', 5_000, 100, ONSET - 12, ONSET - 8),
      series('wiki-cache', 'cache_items', 5_000, 4_000),
      series('wiki-cache', 'cache_items', 5_000, 9_000),
      series('wiki-cache', 'cache_hit_ratio', 0.6, 0.5),
    ]
    for (const one of states)
      expect(
        find({ series: [one] }).hypotheses.map(({ cause }) => cause.kind === 'infra' && cause.entity),
      ).not.toContain('wiki-cache')
  })
})

const line = (text: string, entity: string | null, more: Partial<Line> = {}): Line => ({
  ...{ text, entity, count: 9, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const RESTARTED = line('restarted', 'vault', { origin: 'event', count: 1, source: 'events' })
const NAMES = line('vault refused', 'web')
const GONE = { direction: 'down' as const, before: 100, during: 60, extreme: 50 }
const items = (more: Partial<SeriesShift> = {}, entity = 'vault') =>
  risen(entity, 'cache_items', { ...GONE, ...more })
const rose = (name: string, more: Partial<SeriesShift> = {}, entity = 'vault') =>
  risen(entity, name, { before: 10, during: 20, ...more })

/** What is told of stores where just these lines and these shifts were seen. */
const told = ({
  lines: said = [],
  shifts = [],
  observed = {},
  onset = at(ONSET),
}: {
  lines?: readonly Line[]
  shifts?: readonly SeriesShift[]
  observed?: Partial<Scene['observed']>
  onset?: number | null
}) => {
  const all: Snapshot = {
    ...EMPTY,
    entities: ['web', 'vault', 'attic'].map((name) => ({ name, kind: 'service' as const, aliases: [] })),
  }
  return troubledStores({
    ...{ snapshot: all, symptoms: [], names: entityNames(all), lines: said, onset },
    observed: { ...BARE, shifts, ...observed },
  })
}
const isTold = (shift: SeriesShift, observed: Partial<Scene['observed']> = {}): boolean =>
  told({ shifts: [shift], observed }).length > 0

describe('the signs of a store in trouble', () => {
  it('are its state, what its platform recorded, and who names it; one alone is only possible', () => {
    const [all] = told({ lines: [RESTARTED, NAMES, NAMES], shifts: [items()] })
    expect(all).toMatchObject({ kind: 'infra', entity: 'vault', score: 0.803375, action: 'escalate' })
    expect(all).toMatchObject({ what: 'a store that lost what it kept', yields_to_changes: false })
    expect(all?.at_most).toBeUndefined()
    expect(all?.signs.map(({ strength, fact }) => [strength, fact.of])).toEqual([
      ...[
        [0.45, 'shift'],
        [0.45, 'text'],
        [0.35, 'text'],
      ],
    ])
    const [alone] = told({ shifts: [items()] })
    expect(alone).toMatchObject({ score: 0.45, yields_to_changes: true })
    expect(alone?.at_most).toBeLessThan(0.5)
    expect(told({ lines: [RESTARTED, NAMES] })).toMatchObject([
      { kind: 'infra', what: 'an interruption of what others lean on', score: 0.6425 },
    ])
    expect(told({ lines: [RESTARTED] })).toEqual([])
    expect(told({ lines: [NAMES] })).toEqual([])
  })

  it.each([
    ['cache_items', GONE, 'infra', 'a store that lost what it kept', 'escalate'],
    ['keyspace_misses', {}, 'infra', 'a cache that no longer holds what is asked for', 'escalate'],
    [
      'cache_hit_ratio',
      { direction: 'down' as const, before: 0.9, during: 0.75 },
      'infra',
      'a cache that no longer holds what is asked for',
      'escalate',
    ],
    ['evictions', {}, 'capacity', 'a cache that has no room for what is asked for', 'scale'],
    ['replica_lag_seconds', {}, 'infra', 'a replica that is behind', 'escalate'],
  ])('tell by %s what is the matter', (name, more, kind, what, action) => {
    expect(told({ shifts: [rose(name, more)] })).toMatchObject([{ kind, what, action }])
  })

  it('are half of an answer by hits that fall alone, since what is kept and for how long may be changed', () => {
    const missed = rose('keyspace_misses')
    expect(told({ shifts: [missed], lines: [NAMES] })).toMatchObject([{ at_most: 0.49 }])
    expect(told({ shifts: [missed], lines: [NAMES] })[0]?.is_placed).toBeUndefined()
    for (const [shift, lines] of [
      [missed, [RESTARTED]],
      [items(), [NAMES]],
    ] as const) {
      const [one] = told({ shifts: [shift], lines: [...lines] })
      expect([one?.at_most, one?.is_placed]).toEqual([undefined, true])
    }
  })

  it('are known by those alone who name them where nothing of their own left normal', () => {
    const [one] = told({ lines: [RESTARTED, NAMES] })
    expect([one?.at_most, one?.is_placed]).toEqual([undefined, false])
  })

  it('tell first what is surest, then the first by name, and of one store what says most', () => {
    const entities = (list: readonly { readonly entity: string | null }[]) => list.map(({ entity }) => entity)
    for (const shifts of [
      [items(), items({}, 'attic')],
      [items({}, 'attic'), items()],
    ]) {
      expect(entities(told({ shifts }))).toEqual(['attic', 'vault'])
      expect(entities(told({ shifts, lines: [RESTARTED] }))).toEqual(['vault', 'attic'])
    }
    const ordered = [items(), rose('replica_lag_seconds'), rose('evictions'), rose('keyspace_misses')]
    for (const [index, shift] of ordered.entries())
      for (const other of ordered.slice(index + 1))
        for (const shifts of [
          [shift, other],
          [other, shift],
        ])
          expect(told({ shifts })[0]?.signs[0]?.fact).toMatchObject({ shift: { series: shift.series } })
    const twice = [items({ z: 8 }), items({ z: 7 })]
    expect(told({ shifts: twice })[0]?.signs[0]?.fact).toMatchObject({ shift: { z: 8 } })
  })

  it('are none where nobody knows since when', () => {
    expect(told({ shifts: [items()], lines: [RESTARTED, NAMES], onset: null })).toEqual([])
  })
})

describe('a state that is clear', () => {
  it('is half of what was kept that is gone', () => {
    expect(isTold(items({ extreme: 50 }))).toBe(true)
    expect(isTold(items({ extreme: 50.1 }))).toBe(false)
    expect(isTold(items({ direction: 'up', extreme: 50 }))).toBe(false)
    expect(isTold(items({ before: 0, extreme: 0 }))).toBe(false)
  })

  it('is a share found whose rest is twice as much', () => {
    const share = (more: Partial<SeriesShift>) =>
      isTold(rose('cache_hit_ratio', { direction: 'down', before: 0.75, during: 0.5, ...more }))
    expect(share({})).toBe(true)
    expect(share({ during: 0.51 })).toBe(false)
    expect(share({ direction: 'up' })).toBe(false)
    expect(share({ before: 0, during: -1 })).toBe(false)
  })

  it('is twice as much of what is missed, pushed out or behind', () => {
    for (const name of ['keyspace_misses', 'evictions', 'replica_lag_seconds']) {
      expect(isTold(rose(name))).toBe(true)
      expect(isTold(rose(name, { during: 19.9 }))).toBe(false)
      expect(isTold(rose(name, { direction: 'down', during: 90 }))).toBe(false)
    }
    expect(isTold(rose('http_requests'))).toBe(false)
  })

  it('began ten minutes before users felt it at most, and two after, and lasted until then', () => {
    const since = (minute: number, earliest = minute) =>
      isTold(items({ onset: { at: at(minute), earliest: at(earliest), latest: at(minute) } }))
    expect([since(ONSET - 10), since(ONSET - 11), since(ONSET + 2), since(ONSET + 3)]).toEqual([
      ...[true, false, true, false],
    ])
    expect(since(ONSET + 4, ONSET + 2)).toBe(true)
    expect(isTold(items({ ended_at: at(ONSET) }))).toBe(false)
    expect(isTold(items({ ended_at: at(ONSET) + 1 }))).toBe(true)
  })

  it('is no copy that caught up five minutes before users were well again', () => {
    const lag = (ended_at: number | null) => rose('replica_lag_seconds', { ended_at })
    const well = (ended_at: number | null) => ({ first: place('web', { ended_at }) })
    expect(isTold(lag(at(ONSET + 10)), well(at(ONSET + 15)))).toBe(true)
    expect(isTold(lag(at(ONSET + 10)), well(at(ONSET + 16)))).toBe(false)
    expect(isTold(lag(at(ONSET + 10)), well(null))).toBe(false)
    expect(isTold(lag(null), well(null))).toBe(true)
    expect(isTold(lag(at(ONSET + 10)), { first: null })).toBe(true)
    expect(isTold(items({ ended_at: at(ONSET + 10) }), well(null))).toBe(true)
  })
})

describe('what a platform recorded', () => {
  const isRecorded = (text: string, more: Partial<Line> = {}): boolean =>
    told({ lines: [{ ...RESTARTED, text, ...more }, NAMES] }).length > 0

  it.each([
    ...[
      'recovery of it',
      'recovering',
      'restart',
      're-started',
      'restarting',
      'reboot',
      'rebooted',
      're-booting',
    ],
    ...[
      'failover',
      'fail over',
      'failed over',
      'failing-over',
      'replaced',
      'replacement',
      'flush',
      'flushed',
      'flushall',
    ],
    ...[
      'purged',
      'crash',
      'crashed',
      'interrupted',
      'termination',
      'unhealthy',
      'unreachable',
      'degraded',
      'patching',
    ],
    ...['promotion', 'demoted', 'resharding', 're-sharding', 'rebalanced', 're-balancing'],
  ])('is an interruption: %s', (text) => {
    expect(isRecorded(text)).toBe(true)
  })

  it.each([
    ...[
      'a restart of backup',
      'snapshot restarted',
      'restart planned for today',
      'reboot is scheduled',
      'it will be rebooted',
    ],
    ...[
      'restart finished',
      'failover completed',
      'recovery done',
      'all is well',
      'prestarted',
      'overfailing',
    ],
  ])('is none: %s', (text) => {
    expect(isRecorded(text)).toBe(false)
  })

  it('was half an hour before users felt it at most, and two minutes after', () => {
    const minutes = [ONSET - 31, ONSET - 30, ONSET + 2, ONSET + 3]
    expect(minutes.map((minute) => isRecorded('restarted', { at: at(minute) }))).toEqual([
      ...[false, true, true, false],
    ])
    expect(isRecorded('restarted', { at: null })).toBe(false)
    expect(isRecorded('restarted', { entity: null })).toBe(false)
    expect(isRecorded('restarted', { origin: 'log' })).toBe(false)
  })

  it('is the latest of several, the first of two at once, in whichever order they come', () => {
    const earlier = { ...RESTARTED, at: at(ONSET - 3), text: 'rebooting' }
    for (const lines of [
      [RESTARTED, earlier, NAMES],
      [earlier, RESTARTED, NAMES],
    ])
      expect(told({ lines })[0]?.signs[0]?.fact).toMatchObject({ text: 'restarted' })
    const atOnce = told({ lines: [RESTARTED, { ...earlier, at: at(ONSET) }, NAMES] })
    expect(atOnce[0]?.signs[0]?.fact).toMatchObject({ text: 'restarted' })
  })
})

describe('those who name a store', () => {
  const isNamed = (...lines: readonly Line[]): boolean => told({ lines: [RESTARTED, ...lines] }).length > 0

  it('are others that fail, in logs, within five minutes and again and again', () => {
    expect(isNamed(NAMES)).toBe(true)
    expect(isNamed({ ...NAMES, at: at(ONSET + 5) })).toBe(true)
    for (const more of [
      { at: at(ONSET + 6) },
      { at: at(ONSET - 6) },
      { at: null },
      { count: 4 },
      { failing: false },
      { entity: 'vault' },
      { origin: 'event' as const },
      { text: 'attic refused' },
    ])
      expect(isNamed({ ...NAMES, ...more })).toBe(false)
    const [first] = told({
      lines: [RESTARTED, { ...NAMES, at: at(ONSET + 6), text: 'vault is slow' }, NAMES],
    })
    expect(first?.signs[1]?.fact).toMatchObject({ text: 'vault refused' })
  })
})
