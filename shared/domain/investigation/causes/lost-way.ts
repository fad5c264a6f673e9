/**
 * A way that nobody gets over any more: several who serve calls are asked from outside whether they are there and answer no more
 * since the same minute, and one part that serves none, asked in the same way, neither.
 *
 * Method: several parts that are reached no more tell nothing of what lies between, as each may have its own reason. Where what
 * lies between is asked as well it tells it: of all that is asked alike, what stopped answering is held against what still does
 * (Mill's joint method of agreement and difference, A System of Logic, 1843, book III, chapter 8), and of who stopped one has no
 * calls of its own. Who still answers shows that it is not the asking that fails.
 * @see https://github.com/prometheus/blackbox_exporter (probe_success)
 */
import { CONFIDENCE_CAP_SHOWN, CONFIDENCE_CAP_WITNESSED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { onCalls } from '../place/call-graph.ts'
import {
  hasShiftedInTime,
  isInTime,
  isRecorded,
  matching,
  outlasts,
  type Scene,
} from '../place/told-lines.ts'
import { median, round6 } from '../statistics.ts'
import { saysGone } from './down-part.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'

/** Whoever asks from outside whether something is there, by the last words of the gauge. */
const ASKED = /(?:^|[^a-z\d])(?:probe_?success|reachable)$/i
/** Who serves calls and answers no more, at least: one alone has a reason of its own. */
const LEAST_BEHIND = 2
/** From this level on a gauge says that something is there. */
const THERE = 0.9
/** What each sign is worth: the way, who is behind it, and who says that nobody gets through. */
const WAY = 0.45
const BEHIND = 0.3
const SAID = 0.2

const NETWORK = wordsFor('network')

/** The one way that is gone with who is behind it; null where there is none, or several. */
export function lostWay(scene: Scene): OperationalCause | null {
  const { observed, snapshot } = scene
  const gone = observed.shifts.filter(
    (shift) => saysGone(shift, ASKED) && hasShiftedInTime(scene, shift) && outlasts(observed, shift),
  )
  if (gone.length <= LEAST_BEHIND) return null
  const served = new Set([...onCalls(observed.graph), ...observed.flows.keys()])
  const isServing = ({ series }: SeriesShift): boolean => served.has(series.entity)
  const behind = gone.filter(isServing)
  const ways = new Set(gone.filter((shift) => !isServing(shift)).map(({ series }) => series.entity))
  const [entity] = ways
  if (entity === undefined || ways.size > 1) return null
  if (new Set(behind.map(({ series }) => series.entity)).size < LEAST_BEHIND) return null
  const way = gone.find(({ series }) => series.entity === entity) as SeriesShift
  const isAlike = snapshot.series.some(
    ({ name, entity: other, values }) =>
      name === way.series.name &&
      !gone.some(({ series }) => series.entity === other) &&
      median(values) >= THERE,
  )
  if (!isAlike) return null
  const said = matching(scene, NETWORK).filter((line) => !isRecorded(line) && isInTime(scene, line.at))
  const signs = strongest([
    ...shown(way, WAY),
    ...behind.slice(0, 2).flatMap((shift) => shown(shift, BEHIND)),
    ...distinctCallers(said)
      .slice(0, 2)
      .map((line) => sign(line, SAID)),
  ])
  return {
    ...{ kind: 'network', entity, signs, action: 'failover', yields_to_changes: true },
    what: 'a way that nobody gets over, with all that is behind it',
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    falls_on: behind.map(({ series }) => series.entity),
    is_placed: true,
    // Who asks from outside, who is behind it and who does not get through are three that know nothing of each other.
    at_most: said.length > 0 ? CONFIDENCE_CAP_WITNESSED : CONFIDENCE_CAP_SHOWN,
  }
}
