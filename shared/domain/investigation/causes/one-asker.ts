/**
 * One of those who ask makes nearly all of what is asked more: a client, a tenant, an account that asks a multiple of what it did.
 *
 * Method: of what a service is asked in all, by how much it grew and how much of that each of those who ask made (the
 * explanatory power of an element: Bhagwan et al., Adtributor: Revenue Debugging in Advertising Systems, NSDI 2014). Where one
 * makes most of it and asks a multiple of its own, the demand comes from that one and comes in there, though the whole grew by
 * less than what a busy hour brings: what one asks for need not be what all ask for. Only labels that say who asks are read; of
 * a route, an instance or a version something inside may decide.
 * @see https://opentelemetry.io/docs/specs/semconv/attributes-registry/ (client, user, enduser)
 */

import { isDemand } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { demandOfAll } from '../place/demand-from-outside.ts'
import { holdsOn, NEAR_MS, type Scene } from '../place/told-lines.ts'

/** Labels that say who asks. */
const WHO =
  /^(client|consumer|tenant|customer|account|user|org|organi[sz]ation|project|api_?key|app|application|enduser|user_?agent|caller|source|subscriber|team)(_(id|name|address|ip|key))?$/i
/** What stands behind the word "by" in a name says by whom its counts are told apart; "ruby" and "bytes" hold no such word. */
const BY_WHOM = /(?:_by_|By(?=[A-Z]))[a-zA-Z_]{1,30}$/
/** By what factor it must ask more than it did. */
const MULTIPLE = 3
/** Share of what is asked more that it must make. */
const MOSTLY = 0.6
/** Share of what is asked in all by which the whole must have grown: less is no load. */
const LEAST_GROWTH = 0.2

/** One that asks a multiple, with what all ask there. */
export interface OneAsker {
  readonly shift: SeriesShift
  /** By what factor all that is asked of that entity grew. */
  readonly growth: number
}

/** Who makes most of what is asked more since the onset, the largest share first; null where nobody does. */
export function oneAsker(scene: Scene): OneAsker | null {
  const { observed, onset, snapshot } = scene
  if (onset === null) return null
  const found = observed.shifts.flatMap((shift): readonly (OneAsker & { readonly share: number })[] => {
    const { series, before, during, direction } = shift
    if (direction !== 'up' || !isDemand(series.name.replace(BY_WHOM, '')) || during < MULTIPLE * before)
      return []
    if (!Object.keys(series.labels).some((label) => WHO.test(label))) return []
    if (Math.abs(shift.onset.at - onset) > NEAR_MS || !holdsOn(observed, shift)) return []
    const all = demandOfAll(snapshot, shift)
    const more = all.during - all.before
    const share = (during - before) / more
    return more >= LEAST_GROWTH * all.before && all.before > 0 && share >= MOSTLY
      ? [{ shift, growth: all.during / all.before, share }]
      : []
  })
  return found.sort((a, b) => b.share - a.share || a.shift.onset.at - b.shift.onset.at)[0] ?? null
}
