import { type KeyType, readKey } from '../domain/api-key.ts'
import { Refusal } from '../domain/errors.ts'
import type { Integration } from '../domain/integration.ts'
import type { Caller, KeyGate, SenderGate, SentMessage } from '../domain/ports.ts'
import { type RateState, retryAfter } from '../domain/rate-limit.ts'
import type { Allowance } from './allowance.ts'

/** Who calls and where they stand in their window. */
export interface Admitted {
  readonly caller: Caller
  readonly rate: RateState
  /** The integration whose tool calls. */
  readonly sender?: Integration
}

/** A refusal at the gate still says where the caller stands. */
export class GateRefusal extends Refusal {
  readonly rate: RateState
  constructor(refusal: Refusal, rate: RateState) {
    super(refusal.kind, refusal.message, refusal.details, refusal.headers)
    this.rate = rate
  }
}

const NO_KEY = 'A valid API key is required: Authorization: Bearer <API_KEY>.'
const NO_PROOF =
  'Neither a valid signature nor the ingest token: Authorization: Bearer <INGEST_TOKEN>, or X-Ingest-Token.'

const unauthorized = (rate: RateState, message = NO_KEY): GateRefusal =>
  new GateRefusal(
    new Refusal(
      'unauthorized',
      message,
      {},
      {
        'WWW-Authenticate': 'Bearer',
      },
    ),
    rate,
  )

const limited = (rate: RateState, now: number): GateRefusal =>
  new GateRefusal(
    new Refusal(
      'rate_limited',
      'Too many requests; try again after Retry-After seconds.',
      {},
      {
        'Retry-After': String(retryAfter(rate, now)),
      },
    ),
    rate,
  )

/** What the text of a credential says before anybody is asked. */
export interface Credential {
  readonly text: string
  /** The type that a key claims; null for a token, which says nothing until it is verified. */
  readonly type: KeyType | null
}

/** A JSON Web Token: three parts in base64url, the first of which is an object. */
const TOKEN_FORM = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/
/** API Gateway takes 10 KB of headers; tokens of user pools have about 1 KB. */
const MOST_TOKEN = 8_192

/** Reads the credential of a request: exactly one Authorization header with a well-formed key or token, or nothing. */
export function readCredential(headers: readonly string[]): Credential | null {
  const [header, ...more] = headers
  if (header === undefined || more.length > 0) return null
  const text = /^Bearer +(\S+)$/i.exec(header.trim())?.[1]
  if (text === undefined) return null
  if (text.length <= MOST_TOKEN && TOKEN_FORM.test(text)) return { text, type: null }
  const read = readKey(text)
  return read === null ? null : { text, type: read.type }
}

/**
 * Lets a caller in and counts the request, in one write.
 * A malformed key costs no write; a key this process has not seen accepted is not even tried once its source address
 * has used up what callers without a valid key share.
 * @throws GateRefusal `unauthorized` or `rate_limited`
 */
export async function admit(
  credential: Credential | null,
  address: string,
  now: number,
  gate: KeyGate,
  allowance: Allowance,
): Promise<Admitted> {
  if (credential === null || !gate.seen(credential.text)) {
    const state = allowance.state(address, now)
    if (state.remaining === 0) throw limited(state, now)
  }
  if (credential === null) throw unauthorized(allowance.take(address, now).rate)
  const admission = await gate.admit(credential.text, now)
  switch (admission.outcome) {
    case 'admitted':
      return { caller: admission.caller, rate: admission.rate }
    case 'limited':
      throw limited(admission.rate, now)
    case 'unknown':
      throw unauthorized(allowance.take(address, now).rate)
  }
}

/**
 * Lets a caller of an operation in that needs no key.
 * @throws GateRefusal `rate_limited` when the address has used up its allowance
 */
export function admitAnyone(address: string, now: number, allowance: Allowance): Admitted {
  const { allowed, rate } = allowance.take(address, now)
  if (!allowed) throw limited(rate, now)
  return { caller: { id: 'anyone', type: null }, rate }
}

/** The refusal of a message that nothing can prove, counted against the address that it came from. */
export function refuseUnproven(
  address: string,
  now: number,
  strangers: Allowance,
  reason: string,
): GateRefusal {
  const { allowed, rate } = strangers.take(address, now)
  return allowed ? unauthorized(rate, reason) : limited(rate, now)
}

/**
 * Lets a tool's message in that is proven to be its own, and counts it against its integration. Addresses that keep
 * failing are refused unread, but for integrations that this process has let in before: a tool shares its address.
 * @param id of the integration, well formed
 * @throws GateRefusal `unauthorized` or `rate_limited`
 */
export async function admitSender(
  id: string,
  message: SentMessage,
  address: string,
  now: number,
  gate: SenderGate,
  allowances: { readonly strangers: Allowance; readonly integrations: Allowance },
): Promise<Admitted> {
  const { strangers, integrations } = allowances
  const state = gate.seen(id) ? integrations.state(id, now) : strangers.state(address, now)
  if (state.remaining === 0) throw limited(state, now)
  const sender = await gate.admit(id, message, now)
  if (sender === undefined) throw unauthorized(strangers.take(address, now).rate, NO_PROOF)
  const { allowed, rate } = integrations.take(id, now)
  if (!allowed) throw limited(rate, now)
  return { caller: { id, type: null }, rate, sender }
}
