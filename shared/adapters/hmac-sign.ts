import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { type Sign, STANDARD_PREFIX } from '../domain/signature.ts'

/** Keys kept ready: making one costs several times as much as signing with it. */
const MOST_KEYS = 1_024

/** The key that a secret stands for: what follows `whsec_` as base64, any other secret as its own ASCII bytes. */
const keyOf = (secret: string): KeyObject =>
  createSecretKey(
    secret.startsWith(STANDARD_PREFIX)
      ? Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64')
      : Buffer.from(secret, 'ascii'),
  )

/** Signs with HMAC-SHA256; keys are kept for the life of the process. */
export function hmacSign(): Sign {
  const keys = new Map<string, KeyObject>()
  return (secret, content) => {
    let key = keys.get(secret)
    if (key === undefined) {
      const [oldest] = keys.keys()
      if (keys.size >= MOST_KEYS && oldest !== undefined) keys.delete(oldest)
      key = keyOf(secret)
      keys.set(secret, key)
    }
    return createHmac('sha256', key).update(content).digest('base64')
  }
}
