/**
 * Changes that people suspect and that were not it.
 */

import type { ChangeRanking } from '../changes/ranked-change.ts'
import type { RuledOut } from '../findings.ts'
import type { Observed } from '../place/failing-services.ts'
import { effectOf } from '../records/change-record.ts'
import type { Change } from '../records/snapshot.ts'
import { type Candidate, MOST_HYPOTHESES } from './candidate.ts'
import { citeChange } from './cite-evidence.ts'
import { capital, changeName, ownerText, shiftSentence, timeText, titleText } from './compose-answer.ts'
import type { EvidenceList } from './evidence-list.ts'

/** A change by its id, its title and whose it is: an id alone tells nobody which one that was. */
const fullName = (change: Change): string =>
  `${capital(changeName(change))}${titleText(change)}${ownerText(change)}`

/** The kind and the id that what was ruled out begins with, without title and owner: a service is not ruled out because one change of it is. */
export const ownNameIn = ({ statement }: RuledOut): string => statement.split(/ \u201c| of | is /, 1)[0] ?? ''

/** Up to five changes that were not it, each with the reason and the evidence: those that came too late first. */
export function ruleOut(
  observed: Observed,
  changes: ChangeRanking,
  candidates: readonly Candidate[],
  evidence: EvidenceList,
): readonly RuledOut[] {
  const list: RuledOut[] = []
  // What reached the failing service soon after is what people suspect first.
  const late = [...changes.too_late]
    .sort((a, b) => Number(b.effective_at.known) * b.place - Number(a.effective_at.known) * a.place)
    .slice(0, 3)
  for (const entry of late) {
    const { first } = observed
    const shift = first?.shifts[0]
    const ids = citeChange(entry, evidence)
    if (shift !== undefined)
      ids.push(
        evidence.add('metrics', 'anomaly', shiftSentence(shift), shift.series.source, shift.series.query),
      )
    list.push({
      statement: `${fullName(entry.change)} is not the cause.`,
      reason: `It ${entry.effective_at.known ? 'took effect' : 'was recorded'} at ${timeText(entry.carried_by === null ? entry.effective_at.from : effectOf(entry.carried_by))}, after the symptoms began.`,
      evidence: ids,
    })
  }
  const named = new Set(
    candidates
      .slice(0, MOST_HYPOTHESES)
      .map((candidate) => (candidate.of === 'change' ? candidate.entry : null)),
  )
  for (const entry of changes.ranked) {
    if (list.length >= 5) break
    if (named.has(entry) || !entry.effective_at.known || entry.place < 0.85) continue
    const reason =
      entry.trivial ??
      ((entry.mechanism?.score ?? 0) < 0.2 && entry.diff.size > 0
        ? 'nothing in its diff can cause what is observed'
        : null)
    if (reason === null) continue
    list.push({
      statement: `${fullName(entry.change)} is an unlikely cause.`,
      reason: `It reached ${entry.reaches ?? 'the failing service'} in time, but ${reason}.`,
      evidence: citeChange(entry, evidence),
    })
  }
  return list
}
