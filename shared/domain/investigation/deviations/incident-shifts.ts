/**
 * Which series left normal in the incident at hand, and what is normal where nobody declared it.
 */

import { compareText } from '../records/log-templates.ts'
import { type NormalTime, normalTime } from '../records/normal-time.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import type { Onset } from './change-point.ts'
import { clearlyFelt, feltSince } from './felt-onset.ts'
import { hurtsUsers, isSymptom } from './felt-symptoms.ts'
import { earliest, onsetOf } from './incident-onset.ts'
import { risenRate } from './risen-rate.ts'
import { findShift, type SeriesShift } from './series-shift.ts'

/** Standard deviations from which lines lie closer together than before; 3 is the usual control-chart limit. */
const CLOSER = 3

/** Since when lines come more often than before. */
export function beginningOf(times: readonly number[], normal: NormalTime): number | null {
  const risen = risenRate(times, normal)
  return risen === null || risen.z < CLOSER ? null : risen.at
}

/** Normal time, reaching up to the onset where none was declared and a first look tells the onset. */
export function normalFor(snapshot: Snapshot, service: string | null, fired: number | null): NormalTime {
  const rough = normalTime(snapshot)
  if (rough.origin === 'declared') return rough
  // What was asked about tells the onset; all else is looked at only where it shows none.
  const own = shiftsOf(seriesOf(snapshot.series, service), rough)
  const shifts = own.some(isSymptom) ? own : shiftsOf(snapshot.series, rough)
  const guess = onsetOf(shiftsOfIncident(shifts, service, fired), service)
  if (guess === null) return rough
  const refined = normalTime(snapshot, guess.at)
  return refined.origin === 'none' ? rough : refined
}

/**
 * The series that left normal, strongest first.
 * @param lasting - until when they have to be away at least, epoch milliseconds
 */
export function shiftsOf(
  list: readonly Series[],
  normal: NormalTime,
  lasting: number = Number.NEGATIVE_INFINITY,
): readonly SeriesShift[] {
  const shifts: SeriesShift[] = []
  for (let index = 0; index < list.length; index++) {
    const shift = findShift(list[index] as Series, normal, lasting)
    if (shift !== null) shifts.push(shift)
  }
  return strongestFirst(shifts)
}

/** A shift with what tells most of them apart. */
interface Weighed {
  readonly shift: SeriesShift
  readonly weight: number
  readonly z: number
}

const weighed = (shift: SeriesShift): Weighed => ({ shift, weight: weightOf(shift), z: round6(shift.z) })
const compareWeighed = (a: Weighed, b: Weighed): number =>
  b.weight - a.weight || b.z - a.z || compareShifts(a.shift, b.shift)
const shiftOf = ({ shift }: Weighed): SeriesShift => shift

/** The same shifts as {@link compareShifts} orders them; what tells most of them apart is rounded once for each. */
const strongestFirst = (shifts: readonly SeriesShift[]): readonly SeriesShift[] =>
  shifts.map(weighed).sort(compareWeighed).map(shiftOf)

const weightOf = ({ meaning, is_bad }: SeriesShift): number => round6(meaning.weight * Number(is_bad))

/** Strongest first; ties by time, then by what was measured, last by the labels for the sake of a fixed order. */
export function compareShifts(a: SeriesShift, b: SeriesShift): number {
  return (
    weightOf(b) - weightOf(a) ||
    round6(b.z) - round6(a.z) ||
    a.onset.at - b.onset.at ||
    round6(b.during) - round6(a.during) ||
    compareText(a.series.name, b.series.name) ||
    compareText(a.series.entity, b.series.entity) ||
    compareText(JSON.stringify(a.series.labels), JSON.stringify(b.series.labels))
  )
}

/** What was over this long before users felt anything was another matter, ms: clocks and sampling differ by less. */
const OVER_MS = 5 * 60_000

/**
 * What belongs to the incident: what the alerted service's users feel while its alert fires anchors its beginning, so what
 * was over before does not count. An alert rule waits for what it fires for; what was over by then it did not fire for.
 * @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/ (`for`)
 */
export function shiftsOfIncident(
  shifts: readonly SeriesShift[],
  service: string | null,
  fired: number | null,
): readonly SeriesShift[] {
  const anchor = anchorOf(shifts, service, fired)
  if (anchor === null) return shifts
  const ofIncident: SeriesShift[] = []
  for (const shift of shifts) {
    const { ended_at: ended, series } = shift
    // Clocks and sampling of one entity are the same.
    if (ended === null || ended >= anchor.earliest - (series.entity === service ? 0 : OVER_MS))
      ofIncident.push(shift)
  }
  return ofIncident
}

/** The beginning of what the alerted service's users feel while its alert fires; null where they feel nothing. */
function anchorOf(
  shifts: readonly SeriesShift[],
  service: string | null,
  fired: number | null,
): Onset | null {
  const felt: SeriesShift[] = []
  for (const shift of shifts) if (shift.series.entity === service && hurtsUsers(shift)) felt.push(shift)
  const lasting = felt.filter(({ ended_at }) => ended_at === null || fired === null || ended_at >= fired)
  return earliest(clearlyFelt(lasting.length > 0 ? lasting : felt).map(feltSince))
}

/**
 * The series that left normal in the incident, strongest first: what {@link shiftsOfIncident} leaves of all that did. More than
 * half of them were over before it as a rule, of which nothing else has to be known.
 */
export function incidentShifts(
  list: readonly Series[],
  normal: NormalTime,
  service: string | null,
  fired: number | null,
): readonly SeriesShift[] {
  const own = shiftsOf(seriesOf(list, service), normal)
  const anchor = anchorOf(own, service, fired)
  const since = anchor === null ? Number.NEGATIVE_INFINITY : anchor.earliest - OVER_MS
  const others = list.filter(({ entity }) => entity !== service)
  return shiftsOfIncident(strongestFirst([...own, ...shiftsOf(others, normal, since)]), service, fired)
}

/** Where normal time before the incident ends, ms since the epoch; null where none lies before it. */
export const lastNormal = (normal: NormalTime): number | null =>
  normal.baselines
    .filter((baseline) => baseline.to <= normal.incident.to)
    .reduce<number | null>((latest, baseline) => Math.max(latest ?? 0, baseline.to), null)
