import { createServer } from 'node:net'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { CONSOLE_PATHS } from '#shared/contract/console.ts'
import { TABLES, type TableName } from '#shared/names.ts'
import { ROOT } from '../root.ts'
import { type Backing, type BackingOptions, startBacking } from './backing.ts'
import { writeRunning } from './data-folder.ts'
import type { Deployment } from './deployment.ts'
import { type FunctionHost, startFunctionHost } from './function-host.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { type Poller, startQueuePoller } from './queue-poller.ts'
import { releaseLeases } from './release-leases.ts'
import { startSchedule } from './schedule.ts'
import { fileCheckpoints } from './stream-checkpoints.ts'
import { startStreamPoller } from './stream-poller.ts'
import { type ExpiringTable, sweepExpired } from './ttl.ts'

/** The greatest number of a port. */
const MOST_PORT = 65_535
/** How often expired items go; DynamoDB promises days. */
const EXPIRY_EVERY_MS = 60_000
/** How often the emulator is looked after. */
const WATCH_EVERY_MS = 1_000
/** Of the 2 s that an end may take: so long for what the workers have in hand. */
const DRAIN_MS = 700

export interface RunnerOptions extends BackingOptions {
  /** 0 takes a free port. */
  readonly port: number
  readonly deployment: Promise<Deployment>
  /** Gets a line for everything that happens beside requests. */
  readonly log: (line: string) => void
}

/** The whole service on 127.0.0.1. */
export interface Runner {
  readonly baseUrl: string
  readonly backing: Backing
  /** Settles when the emulator has died under the runner. */
  readonly broken: Promise<string>
  stop(): Promise<void>
}

async function streamArnOf(backing: Backing, table: TableName): Promise<string> {
  const { Table } = await backing.dynamo.send(new DescribeTableCommand({ TableName: backing.tables[table] }))
  if (Table?.LatestStreamArn === undefined)
    throw new Error(`The table ${backing.tables[table]} has no stream.`)
  return Table.LatestStreamArn
}

function queueOf(backing: Backing, name: string) {
  const queue = backing.queues[name]
  if (queue === undefined) throw new Error(`The deployment has no queue ${name}.`)
  return queue
}

async function startPollers(
  options: RunnerOptions,
  deployment: Deployment,
  backing: Backing,
  host: FunctionHost,
  started: Poller[],
): Promise<void> {
  const { log } = options
  const { invoke } = host
  for (const mapping of deployment.queueMappings) {
    const { url, arn } = queueOf(backing, mapping.queue)
    started.push(
      startQueuePoller({ client: backing.sqs, queueUrl: url, queueArn: arn, mapping, invoke, log }),
    )
  }
  const streams = new DynamoDBStreamsClient({ ...backing.connection, endpoint: backing.dynamoEndpoint })
  started.push({ close: () => Promise.resolve(streams.destroy()) })
  for (const mapping of deployment.streamMappings) {
    const streamArn = await streamArnOf(backing, mapping.table)
    started.push(
      startStreamPoller({
        client: streams,
        streamArn,
        mapping,
        invoke,
        checkpoints: fileCheckpoints(options.folder.checkpoints, streamArn),
        ...(mapping.onFailure === null
          ? {}
          : { onFailure: { client: backing.sqs, queueUrl: queueOf(backing, mapping.onFailure).url } }),
        log,
      }),
    )
  }
  for (const schedule of deployment.schedules) started.push(startSchedule(schedule, invoke, log))
  if (backing.ownsTables) started.push(startExpiry(backing, log))
}

function startExpiry(backing: Backing, log: (line: string) => void): Poller {
  const expiring = (Object.keys(TABLES) as TableName[]).flatMap((table): ExpiringTable[] => {
    const { sort, ttl } = TABLES[table]
    return ttl === null ? [] : [{ tableName: backing.tables[table], sort, ttl }]
  })
  const timer = setInterval(() => {
    for (const table of expiring) {
      sweepExpired(backing.dynamo, table, Date.now()).catch((error: unknown) =>
        log(`expiry of ${table.tableName}: ${(error as Error).message}`),
      )
    }
  }, EXPIRY_EVERY_MS)
  return { close: () => Promise.resolve(clearInterval(timer)) }
}

function watchEmulator(pid: number | undefined, broken: (reason: string) => void): Poller {
  if (pid === undefined) return { close: () => Promise.resolve() }
  const timer = setInterval(() => {
    try {
      process.kill(pid, 0)
    } catch {
      clearInterval(timer)
      broken('The DynamoDB emulator has ended.')
    }
  }, WATCH_EVERY_MS)
  return { close: () => Promise.resolve(clearInterval(timer)) }
}

/** @throws Error with one line when nothing can listen on the port */
async function requireFreePort(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const problem =
        error.code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on (${error.code ?? error.message})`
      reject(new Error(`Port ${port} ${problem}: choose another with --port.`, { cause: error }))
    })
    server.listen(port, '127.0.0.1', () => {
      server.close(() => resolve())
    })
  })
}

/**
 * Starts the whole service as the synthesised template describes it.
 * @throws Error with one line: what is missing, taken or broken; nothing is left running then
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  // It is awaited further down; a failure until then must not end the process behind our back.
  options.deployment.catch(() => {})
  // Told before anything is started; the gateway itself listens only once everything behind it is there.
  await requireFreePort(options.port)
  const signInPort = options.port === 0 || options.port >= MOST_PORT ? 0 : options.port + 1
  const backing = await startBacking({ ...options, signInPort }, options.deployment)
  const pollers: Poller[] = []
  let host: FunctionHost | undefined
  let gateway: Gateway | undefined
  const stop = async (): Promise<void> => {
    await gateway?.close()
    // Those that feed others close beside them: each finishes what it has in hand.
    await Promise.all(pollers.splice(0).map((poller) => poller.close(DRAIN_MS)))
    await host?.close()
    await backing.stop()
  }
  try {
    const deployment = await options.deployment
    host = startFunctionHost({
      functions: deployment.functions,
      root: ROOT,
      environment: backing.environment,
    })
    gateway = await startGateway({ deployment, invoke: host.invoke, port: options.port, log: options.log })
    backing.signIn.returnTo(`${gateway.baseUrl}${CONSOLE_PATHS[0]}/`)
    if (backing.ownsTables) await releaseLeases(backing.dynamo, backing.tables.incidents, Date.now())
    await startPollers(options, deployment, backing, host, pollers)
    const broken = new Promise<string>((resolve) => {
      pollers.push(watchEmulator(backing.emulatorPid, resolve))
    })
    writeRunning(options.folder, {
      pid: process.pid,
      base_url: gateway.baseUrl,
      dynamodb_endpoint: backing.dynamoEndpoint,
      sqs_endpoint: backing.sqsEndpoint,
    })
    return { baseUrl: gateway.baseUrl, backing, broken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
