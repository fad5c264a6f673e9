import { ATTEMPT_DEADLINE_MS, type AttemptError, attemptError } from './delivery.ts'
import { notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import type { Clock, NewId, Post, WebhookStore } from './ports.ts'
import { type Sign, webhookHeaders } from './signature.ts'

export interface PingActs {
  readonly webhooks: Pick<WebhookStore, 'open'>
  readonly post: Post
  readonly sign: Sign
  readonly clock: Clock
  readonly newId: NewId
}

/** How a receiver took a test event. */
export interface PingResult {
  /** The event's id, as the receiver got it. */
  readonly event_id: string
  readonly delivered: boolean
  readonly status: number | null
  readonly error: AttemptError | null
  readonly duration_ms: number
  /** First 4 KB of the answer. */
  readonly response: string | null
}

/** The type of a test event: no subscription names it, every receiver may get it. */
export const PING_TYPE = 'webhook.ping'

/**
 * Sends a test event, signed like any other, once and at once.
 * @param url where to, when not where the subscription says
 * @throws Refusal `not_found`
 */
export async function ping(acts: PingActs, id: string, url?: string): Promise<PingResult> {
  const startedAt = acts.clock()
  const subscription = await acts.webhooks.open(id, startedAt)
  if (subscription === undefined) throw notFound(`Webhook ${id}`)
  const eventId = acts.newId('evt', startedAt)
  const data = { webhook_id: id }
  const body = JSON.stringify({ type: PING_TYPE, timestamp: writeInstant(startedAt), data })
  const result = await acts.post({
    url: url ?? subscription.webhook.url,
    headers: webhookHeaders(eventId, startedAt, body, subscription.secrets, acts.sign),
    body,
    deadlineMs: ATTEMPT_DEADLINE_MS,
  })
  const error = attemptError(result)
  return {
    event_id: eventId,
    delivered: error === null,
    status: result.kind === 'answered' ? result.status : null,
    error,
    // A clock that was set back makes no attempt shorter than nothing.
    duration_ms: Math.max(0, acts.clock() - startedAt),
    response: result.kind === 'answered' ? result.response : null,
  }
}
