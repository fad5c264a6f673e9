import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rivalVersions } from './rival-handlers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KEPT = path.join(ROOT, 'reports', 'bench')
const DOCUMENT = path.join(ROOT, 'docs', 'benchmarks.md')

/** One command of the record. */
interface Part {
  readonly title: string
  /** What the table says and how it was taken, for the document. */
  readonly about: string
  /** As a person types it after `npm run --silent`. */
  readonly command: string
  readonly script: string
  readonly args: readonly string[]
}

const PARTS: Readonly<Record<string, Part>> = {
  sizes: {
    title: 'Bundles',
    about:
      'What a cold start of each function reads, minified and compressed, and the parts beside it that are read at their first use.',
    command: 'bundle:sizes',
    script: 'infra/commands/bundle-sizes.ts',
    args: [],
  },
  cold: {
    title: 'Cold start',
    about:
      "Import and first call in a fresh process: as bundled here, and from the same source with CDK's defaults; goal 0.65 of those. Beside them hello worlds on other frameworks, which authenticate nobody, store nothing and log nothing; goal 1.1 of the one on Express. The store is an emulator on the same two cores, so a function that asks it twice waits for it twice. Last: the same bundles with V8's compile cache warm.",
    command: 'bench:cold -- --rivals --compile-cache',
    script: 'test/bench/cold.ts',
    args: ['--rivals', '--compile-cache'],
  },
  warm: {
    title: 'Warm requests',
    about:
      'The chain of an operation (authenticate, limit, validate, log, headers) with its store stubbed, in time of the processor, beside bare handlers and hello worlds on other frameworks; and round trips one after the other.',
    command: 'bench:warm -- --rivals',
    script: 'test/bench/warm.ts',
    args: ['--rivals'],
  },
  deliver: {
    title: 'Deliveries',
    about: 'What a delivery costs, beside bare loops, and from an event to its POST on the local service.',
    command: 'bench:deliver -- --memory 1000000',
    script: 'test/bench/deliver.ts',
    args: ['--memory', '1000000'],
  },
  intake: {
    title: 'Intake of alerts',
    about: 'What taking a message of a tool costs, besides the SDK.',
    command: 'bench:intake',
    script: 'test/bench/intake.ts',
    args: [],
  },
  lists: {
    title: 'Pages of lists',
    about:
      'A page of GET /incidents as the incidents grow, over all 80 combinations of filters: one call, and one item more than it answers, whatever their number.',
    command: 'bench:lists -- --incidents 1000,10000,100000',
    script: 'test/bench/list-pages.ts',
    args: ['--incidents', '1000,10000,100000'],
  },
  investigate: {
    title: 'Investigations',
    about:
      'The engine on simulated incidents; docs/investigation.md has how well it does, on these and on public benchmarks.',
    command: 'bench:rca -- --simulated 60',
    script: 'test/bench/rca.ts',
    args: ['--simulated', '60'],
  },
  soak: {
    title: 'Soak',
    about:
      'A quarter of an hour of mixed load on the local service, with a receiver that accepts for ten seconds and refuses or hangs for five. Memory is that of all its Node processes.',
    command: 'soak',
    script: 'test/bench/soak.ts',
    args: [],
  },
}
const NAMES = Object.keys(PARTS)

const HELP = `Usage: npm run bench -- [--only A,B]

Runs everything that is measured, one after the other, and writes docs/benchmarks.md: ${NAMES.join(', ')}.
It takes long, on a machine at rest. Each part's tables are kept in reports/bench, so that single parts can be run again:
the document is put together from all that are kept. Exit code 1 when a part failed or missed a goal; the document says
which.

  --only A,B  these parts only
  --help      print this
`

/** What a part printed, kept with when and how it ended. */
interface Kept {
  readonly printed: string
  readonly exit: number
  readonly on: string
  readonly minutes: number
}

async function run({ script, args }: Part): Promise<Kept> {
  const began = Date.now()
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed, [exit]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return {
    printed: printed.trim(),
    exit: Number(exit ?? 1),
    on: new Date().toISOString().slice(0, 10),
    minutes: Number(((Date.now() - began) / 60_000).toFixed(1)),
  }
}

const keptFile = (name: string): string => path.join(KEPT, `${name}.json`)

async function document(): Promise<string> {
  const versions = Object.entries(await rivalVersions()).map(([name, version]) => `${name} ${version}`)
  const [cpu] = cpus()
  const sections: string[] = []
  for (const [name, { title, about, command }] of Object.entries(PARTS)) {
    const lines = [`## ${title}`, about, '', '```bash', `npm run --silent ${command}`, '```', '']
    if (existsSync(keptFile(name))) {
      const { printed, exit, on, minutes } = JSON.parse(await readFile(keptFile(name), 'utf8')) as Kept
      const ended = exit === 0 ? 'every goal met' : 'a goal is missed, or the run failed'
      lines.push(printed, '', `Measured on ${on} in ${minutes} min: ${ended}.`)
    } else lines.push('Not measured yet.')
    sections.push(lines.join('\n'))
  }
  return [
    '# Benchmarks',
    'Written by `npm run bench`; each part can be taken alone by the command beside it. Times depend on the machine and on what else it does: ratios of things measured in one alternating run are what compares.',
    '',
    `Machine: ${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown kind'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}. Other frameworks: ${versions.join(', ')}.`,
    '',
    ...sections.flatMap((section) => [section, '']),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const chosen = values.only?.split(',') ?? NAMES
  const unknown = chosen.find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw new Error(`--only knows ${NAMES.join(', ')}, not ${unknown}`)
  await mkdir(KEPT, { recursive: true })
  const missed: string[] = []
  for (const [index, name] of chosen.entries()) {
    const part = PARTS[name]
    if (part === undefined) continue
    process.stderr.write(`== ${index + 1} of ${chosen.length}: ${part.title}\n`)
    const kept = await run(part)
    await writeFile(keptFile(name), `${JSON.stringify(kept, null, 2)}\n`)
    if (kept.exit !== 0) missed.push(name)
    await writeFile(DOCUMENT, await document())
  }
  console.log(
    `docs/benchmarks.md written${missed.length === 0 ? '' : `; failed or with a goal missed: ${missed.join(', ')}`}`,
  )
  if (missed.length > 0) process.exitCode = 1
}

await main()
