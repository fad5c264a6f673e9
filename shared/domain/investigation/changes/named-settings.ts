/**
 * A setting or a field that a new error names and that one change alone touched.
 *
 * Method: who is on call searches everything that was changed for the name that the new error holds. A name of several words
 * (`revocationUrl`, `max_open_files`) stands in two independent texts by chance next to never (Spärck Jones, A Statistical
 * Interpretation of Term Specificity, 1972: what is rare tells most), so whoever changed it had the very thing in hand that what
 * fails misses or cannot use, however long before: it shows when that is next read, which for what is read while a process
 * starts is the next start. That the change was made elsewhere speaks not against it where the failing place asks that place,
 * or is asked by it: one writes what the other reads. What several changes touch tells none of them.
 */
import type { Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, wordsOf } from './read-diff.ts'
import { COMMON } from './word-overlap.ts'

/** A name of several words as code and settings write it, of a length that nobody's slip has; parts of paths, hosts and files are none. */
const COMPOUND =
  /(?<![\w$./:@-])(?:[a-z][a-z\d]{1,30}(?:[A-Z]{1,6}[a-z\d]{0,30}){1,5}|[A-Za-z][A-Za-z\d]{1,30}(?:_[A-Za-z\d]{1,30}){1,5})(?![\w$/@-]|[.:]\w)/g
/** From this weight on a symptom is of the failing place itself. */
const OWN_SYMPTOM = 0.5

/** Whether a name has several words of which one at least is not everybody's. */
const isTelling = (name: string): boolean => {
  const words = wordsOf(name)
  return words.length > 1 && !words.every((word) => COMMON.has(word))
}

/** What a diff touches by name, and how: names that it takes away, and settings of another value. */
const touchedBy = ({
  settings,
  literals_removed: removed,
}: DiffReading): ReadonlyMap<string, 'removes' | 'changes'> =>
  new Map([
    ...settings.map(({ key }) => [key.replace(/^.*\./, ''), 'changes'] as const),
    ...removed.map((name) => [name, 'removes'] as const),
  ])

/** For each change the name of several words that what fails says anew, and that no other change touched. */
export function namedSettings(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = new Map<string, Symptom>()
  for (const symptom of symptoms)
    if ((symptom.origin === 'log' || symptom.origin === 'pattern') && symptom.weight >= OWN_SYMPTOM)
      for (const [name] of symptom.plain.matchAll(COMPOUND))
        if (!said.has(name) && isTelling(name)) said.set(name, symptom)
  if (said.size === 0) return () => null
  const touched = new Map<string, number>()
  for (const diff of diffs.values())
    for (const name of touchedBy(diff).keys())
      if (said.has(name)) touched.set(name, (touched.get(name) ?? 0) + 1)
  return (change) => {
    for (const [name, how] of touchedBy(diffs.get(change) as DiffReading)) {
      const symptom = said.get(name)
      if (symptom !== undefined && touched.get(name) === 1) return { name, symptom, how }
    }
    return null
  }
}
