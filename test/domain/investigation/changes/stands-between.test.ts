import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withStandingBetween } from '#shared/domain/investigation/changes/stands-between.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, EMPTY, ONSET } from '../incident-scenarios.ts'
import { BARE, place, said } from '../scene-by-hand.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  entities: ['web', 'stock', 'mesh-proxy', 'shelf-db'].map((name) => ({
    ...{ name, kind: name === 'shelf-db' ? ('datastore' as const) : ('service' as const), aliases: [] },
  })),
  edges: calls('web', 'stock', 0.5),
}
const arrival = (reaches: string | null, known = true, score = 0.25): Arrival =>
  ({
    effective: { from: at(ONSET - 1), to: at(ONSET - 1), known },
    place: { score, reaches, owners: new Set(), is_named: false },
  }) as unknown as Arrival
const TOLD = said('upstream sent too big header while reading from upstream stock', 'mesh-proxy')

/** The place of a change, where templates were logged and the stock fails first. */
const placeOf = (
  templates: readonly Template[],
  given = arrival('mesh-proxy'),
  snapshot: Snapshot = SNAPSHOT,
): number => {
  const observed: Observed = {
    ...BARE,
    ...{ first: place('stock'), templates },
    onset: { at: at(ONSET), earliest: at(ONSET - 0.5), latest: at(ONSET + 0.5) },
  }
  return (withStandingBetween([given], observed, snapshot, entityNames(snapshot))[0] as Arrival).place.score
}
const of = (more: Partial<Template>): number => placeOf([{ ...TOLD, ...more }])

describe('what stands between services', () => {
  it('is next to the place that it names where calls through it fail and none of its own is counted', () => {
    expect(placeOf([TOLD])).toBe(0.95)
    expect(placeOf([TOLD], arrival('mesh-proxy', false))).toBeCloseTo(0.95 * 0.75)
    // Who is nearer is no further off by it.
    expect(placeOf([TOLD], arrival('mesh-proxy', true, 1))).toBe(1)
  })

  it('says so again and again, as an error, for the first time since users are hurt', () => {
    expect(of({ during: 5 })).toBe(0.95)
    expect(of({ during: 4 })).toBe(0.25)
    expect(of({ change: 'grown' })).toBe(0.25)
    expect(of({ severity: 'warning' })).toBe(0.25)
    expect(of({ risen_at: at(ONSET - 5.5) })).toBe(0.95)
    expect(of({ risen_at: at(ONSET - 5.6) })).toBe(0.25)
    expect(of({ risen_at: at(ONSET + 5.5) })).toBe(0.95)
    expect(of({ risen_at: at(ONSET + 5.6) })).toBe(0.25)
  })

  it('names the very place that fails first, and is what was changed', () => {
    expect(of({ example: 'upstream sent too big header while reading from upstream web' })).toBe(0.25)
    expect(placeOf([TOLD], arrival('web'))).toBe(0.25)
    expect(placeOf([TOLD], arrival(null))).toBe(0.25)
  })

  it('is none that calls are counted of, and no store', () => {
    expect(of({ service: 'web' })).toBe(0.25)
    const asks = [...SNAPSHOT.edges, ...calls('mesh-proxy', 'shelf-db', 0.01)]
    expect(placeOf([TOLD], arrival('mesh-proxy'), { ...SNAPSHOT, edges: asks })).toBe(0.25)
    expect(placeOf([{ ...TOLD, service: 'shelf-db' }], arrival('shelf-db'))).toBe(0.25)
    // Where no call to the place is counted, nobody is known to be missing from those who make them.
    expect(placeOf([TOLD], arrival('mesh-proxy'), { ...SNAPSHOT, edges: [] })).toBe(0.25)
  })
})
