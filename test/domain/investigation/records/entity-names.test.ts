import { describe, expect, it } from 'vitest'
import { entityNames, stemOf } from '#shared/domain/investigation/records/entity-names.ts'
import { alert, deploy, EMPTY, lines, pattern, series } from '../incident-scenarios.ts'

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

  it('takes a letter of any script, of one code unit or two, for a part of the word that it stands in', () => {
    for (const text of ['écart', 'cartとは', '\u{1d49c}cart', 'cart\u{1d49c}', 'cart2'])
      expect([text, names.mentionedIn(text)]).toEqual([text, []])
    for (const text of ['\u{1f6d2}cart\u{1f6d2}', '(cart)', '_cart_', 'cart'])
      expect([text, names.mentionedIn(text)]).toEqual([text, ['cart']])
  })

  it('takes names out where they stand, though a letter before them is longer in lower case', () => {
    expect(names.withoutNames('\u0130\u0130 cart is down')).toBe('\u0130\u0130   is down')
  })

  it('finds the longer name alone where a shorter one begins within it', () => {
    const nested = entityNames({
      ...EMPTY,
      entities: ['db', 'cart-db', 'cart'].map((name) => ({ name, kind: 'service', aliases: [] })),
    })
    expect(nested.mentionedIn('cart-db is down')).toEqual(['cart-db'])
    expect(nested.mentionedIn('db, cart-db and cart')).toEqual(['db', 'cart-db', 'cart'])
    expect(nested.mentionedIn('cart-dbs')).toEqual(['cart'])
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

  it('takes a name that is written otherwise for the same, and the longer of two that begin alike', () => {
    const both = entityNames({
      ...EMPTY,
      entities: ['cart', 'cart-worker', 'Mail'].map((name) => ({ name, kind: 'service', aliases: [] })),
    })
    expect(both.mentionedIn('the cart-worker and CART wait')).toEqual(['cart-worker', 'cart'])
    expect(both.mentionedIn('cart cart cart')).toEqual(['cart'])
    expect(both.canonical('mail')).toBe('Mail')
    expect(both.canonical('MAIL')).toBe('Mail')
    expect(both.withoutNames('cart-worker')).toBe(' ')
  })

  it('reads every sign of a name as that sign', () => {
    const odd = entityNames({
      ...EMPTY,
      entities: ['a.b', 'c+d', 'e(f)'].map((name) => ({ name, kind: 'service', aliases: [] })),
    })
    expect(odd.mentionedIn('axb ccd ef')).toEqual([])
    expect(odd.mentionedIn('a.b, c+d')).toEqual(['a.b', 'c+d'])
  })

  it('knows no entity of a record without a name', () => {
    const { service: _, ...nameless } = alert('x', 'errors')
    expect(entityNames({ ...EMPTY, alerts: [nameless, alert('', 'errors')] }).all).toEqual([])
  })

  it('finds a path’s owner by its name, an alias or its stem, wherever the folder stands, and each once', () => {
    const owners = entityNames({
      ...EMPTY,
      entities: [
        { name: 'Billing-API', kind: 'service', aliases: [{ alias: 'money', learnt_from: 'labels' }] },
        { name: 'mail', kind: 'service', aliases: [] },
        { name: 'mail-service', kind: 'service', aliases: [] },
      ],
    })
    expect(owners.ownersOf('apps/Billing-API/src/a.ts')).toEqual(['Billing-API'])
    expect(owners.ownersOf('money/a.ts')).toEqual(['Billing-API'])
    expect(owners.ownersOf('billing/billing-api/a.ts')).toEqual(['Billing-API'])
    // A stem that is itself a name is that one.
    expect(owners.ownersOf('mail/a.ts')).toEqual(['mail'])
    expect(owners.ownersOf('mail-service/a.ts')).toEqual(['mail-service'])
    expect(owners.ownersOf('lib/a.ts')).toEqual([])
  })

  it.each(['service', 'svc', 'server', 'api', 'app', 'deployment', 'worker'])('drops a final %s', (word) => {
    for (const separator of ['-', '_', '.', ' ', '']) expect(stemOf(`Cart${separator}${word}`)).toBe('cart')
    expect(stemOf(`${word}-carts`)).toBeNull()
    expect(stemOf(`ab-${word}`)).toBeNull()
  })

  it('knows what one record alone names: an alert, a series, either side of a call', () => {
    expect(entityNames({ ...EMPTY, alerts: [alert('a', 'errors')] }).all).toEqual(['a'])
    expect(entityNames({ ...EMPTY, series: [series('b', 'x', 1, 1)] }).all).toEqual(['b'])
    const edge = { source: 'edges', caller: 'c', callee: 'd', t0: 0, interval_s: 60, calls: 1 }
    expect(entityNames({ ...EMPTY, edges: [edge] }).all).toEqual(['c', 'd'])
  })

  it('keeps a stem of three letters, and none that a name or two names claim', () => {
    expect([stemOf('web-api'), stemOf('ab-api')]).toEqual(['web', null])
    const of = (...list: readonly string[]) =>
      entityNames({
        ...EMPTY,
        entities: list.map((name) => ({ name, kind: 'service' as const, aliases: [] })),
      })
    expect(of('web-api').ownersOf('web/a.ts')).toEqual(['web-api'])
    expect(of('web-api', 'web-worker').ownersOf('web/a.ts')).toEqual([])
    expect(of('web-api', 'web').ownersOf('web-svc/a.ts')).toEqual([])
    expect(of('web-api', 'web').ownersOf('web/a.ts')).toEqual(['web'])
    expect(of('cart', 'mail').ownersOf('lib/src/a.ts')).toEqual([])
  })

  it('takes the last part of a path for a file and for no folder', () => {
    expect(names.ownersOf('services/cart')).toEqual([])
    expect(names.ownersOf('cart/cart')).toEqual(['cart'])
  })

  it('answers the same of a text that was asked about before', () => {
    for (let again = 0; again < 2; again++) expect(names.mentionedIn('cart and web')).toEqual(['cart', 'web'])
  })
})
