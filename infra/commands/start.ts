import { CONSOLE_PATHS } from '#shared/contract/console.ts'
import { consoleInOwnProcess } from '../local/console-process.ts'
import { type DataFolder, openDataFolder } from '../local/data-folder.ts'
import { deploymentInOwnProcess } from '../local/deployment-process.ts'
import type { Runner } from '../local/runner.ts'
import { Misuse, readOptions, statusOf } from './misuse.ts'

const HELP = `Usage: npm start --silent -- [--port N] [--data DIR] [--bundles DIR] [--strict-egress] [--empty] [--json]

Runs the whole service on 127.0.0.1, as the stack would deploy it, without an AWS account.

  --port N         port of the API (default 4010; 0 takes a free one)
  --data DIR       folder that keeps everything over restarts (default .local)
  --bundles DIR    folder that bundle integrations may read (default: bundles/ in the data folder)
  --strict-egress  refuse plain http and private addresses to outgoing requests, as deployed
  --empty          on a first start, do not load the sample outage
  --json           print one line {"base_url","admin_key","assistant_key","console_url"}
                   once ready; all else goes to stderr
  --help           print this

AWS_ENDPOINT_URL_DYNAMODB and AWS_ENDPOINT_URL_SQS name emulators that run already, instead of starting one.
Ctrl-C ends everything. Exit status: 0 ended, 1 something is missing, taken or broken, 2 bad usage.
`

const DEFAULT_PORT = 4010
const MOST_PORT = 65_535
/** How often a start from npm looks whether npm is still there. */
const PARENT_EVERY_MS = 500
/** An end takes below 2 s; what hangs beyond is left to the operating system. */
const MOST_STOP_MS = 1_800

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

interface Arguments {
  readonly port: number
  readonly data: string
  readonly bundles: string | undefined
  readonly strictEgress: boolean
  readonly empty: boolean
  readonly json: boolean
}

function readArguments(): Arguments | 'help' {
  const { values } = readOptions({
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      bundles: { type: 'string' },
      'strict-egress': { type: 'boolean' },
      empty: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return 'help'
  const given = values.port ?? String(DEFAULT_PORT)
  const port = /^\d{1,5}$/.test(String(given)) ? Number(given) : Number.NaN
  if (!(port <= MOST_PORT)) throw new Misuse(`--port must be a number from 0 to ${MOST_PORT}, not ${given}`)
  for (const name of ['data', 'bundles'] as const) {
    if (values[name] === '') throw new Misuse(`--${name} must name a folder`)
  }
  return {
    port,
    data: typeof values.data === 'string' ? values.data : '.local',
    bundles: typeof values.bundles === 'string' ? values.bundles : undefined,
    strictEgress: values['strict-egress'] === true,
    empty: values.empty === true,
    json: values.json === true,
  }
}

/** A question about the sample outage, as a line for a shell. */
const curlLine = (baseUrl: string, key: string): string =>
  [
    `curl -s ${baseUrl}/query`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"query":"Why does checkout fail?"}'`,
  ].join(' ')

function announce(
  runner: Runner,
  given: Arguments,
  sampleIncident: string | null,
  hasConsole: boolean,
): void {
  const { admin, assistant } = runner.backing.keys
  const consoleUrl = `${runner.baseUrl}${CONSOLE_PATHS[0]}/`
  const ready = {
    base_url: runner.baseUrl,
    admin_key: admin.key,
    assistant_key: assistant.key,
    ...(hasConsole ? { console_url: consoleUrl } : {}),
  }
  if (given.json) {
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    return
  }
  process.stdout.write(
    [
      // As a shell takes them: pasted into another terminal, every command of the README works there.
      `BASE_URL=${ready.base_url}`,
      `ADMIN_KEY=${ready.admin_key}`,
      `ASSISTANT_KEY=${ready.assistant_key}`,
      '',
      ...(sampleIncident === null
        ? ['Ask something:', `  ${curlLine(ready.base_url, ready.assistant_key)}`]
        : [
            'A sample outage is loaded and analysed. Ask about it:',
            `  ${curlLine(ready.base_url, ready.assistant_key)}`,
            'Read its incident:',
            `  curl -s ${ready.base_url}/incidents/${sampleIncident} -H 'Authorization: Bearer ${ready.admin_key}'`,
          ]),
      '',
      ...(hasConsole
        ? [
            `Or look at it: ${consoleUrl}`,
            `  sign in as admin or viewer, password ${runner.backing.signIn.password}`,
            '',
          ]
        : []),
      'See events arrive, signed, in a second terminal: npm run receiver',
      '',
      'Ctrl-C ends everything.',
      '',
    ].join('\n'),
  )
}

/** Settles with the exit status when the process is to end. */
function untilEnd(): Promise<number> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(0))
    // Started by npm, we end with it, also when it is killed and cannot tell us.
    const parent = process.ppid
    if (process.env.npm_lifecycle_event === undefined) return
    setInterval(() => {
      if (process.ppid !== parent) resolve(0)
    }, PARENT_EVERY_MS).unref()
  })
}

async function run(given: Arguments, folder: DataFolder, ending: Promise<number>): Promise<number> {
  const startedAt = performance.now()
  const deployment = deploymentInOwnProcess()
  deployment.catch(() => {})
  const building = consoleInOwnProcess()
  // Loaded here and not above: what is wrong with the arguments or the folder is told at once.
  const { startRunner } = await import('../local/runner.ts')
  const { loadSampleOutage, readSample, skipSample } = await import('../local/load-sample-outage.ts')
  const starting = startRunner({
    folder,
    ...(given.bundles === undefined ? {} : { bundles: given.bundles }),
    strictEgress: given.strictEgress,
    environment: process.env,
    port: given.port,
    deployment,
    log: tell,
  })
  const runner = await Promise.race([starting, ending])
  if (typeof runner === 'number') {
    // Ended while starting: what has been started by now ends with us, emulators included.
    return runner
  }
  try {
    let sample = readSample(folder.sample)
    if (sample === null && given.empty) skipSample(folder.sample)
    else if (sample === null) {
      const loading = loadSampleOutage({
        baseUrl: runner.baseUrl,
        adminKey: runner.backing.keys.admin.key,
        bundlesFolder: runner.backing.bundlesFolder,
        record: folder.sample,
        now: Date.now(),
        log: tell,
      })
      const loaded = await Promise.race([loading, ending])
      if (typeof loaded === 'number') {
        // It fails as soon as the gateway is gone; nobody waits for it any more.
        loading.catch(() => {})
        return loaded
      }
      sample = loaded
    }
    const consoleProblem = await Promise.race([building, ending])
    if (typeof consoleProblem === 'number') return consoleProblem
    if (consoleProblem !== null) tell(consoleProblem)
    tell(`Ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s, data in ${folder.path}`)
    announce(runner, given, sample?.incident_id ?? null, consoleProblem === null)
    const end = await Promise.race([ending, runner.broken])
    if (typeof end === 'number') return end
    tell(end)
    return 1
  } finally {
    await runner.stop()
  }
}

async function main(): Promise<number> {
  const given = readArguments()
  if (given === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  const folder = openDataFolder(given.data)
  const ending = untilEnd()
  void ending.then(() => {
    tell('Ending')
    setTimeout(() => process.exit(0), MOST_STOP_MS).unref()
  })
  return run(given, folder, ending)
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    tell((error as Error).message)
    if (error instanceof Misuse) tell('Run with --help for the options.')
    process.exit(statusOf(error))
  },
)
