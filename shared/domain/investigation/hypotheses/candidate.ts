/**
 * What a hypothesis may be of: a change, another cause, or a place alone.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import type { FailingService } from '../place/failing-service.ts'

/** Hypotheses shown at most. */
export const MOST_HYPOTHESES = 5

/** Something that happened, with the kinds of evidence that agree on it. */
export type Happening =
  | { readonly of: 'change'; readonly entry: RankedChange; readonly score: number; readonly kinds: number }
  | {
      readonly of: 'operational'
      readonly found: OperationalCause
      readonly score: number
      readonly kinds: number
    }

/** What a hypothesis is of. */
export type Candidate =
  | Happening
  | { readonly of: 'service'; readonly service: FailingService; readonly score: number }

/** Where it happened; null where that is not known. */
export const entityOf = (happening: Happening): string | null =>
  happening.of === 'operational' ? happening.found.entity : happening.entry.reaches

/** The very thing that a hypothesis is of: it stays the same whatever score it is given. */
export const subjectOf = (candidate: Candidate): RankedChange | OperationalCause | FailingService =>
  candidate.of === 'change'
    ? candidate.entry
    : candidate.of === 'operational'
      ? candidate.found
      : candidate.service
