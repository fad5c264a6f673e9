/**
 * How much the words of a change are those of what is observed: overlap weighted by inverse document frequency
 * (Spärck Jones, A Statistical Interpretation of Term Specificity, 1972).
 */

import type { Symptom } from '../place/symptoms.ts'
import { type EntityNames, stemOf } from '../records/entity-names.ts'
import { compareText } from '../records/log-templates.ts'
import type { Change } from '../records/snapshot.ts'
import { round6 } from '../statistics.ts'
import { type DiffReading, wordsOf } from './read-diff.ts'

/** A word that at least this share of all changes use links nothing. */
const EVERYWHERE = 0.4

/** Words of every programming language and of every commit; they connect nothing. */
export const COMMON = new Set(
  'the a an and or of to in for on with from by is are was be as at it this that not no if else return func function def class struct type var let const int string bool float err error errors nil null none true false new get set add use used using make map range len append time context ctx req res request response http json data value values name names key id service svc server client config code file line test info debug warn failed failure fail returned returning status call calls called statu handler handle handled message messages msg after before per all any each item items list count total number n s ms go py ts js java yaml yml src main index package import public private static void self async await try catch throw out http2 com github www api v1 v2'.split(
    ' ',
  ),
)

interface WordMatch {
  readonly score: number
  readonly words: readonly string[]
  readonly is_linked: boolean
}

/** A word as it is compared: without a plural's s. */
export const singular = (word: string): string =>
  word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word

const compared = (text: string): readonly string[] => wordsOf(text).map(singular)

/** Which words say something beside what all changes and all names say. */
class TellingWords {
  readonly #parts: ReadonlySet<string>
  readonly #judged = new Map<string, boolean>()

  /** @param parts - words of entities' names */
  constructor(parts: ReadonlySet<string>) {
    this.#parts = parts
  }

  isTelling(word: string): boolean {
    const known = this.#judged.get(word)
    if (known !== undefined) return known
    const tells = word.length > 2 && !COMMON.has(word) && !this.#parts.has(word) && !/^\d+$/.test(word)
    this.#judged.set(word, tells)
    return tells
  }

  /** Gives those that say something at least a weight. */
  put(weights: Map<string, number>, words: Iterable<string>, weight: number): void {
    for (const each of words) {
      const word = singular(each)
      if (this.isTelling(word)) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
    }
  }
}

/** Scores the words of a change against those of what is observed, 0 to 1, beside all other changes. */
export function wordScorer(
  candidates: readonly Change[],
  diffs: ReadonlyMap<Change, DiffReading>,
  symptoms: readonly Symptom[],
  names: EntityNames,
): (change: Change) => WordMatch {
  // Parts of entities' names speak for the place, which is scored by itself.
  const parts = new Set(names.all.flatMap((name) => [...compared(name), stemOf(name) ?? '']))
  // Diffs of one system repeat their words: each is judged once.
  const words = new TellingWords(parts)
  const observedWords = new Map<string, number>()
  const tellingIn = new Map<string, readonly string[]>()
  for (const symptom of symptoms) {
    let telling = tellingIn.get(symptom.plain)
    if (telling === undefined) {
      telling = [...new Set(compared(symptom.plain))].filter((word) => words.isTelling(word))
      tellingIn.set(symptom.plain, telling)
    }
    for (const word of telling)
      observedWords.set(word, Math.min(2, (observedWords.get(word) ?? 0) + symptom.weight))
  }
  const documents = candidates.map((change) => {
    const diff = diffs.get(change) as DiffReading
    const weights = new Map<string, number>()
    words.put(weights, diff.net_removed, 1.2)
    words.put(weights, diff.net_added, 1)
    const told = [change.title ?? '', change.kind === 'flag' ? change.id : '', ...(change.files ?? [])]
    words.put(weights, told.flatMap(wordsOf), 0.4)
    // Lines that stay, in whole or in part, tell what the change is about, not what it does.
    for (const some of [diff.words_removed, diff.words_added, diff.surroundings.flatMap(wordsOf)])
      words.put(weights, some, 0.1)
    return weights
  })
  const frequency = new Map<string, number>()
  // Only words of what is observed are asked for.
  for (const document of documents)
    for (const word of document.keys())
      if (observedWords.has(word)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarity = (word: string): number =>
    Math.max(0, Math.log((candidates.length + 1) / ((frequency.get(word) ?? 0) + 0.5)))
  const byChange = new Map(
    candidates.map((change, index) => [change, documents[index] as Map<string, number>]),
  )
  return (change) => {
    const document = byChange.get(change) as Map<string, number>
    const hits: { word: string; value: number }[] = []
    let isLinked = false
    for (const [word, weight] of document) {
      const seen = observedWords.get(word)
      if (seen === undefined) continue
      hits.push({ word, value: round6(weight * Math.min(1, seen) * rarity(word)) })
      if (seen >= 0.2 && (frequency.get(word) ?? 0) <= Math.max(3, EVERYWHERE * candidates.length))
        isLinked = true
    }
    hits.sort((a, b) => b.value - a.value || compareText(a.word, b.word))
    const total = hits.reduce((sum, hit) => sum + hit.value, 0) / Math.sqrt(1 + document.size / 12)
    // Half-saturation at 3: about two rare words.
    return {
      score: round6(total / (total + 3)),
      words: hits.slice(0, 5).map((hit) => hit.word),
      is_linked: isLinked,
    }
  }
}
