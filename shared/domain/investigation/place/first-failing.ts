/**
 * Which of the failing services failed first: one whose failing no callee explains, or who makes the demand that others bear.
 */

import { instant } from '../deviations/incident-onset.ts'
import { type CallGraph, type Flow, failedAt } from './call-graph.ts'
import type { MadeDemand } from './demand-made-inside.ts'
import { FAILING, type FailingService } from './failing-service.ts'

/** Clocks and sampling of two services differ by this much before "later" means anything, in ms. */
const SAME_TIME_MS = 120_000

/** The demand made inside that the first failing service has to bear, where it does not make it itself. */
export function madeFor(
  first: FailingService | null,
  made: readonly MadeDemand[],
  graph: CallGraph,
  failing: readonly FailingService[],
): MadeDemand | null {
  if (first === null) return null
  const isFailing = new Set(failing.map(({ entity }) => entity))
  // What fails below the demand bears it, and so does who waits for the same callee.
  const bears = ({ callee }: MadeDemand): boolean =>
    callee === first.entity ||
    graph.reachableFrom(callee).has(first.entity) ||
    (isFailing.has(callee) && graph.reachableFrom(first.entity).has(callee))
  return made.find(bears) ?? null
}

/** Who makes the demand, as a place: it need not fail itself. */
export const makerOf = ({ caller, since }: MadeDemand, failing: readonly FailingService[]): FailingService =>
  failing.find(({ entity }) => entity === caller) ?? {
    ...{ entity: caller, score: FAILING, onset: instant(since), ended_at: null, still_counted: false },
    ...{
      shifts: [],
      templates: [],
      patterns: [],
      error_spans: [],
      flow: null,
      blame: null,
      signs: ['edges'],
    },
  }

/** What was counted of the calls to entities. */
export interface CountedAnswers {
  /** Whether all who call an entity were counted to be answered as ever: nobody fails for it. */
  readonly isAsEver: (entity: string) => boolean
  /** Since when callers count that an entity fails them, milliseconds since 1970. */
  readonly since: ReadonlyMap<string, number>
}

/** Services whose failing no callee explains, and by whom that of the others is explained. */
export function explainAway(
  failing: readonly FailingService[],
  graph: CallGraph,
  { isAsEver, since }: CountedAnswers = { isAsEver: () => false, since: new Map() },
): { unexplained: readonly FailingService[]; explainedBy: ReadonlyMap<string, string> } {
  const explainedBy = new Map<string, string>()
  const began = failing.map(({ entity, onset }) =>
    Math.min(onset.earliest, since.get(entity) ?? Number.POSITIVE_INFINITY),
  )
  for (const candidate of failing) {
    const reach = graph.reachableFrom(candidate.entity)
    // Who a service blames in its own words weighs more than who calls whom: a callee may break because its
    // caller does. A cycle of calls explains nothing: both ends reach each other.
    if (ownsItsFailing(candidate)) continue
    for (let rank = 0; rank < failing.length; rank++) {
      const other = failing[rank] as FailingService
      const isCause =
        other !== candidate &&
        // What was over before it failed leaves it nothing to fail for.
        (other.ended_at === null || other.ended_at >= candidate.onset.earliest) &&
        (began[rank] as number) <= candidate.onset.latest + SAME_TIME_MS &&
        (graph.blames(candidate.entity, other.entity) ||
          (reach.has(other.entity) &&
            !isAsEver(other.entity) &&
            !graph.reachableFrom(other.entity).has(candidate.entity) &&
            !graph.blames(other.entity, candidate.entity)))
      if (!isCause) continue
      explainedBy.set(candidate.entity, other.entity)
      break
    }
  }
  const left = failing.filter((candidate) => !explainedBy.has(candidate.entity))
  // Who answers all as ever hurts nobody, so what is odd about it is no place to look, unless there is no other.
  const hurting = left.filter(({ entity }) => !isAsEver(entity))
  const unexplained = hurting.length > 0 ? hurting : left
  return { unexplained, explainedBy }
}

/** Where flows were counted they decide: most of what is failing or waited for arises inside. */
function ownsItsFailing(candidate: FailingService): boolean {
  const { flow } = candidate
  if (flow === null) return false
  if (flow.excess_failed >= 1) return flow.own_failed / flow.excess_failed > 0.5
  return flow.excess_wait_ms > 0 && flow.own_wait_ms / flow.excess_wait_ms > 0.5
}

/** Of those that no callee explains the one that was asked about, one that it calls, or the most failing. */
export function chooseFirst(
  unexplained: readonly FailingService[],
  graph: CallGraph,
  service: string | null,
  failing: readonly FailingService[],
): FailingService | null {
  const [strongest] = unexplained
  if (strongest === undefined) return failing[0] ?? null
  if (service === null) return strongest
  const reach = graph.reachableFrom(service)
  const related = unexplained.filter(
    (candidate) => candidate.entity === service || reach.has(candidate.entity),
  )
  return (
    related.find((candidate) => candidate.entity === service) ??
    mostFailing(related) ??
    related[0] ??
    strongest
  )
}

/** Share of all calls counted to fail beyond normal from which the place inside which they do is where it fails. */
const MOST_FAIL = 0.5

/**
 * The place where counted calls fail, in spite of somebody above it who looks as if it failed itself.
 *
 * How much of what somebody measures is his own is worked out from levels of those of whom there are any, so what nobody
 * measured is left to whoever waits for it. Calls that were counted one by one leave nothing over: where most that fail do so
 * inside one place that he reaches, and his own callers count nothing of his own, it fails there.
 *
 * @returns null where nothing was counted that says so
 */
export function countedBelow(
  suspect: FailingService,
  unexplained: readonly FailingService[],
  flows: ReadonlyMap<string, Flow>,
  graph: CallGraph,
): FailingService | null {
  if (suspect.blame?.flow?.kind !== 'failing' || ownsItsFailing(suspect)) return null
  const all = [...flows.values()].reduce((sum, flow) => sum + failedAt(flow), 0)
  const most = mostFailing(unexplained)
  return most !== null &&
    (most.flow?.own_failed ?? 0) >= MOST_FAIL * all &&
    graph.reachableFrom(suspect.entity).has(most.entity)
    ? most
    : null
}

/** Where calls were counted, the one inside which most of them fail. */
const mostFailing = (services: readonly FailingService[]): FailingService | null =>
  services.reduce<FailingService | null>(
    (most, one) => ((one.flow?.own_failed ?? 0) > (most?.flow?.own_failed ?? 1) ? one : most),
    null,
  )
