import { beforeAll, describe, expect, it } from 'vitest'
import type { Pulled } from '#shared/domain/investigation/records/snapshot.ts'
import { verifyQuery } from '#shared/domain/verify-evidence.ts'
import { halfOf } from '#test/bench/questions-on-call.ts'
import {
  askedOfSample,
  ENDS_AT,
  isHalved,
  missesOfAnswer,
  readSampleOutage,
  tellOfSample,
} from './asked-of-sample-outage.ts'

/** What no connected tool counts is refused: orders that were never placed are in no record. */
const NOT_ANSWERED = 'how many orders got lost'
const FILES = [
  'questions-of-the-sample-outage',
  'questions-of-the-sample-outage-asked-anew',
  'questions-of-the-sample-outage-asked-in-passing',
  'questions-of-the-sample-outage-asked-again',
]
/** Of a file with halves only the open one is looked at: which of the other are answered is only counted. */
const rows = FILES.flatMap((name) =>
  askedOfSample(name).filter(({ text }) => !isHalved(name) || halfOf({ ask: text }) === 'A'),
).filter(({ text }) => text !== NOT_ANSWERED)

let outage: Pulled
beforeAll(async () => {
  outage = await readSampleOutage()
})

describe('the sample outage, asked about at three at night', () => {
  it.each(rows.map((row) => [row.text, row.outage, row] as const))(
    'answers “%s” of the outage %s with what was asked, by evidence alone',
    async (_text, _outage, row) => {
      const { told } = await tellOfSample(outage, row, ENDS_AT + 20_000)
      expect(missesOfAnswer(row, told), told.answer).toEqual([])
    },
  )

  it('is answered with nothing that is contradicted when it is verified against the same evidence', async () => {
    const verdicts: unknown[] = []
    const answered = rows.filter(({ intent }) => intent !== 'unknown')
    // Of the largest file some of every kind are enough: each takes the time of an investigation.
    const again = new Set(askedOfSample('questions-of-the-sample-outage-asked-again').map(({ text }) => text))
    for (const row of answered.filter((one, index) => !again.has(one.text) || index % 5 === 0)) {
      const { acts, told } = await tellOfSample(outage, row, ENDS_AT + 20_000)
      const stored = { ...acts, queries: { ...acts.queries, get: async () => told } }
      const { evidence } = await verifyQuery(stored as never, told.id, ENDS_AT + 20_000)
      for (const { id, status } of evidence)
        if (status !== 'same')
          verdicts.push([row.text, status, told.evidence.find((one) => one.id === id)?.content])
    }
    expect(verdicts).toEqual([])
  })
})
