/**
 * How close before the onset each change reached what fails, beside the others that did.
 */

import type { SeriesShift } from '../deviations/series-shift.ts'
import { isPlaceCounted } from '../place/counted-place.ts'
import type { Observed } from '../place/failing-services.ts'
import type { Change } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import type { ActingWork } from './acting-changes.ts'
import type { Run } from './first-runs.ts'
import { isActRecord } from './named-resources.ts'
import { isDelivered, MERGED, NEAR_PLACE, type Place } from './place-of-changes.ts'
import { FITS, type RankedChange } from './ranked-change.ts'
import type { DiffReading } from './read-diff.ts'
import type { SeenVersion } from './seen-versions.ts'

/** Time after which half of the credit for closeness is gone, where only closeness speaks: most faults show within it. */
export const CLOSE_MS = 30 * 60_000
/** The same for a fault that has nothing to fill first: it shows within a few scrapes. */
export const AT_ONCE_MS = 3 * 60_000
/** Credit of what is on record just after the onset: the onset may be told late, or the change early. */
const AFTER = 0.5
/** Share of the credit for closeness that a change claims beside others where nothing in it can do the harm. */
const UNFIT = 0.5
/** The same of a change that has no text to read. */
const UNREAD = 0.75
/** Share of the credit for closeness of settings that nobody recorded to be in effect: most are within minutes. */
const UNSEEN = 0.5

/**
 * How much less is claimed from further off the failing place, as powers of how much a change there can explain: it is surer
 * where calls were counted to fail than where they seem to. What may be in effect anywhere is nowhere in particular.
 */
const FURTHER_OFF = 2
const FURTHER_OFF_COUNTED = 4

/** A change with when and where it arrived. */
export interface Arrival {
  readonly change: Change
  readonly diff: DiffReading
  readonly rollout: Change | null
  readonly effective: { readonly from: number; readonly to: number; readonly known: boolean }
  readonly place: Place
  readonly run: Run | null
  /** What it brings that is done on what its owner uses. */
  readonly work: ActingWork | null
  readonly mechanism: RankedChange['mechanism']
  readonly trivial: { readonly reason: string; readonly factor: number } | null
  /** A level of what it was done to that fell to nothing there and then. */
  readonly stopped?: SeriesShift
  /** What bore its version before its record says that it took effect, which was too late to be the cause. */
  readonly sight?: SeenVersion
  /** A level that bears the name of what it changes and moved there since. */
  readonly seen?: SeriesShift
}

/**
 * How close before the onset each change reached what fails. Many changes that did so share the credit: then being
 * close tells less about any of them. What does nothing takes no share.
 */
export function closeness(
  arrivals: readonly Arrival[],
  observed: Observed,
  latest: number | null,
  spentBy: (arrival: Arrival) => SeriesShift | null,
): (arrival: Arrival) => number {
  const { onset } = observed
  const own = new Map<Arrival, { readonly close: number; readonly claim: number }>()
  // Steps of one flag are one change that was made more of: they do not speak against each other.
  const claims = new Map<string, number>()
  const isCounted = isPlaceCounted(observed)
  if (onset !== null)
    for (const arrival of arrivals) {
      const { change, diff, effective, place, trivial, mechanism, run } = arrival
      const isLikely = effective.known || run !== null
      if ((!isLikely && !isDelivered(change)) || place.score < NEAR_PLACE || effective.from > (latest ?? 0))
        continue
      // What ran out was being used up from a moment of its own on, which is the nearer one.
      const since = spentBy(arrival)?.onset.at
      const delay = since === undefined ? onset.at - effective.from : Math.max(0, since - effective.from)
      const share = (run?.share ?? 1) * (isLikely ? 1 : UNSEEN)
      const close = share * (delay < 0 ? AFTER : 2 ** (-delay / CLOSE_MS))
      // Among several, what came at once has the better claim; alone, a quarter of an hour is as good.
      const atOnce = share * (delay < 0 ? AFTER : 2 ** (-delay / AT_ONCE_MS))
      // A flag is asked with the next request: what others do at once or later, in halves, it does at once.
      const soon = change.kind === 'flag' ? 2 * atOnce : (close + atOnce) / 2
      // That it was not seen to arrive makes it no further off.
      const near = isLikely ? place.score : Math.min(1, place.score / MERGED)
      const there =
        near ** (isCounted && place.reaches !== null ? FURTHER_OFF_COUNTED : FURTHER_OFF) *
        (isLikely ? 1 : MERGED ** FURTHER_OFF)
      const claim = soon * there * (trivial?.factor ?? 1) * fitOf(diff, mechanism)
      own.set(arrival, { close: close * (trivial?.factor ?? 1), claim })
      const key = stepsOf(change)
      claims.set(key, Math.max(claim, claims.get(key) ?? 0))
    }
  const all = [...claims.values()].reduce((sum, claim) => sum + claim, 0)
  return (arrival) => {
    const { close = 0, claim = 0 } = own.get(arrival) ?? {}
    return all === 0 ? 0 : round6((close * claim) / all)
  }
}

/** What tells one of several alike from the others: a word with a digit in it. */
const NUMBERED = /[\w.-]{0,100}\d[\w.-]{0,100}/g

/**
 * The same for all records of one flag, and for what was done alike to one after another of several alike (a rollout by hand:
 * ns-1, ns-2, ns-3); for anything else its own.
 */
export function stepsOf(change: Change): string {
  const { kind, id, title, entity } = change
  if (kind === 'flag') return JSON.stringify([kind, title ?? id, entity])
  const alike = isActRecord(change) ? (title ?? '').replace(NUMBERED, '#') : ''
  return JSON.stringify(alike.includes('#') ? [kind, alike] : [kind, id])
}

/** What can be read and can do no such harm claims less than what cannot be read at all, as a flag or a machine. */
const fitOf = ({ size }: DiffReading, mechanism: RankedChange['mechanism']): number =>
  (mechanism?.score ?? 0) >= FITS ? 1 : size > 0 ? UNFIT : UNREAD
