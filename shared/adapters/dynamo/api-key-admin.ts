import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ApiKey } from '../../domain/api-key.ts'
import { conflict } from '../../domain/errors.ts'
import { readInstant, writeInstant } from '../../domain/instant.ts'
import type { KeyAdmin } from '../../domain/ports.ts'
import { PLAN_LIMITS } from '../../domain/rate-limit.ts'
import { TABLES } from '../../names.ts'
import type { KeyItem } from './api-keys.ts'
import { itemKeys, KEY_LIST } from './item-keys.ts'
import { conditional, type Pause, transact } from './transact.ts'

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

/** Keys that one read of the list takes in parallel; there are at most 500. */
const READS_AT_ONCE = 20

/** Creation, listing and revocation of keys. */
export function keyAdmin(client: DynamoDBDocumentClient, table: string, pause?: Pause): KeyAdmin {
  /** Primary keys of every key's item, newest first. */
  const partitions = async (id?: string): Promise<string[]> => {
    const found: string[] = []
    let ExclusiveStartKey: Record<string, unknown> | undefined
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: TABLES.keys.indexes.byId.name,
          KeyConditionExpression: id === undefined ? 'list_all = :all' : 'list_all = :all AND id = :id',
          ExpressionAttributeValues: { ':all': KEY_LIST, ...(id === undefined ? {} : { ':id': id }) },
          ScanIndexForward: false,
          ExclusiveStartKey,
        }),
      )
      found.push(...(page.Items ?? []).map((item) => String(item.pk)))
      ExclusiveStartKey = page.LastEvaluatedKey
    } while (ExclusiveStartKey !== undefined)
    return found
  }

  const read = async (pk: string): Promise<KeyItem[]> => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: { pk }, ConsistentRead: true }),
    )
    return Item === undefined ? [] : [Item as KeyItem]
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
              UpdateExpression: 'SET members = if_not_exists(members, :zero) + :one',
              ConditionExpression: 'attribute_not_exists(members) OR members < :quota',
              ExpressionAttributeValues: { ':zero': 0, ':one': 1, ':quota': quota },
            },
          },
        ],
        pause,
      )
      if (outcome.written) return
      if (outcome.failed.includes(0)) throw new Error('a key with this value exists already')
      throw conflict(`There are ${quota} keys already, which is the limit.`, { limit: quota })
    },

    async list() {
      const pks = await partitions()
      const keys: ApiKey[] = []
      for (let start = 0; start < pks.length; start += READS_AT_ONCE) {
        const items = await Promise.all(pks.slice(start, start + READS_AT_ONCE).map(read))
        keys.push(...items.flat().map(fromItem))
      }
      return keys
    },

    async revoke(id, now) {
      const [pk] = await partitions(id)
      if (pk === undefined) return false
      const written = await conditional(
        () =>
          client.send(
            new UpdateCommand({
              TableName: table,
              Key: { pk },
              UpdateExpression: 'SET revoked_at = if_not_exists(revoked_at, :now)',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':now': now },
            }),
          ),
        pause,
      )
      return written !== undefined
    },
  }
}
