/**
 * Evidence in the records for what a hypothesis is told by.
 */

import type { Sign } from '../causes/operational-cause.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import type { EvidenceSource } from '../findings.ts'
import type { FailingService } from '../place/failing-service.ts'
import { CHANGE_SOURCE } from '../records/change-record.ts'
import {
  brokenSentence,
  changeSentence,
  flowSentence,
  gapSentence,
  rolloutSentence,
  runSentence,
  sightSentence,
  signSentence,
  takenBackSentence,
} from './compose-answer.ts'
import type { EvidenceList } from './evidence-list.ts'
import type { TakenBack } from './taken-back.ts'

/** Ids of the evidence that a change was made, rolled out and run: its record first. */
export function citeChange(entry: RankedChange, evidence: EvidenceList): string[] {
  const { change } = entry
  const ids = [evidence.add(CHANGE_SOURCE[change.kind], 'change', changeSentence(entry), change.source)]
  if (entry.carried_by !== null)
    ids.push(
      evidence.add('deploys', 'change', rolloutSentence(entry.carried_by, change), entry.carried_by.source),
    )
  if (entry.sight !== undefined)
    ids.push(evidence.add(entry.sight.evidence, 'change', sightSentence(entry.sight), entry.sight.source))
  if (entry.run !== null)
    ids.push(
      evidence.add(
        'topology',
        'change',
        runSentence(entry.run, change),
        entry.run.seen?.source ?? change.source,
      ),
    )
  return ids
}

/** Id of the evidence that a change was taken back, and of what became of the harm. */
export const citeTakenBack = (
  back: TakenBack,
  first: FailingService | null,
  evidence: EvidenceList,
): string =>
  evidence.add(
    CHANGE_SOURCE[back.change.kind],
    back.harm.is === 'open' ? 'change' : 'correlation',
    takenBackSentence(back, first?.entity ?? ''),
    back.change.source,
  )

function signSource(sign: Sign): EvidenceSource {
  const { fact } = sign
  if (fact.of === 'shift') return 'metrics'
  if (fact.of === 'calls') return 'topology'
  if (fact.of === 'status' || fact.of === 'statement') return 'integrations'
  if (fact.of === 'expiry')
    return fact.origin === 'metric' ? 'metrics' : fact.origin === 'alert' ? 'alerts' : 'logs'
  return (
    {
      log: 'logs',
      pattern: 'logs',
      kubernetes: 'topology',
      event: 'integrations',
      alert: 'alerts',
      trace: 'traces',
    } as const
  )[fact.origin]
}

/** Id of the evidence for one sign of a cause. */
export function citeSign(sign: Sign, evidence: EvidenceList): string {
  const { fact } = sign
  const record =
    fact.of === 'shift'
      ? fact.shift.series.source
      : fact.of === 'statement'
        ? fact.statement.record.source
        : fact.of === 'calls'
          ? fact.flow.source
          : fact.source
  const type =
    fact.of === 'shift' || fact.of === 'statement'
      ? 'anomaly'
      : fact.of === 'status'
        ? 'statement'
        : fact.of === 'calls'
          ? 'dependency'
          : fact.of === 'expiry'
            ? 'change'
            : 'error'
  return evidence.add(
    signSource(sign),
    type,
    signSentence(sign),
    record,
    fact.of === 'shift' ? fact.shift.series.query : undefined,
  )
}

/** What the scorers of place say about a service. */
export function citeBlame({ blame }: FailingService, evidence: EvidenceList): readonly string[] {
  if (blame === null) return []
  const { flow, gap, broken } = blame
  return [
    ...(flow === null
      ? []
      : [evidence.add('topology', 'dependency', flowSentence(flow), flow.series.source, flow.series.query)]),
    ...(broken === null ? [] : [evidence.add('logs', 'pattern', brokenSentence(broken), broken.source)]),
    ...(gap === null ? [] : [evidence.add('traces', 'anomaly', gapSentence(gap), gap.source)]),
  ]
}
