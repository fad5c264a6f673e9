import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderInUse, openDataFolder, readRunning, writeRunning } from '#infra/local/data-folder.ts'
import { localKeys } from '#infra/local/local-keys.ts'
import { fileCheckpoints } from '#infra/local/stream-checkpoints.ts'
import type { ApiKey } from '#shared/domain/api-key.ts'
import { readKey } from '#shared/domain/api-key.ts'
import type { KeyAdmin } from '#shared/domain/ports.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'data-folder-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a data folder', () => {
  it('is made where it is missing, for its owner alone', () => {
    const folder = openDataFolder(join(root, 'a', 'b'))
    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    folder.release()
  })

  it('is taken by one at a time, and free again once released', () => {
    const first = openDataFolder(root)
    expect(() => openDataFolder(root)).toThrow(FolderInUse)
    expect(() => openDataFolder(root)).toThrow(
      `The data folder ${root} is in use by another start (process ${process.pid}).`,
    )
    first.release()
    openDataFolder(root).release()
  })

  it('says in one line why it cannot be used', () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    expect(() => openDataFolder(file)).toThrow(`The data folder ${file} cannot be used: it is no folder.`)
    expect(() => openDataFolder(join(file, 'below'))).toThrow('cannot be used: it is no folder.')
    mkdirSync(join(root, 'broken'))
    writeFileSync(join(root, 'broken', 'lock'), 'x'.repeat(1_000))
    expect(() => openDataFolder(join(root, 'broken'))).toThrow('cannot be used: file is not a database.')
  })

  it('tells who runs on it', () => {
    expect(readRunning(root)).toBeNull()
    writeRunning({ path: root }, { pid: 7, base_url: 'http://127.0.0.1:1/v1' })
    expect(readRunning(root)).toEqual({ pid: 7, base_url: 'http://127.0.0.1:1/v1' })
  })
})

describe('checkpoints in a file', () => {
  it('outlive the process and belong to one stream', () => {
    const file = join(root, 'checkpoints.json')
    fileCheckpoints(file, 'stream-1').write('shard', '42')
    expect(fileCheckpoints(file, 'stream-1').read('shard')).toBe('42')
    expect(fileCheckpoints(file, 'stream-2').read('shard')).toBeUndefined()
  })

  it('begin again when the file cannot be read', () => {
    const file = join(root, 'checkpoints.json')
    writeFileSync(file, '{')
    expect(fileCheckpoints(file, 'stream-1').read('shard')).toBeUndefined()
  })
})

describe('the keys of a data folder', () => {
  const records = (): KeyAdmin & { readonly keys: ApiKey[] } => {
    const keys: ApiKey[] = []
    return {
      keys,
      create: (key) => Promise.resolve(void keys.push(key)),
      list: () => Promise.resolve(keys),
      page: () => Promise.resolve({ items: keys, next: null }),
      get: (id) => Promise.resolve(keys.find((key) => key.id === id)),
      rotate: () => Promise.resolve(undefined),
      acts: () => Promise.resolve([]),
      revoke: (id, now) => {
        const index = keys.findIndex((key) => key.id === id)
        const key = keys[index]
        if (key !== undefined) keys[index] = { ...key, revoked_at: new Date(now).toISOString() }
        return Promise.resolve(key !== undefined)
      },
    }
  }
  const now = Date.UTC(2026, 0, 1)

  it('are made once, readable by their owner alone, and the same ever after', async () => {
    const file = join(root, 'keys.json')
    const admin = records()
    const keys = await localKeys(file, admin, now)
    expect(readKey(keys.admin.key)).toEqual({ type: 'admin' })
    expect(readKey(keys.assistant.key)).toEqual({ type: 'assistant' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await localKeys(file, admin, now + 1)).toEqual(keys)
    expect(admin.keys.map(({ type, plan }) => [type, plan])).toEqual([
      ['admin', 'standard'],
      ['assistant', 'standard'],
    ])
  })

  it('are replaced one by one where one was revoked, and all where the tables are new', async () => {
    const file = join(root, 'keys.json')
    const admin = records()
    const first = await localKeys(file, admin, now)
    await admin.revoke(first.admin.id, now, 'somebody')
    const second = await localKeys(file, admin, now)
    expect(second.admin.key).not.toBe(first.admin.key)
    expect(second.assistant).toEqual(first.assistant)
    const third = await localKeys(file, records(), now)
    expect(third.assistant.key).not.toBe(second.assistant.key)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(third)
  })

  it.each([['{'], ['null'], ['{"admin":{"id":"key_1","key":"no key"}}']])(
    'are not guessed from a file that holds %s',
    async (text) => {
      const file = join(root, 'keys.json')
      writeFileSync(file, text)
      await expect(localKeys(file, records(), now)).rejects.toThrow(`${file} holds no admin key`)
    },
  )
})
