import { describe, expect, it } from 'vitest'
import { asRead } from '#shared/domain/investigation/deviations/as-read.ts'
import { withUcumUnits } from '#shared/domain/investigation/records/ucum-units.ts'
import { EMPTY, series } from '../incident-scenarios.ts'

describe('the unit of what is told in hundredths', () => {
  const told = (unit: string | undefined) => {
    const { unit: _, ...one } = series('stock', 'cpu_usage', 24, 97)
    return unit === undefined ? one : { ...one, unit }
  }

  it('is % however a tool spells it, from where a snapshot is read', () => {
    for (const unit of ['%', 'percent', 'Percent'])
      expect(asRead({ ...EMPTY, series: [told(unit)] }).series[0]?.unit, unit).toBe('%')
  })

  it('is what was told of anything else, and nothing where nothing was', () => {
    const snapshot = { ...EMPTY, series: [told('percentile'), told('By'), told(undefined)] }
    expect(withUcumUnits(snapshot)).toBe(snapshot)
    const [first, ...others] = withUcumUnits({
      ...snapshot,
      series: [told('percent'), ...snapshot.series],
    }).series
    expect(first).toEqual(told('%'))
    expect(others).toEqual(snapshot.series)
  })
})
