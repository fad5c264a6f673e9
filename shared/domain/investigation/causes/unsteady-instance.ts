/**
 * An instance that fails and is well again by itself, or that restarts again and again.
 */

import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { matching, type Scene } from '../place/told-lines.ts'
import { anyOf, round6 } from '../statistics.ts'
import { comingAndGoing, restarting } from './comings-and-goings.ts'
import { MOST_JOINED, type OperationalCause, shown } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const CRASH = wordsFor('crash')

/** What a place that comes and goes by itself is worth: half, since a job that runs now and then looks the same. */
const UNSTEADY = 0.5

/** The first failing place, where it fails and is well again by itself, or restarts. */
export function unsteadyInstance(scene: Scene): OperationalCause | null {
  const { snapshot, observed } = scene
  const pulses = comingAndGoing(snapshot, observed)?.shift ?? null
  // Who says that it died of an exception of its own met code or input that it cannot bear: no trouble of the platform.
  const isOwnFault = matching(scene, CRASH).some(
    ({ entity, origin }) => origin === 'log' && entity === observed.first?.entity,
  )
  if (isOwnFault) return null
  const restarts = restarting(observed)
  const seen = [pulses, restarts].filter((shift) => shift !== null)
  const [shift] = seen
  if (shift === undefined) return null
  return {
    kind: 'infra',
    entity: shift.series.entity,
    score: round6(Math.min(MOST_JOINED, anyOf(...seen.map(() => UNSTEADY)))),
    what:
      restarts === null
        ? 'an instance that fails and is well again by itself, time after time'
        : 'an instance that restarts again and again',
    signs: seen.flatMap((one) => shown(one, UNSTEADY)),
    action: 'failover',
    yields_to_changes: true,
    // How a place fails, however many series show it, is half of an answer where records were read that do not say why.
    ...(snapshot.changes.length > 0 ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
  }
}
