import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { createTables, type TableNames, tableNames } from './create-tables.ts'
import { FolderInUse, openDataFolder, readRunning } from './data-folder.ts'
import { startDynamoDb } from './dynamodb-emulator.ts'

/** Tables of a local service, and how to let go of them. */
export interface OpenedTables {
  readonly documents: DynamoDBDocumentClient
  readonly names: TableNames
  close(): Promise<void>
}

/** Any name and secret will do for an emulator. */
const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const
/** Prefix of the tables of a local service. */
const PREFIX = 'local'

/**
 * Opens the tables of a data folder: through the service that runs on it, or, where none does, by starting the tables'
 * emulator for as long as it takes.
 * @throws Error with one line when the folder cannot be used or its service is not ready
 */
export async function openLocalTables(path: string): Promise<OpenedTables> {
  const names = tableNames(PREFIX)
  try {
    const folder = openDataFolder(path)
    const emulator = await startDynamoDb({ dataFile: folder.database })
    const plain = new DynamoDBClient({ ...LOCAL, endpoint: emulator.endpoint })
    await createTables(plain, names)
    plain.destroy()
    const documents = documentClient({ ...LOCAL, endpoint: emulator.endpoint })
    return {
      documents,
      names,
      close: async () => {
        documents.destroy()
        await emulator.stop()
        folder.release()
      },
    }
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    const endpoint = readRunning(path)?.dynamodb_endpoint
    if (endpoint === undefined)
      throw new Error('The service on this data folder is not ready yet.', { cause: error })
    const documents = documentClient({ ...LOCAL, endpoint })
    return { documents, names, close: async () => documents.destroy() }
  }
}
