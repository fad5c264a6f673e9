import { randomUUID } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readKey } from '#shared/domain/api-key.ts'
import { KEY_QUOTA } from '#shared/domain/create-key.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { type Service, startService, withKey } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('create-key', () => service)

const given = { name: ' on call ', type: 'assistant' }

describe('201', () => {
  it('answers the value this once, says who made the key, and keeps the value nowhere', async () => {
    const got = await service.call('create-key', { headers: service.asUser('admin'), body: given })
    expect(got.status).toBe(201)
    expect(got.headers.Location).toBe(`/v1/keys/${got.body.id}`)
    expect(readKey(got.body.value)).toEqual({ type: 'assistant' })
    expect(got.body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'on call',
      type: 'assistant',
      plan: 'standard',
      prefix: 'iis_live_ast_',
      last4: got.body.value.slice(-4),
      created_by: 'admin',
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      value: got.body.value,
    })
    expect(JSON.stringify(await allItems(service, 'keys'))).not.toContain(got.body.value)
  })

  it('makes a key that may what its type may, at once, with the limit of its plan', async () => {
    const make = async (body: object) => (await service.done('create-key', { body })).value as string
    const assistant = withKey(await make({ ...given, plan: 'enterprise' }))
    const asked = await service.call('answer-query', { headers: assistant, body: { query: 'What?' } })
    expect([asked.status, asked.headers['X-RateLimit-Limit']]).toEqual([200, '1000'])
    expect((await service.call('list-incidents', { headers: assistant })).status).toBe(403)
    const admin = withKey(await make({ ...given, type: 'admin' }))
    expect((await service.call('list-incidents', { headers: admin })).status).toBe(200)
  })

  it('writes down who made it', async () => {
    const { id } = await service.done('create-key', { headers: service.asUser('admin'), body: given })
    const acts = (await allItems(service, 'keys')).filter(({ key_id }) => key_id === id)
    expect(acts).toMatchObject([{ act: 'created', by: 'admin' }])
  })

  it('is done once with one Idempotency-Key, and the value is not answered again', async () => {
    const headers = { ...service.asUser('admin'), 'Idempotency-Key': randomUUID() }
    const first = await service.call('create-key', { headers, body: given })
    const again = await service.call('create-key', { headers, body: given })
    expect(again.headers['Idempotency-Replayed']).toBe('true')
    expect(again.headers.Location).toBe(first.headers.Location)
    const { value, ...shown } = first.body
    expect(value).toMatch(/^iis_/)
    expect(again.body).toEqual({
      ...shown,
      value: null,
      warnings: [expect.stringContaining('first request')],
    })
    const items = JSON.stringify(await allItems(service, 'keys'))
    for (const secret of [value, headers['Idempotency-Key']]) expect(items).not.toContain(secret)
    expect((await service.call('create-key', { headers, body: { ...given, name: 'other' } })).status).toBe(
      422,
    )
  })
})

describe('400', () => {
  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['type', { type: 'root' }],
    ['plan', { plan: 'free' }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { expires_at: '2099-01-01T00:00:00Z' }],
    ['expires_at', { expires_at: 'tomorrow' }],
    ['created_by', { created_by: 'somebody else' }],
    ['value', { value: 'iis_live_adm_mine' }],
  ])('names %s for %j', async (field, change) => {
    expectInvalid(await service.call('create-key', { body: { ...given, ...change } }), field)
  })
})

describe('409', () => {
  it('is when there are as many keys as there may be', async () => {
    await service.store.client.send(
      new UpdateCommand({
        TableName: service.store.names.keys,
        Key: { pk: 'KEY_COUNT' },
        UpdateExpression: 'SET members = :quota',
        ExpressionAttributeValues: { ':quota': KEY_QUOTA },
      }),
    )
    const got = await service.call('create-key', { body: given })
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.details.limit).toBe(KEY_QUOTA)
  })
})
