import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Intake, MOST_SKEW_MS, type Proof } from '../../domain/alerts/intake.ts'
import { instantOf } from '../../domain/alerts/payload-fields.ts'
import type { SentMessage } from '../../domain/ports.ts'
import { STANDARD_PREFIX, signedContent } from '../../domain/signature.ts'

/** A header that was given exactly once. */
const single = ({ header }: SentMessage, name: string): string | null => {
  const [value, ...more] = header(name)
  return value === undefined || more.length > 0 ? null : value
}

/** Compares in a time that tells nothing of where they differ, nor of how long either is. */
const same = (a: string, b: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

const hmac = (
  key: string | Uint8Array,
  encoding: 'hex' | 'base64',
  ...parts: (string | Uint8Array)[]
): string => {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest(encoding)
}

/** The key that a secret of Standard Webhooks stands for. */
const standardKey = (secret: string): Uint8Array =>
  secret.startsWith(STANDARD_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')

const isNow = (text: string | null, now: number): boolean => {
  const at = instantOf(text)
  return at !== null && Math.abs(now - at) <= MOST_SKEW_MS
}

/** The token as `Bearer`, as the password of `Basic`, or in the header of tools that can only set others. */
function byToken(message: SentMessage, { token }: Intake): boolean {
  const own = single(message, 'x-ingest-token')
  if (own !== null) return same(own, token)
  const authorization = single(message, 'authorization')
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (bearer !== undefined) return same(bearer, token)
  const basic = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (basic === undefined) return false
  const pair = Buffer.from(basic, 'base64').toString('utf8')
  return same(pair.slice(pair.indexOf(':') + 1), token)
}

/** Grafana: hex over the body, or over `<seconds>:<body>` where it also sends the time. */
function byGrafana(message: SentMessage, secret: string, signature: string, now: number): boolean {
  const time = single(message, 'x-grafana-alerting-timestamp')
  if (time === null) return same(signature, hmac(secret, 'hex', message.body))
  return same(signature, hmac(secret, 'hex', `${time}:`, message.body)) && isNow(time, now)
}

/** Standard Webhooks: any of several signatures over id, time and body. */
function byStandard(message: SentMessage, secret: string, given: string, now: number): boolean {
  const id = single(message, 'webhook-id')
  const time = single(message, 'webhook-timestamp')
  if (id === null || !/^\d{1,12}$/.test(time ?? '') || !isNow(time, now)) return false
  const head = signedContent(id, Number(time), '')
  const expected = `v1,${hmac(standardKey(secret), 'base64', head, message.body)}`
  return given.split(' ').some((signature) => same(signature, expected))
}

/** As the webhooks of AWS DevOps Agent are signed: base64 over `<time>:<body>`. */
function byAgent(message: SentMessage, secret: string, given: string, now: number): boolean {
  const time = single(message, 'x-amzn-event-timestamp')
  return time !== null && same(given, hmac(secret, 'base64', `${time}:`, message.body)) && isNow(time, now)
}

/** The header in which each kind of sender signs. */
const SIGNED_BY = {
  github: 'x-hub-signature-256',
  grafana: 'x-grafana-alerting-signature',
  pagerduty: 'x-pagerduty-signature',
  sentry: 'sentry-hook-signature',
} as const

function bySignature(
  proof: Exclude<Proof, 'token' | 'sns'>,
  message: SentMessage,
  secret: string,
  now: number,
): boolean | null {
  if (proof === 'webhook') {
    const standard = single(message, 'webhook-signature')
    if (standard !== null) return byStandard(message, secret, standard, now)
    const agent = single(message, 'x-amzn-event-signature')
    return agent === null ? null : byAgent(message, secret, agent, now)
  }
  const given = single(message, SIGNED_BY[proof])
  if (given === null) return null
  switch (proof) {
    case 'github':
      return same(given, `sha256=${hmac(secret, 'hex', message.body)}`)
    case 'grafana':
      return byGrafana(message, secret, given, now)
    case 'pagerduty': {
      const expected = `v1=${hmac(secret, 'hex', message.body)}`
      return given.split(',').some((signature) => same(signature.trim(), expected))
    }
    case 'sentry':
      return same(given, hmac(secret, 'hex', message.body))
  }
}

/**
 * True when a message is its sender's: signed over its very bytes, or with the token where that sender cannot sign.
 * One that is signed wrongly is refused, whatever else it carries. Times that are signed may be five minutes off.
 */
export function verifySender(
  proof: Exclude<Proof, 'sns'>,
  message: SentMessage,
  intake: Intake,
  now: number,
): boolean {
  if (proof === 'token') return byToken(message, intake)
  const signed = intake.secret === null ? null : bySignature(proof, message, intake.secret, now)
  return signed ?? byToken(message, intake)
}
