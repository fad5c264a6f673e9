import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { objectsAtUse } from '#shared/adapters/objects/objects-at-use.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'objects-at-use-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('objects whose client is loaded at their first use', () => {
  it('are loaded once, however many ask at once, and not before', async () => {
    let loads = 0
    const objects = objectsAtUse(async () => {
      loads += 1
      return folderObjects(folder)
    })
    expect(loads).toBe(0)
    await Promise.all([objects.put('a/one', Buffer.from('1')), objects.get('nothing'), objects.list('a/')])
    expect(Buffer.from((await objects.get('a/one')) ?? []).toString()).toBe('1')
    expect(await objects.list('a/')).toEqual([{ key: 'a/one', bytes: 1 }])
    await objects.delete('a/one')
    expect(await objects.get('a/one')).toBeUndefined()
    expect(loads).toBe(1)
  })

  it('are loaded again after loading failed, and say why it failed', async () => {
    let loads = 0
    const objects = objectsAtUse(async () => {
      loads += 1
      if (loads === 1) throw new Error('environment variable BUCKET is missing')
      return folderObjects(folder)
    })
    await expect(objects.get('a')).rejects.toThrow('environment variable BUCKET is missing')
    expect(await objects.get('a')).toBeUndefined()
  })
})
