import { identityOf } from './change-record.ts'
import type { Change } from './snapshot.ts'

/** What is of two services is a change of each, as a commit to a repository of both. */
const isOfOne = (a: Change, b: Change): boolean =>
  a.entity === undefined || b.entity === undefined || a.entity === b.entity

/** One record of both: what the first does not say the second may. */
const filledUp = (first: Change, second: Change): Change => {
  const { diff, ...told } = first
  return { ...second, ...told, ...(diff == null ? {} : { diff }) }
}

/** One record of both: what one tool only guesses gives way to what another knows. */
const joinedOf = (first: Change, second: Change): Change =>
  first.certainty === 'guessed' && second.certainty !== undefined && second.certainty !== 'guessed'
    ? filledUp(second, first)
    : filledUp(first, second)

/**
 * Leaves one record of a change that several tools tell of, or one tool twice, such as a pipeline beside a repository: each
 * would be counted as a change of its own, and as an explanation that rivals the other. It stands where the first stood.
 */
export function joinRepeatedChanges(changes: readonly Change[]): readonly Change[] {
  const joined: Change[] = []
  const places = new Map<string, number[]>()
  for (const change of changes) {
    const identity = identityOf(change)
    const known = places.get(identity) ?? []
    const place = known.find((at) => isOfOne(joined[at] as Change, change))
    if (place === undefined) places.set(identity, [...known, joined.push(change) - 1])
    else joined[place] = joinedOf(joined[place] as Change, change)
  }
  return joined
}
