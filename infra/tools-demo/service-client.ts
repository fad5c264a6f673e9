import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'

export type Json = Readonly<Record<string, unknown>>

/** Calls the service as its administrator. */
export interface ServiceClient {
  readonly baseUrl: string
  get(path: string): Promise<Json>
  post(path: string, body?: Json): Promise<Json>
  patch(path: string, body: Json): Promise<Json>
}

/** Between two looks at what is waited for. */
const LOOK_MS = 500
/** How often what the gateway gave up on is asked again. */
const MOST_AGAIN = 20

export function serviceClient(baseUrl: string, key: string): ServiceClient {
  const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: Json): Promise<Json> => {
    // A gateway gives up on a machine that is busy: asked again under the same key, it is done once.
    const idempotencyKey = randomUUID()
    const ask = async () => {
      const { statusCode, body: answer } = await request(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(method === 'POST' ? { 'idempotency-key': idempotencyKey } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { statusCode, text: await answer.text() }
    }
    let { statusCode, text } = await ask()
    for (let again = 0; statusCode >= 502 && again < MOST_AGAIN; again += 1) {
      await pause(LOOK_MS)
      ;({ statusCode, text } = await ask())
    }
    if (statusCode >= 300) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }
  return {
    baseUrl,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
  }
}

/**
 * Waits until a look gives something.
 * @param what is named when it does not come
 * @throws Error when it does not come in time
 */
export async function until<T>(
  what: string,
  mostMs: number,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = performance.now() + mostMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`${what}: not within ${mostMs / 1000} s`)
    await pause(LOOK_MS)
  }
}
