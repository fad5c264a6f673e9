import { type ApiKey, type KeyType, keyDisplay, writeKey } from './api-key.ts'
import { invalidField } from './errors.ts'
import { readInstant, writeInstant } from './instant.ts'
import type { Caller, Clock, KeyAdmin, NewId } from './ports.ts'
import type { Plan } from './rate-limit.ts'

export interface KeyActs {
  readonly keys: Pick<KeyAdmin, 'create' | 'rotate'>
  readonly clock: Clock
  readonly newId: NewId
  /** Bytes from a cryptographic source. */
  readonly random: (bytes: number) => Uint8Array
  /** The hash under which a key is kept. */
  readonly hash: (key: string) => string
}

export interface NewKey {
  readonly name: string
  readonly type: KeyType
  readonly plan: Plan
  /** ISO 8601 UTC, in the future, at most five years away; null for a key that does not expire. */
  readonly expires_at: string | null
  readonly created_by: string
}

/** A key and its text, which is null where it was told before. */
export interface MadeKey {
  readonly apiKey: ApiKey
  readonly key: string | null
}

/** What a signed-in user asks for, as a new key: of the standard plan and without an end unless they say otherwise. */
export const newKeyOf = (
  given: Pick<NewKey, 'name' | 'type'> & {
    readonly plan?: Plan | undefined
    readonly expires_at?: string | null | undefined
  },
  { id, name = id }: Caller,
): NewKey => ({
  name: given.name,
  type: given.type,
  plan: given.plan ?? 'standard',
  expires_at: given.expires_at ?? null,
  created_by: name,
})

/** Keys a deployment may have. */
export const KEY_QUOTA = 500
/** Bytes drawn for a key: 30 of them are used, and about 3 % are skipped. */
export const KEY_RANDOM_BYTES = 128
/** Mark of a deployed or local service's keys: the text between `iis_` and the type. */
export const KEY_ENVIRONMENT = 'live'
/** Longest life of a key that expires: five years. */
const MOST_LIFE_MS = 5 * 366 * 86_400_000
export const MOST_KEY_NAME = 100

function checkExpiry(expiresAt: string | null, now: number): string | null {
  if (expiresAt === null) return null
  const at = readInstant(expiresAt)
  if (at === null) throw invalidField('expires_at', 'must be an ISO 8601 UTC timestamp ending in Z')
  if (at <= now) throw invalidField('expires_at', 'must be in the future')
  if (at - now > MOST_LIFE_MS) throw invalidField('expires_at', 'must be at most five years away')
  return writeInstant(at)
}

/**
 * Makes a key. Its text is returned once and kept nowhere; only its hash and what people recognise it by are.
 * @throws Refusal `invalid` naming the field; `conflict` at the quota
 */
export async function createKey(acts: KeyActs, given: NewKey): Promise<MadeKey & { readonly key: string }> {
  const now = acts.clock()
  const name = given.name.trim()
  if (name === '' || [...name].length > MOST_KEY_NAME)
    throw invalidField('name', `must have 1 to ${MOST_KEY_NAME} characters`)
  const expires_at = checkExpiry(given.expires_at, now)
  const key = writeKey(KEY_ENVIRONMENT, given.type, acts.random(KEY_RANDOM_BYTES))
  const apiKey: ApiKey = {
    id: acts.newId('key', now),
    name,
    type: given.type,
    plan: given.plan,
    ...keyDisplay(key),
    created_by: given.created_by,
    created_at: writeInstant(now),
    expires_at,
    last_used_at: null,
    revoked_at: null,
  }
  await acts.keys.create(apiKey, acts.hash(key), KEY_QUOTA)
  return { apiKey, key }
}
