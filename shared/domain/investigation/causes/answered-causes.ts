/**
 * Causes that a system named itself: an answer of its own that those who met it quote.
 *
 * Method: a table of documented answers (`system-answers.ts`). One counts where it is quoted again and again from the
 * onset on, by the place that the measurements blame, about it or by who calls it, and where counted calls fail there: the
 * answer says why, the failing edge that it matters. Where no tool counts calls, errors that began with it serve. A change that reached that place may have brought it about (an address, a
 * limit, a crash at start), so such a cause yields to one that fits. That nobody is reached is said alike by whatever lies
 * between and for an end that is gone (RFC 792, destination unreachable), so that stays possible.
 */

import { CONFIDENCE_CAP_UNLINKED, CONFIDENCE_CAP_UNMAPPED } from '../confidence.ts'
import type { SeriesShift } from '../deviations/series-shift.ts'
import { type Flow, failedAt } from '../place/call-graph.ts'
import {
  entitiesOf,
  explaining,
  isSaidAtOnset,
  type Line,
  matching,
  NEAR_MS,
  placeToldOf,
  type Scene,
} from '../place/told-lines.ts'
import { round6 } from '../statistics.ts'
import { joinedCauses } from './joined-causes.ts'
import type { OperationalCause, Sign } from './operational-cause.ts'
import { sign } from './operational-cause.ts'
import { SYSTEM_ANSWERS, type SystemAnswer } from './system-answers.ts'

/** What a documented answer is worth that is quoted from the onset on: more likely right than not. */
const ANSWERED = 0.6
/** What one quotation tells, and what the failing that is measured beside it does. */
const QUOTED = 0.3
const MEASURED = 0.3
/** Failed calls beyond normal from which an edge counts as failing. */
const LEAST_FAILED = 1

/** Every kind of answer at most once, as the table has them; different answers of one kind and place are one cause. */
export function answeredCauses(scene: Scene): readonly OperationalCause[] {
  const causes = new Map<string, OperationalCause>()
  const told = SYSTEM_ANSWERS.flatMap((answer) => answeredBy(scene, answer) ?? [])
  for (const cause of joinedCauses([], told, ({ entity }, other) => entity === other.entity)) {
    const known = causes.get(cause.kind)
    if (known === undefined || cause.score > known.score) causes.set(cause.kind, cause)
  }
  return [...causes.values()]
}

function answeredBy(scene: Scene, answer: SystemAnswer): OperationalCause | null {
  const lines = matching(scene, answer.pattern).filter(({ origin }) => origin !== 'alert')
  if (!isSaidAtOnset(scene, lines)) return null
  const entity =
    answer.is_own === true
      ? (partNamedByAll(scene, lines) ?? lines[0]?.entity ?? null)
      : (namedByAll(scene, lines) ?? askedByAll(scene, lines) ?? placeToldOf(scene, lines))
  const measured = entity === null ? null : measuredFailing(scene, entity, lines)
  if (measured === null) return null
  return {
    kind: answer.kind,
    entity,
    // A documented answer may hold the very name that it is about.
    score: round6(
      ANSWERED * (isAllOfIt(scene, answer, measured) ? 1 : explaining(scene, answer.pattern, 'text')),
    ),
    what: answer.what,
    signs: [...lines.slice(0, 2).map((line) => sign(line, QUOTED)), { strength: MEASURED, fact: measured }],
    action: answer.action,
    yields_to_changes: true,
    ...(answer.is_of_time === true ? { is_whole: true } : {}),
    // That a call fails was counted; else it is concluded, and one who says so alone is possible, not likely.
    ...(answer.is_either === true || isOfAnother(scene, entity, measured)
      ? { at_most: CONFIDENCE_CAP_UNLINKED }
      : measured.of === 'calls' || entitiesOf(lines).size > 1
        ? {}
        : { at_most: CONFIDENCE_CAP_UNMAPPED }),
  }
}

/**
 * The one other that all who quote an answer name in it: the answer is of that one, whoever else fails. The name of a host
 * holds that of its domain, so of several it is the one that calls fail at.
 */
function namedByAll({ names, observed: { flows } }: Scene, lines: readonly Line[]): string | null {
  const named = lines
    .map(({ text, entity }) => names.mentionedIn(text).filter((name) => name !== entity))
    .reduce((all, some) => all.filter((name) => some.includes(name)))
  const [only, ...others] =
    named.length > 1 ? named.filter((name) => isFailing(flows.get(name) ?? null)) : named
  return others.length === 0 ? (only ?? null) : null
}

/**
 * The part beside the calls that all who quote an answer name in it, as a mounted folder bears the name of its file server: what one's
 * own system says of it is not of oneself.
 */
function partNamedByAll(scene: Scene, lines: readonly Line[]): string | null {
  const named = namedByAll(scene, lines)
  return named === null || scene.observed.flows.has(named) ? null : named
}

/** The one store that all of several who quote an answer call: it gave the answer, whoever of them fails most. */
function calledByAll({ observed: { graph }, snapshot }: Scene, lines: readonly Line[]): string | null {
  const speakers = [...entitiesOf(lines)]
  if (speakers.length < 2) return null
  const stores = snapshot.entities.filter(
    ({ kind, name }) =>
      kind === 'datastore' && speakers.every((speaker) => graph.callees.get(speaker)?.has(name) === true),
  )
  return stores.length === 1 ? (stores[0]?.name ?? null) : null
}

/** Who of those that all who quote an answer ask gave it: one of them, or the store that they call, in which more calls fail. */
function askedByAll(scene: Scene, lines: readonly Line[]): string | null {
  const { flows } = scene.observed
  const failed = (entity: string | null): number => flows.get(entity ?? '')?.excess_failed ?? 0
  const [speaker, store] = [saidBehind(scene, lines), calledByAll(scene, lines)]
  return speaker === null || failed(store) > failed(speaker) ? store : speaker
}

/** Whether calls are counted to it and it is yet another whose calls were seen to fail. */
const isOfAnother = ({ observed }: Scene, entity: string | null, measured: Sign['fact']): boolean =>
  measured.of === 'calls' && measured.flow.entity !== entity && !observed.flows.has(entity ?? '')

/**
 * Who says so himself and is called by all others who say so or, where nobody else does, by who fails first: those pass on what
 * they were told, however many of their own calls fail by it.
 */
function saidBehind({ observed }: Scene, lines: readonly Line[]): string | null {
  const { first, graph, flows } = observed
  const speakers = [...entitiesOf(lines)]
  const isCalledBy = (entity: string, caller: string): boolean =>
    graph.callees.get(caller)?.has(entity) === true
  const behind = speakers.filter((one) => {
    const others = speakers.filter((other) => other !== one)
    const asking = others.length > 0 ? others : first === null ? [] : [first.entity]
    return asking.length > 0 && asking.every((caller) => isCalledBy(one, caller))
  })
  const [only] = behind
  return only !== undefined && behind.length === 1 && (flows.get(only)?.excess_failed ?? 0) >= LEAST_FAILED
    ? only
    : null
}

/** Share of the most failed calls that must arise where a credential is refused, or a name leads elsewhere. */
const MOST_FAILED = 0.5

/**
 * A credential that has ended fails every call that shows it, a name that leads elsewhere every call to it: where these are
 * what fails, what others say is the consequence, however much louder it is.
 */
function isAllOfIt({ observed }: Scene, { id, kind }: SystemAnswer, measured: Sign['fact']): boolean {
  if ((kind !== 'certificate' && id !== 'tls-stranger') || measured.of !== 'calls') return false
  const most = Math.max(...[...observed.flows.values()].map(failedAt))
  return failedAt(measured.flow) >= MOST_FAILED * most
}

/** What was measured of the failing: counted calls, or where no tool counts calls, what the place or who quotes the answer fails. */
function measuredFailing(scene: Scene, entity: string, lines: readonly Line[]): Sign['fact'] | null {
  const { failing, flows, graph } = scene.observed
  const speakers = new Set(lines.map((line) => line.entity))
  if (flows.size === 0) {
    const shift = failing
      .filter((one) => one.entity === entity || speakers.has(one.entity))
      .flatMap(({ shifts }) => shifts)
      .find(isFailingSince(scene))
    return shift === undefined ? null : { of: 'shift', shift }
  }
  const called = new Set([entity])
  for (const speaker of speakers)
    for (const callee of graph.callees.get(speaker ?? '') ?? []) called.add(callee)
  const at = flows.get(entity) ?? null
  const flow =
    (isFailing(at) ? at : failing.find((one) => called.has(one.entity) && isFailing(one.flow))?.flow) ??
    (at !== null && at.excess_failed >= LEAST_FAILED ? at : null)
  return flow === null ? null : { of: 'calls', flow }
}

const isFailing = (flow: Flow | null): boolean => flow !== null && failedAt(flow) >= LEAST_FAILED

/** Whether a series shows failures that began when the symptoms did. */
const isFailingSince =
  ({ onset }: Scene) =>
  ({ is_bad, meaning, onset: own }: SeriesShift): boolean =>
    is_bad &&
    (meaning.meaning === 'errors' || meaning.meaning === 'availability') &&
    onset !== null &&
    Math.abs(own.at - onset) <= NEAR_MS
