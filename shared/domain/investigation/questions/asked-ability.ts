/** Whether people can do something: what they do is no service, whatever it is called, and hardly anything measures it. */

/** What people are asked to be able to do. */
export interface AskedAbility {
  /** As the question says it: "people", "customers". */
  readonly who: string
  readonly what: string
  /** What they do is to get at something, as a service is. */
  readonly is_reaching: boolean
}

const PEOPLE =
  '((?:the |our |any |all )?(?:users?|customers?|people|clients?|visitors?|guests?|(?:any|some|every)(?:one|body)|they))'
const NOW = '(?:still |currently |now |actually )?'
/** What is asked of whoever answers, or whether it is over, is another question. */
const NO_ACT = '(?!(?:tell|explain|say|help|show|look|confirm|notice|feel|see)\\b)'
const ABLE = new RegExp(
  `^(?:and |so |but )?(?:can|could|(?:is|are|were) (?=[^?]{1,30} able to )) ?${PEOPLE} ${NOW}(?:able to )?${NOW}${NO_ACT}([a-z][a-z' -]{1,60}?)(?: (?:right now|now|today|still|at all))*[ ?!.]*$`,
)
const AGAIN = /\bagain\b/
/** How something is got at. */
const REACHING =
  /^(?:reach|use|access|open|load|visit|call|hit|get (?:to|into|through|at)|(?:talk|connect) to)\b/
/** What is done, with what it is done to, which is no name of who does it. */
const DONE_TO =
  /\b(?:place|make|submit|send|create|cancel|change|track|complete|buy|get|view) (?:(?:the|their|an?|any|new|some|more) )*[a-z]+/

/** What people are asked to be able to do, in plain lower-case words; null where nothing is. */
export function abilityAsked(plain: string): AskedAbility | null {
  if (AGAIN.test(plain)) return null
  const [, who, what] = ABLE.exec(plain) ?? []
  return who === undefined || what === undefined ? null : { who, what, is_reaching: REACHING.test(what) }
}

/** The words of a question without what is done, so that a service is not read into it. */
export const withoutAct = (plain: string): string => plain.replace(DONE_TO, '…')
