import type { Change } from './snapshot.ts'

/** Letters of the shortest digest that names a commit for all; a shorter id may be one of several repositories. */
const SHORTEST_DIGEST = 12
const DIGEST = new RegExp(`^[a-f\\d]{${SHORTEST_DIGEST},64}$`, 'i')

/** What makes two records records of one change. A commit is named by a digest of its content; of a flag that goes on and off, each time is one. */
const identityOf = ({ kind, id, after, recorded_at }: Change): string =>
  kind === 'commit' && DIGEST.test(id)
    ? JSON.stringify([kind, id.toLowerCase()])
    : JSON.stringify([kind, id, after ?? null, recorded_at])

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
