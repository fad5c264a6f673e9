import { parseArgs } from 'node:util'
import { runCommand, wholeNumber } from './bench-command.ts'
import { NEWEST, OLDEST } from './generations.ts'
import { type Scored, scoreTurn } from './rca-simulator.ts'
import { HEAD_OF_FIGURES, SCORED_FIGURES } from './scored-figures.ts'
import { incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const HELP = `Usage: node test/bench/score-families.ts [options]

Scores the engine on simulated incidents of families that are open to work, on seeds that are never scored elsewhere
(${LOOKED_AT.from} to ${LOOKED_AT.until - 1}); prints a line for each family and one for all.

  --families A,B   which families; all of the ${OLDEST.name} to ${NEWEST.name} generation that are not held out unless given
  --n N            incidents of each, 3 unless given
  --from SEED      first seed, ${LOOKED_AT.from} unless given
  --help           print this
`

const row = (name: string, scored: readonly Scored[]): string =>
  `| ${[name, scored.length, ...SCORED_FIGURES.map(([, holds]) => scored.filter(holds).length)].join(' | ')} |`

const { values } = parseArgs({
  options: {
    families: { type: 'string', default: '' },
    n: { type: 'string', default: '3' },
    from: { type: 'string', default: String(LOOKED_AT.from) },
    help: { type: 'boolean', default: false },
  },
})

/** Scores and prints, a line as soon as a family is done. */
function score(names: readonly string[], count: number, from: number): void {
  console.log(HEAD_OF_FIGURES)
  const all: Scored[] = []
  let own: Scored[] = []
  const tell = (): void => {
    if (own[0] !== undefined) console.log(row(own[0].family, own))
    own = []
  }
  for (const turn of incidentsOf(names, count, from)) {
    if (own[0]?.family !== turn.family) tell()
    const scored = scoreTurn(turn)
    own.push(scored)
    all.push(scored)
  }
  tell()
  console.log(row('all', all))
}

await runCommand(HELP, values.help, () =>
  score(
    values.families.split(',').filter((name) => name !== ''),
    wholeNumber('n', values.n, 1),
    wholeNumber('from', values.from),
  ),
)
