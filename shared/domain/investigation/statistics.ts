/**
 * Robust statistics over plain or typed arrays. `NaN` means "not measured" and is skipped everywhere.
 * Method: order statistics only, so that one wild value cannot move a result.
 */

/** Makes the median absolute deviation of normal data equal its standard deviation (1 / Φ⁻¹(0.75)). */
export const MAD_TO_SIGMA = 1.4826
/** The same for the spread between the 5 % and the 95 % quantile (2 × 1.645). */
const Q90_SPREAD_TO_SIGMA = 3.29

/** The measured values in ascending order. */
export function sortedMeasured(values: ArrayLike<number>): Float64Array {
  const kept = new Float64Array(values.length)
  let count = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    if (Number.isFinite(value)) kept[count++] = value
  }
  return kept.subarray(0, count).sort()
}

/** Linear-interpolated quantile of values in ascending order (Hyndman–Fan type 7); `NaN` when empty. */
export function quantileOfSorted(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const low = sorted[below] as number
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number
  return low + (high - low) * (position - below)
}

/** Quantile of values in any order; `NaN` when nothing was measured. */
export const quantile = (values: ArrayLike<number>, share: number): number =>
  quantileOfSorted(sortedMeasured(values), share)

/** Median; `NaN` when nothing was measured. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5)

/** Median absolute deviation from the median, unscaled; `NaN` when nothing was measured. */
export function medianAbsoluteDeviation(values: ArrayLike<number>): number {
  const sorted = sortedMeasured(values)
  return deviationOfSorted(sorted, quantileOfSorted(sorted, 0.5))
}

/** Median distance from the middle, in one pass from the middle outwards instead of a second sort. */
function deviationOfSorted(sorted: Float64Array, middle: number): number {
  const { length } = sorted
  if (length === 0) return Number.NaN
  let right = 0
  while (right < length && (sorted[right] as number) < middle) right++
  let left = right - 1
  let previous = 0
  let distance = 0
  // The median of `length` values needs those at the two middle ranks, which are one where the count is odd.
  for (let rank = 0; rank <= Math.floor(length / 2); rank++) {
    previous = distance
    const below = left >= 0 ? middle - (sorted[left] as number) : Number.POSITIVE_INFINITY
    const above = right < length ? (sorted[right] as number) - middle : Number.POSITIVE_INFINITY
    if (below <= above) {
      distance = below
      left--
    } else {
      distance = above
      right++
    }
  }
  return length % 2 === 1 ? distance : (previous + distance) / 2
}

/** Distance between the upper and the lower quartile; `NaN` when nothing was measured. */
export function interquartileRange(values: ArrayLike<number>): number {
  const sorted = sortedMeasured(values)
  return quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25)
}

/** So many values fix a quantile well enough; sorting more of them is what would cost the time. */
const MOST_SORTED = 256

/** Every n-th value, so that about as many remain as are sorted at most. */
export function thinned(values: ArrayLike<number>): ArrayLike<number> {
  const step = Math.floor(values.length / MOST_SORTED)
  if (step < 2) return values
  const kept = new Float64Array(Math.floor((values.length - 1) / step) + 1)
  for (let index = 0; index < kept.length; index++) kept[index] = values[index * step] as number
  return kept
}

/** Middle and spread of values that count as normal. */
export interface Level {
  readonly middle: number
  readonly spread: number
  readonly count: number
}

/**
 * The normal level of a series. The spread is the largest of three: deviation around the median,
 * distance of the outer quantiles (a bimodal but normal series), and a floor relative to the level,
 * without which a constant series makes every rounding step an anomaly.
 *
 * @param relativeFloor - share of the median, e.g. 0.02
 * @param absoluteFloor - in the unit of the values
 */
export function normalLevel(
  values: ArrayLike<number>,
  relativeFloor: number,
  absoluteFloor: number,
): Level | null {
  const sorted = sortedMeasured(thinned(values))
  if (sorted.length === 0) return null
  const middle = quantileOfSorted(sorted, 0.5)
  const deviation = deviationOfSorted(sorted, middle)
  const outer = quantileOfSorted(sorted, 0.95) - quantileOfSorted(sorted, 0.05)
  const spread = Math.max(
    deviation * MAD_TO_SIGMA,
    outer / Q90_SPREAD_TO_SIGMA,
    Math.abs(middle) * relativeFloor,
    absoluteFloor,
  )
  return { middle, spread, count: sorted.length }
}

/** Rounded to 6 digits after the point, so that the order of additions cannot show in an order of scores. */
export const round6 = (value: number): number => Math.round(value * 1e6) / 1e6

/**
 * The chance that at least one of independent signs holds, each given as a probability.
 * Source: noisy-or (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988).
 */
export const anyOf = (...chances: readonly number[]): number =>
  1 - chances.reduce((none, chance) => none * (1 - Math.min(1, Math.max(0, chance))), 1)
