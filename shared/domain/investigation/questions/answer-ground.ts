/** What answers in words are drawn from, and how sure a plain statement of what was measured may be. */

import { asRead } from '../deviations/as-read.ts'
import type { Evidence, Findings, Outcome } from '../findings.ts'
import {
  failingSpan,
  lengthText,
  patternSentence,
  quoteText,
  shiftSentence,
  templateSentence,
  timeText,
} from '../hypotheses/compose-answer.ts'
import type { EvidenceList } from '../hypotheses/evidence-list.ts'
import type { FailingService } from '../place/failing-service.ts'
import { type Observed, observe } from '../place/failing-services.ts'
import { type EntityNames, entityNames } from '../records/entity-names.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'

/** An answer: every number, name and time in `answer` stands in `evidence`, or in the question itself. */
export interface Reply {
  readonly answer: string
  readonly evidence: readonly Evidence[]
  readonly confidence: number
  readonly outcome: Outcome
  readonly hypotheses: Findings['hypotheses']
  readonly ruled_out: Findings['ruled_out']
  readonly gaps: Findings['gaps']
}

/** What was measured and what follows from it, with the service that was asked about. */
export interface Ground {
  readonly snapshot: Snapshot
  readonly findings: Findings
  readonly names: EntityNames
  readonly observed: Observed
  /** In the snapshot's own spelling; null for whatever fails. */
  readonly service: string | null
}

/** Lays the ground of answers about a service. */
export function answerGround(given: Snapshot, findings: Findings, service: string | null): Ground {
  const snapshot = asRead(given)
  const names = entityNames(snapshot)
  const asked = service === null ? null : names.canonical(service)
  return { snapshot, findings, names, observed: observe(snapshot, names, asked), service: asked }
}

/** Confidence of a statement of fact where every tool answered whole. */
const SURE_WHOLE = 0.95
/** Where a tool failed or its answer was cut: what it would have said may contradict. */
const SURE_CUT = 0.5

const isWhole = ({ sources }: Snapshot): boolean =>
  sources.every(({ outcome }) => outcome === 'answered' || outcome === 'empty')

export const NO_HYPOTHESES = { hypotheses: [], ruled_out: [] }

/** An answer that claims nothing of what was asked. */
export const claimless = (
  answer: string,
  gaps: Reply['gaps'],
  evidence: readonly Evidence[] = [],
): Reply => ({ answer, evidence, confidence: 0, outcome: 'inconclusive', ...NO_HYPOTHESES, gaps })

/** A statement of what was recorded or measured, with its evidence. */
export function stated({ snapshot, findings }: Ground, answer: string, evidence: EvidenceList): Reply {
  const whole = isWhole(snapshot)
  return {
    answer,
    evidence: evidence.items,
    confidence: whole ? SURE_WHOLE : SURE_CUT,
    outcome: whole ? 'identified' : 'best_effort',
    ...NO_HYPOTHESES,
    gaps: findings.gaps,
  }
}

/** A length to the second, for what is recorded so exactly. */
export function exactLengthText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  const rest = seconds % 60
  const whole = seconds < 60 ? [] : [lengthText((seconds - rest) * 1_000)]
  return [...whole, ...(rest > 0 || whole.length === 0 ? [`${rest} s`] : [])].join(' ')
}

/** Shorter lengths are told to the second, ms: half a minute is much of them. */
const EXACT_BELOW = 10 * 60_000
/** A length as it is told of what lasted: a short one to the second. */
export const spanLengthText = (ms: number): string => (ms < EXACT_BELOW ? exactLengthText : lengthText)(ms)

/** How far what is nearest to what was asked for answers for it. */
const SURE_OF_NEAREST = 0.5

/** A statement of what is nearest to what was asked for, behind what says so. */
export const nearest = (reply: Reply, lead: string): Reply => ({
  ...reply,
  answer: `${lead}\n${reply.answer}`,
  confidence: SURE_OF_NEAREST,
  outcome: 'best_effort',
})

/** Says that it is not known, with what is known. */
export const notKnown = ({ findings }: Ground, answer: string, evidence: readonly Evidence[] = []): Reply =>
  claimless(answer, findings.gaps, evidence)

/** An answer about the findings themselves: their evidence, hypotheses and confidence go with it. */
export function argued({ findings }: Ground, answer: string): Reply {
  const { evidence, confidence, outcome, hypotheses, ruled_out, gaps } = findings
  return { answer, evidence, confidence, outcome, hypotheses, ruled_out, gaps }
}

/** Adds a sentence as an item of its own and gives it back, so that what is said is what is cited. */
export function say(
  evidence: EvidenceList,
  [source, type]: readonly [Evidence['source'], Evidence['type']],
  sentence: string,
  record: string,
): string {
  evidence.add(source, type, sentence, record)
  return sentence
}

/** A series by its name, what it is of and its labels. */
export const seriesText = ({ name, entity, labels }: Series): string =>
  `${name} of ${entity}${Object.entries(labels)
    .map(([key, value]) => ` ${key}=${value}`)
    .join()}`

/** Signs of one service that an answer shows. */
const MOST_SIGNS = 3

/** The strongest signs that a service fails, each cited; in the order in which they convince. */
export function signsOf(service: FailingService, evidence: EvidenceList, most = MOST_SIGNS): string[] {
  const found: string[] = []
  for (const shift of service.shifts) {
    const sentence = shiftSentence(shift)
    evidence.add('metrics', 'anomaly', sentence, shift.series.source, shift.series.query)
    found.push(sentence)
    if (found.length >= most) return found
  }
  for (const template of service.templates) {
    found.push(say(evidence, ['logs', 'error'], templateSentence(template), template.source))
    if (found.length >= most) return found
  }
  for (const pattern of service.patterns) {
    found.push(say(evidence, ['logs', 'pattern'], patternSentence(pattern), pattern.source))
    if (found.length >= most) return found
  }
  const [span] = service.error_spans
  if (span !== undefined && found.length < most) {
    const sentence = `Span ${quoteText(span.name)} of ${span.service} failed at ${timeText(span.start)} with no failed child.`
    found.push(say(evidence, ['traces', 'error'], sentence, span.source))
  }
  return found
}

/** Since when a service fails, as a statement of its own that rests on its signs. */
export function sinceOf(service: FailingService, evidence: EvidenceList): string {
  const { onset } = service
  const interval =
    onset.earliest === onset.latest
      ? ''
      : ` (between ${timeText(onset.earliest)} and ${timeText(onset.latest)})`
  const sentence = `${service.entity} ${failingSpan(service, interval)}.`
  return say(evidence, ['metrics', 'statement'], sentence, recordOf(service))
}

/** The request that brought the strongest sign of a service. */
export const recordOf = (service: FailingService): string =>
  service.shifts[0]?.series.source ??
  service.templates[0]?.source ??
  service.patterns[0]?.source ??
  service.error_spans[0]?.source ??
  service.flow?.source ??
  ''

/** Up to so many names, and how many more there are. */
export function namesText(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}
