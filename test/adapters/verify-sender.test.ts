import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifySender } from '#shared/adapters/intake/verify-sender.ts'
import { type Intake, intakeOf, MOST_SKEW_MS, type Proof, SENDERS } from '#shared/domain/alerts/intake.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const TOKEN = `whsec_${Buffer.from('a token of thirty-two bytes 1234').toString('base64')}`
const SECRET = "It's a Secret to Everybody"
const intake: Intake = { token: TOKEN, secret: SECRET }
/** What is verified without asking anybody. */
type SigningProof = Exclude<Proof, 'sns'>
type Headers = Readonly<Record<string, string | readonly string[]>>

const verify = (
  proof: SigningProof,
  headers: Headers,
  body: string | Uint8Array,
  given = intake,
  now = NOW,
) =>
  verifySender(proof, { body: Buffer.from(body), header: (name) => [headers[name] ?? []].flat() }, given, now)
const mac = (encoding: 'hex' | 'base64', ...parts: string[]) =>
  createHmac('sha256', SECRET).update(parts.join('')).digest(encoding)
const seconds = (at: number) => String(Math.floor(at / 1_000))

/** Headers with which each sender signs a body at an instant. */
const SIGNED: Readonly<
  Record<string, { proof: SigningProof; timed: boolean; sign: (body: string, at: number) => Headers }>
> = {
  GitHub: {
    proof: 'github',
    timed: false,
    sign: (body) => ({ 'x-hub-signature-256': `sha256=${mac('hex', body)}` }),
  },
  Grafana: {
    proof: 'grafana',
    timed: false,
    sign: (body) => ({ 'x-grafana-alerting-signature': mac('hex', body) }),
  },
  'Grafana with the time': {
    proof: 'grafana',
    timed: true,
    sign: (body, at) => ({
      'x-grafana-alerting-timestamp': seconds(at),
      'x-grafana-alerting-signature': mac('hex', `${seconds(at)}:`, body),
    }),
  },
  PagerDuty: {
    proof: 'pagerduty',
    timed: false,
    sign: (body) => ({ 'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${mac('hex', body)}` }),
  },
  Sentry: {
    proof: 'sentry',
    timed: false,
    sign: (body) => ({ 'sentry-hook-signature': mac('hex', body) }),
  },
  'AWS DevOps Agent': {
    proof: 'webhook',
    timed: true,
    sign: (body, at) => ({
      'x-amzn-event-timestamp': new Date(at).toISOString(),
      'x-amzn-event-signature': mac('base64', `${new Date(at).toISOString()}:`, body),
    }),
  },
  'Standard Webhooks': {
    proof: 'webhook',
    timed: true,
    sign: (body, at) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': seconds(at),
      'webhook-signature': `v1,${'A'.repeat(43)}= v1,${mac('base64', `msg_1.${seconds(at)}.${body}`)}`,
    }),
  },
}
const BODY = '{"incidentId":"i-1","title":"Größe"}'

describe.each(Object.entries(SIGNED))('what %s signs', (_name, { proof, timed, sign }) => {
  it('is taken as it is, and refused with any one byte changed', () => {
    expect(verify(proof, sign(BODY, NOW), BODY)).toBe(true)
    const bytes = Buffer.from(BODY)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const altered = Uint8Array.from(bytes)
        altered[at] = (altered[at] ?? 0) ^ by
        expect(verify(proof, sign(BODY, NOW), altered)).toBe(false)
      }),
    )
  })

  it('is refused under another secret, without its signature, and with two', () => {
    const headers = sign(BODY, NOW)
    expect(verify(proof, headers, BODY, { token: TOKEN, secret: 'another' })).toBe(false)
    expect(verify(proof, {}, BODY)).toBe(false)
    for (const name of Object.keys(headers))
      expect(
        verify(proof, { ...headers, [name]: [headers[name] ?? '', headers[name] ?? ''].flat() }, BODY),
      ).toBe(false)
  })

  it('is refused when it is signed wrongly, whatever else it carries', () => {
    const headers = { ...sign(`${BODY} `, NOW), authorization: `Bearer ${TOKEN}` }
    expect(verify(proof, headers, BODY)).toBe(false)
  })

  if (timed)
    it('is refused five minutes before and after, also by its own time with another one', () => {
      for (const late of [-MOST_SKEW_MS, MOST_SKEW_MS])
        expect(verify(proof, sign(BODY, NOW), BODY, intake, NOW + late)).toBe(true)
      for (const late of [-MOST_SKEW_MS - 1_000, MOST_SKEW_MS + 1_000])
        expect(verify(proof, sign(BODY, NOW), BODY, intake, NOW + late)).toBe(false)
      const old = sign(BODY, NOW - 3_600_000)
      for (const [name, value] of Object.entries(sign(BODY, NOW)))
        if (/time/.test(name)) expect(verify(proof, { ...old, [name]: value }, BODY)).toBe(false)
    })
})

describe('signatures', () => {
  it('of GitHub are those of its own example', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(verify('github', { 'x-hub-signature-256': signature }, 'Hello, World!')).toBe(true)
  })

  it('of Standard Webhooks are those that its own library makes, under a secret that we issued', () => {
    const at = new Date(NOW)
    const headers = {
      'webhook-id': 'msg_2',
      'webhook-timestamp': seconds(NOW),
      'webhook-signature': new Webhook(TOKEN).sign('msg_2', at, BODY),
    }
    expect(verify('webhook', headers, BODY, { token: TOKEN, secret: TOKEN })).toBe(true)
  })
})

describe('the ingest token', () => {
  it('is taken as a bearer, as a password and in its own header, where a sender cannot sign', () => {
    const basic = `Basic ${Buffer.from(`anybody:${TOKEN}`).toString('base64')}`
    expect(verify('token', { authorization: `Bearer ${TOKEN}` }, BODY)).toBe(true)
    expect(verify('token', { authorization: basic }, BODY)).toBe(true)
    expect(verify('token', { 'x-ingest-token': TOKEN }, BODY)).toBe(true)
    expect(verify('pagerduty', { authorization: `Bearer ${TOKEN}` }, BODY, { ...intake, secret: null })).toBe(
      true,
    )
  })

  it.each([
    ['nothing', {}],
    ['another', { authorization: 'Bearer another' }],
    ['one cut short', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', { authorization: `Digest ${TOKEN}` }],
    ['another header beside it', { authorization: `Bearer ${TOKEN}`, 'x-ingest-token': 'another' }],
    ['two', { authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] }],
  ])('is refused as %s', (_name, headers) => {
    expect(verify('token', headers as Headers, BODY)).toBe(false)
  })
})

describe('what messages are verified by', () => {
  it('is the secret of the tool, or the token where we may choose it', () => {
    expect(intakeOf('github', { webhook_secret: 's' }, TOKEN)).toEqual({ token: TOKEN, secret: 's' })
    expect(intakeOf('github', {}, TOKEN)).toEqual({ token: TOKEN, secret: TOKEN })
    expect(intakeOf('pagerduty', {}, TOKEN)).toEqual({ token: TOKEN, secret: null })
    expect(intakeOf('alertmanager', {}, TOKEN)).toEqual({ token: TOKEN, secret: null })
  })

  it('is nothing for types that send nothing', () => {
    expect(intakeOf('bundle', {}, TOKEN)).toBeNull()
    expect(intakeOf('constructor', {}, TOKEN)).toBeNull()
    expect(Object.keys(SENDERS)).toHaveLength(8)
  })
})
