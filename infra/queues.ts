import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { functionPlan } from './functions.ts'

/**
 * The queues: `investigations` is rung for incidents that are due, `investigations-dead` gets the messages no worker
 * could read, `relay-dead` the places in the stream that the relay gave up on; `deliveries` is rung for deliveries that
 * are due, `deliveries-dead` gets its messages that no worker could work; `alerts` holds what tools send until it is
 * taken in, `alerts-dead` what could not be.
 */
export const QUEUES = [
  'investigations',
  'investigations-dead',
  'relay-dead',
  'deliveries',
  'deliveries-dead',
  'alerts',
  'alerts-dead',
] as const
export type QueueName = (typeof QUEUES)[number]

/** AWS asks for six times the consumer's timeout, so that a throttled batch is not handed out twice. */
const VISIBILITY_TIMEOUTS = 6
/** A doorbell older than this has been rung again many times: the sweeper comes every minute. */
const DOORBELL_RETENTION = Duration.days(1)
/** What a tool sent stands nowhere else: it outlives a weekend in which nothing takes it in. */
const ALERT_RETENTION = Duration.days(4)
/** As long as SQS keeps anything: people look after a weekend, not after a minute. */
const DEAD_RETENTION = Duration.days(14)
/** What fails is tried again by the incident's own schedule; the queue gives up on what nobody can read. */
export const MAX_RECEIVES = 5
/**
 * What a worker died with must come again before the quiet time of its incident is over, so alerts wait for less than
 * AWS asks for: to take one in twice changes nothing.
 */
const ALERT_VISIBILITY_TIMEOUTS = 2
/** Half an hour in which every run is throttled or dies, as before a message of the other queues is put aside. */
const MAX_ALERT_RECEIVES = 30

function createQueue(scope: Construct, id: string, props: ConstructorParameters<typeof Queue>[2]): Queue {
  return new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // A message says only that something is due; the tables know what.
    removalPolicy: RemovalPolicy.DESTROY,
    ...props,
  })
}

/** Creates the queues, encrypted, reachable over TLS only. */
export function createQueues(scope: Construct): Readonly<Record<QueueName, Queue>> {
  const dead = createQueue(scope, 'InvestigationsDeadQueue', { retentionPeriod: DEAD_RETENTION })
  const relayDead = createQueue(scope, 'RelayDeadQueue', { retentionPeriod: DEAD_RETENTION })
  const { timeoutSeconds } = functionPlan('investigate-incident')
  const investigations = createQueue(scope, 'InvestigationsQueue', {
    visibilityTimeout: Duration.seconds(VISIBILITY_TIMEOUTS * timeoutSeconds),
    retentionPeriod: DOORBELL_RETENTION,
    deadLetterQueue: { queue: dead, maxReceiveCount: MAX_RECEIVES },
  })
  const deliveriesDead = createQueue(scope, 'DeliveriesDeadQueue', { retentionPeriod: DEAD_RETENTION })
  const deliveries = createQueue(scope, 'DeliveriesQueue', {
    visibilityTimeout: Duration.seconds(VISIBILITY_TIMEOUTS * functionPlan('deliver-webhook').timeoutSeconds),
    retentionPeriod: DOORBELL_RETENTION,
    deadLetterQueue: { queue: deliveriesDead, maxReceiveCount: MAX_RECEIVES },
  })
  const alertsDead = createQueue(scope, 'AlertsDeadQueue', { retentionPeriod: DEAD_RETENTION })
  const alerts = createQueue(scope, 'AlertsQueue', {
    visibilityTimeout: Duration.seconds(
      ALERT_VISIBILITY_TIMEOUTS * functionPlan('take-alerts').timeoutSeconds,
    ),
    retentionPeriod: ALERT_RETENTION,
    deadLetterQueue: { queue: alertsDead, maxReceiveCount: MAX_ALERT_RECEIVES },
  })
  return {
    investigations,
    'investigations-dead': dead,
    'relay-dead': relayDead,
    deliveries,
    'deliveries-dead': deliveriesDead,
    alerts,
    'alerts-dead': alertsDead,
  }
}
