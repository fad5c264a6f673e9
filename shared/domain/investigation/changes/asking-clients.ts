/**
 * Changes of what runs at those who ask: pages in browsers and applications on other people's machines are shipped like a
 * service, measured by nobody and called by nobody, and what they do otherwise reaches the system where it is asked.
 *
 * Method: where all that is asked of the alerted service grew by half or more from a rollout of such a part on, that is where
 * the change arrived. Where its diff says that something is done more often, the demand is what it does: that users came
 * is then how the change shows, since users who come ask for everything in its usual parts and at no rollout's minute.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { demandGrowth, MUCH_MORE, missedInFront } from '../place/demand-from-outside.ts'
import type { Observed } from '../place/failing-services.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { FittingMechanism } from './fitting-mechanism.ts'
import { MECHANISMS } from './mechanisms.ts'
import { effectTime, type Place } from './place-of-changes.ts'
import type { DiffReading } from './read-diff.ts'

/** Place of what runs at those who ask: as that of what fails and nothing explains. */
const AT_CLIENTS = 0.85
/** Time until what is kept by browsers and on the way is asked anew, ms: caches are told minutes as a rule. */
const KEPT_MS = 15 * 60_000

export interface AtClients {
  readonly place: Pick<Place, 'score' | 'reaches'>
  /** That it does something more often; null where its diff does not say so. */
  readonly mechanism: FittingMechanism | null
}

/** Tells of a change whether it runs at those who ask, and the alerted service was asked for more from it on. */
export function atClients(
  snapshot: Snapshot,
  observed: Observed,
  names: EntityNames,
  isMeasured: (entity: string) => boolean,
): (change: Change, rollout: Change | null, diff: DiffReading) => AtClients | null {
  const { graph, symptom_service: asked, shifts } = observed
  const risen = shifts.filter(
    ({ series, meaning, direction, before }) =>
      series.entity === asked && meaning.is_demand && direction === 'up' && before > 0,
  )
  const isMore = asked !== null && risen.length > 0 && demandGrowth(snapshot, risen)(asked) >= MUCH_MORE - 1
  const missed = risen.map((rise) => missedInFront(shifts, rise)).find((shift) => shift !== undefined)
  const called = new Set([...graph.callees.values()].flatMap((callees) => [...callees]))
  return (change, rollout, diff) => {
    if (!isMore) return null
    const { from, to } = effectTime(change, rollout)
    const isSince = ({ onset }: SeriesShift): boolean =>
      onset.latest >= from - CLOCK_TOLERANCE_MS && onset.earliest <= to + KEPT_MS
    const doing = (id: string): FittingMechanism | null => {
      const mechanism = MECHANISMS.find((one) => one.id === id)
      const score = mechanism?.in_diff(diff) ?? 0
      return mechanism === undefined || score === 0 ? null : { mechanism, score, symptom: null }
    }
    const emptied = missed !== undefined && isSince(missed) ? doing('caching') : null
    if (missed !== undefined && emptied !== null)
      return { place: { score: AT_CLIENTS, reaches: missed.series.entity }, mechanism: emptied }
    if (rollout?.entity === undefined || !risen.some(isSince)) return null
    const target = names.canonical(rollout.entity)
    if (isMeasured(target) || called.has(target)) return null
    return { place: { score: AT_CLIENTS, reaches: asked }, mechanism: doing('frequency') }
  }
}
