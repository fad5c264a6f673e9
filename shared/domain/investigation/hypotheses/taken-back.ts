/**
 * Whether the change that is named has been taken back, and what became of the harm since.
 *
 * Method: experiment (Hill, The environment and disease: association or causation?, 1965): harm that ends as its supposed cause is taken away
 * speaks for it, and harm that goes on without it against it.
 */

import { isRollout } from '../changes/place-of-changes.ts'
import type { RankedChange } from '../changes/ranked-change.ts'
import { type Reversal, reversalsIn } from '../changes/reversals.ts'
import { type FailingService, HURTING, trendOf } from '../place/failing-service.ts'
import { effectOf } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'

/** From going back until harm is over where it helps, ms: copies are replaced one by one, and what waited is worked off. */
const HELPED_MS = 10 * 60_000

/** A change that another one took back. */
export interface TakenBack {
  /** What took it back. */
  readonly change: Change
  /** What was taken back: the change, or the rollout that carried it. */
  readonly of: Change
  /** Since when it is taken back (ms since the epoch). */
  readonly at: number
  /**
   * `ended`: soon after it, at that time; `lasted`: it was still there at that time, long after; `open`: neither can be told, or it
   * had ended before.
   */
  readonly harm: { readonly is: 'ended' | 'lasted'; readonly at: number } | { readonly is: 'open' }
}

/** The going back from a change and what followed; null where none is on record, or what took it back was itself taken back. */
export type TakenBackOf = (entry: RankedChange) => TakenBack | null

/**
 * What was taken back within the time that was looked at.
 * @param first - what failed first
 */
export function takenBackIn({ changes, window }: Snapshot, first: FailingService | null): TakenBackOf {
  const reversals = reversalsIn(changes.filter((change) => effectOf(change) < window.to))
  return (entry) => takenBackBy(reversals, entry, first, { changes, window })
}

function takenBackBy(
  reversals: readonly Reversal[],
  entry: RankedChange,
  first: FailingService | null,
  { changes, window }: Pick<Snapshot, 'changes' | 'window'>,
): TakenBack | null {
  const { change: named, carried_by: rollout } = entry
  const isIt = (of: Change): boolean =>
    isSame(of, named) || (rollout !== null && isSame(of, rollout)) || of.carries?.includes(named.id) === true
  // What brought it took back something else, whatever the records say of its content.
  const last = reversals.findLast(({ change, of }) => of !== null && isIt(of) && !isIt(change))
  if (last === undefined || last.of === null) return null
  const { change, of } = last
  if (reversals.some(({ of: again }) => again !== null && isBy(again, change))) return null
  // What is rolled out there afterwards may have brought it again.
  const next = changes.filter((other) => isNextRollout(other, change)).map(effectOf)
  // A version that is taken back leaves behind what it stored: harm that goes on says nothing.
  const harm = leavesStoredData(entry)
    ? ({ is: 'open' } as const)
    : harmSince(change, Math.min(window.to, ...next), first)
  return { change, of, at: effectOf(change), harm }
}

/** Whether a change did something to stored data, which going back does not undo. */
export const leavesStoredData = ({ acts_on_stored_data: acts, mechanism }: RankedChange): boolean =>
  acts || mechanism?.mechanism.id === 'migration'

/** Whether a change is another one, or was carried by it. */
const isBy = (of: Change, change: Change): boolean =>
  isSame(of, change) || change.carries?.includes(of.id) === true

/** One flag bears one id, however often it is switched: only the time tells its changes apart. */
const isSame = (a: Change, b: Change): boolean => a.id === b.id && effectOf(a) === effectOf(b)

const isNextRollout = (other: Change, change: Change): boolean =>
  isRollout(other) && other.entity === change.entity && effectOf(other) > effectOf(change)

/** What became of the harm from a going back until the next rollout there, or the end of what was looked at. */
function harmSince(change: Change, until: number, first: FailingService | null): TakenBack['harm'] {
  const begun = effectOf(change)
  const done = change.effective_at?.to ?? begun
  if (first === null || first.onset.latest >= begun) return { is: 'open' }
  const { ended_at: ended } = first
  if (ended !== null)
    return ended > begun && ended - done <= HELPED_MS && ended <= until
      ? { is: 'ended', at: ended }
      : { is: 'open' }
  const last = Math.min(until, measuredUntil(first))
  return last - done >= HELPED_MS && trendOf(first) !== 'recovering'
    ? { is: 'lasted', at: last }
    : { is: 'open' }
}

/** The last instant at which anything that hurts was measured; 0 where nothing was. */
const measuredUntil = ({ shifts }: FailingService): number =>
  shifts
    .filter(({ meaning }) => meaning.weight >= HURTING)
    .reduce((latest, { series: { times, values } }) => {
      const at = times[values.findLastIndex((value) => Number.isFinite(value))]
      return Math.max(latest, at ?? 0)
    }, 0)
