/**
 * Holds counts of calls to what is possible: no more can fail than are made.
 *
 * Method: tools that give rates extrapolate all calls and the failed ones each by themselves
 * (prometheus.io/docs/prometheus/latest/querying/functions/#rate), and scrape them at different moments, so that where
 * nearly all fail a few more are told to fail than were made. Those are all of them, and not more.
 */
import type { Edge, Snapshot } from './snapshot.ts'

const isPossible = ({ calls, failed }: Edge): boolean =>
  calls === undefined || failed === undefined || failed <= calls

/** The same snapshot with at most as many failed calls in each interval as calls. */
export function withPossibleCounts(snapshot: Snapshot): Snapshot {
  if (snapshot.edges.every(isPossible)) return snapshot
  return {
    ...snapshot,
    edges: snapshot.edges.map((edge) =>
      isPossible(edge) ? edge : { ...edge, failed: edge.calls as number },
    ),
  }
}
