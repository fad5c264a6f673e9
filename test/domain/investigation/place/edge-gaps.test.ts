import { describe, expect, it } from 'vitest'
import { spanTree } from '#shared/domain/investigation/deviations/span-tree.ts'
import { findEdgeGaps } from '#shared/domain/investigation/place/edge-gaps.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Span } from '#shared/domain/investigation/records/snapshot.ts'
import { at, EMPTY } from '../incident-scenarios.ts'

const normal: NormalTime = {
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  origin: 'declared',
  incident: { from: at(60), to: at(120) },
}
let traces = 0
/** A call of one service by another: the callee works 1 ms, the caller waits `gap` ms longer. */
function call(caller: string, callee: string, minute: number, gap: number, more: Partial<Span> = {}): Span[] {
  traces += 1
  const span = (id: string, parent_id: string | null, service: string, duration_us: number): Span => ({
    source: 'traces',
    trace_id: `t${traces}`,
    span_id: id,
    parent_id,
    service,
    name: id,
    start: at(minute),
    duration_us,
    status: 'OK',
    ...more,
  })
  return [span('caller', null, caller, 1_000 + gap * 1_000), span('callee', 'caller', callee, 1_000)]
}
const times = (count: number, make: () => Span[]) => Array.from({ length: count }, make).flat()
const gapsOf = (...spans: Span[]) => findEdgeGaps(spanTree({ ...EMPTY, spans }, normal))

describe('time lost between instances', () => {
  it('is what the caller waited less what the callee worked, beyond the usual of that edge', () => {
    const usual = times(3, () => call('front', 'shop', 10, 2))
    const slow = [...call('front', 'shop', 71, 12), ...call('front', 'shop', 70, 8)]
    const lost = { instance: null, excess_ms: 8, edges: 1, spans: 2, source: 'traces', from: at(70) }
    expect(gapsOf(...usual, ...slow)).toEqual([
      { ...lost, service: 'front' },
      { ...lost, service: 'shop' },
    ])
  })

  it('never makes up for the loss of one call by the haste of another', () => {
    const usual = times(3, () => call('front', 'shop', 10, 5))
    const found = gapsOf(...usual, ...call('front', 'shop', 70, 1), ...call('front', 'shop', 71, 9))
    expect(found[0]?.excess_ms).toBe(2)
  })

  it('names the instance whose edges all lose before its neighbours, each of which has one', () => {
    const edges = [
      ['a', 'slow'],
      ['slow', 'b'],
      ['a', 'b'],
    ] as const
    const spans = edges.flatMap(([caller, callee]) => [
      ...times(3, () => call(caller, callee, 10, 1)),
      ...times(4, () => call(caller, callee, 70, caller === 'slow' || callee === 'slow' ? 21 : 1)),
    ])
    expect(gapsOf(...spans).map(({ service, excess_ms, edges }) => [service, excess_ms, edges])).toEqual([
      ['slow', 20, 2],
      ['a', 10, 2],
      ['b', 10, 2],
    ])
  })

  it('weighs an edge by ten calls at most, and tells all of them', () => {
    const spans = [
      ...times(2, () => call('a', 'x', 10, 1)),
      ...times(2, () => call('x', 'b', 10, 1)),
      ...times(30, () => call('a', 'x', 70, 1)),
      ...times(10, () => call('x', 'b', 70, 21)),
    ]
    const x = gapsOf(...spans).find(({ service }) => service === 'x')
    expect(x).toMatchObject({ excess_ms: 10, spans: 40, edges: 2 })
  })

  it('takes the usual gap of all edges where one has fewer than two calls of its own', () => {
    const spans = [
      ...times(3, () => call('front', 'shop', 10, 4)),
      ...call('shop', 'new', 10, 100),
      ...times(2, () => call('shop', 'new', 70, 10)),
    ]
    expect(gapsOf(...spans).map(({ service, excess_ms }) => [service, excess_ms])).toEqual([
      ['new', 6],
      ['shop', 6],
    ])
    const known = [
      ...times(2, () => call('shop', 'new', 10, 10)),
      ...times(2, () => call('shop', 'new', 70, 10)),
    ]
    expect(gapsOf(...known)[0]?.excess_ms).toBe(0)
  })

  it('is judged by instance where spans name one', () => {
    const named = (instance: string) => ({ instance })
    const spans = [
      ...times(2, () => call('front', 'shop', 10, 1)),
      ...times(2, () => call('front', 'shop', 70, 5, named('one'))),
    ]
    expect(gapsOf(...spans)).toEqual([])
    const [caller, callee] = call('front', 'shop', 70, 5) as [Span, Span]
    const across = times(2, () => {
      traces += 1
      const trace_id = `t${traces}`
      return [
        { ...caller, trace_id, instance: 'front-1' },
        { ...callee, trace_id, instance: 'shop-7' },
      ]
    })
    expect(gapsOf(...spans, ...across).map(({ service, instance }) => [service, instance])).toEqual([
      ['front', 'front-1'],
      ['shop', 'shop-7'],
    ])
  })

  it('is not read from calls with siblings, within one place, or whose callee worked longer than its caller', () => {
    const usual = times(3, () => call('front', 'shop', 10, 1))
    const [caller, callee] = call('front', 'shop', 70, 50) as [Span, Span]
    const siblings = [caller, callee, { ...callee, span_id: 'second' }]
    const within = times(2, () => call('shop', 'shop', 70, 50))
    const longer = times(2, () => call('front', 'shop', 70, -0.5))
    expect(gapsOf(...usual, ...siblings, ...within, ...longer)).toEqual([])
    expect(gapsOf(...usual, ...times(2, () => call('front', 'shop', 70, 0)))).toHaveLength(2)
  })

  it('is unknown without spans of normal time, and of a single call', () => {
    expect(gapsOf(...times(3, () => call('front', 'shop', 70, 50)))).toEqual([])
    expect(gapsOf(...times(3, () => call('front', 'shop', 10, 1)), ...call('front', 'shop', 70, 50))).toEqual(
      [],
    )
  })

  it('is told of equals by edges, then by calls, then by name', () => {
    const pair = (caller: string, callee: string, count: number) => [
      ...times(2, () => call(caller, callee, 10, 1)),
      ...times(count, () => call(caller, callee, 70, 3)),
    ]
    const found = gapsOf(
      ...pair('d', 'c', 2),
      ...pair('f', 'e', 3),
      ...pair('b', 'h', 2),
      ...pair('h', 'a', 2),
    )
    expect(found.map(({ service }) => service).join('')).toBe('hefabcd')
  })
})
