import type * as z from 'zod/mini'
import { type FieldError, invalid } from '../domain/errors.ts'

type Issue = z.core.$ZodIssue

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
}

/**
 * A path as the error details write it: `context.time_range.start`, `events[1]`; a name that is empty stands in quotes.
 */
function fieldName(path: readonly PropertyKey[], base: string): string {
  let name = ''
  for (const step of path) {
    if (typeof step === 'number') name += `[${step}]`
    else name += `${name === '' ? '' : '.'}${step === '' ? '""' : String(step)}`
  }
  return name === '' ? base : name
}

/** What a bound counts: items of an array, characters of a text, or the value itself. */
const COUNTED: Readonly<Record<string, string>> = { array: 'item', string: 'character' }

const verbOf = (origin: string): string => (origin in COUNTED ? 'must have' : 'must be')

function amount(bound: number | bigint, origin: string): string {
  const unit = COUNTED[origin]
  return unit === undefined ? String(bound) : `${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`
}

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of: ${issue.values.join(', ')}`
    case 'invalid_union': {
      if ('options' in issue && Array.isArray(issue.options))
        return `must be one of: ${issue.options.join(', ')}`
      return issue.message === 'Invalid input' ? 'has none of the allowed forms' : issue.message
    }
    case 'too_small':
      if (issue.inclusive === false) return `must be more than ${issue.minimum}`
      return `${verbOf(issue.origin)} at least ${amount(issue.minimum, issue.origin)}`
    case 'too_big':
      return `${verbOf(issue.origin)} at most ${amount(issue.maximum, issue.origin)}`
    case 'invalid_format':
      return issue.message === 'Invalid input' ? 'has the wrong form' : issue.message
    default:
      return issue.message
  }
}

const unknownField = (path: readonly PropertyKey[], base: string): FieldError => ({
  field: fieldName(path, base),
  reason: 'is not a known field',
})

/** True of the bound that a whole number has where nothing else bounds it: beyond it not every whole number exists. */
const isOfEveryInteger = (issue: Issue): boolean =>
  (issue.code === 'too_big' && issue.maximum === Number.MAX_SAFE_INTEGER) ||
  (issue.code === 'too_small' && issue.minimum === Number.MIN_SAFE_INTEGER)

/** Without the bound of every integer where one of its own is told of the same value. */
const withOwnBounds = (issues: readonly Issue[]): readonly Issue[] =>
  issues.filter(
    (issue) =>
      !isOfEveryInteger(issue) ||
      issues.every(
        (other) =>
          isOfEveryInteger(other) ||
          other.code !== issue.code ||
          fieldName(other.path, '') !== fieldName(issue.path, ''),
      ),
  )

function errorsOf(issues: readonly Issue[], base: string): FieldError[] {
  return withOwnBounds(issues).flatMap((issue): FieldError[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownField([...issue.path, key], base))
    }
    if (issue.code === 'invalid_key') {
      // The name itself is left out: where somebody mistook name for value it is a secret.
      const [about] = issue.issues
      const reason = about === undefined ? 'is not allowed' : reasonOf(about)
      return [{ field: fieldName(issue.path.slice(0, -1), base), reason: `has a name that ${reason}` }]
    }
    return [{ field: fieldName(issue.path, base), reason: reasonOf(issue) }]
  })
}

/**
 * Reads a value against a shape.
 * @param base what the value as a whole is called in errors: `body`, `query`
 * @throws Refusal `invalid` with every failure, the first of them as `field` and `reason`
 */
export function validate<Shape extends z.ZodMiniType>(
  shape: Shape,
  value: unknown,
  base: string,
): z.output<Shape> {
  const read = shape.safeParse(value, { reportInput: true })
  if (read.success) return read.data
  const [first, ...others] = errorsOf(read.error.issues, base)
  throw invalid([first ?? { field: base, reason: 'has the wrong form' }, ...others])
}

/**
 * Reads a value where nothing is taken but an empty object: what most operations' parameters are. Such an operation needs
 * no library of shapes, a tenth of what its function would load.
 * @throws Refusal `invalid` as `validate` does
 */
export function validateNothing(value: unknown, base: string): Readonly<Record<string, never>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid([{ field: base, reason: `must be ${TYPE_NAMES.object}` }])
  const [first, ...others] = Object.keys(value).map((key) => unknownField([key], base))
  if (first !== undefined) throw invalid([first, ...others])
  return {}
}
