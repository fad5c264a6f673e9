/** Series by what they are of: most steps ask for those of one entity among thousands. */

import type { Series } from './snapshot.ts'

/** What was grouped before of a list, as long as the list itself is kept. */
const groupedBefore = new WeakMap<readonly Series[], ReadonlyMap<string, readonly Series[]>>()

// Made once, as it is called for every series: what is made anew each time is compiled anew as well.
const entityOf = ({ entity }: Series): string => entity

/** The series of each entity in their order, by entity in the order of their first ones; grouped once for each list. */
export function seriesByEntity(list: readonly Series[]): ReadonlyMap<string, readonly Series[]> {
  const before = groupedBefore.get(list)
  if (before !== undefined) return before
  const grouped = Map.groupBy(list, entityOf)
  groupedBefore.set(list, grouped)
  return grouped
}

/** The series of one entity, in their order; none of one that is not measured, or of none. */
export const seriesOf = (list: readonly Series[], entity: string | null | undefined): readonly Series[] =>
  (entity === null || entity === undefined ? undefined : seriesByEntity(list).get(entity)) ?? []
