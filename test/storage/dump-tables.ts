import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { TableNames } from '#infra/local/create-tables.ts'
import { TABLES, type TableName } from '#shared/names.ts'

/** Every item of every table by table and key, as text. */
export type Dump = ReadonlyMap<string, string>

/** Ids and hashes as what they are, so that items of the same kind have the same name. */
const kindOf = (key: string): string =>
  key.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, '<id>').replace(/[0-9a-f]{64}/g, '<hash>')

/** Reads all tables whole: what a test may do and the service never does. */
export async function dumpTables(
  client: DynamoDBDocumentClient,
  names: TableNames,
  tables: readonly TableName[] = Object.keys(TABLES) as TableName[],
): Promise<Dump> {
  const dump = new Map<string, string>()
  for (const table of tables) {
    let start: Record<string, unknown> | undefined
    do {
      const page = await client.send(
        new ScanCommand({ TableName: names[table], ConsistentRead: true, ExclusiveStartKey: start }),
      )
      for (const item of page.Items ?? [])
        dump.set(`${table} ${item.pk} ${item.sk ?? ''}`, JSON.stringify(item, Object.keys(item).sort()))
      start = page.LastEvaluatedKey
    } while (start !== undefined)
  }
  return dump
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
