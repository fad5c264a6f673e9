import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One file of the console as it lies there, and its smaller copies. */
export interface ConsoleFile {
  readonly bytes: Buffer
  readonly brotli: Buffer | null
  readonly gzip: Buffer | null
}

/** The files of a built console. */
export interface ConsoleFiles {
  /** The page, with the places in it that a request fills. */
  readonly page: string
  /** An asset by its bare name; undefined for any other name, whatever it looks like. */
  asset(name: string): ConsoleFile | undefined
}

/**
 * The console in a folder. Only what lies in it when it is opened is ever served: a name is looked up, never joined to
 * a path.
 * @throws Error naming the folder when there is no console in it
 */
export function consoleFiles(folder: string): ConsoleFiles {
  const assets = join(folder, 'assets')
  let page: string
  let names: ReadonlySet<string>
  try {
    page = readFileSync(join(folder, 'index.html'), 'utf8')
    names = new Set(readdirSync(assets))
  } catch (error) {
    throw new Error(`no console is built in ${folder}: npm run build:console builds it`, { cause: error })
  }
  const read = (name: string): Buffer | null => (names.has(name) ? readFileSync(join(assets, name)) : null)
  const kept = new Map<string, ConsoleFile>()
  return {
    page,
    asset(name) {
      const known = kept.get(name)
      if (known !== undefined || !names.has(name)) return known
      const file = {
        bytes: readFileSync(join(assets, name)),
        brotli: read(`${name}.br`),
        gzip: read(`${name}.gz`),
      }
      kept.set(name, file)
      return file
    },
  }
}
