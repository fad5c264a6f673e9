/**
 * One thing of many that an error names by its number, and that one record alone names too: site 5208, tenant 311, job 7741.
 *
 * Method: who is on call searches everything that was recorded for the number that the new error names. The same noun with the same
 * number of three digits or more stands in two independent texts by chance once in hundreds at most (Spärck Jones, A Statistical
 * Interpretation of Term Specificity, 1972: what is rare tells most), and whoever wrote the record had that very thing in hand.
 * That holds whenever it was: what somebody does to one thing shows when that thing is next read, also most of an hour later.
 * What is counted or measured (ports, codes, times, sizes) names no thing, and what several unlike records name tells none of
 * them.
 */
import { isOwn, type Symptom } from '../place/symptoms.ts'
import type { Change } from '../records/snapshot.ts'
import { stepsOf } from './closeness.ts'
import type { RankedChange } from './ranked-change.ts'

/** A noun and a number, as "site 5208", "tenant_id=311" and "job-7741" have them; not a decimal, a time or a part of a longer name. */
const NUMBERED = /(?<![\w./-])([a-z]{3,20})(?:_id)?[ #=:_-]{1,3}(\d{3,12})(?![\w%]|[.:-]\w)/gi
/** Before what is counted or measured, and after it: no thing is meant. */
export const MEASURE =
  /^(?:after|about|above|almost|answer(?:ed)?|attempts?|below|bytes?|codes?|count|duration|errors?|every|exit|for|from|http|least|lines?|more|most|over|pid|ports?|release|retry|returned|size|status|than|timeouts?|took|total|uid|version|waited|with|within)$/i
const UNIT =
  /^\s(?:[kmgt]?i?b|bytes?|ms|us|ns|s|secs?|seconds?|mins?|minutes?|hours?|times|percent|requests?|rows?|entries|items|lines)\b/i

/** What every number of a thing has: without it none is looked for, word by word. */
const MAY_BE_NUMBERED = /[ #=:_-]\d{3}/
const NO_THINGS: ReadonlyMap<string, string> = new Map()

/** Things that a text names by their number, in lower case: as they are told, by how they are compared, without an s at the end. */
function thingsIn(text: string): ReadonlyMap<string, string> {
  if (!MAY_BE_NUMBERED.test(text)) return NO_THINGS
  const things = new Map<string, string>()
  for (const { 0: whole, 1: noun = '', 2: number = '', index } of text.matchAll(NUMBERED))
    if (!MEASURE.test(noun) && !UNIT.test(text.slice(index + whole.length)))
      things.set(`${noun.toLowerCase().replace(/s$/, '')} ${number}`, `${noun.toLowerCase()} ${number}`)
  return things
}

/** For each change the thing that what fails names as well, and no unlike change does. */
export function sharedThings(
  changes: readonly Change[],
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = new Map<string, Symptom>()
  for (const symptom of symptoms)
    if (symptom.origin !== 'alert' && isOwn(symptom))
      for (const thing of thingsIn(symptom.text).keys()) if (!said.has(thing)) said.set(thing, symptom)
  const recorded = new Map<string, Set<string>>()
  for (const change of changes)
    for (const thing of thingsIn(change.title ?? '').keys())
      recorded.set(thing, (recorded.get(thing) ?? new Set()).add(stepsOf(change)))
  return (change) => {
    for (const [thing, name] of thingsIn(change.title ?? '')) {
      const symptom = said.get(thing)
      if (symptom !== undefined && recorded.get(thing)?.size === 1) return { name, symptom, how: 'bears' }
    }
    return null
  }
}
