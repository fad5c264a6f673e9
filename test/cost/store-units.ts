import { isDeepStrictEqual } from 'node:util'
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandOutput,
  PutCommand,
  QueryCommand,
  type QueryCommandOutput,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { TableNames } from '#infra/local/create-tables.ts'
import { KEY, TABLES, type TableName } from '#shared/names.ts'
import { itemBytes } from '#test/storage/item-bytes.ts'

type Item = Readonly<Record<string, unknown>>

/** What DynamoDB bills for some calls: its units, and the bytes that are stored because of them. */
export interface StoreUnits {
  readonly writes: number
  readonly reads: number
  readonly stored_bytes: number
}

const WRITE_UNIT_BYTES = 1_024
const READ_UNIT_BYTES = 4_096
/** "There is a cost of two underlying writes for every item in the transaction": prepare and commit. */
const TRANSACTION_WRITES = 2
/** What DynamoDB adds to the bytes of an item, and of an entry of an index, where it bills storage. */
const OVERHEAD_BYTES = 100

interface Index {
  readonly partition: string
  readonly sort: string
  readonly projection: 'ALL' | 'KEYS_ONLY'
}

const bytesOf = (item: Item | undefined): number => (item === undefined ? 0 : itemBytes(item))
const storedBytes = (item: Item | undefined): number =>
  item === undefined ? 0 : itemBytes(item) + OVERHEAD_BYTES
const writeUnits = (...items: readonly (Item | undefined)[]): number =>
  Math.ceil(Math.max(1, ...items.map(bytesOf)) / WRITE_UNIT_BYTES)

/** What an index holds of an item: nothing where its key is missing. */
function entryOf(item: Item | undefined, { partition, sort, projection }: Index): Item | undefined {
  if (item?.[partition] === undefined || item[sort] === undefined) return undefined
  if (projection === 'ALL') return item
  const names = new Set<string>([KEY.partition, KEY.sort, partition, sort])
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)))
}

/** What an index is billed for a change of an item: nothing for what it does not show, twice for an entry that moves. */
function indexUnits(before: Item | undefined, after: Item | undefined, index: Index): number {
  const [old, now] = [entryOf(before, index), entryOf(after, index)]
  if (old === undefined || now === undefined) return old === now ? 0 : writeUnits(old, now)
  if (old[index.partition] !== now[index.partition] || old[index.sort] !== now[index.sort])
    return writeUnits(old) + writeUnits(now)
  return isDeepStrictEqual(old, now) ? 0 : writeUnits(old, now)
}

/** What was billed since it was asked last. */
export interface Bill {
  /** Does something. @returns what DynamoDB bills for it */
  of(act: () => Promise<unknown>): Promise<StoreUnits>
}

/**
 * Bills what a client is asked from now on as DynamoDB would (developer guide, "Read and write operations"): each
 * written item is read before and after, with its entries in the indexes.
 */
export function billCalls(
  asked: DynamoDBDocumentClient,
  client: DynamoDBDocumentClient,
  names: TableNames,
): Bill {
  const original = asked.send.bind(asked) as (command: unknown) => Promise<unknown>
  let writes = 0
  let reads = 0
  let stored = 0
  const tableOf = (name: string | undefined): TableName => {
    const found = (Object.keys(names) as TableName[]).find((table) => names[table] === name)
    if (found === undefined) throw new Error(`there is no table ${name}`)
    return found
  }
  const read = async (TableName: string, Key: Item): Promise<Item | undefined> =>
    (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item

  const billWrites = async (command: unknown, send: () => Promise<unknown>): Promise<unknown> => {
    const targets = writtenBy(command, (table) => TABLES[tableOf(table)].sort)
    const before = await Promise.all(targets.map(({ table, key }) => read(table, key)))
    const answer = await send()
    const after = await Promise.all(targets.map(({ table, key }) => read(table, key)))
    const factor = command instanceof TransactWriteCommand ? TRANSACTION_WRITES : 1
    for (const [place, { table }] of targets.entries()) {
      const [old, now] = [before[place], after[place]]
      writes += factor * writeUnits(old, now)
      stored += storedBytes(now) - storedBytes(old)
      for (const index of Object.values(TABLES[tableOf(table)].indexes) as readonly Index[]) {
        writes += indexUnits(old, now, index)
        stored += storedBytes(entryOf(now, index)) - storedBytes(entryOf(old, index))
      }
    }
    return answer
  }

  const billRead = (bytes: number, consistent: boolean | undefined): void => {
    reads += Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (consistent === true ? 1 : 0.5)
  }

  const bill = async (command: unknown): Promise<unknown> => {
    if (command instanceof GetCommand) {
      const answer = (await original(command)) as GetCommandOutput
      billRead(bytesOf(answer.Item), command.input.ConsistentRead)
      return answer
    }
    if (command instanceof QueryCommand) {
      const answer = (await original(command)) as QueryCommandOutput
      const bytes = (answer.Items ?? []).reduce((sum, item) => sum + bytesOf(item), 0)
      billRead(bytes, command.input.ConsistentRead)
      return answer
    }
    return billWrites(command, () => original(command))
  }
  asked.send = bill as typeof asked.send

  return {
    async of(act) {
      writes = 0
      reads = 0
      stored = 0
      await act()
      return { writes, reads, stored_bytes: stored }
    },
  }
}

/** The items that a command writes, by their keys. */
function writtenBy(
  command: unknown,
  hasSort: (table: string) => boolean,
): readonly { readonly table: string; readonly key: Item }[] {
  const keyOf = (table: string, item: Item): Item => ({
    [KEY.partition]: item[KEY.partition],
    ...(hasSort(table) ? { [KEY.sort]: item[KEY.sort] } : {}),
  })
  const target = (table = '', item: Item = {}) => ({ table, key: keyOf(table, item) })
  if (command instanceof PutCommand) return [target(command.input.TableName, command.input.Item)]
  if (command instanceof UpdateCommand || command instanceof DeleteCommand)
    return [target(command.input.TableName, command.input.Key)]
  if (command instanceof TransactWriteCommand)
    return (command.input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) =>
      Put === undefined
        ? target((Update ?? Delete ?? ConditionCheck)?.TableName, (Update ?? Delete ?? ConditionCheck)?.Key)
        : target(Put.TableName, Put.Item),
    )
  throw new Error(`a command that nobody has a price for: ${(command as object).constructor.name}`)
}
