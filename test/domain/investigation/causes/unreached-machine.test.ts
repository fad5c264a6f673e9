import { describe, expect, it } from 'vitest'
import { unreachedMachine } from '#shared/domain/investigation/causes/unreached-machine.ts'
import { CONFIDENCE_CAP_SHOWN } from '#shared/domain/investigation/confidence.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { BARE, counted, graphOf, place, risen } from '../scene-by-hand.ts'

const WAYS = ['up', 'probe_success']
const looked = (machine: string, ways = WAYS): Series[] => ways.map((name) => series(machine, name, 1, 1))
const gone = (machine: string, more: Partial<SeriesShift> = {}, ways = WAYS): SeriesShift[] =>
  ways.map((name) => risen(machine, name, { direction: 'down', before: 1, during: 0, ...more }))
const waiting = (label: string, more: Partial<SeriesShift> = {}): SeriesShift =>
  risen(
    'queue',
    'redis_key_size',
    { is_bad: false, before: 12, during: 900, ...more },
    { labels: { key: label } },
  )
const timedOut = (entity: string): Line => ({
  ...{ text: 'connect ETIMEDOUT 10.0.0.7:3310', entity, count: 9, at: at(ONSET), source: 'logs' },
  ...{ origin: 'log', failing: true },
})
const recorded = (text: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'disk-2', count: 1, at: at(ONSET + 4), source: 'events' },
  ...{ origin: 'event', failing: true },
  ...more,
})
interface Seen {
  readonly machines?: readonly Series[]
  readonly shifts?: readonly SeriesShift[]
  readonly lines?: readonly Line[]
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}
const MACHINES = ['disk-1', 'disk-2', 'disk-3'].flatMap((machine) => looked(machine))
const found = ({
  machines = MACHINES,
  shifts = gone('disk-2'),
  lines = [timedOut('stock')],
  ...seen
}: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, series: machines }
  return unreachedMachine({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: { ...BARE, first: place('stock'), shifts, ...seen.observed },
  })
}

describe('a machine that nobody reaches any more', () => {
  it('is told by two that look at it in different ways and by who gets no connection', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'network', entity: 'disk-2', score: 0.712, at_most: CONFIDENCE_CAP_SHOWN },
      ...{ falls_on: ['stock'], yields_to_changes: true, is_placed: true, action: 'failover' },
      what: 'a machine that nobody reaches any more, while others that are looked at alike are',
    })
  })

  it('is missed as well by what waits in its name, or by a record of it', () => {
    expect(found({ lines: [] })).toBeNull()
    expect(found({ lines: [], shifts: [...gone('disk-2'), waiting('writes:disk-2')] })?.score).toBe(0.766)
    expect(found({ lines: [], shifts: [...gone('disk-2'), waiting('writes:disk-1')] })).toBeNull()
    const few = waiting('writes:disk-2', { during: 35 })
    expect(found({ lines: [], shifts: [...gone('disk-2'), few] })).toBeNull()
    const over = waiting('writes:disk-2', { ended_at: at(ONSET + 5) })
    expect(found({ lines: [], shifts: [...gone('disk-2'), over] })).toBeNull()
    const told = 'notification the network of a part of the data centre is unreachable'
    expect(found({ lines: [recorded(told)] })?.score).toBe(0.766)
    expect(found({ lines: [recorded('maintenance of its host is planned for Saturday')] })).toBeNull()
    expect(found({ lines: [recorded(told, { at: at(ONSET - 9) })] })).toBeNull()
    expect(found({ lines: [recorded(told, { entity: 'disk-1' })] })).toBeNull()
  })

  it('needs both of them, from when users are hurt and for as long', () => {
    expect(found({ shifts: gone('disk-2', {}, ['up']) })).toBeNull()
    expect(found({ shifts: gone('disk-2', {}, ['probe_success']) })).toBeNull()
    const early = { at: at(ONSET - 4), earliest: at(ONSET - 4), latest: at(ONSET - 4) }
    expect(found({ shifts: gone('disk-2', { onset: early }) })).toBeNull()
    expect(found({ shifts: gone('disk-2', { ended_at: at(ONSET + 2) }) })).toBeNull()
    expect(found({ shifts: gone('disk-2', { during: 0.5 }) })).toBeNull()
  })

  it('is none where no other is looked at alike and still reached, or where several are gone at once', () => {
    expect(found({ machines: looked('disk-2') })).toBeNull()
    expect(found({ machines: [...looked('disk-2'), ...looked('disk-1', ['up'])] })).toBeNull()
    expect(found({ shifts: [...gone('disk-1'), ...gone('disk-2')] })).toBeNull()
  })

  it('is nobody that calls are counted to, or that calls others', () => {
    expect(found({ observed: { flows: new Map([['disk-2', counted('disk-2', 9)]]) } })).toBeNull()
    expect(found({ observed: { graph: graphOf({ 'disk-2': ['vault'] }) } })).toBeNull()
    expect(found({ observed: { graph: graphOf({ web: ['disk-2'] }) } })).toBeNull()
    expect(found({ onset: null })).toBeNull()
    expect(found({ observed: { first: null } })).toBeNull()
  })
})
