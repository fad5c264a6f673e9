import { describe, expect, it } from 'vitest'
import { RUNTIME_PAGES } from '#shared/domain/investigation/answer-pages.ts'
import { OUT_OF_MEMORY } from '#shared/domain/investigation/filled-memory.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { KubernetesRecord, Series, Snapshot } from '#shared/domain/investigation/snapshot.ts'
import {
  alert,
  at,
  calls,
  commit,
  deploy,
  EMPTY,
  lines,
  ONSET,
  series,
  wobble,
} from './incident-scenarios.ts'

/** What each runtime writes, and what sounds alike and says something else. */
const SAID: Readonly<Record<string, readonly [says: readonly string[], others: readonly string[]]>> = {
  v8: [
    [
      '[7:0x1] 812345 ms: Mark-Compact 1021.3 (1050.2) -> 1019.8 (1050.2) MB, 1820 ms, last resort',
      'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed',
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    ],
    ['Mark-Compact (reduce) 21.3 (50.2) -> 19.8 (50.2) MB, 12 ms', 'as a last resort the cache is asked'],
  ],
  jvm: [
    [
      'java.lang.OutOfMemoryError: Java heap space',
      'java.lang.OutOfMemoryError: GC overhead limit exceeded',
      'java.lang.OutOfMemoryError: Metaspace',
      'java.lang.OutOfMemoryError: Direct buffer memory',
      'GC(112) To-space exhausted',
    ],
    ['java.lang.OutOfMemoryError: unable to create native thread', 'Pause Young (Normal)'],
  ],
  dotnet: [['Unhandled exception. System.OutOfMemoryException: Array'], ['System.TimeoutException']],
  go: [
    ['fatal error: runtime: out of memory', 'runtime: cannot allocate memory'],
    ['runtime: goroutine stack exceeds'],
  ],
  python: [['MemoryError', 'numpy.core.MemoryError: Unable to allocate'], ['MyMemoryErrors']],
  ruby: [['NoMemoryError (failed to allocate memory)'], ['NoMethodError']],
  cpp: [["terminate called after throwing an instance of 'std::bad_alloc'"], ['std::bad_cast']],
  php: [
    ['PHP Fatal error: Allowed memory size of 134217728 bytes exhausted'],
    ['Allowed memory size is set'],
  ],
}

const killed = (name: string, minute: number): KubernetesRecord => ({
  ...{ source: 'k8s', timestamp: at(minute), kind: 'Pod', name, reason: 'OOMKilling' },
  message: 'Memory cgroup out of memory: Killed process 4211 (node)',
})
/** A memory that follows the given levels. */
const memory = (levelAt: (minute: number) => number, name = 'container_memory_usage_mb'): Series => {
  const flat = series('albums', name, 0, 0)
  return { ...flat, values: flat.values.map((_, minute) => levelAt(minute) + 2 * wobble(minute)) }
}
const even = (minute: number): number => (minute < ONSET + 8 ? 800 + 3 * minute : 300)
const collects = lines(
  'albums',
  'WARN',
  'Mark-Compact 1021.3 (1050.2) -> 1019.8 (1050.2) MB, 1820 ms, last resort',
  ONSET,
)

/** A service that becomes slow, whose pods die some minutes later. */
const find = (more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('web', 'http_p95_ms')],
    edges: calls('web', 'albums', 0.2),
    changes: [
      commit('aa11', 20, 'Say how to run the tests', ['web/README.md'], null),
      deploy('d1', 30, 'web', 'v2', ['aa11']),
    ],
    ...more,
    series: [
      series('web', 'http_p95_ms', 80, 900),
      series('albums', 'http_p95_ms', 40, 800),
      series('albums', 'http_5xx_ratio', 0.003, 0.2),
      ...(more.series ?? []),
    ],
  })

describe('a memory that came to its end', () => {
  it.each(Object.entries(SAID))('is told by %s in its own words', (id, [says, others]) => {
    const word = OUT_OF_MEMORY.find((one) => one.id === id)
    for (const text of says) expect(text).toMatch(word?.pattern as RegExp)
    for (const text of others) expect(text).not.toMatch(word?.pattern as RegExp)
    expect(RUNTIME_PAGES[id]).toMatch(/^https:\/\/\S+$/)
    expect(Object.keys(SAID)).toHaveLength(OUT_OF_MEMORY.length)
  })

  it('filled by itself where it grew evenly for as long as it was measured: a whole answer', () => {
    const k8s = [killed('albums-0', ONSET + 8), killed('albums-1', ONSET + 14)]
    const found = find({ k8s, series: [memory(even)] })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'albums', change: null })
    expect(found.hypotheses[0]?.statement).toContain('filled by itself')
    expect(found.confidence).toBeGreaterThan(0.6)
    const told = find({ logs: collects, series: [memory(even, 'heap_used_mb')] })
    expect(told.cause).toMatchObject({ kind: 'capacity', entity: 'albums' })
    expect(told.confidence).toBeGreaterThan(0.6)
  })

  it('filled by itself, too, where it is started anew after that and no platform says why', () => {
    const restarts = series('albums', 'container_restarts', 0, 3, ONSET + 8)
    const found = find({ series: [memory(even), restarts] })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'albums', change: null })
    expect(found.hypotheses[0]?.statement).toContain('filled by itself')
    expect(found.confidence).toBeLessThan(0.5)
    expect(find({ series: [restarts], logs: collects }).hypotheses[0]?.statement).not.toContain('memory')
  })

  it('did not come to its end where its share of the whole grew and there is room', () => {
    const share = (levelAt: (minute: number) => number): Series => ({
      ...memory((minute) => 1_000 * levelAt(minute), 'heap_used_ratio'),
      unit: '1',
    })
    const scaled = (one: Series): Series => ({ ...one, values: one.values.map((value) => value / 1_000) })
    const k8s = [killed('albums-0', ONSET + 8)]
    const isNamed = (one: Series): boolean =>
      find({ k8s, series: [one] }).hypotheses.some(({ statement }) => /filled by itself/.test(statement))
    expect(isNamed(scaled(share((minute) => 0.86 + 0.0012 * minute)))).toBe(true)
    expect(isNamed(scaled(share((minute) => 0.5 + 0.0012 * minute)))).toBe(false)
  })

  it('is no less sure where somebody else is in trouble of its own', () => {
    const other = series('wiki-outbox', 'queue_oldest_message_age_seconds', 2, 70)
    const signs = { logs: collects, k8s: [killed('albums-0', ONSET + 8)], changes: [] }
    expect(find({ ...signs, series: [other] }).confidence).toBeGreaterThan(0.4)
  })

  it('is half of an answer where it is told and nothing says that it filled by itself', () => {
    const found = find({ logs: collects, k8s: [killed('albums-0', ONSET + 8)] })
    expect(found.cause).toMatchObject({ kind: 'capacity', entity: 'albums', change: null })
    expect(found.hypotheses[0]?.statement).toContain('memory that is used up')
    expect(found.confidence).toBeLessThan(0.5)
    const full = find({
      logs: collects,
      series: [{ ...series('albums', 'memory_used_ratio', 0.4, 0.97), unit: '1' }],
    })
    expect(full.hypotheses.map(({ statement }) => statement).join()).toContain('memory that is used up')
  })

  it('is none that one sign tells: kills and growth come with too much work as well', () => {
    for (const more of [
      { series: [memory(even)] },
      { logs: collects },
      { k8s: [killed('albums-0', ONSET + 8)] },
      { logs: collects.slice(0, 4), k8s: [killed('albums-0', ONSET + 8)] },
      { series: [memory(even)], k8s: [killed('videos-0', ONSET + 8)] },
      { series: [memory(even)], k8s: [killed('albums-0', ONSET - 16)] },
      { series: [memory(even, 'container_cpu_usage_cores')], k8s: [killed('albums-0', ONSET + 8)] },
    ])
      expect(
        find(more)
          .hypotheses.map(({ statement }) => statement)
          .join(),
      ).not.toMatch(/memory that (filled|is used up)/)
  })

  it('filled by no means by itself where it began to grow in the middle of what was measured', () => {
    const later = (minute: number): number => 800 + 6 * Math.max(0, minute - 45)
    const found = find({ series: [memory(later)], logs: collects, k8s: [killed('albums-0', ONSET + 8)] })
    expect(found.hypotheses.map(({ statement }) => statement).join()).not.toContain('filled by itself')
  })

  it('keeps a pod that dies of it from being called an instance that restarts', () => {
    const restarts = series('albums', 'container_restarts', 0, 9)
    expect(find({ series: [restarts] }).cause.kind).toBe('infra')
    expect(
      find({ series: [restarts], logs: collects, k8s: [killed('albums-0', ONSET + 12)] }).cause.kind,
    ).toBe('capacity')
  })
})
