/** Spans by their place in the trace: parents, children and time of day, shared by the scorers that read traces. */
import { isNormalTime, type NormalTime } from './normal-time.ts'
import type { Snapshot, Span } from './snapshot.ts'

export interface SpanNode {
  readonly span: Span
  /** Null where the span is a root or its parent was not fetched. */
  parent: SpanNode | null
  children: number
  readonly is_normal: boolean
}

export const spanKey = (trace: string, span: string): string => `${trace}\u0000${span}`

/** Every span once, in the order of the snapshot; a span that names itself as its parent is a root. */
export function spanTree(snapshot: Snapshot, normal: NormalTime): ReadonlyMap<string, SpanNode> {
  const nodes = new Map<string, SpanNode>()
  for (const span of snapshot.spans)
    nodes.set(spanKey(span.trace_id, span.span_id), {
      span,
      parent: null,
      children: 0,
      is_normal: isNormalTime(normal, span.start),
    })
  for (const node of nodes.values()) {
    if (node.span.parent_id === null) continue
    const parent = nodes.get(spanKey(node.span.trace_id, node.span.parent_id))
    if (parent === undefined || parent === node) continue
    node.parent = parent
    parent.children++
  }
  return nodes
}
