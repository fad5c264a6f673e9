import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { measuredCalls } from '#shared/domain/investigation/place/measured-calls.ts'
import { mergePulled } from '#shared/domain/investigation/records/merge-pulled.ts'
import type { Pulled, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { baselinesOf } from '#shared/domain/investigation/records/windows.ts'
import { type FakeSeries, type FakeStore, serveFakePrometheus } from './fake-prometheus.ts'
import { closeAfterTest, loopbackTool, pullRequest, withoutWaiting } from './tool-server.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')
const WINDOW = { from: NOW - 5_400_000, to: NOW }
const BASELINES = baselinesOf(WINDOW)
const ONSET = NOW - 1_200_000
const never = new AbortController().signal

async function prometheus(store: FakeStore, config: object = {}) {
  const server = await serveFakePrometheus(store)
  const tool = loopbackTool('prometheus', { now: () => NOW, ...withoutWaiting() })
  closeAfterTest(server, tool)
  return { server, tool, config: { base_url: server.url, ...config } }
}
async function pull(store: FakeStore, config: object = {}, service: string | null = 'checkout') {
  const { server, tool, config: whole } = await prometheus(store, config)
  const pulled = await tool.pull(whole, pullRequest(NOW, { window: WINDOW, baselines: BASELINES, service }))
  const queries = server.seen.flatMap(({ search }) => search.get('query') ?? [])
  return { ...pulled, queries, server }
}
const named = ({ series }: Pulled, name: string, entity: string): Series | undefined =>
  series.find((each) => each.name === name && each.entity === entity)
const gapsOf = ({ gaps }: Pulled): string[] => gaps.map(({ what, why }) => `${what}: ${why}`)

/** A shop: checkout has been failing since the onset, cart is well. */
const shop = (query: string): readonly FakeSeries[] => {
  const both = (at: (service: string, bad: boolean) => number): FakeSeries[] =>
    ['checkout', 'cart'].map((service) => ({
      metric: { service, job: 'shop' },
      at: (instant) =>
        at(service, service === 'checkout' && instant >= ONSET) + 0.001 * ((instant / 1000) % 7),
    }))
  if (/^histogram_quantile\(0\.95/.test(query)) return both((_, bad) => (bad ? 2 : 0.2))
  if (/^histogram_quantile\(0\.5/.test(query)) return both((_, bad) => (bad ? 0.4 : 0.1))
  if (query.includes(' or 0 * ') && query.includes(' / ')) return both((_, bad) => (bad ? 0.4 : 0))
  if (query.includes(' or 0 * ')) return both((_, bad) => (bad ? 8 : 0))
  if (query.startsWith('sum by') && query.includes('http_requests_total')) return both(() => 20)
  return []
}
const SHOP: FakeStore = {
  metrics: ['http_requests_total', 'http_request_duration_seconds_bucket'],
  series: shop,
}

describe('a check', () => {
  it('says which version answers', async () => {
    const { tool, config } = await prometheus({})
    expect(await tool.check(config, never)).toEqual({ status: 'connected', detail: 'version 2.42.0' })
  })

  it.each([
    [[], 'no alert fires'],
    [
      [
        { labels: {}, state: 'firing' },
        { labels: {}, state: 'pending' },
      ],
      '1 alert fires',
    ],
    [
      [
        { labels: {}, state: 'firing' },
        { labels: {}, state: 'firing' },
      ],
      '2 alerts fire',
    ],
  ])('says how many alerts fire, where it evaluates rules itself', async (alerts, words) => {
    const { tool, config } = await prometheus({
      instead: ({ path }) =>
        path === '/api/v1/alerts' ? { body: { status: 'success', data: { alerts } } } : undefined,
    })
    expect(await tool.check(config, never)).toEqual({
      status: 'connected',
      detail: `version 2.42.0, ${words}`,
    })
  })

  it('is degraded where nothing is scraped or rules cannot be read', async () => {
    const { tool, config } = await prometheus({
      instead: ({ path }) =>
        path === '/api/v1/query'
          ? { body: { status: 'success', data: { resultType: 'vector', result: [] } } }
          : { status: 404 },
    })
    expect(await tool.check(config, never)).toEqual({
      status: 'degraded',
      detail:
        'it scrapes nothing: there is no series `up`; rules of alerts cannot be read: Prometheus does not know this request (status 404)',
    })
  })
})

describe('a pull without any configuration', () => {
  it('asks rates, errors, ratios and durations of every service by the usual names', async () => {
    const pulled = await pull(SHOP)
    expect(named(pulled, 'http_error_ratio', 'checkout')).toMatchObject({
      type: 'gauge',
      unit: '1',
      interval_s: 30,
      labels: { service: 'checkout', job: 'shop' },
      query:
        '(sum by (service, job) (rate(http_requests_total{code=~"5.."}[60s]) or rate(http_requests_total{status=~"5.."}[60s]) or rate(http_requests_total{status_code=~"5.."}[60s])) or 0 * sum by (service, job) (rate(http_requests_total{code!=""}[60s]) or rate(http_requests_total{status!=""}[60s]) or rate(http_requests_total{status_code!=""}[60s]))) / sum by (service, job) (rate(http_requests_total[60s]))',
    })
    for (const name of [
      'http_requests_per_second',
      'http_errors_per_second',
      'http_latency_p95_seconds',
      'http_latency_p50_seconds',
    ]) {
      expect([
        name,
        named(pulled, name, 'checkout') !== undefined,
        named(pulled, name, 'cart') !== undefined,
      ]).toEqual([name, true, true])
    }
    expect(pulled.gaps).toEqual([])
  })

  it('holds the window and its baselines in one series, without an instant twice', async () => {
    const series = named(await pull(SHOP), 'http_error_ratio', 'checkout')
    if (series === undefined) throw new Error('no series')
    for (const { from, to } of [WINDOW, ...BASELINES]) {
      expect(series.times.filter((at) => at >= from && at < to).length).toBeGreaterThan(50)
    }
    expect([...series.times]).toEqual([...new Set(series.times)].sort((a, b) => a - b))
    expect(
      series.times.filter((at) => at >= (BASELINES[0]?.from ?? 0) && at <= NOW).length,
    ).toBeLessThanOrEqual(500)
  })

  it('leads the engine to the service that fails, with the query as evidence', async () => {
    const { queries: _, server: __, ...pulled } = await pull(SHOP)
    const snapshot = mergePulled(WINDOW, BASELINES, [pulled])
    const findings = investigate(snapshot, { service: null })
    expect(findings.first_failing_service ?? findings.hypotheses[0]?.cause.entity).toBe('checkout')
  })

  it('writes down each query with its window, a link and the digest of what came back', async () => {
    const { sources, server } = await pull(SHOP)
    const rate = sources.find(
      ({ query }) => query === 'sum by (service, job) (rate(http_requests_total[60s]))',
    )
    expect(rate).toMatchObject({
      tool: 'prometheus',
      outcome: 'answered',
      records: 2,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      link: expect.stringContaining(`${server.url}/graph?g0.expr=sum%20by`),
    })
    expect(sources.filter(({ query }) => query === rate?.query).map(({ window }) => window)).toHaveLength(3)
  })

  it('groups by whatever labels there are, and names a service by the surest', async () => {
    const pulled = await pull({
      ...SHOP,
      labels: ['app', 'job', 'namespace', 'pod'],
      series: (query) =>
        query.startsWith('sum by (app, job, namespace) (rate(http_requests_total')
          ? [
              { metric: { job: 'shop/frontend' }, at: () => 5 },
              { metric: { app: 'cart', job: 'kubernetes-pods', namespace: 'shop' }, at: () => 5 },
              { metric: { instance: 'https://shop.example:8443/health' }, at: () => 5 },
              { metric: { job: 'kubernetes-pods' }, at: () => 5 },
            ]
          : [],
    })
    const rates = pulled.series.filter(({ name }) => name === 'http_requests_per_second')
    expect(rates.map(({ entity }) => entity)).toEqual(['frontend', 'cart', 'shop.example', 'unknown'])
    expect(pulled.entities).toEqual([
      {
        name: 'frontend',
        kind: 'service',
        aliases: [{ alias: 'shop/frontend', learnt_from: 'label job in Prometheus' }],
      },
      { name: 'cart', kind: 'service', namespace: 'shop', aliases: [] },
    ])
  })

  it('keeps copies in several clusters and regions apart: what is lost in one is small beside all', async () => {
    const { queries, ...pulled } = await pull({
      labels: ['service', 'cluster', 'region', 'namespace'],
      metrics: [
        'http_requests_total',
        'istio_requests_total',
        'kube_deployment_status_replicas_available',
        'kube_deployment_spec_replicas',
      ],
      series: (query) =>
        query.startsWith('sum by (service, namespace, cluster, region) (rate(http_requests_total[')
          ? ['a', 'b'].map((cluster) => ({ metric: { service: 'cart', cluster }, at: () => 5 }))
          : [],
    })
    const rates = pulled.series.filter(({ name }) => name === 'http_requests_per_second')
    expect(rates.map(({ entity, labels }) => [entity, labels.cluster])).toEqual([
      ['cart', 'a'],
      ['cart', 'b'],
    ])
    const grouped = (metric: string) =>
      queries.some((query) => query.includes('(cluster, region, ') && query.includes(metric))
    expect(['istio_requests_total', 'kube_deployment_spec_replicas'].map(grouped)).toEqual([true, true])
  })

  it('takes of several families the first one that tells about a service', async () => {
    const pulled = await pull({
      metrics: [
        'http_server_request_duration_seconds_count',
        'http_requests_total',
        'grpc_server_handled_total',
        'response_total',
      ],
      series: (query) =>
        query.includes('http_server_request_duration_seconds')
          ? [{ metric: { service: 'cart' }, at: () => 1 }]
          : query.includes('http_requests_total')
            ? ['cart', 'checkout'].map((service) => ({ metric: { service }, at: () => 2 }))
            : [],
    })
    const rates = pulled.series.filter(({ name }) => name === 'http_requests_per_second')
    expect(rates.map(({ entity, values }) => [entity, values[0]])).toEqual([
      ['cart', 1],
      ['checkout', 2],
    ])
    expect(gapsOf(pulled)).toContain('Prometheus: response_total: 3 families of request metrics are asked.')
  })

  it('says no failures of calls whose end no label tells: nobody knows how they ended', async () => {
    const { queries } = await pull({ ...SHOP, metrics: ['flask_http_request_duration_seconds_count'] })
    const errors = queries.find((query) => query.includes(' or 0 * ') && !query.includes(' / '))
    expect(errors).toBe(
      '(sum by (service, job) (rate(flask_http_request_duration_seconds_count{status=~"5.."}[60s])) or 0 * sum by (service, job) (rate(flask_http_request_duration_seconds_count{status!=""}[60s])))',
    )
  })

  it('asks calls that two families count once, in the unit of the durations that there are', async () => {
    const { queries } = await pull({
      metrics: ['traces_span_metrics_calls_total', 'traces_span_metrics_duration_seconds_bucket'],
    })
    const durations = queries.filter((query) => query.startsWith('histogram_quantile(0.5'))
    expect(durations).toEqual([expect.stringMatching(/traces_span_metrics_duration_seconds_bucket.*\)\)\)$/)])
    expect(queries.filter((query) => /^sum by [^/]*calls_total/.test(query))).toHaveLength(3)
  })

  it('tells means of those alone of whom no quantile is told', async () => {
    const metric = (app: string): FakeSeries => ({ metric: { app }, at: () => 0.2 })
    const pulled = await pull({
      labels: ['app'],
      metrics: [
        'http_server_requests_seconds_count',
        'http_server_requests_seconds_bucket',
        'http_server_requests_seconds_sum',
      ],
      series: (query) => {
        if (query.startsWith('histogram_quantile'))
          return [metric('cart'), { metric: { app: 'till' }, at: () => Number.NaN }]
        return query.includes('_sum') ? ['cart', 'till', 'stock'].map(metric) : []
      },
    })
    const means = pulled.series.filter(({ name }) => name === 'http_latency_mean_seconds')
    expect(means.map(({ entity }) => entity)).toEqual(['till', 'stock'])
  })

  it('names a service as a proxy of the edge found it, without where it did', async () => {
    const pulled = await pull({
      metrics: ['traefik_service_requests_total'],
      series: (query) =>
        query.startsWith('sum by (exported_service')
          ? ['cart@docker', 'shop-till-8080@kubernetescrd'].map((service) => ({
              metric: { service, exported_service: '', namespace: 'shop' },
              at: () => 5,
            }))
          : [],
    })
    const rates = pulled.series.filter(({ name }) => name === 'http_requests_per_second')
    expect(rates.map(({ entity, labels }) => [entity, labels])).toEqual([
      ['cart', { service: 'cart', namespace: 'shop' }],
      ['shop-till', { service: 'shop-till', namespace: 'shop' }],
    ])
  })

  it.each([
    [{ service: 'orders-db-metrics', instance: '10.0.0.9:9187' }, 'orders-db'],
    [{ job: 'redis-exporter', instance: '10.0.0.9:9121' }, 'redis'],
    [{ job: 'databases', instance: 'orders-db.shop.svc:5432' }, 'orders-db'],
    [{ instance: '10.0.0.9:9187' }, '10.0.0.9'],
  ])('takes what an exporter measures at %o for the store that it looks at, %s', async (metric, entity) => {
    const pulled = await pull({
      metrics: ['pg_up'],
      series: (query) => (query.includes('pg_up') ? [{ metric, at: () => 1 }] : []),
    })
    expect(pulled.series.map((series) => [series.name, series.entity])).toEqual([['database_up', entity]])
  })

  it('leaves out a ratio that rests on a handful of requests, and says so', async () => {
    const pulled = await pull({
      metrics: ['http_requests_total'],
      series: (query) =>
        query.includes('http_requests_total') ? [{ metric: { service: 'cart' }, at: () => 0.001 }] : [],
    })
    expect(named(pulled, 'http_error_ratio', 'cart')).toBeUndefined()
    expect(gapsOf(pulled)).toContain(
      'Prometheus: error ratio of cart: It rests on 5 requests, fewer than 30, so it is left out.',
    )
  })

  it('says that there are no metrics of requests', async () => {
    expect(gapsOf(await pull({}))).toEqual([
      'Prometheus: rates, errors and durations: No metric of requests by a usual name exists; `queries` in the settings can name others.',
    ])
  })

  it('does not say that there are none where the names of metrics are not told', async () => {
    const pulled = await pull({
      instead: ({ path }) => (path === '/api/v1/label/__name__/values' ? { status: 403 } : undefined),
    })
    expect(new Set(pulled.gaps.map(({ what }) => what))).toEqual(new Set(['Prometheus: names of metrics']))
  })

  it('reads NaN and infinities as not measured', async () => {
    const pulled = await pull({
      metrics: ['up'],
      series: (query) =>
        query.startsWith('min by')
          ? [
              {
                metric: { job: 'a', instance: 'b:1' },
                at: (at) =>
                  at % 60_000 === 0 ? Number.NaN : at % 90_000 === 0 ? Number.POSITIVE_INFINITY : 1,
              },
            ]
          : [],
    })
    expect(new Set(named(pulled, 'up', 'a')?.values)).toEqual(new Set([1, Number.NaN]))
  })

  it.each([
    ['https://payments.shop.svc/healthz', 'payments'],
    ['https://payments.shop.svc.cluster.local:8443/healthz', 'payments'],
    ['https://payments.shop.example/healthz', 'payments.shop.example'],
    ['svc.example:443', 'svc.example'],
  ])('takes a probe of %s for one of %s: so does a cluster name its services', async (instance, entity) => {
    const pulled = await pull({
      metrics: ['probe_success'],
      series: (query) =>
        query.includes('probe_success') ? [{ metric: { instance, job: 'blackbox' }, at: () => 1 }] : [],
    })
    expect(named(pulled, 'probe_success', entity)?.labels.instance).toBe(instance)
  })

  it('asks saturation of nodes, probes and containers, each about its own kind of thing', async () => {
    const pulled = await pull({
      metrics: [
        'node_filesystem_avail_bytes',
        'node_filesystem_size_bytes',
        'kube_node_status_condition',
        'probe_ssl_earliest_cert_expiry',
        'kube_pod_container_status_last_terminated_reason',
      ],
      series: (query) =>
        query.includes('node_filesystem')
          ? [{ metric: { instance: '10.0.0.3:9100', mountpoint: '/data' }, at: () => 0.99 }]
          : query.includes('kube_node_status_condition')
            ? [{ metric: { node: 'node-1', condition: 'DiskPressure' }, at: () => 1 }]
            : query.includes('probe_ssl')
              ? [{ metric: { instance: 'https://shop.example', job: 'blackbox' }, at: () => -60 }]
              : query.includes('last_terminated')
                ? [{ metric: { namespace: 'shop', container: 'cart', reason: 'OOMKilled' }, at: () => 1 }]
                : [],
    })
    expect(
      pulled.series.map(({ name, entity, labels }) => [name, entity, Object.keys(labels).at(-1)]),
    ).toEqual([
      ['certificate_seconds_until_expiry', 'shop.example', 'job'],
      ['node_disk_usage_ratio', '10.0.0.3', 'mountpoint'],
      ['container_last_terminated', 'cart', 'reason'],
      ['node_conditions_unhealthy', 'node-1', 'condition'],
    ])
  })

  it('takes versions that begin to run as changes, with the time at which they took effect', async () => {
    const pulled = await pull({
      metrics: ['kube_pod_container_info'],
      series: (query) =>
        query.includes('kube_pod_container_info')
          ? [
              {
                metric: { container: 'cart', image: 'cart:1' },
                at: (at) => (at < ONSET + 120_000 ? 1 : undefined),
              },
              { metric: { container: 'cart', image: 'cart:2' }, at: (at) => (at >= ONSET ? 1 : undefined) },
              { metric: { container: 'till', image: 'till:1' }, at: () => 1 },
              { metric: { container: 'new', image: 'new:1' }, at: (at) => (at >= ONSET ? 1 : undefined) },
            ]
          : [],
    })
    expect(pulled.changes).toEqual([
      {
        source: pulled.sources.find(({ query }) => query.startsWith('count by (namespace'))?.id,
        id: 'cart image cart:2',
        recorded_at: ONSET,
        effective_at: { from: ONSET - 30_000, to: ONSET + 90_000 },
        kind: 'deploy',
        entity: 'cart',
        title: 'image of cart became cart:2',
        before: 'cart:1',
        after: 'cart:2',
        certainty: 'inferred',
      },
    ])
  })

  it('brings who calls whom, how often, how often in vain and how long', async () => {
    const pulled = await pull({
      metrics: [
        'traces_service_graph_request_total',
        'traces_service_graph_request_server_seconds_sum',
        'traces_service_graph_request_server_seconds_count',
      ],
      series: (query) => {
        const value = query.includes('failed') ? 2 : query.includes('_sum') ? 3 : 60
        return query.includes('service_graph')
          ? [
              {
                metric: { client: 'web', server: 'cart' },
                at: (at) => (at >= NOW - 60_000 ? value : undefined),
              },
              { metric: { client: '', server: 'cart' }, at: () => value },
            ]
          : []
      },
    })
    expect(pulled.edges.slice(0, 1)).toEqual([
      {
        source: expect.stringMatching(/^tool_1:/),
        caller: 'web',
        callee: 'cart',
        t0: NOW - 120_000,
        interval_s: 60,
        calls: 60,
        failed: 2,
        latency_sum_ms: 3000,
        latency_count: 60,
      },
    ])
    expect(new Set(pulled.edges.map(({ caller }) => caller))).toEqual(new Set(['web']))
  })
})

const rule = (change: object = {}) => ({
  name: 'HighErrorRate',
  query:
    'sum by (service) (rate(http_requests_total{code=~"5.."}[20s])) / sum by (service) (rate(http_requests_total[20s])) > 0.2',
  duration: 120,
  state: 'firing',
  alerts: [
    {
      labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'page' },
      annotations: { summary: 'checkout 5xx ratio is 40%', description: 'since the deploy' },
      state: 'firing',
      activeAt: '2026-03-10T11:40:00Z',
      value: '4e-01',
    },
  ],
  ...change,
})
const rulesOf = (...rules: object[]) => ({ body: { status: 'success', data: { groups: [{ rules }] } } })

describe('alerts', () => {
  const firing = (at: (instant: number) => number | undefined, labels: object = {}): FakeSeries => ({
    metric: {
      __name__: 'ALERTS',
      alertstate: 'firing',
      alertname: 'HighErrorRate',
      service: 'checkout',
      severity: 'page',
      ...labels,
    },
    at,
  })

  it('are told with when they fired and what their rule says, also those that are over', async () => {
    const pulled = await pull({
      rules: rulesOf(rule()),
      series: (query) =>
        query.startsWith('ALERTS')
          ? [
              firing((at) =>
                at >= ONSET || (at >= ONSET - 1_200_000 && at < ONSET - 600_000) ? 1 : undefined,
              ),
            ]
          : [],
    })
    expect(pulled.alerts).toMatchObject([
      { name: 'HighErrorRate', fired_at: ONSET - 1_200_000, resolved_at: ONSET - 630_000, for_s: 120 },
      {
        name: 'HighErrorRate',
        service: 'checkout',
        severity: 'page',
        fired_at: ONSET,
        for_s: 120,
        summary: 'checkout 5xx ratio is 40%',
        detail: 'since the deploy',
        observed: 0.4,
        labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'page' },
      },
    ])
    expect(pulled.alerts[1]).not.toHaveProperty('resolved_at')
  })

  it('have their own expression asked without its comparison, and once more by one more label', async () => {
    const { queries, series } = await pull({
      rules: rulesOf(rule(), rule({ name: 'Quiet', state: 'inactive', query: 'quiet > 1', alerts: [] })),
      series: (query) =>
        query.includes('[20s]') ? [{ metric: { service: 'checkout' }, at: () => 0.4 }] : [],
    })
    const own = queries.filter((query) => query.includes('[20s]'))
    expect([...new Set(own)]).toEqual([
      'sum by (service) (rate(http_requests_total{code=~"5.."}[20s])) / sum by (service) (rate(http_requests_total[20s]))',
      'sum by (service, pod) (rate(http_requests_total{code=~"5.."}[20s])) / sum by (service, pod) (rate(http_requests_total[20s]))',
    ])
    expect(queries.some((query) => query.includes('quiet'))).toBe(false)
    // A share of calls is no number of them.
    expect(series[0]).toMatchObject({ entity: 'checkout', name: 'HighErrorRate', type: 'gauge' })
  })

  it('leave the number of calls to what counts them: a share that a rule watches is none', async () => {
    const {
      queries: _,
      server: __,
      ...pulled
    } = await pull({
      ...SHOP,
      rules: rulesOf(rule()),
      series: (query) =>
        query.includes('[20s]')
          ? [{ metric: { service: 'checkout' }, at: (at) => (at < ONSET ? 0.01 : 0.4) }]
          : shop(query),
    })
    const { series } = mergePulled(WINDOW, BASELINES, [pulled])
    expect(measuredCalls(series)('checkout')?.calls.name).toBe('http_requests_per_second')
  })

  it('are about what their alert is about where their expression keeps no label', async () => {
    const own = { ...rule(), query: 'sum(rate(errors_total{app="checkout"}[20s])) > 1' }
    const { series } = await pull({
      rules: rulesOf(own),
      series: (query) => (query.includes('[20s]') ? [{ metric: {}, at: () => 3 }] : []),
    })
    expect(series).toMatchObject([{ entity: 'checkout', name: 'errors_total', type: 'rate' }])
    const { series: two } = await pull({
      rules: rulesOf({ ...own, alerts: [...own.alerts, { labels: { service: 'cart' }, state: 'firing' }] }),
      series: (query) => (query.includes('[20s]') ? [{ metric: {}, at: () => 3 }] : []),
    })
    expect(two).toMatchObject([{ entity: 'unknown' }])
  })

  it('are about whom a measurer of many tells of, and not about that one', async () => {
    const scraped = { service: 'monitoring-kube-state-metrics', job: 'kube-state-metrics', namespace: 'shop' }
    const pulled = await pull({
      series: (query) =>
        query.startsWith('ALERTS')
          ? [{ ...firing(() => 1), metric: { ...firing(() => 1).metric, ...scraped, container: 'cart' } }]
          : [],
    })
    expect(pulled.alerts.map(({ service }) => service)).toEqual(['cart'])
  })

  it('of the asked service come first where there are too many', async () => {
    const other = (name: string) => rule({ name, query: `${name}_metric > 1`, alerts: null })
    const { queries, ...pulled } = await pull({
      rules: rulesOf(other('a'), other('b'), other('c'), rule({ query: 'z_metric > 1' })),
    })
    expect(queries.filter((query) => query.includes('_metric'))).toEqual(
      expect.arrayContaining(['z_metric', 'a_metric', 'b_metric']),
    )
    expect(queries).not.toContain('c_metric')
    expect(gapsOf(pulled)).toContain('Prometheus: expressions of 1 more alerts: 3 are asked.')
  })

  it('without rules, as behind a query frontend, are still told, and the gap is named', async () => {
    const pulled = await pull({
      rules: { status: 404, body: 'page not found' },
      series: (query) =>
        query.startsWith('ALERTS') ? [firing((at) => (at >= ONSET ? 1 : undefined), { priority: 'p1' })] : [],
    })
    expect(pulled.alerts).toMatchObject([{ name: 'HighErrorRate', fired_at: ONSET }])
    expect(gapsOf(pulled)).toContain(
      'Prometheus: rules of alerts: Prometheus does not know this request (status 404): page not found',
    )
  })
})

describe('settings of the names in a store', () => {
  it('put their own label before the usual ones', async () => {
    const pulled = await pull(
      {
        ...SHOP,
        labels: ['team_service', 'service'],
        series: (query) =>
          query.startsWith('sum by (team_service, service)')
            ? [{ metric: { team_service: 'till', service: 'x' }, at: () => 9 }]
            : [],
      },
      { service_label: 'team_service' },
    )
    expect(named(pulled, 'http_requests_per_second', 'till')).toBeDefined()
  })

  it('ask their own queries, posted where they are long', async () => {
    const long = `sum(${Array.from({ length: 100 }, (_, at) => `queue_depth_of_shard_${at}`).join(' + ')})`
    const { server, series } = await pull(
      {
        series: (query) => (query.includes('queue_depth') ? [{ metric: { job: 'till' }, at: () => 3 }] : []),
      },
      { queries: { queue_depth: long, broken: 7 } },
    )
    expect(series).toMatchObject([{ name: 'queue_depth', entity: 'till', query: long }])
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(3)
  })
})

describe('a store that gives too much or something else', () => {
  it('of too many series keeps the asked service and the highest, and says how many there were', async () => {
    const pulled = await pull({
      metrics: ['up'],
      series: (query) =>
        query.startsWith('min by')
          ? [
              ...Array.from({ length: 201 }, (_, at) => ({ metric: { service: `s${at}` }, at: () => at })),
              { metric: { service: 'checkout' }, at: () => -1 },
            ]
          : [],
    })
    const kept = pulled.series.map(({ entity }) => entity)
    expect([kept.length, kept.includes('checkout'), kept.includes('s200'), kept.includes('s1')]).toEqual([
      200,
      true,
      true,
      false,
    ])
    expect(gapsOf(pulled)).toContain(
      'Prometheus: up: 200 of 202 series are kept, those with the highest values.',
    )
    expect(pulled.sources.some(({ outcome }) => outcome === 'cut')).toBe(true)
  })

  it('passes on its warnings, and what it cannot evaluate is a gap with its own words', async () => {
    const pulled = await pull({
      metrics: ['up', 'process_open_fds', 'process_max_fds'],
      instead: ({ search }) => {
        const query = search.get('query') ?? ''
        if (query.startsWith('min by'))
          return {
            body: {
              status: 'success',
              warnings: ['a shard is away'],
              data: { resultType: 'matrix', result: [] },
            },
          }
        if (query.startsWith('max by'))
          return {
            status: 400,
            body: {
              status: 'error',
              errorType: 'bad_data',
              error: 'exceeded maximum resolution of 11,000 points',
            },
          }
        return undefined
      },
    })
    expect(gapsOf(pulled)).toEqual(
      expect.arrayContaining([
        'Prometheus: up: Prometheus warns: a shard is away',
        'Prometheus: process_open_fds_usage_ratio: Prometheus answers with status 400: exceeded maximum resolution of 11,000 points',
      ]),
    )
  })

  it('counts services before it fans out, and says when they are too many', async () => {
    const pulled = await pull({
      metrics: ['http_requests_total'],
      instead: ({ search }) =>
        search.get('query')?.startsWith('count(count by') === true
          ? {
              body: {
                status: 'success',
                data: { resultType: 'vector', result: [{ metric: {}, value: [1, '5000'] }] },
              },
            }
          : undefined,
    })
    expect(gapsOf(pulled)).toContain(
      'Prometheus: number of services in http_requests_total: 5000 groups; of each query 200 series are kept.',
    )
  })

  it('asks no more than it may', async () => {
    const { server } = await pull({
      metrics: (await import('#shared/adapters/tools/prometheus-queries.ts')).KNOWN_METRICS,
      rules: rulesOf(rule()),
    })
    expect(server.seen.length).toBeLessThanOrEqual(100)
  })
})
