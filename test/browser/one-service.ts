import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'
import { ROOT } from '#infra/root.ts'

/** The service that all files of browser tests share, with its sample outage. */
export interface OneService {
  readonly base_url: string
  readonly console_url: string
  readonly admin_key: string
  /** Password of the local users. */
  readonly password: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    service: OneService
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no output')
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the service ended with exit status ${String(code)} before it was ready`)
  })
  return Promise.race([line, ended])
}

/** Starts the service as `npm start` does, for all files; ends it after the last. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'console-'))
  const child = spawn(
    process.execPath,
    ['infra/commands/start.ts', '--data', folder, '--port', '0', '--json'],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : Promise.resolve()
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ready = JSON.parse(await readyLine(child)) as Omit<OneService, 'password'>
    if (ready.console_url === undefined) throw new Error('the console was not built')
    const { password } = JSON.parse(readFileSync(join(folder, 'sign-in.json'), 'utf8')) as OneService
    provide('service', { ...ready, password })
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
