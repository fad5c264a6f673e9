import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectError, refusesAlike } from './refusals.ts'
import { refusesStale } from './refuses-stale.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('delete-webhook', () => service)

describe('204', () => {
  it('ends the subscription, and leaves nothing of it, its secret included', async () => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    const got = await service.call('delete-webhook', { id })
    expect(got.status).toBe(204)
    expect(got.body).toBeNull()
    expect(got.headers['Content-Type']).toBeUndefined()
    expect(JSON.stringify(await allItems(service, 'webhooks'))).not.toContain(id.slice(3))
    expect((await service.done('list-webhooks')).webhooks).toEqual([])
  })
})

describe('404', () => {
  it('is the answer to everything that asks for it afterwards', async () => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    await service.done('delete-webhook', { id })
    expectError(await service.call('delete-webhook', { id }), 404, 'NOT_FOUND')
    expectError(await service.call('get-webhook', { id }), 404, 'NOT_FOUND')
    expectError(await service.call('update-webhook', { id, body: { status: 'enabled' } }), 404, 'NOT_FOUND')
  })

  it('is the answer to all but one of several that delete at once', async () => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    const answers = await Promise.all([1, 2, 3].map(() => service.call('delete-webhook', { id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404])
  })
})

describe('412', () => {
  refusesStale('delete-webhook', () => service, {
    make: async () => (await service.done('create-webhook', { body: SAMPLE_WEBHOOK })).id,
    read: 'get-webhook',
    meanwhile: (id) => service.done('update-webhook', { id, body: { url: 'https://example.com/other' } }),
  })
})
