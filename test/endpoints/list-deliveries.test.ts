import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDelivery } from './receiver.ts'
import { expectInvalid, refusesAlike } from './refusals.ts'
import { SAMPLE_WEBHOOK } from './sample-webhooks.ts'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ queue: true })
})
afterAll(() => service.stop())

refusesAlike('list-deliveries', () => service)

describe('200', () => {
  it('shows a delivery with all its attempts', async () => {
    const { id, webhook_id, incident_id } = await newDelivery(service)
    const { deliveries } = await import('#shared/runtime.ts')
    let delivery = await deliveries().get(webhook_id, id)
    for (let made = 0; made < 2; made += 1) {
      const now = Date.now()
      const claimed = delivery && (await deliveries().claim(delivery, now, now + 1))
      if (claimed === undefined) throw new Error('not claimed')
      delivery = { ...claimed, attempts: made + 1, next_attempt_at: now, lease_until: 0 }
      const attempt = { number: claimed.fence, at: now, duration_ms: 12, status: 500 }
      await deliveries().commit(claimed, delivery, { ...attempt, error: 'status', response: 'no' })
    }
    const got = await service.call('list-deliveries', { id: webhook_id })
    expect(got.status).toBe(200)
    const attempt = { at: expect.any(String), duration_ms: 12, status: 500, error: 'status', response: 'no' }
    expect(got.body).toEqual({
      deliveries: [
        {
          id,
          webhook_id,
          event_id: incident_id.replace('inc_', 'evt_'),
          event: 'incident.created',
          incident_id,
          status: 'pending',
          reason: null,
          trigger: 'event',
          next_attempt_at: expect.any(String),
          created_at: expect.any(String),
          updated_at: expect.any(String),
          attempts: [
            { number: 1, ...attempt },
            { number: 2, ...attempt },
          ],
        },
      ],
      next_cursor: null,
    })
  })

  it('is empty for a webhook to which nothing was sent', async () => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    expect(await service.done('list-deliveries', { id })).toEqual({ deliveries: [], next_cursor: null })
  })

  it('gives each delivery once over all pages, newest event first, while others arrive', async () => {
    const { webhook_id } = await newDelivery(service)
    for (let more = 0; more < 4; more += 1) await newDelivery(service)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { limit: '2', ...(cursor === undefined ? {} : { cursor }) }
      const page = await service.done('list-deliveries', { id: webhook_id, query })
      seen.push(...page.deliveries.map((delivery: { id: string }) => delivery.id))
      cursor = page.next_cursor ?? undefined
      if (seen.length === 2) await newDelivery(service)
    } while (cursor !== undefined)
    expect(seen).toHaveLength(5)
    expect([...seen].sort().reverse()).toEqual(seen)
    expect(new Set(seen).size).toBe(5)
  })
})

describe('400', () => {
  it('refuses the cursor of another webhook', async () => {
    const { webhook_id } = await newDelivery(service)
    await newDelivery(service)
    const page = await service.done('list-deliveries', { id: webhook_id, query: { limit: '1' } })
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    const query = { cursor: page.next_cursor as string }
    expectInvalid(await service.call('list-deliveries', { id, query }), 'cursor')
  })

  it.each([{ limit: '0' }, { limit: '101' }, { status: 'failed' }])('refuses %j', async (query) => {
    const { id } = await service.done('create-webhook', { body: SAMPLE_WEBHOOK })
    const given = query as Readonly<Record<string, string>>
    expectInvalid(await service.call('list-deliveries', { id, query: given }), Object.keys(query)[0] ?? '')
  })
})
