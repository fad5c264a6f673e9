/**
 * What was measured of each entity's calls, in one form whichever way its tools tell it: how many there are in each interval,
 * and which share of them is answered.
 *
 * Method: a share that is answered is taken as it is; else what fails is taken off the whole, told as a share or as a count
 * beside that of all calls; else what succeeds; else what ended with a status of failing. Counts of one name that differ in
 * labels are added up. No more fail than are called: tools extrapolate each rate by itself.
 * Source: errors as one of the four golden signals (Beyer et al., Site Reliability Engineering, 2016, chapter 6).
 */

import { areOutgoing, type CallsTold, callsToldBy, endedBadly } from '../deviations/ended-calls.ts'
import { readMetricName, timedBy } from '../deviations/metric-meaning.ts'
import { addedUp, isPerTime, isTotal, joined, partsOf, perInterval } from '../deviations/per-interval.ts'
import { inRows, intervalOf, overRows, rowsOf } from '../deviations/sample-rows.ts'
import { compareText, sortedBy } from '../records/log-templates.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series } from '../records/snapshot.ts'

export interface MeasuredCalls {
  /** How many came in each interval. */
  readonly calls: Series
  /** How many of them were counted under labels, where some were counted under just these. */
  readonly callsUnder: (part: Series) => Series | undefined
  /** Which share of them was answered, in percent; null where nothing tells it. */
  readonly answered: Series | null
}

/** A share that is told as a part of one: two rates that are divided by each other pass one by as much. */
const MOST_OF_ONE = 1.1
/** A tool that leaves out zeros tells failed calls in fewer than this share of the samples of all calls. */
const MOSTLY_TOLD = 0.75

/** How a series tells how calls ended; null where it does not. */
function toldBy(series: Series): CallsTold | null {
  const told = callsToldBy(series.name)
  if (told === null || series.type === 'histogram') return null
  if (isTotal(series) || isPerTime(series)) return { ...told, as: 'count' }
  if (series.unit === '%') return { ...told, as: 'share' }
  // A mean of ones and zeros counts nothing.
  const isMean = told.of === 'answered' && !/^(sum|count)$/i.test(series.agg ?? '')
  return isMean && isPartOfOne([series]) ? { ...told, as: 'share' } : told
}

const isPartOfOne = (list: readonly Series[]): boolean =>
  list.every(({ values }) => {
    for (let index = 0; index < values.length; index++)
      if ((values[index] as number) > MOST_OF_ONE) return false
    return true
  })

/** Whether a name tells how calls ended. */
const tellsEnds = (name: string): boolean => callsToldBy(name) !== null

/** Whether a name is of calls, of whatever end. */
const isOfCalls = (name: string): boolean =>
  readMetricName(name).meaning === 'throughput' && callsToldBy(name) === null

/** Whether a series of that name counts them. */
const countsCalls = (series: Series): boolean => {
  if (series.type === 'histogram' && timedBy(series.name) === null) return false
  return readMetricName(series.name).is_demand || endedBadly(series.labels) !== null
}

/**
 * Reads the calls of each entity, when it is asked for.
 * @returns null of an entity whose calls nothing counts
 */
export function measuredCalls(list: readonly Series[]): (entity: string) => MeasuredCalls | null {
  const isOwn = ({ labels }: Series): boolean => !areOutgoing(labels)
  const counted = Map.groupBy(
    seriesNamed(list, isOfCalls).filter((series) => isOwn(series) && countsCalls(series)),
    ({ entity }) => entity,
  )
  const ended = Map.groupBy(
    seriesNamed(list, tellsEnds).filter((series) => isOwn(series) && toldBy(series) !== null),
    ({ entity }) => entity,
  )
  const isLeftOut = leavingOutNone([...ended.values()].flat(), counted)
  let complete: ReadonlySet<string> | undefined
  const isComplete = (calls: string): boolean => {
    complete ??= countedBesideNone(ended, counted, isLeftOut)
    return complete.has(calls)
  }
  const pointsPer = pointsBy([...ended.values()].flat())
  const known = new Map<string, MeasuredCalls | null>()
  return (entity) => {
    let found = known.get(entity)
    if (found === undefined) {
      found = read(counted.get(entity) ?? [], ended.get(entity) ?? [], {
        pointsPer,
        isLeftOut,
        isComplete,
      })
      known.set(entity, found)
    }
    return found
  }
}

/** How the tools tell what they tell. */
interface Habits {
  /** Percentage points of a share in its own unit. */
  readonly pointsPer: (series: Series) => number
  /** Whether nothing is told under a name where there is none. */
  readonly isLeftOut: (name: string) => boolean
  /** Whether of calls that are counted under a name those that failed are told wherever there are any. */
  readonly isComplete: (calls: string) => boolean
}

function read(
  counted: readonly Series[],
  ended: readonly Series[],
  { pointsPer, isLeftOut, isComplete }: Habits,
): MeasuredCalls | null {
  const demand = counted.filter(({ name }) => readMetricName(name).is_demand)
  const parts = wholeOf(demand.length > 0 ? demand : counted)
  const calls = allOf(parts)
  if (calls === null) return null
  const told = (of: CallsTold['of'], as: CallsTold['as']): readonly Series[] =>
    wholeOf(
      ended.filter((series) => {
        const one = toldBy(series)
        return one?.of === of && one.as === as
      }),
    )
  const callsUnder = countedUnder(counted)
  const share = (of: CallsTold['of']): Series | null => {
    const series = joined(partsOf(told(of, 'share'), callsUnder), 'mean', callsUnder)
    if (series === null) return null
    const points = pointsPer(series)
    const values = answeredOf(series.values, of, points)
    return { ...series, unit: '%', values }
  }
  const since = calls.times[0] ?? 0
  const count = (of: CallsTold['of']): Series | null => {
    const series = told(of, 'count')
    const isNone = series[0] !== undefined && isLeftOut(series[0].name)
    const all = addedUp(series.map((one) => perInterval(one, isNone ? since : undefined)))
    return all === null ? null : shareOf(calls, all, of, isNone)
  }
  // Who only waits for it does not ask for it.
  let answered: Series | null | undefined
  return {
    calls,
    callsUnder,
    get answered() {
      if (answered === undefined)
        answered =
          share('answered') ??
          share('failed') ??
          count('failed') ??
          count('answered') ??
          byStatus(counted) ??
          (isComplete(calls.name) ? withoutFailed(calls) : null)
      return answered
    },
  }
}

/** Which share was answered, in percent, of shares that were answered or that failed. */
function answeredOf(shares: Float64Array, of: CallsTold['of'], points: number): Float64Array {
  const values = new Float64Array(shares.length)
  for (let index = 0; index < values.length; index++) {
    const told = points * (shares[index] as number)
    values[index] = of === 'answered' ? told : 100 - told
  }
  return values
}

/** By the labels of a series the calls that were counted under the same ones. */
function countedUnder(counted: readonly Series[]): (part: Series) => Series | undefined {
  const keyOf = ({ labels }: Series): string =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => compareText(a, b)))
  const byLabels = Map.groupBy(counted, keyOf)
  const known = new Map<string, Series | undefined>()
  return (part) => {
    const key = keyOf(part)
    if (!known.has(key)) known.set(key, allOf(wholeOf(byLabels.get(key) ?? [])) ?? undefined)
    return known.get(key)
  }
}

const firstOf = (parts: readonly Series[]): number =>
  parts.reduce((least, { times }) => Math.min(least, times[0] ?? least), Number.POSITIVE_INFINITY)

/** Counts as counts in each interval: of totals, what appears later than the others was zero until then. */
function eachPerInterval(parts: readonly Series[]): readonly Series[] {
  const first = firstOf(parts)
  return parts.map((one) => perInterval(one, first))
}

/** The parts of a count as one. */
const allOf = (parts: readonly Series[]): Series | null => addedUp(eachPerInterval(parts))

/**
 * A statistic that is no number of what was counted: a mean of it, its least or its most in an interval.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
 */
const NO_NUMBER = /^(avg|average|mean|min(imum)?|max(imum)?|p\d+(\.\d+)?|tm\d+)$/i

/** What series have in common that differ only in the values of their labels: they tell the same of several. */
export const formOf = ({ name, type, unit, agg, labels }: Series): string =>
  JSON.stringify([name, type, unit, agg, Object.keys(labels).sort()])

/**
 * What tells most plainly of the same: added up rather than another statistic of it, of one name, with the fewest labels; of
 * these all, which then are its parts.
 */
function wholeOf(list: readonly Series[]): readonly Series[] {
  if (list.length < 2) return list
  const labelsOf = ([one]: readonly Series[]): number => Object.keys(one?.labels ?? {}).length
  const isNoNumber = ([one]: readonly Series[]): boolean => NO_NUMBER.test(one?.agg ?? '')
  const [least] = [...Map.groupBy(list, formOf)].sort(
    ([a, one], [b, other]) =>
      Number(isNoNumber(one)) - Number(isNoNumber(other)) ||
      labelsOf(one) - labelsOf(other) ||
      compareText(a, b),
  )
  return sortedBy(least?.[1] ?? [], ({ labels }) => JSON.stringify(labels))
}

/** Which share was answered, where all calls are counted beside what failed of them or was answered. */
function shareOf(calls: Series, told: Series, of: CallsTold['of'], isNoneLeftOut: boolean): Series {
  const rowMs = Math.max(intervalOf(calls), intervalOf(told))
  const rows = rowsOf([(intervalOf(calls) < rowMs ? told : calls).times], rowMs)
  const [callsAt, toldAt] = [inRows(calls, rowMs), inRows(told, rowMs)]
  const { source, entity, name, labels, query } = told
  return {
    ...{ source, entity, name, labels, type: 'gauge', unit: '%', agg: 'avg', interval_s: rowMs / 1_000 },
    ...(query === undefined ? {} : { query }),
    ...overRows(rows, (at) => {
      const asked = callsAt(at)
      const measured = toldAt(at)
      const some = Number.isFinite(measured) ? measured : isNoneLeftOut ? 0 : Number.NaN
      if (!(asked > 0)) return Number.NaN
      const part = Math.min(1, Math.max(0, some / asked))
      return 100 * (of === 'failed' ? 1 - part : part)
    }),
  }
}

/** Which share was answered, where calls are counted by the status that they ended with. */
function byStatus(counted: readonly Series[]): Series | null {
  const parts = eachPerInterval(wholeOf(counted.filter(({ labels }) => endedBadly(labels) !== null)))
  const all = addedUp(parts)
  if (all === null) return null
  const failed = addedUp(parts.filter(({ labels }) => endedBadly(labels) === true))
  // A status that nothing ended with has no count.
  return failed === null ? withoutFailed(all) : shareOf(all, failed, 'failed', true)
}

/** All were answered that came. */
const withoutFailed = (calls: Series): Series =>
  shareOf(calls, { ...calls, values: calls.values.map((value) => 0 * value) }, 'failed', true)

/** Names under which calls are counted of entities whose failed calls are told, or nothing where there are none. */
const countedBesideNone = (
  ended: ReadonlyMap<string, readonly Series[]>,
  counted: ReadonlyMap<string, readonly Series[]>,
  isLeftOut: (name: string) => boolean,
): ReadonlySet<string> =>
  new Set(
    [...ended].flatMap(([entity, list]) =>
      list.some((one) => toldBy(one)?.of === 'failed' && isLeftOut(one.name))
        ? (counted.get(entity) ?? []).map(({ name }) => name)
        : [],
    ),
  )

/**
 * Whether a tool leaves out zeros of what it counts under a name: none of its samples tells one, and there are fewer of them
 * than of the calls, or a total begins later than theirs.
 * @see https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics
 */
function leavingOutNone(
  ended: readonly Series[],
  counted: ReadonlyMap<string, readonly Series[]>,
): (name: string) => boolean {
  const names = Map.groupBy(ended, ({ name }) => name)
  return (name) => {
    const list = names.get(name) ?? []
    const samples = ({ values }: Series): number =>
      values.reduce((sum, one) => sum + Number(Number.isFinite(one)), 0)
    const lacks = (one: Series, calls: Series): boolean =>
      isTotal(one)
        ? firstOf([one]) - firstOf([calls]) > intervalOf(one) / 2
        : samples(one) < MOSTLY_TOLD * samples(calls)
    return (
      list.every(({ values }) => !values.includes(0)) &&
      list.some((one) => counted.get(one.entity)?.some((calls) => lacks(one, calls)) === true)
    )
  }
}

/** Percentage points of a share; where no tool tells the unit, whether any of that name passes one tells it. */
function pointsBy(ended: readonly Series[]): (series: Series) => number {
  const names = Map.groupBy(ended, ({ name }) => name)
  const known = new Map<string, boolean>()
  const isShare = (name: string): boolean => {
    const before = known.get(name)
    if (before !== undefined) return before
    const is = isPartOfOne(names.get(name) ?? [])
    known.set(name, is)
    return is
  }
  return ({ unit, name }) => {
    if (unit === '%' || /pct|percent/i.test(name)) return 1
    return unit === '1' || isShare(name) ? 100 : 1
  }
}
