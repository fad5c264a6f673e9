/**
 * A name that a new error says and that one change alone touched: of a setting, a field, a value, a source file, a table.
 *
 * Method: who is on call searches everything that was changed for the name that the new error holds. A name of several words
 * (`revocationUrl`, `max_open_files`), a constant in capitals (`LANGUAGES`), a setting beside its new value (`form 3`) or the file
 * that a stack trace shows stands in two independent texts by chance next to never (Spärck Jones, A Statistical
 * Interpretation of Term Specificity, 1972: what is rare tells most), so whoever changed it had the very thing in hand that what
 * fails misses or cannot use, however long before: it shows when that is next read, which for what is read while a process
 * starts is the next start. A plain word that an error puts in quotes and that a changed line holds says less. That the change
 * was made elsewhere speaks not against it where the failing place asks that place, or is asked by it: one writes what the other
 * reads. What several changes touch tells none of them.
 */
import { areCredentials } from '../credentials.ts'
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, wordsOf } from './read-diff.ts'
import { MEASURE } from './shared-identifiers.ts'
import { COMMON, singular } from './word-overlap.ts'

/** A name of several words as code and settings write it, of a length that nobody's slip has; parts of paths, hosts and files are none. */
const COMPOUND =
  /(?<![\w$./:@-])(?:[a-z][a-z\d]{1,30}(?:[A-Z]{1,6}[a-z\d]{0,30}){1,5}|[A-Za-z][A-Za-z\d]{1,30}(?:_[A-Za-z\d]{1,30}){1,5})(?![\w$/@-]|[.:]\w)/g
/** A constant in capitals, long enough to be no abbreviation: as such variables of the environment are written. */
const CONSTANT = /(?<![\w$./:@-])[A-Z]{6,30}(?![\w$/@-]|[.:]\w)/g
/** A source file with the line that a stack trace shows of it: `join.ts:48`, `File "join.py", line 48`. */
const FRAME =
  /([\w-]{1,60}\.(?:[cm]?[jt]sx?|py|go|java|kt|rb|cs|php|rs|scala|exs?|cc|cpp|swift))(?:"?, line |:)\d{1,6}(?!\d)/gi
/** Files that every second repository has: as the name of a file they tell nothing. */
const EVERYWHERE =
  /^(?:index|main|app|server|client|handlers?|routes?|router|config|settings|init|__init__|util|utils|helpers?|common|models?|types?|constants?|errors?|logger|middleware|service|controller|test|setup|mod|lib)\./i
/** Values that are everybody's. */
const PLAIN_VALUE = /^(?:[01]|true|false|null|none|on|off|yes|no)$/i
/** A value that is a name of its own, as an identity, an address, a queue or a version of a schema has it: `release-5`, `orders.v2`. */
const IDENTITY = /(?<![\w./:@-])(?!v\d)[a-z][a-z\d]*(?:[-.][a-z\d]+){1,5}(?![\w@-]|[/.:]\w)/gi
/** Shorter ones, and files, are everybody's. */
const LEAST_IDENTITY = 6
const FILE =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|ini|conf|cfg|properties|py|go|java|kt|rb|cs|php|rs|html?|css|md|sql|sh|lock|txt|log)$/i

/** Whether one word of a name at least is not everybody's. */
const isTelling = (name: string): boolean => wordsOf(name).some((word) => !COMMON.has(word))

/** A noun with what follows it at once, as `form 3`, `codec=zstd` and `region "eu-9"` have it. */
const VALUED =
  /(?<![\w./-])([a-z_]{3,40})(?=(?: is | of |[ =:]{1,2})["']?([\w.-]{0,39}\w)["']?(?![\w%]|[:/-]\w))/gi

/**
 * How who checks a request names the field that he refuses, as Bean Validation, JSON Schema, protocol buffers and GraphQL have it:
 * `on field 'window'`, `unknown argument "window"`, `window must be null`.
 * @see https://jakarta.ee/specifications/bean-validation/3.0/jakarta-bean-validation-spec-3.0
 */
const REFUSED_FIELD =
  /\b(?:field|property|parameter|param|argument|attribute|element)s?:? ["'`]([A-Za-z_]\w{2,60})["'`]|(?<![\w.-])([A-Za-z_]\w{2,60})["'`]? (?:must (?:not )?be |is not (?:allowed|permitted)|may not be |cannot be (?:null|blank|empty)|is required\b)/gi
/** What a line of code or settings writes a value to. */
const WRITTEN_FIELD = /(?<![\w$])["'`]?([A-Za-z_]\w{2,60})["'`]?\s*[:=](?![:=])/g

/** How a change has to do with a name that is said. */
type How = NonNullable<RankedChange['quoted']>['how']
/** A name as it is compared, and as it is told: names of different sorts are no match. */
type Told = readonly [key: string, name: string]

/** A word of code that may be the name of a table, a queue, a field. */
const IDENTIFIER = /(?<![\w$])[A-Za-z_][\w$]{4,60}(?![\w$])/g
/** A name in quotes, of a form that such a word has; what a value in JSON is called is none. */
const QUOTED = /["'`]([A-Za-z_][\w$]{4,60})["'`](?!:)/g

const asWord = (name: string): Told => [`word ${name.toLowerCase()}`, name]
const asFile = (name: string): Told => [`file ${name}`, name]
const asName = (name: string): Told => [`name ${name}`, name]

/** A setting's last word beside a value; none where either is an abbreviation, a credential, a measure or everybody's. */
function asValue(key: string, value: string): readonly Told[] {
  const noun = wordsOf(key).at(-1) ?? ''
  const plain = value.replaceAll(/["']/g, '').toLowerCase()
  const tells =
    noun.length > 2 &&
    !areCredentials(key, [value]) &&
    !COMMON.has(noun) &&
    !MEASURE.test(noun) &&
    !PLAIN_VALUE.test(plain)
  return tells ? [[`value ${singular(noun)} ${plain}`, `${noun} ${plain}`]] : []
}

/** The last part of a path, a key or another name of several parts. */
const lastPart = (name: string, parting: string): string => name.slice(name.lastIndexOf(parting) + 1)

const asField = (name: string): Told => [`field ${name.toLowerCase()}`, name]
const asIdentity = (name: string): Told => [`identity ${name.toLowerCase()}`, name]

/** Names of several parts that a text holds, as values are. */
const identitiesIn = (text: string): readonly string[] =>
  [...text.matchAll(IDENTITY)].flatMap(([name]) =>
    name.length >= LEAST_IDENTITY && !FILE.test(name) && isTelling(name) ? [name] : [],
  )

/** Sorts of names that a diff is searched for. */
type Sort = 'field' | 'word' | 'name' | 'value' | 'identity' | 'file'

/** What a diff touches by name, of the sorts that are said: names that it takes away, settings of another value, their new values, its files, words of its lines, and what it writes fields of. */
function* touchedBy(
  { settings, literals_removed: removed, lines_gone: gone, lines_new: added, files }: DiffReading,
  isSaid: (sort: Sort) => boolean,
): Generator<readonly [told: Told, how: How]> {
  if (isSaid('field'))
    for (const line of added)
      for (const [, name = ''] of line.matchAll(WRITTEN_FIELD)) yield [asField(name), 'writes']
  if (isSaid('name')) {
    for (const name of removed) yield [asName(name), 'removes']
    for (const { key } of settings) yield [asName(lastPart(key, '.')), 'changes']
  }
  for (const { key, after } of settings) {
    if (isSaid('value')) for (const told of asValue(key, after)) yield [told, 'sets']
    if (isSaid('identity')) for (const identity of identitiesIn(after)) yield [asIdentity(identity), 'sets']
  }
  if (isSaid('file')) for (const path of files) yield [asFile(lastPart(path, '/')), 'edits']
  if (isSaid('word'))
    for (const line of [...gone, ...added])
      for (const [word] of line.matchAll(IDENTIFIER)) yield [asWord(word), 'touches']
}

/** Everything that a line names in one of these ways. */
function* namesIn(text: string): Generator<Told> {
  for (const [, named, is] of text.matchAll(REFUSED_FIELD)) {
    const name = named ?? is ?? ''
    if (!COMMON.has(name.toLowerCase())) yield asField(name)
  }
  for (const [name] of text.matchAll(COMPOUND)) if (isTelling(name)) yield asName(name)
  for (const [name] of text.matchAll(CONSTANT)) if (!COMMON.has(name.toLowerCase())) yield asName(name)
  for (const [, file = ''] of text.matchAll(FRAME)) if (!EVERYWHERE.test(file)) yield asFile(file)
  for (const [, noun = '', value = ''] of text.matchAll(VALUED)) yield* asValue(noun, value)
  for (const name of identitiesIn(text)) yield asIdentity(name)
  for (const [, name = ''] of text.matchAll(QUOTED)) if (!COMMON.has(name.toLowerCase())) yield asWord(name)
}

/** What lines of the failing place itself name, each with the heaviest of those that do. */
function saidBy(symptoms: readonly Symptom[]): ReadonlyMap<string, Symptom> {
  const said = new Map<string, Symptom>()
  for (const symptom of symptoms)
    if (isOwnLine(symptom))
      for (const [key] of namesIn(symptom.plain)) if (!said.has(key)) said.set(key, symptom)
  return said
}

/**
 * For each change the name that what fails says anew, and that no other change touched.
 * @param symptoms the heaviest first
 */
export function touchedNames(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = saidBy(symptoms)
  const sorts = new Set([...said.keys()].map((key) => key.slice(0, key.indexOf(' '))))
  const touched = new Map<string, { readonly by: Change; readonly quoted: RankedChange['quoted'] } | null>()
  for (const [change, diff] of diffs)
    for (const [[key, name], how] of touchedBy(diff, (sort) => sorts.has(sort))) {
      const symptom = said.get(key)
      if (symptom === undefined) continue
      const before = touched.get(key)
      if (before === undefined) touched.set(key, { by: change, quoted: { name, symptom, how } })
      else if (before?.by !== change) touched.set(key, null)
    }
  const found = new Map<Change, RankedChange['quoted']>()
  for (const one of touched.values()) if (one !== null && !found.has(one.by)) found.set(one.by, one.quoted)
  return (change) => found.get(change) ?? null
}
