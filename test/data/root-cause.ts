import type { Evidence, RootCause } from '#shared/domain/investigation/findings.ts'

/** A root cause as large as asked, with every field filled. */
export function rootCauseOf(size: { evidence: number; contentLength: number; services: number }): RootCause {
  const evidence: Evidence[] = Array.from({ length: size.evidence }, (_, index) => ({
    id: `ev_${index + 1}`,
    source: 'metrics',
    type: 'anomaly',
    content: `${index} `.padEnd(size.contentLength, 'e'),
    integration_id: 'bundle_01KGA0000000000000000000AA',
    query: 'q'.repeat(size.contentLength),
    window: { start: '2026-01-31T12:00:00.000Z', end: '2026-01-31T13:00:00.000Z' },
    link: null,
    digest: 'd'.repeat(64),
  }))
  const services = Array.from({ length: size.services }, (_, index) => `service-${index}`)
  const cause = {
    kind: 'code',
    level: 'change',
    entity: 'checkout',
    change: 'c'.repeat(40),
    trigger: null,
    contributing: services,
    since: '2026-01-31T12:10:00.000Z',
  } as const
  const long = 'w'.repeat(size.contentLength)
  return {
    summary: long,
    confidence: 0.7,
    confidence_basis: long,
    outcome: 'identified',
    cause,
    state: 'ongoing',
    onset: {
      at: '2026-01-31T12:10:00.000Z',
      earliest: '2026-01-31T12:09:00.000Z',
      latest: '2026-01-31T12:11:00.000Z',
    },
    impact: { failed: 10, total: 100, ratio: 0.1, window: null },
    first_failing_service: 'checkout',
    blast_radius: services,
    evidence,
    hypotheses: [{ cause, statement: long, confidence: 0.7, supported_by: ['ev_1'], contradicted_by: [] }],
    ruled_out: [{ statement: long, reason: long, evidence: ['ev_1'] }],
    gaps: [{ what: long, why: long }],
    next_check: { text: long, query: null, link: null },
    revert_to: null,
    remediation: { action: 'rollback', target: 'checkout', why: long },
    engine_version: '1',
    snapshot_digest: 'd'.repeat(64),
    analysed_at: '2026-01-31T12:20:00.000Z',
  }
}
