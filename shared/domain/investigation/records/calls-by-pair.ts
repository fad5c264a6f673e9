/** Counted calls by who calls whom: thousands of intervals are of a few dozen pairs. */
import type { Edge } from './snapshot.ts'

/** How many calls there were, and how many of them failed. */
export interface CountedCalls {
  readonly calls: number
  readonly failed: number
}

/** What was counted in the intervals that begin in a time; where it is not known how many calls there were, nothing was. */
export function countedCalls(edges: readonly Edge[], isThen: (at: number) => boolean): CountedCalls {
  let [calls, failed] = [0, 0]
  for (const edge of edges) {
    if (edge.calls === undefined || !isThen(edge.t0)) continue
    calls += edge.calls
    failed += edge.failed ?? 0
  }
  return { calls, failed }
}

/** All that was counted of the calls of one entity to another, in the order of its records. */
export interface Pair {
  readonly caller: string
  readonly callee: string
  readonly edges: readonly Edge[]
}

/** What was read before of a list, as long as the list itself is kept: many of the engine's steps ask. */
const readBefore = new WeakMap<readonly Edge[], readonly Pair[]>()

/** The pairs that edges are of, caller by caller, in the order of their first records; read once for each list. */
export function pairsOf(edges: readonly Edge[]): readonly Pair[] {
  const before = readBefore.get(edges)
  if (before !== undefined) return before
  // By caller, then by callee: one joined key would have to be built again for every edge.
  const byCaller = new Map<string, Map<string, Edge[]>>()
  for (let index = 0; index < edges.length; index++) {
    const edge = edges[index] as Edge
    let byCallee = byCaller.get(edge.caller)
    if (byCallee === undefined) {
      byCallee = new Map()
      byCaller.set(edge.caller, byCallee)
    }
    const own = byCallee.get(edge.callee)
    if (own === undefined) byCallee.set(edge.callee, [edge])
    else own.push(edge)
  }
  const pairs = [...byCaller].flatMap(([caller, byCallee]) =>
    [...byCallee].map(([callee, own]): Pair => ({ caller, callee, edges: own })),
  )
  readBefore.set(edges, pairs)
  return pairs
}

/**
 * The instant of the first record of a list of edges, milliseconds since 1970. As keys of maps instants are short, milliseconds
 * after it: a small integer is found several times as fast, and several steps look up every edge by its interval.
 */
export const firstInstant = (edges: readonly Edge[]): number => edges[0]?.t0 ?? 0
