import { describe, expect, it } from 'vitest'
import { spanTree } from '#shared/domain/investigation/deviations/span-tree.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const span = (trace: string, id: string, parent: string | null, minute = 5): Span => ({
  source: 'traces',
  trace_id: trace,
  span_id: id,
  parent_id: parent,
  service: id,
  name: id,
  start: at(minute),
  duration_us: 1,
  status: 'OK',
})
const normal: NormalTime = {
  baselines: [{ name: 'b1', from: at(0), to: at(10) }],
  origin: 'declared',
  incident: { from: at(10), to: at(20) },
}
const treeOf = (...spans: Span[]) => spanTree({ ...EMPTY, spans }, normal)
const nodeOf = (tree: ReturnType<typeof treeOf>, trace: string, id: string) => tree.find(trace, id)

describe('the tree of spans', () => {
  it('knows parent and children, in whichever order the spans come', () => {
    const tree = treeOf(span('t', 'leaf', 'root'), span('t', 'root', null), span('t', 'other', 'root'))
    expect(nodeOf(tree, 't', 'leaf')?.parent).toBe(nodeOf(tree, 't', 'root'))
    expect(nodeOf(tree, 't', 'root')).toMatchObject({ parent: null, children: 2 })
    expect(nodeOf(tree, 't', 'leaf')?.children).toBe(0)
    expect(tree.nodes.map((node) => node.span.span_id)).toEqual(['leaf', 'root', 'other'])
  })

  it('keeps traces apart: the same id in another trace is another span', () => {
    const tree = treeOf(span('t1', 'root', null), span('t2', 'leaf', 'root'))
    expect(nodeOf(tree, 't2', 'leaf')?.parent).toBeNull()
    expect(nodeOf(tree, 't1', 'root')?.children).toBe(0)
    expect(treeOf(span('a', 'bc', null)).find('ab', 'c')).toBeUndefined()
  })

  it('joins spans of a trace that others come between', () => {
    const tree = treeOf(span('t1', 'root', null), span('t2', 'root', null), span('t1', 'leaf', 'root'))
    expect(nodeOf(tree, 't1', 'leaf')?.parent).toBe(nodeOf(tree, 't1', 'root'))
    expect(nodeOf(tree, 't2', 'root')?.children).toBe(0)
  })

  it('takes a span whose parent was not fetched, or is itself, for a root', () => {
    const tree = treeOf(span('t', 'orphan', 'gone'), span('t', 'loop', 'loop'))
    expect(nodeOf(tree, 't', 'orphan')?.parent).toBeNull()
    expect(nodeOf(tree, 't', 'loop')).toMatchObject({ parent: null, children: 0 })
  })

  it('says of each span whether it began in normal time', () => {
    const tree = treeOf(span('t', 'first', null, 0), span('t', 'last', null, 9), span('t', 'after', null, 10))
    expect(tree.nodes.map((node) => node.is_normal)).toEqual([true, true, false])
  })
})
