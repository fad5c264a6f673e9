import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildConsole, CONSOLE_FILES } from '#infra/build-console.ts'
import { type FunctionId, functionPlans } from '#infra/functions.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { startSignIn } from '#infra/local/sign-in.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { idMaker } from '#shared/adapters/new-id.ts'
import { writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { examples } from '#shared/contract/examples.ts'
import { type Operation, type OperationId, operations } from '#shared/contract/operations.ts'
import { createKey } from '#shared/domain/create-key.ts'
import { ENV, TABLES, type TableName } from '#shared/names.ts'
import { eventOf } from '#test/edge/call-endpoint.ts'
import { EMULATOR_CREDENTIALS, startTestStore } from '#test/storage/emulator.ts'
import { startReplayingAws } from './replaying-aws.ts'
import { startStandInAws } from './stand-in-aws.ts'

const CHILD = fileURLToPath(new URL('first-call.mjs', import.meta.url))
const run = promisify(execFile)

/** What a fresh process told of its first call. */
export interface FirstCall {
  readonly import_ms: number
  readonly first_ms: number
  /** Time of the processor over both. */
  readonly cpu_ms: number
  readonly status: number | null
  readonly body: string
  /** What a function has no use for (undici, http2, child processes, the Web's streams) among the modules of Node that its import loaded. */
  readonly loaded_at_import: readonly string[]
  readonly loaded_after_first: readonly string[]
}

/** Everything that a function meets: tables in an emulator, stand-ins for the rest, its own environment and no more. */
export interface FirstGround {
  /**
   * Loads a file in a fresh process as the function with that id, and gives it a request that it can answer.
   * @param further variables of the environment beside those that the stack gives it
   */
  call(id: FunctionId, file: string, further?: Readonly<Record<string, string>>): Promise<FirstCall>
  /**
   * The same with the answers of AWS kept, by the function's id: from then on `replay` has them.
   * @returns what it told; where the function answered, that is what its replays must answer
   */
  record(id: FunctionId, file: string): Promise<FirstCall>
  /**
   * The same with the answers that were kept, from a process that does nothing else.
   * @throws Error when it asks for what was not recorded, or ends otherwise than it did then
   */
  replay(id: FunctionId, file: string, further?: Readonly<Record<string, string>>): Promise<FirstCall>
  /** Loads a file that is no function of the service in a fresh process, and gives it an event. */
  callOther(file: string, event: unknown): Promise<FirstCall>
  stop(): Promise<void>
}

const isOperation = (id: string): id is OperationId => id in operations
const isOfPeople = (id: string): boolean => isOperation(id) && (operations[id] as Operation).people === true

/** An event that the function goes all its way with, as far as that needs nothing outside of AWS. */
function firstEvent(id: FunctionId, key: string, newId: (prefix: string) => string): unknown {
  const headers = { Authorization: `Bearer ${key}` }
  const incident_id = newId('inc')
  if (id === 'refuse-unknown') return eventOf({ path: '/nothing', resource: '/{proxy+}', headers })
  if (id === 'serve-console') return eventOf({ path: '/console' })
  if (id === 'sweep-investigations' || id === 'sweep-deliveries' || id === 'check-integrations') return {}
  if (id === 'deliver-webhook') {
    const call = { webhook_id: newId('wh'), delivery_id: newId('dlv'), due_at: Date.now() }
    return { Records: [{ messageId: 'one', body: JSON.stringify(call) }] }
  }
  if (id === 'investigate-incident')
    return { Records: [{ messageId: 'one', body: JSON.stringify({ incident_id }) }] }
  if (id === 'take-alerts') {
    const alerts = [{ status: 'firing', labels: { alertname: 'Down', service: 'checkout' } }]
    const text = writeAlertMessage({
      integration_id: newId('alertmanager'),
      config: {},
      headers: {},
      received_at: Date.now(),
      body: Buffer.from(JSON.stringify({ alerts })),
    })
    return { Records: [{ messageId: 'one', body: text }] }
  }
  if (id === 'relay-events') {
    const NewImage = {
      sk: { S: 'INCIDENT' },
      id: { S: incident_id },
      analysis: { S: 'pending' },
      due_at: { N: '1' },
    }
    return { Records: [{ eventID: '1', dynamodb: { SequenceNumber: '1', NewImage } }] }
  }
  if (!isOperation(id)) throw new Error(`no first event is known for ${id}`)
  const { method, path } = operations[id]
  const prefix = { incidents: 'inc', integrations: 'bundle', keys: 'key', webhooks: 'wh', query: 'query' }[
    path.split('/')[1] ?? ''
  ]
  const bundle = { type: 'bundle', config: { prefix: 'one' } }
  const since = { since: new Date(Date.now() - 60_000).toISOString() }
  const body =
    id === 'create-integration'
      ? bundle
      : id === 'recover-webhook'
        ? since
        : method === 'GET'
          ? undefined
          : examples[id]?.[0]?.body
  return eventOf({
    method,
    resource: path,
    path: path.replace('{id}', 'x'),
    headers,
    ...(path.includes('{id}') ? { id: newId(id === 'push-events' ? 'alertmanager' : (prefix ?? '')) } : {}),
    ...(path.includes('{delivery_id}') ? { parameters: { delivery_id: newId('dlv') } } : {}),
    ...(body === undefined ? {} : { body }),
  })
}

/** Prepares the ground; stop it at the end. */
export async function prepareFirstGround(): Promise<FirstGround> {
  const [store, aws, deployment, folder] = await Promise.all([
    startTestStore(),
    startStandInAws(),
    readDeployment(),
    mkdtemp(join(tmpdir(), 'first-call-')),
    buildConsole(),
  ])
  const replaying = await startReplayingAws({ dynamodb: store.endpoint, rest: aws.endpoint })
  const signIn = await startSignIn({ file: join(folder, 'sign-in.json') })
  const make = idMaker()
  const newId = (prefix: string) => make(prefix, Date.now())
  const { key } = await createKey(
    {
      keys: keyAdmin(store.client, store.names.keys),
      clock: Date.now,
      newId: make,
      random: (bytes) => randomBytes(bytes),
      hash: keyHash,
    },
    { name: 'bench', type: 'admin', plan: 'enterprise', expires_at: null, created_by: 'bench' },
  )
  const valuesAt = (endpoint: string): Readonly<Record<string, string>> => ({
    [ENV.bucket]: 'bucket',
    [ENV.sealKeyId]: 'key',
    [ENV.signInIssuer]: signIn.issuer,
    [ENV.signInClient]: signIn.clientId,
    [ENV.signInAddress]: signIn.issuer,
    // Deployed, beside the code.
    [ENV.consoleFolder]: CONSOLE_FILES,
    [ENV.investigationsQueueUrl]: `${endpoint}/000000000000/investigations`,
    [ENV.deliveriesQueueUrl]: `${endpoint}/000000000000/deliveries`,
    [ENV.alertsQueueUrl]: `${endpoint}/000000000000/alerts`,
    ...Object.fromEntries(
      (Object.keys(TABLES) as TableName[]).map((table) => [TABLES[table].env, store.names[table]]),
    ),
  })
  const direct = { aws: aws.endpoint, dynamodb: store.endpoint }
  /** What Lambda sets, and what the stack gives this function: not a variable more. */
  const environmentOf = (id: FunctionId, at = direct): Record<string, string> => {
    const values = valuesAt(at.aws)
    const given = Object.entries(deployment.functions[id]?.environment ?? {}).map(([name, literal]) => {
      const value = values[name] ?? literal
      if (value === undefined) throw new Error(`${id} is given ${name}, for which the bench has no value`)
      return [name, value] as const
    })
    return {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: EMULATOR_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_CREDENTIALS.secretAccessKey,
      AWS_SESSION_TOKEN: 'token',
      AWS_LAMBDA_FUNCTION_NAME: id,
      AWS_ENDPOINT_URL: at.aws,
      AWS_ENDPOINT_URL_DYNAMODB: at.dynamodb,
      ...Object.fromEntries(given),
    }
  }
  for (const { id } of functionPlans)
    await writeFile(
      join(folder, `${id}.json`),
      JSON.stringify(firstEvent(id, isOfPeople(id) ? signIn.token('admin') : key, newId)),
    )
  const firstCall = async (file: string, eventFile: string, env: Record<string, string>) => {
    const { stdout } = await run(process.execPath, [CHILD, file, eventFile], { env })
    return JSON.parse(stdout) as FirstCall
  }
  const through = (way: 'record' | 'replay', id: FunctionId, file: string, further = {}) => {
    const address = replaying.address(id, way)
    const env = { ...environmentOf(id, { aws: address, dynamodb: address }), ...further }
    return firstCall(file, join(folder, `${id}.json`), env)
  }
  const statuses = new Map<FunctionId, number | null>()
  return {
    call: (id, file, further) =>
      firstCall(file, join(folder, `${id}.json`), { ...environmentOf(id), ...further }),
    record: async (id, file) => {
      const call = await through('record', id, file)
      statuses.set(id, call.status)
      return call
    },
    replay: async (id, file, further) => {
      const call = await through('replay', id, file, further)
      const [unknown] = replaying.unknown
      if (unknown !== undefined) throw new Error(`not recorded: ${unknown}`)
      if (call.status !== statuses.get(id))
        throw new Error(`${id} answered ${call.status}, and ${statuses.get(id)} when it was recorded`)
      return call
    },
    callOther: async (file, event) => {
      const eventFile = join(folder, 'other.json')
      await writeFile(eventFile, JSON.stringify(event))
      return firstCall(file, eventFile, { AWS_REGION: 'us-east-1', AWS_LAMBDA_FUNCTION_NAME: 'other' })
    },
    stop: async () => {
      await Promise.all([store.stop(), aws.stop(), signIn.stop(), replaying.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
