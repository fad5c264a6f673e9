import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { timeOf } from '../../domain/ids.ts'
import type { ObjectStore, QueryStore, StoredAnswer } from '../../domain/ports.ts'
import type { Claim } from '../../domain/repeat.ts'
import { OBJECTS } from '../../names.ts'
import { itemKeys } from './item-keys.ts'
import { madeBy, type Pause, transact } from './transact.ts'

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
  readonly pause?: Pause
  /** Of the request that this store is made for: recorded with what it writes. */
  readonly claim?: Claim | undefined
}

/** Answers, as they were given; an answer never changes. */
export function queryStore(options: QueryStoreOptions): QueryStore {
  const { client, table, objects, retentionDays, pause, claim } = options
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
      const input = { TableName: table, Item: large ? { ...item, object: key } : { ...item, answer: text } }
      if (claim === undefined) await client.send(new PutCommand(input))
      else await transact(client, [{ Put: input }], pause, madeBy(claim, answer.id))
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
