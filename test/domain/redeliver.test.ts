import { describe, expect, it } from 'vitest'
import { type Delivery, newDelivery } from '#shared/domain/delivery.ts'
import { redeliver } from '#shared/domain/redeliver.ts'
import type { Webhook } from '#shared/domain/webhook.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const webhook: Webhook = {
  id: 'wh_1',
  url: 'https://example.com/hook',
  events: ['incident.created'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 1,
}
const about = { event_id: 'evt_1', event_kind: 'incident.created', incident_id: 'inc_1' } as const
const failed: Delivery = {
  ...newDelivery('dlv_1', 'wh_1', about, NOW - 1_000),
  status: 'failed',
  reason: 'exhausted',
  attempts: 10,
  lease_until: 5,
  fence: 10,
}

/** One subscription with one delivery, either of which may be another or absent, and what was done. */
function world(
  change: { webhook?: Webhook | undefined; delivery?: Delivery | undefined; held?: boolean } = {},
) {
  const given = { webhook, delivery: failed, held: false, ...change }
  const done: unknown[] = []
  const acts = {
    webhooks: { get: async () => given.webhook },
    deliveries: {
      get: async () => given.delivery,
      resend: async (...what: unknown[]) => {
        done.push(['resend', ...what])
        return !given.held
      },
    },
    deliveryDoorbell: {
      ring: async (calls: unknown) => {
        done.push(['ring', calls])
      },
    },
    clock: () => NOW,
  }
  return { done, redeliver: () => redeliver(acts, 'wh_1', 'dlv_1') }
}

describe('a delivery that is made again', () => {
  it('is due now, with a new round of attempts, and rung for', async () => {
    const { done, redeliver } = world()
    expect(await redeliver()).toEqual({
      ...failed,
      status: 'pending',
      reason: null,
      trigger: 'manual',
      attempts: 0,
      next_attempt_at: NOW,
      lease_until: 0,
      updated_at: NOW,
    })
    expect(done).toEqual([
      ['resend', failed, 'manual', NOW],
      ['ring', [{ webhook_id: 'wh_1', delivery_id: 'dlv_1' }]],
    ])
  })

  it.each([
    ['no subscription', { webhook: undefined }, 'not_found', 'Webhook wh_1'],
    ['no delivery', { delivery: undefined }, 'not_found', 'Delivery dlv_1'],
    [
      'a disabled subscription',
      { webhook: { ...webhook, status: 'disabled' as const } },
      'conflict',
      'disabled',
    ],
  ])('is refused where there is %s, and nothing is done', async (_, change, kind, words) => {
    const { done, redeliver } = world(change)
    await expect(redeliver()).rejects.toMatchObject({ kind, message: expect.stringContaining(words) })
    expect(done).toEqual([])
  })

  it('is refused while it is being attempted, and not rung for', async () => {
    const { done, redeliver } = world({ held: true })
    await expect(redeliver()).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('being attempted right now'),
    })
    expect(done).toHaveLength(1)
  })
})
