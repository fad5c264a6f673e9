/** Ways to ask that mean more than the words they are made of; read before all that single words tell. */

import { abilityAsked } from './asked-ability.ts'
import { ALARM_RAISED, asksCountInTime, levelAsked, OF_ANOTHER_VERSION } from './asked-measure.ts'
import { askedOfChanges } from './asked-of-changes.ts'
import { asksOfRecord, versionAsked } from './asked-record.ts'
import { asksOfTool, toolAsked } from './asked-tool.ts'
import { fits, type Intent, type Row, wordsOf } from './ways-to-ask.ts'

/** Somebody who may be told, and what is told then. */
const TELLING =
  /^(?:may|can|could|shall|should) (?:i|we) (?:tell|let|inform|reassure|announce|write)\b.{1,80}\b(?:fixed|over|solved|resolved|gone|possible|works?|working|back|fine|ok(?:ay)?|again|up|done|recovered)\b/
/** Doing well again, of whatever does something. */
const AGAIN =
  /^(?:is|are) \S.{0,60} (?!(?:fail|error|crash|tim|lagg|flapp|dy|hang|restart|leak|throw|break|happen|go|rais|fir|act)ing)[a-z]+ing again[ ?!.]*$/
const CALMED =
  /^(?:did|has|have|had|does|is) \S.{0,60}\b(?:calm(?:ed)? down|settled?(?: down)?|recover(?:ed)?|stabili[sz]ed?|heal(?:ed)?|(?:come|came) back|normali[sz]ed?|(?:stop(?:ped)?|end(?:ed)?|cease[ds]?|disappear(?:ed)?|(?:go|gone|went) away)(?! \w+ing\b))\b|\ball[- ]clear\b/
const INNOCENT =
  /\b(?:is|are|was|were|be|'s) (?:probably |really |then |therefore )?(?:innocent|cleared|exonerated|acquitted|off the hook|out of the (?:picture|question|running)|in the clear|not (?:involved|to blame|guilty))\b/
const DOUBTS =
  /^what (?:does(?:n't| not)|do(?:n't| not)) (?:quite |really )?(?:fit|match|add up|make sense|line up|square)\b|\b(?:correlation|coincidence|causation)\b|^do(?:es)? (?:it|this|that|everything) (?:all |really )?(?:fit|add up|make sense|square|line up)\b|\b(?:would|much|could) you (?:bet|wager|stake)\b|\b(?:rate|score|quantify|state|grade) (?:your|the|its|that) (?:certainty|confidence|likelihood|probability|conclusion|answer)\b|\b(?:odd|strange|fishy|suspicious|weak|shaky|off|missing) (?:about|with|in) (?:that|this|the|your) (?:explanation|theory|conclusion|answer|story|hypothesis|analysis)\b/
const LOOKED =
  '(?:looked (?:at|into|through|over)|checked|queried|inspected|examined|consulted|searched|taken into account|considered)'
const ASKED_OF_TOOLS = new RegExp(
  `^(?:was|were|has|have|is|are) \\S.{0,60} (?:been )?${LOOKED}(?: (?:too|as well|also|at all|yet))?[ ?!.]*$` +
    '|^(?:did|has|have) (?:any(?:one|body)|some(?:one|body)) (?:look(?:ed)? (?:at|into)|quer(?:y|ied)|check(?:ed)?|inspect(?:ed)?|consult(?:ed)?|read) (?:the |our )?(?:\\S+ ){0,2}(?:metrics|logs?|traces?|spans|dashboards?|graphs|data|telemetry|alerts)\\b' +
    "|\\b(?:could(?:n't| not)|can(?:not|'t)|was(?:n't| not)|were(?:n't| not)|not) be (?:looked|seen|checked|measured|read|queried|collected|examined|inspected)\\b" +
    '|\\b(?:which|what|name|list) (?:the |all |your )?(?:tools?|sources?|integrations?|systems?)\\b.{0,20}\\b(?:told|gave|given|said|say|says|show|showed|behind|backs?|stand)\\b' +
    '|\\b(?:holes?|gaps?|blind spots?) in (?:the |our |your )?(?:data|evidence|coverage|telemetry|records|picture|view|monitoring)\\b',
)
const REACHES =
  /^(?:does|do|did|has|have|is|are|can|could) \S.{0,60}\b(?:trouble|problems?|outage|issues?|failures?|incident|errors|fault|mess)\b.{0,40}\b(?:reach(?:ed)?|touch(?:ed)?|hit|hurt|spread(?:ing)? to|spill(?:ed)?|pull(?:ed)?)\b|^(?:does|did|has) (?:it|this|that) (?:also |even )?(?:reach(?:ed)?|touch(?:ed)?|hit|hurt|spread to) (?!the (?:limit|max\w*|quota|bottom|roof))/
const PLAYED_BACK =
  /^(?:(?:please|can you|could you|now) )*(?:play(?: \S+)? back|replay|rewind|retrace|recount|reconstruct|step through|go through)\b|\bwhat happened (?:on|in|at|to|with) \S.{0,40}\b(?:right|just|shortly|directly|immediately|moments?|minutes) (?:before|after)\b/
const NOBODY_LOOKS = /\b(?:pages|incidents?|outages?|sevs)\b.{0,40}\b(?:nobody|no one|noone)\b/
const WHAT_IS_OPEN =
  /^(?:(?:please|can you|could you) )*(?:list|show(?: me)?|give me|name)(?: me)? (?:what|whatever|everything|all|anything)(?: that)?(?:'s| is)? (?:still )?(?:open|unresolved|ongoing|active|unsolved)\b/
/** How long something failed, in whatever unit. */
const HOW_LONG =
  /\b(?:for )?how (?:many|much) (?:minutes|hours|seconds|days|time)\b(?! (?:until|till|before))|\b(?:minutes|hours|seconds|length) of (?:the )?(?:downtime|outage|unavailability)\b/
const CLEARED =
  /^(?:is|was|are|has) (?:the|this|that|our) (?:\S+ )?(?:incident|outage|problem|trouble|issue|disruption) (?:\w+ )?(?:over|finished|done|gone|ended|past|behind us)\b/
const FROM_WHERE = /^where(?:'s| is| are| was| were| did| do| does) .{1,40}\bfrom[ ?!.]*$/
const STORY =
  /^(?:minute|step|hour|event)[- ]by[- ](?:minute|step|hour|event)\b|\b(?:story|course|history|sequence|order|chain|log) of (?:the )?(?:last|this|that|events|outage|incident|night|day|evening|morning|it|what)\b/
/** Somebody's change, suspected by whose it is. */
const BY_SOMEBODY =
  /^(?:(?:it|this|that) )?(?:could|might|may) (?:it |this |that )?(?:be|have been) (?:the|a|an|our|some)\b/
const CANNOT =
  /^(?:who|which \w+|whose \w+) (?:can(?:'t|not| not| no longer)|could(?:n't| not)|(?:is|are|was|were) (?:unable|not able)|fails? to|failed to)\b/
const SIMILAR = /\b(?:something|anything|sth) (?:similar|comparable|alike|of the (?:sort|kind))\b/
const EITHER =
  /^(?:did|is|was|has|does) (?!(?:it|this|that) (?:just|only|all)\b)\S.{0,60} or (?:did|is|was|has|does) (?!it\b|this\b|that\b|not\b)\S.{0,60}$/
/** What somebody said, where that is a tool. */
const SAID_BY_TOOL =
  /^what (?:did|does|has|had) (?:the |our )?\S+(?: \S+)? (?:tell|told|say|said|show|shown|return|returned|answer|answered|report|reported|give|given|know)\b/

const COMES_FROM = /\bwhere (?:does|do|did) (?:it|this|that|these|they) come from\b/
const ERROR = /\w(?:error|exception)\b|\b(?:errors?|exceptions?|refused|undefined|50\d|time[- ]?outs?)\b/
/** An incident before the latest, or one that is resolved: the present one is no answer. */
const BEFORE_LAST =
  /\b(?:incident|outage|one) before (?:the )?(?:last|previous|latest|that|this)\b|\b(?:(?:second|next)[- ]to[- ]|one before )last\b|\blast[- ]but[- ]one\b|\bpenultimate\b|\bhow (?:long|quickly|fast)\b.{0,60}\b(?:last|previous|latest) (?:incident|outage|one)\b/
/** What was last to fail stands at the end of what fails. */
const FAILED_LAST =
  /\b(?:failed|broke|went down|fell over|crashed) last\b|\blast (?:thing|service|one|system) to (?:fail|break|go down|crash)\b/
/** Each with words of which any text that fits holds one. */
export const PARTICULAR: readonly Required<Row<Intent>>[] = [
  ['is_recovered', TELLING, wordsOf('tell|let|inform|assure|announce|write')],
  ['is_recovered', AGAIN, wordsOf('again')],
  [
    'is_recovered',
    CALMED,
    wordsOf('stop|end|cease|disappear|away|clear|calm|settle|recover|stabili|heal|back|normali'),
  ],
  ['what_contradicts', INNOCENT, wordsOf('innocent|clear|exonerated|acquitted|hook|out of|not ')],
  [
    'what_contradicts',
    DOUBTS,
    wordsOf(
      "hypothes|explanation|n't|not|correlation|coinciden|causation|bet|wager|stake|certainty|confidence|likelihood|probability|conclusion|answer|theory|story|analysis|fit|add|hold|sense|square|line",
    ),
  ],
  [
    'what_was_asked',
    ASKED_OF_TOOLS,
    wordsOf(
      'quer|inspect|examined|consult|searched|account|considered|look|check|read|be |tool|source|integration|system|hole|gap|blind',
    ),
  ],
  ['what_is_affected', REACHES, wordsOf('reach|touch|hit|hurt|spread|spill|pull')],
  ['what_happened', PLAYED_BACK, wordsOf('back|replay|rewind|retrace|recount|reconstruct|through|happened')],
  ['list_incidents', NOBODY_LOOKS, wordsOf('nobody|no one|noone')],
  ['list_incidents', WHAT_IS_OPEN, wordsOf('open|unresolved|ongoing|active|unsolved')],
  ['how_is', ALARM_RAISED, wordsOf('alert|alarm|pager|monitor')],
  ['how_is', OF_ANOTHER_VERSION, wordsOf('too|also|as well|same|throw|fail|have|show|broken|affected')],
  ['when_started', HOW_LONG, wordsOf('how|downtime|outage|unavailability')],
  ['is_recovered', CLEARED, wordsOf('finished|done|gone|ended|behind|past|over')],
  ['what_was_asked', FROM_WHERE, wordsOf('from')],
  ['what_happened', STORY, wordsOf(' of |by|events|first')],
  ['why', BY_SOMEBODY, wordsOf('be')],
  ['seen_before', BEFORE_LAST, wordsOf('before|last|latest|previous|penultimate')],
  ['what_is_affected', CANNOT, wordsOf('who|which')],
  ['seen_before', SIMILAR, wordsOf('similar|comparable|alike|of the')],
  ['what_is_affected', FAILED_LAST, wordsOf('last')],
  ['why', EITHER, wordsOf(' or ')],
]

/** The intent of plain lower-case words that are put in one of these ways; null where they are in none. */
export function particularIntent(plain: string): Intent | null {
  if (versionAsked(plain) !== null || askedOfChanges(plain) !== null) return 'what_changed'
  if (asksCountInTime(plain) || levelAsked(plain) !== null) return 'how_is'
  // Where an error comes from is another question than where a number does.
  if (COMES_FROM.test(plain) && ERROR.test(plain)) return 'why'
  if (SAID_BY_TOOL.test(plain) && toolAsked(plain)?.type != null) return 'what_was_asked'
  if (asksOfTool(plain)) return 'what_was_asked'
  if (abilityAsked(plain) !== null) return 'what_is_affected'
  const row = PARTICULAR.find((each) => fits(plain, each))
  return row?.[0] ?? (asksOfRecord(plain) ? 'what_changed' : null)
}
