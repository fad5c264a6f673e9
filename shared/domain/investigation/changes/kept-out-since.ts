/**
 * Whom rules of the network keep out since they were changed: packets that no rule lets in, at the very part whose rules they are.
 *
 * Method: what a filter turns away is counted where it filters, by itself, and those who are kept out wait for an answer that
 * never comes. So the part looks well: it fails nobody, and less is asked of it. Connections that are open last, since filters let
 * in what belongs to one (conntrack's ESTABLISHED), and the harm grows as they are opened anew. Where what is turned away at a part
 * went up since the rules of that part were changed, and stays so for as long as users are hurt, the change is seen to do that, and its
 * part is next to who fails. Rules that nobody recorded to be in effect took effect when it went up.
 */
import { keptByName, wordsOf } from '../deviations/metric-words.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import type { Observed } from '../place/failing-services.ts'
import { isMeasured } from '../place/harm-since.ts'
import { NEAR_MS, outlasts } from '../place/told-lines.ts'
import type { Arrival } from './closeness.ts'
import { isNetworkRule } from './mechanisms.ts'
import { isDelivered } from './place-of-changes.ts'
import { hasMoved, seenAt } from './seen-at.ts'
import { HURTS_MS, SETTINGS_APPLIED_MS } from './seen-settings.ts'

/**
 * Names of what filters turn away.
 * @see https://docs.cilium.io/en/stable/observability/metrics/ (cilium_drop_count_total, hubble_drop_total)
 * @see https://docs.aws.amazon.com/network-firewall/latest/developerguide/monitoring-cloudwatch.html (DroppedPackets, RejectedPackets)
 * @see https://cloud.google.com/monitoring/api/metrics_gcp_c (compute: firewall/dropped_packets_count)
 */
const TURNED_AWAY =
  /\b(?:drop|dropped|denied|rejected|blocked) (?:packets?|connections?|flows?)\b|\b(?:packets?|connections?|flows?) (?:dropped|denied|rejected|blocked)\b|\b(?:cilium|hubble|policy|firewall) (?:drop|dropped|deny|denied)\b/
const isTurnedAway = keptByName((name) => TURNED_AWAY.test(wordsOf(name).join(' ')))
/**
 * What met no rule and is dealt with as the chain does by default, which its label says.
 * @see https://github.com/retailnext/iptables_exporter (iptables_default_packets_total)
 */
const BY_DEFAULT = /^iptables_default_packets_total\b/
const isKeptOut = ({ name, labels }: SeriesShift['series']): boolean =>
  isTurnedAway(name) || (BY_DEFAULT.test(name) && /^(?:drop|reject)$/i.test(labels.policy ?? ''))

/** The same arrivals; rules of the network that are seen to keep somebody out stand next to who fails, in effect since then. */
export function withKeptOut(arrivals: readonly Arrival[], observed: Observed): readonly Arrival[] {
  const { onset, shifts } = observed
  if (onset === null) return arrivals
  const more = shifts.filter(
    (shift) =>
      shift.direction === 'up' &&
      isKeptOut(shift.series) &&
      shift.onset.at >= onset.at - HURTS_MS &&
      shift.onset.at <= onset.latest + NEAR_MS &&
      outlasts(observed, shift) &&
      // What is gone turns nobody away, whatever it did last.
      isMeasured(shift, onset.at, shift.ended_at ?? undefined),
  )
  if (more.length === 0) return arrivals
  return arrivals.map((arrival) => {
    const { change, diff, effective, place, trivial, seen } = arrival
    if (trivial !== null || seen !== undefined || !isDelivered(change) || !isNetworkRule(diff)) return arrival
    // A filter acts at once; when settings are applied nobody knows.
    const [since, until] = effective.known
      ? [effective.from, effective.to + NEAR_MS]
      : [change.recorded_at, change.recorded_at + SETTINGS_APPLIED_MS]
    const found = more.find(
      (shift) =>
        (shift.series.entity === place.reaches || place.owners.has(shift.series.entity)) &&
        hasMoved(shift, since, until),
    )
    return found === undefined ? arrival : { ...seenAt(arrival, found), seen: found }
  })
}
