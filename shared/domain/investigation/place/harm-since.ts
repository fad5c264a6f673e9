/**
 * Since when calls fail or wait, and what of a series had come and gone by then.
 *
 * Method: temporality (Hill, The environment and disease: association or causation?, 1965): what is to tell when harm began
 * has to be there while it lasts. Something stirs everywhere all the time, and what stirred just before and was over within
 * minutes, while callers still count failing calls, was another matter, however loud it was. So was what nobody has measured since: a
 * series that ends with its machine ends in whatever it was doing. Where no callers were counted, who was asked about says since when
 * its own users have been hurt.
 */
import { hurtsUsers } from '../deviations/felt-symptoms.ts'
import { lowerBound, type SeriesShift } from '../deviations/series-shift.ts'

/** Clocks and sampling of calls and of series differ by less, ms: two scrapes of half a minute. */
const SAMPLED_MS = 60_000
/** From so long after calls began to fail on a series has to be measured to tell of it, ms: four scrapes of half a minute. */
const MEASURED_MS = 120_000

/** What is over within so long after harm began was about to be, ms: what is off for longer may have begun it. */
const OVER_MS = 5 * 60_000

/** Whether a series was measured from an instant on, and before another. */
export const isMeasured = (
  { series: { times, values } }: SeriesShift,
  from: number,
  to = Number.POSITIVE_INFINITY,
): boolean => {
  for (let index = lowerBound(times, from); index < times.length && (times[index] as number) < to; index++)
    if (Number.isFinite(values[index])) return true
  return false
}

/** Whether a shift lasts, and is measured to. */
const lasts = (shift: SeriesShift, since: number): boolean =>
  shift.ended_at === null && isMeasured(shift, since + MEASURED_MS)

/**
 * Whether it was off until so long after harm began, and measured to be meanwhile: who is gone and comes back is as before, and
 * what stirred last before is over by then, whenever that was.
 */
const stays = (shift: SeriesShift, since: number, until: number): boolean =>
  shift.ended_at === null
    ? lasts(shift, since)
    : shift.ended_at > until && isMeasured(shift, since, shift.ended_at)

/**
 * Tells the shifts that may say when harm began from those that had left normal before and were soon over; keeps
 * all where nothing lasts that users feel, so that the harm may be what came and went.
 * @param service - who was asked about; it says since when where nobody counted
 * @param since - since when callers of each entity count failing or waiting, milliseconds since 1970
 * @param reached - whom it calls, however far behind; asked for only where nobody counted
 */
export function tellingOfHarm(
  shifts: readonly SeriesShift[],
  service: string | null,
  since: ReadonlyMap<string, number>,
  reached: () => ReadonlySet<string>,
): (shift: SeriesShift) => boolean {
  const isHarm = (shift: SeriesShift, from: number): boolean =>
    hurtsUsers(shift) &&
    (shift.series.entity === service || since.has(shift.series.entity)) &&
    (lasts(shift, from) || isCountedWith(shift, from))
  const isCounted = since.size > 0
  // Where callers count, harm may be over again: it began as they began to count it, and was there for minutes.
  const isCountedWith = (shift: SeriesShift, from: number): boolean =>
    isCounted && Math.abs(shift.onset.at - from) <= SAMPLED_MS && stays(shift, from, from + OVER_MS)
  const began = isCounted
    ? [...since.values()]
    : shifts.filter((shift) => isHarm(shift, shift.onset.at)).map(({ onset }) => onset.at)
  const first = Math.min(...began)
  if (!shifts.some((shift) => isHarm(shift, first))) return () => true
  // Who is called may have left something behind that fails for longer than it did itself; where calls were counted they tell.
  const behind = isCounted ? new Set<string>() : reached()
  const until = ({ series }: SeriesShift): number => first + (behind.has(series.entity) ? 0 : OVER_MS)
  return (shift) => shift.onset.latest >= first || stays(shift, first, until(shift))
}
