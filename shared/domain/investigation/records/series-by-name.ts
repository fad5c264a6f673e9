/** Series by what they are called: a few hundred names stand for thousands of series, and most steps ask for those of a few names. */

import type { Series } from './snapshot.ts'

/** The names of a list, and of each series in its order which of them it has. */
interface Names {
  readonly names: readonly string[]
  readonly of: Uint32Array
  /** The series whose names an expression of names fits. */
  readonly fitting: Map<(name: string) => boolean, readonly Series[]>
}

/** What was read before of a list, as long as the list itself is kept. */
const readBefore = new WeakMap<readonly Series[], Names>()

function namesOf(list: readonly Series[]): Names {
  const before = readBefore.get(list)
  if (before !== undefined) return before
  const places = new Map<string, number>()
  const of = new Uint32Array(list.length)
  for (let index = 0; index < list.length; index++) {
    const { name } = list[index] as Series
    let place = places.get(name)
    if (place === undefined) {
      place = places.size
      places.set(name, place)
    }
    of[index] = place
  }
  const read: Names = { names: [...places.keys()], of, fitting: new Map() }
  readBefore.set(list, read)
  return read
}

/**
 * The series of a list that `filter` gives by their names, in their order; each name is asked for once.
 * @param fits - answers the same for the same name; kept with what it fits, so it is one of those that are made once
 */
export function seriesNamed(list: readonly Series[], fits: (name: string) => boolean): readonly Series[] {
  const { names, of, fitting } = namesOf(list)
  const before = fitting.get(fits)
  if (before !== undefined) return before
  const isFitting = names.map(fits)
  const found: Series[] = []
  for (let index = 0; index < of.length; index++)
    if (isFitting[of[index] as number] === true) found.push(list[index] as Series)
  fitting.set(fits, found)
  return found
}
