import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBundle } from '#shared/adapters/bundle/write-bundle.ts'
import { deploymentInOwnProcess } from '../local/deployment-process.ts'
import { cardOf } from '../tools-demo/card-of.ts'
import { OUTAGES, type Outage } from '../tools-demo/outages.ts'
import { type Played, playOutage } from '../tools-demo/play-outage.ts'
import { findTools } from '../tools-demo/tool-programs.ts'
import { WINDOWS_S } from '../tools-demo/world.ts'
import { readOptions, statusOf } from './misuse.ts'

const HELP = `Usage: npm run tools:demo -- [--keep DIR] [OUTAGE ...]

Plays outages of a small shop against real tools and shows how the service explains each: alert, incident, evidence,
root cause, webhook. All four at once without a name, each in a world of its own on 127.0.0.1:

${OUTAGES.map(({ name, title }) => `  ${name.padEnd(22)}${title}`).join('\n')}

Prometheus, Alertmanager, node_exporter and blackbox_exporter are Debian's; the three services of the shop and their
traffic are ours; Loki, GitHub, Kubernetes, kube-state-metrics and the provider's status page are stand-ins that answer
in the recorded shape. Only addresses are configured, beside credentials and repositories where a tool asks anybody for
them.

  --keep DIR            write what was known of each outage to DIR/OUTAGE, as an incident bundle

It takes about five minutes. Shorter than in real life: scrapes every 2 s, alerts after 4 s, and investigations look
back ${WINDOWS_S.lead} s before the start, at ${WINDOWS_S.baseline} s of normal time (an hour each elsewhere).

Ctrl-C ends everything. Exit status: 0 played, or a line that says which tool is missing; 1 something broke; 2 bad
usage; 130 interrupted.
`

const seconds = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms / 1000) % 60)).padStart(2, '0')}`

/** Writes what was known of an outage as an incident bundle. */
function keep(folder: string, { outage, snapshot }: Played): void {
  const into = join(folder, outage.name)
  mkdirSync(into, { recursive: true })
  for (const [name, content] of writeBundle(snapshot).files) writeFileSync(join(into, name), content)
}

async function main(): Promise<number> {
  const { values, positionals } = readOptions({
    allowPositionals: true,
    options: { keep: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help === true) {
    process.stdout.write(HELP)
    return 0
  }
  const unknown = positionals.filter((name) => !OUTAGES.some((outage) => outage.name === name))
  if (unknown.length > 0) {
    process.stderr.write(`No such outage: ${unknown.join(', ')}. Run with --help for their names.\n`)
    return 2
  }
  const wanted: readonly Outage[] =
    positionals.length === 0 ? OUTAGES : OUTAGES.filter(({ name }) => positionals.includes(name))
  const startedAt = Date.now()
  const tell = (line: string): void =>
    void process.stdout.write(`${seconds(Date.now() - startedAt)} ${line}\n`)
  const paths = await findTools(process.env.CI === 'true', tell)
  if (paths === null) return 0
  const deployment = deploymentInOwnProcess()
  const played = await Promise.allSettled(
    wanted.map((outage) =>
      playOutage(outage, {
        paths,
        deployment,
        tell: (line) => tell(`[${outage.name}] ${line}`),
        log: (line) => void process.stderr.write(`[${outage.name}] ${line}\n`),
      }),
    ),
  )
  for (const one of played) {
    if (one.status === 'fulfilled' && values.keep !== undefined) keep(values.keep, one.value)
    process.stdout.write(
      one.status === 'fulfilled' ? cardOf(one.value) : `${(one.reason as Error).message}\n`,
    )
  }
  return played.every(({ status }) => status === 'fulfilled') ? 0 : 1
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(statusOf(error))
  },
)
