/**
 * What was changed failed over since: minutes after the record a platform says so of that very part, and users are hurt.
 *
 * Method: "what touched it last?" (Beyer et al., Site Reliability Engineering, 2016, chapter 12). A managed store changes
 * places by itself when a machine fails, and whenever a setting is applied that asks for it; where somebody changed a
 * setting of it minutes before, the second is likelier. The record of settings says when they were written: they came into effect
 * when the part changed places. Of several changes to the part none is singled out by that. A rollout begins its own pods anew and is
 * told by other means; it does not make a store change places.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { Observed } from '../place/failing-services.ts'
import { storeOfOthers } from '../place/stores-of-others.ts'
import { NEAR_MS, TO_COME } from '../place/told-lines.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { ControlPlaneEvent, Snapshot } from '../records/snapshot.ts'
import { type Arrival, stepsOf } from './closeness.ts'
import { APPLIED_MS } from './moved-itself.ts'
import { isDelivered, WRITES } from './place-of-changes.ts'

/**
 * What platforms write of a part that changes places, is begun anew at once, or is put on another version or machine, in lower case.
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Events.Messages.html (RDS-EVENT-0014, 0026, 0027, 0047)
 */
const CHANGED_PLACES =
  /\bdatabase instance patched\b|\boff-?line patches to db instance\b|\bmodification to db instance class\b|\bfail(?:ed|ing)?[- ]?over\b|\b(?:instance|cluster|server|node|db) (?:re-?boot|re-?start)|\b(?:re-?boot|re-?start)(?:ed|ing)? (?:the )?(?:db|instance|cluster|server|node)\b/
/** Says that it did not. */
const DID_NOT = /\bno fail/

const saysSo = (message: string): boolean =>
  CHANGED_PLACES.test(message) && !TO_COME.test(message) && !DID_NOT.test(message)

/** What of a platform's record a change is seen to have brought, and the same arrival in effect since then. */
export interface FailedOver {
  readonly arrivals: readonly Arrival[]
  readonly eventOf: ReadonlyMap<Arrival, ControlPlaneEvent>
}

/** The same arrivals; of a part that failed over since, near the onset, the one change that was made to it is at the very place. */
export function withFailedOver(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): FailedOver {
  const { onset } = observed
  const { events } = snapshot
  const eventOf = new Map<Arrival, ControlPlaneEvent>()
  if (onset === null) return { arrivals, eventOf }
  const eventsAt = Map.groupBy(
    events.filter(
      ({ timestamp, message }) =>
        timestamp >= onset.at - APPLIED_MS &&
        timestamp <= onset.latest + NEAR_MS &&
        saysSo(message.toLowerCase()),
    ),
    ({ service, resource }) => names.canonical(service ?? resource),
  )
  if (eventsAt.size === 0) return { arrivals, eventOf }
  const isOfOthers = storeOfOthers({ snapshot, observed, names })
  const since = ({ change, effective }: Arrival): number =>
    effective.known || !isDelivered(change) ? effective.from : change.recorded_at
  const firstAfter = (arrival: Arrival): ControlPlaneEvent | undefined =>
    (eventsAt.get(arrival.place.reaches ?? '') ?? [])
      .filter(
        ({ timestamp }) =>
          timestamp >= since(arrival) - CLOCK_TOLERANCE_MS && timestamp <= since(arrival) + APPLIED_MS,
      )
      .sort((a, b) => a.timestamp - b.timestamp)[0]
  const found = arrivals.flatMap((arrival) => {
    const isSuch =
      arrival.trivial === null && arrival.rollout === null && !isOfOthers(arrival.place.reaches ?? '')
    const event = isSuch ? firstAfter(arrival) : undefined
    return event === undefined ? [] : [{ arrival, event }]
  })
  const byPlace = Map.groupBy(found, ({ arrival }) => arrival.place.reaches)
  const single = new Map(
    [...byPlace.values()]
      .filter((there) => new Set(there.map(({ arrival }) => stepsOf(arrival.change))).size === 1)
      .flatMap((there) => there.map(({ arrival, event }) => [arrival, event] as const)),
  )
  return {
    arrivals: arrivals.map((arrival) => {
      const event = single.get(arrival)
      if (event === undefined) return arrival
      const { effective, place } = arrival
      const at = event.timestamp
      const seen: Arrival = {
        ...arrival,
        effective: effective.known ? effective : { from: at, to: at, known: true },
        place: { ...place, score: Math.max(place.score, WRITES) },
      }
      eventOf.set(seen, event)
      return seen
    }),
    eventOf,
  }
}
