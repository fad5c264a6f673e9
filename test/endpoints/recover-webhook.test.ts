import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDelivery } from './receiver.ts'
import { expectError, expectInvalid, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

refusesAlike('recover-webhook', () => service)

const created = () => service.done('create-webhook', { body: SAMPLE_WEBHOOK })
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('202', () => {
  it('begins in the background: the worker makes everything due again that failed since', async () => {
    const { id, webhook_id } = await newDelivery(service)
    const { deliveries, redeliveryActs } = await import('#shared/runtime.ts')
    const { recoverDeliveries } = await import('#shared/domain/recover-deliveries.ts')
    const delivery = await deliveries().get(webhook_id, id)
    if (delivery === undefined) throw new Error('no delivery')
    await deliveries().end(delivery, 'failed', 'exhausted', Date.now())
    await service.messages('deliveries')

    const since = ago(HOUR)
    const got = await service.call('recover-webhook', { id: webhook_id, body: { since } })
    expect(got.status).toBe(202)
    expect(got.body).toEqual({ webhook_id, since })
    const [rung] = await service.messages('deliveries')
    expect(JSON.parse(rung?.body ?? '')).toEqual({ webhook_id, due_at: expect.any(Number) })

    expect(await recoverDeliveries(redeliveryActs(), webhook_id)).toBe(true)
    expect(await deliveries().get(webhook_id, id)).toMatchObject({
      status: 'pending',
      reason: null,
      trigger: 'recovery',
      attempts: 0,
    })
    const [again] = await service.messages('deliveries')
    expect(JSON.parse(again?.body ?? '')).toMatchObject({ webhook_id, delivery_id: id })
    // It has come to its end.
    expect(await recoverDeliveries(redeliveryActs(), webhook_id)).toBe(false)
  })

  it('leaves alone what was delivered, and what failed before', async () => {
    const { id, webhook_id } = await newDelivery(service)
    const { deliveries, redeliveryActs } = await import('#shared/runtime.ts')
    const { recoverDeliveries } = await import('#shared/domain/recover-deliveries.ts')
    const delivery = await deliveries().get(webhook_id, id)
    if (delivery === undefined) throw new Error('no delivery')
    await deliveries().end(delivery, 'failed', 'exhausted', Date.now())
    await new Promise((resolve) => setImmediate(resolve))
    const since = new Date(Date.now()).toISOString()
    await service.done('recover-webhook', { id: webhook_id, body: { since } })
    await recoverDeliveries(redeliveryActs(), webhook_id)
    expect(await deliveries().get(webhook_id, id)).toMatchObject({ status: 'failed' })
  })
})

describe('400', () => {
  it.each([
    ['no instant', {}],
    ['no real instant', { since: '2026-02-30T00:00:00Z' }],
    ['an instant in the future', { since: ago(-HOUR) }],
    ['an instant more than 14 days back', { since: ago(14 * DAY + HOUR) }],
  ])('refuses %s', async (_name, body) => {
    const { id } = await created()
    expectInvalid(await service.call('recover-webhook', { id, body }), 'since')
  })
})

describe('409', () => {
  it('refuses a webhook that is disabled', async () => {
    const { id } = await created()
    await service.done('update-webhook', { id, body: { status: 'disabled' } })
    expectError(
      await service.call('recover-webhook', { id, body: { since: ago(HOUR) } }),
      409,
      'INVALID_REQUEST',
    )
  })
})
