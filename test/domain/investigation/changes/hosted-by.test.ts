import { describe, expect, it } from 'vitest'
import { hostedBy } from '#shared/domain/investigation/changes/hosted-by.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const running = (entity: string, ...nodes: readonly string[]): Series[] =>
  nodes.map((node) => ({ ...series(entity, 'process_threads', 9, 9), labels: { node } }))

describe('what runs on a machine', () => {
  it('is all that has an instance there, each by the share of its machines that this one is', () => {
    const snapshot = {
      ...EMPTY,
      series: [...running('stock', 'metal-1', 'metal-2'), ...running('web', 'metal-1')],
    }
    const of = hostedBy(snapshot, entityNames(snapshot))
    const both = [
      { entity: 'stock', machine: 'metal-1', share: 0.5 },
      { entity: 'web', machine: 'metal-1', share: 1 },
    ]
    expect(of({ entity: 'metal-1' })).toEqual(both)
    expect(of({ title: 'metal-1: another kernel' })).toEqual(both)
    expect(of({ entity: 'metal-2' })).toEqual([{ entity: 'stock', machine: 'metal-2', share: 0.5 }])
    for (const entity of ['stock', 'metal-11', 'metal']) expect(of({ entity, title: entity })).toEqual([])
    expect(of({})).toEqual([])
  })
})

describe('work on a machine', () => {
  const work = (machine: string, more: Partial<Change> = {}): Change => ({
    ...{ source: 'events', id: `on-${machine}`, recorded_at: at(ONSET - 2), kind: 'infra', entity: machine },
    title: `${machine}: packages of the operating system updated`,
    ...more,
  })
  const scene = (changes: readonly Change[], ...nodes: readonly string[]): Snapshot => ({
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.003, 0.4),
      series('stock', 'http_5xx_ratio', 0.003, 0.4),
      ...running('stock', ...nodes),
      ...running('other', 'metal-9'),
    ],
    edges: calls('web', 'stock', 0.4),
    changes,
  })
  const told = (changes: readonly Change[], ...nodes: readonly string[]) =>
    investigate(scene(changes, ...nodes)).cause

  it('is why what runs there alone fails minutes later', () => {
    const both = [work('metal-1'), work('metal-9')]
    expect(told(both, 'metal-1')).toMatchObject({ level: 'change', change: 'on-metal-1', entity: 'stock' })
    const untold = { ...work('metal-1') }
    delete (untold as { entity?: string }).entity
    expect(told([untold, work('metal-9')], 'metal-1')).toMatchObject({
      level: 'change',
      change: 'on-metal-1',
    })
  })

  it('is not why what runs on three other machines as well fails on all of them', () => {
    expect(told([work('metal-1')], 'metal-1', 'metal-2', 'metal-3', 'metal-4').change).toBeNull()
    expect(told([work('metal-9')], 'metal-1').change).toBeNull()
  })

  it('is told of nobody by a record that is of no machine', () => {
    expect(told([work('metal-1', { kind: 'flag' })], 'metal-1').change).toBeNull()
  })

  it('is told of the machine where its own telemetry left normal as well', () => {
    const snapshot = scene([work('metal-1')], 'metal-1')
    const off = [...snapshot.series, series('metal-1', 'node_load_ratio', 0.3, 0.99)]
    expect(investigate({ ...snapshot, series: off }).cause).toMatchObject({
      ...{ level: 'change', change: 'on-metal-1', entity: 'metal-1' },
    })
    // What runs there fails with the machine, so that this one explains no less.
    expect(investigate({ ...snapshot, series: off }).confidence).toBeGreaterThanOrEqual(
      investigate(snapshot).confidence,
    )
  })
})
