import { describe, expect, it } from 'vitest'
import type { Arrival } from '#shared/domain/investigation/changes/closeness.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import { withHarderWork } from '#shared/domain/investigation/changes/works-harder-since.ts'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { Observed } from '#shared/domain/investigation/place/failing-services.ts'
import type { Entity } from '#shared/domain/investigation/records/snapshot.ts'
import { at, ONSET } from '../incident-scenarios.ts'
import { SEEN } from '../ranking-by-hand.ts'
import { shifted } from '../verdict-by-hand.ts'

const SUMS = '-  rows.map(&:cents).sum\n+  Line.joins(:row).where(owner: id).sum(:cents)'
const READS = '-  rows.where(owner: id)\n+  rows.where(owner: id, open: true)'
const STORE: readonly Entity[] = [{ name: 'shelf-db', kind: 'datastore', aliases: [] }]

const release = (minute: number, diff = SUMS, more: object = {}): Arrival =>
  ({
    change: { source: 'git', id: 'c1', kind: 'commit', recorded_at: at(minute - 9) },
    diff: readDiff(diff, ['stock/balance.rb']),
    effective: { from: at(minute), to: at(minute), known: true },
    place: { score: 0.7, reaches: 'stock-api', owners: new Set(['stock-api']), is_named: false },
    trivial: null,
    ...more,
  }) as unknown as Arrival

const busy = (
  minute = ONSET,
  more: Partial<SeriesShift> = {},
  name = 'aws_rds_cpuutilization_average',
): SeriesShift => ({
  ...shifted('shelf-db', name),
  ...{ direction: 'up', before: 24, during: 95, ended_at: null, ...more },
  onset: { at: at(minute), earliest: at(minute - 0.5), latest: at(minute + 0.5) },
})

const isSeen = (arrival = release(ONSET - 2), shift = busy(), entities = STORE): boolean => {
  const observed = {
    ...{ ...SEEN, shifts: [shift] },
    onset: { at: at(ONSET), earliest: at(ONSET), latest: at(ONSET + 1) },
  } as unknown as Observed
  return withHarderWork([arrival], observed, { entities, series: [] })[0]?.seen !== undefined
}

describe('a store that works harder since who asks it has it put together more', () => {
  it('is what that release is seen to do, next to the store', () => {
    const observed = { ...SEEN, shifts: [busy()] } as Observed
    expect(withHarderWork([release(ONSET - 2)], observed, { entities: STORE, series: [] })).toMatchObject([
      { place: { score: 0.95, reaches: 'stock-api' }, seen: { series: { entity: 'shelf-db' } } },
    ])
  })

  it('is told by its processor or by what it reads, and by nothing else', () => {
    expect(isSeen(release(ONSET - 2), busy(ONSET, {}, 'db_rows_read_per_second'))).toBe(true)
    expect(isSeen(release(ONSET - 2), busy(ONSET, {}, 'http_server_duration_p95_ms'))).toBe(false)
  })

  it('is put down to no release that asks as ever, elsewhere, later or long before, or that is a trifle', () => {
    expect(isSeen(release(ONSET - 2, READS))).toBe(false)
    expect(
      isSeen(release(ONSET - 2, '-  Line.joins(:row).sum(:cents)\n+  Line.joins(:page).sum(:cents)')),
    ).toBe(false)
    expect(
      isSeen(release(ONSET - 2, SUMS, { place: { score: 0.5, reaches: 'billing', owners: new Set() } })),
    ).toBe(false)
    expect(isSeen(release(ONSET + 2))).toBe(false)
    expect(isSeen(release(ONSET - 16))).toBe(false)
    expect(isSeen(release(ONSET - 2, SUMS, { trivial: { reason: 'x', factor: 1 } }))).toBe(false)
    expect(
      isSeen(release(ONSET - 2, SUMS, { effective: { ...release(ONSET - 2).effective, known: false } })),
    ).toBe(false)
  })

  it('is none where the store is hardly busier, is again as before, or is no store', () => {
    expect(isSeen(release(ONSET - 2), busy(ONSET, { during: 40 }))).toBe(false)
    expect(isSeen(release(ONSET - 2), busy(ONSET, { ended_at: at(ONSET + 1) }))).toBe(false)
    expect(isSeen(release(ONSET - 2), busy(), [])).toBe(false)
  })
})
