import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The page of a built console, with the places in it that a request fills. Where the console is built before the function
 * is, the page goes into the bundle instead, and no cold start looks for it (`infra/bundling/own-sources.ts`).
 * @throws Error naming the folder when there is no console in it
 */
export function consolePage(folder: string): string {
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8')
  } catch (error) {
    throw new Error(`no console is built in ${folder}: npm run build:console builds it`, { cause: error })
  }
}
