/**
 * Recognises entities where they are mentioned: in a log line, a path, a title, a question.
 *
 * Method: names and aliases are matched as whole words; a name without its `-service`, `-svc`, `-api` part
 * counts as the same entity unless two entities would then share it.
 */

import { pairsOf } from './calls-by-pair.ts'
import { seriesByEntity } from './series-by-entity.ts'
import type { Snapshot } from './snapshot.ts'
import { linesByService, servicesOf } from './speaking-services.ts'

const SUFFIX = /[-_. ]?(service|svc|server|api|app|deployment|worker)$/i
/** Shorter remainders match ordinary words too often. */
const SHORTEST_STEM = 3

/** Beside a whole word stands none of these. */
const WORD_BEGINS = /^[\p{L}\p{N}]/u
const WORD_ENDS = /[\p{L}\p{N}]$/u
/** Code units of the longest character. */
const LONGEST_CHARACTER = 2

/** In lower case with every character at its place: of all letters only this one becomes longer. */
const inLowerCase = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()

/** Where a name stands in a text. */
interface Occurrence {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Names by the code unit that they begin with. */
type ByBeginning = ReadonlyMap<number, readonly string[]>

/** Whether a code unit is a small letter or a digit of ASCII, as nearly all are that stand within a word. */
const isWithinWord = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57)

/**
 * Where names stand as whole words: of those that begin at one place the longest, and none that begins within another.
 * Method: at each place where a word may begin, those names that begin alike. One expression of all of them would be
 * compiled anew for each snapshot, which takes longer than searching what a snapshot says.
 */
function occurrencesOf(names: ByBeginning, text: string): readonly Occurrence[] {
  const lower = inLowerCase(text)
  const found: Occurrence[] = []
  let wasWithin = false
  for (let from = 0; from < lower.length; from++) {
    const unit = lower.charCodeAt(from)
    const mayBegin = !wasWithin
    wasWithin = isWithinWord(unit)
    if (!mayBegin) continue
    for (const name of names.get(unit) ?? []) {
      if (!lower.startsWith(name, from)) continue
      const to = from + name.length
      const isWhole =
        !WORD_ENDS.test(lower.slice(Math.max(0, from - LONGEST_CHARACTER), from)) &&
        !WORD_BEGINS.test(lower.slice(to, to + LONGEST_CHARACTER))
      if (isWhole) found.push({ name, from, to })
    }
  }
  found.sort((a, b) => a.from - b.from || b.to - a.to)
  let end = 0
  return found.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}

/** The name without the part that only says what kind of thing it is; null when nothing useful remains. */
export function stemOf(name: string): string | null {
  const stem = name.replace(SUFFIX, '')
  return stem === name || stem.length < SHORTEST_STEM ? null : stem.toLowerCase()
}

export interface EntityNames {
  readonly all: readonly string[]
  /** Entities mentioned by full name or alias. */
  mentionedIn(text: string): readonly string[]
  /** Entities that a file path belongs to: one of its folders or a part of one is the name or its stem. */
  ownersOf(path: string): readonly string[]
  /** The canonical name of a name or alias; the text itself when unknown. */
  canonical(name: string): string
  /** The text with every mention taken out, so that a name cannot pass for vocabulary. */
  withoutNames(text: string): string
}

/** Every entity that any record names, with its aliases. */
export function entityNames(snapshot: Snapshot): EntityNames {
  const canonicalOf = new Map<string, string>()
  const names = new Set<string>()
  for (const entity of snapshot.entities) {
    names.add(entity.name)
    for (const { alias } of entity.aliases) canonicalOf.set(alias.toLowerCase(), entity.name)
  }
  // Tens of thousands of records repeat a few names.
  const seen = new Set<string | undefined>([undefined, ''])
  const add = (name: string | undefined): void => {
    if (seen.has(name)) return
    seen.add(name)
    if (name !== undefined && !canonicalOf.has(name.toLowerCase())) names.add(name)
  }
  for (const alert of snapshot.alerts) add(alert.service)
  for (const entity of seriesByEntity(snapshot.series).keys()) add(entity)
  for (const { caller, callee } of pairsOf(snapshot.edges)) {
    add(caller)
    add(callee)
  }
  for (const service of servicesOf(snapshot.spans)) add(service)
  for (const service of linesByService(snapshot.logs).keys()) add(service)
  for (const count of snapshot.log_counts) add(count.service)
  for (const change of snapshot.changes) add(change.entity)
  for (const event of snapshot.events) add(event.service)
  for (const pattern of snapshot.patterns) add(pattern.service)
  for (const name of names) canonicalOf.set(name.toLowerCase(), name)

  const stems = new Map<string, string | null>()
  for (const name of names) {
    const stem = stemOf(name)
    if (stem !== null) stems.set(stem, stems.has(stem) ? null : name)
  }
  for (const [stem, name] of stems) if (name === null || canonicalOf.has(stem)) stems.delete(stem)

  const written = Map.groupBy(
    [...canonicalOf.keys()].filter((name) => name !== ''),
    (name) => name.charCodeAt(0),
  )
  const occurrences = new Map<string, readonly Occurrence[]>()
  const read = (text: string): readonly Occurrence[] => {
    const known = occurrences.get(text)
    if (known !== undefined) return known
    const found = occurrencesOf(written, text)
    occurrences.set(text, found)
    return found
  }
  const mentions = new Map<string, readonly string[]>()
  // As they are written: to have each in lower case again for every record would cost more than to look it up.
  const asWritten = new Map<string, string>()

  return {
    all: [...names],
    canonical(name) {
      const known = asWritten.get(name)
      if (known !== undefined) return known
      const found = canonicalOf.get(name.toLowerCase()) ?? name
      asWritten.set(name, found)
      return found
    },
    mentionedIn(text) {
      const known = mentions.get(text)
      if (known !== undefined) return known
      const found = new Set<string>()
      for (const { name } of read(text)) found.add(canonicalOf.get(name) as string)
      const list = [...found]
      mentions.set(text, list)
      return list
    },
    ownersOf(path) {
      const found = new Set<string>()
      for (const folder of path.toLowerCase().split('/').slice(0, -1)) {
        const name = canonicalOf.get(folder) ?? stems.get(folder) ?? stems.get(stemOf(folder) ?? '')
        if (name !== undefined && name !== null) found.add(name)
      }
      return [...found]
    },
    withoutNames(text) {
      let rest = ''
      let end = 0
      for (const { from, to } of read(text)) {
        rest += `${text.slice(end, from)} `
        end = to
      }
      return rest + text.slice(end)
    },
  }
}
