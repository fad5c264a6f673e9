import { CreateBucketCommand, type S3Client } from '@aws-sdk/client-s3'
import { startSqs } from '#infra/local/queue-emulator.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { idMaker } from '#shared/adapters/new-id.ts'
import { s3Client, s3Objects } from '#shared/adapters/objects/s3-objects.ts'
import { kmsSealer } from '#shared/adapters/seal/kms-sealer.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'
import { subscribeWebhook } from '#shared/domain/subscribe-webhook.ts'
import { ENV } from '#shared/names.ts'
import { startKms } from '#test/adapters/seal/kms-stub.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'
import { type FaultLayer, faultLayer } from '#test/storage/fault-layer.ts'
import { type Service, startService } from './service.ts'

const BUCKET = 'bucket'
const KEY_ID = 'seal-key'
const QUOTA = 1_000

/** The service as it is deployed: secrets sealed by the key service, objects in a bucket, queues that ring. */
export interface DeployedService {
  readonly service: Service
  /** Over every client that the functions have: tables, queues, bucket and key are counted together. */
  readonly faults: FaultLayer
  /** What the bucket holds, read past the faults. */
  readonly objects: ObjectStore
  /** A subscription that another process sealed: whoever opens its secret has to ask the key service. */
  subscribe(url: string, secret: string): Promise<string>
  /** Ends a subscription: there may be 100 of them. */
  unsubscribe(id: string): Promise<void>
  /** An integration that another process sealed, in place of the one before. */
  connect(type: string, config: Readonly<Record<string, unknown>>): Promise<string>
  stop(): Promise<void>
}

/** Starts it for the tests of one file. The runtime must not have been imported before. */
export async function startDeployedService(): Promise<DeployedService> {
  const service = await startService({ queue: true, egress: 'local' })
  const [kms, bucket] = await Promise.all([startKms(KEY_ID), startSqs()])
  for (const name of [ENV.objectsFolder, ENV.bundlesFolder, ENV.sealKeyFile]) delete process.env[name]
  Object.assign(process.env, {
    [ENV.bucket]: BUCKET,
    [ENV.sealKeyId]: KEY_ID,
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
  })
  const s3: S3Client = s3Client({
    endpoint: bucket.endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
    forcePathStyle: true,
  })
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }))
  const runtime = await import('#shared/runtime.ts')
  const faults = faultLayer([
    runtime.documents(),
    runtime.queues(),
    runtime.bucketClient(),
    runtime.keyService(),
  ])
  const { client, names } = service.store
  const newId = idMaker()
  const sealer = () => kmsSealer(() => kms.client, KEY_ID, Date.now)
  const webhooks = webhookStore({ client, table: names.webhooks, sealer: sealer() })
  const integrations = integrationStore({ client, table: names.integrations, sealer: sealer() })
  let connected: string | undefined
  return {
    service,
    faults,
    objects: s3Objects(s3, BUCKET),
    subscribe: async (url, secret) => {
      const acts = { webhooks, clock: Date.now, newId, checkAddress: async () => undefined }
      return (await subscribeWebhook(acts, { url, events: ['incident.created'], secret }, '')).id
    },
    unsubscribe: async (id) => {
      await webhooks.delete(id)
    },
    connect: async (type, config) => {
      if (connected !== undefined) await integrations.delete(connected)
      const now = Date.now()
      const [id, at] = [newId(type, now), writeInstant(now)]
      const times = { created_at: at, updated_at: at, connected_at: at }
      const status = { status: 'connected', status_detail: null } as const
      await integrations.create(
        { id, type, ...status, config: {}, ...times, version: 1 },
        config,
        QUOTA,
        null,
      )
      connected = id
      return id
    },
    stop: async () => {
      s3.destroy()
      await Promise.all([kms.stop(), bucket.stop(), service.stop()])
    },
  }
}
