import { describe, expect, it } from 'vitest'
import {
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_UNMAPPED,
} from '#shared/domain/investigation/confidence.ts'
import { readMetricName } from '#shared/domain/investigation/deviations/metric-meaning.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { round6 } from '#shared/domain/investigation/statistics.ts'
import { at, calls, ONSET, series } from '../incident-scenarios.ts'
import { find, found, graphOf, place, risen, type Seen, SINCE, UNEXPLAINED } from '../scene-by-hand.ts'

describe('causes that are no change', () => {
  it('traffic needs demand that rose before, and is no likelier without symptoms of overload', () => {
    const rise = { series: [series('stock-api', 'http_requests_per_second', 100, 500, ONSET - 1)] }
    const overloaded = find(['queue saturated, shedding load'], rise)
    expect(overloaded.cause.kind).toBe('traffic')
    expect(overloaded.remediation.action).toBe('scale')
    expect(find(['nil pointer dereference'], rise).confidence).toBeLessThanOrEqual(overloaded.confidence)
    const without = find(['queue saturated, shedding load']).hypotheses.map(({ cause }) => cause.kind)
    expect(without).not.toContain('traffic')
  })

  it('demand does not explain a processor that works far more for each request than before', () => {
    const rise = series('stock-api', 'http_requests_per_second', 100, 210, ONSET - 1)
    const burning = find(['request queue saturated'], {
      series: [rise, series('stock-api', 'cpu_usage_percent', 1.2, 99)],
    })
    expect(burning.cause.kind).not.toBe('traffic')
    const busy = find(['request queue saturated'], {
      series: [rise, series('stock-api', 'cpu_usage_percent', 40, 88)],
    })
    expect(busy.cause.kind).toBe('traffic')
  })
})

describe('more traffic than usual', () => {
  const asked = (entity = 'stock', during = 200, more: Partial<SeriesShift> = {}, labels = {}) =>
    risen(entity, 'http_requests_per_second', { before: 100, during, is_bad: false, ...more }, { labels })
  const symptoms = ['queue saturated']
  const of = (shifts: readonly SeriesShift[], seen: Seen = {}) =>
    found('traffic', { symptoms, ...seen, shifts })

  it('is told by demand that rose by half and more, the more the more it rose', () => {
    expect(of([asked()])).toMatchObject({
      ...{ entity: 'stock', score: 0.5, action: 'scale', yields_to_changes: true },
      ...{ what: 'more traffic than usual', signs: [{ strength: 0.4 }] },
    })
    expect(of([asked()], { symptoms: [] })?.score).toBe(round6(0.5 * UNEXPLAINED))
    expect(of([asked('stock', 1_600)])?.score).toBe(0.7)
    expect(of([asked('stock', 150)])).toBeDefined()
    expect(of([asked('stock', 149)])).toBeUndefined()
    expect(of(['a', 'b', 'c', 'd'].map((one) => asked(one)))?.signs).toHaveLength(3)
  })

  it('is none where it fell, rose after the symptoms, was none before, or counts one outcome', () => {
    for (const shift of [
      asked('stock', 200, { direction: 'down' }),
      asked('stock', 200, { before: 0 }),
      asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET) + 1 } }),
      asked('stock', 200, {}, { code: '500' }),
      asked('stock', 200, { meaning: { ...readMetricName('http_requests_per_second'), meaning: 'errors' } }),
      risen('stock', 'bytes_sent', { before: 100, during: 200 }),
    ])
      expect(of([shift])).toBeUndefined()
    expect(of([asked('stock', 200, {}, { pod: 'a' })])).toBeDefined()
    expect(of([asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET) } })])).toBeDefined()
    const late = asked('stock', 200, { onset: { ...SINCE, earliest: at(ONSET + 9) } })
    expect(of([late], { observed: { onset: null } })).toBeDefined()
  })

  it('is none where it is over while what failed first fails still', () => {
    const over = (ended: number, first: Partial<FailingService> | null) =>
      of([asked('stock', 200, { ended_at: at(ended) })], {
        observed: { first: first === null ? null : place('stock', first) },
      })
    expect(over(ONSET + 4, {})).toBeUndefined()
    expect(over(ONSET + 4, { ended_at: at(ONSET + 20) })).toBeUndefined()
    expect(over(ONSET + 15, { ended_at: at(ONSET + 20) })).toBeDefined()
    expect(over(ONSET + 4, null)).toBeDefined()
  })

  it('is none where it is made inside, there or above', () => {
    const made = { caller: 'web', callee: 'vault', factor: 4, excess: 90, since: at(ONSET), source: 'edges' }
    const by = (entity: string) =>
      of([asked(entity)], { observed: { made, graph: graphOf({ web: ['vault'], vault: ['stock'] }) } })
    expect([by('vault'), by('stock')]).toEqual([undefined, undefined])
    expect(by('web')).toBeDefined()
  })

  it('is none where those who call, or those who serve, were measured and not asked for more', () => {
    const usual = series('web', 'http_requests_per_second', 100, 100)
    const below = { graph: graphOf({ web: ['stock'] }) }
    expect(of([asked()], { observed: below, snapshot: { series: [usual] } })).toBeUndefined()
    expect(of([asked()], { observed: below })).toBeDefined()
    const more = series('web', 'http_requests_per_second', 100, 200)
    expect(of([asked(), asked('web')], { observed: below, snapshot: { series: [more] } })?.entity).toBe('web')
    const served = { symptom_service: 'web' }
    expect(of([asked()], { observed: served, snapshot: { series: [usual] } })).toBeUndefined()
    // Less than half of what rises below was tried again on the way.
    const passing = (during: number) =>
      of([asked(), asked('web', during)], {
        observed: served,
        snapshot: { series: [series('web', 'http_requests_per_second', 100, during)] },
      })
    expect(passing(130)).toBeUndefined()
    expect(passing(170)?.entity).toBe('web')
    expect(of([asked()], { observed: served })).toBeDefined()
    for (const other of [series('web', 'cpu_usage', 1, 1), series('vault', 'http_requests_per_second', 1, 1)])
      expect(of([asked()], { observed: served, snapshot: { series: [other] } })).toBeDefined()
    const edges = calls('web', 'stock')
    expect(of([asked()], { observed: served, snapshot: { series: [usual], edges } })).toBeDefined()
  })

  it('is named where it comes in: where users are served, where fewest call, where it rose most and first', () => {
    const first = (shifts: readonly SeriesShift[], seen: Seen = {}) => [
      of(shifts, seen)?.entity,
      of(shifts.toReversed(), seen)?.entity,
    ]
    const both = [asked('stock', 300), asked('web', 200)]
    expect(first(both)).toEqual(['stock', 'stock'])
    expect(first(both, { observed: { symptom_service: 'web' } })).toEqual(['web', 'web'])
    const edges = calls('x', 'y')
    expect(first(both, { observed: { symptom_service: 'web' }, snapshot: { edges } })).toEqual([
      'stock',
      'stock',
    ])
    const measured = { series: [series('web', 'http_requests_per_second', 1, 2)] }
    const called = { graph: graphOf({ web: ['stock'] }) }
    expect(first(both, { observed: called, snapshot: measured })).toEqual(['web', 'web'])
    const early = { onset: { ...SINCE, at: at(ONSET - 1) } }
    expect(first([asked('stock'), asked('web', 200, early)])).toEqual(['web', 'web'])
    expect(first([asked('stock'), asked('vault')])).toEqual(['stock', 'stock'])
    const little = asked('vault', 30, { before: 10 })
    expect(first([little, asked('web', 200)])).toEqual(['vault', 'vault'])
  })

  it('explains of a processor or a memory that grew twice as much only its share', () => {
    const grown = (name: string, during: number, more: Partial<SeriesShift> = {}, entity = 'stock') =>
      of([asked(), risen(entity, name, { before: 1, during, ...more })], {
        observed: { first: place('stock') },
      })?.score
    expect(grown('cpu_usage', 4)).toBe(0.5)
    expect(grown('cpu_usage', 8)).toBe(0.25)
    expect(grown('memory_usage', 8)).toBe(0.25)
    expect(grown('disk_usage', 8)).toBe(0.5)
    expect(grown('cpu_usage', 8, { is_bad: false })).toBe(0.5)
    expect(grown('cpu_usage', 8, { before: 0 })).toBe(0.5)
    expect(grown('cpu_usage', 8, {}, 'web')).toBe(0.5)
    expect(grown('cpu_errors', 8)).toBe(0.5)
    // Where the place's own demand was not measured, the most that rose is taken for it.
    const cpu = risen('vault', 'cpu_usage', { before: 1, during: 16 })
    const other = { observed: { first: place('vault') } }
    expect(of([asked('stock', 400), cpu], other)?.score).toBe(round6(0.65 * 0.5))
    const own = [asked('stock', 400), asked('vault', 200), cpu]
    expect(of(own, other)?.score).toBe(round6(0.65 * 0.25))
    // Where it was measured and did not rise, none of its work is by what others are asked.
    const steady = series('vault', 'http_requests_per_second', 100, 100)
    const measured = (one: typeof steady) =>
      of([asked('stock', 400), cpu], { ...other, snapshot: { series: [one] } })
    expect(measured(steady)?.score).toBe(round6(0.65 * 0.125))
    expect(measured({ ...steady, name: 'cpu_usage' })?.score).toBe(round6(0.65 * 0.5))
    expect(measured({ ...steady, entity: 'web' })?.score).toBe(round6(0.65 * 0.5))
  })

  it('is possible at most where users were measured, none is hurt, and only resources tell of trouble', () => {
    const latency = series('web', 'http_request_latency_ms', 50, 50)
    const most = (shifts: readonly SeriesShift[], failing: FailingService[] = [], list = [latency]) =>
      of([asked(), ...shifts], { snapshot: { series: list }, observed: { first: place('stock'), failing } })
        ?.at_most
    const busy = risen('stock', 'cpu_usage', { before: 1, during: 2 })
    expect(most([busy])).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(most([busy], [place('stock', { signs: ['metrics'] })])).toBe(CONFIDENCE_CAP_UNMAPPED)
    expect(most([busy, risen('web', 'http_request_latency_ms', {})])).toBeUndefined()
    expect(most([busy, risen('web', 'http_request_latency_ms', { is_bad: false })])).toBe(
      CONFIDENCE_CAP_UNMAPPED,
    )
    expect(most([busy], [place('stock', { signs: ['metrics', 'logs'] })])).toBeUndefined()
    expect(most([busy], [], [])).toBeUndefined()
    expect(most([busy], [], [{ ...latency, unit: '{line}' }])).toBeUndefined()
    expect(most([busy], [], [{ ...latency, name: 'cpu_usage' }])).toBeUndefined()
  })

  it('is none that a cache in front makes, which is told instead: of a provider where it is a network of caches', () => {
    const missed = (name: string) =>
      risen('front-1', name, { before: 0.9, during: 0.6, direction: 'down' }, { unit: '1' })
    const told = (name: string, kind: 'provider' | 'infra') =>
      found(kind, { symptoms, shifts: [asked('stock', 400), missed(name)] })
    expect(of([asked('stock', 400), missed('varnish_hit_ratio')])).toBeUndefined()
    const own = told('varnish_hit_ratio', 'infra')
    expect(own).toMatchObject({ entity: 'front-1', score: 0.65, yields_to_changes: true })
    expect(own?.at_most).toBe(CONFIDENCE_CAP_CONSEQUENCE)
    expect(told('cloudfront_hit_ratio', 'provider')).toMatchObject({ entity: 'front-1', score: 0.65 })
  })

  it('is named where it came in, though that was seen later there than below', () => {
    const late = { at: at(ONSET + 4), earliest: at(ONSET + 4), latest: at(ONSET + 4) }
    const edges = [...calls('site', 'stock'), ...calls('stock', 'vault')].map((edge) => ({
      ...edge,
      calls: 600 * (edge.t0 >= at(ONSET) ? 2 : 1),
    }))
    const list = ['site', 'stock', 'vault'].map((one) => series(one, 'http_requests_per_second', 100, 200))
    const shifts = list.map((one, index) =>
      risen(
        one.entity,
        one.name,
        { before: 100, during: 200, is_bad: false, ...(index === 0 ? { onset: late } : {}) },
        one,
      ),
    )
    const observed = { graph: graphOf({ site: ['stock'], stock: ['vault'] }), first: place('vault') }
    const told = of(shifts, { observed, snapshot: { edges, series: list } })
    expect(told?.entity).toBe('site')
    // Who is asked as ever passes nothing on.
    const even = [series('site', 'http_requests_per_second', 100, 100), ...list.slice(1)]
    const below = of(shifts.slice(1), { observed, snapshot: { edges, series: even } })
    expect(below?.entity).not.toBe('site')
  })

  it('is of one who asks where that one makes most of it, at whoever counts it', () => {
    const whole = series('stock', 'http_requests_per_second', 50, 70)
    const one = { ...series('stock', 'http_requests_per_second_by_client', 2, 22), labels: { client: 'c-7' } }
    const shift = risen('stock', one.name, { before: 2, during: 22, is_bad: false }, one)
    const told = of([shift], { snapshot: { series: [whole, one] }, observed: { first: place('stock') } })
    expect(told).toMatchObject({
      ...{ kind: 'traffic', entity: 'stock', score: 0.7, action: 'scale', yields_to_changes: true },
      ...{ what: 'more traffic than usual, most of it of one who asks', signs: { length: 1 } },
    })
  })
})
