import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '../root.ts'
import { writeWhole } from './data-folder.ts'
import type { Deployment } from './deployment.ts'

/** Far above what it takes (2 s on two shared cores, 40 s where twenty others wait for them). */
const MOST_MS = 150_000
/** A deployment is some 40 KB of JSON. */
const MOST_BYTES = 16_000_000
/** Where the last deployment is kept, with what it was made of; git does not see it. */
export const KEPT_DEPLOYMENT = join(
  ROOT,
  'node_modules',
  '.cache',
  'incident-investigator',
  'deployment.json',
)
/** What a deployment is made of: the stack and what it imports, its settings, and the versions of all packages. */
const SOURCES = ['infra', 'shared', 'cdk.json', 'package.json', 'package-lock.json'] as const

/** SHA-256 over names and contents of everything that a deployment is made of: 1 MB, some 20 ms. */
export function deploymentSources(root = ROOT): string {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    const below = source.includes('.')
      ? ['']
      : readdirSync(join(root, source), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(join(root, source).length))
          .sort()
    for (const name of below)
      hash.update(`${source}${name}\n`).update(readFileSync(join(root, source + name)))
  }
  return hash.digest('hex')
}

interface Kept {
  readonly sources: string
  readonly deployment: Deployment
}

function readKept(file: string, sources: string): Deployment | null {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
    return kept.sources === sources ? kept.deployment : null
  } catch {
    return null
  }
}

function keep(file: string, kept: Kept): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeWhole(file, `${JSON.stringify(kept)}\n`)
  } catch {
    // A folder that cannot be written only costs the next start its two seconds.
  }
}

/**
 * Reads the deployment from the synthesised template, in a process that ends with it; or takes the last one, as long as
 * nothing that it was made of has changed.
 * @param file where the last one is kept
 * @throws Error with the first line of what went wrong
 */
export async function deploymentInOwnProcess(file = KEPT_DEPLOYMENT, mostMs = MOST_MS): Promise<Deployment> {
  const sources = deploymentSources()
  const kept = readKept(file, sources)
  if (kept !== null) return kept
  const script = fileURLToPath(new URL('print-deployment.ts', import.meta.url))
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script], {
      timeout: mostMs,
      maxBuffer: MOST_BYTES,
    })
    const deployment = JSON.parse(stdout) as Deployment
    keep(file, { sources, deployment })
    return deployment
  } catch (error) {
    if ((error as { killed?: boolean }).killed === true)
      throw new Error(`The stack was not synthesised within ${mostMs / 1_000} s: is the machine busy?`, {
        cause: error,
      })
    const said = (error as { stderr?: string }).stderr ?? ''
    const line = /^\w*Error: .*$/m.exec(said)?.[0] ?? (error as Error).message.split('\n')[0]
    throw new Error(`The stack cannot be synthesised: ${line}`, { cause: error })
  }
}
