import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withMovedItself } from '#shared/domain/investigation/changes/moved-itself.ts'
import { CONFIDENCE_CAP_TIMED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const DROPPED = 'router_packets_dropped_per_second'

/** A series of `edge-7` that left normal at a minute and stays so. */
const stepped = (
  minute: number,
  more: Partial<SeriesShift> = {},
  entity = 'edge-7',
  name = DROPPED,
): SeriesShift => ({
  ...shifted(entity, name),
  ...{ direction: 'up', is_bad: true, ended_at: null },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
  ...more,
})
const done = (minute: number, more: Partial<Arrival> = {}, change: Partial<Change> = {}): Arrival =>
  ({
    change: {
      source: 'infra',
      id: 'i1',
      kind: 'config',
      title: 'edge-7: other settings',
      recorded_at: at(minute),
      ...change,
    },
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.25, reaches: 'edge-7', owners: new Set(), is_named: true },
    trivial: null,
    ...more,
  }) as unknown as Arrival
const seeing = (...shifts: SeriesShift[]): Observed => ({ ...SEEN, shifts })
const merged = { from: at(ONSET - 9), to: at(ONSET - 9), known: false }

/** How much the change can explain by its place, and whether its step is told with it. */
const score = (of: Arrival, observed = seeing(stepped(ONSET)), more: Partial<Snapshot> = {}): number => {
  const { arrivals, stepOf } = withMovedItself([of], observed, { ...EMPTY, ...more })
  const [one] = arrivals as [Arrival]
  expect(stepOf.has(one)).toBe(one.place.score !== of.place.score)
  return one.place.score
}

describe('what was changed and has itself changed since', () => {
  it('stands where it fails, with the step that says so', () => {
    const step = stepped(ONSET)
    const { arrivals, stepOf } = withMovedItself([done(ONSET - 0.5)], seeing(step), EMPTY)
    expect(arrivals).toMatchObject([
      { place: { score: 0.95, reaches: 'edge-7' }, effective: { from: at(ONSET - 0.5) } },
    ])
    expect(stepOf.get(arrivals[0] as Arrival)).toBe(step)
    const better = { score: 1, reaches: 'edge-7', owners: new Set(), is_named: true } as never
    expect(
      withMovedItself([done(ONSET - 0.5, { place: better })], seeing(step), EMPTY).arrivals[0]?.place.score,
    ).toBe(1)
  })

  it('stepped at once, and not before it was changed', () => {
    expect(score(done(ONSET - 2.5))).toBe(0.95)
    expect(score(done(ONSET - 2.6))).toBe(0.25)
    expect(score(done(ONSET + 1.5))).toBe(0.95)
    expect(score(done(ONSET + 1.6))).toBe(0.25)
  })

  it('stepped when users were hurt, and is off for as long as they are', () => {
    expect(score(done(ONSET + 1.5), seeing(stepped(ONSET + 2)))).toBe(0.95)
    expect(score(done(ONSET + 1.5), seeing(stepped(ONSET + 2.1)))).toBe(0.25)
    expect(score(done(ONSET - 2), seeing(stepped(ONSET - 2)))).toBe(0.95)
    expect(score(done(ONSET - 2.1), seeing(stepped(ONSET - 2.1)))).toBe(0.25)
    expect(score(done(ONSET), seeing(stepped(ONSET, { ended_at: at(ONSET + 9) })))).toBe(0.25)
    expect(score(done(ONSET), { ...seeing(stepped(ONSET)), onset: null })).toBe(0.25)
  })

  it('is off in a way that harms or that nobody can judge', () => {
    expect(score(done(ONSET), seeing(stepped(ONSET, { is_bad: false })))).toBe(0.25)
    const other = stepped(ONSET, { is_bad: false }, 'edge-7', 'table_entries')
    expect(score(done(ONSET), seeing({ ...other, meaning: { ...other.meaning, meaning: 'other' } }))).toBe(
      0.95,
    )
    expect(score(done(ONSET, { trivial: { reason: 'x', factor: 0.1 } }))).toBe(0.25)
    expect(score(done(ONSET), seeing(stepped(ONSET, {}, 'edge-8')))).toBe(0.25)
    expect(score(done(ONSET, { place: { score: 0.25, reaches: null } as never }))).toBe(0.25)
  })

  it('answers no calls that are counted, makes none, and keeps nothing for others', () => {
    const of = (entity: string): number =>
      score(
        done(ONSET, { place: { score: 0.25, reaches: entity, owners: new Set(), is_named: true } as never }),
        seeing(stepped(ONSET, {}, entity)),
      )
    expect(of('edge-8')).toBe(0.95)
    for (const entity of ['shelf-db', 'reports', 'stock-api']) expect(of(entity), entity).toBe(0.25)
    const flows = new Map([['edge-7', {} as never]])
    expect(score(done(ONSET), { ...seeing(stepped(ONSET)), flows })).toBe(0.25)
    const entity = (kind: 'datastore' | 'queue' | 'host') => ({
      entities: [{ name: 'edge-7', kind, aliases: [] }],
    })
    expect(score(done(ONSET), seeing(stepped(ONSET)), entity('datastore'))).toBe(0.25)
    expect(score(done(ONSET), seeing(stepped(ONSET)), entity('queue'))).toBe(0.25)
    expect(score(done(ONSET), seeing(stepped(ONSET)), entity('host'))).toBe(0.95)
    for (const name of ['http_server_requests_per_second', 'db_connections_active'])
      expect(
        score(done(ONSET), seeing(stepped(ONSET)), { series: [series('edge-7', name, 9, 9)] }),
        name,
      ).toBe(0.25)
    expect(score(done(ONSET), { ...seeing(stepped(ONSET)), symptom_service: 'edge-7' })).toBe(0.25)
    expect(score(done(ONSET), { ...seeing(stepped(ONSET)), symptom_service: null })).toBe(0.95)
  })

  it('dates settings that nobody saw come into effect, within minutes of their record', () => {
    const late = done(ONSET - 9, { effective: merged })
    const { arrivals } = withMovedItself([late], seeing(stepped(ONSET)), EMPTY)
    expect(arrivals[0]?.effective).toEqual({ from: at(ONSET - 0.5), to: at(ONSET + 0.5), known: true })
    expect(score(done(ONSET - 10.5, { effective: merged }))).toBe(0.95)
    expect(score(done(ONSET - 10.6, { effective: merged }))).toBe(0.25)
    // Code takes effect with a rollout, and that is on record.
    expect(score(done(ONSET - 9, { effective: merged }, { kind: 'commit' }))).toBe(0.25)
  })

  it('is every one of a set, where a record is of all of them', () => {
    const all = done(
      ONSET - 1,
      { place: { score: 0.25, reaches: 'hub-locks', owners: new Set() } as never },
      {
        title: 'hub-locks: planned upgrade',
      },
    )
    const measured = ['hub-1', 'hub-2', 'hub-3'].map((entity) => series(entity, DROPPED, 9, 9))
    const steps = ['hub-1', 'hub-2', 'hub-3'].map((entity) => stepped(ONSET, {}, entity))
    const { arrivals } = withMovedItself([all], seeing(...steps), { ...EMPTY, series: measured })
    expect(arrivals).toMatchObject([{ place: { score: 0.95, reaches: 'hub-1' } }])
    expect(score(all, seeing(...steps.slice(1)), { series: measured })).toBe(0.25)
    expect(score(all, seeing(...steps), { series: measured.slice(0, 1) })).toBe(0.25)
    // Who is measured itself is meant itself.
    const own = series('hub-locks', DROPPED, 9, 9)
    expect(score(all, seeing(...steps), { series: [...measured, own] })).toBe(0.25)
  })

  it('is named before a release elsewhere, and likely', () => {
    const settings: Change = {
      ...{
        source: 'config',
        id: 'n1',
        kind: 'config',
        title: 'edge-7: flows over all links',
        entity: 'edge-7',
      },
      ...{ recorded_at: at(ONSET - 1), effective_at: { from: at(ONSET - 1), to: at(ONSET - 1) } },
    }
    const given = (ends: number): Snapshot => ({
      ...EMPTY,
      baselines: [{ name: 'b1', from: at(0), to: at(60) }],
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [
        series('web', 'http_5xx_ratio', 0.003, 0.3),
        series('stock', 'http_5xx_ratio', 0.003, 0.4),
        series('edge-7', DROPPED, 0.4, 900, ONSET, ends),
      ],
      edges: [...calls('web', 'stock', 0.4)],
      changes: [
        settings,
        commit(
          'c1',
          80,
          'Name a size',
          ['stock/page.ts'],
          '@@ page.ts @@\n-  page(items, count)\n+  page(items)',
        ),
        deploy('d1', ONSET - 1.5, 'stock', 'v2', ['c1']),
      ],
    })
    const { cause, confidence, evidence } = investigate(given(120))
    expect(cause).toMatchObject({ change: 'n1', entity: 'edge-7' })
    expect(confidence).toBeGreaterThan(0.3)
    expect(confidence).toBeLessThanOrEqual(CONFIDENCE_CAP_TIMED)
    expect(evidence.some(({ content }) => content.includes(`${DROPPED} of edge-7 began to leave 0.4`))).toBe(
      true,
    )
    expect(investigate(given(ONSET + 6)).cause.change).not.toBe('n1')
  })
})
