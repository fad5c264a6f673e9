import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import type { KeyAdmin } from '#shared/domain/ports.ts'
import { createTables, tableNames } from './create-tables.ts'
import { FolderInUse, openDataFolder, readRunning } from './data-folder.ts'
import { startDynamoDb } from './dynamodb-emulator.ts'

/** Keys of a local service, and how to let go of them. */
export interface OpenedKeys {
  readonly keys: KeyAdmin
  close(): Promise<void>
}

/** Any name and secret will do for an emulator. */
const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const
/** Prefix of the tables of a local service. */
const PREFIX = 'local'

function keysAt(endpoint: string): { readonly keys: KeyAdmin; readonly end: () => void } {
  const client = documentClient({ ...LOCAL, endpoint })
  return { keys: keyAdmin(client, tableNames(PREFIX).keys), end: () => client.destroy() }
}

/**
 * Opens the keys of a data folder: through the service that runs on it, or, where none does, by starting the tables'
 * emulator for as long as it takes.
 * @throws Error with one line when the folder cannot be used or its service is not ready
 */
export async function openLocalKeys(path: string): Promise<OpenedKeys> {
  try {
    const folder = openDataFolder(path)
    const emulator = await startDynamoDb({ dataFile: folder.database })
    const plain = new DynamoDBClient({ ...LOCAL, endpoint: emulator.endpoint })
    await createTables(plain, tableNames(PREFIX))
    plain.destroy()
    const { keys, end } = keysAt(emulator.endpoint)
    return {
      keys,
      close: async () => {
        end()
        await emulator.stop()
        folder.release()
      },
    }
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    const endpoint = readRunning(path)?.dynamodb_endpoint
    if (endpoint === undefined)
      throw new Error('The service on this data folder is not ready yet.', { cause: error })
    const { keys, end } = keysAt(endpoint)
    return { keys, close: async () => end() }
  }
}
