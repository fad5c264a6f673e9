import { describe, expect, it } from 'vitest'
import { countedCalls, firstInstant, pairsOf } from '#shared/domain/investigation/records/calls-by-pair.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'

const edge = (t0: number, more: Partial<Edge> = {}): Edge => ({
  ...{ source: 'calls', caller: 'shop', callee: 'till', t0, interval_s: 60, calls: 10, failed: 1 },
  ...more,
})

describe('calls that were counted', () => {
  it('are those of intervals that begin in the time', () => {
    const edges = [edge(0), edge(1, { failed: 4 }), edge(2)]
    expect(countedCalls(edges, (at) => at >= 1)).toEqual({ calls: 20, failed: 5 })
    expect(countedCalls(edges, () => false)).toEqual({ calls: 0, failed: 0 })
  })

  it('failed in none where nothing tells of it, and were none where it is not known how many there were', () => {
    const { failed: _failed, ...whole } = edge(0)
    const { calls: _calls, ...uncounted } = edge(1)
    expect(countedCalls([whole, uncounted], () => true)).toEqual({ calls: 10, failed: 0 })
  })
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
})

describe('short instants', () => {
  it('are told from the first record on, or from the beginning of time where there is none', () => {
    expect(firstInstant([edge(1_767_571_200_000), edge(1_767_571_260_000)])).toBe(1_767_571_200_000)
    expect(firstInstant([])).toBe(0)
  })
})
