import {
  type DynamoDBDocumentClient,
  GetCommand,
  type NativeAttributeValue,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb'
import { conflict } from '../../domain/errors.ts'
import type { Page, PageRequest } from '../../domain/ports.ts'
import { stale, type Versions } from '../../domain/precondition.ts'
import type { Claim } from '../../domain/repeat.ts'
import { SCHEMA_VERSION } from './document-client.ts'
import { itemKeys } from './item-keys.ts'
import { madeBy, type Pause, transact } from './transact.ts'

export type Item = Readonly<Record<string, NativeAttributeValue>>

/** A list that is one partition: its members in order of time, their number counted beside it. */
export interface ListedMembers {
  /** @throws Refusal `conflict` naming the limit when `quota` members exist already */
  add(id: string, item: Item, quota: number): Promise<void>
  get(id: string): Promise<Item | undefined>
  /** Newest first. */
  page(request: PageRequest): Promise<Page<Item>>
  all(): Promise<Item[]>
  /**
   * @param expected versions that may be removed
   * @returns false when there is no such member
   * @throws Refusal `precondition_failed` when it is in another version
   */
  remove(id: string, expected?: Versions): Promise<boolean>
}

/** Members carry their `id`; `what` is the plural that a refusal names them by. */
export function listedMembers(
  client: DynamoDBDocumentClient,
  table: string,
  list: string,
  what: string,
  pause?: Pause,
  claim?: Claim,
): ListedMembers {
  const query = async (start: Item | undefined, limit?: number) => {
    const { Items, LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :list',
        ExpressionAttributeValues: { ':list': list },
        ScanIndexForward: false,
        ConsistentRead: true,
        ExclusiveStartKey: start,
        ...(limit === undefined ? {} : { Limit: limit }),
      }),
    )
    return { items: Items ?? [], last: LastEvaluatedKey }
  }

  return {
    async add(id, item, quota) {
      const outcome = await transact(
        client,
        [
          {
            Put: {
              TableName: table,
              Item: { ...itemKeys.member(list, id), ...item },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
          {
            Update: {
              TableName: table,
              Key: itemKeys.memberCount(list),
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
        ],
        pause,
        madeBy(claim, id),
      )
      if (outcome.written) return
      if (outcome.failed.includes(0)) throw new Error(`${id} exists already`)
      throw conflict(`There are ${quota} ${what} already, which is the limit.`, { limit: quota })
    },

    async get(id) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: itemKeys.member(list, id), ConsistentRead: true }),
      )
      return Item
    },

    async page({ limit, after }) {
      // One more than asked for tells whether there is a next page, without asking again.
      const start = after === null ? undefined : itemKeys.member(list, after)
      const { items, last } = await query(start, limit + 1)
      const given = items.slice(0, limit)
      const more = items.length > limit || (last !== undefined && given.length < limit)
      return { items: given, next: more ? String(given.at(-1)?.id) : null }
    },

    async all() {
      const found: Item[] = []
      let start: Item | undefined
      do {
        const { items, last } = await query(start)
        found.push(...items)
        start = last
      } while (start !== undefined)
      return found
    },

    async remove(id, expected) {
      const versions = Object.fromEntries(
        // No member has the version 0: it stands for tags that name none.
        expected === undefined || expected === 'any'
          ? []
          : [0, ...expected].map((version, index) => [`:v${index}`, version]),
      )
      const names = Object.keys(versions)
      const outcome = await transact(
        client,
        [
          {
            Delete: {
              TableName: table,
              Key: itemKeys.member(list, id),
              ...(names.length === 0
                ? { ConditionExpression: 'attribute_exists(pk)' }
                : {
                    ConditionExpression: `attribute_exists(pk) AND version IN (${names.join()})`,
                    ExpressionAttributeValues: versions,
                    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
                  }),
            },
          },
          {
            Update: {
              TableName: table,
              Key: itemKeys.memberCount(list),
              UpdateExpression: 'SET members = members - :one',
              ConditionExpression: 'members > :zero',
              ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
            },
          },
        ],
        pause,
      )
      if (outcome.written) return true
      if (outcome.found.includes(0)) throw stale()
      if (outcome.failed.includes(0)) return false
      throw new Error(`the number of ${what} is wrong: there is one, and none is counted`)
    },
  }
}
