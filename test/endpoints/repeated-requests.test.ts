import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Operation, type OperationId, operationList, operations } from '#shared/contract/operations.ts'
import { REPEAT_MS } from '#shared/domain/repeat.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import type { Sent } from '#test/edge/call-endpoint.ts'
import { type CallCount, countCalls } from '#test/storage/count-calls.ts'
import { changesBetween, type Dump, dumpTables } from '#test/storage/dump-tables.ts'
import { type FaultLayer, faultLayer } from '#test/storage/fault-layer.ts'
import { writeCalmBundle } from './calm-bundle.ts'
import { startReceiver, type TestReceiver } from './receiver.ts'
import { expectError, expectInvalid } from './refusals.ts'
import {
  ago,
  type RepeatableRequests,
  repeatableRequests,
  REPEATED_SECRET as SECRET,
} from './repeatable-requests.ts'
import { type Service, startService, withKey } from './service.ts'
import { allItems } from './stored.ts'

const repeating = operationList.flatMap(({ id, repeats }) => (repeats === undefined ? [] : [id]))

let service: Service
let receiver: TestReceiver
let counted: CallCount
let faults: FaultLayer
let requests: RepeatableRequests
const requestOf = (id: OperationId) => requests.of(id)
const newWebhook = () => requests.webhook()
const hook = () => requests.hook()
const incident = { title: 'Checkout fails', severity: 'high' }

let keys: string[] = []
let turn = 0
/** A fast machine sends more than one key may in a minute. */
const admin = () => keys[turn % keys.length] ?? ''
const call = (id: OperationId, sent: Sent, key?: string | readonly string[]) =>
  service.call(id, {
    ...sent,
    headers: { ...withKey(admin()), ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
  })

/** All that is stored, but for the counters of keys. */
const stored = () =>
  dumpTables(
    service.store.client,
    service.store.names,
    (Object.keys(TABLES) as TableName[]).filter((name) => name !== 'keys'),
  )

/** What happened between two dumps; batches of signals are named by their time, too. */
const kindsBetween = (before: Dump, after: Dump): string[] =>
  changesBetween(before, after).map((kind) => kind.replace(/\b\d{15}\b/, '<instant>'))

const TABLE_OF: Readonly<Record<string, TableName>> = {
  query: 'queries',
  incidents: 'incidents',
  integrations: 'integrations',
  webhooks: 'webhooks',
  signals: 'signals',
}
const tableOf = (id: OperationId): TableName => TABLE_OF[operations[id].path.split('/')[1] ?? ''] ?? 'keys'

/** The record of the only request with a key that the operation's table has. */
async function recordOf(id: OperationId, before: ReadonlySet<string> = new Set()) {
  const records = (await allItems(service, tableOf(id))).filter(
    ({ pk }) => String(pk).startsWith('REPEAT#') && !before.has(String(pk)),
  )
  expect(records).toHaveLength(1)
  return records[0] ?? {}
}
const recordsIn = async (id: OperationId) =>
  new Set(
    (await allItems(service, tableOf(id))).flatMap(({ pk }) =>
      String(pk).startsWith('REPEAT#') ? [pk] : [],
    ),
  )

/** Lets the time pass for which those that are under way hold their right. */
async function endLeases(id: OperationId, known: ReadonlySet<string>): Promise<void> {
  for (const { pk, sk, lease_until } of await allItems(service, tableOf(id))) {
    if (!String(pk).startsWith('REPEAT#') || known.has(pk) || lease_until === undefined) continue
    await service.store.client.send(
      new UpdateCommand({
        TableName: service.store.names[tableOf(id)],
        Key: sk === undefined ? { pk } : { pk, sk },
        UpdateExpression: 'SET lease_until = :now',
        ExpressionAttributeValues: { ':now': Date.now() },
      }),
    )
  }
}

beforeAll(async () => {
  service = await startService({ queue: true, egress: 'local' })
  receiver = await startReceiver()
  requests = repeatableRequests(() => service, receiver.url)
  for (const name of ['one', 'two']) await writeCalmBundle(join(service.bundles, name))
  keys = await Promise.all(Array.from({ length: 8 }, async () => (await service.newKey('admin')).key))
  const { documents } = await import('#shared/runtime.ts')
  counted = countCalls(documents())
  faults = faultLayer(documents())
})
afterAll(async () => {
  receiver.close()
  await service.stop()
})
beforeEach(() => {
  turn += 1
  faults.off()
})

describe('every POST', () => {
  it('takes a key', () => {
    // What a tool sends again changes nothing: its alerts are known by themselves.
    const posts = operationList
      .filter(({ method, sender }) => method === 'POST' && sender !== true)
      .map(({ id }) => id as string)
    // A verification evaluates what is stored and writes nothing, a check looks at the tool as it is: sent again they are done again.
    const looking = (id: string): boolean => id.startsWith('verify-') || id === 'check-integration'
    expect(repeating).toEqual(posts.filter((id) => !looking(id)))
  })
})

/** The answer of a key's value is not repeated; the operations of keys have tests of their own. */
const answeredAlike = repeating.filter((id) => (operations[id] as Operation).people !== true)

describe.each(answeredAlike)('%s', (id) => {
  const { success, repeats } = operations[id] as Operation

  it('that is sent again is done once and answered alike, in the calls that its row says', async () => {
    const { sent } = await requestOf(id)
    const key = randomUUID()
    counted.reset()
    const first = await call(id, sent, key)
    expect(first.status, JSON.stringify(first.body)).toBe(success.status)
    expect(counted.names()).toEqual(repeats?.first)
    expect(first.headers).not.toHaveProperty('Idempotency-Replayed')
    const after = await stored()
    const received = receiver.received.length
    for (let again = 0; again < 2; again += 1) {
      counted.reset()
      const got = await call(id, sent, key)
      expect(counted.names()).toEqual(repeats?.again)
      expect([got.status, got.body]).toEqual([first.status, first.body])
      expect(got.headers['Idempotency-Replayed']).toBe('true')
      expect([got.headers.Location, got.headers.ETag]).toEqual([first.headers.Location, first.headers.ETag])
    }
    expect(changesBetween(after, await stored())).toEqual([])
    expect(receiver.received).toHaveLength(received)
  })

  it('is done anew with another key, by another caller, and without a key', async () => {
    const { sent } = await requestOf(id)
    const key = randomUUID()
    const answers = [await call(id, sent, key), await call(id, sent, `${key}x`), await call(id, sent)]
    turn += 1
    answers.push(await call(id, sent, key))
    for (const got of answers) {
      expect(got.status, JSON.stringify(got.body)).toBe(success.status)
      expect(got.headers).not.toHaveProperty('Idempotency-Replayed')
    }
  })

  it('is refused with a key that was used with another body', async () => {
    const { sent, other } = await requestOf(id)
    if (other === undefined) return
    const key = randomUUID()
    await call(id, sent, key)
    const before = await stored()
    const got = await call(id, { ...sent, body: other }, key)
    expectError(got, 422, 'INVALID_REQUEST')
    expect(got.body.error.details.field).toBe('Idempotency-Key')
    expect(changesBetween(before, await stored())).toEqual([])
    expect((await call(id, sent, key)).headers['Idempotency-Replayed']).toBe('true')
  })

  it.each([
    ['an empty key', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a tab', 'a\tb'],
    ['other than ASCII', 'schlüssel'],
    ['two keys', ['one', 'two']],
  ])('names the header for %s', async (_name, key) => {
    const { sent } = await requestOf(id)
    const before = await stored()
    expectInvalid(await call(id, sent, key), 'Idempotency-Key')
    expect(changesBetween(before, await stored())).toEqual([])
  })

  it('keeps of a request only its digest, status and resource, for a day', async () => {
    const { sent } = await requestOf(id)
    const known = await recordsIn(id)
    const key = `${'k'.repeat(200)}${randomUUID()}`
    const now = Date.now()
    await call(id, sent, key)
    const record = await recordOf(id, known)
    expect(record).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), status: success.status })
    expect(record.until - record.at).toBe(REPEAT_MS)
    expect(record.at).toBeGreaterThanOrEqual(now)
    const text = JSON.stringify(record)
    for (const secret of [key, SECRET, service.adminKey, admin()]) expect(text).not.toContain(secret)
    expect(record.resource).toMatch(/^([a-z]+_[0-9A-Z]{26}|signals)$/)
  })

  it('is done anew when its day is over, though its record is still there', async () => {
    const { sent } = await requestOf(id)
    const known = await recordsIn(id)
    const key = randomUUID()
    await call(id, sent, key)
    const { pk, sk } = await recordOf(id, known)
    await service.store.client.send(
      new UpdateCommand({
        TableName: service.store.names[tableOf(id)],
        Key: sk === undefined ? { pk } : { pk, sk },
        UpdateExpression: 'SET #until = :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': Date.now() },
      }),
    )
    const got = await call(id, sent, key)
    expect(got.status, JSON.stringify(got.body)).toBe(success.status)
    expect(got.headers).not.toHaveProperty('Idempotency-Replayed')
  })

  it('that is sent several times at once is done once', async () => {
    const { sent } = await requestOf(id)
    const before = await stored()
    const key = randomUUID()
    const received = receiver.received.length
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(id, sent, key)))
    const done = answers.filter(({ status }) => status === success.status)
    expect(done.length, JSON.stringify(answers.map(({ body }) => body))).toBeGreaterThan(0)
    for (const got of answers) if (got.status !== success.status) expectError(got, 409, 'INVALID_REQUEST')
    expect(done.filter(({ headers }) => headers['Idempotency-Replayed'] === undefined)).toHaveLength(1)
    for (const got of done) expect(got.body).toEqual(done[0]?.body)
    const kinds = changesBetween(before, await stored())
    expect(kinds.filter((kind) => kind.includes('REPEAT#'))).toHaveLength(1)
    if (id === 'ping-webhook') expect(receiver.received.length - received).toBe(1)
    const again = await call(id, sent, key)
    expect(again.body).toEqual(done[0]?.body)
  })

  let whole: readonly string[] | undefined
  /** What one request comes to in the store, by kinds of items. */
  async function wholeChange(): Promise<readonly string[]> {
    const { sent } = await requestOf(id)
    const before = await stored()
    expect((await call(id, sent, randomUUID())).status).toBe(success.status)
    return kindsBetween(before, await stored())
  }

  it.each(
    (['lost', 'refused'] as const).flatMap((fault) =>
      (repeats?.first ?? []).map((name, at) => [fault, at + 1, name] as const),
    ),
  )('leaves one resource, whatever becomes of it: %s at call %i, %s', async (fault, at) => {
    whole ??= await wholeChange()
    const { sent } = await requestOf(id)
    const known = await recordsIn(id)
    const key = randomUUID()
    const before = await stored()
    const received = receiver.received.length
    faults.at(at, fault)
    const first = await call(id, sent, key)
    expect(faults.met.length).toBeGreaterThan(0)
    faults.off()
    if (first.status !== success.status) expectError(first, 500, 'INTERNAL_ERROR')
    // Who died holding the right to long work holds it for the time of its function.
    await endLeases(id, known)
    const again = await call(id, sent, key)
    expect(again.status, JSON.stringify(again.body)).toBe(success.status)
    expect(kindsBetween(before, await stored())).toEqual(whole)
    const third = await call(id, sent, key)
    expect([third.body, third.headers['Idempotency-Replayed']]).toEqual([again.body, 'true'])
    // A test event has no record before it was sent: it may be sent a second time, never a third.
    if (id === 'ping-webhook') expect(receiver.received.length - received).toBeLessThanOrEqual(2)
  })
})

describe('long work', () => {
  it.each(['answer-query', 'ping-webhook'] as const)(
    'that died is under way for others, which is 409, until the time of its function is over: %s',
    async (id) => {
      const { sent, other } = await requestOf(id)
      const known = await recordsIn(id)
      const key = randomUUID()
      // It begins, and neither ends nor gives anything back.
      faults.at(2, 'lost')
      expect((await call(id, sent, key)).status).toBe(500)
      faults.off()
      const { at, lease_until } = await recordOf(id, known)
      expect(lease_until - at).toBe(operations[id].timeoutSeconds * 1_000)
      const got = await call(id, sent, key)
      expectError(got, 409, 'INVALID_REQUEST')
      expect(got.body.error.details.field).toBe('Idempotency-Key')
      if (other !== undefined)
        expectError(await call(id, { ...sent, body: other }, key), 422, 'INVALID_REQUEST')
      await endLeases(id, known)
      const taken = await call(id, sent, key)
      expect(taken.status, JSON.stringify(taken.body)).toBe(200)
      expect(taken.headers).not.toHaveProperty('Idempotency-Replayed')
    },
  )

  it('that failed is free at once, also for another body', async () => {
    const key = randomUUID()
    const refused = await call(
      'answer-query',
      { body: { query: 'x', context: { time_range: { start: ago(1e10) } } } },
      key,
    )
    expect(refused.status).toBe(400)
    const got = await call('answer-query', { body: { query: 'Which incidents are open?' } }, key)
    expect(got.status).toBe(200)
    const unknown = `wh_${'0'.repeat(26)}`
    for (let again = 0; again < 2; again += 1)
      expectError(await call('ping-webhook', { id: unknown }, key), 404, 'NOT_FOUND')
  })

  it('that overran its time does not undo what took its place', async () => {
    const id = await newWebhook()
    const { webhookRepeats } = await import('#shared/runtime.ts')
    const key = randomUUID()
    const records = webhookRepeats.records()
    const begin = records.begin.bind(records)
    // Somebody else's request takes over while this one waits for its receiver.
    const spy = vi.spyOn(records, 'begin').mockImplementationOnce(async (request, status, now, until) => {
      const mine = await begin(request, status, now - 60_000, now - 1)
      await begin(request, status, now, until)
      return mine
    })
    const got = await call('ping-webhook', { id }, key)
    spy.mockRestore()
    expectError(got, 409, 'INVALID_REQUEST')
    expectError(await call('ping-webhook', { id }, key), 409, 'INVALID_REQUEST')
  })
})

describe('a request that was refused', () => {
  it('is tried afresh with the same key: only success is kept', async () => {
    const key = randomUUID()
    const { rename } = await import('node:fs/promises')
    const body = { type: 'bundle', config: { path: 'three' } }
    expectInvalid(await call('create-integration', { body }, key), 'config.path')
    await writeCalmBundle(join(service.bundles, 'three'))
    expect((await call('create-integration', { body }, key)).status).toBe(201)
    // And what was made is answered, though the tool would now refuse.
    await rename(join(service.bundles, 'three'), join(service.bundles, 'four'))
    const again = await call('create-integration', { body }, key)
    expect([again.status, again.headers['Idempotency-Replayed']]).toEqual([201, 'true'])
  })
})

describe('what an earlier request made', () => {
  it('is answered as it is now', async () => {
    const key = randomUUID()
    const made = await call('create-incident', { body: incident }, key)
    await service.done('update-incident', { id: made.body.id, body: { title: 'Another title' } })
    const again = await call('create-incident', { body: incident }, key)
    expect(again.status).toBe(201)
    expect(again.body).toMatchObject({ id: made.body.id, title: 'Another title' })
    expect(again.headers.ETag).not.toBe(made.headers.ETag)
  })

  it('is not made again when it was deleted since', async () => {
    const key = randomUUID()
    const { id } = (await call('create-webhook', { body: hook() }, key)).body
    await service.call('delete-webhook', { id })
    const got = await call('create-webhook', { body: hook() }, key)
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.details).toMatchObject({ field: 'Idempotency-Key' })
    const rotated = await newWebhook()
    const body = { secret: `${SECRET}-again` }
    await call('rotate-webhook-secret', { id: rotated, body }, key)
    await service.call('delete-webhook', { id: rotated })
    expectError(await call('rotate-webhook-secret', { id: rotated, body }, key), 409, 'INVALID_REQUEST')
  })

  it('is answered with its warnings and without its secret', async () => {
    const key = randomUUID()
    const body = { ...hook(), secret: 'short-canary' }
    const made = await call('create-webhook', { body }, key)
    const again = await call('create-webhook', { body }, key)
    expect(again.body).toEqual(made.body)
    expect(again.body.warnings).toHaveLength(1)
    expect(JSON.stringify([made, again])).not.toContain('short-canary')
    await service.call('delete-webhook', { id: made.body.id })
  })

  it('counts once against the quota, and is answered also when that is full', async () => {
    const key = randomUUID()
    const made = await call('create-webhook', { body: hook() }, key)
    await service.store.client.send(
      new UpdateCommand({
        TableName: service.store.names.webhooks,
        Key: { pk: 'WEBHOOK_COUNT', sk: 'COUNT' },
        UpdateExpression: 'SET members = members + :many',
        ExpressionAttributeValues: { ':many': 1_000 },
      }),
    )
    expect((await call('create-webhook', { body: hook() }, randomUUID())).status).toBe(409)
    const again = await call('create-webhook', { body: hook() }, key)
    expect([again.status, again.body.id]).toEqual([201, made.body.id])
  })
})
