import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { ROOT } from '#infra/root.ts'
import { installPythonTool, type PythonTool, programOf, skipWithout } from '#test/python-tool.ts'

const HELP = `Usage: npm run test:schemathesis -- [--phases LIST] [--max-examples N] [--seed N]

Lets Schemathesis, which knows nothing of this service but its OpenAPI document, test the local runner: every operation,
all phases (examples, coverage, fuzzing, stateful), all checks, valid and invalid requests. Needs Python 3.10 and what
its package index serves; keeps its environment in .local/schemathesis. Where Python is missing: one line that says so;
with CI=true that is a failure.

  --phases LIST     some of examples,coverage,fuzzing,stateful (default: all)
  --max-examples N  requests of each operation in a phase that has no end of its own (default 20)
  --seed N          replays a run (default: a new one, printed)

Exit status: 0 nothing found or skipped, 1 something found or missing, 2 bad usage.
`

const OWN = join(ROOT, 'test/schemathesis')
const SCHEMATHESIS: PythonTool = { name: 'Schemathesis', requirements: join(OWN, 'requirements.txt') }
/** An enterprise key has 1,000 requests a minute; a little less, so that no window is ever used up. */
const RATE = '15/s'
/**
 * Seconds that a request may take: API Gateway waits 29, and a question may use 28 of them. Whoever waits only ten, as is
 * the default, gives up answers that the service has promised, wherever the machine has other things to do.
 */
const MOST_SECONDS = '30'
/** Operations whose slowest requests are told at the end. */
const SLOWEST_TOLD = 5

const { values: given } = (() => {
  try {
    return parseArgs({
      options: {
        phases: { type: 'string', default: 'examples,coverage,fuzzing,stateful' },
        'max-examples': { type: 'string', default: '20' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    process.stderr.write(`test:schemathesis: ${(error as Error).message}\n`)
    process.exit(2)
  }
})()

/** Remembers the slowest request of each operation from the log of the service. */
function slowest(logged: Readable): () => string {
  const longest = new Map<string, number>()
  createInterface({ input: logged }).on('line', (line) => {
    // What is no line of the log is what the service itself has to say, such as why it cannot start.
    if (!line.startsWith('{')) {
      process.stderr.write(`${line}\n`)
      return
    }
    const { operation, duration_ms } = JSON.parse(line) as { operation?: string; duration_ms?: number }
    if (operation === undefined || duration_ms === undefined) return
    longest.set(operation, Math.max(duration_ms, longest.get(operation) ?? 0))
  })
  return () => {
    const told = [...longest].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_TOLD)
    return `slowest requests: ${told.map(([operation, ms]) => `${operation} ${ms} ms`).join(', ')}\n`
  }
}

async function test(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  const service = spawn(
    process.execPath,
    [join(ROOT, 'infra/commands/start.ts'), '--empty', '--json', '--port', '0', '--data', data],
    // A local service keeps to warnings unless it is told otherwise; how long requests take stands in the log.
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LOG_LEVEL: 'INFO' } },
  )
  const tellSlowest = slowest(service.stderr)
  const ended = once(service, 'exit')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => service.kill('SIGINT'))
  try {
    const line = await Promise.race([
      once(createInterface({ input: service.stdout }), 'line').then(([text]) => String(text)),
      ended.then(([code]) => Promise.reject(new Error(`The service ended with ${String(code)}.`))),
    ])
    const { base_url } = JSON.parse(line) as { base_url: string }
    const made = spawnSync(
      process.execPath,
      [
        join(ROOT, 'infra/commands/keys.ts'),
        ...['create', '--name', 'schemathesis', '--type', 'admin', '--plan', 'enterprise', '--data', data],
      ],
      { encoding: 'utf8' },
    )
    const { key } = JSON.parse(made.stdout) as { key: string }
    const tester = spawn(
      programOf(SCHEMATHESIS, 'schemathesis'),
      [
        'run',
        join(ROOT, 'shared/contract/openapi.json'),
        ...['--url', base_url, '--header', `Authorization: Bearer ${key}`],
        ...['--phases', given.phases, '--checks', 'all', '--mode', 'all', '--continue-on-failure'],
        ...['--max-examples', given['max-examples'], '--rate-limit', RATE],
        ...['--request-timeout', MOST_SECONDS, '--max-response-time', MOST_SECONDS],
        ...(given.seed === undefined ? [] : ['--seed', given.seed]),
      ],
      {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, SCHEMATHESIS_HOOKS: join(OWN, 'hooks.py') },
      },
    )
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => tester.kill(signal))
    const [code] = (await once(tester, 'exit')) as [number | null]
    process.stdout.write(tellSlowest())
    return code ?? 1
  } finally {
    service.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

if (given.help) process.stdout.write(HELP)
else {
  const reason = installPythonTool(SCHEMATHESIS)
  process.exitCode = reason === null ? await test() : skipWithout(reason)
}
