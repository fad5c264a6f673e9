import * as z from 'zod/mini'
import {
  CAUSE_KINDS,
  EVIDENCE_SOURCES,
  EVIDENCE_TYPES,
  OUTCOMES,
  REMEDIATION_ACTIONS,
} from '../domain/investigation/findings.ts'
import { fraction, instantOut } from './fields.ts'

const isoWindow = z
  .strictObject({ start: instantOut(), end: instantOut() })
  .register(z.globalRegistry, { id: 'Window' })

export const evidence = z
  .strictObject({
    id: z.string(),
    source: z.enum(EVIDENCE_SOURCES),
    type: z.enum(EVIDENCE_TYPES),
    content: z.string(),
    integration_id: z.nullable(z.string()),
    query: z.string(),
    window: z.nullable(isoWindow),
    link: z.nullable(z.string()),
    digest: z.nullable(z.string()),
  })
  .register(z.globalRegistry, { id: 'Evidence' })

const cause = z
  .strictObject({
    kind: z.enum(CAUSE_KINDS),
    level: z.enum(['service', 'change', 'kind']),
    entity: z.nullable(z.string()),
    change: z.nullable(z.string()),
    trigger: z.nullable(z.string()),
    contributing: z.array(z.string()),
    since: z.nullable(instantOut()),
  })
  .register(z.globalRegistry, { id: 'Cause' })

const diffExcerpt = z
  .strictObject({ file: z.nullable(z.string()), lines: z.array(z.string()) })
  .register(z.globalRegistry, { id: 'DiffExcerpt' })

export const hypothesis = z
  .strictObject({
    cause,
    statement: z.string(),
    confidence: fraction(),
    supported_by: z.array(z.string()),
    contradicted_by: z.array(z.string()),
  })
  .register(z.globalRegistry, { id: 'Hypothesis' })

export const ruledOut = z
  .strictObject({ statement: z.string(), reason: z.string(), evidence: z.array(z.string()) })
  .register(z.globalRegistry, { id: 'RuledOut' })

export const gap = z
  .strictObject({ what: z.string(), why: z.string() })
  .register(z.globalRegistry, { id: 'Gap' })

export const outcome = z.enum(OUTCOMES)

const revision = z
  .strictObject({
    since: instantOut(),
    changed: z.array(
      z.strictObject({
        what: z.enum(['outcome', 'confidence', 'state', 'cause', 'affected']),
        before: z.string(),
        after: z.string(),
      }),
    ),
    new_evidence: z.array(z.string()),
    lost_evidence: z.array(z.string()),
    withdrawn: z.array(
      z.strictObject({
        cause,
        statement: z.string(),
        confidence: fraction(),
        withdrawn_at: instantOut(),
        why: z.string(),
      }),
    ),
  })
  .register(z.globalRegistry, { id: 'Revision' })

export const rootCause = z
  .strictObject({
    summary: z.string(),
    confidence: fraction(),
    confidence_basis: z.string(),
    outcome,
    cause,
    decisive_lines: z.optional(
      z
        .array(diffExcerpt)
        .check(
          z.describe(
            'Lines of the named change’s diff that decide, eight at most in all, by file, without credentials; absent in lists and where an engine before 1.65 investigated',
          ),
        ),
    ),
    state: z.enum(['ongoing', 'worsening', 'recovering', 'recovered', 'unknown']),
    onset: z.nullable(z.strictObject({ at: instantOut(), earliest: instantOut(), latest: instantOut() })),
    impact: z.strictObject({
      service: z.optional(
        z
          .nullable(z.string())
          .check(z.describe('Whose requests are counted; absent where an engine before 1.64 counted them')),
      ),
      failed: z.nullable(z.number()),
      total: z.nullable(z.number()),
      ratio: z.nullable(z.number()),
      normal_ratio: z.optional(
        z
          .nullable(z.number())
          .check(z.describe('Share that failed in normal time; absent where an engine before 1.65 counted')),
      ),
      window: z.nullable(isoWindow),
    }),
    first_failing_service: z.nullable(z.string()),
    blast_radius: z.array(z.string()),
    evidence: z.array(evidence),
    hypotheses: z.array(hypothesis),
    ruled_out: z.array(ruledOut),
    gaps: z.array(gap),
    next_check: z.nullable(
      z.strictObject({ text: z.string(), query: z.nullable(z.string()), link: z.nullable(z.string()) }),
    ),
    revert_to: z.nullable(z.string()),
    remediation: z.strictObject({
      action: z.enum(REMEDIATION_ACTIONS),
      target: z.nullable(z.string()),
      why: z.string(),
    }),
    engine_version: z.string(),
    snapshot_digest: z.string(),
    analysed_at: instantOut(),
    revision: z.optional(revision),
  })
  .register(z.globalRegistry, { id: 'RootCause' })
