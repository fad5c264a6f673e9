/**
 * What bounds the confidence in a hypothesis: what is not known of it, or of the time and the telemetry that it is told by.
 */

import { isMeasuredAndTold } from '../causes/operational-cause.ts'
import { AT_ONCE_MS } from '../changes/closeness.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import {
  CONFIDENCE_CAP,
  CONFIDENCE_CAP_ASIDE,
  CONFIDENCE_CAP_CONSEQUENCE,
  CONFIDENCE_CAP_SAID,
  CONFIDENCE_CAP_SHOWN,
  CONFIDENCE_CAP_TIMED,
  CONFIDENCE_CAP_UNEXPLAINED,
  CONFIDENCE_CAP_UNLINKED,
  CONFIDENCE_CAP_UNMAPPED,
  CONFIDENCE_CAP_UNMEASURED,
  CONFIDENCE_CAP_USUAL,
  CONFIDENCE_CAP_WORDS,
} from '../confidence.ts'
import { medianInterval } from '../deviations/change-point.ts'
import { countsRestarts, type SeriesShift } from '../deviations/series-shift.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { isOfOthers } from './asked-and-well.ts'
import type { Candidate } from './candidate.ts'
import { arrivedThere, hasMechanism, isAsideChange, isSingledOut, showsHow } from './change-evidence.ts'
import { explainsByReading, explainsMost } from './explained-share.ts'
import { isHalf, isOnlyCounted, isOnlySaid, isOnlyTold, isSmallAside } from './half-answers.ts'
import { agreementOf, placeOf } from './lead-of-candidates.ts'

/** That a service's errors or waiting left normal says that it suffers, not that it is the place; the fit has no such case. */
const isPlaced = ({ blame }: FailingService): boolean =>
  blame !== null &&
  (blame.flow !== null ||
    blame.gap !== null ||
    blame.broken !== null ||
    blame.shift?.meaning.meaning === 'saturation')

/** What was subtracted adds up, and nothing on its way was left unmeasured. */
const isWholeFlow = ({ blame }: FailingService): boolean =>
  blame === null ||
  blame.flow === null ||
  (blame.flow.adds_up && blame.flow.total_of === 'alerted' && blame.flow.unmeasured.length === 0)

/** A flow has a level of its own, from a baseline or the calm samples before the alert, or none, whatever others have. */
export const hasBaseline = ({ normal, suspects }: Observed): boolean =>
  suspects[0]?.blame?.flow?.has_level ?? normal.origin !== 'none'

/** What cannot be read cannot show how it does harm: a record without text that time and place single out by its words. */
const isUnreadRecord = (entry: RankedChange): boolean =>
  entry.diff.size === 0 && entry.is_linked && isSingledOut(entry)

/** What was told of the incident at all. */
interface Told {
  /** Records of changes were read. */
  readonly hasRecords: boolean
  /** Something was measured. */
  readonly hasSeries: boolean
  /** Something called for somebody. */
  readonly hasAlerts: boolean
}

/** The bounds of the confidence in a hypothesis. */
export function capsOf(candidate: Candidate, observed: Observed, told: Told): readonly number[] {
  const caps = capsOfCalled(candidate, observed, told)
  return observed.symptom_service === null && !told.hasAlerts ? [...caps, capUncalled(candidate, caps)] : caps
}

/**
 * The bound where neither an alert nor a question says what is meant: what moved most is told then, which need not hurt anybody. On
 * faults that nobody had seen a change that was stated at .8 or more was right in 19 of 25 such answers, another cause in 7 of 18, and
 * what was only possible in 29 of 370 (docs/decisions/0118-what-nobody-called-for.md).
 * @param caps - its other bounds
 */
function capUncalled(candidate: Candidate, caps: readonly number[]): number {
  if (Math.min(CONFIDENCE_CAP, ...caps) <= CONFIDENCE_CAP_UNLINKED) return CONFIDENCE_CAP_ASIDE
  return candidate.of === 'change' ? CONFIDENCE_CAP_SHOWN : CONFIDENCE_CAP_UNEXPLAINED
}

/** The bounds where somebody was called, or asked about a service. */
function capsOfCalled(
  candidate: Candidate,
  observed: Observed,
  { hasRecords, hasSeries }: Told,
): readonly number[] {
  // Where nothing was measured, what fails and since when is told by lines, calls and alerts alone.
  const caps: number[] = hasSeries ? [] : [CONFIDENCE_CAP_UNMEASURED]
  const explains = explainsMost(candidate, observed)
  if (explains === false) caps.push(...capsWhereMostIsElsewhere(candidate, observed))
  // Who cannot read an answer may have changed itself, or have been given by another what it cannot read.
  else if (candidate.of === 'change' && explainsByReading(candidate, observed))
    caps.push(capOfOneSide(candidate.entry, observed))
  if (isHalfOfAnswer(candidate)) caps.push(capOfHalf(candidate, hasRecords))
  // A name that is not found was taken away as often as what resolves it fails.
  if (candidate.of === 'operational' && candidate.found.kind === 'dns') caps.push(CONFIDENCE_CAP_CONSEQUENCE)
  if (observed.unknown_service !== null || isOfOthers(candidate, observed))
    caps.push(CONFIDENCE_CAP_UNEXPLAINED)
  if (!hasBaseline(observed)) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'change') caps.push(...capsOfChange(candidate, observed, explains === true))
  if (candidate.of === 'operational' && isOnlyTold(candidate.found)) caps.push(CONFIDENCE_CAP_CONSEQUENCE)
  else if (candidate.of === 'operational' && isOnlySaid(candidate.found)) caps.push(CONFIDENCE_CAP_SAID)
  if (candidate.of === 'operational' && candidate.found.at_most !== undefined)
    caps.push(candidate.found.at_most)
  // One kind of evidence alone is possible, not likely.
  if (candidate.of !== 'service' && candidate.kinds < 2 && !isSingled(candidate, observed))
    caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'service' && !isPlaced(candidate.service)) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (candidate.of === 'service' && !isWholeFlow(candidate.service)) caps.push(CONFIDENCE_CAP_UNMAPPED)
  if (observed.suspects[0]?.blame?.flow?.is_usual === true) caps.push(CONFIDENCE_CAP_USUAL)
  return caps
}

/** Says where or how it fails, and not what led there. */
const isHalfOfAnswer = (candidate: Candidate): boolean =>
  candidate.of === 'service' ||
  (candidate.of === 'operational' && (isHalf(candidate.found) || isOnlyCounted(candidate.found)))

/**
 * The bound of half of an answer. Where records tell what happened and none of them explains it, it is possible. Where nobody could
 * read any, a change that is not on record may have led there: a place is likely, and so is how it fails where it was measured and
 * spoken of (docs/decisions/0113-what-is-sure-without-records.md).
 */
function capOfHalf(candidate: Candidate, hasRecords: boolean): number {
  if (hasRecords) return CONFIDENCE_CAP_UNEXPLAINED
  const isLikely = candidate.of !== 'operational' || isMeasuredAndTold(candidate.found)
  return isLikely ? CONFIDENCE_CAP_SHOWN : CONFIDENCE_CAP_CONSEQUENCE
}

/**
 * What agrees on a change that shows nothing of how, each kind as far as it stands from noise, below which time and place leave it only
 * faintly: on unseen faults 7 of 13 such answers were right, and 41 of 44 of those above (docs/decisions/0111-what-moved-and-nothing-else.md).
 */
const LEAST_AGREEING = 0.7

/** The bounds of a change by what is seen of it, and of how it does the harm. */
function capsOfChange(
  candidate: Extract<Candidate, { readonly of: 'change' }>,
  observed: Observed,
  explains: boolean,
): readonly number[] {
  const { entry } = candidate
  const caps = entry.effective_at.known ? [] : [CONFIDENCE_CAP_UNMAPPED]
  if (!showsHow(entry)) {
    if (entry.spent !== null) caps.push(capOfMoved(entry, entry.spent, observed))
    if (agreementOf(candidate, observed) < LEAST_AGREEING) caps.push(CONFIDENCE_CAP_UNLINKED)
  }
  return [...caps, ...capsOfLinks(entry, observed, explains)]
}

/**
 * The bound of what only moved something. Where time and place leave hardly any other it is that of these; otherwise on unseen faults
 * it was right less than half of the times (docs/decisions/0111-what-moved-and-nothing-else.md). Containers that begin anew are likely
 * at most, whenever: old and new might do so as well.
 */
function capOfMoved(entry: RankedChange, moved: SeriesShift, observed: Observed): number {
  if (countsRestarts(moved.series.name)) return CONFIDENCE_CAP_SHOWN
  return isLeftByTime(entry, observed) ? capOfTime(observed) : CONFIDENCE_CAP_UNLINKED
}

/** The bounds where most of what fails is elsewhere, so that something else may have happened that nobody here looks for. */
function capsWhereMostIsElsewhere(candidate: Candidate, observed: Observed): readonly number[] {
  if (candidate.of === 'service') return [CONFIDENCE_CAP_ASIDE]
  if (candidate.of === 'operational') {
    const { found } = candidate
    if (isSmallAside(found)) return [CONFIDENCE_CAP_ASIDE]
    // Whoever bounds it already reckons with what led there, and it was seen by itself.
    return (found.at_most ?? 0) > CONFIDENCE_CAP_UNEXPLAINED ? [] : [CONFIDENCE_CAP_UNEXPLAINED]
  }
  const { entry } = candidate
  if (isAsideChange(entry)) return [CONFIDENCE_CAP_ASIDE]
  // That more fails elsewhere says that it reached further, or that something else happened too.
  return [capOfOneSide(entry, observed)]
}

/** The bound of a change that is one side of what fails, where the other side may be why. */
const capOfOneSide = (entry: RankedChange, observed: Observed): number =>
  hasMechanism(entry) && isLeftByTime(entry, observed) ? CONFIDENCE_CAP_SHOWN : CONFIDENCE_CAP_UNEXPLAINED

/** A place that was measured counts as a further kind of evidence, and time and place that leave hardly any other have a bound of their own. */
const isSingled = (candidate: Candidate, observed: Observed): boolean =>
  placeOf(candidate, observed) !== undefined ||
  (candidate.of === 'change' && isLeftByTime(candidate.entry, observed))

/**
 * Whether time and place leave hardly any other: it arrived at the very place that fails first, within the few minutes in which
 * what fails at once does so, and that is hardly chance. Then it is likely, though nothing shows how it does harm.
 */
const isLeftByTime = (entry: RankedChange, { onset }: Observed): boolean =>
  arrivedThere(entry) &&
  (entry.hardly_chance || entry.coincides) &&
  onset !== null &&
  onset.at - entry.effective_at.from <= AT_ONCE_MS

/**
 * The bound of what time and place leave. Samples further apart than the time in which such a fault shows do not tell who came first of
 * what happened within it (docs/decisions/0120-what-far-samples-and-no-calls-can-tell.md).
 */
function capOfTime({ first }: Observed): number {
  const felt = first?.shifts[0]?.series
  return felt !== undefined && medianInterval(felt.times) > AT_ONCE_MS
    ? CONFIDENCE_CAP_SHOWN
    : CONFIDENCE_CAP_TIMED
}

/** The bounds of a change by what links it to the harm: what it can do, what names it, when and where it arrived. */
function capsOfLinks(entry: RankedChange, observed: Observed, explains: boolean): readonly number[] {
  const isLeft = isLeftByTime(entry, observed)
  // A mechanism that fits needs no name for what most of what fails is explained by.
  if (hasMechanism(entry))
    return entry.is_linked || explains ? [] : [isLeft ? capOfTime(observed) : CONFIDENCE_CAP_UNLINKED]
  if (isLeft) return [capOfTime(observed)]
  const caps = entry.is_linked ? [] : [CONFIDENCE_CAP_UNLINKED]
  if (entry.coincides) return [...caps, CONFIDENCE_CAP_UNLINKED]
  if (explains && isUnreadRecord(entry)) return [...caps, CONFIDENCE_CAP_UNMAPPED]
  return [...caps, entry.hardly_chance ? CONFIDENCE_CAP_UNLINKED : CONFIDENCE_CAP_WORDS]
}

/** Which kinds of telemetry were there, as a share of all and in words. */
export function coverageOf(snapshot: Snapshot): { share: number; words: string } {
  const kinds: readonly (readonly [string, boolean])[] = [
    ['metrics', snapshot.series.length > 0],
    ['logs', snapshot.logs.length + snapshot.patterns.length > 0],
    ['traces', snapshot.spans.length + snapshot.edges.length > 0],
    ['changes', snapshot.changes.length > 0],
  ]
  const there = kinds.filter(([, has]) => has)
  return { share: there.length / kinds.length, words: there.map(([name]) => name).join(', ') || 'nothing' }
}
