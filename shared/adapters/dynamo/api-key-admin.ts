import { setTimeout as wait } from 'node:timers/promises'
import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { ApiKey } from '../../domain/api-key.ts'
import { conflict } from '../../domain/errors.ts'
import { readInstant, writeInstant } from '../../domain/instant.ts'
import type { KeyAct, KeyAdmin, KeyReplacement } from '../../domain/ports.ts'
import { PLAN_LIMITS, windowOf } from '../../domain/rate-limit.ts'
import type { Claim } from '../../domain/repeat.ts'
import { TABLES } from '../../names.ts'
import { idMaker } from '../new-id.ts'
import { type KeyItem, type MovedItem, windowAttribute } from './api-keys.ts'
import { SCHEMA_VERSION } from './document-client.ts'
import { itemKeys, KEY_ACT_LIST, KEY_LIST } from './item-keys.ts'
import { madeBy, type Pause, type TransactItems, transact } from './transact.ts'

const instant = (at: number | undefined): string | null => (at === undefined ? null : writeInstant(at))

const fromItem = (item: KeyItem): ApiKey => ({
  id: item.id,
  name: item.name,
  type: item.type,
  plan: item.plan,
  prefix: item.prefix,
  last4: item.last4,
  created_by: item.created_by,
  created_at: item.created_at,
  expires_at: instant(item.expires_at),
  last_used_at: instant(item.last_used_at),
  revoked_at: instant(item.revoked_at),
})

/** Items that one read takes; there are at most 500 keys. */
const READ_AT_ONCE = 100
/** Reads of what the table left out of a read because too much was asked of it; all pauses together are 0.75 s. */
const MOST_READS = 5
/** First pause before such a read, doubled each time. */
const FIRST_PAUSE_MS = 50
/** Tries of a rotation of a key that is in use: each request with it counts on the item that is to be moved. */
const MOST_ROTATIONS = 20
/** The way from a replaced value to the key is kept for so long after the value has ended, then expires. */
const MOVED_SLACK_S = 86_400

type Stored = Readonly<Record<string, unknown>>

/**
 * Creation, listing, rotation and revocation of keys.
 * @param claim of the request that is done
 */
export function keyAdmin(
  client: DynamoDBDocumentClient,
  table: string,
  pause: Pause = wait,
  claim?: Claim,
): KeyAdmin {
  const newId = idMaker()

  /** Keys of items in a list, newest first, and whether there are more. */
  const listed = async (list: string, after: string | null, limit?: number) => {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: TABLES.keys.indexes.byId.name,
        KeyConditionExpression: after === null ? 'list_all = :all' : 'list_all = :all AND id < :after',
        ExpressionAttributeValues: { ':all': list, ...(after === null ? {} : { ':after': after }) },
        ScanIndexForward: false,
        ...(limit === undefined ? {} : { Limit: limit }),
      }),
    )
    return { found: Items as { pk: string; id: string }[], isMore: LastEvaluatedKey !== undefined }
  }

  const everyListed = async (list: string): Promise<string[]> => {
    const all: { pk: string; id: string }[] = []
    for (let isMore = true; isMore; ) {
      const page = await listed(list, all.at(-1)?.id ?? null)
      all.push(...page.found)
      isMore = page.isMore
    }
    return all.map(({ pk }) => pk)
  }

  /** Items by their keys, in that order; those that are gone are left out. @throws Error where the table keeps leaving some out */
  const readAll = async (pks: readonly string[]): Promise<Stored[]> => {
    const items = new Map<string, Stored>()
    for (let start = 0; start < pks.length; start += READ_AT_ONCE) {
      let wanted: Record<string, unknown>[] = pks.slice(start, start + READ_AT_ONCE).map((pk) => ({ pk }))
      for (let tries = 0; wanted.length > 0; tries += 1) {
        if (tries === MOST_READS) throw new Error('too much is asked of the table of keys; try again later')
        if (tries > 0) await pause(FIRST_PAUSE_MS * 2 ** (tries - 1))
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetCommand({ RequestItems: { [table]: { Keys: wanted, ConsistentRead: true } } }),
        )
        for (const item of Responses?.[table] ?? []) items.set(String(item.pk), item)
        wanted = UnprocessedKeys?.[table]?.Keys ?? []
      }
    }
    return pks.flatMap((pk): Stored[] => {
      const item = items.get(pk)
      return item === undefined ? [] : [item]
    })
  }

  const keysAt = async (pks: readonly string[]): Promise<ApiKey[]> =>
    (await readAll(pks)).flatMap((item) => ('id' in item ? [fromItem(item as unknown as KeyItem)] : []))

  const read = async (pk: string): Promise<Stored | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true }),
    )
    return Item
  }

  /** The item of a key as it is now. The index may still name the item that the key had before a rotation. */
  const find = async (id: string): Promise<KeyItem | undefined> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: TABLES.keys.indexes.byId.name,
        KeyConditionExpression: 'list_all = :all AND id = :id',
        ExpressionAttributeValues: { ':all': KEY_LIST, ':id': id },
      }),
    )
    const pk: unknown = Items[0]?.pk
    let item = pk === undefined ? undefined : await read(String(pk))
    while (item?.moved_to !== undefined) item = await read(itemKeys.apiKey(String(item.moved_to)).pk)
    return item as KeyItem | undefined
  }

  /** Writes who did what, with what was done. */
  const noted = (act: KeyAct['act'], key_id: string, by: string, now: number): TransactItems[number] => {
    const id = newId('audit', now)
    const item = { list_all: KEY_ACT_LIST, id, at: writeInstant(now), act, key_id, by }
    return { Put: { TableName: table, Item: { ...itemKeys.keyAct(id), ...item } } }
  }

  /** The writes by which a key moves to another hash, if nobody has changed it or counted on it since it was read. */
  const moving = (item: KeyItem & Stored, replacement: KeyReplacement, now: number): TransactItems => {
    const { hash, display, previousUntil } = replacement
    const to = itemKeys.apiKey(hash)
    const window = windowAttribute(windowOf(now))
    const counted: unknown = item[window]
    const moved: MovedItem & Stored = {
      pk: item.pk,
      moved_to: hash,
      expires_at_s: Math.ceil(previousUntil / 1_000) + MOVED_SLACK_S,
    }
    const here = item.pk.slice(itemKeys.apiKey('').pk.length)
    return [
      {
        Put: {
          TableName: table,
          Item: { ...item, ...display, ...to, previous_hash: here, previous_until: previousUntil },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      },
      {
        Put: {
          TableName: table,
          Item: moved,
          ConditionExpression:
            'attribute_exists(lim) AND attribute_not_exists(revoked_at) AND ' +
            (counted === undefined ? 'attribute_not_exists(#w)' : '#w = :counted'),
          ExpressionAttributeNames: { '#w': window },
          ...(counted === undefined ? {} : { ExpressionAttributeValues: { ':counted': counted } }),
        },
      },
    ]
  }

  return {
    async create(key, hash, quota) {
      const expiresAt = key.expires_at === null ? undefined : readInstant(key.expires_at)
      if (expiresAt === null) throw new RangeError('expires_at is not an instant')
      const item: KeyItem = {
        ...itemKeys.apiKey(hash),
        list_all: KEY_LIST,
        id: key.id,
        name: key.name,
        type: key.type,
        plan: key.plan,
        lim: PLAN_LIMITS[key.plan],
        prefix: key.prefix,
        last4: key.last4,
        created_by: key.created_by,
        created_at: key.created_at,
        ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      }
      const outcome = await transact(
        client,
        [
          { Put: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
          {
            Update: {
              TableName: table,
              Key: itemKeys.apiKeyCount,
              UpdateExpression: 'SET members = if_not_exists(members, :zero) + :one, schema_v = :schema',
              ConditionExpression: 'attribute_not_exists(members) OR members < :quota',
              ExpressionAttributeValues: {
                ':zero': 0,
                ':one': 1,
                ':quota': quota,
                ':schema': SCHEMA_VERSION,
              },
            },
          },
          noted('created', key.id, key.created_by, readInstant(key.created_at) ?? 0),
        ],
        pause,
        madeBy(claim, key.id),
      )
      if (outcome.written) return
      if (outcome.failed.includes(0)) throw new Error('a key with this value exists already')
      throw conflict(`There are ${quota} keys already, which is the limit.`, { limit: quota })
    },

    async list() {
      return keysAt(await everyListed(KEY_LIST))
    },

    async page({ limit, after }) {
      const { found, isMore } = await listed(KEY_LIST, after, limit)
      const items = await keysAt(found.map(({ pk }) => pk))
      return { items, next: isMore ? (found.at(-1)?.id ?? null) : null }
    },

    async get(id) {
      const item = await find(id)
      return item === undefined ? undefined : fromItem(item)
    },

    async rotate(id, now, replace) {
      let item = (await find(id)) as (KeyItem & Stored) | undefined
      for (let tries = 0; item !== undefined && tries < MOST_ROTATIONS; tries += 1) {
        const replacement = replace(fromItem(item))
        const outcome = await transact(
          client,
          [...moving(item, replacement, now), noted('rotated', id, replacement.by, now)],
          pause,
          madeBy(claim, id),
        )
        if (outcome.written) return { ...fromItem(item), ...replacement.display }
        item = (await find(id)) as typeof item
      }
      if (item === undefined) return undefined
      throw conflict('This key is used too often just now to be rotated; try again.')
    },

    async revoke(id, now, by) {
      for (let tries = 0; tries < MOST_ROTATIONS; tries += 1) {
        const item = await find(id)
        if (item === undefined) return false
        if (item.revoked_at !== undefined) return true
        const revoking: TransactItems[number] = {
          Update: {
            TableName: table,
            Key: { pk: item.pk },
            UpdateExpression: 'SET revoked_at = :now',
            // A key that is rotated meanwhile is somewhere else.
            ConditionExpression: 'attribute_exists(lim) AND attribute_not_exists(revoked_at)',
            ExpressionAttributeValues: { ':now': now },
          },
        }
        const outcome = await transact(client, [revoking, noted('revoked', id, by, now)], pause)
        if (outcome.written) return true
      }
      throw conflict('This key is rotated again and again; try again.')
    },

    async acts() {
      const items = (await readAll(await everyListed(KEY_ACT_LIST))) as unknown as KeyAct[]
      return items.map(({ id, at, act, key_id, by }) => ({ id, at, act, key_id, by }))
    },
  }
}
