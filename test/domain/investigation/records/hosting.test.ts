import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import { linesByNode, machinesOf } from '#shared/domain/investigation/records/hosting.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { EMPTY, lines, series } from '../incident-scenarios.ts'

const on = (more: Partial<Snapshot>) => {
  const snapshot = { ...EMPTY, ...more }
  return Object.fromEntries(
    [...machinesOf(snapshot, entityNames(snapshot))].map(([entity, machines]) => [entity, [...machines]]),
  )
}

describe('the machines that each thing runs on', () => {
  it('are all that its series and its lines name, each once', () => {
    const labelled = (node: string) => ({ ...series('stock', 'up', 1, 1), labels: { node } })
    const logs = [
      ...lines('stock', 'INFO', 'fine', 0, 2).map((line) => ({ ...line, node: 'metal-3' })),
      ...lines('web', 'INFO', 'fine', 0, 1).map((line) => ({ ...line, node: 'metal-1' })),
      ...lines('mute', 'INFO', 'fine', 0, 1),
    ]
    expect(on({ series: [labelled('metal-1'), labelled('metal-2'), labelled('metal-1')], logs })).toEqual({
      stock: ['metal-1', 'metal-2', 'metal-3'],
      web: ['metal-1'],
    })
  })

  it('are not the machine itself, nor known where nothing names one', () => {
    expect(on({ series: [{ ...series('metal-1', 'up', 1, 1), labels: { node: 'metal-1' } }] })).toEqual({})
    expect(on({ series: [series('stock', 'up', 1, 1)] })).toEqual({})
  })

  it('are told of one thing by its one name', () => {
    const entities = [
      { name: 'stock', kind: 'service' as const, aliases: [{ alias: 'stock-svc', learnt_from: 'logs' }] },
    ]
    const logs = lines('stock-svc', 'INFO', 'fine', 0, 1).map((line) => ({ ...line, node: 'metal-1' }))
    expect(on({ entities, logs })).toEqual({ stock: ['metal-1'] })
  })

  it('are read once for the same records and names, and anew for others', () => {
    const runs = (node: string) => ({
      ...EMPTY,
      series: [{ ...series('stock', 'up', 1, 1), labels: { node } }],
    })
    const [one, other] = [runs('metal-1'), runs('metal-2')]
    const names = entityNames(one)
    const read = machinesOf(one, names)
    expect(machinesOf({ ...one }, names)).toBe(read)
    expect([...(machinesOf(other, names).get('stock') ?? [])]).toEqual(['metal-2'])
    const logs = lines('web', 'INFO', 'fine', 0, 1).map((line) => ({ ...line, node: 'metal-3' }))
    expect([...machinesOf({ ...one, logs }, names).keys()]).toEqual(['stock', 'web'])
    expect(machinesOf(one, entityNames(one))).not.toBe(read)
  })
})

describe('lines by where they were logged', () => {
  it('stand under service and node in their order, those that do not say under none, and are grouped once', () => {
    const [first, second, third] = lines('web', 'INFO', 'fine', 0, 3)
    const logs = [
      { ...first, node: 'metal-2' },
      { ...second },
      { ...third, attributes: { 'k8s.node.name': 'metal-2' } },
    ] as ReturnType<typeof lines>
    const grouped = linesByNode(logs)
    expect([...(grouped.get('web') ?? [])]).toEqual([
      ['metal-2', [logs[0], logs[2]]],
      [undefined, [logs[1]]],
    ])
    expect(linesByNode(logs)).toBe(grouped)
  })
})
