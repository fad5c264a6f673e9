import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answered, Sent } from './client.ts'
import { receiver, resourcesOf, SECRET, type Suite } from './resources.ts'
import { states } from './states.ts'

const HEADER = 'Idempotency-Key'
const ASKED = { query: 'How many incidents are open?' }
/** Requests at once, and how often they are sent before one of them must have met another. */
const AT_ONCE = 6
const MOST_ROUNDS = 10

/** What the API contract says about requests that are sent again. */
export function idempotency(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)

  const post = (path: string, body: unknown, key: string, caller?: string): Sent => ({
    method: 'POST',
    path,
    headers: ['idempotency-key', key],
    ...(body === undefined ? {} : { body }),
    ...(caller === undefined ? {} : { key: caller }),
  })
  const incident = () => ({ title: `Conformance ${randomUUID()}`, severity: 'low' })
  const isReplay = ({ headers }: Answered) => headers['idempotency-replayed'] === 'true'
  const idOf = ({ body }: Answered) => (body as { readonly id: string }).id

  states('api-idempotency-accepted', async () => {
    const { webhook } = await make.webhook()
    const { id } = await make.incident()
    const hook = { url: receiver(), events: ['incident.created'], secret: SECRET }
    const requests: readonly (readonly [string, unknown])[] = [
      ['/incidents', incident()],
      [`/incidents/${id}/investigate`, undefined],
      ['/query', ASKED],
      ['/webhooks', hook],
      [`/webhooks/${webhook.id}/ping`, undefined],
      [`/webhooks/${webhook.id}/rotate-secret`, { secret: SECRET }],
      [`/webhooks/${webhook.id}/recover`, { since: new Date(Date.now() - 60_000).toISOString() }],
    ]
    for (const [path, body] of requests) {
      for (const key of ['', 'x'.repeat(256), 'schl\u00fcssel'])
        await client.invalid(post(path, body, key), HEADER)
      // One key for all of them: each route has its own.
      const key = `${webhook.id}${'x'.repeat(255 - webhook.id.length)}`
      const answers = [await client.send(post(path, body, key)), await client.send(post(path, body, key))]
      for (const { status, text } of answers) expect(status, `${path} ${text}`).toBeLessThan(300)
      expect(answers.map(isReplay), path).toEqual([false, true])
      if (path === '/webhooks') for (const each of answers) make.made(`${path}/${idOf(each)}`)
    }
    const { assistant } = service().keys
    const key = randomUUID()
    const callers = [undefined, assistant]
    const ids = await Promise.all(
      callers.map(async (caller) => idOf(await client.send(post('/query', ASKED, key, caller)))),
    )
    expect(new Set(ids).size, 'each key of the API has its own').toBe(2)
  })
  states('api-idempotency-replayed', async () => {
    const key = randomUUID()
    const hook = { url: receiver(), events: ['incident.created'], secret: SECRET }
    const first = await client.send(post('/webhooks', hook, key))
    make.made(`/webhooks/${idOf(first)}`)
    expect([first.status, isReplay(first)]).toEqual([201, false])
    for (let again = 0; again < 3; again += 1) {
      const got = await client.send(post('/webhooks', hook, key))
      expect([got.status, isReplay(got), got.body]).toEqual([201, true, first.body])
      expect([got.headers.location, got.headers.etag]).toEqual([first.headers.location, first.headers.etag])
    }
  })
  states('api-idempotency-other-body', async () => {
    const [body, key] = [incident(), randomUUID()]
    const first = await client.send(post('/incidents', body, key))
    const error = await client.refusal(post('/incidents', { ...body, severity: 'high' }, key), 422)
    expect([error.code, error.details.field]).toEqual(['INVALID_REQUEST', HEADER])
    expect(idOf(await client.send(post('/incidents', body, key)))).toBe(idOf(first))
  })
  states('api-status-422', async () => {
    const key = randomUUID()
    await client.send(post('/incidents', incident(), key))
    expect((await client.refusal(post('/incidents', incident(), key), 422)).code).toBe('INVALID_REQUEST')
  })
  states('api-idempotency-in-flight', async () => {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => client.send(post('/query', ASKED, key))),
      )
      const done = answers.filter(({ status }) => status === 200)
      const met = answers.filter(({ status }) => status !== 200)
      expect(new Set(done.map(idOf)).size).toBe(1)
      for (const { status, body } of met) {
        expect(status).toBe(409)
        expect(body).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: HEADER } } })
      }
      if (met.length > 0) return
    }
    expect.fail('no request ever met another')
  })
  states('api-idempotency-transaction', async () => {
    const [body, key] = [incident(), randomUUID()]
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => client.send(post('/incidents', body, key))),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(new Set(made.map(idOf)).size).toBe(1)
    expect(made.filter((each) => !isReplay(each))).toHaveLength(1)
    for (const { status } of answers) expect([201, 409]).toContain(status)
    const [id = ''] = made.map(idOf)
    const { incidents } = (await client.call('list-incidents', { query: { limit: '100' } })).body
    expect(incidents.filter(({ title }) => title === body.title)).toHaveLength(1)
    await client.call('update-incident', { id, body: { title: `${body.title} changed` } })
    const again = await client.send(post('/incidents', body, key))
    expect([again.status, again.body]).toMatchObject([201, { id, title: `${body.title} changed` }])
  })
  states('api-idempotency-long-work', async () => {
    const key = randomUUID()
    const first = await client.send(post('/query', ASKED, key))
    expect([first.status, isReplay(first)]).toEqual([200, false])
    await make.incident()
    const again = await client.send(post('/query', ASKED, key))
    expect([again.status, isReplay(again), again.body]).toEqual([200, true, first.body])
    expect((await client.call('get-query', { id: idOf(first) })).body).toEqual(first.body)
  })
}
