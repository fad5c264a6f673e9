/** Spans by their place in the trace: parents, children and time of day, shared by the scorers that read traces. */
import { isNormalTime, type NormalTime } from '../records/normal-time.ts'
import type { Snapshot, Span } from '../records/snapshot.ts'

export interface SpanNode {
  readonly span: Span
  /** Null where the span is a root or its parent was not fetched. */
  parent: SpanNode | null
  children: number
  readonly is_normal: boolean
}

export interface SpanTree {
  /** Every span once. */
  readonly nodes: readonly SpanNode[]
  find(trace: string, span: string): SpanNode | undefined
}

/** Joins spans to their parents; one that names itself as its parent is a root, of two with one id the later counts. */
export function spanTree(snapshot: Snapshot, normal: NormalTime): SpanTree {
  // By trace, then by span: one joined key would have to be built again for every log line.
  const traces = new Map<string, Map<string, SpanNode>>()
  let trace = new Map<string, SpanNode>()
  let id: string | null = null
  for (const span of snapshot.spans) {
    // Tools give a trace's spans one after another, which saves most of the look-ups.
    if (span.trace_id !== id) {
      id = span.trace_id
      trace = traces.get(id) ?? new Map()
      traces.set(id, trace)
    }
    const node = { span, parent: null, children: 0, is_normal: isNormalTime(normal, span.start) }
    trace.set(span.span_id, node)
  }
  const nodes: SpanNode[] = []
  for (const trace of traces.values())
    for (const node of trace.values()) {
      nodes.push(node)
      if (node.span.parent_id === null) continue
      const parent = trace.get(node.span.parent_id)
      if (parent === undefined || parent === node) continue
      node.parent = parent
      parent.children++
    }
  return { nodes, find: (trace, span) => traces.get(trace)?.get(span) }
}
