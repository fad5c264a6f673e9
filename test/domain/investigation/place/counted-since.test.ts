import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { countedHarm, countedSince } from '#shared/domain/investigation/place/counted-since.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Edge } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, lines, ONSET, series } from '../incident-scenarios.ts'

const NORMAL = {
  ...{ baselines: [{ name: 'b1', from: at(0), to: at(ONSET) }], origin: 'declared' },
  incident: { from: at(ONSET), to: at(LENGTH) },
} as NormalTime

/** Calls of which as many fail in each minute as are said, none in all others. */
const failing = (shares: Readonly<Record<number, number>>, usual = 0, count = 600): Edge[] =>
  calls('web', 'press').map((edge) => {
    const minute = Array.from({ length: LENGTH }, (_, index) => index).find(
      (one) => at(one) === edge.t0,
    ) as number
    return { ...edge, calls: count, failed: count * (shares[minute] ?? usual) }
  })

const since = (edges: readonly Edge[]): number | undefined =>
  countedSince(countedHarm(edges, NORMAL)).get('press')
const until = (edges: readonly Edge[]): number | null | undefined =>
  countedHarm(edges, NORMAL).get('press')?.until

describe('since when callers count that an entity fails them', () => {
  it('is the first of two intervals in a row in which a tenth more fails than usual', () => {
    expect(since(failing({ [ONSET + 3]: 0.1, [ONSET + 4]: 0.1 }))).toBe(at(ONSET + 3))
    expect(since(failing({ [ONSET + 3]: 0.09, [ONSET + 4]: 0.2, [ONSET + 5]: 0.2 }))).toBe(at(ONSET + 4))
    expect(since(failing({ [ONSET + 3]: 0.5, [ONSET + 5]: 0.5 }))).toBeUndefined()
    expect(since(failing({ [LENGTH - 1]: 0.5 }))).toBeUndefined()
    expect(since(failing({ [ONSET]: 0.25, [ONSET + 1]: 0.25 }, 0.2))).toBeUndefined()
    expect(since(failing({ [ONSET]: 0.31, [ONSET + 1]: 0.31 }, 0.2))).toBe(at(ONSET))
  })

  it('is the first of two in which they wait three times as long, and fifty milliseconds more', () => {
    const waiting = (during: number, usual = 50, minutes = 2): Edge[] =>
      calls('web', 'press').map((edge) => ({
        ...edge,
        latency_sum_ms:
          600 * (edge.t0 >= at(ONSET + 3) && edge.t0 < at(ONSET + 3 + minutes) ? during : usual),
      }))
    expect(since(waiting(150))).toBe(at(ONSET + 3))
    expect(since(waiting(149))).toBeUndefined()
    expect(since(waiting(150, 50, 1))).toBeUndefined()
    expect(since(waiting(60, 10))).toBe(at(ONSET + 3))
    expect(since(waiting(59, 10))).toBeUndefined()
    expect(since(waiting(150).map(({ latency_count: _, ...edge }) => edge))).toBeUndefined()
    expect(since(waiting(150).map(({ latency_sum_ms: _, ...edge }) => edge))).toBeUndefined()
  })

  it('is never in normal time, of an entity’s own calls, or of few', () => {
    expect(since(failing({ [ONSET - 5]: 0.5, [ONSET - 4]: 0.5 }))).toBeUndefined()
    const much = { [ONSET]: 0.5, [ONSET + 1]: 0.5 }
    expect(since(failing(much, 0, 30))).toBe(at(ONSET))
    expect(since(failing(much, 0, 29))).toBeUndefined()
    expect(since(failing(much).map((edge) => ({ ...edge, caller: 'press' })))).toBeUndefined()
    expect(since(failing(much).map(({ failed: _, ...edge }) => edge))).toBeUndefined()
    expect(since(failing(much).map(({ calls: _, ...edge }) => edge))).toBeUndefined()
  })

  it('is not told by whoever counts only half: calls and not failures, or waits and not how often', () => {
    const much = failing({ [ONSET]: 0.5, [ONSET + 1]: 0.5 })
    // Another caller that counts only calls, or only failures, takes nothing from what the first counts, nor adds to it.
    const other = much.map((edge) => ({ ...edge, caller: 'shop' }))
    expect(since([...much, ...other.map(({ failed: _, ...edge }) => ({ ...edge, calls: 9e6 }))])).toBe(
      at(ONSET),
    )
    const well = failing({})
    expect(since([...well, ...other.map(({ calls: _, ...edge }) => ({ ...edge, failed: 600 }))])).toBe(
      undefined,
    )
    const slow = calls('web', 'press').map((edge) => ({
      ...edge,
      latency_sum_ms: 600 * (edge.t0 >= at(ONSET) ? 500 : 50),
    }))
    const partly = slow.map((edge) => ({ ...edge, caller: 'shop' }))
    for (const half of [
      partly.map(({ latency_sum_ms: _, ...edge }) => ({ ...edge, latency_count: 9e6 })),
      partly.map(({ latency_count: _, ...edge }) => edge),
    ])
      expect(since([...slow, ...half])).toBe(at(ONSET))
    const unnumbered = partly.map(({ latency_count: _, ...edge }) => ({ ...edge, latency_sum_ms: 9e9 }))
    const usual = calls('web', 'press').map((edge) => ({ ...edge, latency_sum_ms: 600 * 50 }))
    const late = unnumbered.filter(({ t0 }) => t0 >= at(ONSET))
    expect(since([...usual, ...late])).toBeUndefined()
  })

  it('is before the incident is over', () => {
    const [one] = failing({}) as [Edge]
    const after = [LENGTH, LENGTH + 1].map((minute) => ({ ...one, t0: at(minute), failed: 600 }))
    expect(since([...failing({}), ...after])).toBeUndefined()
    expect(since([...failing({ [LENGTH - 1]: 0.5 }), ...after])).toBeUndefined()
  })

  it('adds up what its callers count, in whichever order they are told', () => {
    const half = failing({ [ONSET]: 0.16, [ONSET + 1]: 0.16 })
    const rest = calls('shop', 'press')
    expect(since([...half, ...rest])).toBeUndefined()
    expect(since(half.toReversed())).toBe(at(ONSET))
  })
})

describe('until when callers count that an entity fails them', () => {
  it('is the end of the last two intervals in a row that tell so, once two in a row tell that they are served', () => {
    const early = { [ONSET]: 0.5, [ONSET + 1]: 0.5 }
    expect(until(failing(early))).toBe(at(ONSET + 2))
    expect(until(failing({ ...early, [LENGTH - 1]: 0.5 }))).toBe(at(ONSET + 2))
    expect(until(failing({ ...early, [LENGTH - 2]: 0.5, [LENGTH - 1]: 0.5 }))).toBeNull()
    expect(until(failing({ [LENGTH - 2]: 0.1, [LENGTH - 1]: 0.1 }))).toBeNull()
    expect(until(failing({ [LENGTH - 3]: 0.5, [LENGTH - 2]: 0.5 }))).toBeNull()
    expect(until(failing({ [LENGTH - 4]: 0.5, [LENGTH - 3]: 0.5 }))).toBe(at(LENGTH - 2))
    expect(until(failing({ ...early, [ONSET + 3]: 0.5, [ONSET + 5]: 0.5 }))).toBe(at(ONSET + 2))
    expect(until(failing({ ...early, [ONSET + 4]: 0.5, [ONSET + 5]: 0.5 }))).toBe(at(ONSET + 6))
  })

  it('is not asked of who never failed them', () => {
    expect(until(failing({ [LENGTH - 1]: 0.5 }))).toBeUndefined()
    expect(until(failing({}))).toBeUndefined()
  })
})

describe('a callee that says late that it fails', () => {
  it('explains its caller where that counted failed calls from the first minute on', () => {
    const first = (edges: readonly Edge[]): string | null =>
      investigate({
        ...EMPTY,
        alerts: [alert('web', 'http_5xx_ratio')],
        series: [series('web', 'http_5xx_ratio', 0.003, 0.4)],
        logs: lines('press', 'ERROR', 'request timed out while it waited for a worker', ONSET + 9),
        edges,
      }).first_failing_service
    expect(first(calls('web', 'press', 0.4))).toBe('press')
    expect(first(calls('web', 'press').map(({ failed: _, ...edge }) => edge))).toBe('web')
  })
})
