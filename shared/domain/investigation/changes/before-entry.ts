/**
 * Changes of what stands before the first place that anybody counts: an ingress, a gateway, a balancer, the edge.
 *
 * Method: elimination along the calls. Where a service fails first that none of the others is counted to call, while all
 * whom it calls answer as ever, what fails lies in it or between it and those outside, and there stands what all of them
 * come through. That is seldom measured and counts no calls, so its place cannot be read off them; by which words it is
 * known the records say. So a change of it is next to what fails, as is one of whom the failing service calls.
 */

import { ENTRY } from '../place/demand-from-outside.ts'
import type { Observed } from '../place/failing-services.ts'
import { isCounted, pairsOf } from '../records/calls-by-pair.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { MERGED, WRITES } from './place-of-changes.ts'

/** Longer texts are looked at as far as this, characters. */
const LONGEST = 500

/** Whether a record is of what stands at the entry, by what it is of, its folders or its title. */
const isOfEntry = ({ entity = '', title = '', files = [] }: Change): boolean =>
  [entity, title, ...files.map((path) => path.replace(/[^/]*$/, ''))].some((text) =>
    ENTRY.test(text.slice(0, LONGEST)),
  )

/** The same arrivals; those at the entry stand next to what fails where nothing behind it does. */
export function withBeforeEntry(
  arrivals: readonly Arrival[],
  { first, counted_as_ever: asEver, graph }: Observed,
  { edges }: Snapshot,
): readonly Arrival[] {
  if (first === null) return arrivals
  const counted = pairsOf(edges).filter(isCounted)
  const isCalled = counted.some(({ callee }) => callee === first.entity)
  const callees = [
    ...new Set(counted.flatMap(({ caller, callee }) => (caller === first.entity ? [callee] : []))),
  ]
  if (isCalled || callees.length === 0 || !callees.every(asEver)) return arrivals
  const among = new Set(counted.flatMap(({ caller, callee }) => [caller, callee]))
  return arrivals.map((arrival) => {
    const { change, place, effective } = arrival
    const { reaches } = place
    const isWithin =
      reaches !== null && (among.has(reaches) || graph.reachableFrom(first.entity).has(reaches))
    if (isWithin || !isOfEntry(change)) return arrival
    const score = WRITES * (effective.known ? 1 : MERGED)
    return score <= place.score ? arrival : { ...arrival, place: { ...place, score } }
  })
}
