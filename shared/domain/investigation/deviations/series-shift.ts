/**
 * Series that left their normal level.
 *
 * Method: robust shift. Every sample is compared with the median and the spread of normal time (floors keep
 * a nearly constant series from shouting), the change point gives when. Of several baselines the one that
 * explains the sample best counts, so that a daily peak is no deviation. Counters become rates first.
 */

import type { NormalTime } from '../records/normal-time.ts'
import type { Baseline, Series } from '../records/snapshot.ts'
import {
  ENOUGH,
  extremeWithin,
  type Level,
  type LevelBounds,
  levelUnless,
  medianWithin,
} from '../statistics.ts'
import { findDeviation, isSurelyCalm, isSurelyNoise, medianInterval, type Onset } from './change-point.ts'
import { LINES } from './counted-lines.ts'
import { type MetricMeaning, readMetricName } from './metric-meaning.ts'
import { keptByName } from './metric-words.ts'
import { risenRate } from './risen-rate.ts'

/** Normal values needed before a level means something. */
const LEAST_NORMAL = 5
/** Share of the normal level below which a move is rounding; from the resource-shift literature (BARO's IQR with a floor). */
const RELATIVE_FLOOR = 0.02
/** Smallest spread by kind of value, in the unit of the value: half a percentage point, half a millisecond. */
const FLOOR_RATIO = 0.002
const FLOOR_PERCENT = 0.3
const FLOOR_DEFAULT = 1e-6
const FLOOR_MILLISECONDS = 0.5

export interface SeriesShift {
  readonly series: Series
  readonly meaning: MetricMeaning
  readonly direction: 'up' | 'down'
  /** The direction that hurts, where the name tells one. */
  readonly is_bad: boolean
  readonly before: number
  /** Median of the deviating stretch. */
  readonly during: number
  /** The value furthest from normal within it. */
  readonly extreme: number
  readonly latest: number
  /** Median distance from normal within the stretch, in standard deviations. */
  readonly z: number
  readonly onset: Onset
  readonly ended_at: number | null
  /** Normal values that the comparison rests on. */
  readonly normal_count: number
}

/** A fifth beyond the median of the deviation is a trend, less than half of it a recovery under way. */
const WORSE_FROM = 1.2
const BETTER_BELOW = 0.5

/** Where a shift that is not over is going, by its latest value beside the level that it went from and the one it went to. */
export function trendOfShift({
  before,
  during,
  latest,
}: Pick<SeriesShift, 'before' | 'during' | 'latest'>): 'worsening' | 'ongoing' | 'recovering' {
  const moved = during - before
  const share = moved === 0 ? 1 : (latest - before) / moved
  return share > WORSE_FROM ? 'worsening' : share < BETTER_BELOW ? 'recovering' : 'ongoing'
}

/** Whether it is away from its normal level at the end of what was measured, be it anew after it had been back. */
export const isAway = (shift: SeriesShift): boolean =>
  shift.ended_at === null || trendOfShift(shift) !== 'recovering'

/** What was measured when. */
type Measured = Pick<Series, 'times' | 'values'>

/** Rates of counters, as long as these are kept: several steps look at the same ones. */
const ratesBefore = new WeakMap<Series, Measured>()

/** A counter as a rate per second; a reset counts from zero (Prometheus' rule). Reckoned once for each. */
export function asRate(series: Series): Measured {
  const { times, values } = series
  if (series.type !== 'counter' || times.length < 2) return series
  const before = ratesBefore.get(series)
  if (before !== undefined) return before
  const rates = new Float64Array(times.length - 1)
  for (let index = 1; index < times.length; index++) {
    const now = values[index] as number
    const earlier = values[index - 1] as number
    const seconds = ((times[index] as number) - (times[index - 1] as number)) / 1_000
    rates[index - 1] = seconds > 0 ? (now >= earlier ? now - earlier : now) / seconds : Number.NaN
  }
  const found = { times: times.subarray(1), values: rates }
  ratesBefore.set(series, found)
  return found
}

/** In what a series is measured, as its name says. */
const unitNamed = keptByName((name): 'ms' | '%' | '1' | null => {
  if (/_ms|millis/i.test(name)) return 'ms'
  if (/percent|pct/i.test(name)) return '%'
  return /ratio|_rate$|availability|fraction/i.test(name) ? '1' : null
})

function absoluteFloor({ name, unit }: Series, middle: number): number {
  // The spread of a count is the root of what is expected (Poisson), and one where nothing is.
  if (unit === LINES) return Math.sqrt(Math.max(0, middle) + 1)
  const named = unitNamed(name)
  if (unit === 'ms' || named === 'ms') return FLOOR_MILLISECONDS
  if (unit === '%' || named === '%') return middle <= 1 ? FLOOR_RATIO : FLOOR_PERCENT
  return unit === '1' || named === '1' ? FLOOR_RATIO : FLOOR_DEFAULT
}

/** Whether a series counts how often something was started anew, by its name; how often in a while is no count. */
export const countsRestarts = keptByName(
  (name) => /(^|_)restarts?(_|$)/i.test(name) && !/(^|_)(per|rate)(_|$)/i.test(name),
)
/**
 * How much a total grew in a while, by the name of what a rule records of it (`level:metric:operations`): that falls again.
 * @see https://prometheus.io/docs/practices/rules/
 */
const IN_A_WHILE = /:(?:increase|i?rate|i?delta|deriv)\d*[a-z]*$/i
/** How often an instance was started anew, as a total that never falls but by a reset. */
const isTotalOfRestarts = ({ name, type }: Series): boolean =>
  type !== 'rate' && countsRestarts(name) && !IN_A_WHILE.test(name)
/** Standard deviations from which restarts are more than those that always were: what one pair of them reaches by chance is less. */
const MORE_RESTARTS = 2

/**
 * A total of restarts stands above its earlier level for ever after one: what counts is whether they lie closer
 * together than they used to.
 */
function findRestarts(series: Series, normal: NormalTime): SeriesShift | null {
  const { times, values } = series
  const restarts: number[] = []
  for (let index = 1; index < times.length; index++) {
    const rise = (values[index] as number) - (values[index - 1] as number)
    for (let count = 0; count < Math.min(rise, MOST_AT_ONCE); count++) restarts.push(times[index] as number)
  }
  const risen = risenRate(restarts, normal)
  if (risen === null || risen.z < MORE_RESTARTS) return null
  const first = lowerBound(times, risen.at)
  const end = lowerBound(times, normal.incident.to)
  return {
    ...{ series, meaning: readMetricName(series.name), direction: 'up', is_bad: true },
    before: values[first - 1] as number,
    during: medianWithin(values, first, end),
    extreme: extremeWithin(values, 1, first, end),
    latest: lastMeasured(values, end),
    z: risen.z,
    onset: { at: risen.at, earliest: times[first - 1] as number, latest: risen.at + medianInterval(times) },
    ended_at: null,
    normal_count: normal.baselines.reduce(
      (sum, { from, to }) => sum + lowerBound(times, to) - lowerBound(times, from),
      0,
    ),
  }
}

/** Restarts between two samples that are told apart; more of them say the same. */
const MOST_AT_ONCE = 10

const NO_VALUES = new Float64Array(0)

/** The series that is looked at. Thousands are, one after the other, so that neither it nor a function is made for each. */
class SeriesAtHand {
  /** The smallest spreads of its level. */
  readonly relative = RELATIVE_FLOOR
  #series: Series | null = null
  #values: Float64Array = NO_VALUES
  #from = 0
  #late = 0
  #to = 0

  /**
   * @param from - index of the first sample of the incident
   * @param late - of the first one that may be the last of what lasts long enough
   * @param to - index behind the last one
   */
  take(series: Series, values: Float64Array, from: number, late: number, to: number): void {
    this.#series = series
    this.#values = values
    this.#from = from
    this.#late = late
    this.#to = to
  }

  at(middle: number): number {
    return absoluteFloor(this.#series as Series, middle)
  }

  /** Whether bounds of its level tell that it did not leave it for long enough. */
  isCalm(bounds: LevelBounds): boolean {
    return (
      isSurelyNoise(this.#values, this.#late, this.#to, bounds) ||
      isSurelyCalm(this.#values, this.#from, this.#to, bounds)
    )
  }

  /** What is kept between series holds none of them. */
  leave(): void {
    this.#series = null
    this.#values = NO_VALUES
  }
}

const atHand = new SeriesAtHand()
const isCalmAtHand = (bounds: LevelBounds): boolean => atHand.isCalm(bounds)

/**
 * Compares one series with normal time; null when it did not leave it, or too little was measured.
 * @param lasting - until when it has to be away at least, epoch milliseconds: what was over before is not looked at any further
 */
export function findShift(
  series: Series,
  normal: NormalTime,
  lasting: number = Number.NEGATIVE_INFINITY,
): SeriesShift | null {
  // What one bucket holds since its process began is no level: only all of them together tell a quantile.
  if (series.type === 'histogram') return null
  if (isTotalOfRestarts(series)) return findRestarts(series, normal)
  const { times, values } = asRate(series)
  const from = lowerBound(times, normal.incident.from)
  const to = lowerBound(times, normal.incident.to)
  if (to <= from) return null
  // What ends where nothing is beyond noise any more was over before.
  atHand.take(series, values, from, Math.max(from, lowerBound(times, lasting) - 1), to)
  const levels = levelsOf(times, values, normal)
  atHand.leave()
  const first = levels?.[0]
  if (levels === null || first === undefined) return null
  const z = distancesFrom(levels, values, from, to)
  const deviation = findDeviation(times, z, from, to - from, lasting)
  if (deviation === null) return null
  const begin = from + deviation.first
  const end = from + deviation.last + 1
  const meaning = readMetricName(series.name)
  const during = medianWithin(values, begin, end)
  let before = first
  for (const level of levels)
    if (Math.abs(during - level.middle) < Math.abs(during - before.middle)) before = level
  return {
    series,
    meaning,
    direction: deviation.direction,
    is_bad: meaning.bad === deviation.direction,
    before: before.middle,
    during,
    extreme: extremeWithin(values, deviation.direction === 'up' ? 1 : 0, begin, end),
    latest: lastMeasured(values, to),
    z: Math.min(1e6, Math.abs(medianWithin(z, deviation.first, deviation.last + 1))),
    onset: deviation.onset,
    ended_at: deviation.ended_at,
    normal_count: before.count,
  }
}

/** The levels of the series at hand in each baseline that tells one; null where it did not leave one of them. */
function levelsOf(times: Float64Array, values: Float64Array, { baselines }: NormalTime): Level[] | null {
  let levels: Level[] | null = null
  for (let index = 0; index < baselines.length; index++) {
    const baseline = baselines[index] as Baseline
    const first = lowerBound(times, baseline.from)
    const level = levelUnless(values, atHand, first, lowerBound(times, baseline.to), isCalmAtHand)
    // Of several levels the best counts, so that one from which nothing departs is enough.
    if (level === ENOUGH) return null
    if (level === null || level.count < LEAST_NORMAL) continue
    if (levels === null) levels = [level]
    else levels.push(level)
  }
  return levels
}

/** Kept between series, which need theirs only while they are looked at. */
let distances = new Float64Array(1_024)

/** Every sample's distance from the level that explains it best, in that level's spreads, from index 0 on; `NaN` where not measured. */
function distancesFrom(
  levels: readonly Level[],
  values: Float64Array,
  from: number,
  to: number,
): Float64Array {
  if (distances.length < to - from) distances = new Float64Array(2 * (to - from))
  const count = to - from
  const z = distances
  for (let order = 0; order < levels.length; order++) {
    const { middle, spread } = levels[order] as Level
    for (let index = 0; index < count; index++) {
      const value = values[from + index] as number
      const distance = Number.isFinite(value) ? (value - middle) / spread : Number.NaN
      if (order === 0 || Math.abs(distance) < Math.abs(z[index] as number)) z[index] = distance
    }
  }
  return z
}

function lastMeasured(values: Float64Array, to: number): number {
  for (let index = to - 1; index >= 0; index--) {
    const value = values[index] as number
    if (Number.isFinite(value)) return value
  }
  return Number.NaN
}

/** From so many instants on it pays to look first where one stands if they lie evenly. */
const LEAST_GUESSED = 32
/** How far from there it is looked for. */
const AROUND = 3

/** First index whose instant is not before the given one. */
export function lowerBound(times: ArrayLike<number>, at: number): number {
  let low = 0
  let high = times.length
  if (high >= LEAST_GUESSED) {
    const first = times[0] as number
    const last = times[high - 1] as number
    if (!(first < at)) return 0
    if (last < at) return high
    const guess = Math.floor(((at - first) / (last - first)) * (high - 1))
    const before = guess - AROUND
    const behind = guess + AROUND
    if (behind < high && !((times[behind] as number) < at)) high = behind
    if (before > 0 && (times[before] as number) < at) low = before + 1
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) < at) low = middle + 1
    else high = middle
  }
  return low
}
