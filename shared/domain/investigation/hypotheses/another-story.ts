/**
 * What left normal at another time than what users feel is another story, and no rival of what explains them.
 *
 * Method: a cause has to be there as long as its effect (Hill, The Environment and Disease: Association or Causation?, Proceedings
 * of the Royal Society of Medicine 58, 1965: of his nine viewpoints temporality is the one that nothing replaces). In a system of
 * many parts some graph is off at every moment; on-call engineers put those aside that are well again while users are not, and
 * those that left normal well after the first were hurt. How far such a graph went off says nothing of this incident, so it does
 * not make it any less sure what does.
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'

/** Whether a place is told by series alone of which each is well again while what failed first is not, or left normal later. */
export function isAnotherStory({ entity, blame, flow }: FailingService, observed: Observed): boolean {
  const { first, onset, shifts, symptom_service: asked } = observed
  if (blame === null || onset === null || first === null) return false
  if (entity === first.entity || entity === asked) return false
  // Calls that were counted, time lost on the way and lines that stayed away say since when by themselves.
  if (blame.flow !== null || blame.gap !== null || blame.broken !== null || flow !== null) return false
  const isOf = (shift: SeriesShift): boolean =>
    shift.series.entity === entity &&
    shift.is_bad &&
    outlasts(observed, shift) &&
    shift.onset.earliest <= onset.latest + NEAR_MS
  return !shifts.some(isOf)
}
