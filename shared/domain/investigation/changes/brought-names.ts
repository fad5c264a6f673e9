/**
 * A name that one change alone brought in, and that what fails says since: of a part that was not there before, or of a value.
 *
 * Method: who is on call searches what was changed for the names in a new error. A part whose first sample or line comes after
 * the record of the change that names it was begun by that change: that both bear the same name by chance, and that those who are hurt
 * speak of it too, is next to never so (Spärck Jones, A Statistical Interpretation of Term Specificity, 1972). Nobody needs to
 * call such a part in counted calls, as it is the machines of a pool, a relay or a proxy that are added. A value in capitals of several
 * words (`PARCEL_BY_AIR`, `BILLING_URL`) is a code of something that is looked up elsewhere, or the name of a variable of the environment:
 * whoever brings it in presumes that it is there, and who fails says that it is not. What the diff names without bringing it in, and what
 * several changes bring, tells none of them.
 */
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts'
import type { Observed } from '../place/failing-services.ts'
import { isOwnLine, type Symptom } from '../place/symptoms.ts'
import { pairsOf } from '../records/calls-by-pair.ts'
import type { EntityNames } from '../records/entity-names.ts'
import type { Change, Snapshot } from '../records/snapshot.ts'
import type { RankedChange } from './ranked-change.ts'
import { type DiffReading, wordsOf } from './read-diff.ts'
import { COMMON } from './word-overlap.ts'

/** A value in capitals of several words, by itself or as a member; parts of paths, hosts and files are none. */
const CODE = /(?<![\w$/:@-])[A-Z][A-Z\d]{1,30}(?:_[A-Z\d]{1,30}){1,5}(?![\w$/@-]|[.:]\w)/g
/** How long before the change nothing may be known of a part, ms: a dozen samples of half a minute. */
const UNKNOWN_MS = 6 * 60_000

/** A part that a change began, with what is said of it. */
export interface BroughtPart {
  readonly part: string
  /** When it was measured or spoke first, epoch milliseconds. */
  readonly at: number
  readonly quoted: NonNullable<RankedChange['quoted']>
}

/** What only the new text holds of what is found in lines. */
function broughtBy(
  { lines_new: come, lines_gone: gone, surroundings }: DiffReading,
  namesIn: (line: string) => readonly string[],
): ReadonlySet<string> {
  const brought = new Set(come.flatMap(namesIn))
  for (const line of brought.size === 0 ? [] : [...gone, ...surroundings])
    for (const name of namesIn(line)) brought.delete(name)
  return brought
}

const codesIn = (text: string): readonly string[] =>
  text.includes('_')
    ? (text.match(CODE) ?? []).filter((code) => wordsOf(code).some((word) => !COMMON.has(word)))
    : []

/** Each name that one change alone brings in, of those that are said, with that change. */
function bringersOf(
  diffs: ReadonlyMap<Change, DiffReading>,
  said: ReadonlyMap<string, Symptom>,
  namesIn: (line: string) => readonly string[],
): ReadonlyMap<Change, string> {
  const bringers = new Map<string, Change | null>()
  for (const [change, diff] of said.size === 0 ? [] : diffs)
    for (const name of broughtBy(diff, namesIn))
      if (said.has(name)) bringers.set(name, bringers.has(name) ? null : change)
  const found = new Map<Change, string>()
  for (const [name, change] of bringers) if (change !== null && !found.has(change)) found.set(change, name)
  return found
}

/** The first of what is said that holds each name, the heaviest first. */
function firstSaid(
  symptoms: readonly Symptom[],
  namesIn: (symptom: Symptom) => readonly string[],
): ReadonlyMap<string, Symptom> {
  const said = new Map<string, Symptom>()
  for (const symptom of symptoms)
    for (const name of namesIn(symptom)) if (!said.has(name)) said.set(name, symptom)
  return said
}

/**
 * For each change the value in capitals that it alone brings in and that what fails says.
 * @param symptoms the heaviest first
 */
export function broughtCodes(
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
): (change: Change) => RankedChange['quoted'] {
  const said = firstSaid(symptoms.filter(isOwnLine), ({ plain }) => codesIn(plain))
  const found = bringersOf(diffs, said, codesIn)
  return (change) => {
    const name = found.get(change)
    const symptom = name === undefined ? undefined : said.get(name)
    return name === undefined || symptom === undefined ? null : { name, symptom, how: 'brings' }
  }
}

/** When each of some parts was measured or spoke first, epoch milliseconds. */
function firstSeen(parts: ReadonlySet<string>, { series, logs }: Snapshot, names: EntityNames) {
  const first = new Map<string, number>()
  if (parts.size === 0) return first
  const see = (entity: string, at: number | undefined): void => {
    if (at !== undefined && parts.has(entity)) first.set(entity, Math.min(at, first.get(entity) ?? at))
  }
  for (const { entity, times } of series) see(entity, times[0])
  for (const { service, timestamp } of logs)
    if (service !== undefined) see(names.canonical(service), timestamp)
  return first
}

/**
 * For each change the part that was begun by it alone, that no counted call knows and of which whoever fails speaks.
 * @param symptoms the heaviest first
 */
export function broughtParts(
  snapshot: Snapshot,
  observed: Observed,
  symptoms: readonly Symptom[],
  diffs: ReadonlyMap<Change, DiffReading>,
  names: EntityNames,
): (change: Change) => BroughtPart | null {
  const failing = new Set(observed.failing.map(({ entity }) => entity))
  // Whom lines name is on the graph of calls too; what is counted is asked by others already.
  const called = new Set(pairsOf(snapshot.edges).flatMap(({ caller, callee }) => [caller, callee]))
  const partsIn = (text: string): readonly string[] =>
    names.mentionedIn(text).filter((name) => !called.has(name))
  const told = symptoms.filter(
    (symptom) => isOwnLine(symptom) || (symptom.origin === 'log' && failing.has(symptom.entity ?? '')),
  )
  const said = firstSaid(told, ({ text, entity }) => partsIn(text).filter((name) => name !== entity))
  const found = bringersOf(diffs, said, partsIn)
  const first = firstSeen(new Set(found.values()), snapshot, names)
  return (change) => {
    const part = found.get(change)
    const symptom = part === undefined ? undefined : said.get(part)
    if (part === undefined || symptom === undefined) return null
    const at = first.get(part) ?? 0
    const since = change.recorded_at - CLOCK_TOLERANCE_MS
    const isNew = at >= since && since - snapshot.window.from >= UNKNOWN_MS
    return isNew ? { part, at, quoted: { name: part, symptom, how: 'brings' } } : null
  }
}
