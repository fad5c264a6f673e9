import { describe, expect, it } from 'vitest'
import { CONFIDENCE_CAP_CONSEQUENCE } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { causes, facts, PLACES, risen, type Seen, said } from '../scene-by-hand.ts'

const ENTITIES: Snapshot['entities'] = [...PLACES, { name: 'ledger', kind: 'datastore', aliases: [] }]
const lost = (seen: Seen) =>
  causes({ ...seen, snapshot: { entities: ENTITIES, ...seen.snapshot } }).find(({ what }) =>
    /lost a member/.test(what),
  )
/** Of three nodes of a Cassandra two are left. */
const fewer = (more: Partial<SeriesShift> = {}, name = 'cassandra_nodes_up', entity = 'ledger') =>
  risen(entity, name, { direction: 'down', before: 3, during: 2, is_bad: false, ...more })
const DOWN = said('InetAddress /10.0.0.7:7000 is now DOWN', 'ledger')
const named = (minute = ONSET, during = 10) =>
  said('no host of ledger was available for query', 'stock', { risen_at: at(minute), during })
const since = (minute: number) => ({ onset: { at: at(minute), earliest: at(minute), latest: at(minute) } })

describe('a cluster that lost a member', () => {
  it('is told by what counts its members, by itself and by who names it', () => {
    const found = lost({ shifts: [fewer()], templates: [DOWN, named()] })
    expect(found).toMatchObject({
      ...{ kind: 'infra', entity: 'ledger', action: 'failover', yields_to_changes: true },
      ...{ score: 0.78825, at_most: CONFIDENCE_CAP_CONSEQUENCE },
    })
    expect(facts(found)).toEqual([
      [0.45, 'cassandra_nodes_up'],
      [0.45, 'InetAddress /10.0.0.7:7000 is now DOWN'],
      [0.3, 'no host of ledger was available for query'],
    ])
  })

  it('needs two of these, of which one may be that those that are left use more', () => {
    const used = (more: Partial<SeriesShift> = {}) =>
      risen('ledger', 'memory_used_ratio', { before: 0.4, during: 0.7, ...more })
    expect(lost({ shifts: [fewer()] })).toBeUndefined()
    expect(lost({ templates: [DOWN] })).toBeUndefined()
    expect(lost({ templates: [named()] })).toBeUndefined()
    expect(lost({ shifts: [fewer()], templates: [DOWN] })?.score).toBe(0.6975)
    expect(lost({ templates: [DOWN, named()] })?.score).toBe(0.615)
    expect(lost({ shifts: [fewer(), used()] })?.score).toBe(0.615)
    for (const other of [
      used({ direction: 'down' }),
      used({ is_bad: false }),
      used({ ended_at: at(ONSET + 9) }),
      used(since(ONSET - 5)),
      risen('stock', 'memory_used_ratio', { before: 0.4, during: 0.7 }),
    ])
      expect(lost({ shifts: [fewer(), other] })).toBeUndefined()
  })

  it('is named minutes later too, when the others give way, by more than a straggler', () => {
    const late = (minute: number, during?: number) =>
      lost({ shifts: [fewer()], templates: [named(minute, during)] })?.score
    expect(late(ONSET + 9)).toBe(0.615)
    expect(late(ONSET - 1)).toBeUndefined()
    expect(late(ONSET, 4)).toBeUndefined()
  })

  it('counts members of a cluster: fewer than before, at the onset, and for as long as users are hurt', () => {
    const withSaid = (shift: SeriesShift) => lost({ shifts: [shift], templates: [DOWN] })
    for (const name of ['broker_members_running', 'live_nodes', 'number_of_nodes', 'serf_members_alive'])
      expect(withSaid(fewer({}, name))).toBeDefined()
    for (const other of [
      fewer({}, 'nodes_total_memory'),
      fewer({}, 'requests_running'),
      fewer({ direction: 'up' }),
      fewer({ before: 1, during: 0 }),
      fewer({ before: 3, during: 2.6 }),
      fewer(since(ONSET + 3)),
      fewer(since(ONSET - 3)),
    ])
      expect(withSaid(other)).toBeUndefined()
  })

  it('is no service whose instances are gone', () => {
    const own = said('InetAddress /10.0.0.7:7000 is now DOWN', 'stock')
    expect(lost({ shifts: [fewer({}, 'nodes_up', 'stock')], templates: [own] })).toBeUndefined()
  })

  it('is told by whoever watches it, once', () => {
    const event = {
      ...{ source: 'events', timestamp: at(ONSET), kind: 'notification' },
      resource: 'ledger-2',
    }
    const events = [{ ...event, message: 'ledger: ledger-2 does not answer its probe' }]
    expect(lost({ shifts: [fewer()], snapshot: { events } })?.entity).toBe('ledger')
  })
})
