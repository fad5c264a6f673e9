import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { reviseFindings } from '#shared/domain/investigation/revise-findings.ts'
import { summaryCard } from '#shared/domain/investigation/summary-card.ts'
import { rootCauseOf } from '#test/data/root-cause.ts'
import { EMPTY, SCENARIOS } from './incident-scenarios.ts'

const [first, second] = SCENARIOS
if (first === undefined || second === undefined) throw new Error('there are too few scenarios')
const AT = '2026-03-02T10:10:00.000Z'
const labels = (card: readonly string[]) => card.map((line) => line.slice(0, line.indexOf(':')))

describe('the summary card', () => {
  it('has at most 12 lines, inconclusive or not', () => {
    for (const { snapshot } of SCENARIOS)
      for (const findings of [
        investigate(snapshot),
        investigate({ ...snapshot, changes: [], status: [], k8s: [], logs: [], series: [] }),
      ]) {
        const card = summaryCard(findings)
        expect(card.length).toBeLessThanOrEqual(12)
        expect(card[0]).toMatch(/^Failing: /)
        expect(card[1]).toMatch(/^Cause \((likely|possible|unknown), /)
        for (const line of card)
          if (!line.startsWith('Next check: ')) expect(line.length).toBeLessThanOrEqual(200)
      }
  })

  it('has at most 12 lines when everything there is to say is said, what is new before what was ruled out', () => {
    const full = rootCauseOf({ evidence: 9, contentLength: 900, services: 40 })
    const [hypothesis] = full.hypotheses
    const [ruledOut] = full.ruled_out
    const [evidence] = full.evidence
    if (hypothesis === undefined || ruledOut === undefined || evidence === undefined) throw new Error('bare')
    const findings: Findings = {
      ...full,
      evidence: full.evidence.map((item, index) => (index < 2 ? { ...item, type: 'change' } : item)),
      hypotheses: [
        { ...hypothesis, supported_by: full.evidence.map(({ id }) => id), contradicted_by: ['ev_9'] },
      ],
      ruled_out: [ruledOut, ruledOut, ruledOut],
      gaps: [...full.gaps, ...full.gaps],
      next_check: { text: 'See.', query: 'sum(up)', link: null },
      revert_to: 'v1',
    }
    const all = ['Measured', 'Change', 'Change', 'Against', 'Ruled out']
    const next = ['Not looked at', 'Next check', 'Advice', 'Version to return to']
    const card = summaryCard(findings)
    expect(labels(card)).toEqual(['Failing', 'Cause (likely, 0.7)', ...all, 'Ruled out', ...next])
    expect(card.find((line) => line.startsWith('Next check'))).toBe('Next check: See. [sum(up)]')
    const previous = { ...full, confidence: 0.2, outcome: 'best_effort' as const }
    const again = summaryCard(reviseFindings(findings, { ...previous, evidence: [] }, AT))
    const changed = again[2] ?? ''
    expect(changed.startsWith('Changed since 2026-01-31T12')).toBe(true)
    expect(changed).toContain('outcome best_effort → identified, confidence 0.2 → 0.7, now given: ')
    expect(labels([...again.slice(0, 2), ...again.slice(3)])).toEqual([
      'Failing',
      'Cause (likely, 0.7)',
      ...all,
      ...next,
    ])
  })

  it('says what changed since the look before by what is no longer given, and nothing where nothing did', () => {
    const findings = investigate(first.snapshot)
    const previous = { ...findings, snapshot_digest: 'd'.repeat(64), analysed_at: AT }
    expect(summaryCard(reviseFindings(findings, previous, AT))).toEqual(summaryCard(findings))
    const [gone] = findings.evidence
    const other = { ...findings, evidence: findings.evidence.slice(1), state: 'recovered' as const }
    const card = summaryCard(reviseFindings(other, previous, AT))
    expect(card[2]).toContain(`state ${findings.state} → recovered, no longer: ${gone?.content.slice(0, 20)}`)
    const elsewhere = investigate(second.snapshot)
    expect(summaryCard(reviseFindings(elsewhere, previous, AT)).join('\n')).toContain('another cause')
    const nowhere = { ...findings, blast_radius: [] }
    expect(summaryCard(reviseFindings(nowhere, { ...previous, blast_radius: ['a'] }, AT))[2]).toContain(
      'affected a → none',
    )
  })

  it('says of an empty snapshot that no service fails, and still what was not looked at', () => {
    const card = summaryCard(investigate(EMPTY))
    expect(card[0]).toBe('Failing: no service, unknown')
    expect(card[1]).toMatch(/^Cause \(unknown, 0\): /)
    expect(labels(card)).toContain('Not looked at')
  })

  it('shows a ratio where the requests were not counted', () => {
    const findings = investigate(EMPTY)
    const impact = { failed: null, total: null, ratio: 0.254, window: null }
    expect(summaryCard({ ...findings, impact })[0]).toBe('Failing: no service, 25.4 % failing, unknown')
    const counted = { failed: 3, total: 0, ratio: null, window: null }
    expect(summaryCard({ ...findings, impact: counted })[0]).toContain('3 of 0 requests failed, unknown')
  })
})
