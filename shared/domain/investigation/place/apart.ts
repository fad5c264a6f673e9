/**
 * Who is apart from whom: two incidents at once, of systems that have nothing to do with each other, are two.
 *
 * Method: the call graph without directions falls into parts (its connected components; Hopcroft and Tarjan, Algorithm 447,
 * Communications of the ACM, 1973). Harm passes along calls, down or up, so what fails in one part is not why another
 * fails. Only who was seen to call or to be called can be apart: of others it is not known whom they touch. What both parts
 * run on, a machine or a network, makes no calls and is apart from nobody.
 */
import type { CallGraph } from './call-graph.ts'

type Calls = CallGraph['callees']

/** The part of each entity that calls or is called, of every graph that was asked about. */
const partsOf = new WeakMap<Calls, ReadonlyMap<string, number>>()

function partsIn(callees: Calls): ReadonlyMap<string, number> {
  const beside = new Map<string, Set<string>>()
  const join = (a: string, b: string): void => {
    beside.set(a, (beside.get(a) ?? new Set()).add(b))
  }
  for (const [caller, called] of callees)
    for (const callee of called) {
      join(caller, callee)
      join(callee, caller)
    }
  const parts = new Map<string, number>()
  let part = 0
  for (const from of beside.keys()) {
    if (parts.has(from)) continue
    part += 1
    const queue = [from]
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (parts.has(next)) continue
      parts.set(next, part)
      queue.push(...(beside.get(next) ?? []))
    }
  }
  return parts
}

/** Whether two entities are known to have nothing to do with each other: both call or are called, and no calls join them. */
export function isApart(a: string, b: string, { callees }: Pick<CallGraph, 'callees'>): boolean {
  const parts = partsOf.get(callees) ?? partsIn(callees)
  partsOf.set(callees, parts)
  const [one, other] = [parts.get(a), parts.get(b)]
  return one !== undefined && other !== undefined && one !== other
}
