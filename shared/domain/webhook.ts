import { EVENT_KINDS, type EventKind } from './incident.ts'

export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

/**
 * Why a subscription is disabled: somebody asked for it, the receiver answered 410 (gone), or it failed for five days.
 */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** A subscription: where events of which kinds are sent. The secret is kept sealed beside it. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: readonly EventKind[]
  readonly status: WebhookStatus
  /** Why the service or somebody disabled it; null while it is enabled. */
  readonly disabled_reason: DisabledReason | null
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
}

/** Bytes that a secret in the recommended form must have (Standard Webhooks: 24 to 64). */
const LEAST_SECRET_BYTES = 24
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/
const PRINTABLE_ASCII = /^[\x20-\x7e]{1,256}$/

/** Why a secret cannot be used, or null when it can. Allowed: 1 to 256 printable ASCII, or `whsec_` + base64. */
export function secretProblem(secret: string): string | null {
  if (!PRINTABLE_ASCII.test(secret))
    return 'must be 1 to 256 printable ASCII characters, or whsec_ followed by base64'
  if (!secret.startsWith('whsec_')) return null
  const base64 = STANDARD_SECRET.exec(secret)?.[1]
  if (base64 === undefined || base64.length % 4 !== 0) return 'whsec_ must be followed by base64'
  return null
}

/** Bytes of the key that a secret stands for. */
function secretBytes(secret: string): number {
  const base64 = STANDARD_SECRET.exec(secret)?.[1]
  return base64 === undefined ? secret.length : (base64.replaceAll('=', '').length * 3) >> 2
}

/** What the owner of a usable secret should know; empty when nothing. */
export function secretWarnings(secret: string): string[] {
  const bytes = secretBytes(secret)
  return bytes < LEAST_SECRET_BYTES
    ? [`secret: ${bytes} bytes are fewer than the ${LEAST_SECRET_BYTES} that are recommended`]
    : []
}

/** Event kinds in the order of the catalogue, each once. */
export const collapseEvents = (events: readonly EventKind[]): EventKind[] =>
  EVENT_KINDS.filter((kind) => events.includes(kind))
