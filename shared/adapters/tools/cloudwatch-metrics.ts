/**
 * What is asked of the namespaces of AWS's own services without any configuration, as plain data: which metrics, by which
 * statistic, in which unit, and whether nothing is told where there is none.
 */

/** How one metric is read. */
export interface KnownMetric {
  readonly stat: string
  /** UCUM unit; absent of what is counted. */
  readonly unit?: string
  /** No sample is written for a minute in which it is 0. */
  readonly leaves_out_none?: boolean
}

/** Metrics of one namespace that are told of one kind of thing. */
export interface KnownNamespace {
  readonly namespace: string
  /** The dimension that names the thing. */
  readonly of: string
  /** Further dimensions that a metric may have; with others it is another one for each zone, version or pair of them. */
  readonly beside?: readonly string[]
  readonly metrics: Readonly<Record<string, KnownMetric>>
}

/** Counted, a sample for each minute. */
const COUNTED: KnownMetric = { stat: 'Sum' }
/** Counted, and told only where it is more than 0. */
const RARE: KnownMetric = { stat: 'Sum', leaves_out_none: true }
const PERCENT: KnownMetric = { stat: 'Average', unit: '%' }
const HIGHEST: KnownMetric = { stat: 'Maximum' }
const p95 = (unit: string): KnownMetric => ({ stat: 'p95', unit })

export const KNOWN_NAMESPACES: readonly KnownNamespace[] = [
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-cloudwatch-metrics.html
  {
    namespace: 'AWS/ApplicationELB',
    of: 'TargetGroup',
    beside: ['LoadBalancer'],
    metrics: {
      RequestCount: COUNTED,
      HTTPCode_Target_5XX_Count: RARE,
      TargetConnectionErrorCount: RARE,
      TargetResponseTime: p95('s'),
      UnHealthyHostCount: HIGHEST,
    },
  },
  // What no target answered, in time or at all, the load balancer answers itself, and tells of no group.
  {
    namespace: 'AWS/ApplicationELB',
    of: 'LoadBalancer',
    metrics: { RequestCount: COUNTED, HTTPCode_ELB_5XX_Count: RARE },
  },
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
  {
    namespace: 'AWS/Lambda',
    of: 'FunctionName',
    metrics: {
      Invocations: COUNTED,
      Errors: COUNTED,
      Duration: p95('ms'),
      Throttles: COUNTED,
      IteratorAge: { stat: 'Maximum', unit: 'ms' },
    },
  },
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
  {
    namespace: 'AWS/ApiGateway',
    of: 'ApiName',
    metrics: { Count: COUNTED, '5XXError': COUNTED, Latency: p95('ms') },
  },
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
  {
    namespace: 'AWS/ApiGateway',
    of: 'ApiId',
    metrics: { Count: COUNTED, '5xx': COUNTED, Latency: p95('ms') },
  },
  // https://docs.aws.amazon.com/AmazonECS/latest/developerguide/available-metrics.html
  {
    namespace: 'AWS/ECS',
    of: 'ServiceName',
    beside: ['ClusterName'],
    metrics: { CPUUtilization: PERCENT, MemoryUtilization: PERCENT },
  },
  // https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-metrics.html
  // https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/Aurora.AuroraMonitoring.Metrics.html
  {
    namespace: 'AWS/RDS',
    of: 'DBInstanceIdentifier',
    metrics: {
      CPUUtilization: PERCENT,
      DatabaseConnections: { stat: 'Average' },
      FreeStorageSpace: { stat: 'Minimum', unit: 'By' },
      FreeableMemory: { stat: 'Minimum', unit: 'By' },
      ReadLatency: p95('s'),
      WriteLatency: p95('s'),
      DiskQueueDepth: { stat: 'Average' },
      Deadlocks: { stat: 'Average', unit: '1/s' },
      ReplicaLag: { stat: 'Maximum', unit: 's' },
      AuroraReplicaLag: { stat: 'Maximum', unit: 'ms' },
    },
  },
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
  {
    namespace: 'AWS/SQS',
    of: 'QueueName',
    metrics: {
      ApproximateAgeOfOldestMessage: { stat: 'Maximum', unit: 's' },
      ApproximateNumberOfMessagesVisible: HIGHEST,
    },
  },
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
  {
    namespace: 'AWS/DynamoDB',
    of: 'TableName',
    // Requests are told by operation and no other way.
    beside: ['Operation'],
    metrics: {
      ReadThrottleEvents: RARE,
      WriteThrottleEvents: RARE,
      ThrottledRequests: RARE,
      SystemErrors: RARE,
      SuccessfulRequestLatency: { stat: 'Average', unit: 'ms' },
    },
  },
  // https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/CacheMetrics.Redis.html
  {
    namespace: 'AWS/ElastiCache',
    of: 'CacheClusterId',
    metrics: {
      EngineCPUUtilization: PERCENT,
      DatabaseMemoryUsagePercentage: PERCENT,
      Evictions: COUNTED,
      CurrConnections: { stat: 'Average' },
      ReplicationLag: { stat: 'Maximum', unit: 's' },
    },
  },
  // https://docs.aws.amazon.com/streams/latest/dev/monitoring-with-cloudwatch.html
  {
    namespace: 'AWS/Kinesis',
    of: 'StreamName',
    metrics: {
      'GetRecords.IteratorAgeMilliseconds': { stat: 'Maximum', unit: 'ms' },
      WriteProvisionedThroughputExceeded: COUNTED,
    },
  },
  // https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
  {
    namespace: 'AWS/States',
    of: 'StateMachineArn',
    metrics: { ExecutionsStarted: COUNTED, ExecutionsFailed: COUNTED, ExecutionsTimedOut: COUNTED },
  },
]

/** How a metric of one of AWS's namespaces is read; undefined of those that nothing is known of. */
export const knownMetric = (namespace: string | undefined, name: string): KnownMetric | undefined =>
  KNOWN_NAMESPACES.find((one) => one.namespace === namespace && one.metrics[name] !== undefined)?.metrics[
    name
  ]
