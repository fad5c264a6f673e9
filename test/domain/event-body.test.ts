import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { receivedEvents } from '#shared/contract/events.ts'
import { eventBody, MOST_DELIVERED_BYTES } from '#shared/domain/event-body.ts'
import type { Incident, ServiceEvent } from '#shared/domain/incident.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const incident: Incident = {
  id: 'inc_1',
  title: 'Checkout fails',
  status: 'open',
  severity: 'high',
  service: null,
  description: null,
  started_at: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  resolved_at: null,
  analysis: 'pending',
  root_cause: null,
  version: 3,
}
const eventOf = (change: Partial<Incident> = {}): ServiceEvent => ({
  id: 'evt_1',
  kind: 'incident.created',
  incident_id: 'inc_1',
  at: '2026-01-31T12:00:00.000Z',
  sequence: 3,
  incident: { ...incident, ...change },
})
const bytes = (text: string) => Buffer.byteLength(text)

describe('the body of an event', () => {
  it('is type, timestamp and data: the incident as the API shows it, with the sequence', () => {
    const { version: _version, ...shown } = incident
    expect(JSON.parse(eventBody(eventOf()))).toEqual({
      type: 'incident.created',
      timestamp: '2026-01-31T12:00:00.000Z',
      data: { ...shown, sequence: 3 },
    })
  })

  it('stays below 20 KB whatever people write, and says what it cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 2_000, maxLength: 4_000, size: 'max' }),
        fc.string({ unit: 'binary', maxLength: 200 }),
        (description, title) => {
          const text = eventBody(eventOf({ description, title }))
          expect(bytes(text)).toBeLessThan(MOST_DELIVERED_BYTES)
          const { data } = JSON.parse(text)
          if (data.truncated === undefined) expect(data.description).toBe(description)
          else {
            expect(data.truncated).toEqual(['description'])
            expect(data.description.endsWith('…')).toBe(true)
            expect(description.startsWith(data.description.slice(0, -1))).toBe(true)
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('cuts no more than it must', () => {
    const text = eventBody(eventOf({ description: '\u0001'.repeat(4_000) }))
    expect(bytes(text)).toBeLessThan(MOST_DELIVERED_BYTES)
    expect(bytes(text)).toBeGreaterThan(MOST_DELIVERED_BYTES - 100)
  })

  it('drops evidence before it cuts the description', () => {
    const evidence = [{ content: 'x'.repeat(15_000) }]
    const root_cause = { summary: 'a deploy', evidence } as unknown as NonNullable<Incident['root_cause']>
    const { data } = JSON.parse(eventBody(eventOf({ root_cause, description: 'y'.repeat(8_000) })))
    expect(data.truncated).toEqual(['root_cause.evidence'])
    expect(data.root_cause).toEqual({ summary: 'a deploy', evidence: [] })
    expect(data.description).toHaveLength(8_000)
  })

  it('is whole up to 19,999 bytes, and cut from 20,000 on', () => {
    const frame = bytes(eventBody(eventOf({ description: '' })))
    const whole = eventBody(eventOf({ description: 'y'.repeat(19_999 - frame) }))
    expect(bytes(whole)).toBe(19_999)
    expect(JSON.parse(whole).data.truncated).toBeUndefined()
    const cut = eventBody(eventOf({ description: 'y'.repeat(20_000 - frame) }))
    expect(JSON.parse(cut).data.truncated).toEqual(['description'])
    // The comma that it keeps room for parts it from the evidence, when that is cut too.
    expect(bytes(cut)).toBe(19_998)
  })

  it('drops evidence and cuts the description where one alone is not enough, and no more of it than it must', () => {
    const evidence = [{ content: 'x'.repeat(15_000) }]
    const root_cause = { summary: 'a deploy', evidence } as unknown as NonNullable<Incident['root_cause']>
    const text = eventBody(eventOf({ root_cause, description: 'y'.repeat(30_000) }))
    const { data } = JSON.parse(text)
    expect(data.truncated).toEqual(['root_cause.evidence', 'description'])
    expect(data.root_cause.evidence).toEqual([])
    expect(bytes(text)).toBe(19_999)
  })

  it('that neither can make shorter is sent as it is', () => {
    const { data } = JSON.parse(eventBody(eventOf({ title: 'x'.repeat(30_000) })))
    expect(data).toMatchObject({
      title: 'x'.repeat(30_000),
      root_cause: null,
      description: null,
      truncated: [],
    })
    const cut = JSON.parse(eventBody(eventOf({ title: 'x'.repeat(30_000), description: 'yy' }))).data
    expect(cut).toMatchObject({ description: '…', truncated: ['description'] })
  })

  it('stays valid and below 20 KB whatever a root cause holds beside its evidence, and says that it was shortened', () => {
    const long = (of: number): string => `${'“”'.repeat(of)}`
    const rest = (of: number): NonNullable<Incident['root_cause']> => ({
      ...sampleRootCause(),
      summary: long(of),
      blast_radius: Array.from({ length: 20 }, (_, index) => `${index}${long(of)}`),
      hypotheses: Array.from({ length: 5 }, () => ({
        cause: { ...sampleRootCause().cause, entity: long(of), contributing: [long(of), long(of)] },
        statement: long(of),
        confidence: 0.5,
        supported_by: ['ev_1'],
        contradicted_by: [],
      })),
    })
    for (const of of [300, 1_000, 20_000])
      for (const description of [null, 'y'.repeat(4_000), '\u0001'.repeat(4_000)]) {
        const text = eventBody(eventOf({ ...sampleIncident(0), root_cause: rest(of), description }))
        expect(bytes(text)).toBeLessThan(MOST_DELIVERED_BYTES)
        const { data } = JSON.parse(text)
        expect(data.truncated.slice(0, 2)).toEqual(['root_cause.evidence', 'root_cause'])
        expect(data.root_cause).toMatchObject({ outcome: sampleRootCause().outcome, evidence: [] })
        expect(data.root_cause.analysed_at).toBe(sampleRootCause().analysed_at)
        expect(receivedEvents['incident.created'].safeParse(JSON.parse(text)).error).toBeUndefined()
        if (description?.startsWith('y')) expect(data.description).toBe(description)
      }
  })

  it('goes without a root cause that cannot be shortened enough', () => {
    // Half characters, each of which takes six bytes.
    const halves = '\ud800'.repeat(2_000)
    const { cause, remediation } = sampleRootCause()
    const root_cause: NonNullable<Incident['root_cause']> = {
      ...sampleRootCause(),
      ...{ summary: halves, confidence_basis: halves, revert_to: halves, first_failing_service: halves },
      cause: {
        ...cause,
        entity: halves,
        change: halves,
        trigger: halves,
        contributing: [halves, halves, halves],
      },
      blast_radius: [halves, halves, halves],
      next_check: { text: halves, query: halves, link: halves },
      remediation: { ...remediation, target: halves, why: halves },
    }
    const text = eventBody(eventOf({ root_cause }))
    expect(bytes(text)).toBeLessThan(MOST_DELIVERED_BYTES)
    expect(JSON.parse(text).data).toMatchObject({ id: 'inc_1', root_cause: null })
  })
})
