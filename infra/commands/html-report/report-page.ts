import { createHash } from 'node:crypto'
import type { Evidence, Hypothesis, Outcome } from '#shared/domain/investigation/findings.ts'
import { likelihoodWord, numberText } from '#shared/domain/investigation/hypotheses/compose-answer.ts'
import { diffExcerpt } from '#shared/domain/investigation/screen/diff-excerpt.ts'
import type { ReportData } from './report-data.ts'
import { REPORT_STYLE } from './report-style.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  identified: 'cause identified',
  best_effort: 'possible cause',
  inconclusive: 'cause unknown',
}

/** Text as HTML shows it literally, in an element or in a quoted attribute. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found)

/** JSON that cannot end the script element it stands in. */
const jsonInScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** An address that may be followed: nothing but http and https. */
function linkOf(link: string | null): string {
  if (link === null || !URL.canParse(link) || !/^https?:$/.test(new URL(link).protocol)) return ''
  return ` <a href="${escapeHtml(link)}" rel="noreferrer noopener">open</a>`
}

const item = (text: string): string => `<li>${escapeHtml(text)}</li>`

function cardOf(card: readonly string[]): string {
  const rows = card.map((line) => {
    const colon = line.indexOf(': ')
    const [label, text] = [line.slice(0, Math.max(0, colon)), line.slice(colon === -1 ? 0 : colon + 2)]
    return `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(text)}</dd>`
  })
  return `<dl class="card">${rows.join('')}</dl>`
}

/** Lines of the diff that decide, those that are taken away and those that are added told apart by more than their colour. */
function excerptOf(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const rows = lines.map((line) => {
    const kind = line.startsWith('-') ? 'gone' : line.startsWith('+') ? 'fresh' : 'file'
    return `<span class="${kind}">${escapeHtml(line)}</span>`
  })
  return section(
    'lines',
    'Decisive lines of the change',
    `<pre class="diff"><code>${rows.join('\n')}</code></pre>`,
  )
}

function citedList(title: string, ids: readonly string[], evidence: ReadonlyMap<string, Evidence>): string {
  if (ids.length === 0) return `<p class="quiet">${escapeHtml(title)}: nothing.</p>`
  const items = ids.map(
    (id) =>
      `<li><a href="#${escapeHtml(id)}">${escapeHtml(id)}</a> ${escapeHtml(evidence.get(id)?.content ?? '')}</li>`,
  )
  return `<h4>${escapeHtml(title)}</h4><ul>${items.join('')}</ul>`
}

function hypothesisOf(hypothesis: Hypothesis, evidence: ReadonlyMap<string, Evidence>): string {
  const { cause, confidence, statement } = hypothesis
  const word = likelihoodWord(confidence)
  return `<article><h3>${escapeHtml(statement)}</h3>
<p><meter min="0" max="1" value="${confidence}"></meter> ${word}, ${confidence} · ${escapeHtml(cause.kind)}, at the level of a ${escapeHtml(cause.level)}</p>
${citedList('For', hypothesis.supported_by, evidence)}
${citedList('Against', hypothesis.contradicted_by, evidence)}</article>`
}

function evidenceOf(evidence: Evidence): string {
  const { id, source, type, content, query, window, link, digest } = evidence
  const time = window === null ? '' : ` · ${window.start} to ${window.end}`
  return `<li id="${escapeHtml(id)}"><p><b>${escapeHtml(id)}</b> ${escapeHtml(content)}</p>
<p class="quiet">${escapeHtml(source)}, ${escapeHtml(type)}${escapeHtml(time)}${linkOf(link)}</p>
<pre><code>${escapeHtml(query)}</code></pre>${digest === null ? '' : `<p class="quiet digest">SHA-256 of the answer: ${escapeHtml(digest)}</p>`}</li>`
}

const section = (id: string, title: string, body: string): string =>
  `<section aria-labelledby="${id}-title"><h2 id="${id}-title">${escapeHtml(title)}</h2>${body}</section>`

const chart = (id: string, label: string, height: number): string =>
  `<div class="chart" id="${id}" role="img" aria-label="${escapeHtml(label)}" style="height:${height}px"></div>`

/** Heights in pixels: one lane of the timeline, one small chart, and one row of the graph. */
const LANE_PX = 34
const SERIES_PX = 190
const ROW_PX = 74

function chartsOf({ charts, findings }: ReportData): string {
  const lanes = 3 + charts.failing.length
  const timeline = chart(
    'timeline',
    `Alerts, changes and failing services over time${findings.onset === null ? '' : `; onset at ${findings.onset.at}`}`,
    lanes * LANE_PX + 70,
  )
  const series = charts.series.map(({ entity, name, before }, index) => {
    const title = `${name} of ${entity}`
    return `<figure><figcaption>${escapeHtml(title)}</figcaption>${chart(`series-${index}`, `${title}, normally ${numberText(before)}`, SERIES_PX)}</figure>`
  })
  const across = Math.max(1, ...charts.nodes.map(({ row, depth }) => Math.max(row, depth) + 1))
  const named = charts.nodes.filter(({ role }) => role === 'cause').map(({ name }) => name)
  const graph = chart(
    'graph',
    `Who calls whom${named.length === 0 ? '' : `; named as the cause: ${named.join(', ')}`}`,
    Math.max(220, across * ROW_PX + 60),
  )
  return [
    section('when', 'When', timeline),
    section(
      'series',
      'What left its normal level',
      series.length === 0 ? '<p>No series did.</p>' : `<div class="grid">${series.join('')}</div>`,
    ),
    section('where', 'Where', charts.nodes.length === 0 ? '<p>Nothing says who calls whom.</p>' : graph),
  ].join('\n')
}

/**
 * One self-contained page that shows findings. Nothing in it is loaded from elsewhere, and no text of the findings can
 * become markup or script: a policy in the page allows its own script by hash and nothing else.
 * @param script that draws the charts
 */
export function reportPage(data: ReportData, script: string): string {
  const { findings, card, charts, snapshot_digest } = data
  const evidence = new Map(findings.evidence.map((each) => [each.id, each]))
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`
  const hypotheses = findings.hypotheses.map((each) => hypothesisOf(each, evidence))
  const ruledOut = findings.ruled_out.map(({ statement, reason }) => item(`${statement} ${reason}`))
  const gaps = findings.gaps.map(({ what, why }) => item(`${what}: ${why}`))
  const list = (items: readonly string[], none: string): string =>
    items.length === 0 ? `<p>${escapeHtml(none)}</p>` : `<ul>${items.join('')}</ul>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(findings.summary)}</title>
<style>${REPORT_STYLE}</style></head>
<body><main>
<h1>${escapeHtml(findings.first_failing_service ?? 'Nothing')} fails: ${OUTCOME_WORDS[findings.outcome]}</h1>
${cardOf(card)}
${excerptOf(diffExcerpt(findings.decisive_lines))}
${chartsOf(data)}
${section('hypotheses', 'Hypotheses', hypotheses.length === 0 ? '<p>There is none.</p>' : hypotheses.join('\n'))}
${section('ruled-out', 'Ruled out', list(ruledOut, 'Nothing.'))}
${section('gaps', 'Not looked at', list(gaps, 'Nothing is known to be missing.'))}
${section('evidence', 'Evidence', findings.evidence.length === 0 ? '<p>There is none.</p>' : `<ol class="evidence">${findings.evidence.map(evidenceOf).join('\n')}</ol>`)}
<footer class="quiet"><p>${escapeHtml(findings.confidence_basis)}</p><p class="digest">Engine ${escapeHtml(findings.engine_version)} · snapshot ${escapeHtml(snapshot_digest)}</p><p>Charts: Apache ECharts, Apache License 2.0.</p></footer>
</main>
<script type="application/json" id="data">${jsonInScript(charts)}</script>
<script>${script}</script>
</body></html>
`
}
