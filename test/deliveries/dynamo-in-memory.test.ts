import { ulid } from 'ulid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alertStore } from '#shared/adapters/dynamo/alerts.ts'
import { deliveryStore } from '#shared/adapters/dynamo/deliveries.ts'
import { eventStore } from '#shared/adapters/dynamo/events.ts'
import { webhookStore } from '#shared/adapters/dynamo/webhooks.ts'
import type { Alert } from '#shared/domain/alerts/alert.ts'
import { type SettleActs, settleAlerts, takeAlerts } from '#shared/domain/alerts/take-alerts.ts'
import { newDelivery } from '#shared/domain/delivery.ts'
import type { Webhook } from '#shared/domain/webhook.ts'
import { AMPLE, alertOf, MINUTE, START, WINDOWS } from '#test/domain/alerts/alert-world.ts'
import { startTestStore, type TestStore } from '#test/storage/emulator.ts'
import { clientOver, DynamoInMemory } from './dynamo-in-memory.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const GROUP = alertOf().group
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
  await see(webhooks.disable(webhook, 'gone', webhook.created_at))
  await see(webhooks.disable(webhook, 'failing', webhook.created_at))
  await see(webhooks.subscribed('incident.created'))
  await see(webhooks.countFailure('wh_none', NOW))
  await see(events.get('evt_none'))
  await see(events.markFannedOut('evt_none'))
  await see(events.waiting(NOW, 10))
  return seen
}

/** One history of everything that alerts do to the table; what each step gave. */
async function alertHistory(client: TestStore['client'], table: string): Promise<unknown[]> {
  const pause = () => Promise.resolve()
  let now = START
  let ids = 0
  const newId = (prefix: string, at: number) => {
    ids += 1
    return `${prefix}_${ulid(at, () => ids / 1_000)}`
  }
  const alerts = alertStore({ client, table, retentionDays: 400, clock: () => now, pause })
  const acts: SettleActs = {
    alerts,
    clock: () => now,
    newId,
    windows: WINDOWS,
    digest: (text) => text,
    pause,
    random: () => 0.5,
    askedAt: () => Promise.resolve(undefined),
    waits: () => Promise.resolve(false),
  }
  const seen: unknown[] = []
  const take = async (...taken: readonly Alert[]) => {
    const report = (error: unknown) => seen.push((error as Error).name)
    seen.push(await takeAlerts(acts, [{ id: 'one', alerts: taken }], report, AMPLE))
    seen.push(await alerts.state(GROUP), await alerts.due(now + 99 * MINUTE, 10))
  }
  const settled = () => settleAlerts(acts, 10, (error) => seen.push((error as Error).name))
  await take(alertOf(), alertOf({ fingerprint: 'f2', severity: 'low' }))
  await take(alertOf(), alertOf({ severity: 'critical', at: START + 1 }))
  await take(alertOf({ fingerprint: 'f2', status: 'resolved', at: START + 2 }))
  await take(alertOf({ fingerprint: 'f3', status: 'resolved', at: START + 2 }))
  now += MINUTE
  await take(alertOf({ fingerprint: 'f1', status: 'resolved', at: START + 3 }))
  now += 2 * MINUTE
  seen.push(await settled(), await settled())
  const { group } = await alerts.state(GROUP)
  const incident = group?.incident_id ?? ''
  seen.push(await alerts.members(incident), await alerts.members('inc_none'))
  await take(alertOf({ at: now, ending: 'silent' }))
  now += 500 * MINUTE
  seen.push(await settled())
  const known = await alerts.known(['none', ...(await alerts.members(incident))])
  seen.push([...known])
  const [alert] = known.values()
  if (alert === undefined || group === undefined) throw new Error('nothing is known')
  const again = { before: alert, after: alert, shown: { how: 'unchanged' } } as const
  const stale = { before: group, after: group, alerts: [again], incident: { how: 'untouched' } } as const
  // The group is no longer at this version, nor the incident in this status.
  seen.push(await alerts.write(stale))
  const state = await alerts.state(GROUP)
  if (state.group === undefined || state.incident === undefined) throw new Error('the group is gone')
  const joined = { how: 'joined', incident: { ...state.incident, status: 'open' } } as const
  seen.push(await alerts.write({ before: state.group, after: state.group, alerts: [], incident: joined }))
  return seen
}

describe('the tables in memory', () => {
  it('give what the emulator gives for everything that alerts do', async () => {
    const memory = new DynamoInMemory()
    const client = clientOver(async (command) => memory.send(command))
    const real = await alertHistory(emulator.client, emulator.names.incidents)
    expect(real.length).toBeGreaterThan(20)
    expect(real.slice(-2)).toEqual([false, false])
    expect(await alertHistory(client, emulator.names.incidents)).toEqual(real)
  })

  it('give what the emulator gives for everything that deliveries do', async () => {
    const memory = new DynamoInMemory()
    const client = clientOver(async (command) => memory.send(command))
    const { incidents, webhooks } = emulator.names
    const real = await history(emulator.client, incidents, webhooks)
    expect(real.length).toBeGreaterThan(50)
    expect(await history(client, incidents, webhooks)).toEqual(real)
  })
})
