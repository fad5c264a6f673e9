import { describe, expect, it } from 'vitest'
import { alert, at, EMPTY, LENGTH, ONSET, series } from '#test/domain/investigation/incident-scenarios.ts'
import { feltAtEnd } from './felt-at-the-end.ts'

const RATIO = 'http_server_errors_ratio'
const felt = (...of: Parameters<typeof series>[]) =>
  feltAtEnd({ ...EMPTY, alerts: [alert('web', RATIO)], series: of.map((one) => series(...one)) }, at(ONSET))

describe('what the users of an alerted service feel at the end', () => {
  it('is failing while one of its measurements is more than half of the way to its worst', () => {
    expect(felt(['web', RATIO, 0.003, 0.4])).toBe('failing')
    expect(felt(['web', RATIO, 0.003, 0.4, ONSET, LENGTH - 5])).toBe('well')
    expect(
      felt(['web', RATIO, 0.003, 0.4, ONSET, LENGTH - 5], ['web', 'http_server_duration_p95_ms', 20, 900]),
    ).toBe('failing')
  })

  it('is not told by other services, by what nobody feels, or by what hardly moved', () => {
    expect(felt(['stock', RATIO, 0.003, 0.4])).toBeNull()
    expect(felt(['web', 'memory_used_bytes', 1, 9])).toBeNull()
    expect(felt(['web', RATIO, 0.003, 0.02])).toBeNull()
    expect(felt()).toBeNull()
  })
})
