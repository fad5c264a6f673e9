/**
 * A level that bears the name of what one change alone is about, and left normal where that change is at home.
 *
 * Method: who is on call holds the names of the graphs that moved against what was changed. Settings of mails were changed, and
 * since then the service fetches more mails than ever, up to the minute in which users are hurt: place, time and thing agree,
 * of which any two meet by chance (Hill, The environment and disease: association or causation?, 1965: temporality,
 * specificity). The thing is a word of the title or of a changed line that no other change of the time has (Spärck Jones, A
 * Statistical Interpretation of Term Specificity, 1972). What users feel of the failing and what is asked of a place name
 * whoever fails, so they are left out, and so is a processor. What nobody recorded to be in effect took effect when the level moved.
 * Where one change was made alike at several places that measure the level, and it moved at one of them alone, that is that place's own
 * (Mill's joint method of agreement and difference, A System of Logic, 1843, book III, chapter 8).
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import { isBusy, isFelt } from '../deviations/felt-symptoms.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Series } from '../records/snapshot.ts'
import type { Arrival } from './closeness.ts'
import { isDelivered, WRITES } from './place-of-changes.ts'
import { FITS } from './ranked-change.ts'
import { APPLIED_MS, HURTS_MS, things } from './seen-settings.ts'
import { COMMON } from './word-overlap.ts'

/** What takes something out is seen by a level of how much is taken out, whatever either calls it. */
const REMOVED = /(?:^|_)(?:delet|remov|purg|prun|expir|evict|collect|reclaim)/i
const REMOVES = 'record-removal'

/** What a change is about: the words of its title and of the lines that it changes. */
const thingsOf = ({ change: { title = '' }, diff }: Arrival): ReadonlySet<string> =>
  new Set(
    things([title, ...diff.lines_gone, ...diff.lines_new].join(' ')).filter((word) => !COMMON.has(word)),
  )

/** Whether a name is of the thing, or of what begins with it: `mailbox_messages` is of `mail`. */
const isOf = (thing: string, name: string): boolean => things(name).some((word) => word.startsWith(thing))

/** Whether another of the places that one change was made at measures the level as well, and it moved at none of those. */
function isAlone(
  { series: { entity, name } }: SeriesShift,
  owners: ReadonlySet<string>,
  moved: readonly SeriesShift[],
  all: readonly Series[],
): boolean {
  const isPeer = (other: Series): boolean =>
    other.entity !== entity && other.name === name && owners.has(other.entity)
  return all.some(isPeer) && !moved.some(({ series }) => isPeer(series))
}

/** The same arrivals; those that are seen by the name of what they change have the level that moved. */
export function withNamedLevels(
  arrivals: readonly Arrival[],
  { shifts, onset }: Observed,
  all: readonly Series[],
): readonly Arrival[] {
  if (onset === null) return arrivals
  const moved = shifts.filter(
    (shift) =>
      (shift.ended_at === null || shift.ended_at > onset.latest) &&
      !isFelt(shift) &&
      !isBusy(shift) &&
      !shift.meaning.is_demand &&
      shift.onset.at <= onset.latest &&
      shift.onset.at >= onset.at - HURTS_MS,
  )
  if (moved.length === 0) return arrivals
  const about = arrivals.map((arrival) => ({ arrival, of: thingsOf(arrival) }))
  const isOfAnother = (thing: string, than: Arrival): boolean =>
    about.some(
      ({ arrival: other, of }) => other !== than && other.change.recorded_at <= onset.latest && of.has(thing),
    )
  return about.map(({ arrival, of }) => {
    const { change, effective, mechanism, place, trivial } = arrival
    if (trivial !== null || !(isDelivered(change) || effective.known)) return arrival
    const since = effective.known ? effective.from : change.recorded_at
    const removes = mechanism?.mechanism.id === REMOVES && mechanism.score >= FITS
    const seen = moved.find((shift) => {
      const { series, onset: left, direction, ended_at: ended } = shift
      return (
        left.latest >= since - CLOCK_TOLERANCE_MS &&
        left.earliest <= since + APPLIED_MS &&
        ((removes && place.reaches === series.entity && direction === 'up' && REMOVED.test(series.name)) ||
          (ended === null &&
            place.owners.has(series.entity) &&
            !isAlone(shift, place.owners, moved, all) &&
            [...of].some((thing) => isOf(thing, series.name) && !isOfAnother(thing, arrival))))
      )
    })
    if (seen === undefined) return arrival
    if (!isDelivered(change)) return { ...arrival, seen }
    const { earliest: from, latest: to } = seen.onset
    return {
      ...{ ...arrival, seen },
      effective: effective.known ? effective : { from, to, known: true },
      place: { ...place, score: Math.max(place.score, WRITES), reaches: seen.series.entity },
    }
  })
}
