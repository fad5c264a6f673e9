import { describe, expect, it } from 'vitest'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot, Span } from '#shared/domain/investigation/records/snapshot.ts'
import {
  alert,
  at,
  commit,
  deploy,
  EMPTY,
  LENGTH,
  lines,
  MINUTE,
  ONSET,
  series,
} from './incident-scenarios.ts'

const NOTHING: Snapshot = { ...EMPTY, sources: [] }
const failing = series('shop', 'http_errors_ratio', 0.002, 0.4)
const withValues = (of: (value: number, index: number) => number): Series => ({
  ...failing,
  values: failing.values.map(of),
})
const span = (id: string, parent: string | null, start: number, duration: number, name = 'GET'): Span => ({
  source: 'traces',
  trace_id: 't1',
  span_id: id,
  parent_id: parent,
  service: `s${id}`,
  name,
  start,
  duration_us: duration,
  status: 'error',
})
const longLine = 'x'.repeat(10_000_000)
const longDiff = `@@ shop.go @@\n${'-  limit: 10\n+  limit: 20\n'.repeat(200_000)}`

/** What comes in, and the kinds of input that must be reported as missing for it. */
const INPUTS: readonly (readonly [name: string, snapshot: Snapshot, missing: readonly string[]])[] = [
  ['nothing at all', NOTHING, ['metrics', 'logs', 'traces', 'changes', 'baseline']],
  [
    'a series that was never measured',
    { ...EMPTY, alerts: [alert('shop', 'http_errors_ratio')], series: [withValues(() => Number.NaN)] },
    ['logs', 'traces', 'changes'],
  ],
  [
    'infinite values among measured ones',
    {
      ...EMPTY,
      alerts: [alert('shop', 'http_errors_ratio')],
      series: [withValues((value, index) => (index % 7 === 0 ? Number.POSITIVE_INFINITY : value))],
    },
    ['logs', 'changes'],
  ],
  [
    'a series of one point',
    {
      ...EMPTY,
      series: [{ ...failing, times: Float64Array.of(at(ONSET)), values: Float64Array.of(1) }],
    },
    ['logs', 'traces', 'changes'],
  ],
  [
    'a clock that jumps back and forth',
    {
      ...EMPTY,
      alerts: [alert('shop', 'http_errors_ratio')],
      series: [{ ...failing, times: failing.times.map((time, index) => time + (index % 5) * 40 * MINUTE) }],
      logs: lines('shop', 'ERROR', 'write failed', ONSET).map((line, index) => ({
        ...line,
        timestamp: line.timestamp + (index % 2 === 0 ? -1 : 1) * 864e5,
      })),
    },
    ['traces', 'changes'],
  ],
  [
    'a counter that resets at every third sample',
    {
      ...EMPTY,
      series: [{ ...withValues((_, index) => (index % 3) * 100), type: 'counter', name: 'errors_total' }],
    },
    ['logs', 'changes'],
  ],
  [
    'spans that last less than nothing',
    { ...EMPTY, spans: [span('1', null, at(ONSET), -5e6), span('2', '1', at(ONSET), Number.NaN)] },
    ['metrics', 'logs', 'changes'],
  ],
  [
    'spans that are their own ancestors',
    {
      ...EMPTY,
      spans: [
        span('1', '2', at(ONSET), 10),
        span('2', '3', at(ONSET), 10),
        span('3', '1', at(ONSET), 10),
        span('4', '4', at(ONSET), 10),
      ],
      logs: lines('s1', 'ERROR', 'boom', ONSET).map((line) => ({ ...line, trace_id: 't1', span_id: '1' })),
    },
    ['metrics', 'changes'],
  ],
  [
    'calls in a circle',
    {
      ...EMPTY,
      alerts: [alert('a', 'availability')],
      edges: [
        { source: 'edges', caller: 'a', callee: 'b', t0: at(ONSET), interval_s: 60 },
        { source: 'edges', caller: 'b', callee: 'a', t0: at(ONSET), interval_s: 60, calls: 0, failed: 9 },
        { source: 'edges', caller: 'a', callee: 'a', t0: at(ONSET), interval_s: 0, calls: -1 },
      ],
      series: [
        series('a', 'availability', 100, 40),
        series('a', 'requests', 100, 100),
        series('b', 'availability', 100, 40),
        series('b', 'requests', 100, 100),
      ],
    },
    ['logs', 'changes'],
  ],
  [
    'a log line of 10 MB',
    {
      ...EMPTY,
      logs: [...lines('shop', 'ERROR', 'boom', ONSET), ...lines('shop', 'ERROR', longLine, ONSET, ONSET + 1)],
    },
    ['metrics', 'changes'],
  ],
  [
    'the same commit many times, with a diff of 5 MB',
    {
      ...EMPTY,
      alerts: [alert('shop', 'http_errors_ratio')],
      series: [failing],
      changes: [
        ...Array.from({ length: 3 }, () => commit('c'.repeat(40), 80, 'tune', ['shop/shop.go'], longDiff)),
        deploy('d', 85, 'shop', 'v2', ['c'.repeat(40), 'c'.repeat(40), 'd']),
      ],
    },
    ['logs', 'traces'],
  ],
  [
    'a window that ends before it begins',
    { ...EMPTY, window: { from: at(LENGTH), to: at(0) }, series: [failing] },
    ['logs', 'changes'],
  ],
]

describe('hostile input', () => {
  it.each(INPUTS)(
    '%s: never throws, states a probability and says what is missing',
    (_, snapshot, missing) => {
      const findings = investigate(snapshot)
      expect(findings.confidence).toBeGreaterThanOrEqual(0)
      expect(findings.confidence).toBeLessThanOrEqual(0.95)
      expect(findings.gaps.map(({ what }) => what)).toEqual(expect.arrayContaining([...missing]))
      expect(JSON.stringify(findings).length).toBeLessThan(100_000)
      expect(findings.summary).not.toMatch(/NaN|Infinity|undefined/)
      for (const { content } of findings.evidence) expect(content).not.toMatch(/NaN|Infinity|undefined/)
    },
  )
})
