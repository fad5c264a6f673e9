/** Ways to ask that mean more than the words they are made of; read before all that single words tell. */

import { ALARM_RAISED, asksCountInTime, OF_ANOTHER_VERSION } from './asked-measure.ts'
import { asksOfRecord, versionAsked } from './asked-record.ts'
import { toolAsked } from './asked-tool.ts'
import type { Intent } from './read-intent.ts'

/** Somebody who may be told, and what is told then. */
const TELLING =
  /^(?:and |so )?(?:may|can|could|shall|should) (?:i|we) (?:tell|let|inform|reassure|announce|write)\b.{1,80}\b(?:fixed|over|solved|resolved|gone|possible|works?|working|back|fine|ok(?:ay)?|again|up|done|recovered)\b/
/** Doing well again, of whatever does something. */
const AGAIN =
  /^(?:and |so )?(?:is|are) \S.{0,60} (?!(?:fail|error|crash|tim|lagg|flapp|dy|hang|restart|leak|throw|break|happen|go|rais|fir|act)ing)[a-z]+ing again[ ?!.]*$/
const CALMED =
  /^(?:and |so )?(?:did|has|have|had|does|is) \S.{0,60}\b(?:calm(?:ed)? down|settled?(?: down)?|recover(?:ed)?|stabili[sz]ed?|heal(?:ed)?|(?:come|came) back|normali[sz]ed?|quiet(?:ed|en)? down|(?:stop(?:ped)?|end(?:ed)?|cease[ds]?|disappear(?:ed)?|(?:go|gone|went) away)(?! \w+ing\b))\b|\ball[- ]clear\b|\b(?:any|some|an) improvements?\b/
const INNOCENT =
  /\b(?:is|are|was|were|be|'s) (?:probably |really |then |therefore )?(?:innocent|cleared|exonerated|acquitted|off the hook|out of the (?:picture|question|running)|in the clear|not (?:involved|to blame|guilty))\b/
const DOUBTS =
  /\bmargin of (?:doubt|error)\b|\bpost hoc\b|^(?:and |so |but )?what (?:does(?:n't| not)|do(?:n't| not)) (?:quite |really )?(?:fit|match|add up|make sense|line up|square)\b|\b(?:correlation|coincidence|causation|coincidental)\b|^(?:and |so |but )?do(?:es)? (?:it|this|that|everything|all of (?:it|this|that)|the (?:story|numbers|evidence)) (?:all |really )?(?:fit|add up|hold(?: up| water)?|make sense|square|line up)\b|\b(?:would|much|could) you (?:bet|wager|stake)\b|\b(?:rate|score|quantify|state|grade) (?:your|the|its|that) (?:certainty|confidence|likelihood|probability|conclusion|answer)\b|\b(?:odd|strange|fishy|suspicious|weak|shaky|off|missing) (?:about|with|in) (?:that|this|the|your) (?:explanation|theory|conclusion|answer|story|hypothesis|analysis)\b/
const LOOKED =
  '(?:looked (?:at|into|through|over)|checked|queried|inspected|examined|consulted|searched|taken into account|considered)'
const ASKED_OF_TOOLS = new RegExp(
  `^(?:and |so )?(?:was|were|has|have|is|are) \\S.{0,60} (?:been )?${LOOKED}(?: (?:too|as well|also|at all|yet))?[ ?!.]*$` +
    '|^(?:and |so )?(?:did|has|have) (?:any(?:one|body)|some(?:one|body)) (?:look(?:ed)? (?:at|into)|quer(?:y|ied)|check(?:ed)?|inspect(?:ed)?|consult(?:ed)?|read) (?:the |our )?(?:\\S+ ){0,2}(?:metrics|logs?|traces?|spans|dashboards?|graphs|data|telemetry|alerts)\\b' +
    "|\\b(?:could(?:n't| not)|can(?:not|'t)|was(?:n't| not)|were(?:n't| not)|not) be (?:looked|seen|checked|measured|read|queried|collected|examined|inspected)\\b" +
    `|\\bwhat (?:has|have|had|was|were) (?:already |all )?(?:been )?${LOOKED}\\b` +
    '|\\b(?:which|what|name|list) (?:the |all |your )?(?:tools?|sources?|integrations?|systems?)\\b.{0,20}\\b(?:told|gave|given|said|say|says|show|showed|behind|backs?|stand)\\b' +
    '|\\b(?:holes?|gaps?|blind spots?) in (?:the |our |your )?(?:data|evidence|coverage|telemetry|records|picture|view|monitoring)\\b',
)
const REACHES =
  /^(?:and |so )?(?:does|do|did|has|have|is|are|can|could) \S.{0,60}\b(?:trouble|problems?|outage|issues?|failures?|incident|errors|fault|mess)\b.{0,40}\b(?:reach(?:ed)?|touch(?:ed)?|hit|hurt|spread(?:ing)? to|spill(?:ed)?|extend(?:ed)?|bleed(?:ing)?|drag(?:ged)?|concern(?:ed)?|pull(?:ed)?)\b/
const PLAYED_BACK =
  /^(?:(?:please|can you|could you|now) )*(?:play(?: \S+)? back|replay|rewind|retrace|recount|reconstruct|step through|go through)\b|\bwhat happened (?:on|in|at|to|with) \S.{0,40}\b(?:right|just|shortly|directly|immediately|moments?|minutes) (?:before|after)\b|\bwhat happened (?:on|in|at|with) \S.{0,40} (?:at|around|between|from) (?:about |around )?\d/
const NOBODY_LOOKS = /\b(?:pages|incidents?|outages?|sevs)\b.{0,40}\b(?:nobody|no one|noone)\b/
const WHAT_IS_OPEN =
  /^(?:(?:please|can you|could you) )*(?:list|show(?: me)?|give me|name)(?: me)? (?:what|whatever|everything|all|anything)(?: that)?(?:'s| is)? (?:still )?(?:open|unresolved|ongoing|active|unsolved)\b/
/** How long something failed, in whatever unit. */
const HOW_LONG =
  /^(?:\S+ ){0,3}(?:down|broken|slow|failing|dead|red|offline) since[ ?!.]*$|^(?:and |so )?how old (?:is|are)\b|\b(?:for )?how (?:many|much) (?:minutes|hours|seconds|days|time)\b(?! (?:until|till|before))|\b(?:minutes|hours|seconds|length) of (?:the )?(?:downtime|outage|unavailability)\b/
const OPEN_ONES =
  /^any (?:new |other |more )?(?:pages|tickets|sevs)\b(?! (?:load|views?|slow))|^(?:(?:please|can you|could you|now) )*(?:list|show(?: me)?|give me|find|get|which|what about)(?: me)? (?:the |all |all the |only )*(?:(?:still )?(?:open|resolved|closed|unresolved|ongoing|active|critical|major|high|medium|low|investigating) )+(?:ones|stuff|things|items|tickets)\b|^(?:(?:still )?(?:open|ongoing|unresolved|active|critical) )+(?:stuff|things|ones|items|tickets)\b|\b(?:anything|something|what(?:'s| is)|who(?:'s| is)) (?:else )?(?:is )?(?:still )?(?:burning|on fire|smou?ldering)\b/
/** The same as one that was, by whatever it is compared with. */
const SAME_AS =
  /\brings? (?:a|any) bell\b|\b(?:same|identical) (?:\w+ )?as (?:the )?(?:one|that|last|what|our|in|on)\b|\bfamiliar\b/
const CLEARED =
  /^(?:and |so )?(?:is|was|are|has) (?:the|this|that|our) (?:\S+ )?(?:incident|outage|problem|trouble|issue|disruption) (?:\w+ )?(?:over|finished|done|gone|ended|past|behind us)\b|\bdust (?:has )?settled\b/
const RESERVATIONS =
  /\bwhat (?:do(?:n't| not) you (?:like|trust|believe|buy)|bothers|worries|makes you (?:doubt|hesitate))\b|\b(?:second|next|other|less|least) (?:most )?(?:likely|probable|plausible)\b/
const FROM_WHERE =
  /\b(?:raw|exact|actual) quer(?:y|ies)\b|^(?:and |so )?where(?:'s| is| are| was| were| did| do| does) .{1,40}\bfrom[ ?!.]*$|\b(?:did|do|have|had) you (?:have|get|got|receive|see|seen|find|found) (?:any |the |all )?(?:logs?|metrics|traces?|spans|data|alerts|changes|deploys|dashboards|records)\b/
const ADVISED =
  /\bwhat would you do\b|^(?:and |so )?(?:should|shall|do|must|ought) (?:i|we) (?:to )?(?:just |better )?(?:turn|switch(?! to)|disable|flip|toggle|kill|pull|restart|reboot|wait|act|intervene|touch)\b/
const STORY =
  /^(?:minute|step|hour|event)[- ]by[- ](?:minute|step|hour|event)\b|^(?:(?:please|can you|could you) )*(?:summari[sz]e|list|recap|tell(?: me)?|show(?: me)?|order|sort|outline) (?:all |the |all the )*events\b|\bwhat (?:came|happened|was|went) first\b(?!.*\b(?:fail|down|broke)\w*)|\b(?:story|course|history|sequence|order|chain|log) of (?:the )?(?:last|this|that|events|outage|incident|night|day|evening|morning|it|what)\b/
/** Somebody's change, suspected by whose it is. */
const BY_SOMEBODY =
  /^(?:and |so |but )?(?:(?:it|this|that) )?(?:could|might|may) (?:it |this |that )?(?:be|have been) (?:the|a|an|our|some)\b/
const UNUSUAL =
  /^(?:and |so )?(?:is|are|was|were) (?:that|this|these|those|the|our) \S.{0,60} (?:normal|usual|typical|expected|ordinary|unusual|abnormal)(?: (?:for|at|on|now|today|these)\b|[ ?!.]*$)|\b(?:twice|double|triple|\w+ times|half) (?:as )?(?:many|much|high|slow|the)\b.*\b(?:as|than|of)? ?(?:usual|normal|before|yesterday|last)\b|\b(?:who|which)(?: one| of them)?(?:'s| is| was| are| does) (?:doing )?(?:the )?(?:worse|worst|better|best|slower|slowest|faster|busier)\b|\bas (?:many|much|high|slow|fast|bad|good|busy) as (?:usual|normal|before|yesterday|always|on|last|an)\b/
const NUMBERS =
  /^(?:and |so )?what (?:is|are) (?!(?:it|this|that|you|we|they)\b)\S+(?: \S+)? (?:complaining|saying|throwing|reporting)(?: about)?[ ?!.]*$|^(?:and |so )?how stands (?:it|the|our)\b|^makes? (?:the )?\S+ (?:\w+ )?(?:problems|trouble)\b|^(?:(?:what(?:'s| is) )?the )?(?:availability|uptime|success rate|hit rate|reliability|performance) (?:of|for|on)\b|^how (?:bad|high|low|good) (?:is|are|was|were) (?:the )?(?:latency|error rate|response times?|traffic|cpu|memory|load|backlog|lag)\b|\bhow many (?:requests|calls|queries|messages) (?:per|an?) (?:second|minute|hour)\b|\b(?:slowest|busiest|worst|unhealthiest|noisiest) (?:service|endpoint|component|part)s?\b|\bwhich (?:services?|components?|endpoints?) (?:has|have|shows?|throws?) the (?:most|highest|worst|least|lowest)\b|^(?:(?:please|show(?: me)?|give me|get|any|what are|what're) )*(?:the |all |current |latest )*(?:numbers|stats|figures|metrics|readings|vitals|kpis|values) (?:for|of|on|from|at)\b|^(?:and |so )?how (?:hard|heavily|badly|much) (?:is|are|was) \S.{0,40} (?:hit|loaded|used|utili[sz]ed|stressed|strained)\b/
const CANNOT =
  /^(?:and |so )?(?:who|which \w+|whose \w+) (?:can(?:'t|not| not| no longer)|could(?:n't| not)|(?:is|are|was|were) (?:unable|not able)|fails? to|failed to)\b/
/** What is no service by itself and was touched. */
const THING_TOUCHED =
  /\b(?:schema|config\w*|settings?|code|tables?|index(?:es)?|flags?|limits?|secrets?|dns|certs?) (?:of \S+ )?(?:\w+ )?(?:been )?(?:touched|edited|moved|altered)\b/
const SIMILAR = /\b(?:something|anything|sth) (?:similar|comparable|alike|of the (?:sort|kind))\b/
const EITHER =
  /^(?:and |so )?(?:did|is|was|has|does) (?!(?:it|this|that) (?:just|only|all)\b)\S.{0,60} or (?:did|is|was|has|does) (?!it\b|this\b|that\b|not\b)\S.{0,60}$/
/** What somebody said, where that is a tool. */
const SAID_BY_TOOL =
  /^(?:and |so )?what (?:did|does|has|had) (?:the |our )?\S+(?: \S+)? (?:tell|told|say|said|show|shown|return|returned|answer|answered|report|reported|give|given|know)\b/

const wordsOf = (words: string): readonly string[] => words.split('|')
const COMES_FROM = /\bwhere (?:does|do|did) (?:it|this|that|these|they) come from\b/
const ERROR = /\w(?:error|exception)\b|\b(?:errors?|exceptions?|refused|undefined|50\d|time[- ]?outs?)\b/
/** Each with words of which any text that fits holds one. */
export const PARTICULAR: readonly (readonly [Intent, RegExp, readonly string[]])[] = [
  ['is_recovered', TELLING, wordsOf('tell|let|inform|assure|announce|write')],
  ['is_recovered', AGAIN, wordsOf('again')],
  [
    'is_recovered',
    CALMED,
    wordsOf(
      'stop|end|cease|disappear|away|clear|improve|calm|settle|recover|stabili|heal|back|normali|quiet',
    ),
  ],
  ['what_contradicts', INNOCENT, wordsOf('innocent|clear|exonerated|acquitted|hook|out of|not ')],
  [
    'what_contradicts',
    DOUBTS,
    wordsOf(
      "hypothes|explanation|suspects|theories|computed|calculated|derived|determined|estimated|margin|buy|believe|trust|defend|justify|back up|substantiate|post hoc|proof|evidence|n't|not|correlation|coinciden|causation|bet|wager|stake|certainty|confidence|likelihood|probability|conclusion|answer|explanation|theory|story|hypothesis|analysis|fit|add|hold|sense|square|line",
    ),
  ],
  [
    'what_was_asked',
    ASKED_OF_TOOLS,
    wordsOf(
      'looked|checked|quer|inspect|examined|consult|searched|account|considered|look|check|read|be |tool|source|integration|system|hole|gap|blind',
    ),
  ],
  [
    'what_is_affected',
    REACHES,
    wordsOf('occur|happen|appear|up|reach|touch|hit|hurt|spread|spill|extend|bleed|drag|concern|pull'),
  ],
  [
    'what_happened',
    PLAYED_BACK,
    wordsOf('brief|update|fill|back|replay|rewind|retrace|recount|reconstruct|through|happened'),
  ],
  ['list_incidents', NOBODY_LOOKS, wordsOf('nobody|no one|noone')],
  ['list_incidents', WHAT_IS_OPEN, wordsOf('open|unresolved|ongoing|active|unsolved')],
  ['how_is', ALARM_RAISED, wordsOf('alert|alarm|pager|monitor')],
  ['how_is', OF_ANOTHER_VERSION, wordsOf('too|also|as well|same|throw|fail|have|show')],
  ['when_started', HOW_LONG, wordsOf('since|how|downtime|outage|unavailability|duration|onset|beginning')],
  ['list_incidents', OPEN_ONES, wordsOf('pages|sevs|ones|stuff|things|items|tickets|burning|fire|ldering')],
  [
    'seen_before',
    SAME_AS,
    wordsOf(
      'had |already|ever|last|like|history|too|as well|also|bell|same|identical|this|that| or |familiar|repe|rerun|recur|often|many times|before|earlier|ago|yesterday',
    ),
  ],
  [
    'is_recovered',
    CLEARED,
    wordsOf(
      'now|already|finished|done|gone|ended|behind|past|clear|pass|lifted|over|down|ceased|vanished|disappeared|still|settled',
    ),
  ],
  [
    'what_contradicts',
    RESERVATIONS,
    wordsOf(
      'what|how|likely|probable|plausible|does|weak|not |downside|caveat|reservation|argument|objection',
    ),
  ],
  [
    'what_was_asked',
    FROM_WHERE,
    wordsOf(
      'answer|number|figure|statement|sentence|claim|fact|basis|grounds|from|you|missing|quer|data|evidence|source|records|logs|metrics|complete|whole|fresh|up to date|reliable',
    ),
  ],
  [
    'should_roll_back',
    ADVISED,
    wordsOf(
      'done|continue|resume|proceed|go on|stop|halt|pause|abort|advice|recommend|suggest|proposal|verdict|best|would|turn|switch|disable|flip|toggle|kill|pull|restart|reboot|wait|act|intervene|touch|revert|back|undo',
    ),
  ],
  ['what_happened', STORY, wordsOf(' of |by|events|first')],
  ['why', BY_SOMEBODY, wordsOf('it|this|that|be|where')],
  [
    'how_is',
    UNUSUAL,
    wordsOf(
      'normal|usual|typical|expected|ordinary|twice|double|triple|times|half|as |wors|better|best|slow|fast|busier',
    ),
  ],
  [
    'how_is',
    NUMBERS,
    wordsOf(
      'complaining|saying|throwing|reporting|stands|problems|trouble|availab|uptime|rate|liab|perform|service|endpoint|component|part|numbers|stats|figures|metrics|readings|vitals|kpis|values|how',
    ),
  ],
  ['what_is_affected', CANNOT, wordsOf('who|which|only|just|merely|solely|or')],
  ['what_changed', THING_TOUCHED, wordsOf('touched|edited|moved|altered')],
  ['seen_before', SIMILAR, wordsOf('similar|comparable|alike|of the')],
  ['why', EITHER, wordsOf(' or ')],
]

/** The intent of plain lower-case words that are put in one of these ways; null where they are in none. */
export function particularIntent(plain: string): Intent | null {
  if (versionAsked(plain) !== null) return 'what_changed'
  if (asksCountInTime(plain)) return 'how_is'
  // Where an error comes from is another question than where a number does.
  if (COMES_FROM.test(plain) && ERROR.test(plain)) return 'why'
  if (SAID_BY_TOOL.test(plain) && toolAsked(plain)?.type != null) return 'what_was_asked'
  const row = PARTICULAR.find(
    ([, pattern, words]) => words.some((word) => plain.includes(word)) && pattern.test(plain),
  )
  return row?.[0] ?? (asksOfRecord(plain) ? 'what_changed' : null)
}
