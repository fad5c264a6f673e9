import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { configShape, readConfigChange } from '#shared/contract/integrations.ts'
import {
  FIELD_KINDS,
  INTEGRATION_TYPES,
  type IntegrationField,
  type IntegrationType,
} from '#shared/domain/integration-types.ts'

const row = (field: Partial<IntegrationField>) => ({
  type: 'sample',
  title: 'Sample',
  hint: 'A type of the test.',
  fields: [
    { name: 'it', kind: 'string', required: true, sensitive: false, max: 5, hint: 'h', ...field } as const,
  ],
})
const takes = (field: Partial<IntegrationField>, it: unknown): boolean =>
  configShape(row(field)).safeParse({ it }).success

describe('a setting', () => {
  it.each([
    ['a string', { kind: 'string' }, ['a', 'abcde'], ['', ' ', 'abcdef', 'a\nb', 1, null]],
    ['a secret', { kind: 'secret' }, ['a', 'abcde'], ['', 'abcdef', 'a\nb']],
    ['a text', { kind: 'text' }, ['a\nb'], ['', 'abcdef']],
    [
      'an address',
      { kind: 'url', max: 40 },
      ['http://a', 'https://a.example:9090/prefix/'],
      [
        'a',
        'ftp://a',
        'https://u:p@a',
        'https://a/?q=1',
        'https://a/#f',
        'https://a\n',
        `https://${'a'.repeat(40)}`,
      ],
    ],
    ['a choice', { kind: 'choice', choices: ['eu', 'us'] }, ['eu'], ['EU', '', 'x']],
    ['a number', { kind: 'number', min: 2 }, [2, 5], [1, 6, 2.5, '3', Number.NaN]],
    ['a boolean', { kind: 'boolean' }, [true, false], ['true', 1]],
    ['a list', { kind: 'list', most: 2 }, [['a'], ['a', 'b']], [[], ['a', 'b', 'c'], ['abcdef'], [1], 'a']],
    [
      'a list of a form of its own',
      { kind: 'list', form: { pattern: '^[a-z]+$', words: 'small letters' } },
      [['a', 'bc']],
      [['A'], ['a', '1']],
    ],
    [
      'a map',
      { kind: 'map', most: 1 },
      [{ a: 'b' }, {}],
      [{ a: 'b', c: 'd' }, { a: 1 }, { a: 'abcdef' }, []],
    ],
    [
      'repositories',
      { kind: 'repositories' },
      [['a/b'], { x: 'a/b' }],
      [
        [],
        ['a'],
        { x: 'a' },
        ['a.b/c'],
        ['a/..'],
        Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, 'a/b'])),
      ],
    ],
  ] satisfies [string, Partial<IntegrationField>, unknown[], unknown[]][])(
    'that is %s takes and refuses what it says',
    (_, field, good, bad) => {
      for (const value of good) expect([value, takes(field, value)]).toEqual([value, true])
      for (const value of bad) expect([value, takes(field, value)]).toEqual([value, false])
    },
  )

  it('of every kind that there is stands in that table', () => {
    for (const kind of FIELD_KINDS) expect(takes({ kind, choices: ['a'] }, undefined)).toBe(false)
  })

  it('that is optional is taken away by null, a required one is not', () => {
    expect(readConfigChange(row({ required: false }), { it: null })).toEqual({ it: null })
    expect(() => readConfigChange(row({}), { it: null })).toThrow('config.it')
  })
})

describe('further headers of a tool', () => {
  const type = INTEGRATION_TYPES.find((row) => row.type === 'prometheus') as IntegrationType
  const refusal = (headers: object) => {
    try {
      readConfigChange(type, { headers })
      return null
    } catch (error) {
      return (error as { details?: unknown }).details
    }
  }

  it.each([
    { 'X-Scope-OrgID': 'team-a' },
    { Hostess: 'x', 'x-te': 'a, b' },
    { [`x-${'a'.repeat(98)}`]: ' a b' },
  ])('may be %j', (headers) => expect(refusal(headers)).toBeNull())

  it.each(['a b', 'a:b', 'é', 'Host', 'TE', 'content-Type', 'a'.repeat(101)])(
    'are not named %j, which the refusal does not repeat',
    (name) => {
      expect(refusal({ [name]: 'x' })).toMatchObject({
        field: 'config.headers',
        reason: 'has a name that must be that of a header which is not the client’s own',
      })
    },
  )

  it.each(['ü', 'a\r\nb', '', ' '])('do not have the value %j', (value) => {
    expect(refusal({ 'x-a': value })).toMatchObject({ field: 'config.headers.x-a' })
  })

  it('are refused in the document as in the service', () => {
    const form = z.toJSONSchema(z.strictObject({ config: configShape(type) }), { io: 'input' })
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into a document
    const { propertyNames, additionalProperties } = (form as any).properties.config.properties.headers
    for (const name of ['X-Scope-OrgID', 'Hostess']) expect(name).toMatch(new RegExp(propertyNames.pattern))
    for (const name of ['Host', 'a b', '']) expect(name).not.toMatch(new RegExp(propertyNames.pattern))
    expect('team-a').toMatch(new RegExp(additionalProperties.pattern))
    for (const value of ['ü', ' ', '\n']) expect(value).not.toMatch(new RegExp(additionalProperties.pattern))
  })
})

describe('the table of types', () => {
  it('is in the order of the alphabet, and each row says what it is', () => {
    const names = INTEGRATION_TYPES.map(({ type }) => type)
    expect(names).toEqual([...names].sort())
    for (const { type, title, hint, fields } of INTEGRATION_TYPES) {
      expect(type).toMatch(/^[a-z]+$/)
      expect([title.length > 2, hint.endsWith('.'), fields.length > 0]).toEqual([true, true, true])
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
    }
  })

  it('marks as sensitive whatever is named like a secret, and gives every choice its choices', () => {
    for (const { type, fields } of INTEGRATION_TYPES as readonly (typeof INTEGRATION_TYPES)[number][]) {
      for (const field of fields as readonly IntegrationField[]) {
        const isNamedSo = /secret|token|password|_key$|headers/.test(field.name)
        expect([type, field.name, field.sensitive]).toEqual([type, field.name, isNamedSo || field.sensitive])
        expect((field.choices ?? []).length > 0).toBe(field.kind === 'choice')
        expect(field.hint).toMatch(/\.$/)
      }
    }
  })
})
