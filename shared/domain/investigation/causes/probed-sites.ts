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
import { machinesOf } from '../records/hosting.ts'
import type { Series } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { chanceOf, MOST_JOINED, type OperationalCause, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'

/** Names of what is measured by asking a site from outside whether it is there, and how long that takes. */
const PROBED = /(?:^|[_.])(?:probe|icmp|ping|rtt)(?:[_.]|$)/i
/** Measures of a site that have to agree, and services that have to say that they do not get through. */
const LEAST_MEASURES = 2
const LEAST_MISSING = 2
/** What each sign is worth: a probe, a machine that sends again what got lost, and who does not get through. */
const WORTH = { probe: 0.4, resent: 0.25, said: 0.2 } as const
/** How many of each are shown. */
const MOST_SHOWN = 2

const NETWORK = wordsFor('network')

/** The sites that answer late and lose since the onset, told by the first of them; null where there are none, or all do. */
export function probedSites(scene: Scene): OperationalCause | null {
  const { observed, snapshot, onset } = scene
  if (onset === null || observed.first === null) return null
  const troubled = troubledSites(scene, onset)
  const [site] = [...troubled.keys()].sort()
  if (site === undefined || !hasWellPeer(scene, troubled, snapshot.series)) return null
  const missing = matching(scene, NETWORK).filter((line) => !isRecorded(line) && isInTime(scene, line.at))
  const missed = entitiesOf(missing)
  if (missed.size < LEAST_MISSING && !observed.lost_everywhere) return null
  const signs = strongest([
    ...[...troubled.values()].flatMap((shifts) =>
      shifts.slice(0, MOST_SHOWN).flatMap((one) => shown(one, WORTH.probe)),
    ),
    ...resentOn(scene, onset).flatMap((shift) => shown(shift, WORTH.resent)),
    ...distinctCallers(missing).map((line) => sign(line, WORTH.said)),
  ])
  return {
    ...{ kind: 'network', entity: site, signs, action: 'failover', yields_to_changes: true },
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    what: 'a site that loses what is sent to it, while another of the same kind does not',
    falls_on: [...missed],
    // Who runs it has said nothing of it.
    at_most: CONFIDENCE_CAP_SHOWN,
  }
}

/** Whom no calls are counted to, by what probes of it stepped with the harm and lasts as long; several measures of each. */
function troubledSites({ observed }: Scene, onset: number): ReadonlyMap<string, readonly SeriesShift[]> {
  const { flows, graph, shifts } = observed
  const stepped = shifts.filter(
    (shift) =>
      PROBED.test(shift.series.name) &&
      shift.is_bad &&
      stepsWith(shift, onset) &&
      outlasts(observed, shift) &&
      !flows.has(shift.series.entity) &&
      !graph.callees.has(shift.series.entity),
  )
  return new Map(
    [...Map.groupBy(stepped, ({ series }) => series.entity)].filter(
      ([, own]) => new Set(own.map(({ series }) => series.name)).size >= LEAST_MEASURES,
    ),
  )
}

/** Whether another site that is measured in all the same ways answers as ever by each of them. */
function hasWellPeer(
  { observed, onset }: Scene,
  troubled: ReadonlyMap<string, readonly SeriesShift[]>,
  series: readonly Series[],
): boolean {
  const names = new Set([...troubled.values()].flatMap((shifts) => shifts.map((shift) => shift.series.name)))
  const ill = new Set(
    observed.shifts.flatMap((shift) =>
      names.has(shift.series.name) && shift.is_bad && onset !== null && stepsWith(shift, onset)
        ? [shift.series.entity]
        : [],
    ),
  )
  const measured = Map.groupBy(
    series.filter(({ name }) => names.has(name)),
    ({ entity }) => entity,
  )
  return [...measured].some(
    ([entity, own]) =>
      !ill.has(entity) &&
      !observed.flows.has(entity) &&
      new Set(own.map(({ name }) => name)).size === names.size,
  )
}

/** Machines on which something runs that send again what got lost since the onset. */
function resentOn({ observed, snapshot, names }: Scene, onset: number): readonly SeriesShift[] {
  const machines = new Set([...machinesOf(snapshot, names).values()].flatMap((on) => [...on]))
  return observed.shifts
    .filter(
      (shift) =>
        machines.has(shift.series.entity) &&
        shift.is_bad &&
        shift.meaning.resource === 'network' &&
        stepsWith(shift, onset) &&
        outlasts(observed, shift),
    )
    .slice(0, MOST_SHOWN)
}
