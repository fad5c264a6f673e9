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
  const words = [...plain.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({ word, index }))
  const forms = services.flatMap((service) => {
    const name = service.toLowerCase()
    const stem = stemOf(name)
    return [name, ...(stem === null ? [] : [stem])].map((form) => ({ service, parts: partsOf(form) }))
  })
  const holders = new Map<string, string | null>()
  for (const { service, parts } of forms)
    for (const part of parts) {
      const known = holders.get(part)
      holders.set(part, known === undefined || known === service ? service : null)
    }
  let best: { far: number; from: number; to: number; services: Set<string> } | null = null
  const offer = (far: number | null, from: number, to: number, service: string): void => {
    if (far === null || far === 0 || far > (best?.far ?? Number.POSITIVE_INFINITY)) return
    if (best?.far === far) best.services.add(service)
    else best = { far, from, to, services: new Set([service]) }
  }
  for (const [first, { word, index }] of words.entries()) {
    const end = index + word.length
    if (!isBounded(plain, index)) continue
    for (const { service, parts } of forms) {
      const own = words.slice(first, first + parts.length)
      const last = own.at(-1) ?? { word, index }
      const to = last.index + last.word.length
      const isJoined = own.every(
        (one, at) =>
          at === 0 || one.index - ((own[at - 1]?.index ?? 0) + (own[at - 1]?.word.length ?? 0)) === 1,
      )
      if (
        own.length === parts.length &&
        isJoined &&
        isBounded(plain, to) &&
        !own.every((one) => isOther(one.word))
      )
        offer(
          farFromAll(
            own.map((one) => one.word),
            parts,
          ),
          index,
          to,
          service,
        )
      if (parts.length > 1 && !isOther(word) && isBounded(plain, end))
        offer(farFrom(word, parts.join(''), false), index, end, service)
    }
    const holder = STANDS_THERE.test(plain.slice(0, index)) ? holders.get(word) : undefined
    if (
      holder &&
      !word.endsWith('s') &&
      word.length >= SHORTEST_PART &&
      !isOther(word) &&
      isBounded(plain, end)
    )
      offer(PART_ALONE, index, end, holder)
  }
  const found = best as { from: number; to: number; services: Set<string> } | null
  return found === null
    ? null
    : { slip: plain.slice(found.from, found.to), services: [...found.services].sort() }
}
