/**
 * Every service with a score of how surely it fails, from independent signs: shifted series, new or grown error templates,
 * failing spans, flows of failed calls.
 */

import type { Onset } from '../deviations/change-point.ts'
import { failingSpans } from '../deviations/failing-spans.ts'
import { clearlyFelt, feltSince } from '../deviations/felt-onset.ts'
import { FELT, isBusy, isFelt, isRolling } from '../deviations/felt-symptoms.ts'
import { earliest, instant, narrowed, telling } from '../deviations/incident-onset.ts'
import { readMetricName } from '../deviations/metric-meaning.ts'
import { isAway, type SeriesShift } from '../deviations/series-shift.ts'
import type { EntityNames } from '../records/entity-names.ts'
import { isPatternFailing } from '../records/failure-words.ts'
import { compareText, type Template } from '../records/log-templates.ts'
import { firstAlert, type NormalTime } from '../records/normal-time.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Snapshot } from '../records/snapshot.ts'
import { anyOf, round6 } from '../statistics.ts'
import type { Blame } from './blame-services.ts'
import { type Flow, failedAt } from './call-graph.ts'
import type { CountedHarm } from './counted-since.ts'
import { compareFailing, FAILING, type FailingService, tellingShifts } from './failing-service.ts'

/** What a busy processor or a replaced instance is worth where the service's errors or waiting were measured and are as always. */
const HARMLESS = 0.3
/** Lines of a failure template that count as one full sign. */
const MANY_LINES = 5

/** What tells when somebody fails: which shifts do, and since when callers count it and whether they still do. */
export interface HarmTold {
  readonly isTelling: (shift: SeriesShift) => boolean
  readonly counted: ReadonlyMap<string, CountedHarm>
}

/**
 * The services that fail, most failing first.
 * @param onsetAt - when the symptoms began, ms since the epoch: what failing calls alone tell of began then at the latest
 * @param harm - what tells when it began
 */
export function scoreServices(
  snapshot: Snapshot,
  names: EntityNames,
  shifts: readonly SeriesShift[],
  templates: readonly Template[],
  flows: ReadonlyMap<string, Flow>,
  blameOf: ReadonlyMap<string, Blame>,
  normal: NormalTime,
  onsetAt: number,
  { isTelling, counted }: HarmTold,
): readonly FailingService[] {
  const failing: FailingService[] = []
  const worstSpans = failingSpans(snapshot, normal)
  const feltEntities = new Set<string>()
  for (const { entity } of seriesNamed(snapshot.series, isOfFelt)) feltEntities.add(entity)
  const shiftsOf = Map.groupBy(shifts.filter(isBad), entityOf)
  const linesOf = Map.groupBy(templates.filter(isFailureLine), ({ service }) => service)
  const patternsOf = Map.groupBy(snapshot.patterns.filter(isPatternFailing), ({ service }) =>
    names.canonical(service),
  )
  for (const entity of names.all) {
    const shown: Shown = {
      shifts: shiftsOf.get(entity) ?? [],
      templates: [...(linesOf.get(entity) ?? [])].sort(worstLineFirst),
      patterns: [...(patternsOf.get(entity) ?? [])].sort(
        (a, b) => b.count - a.count || compareText(a.signature, b.signature),
      ),
      error_spans: worstSpans.get(entity) ?? [],
      flow: flows.get(entity) ?? null,
    }
    const signs = signsOf(shown, feltEntities.has(entity))
    const score = round6(anyOf(signs.metrics, signs.logs, signs.traces, signs.edges))
    if (score < FAILING) continue
    const harm = counted.get(entity)
    const stillCounted = harm?.until === null
    failing.push({
      entity,
      score,
      onset:
        beganAt(shown, isTelling, harm?.since) ??
        // Calls were added up from the symptom's onset on, so that is when they failed at the latest.
        instant(signs.edges > 0 ? onsetAt : (firstAlert(snapshot) ?? onsetAt)),
      ended_at: stillCounted ? null : endOf(shown.shifts, harm?.until ?? null),
      still_counted: stillCounted,
      ...shown,
      blame: blameOf.get(entity) ?? null,
      signs: SIGNS.filter((sign) => signs[sign] >= 0.15),
    })
  }
  return failing.sort(compareFailing)
}

const isBad = ({ is_bad: bad }: SeriesShift): boolean => bad
const entityOf = ({ series }: SeriesShift): string => series.entity

/** Whether a name is of what users feel. */
const isOfFelt = (name: string): boolean => readMetricName(name).weight >= FELT

/** What an entity shows of failing. */
type Shown = Pick<FailingService, 'shifts' | 'templates' | 'patterns' | 'error_spans' | 'flow'>

/** The signs of failing that are independent of each other. */
const SIGNS = ['metrics', 'logs', 'traces', 'edges'] as const

/** A new or grown line that speaks of failing. */
const isFailureLine = ({ severity, change }: Template): boolean =>
  severity !== 'information' && (change === 'new' || change === 'grown')

const worstLineFirst = (a: Template, b: Template): number =>
  Number(b.severity === 'error') - Number(a.severity === 'error') ||
  b.during - a.during ||
  a.first_seen - b.first_seen ||
  compareText(a.text, b.text)

/**
 * How strongly each sign says that an entity fails, 0 to 1.
 *
 * @param isFeltMeasured - whether its errors or its users' waiting are measured at all
 */
function signsOf(
  { shifts, templates, patterns, error_spans: spans, flow }: Shown,
  isFeltMeasured: boolean,
): Readonly<Record<(typeof SIGNS)[number], number>> {
  // A processor that is busy while everybody is answered as before harms nobody: a nightly job, a backup.
  const isCalm = isFeltMeasured && !shifts.some(isFelt)
  const ofShift = (shift: SeriesShift): number =>
    shift.meaning.weight * strengthOf(shift) * (isCalm && (isBusy(shift) || isRolling(shift)) ? HARMLESS : 1)
  const ofLine = ({ severity, during }: Template): number =>
    (severity === 'error' ? 0.7 : 0.35) * Math.min(1, during / MANY_LINES)
  return {
    metrics: anyOf(...shifts.slice(0, 4).map(ofShift)),
    logs: anyOf(
      ...templates.slice(0, 4).map(ofLine),
      ...patterns.slice(0, 3).map((pattern) => 0.5 * Math.min(1, pattern.count / MANY_LINES)),
    ),
    traces: Math.min(0.5, spans.length * 0.25),
    edges: flow === null ? 0 : flowStrength(flow),
  }
}

/**
 * When an entity began to fail: as users felt it, narrowed by its errors, else by the next best that tells; null where nothing does.
 *
 * @param countedAt - since when its callers count that it fails, ms since the epoch
 */
function beganAt(
  { shifts, templates, error_spans: spans }: Shown,
  isTelling: (shift: SeriesShift) => boolean,
  countedAt: number | undefined,
): Onset | null {
  const hurting = shifts.filter((shift) => shift.meaning.weight >= 0.5 && isTelling(shift))
  const felt = clearlyFelt(hurting.filter(isFelt)).map(feltSince)
  const onsets = telling(hurting).map(({ onset }) => onset)
  const logOnset = templates
    .filter((template) => template.severity === 'error')
    .map((template) => instant(template.risen_at))
  const began =
    narrowed(earliest(felt), logOnset) ??
    // A resource may fill long before anybody fails for it.
    earliest(logOnset) ??
    earliest([...onsets, ...countedFrom(countedAt)]) ??
    earliest(spans.map((span) => instant(span.start)))
  // What was felt of it later was something else, or the same anew: its callers had been failed before.
  return began !== null && countedAt !== undefined && countedAt < began.earliest - MUCH_LATER_MS
    ? instant(countedAt)
    : began
}

/** So long after callers count it what is felt was not how it began, ms: two intervals of a minute, in which they are counted. */
const MUCH_LATER_MS = 2 * 60_000

const countedFrom = (at: number | undefined): readonly Onset[] => (at === undefined ? [] : [instant(at)])

/** Half at 5 standard deviations, near 1 beyond 20. */
const strengthOf = (shift: SeriesShift): number => shift.z / (shift.z + 5)
const flowStrength = (flow: Flow): number =>
  Math.max(
    flow.excess_failed > 0 ? Math.min(0.9, (failedAt(flow) / flow.calls) * 10) : 0,
    flow.excess_wait_ms > 0
      ? 0.9 * (flow.own_wait_ms / flow.excess_wait_ms) * Math.min(1, flow.own_wait_ms / flow.calls / 50)
      : 0,
  )

/**
 * Over only when everything that tells whether it is well is back and stays so; of whom nothing is measured, when callers no longer
 * count that it fails them.
 */
const endOf = (shifts: readonly SeriesShift[], countedUntil: number | null): number | null => {
  const telling = tellingShifts(shifts)
  if (telling.length === 0) return countedUntil
  if (telling.some(isAway)) return null
  return Math.max(...telling.map((shift) => shift.ended_at as number))
}
