/**
 * The beginning of a text, without half of its last character: such a half is no text that a store or every reader of
 * JSON takes.
 * @param most length in UTF-16 units
 */
export const beginningOf = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

/** A word that is cut through goes as a whole, unless it is longer than this (UTF-16 units). */
const LONGEST_WORD = 24
const BEGUN_WORD = new RegExp(`(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}]{1,${LONGEST_WORD}}$`, 'u')
const WORD = /^[\p{L}\p{N}]/u

/** A text of at most `most` UTF-16 units; one that was longer ends in `…`, and in no half of a word before it. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const beginning = beginningOf(text, most - 1)
  const whole = WORD.test(text.slice(beginning.length)) ? beginning.replace(BEGUN_WORD, '') : beginning
  return `${(whole === '' ? beginning : whole).trimEnd()}…`
}
