import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { ObjectEntry, ObjectStore } from '../../domain/ports.ts'
import { objectKey, objectPrefix } from './object-key.ts'

/** Where objects are written before they appear under their key; no key begins with it. */
const WRITING = '.writing'

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
const isMissing = (error: unknown): boolean =>
  // ENOTDIR: a key below an object; in a bucket both may exist, here the object is what is there.
  codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** The beginning of a file. */
async function readStart(path: string, atMost: number): Promise<Uint8Array> {
  const handle = await open(path, 'r')
  try {
    const chunks: Buffer[] = await handle.createReadStream({ end: atMost - 1, autoClose: false }).toArray()
    return Buffer.concat(chunks)
  } finally {
    await handle.close()
  }
}

/** Makes a rename or link in a folder outlive a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Objects as files below a folder, for the local runner: each is written whole beside its place, flushed to disk and
 * moved there. Links that lead out of the folder are refused. One difference to a bucket: an object cannot lie below
 * another (`a` and `a/b`); writing such a key throws.
 */
export function folderObjects(root: string): ObjectStore {
  const pathOf = (key: string): string => {
    if (objectKey(key).split('/')[0] === WRITING)
      throw new RangeError(`the object key ${key} begins with ${WRITING}`)
    return join(root, ...key.split('/'))
  }

  /** @throws RangeError when a link leads from below the root to elsewhere */
  const checkInside = async (path: string, key: string): Promise<void> => {
    const [base, real] = await Promise.all([realpath(root), realpath(path)])
    if (real !== base && !real.startsWith(base + sep))
      throw new RangeError(`the object key ${key} leads out of the folder`)
  }

  const walk = async (folder: string, prefix: string, found: ObjectEntry[]): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const entry of entries) {
      const key = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (key === WRITING) continue
      if (entry.isDirectory()) {
        // Only folders whose objects can begin with the prefix.
        if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) await walk(key, prefix, found)
      } else if (entry.isFile() && key.startsWith(prefix)) {
        const bytes = await stat(join(root, key)).then(
          ({ size }) => size,
          (error: unknown) => {
            if (isMissing(error)) return null
            throw error
          },
        )
        if (bytes !== null) found.push({ key, bytes })
      }
    }
  }

  return {
    async put(key, bytes, options = {}) {
      const path = pathOf(key)
      const folder = dirname(path)
      await mkdir(folder, { recursive: true })
      await checkInside(folder, key)
      await mkdir(join(root, WRITING), { recursive: true })
      const draft = join(root, WRITING, randomUUID())
      try {
        const handle = await open(draft, 'wx')
        try {
          await handle.writeFile(bytes)
          await handle.sync()
        } finally {
          await handle.close()
        }
        if (options.ifAbsent === true) {
          // A link is refused where something exists; a rename would take its place.
          await link(draft, path).catch((error: unknown) => {
            if (codeOf(error) !== 'EEXIST') throw error
          })
        } else {
          await rename(draft, path)
        }
        await syncFolder(folder)
      } finally {
        await rm(draft, { force: true })
      }
    },

    async get(key, atMost) {
      const path = pathOf(key)
      try {
        await checkInside(path, key)
        return atMost === undefined ? await readFile(path) : await readStart(path, atMost)
      } catch (error) {
        // EISDIR: a folder of objects is no object itself.
        if (isMissing(error) || codeOf(error) === 'EISDIR') return undefined
        throw error
      }
    },

    async list(prefix) {
      const found: ObjectEntry[] = []
      await walk('', objectPrefix(prefix), found)
      return found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
    },

    async delete(key) {
      const path = pathOf(key)
      try {
        await checkInside(dirname(path), key)
        await rm(path)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },
  }
}
