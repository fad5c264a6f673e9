import { describe, expect, it } from 'vitest'
import { differingPeer } from '#shared/domain/investigation/causes/differing-peer.ts'
import { CONFIDENCE_CAP_SHOWN } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, commit, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, place, risen } from '../scene-by-hand.ts'

type More = Partial<SeriesShift>
const failed = (entity: string, code = '5xx', more: More = {}): SeriesShift =>
  risen(
    entity,
    'server_requests_total',
    { is_bad: false, before: 0.1, during: 9, ...more },
    { labels: { code } },
  )
const busy = (entity: string, more: More = {}): SeriesShift =>
  risen(entity, 'node_disk_io_time_seconds_total', { before: 0.1, during: 0.9, ...more })
const drive = (entity: string, more: More = {}): SeriesShift =>
  risen(entity, 'smartmon_device_smart_healthy', { direction: 'down', before: 1, during: 0, ...more })
const waiting = (entity: string, more: More = {}): SeriesShift =>
  risen(entity, 'disk_wait_ms', { before: 2, during: 90, ...more })
const all = (entity: string) => [failed(entity), busy(entity), drive(entity)]

const measured = (...entities: readonly string[]): Series[] =>
  entities.map((one) => series(one, 'node_load1', 1, 1))

interface Seen {
  readonly shifts?: readonly SeriesShift[]
  readonly snapshot?: Partial<Snapshot>
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}

const found = ({ shifts = all('shelf-2'), snapshot: more = {}, ...seen }: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, series: measured('shelf-1', 'shelf-2', 'shelf-3'), ...more }
  return differingPeer({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines: [] },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: { ...BARE, first: place('stock'), shifts, ...seen.observed },
  })
}

describe('one of several alike that fails', () => {
  it('is told by several measures of it that left normal together while its peers are as ever', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'infra', entity: 'shelf-2', score: 0.784, at_most: CONFIDENCE_CAP_SHOWN, is_placed: true },
      ...{ what: 'one of several alike that fails, while its peers do not', action: 'failover' },
      yields_to_changes: false,
    })
    expect(found({ shifts: [...all('shelf-2'), waiting('shelf-2')] })?.score).toBe(0.85)
  })

  it('yields to a change where no hardware says of itself that it fails', () => {
    expect(
      found({ shifts: [failed('shelf-2'), busy('shelf-2'), waiting('shelf-2')] })?.yields_to_changes,
    ).toBe(true)
  })

  it('moved by three measures, of which one says that it fails', () => {
    expect(found({ shifts: [failed('shelf-2'), busy('shelf-2')] })).toBeNull()
    expect(found({ shifts: [failed('shelf-2'), busy('shelf-2'), busy('shelf-2')] })).toBeNull()
    expect(
      found({ shifts: [busy('shelf-2'), waiting('shelf-2'), risen('shelf-2', 'node_load1')] }),
    ).toBeNull()
    const errors = risen('shelf-2', 'read_errors_per_second', { before: 0, during: 9 })
    expect(found({ shifts: [busy('shelf-2'), waiting('shelf-2'), errors] })?.entity).toBe('shelf-2')
    for (const code of ['503', 'error', '5xx'])
      expect([
        code,
        found({ shifts: [failed('shelf-2', code), busy('shelf-2'), waiting('shelf-2')] })?.entity,
      ]).toEqual([code, 'shelf-2'])
    for (const code of ['200', '4xx'])
      expect([
        code,
        found({ shifts: [failed('shelf-2', code), busy('shelf-2'), waiting('shelf-2')] }),
      ]).toEqual([code, null])
  })

  it('moved clearly, with the harm, and for as long as it', () => {
    const early = { at: at(ONSET - 3), earliest: at(ONSET - 3), latest: at(ONSET - 3) }
    for (const more of [
      { before: 0.5, during: 0.9 },
      { onset: early },
      { ended_at: at(ONSET + 9) },
      { is_bad: false },
    ])
      expect([more, found({ shifts: [failed('shelf-2'), drive('shelf-2'), busy('shelf-2', more)] })]).toEqual(
        [more, null],
      )
    expect(
      found({ shifts: [failed('shelf-2'), drive('shelf-2'), busy('shelf-2', { before: 0.45 })] })?.entity,
    ).toBe('shelf-2')
    expect(found({ onset: null })).toBeNull()
    expect(found({ observed: { first: null } })).toBeNull()
  })

  it('has peers, by the number at the end of its name, of which none did the same', () => {
    expect(found({ snapshot: { series: measured('shelf-2', 'rack-1', 'shelf') } })).toBeNull()
    expect(found({ shifts: all('shelf'), snapshot: { series: measured('shelf', 'shelf-1') } })).toBeNull()
    expect(found({ shifts: [...all('shelf-2'), busy('shelf-3')] })).toBeNull()
    expect(found({ shifts: [...all('shelf-2'), busy('shelf-3', { ended_at: at(ONSET + 2) })] })?.entity).toBe(
      'shelf-2',
    )
    expect(
      found({
        shifts: [...all('shelf-2'), ...all('rack-1')],
        snapshot: { series: measured('shelf-1', 'shelf-2', 'rack-1', 'rack-2') },
      }),
    ).toBeNull()
  })

  it('is none that calls are counted to, or that was changed just before', () => {
    expect(found({ observed: { flows: new Map([['shelf-2', counted('shelf-2', 9)]]) } })).toBeNull()
    const change = (entity: string) => ({
      ...commit('c1', ONSET - 5, 'Other drives', ['a'], null),
      ...{ entity, effective_at: { from: at(ONSET - 5), to: at(ONSET - 5) } },
    })
    expect(found({ snapshot: { changes: [change('shelf-2')] } })).toBeNull()
    expect(found({ snapshot: { changes: [change('shelf-3')] } })?.entity).toBe('shelf-2')
    // Of what hardware says of itself a record that only has a word of the name is no why.
    const spoken = { snapshot: { changes: [commit('c2', ONSET - 5, 'A longer shelf', ['a'], null)] } }
    expect(found(spoken)?.entity).toBe('shelf-2')
    expect(found({ ...spoken, shifts: [failed('shelf-2'), busy('shelf-2'), waiting('shelf-2')] })).toBeNull()
  })
})
