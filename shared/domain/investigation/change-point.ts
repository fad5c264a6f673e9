/**
 * Where a series leaves its normal level, and where it comes back.
 *
 * Method: an epidemic change point. Every sample becomes a clipped robust z-score, and the stretch whose
 * summed excess over a threshold is the largest is the deviation (the maximal scoring segment, found in one
 * pass: Kadane; Ruzzo and Tompa, ISMB 1999; for change points Levin and Kline, 1985). Clipping keeps one
 * spike from outweighing a lasting shift and lets a slow ramp count from where it first leaves the noise.
 */

/** A sample further than this from normal says no more than this: 2 such samples already make a deviation. */
const CLIP = 8
/** Standard deviations that noise is allowed; 3 is the usual control-chart limit. */
const THRESHOLD = 3
/** Summed excess below which a stretch is noise: two samples at the clip, or ten at one above the threshold. */
const LEAST_TOTAL = 10

/** An instant with its uncertainty, all in milliseconds since the epoch. */
export interface Onset {
  readonly at: number
  readonly earliest: number
  readonly latest: number
}

/** A lasting departure from the normal level. Indices point into the series that was given. */
export interface Deviation {
  readonly direction: 'up' | 'down'
  readonly first: number
  /** Last index that still deviates. */
  readonly last: number
  readonly onset: Onset
  /** When the first normal sample after the deviation was taken; null when it lasts to the end. */
  readonly ended_at: number | null
  readonly total: number
}

/**
 * Finds the strongest lasting deviation of one direction or the other.
 * The onset lies between the last sample before it and one sampling interval after its first sample,
 * because a sample may sum up the interval that it opens.
 *
 * @param times - ascending instants in milliseconds
 * @param zScores - distance from normal in standard deviations; `NaN` where not measured
 * @returns null when nothing departs for long enough
 */
export function findDeviation(times: ArrayLike<number>, zScores: ArrayLike<number>): Deviation | null {
  const up = strongestStretch(zScores, 1)
  const down = strongestStretch(zScores, -1)
  const best = up.total >= down.total ? up : down
  if (best.total < LEAST_TOTAL) return null
  const at = times[best.first] as number
  const interval = medianInterval(times)
  const lastIndex = zScores.length - 1
  return {
    direction: best === up ? 'up' : 'down',
    first: best.first,
    last: best.last,
    onset: {
      at,
      earliest: best.first > 0 ? Math.max(times[best.first - 1] as number, at - 2 * interval) : at,
      latest: at + interval,
    },
    ended_at: best.last < lastIndex ? (times[best.last + 1] as number) : null,
    total: best.total,
  }
}

function strongestStretch(
  zScores: ArrayLike<number>,
  sign: 1 | -1,
): { first: number; last: number; total: number } {
  let running = 0
  let start = 0
  let best = { first: 0, last: 0, total: 0 }
  for (let index = 0; index < zScores.length; index++) {
    const z = zScores[index] as number
    if (!Number.isFinite(z)) continue
    const score = Math.max(-CLIP, Math.min(CLIP, z * sign)) - THRESHOLD
    if (running <= 0) {
      running = 0
      start = index
    }
    running += score
    if (running > best.total) best = { first: start, last: index, total: running }
  }
  return best
}

/** The usual distance between samples in milliseconds; 0 for fewer than two. */
export function medianInterval(times: ArrayLike<number>): number {
  if (times.length < 2) return 0
  const gaps: number[] = []
  // A sample of the gaps is enough: 64 of them fix the median of a regular series.
  const step = Math.max(1, Math.floor((times.length - 1) / 64))
  for (let index = step; index < times.length; index += step)
    gaps.push((times[index] as number) - (times[index - 1] as number))
  gaps.sort((a, b) => a - b)
  return gaps[Math.floor(gaps.length / 2)] as number
}
