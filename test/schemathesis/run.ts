import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { ROOT } from '#infra/local/root.ts'

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
const ENVIRONMENT = join(ROOT, '.local/schemathesis')
const REQUIREMENTS = join(OWN, 'requirements.txt')
/** What was installed into the environment: another list makes it anew. */
const INSTALLED = join(ENVIRONMENT, 'requirements.txt')
/** An enterprise key has 1,000 requests a minute; a little less, so that no window is ever used up. */
const RATE = '15/s'

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

/** Why Schemathesis cannot be had here, or null once it is there. */
function missing(): string | null {
  const probe = 'import sys, venv; sys.exit(0 if sys.version_info >= (3, 10) else 1)'
  if (spawnSync('python3', ['-c', probe], { stdio: 'ignore' }).status !== 0)
    return 'there is no Python 3.10 with venv on the path'
  const wanted = readFileSync(REQUIREMENTS, 'utf8')
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return null
  process.stderr.write('installing Schemathesis…\n')
  rmSync(ENVIRONMENT, { recursive: true, force: true })
  mkdirSync(ENVIRONMENT, { recursive: true })
  if (spawnSync('python3', ['-m', 'venv', ENVIRONMENT], { stdio: 'ignore' }).status !== 0)
    return 'python3 -m venv failed (Debian has it in python3-venv)'
  const pip = [
    join(ENVIRONMENT, 'bin/pip'),
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    REQUIREMENTS,
  ]
  const { status, stderr } = spawnSync(pip[0] ?? '', pip.slice(1), { encoding: 'utf8' })
  if (status !== 0) return `pip could not install Schemathesis: ${stderr.trim().split('\n').at(-1) ?? ''}`
  writeFileSync(INSTALLED, wanted)
  return null
}

async function test(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  const service = spawn(
    process.execPath,
    [join(ROOT, 'infra/commands/start.ts'), '--empty', '--json', '--port', '0', '--data', data],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
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
      join(ENVIRONMENT, 'bin/schemathesis'),
      [
        'run',
        join(ROOT, 'shared/contract/openapi.json'),
        ...['--url', base_url, '--header', `Authorization: Bearer ${key}`],
        ...['--phases', given.phases, '--checks', 'all', '--mode', 'all', '--continue-on-failure'],
        ...['--max-examples', given['max-examples'], '--rate-limit', RATE],
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
    return code ?? 1
  } finally {
    service.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

if (given.help) process.stdout.write(HELP)
else {
  const reason = missing()
  if (reason !== null) {
    process.stdout.write(`skipped: ${reason}\n`)
    process.exitCode = process.env.CI === 'true' ? 1 : 0
  } else process.exitCode = await test()
}
