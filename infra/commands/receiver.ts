import { readFileSync } from 'node:fs'
import { legibleLine } from '#shared/domain/investigation/legible-text.ts'
import { type Arrival, BEHAVIOURS, type Behaviour, startReceiver, verifierOf } from '../local/receiver.ts'
import { Misuse, readOptions, statusOf } from './misuse.ts'

/** As the sample event of create-webhook has them. */
const SAMPLE_PORT = '9099'
const SAMPLE_SECRET = 'whsec_c2FtcGxlLXNlY3JldC1mb3ItbG9jYWwtdXNlLW9ubHk='

const HELP = `Usage: npm run --silent receiver -- [--port N] [--secret S] [--play BEHAVIOUR] [--json]

A receiver on 127.0.0.1 that verifies the signature of every event and prints what arrives.

  --port N      port (default ${SAMPLE_PORT}; 0 takes a free one)
  --secret S    secret of the webhook (default: that of the sample, ${SAMPLE_SECRET})
  --play B      how it behaves:
${Object.entries(BEHAVIOURS)
  .map(([name, does]) => `                  ${name.padEnd(12)} ${does}`)
  .join('\n')}
  --status N    with refuse (default 500)
  --seconds N   with busy, busy-until, slow-head (default 30)
  --times N     with flaky (default 3)
  --cert F, --key F  serve https with this certificate
  --json        one line of JSON for each event
  --help        print this

Ctrl-C ends it. Exit status: 0 ended, 1 the port is taken or a file is missing, 2 bad usage.
`

function readFile(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = String((error as { code?: unknown }).code)
    throw new Error(`${option} ${file} cannot be read (${reason}).`, { cause: error })
  }
}

function requireSecret(secret: string): void {
  try {
    verifierOf(secret)
  } catch (error) {
    const message = '--secret must be whsec_ and base64 behind it, or any other text that is not empty'
    throw new Misuse(message, { cause: error })
  }
}

function readArguments() {
  const { values } = readOptions({
    options: {
      port: { type: 'string', default: SAMPLE_PORT },
      secret: { type: 'string', default: SAMPLE_SECRET },
      play: { type: 'string', default: 'ok' },
      status: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '30' },
      times: { type: 'string', default: '3' },
      cert: { type: 'string' },
      key: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const whole = (name: 'port' | 'status' | 'seconds' | 'times', least: number, most: number): number => {
    const number = /^\d{1,9}$/.test(values[name]) ? Number(values[name]) : Number.NaN
    if (!(number >= least && number <= most))
      throw new Misuse(`--${name} must be a number from ${least} to ${most}, not ${values[name]}`)
    return number
  }
  if (!Object.hasOwn(BEHAVIOURS, values.play))
    throw new Misuse(`--play must be one of ${Object.keys(BEHAVIOURS).join(', ')}, not ${values.play}`)
  if ((values.cert === undefined) !== (values.key === undefined))
    throw new Misuse('--cert and --key go together')
  requireSecret(values.secret)
  return {
    help: values.help,
    json: values.json,
    secret: values.secret,
    behaviour: values.play as Behaviour,
    port: whole('port', 0, 65_535),
    status: whole('status', 200, 599),
    seconds: whole('seconds', 0, 86_400),
    times: whole('times', 0, 1_000),
    ...(values.cert === undefined || values.key === undefined
      ? {}
      : { tls: { cert: readFile('--cert', values.cert), key: readFile('--key', values.key) } }),
  }
}

/** With which number each behaviour that takes one plays. */
const TAKES: Partial<Record<Behaviour, 'status' | 'seconds' | 'times'>> = {
  refuse: 'status',
  busy: 'seconds',
  'busy-until': 'seconds',
  'slow-head': 'seconds',
  flaky: 'times',
}
const optionsOf = (given: ReturnType<typeof readArguments>): string => {
  const option = TAKES[given.behaviour]
  return option === undefined ? '' : ` (here ${given[option]})`
}

/** One event in a line for people. */
function line({ id, verified, problem, event, times }: Arrival): string {
  const data = (event?.data ?? {}) as { readonly title?: unknown; readonly sequence?: unknown }
  const about = [
    event?.type,
    data.title,
    data.sequence === undefined ? undefined : `sequence ${data.sequence}`,
  ]
  const told = about.filter((each) => each !== undefined).map((each) => legibleLine(String(each)))
  const again = times > 1 && id !== '' ? `, received ${times} times` : ''
  const mark = verified ? 'verified' : `NOT VERIFIED (${problem})`
  return `${new Date().toISOString()}  ${mark}  ${told.join('  ')}  ${id}${again}`
}

async function main(): Promise<number> {
  const given = readArguments()
  if (given.help) {
    process.stdout.write(HELP)
    return 0
  }
  const receiver = await startReceiver({
    ...given,
    tell: (arrival) => process.stdout.write(`${given.json ? JSON.stringify(arrival) : line(arrival)}\n`),
  }).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${given.port} is taken: choose another with --port.`, { cause: error })
  })
  process.stderr.write(
    [
      `Receiving at ${receiver.url}: ${BEHAVIOURS[given.behaviour]}${optionsOf(given)}.`,
      'Subscribe it, with BASE_URL and ADMIN_KEY as npm start prints them:',
      `  curl -s $BASE_URL/webhooks -H "Authorization: Bearer $ADMIN_KEY" -H 'Content-Type: application/json' \\`,
      `    -d '{"url":"${receiver.url}","events":["incident.created","incident.resolved"],"secret":"${given.secret}"}'`,
      '',
    ].join('\n'),
  )
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  await receiver.close()
  return 0
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    if (error instanceof Misuse) process.stderr.write('Run with --help for the options.\n')
    process.exit(statusOf(error))
  },
)
