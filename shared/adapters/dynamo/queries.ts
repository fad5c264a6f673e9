import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { timeOf } from '../../domain/ids.ts'
import type { ObjectStore, QueryStore, StoredAnswer } from '../../domain/ports.ts'
import { OBJECTS } from '../../names.ts'
import { itemKeys } from './item-keys.ts'

const DAY_S = 86_400
/** DynamoDB takes items of 400 KB; the rest is room for what later versions add. */
const LARGEST_ANSWER_BYTES = 350_000

export interface QueryStoreOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** Takes answers too large for an item. */
  readonly objects: ObjectStore
  /** Days that an answer is kept. */
  readonly retentionDays: number
}

/** Answers, as they were given; an answer never changes. */
export function queryStore({ client, table, objects, retentionDays }: QueryStoreOptions): QueryStore {
  return {
    async put(answer) {
      const text = JSON.stringify(answer)
      const item = {
        ...itemKeys.query(answer.id),
        expires_at_s: Math.floor(timeOf(answer.id) / 1_000) + retentionDays * DAY_S,
      }
      const key = `${OBJECTS.answers}${answer.id}.json`
      const large = Buffer.byteLength(text) > LARGEST_ANSWER_BYTES
      if (large) await objects.put(key, Buffer.from(text))
      await client.send(
        new PutCommand({
          TableName: table,
          Item: large ? { ...item, object: key } : { ...item, answer: text },
        }),
      )
    },

    async get(id) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: itemKeys.query(id), ConsistentRead: true }),
      )
      if (Item === undefined) return undefined
      if (typeof Item.answer === 'string') return JSON.parse(Item.answer) as StoredAnswer
      const bytes = await objects.get(String(Item.object))
      if (bytes === undefined) throw new Error(`the answer ${id} lost its object`)
      return JSON.parse(Buffer.from(bytes).toString('utf8')) as StoredAnswer
    },
  }
}
