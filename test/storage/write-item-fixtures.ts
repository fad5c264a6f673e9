import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderObjects } from '#shared/adapters/objects/folder-objects.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { startTestStore } from './emulator.ts'
import { takeStored, writeStored } from './item-fixtures.ts'
import { writeOneOfEach } from './one-of-each.ts'

// npm run fixtures:items: keeps one of everything as this version stores it, for the tests of all later versions.
const AT = Date.UTC(2026, 0, 31, 12)
const store = await startTestStore()
const folder = await mkdtemp(join(tmpdir(), 'items-'))
try {
  const objects = folderObjects(folder)
  const one = await writeOneOfEach(store, objects, AT)
  writeStored(packageJson.version, await takeStored(store, objects, AT, one))
  process.stdout.write(`wrote the items of ${packageJson.version}\n`)
} finally {
  await store.stop()
  await rm(folder, { recursive: true })
}
