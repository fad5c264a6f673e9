import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../root.ts'
import type { BundleSize } from './bundle-size.ts'
import { FIRST_RUN } from './eager-functions.ts'
import type { Source } from './function-source.ts'

/** What bundles were made of, beside them. */
const RECORD = 'made-of.json'
/** How functions are bundled is said by the files of this folder. */
const RULES = fileURLToPath(new URL('.', import.meta.url))

/** What bundles were made of: while it holds, they need not be made again. */
export interface MadeOf {
  /** Digest of how they were made (`recipeOf`). */
  readonly recipe: string
  /** Digest of each source file, by path below the root. */
  readonly inputs: Readonly<Record<string, string>>
  readonly sizes: readonly BundleSize[]
}

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

/**
 * The digest of how functions are bundled: the rules, what first calls run, the lockfile and the names of the functions.
 * @param rules the folder whose files say how
 */
export function recipeOf(plans: readonly Source[], rules: string = RULES): string {
  const files = readdirSync(rules)
    .sort()
    .map((file) => path.join(rules, file))
  const read = [...files, FIRST_RUN, path.join(ROOT, 'package-lock.json')].map((file) => readFileSync(file))
  const entries = JSON.stringify(plans.map(({ id, file }) => [id, file]))
  return digest([...read, entries].map((part) => digest(part)).join())
}

const isFresh = ({ inputs }: MadeOf): boolean =>
  Object.entries(inputs).every(([file, then]) => {
    const now = path.join(ROOT, file)
    return existsSync(now) && digest(readFileSync(now)) === then
  })

function readRecord(folder: string): MadeOf | null {
  try {
    return JSON.parse(readFileSync(path.join(folder, RECORD), 'utf8')) as MadeOf
  } catch {
    return null
  }
}

/** What is recorded of the bundles in a folder; null where there are none, or they would be made differently now. */
export function freshRecord(folder: string, recipe: string): MadeOf | null {
  const record = readRecord(folder)
  return record !== null && record.recipe === recipe && isFresh(record) ? record : null
}

/** Records beside bundles what they were made of. @param sources paths below the root; those of no file are left out */
export function writeRecord(
  folder: string,
  made: {
    readonly recipe: string
    readonly sources: readonly string[]
    readonly sizes: readonly BundleSize[]
  },
): void {
  const files = made.sources.filter((source) => existsSync(path.join(ROOT, source)))
  const inputs = Object.fromEntries(files.map((file) => [file, digest(readFileSync(path.join(ROOT, file)))]))
  const record: MadeOf = { recipe: made.recipe, inputs, sizes: made.sizes }
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, RECORD), JSON.stringify(record))
}
