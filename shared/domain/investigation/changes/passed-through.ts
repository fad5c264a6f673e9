/**
 * Changes of a part that connections pass through and that nobody counts calls of: a firewall, a gateway, a switch, a proxy,
 * a machine, a resolver.
 *
 * Method: a record of an infrastructure names a part, and no call is counted to it or from it while calls are counted. So who
 * lies behind it is not known, and that it reached nothing that fails cannot be said either. What passes something on harms
 * as soon as it is used. Where many begin to fail within a minute and such a part was changed just before, while little of
 * that sort is done, both are hardly together by chance (`chance-arrivals.ts`), and it counts as next to what fails. A device
 * that keeps account of connections and is replaced forgets them, and need not tell anyone (RFC 5382, 2008, section 5). Where
 * it takes up none that it did not see begin, who has them sends and is never answered (Linux, nf_conntrack_tcp_loose). Of a
 * machine on which instances were seen to run it is known whom it reaches: those.
 */

import type { Observed } from '../place/failing-services.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { BEFORE_ALL, densityOf, HARDLY_CHANCE, LEAST_SPAN_MS } from './chance-arrivals.ts'
import type { Arrival } from './closeness.ts'
import { isActRecord } from './named-resources.ts'
import { NEAR_PLACE, WRITES } from './place-of-changes.ts'

/** Time within which half of the harm shows that is done to what passes something on, ms. */
const SOON_MS = 60_000
/** Of the incidents that changes brought, those that a change of a part brought which nobody calls, at most. */
const OF_CHANGES = 0.5
/** By how much surer it has to be where nothing else knows the part that is named: it may be anything. */
const UNKNOWN = 2
/** An incident whose beginning is known to no better than this began with nothing in particular, ms. */
const SHARP_MS = 2 * 60_000

/** Whether it is a record of what was done to a part of which no call is counted, and reached nothing that is known to fail. */
const isOfNobodyCalled =
  ({ graph }: Observed, called: ReadonlySet<string>, kept: ReadonlySet<string>) =>
  ({ change, place, effective, trivial }: Arrival): boolean =>
    isActRecord(change) &&
    change.kind === 'infra' &&
    trivial === null &&
    effective.known &&
    place.is_hosting !== true &&
    (place.score < NEAR_PLACE || place.reaches === null) &&
    (place.reaches === null ||
      (!called.has(place.reaches) && !graph.callees.has(place.reaches) && !kept.has(place.reaches)))

/** The same arrivals; those of a part that much passes through stand next to what fails where time alone says so. */
export function withPassedThrough(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
): readonly Arrival[] {
  const { from } = snapshot.window
  const { onset, graph, gone_through: known } = observed
  // Where what all go through is measured to fail, it need not be guessed.
  if (onset === null || graph.callees.size === 0 || known.size > 0) return arrivals
  if (onset.latest - onset.earliest > SHARP_MS) return arrivals
  const called = new Set([...graph.callees.values()].flatMap((callees) => [...callees]))
  // What keeps something passes nothing on.
  const kept = storesAndQueues(snapshot)
  const isSuch = isOfNobodyCalled(observed, called, kept)
  const such = arrivals.filter(
    (arrival) => isSuch(arrival) && arrival.effective.from >= from && arrival.effective.from <= onset.latest,
  )
  const isOfThese = new Set(such)
  const often = such.length / Math.max(LEAST_SPAN_MS, onset.latest - from)
  return arrivals.map((arrival) => {
    if (!isOfThese.has(arrival)) return arrival
    const delay = Math.max(0, onset.at - arrival.effective.from)
    const odds = (BEFORE_ALL * OF_CHANGES * densityOf(SOON_MS, delay)) / often
    const least = HARDLY_CHANCE * (arrival.place.reaches === null ? UNKNOWN : 1)
    return odds >= least ? { ...arrival, place: { ...arrival.place, score: WRITES } } : arrival
  })
}
