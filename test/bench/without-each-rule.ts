/**
 * What each rule of the engine is worth: `npm run bench:rules -- --write docs/engine-rules.md` has simulated incidents
 * investigated as the engine is, and again with each rule that found something there told to find nothing. A rule that
 * serves faults which were written after it has learnt something that holds elsewhere; one that serves nobody, or costs more
 * than it gains, is one that the engine may do without.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ENGINE_VERSION } from '#shared/domain/investigation/investigate.ts'
import { switchedEngine } from './altered-engine.ts'
import { runCommand, wholeNumber } from './bench-command.ts'
import { type EngineRule, keyOfRule } from './engine-rules.ts'
import { NEWEST, OLDEST } from './generations.ts'
import { weighGiven, weighSimulated } from './rule-worth.ts'
import { pageOfRules, type RuleWorth } from './rules-page.ts'
import { EARLY_AND_LATE, familiesToLookAt, incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const HELP = `Usage: npm run bench:rules -- [options]

Investigates simulated incidents of the families that are open to work (early, late and the ${OLDEST.name} to ${NEWEST.name} generation, without
those that are held out), on seeds that are never scored elsewhere, once as the engine is and once without each rule that found
something; and cases of the public sets likewise.

  --data DIR     the folder that holds rca/ (default: INCIDENT_DATA); without it no public set
  --n N          incidents of each family, 2 unless given
  --from SEED    first seed, ${LOOKED_AT.from} unless given
  --families A,B these families alone
  --write FILE   writes the page there (default: prints it)
  --help         print this
`
const ROOT = join(import.meta.dirname, '../..')
/** Incidents after which the progress is told. */
const TOLD_EACH = 20

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    n: { type: 'string', default: '2' },
    from: { type: 'string', default: String(LOOKED_AT.from) },
    families: { type: 'string', default: '' },
    write: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** When what a git search finds was first there, as an ISO instant; empty where it is not committed. */
const firstCommit = (...search: readonly string[]): string =>
  execFileSync('git', ['log', '--reverse', '--format=%cI', ...search], { cwd: ROOT, encoding: 'utf8' })
    .split('\n', 1)
    .join('')

/** When a rule was first there by its name. */
const writtenAt = ({ name }: EngineRule): string => firstCommit(`-S${name}`, '--', 'shared/domain')

/** When the families of a generation were written. */
function generationsWritten(): (age: string) => string {
  const known = new Map<string, string>()
  return (age) => {
    const at =
      known.get(age) ?? firstCommit('--diff-filter=A', '--', `test/simulator/${age}-changed-faults.ts`)
    known.set(age, at)
    return at
  }
}

async function worthOfRules(): Promise<string> {
  const [count, from] = [wholeNumber('n', values.n, 1), wholeNumber('from', values.from)]
  const engine = await switchedEngine()
  const worths = new Map<string, RuleWorth>(
    engine.rules.map((rule) => [
      keyOfRule(rule),
      {
        ...{ rule, written: writtenAt(rule), found: 0, altered: 0, right_with: [], right_without: [] },
        ...{ wrong: 0, sure: 0, undecided: 0, given_found: 0, given_net: 0 },
      },
    ]),
  )
  const written = generationsWritten()
  const named = values.families.split(',').filter((name) => name !== '')
  const open = [...EARLY_AND_LATE, ...familiesToLookAt([]).map(({ family }) => family)]
  const simulated = { n: 0, right: 0 }
  const began = performance.now()
  for (const turn of incidentsOf(named.length === 0 ? open : named, count, from)) {
    simulated.right += Number(weighSimulated(worths, engine, turn))
    simulated.n += 1
    if (simulated.n % TOLD_EACH > 0) continue
    const minutes = (performance.now() - began) / 60_000
    process.stderr.write(`${simulated.n} incidents, ${minutes.toFixed(1)} min\n`)
  }
  const data = values.data ?? (process.env.INCIDENT_DATA || undefined)
  return pageOfRules([...worths.values()], {
    ...{ simulated, given: data === undefined ? null : await weighGiven(worths, engine, data) },
    ...{ engine: ENGINE_VERSION, written },
    command: `npm run bench:rules -- --data DIR${named.length > 0 ? ` --families ${named.join(',')}` : ''} --n ${count} --from ${from}`,
    of: named.length > 0 ? 'the families that the command names' : 'all families that are open to work',
  })
}

await runCommand(HELP, values.help, async () => {
  const page = await worthOfRules()
  if (values.write === undefined) process.stdout.write(page)
  else await writeFile(values.write, page)
})
