/**
 * Which of what happened is elsewhere than what fails, and where the place alone is the better answer for it: what explains
 * little of what fails says less than where it fails.
 */

import type { RankedChange } from '../changes/ranked-change.ts'
import { failedAt } from '../place/call-graph.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Candidate, Happening } from './candidate.ts'
import { hasMechanism, isSingledOut } from './change-evidence.ts'
import type { ExplainsMost } from './explained-share.ts'
import { isSmallAside } from './half-answers.ts'

/** Share of certainty of what points to a place from which it is clear: more likely than not. */
const CLEARLY_PLACED = 0.5

/**
 * The place that the measurements clearly point to, where they do. What is outside measures nothing of itself, so that whoever asks
 * it is suspected in its stead; that most of what it is asked was counted to fail points to it more clearly.
 */
function clearPlace({ suspects: [suspect], first, shifts }: Observed): FailingService | undefined {
  if (first !== null && failsMostUnmeasured(first, shifts)) return first
  return suspect?.blame != null && suspect.blame.strength >= CLEARLY_PLACED ? suspect : undefined
}

/** Whether most of the calls to one that measures nothing of itself were counted to fail inside it. */
const failsMostUnmeasured = ({ entity, flow }: FailingService, shifts: Observed['shifts']): boolean =>
  flow !== null &&
  failedAt(flow) >= CLEARLY_PLACED * flow.calls &&
  !shifts.some(({ series }) => series.entity === entity)

/** Whether a change arrived elsewhere than at a place, and neither it nor its moment shows how it does the harm. */
const showsNothingAt = (entry: RankedChange, place: FailingService): boolean =>
  entry.reaches !== place.entity && !hasMechanism(entry) && !entry.coincides

/**
 * Tells whether words or a moment alone speak for a change that arrived elsewhere than where the measurements clearly point to,
 * while that place explains most of what fails and the change does not: nothing in it shows how it does the harm. On unseen
 * faults 2 of 48 such were the cause (docs/decisions/0083-what-is-elsewhere-and-shows-nothing.md).
 *
 * @param held - changes that a cause which was seen is put down to: they have that to show
 */
export function elsewhereOf(
  observed: Observed,
  held: ReadonlySet<RankedChange | undefined>,
  explainsMost: ExplainsMost,
): (candidate: Candidate) => boolean {
  const place = clearPlace(observed)
  if (place === undefined || explainsMost({ of: 'service', service: place, score: place.score }) !== true)
    return () => false
  return (candidate) =>
    candidate.of === 'change' &&
    !held.has(candidate.entry) &&
    showsNothingAt(candidate.entry, place) &&
    explainsMost(candidate) !== true
}

/**
 * Whether nothing but time speaks for a change that arrived elsewhere than where the measurements clearly point to: nothing in
 * it can do the harm or names it, and something or other is always changed within the hour. What was counted to fail, or measured
 * to be hurt, is asked first.
 */
function isBareRecord(candidate: Candidate, observed: Observed, explainsMost: ExplainsMost): boolean {
  const place = clearPlace(observed)
  return (
    place !== undefined &&
    candidate.of === 'change' &&
    candidate.entry.reaches !== null &&
    showsNothingAt(candidate.entry, place) &&
    !candidate.entry.is_linked &&
    !candidate.entry.hardly_chance &&
    explainsMost(candidate) === null
  )
}

/** A change that nothing ties to what fails, at a place that is known to be called, or to call: of what is not no call could fail. */
const isUntied = (entry: RankedChange, { flows, graph }: Observed): boolean =>
  // That what fails speaks of the very thing that was changed places it, wherever calls fail.
  entry.quoted === null &&
  // So does that what was changed there moved since.
  entry.spent === null &&
  !entry.hardly_chance &&
  !isSingledOut(entry) &&
  entry.reaches !== null &&
  (flows.has(entry.reaches) || graph.callees.has(entry.reaches))

/** Whether what happened is no part of most of what fails: a cause that says little there, or a change that nothing ties to it. */
const isBeside = (happening: Happening, observed: Observed, explainsMost: ExplainsMost): boolean =>
  (happening.of === 'change' ? isUntied(happening.entry, observed) : isSmallAside(happening.found)) &&
  explainsMost(happening) === false

/**
 * Whether where it fails is a better answer than all that happened: since this place explains most of what fails and all that
 * happened leaves most of it open, or since all that is said for what happened is that it was there, and something else speaks for
 * another place.
 *
 * @param happenings - what happened, likeliest first, and what is elsewhere behind what explains most of what fails
 * @param isElsewhere - as `elsewhereOf` tells it
 */
export function isPlaceBetter(
  place: FailingService,
  happenings: readonly Happening[],
  observed: Observed,
  isElsewhere: (candidate: Candidate) => boolean,
  explainsMost: ExplainsMost,
): boolean {
  const [likeliest] = happenings
  const leaveOpen =
    happenings.every((happening) => isBeside(happening, observed, explainsMost) || isElsewhere(happening)) ||
    // It would stand behind anything that explains most of what fails.
    (likeliest !== undefined && isElsewhere(likeliest))
  return (
    (leaveOpen && explainsMost({ of: 'service', service: place, score: place.score }) === true) ||
    happenings.every((happening) => isBareRecord(happening, observed, explainsMost))
  )
}
