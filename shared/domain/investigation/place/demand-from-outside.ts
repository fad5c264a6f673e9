/**
 * Whether demand comes from outside or is made inside.
 *
 * Who calls passes demand on, so where callers were measured and none of them is asked for more, what arrives more often
 * below them was made on the way: calls that are tried again, or another way through the code.
 */

import { shareOf } from '../deviations/at-its-end.ts'
import { isDemand, readMetricName, storeStateOf } from '../deviations/metric-meaning.ts'
import { asRate, type SeriesShift } from '../deviations/series-shift.ts'
import { beginningWithin, callsByInterval, usualCalls, usualFailed } from '../records/calls-by-interval.ts'
import { pairsTo } from '../records/calls-by-pair.ts'
import { compareText } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { median } from '../statistics.ts'
import { callersOf } from './call-graph.ts'
import type { Observed } from './failing-services.ts'
import { stepsWith } from './told-lines.ts'

/** By what factor demand must have grown: what grows by less is within what a system is made for. */
export const MUCH_MORE = 1.5

/**
 * Share of the growth of a demand that those who pass it on must show of their own, up to where users are served: some of it
 * is tried again on the way, and the more the more fails.
 */
export const LEAST_PASSED = 0.5

/** What all who come from outside come through, in the words of those who make such things. */
export const ENTRY =
  /(?:^|[^a-z\d])(?:ingress|edge|gateways?|cdn|waf|front ?door|(?:reverse[ -]?)?proxy|(?:load[ -]?)?balancers?|[aen]?lb|haproxy|nginx|envoy|traefik|kong|cloudfront|cloudflare|fastly|akamai|varnish)(?=$|[^a-z\d])/i

/**
 * The cache before everything that makes a demand: it finds so much less than usual that what it passes on grew about as much
 * as what is asked behind it, at the same time, while it is itself asked for no more. Of what is asked a cache passes on the share
 * that it misses, so users need ask nothing more for that ("Caching challenges and strategies", Amazon Builders' Library).
 */
export const missedInFront = (
  shifts: readonly SeriesShift[],
  { series: { entity: behind }, before, during, onset }: SeriesShift,
): SeriesShift | undefined =>
  shifts.find(
    (shift) =>
      stepsWith(shift, onset.at) &&
      storeStateOf(shift.series.name) === 'found' &&
      shift.series.entity !== behind &&
      ENTRY.test(`${shift.series.entity} ${shift.series.name}`) &&
      timesMissed(shift) - 1 >= LEAST_PASSED * (during / before - 1) &&
      !shifts.some(
        (own) =>
          own.series.entity === shift.series.entity &&
          own.meaning.is_demand &&
          own.direction === 'up' &&
          own.during >= MUCH_MORE * own.before,
      ),
  )

/** By what factor what a cache does not find grew; not at all where more is found. */
function timesMissed({ series, meaning, before, during }: SeriesShift): number {
  if (meaning.meaning !== 'availability') return during / before
  const [usual, since] = [shareOf(series, before), shareOf(series, during)]
  return (1 - since) / (1 - usual)
}

/** Callers of an entity whose own demand is measured. */
export function demandingCallers(
  { series }: Snapshot,
  { graph }: Observed,
  entity: string,
): readonly string[] {
  return callersOf(graph, entity).filter((caller) =>
    seriesOf(series, caller).some(({ name }) => isDemand(name)),
  )
}

/**
 * Whether what an entity is asked for more comes in from outside.
 *
 * @param rises - whether an entity's own demand rose
 */
export function comesIn(
  snapshot: Snapshot,
  observed: Observed,
  entity: string,
  rises: (entity: string) => boolean,
  above: ReadonlySet<string> = new Set(),
): boolean {
  const measured = demandingCallers(snapshot, observed, entity)
  const seen = new Set(above).add(entity)
  return (
    measured.length === 0 ||
    measured.some(
      (caller) => !seen.has(caller) && rises(caller) && comesIn(snapshot, observed, caller, rises, seen),
    )
  )
}

/** How often a call that failed is tried again at most, as clients are set up: who counts calls may count none of these. */
const MOST_TRIES = 3

/** Intervals of counted calls that tell how often an entity is called. */
const LEAST_INTERVALS = 5

/**
 * Whether an entity counts more demand than usual while those who are known to call it make as many calls as ever: the rest
 * comes from somebody whose calls nobody counts (conservation of calls). Calls that failed and are tried again explain as many,
 * but not what grew by more than so many tries, as one route that others do not ask for.
 *
 * @param growth - by what factor, less one, all that is asked of it grew
 * @param share - of that growth by which its callers' calls may have grown at most
 */
export function comesInBeside(
  { edges }: Snapshot,
  { series: { entity }, onset, ended_at: ended, before: level, during: risen }: SeriesShift,
  growth: number,
  share: number,
): boolean {
  const counted = callsByInterval(pairsTo(edges, entity))
  // What was asked for a while is held against the calls of that while.
  const before = beginningWithin(counted, Number.NEGATIVE_INFINITY, onset.at)
  const during = beginningWithin(counted, onset.at, ended ?? Number.POSITIVE_INFINITY)
  if (Math.min(before.length, during.length) < LEAST_INTERVALS) return false
  const usual = usualCalls(before)
  const more = usualCalls(during) - usual
  const interval = Math.max(...counted.map(({ interval_s }) => interval_s))
  // What is tried again multiplies what was there by so much at most: what grew by more was not there to be tried again.
  const isNew = risen > (1 + MOST_TRIES) * level && (risen - level) * interval >= share * growth * usual
  const again = isNew ? 0 : MOST_TRIES * usualFailed(during)
  return more <= share * growth * usual && growth * usual - more > again
}

const isPerSecond = ({ type, unit }: Series): boolean => type === 'counter' || unit === '/s'

/** Rises of an entity's demand that are looked at, the clearest first: each of a hundred instances tells the same. */
const MOST_RISES = 3

/**
 * By what factor, less one, all that is asked of an entity grew when series of it rose; 0 where none did. A route, a version
 * or an instance is asked for more where others are asked for less, too. Of several counts of the same the largest holds the
 * others. Each entity is added up once.
 *
 * @param risen - shifts of demand that rose, the clearest first, none of them from zero
 */
export function demandGrowth(snapshot: Snapshot, risen: readonly SeriesShift[]): (entity: string) => number {
  const risenOf = Map.groupBy(risen, (shift) => shift.series.entity)
  const known = new Map<string, number>()
  return (entity) => {
    const before = known.get(entity)
    if (before !== undefined) return before
    const rises = (risenOf.get(entity) ?? []).slice(0, MOST_RISES)
    const grown = Math.max(
      0,
      ...rises.map((shift) => {
        const all = demandOfAll(snapshot, shift)
        return all.during / all.before - 1
      }),
    )
    known.set(entity, grown)
    return grown
  }
}

/** How much is asked of an entity usually and since it rose. */
interface Demand {
  readonly before: number
  readonly during: number
}

/** What was added up before of a snapshot, as long as it is kept: several steps ask for the same rises. */
const addedBefore = new WeakMap<Snapshot, WeakMap<SeriesShift, Demand>>()

/**
 * All that is asked of the entity of a risen series, before it rose and since: of several counts of the same the largest.
 * Added up once for each snapshot.
 */
export function demandOfAll(snapshot: Snapshot, shift: SeriesShift): Demand {
  let known = addedBefore.get(snapshot)
  if (known === undefined) {
    known = new WeakMap()
    addedBefore.set(snapshot, known)
  }
  const before = known.get(shift)
  if (before !== undefined) return before
  const demand = demandAmong(seriesOf(snapshot.series, shift.series.entity), shift)
  known.set(shift, demand)
  return demand
}

/** The same among the series of the entity. */
function demandAmong(ofEntity: readonly Series[], shift: SeriesShift): Demand {
  const { series: risen, onset, ended_at } = shift
  const counts = ofEntity.filter(
    (one) =>
      one === risen ||
      (one.type !== 'histogram' &&
        isPerSecond(one) === isPerSecond(risen) &&
        isDemand(one.name) &&
        readMetricName(one.name).meaning === 'throughput'),
  )
  const step = 2 * stepOf(risen)
  const slots: Slots = { from: onset.at, step }
  const until = ended_at === null ? Number.POSITIVE_INFINITY : slotOf(ended_at, slots)
  const sums = [...Map.groupBy(counts, formOf).values()].map((parts) => {
    const totals = sumBySlot(parts, slots)
    const usual = (from: number, to: number): number => {
      const middle = median(totals.within(from, to))
      return Number.isNaN(middle) ? 0 : middle
    }
    return { before: usual(Number.NEGATIVE_INFINITY, 0), during: usual(0, until) }
  })
  const most = sums.reduce((best, sum) => (sum.before > best.before ? sum : best), { before: 0, during: 0 })
  return most.before > 0 ? most : { before: shift.before, during: shift.during }
}

/** How one count is told apart: the same name with the same labels adds up, a whole and its parts do not. */
const formOf = ({ name, labels }: Series): string =>
  [name, ...Object.keys(labels).sort(compareText)].join(' ')

/** Milliseconds from one sample to the next, on the whole. */
const stepOf = ({ times }: Series): number =>
  Math.max(1, ((times.at(-1) ?? 0) - (times[0] ?? 0)) / Math.max(1, times.length - 1))

/** Slots of time of one length, in milliseconds, from an instant on. */
interface Slots {
  readonly from: number
  readonly step: number
}

/** The slot of an instant, a whole number that grows with it. */
const slotOf = (at: number, { from, step }: Slots): number => Math.floor((at - from) / step)

/**
 * What several series amount to at the same time, by slots of time: instances that took each other's place were never asked
 * together, so their usual levels do not add up.
 */
function sumBySlot(parts: readonly Series[], slots: Slots): SlotSums {
  const rates = parts.map(asRate)
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  let samples = 0
  for (const { times } of rates) {
    if (times.length === 0) continue
    first = Math.min(first, slotOf(times[0] as number, slots))
    last = Math.max(last, slotOf(times[times.length - 1] as number, slots))
    samples += times.length
  }
  const totals =
    samples > 0 && last - first < MOST_EMPTY * samples ? slotsInRow(first, last) : slotsByNumber()
  for (const { times, values } of rates) {
    // Times ascend, so samples of a slot follow each other.
    let [at, sum, count] = [Number.NaN, 0, 0]
    for (let index = 0; index < times.length; index++) {
      const value = values[index] as number
      if (!Number.isFinite(value)) continue
      const own = slotOf(times[index] as number, slots)
      if (own !== at) {
        if (count > 0) totals.add(at, sum / count)
        at = own
        sum = 0
        count = 0
      }
      sum += value
      count++
    }
    if (count > 0) totals.add(at, sum / count)
  }
  return totals
}

/** Slots for each sample from which a row of all of them is mostly empty: a step between samples is two slots at most where nothing is missed. */
const MOST_EMPTY = 4

/** Sums by slot of time. */
interface SlotSums {
  readonly add: (slot: number, value: number) => void
  /** The sums of the slots from one on that lie before another, where anything was added. */
  readonly within: (from: number, to: number) => readonly number[]
}

/** Sums of slots that lie close together: each at its place. */
function slotsInRow(first: number, last: number): SlotSums {
  const sums = new Float64Array(last - first + 1)
  const isAdded = new Uint8Array(sums.length)
  return {
    add: (slot, value) => {
      const index = slot - first
      sums[index] = (sums[index] as number) + value
      isAdded[index] = 1
    },
    within: (from, to) => {
      const found: number[] = []
      const end = Math.min(sums.length, to - first)
      for (let index = Math.max(0, from - first); index < end; index++)
        if (isAdded[index] === 1) found.push(sums[index] as number)
      return found
    },
  }
}

/** Sums of slots far apart. */
function slotsByNumber(): SlotSums {
  const sums = new Map<number, number>()
  return {
    add: (slot, value) => {
      sums.set(slot, (sums.get(slot) ?? 0) + value)
    },
    within: (from, to) => [...sums].flatMap(([slot, sum]) => (slot >= from && slot < to ? [sum] : [])),
  }
}
