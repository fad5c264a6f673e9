import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from '@stryker-mutator/api/core'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { readOptions, statusOf } from '#infra/commands/misuse.ts'
import { wilson } from '../bench/wilson.ts'
import { ALL_TESTS, chosenOf, filesAsked, testsOf } from './sampled-mutants.ts'

const HELP = `Usage: npm run test:mutation:sample -- [--mutants N] [--seed S] [--workers N] [--file PATH]… [--own] [--again]

Draws N of all mutants that Stryker makes of shared/domain, each with the same chance, and tries each against the tests of
its file; what these do not notice is tried against all tests of the domain. Prints the share that was noticed with its
interval, the files one by one, and those that were not noticed. What was tried stands in reports/mutation-sample, so that
a run that was ended goes on where it was, as long as neither files nor tests have changed.

  --mutants N   how many are drawn (default 600)
  --seed S      which ones (default 1)
  --workers N   how many are tried at once (default 2)
  --file PATH   draws from this file of shared/domain alone; may be given more than once
  --own         stops after the tests of each mutant's own file, prints what these did not notice
  --again       forgets what was tried before
  --help        print this

Exit status: 0 at least 85 % noticed, 1 fewer, 2 bad usage.
`
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STRYKER = path.join(ROOT, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const KEPT = path.join(ROOT, 'reports/mutation-sample')
const REPORT = path.join(ROOT, 'reports/mutation.json')
/** The share of mutants that tests have to notice. */
const GOAL = 0.85
/** So many are tried against all tests in one go: what an ended run has to try again takes minutes, not hours. */
const AT_ONCE = 12
/** After so long (ms, beyond what the tests take without a mutant) it runs without end: a busy machine is slower than that. */
const ENDLESS_MS = '120000'
/** What counts as noticed: a test failed, or the mutant ran without end. */
const NOTICED = new Set(['Killed', 'Timeout'])
/** What no test can notice and nobody could write: it does not load, or was ruled out by the settings. */
const NOT_COUNTED = new Set(['CompileError', 'RuntimeError', 'Ignored'])
const SILENT = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false }

type Drawn = ReadonlyMap<string, readonly Mutant[]>

interface Tried {
  readonly file: string
  readonly mutant: Mutant
  readonly status: string
}

/** All mutants of one file, as Stryker makes them. */
async function mutantsOf(file: string): Promise<readonly Mutant[]> {
  const content = readFileSync(path.join(ROOT, file), 'utf8')
  const instrumenter = new Instrumenter(SILENT as unknown as ConstructorParameters<typeof Instrumenter>[0])
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: true }
  return (await instrumenter.instrument([{ name: file, mutate: true, content }], options)).mutants
}

/** What marks a mutant among those of its file. */
const keyOf = ({ location: { start, end }, mutatorName, replacement }: Mutant): string =>
  JSON.stringify([start.line, start.column, end.line, end.column, mutatorName, replacement])

/**
 * Runs Stryker over the places of some mutants of files that have the same tests.
 * @throws Error when it did not come to an end, or left one of them out
 */
async function stryker(chosen: Drawn, tests: string, workers: number): Promise<readonly Tried[]> {
  const places = [...chosen].flatMap(([file, mutants]) =>
    mutants.map(
      ({ location: { start, end } }) =>
        `${file}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`,
    ),
  )
  rmSync(REPORT, { force: true })
  const env = { ...process.env, MUTATION_TESTS: tests }
  const options = ['--mutate', places.join(','), '--concurrency', String(workers), '--timeoutMS', ENDLESS_MS]
  const arguments_ = [STRYKER, 'run', 'test/mutation/stryker.config.json', ...options]
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, arguments_, { cwd: ROOT, env, maxBuffer: 1e8 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  if (!existsSync(REPORT)) throw new Error(`nothing was tried by ${tests}:\n${said.slice(-3_000)}`)
  const { files } = JSON.parse(readFileSync(REPORT, 'utf8')) as {
    readonly files: Record<string, { readonly mutants: readonly (Mutant & { readonly status: string })[] }>
  }
  return [...chosen].flatMap(([file, mutants]) => {
    const found = new Map(
      (files[file]?.mutants ?? []).map((mutant) => [keyOf(fromOne(mutant)), mutant.status]),
    )
    return mutants.map((mutant) => {
      const status = found.get(keyOf(mutant))
      if (status === undefined) throw new Error(`${file}: Stryker did not report ${keyOf(mutant)}`)
      return { file, mutant, status }
    })
  })
}

/** The report counts lines and columns from one, everything else from zero. */
function fromOne(mutant: Mutant): Mutant {
  const { start, end } = mutant.location
  const less = ({ line, column }: typeof start): typeof start => ({ line: line - 1, column: column - 1 })
  return { ...mutant, location: { start: less(start), end: less(end) } }
}

const noticedOf = (all: readonly Tried[]): readonly Tried[] => all.filter(({ status }) => NOTICED.has(status))

function tableOf(all: readonly Tried[]): string {
  const rows = [...Map.groupBy(all, ({ file }) => file)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, of]) => `| ${file.replace('shared/domain/', '')} | ${of.length} | ${noticedOf(of).length} |`)
  return ['| file of `shared/domain` | drawn | noticed |', '|---|---|---|', ...rows].join('\n')
}

async function main(): Promise<number> {
  const { values } = readOptions({
    options: {
      mutants: { type: 'string', default: '600' },
      seed: { type: 'string', default: '1' },
      workers: { type: 'string', default: '2' },
      file: { type: 'string', multiple: true, default: [] },
      own: { type: 'boolean', default: false },
      again: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [count, seed, workers] = [Number(values.mutants), Number(values.seed), Number(values.workers)]
  if (![count, seed, workers].every((number) => Number.isInteger(number) && number > 0)) {
    process.stderr.write('--mutants, --seed and --workers must be whole numbers above 0\n')
    return 2
  }
  const there = globSync('shared/domain/**/*.ts', { cwd: ROOT }).filter(
    (file) => file !== 'shared/domain/ports.ts',
  )
  const unknown = values.file.find((file) => !there.includes(file))
  if (unknown !== undefined) {
    process.stderr.write(`--file ${unknown}: no file of shared/domain that has mutants\n`)
    return 2
  }
  if (values.again) rmSync(KEPT, { recursive: true, force: true })
  mkdirSync(KEPT, { recursive: true })
  const mutants = new Map<string, readonly Mutant[]>()
  for (const file of filesAsked(there, values.file)) mutants.set(file, await mutantsOf(file))
  const chosen = chosenOf(mutants, count, seed)
  /** Tries mutants, or reads how they did when they were tried before. */
  const tryAll = async (of: Drawn, tests: string): Promise<readonly Tried[]> => {
    const keys = [...of].map(([file, some]) => [file, some.map(keyOf)])
    // With what these files say: after a test was added, or a line changed, what was tried before tells nothing.
    const texts = [...of.keys(), ...globSync(tests.split(','), { cwd: ROOT }).toSorted()].map((file) =>
      readFileSync(path.join(ROOT, file), 'utf8'),
    )
    const name = createHash('sha256')
      .update(JSON.stringify([tests, keys, texts]))
      .digest('hex')
      .slice(0, 16)
    const kept = path.join(KEPT, `${name}.json`)
    if (!existsSync(kept)) writeFileSync(kept, JSON.stringify(await stryker(of, tests, workers), null, 1))
    const tried = JSON.parse(readFileSync(kept, 'utf8')) as readonly Tried[]
    process.stderr.write(`${[...of.keys()].join(' ')} ${noticedOf(tried).length} of ${tried.length}\n`)
    return tried
  }
  const byOwnTests: Tried[] = []
  for (const [tests, of] of Map.groupBy(chosen, ([file]) => testsOf(file).join(',')))
    byOwnTests.push(...(await tryAll(new Map(of), tests)))
  const counted = byOwnTests.filter(({ status }) => !NOT_COUNTED.has(status))
  const left = counted.filter(({ status }) => !NOTICED.has(status))
  const tests = ALL_TESTS.join(',')
  process.stderr.write(
    `${left.length} that their own tests did not notice${values.own ? '' : ', against all tests'}:\n`,
  )
  const byAllTests: Tried[] = values.own ? [...left] : []
  for (let from = 0; from < left.length && !values.own; from += AT_ONCE) {
    const some = Map.groupBy(left.slice(from, from + AT_ONCE), ({ file }) => file)
    const of = new Map([...some].map(([file, tried]) => [file, tried.map(({ mutant }) => mutant)]))
    byAllTests.push(...(await tryAll(of, tests)))
  }
  const own = noticedOf(counted)
  const all = [...own, ...byAllTests]
  const noticed = noticedOf(all).length
  const { low, high } = wilson(noticed, all.length)
  for (const { file, mutant, status } of byAllTests)
    if (!NOTICED.has(status))
      process.stderr.write(
        `${status} ${file}:${mutant.location.start.line + 1} ${mutant.replacement.slice(0, 100)}\n`,
      )
  const made = [...mutants.values()].reduce((sum, { length }) => sum + length, 0)
  process.stdout.write(
    `${tableOf(all)}\n\n${noticed} of ${all.length} drawn were noticed, of ${made} that there are: ` +
      `${((noticed / all.length) * 100).toFixed(1)} % (${(low * 100).toFixed(0)} to ${(high * 100).toFixed(0)} % at 95 %); ` +
      `${own.length} of them by the tests of their own file\n`,
  )
  return noticed / all.length >= GOAL ? 0 : 1
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(statusOf(error))
  },
)
