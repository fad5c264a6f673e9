/**
 * One incident as the tools of three teams would measure it, in the names and labels of their conventions: `orders` is
 * deployed, its store has no connections left, and `web`, which asks it, fails with it.
 */

const MINUTE_MS = 60_000
const TO = Date.parse('2026-03-10T12:00:00Z')
export const WINDOW = { from: TO - 20 * MINUTE_MS, to: TO }
export const BASELINES = [{ name: 'b1', from: TO - 50 * MINUTE_MS, to: TO - 25 * MINUTE_MS }]
/** When the new version of orders begins to run, and when calls begin to fail. */
const DEPLOYED = TO - 9 * MINUTE_MS
export const ONSET = TO - 8 * MINUTE_MS
/** When counters began. */
const BEGAN = TO - 120 * MINUTE_MS

/** One sample of a metrics store. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
type Labels = Sample['labels']

const sample = (name: string, labels: Labels, value: number): Sample => ({ name, labels, value })

/** A total at an instant of what comes so often in a second before the onset, and since. */
function total(at: number, before: number, since: number): number {
  const calm = (Math.min(at, ONSET) - BEGAN) / 1000
  const bad = Math.max(0, at - ONSET) / 1000
  // Traffic breathes a little: what never varies would make any move a large one.
  return Math.round(calm * before + bad * since + before * 2 * Math.sin(at / 97_000))
}

/** Calls that are counted by how they end. */
interface Counted {
  readonly at: number
  readonly perSecond: number
  /** Share that fails since the onset. */
  readonly failing: number
}
const ended = (
  name: string,
  labels: Labels,
  status: { readonly label: string; readonly ok: string; readonly bad: string },
  { at, perSecond, failing }: Counted,
): Sample[] => [
  sample(name, { ...labels, [status.label]: status.ok }, total(at, perSecond, perSecond * (1 - failing))),
  ...(at < ONSET
    ? []
    : [
        sample(
          name,
          { ...labels, [status.label]: status.bad },
          Math.round(((at - ONSET) / 1000) * perSecond * failing),
        ),
      ]),
]

/** Buckets of calls that take `fast` of the first, and since the onset a share that takes longer than all but the last. */
const buckets = (
  name: string,
  labels: Labels,
  bounds: readonly number[],
  { at, perSecond, failing }: Counted,
): Sample[] =>
  [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    const isLast = index === bounds.length
    const fast = index === 0 ? 0.5 : 1
    const share = isLast ? 1 : fast * (1 - failing)
    return sample(
      name,
      { ...labels, le: isLast ? '+Inf' : String(bound) },
      total(at, perSecond * fast, perSecond * share),
    )
  })

const up = (job: string, labels: Labels = {}): Sample =>
  sample('up', { job, instance: `${job}:8080`, ...labels }, 1)

/** Which version of orders runs, where two labels of one series tell it apart. */
const versions = (
  at: number,
  name: string,
  label: string,
  of: (version: string) => string,
  labels: Labels,
) => [
  ...(at < DEPLOYED + MINUTE_MS ? [sample(name, { ...labels, [label]: of('1.8.0') }, 1)] : []),
  ...(at >= DEPLOYED ? [sample(name, { ...labels, [label]: of('1.9.0') }, 1)] : []),
]

/** The last minute in which an alert fires. */
const alert = (at: number, labels: Labels): Sample[] =>
  at < ONSET + 3 * MINUTE_MS
    ? []
    : [sample('ALERTS', { alertname: 'WebFails', alertstate: 'firing', severity: 'page', ...labels }, 1)]

/**
 * Span metrics and service graphs of the collector's connectors, in their own names.
 * @see https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/connector/spanmetricsconnector
 */
function spanMetrics(at: number): readonly Sample[] {
  const spans = (service: string, kind: string, perSecond: number, failing: number): Sample[] => {
    const labels = { job: 'otel-collector', service_name: service, span_kind: `SPAN_KIND_${kind}` }
    const status = { label: 'status_code', ok: 'STATUS_CODE_UNSET', bad: 'STATUS_CODE_ERROR' }
    const counted = { at, perSecond, failing }
    return [
      ...ended('traces_span_metrics_calls_total', labels, status, counted),
      ...buckets('traces_span_metrics_duration_milliseconds_bucket', labels, [50, 250, 2500], counted),
    ]
  }
  const calls = (client: string, server: string, perSecond: number, failing: number, more: Labels = {}) => {
    const labels = { job: 'otel-collector', client, server, ...more }
    return [
      sample('traces_service_graph_request_total', labels, total(at, perSecond, perSecond)),
      sample('traces_service_graph_request_failed_total', labels, total(at, 0, perSecond * failing)),
    ]
  }
  return [
    up('otel-collector'),
    ...spans('web', 'SERVER', 20, 0.4),
    ...spans('web', 'CLIENT', 20, 0.4),
    ...spans('orders', 'SERVER', 20, 0.4),
    ...spans('orders', 'CLIENT', 40, 0.3),
    ...spans('orders', 'INTERNAL', 60, 0),
    ...spans('catalogue', 'SERVER', 20, 0),
    ...calls('web', 'orders', 20, 0.4),
    ...calls('web', 'catalogue', 20, 0),
    ...calls('orders', 'orders-db', 40, 0.3, { connection_type: 'database' }),
    ...versions(at, 'target_info', 'service_version', (version) => version, {
      job: 'orders',
      service_name: 'orders',
    }),
    ...alert(at, { service_name: 'web' }),
  ]
}

/**
 * A mesh whose proxies count each call on both sides, services of Spring Boot without buckets, and a store behind the
 * exporter that Helm puts beside it.
 */
function springInMesh(at: number): readonly Sample[] {
  const proxied = (source: string, destination: string, perSecond: number, failing: number): Sample[] =>
    ['source', 'destination'].flatMap((reporter) => {
      const labels = {
        job: 'kubernetes-pods',
        namespace: 'shop',
        reporter,
        source_workload: source,
        destination_workload: destination,
        destination_workload_namespace: 'shop',
      }
      const counted = { at, perSecond, failing }
      return [
        ...ended('istio_requests_total', labels, { label: 'response_code', ok: '200', bad: '503' }, counted),
        ...buckets('istio_request_duration_milliseconds_bucket', labels, [50, 250, 2500], counted),
      ]
    })
  const measured = (app: string, perSecond: number, failing: number): Sample[] => {
    const labels = { job: 'kubernetes-pods', app, namespace: 'shop', instance: `${app}:8080` }
    const counted = { at, perSecond, failing }
    const status = { label: 'status', ok: '200', bad: '500' }
    const seconds = failing > 0 ? 0.9 : 0.04
    return [
      up('kubernetes-pods', { app, namespace: 'shop', instance: `${app}:8080` }),
      ...ended('http_server_requests_seconds_count', labels, status, counted),
      sample(
        'http_server_requests_seconds_sum',
        { ...labels, status: '200' },
        total(at, perSecond * 0.04, perSecond * seconds),
      ),
      sample(
        'http_server_requests_seconds_max',
        { ...labels, status: '200' },
        at < ONSET ? 0.2 : 0.2 + failing * 5,
      ),
    ]
  }
  const used = at < ONSET ? 40 + Math.round(3 * Math.sin(at / 71_000)) : 100
  const store = {
    job: 'orders-db-metrics',
    service: 'orders-db-metrics',
    namespace: 'shop',
    instance: '10.0.0.9:9187',
  }
  return [
    ...proxied('istio-ingressgateway', 'web', 20, 0.4),
    ...proxied('web', 'orders', 20, 0.4),
    ...proxied('web', 'catalogue', 20, 0),
    ...measured('orders', 20, 0.4),
    ...measured('catalogue', 20, 0),
    up('orders-db-metrics', store),
    sample('pg_up', store, 1),
    sample('pg_stat_activity_count', { ...store, datname: 'orders', state: 'active' }, used),
    sample('pg_settings_max_connections', { ...store, server: 'localhost:5432' }, 100),
    sample(
      'hikaricp_connections_pending',
      { job: 'kubernetes-pods', app: 'orders', namespace: 'shop', pool: 'main' },
      at < ONSET ? 0 : 25,
    ),
    ...versions(at, 'kube_pod_container_info', 'image', (version) => `registry.example/orders:${version}`, {
      job: 'kube-state-metrics',
      namespace: 'shop',
      container: 'orders',
    }),
    ...alert(at, { app: 'web', namespace: 'shop' }),
  ]
}

/** An ingress scraped by annotations, a mesh that counts both directions under the workload that has them, and Redis. */
function behindIngress(at: number): readonly Sample[] {
  const labels = { job: 'kubernetes-pods', app_kubernetes_io_name: 'ingress-nginx' }
  const counted = { at, perSecond: 20, failing: 0.4 }
  const proxied = (
    deployment: string,
    direction: string,
    perSecond: number,
    failing: number,
    more: Labels = {},
  ) => {
    const own = { job: 'linkerd-proxy', namespace: 'shop', deployment, direction, ...more }
    const status = { label: 'classification', ok: 'success', bad: 'failure' }
    return ended('response_total', own, status, { at, perSecond, failing })
  }
  const store = { job: 'redis', instance: 'redis://orders-cache:6379' }
  return [
    up('kubernetes-pods'),
    up('linkerd-proxy'),
    ...ended(
      'nginx_ingress_controller_requests',
      { ...labels, namespace: 'shop', service: 'web', ingress: 'shop' },
      { label: 'status', ok: '200', bad: '502' },
      counted,
    ),
    ...proxied('orders', 'inbound', 20, 0.4),
    ...proxied('orders', 'outbound', 20, 0, { dst_deployment: 'catalogue' }),
    ...proxied('catalogue', 'inbound', 20, 0),
    ...proxied('web', 'outbound', 20, 0.4, { dst_deployment: 'orders' }),
    sample('redis_up', store, 1),
    sample('redis_connected_clients', store, at < ONSET ? 120 + Math.round(9 * Math.sin(at / 71_000)) : 1000),
    sample('redis_config_maxclients', store, 1000),
    ...versions(at, 'kube_pod_container_info', 'image', (version) => `registry.example/orders:${version}`, {
      job: 'kube-state-metrics',
      namespace: 'shop',
      container: 'orders',
    }),
    ...alert(at, { service: 'web', namespace: 'shop' }),
  ]
}

/** By the name of the recording. */
export const CONVENTIONS: Readonly<Record<string, (at: number) => readonly Sample[]>> = {
  'span-metrics': spanMetrics,
  'spring-in-mesh': springInMesh,
  'behind-ingress': behindIngress,
}
