/**
 * A workload beside the calls that fills its memory and is begun anew again and again since users are hurt: a scheduler, a consumer, a
 * worker. What it does for others is not done in the meantime, and nobody counts calls to it.
 *
 * Method: two measures of the very part that have to agree (Mill's method of concomitant variations, A System of Logic, 1843, book III,
 * chapter 8), of different origin: its platform counts how often it was begun anew, and more than by chance; and its memory left normal as it
 * fills anew each time. Both step when users begin to be hurt and go on. In a large system some workload ends now and then, so of several none
 * is told; and nobody says that it is missed, so it stays possible.
 * @see https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ (containers that exceed their memory limit)
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { NEAR_MS, outlasts, type Scene, stepsWith } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { isRestarting } from './comings-and-goings.ts'
import { chanceOf, type OperationalCause, shown, strongest } from './operational-cause.ts'

/** What each sign is worth: that it is begun anew, and that its memory fills. */
const BEGUN_ANEW = 0.4
const FILLED = 0.3

/** The one workload beside the calls that is begun anew again and again while its memory fills; null where there is none, or several. */
export function killedWorkload(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  if (onset === null || observed.first === null || observed.flows.size === 0) return null
  const [found, ...others] = observed.shifts.flatMap((shift) => {
    const { entity } = shift.series
    if (!isRestarting(shift) || observed.flows.has(entity)) return []
    if (!stepsWith(shift, onset) || !outlasts(observed, shift)) return []
    const memory = observed.shifts.find(
      ({ series, meaning, direction, onset: filled }) =>
        series.entity === entity &&
        meaning.resource === 'memory' &&
        meaning.meaning === 'saturation' &&
        direction === 'up' &&
        Math.abs(filled.at - onset) <= NEAR_MS,
    )
    return memory === undefined
      ? []
      : [{ entity, signs: [...shown(shift, BEGUN_ANEW), ...shown(memory, FILLED)] }]
  })
  if (found === undefined || others.some(({ entity }) => entity !== found.entity)) return null
  return {
    kind: 'capacity',
    entity: found.entity,
    what: 'a workload that fills its memory and is begun anew again and again',
    score: round6(chanceOf(found.signs)),
    signs: strongest(found.signs),
    action: 'scale',
    yields_to_changes: true,
    is_placed: true,
    at_most: CONFIDENCE_CAP_UNLINKED,
  }
}
