import { describe, expect, it } from 'vitest'
import { entityNames, stemOf } from '#shared/domain/investigation/entity-names.ts'
import { alert, deploy, EMPTY, lines, pattern, series } from './incident-scenarios.ts'

const names = entityNames({
  ...EMPTY,
  entities: [
    { name: 'checkout-service', kind: 'service', aliases: [{ alias: 'co-prod', learnt_from: 'labels' }] },
  ],
  alerts: [alert('CO-PROD', 'errors')],
  series: [series('cart', 'x', 1, 1)],
  logs: lines('orders-api', 'INFO', 'x', 0, 1),
  changes: [deploy('d', 1, 'orders-worker', 'v', [])],
  patterns: [pattern('search.v2', 'x', 1, 0)],
  edges: [{ source: 'edges', caller: 'web', callee: 'cart', t0: 0, interval_s: 60, calls: 1 }],
  spans: [
    {
      source: 'traces',
      trace_id: 't',
      span_id: 's',
      parent_id: null,
      service: 'mail',
      name: 'x',
      start: 0,
      duration_us: 1,
      status: 'OK',
    },
  ],
  log_counts: [{ source: 'logs', service: 'counted', t0: 0, interval_s: 60, count: 1 }],
  events: [{ source: 'events', timestamp: 0, resource: 'db', service: 'ledger', kind: 'x', message: 'y' }],
})

describe('recognising entities', () => {
  it('knows every entity that a record names, aliases as the entity itself', () => {
    expect([...names.all].sort()).toEqual([
      'cart',
      'checkout-service',
      'counted',
      'ledger',
      'mail',
      'orders-api',
      'orders-worker',
      'search.v2',
      'web',
    ])
    expect(names.canonical('co-PROD')).toBe('checkout-service')
    expect(names.canonical('never seen')).toBe('never seen')
  })

  it('finds whole words only', () => {
    expect(names.mentionedIn('upstream cart timed out')).toEqual(['cart'])
    expect(names.mentionedIn('the cartoon timed out')).toEqual([])
    expect(names.mentionedIn('Co-Prod refused')).toEqual(['checkout-service'])
    expect(names.mentionedIn('searchXv2')).toEqual([])
  })

  it('takes names out of a text', () => {
    expect(names.withoutNames('cart calls web')).toBe('  calls  ')
    expect(entityNames(EMPTY).withoutNames('cart')).toBe('cart')
    expect(entityNames(EMPTY).mentionedIn('cart')).toEqual([])
  })

  it('finds a path’s owner by a folder, but not where two entities share the stem', () => {
    expect(names.ownersOf('services/checkout/handler.go')).toEqual(['checkout-service'])
    expect(names.ownersOf('services/checkout-svc/handler.go')).toEqual(['checkout-service'])
    expect(names.ownersOf('services/orders/handler.go')).toEqual([])
    expect(names.ownersOf('checkout.go')).toEqual([])
  })

  it('drops only the part that says what kind of thing it is', () => {
    expect(stemOf('payments-svc')).toBe('payments')
    expect(stemOf('paymentservice')).toBe('payment')
    expect(stemOf('cart')).toBeNull()
    expect(stemOf('db-api')).toBeNull()
  })
})
