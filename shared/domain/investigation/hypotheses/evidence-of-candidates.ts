/**
 * Evidence that speaks for a hypothesis, and evidence that speaks against it.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { CALLS } from '../changes/asks-otherwise.ts'
import type { ChangeRanking, RankedChange } from '../changes/ranked-change.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { EvidenceSource } from '../findings.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { CHANGE_SOURCE } from '../records/change-record.ts'
import type { Candidate } from './candidate.ts'
import { citeBlame, citeChange, citeSign, citeTakenBack } from './cite-evidence.ts'
import {
  changeName,
  contrastSentence,
  echoSentence,
  failedOverSentence,
  mechanismSentence,
  patternSentence,
  quotedSentence,
  shiftSentence,
  spentSentence,
  templateSentence,
  unmeasuredSentence,
} from './compose-answer.ts'
import type { EvidenceList } from './evidence-list.ts'
import type { TakenBack, TakenBackOf } from './taken-back.ts'

/**
 * Ids of the evidence for and against one hypothesis; what is cited for it is not cited against it.
 * @param symptoms - ids of the evidence of what fails
 */
export function evidenceFor(
  candidate: Candidate,
  observed: Observed,
  backOf: TakenBackOf,
  evidence: EvidenceList,
  symptoms: readonly string[],
  changes: ChangeRanking,
): ForAndAgainst {
  const { supported, against } =
    candidate.of === 'change'
      ? evidenceOfChange(candidate.entry, observed, backOf(candidate.entry), evidence, symptoms)
      : candidate.of === 'operational'
        ? evidenceOfOperational(candidate.found, evidence, symptoms, changes)
        : evidenceOfPlace(candidate.service, observed, evidence)
  return {
    supported: [...new Set(supported)],
    against: [...new Set(against)].filter((id) => !supported.includes(id)),
  }
}

/** Ids of evidence. */
interface ForAndAgainst {
  readonly supported: readonly string[]
  readonly against: readonly string[]
}

/** For a change speaks that it was made, what it can break, what was seen since, and what fails; against it what it cannot do. */
function evidenceOfChange(
  entry: RankedChange,
  { first }: Observed,
  back: TakenBack | null,
  evidence: EvidenceList,
  symptoms: readonly string[],
): ForAndAgainst {
  const cited = back === null ? [] : [citeTakenBack(back, first, evidence)]
  const supported = [
    ...citeChange(entry, evidence),
    ...correlationsOf(entry, evidence),
    ...(back?.harm.is === 'ended' ? cited : []),
    ...symptoms.slice(0, 3),
  ]
  const doubts = doubtsOf(entry, evidence)
  return { supported, against: back?.harm.is === 'lasted' ? [...cited, ...doubts] : doubts }
}

/** What connects a change with what is observed. */
function correlationsOf(entry: RankedChange, evidence: EvidenceList): readonly string[] {
  const cited: string[] = []
  // What was found has its sentence.
  const cite = (kind: EvidenceSource, sentence: string | null, source: string, query?: string): void => {
    cited.push(evidence.add(kind, 'correlation', sentence as string, source, query))
  }
  const { change, mechanism, echo, spent, failed_over: event, quoted, contrast } = entry
  if (mechanism !== null && mechanism.score >= 0.2) cite('commits', mechanismSentence(entry), change.source)
  if (echo !== null) cite('metrics', echoSentence(entry), echo.shift.series.source, echo.shift.series.query)
  if (spent !== null)
    // What was counted of calls comes from where calls are recorded.
    cite(
      spent.series.unit === CALLS ? 'traces' : 'metrics',
      spentSentence(entry),
      spent.series.source,
      spent.series.query,
    )
  if (event !== null) cite('topology', failedOverSentence(entry), event.source)
  if (quoted !== null) cite('logs', quotedSentence(entry), quoted.symptom.source)
  if (contrast !== null)
    cite(
      contrast.what === 'spans' ? 'traces' : 'metrics',
      contrastSentence(contrast),
      contrast.source,
      contrast.query,
    )
  return cited
}

/** What speaks against a change: that it does nothing, or was not seen to arrive. */
function doubtsOf(entry: RankedChange, evidence: EvidenceList): readonly string[] {
  const { change, trivial, carried_by: rollout, effective_at: effective } = entry
  const kind = CHANGE_SOURCE[change.kind]
  const doubts: string[] = []
  if (trivial !== null)
    doubts.push(
      evidence.add(kind, 'statement', `Of ${changeName(change)} one can say that ${trivial}.`, change.source),
    )
  if (rollout === null && !effective.known)
    doubts.push(
      evidence.add(
        kind,
        'absence',
        `No rollout in the records carried ${changeName(change)}.`,
        change.source,
      ),
    )
  return doubts
}

/** For a cause that is no change speak its signs, and what fails; against it a change that arrived there. */
function evidenceOfOperational(
  { signs }: OperationalCause,
  evidence: EvidenceList,
  symptoms: readonly string[],
  changes: ChangeRanking,
): ForAndAgainst {
  const supported = [...signs.map((sign) => citeSign(sign, evidence)), ...symptoms.slice(0, 2)]
  const recent = changes.ranked.find(
    (entry) => entry.place >= 0.85 && entry.effective_at.known && entry.trivial === null,
  )
  return { supported, against: recent === undefined ? [] : [citeChange(recent, evidence).at(-1) as string] }
}

/** For a place speak how it fails and what it says; against it what is not measured behind it, and what failed before it. */
function evidenceOfPlace(service: FailingService, observed: Observed, evidence: EvidenceList): ForAndAgainst {
  const citeShift = (shift: SeriesShift): string =>
    evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query)
  const supported = [...citeBlame(service, evidence)]
  const against: string[] = []
  const flow = service.blame?.flow ?? null
  const unmeasured = flow === null ? null : unmeasuredSentence(flow)
  if (flow !== null && unmeasured !== null)
    against.push(evidence.add('topology', 'absence', unmeasured, flow.series.source))
  for (const shift of service.shifts.slice(0, 3)) supported.push(citeShift(shift))
  for (const template of service.templates.slice(0, 2))
    supported.push(evidence.add('logs', 'error', templateSentence(template), template.source))
  for (const pattern of service.patterns.slice(0, 2))
    supported.push(evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source))
  const other = observed.failing.find((one) => one !== service && one.onset.latest < service.onset.earliest)
  if (other?.shifts[0] !== undefined) against.push(citeShift(other.shifts[0]))
  return { supported, against }
}
