/** One reason why an input was refused. `field` is a path such as `context.time_range.start`. */
export interface FieldError {
  readonly field: string
  readonly reason: string
}

/**
 * The kinds of refusal the service knows. The contract maps each to one of the six codes of the
 * specification and to an HTTP status, in one place.
 */
export type RefusalKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'rate_limited'

/** A refusal that may be shown to the caller as it is: its text holds nothing secret. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    kind: RefusalKind,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.details = details
    this.headers = headers
  }
}

/** Failures that one refusal names; a body of 256 KB can hold far more than a response can. */
const MOST_ERRORS = 100

/**
 * An input that breaks the contract; carries the first failure as `field` and `reason`, and all of them, or the first
 * hundred and how many more there are.
 */
export function invalid(errors: readonly [FieldError, ...FieldError[]]): Refusal {
  const [first] = errors
  const more = errors.length > MOST_ERRORS ? { more_errors: errors.length - MOST_ERRORS } : {}
  return new Refusal('invalid', `${first.field}: ${first.reason}`, {
    ...first,
    errors: errors.slice(0, MOST_ERRORS),
    ...more,
  })
}

/** A single invalid field. */
export const invalidField = (field: string, reason: string): Refusal => invalid([{ field, reason }])

/** The resource does not exist, or its id has a form that no resource can have. */
export const notFound = (what: string): Refusal => new Refusal('not_found', `${what} does not exist.`)

/** The request is well formed but contradicts the state of the resource. */
export const conflict = (message: string, details: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal('conflict', message, details)
