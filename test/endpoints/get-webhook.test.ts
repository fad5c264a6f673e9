import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

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
