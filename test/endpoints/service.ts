import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { ulid } from 'ulid'
import type { LocalUser } from '#infra/local/local-users.ts'
import { startSqs } from '#infra/local/queue-emulator.ts'
import { type SignIn, startSignIn } from '#infra/local/sign-in.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { sqsClient } from '#shared/adapters/sqs/doorbell.ts'
import { type Operation, type OperationId, operations } from '#shared/contract/operations.ts'
import type { KeyType } from '#shared/domain/api-key.ts'
import { createKey } from '#shared/domain/create-key.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { Plan } from '#shared/domain/rate-limit.ts'
import type { ApiHandler } from '#shared/edge/endpoint.ts'
import { ENV, TABLES, type TableName } from '#shared/names.ts'
import { type Got, type Sent, send } from '#test/edge/call-endpoint.ts'
import { EMULATOR_CREDENTIALS, startTestStore, type TestStore } from '#test/storage/emulator.ts'

/** What a test asks of a key beyond its type. */
export interface KeyWish {
  /** `enterprise` unless asked otherwise, so that no test meets its limit by accident. */
  readonly plan?: Plan
  /** A key whose life ended a minute ago. */
  readonly expired?: boolean
}

/** The functions of the service over a store of their own, called as AWS calls them. */
export interface Service {
  readonly store: TestStore
  /** Folder that everything the service keeps in files lies in. */
  readonly folder: string
  /** Folder that stands in for the bucket. */
  readonly objects: string
  /** Folder that bundle integrations may read. */
  readonly bundles: string
  /** A key that may do everything, with the enterprise plan. */
  readonly adminKey: string
  readonly assistantKey: string
  /** Issues the tokens that the service takes. */
  readonly signIn: SignIn
  /** Headers with a token of a signed-in user. */
  asUser(name: LocalUser): { readonly Authorization: string }
  /** Headers of somebody who may call an operation: with a key, or where only people may, with a token. */
  permitted(operation: OperationId): { readonly Authorization: string }
  newKey(type: KeyType, wish?: KeyWish): Promise<{ readonly id: string; readonly key: string }>
  revokeKey(id: string): Promise<boolean>
  /** Sends a request of an operation; with the admin key unless headers say otherwise. */
  call(operation: OperationId, sent?: Sent): Promise<Got>
  /** Sends a request that is expected to succeed. @returns its body */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  done(operation: OperationId, sent?: Sent): Promise<any>
  /** Takes every message out of a queue, by default that of investigations; only with `queue`. */
  messages(name?: QueueName): Promise<readonly QueuedMessage[]>
  stop(): Promise<void>
}

/** Requests that one key makes here: below what any plan grants in a minute. */
const REQUESTS_OF_A_KEY = 800
/** The same for one signed-in user. */
const REQUESTS_OF_A_USER = 80

export type QueueName = 'investigations' | 'deliveries' | 'alerts'

export interface QueuedMessage {
  readonly messageId: string
  readonly body: string
}

export interface ServiceWish {
  /** `local` lets tools and receivers be on this machine, as the local runner does. */
  readonly egress?: 'local'
  /** Starts the queues too, for what rings them. */
  readonly queue?: boolean
}

/** Headers with a key. */
export const withKey = (key: string) => ({ Authorization: `Bearer ${key}` })

/** The handler of an operation or worker, imported once the environment is set. */
export async function handlerOf(path: string): Promise<ApiHandler> {
  const file = new URL(`../../functions/${path}.ts`, import.meta.url).href
  const { handler } = (await import(/* @vite-ignore */ file)) as { handler: ApiHandler }
  return handler
}

/** Queues of this test's own. */
async function startQueues() {
  const sqs = await startSqs()
  const client: SQSClient = sqsClient({
    endpoint: sqs.endpoint,
    region: 'us-east-1',
    credentials: EMULATOR_CREDENTIALS,
  })
  const create = async (name: QueueName) => {
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name }))
    // The emulator advertises a host name below 127.0.0.1; its path is what counts.
    return QueueUrl.replace(/^https?:\/\/[^/]+/, sqs.endpoint)
  }
  const urls = {
    investigations: await create('investigations'),
    deliveries: await create('deliveries'),
    alerts: await create('alerts'),
  }
  return {
    environment: {
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      [ENV.investigationsQueueUrl]: urls.investigations,
      [ENV.deliveriesQueueUrl]: urls.deliveries,
      [ENV.alertsQueueUrl]: urls.alerts,
    },
    messages: async (name: QueueName) => {
      const url = urls[name]
      const taken: QueuedMessage[] = []
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
        )
        if (Messages.length === 0) return taken
        for (const { MessageId = '', Body = '', ReceiptHandle } of Messages) {
          taken.push({ messageId: MessageId, body: Body })
          await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))
        }
      }
    },
    stop: async () => {
      client.destroy()
      await sqs.stop()
    },
  }
}

/** Starts the service for the tests of one file. Call it in `beforeAll`, `stop` in `afterAll`. */
export async function startService(wish: ServiceWish = {}): Promise<Service> {
  const store = await startTestStore()
  const queues = wish.queue === true ? await startQueues() : undefined
  const folder = await mkdtemp(join(tmpdir(), 'service-'))
  const bundles = join(folder, 'bundles')
  const objects = join(folder, 'objects')
  const signIn = await startSignIn({ file: join(folder, 'sign-in.json') })
  const environment: Record<string, string> = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: EMULATOR_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: EMULATOR_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
    LOG_LEVEL: 'SILENT',
    [ENV.objectsFolder]: objects,
    [ENV.bundlesFolder]: bundles,
    [ENV.sealKeyFile]: join(folder, 'seal.key'),
    [ENV.retentionDays]: '400',
    [ENV.signInIssuer]: signIn.issuer,
    [ENV.signInClient]: signIn.clientId,
    [ENV.alertWindows]: '60,600,43200,14400',
    ...(wish.egress === undefined ? {} : { [ENV.egress]: wish.egress }),
    ...queues?.environment,
    ...Object.fromEntries(
      (Object.keys(TABLES) as TableName[]).map((table) => [TABLES[table].env, store.names[table]]),
    ),
  }
  Object.assign(process.env, environment)
  const keys = keyAdmin(store.client, store.names.keys)
  const newKey = async (type: KeyType, { plan = 'enterprise', expired = false }: KeyWish = {}) => {
    const madeAt = expired ? Date.now() - 120_000 : Date.now()
    const acts = {
      keys,
      clock: () => madeAt,
      newId: (prefix: string, at: number) => `${prefix}_${ulid(at)}`,
      random: (bytes: number) => randomBytes(bytes),
      hash: keyHash,
    }
    const given = {
      name: 'test',
      type,
      plan,
      expires_at: expired ? writeInstant(madeAt + 60_000) : null,
      created_by: 'test',
    } as const
    const { apiKey, key } = await createKey(acts, given)
    return { id: apiKey.id, key }
  }
  const [admin, assistant] = [await newKey('admin'), await newKey('assistant')]
  // A fast machine sends more in a minute than the limit of one key.
  let key = admin.key
  let untilNext = REQUESTS_OF_A_KEY
  let tokens = 0
  /** Each a user of their own: the plan of people is soon used up by a test. */
  const newAdmin = () => {
    tokens += 1
    return withKey(signIn.token('admin', { sub: `test-${Math.floor(tokens / REQUESTS_OF_A_USER)}` }))
  }
  const permitted: Service['permitted'] = (operation) =>
    (operations[operation] as Operation).people === true ? newAdmin() : withKey(key)
  const call: Service['call'] = async (operation, sent = {}) => {
    if (sent.headers === undefined) {
      untilNext -= 1
      if (untilNext === 0) {
        untilNext = REQUESTS_OF_A_KEY
        key = (await newKey('admin')).key
      }
    }
    const { method, path } = operations[operation]
    const handler = await handlerOf(`api/${operation}`)
    const given: Readonly<Record<string, string>> = { id: sent.id ?? '', ...sent.parameters }
    const real = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ''))
    return send(handler, { method, resource: path, path: real, headers: permitted(operation), ...sent })
  }
  return {
    store,
    folder,
    objects,
    bundles,
    adminKey: admin.key,
    assistantKey: assistant.key,
    signIn,
    asUser: (name) => withKey(signIn.token(name)),
    permitted,
    newKey,
    revokeKey: (id) => keys.revoke(id, Date.now(), 'test'),
    call,
    done: async (operation, sent) => {
      const got = await call(operation, sent)
      if (got.status >= 300) throw new Error(`${operation}: ${got.status} ${JSON.stringify(got.body)}`)
      return got.body
    },
    messages: async (name = 'investigations') => {
      if (queues === undefined) throw new Error('the service was started without a queue')
      return queues.messages(name)
    },
    stop: async () => {
      await queues?.stop()
      await signIn.stop()
      await store.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
