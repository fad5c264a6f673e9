import { describe, expect, it } from 'vitest'
import {
  beginningWithin,
  callsAt,
  callsByInterval,
  failedShare,
  intervalsOf,
  meanWait,
  sumOfCalls,
  usualAndSince,
  usualCalls,
  usualFailed,
  usualShare,
  usualWait,
} from '#shared/domain/investigation/records/calls-by-interval.ts'
import { type Pair, pairsOf } from '#shared/domain/investigation/records/calls-by-pair.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'

const edge = (t0: number, more: Partial<Edge> = {}): Edge => ({
  ...{ source: 'calls', caller: 'shop', callee: 'till', t0, interval_s: 60, calls: 10, failed: 1 },
  ...{ latency_sum_ms: 200, latency_count: 10 },
  ...more,
})
const pairOf = (...edges: readonly Edge[]): Pair => pairsOf(edges)[0] as Pair
const startsOf = (intervals: readonly { readonly t0: number }[]): readonly number[] =>
  intervals.map(({ t0 }) => t0)

describe('calls by interval', () => {
  it('are in the order of time, whatever order the records come in', () => {
    expect(startsOf(intervalsOf(pairOf(edge(2), edge(0), edge(1))))).toEqual([0, 1, 2])
  })

  it('are read once for each pair, and added up once for each list of pairs', () => {
    const pairs = pairsOf([edge(0), edge(0, { caller: 'web' })])
    expect(intervalsOf(pairs[0] as Pair)).toBe(intervalsOf(pairs[0] as Pair))
    expect(callsByInterval(pairs)).toBe(callsByInterval(pairs))
  })

  it('are those of all callers together, each interval once', () => {
    const pairs = pairsOf([
      ...[edge(0), edge(60)],
      ...[edge(60, { caller: 'web', interval_s: 120, failed: 4 }), edge(180, { caller: 'web' })],
    ])
    const one = { interval_s: 60, calls: 10, told: 10, failed: 1, wait: 200, waits: 10 }
    expect(callsByInterval(pairs)).toEqual([
      { t0: 0, ...one },
      { t0: 60, interval_s: 120, calls: 20, told: 20, failed: 5, wait: 400, waits: 20 },
      { t0: 180, ...one },
    ])
    expect(intervalsOf(pairs[1] as Pair)[0]?.calls).toBe(10)
  })

  it('failed in none that is known where nothing tells of it, and were none where it is not known how many there were', () => {
    const { failed: _failed, ...whole } = edge(0)
    const { calls: _calls, ...uncounted } = edge(1)
    const intervals = intervalsOf(pairOf(whole, uncounted))
    expect(intervals).toMatchObject([{ t0: 0, calls: 10, told: 0, failed: 0 }])
    expect(failedShare(sumOfCalls(intervals))).toBeNaN()
  })

  it('were waited for only where both is told: how long, and for how many answers', () => {
    const { latency_count: _count, ...untold } = edge(0)
    const intervals = intervalsOf(pairOf(untold))
    expect(intervals).toMatchObject([{ wait: 0, waits: 0 }])
    expect(meanWait(sumOfCalls(intervals))).toBeNaN()
  })

  it('are looked up by when the interval began, and are no number where none did', () => {
    const intervals = intervalsOf(
      pairOf(edge(0, { calls: 5 }), edge(60, { calls: 7 }), edge(120, { calls: 9 })),
    )
    expect([0, 60, 120].map((at) => callsAt(intervals, at))).toEqual([5, 7, 9])
    for (const at of [-1, 59, 61, 121]) expect(callsAt(intervals, at)).toBeNaN()
    expect(callsAt([], 0)).toBeNaN()
  })

  it('come to sums, and to what is usual of each count', () => {
    const intervals = intervalsOf(
      pairOf(
        edge(0),
        edge(1, { calls: 20, failed: 4 }),
        edge(2, { calls: 60, failed: 30, latency_sum_ms: 900 }),
      ),
    )
    expect(sumOfCalls(intervals)).toEqual({ calls: 90, told: 90, failed: 35, wait: 1300, waits: 30 })
    expect(sumOfCalls([])).toEqual({ calls: 0, told: 0, failed: 0, wait: 0, waits: 0 })
    const usual = [usualCalls, usualFailed, usualShare, usualWait].map((of) => of(intervals))
    expect(usual).toEqual([20, 4, 0.2, 20])
  })
})

describe('intervals of a time', () => {
  const intervals = intervalsOf(pairOf(...[0, 1, 2, 3, 4, 5, 6].map((t0) => edge(t0))))

  it('are those that begin in it, without its end', () => {
    expect(startsOf(beginningWithin(intervals, 2, 5))).toEqual([2, 3, 4])
  })

  it('are usual in normal time alone, and since an instant until the incident is over', () => {
    const normal: NormalTime = {
      ...{ baselines: [{ name: 'calm', from: 0, to: 2 }], origin: 'declared' },
      incident: { from: 2, to: 6 },
    }
    const { usual, since } = usualAndSince(intervals, normal, 4)
    expect([usual, since].map(startsOf)).toEqual([
      [0, 1],
      [4, 5],
    ])
    expect(startsOf(usualAndSince(intervals, normal).since)).toEqual([2, 3, 4, 5])
  })
})
