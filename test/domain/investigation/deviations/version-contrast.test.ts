import { describe, expect, it } from 'vitest'
import { contrastVersions, isSameVersion } from '#shared/domain/investigation/deviations/version-contrast.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { Series, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, commit, deploy, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const WINDOW = { from: at(ONSET), to: at(LENGTH) }
const labelled = (level: number, version: string, name = 'http_errors_ratio', label = 'version'): Series => ({
  ...series('cart', name, 0.001, level),
  labels: { [label]: version, pod: `cart-${version}` },
})
const spans = (version: string, all: number, failed: number, from = ONSET): Span[] =>
  Array.from({ length: all }, (_, index) => ({
    ...{ source: 'traces', trace_id: `t${version}${index}`, span_id: `s${version}${index}`, parent_id: null },
    ...{ service: 'cart', name: 'GET /', start: at(from) + index * 100, duration_us: 5_000 },
    status: index < failed ? 'ERROR' : 'OK',
    attributes: { 'service.version': version },
  }))
const contrasts = (part: Partial<Snapshot>) => {
  const snapshot = { ...EMPTY, ...part }
  return contrastVersions(snapshot, entityNames(snapshot), WINDOW)
}

describe('versions that run side by side', () => {
  it('are told apart by a share of errors that only one of them has, in series of either labelling', () => {
    for (const label of ['version', 'service.version', 'app.kubernetes.io/version', 'image_tag'])
      expect(
        contrasts({
          series: [
            labelled(0.4, 'v2', 'http_errors_ratio', label),
            labelled(0.002, 'v1', 'http_errors_ratio', label),
          ],
        }),
      ).toMatchObject([{ entity: 'cart', worse: 'v2', better: 'v1', what: 'http_errors_ratio' }])
  })

  it('are not compared with what ran at another time, nor by a share of errors that nobody notices', () => {
    const within = (one: Series, from: number, to: number): Series => ({
      ...one,
      times: one.times.filter((_, minute) => minute >= from && minute < to),
      values: one.values.filter((_, minute) => minute >= from && minute < to),
    })
    const [bad, good] = [labelled(0.4, 'v2'), labelled(0.002, 'v1')]
    expect(contrasts({ series: [within(bad, ONSET, 105), within(good, 106, 120)] })).toEqual([])
    expect(contrasts({ series: [within(bad, ONSET, 112), within(good, 108, 120)] })).toEqual([])
    expect(contrasts({ series: [within(bad, ONSET, 112), within(good, 100, 120)] })).toMatchObject([
      { worse: 'v2', counts: [12, 12] },
    ])
    expect(contrasts({ series: [labelled(0.009, 'v2'), labelled(0.0001, 'v1')] })).toEqual([])
    const percent = (one: Series): Series => ({ ...one, unit: '%' })
    expect(contrasts({ series: [percent(labelled(0.9, 'v2')), percent(labelled(0.1, 'v1'))] })).toEqual([])
  })

  it('tell the worst pair of several', () => {
    expect(
      contrasts({ series: [labelled(0.05, 'v2'), labelled(0.4, 'v3'), labelled(0.002, 'v1')] }),
    ).toMatchObject([{ worse: 'v3', better: 'v1' }])
  })

  it('are told apart by the spans that fail, from as many of both as chance allows', () => {
    expect(contrasts({ spans: [...spans('v2', 60, 30), ...spans('v1', 60, 1)] })).toMatchObject([
      { what: 'spans', worse: 'v2', better: 'v1', worse_level: 0.5, counts: [60, 60] },
    ])
    expect(contrasts({ spans: [...spans('v2', 20, 10), ...spans('v1', 60, 1)] })).toEqual([])
    expect(contrasts({ spans: [...spans('v2', 60, 30), ...spans('v1', 60, 29)] })).toEqual([])
    expect(contrasts({ spans: [...spans('v2', 60, 0), ...spans('v1', 60, 0)] })).toEqual([])
    expect(contrasts({ spans: [...spans('v2', 60, 30, 10), ...spans('v1', 60, 1, 10)] })).toEqual([])
  })

  it('are not compared where nothing names the version, where both do the same, or by plain counts', () => {
    const plain = labelled(0.4, 'v2')
    expect(contrasts({ series: [{ ...plain, labels: {} }, labelled(0.002, 'v1')] })).toEqual([])
    expect(contrasts({ series: [labelled(0.4, 'v2'), labelled(0.4, 'v1')] })).toEqual([])
    expect(contrasts({ series: [labelled(0.4, '')] })).toEqual([])
    expect(
      contrasts({ series: [labelled(400, 'v2', 'errors_total'), labelled(2, 'v1', 'errors_total')] }),
    ).toEqual([])
    expect(contrasts({ series: [labelled(400, 'v2', 'cpu_usage'), labelled(2, 'v1', 'cpu_usage')] })).toEqual(
      [],
    )
    const unmeasured = { ...plain, values: plain.values.map(() => Number.NaN) }
    expect(contrasts({ series: [unmeasured, labelled(0.002, 'v1')] })).toEqual([])
  })

  it('compare latencies, which cite the query that asked for them', () => {
    const slow = { ...labelled(900, 'v2', 'request_duration_p95_ms'), query: 'p95 by (version)' }
    expect(contrasts({ series: [slow, labelled(90, 'v1', 'request_duration_p95_ms')] })).toMatchObject([
      { worse: 'v2', query: 'p95 by (version)' },
    ])
  })

  it('come strongest first, whatever the order in which they were measured', () => {
    const all = [labelled(0.4, 'v2'), labelled(0.002, 'v1')]
    const both = { series: all, spans: [...spans('v2', 60, 30), ...spans('v1', 60, 1)] }
    const found = contrasts(both)
    expect(found).toHaveLength(2)
    expect(contrasts({ series: [...all].reverse(), spans: [...both.spans].reverse() })).toEqual(found)
    expect(found[0]?.z).toBeGreaterThanOrEqual(found[1]?.z ?? Number.NaN)
  })
})

describe('series of versions', () => {
  /** A level without noise, so that its spread is the smallest that counts. */
  const flat = (level: number, version: string, more: Partial<Series> = {}): Series => {
    const one = labelled(level, version, more.name)
    return { ...one, values: one.values.map(() => level), ...more }
  }
  const everyMinutes = (one: Series, minutes: number): Series => ({
    ...one,
    times: one.times.filter((_, minute) => minute >= ONSET && (minute - ONSET) % minutes === 0),
    values: one.values.filter((_, minute) => minute >= ONSET && (minute - ONSET) % minutes === 0),
  })
  const [bad, good] = [flat(0.4, 'v2'), flat(0.1, 'v1')]

  it('are of one version by a label that is called so, and by no label that only contains it', () => {
    const by = (label: string) =>
      contrasts({
        series: [
          labelled(0.4, 'v2', 'http_errors_ratio', label),
          labelled(0.002, 'v1', 'http_errors_ratio', label),
        ],
      })
    for (const label of [
      ...['app.version', 'service_version', 'label_version', 'build-version', 'release', 'revision'],
      ...['app - version', 'VERSION'],
    ])
      expect(by(label)).toHaveLength(1)
    for (const label of ['schema_version', 'version_of_schema', 'hue', 'release_notes'])
      expect(by(label)).toEqual([])
  })

  it('are compared over all copies, and where every other label is the same', () => {
    const with_ = (one: Series, labels: Record<string, string>): Series => ({
      ...one,
      labels: { version: one.labels.version ?? '', ...labels },
    })
    const compare = (one: Record<string, string>, other: Record<string, string>) =>
      contrasts({ series: [with_(bad, one), with_(good, other)] })
    for (const copy of ['pod', 'instance', 'k8s.pod.name', 'Host'])
      expect(compare({ [copy]: 'a' }, { [copy]: 'b' })).toHaveLength(1)
    for (const other of ['region', 'podium', 'my_node']) {
      expect(compare({ [other]: 'a' }, { [other]: 'b' })).toEqual([])
      expect(compare({ [other]: 'a' }, { [other]: 'a' })).toHaveLength(1)
    }
    expect(compare({ region: 'a', zone: 'b' }, { zone: 'b', region: 'a' })).toHaveLength(1)
    expect(contrasts({ series: [bad, { ...good, entity: 'shop' }] })).toEqual([])
    expect(contrasts({ series: [bad, { ...good, name: 'grpc_errors_ratio' }] })).toEqual([])
  })

  it('are compared by what is worse the more there is of it, and by shares alone', () => {
    const of = (name: string, unit?: string) =>
      contrasts({
        series: [40, 10].map((level, index) => ({
          ...flat(level, index === 0 ? 'v2' : 'v1', { name }),
          ...(unit === undefined ? {} : { unit }),
        })),
      })
    expect(of('http_errors', '%')).toHaveLength(1)
    expect(of('http_errors', '1')).toEqual([])
    expect(of('http_errors')).toEqual([])
    expect(of('http_errors_percent')).toHaveLength(1)
    expect(of('http_success_ratio')).toEqual([])
    expect(of('availability', '%')).toEqual([])
  })

  it('differ by standard errors of their spread, of at least a fiftieth of the level', () => {
    const [found] = contrasts({ series: [bad, good] })
    expect(found).toMatchObject({ worse_level: 0.4, better_level: 0.1, counts: [30, 30] })
    expect(found?.z).toBeCloseTo(0.3 / Math.hypot(0.008, 0.002), 4)
    const noisy = (by: number): Series => ({
      ...bad,
      values: bad.values.map((value, index) => value + (index % 2 === 0 ? by : -by)),
    })
    const [spread] = contrasts({ series: [noisy(0.04), good] })
    expect(spread?.z).toBeCloseTo(0.3 / Math.hypot(0.04 * 1.4826, 0.002), 2)
    expect(contrasts({ series: [noisy(0.2), good] })).toEqual([])
  })

  it('differ by half and more, and in errors by what somebody notices', () => {
    const latency = (level: number, version: string) =>
      flat(level, version, { name: 'request_duration_p95_ms' })
    expect(contrasts({ series: [latency(150, 'v2'), latency(100, 'v1')] })).toHaveLength(1)
    expect(contrasts({ series: [latency(149, 'v2'), latency(100, 'v1')] })).toEqual([])
    expect(contrasts({ series: [latency(0.009, 'v2'), latency(0.001, 'v1')] })).toHaveLength(1)
    const percent = (level: number, version: string) => flat(level, version, { unit: '%' })
    expect(contrasts({ series: [percent(2, 'v2'), percent(1, 'v1')] })).toHaveLength(1)
    expect(contrasts({ series: [percent(1.9, 'v2'), percent(1, 'v1')] })).toEqual([])
  })

  it('have five samples each while both ran, within the window', () => {
    expect(contrasts({ series: [everyMinutes(bad, 6), good] })).toMatchObject([{ counts: [5, 25] }])
    expect(contrasts({ series: [bad, everyMinutes(good, 6)] })).toMatchObject([{ counts: [25, 5] }])
    expect(contrasts({ series: [everyMinutes(bad, 8), good] })).toEqual([])
    expect(contrasts({ series: [bad, everyMinutes(good, 8)] })).toEqual([])
    const snapshot = { ...EMPTY, series: [bad, good] }
    const part = { from: at(ONSET), to: at(ONSET + 10) }
    expect(contrastVersions(snapshot, entityNames(snapshot), part)).toMatchObject([{ counts: [10, 10] }])
  })

  it('cite a query only where one is known', () => {
    const { query: _, ...unasked } = bad
    expect(contrasts({ series: [unasked, good] })[0]).not.toHaveProperty('query')
  })

  it('of equal difference are told by their names', () => {
    const all = [flat(0.4, 'v3'), flat(0.4, 'v2'), good]
    for (const series of [all, all.toReversed()])
      expect(contrasts({ series })).toMatchObject([{ worse: 'v2', better: 'v1' }])
  })
})

describe('spans of versions', () => {
  const found = (...lists: Span[][]) => contrasts({ spans: lists.flat() })
  const as = (list: Span[], more: Partial<Span>): Span[] => list.map((span) => ({ ...span, ...more }))

  it('are of no version where nothing in them says so', () => {
    const { attributes: _, ...bare } = spans('v2', 1, 1)[0] as Span
    const without = Array.from({ length: 60 }, () => bare)
    expect(found(without, spans('v1', 60, 0))).toEqual([])
    for (const attributes of [{ hue: 'v2' }, { version: '' }, { version: 2 }, {}])
      expect(found(as(spans('v2', 60, 60), { attributes }), spans('v1', 60, 0))).toEqual([])
    expect(
      found(as(spans('v2', 60, 60), { attributes: { version: 'v2' } }), spans('v1', 60, 0)),
    ).toHaveLength(1)
  })

  it('fail by their status, in the words of either convention', () => {
    const status = (text: string) =>
      found(as(spans('v2', 60, 0), { status: text }), spans('v1', 60, 0)).length
    for (const text of ['ERROR', 'error', 'STATUS_CODE_ERROR', 'failed', '2']) expect(status(text)).toBe(1)
    for (const text of ['OK', 'no error', 'errors', '200', '12', 'unfailed', '']) expect(status(text)).toBe(0)
  })

  it('are compared by a two-proportion test, of thirty each and more', () => {
    expect(found(spans('v2', 60, 30), spans('v1', 60, 1))[0]?.z).toBeCloseTo(6.048, 3)
    expect(found(spans('v2', 30, 15), spans('v1', 30, 0))).toMatchObject([{ counts: [30, 30] }])
    expect(found(spans('v2', 29, 29), spans('v1', 30, 0))).toEqual([])
    expect(found(spans('v2', 30, 15), spans('v1', 29, 0))).toEqual([])
    expect(found(spans('v2', 40, 16), spans('v1', 80, 0))[0]?.z).toBeCloseTo(
      0.4 / Math.sqrt((16 / 120) * (104 / 120) * (1 / 40 + 1 / 80)),
      4,
    )
  })

  it('differ by half and more', () => {
    expect(found(spans('v2', 200, 150), spans('v1', 200, 100))).toHaveLength(1)
    expect(found(spans('v2', 900, 450), spans('v1', 900, 315))).toEqual([])
  })

  it('began within the window', () => {
    const late = LENGTH
    expect(found(spans('v2', 60, 30, late), spans('v1', 60, 1, late))).toEqual([])
  })

  it('of several versions tell the worst and the best', () => {
    expect(found(spans('v2', 60, 30), spans('v3', 60, 15), spans('v1', 60, 0))).toMatchObject([
      { worse: 'v2', better: 'v1' },
    ])
  })

  it('of several services come by their names where they differ as much', () => {
    const both = [...spans('v2', 60, 30), ...spans('v1', 60, 1)]
    const lists = [both, as(both, { service: 'basket' }), as(both, { service: 'till' })]
    for (const list of [lists, lists.toReversed()])
      expect(found(...list).map(({ entity }) => entity)).toEqual(['basket', 'cart', 'till'])
  })

  it('come after series that differ more, and before those that differ less', () => {
    const both = [...spans('v2', 60, 30), ...spans('v1', 60, 1)]
    const flat = (level: number, version: string): Series => {
      const one = { ...labelled(level, version), entity: 'basket' }
      return { ...one, values: one.values.map(() => level) }
    }
    const more = contrasts({ spans: both, series: [flat(0.4, 'v2'), flat(0.1, 'v1')] })
    expect(more.map(({ entity }) => entity)).toEqual(['basket', 'cart'])
    const all = contrasts({
      spans: both,
      series: [flat(0.4, 'v2'), flat(0.1, 'v1')].flatMap((one) => [
        one,
        { ...one, name: 'grpc_errors_ratio' },
      ]),
    })
    expect(all.map(({ what }) => what)).toEqual(['grpc_errors_ratio', 'http_errors_ratio', 'spans'])
  })
})

describe('the name of a version', () => {
  it.each([
    ['v42', '42', true],
    ['registry.example/cart:1.2.3', '1.2.3', true],
    ['5d0c7ae1f2b94c6e', '5d0c7ae', true],
    ['5d0c7ae1f2b94c6e', '5d0c', false],
    ['v2', 'v20', false],
    [undefined, 'v2', false],
    ['5d0c7ae', '5d0c7ae1f2b94c6e', true],
    ['v', '', false],
    ['cart@1.2.3', 'V1.2.3', true],
    ['version', 'ersion', false],
    ['xyz1234', 'xyz12345', false],
    ['1234xyz', '1234xyz5', false],
    ['5d0c7ae', '5d0c7af', false],
  ])('%s and %s: the same is %s', (a, b, same) => {
    expect(isSameVersion(a, b)).toBe(same)
  })
})

describe('the version contrast in an investigation', () => {
  const diff = '-const total = items.length\n+const total = count(items)'
  const incident = (worse: string, better: string): Snapshot => ({
    ...EMPTY,
    alerts: [alert('cart', 'errors')],
    series: [series('cart', 'http_errors_ratio', 0.001, 0.2), labelled(0.4, worse), labelled(0.002, better)],
    changes: [
      commit('aaa', 80, 'Count items', ['cart/src/total.ts'], diff),
      deploy('d2', 88, 'cart', 'v2', ['aaa']),
    ],
  })

  it('names the change whose version does worse, and cites what both versions do', () => {
    const findings = investigate(incident('v2', 'v1'))
    expect(findings.cause.change).toBe('aaa')
    expect(findings.evidence.map(({ content }) => content).join('\n')).toContain(
      'At the same time http_errors_ratio of cart is',
    )
  })

  it('does not name the change whose version does better than the other', () => {
    const findings = investigate(incident('v1', 'v2'))
    expect(findings.cause.change).toBeNull()
    expect(findings.hypotheses.some(({ cause }) => cause.change === 'aaa')).toBe(false)
  })

  it('cites failing spans where those tell the versions apart', () => {
    const bySpans = {
      ...incident('v2', 'v1'),
      series: [series('cart', 'http_errors_ratio', 0.001, 0.2)],
      spans: [...spans('v2', 90, 45), ...spans('v1', 90, 1)],
    }
    const { evidence } = investigate(bySpans)
    expect(evidence.some(({ content }) => /50 % of 90 spans of cart fail in version v2/.test(content))).toBe(
      true,
    )
  })
})
