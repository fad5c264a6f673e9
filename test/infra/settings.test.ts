import { describe, expect, it } from 'vitest'
import {
  keepsData,
  protectsTables,
  readSettings,
  readSettingsFile,
  SETTINGS_FILE,
  settingsOfContext,
} from '#infra/settings.ts'

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

  it.each([
    [{}, null],
    [{ adminEmail: 'first@example.com', settings: 'other.json', '@aws-cdk/core:any': true }, null],
    [{ stage: 'prod' }, '-c stage: is not read from the command line; set it in infra/settings.json'],
    [{ waf: 'true', adminEmail: 'first@example.com', stage: 'prod' }, '-c stage, -c waf: is not read'],
    [{ deletionProtection: false }, '-c deletionProtection: '],
  ])('that the command line gives (%j) are refused where only the file is read: %s', (given, told) => {
    const context: Readonly<Record<string, unknown>> = given
    const read = () => settingsOfContext((name) => context[name])
    if (told === null) expect(read()).toEqual({ adminEmail: context.adminEmail })
    else expect(read).toThrow(told)
  })

  describe('of a private network', () => {
    const network = {
      subnetIds: ['subnet-0123456789abcdef0'],
      securityGroupIds: ['sg-0123456789abcdef0'],
      allowedNetworks: ['10.20.0.0/16', '172.31.4.0/24', '192.168.7.9/32', '100.64.0.0/10', 'fd12:3456::/32'],
    }

    it('are taken', () => {
      expect(readSettings({ ...committed, network }, 'a.json').network).toEqual(network)
    })

    it.each([
      ['0.0.0.0/0'],
      ['10.0.0.0/7'],
      ['169.254.0.0/16'],
      ['169.254.169.254/32'],
      ['127.0.0.0/8'],
      ['8.8.8.0/24'],
      ['::/0'],
      ['fe80::/10'],
      ['fd12::1%eth0/64'],
      ['10.0.0.0'],
      ['10.0.0.0/'],
      ['10.0.0.0/33'],
      ['10.0.0.0/8/8'],
      ['prometheus.corp.test'],
      [''],
    ])('name %j, which cannot be opened', (entry) => {
      const wrong = { ...network, allowedNetworks: [entry] }
      expect(() => readSettings({ ...committed, network: wrong }, 'a.json')).toThrow(
        'a.json: network.allowedNetworks.0: must be a CIDR within 10.0.0.0/8, ',
      )
    })

    it.each([
      ['subnetIds', []],
      ['subnetIds', ['vpc-0123456789abcdef0']],
      ['securityGroupIds', []],
      ['securityGroupIds', ['default']],
      ['vpc', 'vpc-0123456789abcdef0'],
    ])('name %s when it is %j', (name, value) => {
      const wrong = { ...network, [name]: value }
      expect(() => readSettings({ ...committed, network: wrong }, 'a.json')).toThrow(
        /a\.json: .*(network|vpc)/,
      )
    })
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
