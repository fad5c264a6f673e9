import { describe, expect, it } from 'vitest'
import type { Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import { readQuestion } from '#shared/domain/investigation/questions/read-question.ts'
import type { Window } from '#shared/domain/investigation/records/snapshot.ts'
import type { IncidentFilter, PageRequest } from '#shared/domain/ports.ts'
import { tellEarlier, tellListing } from '#shared/domain/tell-incidents.ts'
import type { Understood } from '#shared/domain/understand-question.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const MINUTE = 60_000

/** Pages of incidents, and what was asked for. */
function listing(...pages: readonly (readonly Incident[])[]) {
  const asked: [IncidentFilter, PageRequest][] = []
  const list = async (filter: IncidentFilter, page: PageRequest) => {
    asked.push([filter, page])
    const index = page.after === null ? 0 : Number(page.after)
    return { items: pages[index] ?? [], next: index + 1 < pages.length ? String(index + 1) : null }
  }
  return { incidents: { list }, asked }
}

function understood(
  query: string,
  change: Partial<Understood> = {},
  services: readonly string[] = [],
): Understood {
  const question = readQuestion(query, { services, now: NOW })
  return {
    question,
    service: question.service,
    others: question.others,
    window: null,
    is_window_carried: false,
    carried_over: [],
    ...change,
  }
}
const same = (read: Understood) => () => read
const page = (count: number, from = 0): Incident[] =>
  Array.from({ length: count }, (_, index) => sampleIncident(NOW - (from + index) * MINUTE))

describe('a list that is asked of the store', () => {
  it.each([
    ['Which incidents are resolved?', { status: 'resolved' }, 'GET /incidents?status=resolved'],
    ['Which incidents are open?', {}, 'GET /incidents'],
    ['Which critical incidents are there?', { severity: 'critical' }, 'GET /incidents?severity=critical'],
  ])('%s', async (query, filter, request) => {
    const { incidents, asked } = listing(page(1))
    const read = understood(query)
    const told = await tellListing(incidents, read, same(read))
    expect(asked).toEqual([[expect.objectContaining(filter), { limit: 100, after: null }]])
    expect(Object.values(asked[0]?.[0] ?? {}).filter((value) => value !== undefined)).toEqual(
      Object.values(filter),
    )
    expect(told.evidence[0]?.query).toBe(request)
  })

  it('has the first instant of a window in it, and the last one not', async () => {
    const window: Window = { from: NOW - 60 * MINUTE, to: NOW }
    const { incidents, asked } = listing([])
    const read = understood('Which incidents are there?', { window })
    const told = await tellListing(incidents, read, same(read))
    expect(asked[0]?.[0]).toMatchObject({ after: window.from - 1, before: NOW })
    expect(told.evidence[0]?.query).toBe(
      `GET /incidents?start_time=${writeInstant(window.from - 1)}&end_time=${writeInstant(NOW)}`,
    )
    expect(told.understood).toMatchObject({
      intent: 'list_incidents',
      window: { start: writeInstant(window.from), end: writeInstant(NOW) },
    })
  })

  it.each([
    'What is the status of _?',
    'Is _ resolved?',
    'When was _ opened?',
    'Is the critical _ still open?',
  ])('holds one that is named by its id alone, whatever else could choose it: %s', async (words) => {
    const [first, named, last] = page(3)
    if (named === undefined) throw new Error('there is no incident')
    const { incidents, asked } = listing([first, named, last].flatMap((one) => one ?? []))
    const read = understood(words.replace('_', named.id), {}, ['checkout'])
    const told = await tellListing(incidents, read, same(read))
    const at = Date.parse(named.created_at)
    expect(asked).toEqual([
      [
        { after: at - 1, before: at + 1 },
        { limit: 100, after: null },
      ],
    ])
    expect(told.answer).toContain(`1 incident is known. By severity: 1 ${named.severity}.\n- ${named.id} `)
    expect(told.answer).toContain(`(${named.severity}, ${named.status}, checkout)`)
    expect(told).toMatchObject({ outcome: 'identified', confidence: 1 })
    expect(told.evidence).toHaveLength(2)
  })

  it('is read page by page to its end', async () => {
    const { incidents, asked } = listing(page(100), page(100, 100), page(3, 200))
    const read = understood('How many incidents are there?')
    const told = await tellListing(incidents, read, same(read))
    expect(asked.map(([, { after }]) => after)).toEqual([null, '1', '2'])
    expect(told.answer).toMatch(/^203 incidents/)
    expect(told).toMatchObject({ outcome: 'identified', confidence: 1, gaps: [], snapshot_digest: null })
    expect([told.hypotheses, told.ruled_out]).toEqual([[], []])
  })

  it('ends after ten pages, and says so', async () => {
    const { incidents, asked } = listing(...Array.from({ length: 12 }, (_, index) => page(2, index * 2)))
    const read = understood('How many incidents are there?')
    const told = await tellListing(incidents, read, same(read))
    expect(asked).toHaveLength(10)
    expect(told).toMatchObject({
      outcome: 'best_effort',
      confidence: 0.5,
      gaps: [{ what: 'incidents', why: 'only the latest 20 were read' }],
    })
    expect(told.answer).toMatch(/^At least 20 incidents/)
  })

  it('is read again once its services are known, and holds those of the one in question alone', async () => {
    const { incidents } = listing([
      sampleIncident(NOW, { service: 'orders' }),
      sampleIncident(NOW - MINUTE, { service: 'checkout' }),
      sampleIncident(NOW - 2 * MINUTE, { service: null }),
    ])
    const query = 'How many incidents of orders are there?'
    const known: (readonly string[])[] = []
    const told = await tellListing(incidents, understood(query), (services) => {
      known.push(services)
      return understood(query, {}, services)
    })
    expect(known).toEqual([['orders', 'checkout']])
    expect(told.answer).toMatch(/^1 incident/)
    expect(told.understood.service).toBe('orders')
  })

  it('holds those of each service that is named, and says by what they cannot be chosen', async () => {
    const { incidents } = listing([
      sampleIncident(NOW, { service: 'orders' }),
      sampleIncident(NOW - MINUTE, { service: 'checkout' }),
      sampleIncident(NOW - 2 * MINUTE, { service: 'search' }),
    ])
    const query = 'List the incidents of orders and checkout that were opened by alerts'
    const told = await tellListing(incidents, understood(query), (services) =>
      understood(query, {}, services),
    )
    expect(told.answer).toMatch(/^2 incidents match: service orders or checkout\./)
    expect(told).toMatchObject({
      outcome: 'best_effort',
      confidence: 0.5,
      gaps: [{ what: 'incidents by “opened by alerts”' }],
    })
  })

  it('lets nothing pass a service that no incident has', async () => {
    const { incidents } = listing(page(3))
    const read = understood('How many incidents of gizmo-service are there?')
    const told = await tellListing(incidents, read, same(read))
    expect(told.answer).toMatch(/^No incident/)
    expect(told.understood.service).toBeNull()
  })
})

describe('earlier incidents', () => {
  const read = understood('Has this happened before?')

  it('are those before the one that goes on', async () => {
    const current = sampleIncident(NOW - 30 * MINUTE)
    const { incidents, asked } = listing([])
    const told = await tellEarlier(incidents, read, current, NOW)
    expect(asked[0]?.[0]).toEqual({ before: NOW - 30 * MINUTE })
    expect(told.evidence[0]?.query).toBe(`GET /incidents?end_time=${writeInstant(NOW - 30 * MINUTE)}`)
    expect(told.understood).toMatchObject({ intent: 'seen_before', service: 'checkout', window: null })
  })

  it.each([
    ['the one in question is resolved', sampleIncident(NOW - 30 * MINUTE, { status: 'resolved' })],
    ['none is in question', undefined],
    ['its beginning is not known', sampleIncident(NOW - MINUTE, { created_at: 'never' })],
  ])('are those before now where %s', async (_, current) => {
    const { incidents, asked } = listing([])
    await tellEarlier(incidents, read, current, NOW)
    expect(asked[0]?.[0]).toEqual({ before: NOW })
  })

  it('are those of the service in question, before that of the incident', async () => {
    const { incidents } = listing([
      sampleIncident(NOW - 60 * MINUTE, { service: 'orders', title: 'Orders are lost' }),
      sampleIncident(NOW - 70 * MINUTE, { service: 'checkout', title: 'Nobody can pay' }),
    ])
    const current = sampleIncident(NOW)
    const own = await tellEarlier(incidents, read, current, NOW)
    expect(own.answer).toContain('Nobody can pay')
    expect(own.answer).not.toContain('Orders are lost')
    const other = await tellEarlier(incidents, { ...read, service: 'orders' }, current, NOW)
    expect(other.answer).toContain('Orders are lost')
    expect(other.understood.service).toBe('orders')
  })

  it('of a service that nobody knows are none, and it is not said to be understood', async () => {
    const { incidents } = listing(page(2))
    const asked = understood('Has gizmo-service failed before?')
    expect(asked.question.unknown).not.toBeNull()
    const told = await tellEarlier(incidents, asked, sampleIncident(NOW), NOW)
    expect(told.understood.service).toBeNull()
    expect(told.answer).not.toContain('Checkout fails')
  })

  it('are told with what was found of them, and without what was not', async () => {
    const found = sampleRootCause()
    const { incidents } = listing([
      sampleIncident(NOW - 60 * MINUTE, { root_cause: found }),
      sampleIncident(NOW - 70 * MINUTE, {
        root_cause: { ...found, outcome: 'inconclusive', summary: 'Nothing was found.' },
      }),
    ])
    const told = await tellEarlier(incidents, read, sampleIncident(NOW), NOW)
    const said = `${told.answer} ${told.evidence.map(({ content }) => content).join(' ')}`
    expect(said).toContain(found.summary)
    expect(said).not.toContain('Nothing was found.')
  })

  it('are less sure where not all were read', async () => {
    const all = await tellEarlier(listing(page(2, 1)).incidents, read, sampleIncident(NOW), NOW)
    expect(all.confidence).toBe(1)
    const pages = Array.from({ length: 11 }, (_, index) => page(1, index + 1))
    const some = await tellEarlier(listing(...pages).incidents, read, sampleIncident(NOW), NOW)
    expect(some).toMatchObject({ confidence: 0.5, outcome: 'best_effort' })
  })
})
