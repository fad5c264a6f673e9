/**
 * What is asked of a metrics store without any configuration, as plain data.
 *
 * Sources of the names: OpenTelemetry semantic conventions for HTTP metrics; the client libraries' middleware for
 * Prometheus; Micrometer; go-grpc-prometheus; Istio, Linkerd, ingress-nginx and Envoy documentation; the span metrics
 * and service graph connectors of the OpenTelemetry collector and Tempo; kube-state-metrics, cAdvisor, node exporter,
 * blackbox exporter.
 */

/** Labels to group by, as they stand in `by (…)`, and the width of rates. */
export interface Grouping {
  readonly by: string
  readonly rate: string
}

/** One query and what its series are. */
export interface MetricQuery {
  readonly name: string
  readonly type: 'rate' | 'gauge'
  readonly unit?: string
  /** All of these have to exist. */
  readonly needs: readonly string[]
  readonly query: (grouping: Grouping) => string
  /** The label whose value names what a series is about, where it is no service. */
  readonly entity?: string
  /** Labels to keep besides those that name the service. */
  readonly keep?: readonly string[]
}

/** A family of metrics that counts requests to a service. */
export interface RequestFamily {
  /** A counter of requests. */
  readonly count: string
  /** Selectors of failed ones, one for each name that the label has in the wild. */
  readonly failed: readonly string[]
  /** Buckets of their durations. */
  readonly bucket?: string
  /** Seconds in one unit of the buckets. */
  readonly seconds?: number
  /** Labels of this family that name the service, given the usual names. */
  readonly rename?: Readonly<Record<string, string>>
}

const byStatus = (label: string): string => `${label}=~"5.."`

/** Families of request metrics, the surest first: of a service's several families the first one is used. */
export const REQUEST_FAMILIES: readonly RequestFamily[] = [
  {
    count: 'http_server_request_duration_seconds_count',
    bucket: 'http_server_request_duration_seconds_bucket',
    failed: [byStatus('http_response_status_code'), byStatus('status_code')],
  },
  {
    count: 'http_server_duration_milliseconds_count',
    bucket: 'http_server_duration_milliseconds_bucket',
    seconds: 0.001,
    failed: [byStatus('http_status_code'), byStatus('http_response_status_code')],
  },
  {
    count: 'http_requests_total',
    bucket: 'http_request_duration_seconds_bucket',
    failed: [byStatus('code'), byStatus('status'), byStatus('status_code')],
  },
  {
    count: 'http_request_duration_seconds_count',
    bucket: 'http_request_duration_seconds_bucket',
    failed: [byStatus('code'), byStatus('status'), byStatus('status_code')],
  },
  {
    count: 'http_server_requests_seconds_count',
    bucket: 'http_server_requests_seconds_bucket',
    failed: [byStatus('status')],
  },
  {
    count: 'grpc_server_handled_total',
    bucket: 'grpc_server_handling_seconds_bucket',
    failed: ['grpc_code=~"Unknown|DeadlineExceeded|Internal|Unavailable|DataLoss|ResourceExhausted"'],
  },
  {
    count: 'istio_requests_total',
    bucket: 'istio_request_duration_milliseconds_bucket',
    seconds: 0.001,
    failed: [byStatus('response_code')],
    rename: { destination_workload: 'service', destination_workload_namespace: 'namespace' },
  },
  {
    count: 'response_total',
    bucket: 'response_latency_ms_bucket',
    seconds: 0.001,
    failed: ['classification="failure"'],
  },
  {
    count: 'nginx_ingress_controller_requests',
    bucket: 'nginx_ingress_controller_request_duration_seconds_bucket',
    failed: [byStatus('status')],
    rename: { exported_service: 'service', exported_namespace: 'namespace' },
  },
  {
    count: 'envoy_cluster_upstream_rq_xx',
    bucket: 'envoy_cluster_upstream_rq_time_bucket',
    seconds: 0.001,
    failed: ['envoy_response_code_class="5"'],
    rename: { envoy_cluster_name: 'service' },
  },
  {
    count: 'traces_spanmetrics_calls_total',
    bucket: 'traces_spanmetrics_latency_bucket',
    failed: ['status_code="STATUS_CODE_ERROR"'],
  },
  {
    count: 'calls_total',
    bucket: 'duration_milliseconds_bucket',
    seconds: 0.001,
    failed: ['status_code="STATUS_CODE_ERROR"'],
  },
]

/** The queries of a family, for the families and buckets that exist. */
export function queriesOf(family: RequestFamily, has: (metric: string) => boolean): readonly MetricQuery[] {
  const { count, failed, bucket, seconds = 1 } = family
  const all = ({ by, rate }: Grouping) => `sum by (${by}) (rate(${count}[${rate}]))`
  // Where nothing has ever failed there is no series of failures: that is none, not unknown.
  const errors = (grouping: Grouping) => {
    const parts = failed.map((selector) => `rate(${count}{${selector}}[${grouping.rate}])`)
    return `(sum by (${grouping.by}) (${parts.join(' or ')}) or 0 * ${all(grouping)})`
  }
  const quantile = (share: string): MetricQuery => ({
    name: `http_latency_p${share.slice(2).padEnd(2, '0')}_seconds`,
    type: 'gauge',
    unit: 's',
    needs: [bucket ?? ''],
    query: ({ by, rate }) => {
      const value = `histogram_quantile(${share}, sum by (${by}, le) (rate(${bucket}[${rate}])))`
      return seconds === 1 ? value : `${value} * ${seconds}`
    },
  })
  return [
    { name: 'http_requests_per_second', type: 'rate', unit: '1/s', needs: [count], query: all },
    { name: 'http_errors_per_second', type: 'rate', unit: '1/s', needs: [count], query: errors },
    {
      name: 'http_error_ratio',
      type: 'gauge',
      unit: '1',
      needs: [count],
      query: (grouping) => `${errors(grouping)} / ${all(grouping)}`,
    },
    ...(bucket !== undefined && has(bucket) ? [quantile('0.95'), quantile('0.5')] : []),
  ]
}

/** Queries of a family that daily and weekly habits are told by. */
export const SEASONAL = ['http_requests_per_second', 'http_error_ratio', 'http_latency_p95_seconds']

const CONTAINER = 'namespace, pod, container'

/** Saturation and state, each asked only where its metrics exist, the most telling first. */
export const SATURATION: readonly MetricQuery[] = [
  {
    name: 'up',
    type: 'gauge',
    needs: ['up'],
    query: ({ by }) => `min by (${by}, instance) (up)`,
    keep: ['instance'],
  },
  {
    name: 'probe_success',
    type: 'gauge',
    needs: ['probe_success'],
    query: ({ by }) => `min by (${by}, instance) (probe_success)`,
    keep: ['instance'],
  },
  {
    name: 'certificate_seconds_until_expiry',
    type: 'gauge',
    unit: 's',
    needs: ['probe_ssl_earliest_cert_expiry'],
    query: ({ by }) => `min by (${by}, instance) (probe_ssl_earliest_cert_expiry) - time()`,
    keep: ['instance'],
  },
  {
    name: 'node_disk_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'],
    query: () =>
      '1 - max by (instance, mountpoint) (node_filesystem_avail_bytes{fstype!~"tmpfs|overlay|squashfs|ramfs"} / node_filesystem_size_bytes{fstype!~"tmpfs|overlay|squashfs|ramfs"})',
    entity: 'instance',
    keep: ['mountpoint'],
  },
  {
    name: 'container_restarts',
    type: 'gauge',
    needs: ['kube_pod_container_status_restarts_total'],
    query: ({ rate }) =>
      `sum by (namespace, container) (increase(kube_pod_container_status_restarts_total[${rate}]))`,
  },
  {
    name: 'container_last_terminated',
    type: 'gauge',
    needs: ['kube_pod_container_status_last_terminated_reason'],
    query: () => 'sum by (namespace, container, reason) (kube_pod_container_status_last_terminated_reason)',
    keep: ['reason'],
  },
  {
    name: 'container_memory_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_memory_working_set_bytes', 'kube_pod_container_resource_limits'],
    query: () =>
      `max by (namespace, container) (sum by (${CONTAINER}) (container_memory_working_set_bytes{container!=""}) / sum by (${CONTAINER}) (kube_pod_container_resource_limits{resource="memory"}))`,
  },
  {
    name: 'container_cpu_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_cpu_usage_seconds_total', 'kube_pod_container_resource_limits'],
    query: ({ rate }) =>
      `max by (namespace, container) (sum by (${CONTAINER}) (rate(container_cpu_usage_seconds_total{container!=""}[${rate}])) / sum by (${CONTAINER}) (kube_pod_container_resource_limits{resource="cpu"}))`,
  },
  {
    name: 'container_cpu_throttled_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_cpu_cfs_throttled_periods_total', 'container_cpu_cfs_periods_total'],
    query: ({ rate }) =>
      `sum by (namespace, container) (rate(container_cpu_cfs_throttled_periods_total{container!=""}[${rate}])) / sum by (namespace, container) (rate(container_cpu_cfs_periods_total{container!=""}[${rate}]))`,
  },
  {
    name: 'deployment_available_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['kube_deployment_status_replicas_available', 'kube_deployment_spec_replicas'],
    query: () =>
      'max by (namespace, deployment) (kube_deployment_status_replicas_available) / max by (namespace, deployment) (kube_deployment_spec_replicas)',
  },
  {
    name: 'autoscaler_replicas_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: [
      'kube_horizontalpodautoscaler_status_current_replicas',
      'kube_horizontalpodautoscaler_spec_max_replicas',
    ],
    query: () =>
      'max by (namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_current_replicas) / max by (namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_spec_max_replicas)',
    entity: 'horizontalpodautoscaler',
  },
  {
    name: 'node_conditions_unhealthy',
    type: 'gauge',
    needs: ['kube_node_status_condition'],
    query: () =>
      'max by (node, condition) (kube_node_status_condition{condition!="Ready",status="true"} or 1 - kube_node_status_condition{condition="Ready",status="true"})',
    entity: 'node',
    keep: ['condition'],
  },
  {
    name: 'node_cpu_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_cpu_seconds_total'],
    query: ({ rate }) => `1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[${rate}]))`,
    entity: 'instance',
  },
  {
    name: 'node_memory_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes'],
    query: () =>
      '1 - max by (instance) (node_memory_MemAvailable_bytes) / max by (instance) (node_memory_MemTotal_bytes)',
    entity: 'instance',
  },
  {
    name: 'process_cpu_usage_cores',
    type: 'gauge',
    needs: ['process_cpu_seconds_total'],
    query: ({ by, rate }) => `max by (${by}) (rate(process_cpu_seconds_total[${rate}]))`,
  },
  {
    name: 'process_memory_usage_bytes',
    type: 'gauge',
    unit: 'By',
    needs: ['process_resident_memory_bytes'],
    query: ({ by }) => `max by (${by}) (process_resident_memory_bytes)`,
  },
  {
    name: 'process_open_fds_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['process_open_fds', 'process_max_fds'],
    query: ({ by }) => `max by (${by}) (process_open_fds / process_max_fds)`,
  },
  {
    name: 'event_loop_lag_seconds',
    type: 'gauge',
    unit: 's',
    needs: ['nodejs_eventloop_lag_seconds'],
    query: ({ by }) => `max by (${by}) (nodejs_eventloop_lag_seconds)`,
  },
  {
    name: 'gc_time_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['jvm_gc_pause_seconds_sum'],
    query: ({ by, rate }) => `max by (${by}) (rate(jvm_gc_pause_seconds_sum[${rate}]))`,
  },
  {
    name: 'connection_pool_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['hikaricp_connections_active', 'hikaricp_connections_max'],
    query: ({ by }) => `max by (${by}) (hikaricp_connections_active / hikaricp_connections_max)`,
  },
  {
    name: 'connection_pool_pending',
    type: 'gauge',
    needs: ['hikaricp_connections_pending'],
    query: ({ by }) => `max by (${by}) (hikaricp_connections_pending)`,
  },
  {
    name: 'queue_lag',
    type: 'gauge',
    needs: ['kafka_consumergroup_lag'],
    query: () => 'sum by (consumergroup, topic) (kafka_consumergroup_lag)',
    entity: 'consumergroup',
    keep: ['topic'],
  },
  {
    name: 'queue_messages_ready_backlog',
    type: 'gauge',
    needs: ['rabbitmq_queue_messages_ready'],
    query: () => 'sum by (queue) (rabbitmq_queue_messages_ready)',
    entity: 'queue',
  },
  {
    name: 'dns_failures_per_second',
    type: 'rate',
    unit: '1/s',
    needs: ['coredns_dns_responses_total'],
    query: ({ rate }) =>
      `sum by (rcode) (rate(coredns_dns_responses_total{rcode=~"SERVFAIL|REFUSED"}[${rate}])) or 0 * sum(rate(coredns_dns_responses_total[${rate}]))`,
    keep: ['rcode'],
  },
]

/** Calls of one service to another: who calls, who is called, how often, how often in vain, how long. */
export interface EdgeFamily {
  readonly calls: string
  readonly failed: string
  readonly caller: string
  readonly callee: string
  /** Sum and count of latencies; the sum in this many milliseconds. */
  readonly latency?: { readonly sum: string; readonly count: string; readonly milliseconds: number }
}

export const EDGE_FAMILIES: readonly EdgeFamily[] = [
  {
    calls: 'traces_service_graph_request_total',
    failed: 'traces_service_graph_request_failed_total',
    caller: 'client',
    callee: 'server',
    latency: {
      sum: 'traces_service_graph_request_server_seconds_sum',
      count: 'traces_service_graph_request_server_seconds_count',
      milliseconds: 1000,
    },
  },
  {
    calls: 'istio_requests_total',
    failed: 'istio_requests_total{response_code=~"5.."}',
    caller: 'source_workload',
    callee: 'destination_workload',
    latency: {
      sum: 'istio_request_duration_milliseconds_sum',
      count: 'istio_request_duration_milliseconds_count',
      milliseconds: 1,
    },
  },
]

/** Labels whose new value means that something was put in place. */
export const VERSIONS: readonly {
  readonly needs: string
  readonly label: string
  readonly query: (by: string) => string
}[] = [
  {
    needs: 'kube_pod_container_info',
    label: 'image',
    query: () => 'count by (namespace, container, image) (kube_pod_container_info)',
  },
  {
    needs: 'build_info',
    label: 'version',
    query: (by) => `count by (${by}, version) (build_info)`,
  },
  {
    needs: 'app_build_info',
    label: 'version',
    query: (by) => `count by (${by}, version) (app_build_info)`,
  },
  {
    needs: 'target_info',
    label: 'service_version',
    query: (by) => `count by (${by}, service_version) (target_info)`,
  },
]

const bare = (metric: string): string => metric.replace(/\{.*$/, '')

/** Every metric that any query needs. */
export const KNOWN_METRICS: readonly string[] = [
  ...new Set([
    ...REQUEST_FAMILIES.flatMap(({ count, bucket }) => [count, ...(bucket === undefined ? [] : [bucket])]),
    ...SATURATION.flatMap(({ needs }) => needs),
    ...EDGE_FAMILIES.flatMap(({ calls, failed, latency }) => [
      bare(calls),
      bare(failed),
      ...(latency === undefined ? [] : [latency.sum, latency.count]),
    ]),
    ...VERSIONS.map(({ needs }) => needs),
    'process_start_time_seconds',
  ]),
].sort()
