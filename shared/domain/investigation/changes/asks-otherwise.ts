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
import { firstInstant, pairsOf } from '../records/calls-by-pair.ts'
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

/** Calls counted by interval, under the short form of its instant (`firstInstant`). */
type Counts = Map<number, number>

const isCounted = ({ calls }: Edge): boolean => calls !== undefined
const firstBySource = (first: Edge, one: Edge): Edge => (one.source < first.source ? one : first)

function addTo(counts: Counts, edges: readonly Edge[], first: number): void {
  for (let index = 0; index < edges.length; index++) {
    const { t0, calls = 0 } = edges[index] as Edge
    counts.set(t0 - first, (counts.get(t0 - first) ?? 0) + calls)
  }
}

/**
 * How often each of some services asked each whom it calls, for each call of its own, where that left normal.
 * @param services - names of entities
 */
export function asksOtherwise(
  edges: readonly Edge[],
  services: ReadonlySet<string>,
  { normal }: Observed,
): readonly SeriesShift[] {
  const first = firstInstant(edges)
  const own = new Map<string, Counts>()
  const asked = new Map<string, { readonly edge: Edge; readonly counts: Counts }>()
  for (const { caller, callee, edges: all } of pairsOf(edges)) {
    if (!services.has(callee) && !services.has(caller)) continue
    const counted = all.filter(isCounted)
    const [one] = counted
    if (one === undefined) continue
    if (services.has(callee)) {
      const counts = own.get(callee) ?? new Map<number, number>()
      own.set(callee, counts)
      addTo(counts, counted, first)
    }
    if (!services.has(caller)) continue
    const counts: Counts = new Map()
    addTo(counts, counted, first)
    // Whatever order they come in, the same record stands for all.
    const edge = counted.reduce(firstBySource, one)
    asked.set(JSON.stringify([caller, callee]), { edge, counts })
  }
  // A service asks several for the same calls of its own.
  const inOrder = new Map([...own].map(([service, counts]) => [service, ownCallsOf(counts, first)]))
  return [...asked]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, { edge, counts }]) => {
      const shift = findShift(ratioOf(edge, counts, inOrder.get(edge.caller) ?? NO_CALLS), normal)
      if (shift === null || shift.before <= 0) return []
      const factor = shift.during / shift.before
      return factor < FACTOR && factor > 1 / FACTOR ? [] : [{ ...shift, meaning: NEITHER, is_bad: false }]
    })
    .sort((a, b) => b.z - a.z || a.onset.at - b.onset.at)
}

/** The calls of one who asks, interval by interval in their order. */
interface OwnCalls {
  /** Short instants. */
  readonly at: Float64Array
  readonly times: Float64Array
  readonly calls: Float64Array
}

const NONE = new Float64Array(0)
const NO_CALLS: OwnCalls = { at: NONE, times: NONE, calls: NONE }

/** A service asks several for the same calls of its own, which are put in order once. */
function ownCallsOf(counts: Counts, first: number): OwnCalls {
  const at = Float64Array.from(counts.keys()).sort()
  const times = new Float64Array(at.length)
  const calls = new Float64Array(at.length)
  for (let index = 0; index < at.length; index++) {
    times[index] = first + (at[index] as number)
    calls[index] = counts.get(at[index] as number) as number
  }
  return { at, times, calls }
}

function ratioOf({ caller, callee, source, interval_s }: Edge, counts: Counts, own: OwnCalls): Series {
  const { at, times, calls } = own
  const values = new Float64Array(times.length)
  for (let index = 0; index < values.length; index++) {
    const all = calls[index] as number
    values[index] = all < LEAST_CALLS ? Number.NaN : (counts.get(at[index] as number) ?? 0) / all
  }
  return {
    ...{ source, entity: caller, name: callsTo(callee), labels: {}, type: 'gauge' },
    ...{ unit: CALLS, interval_s, times, values },
  }
}
