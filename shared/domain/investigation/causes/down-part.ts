/**
 * A part that is down: who measures it no longer reaches it, and who calls it says so.
 *
 * Method: an exporter answers 1 while it reaches what it measures and 0 while it does not. A measurement may fail by itself,
 * so a second witness is asked for: those who call the part complain of it, most calls to it are counted to fail inside it, or its own platform
 * has recorded that it failed. Where several parts are unreachable of which none calls another,
 * whatever lies between is as likely, so none is named. Why it is down is not told by that: a record is, so that with one it is
 * likely and not half of an answer.
 * @see https://prometheus.io/docs/concepts/jobs_instances/ (up)
 * @see https://github.com/prometheus-community/postgres_exporter (pg_up), https://github.com/oliver006/redis_exporter (redis_up)
 */
import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_WITNESSED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { callersOf, type Flow, failedAt } from '../place/call-graph.ts'
import {
  hasShiftedInTime,
  holdsOn,
  isRecorded,
  isSaidAtOnset,
  type Line,
  NEAR_MS,
  naming,
  type Scene,
} from '../place/told-lines.ts'
import { median, round6 } from '../statistics.ts'
import { chanceOf, type OperationalCause, type Sign, shown, sign, strongest } from './operational-cause.ts'
import { distinctCallers } from './outside-providers.ts'
import { wordsFor } from './spoken-signs.ts'
import { isAnswerOf } from './system-answers.ts'

/** The last word of a gauge that says whether something is reached at all. */
const REACHED = /(?:^|[^a-z\d])(?:up|alive|reachable)$/i
/** Says of a part that is asked from outside whether it answers. @see https://github.com/prometheus/blackbox_exporter (probe_success) */
export const PROBED = /^probe_success$/
/** Levels of such a gauge from which it says yes, and down to which it says no: several instances may share one. */
const YES = 0.9
const NO = 0.1
/** What each sign is worth: that nobody reaches it says more than one who calls it. */
const UNREACHED = 0.6
const COMPLAINED = 0.3
const COUNTED = 0.3
/** Its platform knows more of it than who measures it. */
const RECORDED = 0.6
const MOST = 0.85

/** How platforms record that what they run has failed. */
const FAILED = wordsFor('failed')
/** Share of the calls to a part from which most of them fail inside it. */
const MOSTLY = 0.5

/**
 * Whether a gauge that says whether something is reached went from yes to no.
 * @param isSuch - which names such a gauge may have
 */
export const saysGone = (
  { series, direction, before, during }: SeriesShift,
  isSuch: RegExp = REACHED,
): boolean => direction === 'down' && before >= YES && during <= NO && isSuch.test(series.name)

/**
 * Parts that went down when users felt it and stayed down as a whole, with what measured that; an instance that still answers serves the
 * rest. Who measures in another way says nothing of that: an exporter that is up (`up`) tells of a store that is not (`pg_up`).
 * @param isSuch - which names what measures that may have
 */
export function wentDown(
  scene: Scene,
  isSuch: RegExp = REACHED,
): ReadonlyMap<string, readonly SeriesShift[]> {
  const { observed, snapshot, onset } = scene
  if (onset === null) return new Map()
  const fell = (shift: SeriesShift): boolean =>
    saysGone(shift, isSuch) && hasShiftedInTime(scene, shift) && holdsOn(observed, shift)
  const down = Map.groupBy(observed.shifts.filter(fell), ({ series }) => series.entity)
  const isWhole = (entity: string, shifts: readonly SeriesShift[]): boolean =>
    snapshot.series.every(
      (series) =>
        series.entity !== entity ||
        !shifts.some((shift) => shift.series.name === series.name) ||
        shifts.some((shift) => shift.series === series) ||
        !(median(series.values.filter((_, index) => (series.times[index] as number) >= onset)) >= YES),
    )
  return new Map([...down].filter(([entity, shifts]) => isWhole(entity, shifts)))
}

/** What those say who fail for a part: they name it, or they call it and quote what it, or its system, answered. */
const complaining = (scene: Scene, entity: string): readonly Line[] => {
  const named = naming(scene, entity)
  const callers = new Set(callersOf(scene.observed.graph, entity))
  return [
    ...named,
    ...scene.lines.filter(
      (line) =>
        line.failing &&
        line.origin === 'log' &&
        callers.has(line.entity ?? '') &&
        isAnswerOf('infra', line.text) &&
        !named.includes(line),
    ),
  ]
}

/** What its platform recorded of a part near the onset: that it has failed. */
const recordedOf = ({ lines, onset }: Scene, entity: string): readonly Line[] =>
  lines.filter(
    (line) =>
      isRecorded(line) &&
      line.entity === entity &&
      line.at !== null &&
      onset !== null &&
      Math.abs(line.at - onset) <= NEAR_MS &&
      FAILED.test(line.text),
  )

/** The calls to a part, where most of them were counted to fail inside it. */
function failingInside({ observed }: Scene, entity: string): Flow | null {
  const flow = observed.flows.get(entity)
  return flow !== undefined && failedAt(flow) >= MOSTLY * Math.max(1, flow.calls) ? flow : null
}

/** What else shows that a part is missed, beside who measures it; nothing where nobody does. */
function witnessesOf(scene: Scene, entity: string): readonly Sign[] {
  const recorded = recordedOf(scene, entity)
  const said = complaining(scene, entity)
  const inside = failingInside(scene, entity)
  const told: readonly Sign[] = isSaidAtOnset(scene, said)
    ? distinctCallers(said).map((line) => sign(line, COMPLAINED))
    : inside === null
      ? []
      : [{ strength: COUNTED, fact: { of: 'calls', flow: inside } }]
  return [...recorded.slice(0, 1).map((line) => sign(line, RECORDED)), ...told]
}

/** The part that went down when users felt it and stayed down, if there is one. */
export function downPart(scene: Scene): OperationalCause | null {
  const { observed } = scene
  const missedOf = (down: ReturnType<typeof wentDown>) =>
    [...down].flatMap(([entity, shifts]) => {
      const witnesses = witnessesOf(scene, entity)
      return witnesses.length === 0 ? [] : [{ entity, shifts, witnesses }]
    })
  const measured = missedOf(wentDown(scene))
  // Who asks from outside may have lost the way there: it is asked of what no call is counted to, where nobody who is nearer tells of a
  // part that is gone.
  const parts =
    measured.length > 0
      ? measured
      : missedOf(wentDown(scene, PROBED)).filter(({ entity }) => !observed.flows.has(entity))
  const lowest = parts.filter(
    (part) => !parts.some((other) => observed.graph.reachableFrom(part.entity).has(other.entity)),
  )
  const [part] = lowest
  if (part === undefined || lowest.length > 1) return null
  const { entity, shifts, witnesses } = part
  const signs: readonly Sign[] = [...shown(shifts[0], UNREACHED), ...witnesses]
  const isKnown = recordedOf(scene, entity).length > 0
  return {
    kind: 'infra',
    entity,
    score: round6(Math.min(MOST, chanceOf(signs))),
    what: 'a part that is down and does not come back',
    signs: strongest(signs),
    action: 'failover',
    yields_to_changes: true,
    at_most: isKnown ? CONFIDENCE_CAP_WITNESSED : CONFIDENCE_CAP_UNLINKED,
    // What leans on a part that no call is counted to is not on record, so that who fails elsewhere makes it no less sure; nor does it
    // where what is asked of it was counted to fail there.
    ...(observed.flows.has(entity) && failingInside(scene, entity) === null ? {} : { is_placed: true }),
  }
}
