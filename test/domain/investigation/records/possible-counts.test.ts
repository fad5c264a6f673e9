import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { withPossibleCounts } from '#shared/domain/investigation/records/possible-counts.ts'
import type { Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { calls, deploy, EMPTY, ONSET, series } from '../incident-scenarios.ts'

const snapshotOf = (edges: readonly Edge[]): Snapshot => ({
  ...EMPTY,
  series: [series('orders', 'http_5xx_ratio', 0.01, 0.9)],
  edges,
  changes: [deploy('d', ONSET - 2, 'orders', 'v2', [])],
})

const told = (failed: number | undefined, made: number | undefined): Edge => ({
  ...{ source: 'edges', caller: 'web', callee: 'orders', t0: 0, interval_s: 60 },
  ...(failed === undefined ? {} : { failed }),
  ...(made === undefined ? {} : { calls: made }),
})

describe('calls of which more are told to have failed than were made', () => {
  it('all failed, and no others', () => {
    const edges = [told(5, 1), told(1, 5), told(2, 2), told(3, 0)]
    expect(withPossibleCounts(snapshotOf(edges)).edges).toEqual([
      told(1, 1),
      told(1, 5),
      told(2, 2),
      told(0, 0),
    ])
  })

  it('stay as they are where one of both is not told', () => {
    const edges = [told(5, undefined), told(undefined, 1), told(6, 5)]
    expect(withPossibleCounts(snapshotOf(edges)).edges).toEqual([
      told(5, undefined),
      told(undefined, 1),
      told(5, 5),
    ])
  })

  it('leave a snapshot without any the very same', () => {
    const snapshot = snapshotOf(calls('web', 'orders', 1))
    expect(withPossibleCounts(snapshot)).toBe(snapshot)
  })

  it('make an investigation find what it finds where all fail', () => {
    const all = calls('web', 'orders', 1)
    const more = all.map((edge) => ({ ...edge, failed: (edge.failed ?? 0) * 5 }))
    const found = investigate(snapshotOf(more))
    expect(found).toEqual(investigate(snapshotOf(all)))
    expect(found.impact.failed).toBe(found.impact.total)
  })
})
