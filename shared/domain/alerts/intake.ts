import type { IntegrationConfig } from '../integration.ts'
import { STANDARD_PREFIX } from '../signature.ts'

/** How messages of a type of integration prove whose they are. */
export type Proof =
  /** By the ingest token, as a bearer or as the password of basic authentication. */
  | 'token'
  | 'github'
  | 'grafana'
  | 'pagerduty'
  | 'sentry'
  /** By the signature of Amazon SNS, for topics that the settings name; or by the token. */
  | 'sns'
  /** By Standard Webhooks, or as AWS DevOps Agent is signed to. */
  | 'webhook'

interface Sender {
  readonly proof: Proof
  /** The setting that holds the secret by which the tool signs, where it has one of its own. */
  readonly secret: string | null
  /** Whether the ingest token may be given to the tool as that secret: not where the tool chooses it. */
  readonly tokenSigns: boolean
  /** Settings that are no secret and that reading its messages needs. */
  readonly settings: readonly string[]
  /** Headers that reading its messages needs, in lower case. */
  readonly headers: readonly string[]
}

/** The types of integrations that send messages; all others are only asked. */
export const SENDERS: Readonly<Record<string, Sender>> = {
  alertmanager: { proof: 'token', secret: null, tokenSigns: false, settings: [], headers: [] },
  cloudwatch: { proof: 'sns', secret: null, tokenSigns: false, settings: [], headers: [] },
  datadog: { proof: 'token', secret: null, tokenSigns: false, settings: [], headers: [] },
  github: {
    proof: 'github',
    secret: 'webhook_secret',
    tokenSigns: true,
    settings: ['repositories'],
    headers: ['x-github-event'],
  },
  grafana: { proof: 'grafana', secret: 'hmac_secret', tokenSigns: true, settings: [], headers: [] },
  pagerduty: { proof: 'pagerduty', secret: 'webhook_secret', tokenSigns: false, settings: [], headers: [] },
  sentry: {
    proof: 'sentry',
    secret: 'client_secret',
    tokenSigns: false,
    settings: [],
    headers: ['sentry-hook-timestamp', 'sentry-hook-resource'],
  },
  webhook: { proof: 'webhook', secret: 'signing_secret', tokenSigns: true, settings: [], headers: [] },
}

/** The sender of a type, or nothing when that type sends no messages. */
export const senderOf = (type: string): Sender | undefined =>
  Object.hasOwn(SENDERS, type) ? SENDERS[type] : undefined

/** What messages of one integration are verified by; kept sealed, apart from every other secret of it. */
export interface Intake {
  readonly token: string
  /** The secret that the tool signs with, or null when it cannot. */
  readonly secret: string | null
  /** What was replaced, and until when (ms) it counts beside it: a tool is set up by somebody else, later. */
  readonly previous?: { readonly token: string; readonly secret: string | null; readonly until: number }
}

/**
 * What messages of an integration are verified by, from its settings and its token.
 * @returns null when that type sends none
 */
export function intakeOf(type: string, config: IntegrationConfig, token: string): Intake | null {
  const sender = senderOf(type)
  if (sender === undefined) return null
  const own = sender.secret === null ? undefined : config[sender.secret]
  return { token, secret: typeof own === 'string' ? own : sender.tokenSigns ? token : null }
}

/** Bytes of an ingest token that nobody can guess. */
export const TOKEN_BYTES = 32
/** The text of an ingest token: in the form of Standard Webhooks, since some tools sign with it. */
export const writeToken = (bytes: Uint8Array): string =>
  `${STANDARD_PREFIX}${btoa(String.fromCharCode(...bytes))}`
/** Messages of one integration in a minute, counted in each process. */
export const MESSAGES_A_MINUTE = 6_000
/**
 * Largest body of a message, in bytes. Lambda takes 6 MB with a request: in it stand the body in base64, a third longer,
 * and every header twice.
 */
export const MOST_SENT_BYTES = 4_500_000
/** How far the time that a message is signed with may be from ours, in milliseconds. */
export const MOST_SKEW_MS = 5 * 60_000

/** What an intake is sealed for: not the integration's id alone, for which its settings are. */
export const intakeContext = (integrationId: string): string => `intake-${integrationId}`
