/**
 * A store that gets many more connections than ever, since what asks it was multiplied: what happened where place/more-askers.ts
 * sees it. What set the number may be a change, so this yields to one that fits.
 */
import { moreAskers } from '../place/more-askers.ts'
import type { Scene } from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown } from './operational-cause.ts'

/** What each sign is worth: either alone happens every day, both in this order make what fails there. */
const STARTED = 0.5
const OPENED = 0.5
const MOST = 0.8

/** Too many connections to the first failing place, by what was started elsewhere; null where it is not seen. */
export function openedByMore({ snapshot, observed }: Scene): OperationalCause | null {
  const more = moreAskers(snapshot, observed)
  if (more === null) return null
  const signs: readonly Sign[] = [...shown(more.connections, OPENED), ...shown(more.running, STARTED)]
  return {
    ...{ kind: 'capacity', entity: more.connections.series.entity, signs, action: 'scale' },
    what: 'many more connections than ever, by what was started',
    score: round6(Math.min(MOST, chanceOf(signs))),
    yields_to_changes: true,
    is_placed: true,
  }
}
