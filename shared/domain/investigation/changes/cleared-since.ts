/**
 * What deletes rows, and a store of its owner that holds fewer since.
 *
 * Method: rows do not become fewer because fewer ask for them, so a table that loses a good part of its rows within minutes was
 * deleted from. Where a change brings a statement that deletes, its owner calls that store, and the table shrank when the change
 * took effect, as users began to be hurt, the change is seen to have done it (Hill, The environment and disease: association or
 * causation?, 1965: temporality, plausibility). The statement need not name the table: what refers to a row that goes may go with it.
 * @see https://www.postgresql.org/docs/current/ddl-constraints.html#DDL-CONSTRAINTS-FK (ON DELETE CASCADE)
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Arrival } from './closeness.ts'
import { hasFallen, hasMoved, seenAt } from './seen-at.ts'
import { isHeld } from './stopped-since.ts'

/**
 * Statements that delete what is stored, in SQL and as libraries write them.
 * @see https://www.postgresql.org/docs/current/sql-delete.html, https://www.postgresql.org/docs/current/sql-truncate.html
 * @see https://api.rubyonrails.org/classes/ActiveRecord/Relation.html (delete_all, destroy_all)
 * @see https://www.mongodb.com/docs/manual/reference/method/db.collection.deleteMany/
 * @see https://www.prisma.io/docs/orm/reference/prisma-client-reference (deleteMany)
 */
const DELETES =
  /\bDELETE\s+FROM\s+["'`[]?\w|\bTRUNCATE\s+(?:TABLE\s+)?["'`[]?\w+|\.(?:delete_all|destroy_all|deleteMany|delete_many)\b/i
/** Share of its rows that a table keeps at most: what is deleted every day takes less at once. */
const KEPT = 0.8
/** From when the change took effect until rows are gone, ms: a migration runs before or with the first pod. */
const DONE_MS = 5 * 60_000

/** Tables that lost a good part of their rows with the harm and have not got them back. */
const isCleared =
  (onsetAt: number) =>
  (shift: SeriesShift): boolean =>
    isHeld(shift.series.name) && hasFallen(shift, onsetAt, KEPT)

/** The same arrivals; what deletes rows is at the store of its owner that holds fewer since it took effect, with what it holds. */
export function withCleared(
  arrivals: readonly Arrival[],
  { onset, shifts, graph, first }: Pick<Observed, 'onset' | 'shifts' | 'graph' | 'first'>,
): readonly Arrival[] {
  if (onset === null) return arrivals
  const cleared = shifts.filter(isCleared(onset.at))
  if (cleared.length === 0) return arrivals
  return arrivals.map((arrival) => {
    const { diff, effective, place, trivial, seen } = arrival
    if (trivial !== null || seen !== undefined || !effective.known) return arrival
    if (!diff.lines_new.some((line) => DELETES.test(line))) return arrival
    const found = cleared.find(
      (shift) =>
        hasMoved(shift, effective.from, effective.from + DONE_MS) &&
        [...place.owners].some((owner) => graph.callees.get(owner)?.has(shift.series.entity) === true),
    )
    if (found === undefined) return arrival
    // Whoever fails first by its own deleting is the place already.
    return { ...(place.reaches === first?.entity ? arrival : seenAt(arrival, found)), seen: found }
  })
}
