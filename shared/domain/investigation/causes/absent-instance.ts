/**
 * An instance that was away for a while: several of its activities stop at once and come back.
 */

import { NEAR_MS, type Scene } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, shown } from './operational-cause.ts'

/** Share of normal below which an activity counts as gone, and series that must go together. */
const GONE = 0.05
const LEAST_GONE = 2

/** An instance that was away for a while: several of its activities stop at once and come back (restart, failover). */
export function absentInstance(scene: Scene): OperationalCause | null {
  const gone = scene.observed.shifts.filter(
    (shift) =>
      shift.direction === 'down' &&
      shift.ended_at !== null &&
      shift.before > 0 &&
      shift.extreme <= GONE * shift.before &&
      (scene.observed.symptom_service === null || shift.series.entity === scene.observed.symptom_service),
  )
  const [lead] = gone
  if (lead === undefined) return null
  const together = gone.filter(
    (shift) =>
      shift.series.entity === lead.series.entity && Math.abs(shift.onset.at - lead.onset.at) <= NEAR_MS,
  )
  if (new Set(together.map((shift) => shift.series.name)).size < LEAST_GONE) return null
  const signs = together.slice(0, 3).flatMap((shift) => shown(shift, 0.3))
  return {
    kind: 'infra',
    entity: lead.series.entity,
    score: round6(Math.min(0.7, chanceOf(signs))),
    what: 'an instance that was away for a while, as in a restart or a failover',
    signs,
    action: 'escalate',
    yields_to_changes: true,
  }
}
