/** What of the change that is taken for the cause a question asks for: which it is, who made it, or what it changed. */

/** What of that change is asked for. */
export type AskedOfCause = 'author' | 'diff' | 'which'

/** Who made it. */
export const AUTHOR =
  /^(?:and |so |but )?(?:by )?whom?[ ?!.]*$|^(?:and |so |but )?(?:who|by whom)\b.{0,30}\b(?:wrote|made|did|merged|deployed|shipped|pushed|committed|authored|is behind|approved|released)\b.{0,20}\b(?:guilty|offending|bad|faulty|broken|breaking|culprit|causing)\b|\b(?:author|committer) of (?:it|this|that|the (?:guilty|offending|bad|faulty|breaking|change|commit|deploy|release|cause))\b|^(?:and |so |but )?who (?:did|made|wrote|merged|deployed|shipped|pushed|committed) (?:it|this|that)(?: change| commit)?[ ?!.]*$/
/** What it changed. */
export const DIFF =
  /^(?:(?:please|can you|could you|and|so) )*(?:show|give|get|see|what(?:'s| is| does| did))\b.{0,20}\b(?:diff|patch|(?:that|this|the bad|the guilty) (?:commit|change))\b(?! .*\b(?:by|since|last|today|yesterday)\b)|^(?:the )?diff[ ?!.]*$/

/** Which of all changes it is. */
export const WHICH =
  /^(?:and |so |but |ok )?(?:which|what) (?:exact |one |single |specific )?(?:change|commit|deploy|deployment|release|rollout|merge|pr|pull request|mr)(?: exactly)?(?: (?:(?:is|was) (?:it|this|that|the (?:cause|culprit|reason|one|bad one|guilty one))|(?:did|broke|caused|triggered|started|introduced|killed|is behind|was behind)(?: (?:it|this|that|everything)))(?: exactly)?|(?: of (?:them|these|those|all))? (?:is|was|looks|seems) (?:the )?(?:most (?:suspicious|suspect|likely|probable|plausible|dubious)|likeliest)(?: (?:cause|culprit|one|reason))?|(?: of (?:them|these|those|all))? (?:is|was) to blame)?[ ?!.]*$/

/** What of the change that is taken for the cause plain lower-case words ask for; null where they ask for none. */
export const askedOfCause = (plain: string): AskedOfCause | null =>
  AUTHOR.test(plain) ? 'author' : DIFF.test(plain) ? 'diff' : WHICH.test(plain) ? 'which' : null
