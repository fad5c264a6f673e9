/**
 * A node that cannot give its workloads what they need, told by its own telemetry or by its events.
 */
import { CONFIDENCE_CAP_UNLINKED } from './confidence.ts'
import { hostOfLine, nodeOf, nodeOfLine } from './failing-nodes.ts'
import { isDiskFull } from './filled-slowly.ts'
import { isDemand } from './metric-meaning.ts'
import { isPlanned, NODE } from './node-words.ts'
import { chanceOf, type OperationalCause, type Sign, sign, strongest } from './operational-cause.ts'
import { round6 } from './statistics.ts'
import { type Line, matching, NEAR_MS, type Scene } from './told-lines.ts'

/** What a platform's own record of the failing workload's node is worth: as much as a provider's status entry. */
const RECORDED_OF_PLACE = 0.6

/** What a machine's trouble is worth on which nothing of what fails first was seen to run: instances may have moved. */
const ELSEWHERE = 0.3

/** Whether it is known where the first failing place runs, and none of these texts names a machine of it. */
function runsElsewhere({ snapshot, names, observed: { first } }: Scene, texts: readonly string[]): boolean {
  if (first === null) return false
  const own = new Set(
    [
      ...snapshot.series.flatMap(({ entity, labels }) => (entity === first.entity ? [nodeOf(labels)] : [])),
      ...snapshot.logs.flatMap((line) =>
        names.canonical(line.service) === first.entity ? [nodeOfLine(line)] : [],
      ),
    ].filter((name) => name !== undefined),
  )
  return own.size > 0 && ![...own].some((name) => texts.some((text) => text.includes(name)))
}

/** Needs the node's own telemetry or its events; a throttled container alone may be its own doing. */
export function troubledNode(scene: Scene): OperationalCause | null {
  const nodes = new Set(
    scene.snapshot.entities
      .filter((entity) => entity.kind === 'node' || entity.kind === 'host')
      .map((entity) => entity.name),
  )
  for (const line of scene.snapshot.logs) {
    const host = hostOfLine(line)
    if (host !== undefined) nodes.add(host)
  }
  const spoken = matching(scene, NODE).filter((line) => line.origin !== 'alert' && !isPlanned(line))
  const diskFull = isDiskFull(scene)
  const shifts = scene.observed.shifts.filter(
    (shift) =>
      (nodes.has(shift.series.entity) || /^(node|host|machine|vm)_|steal/i.test(shift.series.name)) &&
      shift.meaning.resource !== null &&
      // A full volume is used up by those who write to it; the node is well.
      !(shift.meaning.resource === 'disk' && diskFull) &&
      shift.is_bad &&
      (scene.onset === null || shift.onset.earliest <= scene.onset + NEAR_MS),
  )
  // A container that is throttled says nothing of its node by itself.
  if (shifts.length + spoken.length === 0) return null
  // A platform that records trouble of the node of the very workload that fails says where and why at once.
  const isOfPlace = ({ origin, entity, at }: Line): boolean =>
    (origin === 'kubernetes' || origin === 'event') &&
    entity === scene.observed.first?.entity &&
    (at === null || scene.onset === null || at <= scene.onset + NEAR_MS)
  const ofPlace = spoken.filter(isOfPlace)
  const signs: Sign[] = [
    ...shifts.slice(0, 3).map((shift): Sign => ({ strength: 0.45, fact: { of: 'shift', shift } })),
    ...spoken
      .slice(0, 4)
      .map((line) =>
        sign(line, isOfPlace(line) ? RECORDED_OF_PLACE : line.origin === 'kubernetes' ? 0.4 : 0.3),
      ),
  ]
  const throttled = scene.observed.shifts.find(
    (shift) => /throttl/i.test(shift.series.name) && shift.meaning.resource === 'cpu' && shift.is_bad,
  )
  const demand = scene.observed.shifts.some(
    (shift) => isDemand(shift.series.name) && shift.direction === 'up',
  )
  if (throttled !== undefined && !demand)
    signs.push({ strength: 0.3, fact: { of: 'shift', shift: throttled } })
  const named =
    shifts[0]?.series.entity ??
    [...nodes].filter((name) => spoken.some((line) => line.text.includes(name)))[0] ??
    ofPlace[0]?.entity ??
    null
  const isElsewhere =
    ofPlace.length === 0 &&
    runsElsewhere(scene, [
      ...shifts.map(({ series }) => series.entity),
      ...spoken.flatMap(({ entity, text }) => [entity ?? '', text]),
    ])
  return {
    kind: 'node',
    entity: named,
    // A node that nobody names is none that anybody could look at.
    ...(named === null ? { at_most: CONFIDENCE_CAP_UNLINKED } : {}),
    score: round6(
      Math.min(0.95, chanceOf(strongest(signs))) *
        (isElsewhere ? ELSEWHERE : 1) *
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
