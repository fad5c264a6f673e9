import { parseArgs } from 'node:util'
import {
  type Corpus,
  type Half,
  halfIn,
  missesOf,
  readTyped,
  scoredCorpora,
  scoreOf,
  type TypedQuestion,
} from './questions-on-call.ts'

const HELP = `Usage: node test/bench/score-questions.ts [options]

Reads every question that was typed on call (${Object.keys(scoredCorpora)
  .map((name) => `test/data/${name}.json`)
  .join(', ')})
and prints how many of each corpus are read as they are meant, in either half. The tables of words are mended on half A; half B is a measure only as long as nobody looks at which are misread.

  --intents  prints how many are all right by the intent that is meant, the first of several
  --misses   prints which questions of half A are misread, and as what; of half B nothing is printed but totals
  --help     print this
`

const { values } = parseArgs({
  options: {
    intents: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const share = (some: number, all: number): string =>
  all === 0 ? 'none' : `${some} of ${all} (${Math.round((100 * some) / all)} %)`

function row(name: string, corpus: Corpus, half: Half): string {
  const { all, right, intent, subject, window, to_refuse, refused, to_answer, refused_wrongly } = scoreOf(
    corpus,
    half,
  )
  return `| ${[
    name,
    half,
    share(right, all),
    share(intent, all),
    share(subject, all),
    share(window, all),
    share(refused, to_refuse),
    share(refused_wrongly, to_answer),
  ].join(' | ')} |`
}

if (values.help) console.log(HELP)
else {
  console.log(
    '| corpus | half | all right | intent | subject | window | refused as it must be | refused wrongly |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const [name, corpus] of Object.entries(scoredCorpora))
    for (const half of ['A', 'B'] as const) console.log(row(name, corpus, half))
  if (values.intents) for (const [name, corpus] of Object.entries(scoredCorpora)) tellIntents(name, corpus)
  if (values.misses) for (const corpus of Object.values(scoredCorpora)) tellMisses(corpus)
}

function tellIntents(name: string, corpus: Corpus): void {
  const intentOf = (typed: TypedQuestion): string => [typed.intent].flat()[0] ?? 'none'
  console.log(`\n| intent of ${name} | A | B |\n|---|---|---|`)
  for (const intent of [...new Set(corpus.questions.map(intentOf))].sort()) {
    const questions = corpus.questions.filter((typed) => intentOf(typed) === intent)
    const of = (['A', 'B'] as const).map((half) => scoreOf({ ...corpus, questions }, half))
    console.log(`| ${intent} | ${of.map(({ all, right }) => `${right} of ${all}`).join(' | ')} |`)
  }
}

function tellMisses(corpus: Corpus): void {
  for (const typed of corpus.questions) {
    const misses = halfIn(corpus, typed) === 'A' ? missesOf(corpus, typed) : []
    if (misses.length === 0) continue
    const { question, service, others, window } = readTyped(corpus, typed)
    const time =
      window === null
        ? 'no window'
        : `${new Date(window.from).toISOString()} to ${new Date(window.to).toISOString()}`
    console.log(
      `${misses.join('+')}: ${typed.after === undefined ? '' : `“${typed.after}”, `}“${typed.ask}” is read as ${question.intent}${question.refusal === null ? '' : ` (${question.refusal})`}, ${[service, ...others].join('+') || 'nobody'}, suspect ${question.suspect}, unknown ${question.unknown}, ${time}`,
    )
  }
}
