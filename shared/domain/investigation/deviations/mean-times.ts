/**
 * How long things took on the mean, where a tool tells the sum of their times and how many there were, as histograms and
 * summaries do: neither of both is a waiting time, and both grow with traffic.
 *
 * Method: what the sum grew by from one sample to the next, by what the count grew in the same time. Sums of several series
 * of one entity are added up first, as those of each status code and each copy.
 * @see https://prometheus.io/docs/practices/histograms/#count-and-sum-of-observations
 */
import { compareText } from '../records/log-templates.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import { areOutgoing } from './ended-calls.ts'
import { timedBy } from './metric-meaning.ts'
import { addedUp, perInterval } from './per-interval.ts'

/** Whether a name is of a sum of times, or of how many there were. */
const isTimed = (name: string): boolean => timedBy(name) !== null

/** The snapshot with a mean for each entity of which sums and counts of times are told; itself where there are none. */
export function withMeanTimes(snapshot: Snapshot): Snapshot {
  const parts = seriesNamed(snapshot.series, isTimed).filter(({ labels }) => !areOutgoing(labels))
  if (parts.length === 0) return snapshot
  const groups = Map.groupBy(parts, ({ entity, name }) => JSON.stringify([entity, timedBy(name)?.of]))
  const isMeasured = ([first]: readonly Series[]): boolean => {
    const of = timedBy(first?.name ?? '')?.of
    return seriesOf(snapshot.series, first?.entity).some(({ name }) => name === of)
  }
  const means = [...groups.values()].flatMap((group) => (isMeasured(group) ? [] : (meanOf(group) ?? [])))
  return means.length === 0 ? snapshot : { ...snapshot, series: [...snapshot.series, ...means] }
}

function meanOf(group: readonly Series[]): Series | null {
  const told = (tells: 'sum' | 'count'): Series | null =>
    addedUp(group.filter(({ name }) => timedBy(name)?.tells === tells).map((one) => perInterval(one)))
  const [sums, counts] = [told('sum'), told('count')]
  if (sums === null || counts === null) return null
  const countAt = new Map(Array.from(counts.times, (at, index) => [at, counts.values[index] as number]))
  const { of } = timedBy(sums.name) as { readonly of: string }
  const [first] = [...group].sort((a, b) => compareText(a.source, b.source))
  return {
    ...{ source: (first as Series).source, entity: sums.entity, name: of, labels: {} },
    ...{ type: 'gauge', agg: 'avg' },
    ...(/milliseconds$/i.test(of) ? { unit: 'ms' } : /seconds$/i.test(of) ? { unit: 's' } : {}),
    ...(sums.unit === undefined ? {} : { unit: sums.unit }),
    ...(sums.interval_s === undefined ? {} : { interval_s: sums.interval_s }),
    times: sums.times,
    values: sums.values.map((sum, index) => {
      const count = countAt.get(sums.times[index] as number) ?? Number.NaN
      return count > 0 ? sum / count : Number.NaN
    }),
  }
}
