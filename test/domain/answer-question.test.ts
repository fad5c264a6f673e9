import { describe, expect, it } from 'vitest'
import { answerQuestion, type QuestionActs } from '#shared/domain/answer-question.ts'
import type { Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { Snapshot } from '#shared/domain/investigation/snapshot.ts'
import type { IncidentFilter, IncidentStore, IntegrationStore, QueryStore } from '#shared/domain/ports.ts'
import { sampleIncident } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const HOUR = 3_600_000
const DEADLINE = NOW + 25_000

/** A service with these incidents, newest first, and no tool. */
function knowing(known: readonly Incident[]) {
  const asked: { readonly filter: IncidentFilter; readonly limit: number }[] = []
  const snapshots: Snapshot[] = []
  const incidents: Pick<IncidentStore, 'list'> = {
    list: async (filter, { limit, after }) => {
      asked.push({ filter, limit })
      const start = after === null ? 0 : known.findIndex(({ id }) => id === after) + 1
      const items = known.slice(start, start + limit)
      return { items, next: start + limit < known.length ? (items.at(-1)?.id ?? null) : null }
    },
  }
  const integrations: Pick<IntegrationStore, 'openAll'> = { openAll: () => Promise.resolve([]) }
  const queries: Pick<QueryStore, 'put'> = { put: () => Promise.resolve() }
  const acts: QuestionActs = {
    incidents: incidents as IncidentStore,
    integrations: integrations as IntegrationStore,
    queries: queries as QueryStore,
    snapshots: {
      keep: async (_owner, snapshot) => {
        snapshots.push(snapshot)
        return 'd'.repeat(64)
      },
      read: () => Promise.resolve(undefined),
    },
    tools: () => undefined,
    signals: { read: () => Promise.resolve({ batches: [], digest: '', cut: false, unread: 0 }) },
    abortAfter: () => AbortSignal.abort(),
    clock: () => NOW,
    newId: (prefix, at) => `${prefix}_${at}`,
  }
  return { acts, asked, snapshots }
}
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => sampleIncident(NOW - index * 60_000)).sort((a, b) =>
    a.id < b.id ? 1 : -1,
  )

describe('a list', () => {
  it('says "at least" when there are more incidents than one answer reads, and names what it did not read', async () => {
    const { acts, asked } = knowing(many(1_001))
    const told = await answerQuestion(acts, { query: 'How many incidents are there?' }, DEADLINE)
    expect(asked).toHaveLength(10)
    expect(told).toMatchObject({ outcome: 'best_effort', confidence: 0.5 })
    expect(told.answer).toMatch(/^At least 1000 incidents/)
    expect(told.gaps).toEqual([{ what: 'incidents', why: 'only the latest 1000 were read' }])
  })

  it('is sure of exactly as many as one answer reads', async () => {
    const { acts } = knowing(many(1_000))
    const told = await answerQuestion(acts, { query: 'How many incidents are there?' }, DEADLINE)
    expect(told).toMatchObject({ outcome: 'identified', confidence: 1, gaps: [] })
    expect(told.answer).toMatch(/^1000 incidents/)
  })

  it('asks the store for the time that the words name, both ends included as the words have it', async () => {
    const { acts, asked } = knowing([])
    const told = await answerQuestion(
      acts,
      { query: 'Which incidents were resolved in the last hour?' },
      DEADLINE,
    )
    expect(asked[0]?.filter).toMatchObject({ status: 'resolved', after: NOW - HOUR - 1, before: NOW })
    expect(told.evidence[0]?.query).toBe(
      `GET /incidents?status=resolved&start_time=${writeInstant(NOW - HOUR - 1)}&end_time=${writeInstant(NOW)}`,
    )
  })

  it('reads the day of the time zone that is given', async () => {
    const { acts, asked } = knowing([])
    const context = { timezone: 'Asia/Tokyo' }
    await answerQuestion(acts, { query: 'Which incidents were there yesterday?', context }, DEADLINE)
    // Noon UTC is 21:00 in Tokyo, whose yesterday began at 15:00 UTC two days before.
    expect(asked[0]?.filter.after).toBe(Date.UTC(2026, 0, 29, 15) - 1)
  })
})

describe('why', () => {
  const of = (service: string | null, minutesAgo: number, change: Partial<Incident> = {}) =>
    sampleIncident(NOW - minutesAgo * 60_000, { service, ...change })

  it('is asked of the hour before now when there is no incident', async () => {
    const { acts, snapshots } = knowing([])
    await answerQuestion(acts, { query: 'Why is checkout failing?' }, DEADLINE)
    expect(snapshots[0]?.window).toEqual({ from: NOW - HOUR, to: NOW })
  })

  it('is asked of the latest unresolved incident of the service, before a later one that is resolved', async () => {
    const resolved = of('checkout', 10, { status: 'resolved', resolved_at: writeInstant(NOW - 300_000) })
    const going = of('checkout', 90)
    const { acts, snapshots } = knowing([of('orders', 5), resolved, going, of('checkout', 200)])
    await answerQuestion(acts, { query: 'Why is checkout failing?' }, DEADLINE)
    expect(snapshots[0]?.window.from).toBe(NOW - 90 * 60_000 - HOUR)
  })

  it('is asked of a resolved incident when no other is of the service, until a quarter of an hour after it', async () => {
    const resolved = of('checkout', 100, { status: 'resolved', resolved_at: writeInstant(NOW - 80 * 60_000) })
    const { acts, snapshots } = knowing([of('orders', 5), resolved])
    await answerQuestion(acts, { query: 'Why did checkout fail?' }, DEADLINE)
    expect(snapshots[0]?.window).toEqual({ from: NOW - 100 * 60_000 - HOUR, to: NOW - 65 * 60_000 })
  })

  it('is asked of the latest unresolved incident when no service is named', async () => {
    const { acts, snapshots } = knowing([of(null, 30), of('checkout', 60)])
    await answerQuestion(acts, { query: 'What is wrong?' }, DEADLINE)
    expect(snapshots[0]?.window.from).toBe(NOW - 30 * 60_000 - HOUR)
  })

  it('begins where somebody knows that the disturbance began', async () => {
    const known = of('checkout', 10, { started_at: writeInstant(NOW - 50 * 60_000) })
    const { acts, snapshots } = knowing([known])
    await answerQuestion(acts, { query: 'Why is checkout failing?' }, DEADLINE)
    expect(snapshots[0]?.window.from).toBe(NOW - 50 * 60_000 - HOUR)
  })

  it('refuses a start alone that is more than 31 days ago, naming it', async () => {
    const { acts, snapshots } = knowing([])
    const at = (start: number) => ({ time_range: { start: writeInstant(start) } })
    const query = 'Why is checkout failing?'
    await expect(
      answerQuestion(acts, { query, context: at(NOW - 31 * 24 * HOUR - 1) }, DEADLINE),
    ).rejects.toMatchObject({ kind: 'invalid', details: { field: 'context.time_range.start' } })
    await answerQuestion(acts, { query, context: at(NOW - 31 * 24 * HOUR) }, DEADLINE)
    expect(snapshots).toHaveLength(1)
  })

  it('takes a start in the future for a window of its own rather than failing', async () => {
    const { acts, snapshots } = knowing([])
    const context = { time_range: { start: writeInstant(NOW + HOUR) } }
    await answerQuestion(acts, { query: 'Why is checkout failing?', context }, DEADLINE)
    expect(snapshots[0]?.window).toEqual({ from: NOW + HOUR, to: NOW + HOUR + 1 })
  })

  it('is answered, inconclusive, also when the time is up already', async () => {
    const { acts } = knowing([])
    const told = await answerQuestion(acts, { query: 'Why is checkout failing?' }, NOW - 1)
    expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0 })
  })
})
