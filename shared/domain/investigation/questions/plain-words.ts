/** A question as it was typed, in plain lower-case words: chat's short forms spelt out, courtesies left away. */

import { slipsBetween } from '../records/near-names.ts'
import { isSkeleton, lettersDropped, nearestUndropped } from './dropped-vowels.ts'

/** Longer questions are read up to here: nobody asks at greater length, and time expressions cost time. */
const READ_UP_TO = 600

/** Short forms, and slips in words too short to be told otherwise, each with what it stands for. */
const SHORT = new Map(
  'u:you ur:your r:are hw:how wats:what_is nite:night y:why hwy:why wyh:why whn:when wen:when wat:what wht:what wut:what wtf:what wich:which hwo:how teh:the pls:please plz:please rn:now atm:now cant:cannot cuz:because coz:because bc:because sth:something smth:something abt:about b4:before 2day:today 2nite:tonight yday:yesterday tmrw:tomorrow wk:week wks:weeks svcs:services cust:customer custs:customers ppl:people cnt:count incs:incidents chg:change chgs:changes depl:deploy depls:deploys reqs:requests shd:should isit:is_it rollbk:rollback rlbk:rollback lat:latency srcs:sources errs:errors q:queue msg:message msgs:messages prob:problem probs:problems dwn:down thru:through gonna:going_to wanna:want_to lemme:let_me gimme:give_me'
    .split(' ')
    .map((pair) => pair.replaceAll('_', ' ').split(':') as [string, string]),
)
/** Said to whoever is asked, or to win time, before a question; each may follow another. */
const BEFORE =
  /^(?:(?:@[\w-]{1,40}|(?:hi|hey|hello|yo|sorry)(?: (?:there|all|bot|team|folks|everybody|everyone))?|hm{1,8}|u[hm]{1,4}|er|well|btw|fyi|ok(?:ay)?(?! to\b)|alright|(?:no|nah|sorry|wait|oops),? i mean|i meant?|n\/m|nvm|never ?mind|basically|let me (?:think|see)|(?:the )?next (?:one|question)|(?:one more|another|(?:a )?quick|(?:a )?short) (?:one|question|thing)|(?:just )?(?:wondering|curious|checking)|actually|so(?= (?:uh|um|like|basically|ok|okay|well)\b)|like(?= (?:is|are|was|were|did|does|do|why|what|when|how|who|which)\b)|right(?=,)|look(?=,))(?![\w-])[,:;!. -]{0,3}){1,6}/
/** Asks to be told what follows, which is the question. */
const TELL_ME =
  /^(?:(?:please|can you|could you|would you|do(?:es)? (?:you|we|anybody|anyone|somebody|someone) know|(?:can|could|would) (?:anybody|anyone|somebody|someone)(?= (?:tell|explain|check|see|say)\b)|(?:i|we) (?:want|need|'d (?:like|love)|would (?:like|love)) to (?:know|understand)|(?:i|we)(?:'m| am|'re| are) (?:wondering|trying to (?:find out|understand|figure out|see))|i wonder|i was wondering|(?:is it|would it be) possible to (?:know|say|tell)|may i (?:ask|know)|help (?:me|us) (?:to )?understand|any idea|(?:remind|tell|explain to) (?:me|us)|let (?:me|us) know|(?:check|see|say|confirm|verify|find out|figure out)(?= (?:if|whether|what|why|when|who|how|which)\b)),? )+(?:(?:if|whether) |(?=(?:what|why|when|who|how|which|where|since)\b))/
const BEHIND =
  /(?:[,.! ]{1,3}(?:thx|thanks|thank you|ty|please|cheers|asap|or what|many thanks))+[?.! ]{0,3}$/
/** Said of what somebody claims, before the claim, which is what is asked about. */
const CLAIMED =
  /^(?:(?:and|so|but) )?(?:basically )?(?:(?:are you|you(?:'re| are)) (?:saying|telling (?:me|us)|claiming|suggesting)|(?:they|people|everybody|everyone|somebody|someone|(?:my|the|our) (?!(?:logs?|alerts?|metrics)\b)[a-z]{2,20}) (?:says?|said|thinks?|believes?|claims?|suspects?|tells? (?:me|us)|told (?:me|us)))(?: that)? (?=it's|it is|it was|the|our|this is|that is)/

/** What any text holds that is written as programs write: most questions hold none of it. */
const BY_PROGRAMS = /[=:/]|--|\.\.| perc|[a-z]_[a-z]/
/** "--since 01:30", "service=search", "22:00Z..23:00Z" and "99th percentile" in words. */
const fieldsAsWords = (plain: string): string =>
  plain
    .replace(
      /(?<![\w.-])(?:root|blast|error|what|what_is|how|how_is|when|seen|is|roll|should|open|list|count|last|time|start)_(?:[a-z]+(?:_[a-z]+)*)(?![\w.-])/g,
      (words) => words.replaceAll('_', ' '),
    )
    .replace(/(?<!\S)--?(?=[a-z]{2})/g, '')
    .replace(/(?<![^\s,;])([a-z_]{2,20})[:=](?=[^\s/])/g, '$1 ')
    .replace(/(?<=\d(?:z|utc)?) ?(?:\.\.\.?|\/(?=\d{4}-)) ?(?=\d)/g, ' to ')
    .replace(/\b(\d\d)(?:th|st|nd|rd)?[ -]percentile\b/g, 'p$1')
    .replace(/(?<![\w/])(?:y\/n|yes\/no)(?![\w/])/, 'yes or no')

/** Compatibility forms, curly quotes and odd spaces become plain; case, short forms and courtesies go. */
export function plainWords(text: string): string {
  const typed = text
    .slice(0, READ_UP_TO)
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
  const plain = (BY_PROGRAMS.test(typed) ? fieldsAsWords(typed) : typed)
    .replace(/ w\/ ?/g, ' with ')
    .replace(/(?<![\w-])btw (?=\d)/, 'between ')
    .replace(/^(tell|show|give|say)( me| us)?,? please,? (?=\w)/, '$1$2 ')
    .replace(
      /\b(?:since|from) the (?:start|beginning|first(?: day)?) of (?:the |this )(month|week|year|quarter)(?: on)?\b/,
      'this $1',
    )
    .replace(/^please to (?:tell(?: me)? )?/, 'please ')
    .replace(
      /(?<![\w'./-])(what|how|who|where|when|that|(?:^|(?<=^(?:so|and|but|then|ah|hm+) ))it)s(?= )/g,
      "$1's",
    )
    .replace(/(?<![\w'./-])(is|was|are|did|does|do|could|has|have)nt(?= )/g, "$1n't")
    .replace(
      /(?<![\p{L}\p{N}_'./-])[a-z\d]{1,6}(?![\p{L}\p{N}_'/-]|\.\w)/gu,
      (word) => SHORT.get(word) ?? word,
    )
    .replace(/ (?:tf|the (?:hell|heck|fuck))(?= )/, '')
  const left = plain.replace(BEFORE, '').replace(TELL_ME, '').replace(CLAIMED, '').replace(BEHIND, '')
  // A courtesy alone stays: it is refused as what it is.
  return left === '' ? plain : left
}

/** Words that carry what a question asks for; what is a slip away from one of them, and is no name, means it. */
const CARRYING =
  'affected again alert alerts anything because before broken cause caused certain certainty change changed changes confidence confident count critical crash crashed culprit customers database deploy deployed deployment deploys errors evidence failed failing failure fixed happened happening happens healthy health impact impacted incident incidents issue issues latency metrics normal number outage outages previous problem problems queries reason recently recover recovered release released releases resolved restart restarted revert rollback rolled rollout service services severity should similar since sources started status stopped suspect timeline timeouts timing today traffic users version versions what when where which working yesterday'.split(
    ' ',
  )
/** Whether a word carries what a question asks for. */
export const isCarrying = (word: string): boolean => CARRYING.includes(word) || HURRIED.includes(word)

/** Shorter words that carry it too, and are typed without their vowels, but are a slip away from too many others. */
const HURRIED =
  'again back between broken check commit customers dead down errors hour hours how incident last logs many message messages minute minutes morning now open over page queue rate really restart revert roll should show slow source start stuck team time tools unable until user was week were when where which why with work wrong yesterday'.split(
    ' ',
  )
/** A slip is told from another word in words of so many letters. */
const SHORTEST_SLIP = 5

/** English words a slip away from one of those that mean something else. */
const NO_SLIP = new Set(
  'chance chances chanced charge charged charges causes clause crush court county filed filing falling statue stated states stared broker curtain wording reasons issued timings serviced wheat fired'.split(
    ' ',
  ),
)

/** The word that is typed without its vowels: of those that keep some, only long ones are mended. */
const undropped = (word: string): string | null =>
  isSkeleton(word) || word.length >= SHORTEST_SLIP ? nearestUndropped(word, [...CARRYING, ...HURRIED]) : null

/** Whether a word is no slip, or one in a name. */
function wordKeeper(names: readonly string[]): (word: string) => boolean {
  const parts = new Set(names.flatMap((name) => name.toLowerCase().split(/[-_. ]/)))
  return (word) =>
    parts.has(word) ||
    isCarrying(word) ||
    NO_SLIP.has(word) ||
    EMPTY_WORDS.has(word) ||
    (word.length > 2 && [...parts].some((part) => lettersDropped(word, part) !== null))
}

/** A word that has no vowel behind its first letter, as no word of English has that carries a question. */
const SKELETON = /(?<![\p{L}\p{N}_'.-])[a-z][b-df-hj-np-tv-z]{1,13}(?![\p{L}\p{N}_'-]|\.\w)/gu

/** Short forms of things that run, which are no words without their vowels. */
const OF_PROGRAMS = new Set('cs dd fld mnt pg rt tls tm ws'.split(' '))

/** The words that are typed without any vowel ("agn", "tdy") spelt out where one known word fits; names stay as they are. */
export function withVowels(plain: string, names: readonly string[]): string {
  let isKept: ReturnType<typeof wordKeeper> | undefined
  return plain.replace(SKELETON, (word) => {
    // Most questions hold no such word.
    isKept ??= wordKeeper(names)
    return OF_PROGRAMS.has(word) || isKept(word) ? word : (undropped(word) ?? word)
  })
}

/**
 * The words with one slip, or without vowels, mended in those that carry a question; names stay as they are written. Words
 * of fewer than five letters are a slip away from too many others.
 */
export function withoutSlips(plain: string, names: readonly string[]): string {
  const isKept = wordKeeper(names)
  return plain.replace(/(?<![\p{L}\p{N}_-])[a-z]{2,14}(?![\p{L}\p{N}_-])/gu, (word) => {
    if (OF_PROGRAMS.has(word) || isKept(word)) return word
    const slip =
      word.length < SHORTEST_SLIP
        ? undefined
        : CARRYING.find((each) => each[0] === word[0] && slipsBetween(word, each) === 1)
    return slip ?? undropped(word) ?? word
  })
}

/** Words that say nothing of what a question is about. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'a an the is are was were be been do does did has have had i we you it he she they this that these those there of to in on for with from at by as and or not no any all some me my our your what which who when where why how many much list show give since last past between ago today yesterday please can could would should will'.split(
    ' ',
  ),
)
