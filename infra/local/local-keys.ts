import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ulid } from 'ulid'
import { keyHash } from '#shared/adapters/key-hash.ts'
import { KEY_TYPES, type KeyType, readKey } from '#shared/domain/api-key.ts'
import { createKey } from '#shared/domain/create-key.ts'
import type { KeyAdmin } from '#shared/domain/ports.ts'
import { fileProblem, writeWhole } from './data-folder.ts'

/** A key of the local data folder, as its file keeps it. */
export interface LocalKey {
  readonly id: string
  readonly key: string
}

export type LocalKeys = Readonly<Record<KeyType, LocalKey>>

function isLocalKey(value: unknown, type: KeyType): value is LocalKey {
  if (typeof value !== 'object' || value === null) return false
  const { id, key } = value as Partial<LocalKey>
  return typeof id === 'string' && typeof key === 'string' && readKey(key)?.type === type
}

/** @throws Error with one line that names the file when it holds something else than keys */
function readKeys(file: string): LocalKeys | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Error(`${file} cannot be read: ${fileProblem(error)}.`, { cause: error })
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = null
  }
  const keys = (parsed ?? {}) as Readonly<Record<string, unknown>>
  for (const type of KEY_TYPES) {
    if (!isLocalKey(keys[type], type)) {
      throw new Error(`${file} holds no ${type} key: put it right, or delete it to get new keys.`)
    }
  }
  return keys as LocalKeys
}

/**
 * The keys of a local data folder: made on first use and kept in a file of mode 0600, so that a restart has the same
 * ones. A key that was revoked, or whose record is gone because the tables were deleted, is replaced.
 * @param now ms since the epoch
 */
export async function localKeys(file: string, admin: KeyAdmin, now: number): Promise<LocalKeys> {
  const kept = readKeys(file)
  const usable = new Set((await admin.list()).filter((key) => key.revoked_at === null).map(({ id }) => id))
  const keyOf = async (type: KeyType): Promise<LocalKey> => {
    const key = kept?.[type]
    if (key !== undefined && usable.has(key.id)) return key
    const made = await createKey(
      {
        keys: admin,
        clock: () => now,
        newId: (prefix, at) => `${prefix}_${ulid(at)}`,
        random: randomBytes,
        hash: keyHash,
      },
      { name: `local ${type}`, type, plan: 'standard', expires_at: null, created_by: 'npm start' },
    )
    return { id: made.apiKey.id, key: made.key }
  }
  const keys: LocalKeys = { admin: await keyOf('admin'), assistant: await keyOf('assistant') }
  if (KEY_TYPES.some((type) => keys[type] !== kept?.[type])) {
    writeWhole(file, `${JSON.stringify(keys, null, 2)}\n`)
  }
  return keys
}
