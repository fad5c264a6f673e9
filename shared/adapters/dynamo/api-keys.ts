import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Admission, KeyAdmission, KeyIdentity } from '../../domain/ports.ts'
import { rateState, windowOf } from '../../domain/rate-limit.ts'
import { BoundedMap } from '../bounded-map.ts'
import { itemKeys } from './item-keys.ts'
import { unlessHeld } from './transact.ts'
import { readWireItem } from './wire-item.ts'

/** An API key's item. Counters of windows are attributes of their own: `w<number of the window>`. */
export interface KeyItem extends KeyIdentity {
  readonly pk: string
  readonly list_all: string
  /** Requests a minute; written from the plan, so that a change of plan needs no deployment. */
  readonly lim: number
  readonly prefix: string
  readonly last4: string
  readonly created_by: string
  readonly created_at: string
  /** Milliseconds; absent when the key does not expire. */
  readonly expires_at?: number
  readonly revoked_at?: number
  readonly last_used_at?: number
  /** The hash of the value before this one, which leads here until an instant (ms). */
  readonly previous_hash?: string
  readonly previous_until?: number
}

/** What is left where a key was before its value was replaced: only the way to where it is now. */
export interface MovedItem {
  readonly pk: string
  readonly moved_to: string
}

/**
 * How far behind the present one a window must lie before its counter may be removed. Clocks of two functions that
 * are up to 180 s apart differ by three windows; the slower one still counts in a window that is three behind.
 */
const STALE_AFTER_WINDOWS = 4
/** A key that is used by ever new processes collects windows that nobody removes; at 16 they are 200 bytes. */
const MOST_STALE_WINDOWS = 16
/** Keys that one process remembers; a key takes about 300 bytes here, so this is 3 MB. */
const MOST_REMEMBERED = 10_000

const WINDOW_ATTRIBUTE = /^w(\d{1,12})$/
/** The attribute that counts the requests of a window. */
export const windowAttribute = (window: number): string => `w${window}`

/** One update: its expressions, with stale windows to remove. */
export interface AdmissionUpdate {
  readonly UpdateExpression: string
  readonly ConditionExpression: string
  readonly ExpressionAttributeNames: Record<string, string>
  readonly ExpressionAttributeValues: Record<string, number | string>
}

/** What else an admission writes and asks, besides counting. */
export interface AdmissionTerms {
  /** Assignments of an update, each behind a comma. */
  readonly set: string
  readonly condition: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, number | string>>
  /** What the window's counter must be below: an attribute of the item or a value. */
  readonly limit: string
}

/** A key is there, neither revoked nor expired, nor has another value by now. */
const KEY_TERMS: AdmissionTerms = {
  set: '',
  condition:
    'attribute_exists(pk) AND attribute_not_exists(moved_to) AND attribute_not_exists(revoked_at)' +
    ' AND (attribute_not_exists(expires_at) OR expires_at > :now)',
  names: {},
  values: {},
  limit: 'lim',
}

/** The same, for a request with the value that the present one replaced. */
const previousTerms = (hash: string): AdmissionTerms => ({
  ...KEY_TERMS,
  condition: `${KEY_TERMS.condition} AND previous_hash = :previous AND previous_until > :now`,
  values: { ':previous': hash },
})

/**
 * The update that finds a caller's item and counts a request: refused where the terms do not hold (by default: for a key
 * that does not exist, is revoked or has expired), or the window of `now` is used up. `stale` are numbers of windows
 * whose counters to remove on the way; those that are not stale at `now` (the clock was set back) are left alone.
 */
export function admissionUpdate(
  now: number,
  stale: readonly number[],
  { set, condition, names, values, limit }: AdmissionTerms = KEY_TERMS,
): AdmissionUpdate {
  const window = windowOf(now)
  const gone = stale.filter((each) => each <= window - STALE_AFTER_WINDOWS)
  const removal = gone.length === 0 ? '' : ` REMOVE ${gone.map((_, index) => `#s${index}`).join(', ')}`
  return {
    UpdateExpression: `SET #w = if_not_exists(#w, :zero) + :one, last_used_at = :now${set}${removal}`,
    ConditionExpression: `${condition} AND (attribute_not_exists(#w) OR #w < ${limit})`,
    ExpressionAttributeNames: {
      ...names,
      '#w': windowAttribute(window),
      ...Object.fromEntries(gone.map((each, index) => [`#s${index}`, windowAttribute(each)])),
    },
    ExpressionAttributeValues: { ':zero': 0, ':one': 1, ':now': now, ...values },
  }
}

/** Numbers of the windows of a key's item whose counters may be removed at `now`, oldest first. */
export function staleWindows(item: Readonly<Record<string, unknown>>, now: number): number[] {
  const newest = windowOf(now) - STALE_AFTER_WINDOWS
  return Object.keys(item)
    .flatMap((name) => {
      const window = WINDOW_ATTRIBUTE.exec(name)?.[1]
      return window === undefined || Number(window) > newest ? [] : [Number(window)]
    })
    .sort((a, b) => a - b)
}

const identity = ({ id, name, type, plan }: KeyIdentity): KeyIdentity => ({ id, name, type, plan })

interface Block {
  /** The window that is used up. */
  readonly window: number
  /** Until when (ms) the value is valid. */
  readonly expires_at: number
  readonly limited: Admission & { outcome: 'limited' }
}

/**
 * Admission of requests by their key: one conditional update finds the key, checks that it holds, counts the request
 * and refuses past the limit. A key that was refused for its limit is refused by this process without another write
 * until the window ends, so that the writes a key can cause in a minute are its limit and one for each process. A key
 * that is revoked meanwhile is answered `limited` by that process, never admitted.
 * Each store has a memory of its own; make one per process.
 */
export function keyAdmission(client: DynamoDBDocumentClient, table: string): KeyAdmission {
  const blocks = new BoundedMap<Block>(MOST_REMEMBERED)
  /** Stale windows of keys that were admitted here, as their last answer showed them. */
  const admitted = new BoundedMap<readonly number[]>(MOST_REMEMBERED)
  /** Where keys are whose value was replaced, by the hash before: that says where to ask, never what is permitted. */
  const moved = new BoundedMap<string>(MOST_REMEMBERED)

  const cleanUp = async (hash: string, stale: readonly number[]): Promise<void> => {
    try {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: itemKeys.apiKey(hash),
          UpdateExpression: `REMOVE ${stale.map((_, index) => `#s${index}`).join(', ')}`,
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: Object.fromEntries(
            stale.map((each, index) => [`#s${index}`, windowAttribute(each)]),
          ),
        }),
      )
    } catch {
      // The request is admitted already; the next one finds the same windows and removes them.
    }
  }

  /** Until when (ms) a value is valid at an item: as long as the key, or for the overlap of its rotation. */
  const endOf = (hash: string, at: string, item: KeyItem): number => {
    const end = item.expires_at ?? Number.POSITIVE_INFINITY
    if (hash === at) return end
    return item.previous_hash === hash ? Math.min(end, item.previous_until ?? 0) : 0
  }

  const refused = (hash: string, at: string, now: number, item: KeyItem | undefined): Admission => {
    if (item?.revoked_at !== undefined || item?.id === undefined || endOf(hash, at, item) <= now) {
      admitted.delete(hash)
      return { outcome: 'unknown' }
    }
    const limited: Block['limited'] = {
      outcome: 'limited',
      key: identity(item),
      rate: rateState(item.lim, item.lim, now),
    }
    blocks.set(hash, { window: windowOf(now), expires_at: endOf(hash, at, item), limited })
    return limited
  }

  const admit: KeyAdmission['admit'] = async (hash, now) => {
    const window = windowOf(now)
    const block = blocks.get(hash)
    if (block !== undefined) {
      if (block.window === window && block.expires_at > now) return block.limited
      blocks.delete(hash)
    }
    const at = moved.get(hash) ?? hash
    let item: KeyItem & Readonly<Record<string, unknown>>
    try {
      const { Attributes } = await unlessHeld(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: itemKeys.apiKey(at),
            ...admissionUpdate(now, admitted.get(hash) ?? [], at === hash ? KEY_TERMS : previousTerms(hash)),
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      )
      item = Attributes as typeof item
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      const found = error.Item && (readWireItem(error.Item) as unknown as KeyItem & Partial<MovedItem>)
      if (at === hash && found?.moved_to !== undefined) {
        moved.set(hash, found.moved_to)
        return admit(hash, now)
      }
      return refused(hash, at, now, found)
    }
    const stale = staleWindows(item, now)
    if (stale.length > MOST_STALE_WINDOWS) {
      await cleanUp(at, stale)
      admitted.set(hash, [])
    } else {
      admitted.set(hash, stale)
    }
    return {
      outcome: 'admitted',
      key: identity(item),
      rate: rateState(item.lim, Number(item[windowAttribute(window)]), now),
    }
  }

  return { admit, seen: (hash) => admitted.get(hash) !== undefined }
}
