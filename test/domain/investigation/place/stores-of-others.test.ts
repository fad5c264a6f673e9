import { describe, expect, it } from 'vitest'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { storeOfOthers } from '#shared/domain/investigation/place/stores-of-others.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Entity, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { calls, EMPTY } from '../incident-scenarios.ts'
import { BARE, graphOf, place, said } from '../scene-by-hand.ts'

const of = (kind: Entity['kind'], ...names: readonly string[]): Entity[] =>
  names.map((name) => ({ name, kind, aliases: [] }))
const SNAPSHOT: Snapshot = {
  ...EMPTY,
  entities: [...of('service', 'web', 'stock', 'reports'), ...of('datastore', 'stock-db', 'reports-db')],
}
const CALLS = graphOf({ web: ['stock'], stock: ['stock-db'], reports: ['reports-db'] })

/** Whether a store is others', where the stock fails and the web was asked about. */
const isOfOthers = (store: string, observed: Partial<Observed> = {}, snapshot = SNAPSHOT): boolean =>
  storeOfOthers({
    snapshot,
    observed: { ...BARE, graph: CALLS, symptom_service: 'web', first: place('stock'), ...observed },
    names: entityNames(snapshot),
  })(store)

describe('a store of others', () => {
  it('is one that nobody asks who is hurt, where these are seen to ask another', () => {
    expect(isOfOthers('reports-db')).toBe(true)
    expect(isOfOthers('stock-db')).toBe(false)
  })

  it('is not known where who is hurt is seen to ask none', () => {
    expect(isOfOthers('reports-db', { graph: graphOf({ web: ['stock'], reports: ['reports-db'] }) })).toBe(
      false,
    )
  })

  it('is none of those that what fails is counted to ask, where calls to stores are counted at all', () => {
    const counted = {
      ...SNAPSHOT,
      edges: [...calls('web', 'stock', 0.5), ...calls('reports', 'reports-db', 0)],
    }
    const graph = graphOf({ web: ['stock'], reports: ['reports-db'] })
    expect(isOfOthers('reports-db', { graph }, counted)).toBe(true)
    // A store behind what it calls is not that far off.
    const behind = graphOf({ web: ['stock'], stock: ['reports'], reports: ['reports-db'] })
    expect(isOfOthers('reports-db', { graph: behind }, counted)).toBe(false)
    const noStore = { ...SNAPSHOT, edges: calls('web', 'stock', 0.5) }
    expect(isOfOthers('reports-db', { graph }, noStore)).toBe(false)
    const notOfIt = { ...SNAPSHOT, edges: calls('reports', 'reports-db', 0) }
    expect(isOfOthers('reports-db', { graph }, notOfIt)).toBe(false)
  })

  it('is another one than the store that fails first, though nobody is counted to ask either', () => {
    const alone = { graph: graphOf({}), first: place('stock-db') }
    expect(isOfOthers('reports-db', alone)).toBe(true)
    expect(isOfOthers('stock-db', alone)).toBe(false)
  })

  it('is none that who fails names in what it says more often than ever', () => {
    const named = said('connection to reports-db refused')
    expect(isOfOthers('reports-db', { templates: [named] })).toBe(false)
    expect(isOfOthers('reports-db', { templates: [{ ...named, change: 'steady' }] })).toBe(true)
    // Whoever complains elsewhere asks what it always asks.
    expect(isOfOthers('reports-db', { templates: [{ ...named, service: 'reports' }] })).toBe(true)
  })

  it('is no service, and no member of a store that is asked', () => {
    expect(isOfOthers('reports')).toBe(false)
    expect(isOfOthers('stock-db-2')).toBe(false)
  })
})
