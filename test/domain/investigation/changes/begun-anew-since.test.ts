import { describe, expect, it } from 'vitest'
import { withBegunAnew } from '#shared/domain/investigation/changes/begun-anew-since.ts'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'
import { BARE, graphOf, place, risen } from '../scene-by-hand.ts'

const TITLE = 'print-machines: upgrade of the operating system'
const done = (minute: number, title = TITLE, more: Partial<Change> = {}, arrived: object = {}): Arrival =>
  ({
    change: { ...{ source: 'chat', id: 'c1', kind: 'infra', recorded_at: at(minute), title }, ...more },
    diff: readDiff('', []),
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 0.45, reaches: null, owners: new Set(), is_named: false },
    trivial: null,
    ...arrived,
  }) as unknown as Arrival

/** A clock in seconds that ran on until a minute, and began anew two minutes later; nothing was measured between. */
function clock(machine: string, stopped: number): Series {
  const one = series(machine, 'node_uptime_seconds', 0, 0)
  const times = one.times.filter((time) => time <= at(stopped) || time >= at(stopped + 2))
  const values = times.map((time) => (time - (time <= at(stopped) ? at(-9_000) : at(stopped + 2))) / 1_000)
  return { ...one, times, values }
}
const on = (entity: string, node: string): Series => ({
  ...series(entity, 'process_threads', 9, 9),
  labels: { node },
})

const CLOCKS = [clock('print-1-3', ONSET), clock('print-2-7', ONSET + 4)]
const seen = (
  arrival: Arrival,
  clocks: readonly Series[] = CLOCKS,
  more: object = {},
  running = on('stock-db', 'print-1-3'),
): Arrival => {
  const snapshot: Snapshot = { ...EMPTY, series: [running, ...clocks] }
  const observed = {
    ...BARE,
    ...{ first: place('stock-db'), onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) } },
    shifts: clocks.map((one) => risen(one.entity, one.name, {}, one)),
    ...more,
  }
  return withBegunAnew([arrival], observed, snapshot, entityNames(snapshot))[0] as Arrival
}
const isSeen = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('work on machines that have begun anew since', () => {
  it('is at the very place, with the clock of the machine that hurts', () => {
    expect(seen(done(ONSET - 2))).toMatchObject({
      place: { score: 0.95, reaches: 'print-1-3' },
      effective: { from: at(ONSET - 2), known: true },
      seen: { series: { entity: 'print-1-3', name: 'node_uptime_seconds' } },
    })
    expect(seen(done(ONSET - 2), CLOCKS, {}, on('stock-db', 'print-2-7')).place.reaches).toBe('print-2-7')
    const behind = { first: place('web'), graph: graphOf({ web: ['stock-db'] }) }
    expect(seen(done(ONSET - 2), CLOCKS, behind).place.reaches).toBe('print-1-3')
  })

  it.each(['print-nodes: kernel', 'print_pool: kernel', 'print.hosts: kernel', 'print-node-pool: kernel'])(
    'names a set of machines by what their names begin with: %s',
    (title) => {
      expect(isSeen(done(ONSET - 2, title))).toBe(true)
    },
  )

  it.each(['batch-machines: kernel', 'core: kernel', 'cor-machines: kernel', 'upgrade of the machines'])(
    'is not that of other machines: %s',
    (title) => {
      expect(isSeen(done(ONSET - 2, title))).toBe(false)
    },
  )

  it('is of a set only where two of it did, and of one that it names where that did', () => {
    expect(isSeen(done(ONSET - 2), [clock('print-1-3', ONSET)])).toBe(false)
    expect(isSeen(done(ONSET - 2), [clock('print-1-3', ONSET), clock('batch-1', ONSET)])).toBe(false)
    expect(isSeen(done(ONSET - 2, 'print-1-3: kernel'), [clock('print-1-3', ONSET)])).toBe(true)
    const of = { entity: 'print-machines' }
    expect(isSeen(done(ONSET - 2, 'upgrade of the operating system', of))).toBe(true)
  })

  it('is of machines that stopped within ten minutes after the record', () => {
    const both = (minute: number) => [clock('print-1-3', minute), clock('print-2-7', minute)]
    expect(isSeen(done(ONSET - 9), both(ONSET))).toBe(true)
    expect(isSeen(done(ONSET - 10), both(ONSET))).toBe(false)
    expect(isSeen(done(ONSET + 1), both(ONSET))).toBe(true)
    expect(isSeen(done(ONSET + 2), both(ONSET - 1))).toBe(false)
  })

  it('does it by what runs there: of what fails, or of what that calls', () => {
    expect(isSeen(done(ONSET - 2), CLOCKS, {}, on('stock-db', 'core-9-9'))).toBe(false)
    expect(isSeen(done(ONSET - 2), CLOCKS, { first: null })).toBe(false)
    expect(isSeen(done(ONSET - 2), CLOCKS, { counted_as_ever: () => true })).toBe(false)
  })

  it('is a record of what was done, not of what was written, and not of what does nothing', () => {
    expect(isSeen(done(ONSET - 2, TITLE, { kind: 'config' }))).toBe(false)
    expect(isSeen(done(ONSET - 2, TITLE, { diff: '-a: 1\n+a: 2' }))).toBe(false)
    expect(isSeen(done(ONSET - 2, TITLE, {}, { trivial: { reason: 'a comment', factor: 0.1 } }))).toBe(false)
    expect(isSeen(done(ONSET - 2), CLOCKS, { onset: null })).toBe(false)
  })
})

describe('an incident while machines are begun anew one after the other', () => {
  const gone = (entity: string, from: number): Series => series(entity, 'http_5xx_ratio', 0.001, 0.6, from)
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [gone('web', ONSET), gone('stock-db', ONSET), on('stock-db', 'print-1-3'), ...CLOCKS],
    edges: calls('web', 'stock-db', 0.6),
    logs: lines('web', 'ERROR', 'connect to stock-db: connection refused', ONSET, LENGTH),
  }
  const record = done(ONSET - 2).change

  it('is told as that of the upgrade, and without its record as a machine that began anew', () => {
    const { cause } = investigate({ ...snapshot, changes: [record] })
    expect(cause).toMatchObject({ level: 'change', change: 'c1' })
    expect(investigate(snapshot).cause).toMatchObject({ change: null, kind: 'node', entity: 'print-1-3' })
  })
})
