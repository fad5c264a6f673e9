import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { KEPT_DEPLOYMENT } from '../local/deployment-process.ts'
import { ROOT } from '../root.ts'
import { readOptions, statusOf } from './misuse.ts'

const HELP = `Usage: npm run check:start

Starts the service from an empty data folder as a newcomer would, asks about the sample outage, ends it, and prints how
long each took. Exit status: 0 within the limits, 1 beyond them, 2 bad usage.
`

/** The limits, ms: an empty folder to ready with the sample analysed; one question; Ctrl-C to the end. */
const LIMITS = { start: 60_000, 'first answer': 1_000, stop: 2_000 } as const

interface Ready {
  readonly base_url: string
  readonly admin_key: string
  readonly assistant_key: string
}

async function ask({ base_url, assistant_key }: Ready): Promise<string> {
  const { statusCode, body } = await request(`${base_url}/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${assistant_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'Why does checkout fail?' }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`POST /query answered ${statusCode}: ${text}`)
  const { outcome, answer } = JSON.parse(text) as { outcome: string; answer: string }
  if (outcome === 'inconclusive') throw new Error(`The sample outage was not explained: ${answer}`)
  return answer
}

async function measure(): Promise<Record<keyof typeof LIMITS, number>> {
  const data = mkdtempSync(join(tmpdir(), 'incident-investigator-'))
  // A newcomer's first start has no template to go by yet.
  rmSync(KEPT_DEPLOYMENT, { force: true })
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [join(ROOT, 'infra/commands/start.ts'), '--data', data, '--port', '0', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit')
  try {
    const line = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
      ended.then(([code]) => {
        throw new Error(`The service ended with exit status ${String(code)} before it was ready.`)
      }),
    ])
    const readyAt = performance.now()
    const answer = await ask(JSON.parse(line) as Ready)
    const answeredAt = performance.now()
    process.stderr.write(`${answer}\n`)
    const stoppedAt = performance.now()
    child.kill('SIGINT')
    await ended
    return {
      start: readyAt - startedAt,
      'first answer': answeredAt - readyAt,
      stop: performance.now() - stoppedAt,
    }
  } finally {
    child.kill('SIGKILL')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}

async function main(): Promise<number> {
  const { values } = readOptions({ options: { help: { type: 'boolean', short: 'h' } } })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const measured = await measure()
  let status = 0
  for (const [step, limit] of Object.entries(LIMITS) as [keyof typeof LIMITS, number][]) {
    const within = measured[step] <= limit
    if (!within) status = 1
    const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`
    process.stdout.write(
      `${step.padEnd(14)}${seconds(measured[step]).padStart(9)}  limit ${seconds(limit)}  ${within ? 'ok' : 'TOO SLOW'}\n`,
    )
  }
  return status
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(statusOf(error))
  },
)
