import * as z from 'zod/mini'
import { KEY_TYPES } from '../domain/api-key.ts'
import { MOST_KEY_NAME } from '../domain/create-key.ts'
import { PLANS } from '../domain/rate-limit.ts'
import { idOut, instantIn, instantOut, line, overlapSeconds } from './fields.ts'
import { nextCursor, pagingParameters } from './paging.ts'

export const newKey = z
  .strictObject({
    name: line(MOST_KEY_NAME),
    type: z.enum(KEY_TYPES),
    plan: z.optional(z.enum(PLANS)),
    /** At most five years away; null or absent for a key that does not expire. */
    expires_at: z.optional(z.nullable(instantIn())),
  })
  .register(z.globalRegistry, { id: 'NewKey' })

export const keyRotation = z
  .strictObject({
    overlap_seconds: z.optional(overlapSeconds()),
  })
  .register(z.globalRegistry, { id: 'KeyRotation' })

const keyFields = {
  id: idOut('key'),
  name: z.string(),
  type: z.enum(KEY_TYPES),
  plan: z.enum(PLANS),
  /** What the value begins and ends with. */
  prefix: z.string(),
  last4: z.string(),
  created_by: z.string(),
  created_at: instantOut(),
  expires_at: z.nullable(instantOut()),
  last_used_at: z.nullable(instantOut()),
  revoked_at: z.nullable(instantOut()),
}

/** The value is answered once; a repeated request gets null in its place, and is told why. */
const valueOnce = {
  value: z
    .nullable(z.string())
    .register(z.globalRegistry, { description: 'The key itself, shown only once and stored nowhere.' }),
  warnings: z.optional(z.array(z.string())),
}

const key = z.strictObject(keyFields).register(z.globalRegistry, { id: 'Key' })

export const keyCreated = z
  .strictObject({ ...keyFields, ...valueOnce })
  .register(z.globalRegistry, { id: 'KeyCreated' })

export const keyRotated = z
  .strictObject({ ...keyFields, ...valueOnce, previous_value_valid_until: instantOut() })
  .register(z.globalRegistry, { id: 'KeyRotated' })

export const keyList = z
  .strictObject({ keys: z.array(key), next_cursor: nextCursor })
  .register(z.globalRegistry, { id: 'KeyList' })

export const keyPaging = z.strictObject(pagingParameters)
