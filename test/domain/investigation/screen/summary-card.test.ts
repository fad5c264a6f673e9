import { describe, expect, it } from 'vitest'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import { reviseFindings } from '#shared/domain/investigation/verification/revise-findings.ts'
import { rootCauseOf } from '#test/data/root-cause.ts'
import { EMPTY, SCENARIOS } from '../incident-scenarios.ts'

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
    const next = ['Not looked at', 'Next check', 'Advice', 'Return to']
    const card = summaryCard(findings)
    expect(labels(card)).toEqual(['Failing', 'Cause (likely, 0.7)', ...all, 'Ruled out', ...next])
    expect(card.find((line) => line.startsWith('Next check'))).toBe('Next check: See. [sum(up)]')
    const previous = { ...full, confidence: 0.2, outcome: 'best_effort' as const }
    const again = summaryCard(reviseFindings(findings, { ...previous, evidence: [] }, AT))
    const changed = again[2] ?? ''
    expect(changed.startsWith('Changed since 2026-01-31 12')).toBe(true)
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
    expect(card[0]).toBe('Failing: nothing that was measured')
    expect(card[1]).toMatch(/^Cause \(unknown, 0\): /)
    expect(labels(card)).toContain('Not looked at')
  })

  it('shows a ratio where the requests were not counted', () => {
    const findings = investigate(EMPTY)
    const impact = { failed: null, total: null, ratio: 0.254, window: null }
    expect(summaryCard({ ...findings, impact })[0]).toBe(
      'Failing: nothing that was measured, 25.4 % of requests failing',
    )
    const beside = { ...impact, normal_ratio: 0.001 }
    expect(summaryCard({ ...findings, impact: beside })[0]).toBe(
      'Failing: nothing that was measured, 25.4 % of requests failing (normally 0.1 %)',
    )
    const both = { ...beside, failed: 254, total: 1_000 }
    expect(summaryCard({ ...findings, impact: both })[0]).toContain('failed (25.4 %, normally 0.1 %)')
    const counted = { failed: 3, total: 0, ratio: null, window: null }
    expect(summaryCard({ ...findings, impact: counted })[0]).toContain('3 of 0 requests failed')
  })
})

describe('each line of the card', () => {
  const bare = investigate(EMPTY)
  const cause = {
    kind: 'code',
    level: 'change',
    entity: 'a',
    change: 'c',
    trigger: null,
    contributing: [],
  } as never
  const evidence = (id: string, type: string, content: string) => ({ id, type, content }) as never
  const findings: Findings = {
    ...bare,
    confidence: 0.9,
    summary: 'The summary.',
    first_failing_service: 'checkout',
    state: 'ongoing',
    onset: { at: 'T1', earliest: 'T0', latest: 'T2' },
    impact: { failed: 5, total: 20, ratio: 0.25, window: null },
    blast_radius: ['a', 'b', 'c', 'd', 'e', 'f'],
    evidence: [
      evidence('m1', 'anomaly', 'first  measured\n'),
      evidence('c1', 'change', 'first change'),
      evidence('m2', 'anomaly', 'second measured'),
      evidence('c2', 'change', 'second change'),
      evidence('c3', 'change', 'third change'),
      evidence('m3', 'anomaly', 'third measured'),
      evidence('a1', 'anomaly', 'speaks against'),
    ],
    hypotheses: [
      {
        cause,
        statement: 'It was the change.',
        confidence: 0.9,
        supported_by: ['m2', 'c2', 'gone', 'm1'],
        contradicted_by: ['a1', 'm3'],
      },
    ],
    ruled_out: [
      { statement: 'Not the network.', reason: 'It answered.', evidence: [] },
      { statement: 'Not the disk.', reason: 'It is empty.', evidence: [] },
      { statement: 'Not the moon.', reason: 'It is far.', evidence: [] },
    ],
    gaps: [
      { what: 'logs', why: 'none were given' },
      { what: 'traces', why: 'none were given' },
      { what: 'alerts', why: 'none were given' },
    ] as never,
    next_check: { text: 'Look.', query: null, link: null } as never,
    remediation: { ...bare.remediation, action: 'roll_back', why: 'It began then.' } as never,
    revert_to: 'v41',
  }
  const failing = (change: Partial<Findings>) => summaryCard({ ...findings, ...change })[0]

  it('says what it says', () => {
    expect(summaryCard(findings)).toEqual([
      'Failing: checkout, 5 of 20 requests failed (25 %) since T1 (between T0 and T2), ongoing; affected: a, b, c, d, e and 1 more',
      'Cause (likely, 0.9): It was the change.',
      'Measured: second measured',
      'Measured: first measured',
      'Change: second change',
      'Against: speaks against',
      'Ruled out: Not the network. It answered.',
      'Ruled out: Not the disk. It is empty.',
      'Not looked at: logs: none were given (and 2 more)',
      'Next check: Look.',
      'Advice: It began then.',
      'Return to: v41',
    ])
  })

  it('tells that nothing has to be done where a cause is named', () => {
    const over = { ...findings.remediation, action: 'none', why: 'It is over.' } as const
    expect(summaryCard({ ...findings, remediation: over })).toContain('Advice: It is over.')
    expect(summaryCard({ ...findings, hypotheses: [], remediation: over }).join()).not.toContain('Advice')
  })

  it('is left out where there is nothing to say', () => {
    const silent: Findings = {
      ...findings,
      evidence: [],
      hypotheses: [],
      ruled_out: [],
      gaps: [],
      next_check: null,
      remediation: { ...findings.remediation, action: 'none' },
      revert_to: null,
      onset: null,
      blast_radius: [],
      impact: { failed: null, total: null, ratio: null, window: null },
    }
    expect(summaryCard(silent)).toEqual(['Failing: checkout, ongoing', 'Cause (likely, 0.9): The summary.'])
  })

  it('without a hypothesis shows what was measured and what changed, at most two changes and three lines', () => {
    const card = summaryCard({ ...findings, hypotheses: [] })
    expect(card.slice(2, 5)).toEqual([
      'Measured: first measured',
      'Change: first change',
      'Change: second change',
    ])
    expect(card.some((line) => line.startsWith('Against'))).toBe(false)
  })

  it('counts one gap alone without others', () => {
    const card = summaryCard({ ...findings, gaps: findings.gaps.slice(0, 1) })
    expect(card).toContain('Not looked at: logs: none were given')
  })

  it('tells how much fails by what is known of it', () => {
    const impact = { ...findings.impact, onset: null }
    expect(failing({ impact: { ...impact, ratio: null } })).toMatch(
      /^Failing: checkout, 5 of 20 requests failed since/,
    )
    expect(failing({ impact: { ...impact, failed: null } })).toMatch(
      /^Failing: checkout, 25 % of requests failing since/,
    )
    expect(failing({ impact: { ...impact, total: null } })).toMatch(
      /^Failing: checkout, 25 % of requests failing since/,
    )
  })

  it('says whose requests failed where those are not of who failed first', () => {
    const impact = { ...findings.impact, service: 'shop' }
    expect(failing({ impact })).toMatch(/^Failing: checkout, 5 of 20 requests to shop failed \(25 %\)/)
    expect(failing({ impact: { ...impact, total: null } })).toMatch(/, 25 % of requests to shop failing /)
    expect(failing({ impact: { ...impact, service: 'checkout' } })).toMatch(/, 5 of 20 requests failed /)
    expect(failing({ impact: { ...impact, service: null } })).toMatch(/, 5 of 20 requests failed /)
  })

  it('tells instants as every sentence does, of one day by their time alone, and no interval without a width', () => {
    const at = '2026-03-02T09:30:00.123Z'
    const since = (earliest: string, latest: string) =>
      / since (.*), ongoing/.exec(failing({ onset: { at, earliest, latest } }) ?? '')?.[1]
    expect(since('2026-03-02T09:29:30.000Z', '2026-03-02T09:30:30.000Z')).toBe(
      '2026-03-02 09:30:00 UTC (between 09:29:30 and 09:30:30)',
    )
    expect(since('2026-03-01T23:59:30.000Z', at)).toBe(
      '2026-03-02 09:30:00 UTC (between 2026-03-01 23:59:30 UTC and 09:30:00)',
    )
    expect(since(at, at)).toBe('2026-03-02 09:30:00 UTC')
  })

  it('names nobody twice, and says nothing of a state that is not known', () => {
    expect(failing({ blast_radius: ['checkout', 'a'], state: 'unknown' })).toMatch(/T2\); affected: a$/)
    expect(failing({ blast_radius: ['checkout'] })).toMatch(/, ongoing$/)
    expect(failing({ blast_radius: ['a', 'b', 'c', 'd', 'e'] })).toMatch(/affected: a, b, c, d, e$/)
  })

  it('has at most 200 characters, the last of them the sign that it was cut', () => {
    const of = (length: number) => failing({ first_failing_service: 'x'.repeat(length) }) ?? ''
    const around = (failing({ first_failing_service: '' }) ?? '').length
    expect(of(200 - around)).toHaveLength(200)
    expect(of(200 - around).endsWith('1 more')).toBe(true)
    // No half of a word stands before the sign.
    expect(of(201 - around).endsWith(' 1…')).toBe(true)
  })
})
