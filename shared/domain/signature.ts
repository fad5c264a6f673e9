/**
 * Signatures by Standard Webhooks 1.0.0: the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64 behind `v1,`; several,
 * parted by a space, while a secret is being replaced.
 */

/** The HMAC-SHA256 (base64) of a text under the key that a secret stands for. */
export type Sign = (secret: string, content: string) => string

/** What marks a secret whose rest is base64; any other secret is its own ASCII bytes. */
export const STANDARD_PREFIX = 'whsec_'

/** What is signed. @param timestamp whole seconds since the epoch */
export const signedContent = (id: string, timestamp: number, body: string): string =>
  `${id}.${timestamp}.${body}`

/**
 * The headers of one attempt.
 * @param id the event's id: the same on every attempt and to every subscriber
 * @param at instant of the attempt (ms)
 * @param secrets the present one first, then the one that it replaces while both are valid; at least one
 */
export function webhookHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly string[],
  sign: Sign,
): Record<string, string> {
  if (secrets.length === 0) throw new RangeError('an event cannot be signed without a secret')
  const timestamp = Math.floor(at / 1_000)
  const content = signedContent(id, timestamp, body)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  }
}
