import { type OpenedKeys, openLocalKeys } from '#infra/local/opened-keys.ts'
import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { documentClient } from '#shared/adapters/dynamo/document-client.ts'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
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

/** Opens the keys and users of a deployed stack, or of a local service. */
export const openKeys = (where: {
  readonly stack?: string | undefined
  readonly data: string
}): Promise<OpenedKeys> =>
  where.stack === undefined ? openLocalKeys(where.data) : openDeployedKeys(where.stack)
