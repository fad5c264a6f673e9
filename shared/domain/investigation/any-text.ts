/**
 * Whether an expression can match any of many texts, told by one look at all of them: most expressions match nothing of what
 * is said, and to begin anew for each text takes about as long as to look through it.
 *
 * Method: the texts one under the other. What is found in one of them is found there as well, since a line break beside it is
 * no part of a word, as its beginning and end are none. Left out are expressions that look at more than what they match:
 * beginnings and ends of a text, and what stands around. What is found there may reach from one text into the next, so each
 * has to be looked at by itself then.
 */

/** What looks at more than it matches, or remembers where it was; sets of characters that are left out are taken out before. */
const LOOKS_AROUND = /\(\?<?[=!]|\^|\$|\\[1-9k]/
const REMEMBERS = /[gmy]/

const looksAroundBefore = new WeakMap<RegExp, boolean>()

function looksAround(pattern: RegExp): boolean {
  const before = looksAroundBefore.get(pattern)
  if (before !== undefined) return before
  const found = LOOKS_AROUND.test(pattern.source.replaceAll('[^', '[')) || REMEMBERS.test(pattern.flags)
  looksAroundBefore.set(pattern, found)
  return found
}

/**
 * Tells of an expression whether it may match one of some texts.
 * @returns false only where it matches none of them
 */
export function anyText(texts: readonly string[]): (pattern: RegExp) => boolean {
  if (texts.length < 2) return () => true
  const all = texts.join('\n')
  return (pattern) => looksAround(pattern) || pattern.test(all)
}
