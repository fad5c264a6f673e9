import { describe, expect, it } from 'vitest'
import { answerEarlier, type EarlierIncident } from '#shared/domain/investigation/questions/answer-earlier.ts'
import { at } from '../incident-scenarios.ts'

const incident = (id: string, minute: number, more: Partial<EarlierIncident> = {}): EarlierIncident =>
  ({
    ...{
      id,
      title: `Checkout ${id}`,
      severity: 'high',
      status: 'resolved',
      service: 'stock',
      created_at: at(minute),
    },
    ...{ cause: null, resolved_at: null, ...more },
  }) as EarlierIncident
const told = (incidents: readonly EarlierIncident[], service: string | null = 'stock', is_cut = false) =>
  answerEarlier({ service, before: at(60), incidents, is_cut, query: 'incidents of stock' })
const lead = (...given: Parameters<typeof told>): string | undefined => told(...given).answer.split('\n')[0]
const BEFORE = 'known from before 2026-03-02 09:00:00 UTC.'

describe('whether it happened before', () => {
  it('is told by the incidents of the service that began before, newest first, by id where two began at once', () => {
    const { answer } = told([
      incident('b', 10),
      incident('c', 59),
      incident('a', 10),
      incident('late', 60),
      incident('other', 5, { service: 'web' }),
    ])
    expect(answer.split('\n').map((line) => line.slice(0, 3))).toEqual(['3 i', '- c', '- a', '- b'])
    expect(answer.split('\n')[0]).toBe(`3 incidents of stock are ${BEFORE}`)
  })

  it('is told of every service where none is named', () => {
    expect(lead([incident('a', 10), incident('b', 10, { service: 'web' })], null)).toBe(
      `2 incidents are ${BEFORE}`,
    )
  })

  it('counts one as one, none as none, and says that there may be more', () => {
    expect(lead([incident('a', 10)])).toBe(`1 incident of stock is ${BEFORE}`)
    expect(lead([])).toBe(`No incidents of stock are ${BEFORE}`)
    expect(lead([], 'stock', true)).toBe(`At least 0 incidents of stock are ${BEFORE}`)
    expect(lead([incident('a', 10)], 'stock', true)).toBe(`At least 1 incident of stock is ${BEFORE}`)
  })

  it('is told with what was found of each, or that nothing was', () => {
    expect(told([incident('a', 10, { cause: 'a pool that was too small' })]).answer.split('\n')[1]).toBe(
      '- a “Checkout a” (high, resolved) from 2026-03-02 08:10:00 UTC; what was found: “a pool that was too small”.',
    )
    expect(told([incident('a', 10)]).answer).toMatch(/UTC; its cause was not found\.$/)
  })

  it('is told with how long each took to be resolved', () => {
    const lasted = (minutes: number) =>
      told([incident('a', 10, { resolved_at: at(10 + minutes) })])
        .answer.split('; ')[0]
        ?.split('UTC')[2]
    expect(told([incident('a', 10, { resolved_at: at(33) })]).answer).toContain(
      ' from 2026-03-02 08:10:00 UTC, resolved after 23 min; ',
    )
    expect(lasted(125)).toBe(', resolved after 2 h 5 min')
  })

  it('tells five one by one, and that there are others', () => {
    const some = (count: number) =>
      told(Array.from({ length: count }, (_, index) => incident(`i${index}`, index))).answer.split('\n')
    expect(some(5)).toHaveLength(6)
    expect(some(6)).toHaveLength(7)
    expect(some(6).at(-1)).toBe('The others are not listed here.')
  })

  it('cites what was asked of the store, each sentence once', () => {
    const { answer, evidence } = told([incident('a', 10), incident('b', 9)])
    expect(evidence.map(({ content }) => content)).toEqual(
      answer.split('\n').map((line) => line.replace(/^- /, '')),
    )
    expect(
      evidence.map(({ id, source, type, query, integration_id, window, link, digest }) => [
        id,
        source,
        type,
        query,
        integration_id,
        window,
        link,
        digest,
      ]),
    ).toEqual([
      ['ev_1', 'incidents', 'statement', 'incidents of stock', null, null, null, null],
      ['ev_2', 'incidents', 'pattern', 'incidents of stock', null, null, null, null],
      ['ev_3', 'incidents', 'pattern', 'incidents of stock', null, null, null, null],
    ])
  })
})
