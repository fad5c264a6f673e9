import { isBusy, isFelt } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { seriesOf } from '../records/series-by-entity.ts'
import type { Series, Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { isDelivered } from './place-of-changes.ts'
import { FITS } from './ranked-change.ts'
import { ratesOfItsOwn } from './rates-of-its-own.ts'
import { hasMoved, seenAt, sinceOf } from './seen-at.ts'
import { HURTS_MS, SETTINGS_APPLIED_MS, things } from './seen-settings.ts'
import { COMMON } from './word-overlap.ts'

/** What takes something out is seen by a level of how much is taken out, whatever either calls it. */
const REMOVED = /(?:^|_)(?:delet|remov|purg|prun|expir|evict|collect|reclaim)/i
const REMOVES = 'record-removal'

/** What a change is about: the words of its title and of the lines that it changes; read once, when it is asked for. */
export function thingsOf({ change: { title = '' }, diff }: Arrival): () => ReadonlySet<string> {
  let read: ReadonlySet<string> | undefined
  return () => {
    read ??= new Set(
      things([title, ...diff.lines_gone, ...diff.lines_new].join(' ')).filter((word) => !COMMON.has(word)),
    )
    return read
  }
}

/** Whether a name is of the thing, or of what begins with it: `mailbox_messages` is of `mail`. */
export const isOf = (thing: string, name: string): boolean =>
  things(name).some((word) => word.startsWith(thing))

/** Whether another of the places that one change was made at measures the level as well, and it moved at none of those. */
function isAlone(
  { series: { entity, name } }: SeriesShift,
  owners: ReadonlySet<string>,
  moved: readonly SeriesShift[],
  all: readonly Series[],
): boolean {
  const isPeer = (other: Series): boolean =>
    other.entity !== entity && other.name === name && owners.has(other.entity)
  return (
    [...owners].some((owner) => seriesOf(all, owner).some(isPeer)) &&
    !moved.some(({ series }) => isPeer(series))
  )
}

/** The same arrivals; those that are seen by the name of what they change have the level that moved. */
export function withNamedLevels(
  arrivals: readonly Arrival[],
  observed: Observed,
  { series: all, edges }: Pick<Snapshot, 'series' | 'edges'>,
): readonly Arrival[] {
  const { shifts, onset } = observed
  if (onset === null) return arrivals
  const isOfItsOwn = ratesOfItsOwn(edges, observed)
  const moved = shifts.filter(
    (shift) =>
      (shift.ended_at === null || shift.ended_at > onset.latest) &&
      !isFelt(shift) &&
      !isBusy(shift) &&
      shift.onset.at <= onset.latest &&
      shift.onset.at >= onset.at - HURTS_MS &&
      (!shift.meaning.is_demand || isOfItsOwn(shift)),
  )
  if (moved.length === 0) return arrivals
  const about = arrivals.map((arrival) => ({ arrival, of: thingsOf(arrival) }))
  const isOfAnother = (thing: string, than: Arrival): boolean =>
    about.some(
      ({ arrival: other, of }) =>
        other !== than && other.change.recorded_at <= onset.latest && of().has(thing),
    )
  return about.map(({ arrival, of }) => {
    const { change, effective, mechanism, place, trivial } = arrival
    if (trivial !== null || !(isDelivered(change) || effective.known)) return arrival
    const since = sinceOf(arrival)
    const removes = mechanism?.mechanism.id === REMOVES && mechanism.score >= FITS
    const isSeenBy = (shift: SeriesShift): boolean => {
      const { series, direction, ended_at: ended } = shift
      return (
        (removes && place.reaches === series.entity && direction === 'up' && REMOVED.test(series.name)) ||
        (ended === null &&
          place.owners.has(series.entity) &&
          !isAlone(shift, place.owners, moved, all) &&
          [...of()].some((thing) => isOf(thing, series.name) && !isOfAnother(thing, arrival)))
      )
    }
    // Most levels moved at another time.
    for (const shift of moved)
      if (hasMoved(shift, since, since + SETTINGS_APPLIED_MS) && isSeenBy(shift))
        return { ...(isDelivered(change) ? seenAt(arrival, shift) : arrival), seen: shift }
    return arrival
  })
}
