import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { TableNames } from '#infra/local/create-tables.ts'
import { TABLES, type TableName } from '#shared/names.ts'

/** Every item of every table by table and key, as text. */
export type Dump = ReadonlyMap<string, string>

/** Ids and hashes as what they are, so that items of the same kind have the same name. */
const kindOf = (key: string): string =>
  key.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, '<id>').replace(/[0-9a-f]{64}/g, '<hash>')

/** An item with the names of all that it holds in one order: two that say the same are the same text. */
const textOf = (item: unknown): string =>
  JSON.stringify(item, (_, value: unknown) =>
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )

interface StoredItem {
  readonly table: TableName
  readonly item: Readonly<Record<string, unknown>>
}

/** Reads all tables whole: what a test may do and the service never does. */
export async function readTables(
  client: DynamoDBDocumentClient,
  names: TableNames,
  tables: readonly TableName[] = Object.keys(TABLES) as TableName[],
): Promise<ReadonlyMap<string, StoredItem>> {
  const found = new Map<string, StoredItem>()
  for (const table of tables) {
    let start: Record<string, unknown> | undefined
    do {
      const page = await client.send(
        new ScanCommand({ TableName: names[table], ConsistentRead: true, ExclusiveStartKey: start }),
      )
      for (const item of page.Items ?? []) found.set(`${table} ${item.pk} ${item.sk ?? ''}`, { table, item })
      start = page.LastEvaluatedKey
    } while (start !== undefined)
  }
  return found
}

/** Every item of the tables as text. */
export async function dumpTables(
  client: DynamoDBDocumentClient,
  names: TableNames,
  tables?: readonly TableName[],
): Promise<Dump> {
  return new Map([...(await readTables(client, names, tables))].map(([key, { item }]) => [key, textOf(item)]))
}

/** Makes the tables what they were when they were read: what came since goes, what changed or went is as it was. */
export async function putBack(
  client: DynamoDBDocumentClient,
  names: TableNames,
  kept: ReadonlyMap<string, StoredItem>,
): Promise<void> {
  const now = await readTables(client, names)
  for (const [key, { table, item }] of now)
    if (!kept.has(key)) {
      const Key = 'sk' in item ? { pk: item.pk, sk: item.sk } : { pk: item.pk }
      await client.send(new DeleteCommand({ TableName: names[table], Key }))
    }
  for (const [key, { table, item }] of kept) {
    const found = now.get(key)
    if (found === undefined || textOf(found.item) !== textOf(item))
      await client.send(new PutCommand({ TableName: names[table], Item: item }))
  }
}

/** What happened between two dumps, by kind of item: `added incidents INCIDENT#inc_<id> TIMELINE#tl_<id>`. */
export function changesBetween(before: Dump, after: Dump): string[] {
  const changes: string[] = []
  for (const [key, item] of after) {
    if (!before.has(key)) changes.push(`added ${kindOf(key)}`)
    else if (before.get(key) !== item) changes.push(`changed ${kindOf(key)}`)
  }
  for (const key of before.keys()) if (!after.has(key)) changes.push(`removed ${kindOf(key)}`)
  return changes.sort()
}
