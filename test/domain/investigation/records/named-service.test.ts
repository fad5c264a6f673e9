import { expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { isNamedService } from '#shared/domain/investigation/records/named-service.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, EMPTY, series } from '../incident-scenarios.ts'

const named = (service: string, more: Partial<Snapshot> = {}): boolean => {
  const snapshot = { ...EMPTY, series: [series('stock', 'http_5xx_ratio', 0, 0.4)], ...more }
  return isNamedService(snapshot, entityNames(snapshot), service)
}

it('a service is named by what was measured of it, by whatever of its names', () => {
  expect(named('stock')).toBe(true)
  expect(named('Stock')).toBe(true)
  expect(named('ledger')).toBe(false)
  const entities = [
    { name: 'stock', kind: 'service' as const, aliases: [{ alias: 'shelf-svc', learnt_from: 't' }] },
  ]
  expect(named('shelf-svc', { entities })).toBe(true)
})

it('a service is named by an alert of a tool, though nothing of it is measured', () => {
  expect(named('ledger', { alerts: [alert('ledger', 'down')] })).toBe(true)
  expect(named('ledger', { alerts: [alert('stock', 'down')] })).toBe(false)
  const { service: _, ...nobodys } = alert('stock', 'down')
  expect(named('ledger', { alerts: [nobodys] })).toBe(false)
})

it('no service is missed where nothing at all is named', () => {
  expect(named('ledger', { series: [] })).toBe(true)
})
