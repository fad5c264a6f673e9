/**
 * A node that cannot give its workloads what they need, told by its own telemetry or by its events.
 */
import { CONFIDENCE_CAP_UNLINKED } from '../confidence.ts'
import { isDemand } from '../deviations/metric-meaning.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import {
  holdsOn,
  isRecorded,
  type Line,
  matching,
  NEAR_MS,
  outlasts,
  type Scene,
} from '../place/told-lines.ts'
import { machinesOf } from '../records/hosting.ts'
import { holdsName } from '../records/whole-name.ts'
import { round6 } from '../statistics.ts'
import { failsAlikeElsewhere, hostsOf } from './failing-nodes.ts'
import { isDiskFull } from './filled-slowly.ts'
import { isPlanned, NODE } from './node-words.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'

/** What a platform's own record of the failing workload's node is worth: as much as a provider's status entry. */
const RECORDED_OF_PLACE = 0.6

/**
 * What a machine's trouble is worth on which nothing of what fails first was seen to run, since instances may have moved, or
 * apart from which what fails first fails as much.
 */
const ELSEWHERE = 0.3

/** The same where nothing says on which machines what fails first runs, and only a platform tells of this one. */
const UNPLACED = 0.6

/** What an event is worth that was over before anybody felt anything: of a condition that lasts there are others. */
const LONG_BEFORE = 0.5

/**
 * A gauge that says whether whoever runs a machine reaches it at all, from its yes to its no.
 * @see https://kubernetes.io/docs/concepts/architecture/nodes/#condition
 */
export const READY = /(?:^|[^a-z\d])(?:ready|up|alive|reachable)$/i
const isUnready = ({ series, before, during }: SeriesShift): boolean =>
  READY.test(series.name) && before >= 0.9 && during <= 0.1
/** What it is worth that nobody reaches a machine: whatever runs there is gone or cut off. */
const UNREADY = 0.6

/** Needs the node's own telemetry or its events; a throttled container alone may be its own doing. */
export function troubledNode(scene: Scene): OperationalCause | null {
  const nodes = new Set(
    scene.snapshot.entities
      .filter((entity) => entity.kind === 'node' || entity.kind === 'host')
      .map((entity) => entity.name),
  )
  for (const host of hostsOf(scene.snapshot.logs)) nodes.add(host)
  for (const { kind, name } of scene.snapshot.k8s) if (kind === 'Node') nodes.add(scene.names.canonical(name))
  const { observed, onset } = scene
  const isInTime = (at: number | null): boolean => at === null || onset === null || at <= onset + NEAR_MS
  const spoken = matching(scene, NODE).filter(
    (line) => line.origin !== 'alert' && !isPlanned(line) && isInTime(line.at),
  )
  const diskFull = isDiskFull(scene)
  const isAlertedFailing = observed.failing.some(
    ({ entity, ended_at }) => entity === observed.symptom_service && ended_at === null,
  )
  const shifts = observed.shifts.filter(
    (shift) =>
      (nodes.has(shift.series.entity) || /^(node|host|machine|vm)_|steal/i.test(shift.series.name)) &&
      (shift.meaning.resource !== null || isUnready(shift)) &&
      // A full volume is used up by those who write to it; the node is well.
      !(shift.meaning.resource === 'disk' && diskFull) &&
      shift.is_bad &&
      isInTime(shift.onset.earliest) &&
      // A node that is well again while what was alerted or what fails first still does is not why.
      (shift.ended_at === null ||
        (isUnready(shift) ? outlasts(observed, shift) : !isAlertedFailing && holdsOn(observed, shift))),
  )
  // A container that is throttled says nothing of its node by itself.
  if (shifts.length + spoken.length === 0) return null
  const machines = [
    ...new Set([
      ...shifts.map(({ series }) => series.entity),
      ...[...nodes].sort().filter((name) => spoken.some((line) => isAbout(line, name))),
    ]),
  ]
  const { first } = observed
  const unready = new Set(shifts.filter(isUnready).map(({ series }) => series.entity))
  const runsOn = machinesOf(scene.snapshot, scene.names)
  // Who misses others that ran on what is gone fails wherever he runs.
  const missed = missedBy(scene, first?.entity ?? '')
    .flatMap((entity) => [...(runsOn.get(entity) ?? [])])
    .filter((machine) => unready.has(machine))
  const known: Known = {
    scene,
    machines: [...(runsOn.get(first?.entity ?? '') ?? []), ...missed],
    isAlikeElsewhere: (machine) =>
      first !== null &&
      onset !== null &&
      !(missed.length > 0 && unready.has(machine)) &&
      failsAlikeElsewhere(
        scene.snapshot,
        observed.normal,
        onset,
        first.entity,
        unready.has(machine) ? unready : new Set([machine]),
      ),
    // Several that are gone at once are one event.
    fallsOn: [...runsOn].flatMap(([entity, on]) =>
      [...on].some((machine) => unready.has(machine)) ? [entity] : [],
    ),
    throttled: throttledIn(scene),
  }
  if (machines.length === 0) return causeOf(known, null, [], spoken)
  // What one machine shows says nothing of another: each is judged by its own, and by what names none.
  const unnamed = new Set(spoken.filter((line) => !machines.some((name) => isAbout(line, name))))
  const causes = machines.map((machine) =>
    causeOf(
      known,
      machine,
      shifts.filter(({ series }) => series.entity === machine),
      spoken.filter((line) => unnamed.has(line) || isAbout(line, machine)),
    ),
  )
  return causes.sort((a, b) => b.score - a.score)[0] ?? null
}

/** Whether a line is of a machine: the machine says it, or it names the machine. */
const isAbout = ({ entity, text }: Line, machine: string): boolean =>
  entity === machine || holdsName(text, machine)

/** Whom a place calls, or names where it says that it fails: they are gone with the machines that they run on. */
const missedBy = ({ observed, lines, names }: Scene, place: string): readonly string[] => [
  ...(observed.graph.callees.get(place) ?? []),
  ...lines
    .filter(({ entity, origin, failing }) => failing && origin === 'log' && entity === place)
    .flatMap(({ text }) => names.mentionedIn(text)),
]

/** A throttled processor where no more is asked of it; a container that is throttled says nothing of its node by itself. */
function throttledIn({ observed: { shifts } }: Scene): SeriesShift | undefined {
  const isAskedMore = shifts.some((shift) => isDemand(shift.series.name) && shift.direction === 'up')
  return isAskedMore
    ? undefined
    : shifts.find(
        (shift) => /throttl/i.test(shift.series.name) && shift.meaning.resource === 'cpu' && shift.is_bad,
      )
}

/** What is the same for whichever machine: where the first failing place runs and fails, and that it is throttled. */
interface Known {
  readonly scene: Scene
  readonly machines: readonly string[]
  /** Whether it fails as much on its other machines as on one. */
  readonly isAlikeElsewhere: (machine: string) => boolean
  /** Who runs on machines that nobody reaches. */
  readonly fallsOn: readonly string[]
  readonly throttled: SeriesShift | undefined
}

/** What speaks against one machine, or against one that nobody names. */
function causeOf(
  { scene, machines: own, isAlikeElsewhere, fallsOn, throttled }: Known,
  machine: string | null,
  shifts: readonly SeriesShift[],
  spoken: readonly Line[],
): OperationalCause {
  // A platform that records trouble of the node of the very workload that fails says where and why at once.
  const isOfPlace = (line: Line): boolean => isRecorded(line) && line.entity === scene.observed.first?.entity
  const isLongBefore = (line: Line): boolean =>
    isRecorded(line) && line.at !== null && scene.onset !== null && line.at < scene.onset - NEAR_MS
  const ofPlace = spoken.filter(isOfPlace)
  const signs: Sign[] = [
    ...shifts.slice(0, 3).flatMap((shift) => shown(shift, isUnready(shift) ? UNREADY : 0.45)),
    ...spoken
      .slice(0, 4)
      .map((line) =>
        sign(
          line,
          (isOfPlace(line) ? RECORDED_OF_PLACE : line.origin === 'kubernetes' ? 0.4 : 0.3) *
            (isLongBefore(line) ? LONG_BEFORE : 1),
        ),
      ),
  ]
  if (throttled !== undefined) signs.push(...shown(throttled, 0.3))
  const named = machine ?? ofPlace[0]?.entity ?? null
  const texts = [
    ...shifts.map(({ series }) => series.entity),
    ...spoken.flatMap(({ entity, text }) => [entity ?? '', text]),
  ]
  const isTold = shifts.length > 0 || ofPlace.length > 0 || spoken.some(({ origin }) => origin === 'log')
  const isElsewhere = own.length > 0 && !own.some((name) => texts.some((text) => holdsName(text, name)))
  const place =
    ofPlace.length === 0 && (isElsewhere || (machine !== null && isAlikeElsewhere(machine)))
      ? ELSEWHERE
      : own.length === 0 && !isTold
        ? UNPLACED
        : 1
  return {
    kind: 'node',
    entity: named,
    ...(shifts.some(isUnready) ? { falls_on: fallsOn } : {}),
    // A node that nobody names is none that anybody could look at.
    ...(named === null ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
    score: round6(
      Math.min(0.95, chanceOf(strongest(signs))) *
        place *
        ((shifts.length > 0 && spoken.length > 0) || ofPlace.length > 0
          ? 1
          : spoken.some((line) => line.origin === 'kubernetes')
            ? 0.8
            : 0.6),
    ),
    what: 'a node that cannot give its workloads what they need',
    signs: strongest(signs),
    action: 'reschedule',
    yields_to_changes: false,
  }
}
