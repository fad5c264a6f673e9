/**
 * What to do about a cause, and the version to go back to.
 */

import { kindOfChange } from '../changes/kind-of-change.ts'
import { isRollout } from '../changes/place-of-changes.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import type { RemediationAction } from '../findings.ts'
import type { Observed } from '../place/failing-services.ts'
import { effectOf } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { Candidate } from './candidate.ts'
import { changeName, shortId } from './compose-answer.ts'

/** What to do, on what, and why. */
export interface Advice {
  readonly action: RemediationAction
  /** What to act on; null where no one thing is. */
  readonly target: string | null
  readonly why: string
}

/** The version that a change replaced; null where no record tells it. */
export function versionBefore(entry: RankedChange, snapshot: Snapshot): string | null {
  const { carried_by: rollout, change } = entry
  if (rollout === null) return change.before ?? null
  if (rollout.before !== undefined) return rollout.before
  const at = effectOf(rollout)
  let previous: Change | null = null
  for (const other of snapshot.changes) {
    if (!isRollout(other) || other.entity !== rollout.entity || other.after === undefined) continue
    const otherAt = effectOf(other)
    if (otherAt >= at || other.after === rollout.after) continue
    if (previous === null || otherAt > effectOf(previous)) previous = other
  }
  return previous?.after ?? null
}

/** What to do about the cause that is named. */
export function adviceOf(best: Candidate, observed: Observed): Advice {
  if (best.of === 'change') {
    const { entry } = best
    const kind = kindOfChange(entry)
    const name = changeName(entry.change)
    const target = shortId(entry.change.id)
    if (kind === 'flag')
      return { action: 'disable_flag', target, why: `Turning ${name} back is quick and can be undone.` }
    if (kind === 'config')
      return { action: 'revert_config', target, why: `Taking back ${name} restores the values from before.` }
    if (entry.acts_on_stored_data || entry.mechanism?.mechanism.id === 'migration')
      return {
        action: 'roll_forward',
        target,
        why: `${name} changed stored data, which a rollback does not undo.`,
      }
    return { action: 'rollback', target, why: `Rolling back ${name} takes its effect away.` }
  }
  if (best.of === 'operational')
    return {
      action: best.found.action,
      target: best.found.entity,
      why: `No change is the likely cause; it is ${best.found.what}.`,
    }
  return {
    action: 'escalate',
    target: best.service.entity,
    why: `The owners of ${observed.first?.entity ?? best.service.entity} know what the records do not show.`,
  }
}
