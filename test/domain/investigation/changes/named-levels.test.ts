import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withNamedLevels } from '#shared/domain/investigation/changes/named-levels.ts'
import { FITS } from '#shared/domain/investigation/changes/ranked-change.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Edge, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, calls, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { risen } from '../scene-by-hand.ts'

const CALM = { name: 'calm', from: at(0), to: at(60) }
const DIFF = '   inbox:\n-  mails: by hand\n+  mails: always'

/** A change of `cart` that was recorded at a minute. */
const made = (minute: number, more: Partial<Change> = {}, known = false, diff = DIFF): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'config', recorded_at: at(minute), ...more },
    diff: readDiff(diff, ['prod/cart/values.yaml']),
    effective: { from: at(minute), to: at(minute), known },
    place: { score: 0.75, reaches: null, owners: new Set(['cart']), is_named: false },
    trivial: null,
  }) as unknown as Arrival

const moved = (minute = ONSET, name = 'mailbox_messages_fetched', more: Partial<SeriesShift> = {}) => ({
  ...risen('cart', name, { ended_at: null, ...more }),
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5), is_sharp: true },
})
const observed = (...shifts: readonly SeriesShift[]): Observed =>
  ({ ...SEEN, shifts, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } }) as never
const seen = (arrival: Arrival, of: Observed = observed(moved()), ...others: readonly Arrival[]): Arrival =>
  withNamedLevels([arrival, ...others], of, { series: [], edges: [] })[0] as Arrival

describe('a level that bears the name of what a change is about', () => {
  it('is what the change did, where and when the level moved', () => {
    expect(seen(made(ONSET - 5))).toMatchObject({
      seen: { series: { name: 'mailbox_messages_fetched' } },
      effective: { from: at(ONSET - 0.5), to: at(ONSET + 0.5), known: true },
      place: { score: 0.95, reaches: 'cart' },
    })
  })

  it('leaves what is known of when and where it arrived as it is', () => {
    expect(seen(made(ONSET - 5, {}, true)).effective.from).toBe(at(ONSET - 5))
    const rolledOut = seen(made(ONSET - 5, { kind: 'commit' }, true))
    expect(rolledOut).toMatchObject({ seen: { series: { entity: 'cart' } }, place: { score: 0.75 } })
    expect(seen(made(ONSET - 5, { kind: 'commit' })).seen).toBeUndefined()
  })

  it('is named by a changed line or the title, by the whole of its word or the beginning of one', () => {
    const by = (title: string, name?: string) =>
      seen(made(ONSET - 5, { title }, false, '-a: 1\n+a: 2'), observed(moved(ONSET, name))).seen
    expect(by('Another host for mails')).toBeDefined()
    expect(by('Another host for letters')).toBeUndefined()
    expect(by('Another host for mails', 'email_messages')).toBeUndefined()
    expect(by('Another request', 'requests_rejected_bytes')).toBeUndefined()
    expect(by('Another message', 'messages_fetched')).toBeUndefined()
  })

  it('is of this change alone, beside all that were recorded before users were hurt', () => {
    const other = (minute: number): Arrival => made(minute, { id: 'c2', title: 'Mails of yesterday' })
    expect(seen(made(ONSET - 5), observed(moved()), other(ONSET - 50)).seen).toBeUndefined()
    expect(seen(made(ONSET - 5), observed(moved()), other(ONSET + 1)).seen).toBeUndefined()
    expect(seen(made(ONSET - 5), observed(moved()), other(ONSET + 5)).seen).toBeDefined()
  })

  it('moved after the change was recorded, shortly before users were hurt, and stays there', () => {
    const when = (recorded: number, level: number) => seen(made(recorded), observed(moved(level))).seen
    expect(when(ONSET - 30.5, ONSET)).toBeDefined()
    expect(when(ONSET - 31, ONSET)).toBeUndefined()
    expect(when(ONSET + 1.5, ONSET)).toBeDefined()
    expect(when(ONSET + 2, ONSET)).toBeUndefined()
    expect(when(ONSET - 20, ONSET - 15)).toBeDefined()
    expect(when(ONSET - 20, ONSET - 15.1)).toBeUndefined()
    expect(when(ONSET - 5, ONSET + 1)).toBeDefined()
    expect(when(ONSET - 5, ONSET + 1.1)).toBeUndefined()
    expect(seen(made(ONSET - 5), observed(moved(ONSET, undefined, { ended_at: at(ONSET + 9) }))).seen).toBe(
      undefined,
    )
    expect(seen(made(ONSET - 5), { ...observed(moved()), onset: null }).seen).toBeUndefined()
  })

  it('is neither what users feel nor what is asked, nor of another place', () => {
    for (const name of [
      'mail_errors_total',
      'mail_duration_ms',
      'mail_requests_per_second',
      'mail_cpu_ratio',
    ])
      expect(seen(made(ONSET - 5), observed(moved(ONSET, name))).seen, name).toBeUndefined()
    const elsewhere = { ...moved(), series: { ...moved().series, entity: 'web' } }
    expect(seen(made(ONSET - 5), observed(elsewhere)).seen).toBeUndefined()
  })

  it('is what is asked where its own caller asks as ever', () => {
    const rate = { ...moved(ONSET, 'mail_requests_per_second'), before: 10, during: 4 }
    const of = { ...observed(rate), normal: { ...SEEN.normal, baselines: [CALM] } } as Observed
    const by = (edges: readonly Edge[]) =>
      withNamedLevels([made(ONSET - 5)], of, { series: [], edges })[0]?.seen?.series.name
    expect(by(calls('web', 'cart'))).toBe('mail_requests_per_second')
    expect(by([])).toBeUndefined()
  })

  it('is none where the change was made alike at others that measure it, and it moved at one of them alone', () => {
    const alike = {
      ...made(ONSET - 5),
      place: { score: 0.75, reaches: null, owners: new Set(['cart', 'shelf']), is_named: false },
    } as unknown as Arrival
    const own = moved()
    const others = { ...own, series: { ...own.series, entity: 'shelf' } }
    const isSeen = (of: Observed, all: readonly Series[]): boolean =>
      withNamedLevels([alike], of, { series: all, edges: [] })[0]?.seen !== undefined
    expect(isSeen(observed(own), [own.series, others.series])).toBe(false)
    expect(isSeen(observed(own, others), [own.series, others.series])).toBe(true)
    expect(isSeen(observed(own), [own.series])).toBe(true)
    expect(isSeen(observed(own), [own.series, { ...others.series, entity: 'till' }])).toBe(true)
    expect(isSeen(observed(own), [own.series, { ...others.series, name: 'mailboxes' }])).toBe(true)
  })

  it('is nothing of a change that can do no harm', () => {
    const idle = { ...made(ONSET - 5), trivial: { reason: 'comments', factor: 0.1 } } as Arrival
    expect(seen(idle).seen).toBeUndefined()
  })
})

describe('a level of how much is taken out', () => {
  const removal = (more: object = {}): Arrival =>
    ({
      ...made(ONSET - 4, { kind: 'infra', title: 'vault: clean-up of old drafts' }, true, ''),
      ...{ place: { score: 0.25, reaches: 'vault', owners: new Set(), is_named: true } },
      ...{ mechanism: { mechanism: { id: 'record-removal' }, score: 0.5 }, ...more },
    }) as unknown as Arrival
  const level = (name = 'documents_purged_total', more: object = {}) => ({
    ...moved(ONSET - 4, name),
    ...{ series: { ...moved().series, entity: 'vault', name }, direction: 'up' as const, ...more },
  })
  const isSeen = (arrival: Arrival, of = level()): boolean => seen(arrival, observed(of)).seen !== undefined

  it('is what a record of a removal did, whatever words either has, where things are said to be gone', () => {
    expect(seen(removal(), observed(level()))).toMatchObject({ place: { score: 0.95, reaches: 'vault' } })
    for (const name of ['keys_deleted', 'removed_files', 'entries_expired', 'reclaimed_bytes'])
      expect([name, isSeen(removal(), level(name))]).toEqual([name, true])
  })

  it('may be over once users are hurt, and not before', () => {
    expect(isSeen(removal(), level(undefined, { ended_at: at(ONSET + 9) }))).toBe(true)
    expect(isSeen(removal(), level(undefined, { ended_at: at(ONSET + 1) }))).toBe(false)
  })

  it('is no other level, nor one that fell, nor of another part, nor beside another sort of record', () => {
    expect(isSeen(removal(), level('documents_read'))).toBe(false)
    expect(isSeen(removal(), level(undefined, { direction: 'down' }))).toBe(false)
    expect(isSeen(removal({ place: { ...removal().place, reaches: 'lab' } }))).toBe(false)
    expect(isSeen(removal({ mechanism: { mechanism: { id: 'record-cache' }, score: 0.5 } }))).toBe(false)
    expect(isSeen(removal({ mechanism: { mechanism: { id: 'record-removal' }, score: FITS } }))).toBe(true)
    expect(isSeen(removal({ mechanism: { mechanism: { id: 'record-removal' }, score: 0.1 } }))).toBe(false)
    expect(isSeen(removal({ mechanism: null }))).toBe(false)
  })
})
