import { Agent, request } from 'undici'
import { assert, expect } from 'vitest'
import type * as z from 'zod/mini'
import { type OperationId, operations } from '#shared/contract/operations.ts'
import { notAnError, undocumented } from './document.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

/** One request. Without `key` the suite's admin key is sent; `null` sends no Authorization header. */
export interface Sent {
  readonly method: string
  /** Below the base address, with its query. */
  readonly path: string
  readonly key?: string | null
  /** Name and value by turns, as they go on the wire; a name may stand twice. */
  readonly headers?: readonly string[]
  /** Sent as JSON with its content type. */
  readonly body?: unknown
  /** Sent as it is, with the content type of JSON unless `headers` name another. */
  readonly raw?: string | Uint8Array
  /** A 429 is what the test is about: it is given back instead of waited for. */
  readonly mayBeLimited?: boolean
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Undefined when there is none. */
  readonly body: unknown
}

export interface ErrorAnswer {
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly answered: Answered
}

type Table = typeof operations
type Success<Id extends OperationId> = Table[Id] extends {
  success: { body: infer Shape extends z.ZodMiniType }
}
  ? z.output<Shape>
  : undefined

/** What a documented operation is asked: the id of its path, its query, its body. */
export interface Asked {
  readonly id?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly key?: string | null
}

export interface Client {
  /** Sends anything; whatever comes back has passed the checks that hold for every response. */
  send(sent: Sent): Promise<Answered>
  /** Calls an operation and expects the status that the table declares for its success. */
  call<Id extends OperationId>(id: Id, asked?: Asked): Promise<{ body: Success<Id>; answered: Answered }>
  /** Sends what must be refused with a status. */
  refusal(sent: Sent, status: number): Promise<ErrorAnswer>
  /** Sends what must be refused with 400, and expects the first failure to be in a field. */
  invalid(sent: Sent, field: string): Promise<ErrorAnswer>
}

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'INVALID_REQUEST',
  409: 'INVALID_REQUEST',
  412: 'INVALID_REQUEST',
  413: 'INVALID_REQUEST',
  415: 'INVALID_REQUEST',
  422: 'INVALID_REQUEST',
  429: 'RATE_LIMIT_EXCEEDED',
}

const CONTENT_TYPE = /^application\/json; charset=utf-8$/
const agent = new Agent({ connect: { timeout: 10_000 } })
export const closeClient = (): Promise<void> => agent.close()

/** The path of an operation with its `{id}` and query filled in. */
export function pathOf(id: OperationId, asked: Pick<Asked, 'id' | 'query'> = {}): string {
  const query = new URLSearchParams(asked.query).toString()
  const path = operations[id].path.replace('{id}', asked.id ?? '')
  return query === '' ? path : `${path}?${query}`
}

/** What holds for every response of every kind, whatever was asked. */
function checkEveryResponse({ method, path }: Sent, answered: Answered): void {
  const { status, headers, body, text } = answered
  const about = `${method} ${path.slice(0, 120)} → ${status} ${text.slice(0, 300)}`
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect(headers[name], `${name} of ${about}`).toMatch(/^\d+$/)
  expect(headers['x-request-id'], `X-Request-Id of ${about}`).toMatch(/\S/)
  expect(headers['cache-control'], `Cache-Control of ${about}`).toBe('no-store')
  expect(headers['x-content-type-options'], `X-Content-Type-Options of ${about}`).toBe('nosniff')
  if (status === 204 || status === 304) expect(text, `body of ${about}`).toBe('')
  else {
    // What the gateway makes itself it marks with the constants; there it chooses the content type.
    const wanted = headers['x-ratelimit-reset'] === '0' ? /^application\/json\b/ : CONTENT_TYPE
    expect(headers['content-type'], `Content-Type of ${about}`).toMatch(wanted)
    assert(body !== undefined, `no JSON body: ${about}`)
  }
  if (status >= 400) {
    expect(notAnError(body), `error shape of ${about}`).toBeNull()
    const { error } = body as { error: Omit<ErrorAnswer, 'answered'> }
    expect(error.code, `code of ${about}`).toBe(status >= 500 ? 'INTERNAL_ERROR' : CODES[status])
    expect(error.message, `message of ${about}`).toMatch(/\S/)
    if (status === 400 && headers['x-ratelimit-reset'] !== '0') {
      const { field, reason, errors } = error.details as { field: string; reason: string; errors: unknown[] }
      expect(field, `details.field of ${about}`).toMatch(/\S/)
      expect(reason, `details.reason of ${about}`).toMatch(/\S/)
      expect(errors?.[0], `details.errors of ${about}`).toEqual({ field, reason })
    }
    if (status === 401) {
      const asks = headers['www-authenticate'] ?? headers['x-amzn-remapped-www-authenticate']
      expect(asks, `WWW-Authenticate of ${about}`).toBe('Bearer')
    }
    if (status === 405) expect(headers.allow, `Allow of ${about}`).toMatch(/^[A-Z]+(, [A-Z]+)*$/)
    if (status === 429) expect(headers['retry-after'], `Retry-After of ${about}`).toMatch(/^\d+$/)
  }
  if (status === 201) expect(headers.location, `Location of ${about}`).toMatch(/\S/)
  const [bare = ''] = path.split('?', 1)
  expect(undocumented(method, bare, status, body), `document against ${about}`).toBeNull()
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A client for one group of tests. It waits for the end of a window of the rate limit at most once: a suite that
 * needs more than that has too small a plan, which is said instead of waited out.
 */
export function clientOf(service: () => ServiceUnderTest): Client {
  let waited = false

  async function once(sent: Sent): Promise<Answered> {
    const { baseUrl, keys } = service()
    const key = sent.key === undefined ? keys.admin : sent.key
    const given = sent.headers ?? []
    const headers = [...given]
    const payload = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
    if (key !== null) headers.push('authorization', `Bearer ${key}`)
    if (payload !== undefined && !given.some((name) => name.toLowerCase() === 'content-type'))
      headers.push('content-type', 'application/json')
    const response = await request(baseUrl + sent.path, {
      dispatcher: agent,
      method: sent.method as 'GET',
      headers,
      body: payload ?? null,
    })
    const text = await response.body.text()
    const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
    return {
      status: response.statusCode,
      headers: Object.fromEntries(flat),
      text,
      body: parsed(text),
    }
  }

  async function send(sent: Sent): Promise<Answered> {
    let answered = await once(sent)
    if (answered.status === 429 && sent.mayBeLimited !== true) {
      checkEveryResponse(sent, answered)
      const advice = 'give the suite keys of the enterprise plan'
      assert(!waited, `${sent.method} ${sent.path} is limited a second time in this group: ${advice}`)
      waited = true
      await windowEnd(answered)
      answered = await once(sent)
    }
    checkEveryResponse(sent, answered)
    return answered
  }

  async function refusal(sent: Sent, status: number): Promise<ErrorAnswer> {
    const answered = await send(sent)
    const about = `${sent.method} ${sent.path.slice(0, 200)} answered ${answered.text.slice(0, 300)}`
    expect(answered.status, about).toBe(status)
    return { ...(answered.body as { error: Omit<ErrorAnswer, 'answered'> }).error, answered }
  }

  return {
    send,
    refusal,
    async call(id, asked = {}) {
      const { method, success } = operations[id]
      const answered = await send({
        method,
        path: pathOf(id, asked),
        ...(asked.body === undefined ? {} : { body: asked.body }),
        ...(asked.key === undefined ? {} : { key: asked.key }),
      })
      expect(answered.status, `${id} answered ${answered.text.slice(0, 500)}`).toBe(success.status)
      return { body: answered.body as never, answered }
    },
    async invalid(sent, field) {
      const error = await refusal(sent, 400)
      expect(error.details.field, error.message).toBe(field)
      return error
    },
  }
}

/** Resolves when the window is over that a 429 was answered in. */
export async function windowEnd({ headers }: Answered): Promise<void> {
  const seconds = Number(headers['retry-after'])
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000 + 100))
}
