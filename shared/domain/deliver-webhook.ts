import {
  ATTEMPT_DEADLINE_MS,
  type Attempt,
  afterAttempt,
  attemptError,
  breakerEnds,
  breakerState,
  type Delivery,
  EARLY_MS,
  failedTooLong,
  type Health,
  isGone,
  LEASE_MARGIN_MS,
  LEAST_REMAINING_MS,
  opensUntil,
  type PostResult,
} from './delivery.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import { createdEventId } from './incident.ts'
import { readInstant, writeInstant } from './instant.ts'
import type {
  Clock,
  DeliveryDoorbell,
  DeliveryStore,
  EventStore,
  Post,
  Subscription,
  WebhookStore,
} from './ports.ts'
import { type Sign, webhookHeaders } from './signature.ts'
import type { DisabledReason, Webhook } from './webhook.ts'

export interface DeliveryActs {
  readonly deliveries: Pick<DeliveryStore, 'idOf' | 'get' | 'claim' | 'commit' | 'postpone' | 'end'>
  readonly webhooks: Pick<
    WebhookStore,
    'open' | 'countFailure' | 'openBreaker' | 'takeProbe' | 'recover' | 'disable'
  >
  readonly events: Pick<EventStore, 'get'>
  readonly deliveryDoorbell: Pick<DeliveryDoorbell, 'ring'>
  readonly post: Post
  readonly sign: Sign
  readonly slots: DeliverySlots
  readonly clock: Clock
  /** From 0 (included) to 1 (excluded). */
  readonly random: () => number
  /** Told that the service itself disabled a subscription: operators and owners should know. */
  readonly disabled: (webhookId: string, reason: DisabledReason) => void
}

/** What became of one call of the doorbell. */
export type DeliverOutcome =
  | 'delivered'
  | 'failed'
  /** Nothing to do: ended, unknown, or somebody else has it. */
  | 'not_due'
  /** Rings again, or the sweeper will. */
  | 'later'
  /** Ended without an attempt. */
  | 'ended'
  /** Attempted, but the claim went to somebody else meanwhile. */
  | 'lost'

/** The longest delay that a queue knows; what waits longer is found by the sweeper. */
export const LONGEST_DELAY_MS = 900_000
/** When all slots to a receiver are taken, or an earlier event is on its way. */
const SHORT_WAIT_MS = 2_000
/** An attempt that finds out whether a receiver is back takes no longer than its deadline and the commit. */
const PROBE_MS = LEAST_REMAINING_MS + LEASE_MARGIN_MS

async function ringLater(acts: DeliveryActs, delivery: Delivery, at: number): Promise<void> {
  const delay = Math.max(0, at - acts.clock())
  if (delay > LONGEST_DELAY_MS) return
  const { webhook_id, id } = delivery
  await acts.deliveryDoorbell.ring([{ webhook_id, delivery_id: id }], delay)
}

async function postpone(acts: DeliveryActs, delivery: Delivery, until: number): Promise<'later'> {
  await acts.deliveries.postpone(delivery, until)
  await ringLater(acts, delivery, until)
  return 'later'
}

/**
 * Until when a delivery waits for the `incident.created` of the same incident to the same subscriber (ms), or null when
 * it need not: that one has ended, or never was meant for this subscriber.
 */
async function waitsForCreated(acts: DeliveryActs, delivery: Delivery): Promise<number | null> {
  const createdId = createdEventId(delivery.incident_id)
  if (delivery.event_id === createdId) return null
  const now = acts.clock()
  const { webhook_id } = delivery
  const first = await acts.deliveries.get(webhook_id, acts.deliveries.idOf(createdId, webhook_id))
  if (first !== undefined) {
    if (first.status !== 'pending') return null
    // An attempt that runs ends long before its lease, which outlives the worker.
    const ends = Math.min(first.lease_until, now + LEAST_REMAINING_MS)
    return Math.max(now, first.lease_until > now ? ends : first.next_attempt_at) + SHORT_WAIT_MS
  }
  // No delivery yet: either it was never to be, or its event has not been fanned out.
  const event = await acts.events.get(createdId)
  return event === undefined || event.fanned_out ? null : now + SHORT_WAIT_MS
}

const isUnwell = ({ failures, open_until }: Health): boolean => failures > 0 || open_until > 0

async function disable(acts: DeliveryActs, webhook: Webhook, reason: DisabledReason): Promise<void> {
  if (await acts.webhooks.disable(webhook, reason, writeInstant(acts.clock())))
    acts.disabled(webhook.id, reason)
}

/** Keeps the record of a subscription after an attempt: breaker, and disabling. */
async function noteResult(
  acts: DeliveryActs,
  { webhook, health }: Subscription,
  result: PostResult,
): Promise<void> {
  if (attemptError(result) === null) {
    if (isUnwell(health)) await acts.webhooks.recover(webhook.id)
    return
  }
  if (isGone(result)) return disable(acts, webhook, 'gone')
  const now = acts.clock()
  const after = await acts.webhooks.countFailure(webhook.id, now)
  if (after === undefined) return
  if (failedTooLong(after, now)) return disable(acts, webhook, 'failing')
  const until = opensUntil(after, now, acts.random())
  if (until !== null) await acts.webhooks.openBreaker(webhook.id, now, until)
}

/**
 * Notes what a delivery that has ended says of its subscription, where nothing newer is known of it: whoever made the
 * attempt may have died, or failed, after it was written and before this was. Its message comes again.
 */
async function noteEnd(acts: DeliveryActs, delivery: Delivery, subscription: Subscription): Promise<void> {
  const { webhook, health } = subscription
  const { status, reason, updated_at: ended } = delivery
  if (
    status === 'delivered' &&
    isUnwell(health) &&
    Math.max(health.failing_since, health.open_until) <= ended
  )
    await acts.webhooks.recover(webhook.id)
  const changed = readInstant(webhook.updated_at) ?? 0
  if (reason !== 'gone') return
  if (webhook.status === 'enabled' && changed <= ended) await disable(acts, webhook, reason)
  // Whoever disabled it may have died before anybody was told: told twice is better than never.
  else if (webhook.disabled_reason === 'gone') acts.disabled(webhook.id, reason)
}

/** Claims, posts, commits. Everything that can be known before is known: nothing stands between claim and POST. */
async function attempt(
  acts: DeliveryActs,
  delivery: Delivery,
  subscription: Subscription,
  body: string,
  remaining: () => number,
): Promise<DeliverOutcome> {
  const claimedAt = acts.clock()
  const left = remaining()
  if (left < LEAST_REMAINING_MS) {
    await ringLater(acts, delivery, claimedAt)
    return 'later'
  }
  const claimed = await acts.deliveries.claim(delivery, claimedAt, claimedAt + left + LEASE_MARGIN_MS)
  if (claimed === undefined) return 'not_due'
  // A store that is slow may have taken the time that the attempt needs: whoever posts must be able to write it down.
  if (remaining() < LEAST_REMAINING_MS) {
    await ringLater(acts, claimed, claimed.lease_until)
    return 'later'
  }
  const at = acts.clock()
  const result = await acts.post({
    url: subscription.webhook.url,
    headers: webhookHeaders(claimed.event_id, at, body, subscription.secrets, acts.sign),
    body,
    deadlineMs: ATTEMPT_DEADLINE_MS,
  })
  const now = acts.clock()
  const after = afterAttempt(claimed, result, now, acts.random())
  const error = attemptError(result)
  const entry: Attempt = {
    number: claimed.fence,
    at,
    // A clock that was set back makes no attempt shorter than nothing.
    duration_ms: Math.max(0, now - at),
    status: result.kind === 'answered' ? result.status : null,
    error,
    response: result.kind === 'answered' ? result.response : null,
  }
  if (!(await acts.deliveries.commit(claimed, after, entry))) return 'lost'
  // Rung for first: the next attempt is not to be late because a failure cannot be counted.
  if (after.status === 'pending') await ringLater(acts, after, after.next_attempt_at)
  await noteResult(acts, subscription, result)
  return error === null ? 'delivered' : 'failed'
}

/** What is no address is a host of its own: the attempt is refused and says so, instead of failing for ever unseen. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/**
 * Attempts one delivery if it is due, its subscription still wants it, and its receiver is not known to be down.
 * A subscription is read anew, and consistently, before every attempt: what is deleted or disabled is not sent to by
 * any attempt whose check begins afterwards.
 * @param remaining how long this worker may still run, in milliseconds
 */
export async function deliverWebhook(
  acts: DeliveryActs,
  call: { readonly webhook_id: string; readonly delivery_id: string },
  remaining: () => number,
): Promise<DeliverOutcome> {
  const [delivery, subscription] = await Promise.all([
    acts.deliveries.get(call.webhook_id, call.delivery_id),
    acts.webhooks.open(call.webhook_id, acts.clock()),
  ])
  const now = acts.clock()
  if (delivery === undefined) return 'not_due'
  if (delivery.status !== 'pending') {
    if (subscription !== undefined) await noteEnd(acts, delivery, subscription)
    return 'not_due'
  }
  if (delivery.lease_until > now) return 'not_due'
  if (subscription === undefined || subscription.webhook.status !== 'enabled') {
    await acts.deliveries.end(delivery, 'cancelled', 'disabled', now)
    return 'ended'
  }
  if (delivery.next_attempt_at > now + EARLY_MS) {
    await ringLater(acts, delivery, delivery.next_attempt_at)
    return 'later'
  }
  const state = breakerState(subscription.health, now)
  if (state === 'open') return postpone(acts, delivery, breakerEnds(subscription.health) + SHORT_WAIT_MS)
  const [event, waits] = await Promise.all([
    acts.events.get(delivery.event_id),
    waitsForCreated(acts, delivery),
  ])
  if (event === undefined) {
    await acts.deliveries.end(delivery, 'failed', 'event_expired', now)
    return 'ended'
  }
  if (waits !== null) return postpone(acts, delivery, waits)
  const release = acts.slots.take(delivery.webhook_id, hostOf(subscription.webhook.url))
  if (release === undefined) {
    await ringLater(acts, delivery, now + SHORT_WAIT_MS)
    return 'later'
  }
  try {
    if (state === 'half_open' && !(await acts.webhooks.takeProbe(delivery.webhook_id, now, now + PROBE_MS)))
      return await postpone(acts, delivery, now + PROBE_MS + SHORT_WAIT_MS)
    return await attempt(acts, delivery, subscription, event.body, remaining)
  } finally {
    release()
  }
}
