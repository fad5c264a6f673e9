import type { Delivery } from './delivery.ts'
import { conflict, notFound } from './errors.ts'
import type { Clock, DeliveryDoorbell, DeliveryStore, WebhookStore } from './ports.ts'

export interface RedeliveryActs {
  readonly webhooks: Pick<WebhookStore, 'get'>
  readonly deliveries: Pick<DeliveryStore, 'get' | 'resend'>
  readonly deliveryDoorbell: Pick<DeliveryDoorbell, 'ring'>
  readonly clock: Clock
}

/**
 * Makes a delivery due now, whatever became of it, with a new round of attempts. The receiver gets the same event with
 * the same `webhook-id`.
 * @throws Refusal `not_found`; `conflict` while the subscription is disabled or the delivery is being attempted
 */
export async function redeliver(
  acts: RedeliveryActs,
  webhookId: string,
  deliveryId: string,
): Promise<Delivery> {
  const [webhook, delivery] = await Promise.all([
    acts.webhooks.get(webhookId),
    acts.deliveries.get(webhookId, deliveryId),
  ])
  if (webhook === undefined) throw notFound(`Webhook ${webhookId}`)
  if (delivery === undefined) throw notFound(`Delivery ${deliveryId}`)
  if (webhook.status !== 'enabled') throw conflict('This webhook is disabled; enable it first.')
  const now = acts.clock()
  if (!(await acts.deliveries.resend(delivery, 'manual', now)))
    throw conflict('This delivery is being attempted right now; look again in a moment.')
  await acts.deliveryDoorbell.ring([{ webhook_id: webhookId, delivery_id: deliveryId }])
  return {
    ...delivery,
    status: 'pending',
    reason: null,
    trigger: 'manual',
    attempts: 0,
    next_attempt_at: now,
    lease_until: 0,
    updated_at: now,
  }
}
