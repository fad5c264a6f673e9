/**
 * Evidence that speaks for a hypothesis, and evidence that speaks against it.
 */

import { CALLS } from '../changes/asks-otherwise.ts'
import type { ChangeRanking } from '../changes/ranked-change.ts'
import type { Observed } from '../place/failing-services.ts'
import { CHANGE_SOURCE } from '../records/change-record.ts'
import type { Candidate } from './candidate.ts'
import { citeBlame, citeChange, citeSign } from './cite-evidence.ts'
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

/**
 * Ids of the evidence for and against one hypothesis; what is cited for it is not cited against it.
 * @param symptoms - ids of the evidence of what fails
 */
export function evidenceFor(
  candidate: Candidate,
  observed: Observed,
  evidence: EvidenceList,
  symptoms: readonly string[],
  changes: ChangeRanking,
): { supported: readonly string[]; against: readonly string[] } {
  const supported: string[] = []
  const against: string[] = []
  if (candidate.of === 'change') {
    const { entry } = candidate
    supported.push(...citeChange(entry, evidence))
    if (entry.mechanism !== null && entry.mechanism.score >= 0.2)
      supported.push(
        evidence.add('commits', 'correlation', mechanismSentence(entry) as string, entry.change.source),
      )
    if (entry.echo !== null)
      supported.push(
        evidence.add(
          'metrics',
          'correlation',
          echoSentence(entry) as string,
          entry.echo.shift.series.source,
          entry.echo.shift.series.query,
        ),
      )
    if (entry.spent !== null)
      supported.push(
        evidence.add(
          // What was counted of calls comes from where calls are recorded.
          entry.spent.series.unit === CALLS ? 'traces' : 'metrics',
          'correlation',
          spentSentence(entry) as string,
          entry.spent.series.source,
          entry.spent.series.query,
        ),
      )
    if (entry.failed_over !== null)
      supported.push(
        evidence.add(
          'topology',
          'correlation',
          failedOverSentence(entry) as string,
          entry.failed_over.source,
        ),
      )
    if (entry.quoted !== null)
      supported.push(
        evidence.add('logs', 'correlation', quotedSentence(entry) as string, entry.quoted.symptom.source),
      )
    if (entry.contrast !== null) {
      const { source, query, what } = entry.contrast
      const kind = what === 'spans' ? 'traces' : 'metrics'
      supported.push(evidence.add(kind, 'correlation', contrastSentence(entry.contrast), source, query))
    }
    supported.push(...symptoms.slice(0, 3))
    if (entry.trivial !== null)
      against.push(
        evidence.add(
          CHANGE_SOURCE[entry.change.kind],
          'statement',
          `Of ${changeName(entry.change)} one can say that ${entry.trivial}.`,
          entry.change.source,
        ),
      )
    if (entry.carried_by === null && !entry.effective_at.known)
      against.push(
        evidence.add(
          CHANGE_SOURCE[entry.change.kind],
          'absence',
          `No rollout in the records carried ${changeName(entry.change)}.`,
          entry.change.source,
        ),
      )
  } else if (candidate.of === 'operational') {
    for (const sign of candidate.found.signs) supported.push(citeSign(sign, evidence))
    supported.push(...symptoms.slice(0, 2))
    const recent = changes.ranked.find(
      (entry) => entry.place >= 0.85 && entry.effective_at.known && entry.trivial === null,
    )
    if (recent !== undefined) against.push(citeChange(recent, evidence).at(-1) as string)
  } else {
    const { service } = candidate
    supported.push(...citeBlame(service, evidence))
    const flow = service.blame?.flow ?? null
    const unmeasured = flow === null ? null : unmeasuredSentence(flow)
    if (flow !== null && unmeasured !== null)
      against.push(evidence.add('topology', 'absence', unmeasured, flow.series.source))
    for (const shift of service.shifts.slice(0, 3))
      supported.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    for (const template of service.templates.slice(0, 2))
      supported.push(evidence.add('logs', 'error', templateSentence(template), template.source))
    for (const pattern of service.patterns.slice(0, 2))
      supported.push(evidence.add('logs', 'pattern', patternSentence(pattern), pattern.source))
    const other = observed.failing.find((one) => one !== service && one.onset.latest < service.onset.earliest)
    if (other?.shifts[0] !== undefined)
      against.push(
        evidence.add(
          'metrics',
          'anomaly',
          shiftSentence(other.shifts[0]),
          other.shifts[0].series.source,
          other.shifts[0].series.query,
        ),
      )
  }
  return {
    supported: [...new Set(supported)],
    against: [...new Set(against)].filter((id) => !supported.includes(id)),
  }
}
