import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withPassedThrough } from '#shared/domain/investigation/changes/passed-through.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { first, judge, of as ofRanked, SEEN } from '../ranking-by-hand.ts'

const WINDOW: Snapshot = { ...EMPTY, window: { from: at(ONSET - 60), to: at(120) } }
const SHARP: Observed = {
  ...SEEN,
  onset: { at: at(ONSET), earliest: at(ONSET - 0.5), latest: at(ONSET + 0.5) },
}

const done = (minute: number, more: Partial<Arrival> = {}, change: Partial<Change> = {}): Arrival =>
  ({
    change: {
      ...{ source: 'infra', id: `i${minute}`, kind: 'infra', title: 'nat-2: new machine' },
      ...change,
    },
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.25, reaches: 'nat-2', owners: new Set(), is_named: false },
    trivial: null,
    ...more,
  }) as Arrival

const reached = (reaches: string | null, score = 0.25): Partial<Arrival> => ({
  place: { score, reaches, owners: new Set(), is_named: false },
})

/** How much the first of several can explain by its place. */
const place = (
  of: Arrival,
  others: readonly Arrival[] = [],
  observed: Observed = SHARP,
  snapshot: Snapshot = WINDOW,
): number => withPassedThrough([of, ...others], observed, snapshot)[0]?.place.score as number

describe('what was done to a part that connections pass through', () => {
  it('stands next to what fails where it was done just before a sharp onset', () => {
    expect(place(done(ONSET))).toBe(0.95)
    expect(place(done(ONSET - 1))).toBe(0.95)
    expect(place(done(ONSET - 3))).toBe(0.95)
    expect(place(done(ONSET - 4))).toBe(0.25)
    // What nothing else knows of may be anything.
    expect(place(done(ONSET - 2, reached(null, 0.7)))).toBe(0.95)
    expect(place(done(ONSET - 3, reached(null, 0.7)))).toBe(0.7)
  })

  it('stands where it stood after the onset began, before the window, or at a time that nobody saw', () => {
    expect(place(done(ONSET + 0.5))).toBe(0.95)
    expect(place(done(ONSET + 0.6))).toBe(0.25)
    const guessed = { from: at(ONSET), to: at(ONSET), known: false }
    expect(place(done(ONSET, { effective: guessed }))).toBe(0.25)
    const later = { ...WINDOW, window: { from: at(ONSET - 1), to: at(120) } }
    expect(place(done(ONSET - 1), [], SHARP, later)).toBe(0.95)
    expect(place(done(ONSET - 1.1), [], SHARP, later)).toBe(0.25)
  })

  it('stands where it stood where it is a machine of which is known what runs on it', () => {
    const hosting = { score: 0.25, reaches: 'batch', owners: new Set<string>(), is_named: true }
    expect(place(done(ONSET, { place: hosting }))).toBe(0.95)
    expect(place(done(ONSET, { place: { ...hosting, is_hosting: true } }))).toBe(0.25)
  })

  it('stands where it stood where it is known what all go through', () => {
    expect(place(done(ONSET), [], { ...SHARP, gone_through: new Set(['ns-1']) })).toBe(0.25)
  })

  it('is chance where much of that sort is done', () => {
    const busy = (count: number) =>
      Array.from({ length: count }, (_, index) => done(ONSET - 10 - index, {}, { id: `b${index}` }))
    expect(place(done(ONSET - 1), busy(4))).toBe(0.95)
    expect(place(done(ONSET - 1), busy(8))).toBe(0.25)
    // What was done before the window, or to a part that is called, says nothing of how often.
    const others = [...busy(8).map((one) => ({ ...one, ...reached('stock-api', 1) }) as Arrival)]
    expect(place(done(ONSET - 1), others)).toBe(0.95)
  })

  it('is of no part that is called, calls others, or keeps what others store', () => {
    expect(place(done(ONSET - 1, reached('shelf-db')))).toBe(0.25)
    expect(place(done(ONSET - 1, reached('reports')))).toBe(0.25)
    const entity = (kind: 'datastore' | 'queue' | 'host') => ({
      ...WINDOW,
      entities: [{ name: 'nat-2', kind, aliases: [] }],
    })
    expect(place(done(ONSET - 1), [], SHARP, entity('datastore'))).toBe(0.25)
    expect(place(done(ONSET - 1), [], SHARP, entity('queue'))).toBe(0.25)
    expect(place(done(ONSET - 1), [], SHARP, entity('host'))).toBe(0.95)
    const stored = { ...WINDOW, series: [series('nat-2', 'db_connections_active', 20, 20)] }
    expect(place(done(ONSET - 1), [], SHARP, stored)).toBe(0.25)
  })

  it('is a record of what was done, by the infrastructure itself, that can do harm and stands nowhere nearer', () => {
    expect(place(done(ONSET - 1, {}, { kind: 'config' }))).toBe(0.25)
    expect(place(done(ONSET - 1, {}, { files: ['nat.tf'] }))).toBe(0.25)
    expect(place(done(ONSET - 1, { trivial: { reason: 'x', factor: 0.1 } }))).toBe(0.25)
    expect(place(done(ONSET - 1, reached('nat-2', 0.7)))).toBe(0.7)
  })

  it('says nothing where no onset is known, it is not sharp, or no calls were counted', () => {
    expect(place(done(ONSET - 1), [], { ...SHARP, onset: null })).toBe(0.25)
    const band = (minutes: number): Observed => ({
      ...SHARP,
      onset: { at: at(ONSET), earliest: at(ONSET - minutes / 2), latest: at(ONSET + minutes / 2) },
    })
    expect(place(done(ONSET - 1), [], band(2))).toBe(0.95)
    expect(place(done(ONSET - 1), [], band(2.1))).toBe(0.25)
    expect(place(done(ONSET - 1), [], { ...SHARP, graph: { ...SHARP.graph, callees: new Map() } })).toBe(0.25)
  })

  it('is ranked as hardly chance before what was done elsewhere hours ago', () => {
    const swapped: Change = {
      ...{ source: 'infra', id: 'swap', kind: 'infra', title: 'edge-7: replaced by its spare' },
      ...{ entity: 'edge-7', recorded_at: at(ONSET - 1) },
    }
    const more = {
      observed: { onset: SHARP.onset },
      snapshot: { series: [series('edge-7', 'sessions', 9, 9)] },
    }
    expect(first([swapped], [], more)).toMatchObject({ place: 0.95, hardly_chance: true, reaches: 'edge-7' })
    const early = { ...swapped, id: 'early', recorded_at: at(ONSET - 40) }
    const { ranked } = judge([swapped, early], [], more)
    expect(ofRanked(ranked, 'early')).toMatchObject({ hardly_chance: false, closeness: 0 })
  })
})
