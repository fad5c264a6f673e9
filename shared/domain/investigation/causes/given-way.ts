/**
 * One of several members of a part is gone, and those that are left take over what it did, until they give way as well: a cascade.
 *
 * Method: members are told apart by one label of what is measured alike of each: whether it is reached, how many connections it
 * takes. One is reached no more, or takes nothing, when users begin to be hurt; in the same minutes the others take much more than
 * ever, and then some of them are reached no more either. The order of who went, and that what one left went to the others, tell it from
 * members that all fail for one reason, which go at once and take nothing more, and from a part that is down as a whole (Beyer et al., Site Reliability Engineering, 2016,
 * chapter 22, Addressing Cascading Failures). Why the first one is gone is not told by that, so this yields to changes.
 */
import { CONFIDENCE_CAP_CONSEQUENCE } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { holdsOn, isInTime, isSaidAtOnset, naming, type Scene } from '../place/told-lines.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { PROBED, saysGone } from './down-part.ts'
import { bySureness, chanceOf, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'

/** By what factor those that are left take more at once: members of one part differ by less on any day. */
const MUCH_MORE = 1.5
/** How much later than the first the next one gives way at least, ms: two samples of half a minute. */
const LATER_MS = 60_000
/** How soon after the first is gone the others take more, ms: whoever asked it asks another at once. */
const TAKEN_WITHIN_MS = 2 * 60_000
/** What each sign is worth. */
const LOST = 0.4
const TAKEN = 0.4
const GAVE_WAY = 0.35
const NAMED = 0.3
const MOST = 0.85

/** The part of which a member was lost and the others gave way or took over much more; null where there is none, or several. */
export function givenWay(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  if (onset === null) return null
  const lost = Map.groupBy(
    observed.shifts.filter(
      (shift) =>
        (saysGone(shift) || saysGone(shift, PROBED)) &&
        isInTime(scene, shift.onset.at) &&
        holdsOn(observed, shift),
    ),
    ({ series }) => series.entity,
  )
  const [best, next] = [...lost]
    .flatMap(([entity, shifts]) => causeOf(scene, entity, shifts) ?? [])
    .sort(bySureness)
  return best === undefined || next?.score === best.score ? null : best
}

function causeOf(scene: Scene, entity: string, lost: readonly SeriesShift[]): OperationalCause | null {
  const { observed, snapshot } = scene
  const [first] = lost.toSorted((a, b) => a.onset.at - b.onset.at)
  const members = seriesOf(snapshot.series, entity)
  if (first === undefined || !members.some((other) => isPeer(first.series, other))) return null
  const later = lost.filter(
    ({ series, onset }) => isPeer(first.series, series) && onset.at >= first.onset.at + LATER_MS,
  )
  // Several that go at once have one reason.
  const atOnce = lost.filter(
    (shift) => shift !== first && isPeer(first.series, shift.series) && !later.includes(shift),
  )
  const taken = observed.shifts.filter(
    (shift) =>
      shift.series.entity === entity &&
      shift.direction === 'up' &&
      shift.extreme >= MUCH_MORE * shift.before &&
      Math.abs(shift.onset.at - first.onset.at) <= TAKEN_WITHIN_MS &&
      members.some((other) => isPeer(shift.series, other) && isSilentFrom(other, first.onset.at)),
  )
  if (atOnce.length > 0 || taken.length === 0 || isDownAsWhole(scene, first, members)) return null
  const named = naming(scene, entity)
  const signs = [
    ...shown(first, LOST),
    ...taken.slice(0, 2).flatMap((shift) => shown(shift, TAKEN)),
    ...later.slice(0, 1).flatMap((shift) => shown(shift, GAVE_WAY)),
    ...(isSaidAtOnset(scene, named) ? distinctCallers(named).map((line) => sign(line, NAMED)) : []),
  ]
  return {
    ...{ kind: 'infra', entity, action: 'scale', yields_to_changes: true, is_placed: true },
    what: 'members of which one is gone, so that the others have more than they bear',
    score: round6(Math.min(MOST, chanceOf(signs))),
    signs: strongest(signs),
    at_most: CONFIDENCE_CAP_CONSEQUENCE,
  }
}

/** Whether the part itself is reached no more when the first member is: then none is left to take over what that did. */
const isDownAsWhole = ({ observed }: Scene, first: SeriesShift, members: readonly Series[]): boolean =>
  observed.shifts.some(
    (shift) =>
      shift.series.entity === first.series.entity &&
      saysGone(shift) &&
      shift.onset.at <= first.onset.at + LATER_MS &&
      !members.some((other) => isPeer(shift.series, other)),
  )

/** Whether two series measure the same of two members: the same labels, of which one differs. */
function isPeer(one: Series, other: Series): boolean {
  if (one === other || one.entity !== other.entity || one.name !== other.name) return false
  const labels = Object.keys(one.labels)
  return (
    labels.length === Object.keys(other.labels).length &&
    labels.filter((label) => one.labels[label] !== other.labels[label]).length === 1
  )
}

/** Whether a series has nothing, or nothing but zero, to tell from about an instant on, in milliseconds. */
const isSilentFrom = ({ times, values }: Series, instant: number): boolean =>
  !values.some((value, index) => (times[index] as number) > instant + TAKEN_WITHIN_MS && value > 0)
