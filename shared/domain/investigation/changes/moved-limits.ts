/**
 * Bounds that something is held to, as it measures them itself, and that stand elsewhere since somebody set them.
 *
 * Method: how much something may hold, open or follow is measured beside how much it does (`node_nf_conntrack_entries_limit`,
 * `pg_settings_max_connections`), and such a level never moves by itself: somebody set it. So one that moved minutes after a
 * change that names the same thing, and before users were hurt, tells of that change, when it came into effect and where, also
 * where its text belongs to nobody, as a template for all machines does. A number that the change brings in and at which the level
 * stands since then says it by itself; without one, no other change may name that thing.
 * @see https://github.com/prometheus/node_exporter (conntrack: net.netfilter.nf_conntrack_max)
 */
import { keptByName } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { machinesBehind } from '../place/begun-anew.ts'
import type { Observed } from '../place/failing-services.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { isDelivered } from './place-of-changes.ts'
import { hasMoved, seenAt, sinceOf } from './seen-at.ts'
import { HURTS_MS, SETTINGS_APPLIED_MS, things } from './seen-settings.ts'
import { COMMON } from './word-overlap.ts'

/** Share by which a level may differ from the number that was set: what is measured is rounded. */
const ROUNDED = 0.01
/** Smaller numbers stand everywhere. */
const LEAST_NUMBER = 10
/** How a bound is called; what is wanted just now (`status_desired_replicas`) moves by itself. */
const BOUND = /(?:^|[_.:])(?:limits?|max|maximum|min|minimum|quota|ceiling|cap)(?:[_.:]|$)/i
const isBound = keptByName(
  (name) => BOUND.test(name) && !/(?:^|_)(?:status|current|desired)(?:_|$)/i.test(name),
)
const NUMBER = /(?<![\w.])\d{2,12}(?![\w.])/g

/** What a level is of: the things that its name has, without the first word, which says whose measure it is. */
const thingsIn = (name: string): readonly string[] => things(name.replace(/^[a-z]+_(?=[a-z]+_)/i, ''))

const thingsOf = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(things(lines.join(' ')).filter((word) => !COMMON.has(word)))

/** Whether a level stands since it moved at a number that the change alone brings in. */
const isSetTo = (
  { diff: { lines_new: added, lines_gone: gone } }: Arrival,
  { during }: SeriesShift,
): boolean => {
  const before = new Set(gone.join(' ').match(NUMBER))
  return (added.join(' ').match(NUMBER) ?? []).some(
    (text) =>
      !before.has(text) &&
      Number(text) >= LEAST_NUMBER &&
      Math.abs(during - Number(text)) <= ROUNDED * Number(text),
  )
}

/** Bounds that moved before users were hurt and stay so, those of machines that who fails runs on first. */
function movedLimits(observed: Observed, snapshot: Snapshot, names: EntityNames): readonly SeriesShift[] {
  const { shifts, onset } = observed
  if (onset === null) return []
  const moved = shifts.filter(
    ({ series, meaning, ended_at: ended, onset: { at } }) =>
      meaning.meaning === 'setting' &&
      isBound(series.name) &&
      ended === null &&
      at <= onset.latest &&
      at >= onset.at - HURTS_MS,
  )
  if (moved.length < 2) return moved
  const behind = machinesBehind(snapshot, names, observed).flat()
  return [...behind.flatMap((machine) => moved.filter(({ series }) => series.entity === machine)), ...moved]
}

/** The same arrivals; one that set a bound which moved is at the very place, in effect since then, with that bound. */
export function withMovedLimits(
  arrivals: readonly Arrival[],
  observed: Observed,
  snapshot: Snapshot,
  names: EntityNames,
): readonly Arrival[] {
  const moved = movedLimits(observed, snapshot, names)
  if (moved.length === 0) return arrivals
  const about = arrivals.map((arrival) => ({
    arrival,
    of: thingsOf([...arrival.diff.lines_gone, ...arrival.diff.lines_new]),
  }))
  return about.map(({ arrival, of }) => {
    const { change, effective, trivial } = arrival
    if (trivial !== null || of.size === 0 || !(isDelivered(change) || effective.known)) return arrival
    const since = sinceOf(arrival)
    const seen = moved.find((shift) => {
      const named = thingsIn(shift.series.name).filter((thing) => of.has(thing))
      return (
        named.length > 0 &&
        hasMoved(shift, since, since + SETTINGS_APPLIED_MS) &&
        (isSetTo(arrival, shift) ||
          !about.some(
            ({ arrival: other, of: others }) => other !== arrival && named.some((thing) => others.has(thing)),
          ))
      )
    })
    return seen === undefined ? arrival : { ...seenAt(arrival, seen), seen }
  })
}
