import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { ENV, TABLES, type TableName } from '#shared/names.ts'
import { CONSOLE_FILES } from '../build-console.ts'
import { createTables, type TableNames, tableNames } from './create-tables.ts'
import { type FolderPaths, fileProblem } from './data-folder.ts'
import type { Deployment } from './deployment.ts'
import { startDynamoDb } from './dynamodb-emulator.ts'
import { type LocalKeys, localKeys } from './local-keys.ts'
import { createQueues, type QueueAddress, startSqs } from './queue-emulator.ts'
import { type SignIn, startSignIn } from './sign-in.ts'
import { LOCAL_REGION } from './stream-poller.ts'

/** Prefix of the names of local tables and queues. */
const PREFIX = 'local'

/** How clients reach the emulators. */
export interface Connection {
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

export interface BackingOptions {
  readonly folder: FolderPaths
  /** Folder that bundle integrations may read, when not the data folder's own. */
  readonly bundles?: string
  /** Refuses http and private addresses to outgoing requests, as deployed. */
  readonly strictEgress: boolean
  /** Port of the sign-in pages, if it is free; otherwise any. */
  readonly signInPort?: number
  /** Tables in memory only. */
  readonly inMemory?: boolean
  /** Where `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_ENDPOINT_URL_SQS` may name emulators that run already. */
  readonly environment: Readonly<NodeJS.ProcessEnv>
}

/** What the functions stand on: tables, queues, keys, folders, and the environment that tells them where. */
export interface Backing {
  readonly connection: Connection
  readonly tables: TableNames
  readonly queues: Readonly<Record<string, QueueAddress>>
  readonly dynamoEndpoint: string
  readonly sqsEndpoint: string
  readonly dynamo: DynamoDBClient
  readonly sqs: SQSClient
  readonly keys: LocalKeys
  readonly signIn: SignIn
  /** Process of the emulator's guard, where we started one. */
  readonly emulatorPid: number | undefined
  /** Whether the tables' emulator is ours: one from elsewhere expires its items itself. */
  readonly ownsTables: boolean
  readonly bundlesFolder: string
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}

function connectionOf(environment: Readonly<NodeJS.ProcessEnv>): Connection {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } =
    environment
  const elsewhere = (AWS_ENDPOINT_URL_DYNAMODB ?? AWS_ENDPOINT_URL_SQS) !== undefined
  // Emulators of ours check no signature: real credentials have no business there.
  if (!elsewhere || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    return { region: LOCAL_REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
  }
  return {
    region: environment.AWS_REGION ?? LOCAL_REGION,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(environment.AWS_SESSION_TOKEN ? { sessionToken: environment.AWS_SESSION_TOKEN } : {}),
    },
  }
}

/** What passes from the machine into the functions' process: enough to run and to resolve names, nothing secret. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_EXTRA_CA_CERTS', ENV.windows] as const

/** Literal variables of the template; names and addresses of resources are null there. */
function literals(deployment: Pick<Deployment, 'functions'>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { environment } of Object.values(deployment.functions)) {
    for (const [name, value] of Object.entries(environment)) if (value !== null) found[name] = value
  }
  return found
}

/** @throws Error with one line that names the folder and why it cannot be used */
function makeFolder(what: string, path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw new Error(`The ${what} folder ${path} cannot be used: ${fileProblem(error)}.`, { cause: error })
  }
}

/**
 * Starts the emulators (those that the environment does not replace), creates tables, queues and keys, and says in
 * environment variables where everything is.
 * @throws Error with one line when an emulator is missing or does not start
 */
export async function startBacking(
  options: BackingOptions,
  deployment: Promise<Pick<Deployment, 'queues' | 'functions'>>,
): Promise<Backing> {
  const { folder, environment: given } = options
  // It is awaited further down; a failure until then must not end the process behind our back.
  deployment.catch(() => {})
  const connection = connectionOf(given)
  const stops: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    const signingIn = startSignIn({ file: folder.signIn, port: options.signInPort ?? 0 })
    stops.push(() =>
      signingIn.then(
        (started) => started.stop(),
        () => {},
      ),
    )
    const ownTables = given.AWS_ENDPOINT_URL_DYNAMODB === undefined
    const emulator = ownTables
      ? await startDynamoDb(options.inMemory ? {} : { dataFile: folder.database })
      : undefined
    if (emulator !== undefined) stops.push(() => emulator.stop())
    const dynamoEndpoint = emulator?.endpoint ?? given.AWS_ENDPOINT_URL_DYNAMODB ?? ''
    const queueEmulator = given.AWS_ENDPOINT_URL_SQS === undefined ? await startSqs() : undefined
    if (queueEmulator !== undefined) stops.push(() => queueEmulator.stop())
    const sqsEndpoint = queueEmulator?.endpoint ?? given.AWS_ENDPOINT_URL_SQS ?? ''

    const dynamo = new DynamoDBClient({ ...connection, endpoint: dynamoEndpoint })
    stops.push(() => dynamo.destroy())
    const sqs = new SQSClient({ ...connection, endpoint: sqsEndpoint })
    stops.push(() => sqs.destroy())
    const tables = tableNames(PREFIX)
    await createTables(dynamo, tables)
    const documents = documentClient({ ...connection, endpoint: dynamoEndpoint })
    stops.push(() => documents.destroy())
    const keys = await localKeys(folder.keys, keyAdmin(documents, tables.keys), Date.now())
    const bundlesFolder = resolve(options.bundles ?? folder.bundles)
    const signIn = await signingIn
    makeFolder('objects', folder.objects)
    makeFolder('bundles', bundlesFolder)

    const read = await deployment
    const queues = await createQueues(sqs, sqsEndpoint, read.queues, PREFIX)
    const { accessKeyId, secretAccessKey, sessionToken } = connection.credentials
    const environment: Record<string, string> = {
      ...Object.fromEntries(
        PASSED_ON.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
      ),
      ...literals(read),
      // What went well is told by the answers; a person who reads along wants what did not. Given, it is kept.
      LOG_LEVEL: given.LOG_LEVEL ?? 'WARN',
      ...Object.fromEntries(
        (Object.keys(TABLES) as TableName[]).map((table) => [TABLES[table].env, tables[table]]),
      ),
      [ENV.investigationsQueueUrl]: queues.investigations?.url ?? '',
      [ENV.deliveriesQueueUrl]: queues.deliveries?.url ?? '',
      [ENV.signInIssuer]: signIn.issuer,
      [ENV.signInClient]: signIn.clientId,
      [ENV.alertsQueueUrl]: queues.alerts?.url ?? '',
      [ENV.signInAddress]: signIn.issuer,
      [ENV.consoleFolder]: CONSOLE_FILES,
      [ENV.objectsFolder]: folder.objects,
      [ENV.bundlesFolder]: bundlesFolder,
      [ENV.sealKeyFile]: folder.sealKey,
      [ENV.egress]: options.strictEgress ? 'strict' : 'local',
      AWS_ENDPOINT_URL_DYNAMODB: dynamoEndpoint,
      AWS_ENDPOINT_URL_SQS: sqsEndpoint,
      AWS_REGION: connection.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      // Lambda runs in UTC, wherever the machine is.
      TZ: 'UTC',
    }
    return {
      connection,
      tables,
      queues,
      dynamoEndpoint,
      sqsEndpoint,
      dynamo,
      sqs,
      keys,
      signIn,
      emulatorPid: emulator?.pid,
      ownsTables: ownTables,
      bundlesFolder,
      environment,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
