import { randomUUID } from 'node:crypto'
import { afterAll, assert, expect, type TestContext } from 'vitest'
import type { Client } from './client.ts'
import type { ServiceUnderTest } from './service-under-test.ts'

/** What a group of tests gets. */
export interface Suite {
  readonly client: Client
  /** The service, once it runs: for use inside tests. */
  readonly service: () => ServiceUnderTest
}

/** An id of the right form that no resource has. */
export const unusedId = (prefix: string): string => `${prefix}_00000000000000000000000000`

/** Time an investigation may take from its request to its end. */
const ANALYSIS_MS = 60_000
const POLL_MS = 250

/** Settings of a GitHub that cannot be reached: `.invalid` never resolves (RFC 2606), so nothing leaves the machine. */
export const githubSettings = (secret: string) => ({
  app_id: '123456',
  client_id: 'Iv1.0123456789abcdef',
  client_secret: secret,
  base_url: 'https://github.invalid/api/v3',
})

/** A name under `.example` (RFC 2606): nobody receives what is sent there. */
export const receiver = () => `https://${randomUUID()}.example/hook`
/** 32 bytes, as Standard Webhooks recommends. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Resolves with the first reading that is as wanted. @throws after a minute, showing the last reading */
export async function until<Value>(
  read: () => Promise<Value>,
  wanted: (value: Value) => boolean,
): Promise<Value> {
  const end = Date.now() + ANALYSIS_MS
  for (;;) {
    const value = await read()
    if (wanted(value)) return value
    expect(Date.now(), `still not there: ${JSON.stringify(value)}`).toBeLessThan(end)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Makes resources, and takes away at the end what can be taken away. */
export function resourcesOf({ client, service }: Suite) {
  const made: string[] = []
  afterAll(async () => {
    for (const path of made) await client.send({ method: 'DELETE', path })
  })

  const integration = async (type: string, config: unknown, key?: string) => {
    const { body, answered } = await client.call('create-integration', {
      body: { type, config },
      ...(key === undefined ? {} : { key }),
    })
    made.push(`/integrations/${body.id}`)
    // The token is answered once: whatever is read afterwards does not have it.
    const ingest = body.ingest && { ...body.ingest, token: null }
    return { integration: { ...body, ingest }, answered }
  }

  return {
    /** Remembers a resource that a test made by itself. */
    made: (path: string) => made.push(path),
    integration,
    github: async (secret = 'not-a-real-secret') => integration('github', githubSettings(secret)),
    /** Anything that pushes alerts, and the token by which its messages are proven. */
    async sender() {
      const { body } = await client.call('create-integration', { body: { type: 'webhook', config: {} } })
      made.push(`/integrations/${body.id}`)
      const token = body.ingest?.token
      assert(typeof token === 'string', 'connecting what sends answers its ingest token once')
      return { id: body.id, path: `/integrations/${body.id}/events`, token }
    },
    /** A bundle integration that works; skips the test where the service has no bundle. */
    async bundle(context: TestContext) {
      const { bundle } = service()
      if (bundle === undefined) return context.skip('the keys file names no `bundle` of the service')
      return (await integration('bundle', bundle)).integration
    },
    async incident(more: Readonly<Record<string, unknown>> = {}) {
      const body = { title: `Conformance ${randomUUID()}`, severity: 'low', ...more }
      return (await client.call('create-incident', { body })).body
    },
    async webhook(more: Readonly<Record<string, unknown>> = {}) {
      const body = { url: receiver(), events: ['incident.created'], secret: SECRET, ...more }
      const { body: webhook, answered } = await client.call('create-webhook', { body })
      made.push(`/webhooks/${webhook.id}`)
      return { webhook, answered }
    },
    /** The incident once its analysis is over. */
    analysed: (id: string) =>
      until(
        async () => (await client.call('get-incident', { id })).body,
        ({ analysis }) => analysis === 'done' || analysis === 'failed',
      ),
    /** Changes the status of an incident step by step. */
    async moved(id: string, ...statuses: readonly string[]) {
      for (const status of statuses) await client.call('update-incident', { id, body: { status } })
    },
  }
}

/** Makes something once, at its first use. */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Every page of a list, from the first to the last. */
export async function everyPage<Body extends { readonly next_cursor: string | null }>(
  read: (cursor: Readonly<Record<string, string>>) => Promise<Body>,
): Promise<Body[]> {
  const pages: Body[] = []
  let cursor: Readonly<Record<string, string>> = {}
  for (;;) {
    const page = await read(cursor)
    pages.push(page)
    if (page.next_cursor === null) return pages
    cursor = { cursor: page.next_cursor }
  }
}
