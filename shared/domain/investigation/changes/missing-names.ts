/**
 * A name that what fails says is not there, and that one change alone asks for.
 *
 * Method: a runtime or a store that is asked for a member, a function, a module, a key, a table or a column which it does not have says
 * so, and names it. Who is on call searches what was released for that name: who wrote it anew asks for it, whatever the change is
 * called and however little of it is new. Unlike a name that merely stands in both texts, what is missing is told by the very
 * message, so the change acted on it. What several changes write tells none of them, and plain words are anybody's.
 */
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import type { RankedChange } from './ranked-change.ts'
import type { DiffReading } from './read-diff.ts'
import { COMMON } from './word-overlap.ts'

/** A name, in quotes or not, with what it belongs to. */
const NAMED = String.raw`(?<name>[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|\$|/)[A-Za-z_$][\w$]{0,60}){0,8})`
const NAME = String.raw`["'\`:]{0,2}${NAMED}`

/**
 * How runtimes and stores say that what they are asked for is not there; the last part of the name is what was asked for.
 * @see https://docs.python.org/3/library/exceptions.html (AttributeError, ImportError, KeyError, ModuleNotFoundError, NameError)
 * @see https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Errors (is not a function, is not defined, can't access property)
 * @see https://docs.ruby-lang.org/en/master/NoMethodError.html, https://docs.ruby-lang.org/en/master/NameError.html
 * @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/NoSuchMethodError.html (NoSuchFieldError, NoClassDefFoundError beside it)
 * @see https://www.php.net/manual/en/language.errors.php7.php, https://www.php.net/manual/en/migration80.incompatible.php (undefined array key, property)
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html (42703, 42P01, 42883), https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html (1054, 1146, 1305)
 */
const MISSING: readonly RegExp[] = [
  String.raw`\bhas no (?:attribute|member|property|field|method) ${NAME}`,
  String.raw`\bKeyError: ["'](?<name>[\w.-]{3,60})["']`,
  String.raw`\bcannot import name ${NAME}`,
  String.raw`\bcannot import name ["'][\w$]{1,60}["'] from ["'](?<whole>[\w.]{3,120})["']`,
  String.raw`\bNo module named ${NAME}`,
  String.raw`(?<![\w$.])${NAMED}["']? is not (?:a function|defined|a constructor)\b`,
  String.raw`\(reading ${NAME}`,
  String.raw`\bCannot find module ["'](?<name>[^"'\s]{3,120})["']`,
  String.raw`\bundefined (?:local variable or )?(?:method|function|array key|index|property|variable|constant):? ${NAME}`,
  String.raw`\buninitialized constant ${NAME}`,
  String.raw`\bNoSuch(?:Method|Field)Error: (?:["'](?:[\w.$<>[\]]{1,100} )?)?${NAME}`,
  String.raw`\b(?:ClassNotFoundException|NoClassDefFoundError): ${NAME}`,
  String.raw`\b(?:column|relation|table|function|procedure|type) ${NAME}[^\s]{0,60} does(?: not|n't) exist`,
  String.raw`\bUnknown column ${NAME}`,
  String.raw`\bkey ${NAME} not found`,
].map((form) => new RegExp(form, 'i'))

/** One word at least of every form, since most lines have none. */
const MAY_BE_MISSING =
  /\bno\b|not\b|n't\b|undefined|uninitialized|unknown|\breading\b|KeyError|NoSuch|NotFound|NoClassDef/i

/** Shorter names are anybody's. */
const LEAST_LENGTH = 3

const PARTING = /\.|::|->|\$|\//

/** The names that a line says are not there, in lower case: the last part of each. */
function missingIn(text: string): readonly string[] {
  if (!MAY_BE_MISSING.test(text)) return []
  return MISSING.flatMap((form) => {
    const { name, whole } = form.exec(text)?.groups ?? {}
    // A module is asked for by all of its name, of which the last part may be a plain word.
    const last = (whole ?? name?.split(PARTING).at(-1) ?? '').toLowerCase()
    return last.length < LEAST_LENGTH || COMMON.has(last) ? [] : [last]
  })
}

/** What lines of the failing place say is not there, each with the heaviest that does. */
function saidMissing(symptoms: readonly Symptom[]): ReadonlyMap<string, Symptom> {
  const said = new Map<string, Symptom>()
  for (const symptom of symptoms)
    if (isOwnLine(symptom))
      for (const name of missingIn(symptom.plain)) if (!said.has(name)) said.set(name, symptom)
  return said
}

/**
 * For each change the name that what fails says is not there, and that no other change writes anew.
 * @param symptoms the heaviest first
 */
export function missingNames(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = saidMissing(symptoms)
  const askers = new Map<string, { readonly by: Change; readonly quoted: RankedChange['quoted'] } | null>()
  if (said.size > 0)
    for (const [change, { literals_added: added }] of diffs)
      for (const name of added) {
        const symptom = said.get(name.toLowerCase())
        if (symptom === undefined) continue
        const before = askers.get(name.toLowerCase())
        if (before === undefined)
          askers.set(name.toLowerCase(), { by: change, quoted: { name, symptom, how: 'asks' } })
        else if (before?.by !== change) askers.set(name.toLowerCase(), null)
      }
  const found = new Map<Change, RankedChange['quoted']>()
  for (const one of askers.values()) if (one !== null && !found.has(one.by)) found.set(one.by, one.quoted)
  return (change) => found.get(change) ?? null
}
