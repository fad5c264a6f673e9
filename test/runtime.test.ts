import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ENV } from '#shared/names.ts'
import { alertActs, incidentRecords } from '#shared/runtime.ts'

const GIVEN = {
  AWS_REGION: 'us-east-1',
  [ENV.incidentsTable]: 'incidents',
  [ENV.retentionDays]: '400',
  [ENV.alertWindows]: '60,600,43200,14400',
}
const before = { ...process.env }
beforeEach(() => {
  Object.assign(process.env, GIVEN)
})
afterEach(() => {
  for (const name of Object.keys(GIVEN)) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
})

// What is made is kept, so what cannot be made comes first.
describe('what functions are made of', () => {
  it('is not made with days of retention that are no number', () => {
    process.env[ENV.retentionDays] = 'forever'
    expect(() => incidentRecords()).toThrow(
      'RETENTION_DAYS must hold as whole numbers, parted by commas: days',
    )
    expect(() => alertActs()).toThrow('RETENTION_DAYS')
  })

  it('is not made with windows of alerts of which one is missing', () => {
    process.env[ENV.alertWindows] = '60,600,43200'
    expect(() => alertActs()).toThrow('ALERT_WINDOWS must hold as whole numbers, parted by commas')
  })

  it('takes windows of alerts in seconds, in the order of their deployment', () => {
    expect(alertActs().windows).toEqual({
      quiet_ms: 60_000,
      reopen_ms: 600_000,
      repeats_stale_ms: 43_200_000,
      silent_stale_ms: 14_400_000,
    })
  })
})
