import * as z from 'zod/mini'

// What CloudWatch, CloudWatch Logs, X-Ray and AWS Health answer in JSON, as far as it is read. Instants are seconds since the epoch.

const instant = z.pipe(
  z.union([z.number(), z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))))]),
  z.transform((at: number | string) => (typeof at === 'number' ? at * 1000 : Date.parse(at))),
)

const dimension = z.object({ Name: z.string(), Value: z.string() })
const metric = z.object({
  Namespace: z.optional(z.string()),
  MetricName: z.optional(z.string()),
  Dimensions: z.optional(z.array(dimension)),
})
export type CloudwatchMetric = z.infer<typeof metric>

export const alarmAnswer = z.object({
  AlarmName: z.string(),
  AlarmArn: z.optional(z.string()),
  AlarmDescription: z.optional(z.string()),
  StateValue: z.string(),
  StateReason: z.optional(z.string()),
  StateUpdatedTimestamp: z.optional(instant),
  StateTransitionedTimestamp: z.optional(instant),
  ...metric.shape,
  Statistic: z.optional(z.string()),
  ExtendedStatistic: z.optional(z.string()),
  Period: z.optional(z.number()),
  EvaluationPeriods: z.optional(z.number()),
  Threshold: z.optional(z.number()),
  AlarmActions: z.optional(z.array(z.string())),
  /** What an alarm on an expression reads. */
  Metrics: z.optional(
    z.array(z.object({ MetricStat: z.optional(z.object({ Metric: metric, Stat: z.string() })) })),
  ),
})
export type CloudwatchAlarm = z.infer<typeof alarmAnswer>

export const alarmsAnswer = z.object({
  MetricAlarms: z.optional(z.array(z.unknown())),
  CompositeAlarms: z.optional(z.array(z.unknown())),
  NextToken: z.nullish(z.string()),
})

export const historyItem = z.object({
  AlarmName: z.string(),
  Timestamp: instant,
  HistoryData: z.optional(z.string()),
})
export const historyData = z.object({
  newState: z.object({ stateValue: z.string(), stateReason: z.optional(z.string()) }),
})

export const metricAnswer = metric
export const metricDataResult = z.object({
  Id: z.string(),
  Label: z.optional(z.string()),
  Timestamps: z.array(instant),
  Values: z.array(z.number()),
  StatusCode: z.optional(z.string()),
})

export const queryStarted = z.object({ queryId: z.string() })
export const queryResults = z.object({
  status: z.string(),
  results: z.array(z.array(z.object({ field: z.string(), value: z.optional(z.string()) }))),
  statistics: z.optional(z.object({ recordsMatched: z.optional(z.number()) })),
})

const edge = z.object({
  ReferenceId: z.number(),
  SummaryStatistics: z.optional(
    z.object({
      TotalCount: z.optional(z.number()),
      FaultStatistics: z.optional(z.object({ TotalCount: z.optional(z.number()) })),
      ErrorStatistics: z.optional(z.object({ ThrottleCount: z.optional(z.number()) })),
      TotalResponseTime: z.optional(z.number()),
    }),
  ),
})
export const graphService = z.object({
  ReferenceId: z.number(),
  Name: z.optional(z.string()),
  Type: z.optional(z.string()),
  Edges: z.optional(z.array(edge)),
})

export const healthEvent = z.object({
  service: z.string(),
  eventTypeCode: z.string(),
  eventTypeCategory: z.string(),
  startTime: instant,
  endTime: z.optional(instant),
})
