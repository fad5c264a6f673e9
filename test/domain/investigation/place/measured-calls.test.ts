import { describe, expect, it } from 'vitest'
import { measuredCalls } from '#shared/domain/investigation/place/measured-calls.ts'
import type { Series } from '#shared/domain/investigation/records/snapshot.ts'
import { at } from '../incident-scenarios.ts'

const told = (name: string, values: readonly number[], more: Partial<Series> = {}): Series => ({
  ...{ source: 's', entity: 'shop', name, labels: {}, type: 'gauge', interval_s: 60 },
  times: Float64Array.from(values, (_, minute) => at(minute)),
  values: Float64Array.from(values),
  ...more,
})
/** A total since a process began: one sample more than intervals. */
const total = (name: string, values: readonly number[], more: Partial<Series> = {}): Series => {
  let sum = 0
  return told(name, [0, ...values.map((value) => (sum += value))], { type: 'counter', ...more })
}
const later = (one: Series, from: number): Series => ({
  ...one,
  times: one.times.slice(from),
  values: one.values.slice(from),
})
const of = (...list: readonly Series[]) => measuredCalls(list)('shop')
const shareOf = (...list: readonly Series[]) => {
  const answered = of(...list)?.answered ?? null
  return answered === null ? null : Array.from(answered.values, (value) => Math.round(10 * value) / 10)
}
const callsOf = (...list: readonly Series[]) => [...(of(...list)?.calls.values ?? [])]

const ASKED = [100, 50, 200]
/** Of 100, 50 and 200. */
const FAILED = [0, 10, 50]
const ANSWERED = [100, 40, 150]
const SHARE = [100, 80, 75]

describe('which share of calls is answered', () => {
  const requests = told('requests', ASKED, { agg: 'sum' })
  it('is that of all copies where each tells its own, by the calls of each where they are counted', () => {
    const share = (pod: string, values: readonly number[]) =>
      told('availability', values, { unit: '%', labels: { pod, zone: 'z' } })
    const copies = [share('a', [100, 100, 100]), share('b', [100, 60, 50])]
    expect(shareOf(requests, ...copies)).toEqual([100, 80, 75])
    const asked = (pod: string, values: readonly number[]) =>
      told('requests', values, { agg: 'sum', labels: { zone: 'z', pod } })
    expect(shareOf(asked('a', [30, 30, 0]), asked('b', [10, 10, 10]), ...copies)).toEqual([100, 90, 50])
  })

  it('is told by what was added up, also where another statistic of it is told', () => {
    const asked = (agg: string, values: readonly number[]) => told('RequestCount', values, { agg })
    const failed = (agg: string, values: readonly number[]) =>
      told('HTTPCode_Target_5XX_Count', values, { agg })
    // Of a load balancer each failed call is one datum of 1, so that their mean is 1.
    const all = [failed('Average', [1, 1, 1]), failed('Sum', FAILED), asked('Average', [1, 1, 1])]
    expect(shareOf(...all, asked('Sum', ASKED))).toEqual(SHARE)
    expect(shareOf(asked('Sum', ASKED), ...all.toReversed())).toEqual(SHARE)
  })

  it.each(['avg', 'Average', 'mean', 'min', 'Minimum', 'max', 'Maximum', 'p5', 'p99', 'p99.95', 'tm99'])(
    'is of calls that were added up, not of their %s',
    (agg) => {
      const list = [told('RequestCount', [1, 1, 1], { agg }), told('RequestCount', ASKED, { agg: 'total' })]
      expect(callsOf(...list)).toEqual(ASKED)
      expect(callsOf(...list.toReversed())).toEqual(ASKED)
    },
  )

  it('is told in percent where its unit or its name says so, and in parts of one where its unit says that', () => {
    for (const name of ['availability', 'success_pct', 'success_percent'])
      expect(
        shareOf(requests, told(name, [1, 0.8, 0.7], name === 'availability' ? { unit: '%' } : {})),
      ).toEqual([...[1, 0.8, 0.7]])
    expect(shareOf(requests, told('success_ratio', [1.2, 0.8, 0.7], { unit: '1' }))).toEqual([120, 80, 70])
    // Two rates that are divided by each other pass one by a tenth at most.
    expect(shareOf(requests, told('success_ratio', [1.1, 0.8, 0.7]))).toEqual([110, 80, 70])
    expect(shareOf(requests, told('success_ratio', [1.2, 0.8, 0.7]))).toEqual([1.2, 0.8, 0.7])
  })

  it('is not told by a histogram’s buckets', () => {
    expect(shareOf(requests, told('http_errors', FAILED, { type: 'histogram' }))).toBeNull()
  })

  it('is not told by how long answered or failed calls take', () => {
    for (const name of ['SuccessfulRequestLatency', 'failed_request_duration_seconds', 'error_response_time'])
      expect(shareOf(requests, told(name, [0.9, 0.8, 0.7]))).toBeNull()
  })

  const rate = (name: string, values: readonly number[]) =>
    told(
      name,
      values.map((value) => value / 60),
      { type: 'rate' },
    )
  const byStatus = (code: string, values: readonly number[], more = {}) =>
    total('http_requests_total', values, { labels: { code, ...more } })
  it.each([
    ['the share itself', [requests, told('availability', SHARE, { unit: '%' })]],
    ['a part of one', [requests, told('success_ratio', [1, 0.8, 0.75], { unit: '1' })]],
    ['a part of one without a unit', [requests, told('success_rate', [1, 0.8, 0.75])]],
    ['a percentage without a unit', [requests, told('error_rate', [0, 20, 25])]],
    ['the share that fails', [requests, told('http_error_ratio', [0, 0.2, 0.25], { unit: '1' })]],
    ['a percentage that fails', [requests, told('error_pct', [0, 20, 25], { unit: '%' })]],
    ['counts of failed ones', [requests, told('http_errors', FAILED, { agg: 'sum' })]],
    [
      'the names of a load balancer',
      [
        told('RequestCount', ASKED, { agg: 'Sum' }),
        told('HTTPCode_Target_5XX_Count', FAILED, { agg: 'Sum' }),
      ],
    ],
    [
      'the names of a gateway',
      [told('Count', ASKED, { agg: 'Sum' }), told('5XXError', FAILED, { agg: 'Sum' })],
    ],
    ['counts in percent by their unit', [requests, told('http_errors', [0, 20, 25], { unit: '%' })]],
    [
      'rates by their unit',
      [
        requests,
        told(
          'error_rate',
          FAILED.map((count) => count / 60),
          { unit: '/s' },
        ),
      ],
    ],
    ['a mean of ones and zeros', [requests, told('requests_succeeded', [1, 0.8, 0.75])]],
    ['counts of answered ones', [requests, told('requests_succeeded', ANSWERED, { agg: 'sum' })]],
    ['rates', [rate('requests_per_second', ASKED), rate('errors_per_second', FAILED)]],
    ['totals', [total('http_requests_total', ASKED), total('http_errors_total', FAILED)]],
    ['a total beside counts', [requests, total('http_errors_total', FAILED)]],
    ['totals by status', [byStatus('200', ANSWERED), byStatus('500', FAILED)]],
    [
      'totals by status of several copies',
      [
        byStatus('200', [60, 40, 100], { pod: 'a' }),
        byStatus('503', FAILED, { pod: 'a' }),
        byStatus('200', [40, 0, 50], { pod: 'b' }),
      ],
    ],
    [
      'answers by how they are classified',
      [
        total('response_total', ANSWERED, { labels: { classification: 'success' } }),
        total('response_total', FAILED, { labels: { classification: 'failure' } }),
      ],
    ],
    [
      'a histogram’s counts by status',
      [
        total('http_server_request_duration_seconds_count', ANSWERED, {
          type: 'histogram',
          labels: { http_response_status_code: '200' },
        }),
        total('http_server_request_duration_seconds_count', FAILED, {
          type: 'histogram',
          labels: { http_response_status_code: '503' },
        }),
      ],
    ],
  ] as [string, Series[]][])('is the same, told by %s', (_, list) => {
    expect(shareOf(...list)).toEqual(SHARE)
    expect(shareOf(...list.toReversed())).toEqual(SHARE)
    expect(callsOf(...list).map(Math.round)).toEqual(ASKED)
  })

  it('is that of the entity’s own calls, not of those that it makes', () => {
    const list = [
      byStatus('200', ANSWERED, { direction: 'inbound' }),
      byStatus('500', FAILED, { direction: 'inbound' }),
      byStatus('500', ASKED, { direction: 'outbound' }),
    ]
    expect(shareOf(...list)).toEqual(SHARE)
  })

  it('is never less than none nor more than all', () => {
    expect(shareOf(requests, told('http_errors', [-1, 60, 0], { agg: 'sum' }))).toEqual([100, 0, 100])
  })

  it('is unknown where nothing was called, and where what failed was not measured although zeros are told', () => {
    const errors = told('http_errors', [0, Number.NaN, 50], { agg: 'sum' })
    expect(shareOf(requests, errors)).toEqual([100, Number.NaN, 75])
    const some = told('requests', [100, 0, 200], { agg: 'sum' })
    expect(shareOf(some, errors)).toEqual([100, Number.NaN, 75])
    expect(shareOf(some, told('http_errors', [0, 5, 50], { agg: 'sum' }))).toEqual([100, Number.NaN, 75])
  })

  it('is all where a tool tells nothing for no failure, also of an entity of which it tells none', () => {
    const calls = told('requests', [100, 100, 100, 100], { agg: 'sum' })
    const errors = later(told('http_errors', [0, 0, 0, 25], { agg: 'sum' }), 3)
    expect(shareOf(calls, errors)).toEqual([100, 100, 100, 75])
    const of = (entity: string, ...list: readonly Series[]) => list.map((one) => ({ ...one, entity }))
    const others = measuredCalls([...of('shop', calls, errors), ...of('other', calls)])
    expect([...(others('other')?.answered?.values ?? [])]).toEqual([100, 100, 100, 100])
    const elsewhere = { ...calls, name: 'rpc_calls' }
    expect(
      measuredCalls([...of('shop', calls, errors), ...of('other', elsewhere)])('other')?.answered,
    ).toBeNull()
    // A total that begins with the calls leaves out none either, though it never was zero.
    const asked = total('http_requests_total', [100, 100, 100])
    const since = later(total('http_errors_total', [10, 10, 10, 10]), 1)
    const begun = { ...since, times: asked.times }
    expect(measuredCalls([...of('shop', asked, begun), ...of('other', asked)])('other')?.answered).toBeNull()
    // With three of four samples it leaves out none: one was lost.
    const most = later(told('http_errors', [0, 5, 5, 25], { agg: 'sum' }), 1)
    expect(shareOf(calls, most)?.[0]).toBeNaN()
    expect(measuredCalls([...of('shop', calls, most), ...of('other', calls)])('other')?.answered).toBeNull()
    const zero = later(told('http_errors', [0, 0, 0, 25], { agg: 'sum' }), 2)
    expect(shareOf(calls, zero)?.slice(0, 2)).toEqual([Number.NaN, Number.NaN])
  })

  it('is all until a total of failed calls appears, of which the first sample counts from zero', () => {
    const calls = total('http_requests_total', [100, 100, 100, 100])
    const errors = later(total('http_errors_total', [0, 0, 20, 25]), 3)
    expect(shareOf(calls, errors)).toEqual([100, 100, 80, 75])
    const status = later(byStatus('500', [0, 0, 20, 25]), 3)
    expect(shareOf(byStatus('200', [100, 100, 80, 75]), status)).toEqual([100, 100, 80, 75])
    expect(shareOf(byStatus('200', [100, 100]))).toEqual([100, 100])
  })

  it('is told in the longer of two intervals', () => {
    const seconds = told('http_errors', [1, 2, 3, 4], {
      ...{ agg: 'sum', interval_s: 30 },
      times: Float64Array.from([at(0), at(0.5), at(1), at(1.5)]),
    })
    expect(shareOf(told('requests', [30, 70], { agg: 'sum' }), seconds)).toEqual([90, 90])
    const coarse = told('http_errors', [30], { agg: 'sum', interval_s: 120 })
    expect(shareOf(told('requests', [100, 50], { agg: 'sum' }), coarse)).toEqual([80])
  })

  it('is read from the share before counts, and from what fails before what is answered', () => {
    const [share, errors, answered] = [
      told('availability', [90, 90, 90], { unit: '%' }),
      told('http_errors', FAILED, { agg: 'sum' }),
      told('requests_succeeded', [1, 1, 1], { agg: 'sum' }),
    ]
    expect(shareOf(requests, errors, share)).toEqual([90, 90, 90])
    expect(shareOf(requests, answered, errors)).toEqual(SHARE)
  })

  it('is told by the record that tells what failed, so that it can be asked again', () => {
    const errors = told('http_errors', FAILED, { agg: 'sum', source: 'metrics', query: 'errors of shop' })
    expect(of(requests, errors)?.answered).toMatchObject({
      ...{ source: 'metrics', query: 'errors of shop', name: 'http_errors', unit: '%' },
      ...{ type: 'gauge', agg: 'avg', interval_s: 60 },
    })
    const { query: _, ...unasked } = errors
    expect(of(requests, unasked)?.answered).not.toHaveProperty('query')
  })
})

describe('how many calls come', () => {
  it('is known where nothing tells how they end', () => {
    expect(of(told('requests', ASKED))).toMatchObject({ answered: null })
  })

  it('is not known of an entity that counts none, whatever it fails', () => {
    expect(of(told('http_errors', FAILED))).toBeNull()
    expect(of(told('requests_succeeded', ANSWERED))).toBeNull()
    expect(of(told('memory_usage_bytes', ASKED, { labels: { code: '200' } }))).toBeNull()
    expect(of(told('http_requests_bucket', FAILED, { type: 'histogram', labels: { le: '1' } }))).toBeNull()
  })

  it('is told by what was asked before what was answered by status', () => {
    const status = ['success', 'failure'].map((classification) =>
      total('response_total', [9, 9, 9], { labels: { classification } }),
    )
    expect(callsOf(...status)).toEqual([18, 18, 18])
    expect(callsOf(...status, told('requests', ASKED, { labels: { a: '1', b: '2' } }))).toEqual(ASKED)
  })

  it('is told by the whole before its parts, and by all of the parts where there is no whole', () => {
    const whole = told('requests', ASKED, { agg: 'sum' })
    const route = (route: string) => told('requests', ASKED, { agg: 'sum', labels: { route } })
    expect(callsOf(route('a'), whole, route('b'))).toEqual(ASKED)
    expect(callsOf(route('a'), route('b'))).toEqual(ASKED.map((count) => 2 * count))
    const turned = [
      { pod: 'a', route: '/' },
      { route: '/', pod: 'b' },
    ].map((labels) => ({ ...whole, labels }))
    expect(callsOf(...turned)).toEqual(ASKED.map((count) => 2 * count))
  })
})
