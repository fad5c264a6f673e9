import { newDelivery } from './delivery.ts'
import type { StoredChange } from './due-incident.ts'
import type {
  Clock,
  DeliveryCall,
  DeliveryDoorbell,
  DeliveryStore,
  EventStore,
  WebhookStore,
} from './ports.ts'

export interface FanOutActs {
  readonly events: Pick<EventStore, 'get' | 'markFannedOut'>
  readonly webhooks: Pick<WebhookStore, 'subscribed'>
  readonly deliveries: Pick<DeliveryStore, 'idOf' | 'add'>
  readonly deliveryDoorbell: Pick<DeliveryDoorbell, 'ring'>
  readonly clock: Clock
}

/** The event that a change of the incidents table brought, or null. */
export function newEvent({ before, after }: StoredChange): string | null {
  if (before !== null || after?.sk !== 'EVENT' || typeof after.id !== 'string') return null
  return after.id
}

/**
 * Gives every enabled subscription to an event's kind its delivery, and rings. Doing it again changes nothing but
 * rings again, which does no harm: the deliveries' ids follow from event and subscription.
 * @returns how many deliveries there are
 */
export async function fanOut(acts: FanOutActs, eventId: string): Promise<number> {
  const event = await acts.events.get(eventId)
  if (event === undefined || event.fanned_out) return 0
  const now = acts.clock()
  const subscribed = await acts.webhooks.subscribed(event.kind)
  const about = { event_id: event.id, event_kind: event.kind, incident_id: event.incident_id }
  const deliveries = subscribed.map(({ id }) =>
    newDelivery(acts.deliveries.idOf(event.id, id), id, about, now),
  )
  await Promise.all(deliveries.map((delivery) => acts.deliveries.add(delivery)))
  // Only now: a mark before the deliveries would lose them with a crash in between.
  await acts.events.markFannedOut(event.id)
  const calls: DeliveryCall[] = deliveries.map(({ id, webhook_id }) => ({ webhook_id, delivery_id: id }))
  if (calls.length > 0) await acts.deliveryDoorbell.ring(calls)
  return calls.length
}
