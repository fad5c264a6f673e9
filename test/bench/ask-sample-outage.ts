import { parseArgs } from 'node:util'
import {
  askedOfSample,
  ENDS_AT,
  isHalved,
  missesOfAnswer,
  readSampleOutage,
  tellOfSample,
} from '#test/sample-outage/asked-of-sample-outage.ts'
import { type Half, halfOf } from './questions-on-call.ts'

const HELP = `Usage: node test/bench/ask-sample-outage.ts [options] [NAME ...]

Asks the questions of test/data/NAME.json (questions-of-the-sample-outage-asked-anew unless told) about the sample outage
and prints how many are answered with what its records show, of a file with halves in either half.

  --misses   prints which are not, what is wrong, and the answer; of half B nothing is printed but totals
  --help     print this
`
/** A question is asked this long after the window of the records has ended, milliseconds. */
const ASKED_AFTER = 20_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { misses: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})

async function score(name: string): Promise<void> {
  const outage = await readSampleOutage()
  const rows = askedOfSample(name)
  const halves: Record<Half, boolean[]> = { A: [], B: [] }
  for (const row of rows) {
    const { told } = await tellOfSample(outage, row, ENDS_AT + ASKED_AFTER)
    const misses = missesOfAnswer(row, told)
    const half = isHalved(name) ? halfOf({ ask: row.text }) : 'A'
    halves[half].push(misses.length === 0)
    if (values.misses && misses.length > 0 && half === 'A')
      console.log(`“${row.text}” of the outage ${row.outage}: ${misses.join('; ')}\n${told.answer}\n`)
  }
  const share = (of: readonly boolean[]): string => `${of.filter(Boolean).length} of ${of.length}`
  if (isHalved(name)) console.log(`${name}: A ${share(halves.A)}, B ${share(halves.B)}`)
  else console.log(`${name}: ${share(halves.A)}`)
}

if (values.help) console.log(HELP)
else
  for (const name of positionals.length > 0 ? positionals : ['questions-of-the-sample-outage-asked-anew'])
    await score(name)
