/**
 * What is asked of a metrics store without any configuration, as plain data.
 *
 * Sources of the names: OpenTelemetry semantic conventions for HTTP metrics; the client libraries' middleware for
 * Prometheus; Micrometer; go-grpc-prometheus; Istio, Linkerd, ingress-nginx, Traefik and Envoy documentation; the span
 * metrics and service graph connectors of the OpenTelemetry collector and Tempo; kube-state-metrics, cAdvisor, node
 * exporter, blackbox exporter; the exporters of PostgreSQL, MySQL, Redis and MongoDB.
 */

/** Labels to group by, as they stand in `by (…)`, and the width of rates. */
export interface Grouping {
  readonly by: string
  /** Those of them that tell where something runs, each followed by a comma, to stand before other labels. */
  readonly place: string
  readonly rate: string
}

/** One query and what its series are. */
export interface MetricQuery {
  readonly name: string
  readonly type: 'rate' | 'gauge'
  readonly unit?: string
  /** All of these have to exist. */
  readonly needs: readonly string[]
  /** At least one of these has to exist, where several name the same in ways of their own. */
  readonly some?: readonly string[]
  readonly query: (grouping: Grouping) => string
  /** The label whose value names what a series is about, where it is no service. */
  readonly entity?: string
  /** Measured by an exporter, about the store that it looks at. */
  readonly is_of_store?: boolean
  /** Labels to keep besides those that name the service. */
  readonly keep?: readonly string[]
}

/** By which label calls of a family say that they failed, and the values (a regular expression) that say so. */
type Failed = readonly [label: string, values: string]

/** A family of metrics that counts requests to a service. */
export interface RequestFamily {
  /** A counter of requests. */
  readonly count: string
  /** How failed ones are told, one for each name that the label has in the wild. */
  readonly failed: readonly Failed[]
  /** A selector of the calls that the service is asked for, where the family counts those that it makes as well. */
  readonly served?: string
  /** The label that says which side of a call counted it, where both do. */
  readonly reporter?: string
  /** Buckets of their durations. */
  readonly bucket?: string
  /** Sum of their durations, where their number is `count`: a mean is told where there are no buckets. */
  readonly sum?: string
  /** Seconds in one unit of the durations. */
  readonly seconds?: number
  /** Labels of this family that name the service, given the usual names; of those of one name the first that is there. */
  readonly rename?: Readonly<Record<string, string>>
}

const FAILED_STATUS = '5..'
const byStatus = (...labels: readonly string[]): readonly Failed[] =>
  labels.map((label) => [label, FAILED_STATUS])

/** Statuses of gRPC that tell of the server, by name and by number. @see https://grpc.io/docs/guides/status-codes/ */
const GRPC_FAILED = 'Unknown|DeadlineExceeded|Internal|Unavailable|DataLoss|ResourceExhausted'
const GRPC_FAILED_NUMBERS = '2|4|8|13|14|15'
const GRPC_FAILED_NAMES = 'UNKNOWN|DEADLINE_EXCEEDED|INTERNAL|UNAVAILABLE|DATA_LOSS|RESOURCE_EXHAUSTED'

/**
 * Spans of all kinds are counted under the name of the service that made them: what it asks of others, and what it does
 * inside, are no calls of it.
 */
const SERVED_SPANS = 'span_kind!~"SPAN_KIND_(CLIENT|PRODUCER|INTERNAL)"'
const FAILED_SPANS: readonly Failed[] = [['status_code', 'STATUS_CODE_ERROR']]

/** Behind an operator's monitor of a service, the ingress' own labels are `exported_…`. */
const INGRESS = {
  exported_service: 'service',
  service: 'service',
  exported_namespace: 'namespace',
  namespace: 'namespace',
}

/** Families of request metrics, the surest first: of a service's several families the first one is used. */
export const REQUEST_FAMILIES: readonly RequestFamily[] = [
  // https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpserverrequestduration
  {
    count: 'http_server_request_duration_seconds_count',
    bucket: 'http_server_request_duration_seconds_bucket',
    sum: 'http_server_request_duration_seconds_sum',
    failed: byStatus('http_response_status_code', 'status_code'),
  },
  // https://opentelemetry.io/docs/specs/semconv/non-normative/http-migration/ (http.server.duration, in milliseconds)
  {
    count: 'http_server_duration_milliseconds_count',
    bucket: 'http_server_duration_milliseconds_bucket',
    sum: 'http_server_duration_milliseconds_sum',
    seconds: 0.001,
    failed: byStatus('http_status_code', 'http_response_status_code'),
  },
  // The same from exporters that add no unit.
  {
    count: 'http_server_duration_count',
    bucket: 'http_server_duration_bucket',
    sum: 'http_server_duration_sum',
    seconds: 0.001,
    failed: byStatus('http_status_code', 'http_response_status_code'),
  },
  {
    count: 'http_requests_total',
    bucket: 'http_request_duration_seconds_bucket',
    failed: byStatus('code', 'status', 'status_code'),
  },
  {
    count: 'http_request_duration_seconds_count',
    bucket: 'http_request_duration_seconds_bucket',
    sum: 'http_request_duration_seconds_sum',
    failed: byStatus('code', 'status', 'status_code'),
  },
  // https://docs.spring.io/spring-boot/reference/actuator/metrics.html (no buckets unless they are asked for)
  {
    count: 'http_server_requests_seconds_count',
    bucket: 'http_server_requests_seconds_bucket',
    sum: 'http_server_requests_seconds_sum',
    failed: byStatus('status'),
  },
  // https://github.com/prometheus-net/prometheus-net#aspnet-core-http-request-metrics
  {
    count: 'http_requests_received_total',
    bucket: 'http_request_duration_seconds_bucket',
    failed: byStatus('code'),
  },
  // https://github.com/rycus86/prometheus_flask_exporter
  {
    count: 'flask_http_request_duration_seconds_count',
    bucket: 'flask_http_request_duration_seconds_bucket',
    sum: 'flask_http_request_duration_seconds_sum',
    failed: byStatus('status'),
  },
  {
    count: 'grpc_server_handled_total',
    bucket: 'grpc_server_handling_seconds_bucket',
    failed: [['grpc_code', GRPC_FAILED]],
  },
  // https://opentelemetry.io/docs/specs/semconv/rpc/rpc-metrics/
  {
    count: 'rpc_server_call_duration_seconds_count',
    bucket: 'rpc_server_call_duration_seconds_bucket',
    sum: 'rpc_server_call_duration_seconds_sum',
    failed: [['rpc_response_status_code', GRPC_FAILED_NAMES]],
  },
  {
    count: 'rpc_server_duration_milliseconds_count',
    bucket: 'rpc_server_duration_milliseconds_bucket',
    sum: 'rpc_server_duration_milliseconds_sum',
    seconds: 0.001,
    failed: [['rpc_grpc_status_code', GRPC_FAILED_NUMBERS]],
  },
  // https://istio.io/latest/docs/reference/config/metrics/ (reporter: both sides count a call that both have a proxy for)
  {
    count: 'istio_requests_total',
    bucket: 'istio_request_duration_milliseconds_bucket',
    seconds: 0.001,
    reporter: 'reporter',
    failed: byStatus('response_code'),
    rename: { destination_workload: 'service', destination_workload_namespace: 'namespace' },
  },
  // https://linkerd.io/2-edge/reference/proxy-metrics/ (direction: outbound is what a workload asks of others)
  {
    count: 'response_total',
    bucket: 'response_latency_ms_bucket',
    seconds: 0.001,
    served: 'direction!="outbound"',
    failed: [['classification', 'failure']],
  },
  // https://kubernetes.github.io/ingress-nginx/user-guide/monitoring/
  {
    count: 'nginx_ingress_controller_requests',
    bucket: 'nginx_ingress_controller_request_duration_seconds_bucket',
    failed: byStatus('status'),
    rename: INGRESS,
  },
  // https://doc.traefik.io/traefik/reference/install-configuration/observability/metrics/
  {
    count: 'traefik_service_requests_total',
    bucket: 'traefik_service_request_duration_seconds_bucket',
    failed: byStatus('code'),
    rename: INGRESS,
  },
  {
    count: 'envoy_cluster_upstream_rq_xx',
    bucket: 'envoy_cluster_upstream_rq_time_bucket',
    seconds: 0.001,
    failed: [['envoy_response_code_class', '5']],
    rename: { envoy_cluster_name: 'service' },
  },
  // https://grafana.com/docs/tempo/latest/metrics-from-traces/span-metrics/
  {
    count: 'traces_spanmetrics_calls_total',
    bucket: 'traces_spanmetrics_latency_bucket',
    served: SERVED_SPANS,
    failed: FAILED_SPANS,
  },
  // https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/connector/spanmetricsconnector
  {
    count: 'traces_span_metrics_calls_total',
    bucket: 'traces_span_metrics_duration_milliseconds_bucket',
    seconds: 0.001,
    served: SERVED_SPANS,
    failed: FAILED_SPANS,
  },
  {
    count: 'traces_span_metrics_calls_total',
    bucket: 'traces_span_metrics_duration_seconds_bucket',
    served: SERVED_SPANS,
    failed: FAILED_SPANS,
  },
  {
    count: 'calls_total',
    bucket: 'duration_milliseconds_bucket',
    seconds: 0.001,
    served: SERVED_SPANS,
    failed: FAILED_SPANS,
  },
]

/** Families of which there are metrics; of those that count the same, the one whose durations there are. */
export function familiesOf(has: (metric: string) => boolean): readonly RequestFamily[] {
  const found = REQUEST_FAMILIES.filter(({ count }) => has(count))
  const isTimed = ({ bucket, sum }: RequestFamily): boolean => [bucket, sum].some((one) => has(one ?? ''))
  return found.filter((family) => {
    const same = found.filter(({ count }) => count === family.count)
    return family === (same.find(isTimed) ?? same[0])
  })
}

/** The queries of a family, for the families and durations that exist. */
export function queriesOf(family: RequestFamily, has: (metric: string) => boolean): readonly MetricQuery[] {
  const { count, failed, served, reporter, bucket, sum, seconds = 1 } = family
  const picked = (metric: string, ...selectors: readonly string[]): string => {
    const all = [...(served === undefined ? [] : [served]), ...selectors].join(',')
    return all === '' ? metric : `${metric}{${all}}`
  }
  // Where both sides counted a call, it was one: who was not reached counted none, who is outside of the mesh neither.
  const added = ({ by }: Grouping, rates: string): string =>
    reporter === undefined
      ? `sum by (${by}) (${rates})`
      : `max by (${by}) (sum by (${by}, ${reporter}) (${rates}))`
  const rated = (metric: string, { rate }: Grouping): string => `rate(${metric}[${rate}])`
  const rates = (selectors: readonly string[], grouping: Grouping): string =>
    selectors.map((selector) => rated(picked(count, selector), grouping)).join(' or ')
  const all = (grouping: Grouping) => added(grouping, rated(picked(count), grouping))
  // Where nothing has ever failed there is no series of failures: that is none, not unknown, of who tells how calls end.
  const errors = (grouping: Grouping) => {
    const bad = failed.map(([label, values]) => `${label}=~"${values}"`)
    const told = failed.map(([label]) => `${label}!=""`)
    return `(${added(grouping, rates(bad, grouping))} or 0 * ${added(grouping, rates(told, grouping))})`
  }
  const inSeconds = (value: string): string => (seconds === 1 ? value : `${value} * ${seconds}`)
  const quantile = (share: string): MetricQuery => ({
    name: `http_latency_p${share.slice(2).padEnd(2, '0')}_seconds`,
    type: 'gauge',
    unit: 's',
    needs: [bucket ?? ''],
    query: (grouping) => {
      const by = reporter === undefined ? grouping.by : `${grouping.by}, ${reporter}`
      const value = `histogram_quantile(${share}, sum by (${by}, le) (${rated(picked(bucket ?? ''), grouping)}))`
      return inSeconds(reporter === undefined ? value : `max by (${grouping.by}) (${value})`)
    },
  })
  const mean: MetricQuery = {
    name: 'http_latency_mean_seconds',
    type: 'gauge',
    unit: 's',
    needs: [sum ?? ''],
    query: (grouping) =>
      inSeconds(`${added(grouping, rated(picked(sum ?? ''), grouping))} / ${all(grouping)}`),
  }
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
    ...(has(bucket ?? '') ? [quantile('0.95'), quantile('0.5')] : []),
    ...(has(sum ?? '') ? [mean] : []),
  ]
}

/** Queries of a family that daily and weekly habits are told by. */
export const SEASONAL = [
  'http_requests_per_second',
  'http_error_ratio',
  'http_latency_p95_seconds',
  'http_latency_mean_seconds',
]

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
  // https://github.com/prometheus-community/postgres_exporter, https://github.com/prometheus/mysqld_exporter,
  // https://github.com/oliver006/redis_exporter, https://github.com/percona/mongodb_exporter
  {
    name: 'database_up',
    type: 'gauge',
    needs: [],
    some: ['pg_up', 'mysql_up', 'redis_up', 'mongodb_up'],
    query: ({ by }) => `min by (${by}, instance) (pg_up or mysql_up or redis_up or mongodb_up)`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'database_connections_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: [],
    some: [
      'pg_stat_activity_count',
      'pg_settings_max_connections',
      'mysql_global_status_threads_connected',
      'mysql_global_variables_max_connections',
      'redis_connected_clients',
      'redis_config_maxclients',
    ],
    query: ({ by }) =>
      [
        `sum by (${by}, instance) (pg_stat_activity_count) / max by (${by}, instance) (pg_settings_max_connections)`,
        `max by (${by}, instance) (mysql_global_status_threads_connected / mysql_global_variables_max_connections)`,
        `max by (${by}, instance) (redis_connected_clients / redis_config_maxclients)`,
      ].join(' or '),
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'database_oldest_transaction_age_seconds',
    type: 'gauge',
    unit: 's',
    needs: ['pg_stat_activity_max_tx_duration'],
    query: ({ by }) => `max by (${by}, instance) (pg_stat_activity_max_tx_duration)`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'database_deadlocks_per_second',
    type: 'rate',
    unit: '1/s',
    needs: ['pg_stat_database_deadlocks'],
    query: ({ by, rate }) => `sum by (${by}, instance) (rate(pg_stat_database_deadlocks[${rate}]))`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'replication_lag_seconds',
    type: 'gauge',
    unit: 's',
    needs: [],
    some: [
      'pg_replication_lag_seconds',
      'mysql_slave_status_seconds_behind_master',
      'mysql_slave_status_seconds_behind_source',
    ],
    query: ({ by }) =>
      `max by (${by}, instance) (pg_replication_lag_seconds or mysql_slave_status_seconds_behind_master or mysql_slave_status_seconds_behind_source)`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'redis_memory_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['redis_memory_used_bytes', 'redis_memory_max_bytes'],
    // Without a limit it says 0.
    query: ({ by }) => `max by (${by}, instance) (redis_memory_used_bytes / (redis_memory_max_bytes > 0))`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'redis_evictions_per_second',
    type: 'rate',
    unit: '1/s',
    needs: ['redis_evicted_keys_total'],
    query: ({ by, rate }) => `sum by (${by}, instance) (rate(redis_evicted_keys_total[${rate}]))`,
    is_of_store: true,
    keep: ['instance'],
  },
  {
    name: 'node_disk_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'],
    query: ({ place }) =>
      `1 - max by (${place}instance, mountpoint) (node_filesystem_avail_bytes{fstype!~"tmpfs|overlay|squashfs|ramfs"} / node_filesystem_size_bytes{fstype!~"tmpfs|overlay|squashfs|ramfs"})`,
    entity: 'instance',
    keep: ['mountpoint'],
  },
  {
    name: 'container_restarts',
    type: 'gauge',
    needs: ['kube_pod_container_status_restarts_total'],
    query: ({ place, rate }) =>
      `sum by (${place}namespace, container) (increase(kube_pod_container_status_restarts_total[${rate}]))`,
  },
  {
    name: 'container_last_terminated',
    type: 'gauge',
    needs: ['kube_pod_container_status_last_terminated_reason'],
    query: ({ place }) =>
      `sum by (${place}namespace, container, reason) (kube_pod_container_status_last_terminated_reason)`,
    keep: ['reason'],
  },
  {
    name: 'container_memory_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_memory_working_set_bytes', 'kube_pod_container_resource_limits'],
    query: ({ place }) =>
      `max by (${place}namespace, container) (sum by (${place}${CONTAINER}) (container_memory_working_set_bytes{container!=""}) / sum by (${place}${CONTAINER}) (kube_pod_container_resource_limits{resource="memory"}))`,
  },
  {
    name: 'container_cpu_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_cpu_usage_seconds_total', 'kube_pod_container_resource_limits'],
    query: ({ place, rate }) =>
      `max by (${place}namespace, container) (sum by (${place}${CONTAINER}) (rate(container_cpu_usage_seconds_total{container!=""}[${rate}])) / sum by (${place}${CONTAINER}) (kube_pod_container_resource_limits{resource="cpu"}))`,
  },
  {
    name: 'container_cpu_throttled_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['container_cpu_cfs_throttled_periods_total', 'container_cpu_cfs_periods_total'],
    query: ({ place, rate }) =>
      `sum by (${place}namespace, container) (rate(container_cpu_cfs_throttled_periods_total{container!=""}[${rate}])) / sum by (${place}namespace, container) (rate(container_cpu_cfs_periods_total{container!=""}[${rate}]))`,
  },
  {
    name: 'deployment_available_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['kube_deployment_status_replicas_available', 'kube_deployment_spec_replicas'],
    query: ({ place }) =>
      `max by (${place}namespace, deployment) (kube_deployment_status_replicas_available) / max by (${place}namespace, deployment) (kube_deployment_spec_replicas)`,
  },
  {
    name: 'autoscaler_replicas_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: [
      'kube_horizontalpodautoscaler_status_current_replicas',
      'kube_horizontalpodautoscaler_spec_max_replicas',
    ],
    query: ({ place }) =>
      `max by (${place}namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_status_current_replicas) / max by (${place}namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_spec_max_replicas)`,
    entity: 'horizontalpodautoscaler',
  },
  {
    name: 'node_conditions_unhealthy',
    type: 'gauge',
    needs: ['kube_node_status_condition'],
    query: ({ place }) =>
      `max by (${place}node, condition) (kube_node_status_condition{condition!="Ready",status="true"} or 1 - kube_node_status_condition{condition="Ready",status="true"})`,
    entity: 'node',
    keep: ['condition'],
  },
  {
    name: 'node_cpu_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_cpu_seconds_total'],
    query: ({ place, rate }) =>
      `1 - avg by (${place}instance) (rate(node_cpu_seconds_total{mode="idle"}[${rate}]))`,
    entity: 'instance',
  },
  {
    name: 'node_memory_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes'],
    query: ({ place }) =>
      `1 - max by (${place}instance) (node_memory_MemAvailable_bytes) / max by (${place}instance) (node_memory_MemTotal_bytes)`,
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
    needs: [],
    some: ['jvm_gc_pause_seconds_sum', 'jvm_gc_duration_seconds_sum'],
    query: ({ by, rate }) =>
      `max by (${by}) (rate(jvm_gc_pause_seconds_sum[${rate}]) or rate(jvm_gc_duration_seconds_sum[${rate}]))`,
  },
  // https://docs.micrometer.io/micrometer/reference/reference/jvm.html (-1 where there is no limit)
  {
    name: 'heap_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['jvm_memory_used_bytes', 'jvm_memory_max_bytes'],
    query: ({ by }) =>
      `max by (${by}) (sum by (${by}, instance) (jvm_memory_used_bytes{area="heap"}) / sum by (${by}, instance) (jvm_memory_max_bytes{area="heap"} > 0))`,
  },
  {
    name: 'thread_pool_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: ['tomcat_threads_busy_threads', 'tomcat_threads_config_max_threads'],
    query: ({ by }) => `max by (${by}) (tomcat_threads_busy_threads / tomcat_threads_config_max_threads)`,
  },
  // https://opentelemetry.io/docs/specs/semconv/database/database-metrics/#connection-pools, and its earlier names
  // https://pkg.go.dev/github.com/prometheus/client_golang/prometheus/collectors#NewDBStatsCollector
  {
    name: 'connection_pool_usage_ratio',
    type: 'gauge',
    unit: '1',
    needs: [],
    some: [
      'hikaricp_connections_active',
      'hikaricp_connections_max',
      'db_client_connection_count',
      'db_client_connection_max',
      'db_client_connections_usage',
      'db_client_connections_max',
      'go_sql_in_use_connections',
      'go_sql_max_open_connections',
    ],
    query: ({ by }) =>
      [
        `max by (${by}) (hikaricp_connections_active / hikaricp_connections_max)`,
        `sum by (${by}) (db_client_connection_count{db_client_connection_state="used"}) / sum by (${by}) (db_client_connection_max)`,
        `sum by (${by}) (db_client_connections_usage{state="used"}) / sum by (${by}) (db_client_connections_max)`,
        `max by (${by}) (go_sql_in_use_connections / (go_sql_max_open_connections > 0))`,
      ].join(' or '),
  },
  {
    name: 'connection_pool_pending',
    type: 'gauge',
    needs: [],
    some: [
      'hikaricp_connections_pending',
      'db_client_connection_pending_requests',
      'db_client_connections_pending_requests',
    ],
    query: ({ by }) =>
      `max by (${by}) (hikaricp_connections_pending or db_client_connection_pending_requests or db_client_connections_pending_requests)`,
  },
  {
    name: 'queue_lag',
    type: 'gauge',
    needs: ['kafka_consumergroup_lag'],
    query: ({ place }) => `sum by (${place}consumergroup, topic) (kafka_consumergroup_lag)`,
    entity: 'consumergroup',
    keep: ['topic'],
  },
  {
    name: 'queue_messages_ready_backlog',
    type: 'gauge',
    needs: ['rabbitmq_queue_messages_ready'],
    query: ({ place }) => `sum by (${place}queue) (rabbitmq_queue_messages_ready)`,
    entity: 'queue',
  },
  {
    name: 'dns_failures_per_second',
    type: 'rate',
    unit: '1/s',
    needs: ['coredns_dns_responses_total'],
    query: ({ place, rate }) =>
      `sum by (${place}rcode) (rate(coredns_dns_responses_total{rcode=~"SERVFAIL|REFUSED"}[${rate}])) or 0 * sum(rate(coredns_dns_responses_total[${rate}]))`,
    keep: ['rcode'],
  },
]

/** Calls of one service to another: who calls, who is called, how often, how often in vain, how long. */
export interface EdgeFamily {
  readonly calls: string
  readonly failed: string
  readonly caller: string
  readonly callee: string
  /** The label that says which side of a call counted it, where both do. */
  readonly reporter?: string
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
    reporter: 'reporter',
    latency: {
      sum: 'istio_request_duration_milliseconds_sum',
      count: 'istio_request_duration_milliseconds_count',
      milliseconds: 1,
    },
  },
  // https://linkerd.io/2-edge/reference/proxy-metrics/ (dst_deployment of outbound responses)
  {
    calls: 'response_total{direction="outbound"}',
    failed: 'response_total{direction="outbound",classification="failure"}',
    caller: 'deployment',
    callee: 'dst_deployment',
    latency: {
      sum: 'response_latency_ms_sum{direction="outbound"}',
      count: 'response_latency_ms_count{direction="outbound"}',
      milliseconds: 1,
    },
  },
]

/** Labels whose new value means that something was put in place. */
export const VERSIONS: readonly {
  readonly needs: string
  readonly label: string
  readonly query: (grouping: Grouping) => string
}[] = [
  {
    needs: 'kube_pod_container_info',
    label: 'image',
    query: ({ place }) => `count by (${place}namespace, container, image) (kube_pod_container_info)`,
  },
  {
    needs: 'build_info',
    label: 'version',
    query: ({ by }) => `count by (${by}, version) (build_info)`,
  },
  {
    needs: 'app_build_info',
    label: 'version',
    query: ({ by }) => `count by (${by}, version) (app_build_info)`,
  },
  {
    needs: 'target_info',
    label: 'service_version',
    query: ({ by }) => `count by (${by}, service_version) (target_info)`,
  },
]

/** The name of a metric without selectors. */
export const bare = (metric: string): string => metric.replace(/\{.*$/, '')

/** Every metric that any query needs. */
export const KNOWN_METRICS: readonly string[] = [
  ...new Set([
    ...REQUEST_FAMILIES.flatMap(({ count, bucket, sum }) =>
      [count, bucket, sum].filter((one) => one !== undefined),
    ),
    ...SATURATION.flatMap(({ needs, some = [] }) => [...needs, ...some]),
    ...EDGE_FAMILIES.flatMap(({ calls, failed, latency }) => [
      bare(calls),
      bare(failed),
      ...(latency === undefined ? [] : [bare(latency.sum), bare(latency.count)]),
    ]),
    ...VERSIONS.map(({ needs }) => needs),
    'process_start_time_seconds',
  ]),
].sort()
