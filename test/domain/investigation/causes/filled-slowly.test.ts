import { describe, expect, it } from 'vitest'
import { filledSlowly } from '#shared/domain/investigation/causes/filled-slowly.ts'
import { grewEvenly, movedEvenly } from '#shared/domain/investigation/deviations/trend-of-series.ts'
import type { Findings } from '#shared/domain/investigation/findings.ts'
import { investigate } from '#shared/domain/investigation/investigate.ts'
import type { Series, Snapshot } from '#shared/domain/investigation/records/snapshot.ts'
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

/** A used share that follows the given levels. */
function used(entity: string, levelAt: (minute: number) => number, unit: string | null = '1'): Series {
  const flat = series(entity, 'filesystem_used_ratio', 0, 0)
  const values = flat.values.map((_, minute) => levelAt(minute) + 0.002 * wobble(minute))
  return unit === null ? { ...flat, values } : { ...flat, values, unit }
}
const even = (minute: number): number => Math.min(1, 0.7 + (0.3 * minute) / ONSET)
const jump = (minute: number): number => (minute >= ONSET - 10 ? 1 : 0.7)

const find = (disk: Series, more: Partial<Snapshot> = {}): Findings =>
  investigate({
    ...EMPTY,
    alerts: [alert('web', 'http_5xx_ratio')],
    edges: [...calls('web', 'search', 0.4)],
    changes: [
      commit('aa11', 20, 'Say how to run the tests', ['web/README.md'], null),
      deploy('d1', 30, 'web', 'v2', ['aa11']),
    ],
    logs: lines('search', 'ERROR', 'java.io.IOException: No space left on device', ONSET),
    ...more,
    series: [
      series('web', 'http_5xx_ratio', 0.003, 0.4),
      series('search', 'http_5xx_ratio', 0.003, 0.4),
      disk,
    ],
  })

describe('what grew evenly', () => {
  const grows = (levelAt: (minute: number) => number) => grewEvenly(used('search', levelAt, null), at(ONSET))

  it('did so from the first sample on, in whatever unit', () => {
    expect(grows((minute) => 100 + 0.2 * minute)).toBe(true)
    expect(grows((minute) => 0.5 + 0.01 * minute)).toBe(true)
  })

  it('is nothing that began later, hardly moved, fell, jumped, or was measured for a short time', () => {
    for (const levelAt of [
      (minute: number) => 100 + 2 * Math.max(0, minute - 30),
      (minute: number) => 100 + 0.03 * minute,
      (minute: number) => 100 - 0.2 * minute,
      (minute: number) => (minute >= ONSET - 10 ? 150 : 100),
      (minute: number) => (minute < ONSET - 15 ? Number.NaN : 100 + minute),
      (minute: number) => (minute < 5 || minute > 80 ? 100 + minute : Number.NaN),
      (minute: number) => minute - 20,
    ])
      expect(grows(levelAt)).toBe(false)
    expect(
      grewEvenly(
        used('search', (minute) => 100 + minute, null),
        at(10),
      ),
    ).toBe(false)
  })
})

describe('a store that filled by itself', () => {
  it('grew evenly for as long as it was measured and came to its end at the onset', () => {
    expect(filledSlowly(used('search', even), at(ONSET))).toBe(true)
    expect(
      filledSlowly(
        used('search', (minute) => 100 * even(minute), '%'),
        at(ONSET),
      ),
    ).toBe(true)
  })

  it('may have had no room for more from the first sample on, when noise hides most of a line', () => {
    const nearly = (from: number, noise: number) =>
      filledSlowly(
        used('search', (minute) =>
          Math.min(1, from + ((1 - from) * minute) / ONSET + noise * wobble(minute * 7)),
        ),
        at(ONSET),
      )
    expect(nearly(0.96, 0.006)).toBe(true)
    expect(nearly(0.9, 0.06)).toBe(false)
    expect(nearly(0.96, 0.04)).toBe(false)
  })

  it('is none that filled at once, is half full, was full all day, or of which nobody knows the whole', () => {
    for (const disk of [
      used('search', jump),
      used('search', (minute) => even(minute) / 2),
      used('search', () => 0.99),
      used('search', even, null),
      used('search', (minute) => (minute < ONSET - 15 ? Number.NaN : even(minute))),
      {
        ...used('search', even),
        times: used('search', even).times.map((time) => at(60) + (time - at(0)) / 10),
      },
    ])
      expect(filledSlowly(disk, at(ONSET))).toBe(false)
    expect(filledSlowly(used('search', even), at(10))).toBe(false)
    expect(filledSlowly({ ...used('search', even), values: new Float64Array(120) }, at(ONSET))).toBe(false)
  })

  it('is a whole answer: what is written every day used it up', () => {
    const byItself = find(used('search', even))
    expect(byItself.cause).toMatchObject({ kind: 'capacity', entity: 'search', change: null })
    expect(byItself.confidence).toBeGreaterThan(0.6)
    expect(find(used('search', jump)).confidence).toBeLessThan(0.5)
  })

  it('needs somebody who says that it is full', () => {
    const silent = find(used('search', even), { logs: [] })
    expect(silent.confidence).toBeLessThan(0.5)
    expect(find(used('wiki', even)).cause.entity).not.toBe('wiki')
  })
})

describe('what moved evenly', () => {
  const level = (levelAt: (minute: number) => number) => movedEvenly(used('search', levelAt), at(ONSET))

  it('is told with the way that it went, and only what grew grew', () => {
    expect(level(even)).toBe('up')
    expect(level((minute) => 0.9 - (0.8 * minute) / ONSET)).toBe('down')
    expect(grewEvenly(used('search', even), at(ONSET))).toBe(true)
    expect(
      grewEvenly(
        used('search', (minute) => 0.9 - (0.8 * minute) / ONSET),
        at(ONSET),
      ),
    ).toBe(false)
  })

  it('is none that kept still at first, or all the time', () => {
    expect(level((minute) => 0.9 - 0.8 * Math.max(0, (minute - 40) / (ONSET - 40)))).toBeNull()
    expect(level(() => 0.9)).toBeNull()
  })
})
