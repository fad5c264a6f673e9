/**
 * One of several alike machines or servers (`cache-1`, `cache-2`, `cache-3`) by which several measures left normal with the harm
 * and stay so, among them that it answers with errors or that a part of it says of itself that it fails, while its peers are as ever.
 *
 * Method: peer comparison, as in `differing-copy.ts`, of what nobody counts calls to and tools know by names of their own. Peers
 * have the same settings and share the same requests, so what one of them alone does is its own. One measure of one machine moves
 * on any day; that several do so in the same minute, and for as long as users are hurt, is no chance. Where somebody changed it
 * just before, that is told instead.
 * @see https://github.com/prometheus-community/node-exporter-textfile-collector-scripts (smartmon_device_smart_healthy)
 * @see https://github.com/vozlt/nginx-module-vts (answers by the first digit of their code)
 */

import { CONFIDENCE_CAP_SHOWN } from '../confidence.ts'
import { storeStateOf } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { CLOCK } from '../place/begun-anew.ts'
import { isOnRecord, outlasts, type Scene, stepsWith, wasChanged } from '../place/told-lines.ts'
import { seriesByEntity } from '../records/series-by-entity.ts'
import { round6 } from '../statistics.ts'
import { OUTCOME_LABELS } from './failing-nodes.ts'
import { bySureness, chanceOf, MOST_JOINED, type OperationalCause, shown } from './operational-cause.ts'

/** A name with a number at its end, and what stands before it. */
const NUMBERED = /^(.*\D)\d+$/
/** Measures that must have moved together: two machines of a large infrastructure have one or two at any time. */
const LEAST_MOVED = 3
/** By what factor a level must have changed at least. */
const CLEARLY = 2
/** What each of them is worth. */
const MOVED = 0.4

/** Answers of a server that failed, by the digits of their code. */
const FAILED = /^(?:5\d\d|5xx|error)$/i
/** What a drive or an array of drives says of itself. */
const OWN_WORD = /(?:^|_)(?:smart(?:mon|ctl)?|raid|megaraid)_/i

/** The one peer that differs from the others since the onset; null where there is none, or several. */
export function differingPeer(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  if (onset === null || observed.first === null) return null
  const moved = observed.shifts.filter((shift) => isMove(scene, shift, onset))
  const found = [...Map.groupBy(moved, ({ series }) => series.entity)]
    .flatMap(([entity, own]) => causeOf(scene, entity, own, moved) ?? [])
    .sort(bySureness)
  const [best, next] = found
  return best === undefined || next?.score === best.score ? null : best
}

/** Whether something of a part that nobody counts calls to went clearly the wrong way with the harm, and lasts as long. */
function isMove({ observed }: Scene, shift: SeriesShift, onset: number): boolean {
  const { series, before, during } = shift
  const [low, high] = [Math.min(before, during), Math.max(before, during)]
  return (
    NUMBERED.test(series.entity) &&
    !observed.flows.has(series.entity) &&
    (shift.is_bad || isFailedAnswers(shift)) &&
    high >= CLEARLY * Math.max(0, low) &&
    !CLOCK.test(series.name) &&
    storeStateOf(series.name) === null &&
    stepsWith(shift, onset) &&
    outlasts(observed, shift)
  )
}

const isFailedAnswers = ({ series, direction }: SeriesShift): boolean =>
  direction === 'up' && OUTCOME_LABELS.some((label) => FAILED.test(series.labels[label] ?? ''))

function causeOf(
  scene: Scene,
  entity: string,
  own: readonly SeriesShift[],
  moved: readonly SeriesShift[],
): OperationalCause | null {
  const peers = peersOf(scene, entity)
  const isPeers = ({ series }: SeriesShift): boolean =>
    peers.has(series.entity) && own.some((shift) => shift.series.name === series.name)
  const alone = [...new Map(own.map((shift) => [shift.series.name, shift])).values()]
  const isOwnWord = alone.some(({ series }) => OWN_WORD.test(series.name))
  const fails =
    isOwnWord || alone.some((shift) => isFailedAnswers(shift) || shift.meaning.meaning === 'errors')
  if (alone.length < LEAST_MOVED || !fails || peers.size === 0 || moved.some(isPeers)) return null
  if (isOwnWord ? wasChanged(scene, entity) : isOnRecord(scene, entity)) return null
  const signs = alone.flatMap((shift) => shown(shift, MOVED))
  return {
    ...{ kind: 'infra', entity, signs, action: 'failover', is_placed: true },
    what: 'one of several alike that fails, while its peers do not',
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    // What hardware says of itself no change brought.
    yields_to_changes: !isOwnWord,
    at_most: CONFIDENCE_CAP_SHOWN,
  }
}

/** Others of the same name but for the number at its end that something is measured of. */
function peersOf({ snapshot }: Scene, entity: string): ReadonlySet<string> {
  const stem = NUMBERED.exec(entity)?.[1]
  return new Set(
    [...seriesByEntity(snapshot.series).keys()].filter(
      (other) => other !== entity && NUMBERED.exec(other)?.[1] === stem,
    ),
  )
}
