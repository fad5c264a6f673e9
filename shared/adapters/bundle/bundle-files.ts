import { constants } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { invalidField } from '#shared/domain/errors.ts'

/** The files of one incident bundle, wherever they lie: a folder, a bucket. */
export interface BundleFiles {
  /** Every file of the bundle with its size as stored; the name of something that is no file ends in `/`. */
  list(): Promise<readonly { readonly name: string; readonly bytes: number }[]>
  /** The bytes of one file as stored; of a longer one at least the first `at_most`. */
  read(name: string, at_most?: number): Promise<Uint8Array>
}

const PATH = 'config.path'

/** The parts of a relative path; refuses what could leave the folder or name another drive. */
function partsOf(path: string): readonly string[] {
  if (path === '.') return []
  if (path === '' || path.includes('\0')) throw invalidField(PATH, 'must name a folder')
  if (path.startsWith('/') || path.includes('\\') || /^[A-Za-z]:/.test(path))
    throw invalidField(PATH, 'must be relative to the bundles directory, with / between its parts')
  const parts = path.replace(/\/$/, '').split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw invalidField(PATH, 'must not contain empty parts, . or ..')
  return parts
}

const missing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * The bundle in the folder `path` below `root`. Neither the path nor the folder may lead out of `root`: no `..`, no
 * absolute path, no symbolic link in it, and no link among its files.
 * @param root a directory that this service was given; links in its own path are its owner's business
 * @param path relative to `root`; `.` is `root` itself
 * @throws Refusal `invalid` on field `config.path`, here for the path's form, in `list` and `read` for what is on disk
 */
export function folderBundle(root: string, path: string): BundleFiles {
  const parts = partsOf(path)

  async function folder(): Promise<string> {
    try {
      const base = await realpath(root)
      let at = base
      for (const part of parts) {
        at = join(at, part)
        const found = await lstat(at)
        if (found.isSymbolicLink()) throw invalidField(PATH, `${part} is a symbolic link`)
        if (!found.isDirectory()) throw invalidField(PATH, `${part} is no folder`)
      }
      // Between the checks above and now something may have been exchanged: what counts is where it really is.
      const real = await realpath(at)
      if (real !== at || !`${real}${sep}`.startsWith(base.endsWith(sep) ? base : `${base}${sep}`))
        throw invalidField(PATH, 'leads out of the bundles directory')
      return real
    } catch (error) {
      if (missing(error)) throw invalidField(PATH, `there is no folder ${path}`)
      throw error
    }
  }

  return {
    async list() {
      const at = await folder()
      const entries = await readdir(at, { withFileTypes: true })
      const files: { name: string; bytes: number }[] = []
      for (const entry of entries) {
        if (entry.isSymbolicLink()) throw invalidField(PATH, `${entry.name} is a symbolic link`)
        if (entry.isFile()) files.push({ name: entry.name, bytes: (await lstat(join(at, entry.name))).size })
        else files.push({ name: `${entry.name}/`, bytes: 0 })
      }
      return files.sort((a, b) => (a.name < b.name ? -1 : 1))
    },

    async read(name, atMost) {
      if (name === '..' || name === '.' || /[/\\\0]/.test(name))
        throw invalidField(PATH, `${name} is no file name`)
      const at = join(await folder(), name)
      // O_NOFOLLOW refuses a link at the moment of opening, O_NONBLOCK does not wait for the writer of a pipe.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
      const file = await open(at, flags).catch((error: NodeJS.ErrnoException) => {
        if (missing(error)) throw invalidField(PATH, `there is no file ${name}`)
        if (error.code === 'ELOOP') throw invalidField(PATH, `${name} is a symbolic link`)
        throw error
      })
      try {
        const { size } = await file.stat()
        const bytes = new Uint8Array(Math.min(size, atMost ?? size))
        let filled = 0
        while (filled < bytes.length) {
          const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled)
          if (bytesRead === 0) break
          filled += bytesRead
        }
        return bytes.subarray(0, filled)
      } finally {
        await file.close()
      }
    },
  }
}
