/**
 * Whose failing a refused call is, told by who else asks the same: where one caller of several fails at an entity that
 * serves the others as ever, what differs is the caller (its version, settings, credentials, what it asks for or its way
 * there), and the failing arises there.
 *
 * Method: the joint method of agreement and difference (Mill, A System of Logic, 1843, book III, chapter 8) on what was
 * counted of calls. Who is measured to fail by itself is not acquitted by that, and nor is who serves nobody else.
 */

import { pairsByCallee } from '../records/calls-by-pair.ts'
import type { Edge } from '../records/snapshot.ts'
import { outcomesByCaller } from './caller-outcomes.ts'

/**
 * Tells of a call whether its failing arises at who calls, since the callee serves all others.
 *
 * @param unwell - those whose own measurements show that they fail
 * @param from - milliseconds since 1970; calls of intervals that begin before it do not count, nor do those from `to` on
 */
export function failsAlone(
  edges: readonly Edge[],
  unwell: ReadonlySet<string>,
  from: number,
  to: number,
): (caller: string, callee: string) => boolean {
  const alone = new Map<string, string>()
  for (const callee of pairsByCallee(edges).keys()) {
    const { fail, served } = outcomesByCaller(edges, callee, from, to)
    const [caller] = fail
    if (caller !== undefined && fail.length === 1 && served.length > 0 && !unwell.has(callee))
      alone.set(callee, caller)
  }
  return (caller, callee) => alone.get(callee) === caller
}
