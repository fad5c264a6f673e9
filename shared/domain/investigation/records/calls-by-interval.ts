/**
 * What was counted of calls, interval by interval, in sums, and before an onset and since: each step asks of other pairs and
 * other times, and all of them read what was counted in the same way.
 */
import { median } from '../statistics.ts'
import type { Pair } from './calls-by-pair.ts'
import { isNormalTime, type NormalTime } from './normal-time.ts'
import type { Edge } from './snapshot.ts'

/** How many calls there were and what came of them, each as far as it was told. */
export interface CallCounts {
  readonly calls: number
  /** Calls of which it is known how many failed. */
  readonly told: number
  readonly failed: number
  /** Milliseconds that callers waited, for so many answers. */
  readonly wait: number
  readonly waits: number
}

/** The calls of one interval. */
export interface CallsOfInterval extends CallCounts {
  /** When it began, milliseconds since 1970. */
  readonly t0: number
  readonly interval_s: number
}

/** Share of calls that failed; not a number where nobody told. */
export const failedShare = ({ told, failed }: CallCounts): number => failed / told

/** Milliseconds that an answer took on average; not a number where nobody measured it. */
export const meanWait = ({ wait, waits }: CallCounts): number => wait / waits

const callsOf = ({ calls }: CallCounts): number => calls
const failedOf = ({ failed }: CallCounts): number => failed

/** What is usual of some intervals: the median of each of their counts; not a number where nothing was counted. */
export const usualCalls = (intervals: readonly CallCounts[]): number => median(intervals.map(callsOf))
export const usualFailed = (intervals: readonly CallCounts[]): number => median(intervals.map(failedOf))
export const usualShare = (intervals: readonly CallCounts[]): number => median(intervals.map(failedShare))
export const usualWait = (intervals: readonly CallCounts[]): number => median(intervals.map(meanWait))

/** What some counts come to together. */
export function sumOfCalls(counts: readonly CallCounts[]): CallCounts {
  let [calls, told, failed, wait, waits] = [0, 0, 0, 0, 0]
  for (let index = 0; index < counts.length; index++) {
    const one = counts[index] as CallCounts
    calls += one.calls
    told += one.told
    failed += one.failed
    wait += one.wait
    waits += one.waits
  }
  return { calls, told, failed, wait, waits }
}

/** What one record counts; null where it tells only that there are calls. */
function countsOf(edge: Edge): CallsOfInterval | null {
  const { t0, interval_s, calls, failed, latency_sum_ms: wait, latency_count: waits } = edge
  if (calls === undefined) return null
  const isTimed = wait !== undefined && waits !== undefined
  return {
    t0,
    interval_s,
    calls,
    told: failed === undefined ? 0 : calls,
    failed: failed ?? 0,
    wait: isTimed ? wait : 0,
    waits: isTimed ? waits : 0,
  }
}

const inTime = (a: CallsOfInterval, b: CallsOfInterval): number => a.t0 - b.t0

/** Whether each begins after the one before, as those of one pair do where one tool counts them. */
function isAscending(counted: readonly CallsOfInterval[]): boolean {
  for (let index = 1; index < counted.length; index++)
    if ((counted[index] as CallsOfInterval).t0 <= (counted[index - 1] as CallsOfInterval).t0) return false
  return true
}

/** One interval for all that began at the same time, in the order of time. */
function joined(counted: readonly CallsOfInterval[]): readonly CallsOfInterval[] {
  if (isAscending(counted)) return counted
  const intervals: CallsOfInterval[] = []
  const ordered = counted.toSorted(inTime)
  for (let index = 0; index < ordered.length; index++) {
    const one = ordered[index] as CallsOfInterval
    const last = intervals[intervals.length - 1]
    if (last === undefined || last.t0 !== one.t0) intervals.push(one)
    else
      intervals[intervals.length - 1] = {
        ...{ t0: one.t0, interval_s: Math.max(last.interval_s, one.interval_s) },
        ...sumOfCalls([last, one]),
      }
  }
  return intervals
}

/** What was counted before of a pair, as long as it is kept. */
const countedBefore = new WeakMap<Pair, readonly CallsOfInterval[]>()

/** What was counted of the calls of one entity to another, interval by interval in the order of time; read once for each pair. */
export function intervalsOf(pair: Pair): readonly CallsOfInterval[] {
  const before = countedBefore.get(pair)
  if (before !== undefined) return before
  const counted: CallsOfInterval[] = []
  for (let index = 0; index < pair.edges.length; index++) {
    const counts = countsOf(pair.edges[index] as Edge)
    if (counts !== null) counted.push(counts)
  }
  const intervals = joined(counted)
  countedBefore.set(pair, intervals)
  return intervals
}

/** What was added up before of some pairs, as long as their list is kept. */
const addedBefore = new WeakMap<readonly Pair[], readonly CallsOfInterval[]>()

/** The same of some pairs together; added up once for each list. */
export function callsByInterval(pairs: readonly Pair[]): readonly CallsOfInterval[] {
  const before = addedBefore.get(pairs)
  if (before !== undefined) return before
  const intervals = joined(pairs.flatMap(intervalsOf))
  addedBefore.set(pairs, intervals)
  return intervals
}

/** How many calls were counted in the interval that began at an instant; not a number where none was counted then. */
export function callsAt(intervals: readonly CallsOfInterval[], t0: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((intervals[middle] as CallsOfInterval).t0 < t0) low = middle + 1
    else high = middle
  }
  const found = intervals[low]
  return found?.t0 === t0 ? found.calls : Number.NaN
}

/** Those that begin in a time, milliseconds since 1970. */
export function beginningWithin(
  intervals: readonly CallsOfInterval[],
  from: number,
  to: number,
): readonly CallsOfInterval[] {
  const found: CallsOfInterval[] = []
  for (let index = 0; index < intervals.length; index++) {
    const one = intervals[index] as CallsOfInterval
    if (one.t0 >= from && one.t0 < to) found.push(one)
  }
  return found
}

/** Intervals of normal time, and of the incident. */
export interface UsualAndSince {
  readonly usual: readonly CallsOfInterval[]
  readonly since: readonly CallsOfInterval[]
}

/**
 * Those that begin in normal time, and in the incident since an instant.
 * @param from - milliseconds since 1970
 */
export function usualAndSince(
  intervals: readonly CallsOfInterval[],
  normal: NormalTime,
  from = Number.NEGATIVE_INFINITY,
): UsualAndSince {
  const usual: CallsOfInterval[] = []
  const since: CallsOfInterval[] = []
  for (let index = 0; index < intervals.length; index++) {
    const one = intervals[index] as CallsOfInterval
    if (isNormalTime(normal, one.t0)) usual.push(one)
    else if (one.t0 >= from && one.t0 < normal.incident.to) since.push(one)
  }
  return { usual, since }
}
