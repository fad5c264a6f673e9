import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleOutageFiles } from '#infra/sample-outage/write-sample-outage.ts'
import { objectBundle } from '#shared/adapters/bundle/object-bundle.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import type { ObjectStore } from '#shared/domain/ports.ts'

let folder: string
let objects: ObjectStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'object-bundle-'))
  objects = folderObjects(folder)
  for (const [name, text] of sampleOutageFiles(Date.UTC(2026, 2, 1))) {
    await objects.put(`bundles/shop/outage/${name}`, Buffer.from(text))
  }
  await objects.put('bundles/shop/outage/notes/one.txt', Buffer.from('x'))
  await objects.put('bundles/shop/outage/notes/two.txt', Buffer.from('x'))
  await objects.put('bundles/shop/outage-2/bundle.json', Buffer.from('{}'))
  await objects.put('secrets/bundle.json', Buffer.from('{}'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const refused = { kind: 'invalid', details: expect.objectContaining({ field: 'config.prefix' }) }

describe('a bundle in the bucket', () => {
  it.each(['shop/outage', 'shop/outage/'])('named %s is read like one in a folder', async (prefix) => {
    const pulled = await readBundle(objectBundle(objects, 'bundles/', prefix), { query: `bundle:${prefix}` })
    expect(pulled.changes.length).toBeGreaterThan(5)
    expect(pulled.logs.length).toBeGreaterThan(100)
  })

  it('lists its files with their sizes and each folder in it once, and nothing of its neighbours', async () => {
    const listed = await objectBundle(objects, 'bundles/', 'shop/outage').list()
    const names = listed.map(({ name }) => name)
    expect(names).toContain('bundle.json')
    expect(names.filter((name) => name.includes('/'))).toEqual(['notes/'])
    for (const { name, bytes } of listed) if (!name.endsWith('/')) expect(bytes).toBeGreaterThan(0)
  })

  it.each([
    '..',
    '../secrets',
    'shop/../../secrets',
    '',
    '/',
    'shop//outage',
    'a b',
    'x'.repeat(201),
    '.',
    'sh%2fop',
  ])('is refused by its form where its prefix is %j, before the bucket is asked', (prefix) => {
    const untouched = {} as ObjectStore
    expect(() => objectBundle(untouched, 'bundles/', prefix)).toThrow(expect.objectContaining(refused))
  })

  it('is refused where nothing lies, or a file has gone meanwhile', async () => {
    await expect(objectBundle(objects, 'bundles/', 'gone').list()).rejects.toMatchObject(refused)
    const bundle = objectBundle(objects, 'bundles/', 'shop/outage')
    await expect(bundle.read('gone.ndjson')).rejects.toMatchObject(refused)
  })

  it('has no more read of a file than is wanted of it, however large it is', async () => {
    const asked: unknown[] = []
    const bucket = {
      ...objects,
      get: async (...what: unknown[]) => {
        asked.push(what)
        return new Uint8Array(5)
      },
    }
    await objectBundle(bucket, 'bundles/', 'shop/outage').read('logs.ndjson.gz', 5)
    expect(asked).toEqual([['bundles/shop/outage/logs.ndjson.gz', 5]])
  })
})
