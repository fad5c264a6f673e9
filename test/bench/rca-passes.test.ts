import { describe, expect, it } from 'vitest'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, series } from '../domain/investigation/incident-scenarios.ts'
import { alertedLater, sampledApart, withoutSamples } from './rca-passes.ts'

const SNAPSHOT: Snapshot = {
  ...EMPTY,
  alerts: [alert('front', 'latency')],
  series: ['front', 'front', 'middle', 'store'].map((entity) => series(entity, 'latency', 10, 50)),
}
const [ALERT] = SNAPSHOT.alerts as [Snapshot['alerts'][number]]

describe('a recording of the same incident that differs a little', () => {
  it('lacks about the share of samples, each with its instant, and the same ones for the same seed', () => {
    const [first] = withoutSamples(SNAPSHOT, 0.1, 1).series as [Series]
    const [given] = SNAPSHOT.series as [Series]
    expect(first.times.length).toBe(first.values.length)
    expect(first.times.length).toBeLessThan(LENGTH)
    expect(first.times.length).toBeGreaterThan(0.8 * LENGTH)
    for (const [index, time] of first.times.entries())
      expect(first.values[index]).toBe(given.values[given.times.indexOf(time)])
    expect(withoutSamples(SNAPSHOT, 0.1, 1)).toEqual(withoutSamples(SNAPSHOT, 0.1, 1))
    expect(withoutSamples(SNAPSHOT, 0.1, 2)).not.toEqual(withoutSamples(SNAPSHOT, 0.1, 1))
  })

  it('samples each entity at a time of its own, all series of one at the same, less than half a minute later', () => {
    const offsets = sampledApart(SNAPSHOT, 3).series.map(({ times }) => (times[0] as number) - at(0))
    expect(offsets[0]).toBe(offsets[1])
    expect(new Set(offsets).size).toBe(3)
    for (const offset of offsets) expect(offset).toBeLessThanOrEqual(24_000)
  })

  it('fires its alerts later, within its window, and without a metric; none where there is none', () => {
    const [later] = alertedLater(SNAPSHOT, 60_000)?.alerts ?? []
    expect(later).toMatchObject({ service: 'front', fired_at: ALERT.fired_at + 60_000 })
    expect(later).not.toHaveProperty('metric')
    expect(alertedLater(SNAPSHOT, 1e9)?.alerts[0]?.fired_at).toBe(SNAPSHOT.window.to - 1_000)
    const over = { ...SNAPSHOT, window: { ...SNAPSHOT.window, to: ALERT.fired_at } }
    expect(alertedLater(over, 60_000)?.alerts[0]?.fired_at).toBe(ALERT.fired_at)
    expect(alertedLater({ ...SNAPSHOT, alerts: [] }, 60_000)).toBeNull()
  })
})
