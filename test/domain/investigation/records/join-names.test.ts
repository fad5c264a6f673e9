import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { withOneName } from '#shared/domain/investigation/records/join-names.ts'
import type { Entity, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, calls, commit, deploy, EMPTY, lines, ONSET, pattern, series } from '../incident-scenarios.ts'

/** Metrics say `orders`, the log tool `orders-svc`, the delivery tool `shop/orders`. */
const spoken = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...EMPTY,
  series: [series('orders', 'http_5xx_ratio', 0.01, 0.5)],
  logs: lines('orders-svc', 'ERROR', 'no permits left', ONSET, ONSET + 20),
  changes: [deploy('d', ONSET - 2, 'shop/orders', 'v2', [])],
  ...more,
})

const entity = (name: string, more: Partial<Entity> = {}): Entity => ({
  name,
  kind: 'service',
  aliases: [],
  ...more,
})

describe('one name for each service', () => {
  it('is that of its measurements where names differ by a namespace or a word for service, and is told as a guess', () => {
    const joined = withOneName(spoken())
    expect(joined.series[0]?.entity).toBe('orders')
    expect(joined.logs[0]?.service).toBe('orders')
    expect(joined.changes[0]?.entity).toBe('orders')
    expect(joined.entities).toEqual([
      entity('orders', {
        aliases: [
          { alias: 'orders-svc', learnt_from: 'a name like it' },
          { alias: 'shop/orders', learnt_from: 'a name like it' },
        ],
      }),
    ])
    expect(joined.gaps.at(-1)?.why).toContain('orders = orders-svc = shop/orders')
  })

  it('reaches every list of records', () => {
    const joined = withOneName(
      spoken({
        alerts: [alert('orders.shop.svc.cluster.local', 'errors')],
        edges: calls('web', 'orders_service').slice(0, 1),
        patterns: [{ ...pattern('orders service', 'x', 3, 0), source: 'counted' }],
        events: [
          {
            source: 'cloud',
            timestamp: 0,
            resource: 'r',
            service: 'Orders',
            kind: 'k',
            message: 'm',
          },
        ],
      }),
    )
    expect(joined.alerts[0]?.service).toBe('orders')
    expect(joined.edges[0]).toMatchObject({ caller: 'web', callee: 'orders' })
    expect(joined.patterns[0]?.service).toBe('orders')
    expect(joined.events[0]?.service).toBe('orders')
  })

  it('keeps apart what one tool tells apart', () => {
    const given = spoken({
      series: [
        series('orders', 'http_5xx_ratio', 0.01, 0.5),
        series('orders-service', 'http_5xx_ratio', 0, 0),
      ],
    })
    expect(withOneName(given)).toBe(given)
  })

  it('keeps apart what is declared apart, other kinds of things, other namespaces and rehearsals', () => {
    for (const more of [
      { entities: [entity('orders'), entity('orders-svc')] },
      { entities: [entity('orders', { kind: 'queue' })] },
      { edges: calls('web', 'depot/orders').slice(0, 1) },
    ] satisfies Partial<Snapshot>[])
      expect(withOneName(spoken(more))).toMatchObject({ changes: [{ entity: 'shop/orders' }] })
    const rehearsal = withOneName(spoken({ logs: [], changes: [deploy('d', 1, 'staging/orders', 'v2', [])] }))
    expect(rehearsal.changes[0]?.entity).toBe('staging/orders')
  })

  it('leaves an api, a worker and names of two letters alone', () => {
    const given: Snapshot = {
      ...EMPTY,
      series: [series('orders', 'x', 1, 1), series('ab', 'x', 1, 1)],
      logs: lines('orders-api', 'INFO', 'x', 0, 1),
      changes: [deploy('d', 1, 'ab-svc', 'v', []), deploy('e', 1, 'orders-worker', 'v', [])],
    }
    expect(withOneName(given)).toBe(given)
  })

  it('follows declared aliases without calling them a guess', () => {
    const given = spoken({
      entities: [
        entity('orders', {
          aliases: [
            { alias: 'orders-svc', learnt_from: 'labels' },
            { alias: 'shop/orders', learnt_from: 'settings' },
          ],
        }),
      ],
    })
    const joined = withOneName(given)
    expect(joined.changes[0]?.entity).toBe('orders')
    expect(joined.gaps).toEqual(given.gaps)
  })

  it('lets a change be linked to the place that another tool measured', () => {
    const release = commit(
      'c'.repeat(40),
      ONSET - 5,
      'Smaller pool',
      ['orders/db.ts'],
      '-  pool: 50\n+  pool: 2',
    )
    const found = investigate({
      ...spoken({
        alerts: [alert('orders', 'http_5xx_ratio')],
        logs: lines(
          'orders-svc',
          'ERROR',
          'timed out acquiring a connection from the pool',
          ONSET,
          ONSET + 20,
        ),
        changes: [
          { ...release, entity: 'shop/orders' },
          deploy('d', ONSET - 2, 'shop/orders', 'v2', [release.id]),
        ],
      }),
    })
    expect(found.cause).toMatchObject({ level: 'change', change: release.id, entity: 'orders' })
    expect(found.gaps.map(({ what }) => what)).toContain('names')
  })
})
