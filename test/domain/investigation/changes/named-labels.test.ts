import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withNamedLabels } from '#shared/domain/investigation/changes/named-labels.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Entity, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const PUBLISHES =
  '-  rabbit.publish("invoices", "invoice.made", one);\n+  bridge.publish("invoices-out-0", one);'
const LOGS = '-  log.info("made {}", one);\n+  log.info("made {}", one.id());'

/** A release of a service that publishes, in effect at a minute. */
const release = (minute: number, diff = PUBLISHES, more: object = {}): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'commit', recorded_at: at(minute - 9) },
    diff: readDiff(diff, ['billing/queue.java']),
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.7, reaches: 'billing', owners: new Set(['billing']), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const thrown = (
  labels: Series['labels'] = { exchange: 'invoices' },
  more: Partial<SeriesShift> = {},
  minute = ONSET - 1,
  name = 'rabbitmq_channel_messages_unroutable_dropped_total:rate1m',
): SeriesShift => {
  const shift = shifted('broker', name)
  return {
    ...shift,
    ...{ direction: 'up', before: 0.01, during: 14, ended_at: null, ...more },
    series: { ...shift.series, labels },
    onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
  }
}
const observed = (...shifts: readonly SeriesShift[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const entity = (name: string): Entity => ({ name, kind: 'service', aliases: [] })
const seen = (arrivals: readonly Arrival[], of = observed(thrown()), entities: readonly Entity[] = []) =>
  withNamedLabels(arrivals, of, entities)
const isSeen = (arrival = release(ONSET - 2), of?: Observed): boolean =>
  seen([arrival], of)[0]?.seen !== undefined

describe('a level under a name that one change alone edits', () => {
  it('is what that change is seen to have done, next to who waits for it', () => {
    expect(seen([release(ONSET - 2)])).toMatchObject([
      { place: { score: 0.95, reaches: 'billing' }, seen: { series: { entity: 'broker' } } },
    ])
    const anywhere = { place: { score: 0.25, reaches: null, owners: new Set() } }
    expect(seen([release(ONSET - 2, PUBLISHES, anywhere)])).toMatchObject([
      { place: { score: 0.95, reaches: 'broker' } },
    ])
  })

  it('is named by lines that went or came, as a whole', () => {
    expect(isSeen(release(ONSET - 2, '+  bridge.publish("invoices", one);'))).toBe(true)
    const key = '-  publish("invoices", "made", one);\n+  publish("invoices", "sent", one);'
    expect(isSeen(release(ONSET - 2, key))).toBe(true)
    for (const other of [
      LOGS,
      '-  publish("invoices-out-0", one);',
      '   publish("invoices", one);\n-  a();\n+  b();',
    ])
      expect([other, isSeen(release(ONSET - 2, other))]).toEqual([other, false])
  })

  it('is of nobody where another change before the harm edits the name as well', () => {
    const other = (minute: number) =>
      release(minute, '+  publish("invoices", two);', { change: { recorded_at: at(minute) } })
    expect(seen([release(ONSET - 2), other(ONSET - 40)]).map((one) => one.seen !== undefined)).toEqual([
      false,
      false,
    ])
    expect(seen([release(ONSET - 2), other(ONSET + 3)])[0]?.seen).toBeDefined()
  })

  it('became ten times as much, or a tenth, when the change took effect, and stays so', () => {
    expect(isSeen(undefined, observed(thrown(undefined, { before: 1, during: 10 })))).toBe(true)
    expect(isSeen(undefined, observed(thrown(undefined, { before: 1, during: 9.9 })))).toBe(false)
    const down = (during: number) => thrown(undefined, { direction: 'down', before: 1, during })
    expect(isSeen(undefined, observed(down(0.1)))).toBe(true)
    expect(isSeen(undefined, observed(down(0.11)))).toBe(false)
    expect(isSeen(undefined, observed(thrown(undefined, { ended_at: at(ONSET + 1) })))).toBe(false)
    expect(isSeen(release(ONSET + 1))).toBe(false)
    expect(isSeen(release(ONSET - 20))).toBe(false)
    expect(isSeen(release(ONSET - 20), observed(thrown(undefined, {}, ONSET - 18)))).toBe(false)
    expect(isSeen(release(ONSET - 2), observed(thrown(undefined, {}, ONSET + 6)))).toBe(false)
  })

  it.each<[string, Series['labels']]>([
    ['a value that is too short to tell anything', { queue: 'eu1' }],
    ['a word of all code', { exchange: 'error' }],
    ['what stands for no name', { exchange: 'default' }],
    ['which of a few kinds it is', { operation: 'invoices', error_type: 'invoices' }],
    ['where it was read', { pod: 'invoices', service: 'invoices' }],
  ])('is not named by %s', (_, labels) => {
    const lines = Object.values(labels).map((value) => `+  publish("${value}", one);`)
    expect(isSeen(release(ONSET - 2, lines.join('\n')), observed(thrown(labels)))).toBe(false)
  })

  it('is not named by who is spoken of everywhere, nor told by demand or a processor', () => {
    expect(seen([release(ONSET - 2)], undefined, [entity('Invoices')])[0]?.seen).toBeUndefined()
    for (const name of ['http_requests_total', 'cpu_usage_ratio'])
      expect([name, isSeen(undefined, observed(thrown(undefined, {}, ONSET - 1, name)))]).toEqual([
        name,
        false,
      ])
  })

  it('adds nothing to a change that does nothing, or that was seen to do something already', () => {
    expect(isSeen(release(ONSET - 2, PUBLISHES, { trivial: { reason: 'x', factor: 0 } }))).toBe(false)
    const known = thrown({ exchange: 'letters' })
    expect(seen([release(ONSET - 2, PUBLISHES, { seen: known })])[0]?.seen).toBe(known)
    expect(seen([release(ONSET - 2)], { ...observed(thrown()), onset: null })[0]?.seen).toBeUndefined()
  })
})
