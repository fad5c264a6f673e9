import type { AnswerOf } from './api.ts'
import type { Tone } from './parts/status-badge.tsx'

export type Webhook = AnswerOf<'GET /webhooks'>['webhooks'][number]
export type Delivery = AnswerOf<'GET /webhooks/{id}/deliveries'>['deliveries'][number]
export type EventKind = Webhook['events'][number]

/** The kinds of events, and when each is sent. */
export const EVENT_WORDS: Readonly<Record<EventKind, string>> = {
  'incident.created': 'An incident was opened',
  'incident.resolved': 'An incident was resolved',
  'incident.analyzed': 'A root cause was found, or changed',
}
export const EVENT_KINDS = Object.keys(EVENT_WORDS) as EventKind[]

const DISABLED_WORDS: Readonly<Record<NonNullable<Webhook['disabled_reason']>, string>> = {
  requested: 'Somebody disabled it.',
  gone: 'The receiver answered 410: it wants no more events.',
  failing: 'The receiver failed for five days.',
}

/** Why a subscription gets no events, in a sentence. */
export const disabledWords = ({ disabled_reason }: Webhook): string | null =>
  disabled_reason === null ? null : (DISABLED_WORDS[disabled_reason] ?? disabled_reason)

export const WEBHOOK_TONES: Readonly<Record<Webhook['status'], Tone>> = { enabled: 'good', disabled: 'calm' }

const SECRET_BYTES = 32

/** A secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
