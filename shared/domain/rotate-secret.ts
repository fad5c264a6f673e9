import { notFound } from './errors.ts'
import { writeInstant } from './instant.ts'
import { type Overlap, overlapEnds } from './overlap.ts'
import type { Clock, WebhookStore } from './ports.ts'
import { overtaken } from './precondition.ts'
import { secretWarnings, type Webhook } from './webhook.ts'

export interface RotationActs {
  readonly webhooks: Pick<WebhookStore, 'get' | 'rotateSecret'>
  readonly clock: Clock
}

export interface Rotation {
  readonly webhook: Webhook
  /** Until when (ms) events are signed with both. */
  readonly previousUntil: number
  readonly warnings: readonly string[]
}

/** What replaces a secret, and for how long both are valid. */
export interface NewSecret extends Overlap {
  readonly secret: string
}

/** What a rotation at an instant (ms) comes to, for the subscription as it is now. */
export const rotatedAt = (at: number, webhook: Webhook, given: NewSecret): Rotation => ({
  webhook,
  previousUntil: overlapEnds(at, given),
  warnings: secretWarnings(given.secret),
})

/**
 * Replaces the secret of a subscription; for the overlap every event carries a signature by each of the two. Of three
 * secrets in one overlap only the last two are kept.
 * @throws Refusal `not_found`; `conflict` when somebody else changed the subscription meanwhile
 */
export async function rotateSecret(acts: RotationActs, id: string, given: NewSecret): Promise<Rotation> {
  const before = await acts.webhooks.get(id)
  if (before === undefined) throw notFound(`Webhook ${id}`)
  const now = acts.clock()
  const after: Webhook = { ...before, updated_at: writeInstant(now), version: before.version + 1 }
  const rotation = rotatedAt(now, after, given)
  if (!(await acts.webhooks.rotateSecret(before, after, given.secret, rotation.previousUntil)))
    throw overtaken(undefined, 'webhook')
  return rotation
}
