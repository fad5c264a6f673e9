import { Duration, NestedStack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { Construct } from 'constructs'
import type { WorkerId } from './functions.ts'
import { type FunctionSurroundings, LambdaFunction } from './lambda-function.ts'

/** As many doorbells as one call to the queue carries. */
const RELAY_BATCH = 10
/** A batch that keeps failing is halved until the bad record stands alone, which is put aside after this many tries. */
const RELAY_RETRIES = 5
/** A record this old is found by the sweeper anyway. */
const RELAY_RECORD_AGE = Duration.hours(1)
/** Investigations are long and independent: one a run keeps each with its whole time. */
const INVESTIGATE_BATCH = 1
/** Tools are asked by this many investigations at once; the queue keeps the rest. */
const INVESTIGATIONS_AT_ONCE = 5
/** Alerts of one group come in storms: what is taken in together is one transaction. */
const TAKE_ALERTS_BATCH = 50
const TAKE_ALERTS_WINDOW = Duration.seconds(1)
/** As few as SQS knows: whoever works on the same group at once only waits for the other. */
const TAKING_ALERTS_AT_ONCE = 2
const SWEEP_EVERY = Duration.minutes(1)
/** A run checks what is due: each integration about every quarter of an hour, and not all in one run. */
const CHECK_EVERY = Duration.minutes(5)
/** A batch is worked at once, so a batch takes as long as its slowest receiver, whatever its size. */
const DELIVER_BATCH = 10
/** Batches at once: receivers that hang hold some of them for 15 s each, and the others go on. */
const DELIVERIES_AT_ONCE = 20

/** What works behind the API: the relay of the outbox, the investigations, and the sweeper. */
export class WorkersStack extends NestedStack {
  readonly functions: ReadonlyMap<WorkerId, LambdaFunction>

  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    super(scope, id)
    const { state } = surroundings
    const relay = new LambdaFunction(this, 'relay-events', surroundings)
    const investigate = new LambdaFunction(this, 'investigate-incident', surroundings)
    const sweep = new LambdaFunction(this, 'sweep-investigations', surroundings)
    const deliver = new LambdaFunction(this, 'deliver-webhook', surroundings)
    const sweepDeliveries = new LambdaFunction(this, 'sweep-deliveries', surroundings)
    const check = new LambdaFunction(this, 'check-integrations', surroundings)
    const takeAlerts = new LambdaFunction(this, 'take-alerts', surroundings)
    this.functions = new Map<WorkerId, LambdaFunction>([
      ['relay-events', relay],
      ['investigate-incident', investigate],
      ['sweep-investigations', sweep],
      ['deliver-webhook', deliver],
      ['sweep-deliveries', sweepDeliveries],
      ['check-integrations', check],
      ['take-alerts', takeAlerts],
    ])
    this.readStream(relay, surroundings)
    new EventSourceMapping(this, 'InvestigationsMapping', {
      target: investigate.invoked,
      eventSourceArn: state.queues.investigations.queueArn,
      batchSize: INVESTIGATE_BATCH,
      maxConcurrency: INVESTIGATIONS_AT_ONCE,
      reportBatchItemFailures: true,
    })
    new EventSourceMapping(this, 'DeliveriesMapping', {
      target: deliver.invoked,
      eventSourceArn: state.queues.deliveries.queueArn,
      batchSize: DELIVER_BATCH,
      maxConcurrency: DELIVERIES_AT_ONCE,
      reportBatchItemFailures: true,
    })
    new EventSourceMapping(this, 'AlertsMapping', {
      target: takeAlerts.invoked,
      eventSourceArn: state.queues.alerts.queueArn,
      batchSize: TAKE_ALERTS_BATCH,
      maxBatchingWindow: TAKE_ALERTS_WINDOW,
      maxConcurrency: TAKING_ALERTS_AT_ONCE,
      reportBatchItemFailures: true,
    })
    this.sweepWith(sweep, 'SweepRule', 'Rings again for investigations that are overdue')
    this.sweepWith(sweepDeliveries, 'SweepDeliveriesRule', 'Rings again for deliveries that are overdue')
    this.sweepWith(check, 'CheckRule', 'Checks integrations again', CHECK_EVERY)
  }

  private sweepWith(
    { lambda }: LambdaFunction,
    id: string,
    description: string,
    every: Duration = SWEEP_EVERY,
  ): void {
    // A run that failed is not made again: the next one comes soon.
    lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: every })
    new Rule(this, id, {
      description,
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge: every })],
    })
  }

  /** Events, and incidents that wait for their investigation, wake the relay; the rest of the stream costs nothing. */
  private readStream(relay: LambdaFunction, { state }: FunctionSurroundings): void {
    const { tableStreamArn } = state.tables.incidents
    if (tableStreamArn === undefined) throw new Error('the table incidents has no stream')
    new EventSourceMapping(this, 'RelayMapping', {
      target: relay.invoked,
      eventSourceArn: tableStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: RELAY_BATCH,
      retryAttempts: RELAY_RETRIES,
      maxRecordAge: RELAY_RECORD_AGE,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      onFailure: new SqsDlq(state.queues['relay-dead']),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.or('INSERT', 'MODIFY'),
          dynamodb: {
            NewImage: {
              sk: { S: FilterRule.isEqual('INCIDENT') },
              analysis: { S: FilterRule.isEqual('pending') },
            },
          },
        }),
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { NewImage: { sk: { S: FilterRule.isEqual('EVENT') } } },
        }),
      ],
    })
  }
}
