import { ulid } from 'ulid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDelivery } from './receiver.ts'
import { expectError, refusesAlike } from './refusals.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

refusesAlike('redeliver', () => service)

const redeliver = (id: string, delivery_id: string) =>
  service.call('redeliver', { id, parameters: { delivery_id } })
const store = async () => (await import('#shared/runtime.ts')).deliveries()

describe('202', () => {
  it.each(['failed', 'cancelled', 'delivered', 'pending'] as const)(
    'sends a delivery that is %s again, with a new round of attempts',
    async (status) => {
      const { id, webhook_id } = await newDelivery(service)
      const delivery = await (await store()).get(webhook_id, id)
      if (delivery === undefined) throw new Error('no delivery')
      const now = Date.now()
      if (status === 'delivered') {
        const claimed = await (await store()).claim(delivery, now, now + 1)
        if (claimed === undefined) throw new Error('not claimed')
        const attempt = { number: 1, at: now, duration_ms: 1, status: 200, error: null, response: '' }
        await (await store()).commit(claimed, { ...claimed, status, attempts: 1, lease_until: 0 }, attempt)
      } else if (status !== 'pending') await (await store()).end(delivery, status, 'exhausted', now)
      await service.messages('deliveries')
      const got = await redeliver(webhook_id, id)
      expect(got.status, JSON.stringify(got.body)).toBe(202)
      expect(got.body).toMatchObject({ id, status: 'pending', reason: null, trigger: 'manual' })
      expect(await (await store()).get(webhook_id, id)).toMatchObject({ status: 'pending', attempts: 0 })
      const [rung] = await service.messages('deliveries')
      expect(JSON.parse(rung?.body ?? '')).toMatchObject({ webhook_id, delivery_id: id })
    },
  )

  it('does so as often as it is asked', async () => {
    const { id, webhook_id } = await newDelivery(service)
    for (let asked = 0; asked < 3; asked += 1) expect((await redeliver(webhook_id, id)).status).toBe(202)
  })
})

describe('404', () => {
  it.each([`dlv_${ulid()}`, 'dlv_1', 'inc_x'])('knows no delivery %s', async (deliveryId) => {
    const { webhook_id } = await newDelivery(service)
    expectError(await redeliver(webhook_id, deliveryId), 404, 'NOT_FOUND')
  })

  it('knows no delivery of another webhook', async () => {
    const [one, other] = [await newDelivery(service), await newDelivery(service)]
    expectError(await redeliver(other.webhook_id, one.id), 404, 'NOT_FOUND')
  })
})

describe('409', () => {
  it('refuses while the delivery is being attempted', async () => {
    const { id, webhook_id } = await newDelivery(service)
    const delivery = await (await store()).get(webhook_id, id)
    if (delivery === undefined) throw new Error('no delivery')
    await (await store()).claim(delivery, Date.now(), Date.now() + 60_000)
    expectError(await redeliver(webhook_id, id), 409, 'INVALID_REQUEST')
  })

  it('refuses while the webhook is disabled', async () => {
    const { id, webhook_id } = await newDelivery(service)
    await service.done('update-webhook', { id: webhook_id, body: { status: 'disabled' } })
    expectError(await redeliver(webhook_id, id), 409, 'INVALID_REQUEST')
  })
})
