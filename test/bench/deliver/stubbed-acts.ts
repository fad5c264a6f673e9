import type { Context, SQSEvent } from 'aws-lambda'
import { hmacSign } from '#shared/adapters/hmac-sign.ts'
import { type DeliveryActs, deliverWebhook } from '#shared/domain/deliver-webhook.ts'
import { HEALTHY, newDelivery } from '#shared/domain/delivery.ts'
import { deliverySlots } from '#shared/domain/delivery-slots.ts'
import { deliveryWorker } from '#shared/edge/delivery-worker.ts'

/** Messages of a batch, as the stack has it. */
export const BATCH = 10
export const EVENT = 'evt_01KGA2B3C4D5E6F7G8H9JKMNPQ'
export const BODY = JSON.stringify({ type: 'incident.created', data: { text: 'x'.repeat(430) } })

/** An id of this kind that follows from its number. */
export const numbered = (prefix: string, number: number): string =>
  `${prefix}_01KGA2B3C4${String(number).padStart(16, '0')}`

/** A secret of its own for each subscription. */
export const secretOf = (webhook: string): string =>
  `whsec_${Buffer.from(webhook.slice(-24)).toString('base64')}`

const about = {
  event_id: EVENT,
  event_kind: 'incident.created',
  incident_id: EVENT.replace('evt_', 'inc_'),
} as const
export const STORED_EVENT = {
  id: EVENT,
  kind: 'incident.created',
  incident_id: about.incident_id,
  body: BODY,
  fanned_out: true,
} as const

export const webhookOf = (id: string, url: string) =>
  ({
    id,
    url,
    events: ['incident.created'],
    status: 'enabled',
    disabled_reason: null,
    created_at: '2026-01-31T12:00:00.000Z',
    updated_at: '2026-01-31T12:00:00.000Z',
    version: 1,
  }) as const

export const deliveryOf = (webhook: string, id: string) => newDelivery(id, webhook, about, 0)

/** The worker's acts over stores that answer at once. */
export function stubbedActs(url: string, post: DeliveryActs['post']): DeliveryActs {
  return {
    deliveries: {
      idOf: () => numbered('dlv', 0),
      get: (webhook, id) => Promise.resolve(deliveryOf(webhook, id)),
      claim: (claimed) => Promise.resolve({ ...claimed, fence: 1 }),
      commit: () => Promise.resolve(true),
      postpone: () => Promise.resolve(),
      end: () => Promise.resolve(),
    },
    webhooks: {
      open: (id) =>
        Promise.resolve({ webhook: webhookOf(id, url), health: HEALTHY, secrets: [secretOf(id)] }),
      countFailure: () => Promise.resolve(undefined),
      openBreaker: () => Promise.resolve(),
      takeProbe: () => Promise.resolve(true),
      recover: () => Promise.resolve(),
      disable: () => Promise.resolve(false),
    },
    events: { get: () => Promise.resolve(STORED_EVENT) },
    deliveryDoorbell: { ring: () => Promise.resolve() },
    post,
    sign: hmacSign(),
    slots: deliverySlots(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY),
    clock: Date.now,
    random: Math.random,
    disabled: () => undefined,
  }
}

/** So long as no invocation has. */
export const remaining = (): number => 60_000
const CONTEXT = { getRemainingTimeInMillis: remaining } as unknown as Context

/** The function of the queue over these acts; its log is written and let fall. @returns what works one batch */
export function worker(acts: DeliveryActs, subscriptions = 1): (batch: number) => Promise<void> {
  const handler = deliveryWorker('bench', () => ({
    now: Date.now,
    deliver: (call, left) => deliverWebhook(acts, call, left),
    recover: () => Promise.resolve(),
    late: () => Promise.resolve(),
  }))
  return async (batch) => {
    const Records = Array.from({ length: BATCH }, (_, place) => {
      const number = batch * BATCH + place
      const message = {
        webhook_id: numbered('wh', number % subscriptions),
        delivery_id: numbered('dlv', number),
        due_at: Date.now(),
      }
      return { messageId: String(place), body: JSON.stringify(message) }
    })
    const { batchItemFailures } = await handler({ Records } as SQSEvent, CONTEXT)
    if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} deliveries failed`)
  }
}

/** Lets nothing that is logged reach the terminal while something runs; its making is still counted. */
export async function withoutLog<Of>(run: () => Promise<Of>): Promise<Of> {
  const { write } = process.stdout
  process.stdout.write = () => true
  try {
    return await run()
  } finally {
    process.stdout.write = write
  }
}
