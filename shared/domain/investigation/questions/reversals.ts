/** Changes that took another back: a version that is brought back, or a title that says so. */

import { effectOf } from '../records/change-record.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'

/** A change that took another back, with that one where it is on record. */
export interface Reversal {
  readonly change: Change
  readonly of: Change | null
}

/** How titles of what takes a change back begin, as version control and people write them; programs roll back transactions. */
const TITLE_OF_REVERSAL =
  /^(?:\[[^\]]{1,20}\] ?)?["'\u201c]?(?:revert(?:s|ed|ing)?\b|roll(?:s|ed|ing)?[ -]?back\b(?! (?:\S+ ){0,2}(?:transaction|savepoint|on (?:error|failure)))|back(?:ed)? out\b)/i
/** What such a title quotes, up to the last of the quotes: titles hold quotes of their own. */
const QUOTED = /".{4,200}"|\u201c.{4,200}\u201d|'.{4,200}'/

/**
 * The changes that took another back: by their title, or by bringing back what was in place before the one that came last
 * in the same place. In the order in which they took effect.
 */
export function reversalsIn(changes: Snapshot['changes']): readonly Reversal[] {
  const ordered = [...changes].sort((a, b) => effectOf(a) - effectOf(b))
  const found = ordered.flatMap((change, index): Reversal[] => {
    const earlier = ordered.slice(0, index).filter((one) => isSamePlace(one, change))
    const last = earlier.at(-1)
    const { after } = change
    const isBack =
      last !== undefined &&
      after !== undefined &&
      last.after !== after &&
      // What was in place before is told by the change that went away from it, or by an earlier one that brought it.
      (last.before === after || (last.before === undefined && earlier.some((one) => one.after === after)))
    if (isBack) return [{ change, of: last }]
    const { title = '' } = change
    return TITLE_OF_REVERSAL.test(title) ? [{ change, of: quotedIn(title, change, ordered) }] : []
  })
  const carried = new Set(ordered.flatMap(({ carries = [] }) => carries))
  const carriers = ordered.flatMap((change): Reversal[] => {
    const brought = found.find(({ change: { id } }) => change.carries?.includes(id))
    return brought === undefined || found.some((one) => one.change === change)
      ? []
      : [{ change, of: brought.of }]
  })
  // A revert is in effect once it is rolled out.
  return [...found.filter(({ change }) => !carried.has(change.id)), ...carriers].sort(
    (a, b) => effectOf(a.change) - effectOf(b.change),
  )
}

const isSamePlace = (one: Change, other: Change): boolean =>
  one.entity !== undefined &&
  one.entity === other.entity &&
  one.kind === other.kind &&
  // Counts of instances go up and down by themselves.
  one.kind !== 'scale' &&
  // Flags and settings of one service are many; what a flag is called is its id.
  (one.kind === 'deploy' ||
    one.kind === 'release' ||
    one.id === other.id ||
    (one.title !== undefined && one.title === other.title))

/** The latest earlier change that a title of a reversal quotes ("Revert “Keep rates in one table”"); null where none is on record. */
function quotedIn(
  title: string,
  { recorded_at: recordedAt }: Change,
  changes: readonly Change[],
): Change | null {
  const quoted = QUOTED.exec(title)?.[0].slice(1, -1)
  if (quoted === undefined) return null
  return changes.findLast((one) => one.recorded_at < recordedAt && one.title?.startsWith(quoted)) ?? null
}

/** The last going back from one of the changes with these ids, or from what carried it; null where none is on record. */
export const reversalOf = (
  reversals: readonly Reversal[],
  ids: readonly (string | null)[],
): Reversal | null =>
  reversals.findLast(
    ({ of }) => of !== null && [of.id, ...(of.carries ?? [])].some((id) => ids.includes(id)),
  ) ?? null
