import { randomBytes } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createTables, type TableNames, tableNames } from '#infra/local/create-tables.ts'
import { startDynamoDb } from '#infra/local/dynamodb-emulator.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'

/** What an emulator accepts: any name, any secret. */
export const EMULATOR_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const

/** A real store with all tables, empty, for the tests of one file. */
export interface TestStore {
  readonly endpoint: string
  readonly client: DynamoDBDocumentClient
  readonly names: TableNames
  /** Another client of the same store, as another process would have one. */
  connect(): DynamoDBDocumentClient
  stop(): Promise<void>
}

/** An emulator that runs already, in which each store has tables of its own: a JVM for each file takes minutes. */
const sharedEmulator = (endpoint: string) => ({ endpoint, stop: () => Promise.resolve() })

/**
 * A store with all tables, in memory: in an emulator of this worker's own, or in the one that TEST_STORE_ENDPOINT
 * names. Call it in `beforeAll`, `stop` in `afterAll`; an emulator of its own also ends with the worker.
 */
export async function startTestStore(): Promise<TestStore> {
  const shared = process.env.TEST_STORE_ENDPOINT
  const emulator = shared === undefined ? await startDynamoDb() : sharedEmulator(shared)
  const clients: DynamoDBDocumentClient[] = []
  const connect = () => {
    const client = documentClient({
      endpoint: emulator.endpoint,
      region: 'us-east-1',
      credentials: EMULATOR_CREDENTIALS,
      // An emulator beside other work, or a JVM that has just started.
      patience: 20,
    })
    clients.push(client)
    return client
  }
  const names = tableNames(shared === undefined ? 'test' : `test-${randomBytes(6).toString('hex')}`)
  const client = connect()
  // The clocks of the tests stand in the past, where what they keep has long run out by the clock of the machine.
  await createTables(client, names, { expiring: false })
  return {
    endpoint: emulator.endpoint,
    client,
    names,
    connect,
    stop: async () => {
      if (shared !== undefined)
        for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }))
      for (const each of clients) each.destroy()
      await emulator.stop()
    },
  }
}
