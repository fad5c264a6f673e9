import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const HELP = `Holds a running service to its specification and contract, over HTTP alone.

  npm run conformance -- --base-url URL --admin-key K --assistant-key K [--keys FILE]
  npm run conformance

The first form speaks to a service that runs; the second starts the local runner with an empty data folder.
Each option may stand in the environment instead: BASE_URL, ADMIN_KEY, ASSISTANT_KEY, KEYS_FILE.

Both keys should be of the enterprise plan: the suite sends more than 100 requests a minute.
FILE is JSON with any of these; a test that needs one that is missing says so and is skipped:
  {"enterprise": KEY, "expired": KEY, "revoked": KEY, "rate_limited": KEY, "bundle": {"prefix": FOLDER},
   "local_egress": true|false}
rate_limited is an admin key of the standard plan whose windows the suite uses up; bundle holds the settings of an
integration of type bundle that works; local_egress says whether the service may call http and loopback addresses, if not
as its own address tells (true on this machine). The suite makes incidents, which stay, and integrations and webhooks, which it
takes away again; it fills their quotas for a moment.

Exit status: 0 all held, 1 something did not, 2 bad usage.
`

/** Options and the variables that the suite reads; vitest itself claims the name BASE_URL in its workers. */
const OPTIONS = {
  'base-url': ['BASE_URL', 'CONFORMANCE_BASE_URL'],
  'admin-key': ['ADMIN_KEY', 'ADMIN_KEY'],
  'assistant-key': ['ASSISTANT_KEY', 'ASSISTANT_KEY'],
  keys: ['KEYS_FILE', 'KEYS_FILE'],
} as const

function settings(): Record<string, string> | 'help' {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      'admin-key': { type: 'string' },
      'assistant-key': { type: 'string' },
      keys: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const given: Record<string, string> = {}
  for (const name of Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]) {
    const [from, to] = OPTIONS[name]
    const value = values[name] ?? process.env[from]
    if (value !== undefined && value !== '') given[to] = value
  }
  const base = given.CONFORMANCE_BASE_URL
  if (base !== undefined) {
    if (!URL.canParse(base)) throw new Error('--base-url must be a URL, such as https://host/v1')
    for (const name of ['ADMIN_KEY', 'ASSISTANT_KEY'])
      if (given[name] === undefined) throw new Error(`with a base address, ${name} is needed too`)
  }
  return given
}

try {
  const given = settings()
  if (given === 'help') process.stdout.write(HELP)
  else {
    const { status } = spawnSync('vitest', ['run', 'test/conformance/conformance.test.ts'], {
      stdio: 'inherit',
      env: { ...process.env, ...given },
    })
    process.exitCode = status ?? 1
  }
} catch (error) {
  process.stderr.write(`conformance: ${(error as Error).message}\n`)
  process.exitCode = 2
}
