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

function makeRoom(count: number): void {
  if (count <= scratch.length) return
  scratch = new Float64Array(2 * count)
  distances = new Float64Array(2 * count)
}

/** Copies the measured ones of every n-th value of a stretch into the scratch; how many there are. */
function copyMeasured(values: ArrayLike<number>, step = 1, from = 0, to: number = values.length): number {
  makeRoom(to - from)
  let count = 0
  for (let index = from; index < to; index += step) {
    const value = values[index] as number
    if (Number.isFinite(value)) scratch[count++] = value
  }
  return count
}

/** Between which values those lie that `copyWithRange` copied: the least and the most. */
const range = new Float64Array(2)

/** The same as `copyMeasured`, with their range, for which they need not be gone over once more. */
function copyWithRange(values: ArrayLike<number>, step: number, from: number, to: number): number {
  makeRoom(to - from)
  let count = 0
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let index = from; index < to; index += step) {
    const value = values[index] as number
    if (!Number.isFinite(value)) continue
    if (value < least) least = value
    if (value > most) most = value
    scratch[count++] = value
  }
  range[0] = least
  range[1] = most
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

/** Whether the values of a stretch of a list are all the same. */
function isConstant(list: Float64Array, from: number, to: number): boolean {
  for (let index = from + 1; index < to; index++) if (list[index] !== list[from]) return false
  return true
}

/** From so many values on it pays to put them roughly in order first. */
const LEAST_SPREAD = 48
/** Into so many parts of their range, of which most then hold a few values: more of them have to be gone over themselves. */
const PARTS = 64
/** Where the parts of a list end, and those of one of them that holds most of it. */
const ends = new Uint32Array(PARTS + 1)
const endsWithin = new Uint32Array(PARTS + 1)
let partOf = new Uint8Array(1_024)
let ordered = new Float64Array(1_024)

/** The range of counted values, and how wide each part of it is. */
interface Parts {
  readonly least: number
  readonly most: number
  readonly width: number
}

/**
 * Counts values of a stretch of a list, of which there is one at least and each was measured, by which part of their range they
 * are in: afterwards `partOf` tells the part of each, and `counts` one place behind each part how many are in it.
 * @returns null, with nothing counted, where their range is none that numbers divide
 */
function countParts(list: Float64Array, from: number, to: number, counts: Uint32Array): Parts | null {
  let least = list[from] as number
  let most = least
  for (let index = from + 1; index < to; index++) {
    const value = list[index] as number
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return countWithin(list, from, to, counts, least, most)
}

/** The same where their range is known. */
function countWithin(
  list: Float64Array,
  from: number,
  to: number,
  counts: Uint32Array,
  least: number,
  most: number,
): Parts | null {
  const scale = (PARTS - 1) / (most - least)
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) return null
  if (partOf.length < to) {
    partOf = new Uint8Array(2 * to)
    ordered = new Float64Array(2 * to)
  }
  counts.fill(0)
  for (let index = from; index < to; index++) {
    const part = (((list[index] as number) - least) * scale) | 0
    partOf[index] = part
    counts[part + 1] = (counts[part + 1] as number) + 1
  }
  return { least, most, width: (most - least) / (PARTS - 1) }
}

/**
 * Puts a stretch of a list roughly in order once it is counted: by which part of their range values are in; `counts` then tells
 * where each part ends. A rank is looked for in one part alone, where selection would go over all of them again and again, each
 * time with a comparison that no processor can foresee.
 * Method: one pass of a bucket sort; the part of a value grows with it, so that no order is lost.
 */
function spreadCounted(list: Float64Array, from: number, to: number, counts: Uint32Array): void {
  counts[0] = from
  for (let part = 1; part <= PARTS; part++)
    counts[part] = (counts[part] as number) + (counts[part - 1] as number)
  // Each part's beginning moves to its end, where the next one begins.
  for (let index = from; index < to; index++) {
    const part = partOf[index] as number
    const at = counts[part] as number
    ordered[at] = list[index] as number
    counts[part] = at + 1
  }
  for (let index = from; index < to; index++) list[index] = ordered[index] as number
}

/**
 * Puts the first values of a list roughly in order.
 * @returns whether `ends` tells the parts; where there are few or their range is none that numbers divide, nothing is done
 */
function spreadOut(list: Float64Array, count: number): boolean {
  if (count < LEAST_SPREAD || countParts(list, 0, count, ends) === null) return false
  spreadCounted(list, 0, count, ends)
  return true
}

/** So many values are put in order by hand, each moved down to where it belongs; more of them by the machine's own sort. */
const FEW = 48

/**
 * Puts a list in order that was put roughly in order: each of its parts by itself. One value far off leaves nearly all others in one
 * part, which is then parted once more.
 * @param from - where the first part begins
 * @param within - for the parts of a part; null where it is one itself
 */
function sortParts(list: Float64Array, from: number, counts: Uint32Array, within: Uint32Array | null): void {
  let begin = from
  for (let part = 0; part < PARTS; part++) {
    const end = counts[part] as number
    if (end - begin <= FEW) {
      // Most parts have one value or none.
      if (end - begin > 1) sortByHand(list, begin, end)
    } else if (within !== null && countParts(list, begin, end, within) !== null) {
      spreadCounted(list, begin, end, within)
      sortParts(list, begin, within, null)
    } else if (!isConstant(list, begin, end)) list.subarray(begin, end).sort()
    begin = end
  }
}

function sortByHand(list: Float64Array, from: number, to: number): void {
  for (let index = from + 1; index < to; index++) {
    const value = list[index] as number
    let at = index
    for (; at > from && (list[at - 1] as number) > value; at--) list[at] = list[at - 1] as number
    list[at] = value
  }
}

/** What `quantileOf` gives, of a list whose first values are in order. */
function quantileInOrder(list: Float64Array, count: number, share: number): number {
  const position = (count - 1) * share
  const below = Math.floor(position)
  const low = list[below] as number
  return below >= count - 1 ? low : low + ((list[below + 1] as number) - low) * (position - below)
}

/**
 * Median distance from a level of a list whose first values are in order.
 * Method: the nearest ones stand next to the level, so that they are met one after the other, on either side of it.
 */
function deviationInOrder(list: Float64Array, count: number, level: number): number {
  const position = (count - 1) * 0.5
  const below = Math.floor(position)
  let right = below
  while (right > 0 && (list[right - 1] as number) >= level) right--
  while (right < count && (list[right] as number) < level) right++
  let left = right - 1
  let low = 0
  let high = 0
  for (let rank = 0; rank <= below + 1 && rank < count; rank++) {
    const onLeft = left >= 0 ? Math.abs((list[left] as number) - level) : Number.POSITIVE_INFINITY
    const onRight = right < count ? Math.abs((list[right] as number) - level) : Number.POSITIVE_INFINITY
    low = high
    if (onLeft <= onRight) {
      high = onLeft
      left--
    } else {
      high = onRight
      right++
    }
  }
  return below >= count - 1 ? high : low + (high - low) * (position - below)
}

/** The value of a rank of a list that was put roughly in order. */
function valueAt(list: Float64Array, rank: number): number {
  let low = 0
  let high = PARTS - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] as number) > rank) high = middle
    else low = middle + 1
  }
  return select(list, rank, low === 0 ? 0 : (ends[low - 1] as number), (ends[low] as number) - 1)
}

/** What `quantileOf` gives, of a list that was put roughly in order. */
function quantileAt(list: Float64Array, count: number, share: number): number {
  const position = (count - 1) * share
  const below = Math.floor(position)
  const low = valueAt(list, below)
  return below >= count - 1 ? low : low + (valueAt(list, below + 1) - low) * (position - below)
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

/** The most (1) or the least (0) that was measured of a stretch; `NaN` when nothing was. */
export function extremeWithin(values: ArrayLike<number>, share: 0 | 1, from: number, to: number): number {
  let extreme = Number.NaN
  for (let index = from; index < to; index++) {
    const value = values[index] as number
    if (!Number.isFinite(value)) continue
    if (!(share === 1 ? value <= extreme : value >= extreme)) extreme = value
  }
  return extreme
}

/** The finite ones of a list in their order; itself where all are. */
export function measuredOf(values: Float64Array): Float64Array {
  for (let index = 0; index < values.length; index++)
    if (!Number.isFinite(values[index])) return values.filter(Number.isFinite)
  return values
}

/** Quantile of values in any order; `NaN` when nothing was measured. */
export const quantile = (values: ArrayLike<number>, share: number): number => {
  if (share === 1 || share === 0) return extremeWithin(values, share, 0, values.length)
  const count = copyMeasured(values)
  return spreadOut(scratch, count) ? quantileAt(scratch, count, share) : quantileOf(scratch, count, share)
}

/** Median; `NaN` when nothing was measured. */
export const median = (values: ArrayLike<number>): number => medianWithin(values, 0, values.length)

/** Median of a stretch from one index to before another; thousands of stretches are looked at, none of which need be a list itself. */
export function medianWithin(values: ArrayLike<number>, from: number, to: number): number {
  const count = copyMeasured(values, 1, from, to)
  return spreadOut(scratch, count) ? quantileAt(scratch, count, 0.5) : quantileOf(scratch, count, 0.5)
}

/** The upper one of the two values in the middle of the first of some, which was measured where their mean was not; `NaN` when nothing was. */
export function upperMedian(values: ArrayLike<number>, length: number = values.length): number {
  const count = copyMeasured(values, 1, 0, length)
  return count === 0 ? Number.NaN : select(scratch, count >>> 1, 0, count - 1)
}

/** Median absolute deviation from the median, unscaled; `NaN` when nothing was measured. */
export function medianAbsoluteDeviation(values: ArrayLike<number>): number {
  const count = copyMeasured(values)
  return deviationOf(count, quantileOf(scratch, count, 0.5))
}

/** Median distance of the scratch's first values from the middle. */
function deviationOf(count: number, middle: number): number {
  for (let index = 0; index < count; index++) distances[index] = Math.abs((scratch[index] as number) - middle)
  return spreadOut(distances, count) ? quantileAt(distances, count, 0.5) : quantileOf(distances, count, 0.5)
}

/** So many values fix a quantile well enough; more of them only cost time. */
const MOST_LOOKED_AT = 256

/** Of so many values of a stretch that is normal one is looked at. */
const strideOf = (from: number, to: number): number => Math.max(1, Math.floor((to - from) / MOST_LOOKED_AT))

/** Middle and spread of values that count as normal. */
export interface Level {
  readonly middle: number
  readonly spread: number
  readonly count: number
}

/** What spreads a level has at least. */
interface Floors {
  /** Share of the median, e.g. 0.02. */
  readonly relative: number
  /** The smallest spread at a median, in the unit of the values. */
  readonly at: (middle: number) => number
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
  const count = copyMeasured(values, strideOf(0, values.length))
  return count === 0 ? null : levelOf(count, { relative: relativeFloor, at: floorAt }, false)
}

/** Bounds of a normal level. */
export interface LevelBounds {
  /** The middle lies between both. */
  readonly low: number
  readonly high: number
  /** The spread is no smaller; more than 0. */
  readonly spread: number
}

/** What is told of a level of which bounds are enough. */
export const ENOUGH = 'bounds are enough'

/**
 * The normal level of a stretch of a series as {@link normalLevel} has it, unless bounds of it are enough: most series need no
 * more than these to be told calm, and an order takes several times as long.
 * Method: values are counted by the part of their range that they are in; a rank lies where the counts reach it.
 *
 * @param from - index of the first value that counts
 * @param to - index behind the last one
 * @param isEnough - asked where there are bounds; reckons no statistics itself
 */
export function levelUnless(
  values: ArrayLike<number>,
  floors: Floors,
  from: number,
  to: number,
  isEnough: (bounds: LevelBounds) => boolean,
): Level | null | typeof ENOUGH {
  const count = copyWithRange(values, strideOf(from, to), from, to)
  if (count < LEAST_COUNTED) return count === 0 ? null : levelOf(count, floors, false)
  const least = range[0] as number
  const most = range[1] as number
  // A fifth of all series: what is never asked, never fails, never changes.
  if (least === most) {
    const level = constantLevel(count, floors)
    const { middle, spread } = level
    return spread > 0 && isEnough({ low: middle, high: middle, spread }) ? ENOUGH : level
  }
  // What hardly scatters is told calm by its range alone, and need not be counted.
  const floor = (1 - ROUNDING) * floors.relative * Math.max(least, -most)
  if (most - least < floor && isEnough({ low: least, high: most, spread: floor })) return ENOUGH
  const parts = countWithin(scratch, 0, count, ends, least, most)
  const bounds = parts === null ? null : boundsOf(parts, count, floors)
  if (bounds !== null && isEnough(bounds)) return ENOUGH
  return (
    (parts === null ? null : levelAtFloor(parts, count, floors)) ?? levelOf(count, floors, parts !== null)
  )
}

/** The level of the scratch's first values, which are all the same. */
function constantLevel(count: number, floors: Floors): Level {
  const middle = scratch[0] as number
  return { middle, spread: Math.max(Math.abs(middle) * floors.relative, floors.at(middle)), count }
}

/** The largest of what deviations, the range of the outer quantiles and floors make of a spread. */
const spreadOf = (floors: Floors, deviation: number, range: number, middle: number): number =>
  Math.max(
    deviation * MAD_TO_SIGMA,
    range / Q90_SPREAD_TO_SIGMA,
    Math.abs(middle) * floors.relative,
    floors.at(middle),
  )

/** The level of the scratch's first values, of which there is one at least; counted by their parts or not yet. */
function levelOf(count: number, floors: Floors, isCounted: boolean): Level {
  if (!isCounted && isConstant(scratch, 0, count)) return constantLevel(count, floors)
  if (count >= LEAST_SPREAD && (isCounted || countParts(scratch, 0, count, ends) !== null)) {
    spreadCounted(scratch, 0, count, ends)
    sortParts(scratch, 0, ends, endsWithin)
    const middle = quantileInOrder(scratch, count, 0.5)
    const range = quantileInOrder(scratch, count, 0.95) - quantileInOrder(scratch, count, 0.05)
    const deviation = deviationInOrder(scratch, count, middle)
    return { middle, spread: spreadOf(floors, deviation, range, middle), count }
  }
  const half = Math.floor((count - 1) / 2)
  const middle = quantileOf(scratch, count, 0.5)
  const lower = quantileOf(scratch, count, 0.05, 0, half)
  const upper = quantileOf(scratch, count, 0.95, half)
  const deviation = deviationOf(count, middle)
  return { middle, spread: spreadOf(floors, deviation, upper - lower, middle), count }
}

/** Of fewer values the outermost ones are all that the spread hangs on, and their order is found as soon. */
const LEAST_COUNTED = 16
/** Share of a part that is added on either side, and of the largest value that the range has to be: rounding is far less. */
const ROUNDING = 0.01
const LEAST_RANGE = 1e-9

/** Up to which part of the counted values ranks were looked for, and how many values are in these parts. */
let reached = -1
let passed = 0

/** The part that the least of ranks which are looked for one after the other in their order is in. */
function partOfFirstRank(rank: number): number {
  reached = -1
  passed = 0
  return partOfNextRank(rank)
}

/** The same of one that is no smaller than the one before it. */
function partOfNextRank(rank: number): number {
  while (passed <= rank) {
    reached++
    passed += ends[reached + 1] as number
  }
  return reached
}

/** Between which bounds the level of counted values lies; null where there is hardly any spread of them. */
function boundsOf({ least, most, width }: Parts, count: number, { relative }: Floors): LevelBounds | null {
  if (!(most - least > LEAST_RANGE * Math.max(most, -least))) return null
  const last = count - 1
  const middle = Math.floor(last * 0.5)
  // A quantile lies between the value of its rank and the next one up.
  const lowest = partOfFirstRank(Math.floor(last * 0.05) + 1) + 1 + ROUNDING
  const low = least + (partOfNextRank(middle) - ROUNDING) * width
  const high = least + (partOfNextRank(middle + 1) + 1 + ROUNDING) * width
  const highest = partOfNextRank(Math.floor(last * 0.95)) - ROUNDING
  const spread = Math.max(
    ((highest - lowest) * width) / Q90_SPREAD_TO_SIGMA,
    (1 - ROUNDING) * relative * Math.max(low, -high),
  )
  return spread > 0 ? { low, high, spread } : null
}

/**
 * The level of counted values whose spread is a floor, as that of most series is that left theirs: the median is all that has to
 * be known of it, for which no order is needed. Null where what they scatter may be more.
 * Method: half of all values lie between the quartiles, so that half of the distances are no larger than the larger of both.
 */
function levelAtFloor({ least, most, width }: Parts, count: number, floors: Floors): Level | null {
  if (!(most - least > LEAST_RANGE * Math.max(most, -least))) return null
  const last = count - 1
  const below = Math.floor(last * 0.5)
  const quarter = Math.floor(last * 0.25)
  const lowest = partOfFirstRank(Math.floor(last * 0.05)) - ROUNDING
  const lower = partOfNextRank(quarter) - ROUNDING
  const part = partOfNextRank(below)
  const before = passed - (ends[part + 1] as number)
  const next = partOfNextRank(below + 1)
  const upper = partOfNextRank(quarter + below + 1) + 1 + ROUNDING
  const highest = partOfNextRank(Math.floor(last * 0.95) + 1) + 1 + ROUNDING
  const range = ((highest - lowest) * width) / Q90_SPREAD_TO_SIGMA
  // Where not even the furthest of the part that holds it would do, the median need not be looked for.
  const furthest = Math.max(
    Math.abs(least + (part - ROUNDING) * width),
    Math.abs(least + (next + 1 + ROUNDING) * width),
  )
  if (range > Math.max(furthest * floors.relative, floors.at(furthest))) return null
  const middle = middleOf(part, next, below - before, last * 0.5 - below, count)
  const spread = Math.max(Math.abs(middle) * floors.relative, floors.at(middle))
  const deviation = Math.max(middle - (least + lower * width), least + upper * width - middle) * MAD_TO_SIGMA
  return spread >= range && spread >= deviation ? { middle, spread, count } : null
}

/**
 * The median of counted values: what `quantileOf` gives of them, with only those put in order that the part of its rank holds.
 * @param part - which part that is, and `next` that of the next rank up
 * @param rank - which one of its part it is
 * @param share - of the way to the value of the next rank
 */
function middleOf(part: number, next: number, rank: number, share: number, count: number): number {
  let held = 0
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < count; index++) {
    const own = partOf[index]
    if (own === part) ordered[held++] = scratch[index] as number
    else if (own === next && (scratch[index] as number) < least) least = scratch[index] as number
  }
  const low = select(ordered, rank, 0, held - 1)
  if (next === part) {
    // The next one up is the least of what stands behind.
    for (let index = rank + 1; index < held; index++)
      if ((ordered[index] as number) < least) least = ordered[index] as number
  }
  return low + (least - low) * share
}

/** Rounded to 6 digits after the point, so that the order of additions cannot show in an order of scores. */
export const round6 = (value: number): number => Math.round(value * 1e6) / 1e6

/**
 * The chance that at least one of independent signs holds, each given as a probability.
 * Source: noisy-or (Pearl, Probabilistic Reasoning in Intelligent Systems, 1988).
 */
export function anyOf(...chances: readonly number[]): number {
  let none = 1
  for (const chance of chances) none *= 1 - Math.min(1, Math.max(0, chance))
  return 1 - none
}
