/**
 * Robust statistics over plain or typed arrays. `NaN` means "not measured" and is skipped everywhere.
 * Method: order statistics only, so that one wild value cannot move a result.
 */

/** Makes the median absolute deviation of normal data equal its standard deviation (1 / Φ⁻¹(0.75)). */
export const MAD_TO_SIGMA = 1.4826
/** The same for the spread between the 5 % and the 95 % quantile (2 × 1.645). */
const Q90_SPREAD_TO_SIGMA = 3.29

/** What selection works on: kept between calls, for copies of thousands of series would be the most of the work. */
let scratch = new Float64Array(1_024)
let distances = new Float64Array(1_024)

/** Copies the measured ones of every n-th value into the scratch; how many there are. */
function copyMeasured(values: ArrayLike<number>, step = 1): number {
  if (values.length > scratch.length) {
    scratch = new Float64Array(2 * values.length)
    distances = new Float64Array(2 * values.length)
  }
  let count = 0
  for (let index = 0; index < values.length; index += step) {
    const value = values[index] as number
    if (Number.isFinite(value)) scratch[count++] = value
  }
  return count
}

/**
 * The value of a rank, with no smaller one behind it and no larger one before it afterwards: a median needs no sort.
 * Method: selection by partition (Hoare, Algorithm 65: FIND, 1961) with the median of three as pivot.
 */
function select(list: Float64Array, rank: number, from: number, to: number): number {
  let low = from
  let high = to
  while (low < high) {
    const a = list[low] as number
    const b = list[(low + high) >>> 1] as number
    const c = list[high] as number
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b
    let left = low
    let right = high
    while (left <= right) {
      while ((list[left] as number) < pivot) left++
      while ((list[right] as number) > pivot) right--
      if (left > right) break
      const held = list[left] as number
      list[left++] = list[right] as number
      list[right--] = held
    }
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else break
  }
  return list[rank] as number
}

/**
 * Linear-interpolated quantile (Hyndman–Fan type 7) of the first values of a list that may be reordered; `NaN` when
 * there are none. Both it and the next one up must stand from `from` to `to`, as they do after an earlier selection of
 * these ranks.
 */
function quantileOf(
  list: Float64Array,
  count: number,
  share: number,
  from = 0,
  to: number = count - 1,
): number {
  if (count === 0) return Number.NaN
  const position = (count - 1) * share
  const below = Math.floor(position)
  const low = select(list, below, from, to)
  if (below >= to) return low
  // The next one up is the least of what stands behind.
  let high = list[below + 1] as number
  for (let index = below + 2; index <= to; index++) {
    const value = list[index] as number
    if (value < high) high = value
  }
  return low + (high - low) * (position - below)
}

/** Quantile of values in any order; `NaN` when nothing was measured. */
export const quantile = (values: ArrayLike<number>, share: number): number => {
  const count = copyMeasured(values)
  return quantileOf(scratch, count, share)
}

/** Median; `NaN` when nothing was measured. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5)

/** Median absolute deviation from the median, unscaled; `NaN` when nothing was measured. */
export function medianAbsoluteDeviation(values: ArrayLike<number>): number {
  const count = copyMeasured(values)
  return deviationOf(count, quantileOf(scratch, count, 0.5))
}

/** Median distance of the scratch's first values from the middle. */
function deviationOf(count: number, middle: number): number {
  for (let index = 0; index < count; index++) distances[index] = Math.abs((scratch[index] as number) - middle)
  return quantileOf(distances, count, 0.5)
}

/** Distance between the upper and the lower quartile; `NaN` when nothing was measured. */
export function interquartileRange(values: ArrayLike<number>): number {
  const count = copyMeasured(values)
  const lower = quantileOf(scratch, count, 0.25)
  return quantileOf(scratch, count, 0.75) - lower
}

/** So many values fix a quantile well enough; more of them only cost time. */
const MOST_LOOKED_AT = 256

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
 * @param floorAt - the smallest spread at a median, in the unit of the values
 */
export function normalLevel(
  values: ArrayLike<number>,
  relativeFloor: number,
  floorAt: (middle: number) => number,
): Level | null {
  const count = copyMeasured(values, Math.max(1, Math.floor(values.length / MOST_LOOKED_AT)))
  if (count === 0) return null
  const half = Math.floor((count - 1) / 2)
  const middle = quantileOf(scratch, count, 0.5)
  const lower = quantileOf(scratch, count, 0.05, 0, half)
  const upper = quantileOf(scratch, count, 0.95, half)
  const deviation = deviationOf(count, middle)
  const spread = Math.max(
    deviation * MAD_TO_SIGMA,
    (upper - lower) / Q90_SPREAD_TO_SIGMA,
    Math.abs(middle) * relativeFloor,
    floorAt(middle),
  )
  return { middle, spread, count }
}

/** Rounded to 6 digits after the point, so that the order of additions cannot show in an order of scores. */
export const round6 = (value: number): number => Math.round(value * 1e6) / 1e6

/**
 * The chance that at least one of independent signs holds, each given as a probability.
 * Source: noisy-or (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988).
 */
export const anyOf = (...chances: readonly number[]): number =>
  1 - chances.reduce((none, chance) => none * (1 - Math.min(1, Math.max(0, chance))), 1)
