import { describe, expect, it } from 'vitest'
import {
  everHurting,
  failingByOwnCount,
  hurtsUsers,
  stillHurting,
  stillHurtsUsers,
} from '#shared/domain/investigation/deviations/felt-symptoms.ts'
import { findShift, type SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import type { NormalTime } from '#shared/domain/investigation/records/normal-time.ts'
import { at, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const NORMAL: NormalTime = {
  ...{ baselines: [{ name: 'b1', from: at(0), to: at(ONSET) }], origin: 'declared' },
  incident: { from: at(ONSET), to: at(LENGTH) },
}

/** The shift of a measurement of an entity that left normal with the onset. */
const moved = (entity: string, name: string, more: Partial<SeriesShift> = {}): SeriesShift => {
  const shift = findShift(series(entity, name, 1, 50), NORMAL)
  if (shift === null) throw new Error(`${name} did not move`)
  return { ...shift, ...more }
}

const failing = moved('shop', 'error_rate')
const over = moved('till', 'error_rate', { ended_at: at(ONSET + 2) })
const slow = moved('web', 'latency_p99')
const busy = moved('stock', 'cpu_usage')
const better = moved('desk', 'error_rate', { is_bad: false })

describe('whose users are hurt', () => {
  const all = [failing, over, slow, busy, better]

  it('is whoever fails or keeps them waiting, and not who is busy or fails less', () => {
    expect(all.filter(hurtsUsers)).toEqual([failing, over, slow])
    expect([...everHurting(all)]).toEqual(['shop', 'till', 'web'])
  })

  it('still are where it is not over', () => {
    expect(all.filter(stillHurtsUsers)).toEqual([failing, slow])
    expect([...stillHurting(all)]).toEqual(['shop', 'web'])
  })

  it('is told by own failed answers alone where it is asked who fails', () => {
    expect([...failingByOwnCount(all)]).toEqual(['shop', 'till'])
  })

  it('is looked for once in each list', () => {
    expect(everHurting(all)).toBe(everHurting(all))
  })
})
