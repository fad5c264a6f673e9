/**
 * A machine beside the calls that nobody reaches any more: part of a store, or of anything that clients know by one name.
 *
 * Method: two that look at it in different ways, who reads its measures and who asks it from outside whether it is there, and that
 * share nothing but the way to it, get no answer since the minute in which users began to be hurt, for as long as they are. Another
 * machine is looked at in the same ways and answers as ever, so neither of the two fails by itself (the method of difference:
 * Mill, A System of Logic, 1843, book III, chapter 8). Clients count calls to the whole of which it is a part, so none is counted to it;
 * that it is missed is told by who gets no connection, by what is kept in its name and waits, or by a record of it. Where several are gone
 * at once, whatever lies between is as likely. Whether it is the machine or the way there is not told by that.
 * @see https://prometheus.io/docs/concepts/jobs_instances/ (up)
 * @see https://github.com/prometheus/blackbox_exporter (probe_success)
 */
import { CONFIDENCE_CAP_SHOWN } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { onCalls } from '../place/call-graph.ts'
import {
  entitiesOf,
  isInTime,
  isRecorded,
  type Line,
  NEAR_MS,
  outlasts,
  type Scene,
  stepsWith,
  TO_COME,
} from '../place/told-lines.ts'
import { holdsName } from '../records/whole-name.ts'
import { round6 } from '../statistics.ts'
import { PROBED, saysGone } from './down-part.ts'
import {
  chanceOf,
  MOST_JOINED,
  type OperationalCause,
  type Sign,
  shown,
  sign,
  strongest,
} from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'

/** What each sign is worth: each that looks at it, what waits for it, what was recorded of it, and who gets no connection. */
const LOOKED_AT = 0.4
const WAITS = 0.35
const RECORDED = 0.35
const MISSED = 0.2
/** By what factor more waits in its name than ever. */
const MUCH_MORE = 3

const NETWORK = wordsFor('network')
/**
 * What one's own system says of an end from which nothing comes back.
 * @see https://man7.org/linux/man-pages/man2/connect.2.html (ETIMEDOUT, ENETUNREACH)
 */
const NO_ANSWER =
  /\bconnect:? e?timed ?out\b|\bconnection timed out\b|\be(?:host|net)unreach\b|no route to host/i

/** The one machine that nobody reaches since users are hurt, and that is missed; null where there is none, or several. */
export function unreachedMachine(scene: Scene): OperationalCause | null {
  const { observed, onset } = scene
  if (onset === null || observed.first === null) return null
  const lost = Map.groupBy(
    observed.shifts.filter(
      (shift) =>
        (saysGone(shift) || saysGone(shift, PROBED)) && stepsWith(shift, onset) && outlasts(observed, shift),
    ),
    ({ series }) => series.entity,
  )
  const [gone, ...others] = [...lost].filter(([entity, shifts]) => isGone(scene, entity, shifts))
  if (gone === undefined || others.length > 0) return null
  const [entity, shifts] = gone
  if (!hasPeer(scene, lost, new Set(shifts.map(({ series }) => series.name)))) return null
  const missing = missingAnswers(scene)
  const missed = [
    ...waitingFor(scene, entity).flatMap((shift) => shown(shift, WAITS)),
    ...recordsOf(scene, entity).map((line) => sign(line, RECORDED)),
    ...distinctCallers(missing).map((line) => sign(line, MISSED)),
  ]
  if (missed.length === 0) return null
  const signs: readonly Sign[] = strongest([...shifts.flatMap((shift) => shown(shift, LOOKED_AT)), ...missed])
  return {
    ...{ kind: 'network', entity, signs, action: 'failover', yields_to_changes: true, is_placed: true },
    score: round6(Math.min(MOST_JOINED, chanceOf(signs))),
    what: 'a machine that nobody reaches any more, while others that are looked at alike are',
    falls_on: [...entitiesOf(missing)],
    // The machine itself and the way to it look the same from everywhere.
    at_most: CONFIDENCE_CAP_SHOWN,
  }
}

/** Whether both that look at it get no answer, and no call is counted to it or from it. */
const isGone = (
  { observed: { flows, graph } }: Scene,
  entity: string,
  shifts: readonly SeriesShift[],
): boolean =>
  shifts.some((shift) => saysGone(shift)) &&
  shifts.some((shift) => saysGone(shift, PROBED)) &&
  !flows.has(entity) &&
  !onCalls(graph).includes(entity)

/** Whether another is looked at in the same ways, and is still reached. */
function hasPeer(
  { snapshot }: Scene,
  lost: ReadonlyMap<string, unknown>,
  names: ReadonlySet<string>,
): boolean {
  const alike = new Map<string, Set<string>>()
  for (const { entity, name } of snapshot.series)
    if (names.has(name) && !lost.has(entity)) alike.set(entity, (alike.get(entity) ?? new Set()).add(name))
  return [...alike.values()].some((own) => own.size === names.size)
}

/** What others keep in its name and of which much more waits since, and still. */
const waitingFor = ({ observed, onset }: Scene, entity: string): readonly SeriesShift[] =>
  observed.shifts
    .filter(
      ({ series, direction, before, during, ended_at: ended, onset: moved }) =>
        series.entity !== entity &&
        direction === 'up' &&
        ended === null &&
        during >= MUCH_MORE * Math.max(1, before) &&
        Math.abs(moved.at - (onset as number)) <= NEAR_MS &&
        Object.values(series.labels).some((label) => holdsName(label, entity)),
    )
    .slice(0, 1)

/** What a platform or a seller recorded of it since about then, that is not announced. */
const recordsOf = ({ lines, names, onset }: Scene, entity: string): readonly Line[] =>
  lines
    .filter(
      (line) =>
        isRecorded(line) &&
        !TO_COME.test(line.text) &&
        names.canonical(line.entity ?? '') === entity &&
        line.at !== null &&
        line.at >= (onset as number) - NEAR_MS,
    )
    .slice(0, 1)

/** Who says since about then that it gets no connection. */
const missingAnswers = (scene: Scene): readonly Line[] =>
  scene.lines.filter(
    (line) =>
      line.failing &&
      !isRecorded(line) &&
      isInTime(scene, line.at) &&
      (NETWORK.test(line.text) || NO_ANSWER.test(line.text)),
  )
