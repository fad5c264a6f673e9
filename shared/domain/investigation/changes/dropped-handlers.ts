/**
 * An error that a change no longer handles, and that what fails now names.
 *
 * Method: an error that is always met and always handled harms nobody. Once its name is taken out of a handler, it goes on to
 * whoever asked, and logs and counts of failed requests begin to name it; who is on call searches what was released for that
 * name. Languages handle errors in few forms (`catch`, `except`, `rescue`, comparisons of an error's type or code), and lists
 * of settings name errors that are passed over. Names are compared part by part from the last on, since a source names an
 * error as it imports it and a log with all that it belongs to. Names that any error has, and handlers that another one for
 * more errors takes the place of, tell nothing.
 */
import type { SeriesShift } from '../deviations/series-shift.ts'
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, wordsOf } from './read-diff.ts'

/**
 * A line that handles errors of some sort.
 * @see https://docs.oracle.com/javase/specs/jls/se21/html/jls-14.html#jls-14.20
 * @see https://docs.python.org/3/reference/compound_stmts.html#except-clause
 * @see https://docs.ruby-lang.org/en/master/syntax/exceptions_rdoc.html
 * @see https://pkg.go.dev/errors#Is
 */
const HANDLER =
  /\bcatch\b|\bexcept\b|\brescue(?:_from)?\b|\bsuppress\(|\berrors\.(?:Is|As)\(|\binstanceof\b|\bisinstance\(|@ExceptionHandler\b|\b(?:discard|retry)_on\b|\b(?:ignore|ignored|retry|skip)[-_]?(?:exceptions|errors)\b|\b(?:noRollbackFor|retryFor|dontRollbackOn)\b|\b(?:code|errno|status)\b.*[=!]==?|^case\b/i
/** A handler of every error, or of nearly all: whatever it takes the place of is handled still. */
const OF_EVERY_ERROR =
  /\bcatch\s*(?:\{|\(\s*(?:\.\.\.|\w{1,12}|(?:final )?\\?(?:Exception|Throwable|Error|RuntimeException|StandardError)\b[^|)]*)\))|\bexcept\s*(?::|(?:Base)?Exception\b)|\brescue\s*(?:$|=>|StandardError\b|Exception\b)/
/** An error's class, with what it belongs to in whichever way languages part names: `feign.FeignException$NotFound`, `Net::ReadTimeout`. */
const ERROR_CLASS = /(?<![\w/@-])(?:[A-Za-z_]\w{0,40}(?:\.|::|\$|\\)){0,8}[A-Z]\w{2,60}(?![\w/])/g
/** An error's code: of the system (`ECONNRESET`), of a store or a client (`ER_DUP_ENTRY`, `P2002`). */
const ERROR_CODE = /(?<![\w.$-])(?:E[A-Z]{4,20}|[A-Z]{2,12}(?:_[A-Z\d]{1,20}){1,5}|[A-Z]\d{4})(?![\w.$-])/g
/** Parts of a name. */
const PARTING = /\.|::|\$|\\/
/** Labels in which exporters name the error that a failed request ended with: Micrometer and OpenTelemetry. @see https://opentelemetry.io/docs/specs/semconv/attributes-registry/error/ */
const ERROR_LABELS = ['exception', 'error_type', 'error.type'] as const
/** A name of one part that has fewer words may be anybody's: `Timeout`, `Gone`. */
const TELLING_WORDS = 2
/** Names that errors of any cause have. */
const ANY_ERROR =
  /^(?:(?:base|runtime|standard|io|os|type|value|key|index|illegal(?:state|argument)|nullpointer|unknown|internal(?:server)?|server|service|client|api|http|https?)(?:error|exception)|optionalof)$/i

/** An error by its name: what it is told as, and its parts, the last first. */
interface NamedError {
  readonly name: string
  readonly parts: readonly string[]
}

/** Errors that a text names by class or by code. */
function errorsIn(text: string): readonly NamedError[] {
  const classes = text.match(ERROR_CLASS) ?? []
  const codes = text.match(ERROR_CODE) ?? []
  return [...new Set([...classes, ...codes])].map((name) => ({
    name,
    parts: name.split(PARTING).reverse(),
  }))
}

const isCode = ({ name }: NamedError): boolean => name.replace(ERROR_CODE, '') === ''

/** Whether two names are of one error: the shorter one ends the longer one, and what they share is not anybody's. */
function areOne(one: NamedError, other: NamedError): boolean {
  const shared = Math.min(one.parts.length, other.parts.length)
  const [last = ''] = one.parts
  if (!one.parts.slice(0, shared).every((part, index) => part === other.parts[index])) return false
  return isCode(one) || ((shared > 1 || wordsOf(last).length >= TELLING_WORDS) && !ANY_ERROR.test(last))
}

/** Errors that handlers of the old text name, and the new text nowhere does. */
function droppedBy({ lines_gone: gone, added }: DiffReading): readonly NamedError[] {
  const handlers = gone.filter((line) => HANDLER.test(line))
  if (handlers.length === 0 || added.some((line) => OF_EVERY_ERROR.test(line))) return []
  const kept = added.flatMap(errorsIn)
  return handlers
    .flatMap(errorsIn)
    .filter((error) => !kept.some(({ name, parts }) => name === error.name || parts[0] === error.parts[0]))
}

/** What one place says of the errors that it ends with. */
interface Ending {
  readonly symptom: Symptom
  readonly errors: readonly NamedError[]
}

/** What a series that counts failed requests by their error says since it has risen. */
function countedEnding({ series, direction, onset, during }: SeriesShift): readonly Ending[] {
  const named = ERROR_LABELS.map((label) => series.labels[label]).find((value) => value !== undefined)
  if (direction !== 'up' || named === undefined) return []
  const text = `${series.name}: ${named}`
  const symptom: Symptom = {
    ...{ text, plain: text, entity: series.entity, weight: 1, at: onset.at },
    ...{ count: Math.round(during), origin: 'metric', source: series.source },
  }
  return [{ symptom, errors: errorsIn(named) }]
}

/** What is said of the errors that places end with, in their own lines first. */
const endingsOf = (symptoms: readonly Symptom[], shifts: readonly SeriesShift[]): readonly Ending[] => [
  ...symptoms.filter(isOwnLine).map((symptom) => ({ symptom, errors: errorsIn(symptom.plain) })),
  ...shifts.flatMap(countedEnding),
]

/**
 * For each change the error that it no longer handles and that where it arrived names since.
 * @param symptoms the heaviest first
 * @param shifts series that left their level
 */
export function droppedHandlers(
  symptoms: readonly Symptom[],
  shifts: readonly SeriesShift[],
): (diff: DiffReading, reaches: string | null) => RankedChange['quoted'] {
  // Hardly a change drops any.
  let endings: readonly Ending[] | undefined
  return (diff, reaches) => {
    const dropped = droppedBy(diff)
    if (dropped.length === 0) return null
    endings ??= endingsOf(symptoms, shifts)
    for (const { symptom, errors } of endings) {
      if (reaches !== null && symptom.entity !== reaches) continue
      const error = dropped.find((one) => errors.some((other) => areOne(one, other)))
      if (error !== undefined) return { name: error.name, symptom, how: 'drops' }
    }
    return null
  }
}
