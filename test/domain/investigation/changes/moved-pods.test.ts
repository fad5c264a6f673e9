import { describe, expect, it } from 'vitest'
import { type Moved, movesOf } from '#shared/domain/investigation/changes/moved-pods.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Change, KubernetesRecord, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const upgrade: Change = {
  ...{ source: 'deploys', id: 'u1', kind: 'infra', entity: 'pool-blue', recorded_at: at(10) },
  title: 'new machines',
}
const node = (name: string, minute = 10): KubernetesRecord => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Node', name, reason: 'NodeSchedulable' },
})
const evicted = (name: string, minute: number, more: Partial<KubernetesRecord> = {}): KubernetesRecord => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Pod', name, reason: 'Evicted' },
  message: 'evicted from node pool-blue-1',
  ...more,
})
const moved = (
  k8s: readonly KubernetesRecord[],
  {
    change = upgrade,
    latest = null,
    more = {},
  }: { change?: Change; latest?: number | null; more?: Partial<Snapshot> } = {},
): readonly Moved[] => {
  const snapshot: Snapshot = {
    ...EMPTY,
    entities: ['stock', 'cart-api'].map((name) => ({ name, kind: 'service', aliases: [] })),
    k8s,
    ...more,
  }
  return movesOf(snapshot, entityNames(snapshot), latest)(change)
}
const NODES = [node('pool-blue-1'), node('pool-green-1')]

describe('what a change of machines moved', () => {
  it('are the services whose pods left its machines, each since the first of them did', () => {
    expect(
      moved([...NODES, evicted('stock-7d9-x2', 14), evicted('stock-7d9-x1', 12), evicted('cart-api-0', 13)]),
    ).toEqual([
      { entity: 'stock', at: at(12) },
      { entity: 'cart-api', at: at(13) },
    ])
  })

  it('is nothing where no machine is known, nothing left, or the change is of another kind', () => {
    expect(moved([evicted('stock-7d9-x2', 14)])).toEqual([])
    expect(moved(NODES)).toEqual([])
    for (const kind of ['deploy', 'config', 'scale'] as const)
      expect(moved([...NODES, evicted('stock-7d9-x2', 14)], { change: { ...upgrade, kind } })).toEqual([])
  })

  it.each([
    'Evicted',
    'TaintManagerEviction',
    'Drained',
    'Preempted',
    'Killing',
    'NodeLost',
    'Scheduled',
    'MarkedForDeletion',
  ])('is told by a pod that was “%s”', (reason) => {
    expect(moved([...NODES, evicted('stock-1', 14, { reason })])).toHaveLength(1)
  })

  it('is told by no other word, and by nothing but pods', () => {
    expect(moved([...NODES, evicted('stock-1', 14, { reason: 'Pulled' })])).toEqual([])
    const { reason: _, ...silent } = evicted('stock-1', 14)
    expect(moved([...NODES, silent])).toEqual([])
    expect(moved([...NODES, evicted('stock-1', 14, { kind: 'PodDisruptionBudget' })])).toEqual([])
    expect(moved([...NODES, evicted('stock-1', 14, { kind: 'pod' })])).toHaveLength(1)
  })

  it('is of its own machines alone: those that bear its name, and the one that it is', () => {
    expect(moved([...NODES, evicted('stock-1', 14, { message: 'evicted from node pool-green-1' })])).toEqual(
      [],
    )
    const one = { ...upgrade, entity: 'pool-green-1' }
    expect(
      moved([...NODES, evicted('stock-1', 14, { message: 'on pool-green-1' })], { change: one }),
    ).toHaveLength(1)
    // A name that goes on otherwise is another pool.
    const { message: _, ...unsaid } = evicted('pool-bluebird-1', 14)
    expect(moved([node('pool-bluebird-1'), unsaid])).toEqual([])
  })

  it('is no pod of a machine whose name only begins like one of them', () => {
    const from = (machine: string) =>
      moved([...NODES, evicted('stock-7d9-x2', 14, { message: `evicted from node ${machine}` })])
    expect(from('pool-blue-1')).toEqual([{ entity: 'stock', at: at(14) }])
    for (const machine of ['pool-blue-12', 'old-pool-blue-1']) expect(from(machine), machine).toEqual([])
  })

  it('is told by a pool that its title names, but not by a word of three letters', () => {
    const { entity: _, ...nameless } = upgrade
    const titled = (title: string) =>
      moved(
        [...NODES, node('web-1'), evicted('stock-1', 14), evicted('cart-api-1', 14, { message: 'on web-1' })],
        {
          change: { ...nameless, title },
        },
      ).map(({ entity }) => entity)
    expect(titled('renew pool-blue')).toEqual(['stock'])
    expect(titled('renew web')).toEqual([])
    expect(titled('renew machines')).toEqual([])
    const { title: __, ...untitled } = nameless
    expect(moved([...NODES, evicted('stock-1', 14)], { change: untitled })).toEqual([])
  })

  it('is what left from its record on, for two hours, and by the instant that is asked for', () => {
    const at14 = (minute: number, latest: number | null = null) =>
      moved([...NODES, evicted('stock-1', minute)], { latest }).length
    expect([at14(9), at14(10), at14(130), at14(131)]).toEqual([0, 1, 1, 0])
    expect([at14(14, at(14)), at14(14, at(13))]).toEqual([1, 0])
  })

  it('is no pod of a service that nobody knows, and of one that is known by its whole name', () => {
    expect(moved([...NODES, evicted('ledger-7d9-x1', 14)])).toEqual([])
    expect(moved([...NODES, evicted('shop/stock', 14)])).toEqual([{ entity: 'stock', at: at(14) }])
    const entities = [
      { name: 'ledger', kind: 'service' as const, aliases: [{ alias: 'books', learnt_from: 'k8s' }] },
    ]
    expect(moved([...NODES, evicted('books-7d9-x1', 14)], { more: { entities } })).toEqual([
      { entity: 'ledger', at: at(14) },
    ])
  })
})
