/** Which known name somebody means who typed it in a hurry: with a slip, without its vowels, in several words, or a part of it. */

import { stemOf } from '../records/entity-names.ts'
import { slipsBetween } from '../records/near-names.ts'
import { isSkeleton, lettersDropped } from './dropped-vowels.ts'

/** The words of a question that are taken for a name, with every known name that they are equally near to. */
export interface MeantName {
  readonly slip: string
  readonly services: readonly string[]
}

/** The parts of a name that are shorter tell one of several alike from another: what differs there is no slip. */
const SHORTEST_SLIP = 5
/** Of a word without vowels so many letters are left at least; one that keeps some of them is longer. */
const SHORTEST_SKELETON = 3
const MOST_DROPPED = 2
/** A part of a name that stands for the whole of it is farther from it than any slip, letters. */
const PART_ALONE = 20
/** Shorter parts are words of everybody's ("app", "web", "core"). */
const SHORTEST_PART = 5

/** What stands before a part of a name that means the whole of it: a word of its own stands in other places too. */
const STANDS_THERE = /(?:^(?:and |so )?|\b(?:the|our|my|is|are|was|were|does|did|has|on|with|why|about|at) )$/
/** Letters of other scripts that look like those of a name are no slip of it. */
const LATIN = /^[\p{Script=Latin}\p{N}]+$/u

/**
 * How far a word is from a part of a name; null where it is another one.
 *
 * @param isBeside whether another part of that name stands beside it as it is written
 */
function farFrom(word: string, part: string, isBeside: boolean): number | null {
  if (word === part) return 0
  if (!LATIN.test(word)) return null
  const dropped = lettersDropped(word, part)
  const isLong = word.length >= SHORTEST_SKELETON && part.length > SHORTEST_SKELETON
  if (dropped !== null && (isBeside || (isLong && isSkeleton(word)))) return dropped
  if (dropped !== null && isLong && word.length >= SHORTEST_SLIP && dropped <= MOST_DROPPED) return dropped
  return isSlipOf(word, part) ? 1 : null
}

/** Whether one word is another with one slip of a letter, from the second on. */
const isSlipOf = (word: string, part: string): boolean =>
  Math.min(word.length, part.length) >= SHORTEST_SLIP &&
  word[0] === part[0] &&
  // Another number is another thing, and many are not one.
  word.replace(/\D|s$/g, '') === part.replace(/\D|s$/g, '') &&
  word.replace(/s$/, '') !== part.replace(/s$/, '') &&
  slipsBetween(word, part) === 1

const partsOf = (name: string): readonly string[] => name.split(/[-_. ]/).filter((part) => part !== '')

/** How far so many words are from the parts of a name; null where one of them is another, or more than one has a slip. */
function farFromAll(words: readonly string[], parts: readonly string[]): number | null {
  let far = 0
  let slips = 0
  for (const [index, word] of words.entries()) {
    const part = parts[index] ?? ''
    const isBeside = words.some((other, at) => at !== index && other === parts[at])
    const own = farFrom(word, part, isBeside)
    if (own === null) return null
    far += own
    if (own > 0 && lettersDropped(word, part) === null) slips += 1
  }
  return slips > 1 ? null : far
}

/** Whether no word of several parts goes on at a place. */
const isBounded = (plain: string, at: number): boolean => {
  const [before, after] = [plain.slice(Math.max(0, at - 2), at), plain.slice(at, at + 2)]
  return !/[\p{L}\p{N}][-_.]$/u.test(before) && !/^[-_.][\p{L}\p{N}]/u.test(after)
}

/** A way to write a known name, in its parts. */
interface Form {
  readonly service: string
  readonly parts: readonly string[]
}

const formsOf = (services: readonly string[]): readonly Form[] =>
  services.flatMap((service) => {
    const name = service.toLowerCase()
    const stem = stemOf(name)
    return [name, ...(stem === null ? [] : [stem])].map((form) => ({ service, parts: partsOf(form) }))
  })

/** The one name that has a part, of the parts that only one has. */
function holdersOf(forms: readonly Form[]): (part: string) => string | null {
  const holders = new Map<string, string | null>()
  for (const { service, parts } of forms)
    for (const part of parts) {
      const known = holders.get(part)
      holders.set(part, known === undefined || known === service ? service : null)
    }
  return (part) => holders.get(part) ?? null
}

interface Word {
  readonly word: string
  readonly from: number
  readonly to: number
}

/** Some words of a text, with the name that they may mean and how far they are from it. */
interface Offer {
  readonly far: number
  readonly from: number
  readonly to: number
  readonly service: string
}

/** As many words as a name has parts, each with one character between it and the next, that are as its parts are. */
function inParts(
  own: readonly Word[],
  { service, parts }: Form,
  plain: string,
  isOther: (word: string) => boolean,
): readonly Offer[] {
  const [first, last] = [own[0], own.at(-1)]
  if (first === undefined || last === undefined || own.length < parts.length) return []
  const isJoined = own.every(({ from }, at) => at === 0 || from - (own[at - 1]?.to ?? 0) === 1)
  if (!isJoined || !isBounded(plain, last.to) || own.every(({ word }) => isOther(word))) return []
  const far = farFromAll(
    own.map(({ word }) => word),
    parts,
  )
  return far === null ? [] : [{ far, from: first.from, to: last.to, service }]
}

/** A word that is as a name of several parts is without what stands between them. */
function inOneWord({ word, from, to }: Word, { service, parts }: Form): readonly Offer[] {
  const far = parts.length > 1 ? farFrom(word, parts.join(''), false) : null
  return far === null ? [] : [{ far, from, to, service }]
}

/** A word that is a part of one name alone, where a name stands. */
function inPart(
  { word, from, to }: Word,
  plain: string,
  holderOf: (part: string) => string | null,
): readonly Offer[] {
  if (word.endsWith('s') || word.length < SHORTEST_PART || !STANDS_THERE.test(plain.slice(0, from))) return []
  const service = holderOf(word)
  return service === null ? [] : [{ far: PART_ALONE, from, to, service }]
}

/**
 * The words of a text that are nearest to a known name without being it, with that name; null where none is near.
 *
 * @param isOther whether a word means something of its own where it stands alone
 */
export function nameMeant(
  plain: string,
  services: readonly string[],
  isOther: (word: string) => boolean,
): MeantName | null {
  const words = [...plain.matchAll(/[\p{L}\p{N}]+/gu)].map(
    ({ 0: word, index }): Word => ({ word, from: index, to: index + word.length }),
  )
  const forms = formsOf(services)
  const holderOf = holdersOf(forms)
  // Whatever is left away, the first letter stays.
  const byLetter = Map.groupBy(forms, ({ parts }) => parts[0]?.[0])
  const offers = words.flatMap((one, first) => {
    if (!isBounded(plain, one.from)) return []
    const isAlone = !isOther(one.word) && isBounded(plain, one.to)
    return [
      ...(byLetter.get(one.word[0]) ?? []).flatMap((form) => [
        ...inParts(words.slice(first, first + form.parts.length), form, plain, isOther),
        ...(isAlone ? inOneWord(one, form) : []),
      ]),
      ...(isAlone ? inPart(one, plain, holderOf) : []),
    ]
  })
  const near = offers.filter(({ far }) => far > 0)
  const least = Math.min(...near.map(({ far }) => far))
  const [nearest, ...others] = near.filter(({ far }) => far === least)
  if (nearest === undefined) return null
  return {
    slip: plain.slice(nearest.from, nearest.to),
    services: [...new Set([nearest, ...others].map(({ service }) => service))].sort(),
  }
}
