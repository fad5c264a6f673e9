/** What an engine says of where incidents are going and since when they last, beside what their users felt. */
import { parseArgs } from 'node:util'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { runCommand, wholeNumber } from './bench-command.ts'
import { engineOf } from './engine-of-checkout.ts'
import { feltAtEnd } from './felt-at-the-end.ts'
import { incidentsOf, LOOKED_AT } from './simulated-incidents.ts'

const HELP = `Usage: node test/bench/told-states.ts [options]

Counts what the engine says of simulated incidents whose users are still failed when the snapshot ends, and of those that are well
again; and how many are said to have begun minutes after they did. Families that are open to work, on seeds that are never scored
elsewhere.

  --engine DIR     the engine of another checkout; this one's unless given
  --families A,B   which families; all of the generations that are open to work unless given
  --n N            incidents of each, 2 unless given
  --from SEED      first seed, ${LOOKED_AT.from} unless given
  --help           print this
`
/** So much later than the fault the beginning of what failed first is told too late, ms. */
const LATE_MS = 3 * 60_000
/** Since when the summary says that the first service fails. */
const SINCE = /(?:since|failed from|failed at) (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: `${import.meta.dirname}/../..` },
    families: { type: 'string', default: '' },
    n: { type: 'string', default: '2' },
    from: { type: 'string', default: String(LOOKED_AT.from) },
    help: { type: 'boolean', default: false },
  },
})

const isLate = ({ summary }: Findings, began: number): boolean => {
  const [, day, time] = SINCE.exec(summary) ?? []
  return day !== undefined && Date.parse(`${day}T${time}Z`) - began > LATE_MS
}

async function main(): Promise<void> {
  const { investigate, ENGINE_VERSION } = await engineOf(values.engine)
  const told: Record<'failing' | 'well', Map<Findings['state'], number>> = {
    failing: new Map(),
    well: new Map(),
  }
  let [all, late] = [0, 0]
  const families = values.families === '' ? [] : values.families.split(',')
  for (const { made } of incidentsOf(
    families,
    wholeNumber('n', values.n, 1),
    wholeNumber('from', values.from),
  )) {
    const findings = investigate(made.snapshot)
    all += 1
    if (isLate(findings, made.truth.began_ms)) late += 1
    const felt = feltAtEnd(made.snapshot, made.truth.began_ms)
    if (felt !== null) told[felt].set(findings.state, (told[felt].get(findings.state) ?? 0) + 1)
  }
  console.log(`Engine ${ENGINE_VERSION}, ${all} incidents`)
  for (const [felt, states] of Object.entries(told)) {
    const sum = [...states.values()].reduce((one, other) => one + other, 0)
    const parts = [...states].toSorted(([, a], [, b]) => b - a).map(([state, count]) => `${state} ${count}`)
    console.log(`users ${felt} at the end, ${sum}: ${parts.join(', ')}`)
  }
  console.log(`said to have begun more than ${LATE_MS / 60_000} minutes after the fault: ${late}`)
}

await runCommand(HELP, values.help, main)
