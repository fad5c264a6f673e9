/**
 * What is outside and slow without saying so: it tells nothing of itself, no call to it need fail, and who calls it waits.
 *
 * Method: the mean wait of each caller for it, interval by interval, against its own normal time. It is slow where nearly
 * every interval since the onset is far above normal and it was not before; it is its own doing where its caller's other
 * calls are answered as ever, or where a second caller waits as well. What its callers wait for it must be a good part of
 * what they are waited for (conservation of time, as in flow attribution). A timeout that fails such a call is the
 * caller's. Source: "slow is the new down", Nygard, Release It!, 2018, chapter 4 ("Slow Responses", "Integration Points").
 */

import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { isInTime, matching, type Scene } from '../place/told-lines.ts'
import {
  type CallsOfInterval,
  intervalsOf,
  meanWait,
  usualAndSince,
  usualWait,
} from '../records/calls-by-interval.ts'
import { type Pair, pairsOf } from '../records/calls-by-pair.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import { servicesOf } from '../records/speaking-services.ts'
import { anyOf, round6 } from '../statistics.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { chanceOf, sign } from './operational-cause.ts'

/** By what factor, and by how many milliseconds, an answer takes longer than usual where it is slow. */
const SLOWER = 2
const LEAST_EXTRA_MS = 50
/** Share of the intervals since the onset that must be slow, and of those before that may be: a burst is neither. */
const MOSTLY = 0.7
const SELDOM = 0.1
/** Intervals on either side that tell anything. */
const LEAST_INTERVALS = 4
/** Share of what callers are waited for that they must wait for it. */
const GOOD_PART = 0.3
/** What one caller that waits is worth, what each further one, and what a caller says of it by name. */
const ONE_CALLER = 0.5
const SECOND_CALLER = 0.5
const NAMED = 0.3
const MOST = 0.9

/** What is outside of everything that is measured and answers slowly since the onset. */
export function slowOutside(scene: Scene): readonly OperationalCause[] {
  const { observed, onset } = scene
  if (onset === null || observed.made !== null) return []
  const outside = outsideOf(scene, insideOf(scene))
  if (outside.length === 0) return []
  const pairs = pairsOf(scene.snapshot.edges)
  // How long others wait nobody asks.
  const callers = new Set(pairs.filter(({ callee }) => outside.includes(callee)).map(({ caller }) => caller))
  const slow = pairs.filter((pair) => callers.has(pair.caller) && isSlow(pair, scene, onset))
  return outside.flatMap((entity) => causeOf(scene, entity, slow) ?? [])
}

function causeOf(scene: Scene, entity: string, slow: readonly Pair[]): OperationalCause | null {
  const flow = scene.observed.flows.get(entity)
  const waiting = slow.flatMap(({ caller, callee }) => (callee === entity ? [caller] : []))
  const [first] = waiting
  if (flow === undefined || first === undefined) return null
  // Who waits for everything that it calls is slow itself, or its network is.
  const others = pairsOf(scene.snapshot.edges).filter(
    ({ caller, callee }) => caller === first && callee !== entity,
  )
  const isAlone = waiting.length === 1
  if (isAlone && others.some((pair) => slow.includes(pair))) return null
  const asked = waiting.reduce((sum, one) => sum + (scene.observed.flows.get(one)?.excess_wait_ms ?? 0), 0)
  if (flow.own_wait_ms < GOOD_PART * asked) return null
  const named = matching(scene, /./).filter(
    ({ text, at, origin, entity: speaker }) =>
      origin === 'log' &&
      speaker !== entity &&
      at !== null &&
      isInTime(scene, at) &&
      scene.names.mentionedIn(text).includes(entity),
  )
  const signs: readonly Sign[] = [
    { strength: isAlone ? ONE_CALLER : anyOf(ONE_CALLER, SECOND_CALLER), fact: { of: 'calls', flow } },
    ...named.slice(0, 1).map((line) => sign(line, NAMED)),
  ]
  return {
    ...{ kind: 'provider', entity, signs },
    score: round6(Math.min(MOST, chanceOf(signs))),
    what: `an outside provider that answers slowly (${entity})`,
    action: 'failover',
    yields_to_changes: isAlone,
    // One caller may as well ask for more than it did.
    ...(isAlone && (named.length === 0 || others.length === 0) ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
  }
}

/** Who tells something of itself, and what is declared to be one's own: all else is outside. */
export function insideOf({ snapshot, names }: Scene): ReadonlySet<string> {
  const telling = new Set<string>()
  for (const entity of seriesByEntity(snapshot.series).keys()) telling.add(entity)
  for (const list of [snapshot.logs, snapshot.spans])
    for (const service of servicesOf(list)) telling.add(service)
  const inside = new Set([...telling].map(names.canonical))
  for (const name of storesAndQueues(snapshot)) inside.add(name)
  return inside
}

/** What is called, calls nothing that is known, and tells nothing of itself. */
export const outsideOf = ({ observed }: Scene, inside: ReadonlySet<string>): readonly string[] =>
  [...observed.flows.keys()].filter(
    (entity) => !inside.has(entity) && (observed.graph.callees.get(entity)?.size ?? 0) === 0,
  )

/** Whether nearly every interval since the onset took far longer than usual, and hardly any before. */
function isSlow(pair: Pair, { observed }: Scene, onset: number): boolean {
  const { usual, since } = usualAndSince(intervalsOf(pair).filter(isTimed), observed.normal, onset)
  if (usual.length < LEAST_INTERVALS || since.length < LEAST_INTERVALS) return false
  const level = usualWait(usual)
  const least = Math.max(SLOWER * level, level + LEAST_EXTRA_MS)
  const share = (intervals: readonly CallsOfInterval[]): number =>
    intervals.filter((one) => meanWait(one) >= least).length / intervals.length
  return share(since) >= MOSTLY && share(usual) <= SELDOM
}

const isTimed = ({ waits }: CallsOfInterval): boolean => waits > 0
