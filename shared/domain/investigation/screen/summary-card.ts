/** The first screen: what an on-call engineer reads before anything else, in at most twelve lines. */

import { cutText } from '../cut-text.ts'
import { type Evidence, type Findings, type Hypothesis, hasAdvice, type Revision } from '../findings.ts'
import { likelihoodWord, numberText, timeText } from '../hypotheses/compose-answer.ts'

/** Width of a line (characters); what is longer stands in the findings themselves. */
const LINE_WIDTH = 200
/** A query is there to be copied: cut it is of no use, so it gets more room (characters). */
const QUERY_WIDTH = 1_000
/** Shortened line, on one line. */
function lineOf(text: string, width = LINE_WIDTH): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), width)
}

/** Names of those affected that the line has room for. */
const MOST_AFFECTED = 5

/** An instant of findings as every sentence writes it; what is no instant is left as it is. */
const instantText = (iso: string): string => {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? iso : timeText(at)
}

/** Characters of an instant that name its day, with the blank behind. */
const DAY = '2026-03-02 '.length

/** An instant beside another of the same day: its time of day alone. */
const withoutDay = (instant: string, beside: string): string =>
  instant.endsWith(' UTC') && instant.slice(0, DAY) === beside.slice(0, DAY)
    ? instant.slice(DAY, -' UTC'.length)
    : instant

/** How much fails, and of whose requests: those of whoever was alerted, not of who failed first. */
function amountOf({ impact, first_failing_service }: Findings): string {
  const { failed, total, ratio, normal_ratio, service } = impact
  const to = service == null || service === first_failing_service ? '' : ` to ${service}`
  const before = normal_ratio == null ? '' : `, normally ${numberText(normal_ratio * 100)} %`
  const share = ratio === null ? null : `${numberText(ratio * 100)} %${before}`
  if (failed !== null && total !== null)
    return `, ${numberText(failed)} of ${numberText(total)} requests${to} failed${share === null ? '' : ` (${share})`}`
  return share === null || ratio === null
    ? ''
    : `, ${numberText(ratio * 100)} % of requests${to} failing${before === '' ? '' : ` (${before.slice(2)})`}`
}

function failingLine(findings: Findings): string {
  const { first_failing_service, onset, state, blast_radius } = findings
  const [at, ...bounds] = onset === null ? [] : [onset.at, onset.earliest, onset.latest].map(instantText)
  const [earliest, latest] = bounds.map((bound) => withoutDay(bound, at ?? ''))
  const interval = earliest === latest ? '' : ` (between ${earliest} and ${latest})`
  const since = at === undefined ? '' : ` since ${at}${interval}`
  const others = blast_radius.filter((name) => name !== first_failing_service)
  const more = others.length - MOST_AFFECTED
  const names = `${others.slice(0, MOST_AFFECTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const affected = others.length === 0 ? '' : `; affected: ${names}`
  const trend = state === 'unknown' ? '' : `, ${state}`
  return `Failing: ${first_failing_service ?? 'nothing that was measured'}${amountOf(findings)}${since}${trend}${affected}`
}

/** What the look before this one said otherwise, in one line; null where it said the same. */
function changedLine(revision: Revision | undefined): string | null {
  if (revision === undefined || revision.changed.length === 0) return null
  const parts = revision.changed.map(({ what, before, after }) =>
    what === 'cause' ? 'another cause' : `${what} ${before || 'none'} → ${after || 'none'}`,
  )
  const [fresh] = revision.new_evidence
  const [lost] = revision.lost_evidence
  const why = fresh !== undefined ? `, now given: ${fresh}` : lost !== undefined ? `, no longer: ${lost}` : ''
  return `Changed since ${instantText(revision.since)}: ${parts.join(', ')}${why}`
}

/** What speaks for the best hypothesis, three lines at most: what was measured first, then the change itself. */
function supportLines(best: Hypothesis | undefined, evidence: readonly Evidence[]): readonly string[] {
  const byId = new Map(evidence.map((item) => [item.id, item]))
  const ordered = best === undefined ? evidence : best.supported_by.flatMap((id) => byId.get(id) ?? [])
  const changes = ordered.filter(({ type }) => type === 'change').slice(0, 2)
  const measured = ordered.filter(({ type }) => type !== 'change').slice(0, 3 - changes.length)
  return [
    ...measured.map(({ content }) => `Measured: ${content}`),
    ...changes.map(({ content }) => `Change: ${content}`),
  ]
}

/** What speaks against the best hypothesis, and what was ruled out. */
function doubtLines(findings: Findings, best: Hypothesis | undefined, most: number): readonly string[] {
  const against = findings.evidence.find(({ id }) => id === best?.contradicted_by[0])
  return [
    ...(against === undefined ? [] : [`Against: ${against.content}`]),
    ...findings.ruled_out.slice(0, most).map(({ statement, reason }) => `Ruled out: ${statement} ${reason}`),
  ]
}

/** What is not known, and what to do next. */
function nextLines(findings: Findings): readonly string[] {
  const { gaps, next_check, remediation, revert_to } = findings
  const [gap, ...others] = gaps
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  const query = next_check?.query == null ? '' : ` [${next_check.query}]`
  return [
    ...(gap === undefined ? [] : [lineOf(`Not looked at: ${gap.what}: ${gap.why}${more}`)]),
    ...(next_check === null ? [] : [lineOf(`Next check: ${next_check.text}${query}`, QUERY_WIDTH)]),
    ...(hasAdvice(findings) ? [lineOf(`Advice: ${remediation.why}`)] : []),
    ...(revert_to === null ? [] : [lineOf(`Return to: ${revert_to}`)]),
  ]
}

/**
 * The card that the command line and the API show first: at most 12 lines, in the order what fails, likely cause, what
 * the last look changed, what was measured, the change, what speaks against, what was ruled out, what was not looked
 * at, next check, advice, what to return to. An inconclusive finding shows the same card.
 */
export function summaryCard(findings: Findings & { readonly revision?: Revision }): string[] {
  const [best] = findings.hypotheses
  const changed = changedLine(findings.revision)
  const lines = [
    failingLine(findings),
    `Cause (${likelihoodWord(findings.confidence)}, ${findings.confidence}): ${best?.statement ?? findings.summary}`,
    ...(changed === null ? [] : [changed]),
    ...supportLines(best, findings.evidence),
    // What is new takes the place of the second thing that was ruled out: more than 12 lines nobody reads.
    ...doubtLines(findings, best, changed === null ? 2 : 1),
  ]
  return [...lines.map((line) => lineOf(line)), ...nextLines(findings)]
}
