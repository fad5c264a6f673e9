import { describe, expect, it } from 'vitest'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import {
  at,
  commit,
  deploy,
  EMPTY,
  lines,
  ONSET,
  series,
} from '#test/domain/investigation/incident-scenarios.ts'
import { LESSENED } from './lessened-snapshots.ts'

const edge = (minute: number, calls: number) => ({
  ...{ source: 'edges', caller: 'web', callee: 'stock', t0: at(minute), interval_s: 60, calls, failed: 1 },
})
const WHOLE: Snapshot = {
  ...EMPTY,
  alerts: [{ source: 'alerts', name: 'errors', fired_at: at(ONSET), resolved_at: at(ONSET + 20) }],
  series: [series('web', 'errors_ratio', 0, 1)],
  edges: [edge(85, 10), edge(86, 20), edge(95, 30)],
  logs: lines('web', 'ERROR', 'no route', 50, 110),
  changes: [commit('1', 80, 'x', ['a.ts'], '+a'), deploy('2', 85, 'web', 'v2', ['1'])],
}
const lessened = (title: string, snapshot = WHOLE): Snapshot => {
  const way = LESSENED.find((one) => one.title === title)
  if (way === undefined) throw new RangeError(`there is no way "${title}"`)
  return way.lessen(snapshot)
}

describe('an incident of which tools tell less', () => {
  it('is whole at first, and every other way takes something or moves it', () => {
    const [all, ...others] = LESSENED
    expect(all?.lessen(WHOLE)).toBe(WHOLE)
    const rich: Snapshot = {
      ...WHOLE,
      k8s: [{ source: 'k8s', timestamp: at(90), kind: 'Pod', name: 'web-1' }],
    }
    for (const { lessen } of others) expect(lessen(rich)).not.toEqual(rich)
    expect(new Set(LESSENED.map(({ title }) => title)).size).toBe(LESSENED.length)
  })

  it('holds nothing that was not known a minute after the alert', () => {
    const early = lessened('a minute after the alert')
    const end = at(ONSET + 1)
    expect(early.window.to).toBe(end)
    expect(early.alerts[0]).not.toHaveProperty('resolved_at')
    expect(early.series[0]?.times.at(-1)).toBeLessThan(end)
    expect(early.series[0]?.times).toHaveLength(early.series[0]?.values.length ?? 0)
    expect(early.logs.every(({ timestamp }) => timestamp < end)).toBe(true)
    expect(early.edges.map(({ t0 }) => t0)).toEqual([at(85), at(86)])
  })

  it('has means of samples and sums of calls where they are five minutes apart', () => {
    const apart = lessened('samples five minutes apart')
    const [one] = apart.series
    expect(one?.interval_s).toBe(300)
    expect((one?.times[1] ?? 0) - (one?.times[0] ?? 0)).toBe(300_000)
    expect(one?.values.at(-1)).toBeCloseTo(1, 1)
    expect(apart.edges).toEqual([
      { ...edge(85, 30), interval_s: 300, failed: 2 },
      { ...edge(95, 30), interval_s: 300 },
    ])
  })

  it('keeps the lines of half an hour before the alert, or one of ten', () => {
    const kept = lessened('logs from half an hour before the alert')
    expect(kept.logs[0]?.timestamp).toBeGreaterThanOrEqual(at(ONSET - 30))
    expect(kept.logs[0]?.timestamp).toBeLessThan(at(ONSET - 29))
    expect(lessened('one line of ten').logs).toHaveLength(Math.ceil(WHOLE.logs.length / 10))
  })

  it('has changes by another clock, with when they took effect', () => {
    const late = lessened('changes an hour late')
    expect(late.changes.map(({ recorded_at }) => recorded_at)).toEqual(
      WHOLE.changes.map(({ recorded_at }) => recorded_at + 3_600_000),
    )
    const before = WHOLE.changes[1]?.effective_at?.from ?? 0
    expect(lessened('changes 90 s early').changes[1]?.effective_at?.from).toBe(before - 90_000)
  })
})
