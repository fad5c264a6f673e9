import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTables, tableNames } from '#infra/local/create-tables.ts'
import { integrationStore } from '#shared/adapters/dynamo/integrations.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { keyFileSealer } from '#shared/adapters/seal/key-file-sealer.ts'
import { HEALTHY } from '#shared/domain/delivery.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { Integration } from '#shared/domain/integration.ts'
import type { Page, PageRequest, Sealer } from '#shared/domain/ports.ts'
import type { Webhook } from '#shared/domain/webhook.ts'
import { countCalls } from '#test/storage/count-calls.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { failCalls } from '#test/storage/fail-calls.ts'
import { sampleId } from '#test/storage/sample-incidents.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const noPause = () => Promise.resolve()

let store: TestStore
let folder: string
let sealer: Sealer
let names = tableNames('none')
beforeAll(async () => {
  store = await startTestStore()
  folder = await mkdtemp(join(tmpdir(), 'seal-'))
  sealer = keyFileSealer(join(folder, 'key'))
})
afterAll(async () => {
  await store.stop()
  await rm(folder, { recursive: true })
})
let made = 0
beforeEach(async () => {
  // Tables of its own for each test: lists and their numbers begin empty.
  made += 1
  names = tableNames(`t${made}`)
  await createTables(store.client, names, { expiring: false })
})

const integrationsOf = (client = store.client) =>
  integrationStore({ client, table: names.integrations, sealer, pause: noPause })
const webhooksOf = (client = store.client) =>
  webhookStore({ client, table: names.webhooks, sealer, pause: noPause })

const integrationAt = (at: number, change: Partial<Integration> = {}): Integration => ({
  id: sampleId(change.type ?? 'github', at),
  type: 'github',
  status: 'connected',
  status_detail: null,
  config: { owner: 'acme', has_token: true },
  created_at: writeInstant(at),
  updated_at: writeInstant(at),
  connected_at: null,
  version: 1,
  ...change,
})
const webhookAt = (at: number, change: Partial<Webhook> = {}): Webhook => ({
  id: sampleId('wh', at),
  url: 'https://example.com/hook',
  events: ['incident.created'],
  status: 'enabled',
  disabled_reason: null,
  created_at: writeInstant(at),
  updated_at: writeInstant(at),
  version: 1,
  ...change,
})
const CONFIG = { owner: 'acme', token: 'ghp_very-secret' }
/** Nobody asked it so far. */
const UNASKED = { asked_at: null, unasked: null }

interface Case {
  readonly name: string
  readonly table: () => string
  /** Adds a member made at an instant. @returns its id */
  add(at: number, quota: number, client?: TestStore['client']): Promise<string>
  list(page: PageRequest): Promise<Page<{ readonly id: string }>>
  remove(id: string, client?: TestStore['client']): Promise<boolean>
}
const CASES: readonly Case[] = [
  {
    name: 'integrations',
    table: () => names.integrations,
    async add(at, quota, client) {
      const integration = integrationAt(at, { type: at % 2 === 0 ? 'github' : 'bundle' })
      await integrationsOf(client).create(integration, CONFIG, quota, null)
      return integration.id
    },
    list: (page) => integrationsOf().list(page),
    remove: (id, client) => integrationsOf(client).delete(id),
  },
  {
    name: 'webhooks',
    table: () => names.webhooks,
    async add(at, quota, client) {
      const webhook = webhookAt(at)
      await webhooksOf(client).create(webhook, 'a secret', quota)
      return webhook.id
    },
    list: (page) => webhooksOf().list(page),
    remove: (id, client) => webhooksOf(client).delete(id),
  },
]

describe.each(CASES)('$name', ({ table, add, list, remove }) => {
  test('past the quota are refused naming the limit, also when many are made at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => add(NOON + index, 5)))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(7)
    for (const { reason } of refused)
      expect(reason).toMatchObject({ kind: 'conflict', details: { limit: 5 } })
    expect((await list({ limit: 100, after: null })).items).toHaveLength(5)
  })

  test('make room for others when they are deleted, once each', async () => {
    const first = await add(NOON, 2)
    await add(NOON + 1, 2)
    await expect(add(NOON + 2, 2)).rejects.toMatchObject({ kind: 'conflict' })
    const calls = countCalls(store.client)
    expect(await remove(first)).toBe(true)
    expect(calls.names()).toEqual(['TransactWriteItems'])
    expect(await remove(first)).toBe(false)
    await add(NOON + 3, 2)
    await expect(add(NOON + 4, 2)).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('are listed newest first, in pages of any size, each once, in one query a page', async () => {
    const ids: string[] = []
    for (let index = 0; index < 13; index += 1) ids.push(await add(NOON + Math.floor(index / 2) * 7, 100))
    const newestFirst = [...ids].sort((a, b) => (a.slice(-26) < b.slice(-26) ? 1 : -1))
    const calls = countCalls(store.client)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (limit) => {
        const seen: string[] = []
        let after: string | null = null
        do {
          calls.reset()
          const { items, next }: Page<{ readonly id: string }> = await list({ limit, after })
          expect(calls.names()).toEqual(['Query'])
          expect(items.length).toBeGreaterThan(0)
          expect(items.length).toBeLessThanOrEqual(limit)
          seen.push(...items.map(({ id }) => id))
          after = next
        } while (after !== null)
        expect(seen).toEqual(newestFirst)
      }),
      { numRuns: 20 },
    )
  })

  test('of a page stay where they are when those before it are deleted', async () => {
    const ids = [await add(NOON, 9), await add(NOON + 1, 9), await add(NOON + 2, 9)].reverse()
    const { next } = await list({ limit: 1, after: null })
    expect(next).toBe(ids[0])
    await remove(ids[0] ?? '')
    expect((await list({ limit: 9, after: next })).items.map(({ id }) => id)).toEqual(ids.slice(1))
  })

  test('that are none are an empty list', async () => {
    expect(await list({ limit: 25, after: null })).toEqual({ items: [], next: null })
  })

  test('whose number does not fit are an error, not a silent negative', async () => {
    const id = await add(NOON, 9)
    await store.client.send(
      new UpdateCommand({
        TableName: table(),
        Key: { pk: `${table().endsWith('webhooks') ? 'WEBHOOK' : 'INTEGRATION'}_COUNT`, sk: 'COUNT' },
        UpdateExpression: 'SET members = :zero',
        ExpressionAttributeValues: { ':zero': 0 },
      }),
    )
    await expect(remove(id)).rejects.toThrow('is wrong')
  })
})

describe('an integration', () => {
  test('is given without its secrets, and opened with them', async () => {
    const integrations = integrationsOf()
    const integration = integrationAt(NOON)
    const calls = countCalls(store.client)
    await integrations.create(integration, CONFIG, 200, null)
    expect(calls.names()).toEqual(['TransactWriteItems'])
    calls.reset()
    expect(await integrations.get(integration.id)).toEqual(integration)
    expect(calls.names()).toEqual(['GetItem'])
    expect(await integrations.open(integration.id)).toEqual({
      ...{ integration, config: CONFIG, intake: null, ...UNASKED },
    })
    expect(await integrations.get(sampleId('github', NOON))).toBeUndefined()
    expect(await integrations.open(sampleId('github', NOON))).toBeUndefined()
    await expect(integrations.create(integration, CONFIG, 200, null)).rejects.toThrow('exists already')
    const { Items } = await store.client.send(
      new QueryCommand({
        TableName: names.integrations,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'INTEGRATION' },
      }),
    )
    expect(JSON.stringify(Items)).not.toContain(CONFIG.token)
    expect(JSON.stringify(await integrations.list({ limit: 9, after: null }))).not.toContain('sealed')
  })

  test('keeps what its messages are verified by sealed apart from its settings', async () => {
    const integrations = integrationsOf()
    const integration = integrationAt(NOON)
    const intake = { token: 'whsec_ingest', secret: 'of the tool' }
    await integrations.create(integration, CONFIG, 200, intake)
    const calls = countCalls(store.client)
    expect(await integrations.openIntake(integration.id)).toEqual({ integration, intake })
    expect(calls.names()).toEqual(['GetItem'])
    expect(await integrations.open(integration.id)).toEqual({
      ...{ integration, config: CONFIG, intake, ...UNASKED },
    })
    const after = { ...integration, version: 2 }
    await integrations.change(integration, after, CONFIG, { ...intake, secret: 'another' }, UNASKED)
    expect((await integrations.openIntake(integration.id))?.intake?.secret).toBe('another')
    expect(await integrations.openIntake(sampleId('github', NOON))).toBeUndefined()
    const { Items } = await store.client.send(
      new QueryCommand({
        TableName: names.integrations,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'INTEGRATION' },
      }),
    )
    expect(JSON.stringify(Items)).not.toContain(intake.token)
  })

  test('that is disabled is among all of them, its settings still sealed', async () => {
    const integrations = integrationsOf()
    const asked = integrationAt(NOON)
    await integrations.create(asked, CONFIG, 200, null)
    const disabled = integrationAt(NOON + 1, { status: 'disabled' })
    await integrations.create(disabled, CONFIG, 200, null)
    const failing = integrationAt(NOON + 2, { status: 'error' })
    await integrations.create(failing, { owner: 'b', token: 'c' }, 200, null)
    const calls = countCalls(store.client)
    expect(await integrations.openAll()).toEqual([
      { integration: failing, config: { owner: 'b', token: 'c' } },
      { integration: disabled, config: null },
      { integration: asked, config: CONFIG },
    ])
    expect(calls.names()).toEqual(['Query'])
  })

  test('of which there are more than one read gives is still among all of them', async () => {
    const integrations = integrationsOf()
    const large = { owner: 'o'.repeat(32_000), token: 't' }
    for (let index = 0; index < 40; index += 1)
      await integrations.create(integrationAt(NOON + index), large, 200, null)
    expect(await integrations.openAll()).toHaveLength(40)
    // A page ends at its limit or at 1 MB, and says where the next begins.
    const first = await integrations.list({ limit: 40, after: null })
    const second = await integrations.list({ limit: 40, after: first.next })
    expect(first.items.length + second.items.length).toBe(40)
  })

  test('changes only from the version that was read, settings and all in one put', async () => {
    const integrations = integrationsOf()
    const before = integrationAt(NOON)
    await integrations.create(before, CONFIG, 200, null)
    const after = { ...before, version: 2, status: 'degraded' as const, status_detail: 'slow' }
    const calls = countCalls(store.client)
    expect(await integrations.change(before, after, { owner: 'x', token: 'new' }, null, UNASKED)).toBe(true)
    expect(calls.names()).toEqual(['PutItem'])
    expect(await integrations.open(before.id)).toEqual({
      integration: after,
      config: { owner: 'x', token: 'new' },
      intake: null,
      ...UNASKED,
    })
    expect(await integrations.change(before, { ...after, status: 'error' }, CONFIG, null, UNASKED)).toBe(
      false,
    )
    expect((await integrations.get(before.id))?.status).toBe('degraded')
    await integrations.delete(before.id)
    expect(await integrations.change(after, { ...after, version: 3 }, CONFIG, null, UNASKED)).toBe(false)
    expect(await integrations.get(before.id)).toBeUndefined()
  })

  test('is checked with its settings opened, and what a check made of it leaves them sealed as they were', async () => {
    const integrations = integrationsOf()
    const before = integrationAt(NOON)
    await integrations.create(before, CONFIG, 200, null)
    await integrations.create(integrationAt(NOON + 1, { status: 'disabled' }), CONFIG, 200, null)
    expect(await integrations.openForCheck()).toEqual([
      {
        integration: before,
        config: CONFIG,
        checked_at: null,
        failures: 0,
        asked_at: null,
        unasked: null,
      },
    ])
    const after = { ...before, version: 2, status: 'error' as const, status_detail: 'gone' }
    const unasked = { from: NOON, until: NOON + 1 }
    const calls = countCalls(store.client)
    expect(
      await integrations.recordCheck(before, after, {
        checked_at: NOON,
        failures: 3,
        asked_at: NOON + 1,
        unasked,
      }),
    ).toBe(true)
    expect(calls.names()).toEqual(['UpdateItem'])
    expect(await integrations.openForCheck()).toEqual([
      { integration: after, config: CONFIG, checked_at: NOON, failures: 3, asked_at: NOON + 1, unasked },
    ])
    expect((await integrations.open(before.id))?.unasked).toEqual(unasked)
    await integrations.recordCheck(after, after, { checked_at: NOON, failures: 0, unasked: null })
    expect(await integrations.openForCheck()).toMatchObject([{ unasked: null }])
    // Somebody changed it meanwhile.
    expect(
      await integrations.recordCheck(before, after, { checked_at: NOON, failures: 4, unasked: null }),
    ).toBe(false)
    await integrations.delete(before.id)
    expect(
      await integrations.recordCheck(after, after, { checked_at: NOON, failures: 4, unasked: null }),
    ).toBe(false)
    expect(await integrations.get(before.id)).toBeUndefined()
  })

  test('keeps through a change of its settings when its tool was asked, and when it could not be', async () => {
    const integrations = integrationsOf()
    const before = integrationAt(NOON)
    await integrations.create(before, CONFIG, 200, null)
    const asked = { asked_at: NOON + 7, unasked: { from: NOON, until: NOON + 7 } }
    await integrations.recordCheck(before, before, { checked_at: NOON, failures: 0, ...asked })
    const opened = await integrations.open(before.id)
    expect(opened).toMatchObject(asked)
    const after = { ...before, version: 2 }
    await integrations.change(before, after, CONFIG, null, opened ?? UNASKED)
    expect(await integrations.open(before.id)).toMatchObject({ integration: after, ...asked })
    expect(await integrations.askedAt(before.id)).toBe(NOON + 7)
    await integrations.change(after, { ...after, version: 3 }, CONFIG, null, UNASKED)
    expect(await integrations.open(before.id)).toMatchObject(UNASKED)
  })

  test('tells when its tool was last asked for its alerts, unless it is gone or disabled', async () => {
    const integrations = integrationsOf()
    const before = integrationAt(NOON)
    await integrations.create(before, CONFIG, 200, null)
    expect(await integrations.askedAt(before.id)).toBeUndefined()
    const health = { checked_at: NOON, failures: 0, unasked: null }
    await integrations.recordCheck(before, before, { ...health, asked_at: NOON + 7 })
    expect(await integrations.askedAt(before.id)).toBe(NOON + 7)
    // A check at which it did not say leaves what it said before.
    await integrations.recordCheck(before, before, health)
    expect(await integrations.askedAt(before.id)).toBe(NOON + 7)
    const disabled = { ...before, version: 2, status: 'disabled' as const }
    await integrations.recordCheck(before, disabled, health)
    expect(await integrations.askedAt(before.id)).toBeUndefined()
    await integrations.delete(before.id)
    expect(await integrations.askedAt(before.id)).toBeUndefined()
  })

  test('whose settings cannot be opened is still checked, without them', async () => {
    const integrations = integrationsOf()
    const one = integrationAt(NOON)
    await integrations.create(one, CONFIG, 200, null)
    await store.client.send(
      new UpdateCommand({
        TableName: names.integrations,
        Key: { pk: 'INTEGRATION', sk: `${one.id.slice(-26)}#github` },
        UpdateExpression: 'SET sealed = :sealed',
        ExpressionAttributeValues: { ':sealed': 'AAAA' },
      }),
    )
    expect(await integrations.openForCheck()).toMatchObject([{ config: null, failures: 0 }])
  })

  test('whose sealed settings were moved to another one does not open', async () => {
    const integrations = integrationsOf()
    const one = integrationAt(NOON)
    const two = integrationAt(NOON + 1)
    await integrations.create(one, CONFIG, 200, null)
    await integrations.create(two, { owner: 'x', token: 'y' }, 200, null)
    const keyOf = (id: string) => ({ pk: 'INTEGRATION', sk: `${id.slice(-26)}#github` })
    const { Item } = await store.client.send(
      new GetCommand({ TableName: names.integrations, Key: keyOf(one.id) }),
    )
    await store.client.send(
      new UpdateCommand({
        TableName: names.integrations,
        Key: keyOf(two.id),
        UpdateExpression: 'SET sealed = :sealed',
        ExpressionAttributeValues: { ':sealed': Item?.sealed },
      }),
    )
    await expect(integrations.open(two.id)).rejects.toThrow('sealed for something else')
    expect((await integrations.openAll()).some(({ config }) => config === null)).toBe(true)
  })
})

describe('a webhook', () => {
  test('is given without its secret, and opened with it', async () => {
    const webhooks = webhooksOf()
    const webhook = webhookAt(NOON)
    await webhooks.create(webhook, 'whsec_secret', 100)
    expect(await webhooks.get(webhook.id)).toEqual(webhook)
    expect(await webhooks.open(webhook.id, NOON)).toEqual({
      webhook,
      health: HEALTHY,
      secrets: ['whsec_secret'],
    })
    expect((await webhooks.list({ limit: 9, after: null })).items).toEqual([webhook])
    expect(await webhooks.get(sampleId('wh', NOON))).toBeUndefined()
    expect(await webhooks.open(sampleId('wh', NOON), NOON)).toBeUndefined()
  })

  test('changes only from the version that was read, and keeps its secret', async () => {
    const webhooks = webhooksOf()
    const before = webhookAt(NOON)
    await webhooks.create(before, 'the secret', 100)
    const after: Webhook = {
      ...before,
      url: 'https://example.org/',
      events: ['incident.created', 'incident.resolved'],
      status: 'disabled',
      disabled_reason: 'requested',
      updated_at: writeInstant(NOON + 5),
      version: 2,
    }
    const calls = countCalls(store.client)
    expect(await webhooks.change(before, after)).toBe(true)
    expect(calls.names()).toEqual(['UpdateItem'])
    expect(await webhooks.open(before.id, NOON)).toEqual({
      webhook: after,
      health: HEALTHY,
      secrets: ['the secret'],
    })
    expect(await webhooks.change(before, { ...after, url: 'https://example.net/' })).toBe(false)
    await webhooks.delete(before.id)
    expect(await webhooks.change(after, { ...after, version: 3 })).toBe(false)
    expect(await webhooks.get(before.id)).toBeUndefined()
  })
})

describe('a change whose answer got lost', () => {
  /** Lets the server write and the answer disappear, below the SDK's own repetition. */
  function losingClient() {
    const client = store.connect()
    let lost = 0
    client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args)
        if (lost > 0) {
          lost -= 1
          throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError' })
        }
        return answer
      },
      { step: 'deserialize', priority: 'high', name: 'loseAnswers' },
    )
    return { client, lose: () => (lost = 1) }
  }

  test('is known for our own when the SDK repeats it', async () => {
    const { client, lose } = losingClient()
    const calls = countCalls(client)
    const integration = integrationAt(NOON)
    await integrationsOf(client).create(integration, CONFIG, 200, null)
    const webhook = webhookAt(NOON)
    await webhooksOf(client).create(webhook, 's', 100)
    calls.reset()
    lose()
    expect(
      await integrationsOf(client).change(integration, { ...integration, version: 2 }, CONFIG, null, UNASKED),
    ).toBe(true)
    lose()
    expect(await webhooksOf(client).change(webhook, { ...webhook, version: 2 })).toBe(true)
    expect(calls.attempts()).toBe(4)
  })

  test('and a creation too: it is written once and counted once', async () => {
    const { client, lose } = losingClient()
    lose()
    await webhooksOf(client).create(webhookAt(NOON), 's', 1)
    await expect(webhooksOf(client).create(webhookAt(NOON + 1), 's', 1)).rejects.toMatchObject({
      details: { limit: 1 },
    })
  })

  test('and one that meets a transaction is made again; other failures are errors', async () => {
    const client = store.connect()
    const faults = failCalls(client)
    const webhook = webhookAt(NOON)
    await webhooksOf().create(webhook, 's', 100)
    faults.failNext(1, new TransactionConflictException({ message: 'held', $metadata: {} }))
    expect(await webhooksOf(client).change(webhook, { ...webhook, version: 2 })).toBe(true)
    faults.failNext(1, new Error('the store is gone'))
    await expect(webhooksOf(client).change(webhook, { ...webhook, version: 2 })).rejects.toThrow('gone')
    faults.failNext(1, new Error('the store is gone'))
    await expect(
      integrationsOf(client).change(integrationAt(NOON), integrationAt(NOON), CONFIG, null, UNASKED),
    ).rejects.toThrow('gone')
  })
})
