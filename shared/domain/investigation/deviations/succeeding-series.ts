/**
 * What is measured by version or by copy goes on where a rollout replaces both: the series of the new ones begin with the
 * rollout, so none of them has a normal time of its own, and what they fail would be no deviation from anything.
 *
 * Method: series of one entity and name whose labels differ in version or copy alone are read as one, sample by sample, where
 * some of them begin later than others. A share of failed requests and a latency are levels, and a counter's rate is one per
 * copy, so samples of several need not be added up. Those that were given stay as they are.
 */

import { compareText } from '../records/log-templates.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { FELT } from './felt-symptoms.ts'
import { readMetricName } from './metric-meaning.ts'
import { asRate } from './series-shift.ts'
import { isOfCopy, isOfVersion } from './version-contrast.ts'

/** So much later than the first of them a series has to begin to be of what came after, ms: scrapes are lost for less. */
const LATER_MS = 5 * 60_000

/** Whether users feel what a name is of, and the more of it the worse. */
const isFeltToRise = (name: string): boolean => {
  const { bad, weight } = readMetricName(name)
  return bad === 'up' && weight >= FELT
}

/** The snapshot with series of what was replaced joined to those of what replaced it; itself where nothing was. */
export function withSuccessors(snapshot: Snapshot): Snapshot {
  const felt = seriesNamed(snapshot.series, isFeltToRise).filter(
    ({ type, times }) => type !== 'histogram' && times.length > 0,
  )
  const joined = [...Map.groupBy(replaced(felt), keyOf).values()].flatMap((group) =>
    isReplaced(group) ? [inOne(group)] : [],
  )
  return joined.length === 0 ? snapshot : { ...snapshot, series: [...snapshot.series, ...joined] }
}

/** Whether some of them begin so much later than others. */
function isReplaced(group: readonly Series[]): boolean {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { times } of group) {
    first = Math.min(first, times[0] as number)
    last = Math.max(last, times[0] as number)
  }
  return last - first >= LATER_MS
}

/** Those of an entity that began anew, in their order: of most nothing did, and their labels need not be compared. */
function replaced(list: readonly Series[]): readonly Series[] {
  const byEntity = Map.groupBy(list, ({ entity }) => entity)
  const anew = new Set([...byEntity].flatMap(([entity, own]) => (isReplaced(own) ? [entity] : [])))
  return anew.size === 0 ? [] : list.filter(({ entity }) => anew.has(entity))
}

const restOf = ({ labels }: Series): readonly (readonly [string, string])[] =>
  Object.entries(labels)
    .filter(([label]) => !isOfVersion(label) && !isOfCopy(label))
    .sort(([a], [b]) => compareText(a, b))

const keyOf = (series: Series): string => {
  const { entity, name, type, unit, agg, window_of } = series
  return JSON.stringify([entity, name, type, unit, agg, window_of, restOf(series)])
}

function inOne(group: readonly Series[]): Series {
  const first = group.reduce((least, one) => (compareText(one.source, least.source) < 0 ? one : least))
  const parts = group.map(asRate)
  return {
    ...first,
    ...(first.type === 'counter' ? { type: 'rate' } : {}),
    labels: Object.fromEntries(restOf(first)),
    ...(parts.every(({ times }) => isAscending(times)) ? merged(parts) : sorted(parts)),
  }
}

type Samples = Pick<Series, 'times' | 'values'>

/** Whether each instant comes after the one before, as those of one series do as a rule. */
function isAscending(times: Float64Array): boolean {
  for (let index = 1; index < times.length; index++)
    if (!((times[index - 1] as number) < (times[index] as number))) return false
  return true
}

/** Samples of series whose instants ascend in the order of all, of those at one instant the smaller value first: two by two. */
function merged(parts: readonly Samples[]): Samples {
  let left = parts
  while (left.length > 1) {
    const pairs: Samples[] = []
    for (let index = 0; index < left.length; index += 2) {
      const [one, other] = [left[index] as Samples, left[index + 1]]
      pairs.push(other === undefined ? one : mergedPair(one, other))
    }
    left = pairs
  }
  return left[0] as Samples
}

function mergedPair(a: Samples, b: Samples): Samples {
  const times = new Float64Array(a.times.length + b.times.length)
  const values = new Float64Array(times.length)
  let [ofA, ofB] = [0, 0]
  for (let index = 0; index < times.length; index++) {
    const isA =
      ofB === b.times.length ||
      (ofA < a.times.length &&
        ((a.times[ofA] as number) - (b.times[ofB] as number) ||
          byValue(a.values[ofA] as number, b.values[ofB] as number)) <= 0)
    const from = isA ? a : b
    const at = isA ? ofA++ : ofB++
    times[index] = from.times[at] as number
    values[index] = from.values[at] as number
  }
  return { times, values }
}

/** The same of series whose instants do not. */
function sorted(parts: readonly Samples[]): Samples {
  const times = joined(parts.map((part) => part.times))
  const values = joined(parts.map((part) => part.values))
  const order = [...times.keys()].sort(
    (a, b) =>
      (times[a] as number) - (times[b] as number) || byValue(values[a] as number, values[b] as number),
  )
  return {
    times: times.map((_, rank) => times[order[rank] as number] as number),
    values: values.map((_, rank) => values[order[rank] as number] as number),
  }
}

/** What was not measured comes last, so that the order hangs on no order of the series. */
const byValue = (a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a - b

/** One after the other. */
function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}
