import { describe, expect, it } from 'vitest'
import type { RootCause } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { heldAt, reviseFindings } from '#shared/domain/investigation/verification/revise-findings.ts'
import { MINUTE, SCENARIOS } from '../incident-scenarios.ts'
import { altered } from '../renamed-scenario.ts'

const AT = '2026-03-02T10:10:00.000Z'
const [first, second] = SCENARIOS
if (first === undefined || second === undefined) throw new Error('there are too few scenarios')
const findings = investigate(first.snapshot)
const rootCause = (part: Partial<RootCause> = {}): RootCause => ({
  ...findings,
  snapshot_digest: 'd'.repeat(64),
  analysed_at: '2026-03-02T10:03:00.000Z',
  ...part,
})

describe('a later look', () => {
  it('that finds the same changes nothing and says so', () => {
    const { revision, ...held } = reviseFindings(findings, rootCause(), AT)
    expect(held).toEqual(findings)
    expect(revision).toEqual({
      since: '2026-03-02T10:03:00.000Z',
      changed: [],
      new_evidence: [],
      lost_evidence: [],
      withdrawn: [],
    })
  })

  it('is no surer than the one before without new evidence', () => {
    const previous = rootCause({ confidence: 0.31, outcome: 'best_effort' })
    expect(reviseFindings(findings, previous, AT)).toMatchObject({ confidence: 0.31, outcome: 'best_effort' })
    const moved = investigate(altered(first.snapshot, { later: MINUTE }))
    expect(reviseFindings(moved, previous, AT)).toMatchObject({ confidence: 0.31, outcome: 'best_effort' })
  })

  it('shows no hypothesis surer than itself', () => {
    const { confidence, hypotheses } = reviseFindings(findings, rootCause({ confidence: 0.02 }), AT)
    expect(confidence).toBe(0.02)
    const shown = hypotheses.map((hypothesis) => hypothesis.confidence)
    expect(shown).toEqual(findings.hypotheses.map((each) => Math.min(0.02, each.confidence)))
    expect(shown[0]).toBe(0.02)
  })

  it('may be surer with new evidence, which it names', () => {
    const previous = rootCause({ confidence: 0.31, evidence: findings.evidence.slice(1) })
    const { confidence, revision } = reviseFindings(findings, previous, AT)
    expect(confidence).toBe(findings.confidence)
    expect(revision.new_evidence).toEqual([findings.evidence[0]?.content])
    expect(revision.changed).toEqual([
      { what: 'confidence', before: '0.31', after: String(findings.confidence) },
    ])
  })

  it('keeps what it no longer holds as withdrawn, with the reason, and keeps it from look to look', () => {
    const other = investigate(second.snapshot)
    const { revision } = reviseFindings(other, rootCause(), AT)
    const [gone] = findings.hypotheses
    const known = revision.withdrawn.find(({ statement }) => statement === gone?.statement)
    if (known !== undefined) expect(known).toMatchObject({ confidence: gone?.confidence, withdrawn_at: AT })
    const none = { ...findings, hypotheses: [] }
    const withdrawn = reviseFindings(none, rootCause(), AT).revision.withdrawn
    expect(withdrawn).toHaveLength(Math.min(10, findings.hypotheses.length))
    expect(withdrawn[0]?.why).toBe('Nothing speaks for it any more.')
    const next = rootCause({ ...reviseFindings(none, rootCause(), AT), analysed_at: AT })
    expect(reviseFindings(none, next, '2026-03-02T10:30:00.000Z').revision.withdrawn).toEqual(withdrawn)
    // One that is held again is withdrawn no more.
    expect(reviseFindings(findings, next, AT).revision.withdrawn).toEqual([])
  })

  it('claims no more in words than in its confidence, where that is held at the look before', () => {
    expect(findings).toMatchObject({ outcome: 'identified', cause: { level: 'change' } })
    const earlier = (confidence: number, outcome: RootCause['outcome']) =>
      reviseFindings(findings, rootCause({ ...findings, confidence, outcome }), AT)
    const held = earlier(0.3, 'best_effort')
    const statement = findings.hypotheses[0]?.statement
    expect(held.summary).toBe(findings.summary.replace('The likely cause:', 'A possible cause:'))
    expect(held.summary).toContain(`A possible cause: ${statement}`)
    expect(held.remediation.why).toMatch(/^If this is the cause: [a-z]/)
    expect(held.confidence_basis).toBe(
      `${findings.confidence_basis} Held at what the look before said, since no new evidence came.`,
    )
    expect(earlier(0, 'inconclusive').summary).toContain(`The cause is not known. What fits best`)
    const place = { ...findings, cause: { ...findings.cause, level: 'service' as const } }
    expect(heldAt(place, { confidence: 0.1, outcome: 'best_effort' }).remediation).toEqual(
      findings.remediation,
    )
    const none = { action: 'none', target: null, why: 'No cause was found.' } as const
    const idle = { ...findings, remediation: none }
    expect(heldAt(idle, { confidence: 0.1, outcome: 'best_effort' }).remediation).toEqual(none)
  })

  it('says whether evidence was lost or another cause fits better', () => {
    const why = (evidence: RootCause['evidence'], hypotheses: RootCause['hypotheses']) =>
      reviseFindings({ ...findings, evidence, hypotheses }, rootCause(), AT).revision.withdrawn[0]?.why
    expect(why([], [])).toBe('Evidence that it rested on is no longer given.')
    const [best] = findings.hypotheses
    if (best === undefined) throw new Error('there is no hypothesis')
    const other = { ...best, cause: { ...best.cause, entity: 'portal', change: null } }
    expect(why(findings.evidence, [other])).toBe('Another cause fits what is measured now better.')
  })
})
