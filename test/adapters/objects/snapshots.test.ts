import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  packSnapshot,
  snapshotDigest,
  unpackSnapshot,
  unpackWindow,
} from '#shared/adapters/bundle/write-bundle.ts'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import { snapshotStore } from '#shared/adapters/objects/snapshots.ts'
import { NOTHING_PULLED, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'snapshots-'))
})
afterAll(() => rm(folder, { recursive: true }))

const form = { pack: packSnapshot, unpack: unpackSnapshot, unpackWindow }
const snapshotOf = (from: number): Snapshot => ({
  ...NOTHING_PULLED,
  format: 'incident-bundle/1',
  window: { from, to: from + 3_600_000 },
  baselines: [],
})

test('a snapshot is found again by its digest, and the same content is one object', async () => {
  const objects = folderObjects(folder)
  const snapshots = snapshotStore(objects, form)
  const digest = await snapshots.keep('inc_1', snapshotOf(0))
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  expect(await snapshots.keep('inc_1', snapshotOf(0))).toBe(digest)
  expect(await objects.list('snapshots/')).toHaveLength(1)
  expect(snapshotDigest((await snapshots.read('inc_1', digest)) ?? snapshotOf(9))).toBe(digest)
  expect(await snapshots.windowOf('inc_1', digest)).toEqual({ from: 0, to: 3_600_000 })
  expect(await snapshots.keep('inc_1', snapshotOf(1))).not.toBe(digest)
})

test('a digest that nobody kept, or that is none, is undefined', async () => {
  const snapshots = snapshotStore(folderObjects(folder), form)
  expect(await snapshots.read('inc_1', 'a'.repeat(64))).toBeUndefined()
  expect(await snapshots.read('inc_1', '../other')).toBeUndefined()
  expect(await snapshots.windowOf('inc_1', 'a'.repeat(64))).toBeUndefined()
  await expect(snapshots.read('../inc_1', 'a'.repeat(64))).rejects.toThrow(RangeError)
})

test('a snapshot that was altered is refused', async () => {
  const objects = folderObjects(folder)
  const snapshots = snapshotStore(objects, form)
  const digest = await snapshots.keep('inc_2', snapshotOf(0))
  await objects.put(`snapshots/inc_2/${digest}`, packSnapshot(snapshotOf(5)).bytes)
  await expect(snapshots.read('inc_2', digest)).rejects.toThrow('was altered')
  await expect(snapshots.windowOf('inc_2', digest)).rejects.toThrow('was altered')
})
