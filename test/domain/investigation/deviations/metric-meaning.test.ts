import { describe, expect, it } from 'vitest'
import {
  countsInstances,
  countsRetries,
  isDemand,
  isStore,
  isTimeLeft,
  queueStateOf,
  readMetricName,
  storeStateOf,
  storeWorkOf,
} from '#shared/domain/investigation/deviations/metric-meaning.ts'

describe('reading what a series measures from its name', () => {
  it('tells counts of what is tried again from all others', () => {
    for (const name of ['http_client_retries_per_second', 'tcp_retransmits_total'])
      expect(countsRetries(name)).toBe(true)
    for (const name of ['http_requests_per_second', 'retriesless', 'max_retry_delay'])
      expect(countsRetries(name)).toBe(false)
  })

  it.each([
    'node_uptime_seconds',
    'sysUpTime',
    'uptime',
    'process_start_time_seconds',
    'node_boot_time_seconds',
    'kube_cronjob_status_last_schedule_time',
    'cronjob_last_success_timestamp_seconds',
    'job_last_failure_timestamp_seconds',
    'last_successful_backup_time',
  ])('takes %s, an instant or the time since one, for no level that harms', (name) => {
    expect(readMetricName(name)).toEqual({
      ...{ meaning: 'other', bad: null, weight: 0, resource: null, is_demand: false },
    })
  })

  it('takes what share of a time something ran, and how old what waits is, for levels', () => {
    for (const name of ['uptime_ratio', 'monitor_uptime_percent', 'up'])
      expect(readMetricName(name)).toMatchObject({ meaning: 'availability', bad: 'down' })
    // Nobody waits for how old a copy is, and somebody for what waits in a queue.
    for (const name of ['backup_age_seconds', 'list_age_seconds', 'cache_staleness_seconds'])
      expect(readMetricName(name)).toMatchObject({ meaning: 'latency', bad: 'up', weight: 0.7 })
    for (const name of ['queue_oldest_message_age_seconds', 'consumer_lag_seconds'])
      expect(readMetricName(name)).toMatchObject({ meaning: 'latency', bad: 'up', weight: 1 })
    expect(readMetricName('response_time')).toMatchObject({ meaning: 'latency', bad: 'up' })
  })

  it.each([
    ['http_server_5xx_rate', 'errors', 'up'],
    ['grpc_server_handled_errors_total', 'errors', 'up'],
    ['http_server_request_duration_seconds', 'latency', 'up'],
    ['kafka_consumer_lag', 'latency', 'up'],
    ['queue_oldest_message_age_seconds', 'latency', 'up'],
    ['db_oldest_transaction_age_seconds', 'saturation', 'up'],
    ['longest_xact_ms', 'saturation', 'up'],
    ['transaction_duration_ms', 'latency', 'up'],
    ['HTTPCode_Target_5XX_Count', 'errors', 'up'],
    ['Http5xx', 'errors', 'up'],
    ['5XXError', 'errors', 'up'],
    ['http_request_duration_seconds_count', 'throughput', 'down'],
    ['rpc_latency_count', 'throughput', 'down'],
    ['response_total', 'throughput', 'down'],
    ['http_request_duration_seconds_sum', 'other', null],
    ['db_wait_count', 'latency', 'up'],
    // The highest of times that were measured is one of them, and no limit of them.
    ['http_server_requests_seconds_max', 'latency', 'up'],
    ['hikaricp_connections_acquire_seconds_max', 'latency', 'up'],
    ['request_duration_max_ms', 'latency', 'up'],
    ['latency_max', 'latency', 'up'],
    ['aws.applicationelb.target_response_time.maximum', 'latency', 'up'],
    ['MaxOffsetLag', 'latency', 'up'],
    ['AuroraReplicaLagMaximum', 'latency', 'up'],
    ['kafka_consumer_fetch_manager_records_lag_max', 'latency', 'up'],
    ['jvm_gc_pause_seconds_max', 'saturation', 'up'],
    ['max_lag_threshold', 'setting', null],
    ['max_allowed_latency', 'setting', null],
    ['max_retention_seconds', 'setting', null],
    ['session_idle_seconds_max', 'setting', null],
    ['connection_lifetime_max_seconds', 'setting', null],
    ['jvm_memory_max_bytes', 'setting', null],
    ['hikaricp_connections_max', 'setting', null],
    ['max_response_size_bytes', 'setting', null],
    ['trace.flask.request.hits', 'throughput', 'down'],
    ['trace.flask.request.errors', 'errors', 'up'],
    ['trace.flask.request.latency_p95', 'latency', 'up'],
    ['trace_cache_hits', 'availability', 'down'],
    ['availability', 'availability', 'down'],
    ['cache_hit_ratio', 'availability', 'down'],
    ['CPUUtilization', 'saturation', 'up'],
    ['FreeableMemory', 'saturation', 'down'],
    ['FreeStorageSpace', 'saturation', 'down'],
    ['db_pool_in_use', 'saturation', 'up'],
    ['consumed_write_capacity', 'saturation', 'up'],
    ['provisioned_write_capacity', 'setting', null],
    ['db_pool_max_conns', 'setting', null],
    ['requests_per_second', 'throughput', 'down'],
    ['tls_cert_seconds_until_expiry', 'expiry', null],
    ['ssl_certificate_days_remaining', 'expiry', null],
    ['certUntilSeconds', 'expiry', null],
    ['credential_remaining_seconds', 'expiry', null],
    ['vault_token_ttl', 'expiry', null],
    ['licence_days_left', 'expiry', null],
    ['jwt_secret_not_after', 'expiry', null],
    // What a bucket of tokens, a lease of nothing or a budget has left is no time.
    ['llm_tokens_remaining', 'saturation', 'down'],
    ['free_credit_remaining_seconds', 'saturation', 'down'],
    ['weather', 'other', null],
    // A word counts whole: what only begins or ends like it is another one.
    ['errorless', 'other', null],
    ['terror', 'other', null],
    ['uptown', 'other', null],
    ['backup', 'other', null],
    ['maximal', 'other', null],
    ['climax', 'other', null],
    ['reused', 'other', null],
    ['usefulness', 'other', null],
    ['delayed', 'other', null],
    ['forms', 'other', null],
    ['loader', 'other', null],
    ['reload', 'other', null],
    ['recount', 'other', null],
    ['counted', 'other', null],
    ['carefree', 'other', null],
    ['freedom', 'other', null],
    ['HTTPErrors', 'errors', 'up'],
    ['http2Errors', 'errors', 'up'],
    ['x__errors', 'errors', 'up'],
    ['cert_not_after', 'expiry', null],
    ['certNotAfter', 'expiry', null],
    ['certificate_days_remaining', 'expiry', null],
  ])('%s is %s', (name, meaning, bad) => {
    expect(readMetricName(name)).toMatchObject({ meaning, bad })
  })

  it.each([
    ['cpu_seconds', 'cpu'],
    ['cores', 'cpu'],
    ['cpus', null],
    ['vcpu', null],
    ['memory_bytes', 'memory'],
    ['memorys', null],
    ['inmemory', null],
    ['disk_bytes', 'disk'],
    ['diskette', null],
    ['ramdisk', null],
    ['connections', 'connections'],
    ['connectionless', null],
    ['reconnections', null],
    ['network_bytes', 'network'],
    ['networking', null],
    ['subnetwork', null],
  ])('%s is of %s', (name, resource) => {
    expect(readMetricName(name).resource).toBe(resource)
  })

  it.each([
    // As clouds, exporters and agents name them; the words of each mislead who takes them one by one.
    ['UnHealthyHostCount', 'errors', 'up'],
    ['aws.applicationelb.un_healthy_host_count', 'errors', 'up'],
    ['PacketsDropCount', 'errors', 'up'],
    ['SpilloverCount', 'errors', 'up'],
    ['WriteProvisionedThroughputExceeded', 'errors', 'up'],
    ['bw_in_allowance_exceeded', 'errors', 'up'],
    ['node_network_receive_errs_total', 'errors', 'up'],
    ['node_network_receive_drop_total', 'errors', 'up'],
    ['node_netstat_TcpExt_ListenOverflows', 'errors', 'up'],
    ['node_netstat_Tcp_RetransSegs', 'errors', 'up'],
    ['envoy_cluster_upstream_rq_pending_overflow', 'errors', 'up'],
    ['coredns_forward_healthcheck_broken_total', 'errors', 'up'],
    ['UnderReplicatedPartitions', 'errors', 'up'],
    ['kafka_server_replicamanager_underreplicatedpartitions', 'errors', 'up'],
    ['kafka_controller_offlinepartitionscount', 'errors', 'up'],
    ['kube_pod_status_unschedulable', 'errors', 'up'],
    ['system.paging.faults', 'other', null],
    ['node_vmstat_pgmajfault', 'other', null],
    ['netstat_tcp_time_wait', 'other', null],
    ['node_memory_MemAvailable_bytes', 'saturation', 'down'],
    ['node_filesystem_avail_bytes', 'saturation', 'down'],
    ['kubelet_volume_stats_available_bytes', 'saturation', 'down'],
    ['system.mem.usable', 'saturation', 'down'],
    ['resilience4j_bulkhead_available_concurrent_calls', 'saturation', 'down'],
    ['kube_deployment_status_replicas_available', 'availability', 'down'],
    ['pg_stat_activity_count', 'saturation', 'up'],
    ['pg_stat_activity_max_tx_duration', 'saturation', 'up'],
    ['cloudsql.googleapis.com/database/postgresql/num_backends', 'saturation', 'up'],
    ['redis_connected_clients', 'saturation', 'up'],
    ['node_nf_conntrack_entries', 'saturation', 'up'],
    ['node_load1', 'saturation', 'up'],
    ['dtu_consumption_percent', 'saturation', 'up'],
    ['usedmemorypercentage', 'saturation', 'up'],
    ['http_requests_in_progress', 'saturation', 'up'],
    ['rabbitmq_queue_messages_ready', 'saturation', 'up'],
    ['ApproximateNumberOfMessagesVisible', 'saturation', 'up'],
    ['mysql_slave_status_seconds_behind_master', 'latency', 'up'],
    ['MillisBehindLatest', 'latency', 'up'],
    ['pgbouncer_pools_client_maxwait_seconds', 'latency', 'up'],
    ['pg_database_size_bytes', 'other', null],
    ['storage.googleapis.com/api/request_count', 'throughput', 'down'],
    // Of what an exporter of CloudWatch gives the statistic is the last word, and no limit.
    ['aws_rds_cpuutilization_average', 'saturation', 'up'],
    ['aws_rds_cpuutilization_maximum', 'saturation', 'up'],
    ['aws_rds_database_connections_maximum', 'saturation', 'up'],
    ['aws_applicationelb_httpcode_target_5_xx_count_sum', 'errors', 'up'],
    ['aws_sqs_approximate_age_of_oldest_message_maximum', 'latency', 'up'],
    ['db_connections_maximum', 'setting', null],
  ])('reads the public name %s as %s', (name, meaning, bad) => {
    expect(readMetricName(name)).toMatchObject({ meaning, bad })
  })

  it('takes neither requests that are under way nor the host of a cloud for demand or a resource', () => {
    expect(isDemand('http_requests_in_progress')).toBe(false)
    // A cache asks its origin for what it has not.
    expect(isDemand('cdn_origin_requests_per_second')).toBe(false)
    expect(isDemand('grpc_server_handled_total')).toBe(true)
    expect(readMetricName('storage.googleapis.com/api/request_count').resource).toBeNull()
    expect(readMetricName('aws_ec2_cpucredit_balance_average').resource).toBe('cpu')
    expect(storeStateOf('node_nf_conntrack_entries')).toBeNull()
  })

  it('takes a pool of machines neither for connections nor for what users feel', () => {
    expect(readMetricName('node_pool_nodes_ready')).toMatchObject({
      ...{ meaning: 'availability', bad: 'down', weight: 0.7, resource: null },
    })
    expect(readMetricName('worker_machines_pool_available').resource).toBeNull()
    expect(readMetricName('nodes_cpu').resource).toBe('cpu')
    expect(readMetricName('db_pool_ready')).toMatchObject({ weight: 0.9, resource: 'connections' })
    expect(readMetricName('pods_ready').weight).toBe(0.7)
  })

  it('takes what is found in a cache for no share of answers: what is missed there is asked behind it, and answered', () => {
    for (const name of ['content_cache_hit_ratio', 'CacheHits'])
      expect(readMetricName(name)).toMatchObject({ meaning: 'availability', bad: 'down', weight: 0.7 })
    for (const name of ['success_ratio', 'hitting_ready', 'whit_up'])
      expect(readMetricName(name).weight).toBe(0.9)
  })

  it('weighs errors of a resource less than errors of requests', () => {
    expect(readMetricName('http_errors').weight).toBe(1)
    expect(readMetricName('disk_errors').weight).toBe(1)
    expect(readMetricName('cpu_throttled').weight).toBe(0.7)
    expect(readMetricName('oom_killed_memory').weight).toBe(0.7)
    // What is sent again or asked again is no failed answer yet.
    expect(readMetricName('node_netstat_Tcp_RetransSegs_retransmits').weight).toBe(0.7)
    expect(readMetricName('node_network_receive_errs_errors').weight).toBe(0.7)
    expect(readMetricName('interface_dropped_packets').weight).toBe(0.7)
    expect(readMetricName('http_client_retries_total').weight).toBe(0.7)
    // Nor is what a client, a handshake or a probe met.
    for (const name of [
      'http_client_responses_4xx',
      'outbound_errors',
      'tls_handshake_errors',
      'probe_failures',
    ])
      expect(readMetricName(name).weight).toBe(0.7)
    expect(readMetricName('http_server_responses_4xx').weight).toBe(1)
    expect(readMetricName('messages_dropped_total').weight).toBe(1)
    expect(readMetricName('connection_errors_total').weight).toBe(1)
  })

  it('tells the resource', () => {
    expect(readMetricName('node_memory_utilization_ratio').resource).toBe('memory')
    expect(readMetricName('disk_used_percent').resource).toBe('disk')
    expect(readMetricName('http_5xx').resource).toBeNull()
  })

  it('tells demand from calls that a service makes itself', () => {
    expect(isDemand('http_requests_per_second')).toBe(true)
    expect(isDemand('NewSessions_rps')).toBe(true)
    expect(isDemand('outbound_requests_per_second')).toBe(false)
    expect(isDemand('db_queries_per_request')).toBe(false)
    expect(isDemand('disk_used_percent')).toBe(false)
    expect(isDemand('request_rps')).toBe(false)
    expect(isDemand('request')).toBe(false)
    expect(isDemand('bookings_calls')).toBe(true)
    expect(isDemand('recalls')).toBe(false)
    for (const name of [
      'requests_in_flight',
      'http_requests_waiting',
      'active_requests',
      'calls_outstanding',
    ])
      expect([name, isDemand(name)]).toEqual([name, false])
    expect(isDemand('callsign')).toBe(false)
  })

  it('takes requests that were chosen inside for no demand, and those that all are for it', () => {
    for (const name of [
      'sampled_requests_per_second',
      'cached_requests_total',
      'traced_calls',
      'mirrored_rps',
    ])
      expect([name, isDemand(name)]).toEqual([name, false])
    for (const name of [
      'received_requests_total',
      'HandledCalls',
      'served_rps',
      'speed_requests',
      'feed_orders',
    ])
      expect([name, isDemand(name)]).toEqual([name, true])
  })

  it.each([
    'http_requests_total',
    'requests_per_second',
    'requests_per_seconds',
    'IncomingRecords',
    'RequestCount',
    'request_total',
    // Of a histogram one member counts, whatever it measures.
    'http_server_requests_seconds_count',
    'requests_duration_seconds_count',
    'requests_bytes_count',
    'http_request_duration_seconds_count',
    'http_server_duration_milliseconds_count',
    'grpc_server_handling_seconds_count',
    // API Gateway's.
    'Count',
    'real_time_orders_total',
    // Datadog's.
    'trace.flask.request.hits',
    'trace.flask.request.hits.by_http_status',
  ])('counts %s for demand', (name) => {
    expect(isDemand(name)).toBe(true)
  })

  it.each([
    ['how large they are', ['requests_bytes', 'requests_bytes_total', 'requests_size', 'IncomingBytes']],
    [
      'how long they take',
      ['requests_duration', 'http_server_requests_seconds_sum', 'calls_ms', 'requests_time', 'orders_age'],
    ],
    ['how many of them fail', ['requests_failed_total', 'calls_errors_count', 'http_requests_5xx']],
    ['a share of them', ['requests_ratio', 'calls_percent']],
    ['how many may come', ['requests_limit', 'max_rps']],
    ['the longest of them', ['http_server_requests_seconds_max']],
    [
      'what a container requests of its machine',
      ['kube_pod_container_resource_requests', 'cpu_requests', 'memory_requests_bytes'],
    ],
    ['how many the service makes itself', ['http_client_request_duration_seconds_count']],
    [
      'how many of something else were timed',
      ['gc_pause_seconds_count', 'job_duration_seconds_count', 'pod_count'],
    ],
    [
      'one of them',
      ['request', 'request_bytes_total', 'request_count_per_call_db', 'outbound_request_total'],
    ],
  ])('is not told by %s', (_what, names) => {
    for (const name of names) expect([name, isDemand(name)]).toEqual([name, false])
  })

  it('is told by whole words', () => {
    expect(isDemand('interdb_calls')).toBe(true)
    expect(isDemand('clientele_calls')).toBe(true)
  })

  it('tells the state of a store that others lean on', () => {
    expect(storeStateOf('memcached_current_items')).toBe('kept')
    expect(storeStateOf('CurrItems')).toBe('kept')
    expect(storeStateOf('redis_db_keys')).toBe('kept')
    expect(storeStateOf('redis_db_keys_expiring')).toBeNull()
    expect(storeStateOf('items_per_second')).toBeNull()
    expect(storeStateOf('CacheHitRate')).toBe('found')
    expect(storeStateOf('keyspace_misses')).toBe('found')
    expect(storeStateOf('cache_hits')).toBeNull()
    expect(storeStateOf('Evictions')).toBe('pushed_out')
    expect(storeStateOf('evicted_keys_total')).toBe('pushed_out')
    expect(storeStateOf('kubelet_evictions')).toBeNull()
    expect(storeStateOf('evicted_pods')).toBeNull()
    expect(storeStateOf('AuroraReplicaLag')).toBe('behind')
    expect(storeStateOf('mysql_slave_status_seconds_behind_master')).toBe('behind')
    expect(storeStateOf('consumer_lag')).toBeNull()
    expect(storeStateOf('queue_items')).toBeNull()
  })

  it('tells the work of a store, and what only stores measure', () => {
    for (const name of [
      'db_sessions_waiting_for_lock',
      'innodb_row_lock_current_waits',
      'BlockedTransactions_blocked',
    ])
      expect(storeWorkOf(name)).toBe('waits')
    for (const name of [
      'pg_stat_user_tables_seq_scan',
      'mysql_rows_read',
      'pg_blks_hit',
      'docsExamined_docs_examined',
    ])
      expect(storeWorkOf(name)).toBe('works')
    for (const name of ['clock_offset', 'network_bytes_read', 'rows', 'db_connections_open', 'full_gc_count'])
      expect(storeWorkOf(name)).toBeNull()
    expect(isStore('pg_stat_activity_count')).toBe(true)
    expect(isStore('aurora_cpu')).toBe(true)
    expect(isStore('db_pool_connections_open')).toBe(false)
    expect(isStore('db_client_operation_duration')).toBe(false)
    expect(isStore('http_requests_total')).toBe(false)
  })

  it('tells the state of a queue', () => {
    expect(queueStateOf('ApproximateAgeOfOldestMessage')).toBe('waits')
    expect(queueStateOf('rabbitmq_queue_messages_unacked')).toBe('waits')
    expect(queueStateOf('kafka_consumergroup_lag')).toBe('waits')
    expect(queueStateOf('payments_dlq_messages')).toBe('set_aside')
    expect(queueStateOf('dead_letter_count')).toBe('set_aside')
    expect(queueStateOf('messages_sent_per_second')).toBeNull()
    expect(queueStateOf('certificate_age_days')).toBeNull()
  })

  it('answers the same after its memory was emptied', () => {
    const before = readMetricName('http_5xx_ratio')
    expect(readMetricName('http_5xx_ratio')).toBe(before)
    for (let index = 0; index < 6_000; index++) readMetricName(`made_up_${index}`)
    expect(readMetricName('http_5xx_ratio')).toEqual(before)
    expect(readMetricName('http_5xx_ratio')).not.toBe(before)
  })
})

describe('what waits', () => {
  it('is a resource that fills, and no throughput', () => {
    for (const name of ['worker_requests_waiting', 'redis_blocked_clients', 'calls_outstanding'])
      expect([name, readMetricName(name)]).toMatchObject([name, { meaning: 'saturation', bad: 'up' }])
  })
})

describe('a word of a name', () => {
  const meaning = (name: string) => readMetricName(name).meaning
  /** What is so by a word in a place of a name, and is not by a longer word that only holds it. */
  const TABLE: readonly (readonly [
    what: string,
    is: (name: string) => boolean,
    name: string,
    words: string,
  ])[] = [
    ['counts what is tried again', countsRetries, '_', 'retries retransmits'],
    [
      ...(['counts instances', countsInstances, 'current _'] as const),
      'restart restarts replica replicas pod pods nodes machines evicted unready',
    ],
    [
      ...(['is met on the way', (name: string) => readMetricName(name).weight < 1, '_ errors'] as const),
      'client outbound outgoing handshake handshakes probe probes prober',
    ],
    [
      'is no connection',
      (name: string) => readMetricName(name).resource === null,
      '_ pool',
      'nodes machines',
    ],
    [
      ...(['is open', (name: string) => meaning(name) === 'saturation', '_ age'] as const),
      'transaction transactions xact xacts txn txns',
    ],
    [
      'is open for',
      (name: string) => meaning(name) === 'saturation',
      'transaction _ ms',
      'age oldest longest',
    ],
    ['collects garbage', (name: string) => meaning(name) === 'saturation', '_ ms', 'gc garbage'],
    [
      ...(['is valid for a time', isTimeLeft, '_ ttl'] as const),
      'cert certs certificate certificates credential credentials token tokens secret secrets license licences',
    ],
    [
      ...(['is valid yet', isTimeLeft, 'credential _ seconds'] as const),
      'remaining left until ttl validity lifetime',
    ],
    [
      ...(['is a time', isTimeLeft, 'credential remaining _'] as const),
      'second seconds sec s minute minutes hour hours day days time ttl until lifetime',
    ],
    ['is a certificate', isTimeLeft, '_ remaining', 'cert certs certificate certificates'],
    ['is left of a certificate', isTimeLeft, 'cert _', 'remaining until days'],
    ['is kept', (name: string) => storeStateOf(name) === 'kept', '_', 'item items keys entries'],
    [
      ...(['is no stock', (name: string) => storeStateOf(name) !== 'kept', 'items _'] as const),
      'reclaimed scanned processed hit hits per rate sec second seconds total read reads written writes lookup lookups max limit locked lock size bytes',
    ],
    ['is not found', (name: string) => storeStateOf(name) === 'found', '_', 'miss misses missed'],
    ['is found', (name: string) => storeStateOf(name) === 'found', '_ ratio', 'hit hits'],
    [
      ...(['is a share', (name: string) => storeStateOf(name) === 'found', 'hit _'] as const),
      'ratio rate percent percentage pct',
    ],
    [
      'is pushed out',
      (name: string) => storeStateOf(name) === 'pushed_out',
      '_',
      'eviction evictions evicted',
    ],
    [
      ...(['is moved', (name: string) => storeStateOf(name) === null, 'evictions _'] as const),
      'pod pods container containers workload workloads node nodes kubelet connection connections',
    ],
    [
      ...(['is a copy', (name: string) => storeStateOf(name) === 'behind', '_ lag'] as const),
      'replica replicas replication slave slaves standby secondary follower master primary wal replay apply oplog',
    ],
    [
      ...(['is behind', (name: string) => storeStateOf(name) === 'behind', 'replica _'] as const),
      'lag behind delay staleness',
    ],
    [
      ...(['is a queue', (name: string) => queueStateOf(name) === 'waits', '_ depth'] as const),
      'queue queues topic subscription consumer consumergroup message messages sqs kafka rabbitmq amqp job jobs backlog',
    ],
    [
      ...(['waits', (name: string) => queueStateOf(name) === 'waits', 'queue _'] as const),
      'age oldest ready visible unacked unacknowledged undelivered depth length backlog lag waiting available pending',
    ],
    [
      ...(['is set aside', (name: string) => queueStateOf(name) === 'set_aside', '_'] as const),
      'dlq dlx deadletter deadletters deadlettered dead',
    ],
    [
      ...(['is locked', (name: string) => storeWorkOf(name) === 'waits', '_'] as const),
      'lock locks locked blocked blocking blocker blockers deadlock deadlocks latch latches',
    ],
    [
      ...(['is read from', (name: string) => storeWorkOf(name) === 'works', '_ read'] as const),
      'row rows tuple tuples tup document documents docs block blocks blks buffer buffers pages records partitions segments tombstones',
    ],
    [
      ...(['is read', (name: string) => storeWorkOf(name) === 'works', 'rows _'] as const),
      'read reads scanned scan scans examined fetched returned accessed filtered sorted hit processed',
    ],
    ['is gone through', (name: string) => storeWorkOf(name) === 'works', 'full _', 'scan scans join joins'],
    [
      ...(['is whole', (name: string) => storeWorkOf(name) === 'works', '_ scan'] as const),
      'seq sequential full table collection',
    ],
    [
      ...(['is of a store', isStore, '_'] as const),
      'db database sql pg mariadb innodb oracle mssql rds aurora cassandra redis tuple tuples transaction transactions xact xacts replication wal binlog oplog',
    ],
  ]
  const rows = TABLE.flatMap(([what, is, name, words]) =>
    words.split(' ').map((word) => [what, name.replace('_', word), name, word, is] as const),
  )

  it.each(rows)('%s: %s', (_what, named, name, word, is) => {
    expect(is(named)).toBe(true)
    for (const longer of [`qq${word}`, `${word}qq`])
      expect([longer, is(name.replace('_', longer))]).toEqual([longer, false])
  })

  it('is of a store by the name of one, whatever follows', () => {
    for (const name of ['postgres', 'postgresql', 'mysql', 'mysqld', 'mongo', 'mongodb'])
      expect([name, isStore(name), isStore(`qq${name}`)]).toEqual([name, true, false])
  })

  it('is no stock in any form of expiring and of being pushed out', () => {
    for (const word of ['expiry', 'expired', 'evicting', 'evict'])
      expect([word, storeStateOf(`items ${word}`), storeStateOf(`items qq${word}`)]).toEqual([
        word,
        null,
        'kept',
      ])
  })
})

describe('time that goes into collecting garbage', () => {
  it('tells of memory that is used up, and is not waited for by itself', () => {
    expect(readMetricName('jvm_gc_duration_seconds')).toEqual({
      ...{ meaning: 'saturation', bad: 'up', weight: 0.5, resource: 'memory', is_demand: false },
    })
    expect(readMetricName('jvm_duration_seconds').meaning).toBe('latency')
  })
})
