/**
 * By how much the best hypothesis leads the next one, and how far its evidence stands from noise.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { stepsOf } from '../changes/closeness.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import { MOST_BLAME } from '../place/blame-services.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { isAnotherStory } from './another-story.ts'
import type { Candidate } from './candidate.ts'
import { explainsMost } from './explained-share.ts'
import { isConsequence } from './half-answers.ts'

/** How a score compares with others of its sort: a place by what blames it, anything else by its own. */
const comparable = (candidate: Candidate): number =>
  candidate.of === 'service' ? weightOfPlace(candidate.service) : candidate.score

/** A flow accounts for the symptom as a whole; the other scorers of place add up, each to at most 1. */
function weightOfPlace({ blame, score }: FailingService): number {
  if (blame === null) return score
  return blame.flow === null ? blame.score / MOST_BLAME : blame.strength
}

/** Whether one rollout brought both. */
export const isOfOneRollout = (one: RankedChange, other: RankedChange): boolean =>
  one !== other && one.carried_by !== null && one.carried_by.id === other.carried_by?.id

/**
 * Where calls were counted, those whose failing the place explains are no rivals of it, however far they left normal. Nor
 * are two steps of one flag, nor two changes that one rollout brought: whichever it is, that rollout is taken back. Nor is what
 * was off at another time than what users feel. Nor is, of two things that happened, the one that leaves most of what fails
 * open, such as the machine below a store that all who fail ask.
 */
export const isExplainedBy = (best: Candidate, other: Candidate, observed: Observed): boolean =>
  best.of === 'change' && other.of === 'change'
    ? stepsOf(best.entry.change) === stepsOf(other.entry.change) || isOfOneRollout(best.entry, other.entry)
    : best.of === 'operational' && other.of === 'operational'
      ? explainsMost(best, observed) === true && explainsMost(other, observed) === false
      : best.of === 'service' &&
        other.of === 'service' &&
        ((best.service.flow !== null && !observed.unexplained.includes(other.service)) ||
          isAnotherStory(other.service, observed))

/** Of what fails at a place, the share below which a service that was counted to fail no more is no rival of it. */
const LITTLE = 0.01

/** Whether next to nothing fails inside of one beside what fails inside of the other, both as their callers counted. */
const failsLittle = (one: FailingService['flow'], other: NonNullable<FailingService['flow']>): boolean =>
  one !== null && other.own_failed >= 1 && one.own_failed < LITTLE * other.own_failed

/** 1 − the runner-up's score as a share of the best one's. */
export function leadOf(best: Candidate, next: Candidate | undefined, observed: Observed): number {
  const first = comparable(best)
  const own = first <= 0 ? 0 : next === undefined ? 1 : Math.max(0, 1 - comparable(next) / first)
  const place = placeOf(best, observed)
  if (place === undefined) return own
  // What happened at a place is no surer than the place.
  const isExplained = (service: FailingService): boolean =>
    place.flow !== null && (!observed.unexplained.includes(service) || failsLittle(service.flow, place.flow))
  const rival = observed.suspects.find(
    (service) => service !== place && !isExplained(service) && !isAnotherStory(service, observed),
  )
  return rival === undefined
    ? own
    : Math.min(own, Math.max(0, 1 - weightOfPlace(rival) / weightOfPlace(place)))
}

/** A resource that was measured elsewhere, such as a volume at its node, and that its user says is used up. */
const isMeasuredElsewhere = ({ entity, signs }: OperationalCause): boolean =>
  signs.some(({ fact }) => fact.of === 'shift' && fact.shift.series.entity !== entity)

/** The place that a used-up resource was measured at; other causes are told by what happened, not by where. */
export const placeOf = (candidate: Candidate, { suspects }: Observed): FailingService | undefined =>
  candidate.of === 'operational' &&
  candidate.found.is_placed !== true &&
  isConsequence(candidate.found) &&
  !isMeasuredElsewhere(candidate.found)
    ? suspects.find((service) => service.entity === candidate.found.entity)
    : undefined

/** The kinds of evidence that agree, each by how far it stands from noise. */
export function agreementOf(candidate: Candidate, observed: Observed): number {
  if (candidate.of === 'service') return weightOfPlace(candidate.service)
  const place = placeOf(candidate, observed)
  return Math.max(candidate.kinds * candidate.score, place === undefined ? 0 : weightOfPlace(place))
}
