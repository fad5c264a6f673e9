import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withFailedOver } from '#shared/domain/investigation/changes/failed-over-since.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, ControlPlaneEvent, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { graphOf, place } from '../scene-by-hand.ts'

/** Settings of a store, written down at a minute. */
const setting = (minute: number, more: Partial<Change> = {}, arrived: Partial<Arrival> = {}): Arrival =>
  ({
    ...{ trivial: null, rollout: null, run: null, work: null, mechanism: null, diff: readDiff('', []) },
    change: {
      ...{ source: 'git', id: `c${minute}`, kind: 'config', recorded_at: at(minute), entity: 'stock-db' },
      ...{ title: 'max_connections of stock-db', ...more },
    },
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 0.7, reaches: 'stock-db', owners: new Set(['stock-db']), is_named: false },
    ...arrived,
  }) as unknown as Arrival
const event = (minute: number, message = 'Completed failover to DB instance: stock-db-2', more = {}) =>
  ({
    ...{ source: 'events', timestamp: at(minute), resource: 'stock-db', kind: 'notification', message },
    ...more,
  }) as ControlPlaneEvent
const OBSERVED = { ...SEEN, onset: { at: at(ONSET), earliest: at(ONSET - 0.5), latest: at(ONSET + 0.5) } }
const seen = (
  arrivals: readonly Arrival[],
  events: readonly ControlPlaneEvent[],
  observed: object = OBSERVED,
) => withFailedOver(arrivals, observed as never, { ...EMPTY, events } as Snapshot, entityNames(EMPTY))
const brought = (arrival: Arrival, ...events: readonly ControlPlaneEvent[]): boolean =>
  seen([arrival], events).eventOf.size === 1

describe('a store that failed over after it was changed', () => {
  it('puts the change at the very place, in effect when the store changed places', () => {
    const { arrivals, eventOf } = seen([setting(ONSET - 6)], [event(ONSET - 1)])
    expect(arrivals[0]).toMatchObject({
      place: { score: 0.95, reaches: 'stock-db' },
      effective: { from: at(ONSET - 1), to: at(ONSET - 1), known: true },
    })
    expect(eventOf.get(arrivals[0] as Arrival)).toMatchObject({ timestamp: at(ONSET - 1) })
    // What is known of when it came into effect stays, and who is nearer is no further off by it.
    const known = setting(
      ONSET - 6,
      {},
      {
        effective: { from: at(ONSET - 4), to: at(ONSET - 4), known: true },
        place: { ...setting(1).place, score: 1 },
      },
    )
    expect(seen([known], [event(ONSET - 1)]).arrivals[0]).toMatchObject({
      place: { score: 1 },
      effective: { from: at(ONSET - 4) },
    })
  })

  it('did so within ten minutes after the record, near the onset, the first of several times', () => {
    expect(brought(setting(ONSET - 11), event(ONSET - 1))).toBe(true)
    expect(brought(setting(ONSET - 11.1), event(ONSET - 1))).toBe(false)
    // Clocks of two tools differ by a minute.
    expect(brought(setting(ONSET), event(ONSET - 1))).toBe(true)
    expect(brought(setting(ONSET), event(ONSET - 1.1))).toBe(false)
    expect(brought(setting(ONSET - 12), event(ONSET - 10))).toBe(true)
    expect(brought(setting(ONSET - 12), event(ONSET - 10.1))).toBe(false)
    expect(brought(setting(ONSET), event(ONSET + 5.5))).toBe(true)
    expect(brought(setting(ONSET), event(ONSET + 5.6))).toBe(false)
    const { arrivals, eventOf } = seen([setting(ONSET - 6)], [event(ONSET - 1), event(ONSET - 2)])
    expect(eventOf.get(arrivals[0] as Arrival)?.timestamp).toBe(at(ONSET - 2))
  })

  it('is the very one that was changed, by its name or by its service', () => {
    expect(brought(setting(ONSET - 6), event(ONSET - 1, undefined, { resource: 'other-db' }))).toBe(false)
    expect(
      brought(setting(ONSET - 6), event(ONSET - 1, undefined, { resource: 'arn:db', service: 'stock-db' })),
    ).toBe(true)
    const nowhere = setting(ONSET - 6, {}, { place: { ...setting(1).place, reaches: null } })
    expect(brought(nowhere, event(ONSET - 1))).toBe(false)
  })

  it.each([
    'Started cross AZ failover to DB instance: stock-db-2',
    'DB instance restarted',
    'failed over',
    'Instance reboot',
    'The primary was rebooted: rebooting the instance',
    'Database instance patched',
    'Finished applying off-line patches to DB instance',
    'Applying modification to DB instance class',
    'Finished applying modification to DB instance class',
  ])('is told so by a platform: %s', (message) => {
    expect(brought(setting(ONSET - 6), event(ONSET - 1, message))).toBe(true)
  })

  it.each([
    'A failover is planned for Sunday',
    'Failover will be done in your maintenance window',
    'Backup finished',
    'no failover took place',
  ])('is not told so by what is to come or something else: %s', (message) => {
    expect(brought(setting(ONSET - 6), event(ONSET - 1, message))).toBe(false)
  })

  it('is one that what fails is counted to ask, where that is counted to ask any', () => {
    const stores = ['stock-db', 'cart-db'].map((name) => ({ name, kind: 'datastore' as const }))
    const asking = (callees: readonly string[], more: object = {}) => {
      const failing = [place('web')]
      const observed = { ...OBSERVED, failing, first: failing[0], graph: graphOf({ web: callees }), ...more }
      const snapshot = { ...EMPTY, entities: stores, events: [event(ONSET - 1)] } as never
      return withFailedOver([setting(ONSET - 6)], observed as never, snapshot, entityNames(EMPTY)).eventOf
        .size
    }
    expect(asking(['stock-db', 'cart-db'])).toBe(1)
    expect(asking(['cart-db'])).toBe(0)
    // Where it is counted to ask no store, that is not known.
    expect(asking(['shop'])).toBe(1)
    expect(asking(['cart-db'], { first: place('stock-db') })).toBe(1)
    // That a store fails a little by itself makes it none that what fails asks.
    expect(asking(['cart-db'], { failing: [place('web'), place('stock-db')] })).toBe(0)
  })

  it('says nothing of what does nothing, of what a rollout carries, or where several were changed', () => {
    expect(
      brought(setting(ONSET - 6, {}, { trivial: { reason: 'a comment', factor: 0.1 } }), event(ONSET - 1)),
    ).toBe(false)
    expect(brought(setting(ONSET - 6, {}, { rollout: setting(ONSET - 5).change }), event(ONSET - 1))).toBe(
      false,
    )
    expect(seen([setting(ONSET - 6), setting(ONSET - 4)], [event(ONSET - 1)]).eventOf.size).toBe(0)
    expect(seen([setting(ONSET - 6)], [event(ONSET - 1)], { ...OBSERVED, onset: null }).eventOf.size).toBe(0)
    expect(seen([setting(ONSET - 6)], []).eventOf.size).toBe(0)
  })
})

describe('an incident after a setting whose store failed over', () => {
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [series('web', 'http_5xx_ratio', 0.001, 0.4)],
    edges: [...calls('web', 'stock-db', 0.4)],
    logs: lines('web', 'ERROR', 'cannot execute INSERT in a read-only transaction', ONSET, ONSET + 10),
    events: [event(ONSET - 1.5, 'Started cross AZ failover to DB instance: stock-db-2'), event(ONSET - 1)],
  }
  const change = setting(ONSET - 3).change
  const told = (more: Partial<Snapshot>) => investigate({ ...snapshot, ...more })

  it('is told as that of the setting, with what the platform recorded; without it, as the failover', () => {
    const { cause, evidence, hypotheses } = told({ changes: [change] })
    expect(cause).toMatchObject({ change: change.id, entity: 'stock-db' })
    expect(evidence.map(({ content }) => content).join('\n')).toMatch(
      /A platform records of stock-db at .* “Started cross AZ failover to DB instance: stock-db-2”/,
    )
    expect(hypotheses.map((each) => each.cause.kind)).toContain('infra')
    expect(told({}).cause).toMatchObject({ kind: 'infra', change: null, entity: 'stock-db' })
  })

  it('is not told so where another store failed over', () => {
    const elsewhere = snapshot.events.map((each) => ({ ...each, resource: 'reports-db' }))
    expect(
      told({ changes: [change], events: elsewhere })
        .evidence.map(({ content }) => content)
        .join('\n'),
    ).not.toMatch(/A platform records of/)
  })
})
