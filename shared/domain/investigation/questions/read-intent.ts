/**
 * What a question wants, from its words alone: the first row of a table whose pattern fits. The order of the rows is
 * the method: the more particular way of asking stands above the more general one.
 */

import { measureAsked } from './asked-measure.ts'
import { AUTHOR, DIFF, WHICH } from './asked-of-cause.ts'
import { WHO_IS } from './asked-record.ts'
import { SUSPICIONS } from './asked-suspicion.ts'
import { KEPT_ELSEWHERE } from './kept-elsewhere.ts'
import { particularIntent } from './particular-ways.ts'
import { fits, type Intent, type Refused, type Row, wordsOf } from './ways-to-ask.ts'

/** Words that say that something is not as it should be; how many there are of what nothing counts is another question. */
export const SYMPTOM =
  /^(?!how many|number of).*\b(slow|slower|down|fail(s|ed|ing|ure|ures)?|errors?|erroring|broken|latency|time ?outs?|tim(?:es|ed|e|ing) out|unavailable|leak(s|ed|ing)?|oom|flapping|overloaded|spik(e|es|ed|ing)|degraded|crash(es|ed|ing)?|5\d\d|[45]\d\d(s|ing)|429|lagging|throttl\w+|rate[- ]limit\w*|outage|unreachable|stuck|hanging|declin(?:es|ed|ing)|reject(?:s|ed|ing)|refus(?:es|ed|ing)|freez(?:es|ing)|frozen|blank|dead|died|dying|(?:nobody|no ?one|none of \w+) (?:can|gets?|manages|is able)|can(?:'|no| no)t (?!say|see|tell|read|you)[a-z]{2,}|unable to|(?:does|do|did)(?:n't| not) (?:work|march|function|run|respond|answer|load|open|start|connect|go through|arrive)|won't (?:load|open|start|connect|respond))\b/
/** Questions about something else, which a symptom word must not turn into a why. */
const OTHER_ASK = /\b(should|recovered|who|when|how (do|to|is|are|long)|roll ?back|list|show|write|poem)\b/

/** Incidents, also by nothing but how severe they are. */
const INCIDENT =
  /\b(incidents?|outages?|disturbances|disruptions|breakdowns|sevs|sev ?-?[0-4]s?|p[0-4]s|criticals)\b|\b(critical|major|urgent) (stuff|ones|issues|things|problems)\b|\banything (open|critical|ongoing|urgent)\b/
const WHY =
  /\b(why|how come|root[- ]?causes?|rca|culprits?|at fault|diagnose|investigate|troubleshoot|debug|explain|reasons? (for|behind|why|of)|the (reason|culprit)|cause (of|by|the|this)|caus(ed|es|ing)|because|due to|to blame|responsible for)\b|'s fault\b|\b(that|which|who) (?:breaks?|broke|(?:makes?|made) (?:it|this|that|everything|things|us|(?:the|our) \S+))\b|^(did|does|has) \S.* (break|broke|broken|kill(ed)?) |\bwhat(?:'?s| is| was| went| are)? (wrong|broken|broke|causing|going on|happening|the (?:real |actual |likely )?(cause|reason|problem|matter|issue))\b|\bwhat (broke|caused|triggered|led to|happened (to|with|in|at|on)|failed|happened\??$)|\bwhat(?:'s| is) (up\b(?! with)|(eating|killing|hogging|hammering|driving|behind) )|\bwhat(?:'s| is| it)? happen(?:s|ing)\b|\bwhat (?:was|is) it (?:in the end|after all|really|actually|finally|this time)\b|\b(?:origin|source|trigger|root) of (?:the|this|that|it|all)\b|\bhow did (?:this|that|it) (?:happen|come about|come to|get)\b|\bwhat gives\b/
const COUNT =
  /\b(how many|how much (?=incidents|outages)|tally( of)?|how often|how (?:frequently|regularly)|count( of)?|number of|total( number)? of)\b/
/** Whether there were more of them, or fewer, than so many. */
const MORE_THAN =
  /\b(?:more|fewer|less) (?:incidents|outages|sevs) than\b|\b(?:more|fewer|less) than (?:\w+ )?(?:(?:critical|major|open|high|resolved) )?(?:incidents?|outages?|sevs)\b/
/** Those of the incidents that were just told, by their status or severity alone. */
const OF_THEM =
  /\b(?:ones|those|them|these)\b.*\b(?:resolved|closed|open|critical|major|high|medium|low|active|ongoing|unresolved|investigating)\b|\b(?:resolved|closed|open|critical|major|high|medium|low|active|ongoing|unresolved|investigating) (?:ones|of (?:them|those|these))\b/
/** Counts of what an incident does, not of incidents. */
const COUNTED_ELSEWHERE =
  /\bhow many (requests?|users?|customers?|calls?|services?|errors?)\b|\bhow often .{1,60} (throws?|threw|thrown|logged|logs?|deploy\w*|releas\w*|ship\w*|chang\w*|merged?|commit\w*|restart\w*|reboot\w*)\b/
const LIST =
  /\b(list|show|give|display|find|get|any|which|what|(is|are|was|were) there|(last|previous) (incident|outage)|all|recent|latest|current|have (we|there)|did we|do we have)\b|\bincidents (of|in|on|for)\b/
/** One incident, by its id: what it is about is asked, not which there are, unless its row of the list is. */
const NAMED_INCIDENT = /\binc_[\da-z]{26}\b/
const OF_LISTS = /\b(status|state|severity|incidents|open|closed|resolved|investigating)\b/
/** The same asked of whatever goes on. */
const OF_PRESENT =
  /^(?:what|which)(?:'s| is)? (?:the |its )?(?:sev(?:erity)?|priority)(?: (?:is|of|does)\b.{0,40})?[ ?!.]*$|\binc(?:ident)? ?(?:number|no|id|nr)\b/
/** What is on record of an incident itself, asked of one by its id. */
const OF_NAMED = /\b(status|state|severity|opened|open|closed|resolved|investigating)\b/
/** A status by which incidents are asked for makes a list of them too. */
const LISTED_STATUS =
  /\b(unresolved|investigating|under investigation|being investigated|resolved|closed|fixed|over|open|ongoing|active|actual|currently)\b/
const ON_FIRE =
  /\b(?:what(?:'s| is| was)?|anything(?: else)?|something|everything|all|it|we|prod\w*|(?:incidents?|outages?|services?|systems?)(?: is| are| was| were)?) (?:still |currently )?(?:is |are |was )?on fire\b/

const ROLL_BACK =
  /\b(roll(ing)? ?(\S+ )?back|revert(ed|ing)?|undo(ing)?|go(ing)? back to(?! (bed|sleep|normal|work))|(return|switch back) to (the |an? )?(previous|old|older|last|earlier) |back out\b|(?:should|shall|can|may|must|do|could) (?:i|we) (?:\w+ )?(?:go|turn|step) back[ ?!.]*$)/
/** The act itself with a question mark ("roll it back?"): without one it is an order. */
const ROLL_BACK_ALONE =
  /^(?:(?:and|so|just|then) )?(?:roll|revert|rollback|back out|go back|undo)\b(?! (?:back )?(?:history|events|list|outs?)\b)[^?]{0,80}\?\s*$|^(?:(?:and|so|just|then) )?(?:take|bring|pull|put) (?:it|this|that|them) (?:back|out)\?\s*$/
/** What would be if something were taken back or switched off: what speaks for going back is asked then. */
const SUPPOSED =
  /\b(?:if|suppos(?:e|ing)|assum(?:e|ing)|imagine|say)(?: that)? (?:we|i|you|one|some(?:body|one)|they) (?:had |just |would |simply )?(?:(?:turn|switch|flip|toggle|take|took|taken|pull|put|shut)(?:ped|ed)? .{0,60}\b(?:off|out|back|down)|(?:disable|revert|undo|undid|undone|remove|drop|kill|unship)\w* \S+|(?:roll|go|went|gone)(?:ed)? (?:\S+ )?back)\b|^(?:would|will|could|might|does) (?:(?:turning|switching|flipping|taking|pulling) .{0,60}\b(?:off|out|back|down)|(?:disabling|reverting|undoing|removing|dropping|killing) \S+)/
export const UNDONE: Row<Intent> = [
  'should_roll_back',
  SUPPOSED,
  wordsOf('if|suppos|assum|imagine|say|would|will|could|might|does'),
]
/** Whether plain lower-case words ask what would be if something were taken back. */
export const asksWhatWouldBe = (plain: string): boolean => fits(plain.replace(BEGUN, ''), UNDONE)
/** A going back that somebody speaks of as done, or asks whether it was: how it is since is asked then, not whether to. */
const ROLLED_BACK =
  /\b(?:since|after|before|until|following) (?:(?:the|that|this|our|your|we|they|it was|it got|somebody|last|latest) ){0,2}(?:roll(?:ed|ing)? ?(?:\S+ )?back|rollbacks?|revert(?:ed|ing)?|reversal)\b|\b(?:rollback|roll back|revert)(?: (?:of|in|on|to) \S+)? (?:help\w*|work\w*|fix\w*|succe\w+|fail(?:ed)?|take effect|do anything|done|finished|complete\w*)\b|^(?:did|has|have|had|was|were|is|who|when|which)\b.{0,60}\b(?:roll(?:ed|ing)? ?(?:\S+ )?back|rollback|revert(?:ed|ing)?|brought (?:\S+ ){0,3}back|taken back|took (?:\S+ ){0,3}back|undone|undid|went back to)\b|^(?:who|what) (?:\w+ )?(?:ended|fixed|stopped|resolved|solved|cured|healed|mitigated|cleared)\b(?! the incident record)|\bwhat made (?:it|this|that|the \w+) (?:stop|end|go away|recover|better)\b/
export const GOING_BACK: Row<Intent> = [
  'is_recovered',
  ROLLED_BACK,
  wordsOf(
    'roll|revert|reversal|back|und|ended|fixed|stopped|resolved|solved|cured|healed|mitigated|cleared|what made',
  ),
]
/** Asks whether to do it, not what it has brought. */
const WONDERS_WHETHER_TO =
  /\b(should|will|would|can|could|may|must|going to|worth|safe|better to|need(ed)?|advisable|possible|an option|idea|ok(ay)? to|(fine|time|wise|right|enough|allowed) to)\b/
/** Whether a question in plain lower-case words is about a going back that was done. */
export const asksOfRollBack = (plain: string): boolean =>
  fits(plain.replace(BEGUN, ''), GOING_BACK) && !WONDERS_WHETHER_TO.test(plain)

/** What to do about it: that is told with what speaks for going back and against it. */
const ADVICE =
  /\bwhat (should|can|could|must|do|would) (i|we|you) do\b|^(what now|now what)\b|\bwhat(?:'s| is) the plan\b|\b(should|can|must|may|safe|worth|better|need to|have to) .{0,12}\b(restart|reboot|bounce|scale|fail(ing)? ?over|redeploy|drain|wait|escalate)\b|\b(?:should|can|may|could) (?:i|we) (?:still |now |keep )?(?:deploy(?:ing)?|ship(?:ping)?|release|merge|freeze)\b|\b(?:safe|ok(?:ay)?|fine|wise) to (?:deploy|ship|release|merge|freeze)\b|\b(fix|roll) forward\b|\bhow (to|(do|can|should|could) (i|we)) (fix|stop|mitigate|solve|resolve|repair)\b|\b(?:best|fastest|quickest|safest|right|proper|easiest|simplest) (?:way|fix|thing|course|option|remedy|approach) (?:to|for) (?:fix|stop|mitigate|solve|resolve|repair|do|end|this|it)\b|\bnext steps?\b|\bwhat(?:'s| is) next\b|\b(mitigation|workaround|remedy)\b|^what(?:'s| is) the (?:fix|solution)\b/
/** How something is done with a program is taught elsewhere. */
const BY_HAND = /\bhow (?:do|can|could|would|to|should)\b.{1,60}\b(?:with|using|via) \S+[ ?!.]*$/
const WONDERS =
  /\b(should|going to|(?:would|should|could)n't|wiser|better off|would|will|can (i|we)|could (i|we)|may (i|we)|safe|need|must|or|better to|worth|which version|do (i|we)|does it|advisable|possible|an option|idea|ok(ay)? to|(fine|time|wise|right|enough|allowed) to)\b/

const COMMAND =
  /^(?:(?:please|just|now|can you|could you|would you|go|and) )*(approve|roll ?(?:\S+ ){0,2}back|revert|restart|bounce|cordon|switch|set|increase|raise(?! in)|escalate|notify|send|snooze|unmute|rotate|pause|resume|apply|mark|assign|reopen|remind|subscribe|add|fix(?! forward)|(?:open|merge) (?:a|an|the|my|this|it)|tell (?!me\b|us\b|the story\b)\w+|reboot|scale|resolve|close|delete|remove|kill|stop|deploy|redeploy|disable|enable|turn|drain|fail ?over|page|wake|create|acknowledge|ack|mute|silence|drop|purge|flush|undo)\b(?!-| (back )?(history|events|list|did|didn't|does|doesn't|has|hasn't|was|wasn't|is|isn't|failed|helped|worked)\b)/
const PREDICTION =
  /\bwhat would (?:.{1,40} )?have\b|\bwhat (?:could|should) (?:we|i|you|they|the team) have\b|^(?:suppose|if|imagine|assuming)\b.{1,60} (?:had|have|were|was|did)(?:n't| not)?\b.*\bwould\b|^(?:can|could|might|may) (?:this|that|it) (?:happen|occur|break|fail|go down|come back) again\b|\bwhat (?:would|might|could) happen\b|\bwhat happens (?:if|when|once|should)\b|^would (?!you\b)\S+(?: \S+)? have\b|\bwhat if (?:we|i|you|they) (?:had|have|were|used)\b|\b(will|won't|going to (?:be|pay|cost|work|hold|scale|survive|grow|take|need|have|fail|break|happen|recover|last|come|go)|tomorrow|\beta\b(?!-)|when (?:does|do) [^?]{1,60} (?:expire|run out|renew)|next (week|month|year|time|release|deploy\w*|rollout|maintenance)|forecast|predict(ion)?|how long (until|till)(?! .*\b(?:fired|went off|rang|alerted|paged|notic\w+|was|were|did|came|began|started|broke|failed)\b))\b/
const PEOPLE =
  /\bwhose (fault|mistake|blame)\b|\bwho\b.*\b(fired?|blame[ds]?|fault|guilty|sacked|punished|promoted)\b(?! (?:commit|change|deploy\w*|release|merge|pull|pr|line|code|version|flag))|^(?:is|are|was|were) (?:\S+ ){1,3}(?:careless|incompetent|negligent|lazy|stupid)\b/
const NOT_MEASURED =
  /\b(how (much|many)|what)\b.*\b(money|revenue|dollars|euros|sales|profit|turnover)(?![\w-])|\b(how (much|many)|what (is|was) the|value of) refunds?\b|\b(?:share|stock) prices?\b|\bcost us\b|^(?:is|are|do|does|must|should|can|may|will) (?:we|our|it|this|that|the)\b.*\b(?:liable|liability|contracts?|lawsuit|regulator|insurance|insured|gdpr|legal|compensat\w+)\b|\blos[te]\b.*\b(money|revenue|sales|customers)\b|\bhow many (orders|sales|carts|payments|sign-?ups)\b.*\b(los[te]|miss(ed)?|fail(ed)?)\b|\b(?:hack(?:ed|ers?|ing|s)?|intru(?:sion|ders?)|ransomware|phish\w*|exfiltrat\w+)\b|\b(?:data|passwords?|cards?|records|accounts?|pii)\b.{0,20}\b(?:leak(?:ed|s)|stolen|exposed|breached|compromised)\b|\b(?:security|data) (?:breach|leak)\b/

/** Who is to be called is in no telemetry. */
const OWNER =
  /\bwho (owns|maintains|is on call|'?s on call)\b|\bwho\b.{0,20}\b(page|call|escalate|contact|wake|ping|look at|handle)\b|\b(owner|owning team|on-?call) (of|for)\b|\b(which|what) team\b/
/** So is who looks after it now. */
const AT_WORK =
  /^(?:who(?:'s| is| are)|(?:(?:is|are) )?(?:any|some)(?:one|body)) (?:already |currently |now )?(?:working on|looking (?:at|into|after)|handling|taking care of|on) (?:it|this|that|the (?:incident|outage|problem|issue|case))[ ?!.]*$/
/** What a word means and how things are made is in no telemetry. */
const LESSON =
  /^(?:(?:explain|tell me|show me) )?how (?!is |are |was |were )[^?]{1,40} works?[ ?!.]*$|^what (?:does|do) [^?]{1,30} mean\b|^what(?:'s| is) an? \S+[ ?!.]*$/
/** Who answers for a thing is asked, not who or what brought the trouble. */
const IN_CHARGE =
  /^who(?:'s| is| are) (?:responsible for|accountable for|in charge of|the owner of) (?!(?:it|this|that|all (?:of )?(?:this|it)|(?:the|these|those) (?:outage|incident|problem|failure|error|mess|trouble|issue|change|commit|deploy\w*|break\w*|disruption)s?)\b)/
/** Said to somebody of whom nothing is asked, or of whom it is asked what may be. */
const COURTESY =
  /^(?:(?:ok(?:ay)?|thanks?(?: you)?(?: (?:a lot|so much|all|bot))?|thx|ty|cheers|great|good (?:job|bot|work|morning|evening|night)|nice|cool|perfect|awesome|got it|bye|(?:hi|hello|hey)(?: (?:there|all|bot))?|help(?: me)?|what can (?:you|i) (?:do|ask)(?: you)?|how (?:does|do) (?:this|you) work)[ ,!.?]{0,4}){1,3}$/

/** Said to somebody as to a person. */
const SMALL_TALK =
  /\bhow (?:is|are|was|were|has|have)(?: been)? (?:you(?! (?:so|that) )|your (?:day|night|evening|morning|afternoon|week\w*|shift|life|mood|holidays?))\b|\byour (?:favou?rite|name|mood|birthday|creator|maker|hobb\w+)\b|\bwho (?:are|made|built|trained) you\b|\bare you (?:an? )?(?:human|robot|bot|real|alive|sentient|tired|happy|sad)\b/
/** Wants whoever answers to be something else, or what is told to nobody. */
const CONFINED =
  /\b(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|your|the|previous|prior|earlier|above|my|system|these|those|safety|of) ){1,4}(?:instructions?|rules?|prompts?|guardrails|guidelines|constraints|training)\b|^(?:(?:please|can you|could you|now|and) )*(?:print|reveal|show|dump|tell|give|list|leak|output|repeat|expose)\b.{0,40}\b(?:api keys?|tokens?|passwords?|secrets?|credentials?|(?:system|hidden) (?:prompt|instructions)|your (?:own )?(?:instructions|prompt|config\w*|settings|source code)|environment variables)\b(?!.*\b(?:rotat|chang|expir|error|fail|us(?:age|ed)|count|deploy|rate|latency|refresh|service|limit))|^(?:please )?(?:repeat|echo) (?:everything|all|the|what|your|after)\b|^(?:please )?(?:pretend|act as|say that|tell every\w+|claim that|admit that|from now on)\b|^you are (?:now )?(?:dan|a|an|no longer|my)\b/

/** Unanswerable whatever is known, most particular first. */
export const REFUSED: readonly Row<Refused>[] = [
  ['courtesy', COURTESY],
  ['courtesy', SMALL_TALK, wordsOf("you|what's up")],
  [
    'confined',
    CONFINED,
    wordsOf(
      'ignore|disregard|forget|override|bypass|api key|token|password|secret|credential|prompt|instructions|your |environment|repeat|echo|pretend|act as|say that|tell every|claim that|admit that|from now on|you are',
    ),
  ],
  ['people', PEOPLE, wordsOf('fault|who|is|are|was|were')],
  ['owner', AT_WORK, wordsOf('who|any|some')],
  ['owner', IN_CHARGE, wordsOf('who')],
  [
    'not_measured',
    NOT_MEASURED,
    wordsOf(
      'money|revenue|dollars|euros|sales|profit|turnover|refund|price|cost us|liab|contract|lawsuit|regulator|insur|gdpr|legal|compensat|customers|how many|hack|intru|ransomware|phish|exfiltrat|leak|stolen|exposed|breach|compromised',
    ),
  ],
  ['command', COMMAND],
  ['unreadable', LESSON, wordsOf('how|what|to me')],
  [
    'prediction',
    PREDICTION,
    wordsOf(
      "would|could|should|again|might|what happens|what if|will|won't|going to|tomorrow|eta|expire|run out|renew|next|forecast|predict|until|till",
    ),
  ],
  ...KEPT_ELSEWHERE,
]

/** A suspicion that is put as a question: "is it the database", "did the deploy of orders cause it". */
const SUSPECTED =
  /^(is|was|isn't|wasn't|could|couldn't) (it|this|that)( just| simply| also)?( be)? (the|a|an|our|my|load|dns|tls|capacity|traffic|memory|cpu|disk|network)\b|^(is|was|isn't|wasn't) (it|this|that) (?:\w+ )?\S+'s? (?:commit|change|deploy(?:ment)?|release|merge|pr|flag)\b|^(did|could|can|would|may|might) (?!you\b).*\bcause\b|^(did|could|has) .{1,60} (do|done) (it|this|that)\b|^(is|was|isn't|wasn't|could) .*\b(the|a) (root )?cause\b/

/** Whoever wants something made or taught, or something of another world, wants no answer about an incident. */
export const WANTS_ELSE =
  /^(?:(?:please|can you|could you|would you|i want you to) )*(?:write|draft|send|make|teach|sing|play|tell me a|print|translate|book|buy|open|add|set|start|run|rename|move|give me a (?:poem|joke)|order|pretend|ignore|act as|say|you are now)\b|\bhow (?:do|can|could|to|should|would) (?:i|we|you|one)\b|\bhow (?:i|we|to)\b|\bshould (?:i|we)\b|\bwho should\b|\b(?:weather|rain\w*|recipe|cook\w*|jokes?|poems?|songs?|movies?|salar\w+|hir(?:e|ing)|holidays?|passwords?|credentials?|api keys?|competitors?|prices?|shares|sue|understaffed|opinion|favou?rite|kubectl|sla|what time is it|(?:his|her|their) job)\b/

export const ANSWERED: readonly Row<Intent>[] = [
  [
    'should_roll_back',
    ADVICE,
    wordsOf(
      'what|plan|restart|reboot|bounce|scale|over|deploy|drain|wait|escalate|ship|release|merge|freeze|forward|how |best|fastest|quickest|safest|right|proper|easiest|simplest|next|mitigation|workaround|remedy',
    ),
  ],
  [
    'what_contradicts',
    /\b(speaks? against|argu(?:e|es|ing|ments?) against|contradict\w*|rul(e|ed|ing) (\w+ )?out|what else (could|might|can)|(?:has|have|any|full of) (?:holes|doubts?|weakness\w*)|(?:how|is|are) .{0,40}\b(?:solid|reliable|plausible)\b|(?:could|might|may|are) you (?:be )?(?:wrong|mistaken)|(?:do|can|should|may) (?:i|we) (?:trust|believe|rely on)\b|other (possible )?(causes?|explanations?|hypothes[ei]s)|alternatives?|how (sure|certain|confident)|are you (sure|certain|confident)|could (it|this) be (something|anything) else|(other|another|different) (explanation|theory|idea|suspect)s?|what makes you (think|say))\b|^you (really |so )?(sure|certain)\b|^(?:(?:and|so|oh|hm+|wait) )?(?:really|seriously)[ ?!.]*$/,
  ],
  [
    'what_contradicts',
    /\bwhy (do|did|are|would) you (think|say|believe|suspect|so|exclude|dismiss)\b|\bwhy not (?!\w+(ing|ed)\b|up\b|ok\b|back\b|down\b|available\b)\S|\bwhy (is|was)n't it (?!\w+(ing|ed)\b|up\b|ok\b|back\b|down\b|available\b)\S|\bwhat speaks for\b|\b(proof|evidence) (that|of|for|do|is)\b|^(more )?(details|evidence|proof)\b|^(tell me |show me )?more[ ?!.]{0,3}$/,
    wordsOf("you |why not|n't it|speaks for|convinced|proof|evidence|details|more|prove|elaborate"),
  ],
  [
    'what_was_asked',
    /\b(did|have)(n't)? you (not )?(ask|quer|look|check|read|use)|^(?:is|are|was|were|did|does|has|have|do we have) (?:the |our |a |an )?[\w -]{2,30}? (?:connected|integrated|hooked up|plugged in|answer(?:ed|ing)?|respond(?:ed|ing)?|repl(?:y|ied)|asked|queried)[ ?!.]*$|\bwhat (could|can|did)(n't|not| not)* you\b|\b(?:have|could|were|are|did)(?:n't)? you (?:\S+ )?(?:(?:not|un) ?(?:been )?(?:able to )?(?:see|look|reach|read|find)|unable to|blind)|\bhow did you (?:find|get|come|arrive|conclude|work|reach)\b|\bwhat (?:don't|do not) (?:you|we) know\b|\bwhat(?:'s| is) (?:missing|unknown|not known)[ ?!.]*$|\b(blind spots?|gaps)\b|\b(what|which|where|how)\b.*\b(was|were|did you|have you|you)\b.*\b(ask(ed)?|quer(y|ied|ies)|look(ed)? at|check(ed)?|consult(ed)?)\b|\bhow do you know\b|\b(queries|sources|tools) (that )?(you|were)\b/,
  ],
  [
    'what_was_asked',
    /\b(which|what|any) (data ?|telemetry )?(sources?|tools?|integrations?|connectors?|quer(y|ies))\b.*\b(answer\w*|respon\w+|timed? out|reach\w*|unavailable|missing|silent|used?|run|ran|work\w*|fail\w*|down|offline|connected)\b|^(did|does|has) \S+ (answer|respond|reply|replied)\b|\b(are|do) you (missing|lack|not )|\bcan(not|'t)? you (still )?(reach|talk to)\b/,
    wordsOf('source|tool|integration|connector|quer|based|answer|respon|repl|where|you '),
  ],
  [
    'seen_before',
    /\b(happen(ed|s)?|seen|had|fail\w*|br(eak|oke|oken)|occur\w*|this|that)\b.*\b(?<!\bor )(before|in the past|previously)\s*[?.!]*$|\b(first|last) time\b|\b(similar|earlier|past|previous) (incidents?|outages?|problems?|failures?)\b|\bsame (thing|one|issue|problem|as)\b.*\b(as|on|last|yesterday)\b|\b(something|anything|sth) like (this|that|it)\b|\bis (?:this|it|that) (?:new|known|a known)\b|\bknown (?:issue|problem|error|bug)\b|\brepeat of\b|\b(had|have|seen) (this|that|it) .{0,20}\b(last|yesterday|earlier|ago)\b|\b(?:did|has|have|had|was)\b.{0,40}\bhappen(?:ed)?\b.{0,30}\b(?:too|as well|also)\b|\b(?:already|ever) .{1,40}\b(?:such an?|like this|of this kind|this kind of)\b|\brecurr|\bd\Sj\S[ -]?vu\b|\b(didn't|wasn't|weren't|hasn't|haven't) .{1,60} (last|yesterday|before|earlier|ago|already)\b|\bever (break|broke|broken|fail\w*|happen\w*|go|gone|been|have|had)\b/,
    wordsOf(
      'happen|before|past|previous| time|new|known|first|similar|earlier|same|like|repeat|last|yesterday|ago|recurr|ever|already|vu',
    ),
  ],
  [
    'is_recovered',
    /^still (down|broken|failing|slow|going on)\b|\b(back to|go to) (bed|sleep)\b|\bto (bed|sleep) go\b|^when (did|does|was|has|had|is) .{1,40}\b(stop(ped)?|ended?|over|recover(?:ed)?|come back|came back|healed?|resolved?|fixed|solved|mitigated|repaired|clear(?:ed)?(?: up)?|return(?:ed)? to normal|calm(?:ed)? down|settled?)\b|\ball (clear|good)\b|\bcan (i|we) (close|resolve|stand down)\b|\bare we (all )?(good|ok|fine|back)\b|\b(recover(ed|ing|y)|back to normal|(is|are|was) .*\bback up|work(s|ing)? again|getting (better|worse)|better now)\b|^(?!.*\bwhy\b).*\b(is|are|was|does|do) .*\bstill (fail\w*|down|slow|broken|going on|happening|erroring|timing out|degraded|unavailable|crashing|bad|ongoing)\b|^(so |and )?(is|has|was) .*\b(over|fixed|solved|gone|ended)\s*(now|yet)?\s*[?.!]*$|^did .*\b(fix|help|solve|cure)\b|^did (?!any|some).{1,40} work[ ?!.]*$/,
    wordsOf(
      'still|bed|sleep|when|clear|good|close|resolve|stand down|are we|recover|back|again|getting|better|over|fix|solve|gone|ended|help|cure|work',
    ),
  ],
  [
    'is_recovered',
    /^(so )?(it's|it is|everything is|all is|things are|are things) (\w+ )?(good|ok|fine|over|working|stable|normal|healthy|up)\b|\b(?:is|are|has|was) (?:it|this|that|things|everything) (?:\w+ )?(?:worse|better|improving|improved)\b|(?<!why .{0,60})\b(?:healthy|normal|stable|fine|ok(?:ay)?|green|up|through|available|reachable|usable|operational|online|alive|quiet) again\b|\b(?:may|can|could|should|shall|safe to|ok to|so) (?:i |we )?(?:can )?(?:set|put|turn|switch|flip|mark|change|declare|call) .{1,40}\b(?:green|operational|resolved|over|normal|all clear)\b|\b(calmed down|settled|stabili[sz]ed|subsided|(come|came) back|got better|get better)\b|^(is|was|has) (the|this|that) (incident|outage) .{0,20}\b(closed|resolved|done)\b|^(so |and )?(is|are|was|were|has|have) .{1,60}(?<!roll|rolled|gone|go) back(?! up to|ed| to v| on v)\b/,
    wordsOf(
      'good|ok|fine|over|working|stable|normal|healthy|up|worse|better|improv|again|green|operational|resolved|clear|calmed|settled|stabili|subsided|came|come|closed|done|back',
    ),
  ],
  [
    'when_started',
    /\b(?:who|which|what)\b.{0,30}\b(?:fell(?: over)?|failed|broke|went(?: \w+)?|died|collapsed|crashed|dropped|was hit|suffered) first\b|\b(who|which|what) (?:\S+ ){0,4}(?:first (?:broke\w*|fail\w*|down|slow|went))\b/,
    wordsOf('first'),
  ],
  [
    'what_is_affected',
    /\bwhat else (is|was|are|fails|failed|broke|breaks)\b|^(?:(?:and|so|is|are|was|did|does) )?(?:who|what|any\w+|something|others?)\b(?!.*\b(?:chang|deploy|releas|roll|ship|commit|merg|went out)).{0,40}\b(?:besides|other than|apart from|aside from|except(?: for)?)\b/,
    wordsOf('what else|besides|than|apart|aside|except'),
  ],
  [
    'what_is_affected',
    /\bwhat (?:do|can|should|shall) (?:i|we) (?:tell|say to|write to)\b/,
    wordsOf('tell|say to|write to'),
  ],
  [
    'what_happened',
    /\bwhat (happened ((?:at|around|about) (?:about |around |a )?(?:\d[\w:]*|noon|midday|midnight|lunch|half|quarter|(?:five|ten|twenty) (?:to|past))|\d{1,2}[:h]\d\d|\d{4}-\d\d|between|from|during|since|until|(?:before|after)(?! (?:the|that \w|this|our|we|it)\b)|(?:(?:right|just|shortly) )?(?:before|after|until) \w+ (?:outage|incident|trouble|problem|failure|error|alert|began|started|broke|failed|went)|in the (?:night|morning|afternoon|evening|last|past|first|meantime)|on (?:the \d|\w+day)|today|yesterday|tonight|overnight|last|this \w+ing)|went on|(?:was|were) (?:happening|going on) (?:at (?:about )?\d|between|around|from|during|since|before|after)|did (i|we) miss)\b|\btimeline\b|\bcatch me up\b|\bwalk (?:\S+ ){1,2}through\b|\bstep by step\b|\bhow did (?:it|this|things|the \w+) (?:unfold|play out|develop|evolve|progress)\b|\bwhat (?:has |have |had )?(?:passed|occurred|taken place|took place|been going on)\b|\b(in )?(which|what) (order|sequence)\b|\bplay[ -]by[ -]play\b|\bwhat happened (first|while|when)\b|^(show me )?(the |all )?events? (since|between|from|in|today|yesterday|on)\b/,
    wordsOf('what|how|timeline|sequence|catch me|walk|step|minute|event|order|chronolog|play'),
  ],
  [
    'what_is_affected',
    /\bwhich (regions?|zones?|clusters?|(?:hosts?|nodes?|pods?|instances?)(?!.*\b(?:restart|reboot|respawn|bounce|evict|oom)\w*)|customers|users|endpoints?|operations?|routes?|paths?|tenants)\b|^(is it |are they )?(only|just) .{1,60} or\b|^is (it|this) (only|just) |\bor everywhere\b|^(are|can) (the |our |any |all )?(users|customers|people|clients) |^(?:do|should|is it worth)\b.{0,20}\b(?:wak|pag)(?:e|ing) (?:up )?(?:some|any|them|the )/,
    wordsOf('which|only|just|everywhere|users|customers|people|clients|wak|pag'),
  ],
  [
    'what_is_affected',
    /^(?:(?:and|so) )?(?:what|who|which \w+)(?: else)? (?:calls|talks? to|depends? on|relies on|rely on)(?![\w-])|^(?:(?:and|so) )?(?:what|who|whom|which \w+) (?:does|do) (?!i\b|we\b|you\b|they\b)\S+ (?:depend on|rely on|call|talk to)[ ?!.]*$|\b(?:dependencies|dependents|callers|callees) of\b|^(?:(?:and|so) )?(?:does|do) (?!i\b|we\b|you\b|they\b|it\b|this\b)\S+ (?:\w+ )?(?:depend on|rely on|call|talk to)(?![\w-])/,
    wordsOf('call|talk|depend|rel|use|need'),
  ],
  [
    'what_is_affected',
    /\bwhich (services|systems|apps|components)\b(?!.*\b(chang|deploy|releas|updat|roll|ship))|\bother (services|systems|apps|components)\b|\b(one|some|single|part|half) .{0,20} or (all|every\w*|the (rest|others|whole))\b|\b(all|every\w*) .{0,20} or (only|just|one|some)\b|^is it all \S+ or\b/,
    wordsOf('which|other| or|is it all'),
  ],
  ['what_changed', AUTHOR, wordsOf('who|author|committer')],
  ['what_changed', DIFF, wordsOf('diff|patch|commit|change')],
  ['what_changed', WHICH, wordsOf('which|what')],
  [
    'how_is',
    /\bhow (?:long|fast|quick(?:ly)?) (?:do|does|are|is) (?!it\b|this\b|that\b).{1,60}\b(?:takes?|responds?|answers?|loads?)\b(?! to (?:recover|resolve|fix|mitigate|detect|notice|roll))/,
    ['how '],
  ],
  [
    'how_is',
    /^(?:did|has|have) (?!any|some|we\b|you\b|it\b)\S.{0,60}\b(?:get|gets|got|gotten|become|became|go|gone|turn|turned|grow|grown) (?:any |much |a lot |even )?(?:slow|slower|faster|sluggish|worse)\b/,
    wordsOf('did|has|have'),
  ],
  ['how_is', /\bfalse (alarm|alert|positive)\b|^is (it|this|that) (an? |the )?real\b/],
  ['why', WHY],
  ['why', SUSPECTED],
  ...SUSPICIONS.map((pattern) => ['why', pattern] as const),
  [
    'when_started',
    /\bhow (?:long|much time) .{1,60}\b(?:to (?:detect|notice)|(?:before|until|till) (?:the |an |any )?(?:\w+ )?(?:alert|alarm|pager?|monitor)\w*)\b|^when .{0,50}\b(?:turn|turned|get|got|become|became|fall|fell|stop|stopped|tip|tipped|die|died)\b|\bhow (?:long|soon|quickly|fast) (?:after|from|between|before|past)\b|\b(since|from) (when|what time|how (long|much time|many \w+))\b|^did .{1,40} (start|begin)\b|\b(when|what time|(at )?(what|which) (time|point|moment))\b.*\b(start\w*|beg[aiu]n\w*|fail\w*|go|goes|went|br(eak|oke)\w*|first|happen\w*|r[io]se|increase\w*|drop\w*|spike\w*|occur\w*|degrad\w*|crash\w*)\b|\b(for )?how long (has|have|is|are|was|were|did|does)\b|\b(first|earliest) (error|failure|symptom|sign)\b|\bonset\b|\bduration of\b|^(?:since|when|since when|from when)(?: exactly)?[ ?!.]*$|\b(?:start(?:ing)?|begin(?:ning)?) (?:time|of (?:the|this|it))\b/,
  ],
  [
    'what_is_affected',
    /^(?!.*\bincidents\b).*\b(affect(ed|s|ing)?|impact(ed|s)?|blast radius|suffer(?:s|ed|ing)?|(?:is|are|was|were|gets?|got|being) (?:\S+ ){0,4}(?:touched|hit|hurt|harmed|damaged|dragged|pulled|infected)(?= (?:by|in|into|down|too|as well|also|hard|yet|here)\b|[ ?!.]*$)|not usable|unusable|for whom|caught up in|(?:contained|limited|confined|restricted) to|how (bad|severe|serious)|(scope|extent) of|what else|who else|depends? on|downstream|collateral|how many (requests?|users?|customers?|calls?|services?))\b/,
  ],
  [
    'what_changed',
    /\b(chang(e|ed|es|ing)|(re)?deploy(s|ed|ments?)?|releas(e|ed|es)|ship(ped|s)?|roll(ed)? ?outs?|commits?|committed|merged?|pull requests?|prs?|migrations?|flags?|toggled|configs?|configuration|went out|^who (?:did|made) (?:it|this|that)\b|(what(?:'s| is| are| was)|anything|something) different|upgraded?|pushed|(what|which|running) version)\b|\b(?:was|were|has|have|did|got|been|anybody|anyone|somebody|someone|who|which|what)\b.{0,60}\b(?:rotate[ds]?|replaced?|renewed?|modif(?:y|ied)|alter(?:ed)?|edit(?:ed)?|update[ds]?|install(?:ed)?|swap(?:ped)?|tweak(?:ed)?|tuned|introduced?|migrated?|scaled|went live|gone live|landed)\b|\b(who|anyone|anybody|someone|somebody|did|has)\b.{0,60}\b(push|touch(ed)?|flip(ped)?|bump(ed)?|switch(ed)?|patch(ed)?|enabled?|disabled?)\b/,
  ],
  ['why', /\b(?:reason|cause)s?[ ?!.]*$/, wordsOf('reason|cause')],
]

/**
 * The same in looser words, read only where no other way of asking fits: what such words mean beside others is more than
 * they say by themselves.
 */
const LOOSE: readonly Row<Intent>[] = [
  [
    'when_started',
    /\bwhich (?:moment|minute|second|hour)\b|\bwhen .{1,60}\b(?:kick\w*|set in|hit|came up|come up|alarm\w*|page[ds]?|noticed)\b/,
  ],
  ['should_roll_back', /\bor (?:go|roll|revert|switch) back\b/],
  [
    'what_contradicts',
    /\b(?:theory|explanation|hypothesis|conclusion|analysis)\b.{0,40}\b(?:fit|fits|hold|holds|wrong|right|correct|stand|stands|weak\w*|strong|flaw\w*|shaky)\b|\bon a scale\b|\bhow much (?:faith|weight|confidence|trust)\b/,
  ],
  [
    'what_was_asked',
    /\b(?:no|without|lack(?:s|ed|ing)?|had no) (?:access|data|visibility|insight|view|logs|metrics|traces)\b|\b(?:base[ds]?|rest(?:s|ed)?|rel(?:y|ies|ied)) (?:\S+ ){0,4}(?:on|upon)\b/,
  ],
  ['seen_before', /\bbeen (?:here|there) (?:before|already)\b|\b(?:something|all|brand) new\b/],
  [
    'is_recovered',
    /\bcoast\b.*\bclear\b|\b(?:come|came) good\b|\b(?:can|could|able to)\b.{1,60}\bagain\b|\bstand down\b|\b(?:call|consider|declare) (?:it|this|that) (?:a day|done|fixed|over|closed)\b|\bout of the woods\b|\bbehind us\b|^did (?:it|that|this) (?:stop|end|pass|go away|clear)\b/,
  ],
  [
    'what_changed',
    /^(?:did|has|have|had|was|were) (?:any(?:one|body)|some(?:one|body)|people|ops|one of us) (?!notice|see|seen|complain|report|ask|look|know|acknowledg|page|call|hurt|affect|hit)|\bwhat(?:'s| is|'re| are)? new\b/,
  ],
  [
    'what_is_affected',
    /^(?:who|whom|which \w+)\b.{0,30}\b(?:feel\w*|notic\w+|sees?|seeing|experienc\w+|complain\w*|los(?:e|es|ing)|trouble|hit|hurts?|pain|without)\b|\b(?:spread(?:ing|s)?|spill\w*|reach(?:es|ed)?|extends?) (?:to|into|over|beyond)\b|\bhow (?:far|wide|widespread|big|large)\b|^which \w+ (?:is|are|was|were) (?:the |not )?(?:slow\w*|worst|fail\w*|broken|down|hit|most|worse)\b|\b(?:customers?|users?|visitors?|clients?|people)\b.{0,20}\b(?:see|notice|feel|get|experience)\b/,
  ],
  [
    'what_happened',
    /\b(?:any|some)thing (?:\w+ )?(?:happen\w*|occur\w*)\b|\b(?:tell|recount|reconstruct|replay|outline)\b.{0,30}\b(?:story|night|evening|incident|outage|events|happened|course)\b|\b(?:order|sequence) in which\b/,
  ],
  [
    'list_incidents',
    /^(?:what(?:'s| is| are)|which(?: ones?)?(?: is| are)?|anything|everything|all)(?: (?:is|are|that's|that is))? (?:still )?(?:open|unresolved|ongoing|active|unsolved)\b/,
  ],
  [
    'why',
    /^what(?:'s| is| are| was|'re| keeps?| has been)? (?:\w+ly )?(?!going|happening|chang|being|doing|missing|running|firing|working|waiting|living|deploy|releas|updat)\w{2,}ing (?!(?:on|in|to|for|with|at|now|there|here)\b)[^ ?]/,
  ],
  [
    'why',
    /^what (?!changed|happened|deployed|released|shipped|merged|passed|occurred|measured|asked|queried|rolled|recovered|improved|moved|differed|landed|need|used)(?:\w{2,}ed|took|brought|hit|bit|put|sent|led|drove|threw|shook|got|made) (?:up |down |off |out |over )?(?!(?:in|on|at|to|for|between|since|after|before|by|during|today|yesterday|you)\b)[^ ?]/,
  ],
  // Nobody but whoever changes things is on record by a name of people.
  ['what_changed', WHO_IS, ['who']],
  ['how_is', /\b(?:pulse|vitals|shape|condition|mood) of\b/],
]

/** What somebody says who wants it all in few words. */
const SUMMARY =
  /^(please )?((can|could|may) (i|we|you) )?((give|show|get|send|have|need|want|i need|i want|what's)( me| us)? )?(a |an |the )?(quick |short |brief )?(summary|overview|recap|tl;?dr|sitrep|one[- ]?liner)\b|^(?:(?:please|can you|could you) )*(?:summari[sz]e|sum (?:it|this|that|things) up|recap)\b/
/** Lines and levels that somebody wants to see. */
const SHOWN =
  /\b(show|give|list|get|display|find|see)\b.*\b(errors?|failures?|logs?|log lines|symptoms|metrics|anomalies)\b/
const STATUS =
  /^(status|state)\s*[?.!]*$|^((give|send|show) (me|us) |any )?(an? |the )?(status )?updates?\b(?! (of|in|to|from|since) )|^where (do|are) we (stand|at|with)\b|^what's the latest\b|^(any|(are|is) there|do we have)( any| an?)? (issues?|problems?|trouble)\b|^(\S+ ){1,3}(is|are) (ok|fine|up|healthy|working|available)\b|^(\S+ ){1,3}(ok|up|down|healthy|alive|working)\s?\?/
/** Now, or a time that is named before it, beside another time, which is no window then. */
const COMPARED =
  /\b(vs\.?|versus|compared? (to|with)|than (usual|normal|yesterday|last|before|this \w+ing|(?:(?:at )?(?:this|that|the same) time)|(?:an?|\w+) (?:min(?:ute)?s?|hours?|days?|weeks?|months?) (?:ago|before|earlier)))(?![\w-])|^is (this|it) normal\b/
/** Whether there was more of something in another time. */
export const MORE_IN =
  /\b(?:more|fewer|less|higher|lower|worse|better|as (?:many|much|bad|slow))\b(?!.*(?: than (?!yesterday|last)|\bincidents?\b)).{0,40}\b(?:yesterday|last (?:week|night|month|\w+day)|(?:day|week)s? (?:before|ago|earlier))(?![\w-])/
/** Whether plain lower-case words compare now with another time. */
export const asksToCompare = (plain: string): boolean => COMPARED.test(plain) || MORE_IN.test(plain)
/** The same of a thing and a time ("compare stock to an hour ago"); two things are compared otherwise. */
export const COMPARED_TIME =
  /\b(?:get|got|gotten|become|became|gone|went|turned|grown) (?:any |much |a lot |even )?(?:slower|faster|worse)\b|^compare .{1,60} (to|with) .{0,20}\b(yesterday|last|before|earlier|ago|normal|usual)\b/
/** Letters that English has none of, or words that begin a question in another language. */
const OTHER_LANGUAGE =
  /(?:^|[\s¿])(warum|wieso|wann|nicht|ge[aä]ndert|ist|und|wurde|geholfen|depuis|les|une|est[aá]|desde|sono|zijn|het|een|por qu[eé]|cu[aá]ndo|pourquoi|quand|perch[eé]|quando|hvorfor|waarom|dlaczego)(?![\p{L}])|(?!\p{Script=Latin})\p{L}{2}/u
/** The incidents that were just counted. */
const LIST_THEM = /^(?:list|show me|which) (?:them|those|ones)\b/

const HOW_IS =
  /^how (?:it |does it )?goes?\b|^how(?:'s|'re| is| are| was| were| did| does| goes)|\b(?:something|anything|what) (?:is )?(?:going on|happening|up|the matter) (?:with|in|on|at)\b|\b(something|anything) .{0,10}\b(off|odd|weird|strange|unusual) (with|in|on|about)\b|\b(what's up with|health|healthy|unhealthy|(?:status|state)(?: (?:at|on) \S{1,12})? of|status ?page of|all right|alright|okay|doing|up and running)\b|^compare\b|^(?:does|do) (?!you\b|we\b|i\b)\S.{0,40} work(?: at all| properly| correctly| fine| now| today)?[ ?!.]*$|\bwhich (?:one )?is (?:worse|worst|better|slower)\b|^(?:has|have|had) .{1,60} been (?:slow|down|failing|broken|unavailable|unreachable|unstable|degraded)\b|^(is|are|was|were) .*\b(ok|up|down|slow|failing|broken|fine|alive|available|unavailable|reachable|good|wrong|degraded|erroring|crashing|working|struggling|acting up)\b/

/** What joins a question to what was said before it. */
export const BEGUN = /^(?:and|so|but) /

/** The intent of a question in plain lower-case words, and with `unknown` why it is not answered. */
export function readIntent(asked: string): { readonly intent: Intent; readonly refusal: Refused | null } {
  const plain = asked.replace(BEGUN, '')
  const answered = (intent: Intent) => ({ intent, refusal: null })
  const refused = (refusal: Refused) => ({ intent: 'unknown' as const, refusal })
  if (asksOfRollBack(plain)) return answered('is_recovered')
  const asksToRollBack =
    !BY_HAND.test(plain) &&
    ROLL_BACK.test(plain) &&
    WONDERS.test(plain) &&
    !/^(can|could|would) you\b/.test(plain)
  if (asksToRollBack || ROLL_BACK_ALONE.test(plain) || fits(plain, UNDONE))
    return answered('should_roll_back')
  for (const row of REFUSED) if (fits(plain, row)) return refused(row[0])
  const isAboutIncidents = INCIDENT.test(plain)
  const isCounted =
    COUNT.test(plain) &&
    !COUNTED_ELSEWHERE.test(plain) &&
    (isAboutIncidents || OF_THEM.test(plain) || /\bhow (?:often|frequently|regularly)\b/.test(plain))
  if (isCounted || MORE_THAN.test(plain)) return answered('count_incidents')
  if (NAMED_INCIDENT.test(plain) && OF_NAMED.test(plain) && !WHY.test(plain))
    return answered('list_incidents')
  if (OF_PRESENT.test(plain)) return answered('list_incidents')
  const particular = particularIntent(plain)
  if (particular !== null) return answered(particular)
  for (const row of ANSWERED) if (fits(plain, row)) return answered(row[0])
  if (LIST_THEM.test(plain) || ON_FIRE.test(plain)) return answered('list_incidents')
  const isListed =
    isAboutIncidents &&
    (LIST.test(plain) || LISTED_STATUS.test(plain) || /^(incidents|outages)\b/.test(plain))
  if (isListed)
    return answered(NAMED_INCIDENT.test(plain) && !OF_LISTS.test(plain) ? 'why' : 'list_incidents')
  const isHow = measureAsked(plain) !== null || (asksToCompare(plain) && !OTHER_ASK.test(plain))
  if (isHow || HOW_IS.test(plain) || SHOWN.test(plain) || STATUS.test(plain)) return answered('how_is')
  if (SUMMARY.test(plain)) return answered('why')
  if (OWNER.test(plain)) return refused('owner')
  if (OTHER_LANGUAGE.test(plain)) return refused('language')
  if (SYMPTOM.test(plain) && !OTHER_ASK.test(plain)) return answered('why')
  const loose = WANTS_ELSE.test(plain) ? undefined : LOOSE.find(([, pattern]) => pattern.test(plain))
  return loose === undefined ? refused('unreadable') : answered(loose[0])
}
