import { spawnSync } from 'node:child_process'
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
      'a.json: retentionDay: is not a known field: did you mean retentionDays?',
    )
    expect(() => readSettings({ ...committed, alerts: { calm: 3 } }, 'a.json')).toThrow(
      'a.json: alerts.calm: is not a known field. Known: quietSeconds, reopenSeconds',
    )
  })

  it.each([
    ['stage', 'production', 'must be one of: dev, prod'],
    ['retentionDays', 0, 'must be at least 1'],
    ['retentionDays', 1.5, 'must be a whole number'],
    ['retentionDays', '400', 'must be a number'],
    ['logRetentionDays', 42, 'must be one of 1, 3, 5'],
    ['alarmEmail', 'nobody', 'must be a mail address or null'],
    ['adminEmail', 7, 'must be a string'],
    ['throttleRatePerSecond', -1, 'must be at least 1'],
    ['throttleBurst', 100_000, 'must be at most 5000'],
    ['xray', 'yes', 'must be true or false'],
    ['waf', null, 'must be true or false'],
    ['accessLog', true, 'must be one of: off, with-existing-account-role'],
    ['deletionProtection', 'on', 'must be true or false'],
    ['domain', { name: 'API', certificateArn: 'x' }, 'must be a host name such as incidents.example.com'],
  ])('name %s when it is %j, and say what it must be', (name, value, reason) => {
    const read = () => readSettings({ ...committed, [name]: value }, 'a.json')
    expect(read).toThrow(`a.json: ${name}`)
    expect(read).toThrow(reason)
  })

  it.each([
    [{}, null],
    [{ adminEmail: 'first@example.com', settings: 'other.json', '@aws-cdk/core:any': true }, null],
    [{ stage: 'prod' }, '-c stage: is not read from the command line; set it in infra/settings.json'],
    [{ waf: 'true', adminEmail: 'first@example.com', stage: 'prod' }, '-c stage, -c waf: is not read'],
    [{ deletionProtection: false }, '-c deletionProtection: '],
    [
      { adminMail: 'first@example.com', settings: 'other.json' },
      '-c adminMail: is not known; the command line takes -c settings=FILE and -c adminEmail=ADDRESS',
    ],
    [{ setings: 'prod.json', 'aws:cdk:bundling-stacks': ['**'] }, '-c setings: is not known'],
  ])('that the command line gives (%j) are refused where they are not read: %s', (given, told) => {
    const context: Readonly<Record<string, unknown>> = given
    const read = () => settingsOfContext(context)
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
        'a.json: network.allowedNetworks[0]: must be a CIDR within 10.0.0.0/8, ',
      )
    })

    it.each([
      ['subnetIds', [], 'network.subnetIds: must have at least 1 item'],
      ['subnetIds', ['vpc-0123456789abcdef0'], 'network.subnetIds[0]: must be the id of a subnet (subnet-'],
      ['securityGroupIds', [], 'network.securityGroupIds: must have at least 1 item'],
      [
        'securityGroupIds',
        ['default'],
        'network.securityGroupIds[0]: must be the id of a security group (sg-',
      ],
      ['vpc', 'vpc-0123456789abcdef0', 'network.vpc: is not a known field'],
    ])('name %s when it is %j', (name, value, told) => {
      const wrong = { ...network, [name]: value }
      expect(() => readSettings({ ...committed, network: wrong }, 'a.json')).toThrow(`a.json: ${told}`)
    })
  })

  it('name each one that is missing', () => {
    const { waf: _, ...without } = committed
    expect(() => readSettings(without, 'a.json')).toThrow('a.json: waf: is required')
    expect(() => readSettings({}, 'a.json')).toThrow(
      /stage: is required; retentionDays: is required; .*accessLog: is required$/,
    )
    expect(() => readSettings(null, 'a.json')).toThrow('a.json: the file: must be an object')
  })

  it('say which file cannot be read or is no JSON', () => {
    expect(() => readSettingsFile('infra/no-settings.json')).toThrow(
      'infra/no-settings.json: cannot be read (ENOENT)',
    )
    expect(() => readSettingsFile('infra/app.ts')).toThrow('infra/app.ts: is no JSON: Unexpected token')
  })

  it('that are wrong end the synthesis in one line that says so', () => {
    const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], {
      encoding: 'utf8',
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ settings: 'package.json' }) },
    })
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 })
    expect(stderr).toMatch(/^package\.json: stage: is required; /)
  })

  it('keep and guard the data outside dev, unless the first deployment asks for no guard', () => {
    expect([keepsData(committed), protectsTables(committed)]).toEqual([false, false])
    const prod = { ...committed, stage: 'prod' as const }
    expect([keepsData(prod), protectsTables(prod)]).toEqual([true, true])
    expect(protectsTables({ ...prod, deletionProtection: false })).toBe(false)
  })
})
