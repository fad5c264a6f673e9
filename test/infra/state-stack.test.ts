import { describe, expect, it } from 'vitest'
import { functionPlan } from '#infra/functions.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { QUEUES } from '#infra/queues.ts'
import { HELD_BACK_MS } from '#shared/domain/alerts/fold-alerts.ts'
import { KEY, TABLES } from '#shared/names.ts'
import { type CfnResource, resourcesOf, synthesise } from './synthesise.ts'

const dev = synthesise()
const prod = synthesise({ stage: 'prod' })
const DAY_MS = 86_400_000

describe('the tables', () => {
  it('are those of the names, each with its keys, indexes and expiry', () => {
    const tables = Object.values(dev.templates.state.findResources('AWS::DynamoDB::GlobalTable'))
    const found = tables.map(({ Properties }) => ({
      sort: Properties.KeySchema.some(
        ({ AttributeName, KeyType }: { AttributeName: string; KeyType: string }) =>
          AttributeName === KEY.sort && KeyType === 'RANGE',
      ),
      stream: Properties.StreamSpecification !== undefined,
      ttl: Properties.TimeToLiveSpecification?.AttributeName ?? null,
      indexes: (Properties.GlobalSecondaryIndexes ?? []).map(
        (index: {
          IndexName: string
          KeySchema: { AttributeName: string }[]
          Projection: { ProjectionType: string }
        }) => [
          index.IndexName,
          ...index.KeySchema.map(({ AttributeName }) => AttributeName),
          index.Projection.ProjectionType,
        ],
      ),
    }))
    const named = Object.values(TABLES).map(({ sort, stream, ttl, indexes }) => ({
      sort,
      stream,
      ttl,
      indexes: Object.values(indexes).map((index) => [
        index.name,
        index.partition,
        index.sort,
        index.projection,
      ]),
    }))
    expect(found).toEqual(named)
  })

  it.each([
    ['dev', dev],
    ['prod', prod],
  ])('are paid by use, encrypted, and recoverable to the second in %s', (_, { templates }) => {
    const tables = Object.values(templates.state.findResources('AWS::DynamoDB::GlobalTable'))
    expect(tables).toHaveLength(Object.keys(TABLES).length)
    for (const { Properties } of tables) {
      expect(Properties.BillingMode).toBe('PAY_PER_REQUEST')
      expect(Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' })
      expect(Properties.Replicas).toHaveLength(1)
      expect(Properties.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true)
    }
  })

  it('show what changed on the stream that the relay reads', () => {
    dev.templates.state.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expires_at_s', Enabled: true },
    })
  })

  it('outlive the stack and refuse deletion in prod, and leave nothing behind in dev', () => {
    const guards = ({ templates }: typeof dev) =>
      Object.values(templates.state.findResources('AWS::DynamoDB::GlobalTable')).map(
        ({ DeletionPolicy, UpdateReplacePolicy, Properties }) => [
          DeletionPolicy,
          UpdateReplacePolicy,
          Properties.Replicas[0].DeletionProtectionEnabled,
        ],
      )
    for (const guard of guards(prod)) expect(guard).toEqual(['RetainExceptOnCreate', 'Retain', true])
    for (const guard of guards(dev)) expect(guard).toEqual(['Delete', 'Delete', false])
    for (const guard of guards(synthesise({ stage: 'prod', deletionProtection: false })))
      expect(guard).toEqual(['RetainExceptOnCreate', 'Retain', false])
  })
})

interface Statement {
  readonly Effect: string
  readonly Principal: unknown
  readonly Action: unknown
  readonly Condition?: unknown
}

/** The buckets by what the stack calls them. */
const bucketsOf = (template: typeof dev.templates.state): Readonly<Record<string, CfnResource>> =>
  Object.fromEntries(
    Object.entries(template.findResources('AWS::S3::Bucket')).map(([id, bucket]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      bucket,
    ]),
  )

describe('the bucket', () => {
  it.each([
    ['dev', dev],
    ['prod', prod],
  ])('is private, encrypted and reachable over TLS only in %s', (_, { templates }) => {
    templates.state.allResourcesProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    })
    const policies = templates.state.findResources('AWS::S3::BucketPolicy')
    expect(Object.keys(policies)).toHaveLength(Object.keys(bucketsOf(templates.state)).length)
    for (const { Properties } of Object.values(policies)) {
      const statements = Properties.PolicyDocument.Statement as Statement[]
      // What delivers logs is the one thing that is let in by a bucket, for the logs of this bucket alone.
      for (const { Effect, Principal, Action, Condition } of statements)
        if (Effect === 'Allow') {
          expect([Principal, Action]).toEqual([{ Service: 'logging.s3.amazonaws.com' }, 's3:PutObject'])
          expect(JSON.stringify(Condition)).toContain('"aws:SourceArn"')
        }
      expect(JSON.stringify(statements)).toContain('"aws:SecureTransport":"false"')
    }
  })

  it('tells in prod who read what it holds, in a bucket of its own that forgets as logs do', () => {
    const { Bucket: kept, LogBucket: log } = bucketsOf(prod.templates.state)
    expect(JSON.stringify(kept?.Properties.LoggingConfiguration)).toContain('"Ref":"LogBucket')
    expect(log?.Properties.LifecycleConfiguration.Rules).toEqual([
      expect.objectContaining({ Status: 'Enabled', ExpirationInDays: 30 }),
    ])
    expect(log?.DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(Object.keys(bucketsOf(dev.templates.state))).toEqual(['Bucket'])
  })

  it('ends snapshots, root causes and answers after their items, by the setting, what tools sent after its message, and bundles never', () => {
    const rules = (changes: Parameters<typeof synthesise>[0]) => {
      const { Bucket: bucket } = bucketsOf(synthesise(changes).templates.state)
      return bucket?.Properties.LifecycleConfiguration.Rules as {
        Prefix?: string
        ExpirationInDays?: number
      }[]
    }
    const ends = (retentionDays: number) =>
      rules({ retentionDays }).flatMap(({ Prefix, ExpirationInDays }) =>
        ExpirationInDays === undefined ? [] : [[Prefix, ExpirationInDays]],
      )
    for (const days of [1, 400, 3650])
      expect(ends(days)).toEqual([
        ['snapshots/', days + 2],
        ['root-causes/', days + 2],
        ['answers/', days + 2],
        ['sent-bodies/', 20],
      ])
  })

  it('keeps old versions and outlives the stack in prod only', () => {
    const { Bucket: kept } = bucketsOf(prod.templates.state)
    expect(kept?.DeletionPolicy).toBe('RetainExceptOnCreate')
    expect(kept?.Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' })
    const { Bucket: gone } = bucketsOf(dev.templates.state)
    expect(gone?.DeletionPolicy).toBe('Delete')
    expect(gone?.Properties.VersioningConfiguration).toBeUndefined()
  })
})

describe('the sealing key', () => {
  it('is turned over every year, and outlives the stack in prod', () => {
    for (const [{ templates }, policy] of [
      [dev, 'Delete'],
      [prod, 'RetainExceptOnCreate'],
    ] as const) {
      const keys = Object.values(templates.state.findResources('AWS::KMS::Key'))
      expect(keys).toHaveLength(1)
      expect(keys[0]?.Properties.EnableKeyRotation).toBe(true)
      expect(keys[0]?.DeletionPolicy).toBe(policy)
    }
  })
})

describe('the queues', () => {
  it('are encrypted and reachable over TLS only', () => {
    const queues = resourcesOf(dev, 'AWS::SQS::Queue')
    expect(queues).toHaveLength(QUEUES.length)
    for (const { resource } of queues) expect(resource.Properties.SqsManagedSseEnabled).toBe(true)
    const policies = resourcesOf(dev, 'AWS::SQS::QueuePolicy')
    expect(policies).toHaveLength(QUEUES.length)
    for (const { resource } of policies)
      expect(JSON.stringify(resource.Properties.PolicyDocument)).toContain('"aws:SecureTransport":"false"')
  })

  it('are standard ones, in which the group of a message keeps one subscription from delaying another', () => {
    // In a FIFO queue a group waits for its own first message, and no message may have a delay of its own.
    for (const { templates } of [dev, prod])
      for (const { Properties } of Object.values(templates.state.findResources('AWS::SQS::Queue'))) {
        expect(Properties.FifoQueue).toBeUndefined()
        expect(Properties.DelaySeconds).toBeUndefined()
      }
  })

  it('hide a message for six times what its worker may take, or shorter than an incident is held back, and put aside what nobody can read', async () => {
    const { queues } = await readDeployment()
    for (const [queue, worker] of [
      ['investigations', 'investigate-incident'],
      ['deliveries', 'deliver-webhook'],
    ] as const)
      expect(queues[queue]).toEqual({
        visibilityTimeoutMs: 6 * functionPlan(worker).timeoutSeconds * 1000,
        retentionMs: DAY_MS,
        redrive: { maxReceiveCount: 5, queue: `${queue}-dead` },
      })
    const alerts = queues.alerts
    const alertsHiddenMs = alerts?.visibilityTimeoutMs
    // Lambda refuses to read a queue that hides a message for less than its worker may take.
    expect(alertsHiddenMs).toBeGreaterThanOrEqual(functionPlan('take-alerts').timeoutSeconds * 1000)
    // Else an incident is resolved, and opened again, by what a worker died with.
    expect(alertsHiddenMs).toBeLessThan(HELD_BACK_MS)
    expect(alerts).toMatchObject({
      retentionMs: 4 * DAY_MS,
      redrive: { maxReceiveCount: 30, queue: 'alerts-dead' },
    })
    for (const dead of ['investigations-dead', 'deliveries-dead', 'relay-dead', 'alerts-dead'])
      expect(queues[dead]).toMatchObject({ retentionMs: 14 * DAY_MS, redrive: null })
  })
})
