import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FunctionId, functionPlans } from '#infra/functions.ts'
import { type Access, GRANTS } from '#infra/grants.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'

import { cursorKeys } from '#shared/adapters/dynamo/cursor-keys.ts'
import { itemKeys } from '#shared/adapters/dynamo/item-keys.ts'
import { writeAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { examples } from '#shared/contract/examples.ts'
import { type Operation, type OperationId, operations } from '#shared/contract/operations.ts'
import { takeAlerts } from '#shared/domain/alerts/take-alerts.ts'
import type { Tool } from '#shared/domain/integration.ts'
import { runInvestigation } from '#shared/domain/run-investigation.ts'
import { OBJECTS, TABLES, type TableName } from '#shared/names.ts'
import { AMPLE, alertOf as sampleAlert } from '#test/domain/alerts/alert-world.ts'
import type { Sent } from '#test/edge/call-endpoint.ts'
import { send } from '#test/edge/call-endpoint.ts'
import { writeCalmBundle } from '#test/endpoints/calm-bundle.ts'
import { newDelivery } from '#test/endpoints/receiver.ts'
import { unknownId } from '#test/endpoints/refusals.ts'
import { type RepeatableRequests, repeatableRequests } from '#test/endpoints/repeatable-requests.ts'
import { SAMPLE_WEBHOOK } from '#test/endpoints/sample-webhooks.ts'
import { alarmEvent, newSender } from '#test/endpoints/sender.ts'
import { handlerOf, type Service, startService, withKey } from '#test/endpoints/service.ts'
import { type Needed, neededByDynamo } from '#test/infra/role-guard.ts'
import { failCalls, type PlannedFaults } from '#test/storage/fail-calls.ts'
import { sampleEntry, sampleRootCause } from '#test/storage/sample-incidents.ts'
import { doorbellFor, investigate, relay, streamedRecords, sweep, takeIn } from '#test/workers/invocations.ts'

let service: Service
let faults: PlannedFaults
let requests: RepeatableRequests
/** What each function asked DynamoDB for, and which objects it wrote. */
const used = new Map<FunctionId, Needed[]>()
/** The function in whose name calls are made now; none while a test prepares. */
let acting: FunctionId | null = null

const runtime = () => import('#shared/runtime.ts')

/** What lies in the bucket, with its size: what a function empties it has written too. */
async function objectSizes(): Promise<Map<string, number>> {
  const found = await readdir(service.objects, { recursive: true }).catch(() => [])
  const sizes = found.map(async (file) => [file, (await stat(join(service.objects, file))).size] as const)
  return new Map(await Promise.all(sizes))
}

/** Lets a function do something, and keeps what it needed for it. */
async function as<Of>(id: FunctionId, act: () => Promise<Of>): Promise<Of> {
  const before = await objectSizes()
  acting = id
  try {
    return await act()
  } finally {
    acting = null
    for (const [file, size] of await objectSizes()) {
      const folder = Object.values(OBJECTS).find((prefix) => file.startsWith(prefix))
      // Drafts lie elsewhere; folders are none of ours.
      if (before.get(file) === size || folder === undefined) continue
      used.set(id, [...(used.get(id) ?? []), { action: 's3:PutObject', resource: folder }])
    }
  }
}
const call = (id: OperationId, sent?: Sent) => as(id, () => service.call(id, sent))

beforeAll(async () => {
  service = await startService({ queue: true })
  for (const name of ['outage', 'one', 'two']) await writeCalmBundle(join(service.bundles, name))
  requests = repeatableRequests(() => service, SAMPLE_WEBHOOK.url)
  const { documents } = await runtime()
  faults = failCalls(documents())
  documents().middlewareStack.add(
    (next, context) => (args) => {
      const { body } = args.request as { readonly body: string }
      const operation = String(context.commandName).replace(/Command$/, '')
      if (acting !== null) {
        const needed = neededByDynamo(operation, JSON.parse(body))
        used.set(acting, [...(used.get(acting) ?? []), ...needed])
      }
      return next(args)
    },
    { step: 'build', priority: 'low', name: 'recordNeeds', override: true },
  )
})
afterAll(() => service.stop())

const isLike = (value: string, pattern: string): boolean =>
  pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern

/** The table, and the index if any, that a resource is. */
function tableOf(resource: string): { readonly table: TableName; readonly index: string | undefined } {
  const [name, , index] = resource.split('/')
  const table = (Object.keys(TABLES) as TableName[]).find((each) => service.store.names[each] === name)
  if (table === undefined) throw new Error(`there is no table ${name}`)
  return { table, index }
}

/** Whether one access allows what was needed. */
function allows(access: Access, { action, resource, partition = '' }: Needed): boolean {
  const verb = action.replace(/^\w+:/, '')
  if (access.on === 'objects') {
    return OBJECTS[access.prefix] === resource && (access.actions as readonly string[]).includes(verb)
  }
  if (!action.startsWith('dynamodb:')) return false
  const { table, index } = tableOf(resource)
  if (access.on === 'index') {
    return access.table === table && index !== undefined && access.indexes.includes(index) && verb === 'Query'
  }
  if (access.on !== 'items' || access.table !== table || index !== undefined) return false
  return (
    (access.actions as readonly string[]).includes(verb) &&
    access.partitions.some((pattern) => isLike(partition, pattern))
  )
}

const incident = { title: 'Checkout fails', severity: 'high', service: 'checkout' }
const bundle = { type: 'bundle', config: { path: 'outage' } }
const make = async (operation: OperationId, body: unknown): Promise<string> =>
  (await service.done(operation, { body })).id

/** What each operation does beside its plain success: refusals, conflicts, no-ops, large things, lost answers. */
const WAYS: Readonly<Record<FunctionId, () => Promise<void>>> = {
  'answer-query': async () => {
    await make('create-integration', bundle)
    for (const query of [
      'Why is checkout failing?',
      'Which incidents are open?',
      'How many critical incidents are resolved?',
      'Which incidents are resolved?',
      'List low incidents',
      'What?',
    ]) {
      expect((await call('answer-query', { body: { query } })).status).toBe(200)
    }
    const previous_query_id = await make('answer-query', { query: 'Why is checkout failing?' })
    const context = { previous_query_id, incident_id: await make('create-incident', incident) }
    expect((await call('answer-query', { body: { query: 'What was asked?', context } })).status).toBe(200)
    // An answer that is too large for an item goes to an object.
    const { queries } = await runtime()
    const stored = await queries().get((await call('answer-query', { body: { query: 'What?' } })).body.id)
    if (stored === undefined) throw new Error('the answer was not stored')
    await as('answer-query', () => queries().put({ ...stored, answer: 'x'.repeat(400_000) }))
  },
  'verify-query': async () => {
    await writeSampleOutage(join(service.bundles, 'shop'), { endsAt: Date.now() })
    await make('create-integration', { type: 'bundle', config: { path: 'shop' } })
    for (const query of ['Why is checkout failing?', 'Which incidents are open?', 'Has it failed before?']) {
      const id = await make('answer-query', { query })
      expect((await call('verify-query', { id })).status).toBe(200)
    }
    for (const query of [
      'Which critical incidents are resolved?',
      'Which incidents are resolved?',
      'List low incidents',
    ]) {
      expect((await call('verify-query', { id: await make('answer-query', { query }) })).status).toBe(200)
    }
    expect((await call('verify-query', { id: unknownId('verify-query') })).status).toBe(404)
  },
  'verify-incident': async () => {
    await make('create-integration', bundle)
    const id = await make('create-incident', incident)
    expect((await call('verify-incident', { id })).status).toBe(200)
    const { incidents } = await runtime()
    const lease = await incidents().claimInvestigation(id, Date.now(), Date.now() + 60_000)
    const entry = sampleEntry(Date.now(), 'analysed')
    await incidents().completeInvestigation(lease as never, sampleRootCause(), entry)
    expect((await call('verify-incident', { id })).body.evidence.length).toBeGreaterThan(0)
    expect((await call('verify-incident', { id: unknownId('verify-incident') })).status).toBe(404)
  },
  'get-incident-charts': async () => {
    await make('create-integration', bundle)
    const id = await make('create-incident', incident)
    expect((await call('get-incident-charts', { id })).body.charts).toBeNull()
    await as('investigate-incident', () => investigate([doorbellFor(id)]))
    expect((await call('get-incident-charts', { id })).body.charts.series.length).toBeGreaterThan(0)
    expect((await call('get-incident-charts', { id: unknownId('get-incident-charts') })).status).toBe(404)
  },
  'get-query': async () => {
    const id = await make('answer-query', { query: 'What?' })
    expect((await call('get-query', { id })).status).toBe(200)
    expect((await call('get-query', { id: unknownId('get-query') })).status).toBe(404)
  },
  'list-integrations': async () => {
    await make('create-integration', bundle)
    await make('create-integration', bundle)
    const { next_cursor } = (await call('list-integrations', { query: { limit: '1' } })).body
    expect((await call('list-integrations', { query: { cursor: next_cursor } })).status).toBe(200)
  },
  'create-integration': async () => {
    expect((await call('create-integration', { body: bundle })).status).toBe(201)
    expect(
      (await call('create-integration', { body: { type: 'bundle', config: { path: 'gone' } } })).status,
    ).toBe(400)
  },
  'push-events': async () => {
    const { id, headers } = await newSender()
    expect((await call('push-events', { id, headers, body: {} })).status).toBe(202)
    expect((await call('push-events', { id, headers: {}, body: {} })).status).toBe(401)
    const noise = randomBytes(300_000).toString('base64')
    expect((await call('push-events', { id, headers, body: { noise } })).status).toBe(202)
  },
  'get-integration': async () => {
    expect((await call('get-integration', { id: await make('create-integration', bundle) })).status).toBe(200)
    expect((await call('get-integration', { id: unknownId('get-integration') })).status).toBe(404)
  },
  'update-integration': async () => {
    const id = await make('create-integration', bundle)
    for (const body of [{ enabled: false }, { enabled: true }, { config: { path: 'outage' } }]) {
      expect((await call('update-integration', { id, body })).status).toBe(200)
    }
    await Promise.all([1, 2, 3].map(() => call('update-integration', { id, body: { enabled: true } })))
  },
  'check-integration': async () => {
    const id = await make('create-integration', bundle)
    expect((await call('check-integration', { id })).status).toBe(200)
    expect((await call('check-integration', { id: unknownId('check-integration') })).status).toBe(404)
  },
  'delete-integration': async () => {
    const id = await make('create-integration', bundle)
    expect((await call('delete-integration', { id })).status).toBe(204)
    expect((await call('delete-integration', { id })).status).toBe(404)
  },
  'list-incidents': async () => {
    await make('create-incident', incident)
    await make('create-incident', incident)
    for (const query of [
      {},
      { status: 'open' },
      { severity: 'high' },
      { status: 'open', severity: 'high' },
    ]) {
      const first = (
        await call('list-incidents', { query: { ...query, limit: '1' } as Record<string, string> })
      ).body
      const next = { ...query, cursor: first.next_cursor } as Record<string, string>
      expect((await call('list-incidents', { query: next })).status).toBe(200)
    }
  },
  'create-incident': async () => {
    expect((await call('create-incident', { body: incident })).status).toBe(201)
    const long = { ...incident, description: 'x'.repeat(4_000) }
    expect((await call('create-incident', { body: long })).status).toBe(201)
    faults.loseAnswer(2, Object.assign(new Error('lost'), { $retryable: {} }))
    await call('create-incident', { body: incident })
  },
  'get-incident': async () => {
    expect((await call('get-incident', { id: await make('create-incident', incident) })).status).toBe(200)
    expect((await call('get-incident', { id: unknownId('get-incident') })).status).toBe(404)
  },
  'update-incident': async () => {
    const id = await make('create-incident', incident)
    const changes = [
      { title: 'x' },
      { title: 'x' },
      { status: 'resolved' },
      { status: 'investigating' },
      { severity: 'low' },
    ]
    for (const body of changes) expect((await call('update-incident', { id, body })).status).toBe(200)
    expect((await call('update-incident', { id, body: { status: 'open' } })).status).toBe(409)
    await Promise.all(['a', 'b', 'c', 'd'].map((title) => call('update-incident', { id, body: { title } })))
  },
  'request-investigation': async () => {
    const id = await make('create-incident', incident)
    expect((await call('request-investigation', { id })).status).toBe(202)
    expect((await call('request-investigation', { id: unknownId('request-investigation') })).status).toBe(404)
  },
  'push-signals': async () => {
    const body = examples['push-signals']?.[0]?.body
    expect((await call('push-signals', { body })).status).toBe(202)
    expect((await call('push-signals', { body })).status).toBe(202)
  },
  'list-webhooks': async () => {
    await make('create-webhook', SAMPLE_WEBHOOK)
    await make('create-webhook', SAMPLE_WEBHOOK)
    const { next_cursor } = (await call('list-webhooks', { query: { limit: '1' } })).body
    expect((await call('list-webhooks', { query: { cursor: next_cursor } })).status).toBe(200)
  },
  'create-webhook': async () => {
    expect((await call('create-webhook', { body: SAMPLE_WEBHOOK })).status).toBe(201)
  },
  'get-webhook': async () => {
    expect((await call('get-webhook', { id: await make('create-webhook', SAMPLE_WEBHOOK) })).status).toBe(200)
    expect((await call('get-webhook', { id: unknownId('get-webhook') })).status).toBe(404)
  },
  'update-webhook': async () => {
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    expect((await call('update-webhook', { id, body: { status: 'disabled' } })).status).toBe(200)
    await Promise.all([1, 2, 3].map(() => call('update-webhook', { id, body: { status: 'enabled' } })))
  },
  'delete-webhook': async () => {
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    expect((await call('delete-webhook', { id })).status).toBe(204)
    expect((await call('delete-webhook', { id })).status).toBe(404)
  },
  'ping-webhook': async () => {
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    expect((await call('ping-webhook', { id })).status).toBe(200)
  },
  'rotate-webhook-secret': async () => {
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    const body = { secret: 'x'.repeat(24) }
    await Promise.all([1, 2, 3].map(() => call('rotate-webhook-secret', { id, body })))
  },
  'recover-webhook': async () => {
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    const body = { since: new Date(Date.now() - 60_000).toISOString() }
    expect((await call('recover-webhook', { id, body })).status).toBe(202)
  },
  'list-deliveries': async () => {
    const { webhook_id } = await newDelivery(service)
    await newDelivery(service)
    const { next_cursor } = (await call('list-deliveries', { id: webhook_id, query: { limit: '1' } })).body
    const query = { cursor: String(next_cursor) }
    expect((await call('list-deliveries', { id: webhook_id, query })).status).toBe(200)
    const id = await make('create-webhook', SAMPLE_WEBHOOK)
    expect((await call('list-deliveries', { id })).status).toBe(200)
    // The first list of all, in a process that knows no key yet.
    const { documents, clock } = await runtime()
    const table = service.store.names.webhooks
    await service.store.client.send(new DeleteCommand({ TableName: table, Key: itemKeys.cursorKeys }))
    const sealer = { seal: async () => 'sealed', open: async () => new Uint8Array(32) }
    const keys = cursorKeys({ client: documents(), table, sealer, clock })
    await as('list-deliveries', () => keys.current())
  },
  redeliver: async () => {
    const { id: delivery_id, webhook_id: id } = await newDelivery(service)
    expect((await call('redeliver', { id, parameters: { delivery_id } })).status).toBe(202)
  },
  'deliver-webhook': async () => {
    const { id, webhook_id } = await newDelivery(service)
    const { handler } = (await import('../functions/workers/deliver-webhook.ts')) as unknown as {
      handler: (event: object, context: object) => Promise<{ batchItemFailures: unknown[] }>
    }
    const context = { getRemainingTimeInMillis: () => 60_000 }
    const work = (message: object) =>
      as('deliver-webhook', () =>
        handler(
          { Records: [{ messageId: 'one', body: JSON.stringify({ ...message, due_at: 1 }) }] },
          context,
        ),
      )
    expect(await work({ webhook_id, delivery_id: id })).toEqual({ batchItemFailures: [] })
    const body = { since: new Date(Date.now() - 60_000).toISOString() }
    await service.call('recover-webhook', { id: webhook_id, body })
    expect(await work({ webhook_id })).toEqual({ batchItemFailures: [] })
    // One whose subscription is gone is ended.
    const other = await newDelivery(service)
    await service.call('delete-webhook', { id: other.webhook_id })
    await work({ webhook_id: other.webhook_id, delivery_id: other.id })
  },
  'sweep-deliveries': async () => {
    const { sweepActs } = await runtime()
    const { sweepDeliveries } = await import('#shared/domain/sweep-deliveries.ts')
    await newDelivery(service)
    await make('create-incident', incident)
    await service.messages('deliveries')
    // As it will look in ten minutes.
    const later = { ...sweepActs(), clock: () => Date.now() + 600_000 }
    expect(await as('sweep-deliveries', () => sweepDeliveries(later))).toBeGreaterThan(0)
    expect(await as('sweep-deliveries', () => sweepDeliveries(later))).toBe(0)
  },
  'check-integrations': async () => {
    const { checkActs } = await runtime()
    const { checkIntegrations } = await import('#shared/domain/check-integrations.ts')
    await make('create-integration', bundle)
    // As it will look in twenty minutes.
    const later = { ...checkActs(), clock: () => Date.now() + 1_200_000 }
    expect(await as('check-integrations', () => checkIntegrations(later))).toBeGreaterThan(0)
    expect(await as('check-integrations', () => checkIntegrations(later))).toBe(0)
    // A tool that says which of its alerts fire.
    const works = { status: 'connected', detail: null } as const
    const tool: Tool = {
      check: async () => works,
      firing: async () => ({ version: '4', alerts: [] }),
      pull: () => Promise.reject(new Error('nothing is pulled by a check')),
    }
    const asking = { ...checkActs(), tools: () => tool, clock: () => Date.now() + 3_600_000 }
    expect(await as('check-integrations', () => checkIntegrations(asking))).toBeGreaterThan(0)
  },
  'get-openapi': async () => {
    expect((await call('get-openapi')).status).toBe(200)
  },
  'get-health': async () => {
    expect((await call('get-health')).status).toBe(200)
  },
  'refuse-unknown': async () => {
    const handler = await handlerOf('api/refuse-unknown')
    for (const path of ['/nothing', '/incidents/{id}']) {
      const sent = { method: 'PUT', path, resource: path, headers: withKey(service.adminKey) }
      const got = await as('refuse-unknown', () => send(handler, sent))
      expect([404, 405]).toContain(got.status)
    }
  },
  'serve-console': async () => {
    const handler = await handlerOf('api/serve-console')
    const sent = { path: '/console', parameters: { file: 'notes.txt' } }
    expect((await as('serve-console', () => send(handler as never, { ...sent, id: '' }))).status).toBe(404)
  },
  'relay-events': async () => {
    await make('create-incident', incident)
    const records = await streamedRecords(service)
    await as('relay-events', () => relay(records))
    expect((await service.messages()).length).toBeGreaterThan(0)
  },
  'investigate-incident': async () => {
    await make('create-integration', bundle)
    const run = (id: string) => as('investigate-incident', () => investigate([doorbellFor(id)]))
    const id = await make('create-incident', incident)
    await run(id)
    expect((await service.done('get-incident', { id })).analysis).toBe('done')
    await run(id)
    await service.done('request-investigation', { id })
    await run(id)
    // A failure, and a claim whose answer gets lost.
    const failing = await make('create-incident', incident)
    faults.failNext(2, new Error('the store is away'))
    await run(failing)
    const lost = await make('create-incident', incident)
    faults.loseAnswer(1, Object.assign(new Error('lost'), { $retryable: {} }))
    await run(lost)
    // A root cause that is too large for an item.
    const large = await make('create-incident', incident)
    await as('investigate-incident', async () => {
      const { incidents } = await runtime()
      const lease = await incidents().claimInvestigation(large, Date.now(), Date.now() + 60_000)
      await incidents().completeInvestigation(
        lease as never,
        sampleRootCause(200, 2_000),
        sampleEntry(Date.now(), 'analysed'),
      )
    })
    const givenUp = await make('create-incident', incident)
    const broken = { keep: () => Promise.reject(new Error('no')), read: () => Promise.resolve(undefined) }
    await as('investigate-incident', async () => {
      let now = Date.now()
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const acts = (await runtime()).investigationActs(
          () => undefined,
          () => undefined,
        )
        await runInvestigation({ ...acts, clock: () => now, snapshots: broken }, givenUp, 20_000)
        now += 600_000
      }
    })
    expect((await service.done('get-incident', { id: givenUp })).analysis).toBe('failed')
  },
  'list-keys': async () => {
    for (const name of ['one', 'two']) await make('create-key', { name, type: 'admin' })
    const { next_cursor } = (await call('list-keys', { query: { limit: '1' } })).body
    expect((await call('list-keys', { query: { cursor: next_cursor } })).status).toBe(200)
  },
  'create-key': async () => {
    expect((await call('create-key', { body: { name: 'a', type: 'admin' } })).status).toBe(201)
    expect((await call('create-key', { body: { name: '', type: 'admin' } })).status).toBe(400)
  },
  'rotate-key': async () => {
    const id = await make('create-key', { name: 'a', type: 'assistant' })
    expect((await call('rotate-key', { id, body: {} })).status).toBe(200)
    await Promise.all([1, 2].map(() => call('rotate-key', { id, body: { overlap_seconds: 0 } })))
    expect((await call('rotate-key', { id: unknownId('rotate-key'), body: {} })).status).toBe(404)
  },
  'revoke-key': async () => {
    const id = await make('create-key', { name: 'a', type: 'assistant' })
    expect((await call('revoke-key', { id })).status).toBe(204)
    expect((await call('revoke-key', { id })).status).toBe(204)
    expect((await call('revoke-key', { id: unknownId('revoke-key') })).status).toBe(404)
  },
  'sweep-investigations': async () => {
    await make('create-incident', incident)
    expect(await as('sweep-investigations', sweep)).toBeGreaterThan(0)
    // An incident whose alert is over, and one whose alert is silent, long ago.
    const past = Date.now() - 86_400_000
    const { alertActs } = await runtime()
    const acts = { ...alertActs(), clock: () => past }
    const alerts = (status: 'firing' | 'resolved', ending: 'tells' | 'repeats') => [
      { ...sampleAlert({ status, at: past, ending, service: ending, fingerprint: ending }) },
    ]
    const given = (['tells', 'repeats'] as const).map((ending) => ({
      id: ending,
      alerts: [...alerts('firing', ending), ...(ending === 'tells' ? alerts('resolved', ending) : [])],
    }))
    expect((await takeAlerts(acts, given, () => undefined, AMPLE)).size).toBe(0)
    expect(await as('sweep-investigations', sweep)).toBeGreaterThan(1)
  },
  'take-alerts': async () => {
    const message = (id: string, type: string, headers: Record<string, string>, body: unknown) => ({
      messageId: id,
      body:
        writeAlertMessage({
          integration_id: `${type}_01KG9XH200000000000000000A`,
          config: {},
          headers,
          received_at: Date.now(),
          body: Buffer.from(JSON.stringify(body)),
        }) ?? '',
    })
    const alert = (fingerprint: string, status: string) => ({
      status,
      fingerprint,
      labels: { alertname: 'Errors', service: 'least-privilege' },
      startsAt: '2026-01-31T12:00:00Z',
      endsAt: '2026-01-31T12:01:00Z',
    })
    const deployment = { id: 5, sha: 'f95f852bd8', created_at: '2026-01-31T12:00:00Z' }
    const deployed = { repository: { full_name: 'acme/shop' }, deployment }
    const { largeBodies } = await runtime()
    const stored = await largeBodies().keep('alertmanager_1', gzipSync('{"alerts":[]}'))
    const large = { integration_id: 'alertmanager_01KG9XH200000000000000000A', received_at: 1, stored }
    const posted = (id: string, ...alerts: readonly object[]) => message(id, 'alertmanager', {}, { alerts })
    for (const messages of [
      [posted('1', alert('a', 'firing'))],
      [posted('2', alert('b', 'firing')), posted('3', alert('a', 'resolved'))],
      [message('4', 'github', { 'x-github-event': 'deployment' }, deployed)],
      [{ messageId: '5', body: JSON.stringify(alarmEvent()) }],
      [{ messageId: '6', body: JSON.stringify(large) }],
    ])
      expect(await as('take-alerts', () => takeIn(messages))).toEqual([])
  },
}

/** Sends a request with a key twice, where the operation takes one; and one whose work fails under way. */
async function sendAgain(id: FunctionId): Promise<void> {
  if (!(id in operations)) return
  const operation = id as OperationId
  const { repeats } = operations[operation] as Operation
  if (repeats === undefined) return
  const { sent } = await requests.of(operation)
  // One caller throughout: the record is theirs.
  const caller = service.permitted(operation)
  const headers = (key: string) => ({ ...caller, 'Idempotency-Key': key })
  expect((await call(operation, { ...sent, headers: headers('one') })).status).toBeLessThan(300)
  const again = await call(operation, { ...sent, headers: headers('one') })
  expect(again.headers['Idempotency-Replayed']).toBe('true')
  faults.failNext(3, new Error('the store is away'))
  expect((await call(operation, { ...sent, headers: headers('two') })).status).toBe(500)
  faults.clear()
}

/** Functions that ask DynamoDB for nothing: their own, or anything at all. */
const ASKS_NOTHING: ReadonlySet<FunctionId> = new Set<FunctionId>([
  'get-openapi',
  'get-health',
  'serve-console',
])

describe('whatever happens to it', () => {
  it.each(functionPlans.map(({ id }) => id))('%s needs nothing that it was not granted', async (id) => {
    await WAYS[id]()
    await sendAgain(id)
    const needed = used.get(id) ?? []
    expect(needed.length > 0).toBe(!ASKS_NOTHING.has(id))
    const granted = GRANTS.get(id) ?? []
    expect(needed.filter((each) => !granted.some((access) => allows(access, each)))).toEqual([])
  })

  it('looks at every operation of the table', () => {
    for (const id of Object.keys(operations)) expect(WAYS).toHaveProperty(id)
  })
})

describe('no grant on items or indexes, or to write objects', () => {
  it('is left that its function never needs', () => {
    const parts = (access: Access): Access[] => {
      switch (access.on) {
        case 'items':
          return access.actions.map((action) => ({ ...access, actions: [action] }))
        case 'index':
          return access.indexes.map((name) => ({ ...access, indexes: [name] }))
        case 'objects':
          return access.actions
            .filter((action) => action === 'PutObject')
            .map((action) => ({ ...access, actions: [action] }))
        default:
          return []
      }
    }
    const unused = [...GRANTS].flatMap(([id, accesses]) =>
      accesses
        .flatMap(parts)
        .filter((part) => !(used.get(id) ?? []).some((each) => allows(part, each)))
        .map((part) => `${id}: ${JSON.stringify(part)}`),
    )
    expect(unused).toEqual([])
  })
})
