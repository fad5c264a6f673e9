import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningDynamoDb, startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { sweepExpired } from '#infra/local/ttl.ts'

let dynamo: RunningDynamoDb
let client: DynamoDBClient

beforeAll(async () => {
  dynamo = await startDynamoDb()
  client = new DynamoDBClient({
    endpoint: dynamo.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
})
afterAll(async () => {
  client.destroy()
  await dynamo.stop()
})

const NOW = Date.UTC(2026, 0, 1)
const nowSeconds = NOW / 1_000

it.each([true, false])('deletes exactly what has expired (sort key: %s), page after page', async (sort) => {
  const tableName = `expiring-${sort}`
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        ...(sort ? [{ AttributeName: 'sk', AttributeType: 'S' as const }] : []),
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        ...(sort ? [{ AttributeName: 'sk', KeyType: 'RANGE' as const }] : []),
      ],
    }),
  )
  const put = (name: string, ttl: number | null, size = 0) =>
    client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: {
          pk: { S: name },
          ...(sort ? { sk: { S: 'x' } } : {}),
          ...(ttl === null ? {} : { expires_at_s: { N: String(ttl) } }),
          filler: { S: 'x'.repeat(size) },
        },
      }),
    )
  // Four items of 350 KB do not fit on one page of 1 MB.
  for (const name of ['old-1', 'old-2', 'old-3', 'old-4']) await put(name, nowSeconds - 1, 350_000)
  await put('due-now', nowSeconds)
  await put('young', nowSeconds + 60)
  await put('eternal', null)

  const table = { tableName, sort, ttl: 'expires_at_s' }
  expect(await sweepExpired(client, table, NOW)).toBe(4)
  const { Items } = await client.send(new ScanCommand({ TableName: tableName }))
  expect(Items?.map(({ pk }) => pk?.S).sort()).toEqual(['due-now', 'eternal', 'young'])
  expect(await sweepExpired(client, table, NOW)).toBe(0)
})
