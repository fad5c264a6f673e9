/**
 * Changes of what stands between services, where it says itself that calls through it fail: a proxy, a mesh, a balancer.
 *
 * Method: elimination along the calls. Who asks is told of the far end by what stands between, and calls are counted as if it were
 * not there. So where it names the first failing place in what it says again and again since users are hurt, and no call is
 * counted to it or from it, it is on the way to that place, and what it did to those calls is as near as what the place did. A
 * change of it is next to what fails. What it says in passing, of this place or of others, or said before, brings nothing near.
 */
import type { Observed } from '../place/failing-services.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { NEAR_MS } from '../place/told-lines.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { MERGED, WRITES } from './place-of-changes.ts'

/** Lines that say so from the onset on: so many are no straggler's. */
const MANY_LINES = 5

/** Who says since users are hurt that calls to the first failing place fail, and of whom no call is counted. */
function standingBetween(
  { first, onset, templates }: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): ReadonlySet<string> {
  const counted = pairsOf(snapshot.edges)
  if (first === null || onset === null || !counted.some(({ callee }) => callee === first.entity))
    return new Set()
  const onCalls = new Set(counted.flatMap(({ caller, callee }) => [caller, callee]))
  const stores = storesAndQueues(snapshot)
  return new Set(
    templates
      .filter(
        ({ change, during, severity, risen_at: risen }) =>
          change === 'new' &&
          severity === 'error' &&
          during >= MANY_LINES &&
          risen >= onset.earliest - NEAR_MS &&
          risen <= onset.latest + NEAR_MS,
      )
      .flatMap(({ service, example }) => {
        const isOutside = service !== null && !onCalls.has(service) && !stores.has(service)
        return isOutside && names.mentionedIn(example).includes(first.entity) ? [service] : []
      }),
  )
}

/** The same arrivals; those at what stands between and says so are next to what fails. */
export function withStandingBetween(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): readonly Arrival[] {
  const between = standingBetween(observed, snapshot, names)
  if (between.size === 0) return arrivals
  return arrivals.map((arrival) => {
    const { place, effective } = arrival
    if (place.reaches === null || !between.has(place.reaches)) return arrival
    const score = WRITES * (effective.known ? 1 : MERGED)
    return score <= place.score ? arrival : { ...arrival, place: { ...place, score } }
  })
}
