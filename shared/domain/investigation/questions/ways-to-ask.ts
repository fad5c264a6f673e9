/** What a question can want, why one gets no answer, and how a way to ask is written down. */

export const INTENTS = [
  'why',
  'what_happened',
  'what_changed',
  'what_is_affected',
  'how_is',
  'list_incidents',
  'count_incidents',
  'when_started',
  'seen_before',
  'is_recovered',
  'what_contradicts',
  'what_was_asked',
  'should_roll_back',
  'unknown',
] as const
export type Intent = (typeof INTENTS)[number]

/** Why a question gets no answer: nobody can read it, or no evidence could ever answer it. */
export const REFUSALS = [
  'unreadable',
  'prediction',
  'command',
  'not_measured',
  'kept_elsewhere',
  'people',
  'owner',
  'language',
  'courtesy',
  'confined',
] as const
export type Refused = (typeof REFUSALS)[number]

/**
 * A way to ask, beside some of them words of which any text that fits holds one. To look for those is cheap, and to
 * compile an expression that cannot fit is most of what the first question of a process costs.
 */
export type Row<Meant> = readonly [meant: Meant, pattern: RegExp, words?: readonly string[]]
/** Such words, written with bars between them. */
export const wordsOf = (words: string): readonly string[] => words.split('|')
/** Whether a text is put in such a way. */
export const fits = (plain: string, [, pattern, words]: Row<unknown>): boolean =>
  words?.some((word) => plain.includes(word)) !== false && pattern.test(plain)
