import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import type { Refusal } from '#shared/domain/errors.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'bundles-'))
  await mkdir(join(root, 'bundles', 'shop', 'outage', 'more'), { recursive: true })
  await mkdir(join(root, 'bundles', 'linked-file'))
  await writeFile(join(root, 'secret.txt'), 'secret')
  await writeFile(join(root, 'bundles', 'file'), '')
  await writeFile(join(root, 'bundles', 'shop', 'outage', 'bundle.json'), '{"a":1}')
  await symlink(join(root, 'secret.txt'), join(root, 'bundles', 'linked-file', 'bundle.json'))
  await symlink(root, join(root, 'bundles', 'out'))
  await symlink(join(root, 'bundles'), join(root, 'alias'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const refusal = async (act: () => unknown): Promise<Refusal> => {
  try {
    await act()
  } catch (error) {
    return error as Refusal
  }
  throw new Error('nothing was refused')
}

test('a folder lists its files with sizes and reads them, the first bytes alone where asked', async () => {
  const files = folderBundle(join(root, 'bundles'), 'shop/outage')
  expect(await files.list()).toEqual([
    { name: 'bundle.json', bytes: 7 },
    { name: 'more/', bytes: 0 },
  ])
  expect(Buffer.from(await files.read('bundle.json')).toString()).toBe('{"a":1}')
  expect(Buffer.from(await files.read('bundle.json', 2)).toString()).toBe('{"')
})

test('the bundles directory itself may be reached through a link, and be the bundle', async () => {
  expect(await folderBundle(join(root, 'alias'), 'shop/outage/').list()).toHaveLength(2)
  expect(await folderBundle(join(root, 'bundles', 'shop', 'outage'), '.').list()).toHaveLength(2)
})

test.each([
  '',
  '..',
  '../bundles/shop',
  'shop/../../secret.txt',
  'shop//outage',
  './shop',
  '/etc',
  'C:/x',
  'shop\\outage',
  'a\0b',
])('the path %j is refused on config.path', async (path) => {
  const { kind, details } = await refusal(() => folderBundle(join(root, 'bundles'), path).list())
  expect({ kind, field: details.field }).toEqual({ kind: 'invalid', field: 'config.path' })
})

test.each([
  ['missing', 'there is no folder missing'],
  ['file', 'file is no folder'],
  ['file/below', 'file is no folder'],
  ['out', 'out is a symbolic link'],
  ['out/bundles/shop', 'out is a symbolic link'],
  ['linked-file', 'bundle.json is a symbolic link'],
  ['x'.repeat(300), 'there is no folder'],
])('the folder %s is refused', async (path, reason) => {
  const { kind, details } = await refusal(() => folderBundle(join(root, 'bundles'), path).list())
  expect({ kind, field: details.field }).toEqual({ kind: 'invalid', field: 'config.path' })
  expect(details.reason).toContain(reason)
})

test.each(['../../../secret.txt', '..', 'more/x', 'none', 'a\0'])(
  'the file name %j is refused',
  async (name) => {
    const { kind } = await refusal(() => folderBundle(join(root, 'bundles'), 'shop/outage').read(name))
    expect(kind).toBe('invalid')
  },
)

test('a file that is a link is refused at the moment of opening', async () => {
  const { kind, details } = await refusal(() =>
    folderBundle(join(root, 'bundles'), 'linked-file').read('bundle.json'),
  )
  expect(kind).toBe('invalid')
  expect(details.reason).toContain('symbolic link')
})
