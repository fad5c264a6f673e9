import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DescribeTableCommand, DescribeTimeToLiveCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { createTables, tableNames } from '#infra/local/create-tables.ts'
import { startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { TABLES } from '#shared/names.ts'
import { EMULATOR_CREDENTIALS } from '#test/storage/emulator.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const connect = (endpoint: string) =>
  documentClient({ endpoint, region: 'us-east-1', credentials: EMULATOR_CREDENTIALS })

const refuses = async (endpoint: string) => {
  try {
    await fetch(endpoint)
    return false
  } catch {
    return true
  }
}

test('tables outlive the emulator when they have a file, and creating them again keeps their items', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'emulator-'))
  const dataFile = join(folder, 'data', 'store.db')
  const names = tableNames('kept')
  try {
    const first = await startDynamoDb({ dataFile })
    const writer = connect(first.endpoint)
    await createTables(writer, names)
    await writer.send(new PutCommand({ TableName: names.queries, Item: { pk: 'a', answer: 42 } }))
    writer.destroy()
    await first.stop()
    expect(await refuses(first.endpoint)).toBe(true)

    const second = await startDynamoDb({ dataFile })
    const reader = connect(second.endpoint)
    await createTables(reader, names)
    const { Item } = await reader.send(new GetCommand({ TableName: names.queries, Key: { pk: 'a' } }))
    expect(Item).toMatchObject({ pk: 'a', answer: 42 })
    reader.destroy()
    await second.stop()
    await second.stop()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('every table has the keys, indexes, stream and TTL that names.ts gives it', async () => {
  const emulator = await startDynamoDb()
  const client = connect(emulator.endpoint)
  const names = tableNames('shape')
  try {
    await createTables(client, names)
    for (const [table, shape] of Object.entries(TABLES)) {
      const TableName = names[table as keyof typeof TABLES]
      const { Table } = await client.send(new DescribeTableCommand({ TableName }))
      expect((Table?.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName).sort()).toEqual(
        Object.values(shape.indexes)
          .map((index) => index.name)
          .sort(),
      )
      expect(Table?.KeySchema).toHaveLength(shape.sort ? 2 : 1)
      expect(Table?.StreamSpecification?.StreamViewType).toBe(shape.stream ? 'NEW_AND_OLD_IMAGES' : undefined)
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
      expect(TimeToLiveDescription?.AttributeName).toBe(shape.ttl ?? undefined)
    }
  } finally {
    client.destroy()
    await emulator.stop()
  }
})

test('a table that lacks an index gets it', async () => {
  const emulator = await startDynamoDb()
  const client = connect(emulator.endpoint)
  const names = tableNames('older')
  try {
    await createTables(client, names)
    await client.send(
      new UpdateTableCommand({
        TableName: names.incidents,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: TABLES.incidents.indexes.byDue.name } }],
      }),
    )
    await createTables(client, names)
    const { Table } = await client.send(new DescribeTableCommand({ TableName: names.incidents }))
    expect(Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName)).toContain('by-due')
  } finally {
    client.destroy()
    await emulator.stop()
  }
})

test('an emulator whose starter is killed with -9 ends within five seconds', async () => {
  const starter = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
       const { endpoint } = await startDynamoDb()
       console.log(endpoint)
       setInterval(() => {}, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(starter.stdout, 'data')) as [Buffer]
  const endpoint = line.toString().trim()
  expect(await refuses(endpoint)).toBe(false)
  starter.kill('SIGKILL')
  const deadline = performance.now() + 5_000
  while (!(await refuses(endpoint)) && performance.now() < deadline) await pause(10)
  expect(await refuses(endpoint)).toBe(true)
})

test('a store whose file cannot be opened says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'emulator-'))
  try {
    await expect(startDynamoDb({ kind: 'dynoxide', dataFile: folder })).rejects.toThrow(
      /did not start: .*open/s,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('where no emulator can run, one line says what is missing', async () => {
  vi.stubEnv('PATH', '/nonexistent')
  const error = await startDynamoDb({ kind: 'dynamodb-local' }).catch(String)
  expect(error).toMatch(
    /^Error: No DynamoDB emulator: .*no Java is on the path.*AWS_ENDPOINT_URL_DYNAMODB\.$/,
  )
})
