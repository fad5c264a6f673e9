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
  /^(?:\[[^\]]{1,20}\] ?)?["'\u201c]?(?:reapply "|revert(?:s|ed|ing)?\b|roll(?:s|ed|ing)?[ -]?back\b(?! (?:\S+ ){0,2}(?:transaction|savepoint|on (?:error|failure)))|back(?:ed)? out\b)/i
/** Git calls the revert of a revert so since 2.43 (git-revert(1)): it quotes what the revert quotes. */
const REAPPLIES = /^reapply "/i
/** What such a title quotes, up to the last of the quotes: titles hold quotes of their own. */
const QUOTED = /".{4,200}"|\u201c.{4,200}\u201d|'.{4,200}'/

/**
 * The changes that took another back: by their title, or by bringing back what was in place before the one that came last
 * in the same place. In the order in which they took effect. A window may hold thousands of changes: each is looked at once.
 */
export function reversalsIn(changes: Snapshot['changes']): readonly Reversal[] {
  const ordered = [...changes].sort((a, b) => effectOf(a) - effectOf(b))
  const places = new Map<string, Place>()
  const quoted = quotedOriginals(ordered)
  const found = ordered.flatMap((change, at): Reversal[] => {
    const own = placesOf(change)
    const known = own.flatMap((place) => places.get(place) ?? [])
    const last = lastOf(known)
    const { after } = change
    const isBack =
      last !== undefined &&
      after !== undefined &&
      last.after !== after &&
      // What was in place before is told by the change that went away from it, or by an earlier one that brought it.
      (last.before === after ||
        (last.before === undefined && known.some(({ brought }) => brought.has(after))))
    for (const place of own) arriveAt(places, place, { change, at })
    if (isBack) return [{ change, of: last }]
    return isCalledReversal(change) ? [{ change, of: quoted.get(change) ?? null }] : []
  })
  const carried = new Set(ordered.flatMap(({ carries = [] }) => carries))
  const carriers = carriersOf(found, ordered)
  // A revert is in effect once it is rolled out.
  return [...found.filter(({ change }) => !carried.has(change.id)), ...carriers].sort(
    (a, b) => effectOf(a.change) - effectOf(b.change),
  )
}

/** The title of what a change took back, where its own says so. */
function quotedBy(change: Change): string | undefined {
  const { title = '' } = change
  const quoted = isCalledReversal(change) ? QUOTED.exec(title)?.[0] : undefined
  return REAPPLIES.test(title) && quoted !== undefined ? `Revert ${quoted}` : quoted?.slice(1, -1)
}

const isCalledReversal = ({ title = '' }: Change): boolean => TITLE_OF_REVERSAL.test(title)

/** What is known of a place at some moment: which change came there last, and what all so far brought. */
interface Place {
  readonly last: Arrived
  readonly brought: Set<string>
}

/** A change with its rank among those that took effect. */
interface Arrived {
  readonly change: Change
  readonly at: number
}

/** The places in which a change is: two changes are in the same place where they have one of them in common. */
function placesOf({ entity, kind, id, title }: Change): readonly string[] {
  // Counts of instances go up and down by themselves.
  if (entity === undefined || kind === 'scale') return []
  if (kind === 'deploy' || kind === 'release') return [JSON.stringify([kind, entity])]
  // Flags and settings of one service are many; what a flag is called is its id.
  return [
    JSON.stringify([kind, entity, 'id', id]),
    ...(title === undefined ? [] : [JSON.stringify([kind, entity, 'title', title])]),
  ]
}

function arriveAt(places: Map<string, Place>, name: string, last: Arrived): void {
  const brought = places.get(name)?.brought ?? new Set()
  if (last.change.after !== undefined) brought.add(last.change.after)
  places.set(name, { last, brought })
}

const lastOf = (places: readonly Place[]): Change | undefined =>
  places.map(({ last }) => last).sort((a, b) => b.at - a.at)[0]?.change

/** Of the changes that carry what took another back, those that do not do so themselves, with what that one took back. */
function carriersOf(found: readonly Reversal[], ordered: readonly Change[]): Reversal[] {
  const own = new Set(found.map(({ change }) => change))
  const ranks = new Map<string, number>()
  for (const [rank, { change }] of found.entries()) if (!ranks.has(change.id)) ranks.set(change.id, rank)
  return ordered.flatMap((change): Reversal[] => {
    if (own.has(change)) return []
    const brought = (change.carries ?? []).flatMap((id) => ranks.get(id) ?? [])
    const first = found[brought.reduce((least, rank) => Math.min(least, rank), Number.POSITIVE_INFINITY)]
    return first === undefined ? [] : [{ change, of: first.of }]
  })
}

/**
 * The latest earlier change that each title of a reversal quotes ("Revert “Keep rates in one table”"), where one is on
 * record. Titles are compared in the order in which they were recorded, each with as many quotations as differ in length,
 * of which there are few: a change for each quotation would be the square of all.
 */
function quotedOriginals(ordered: readonly Change[]): ReadonlyMap<Change, Change> {
  const quotations = new Map(
    ordered.flatMap((change): [Change, string][] => {
      const quoted = quotedBy(change)
      return quoted === undefined ? [] : [[change, quoted]]
    }),
  )
  const latest = new Map<string, Arrived | null>([...quotations.values()].map((quoted) => [quoted, null]))
  const lengths = [...new Set([...latest.keys()].map((quoted) => quoted.length))]
  const recorded = ordered
    .map((change, at): Arrived => ({ change, at }))
    .sort((a, b) => a.change.recorded_at - b.change.recorded_at)
  const originals = new Map<Change, Change>()
  let next = 0
  for (const { change } of recorded) {
    const quoted = quotations.get(change)
    if (quoted === undefined) continue
    for (; (recorded[next] as Arrived).change.recorded_at < change.recorded_at; next += 1) {
      const earlier = recorded[next] as Arrived
      const { title } = earlier.change
      for (const length of title === undefined ? [] : lengths) {
        const begin = title?.slice(0, length) ?? ''
        const before = latest.get(begin)
        if (before === null || (before !== undefined && before.at < earlier.at)) latest.set(begin, earlier)
      }
    }
    const original = latest.get(quoted)
    if (original) originals.set(change, original.change)
  }
  return originals
}

/** The last going back from one of the changes with these ids, or from what carried it; null where none is on record. */
export const reversalOf = (
  reversals: readonly Reversal[],
  ids: readonly (string | null)[],
): Reversal | null =>
  reversals.findLast(
    ({ of }) => of !== null && [of.id, ...(of.carries ?? [])].some((id) => ids.includes(id)),
  ) ?? null
