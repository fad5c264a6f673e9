/** How an engine answers when tools tell less: the same simulated incidents, each lessened in every way. */
import { parseArgs } from 'node:util'
import { runCommand, wholeNumber } from './bench-command.ts'
import { engineOf } from './engine-of-checkout.ts'
import { LESSENED } from './lessened-snapshots.ts'
import { type Judged, judge, SURE } from './rca-simulator.ts'
import { familiesToLookAt, incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const CHECKOUT = new URL('../..', import.meta.url).pathname

const HELP = `Usage: node test/bench/less-telemetry.ts [options]

Asks an engine of simulated incidents of families that are open to work, on seeds that are never scored elsewhere (${LOOKED_AT.from} to
${LOOKED_AT.until - 1}), with all that tools tell and with less in each of ${LESSENED.length - 1} ways. Prints a line for each.

  --checkout DIR   a checkout of the engine; this one unless given
  --families A,B   which families; all that are not held out unless given
  --n N            incidents of each, 1 unless given
  --from SEED      first seed, ${LOOKED_AT.from} unless given
  --help           print this
`

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: CHECKOUT },
    families: { type: 'string', default: '' },
    n: { type: 'string', default: '1' },
    from: { type: 'string', default: String(LOOKED_AT.from) },
    help: { type: 'boolean', default: false },
  },
})

const FIGURES: readonly (readonly [title: string, holds: (one: Judged) => boolean])[] = [
  ['right', ({ right }) => right],
  [
    'claims that no change is the cause where one is',
    ({ hasChange, namesNoChange }) => hasChange && namesNoChange,
  ],
  [`wrong at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && !rightAtLevel],
  [`right at ≥ ${SURE}`, ({ confidence, rightAtLevel }) => confidence >= SURE && rightAtLevel],
]

/** @throws RangeError for an option that cannot be read, a family that is held out and a seed that is scored */
async function main(): Promise<void> {
  const [count, from] = [wholeNumber('n', values.n, 1), wholeNumber('from', values.from)]
  const families = values.families.split(',').filter((name) => name !== '')
  familiesToLookAt(families)
  const { investigate, ENGINE_VERSION } = await engineOf(values.checkout)
  const judged = LESSENED.map((): Judged[] => [])
  for (const { made } of incidentsOf(families, count, from))
    for (const [index, { lessen }] of LESSENED.entries())
      judged[index]?.push(judge(investigate(lessen(made.snapshot)), made.truth))
  console.log(`Engine ${ENGINE_VERSION}, ${judged[0]?.length} incidents.\n`)
  console.log(`| what is told | ${FIGURES.map(([title]) => title).join(' | ')} |`)
  console.log(`|---|${FIGURES.map(() => '---|').join('')}`)
  for (const [index, { title }] of LESSENED.entries())
    console.log(
      `| ${[title, ...FIGURES.map(([, holds]) => judged[index]?.filter(holds).length)].join(' | ')} |`,
    )
}

await runCommand(HELP, values.help, main)
