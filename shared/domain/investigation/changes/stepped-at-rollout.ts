/**
 * What a service measures of itself and stepped when a change arrived there, before anybody was hurt.
 *
 * Method: three instants of which chance seldom lets two meet (Hill, The environment and disease: association or causation?,
 * 1965: temporality, specificity). A level of the very part that a change reached left normal in the minutes in which it
 * took effect, is off for as long as users are hurt, and was off before they were, so that no harm can be why: how often a
 * cache is asked in vain, how many connections are open, how long a statement runs. What it is need not be known. Left out is what
 * steps for other reasons all day: demand, which comes with those who ask; a processor, which is busy with any job; what moved
 * evenly, which has no such moment (`trend-of-series.ts`). Two levels say by themselves that no harm is why, so they count
 * until the harm: calls that a service makes beyond its demand and that no failed call explains (`demand-made-inside.ts`), and for
 * how long the longest statement runs, since what a clock counts up dates its own beginning.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { isBusy, isFelt } from '../deviations/felt-symptoms.ts'
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { movedEvenly } from '../deviations/trend-of-series.ts'
import type { Observed } from '../place/failing-services.ts'
import { outlasts } from '../place/told-lines.ts'
import type { Edge } from '../records/snapshot.ts'
import { asksOtherwise, callsTo } from './asks-otherwise.ts'
import type { Arrival } from './closeness.ts'
import { isOf, thingsOf } from './named-levels.ts'
import { ratesOfItsOwn } from './rates-of-its-own.ts'

/** How soon after it arrived a level shows what it does, ms: two samples of a minute. */
export const SHOWS_WITHIN_MS = 2 * 60_000

/**
 * For how long the longest of something runs in a store.
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW (query_start, xact_start)
 */
const RUNS =
  /\b(?:longest|oldest|max)(?: running)? (?:statement|query|transaction|xact|txn?)\b|\b(?:statement|query|transaction|xact|txn?) (?:age|running)\b/
const tellsHowLong = keptByName((name) => RUNS.test(wordsOf(name).join(' ')))
/** How far a clock that is read now and then may differ from one that runs, as a share of what it counted. */
const CLOCKLIKE = 0.1

/** What runs since an instant that its own length tells, with that instant as its onset; nothing where it does not count like a clock. */
function begun(shift: SeriesShift): readonly SeriesShift[] {
  const { name, unit, times, values } = shift.series
  if (!tellsHowLong(name)) return []
  const last = times.length - 1
  const before = times.findLastIndex((time) => time <= shift.onset.latest + SHOWS_WITHIN_MS)
  const scale = unit === 'ms' || /(?:_ms|millis\w*)$/i.test(name) ? 1 : 1_000
  const [end = 0, start = 0] = [times[last], times[before]]
  const grown = ((values[last] as number) - (values[before] as number)) * scale
  if (before < 0 || !(Math.abs(grown - (end - start)) < CLOCKLIKE * (end - start))) return []
  const at = Math.round(end - (values[last] as number) * scale)
  return [{ ...shift, onset: { at, earliest: at, latest: at } }]
}

/** What stepped by itself before users were hurt, and stays, at places that changes reached. */
export function stepsBefore(
  arrivals: readonly Arrival[],
  observed: Observed,
  edges: readonly Edge[],
): readonly SeriesShift[] {
  const { shifts, onset, made } = observed
  if (onset === null) return []
  const reached = new Set(
    arrivals.flatMap(({ place: { reaches }, trivial }) =>
      trivial === null && reaches !== null ? [reaches] : [],
    ),
  )
  const asked = asksOtherwise(edges, reached, observed)
  const own = [
    ...asked.filter(
      ({ series, direction }) =>
        direction === 'up' && series.entity === made?.caller && series.name === callsTo(made.callee),
    ),
    ...shifts.flatMap(begun).filter((shift) => shift.onset.at <= onset.at),
  ].filter((shift) => outlasts(observed, shift))
  const isOfItsOwn = ratesOfItsOwn(edges, observed)
  const before = [...shifts, ...asked].filter(
    (shift) =>
      !isFelt(shift) &&
      !isBusy(shift) &&
      (shift.is_bad || shift.meaning.meaning === 'other') &&
      shift.onset.latest < onset.earliest - CLOCK_TOLERANCE_MS &&
      outlasts(observed, shift) &&
      (!shift.meaning.is_demand || isOfItsOwn(shift)) &&
      movedEvenly(shift.series, onset.at) === null,
  )
  return [...own, ...before]
}

/** The step with which a change arrived; null where nothing stepped there then. */
const steppedWith = (
  steps: readonly SeriesShift[],
  { place, effective, trivial }: Arrival,
): SeriesShift | null =>
  trivial !== null || !effective.known
    ? null
    : (steps.find(
        ({ series, onset }) =>
          series.entity === place.reaches &&
          onset.latest >= effective.from - CLOCK_TOLERANCE_MS &&
          onset.earliest <= effective.to + SHOWS_WITHIN_MS,
      ) ?? null)

/**
 * The steps with which changes arrived. Of several that one rollout brought, it is of those that are about the thing whose level
 * stepped, where any is.
 */
export function stepsByArrival(
  steps: readonly SeriesShift[],
  arrivals: readonly Arrival[],
): ReadonlyMap<Arrival, SeriesShift> {
  const found = new Map<Arrival, SeriesShift>()
  for (const arrival of arrivals) {
    const step = steppedWith(steps, arrival)
    if (step !== null) found.set(arrival, step)
  }
  const isAbout = (arrival: Arrival, { series: { name } }: SeriesShift): boolean =>
    [...thingsOf(arrival)()].some((thing) => isOf(thing, name))
  const isAnothers = ([arrival, step]: readonly [Arrival, SeriesShift]): boolean =>
    arrival.rollout !== null &&
    [...found].some(
      ([other, own]) =>
        other !== arrival && own === step && other.rollout === arrival.rollout && isAbout(other, step),
    ) &&
    !isAbout(arrival, step)
  return new Map([...found].filter((each) => !isAnothers(each)))
}
