import { describe, expect, it } from 'vitest'
import { RUNTIME_PAGES } from '#shared/domain/investigation/causes/answer-pages.ts'
import { filledMemory, OUT_OF_MEMORY } from '#shared/domain/investigation/causes/filled-memory.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Line, Scene } from '#shared/domain/investigation/place/told-lines.ts'
import { entityNames } from '#shared/domain/investigation/records/entity-names.ts'
import type { KubernetesRecord, Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
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
} from '../incident-scenarios.ts'
import { BARE, graphOf, place, risen } from '../scene-by-hand.ts'

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

const line = (text: string, more: Partial<Line> = {}): Line => ({
  ...{ text, entity: 'albums', count: 5, at: at(ONSET), source: 'logs', origin: 'log', failing: true },
  ...more,
})
const SAYS = line('MemoryError')
const KILLS = line('OOMKilled', { origin: 'kubernetes', entity: 'albums-0', count: 1, source: 'k8s' })
const FULL_AT_LAST = risen('albums', 'memory_used_ratio', { extreme: 0.99 }, { unit: '1' })

/** What is told of albums, which fails first, of just these lines and series. */
const told = ({
  lines: said = [],
  grown = [],
  shifts = [],
  observed = {},
  onset = at(ONSET),
}: {
  lines?: readonly Line[]
  grown?: readonly Series[]
  shifts?: readonly SeriesShift[]
  observed?: Partial<Scene['observed']>
  onset?: number | null
}) => {
  const snapshot: Snapshot = { ...EMPTY, series: grown }
  return filledMemory({
    ...{ snapshot, symptoms: [], names: entityNames(snapshot), lines: said, onset },
    observed: { ...BARE, first: place('albums', { shifts }), shifts, ...observed },
  })
}
const signsOf = (given: Parameters<typeof told>[0]) =>
  told(given)?.signs.map(({ strength, fact }) => [
    strength,
    fact.of === 'shift' ? fact.shift.series.name : fact.of,
  ])

describe('the signs of a memory that came to its end', () => {
  it('are what its runtime says and what its platform killed: a memory that is used up', () => {
    const used = told({ lines: [SAYS, SAYS, KILLS, KILLS] })
    expect(used).toMatchObject({ kind: 'capacity', entity: 'albums', action: 'scale', is_placed: true })
    expect(used).toMatchObject({ what: 'a memory that is used up', yields_to_changes: true, score: 0.7525 })
    expect(used).not.toHaveProperty('is_whole')
    expect(used?.signs.map(({ strength }) => strength)).toEqual([0.55, 0.45])
    expect(signsOf({ lines: [SAYS], shifts: [FULL_AT_LAST] })).toEqual([
      ...[
        [0.55, 'text'],
        [0.4, 'memory_used_ratio'],
      ],
    ])
  })

  it('are collections of the whole heap that free next to nothing, as Java logs them', () => {
    const pause = (text: string) =>
      told({ lines: [line(`GC(7) Pause Full (G1 Compaction Pause) ${text} 3100.5ms`), KILLS] }) !== null
    expect(pause('4080M->4074M(4096M)')).toBe(true)
    expect(pause('4080M->3687M(4096M)')).toBe(true)
    expect(pause('4080M->3686M(4096M)')).toBe(false)
    expect(pause('4080M->900M(4096M)')).toBe(false)
    expect(pause('4080M->4G(4096M)')).toBe(false)
  })

  it('are most of the time spent on collecting, as a share or as a counter of seconds', () => {
    const at_end = (name: string, during: number, unit = '1', more: object = {}) =>
      signsOf({
        lines: [SAYS],
        shifts: [risen('albums', name, { during, ended_at: null, ...more }, { unit })],
      })
    expect(at_end('jvm_gc_pause_seconds_sum', 0.9)).toEqual([
      [0.55, 'text'],
      [0.4, 'jvm_gc_pause_seconds_sum'],
    ])
    expect(at_end('jvm.gc.overhead', 0.5)).toBeDefined()
    expect(at_end('jvm_gc_pause_seconds_sum', 0.49)).toBeUndefined()
    expect(at_end('jvm_gc_pause_seconds_sum', 0.9, 's')).toBeUndefined()
    expect(at_end('jvm_gc_pause_seconds_sum', 0.9, '1', { direction: 'down' })).toBeUndefined()
    expect(at_end('jvm_gc_live_data_size', 0.9)).toBeUndefined()
    const counter = risen(
      'albums',
      'jvm_gc_duration_seconds',
      { during: 0.9 },
      { unit: 's', type: 'counter' },
    )
    expect(signsOf({ lines: [SAYS], shifts: [counter] })).toBeDefined()
  })

  it('are those of a place behind the first that does little but collect, where nothing says so of the first', () => {
    const behind = place('videos')
    const says = { ...SAYS, entity: 'videos' }
    const collecting = risen('videos', 'jvm_gc_overhead', { during: 0.9 }, { unit: '1' })
    const seen = (callees: Readonly<Record<string, readonly string[]>>, shifts = [collecting]) =>
      told({
        lines: [says],
        shifts,
        observed: { graph: graphOf(callees), failing: [place('albums'), behind] },
      })
    expect(seen({ albums: ['videos'] })).toMatchObject({ entity: 'videos', what: 'a memory that is used up' })
    expect(seen({})).toBeNull()
    expect(seen({ videos: ['albums'] })).toBeNull()
    expect(seen({ albums: ['videos'] }, [])).toBeNull()
  })

  it('are its even growth before all: then it filled by itself, and no change brought it about', () => {
    const grown = [memory(even)]
    const filled = told({ grown, lines: [SAYS, KILLS], shifts: [FULL_AT_LAST] })
    expect(filled).toMatchObject({
      what: 'a memory that filled by itself',
      yields_to_changes: false,
      is_whole: true,
    })
    expect(filled?.score).toBeCloseTo(1 - 0.45 * 0.45 * 0.55, 6)
    expect(filled?.signs.map(({ strength }) => strength)).toEqual([0.55, 0.55, 0.45])
    expect(told({ grown, lines: [SAYS] })).toMatchObject({ is_whole: true })
    expect(told({ grown, lines: [KILLS] })).toMatchObject({ is_whole: true })
    expect(told({ grown })).toBeNull()
    expect(told({ lines: [KILLS], shifts: [FULL_AT_LAST] })).toBeNull()
    const many = told({ grown, lines: [SAYS, KILLS], shifts: [risen('albums', 'container_restarts')] })
    expect(many?.signs).toHaveLength(3)
  })

  it('are worth nine tenths together at most', () => {
    expect(told({ grown: [memory(even)], lines: [SAYS, KILLS] })?.score).toBeLessThanOrEqual(0.9)
  })

  it('are none where nobody knows what fails first, or since when', () => {
    expect(told({ lines: [SAYS, KILLS], observed: { first: null } })).toBeNull()
    expect(told({ lines: [SAYS, KILLS], onset: null })).toBeNull()
  })

  it('are the place’s own lines, five of them, from a quarter of an hour before', () => {
    const isTold = (more: Partial<Line>) => told({ lines: [{ ...SAYS, ...more }, KILLS] }) !== null
    expect(isTold({})).toBe(true)
    expect(isTold({ at: at(ONSET - 15) })).toBe(true)
    for (const more of [
      { count: 4 },
      { at: at(ONSET - 16) },
      { at: null },
      { entity: 'videos' },
      { origin: 'event' as const },
      { failing: false },
      { text: 'no memory of it' },
    ])
      expect(isTold(more)).toBe(false)
  })

  it('are kills by the platform, of its instances, from a quarter of an hour before', () => {
    const isKilled = (more: Partial<Line>) => told({ lines: [SAYS, { ...KILLS, ...more }] }) !== null
    expect(isKilled({ at: at(ONSET - 15) })).toBe(true)
    for (const more of [
      { at: at(ONSET - 16) },
      { at: null },
      { entity: 'videos-0' },
      { origin: 'event' as const },
      { text: 'Scheduled' },
    ])
      expect(isKilled(more)).toBe(false)
  })

  it('are a memory at its end, not what falls, what has room, or what is no memory', () => {
    const isFull = (shift: SeriesShift) => told({ lines: [SAYS], shifts: [shift] }) !== null
    expect(isFull(FULL_AT_LAST)).toBe(true)
    expect(isFull({ ...FULL_AT_LAST, direction: 'down' })).toBe(false)
    expect(isFull({ ...FULL_AT_LAST, extreme: 0.5 })).toBe(false)
    expect(isFull(risen('albums', 'cpu_used_ratio', { extreme: 0.99 }, { unit: '1' }))).toBe(false)
    expect(isFull(risen('albums', 'memory_free_ratio', { extreme: 0.99 }, { unit: '1' }))).toBe(false)
  })

  it('are growth of its own memory as a whole, the first by name of several', () => {
    const grows = (...grown: readonly Series[]) => signsOf({ lines: [SAYS], grown })?.[1]?.[1]
    const [one, other] = [memory(even, 'memory_a_mb'), memory(even, 'memory_b_mb')]
    expect([grows(one, other), grows(other, one)]).toEqual(['memory_a_mb', 'memory_a_mb'])
    expect(grows({ ...one, entity: 'videos' })).toBeUndefined()
    expect(grows({ ...one, type: 'counter' })).toBeUndefined()
    expect(grows({ ...one, labels: { pod: 'albums-0' } })).toBeUndefined()
    expect(grows(memory(even, 'memory_free_mb'))).toBeUndefined()
    expect(grows(memory(even, 'cpu_usage'))).toBeUndefined()
  })
})
