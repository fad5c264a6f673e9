import { DAY_MS, RECOVERY_DAYS, RECOVERY_MOST } from './delivery.ts'
import { conflict, invalidField, notFound } from './errors.ts'
import type {
  Clock,
  DeliveryCall,
  DeliveryDoorbell,
  DeliveryStore,
  NewId,
  Recovery,
  WebhookStore,
} from './ports.ts'

export interface RecoveryActs {
  readonly deliveries: Pick<DeliveryStore, 'recovery' | 'failed' | 'resend' | 'stepRecovery' | 'endRecovery'>
  readonly webhooks: Pick<WebhookStore, 'get'>
  readonly deliveryDoorbell: Pick<DeliveryDoorbell, 'ring'>
  readonly clock: Clock
}

/** Deliveries of one step: a few seconds of work. */
const STEP = 100

/**
 * Takes one step of a subscription's recovery: makes failed deliveries due again, notes how far it came, and rings for
 * the next step. A step that is taken twice does nothing twice: what is pending is no longer among what failed.
 * @returns whether there was anything to do
 */
export async function recoverDeliveries(acts: RecoveryActs, webhookId: string): Promise<boolean> {
  const recovery = await acts.deliveries.recovery(webhookId)
  if (recovery === undefined) return false
  const webhook = await acts.webhooks.get(webhookId)
  const room = RECOVERY_MOST - recovery.resent
  if (webhook?.status !== 'enabled' || room <= 0) {
    await acts.deliveries.endRecovery(recovery)
    return true
  }
  const page = await acts.deliveries.failed(webhookId, recovery, Math.min(STEP, room))
  const now = acts.clock()
  const calls: DeliveryCall[] = []
  for (const delivery of page.items) {
    if (await acts.deliveries.resend(delivery, 'recovery', now))
      calls.push({ webhook_id: webhookId, delivery_id: delivery.id })
  }
  if (calls.length > 0) await acts.deliveryDoorbell.ring(calls)
  if (page.next === null) {
    await acts.deliveries.endRecovery(recovery)
    return true
  }
  const next: Recovery = { ...recovery, after: page.next, resent: recovery.resent + calls.length }
  if (await acts.deliveries.stepRecovery(recovery, next, now))
    await acts.deliveryDoorbell.ring([{ webhook_id: webhookId, delivery_id: null }])
  return true
}

export interface RecoveryRequestActs {
  readonly deliveries: Pick<DeliveryStore, 'beginRecovery'>
  readonly webhooks: Pick<WebhookStore, 'get'>
  readonly deliveryDoorbell: Pick<DeliveryDoorbell, 'ring'>
  readonly clock: Clock
  readonly newId: NewId
}

/**
 * Begins to resend everything that failed or was cancelled since an instant (ms), in the background; a recovery that
 * runs already is replaced.
 * @throws Refusal `not_found`; `invalid` on `since` in the future or more than 14 days back; `conflict` while disabled
 */
export async function requestRecovery(
  acts: RecoveryRequestActs,
  webhookId: string,
  since: number,
): Promise<Recovery> {
  const now = acts.clock()
  if (since > now) throw invalidField('since', 'must not lie in the future')
  if (now - since > RECOVERY_DAYS * DAY_MS)
    throw invalidField('since', `must not lie more than ${RECOVERY_DAYS} days back`)
  const webhook = await acts.webhooks.get(webhookId)
  if (webhook === undefined) throw notFound(`Webhook ${webhookId}`)
  if (webhook.status !== 'enabled') throw conflict('This webhook is disabled; enable it first.')
  const recovery: Recovery = {
    id: acts.newId('rec', now),
    webhook_id: webhookId,
    since,
    after: null,
    resent: 0,
  }
  await acts.deliveries.beginRecovery(recovery, now)
  await acts.deliveryDoorbell.ring([{ webhook_id: webhookId, delivery_id: null }])
  return recovery
}
