/**
 * What the engine was worth on faults that nobody who works on it had seen: each generation as the engine of its day answers it,
 * and the newest generations together. An expected calibration error says something from 1,000 incidents on, and one generation
 * has 200, of ten families that are each found or missed as a whole: only several together can be held against its goal.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand, wholeNumber } from './bench-command.ts'
import { engineOf } from './engine-of-checkout.ts'
import { GENERATIONS, type GenerationName, NEWEST } from './generations.ts'
import { type Scored, scoreTurn, tableOf } from './rca-simulator.ts'
import { scoredIncidentsOf } from './simulated-incidents.ts'

const CHECKOUT = new URL('../..', import.meta.url).pathname

/** The commits at which the engine was first asked of each fair sample, before anybody who works on it had seen one of its families. */
const BLIND_AT: Partial<Readonly<Record<GenerationName, string>>> = {
  thirteenth: '5245cd7',
  fourteenth: '210a2d2',
  fifteenth: '00ca203',
  sixteenth: '6ed6903',
  seventeenth: '22f73fb',
  eighteenth: '0693920',
  nineteenth: '9b23734',
  twentieth: '7102f5b',
  'twenty-first': '18d190d',
  'twenty-second': '37c10a9',
  'twenty-third': '1ea91e2',
  'twenty-fourth': 'f80e132',
  'twenty-fifth': 'fe0483d',
  'twenty-sixth': 'f93c77e',
  'twenty-seventh': '187d287',
  'twenty-eighth': 'bdc514b',
  'twenty-ninth': '187b467',
}
/** Incidents of a generation, as many as its blind look scored. */
const EACH = 200
/** From so many incidents on the calibration error is held against its goal. */
const ENOUGH = 1_000

const HELP = `Usage: node test/bench/blind-generations.ts [options]

Asks of each generation that is a fair sample the engine of the commit at which it was new, on its scored seeds, and prints how many
are right, and the expected calibration error (ECE): of each generation, and of the newest together, from ${ENOUGH} incidents on.
Needs the history of the repository. It scores what is held out, of which it prints no line.

  --each N      incidents of each generation, ${EACH} unless given
  --since NAME  only this generation and those after it
  --help        print this
`

const percent = (of: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * of) / all)} %`)

/** The figures that a goal is set for, controls apart. */
const figuresOf = (name: GenerationName, scored: readonly Scored[]) =>
  tableOf(name, scored).figures.filter(({ goal }) => goal !== null && !('of' in goal))

/** A line of the table: of each figure the share of those that it can hold of. */
const line = (title: string, name: GenerationName, scored: readonly Scored[]): string =>
  `| ${[
    title,
    scored.length,
    ...figuresOf(name, scored).map(({ passed, total }) => percent(passed, total)),
    tableOf(name, scored).ece.toFixed(3),
    tableOf(name, scored).ece_with_lessened.toFixed(3),
  ].join(' | ')} |`

/** What an engine of an earlier commit answers of a generation, as the first look at it scored it. */
async function scoredBlind(name: GenerationName, commit: string, each: number): Promise<readonly Scored[]> {
  const folder = mkdtempSync(join(tmpdir(), 'blind-engine-'))
  try {
    const packed = execFileSync('git', ['archive', commit, 'shared', 'package.json'], {
      cwd: CHECKOUT,
      maxBuffer: 1 << 28,
    })
    execFileSync('tar', ['-x', '-C', folder], { input: packed })
    symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
    const { investigate } = await engineOf(folder)
    return [...scoredIncidentsOf(name, each)].map((turn) => scoreTurn(turn, investigate))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: {
    each: { type: 'string', default: String(EACH) },
    since: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** @throws RangeError where there is no generation of that name */
function generationsSince(since: string | undefined): readonly (typeof GENERATIONS)[number][] {
  if (since === undefined) return GENERATIONS
  const first = GENERATIONS.findIndex(({ name }) => name === since)
  if (first < 0) throw new RangeError(`there is no generation "${since}"`)
  return GENERATIONS.slice(first)
}

async function main(): Promise<void> {
  const each = wholeNumber('each', values.each, 1)
  const asked = generationsSince(values.since)
  const titles = [
    'generation, commit',
    'n',
    ...figuresOf(NEWEST.name, []).map(({ name }) => name),
    'ECE',
    'ECE, each also without what decides',
  ]
  console.log(`| ${titles.join(' | ')} |\n|${'---|'.repeat(titles.length)}`)
  const all: (readonly [GenerationName, readonly Scored[]])[] = []
  for (const { name } of asked) {
    const commit = BLIND_AT[name]
    if (commit === undefined) continue
    const scored = await scoredBlind(name, commit, each)
    all.push([name, scored])
    console.log(line(`${name}, ${commit}`, name, scored))
  }
  const together: Scored[] = []
  for (const [name, scored] of all.toReversed()) {
    together.push(...scored)
    if (together.length >= ENOUGH)
      console.log(line(`${name} to ${all.at(-1)?.[0]}, together`, name, together))
  }
}

await runCommand(HELP, values.help, main)
