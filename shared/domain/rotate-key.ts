import { type ApiKey, keyDisplay, writeKey } from './api-key.ts'
import { KEY_ENVIRONMENT, KEY_RANDOM_BYTES, type KeyActs, type MadeKey } from './create-key.ts'
import { conflict, notFound } from './errors.ts'
import { readInstant } from './instant.ts'
import { type Overlap, overlapEnds } from './overlap.ts'
import type { KeyAdmin } from './ports.ts'

export type KeyRotationActs = Omit<KeyActs, 'keys' | 'newId'> & { readonly keys: Pick<KeyAdmin, 'rotate'> }

/** A key with its new text, which is null where it was told before. */
export interface RotatedKey extends MadeKey {
  /** Until when (ms) the value before is valid. */
  readonly previousUntil: number
}

function requireUsable({ expires_at, revoked_at }: ApiKey, now: number): void {
  if (revoked_at !== null) throw conflict('This key is revoked.')
  if (expires_at !== null && (readInstant(expires_at) ?? 0) <= now) throw conflict('This key has expired.')
}

/**
 * Gives a key a new value. It stays the same key: its id, its limit and what it has used of it. The value before is
 * valid for the overlap; of three values in one overlap only the last two are.
 * @param by who does it
 * @throws Refusal `not_found`; `conflict` for a key that is revoked or has expired
 */
export async function rotateKey(
  acts: KeyRotationActs,
  id: string,
  given: Overlap,
  by: string,
): Promise<RotatedKey & { readonly key: string }> {
  const now = acts.clock()
  const until = overlapEnds(now, given)
  let key = ''
  const apiKey = await acts.keys.rotate(id, now, (present) => {
    requireUsable(present, now)
    key = writeKey(KEY_ENVIRONMENT, present.type, acts.random(KEY_RANDOM_BYTES))
    return { hash: acts.hash(key), display: keyDisplay(key), previousUntil: until, by }
  })
  if (apiKey === undefined) throw notFound(`Key ${id}`)
  return { apiKey, key, previousUntil: until }
}
