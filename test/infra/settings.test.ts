import { describe, expect, it } from 'vitest'
import { keepsData, protectsTables, readSettings, readSettingsFile, SETTINGS_FILE } from '#infra/settings.ts'

const committed = readSettingsFile(SETTINGS_FILE)

describe('the settings', () => {
  it('that are committed hold, for a stage that leaves nothing behind', () => {
    expect(committed).toMatchObject({ stage: 'dev', retentionDays: 400, waf: false, alarmEmail: null })
  })

  it('that are unknown are refused by name', () => {
    expect(() => readSettings({ ...committed, retentionDay: 3 }, 'a.json')).toThrow(
      'a.json: unknown setting retentionDay',
    )
  })

  it.each([
    ['stage', 'production'],
    ['retentionDays', 0],
    ['retentionDays', 1.5],
    ['retentionDays', '400'],
    ['logRetentionDays', 42],
    ['alarmEmail', 'nobody'],
    ['throttleRatePerSecond', -1],
    ['throttleBurst', 100_000],
    ['xray', 'yes'],
    ['waf', null],
    ['accessLog', true],
    ['deletionProtection', 'on'],
  ])('name %s when it is %j', (name, value) => {
    expect(() => readSettings({ ...committed, [name]: value }, 'a.json')).toThrow(`a.json: ${name}: `)
  })

  it('name each one that is missing', () => {
    const { waf: _, ...without } = committed
    expect(() => readSettings(without, 'a.json')).toThrow('a.json: waf: ')
    expect(() => readSettings({}, 'a.json')).toThrow(/stage: .*retentionDays: .*accessLog: /)
    expect(() => readSettings(null, 'a.json')).toThrow('a.json: the file: ')
  })

  it('say which file cannot be read or is no JSON', () => {
    expect(() => readSettingsFile('infra/no-settings.json')).toThrow('infra/no-settings.json: cannot be read')
    expect(() => readSettingsFile('infra/app.ts')).toThrow('infra/app.ts: is no JSON')
  })

  it('keep and guard the data outside dev, unless the first deployment asks for no guard', () => {
    expect([keepsData(committed), protectsTables(committed)]).toEqual([false, false])
    const prod = { ...committed, stage: 'prod' as const }
    expect([keepsData(prod), protectsTables(prod)]).toEqual([true, true])
    expect(protectsTables({ ...prod, deletionProtection: false })).toBe(false)
  })
})
