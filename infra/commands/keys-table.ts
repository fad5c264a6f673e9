import { type OpenedKeys, openLocalKeys } from '#infra/local/opened-keys.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
import { requireLocalData } from './local-data.ts'
import type { Place } from './place.ts'
import { stackOutput } from './stack-outputs.ts'

/** The keys and users of a deployed stack: the operator's own AWS identity finds and writes them. */
async function openDeployedKeys(stack: string): Promise<OpenedKeys> {
  const table = await stackOutput(stack, 'KeysTable')
  const client = documentClient()
  return {
    keys: keyAdmin(client, table),
    users: userAdmin(client, table),
    close: async () => client.destroy(),
  }
}

async function openLocal(data: string): Promise<OpenedKeys> {
  requireLocalData(data)
  return openLocalKeys(data)
}

/**
 * Opens the keys and users of a deployed stack, or of a local service.
 * @throws Error with one line when there is no such stack or folder, or it cannot be used
 */
export const openKeys = (where: Place): Promise<OpenedKeys> =>
  where.stack === undefined ? openLocal(where.data) : openDeployedKeys(where.stack)
