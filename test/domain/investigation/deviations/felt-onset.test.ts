import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clearlyFelt, feltSince } from '#shared/domain/investigation/deviations/felt-onset.ts'
import { findShift, type SeriesShift } from '#shared/domain/investigation/deviations/series-shift.ts'
import { normalTime } from '#shared/domain/investigation/records/normal-time.ts'
import { alert, at, EMPTY, LENGTH, ONSET, series } from '../incident-scenarios.ts'

const normal = normalTime({
  ...EMPTY,
  baselines: [{ name: 'b1', from: at(0), to: at(60) }],
  alerts: [alert('web', 'p95')],
})

/** A wait of 200 ms that follows the given levels from a minute on. */
function shiftOf(levelAt: (minute: number) => number, name = 'http_p95_ms'): SeriesShift {
  const flat = series('web', name, 200, 200)
  const values = flat.values.map((value, minute) => value + levelAt(minute))
  return findShift({ ...flat, values }, normal) as SeriesShift
}

describe('since when users felt it', () => {
  it('is the collapse, not the little that was slower before', () => {
    const shift = shiftOf((minute) => (minute >= ONSET ? 4_000 : minute >= 75 ? 60 : 0))
    expect(shift.onset.at).toBe(at(75))
    expect(feltSince(shift)).toMatchObject({ at: at(ONSET), earliest: at(ONSET - 1) })
  })

  it('is where it left the noise, for what grows slowly, jumps at once or stays small', () => {
    for (const levelAt of [
      (minute: number) => Math.max(0, minute - 75) * 200,
      (minute: number) => (minute >= ONSET ? 4_000 : 0),
      (minute: number) => (minute >= 75 ? 60 : 0),
      // Half as bad already is no prelude.
      (minute: number) => (minute >= ONSET ? 4_000 : minute >= 75 ? 1_200 : 0),
      (minute: number) =>
        minute >= ONSET ? 4_000 : minute >= 75 && minute < 83 ? 1_200 : minute >= 75 ? 60 : 0,
    ]) {
      const shift = shiftOf(levelAt)
      expect(feltSince(shift)).toEqual(shift.onset)
    }
  })

  it('is never before the shift, nor after its end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: LENGTH - 60, maxLength: LENGTH - 60 }),
        (levels) => {
          const shift = shiftOf((minute) => (minute < 60 ? 0 : (levels[minute - 60] as number)))
          fc.pre(shift !== null)
          const felt = feltSince(shift)
          expect(felt.at).toBeGreaterThanOrEqual(shift.onset.at)
          expect(felt.at).toBeLessThan(shift.ended_at ?? at(LENGTH))
          expect(felt.earliest).toBeLessThanOrEqual(felt.at)
          expect(felt.latest).toBeGreaterThanOrEqual(felt.at)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is told by what was hurt clearly, and by what moved a little only where nothing else moved', () => {
    const slight = shiftOf((minute) => (minute >= 75 ? 30 : 0))
    const errors = shiftOf((minute) => (minute >= ONSET ? 90 : 0), 'http_errors_per_second')
    const slow = shiftOf((minute) => (minute >= ONSET ? 900 : 0))
    expect(clearlyFelt([slight, errors, slow])).toEqual([errors, slow])
    expect(clearlyFelt([slight])).toEqual([slight])
    expect(clearlyFelt([])).toEqual([])
  })
})
