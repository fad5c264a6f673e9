/** Counted calls by who calls whom: thousands of intervals are of a few dozen pairs. */
import type { Edge } from './snapshot.ts'

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

/** Whether it was counted how often one calls another, and is not only known that it does. */
export const isCounted = ({ edges }: Pair): boolean => edges.some(({ calls }) => calls !== undefined)

/** Id of the request that brought a pair, the least of several: whatever order they come in, the same stands for all. */
export function sourceOf({ edges }: Pair): string {
  let least = edges[0]?.source ?? ''
  // Nearly always it is the same again, which need not be put in an order.
  for (const { source } of edges) if (source !== least && source < least) least = source
  return least
}

/** What was grouped before of a list, as long as the list itself is kept. */
const calledBefore = new WeakMap<readonly Edge[], ReadonlyMap<string, readonly Pair[]>>()

/** The pairs by whom they call, grouped once for each list. */
export function pairsByCallee(edges: readonly Edge[]): ReadonlyMap<string, readonly Pair[]> {
  const before = calledBefore.get(edges)
  if (before !== undefined) return before
  const called = Map.groupBy(pairsOf(edges), ({ callee }) => callee)
  calledBefore.set(edges, called)
  return called
}

/** Nobody calls it. */
const NO_PAIRS: readonly Pair[] = []

/** All who call an entity, itself among them where its instances call each other. */
export const pairsTo = (edges: readonly Edge[], callee: string): readonly Pair[] =>
  pairsByCallee(edges).get(callee) ?? NO_PAIRS

const isOfOthers = ({ caller, callee }: Pair): boolean => caller !== callee

/** All others who call an entity; the same list again where it does not call itself. */
export function pairsOfOthersTo(edges: readonly Edge[], callee: string): readonly Pair[] {
  const pairs = pairsTo(edges, callee)
  return pairs.every(isOfOthers) ? pairs : pairs.filter(isOfOthers)
}
