/** Words that are typed in a hurry: "pymnts" for payments, "agn" for again. */

/** What people leave away of a word first. */
const VOWELS = 'aeiou'

/**
 * How many letters of a word somebody left away who left only vowels behind its first letter and one of two equal letters;
 * null where that does not make the one of the other.
 */
export function lettersDropped(typed: string, meant: string): number | null {
  if (typed[0] !== meant[0]) return null
  let at = 0
  let dropped = 0
  for (const [index, letter] of [...meant].entries()) {
    if (typed[at] === letter) at += 1
    else if (VOWELS.includes(letter) || letter === meant[index - 1]) dropped += 1
    else return null
  }
  return at === typed.length ? dropped : null
}

/** Whether a text has no vowel behind its first letter: what is left of a word when all of them are dropped. */
export const isSkeleton = (word: string): boolean => ![...word.slice(1)].some((one) => VOWELS.includes(one))

/** The one of some words that most of the letters are left of; null where there is none, or more than one. */
export function nearestUndropped(typed: string, words: readonly string[]): string | null {
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const word of words) {
    const dropped = lettersDropped(typed, word)
    if (dropped === null || dropped > least || word === best) continue
    best = dropped === least ? null : word
    least = dropped
  }
  return best
}
