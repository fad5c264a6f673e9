import { keyAdmin } from '#shared/adapters/dynamo/api-key-admin.ts'
import { userAdmin } from '#shared/adapters/dynamo/user-admin.ts'
import type { KeyAdmin, UserAdmin } from '#shared/domain/ports.ts'
import { openLocalTables } from './opened-tables.ts'

/** Keys and users of a service, and how to let go of them. */
export interface OpenedKeys {
  readonly keys: KeyAdmin
  readonly users: UserAdmin
  close(): Promise<void>
}

/**
 * Opens the keys and users of a data folder, whether a service runs on it or not.
 * @throws Error with one line when the folder cannot be used or its service is not ready
 */
export async function openLocalKeys(path: string): Promise<OpenedKeys> {
  const { documents, names, close } = await openLocalTables(path)
  return { keys: keyAdmin(documents, names.keys), users: userAdmin(documents, names.keys), close }
}
