/** Which version of a service ran when, by what its rollouts say they went from and to. */

import { isRollout } from '../changes/place-of-changes.ts'
import { effectOf } from '../records/change-record.ts'
import type { Change } from '../records/snapshot.ts'

/** A stretch of time in which the same version ran, or two while one took the place of the other. */
export interface VersionSpan {
  /** Milliseconds since the epoch; the first begins before all time, the last ends after it. */
  readonly from: number
  readonly to: number
  /** Both while a rollout went on; none where no record says. */
  readonly versions: readonly string[]
  /** The rollout that brought it, or that went away from it; null where there is none. */
  readonly by: Change | null
}

const bringsVersion = (change: Change): boolean => isRollout(change) && change.after !== undefined

/** The whole of time in the stretches of one place's versions, in their order, without a gap: each instant is in one of them. */
export function versionSpans(changes: readonly Change[]): readonly VersionSpan[] {
  const rollouts = changes.filter(bringsVersion).sort((a, b) => effectOf(a) - effectOf(b))
  const [first] = rollouts
  const known = (version: string | undefined): readonly string[] => (version === undefined ? [] : [version])
  const spans: VersionSpan[] = []
  let last: Pick<VersionSpan, 'from' | 'versions' | 'by'> = {
    from: Number.NEGATIVE_INFINITY,
    versions: known(first?.before),
    by: first ?? null,
  }
  const change = (at: number, versions: readonly string[], by: Change): void => {
    if (at > last.from) spans.push({ ...last, to: at })
    last = { from: Math.max(at, last.from), versions, by }
  }
  for (const [index, rollout] of rollouts.entries()) {
    const next = rollouts[index + 1]
    const begins = effectOf(rollout)
    // A rollout that another overtakes is over with it.
    const ends = Math.min(rollout.effective_at?.to ?? begins, next === undefined ? Infinity : effectOf(next))
    const before = rollout.before ?? last.versions.at(-1)
    if (ends > begins) change(begins, [...new Set([...known(before), ...known(rollout.after)])], rollout)
    change(Math.max(begins, ends), known(rollout.after), rollout)
  }
  spans.push({ ...last, to: Number.POSITIVE_INFINITY })
  return spans
}
