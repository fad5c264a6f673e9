import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { ROOT } from '#infra/root.ts'
import { type PythonTool, programOf } from '#test/python-tool.ts'

/** The emulator that takes a real `cdk deploy` and runs Node functions without Docker. */
export const MINISTACK: PythonTool = {
  name: 'ministack',
  requirements: fileURLToPath(new URL('requirements.txt', import.meta.url)),
}

const START_MS = 30_000
const LOOK_MS = 100
const ACCOUNT = '000000000000'
const REGION = 'us-east-1'

/** An AWS on this machine. */
export interface EmulatedAws {
  readonly endpoint: string
  /** What lets the AWS clients and the CDK find it. */
  readonly environment: Readonly<Record<string, string>>
  /** Where the account's stacks go. */
  readonly target: string
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const { body } = await request(endpoint)
    await body.dump()
    return true
  } catch {
    return false
  }
}

/** Starts the emulator on a free port of 127.0.0.1. @throws Error with what it said when it does not come up */
export async function startEmulatedAws(): Promise<EmulatedAws> {
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  // Functions run with the Node of the path: this one, which Lambda has too.
  const path = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(programOf(MINISTACK, 'ministack'), [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: its functions' processes end with it.
    detached: true,
    env: {
      HOME: process.env.HOME ?? '/',
      PATH: path,
      GATEWAY_PORT: String(port),
      // By default it listens on every interface, for MQTT and SFTP too.
      BIND_HOST: '127.0.0.1',
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
      LAMBDA_EXECUTOR: 'local',
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4_000)
    })
  const ended = once(child, 'exit')
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    await ended
  }
  const deadline = performance.now() + START_MS
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error(`the emulator did not start: ${said}`)
    }
    await pause(LOOK_MS)
  }
  return {
    endpoint,
    target: `aws://${ACCOUNT}/${REGION}`,
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      PATH: path,
    },
    stop,
  }
}
