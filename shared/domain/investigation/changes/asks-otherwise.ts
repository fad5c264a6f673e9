/**
 * Who asks those whom it calls more often, or more seldom, for each call of its own than it used to.
 *
 * Method: what a service asks of others for one call that it answers is a property of what runs there, and not of how many
 * come: demand goes up and down on both sides (conservation of flows, `call-graph.ts`). So where it left normal, that service
 * does otherwise than before, though it fails nobody: a cache that keeps less, a loop that asks for one after another, a write that
 * is no longer sent. It is told as a series of its own, so that a change which arrived there then can be held against it.
 */
import type { MetricMeaning } from '../deviations/metric-meaning.ts'
import { findShift, type SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { type CallsOfInterval, callsAt, callsByInterval, intervalsOf } from '../records/calls-by-interval.ts'
import { isCounted, type Pair, pairsOf, pairsTo, sourceOf } from '../records/calls-by-pair.ts'
import { compareText } from '../records/log-templates.ts'
import type { Edge, Series } from '../records/snapshot.ts'
import type { DiffReading } from './read-diff.ts'

/** UCUM's annotation for what is counted call by call. */
export const CALLS = '{call}'
/** Calls of one interval below which a ratio of them is chance: one of twenty more or less is 5 %. */
const LEAST_CALLS = 20
/** Factor from which it asks otherwise and not as on another day. */
const FACTOR = 1.3

/** Neither more nor less hurts anybody by itself. */
const NEITHER: MetricMeaning = { meaning: 'other', bad: null, weight: 0, is_demand: false, resource: null }

/** What the series is called of how often a service asks another for each call of its own. */
export const callsTo = (callee: string): string => `calls to ${callee} per call`

/** A line that asks somebody else and waits for the answer, as code has it. */
const ASKS =
  /\bawait\b|\b(?:fetch|query|execute|invoke|rpc|request)\w*\(|\.(?:get|post|send|call|find\w*|load\w*)\(/

/** Whether a diff adds lines that ask, net of those that it takes away. */
export const asksMore = ({ lines_gone: gone, lines_new: added }: DiffReading): boolean =>
  added.filter((line) => ASKS.test(line)).length > gone.filter((line) => ASKS.test(line)).length

/**
 * How often each of some services asked each whom it calls, for each call of its own, where that left normal.
 * @param services - names of entities
 */
export function asksOtherwise(
  edges: readonly Edge[],
  services: ReadonlySet<string>,
  { normal }: Observed,
): readonly SeriesShift[] {
  return pairsOf(edges)
    .filter((pair) => services.has(pair.caller) && isCounted(pair))
    .sort((a, b) => compareText(a.caller, b.caller) || compareText(a.callee, b.callee))
    .flatMap((pair) => {
      const shift = findShift(ratioOf(pair, callsByInterval(pairsTo(edges, pair.caller))), normal)
      if (shift === null || shift.before <= 0) return []
      const factor = shift.during / shift.before
      return factor < FACTOR && factor > 1 / FACTOR ? [] : [{ ...shift, meaning: NEITHER, is_bad: false }]
    })
    .sort((a, b) => b.z - a.z || a.onset.at - b.onset.at)
}

/** The series of how often one asks another for each call of its own. */
function ratioOf(pair: Pair, own: readonly CallsOfInterval[]): Series {
  const asked = intervalsOf(pair)
  const interval_s = Math.max(...asked.map((one) => one.interval_s))
  const times = new Float64Array(own.length)
  const values = new Float64Array(own.length)
  for (let index = 0; index < own.length; index++) {
    const { t0, calls } = own[index] as CallsOfInterval
    times[index] = t0
    values[index] = calls < LEAST_CALLS ? Number.NaN : (callsAt(asked, t0) || 0) / calls
  }
  return {
    ...{ source: sourceOf(pair), entity: pair.caller, name: callsTo(pair.callee), labels: {}, type: 'gauge' },
    ...{ unit: CALLS, interval_s, times, values },
  }
}
