/**
 * Event filter patterns of event source mappings, in the syntax they share with EventBridge: a pattern is an object
 * of fields, a leaf is a list of rules of which one must hold, fields side by side must all hold.
 * Source: AWS Lambda developer guide, "Control which events Lambda sends to your function".
 */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Rule = (value: unknown, present: boolean) => boolean

const COMPARE: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

function textRule(operator: string, operand: unknown): ((value: string) => boolean) | undefined {
  if (typeof operand !== 'string') return undefined
  switch (operator) {
    case 'prefix':
      return (value) => value.startsWith(operand)
    case 'suffix':
      return (value) => value.endsWith(operand)
    case 'equals-ignore-case':
      return (value) => value.toLowerCase() === operand.toLowerCase()
    default:
      return undefined
  }
}

function numericRule(operand: unknown, path: string): Rule {
  if (!Array.isArray(operand) || operand.length === 0 || operand.length % 2 !== 0) {
    throw new TypeError(`event filter ${path}: numeric takes pairs of operator and number`)
  }
  const checks: ((value: number) => boolean)[] = []
  for (let index = 0; index < operand.length; index += 2) {
    const compare = COMPARE[String(operand[index])]
    const bound: unknown = operand[index + 1]
    if (compare === undefined || typeof bound !== 'number') {
      throw new TypeError(`event filter ${path}: numeric takes pairs of operator and number`)
    }
    checks.push((value) => compare(value, bound))
  }
  // DynamoDB sends numbers as text; Lambda compares them as numbers.
  return (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && !Number.isNaN(number) && checks.every((check) => check(number))
  }
}

/** What must not be: behind `anything-but` an operator may take a list. */
function alternativesOf(operand: unknown): readonly unknown[] {
  const [entry] = isRecord(operand) ? Object.entries(operand) : []
  if (entry === undefined || !Array.isArray(entry[1])) return [operand]
  return entry[1].map((each: unknown) => ({ [entry[0]]: each }))
}

function ruleOf(rule: unknown, path: string): Rule {
  if (!isRecord(rule)) {
    if (Array.isArray(rule)) throw new TypeError(`event filter ${path}: a rule cannot be a list`)
    return (value, present) => present && value === rule
  }
  const [entry, ...more] = Object.entries(rule)
  if (entry === undefined || more.length > 0)
    throw new TypeError(`event filter ${path}: a rule has one operator`)
  const [operator, operand] = entry
  if (operator === 'exists') {
    if (typeof operand !== 'boolean') throw new TypeError(`event filter ${path}: exists takes true or false`)
    return (_, present) => present === operand
  }
  if (operator === 'numeric') return numericRule(operand, path)
  if (operator === 'anything-but') {
    const refused = (Array.isArray(operand) ? operand : alternativesOf(operand)).map((item) =>
      ruleOf(item, path),
    )
    return (value, present) => present && !refused.some((rule) => rule(value, present))
  }
  const text = textRule(operator, operand)
  if (text === undefined) throw new TypeError(`event filter ${path}: no operator ${operator}`)
  return (value) => typeof value === 'string' && text(value)
}

type Filter = (value: unknown, present: boolean) => boolean

function fieldFilter(pattern: unknown, path: string): Filter {
  if (Array.isArray(pattern)) {
    const rules = pattern.map((rule) => ruleOf(rule, path))
    return (value, present) => {
      // A list in the event matches when one of its members does.
      const values = Array.isArray(value) ? (value as unknown[]) : [value]
      return rules.some((rule) => values.some((item) => rule(item, present)))
    }
  }
  if (!isRecord(pattern)) throw new TypeError(`event filter ${path}: a leaf is a list of rules`)
  const fields = Object.entries(pattern).map(([name, inner]): Filter => {
    const below = path === '' ? name : `${path}.${name}`
    if (name === '$or') {
      if (!Array.isArray(inner)) throw new TypeError(`event filter ${below}: takes a list of patterns`)
      const either = inner.map((alternative) => fieldFilter(alternative, path))
      return (value, present) => either.some((filter) => filter(value, present))
    }
    const filter = fieldFilter(inner, below)
    return (value) => {
      const holds = isRecord(value) && Object.hasOwn(value, name)
      return filter(holds ? value[name] : undefined, holds)
    }
  })
  return (value, present) => fields.every((filter) => filter(value, present))
}

/**
 * A check of records against a mapping's patterns: true when any matches, and for every record when there is none.
 * @throws TypeError naming the field when a pattern has no form that Lambda takes
 */
export function eventFilter(patterns: readonly unknown[]): (record: unknown) => boolean {
  const filters = patterns.map((pattern) => fieldFilter(pattern, ''))
  return (record) => filters.length === 0 || filters.some((filter) => filter(record, true))
}
