import { describe, expect, it } from 'vitest'
import { HEALTHY, type PostResult } from '#shared/domain/delivery.ts'
import { ping } from '#shared/domain/ping-webhook.ts'
import type { Subscription } from '#shared/domain/ports.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const subscription: Subscription = {
  webhook: {
    id: 'wh_1',
    url: 'https://example.com/hook',
    events: ['incident.created'],
    status: 'enabled',
    disabled_reason: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    version: 1,
  },
  health: HEALTHY,
  secrets: ['new', 'old'],
}
const answered = (status: number): PostResult => ({
  kind: 'answered',
  status,
  retryAfter: null,
  response: 'thanks',
})

function acting(result: PostResult, stored: Subscription | undefined = subscription) {
  const posted: unknown[] = []
  let now = NOW
  const acts = {
    webhooks: { open: async () => stored },
    post: async (request: unknown) => {
      posted.push(request)
      now += 70
      return result
    },
    sign: (secret: string, content: string) => `${secret} signs ${content}`,
    clock: () => now,
    newId: (prefix: string, at: number) => `${prefix}_${at}`,
  }
  return { acts, posted }
}

describe('a ping', () => {
  it('is one signed test event to where the subscription says', async () => {
    const { acts, posted } = acting(answered(204))
    expect(await ping(acts, 'wh_1')).toEqual({
      event_id: `evt_${NOW}`,
      delivered: true,
      status: 204,
      error: null,
      duration_ms: 70,
      response: 'thanks',
    })
    const body = '{"type":"webhook.ping","timestamp":"2026-01-31T12:00:00.000Z","data":{"webhook_id":"wh_1"}}'
    const content = `evt_${NOW}.${NOW / 1_000}.${body}`
    expect(posted).toEqual([
      {
        url: 'https://example.com/hook',
        headers: {
          'content-type': 'application/json',
          'webhook-id': `evt_${NOW}`,
          'webhook-timestamp': String(NOW / 1_000),
          'webhook-signature': `v1,new signs ${content} v1,old signs ${content}`,
        },
        body,
        deadlineMs: 15_000,
      },
    ])
  })

  it('goes elsewhere when told so', async () => {
    const { acts, posted } = acting(answered(200))
    await ping(acts, 'wh_1', 'https://example.com/new')
    expect(posted).toMatchObject([{ url: 'https://example.com/new' }])
  })

  it('tells what the receiver answered when it refused, and why nothing came', async () => {
    expect(await ping(acting(answered(500)).acts, 'wh_1')).toMatchObject({
      delivered: false,
      status: 500,
      error: 'status',
      response: 'thanks',
    })
    expect(await ping(acting({ kind: 'failed', error: 'timeout' }).acts, 'wh_1')).toMatchObject({
      delivered: false,
      status: null,
      error: 'timeout',
      response: null,
    })
  })

  it('lasts no less than nothing where the clock is set back meanwhile', async () => {
    const { acts } = acting(answered(200))
    const back = [NOW, NOW - 600_000]
    expect(await ping({ ...acts, clock: () => back.shift() ?? NOW }, 'wh_1')).toMatchObject({
      duration_ms: 0,
    })
  })

  it('needs a subscription', async () => {
    const { acts, posted } = acting(answered(200))
    const absent = { ...acts, webhooks: { open: async () => undefined } }
    await expect(ping(absent, 'wh_1')).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Webhook wh_1'),
    })
    expect(posted).toEqual([])
  })
})
