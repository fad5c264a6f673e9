/**
 * Since when users felt what a series shows: a little slower for a while and then a collapse began with the collapse.
 *
 * Method: the largest step of a stretch is where a binary segmentation splits it first (Scott and Knott, Biometrics 1974).
 * Where a series stays within a tenth of its later rise and then takes half of the rise within two samples, the step is the
 * onset. A rise without such a step counts from where it left the noise, since what grows slowly began there.
 */
import type { Onset } from './change-point.ts'
import { asRate, lowerBound, type SeriesShift } from './series-shift.ts'

/** Share of the later rise below which nobody notices, and from which everybody does. */
const SLIGHT = 0.1
const HALF = 0.5
/** Samples that a step may take: one that was cut by the step and the next. */
const STEP_SAMPLES = 2
/** Share of the samples before the step that must be slight. */
const MOSTLY = 0.8
/** By what factor an answer must take longer for anybody to feel it: below that, days differ by as much. */
const NOTICED = 1.25

/** The onset of a shift, or of the step in it. */
export function feltSince({ series, before, during, onset, ended_at }: SeriesShift): Onset {
  const { times, values } = asRate(series)
  const first = lowerBound(times, onset.at)
  const end = ended_at === null ? times.length : lowerBound(times, ended_at)
  const share = (index: number): number => ((values[index] as number) - before) / (during - before)
  let top = first
  while (top < end && !(share(top) >= HALF)) top++
  if (top >= end) return onset
  let foot = top
  while (foot > first && share(foot - 1) >= SLIGHT) foot--
  if (foot === first || top - foot > STEP_SAMPLES) return onset
  let slight = 0
  for (let index = first; index < foot; index++) if (!(share(index) >= SLIGHT)) slight++
  if (slight < MOSTLY * (foot - first)) return onset
  const at = times[foot] as number
  return { at, earliest: times[foot - 1] as number, latest: at + (onset.latest - onset.at) }
}

/** Whether answers took longer by so little that nobody felt it. */
const isSlight = ({ meaning, before, during }: SeriesShift): boolean =>
  meaning.meaning === 'latency' && during < NOTICED * before

/** Where something was hurt clearly, what moved a little tells nothing of when. */
export function clearlyFelt(shifts: readonly SeriesShift[]): readonly SeriesShift[] {
  const clear = shifts.filter((shift) => !isSlight(shift))
  return clear.length > 0 ? clear : shifts
}
