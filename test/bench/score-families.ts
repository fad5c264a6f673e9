import { parseArgs } from 'node:util'
import { NEWEST, OLDEST } from './generations.ts'
import { BELIEVED, type Scored, SURE, scoreTurn } from './rca-simulator.ts'
import { incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const HELP = `Usage: node test/bench/score-families.ts [options]

Scores the engine on simulated incidents of families that are open to work, on seeds that are never scored elsewhere
(${LOOKED_AT.from} to ${LOOKED_AT.until - 1}); prints a line for each family and one for all.

  --families A,B   which families; all of the ${OLDEST.name} to ${NEWEST.name} generation that are not held out unless given
  --n N            incidents of each, 3 unless given
  --from SEED      first seed, ${LOOKED_AT.from} unless given
  --help           print this
`

/** What a line tells of the incidents of a family, or of all. */
const COLUMNS: readonly (readonly [title: string, holds: (one: Scored) => boolean])[] = [
  ['right', ({ right }) => right],
  ['right kind, of those without a change', ({ hasChange, rightKind }) => !hasChange && rightKind],
  [
    'claims that no change is the cause where one is',
    ({ hasChange, namesNoChange }) => hasChange && namesNoChange,
  ],
  [`wrong at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && !rightAtLevel],
  [`right at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && rightAtLevel],
  [`below ${BELIEVED} without what decides`, ({ undecided }) => undecided < BELIEVED],
]

const row = (name: string, scored: readonly Scored[]): string =>
  `| ${[name, scored.length, ...COLUMNS.map(([, holds]) => scored.filter(holds).length)].join(' | ')} |`

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
  console.log(`| family | n | ${COLUMNS.map(([title]) => title).join(' | ')} |`)
  console.log(`|---|---|${COLUMNS.map(() => '---|').join('')}`)
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

if (values.help) console.log(HELP)
else
  try {
    const [count, from] = [Number(values.n), Number(values.from)]
    if (!Number.isSafeInteger(count) || count < 1)
      throw new RangeError(`--n is a whole number from 1 on, not "${values.n}"`)
    if (!Number.isSafeInteger(from)) throw new RangeError(`--from is a whole number, not "${values.from}"`)
    score(
      values.families.split(',').filter((name) => name !== ''),
      count,
      from,
    )
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
