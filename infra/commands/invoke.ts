import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from 'aws-lambda'
import type { Backing } from '../local/backing.ts'
import {
  FolderInUse,
  type FolderPaths,
  folderPaths,
  openDataFolder,
  readRunning,
} from '../local/data-folder.ts'
import type { Deployment } from '../local/deployment.ts'
import { deploymentInOwnProcess } from '../local/deployment-process.ts'
import { functionContext } from '../local/function-context.ts'
import { EVENTS, readEvent } from '../local/sample-events.ts'
import { ROOT } from '../root.ts'
import { writeSampleOutage } from '../sample-outage/write-sample-outage.ts'
import { Misuse, readOptions, statusOf } from './misuse.ts'

const HELP = `Usage: npm run invoke -- FUNCTION [FILE] [--data DIR]

Runs one function in this process with an event and prints what it answers.

  FUNCTION    id of an operation (create-incident), refuse-unknown, or a worker (relay-events)
  FILE        event as JSON (default events/FUNCTION.json); {{INCIDENT_ID}} and the like: see events/README.md
  --data DIR  use the service that npm start runs on this folder (default .local); where none runs, an empty store
              in memory with the sample outage
  --help      print this

The answer goes to stdout; logs, time and memory go to stderr.
Exit status: 0 answered, 1 the function failed or something is missing, 2 bad usage.
`

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

/** What we stand on and how to leave it. */
interface Ground {
  readonly backing: Backing
  leave(): Promise<void>
}

/** The emulators of the service that runs on a folder now, or null when none does. */
function runningOn(data: string): NodeJS.ProcessEnv | null {
  const running = readRunning(folderPaths(data).path)
  if (running?.dynamodb_endpoint === undefined || running.sqs_endpoint === undefined) return null
  try {
    openDataFolder(data).release()
    return null
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    return {
      AWS_ENDPOINT_URL_DYNAMODB: running.dynamodb_endpoint,
      AWS_ENDPOINT_URL_SQS: running.sqs_endpoint,
    }
  }
}

async function prepare(data: string, deployment: Promise<Deployment>): Promise<Ground> {
  // Loaded here and not above: bad usage is told at once.
  const { startBacking } = await import('../local/backing.ts')
  const { SAMPLE_BUNDLE } = await import('../local/load-sample-outage.ts')
  const running = runningOn(data)
  const temporary = running === null ? mkdtempSync(join(tmpdir(), 'incident-investigator-')) : null
  const folder: FolderPaths = folderPaths(temporary ?? data)
  const backing = await startBacking(
    {
      folder,
      strictEgress: false,
      inMemory: true,
      environment: { ...process.env, ...running },
    },
    deployment,
  )
  if (temporary !== null) {
    await writeSampleOutage(join(backing.bundlesFolder, SAMPLE_BUNDLE), { endsAt: Date.now() })
  }
  tell(
    temporary === null ? `Using the service that runs on ${folder.path}` : 'Using an empty store in memory',
  )
  return {
    backing,
    leave: async () => {
      await backing.stop()
      if (temporary !== null) rmSync(temporary, { recursive: true, force: true })
    },
  }
}

async function invoke(deployment: Deployment, functionId: string, event: unknown): Promise<unknown> {
  const definition = deployment.functions[functionId]
  if (definition === undefined) throw new Error(`There is no function ${functionId}.`)
  const module = (await import(join(ROOT, definition.file))) as {
    handler: (event: unknown, context: Context) => Promise<unknown>
  }
  const context = functionContext({
    functionId,
    requestId: randomUUID(),
    memoryMb: definition.memoryMb,
    deadline: Date.now() + definition.timeoutMs,
  })
  // Through JSON on both ways, as on Lambda.
  const answer = await module.handler(JSON.parse(JSON.stringify(event)), context)
  return JSON.parse(JSON.stringify(answer ?? null)) as unknown
}

/** What tells the form of an event: that of API Gateway, and that of a queue or a stream. */
const TELLING = ['requestContext', 'Records']

/** @throws Misuse for an event that is not of the form of the function's sample, about which a function says nothing clear */
function requireForm(functionId: string, event: unknown): void {
  const sample = join(EVENTS, `${functionId}.json`)
  if (!existsSync(sample)) return
  const expected = JSON.parse(readFileSync(sample, 'utf8')) as object
  const missing = TELLING.find(
    (name) => Object.hasOwn(expected, name) && !Object.hasOwn(Object(event) as object, name),
  )
  if (missing !== undefined)
    throw new Misuse(`The event has no ${missing}; events/${functionId}.json shows its form`)
}

async function main(): Promise<number> {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const [functionId, given, ...more] = positionals
  if (functionId === undefined) throw new Misuse('FUNCTION is missing')
  if (more.length > 0) throw new Misuse(`One FILE is read, not also ${more.join(', ')}`)

  const reading = deploymentInOwnProcess()
  const deployment = await reading
  const definition = deployment.functions[functionId]
  if (definition === undefined) {
    const known = Object.keys(deployment.functions).join(', ')
    throw new Misuse(`There is no function ${functionId}; there are ${known}`)
  }
  const file = given ?? join(EVENTS, `${functionId}.json`)
  if (!existsSync(file)) throw new Misuse(`There is no event file ${file}`)

  const ground = await prepare(values.data ?? '.local', reading)
  // What functions log belongs beside the answer, not into it.
  const printAnswer = process.stdout.write.bind(process.stdout)
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write
  try {
    Object.assign(process.env, ground.backing.environment)
    delete process.env.AWS_PROFILE
    const { keys, signIn } = ground.backing
    const credentials = { ...keys, adminToken: signIn.token('admin') }
    const event = await readEvent(file, credentials, async (maker, toMake) => {
      tell(`Making what the event refers to: ${maker}`)
      return invoke(deployment, maker, toMake)
    })
    requireForm(functionId, event)
    const startedAt = performance.now()
    const answer = await invoke(deployment, functionId, event)
    const took = performance.now() - startedAt
    printAnswer(`${JSON.stringify(answer, null, 2)}\n`)
    // maxRSS counts KB; this process also holds the tools around the function.
    const memory = process.resourceUsage().maxRSS / 1_024
    tell(`${functionId}: ${took.toFixed(1)} ms, ${memory.toFixed(0)} MB at most in this process`)
    return 0
  } finally {
    await ground.leave()
  }
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    tell((error as Error).message)
    if (error instanceof Misuse) tell('Run with --help for the usage.')
    process.exit(statusOf(error))
  },
)
