import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE_INCIDENT, writeSampleOutage } from '#infra/sample-outage/write-sample-outage.ts'
import { folderBundle } from '#shared/adapters/bundle/bundle-files.ts'
import { readBundle } from '#shared/adapters/bundle/read-bundle.ts'
import { answerQuestion, type QuestionActs } from '#shared/domain/answer-question.ts'
import type { Change, Pulled, Series } from '#shared/domain/investigation/records/snapshot.ts'
import { verifyQuery } from '#shared/domain/verify-evidence.ts'
import { actsOn } from '#test/domain/acts-by-hand.ts'
import { sampleIncident } from '#test/storage/sample-incidents.ts'

interface Row {
  readonly text: string
  readonly written: 'before' | 'after' | 'found'
  readonly outage: 'as it was' | 'rolled back' | 'rolled back in vain'
  readonly intent: string
  readonly holds: readonly string[]
  readonly lacks: readonly string[]
}
const rows = JSON.parse(
  readFileSync(new URL('../data/questions-of-the-sample-outage.json', import.meta.url), 'utf8'),
).questions as Row[]

const ENDS_AT = Date.UTC(2026, 2, 1, 18)
const MINUTE = 60_000
/** When the rollback began, and was done. */
const BACK = ENDS_AT - 12 * MINUTE
const DONE = BACK + MINUTE

let root: string
let outage: Pulled
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sample-outage-'))
  await writeSampleOutage(join(root, 'sample'), { endsAt: ENDS_AT })
  outage = await readBundle(folderBundle(root, 'sample'), { query: 'bundle:sample', integration_id: 'int_1' })
})
afterAll(() => rm(root, { recursive: true, force: true }))

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
function outageOf({ outage: which }: Row): Pulled {
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
const actsIn = (pulled: Pulled): QuestionActs =>
  actsOn(pulled, { incidents: [incident], id: 'int_1', now: ENDS_AT })

describe('the sample outage, asked about at three at night', () => {
  it.each(rows.map((row) => [row.text, row.outage, row] as const))(
    'answers “%s” of the outage %s with what was asked, by evidence alone',
    async (text, _outage, row) => {
      const told = await answerQuestion(actsIn(outageOf(row)), { query: text }, ENDS_AT + 20_000)
      expect(told.understood.intent).toBe(row.intent)
      for (const pattern of row.holds) expect(told.answer).toMatch(new RegExp(pattern, 'm'))
      for (const word of row.lacks) expect(told.answer).not.toContain(word)
      if (row.intent === 'unknown') return expect(told).toMatchObject({ evidence: [], confidence: 0 })
      const cited = `${told.evidence.map(({ content }) => content).join('\n')}${text}${JSON.stringify(told.gaps)}`
      for (const [number] of told.answer.matchAll(/(?<![\w.:-])\d+(?:[.:-]\d+)*(?![\w:-])/g))
        expect(cited, told.answer).toContain(number)
    },
  )

  it('is answered with nothing that is contradicted when it is verified against the same evidence', async () => {
    const verdicts: unknown[] = []
    for (const row of rows.filter(({ intent }) => intent !== 'unknown')) {
      const acts = actsIn(outageOf(row))
      const told = await answerQuestion(acts, { query: row.text }, ENDS_AT + 20_000)
      const stored = { ...acts, queries: { ...acts.queries, get: async () => told } }
      const { evidence } = await verifyQuery(stored as never, told.id, ENDS_AT + 20_000)
      for (const { id, status } of evidence)
        if (status !== 'same')
          verdicts.push([row.text, status, told.evidence.find((one) => one.id === id)?.content])
    }
    expect(verdicts).toEqual([])
  })
})
