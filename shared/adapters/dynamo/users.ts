import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Entrance, UserAdmission } from '../../domain/ports.ts'
import { PLAN_LIMITS, rateState, windowOf } from '../../domain/rate-limit.ts'
import { callerTypeOf, type SignedInUser } from '../../domain/user.ts'
import { BoundedMap } from '../bounded-map.ts'
import { type AdmissionTerms, admissionUpdate, staleWindows, windowAttribute } from './api-keys.ts'
import { SCHEMA_VERSION } from './document-client.ts'
import { itemKeys, USER_LIST } from './item-keys.ts'
import { readWireItem } from './wire-item.ts'

/** A user's item, written at the first request. Counters of windows are attributes of their own, as with keys. */
export interface UserItem {
  readonly pk: string
  readonly id: string
  readonly name: string
  readonly last_used_at?: number
  /** Milliseconds; absent while the user may call. */
  readonly disabled_at?: number
  /** Tokens that were issued before (ms) are refused. */
  readonly tokens_valid_after?: number
}

/** Signed-in users are people: the standard plan is more than their hands can ask. */
const LIMIT = PLAN_LIMITS.standard
/** Users that one process remembers. */
const MOST_REMEMBERED = 1_000

const termsOf = ({ id, name, issued_at }: SignedInUser): AdmissionTerms => ({
  set: ', list_all = :users, #id = :id, #name = :name, schema_v = :schema',
  condition:
    'attribute_not_exists(disabled_at)' +
    ' AND (attribute_not_exists(tokens_valid_after) OR tokens_valid_after <= :issued)',
  names: { '#id': 'id', '#name': 'name' },
  values: {
    ':users': USER_LIST,
    ':id': id,
    ':name': name,
    ':issued': issued_at,
    ':limit': LIMIT,
    ':schema': SCHEMA_VERSION,
  },
  limit: ':limit',
})

/**
 * Admission of signed-in users: one conditional update counts the request, and refuses a user who is disabled, whose
 * token was issued before they were signed out everywhere, or who is past the limit. The item is made by the first
 * request. A user past the limit is refused by this process without another write until the window ends.
 */
export function userAdmission(client: DynamoDBDocumentClient, table: string): UserAdmission {
  const blocked = new BoundedMap<number>(MOST_REMEMBERED)
  const stale = new BoundedMap<readonly number[]>(MOST_REMEMBERED)

  const refused = (user: SignedInUser, now: number, item: UserItem | undefined): Entrance => {
    if (item?.disabled_at !== undefined || (item?.tokens_valid_after ?? 0) > user.issued_at)
      return { outcome: 'unknown' }
    blocked.set(user.id, windowOf(now))
    return { outcome: 'limited', rate: rateState(LIMIT, LIMIT, now) }
  }

  return {
    async admit(user, now) {
      const window = windowOf(now)
      if (blocked.get(user.id) === window) return { outcome: 'limited', rate: rateState(LIMIT, LIMIT, now) }
      try {
        const { Attributes = {} } = await client.send(
          new UpdateCommand({
            TableName: table,
            Key: itemKeys.user(user.id),
            ...admissionUpdate(now, stale.get(user.id) ?? [], termsOf(user)),
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        )
        stale.set(user.id, staleWindows(Attributes, now))
        return {
          outcome: 'admitted',
          caller: { id: user.id, type: callerTypeOf(user), name: user.name },
          rate: rateState(LIMIT, Number(Attributes[windowAttribute(window)]), now),
        }
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        return refused(user, now, error.Item && (readWireItem(error.Item) as unknown as UserItem))
      }
    },
  }
}
