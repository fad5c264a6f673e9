import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { answersAsEver } from '#shared/domain/investigation/place/answers-as-ever.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const NORMAL: NormalTime = {
  baselines: [{ name: 'b1', from: at(0), to: at(ONSET) }],
  origin: 'declared',
  incident: { from: at(ONSET), to: at(LENGTH) },
} as NormalTime

const asEver = (edges: readonly Edge[], entity = 'press', from = at(ONSET)): boolean =>
  answersAsEver(edges, NORMAL, from)(entity)

/** Calls of which a share fails and each lasts so many milliseconds, from the onset on. */
const answered = (caller: string, failing: number, wait: number, usual = 50): Edge[] =>
  calls(caller, 'press', failing).map((edge) => ({
    ...edge,
    latency_sum_ms: 600 * (edge.t0 < at(ONSET) ? usual : wait),
  }))

describe('who answers as ever', () => {
  it('fails no more of those who call than half a percent, and keeps nobody waiting', () => {
    expect(asEver(answered('web', 0, 50))).toBe(true)
    expect(asEver(answered('web', 0.005, 50))).toBe(true)
    expect(asEver(answered('web', 0.0067, 50))).toBe(false)
    expect(asEver(answered('web', 0, 62.5))).toBe(true)
    expect(asEver(answered('web', 0, 63))).toBe(false)
    // Where an answer takes next to no time, a few milliseconds more are none.
    expect(asEver(answered('web', 0, 6, 1))).toBe(true)
    expect(asEver(answered('web', 0, 6.1, 1))).toBe(false)
  })

  it('serves each of those who call, and fails as many as it failed before', () => {
    expect(asEver([...answered('web', 0, 50), ...answered('shop', 0.2, 50)])).toBe(false)
    const always = answered('web', 0.2, 50).map((edge) => ({ ...edge, failed: 120 }))
    expect(asEver(always)).toBe(true)
  })

  it('is nobody of whom it was not counted', () => {
    const edges = answered('web', 0, 50)
    expect(asEver([])).toBe(false)
    expect(asEver(edges, 'stock')).toBe(false)
    expect(asEver(edges.map(({ failed: _, ...edge }) => edge))).toBe(false)
    expect(asEver(edges.map(({ calls: _, ...edge }) => edge))).toBe(false)
    expect(asEver(edges.map(({ latency_count: _, ...edge }) => edge))).toBe(false)
    expect(asEver(edges.filter(({ t0 }) => t0 >= at(ONSET)))).toBe(false)
    expect(asEver(edges.filter(({ t0 }) => t0 < at(ONSET)))).toBe(false)
    // One caller of whom it was not counted may be the one that fails.
    const [{ calls: _, ...uncounted }] = answered('shop', 0, 50) as [Edge]
    expect(asEver([...edges, uncounted])).toBe(false)
  })

  it('is asked by others, since an instant, often enough', () => {
    const own = answered('web', 0, 50)
    expect(asEver([...own, ...calls('press', 'press', 0.5)])).toBe(true)
    const late = own.map((edge) => (edge.t0 >= at(LENGTH - 1) ? { ...edge, failed: 600 } : edge))
    expect(asEver(late)).toBe(false)
    expect(asEver(own.map((edge) => ({ ...edge, ...(edge.t0 === at(ONSET) ? { failed: 600 } : {}) })))).toBe(
      false,
    )
    const blip = own.map((edge) => ({ ...edge, ...(edge.t0 === at(ONSET) ? { failed: 600 } : {}) }))
    expect(asEver(blip, 'press', at(ONSET + 1))).toBe(true)
    const few = (count: number): Edge[] =>
      [ONSET - 1, ONSET].map((minute) => ({
        ...{ source: 'edges', caller: 'web', callee: 'press', t0: at(minute), interval_s: 60, calls: count },
        ...{ failed: 0, latency_sum_ms: 50 * count, latency_count: count },
      }))
    expect(asEver(few(30))).toBe(true)
    expect(asEver(few(29))).toBe(false)
  })

  it('is nobody of whom too few calls were counted or timed, before or since', () => {
    const minute = (one: number, count: number, more: Partial<Edge> = {}): Edge => ({
      ...{ source: 'edges', caller: 'web', callee: 'press', t0: at(one), interval_s: 60, calls: count },
      ...{ failed: 0, latency_sum_ms: 50 * count, latency_count: count },
      ...more,
    })
    const timed = (count: number): Partial<Edge> => ({ latency_count: count, latency_sum_ms: 50 * count })
    expect(asEver([minute(ONSET - 1, 29, timed(30)), minute(ONSET, 30)])).toBe(false)
    expect(asEver([minute(ONSET - 1, 30), minute(ONSET, 29, timed(30))])).toBe(false)
    expect(asEver([minute(ONSET - 1, 60, timed(29)), minute(ONSET, 60)])).toBe(false)
    expect(asEver([minute(ONSET - 1, 60), minute(ONSET, 60, timed(29))])).toBe(false)
    expect(asEver([minute(ONSET - 1, 60, timed(30)), minute(ONSET, 60, timed(30))])).toBe(true)
    // A count without a time, or a time without a count, is no measurement of how long answers last.
    const { latency_count: _, ...unnumbered } = minute(ONSET + 1, 60, { latency_sum_ms: 9e6 })
    const { latency_sum_ms: __, ...unmeasured } = minute(ONSET + 1, 60, { latency_count: 9e6 })
    for (const odd of [unnumbered, unmeasured])
      expect(asEver([minute(ONSET - 1, 60), minute(ONSET, 60), odd])).toBe(true)
    const slow = minute(ONSET, 60, { latency_sum_ms: 9_000 })
    expect(asEver([minute(ONSET - 1, 60), slow, unmeasured])).toBe(false)
  })

  it('answers so until the incident is over: what comes later tells nothing of it', () => {
    const own = answered('web', 0, 50)
    const last = own.at(-1) as Edge
    const counting = (minute: number): Edge => ({ ...last, t0: at(minute), failed: 600 })
    expect(asEver([...own, counting(LENGTH)])).toBe(true)
    expect(asEver([...own, counting(LENGTH + 5)])).toBe(true)
    expect(asEver([...own, counting(LENGTH - 0.1)])).toBe(false)
  })

  it('is compared by shares, so that who is asked more and fails as few of a hundred does as ever', () => {
    const more = answered('web', 0, 50).map((edge) =>
      edge.t0 < at(ONSET)
        ? { ...edge, failed: 30 }
        : { ...edge, calls: 1_200, failed: 120, latency_count: 1_200, latency_sum_ms: 60_000 },
    )
    expect(asEver(more)).toBe(false)
    expect(asEver(more.map((edge) => ({ ...edge, failed: (edge.calls as number) / 20 })))).toBe(true)
  })
})

describe('a callee that answers as ever', () => {
  /** `web` is alerted; the only one whom it calls tried its own calls again for a while. */
  const scene = (edges: readonly Edge[], minutes = 40) =>
    investigate({
      ...EMPTY,
      alerts: [alert('web', 'http_5xx_ratio')],
      series: [
        series('web', 'http_5xx_ratio', 0.003, 0.4),
        series('press', 'http_client_retries_per_second', 0.05, 5, ONSET, ONSET + minutes),
        series('press', 'workload_replicas_unavailable', 0, 1, ONSET, ONSET + minutes),
      ],
      edges,
    })

  it('is not why its caller fails, whatever else is odd about it', () => {
    expect(scene(calls('web', 'press')).first_failing_service).toBe('web')
    expect(scene(calls('web', 'press', 0.4)).first_failing_service).toBe('press')
  })

  it('is no place to look either, where there is another', () => {
    const entities = ({ hypotheses }: ReturnType<typeof scene>) =>
      hypotheses.map(({ statement }) => statement)
    expect(entities(scene(calls('web', 'press'))).join(' ')).not.toContain('press')
    expect(entities(scene(calls('web', 'press', 0.4))).join(' ')).toContain('press')
  })
})
