import { Duration, NestedStack, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  type Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { FilterPattern } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { TABLES, type TableName } from '#shared/names.ts'
import type { ApiStack } from './api-stack.ts'
import type { WorkerId } from './functions.ts'
import type { LambdaFunction } from './lambda-function.ts'
import type { QueueName } from './queues.ts'
import type { StateStack } from './state-stack.ts'
import type { WorkersStack } from './workers-stack.ts'

/** Something worth waking a person for. */
interface AlarmPlan {
  readonly id: string
  readonly metric: IMetric
  readonly threshold: number
  /** Periods of the metric that must be bad, of how many. */
  readonly badPeriods?: readonly [bad: number, of: number]
  /** What no data means; default: nothing happened, which is well. */
  readonly missing?: TreatMissingData
  readonly happened: string
  /** What people notice. */
  readonly impact: string
  /** Heading of docs/runbook.md. */
  readonly runbook: string
}

const FIVE_MINUTES = Duration.minutes(5)
const HOUR = Duration.hours(1)
/** A share of answers that is no accident any more. */
const SERVER_ERROR_PERCENT = 1
/** Above it people wait noticeably; questions alone may take longer, and they are few. */
const SLOW_ANSWER_MS = 5_000
/**
 * A doorbell for a later attempt lies in the queue for up to 15 minutes before it may be received. AWS does not say whether the age
 * of the oldest message counts such a one, so it is taken to: an alarm that rings for what waits as it should is soon ignored. The sweeper rings
 * every minute for what is two minutes overdue; ten minutes beyond the longest delay deliveries do not flow.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const WAITING_DELIVERY = Duration.minutes(15 + 10)
/**
 * Share of attempts that receivers do not accept, over an hour: of a quiet service, a receiver that is down. A shorter
 * period has no attempt in it most of the time, since waits grow to hours, and an alarm takes that for all being well.
 */
const FAILED_DELIVERY_PERCENT = 50
/** Fewer failures are a receiver that was started again: the first hour of one that is down has four attempts. */
const FAILED_DELIVERIES = 3
/** Twice what one investigation may take: more than one round waits. */
const WAITING_INVESTIGATION = Duration.minutes(15)
/** Alerts are taken in within seconds. */
const WAITING_ALERT = Duration.minutes(5)
/** The relay answers within seconds; the sweeper covers for it after this. */
const LATE_RELAY = Duration.minutes(5)

/** The answer to "is it well, and if not, what do people notice?": every alarm of the service. */
export class AlarmsStack extends NestedStack {
  constructor(scope: Construct, id: string, state: StateStack, api: ApiStack, workers: WorkersStack) {
    super(scope, id)
    const action = new SnsAction(state.alarmTopic)
    const plans = [...apiAlarms(api), ...workerAlarms(workers), ...queueAlarms(state), ...tableAlarms(state)]
    for (const plan of plans) this.createAlarm(plan).addAlarmAction(action)
  }

  private createAlarm({
    id,
    metric,
    badPeriods = [1, 1],
    happened,
    impact,
    runbook,
    ...plan
  }: AlarmPlan): Alarm {
    return new Alarm(this, id, {
      metric,
      threshold: plan.threshold,
      datapointsToAlarm: badPeriods[0],
      evaluationPeriods: badPeriods[1],
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: plan.missing ?? TreatMissingData.NOT_BREACHING,
      alarmDescription: `${happened} Impact: ${impact} What to do: docs/runbook.md#${runbook}`,
    })
  }
}

function apiAlarms({ api }: ApiStack): AlarmPlan[] {
  return [
    {
      id: 'ApiErrors',
      // Its average is the share of answers that are 5xx.
      metric: api.metricServerError({ statistic: 'Average', period: FIVE_MINUTES }),
      threshold: SERVER_ERROR_PERCENT / 100,
      badPeriods: [2, 3],
      happened: `More than ${SERVER_ERROR_PERCENT} % of the API's answers are 5xx.`,
      impact: 'Questions go unanswered and incidents cannot be opened.',
      runbook: 'the-api-answers-5xx',
    },
    {
      id: 'ApiSlow',
      metric: api.metricLatency({ statistic: 'p95', period: FIVE_MINUTES }),
      threshold: SLOW_ANSWER_MS,
      badPeriods: [3, 3],
      happened: `One answer in twenty takes longer than ${SLOW_ANSWER_MS / 1000} s.`,
      impact: 'People wait; questions may be cut off after 29 s.',
      runbook: 'the-api-is-slow',
    },
  ]
}

/**
 * Each metric that an alarm watches costs the same, so a worker that a queue or the stream feeds has none for its errors:
 * what it fails at waits, then lies in the dead-letter queue, and each of those has its alarm. Only an analysis that
 * fails is written down at its incident and tried again by the table's word: no message tells of one that is given up.
 */
const WATCHED_BY_THEIR_RUNS: readonly {
  readonly id: WorkerId
  /** Periods of five minutes without a run that succeeded: more than one, and more than its schedule leaves out. */
  readonly periods: number
  readonly impact: string
  readonly runbook: string
}[] = [
  {
    id: 'sweep-investigations',
    periods: 2,
    impact: 'An investigation whose worker died is not made again.',
    runbook: 'the-sweeper-stands-still',
  },
  {
    id: 'sweep-deliveries',
    periods: 2,
    impact: 'Long retries and deliveries whose worker died wait.',
    runbook: 'the-sweeper-stands-still',
  },
  {
    id: 'check-integrations',
    periods: 3,
    impact: 'Integrations show an old status.',
    runbook: 'the-sweeper-stands-still',
  },
]

function workerAlarms({ functions }: WorkersStack): AlarmPlan[] {
  const workerOf = (id: WorkerId): LambdaFunction => {
    const found = functions.get(id)
    if (found === undefined) throw new Error(`the worker ${id} is missing`)
    return found
  }
  return [
    ...WATCHED_BY_THEIR_RUNS.map(
      ({ id, periods, impact, runbook }): AlarmPlan => ({
        id: `${id}-stands`,
        // 0 for a run that succeeded, 1 for one that failed, nothing where there was none.
        metric: workerOf(id).lambda.metricErrors({ statistic: 'Minimum', period: FIVE_MINUTES }),
        threshold: 0,
        badPeriods: [periods, periods],
        missing: TreatMissingData.BREACHING,
        happened: `No run of ${id} has succeeded for ${periods * FIVE_MINUTES.toMinutes()} minutes.`,
        impact,
        runbook,
      }),
    ),
    ...deliveryAlarms(workerOf('deliver-webhook')),
    {
      id: 'investigations-fail',
      metric: logged(workerOf('investigate-incident'), 'AnalysesGivenUp', 'analysis_given_up'),
      threshold: 0,
      happened: 'The analysis of an incident failed five times and was given up.',
      impact: 'That incident has no root cause until somebody asks for another analysis.',
      runbook: 'a-worker-fails',
    },
    {
      id: 'relay-events-late',
      metric: workerOf('relay-events').lambda.metric('IteratorAge', {
        statistic: 'Maximum',
        period: FIVE_MINUTES,
      }),
      threshold: LATE_RELAY.toMilliseconds(),
      happened: `The relay is more than ${LATE_RELAY.toMinutes()} minutes behind the incidents table.`,
      impact: 'New incidents are investigated a minute or more late.',
      runbook: 'a-worker-fails',
    },
  ]
}

/** Lines of a worker's log with such a code, summed up: by one each, or by the number in a field. */
function logged({ lambda }: LambdaFunction, name: string, code: string, metricValue = '1'): Metric {
  return lambda.logGroup
    .addMetricFilter(`${name}Metric`, {
      metricNamespace: 'IncidentInvestigator',
      metricName: `${Stack.of(lambda).nestedStackParent?.stackName}-${name}`,
      filterPattern: FilterPattern.stringValue('$.code', '=', code),
      metricValue,
    })
    .metric({ statistic: 'Sum', period: FIVE_MINUTES })
}

/** The log is the one place that knows what receivers answered. */
function deliveryAlarms(worker: LambdaFunction): AlarmPlan[] {
  return [
    {
      id: 'deliveries-fail',
      metric: new MathExpression({
        expression: `IF(failed >= ${FAILED_DELIVERIES}, 100 * failed / (failed + delivered), 0)`,
        usingMetrics: {
          failed: logged(worker, 'DeliveriesFailed', 'worker_finished', '$.deliveries_failed'),
          delivered: logged(worker, 'DeliveriesDelivered', 'worker_finished', '$.deliveries_delivered'),
        },
        label: 'Attempts that receivers did not accept, percent',
        period: HOUR,
      }),
      threshold: FAILED_DELIVERY_PERCENT,
      happened: `More than ${FAILED_DELIVERY_PERCENT} % of an hour's attempts to deliver failed, ${FAILED_DELIVERIES} or more.`,
      impact: 'Receivers hear of incidents late or not at all.',
      runbook: 'deliveries-fail',
    },
    {
      id: 'webhook-disabled',
      metric: logged(worker, 'WebhooksDisabled', 'webhook_disabled'),
      threshold: 0,
      happened: 'The service disabled a webhook: its receiver answered 410, or failed for five days.',
      impact: 'That receiver hears of no incident until somebody enables the webhook again.',
      runbook: 'deliveries-fail',
    },
  ]
}

function queueAlarms({ queues }: StateStack): AlarmPlan[] {
  const holding = (name: QueueName, impact: string): AlarmPlan => ({
    id: `${name}-holds-messages`,
    metric: queues[name].metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: FIVE_MINUTES,
    }),
    threshold: 0,
    happened: `The queue ${name} holds messages that were given up.`,
    impact,
    runbook: 'a-dead-letter-queue-holds-messages',
  })
  return [
    {
      id: 'investigations-wait',
      metric: queues.investigations.metricApproximateAgeOfOldestMessage({
        statistic: 'Maximum',
        period: FIVE_MINUTES,
      }),
      threshold: WAITING_INVESTIGATION.toSeconds(),
      happened: `An investigation has waited for more than ${WAITING_INVESTIGATION.toMinutes()} minutes.`,
      impact: 'Root causes come late.',
      runbook: 'investigations-wait',
    },
    holding('investigations-dead', 'An incident may stay without a root cause, or got it late.'),
    holding('relay-dead', 'Some incidents were investigated late: the sweeper found them instead.'),
    {
      id: 'deliveries-wait',
      metric: queues.deliveries.metricApproximateAgeOfOldestMessage({
        statistic: 'Maximum',
        period: FIVE_MINUTES,
      }),
      threshold: WAITING_DELIVERY.toSeconds(),
      badPeriods: [2, 3],
      happened: `A doorbell for a delivery has waited for more than ${WAITING_DELIVERY.toMinutes()} minutes, of which its delay is at most 15.`,
      impact: 'Receivers hear of incidents late.',
      runbook: 'deliveries-fail',
    },
    holding(
      'deliveries-dead',
      'A message that no worker could work; the sweeper rings for its delivery again.',
    ),
    {
      id: 'alerts-wait',
      metric: queues.alerts.metricApproximateAgeOfOldestMessage({
        statistic: 'Maximum',
        period: FIVE_MINUTES,
      }),
      threshold: WAITING_ALERT.toSeconds(),
      happened: `What a tool sent has waited for more than ${WAITING_ALERT.toMinutes()} minutes.`,
      impact: 'Alerts open no incidents, or late.',
      runbook: 'a-worker-fails',
    },
    holding('alerts-dead', 'Alerts that were taken in nowhere: an incident may be missing.'),
  ]
}

/**
 * Tables where one partition takes the writes of many: a key's counter, the deliveries of a subscription, and the list of
 * all incidents. That list is an index, and what DynamoDB counts of a table by its name alone leaves out its indexes;
 * behind it the table's own items are spread by incident. Throttles of other tables show as 5xx of the API and as waiting
 * queues.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html (WriteThrottleEvents)
 */
const CONCENTRATED = [
  { name: 'incidents', index: TABLES.incidents.indexes.byTime.name },
  { name: 'keys' },
  { name: 'webhooks' },
] as const satisfies readonly { readonly name: TableName; readonly index?: string }[]

function tableAlarms({ tables }: StateStack): AlarmPlan[] {
  return CONCENTRATED.map(({ name, ...more }) => ({
    id: `${name}-throttled`,
    metric: tables[name].metric('WriteThrottleEvents', {
      statistic: 'Sum',
      period: FIVE_MINUTES,
      ...('index' in more
        ? { dimensionsMap: { TableName: tables[name].tableName, GlobalSecondaryIndexName: more.index } }
        : {}),
    }),
    threshold: 0,
    badPeriods: [2, 3],
    happened: `DynamoDB refuses writes to ${'index' in more ? `the list of all ${name}` : `the table ${name}`}.`,
    impact: 'Some requests are slow or fail with 5xx.',
    runbook: 'dynamodb-throttles',
  }))
}
