import { describe, expect, it } from 'vitest'
import {
  isCounted,
  pairsOf,
  pairsOfOthersTo,
  pairsTo,
  sourceOf,
} from '#shared/domain/investigation/records/calls-by-pair.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'

const edge = (t0: number, more: Partial<Edge> = {}): Edge => ({
  ...{ source: 'calls', caller: 'shop', callee: 'till', t0, interval_s: 60, calls: 10, failed: 1 },
  ...more,
})

describe('pairs of those who call each other', () => {
  it('are read once for each list, with their calls in the order of the records', () => {
    const edges = [edge(0), edge(0, { callee: 'stock' }), edge(1)]
    const pairs = pairsOf(edges)
    expect(pairs.map(({ callee, edges: own }) => [callee, own.map(({ t0 }) => t0)])).toEqual([
      ['till', [0, 1]],
      ['stock', [0]],
    ])
    expect(pairsOf(edges)).toBe(pairs)
  })

  it('are found by whom they call, with and without that one itself', () => {
    const edges = [edge(0), edge(0, { caller: 'web' }), edge(0, { caller: 'till' })]
    const callersIn = (pairs: ReturnType<typeof pairsOf>): readonly string[] =>
      pairs.map(({ caller }) => caller)
    expect(callersIn(pairsTo(edges, 'till'))).toEqual(['shop', 'web', 'till'])
    expect(callersIn(pairsOfOthersTo(edges, 'till'))).toEqual(['shop', 'web'])
    expect(pairsTo(edges, 'web')).toEqual([])
  })

  it('are one list for all who ask where an entity does not call itself', () => {
    const edges = [edge(0)]
    expect(pairsOfOthersTo(edges, 'till')).toBe(pairsTo(edges, 'till'))
  })

  it('are counted where some record tells how many calls there were', () => {
    const { calls: _calls, ...uncounted } = edge(0)
    expect(pairsOf([uncounted, edge(1)]).every(isCounted)).toBe(true)
    expect(pairsOf([uncounted]).some(isCounted)).toBe(false)
  })

  it('came by the least of their requests, whatever order the records come in', () => {
    const edges = [edge(0, { source: 'q2' }), edge(1, { source: 'q1' })]
    expect(pairsOf(edges).map(sourceOf)).toEqual(['q1'])
    expect(pairsOf(edges.toReversed()).map(sourceOf)).toEqual(['q1'])
  })
})
