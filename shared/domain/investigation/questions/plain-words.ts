/** A question as it was typed, in plain lower-case words: chat's short forms spelt out, courtesies left away. */

import { slipsBetween } from '../records/near-names.ts'

/** Longer questions are read up to here: nobody asks at greater length, and time expressions cost time. */
const READ_UP_TO = 600

/** Short forms, and slips in words too short to be told otherwise, each with what it stands for. */
const SHORT = new Map(
  'u:you ur:your y:why hwy:why wyh:why whn:when wen:when wat:what wut:what wtf:what hwo:how teh:the pls:please plz:please rn:now cant:cannot cuz:because coz:because sth:something smth:something abt:about'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
)
/** Said to whoever is asked, before a question and behind it. */
const BEFORE =
  /^(?:@[\w-]{1,40}|(?:hi|hey|hello|yo|hm{1,8}|um|uh|well|sorry|btw)(?: (?:there|all|bot))?(?![\w-]))[,:;!. -]{0,3}/
/** Asks to be told what follows, which is the question. */
const TELL_ME =
  /^(?:(?:please|can you|could you|would you|do you know|i (?:want|need|'d like) to know|any idea|(?:tell|explain to) (?:me|us)|(?:check|see|confirm|verify|find out)(?= (?:if|whether|what|why|when|who|how|which)\b)),? )+(?:(?:if|whether) |(?=(?:what|why|when|who|how|which|where|since)\b))/
const BEHIND = /[,.! ]{1,3}(?:thx|thanks|thank you|ty|please|cheers)[.! ]{0,3}$/

/** What any text holds that is written as programs write: most questions hold none of it. */
const BY_PROGRAMS = /[=:/]|--|\.\.| perc/
/** "--since 01:30", "service=search", "22:00Z..23:00Z" and "99th percentile" in words. */
const fieldsAsWords = (plain: string): string =>
  plain
    .replace(/(?<!\S)--?(?=[a-z]{2})/g, '')
    .replace(/(?<![^\s,;])([a-z_]{2,20})[:=](?=[^\s/])/g, '$1 ')
    .replace(/(?<=\d(?:z|utc)?) ?(?:\.\.\.?|\/(?=\d{4}-)) ?(?=\d)/g, ' to ')
    .replace(/\b(\d\d)(?:th|st|nd|rd)?[ -]percentile\b/g, 'p$1')

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
    .replace(/(?<![\w'./-])(what|how|who|where|when|that|^it)s(?= )/g, "$1's")
    .replace(/(?<![\w'./-])(is|was|are|did|does|do|could|has|have)nt(?= )/g, "$1n't")
    .replace(/(?<![\p{L}\p{N}_'./-])[a-z]{1,4}(?![\p{L}\p{N}_'./-])/gu, (word) => SHORT.get(word) ?? word)
    .replace(/ (?:tf|the (?:hell|heck|fuck))(?= )/, '')
  const left = plain.replace(BEFORE, '').replace(TELL_ME, '').replace(BEHIND, '')
  // A courtesy alone stays: it is refused as what it is.
  return left === '' ? plain : left
}

/** Words that carry what a question asks for; what is a slip away from one of them, and is no name, means it. */
const CARRYING =
  'affected anything changed changes deployed deployment failing happened healthy health impacted incident incidents latency normal outage recently recovered released restart revert rollback should similar started status timeline traffic version yesterday'.split(
    ' ',
  )

/**
 * The words with one slip mended in those that carry a question; names stay as they are written. Words of fewer than
 * five letters are a slip away from too many others.
 */
export function withoutSlips(plain: string, names: readonly string[]): string {
  const parts = new Set(names.flatMap((name) => name.toLowerCase().split(/[-_. ]/)))
  return plain.replace(/(?<![\p{L}\p{N}_-])[a-z]{5,14}(?![\p{L}\p{N}_-])/gu, (word) =>
    parts.has(word) || CARRYING.includes(word)
      ? word
      : (CARRYING.find((each) => each[0] === word[0] && slipsBetween(word, each) === 1) ?? word),
  )
}
