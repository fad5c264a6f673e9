import { describe, expect, it } from 'vitest'
import type { Incident } from '#shared/domain/incident.ts'
import { asksOf } from '#shared/domain/investigation/questions/read-question.ts'
import type { Window } from '#shared/domain/investigation/records/snapshot.ts'
import type { StoredAnswer } from '#shared/domain/ports.ts'
import {
  type AskedQuestion,
  type Pointed,
  pointedAt,
  understand,
  understoodAs,
  windowOf,
} from '#shared/domain/understand-question.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const NOW = Date.parse('2026-03-02T12:00:00Z')
const iso = (at: number): string => new Date(at).toISOString()
const ID = 'inc_01KG9XH200000000000000000A'

const incident = (more: Partial<Incident> = {}): Incident =>
  ({
    ...{ id: ID, service: 'stock', created_at: iso(NOW - 2 * HOUR), started_at: null, resolved_at: null },
    ...more,
  }) as Incident
const answer = (
  query: string,
  more: Partial<StoredAnswer['understood']> = {},
  timestamp = iso(NOW - HOUR),
): StoredAnswer =>
  ({
    ...{ id: 'qry_1', query, timestamp, snapshot_digest: null },
    understood: { intent: 'why', service: 'stock', window: null, carried_over: [], ...more },
  }) as unknown as StoredAnswer
const NOBODY: Pointed = { incident: undefined, previous: undefined }
const read = (query: string, pointed: Partial<Pointed> = {}, context: AskedQuestion['context'] = undefined) =>
  understand({ query, context }, { ...NOBODY, ...pointed }, NOW)({ services: ['stock', 'web', 'payments'] })
const window = (from: number, to: number): Window => ({ from, to })

describe('what a question points at', () => {
  const acts = {
    incidents: { get: async (id: string) => (id === ID ? incident() : undefined) },
    queries: { get: async (id: string) => (id === 'qry_1' ? answer('why is stock slow?') : undefined) },
  }
  const pointed = (query: string, context?: AskedQuestion['context']) =>
    pointedAt(acts as never, { query, context })

  it('is nothing where neither it nor its context names anything', async () => {
    expect(await pointed('why is stock slow?')).toEqual(NOBODY)
    expect(await pointed('why is stock slow?', {})).toEqual(NOBODY)
  })

  it('is the incident and the answer that its context names', async () => {
    const found = await pointed('why?', { incident_id: ID, previous_query_id: 'qry_1' })
    expect([found.incident?.id, found.previous?.id]).toEqual([ID, 'qry_1'])
  })

  it('is an incident that is named in the question, however it is written, unless the context names another', async () => {
    expect((await pointed(`what about ${ID}?`)).incident?.id).toBe(ID)
    expect((await pointed(`what about ${ID.toLowerCase()}?`)).incident?.id).toBe(ID)
    const other = ID.replace(/A$/, 'B')
    expect((await pointed(`what about ${other}?`, { incident_id: ID })).incident?.id).toBe(ID)
    expect(await pointed(`what about x${ID}?`)).toEqual(NOBODY)
  })

  it.each([
    ['query', 'names an incident that does not exist', `what about ${ID.replace(/A$/, 'B')}?`, undefined],
    ['query', 'names an incident that does not exist', `is ${ID.replace(/A$/, 'O')} resolved?`, undefined],
    [
      ...(['context.incident_id', 'must be the id of an incident', 'why?'] as const),
      { incident_id: ID.replace(/A$/, 'B') },
    ],
    [
      ...(['context.previous_query_id', 'must be the id of a stored answer', 'why?'] as const),
      { previous_query_id: 'qry_2' },
    ],
  ] as const)('is refused by the name of %s: it %s', async (field, reason, query, context) => {
    await expect(pointed(query, context)).rejects.toMatchObject({ details: { field, reason } })
  })
})

describe('the time of an incident', () => {
  it('begins an hour before it started, and ends now or a quarter of an hour after it was resolved', () => {
    expect(windowOf(incident({ started_at: iso(NOW - 3 * HOUR) }), NOW)).toEqual(window(NOW - 4 * HOUR, NOW))
    expect(windowOf(incident(), NOW)).toEqual(window(NOW - 3 * HOUR, NOW))
    expect(windowOf(incident({ resolved_at: iso(NOW - HOUR) }), NOW)).toEqual(
      window(NOW - 3 * HOUR, NOW - 45 * MINUTE),
    )
  })

  it('is the last hour where there is none', () => {
    expect(windowOf(undefined, NOW)).toEqual(window(NOW - HOUR, NOW))
  })
})

describe('the time of a question', () => {
  it('is that of the incident that its context names, as far back as investigations look', () => {
    const asked = { query: 'why?', context: { incident_id: ID } }
    const of = (lengths?: Parameters<typeof understand>[3]) =>
      understand(asked, { ...NOBODY, incident: incident() }, NOW, lengths)({ services: ['stock'] }).window
    expect(of()).toEqual(window(NOW - 3 * HOUR, NOW))
    expect(of({ lead: 2 * MINUTE, guard: MINUTE, baseline: MINUTE })).toEqual(
      window(NOW - 2 * HOUR - 2 * MINUTE, NOW),
    )
  })

  it('is what its context names: a missing start is an hour before the end, a missing end is now', () => {
    const of = (start?: number, end?: number) =>
      read(
        'why is stock slow?',
        {},
        {
          time_range: {
            start: start === undefined ? undefined : iso(start),
            end: end === undefined ? undefined : iso(end),
          },
        },
      ).window
    expect(of(NOW - 3 * HOUR, NOW - 2 * HOUR)).toEqual(window(NOW - 3 * HOUR, NOW - 2 * HOUR))
    expect(of(NOW - 3 * HOUR)).toEqual(window(NOW - 3 * HOUR, NOW))
    expect(of(undefined, NOW - 2 * HOUR)).toEqual(window(NOW - 3 * HOUR, NOW - 2 * HOUR))
    expect(of(NOW + HOUR)).toEqual(window(NOW + HOUR, NOW + HOUR + 1))
    expect(of()).toBeNull()
  })

  it('reaches back thirty-one days and no further', () => {
    const of = (days: number) => read('why?', {}, { time_range: { start: iso(NOW - days * DAY) } }).window
    expect(of(31)).toEqual(window(NOW - 31 * DAY, NOW))
    expect(() => of(31.001)).toThrow('context.time_range.start: must be at most 31 days ago')
  })

  it('is the context’s before its own words’, and these before what is carried over', () => {
    const given = { time_range: { start: iso(NOW - 3 * HOUR), end: iso(NOW - 2 * HOUR) } }
    expect(read('why is stock slow in the last 10 minutes?', {}, given).window).toEqual(
      window(NOW - 3 * HOUR, NOW - 2 * HOUR),
    )
    expect(read('why is stock slow in the last 10 minutes?', { incident: incident() })).toMatchObject({
      ...{ window: window(NOW - 10 * MINUTE, NOW), is_window_carried: false, carried_over: [] },
    })
    expect(read('why is stock slow?', { incident: incident() })).toMatchObject({
      ...{ window: window(NOW - 3 * HOUR, NOW), is_window_carried: true, carried_over: ['window'] },
    })
    expect(read('why is stock slow?')).toMatchObject({
      window: null,
      is_window_carried: false,
      carried_over: [],
    })
  })

  it('is no incident’s where incidents are listed or counted', () => {
    for (const query of ['list open incidents', 'how many incidents were there?'])
      expect(read(query, { incident: incident() })).toMatchObject({ window: null, is_window_carried: false })
  })

  it('is that of the answer before it; one that reached to its present reaches to ours', () => {
    const carried = (from: number, to: number, at = NOW - HOUR) =>
      read('why is stock slow?', {
        previous: answer('why?', { window: { start: iso(from), end: iso(to) } }, iso(at)),
      }).window
    expect(carried(NOW - 3 * HOUR, NOW - 2 * HOUR)).toEqual(window(NOW - 3 * HOUR, NOW - 2 * HOUR))
    expect(carried(NOW - 3 * HOUR, NOW - HOUR)).toEqual(window(NOW - 3 * HOUR, NOW))
    expect(carried(NOW - 3 * HOUR, NOW - HOUR - MINUTE)).toEqual(window(NOW - 3 * HOUR, NOW))
    expect(carried(NOW - 3 * HOUR, NOW - HOUR - MINUTE - 1)).toEqual(
      window(NOW - 3 * HOUR, NOW - HOUR - MINUTE - 1),
    )
    // It does not grow beyond the longest one, and never shrinks.
    expect(carried(NOW - 40 * DAY, NOW - HOUR)).toEqual(window(NOW - 40 * DAY, NOW - HOUR))
    expect(carried(NOW - 31 * DAY - HOUR, NOW - HOUR - MINUTE)).toEqual(
      window(NOW - 31 * DAY - HOUR, NOW - HOUR),
    )
    expect(read('why is stock slow?', { previous: answer('why?') }).window).toBeNull()
    for (const broken of [
      { start: 'once', end: iso(NOW) },
      { start: iso(NOW - HOUR), end: 'once' },
    ])
      expect(read('why?', { previous: answer('why?', { window: broken }) }).window).toBeNull()
  })
})

describe('the service of a question', () => {
  it('is the context’s, else its own, else what it points at', () => {
    expect(read('why is stock slow?', {}, { service: 'web' })).toMatchObject({
      service: 'web',
      carried_over: [],
    })
    expect(read('why is stock slow?', { incident: incident({ service: 'web' }) }).service).toBe('stock')
    expect(read('why is it slow?', { incident: incident({ service: 'web' }) })).toMatchObject({
      ...{ service: 'web', carried_over: ['service', 'window'] },
    })
    expect(read('why is it slow?', { previous: answer('why?', { service: 'web' }) })).toMatchObject({
      ...{ service: 'web', carried_over: ['service'] },
    })
    const both = { incident: incident({ service: 'web' }), previous: answer('why?', { service: 'payments' }) }
    expect(read('why is it slow?', both).service).toBe('web')
    expect(read('why is it slow?').service).toBeNull()
  })

  it('is none where it names one that nobody knows', () => {
    expect(read('why is warehouse slow?', { incident: incident() })).toMatchObject({
      ...{ service: null, question: { unknown: 'warehouse' } },
    })
  })

  it('may be one that only what it points at knows', () => {
    expect(read('why is warehouse slow?', { incident: incident({ service: 'warehouse' }) }).service).toBe(
      'warehouse',
    )
    expect(
      read('why is warehouse slow?', { previous: answer('why?', { service: 'warehouse' }) }).service,
    ).toBe('warehouse')
    expect(read('why is stock slow?', {}, { service: 'warehouse' }).service).toBe('warehouse')
  })
})

describe('a question for the time before', () => {
  const before = (query: string, from = NOW - 2 * HOUR, to = NOW - HOUR) =>
    answer(query, { intent: 'what_changed', window: { start: iso(from), end: iso(to) } }, iso(NOW - MINUTE))

  it.each([
    ['and before that?', 2 * HOUR],
    ['what changed before that', 2 * HOUR],
    ['and the day before?', DAY],
  ])('“%s” is about what stands before the time of the question before it', (query, length) => {
    const previous = before('what changed?', NOW - 4 * HOUR, NOW - 2 * HOUR)
    const { question, window: of, is_window_carried } = read(query, { previous })
    expect(question.intent).toBe('what_changed')
    expect(of).toEqual(window(NOW - 4 * HOUR - length, NOW - 4 * HOUR))
    expect(is_window_carried).toBe(false)
  })

  it('names none where nothing was asked before', () => {
    expect(read('what changed before that').window).toBeNull()
  })
})

describe('a follow-up that narrows a list', () => {
  const listed = answer('list incidents', { intent: 'list_incidents', service: null })
  it.each([
    ['only the critical ones', { severity: 'critical', status: null }],
    ['just the open ones', { severity: null, status: 'open' }],
  ])('“%s” filters it', (query, filters) => {
    expect(read(query, { previous: listed }).question).toMatchObject({ intent: 'list_incidents', ...filters })
  })

  it('filters nothing else', () => {
    const { question } = read('and the critical ones?', { previous: answer('why is stock slow?') })
    expect(question).toMatchObject({ intent: 'why', severity: null })
  })
})

describe('a question that follows on', () => {
  const previous = answer('why is stock slow?')

  it.each([
    'and payments?',
    'ok and payments?',
    'Ok, what about payments',
    'hmm. and payments?',
    'what about payments',
    'how about yesterday?',
    'also web?',
    'same for web',
    'payments?',
    'web since yesterday',
    'blue since yesterday',
    'the warehouse-api?',
    'web payments stock',
    '  and blue green red black',
  ])('asks the same again: “%s”', (query) => {
    const found = read(query, { previous })
    expect(found.question).toMatchObject({ intent: 'why', refusal: null })
    expect(found.carried_over[0]).toBe('intent')
  })

  it('is not about the service before it where it asks after another word that is no service', () => {
    const stranger = read('what about loyalty?', { previous })
    expect(stranger.question.unknown).toBe('loyalty')
    expect(stranger.service).toBeNull()
    for (const query of [
      'what about latency?',
      'what about yesterday?',
      'how about errors?',
      'what about it?',
    ])
      expect(read(query, { previous }).question.unknown, query).toBeNull()
  })

  it('says in a word or two what it means by the question before it alone', () => {
    const previous = answer('why is stock slow', { intent: 'why', service: 'stock' })
    expect(read('still?', { previous }).question.intent).toBe('is_recovered')
    expect(read('says who?', { previous }).question.intent).toBe('what_contradicts')
    expect(read('says who?', {}).question.intent).toBe('unknown')
  })

  it('has the filters and the measure of the one before it where it says none of its own', () => {
    const listed = answer('which critical incidents are open?', { intent: 'list_incidents' })
    expect(read('total?', { previous: listed }).question).toMatchObject({
      ...{ intent: 'count_incidents', status: 'open', severity: 'critical' },
    })
    const told = answer('p99 of stock?', { intent: 'how_is' })
    const asked = (query: string) => read(query, { previous: told }).question.measure
    expect(asked('is that a lot?')).toEqual({ measure: 'latency', quantile: 'p99' })
    expect(asked('errors?')).toMatchObject({ measure: 'errors' })
  })

  it('asks for the same measure, and beside normal time where that was asked', () => {
    const before = answer('p99 latency of stock now vs before?', { intent: 'how_is' })
    expect(read('and web?', { previous: before }).question).toMatchObject({
      ...{ intent: 'how_is', service: 'web', is_compared: true },
      measure: { measure: 'latency', quantile: 'p99' },
    })
  })

  it('asks for what the one before it took over, however many follow', () => {
    let previous = answer('p99 latency of stock now vs before?', { intent: 'how_is' })
    for (const service of ['web', 'payments', 'stock']) {
      const next = read(`and ${service}?`, { previous })
      expect(next.question).toMatchObject({ service, is_compared: true, measure: { quantile: 'p99' } })
      previous = { ...answer(`and ${service}?`), ...understoodAs(next, next.service, next.window) }
    }
    const counted = { ...answer('and web?', { intent: 'count_incidents' }) }
    const { question } = read('how many critical incidents are open?')
    const asks = asksOf(question)
    expect(read('list them', { previous: { ...counted, asks } }).question).toMatchObject({
      ...{ intent: 'list_incidents', status: 'open', severity: 'critical' },
    })
  })

  it('asks what a plain word of it says, and what the one before it asked where no word is plain', () => {
    const before = answer('why is stock failing', { intent: 'why' })
    expect(read('and the damage?', { previous: before }).question.intent).toBe('what_is_affected')
    expect(read('and already restored?', { previous: before }).question.intent).toBe('is_recovered')
    expect(read('and at first?', { previous: before }).question.intent).toBe('why')
  })

  it('counts those that were just listed, and nothing where no list was given', () => {
    const listed = answer('open critical incidents', { intent: 'list_incidents' })
    for (const query of ['how many in total?', 'how many?', 'and how many are there?'])
      expect(read(query, { previous: listed }).question).toMatchObject({
        ...{ intent: 'count_incidents', status: 'open', severity: 'critical' },
      })
    expect(
      read('how many in total?', { previous: answer('why?', { intent: 'why' }) }).question.intent,
    ).not.toBe('count_incidents')
  })

  it('names its own time where the one before told its by a change', () => {
    const before = answer('what changed before the deploy?', { intent: 'what_changed' })
    expect(read('and web?', { previous: before }).question.side).toBe('before')
    expect(read('and yesterday?', { previous: before }).question.side).toBeNull()
  })

  it('asks what it says where it says so, and nothing where it says nothing that could follow', () => {
    expect(read('and what changed in web?', { previous })).toMatchObject({
      question: { intent: 'what_changed' },
    })
    for (const query of [
      'blue green red',
      'web stock payments blue',
      'web stock payments blue green red',
      'blue green red and black',
    ])
      expect(read(query, { previous }).question).toMatchObject({ intent: 'unknown', refusal: 'unreadable' })
  })

  it('does not ask again what was not understood, or what cannot be dated', () => {
    expect(read('and payments?', { previous: answer('x', { intent: 'unknown' }) })).toMatchObject({
      question: { intent: 'unknown', refusal: 'unreadable' },
      carried_over: [],
    })
    expect(read('and payments?', { previous: answer('x', {}, 'once') }).question.intent).toBe('unknown')
    expect(read('and payments?').question.intent).toBe('unknown')
  })

  it('keeps the filters of a list', () => {
    const list = answer('list open critical incidents', { intent: 'list_incidents', service: null })
    expect(read('and payments?', { previous: list }).question).toMatchObject({
      ...{ intent: 'list_incidents', status: 'open', severity: 'critical', service: 'payments' },
    })
  })
})

describe('nothing but a name', () => {
  it('asks how that service does', () => {
    expect(read('payments').question).toMatchObject({ intent: 'how_is', refusal: null, service: 'payments' })
    expect(read('payments?').question.intent).toBe('how_is')
  })

  it('is none with a word more, a beginning of a follow-up, or a name that nobody knows', () => {
    for (const query of ['payments blue', 'and payments', 'warehouse', 'will payments'])
      expect(read(query).question.intent).toBe('unknown')
  })
})

describe('how a question was understood', () => {
  it('is told with its times written out', () => {
    const found = read('why is it slow?', { incident: incident() })
    expect(understoodAs(found, found.service, found.window).understood).toEqual({
      ...{ intent: 'why', service: 'stock', carried_over: ['service', 'window'] },
      window: { start: '2026-03-02T09:00:00.000Z', end: '2026-03-02T12:00:00.000Z' },
    })
    expect(understoodAs(found, null, null).understood).toMatchObject({ service: null, window: null })
  })

  it('reads its words in the time zone of the context', () => {
    const of = (timezone?: string) =>
      read('what changed today?', {}, timezone === undefined ? {} : { timezone }).window?.from
    expect(of()).toBe(Date.parse('2026-03-02T00:00:00Z'))
    expect(of('Asia/Tokyo')).toBe(Date.parse('2026-03-01T15:00:00Z'))
  })
})

describe('a follow-up that corrects or moves the question before it', () => {
  const earlier = (query: string) =>
    answer(query, { intent: 'how_is', window: { start: iso(NOW - 3 * HOUR), end: iso(NOW - 2 * HOUR) } })

  it.each(['no i mean web', 'sorry, i meant web', 'nvm, web'])('is asked of who is meant: “%s”', (query) => {
    expect(read(query, { previous: earlier('how is stock?') })).toMatchObject({
      service: 'web',
      question: { intent: 'how_is' },
    })
  })

  it('names who is meant also where nobody knows it', () => {
    const { question, service } = read('no i mean billing', { previous: earlier('how is stock?') })
    expect([question.unknown, service]).toEqual(['billing', null])
  })

  it.each([
    ['an hour earlier?', -HOUR],
    ['and 15 minutes before', -15 * MINUTE],
    ['30 minutes later?', 30 * MINUTE],
  ])('is of as long a time so much earlier or later: “%s”', (query, by) => {
    expect(read(query, { previous: earlier('how is stock?') }).window).toEqual(
      window(NOW - 3 * HOUR + by, NOW - 2 * HOUR + by),
    )
  })

  it('asks whether an alert fires by nothing but its name', () => {
    expect(read('StockErrorRatio').question).toMatchObject({
      intent: 'how_is',
      measure: { measure: 'alerts' },
    })
    expect(read('Stock').question).toMatchObject({ intent: 'how_is', measure: null })
  })
})
