import { MOST_SENT_BYTES } from '../domain/alerts/intake.ts'
import type { RefusalKind } from '../domain/errors.ts'

/** The six codes of the specification; there is never a seventh. */
export const ERROR_CODES = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** The one place where a kind of refusal becomes a code and an HTTP status (RFC 9110). */
export const REFUSALS: Readonly<Record<RefusalKind, { readonly code: ErrorCode; readonly status: number }>> =
  {
    invalid: { code: 'INVALID_REQUEST', status: 400 },
    unauthorized: { code: 'UNAUTHORIZED', status: 401 },
    forbidden: { code: 'FORBIDDEN', status: 403 },
    not_found: { code: 'NOT_FOUND', status: 404 },
    method_not_allowed: { code: 'INVALID_REQUEST', status: 405 },
    conflict: { code: 'INVALID_REQUEST', status: 409 },
    precondition_failed: { code: 'INVALID_REQUEST', status: 412 },
    too_large: { code: 'INVALID_REQUEST', status: 413 },
    unsupported_media_type: { code: 'INVALID_REQUEST', status: 415 },
    unprocessable: { code: 'INVALID_REQUEST', status: 422 },
    rate_limited: { code: 'RATE_LIMIT_EXCEEDED', status: 429 },
  }

/** Largest body of what callers write themselves, in bytes. */
export const MOST_BODY_BYTES = 256 * 1_024

const inWords = (bytes: number): string => (bytes % 1_024 === 0 ? `${bytes / 1_024} KB` : `${bytes / 1e6} MB`)

/** What a body that is too large is told: the limit that holds for it. */
export const tooLarge = (most: number): string =>
  `The body may have at most ${inWords(most)} (${most} bytes).`

/** What the gateway tells of a body that it cannot hand on: it does not know whose limit holds. */
export const tooLargeForAny = (): string =>
  `The body is too large: it may have at most ${inWords(MOST_BODY_BYTES)}, what a tool sends to its ingest address ${inWords(MOST_SENT_BYTES)}.`
