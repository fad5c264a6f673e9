import { describe, expect, it } from 'vitest'
import { answerQuestion, type QuestionActs } from '#shared/domain/answer-question.ts'
import type { Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { NOTHING_PULLED, type Pulled, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import type {
  IncidentFilter,
  IncidentStore,
  IntegrationStore,
  QueryStore,
  StoredAnswer,
} from '#shared/domain/ports.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const HOUR = 3_600_000
const DEADLINE = NOW + 25_000

/** A service with these incidents, newest first, and no tool. */
function knowing(known: readonly Incident[]) {
  const asked: { readonly filter: IncidentFilter; readonly limit: number }[] = []
  const snapshots: Snapshot[] = []
  const answers = new Map<string, StoredAnswer>()
  const kept = new Map<string, Snapshot>()
  const incidents: Pick<IncidentStore, 'list' | 'get'> = {
    get: async (id) => known.find((incident) => incident.id === id),
    list: async (filter, { limit, after }) => {
      asked.push({ filter, limit })
      const start = after === null ? 0 : known.findIndex(({ id }) => id === after) + 1
      const items = known.slice(start, start + limit)
      return { items, next: start + limit < known.length ? (items.at(-1)?.id ?? null) : null }
    },
  }
  const integrations: Pick<IntegrationStore, 'openAll'> = { openAll: () => Promise.resolve([]) }
  const queries: QueryStore = {
    put: async (answer) => void answers.set(answer.id, answer),
    get: async (id) => answers.get(id),
  }
  const acts: QuestionActs = {
    incidents: incidents as IncidentStore,
    integrations: integrations as IntegrationStore,
    queries,
    snapshots: {
      keep: async (owner, snapshot) => {
        snapshots.push(snapshot)
        kept.set(`${owner}/${'d'.repeat(64)}`, snapshot)
        return 'd'.repeat(64)
      },
      read: async (owner, digest) => kept.get(`${owner}/${digest}`),
    },
    tools: () => undefined,
    signals: { read: () => Promise.resolve({ batches: [], digest: '', cut: false, unread: 0 }) },
    abortAfter: () => AbortSignal.abort(),
    clock: () => NOW,
    newId: (prefix, at) => `${prefix}_${at}_${answers.size}`,
  }
  return { acts, asked, snapshots, kept, answers }
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

describe('a day that no calendar has', () => {
  it.each(['Why did checkout fail on 2026-02-30?', 'Which incidents were there on 2026-02-30?'])(
    'is told so in place of an answer about another time: %s',
    async (query) => {
      const { acts, snapshots } = knowing(many(3))
      const told = await answerQuestion(acts, { query }, DEADLINE)
      expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [], hypotheses: [] })
      expect(told.answer).toBe('No calendar has the day 2026-02-30. Ask about one that there is.')
      expect(told.gaps).toEqual([{ what: 'the day 2026-02-30', why: 'no calendar has it' }])
      expect(told.understood.window).toBeNull()
      expect(snapshots).toEqual([])
    },
  )

  it('is told so of a time that no clock shows', async () => {
    const { acts, snapshots } = knowing(many(3))
    const told = await answerQuestion(acts, { query: 'Why did checkout fail at 25:99?' }, DEADLINE)
    expect(told).toMatchObject({ outcome: 'inconclusive', confidence: 0, evidence: [], hypotheses: [] })
    expect(told.answer).toBe('No clock shows 25:99. Ask about a time that there is.')
    expect(told.gaps).toEqual([{ what: 'the time 25:99', why: 'no clock shows it' }])
    expect(snapshots).toEqual([])
  })

  it('does not matter where the context says which time is meant', async () => {
    const { acts, snapshots } = knowing([])
    const context = { time_range: { start: writeInstant(NOW - HOUR) } }
    await answerQuestion(acts, { query: 'Why did checkout fail on 2026-02-30?', context }, DEADLINE)
    expect(snapshots).toHaveLength(1)
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

describe('a follow-up', () => {
  const going = sampleIncident(NOW - 90 * 60_000, { service: 'checkout' })
  const ask = (
    { acts }: ReturnType<typeof knowing>,
    query: string,
    context: NonNullable<Parameters<typeof answerQuestion>[1]['context']> = {},
  ) => answerQuestion(acts, { query, context }, DEADLINE)

  it('takes service, time and intent of the answer that it follows on, and says which', async () => {
    const known = knowing([going, sampleIncident(NOW - 60_000, { service: 'payments' })])
    const first = await ask(known, 'Why did checkout fail between 09:00 and 10:00?')
    expect(first.understood.carried_over).toEqual([])
    const when = await ask(known, 'When did it start?', { previous_query_id: first.id })
    expect(when.understood).toMatchObject({
      intent: 'when_started',
      service: 'checkout',
      window: first.understood.window,
      carried_over: ['service', 'window'],
    })
    const other = await ask(known, 'And payments?', { previous_query_id: when.id })
    expect(other.understood).toMatchObject({
      intent: 'when_started',
      service: 'payments',
      window: first.understood.window,
      carried_over: ['intent', 'window'],
    })
  })

  it('says its own before it takes over anything', async () => {
    const known = knowing([going])
    const first = await ask(known, 'Why did checkout fail between 09:00 and 10:00?')
    const context = {
      previous_query_id: first.id,
      service: 'orders',
      time_range: { start: '2026-01-31T11:00:00Z', end: '2026-01-31T12:00:00Z' },
    }
    expect((await ask(known, 'What changed?', context)).understood).toEqual({
      intent: 'what_changed',
      service: 'orders',
      window: { start: '2026-01-31T11:00:00.000Z', end: '2026-01-31T12:00:00.000Z' },
      carried_over: [],
    })
  })

  it('looks at the present again where the one before did', async () => {
    const known = knowing([])
    const first = await ask(known, 'Why is checkout failing?')
    const later = { ...known, acts: { ...known.acts, clock: () => NOW + 600_000 } }
    const { window } = (await ask(later, 'What is affected?', { previous_query_id: first.id })).understood
    expect(window).toEqual({
      start: first.understood.window?.start,
      end: writeInstant(NOW + 600_000),
    })
  })

  it('keeps the filters of a list that it carries on', async () => {
    const known = knowing([going])
    const first = await ask(known, 'Which critical incidents are open?')
    await ask(known, 'and yesterday?', { previous_query_id: first.id })
    expect(known.asked.at(-1)?.filter).toMatchObject({ severity: 'critical' })
    expect(known.asked.at(-1)?.filter.after).toBe(Date.UTC(2026, 0, 30) - 1)
  })

  it('does not make a question of what is none', async () => {
    const known = knowing([going])
    const first = await ask(known, 'Why is checkout failing?')
    const context = { previous_query_id: first.id }
    expect((await ask(known, 'write a poem about the sea', context)).understood.intent).toBe('unknown')
    const lost = await ask(known, 'What?')
    const after = await ask(known, 'and checkout?', { previous_query_id: lost.id })
    expect(after.understood).toMatchObject({ intent: 'unknown', service: 'checkout' })
  })

  it('is about the service and the time of the incident that it names', async () => {
    const known = knowing([sampleIncident(NOW - 60_000, { service: 'orders' }), going])
    const told = await ask(known, 'Why?', { incident_id: going.id })
    expect(told.understood).toMatchObject({ service: 'checkout', carried_over: ['service', 'window'] })
    expect(known.snapshots[0]?.window.from).toBe(NOW - 90 * 60_000 - HOUR)
    const list = await ask(known, 'Which incidents are open?', { incident_id: going.id })
    expect(list.understood).toMatchObject({ window: null, carried_over: ['service'] })
  })

  it('is about an incident whose id it holds, in whatever case, and refuses one that does not exist', async () => {
    const known = knowing([sampleIncident(NOW - 60_000, { service: 'orders' }), going])
    const told = await ask(known, `Explain ${going.id.toLowerCase()}, please`)
    expect(told.understood).toMatchObject({ intent: 'why', service: 'checkout' })
    await expect(ask(known, 'Why inc_01ARZ3NDEKTSV4RRFFQ69G5FAV?')).rejects.toMatchObject({
      details: { field: 'query', reason: 'names an incident that does not exist' },
    })
  })

  it('that is the name of a service alone asks what the one before asked, without one how the service does', async () => {
    const known = knowing([going])
    expect((await ask(known, 'checkout')).understood).toMatchObject({
      intent: 'how_is',
      service: 'checkout',
    })
    const first = await ask(known, 'When did payments start to fail?')
    const next = await ask(known, 'checkout?', { previous_query_id: first.id })
    expect(next.understood).toMatchObject({ intent: 'when_started', service: 'checkout' })
  })

  it('about an answer is answered from what that answer was drawn from, not from fresh evidence', async () => {
    const known = knowing([going])
    const first = await ask(known, 'Why is checkout failing?')
    for (const query of ['What was asked?', 'What speaks against it?']) {
      const told = await ask(known, query, { previous_query_id: first.id })
      expect(told.understood.carried_over).toContain('snapshot')
      expect(told.snapshot_digest).toBe(first.snapshot_digest)
    }
    expect(known.snapshots).toHaveLength(1)
    // Another service, or a snapshot that is gone, is asked afresh.
    await ask(known, 'What was asked about orders?', { previous_query_id: first.id, service: 'orders' })
    known.kept.clear()
    await ask(known, 'What was asked?', { previous_query_id: first.id })
    expect(known.snapshots).toHaveLength(3)
  })

  it('about an analysed incident is answered from what the analysis was drawn from', async () => {
    const analysed = { ...going, root_cause: { ...sampleRootCause(1, 10), snapshot_digest: 'e'.repeat(64) } }
    const known = knowing([analysed])
    await ask(known, 'Why is checkout failing?')
    const [snapshot] = known.snapshots
    if (snapshot === undefined) throw new Error('nothing was kept')
    known.kept.set(`${analysed.id}/${'e'.repeat(64)}`, snapshot)
    const told = await ask(known, 'What was asked?', { incident_id: analysed.id })
    expect(told.snapshot_digest).toBe('e'.repeat(64))
  })

  it.each(['incident_id', 'previous_query_id'])(
    'of a %s that does not exist is refused, naming the field',
    async (field) => {
      await expect(ask(knowing([]), 'Why?', { [field]: 'gone' })).rejects.toMatchObject({
        kind: 'invalid',
        details: { field: `context.${field}` },
      })
    },
  )
})

describe('the time of a question that names none', () => {
  const resolved = sampleIncident(NOW - 30 * HOUR, {
    service: 'checkout',
    status: 'resolved',
    resolved_at: writeInstant(NOW - 29 * HOUR),
  })

  it('is the present for how a service does, whatever incidents there were', async () => {
    const { acts, snapshots } = knowing([resolved])
    await answerQuestion(acts, { query: 'How is checkout?' }, DEADLINE)
    expect(snapshots[0]?.window).toEqual({ from: NOW - HOUR, to: NOW })
  })

  it('reaches to the present where it is asked whether it is over, at most six hours', async () => {
    const { acts, snapshots } = knowing([resolved])
    await answerQuestion(acts, { query: 'Has checkout recovered?' }, DEADLINE)
    expect(snapshots[0]?.window).toEqual({ from: NOW - 6 * HOUR, to: NOW })
  })

  it.each(['When did the alert of checkout fire?', 'Which alerts of checkout are firing?'])(
    'reaches from before the incident to the present where alerts are asked for, at most six hours: %s',
    async (query) => {
      const open = sampleIncident(NOW - 3 * HOUR, { service: 'checkout' })
      const going = knowing([open])
      await answerQuestion(going.acts, { query }, DEADLINE)
      expect(going.snapshots[0]?.window).toEqual({ from: NOW - 4 * HOUR, to: NOW })
      const past = knowing([resolved])
      await answerQuestion(past.acts, { query }, DEADLINE)
      expect(past.snapshots[0]?.window).toEqual({ from: NOW - 6 * HOUR, to: NOW })
      const none = knowing([])
      await answerQuestion(none.acts, { query }, DEADLINE)
      expect(none.snapshots[0]?.window).toEqual({ from: NOW - HOUR, to: NOW })
    },
  )
})

describe('whether it happened before', () => {
  const earlier = (days: number, part: Partial<Incident> = {}) =>
    sampleIncident(NOW - days * 24 * HOUR, {
      service: 'checkout',
      status: 'resolved',
      resolved_at: writeInstant(NOW - days * 24 * HOUR + HOUR),
      ...part,
    })

  it('names the earlier incidents of the service with what was found, and not the present one', async () => {
    const found = earlier(3, { root_cause: { ...sampleRootCause(1, 10), outcome: 'identified' } })
    const unknown = earlier(5, { root_cause: { ...sampleRootCause(1, 10), outcome: 'inconclusive' } })
    const present = sampleIncident(NOW - HOUR, { service: 'checkout' })
    const { acts } = knowing([present, found, earlier(4, { service: 'orders' }), unknown])
    const told = await answerQuestion(acts, { query: 'Has this happened before?' }, DEADLINE)
    expect(told.answer).toMatch(/^2 incidents of checkout are known from before /)
    expect(told.answer).toContain(`${found.id} `)
    expect(told.answer).toContain(found.root_cause?.summary ?? '?')
    expect(told.answer).toMatch(new RegExp(`${unknown.id} .*its cause was not found`))
    expect(told.answer).not.toContain(present.id)
    expect(told).toMatchObject({ outcome: 'identified', confidence: 1 })
  })

  it('tells five and says that there are more', async () => {
    const { acts } = knowing(Array.from({ length: 7 }, (_, index) => earlier(index + 1)))
    const told = await answerQuestion(acts, { query: 'Did checkout ever fail like that?' }, DEADLINE)
    expect(told.answer).toMatch(/^7 incidents of checkout .*\n(- .*\n){5}The others are not listed here\.$/)
  })

  it('says so when there was none, and "at least" when not all could be read', async () => {
    const none = await answerQuestion(
      knowing([]).acts,
      { query: 'Is this the first time billing is down?' },
      DEADLINE,
    )
    expect(none.answer).toMatch(/^No incidents of billing are known from before /)
    const cut = await answerQuestion(knowing(many(1_001)).acts, { query: 'Has it failed before?' }, DEADLINE)
    expect(cut).toMatchObject({ outcome: 'best_effort', confidence: 0.5 })
    expect(cut.answer).toMatch(/^At least /)
  })
})

describe('a question that is not answered', () => {
  it.each([
    ['Lorem ipsum dolor', 'I could not read what is asked.', 'its intent could not be read'],
    ['Thanks!', 'Ask what you need to know of an incident. I can say why', 'it asks for nothing'],
    [
      'Who do I page?',
      'No connected tool says who is to be called.',
      'it asks for who is responsible, which no tool tells',
    ],
    [
      'Will checkout fail tomorrow?',
      'I cannot say what will happen: I only know what was measured.',
      'it asks about the future, of which there is no evidence',
    ],
    [
      'Restart checkout',
      'I change nothing in your systems: I only look.',
      'it asks for an act, not for an answer',
    ],
    [
      'Who is to blame?',
      'I look for causes in systems, not for somebody to blame.',
      'it asks for a person to blame',
    ],
    [
      'How much money did we lose?',
      'No connected tool measures that.',
      'it asks for something that no tool measures',
    ],
  ])('%s', async (query, begins, why) => {
    const { acts, snapshots } = knowing([])
    const told = await answerQuestion(acts, { query }, DEADLINE)
    expect(told.answer.startsWith(begins)).toBe(true)
    expect(told).toMatchObject({
      confidence: 0,
      outcome: 'inconclusive',
      evidence: [],
      hypotheses: [],
      ruled_out: [],
      gaps: [{ what: 'the question', why }],
      snapshot_digest: null,
    })
    expect(snapshots).toEqual([])
  })
})

describe('what the tools say', () => {
  const at = (hours: number): number => NOW - hours * HOUR
  const entities: Pulled['entities'] = [
    { name: 'checkout', kind: 'service', aliases: [{ alias: 'Cart-BE', learnt_from: 'labels' }] },
    { name: 'orders', kind: 'service', aliases: [] },
  ]
  const changes: Pulled['changes'] = [
    { source: 's', id: 'd1', kind: 'deploy', entity: 'checkout', recorded_at: at(0.75), title: 'ship 2.1' },
    { source: 's', id: 'd2', kind: 'deploy', entity: 'checkout', recorded_at: at(5), title: 'ship 2.0' },
  ]
  const sources = [
    {
      ...{ id: 's', integration_id: 'bundle_1', tool: 'bundle', query: 'everything', link: null },
      ...{ window: { from: at(6), to: NOW }, outcome: 'answered', records: 2, digest: 'a'.repeat(64) },
    },
  ] as unknown as Pulled['sources']
  const WINDOW = { from: at(6), to: NOW }
  /** The same with one tool, which gives the same whatever it is asked; what it was asked is kept. */
  const given = (more: Partial<Pulled> = {}, known: readonly Incident[] = []) => {
    const world = knowing(known)
    const pulled = { ...NOTHING_PULLED, sources, entities, changes, baselines: [], window: WINDOW, ...more }
    const requests: { readonly service: string | null; readonly window: unknown }[] = []
    const waits: number[] = []
    const acts: QuestionActs = {
      ...world.acts,
      integrations: {
        openAll: async () => [
          { integration: { id: 'bundle_1', type: 'bundle', status: 'connected' }, config: {} },
        ],
      } as unknown as QuestionActs['integrations'],
      tools: () =>
        ({
          pull: async (_config: unknown, { service, window }: (typeof requests)[number]) => {
            requests.push({ service, window })
            return pulled
          },
        }) as never,
      abortAfter: (milliseconds) => {
        waits.push(milliseconds)
        return new AbortController().signal
      },
    }
    const ask = (query: string, context: NonNullable<Parameters<typeof answerQuestion>[1]['context']> = {}) =>
      answerQuestion(acts, { query, context }, DEADLINE)
    return { ...world, acts, requests, waits, ask }
  }
  const asked = (from: number, to: number) => ({
    time_range: { start: writeInstant(from), end: writeInstant(to) },
  })

  it('is no answer about a time of which they know nothing, and both times are told', async () => {
    const gaps = [{ what: 'logs', why: 'were not kept' }]
    const { ask } = given({ gaps })
    const told = await ask('Why did checkout fail?', asked(at(30), at(28)))
    const [those, these] = [
      '2026-01-30 06:00:00 UTC to 2026-01-30 08:00:00 UTC',
      '2026-01-31 06:00:00 UTC to 2026-01-31 12:00:00 UTC',
    ]
    expect(told).toMatchObject({
      answer: `Nothing is known about ${those}. What the connected tools gave covers ${these}.`,
      ...{ evidence: [], confidence: 0, outcome: 'inconclusive', hypotheses: [], ruled_out: [] },
      understood: {
        ...{ intent: 'why', service: 'checkout' },
        window: { start: '2026-01-30T06:00:00.000Z', end: '2026-01-30T08:00:00.000Z' },
      },
      snapshot_digest: 'd'.repeat(64),
    })
    expect(told.gaps).toEqual([
      { what: `evidence about ${those}`, why: `what the connected tools gave covers ${these}` },
      ...gaps,
    ])
  })

  it('is an answer as soon as the two times share a moment, and none where they only touch', async () => {
    const isElsewhere = async (from: number, to: number) =>
      (await given().ask('Why did checkout fail?', asked(from, to))).answer.startsWith(
        'Nothing is known about',
      )
    expect(await isElsewhere(at(8), at(6))).toBe(true)
    expect(await isElsewhere(at(8), at(6) + 1_000)).toBe(false)
    expect(await isElsewhere(at(5), at(4))).toBe(false)
    const later = { window: { from: at(6), to: at(3) } }
    const answerOf = async (from: number) =>
      (await given(later).ask('Why did checkout fail?', asked(from, at(1)))).answer
    expect(await answerOf(at(3))).toMatch(/^Nothing is known about/)
    expect(await answerOf(at(3) - 1_000)).not.toMatch(/^Nothing is known about/)
    // A question without a time takes what there is, however old.
    expect((await given(later).ask('Why did checkout fail?')).answer).not.toMatch(/^Nothing is known about/)
  })

  it('tells of changes in the time that was asked about', async () => {
    const recent = asked(at(1), NOW)
    const changed = await given().ask('What changed in checkout?', recent)
    expect(changed.understood.window).toEqual({ start: writeInstant(at(1)), end: writeInstant(NOW) })
    expect(changed.answer).toContain('ship 2.1')
    expect(changed.answer).not.toContain('ship 2.0')
    const whole = { start: writeInstant(at(6)), end: writeInstant(NOW) }
    const all = await given().ask('What changed in checkout?')
    expect(all.understood.window).toEqual(whole)
    expect(all.answer).toContain('ship 2.0')
  })

  it('understands the time that was asked about, and says where the answer rests on another', async () => {
    const recent = asked(at(1), NOW)
    const these = '2026-01-31 06:00:00 UTC to 2026-01-31 12:00:00 UTC'
    for (const query of ['Why is checkout failing?', 'What is affected?', 'When did it start?']) {
      const told = await given().ask(query, recent)
      expect(told.understood.window, query).toEqual(recent.time_range)
      expect(told.gaps[0], query).toEqual({
        what: 'the time 2026-01-31 11:00:00 UTC to 2026-01-31 12:00:00 UTC by itself',
        why: `what the connected tools gave covers ${these}, all of which the answer rests on`,
      })
      // The very time that was given, and a question without one, miss nothing.
      for (const context of [asked(at(6), NOW), {}]) {
        const { gaps, understood } = await given().ask(query, context)
        expect(understood.window).toEqual(asked(at(6), NOW).time_range)
        expect(JSON.stringify(gaps), query).not.toContain('What the connected tools gave covers')
        expect(JSON.stringify(gaps), query).not.toContain('what the connected tools gave covers')
      }
    }
    const changed = 'What changed in checkout?'
    expect(JSON.stringify((await given().ask(changed, recent)).gaps)).not.toContain('tools gave')
    expect((await given().ask(changed, asked(at(8), at(1)))).gaps[0]).toEqual({
      what: 'all of the time 2026-01-31 04:00:00 UTC to 2026-01-31 11:00:00 UTC',
      why: `what the connected tools gave covers ${these}`,
    })
  })

  it('carries the time that was asked about over to what follows, without telling it again', async () => {
    const { ask, acts } = given()
    const first = await ask('Why did checkout fail?', asked(at(2), at(1)))
    const followed = { ...acts, queries: { ...acts.queries, get: async () => first } }
    const context = { previous_query_id: first.id }
    const next = await answerQuestion(followed, { query: 'What is affected?', context }, DEADLINE)
    expect(next.understood).toMatchObject({ window: asked(at(2), at(1)).time_range })
    expect(next.understood.carried_over).toContain('window')
    expect(JSON.stringify(next.gaps)).not.toContain('by itself')
  })

  it('do not speak for taking back what nobody knows, but for a change by its own name', async () => {
    const { ask } = given()
    expect((await ask('Is it safe to roll back payments?')).answer).toMatch(
      /^Nothing is known by the name “payments”\./,
    )
    for (const query of ['Should we roll back d1?', 'Should we roll back checkout?', 'Should we roll back?'])
      expect((await ask(query)).answer).not.toContain('Nothing is known by the name')
  })

  it('ends a while before the present: an answer about the present says when', async () => {
    const ended = (minutes: number) => ({ window: { from: at(6), to: NOW - minutes * 60_000 } })
    const line = (minutes: number) =>
      `\nWhat the connected tools gave ends at 2026-01-31 11:${60 - minutes}:00 UTC; how it is now is not known.`
    for (const query of ['How is checkout?', 'Has checkout recovered?']) {
      const told = await given(ended(6)).ask(query)
      expect(told.answer.endsWith(line(6))).toBe(true)
      expect(told.gaps[0]).toEqual({
        what: 'the time since 2026-01-31 11:54:00 UTC',
        why: 'what the connected tools gave ends there',
      })
      expect((await given(ended(5)).ask(query)).answer).not.toContain('What the connected tools gave')
    }
    // A time that was asked about may reach beyond what is known just as well.
    for (const query of ['How is checkout?', 'Has checkout recovered?']) {
      const after =
        '\nWhat the connected tools gave ends at 2026-01-31 11:50:00 UTC; how it was after that is not known.'
      expect((await given(ended(10)).ask(query, asked(at(2), NOW))).answer.endsWith(after)).toBe(true)
      expect((await given(ended(5)).ask(query, asked(at(2), NOW))).answer).not.toContain('is not known')
    }
    // Nobody asks about the present who names a time or asks why.
    for (const [query, context] of [
      ['Why is checkout failing?', {}],
      ['How is checkout?', asked(at(2), at(1))],
    ] as const)
      expect((await given(ended(6)).ask(query, context)).answer).not.toContain(
        'What the connected tools gave',
      )
    // A time that was carried over is no time that was asked about.
    const world = given(ended(6))
    const first = await world.ask('Why did checkout fail?', asked(at(2), at(1)))
    const next = await world.ask('How is checkout?', { previous_query_id: first.id })
    expect(next.answer).toContain('What the connected tools gave ends at')
  })

  it('answers a further question of a text below the first, and says of the others that they stay open', async () => {
    const told = await given().ask('Why is checkout failing? Which deploys went out? What is love my dear?')
    const one = await given().ask('Why is checkout failing?')
    const other = await given().ask('Which deploys of checkout went out?')
    expect(told.answer).toBe(
      `${one.answer}\nOn “which deploys went out”:\n${other.answer}\nI could not read: “what is love my dear”.`,
    )
    expect(told.gaps.at(-1)).toEqual({
      what: 'the question “what is love my dear”',
      why: 'its intent could not be read',
    })
    expect(told.hypotheses).toEqual(one.hypotheses)
    expect(told.evidence.slice(0, one.evidence.length)).toEqual(one.evidence)
    expect(told.confidence).toBe(Math.min(one.confidence, other.confidence))
  })

  it('says of a further question about another time that it stays open', async () => {
    const told = await given().ask('Why is checkout failing? Which deploys went out yesterday?')
    expect(told.answer).toContain('Not answered here: “which deploys went out yesterday”. Ask it by itself.')
    expect(told.gaps.at(-1)?.why).toBe('one question is answered at a time')
  })

  it('asks the tools for a further question where the first was answered from the incidents alone', async () => {
    const told = await given().ask('How many incidents are open? Which deploys went out?')
    const [counted, deploys] = told.answer.split('\nOn “which deploys went out”:\n')
    expect(counted).toMatch(/incident/)
    expect(deploys).toBe((await given().ask('Which deploys went out?')).answer)
    expect(told.snapshot_digest).not.toBeNull()
  })

  it('says of what it cannot read which time it read of it', async () => {
    const told = await given().ask('frobnicate the wobble at 11:30')
    expect(told).toMatchObject({ confidence: 0, outcome: 'inconclusive', evidence: [] })
    expect(told.answer).toMatch(
      /^I could not read what is asked\. What I read of it: the time is 2026-01-31 11:00:00 UTC to 2026-01-31 12:00:00 UTC\. I can say /,
    )
    expect((await given().ask('the purple elephant')).answer).toMatch(
      /^I could not read what is asked\. I can say /,
    )
  })

  it('tells what somebody changed, whose name is no unknown service then', async () => {
    const [first, ...rest] = changes
    const made = { changes: [{ ...first, actor: 'dana' }, ...rest] as Pulled['changes'] }
    const told = await given(made).ask('What did dana change?')
    expect(told.answer).toContain('by dana')
    expect(told.answer).not.toContain('Nothing is known by the name')
    expect((await given().ask('What did dana change?')).answer).toContain(
      'Nothing is known by the name “dana”',
    )
    expect((await given(made).ask('Why is dana failing?')).answer).toContain(
      'Nothing is known by the name “dana”',
    )
  })

  it('is read by the names that they know, and as before where those leave nothing to ask', async () => {
    const bots: Pulled['entities'] = ['deploy-bot', 'flag-api'].map((name) => ({
      name,
      kind: 'service',
      aliases: [],
    }))
    const { ask } = given({ entities: [...entities, ...bots] })
    expect((await ask('Is deploy-bot down?')).understood).toMatchObject({
      ...{ intent: 'how_is', service: 'deploy-bot' },
    })
    const told = await ask('flag-api and blue cheese')
    expect(told.understood).toMatchObject({ intent: 'what_changed', service: 'flag-api' })
    expect((await ask('deploy-bot slow?')).understood).toMatchObject({ intent: 'why', service: 'deploy-bot' })
  })

  it('knows a service by any name that they give it', async () => {
    const told = await given().ask('Why is cart-be failing?')
    expect(told.understood.service).toBe('checkout')
    expect(told.answer).not.toContain('Nothing is known by the name')
  })

  it('is not told of a service that nobody knows: what is known is, and the name is said', async () => {
    const told = await given().ask('Why is warehouse failing?')
    expect(told.answer).toContain('Nothing is known by the name “warehouse”.')
    expect(told).toMatchObject({
      ...{ confidence: 0, outcome: 'inconclusive', snapshot_digest: 'd'.repeat(64) },
      understood: { service: null, window: { start: writeInstant(at(6)), end: writeInstant(NOW) } },
    })
    // Where nothing at all is known by any name, or a service is known beside it, this would mislead.
    const empty = await given({ entities: [], changes: [] }).ask('Why is warehouse failing?')
    expect(empty.answer).not.toContain('Nothing is known by the name')
    const both = await given().ask('Why is warehouse failing?', { service: 'checkout' })
    expect(both.answer).not.toContain('Nothing is known by the name')
    expect(both.understood.service).toBe('checkout')
    expect((await given().ask('What is wrong?')).answer).not.toContain('Nothing is known by the name')
  })

  it('is asked of the service in question, within what the deadline leaves for tools', async () => {
    const { acts, ask, requests, waits } = given()
    // The name is known to nobody before the tools were asked, unless the context or an incident says it.
    await ask('Why is checkout failing?', asked(at(2), at(1)))
    expect(requests).toEqual([{ service: null, window: { from: at(2), to: at(1) } }])
    const context = { service: 'checkout', ...asked(at(2), at(1)) }
    await ask('Why is it failing?', context)
    expect(requests.at(-1)).toEqual({ service: 'checkout', window: { from: at(2), to: at(1) } })
    waits.length = 0
    await answerQuestion(acts, { query: 'Why is it failing?', context }, NOW + 9_000)
    expect(Math.max(...waits)).toBe(4_000)
    waits.length = 0
    await answerQuestion(acts, { query: 'Why is it failing?', context }, NOW + 4_000)
    expect(Math.min(...waits)).toBe(0)
  })

  it('names as its own what an incident knows the service by', async () => {
    const known = sampleIncident(at(2), { service: 'payments' })
    const nameless = sampleIncident(at(3), { service: null })
    const told = await given({}, [known, nameless]).ask('Why is payments failing?')
    expect(told.understood.service).toBe('payments')
    expect(told.id).toMatch(/^query_/)
  })

  it('is asked afresh where an answer before it was about another time or another service', async () => {
    const { ask, snapshots } = given()
    const first = await ask('Why is checkout failing?')
    const follow = { previous_query_id: first.id }
    expect((await ask('What was asked?', follow)).understood.carried_over).toContain('snapshot')
    expect(snapshots).toHaveLength(1)
    expect(
      (await ask('What was asked?', { ...follow, ...asked(at(2), at(1)) })).understood.carried_over,
    ).not.toContain('snapshot')
    expect((await ask('What was asked of orders?', follow)).understood.carried_over).toContain('snapshot')
    expect((await ask('What changed?', follow)).understood.carried_over).not.toContain('snapshot')
    expect(snapshots).toHaveLength(3)
  })

  it('is asked afresh about an incident that was not analysed, or whose analysis kept nothing', async () => {
    const plain = sampleIncident(at(2), { service: 'checkout' })
    for (const incident of [
      plain,
      { ...plain, root_cause: { ...sampleRootCause(1, 10), snapshot_digest: null } as never },
    ]) {
      const { ask, snapshots } = given({}, [incident])
      const told = await ask('What was asked?', { incident_id: incident.id })
      expect(told.understood.carried_over).not.toContain('snapshot')
      expect(snapshots).toHaveLength(1)
    }
    const { ask } = given()
    expect((await ask('What was asked?')).understood.carried_over).not.toContain('snapshot')
  })
})

describe('a name that no incident has as its service', () => {
  const cause = { ...sampleRootCause(), first_failing_service: 'pricing', blast_radius: ['storefront'] }
  const analysed = sampleIncident(NOW, { service: 'checkout', root_cause: cause })
  /** The services that the tools were asked about. */
  async function askedOf(query: string, known: readonly Incident[]) {
    const services: (string | null)[] = []
    const { acts } = knowing(known)
    await answerQuestion(
      {
        ...acts,
        integrations: {
          openAll: async () => [
            { integration: { id: 'bundle_1', type: 'bundle', status: 'connected' }, config: {} },
          ],
        } as unknown as QuestionActs['integrations'],
        tools: () =>
          ({
            pull: async (_config: unknown, { service }: { readonly service: string | null }) => {
              services.push(service)
              return NOTHING_PULLED
            },
          }) as never,
        abortAfter: () => new AbortController().signal,
      },
      { query },
      DEADLINE,
    )
    return services
  }

  it('is known before the tools are asked where an analysis names it, so that they are asked about it', async () => {
    expect(await askedOf('how is pricing', [analysed])).toEqual(['pricing'])
    expect(await askedOf('storefront acting weird', [analysed])).toEqual(['storefront'])
    expect(await askedOf('how is basket', [analysed])).toEqual([null])
    expect(await askedOf('how is pricing', [sampleIncident(NOW)])).toEqual([null])
  })

  it('is none where an incident has that service by a longer name', async () => {
    const renamed = sampleIncident(NOW + 1, { service: 'checkout-service' })
    expect(
      await askedOf('how is checkout', [renamed, sampleIncident(NOW, { service: null, root_cause: cause })]),
    ).toEqual(['checkout-service'])
  })
})
