import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../domain/ports.ts'
import { KEY, TABLES, type TableName } from '../../names.ts'
import { everyItem, type Pace } from './every-item.ts'
import type { Item } from './incident-writes.ts'
import { countItem, type ItemCounts, itemKind } from './item-kind.ts'

/**
 * Tables that can be brought back, in the order in which they are: what an item points to stands before it, and the
 * events of incidents, whose stream makes deliveries, find the deliveries that were made before.
 */
export const RESTORE_ORDER = [
  'keys',
  'integrations',
  'webhooks',
  'signals',
  'queries',
  'incidents',
] as const satisfies readonly TableName[]

export interface RestoreOptions {
  readonly client: DynamoDBDocumentClient
  /** The tables of the service. */
  readonly names: Readonly<Record<TableName, string>>
  /** Tables that a backup was restored to. */
  readonly from: Readonly<Record<TableName, string>>
  /** Which of them. */
  readonly tables: readonly TableName[]
  readonly pace: Pace
  readonly clock: Clock
  /** False only counts. */
  readonly really: boolean
}

export interface Restored {
  readonly looked_at: number
  /** What the tables of the service lacked. */
  readonly missing: ItemCounts
  /** Items of the backup that have run out since, and stay away. */
  readonly expired: number
}

const keyOf = (table: TableName, item: Item): Item =>
  TABLES[table].sort
    ? { [KEY.partition]: item[KEY.partition], [KEY.sort]: item[KEY.sort] }
    : { [KEY.partition]: item[KEY.partition] }

/**
 * Brings back from restored tables what the tables of a service lack. What they have stays as it is, whatever the backup
 * says of it: a key that was revoked since stays revoked. May be done beside the running service, and again.
 */
export async function restoreItems(options: RestoreOptions): Promise<Restored> {
  const { client, names, from, tables, pace, clock, really } = options
  const missing: ItemCounts = {}
  let lookedAt = 0
  let expired = 0

  const isMissing = async (table: TableName, item: Item): Promise<boolean> => {
    const { Item: there } = await client.send(
      new GetCommand({
        TableName: names[table],
        Key: keyOf(table, item),
        ConsistentRead: true,
        ProjectionExpression: KEY.partition,
      }),
    )
    return there === undefined
  }

  /** @returns false where somebody else made it meanwhile */
  const bringBack = async (table: TableName, item: Item): Promise<boolean> => {
    try {
      await client.send(
        new PutCommand({
          TableName: names[table],
          Item: item,
          ConditionExpression: `attribute_not_exists(${KEY.partition})`,
        }),
      )
      return true
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    }
  }

  const restoreItem = async (table: TableName, item: Item): Promise<void> => {
    const end = item[TABLES[table].ttl]
    if (typeof end === 'number' && end * 1_000 <= clock()) expired += 1
    else if ((await isMissing(table, item)) && (!really || (await bringBack(table, item))))
      countItem(missing, table, itemKind(item))
  }

  for (const table of RESTORE_ORDER.filter((each) => tables.includes(each)))
    for await (const { items } of everyItem(client, from[table], pace)) {
      lookedAt += items.length
      await pace(items.length)
      await Promise.all(items.map((item) => restoreItem(table, item)))
    }
  return { looked_at: lookedAt, missing, expired }
}
