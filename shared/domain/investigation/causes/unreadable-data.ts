/**
 * Data that cannot be processed.
 */

import { explaining, matching, type Scene } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, sign } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'

const DATA = wordsFor('data')

/** Input that cannot be processed; weak, because a change of the code that reads it looks the same. */
export function unreadableData(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, DATA).filter((line) => line.origin !== 'alert')
  if (spoken.length === 0) return null
  const signs = spoken.slice(0, 3).map((line) => sign(line, 0.2))
  return {
    kind: 'data',
    entity: spoken[0]?.entity ?? null,
    score: round6(Math.min(0.45, chanceOf(signs)) * explaining(scene, DATA)),
    what: 'data that cannot be processed',
    signs,
    action: 'clean_data',
    yields_to_changes: true,
  }
}
