import type { Change } from './snapshot.ts'

/** Changes whose id is told by their content, or numbered once for all: whoever tells of that id tells of that change. */
const NAMED_ONCE: ReadonlySet<Change['kind']> = new Set(['commit', 'pull_request'])
/** Letters of the shortest digest that names a commit for all; a shorter id may be one of several repositories. */
const SHORTEST_DIGEST = 12
const DIGEST = new RegExp(`^[a-f\\d]{${SHORTEST_DIGEST},64}$`, 'i')

/** What makes two records records of one change; of a flag that goes on and off, each time is one. */
const identityOf = ({ kind, id, entity, after, recorded_at }: Change): string =>
  NAMED_ONCE.has(kind) && DIGEST.test(id)
    ? JSON.stringify([kind, id.toLowerCase()])
    : JSON.stringify([kind, id, entity ?? null, after ?? null, recorded_at])

/** One record of both: what the first does not say the second may. */
const filledUp = (first: Change, second: Change): Change => {
  const { diff, ...told } = first
  return { ...second, ...told, ...(diff == null ? {} : { diff }) }
}

/**
 * Leaves one record of a change that several tools tell of, or one tool twice, such as a pipeline beside a repository: each
 * would be counted as a change of its own, and as an explanation that rivals the other. It stands where the first stood.
 */
export function joinRepeatedChanges(changes: readonly Change[]): readonly Change[] {
  const joined = new Map<string, Change>()
  for (const change of changes) {
    const identity = identityOf(change)
    const known = joined.get(identity)
    joined.set(identity, known === undefined ? change : filledUp(known, change))
  }
  return [...joined.values()]
}
