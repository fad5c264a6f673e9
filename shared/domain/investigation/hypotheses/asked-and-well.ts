/**
 * Who was asked about is well, and what is named lies where its calls do not reach: it is the cause of what fails elsewhere, and
 * nothing shows that it is the cause of this alert.
 *
 * Method: conservation of failed calls and of waiting, read the other way round (`answers-as-ever.ts`). A part of which all who
 * call it are answered as ever, and of which nothing left its normal level for the worse, is not hurt as far as anything shows. An
 * alert of it may be late, or wrong, or about something that nobody measures. What fails at the same time behind its back is worth
 * telling, and is no explanation of it. Whoever calls it may be why it is busy; then that is measured.
 */

import { onCalls } from '../place/call-graph.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Candidate } from './candidate.ts'
import { placesOf } from './explained-share.ts'

/** The service that was asked about, where all who call it are answered as ever and nothing of it is worse; null otherwise. */
export function askedAndWell({
  symptom_service: asked,
  counted_as_ever: isAsEver,
  shifts,
}: Observed): string | null {
  if (asked === null || !isAsEver(asked)) return null
  return shifts.some(({ series, is_bad }) => is_bad && series.entity === asked) ? null : asked
}

/** Whether who was asked about is well, while a hypothesis speaks only of parts that it does not call, not through others either. */
export function isOfOthers(candidate: Candidate, observed: Observed): boolean {
  const asked = askedAndWell(observed)
  if (asked === null) return false
  const [places, reached] = [placesOf(candidate, observed), observed.graph.reachableFrom(asked)]
  // Of what makes no calls it is not known whom it touches.
  const called = new Set(onCalls(observed.graph))
  return (
    places.size > 0 &&
    [...places].every((place) => place !== asked && called.has(place) && !reached.has(place))
  )
}
