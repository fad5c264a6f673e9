import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { ControlPlaneEvent, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, lines, ONSET, series } from './incident-scenarios.ts'

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
