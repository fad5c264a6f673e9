/**
 * Further questions in one text. One is answered; of the others it is said that they are not, so that nobody takes
 * silence for an answer.
 */
import { beginningOf } from '../cut-text.ts'
import { spelt } from './names-aside.ts'
import { readIntent } from './read-intent.ts'
import type { Intent, Refused } from './ways-to-ask.ts'

/** A question that an answer leaves open. */
export interface LeftOut {
  /** In plain lower-case words, as it was asked. */
  readonly text: string
  /** Why it is not answered by itself either; null where it is. */
  readonly refusal: Refused | null
}

/** Where one question ends and another begins. */
const BOUNDARY =
  /[?!.;]\s+(?:and |but |also |so )?|(?:,? (?:and|but|und)|,) (?=(?:who|what|what's|whats|when|where|which|why|how|is|are|was|were|did|does|do|should|has|have|since when)\b)/
/** How a question begins; what else stands in a text tells about it. */
const ASKS =
  /^(?:who|whose|what|what's|whats|when|where|which|why|how|is|are|was|were|did|does|do|should|has|have|since when)\b/
/** What the answer to a question tells along the way. */
const TELLS: Partial<Readonly<Record<Intent, readonly Intent[]>>> = {
  why: ['when_started', 'how_is'],
  how_is: ['is_recovered', 'when_started'],
  is_recovered: ['how_is', 'when_started'],
  what_is_affected: ['how_is', 'when_started'],
  should_roll_back: ['why'],
  what_contradicts: ['why'],
}
/** Further questions that an answer names, each cut to so many characters. */
const MOST = 3
const LONGEST = 120
/** A part of fewer words asks for what the rest of its sentence says ("and when?"). */
const FEWEST_WORDS = 3

/** Whether a text begins as a question does. */
export const isAsking = (plain: string): boolean => ASKS.test(plain)

/** The questions of a text by themselves, in their order. */
export const askingParts = (plain: string): readonly string[] =>
  plain
    .split(BOUNDARY)
    .map((part) => part.replace(/[?!.;,\s]+$/, ''))
    .filter((part) => ASKS.test(part))

/**
 * The questions of a text that the answer to one of a given intent leaves open. None where the text was read as a
 * whole, not by one of its parts.
 */
export function leftOut(plain: string, intent: Intent): readonly LeftOut[] {
  if (intent === 'unknown') return []
  const asking = askingParts(plain)
  // A single question leaves none open beside itself.
  if (asking.length < 2) return []
  const parts = asking.map((text) => ({ text, ...readIntent(text) }))
  if (!parts.some((part) => part.intent === intent)) return []
  const told = [intent, ...(TELLS[intent] ?? [])]
  return parts
    .filter(({ text, intent: of }) => !told.includes(of) && text.split(' ').length >= FEWEST_WORDS)
    .slice(0, MOST)
    .map(({ text, refusal }) => ({ text: beginningOf(spelt(text), LONGEST), refusal }))
}
