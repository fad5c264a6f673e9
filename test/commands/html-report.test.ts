import { describe, expect, it } from 'vitest'
import { reportPage } from '#infra/commands/html-report/report-page.ts'
import { chartScript } from '#infra/commands/html-report/write-report.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { incidentCharts } from '#shared/domain/investigation/screen/incident-charts.ts'
import { summaryCard } from '#shared/domain/investigation/screen/summary-card.ts'
import {
  at,
  commit,
  deploy,
  EMPTY,
  lines,
  ONSET,
  SCENARIOS,
  series,
} from '../domain/investigation/incident-scenarios.ts'

/** Stands for the script of the charts, whose own text would hide what is looked for. */
const SCRIPT = 'draw()'

/** Text that becomes markup, an attribute, or the end of a script wherever it is not escaped. */
const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert(2)">'"&`

function pageOf(snapshot: Snapshot): string {
  const findings = investigate(snapshot)
  const charts = incidentCharts(snapshot, findings)
  return reportPage(
    { findings, charts, card: summaryCard(findings), snapshot_digest: 'd'.repeat(64) },
    SCRIPT,
  )
}

/** The page without its two scripts. */
const bare = (page: string): string => page.replace(/<script[^>]*>[\s\S]*?<\/script>/g, '')

/** Every element that the page opens. */
function elementsOf(page: string): Set<string> {
  return new Set(Array.from(bare(page).matchAll(/<([a-z]\w*)/gi), ([, name = '']) => name.toLowerCase()))
}

describe('the page of findings', () => {
  it('shows the card, every hypothesis, every gap and every piece of evidence with its query', () => {
    for (const { snapshot } of SCENARIOS) {
      const findings = investigate(snapshot)
      const page = pageOf(snapshot)
      const text = page.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
      for (const { statement } of findings.hypotheses) expect(text).toContain(statement)
      for (const { why } of findings.gaps) expect(text).toContain(why)
      for (const { content, query } of findings.evidence) {
        expect(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toContain(content)
        expect(text).toContain(`<code>${query}`)
      }
      for (const [id] of text.matchAll(/href="#(ev_\d+)"/g)) expect(text).toContain(id.slice(7, -1))
    }
  })

  it('shows the lines of the named change that decide, told apart by their signs', () => {
    const withLines = SCENARIOS.map(({ snapshot }) => [pageOf(snapshot), investigate(snapshot)] as const)
    expect(withLines.some(([, { decisive_lines = [] }]) => decisive_lines.length > 0)).toBe(true)
    for (const [page, { decisive_lines = [] }] of withLines) {
      expect(page.includes('<pre class="diff">')).toBe(decisive_lines.length > 0)
      for (const line of decisive_lines.flatMap(({ lines }) => lines))
        expect(page).toContain(`<span class="${line.startsWith('-') ? 'gone' : 'fresh'}">`)
    }
  })

  it('never makes markup of what comes from the monitored system', () => {
    const odd = { ...series(HOSTILE, HOSTILE, 1, 9), query: HOSTILE }
    const snapshot: Snapshot = {
      ...EMPTY,
      alerts: [{ source: 'none', name: HOSTILE, service: HOSTILE, fired_at: at(ONSET) }],
      series: [odd],
      logs: lines(HOSTILE, 'ERROR', `${HOSTILE} failed`, ONSET),
      changes: [
        { ...commit('c1', 80, HOSTILE, [HOSTILE], `-${HOSTILE}\n+x`), source: 'none' },
        deploy('d1', 85, HOSTILE, HOSTILE, ['c1']),
      ],
      edges: [{ source: 'none', caller: HOSTILE, callee: 'b', t0: at(ONSET), interval_s: 60, calls: 9 }],
      events: [{ source: 'none', timestamp: at(ONSET), resource: HOSTILE, kind: HOSTILE, message: HOSTILE }],
      k8s: [{ source: 'none', timestamp: at(ONSET), kind: HOSTILE, name: HOSTILE, reason: HOSTILE }],
      gaps: [{ what: HOSTILE, why: HOSTILE }],
    }
    const page = pageOf(snapshot)
    expect(page).toContain('alert(1)')
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page.match(/<\/script>/g)).toHaveLength(2)
    expect(elementsOf(page)).not.toContain('img')
    // Within quotes it is a value, and a quote in a value is escaped.
    expect(bare(page).replace(/="[^"]*"/g, '=')).not.toMatch(/<[^>]*\sonerror=/)
  })

  it('loads nothing and runs nothing but its own script, which a policy names by hash', async () => {
    const page = pageOf(EMPTY)
    expect(page).toMatch(/default-src 'none'; script-src 'sha256-[\w+/=]{44}'/)
    expect(page).not.toMatch(/\b(src|href)="(?!#)/)
    const script = await chartScript()
    expect(script.length).toBeGreaterThan(100_000)
    expect(script).not.toContain('</script')
  })

  it('follows links to http and https alone', () => {
    const [{ snapshot }] = SCENARIOS as unknown as [(typeof SCENARIOS)[number]]
    const linked = (link: string) =>
      pageOf({ ...snapshot, sources: snapshot.sources.map((source) => ({ ...source, link })) })
    expect(linked('https://tools.example/x?a=1&b="2"')).toContain(
      'href="https://tools.example/x?a=1&amp;b=&quot;2&quot;"',
    )
    for (const link of ['javascript:alert(1)', 'data:text/html,x', 'no address'])
      expect(linked(link)).not.toContain(`href="${link}`)
  })

  it('says what is missing where nothing was measured', () => {
    const page = pageOf(EMPTY)
    for (const none of ['No series did.', 'Nothing says who calls whom.', 'There is none.'])
      expect(page).toContain(none)
  })
})
