import { expect, type TestContext } from 'vitest'
import { type Answered, type Sent, windowEnd } from './client.ts'
import { everyPage, githubSettings, lazily, receiver, resourcesOf, SECRET, type Suite } from './resources.ts'
import { also, states } from './states.ts'

const STANDARD = 100
const ENTERPRISE = 1_000
const WINDOW_S = 60
/** How far the clocks of suite and service may be apart. */
const SKEW_S = 5
const WEBHOOK_QUOTA = 100
const INTEGRATION_QUOTA = 200

const LIST: Sent = { method: 'GET', path: '/webhooks?limit=1' }

const remaining = ({ headers }: Answered) => Number(headers['x-ratelimit-remaining'])
const reset = ({ headers }: Answered) => Number(headers['x-ratelimit-reset'])
const limit = ({ headers }: Answered) => Number(headers['x-ratelimit-limit'])

/** The refusal that ended a window of the key that is there for it. */
let exceededAt: Answered | undefined

/** Limits per key. First of all groups: by the last one the window that is used up here is over. */
export function limits(suite: Suite): void {
  const { client, service } = suite
  const list = LIST

  /** How many requests each of these takes from the window of its key; asked again when the window turns meanwhile. */
  async function cost(sent: Sent, status: number): Promise<number> {
    const { key } = sent
    for (;;) {
      const before = await client.send({ ...list, ...(key === undefined ? {} : { key }) })
      const between = await client.send(sent)
      expect(between.status).toBe(status)
      if (reset(between) === reset(before)) return remaining(before) - remaining(between)
    }
  }

  /** Uses up the window of the key that is there for it; the answer is the refusal. */
  const exceeded = lazily(async () => {
    const key = service().keys.rate_limited
    if (key === undefined) return undefined
    // The window may turn once on the way; a service that never refuses is found out after two of them.
    for (let sent = 0; sent <= 2 * STANDARD; sent += 1) {
      const answered = await client.send({ ...list, key, mayBeLimited: true })
      if (answered.status === 429) {
        exceededAt = answered
        return answered
      }
    }
    throw new Error(`${2 * STANDARD} requests of one key were let in`)
  })
  async function refused(context: TestContext): Promise<{ answered: Answered; key: string }> {
    const [answered, key] = [await exceeded(), service().keys.rate_limited]
    if (answered === undefined || key === undefined)
      return context.skip('the keys file has no `rate_limited` key of the standard plan')
    return { answered, key }
  }

  states('spec-plan-standard', async (context) => {
    const { rate_limited } = service().keys
    if (rate_limited === undefined) return context.skip('the keys file has no `rate_limited` key')
    const answered = await client.send({ ...list, key: rate_limited, mayBeLimited: true })
    expect(limit(answered)).toBe(STANDARD)
  })
  states('spec-plan-enterprise', async (context) => {
    const { enterprise } = service().keys
    if (enterprise === undefined) return context.skip('the keys file has no `enterprise` key')
    expect(limit(await client.send({ ...list, key: enterprise }))).toBe(ENTERPRISE)
  })
  states('api-plan-of-key', async (context) => {
    const { enterprise, rate_limited } = service().keys
    if (enterprise === undefined || rate_limited === undefined)
      return context.skip('the keys file lacks an `enterprise` or a `rate_limited` key')
    const plans = [
      await client.send({ ...list, key: rate_limited, mayBeLimited: true }),
      await client.send({ ...list, key: enterprise }),
    ]
    expect(plans.map(limit)).toEqual([STANDARD, ENTERPRISE])
  })
  states('api-reset-epoch', async () => {
    const answered = await client.send(list)
    const now = Date.parse(answered.headers.date ?? new Date().toISOString()) / 1_000
    expect(reset(answered)).toBeGreaterThan(now - SKEW_S)
    expect(reset(answered)).toBeLessThanOrEqual(now + WINDOW_S + SKEW_S)
    expect(reset(answered) % WINDOW_S).toBe(0)
  })
  also('each answered request takes one from the window', async () => {
    for (let at = 0; at < 5; at += 1) expect(await cost(list, 200)).toBe(1)
  })
  also(
    'requests refused with 400, 404, 405, 413 after authentication or 415 count like any other',
    async () => {
      const refusals: readonly [Sent, number][] = [
        [{ method: 'POST', path: '/query', body: {} }, 400],
        [{ method: 'GET', path: '/no-such-path' }, 404],
        [{ method: 'PUT', path: '/query', body: {} }, 405],
        [{ method: 'POST', path: '/query', raw: '{}', headers: ['content-type', 'text/plain'] }, 415],
      ]
      for (const [sent, status] of refusals) expect(await cost(sent, status)).toBe(1)
    },
  )
  states('api-403-counts', async () => {
    const key = service().keys.assistant
    const sent = { method: 'GET', path: '/incidents', key }
    for (;;) {
      const [first, second] = [await client.refusal(sent, 403), await client.refusal(sent, 403)]
      if (reset(first.answered) !== reset(second.answered)) continue
      expect(remaining(first.answered) - remaining(second.answered)).toBe(1)
      return
    }
  })

  states('spec-limit-exceeded', async (context) => {
    const { answered } = await refused(context)
    expect(answered.status).toBe(429)
    expect(answered.body).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } })
  })
  states('spec-code-rate-limit', async (context) => {
    const { answered } = await refused(context)
    expect(answered.body).toMatchObject({ error: { message: expect.stringMatching(/\S \S/) } })
    expect(remaining(answered)).toBe(0)
  })
  states('api-status-429', async (context) => {
    const { answered } = await refused(context)
    const seconds = Number(answered.headers['retry-after'])
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(WINDOW_S)
  })
  /** Sends with the key whose window is used up; uses it up again if a new one began meanwhile. */
  async function whileLimited(key: string, sent: Sent): Promise<Answered> {
    for (;;) {
      const answered = await client.send({ ...sent, key, mayBeLimited: true })
      const probe = await client.send({ ...list, key, mayBeLimited: true })
      if (probe.status === 429 && (answered.status !== 200 || sent.path !== list.path)) return answered
      for (let left = remaining(probe); left > 0; left -= 1)
        await client.send({ ...list, key, mayBeLimited: true })
    }
  }
  states('api-429-counts', async (context) => {
    const { key } = await refused(context)
    for (let at = 0; at < 3; at += 1) {
      const answered = await whileLimited(key, list)
      expect([answered.status, remaining(answered)]).toEqual([429, 0])
    }
  })
  states('api-order-rate', async (context) => {
    const { key } = await refused(context)
    const wrong: readonly Sent[] = [
      { method: 'GET', path: '/no-such-path' },
      { method: 'PUT', path: '/query', body: {} },
      { method: 'POST', path: '/query', raw: '{', headers: ['content-type', 'text/plain'] },
      { method: 'POST', path: '/query', body: {} },
      { method: 'GET', path: '/incidents/x' },
    ]
    for (const sent of wrong) {
      const answered = await whileLimited(key, sent)
      expect(answered.status, `${sent.method} ${sent.path}`).toBe(429)
    }
    const large = { method: 'POST', path: '/query', raw: ' '.repeat(256 * 1_024 + 1) }
    expect((await whileLimited(key, large)).status).toBe(413)
  })
}

/** Quotas: filled for a moment and emptied again. */
export function quotas(suite: Suite): void {
  const { client, service } = suite
  const make = resourcesOf(suite)

  states('api-quota-webhooks', async () => {
    const pages = await everyPage(
      async (cursor) => (await client.call('list-webhooks', { query: { limit: '100', ...cursor } })).body,
    )
    const present = pages.flatMap((page) => page.webhooks).length
    for (let count = present; count < WEBHOOK_QUOTA; count += 1) await make.webhook()
    const body = { url: receiver(), events: ['incident.created'], secret: SECRET }
    const error = await client.refusal({ method: 'POST', path: '/webhooks', body }, 409)
    expect(`${error.message} ${JSON.stringify(error.details)}`).toContain(String(WEBHOOK_QUOTA))
    const [one] = (await client.call('list-webhooks', { query: { limit: '1' } })).body.webhooks
    await client.call('delete-webhook', { id: one?.id ?? '' })
    await make.webhook()
    await client.refusal({ method: 'POST', path: '/webhooks', body }, 409)
  })
  states('api-quota-integrations', async (context) => {
    const { bundle } = service()
    if (bundle === undefined) return context.skip('the keys file names no `bundle` of the service')
    const present = (await client.call('list-integrations')).body.integrations.length
    for (let count = present; count < INTEGRATION_QUOTA; count += 1) await make.integration('bundle', bundle)
    const body = { type: 'github', config: githubSettings('x') }
    const error = await client.refusal({ method: 'POST', path: '/integrations', body }, 409)
    expect(`${error.message} ${JSON.stringify(error.details)}`).toContain(String(INTEGRATION_QUOTA))
    const { integrations, next_cursor } = (await client.call('list-integrations')).body
    expect(integrations.length).toBe(INTEGRATION_QUOTA)
    expect(next_cursor).toBeNull()
  })
}

/** What comes after a window that was used up. */
export function windowEnds({ client, service }: Suite): void {
  states('api-window-60', async (context) => {
    const key = service().keys.rate_limited
    const answered = exceededAt
    if (key === undefined || answered === undefined)
      return context.skip('the keys file has no `rate_limited` key of the standard plan')
    const now = await client.send({ ...LIST, key, mayBeLimited: true })
    if (now.status === 429) await windowEnd(now)
    const again = await client.send({ ...LIST, key, mayBeLimited: true })
    expect(again.status).toBe(200)
    expect(remaining(again)).toBeLessThan(STANDARD)
    expect((reset(again) - reset(answered)) % WINDOW_S).toBe(0)
    expect(reset(again)).toBeGreaterThan(reset(answered))
  })
}

/** Last of all, since it leaves this address without an allowance until the window ends. */
export function allowance({ client }: Suite): void {
  states('api-anonymous-allowance', async () => {
    const sent: Sent = { method: 'GET', path: '/webhooks?limit=1', key: null, mayBeLimited: true }
    let answered = await client.send(sent)
    for (let count = 0; count <= 2 * STANDARD && answered.status !== 429; count += 1) {
      const before = answered
      answered = await client.send(sent)
      expect(limit(answered)).toBe(STANDARD)
      if (reset(answered) === reset(before) && answered.status !== 429)
        expect(remaining(answered)).toBe(remaining(before) - 1)
    }
    expect(answered.status).toBe(429)
    expect(remaining(answered)).toBe(0)
    // Keys that the service knows are not held up by those who have none.
    expect((await client.send({ ...sent, path: '/webhooks', key: undefined as never })).status).toBe(200)
  })
}
