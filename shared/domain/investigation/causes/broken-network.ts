/**
 * A broken network: the same kind of broken connection at several services at once.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import {
  entitiesOf,
  explaining,
  hasShiftedInTime,
  isInTime,
  isRecorded,
  type Line,
  matching,
  outlasts,
  type Scene,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { RESOLUTION } from './failing-resolution.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { statusSigns } from './provider-status.ts'
import { wordsFor } from './spoken-signs.ts'

const NETWORK = wordsFor('network')

/**
 * The one part that all broken connections lead to, as who has them says, or else as the only part that all of them call;
 * null where they lead to several. Then the network cannot be told from that part's being away.
 */
function onlyEnd(
  { names, observed }: Scene,
  spoken: readonly Line[],
  broken: readonly string[],
): string | null {
  const ends = new Set(
    spoken.flatMap(({ entity, text }) => names.mentionedIn(text).filter((name) => name !== entity)),
  )
  const [first = [], ...others] = [...new Set(broken)].map((name) => [
    ...(observed.graph.callees.get(name) ?? []),
  ])
  const common = others.length > 0 ? first.filter((name) => others.every((each) => each.includes(name))) : []
  const [end, another] = ends.size > 0 ? ends : common
  return another === undefined ? (end ?? null) : null
}

/** Needs the same kind of broken connection at several services at once. */
export function brokenNetwork(scene: Scene): OperationalCause | null {
  const spoken = matching(scene, NETWORK).filter(
    (line) => !RESOLUTION.test(line.text) && isInTime(scene, line.at),
  )
  // What a cloud announces of a zone is no service that lost a connection.
  const services = entitiesOf(spoken.filter((line) => !isRecorded(line)))
  const shifts = scene.observed.shifts.filter(
    (shift) =>
      shift.is_bad &&
      shift.meaning.resource === 'network' &&
      hasShiftedInTime(scene, shift) &&
      // A network that is well again while users are hurt is not why they are.
      outlasts(scene.observed, shift),
  )
  if (services.size < 2 && shifts.length === 0) return null
  const signs: Sign[] = [
    ...distinctCallers(spoken).map((line) => sign(line, 0.25)),
    ...shifts.slice(0, 2).flatMap((shift) => shown(shift, 0.3)),
    ...statusSigns(scene, (text) => /network|connectivity|zone|packet/i.test(text)),
  ]
  const end = onlyEnd(scene, spoken, [...services, ...shifts.map(({ series }) => series.entity)])
  return {
    kind: 'network',
    entity: end,
    ...(end === null ? {} : { at_most: CONFIDENCE_CAP_UNLINKED }),
    score: round6(Math.min(0.9, chanceOf(strongest(signs))) * explaining(scene, NETWORK)),
    what: 'a broken network between services',
    signs: strongest(signs),
    action: 'failover',
    yields_to_changes: services.size < 3,
  }
}
