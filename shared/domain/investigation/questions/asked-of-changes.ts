/** What of the recorded changes a question asks for, beside which they are: the first, how long one took, who made most, what had none. */

/** How long one took, how large or risky one is, what had none, and by whom or of what most or fewest of them are. */
export type AskedOfChanges =
  | 'first'
  | 'length'
  | 'unchanged'
  | 'size'
  | 'most_by'
  | 'fewest_by'
  | 'most_of'
  | 'fewest_of'

const SPOKEN = '^(?:(?:and|so|but|please|can you|list|show(?: me)?|tell me|name) )*'
const THE = '(?:(?:the|that|this|our|last|latest) )*'
/** A change that is rolled out, which takes its time. */
const ROLLOUT =
  '(?:(?:re)?deploy(?:ment)?|roll ?out|release|upgrade|migration|commit|change|merge|flag|hotfix|v\\d[\\w.-]*)'
const ONE =
  '(?:change|(?:re)?deploy(?:ment)?|roll ?out|release|commit|merge|pull request|pr|upgrade|migration)'
const DONE =
  '(?:changed?|(?:re)?deploy(?:ed)?|released?|shipped|merged?|pushed|committed|rolled out|went out)'

const FIRST = new RegExp(
  `${SPOKEN}(?:what|which|who|when)?\\b(?!.*\\b(?:why|how|should|err\\w*|fail\\w*|br[eo]ak\\w*|broke\\w*|alerts?)\\b).{0,30}\\b(?:(?:first|earliest|oldest) (?:\\w+ )?${ONE}s?|${DONE} (?:anything )?first|${ONE} (?:came|was|happened|went out|is) (?:the )?(?:first|earliest))\\b`,
)
const LENGTH = new RegExp(
  `${SPOKEN}how (?:long|much time|many (?:minutes|seconds|hours)) did ${THE}(?:\\S+ ){0,2}?${ROLLOUT}(?: (?:of|to|for|in) \\S+)?(?: itself| actually| really)? (?:take|last|run)(?: to (?:roll out|go (?:out|live)|ship|finish|complete|deploy|land))?[ ?!.]*$` +
    `|${SPOKEN}how long did it take to (?:roll (?:it |that )?out|deploy|release|ship)\\b` +
    `|\\b(?:duration|length) of ${THE}(?:\\S+ )?${ROLLOUT}\\b` +
    `|${SPOKEN}(?:when|at what time|what time) (?:did|was) ${THE}(?:\\S+ ){0,2}?${ROLLOUT}(?: (?:of|to|for|in) \\S+)? (?:finish(?:ed)?|end(?:ed)?|completed?|done|through|over)[ ?!.]*$` +
    `|${SPOKEN}(?:is|was|has|did) ${THE}(?:\\S+ ){0,2}?${ROLLOUT}(?: (?:of|to|for|in) \\S+)? (?:already |still |yet |now )?(?:running|in progress|under ?way|finish(?:ed)?|completed?|done|through|succe(?:ss|ssful|ed|eded)|fail(?:ed)?)(?: yet| now| already| successfully)?[ ?!.]*$`,
)
const NOT = "(?:(?:did|was|were|is|are|has|have)(?:n't| not)|never|un)"
const UNCHANGED = new RegExp(
  `${SPOKEN}(?:what|which(?: \\S+)?|services|everything|anything)(?: that| is| are| was)? ?${NOT} ?(?:been |get |got )?${DONE}\\b|${SPOKEN}what (?:has )?(?:stayed|remained) (?:the same|unchanged)\\b`,
)
const SIZE = new RegExp(
  `\\b(?:biggest|largest|smallest|riskiest|safest|most (?:risky|important|dangerous)) ${ONE}s?\\b|${SPOKEN}(?:which|what) ${ONE}s? (?:is|was|are|were) (?:the )?(?:biggest|largest|smallest|riskiest|safest|most (?:risky|important|dangerous))\\b`,
)
const MANY = /\b(?:(?<many>most|more than any\w*)|(?<few>fewest|least))\b/
const BY_WHOM = new RegExp(`${SPOKEN}who(?:se)?\\b(?=.*\\b(?:${DONE}|${ONE}s?)\\b)`)
const OF_WHAT = new RegExp(
  `${SPOKEN}(?:which|what) (?:service|system|app|component|repo(?:sitory)?|part|one)s?\\b(?=.*\\b(?:${DONE}|${ONE}s?)\\b)`,
)

/** What any of those holds: most questions hold none of it. */
const MAY_ASK =
  /est\b|risky|important|dangerous|first|most|more than|fewest|least|long|how m|duration|length|finish|end|done|through|over|complete|succe|fail|running|progress|under|same|never|not|n't|un/

/** What of the changes plain lower-case words ask for; null where they ask which there are. */
export function askedOfChanges(plain: string): AskedOfChanges | null {
  if (!MAY_ASK.test(plain)) return null
  if (LENGTH.test(plain)) return 'length'
  if (UNCHANGED.test(plain)) return 'unchanged'
  if (SIZE.test(plain)) return 'size'
  const { many, few } = MANY.exec(plain)?.groups ?? {}
  if ((many ?? few) !== undefined && !/\bmost (?:likely|suspicious|probabl\w+|recent\w*)\b/.test(plain)) {
    if (BY_WHOM.test(plain)) return many === undefined ? 'fewest_by' : 'most_by'
    if (OF_WHAT.test(plain)) return many === undefined ? 'fewest_of' : 'most_of'
  }
  return FIRST.test(plain) ? 'first' : null
}
