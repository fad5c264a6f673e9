import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib'
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { OBJECTS, type TableName } from '#shared/names.ts'
import { takeAwsEvents } from './aws-events.ts'
import { createQueues, type QueueName } from './queues.ts'
import { keepsData, type Settings } from './settings.ts'
import { createTables } from './tables.ts'
import { Users } from './users.ts'

/** DynamoDB's expiry may come two days late; what an item points to must not go before it. */
const EXPIRY_SLACK_DAYS = 2
/** Longer than its message may wait in its queue and then among the dead ones. */
const SENT_BODY_DAYS = 20
/** An upload that was broken off is dropped after this. */
const BROKEN_UPLOAD_DAYS = 7
/** A bundle that was overwritten or deleted by mistake can be brought back for this long. */
const OLD_VERSION_DAYS = 30

/** What the service remembers: tables, objects, queues, the key that seals secrets, and whom alarms tell. */
export class StateStack extends NestedStack {
  readonly tables: Readonly<Record<TableName, TableV2>>
  readonly queues: Readonly<Record<QueueName, Queue>>
  readonly bucket: Bucket
  readonly sealKey: Key
  /** Encrypts tables and bucket, where a setting asks for it. */
  readonly dataKey: Key | null
  readonly alarmTopic: Topic
  readonly users: Users

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id)
    const removalPolicy = keepsData(settings)
      ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
      : RemovalPolicy.DESTROY
    this.dataKey =
      settings.customerKey === true
        ? new Key(this, 'DataKey', {
            description: 'Encrypts tables and bucket',
            enableKeyRotation: true,
            removalPolicy,
          })
        : null
    this.tables = createTables(this, settings, this.dataKey)
    this.queues = createQueues(this)
    takeAwsEvents(this, this.nestedStackParent?.stackName ?? this.stackName, this.queues.alerts)
    this.sealKey = new Key(this, 'SealKey', {
      description: 'Seals the secrets of integrations and webhooks',
      enableKeyRotation: true,
      removalPolicy,
    })
    this.bucket = this.createBucket(settings, removalPolicy)
    this.alarmTopic = this.createAlarmTopic(settings)
    this.users = new Users(this, 'Users', settings)
  }

  /** Whom alarms tell. */
  private createAlarmTopic({ alarmEmail }: Settings): Topic {
    const topic = new Topic(this, 'AlarmTopic', {
      displayName: 'Incident investigator alarms',
      enforceSSL: true,
    })
    // A policy of its own takes the place of the one by which alarms of the account may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    )
    if (alarmEmail !== null) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  /** Who read and wrote the bucket's objects. In dev it would keep the stack from going: logs come hours later. */
  private createLogBucket(settings: Settings, removalPolicy: RemovalPolicy): Bucket {
    return new Bucket(this, 'LogBucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      // S3 delivers its logs to buckets under its own key alone.
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy,
      lifecycleRules: [{ id: 'end-logs', expiration: Duration.days(settings.logRetentionDays) }],
    })
  }

  /** Snapshots, large root causes, and the bundles that people upload. */
  private createBucket(settings: Settings, removalPolicy: RemovalPolicy): Bucket {
    const expiration = Duration.days(settings.retentionDays + EXPIRY_SLACK_DAYS)
    return new Bucket(this, 'Bucket', {
      ...(keepsData(settings)
        ? { serverAccessLogsBucket: this.createLogBucket(settings, removalPolicy) as IBucket }
        : {}),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      ...(this.dataKey === null
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey: this.dataKey, bucketKeyEnabled: true }),
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // In dev an emptied bucket goes with its stack; old versions would keep it.
      versioned: keepsData(settings),
      removalPolicy,
      lifecycleRules: [
        { id: 'end-snapshots', prefix: OBJECTS.snapshots, expiration },
        { id: 'end-root-causes', prefix: OBJECTS.rootCauses, expiration },
        { id: 'end-answers', prefix: OBJECTS.answers, expiration },
        {
          id: 'end-sent-bodies',
          prefix: OBJECTS.sentBodies,
          expiration: Duration.days(SENT_BODY_DAYS),
          ...(keepsData(settings) ? { noncurrentVersionExpiration: Duration.days(1) } : {}),
        },
        {
          id: 'end-remains',
          abortIncompleteMultipartUploadAfter: Duration.days(BROKEN_UPLOAD_DAYS),
          ...(keepsData(settings) ? { noncurrentVersionExpiration: Duration.days(OLD_VERSION_DAYS) } : {}),
        },
      ],
    })
  }
}
