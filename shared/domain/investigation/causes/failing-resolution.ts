/**
 * Names that cannot be resolved: several services or several names, or the telemetry of the resolver itself.
 */

import {
  entitiesOf,
  explaining,
  hasShiftedInTime,
  isInTime,
  matching,
  outlasts,
  placeSpokenOf,
  type Scene,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'
import { statusSigns } from './provider-status.ts'
import { wordsFor } from './spoken-signs.ts'

/** What is said where a name cannot be resolved. */
export const RESOLUTION = wordsFor('resolution')

/** Needs several services or several names that cannot be resolved, or the resolver's own telemetry. */
export function failingResolution(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, RESOLUTION).filter(({ at }) => isInTime(scene, at))
  if (spoken.length === 0) return null
  const services = entitiesOf(spoken)
  const hosts = new Set(
    spoken
      .flatMap((line) => [line.text, ...(line.variants ?? [])])
      .flatMap((text) =>
        [...text.matchAll(/\b(?:[a-z\d-]+\.)+[a-z]{2,}\b/gi)].map((match) => match[0].toLowerCase()),
      ),
  )
  const signs: Sign[] = []
  const several = services.size >= 2 || hosts.size >= 2
  spoken.slice(0, 4).forEach((line) => {
    signs.push(sign(line, several ? 0.4 : 0.15))
  })
  // A resolver that is well again while names are not found still is not why they are not.
  const moved = scene.observed.shifts.filter(
    (shift) => hasShiftedInTime(scene, shift) && outlasts(scene.observed, shift),
  )
  for (const shift of moved)
    if (/dns|servfail|nxdomain|resolver/i.test(shift.series.name) && shift.is_bad)
      signs.push(...shown(shift, 0.5))
  for (const status of statusSigns(scene, (text) => /dns|resol/i.test(text))) signs.push(status)
  const resolver = moved.find((shift) => /dns|servfail|resolver/i.test(shift.series.name))?.series.entity
  return {
    kind: 'dns',
    entity:
      resolver ??
      spoken.find((line) => /servfail|forward/i.test(line.text))?.entity ??
      (several ? null : placeSpokenOf(scene, spoken)),
    score: round6(Math.min(0.97, chanceOf(strongest(signs))) * explaining(scene, RESOLUTION)),
    what: 'failing name resolution',
    signs: strongest(signs),
    action: 'escalate',
    yields_to_changes: !several,
  }
}
