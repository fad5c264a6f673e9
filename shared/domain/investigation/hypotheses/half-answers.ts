/**
 * Which causes say how a place fails and not what led there, and the kinds of evidence that agree on a cause.
 *
 * Such a cause is half of an answer: a change may have brought it about.
 */

import type { OperationalCause, Sign } from '../causes/operational-cause.ts'
import { CONFIDENCE_CAP_UNEXPLAINED } from '../confidence.ts'
import { failedAt } from '../place/call-graph.ts'
import { isRecorded } from '../place/told-lines.ts'

/** Kinds of evidence that agree on a cause: each origin of a text and each place of a series is one, up to four. */
export function operationalKinds(found: OperationalCause): number {
  const kinds = new Set<string>()
  for (const { fact } of found.signs)
    kinds.add(
      fact.of === 'text'
        ? `${fact.origin} ${fact.entity ?? ''}`
        : fact.of === 'shift'
          ? `shift ${fact.shift.series.entity}`
          : fact.of,
    )
  return Math.min(4, kinds.size)
}

/** A resource that was measured at its end: nothing says what brought it there. */
export const isConsequence = ({ kind, signs, is_whole }: OperationalCause): boolean =>
  kind === 'capacity' &&
  is_whole !== true &&
  !signs.some(
    ({ fact }) =>
      (fact.of === 'text' && fact.origin === 'event') || (fact.of === 'statement' && fact.statement.is_stuck),
  )

/** One measurement of how a place fails, and no word of what happened there. */
export const isOnlySeen = ({ kind, signs }: OperationalCause): boolean =>
  kind === 'infra' && signs.length === 1 && signs[0]?.fact.of === 'shift'

/**
 * Says what it looks like and not what led there: a change of what reads the data looks the same, and whoever is refused
 * what was granted a moment ago met a change of one of the two sides.
 */
export const isHalf = (found: OperationalCause): boolean =>
  isConsequence(found) ||
  isOnlySeen(found) ||
  (found.is_whole !== true && (found.kind === 'data' || found.kind === 'config'))

/** Says little where most of what fails is elsewhere: half of an answer, or what is recorded somewhere all the time. */
export const isSmallAside = (found: OperationalCause): boolean => isHalf(found) || found.is_everyday === true

/** Says how a place fails, so that it can be stated as half of an answer at most: something brought it about. */
export const isDescription = (found: OperationalCause): boolean =>
  isHalf(found) || (found.at_most !== undefined && found.at_most <= CONFIDENCE_CAP_UNEXPLAINED)

/** Nothing was said of what happened there: it was only measured to come and go. */
export const isOnlyMeasured = ({ kind, signs, yields_to_changes: yields }: OperationalCause): boolean =>
  yields && kind === 'infra' && signs.every(({ fact }) => fact.of === 'shift')

/** Unreadable data, and a used-up resource that was spoken of and not measured: that calls fail does not measure it. */
export const isOnlyTold = ({ kind, signs, is_whole }: OperationalCause): boolean =>
  is_whole !== true && (kind === 'data' || (kind === 'capacity' && !signs.some(isOfResource)))

/** Told by one count of failed calls alone: that is where it fails, as of any other place, whatever the cause there is called. */
export const isOnlyCounted = ({ signs }: OperationalCause): boolean =>
  signs.length === 1 && signs[0]?.fact.of === 'calls' && failedAt(signs[0].fact.flow) >= 1

const isOfResource = ({ fact }: Sign): boolean =>
  fact.of === 'statement' || (fact.of === 'shift' && fact.shift.meaning.meaning === 'saturation')

/**
 * Told by what programs say and by calls that fail, while nothing of the cause itself was measured, and nobody recorded it: that
 * a call failed for a reason does not say that the reason is where the call was made.
 */
export const isOnlySaid = ({ signs }: OperationalCause): boolean =>
  signs.every(
    ({ fact }) =>
      fact.of === 'calls' ||
      (fact.of === 'text' && !isRecorded(fact)) ||
      (fact.of === 'shift' && fact.shift.meaning.meaning === 'errors'),
  )
