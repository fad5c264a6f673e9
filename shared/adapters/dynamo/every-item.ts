import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from './incident-writes.ts'
import type { Pause } from './transact.ts'

/** Items that one read asks for: a page is what is done again where a command was broken off. */
const PAGE = 100

/** Lets so many items through in a second, none at once beyond that. */
export type Pace = (items: number) => Promise<void>

/**
 * Bounds how fast a command works, so that the service it works beside keeps its share of the tables.
 * @param perSecond items that are read or written in a second
 */
export function paceOf(perSecond: number, clock: () => number, pause: Pause): Pace {
  let free = clock()
  return async (items) => {
    const now = clock()
    const from = Math.max(free, now)
    free = from + (items * 1_000) / perSecond
    if (from > now) await pause(from - now)
  }
}

/** A page of a table, and the key after which the next one begins; null after the last. */
export interface ItemPage {
  readonly items: readonly Item[]
  readonly next: Item | null
}

/**
 * Reads a whole table, page by page, as it is at that moment; items of one partition come together, in order of their
 * sort keys.
 * @param after where an earlier reading ended
 */
export async function* everyItem(
  client: DynamoDBDocumentClient,
  table: string,
  pace: Pace,
  after: Item | null = null,
): AsyncGenerator<ItemPage> {
  let start = after
  do {
    await pace(PAGE)
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        Limit: PAGE,
        ...(start === null ? {} : { ExclusiveStartKey: start }),
      }),
    )
    start = LastEvaluatedKey ?? null
    yield { items: Items, next: start }
  } while (start !== null)
}
