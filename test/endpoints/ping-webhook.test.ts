import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type TestReceiver } from './receiver.ts'
import { expectError, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
let receiver: TestReceiver
beforeAll(async () => {
  service = await startService({ egress: 'local' })
  receiver = await startReceiver()
})
afterAll(async () => {
  receiver.close()
  await service.stop()
})

refusesAlike('ping-webhook', () => service)

const created = () => service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, url: receiver.url } })

describe('200', () => {
  it('sends a signed test event at once and tells how it was taken', async () => {
    receiver.status = 204
    const { id } = await created()
    const got = await service.call('ping-webhook', { id })
    expect(got.status).toBe(200)
    const sent = receiver.received.at(-1)
    expect(got.body).toEqual({
      event_id: sent?.headers['webhook-id'],
      delivered: true,
      status: 204,
      error: null,
      duration_ms: expect.any(Number),
      response: '',
    })
    const verified = new Webhook(SAMPLE_WEBHOOK.secret).verify(sent?.body ?? '', {
      'webhook-id': String(sent?.headers['webhook-id']),
      'webhook-timestamp': String(sent?.headers['webhook-timestamp']),
      'webhook-signature': String(sent?.headers['webhook-signature']),
    })
    expect(verified).toMatchObject({ type: 'webhook.ping', data: { webhook_id: id } })
  })

  it('tells a refusal with the answer of the receiver, and changes nothing', async () => {
    receiver.status = 500
    const { id } = await created()
    const got = await service.call('ping-webhook', { id })
    expect(got.body).toMatchObject({ delivered: false, status: 500, error: 'status', response: 'seen' })
    expect(await service.done('get-webhook', { id })).toMatchObject({ status: 'enabled' })
  })

  it('tells that nobody was there', async () => {
    const gone = await startReceiver()
    gone.close()
    const { id } = await service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, url: gone.url } })
    expect((await service.call('ping-webhook', { id })).body).toMatchObject({
      delivered: false,
      status: null,
      error: 'connection',
    })
  })
})

describe('PATCH /webhooks/{id} from disabled to enabled', () => {
  it('pings before it enables again', async () => {
    receiver.received.length = 0
    receiver.status = 200
    const { id } = await service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, url: receiver.url } })
    await service.done('update-webhook', { id, body: { status: 'disabled' } })
    const enabled = await service.done('update-webhook', { id, body: { status: 'enabled' } })
    expect(enabled).toMatchObject({ status: 'enabled', disabled_reason: null })
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['webhook.ping'])
  })

  it('keeps a webhook disabled whose receiver does not take the ping', async () => {
    receiver.received.length = 0
    receiver.status = 503
    const { id } = await service.done('create-webhook', { body: { ...SAMPLE_WEBHOOK, url: receiver.url } })
    await service.done('update-webhook', { id, body: { status: 'disabled' } })
    const got = await service.call('update-webhook', { id, body: { status: 'enabled' } })
    expectError(got, 409, 'INVALID_REQUEST')
    expect(got.body.error.details.ping).toMatchObject({ delivered: false, status: 503 })
    expect(await service.done('get-webhook', { id })).toMatchObject({ status: 'disabled' })
  })
})
