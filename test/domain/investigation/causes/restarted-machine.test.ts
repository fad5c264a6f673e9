import { describe, expect, it } from 'vitest'
import { restartedMachine } from '#shared/domain/investigation/causes/restarted-machine.ts'
import { CONFIDENCE_CAP_UNLINKED } from '#shared/domain/investigation/confidence.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { BARE, graphOf, place, risen } from '../scene-by-hand.ts'

const on = (entity: string, ...nodes: readonly string[]): Series[] =>
  nodes.map((node) => ({ ...series(entity, 'process_threads', 9, 9), labels: { node } }))

/** A clock in seconds that ran on until a minute, and began anew at another, when nothing had been measured between. */
function clock(machine: string, stopped = ONSET, began = ONSET + 5, name = 'node_uptime_seconds'): Series {
  const one = series(machine, name, 0, 0)
  const unit = name.endsWith('_ms') ? 1 : 1_000
  const times = one.times.filter((time) => time <= at(stopped) || time >= at(began))
  const begins = (time: number): number => (time <= at(stopped) ? at(-9_000) : at(began))
  const isInstant = name.includes('boot')
  const values = times.map((time) => (isInstant ? begins(time) : time - begins(time)) / unit)
  return { ...one, times, values }
}

const record = (entity: string, minute = ONSET, origin: Line['origin'] = 'event'): Line => ({
  ...{ text: 'instance ended', entity, count: 1, at: at(minute), source: 'events', origin, failing: true },
})

interface Seen {
  readonly running?: readonly Series[]
  readonly clocks?: readonly Series[]
  readonly lines?: readonly Line[]
  readonly observed?: Partial<Scene['observed']>
  readonly onset?: number | null
}

const found = ({ running = on('stock-db', 'metal-1'), clocks = [clock('metal-1')], ...seen }: Seen = {}) => {
  const snapshot: Snapshot = { ...EMPTY, series: [...running, ...clocks] }
  return restartedMachine({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines: seen.lines ?? [] },
    onset: seen.onset === undefined ? at(ONSET) : seen.onset,
    observed: {
      ...BARE,
      ...{ first: place('stock-db'), shifts: clocks.map((one) => risen(one.entity, one.name, {}, one)) },
      ...seen.observed,
    },
  })
}

describe('a machine that stopped and began anew', () => {
  it('is told by its clock, and more surely where the platform recorded something of it', () => {
    expect(found()).toMatchObject({
      ...{ kind: 'node', entity: 'metal-1', score: 0.6, at_most: CONFIDENCE_CAP_UNLINKED },
      ...{ what: 'a machine that stopped and began anew', yields_to_changes: false, action: 'failover' },
    })
    const told = found({ lines: [record('metal-1')] })
    expect(told?.score).toBe(round6(1 - 0.4 * 0.7))
    expect(told?.at_most).toBeUndefined()
    expect(told?.signs.map(({ fact }) => fact.of)).toEqual(['shift', 'text'])
    const many = [record('metal-1'), record('metal-1', ONSET + 5, 'kubernetes'), record('metal-1', ONSET - 5)]
    expect(found({ lines: many })?.score).toBe(round6(1 - 0.4 * 0.7 * 0.7))
  })

  it('is told no surer by records of others, of another time or by what somebody logs', () => {
    for (const line of [
      record('metal-2'),
      record('metal-1', ONSET + 6),
      record('metal-1', ONSET, 'log'),
      { ...record('metal-1'), at: null },
    ])
      expect(found({ lines: [line] })?.score).toBe(0.6)
  })

  it('is read of clocks in seconds, in milliseconds and of the instant at which it began', () => {
    for (const name of ['uptime_ms', 'host_uptime', 'node_boot_time_seconds'])
      expect(found({ clocks: [clock('metal-1', ONSET, ONSET + 5, name)] }), name).not.toBeNull()
    expect(found({ clocks: [clock('metal-1', ONSET, ONSET + 5, 'node_load_ratio')] })).toBeNull()
  })

  it('is why only where it stopped when users were hurt and was there again in time', () => {
    for (const [stopped, began] of [
      [ONSET - 5, ONSET],
      [ONSET + 5, ONSET + 9],
      [ONSET, ONSET + 15],
    ] as const)
      expect(found({ clocks: [clock('metal-1', stopped, began)] }), `${stopped}`).not.toBeNull()
    for (const [stopped, began] of [
      [ONSET - 6, ONSET],
      [ONSET + 6, ONSET + 9],
      [ONSET, ONSET + 16],
    ] as const)
      expect(found({ clocks: [clock('metal-1', stopped, began)] }), `${stopped}`).toBeNull()
    expect(found({ clocks: [clock('metal-1', LENGTH)] })).toBeNull()
    const since = clock('metal-1')
    const times = since.times.filter((time) => time > at(ONSET))
    const values = since.values.slice(-times.length)
    expect(found({ clocks: [{ ...since, times, values }] })).toBeNull()
    expect(found({ onset: null })).toBeNull()
    expect(found({ observed: { first: null } })).toBeNull()
  })

  it('is not hidden by samples without a value', () => {
    const lost = clock('metal-1')
    const values = lost.values.map((value, index) => (index === 40 ? Number.NaN : value))
    expect(found({ clocks: [{ ...lost, values }] })).not.toBeNull()
  })

  it('counts only where all machines of a place did so', () => {
    const running = on('stock-db', 'metal-1', 'metal-2')
    expect(found({ running })).toBeNull()
    expect(found({ running, clocks: [clock('metal-2'), clock('metal-1')] })?.entity).toBe('metal-1')
    expect(found({ running: on('other', 'metal-1') })).toBeNull()
  })

  it('counts under what the failing place calls, or who was asked about, unless that answers as ever', () => {
    const graph = graphOf({ web: ['cart', 'stock'], cart: ['stock-db'] })
    const of = (observed: Partial<Scene['observed']>) => found({ observed: { graph, ...observed } })?.entity
    expect(of({ first: place('cart') })).toBe('metal-1')
    expect(of({ first: place('stock'), symptom_service: 'web' })).toBe('metal-1')
    expect(of({ first: place('stock') })).toBeUndefined()
    const isAsEver = (entity: string): boolean => entity === 'stock-db'
    expect(of({ first: place('cart'), counted_as_ever: isAsEver })).toBeUndefined()
  })
})
