import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildConsole, CONSOLE_FILES } from '#infra/build-console.ts'
import { bundleFunctions } from '#infra/bundling/bundle-functions.ts'
import { BUNDLES, entryOf } from '#infra/bundling/bundle-places.ts'
import { functionPlans } from '#infra/functions.ts'
import { createTables, type TableNames } from '#infra/local/create-tables.ts'
import { type RunningDynamoDb, startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { type FunctionHost, startFunctionHost } from '#infra/local/function-host.ts'
import type { LocalKey } from '#infra/local/local-keys.ts'
import { readDeployment } from '#infra/local/read-deployment.ts'
import { EVENTS, readEvent, type SampleCredentials } from '#infra/local/sample-events.ts'
import { type SignIn, startSignIn } from '#infra/local/sign-in.ts'
import { sampleOutageFiles } from '#infra/sample-outage/write-sample-outage.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { idMaker } from '#shared/adapters/new-id.ts'
import { writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { operationList } from '#shared/contract/operations.ts'
import type { KeyType } from '#shared/domain/api-key.ts'
import { createKey } from '#shared/domain/create-key.ts'
import type { KeyAdmin } from '#shared/domain/ports.ts'
import { ENV, TABLES } from '#shared/names.ts'
import { alarmEvent } from '#test/endpoints/sender.ts'
import { namedRoles } from './public-surface.ts'
import {
  BUCKET_NAME,
  isGranted,
  type Needed,
  neededByDynamo,
  type RoleGuard,
  startRoleGuard,
} from './role-guard.ts'
import { synthesise } from './synthesise.ts'

/** Tables go by the names of their constructs, as roles name them here. */
const TABLE_NAMES = Object.fromEntries(
  Object.keys(TABLES).map((name) => [name, `${name.charAt(0).toUpperCase()}${name.slice(1)}Table`]),
) as TableNames
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }
const REGION = 'eu-central-1'

const deployment = await readDeployment()
const roles = namedRoles(synthesise())
const folder = mkdtempSync(path.join(tmpdir(), 'incident-investigator-roles-'))

let dynamo: RunningDynamoDb
let guard: RoleGuard
let keys: SampleCredentials
let signIn: SignIn
/** What each function asked for in all its invocations. */
const used = new Map<string, Needed[]>()
const hosts = new Map<string, FunctionHost>()
const logs = new Map<string, string>()

beforeAll(async () => {
  dynamo = await startDynamoDb()
  const bundle = [...sampleOutageFiles(Date.now())]
  guard = await startRoleGuard(
    dynamo.endpoint,
    new Map(bundle.map(([name, text]) => [`bundles/sample-outage/${name}`, text])),
  )
  const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  await createTables(client, TABLE_NAMES)
  await buildConsole()
  await bundleFunctions()
  signIn = await startSignIn({ file: path.join(folder, 'sign-in.json') })
  const newKey = async (type: KeyType) => busyKey(keyAdmin(client, TABLE_NAMES.keys), type)
  keys = {
    admin: await newKey('admin'),
    assistant: await newKey('assistant'),
    adminToken: signIn.token('admin'),
  }
})

/** A key of the larger plan: where machines are quick, more requests than the other allows are made in a minute. */
async function busyKey(admin: KeyAdmin, type: KeyType): Promise<LocalKey> {
  const acts = { keys: admin, clock: Date.now, newId: idMaker(), random: randomBytes, hash: keyHash }
  const given = {
    name: `busy ${type}`,
    type,
    plan: 'enterprise',
    expires_at: null,
    created_by: 'test',
  } as const
  const { apiKey, key } = await createKey(acts, given)
  return { id: apiKey.id, key }
}

// Every bundle that is connected is read for every question: those of the tests before would say the same again.
beforeEach(async () => {
  const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: TABLE_NAMES.integrations,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'INTEGRATION' },
    }),
  )
  for (const { pk, sk } of Items)
    await client.send(new DeleteCommand({ TableName: TABLE_NAMES.integrations, Key: { pk, sk } }))
  client.destroy()
})

afterAll(async () => {
  await Promise.all([...hosts.values()].map((host) => host.close()))
  guard.close()
  await signIn.stop()
  await dynamo.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The environment that the template gives the function, with names of what is here; and Lambda's own. */
function environmentOf(id: string): Record<string, string> {
  const values: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.entries(TABLES).map(([name, { env }]) => [env, TABLE_NAMES[name as keyof TableNames]]),
    ),
    [ENV.bucket]: BUCKET_NAME,
    [ENV.sealKeyId]: 'SealKey',
    [ENV.signInIssuer]: signIn.issuer,
    [ENV.signInClient]: signIn.clientId,
    [ENV.signInAddress]: signIn.issuer,
    // Deployed, beside the code.
    [ENV.consoleFolder]: CONSOLE_FILES,
    [ENV.investigationsQueueUrl]: `${guard.endpoint}/000000000000/InvestigationsQueue`,
    [ENV.deliveriesQueueUrl]: `${guard.endpoint}/000000000000/DeliveriesQueue`,
    [ENV.alertsQueueUrl]: `${guard.endpoint}/000000000000/AlertsQueue`,
  }
  const given = Object.entries(deployment.functions[id]?.environment ?? {})
  return {
    ...Object.fromEntries(given.map(([name, value]) => [name, values[name] ?? value ?? ''])),
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyOf(id),
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: guard.endpoint,
  }
}

/** What tells environments apart. */
const environmentName = (id: string): string =>
  Object.keys(deployment.functions[id]?.environment ?? {})
    .sort()
    .join()

/** The key that tells the process of a function: each environment has its own. */
const accessKeyOf = (id: string): string =>
  `local${createHash('sha256').update(environmentName(id)).digest('hex').slice(0, 12)}`

/** A process for each environment, so that no function lives on what another was given. */
function hostOf(id: string): FunctionHost {
  const name = environmentName(id)
  const known = hosts.get(name)
  if (known !== undefined) return known
  const output = new PassThrough()
  output.on('data', (chunk: Buffer) => logs.set(name, `${logs.get(name) ?? ''}${chunk.toString()}`))
  // As they are deployed: a process of sources takes ten times as long to begin, and some eighty begin here.
  const functions = Object.fromEntries(
    Object.entries(deployment.functions)
      .filter(([other]) => environmentName(other) === name)
      .map(([other, plan]) => [other, { ...plan, file: path.relative(BUNDLES, entryOf(other)) }]),
  )
  const host = startFunctionHost({ functions, root: BUNDLES, environment: environmentOf(id), output })
  hosts.set(name, host)
  return host
}

const logOf = (id: string): string => logs.get(environmentName(id)) ?? ''

/**
 * The samples are for the local runner. Deployed, a bundle lies in the bucket, and a receiver is called by https; one
 * whose name does not resolve now is taken.
 */
const AS_DEPLOYED = [
  ['\\"path\\":\\"sample-outage\\"', '\\"prefix\\":\\"sample-outage\\"'],
  ['http://127.0.0.1:9099/', 'https://receiver.invalid/'],
] as const
const asDeployed = (event: unknown): unknown =>
  JSON.parse(
    AS_DEPLOYED.reduce((text, [local, deployed]) => text.replace(local, deployed), JSON.stringify(event)),
  )

async function invoke(id: string, event: unknown): Promise<unknown> {
  const role = roles.get(id)
  if (role === undefined) throw new Error(`${id} has no role`)
  guard.actAs(role, accessKeyOf(id))
  const outcome = await hostOf(id).invoke(id, asDeployed(event))
  used.set(id, [...(used.get(id) ?? []), ...guard.asked])
  if (!outcome.ok) throw new Error(`${id}: ${outcome.error.message}\n${logOf(id)}`)
  return outcome.payload
}

/** What each function is asked for at least, so that a sample that does nothing proves nothing. */
const DOES_NOTHING = new Set(['get-openapi', 'get-health', 'serve-console'])

describe('with its own role and environment alone', () => {
  it.each(functionPlans.map(({ id }) => id))('%s does its work', async (id) => {
    const event = await readEvent(`${EVENTS}/${id}.json`, keys, invoke)
    const answer = ((await invoke(id, event)) ?? {}) as { statusCode?: number; batchItemFailures?: unknown[] }
    expect(guard.forbidden, logOf(id)).toEqual([])
    expect(answer.statusCode ?? 200, `${JSON.stringify(answer)}\n${logOf(id)}`).toBeLessThan(500)
    expect(answer.batchItemFailures ?? [], logOf(id)).toEqual([])
    expect(guard.asked.length > 0).toBe(!DOES_NOTHING.has(id))
    if (id !== 'refuse-unknown') expect(answer.statusCode ?? 200, JSON.stringify(answer)).toBeLessThan(400)
  })
})

interface ApiEvent {
  readonly body?: string | null
}

/** The sample event of a function with another body or query. */
async function sampleWith(
  id: string,
  {
    id: resource,
    body,
    query,
  }: {
    readonly id?: string
    readonly body?: unknown
    readonly query?: Readonly<Record<string, string>>
  },
): Promise<unknown> {
  const event = (await readEvent(`${EVENTS}/${id}.json`, keys, invoke)) as ApiEvent
  return {
    ...event,
    ...(resource === undefined ? {} : { pathParameters: { id: resource } }),
    ...(body === undefined ? {} : { body: JSON.stringify(body), isBase64Encoded: false }),
    ...(query === undefined
      ? {}
      : {
          queryStringParameters: query,
          multiValueQueryStringParameters: Object.fromEntries(
            Object.entries(query).map(([name, value]) => [name, [value]]),
          ),
        }),
  }
}

/** Invokes and expects neither a refusal by the role nor an error. */
async function works(id: string, event: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { statusCode, body } = (await invoke(id, event)) as { statusCode: number; body: string }
  expect(guard.forbidden, logOf(id)).toEqual([])
  expect(statusCode, `${body}\n${logOf(id)}`).toBeLessThan(400)
  return JSON.parse(body) as Readonly<Record<string, unknown>>
}

/** Ends the process of a function: the next invocation finds nothing kept. */
async function forget(id: string): Promise<void> {
  await hosts.get(environmentName(id))?.close()
  hosts.delete(environmentName(id))
}

const LISTS = [
  ['list-incidents', 'create-incident'],
  ['list-integrations', 'create-integration'],
  ['list-webhooks', 'create-webhook'],
  ['list-keys', 'create-key'],
] as const

describe('the same holds', () => {
  it.each(LISTS)('for a second page of %s, whose cursor another process signed', async (list, create) => {
    for (let made = 0; made < 2; made += 1) await works(create, await sampleWith(create, {}))
    const first = await works(list, await sampleWith(list, { query: { limit: '1' } }))
    expect(first.next_cursor).toEqual(expect.any(String))
    await forget(list)
    await works(list, await sampleWith(list, { query: { limit: '1', cursor: String(first.next_cursor) } }))
  })

  it.each([{}, { status: 'open' }, { severity: 'high' }, { status: 'open', severity: 'high' }])(
    'for incidents filtered by %j',
    async (query: Readonly<Record<string, string>>) => {
      await works('list-incidents', await sampleWith('list-incidents', { query }))
    },
  )

  it.each([
    'Why does checkout fail?',
    'Which incidents are there?',
    'Which incidents are resolved?',
    'Which incidents are critical?',
    'Which critical incidents are resolved?',
  ])('for the question "%s", with a bundle connected', async (query) => {
    await works('create-integration', await sampleWith('create-integration', {}))
    const { id } = await works('answer-query', await sampleWith('answer-query', { body: { query } }))
    await works('verify-query', await sampleWith('verify-query', { id: String(id) }))
  })

  it('for the evidence of an answer and of a root cause', async () => {
    await works('create-integration', await sampleWith('create-integration', {}))
    const again = await sampleWith('verify-query', {})
    // The process that answered has opened the settings already; its successor opens them anew.
    await forget('verify-query')
    await works('verify-query', again)
    const event = await readEvent(`${EVENTS}/investigate-incident.json`, keys, invoke)
    await invoke('investigate-incident', event)
    const [record] = (event as { Records: { body: string }[] }).Records
    const { incident_id } = JSON.parse(record?.body ?? '{}') as { incident_id: string }
    await works('verify-incident', await sampleWith('verify-incident', { id: incident_id }))
    await works('get-incident-charts', await sampleWith('get-incident-charts', { id: incident_id }))
    await works('request-investigation', await sampleWith('request-investigation', { id: incident_id }))
    await invoke('investigate-incident', event)
    expect(guard.forbidden, logOf('investigate-incident')).toEqual([])
  })

  it('for a question about an answer, and about an incident', async () => {
    const ask = async (body: object) => works('answer-query', await sampleWith('answer-query', { body }))
    const { id: previous_query_id } = await ask({ query: 'Why does checkout fail?' })
    const { id: incident_id } = await works('create-incident', await sampleWith('create-incident', {}))
    await ask({ query: 'What changed?', context: { incident_id } })
    const context = { previous_query_id }
    expect(await ask({ query: 'What was asked?', context })).toMatchObject({
      // The bucket of this test keeps nothing: the snapshot is asked for and not there.
      understood: { carried_over: ['service', 'window'] },
    })
    // Four functions begin here.
  }, 90_000)

  it('for new settings of an integration', async () => {
    const body = { config: { prefix: 'sample-outage' } }
    const event = await sampleWith('update-integration', { body })
    await forget('update-integration')
    await works('update-integration', event)
  })

  it('for an integration that another process connected, checked now', async () => {
    const event = await sampleWith('check-integration', {})
    await forget('check-integration')
    await works('check-integration', event)
  })
})

describe('the same holds for a request that is sent again', () => {
  it.each(operationList.filter(({ repeats }) => repeats !== undefined).map(({ id }) => id))(
    'with its key: %s',
    async (id) => {
      const event = (await sampleWith(id, {})) as {
        readonly headers: Readonly<Record<string, string>>
        readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>
      }
      const name = 'Idempotency-Key'
      const keyed = {
        ...event,
        headers: { ...event.headers, [name]: id },
        multiValueHeaders: { ...event.multiValueHeaders, [name]: [id] },
      }
      await works(id, keyed)
      await forget(id)
      const again = (await invoke(id, keyed)) as { readonly headers: Readonly<Record<string, string>> }
      expect(guard.forbidden, logOf(id)).toEqual([])
      expect(again.headers['Idempotency-Replayed'], JSON.stringify(again)).toBe('true')
    },
  )
})

/** A change of the tables behind the functions' backs. */
async function put(table: string, item: Readonly<Record<string, unknown>>): Promise<void> {
  const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  await client.send(new PutCommand({ TableName: table, Item: item }))
  client.destroy()
}

async function overdue(table: string, key: Readonly<Record<string, string>>): Promise<void> {
  const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  await client.send(
    new UpdateCommand({
      TableName: table,
      Key: key,
      UpdateExpression: 'SET due_list = :list, due_at = :long_ago',
      ExpressionAttributeValues: { ':list': table === 'WebhooksTable' ? 'DUE#0' : 'FAN_OUT', ':long_ago': 1 },
    }),
  )
  client.destroy()
}

interface Redelivery {
  readonly pathParameters: { readonly id: string; readonly delivery_id: string }
}
const deliveryOf = async () =>
  ((await readEvent(`${EVENTS}/redeliver.json`, keys, invoke)) as Redelivery).pathParameters

describe('the same holds for deliveries', () => {
  it('when a process that has opened no secret yet enables, pings, or rotates', async () => {
    const enabled = await sampleWith('update-webhook', { body: { status: 'disabled' } })
    await works('update-webhook', enabled)
    await forget('update-webhook')
    await invoke('update-webhook', { ...(enabled as object), body: '{"status":"enabled"}' })
    expect(guard.forbidden).toEqual([])
    for (const id of ['ping-webhook', 'rotate-webhook-secret']) {
      const event = await sampleWith(id, {})
      await forget(id)
      await works(id, event)
    }
  })

  it('when a list has a second page, whose cursor another process signed', async () => {
    const { id, delivery_id } = await deliveryOf()
    const item = { pk: `DELIVERY#${id}`, webhook_id: id, event_kind: 'incident.created', status: 'failed' }
    const about = { reason: 'exhausted', trigger: 'event', attempts: 1, next_attempt_at: 1, lease_until: 0 }
    for (const end of ['0', '1']) {
      const other = `${delivery_id.slice(0, -1)}${end}`
      await put('WebhooksTable', {
        ...item,
        ...about,
        sk: other,
        id: other,
        fence: 0,
        created_at: 1,
        updated_at: 1,
      })
    }
    const listing = await sampleWith('list-deliveries', { query: { limit: '1' } })
    const of = { ...(listing as object), pathParameters: { id } }
    const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
    const Key = { pk: 'CURSOR_KEYS', sk: 'CURSOR_KEYS' }
    await client.send(new DeleteCommand({ TableName: 'WebhooksTable', Key }))
    client.destroy()
    await forget('list-deliveries')
    const { next_cursor } = await works('list-deliveries', of)
    await forget('list-deliveries')
    const query = { limit: '1', cursor: String(next_cursor) }
    await works('list-deliveries', {
      ...of,
      queryStringParameters: query,
      multiValueQueryStringParameters: { limit: ['1'], cursor: [query.cursor] },
    })
  })

  it('when the worker recovers what failed, and opens a secret anew', async () => {
    const { id, delivery_id } = await deliveryOf()
    const recovery = { id: 'rec_1', webhook_id: id, since: 0, after: null, resent: 0 }
    await put('WebhooksTable', {
      pk: `RECOVERY#${id}`,
      sk: 'RECOVERY',
      ...recovery,
      due_list: 'DUE#0',
      due_at: 1,
    })
    await forget('deliver-webhook')
    for (const message of [{ webhook_id: id, delivery_id }, { webhook_id: id }]) {
      const body = JSON.stringify({ ...message, due_at: 1 })
      const answer = await invoke('deliver-webhook', { Records: [{ messageId: 'one', body }] })
      expect(answer, logOf('deliver-webhook')).toEqual({ batchItemFailures: [] })
      expect(guard.forbidden).toEqual([])
    }
  })

  it('when the sweeper finds events without deliveries, deliveries and recoveries that are overdue', async () => {
    const { id, delivery_id } = await deliveryOf()
    const incident = await works('create-incident', await sampleWith('create-incident', {}))
    const event = String(incident.id).replace('inc_', 'evt_')
    await overdue('IncidentsTable', { pk: `EVENT#${event}`, sk: 'EVENT' })
    await overdue('WebhooksTable', { pk: `DELIVERY#${id}`, sk: delivery_id })
    const answer = (await invoke('sweep-deliveries', {})) as { readonly rung: number }
    expect(guard.forbidden, logOf('sweep-deliveries')).toEqual([])
    expect(answer.rung).toBeGreaterThan(1)
  })
})

describe('the same holds for integrations', () => {
  it('when they are checked on their schedule', async () => {
    const { id } = await works('create-integration', await sampleWith('create-integration', {}))
    const [type = '', ulid = ''] = String(id).split('_')
    const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
    await client.send(
      new UpdateCommand({
        TableName: 'IntegrationsTable',
        Key: { pk: 'INTEGRATION', sk: `${ulid}#${type}` },
        UpdateExpression: 'SET updated_at = :long_ago',
        ExpressionAttributeValues: { ':long_ago': '2026-01-01T00:00:00.000Z' },
      }),
    )
    client.destroy()
    const answer = (await invoke('check-integrations', {})) as { readonly rung: number }
    expect(guard.forbidden, logOf('check-integrations')).toEqual([])
    expect(answer.rung).toBeGreaterThan(0)
  })
})

describe('the same holds for alerts', () => {
  const alert = (fingerprint: string, status: string, service = 'orders') => ({
    status,
    fingerprint,
    labels: { alertname: 'Errors', service },
    startsAt: '2026-01-31T12:00:00Z',
    endsAt: '2026-01-31T12:01:00Z',
  })
  const message = (type: string, headers: Record<string, string>, body: unknown) =>
    writeAlertMessage({
      integration_id: `${type}_01KG9XH200000000000000000A`,
      config: {},
      headers,
      received_at: Date.now(),
      body: Buffer.from(JSON.stringify(body)),
    })
  const takes = async (...bodies: readonly (string | null)[]) => {
    const Records = bodies.map((body, index) => ({ messageId: String(index), body }))
    expect(await invoke('take-alerts', { Records }), logOf('take-alerts')).toEqual({ batchItemFailures: [] })
    expect(guard.forbidden, logOf('take-alerts')).toEqual([])
  }
  const firing = (...alerts: readonly object[]) => message('alertmanager', {}, { alerts })

  it('when they open an incident, join it and are over, and when a change is told', async () => {
    await takes(firing(alert('a', 'firing')))
    await takes(firing(alert('b', 'firing')))
    await takes(firing(alert('a', 'resolved'), alert('b', 'resolved')))
    const deployment = { id: 5, sha: 'f95f852bd8', created_at: '2026-01-31T12:00:00Z' }
    const deployed = { repository: { full_name: 'acme/shop' }, deployment }
    await takes(message('github', { 'x-github-event': 'deployment' }, deployed))
    await takes(JSON.stringify(alarmEvent()))
  })

  it('when the sweeper ends what is silent, and resolves an incident whose alerts are over', async () => {
    await takes(firing(alert('silent', 'firing', 'cart')))
    const client = documentClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
    const { Items = [] } = await client.send(
      new ScanCommand({
        TableName: 'IncidentsTable',
        FilterExpression: 'begins_with(pk, :prefix)',
        ExpressionAttributeValues: { ':prefix': 'ALERT_GROUP#' },
      }),
    )
    for (const { pk, sk, firing: count } of Items)
      await client.send(
        new UpdateCommand({
          TableName: 'IncidentsTable',
          Key: { pk, sk },
          UpdateExpression: `SET due_at = :long_ago, ${count === 0 ? 'quiet_until' : 'stale_at'} = :long_ago`,
          ExpressionAttributeValues: { ':long_ago': 1 },
        }),
      )
    client.destroy()
    for (const runs of [1, 2]) {
      await invoke('sweep-investigations', {})
      expect(guard.forbidden, `${runs} ${logOf('sweep-investigations')}`).toEqual([])
    }
  })
})

/** What no sample uses, and who does. */
const UNUSED: readonly (readonly [RegExp, string])[] = [
  [/: (logs|xray):/, "Lambda writes logs and traces in the function's name"],
  [/^relay-events: dynamodb:\w+ on IncidentsTable\/stream$/, 'Lambda reads the stream'],
  [/^relay-events: sqs:SendMessage on RelayDeadQueue$/, 'Lambda puts aside what was given up'],
  [/^investigate-incident: sqs:\w+ on InvestigationsQueue$/, 'Lambda takes from the queue'],
  [
    /^deliver-webhook: sqs:(DeleteMessage|GetQueueAttributes|ReceiveMessage) on DeliveriesQueue$/,
    'Lambda takes from the queue',
  ],
  [
    /^take-alerts: sqs:(DeleteMessage|GetQueueAttributes|ReceiveMessage) on AlertsQueue$/,
    'Lambda takes from the queue',
  ],
  [
    /^(answer-query|ping-webhook|push-signals): dynamodb:DeleteItem on /,
    'gives back the right to work that failed under way',
  ],
  [
    /: (cloudwatch|health):\w+ on \*$/,
    'no sample has an AWS account whose metrics, alarms and health it may read',
  ],
  [
    /^check-integrations: sqs:SendMessage on AlertsQueue$/,
    'no sample has a tool that says which of its alerts fire',
  ],
  [
    /: sts:AssumeRole on arn:<AWS::Partition>:iam::\*:role\/iis-reader-\*$/,
    'no sample has another AWS account to read',
  ],
  [/: s3:(Get|Put)Object on Bucket\/(answers|root-causes)\/\*$/, 'only what is too large for an item'],
  [/: s3:(Get|Put)Object on Bucket\/sent-bodies\/\*$/, 'only what is too large for a message'],
]

describe('no role', () => {
  it('holds what its function does not use', () => {
    const unused = [...roles].flatMap(([id, statements]) =>
      statements.flatMap((statement) =>
        statement.actions.flatMap((action) =>
          statement.resources
            .filter((resource) => {
              const alone = [{ ...statement, actions: [action], resources: [resource] }]
              return !(used.get(id) ?? []).some((needed) => isGranted(alone, needed))
            })
            .map((resource) => `${id}: ${action} on ${resource}`),
        ),
      ),
    )
    expect(unused.filter((each) => !UNUSED.some(([known]) => known.test(each)))).toEqual([])
    for (const [known, why] of UNUSED)
      expect(
        unused.some((each) => known.test(each)),
        why,
      ).toBe(true)
  })
})

describe('the guard', () => {
  const [role] = [roles.get('create-webhook') ?? []]

  it('refuses what the role does not name: another action, table, partition, folder', () => {
    const put = { action: 'dynamodb:PutItem', resource: 'WebhooksTable', partition: 'WEBHOOK' }
    expect(isGranted(role, put)).toBe(true)
    expect(isGranted(role, { ...put, action: 'dynamodb:DeleteItem' })).toBe(false)
    expect(isGranted(role, { ...put, resource: 'IncidentsTable' })).toBe(false)
    expect(isGranted(role, { ...put, partition: 'CURSOR_KEYS' })).toBe(false)
    const bundle = { action: 's3:GetObject', resource: 'Bucket/bundles/a/meta.json' }
    expect(isGranted(roles.get('create-integration') ?? [], bundle)).toBe(true)
    expect(
      isGranted(roles.get('create-integration') ?? [], { ...bundle, resource: 'Bucket/answers/a' }),
    ).toBe(false)
  })

  it('sees each item of a transaction, and the partition or index of a query', () => {
    const key = { pk: { S: 'INCIDENT#1' } }
    expect(
      neededByDynamo('TransactWriteItems', {
        TableName: '',
        TransactItems: [
          { Put: { TableName: 'T', Item: key } },
          { ConditionCheck: { TableName: 'T', Key: { pk: { S: 'EVENT#1' } } } },
        ],
      }),
    ).toEqual([
      { action: 'dynamodb:PutItem', resource: 'T', partition: 'INCIDENT#1' },
      { action: 'dynamodb:ConditionCheckItem', resource: 'T', partition: 'EVENT#1' },
    ])
    const query = {
      TableName: 'T',
      KeyConditionExpression: 'pk = :a',
      ExpressionAttributeValues: { ':a': { S: 'X' } },
    }
    expect(neededByDynamo('Query', query)).toEqual([
      { action: 'dynamodb:Query', resource: 'T', partition: 'X' },
    ])
    expect(neededByDynamo('Query', { ...query, IndexName: 'by-time' })).toEqual([
      { action: 'dynamodb:Query', resource: 'T/index/by-time' },
    ])
  })
})
