import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { stepsBefore, stepsByArrival } from '#shared/domain/investigation/changes/stepped-at-rollout.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Change, Edge, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, commit, deploy, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const MINUTE = 70
/** A level of `stock-api` that left normal at a minute and stays so. */
const step = (
  more: Partial<SeriesShift> = {},
  name = 'pool_waiters_total',
  minute = MINUTE,
): SeriesShift => ({
  ...shifted('stock-api', name),
  ...{ is_bad: true, ended_at: null },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
  ...more,
})
const arrival = (minute: number, more: Partial<Arrival> = {}): Arrival =>
  ({
    change: { source: 'commits', id: 'c1', kind: 'commit', recorded_at: at(minute) },
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 1, reaches: 'stock-api', owners: new Set(), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival
/** The step with which one change arrived, where it is the only one. */
const steppedWith = (found: readonly SeriesShift[], one: Arrival) => stepsByArrival(found, [one]).get(one)
const steps = (...shifts: SeriesShift[]) => stepsBefore([arrival(MINUTE)], { ...SEEN, shifts }, [])

describe('what stepped before users were hurt', () => {
  it('is a level that is worse, or of which nobody knows whether it is, and that stays', () => {
    expect(steps(step())).toHaveLength(1)
    const { meaning } = step()
    const other = { ...meaning, meaning: 'other' as const, weight: 0.2 }
    expect(steps(step({ is_bad: false, meaning: other }))).toHaveLength(1)
    expect(steps(step({ is_bad: false }))).toEqual([])
    expect(steps(step({ ended_at: at(MINUTE + 5) }))).toEqual([])
  })

  it('is not what users feel, nor demand, nor a processor', () => {
    expect(steps(step({}, 'http_5xx_ratio'))).toEqual([])
    expect(steps(step({}, 'http_requests_per_second'))).toEqual([])
    expect(steps(step({}, 'cpu_utilization_ratio'))).toEqual([])
  })

  it('left normal clearly before them: what moved with the harm may be hurt by it', () => {
    // The onset of the incident is known to a minute, and clocks differ by one.
    expect(steps(step({}, 'pool_waiters_total', ONSET - 2.6))).toHaveLength(1)
    expect(steps(step({}, 'pool_waiters_total', ONSET - 2.5))).toEqual([])
    expect(stepsBefore([arrival(MINUTE)], { ...SEEN, shifts: [step()], onset: null }, [])).toEqual([])
  })

  it('is no level that moved evenly since long before', () => {
    const grown = series('stock-api', 'heap_used_bytes', 1e8, 1e8)
    const even = { ...grown, values: grown.values.map((_, minute) => 1e8 * (1 + minute / 40)) }
    expect(steps(step({ series: even }))).toEqual([])
    expect(steps(step({ series: series('stock-api', 'heap_used_bytes', 1e8, 4e8, MINUTE) }))).toHaveLength(1)
  })
})

describe('how long the longest runs', () => {
  /** Seconds that a statement runs which began at a minute. */
  const running = (began: number, name = 'oldest_transaction_age_seconds', pace = 1): SeriesShift => {
    const of = series('stock-api', name, 2, 2)
    const values = of.values.map((value, index) =>
      Math.max(value, 2 + (((of.times[index] as number) - at(began)) / 1000) * pace),
    )
    return step({ series: { ...of, unit: 's', values }, is_bad: false }, name, ONSET)
  }

  it('dates what runs, also where it left normal with the harm', () => {
    const [began] = steps(running(ONSET - 1))
    expect(Math.abs((began?.onset.at ?? 0) - at(ONSET - 1))).toBeLessThan(5_000)
    for (const name of ['LongestRunningQuery', 'pg_stat_activity_max_tx_duration'])
      expect(steps(running(ONSET - 1, name))).toHaveLength(1)
    expect(steppedWith(steps(running(ONSET - 1)), arrival(ONSET - 1))).toBeDefined()
    expect(steppedWith(steps(running(ONSET - 1)), arrival(ONSET - 9))).toBeUndefined()
  })

  it('dates nothing where it does not count like a clock, began after the harm, or is of something else', () => {
    expect(steps(running(ONSET - 1, undefined, 0.5))).toEqual([])
    expect(steps(running(ONSET + 5))).toEqual([])
    expect(steps(running(ONSET - 1, 'oldest_message_age_seconds'))).toEqual([])
  })
})

describe('a change with which something stepped', () => {
  it('arrived there in the minutes in which it did', () => {
    const list = [step()]
    const is = (minute: number, more?: Partial<Arrival>) =>
      steppedWith(list, arrival(minute, more)) === list[0]
    expect(is(MINUTE)).toBe(true)
    expect(is(MINUTE - 2.5)).toBe(true)
    expect(is(MINUTE - 2.6)).toBe(false)
    expect(is(MINUTE + 1.5)).toBe(true)
    expect(is(MINUTE + 1.6)).toBe(false)
  })

  it('is the one of its rollout that is about what stepped, where one is', () => {
    const list = [step()]
    const d1 = deploy('d1', MINUTE, 'stock-api', 'v2', ['c1', 'c2'])
    const one = (title: string, rollout: Change | null = d1): Arrival => {
      const { change, ...more } = arrival(MINUTE, { rollout, diff: readDiff('') } as Partial<Arrival>)
      return { ...more, change: { ...change, title } }
    }
    const titles = (...arrivals: Arrival[]) =>
      [...stepsByArrival(list, arrivals).keys()].map(({ change }) => change.title)
    expect(titles(one('Waiters are told'), one('Round corners'))).toEqual(['Waiters are told'])
    expect(titles(one('A hint'), one('Round corners'))).toEqual(['A hint', 'Round corners'])
    expect(titles(one('Waiters are told'), one('More waiters'))).toHaveLength(2)
    const other = deploy('d2', MINUTE, 'stock-api', 'v3', ['c3'])
    expect(titles(one('Waiters are told'), one('Round corners', other))).toHaveLength(2)
    expect(titles(one('Waiters are told', null), one('Round corners', null))).toHaveLength(2)
  })

  it('is not elsewhere, nor of an unknown time, nor one that can do no harm', () => {
    const none = (more: Partial<Arrival>) =>
      expect(steppedWith([step()], arrival(MINUTE, more))).toBeUndefined()
    none({ place: { score: 1, reaches: 'web', owners: new Set(), is_named: false } })
    none({ effective: { from: at(MINUTE), to: at(MINUTE), known: false } })
    none({ trivial: { reason: 'it touches documentation only', factor: 0.1 } })
  })
})

describe('a service that asks its store otherwise from a rollout on', () => {
  const LATER = 64
  const plain = (id: string, minute: number, entity: string, version: string): Change[] => [
    commit(
      id,
      40,
      'Groundwork',
      [`${entity}/page.ts`],
      '@@ page.ts @@\n-  page(items, count)\n+  page(items)',
    ),
    deploy(`d-${id}`, minute, entity, version, [id]),
  ]
  const toStore = (after: number): Edge[] =>
    calls('stock-api', 'shelf-db').map((edge) => ({ ...edge, calls: edge.t0 < at(LATER) ? 600 : after }))
  const incident = (after: number): Snapshot => ({
    ...EMPTY,
    baselines: [{ name: 'calm', from: at(0), to: at(60) }],
    alerts: [alert('stock-api', 'http_5xx_ratio')],
    series: [series('stock-api', 'http_5xx_ratio', 0.003, 0.4, ONSET, LENGTH)],
    edges: [...calls('web', 'stock-api', 0.4), ...toStore(after)],
    changes: [...plain('c1', LATER, 'stock-api', 'v2'), ...plain('c2', ONSET - 12, 'stock-api', 'v3')],
  })

  it('is why it fails later, before a rollout that is nearer', () => {
    const { cause, evidence } = investigate(incident(120))
    expect(cause.change).toBe('c1')
    expect(evidence).toContainEqual(
      expect.objectContaining({
        ...{ source: 'traces', type: 'correlation' },
        content: expect.stringMatching(
          /^calls to shelf-db per call of stock-api began to leave 1 at .* commit c1 /,
        ),
      }),
    )
  })

  it('is so as well where it does with the harm, as far as no failed call explains it', () => {
    const made = { caller: 'stock-api', callee: 'shelf-db' } as Observed['made']
    const edges = calls('stock-api', 'shelf-db').map((edge) => ({
      ...edge,
      calls: edge.t0 < at(ONSET) ? 600 : 1800,
    }))
    const normal = { ...SEEN.normal, baselines: [{ name: 'calm', from: at(0), to: at(60) }] } as const
    const by = (of: Observed['made']) =>
      stepsBefore([arrival(ONSET - 1)], { ...SEEN, normal, shifts: [], made: of }, [
        ...calls('web', 'stock-api'),
        ...edges,
      ])
    expect(by(made).map(({ series: { name } }) => name)).toEqual(['calls to shelf-db per call'])
    expect(by({ ...made, callee: 'other' } as Observed['made'])).toEqual([])
    expect(by(null)).toEqual([])
  })

  it('is not where it asks as ever', () => {
    expect(investigate(incident(600)).cause.change).not.toBe('c1')
  })
})
