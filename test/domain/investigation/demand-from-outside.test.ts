import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import { alert, at, EMPTY, LENGTH, series } from './incident-scenarios.ts'

/** `front` calls `middle`, `middle` calls `back`; demand on each goes from its first to its second level. */
function demand(levels: Readonly<Record<'front' | 'middle' | 'back', readonly [number, number]>>): Snapshot {
  const call = (caller: string, callee: string) =>
    Array.from({ length: LENGTH }, (_, minute) => ({
      ...{ source: 'edges', caller, callee, t0: at(minute), interval_s: 60 },
    }))
  return {
    ...EMPTY,
    alerts: [alert('back', 'latency')],
    edges: [...call('front', 'middle'), ...call('middle', 'back')],
    series: [
      ...Object.entries(levels).map(([name, [before, during]]) =>
        series(name, 'http_requests_per_second', before, during),
      ),
      series('back', 'cpu_utilization_ratio', 0.2, 0.95),
      series('back', 'http_duration_p95_ms', 40, 900),
    ],
  }
}

describe('more traffic than usual', () => {
  it('is named where it comes in, not where callers pass it on to', () => {
    const { hypotheses } = investigate(demand({ front: [50, 200], middle: [50, 200], back: [50, 220] }))
    expect(hypotheses.find(({ cause }) => cause.kind === 'traffic')?.cause.entity).toBe('front')
  })

  it('is not what callers do more of themselves, as when they try again', () => {
    const { hypotheses } = investigate(demand({ front: [50, 50], middle: [50, 150], back: [50, 220] }))
    expect(hypotheses.some(({ cause }) => cause.kind === 'traffic')).toBe(false)
  })
})
