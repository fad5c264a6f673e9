/**
 * What was changed has itself changed since: its own telemetry left normal in the minute in which users were hurt.
 *
 * Method: "what touched it last?" is asked of what stepped with the harm (Beyer et al., Site Reliability Engineering, 2016,
 * chapter 12). A router, a tunnel, a resolver or a machine serves no call that is counted, so that it was changed links it to
 * nobody who fails. Where a series of that very part stepped within minutes of the change, together with what users feel, and
 * stayed there for as long as they are hurt, the change is seen to have done something, and when: three instants meet of which two
 * would by chance. Of who answers calls it says nothing, since whoever fails leaves normal; what passes is another story.
 * Where nobody recorded when settings came into effect, they did when that series stepped. What is done to all of a set is
 * seen where every one of them steps.
 */

import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { isDemand } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { onCalls } from '../place/call-graph.ts'
import type { Observed } from '../place/failing-services.ts'
import { storesAndQueues } from '../place/stores-and-queues.ts'
import { outlasts, stepsWith } from '../place/told-lines.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import { seriesNamed } from '../records/series-by-name.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { membersMeant, setsOf } from './members-of-sets.ts'
import { isDelivered, WRITES } from './place-of-changes.ts'
import { SHOWS_WITHIN_MS } from './stepped-at-rollout.ts'

/** From the record of settings until whoever applies them asks for them, ms: Argo CD asks every three minutes, Flux every ten at most. */
export const APPLIED_MS = 10 * 60_000

/** What stepped at each part that answers no call that is counted, together with what users feel, and stays. */
function stepsOf(observed: Observed, snapshot: Snapshot): ReadonlyMap<string, SeriesShift> {
  const { onset, graph, shifts, flows, symptom_service: asked } = observed
  const steps = new Map<string, SeriesShift>()
  if (onset === null) return steps
  const answering = new Set([
    ...flows.keys(),
    ...onCalls(graph),
    ...storesAndQueues(snapshot),
    ...(asked === null ? [] : [asked]),
  ])
  for (const { entity } of seriesNamed(snapshot.series, isDemand)) answering.add(entity)
  for (const shift of shifts)
    if (
      !answering.has(shift.series.entity) &&
      !steps.has(shift.series.entity) &&
      (shift.is_bad || shift.meaning.meaning === 'other') &&
      stepsWith(shift, onset.at) &&
      outlasts(observed, shift)
    )
      steps.set(shift.series.entity, shift)
  return steps
}

/** The step of what a record is of that means all of a set: each of them has to have stepped. */
function stepsOfSets(
  steps: ReadonlyMap<string, SeriesShift>,
  { series }: Snapshot,
): (change: Change) => SeriesShift | undefined {
  if (steps.size === 0) return () => undefined
  const measured = new Set(seriesByEntity(series).keys())
  const sets = setsOf(measured)
  return (change) => {
    const members = membersMeant(change, sets, (entity) => measured.has(entity))
    return members.every((member) => steps.has(member)) ? steps.get(members[0] ?? '') : undefined
  }
}

/** What a change is seen to have done to the very part that it reached, and the same arrival in effect since then. */
export interface MovedItself {
  readonly arrivals: readonly Arrival[]
  readonly stepOf: ReadonlyMap<Arrival, SeriesShift>
}

/** The same arrivals; those whose part stepped when they arrived stand where it fails, each with that step. */
export function withMovedItself(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
): MovedItself {
  const steps = stepsOf(observed, snapshot)
  const stepOf = new Map<Arrival, SeriesShift>()
  const stepOfAll = stepsOfSets(steps, snapshot)
  const moved = arrivals.map((arrival) => {
    const { change, effective, place, trivial } = arrival
    const step = steps.get(place.reaches ?? '') ?? stepOfAll(change)
    if (step === undefined || trivial !== null) return arrival
    const isLate = !effective.known && isDelivered(change)
    const since = effective.known ? effective.from : change.recorded_at
    if (step.onset.latest < since - CLOCK_TOLERANCE_MS) return arrival
    if (step.onset.earliest > since + (isLate ? APPLIED_MS : SHOWS_WITHIN_MS)) return arrival
    const seen: Arrival = {
      ...arrival,
      effective: isLate ? { from: step.onset.earliest, to: step.onset.latest, known: true } : effective,
      place: { ...place, score: Math.max(place.score, WRITES), reaches: step.series.entity },
    }
    stepOf.set(seen, step)
    return seen
  })
  return { arrivals: moved, stepOf }
}
