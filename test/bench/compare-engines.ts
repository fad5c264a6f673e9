/**
 * What a rule gains on faults that an engine had not seen: two engines, each in a checkout of its own, on the same incidents. An
 * engine of the commit before a generation was opened has never seen its families. With a rule carried over to it, and without,
 * it says whether the rule is general or a fit to what it was made for.
 */
import { parseArgs } from 'node:util'
import { runCommand, wholeNumber } from './bench-command.ts'
import { engineOf } from './engine-of-checkout.ts'
import { GENERATIONS, NEWEST } from './generations.ts'
import { type Scored, scoreTurn } from './rca-simulator.ts'
import { HEAD_OF_FIGURES, SCORED_FIGURES } from './scored-figures.ts'
import { familiesToLookAt, incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const HELP = `Usage: node test/bench/compare-engines.ts --before DIR --after DIR [options]

Scores the engines of two checkouts on the same simulated incidents, on seeds that are never scored elsewhere (${LOOKED_AT.from} to
${LOOKED_AT.until - 1}). Prints a line for each family and one for all, each figure before and after.

  --before DIR       a checkout of one engine
  --after DIR        a checkout of the other
  --generation NAME  its families that are not held out; of all generations unless given
  --families A,B     these families instead
  --n N              incidents of each, 3 unless given
  --from SEED        first seed, ${LOOKED_AT.from} unless given
  --help             print this
`

/** One incident as both engines answer it. */
interface Compared {
  readonly before: Scored
  readonly after: Scored
}

/** A line of the table: of each figure the count before and after. */
const row = (name: string, compared: readonly Compared[]): string => {
  const counts = SCORED_FIGURES.map(([, holds]) =>
    [compared.map(({ before }) => before), compared.map(({ after }) => after)]
      .map((scored) => scored.filter(holds).length)
      .join(' → '),
  )
  return `| ${[name, compared.length, ...counts].join(' | ')} |`
}

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string' },
    generation: { type: 'string' },
    families: { type: 'string' },
    n: { type: 'string', default: '3' },
    from: { type: 'string', default: String(LOOKED_AT.from) },
    help: { type: 'boolean', default: false },
  },
})

/** @throws RangeError where there is no generation of that name */
function familiesAsked(): readonly string[] {
  if (values.families !== undefined) return values.families.split(',')
  if (values.generation === undefined) return []
  const generation = GENERATIONS.find(({ name }) => name === values.generation)
  if (generation === undefined) throw new RangeError(`there is no generation "${values.generation}"`)
  const heldOut: readonly string[] = generation === NEWEST ? generation.held_out : []
  return Object.keys(generation.families).filter((name) => !heldOut.includes(name))
}

/** @throws RangeError for an option that is missing or cannot be read, a family that is held out and a seed that is scored */
async function compare(): Promise<void> {
  const [count, from] = [wholeNumber('n', values.n, 1), wholeNumber('from', values.from)]
  if (values.before === undefined || values.after === undefined)
    throw new RangeError('--before and --after are needed: a checkout each')
  const [before, after] = [await engineOf(values.before), await engineOf(values.after)]
  const families = familiesAsked()
  familiesToLookAt(families)
  console.log(HEAD_OF_FIGURES)
  const all: Compared[] = []
  let own: Compared[] = []
  const tell = (): void => {
    if (own[0] !== undefined) console.log(row(own[0].before.family, own))
    own = []
  }
  for (const turn of incidentsOf(families, count, from)) {
    if (own[0]?.before.family !== turn.family) tell()
    own.push({ before: scoreTurn(turn, before.investigate), after: scoreTurn(turn, after.investigate) })
    all.push(own.at(-1) as Compared)
  }
  tell()
  console.log(row('all', all))
}

await runCommand(HELP, values.help, compare)
