import { parseAst } from 'vite'
import type { FunctionPlace } from '#infra/bundling/eager-functions.ts'

/** A function that may be compiled at once, and where its body is. */
export interface PlacedFunction extends FunctionPlace {
  readonly body: { readonly start: number; readonly end: number; readonly block: boolean }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Says to bundlers that calls do nothing else than give a value; it must stay with its function. */
const ANNOTATION = /NO_SIDE_EFFECTS/
/** How far before a function its annotation begins, at most. */
const ANNOTATION_CHARACTERS = 60

function bodyOf(node: Node): PlacedFunction['body'] | null {
  const { body } = node
  return isNode(body) ? { start: body.start, end: body.end, block: body.type === 'BlockStatement' } : null
}

/** What is called as a method has no place for parentheses. */
const isMethod = ({ type, method, kind }: Node): boolean =>
  type === 'MethodDefinition' || (type === 'Property' && (method === true || kind !== 'init'))

/** Every function of a module that may stand in parentheses: expressions, and declarations at the top level. */
export function functionPlaces(text: string, lang: 'ts' | 'js'): readonly PlacedFunction[] {
  const found: PlacedFunction[] = []
  const program = parseAst(text, { lang }) as unknown as Node
  const look = (node: Node, parent: Node | null): void => {
    const body = bodyOf(node)
    const expression = node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression'
    const before = text.slice(Math.max(0, node.start - ANNOTATION_CHARACTERS), node.start)
    if (expression && body !== null && parent !== null && !isMethod(parent) && !ANNOTATION.test(before))
      found.push({ start: node.start, end: node.end, body })
    for (const child of childrenOf(node)) look(child, node)
  }
  look(program, null)
  const statements = childrenOf(program)
  const named = new Map<string, number>()
  const declared = statements.map((statement) => {
    const exported = statement.type === 'ExportNamedDeclaration'
    const node = exported ? statement.declaration : statement
    if (!isNode(node) || !/Function$|^FunctionDeclaration$/.test(node.type) || !isNode(node.id)) return null
    const name = String(node.id.name)
    named.set(name, (named.get(name) ?? 0) + 1)
    return { name, node, exported }
  })
  for (const [index, each] of declared.entries()) {
    if (each === null || each.node.type !== 'FunctionDeclaration' || named.get(each.name) !== 1) continue
    const { node, name, exported } = each
    const body = bodyOf(node)
    const comments = text.slice(statements[index - 1]?.end ?? 0, node.start)
    if (body === null || ANNOTATION.test(comments)) continue
    found.push({
      start: node.start,
      end: node.end,
      declares: name,
      ...(exported ? { exported: true } : {}),
      body,
    })
  }
  return found.sort((one, other) => one.start - other.start)
}
