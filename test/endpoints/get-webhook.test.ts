import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersUnmodified } from './answers-unmodified.ts'
import { refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService, withKey } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

refusesAlike('get-webhook', () => service)

describe('200', () => {
  it('is what the last write answered, without the secret', async () => {
    const made = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    expect(await service.done('get-webhook', { id: made.id })).toEqual(made)
    const changed = await service.done('update-webhook', { id: made.id, body: { status: 'disabled' } })
    const got = await service.call('get-webhook', { id: made.id })
    expect(got.body).toEqual(changed)
    expect(Object.keys(got.body).sort()).toEqual([
      'created_at',
      'disabled_reason',
      'events',
      'id',
      'status',
      'updated_at',
      'url',
    ])
    expect(JSON.stringify(got)).not.toContain(SAMPLE_WEBHOOK.secret)
  })
})

describe('304', () => {
  answersUnmodified(
    'get-webhook',
    () => service,
    async () => (await service.done('create-webhook', { body: SAMPLE_WEBHOOK })).id,
    async (id) => {
      const { status } = await service.done('get-webhook', { id })
      const changed = { disabled: { url: 'https://example.com/new' }, enabled: { status: 'disabled' } }
      await service.done('update-webhook', { id, body: changed[status as keyof typeof changed] })
    },
  )

  it('is not for one that holds the version before its secret was replaced', async () => {
    const made = await service.call('create-webhook', { body: SAMPLE_WEBHOOK })
    const { id } = made.body
    await service.done('rotate-webhook-secret', { id, body: { secret: 'x'.repeat(24) } })
    const headers = { ...withKey(service.adminKey), 'If-None-Match': made.headers.ETag ?? '' }
    expect((await service.call('get-webhook', { id, headers })).status).toBe(200)
  })
})
