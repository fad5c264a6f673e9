/**
 * A broken network: the same kind of broken connection at several services at once.
 */
import { RESOLUTION } from './failing-resolution.ts'
import { chanceOf, type OperationalCause, type Sign, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { statusSigns } from './provider-status.ts'
import { wordsFor } from './spoken-signs.ts'
import { round6 } from './statistics.ts'
import { entitiesOf, explaining, hasShiftedInTime, isInTime, matching, type Scene } from './told-lines.ts'

const NETWORK = wordsFor('network')

/** Needs the same kind of broken connection at several services at once. */
export function brokenNetwork(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, NETWORK).filter(
    (line) => !RESOLUTION.test(line.text) && isInTime(scene, line.at),
  )
  const services = entitiesOf(spoken)
  const shifts = scene.observed.shifts.filter(
    (shift) => shift.is_bad && shift.meaning.resource === 'network' && hasShiftedInTime(scene, shift),
  )
  if (services.size < 2 && shifts.length === 0) return null
  const signs: Sign[] = [
    ...distinctCallers(spoken).map((line) => sign(line, 0.25)),
    ...shifts.slice(0, 2).map((shift): Sign => ({ strength: 0.3, fact: { of: 'shift', shift } })),
    ...statusSigns(scene, (text) => /network|connectivity|zone|packet/i.test(text)),
  ]
  return {
    kind: 'network',
    entity: null,
    score: round6(Math.min(0.9, chanceOf(strongest(signs))) * explaining(scene, NETWORK)),
    what: 'a broken network between services',
    signs: strongest(signs),
    action: 'failover',
    yields_to_changes: services.size < 3,
  }
}
