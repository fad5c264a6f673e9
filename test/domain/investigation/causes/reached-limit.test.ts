import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNLINKED,
} from '#shared/domain/investigation/confidence.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at, LENGTH, ONSET, series, wobble } from '../incident-scenarios.ts'
import { causes, facts, place, said } from '../scene-by-hand.ts'

/** Grows by a level each minute up to the onset, and by another since. */
const grown = (before = 6, since = 0, more: Partial<Series> = {}): Series => ({
  ...series('stock', 'process_open_handles', 1, 1),
  values: Float64Array.from({ length: LENGTH }, (_, minute) => {
    const level = 400 + before * Math.min(minute, ONSET) + since * Math.max(0, minute - ONSET)
    return level + wobble(minute)
  }),
  ...more,
})
const OBSERVED: Partial<Observed> = {
  first: place('stock'),
  normal: { baselines: [], origin: 'declared', incident: { from: at(0), to: at(LENGTH) } },
}
const reached = (
  one: Series,
  words: readonly string[] = [],
  observed: Partial<Observed> = {},
  service = 'stock',
) =>
  causes({
    templates: words.map((text) => said(text, service)),
    snapshot: { series: [one] },
    observed: { ...OBSERVED, ...observed },
  }).find(({ what }) => /a limit that was reached/.test(what))

describe('a limit that nobody names', () => {
  it('is where what grew evenly stands still from the onset on', () => {
    const found = reached(grown())
    expect(found).toMatchObject({
      ...{ kind: 'capacity', entity: 'stock', action: 'scale', score: 0.5, at_most: CONFIDENCE_CAP_UNLINKED },
      ...{ yields_to_changes: false, is_placed: true },
    })
    expect(found?.is_whole).toBeUndefined()
    expect(facts(found)).toEqual([[0.5, 'process_open_handles']])
    const [sign] = found?.signs ?? []
    expect(sign?.fact.of === 'shift' ? sign.fact.shift.during : 0).toBeCloseTo(940, -1)
  })

  it('is likely where the place complains anew from then on', () => {
    const found = reached(grown(), ['could not open another handle'])
    expect(found).toMatchObject({ score: 0.675, at_most: CONFIDENCE_CAP_CONSEQUENCE })
    expect(facts(found)).toContainEqual([0.35, 'could not open another handle'])
    expect(reached(grown(), ['could not open another handle'], {}, 'web')?.at_most).toBe(
      CONFIDENCE_CAP_UNLINKED,
    )
  })

  it('is none where it goes on growing, never grew, or fell', () => {
    expect(reached(grown(6, 6))).toBeUndefined()
    expect(reached(grown(6, 2))).toBeUndefined()
    expect(reached(grown(6, 0.5))).toBeDefined()
    expect(reached(grown(0))).toBeUndefined()
    expect(reached(grown(6, -2))).toBeUndefined()
    expect(reached(grown(-3))).toBeUndefined()
  })

  it('is none of a share, a count of work, waiting, another part, or too little time', () => {
    const share = grown(0.006)
    expect(
      reached({ ...share, unit: '1', values: share.values.map((value) => value / 1_000) }),
    ).toBeUndefined()
    expect(reached(grown(6, 0, { unit: '%' }))).toBeUndefined()
    expect(reached(grown(6, 0, { type: 'counter' }))).toBeUndefined()
    expect(reached(grown(6, 0, { name: 'requests_per_second' }))).toBeUndefined()
    expect(reached(grown(6, 0, { name: 'http_duration_ms' }))).toBeUndefined()
    expect(reached(grown(6, 0, { entity: 'web' }))).toBeUndefined()
    const incident = { from: at(0), to: at(ONSET + 7) }
    expect(
      reached(grown(), [], { normal: { ...OBSERVED.normal, incident } as Observed['normal'] }),
    ).toBeUndefined()
    expect(reached(grown(), [], { first: null })).toBeUndefined()
    expect(reached(grown(), [], { onset: null })).toBeUndefined()
  })

  it('is none where it is given back, for a moment or for good', () => {
    const whole = grown()
    const from = (index: number, to: number, level: number) =>
      grown(6, 0, { values: whole.values.map((value, at) => (at >= index && at < to ? level : value)) })
    expect(reached(from(100, 102, 800))).toBeUndefined()
    expect(reached(from(ONSET, LENGTH, 800))).toBeUndefined()
    expect(reached(from(ONSET, LENGTH, 920))).toBeDefined()
    expect(reached(grown(6, 0, { name: 'container_memory_usage_mb' }))).toBeUndefined()
  })

  it('is told of anything that is kept, whatever it is called', () => {
    expect(reached(grown(6, 0, { name: 'leases_held' }))).toBeDefined()
    expect(reached(grown(6, 0, { name: 'db_sessions' }))).toBeDefined()
  })
})
