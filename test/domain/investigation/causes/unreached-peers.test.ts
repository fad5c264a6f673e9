import { describe, expect, it } from 'vitest'
import { unreachedPeers } from '#shared/domain/investigation/causes/unreached-peers.ts'
import { CONFIDENCE_CAP_UNMAPPED } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, place, risen } from '../scene-by-hand.ts'

const looked = (machine: string, name = 'probe_success'): Series => series(machine, name, 1, 1)
const gone = (machine: string, more: Partial<SeriesShift> = {}, name = 'probe_success'): SeriesShift =>
  risen(machine, name, { direction: 'down', before: 1, during: 0, ...more })
const missing = (machine: string, entity = 'stock', more: Partial<Line> = {}): Line => ({
  ...{ text: `no connection to ${machine}`, entity, count: 9, at: at(ONSET), source: 'logs' },
  ...{ origin: 'log', failing: true },
  ...more,
})

interface Seen {
  readonly machines?: readonly Series[]
  readonly shifts?: readonly SeriesShift[]
  readonly lines?: readonly Line[]
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}
const MACHINES = ['relay-1', 'relay-2', 'relay-3', 'relay-4'].map((machine) => looked(machine))
const THREE = ['relay-1', 'relay-2', 'relay-3'].map((machine) => gone(machine))
const found = ({ machines = MACHINES, shifts = THREE, lines = [missing('relay-2')], ...seen }: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, series: machines }
  return unreachedPeers({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: { ...BARE, first: place('stock'), shifts, ...seen.observed },
  })
}

describe('machines that nobody reaches since the same minute', () => {
  it('are told by the one of them that is missed, as likely at most', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'network', entity: 'relay-2', score: 0.683125, at_most: CONFIDENCE_CAP_UNMAPPED },
      ...{ falls_on: ['stock'], yields_to_changes: true, is_placed: true, action: 'failover' },
      what: 'machines that nobody reaches since the same minute, while another that is looked at alike is reached',
    })
    expect(found()?.signs.map(({ fact }) => fact.of)).toEqual(['shift', 'shift', 'text'])
  })

  it('are told by the one that is named most, of equals by the first of the alphabet', () => {
    const lines = (one: number, other: number): readonly Line[] => [
      missing('relay-3', 'web', { count: other }),
      missing('relay-1', 'stock', { count: one }),
    ]
    expect(found({ lines: lines(9, 10) })?.entity).toBe('relay-3')
    expect(found({ lines: lines(10, 9) })?.entity).toBe('relay-1')
    expect(found({ lines: lines(9, 9) })).toMatchObject({ entity: 'relay-1', falls_on: ['stock', 'web'] })
    expect(found({ lines: lines(9, 9) })?.score).toBeGreaterThan(found()?.score ?? 1)
  })

  it('are missed by who fails, again and again since then', () => {
    expect(found({ lines: [] })).toBeNull()
    expect(found({ lines: [missing('relay-4')] })).toBeNull()
    expect(found({ lines: [missing('relay-2', 'stock', { count: 4 })] })).toBeNull()
    expect(found({ lines: [missing('relay-2', 'stock', { failing: false })] })).toBeNull()
    expect(found({ lines: [missing('relay-2', 'stock', { origin: 'event' })] })).toBeNull()
    expect(found({ lines: [missing('relay-2', 'stock', { at: at(ONSET - 40) })] })).toBeNull()
    expect(found({ lines: [missing('relay-2', 'relay-2')] })).toBeNull()
  })

  it('are two at least, gone in the minute in which users began to be hurt and for as long', () => {
    expect(found({ shifts: [gone('relay-2')] })).toBeNull()
    expect(found({ shifts: [gone('relay-2'), gone('relay-3', { during: 0.5 })] })).toBeNull()
    expect(found({ shifts: [gone('relay-2'), gone('relay-3', { ended_at: at(ONSET + 2) })] })).toBeNull()
    const early = { at: at(ONSET - 4), earliest: at(ONSET - 4), latest: at(ONSET - 4) }
    expect(found({ shifts: [gone('relay-2'), gone('relay-3', { onset: early })] })).toBeNull()
    expect(found({ shifts: [gone('relay-2'), gone('relay-3')] })?.entity).toBe('relay-2')
  })

  it('are looked at alike, in either way', () => {
    const up = ['relay-1', 'relay-2'].map((machine) => gone(machine, {}, 'up'))
    expect(found({ shifts: up, machines: MACHINES.map(({ entity }) => looked(entity, 'up')) })?.entity).toBe(
      'relay-2',
    )
    expect(found({ shifts: [gone('relay-1', {}, 'up'), gone('relay-2')] })).toBeNull()
    expect(found({ shifts: ['relay-1', 'relay-2'].map((machine) => gone(machine, {}, 'jobs')) })).toBeNull()
  })

  it('are none where no other is left, or where calls are counted to them', () => {
    expect(found({ machines: MACHINES.slice(0, 3) })).toBeNull()
    const flows = new Map(['relay-1', 'relay-2', 'relay-3'].map((name) => [name, counted(name, 9)]))
    expect(found({ observed: { flows } })).toBeNull()
    expect(found({ onset: null })).toBeNull()
    expect(found({ observed: { first: null } })).toBeNull()
  })
})
