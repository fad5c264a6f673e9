import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withKeptOut } from '#shared/domain/investigation/changes/kept-out-since.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, lines, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const RULES =
  '--- a/stock/filter.rules\n+++ b/stock/filter.rules\n@@ -1,3 +1,3 @@\n-A INPUT -i lo -j ACCEPT\n--A INPUT -s 10.1.0.0/16 -p tcp --dport 80 -j ACCEPT\n+-A INPUT -s 10.2.0.0/16 -p tcp --dport 80 -j ACCEPT\n'
const CODE = '-  return a\n+  return b'

/** Rules of a service, written down at a minute. */
const rules = (minute: number, more: Partial<Change> = {}, arrived: object = {}, diff = RULES): Arrival =>
  ({
    change: { ...{ source: 'git', id: 'c1', kind: 'config', recorded_at: at(minute) }, ...more },
    diff: readDiff(diff, ['stock/filter.rules']),
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 0.75, reaches: 'stock', owners: new Set(['stock']), is_named: false },
    trivial: null,
    ...arrived,
  }) as unknown as Arrival

const rose = (name = 'firewall_dropped_packets_per_second', more = {}, labels = {}, minute = ONSET) => {
  const shift = shifted('stock', name)
  return {
    ...shift,
    ...{ direction: 'up' as const, before: 0.2, during: 30, ended_at: null, ...more },
    series: { ...shift.series, labels },
    onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
  }
}
const observed = (shift: ReturnType<typeof rose>): Observed =>
  ({
    ...SEEN,
    shifts: [shift],
    onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) },
  }) as never
const seen = (arrival: Arrival, shift = rose()): Arrival =>
  withKeptOut([arrival], observed(shift))[0] as Arrival
const keepsOut = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('rules of the network that keep somebody out since they were changed', () => {
  it('stand next to who fails, in effect since then', () => {
    expect(seen(rules(ONSET - 3))).toMatchObject({
      place: { score: 0.95, reaches: 'stock' },
      effective: { from: at(ONSET - 0.5), known: true },
      seen: { series: { entity: 'stock' } },
    })
    const known = { effective: { from: at(ONSET - 2), to: at(ONSET - 2), known: true } }
    expect(seen(rules(ONSET - 3, {}, known)).effective).toEqual(known.effective)
    const there = { place: { ...rules(1).place, score: 1 } }
    expect(seen(rules(ONSET - 3, {}, there)).place.score).toBe(1)
  })

  it.each([
    'cilium_drop_count_total:rate1m',
    'hubble_drop_total:rate1m',
    'DroppedPackets',
    'RejectedPackets',
    'firewall/dropped_packets_count',
    'network_policy_denied_connections_per_second',
    'packets_rejected_per_second',
  ])('are told by what a filter turns away: %s', (name) => {
    expect(keepsOut(rules(ONSET - 3), rose(name))).toBe(true)
  })

  it('are told by what met no rule where that is not let in', () => {
    const name = 'iptables_default_packets_total:rate1m'
    expect(keepsOut(rules(ONSET - 3), rose(name, {}, { policy: 'DROP' }))).toBe(true)
    expect(keepsOut(rules(ONSET - 3), rose(name, {}, { policy: 'ACCEPT' }))).toBe(false)
    expect(keepsOut(rules(ONSET - 3), rose(name))).toBe(false)
  })

  it.each(['packets_per_second', 'requests_rejected_per_second', 'messages_dropped_per_second'])(
    'are not told by %s',
    (name) => {
      expect(keepsOut(rules(ONSET - 3), rose(name))).toBe(false)
    },
  )

  it('do so at that very part, soon after, near the harm and as long as it lasts', () => {
    const elsewhere = { place: { ...rules(1).place, reaches: 'vault', owners: new Set(['vault']) } }
    expect(keepsOut(rules(ONSET - 3, {}, elsewhere))).toBe(false)
    expect(keepsOut(rules(ONSET - 30.5))).toBe(true)
    expect(keepsOut(rules(ONSET - 30.6))).toBe(false)
    expect(keepsOut(rules(ONSET + 1.6))).toBe(false)
    expect(keepsOut(rules(ONSET - 17), rose(undefined, {}, {}, ONSET - 15))).toBe(true)
    expect(keepsOut(rules(ONSET - 17), rose(undefined, {}, {}, ONSET - 15.1))).toBe(false)
    expect(keepsOut(rules(ONSET - 1), rose(undefined, {}, {}, ONSET + 6))).toBe(true)
    expect(keepsOut(rules(ONSET - 1), rose(undefined, {}, {}, ONSET + 6.1))).toBe(false)
    expect(keepsOut(rules(ONSET - 3), rose(undefined, { ended_at: at(ONSET + 1) }))).toBe(false)
    expect(keepsOut(rules(ONSET - 3), rose(undefined, { direction: 'down' }))).toBe(false)
  })

  it('do so within five minutes where it is known when they took effect: a filter acts at once', () => {
    const known = (minute: number): boolean => {
      const effective = { from: at(minute - 1), to: at(minute), known: true }
      return keepsOut(rules(minute - 3, {}, { effective }))
    }
    expect(known(ONSET - 5.5)).toBe(true)
    expect(known(ONSET - 5.6)).toBe(false)
  })

  it('are told by what is measured while users are hurt: who is gone turns nobody away', () => {
    const shift = rose()
    const upTo = (minute: number) => {
      const count = shift.series.times.findIndex((time) => time >= at(minute))
      const { times, values } = shift.series
      return {
        ...shift,
        series: { ...shift.series, times: times.slice(0, count), values: values.slice(0, count) },
      }
    }
    expect(keepsOut(rules(ONSET - 3), upTo(ONSET + 1))).toBe(true)
    expect(keepsOut(rules(ONSET - 3), upTo(ONSET))).toBe(false)
  })

  it('are rules, and delivered as settings are', () => {
    expect(keepsOut(rules(ONSET - 3, {}, {}, CODE))).toBe(false)
    expect(keepsOut(rules(ONSET - 3, { kind: 'commit' }))).toBe(false)
    expect(keepsOut(rules(ONSET - 3, {}, { trivial: { reason: 'a comment', factor: 0.1 } }))).toBe(false)
    const unknown = { ...observed(rose()), onset: null }
    expect(withKeptOut([rules(ONSET - 3)], unknown)[0]?.seen).toBeUndefined()
  })
})

describe('an incident after the range of its callers was taken out of the rules of a service', () => {
  const other: Change = { source: 'git', id: 'c2', kind: 'config', recorded_at: at(ONSET - 1), entity: 'web' }
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.001, 0.4),
      series('stock', 'http_5xx_ratio', 0.001, 0.001),
      series('stock', 'network_dropped_packets_per_second', 0.2, 40),
    ],
    edges: calls('web', 'stock', 0.4),
    logs: lines('web', 'ERROR', 'connect to stock:80: connection timed out', ONSET, ONSET + 20),
    changes: [
      { ...rules(ONSET - 2).change, entity: 'stock', diff: RULES, files: ['stock/filter.rules'] },
      { ...other, title: 'A shorter banner', diff: '-banner: a\n+banner: b', files: ['web/banner.yaml'] },
    ],
  }

  it('is told as that of the rules', () => {
    expect(investigate(snapshot).cause).toMatchObject({ level: 'change', change: 'c1', entity: 'stock' })
  })
})
