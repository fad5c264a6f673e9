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
      return issue.message
    }
    case 'too_small':
      if (issue.inclusive === false) return `must be more than ${issue.minimum}`
      return `${verbOf(issue.origin)} at least ${amount(issue.minimum, issue.origin)}`
    case 'too_big':
      return `${verbOf(issue.origin)} at most ${amount(issue.maximum, issue.origin)}`
    default:
      return issue.message
  }
}

/** A name without what people write in their own way: capitals, hyphens and underscores. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '')

/** True where one letter is missing, too many or another one, or two neighbours changed places. */
function isOneSlipFrom(written: string, meant: string): boolean {
  let from = 0
  while (from < written.length && written[from] === meant[from]) from += 1
  let [end, meantEnd] = [written.length, meant.length]
  while (end > from && meantEnd > from && written[end - 1] === meant[meantEnd - 1]) {
    end -= 1
    meantEnd -= 1
  }
  const [rest, meantRest] = [written.slice(from, end), meant.slice(from, meantEnd)]
  if (rest.length === 2 && meantRest.length === 2) return rest === `${meantRest[1]}${meantRest[0]}`
  return rest.length <= 1 && meantRest.length <= 1
}

const isPartOf = (part: string, whole: string): boolean => whole.startsWith(part) || whole.endsWith(part)
/** Shorter names are near to everything. */
const SHORTEST_NEAR = 3

/** The known name that was probably meant: written in another way, with one slip, or longer or shorter by a word. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const written = plain(name)
  if (written.length < SHORTEST_NEAR) return undefined
  const names = known.filter((one) => plain(one).length >= SHORTEST_NEAR)
  return (
    names.find((one) => plain(one) === written) ??
    names.find((one) => isOneSlipFrom(written, plain(one))) ??
    names.find((one) => isPartOf(written, plain(one)) || isPartOf(plain(one), written))
  )
}

/** Names what is known: that comes from the shape, never from what was sent. */
function unknownField(path: readonly PropertyKey[], base: string, known: readonly string[]): FieldError {
  const kind = base === 'query' ? 'parameter' : 'field'
  const near = nearest(String(path.at(-1)), known)
  const reason =
    known.length === 0
      ? `is not a known ${kind}: none is taken here`
      : near === undefined
        ? `is not a known ${kind}. Known: ${known.join(', ')}`
        : `is not a known ${kind}: did you mean ${near}? Known: ${known.join(', ')}`
  return { field: fieldName(path, base), reason }
}

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

/** The names that each object of a value may have, by its path. */
type KnownNames = ReadonlyMap<string, readonly string[]>

function errorsOf(issues: readonly Issue[], base: string, known: KnownNames): FieldError[] {
  return withOwnBounds(issues).flatMap((issue): FieldError[] => {
    if (issue.code === 'unrecognized_keys') {
      const names = known.get(fieldName(issue.path, base)) ?? []
      return issue.keys.map((key) => unknownField([...issue.path, key], base, names))
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
  const known = new Map<string, readonly string[]>()
  const read = shape.safeParse(value, {
    reportInput: true,
    // Asked for an issue whose shape has no words of its own, before the library's, which may quote a pattern.
    error: ({ code, inst, path }) => {
      // An issue names its shape only now; its words are chosen afterwards.
      if (code === 'unrecognized_keys') {
        const { shape: members } = (inst as z.core.$ZodObject)._zod.def
        known.set(fieldName(path ?? [], base), Object.keys(members))
      }
      return code === 'invalid_union' ? 'has none of the allowed forms' : 'has the wrong form'
    },
  })
  if (read.success) return read.data
  const [first, ...others] = errorsOf(read.error.issues, base, known)
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
  const [first, ...others] = Object.keys(value).map((key) => unknownField([key], base, []))
  if (first !== undefined) throw invalid([first, ...others])
  return {}
}
