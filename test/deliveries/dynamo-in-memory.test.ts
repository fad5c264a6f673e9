import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import { newDelivery } from '#shared/domain/delivery.ts'
import type { Webhook } from '#shared/domain/webhook.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { clientOver, DynamoInMemory } from './dynamo-in-memory.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const ULID = '01KGA2B3C4D5E6F7G8H9JKMNP'
const WEBHOOK = `wh_${ULID}Q`
const about = {
  event_id: `evt_${ULID}Q`,
  event_kind: 'incident.created',
  incident_id: `inc_${ULID}Q`,
} as const
const webhook: Webhook = {
  id: WEBHOOK,
  url: 'https://example.com/',
  events: ['incident.created'],
  status: 'enabled',
  disabled_reason: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  version: 1,
}
const sealer = {
  seal: async (_: string, plain: Uint8Array) => Buffer.from(plain).toString('base64'),
  open: async (_: string, sealed: string) => Buffer.from(sealed, 'base64'),
}

let emulator: TestStore
beforeAll(async () => {
  emulator = await startTestStore()
})
afterAll(() => emulator.stop())

/** One history of everything that deliveries do to the tables; what each step gave. */
async function history(client: TestStore['client'], incidents: string, table: string): Promise<unknown[]> {
  const pause = () => Promise.resolve()
  const deliveries = deliveryStore(client, table, pause)
  const webhooks = webhookStore({ client, table, sealer, pause })
  const events = eventStore(client, incidents, pause)
  const seen: unknown[] = []
  const see = async (step: Promise<unknown>) => void seen.push(await step.catch((error: Error) => error.name))
  const dlv = (end: string) => newDelivery(`dlv_${ULID}${end}`, WEBHOOK, about, NOW)
  const attempt = { at: NOW, duration_ms: 5, status: 500, error: 'status', response: 'no' } as const

  await webhooks.create(webhook, 'x'.repeat(24), 100)
  await see(webhooks.open(WEBHOOK, NOW))
  for (const end of ['A', 'B', 'C', 'D', 'E']) await see(deliveries.add(dlv(end)))
  await see(deliveries.add({ ...dlv('A'), attempts: 7 }))
  const claimed = await deliveries.claim(dlv('A'), NOW, NOW + 60_000)
  seen.push(claimed)
  await see(deliveries.claim(dlv('A'), NOW, NOW + 60_000))
  await see(deliveries.resend(dlv('A'), 'manual', NOW))
  await see(deliveries.postpone(dlv('A'), NOW + 5))
  if (claimed === undefined) throw new Error('not claimed')
  const after = { ...claimed, attempts: 1, next_attempt_at: NOW + 5_000, lease_until: 0 }
  await see(deliveries.commit({ ...claimed, fence: 9 }, after, { number: 9, ...attempt }))
  await see(deliveries.commit(claimed, after, { number: 1, ...attempt }))
  await see(deliveries.get(WEBHOOK, after.id))
  const again = await deliveries.claim(after, NOW + 5_000, NOW + 90_000)
  seen.push(again)
  if (again === undefined) throw new Error('not claimed again')
  await see(
    deliveries.commit(again, { ...again, status: 'delivered', attempts: 2 }, { number: 2, ...attempt }),
  )
  await see(deliveries.claim(after, NOW + 99_000, NOW + 99_999))
  await see(deliveries.end(dlv('B'), 'failed', 'exhausted', NOW))
  await see(deliveries.end(dlv('C'), 'cancelled', 'disabled', NOW))
  await see(deliveries.postpone(dlv('D'), NOW + 60_000))
  await see(deliveries.list(WEBHOOK, { limit: 2, after: null }))
  await see(deliveries.list(WEBHOOK, { limit: 9, after: dlv('C').id }))
  await see(deliveries.failed(WEBHOOK, { since: NOW - 3_000_000_000, after: null }, 1))
  await see(deliveries.failed(WEBHOOK, { since: 0, after: dlv('B').id }, 9))
  const due = await deliveries.due(NOW + 120_000, 10)
  seen.push(due)
  for (const each of due) await see(deliveries.rung(each, NOW + 300_000))
  await see(deliveries.due(NOW + 120_000, 10))
  await see(deliveries.resend(dlv('B'), 'recovery', NOW))
  const recovery = { id: 'rec_1', webhook_id: WEBHOOK, since: 0, after: null, resent: 0 }
  await see(deliveries.beginRecovery(recovery, NOW))
  await see(deliveries.stepRecovery(recovery, { ...recovery, after: dlv('B').id, resent: 3 }, NOW))
  await see(deliveries.stepRecovery(recovery, { ...recovery, resent: 9 }, NOW))
  await see(deliveries.recovery(WEBHOOK))
  await see(deliveries.endRecovery(recovery))
  await see(deliveries.recovery(WEBHOOK))
  await see(deliveries.noteLateness(NOW, 5))
  await see(deliveries.lateness())
  await see(webhooks.countFailure(WEBHOOK, NOW))
  await see(webhooks.countFailure(WEBHOOK, NOW + 1))
  await see(webhooks.openBreaker(WEBHOOK, NOW, NOW + 30_000))
  await see(webhooks.openBreaker(WEBHOOK, NOW, NOW + 99_000))
  await see(webhooks.takeProbe(WEBHOOK, NOW, NOW + 1))
  await see(webhooks.takeProbe(WEBHOOK, NOW + 30_000, NOW + 60_000))
  await see(webhooks.takeProbe(WEBHOOK, NOW + 30_000, NOW + 60_000))
  await see(webhooks.recover(WEBHOOK))
  await see(webhooks.rotateSecret(webhook, { ...webhook, version: 2 }, 'y'.repeat(24), NOW + 1_000))
  await see(webhooks.open(WEBHOOK, NOW))
  await see(webhooks.open(WEBHOOK, NOW + 1_000))
  await see(webhooks.subscribed('incident.created'))
  await see(webhooks.subscribed('incident.resolved'))
  await see(webhooks.disable(WEBHOOK, 'gone', webhook.created_at))
  await see(webhooks.disable(WEBHOOK, 'failing', webhook.created_at))
  await see(webhooks.subscribed('incident.created'))
  await see(webhooks.countFailure('wh_none', NOW))
  await see(events.get('evt_none'))
  await see(events.markFannedOut('evt_none'))
  await see(events.waiting(NOW, 10))
  return seen
}

describe('the tables in memory', () => {
  it('give what the emulator gives for everything that deliveries do', async () => {
    const memory = new DynamoInMemory()
    const client = clientOver(async (command) => memory.send(command))
    const { incidents, webhooks } = emulator.names
    const real = await history(emulator.client, incidents, webhooks)
    expect(real.length).toBeGreaterThan(50)
    expect(await history(client, incidents, webhooks)).toEqual(real)
  })
})
