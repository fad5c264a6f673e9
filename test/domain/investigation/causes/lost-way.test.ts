import { describe, expect, it } from 'vitest'
import { lostWay } from '#shared/domain/investigation/causes/lost-way.ts'
import { CONFIDENCE_CAP_SHOWN, CONFIDENCE_CAP_WITNESSED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, graphOf, place, risen } from '../scene-by-hand.ts'

const asked = (entity: string, level = 1): Series => series(entity, 'probe_success', level, level)
const gone = (entity: string, more: Partial<SeriesShift> = {}, name = 'probe_success'): SeriesShift =>
  risen(entity, name, { direction: 'down', before: 1, during: 0, ...more })
const timedOut = (entity: string, minute = ONSET): Line => ({
  ...{ text: 'dial tcp 10.0.0.7:80: i/o timeout', entity, count: 9, at: at(minute), source: 'logs' },
  ...{ origin: 'log', failing: true },
})

const GONE = [gone('uplink'), gone('stock'), gone('web')]
const found = (
  shifts: readonly SeriesShift[] = GONE,
  seen: { lines?: readonly Line[]; series?: readonly Series[]; observed?: Partial<Scene['observed']> } = {},
) => {
  const all = ['uplink', 'other-uplink', 'stock', 'web'].map((entity) => asked(entity))
  const snapshot: Snapshot = { ...EMPTY, series: seen.series ?? all }
  return lostWay({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines: seen.lines ?? [], onset: at(ONSET) },
    observed: {
      ...{ ...BARE, first: place('stock'), shifts, graph: graphOf({ web: ['stock'] }) },
      flows: new Map([['stock', counted('stock', 9)]]),
      ...seen.observed,
    },
  })
}

describe('a way that nobody gets over', () => {
  it('is told where it answers no more since the same minute as those behind it', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'network', entity: 'uplink', score: 0.7305, at_most: CONFIDENCE_CAP_SHOWN },
      ...{ falls_on: ['stock', 'web'], yields_to_changes: true, is_placed: true, action: 'failover' },
      what: 'a way that nobody gets over, with all that is behind it',
    })
  })

  it('is surer where one says that nobody gets through', () => {
    expect(found(GONE, { lines: [timedOut('web')] })).toMatchObject({
      ...{ score: 0.7844, at_most: CONFIDENCE_CAP_WITNESSED },
    })
    expect(found(GONE, { lines: [timedOut('web', ONSET - 30)] })?.at_most).toBe(CONFIDENCE_CAP_SHOWN)
    expect(found(GONE, { lines: [{ ...timedOut('web'), origin: 'event' }] })?.at_most).toBe(
      CONFIDENCE_CAP_SHOWN,
    )
  })

  it('is none where one alone is behind it, or several lie before them', () => {
    expect(found([gone('uplink'), gone('stock')])).toBeNull()
    expect(found([gone('uplink'), gone('stock'), gone('stock')])).toBeNull()
    expect(found([...GONE, gone('router')])).toBeNull()
    expect(found([gone('stock'), gone('web'), gone('web')])).toBeNull()
  })

  it('is none where nothing that is asked alike answers still: then it may be the asking that fails', () => {
    const series = ['uplink', 'stock', 'web'].map((entity) => asked(entity))
    expect(found(GONE, { series })).toBeNull()
    expect(found(GONE, { series: [...series, asked('other-uplink', 0)] })).toBeNull()
    expect(found(GONE, { series: [...series, { ...asked('other-uplink'), name: 'up' }] })).toBeNull()
    expect(found(GONE, { series: [...series, asked('other-uplink')] })?.entity).toBe('uplink')
  })

  it('is none of what went before, came back, is there in part, or is asked from within', () => {
    const all = (more: Partial<SeriesShift>, name?: string) =>
      found(['uplink', 'stock', 'web'].map((entity) => gone(entity, more, name)))
    const early = { at: at(ONSET - 40), earliest: at(ONSET - 41), latest: at(ONSET - 39) }
    expect(all({ onset: early })).toBeNull()
    expect(all({ ended_at: at(ONSET + 4) })).toBeNull()
    expect(all({ during: 0.5 })).toBeNull()
    expect(all({}, 'pg_up')).toBeNull()
  })
})
