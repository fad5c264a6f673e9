import type * as z from 'zod/mini'
import type { OperationId, operations } from '#shared/contract/operations.ts'
import { accessToken, endSession, SignInUnreachable } from './session.ts'
import { settings } from './settings.ts'

type Table = typeof operations
/** Every route of the table, such as `GET /keys`, with its operation. */
type Routes = { [Id in OperationId as `${Table[Id]['method']} ${Table[Id]['path']}`]: Id }
export type Route = keyof Routes
type Row<Of extends Route> = Table[Routes[Of]]

/** The body that a route takes. */
export type BodyOf<Of extends Route> =
  Row<Of> extends { body: infer Shape extends z.ZodMiniType } ? z.input<Shape> : undefined
/** The query parameters that a route takes. */
export type QueryOf<Of extends Route> =
  Row<Of> extends { query: infer Shape extends z.ZodMiniType } ? z.input<Shape> : Record<string, never>
/** What a route answers. */
export type AnswerOf<Of extends Route> = Row<Of>['success'] extends {
  body: infer Shape extends z.ZodMiniType
}
  ? z.output<Shape>
  : undefined

export interface Given<Of extends Route> {
  /** What stands in the path for `{id}` and its like. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: QueryOf<Of>
  readonly body?: BodyOf<Of>
  /** The version that a change is meant for: in any other it is refused. */
  readonly ifMatch?: string | undefined
  readonly signal?: AbortSignal
}

/** Why the API did not do what it was asked; `status` 0 where it did not answer at all. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds after which it may be tried again, where the API says so. */
  readonly retryAfter: number | null

  constructor(
    status: number,
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>>,
    retryAfter: number | null,
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.details = details
    this.retryAfter = retryAfter
  }

  /** What is wrong with a field of the body or with an entry of it, where that is what is wrong. */
  reasonOf(field: string): string | undefined {
    const errors = Array.isArray(this.details.errors)
      ? (this.details.errors as { field?: unknown; reason: string }[])
      : []
    const found = errors.find((each) => `${String(each.field)}.`.startsWith(`${field}.`))
    if (found === undefined) return undefined
    return found.field === field
      ? found.reason
      : `${String(found.field).slice(field.length + 1)} ${found.reason}`
  }
}

/** What is asked for is still what is held. */
const UNMODIFIED = 304

/** The error that an answer tells; one that is none of the API's (a gateway between) is told by its status. */
async function errorOf(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfter = Number.isFinite(wait) ? wait : null
  try {
    const { error } = (await response.json()) as {
      error: { code: string; message: string; details: Record<string, unknown> }
    }
    return new ApiError(response.status, error.code, error.message, error.details, retryAfter)
  } catch {
    const message = `The service answered with status ${response.status}.`
    return new ApiError(response.status, 'INTERNAL_ERROR', message, {}, retryAfter)
  }
}

/** Sends a request as the person who is signed in. @throws ApiError for every answer that is no success, and where none came */
async function send<Of extends Route>(
  route: Of,
  given: Given<Of>,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given.path?.[name] ?? ''),
  )
  const query = new URLSearchParams(
    Object.entries((given.query ?? {}) as Record<string, string | undefined>).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  ).toString()
  const token = await accessToken().catch((failure: unknown) => {
    if (failure instanceof SignInUnreachable)
      throw new ApiError(0, 'UNREACHABLE', 'The sign-in service cannot be reached.', {}, null)
    throw failure
  })
  if (token === null) throw new ApiError(401, 'UNAUTHORIZED', 'You are not signed in any more.', {}, null)
  let response: Response
  try {
    response = await fetch(`${settings.api}${path}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...conditions,
        ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
    })
  } catch (cause) {
    if (given.signal?.aborted === true) throw cause
    throw new ApiError(0, 'UNREACHABLE', 'The service cannot be reached.', {}, null)
  }
  if (response.status === 401) endSession()
  if (!response.ok && response.status !== UNMODIFIED) throw await errorOf(response)
  return response
}

/**
 * Calls the API as the person who is signed in. Routes, bodies and answers are those of the contract's table: another
 * route does not compile.
 * @throws ApiError for every answer that is no success, and where none came
 */
export async function call<Of extends Route>(route: Of, given: Given<Of> = {}): Promise<AnswerOf<Of>> {
  const response = await send(route, given, given.ifMatch === undefined ? {} : { 'if-match': given.ifMatch })
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Of>
}

/**
 * Reads a resource with its version.
 * @param held version that is known already
 * @returns null while the resource is still in that version
 * @throws ApiError as `call` does
 */
export async function readTagged<Of extends Route>(
  route: Of,
  given: Given<Of>,
  held: string | null,
): Promise<{ readonly answer: AnswerOf<Of>; readonly tag: string | null } | null> {
  const response = await send(route, given, held === null ? {} : { 'if-none-match': held })
  if (response.status === UNMODIFIED) return null
  return { answer: (await response.json()) as AnswerOf<Of>, tag: response.headers.get('etag') }
}
