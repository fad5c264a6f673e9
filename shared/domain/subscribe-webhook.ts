import { conflict, notFound } from './errors.ts'
import type { EventKind } from './incident.ts'
import { writeInstant } from './instant.ts'
import { type PingActs, type PingResult, ping } from './ping-webhook.ts'
import type { Clock, NewId, WebhookStore } from './ports.ts'
import { overtaken, requireVersion, type Versions } from './precondition.ts'
import { collapseEvents, type Webhook, type WebhookStatus } from './webhook.ts'

export interface WebhookActs {
  readonly webhooks: WebhookStore
  readonly clock: Clock
  readonly newId: NewId
  /**
   * @throws Refusal `invalid` on the named field for an address that must not be called; `ownHost` is the service's own
   */
  readonly checkAddress: (url: string, field: string, ownHost: string) => Promise<void>
}

/** Subscriptions a deployment may have. */
export const WEBHOOK_QUOTA = 100

export interface NewWebhook {
  readonly url: string
  readonly events: readonly EventKind[]
  readonly secret: string
}

/**
 * Subscribes a receiver. The secret is kept sealed and never shown again.
 * @throws Refusal `invalid` on `url`; `conflict` at the quota
 */
export async function subscribeWebhook(
  acts: WebhookActs,
  given: NewWebhook,
  ownHost: string,
): Promise<Webhook> {
  await acts.checkAddress(given.url, 'url', ownHost)
  const now = acts.clock()
  const at = writeInstant(now)
  const webhook: Webhook = {
    id: acts.newId('wh', now),
    url: given.url,
    events: collapseEvents(given.events),
    status: 'enabled',
    disabled_reason: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await acts.webhooks.create(webhook, given.secret, WEBHOOK_QUOTA)
  return webhook
}

export type WebhookChangeActs = WebhookActs & PingActs

export interface WebhookChange {
  readonly url?: string | undefined
  readonly events?: readonly EventKind[] | undefined
  readonly status?: WebhookStatus | undefined
}

/** Why a receiver cannot be enabled, in words for its owner. */
const pingProblem = ({ status, error }: PingResult): string =>
  status === null ? `it could not be reached (${error})` : `it answered ${status}`

/**
 * Changes address, events or status of a subscription. One that was disabled is pinged first, and stays disabled where
 * the ping is not accepted.
 * @param expected versions that the change is meant for
 * @throws Refusal `not_found`; `precondition_failed`; `invalid` on `url`; `conflict` when the ping failed or somebody else changed it meanwhile
 */
export async function changeWebhook(
  acts: WebhookChangeActs,
  id: string,
  change: WebhookChange,
  ownHost: string,
  expected?: Versions,
): Promise<Webhook> {
  const before = await acts.webhooks.get(id)
  if (before === undefined) throw notFound(`Webhook ${id}`)
  requireVersion(expected, before.version)
  if (change.url !== undefined) await acts.checkAddress(change.url, 'url', ownHost)
  const status = change.status ?? before.status
  const url = change.url ?? before.url
  if (before.status === 'disabled' && status === 'enabled') {
    const result = await ping(acts, id, url)
    if (!result.delivered) {
      throw conflict(`The webhook stays disabled: its receiver was pinged, and ${pingProblem(result)}.`, {
        field: 'status',
        reason: 'the ping before enabling failed',
        ping: result,
      })
    }
  }
  const asked = before.status === 'enabled' ? 'requested' : before.disabled_reason
  const after: Webhook = {
    ...before,
    url,
    events: change.events === undefined ? before.events : collapseEvents(change.events),
    status,
    disabled_reason: status === 'enabled' ? null : asked,
    updated_at: writeInstant(acts.clock()),
    version: before.version + 1,
  }
  if (!(await acts.webhooks.change(before, after))) throw overtaken(expected, 'webhook')
  return after
}
