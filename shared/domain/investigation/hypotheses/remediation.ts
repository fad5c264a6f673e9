/**
 * What to do about a cause, and the version to go back to.
 */

import type { OperationalCause } from '../causes/operational-cause.ts'
import { kindOfChange } from '../changes/kind-of-change.ts'
import { isRollout } from '../changes/place-of-changes.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import { IDENTIFIED } from '../confidence.ts'
import type { Findings, RemediationAction } from '../findings.ts'
import type { FailingService } from '../place/failing-service.ts'
import type { Observed } from '../place/failing-services.ts'
import { stateOf } from '../place/state-of-incident.ts'
import { effectOf, isOfCredential } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { Candidate } from './candidate.ts'
import {
  authorText,
  capital,
  changeName,
  ownerText,
  reversibleName,
  rolloutName,
  shortId,
  timeText,
  titleText,
} from './compose-answer.ts'
import { leavesStoredData, type TakenBack } from './taken-back.ts'

/** What to do, on what, and why. */
export interface Advice {
  readonly action: RemediationAction
  /** What to act on; null where no one thing is. */
  readonly target: string | null
  readonly why: string
}

/** The version that a change replaced; null where no record tells it, or it is a credential. */
export function versionBefore(entry: RankedChange, snapshot: Snapshot): string | null {
  const { carried_by: rollout, change } = entry
  if (isOfCredential(rollout ?? change)) return null
  // Nobody returns to a version that has no name.
  if (rollout === null) return change.before || null
  if (rollout.before) return rollout.before
  const at = effectOf(rollout)
  let previous: Change | null = null
  for (const other of snapshot.changes) {
    if (!isRollout(other) || other.entity !== rollout.entity || !other.after) continue
    const otherAt = effectOf(other)
    if (otherAt >= at || other.after === rollout.after) continue
    if (previous === null || otherAt > effectOf(previous)) previous = other
  }
  return previous?.after ?? null
}

/** What to do about a cause that is not identified holds only if it is the cause. */
const IF = 'If this is the cause:'

/** How advice begins on what has been taken back: that is so whether or not it was the cause. */
const BACK = 'It was taken back'

/**
 * What to do about the cause that is named, on what, and by whom it was made.
 * @param confidence - how sure the cause is
 * @param back - what took the named change back; null where nothing did
 */
export function adviceOf(
  best: Candidate,
  observed: Observed,
  confidence: number,
  back: TakenBack | null = null,
): Advice {
  const state = stateOf(observed)
  if (best.of === 'service') {
    const owned = observed.first?.entity ?? best.service.entity
    return {
      action: 'escalate',
      target: best.service.entity,
      why: `Ask the owners of ${owned} what changed there: it ${state === 'recovered' ? 'failed' : 'fails'}, and no record shows why.`,
    }
  }
  const advice = best.of === 'change' ? takingBack(best.entry) : withoutChange(best.found)
  if (back !== null && advice.action !== 'roll_forward') return onceTakenBack(back, observed.first, state)
  const { action, target, why } = asOf(state, advice)
  return { action, target, why: adviceAt(confidence, capital(why)) }
}

/** Nothing is to be done at once about what is over, and what recovers may be so soon. */
function asOf(state: Findings['state'], advice: Advice): Advice {
  if (state === 'recovered')
    return {
      ...advice,
      action: 'none',
      why: `nothing has to be done at once, as it is over; should it come back, ${advice.why}`,
    }
  return state === 'recovering'
    ? { ...advice, why: `see first whether it goes on recovering; if it does not, ${advice.why}` }
    : advice
}

/** What is left to do about a change that has been taken back. */
function onceTakenBack(
  { change, of, at, harm }: TakenBack,
  first: FailingService | null,
  state: Findings['state'],
): Advice {
  const lead = `${BACK} at ${timeText(at)} by ${reversibleName(change)}`
  if (harm.is === 'lasted')
    return {
      action: 'escalate',
      target: first?.entity ?? null,
      why: `${lead}, and that has not helped. See whether that arrived everywhere; if so, look for another cause.`,
    }
  const rest =
    state === 'recovered'
      ? ', and it is over. Keep it back until it is mended.'
      : state === 'recovering'
        ? ', and it is recovering. See whether that lasts, and keep it back until it is mended.'
        : '. Nothing that was measured tells yet whether that helps: wait, and look again.'
  return { action: 'none', target: shortId(of.id), why: `${lead}${rest}` }
}

/** Advice in words that are no surer than the cause is. */
export const adviceAt = (confidence: number, why: string): string =>
  confidence >= IDENTIFIED || why.startsWith(IF) || why.startsWith(BACK)
    ? why
    : `${IF} ${why.charAt(0).toLowerCase()}${why.slice(1)}`

/** How a change is taken back, with whoever made it: they are whom to ask. */
function takingBack(entry: RankedChange): Advice {
  const { change, carried_by: rollout } = entry
  const kind = kindOfChange(entry)
  const target = shortId(change.id)
  const name = `${changeName(change)}${titleText(change)}${ownerText(change)}${authorText(change)}`
  if (kind === 'flag')
    return { action: 'disable_flag', target, why: `switch back ${name}; that is quick and can be undone.` }
  const what = rollout === null ? name : `${rolloutName(rollout)}, which brought ${name}`
  if (kind === 'config')
    return { action: 'revert_config', target, why: `revert ${what}; the earlier values then apply again.` }
  if (leavesStoredData(entry))
    return {
      action: 'roll_forward',
      target,
      why: `fix it by a further change, since going back does not undo what ${name} did to stored data.`,
    }
  return { action: 'rollback', target, why: `roll back ${what}.` }
}

/** What is done about a cause that is no change. */
const DONE: Readonly<Record<RemediationAction, (of: string) => string>> = {
  rollback: (of) => `roll back ${of}`,
  roll_forward: (of) => `fix ${of} by a further change`,
  revert_config: (of) => `put back the settings that ${of} lacks`,
  disable_flag: (of) => `switch back the flag of ${of}`,
  failover: (of) => `route calls around ${of} where something else can answer, and ask who runs it`,
  scale: (of) => `give ${of} more capacity, or reduce the load on it`,
  reschedule: (of) => `move what runs at ${of} elsewhere, or restart it`,
  rotate: (of) => `renew what has expired at ${of}, and see that it is loaded`,
  clean_data: (of) => `set aside the data that ${of} cannot handle, and let the rest go on`,
  escalate: (of) => `ask who runs ${of}`,
  none: (of) => `look at ${of}`,
}

function withoutChange({ action, entity }: OperationalCause): Advice {
  const todo = DONE[action](entity ?? 'what fails')
  return { action, target: entity, why: `${todo}; what fits best is no change, so none is to be taken back.` }
}
