import { describe, expect, it } from 'vitest'
import { entityNames } from '#shared/domain/investigation/entity-names.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot, Span } from '#shared/domain/investigation/snapshot.ts'
import { contrastVersions, isSameVersion } from '#shared/domain/investigation/version-contrast.ts'
import { alert, at, commit, deploy, EMPTY, LENGTH, ONSET, series } from './incident-scenarios.ts'

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

describe('the name of a version', () => {
  it.each([
    ['v42', '42', true],
    ['registry.example/cart:1.2.3', '1.2.3', true],
    ['5d0c7ae1f2b94c6e', '5d0c7ae', true],
    ['5d0c7ae1f2b94c6e', '5d0c', false],
    ['v2', 'v20', false],
    [undefined, 'v2', false],
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
