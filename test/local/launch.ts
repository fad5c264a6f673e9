import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROOT } from '#infra/root.ts'

/** What `npm start -- --json` prints once it is ready. */
export interface Ready {
  readonly base_url: string
  readonly admin_key: string
  readonly assistant_key: string
}

/** A command under way. */
export interface Started {
  readonly child: ChildProcess
  /** Exit status, once both streams are at their end. */
  readonly ended: Promise<number | null>
  stdout(): string
  stderr(): string
}

const children: ChildProcess[] = []
const folders: string[] = []

/** Ends what is still running and removes what it wrote; call it in `afterAll`. */
export function endLaunched(): void {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

export const killAtEnd = (child: ChildProcess): void => void children.push(child)

/** A folder of this test's own. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'start-'))
  folders.push(folder)
  return folder
}

/** Runs a command of infra/commands, or what else Node is to run. */
export function launch(
  args: readonly string[],
  command = ['infra/commands/start.ts'],
  environment = {},
): Started {
  const child = spawn(process.execPath, [...command, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  })
  children.push(child)
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += String(chunk)
  })
  child.stderr?.on('data', (chunk) => {
    err += String(chunk)
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
  })
  return { child, ended, stdout: () => out, stderr: () => err }
}

/** Runs `npm start` on a free port. */
export const start = (data: string, ...more: string[]): Started =>
  launch(['--data', data, '--port', '0', '--json', ...more])

/** Waits for the first line on stdout, which says that the service is ready; its end without one is a failure. */
export async function readiness(started: Started): Promise<Ready> {
  const line = new Promise<void>((resolve) => {
    const look = () => {
      if (started.stdout().includes('\n')) resolve()
    }
    started.child.stdout?.on('data', look)
    look()
  })
  const outcome = await Promise.race([line, started.ended])
  expect(outcome, started.stderr()).toBeUndefined()
  return JSON.parse(started.stdout().split('\n', 1)[0] ?? '') as Ready
}
