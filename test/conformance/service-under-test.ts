import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { writeSmallOutage } from './small-outage.ts'

/** Keys that the suite uses. Those that may be missing let their tests say `skipped` and why. */
export interface Keys {
  readonly admin: string
  readonly assistant: string
  /** Of the enterprise plan. */
  readonly enterprise?: string
  readonly expired?: string
  readonly revoked?: string
  /** An admin key of the standard plan that nobody else uses: its windows are used up. */
  readonly rate_limited?: string
}

export interface ServiceUnderTest {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly keys: Keys
  /** Settings of a bundle integration that works, where the service has a bundle. */
  readonly bundle?: Readonly<Record<string, string>>
  /** Whether the service may call http and loopback addresses, as the local runner does. */
  readonly localEgress: boolean
  /** With which `admin` and `viewer` sign in, where that takes no person. */
  readonly password?: string
  close(): Promise<void>
}

interface KeysFile extends Partial<Omit<Keys, 'admin' | 'assistant'>> {
  readonly bundle?: Readonly<Record<string, string>>
  readonly local_egress?: boolean
}

const START_MS = 60_000
/** The runner promises to end within 2 s; what takes longer is ended for it. */
const END_MS = 5_000
const command = (name: string) => fileURLToPath(new URL(`../../infra/commands/${name}.ts`, import.meta.url))

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '')
    throw new Error(`CONFORMANCE_BASE_URL is set, so ${name} must be too`)
  return value
}

async function remoteService(baseUrl: string): Promise<ServiceUnderTest> {
  const file = process.env.KEYS_FILE
  const { bundle, local_egress, ...further }: KeysFile =
    file === undefined ? {} : (JSON.parse(await readFile(file, 'utf8')) as KeysFile)
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    keys: { admin: required('ADMIN_KEY'), assistant: required('ASSISTANT_KEY'), ...further },
    ...(bundle === undefined ? {} : { bundle }),
    localEgress: local_egress ?? ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname),
    close: () => Promise.resolve(),
  }
}

interface Started {
  readonly base_url: string
  readonly admin_key: string
  readonly assistant_key: string
}

/** The first line that the runner prints, once it is ready. */
async function firstLine(child: ChildProcess): Promise<Started> {
  if (child.stdout === null) throw new Error('the runner has no output')
  const lines = createInterface({ input: child.stdout })
  const errors: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`${what}\n${errors.join('').slice(-4_000)}`))
    const timer = setTimeout(() => fail(`the service was not ready within ${START_MS} ms`), START_MS)
    child.once('exit', (code) => fail(`the runner ended with ${code} before it was ready`))
    lines.once('line', (line) => {
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve(JSON.parse(line) as Started)
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  await ended
  clearTimeout(timer)
}

async function localService(): Promise<ServiceUnderTest> {
  const data = await mkdtemp(join(tmpdir(), 'conformance-'))
  await writeSmallOutage(join(data, 'bundles', 'small-outage'))
  const child = spawn(
    process.execPath,
    [command('start'), '--empty', '--json', '--port', '0', '--data', data],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const close = async () => {
    await end(child)
    await rm(data, { recursive: true, force: true })
  }
  const keys = async (...args: string[]): Promise<{ id: string; key: string }> => {
    const { stdout } = await promisify(execFile)(process.execPath, [command('keys'), ...args, '--data', data])
    return stdout.trim() === '' ? { id: '', key: '' } : (JSON.parse(stdout) as { id: string; key: string })
  }
  const create = (name: string, type: string, plan: string, ...more: string[]) =>
    keys('create', '--name', name, '--type', type, '--plan', plan, ...more)
  try {
    const started = await firstLine(child)
    const admin = await create('suite', 'admin', 'enterprise')
    const assistant = await create('suite assistant', 'assistant', 'enterprise')
    const burnt = await create('to burn', 'admin', 'standard')
    const revoked = await create('revoked', 'admin', 'standard')
    await keys('revoke', revoked.id)
    // Far enough away for a busy machine to make the key first; its test waits for the rest.
    const soon = new Date(Date.now() + 15_000).toISOString()
    const expired = await create('expired', 'admin', 'standard', '--expires', soon)
    const { password } = JSON.parse(await readFile(join(data, 'sign-in.json'), 'utf8')) as {
      readonly password: string
    }
    return {
      password,
      baseUrl: started.base_url,
      keys: {
        admin: admin.key,
        assistant: assistant.key,
        enterprise: admin.key,
        expired: expired.key,
        revoked: revoked.key,
        rate_limited: burnt.key,
      },
      bundle: { path: 'small-outage' },
      localEgress: true,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The service that the suite speaks to: the one that CONFORMANCE_BASE_URL names (with ADMIN_KEY, ASSISTANT_KEY and,
 * optionally, KEYS_FILE; run.ts sets them), else the local runner on a free port with an empty data folder of its own.
 * @throws Error when a variable is missing or the runner does not come up; it carries what the runner printed
 */
export function serviceUnderTest(): Promise<ServiceUnderTest> {
  const baseUrl = process.env.CONFORMANCE_BASE_URL
  return baseUrl === undefined || baseUrl === '' ? localService() : remoteService(baseUrl)
}
