import { describe, expect, it } from 'vitest'
import { largeSnapshot } from './large-snapshot.ts'
import { inNormalWindow } from './load-petshop.ts'

describe('a window of the normal period', () => {
  it('knows its own samples and the baseline’s, none of other windows', () => {
    const large = largeSnapshot(3, 100)
    const times = large.series[0]?.times as Float64Array
    const at = (index: number): number => times[index] as number
    const whole = { ...large, baselines: [{ name: 'normal', from: at(0), to: at(40) }] }
    const seen = inNormalWindow(whole, { from: at(60), to: at(65), alert_at: at(61) })
    expect(seen.window).toEqual({ from: at(60), to: at(65) })
    expect(seen.alerts.map(({ fired_at }) => fired_at)).toEqual([at(61)])
    for (const [index, series] of seen.series.entries()) {
      expect([...series.times]).toEqual([...times.slice(0, 40), ...times.slice(60, 65)])
      expect(series.values[40]).toBe(whole.series[index]?.values[60])
    }
  })
})
