import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spanTree } from '#shared/domain/investigation/deviations/span-tree.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { attributeFlow, callGraph } from '#shared/domain/investigation/place/call-graph.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import type { Edge, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, EMPTY, LENGTH, MINUTE, ONSET, series } from '../incident-scenarios.ts'

/** Counted calls of one pair, a record a minute. */
function calls(caller: string, callee: string, failed: (minute: number) => number, wait = 10): Edge[] {
  return Array.from({ length: LENGTH }, (_, minute) => ({
    source: 'edges',
    caller,
    callee,
    t0: at(minute),
    interval_s: 60,
    calls: 100,
    failed: failed(minute),
    latency_sum_ms: 100 * wait * (minute >= ONSET && callee === 'store' ? 30 : 1),
    latency_count: 100,
  }))
}
const span = (
  id: string,
  parent: string | null,
  service: string,
  status = 'OK',
  minute = ONSET + 1,
): Span => ({
  source: 'traces',
  trace_id: 't1',
  span_id: id,
  parent_id: parent,
  service,
  name: `GET /${service}`,
  start: at(minute),
  duration_us: 1_000,
  status,
})
const later = (number: number) => (minute: number) => (minute >= ONSET ? number : 0)

const chain: Snapshot = {
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(ONSET - 10) }],
  alerts: [alert('front', 'http_5xx_ratio')],
  edges: [
    ...calls('client', 'front', later(42)),
    ...calls('front', 'middle', later(40)),
    ...calls('middle', 'store', later(40)),
    ...calls('middle', 'quiet', () => 0),
  ],
}

describe('who calls whom', () => {
  it('comes from counted edges and from spans', () => {
    const spans = [span('1', null, 'b'), span('2', '1', 'c'), span('3', '2', 'c')]
    const graph = callGraph(
      calls('a', 'b', () => 0),
      spanTree({ ...EMPTY, spans }, normalTime(EMPTY)),
      [],
    )
    expect([...graph.reachableFrom('a')].sort()).toEqual(['b', 'c'])
    expect([...graph.reachableFrom('c')]).toEqual([])
    expect([...graph.reachableFrom('a')].sort()).toEqual(['b', 'c'])
  })

  it('comes from spans whose parent is told under another trace, and from no parent that nobody told', () => {
    const spans = [
      span('1', null, 'a'),
      { ...span('2', '1', 'b'), trace_id: 't2' },
      { ...span('3', 'gone', 'c'), trace_id: 't2' },
    ]
    const graph = callGraph([], spanTree({ ...EMPTY, spans }, normalTime(EMPTY)), [])
    expect([...graph.callees].map(([caller, callees]) => [caller, ...callees])).toEqual([['a', 'b']])
  })

  it('is guessed from blame only where blame is not mutual and no counted call runs the other way', () => {
    const mentions = [
      { from: 'a', to: 'b', count: 5 },
      { from: 'b', to: 'a', count: 2 },
      { from: 'c', to: 'd', count: 3 },
    ]
    const tree = spanTree(EMPTY, normalTime(EMPTY))
    const graph = callGraph(
      calls('d', 'c', () => 0),
      tree,
      mentions,
    )
    expect(graph.callees.get('a')?.has('b')).toBe(true)
    expect(graph.callees.get('b')).toBeUndefined()
    expect(graph.callees.get('c')).toBeUndefined()
    expect(graph.blames('a', 'b')).toBe(true)
    expect(graph.blames('b', 'a')).toBe(false)
  })
})

describe('the graph of who calls whom', () => {
  const none = spanTree(EMPTY, normalTime(EMPTY))
  const told = (graph: ReturnType<typeof callGraph>) =>
    [...graph.callees].map(([caller, callees]) => [caller, ...callees])
  const pair = (caller: string, callee: string): Edge => calls(caller, callee, () => 0)[0] as Edge

  it('holds every callee of a caller once, and nobody as its own', () => {
    const edges = [pair('a', 'b'), pair('a', 'c'), pair('a', 'b'), pair('b', 'b')]
    expect(told(callGraph(edges, none, []))).toEqual([['a', 'b', 'c']])
  })

  it('reaches round a circle, and gives the same set again', () => {
    const graph = callGraph([pair('a', 'b'), pair('b', 'a'), pair('b', 'c')], none, [])
    expect([...graph.reachableFrom('a')].toSorted()).toEqual(['a', 'b', 'c'])
    expect(graph.reachableFrom('a')).toBe(graph.reachableFrom('a'))
  })

  it('is not guessed between two whose calls are counted: one between them would have been counted as well', () => {
    const mentions = [
      { from: 'b', to: 'c', count: 9 },
      { from: 'b', to: 'vault', count: 1 },
    ]
    const graph = callGraph([pair('a', 'b'), pair('a', 'c')], none, mentions)
    expect(told(graph)).toEqual([
      ['a', 'b', 'c'],
      ['b', 'vault'],
    ])
    expect(graph.blames('b', 'c')).toBe(true)
  })

  it('is guessed from who is named more often, and from nobody where both name each other as often', () => {
    const mention = (from: string, to: string, count: number) => ({ from, to, count })
    const mutual = callGraph([], none, [mention('a', 'b', 2), mention('b', 'a', 2)])
    expect(told(mutual)).toEqual([])
    expect([mutual.blames('a', 'b'), mutual.blames('b', 'a'), mutual.blames('a', 'z')]).toEqual([
      ...[false, false, false],
    ])
    const summed = callGraph([], none, [mention('a', 'b', 2), mention('b', 'a', 3), mention('a', 'b', 2)])
    expect(told(summed)).toEqual([['a', 'b']])
    expect(summed.blames('a', 'b')).toBe(true)
    expect(told(callGraph([pair('a', 'b')], none, [mention('a', 'b', 2)]))).toEqual([['a', 'b']])
    expect(told(callGraph([pair('b', 'a')], none, [mention('a', 'b', 2)]))).toEqual([['b', 'a']])
  })

  it('takes a span of another trace for a parent only where its own trace has none', () => {
    const spans = [
      { ...span('1', null, 'x'), trace_id: 't2' },
      { ...span('2', '1', 'b'), trace_id: 't2' },
      span('1', null, 'a'),
    ]
    expect(told(callGraph([], spanTree({ ...EMPTY, spans }, normalTime(EMPTY)), []))).toEqual([['x', 'b']])
  })
})

describe('attributing failures and waiting', () => {
  const normal = normalTime(chain)

  it('adds up what all callers of one count, and cites the first of their requests', () => {
    const edges = [
      ...calls('x', 'store', later(10)).map((edge) => ({ ...edge, source: 'edges-2' })),
      ...calls('y', 'store', later(20)).map((edge) => ({ ...edge, source: 'edges-1' })),
      ...calls('z', 'store', later(0)).map((edge) => ({ ...edge, source: 'edges-3' })),
    ]
    for (const list of [edges, edges.toReversed()])
      expect(attributeFlow({ ...chain, edges: list }, normal, at(ONSET))).toMatchObject([
        {
          entity: 'store',
          excess_failed: 900,
          own_failed: 900,
          calls: 9_000,
          failed: 900,
          source: 'edges-1',
        },
      ])
    const [flow] = attributeFlow({ ...chain, edges }, normal, at(ONSET))
    expect(flow?.excess_wait_ms).toBe(3 * 100 * 10 * 29 * 30)
  })

  it('leaves with the callers what only they count as failed, of who answers as ever', () => {
    const flows = attributeFlow(chain, normal, at(ONSET), (entity) => entity === 'store')
    const of = (name: string) => flows.find(({ entity }) => entity === name)
    expect(of('store')).toMatchObject({ excess_failed: 1_200, given_up: 1_200, own_failed: 0 })
    expect(of('middle')).toMatchObject({ excess_failed: 1_200, given_up: 0, own_failed: 1_200 })
    const two = [...chain.edges, ...calls('other', 'store', later(10))]
    const both = attributeFlow({ ...chain, edges: two }, normal, at(ONSET), (entity) => entity === 'store')
    expect(both.find(({ entity }) => entity === 'store')?.given_up).toBe(1_500)
  })

  it('attributes from thirty calls on', () => {
    const few = (number: number) =>
      attributeFlow(
        { ...chain, edges: calls('a', 'b', later(1)).map((edge) => ({ ...edge, calls: number / 30 })) },
        normal,
        at(ONSET),
      ).length
    expect(few(30)).toBe(1)
    expect(few(29)).toBe(0)
  })

  it('measures against the middle of normal time, in which a minute without calls says nothing', () => {
    const odd = (minute: number) => (minute >= ONSET ? 40 : minute === 0 ? 90 : 10)
    const edges = calls('front', 'middle', odd)
    expect(attributeFlow({ ...chain, edges }, normal, at(ONSET))).toMatchObject([{ excess_failed: 900 }])
    const idle = edges.map((edge, minute) =>
      minute < ONSET && minute % 3 > 0 ? { ...edge, calls: 0, failed: 5 } : edge,
    )
    expect(attributeFlow({ ...chain, edges: idle }, normal, at(ONSET))).toMatchObject([
      { excess_failed: 900 },
    ])
  })

  it('sees no waiting beyond normal where nothing tells what is normal', () => {
    const edges = calls('front', 'store', later(0)).filter(({ t0 }) => t0 >= at(ONSET))
    expect(attributeFlow({ ...chain, edges }, normal, at(ONSET))).toMatchObject([{ excess_wait_ms: 0 }])
  })

  it('conserves them: what a caller hands on is not its own', () => {
    const flows = new Map(attributeFlow(chain, normal, at(ONSET)).map((flow) => [flow.entity, flow]))
    expect(flows.get('store')).toMatchObject({
      excess_failed: 40 * 30,
      own_failed: 40 * 30,
      calls: 3_000,
      failed: 1_200,
    })
    expect(flows.get('middle')).toMatchObject({ excess_failed: 40 * 30, own_failed: 0 })
    expect(flows.get('front')).toMatchObject({ excess_failed: 42 * 30, own_failed: 2 * 30 })
    expect(flows.get('store')?.own_wait_ms).toBe(100 * 10 * 29 * 30)
  })

  it('counts no entity with too few calls, and gives nothing without edges', () => {
    const few = {
      ...chain,
      edges: calls('a', 'b', later(1)).map((edge) => ({ ...edge, calls: 0.5, failed: 0 })),
    }
    expect(attributeFlow(few, normal, at(ONSET))).toEqual([])
    expect(attributeFlow(EMPTY, normal, at(ONSET))).toEqual([])
  })

  it('measures waiting against what calls usually take, whatever is not told of some of them', () => {
    const told = calls('front', 'middle', () => 0)
    const usual = attributeFlow({ ...chain, edges: told }, normal, at(ONSET))
    expect(usual).toMatchObject([{ entity: 'middle', excess_wait_ms: 0, calls: 3_000, excess_failed: 0 }])
    // Calls whose latency nobody measured take part in no mean.
    const partly = told.map((edge, index) =>
      edge.t0 < at(ONSET) && index % 2 === 0 ? { ...edge, latency_sum_ms: 0, latency_count: 0 } : edge,
    )
    expect(attributeFlow({ ...chain, edges: partly }, normal, at(ONSET))).toEqual(usual)
    const untold = told.map(({ latency_sum_ms: _, latency_count: __, failed: ___, ...edge }) => edge)
    expect(attributeFlow({ ...chain, edges: untold }, normal, at(ONSET))).toMatchObject([
      { entity: 'middle', excess_wait_ms: 0, own_wait_ms: 0, excess_failed: 0, calls: 3_000 },
    ])
  })

  it('counts no call before the onset or after the window, and none whose number nobody knows', () => {
    const edges = calls('front', 'middle', later(40))
    const outside = { ...(edges[0] as Edge), failed: 100 }
    const more = [at(ONSET) - 1, at(LENGTH)].map((t0) => ({ ...outside, t0 }))
    const { calls: _, ...unknown } = { ...outside, t0: at(ONSET + 1) }
    const expected = attributeFlow({ ...chain, edges }, normal, at(ONSET))
    expect(attributeFlow({ ...chain, edges: [...edges, ...more, unknown] }, normal, at(ONSET))).toEqual(
      expected,
    )
    expect(expected).toMatchObject([{ excess_failed: 40 * 30 }])
  })

  it('takes off what usually fails, and cites the first of the requests that told', () => {
    const edges = calls('front', 'middle', (minute) => (minute >= ONSET ? 40 : 10)).map((edge, index) => ({
      ...edge,
      source: index % 2 === 0 ? 'traces' : 'edges',
    }))
    expect(attributeFlow({ ...chain, edges }, normal, at(ONSET))).toMatchObject([
      { excess_failed: 30 * 30, failed: 40 * 30, source: 'edges' },
    ])
    expect(attributeFlow({ ...chain, edges: edges.toReversed() }, normal, at(ONSET))[0]?.source).toBe('edges')
  })

  it('never owns more than the excess', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 }), ([a, b, c]) => {
        const edges = [
          ...calls('x', 'front', later(a as number)),
          ...calls('front', 'middle', later(b as number)),
          ...calls('middle', 'store', later(c as number)),
        ]
        for (const flow of attributeFlow({ ...chain, edges }, normal, at(ONSET))) {
          expect(flow.own_failed).toBeLessThanOrEqual(flow.excess_failed)
          expect(flow.own_failed).toBeGreaterThanOrEqual(0)
          expect(flow.own_wait_ms).toBeLessThanOrEqual(flow.excess_wait_ms)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('leads to the service in which failures arise, with counts as impact and evidence', () => {
    const findings = investigate({
      ...chain,
      series: [series('front', 'http_5xx_ratio', 0, 0.42), series('store', 'http_5xx_ratio', 0, 0.4)],
    })
    expect(findings.first_failing_service).toBe('store')
    expect(findings.cause).toMatchObject({ level: 'service', entity: 'store' })
    expect(findings.blast_radius).toContain('front')
    expect(findings.impact).toMatchObject({ failed: 1_260, total: 3_000, ratio: 0.42 })
    expect(findings.evidence.map((item) => item.content).join('\n')).toContain('Of 3000 calls to store')
    expect(findings.gaps.map((gap) => gap.what)).not.toContain('baseline')
  })
})

describe('failing spans', () => {
  it('count where a trace’s failure began, not where it was handed on', () => {
    const findings = investigate({
      ...EMPTY,
      baselines: [{ name: 'b1', from: at(0), to: at(ONSET - 10) }],
      alerts: [alert('front', 'errors')],
      spans: [
        span('1', null, 'front', 'ERROR'),
        span('2', '1', 'store', 'error'),
        span('3', '1', 'quiet'),
        span('9', null, 'other', 'ERROR', 5),
        span('4', null, 'front', 'ERROR', ONSET + 2),
        span('5', '4', 'store', 'ERROR', ONSET + 2),
      ],
    })
    expect(findings.first_failing_service).toBe('store')
    expect(findings.evidence.map((item) => item.content)).toContain(
      'Span “GET /store” of store failed at 2026-03-02 09:31:00 UTC with no failed child.',
    )
    expect(findings.onset?.at).toBe(new Date(at(ONSET + 1)).toISOString())
    expect(MINUTE).toBe(60_000)
  })
})
