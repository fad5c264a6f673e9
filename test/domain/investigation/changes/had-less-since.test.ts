import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { withLess } from '#shared/domain/investigation/changes/had-less-since.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Change, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
import { alert, at, calls, EMPTY, ONSET, series } from '../incident-scenarios.ts'
import { shifted } from '../verdict-by-hand.ts'

/** What somebody did to a store at a minute and wrote down. */
const done = (minute: number, more: Partial<Change> = {}, arrived: object = {}): Arrival =>
  ({
    change: {
      ...{ source: 'console', id: 'c1', kind: 'infra', recorded_at: at(minute) },
      ...{ title: 'stock-db: update', ...more },
    },
    diff: readDiff('', []),
    effective: { from: at(minute), to: at(minute), known: false },
    place: { score: 1, reaches: 'stock-db', owners: new Set(), is_named: true },
    trivial: null,
    ...arrived,
  }) as unknown as Arrival

/** What a part is given fell from 16 to a level at a minute and stayed there. */
const fell = (name = 'os_general_numVCPUs', more = {}, entity = 'stock-db', minute = ONSET) => ({
  ...shifted(entity, name),
  ...{ direction: 'down' as const, before: 16, during: 4, ended_at: null, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})
const SINCE = { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) }
const seen = (arrival: Arrival, shift = fell(), onset: typeof SINCE | null = SINCE): Arrival =>
  withLess([arrival], { onset, shifts: [shift] })[0] as Arrival
const isLess = (...given: Parameters<typeof seen>): boolean => seen(...given).seen !== undefined

describe('who changed a part that has less since', () => {
  it('is seen to have done so, and when', () => {
    expect(seen(done(ONSET - 3))).toMatchObject({
      seen: { series: { name: 'os_general_numVCPUs' } },
      effective: { from: at(ONSET - 0.5), to: at(ONSET + 0.5), known: true },
    })
    const known = { effective: { from: at(ONSET - 2), to: at(ONSET - 2), known: true } }
    expect(seen(done(ONSET - 3, {}, known)).effective).toEqual(known.effective)
    const owner = { place: { score: 1, reaches: 'web', owners: new Set(['stock-db']), is_named: false } }
    expect(isLess(done(ONSET - 3, { kind: 'config' }, owner))).toBe(true)
    expect(isLess(done(ONSET - 3, { kind: 'scale' }))).toBe(true)
  })

  it.each([
    'rdsosmetrics_General_numVCPUs',
    'os.general.numVCPUs',
    'machine_cpu_cores',
    'machine_memory_bytes',
    'node_memory_MemTotal_bytes',
    'kube_node_status_allocatable',
    'system.cpu.logical.count',
    'system_cpu_count',
    'system.memory.limit',
    'cloudsql.googleapis.com/database/cpu/reserved_cores',
    'database/memory/quota',
    'pg_settings_max_connections',
    'redis_memory_max_bytes',
  ])('knows what a part is given by its name: %s', (name) => {
    expect(isLess(done(ONSET - 3), fell(name))).toBe(true)
  })

  it.each([
    'cpu_utilization_ratio',
    'memory_used_bytes',
    'node_memory_MemFree_bytes',
    'process_threads_count',
  ])('is not told by what a part uses or has left: %s', (name) => {
    expect(isLess(done(ONSET - 3), fell(name))).toBe(false)
  })

  it('has clearly less, for good, with the harm', () => {
    const by = (more: object): boolean => isLess(done(ONSET - 3), fell(undefined, more))
    expect(by({ during: 12.8 })).toBe(true)
    expect(by({ during: 12.9 })).toBe(false)
    expect(by({ direction: 'up' })).toBe(false)
    expect(by({ before: 0, during: 0 })).toBe(false)
    expect(by({ ended_at: at(ONSET + 5) })).toBe(false)
    const when = (minute: number): boolean =>
      isLess(done(minute - 1), fell(undefined, {}, 'stock-db', minute))
    expect(when(ONSET - 2)).toBe(true)
    expect(when(ONSET - 2.1)).toBe(false)
  })

  it('did so to that very part, ten minutes before at most', () => {
    expect(isLess(done(ONSET - 3), fell(undefined, {}, 'other-db'))).toBe(false)
    expect(isLess(done(ONSET - 10.5))).toBe(true)
    expect(isLess(done(ONSET - 10.6))).toBe(false)
    expect(isLess(done(ONSET + 1.5))).toBe(true)
    expect(isLess(done(ONSET + 1.6))).toBe(false)
  })

  it('is nobody whose change does nothing or is of code, and nothing is said without an onset', () => {
    expect(isLess(done(ONSET - 3, {}, { trivial: { reason: 'a comment', factor: 0.1 } }))).toBe(false)
    expect(isLess(done(ONSET - 3, { kind: 'commit' }))).toBe(false)
    expect(isLess(done(ONSET - 3), fell(), null)).toBe(false)
    const other = fell('pg_settings_max_connections')
    expect(seen(done(ONSET - 3, {}, { seen: other })).seen).toBe(other)
  })
})

describe('an incident after an update that left a store with fewer processors', () => {
  const snapshot: Snapshot = {
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    series: [
      series('web', 'http_5xx_ratio', 0.001, 0.4),
      series('stock-db', 'http_5xx_ratio', 0.001, 0.4),
      series('stock-db', 'os_general_numVCPUs', 16, 2),
      series('stock-db', 'cpu_utilization_ratio', 0.2, 0.98),
    ],
    edges: calls('web', 'stock-db', 0.4),
    changes: [{ ...done(ONSET - 2).change, entity: 'stock-db' }],
  }

  it('is told as that of the update, with what became less', () => {
    const { cause, evidence } = investigate(snapshot)
    expect(cause).toMatchObject({ level: 'change', change: 'c1', entity: 'stock-db' })
    expect(evidence.map(({ content }) => content).join('\n')).toMatch(
      /numVCPUs of stock-db began to leave 16/,
    )
  })
})
