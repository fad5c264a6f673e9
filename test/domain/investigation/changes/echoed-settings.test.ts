import { describe, expect, it } from 'vitest'
import type { SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import { commit, deploy, ONSET, series } from '../incident-scenarios.ts'
import { FAILS, first, id, merged, POOL, rank, scene } from '../ranking-by-hand.ts'

describe('ranking changes', () => {
  it('a setting that a series moved with is an echo, and the strongest sign', () => {
    const change = commit(id('a'), 80, 'x', ['services/stock/pool.go'], POOL)
    const snapshot = scene([change, deploy('d', ONSET - 1, 'stock-api', 'v', [id('a')])])
    const steps = {
      ...series('stock-api', 'db_pool_limit', 0, 0),
      values: Float64Array.from({ length: 120 }, (_, minute) => (minute < ONSET ? 50 : 5)),
    }
    const entry = rank({ ...snapshot, series: [...snapshot.series, steps] }).ranked[0]
    expect(entry?.echo?.setting.key).toContain('MaxConns')
    expect(entry?.score).toBeGreaterThan(rank(snapshot).ranked[0]?.score ?? 1)
    const findings = investigate({ ...snapshot, series: [...snapshot.series, steps] })
    expect(findings.evidence.map((item) => item.content).join('\n')).toMatch(
      /db_pool_limit of stock-api moved from 50 to 5/,
    )
  })

  it('is no echo where a series moved elsewhere, or at another time, between the same two numbers', () => {
    const change = commit(id('a'), 40, 'x', ['services/stock/pool.go'], POOL)
    const limit = (entity: string, minute: number) => ({
      ...series(entity, 'worker_limit', 0, 0),
      values: Float64Array.from({ length: 120 }, (_, index) => (index < minute ? 50 : 5)),
    })
    const echo = (rolled: number, entity: string, minute: number) => {
      const changes = [change, deploy('d', rolled, 'stock-api', 'v', [id('a')])]
      const { series: own } = scene([])
      return rank(scene(changes, { series: [...own, limit(entity, minute)] })).ranked[0]?.echo ?? null
    }
    expect(echo(ONSET - 10, 'stock-api', ONSET - 9)).not.toBeNull()
    expect(echo(ONSET - 10, 'billing', ONSET - 9)).toBeNull()
    expect(echo(ONSET - 30, 'stock-api', ONSET)).toBeNull()
    expect(echo(ONSET - 10, 'stock-api', ONSET - 20)).toBeNull()
  })
})

describe('what links a change to what is seen', () => {
  describe('a series that moved as a setting did', () => {
    const shift = (before: number, during: number): SeriesShift => ({
      ...{
        series: series('stock-api', 'limit', before, during),
        direction: 'down',
        is_bad: false,
        before,
        during,
      },
      ...{ meaning: { meaning: 'unknown', weight: 0, bad: null } as unknown as SeriesShift['meaning'] },
      ...{ extreme: during, latest: during, z: 9, onset: FAILS.onset, ended_at: null, normal_count: 80 },
    })
    const echo = (before: string, after: string, ...shifts: SeriesShift[]) =>
      first([merged('a', 60, `-  room: ${before}\n+  room: ${after}`)], [], { observed: { shifts } })

    it('is an echo of it, in its own unit or in thousandths', () => {
      const moved = shift(50, 5)
      const entry = echo('50', '5', shift(50, 6), shift(40, 5), moved)
      expect(entry).toMatchObject({ is_linked: true, echo: { setting: { key: 'room' } } })
      expect(entry.echo?.shift).toBe(moved)
      expect(echo('3s', '500ms', shift(3, 0.5)).echo).not.toBeNull()
      expect(echo('3ms', '5ms', shift(3000, 5000)).echo).toBeNull()
      expect(entry.score).toBeGreaterThan(20 * echo('50', '6', moved).score)
    })

    it('is one within a hundredth, from and to', () => {
      expect(echo('100', '200', shift(101, 202)).echo).not.toBeNull()
      expect(echo('100', '200', shift(99, 198)).echo).not.toBeNull()
      expect(echo('100', '200', shift(101.1, 200)).echo).toBeNull()
      expect(echo('100', '200', shift(100, 197)).echo).toBeNull()
    })

    it('is none where the values are those of a switch, or are no quantities', () => {
      expect(echo('0', '1', shift(0, 1)).echo).toBeNull()
      expect(echo('1', '0', shift(1, 0)).echo).toBeNull()
      expect(echo('0', '2', shift(0, 2)).echo).not.toBeNull()
      expect(echo('2', '0', shift(2, 0)).echo).not.toBeNull()
      expect(echo('all', '5', shift(0, 5)).echo).toBeNull()
      expect(echo('5', 'none', shift(5, 0)).echo).toBeNull()
    })
  })
})
