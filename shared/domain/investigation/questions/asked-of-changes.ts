/** What of the recorded changes a question asks for, beside which they are: the first, how long one took, who made most, what had none. */

import { fits, type Row, wordsOf } from './ways-to-ask.ts'

/** How long one took, has been in effect or waited for that, why somebody made it and what its checks came to, how large or risky one is, what had none, and by whom or of what most or fewest of them are. */
export type AskedOfChanges =
  | 'first'
  | 'length'
  | 'age'
  | 'lead'
  | 'reason'
  | 'checks'
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
  '(?:(?:re)?deploy(?:ment)?|roll ?(?:out|back)|revert|release|upgrade|migration|commit|change|merge|flag|hotfix|v\\d[\\w.-]*)'
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
const IN_EFFECT =
  '(?:live|(?<=\\b(?:v\\d\\S*|version|release|build)(?: been)? )(?:out|running)|deployed|in (?:place|effect)|enabled|(?:turned |switched )?on(?! (?:call|fire|hold)))'
const AGE = new RegExp(
  `${SPOKEN}how long (?:has|have|is|was|were) (?!(?:it|this|that)\\b)\\S+(?: \\S+){0,2}? (?:been )?${IN_EFFECT}(?: (?:now|already|for))?[ ?!.]*$`,
)
const LEAD =
  /\b(?:how (?:long|much time)|time)\b.{0,30}\bbetween .{0,30}\b(?:commit|merge|writ)\w*\b.{0,30}\band .{0,20}\b(?:deploy|releas|roll|live|prod)/
/** What somebody does to bring a change about, and had done. */
const ACT =
  '(?:(?:(?:re)?deploy|releas|shipp?|merg|push|committ?|upgrad|toggl|enabl|disabl)(?:e?d?)|roll(?:ed)? out|(?:turn|switch)(?:ed)? (?:on|off))'
const REASON = new RegExp(
  `${SPOKEN}why (?!.*\\b(?:and|but|since|after|when|who)\\b)(?:(?:was|were|is|has|have) (?!(?:it|this|that|(?:every|no)\\w*)\\b)\\S+(?: \\S+){0,3}?|did (?!(?:the|our|this|that) (?!team))\\S+(?: \\S+)?) (?:been )?${ACT}(?: \\S+){0,5}?[ ?!.]*$`,
)
const CHECKS =
  /\b(?:did|have|has|do|were|are) (?:all |any )?(?:of )?(?:the |our |its |all )*(?:github |ci )?check(?: run)?s\b.{0,40}\b(?:pass\w*|fail\w*|green|red|succe\w+|ok)\b|\bfailed check(?: run)?s?\b/
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
  /check|why|between|est\b|risky|important|dangerous|first|most|more than|least|long|how m|duration|length|finish|end|done|through|over|complete|succe|fail|progress|same|never|not|n't|un/

/** Each with words of which any text that fits holds one, the more particular first. */
export const PARTICULAR: readonly Row<AskedOfChanges>[] = [
  [
    'length',
    LENGTH,
    wordsOf('deploy|roll|revert|release|upgrade|migration|commit|change|merge|flag|hotfix|ship|v'),
  ],
  ['age', AGE, ['how long']],
  ['lead', LEAD, ['between']],
  [
    'reason',
    REASON,
    wordsOf('deploy|releas|ship|merg|push|commit|upgrad|toggl|enabl|disabl|roll|turn|switch'),
  ],
  ['checks', CHECKS, ['check']],
  [
    'unchanged',
    UNCHANGED,
    wordsOf('chang|deploy|release|ship|merge|push|commit|rolled out|went out|the same'),
  ],
  ['size', SIZE, wordsOf('biggest|largest|smallest|riskiest|safest|risky|important|dangerous')],
]
export const EARLIEST: Row<AskedOfChanges> = ['first', FIRST, wordsOf('first|earliest|oldest')]

/** What of the changes plain lower-case words ask for; null where they ask which there are. */
export function askedOfChanges(plain: string): AskedOfChanges | null {
  if (!MAY_ASK.test(plain)) return null
  for (const row of PARTICULAR) if (fits(plain, row)) return row[0]
  const { many, few } = MANY.exec(plain)?.groups ?? {}
  if ((many ?? few) !== undefined && !/\bmost (?:likely|suspicious|probabl\w+|recent\w*)\b/.test(plain)) {
    if (BY_WHOM.test(plain)) return many === undefined ? 'fewest_by' : 'most_by'
    if (OF_WHAT.test(plain)) return many === undefined ? 'fewest_of' : 'most_of'
  }
  return fits(plain, EARLIEST) ? 'first' : null
}
