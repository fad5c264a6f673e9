/**
 * The rules of the engine: the functions of its causes and changes that may find nothing, or that hand on what they were given.
 * Each can be told to do so, so that what it is worth can be measured. What answers yes or no, or keeps a table for others, is a
 * part of the rules that ask it.
 */
import { type ESTree, parseSync } from 'vite'

/** What a rule is, as its signature says. */
export interface EngineRule {
  readonly file: string
  readonly name: string
}

/** A rule in the text of its file. */
interface PlacedRule extends EngineRule {
  /** Whether it is an arrow that a constant holds; otherwise it is a declaration. */
  readonly isArrow: boolean
  readonly start: number
  readonly end: number
  /** An expression that takes what the rule takes, and gives what it gives where it finds nothing. */
  readonly nothing: string
}

type Callable = ESTree.Function | ESTree.ArrowFunctionExpression

/** What a type gives where nothing is found, by the name of the type. */
const EMPTY: Readonly<Record<string, string>> = {
  // What an arrival gains besides; where nothing is, the arrivals are as they were.
  FailedOver: '({ arrivals: given[0], eventOf: new Map() })',
  MovedItself: '({ arrivals: given[0], stepOf: new Map() })',
}

/** What a change may be without, of all that is kept of it. */
const MAY_BE_MISSING: ReadonlySet<string> = new Set(['quoted', 'echo'])

const nameOf = (type: ESTree.TSType): string =>
  type.type === 'TSLiteralType' && type.literal.type === 'Literal' ? String(type.literal.value) : ''

const ofUnion = (types: readonly ESTree.TSType[]): string | null => {
  if (types.some(({ type }) => type === 'TSNullKeyword')) return 'null'
  return types.some(({ type }) => type === 'TSUndefinedKeyword') ? 'undefined' : null
}

/** What a value of a type is where nothing is found; null where it has to be something. */
function emptyOf(type: ESTree.TSType): string | null {
  switch (type.type) {
    case 'TSUnionType':
      return ofUnion(type.types)
    case 'TSArrayType':
      return '[]'
    case 'TSTypeOperator':
      return emptyOf(type.typeAnnotation)
    case 'TSFunctionType': {
      const inner = type.returnType.typeAnnotation
      const empty = inner === undefined ? null : emptyOf(inner)
      return empty === null ? null : `() => ${empty}`
    }
    case 'TSIndexedAccessType':
      return MAY_BE_MISSING.has(nameOf(type.indexType)) ? 'null' : null
    case 'TSTypeReference':
      return type.typeName.type === 'Identifier' ? (EMPTY[type.typeName.name] ?? null) : null
    default:
      return null
  }
}

/** Types whose values say nothing by being handed back. */
const isOfWords = ({ type }: ESTree.TSType): boolean =>
  ['TSStringKeyword', 'TSNumberKeyword', 'TSBooleanKeyword'].includes(type)

/** What gives nothing in place of a function: what it was given, where it gives the like of it, or what is empty. */
function nothingOf(call: Callable, text: string): string | null {
  const type = call.returnType?.typeAnnotation
  if (type === undefined) {
    const inner = call.body
    if (inner?.type !== 'ArrowFunctionExpression') return null
    const nothing = nothingOf(inner, text)
    return nothing === null ? null : `() => ${nothing}`
  }
  const written = (node: { readonly start: number; readonly end: number }): string =>
    text.slice(node.start, node.end)
  const same = call.params.findIndex(
    (param) =>
      'typeAnnotation' in param &&
      param.typeAnnotation != null &&
      written(param.typeAnnotation) === written(call.returnType as ESTree.TSTypeAnnotation),
  )
  if (same >= 0 && !isOfWords(type)) return `(...given) => given[${same}]`
  const empty = emptyOf(type)
  return empty === null ? null : `(...given) => ${empty}`
}

/** The rules of one file, in the order in which they stand there. */
function placedIn(file: string, text: string): readonly PlacedRule[] {
  const { program } = parseSync(file, text, { lang: 'ts' })
  return program.body.flatMap((statement): readonly PlacedRule[] => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null
    if (declared?.type === 'FunctionDeclaration') {
      const nothing = nothingOf(declared, text)
      if (nothing === null || declared.id === null) return []
      return [{ file, name: declared.id.name, isArrow: false, ...spanOf(declared), nothing }]
    }
    if (declared?.type !== 'VariableDeclaration') return []
    return declared.declarations.flatMap(({ id, init }): readonly PlacedRule[] => {
      if (init?.type !== 'ArrowFunctionExpression' || id.type !== 'Identifier') return []
      const nothing = nothingOf(init, text)
      return nothing === null ? [] : [{ file, name: id.name, isArrow: true, ...spanOf(init), nothing }]
    })
  })
}

const spanOf = ({ start, end }: { readonly start: number; readonly end: number }) => ({ start, end })

/** The rules of one file, in the order in which they stand there. */
export const rulesIn = (file: string, text: string): readonly EngineRule[] =>
  placedIn(file, text).map(({ name }) => ({ file, name }))

/** Tells a rule from all others. */
export const keyOfRule = ({ file, name }: EngineRule): string => `${file} ${name}`

/**
 * The text of a file in which each rule goes through `$rule(key, rule, nothing)`, which gives the function that is called in its
 * place.
 */
export function withRulesAsked(file: string, text: string): string {
  let asked = text
  for (const rule of placedIn(file, text).toReversed()) {
    const key = JSON.stringify(keyOfRule(rule))
    if (rule.isArrow) {
      const written = asked.slice(rule.start, rule.end)
      asked = `${asked.slice(0, rule.start)}$rule(${key}, ${written}, ${rule.nothing})${asked.slice(rule.end)}`
    }
    // What others import is what the name holds.
    else asked += `\n${rule.name} = $rule(${key}, ${rule.name}, ${rule.nothing})\n`
  }
  return asked
}

/** Whether two results are the same nothing: of lists and maps, that they hold the same. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => Object.is(one, b[index]))
  if ((a instanceof Map && b instanceof Map) || (a instanceof Set && b instanceof Set))
    return a.size === 0 && b.size === 0
  if (isFields(a) && isFields(b)) return Object.keys(a).every((key) => isSame(a[key], b[key]))
  return false
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

type AnyFunction = (...given: readonly unknown[]) => unknown

/** Which rule finds nothing for now, and which found something since they were last asked. */
export class RuleSwitch {
  /** The key of the rule that is to find nothing; null for none. */
  silent: string | null = null
  readonly #found = new Set<string>()

  /** What found something since this was asked last, by key. */
  takeFound(): ReadonlySet<string> {
    const found = new Set(this.#found)
    this.#found.clear()
    return found
  }

  /** The function that is called in a rule's place. */
  readonly place = (key: string, rule: AnyFunction, nothing: AnyFunction): AnyFunction => {
    const noted = (result: unknown, none: () => unknown): unknown => {
      if (typeof result === 'function')
        return (...given: readonly unknown[]) =>
          noted(result(...given), () => (none() as AnyFunction)(...given))
      if (!this.#found.has(key) && !isSame(result, none())) this.#found.add(key)
      return result
    }
    return (...given) =>
      this.silent === key ? nothing(...given) : noted(rule(...given), () => nothing(...given))
  }
}
