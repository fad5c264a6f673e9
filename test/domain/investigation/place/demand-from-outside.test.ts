import { describe, expect, it } from 'vitest'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import {
  comesInBeside,
  demandGrowth,
  demandOfAll,
  missedInFront,
} from '#shared/domain/investigation/place/demand-from-outside.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'
import { risen, SINCE } from '../scene-by-hand.ts'

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

describe('demand from somebody whose calls nobody counts', () => {
  const shift = { series: series('stock', 'http_requests_per_second', 10, 40) } as SeriesShift
  const onset = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }
  const beside = (edges: Snapshot['edges'], growth = 3) =>
    comesInBeside({ ...EMPTY, edges }, { ...shift, onset }, growth, 0.5)
  const more = (factor: number, callee = 'stock') =>
    calls('web', callee).map((edge) => ({
      ...edge,
      calls: (edge.calls ?? 0) * (edge.t0 >= at(ONSET) ? factor : 1),
    }))

  it('is what an entity counts beyond what its callers do', () => {
    expect(beside(calls('web', 'stock'))).toBe(true)
    expect(beside(more(2.5))).toBe(true)
    expect(beside(more(2.6))).toBe(false)
    expect(beside(more(4))).toBe(false)
    // Two who call less each, and together as much as before.
    expect(beside([...more(0), ...more(2).map((edge) => ({ ...edge, caller: 'cart' }))])).toBe(true)
  })

  it('is held against the calls of as long as it lasted', () => {
    // Calls grew with it for eight minutes and are as ever since.
    const edges = more(4).map((edge) =>
      edge.t0 >= at(ONSET + 8) ? { ...edge, calls: calls('web', 'stock')[0]?.calls } : edge,
    )
    const of = (ended_at: number | null): boolean =>
      comesInBeside({ ...EMPTY, edges: edges as never }, { ...shift, onset, ended_at }, 3, 0.5)
    expect(of(at(ONSET + 8))).toBe(false)
    expect(of(null)).toBe(true)
  })

  it('is none where calls that failed and are tried again explain it', () => {
    expect(beside(calls('web', 'stock', 1))).toBe(false)
    expect(beside(calls('web', 'stock', 0.99))).toBe(true)
    expect(beside(calls('web', 'stock', 0.5), 1.4)).toBe(false)
    expect(beside(calls('web', 'stock', 0.5), 1.6)).toBe(true)
  })

  it('is some where more came than four times what was there, which no trying again makes', () => {
    // Ten calls a second, all of which fail, and a route that is asked for by nobody inside.
    const all = calls('web', 'stock', 1)
    const route = (before: number, during: number, growth = 3): boolean =>
      comesInBeside({ ...EMPTY, edges: all }, { ...shift, before, during, onset }, growth, 0.5)
    expect(route(0.4, 30)).toBe(true)
    expect(route(8, 32)).toBe(false)
    expect(route(8, 33)).toBe(true)
    // A route that grew by much and makes little of all that came tells nothing of the rest.
    expect(route(0.4, 15.4)).toBe(true)
    expect(route(0.4, 15.3)).toBe(false)
    expect(route(0.1, 5.1, 1)).toBe(true)
  })

  it('is none where calls to it were not counted, or for too short', () => {
    expect(beside([])).toBe(false)
    expect(beside(calls('web', 'cart'))).toBe(false)
    expect(beside(calls('web', 'stock').map(({ calls: _, ...edge }) => edge))).toBe(false)
    const all = calls('web', 'stock')
    expect(beside(all.filter(({ t0 }) => t0 >= at(ONSET - 4)))).toBe(false)
    expect(beside(all.filter(({ t0 }) => t0 < at(ONSET + 4)))).toBe(false)
    expect(beside(all.filter(({ t0 }) => t0 >= at(ONSET - 5) && t0 < at(ONSET + 5)))).toBe(true)
  })

  it('is more traffic where it comes in, though its callers ask as ever', () => {
    const whole = demand({ front: [50, 50], middle: [50, 50], back: [50, 220] })
    const edges = [...calls('front', 'middle'), ...calls('middle', 'back')]
    const { hypotheses } = investigate({ ...whole, edges })
    expect(hypotheses.find(({ cause }) => cause.kind === 'traffic')?.cause.entity).toBe('back')
  })
})

describe('by what factor all that is asked of an entity grew', () => {
  const level = (before: number, during: number, more: Partial<Series> = {}): Series => {
    const one = series('web', 'http_requests_per_second', before, during)
    const values = one.values.map((_, minute) => (minute < ONSET ? before : during))
    return { ...one, unit: '/s', values, ...more }
  }
  const route = (name: string, before: number, during: number): Series =>
    level(before, during, { labels: { route: name } })
  const grown = (first: Series, others: readonly Series[], before: number, during: number): number => {
    const shift: SeriesShift = {
      ...{
        series: first,
        meaning: readMetricName(first.name),
        direction: 'up',
        is_bad: false,
        before,
        during,
      },
      ...{ extreme: during, latest: during, z: 9, ended_at: null, normal_count: 60 },
      onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) },
    }
    const growthOf = demandGrowth({ ...EMPTY, series: [first, ...others] }, [shift])
    expect(growthOf('shop')).toBe(0)
    expect(growthOf('web')).toBe(growthOf('web'))
    return growthOf('web') + 1
  }

  it('is that of its one count where there is no other', () => {
    expect(grown(level(10, 30), [], 10, 30)).toBe(3)
    const others = [
      level(90, 90, { entity: 'shop' }),
      level(90, 90, { name: 'http_errors_per_second' }),
      level(90, 90, { type: 'histogram' }),
      level(90, 90, { unit: '1', name: 'sessions_open_requests' }),
    ]
    expect(grown(level(10, 30), others, 10, 30)).toBe(3)
  })

  it('is that of all routes together, of which one alone may rise', () => {
    const rest = [route('/b', 60, 60), route('/c', 30, 10)]
    expect(grown(route('/a', 10, 30), rest, 10, 30)).toBe(1)
    expect(grown(route('/a', 10, 190), rest, 10, 190)).toBeCloseTo(2.6, 9)
  })

  it('is that of the count that holds the others', () => {
    const whole = level(100, 110, { name: 'requests_total_per_second' })
    expect(grown(route('/a', 10, 30), [whole], 10, 30)).toBeCloseTo(1.1, 9)
    expect(grown(route('/a', 200, 600), [whole], 200, 600)).toBe(3)
  })

  it('counts an instance that was not there as not asked', () => {
    const late = level(0, 20, { labels: { pod: 'web-2' } })
    const values = late.values.map((value, minute) => (minute < ONSET ? Number.NaN : value))
    expect(grown(level(10, 20, { labels: { pod: 'web-1' } }), [{ ...late, values }], 10, 20)).toBe(4)
  })
})

describe('all that is asked of an entity', () => {
  const NAME = 'http_requests_per_second'
  const from = (one: Series, first: number, last: number): Series => ({
    ...one,
    ...{ times: one.times.slice(first, last), values: one.values.slice(first, last) },
  })
  const pod = (name: string, before: number, during: number, first = 0, last = LENGTH): Series =>
    from({ ...series('web', NAME, before, during), labels: { pod: name } }, first, last)
  const asked = (all: readonly Series[], risen: Series, ended_at: number | null = null) =>
    demandOfAll({ ...EMPTY, series: all }, {
      ...{ series: risen, onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET) }, ended_at },
      ...{ before: 10, during: 15, meaning: readMetricName(NAME), direction: 'up', is_bad: false },
    } as SeriesShift)

  it('is what its instances are asked at one time, though others were there before', () => {
    const pods = [
      ...['a', 'b'].map((name) => pod(name, 20, 20, 0, 30)),
      ...['c', 'd'].map((name) => pod(name, 20, 20, 30, 60)),
      ...['e', 'f'].map((name) => pod(name, 20, 30, 60)),
    ]
    const sum = asked(pods, pods[4] as Series)
    expect(sum.before).toBeCloseTo(40, -0.5)
    expect(sum.during / sum.before).toBeCloseTo(1.5, 1)
  })

  it('counts a whole and its parts once', () => {
    const whole = series('web', NAME, 40, 60)
    const sum = asked([whole, pod('a', 20, 30), pod('b', 20, 30)], whole)
    expect(sum.before / 40).toBeCloseTo(1, 1)
    expect(sum.during / 60).toBeCloseTo(1, 1)
  })

  it('is asked for until it was over', () => {
    const whole = series('web', NAME, 40, 80, ONSET, ONSET + 10)
    expect(asked([whole], whole, at(ONSET + 10)).during / 80).toBeCloseTo(1, 1)
    expect(asked([whole], whole).during / 40).toBeCloseTo(1, 0)
  })
})

describe('the cache in front that makes a demand', () => {
  const rise = (factor: number) =>
    risen('shop', 'http_requests_per_second', { before: 50, during: 50 * factor, is_bad: false })
  /** Nine of ten were found, and since then so many: of ten requests it passes on one at first. */
  const found = (during: number, more: Partial<SeriesShift> = {}, name = 'varnish_hit_ratio') =>
    risen('front-1', name, { before: 0.9, during, direction: 'down', ...more }, { unit: '1' })
  const missed = (shift: SeriesShift, factor = 4, ...others: SeriesShift[]) =>
    missedInFront([...others, shift], rise(factor))?.series.entity

  it('finds so much less that what it passes on grew by half of that demand and more', () => {
    expect(missed(found(0.6))).toBe('front-1')
    expect(missed(found(0.74))).toBe('front-1')
    expect(missed(found(0.76))).toBeUndefined()
    expect(missed(found(0.99, { direction: 'up' }))).toBeUndefined()
    const percent = risen('front-1', 'varnish_hit_ratio', { before: 90, during: 60 }, { unit: '%' })
    expect(missed(percent)).toBe('front-1')
    const counted = (during: number) =>
      risen('front-1', 'varnish_cache_misses_per_second', { before: 10, during }, { unit: '/s' })
    expect([missed(counted(25)), missed(counted(24))]).toEqual(['front-1', undefined])
  })

  it('finds less from then on, and not minutes before or after', () => {
    const since = (minute: number) => ({ onset: { ...SINCE, at: at(minute) } })
    expect(missed(found(0.6, since(ONSET + 2)))).toBe('front-1')
    for (const minute of [ONSET - 3, ONSET + 3]) expect(missed(found(0.6, since(minute)))).toBeUndefined()
  })

  it('stands before what is asked more: a cache that it asks itself, or its own, does not', () => {
    expect(missed(found(0.6, {}, 'redis_hit_ratio'))).toBeUndefined()
    const edge = risen('shop', 'cdn_hit_ratio', { before: 0.9, during: 0.6 }, { unit: '1' })
    expect(missed(edge)).toBeUndefined()
  })

  it('is asked itself for no more than ever: else more came in', () => {
    const asked = (during: number) =>
      risen('front-1', 'http_requests_per_second', { before: 500, during, is_bad: false })
    expect(missed(found(0.6), 4, asked(749))).toBe('front-1')
    expect(missed(found(0.6), 4, asked(750))).toBeUndefined()
  })
})
