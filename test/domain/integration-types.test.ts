import { describe, expect, it } from 'vitest'
import { FIELD_KINDS, INTEGRATION_TYPES, type IntegrationField } from '#shared/domain/integration-types.ts'

const fields = INTEGRATION_TYPES.flatMap(({ type, fields: own }) => own.map((field) => ({ type, ...field })))
const named = (type: string, name: string): IntegrationField => {
  const found = fields.find((field) => field.type === type && field.name === name)
  if (found === undefined) throw new Error(`${type} has no ${name}`)
  return found
}
const takes = ({ form }: IntegrationField, text: string): boolean =>
  new RegExp(form?.pattern ?? '', 'u').test(text)

describe('the types of integrations', () => {
  it('stand once each in the order of the alphabet, each with a title, a hint and settings of different names', () => {
    const types = INTEGRATION_TYPES.map(({ type }) => type)
    expect(types).toEqual([...new Set(types)].toSorted())
    for (const { title, hint, fields: own } of INTEGRATION_TYPES) {
      expect(title).not.toBe('')
      expect(hint).toMatch(/^[A-Z].*\.$/s)
      expect(own.length).toBeGreaterThan(0)
      expect(new Set(own.map(({ name }) => name)).size).toBe(own.length)
    }
  })

  it('have settings of known kinds, each with a hint and a bound', () => {
    for (const { kind, hint, max, name } of fields) {
      expect(FIELD_KINDS).toContain(kind)
      expect(hint).toMatch(/\S/)
      expect(max).toBeGreaterThan(0)
      expect(name).toMatch(/^[a-z][a-z_]*$/)
    }
  })

  it('keep every secret sensitive, and say of it that it is only written', () => {
    for (const { kind, sensitive, hint } of fields) {
      if (kind === 'secret') expect(sensitive).toBe(true)
      if (sensitive) expect(hint).toContain('write-only')
    }
    expect(fields.filter(({ sensitive }) => sensitive).length).toBeGreaterThan(5)
    for (const { kind } of fields.filter(({ sensitive }) => sensitive))
      expect(['secret', 'text', 'map']).toContain(kind)
  })

  it('bound lists and maps by their entries and numbers from below, and nothing else so', () => {
    for (const { kind, most, min } of fields) {
      expect(most !== undefined).toBe(kind === 'list' || kind === 'map')
      expect(min !== undefined).toBe(kind === 'number')
      expect(most ?? 1).toBeGreaterThan(0)
      expect(min ?? 0).toBeGreaterThanOrEqual(0)
    }
  })

  it('offer choices where one has to be chosen, and only there', () => {
    for (const { kind, choices } of fields) {
      expect(choices !== undefined).toBe(kind === 'choice')
      expect(new Set(choices).size).toBe(choices?.length ?? 0)
    }
  })

  it('have forms that compile, in words', () => {
    for (const { form, names } of fields)
      for (const one of [form, names])
        if (one !== undefined) {
          expect(() => new RegExp(one.pattern, 'u')).not.toThrow()
          expect(one.pattern).toMatch(/^\^.*\$$/s)
          expect(one.words).toMatch(/\S/)
        }
  })

  it('take addresses of 2,048 characters, and texts of 512 where nothing else is said', () => {
    for (const { kind, max } of fields) if (kind === 'url') expect(max).toBe(2_048)
    expect(named('cloudwatch', 'service_map')).toMatchObject({
      max: 512,
      most: 50,
      required: false,
      sensitive: false,
    })
    expect(named('alertmanager', 'password').max).toBe(512)
  })

  it('must have an address where the tool runs at home', () => {
    expect(named('alertmanager', 'base_url').required).toBe(true)
    expect(named('grafana', 'base_url').required).toBe(true)
    expect(named('datadog', 'base_url').required).toBe(false)
    expect(named('github', 'base_url').required).toBe(false)
  })
})

describe('what may stand in a setting', () => {
  it.each([
    ['alertmanager', 'bearer_token', ['abc', 'a.b-c_d~!', ':'], ['', 'a b', 'a\n', '\u00e9', '\u007f']],
    [
      'alertmanager',
      'username',
      ['ada', 'ada l\u00f6', ' a '],
      ['', ' ', 'a:b', 'a\nb', 'a\u202eb', 'a\u2066b', '\u0000'],
    ],
    ['github', 'client_id', ['Iv1.abc', '!~'], ['', 'a:b', 'a b', '\u00e9']],
    ['github', 'installation_id', ['1', '123456'], ['', 'a', '1a', '-1']],
    [
      'cloudwatch',
      'region',
      ['eu-central-1', 'us-gov-west-1'],
      ['', 'eu', 'eu-central', 'EU-central-1', 'eu-central-12', 'e-central-1'],
    ],
    [
      'cloudwatch',
      'role_arn',
      ['arn:aws:iam::123456789012:role/iis-reader-a', 'arn:aws-cn:iam::123456789012:role/iis-reader-a.b'],
      [
        'arn:aws:iam::123456789012:role/admin',
        'arn:aws:iam::12345678901:role/iis-reader-a',
        'arn:aws:iam::123456789012:role/iis-reader-',
        '',
      ],
    ],
  ] as const)('of %s: %s', (type, name, good, bad) => {
    for (const text of good) expect(takes(named(type, name), text), text).toBe(true)
    for (const text of bad) expect(takes(named(type, name), text), text).toBe(false)
  })

  it('further headers are ten at most, sensitive, with names and values of a header', () => {
    expect(named('alertmanager', 'headers')).toMatchObject({
      kind: 'map',
      sensitive: true,
      most: 10,
      max: 4_096,
    })
    const { form, names } = named('alertmanager', 'headers')
    expect(new RegExp(names?.pattern ?? '', 'u').test('X-Scope-OrgID')).toBe(true)
    expect(new RegExp(names?.pattern ?? '', 'u').test('a b')).toBe(false)
    expect(new RegExp(form?.pattern ?? '', 'u').test('tenant 1')).toBe(true)
    expect(new RegExp(form?.pattern ?? '', 'u').test('a\nb')).toBe(false)
  })
})
