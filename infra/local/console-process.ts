import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isConsoleFresh } from '../build-console.ts'

/** Far above what it takes (1 s on two shared cores). */
const MOST_MS = 120_000

/**
 * Builds the console in a process that ends with it, beside whatever else starts; nothing is done when nothing changed.
 * @returns null, or one line about why there is none: the API is served without it
 */
export async function consoleInOwnProcess(): Promise<string | null> {
  try {
    if (isConsoleFresh()) return null
    const script = fileURLToPath(new URL('../commands/build-console.ts', import.meta.url))
    await promisify(execFile)(process.execPath, [script], { timeout: MOST_MS })
    return null
  } catch (error) {
    const said = (error as { stderr?: string }).stderr ?? ''
    return `The console cannot be built: ${said.trim().split('\n')[0] || (error as Error).message}`
  }
}
