import { parseArgs } from 'node:util'
import { answerQuestion } from '#shared/domain/answer-question.ts'
import {
  actsIn,
  askedOfSample,
  ENDS_AT,
  missesOfAnswer,
  outageOf,
  readSampleOutage,
} from '#test/sample-outage/asked-of-sample-outage.ts'

const HELP = `Usage: node test/bench/ask-sample-outage.ts [options] [NAME ...]

Asks the questions of test/data/NAME.json (questions-of-the-sample-outage-asked-anew unless told) about the sample outage
and prints how many are answered with what its records show.

  --misses   prints which are not, what is wrong, and the answer
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
  let right = 0
  for (const row of rows) {
    const told = await answerQuestion(
      actsIn(outageOf(outage, row)),
      { query: row.text },
      ENDS_AT + ASKED_AFTER,
    )
    const misses = missesOfAnswer(row, told)
    if (misses.length === 0) right += 1
    else if (values.misses)
      console.log(`“${row.text}” of the outage ${row.outage}: ${misses.join('; ')}\n${told.answer}\n`)
  }
  console.log(`${name}: ${right} of ${rows.length}`)
}

if (values.help) console.log(HELP)
else
  for (const name of positionals.length > 0 ? positionals : ['questions-of-the-sample-outage-asked-anew'])
    await score(name)
