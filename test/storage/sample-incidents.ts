import { idMaker } from '#shared/adapters/new-id.ts'
import type { Incident, ServiceEvent, TimelineEntry } from '#shared/domain/incident.ts'
import { writeInstant } from '#shared/domain/instant.ts'
import type { RootCause } from '#shared/domain/investigation/findings.ts'

/** Ids as the service makes them. */
export const sampleId = idMaker()

/** An incident as it is opened at an instant. */
export function sampleIncident(at: number, change: Partial<Incident> = {}): Incident {
  return {
    id: sampleId('inc', at),
    title: 'Checkout fails',
    status: 'open',
    severity: 'high',
    service: 'checkout',
    description: 'Card payments end in errors.',
    started_at: null,
    created_at: writeInstant(at),
    updated_at: writeInstant(at),
    resolved_at: null,
    analysis: 'pending',
    root_cause: null,
    version: 1,
    ...change,
  }
}

export const sampleEntry = (at: number, kind: TimelineEntry['kind'] = 'created'): TimelineEntry => ({
  id: sampleId('tl', at),
  at: writeInstant(at),
  kind,
  text: `It was ${kind}.`,
  by: 'key_1',
})

export const sampleEvent = (incident: Incident, at: number, sequence = 1): ServiceEvent => ({
  id: sampleId('evt', at),
  kind: incident.status === 'resolved' ? 'incident.resolved' : 'incident.created',
  incident_id: incident.id,
  at: writeInstant(at),
  sequence,
  incident,
})

/** A root cause with that many pieces of evidence of that many characters each. */
export function sampleRootCause(pieces = 1, characters = 20, letter = 'e'): RootCause {
  const cause = {
    kind: 'code',
    level: 'change',
    entity: 'checkout',
    change: 'abc123',
    trigger: 'a deployment',
    contributing: [],
    since: writeInstant(0),
  } as const
  return {
    summary: 'A deployment of checkout broke card payments.',
    confidence: 0.8,
    confidence_basis: 'errors began 40 s after the deployment',
    outcome: 'identified',
    cause,
    state: 'ongoing',
    onset: { at: writeInstant(0), earliest: writeInstant(0), latest: writeInstant(1) },
    impact: { failed: 10, total: 100, ratio: 0.1, window: { start: writeInstant(0), end: writeInstant(1) } },
    first_failing_service: 'checkout',
    blast_radius: ['checkout', 'orders'],
    evidence: Array.from({ length: pieces }, (_, index) => ({
      id: `ev_${index + 1}`,
      source: 'logs',
      type: 'error',
      content: letter.repeat(characters),
      integration_id: 'bundle_1',
      query: letter.repeat(characters),
      window: null,
      link: 'https://example.com/log',
      digest: 'd'.repeat(64),
    })),
    hypotheses: [{ cause, statement: 's', confidence: 0.8, supported_by: ['ev_1'], contradicted_by: [] }],
    ruled_out: [{ statement: 'the network', reason: 'it answered', evidence: ['ev_1'] }],
    gaps: [{ what: 'traces', why: 'none are connected' }],
    next_check: { text: 'look at the deployment', query: null, link: null },
    revert_to: 'abc122',
    remediation: { action: 'rollback', target: 'checkout', why: 'it was fine before' },
    engine_version: '1.0.0',
    snapshot_digest: 'f'.repeat(64),
    analysed_at: writeInstant(5),
  }
}
