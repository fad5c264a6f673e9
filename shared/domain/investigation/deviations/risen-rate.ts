/**
 * Since when something that happens now and then happens more often than it used to.
 *
 * Method: a scan for one change of a Poisson rate. From each occurrence on, those that follow are compared with what
 * normal time lets expect, by the likelihood ratio of a higher rate; its signed root is near a standard deviation. The
 * occurrence that opens a stretch is not counted in it, or every single one would be the densest stretch there is.
 * Source: conditional comparison of two rates (Przyborowski and Wilenski, Biometrika 1940) and the scan statistic
 * (Kulldorff, Communications in Statistics 1997).
 */
import { isNormalTime, type NormalTime, normalLength } from '../records/normal-time.ts'

/** What was not seen in normal time may still be seen half a time in as long: Jeffreys' prior of a Poisson rate. */
const UNSEEN = 0.5
/** Of the occurrences looked at from; more of them fix the beginning no better and cost time. */
const MOST_BEGINNINGS = 200

export interface Risen {
  readonly at: number
  /** Distance from the usual rate, in standard deviations. */
  readonly z: number
}

/**
 * @param times - when it happened, ascending; the same instant several times where it happened so often
 * @returns the beginning of the stretch that is furthest from the usual rate; null where nothing happens more often
 */
export function risenRate(times: readonly number[], normal: NormalTime): Risen | null {
  const calmMs = normalLength(normal)
  if (calmMs <= 0) return null
  const during = times.filter((at) => at < normal.incident.to && !isNormalTime(normal, at))
  const usual = (times.filter((at) => isNormalTime(normal, at)).length + UNSEEN) / calmMs
  let best: Risen | null = null
  for (let index = 0; index < Math.min(during.length, MOST_BEGINNINGS); index++) {
    const at = during[index] as number
    const following = during.length - index - 1
    const expected = usual * Math.max(1, normal.incident.to - at)
    if (following <= expected) continue
    const z = Math.sqrt(2 * (following * Math.log(following / expected) - (following - expected)))
    if (best === null || z > best.z) best = { at, z }
  }
  return best
}
