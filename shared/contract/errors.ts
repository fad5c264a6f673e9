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
