import { describe, expect, it } from 'vitest'
import { stolenTime } from '#shared/domain/investigation/causes/stolen-time.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, place, risen } from '../scene-by-hand.ts'

const steal = (entity: string, more: Partial<SeriesShift> = {}, name = 'host_cpu_steal_ratio') =>
  risen(entity, name, { before: 0.01, during: 0.8, ...more })
const FELT = risen('stock-db', 'query_duration_ms', { before: 5, during: 900 })
const SAID: Line = {
  ...{ text: 'cpu contended: steal is high', entity: 'stock-db', count: 9, at: at(ONSET), source: 'logs' },
  ...{ origin: 'log', failing: true },
}

interface Seen {
  readonly shifts?: readonly SeriesShift[]
  readonly lines?: readonly Line[]
  readonly first?: string
  readonly snapshot?: Partial<Snapshot>
}
const found = ({
  shifts = [steal('stock-db'), FELT],
  lines = [],
  first = 'stock-db',
  ...seen
}: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, ...seen.snapshot }
  const scene: Scene = {
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines, onset: at(ONSET) },
    observed: { ...BARE, first: place(first), shifts },
  }
  return stolenTime(scene)
}

describe('a machine whose host gives its time to others', () => {
  it('is told where its time is taken and its users feel it, and more surely where it says so', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'node', entity: 'stock-db', score: 0.72, action: 'reschedule', is_placed: true },
      ...{ what: 'a machine whose host gives its time to others', yields_to_changes: false },
    })
    expect(found({ lines: [SAID] })?.score).toBe(0.818)
    expect(found({ lines: [{ ...SAID, entity: 'web' }] })?.score).toBe(0.72)
  })

  it('is known by the words of the name, or by the mode in which a processor was', () => {
    for (const name of ['cpu_usage_steal', 'system.cpu.stolen'])
      expect(found({ shifts: [steal('stock-db', {}, name), FELT] })).not.toBeNull()
    expect(found({ shifts: [steal('stock-db', {}, 'work_stealing_ratio'), FELT] })).toBeNull()
    const mode = steal('stock-db', {}, 'node_cpu_ratio')
    const labelled = { ...mode, series: { ...mode.series, labels: { mode: 'steal' } } }
    expect(found({ shifts: [labelled, FELT] })).not.toBeNull()
    expect(found({ shifts: [mode, FELT] })).toBeNull()
  })

  it('takes much of the time, and several times as much as before', () => {
    const of = (before: number, during: number, name?: string) =>
      found({ shifts: [steal('stock-db', { before, during }, name), FELT] })
    expect(of(0.03, 0.1)).not.toBeNull()
    expect(of(0.03, 0.09)).toBeNull()
    expect(of(0.2, 0.59)).toBeNull()
    expect(of(2, 30, 'cpu_steal_percent')).not.toBeNull()
    expect(of(1, 9, 'cpu_steal_percent')).toBeNull()
    expect(found({ shifts: [steal('stock-db', { direction: 'down' }), FELT] })).toBeNull()
  })

  it('counts for as long as users are hurt', () => {
    expect(found({ shifts: [steal('stock-db', { ended_at: at(ONSET + 1) }), FELT] })).toBeNull()
  })

  it('is nothing where nobody feels it', () => {
    expect(found({ shifts: [steal('stock-db')] })).toBeNull()
    expect(found({ shifts: [steal('spare-db'), FELT] })).toBeNull()
  })

  it('falls on what runs on the machine, and on what fails first before others', () => {
    const on = (entity: string) => ({
      ...series(entity, 'process_threads', 9, 9),
      labels: { node: 'metal-1' },
    })
    const snapshot = { series: [on('web'), on('stock-db')] }
    const slow = risen('web', 'http_request_duration_ms', { before: 5, during: 900 })
    expect(found({ shifts: [steal('metal-1'), slow, FELT], snapshot })?.entity).toBe('stock-db')
    expect(found({ shifts: [steal('metal-1'), slow], snapshot, first: 'other' })?.entity).toBe('web')
    expect(found({ shifts: [steal('metal-2'), slow], snapshot })).toBeNull()
  })
})
