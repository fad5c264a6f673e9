/**
 * Conditions that a diff asks otherwise: a line whose words stay, in their order, while its comparisons, negations or junctions do not.
 *
 * What is compared with what is the same, so that next to no word of it is new; yet what it was for is now done where it was not.
 * Changes of the condition of an `if` are among the most frequent of all mends of faults (Pan, Kim and Whitehead, Toward an
 * understanding of bug fix patterns, Empirical Software Engineering 14, 2009, pattern IF-CC), and operators of comparison, negation and
 * junction are what tests of tests replace (Offutt et al., An experimental determination of sufficient mutant operators, ACM TOSEM 5, 1996).
 */

import { type DiffReading, wordsOf } from './read-diff.ts'

/** Operators that compare, negate or join, in the signs of most languages; arrows, shifts and brackets of types are none. */
const OPERATORS = /[=!]==?|(?<![-=<\w])<=?(?=[\s\d(])|(?<![-=>])>=?(?=[\s\d(])|&&|\|\||!(?=[\w(])/g
/** Whether types are compared as well: conditions that differ in this alone seldom differ. */
const STRICT = /^([=!]=)=$/
/** Operators in words. */
const OPERATOR_WORDS: ReadonlySet<string> = new Set(['and', 'or', 'not', 'unless', 'if', 'true', 'false'])
/** A line that asks something: more than a value that is set. */
const ASKS = /\b(?:if|elif|elsif|unless|while|until|when|where|assert|return|filter|some|every|any|all)\b|\?/i

/** What a line asks of, and how. */
interface Asked {
  readonly of: string
  readonly how: string
}

function askedIn(line: string): Asked {
  const words = wordsOf(line)
  const signs = (line.match(OPERATORS) ?? []).map((sign) => sign.replace(STRICT, '$1'))
  const how = [...signs, ...words.filter((word) => OPERATOR_WORDS.has(word))]
  return { of: words.filter((word) => !OPERATOR_WORDS.has(word)).join(' '), how: how.join(' ') }
}

/**
 * Lines that ask of the same as before, and otherwise, each in its new form. Where other words stand the same may be asked in another way,
 * as `!a` and `a === undefined` do, so only the same words tell.
 */
export function turnedConditions({ lines_gone, lines_new }: DiffReading): readonly string[] {
  const gone = new Map<string, Set<string>>()
  for (const { of, how } of lines_gone.filter((line) => ASKS.test(line)).map(askedIn))
    if (of !== '') gone.set(of, (gone.get(of) ?? new Set()).add(how))
  if (gone.size === 0) return []
  // Diffs have thousands of lines: each is read once.
  return lines_new.filter((line) => {
    if (!ASKS.test(line)) return false
    const { of, how } = askedIn(line)
    return [...(gone.get(of) ?? [])].some((old) => old !== how)
  })
}
