import { measured, type SampleHours } from './sample-hours.ts'
import { SERVICES } from './tea-shop.ts'

/** What was measured of every service, and of both versions of pricing. */
export function sampleSeries({ minutes, at }: SampleHours): readonly object[] {
  const series: object[] = []
  const measure = (
    entity: string,
    name: string,
    unit: string,
    type: 'gauge' | 'rate',
    values: readonly (number | null)[],
    labels: Readonly<Record<string, string>> = {},
  ) => {
    const matchers = [
      `service="${entity}"`,
      ...Object.entries(labels).map(([key, value]) => `${key}="${value}"`),
    ]
    series.push({
      entity,
      name,
      labels,
      type,
      unit,
      interval_s: 60,
      query: `${name}{${matchers.join(',')}}`,
      t0: at(0),
      values: values.map((value) => (value === null ? null : measured(value))),
    })
  }
  for (const service of SERVICES) {
    const of = minutes.map((minute) => minute.services[service])
    measure(
      service,
      'http_server_requests_per_second',
      '/s',
      'rate',
      of.map(({ requests }) => requests / 60),
    )
    measure(
      service,
      'http_server_errors_ratio',
      '1',
      'gauge',
      of.map(({ requests, failed }) => failed / requests),
    )
    measure(
      service,
      'http_server_request_duration_p95_ms',
      'ms',
      'gauge',
      of.map(({ p95_ms }) => p95_ms),
    )
    measure(
      service,
      'container_cpu_utilization_ratio',
      '1',
      'gauge',
      of.map(({ cpu_ratio }) => cpu_ratio),
    )
    measure(
      service,
      'container_memory_working_set_bytes',
      'By',
      'gauge',
      // The collector missed one scrape of the mailer.
      of.map(({ memory_bytes }, minute) => (service === 'mailer' && minute === 71 ? null : memory_bytes)),
    )
  }
  for (const version of ['v41', 'v42'] as const) {
    const of = minutes.map((minute) => minute.pricingByVersion[version])
    measure(
      'pricing',
      'http_server_errors_ratio',
      '1',
      'gauge',
      // A version that serves nothing has no ratio.
      of.map(({ requests, failed }) => (requests === 0 ? null : failed / requests)),
      { version },
    )
  }
  return series
}

/** How often which service called which, minute by minute. */
export const sampleEdges = ({ minutes, at }: SampleHours): readonly object[] =>
  minutes.flatMap(({ calls }, minute) =>
    calls.map(({ caller, callee, calls: made, failed, latency_ms }) => ({
      caller,
      callee,
      t0: at(minute),
      interval_s: 60,
      calls: made,
      failed,
      latency_sum_ms: measured(made * latency_ms),
      latency_count: made,
    })),
  )
