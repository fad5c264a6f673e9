import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Flow } from '#shared/domain/investigation/place/call-graph.ts'
import type { CountedHarm } from '#shared/domain/investigation/place/counted-since.ts'
import type { FailingService } from '#shared/domain/investigation/place/failing-service.ts'
import { scoreServices } from '#shared/domain/investigation/place/score-services.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Template } from '#shared/domain/investigation/records/log-templates.ts'
import type { Edge, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, LENGTH, lines, ONSET, pattern, series } from '../incident-scenarios.ts'
import { errors, failingIn, names, seen, span, well } from '../observed-by-hand.ts'
import { BARE, counted, PLACES, risen, said } from '../scene-by-hand.ts'

describe('what fails', () => {
  it('is nothing where nothing was measured, and nothing where everything is as always', () => {
    for (const more of [{}, { series: [well('a'), well('b')], logs: lines('a', 'INFO', 'served', 0) }])
      expect(seen(more)).toMatchObject({
        ...{ shifts: [], failing: [], first: null, suspects: [], unexplained: [] },
        ...{ blast_radius: [], onset: null, symptom_service: null, made: null },
      })
  })

  it('is what left its normal level, most failing first, each with the kinds of telemetry that agree', () => {
    const found = seen({
      series: [errors('a'), errors('b'), well('c')],
      logs: [...lines('b', 'ERROR', 'the ledger refused an entry', ONSET), ...lines('c', 'INFO', 'ok', 0)],
    })
    expect(names(found.failing)).toEqual(['b', 'a'])
    expect(found.failing.map(({ signs }) => signs)).toEqual([['metrics', 'logs'], ['metrics']])
    const [b, a] = found.failing
    expect(b?.score).toBeGreaterThan(a?.score ?? 1)
    for (const { score } of found.failing) expect(score).toBeLessThanOrEqual(1)
    expect(a?.shifts.map(({ series: { name } }) => name)).toEqual(['http_5xx_ratio'])
    expect(b?.templates.map(({ example }) => example)).toEqual(['the ledger refused an entry'])
    expect(a?.templates).toEqual([])
  })

  it('is told by the lines of a log alone, errors before warnings, and by nothing that only informs', () => {
    const said = (severity: string): FailingService | undefined =>
      failingIn(seen({ logs: lines('a', severity, 'the ledger refused an entry', ONSET) }), 'a')
    const [error, warning] = [said('ERROR'), said('WARN')]
    expect(error?.signs).toEqual(['logs'])
    expect(error?.score).toBeGreaterThan(warning?.score ?? 0)
    expect(warning?.score).toBeGreaterThan(0)
    expect(said('INFO')).toBeUndefined()
  })

  it('is not told by lines that were always written', () => {
    expect(seen({ logs: lines('a', 'ERROR', 'the ledger refused an entry', 0) }).failing).toEqual([])
  })

  it('is told the more of, up to five lines', () => {
    const score = (count: number): number =>
      failingIn(seen({ logs: lines('a', 'ERROR', 'the ledger refused an entry', ONSET, ONSET + count) }), 'a')
        ?.score ?? 0
    expect(score(1)).toBe(0)
    expect(score(3)).toBeGreaterThan(0)
    expect(score(4)).toBeGreaterThan(score(3))
    expect(score(5)).toBeGreaterThan(score(4))
    expect(score(20)).toBe(score(5))
  })

  it('lists the lines of a service errors first, then the most frequent', () => {
    const found = seen({
      logs: [
        ...lines('a', 'WARN', 'a cache entry is stale again', ONSET),
        ...lines('a', 'ERROR', 'the ledger refused an entry', ONSET, LENGTH, 2),
        ...lines('a', 'ERROR', 'journal unreachable at port', ONSET, LENGTH, 3),
      ],
    })
    expect(failingIn(found, 'a')?.templates.map(({ example }) => example)).toEqual([
      'the ledger refused an entry',
      'journal unreachable at port',
      'a cache entry is stale again',
    ])
  })

  it('is told by patterns that a log tool counted, from twice as many and one more than before', () => {
    const told = (count: number, before: number, text = 'request failed'): FailingService | undefined =>
      failingIn(seen({ patterns: [pattern('a', text, count, before)] }), 'a')
    expect(told(41, 20)?.signs).toEqual(['logs'])
    expect(told(40, 20)).toBeUndefined()
    expect(told(5, 0)?.patterns).toHaveLength(1)
    expect(told(0, 0)).toBeUndefined()
    expect(told(41, 20, 'request served')).toBeUndefined()
    const { baseline_count: _, ...unknown } = pattern('a', 'request failed', 5, 0)
    expect(failingIn(seen({ patterns: [unknown] }), 'a')?.patterns).toEqual([unknown])
    expect(seen({ patterns: [{ ...unknown, count: 0 }] }).failing).toEqual([])
    expect(told(20, 0)?.score).toBe(told(5, 0)?.score)
    expect(told(5, 0)?.score ?? 0).toBeGreaterThan(told(4, 0)?.score ?? 0)
  })

  it('is told by lines that came more often than before, as far as they lie within the window', () => {
    const rare = lines('a', 'ERROR', 'the ledger refused an entry', 0, ONSET, 15)
    const grown = seen({ logs: [...rare, ...lines('a', 'ERROR', 'the ledger refused an entry', ONSET)] })
    expect(failingIn(grown, 'a')?.templates.map(({ change }) => change)).toEqual(['grown'])
    const outside = [-9, -8, -7, -6, -5, LENGTH, LENGTH + 1, LENGTH + 2, LENGTH + 3, LENGTH + 4]
    const line = { source: 'logs', service: 'a', severity: 'ERROR', message: 'refused' }
    expect(seen({ logs: outside.map((minute) => ({ ...line, timestamp: at(minute) })) }).failing).toEqual([])
  })

  it('lists patterns by how often they were seen, then by their text, under whatever name of the service', () => {
    const found = seen({
      entities: [{ name: 'a', kind: 'service', aliases: [{ alias: 'a-prod', learnt_from: 'k8s' }] }],
      patterns: [
        pattern('a', 'z failed', 5, 0),
        pattern('a-prod', 'b failed', 5, 0),
        pattern('a', 'c failed', 9, 0),
      ],
    })
    expect(failingIn(found, 'a')?.patterns.map(({ signature }) => signature)).toEqual([
      'c failed',
      'b failed',
      'z failed',
    ])
    expect(names(found.failing)).toEqual(['a'])
  })

  it('is told by counted calls alone, where none of the callees fails', () => {
    const found = seen({ edges: [...calls('web', 'a', 0.4), ...calls('a', 'b')] })
    expect(found.failing.map(({ entity, signs }) => [entity, signs])).toEqual([['a', ['edges']]])
    expect(failingIn(found, 'a')?.flow).toMatchObject({ entity: 'a', own_failed: 240 * 30 })
    expect(found.flows.get('b')?.excess_failed).toBe(0)
  })

  it('is told by waiting that its counted calls do not pass on', () => {
    const slow = calls('web', 'a').map((edge) =>
      edge.t0 < at(ONSET) ? edge : { ...edge, latency_sum_ms: 30_000 * 20 },
    )
    expect(names(seen({ edges: [...slow, ...calls('a', 'b')] }).failing)).toEqual(['a'])
    const handed: Edge[] = slow.map((edge) => ({ ...edge, caller: 'a', callee: 'b' }))
    expect(names(seen({ edges: [...slow, ...handed] }).failing)).toEqual(['b'])
  })

  it('counts the calls that fail at a callee which answers as ever to those who make them', () => {
    const own = [series('b', 'http_5xx_ratio', 0.003, 0.003), series('b', 'http_requests_per_second', 10, 10)]
    const edges = [...calls('web', 'a', 0.4), ...calls('a', 'b', 0.4)]
    expect(seen({ edges, series: own }).flows.get('b')?.given_up).toBe(240 * 30)
    expect(names(seen({ edges, series: own }).failing)).toEqual(['a'])
    // Not measured, failing by its own count, reached by fewer, or only by what its log counts: it may be the callee.
    // Whether its processor is busy says nothing of its answers.
    const busy = [...own, series('b', 'cpu_utilization_ratio', 0.2, 0.9)]
    expect(seen({ edges, series: busy }).flows.get('b')?.given_up).toBe(240 * 30)
    const lost = [own[0] as Series, series('b', 'http_requests_per_second', 10, 5)]
    for (const measured of [[], [errors('b')], lost, [series('b', 'log_error_lines', 2, 2)]])
      expect(seen({ edges, series: measured }).flows.get('b')?.given_up).toBe(0)
  })

  it('is no processor that is busy and no instance that was replaced while everybody is answered as always', () => {
    const busy = series('a', 'cpu_utilization_ratio', 0.2, 0.95)
    const rolled = series('a', 'pod_restarts_per_minute', 0, 3, ONSET, ONSET + 8)
    for (const shift of [busy, rolled]) {
      expect(failingIn(seen({ series: [shift, well('a')] }), 'a')).toBeUndefined()
      expect(failingIn(seen({ series: [shift] }), 'a')?.score).toBeGreaterThan(0.3)
      expect(failingIn(seen({ series: [shift, errors('a')] }), 'a')?.shifts).toHaveLength(2)
    }
    const available = series('a', 'availability_ratio', 0.999, 0.999)
    expect(failingIn(seen({ series: [busy, available] }), 'a')).toBeUndefined()
    const memory = series('a', 'memory_used_bytes', 2e8, 9e8)
    const over = series('a', 'memory_used_bytes', 2e8, 9e8, ONSET, 110)
    const restarting = series('a', 'pod_restarts_per_minute', 0, 3)
    for (const shift of [memory, over, restarting])
      expect(failingIn(seen({ series: [shift, well('a')] }), 'a')).toBeDefined()
  })

  it('is suspected though it does not fail, where only how it works has left normal', () => {
    const found = seen({ series: [series('a', 'cache_items', 10, 90)] })
    expect(found.failing).toEqual([])
    expect(found.suspects).toMatchObject([
      {
        entity: 'a',
        signs: ['metrics'],
        onset: { at: at(ONSET) },
        ended_at: null,
        templates: [],
        patterns: [],
      },
    ])
    expect(found.suspects[0]?.shifts.map(({ series: { name } }) => name)).toEqual(['cache_items'])
    expect(found.first).toBe(found.suspects[0])
  })

  it('is no series that moved the way that hurts nobody', () => {
    expect(seen({ series: [series('a', 'http_5xx_ratio', 0.4, 0.003)] }).failing).toEqual([])
  })
})

/** What was measured, handed to the score directly: the symptoms began three minutes after the onset. */
interface Measured extends Partial<Snapshot> {
  readonly shifts?: readonly SeriesShift[]
  readonly templates?: readonly Template[]
  readonly flows?: readonly Flow[]
  readonly harm?: CountedHarm
}
const scored = ({ shifts = [], templates = [], flows = [], harm, ...more }: Measured) => {
  const snapshot: Snapshot = { ...EMPTY, entities: PLACES, ...more }
  const byEntity = new Map(flows.map((flow) => [flow.entity, flow]))
  const callers = new Map(harm === undefined ? [] : [['stock', harm] as const])
  return scoreServices(
    ...([snapshot, entityNames(snapshot), shifts, templates, byEntity, new Map()] as const),
    ...([BARE.normal, at(ONSET + 3), { isTelling: () => true, counted: callers }] as const),
  )
}
const stock = (given: Measured): FailingService | undefined =>
  scored(given).find(({ entity }) => entity === 'stock')
const since = (minute: number) => ({
  onset: { at: at(minute), earliest: at(minute - 1), latest: at(minute + 1) },
})
const failed = (id: string, minute: number) => span(id, null, 'stock', { start: at(minute) })
const waited = (own_wait_ms: number, excess_wait_ms: number): Flow => ({
  ...counted('stock', 0),
  ...{ own_wait_ms, excess_wait_ms },
})

describe('since when a service fails', () => {
  const errors_ = (minute: number) => risen('stock', 'http_5xx_ratio', since(minute))
  const memory = (minute: number) => risen('stock', 'memory_used_bytes', since(minute))
  const line = (minute: number, severity: Template['severity'] = 'error') =>
    said('the ledger refused an entry', 'stock', { risen_at: at(minute), severity })
  const began = (given: Measured) => ((stock(given)?.onset.at ?? Number.NaN) - at(0)) / 60_000

  it('is since users felt it, however long a resource was filling', () => {
    expect(began({ shifts: [memory(70), errors_(92)] })).toBe(92)
    expect(began({ shifts: [errors_(92), errors_(91)] })).toBe(91)
    expect(began({ shifts: [memory(70), errors_(92)], templates: [line(80)] })).toBe(92)
  })

  it('is at the latest since its first line of an error in the interval that the samples leave open', () => {
    const latest = (given: Measured) => stock(given)?.onset.latest
    expect(latest({ shifts: [errors_(92)] })).toBe(at(93))
    expect(latest({ shifts: [errors_(92)], templates: [line(92.5)] })).toBe(at(92.5))
    expect(latest({ shifts: [errors_(92)], templates: [line(92.5, 'warning')] })).toBe(at(93))
  })

  it('is since its first error in a log where nobody felt it, then since a resource filled', () => {
    expect(began({ shifts: [memory(70)], templates: [line(96), line(95)] })).toBe(95)
    expect(began({ shifts: [memory(70), memory(72)], templates: [line(60, 'warning')] })).toBe(70)
    expect(began({ shifts: [memory(70)], spans: [failed('s1', 91)] })).toBe(70)
  })

  it('is not since less was asked of it, which hurts nobody by itself', () => {
    const asked = risen('stock', 'http_requests_per_second', { ...since(60), direction: 'down' })
    expect(began({ shifts: [asked, memory(70)] })).toBe(70)
  })

  it('is since its callers count it where that is two minutes and more before anything was felt', () => {
    const counted = (minute: number, given: Measured) =>
      began({ ...given, harm: { since: at(minute), until: null } })
    const felt = { shifts: [errors_(95)] }
    // What the samples leave open begins a minute before.
    expect(counted(92, felt)).toBe(95)
    expect(counted(91.9, felt)).toBe(91.9)
    expect(counted(97, felt)).toBe(95)
    expect(counted(90, { shifts: [memory(70)] })).toBe(70)
    expect(counted(85, { templates: [line(95)] })).toBe(85)
  })

  it('is since its first failed span, else since the symptoms where calls tell it, else since the alert', () => {
    expect(began({ spans: [failed('s2', 94), failed('s1', 91)], flows: [counted('stock', 90)] })).toBe(91)
    const alerts = [alert('web', 'http_5xx_ratio')]
    expect(began({ alerts, flows: [counted('stock', 90)] })).toBe(ONSET + 3)
    const patterns = [pattern('stock', 'request failed', 41, 20)]
    expect(began({ alerts, patterns })).toBe(ONSET + 6)
    expect(began({ patterns })).toBe(ONSET + 3)
  })
})

describe('until when a service fails', () => {
  const over = (name: string, minute: number | null) =>
    risen('stock', name, minute === null ? {} : { ended_at: at(minute), latest: 1 })
  const ended = (...shifts: readonly SeriesShift[]) =>
    stock({ shifts, templates: [said('refused')] })?.ended_at

  it('is until the last of what users feel is over, and open while any of it lasts', () => {
    expect(ended(over('http_5xx_ratio', 100), over('http_server_duration_p95_ms', 105))).toBe(at(105))
    expect(ended(over('http_5xx_ratio', 105), over('http_server_duration_p95_ms', 100))).toBe(at(105))
    expect(ended(over('http_5xx_ratio', 100), over('http_server_duration_p95_ms', null))).toBeNull()
    expect(ended(over('http_5xx_ratio', null), over('memory_used_bytes', null))).toBeNull()
  })

  it('is told by what hurts by its name where users felt nothing, and by nothing else where they did', () => {
    expect(ended(over('memory_used_bytes', 105))).toBe(at(105))
    expect(ended(over('memory_used_bytes', 105), over('memory_used_ratio', null))).toBeNull()
    expect(ended(over('http_5xx_ratio', 100), over('memory_used_bytes', 105))).toBe(at(100))
    expect(ended(over('http_5xx_ratio', 100), over('memory_used_bytes', null))).toBe(at(100))
  })

  it('is open where what was back is away again, and where callers still count that it fails', () => {
    const back = (latest: number) => risen('stock', 'http_5xx_ratio', { ended_at: at(100), latest })
    expect(ended(back(1.4))).toBe(at(100))
    expect(ended(back(1.5))).toBeNull()
    const counting = (until: number | null) => stock({ shifts: [back(1)], harm: { since: at(95), until } })
    expect(counting(null)).toMatchObject({ ended_at: null, still_counted: true })
    expect(counting(at(110))).toMatchObject({ ended_at: at(100), still_counted: false })
  })

  it('is until its callers no longer count that it fails them, where nothing is measured of it that tells', () => {
    const counted = (until: number | null, shifts: readonly SeriesShift[] = []) =>
      stock({ shifts, templates: [said('refused')], harm: { since: at(95), until } })
    expect(counted(at(110))).toMatchObject({ ended_at: at(110), still_counted: false })
    expect(counted(null)).toMatchObject({ ended_at: null, still_counted: true })
    expect(counted(at(110), [over('http_requests_per_second', null)])?.ended_at).toBe(at(110))
    expect(counted(at(110), [over('http_5xx_ratio', null)])?.ended_at).toBeNull()
  })

  it('is not told by what hurts nobody, nor where nothing was measured', () => {
    expect(ended(over('http_5xx_ratio', 100), over('http_requests_per_second', 110))).toBe(at(100))
    expect(ended(over('http_5xx_ratio', 100), over('http_requests_per_second', null))).toBe(at(100))
    expect(ended(over('http_requests_per_second', 110))).toBeNull()
    expect(ended()).toBeNull()
  })
})

describe('how surely a service fails', () => {
  const many = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
    Array.from({ length: count }, (_, index) => item(index))

  it('grows with how far a series left its noise: half at five deviations, four fifths at twenty', () => {
    const by = (z: number) => stock({ shifts: [risen('stock', 'http_5xx_ratio', { z })] })?.score
    expect(by(5)).toBe(0.5)
    expect(by(20)).toBe(0.8)
    // It counts as failing from three tenths on.
    expect(by(15 / 7)).toBe(0.3)
    expect(by(2.1)).toBeUndefined()
  })

  it('is told by four series, four lines and three patterns at most', () => {
    const shift = () => risen('stock', 'memory_used_bytes', { z: 5 })
    const line = (index: number) => said(`the ledger refused ${index}`, 'stock', { during: 1 })
    const counts = (index: number) => pattern('stock', `request ${index} failed`, 2, 0)
    for (const [most, of] of [
      [4, (count: number) => stock({ shifts: many(count, shift) })?.score ?? 0],
      [4, (count: number) => stock({ templates: many(count, line) })?.score ?? 0],
      [3, (count: number) => stock({ patterns: many(count, counts) })?.score ?? 0],
    ] as const) {
      expect(of(most)).toBeGreaterThan(of(most - 1))
      expect(of(most + 1)).toBe(of(most))
    }
    expect(stock({ shifts: many(2, shift) })?.score).toBeCloseTo(1 - 0.75 ** 2)
    expect(stock({ templates: many(4, line) })?.score).toBeCloseTo(1 - 0.86 ** 4)
    expect(stock({ patterns: many(3, counts) })?.score).toBeCloseTo(1 - 0.8 ** 3)
  })

  it('is told by failed spans, a quarter each and half at most', () => {
    const spans = (count: number) => many(count, (index) => failed(`s${index}`, 91 + index))
    expect(stock({ spans: spans(1) })).toBeUndefined()
    for (const count of [2, 3])
      expect(stock({ spans: spans(count) })).toMatchObject({ score: 0.5, signs: ['traces'] })
  })

  it('is told by the share of its calls that fail, tenfold, and nine tenths at most', () => {
    const by = (own_failed: number, more: Partial<Flow> = {}) =>
      stock({ flows: [{ ...counted('stock', own_failed), ...more }] })?.score
    expect(by(45)).toBe(0.5)
    expect(by(90)).toBe(0.9)
    expect(by(900)).toBe(0.9)
    expect(by(26)).toBeUndefined()
    expect(by(90, { excess_failed: 0 })).toBeUndefined()
  })

  it('is told by the share of the waiting that is its own, in full from fifty milliseconds a call on', () => {
    const by = (own: number, all: number) => stock({ flows: [waited(own, all)] })?.score
    expect(by(90_000, 90_000)).toBe(0.9)
    expect(by(90_000, 180_000)).toBe(0.45)
    expect(by(36_000, 36_000)).toBe(0.72)
    expect(by(9_000, 9_000)).toBeUndefined()
  })

  it('counts a busy processor in full where users feel anything, and at three tenths where all is well', () => {
    const busy = risen('stock', 'cpu_utilization_ratio', { z: 45 })
    const felt = risen('stock', 'http_5xx_ratio', { z: 5 })
    expect(stock({ shifts: [busy, felt] })?.score).toBeCloseTo(1 - 0.55 * 0.5)
    expect(stock({ shifts: [busy, felt], series: [well('stock')] })?.score).toBeCloseTo(1 - 0.55 * 0.5)
    const memory = risen('stock', 'memory_used_bytes', { z: 45 })
    const calm = { shifts: [busy, memory], series: [well('stock')] }
    expect(stock(calm)?.score).toBeCloseTo(1 - (1 - 0.45 * 0.3) * 0.55)
  })

  it('is not told by what another service says', () => {
    expect(names(scored({ patterns: [pattern('web', 'request failed', 41, 20)] }))).toEqual(['web'])
    expect(names(scored({ templates: [said('refused', 'web')] }))).toEqual(['web'])
    expect(names(scored({ shifts: [risen('web', 'http_5xx_ratio')] }))).toEqual(['web'])
  })

  it('names the kinds of telemetry that say so by a good part, not by a straggler', () => {
    const shifts = [risen('stock', 'http_5xx_ratio')]
    const signs = (given: Measured) => stock({ shifts, ...given })?.signs
    expect(signs({ templates: [said('refused', 'stock', { during: 1, severity: 'warning' })] })).toEqual([
      'metrics',
    ])
    expect(signs({ templates: [said('refused')], spans: [failed('s1', 91)] })).toEqual([
      'metrics',
      'logs',
      'traces',
    ])
    expect(signs({ flows: [counted('stock', 9)] })).toEqual(['metrics'])
    expect(signs({ flows: [counted('stock', 90)] })).toEqual(['metrics', 'edges'])
  })

  it('lists lines that are as grave and as frequent from the first on, then by their text', () => {
    const line = (text: string, minute: number) => said(text, 'stock', { first_seen: at(minute) })
    const all = [line('c', 95), line('b', 95), line('a', 96), line('d', 94)]
    for (const templates of [all, all.toReversed()])
      expect(stock({ templates })?.templates.map(({ text }) => text)).toEqual(['d', 'b', 'c', 'a'])
  })
})
