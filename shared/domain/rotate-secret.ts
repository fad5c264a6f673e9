import { conflict, notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import type { Clock, WebhookStore } from './ports.ts'
import { secretWarnings, type Webhook } from './webhook.ts'

export interface RotationActs {
  readonly webhooks: Pick<WebhookStore, 'get' | 'rotateSecret'>
  readonly clock: Clock
}

/** Seconds that the replaced secret stays valid beside the new one: by default a day, at most a week. */
export const DEFAULT_OVERLAP_S = 86_400
export const MOST_OVERLAP_S = 7 * 86_400

export interface Rotation {
  readonly webhook: Webhook
  /** Until when (ms) events are signed with both. */
  readonly previousUntil: number
  readonly warnings: readonly string[]
}

/**
 * Replaces the secret of a subscription; for the overlap every event carries a signature by each of the two. Of three
 * secrets in one overlap only the last two are kept.
 * @throws Refusal `not_found`; `conflict` when somebody else changed the subscription meanwhile
 */
export async function rotateSecret(
  acts: RotationActs,
  id: string,
  secret: string,
  overlapSeconds = DEFAULT_OVERLAP_S,
): Promise<Rotation> {
  const before = await acts.webhooks.get(id)
  if (before === undefined) throw notFound(`Webhook ${id}`)
  const now = acts.clock()
  const previousUntil = now + overlapSeconds * 1_000
  const after: Webhook = { ...before, updated_at: writeInstant(now), version: before.version + 1 }
  if (!(await acts.webhooks.rotateSecret(before, after, secret, previousUntil)))
    throw conflict('Somebody else changed this webhook; read it and try again.')
  return { webhook: after, previousUntil, warnings: secretWarnings(secret) }
}
