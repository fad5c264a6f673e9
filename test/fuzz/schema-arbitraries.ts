import fc from 'fast-check'

/** The part of JSON Schema that the document of the API uses. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly minProperties?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly prefixItems?: readonly Schema[]
  readonly pattern?: string
  readonly format?: string
}

export interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Follows a reference. @throws Error for one that leads nowhere */
export function follow(schema: Schema, document: Document): Schema {
  if (schema.$ref === undefined) return schema
  const found = document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`)
  return found
}

/** What a schema cannot say of a member, by the member's path: values that the service takes. */
export type Meanings = Readonly<Record<string, fc.Arbitrary<unknown>>>

const instant = () =>
  fc
    .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())

/** Text of letters of many scripts that holds something that is no blank. */
const text = (most: number) =>
  fc
    .tuple(
      fc.constantFrom('a', 'Ü', '漢', '🔥', '0'),
      fc.string({ unit: 'grapheme', maxLength: Math.min(most - 1, 40) }),
    )
    .map(([first, rest]) => {
      const clean = (first + rest).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '-')
      return [...clean].slice(0, most).join('')
    })

/** The types that a schema allows, `null` apart: it is written beside another one. */
const typesOf = ({ type }: Schema): { readonly kind: string; readonly nullable: boolean } => {
  const types = typeof type === 'string' ? [type] : (type ?? [])
  return {
    kind: types.find((each) => each !== 'null') ?? (types.length > 0 ? 'null' : 'any'),
    nullable: types.includes('null'),
  }
}

/** Numbers of every size that a schema allows, whole ones where it wants them. */
function numbers({ minimum, exclusiveMinimum, maximum }: Schema, kind: string): fc.Arbitrary<number> {
  const least = minimum ?? exclusiveMinimum
  if (kind === 'integer')
    return fc.integer({
      ...(least === undefined ? {} : { min: least }),
      ...(maximum === undefined ? {} : { max: maximum }),
    })
  return fc
    .double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(least === undefined ? {} : { min: least }),
      ...(exclusiveMinimum === undefined ? {} : { minExcluded: true }),
      ...(maximum === undefined ? {} : { max: maximum }),
    })
    .map((value) => (Object.is(value, -0) ? 0 : value))
}

const matchings = new Map<string, fc.Arbitrary<string>>()

/** Texts that match a pattern, made once for each: to take a pattern apart takes longer than to send a request. */
function matching(pattern: string): fc.Arbitrary<string> {
  const made = matchings.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matchings.set(pattern, made)
  return made
}

/** Names of members that a document leaves open: of many scripts, and none through which a prototype is reached. */
const MEMBER_NAMES = [
  'a',
  'pod',
  'http.status_code',
  'Ü b',
  '漢',
  '🔥',
  '0',
  '',
  'toString',
  'hasOwnProperty',
]

/**
 * Values that a schema allows.
 * @param path of the value, such as `context.service`; `meanings` are looked up by it
 */
export function validOf(
  schema: Schema,
  document: Document,
  meanings: Meanings,
  path = '',
): fc.Arbitrary<unknown> {
  const meant = meanings[path]
  if (meant !== undefined) return meant
  const read = follow(schema, document)
  if (read.const !== undefined) return fc.constant(read.const)
  if (read.enum !== undefined) return fc.constantFrom(...read.enum)
  const choices = read.oneOf ?? read.anyOf
  if (choices !== undefined)
    return fc.oneof(...choices.map((choice) => validOf(choice, document, meanings, path)))
  const { kind, nullable } = typesOf(read)
  const of = valueOfKind(kind, read, document, meanings, path)
  return nullable ? fc.oneof({ weight: 4, arbitrary: of }, fc.constant(null)) : of
}

function valueOfKind(
  kind: string,
  read: Schema,
  document: Document,
  meanings: Meanings,
  path: string,
): fc.Arbitrary<unknown> {
  const within = (name: string) => (path === '' ? name : `${path}.${name}`)
  switch (kind) {
    case 'object': {
      if (typeof read.additionalProperties === 'object') {
        const member = validOf(read.additionalProperties, document, meanings, within('*'))
        return fc.dictionary(fc.constantFrom(...MEMBER_NAMES), member, { maxKeys: 4, noNullPrototype: true })
      }
      const members = Object.entries(read.properties ?? {}).map(([name, member]) => [
        name,
        validOf(member, document, meanings, within(name)),
      ])
      const known = fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
        requiredKeys: [...(read.required ?? [])],
        noNullPrototype: true,
      })
      if (read.minProperties === undefined) return known
      return known.filter((value) => Object.keys(value as object).length >= (read.minProperties ?? 0))
    }
    case 'array':
      if (read.prefixItems !== undefined)
        return fc.tuple(...read.prefixItems.map((item) => validOf(item, document, meanings, `${path}[]`)))
      return fc.array(validOf(read.items ?? {}, document, meanings, `${path}[]`), {
        minLength: read.minItems ?? 0,
        maxLength: Math.min(read.maxItems ?? 5, (read.minItems ?? 0) + 5),
      })
    case 'string':
      if (read.format === 'date-time') return instant()
      if (read.pattern !== undefined && !isFreeText(read.pattern)) return matching(read.pattern)
      return text(read.maxLength ?? 40)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'number':
    case 'integer':
      return numbers(read, kind)
    default:
      return fc.constantFrom('text', 1, true)
  }
}

/** A pattern that wants no more of a text than that there is something to see. */
const isFreeText = (pattern: string): boolean => new RegExp(pattern).test('¿Qué pasa, “checkout”? {1}')

/** Texts of which one at least does not match a pattern. */
const NO_MATCHES = [' no match ', ' \t ', 'é\n', 'a\0b']

/** A value with exactly one thing wrong, and the field that an error must name. */
export interface Broken {
  readonly value: unknown
  readonly field: string
  readonly how: string
}

type Path = readonly (string | number)[]
const fieldOf = (path: Path): string =>
  path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  ) || 'body'

/** A copy of a value with one member set, or taken away where the new one is undefined. */
function withMember(value: unknown, path: Path, changed: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return changed
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as unknown[])]
    copy[Number(step)] = withMember(copy[Number(step)], rest, changed)
    return copy
  }
  const copy = { ...(value as Record<string, unknown>) }
  if (rest.length === 0 && changed === undefined) delete copy[step]
  else copy[step] = withMember(copy[step], rest, changed)
  return copy
}

/** Values of other types than the one wanted. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  object: [[], 'text', 1, null, true],
  array: [{}, 'text', 1, null, true],
  string: [{}, [], 1, null, true],
  boolean: [{}, [], 1, null, 'true'],
  number: [{}, [], '1', null, true],
  integer: [{}, [], '1', null, true, 1.5],
}
/** What looks like a timestamp and is none that is taken. */
const BAD_INSTANTS = [
  '2026-02-30T00:00:00Z',
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00+01:00',
  '2026-01-31',
  '2026-13-01T00:00:00Z',
  '2026-01-31T25:00:00Z',
  '1769860800000',
  'yesterday',
  '',
]

/** Every single thing that can be wrong with a valid value of a schema. */
export function breakagesOf(schema: Schema, document: Document, value: unknown, path: Path = []): Broken[] {
  const read = follow(schema, document)
  const choices = read.oneOf ?? read.anyOf
  if (choices !== undefined) {
    // A union is broken by what none of its choices takes; inside, the choice that the value was made from counts.
    const chosen = choices.find((choice) => {
      const named = Object.entries(follow(choice, document).properties ?? {}).find(
        ([, { const: fixed }]) => fixed !== undefined,
      )
      return named !== undefined && (value as Record<string, unknown>)[named[0]] === named[1].const
    })
    const inside = chosen === undefined ? [] : breakagesOf(chosen, document, value, path)
    if (inside.length > 0) return inside
    return [true, 5].map((other) => ({ value: other, field: fieldOf(path), how: 'none of the choices' }))
  }
  const broken: Broken[] = []
  const put = (changed: unknown, how: string, at: Path = []) =>
    broken.push({ value: withMember(value, at, changed), field: fieldOf([...path, ...at]), how })

  const { kind: type, nullable } = typesOf(read)
  const kind = read.const !== undefined || read.enum !== undefined ? 'string' : type
  for (const other of OTHERS[kind] ?? []) if (other !== null || !nullable) put(other, `a ${kind} is wanted`)
  if (value === null) return broken
  if (read.enum !== undefined || read.const !== undefined) {
    put('none-of-them', 'not in the list')
    put(String(read.enum?.[0] ?? read.const).toUpperCase(), 'another case')
    return broken
  }
  if (read.format === 'date-time') for (const bad of BAD_INSTANTS) put(bad, 'no timestamp')
  else if (kind === 'string') {
    if ((read.minLength ?? 0) > 0) put('', 'empty')
    const { pattern } = read
    if (pattern !== undefined)
      put(
        NO_MATCHES.find((each) => !new RegExp(pattern).test(each)),
        'no match',
      )
    if (read.maxLength !== undefined) put('x'.repeat(read.maxLength + 1), 'too long')
  }
  if (kind === 'number' || kind === 'integer') {
    if (read.minimum !== undefined) put(read.minimum - 1, 'too little')
    if (read.exclusiveMinimum !== undefined) put(read.exclusiveMinimum, 'too little')
    if (read.maximum !== undefined) put(read.maximum * 2 + 1, 'too much')
  }
  if (read.prefixItems !== undefined) {
    put((value as unknown[]).slice(1), 'too few')
    put([...(value as unknown[]), 1], 'too many')
    for (const [index, item] of read.prefixItems.entries())
      for (const each of breakagesOf(item, document, (value as unknown[])[index], [...path, index]))
        broken.push({ ...each, value: withMember(value, [index], each.value) })
    return broken
  }
  if (kind === 'array') {
    if ((read.minItems ?? 0) > 0) put([], 'too few')
    const [first] = value as unknown[]
    if (read.maxItems !== undefined && first !== undefined)
      put(Array(read.maxItems + 1).fill(first), 'too many')
    if (read.items !== undefined && first !== undefined)
      for (const each of breakagesOf(read.items, document, first, [...path, 0]))
        broken.push({ ...each, value: withMember(value, [0], each.value) })
  }
  if (kind === 'object') {
    if (typeof read.additionalProperties === 'object' && read.additionalProperties.type !== undefined)
      put({}, 'a member of another kind', ['member'])
    if (read.additionalProperties === false) {
      put(1, 'an unknown member', ['unknown_member'])
      put(1, 'a misspelt member', [`${Object.keys(read.properties ?? {})[0] ?? ''}s_`])
    }
    if ((read.minProperties ?? 0) > 0) put({}, 'too few members')
    for (const name of read.required ?? []) put(undefined, 'a required member is missing', [name])
    for (const [name, member] of Object.entries(read.properties ?? {})) {
      const present = (value as Record<string, unknown>)[name]
      if (present === undefined) continue
      for (const each of breakagesOf(member, document, present, [...path, name]))
        broken.push({ ...each, value: withMember(value, [name], each.value) })
    }
  }
  return broken
}
