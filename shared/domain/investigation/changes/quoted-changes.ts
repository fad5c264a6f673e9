/**
 * A name that what fails quotes and that a change took away, added or bears.
 */

import { eachText, isOwnLine, quotedNames, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, PARTED, QUALIFIED } from './read-diff.ts'
import { COMMON } from './word-overlap.ts'

/** A key of several parts: one word may be anybody's. */
const FLAG_KEY = /^[a-z\d]+(?:[-_.:][a-z\d]+)+$/i

/** A flag whose own key stands in what the failing place logs: code under a flag says which flag. */
export function findFlag({ kind, id }: Change, symptoms: readonly Symptom[]): RankedChange['quoted'] {
  if (kind !== 'flag' || !FLAG_KEY.test(id)) return null
  const key = new RegExp(`(?<![\\w-])${id.replaceAll('.', '\\.')}(?![\\w-])`, 'i')
  const symptom = symptoms.find((one) => isOwnLine(one) && key.test(one.text))
  return symptom === undefined ? null : { name: id, symptom, how: 'bears' }
}

/**
 * Names that symptoms quote, in lower case, each with the first symptom that does: in quotes, or as a member of what it
 * belongs to, as errors name code. What an alert says names metrics and labels in the same form.
 */
export function namesIn(symptoms: readonly Symptom[]): ReadonlyMap<string, Symptom> {
  const names = new Map(quotedNames(symptoms))
  for (const symptom of eachText(symptoms.filter(({ origin }) => origin !== 'alert')))
    if (PARTED.test(symptom.plain))
      for (const [name] of symptom.plain.matchAll(QUALIFIED)) {
        const key = name.toLowerCase()
        if (!names.has(key) && !key.split(/\.|::/).some((part) => COMMON.has(part))) names.set(key, symptom)
      }
  return names
}

/** A literal that the diff removes, or else adds, and that a symptom quotes; null where none is. */
export function findQuoted(diff: DiffReading, quoted: ReadonlyMap<string, Symptom>): RankedChange['quoted'] {
  for (const [list, how] of [
    [diff.literals_removed, 'removes'],
    [diff.literals_added, 'adds'],
  ] as const)
    for (const literal of list) {
      const symptom = quoted.get(literal.toLowerCase())
      if (symptom !== undefined && !COMMON.has(literal.toLowerCase())) return { name: literal, symptom, how }
    }
  return null
}
