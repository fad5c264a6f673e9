/**
 * Time lost between two instances: the mark of a slow network.
 *
 * Method: for a span with a single child at another instance, the gap is what the caller waited less what the callee
 * worked. Only durations enter, so clocks may differ. The excess is the gap beyond the usual one of that edge; an
 * instance is judged by the mean over its edges, each weighted by at most so many spans, because a slow instance has
 * all its edges inflated and its neighbours one. Compare MicroRank's and TraceRCA's use of spans, which look at the
 * callee's duration only and so see no network.
 */
import type { SpanNode, SpanTree } from '../deviations/span-tree.ts'
import { median, round6 } from '../statistics.ts'

/** Spans by which an edge counts at most: one busy edge must not outvote the others. */
const MOST_SPANS = 10
/** Spans of normal time from which an edge has a usual gap of its own; else the median of all edges serves. */
const LEAST_NORMAL = 2
/** Spans of the incident that an instance must have in all. */
const LEAST_SPANS = 2

export interface EdgeGap {
  readonly service: string
  readonly instance: string | null
  /** Mean time lost per call beyond the usual, milliseconds. */
  readonly excess_ms: number
  readonly edges: number
  readonly spans: number
  /** Id of the request that brought the spans. */
  readonly source: string
  readonly from: number
}

/** The instances that lose time on their edges, most first; empty without spans of normal time. */
export function findEdgeGaps(tree: SpanTree): readonly EdgeGap[] {
  type Edge = { caller: SpanNode; callee: SpanNode; normal: number[]; during: number[]; from: number }
  const edges: Edge[] = []
  // By caller, then by callee: one joined key would have to be built again for every span.
  const byCaller = new Map<string, Map<string, Edge>>()
  const place = (node: SpanNode): string => node.span.instance ?? node.span.service
  for (const node of tree.nodes) {
    const { parent } = node
    if (parent === null || parent.children !== 1) continue
    const caller = place(parent)
    const callee = place(node)
    const gap = parent.span.duration_us - node.span.duration_us
    if (caller === callee || gap < 0) continue
    let byCallee = byCaller.get(caller)
    if (byCallee === undefined) {
      byCallee = new Map()
      byCaller.set(caller, byCallee)
    }
    let edge = byCallee.get(callee)
    if (edge === undefined) {
      edge = { caller: parent, callee: node, normal: [], during: [], from: Number.POSITIVE_INFINITY }
      byCallee.set(callee, edge)
      edges.push(edge)
    }
    if (node.is_normal) edge.normal.push(gap)
    else {
      edge.during.push(gap)
      edge.from = Math.min(edge.from, node.span.start)
    }
  }
  const usualOfAll = median(edges.flatMap((edge) => edge.normal))
  if (!Number.isFinite(usualOfAll)) return []
  type Sum = { node: SpanNode; weight: number; excess: number; edges: number; spans: number; from: number }
  const sums = new Map<string, Sum>()
  for (const edge of edges) {
    if (edge.during.length === 0) continue
    const usual = edge.normal.length >= LEAST_NORMAL ? median(edge.normal) : usualOfAll
    const excess = edge.during.reduce((sum, gap) => sum + Math.max(0, gap - usual), 0) / edge.during.length
    const weight = Math.min(MOST_SPANS, edge.during.length)
    for (const node of [edge.caller, edge.callee]) {
      const known = sums.get(place(node))
      if (known === undefined)
        sums.set(place(node), {
          node,
          weight,
          excess: weight * excess,
          edges: 1,
          spans: edge.during.length,
          from: edge.from,
        })
      else {
        known.weight += weight
        known.excess += weight * excess
        known.edges++
        known.spans += edge.during.length
        known.from = Math.min(known.from, edge.from)
      }
    }
  }
  return [...sums.values()]
    .filter((sum) => sum.weight >= LEAST_SPANS)
    .map((sum) => ({
      service: sum.node.span.service,
      instance: sum.node.span.instance ?? null,
      excess_ms: sum.excess / sum.weight / 1000,
      edges: sum.edges,
      spans: sum.spans,
      source: sum.node.span.source,
      from: sum.from,
    }))
    .sort(
      (a, b) =>
        round6(b.excess_ms) - round6(a.excess_ms) ||
        b.edges - a.edges ||
        b.spans - a.spans ||
        (a.service < b.service ? -1 : a.service > b.service ? 1 : 0),
    )
}
