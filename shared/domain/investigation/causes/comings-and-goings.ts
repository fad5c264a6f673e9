/**
 * A place that fails, is well again by itself and fails again: an instance that restarts or fails over, a loose link.
 * What a change brought stays in effect, so harm that comes and goes without one speaks for the thing itself.
 *
 * Method: hysteresis, as monitoring systems detect flapping (Nagios Core, "Detection and Handling of State Flapping"):
 * two thresholds between the normal level and the worst one, and a state changes only where a sample passes the far one.
 * Silent where demand came and went as well, which is reason enough, and of what did so for a part of the time only in which
 * users were hurt: what was quiet before, or is over while they still are, is not how it fails them.
 */

import { FELT, isFelt } from '../deviations/felt-symptoms.ts'
import { compareShifts } from '../deviations/incident-shifts.ts'
import { asRate, lowerBound, type SeriesShift } from '../deviations/series-shift.ts'
import { comesIn } from '../place/demand-from-outside.ts'
import type { Observed } from '../place/failing-services.ts'
import type { NormalTime } from '../records/normal-time.ts'
import type { Snapshot, Window } from '../records/snapshot.ts'
import { quantile } from '../statistics.ts'

/** Shares of the way from normal to the worst level: above the one it fails, below the other it is well. */
const FAILS = 0.5
const IS_WELL = 0.2
/** Quantile of the samples since the onset that is the worst level: one sample alone is none. */
const WORST = 0.9
/** Share of the time in which users were hurt, from its first failing to its last, that it must have come and gone in: most. */
const MOST_OF_HARM = 0.5
/** Times that it was well again before it failed anew: twice is no chance recovery. */
const LEAST_RETURNS = 2

export interface ComingAndGoing {
  readonly shift: SeriesShift
  /** How often it was well again and then failed anew. */
  readonly returns: number
}

/** The clearest measurement of the first failing place that comes and goes; null where none does. */
export function comingAndGoing(snapshot: Snapshot, observed: Observed): ComingAndGoing | null {
  const { first, shifts, normal, symptom_service } = observed
  if (first === null) return null
  const since: Window = { from: endOfNormal(normal), to: normal.incident.to }
  const harm = lengthOfHarm(observed)
  const pulses = (shift: SeriesShift): boolean => {
    const { returns, span } = pulsesOf(shift, since)
    return returns >= LEAST_RETURNS && span >= MOST_OF_HARM * harm
  }
  const [shift] = first.shifts
    .filter(
      // What is tried again or replaced comes and goes on any day.
      (shift) =>
        isFelt(shift) && (shift.meaning.meaning === 'errors' || shift.meaning.meaning === 'availability'),
    )
    .filter(pulses)
    .sort(compareShifts)
  if (shift === undefined) return null
  const asked = new Set(
    shifts
      .filter((one) => one.meaning.is_demand && one.direction === 'up' && pulses(one))
      .map(({ series }) => series.entity),
  )
  // Calls that are tried again come and go with the failing: only what comes in from outside explains it.
  const isAsked = (entity: string | null): boolean =>
    entity !== null && asked.has(entity) && comesIn(snapshot, observed, entity, (caller) => asked.has(caller))
  if (isAsked(first.entity) || isAsked(symptom_service)) return null
  return { shift, returns: pulsesOf(shift, since).returns }
}

/** Restarts since the onset that are no chance one. */
const LEAST_RESTARTS = 2
const RESTARTS = /(^|_)restarts?(_|$)/i

/** The count of restarts of the first failing place, where it rose and its memory did not: that would be another story. */
export function restarting(observed: Observed): SeriesShift | null {
  const isMemory = ({ meaning, direction }: SeriesShift): boolean =>
    meaning.resource === 'memory' && meaning.meaning === 'saturation' && direction === 'up'
  return observed.first?.shifts.some(isMemory) === true ? null : restarted(observed)
}

/** The count of restarts of the first failing place, where it rose. */
export function restarted({ first }: Observed): SeriesShift | null {
  if (first === null) return null
  return first.shifts.find(isRestarting) ?? null
}

/** Whether a count of restarts rose by more than a chance one. */
export const isRestarting = ({ series, before, extreme, direction }: SeriesShift): boolean =>
  series.type !== 'counter' &&
  RESTARTS.test(series.name) &&
  direction === 'up' &&
  extreme - before >= LEAST_RESTARTS

/** Where normal time before the incident ends; its own beginning where there is none. */
const endOfNormal = ({ baselines, incident }: NormalTime): number =>
  baselines.reduce((end, { to }) => (to <= incident.to ? Math.max(end, to) : end), incident.from)

/** How long who was asked about, or what first failed, was hurt in a way that users feel, ms. */
function lengthOfHarm({ shifts, first, onset, symptom_service: asked, normal }: Observed): number {
  if (onset === null) return 0
  const ends = shifts
    .filter(
      ({ series, meaning, is_bad: isBad }) =>
        isBad && meaning.weight >= FELT && (series.entity === asked || series.entity === first?.entity),
    )
    .map(({ ended_at }) => ended_at ?? normal.incident.to)
  return Math.max(0, ...ends.map((end) => end - onset.at))
}

/**
 * How often a series was back at its normal level and then left it anew, and how long from its first failing to its last, ms. Of
 * one that left it for a few samples only, the worst of most samples is its usual unrest.
 */
function pulsesOf(
  { series, before, direction, extreme }: SeriesShift,
  { from, to }: Window,
): { readonly returns: number; readonly span: number } {
  const { times, values } = asRate(series)
  const [start, end] = [lowerBound(times, from), lowerBound(times, to)]
  const worst = quantile(values.subarray(start, end), direction === 'up' ? WORST : 1 - WORST)
  if (Math.abs(worst - before) < FAILS * Math.abs(extreme - before)) return { returns: 0, span: 0 }
  const shareAt = (index: number): number => ((values[index] as number) - before) / (worst - before)
  const failing: number[] = []
  let fails = false
  let failures = 0
  for (let index = start; index < end; index++) {
    const share = shareAt(index)
    // While one version replaces another both are measured at one instant, of which the worse one tells.
    const isOutdone = (other: number): boolean => times[other] === times[index] && shareAt(other) > share
    if (isOutdone(index - 1) || isOutdone(index + 1)) continue
    if (!fails && share >= FAILS) failures += 1
    if (share >= FAILS) {
      fails = true
      failing.push(times[index] as number)
    } else if (share <= IS_WELL) fails = false
  }
  return { returns: Math.max(0, failures - 1), span: (failing.at(-1) ?? 0) - (failing[0] ?? 0) }
}
