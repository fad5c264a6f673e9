/**
 * A resource at its end: connections, memory, processors, storage or quota, measured or told.
 *
 * Its utilisation and its saturation tell it (the USE method: Gregg, Thinking Methodically about Performance, ACM Queue
 * 2012), or who waits for it does.
 */

import { CONFIDENCE_CAP_WITNESSED } from '../confidence.ts'
import { isAtItsEnd } from '../deviations/at-its-end.ts'
import { readMetricName } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { LEVEL_SAMPLES, trendOf } from '../deviations/trend-of-series.ts'
import { heavyStatements } from '../place/heavy-statements.ts'
import { storeOfOthers } from '../place/stores-of-others.ts'
import {
  BEFORE_MS,
  explaining,
  hasShiftedInTime,
  holdsOn,
  isRecorded,
  type Line,
  matching,
  NEAR_MS,
  placeToldOf,
  type Scene,
} from '../place/told-lines.ts'
import { isOfWorkload, machinesOf } from '../records/hosting.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { round6 } from '../statistics.ts'
import { isDiskFull } from './filled-slowly.ts'
import { type KnownToBeFull, knownToBeFull } from './known-to-be-full.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'
import { wordsFor } from './spoken-signs.ts'
import { isAnswerOf } from './system-answers.ts'

const CAPACITY = wordsFor('capacity')

/** By what factor collections of garbage must have grown to free nothing any more: a busy hour makes less. */
const FRUITLESS = 10
const isCollecting = (name: string): boolean => /(^|_)gc(_|$)|garbage/i.test(name)
const isFruitless = ({ series, meaning, before, during }: SeriesShift): boolean =>
  meaning.bad === 'up' && isCollecting(series.name) && during >= FRUITLESS * before

/** Share of where it is by which a resource must have been further from its end at first. */
const LESS_AT_FIRST = 2 / 3

/**
 * What came to its end at the first failing place without a level to leave, since it was on its way from the first sample on:
 * told from where it began to where it is.
 */
function cameToItsEnd({ snapshot, observed }: Scene): readonly SeriesShift[] {
  const known = new Set(observed.shifts.map(({ series }) => series))
  return seriesOf(snapshot.series, observed.first?.entity)
    .filter((one) => one.type === 'gauge' && !known.has(one))
    .filter(
      ({ name, times }) => readMetricName(name).meaning === 'saturation' && times.length > LEVEL_SAMPLES,
    )
    .map((one): SeriesShift => {
      const trend = trendOf(one, observed.normal.incident.to)
      return trend.meaning.bad === 'down' ? { ...trend, direction: 'down', extreme: trend.during } : trend
    })
    .filter(
      (shift) =>
        isAtItsEnd(shift, 'during') &&
        (shift.direction === 'down' || shift.before <= LESS_AT_FIRST * shift.during),
    )
}

/**
 * Tells whether a line is of the place that is named: what a platform records of another thing, on which the place is not seen to
 * depend, is a second story and makes the first no surer.
 */
function belongsTo(
  place: string | null,
  { snapshot, observed, names }: Scene,
): (line: Pick<Line, 'entity' | 'origin'>) => boolean {
  const { graph } = observed
  if (place === null) return () => true
  const around = new Set([
    place,
    ...graph.reachableFrom(place),
    ...(machinesOf(snapshot, names).get(place) ?? []),
  ])
  return (line) => {
    const { entity } = line
    return (
      !isRecorded(line) ||
      entity === null ||
      [...around].some((name) => isOfWorkload(entity, name, snapshot.entities))
    )
  }
}

/** What is said of resources in time: a store that nobody asks who is hurt, and what began long before the harm or minutes after it, are left out. */
function spokenInTime(scene: Scene): readonly Line[] {
  const isOfOthers = storeOfOthers(scene)
  const { onset } = scene
  return matching(scene, CAPACITY).filter(({ origin, entity, at }) => {
    if (origin === 'event') return entity === null || !isOfOthers(entity)
    return (
      origin !== 'alert' &&
      (at === null || onset === null || (at >= onset - BEFORE_MS && at <= onset + NEAR_MS))
    )
  })
}

/** A resource at its end; what used it up may be a change, so this yields to one whose mechanism fits. */
export function usedUpResource(scene: Scene): OperationalCause | null {
  const said = spokenInTime(scene)
  const events = said.filter((line) => line.origin === 'event')
  const isAtEnd = (shift: SeriesShift): boolean => isAtItsEnd(shift, 'during') || isFruitless(shift)
  const diskFull = isDiskFull(scene)
  const isUsedUp = (shift: SeriesShift): boolean =>
    shift.is_bad && shift.meaning.meaning === 'saturation' && holdsOn(scene.observed, shift)
  const known = knownToBeFull(scene, said, isUsedUp)
  // What is sure of its place needs nothing that only moved elsewhere.
  const isOfPlace = ({ series }: SeriesShift): boolean => known === null || series.entity === known.entity
  const shifts = [...scene.observed.shifts, ...cameToItsEnd(scene)].filter(
    (shift) =>
      isUsedUp(shift) &&
      isOfPlace(shift) &&
      (known !== null ||
        shift.series.entity === scene.observed.first?.entity ||
        // Elsewhere it tells nothing that began when they had long been hurt.
        (hasShiftedInTime(scene, shift) && events.some((line) => line.entity === shift.series.entity)) ||
        (diskFull && shift.meaning.resource === 'disk' && isAtEnd(shift))),
  )
  const heavy = heavyStatements(scene.snapshot.statements)
  const isStuck = heavy.some(({ is_stuck }) => is_stuck)
  // A load that one statement makes is only a cause where something else is off as well.
  if (shifts.length + said.length === 0 && !isStuck) return null
  const entity = known?.entity ?? placeOfResource(scene, said, shifts)
  const spoken = said.filter(belongsTo(entity, scene))
  const told = spoken.filter((line) => line.origin === 'event')
  const signs: Sign[] = [
    ...shifts.slice(0, 3).flatMap((shift) => shown(shift, isAtEnd(shift) ? 0.45 : 0.3)),
    ...spoken.slice(0, 3).map((line) => sign(line, line.origin === 'event' ? 0.35 : 0.2)),
    ...heavy.slice(0, 2).map(
      (statement): Sign => ({
        strength: statement.is_stuck ? 0.45 : 0.3,
        fact: { of: 'statement', statement },
      }),
    ),
    ...(known?.signs ?? []),
  ]
  const isReached = told.length > 0 || shifts.some(isAtEnd) || isStuck
  return {
    kind: 'capacity',
    entity,
    score: round6(
      Math.min(isReached ? 0.75 : 0.55, chanceOf(strongest(signs))) *
        shareOfSymptoms(scene, isReached, known),
    ),
    what: 'a resource that is used up',
    signs: strongest(signs),
    action: 'scale',
    yields_to_changes: true,
    ...(known === null ? {} : { is_placed: true }),
    ...(known?.is_whole === true ? { is_whole: true, at_most: CONFIDENCE_CAP_WITNESSED } : {}),
  }
}

/** The share of what is observed that it explains: those who know of it say so themselves. */
function shareOfSymptoms(scene: Scene, isReached: boolean, known: KnownToBeFull | null): number {
  if (known !== null) return 1
  const share = explaining(scene, CAPACITY)
  return isReached ? Math.max(0.8, share) : share
}

/** Whose resource it is. */
const placeOfResource = (
  scene: Scene,
  spoken: readonly Line[],
  shifts: readonly SeriesShift[],
): string | null =>
  // What a resource's own event says and its own series show is about it, though others wait for it the longest.
  shifts.find(({ series }) => spoken.some((line) => line.origin === 'event' && line.entity === series.entity))
    ?.series.entity ??
  shifts.find(({ series }) => series.entity === scene.observed.first?.entity)?.series.entity ??
  placeToldOf(
    scene,
    spoken.filter(({ text }) => isAnswerOf('capacity', text)),
  ) ??
  spoken[0]?.entity ??
  scene.observed.symptom_service
