/**
 * How surely the place that fails first is known, as far as calls were counted, and who shares it.
 *
 * Method: conservation of failed calls (`call-graph.ts`): what fails inside one place is left over nowhere else. Where most of
 * all that fails is inside the first place, a change that arrived elsewhere has to have harmed it from there.
 */

import { isFelt } from '../deviations/felt-symptoms.ts'
import { callersOf } from './call-graph.ts'
import type { Observed } from './failing-services.ts'

/** Share of all failed calls beyond normal from which a place is known to be where they fail. */
const MOST_FAIL = 0.5
/** Of what fails inside the first place, the share below which a service that was counted fails next to nothing. */
const LITTLE = 0.01

/** Whether calls were counted and most that fail beyond normal do so inside the first failing place. */
export function isPlaceCounted({ first, flows }: Observed): boolean {
  const all = [...flows.values()].reduce((sum, { own_failed }) => sum + own_failed, 0)
  return (first?.flow?.own_failed ?? 0) >= Math.max(1, MOST_FAIL * all)
}

/** Whether calls were counted to fail inside the first failing place, and next to none inside this one. */
export function failsLittleBeside(target: string, { first, flows }: Observed): boolean {
  const own = flows.get(target)?.own_failed
  const most = first?.flow?.own_failed ?? 0
  return own !== undefined && most >= 1 && own < LITTLE * most
}

/**
 * Whether most of what fails inside the first place was counted between it and this one, which it calls: what is done at
 * either end may be why, as where one replaces a secret of which the other holds a copy.
 */
export function isOtherEnd(target: string, { first, flows, graph }: Observed): boolean {
  const met = flows.get(target)?.met_alone ?? 0
  const isCalled = first !== null && graph.callees.get(first.entity)?.has(target) === true
  return isCalled && met >= Math.max(1, MOST_FAIL * (first.flow?.own_failed ?? 0))
}

/**
 * Whether one alone calls where it failed first, while that shows nothing of its own that its users would feel: what failed
 * was counted between the two, and either of them may be why.
 */
export function isOnlyCaller(target: string, { first, graph }: Observed): boolean {
  if (first === null || first.shifts.some(isFelt)) return false
  const callers = callersOf(graph, first.entity)
  return callers.length === 1 && callers[0] === target
}
