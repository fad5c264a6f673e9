/**
 * Whether demand comes from outside or is made inside.
 *
 * Who calls passes demand on, so where callers were measured and none of them is asked for more, what arrives more often
 * below them was made on the way: calls that are tried again, or another way through the code.
 */
import { callersOf } from './call-graph.ts'
import type { Observed } from './failing-services.ts'
import { isDemand, readMetricName } from './metric-meaning.ts'
import { asRate, lowerBound, type SeriesShift } from './series-shift.ts'
import type { Series, Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'

/** By what factor demand must have grown: what grows by less is within what a system is made for. */
export const MUCH_MORE = 1.5

/** Callers of an entity whose own demand is measured. */
export function demandingCallers(
  { series }: Snapshot,
  { graph }: Observed,
  entity: string,
): readonly string[] {
  return callersOf(graph, entity).filter((caller) =>
    series.some((one) => one.entity === caller && isDemand(one.name)),
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
 * comes from somebody whose calls nobody counts (conservation of calls). Calls that failed and are tried again explain as many.
 *
 * @param growth - by what factor, less one, all that is asked of it grew
 * @param share - of that growth by which its callers' calls may have grown at most
 */
export function comesInBeside(
  { edges }: Snapshot,
  { series: { entity }, onset }: SeriesShift,
  growth: number,
  share: number,
): boolean {
  const sums = new Map<number, { calls: number; failed: number }>()
  for (const { callee, t0, calls, failed = 0 } of edges) {
    if (callee !== entity || calls === undefined) continue
    const sum = sums.get(t0) ?? { calls: 0, failed: 0 }
    sums.set(t0, { calls: sum.calls + calls, failed: sum.failed + failed })
  }
  const counts = (isSince: boolean) =>
    [...sums].flatMap(([t0, sum]) => (t0 >= onset.at === isSince ? [sum] : []))
  const [before, during] = [counts(false), counts(true)]
  if (Math.min(before.length, during.length) < LEAST_INTERVALS) return false
  const usualCalls = median(before.map(({ calls }) => calls))
  const more = median(during.map(({ calls }) => calls)) - usualCalls
  const again = MOST_TRIES * median(during.map(({ failed }) => failed))
  return more <= share * growth * usualCalls && growth * usualCalls - more > again
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
export function demandGrowth(
  { series }: Snapshot,
  risen: readonly SeriesShift[],
): (entity: string) => number {
  const seriesOf = Map.groupBy(series, ({ entity }) => entity)
  const risenOf = Map.groupBy(risen, (shift) => shift.series.entity)
  const known = new Map<string, number>()
  return (entity) => {
    const before = known.get(entity)
    if (before !== undefined) return before
    const rises = (risenOf.get(entity) ?? []).slice(0, MOST_RISES)
    const grown = Math.max(0, ...rises.map((shift) => growthOfAll(seriesOf.get(entity) ?? [], shift) - 1))
    known.set(entity, grown)
    return grown
  }
}

function growthOfAll(ofEntity: readonly Series[], shift: SeriesShift): number {
  const { series: risen, onset, ended_at } = shift
  const others = ofEntity.filter(
    (one) =>
      one !== risen &&
      one.type !== 'histogram' &&
      isPerSecond(one) === isPerSecond(risen) &&
      isDemand(one.name) &&
      readMetricName(one.name).meaning === 'throughput',
  )
  const sums = new Map([[risen.name, { before: shift.before, during: shift.during }]])
  for (const one of others) {
    const { times, values } = asRate(one)
    const [from, to] = [lowerBound(times, onset.at), lowerBound(times, ended_at ?? Number.POSITIVE_INFINITY)]
    const sum = sums.get(one.name) ?? { before: 0, during: 0 }
    sums.set(one.name, {
      before: sum.before + usual(values.subarray(0, from)),
      during: sum.during + usual(values.subarray(from, to)),
    })
  }
  const whole = [...sums.values()].reduce((most, sum) => (sum.before > most.before ? sum : most))
  return whole.during / whole.before
}

/** The median of what was measured, 0 where nothing was: an instance that was not there was not asked. */
function usual(values: Float64Array): number {
  const middle = median(values)
  return Number.isNaN(middle) ? 0 : middle
}
