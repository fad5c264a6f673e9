import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export type Item = Record<string, unknown>
type Values = Readonly<Record<string, unknown>>
type Names = Readonly<Record<string, string>>

/** The inputs that the stores' commands have, as far as they are understood here. */
export interface Input {
  TableName?: string
  IndexName?: string
  Key?: Item
  Item?: Item
  UpdateExpression?: string
  ConditionExpression?: string | undefined
  KeyConditionExpression?: string
  FilterExpression?: string
  ProjectionExpression?: string
  ExpressionAttributeNames?: Names
  ExpressionAttributeValues?: Values
  ExclusiveStartKey?: Item
  ScanIndexForward?: boolean
  Limit?: number
  ReturnValues?: string
  TransactItems?: Partial<Record<'Put' | 'Update' | 'Delete' | 'ConditionCheck', Input>>[]
}

export interface Command {
  readonly constructor: { readonly name: string }
  readonly input: Input
}

/** What the tables of a history have become; a copy of it is another world. */
export type Tables = Map<string, Map<string, Item>>

const keyText = ({ pk, sk }: Item): string => `${String(pk)}\u0000${String(sk)}`
const copy = <T>(value: T): T => structuredClone(value)

/** The texts and numbers of an item as an error carries them. */
const onTheWire = (item: Item): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]): [string, AttributeValue][] => {
      if (typeof value === 'string') return [[name, { S: value }]]
      return typeof value === 'number' ? [[name, { N: String(value) }]] : []
    }),
  )

/** Cuts at commas or words that stand outside of brackets. */
function cut(text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const token of text.split(/(\(|\)|,| AND )/)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (depth === 0 && separator.test(token)) {
      parts.push(part)
      part = ''
    } else part += token
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '')
}

/** Conditions that were cut, by their text: the stores write a few dozen, and each is asked of every item. */
const CUT = new Map<string, readonly string[]>()

function partsOf(condition: string): readonly string[] {
  const known = CUT.get(condition)
  if (known !== undefined) return known
  // BETWEEN has an AND of its own.
  const parts = cut(condition.replace(/BETWEEN (\S+) AND (\S+)/g, 'BETWEEN $1 TO $2'), /^ AND $/)
  CUT.set(condition, parts)
  return parts
}

/** Evaluates the expressions that the stores write, no others: an unknown one is an error, never a guess. */
class Expressions {
  readonly #names: Names
  readonly #values: Values

  constructor({ ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Input) {
    this.#names = ExpressionAttributeNames
    this.#values = ExpressionAttributeValues
  }

  name(text: string): string {
    return this.#names[text.trim()] ?? text.trim()
  }

  value(text: string, item: Item): unknown {
    const trimmed = text.trim()
    const missing = /^if_not_exists\((.+?),(.+)\)$/.exec(trimmed)
    if (missing !== null) {
      const [, name = '', other = ''] = missing
      return item[this.name(name)] ?? this.value(other, item)
    }
    if (!trimmed.startsWith(':')) return item[this.name(trimmed)]
    if (!(trimmed in this.#values)) throw new Error(`no value ${trimmed}`)
    return this.#values[trimmed]
  }

  /** Where a path such as `alert.status` ends. */
  #place(path: string, item: Item): { holder: Item; last: string } {
    const names = path.split('.').map((part) => this.name(part))
    const last = names.pop() ?? ''
    return { holder: names.reduce((inner, name) => inner[name] as Item, item), last }
  }

  holds(condition: string, item: Item): boolean {
    return partsOf(condition).every((part) => this.#part(part, item))
  }

  #part(part: string, item: Item): boolean {
    if (part.startsWith('(')) {
      return part
        .slice(1, -1)
        .split(' OR ')
        .some((each) => this.#part(each.trim(), item))
    }
    const either = part.split(' OR ')
    if (either.length > 1) return either.some((each) => this.#part(each.trim(), item))
    const exists = /^attribute_(not_)?exists\((.+)\)$/.exec(part)
    if (exists !== null) return (item[this.name(exists[2] ?? '')] !== undefined) === (exists[1] === undefined)
    const begins = /^begins_with\((.+?),(.+)\)$/.exec(part)
    if (begins !== null)
      return String(item[this.name(begins[1] ?? '')]).startsWith(String(this.value(begins[2] ?? '', item)))
    const listed = /^(\S+) IN \((.+)\)$/.exec(part)
    if (listed !== null)
      return (listed[2] ?? '')
        .split(',')
        .some((each) => this.value(each, item) === item[this.name(listed[1] ?? '')])
    const between = /^(\S+) BETWEEN (\S+) TO (\S+)$/.exec(part)
    if (between !== null) {
      const [, name = '', low = '', high = ''] = between
      const found = item[this.name(name)] as string
      return found >= (this.value(low, item) as string) && found <= (this.value(high, item) as string)
    }
    const compared = /^(\S+) (=|<=|>=|<|>) (\S+)$/.exec(part)
    if (compared === null) throw new Error(`no such condition: ${part}`)
    const [, name = '', operator, other = ''] = compared
    const [left, right] = [item[this.name(name)] as number, this.value(other, item) as number]
    // A missing attribute fails every comparison.
    if (left === undefined || right === undefined) return false
    switch (operator) {
      case '=':
        return left === right
      case '<=':
        return left <= right
      case '>=':
        return left >= right
      case '<':
        return left < right
      default:
        return left > right
    }
  }

  update(expression: string, item: Item): Item {
    const after = copy(item)
    const [, set = '', remove = ''] = /^(?:SET (.*?))?(?: ?REMOVE (.*))?$/.exec(expression) ?? []
    for (const assignment of cut(set, /^,$/)) {
      const [, name = '', right = ''] = /^(\S+) = (.+)$/.exec(assignment) ?? []
      const sum = /^(.+?) ([+-]) (\S+)$/.exec(right)
      const { holder, last } = this.#place(name, after)
      holder[last] =
        sum === null
          ? this.value(right, item)
          : (this.value(sum[1] ?? '', item) as number) +
            (sum[2] === '-' ? -1 : 1) * (this.value(sum[3] ?? '', item) as number)
    }
    for (const name of remove.split(',')) if (name.trim() !== '') delete after[this.name(name)]
    return after
  }
}

/**
 * DynamoDB as far as the stores use it, in memory and without waiting, so that thousands of histories take seconds. It
 * stands in for the service in simulations only; a test holds it against the emulator.
 */
export class DynamoInMemory {
  readonly tables: Tables = new Map()

  table(name = ''): Map<string, Item> {
    const found = this.tables.get(name)
    if (found !== undefined) return found
    const made = new Map<string, Item>()
    this.tables.set(name, made)
    return made
  }

  send(command: Command): unknown {
    const { input } = command
    switch (command.constructor.name) {
      case 'GetCommand':
        return { Item: this.#shown(input, this.table(input.TableName).get(keyText(input.Key ?? {}))) }
      case 'PutCommand':
        return this.#write(input, copy(input.Item))
      case 'UpdateCommand':
        return this.#update(input)
      case 'QueryCommand':
        return this.#query(input)
      case 'TransactWriteCommand':
        return this.#transact(input)
      default:
        throw new Error(`no such command: ${command.constructor.name}`)
    }
  }

  /** A copy of an item as far as it is asked for. */
  #shown(input: Input, item: Item | undefined): Item | undefined {
    const { ProjectionExpression: asked } = input
    if (asked === undefined || item === undefined) return copy(item)
    const expressions = new Expressions(input)
    const names = asked.split(',').map((name) => expressions.name(name))
    return copy(Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))))
  }

  #check(input: Input, key: Item): Item {
    const before = this.table(input.TableName).get(keyText(key)) ?? {}
    if (
      input.ConditionExpression !== undefined &&
      !new Expressions(input).holds(input.ConditionExpression, before)
    ) {
      throw new ConditionalCheckFailedException({ message: '', $metadata: {}, Item: onTheWire(before) })
    }
    return before
  }

  #write(input: Input, item: Item | undefined): object {
    const key = input.Key ?? input.Item ?? {}
    this.#check(input, key)
    if (item === undefined) this.table(input.TableName).delete(keyText(key))
    else this.table(input.TableName).set(keyText(key), item)
    return {}
  }

  #update(input: Input): object {
    const { Key = {} } = input
    const before = this.#check(input, Key)
    const after = { ...new Expressions(input).update(input.UpdateExpression ?? '', before), ...Key }
    this.table(input.TableName).set(keyText(Key), after)
    return input.ReturnValues === 'ALL_NEW' ? { Attributes: copy(after) } : {}
  }

  #transact({ TransactItems = [] }: Input): object {
    const failed = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
      const input = Put ?? Update ?? Delete ?? ConditionCheck ?? {}
      try {
        this.#check(input, input.Key ?? input.Item ?? {})
        return { Code: 'None' }
      } catch {
        return { Code: 'ConditionalCheckFailed' }
      }
    })
    if (failed.some(({ Code }) => Code !== 'None'))
      throw new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons: failed })
    for (const { Put, Update, Delete } of TransactItems) {
      if (Put !== undefined) this.#write({ ...Put, ConditionExpression: undefined }, copy(Put.Item))
      if (Update !== undefined) this.#update({ ...Update, ConditionExpression: undefined })
      if (Delete !== undefined) this.#write({ ...Delete, ConditionExpression: undefined }, undefined)
    }
    return {}
  }

  #query(input: Input): object {
    const expressions = new Expressions(input)
    const sort = input.IndexName === undefined ? 'sk' : input.IndexName === 'by-due' ? 'due_at' : 'id'
    const backwards = input.ScanIndexForward === false
    const order = (a: Item, b: Item): number => {
      const [left, right] = [a[sort] as number, b[sort] as number]
      const first = left < right ? -1 : left > right ? 1 : keyText(a) < keyText(b) ? -1 : 1
      return backwards ? -first : first
    }
    let found = [...this.table(input.TableName).values()]
      .filter((item) => expressions.holds(input.KeyConditionExpression ?? '', item))
      .sort(order)
    const { ExclusiveStartKey } = input
    if (ExclusiveStartKey !== undefined) {
      const start = String(ExclusiveStartKey.sk)
      found = found.filter(({ sk }) => (backwards ? String(sk) < start : String(sk) > start))
    }
    const page = input.Limit === undefined ? found : found.slice(0, input.Limit)
    const last = page.length < found.length ? page.at(-1) : undefined
    const { FilterExpression } = input
    const given =
      FilterExpression === undefined ? page : page.filter((item) => expressions.holds(FilterExpression, item))
    return {
      Items: given.map((item) => this.#shown(input, item)),
      ...(last === undefined ? {} : { LastEvaluatedKey: { pk: last.pk, sk: last.sk } }),
    }
  }
}

/** The client of a process over the tables: `around` may fail before or after each call, or change it. */
export function clientOver(send: (command: Command) => Promise<unknown>): DynamoDBDocumentClient {
  return { send } as unknown as DynamoDBDocumentClient
}
