/**
 * Sites (zones, data centres, networks) that are probed from outside in the same way, of which some answer late and lose what is
 * sent to them since users are hurt, while another answers as ever: what lies in those, and the ways into them, loses calls
 * between many that have nothing else in common.
 *
 * Method: peers that are measured alike are held against each other (Kasick et al., FAST 2010): what probes or sends fails for all
 * of them, a site for itself. Two measures of the same site have to agree, and several services to say that they do not get
 * through, or calls to be counted to get lost between everybody. Several sites that fail at the same instant are one event of
 * whoever runs them, so any of them is the place.
 * @see https://github.com/prometheus/blackbox_exporter (probe_success, probe_icmp_duration_seconds)
 */
import { CONFIDENCE_CAP_SHOWN } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  entitiesOf,
  isInTime,
  isRecorded,
  matching,
  outlasts,
  type Scene,
  stepsWith,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'

/** Names of what is measured by asking a site from outside whether it is there, and how long that takes. */
const PROBED = /(?:^|[_.])(?:probe|icmp|ping|rtt)(?:[_.]|$)/i
/** Measures of a site that have to agree, and services that have to say that they do not get through. */
const LEAST_MEASURES = 2
const LEAST_MISSING = 2
/** What each sign is worth: a probe, and who does not get through. */
const PROBE = 0.4
const SAID = 0.2

const NETWORK = wordsFor('network')

/** The sites that answer late and lose since the onset, told by the first of them; null where there are none, or all do. */
export function probedSites(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  if (onset === null || observed.first === null) return null
  const lost = Map.groupBy(
    observed.shifts.filter((shift) => isLost(scene, shift, onset)),
    ({ series }) => series.entity,
  )
  const troubled = [...lost].filter(([, own]) => namesOf(own).size >= LEAST_MEASURES)
  const [site] = troubled.map(([entity]) => entity).sort()
  if (site === undefined) return null
  const names = namesOf(troubled.flatMap(([, own]) => own))
  const alike = snapshot.series.filter(({ name }) => names.has(name))
  // A peer is measured in all the same ways, and nothing of it is off.
  const hasPeer = alike.some(
    ({ entity: peer }) =>
      !lost.has(peer) &&
      !observed.flows.has(peer) &&
      [...names].every((name) => alike.some((one) => one.entity === peer && one.name === name)),
  )
  const missing = matching(scene, NETWORK).filter((line) => !isRecorded(line) && isInTime(scene, line.at))
  const missed = entitiesOf(missing)
  if (!hasPeer || (missed.size < LEAST_MISSING && !observed.lost_everywhere)) return null
  const signs = strongest([
    ...troubled.flatMap(([, own]) => own.slice(0, LEAST_MEASURES).flatMap((one) => shown(one, PROBE))),
    ...distinctCallers(missing).map((line) => sign(line, SAID)),
  ])
  return {
    ...{ kind: 'network', entity: site, signs, action: 'failover', yields_to_changes: true },
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    what: 'a site that loses what is sent to it, while another of its kind does not',
    falls_on: [...missed],
    // Who runs it has said nothing of it.
    at_most: CONFIDENCE_CAP_SHOWN,
  }
}

const namesOf = (shifts: readonly SeriesShift[]): ReadonlySet<string> =>
  new Set(shifts.map(({ series }) => series.name))

/** Whether a probe of what no calls are counted to, and that calls nobody, went wrong with the harm and lasts as long. */
const isLost = ({ observed }: Scene, shift: SeriesShift, onset: number): boolean =>
  PROBED.test(shift.series.name) &&
  shift.is_bad &&
  stepsWith(shift, onset) &&
  outlasts(observed, shift) &&
  !observed.flows.has(shift.series.entity) &&
  !observed.graph.callees.has(shift.series.entity)
