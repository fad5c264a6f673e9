/**
 * More demand than usual, as a cause: it rose before the symptoms, which must be those of overload, and it comes from outside.
 */

import { CONFIDENCE_CAP_CONSEQUENCE, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import { LINES } from '../deviations/counted-lines.ts'
import { FELT, hurtsUsers } from '../deviations/felt-symptoms.ts'
import { isDemand, readMetricName } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  comesIn,
  comesInBeside,
  demandGrowth,
  demandingCallers,
  LEAST_PASSED,
  MUCH_MORE,
  missedInFront,
} from '../place/demand-from-outside.ts'
import { explaining, holdsOn, type Scene } from '../place/told-lines.ts'
import { compareText } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { OUTCOME_LABELS } from './failing-nodes.ts'
import { oneAsker } from './one-asker.ts'
import { type OperationalCause, type Sign, shown } from './operational-cause.ts'

const OVERLOAD =
  /overload|time[d ]?[- ]?out|saturat|queue|exhaust|throttl|\b503\b|\b504\b|\b429\b|too many|latency|slow|backlog|reject|shed|deadline|capacity|duration|cpu|memory|pool|lag|rate.?limit/i

/** More requests of one outcome are no more requests: they end in another way. */
const isRisingDemand = (shift: SeriesShift): boolean =>
  isDemand(shift.series.name) &&
  shift.meaning.meaning === 'throughput' &&
  shift.direction === 'up' &&
  !OUTCOME_LABELS.some((label) => label in shift.series.labels)

/**
 * Where no calls were counted, who passes demand on is not known. What comes from outside comes in where users are
 * served: where the alerted service's demand was measured and did not rise, callers that try again made the rise.
 */
function servesMore({ snapshot, observed }: Scene, rises: (entity: string) => boolean): boolean {
  const { symptom_service: served } = observed
  return (
    served === null ||
    isCounted(snapshot) ||
    rises(served) ||
    !seriesOf(snapshot.series, served).some(({ name }) => isDemand(name))
  )
}

const isCounted = ({ edges, spans }: Snapshot): boolean => edges.length + spans.length > 0

/**
 * Work per request is what it was (the utilisation law, Denning and Buzen, 1978): where a processor or a memory grew by
 * more than its own service's demand, the surplus has another cause. This is the share of the growth that demand
 * explains, 1 where demand explains all of it or nothing of the kind was measured.
 */
function proportion(scene: Scene, rises: readonly SeriesShift[], most: number): number {
  const first = scene.observed.first?.entity
  const own = rises.find((shift) => shift.series.entity === first)
  // Whose own demand was measured and did not rise has no more work by what others are asked.
  const isMeasured = seriesOf(scene.snapshot.series, first).some(({ name }) => isDemand(name))
  const demand = own === undefined ? (isMeasured ? 1 : most) : own.during / own.before
  const growth = scene.observed.shifts.reduce(
    (largest, shift) =>
      shift.series.entity === first &&
      shift.is_bad &&
      shift.meaning.meaning === 'saturation' &&
      (shift.meaning.resource === 'cpu' || shift.meaning.resource === 'memory') &&
      shift.before > 0
        ? Math.max(largest, shift.during / shift.before)
        : largest,
    0,
  )
  // Twice: collections of garbage and context switches grow faster than what is asked.
  return growth <= 2 * demand ? 1 : (2 * demand) / growth
}

/**
 * Whether users were measured, nobody was hurt and nothing but resources tells of trouble: more demand is then served, and
 * what else a resource is used up by was not looked at.
 */
function isServed({ snapshot, observed }: Scene): boolean {
  const weightOf = ({ name }: { readonly name: string }): number => readMetricName(name).weight
  return (
    snapshot.series.some((series) => series.unit !== LINES && weightOf(series) >= FELT) &&
    !observed.shifts.some(hurtsUsers) &&
    observed.failing.every(({ signs }) => signs.every((sign) => sign === 'metrics'))
  )
}

/** Whether what an entity is asked for more was seen to be made by one of those who call, below whom it lies. */
const isMadeInside = ({ observed: { made, graph } }: Scene, entity: string): boolean =>
  made !== null && (entity === made.callee || graph.reachableFrom(made.callee).has(entity))

/** A cache that an outside party runs, in the words of those who sell such. */
const OF_PROVIDERS = /cdn|edge|cloudfront|cloudflare|fastly|akamai|front ?door/i

/** What it is worth that one of those who ask makes most of what is asked more: that is no chance, and nobody inside does. */
const ONE_ASKS = 0.7

/** Demand that rose by half or more before the symptoms, which must be those of overload. */
export function moreTraffic(scene: Scene): OperationalCause | null {
  const { symptom_service: served } = scene.observed
  const callersOf = ({ series }: SeriesShift): readonly string[] =>
    demandingCallers(scene.snapshot, scene.observed, series.entity)
  const risen = scene.observed.shifts.filter((shift) => isRisingDemand(shift) && shift.before > 0)
  const growthOf = demandGrowth(scene.snapshot, risen)
  const isPassedOn = (shift: SeriesShift): boolean => {
    const { before, during } = shift
    const { entity } = shift.series
    if (comesInBeside(scene.snapshot, shift, growthOf(entity), LEAST_PASSED)) return true
    const rises = (one: string): boolean => growthOf(one) >= LEAST_PASSED * (during / before - 1)
    return comesIn(scene.snapshot, scene.observed, entity, rises) && servesMore(scene, rises)
  }
  const rises = risen
    .filter(
      (shift) =>
        shift.during / shift.before >= MUCH_MORE &&
        growthOf(shift.series.entity) >= MUCH_MORE - 1 &&
        !isMadeInside(scene, shift.series.entity) &&
        isPassedOn(shift) &&
        holdsOn(scene.observed, shift) &&
        (scene.onset === null || shift.onset.earliest <= scene.onset),
    )
    .sort(
      (a, b) =>
        // Demand is named where it comes in, not where callers pass it on to: without counted calls where users are served.
        (isCounted(scene.snapshot)
          ? 0
          : Number(b.series.entity === served) - Number(a.series.entity === served)) ||
        callersOf(a).length - callersOf(b).length ||
        b.during / b.before - a.during / a.before ||
        a.onset.at - b.onset.at ||
        compareText(a.series.entity, b.series.entity),
    )
  const asker = oneAsker(scene)
  if (asker !== null && !isMadeInside(scene, asker.shift.series.entity)) {
    const { entity } = asker.shift.series
    return {
      ...{ kind: 'traffic', entity, action: 'scale', yields_to_changes: true },
      score: round6(ONE_ASKS * explaining(scene, OVERLOAD) * proportion(scene, rises, asker.growth)),
      what: 'more traffic than usual, most of it of one who asks',
      // What lies below is asked for more as well, which a count of one place that is wrong would not bring about.
      signs: [
        asker.shift,
        ...rises.filter(({ series }) => series !== asker.shift.series).slice(0, 2),
      ].flatMap(asSign),
    }
  }
  const [rise] = rises
  if (rise === undefined) return null
  const ratio = rise.during / rise.before
  const score = round6(
    Math.min(0.7, 0.35 + 0.15 * Math.log2(ratio)) *
      explaining(scene, OVERLOAD) *
      proportion(scene, rises, ratio),
  )
  const missed = missedInFront(scene.observed.shifts, rise)
  if (missed !== undefined)
    return {
      kind: OF_PROVIDERS.test(`${missed.series.entity} ${missed.series.name}`) ? 'provider' : 'infra',
      ...{ entity: missed.series.entity, score, action: 'escalate', yields_to_changes: true },
      what: 'a cache in front that no longer answers, so that what stands behind it is asked for everything',
      signs: [missed, ...rises.slice(0, 2)].flatMap(asSign),
      // Why it finds no more is not told by that: somebody may have emptied it, or changed what is kept.
      at_most: CONFIDENCE_CAP_CONSEQUENCE,
    }
  return {
    ...{ kind: 'traffic', entity: cameIn(scene, rise, growthOf), score },
    what: 'more traffic than usual',
    signs: rises.slice(0, 3).flatMap(asSign),
    action: 'scale',
    yields_to_changes: true,
    ...(isServed(scene) ? { at_most: CONFIDENCE_CAP_UNMAPPED } : {}),
  }
}

const asSign = (shift: SeriesShift): readonly Sign[] => shown(shift, 0.4)

/**
 * Where demand came in that was clearest seen at one place: its callers passed it on where they are asked for more themselves,
 * whenever that was seen.
 */
function cameIn(
  { snapshot, observed }: Scene,
  rise: SeriesShift,
  growthOf: (entity: string) => number,
): string {
  const most = LEAST_PASSED * (rise.during / rise.before - 1)
  const climb = (entity: string, seen: ReadonlySet<string>): string => {
    const [above] = demandingCallers(snapshot, observed, entity)
      .filter((caller) => !seen.has(caller) && growthOf(caller) >= most)
      .sort((a, b) => growthOf(b) - growthOf(a) || compareText(a, b))
    return above === undefined ? entity : climb(above, new Set(seen).add(above))
  }
  const { entity } = rise.series
  return comesInBeside(snapshot, rise, growthOf(entity), LEAST_PASSED)
    ? entity
    : climb(entity, new Set([entity]))
}
