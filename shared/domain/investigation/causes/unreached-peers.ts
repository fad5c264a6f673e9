/**
 * Several machines beside the calls that nobody reaches any more since the same minute, while another that is looked at alike is reached.
 *
 * Method: of machines that end by themselves none waits for the other, so several that are gone at one instant have that in common which
 * the one that is left has not (the joint method of agreement and difference: Mill, A System of Logic, 1843, book III, chapter 8): their
 * network, their hall, or whoever hosts them. Clients count no calls to them; that they are missed is told by who fails and names one of them,
 * again and again since then. What they have in common is seldom on record, so the one that is named most stands for all.
 * @see https://prometheus.io/docs/concepts/jobs_instances/ (up)
 * @see https://github.com/prometheus/blackbox_exporter (probe_success)
 */
import { CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  isInTime,
  isSaidAtOnset,
  type Line,
  naming,
  outlasts,
  type Scene,
  stepsWith,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { PROBED, saysGone } from './down-part.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'

/** Machines that must be gone at once: one alone has a reason of its own. */
const LEAST_GONE = 2
/** What each sign is worth: a machine that is gone, and who misses one. */
const GONE = 0.35
const MISSED = 0.25

/** The machines that are gone at once and missed, told by the one that is named most; null where there are none, or no other is left. */
export function unreachedPeers(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  if (onset === null || observed.first === null) return null
  const lost = observed.shifts.filter(
    (shift) =>
      (saysGone(shift) || saysGone(shift, PROBED)) &&
      stepsWith(shift, onset) &&
      outlasts(observed, shift) &&
      !observed.flows.has(shift.series.entity),
  )
  const alike = Map.groupBy(lost, ({ series }) => series.name)
  const peers = [...alike].find(
    ([name, shifts]) => placesOf(shifts).size >= LEAST_GONE && isLeft(snapshot, name, lost),
  )?.[1]
  if (peers === undefined) return null
  const missing = [...placesOf(peers)].flatMap((entity) => {
    const lines = naming(scene, entity).filter(({ at }) => isInTime(scene, at))
    return isSaidAtOnset(scene, lines) ? [{ entity, lines }] : []
  })
  const [most] = missing.toSorted(
    (a, b) =>
      saidOf(b.lines) - saidOf(a.lines) ||
      firstOf(a.lines) - firstOf(b.lines) ||
      (a.entity < b.entity ? -1 : 1),
  )
  if (most === undefined) return null
  const told = distinctCallers(missing.flatMap(({ lines }) => lines))
  const named = peers.filter(({ series }) => series.entity === most.entity)
  const signs = strongest([
    ...[...named, ...peers.filter((shift) => !named.includes(shift))]
      .slice(0, LEAST_GONE)
      .flatMap((shift) => shown(shift, GONE)),
    ...told.map((line) => sign(line, MISSED)),
  ])
  return {
    ...{
      kind: 'network',
      entity: most.entity,
      signs,
      action: 'failover',
      yields_to_changes: true,
      is_placed: true,
    },
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    what: 'machines that nobody reaches since the same minute, while another that is looked at alike is reached',
    falls_on: told.flatMap(({ entity }) => (entity === null ? [] : [entity])),
    // Whose network or hall it is nobody says.
    at_most: CONFIDENCE_CAP_UNMAPPED,
  }
}

const placesOf = (shifts: readonly SeriesShift[]): ReadonlySet<string> =>
  new Set(shifts.map(({ series }) => series.entity))

/** Whether another is looked at in that way and is not gone. */
function isLeft({ series }: Scene['snapshot'], name: string, lost: readonly SeriesShift[]): boolean {
  const gone = placesOf(lost)
  return series.some((one) => one.name === name && !gone.has(one.entity))
}

const saidOf = (lines: readonly Line[]): number => lines.reduce((sum, { count }) => sum + count, 0)

/** When the first of them was said, epoch milliseconds. */
const firstOf = (lines: readonly Line[]): number =>
  Math.min(...lines.map(({ at }) => at ?? Number.POSITIVE_INFINITY))
