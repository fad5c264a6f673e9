/** The sample outage as it was and as it would be after a rollback, and what is asked about it. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SAMPLE_INCIDENT } from '#infra/sample-outage/sample-incident.ts'
import { writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { answerQuestion, type QuestionActs } from '#shared/domain/answer-question.ts'
import type { Change, Pulled, Series } from '#shared/domain/investigation/records/snapshot.ts'
import type { StoredAnswer } from '#shared/domain/ports.ts'
import { actsOn } from '#test/domain/acts-by-hand.ts'
import { sampleIncident } from '#test/storage/sample-incidents.ts'

/** A question about the sample outage with what its answer must say; of a list of intents any is right. */
export interface AskedOfSample {
  readonly text: string
  /** The question that this one follows on. */
  readonly after?: string
  readonly written: 'before' | 'after' | 'found'
  readonly outage: 'as it was' | 'rolled back' | 'rolled back in vain'
  readonly intent: string | readonly string[]
  readonly holds: readonly string[]
  readonly lacks: readonly string[]
}

interface SampleCorpus {
  /** How its questions are parted, where the reading may be mended on one half alone. */
  readonly halves?: string
  readonly questions: readonly AskedOfSample[]
}

function sampleCorpus(name: string): SampleCorpus {
  return JSON.parse(readFileSync(new URL(`../data/${name}.json`, import.meta.url), 'utf8'))
}

/** The questions of a file of test/data, by its name without the ending. */
export const askedOfSample = (name: string): readonly AskedOfSample[] => sampleCorpus(name).questions

/** Whether only half of the questions of a file may be looked at when answers are mended. */
export const isHalved = (name: string): boolean => sampleCorpus(name).halves !== undefined

/** When the sample outage is asked about: its window ends then. */
export const ENDS_AT = Date.UTC(2026, 2, 1, 18)
const MINUTE = 60_000
/** When the rollback began, and was done. */
const BACK = ENDS_AT - 12 * MINUTE
const DONE = BACK + MINUTE

/** The records of the sample outage, as the bundle of it is read. */
export async function readSampleOutage(): Promise<Pulled> {
  const root = await mkdtemp(join(tmpdir(), 'sample-outage-'))
  try {
    await writeSampleOutage(join(root, 'sample'), { endsAt: ENDS_AT })
    return await readBundle(folderBundle(root, 'sample'), { query: 'bundle:sample', integration_id: 'int_1' })
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const ROLLBACK: Omit<Change, 'source'> = {
  ...{
    id: 'deploy-pricing-43',
    kind: 'deploy',
    entity: 'pricing',
    title: 'Deploy pricing v41',
    actor: 'mara',
  },
  ...{ before: 'v42', after: 'v41', recorded_at: BACK, effective_at: { from: BACK, to: DONE } },
}

/** The series with the values of a calm hour from the rollback on. */
function calmed(series: Series): Series {
  const calm = series.values.slice(0, series.times.filter((at) => at < ENDS_AT - 100 * MINUTE).length)
  const values = series.values.map((value, index) =>
    (series.times[index] as number) >= DONE && calm.length > 0
      ? (calm[index % calm.length] as number)
      : value,
  )
  return { ...series, values }
}

/** The outage as it would be on record if somebody had rolled back, with or without effect. */
export function outageOf(outage: Pulled, { outage: which }: AskedOfSample): Pulled {
  if (which === 'as it was') return outage
  const [record] = outage.changes
  const changes = [...outage.changes, { ...ROLLBACK, source: record?.source ?? '' }]
  if (which === 'rolled back in vain') return { ...outage, changes }
  return {
    ...outage,
    changes,
    series: outage.series.map(calmed),
    edges: outage.edges.map((edge) =>
      edge.t0 >= DONE && edge.calls !== undefined ? { ...edge, failed: 0 } : edge,
    ),
    logs: outage.logs.filter(({ timestamp, severity }) => timestamp < DONE || severity === 'INFO'),
    log_counts: outage.log_counts.map((count) => (count.t0 >= DONE ? { ...count, count: 0 } : count)),
    spans: outage.spans.filter(({ start, status }) => start < DONE || status !== 'ERROR'),
  }
}

const incident = sampleIncident(ENDS_AT, { ...SAMPLE_INCIDENT })

/** What a question about these records acts on: they alone are connected, and one incident is open. */
export const actsIn = (pulled: Pulled): QuestionActs =>
  actsOn(pulled, { incidents: [incident], id: 'int_1', now: ENDS_AT })

/** What acts on these records where the answer to the question before it is stored, which is what a follow-up is about. */
async function actsAfter(pulled: Pulled, after: string | undefined, deadline: number) {
  const acts = actsIn(pulled)
  if (after === undefined) return { acts, context: {} }
  const previous = await answerQuestion(acts, { query: after }, deadline)
  const queries = { ...acts.queries, get: async () => previous }
  return { acts: { ...acts, queries }, context: { previous_query_id: previous.id } }
}

/** The answer to a question about these records, with what it was answered by. */
export async function tellOfSample(outage: Pulled, row: AskedOfSample, deadline: number) {
  const { acts, context } = await actsAfter(outageOf(outage, row), row.after, deadline)
  return { acts, told: await answerQuestion(acts, { query: row.text, context }, deadline) }
}

/** What an answer lacks of what it must say, holds of what it must not, or says without evidence; nothing if it is right. */
export function missesOfAnswer(
  { text, after = '', intent, holds, lacks }: AskedOfSample,
  told: StoredAnswer,
): readonly string[] {
  const misses: string[] = []
  if (![intent].flat().includes(told.understood.intent)) misses.push(`read as ${told.understood.intent}`)
  for (const pattern of holds)
    if (!new RegExp(pattern, 'm').test(told.answer)) misses.push(`lacks ${pattern}`)
  for (const word of lacks) if (told.answer.includes(word)) misses.push(`says ${word}`)
  if (told.understood.intent === 'unknown') {
    if (told.evidence.length > 0 || told.confidence !== 0) misses.push('refused with evidence or confidence')
    return misses
  }
  const cited = `${told.evidence.map(({ content }) => content).join('\n')}${text} ${after}${JSON.stringify(told.gaps)}`
  for (const [number] of told.answer.matchAll(/(?<![\w.:-])\d+(?:[.:-]\d+)*(?![\w:-])/g))
    if (!cited.includes(number)) misses.push(`${number} stands in no evidence`)
  return misses
}
