import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The servers that run for real, by the name that Debian gives package and program alike. */
export const TOOL_PROGRAMS = [
  'prometheus',
  'prometheus-alertmanager',
  'prometheus-node-exporter',
  'prometheus-blackbox-exporter',
] as const
export type ToolProgram = (typeof TOOL_PROGRAMS)[number]

/** Where each program lies. */
export type ToolPaths = Readonly<Record<ToolProgram, string>>

/** Fetching 40 MB of packages, on a slow line. */
const INSTALL_MS = 240_000

function pathOf(program: string, path: string): string | undefined {
  return path
    .split(':')
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** Those that are there, and the names of those that are not. */
export function lookForTools(path = process.env.PATH ?? ''): {
  readonly paths: Partial<Record<ToolProgram, string>>
  readonly missing: readonly ToolProgram[]
} {
  const found = TOOL_PROGRAMS.map((program) => [program, pathOf(program, path)] as const)
  return {
    paths: Object.fromEntries(found.filter(([, file]) => file !== undefined)),
    missing: found.filter(([, file]) => file === undefined).map(([program]) => program),
  }
}

/** What to tell a person who lacks them. */
export const howToInstall = (missing: readonly ToolProgram[]): string =>
  `skipped: ${missing.join(', ')} not found; on Debian: apt-get install --no-install-recommends ${TOOL_PROGRAMS.join(' ')}`

/**
 * The programs. Under CI those that are missing are installed from Debian's packages; a person is never installed
 * anything unasked.
 * @returns null where some are missing and nobody may install them
 * @throws Error under CI when they cannot be installed: a check that cannot run is a failure there
 */
export async function findTools(isCi: boolean, log: (line: string) => void): Promise<ToolPaths | null> {
  const first = lookForTools()
  if (first.missing.length === 0) return first.paths as ToolPaths
  if (!isCi) {
    log(howToInstall(first.missing))
    return null
  }
  log(`Installing ${first.missing.join(', ')}`)
  const run = promisify(execFile)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = ['install', '-y', '--no-install-recommends', ...TOOL_PROGRAMS]
  try {
    await run('apt-get', ['update'], { timeout: INSTALL_MS, env })
    await run('apt-get', install, { timeout: INSTALL_MS, env })
  } catch (error) {
    throw new Error(`apt-get ${install.join(' ')} failed: ${(error as Error).message.split('\n')[0]}`, {
      cause: error,
    })
  }
  const { paths, missing } = lookForTools()
  if (missing.length > 0) throw new Error(`Installed, but not found: ${missing.join(', ')}`)
  return paths as ToolPaths
}
