import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  KNOWN_METRICS,
  queriesOf,
  REQUEST_FAMILIES,
  SATURATION,
} from '#shared/adapters/tools/prometheus-queries.ts'
import { measuredBy, metricsIn, plainMeasure, quoted, widenedBy } from '#shared/adapters/tools/promql.ts'

describe('what the expression of an alert measures', () => {
  it.each([
    ['up == 0', 'up'],
    ['up{job="a"} != bool 1', 'up{job="a"}'],
    ['0.2 < error_ratio', 'error_ratio'],
    ['(error_ratio) > 0.2', 'error_ratio'],
    ['((a / b) > 0.2)', 'a / b'],
    ['(a + b) / (c + d) >= 0.1', '(a + b) / (c + d)'],
    [
      'sum by (service) (rate(x{code=~"5.."}[20s])) / sum by (service) (rate(x[20s])) > 0.2',
      'sum by (service) (rate(x{code=~"5.."}[20s])) / sum by (service) (rate(x[20s]))',
    ],
    ['errors > 0.1 and on (service) rate > 5', 'errors'],
    ['a > 1 unless b', 'a'],
    ['a < 1 or absent(a)', 'a'],
    ['absent(up{job="a > b"})', 'absent(up{job="a > b"})'],
    ['x{msg="a == b and c"} > 3 # until > 5', 'x{msg="a == b and c"}'],
    ['node_free < -1e3', 'node_free'],
    ['-1 < node_free', 'node_free'],
    ['a > b', 'a'],
  ])('of %s is %s', (expression, measured) => {
    expect(measuredBy(expression)).toBe(measured)
  })

  it('is the measured side whatever is compared with it, brackets or not', () => {
    const side = fc.constantFrom('up', 'rate(x[5m])', 'sum by (a) (b{c=~"d|e"}) / 3', 'x{y="> 1"}')
    fc.assert(
      fc.property(
        side,
        fc.constantFrom('>', '<', '>=', '<=', '==', '!='),
        fc.integer(),
        fc.boolean(),
        (left, sign, bound, wrapped) => {
          const text = `${left} ${sign} ${bound}`
          expect(measuredBy(wrapped ? `(${text})` : text)).toBe(left)
          expect(measuredBy(measuredBy(text))).toBe(left)
        },
      ),
    )
  })
})

describe('a wider expression', () => {
  it.each([
    ['sum by (a) (x)', 'sum by (a, pod) (x)'],
    ['sum by(a)(x) / sum by(a, b)(y)', 'sum by (a, pod)(x) / sum by (a, b, pod)(y)'],
    ['sum by () (x)', 'sum by (pod) (x)'],
    ['sum(x)', undefined],
    ['sum by (pod) (x)', undefined],
    ['x{y="by (a)"}', undefined],
  ])('of %s is %s', (expression, widened) => {
    expect(widenedBy(expression, 'pod')).toBe(widened)
  })
})

describe('the metrics that an expression reads', () => {
  it.each([
    ['up', ['up']],
    [
      'sum by (service) (rate(http_requests_total{code=~"5.."}[20s])) / sum(http_requests_total)',
      ['http_requests_total'],
    ],
    ['a:b:c + on (x) group_left (y) d and e offset 5m', ['a:b:c', 'd', 'e']],
    ['1 - x / 2', ['x']],
  ])('of %s are %j', (expression, metrics) => {
    expect(metricsIn(expression)).toEqual(expect.arrayContaining(metrics))
  })

  it('of every query that is asked without configuration are known beforehand', () => {
    const grouping = { by: 'service, job', place: '', rate: '60s' }
    const queries = [...REQUEST_FAMILIES.flatMap((family) => queriesOf(family, () => true)), ...SATURATION]
    for (const query of queries) {
      const read = metricsIn(query.query(grouping)).filter((name) => /_|^up$/.test(name))
      expect([query.name, read.filter((name) => !KNOWN_METRICS.includes(name))]).toEqual([query.name, []])
      expect([query.name, read.length > 0]).toEqual([query.name, true])
    }
  })

  it.each([
    ['up', { name: 'up', type: 'gauge' }],
    ['max by (service) (queue_depth{queue="orders"})', { name: 'queue_depth', type: 'gauge' }],
    ['avg_over_time(queue_depth[5m])', { name: 'queue_depth', type: 'gauge' }],
    [
      'sum by (job) (rate(http_requests_total{job="web"}[5m]))',
      { name: 'http_requests_total', type: 'rate' },
    ],
    [
      'histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))',
      { name: 'http_request_duration_seconds_p99', type: 'gauge' },
    ],
    [
      'histogram_quantile(.5, sum(rate(http_request_duration_seconds[5m])))',
      { name: 'http_request_duration_seconds_p50', type: 'gauge' },
    ],
    // A share, calls that ended badly, another unit, a growth, a number of series, two metrics.
    ['sum(rate(x_total{code=~"5.."}[5m])) / sum(rate(x_total[5m]))', null],
    ['sum(rate(http_requests_total{code=~"5.."}[5m]))', null],
    ['rate(calls_total{status_code="STATUS_CODE_ERROR"}[5m])', null],
    ['sum(rate(istio_requests_total{response_code=~"5.*"}[1m]))', null],
    ['histogram_quantile(0.9, rate(x_seconds_bucket[5m])) * 1000', null],
    ['increase(restarts_total[10m])', null],
    ['count by (job) (up)', null],
    ['absent(up)', null],
    ['time() - last_run_timestamp_seconds', null],
    ['a_bytes / b_bytes', null],
    ['1', null],
  ])('%s gives %j', (expression, measure) => {
    expect(plainMeasure(expression)).toEqual(measure)
  })

  it('are quoted as PromQL reads them', () => {
    expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"')
  })
})
