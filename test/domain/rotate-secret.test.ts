import { describe, expect, it } from 'vitest'
import { rotateSecret } from '#shared/domain/rotate-secret.ts'
import type { Webhook } from '#shared/domain/webhook.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const DAY_MS = 86_400_000
const SECRET = 'x'.repeat(24)
const webhook: Webhook = {
  id: 'wh_1',
  url: 'https://example.com/hook',
  events: ['incident.created'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 4,
}
const after: Webhook = { ...webhook, updated_at: '2026-01-31T12:00:00.000Z', version: 5 }

function acting(stored: Webhook | undefined, unchanged = true) {
  const written: unknown[] = []
  const webhooks = {
    get: async () => stored,
    rotateSecret: async (...given: unknown[]) => {
      written.push(given)
      return unchanged
    },
  }
  return { written, acts: { webhooks, clock: () => NOW } }
}

describe('a secret that is replaced', () => {
  it('stays valid for a day beside the new one unless another time is asked for', async () => {
    const { acts, written } = acting(webhook)
    expect(await rotateSecret(acts, 'wh_1', { secret: SECRET })).toEqual({
      webhook: after,
      previousUntil: NOW + DAY_MS,
      warnings: [],
    })
    expect((await rotateSecret(acts, 'wh_1', { secret: SECRET, overlap_seconds: 0 })).previousUntil).toBe(NOW)
    expect((await rotateSecret(acts, 'wh_1', { secret: SECRET, overlap_seconds: 90 })).previousUntil).toBe(
      NOW + 90_000,
    )
    expect(written[0]).toEqual([webhook, after, SECRET, NOW + DAY_MS])
  })

  it('may be a short one, with a warning', async () => {
    expect((await rotateSecret(acting(webhook).acts, 'wh_1', { secret: 'short' })).warnings).toEqual([
      expect.stringContaining('5 bytes'),
    ])
  })

  it('is refused where there is no such webhook, or somebody else changed it meanwhile', async () => {
    await expect(rotateSecret(acting(undefined).acts, 'wh_1', { secret: SECRET })).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Webhook wh_1'),
    })
    await expect(rotateSecret(acting(webhook, false).acts, 'wh_1', { secret: SECRET })).rejects.toMatchObject(
      {
        kind: 'conflict',
        message: expect.stringContaining('Somebody else changed this webhook'),
      },
    )
  })
})
