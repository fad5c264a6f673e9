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
  /\bother (?:hypothes[ei]s|explanations?|suspects|theories)\b|\b(?:probability|confidence|certainty|likelihood|score) (?:was |is |been )?(?:computed|calculated|derived|determined|estimated)\b|\bmargin of (?:doubt|error)\b|^i (?:do not|don't|can't|cannot) (?:buy|believe|trust) (?:it|this|that)\b|\b(?:defend|justify|back up|substantiate) (?:that|this|your|the|it)\b|\bpost hoc\b|^(?:is there|do you have|have you|got|where is) (?:any |some |a |the )?(?:proof|evidence)\b|^(?:and |so |but )?what (?:does(?:n't| not)|do(?:n't| not)) (?:quite |really )?(?:fit|match|add up|make sense|line up|square)\b|\b(?:correlation|coincidence|causation|coincidental)\b|^(?:and |so |but )?do(?:es)? (?:it|this|that|everything|all of (?:it|this|that)|the (?:story|numbers|evidence)) (?:all |really )?(?:fit|add up|hold(?: up| water)?|make sense|square|line up)\b|\b(?:would|much|could) you (?:bet|wager|stake)\b|\b(?:rate|score|quantify|state|grade) (?:your|the|its|that) (?:certainty|confidence|likelihood|probability|conclusion|answer)\b|\b(?:odd|strange|fishy|suspicious|weak|shaky|off|missing) (?:about|with|in) (?:that|this|the|your) (?:explanation|theory|conclusion|answer|story|hypothesis|analysis)\b/
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
  /^(?:and |so )?(?:does|do|did|is|are|has) (?:this|the|that|it|these|such)\b.{0,40}\b(?:occurs?|happens?|appears?|show(?:s|ing)? up)\b.{0,10} (?:in|on|at) (?!the (?:past|last)\b)\S|^(?:and |so )?(?:which|what|who) .{0,30}\bconcerned\b|^(?:and |so )?(?:does|do|did|has|have|is|are|can|could) \S.{0,60}\b(?:trouble|problems?|outage|issues?|failures?|incident|errors|fault|mess)\b.{0,40}\b(?:reach(?:ed)?|touch(?:ed)?|hit|hurt|spread(?:ing)? to|spill(?:ed)?|extend(?:ed)?|bleed(?:ing)?|drag(?:ged)?|concern(?:ed)?|pull(?:ed)?)\b/
const PLAYED_BACK =
  /^(?:(?:please|can you|could you) )*(?:brief|update|fill) (?:me|us)(?: in)? (?:on|about) (?:the|what|last|all|everything)\b|^(?:(?:please|can you|could you|now) )*(?:play(?: \S+)? back|replay|rewind|retrace|recount|reconstruct|step through|go through)\b|\bwhat happened (?:on|in|at|to|with) \S.{0,40}\b(?:right|just|shortly|directly|immediately|moments?|minutes) (?:before|after)\b|\bwhat happened (?:on|in|at|with) \S.{0,40} (?:at|around|between|from) (?:about |around )?\d/
const NOBODY_LOOKS = /\b(?:pages|incidents?|outages?|sevs)\b.{0,40}\b(?:nobody|no one|noone)\b/
const WHAT_IS_OPEN =
  /^(?:(?:please|can you|could you) )*(?:list|show(?: me)?|give me|name)(?: me)? (?:what|whatever|everything|all|anything)(?: that)?(?:'s| is)? (?:still )?(?:open|unresolved|ongoing|active|unsolved)\b/
/** How long something failed, in whatever unit. */
const HOW_LONG =
  /^(?:\S+ ){0,3}(?:down|broken|slow|failing|dead|red|offline) since[ ?!.]*$|^(?:and |so )?(?:the |total |exact )?(?:duration|onset|beginning)[ ?!.]*$|^(?:and |so )?how old (?:is|are)\b|\b(?:for )?how (?:many|much) (?:minutes|hours|seconds|days|time)\b(?! (?:until|till|before))|\b(?:minutes|hours|seconds|length) of (?:the )?(?:downtime|outage|unavailability)\b|^(?:and |the )?(?:total )?downtime (?:of|for|on)\b/
const OPEN_ONES =
  /^any (?:new |other |more )?(?:pages|tickets|sevs)\b(?! (?:load|views?|slow))|^(?:(?:please|can you|could you|now) )*(?:list|show(?: me)?|give me|find|get|which|what about)(?: me)? (?:the |all |all the |only )*(?:(?:still )?(?:open|resolved|closed|unresolved|ongoing|active|critical|major|high|medium|low|investigating) )+(?:ones|stuff|things|items|tickets)\b|^(?:(?:still )?(?:open|ongoing|unresolved|active|critical) )+(?:stuff|things|ones|items|tickets)\b|\b(?:anything|something|what(?:'s| is)|who(?:'s| is)) (?:else )?(?:is )?(?:still )?(?:burning|on fire|smou?ldering)\b/
/** The same as one that was, by whatever it is compared with. */
const SAME_AS =
  /^(?:was|were|is|has) (?:there )?(?:been )?already (?:the same|such|this|a similar|an? )\b|\brings? (?:a|any) bell\b|\b(?:same|identical) (?:\w+ )?as (?:the )?(?:one|that|last|what|our|in|on)\b|\b(?:like (?:this|that)|this way|this badly) (?:earlier|before|already|once|last|this (?:year|month|week)|in the past)\b|\bhow (?:often|many times) (?:has|have|did|had) .{1,60} (?:had|have|seen|see|suffered|do|done) (?:this|that|the same|it)\b|^(?:is (?:it|this|that) )?(?:an? )?(?:new|old|known|unknown)(?: \w+)? or (?:an? )?(?:new|old|known|unknown)\b|\bfamiliar\b|^(?:did|have|had|were) (?:we|you|they) (?:already|ever)\b|^had (?:we|you|they) (?:this|that|such|the same)\b|\bwhen (?:did|was|has) (?:this|that|it) last\b|\b(?:outages?|incidents?|problems?|failures?|cases) (?:quite )?like (?:this|that|it)\b|\b(?:by|have|had|see|seen|get|got) the same (?:thing|problem|issue|failure|error|outage|bug)\b|\bhistory of (?:this|that|it|such|these)\b|^did (?:this|that|it) (?:happen|occur) .{1,40}\b(?:too|as well|also|already)\b|\b(?:a|the|another) (?:repeat|repetition|rerun|recurrence)\b|\bsame (?:\w+ )?(?:bug|issue|problem|thing|error|failure|outage|one|story) (?:again|as)\b|\bever (?:do|done|did) (?:this|that|it|so)\b|^(?:did|have|had|do) (?:we|you|they|any(?:one|body)) (?:ever )?(?:see|seen|have|had|hit|get|got) (?:this|that|it) .{0,30}\b(?:last|as well|too|already|before|earlier|ago|yesterday)\b/
const CLEARED =
  /^(?:all )?(?:ok|okay|fine|good|better|stable|up) now[ ?!.]*$|^(?:and |so )?(?:is|are|was|were) \S.{0,60} already (?:away|good|gone|over|solved|repaired|fixed|ok|fine|working|running)\b|^(?:and |so )?(?:is|was|are|has) (?:the|this|that|our) (?:\S+ )?(?:incident|outage|problem|trouble|issue|disruption) (?:\w+ )?(?:over|finished|done|gone|ended|past|behind us)\b|^(?:and |so )?(?:has|have|did|is) (?:it|this|that|things|everything|the \w+) (?:already |finally |now |all )?(?:cleared?|passed|lifted|blown over|died down|ceased|vanished|disappeared)\b|^still (?:\w+ing|there|here|on|bad|red|an issue|a problem|broken)[ ?!.]*$|\bdust (?:has )?settled\b/
const RESERVATIONS =
  /\bwhat (?:do(?:n't| not) you (?:like|trust|believe|buy)|bothers|worries|makes you (?:doubt|hesitate))\b|^(?:and |so )?how (?:likely|probable|plausible|sound|strong|firm|safe) (?:is|are|was) (?:it|this|that|the|your|all)\b(?! to\b)|\b(?:second|next|other|less|least) (?:most )?(?:likely|probable|plausible)\b|\b(?:anything|something|what|nothing)(?: is there)?(?: that| which)? (?:does(?:n't| not)) (?:fit|match|add up|make sense)\b|\bweak(?:est)? (?:part|side|assumption|spot|point|link|bit)\b|^not (?:the |an? |our )?[\w-]+(?: \w+)?(?: then| after all| at all)[ ?!.]*$|\b(?:downsides?|caveats?|reservations?|counter-?arguments?|objections?)\b/
const FROM_WHERE =
  /\b(?:source|origin|basis) of (?:each|every|this|that|the|your|all) (?:claim|number|figure|statement|answer|sentence|fact)s?\b|\bon (?:what|which) (?:evidence|data|basis|grounds)\b|\b(?:record|log|list|trace) of (?:the |your |all )?(?:queries|requests you)\b|\bhow (?:many|much) (?:queries|requests|data) did you\b|\bhow (?:complete|fresh|old|good|reliable) (?:is|are) (?:your|the) (?:data|evidence|sources?|records|logs|metrics)\b|\b(?:raw|exact|actual) quer(?:y|ies)\b|^(?:is|are) (?:your|the) (?:data|evidence|logs|metrics|traces|records) (?:complete|whole|fresh|up to date|reliable)\b|\bdid you (?:also )?(?:consider|include|account for|take into account)\b|^(?:and |so )?from where (?:do|did|have|had) you\b|^(?:and |so )?where(?:'s| is| are| was| were| did| do| does) .{1,40}\bfrom[ ?!.]*$|\b(?:did|do|have|had) you (?:have|get|got|receive|see|seen|find|found) (?:any |the |all )?(?:logs?|metrics|traces?|spans|data|alerts|changes|deploys|dashboards|records)\b|\b(?:what|which) (?:tools?|sources?|data|systems?|integrations?) (?:do|did|can|could|have) you\b|\bmissing (?:from|in) (?:your|the|this|that) (?:analysis|answer|picture|evidence|data)\b|\b(?:anything|something|what) (?:that )?you (?:do(?:n't| not)|did(?:n't| not)|can(?:'t|not)|could(?:n't| not)) (?:know|see|look|check|tell|reach|read|find)\b/
const ADVISED =
  /\b(?:your|any|the|some) (?:advice|recommendations?|suggestions?|proposal|verdict on (?:rolling|going) back)\b|\bbest (?:course of action|thing to do|next move|move)\b|\bwhat (?:has to|needs to|must|is to|remains to|should) be done\b|\bwhat would you do\b|\b(?:safe|ok|okay|fine|wise) to (?:continue|resume|proceed|go on|stop)\b|\b(?:have to|need to|should|must) (?:we |i )?(?:stop|halt|pause|continue|resume|abort)\b|^(?:and |so )?(?:should|shall|do|must|ought) (?:i|we) (?:to )?(?:just |better )?(?:turn|switch(?! to)|disable|flip|toggle|kill|pull|restart|reboot|wait|act|intervene|touch)\b|^(?:and |so )?(?:is|would|will|does|could|can) (?:reverting|rolling (?:it |this |\S+ )?back|a (?:rollback|revert)|the (?:rollback|revert)|going back|undoing (?:it|this|that)) .{0,20}\b(?:help|work|fix|solve|enough|safe|wise|possible|worth|advisable|cure)\b/
const STORY =
  /^(?:minute|step|hour|event)[- ]by[- ](?:minute|step|hour|event)\b|^(?:(?:please|can you|could you) )*(?:summari[sz]e|list|recap|tell(?: me)?|show(?: me)?|order|sort|outline) (?:all |the |all the )*events\b|\bwhat (?:came|happened|was|went) first\b(?!.*\b(?:fail|down|broke)\w*)|\b(?:story|course|history|sequence|order|chain|log) of (?:the )?(?:last|this|that|events|outage|incident|night|day|evening|morning|it|what)\b/
/** Somebody's change, suspected by whose it is. */
const BY_SOMEBODY =
  /^(?:and |so )?(?:is|was|isn't|wasn't|could|might) (?:it|this|that) (?:be |been )?\S{2,40}'s? (?:\w+ )?(?:commit|change|deploy|deployment|release|merge|pr|patch|flag|fault)\b|^(?:and |so |but )?(?:(?:it|this|that) )?(?:could|might|may) (?:it |this |that )?(?:be|have been) (?:the|a|an|our|some)\b|^(?:and |so |but )?what if (?:it|this|that)(?:'s| is| was| were)(?! (?:us|you|over|fine)\b) \S|\bwhere(?:'s| is| does| lies?)(?: the| our)? (?:real |actual )?(?:fault|problem|bug|root|culprit|trouble|bottleneck)(?: lie| sit| come from)?[ ?!.]*$/
const UNUSUAL =
  /^(?:and |so )?(?:is|are|was|were) (?:that|this|these|those|the|our) \S.{0,60} (?:normal|usual|typical|expected|ordinary|unusual|abnormal)(?: (?:for|at|on|now|today|these)\b|[ ?!.]*$)|\b(?:twice|double|triple|\w+ times|half) (?:as )?(?:many|much|high|slow|the)\b.*\b(?:as|than|of)? ?(?:usual|normal|before|yesterday|last)\b|\b(?:who|which)(?: one| of them)?(?:'s| is| was| are| does) (?:doing )?(?:the )?(?:worse|worst|better|best|slower|slowest|faster|busier)\b|\bas (?:many|much|high|slow|fast|bad|good|busy) as (?:usual|normal|before|yesterday|always|on|last|an)\b/
const NUMBERS =
  /^(?:and |so )?what (?:is|are) (?!(?:it|this|that|you|we|they)\b)\S+(?: \S+)? (?:complaining|saying|throwing|reporting)(?: about)?[ ?!.]*$|^(?:and |so )?how stands (?:it|the|our)\b|^makes? (?:the )?\S+ (?:\w+ )?(?:problems|trouble)\b|^(?:(?:what(?:'s| is) )?the )?(?:availability|uptime|success rate|hit rate|reliability|performance) (?:of|for|on)\b|^how (?:bad|high|low|good) (?:is|are|was|were) (?:the )?(?:latency|error rate|response times?|traffic|cpu|memory|load|backlog|lag)\b|\bhow many (?:requests|calls|queries|messages) (?:per|an?) (?:second|minute|hour)\b|\b(?:slowest|busiest|worst|unhealthiest|noisiest) (?:service|endpoint|component|part)s?\b|\bwhich (?:services?|components?|endpoints?) (?:has|have|shows?|throws?) the (?:most|highest|worst|least|lowest)\b|^(?:(?:please|show(?: me)?|give me|get|any|what are|what're) )*(?:the |all |current |latest )*(?:numbers|stats|figures|metrics|readings|vitals|kpis|values) (?:for|of|on|from|at)\b|^(?:and |so )?how (?:hard|heavily|badly|much) (?:is|are|was) \S.{0,40} (?:hit|loaded|used|utili[sz]ed|stressed|strained)\b/
const CANNOT =
  /\b(?:only|just|merely|solely) (?:concerns?|affects?|hits?|touch(?:es)?|involves?)\b|^(?:and |so )?(?:is|are|was|were) (?:it|this|that|they) (?:every\w+|all|only|just|some|a few)\b.*\bor\b|^(?:and |so )?(?:who|which \w+|whose \w+) (?:can(?:'t|not| not| no longer)|could(?:n't| not)|(?:is|are|was|were) (?:unable|not able)|fails? to|failed to)\b/
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
