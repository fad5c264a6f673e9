import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { KEY, TABLES, type TableName } from '#shared/names.ts'

/** An index as names.ts describes it. */
interface IndexShape {
  readonly name: string
  readonly partition: string
  readonly sort: string
  readonly sortNumber?: true
  readonly projection: 'ALL' | 'KEYS_ONLY'
}

/** What this deployment calls each table. */
export type TableNames = Readonly<Record<TableName, string>>

/** Tables of one local deployment, named `<prefix>-<table>`. */
export const tableNames = (prefix: string): TableNames =>
  Object.fromEntries(Object.keys(TABLES).map((table) => [table, `${prefix}-${table}`])) as Record<
    TableName,
    string
  >

const indexOf = (shape: IndexShape): GlobalSecondaryIndex => ({
  IndexName: shape.name,
  KeySchema: [
    { AttributeName: shape.partition, KeyType: 'HASH' },
    { AttributeName: shape.sort, KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: shape.projection },
})

function attributesOf(sort: boolean, indexes: readonly IndexShape[]): AttributeDefinition[] {
  const types = new Map<string, 'S' | 'N'>([[KEY.partition, 'S']])
  if (sort) types.set(KEY.sort, 'S')
  for (const index of indexes) {
    types.set(index.partition, 'S')
    types.set(index.sort, index.sortNumber === true ? 'N' : 'S')
  }
  return [...types].map(([name, type]) => ({ AttributeName: name, AttributeType: type }))
}

/** Adds the indexes that a table from an earlier version does not have yet. */
async function addMissingIndexes(
  client: DynamoDBClient,
  table: string,
  attributes: AttributeDefinition[],
  indexes: readonly IndexShape[],
): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }))
  const present = new Set((Table?.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName))
  for (const index of indexes.filter(({ name }) => !present.has(name))) {
    await client.send(
      new UpdateTableCommand({
        TableName: table,
        AttributeDefinitions: attributes,
        GlobalSecondaryIndexUpdates: [{ Create: indexOf(index) }],
      }),
    )
  }
}

/**
 * Creates every table of names.ts in an emulator: on demand, with indexes, stream (NEW_AND_OLD_IMAGES) and TTL.
 * Tables that exist keep their items and get the indexes that they lack. For emulators only, where a table is usable
 * at once: the real tables are the stack's. Without `expiring` nothing ever runs out: an emulator goes by the clock of
 * the machine, whereas whoever writes may have another one.
 */
export async function createTables(
  client: DynamoDBClient,
  names: TableNames,
  { expiring = true }: { readonly expiring?: boolean } = {},
): Promise<void> {
  for (const table of Object.keys(TABLES) as TableName[]) {
    const { sort, stream, ttl } = TABLES[table]
    const indexes: readonly IndexShape[] = Object.values(TABLES[table].indexes)
    const attributes = attributesOf(sort, indexes)
    try {
      await client.send(
        new CreateTableCommand({
          TableName: names[table],
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: attributes,
          KeySchema: [
            { AttributeName: KEY.partition, KeyType: 'HASH' },
            ...(sort ? [{ AttributeName: KEY.sort, KeyType: 'RANGE' as const }] : []),
          ],
          ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes.map(indexOf) }),
          ...(stream
            ? { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const } }
            : {}),
        }),
      )
      if (expiring && ttl !== null) {
        await client.send(
          new UpdateTimeToLiveCommand({
            TableName: names[table],
            TimeToLiveSpecification: { AttributeName: ttl, Enabled: true },
          }),
        )
      }
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error
      await addMissingIndexes(client, names[table], attributes, indexes)
    }
  }
}
