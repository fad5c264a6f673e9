import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backing, type BackingOptions, startBacking } from '#infra/local/backing.ts'
import { folderPaths } from '#infra/local/data-folder.ts'
import type { Deployment } from '#infra/local/deployment.ts'
import { startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { startSqs } from '#infra/local/queue-emulator.ts'
import { processesNaming } from './processes.ts'

const DEPLOYMENT: Pick<Deployment, 'queues' | 'functions'> = {
  queues: {
    investigations: {
      visibilityTimeoutMs: 720_000,
      retentionMs: 86_400_000,
      redrive: { maxReceiveCount: 5, queue: 'investigations-dead' },
    },
    'investigations-dead': { visibilityTimeoutMs: 30_000, retentionMs: 1_209_600_000, redrive: null },
  },
  functions: {
    one: {
      file: 'one.ts',
      timeoutMs: 1,
      memoryMb: 1,
      environment: { RETENTION_DAYS: '400', INCIDENTS_TABLE: null },
    },
  },
}

let root: string
const ends: (() => Promise<void>)[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'backing-'))
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  rmSync(root, { recursive: true, force: true })
})

async function start(options: Partial<BackingOptions> = {}): Promise<Backing> {
  const backing = await startBacking(
    { folder: folderPaths(root), strictEgress: false, inMemory: true, environment: {}, ...options },
    Promise.resolve(DEPLOYMENT),
  )
  ends.push(() => backing.stop())
  return backing
}

describe('what the functions stand on', () => {
  it('is told to them in environment variables: the literals of the template and the local names', async () => {
    const backing = await start({
      environment: { PATH: '/bin', SECRET: 'of the machine', AWS_PROFILE: 'mine' },
    })
    expect(backing.environment).toMatchObject({
      PATH: '/bin',
      RETENTION_DAYS: '400',
      INCIDENTS_TABLE: backing.tables.incidents,
      INVESTIGATIONS_QUEUE_URL: backing.queues.investigations?.url,
      LOCAL_OBJECTS_FOLDER: join(root, 'objects'),
      LOCAL_BUNDLES_FOLDER: join(root, 'bundles'),
      LOCAL_SEAL_KEY_FILE: join(root, 'seal.key'),
      LOCAL_EGRESS: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: backing.dynamoEndpoint,
      AWS_ENDPOINT_URL_SQS: backing.sqsEndpoint,
      AWS_ACCESS_KEY_ID: 'local',
      TZ: 'UTC',
    })
    expect(Object.keys(backing.environment)).not.toContain('SECRET')
    expect(Object.keys(backing.environment)).not.toContain('AWS_PROFILE')
  })

  it('has the queues with the settings of the template', async () => {
    const backing = await start()
    const { Attributes } = await backing.sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: backing.queues.investigations?.url,
        AttributeNames: ['All'],
      }),
    )
    expect(Attributes).toMatchObject({ VisibilityTimeout: '720', MessageRetentionPeriod: '86400' })
    expect(JSON.parse(Attributes?.RedrivePolicy ?? '{}')).toEqual({
      deadLetterTargetArn: backing.queues['investigations-dead']?.arn,
      maxReceiveCount: 5,
    })
  })

  it('reads bundles elsewhere and refuses private addresses when told so', async () => {
    const bundles = join(root, 'elsewhere')
    const { environment } = await start({ bundles, strictEgress: true })
    expect(environment).toMatchObject({ LOCAL_BUNDLES_FOLDER: bundles, LOCAL_EGRESS: 'strict' })
  })

  it('starts no emulator of its own where the environment names one that runs, and leaves that running', async () => {
    const dynamo = await startDynamoDb()
    ends.push(() => dynamo.stop())
    const sqs = await startSqs()
    ends.push(() => sqs.stop())
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint, AWS_ENDPOINT_URL_SQS: sqs.endpoint }
    const backing = await start({ environment })
    expect(backing).toMatchObject({
      dynamoEndpoint: dynamo.endpoint,
      sqsEndpoint: sqs.endpoint,
      ownsTables: false,
      emulatorPid: undefined,
    })
    await backing.stop()
    const again = await start({ environment })
    const { TableNames } = await again.dynamo.send(new ListTablesCommand({}))
    expect(TableNames).toContain(again.tables.incidents)
    expect(again.keys).toEqual(backing.keys)
  })

  it('passes the credentials of the machine on only to emulators that run elsewhere', async () => {
    const machine = { AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' }
    expect((await start({ environment: machine })).environment).toMatchObject({
      AWS_ACCESS_KEY_ID: 'local',
      AWS_REGION: 'us-east-1',
    })
    const sqs = await startSqs()
    ends.push(() => sqs.stop())
    const elsewhere = await start({ environment: { ...machine, AWS_ENDPOINT_URL_SQS: sqs.endpoint } })
    expect(elsewhere.environment).toMatchObject({ AWS_ACCESS_KEY_ID: 'mine', AWS_REGION: 'eu-central-1' })
  })

  it('leaves nothing running when it cannot be', async () => {
    const bundles = join(root, 'file')
    writeFileSync(bundles, '')
    await expect(start({ bundles, inMemory: false })).rejects.toThrow(
      `The bundles folder ${bundles} cannot be used: it is no folder.`,
    )
    expect(processesNaming(root)).toEqual([])
  })
})
