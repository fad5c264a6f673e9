import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerListing, type ListedIncident } from '#shared/domain/investigation/questions/answer-listing.ts'
import type { Question } from '#shared/domain/investigation/questions/read-question.ts'

const at = Date.parse('2026-11-21T10:00:00Z')
const incident = (number: number, part: Partial<ListedIncident> = {}): ListedIncident => ({
  id: `inc_${number}`,
  title: `Trouble ${number}`,
  status: 'open',
  severity: 'high',
  created_at: at + number * 60_000,
  service: 'checkout',
  ...part,
})
const question = (part: Partial<Question> = {}): Question => ({
  intent: 'list_incidents',
  refusal: null,
  service: null,
  others: [],
  left: [],
  suspect: null,
  unknown: null,
  slip: null,
  measure: null,
  is_last: false,
  is_compared: false,
  part: null,
  side: null,
  window: null,
  status: null,
  severity: null,
  words: [],
  ...part,
})
const listing = (incidents: readonly ListedIncident[], isCut = false) => ({
  incidents,
  is_cut: isCut,
  query: 'incidents',
})

describe('answering which incidents there are', () => {
  it('lists the newest first with severity, status, service and time', () => {
    const { answer, evidence, confidence } = answerListing(
      question(),
      listing([incident(1), incident(2, { severity: 'critical' })]),
    )
    expect(answer).toBe(
      '2 incidents are known. By severity: 1 critical, 1 high.\n- inc_2 “Trouble 2” (critical, open, checkout) since 2026-11-21 10:02:00 UTC.\n- inc_1 “Trouble 1” (high, open, checkout) since 2026-11-21 10:01:00 UTC.',
    )
    expect(evidence.map((item) => item.source)).toEqual(['incidents', 'incidents', 'incidents'])
    expect(confidence).toBe(1)
  })

  it('says that there are none, and with which filters', () => {
    const { answer } = answerListing(
      question({ status: 'open', severity: 'low', service: 'search', window: { from: at, to: at + 60_000 } }),
      listing([]),
    )
    expect(answer).toBe(
      'No incidents match: status open, severity low, service search, created from 2026-11-21 10:00:00 UTC to 2026-11-21 10:01:00 UTC.',
    )
  })

  it('lists those of every service that is named', () => {
    const all = listing([
      incident(1),
      incident(2, { service: 'payments' }),
      incident(3, { service: 'search' }),
    ])
    const { answer } = answerListing(
      question({ intent: 'count_incidents', service: 'checkout', others: ['payments'] }),
      all,
    )
    expect(answer).toBe('2 incidents match: service checkout or payments. By severity: 2 high.')
  })

  it('says by what incidents were to be chosen and are not, and is unsure then', () => {
    const told = answerListing(
      question({ intent: 'count_incidents', chosen_by: 'opened by alerts' }),
      listing([incident(1)]),
    )
    expect(told.answer).toBe(
      '1 incident is known. By severity: 1 high.\nThese are not told apart by “opened by alerts”: a question can choose incidents by status, severity, service and time.',
    )
    expect(told.confidence).toBe(0.5)
    expect(told.gaps).toEqual([
      {
        what: 'incidents by “opened by alerts”',
        why: 'incidents are told apart by status, severity, service and time',
      },
    ])
    expect(answerListing(question(), listing([incident(1)])).gaps).toEqual([])
  })

  it('leaves out what the filters exclude, and counts incidents under investigation as open', () => {
    const { answer } = answerListing(
      question({ intent: 'count_incidents', status: 'open' }),
      listing([incident(1), incident(2, { status: 'investigating' }), incident(3, { status: 'resolved' })]),
    )
    expect(answer).toBe('2 incidents match: status open. By severity: 2 high.')
    expect(
      answerListing(question({ service: 'other' }), listing([incident(1, { service: null })])).answer,
    ).toBe('No incidents match: service other.')
    expect(
      answerListing(question({ severity: 'low' }), listing([incident(1, { severity: 'low' }), incident(2)]))
        .answer,
    ).toContain('1 incident matches')
    expect(
      answerListing(question({ window: { from: at, to: at + 120_000 } }), listing([incident(1), incident(2)]))
        .answer,
    ).toContain('1 incident matches')
  })

  it('claims no more than “at least” where the list was cut, and is less sure', () => {
    const { answer, confidence } = answerListing(
      question({ intent: 'count_incidents' }),
      listing([incident(1)], true),
    )
    expect(answer).toBe(
      'At least 1 incident is known. By severity: 1 high. There are more than could be read.',
    )
    expect(confidence).toBe(0.5)
    expect(answerListing(question(), listing([], true)).answer).toContain('At least 0')
  })

  it('names ten and counts the rest', () => {
    const many = Array.from({ length: 12 }, (_, index) => incident(index))
    const { answer, evidence } = answerListing(question(), listing(many))
    expect(answer).toContain('The other 2 are not listed here.')
    expect(evidence).toHaveLength(11)
  })

  it('cites its own words, the store’s question and the time, each piece under an id of its own', () => {
    const window = { from: at, to: at + 120_000 }
    const { answer, evidence } = answerListing(
      question({ window }),
      listing([incident(1, { service: null })]),
    )
    const [lead = '', one = ''] = answer.split('\n')
    expect(one).toBe('- inc_1 “Trouble 1” (high, open) since 2026-11-21 10:01:00 UTC.')
    const common = {
      ...{ source: 'incidents', type: 'statement', integration_id: null, query: 'incidents', link: null },
      ...{ digest: null, window: { start: '2026-11-21T10:00:00.000Z', end: '2026-11-21T10:02:00.000Z' } },
    }
    expect(evidence).toEqual([
      { ...common, id: 'ev_1', content: lead },
      { ...common, id: 'ev_2', content: one.slice(2) },
    ])
    expect(answerListing(question(), listing([])).evidence[0]?.window).toBeNull()
  })

  it('lists what each filter asks for, and nothing else', () => {
    const all = listing([
      incident(1, { severity: 'low', status: 'investigating' }),
      incident(2, { service: 'search', status: 'resolved' }),
      incident(3),
    ])
    const listed = (part: Partial<Question>) =>
      [...answerListing(question(part), all).answer.matchAll(/\n- (\w+)/g)].map(([, id]) => id)
    expect(listed({ severity: 'low' })).toEqual(['inc_1'])
    expect(listed({ service: 'search' })).toEqual(['inc_2'])
    expect(listed({ status: 'open' })).toEqual(['inc_3', 'inc_1'])
    expect(listed({ status: 'investigating' })).toEqual(['inc_1'])
    expect(listed({ status: 'resolved' })).toEqual(['inc_2'])
    // From its first instant on, up to its last.
    expect(listed({ window: { from: at + 60_000, to: at + 180_000 } })).toEqual(['inc_2', 'inc_1'])
    expect(listed({ window: { from: at + 60_001, to: at + 180_001 } })).toEqual(['inc_3', 'inc_2'])
  })

  it('names ten of ten, and none where they are counted', () => {
    const many = (count: number) => listing(Array.from({ length: count }, (_, index) => incident(index)))
    expect(answerListing(question(), many(10)).answer).not.toContain('The other')
    const counted = answerListing(question({ intent: 'count_incidents' }), many(12))
    expect(counted.answer).toBe('12 incidents are known. By severity: 12 high.')
  })

  it('does not depend on the order of the records', () => {
    const many = Array.from({ length: 8 }, (_, index) =>
      incident(index, { created_at: at + (index % 3) * 1_000 }),
    )
    fc.assert(
      fc.property(fc.shuffledSubarray(many, { minLength: 8 }), (shuffled) => {
        expect(answerListing(question(), listing(shuffled))).toEqual(answerListing(question(), listing(many)))
      }),
    )
  })
})
