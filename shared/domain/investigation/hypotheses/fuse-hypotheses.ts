/**
 * Joins what the scorers found into hypotheses, each with what speaks for and against it.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { decisiveLines } from '../changes/decisive-lines.ts'
import type { ChangeRanking } from '../changes/ranked-change.ts'
import {
  CONFIDENCE_CAP_OUTLIVED,
  CONFIDENCE_CAP_SHOWN,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_WORDS,
  type ConfidenceInput,
  confidenceOf,
} from '../confidence.ts'
import { countsLines } from '../deviations/counted-lines.ts'
import type { Cause, DiffExcerpt, Hypothesis, RuledOut } from '../findings.ts'
import type { Observed } from '../place/failing-services.ts'
import { stateOf } from '../place/state-of-incident.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { isOfOthers } from './asked-and-well.ts'
import { isContested, isPutDownTo } from './brought-by-changes.ts'
import { type Candidate, MOST_HYPOTHESES } from './candidate.ts'
import { capsOf, coverageOf } from './caps-of-candidates.ts'
import { hasMechanism } from './change-evidence.ts'
import type { EvidenceList } from './evidence-list.ts'
import { evidenceFor } from './evidence-of-candidates.ts'
import { agreementOf, isExplainedBy, isOfOneRollout, leadOf } from './lead-of-candidates.ts'
import { type Advice, adviceOf, versionBefore } from './remediation.ts'
import { ruleOut } from './ruled-out.ts'
import { basisOf, causeOf, statementOf } from './state-hypotheses.ts'
import { symptomEvidence } from './symptom-evidence.ts'
import { type TakenBack, takenBackIn } from './taken-back.ts'
import { weighCandidates } from './weigh-candidates.ts'

/** Lead below which the runner-up fits nearly as well: whatever speaks for both, neither is likely. */
const CLOSE = 0.15

/** One rollout brought both, and nothing says which of them it was. */
const isTwin = (best: Candidate, other: Candidate): boolean =>
  best.of === 'change' &&
  other.of === 'change' &&
  isOfOneRollout(best.entry, other.entry) &&
  other.score > (1 - CLOSE) * best.score

/** What an investigation comes to. */
export interface Verdict {
  readonly cause: Cause
  readonly confidence: number
  readonly basis: string
  /** Who was asked about, where it is well and what is named explains others; null otherwise. */
  readonly well: string | null
  /** Lines of the named change's diff that decide; empty where no change is named or it has no diff. */
  readonly decisive_lines: readonly DiffExcerpt[]
  readonly hypotheses: readonly Hypothesis[]
  readonly ruled_out: readonly RuledOut[]
  readonly revert_to: string | null
  readonly remediation: Advice
  /** Ids of the evidence of what fails, strongest first. */
  readonly symptoms: readonly string[]
  /** What the confidence was computed from; null where nothing was found. */
  readonly stated: ConfidenceInput | null
}

/** Joins what was found into one verdict: which cause it was, how sure that is, and what else it may have been. */
export function fuseHypotheses(
  snapshot: Snapshot,
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
  evidence: EvidenceList,
): Verdict {
  const symptoms = symptomEvidence(observed, evidence)
  const candidates = weighCandidates(observed, changes, operational)
  const coverage = coverageOf(snapshot)
  const ruledOut = ruleOut(observed, changes, candidates, evidence)
  const [best, ...others] = candidates
  if (best === undefined) return nothingFound(observed, ruledOut, symptoms)
  const next = rivalOf(best, others, observed)
  const twin = others.find((other) => isTwin(best, other))
  const backOf = takenBackIn(snapshot, observed.first)
  const back = best.of === 'change' ? backOf(best.entry) : null
  const stated = statedOf(best, next, twin, coverage.share, snapshot, observed, changes, operational, back)
  const confidence = confidenceOf(stated)
  const well = isOfOthers(best, observed) ? observed.symptom_service : null
  const isTie = next !== undefined && best.of !== 'service' && next.score === best.score
  const shown = candidates.slice(0, MOST_HYPOTHESES)
  const confidences = confidencesOf(shown, confidence)
  const hypotheses = shown.map((candidate, index): Hypothesis => {
    const { supported, against } = evidenceFor(candidate, observed, backOf, evidence, symptoms, changes)
    return {
      cause: causeOf(candidate, observed, operational, index === 0),
      statement: statementOf(candidate, observed),
      confidence: confidences[index] as number,
      supported_by: supported,
      contradicted_by: against,
    }
  })
  const top = (hypotheses[0] as Hypothesis).cause
  const cause = isTie || confidence === 0 ? unnamed(top, observed) : top
  return {
    cause,
    confidence,
    basis: basisOf(best, next, coverage.words, observed, isTie, { twin, well, back }),
    well,
    decisive_lines: best.of === 'change' && cause.change !== null ? decisiveLines(best.entry) : [],
    hypotheses,
    ruled_out: ruledOut,
    revert_to:
      best.of === 'change' && !isTie && back === null && stateOf(observed) !== 'recovered'
        ? versionBefore(best.entry, snapshot)
        : null,
    remediation: isTie
      ? {
          action: 'escalate',
          target: null,
          why: 'Two causes fit equally well: look at both before anything is taken back.',
        }
      : adviceOf(best, observed, confidence, back),
    symptoms,
    stated,
  }
}

/** The verdict where nothing that was found can be the cause. */
function nothingFound(
  { onset }: Observed,
  ruledOut: readonly RuledOut[],
  symptoms: readonly string[],
): Verdict {
  return {
    cause: {
      kind: 'unknown',
      level: 'service',
      entity: null,
      change: null,
      trigger: null,
      contributing: [],
      since: onset === null ? null : new Date(onset.at).toISOString(),
    },
    confidence: 0,
    basis: 'Nothing that was measured left its normal level, so no cause is named.',
    well: null,
    decisive_lines: [],
    hypotheses: [],
    ruled_out: ruledOut,
    revert_to: null,
    remediation: { action: 'none', target: null, why: 'No cause was found.' },
    symptoms,
    stated: null,
  }
}

/** The likeliest other that would have to be wrong for the best to be right. */
const rivalOf = (best: Candidate, others: readonly Candidate[], observed: Observed): Candidate | undefined =>
  // Where something fails does not compete with what happened there.
  others.find(
    (other) => (other.of === 'service') === (best.of === 'service') && !isExplainedBy(best, other, observed),
  )

/**
 * What the confidence in the best hypothesis is computed from.
 *
 * @param coverage - share of the kinds of telemetry that were there, 0 to 1
 */
function statedOf(
  best: Candidate,
  next: Candidate | undefined,
  twin: Candidate | undefined,
  coverage: number,
  snapshot: Snapshot,
  observed: Observed,
  changes: ChangeRanking,
  operational: readonly OperationalCause[],
  back: TakenBack | null,
): ConfidenceInput {
  const lead = leadOf(best, next, observed)
  const kinds = agreementOf(best, observed)
  return {
    margin: lead * Math.min(1, kinds),
    kinds,
    coverage,
    caps: [
      ...capsOf(best, observed, {
        hasRecords: snapshot.changes.length > 0,
        hasSeries: snapshot.series.some((series) => !countsLines(series)),
        hasAlerts: snapshot.alerts.length > 0,
      }),
      ...(best.of === 'operational' && isContested(best.found, changes) ? [CONFIDENCE_CAP_UNEXPLAINED] : []),
      // It shows nothing of how, and what was seen there may have come by itself.
      ...(best.of === 'change' && !hasMechanism(best.entry) && isPutDownTo(best.entry, operational, changes)
        ? [CONFIDENCE_CAP_SHOWN]
        : []),
      ...(back?.harm.is === 'lasted' ? [CONFIDENCE_CAP_OUTLIVED] : []),
      ...(lead < CLOSE ? [CONFIDENCE_CAP_UNMAPPED] : []),
      ...(twin === undefined ? [] : [CONFIDENCE_CAP_WORDS]),
    ],
  }
}

/** How sure each candidate is: by the share of the best one's score that it has, of what that leaves, and no surer than those before. */
function confidencesOf(candidates: readonly Candidate[], confidence: number): readonly number[] {
  const most = candidates[0]?.score ?? 0
  let atMost = confidence
  return candidates.map(({ score }, index) => {
    const share = most === 0 ? 0 : score / most
    // A place is told by how far it left normal, which is no scale of what happened: behind that it is no likelier.
    if (index > 0) atMost = Math.min(atMost, Math.round((1 - confidence) * share * 100) / 100)
    return atMost
  })
}

/** What is left of a cause that is not named: where it failed first, and since when. */
const unnamed = (cause: Cause, { first }: Observed): Cause => ({
  ...cause,
  kind: 'unknown',
  level: 'service',
  entity: first?.entity ?? null,
  change: null,
  trigger: null,
})
