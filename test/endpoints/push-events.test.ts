import { createHmac, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { ulid } from 'ulid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAlertMessage } from '#shared/adapters/sqs/alert-messages.ts'
import { MESSAGES_A_MINUTE, MOST_SENT_BYTES } from '#shared/domain/alerts/intake.ts'
import { PLAN_LIMITS } from '#shared/domain/rate-limit.ts'
import type { Got } from '#test/edge/call-endpoint.ts'
import { expectError, expectInvalid, refusesAlike, unknownId } from './refusals.ts'
import { alertmanagerWebhook, newSender, type TestSender } from './sender.ts'
import { type Service, startService, withKey } from './service.ts'
import { allItems } from './stored.ts'

let service: Service
let alertmanager: TestSender
beforeAll(async () => {
  service = await startService({ queue: true })
  alertmanager = await newSender()
})
afterAll(() => service.stop())

refusesAlike('push-events', () => service)

const push = (id: string, headers: Readonly<Record<string, string | string[]>>, body: unknown) =>
  service.call('push-events', { id, headers, body })
const queued = async () => (await service.messages('alerts')).map(({ body }) => readAlertMessage(body))
const BODY = alertmanagerWebhook({})

describe('202', () => {
  it('is told for a message with the ingest token, which waits word for word to be read', async () => {
    const before = Date.now()
    const got = await push(alertmanager.id, alertmanager.headers, BODY)
    expect(got.status, JSON.stringify(got.body)).toBe(202)
    expect(got.body).toEqual({ integration_id: alertmanager.id, received_at: expect.any(String) })
    expect(Date.parse(got.body.received_at)).toBeGreaterThanOrEqual(before)
    expect(await queued()).toEqual([
      {
        integration_id: alertmanager.id,
        config: {},
        headers: {},
        received_at: Date.parse(got.body.received_at),
        body: BODY,
      },
    ])
  })

  it.each([
    ['as the password of basic authentication', (token: string) => basic(`any:${token}`)],
    ['in a header of its own', (token: string) => ({ 'X-Ingest-Token': token })],
  ])('takes the token %s', async (_name, headersOf) => {
    expect((await push(alertmanager.id, headersOf(alertmanager.token), BODY)).status).toBe(202)
    expect(await queued()).toHaveLength(1)
  })

  it('takes a body of any media type, since tools declare what they like', async () => {
    const headers = { ...alertmanager.headers, 'Content-Type': 'text/plain; charset=UTF-8' }
    expect((await push(alertmanager.id, headers, JSON.stringify(BODY))).status).toBe(202)
    await queued()
  })

  it('takes what the tool signs itself, and keeps what reading it needs', async () => {
    const config = { repositories: ['acme/shop'], webhook_secret: 'a secret of the tool' }
    const github = await newSender('github', config)
    const body = JSON.stringify({ action: 'published', repository: { full_name: 'acme/shop' } })
    const signature = createHmac('sha256', config.webhook_secret).update(body).digest('hex')
    const headers = {
      'X-Hub-Signature-256': `sha256=${signature}`,
      'X-GitHub-Event': 'release',
      'X-Other': 'left out',
    }
    expect((await push(github.id, headers, body)).status).toBe(202)
    const [message] = await queued()
    expect(message).toMatchObject({
      config: { repositories: ['acme/shop'] },
      headers: { 'x-github-event': 'release' },
    })
    expect(JSON.stringify(message)).not.toContain(config.webhook_secret)
  })

  it.each([
    ['by Standard Webhooks', standardHeaders],
    ['as the webhooks of AWS DevOps Agent are', agentHeaders],
  ])('takes what anybody signs %s with the ingest token', async (_name, headersOf) => {
    const { body: made } = await service.call('create-integration', { body: { type: 'webhook', config: {} } })
    expect(made).toMatchObject({ status: 'connected', config: { has_signing_secret: false } })
    const body = JSON.stringify({ incidentId: 'i-1', action: 'created', priority: 'HIGH', service: 'cart' })
    const headers = headersOf(made.ingest.token, body, new Date())
    expect((await push(made.id, headers, body)).status).toBe(202)
    expect(await queued()).toHaveLength(1)
    expect((await push(made.id, headers, `${body} `)).status).toBe(401)
    const old = headersOf(made.ingest.token, body, new Date(Date.now() - 301_000))
    expect((await push(made.id, old, body)).status).toBe(401)
  })

  it('is told for 4.5 MB, kept as an object of which the message tells, and nothing is kept of what is forged', async () => {
    const noise = randomBytes(3_400_000).toString('base64')
    const frame = JSON.stringify({ ...BODY, noise: '' }).length
    const body = JSON.stringify({ ...BODY, noise: noise.slice(0, MOST_SENT_BYTES - frame) })
    expect(body).toHaveLength(MOST_SENT_BYTES)
    expect((await push(alertmanager.id, withKey('wrong'), body)).status).toBe(401)
    expect(await readdir(join(service.objects, 'sent-bodies')).catch(() => [])).toEqual([])
    const got = await push(alertmanager.id, alertmanager.headers, body)
    expect(got.status, JSON.stringify(got.body)).toBe(202)
    const [message] = await service.messages('alerts')
    const { stored } = JSON.parse(message?.body ?? '{}') as { readonly stored: string }
    expect(stored).toContain(`sent-bodies/${alertmanager.id}/`)
    const packed = await readFile(join(service.objects, stored))
    expect(gunzipSync(packed).toString()).toBe(body)
  })

  it('tells in its headers how much of the minute is left for the integration', async () => {
    const { id, headers } = await newSender()
    const got = await push(id, headers, BODY)
    expect(got.headers['X-RateLimit-Limit']).toBe(String(MESSAGES_A_MINUTE))
    expect(got.headers['X-RateLimit-Remaining']).toBe(String(MESSAGES_A_MINUTE - 1))
    await queued()
  })
})

/** As a library of theirs signs. */
function standardHeaders(secret: string, body: string, at: Date) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  }
}
function agentHeaders(secret: string, body: string, at: Date) {
  const time = at.toISOString()
  const mac = createHmac('sha256', secret).update(`${time}:${body}`).digest('base64')
  return { 'x-amzn-event-timestamp': time, 'x-amzn-event-signature': mac }
}

const basic = (pair: string) => ({ Authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

describe('401', () => {
  const refuses = async (got: Got | Promise<Got>) => {
    expectError(await got, 401, 'UNAUTHORIZED')
    expect((await got).headers['WWW-Authenticate']).toBe('Bearer')
    expect(await queued()).toEqual([])
  }

  it.each([
    ['no proof at all', () => ({})],
    ['a token that is not its own', (token: string) => withKey(`${token}x`)],
    ['two tokens', (token: string) => ({ Authorization: [`Bearer ${token}`, `Bearer ${token}`] })],
    ['an API key', () => withKey(service.adminKey)],
    ['a signature where none is agreed on', () => ({ 'X-Hub-Signature-256': 'sha256=00' })],
  ])('refuses %s', async (_name, headersOf) => {
    await refuses(push(alertmanager.id, headersOf(alertmanager.token), BODY))
  })

  it('refuses the token of another integration', async () => {
    const other = await newSender()
    await refuses(push(alertmanager.id, other.headers, BODY))
  })

  it('refuses alike for an integration that nobody made, and reads nothing of its body', async () => {
    const [unknown, known] = [
      await push(unknownId('push-events'), alertmanager.headers, '{'),
      await push(alertmanager.id, withKey('wrong'), '{'),
    ]
    await refuses(unknown)
    expect(unknown.body).toEqual(known.body)
  })

  it('refuses a message that is altered by one byte, and one that was signed five minutes ago', async () => {
    const sender = await newSender('grafana', { hmac_secret: 'a secret of the tool' })
    const at = (instant: number) => {
      const time = String(Math.floor(instant / 1_000))
      const body = JSON.stringify(BODY)
      const mac = createHmac('sha256', 'a secret of the tool').update(`${time}:${body}`).digest('hex')
      return { 'X-Grafana-Alerting-Signature': mac, 'X-Grafana-Alerting-Timestamp': time }
    }
    const now = at(Date.now())
    await refuses(push(sender.id, now, `${JSON.stringify(BODY)} `))
    await refuses(push(sender.id, at(Date.now() - 301_000), JSON.stringify(BODY)))
    expect((await push(sender.id, now, JSON.stringify(BODY))).status).toBe(202)
    expect(await queued()).toHaveLength(1)
  })

  it('takes the token that was replaced until its overlap is over, and the new one from the next message on', async () => {
    const rotate = (id: string, overlap_seconds?: number) =>
      service.call('update-integration', { id, body: { rotate_ingest_token: { overlap_seconds } } })
    const sender = await newSender()
    const first = await rotate(sender.id, 3600)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    const { token } = first.body.ingest
    expect(token).toMatch(/^whsec_/)
    expect(token).not.toBe(sender.token)
    for (const known of [token, sender.token])
      expect((await push(sender.id, withKey(known), BODY)).status).toBe(202)
    expect(await queued()).toHaveLength(2)
    expect((await service.done('get-integration', { id: sender.id })).ingest.token).toBeNull()
    // Of three only the last two; with no overlap only the last one.
    const second = (await rotate(sender.id)).body.ingest.token
    await refuses(push(sender.id, sender.headers, BODY))
    const third = (await rotate(sender.id, 0)).body.ingest.token
    for (const old of [token, second]) await refuses(push(sender.id, withKey(old), BODY))
    expect((await push(sender.id, withKey(third), BODY)).status).toBe(202)
    await queued()
    const { integrations } = await import('#shared/runtime.ts')
    const until = (await integrations().openIntake(sender.id))?.intake?.previous?.until ?? 0
    expect(until).toBeLessThanOrEqual(Date.now())
  })

  it('keeps both tokens when settings change, and lets both sign where the token signs', async () => {
    const made = await service.done('create-integration', { body: { type: 'webhook', config: {} } })
    const body = JSON.stringify({ incidentId: 'i-2', action: 'created' })
    const signed = (secret: string) => push(made.id, standardHeaders(secret, body, new Date()), body)
    const rotated = await service.done('update-integration', {
      id: made.id,
      body: { rotate_ingest_token: {} },
    })
    await service.done('update-integration', { id: made.id, body: { enabled: true } })
    for (const secret of [made.ingest.token, rotated.ingest.token])
      expect((await signed(secret)).status).toBe(202)
    expect(await queued()).toHaveLength(2)
    await refuses(signed('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'))
  })

  it('says of a tool that is only asked that it sends nothing, whether or not anybody connected it', async () => {
    const config = { base_url: 'https://prometheus.invalid' }
    const { body } = await service.call('create-integration', { body: { type: 'prometheus', config } })
    expect(body.ingest).toBeNull()
    const [known, unknown] = [
      await push(body.id, withKey('x'), BODY),
      await push(`prometheus_${ulid()}`, {}, BODY),
    ]
    await refuses(known)
    expect(known.body.error.message).toContain('send nothing')
    expect(unknown.body).toEqual(known.body)
  })

  it('counts messages for such tools against the address that they come from', async () => {
    const id = `prometheus_${ulid()}`
    const sourceIp = '203.0.113.90'
    let last = 401
    // The minute may turn on the way: twice the allowance meets the limit of one of the two.
    for (let calls = 0; calls <= 2 * PLAN_LIMITS.standard && last === 401; calls += 1)
      last = (await service.call('push-events', { id, headers: {}, body: BODY, sourceIp })).status
    expect(last).toBe(429)
  })

  it('refuses the token once the integration is gone', async () => {
    const { id, headers } = await newSender()
    await service.done('delete-integration', { id })
    await refuses(push(id, headers, BODY))
  })
})

describe('409', () => {
  it('refuses the messages of a disabled integration, to its own tool alone', async () => {
    const { id, headers } = await newSender('alertmanager', {}, 'disabled')
    expectError(await push(id, headers, BODY), 409, 'INVALID_REQUEST')
    expectError(await push(id, withKey('wrong'), BODY), 401, 'UNAUTHORIZED')
    expect(await queued()).toEqual([])
  })
})

describe('400', () => {
  const deep = `${'['.repeat(33)}${']'.repeat(33)}`
  it.each([
    ['no JSON', '{"alerts":', 'body'],
    ['nothing', '', 'body'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'body'],
    ['more than 32 levels', deep, 'body'],
  ])('refuses %s, and puts nothing where it waits', async (_name, body, field) => {
    expectInvalid(await push(alertmanager.id, alertmanager.headers, body), field)
    expect(await queued()).toEqual([])
  })

  it('names a query parameter that it does not know', async () => {
    const sent = { id: alertmanager.id, headers: alertmanager.headers, body: BODY, query: { token: 'x' } }
    expectInvalid(await service.call('push-events', sent), 'token')
  })

  it.each([
    ['names that nobody foresaw', { ...BODY, constructor: { a: 1 }, notification_reason: 'repeat' }],
    ['a list', [1, 2]],
    ['text', 'hello'],
    ['null', null],
  ])('is not for %s: tools send as they like', async (_name, body) => {
    const text = JSON.stringify(body)
    expect((await push(alertmanager.id, alertmanager.headers, text)).status).toBe(202)
    expect(await queued()).toHaveLength(1)
  })
})

describe('what proves a tool', () => {
  it('is answered once, at creation, and stands nowhere in the clear', async () => {
    const config = { base_url: 'https://alertmanager.invalid' }
    const made = await service.done('create-integration', { body: { type: 'alertmanager', config } })
    const { url, token } = made.ingest
    expect(url).toBe(`https://api.example.test/v1/integrations/${made.id}/events`)
    expect(token).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect((await push(made.id, withKey(token), BODY)).status).toBe(202)
    await queued()
    const shown = await service.done('get-integration', { id: made.id })
    expect(shown.ingest).toEqual({ url, token: null })
    const listed = await service.done('list-integrations', { query: { limit: '1' } })
    expect(listed.integrations[0].ingest).toEqual({ url, token: null })
    expect(JSON.stringify(await allItems(service, 'integrations'))).not.toContain(token)
  })

  it('outlives a change of the settings, after which a new secret of the tool counts', async () => {
    const { id, token } = await newSender('grafana', { hmac_secret: 'the first' })
    const { integrations } = await import('#shared/runtime.ts')
    const opened = await integrations().open(id)
    if (opened === undefined) throw new Error('it is gone')
    await service.done('update-integration', {
      id,
      body: { enabled: false, config: { hmac_secret: 'the second' } },
    })
    expect((await integrations().openIntake(id))?.intake).toEqual({ token, secret: 'the second' })
  })
})
