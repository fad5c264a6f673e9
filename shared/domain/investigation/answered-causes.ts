/**
 * Causes that a system named itself: an answer of its own that those who met it quote.
 *
 * Method: a table of documented answers (`system-answers.ts`). One counts where it is quoted again and again from the
 * onset on, by the place that the measurements blame, about it or by who calls it, and where counted calls fail there: the answer says why,
 * the failing edge that it matters. A change that reached that place may have brought it about (an address, a
 * limit, a crash at start), so such a cause yields to one that fits.
 */
import type { Flow } from './call-graph.ts'
import type { OperationalCause } from './operational-causes.ts'
import { round6 } from './statistics.ts'
import { SYSTEM_ANSWERS, type SystemAnswer } from './system-answers.ts'
import {
  explaining,
  isSaidAtOnset,
  type Line,
  matching,
  placeSpokenOf,
  type Scene,
  sign,
} from './told-lines.ts'

/** What a documented answer is worth that is quoted from the onset on: more likely right than not. */
const ANSWERED = 0.6
/** What one quotation tells, and what the failing that is measured beside it does. */
const QUOTED = 0.3
const MEASURED = 0.3
/** Failed calls beyond normal from which an edge counts as failing. */
const LEAST_FAILED = 1

/** Every kind of answer at most once, as the table has them. */
export function answeredCauses(scene: Scene): readonly OperationalCause[] {
  const causes = new Map<string, OperationalCause>()
  for (const answer of SYSTEM_ANSWERS) {
    const cause = answeredBy(scene, answer)
    if (cause === null) continue
    const known = causes.get(cause.kind)
    if (known === undefined || cause.score > known.score) causes.set(cause.kind, cause)
  }
  return [...causes.values()]
}

function answeredBy(scene: Scene, answer: SystemAnswer): OperationalCause | null {
  const lines = matching(scene, answer.pattern).filter(({ origin }) => origin !== 'alert')
  if (!isSaidAtOnset(scene, lines)) return null
  const entity = placeSpokenOf(scene, lines) ?? placeCalledBy(scene, lines)
  const flow = entity === null ? null : failingCalls(scene, entity, lines)
  if (flow === null) return null
  return {
    kind: answer.kind,
    entity,
    score: round6(ANSWERED * explaining(scene, answer.pattern)),
    what: answer.what,
    signs: [
      ...lines.slice(0, 2).map((line) => sign(line, QUOTED)),
      { strength: MEASURED, fact: { of: 'calls', flow } },
    ],
    action: answer.action,
    yields_to_changes: true,
  }
}

/** The place that the measurements blame, where those who quote the answer call it. */
function placeCalledBy({ observed: { first, graph } }: Scene, lines: readonly Line[]): string | null {
  const isCaller = ({ entity }: Line): boolean =>
    first !== null && graph.callees.get(entity ?? '')?.has(first.entity) === true
  return lines.some(isCaller) ? (first?.entity ?? null) : null
}

/** Calls that fail at the place, or at something that those who quote the answer call. */
function failingCalls({ observed }: Scene, entity: string, lines: readonly Line[]): Flow | null {
  const called = new Set([entity])
  for (const { entity: speaker } of lines)
    for (const callee of observed.graph.callees.get(speaker ?? '') ?? []) called.add(callee)
  return observed.failing.find((one) => called.has(one.entity) && isFailing(one.flow))?.flow ?? null
}

const isFailing = (flow: Flow | null): boolean => flow !== null && flow.own_failed >= LEAST_FAILED
