/**
 * Makes one series of what a tool was asked for once for each window: the incident's and those that count as normal. Only
 * side by side can a level be compared with what is normal.
 *
 * The samples of all windows stand under the record of the incident's own, whose question is the same as theirs at another
 * time. What was added up over longer intervals in one of them is told for the incident's.
 */

import { compareText } from './log-templates.ts'
import type { Series, Snapshot } from './snapshot.ts'

/** How adapters name the incident's own window. */
const INCIDENT = 'incident'
const ADDED_UP = /^(sum|count|samplecount)$/i

const isOfWindow = ({ window_of: of }: Series): boolean => of !== undefined

/** The snapshot with one series for each thing that was measured; itself where no series is of one window alone. */
export function withWholeSeries(snapshot: Snapshot): Snapshot {
  const parts = snapshot.series.filter(isOfWindow)
  if (parts.length === 0) return snapshot
  const groups = Map.groupBy(parts, keyOf)
  const whole = snapshot.series.filter(({ window_of }) => window_of === undefined)
  return { ...snapshot, series: [...whole, ...[...groups.values()].map(inOne)] }
}

const keyOf = ({ entity, name, labels, type, unit, agg, query }: Series): string => {
  const known = Object.entries(labels).sort(([a], [b]) => compareText(a, b))
  return JSON.stringify([entity, name, known, type, unit, agg, query])
}

function inOne(group: readonly Series[]): Series {
  const [first, ...others] = [...group].sort(
    (a, b) =>
      Number(b.window_of === INCIDENT) - Number(a.window_of === INCIDENT) ||
      compareText(a.window_of ?? '', b.window_of ?? '') ||
      compareText(a.source, b.source),
  ) as [Series, ...Series[]]
  const { window_of: _, ...record } = first
  const points = new Map<number, number>()
  for (const one of [first, ...others]) {
    const factor = ADDED_UP.test(one.agg ?? '')
      ? (first.interval_s ?? 1) / (one.interval_s ?? first.interval_s ?? 1)
      : 1
    for (const [index, at] of one.times.entries())
      if (!points.has(at)) points.set(at, factor * (one.values[index] as number))
  }
  const times = Float64Array.from(points.keys()).sort()
  return { ...record, times, values: times.map((at) => points.get(at) as number) }
}
