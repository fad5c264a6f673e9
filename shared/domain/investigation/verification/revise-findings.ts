/** What a new look at an incident changes of the one before, and why: the evidence that came, and that went. */

import type { Evidence, Findings, Hypothesis, Revision, RootCause, WithdrawnHypothesis } from '../findings.ts'
import { CAUSE_LEADS } from '../hypotheses/compose-answer.ts'
import { adviceAt } from '../hypotheses/remediation.ts'
import { claimOf } from './claims.ts'

/** Items of each list: a revision is read by people. */
const MOST = 10

/** Two hypotheses are one when they name the same cause, whatever they say of it. */
const causeOf = ({ cause }: Pick<Hypothesis, 'cause'>): string =>
  JSON.stringify([cause.kind, cause.entity, cause.change])

/** Contents of one list whose claim no item of the other makes. */
function beyond(evidence: readonly Evidence[], others: readonly Evidence[]): string[] {
  const known = new Set(others.map(({ content }) => claimOf(content)))
  return evidence.filter(({ content }) => !known.has(claimOf(content))).map(({ content }) => content)
}

/** Findings no surer than an earlier look was, nor any of their hypotheses. */
export const heldAt = (
  findings: Findings,
  { confidence, outcome }: Pick<Findings, 'confidence' | 'outcome'>,
): Findings => ({
  ...findings,
  ...{ confidence, outcome },
  // A sentence that says "likely" would claim more than the confidence beside it.
  summary: findings.summary.replace(CAUSE_LEADS[findings.outcome], CAUSE_LEADS[outcome]),
  confidence_basis: `${findings.confidence_basis} Held at what the look before said, since no new evidence came.`,
  remediation:
    findings.cause.level === 'service' || findings.remediation.action === 'none'
      ? findings.remediation
      : { ...findings.remediation, why: adviceAt(confidence, findings.remediation.why) },
  hypotheses: findings.hypotheses.map((each) => ({
    ...each,
    confidence: Math.min(each.confidence, confidence),
  })),
})

/**
 * Findings as they follow on an earlier look. Without new evidence they are no surer than that one was; a hypothesis
 * that is no longer held stays visible as withdrawn, with what was lost or came instead.
 * @param at instant of this look
 */
export function reviseFindings(
  findings: Findings,
  previous: RootCause,
  at: string,
): Findings & { readonly revision: Revision } {
  const fresh = beyond(findings.evidence, previous.evidence)
  const lost = beyond(previous.evidence, findings.evidence)
  const isUnfounded = fresh.length === 0 && findings.confidence > previous.confidence
  const held = isUnfounded ? heldAt(findings, previous) : findings
  const now = new Set(findings.hypotheses.map(causeOf))
  const [best] = findings.hypotheses
  const withdrawn = previous.hypotheses
    .filter((hypothesis) => !now.has(causeOf(hypothesis)))
    .map(({ cause, statement, confidence }): WithdrawnHypothesis => {
      const why =
        lost.length > 0
          ? 'Evidence that it rested on is no longer given.'
          : best === undefined
            ? 'Nothing speaks for it any more.'
            : 'Another cause fits what is measured now better.'
      return { cause, statement, confidence, withdrawn_at: at, why }
    })
  const earlier = (previous.revision?.withdrawn ?? []).filter((each) => !now.has(causeOf(each)))
  const differences = [
    ['outcome', previous.outcome, held.outcome],
    ['confidence', String(previous.confidence), String(held.confidence)],
    ['state', previous.state, held.state],
    ['cause', previous.hypotheses[0]?.statement ?? 'none', held.hypotheses[0]?.statement ?? 'none'],
    ['affected', previous.blast_radius.join(', '), held.blast_radius.join(', ')],
  ] as const
  return {
    ...held,
    revision: {
      since: previous.analysed_at,
      changed: differences
        .filter(([, before, after]) => before !== after)
        .map(([what, before, after]) => ({ what, before, after })),
      new_evidence: fresh.slice(0, MOST),
      lost_evidence: lost.slice(0, MOST),
      withdrawn: [...withdrawn, ...earlier].slice(0, MOST),
    },
  }
}
