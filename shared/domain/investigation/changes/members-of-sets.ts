/**
 * Which measured parts a record means that is of all of them: `zk-coordination` for `zk-1`, `zk-2` and `zk-3`.
 *
 * Method: who runs several alike numbers them, and writes down what is done to all of them under a name that begins as theirs do.
 * Of several such beginnings the longest is meant: `zk-lab` is of `zk-lab-1`, and not of `zk-1`.
 */
import type { Change } from '../records/snapshot.ts'
import { isActRecord } from './named-resources.ts'
import { namedIn } from './stopped-since.ts'

/** The number by which one of several alike is told from the others. */
const NUMBERED = /^(.{2,100}?)[-_.]?\d{1,4}$/
/** Fewer are no set. */
const LEAST = 2

/** The parts by what their names have in common before their number. */
export const setsOf = (entities: Iterable<string>): ReadonlyMap<string, readonly string[]> =>
  Map.groupBy([...new Set(entities)].filter((entity) => NUMBERED.test(entity)).sort(), (entity) =>
    (NUMBERED.exec(entity)?.[1] ?? entity).toLowerCase(),
  )

/** Whether a name is that of a set, or goes on with a word behind it. */
const isOfSet = (name: string, stem: string): boolean =>
  name.startsWith(stem) && (name.length === stem.length || /^[-_.][\p{L}]/u.test(name.slice(stem.length)))

/** All of the set that a record is of; none where it names no set, or what is measured itself. */
export function membersMeant(
  change: Change,
  sets: ReadonlyMap<string, readonly string[]>,
  isMeasured: (entity: string) => boolean,
): readonly string[] {
  if (!isActRecord(change)) return []
  for (const name of namedIn(change)) {
    if (isMeasured(name)) continue
    const [stem] = [...sets.keys()].filter((one) => isOfSet(name, one)).sort((a, b) => b.length - a.length)
    const members = stem === undefined ? [] : (sets.get(stem) ?? [])
    if (members.length >= LEAST) return members
  }
  return []
}
