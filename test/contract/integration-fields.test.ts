import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  configShape,
  integration,
  integrationCreated,
  readConfigChange,
  shownConfigShape,
} from '#shared/contract/integrations.ts'
import { shownConfig } from '#shared/domain/connect-integration.ts'
import {
  FIELD_KINDS,
  INTEGRATION_TYPES,
  type IntegrationField,
  type IntegrationType,
} from '#shared/domain/integration-types.ts'
import { SAMPLE_CONFIGS } from '#test/adapters/tools/sample-configs.ts'

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

const isRequired = ({ fields }: IntegrationType, name: string): boolean =>
  fields.some((field) => field.required && field.name === name)

/** A value that a setting may hold. */
function sampleOf({ kind, choices = [], min = 0 }: IntegrationField): unknown {
  switch (kind) {
    case 'repositories':
      return { checkout: 'acme-shop/checkout' }
    case 'choice':
      return choices[0]
    case 'number':
      return min
    case 'boolean':
      return true
    case 'list':
      return ['one', 'two']
    case 'map':
      return { name: 'value' }
    default:
      return kind === 'url' ? 'https://tool.example' : 'text'
  }
}

describe('settings as they are shown', () => {
  it.each(INTEGRATION_TYPES.map((type) => [type.type, type] as const))(
    'have the form that the document tells, all of them or only those that must be there: %s',
    (_, type) => {
      const all = Object.fromEntries(type.fields.map((field) => [field.name, sampleOf(field)]))
      const least = Object.fromEntries(Object.entries(all).filter(([name]) => isRequired(type, name)))
      const sample =
        SAMPLE_CONFIGS[type.type as keyof typeof SAMPLE_CONFIGS]?.('https://tool.example') ?? least
      for (const config of [all, least, sample])
        expect(shownConfigShape(type).safeParse(shownConfig(type, config)).error).toBeUndefined()
    },
  )

  it.each(INTEGRATION_TYPES.map((type) => [type.type, type] as const))(
    'have no place for a secret: %s',
    (_, type) => {
      const secrets = type.fields.filter(({ sensitive }) => sensitive)
      const { properties = {} } = z.toJSONSchema(shownConfigShape(type))
      for (const { name } of secrets) {
        expect(properties).not.toHaveProperty(name)
        expect(properties).toHaveProperty(`has_${name}`, { type: 'boolean' })
      }
    },
  )

  it('may lack the word of a secret that is younger than they are', () => {
    const [type] = INTEGRATION_TYPES.filter((each) => each.type === 'statuspage')
    if (type === undefined) throw new Error('there is no such type')
    const field = {
      ...type.fields[0],
      name: 'token',
      kind: 'secret',
      sensitive: true,
      required: true,
    } as const
    const grown = { ...type, fields: [...type.fields, field as IntegrationField] }
    expect(shownConfigShape(grown).safeParse({ base_url: 'https://tool.example' }).success).toBe(true)
  })
})

describe('an integration as it is shown', () => {
  const at = '2026-01-31T12:00:00.000Z'
  const shown = {
    id: 'statuspage_01KGA0000000000000000000AA',
    type: 'statuspage',
    status: 'connected',
    status_detail: null,
    config: { base_url: 'https://status.example' },
    ingest: null,
    created_at: at,
    updated_at: at,
    connected_at: at,
  }

  it('has settings of its own type and of no other', () => {
    expect(integration.safeParse(shown).success).toBe(true)
    for (const wrong of [
      { type: 'carrier-pigeon' },
      { type: 'bundle' },
      { config: {} },
      { config: { base_url: 'https://status.example', has_token: true } },
    ])
      expect(integration.safeParse({ ...shown, ...wrong }).success).toBe(false)
  })

  it('has warnings where it was made just now, and only there', () => {
    const warned = { ...shown, warnings: ['The value was answered before.'] }
    expect(integrationCreated.safeParse(warned).success).toBe(true)
    expect(integrationCreated.safeParse(shown).success).toBe(true)
    expect(integration.safeParse(warned).success).toBe(false)
  })
})
