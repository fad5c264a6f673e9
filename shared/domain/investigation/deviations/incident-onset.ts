/**
 * When what fails began to.
 */
import type { Onset } from './change-point.ts'
import { clearlyFelt, feltSince } from './felt-onset.ts'
import { isBusy, isFelt, isSymptom } from './felt-symptoms.ts'
import type { SeriesShift } from './series-shift.ts'

/** When the symptoms of a service began, or those of all services where it shows none; null where nobody shows any. */
export function onsetOf(shifts: readonly SeriesShift[], service: string | null): Onset | null {
  const symptoms = shifts.filter(isSymptom)
  const own = symptoms.filter((shift) => shift.series.entity === service)
  return earliest(telling(own.length > 0 ? own : symptoms).map(feltSince))
}

/**
 * What users feel tells when it began; where nothing of it shifted, all but busy processors, and at last these. Causes
 * smoulder, and instances come and go, before and without anybody noticing.
 */
export function telling(shifts: readonly SeriesShift[]): readonly SeriesShift[] {
  const felt = shifts.filter(isFelt)
  if (felt.length > 0) return clearlyFelt(felt)
  const some = shifts.filter((shift) => !isBusy(shift))
  return some.length > 0 ? some : shifts
}

/** The earliest of several onsets, of equals the surer one; null of none. */
export const earliest = (onsets: readonly Onset[]): Onset | null =>
  onsets.reduce<Onset | null>(
    (best, onset) =>
      best === null || onset.at < best.at || (onset.at === best.at && onset.latest < best.latest)
        ? onset
        : best,
    null,
  )

/** A failure line within the interval that the samples leave open says until when at the latest. */
export function narrowed(onset: Onset | null, lines: readonly Onset[]): Onset | null {
  if (onset === null) return null
  const latest = lines
    .filter((line) => line.at >= onset.at && line.at <= onset.latest)
    .reduce((least, line) => Math.min(least, line.at), onset.latest)
  return { ...onset, latest }
}

/** An onset that is known to the instant. */
export const instant = (at: number): Onset => ({ at, earliest: at, latest: at })
