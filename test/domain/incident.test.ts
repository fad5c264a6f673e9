import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '#shared/domain/errors.ts'
import {
  ANALYSIS_STATES,
  changeIncident,
  INCIDENT_STATUSES,
  type Incident,
  SEVERITIES,
  shortened,
} from '#shared/domain/incident.ts'
import { rootCauseOf } from '../data/root-cause.ts'

const AT = '2026-01-31T12:00:00.000Z'
const LATER = '2026-01-31T13:00:00.000Z'

const incident = (over: Partial<Incident> = {}): Incident => ({
  id: 'inc_01KGA0000000000000000000AA',
  title: 'Checkout fails',
  status: 'open',
  severity: 'high',
  service: 'checkout',
  description: null,
  started_at: null,
  created_at: AT,
  updated_at: AT,
  resolved_at: null,
  analysis: 'pending',
  root_cause: null,
  version: 1,
  ...over,
})

describe('changing an incident', () => {
  const allowed = [
    ['open', 'investigating'],
    ['open', 'resolved'],
    ['investigating', 'resolved'],
    ['resolved', 'investigating'],
  ]
  for (const from of INCIDENT_STATUSES) {
    for (const to of INCIDENT_STATUSES) {
      const legal = from === to || allowed.some(([a, b]) => a === from && b === to)
      it(`${legal ? 'allows' : 'refuses'} ${from} to ${to}`, () => {
        const change = () => changeIncident(incident({ status: from }), { status: to }, LATER)
        if (legal) expect(change().incident.status).toBe(to)
        else expect(change).toThrow(Refusal)
      })
    }
  }

  it('names field and what is allowed when a status may not follow', () => {
    expect(() => changeIncident(incident({ status: 'investigating' }), { status: 'open' }, LATER)).toThrow(
      expect.objectContaining({
        kind: 'conflict',
        details: { field: 'status', reason: expect.stringContaining('resolved') },
      }),
    )
  })

  it('is no change at all when everything already holds', () => {
    const before = incident()
    const changed = changeIncident(
      before,
      { status: 'open', severity: 'high', title: 'Checkout fails' },
      LATER,
    )
    expect(changed).toEqual({ incident: before, happened: [], event: null })
    expect(changed.incident).toBe(before)
  })

  it('tells receivers when it resolves, and only then', () => {
    expect(changeIncident(incident(), { status: 'resolved' }, LATER).event).toBe('incident.resolved')
    const done = incident({ analysis: 'done' })
    expect(changeIncident(done, { status: 'resolved' }, LATER).incident.analysis).toBe('pending')
    expect(changeIncident(done, { status: 'investigating' }, LATER).incident.analysis).toBe('done')
    expect(changeIncident(incident(), { status: 'investigating' }, LATER).event).toBeNull()
    expect(changeIncident(incident(), { severity: 'low' }, LATER).event).toBeNull()
  })

  it('keeps its promises over any history of changes', () => {
    const change = fc.record(
      {
        status: fc.constantFrom(...INCIDENT_STATUSES),
        severity: fc.constantFrom(...SEVERITIES),
        title: fc.string({ minLength: 1 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 30 }),
        fc.constantFrom(...ANALYSIS_STATES),
        (changes, analysis) => {
          let now = incident({ analysis })
          for (const [index, step] of changes.entries()) {
            const at = new Date(Date.parse(AT) + index * 1_000).toISOString()
            let next: ReturnType<typeof changeIncident>
            try {
              next = changeIncident(now, step, at)
            } catch (error) {
              expect(error).toBeInstanceOf(Refusal)
              continue
            }
            const { incident: after, happened, event } = next
            expect(after.version).toBe(now.version + (happened.length > 0 ? 1 : 0))
            expect(after.resolved_at !== null).toBe(after.status === 'resolved')
            expect(event === 'incident.resolved').toBe(
              after.status === 'resolved' && now.status !== 'resolved',
            )
            expect(after.id).toBe(now.id)
            // What ended an incident is looked at once more; nothing else that people do touches its analysis.
            expect(after.analysis).toBe(event === null ? now.analysis : 'pending')
            // Doing the same again changes nothing more.
            expect(changeIncident(after, step, at)).toEqual({ incident: after, happened: [], event: null })
            now = after
          }
        },
      ),
    )
  })
})

describe('an incident in lists', () => {
  it('stays below 8 KB however much was found', () => {
    const large = rootCauseOf({ evidence: 200, contentLength: 5_000, services: 300 })
    const listed = incident({
      title: 'x'.repeat(200),
      description: 'y'.repeat(4_000),
      root_cause: shortened(large),
    })
    expect(JSON.stringify({ ...listed, description: null }).length).toBeLessThan(8_192)
    expect(listed.root_cause?.evidence).toHaveLength(3)
    expect(listed.root_cause?.outcome).toBe(large.outcome)
    expect(listed.root_cause?.confidence).toBe(large.confidence)
  })
})

describe('what a change leaves behind', () => {
  it('is said in words, each in its own, and raises the version once', () => {
    const change = { status: 'investigating', severity: 'low', title: 'Checkout is slow' } as const
    const { incident: after, happened, event } = changeIncident(incident(), change, LATER)
    expect(happened).toEqual([
      { kind: 'status_changed', text: 'Status changed from open to investigating.' },
      { kind: 'severity_changed', text: 'Severity changed from high to low.' },
      { kind: 'title_changed', text: 'Title changed.' },
    ])
    expect(after).toEqual({ ...incident(), ...change, updated_at: LATER, version: 2 })
    expect(event).toBeNull()
  })

  it('is only what was asked for', () => {
    const only = (change: Parameters<typeof changeIncident>[1]) => changeIncident(incident(), change, LATER)
    expect(only({ severity: 'low' }).happened.map(({ kind }) => kind)).toEqual(['severity_changed'])
    expect(only({ severity: 'low' }).incident.title).toBe('Checkout fails')
    expect(only({ title: 'Other' }).happened.map(({ kind }) => kind)).toEqual(['title_changed'])
    expect(only({ title: 'Other' }).incident.severity).toBe('high')
    expect(only({ title: 'Checkout fails', severity: 'high' }).happened).toEqual([])
  })

  it('is nothing but the reason where the status may not follow', () => {
    const refused = () => changeIncident(incident({ status: 'resolved' }), { status: 'open' }, LATER)
    expect(refused).toThrow('An incident that is resolved cannot become open.')
    expect(refused).toThrow(
      expect.objectContaining({
        details: { field: 'status', reason: 'allowed from resolved: investigating' },
      }),
    )
  })
})

describe('a root cause in lists', () => {
  const long = 'x'.repeat(2_000)
  const full = rootCauseOf({ evidence: 1, contentLength: 10, services: 2 })
  const piece = {
    id: 'ev_1',
    source: 'logs',
    type: 'error',
    content: long,
    integration_id: null,
    query: long,
    window: null,
    link: null,
    digest: null,
  } as const
  const whole = {
    ...full,
    summary: long,
    confidence_basis: long,
    cause: { ...full.cause, contributing: ['a', 'b', 'c', 'd'] },
    evidence: [1, 2, 3, 4].map((number) => ({ ...piece, id: `ev_${number}` })),
    blast_radius: Array.from({ length: 30 }, (_, index) => `service-${index}`),
    hypotheses: [
      { cause: full.cause, statement: 's', confidence: 0.5, supported_by: [], contradicted_by: [] },
    ],
    ruled_out: [{ statement: 's', reason: 'r', evidence: [] }],
    gaps: [{ what: 'traces', why: 'none' }],
    next_check: { text: 't', query: null, link: null },
    remediation: { ...full.remediation, why: long },
  }

  it('keeps the first of each, cut with a mark, and nothing of what only the whole one says', () => {
    const cut = `${'x'.repeat(399)}…`
    expect(shortened(whole)).toEqual({
      ...whole,
      summary: `${'x'.repeat(999)}…`,
      confidence_basis: cut,
      cause: { ...full.cause, contributing: ['a', 'b', 'c'] },
      evidence: [1, 2, 3].map((number) => ({ ...piece, id: `ev_${number}`, content: cut, query: cut })),
      blast_radius: whole.blast_radius.slice(0, 20),
      hypotheses: [],
      ruled_out: [],
      gaps: [],
      next_check: null,
      remediation: { ...full.remediation, why: cut },
    })
  })

  it('leaves a text that just fits as it is', () => {
    const fits = 'y'.repeat(400)
    expect(shortened({ ...whole, confidence_basis: fits }).confidence_basis).toBe(fits)
    expect(shortened({ ...whole, confidence_basis: `${fits}y` }).confidence_basis).toBe(`${'y'.repeat(399)}…`)
  })
})
