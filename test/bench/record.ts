import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchmarksPage, measuredIn } from './benchmarks-page.ts'
import { rivalVersions } from './rival-handlers.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
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
      "Import and first call in a fresh process: as bundled here, and from the same source with CDK's defaults; goal 0.65 of those. Beside them hello worlds on other frameworks, which authenticate nobody, store nothing and log nothing; goal 1.1 of the one on Express. What the store answers was recorded from an emulator in the same run, and comes at once from a process of its own. Last: the same bundles with V8's compile cache warm.",
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
    command: 'bench:lists -- --incidents 1000,10000,100000,1000000',
    script: 'test/bench/list-pages.ts',
    args: ['--incidents', '1000,10000,100000,1000000'],
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
It takes long, on a machine at rest. Single parts can be run again: the others stay as the document has them. Exit code
1 when a part failed or missed a goal; the document says which.

  --only A,B  these parts only
  --help      print this
`

/** What a part printed and how it ended, as the document tells it. */
interface Measured {
  readonly text: string
  readonly met: boolean
}

async function run({ script, args }: Part): Promise<Measured> {
  const began = Date.now()
  const child = spawn(process.execPath, [path.join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed, [exit]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const minutes = ((Date.now() - began) / 60_000).toFixed(1)
  const ended = exit === 0 ? 'every goal met' : 'a goal is missed, or the run failed'
  const on = new Date().toISOString().slice(0, 10)
  // What is no table was laid out for a terminal.
  const shown = /^\|/m.test(printed) ? printed.trim() : `\`\`\`text\n${printed.trimEnd()}\n\`\`\``
  return {
    text: `${shown}\n\nMeasured on ${on} in ${minutes} min, on ${machine()}: ${ended}.`,
    met: exit === 0,
  }
}

/** What a part was taken on: parts that are taken alone may come from different machines. */
const machine = (): string =>
  `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`

/** @param measured what there is of each part, by its title */
async function documentOf(measured: ReadonlyMap<string, string>): Promise<string> {
  const versions = Object.entries(await rivalVersions()).map(([name, version]) => `${name} ${version}`)
  return benchmarksPage(
    `Other frameworks: ${versions.join(', ')}.`,
    Object.values(PARTS).map((part) => ({ ...part, measured: measured.get(part.title) })),
  )
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
  const measured = new Map(measuredIn(existsSync(DOCUMENT) ? await readFile(DOCUMENT, 'utf8') : ''))
  const missed: string[] = []
  for (const [index, name] of chosen.entries()) {
    const part = PARTS[name]
    if (part === undefined) continue
    process.stderr.write(`== ${index + 1} of ${chosen.length}: ${part.title}\n`)
    const { text: told, met } = await run(part)
    measured.set(part.title, told)
    if (!met) missed.push(name)
    await writeFile(DOCUMENT, await documentOf(measured))
  }
  console.log(
    `docs/benchmarks.md written${missed.length === 0 ? '' : `; failed or with a goal missed: ${missed.join(', ')}`}`,
  )
  if (missed.length > 0) process.exitCode = 1
}

await main()
