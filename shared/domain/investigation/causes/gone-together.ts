/**
 * Machines that are gone at the same instant, with all that ran on them and nowhere else, while others go on: one event of
 * whoever has them.
 *
 * Method: who is gone is held against who is not (Mill's joint method of agreement and difference, A System of Logic, 1843,
 * book III, chapter 8). Several parts that are reached no more tell nothing of what lies between, as each may have its own
 * reason; where all of them ran on machines of their own, which tell nothing of themselves since the same instant, and machines
 * on which the others run go on, these machines are what they have in common. Machines of their own end one by one, those of an
 * account end with it: that of all which an account had in use nothing is left, or that its host says so (also minutes later, as
 * hosts do), names the account. Where neither is told, the machines are.
 */
import { CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { hasShiftedInTime, holdsOn, type Line, type Scene } from '../place/told-lines.ts'
import { machinesOf } from '../records/hosting.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import { round6 } from '../statistics.ts'
import { wentDown } from './down-part.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { isOfSuspension } from './system-answers.ts'

/** Parts that must be gone together: one alone has a reason of its own. */
const LEAST_PARTS = 2
/** Measures of a machine that must end together: one alone is an exporter that ended. */
const LEAST_ENDED = 2
/** How far apart the last samples of what ends together may lie, ms: two samples of a minute. */
const TOGETHER_MS = 2 * 60_000
/** What each sign is worth: who is gone, and what is told of the account that they belong to. */
const PART = 0.35
const TOLD = 0.45

/**
 * A count of the machines that an account has in use, as clouds and their exporters call it.
 * @see https://github.com/openstack-exporter/openstack-exporter (openstack_nova_limits_instances_used)
 * @see https://cloud.google.com/compute/resource-usage (compute.googleapis.com/instances usage)
 */
const IN_USE = /(?:instances|servers|machines|vms|droplets)_(?:used|in_use|usage|running|active)(?:_|$)/i
/** Share of what was in use below which nothing is left. */
const NOTHING_LEFT = 0.05

/** Several parts and their machines that went at the onset and stay away, and who has them, if that is told. */
export function goneTogether(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  const gone = wentDown(scene)
  if (onset === null || gone.size < LEAST_PARTS || !isHarmed(observed, gone)) return null
  const machines = machinesGone(scene, onset, gone)
  const levels = observed.shifts.filter((shift) => isNothingLeft(scene, shift, gone))
  const words = scene.lines.filter((line) => isWordOf(scene, line, onset))
  const accounts = new Set([
    ...levels.map(({ series }) => series.entity),
    ...words.map((line) => ownerIn(scene, line)),
  ])
  // Of several accounts none is the one.
  const [account = null] = accounts.size === 1 ? accounts : []
  const isSaid = account !== null && words.length > 0
  // Where nobody says what ran where, what is left of the account and the host's word have to agree.
  if (machines.length === 0 && !(isSaid && levels.length > 0)) return null
  const signs = strongest([
    ...[...gone.values()].flatMap(([shift]) => shown(shift, PART)),
    ...(account === null ? [] : levels.slice(0, 1).flatMap((shift) => shown(shift, TOLD))),
    ...(isSaid ? words.slice(0, 2).map((line) => sign(line, TOLD)) : []),
  ])
  return {
    kind: account === null ? 'node' : 'provider',
    entity: account ?? machines[0] ?? null,
    what: `${account === null ? 'machines' : 'an account'} of which all is gone at once, with what ran there`,
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    signs,
    action: 'failover',
    yields_to_changes: !isSaid,
    falls_on: [...gone.keys()],
    // Why they are gone is not known where nobody says it.
    ...(isSaid ? {} : { at_most: CONFIDENCE_CAP_UNMAPPED }),
  }
}

type Gone = ReadonlyMap<string, readonly SeriesShift[]>

/** The machines of what is gone, in order: all of them tell nothing any more, while a machine of others does. */
function machinesGone({ snapshot, names }: Scene, onset: number, gone: Gone): readonly string[] {
  const runsOn = machinesOf(snapshot, names)
  const on = [...gone.keys()].map((part) => [...(runsOn.get(part) ?? [])])
  const there = [...new Set(on.flat())].sort()
  const hasEnded = (machine: string): boolean => isSilentSince(snapshot, machine, onset)
  return on.every(({ length }) => length > 0) &&
    there.every(hasEnded) &&
    [...runsOn.values()].some((all) => [...all].some((one) => !there.includes(one) && !hasEnded(one)))
    ? there
    : []
}

/** Whether several measures of a machine end together near an instant; what others measure of it may go on. */
const isSilentSince = ({ series }: Scene['snapshot'], machine: string, onset: number): boolean =>
  new Set(
    seriesOf(series, machine).flatMap(({ name, times, values }) =>
      Math.abs((times[values.findLastIndex(Number.isFinite)] ?? 0) - onset) <= TOGETHER_MS ? [name] : [],
    ),
  ).size >= LEAST_ENDED

/** Whether who fails first is one of them, or calls one. */
const isHarmed = ({ first, graph }: Scene['observed'], gone: Gone): boolean =>
  first !== null && [first.entity, ...graph.reachableFrom(first.entity)].some((entity) => gone.has(entity))

/** Whether a count of what something has in use fell to nothing with them; what is counted of the gone themselves is none. */
const isNothingLeft = (scene: Scene, shift: SeriesShift, gone: Gone): boolean =>
  IN_USE.test(shift.series.name) &&
  !gone.has(shift.series.entity) &&
  shift.during <= NOTHING_LEFT * shift.before &&
  hasShiftedInTime(scene, shift) &&
  holdsOn(scene.observed, shift)

/** Whether it is said of a suspended account that is known from then on; an alert only repeats it. */
const isWordOf = (scene: Scene, line: Line, onset: number): boolean =>
  line.origin !== 'alert' &&
  (line.at ?? onset) >= onset - TOGETHER_MS &&
  isOfSuspension(line.text) &&
  ownerIn(scene, line) !== null

/** Whom such a word is about: of whom a platform records it, or the one that it names beside who says it. */
function ownerIn({ names }: Scene, { text, entity, origin }: Line): string | null {
  const named = names.mentionedIn(text).filter((name) => name !== entity)
  return origin === 'event' ? entity : named.length === 1 ? (named[0] ?? null) : null
}
