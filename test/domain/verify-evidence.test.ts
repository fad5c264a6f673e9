import { describe, expect, it } from 'vitest'
import type { Incident } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { PullRequest } from '#shared/domain/integration.ts'
import type { Evidence, RootCause } from '#shared/domain/investigation/findings.ts'
import { changeSentence } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { asksOf, readQuestion } from '#shared/domain/investigation/questions/read-question.ts'
import { NOTHING_PULLED, type Pulled, type Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import type { IncidentFilter, StoredAnswer } from '#shared/domain/ports.ts'
import {
  type IncidentVerificationActs,
  type QueryVerificationActs,
  verifyIncident,
  verifyQuery,
} from '#shared/domain/verify-evidence.ts'
import { sampleIncident, sampleRootCause } from '#test/storage/sample-incidents.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const MINUTE = 60_000
const DEADLINE = NOW + 25_000
const QUERY = 'GET /deployments?service=checkout'

const evidence = (id: string, change: Partial<Evidence> = {}): Evidence => ({
  id,
  source: 'deploys',
  type: 'change',
  content: 'Something that nobody says.',
  integration_id: 'int_1',
  query: QUERY,
  window: null,
  link: null,
  digest: null,
  ...change,
})
/** What the tool gives: nothing but that it was asked. */
const asked = (change: Partial<Pulled['sources'][number]> = {}): Pulled => ({
  ...NOTHING_PULLED,
  sources: [
    {
      tool: 'bundle',
      integration_id: 'int_1',
      query: QUERY,
      window: null,
      asked_at: null,
      digest: 'a'.repeat(64),
      link: null,
      outcome: 'complete',
      detail: null,
      records: 1,
      ...change,
    } as Pulled['sources'][number],
  ],
})

function world(change: {
  incident?: Incident | undefined
  answer?: StoredAnswer | undefined
  incidents?: readonly Incident[]
  kept?: Snapshot | undefined
  gives?: Pulled
}) {
  const given = { incidents: [], gives: asked(), ...change }
  const pulled: PullRequest[] = []
  const waits: number[] = []
  const listed: IncidentFilter[] = []
  const acts = {
    incidents: {
      read: async () => given.incident,
      list: async (filter: IncidentFilter) => {
        listed.push(filter)
        return { items: given.incidents, next: null }
      },
    },
    queries: { get: async () => given.answer },
    snapshots: {
      windowOf: async (owner: string, digest: string) =>
        owner === given.incident?.id && digest === given.incident.root_cause?.snapshot_digest
          ? given.kept?.window
          : undefined,
    },
    integrations: {
      openAll: async () => [
        { integration: { id: 'int_1', type: 'bundle', status: 'connected' }, config: {} },
      ],
    },
    tools: () => ({
      pull: async (_: unknown, request: PullRequest) => {
        pulled.push(request)
        return given.gives
      },
    }),
    signals: { read: async () => ({ batches: [], digest: '', cut: false, unread: 0 }) },
    abortAfter: (milliseconds: number) => {
      waits.push(milliseconds)
      return new AbortController().signal
    },
    clock: () => NOW,
  } as unknown as QueryVerificationActs & IncidentVerificationActs
  return { acts, pulled, listed, waits }
}

const NONE = { same: 0, drifted: 0, contradicted: 0, expired: 0, unreachable: 0 }
const cause = (items: readonly Evidence[], change: Partial<RootCause> = {}): RootCause => ({
  ...sampleRootCause(),
  evidence: items,
  analysed_at: writeInstant(NOW - 5 * MINUTE),
  ...change,
})

describe('the evidence of an incident', () => {
  it('is asked again for the time and the service that the root cause was found with', async () => {
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause([evidence('ev_1')]) })
    const { acts, pulled } = world({ incident })
    await verifyIncident(acts, incident.id, DEADLINE)
    expect(pulled[0]).toMatchObject({
      service: 'checkout',
      window: { from: NOW - 70 * MINUTE, to: NOW - 5 * MINUTE },
    })
  })

  it('is asked again for the time of the snapshot where that is kept', async () => {
    const window = { from: NOW - 99 * MINUTE, to: NOW - 9 * MINUTE }
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause([evidence('ev_1')]) })
    const { acts, pulled } = world({ incident, kept: { window } as Snapshot })
    await verifyIncident(acts, incident.id, DEADLINE)
    expect(pulled[0]?.window).toEqual(window)
  })

  it('is asked again for the time that was looked at, where the snapshot is gone and the incident was resolved by then', async () => {
    const incident = sampleIncident(NOW - 100 * MINUTE, {
      status: 'resolved',
      resolved_at: writeInstant(NOW - 80 * MINUTE),
      root_cause: cause([evidence('ev_1')]),
    })
    const { acts, pulled } = world({ incident })
    await verifyIncident(acts, incident.id, DEADLINE)
    expect(pulled[0]?.window).toEqual({ from: NOW - 160 * MINUTE, to: NOW - 65 * MINUTE })
  })

  it('is asked again as far back as investigations look where this service runs', async () => {
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause([evidence('ev_1')]) })
    const { acts, pulled } = world({ incident })
    const windows = { lead: 2 * MINUTE, guard: MINUTE, baseline: 3 * MINUTE }
    await verifyIncident({ ...acts, windows }, incident.id, DEADLINE)
    expect(pulled[0]?.window).toEqual({ from: NOW - 12 * MINUTE, to: NOW - 5 * MINUTE })
  })

  it('begins where somebody knew that the disturbance began', async () => {
    const incident = sampleIncident(NOW - 10 * MINUTE, {
      root_cause: cause([evidence('ev_1')]),
      started_at: writeInstant(NOW - 30 * MINUTE),
    })
    const { acts, pulled } = world({ incident })
    await verifyIncident(acts, incident.id, DEADLINE)
    expect(pulled[0]?.window.from).toBe(NOW - 90 * MINUTE)
  })

  it('has a verdict each, in its order, and the verdicts are counted', async () => {
    const items = [
      evidence('ev_1', { digest: 'a'.repeat(64) }),
      evidence('ev_2', { integration_id: 'int_gone' }),
      evidence('ev_3'),
      evidence('ev_4', { query: 'another query' }),
      evidence('ev_5'),
    ]
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause(items) })
    const { acts } = world({ incident, gives: asked() })
    const verified = await verifyIncident(acts, incident.id, DEADLINE)
    expect(verified).toMatchObject({ id: incident.id, verified_at: writeInstant(NOW) })
    expect(verified.evidence.map(({ id, status }) => [id, status])).toEqual([
      ['ev_1', 'same'],
      ['ev_2', 'unreachable'],
      ['ev_3', 'contradicted'],
      ['ev_4', 'expired'],
      ['ev_5', 'contradicted'],
    ])
    expect(verified.counts).toEqual({ ...NONE, same: 1, contradicted: 2, expired: 1, unreachable: 1 })
  })

  it.each([
    ['8 s of a tool at most', 60_000, 8_000],
    ['what is left beside the engine and the way back', 7_000, 1_500],
    ['no time at all once the deadline is near', 5_000, 0],
    ['no time at all once it has passed', -1, 0],
  ])('is given %s', async (_, left, within) => {
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause([evidence('ev_1')]) })
    const { acts, waits } = world({ incident })
    await verifyIncident(acts, incident.id, NOW + left)
    expect(waits).toContain(within)
    expect(Math.max(...waits)).toBe(within + 500)
  })

  it('that is still said is the same, and drifted where it is said with other numbers', async () => {
    const gives: Pulled = {
      ...asked({ digest: 'b'.repeat(64) }),
      changes: [
        {
          id: 'deploy-7',
          kind: 'deploy',
          entity: 'checkout',
          title: 'checkout 42',
          recorded_at: NOW - 12 * MINUTE,
          source: QUERY,
        } as unknown as Pulled['changes'][number],
      ],
    }
    const now = changeSentence({ change: gives.changes[0] as Pulled['changes'][number] })
    expect(now).toContain('42')
    const items = [
      evidence('ev_1', { content: now }),
      evidence('ev_2', { content: now.replace('42', '41') }),
      evidence('ev_3', { content: now.replace('checkout', 'orders') }),
    ]
    const incident = sampleIncident(NOW - 10 * MINUTE, { root_cause: cause(items) })
    const { acts } = world({ incident, gives })
    const verified = await verifyIncident(acts, incident.id, DEADLINE)
    expect(verified.evidence.map(({ status, now: said }) => [status, said])).toEqual([
      ['same', now],
      ['drifted', now],
      ['contradicted', null],
    ])
  })

  it('is none before anything was found, and nobody is asked', async () => {
    const incident = sampleIncident(NOW)
    const { acts, pulled } = world({ incident })
    expect(await verifyIncident(acts, incident.id, DEADLINE)).toEqual({
      id: incident.id,
      verified_at: writeInstant(NOW),
      counts: NONE,
      evidence: [],
    })
    expect(pulled).toEqual([])
  })

  it('of an unknown incident is not there', async () => {
    await expect(verifyIncident(world({}).acts, 'inc_1', DEADLINE)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Incident inc_1'),
    })
  })
})

const answer = (change: Partial<StoredAnswer> = {}): StoredAnswer => ({
  id: 'query_1',
  query: 'Why is checkout failing?',
  timestamp: writeInstant(NOW - 20 * MINUTE),
  answer: 'Something.',
  evidence: [evidence('ev_1')],
  confidence: 0.5,
  outcome: 'best_effort',
  hypotheses: [],
  ruled_out: [],
  gaps: [],
  snapshot_digest: null,
  understood: {
    intent: 'why',
    service: 'checkout',
    window: { start: writeInstant(NOW - 80 * MINUTE), end: writeInstant(NOW - 20 * MINUTE) },
    carried_over: [],
  },
  ...change,
})

describe('the evidence of an answer', () => {
  it('is asked again for the time and the service that were understood', async () => {
    const { acts, pulled } = world({ answer: answer() })
    const verified = await verifyQuery(acts, 'query_1', DEADLINE)
    expect(verified.evidence).toMatchObject([{ id: 'ev_1', status: 'contradicted' }])
    expect(pulled[0]).toMatchObject({
      service: 'checkout',
      window: { from: NOW - 80 * MINUTE, to: NOW - 20 * MINUTE },
    })
  })

  it('is what the answer itself says again, in words that no root cause has', async () => {
    const { acts } = world({
      answer: answer({
        query: 'How does checkout do?',
        understood: { ...answer().understood, intent: 'how_is' },
      }),
    })
    const first = await verifyQuery(acts, 'query_1', DEADLINE)
    expect(first.evidence[0]?.status).toBe('contradicted')
  })

  it('of a follow-up that took over a measure is what that measure says again', async () => {
    const content =
      'No alerts of checkout are on record from 2026-01-31 10:40:00 UTC to 2026-01-31 11:40:00 UTC.'
    const said = (asks: StoredAnswer['asks']) =>
      world({
        answer: answer({
          query: 'and checkout?',
          evidence: [evidence('ev_1', { content, source: 'alerts', type: 'absence' })],
          understood: { ...answer().understood, intent: 'how_is', carried_over: ['intent'] },
          ...(asks === undefined ? {} : { asks }),
        }),
      }).acts
    const statusOf = async (asks: StoredAnswer['asks']) =>
      (await verifyQuery(said(asks), 'query_1', DEADLINE)).evidence[0]?.status
    const { measure: _own, ...rest } = asksOf(readQuestion('and checkout?', { services: [], now: NOW }))
    expect(await statusOf({ ...rest, measure: { measure: 'alerts', quantile: null } })).toBe('same')
    expect(await statusOf({ ...rest, measure: { measure: 'latency', quantile: null } })).not.toBe('same')
    // An answer from before this was kept is read by its own words.
    expect(await statusOf(undefined)).not.toBe('same')
  })

  it.each([
    ['no window was understood', null],
    ['its window cannot be read', { start: 'once', end: 'later' }],
    ['the start of its window cannot be read', { start: 'once', end: writeInstant(NOW) }],
    ['the end of its window cannot be read', { start: writeInstant(NOW), end: 'later' }],
  ])('is asked of this very moment where %s', async (_, window) => {
    const { acts, pulled } = world({ answer: answer({ understood: { ...answer().understood, window } }) })
    await verifyQuery(acts, 'query_1', DEADLINE)
    expect(pulled[0]?.window).toEqual({ from: NOW, to: NOW })
  })

  it('of a count is read from the incidents again', async () => {
    const counting = answer({
      query: 'How many incidents are resolved?',
      understood: { intent: 'count_incidents', service: null, window: null, carried_over: [] },
    })
    const { acts, pulled, listed } = world({ answer: counting })
    await verifyQuery(acts, 'query_1', DEADLINE)
    expect([pulled.length, listed.length]).toEqual([0, 1])
  })

  it('of a count of several services counts those of each again', async () => {
    const told = '2 incidents match: service checkout or search. By severity: 2 high.'
    const counting = answer({
      query: 'How many incidents of checkout and search are there?',
      understood: { intent: 'count_incidents', service: 'checkout', window: null, carried_over: [] },
      evidence: [
        evidence('ev_1', {
          source: 'incidents',
          integration_id: null,
          query: 'GET /incidents',
          content: told,
        }),
      ],
    })
    const incidents = ['checkout', 'search', 'orders'].map((service, index) =>
      sampleIncident(NOW - index * MINUTE, { service }),
    )
    const { acts } = world({ answer: counting, incidents })
    const verified = await verifyQuery(acts, 'query_1', DEADLINE)
    expect(verified.evidence[0]).toMatchObject({ status: 'same' })
  })

  it('of an answer without evidence asks nobody', async () => {
    const { acts, pulled, listed } = world({ answer: answer({ evidence: [] }) })
    expect(await verifyQuery(acts, 'query_1', DEADLINE)).toMatchObject({ counts: NONE, evidence: [] })
    expect([...pulled, ...listed]).toEqual([])
  })

  it('of a list is read from the incidents again, with its filter, and no tool is asked', async () => {
    const incident = sampleIncident(NOW - 5 * MINUTE)
    const listing = answer({
      query: 'Which incidents are resolved?',
      understood: { intent: 'list_incidents', service: null, window: null, carried_over: [] },
      evidence: [
        evidence('ev_1', {
          source: 'incidents',
          integration_id: null,
          query: 'GET /incidents?status=resolved',
          content: 'What is told of an incident that is gone.',
        }),
      ],
    })
    const { acts, pulled, listed } = world({ answer: listing, incidents: [incident] })
    const verified = await verifyQuery(acts, 'query_1', DEADLINE)
    expect(verified.evidence[0]).toMatchObject({ status: 'contradicted', now: null })
    expect(listed).toEqual([expect.objectContaining({ status: 'resolved' })])
    expect(pulled).toEqual([])
  })

  it('of earlier incidents is read up to the instant that the answer looked back from', async () => {
    const before = NOW - 60 * MINUTE
    const earlier = answer({
      query: 'Has this happened before?',
      understood: { intent: 'seen_before', service: 'checkout', window: null, carried_over: [] },
      evidence: [
        evidence('ev_1', {
          source: 'incidents',
          integration_id: null,
          query: `GET /incidents?end_time=${writeInstant(before)}`,
        }),
      ],
    })
    const { acts, listed } = world({ answer: earlier })
    await verifyQuery(acts, 'query_1', DEADLINE)
    expect(listed).toEqual([expect.objectContaining({ before })])
    const unbounded = answer({ ...earlier, evidence: [evidence('ev_1', { query: 'GET /incidents' })] })
    const second = world({ answer: unbounded })
    await verifyQuery(second.acts, 'query_1', DEADLINE)
    expect(second.listed).toEqual([expect.objectContaining({ before: NOW })])
  })

  it('of an unknown answer is not there', async () => {
    await expect(verifyQuery(world({}).acts, 'query_1', DEADLINE)).rejects.toMatchObject({
      kind: 'not_found',
      message: expect.stringContaining('Query query_1'),
    })
  })
})
